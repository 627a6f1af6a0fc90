// A libamdhip64 for tests: the functions that the runtime uses, over the emulator. Everything runs at the call.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cassc/emu.h"

namespace {

using Clock = std::chrono::steady_clock;
struct Stream { bool faulted; };
struct Event { bool timing; Clock::time_point at; };

cassc_emu_device* device;
int fault;  // sticky, as a device's

int code(cassc_emu_status status) { return status == CASSC_EMU_OK ? 0 : status == CASSC_EMU_OUT_OF_MEMORY ? 2 : 1; }

int fault_code(const cassc_emu_fault& f) {
  switch (f.kind) {
    case CASSC_EMU_FAULT_ILLEGAL_ADDRESS: return 700;
    case CASSC_EMU_FAULT_MISALIGNED: return 716;
    default: return 719;
  }
}

int run(Stream* stream, const cassc_emu_kernel* kernel, const unsigned* grid, const unsigned* block, unsigned shared, const void* arguments, size_t size) {
  cassc_emu_fault f{};
  const auto status = cassc_emu_launch(device, kernel, {grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, shared, arguments, size, nullptr, &f);
  if (status == CASSC_EMU_FAULT && !fault) fault = fault_code(f);
  if (status == CASSC_EMU_FAULT && stream) stream->faulted = true;
  return status == CASSC_EMU_OK || status == CASSC_EMU_FAULT ? 0 : code(status);
}

}  // namespace

#define HIP extern "C" __attribute__((visibility("default"))) int

HIP hipInit(unsigned) {
  const char* gfx = std::getenv("FAKE_HIP_GFX");
  if (!device && !(gfx && !*gfx)) device = cassc_emu_create("gfx1100", 0);
  return 0;
}
HIP hipGetDeviceCount(int* n) { *n = device ? 1 : 0; return 0; }
HIP hipSetDevice(int) { return 0; }
HIP hipDeviceGetName(char* name, int n, int) { std::strncpy(name, "fake Radeon", static_cast<size_t>(n)); return 0; }
HIP hipGetDevicePropertiesR0600(void* properties, int) {
  const char* gfx = std::getenv("FAKE_HIP_GFX");
  std::strcpy(static_cast<char*>(properties) + 1160, gfx ? gfx : "gfx1100:xnack-");
  return 0;
}
HIP hipDeviceGetAttribute(int* value, int which, int) { *value = which == 63 ? 48 : which; return 0; }
HIP hipDeviceGetStreamPriorityRange(int* least, int* greatest) { *least = 0; *greatest = -1; return 0; }
HIP hipDeviceSynchronize() { return fault; }
HIP hipMemGetInfo(size_t* free_bytes, size_t* total) {
  uint64_t f = 0, t = 0;
  cassc_emu_memory_info(device, &f, &t);
  *free_bytes = f;
  *total = t;
  return 0;
}
HIP hipMalloc(void** p, size_t n) { return code(cassc_emu_malloc(device, n, reinterpret_cast<uint64_t*>(p))); }
HIP hipMallocManaged(void** p, size_t n, unsigned) { return hipMalloc(p, n); }
HIP hipFree(void* p) { return code(cassc_emu_free(device, reinterpret_cast<uint64_t>(p))); }
HIP hipHostMalloc(void** p, size_t n, unsigned) {
  *p = std::malloc(n);
  return code(cassc_emu_register_host(device, *p, n));
}
HIP hipHostFree(void* p) {
  cassc_emu_unregister_host(device, p);
  std::free(p);
  return 0;
}
HIP hipHostRegister(void* p, size_t n, unsigned) { return code(cassc_emu_register_host(device, p, n)); }
HIP hipHostUnregister(void* p) { return code(cassc_emu_unregister_host(device, p)); }
HIP hipHostGetDevicePointer(void** d, void* h, unsigned) { *d = h; return 0; }
HIP hipStreamCreateWithPriority(Stream** s, unsigned, int) { *s = new Stream{}; return 0; }
HIP hipStreamDestroy(Stream* s) { delete s; return 0; }
HIP hipStreamQuery(Stream* s) { return !s || s->faulted ? fault : 0; }
HIP hipStreamSynchronize(Stream* s) { return hipStreamQuery(s); }
HIP hipStreamWaitEvent(Stream*, Event*, unsigned) { return 0; }
HIP hipEventCreateWithFlags(Event** e, unsigned flags) { *e = new Event{!(flags & 2), {}}; return 0; }
HIP hipEventDestroy(Event* e) { delete e; return 0; }
HIP hipEventRecord(Event* e, Stream*) { e->at = Clock::now(); return 0; }
HIP hipEventQuery(Event*) { return fault; }
HIP hipEventSynchronize(Event*) { return fault; }
HIP hipEventElapsedTime(float* ms, Event* a, Event* b) { *ms = std::chrono::duration<float, std::milli>(b->at - a->at).count(); return a->timing && b->timing ? 0 : 400; }
HIP hipMemcpyAsync(void* t, const void* s, size_t n, int, Stream*) { std::memmove(t, s, n); return 0; }
HIP hipMemcpy2DAsync(void* t, size_t tp, const void* s, size_t sp, size_t w, size_t h, int, Stream*) {
  for (size_t y = 0; y < h; ++y) std::memmove(static_cast<char*>(t) + y * tp, static_cast<const char*>(s) + y * sp, w);
  return 0;
}
HIP hipMemset2DAsync(void* t, size_t p, int v, size_t w, size_t h, Stream*) {
  for (size_t y = 0; y < h; ++y) std::memset(static_cast<char*>(t) + y * p, v, w);
  return 0;
}
HIP hipMemsetD8Async(void* t, unsigned char v, size_t n, Stream*) { std::memset(t, v, n); return 0; }
HIP hipMemsetD16Async(void* t, unsigned short v, size_t n, Stream*) {
  for (size_t i = 0; i < n; ++i) static_cast<unsigned short*>(t)[i] = v;
  return 0;
}
HIP hipMemsetD32Async(void* t, int v, size_t n, Stream*) {
  for (size_t i = 0; i < n; ++i) static_cast<int*>(t)[i] = v;
  return 0;
}
HIP hipLaunchHostFunc(Stream*, void (*f)(void*), void* data) { f(data); return 0; }
HIP hipModuleLoadData(cassc_emu_module** m, const void* image) {
  // The size of an ELF file whose section headers come last.
  uint64_t sections = 0;
  uint16_t size = 0, count = 0;
  std::memcpy(&sections, static_cast<const char*>(image) + 40, 8);
  std::memcpy(&size, static_cast<const char*>(image) + 58, 2);
  std::memcpy(&count, static_cast<const char*>(image) + 60, 2);
  return code(cassc_emu_module_load(device, image, sections + uint64_t{size} * count, m));
}
HIP hipModuleUnload(cassc_emu_module* m) { cassc_emu_module_unload(m); return 0; }
HIP hipModuleGetFunction(const cassc_emu_kernel** f, cassc_emu_module* m, const char* name) {
  *f = cassc_emu_module_kernel(m, name);
  return *f ? 0 : 500;
}
HIP hipModuleGetGlobal(void** p, size_t* n, cassc_emu_module* m, const char* name) {
  uint64_t size = 0;
  if (cassc_emu_module_global(m, name, reinterpret_cast<uint64_t*>(p), &size) != CASSC_EMU_OK) return 500;
  *n = size;
  return 0;
}
HIP hipModuleLaunchKernel(const cassc_emu_kernel* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, Stream* stream, void** parameters, void** extra) {
  if (parameters || !extra || extra[0] != reinterpret_cast<void*>(1) || extra[2] != reinterpret_cast<void*>(2) || extra[4] != reinterpret_cast<void*>(3)) return 1;
  const unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  return run(stream, f, grid, block, shared, extra[1], *static_cast<size_t*>(extra[3]));
}
HIP hipModuleLaunchCooperativeKernel(const cassc_emu_kernel* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, Stream* stream, void** parameters) {
  cassc_emu_kernel_info info{};
  cassc_emu_kernel_get_info(f, &info);
  std::vector<char> arguments(info.kernarg_size);
  size_t size = 0;
  for (uint32_t i = 0, next = 0; i < info.argument_count; ++i) {
    cassc_emu_argument a{};
    cassc_emu_kernel_argument(f, i, &a);
    if (a.hidden) continue;
    std::memcpy(arguments.data() + a.offset, parameters[next++], a.size);
    size = a.offset + a.size;
  }
  const unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  return run(stream, f, grid, block, shared, arguments.data(), size);
}

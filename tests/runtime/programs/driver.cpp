// The driver API, over kernels of device.c that lie in the fat binary argv[1]. Prints what each group of calls gives.
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

namespace {

const char* name_of(CUresult result) {
  const char* name = nullptr;
  return cuGetErrorName(result, &name) == CUDA_SUCCESS ? name : "?";
}

#define CHECK(call)                                                             \
  do {                                                                          \
    const CUresult result = (call);                                             \
    if (result != CUDA_SUCCESS) std::printf("%s: %s\n", #call, name_of(result)); \
  } while (0)

void contexts() {
  CUcontext first = nullptr, second = nullptr, now = nullptr;
  CUdeviceptr memory = 0;
  std::printf("without a context %s\n", name_of(cuMemAlloc(&memory, 16)));
  CHECK(cuDevicePrimaryCtxRetain(&first, 0));
  CHECK(cuCtxSetCurrent(first));
  CHECK(cuCtxCreate(&second, nullptr, CU_CTX_SCHED_YIELD, 0));
  CHECK(cuCtxGetCurrent(&now));
  std::printf("created is current %d\n", now == second);
  CHECK(cuMemAlloc(&memory, 4096));
  CHECK(cuCtxDestroy(second));
  CHECK(cuCtxGetCurrent(&now));
  std::printf("back to the first %d, memory went too: %s\n", now == first, name_of(cuMemFree(memory)));
  std::thread([&] {
    CUcontext other = nullptr;
    cuCtxGetCurrent(&other);
    std::printf("other thread has none %d\n", other == nullptr);
    std::printf("destroyed context %s\n", name_of(cuCtxPushCurrent(second)));
  }).join();
}

void modules(const char* path) {
  CUmodule module = nullptr;
  std::printf("no file %s, no image %s\n", name_of(cuModuleLoad(&module, "/nonexistent")), name_of(cuModuleLoadData(&module, "junk")));
  CHECK(cuModuleLoad(&module, path));
  CUfunction indices = nullptr, scale_add = nullptr, missing = nullptr;
  CHECK(cuModuleGetFunction(&indices, module, "write_indices"));
  CHECK(cuModuleGetFunction(&scale_add, module, "scale_add"));
  std::printf("missing function %s\n", name_of(cuModuleGetFunction(&missing, module, "absent")));
  CUdeviceptr symbol = 0;
  size_t bytes = 0;
  std::printf("missing variable %s\n", name_of(cuModuleGetGlobal(&symbol, &bytes, module, "absent")));
  unsigned count = 0;
  CHECK(cuModuleGetFunctionCount(&count, module));
  std::printf("has functions %d\n", count > 5);

  constexpr int n = 16;
  CUdeviceptr out = 0;
  CHECK(cuMemAlloc(&out, n * sizeof(int)));
  CHECK(cuMemsetD32(out, 0x01020304, n));
  int value = 0;
  CHECK(cuMemcpyDtoH(&value, out + 4, sizeof value));
  std::printf("filled %#x\n", static_cast<unsigned>(value));

  void* arguments[] = {&out};
  CHECK(cuLaunchKernel(indices, 2, 1, 1, 8, 1, 1, 0, nullptr, arguments, nullptr));
  std::vector<int> host(n);
  CHECK(cuMemcpyDtoH(host.data(), out, n * sizeof(int)));
  for (int v : host) std::printf("%d ", v);
  std::printf("\n");

  struct {
    CUdeviceptr out;
    int factor, term;
  } block = {out, 2, 3};
  size_t size = sizeof block;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CUstream stream = nullptr;
  CUevent before = nullptr, after = nullptr;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuEventCreate(&before, 0));
  CHECK(cuEventCreate(&after, 0));
  CHECK(cuEventRecord(before, stream));
  CHECK(cuLaunchKernel(scale_add, 1, 1, 1, n, 1, 1, 0, stream, nullptr, extra));
  CHECK(cuEventRecord(after, stream));
  CHECK(cuMemcpyDtoHAsync(host.data(), out, n * sizeof(int), stream));
  CHECK(cuStreamSynchronize(stream));
  float milliseconds = -1;
  CHECK(cuEventElapsedTime(&milliseconds, before, after));
  for (int v : host) std::printf("%d ", v);
  std::printf("timed %d\n", milliseconds >= 0);
  std::printf("bad shape %s\n", name_of(cuLaunchKernel(indices, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr)));
  std::printf("bad handle %s\n", name_of(cuStreamQuery(reinterpret_cast<CUstream>(&value))));

  int registers = 0, most = 0;
  CHECK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, indices));
  CHECK(cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, indices));
  std::printf("registers %d threads %d\n", registers > 0, most);
  CUdeviceptr base = 0;
  CHECK(cuMemGetAddressRange(&base, &bytes, out + 12));
  std::printf("range %d %zu\n", base == out, bytes);
  unsigned kind = 0;
  CHECK(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, out));
  std::printf("kind %u, of the host %s\n", kind,
              name_of(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(&value))));
  CHECK(cuMemFree(out));
  std::printf("freed twice %s\n", name_of(cuMemFree(out)));
  CHECK(cuModuleUnload(module));
  std::printf("unloaded %s\n", name_of(cuLaunchKernel(indices, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr)));
}

void boxes() {
  CUdeviceptr memory = 0;
  size_t pitch = 0;
  CHECK(cuMemAllocPitch(&memory, &pitch, 10, 4, 4));
  CHECK(cuMemsetD2D8(memory, pitch, 7, 10, 4));
  unsigned char host[4][5] = {};
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = memory;
  copy.srcPitch = pitch;
  copy.srcXInBytes = 8;
  copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = host;
  copy.dstPitch = 5;
  copy.dstXInBytes = 1;
  copy.WidthInBytes = 2;
  copy.Height = 3;
  CHECK(cuMemcpy2D(&copy));
  for (auto& row : host)
    for (int v : row) std::printf("%d", v);
  std::printf(" pitch %zu\n", pitch);
  CHECK(cuMemFree(memory));
}

void entry_points() {
  using Alloc2 = CUresult (*)(CUdeviceptr*, size_t);
  void *alloc = nullptr, *old = nullptr, *nothing = nullptr;
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
  CHECK(cuGetProcAddress("cuMemAlloc", &alloc, 12000, 0, &status));
  CHECK(cuGetProcAddress("cuMemAlloc", &old, 2000, 0, &status));
  CUdeviceptr memory = 0;
  std::printf("by name %d, old form differs %d\n", reinterpret_cast<Alloc2>(alloc)(&memory, 64), old != alloc);
  CHECK(cuMemFree(memory));
  CHECK(cuGetProcAddress("cuNothing", &nothing, 12000, 0, &status));
  std::printf("unknown %d %d\n", nothing == nullptr, status);
  CHECK(cuGetProcAddress("cuCtxGetDevice", &nothing, 1000, 0, &status));
  std::printf("too new %d %d\n", nothing == nullptr, status);
  void *ordinary = nullptr, *own = nullptr;
  CHECK(cuGetProcAddress("cuStreamSynchronize", &ordinary, 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &status));
  CHECK(cuGetProcAddress("cuStreamSynchronize", &own, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &status));
  std::printf("per thread differs %d\n", ordinary != own);
}

void devices() {
  int count = 0, version = 0, major = 0, warp = 0;
  char name[64] = "";
  size_t bytes = 0;
  CHECK(cuDeviceGetCount(&count));
  CHECK(cuDriverGetVersion(&version));
  CHECK(cuDeviceGetName(name, sizeof name, 0));
  CHECK(cuDeviceTotalMem(&bytes, 0));
  CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
  CHECK(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  std::printf("%d device, version %d, %s, memory %d, capability %d, warp %d\n", count, version, name, bytes > 0, major, warp);
  std::printf("no such device %s\n", name_of(cuDeviceGetName(name, sizeof name, 1)));
}

}  // namespace

int main(int, char** argv) {
  int count = 0;
  std::printf("before cuInit %s\n", name_of(cuDeviceGetCount(&count)));
  CHECK(cuInit(0));
  devices();
  contexts();
  modules(argv[1]);
  boxes();
  entry_points();
  return 0;
}

// Twins of the kernels of kernels.cuh for gfx1100: same names, same parameter layout.
typedef unsigned int u32;
typedef unsigned long long u64;
#define KERNEL __attribute__((amdgpu_kernel, visibility("protected")))
#define EXPORTED __attribute__((visibility("protected"), used))
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))
#define lane() __builtin_amdgcn_workitem_id_x()
#define group() __builtin_amdgcn_workgroup_id_x()

struct Mixed { char a; double b; short c; };

EXPORTED GLOBAL int device_array[16] = {1, 2, 3, 4};
EXPORTED GLOBAL int constant_array[4] = {10, 20, 30, 40};
EXPORTED GLOBAL int other_constant[4] = {5, 6, 7, 8};
EXPORTED GLOBAL int managed_value[2] = {7, 8};

KERNEL void set_value(GLOBAL int* p, int v) { *p = v; }
KERNEL void copy_value(const GLOBAL int* from, GLOBAL int* to) { *to = *from; }
KERNEL void append(GLOBAL int* log, int v) { log[1 + log[0]] = v; log[0] += 1; }
KERNEL void scale_add(GLOBAL int* p, int a, int b) { p[lane()] = p[lane()] * a + b; }
KERNEL void write_indices(GLOBAL int* p) { p[group() * __builtin_amdgcn_workgroup_size_x() + lane()] = 1000 * group() + lane(); }
KERNEL void take_mixed(char x, struct Mixed m, unsigned short y, GLOBAL double* out) { out[0] = x; out[1] = m.a; out[2] = m.b; out[3] = m.c; out[4] = y; }
KERNEL void read_symbols(GLOBAL int* out) {
  u32 i = lane();
  out[i] = device_array[i];
  if (i < 4) out[16 + i] = constant_array[i];
  device_array[i] += 100;
}
KERNEL void bump_managed(int v) { managed_value[0] += v; }
KERNEL void append_other(GLOBAL int* log) { log[1 + log[0]] = other_constant[1]; log[0] += 1; }
KERNEL void nothing(GLOBAL int* p, int v) {}
KERNEL void bounded(GLOBAL int* p) { *p = 1; }
KERNEL void dynamic_shared(GLOBAL float* p) { p[0] = 1; }
KERNEL void write_far(GLOBAL int* p) { p[1 << 28] = 1; }
KERNEL void write_misaligned(GLOBAL char* p) { *(volatile GLOBAL int*)(p + 1) = 1; }
KERNEL void trap_now(void) { __builtin_trap(); }
KERNEL void hold(volatile GLOBAL int* go) { while (!*go) {} }

// The conventions between translated code and the runtime (see shims/runtime/output.h).
struct Printf { u64 buffer, reserved; };
struct Assertion { u32 claimed, line; u64 message, file, function; u32 block[3], thread[3]; };
EXPORTED GLOBAL struct Printf __cassc_printf;
EXPORTED GLOBAL struct Assertion __cassc_assert;
static const GLOBAL char format[] = "value %d and %.2f %s%%\n", text[] = "text";
static const GLOBAL char message[] = "!x", file[] = "err.cu", function[] = "void asrt(int)";

KERNEL void print_two(int v, double d) {
  GLOBAL u32* buffer = (GLOBAL u32*)__cassc_printf.buffer;
  const u32 size = 40;
  u32 offset = __atomic_fetch_add(&buffer[0], size, __ATOMIC_RELAXED);
  if (offset + size > buffer[1]) return;
  GLOBAL char* record = (GLOBAL char*)buffer + 8 + offset;
  *(GLOBAL u32*)record = size;
  *(GLOBAL u32*)(record + 4) = 24;
  *(GLOBAL u64*)(record + 8) = (u64)format;
  *(GLOBAL int*)(record + 16) = v + (int)lane();
  *(GLOBAL double*)(record + 24) = d;
  *(GLOBAL u64*)(record + 32) = (u64)text;
}

KERNEL void fail_assertion(int x) {
  if (!x) return;
  if (__sync_val_compare_and_swap(&__cassc_assert.claimed, 0, 1) == 0) {
    __cassc_assert.line = 11;
    __cassc_assert.message = (u64)message;
    __cassc_assert.file = (u64)file;
    __cassc_assert.function = (u64)function;
    __cassc_assert.block[0] = group();
    __cassc_assert.thread[0] = lane();
  }
  __builtin_trap();
}

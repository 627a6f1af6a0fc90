// printf and assert in kernels: records in the buffers that cassc's runtime reads (cassc/lift/devicelib describes them).
#ifndef CASSC_OUTPUT_H
#define CASSC_OUTPUT_H
#include <cstdio>
#include <new>

#ifdef __CUDA_ARCH__
extern "C" {
// Found by name in the code object; filled by the runtime before the first launch.
inline __device__ __attribute__((used, visibility("protected"))) unsigned long long __cassc_printf[2] = {};
inline __device__ __attribute__((used, visibility("protected"))) unsigned long long __cassc_assert[8] = {};
}

namespace cassc {
template <class T_>
struct Promoted {
  using Type = T_;
};
#define CASSC_PROMOTED(from, to) \
  template <>                    \
  struct Promoted<from> {        \
    using Type = to;             \
  };
CASSC_PROMOTED(bool, int)
CASSC_PROMOTED(char, int)
CASSC_PROMOTED(signed char, int)
CASSC_PROMOTED(unsigned char, int)
CASSC_PROMOTED(short, int)
CASSC_PROMOTED(unsigned short, int)
CASSC_PROMOTED(float, double)
CASSC_PROMOTED(_Float16, double)
CASSC_PROMOTED(decltype(nullptr), void*)
#undef CASSC_PROMOTED

// Arguments lie at multiples of their own size, as CUDA's vprintf takes them.
template <class T_>
CASSC_FN unsigned place_behind(unsigned offset) {
  constexpr unsigned size = sizeof(typename Promoted<T_>::Type) <= 4 ? 4 : 8;
  return (offset + size - 1) / size * size + size;
}
template <class T_>
CASSC_FN void put(unsigned char* data, unsigned& offset, T_ value) {
  using Type = typename Promoted<T_>::Type;
  constexpr unsigned size = sizeof(Type) <= 4 ? 4 : 8;
  offset = (offset + size - 1) / size * size;
  const Type promoted = static_cast<Type>(value);
  if constexpr (size == 4)
    *reinterpret_cast<unsigned*>(data + offset) = (unsigned)promoted;
  else
    *reinterpret_cast<unsigned long long*>(data + offset) = __builtin_bit_cast(unsigned long long, promoted);
  offset += size;
}

static __device__ __attribute__((noinline)) unsigned char* reserve_record(const char* format, unsigned bytes) {
  auto* const header = reinterpret_cast<unsigned*>(__cassc_printf[0]);
  if (!header) return nullptr;
  const unsigned size = (bytes + 23) & ~7u;
  const unsigned start = __hip_atomic_fetch_add(header, size, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  const unsigned long long capacity = header[1], behind = static_cast<unsigned long long>(start) + size;
  auto* const record = reinterpret_cast<unsigned*>(reinterpret_cast<unsigned char*>(header + 2) + start);
  if (behind > capacity) {
    if (start + 8ull <= capacity) record[0] = 0;
    return nullptr;
  }
  record[0] = size;
  record[1] = bytes;
  *reinterpret_cast<const char**>(record + 2) = format;
  return reinterpret_cast<unsigned char*>(record + 4);
}
}  // namespace cassc

// The number of arguments, or -1 where the record did not fit.
template <class... Arguments>
__device__ inline int printf(const char* format, Arguments... arguments) {
  unsigned bytes = 0;
  ((bytes = cassc::place_behind<Arguments>(bytes)), ...);
  unsigned char* const data = cassc::reserve_record(format, bytes);
  if (!data) return -1;
  unsigned offset = 0;
  (cassc::put(data, offset, arguments), ...);
  return static_cast<int>(sizeof...(Arguments));
}
namespace std {
using ::printf;
}

// CCCL declares one for host and device, beside which clang takes one for the device alone only as an overload: it is
// the better one here, and the worse one on the host's side, where a template is.
extern "C++" __device__ __attribute__((noinline, noreturn)) inline void __assert_fail(
    const char* message, const char* file, unsigned line, const char* function) __attribute__((enable_if(true, ""))) {
  auto* const claim = reinterpret_cast<unsigned*>(__cassc_assert);
  unsigned expected = 0;
  if (__hip_atomic_compare_exchange_strong(claim, &expected, 1u, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {
    claim[1] = line;
    __cassc_assert[1] = reinterpret_cast<unsigned long long>(message);
    __cassc_assert[2] = reinterpret_cast<unsigned long long>(file);
    __cassc_assert[3] = reinterpret_cast<unsigned long long>(function);
    claim[8] = blockIdx.x;
    claim[9] = blockIdx.y;
    claim[10] = blockIdx.z;
    claim[11] = threadIdx.x;
    claim[12] = threadIdx.y;
    claim[13] = threadIdx.z;
  }
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
  __builtin_trap();
}
#else
template <class... Arguments>
__device__ int printf(const char* format, Arguments... arguments);
extern "C++" {
template <class = void>
__device__ __attribute__((noreturn)) void __assert_fail(const char*, const char*, unsigned, const char*);
}
#endif
#endif

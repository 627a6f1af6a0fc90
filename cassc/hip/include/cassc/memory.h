// Loads and stores with cache hints (which RDNA3 needs none of), address spaces, and the device's heap.
#ifndef CASSC_MEMORY_H
#define CASSC_MEMORY_H
#include <new>

// The hints are hints: the value is the same (CUDA C++ Programming Guide, "Load Functions Using Cache Hints").
#define CASSC_LOAD(name)                                    \
  template <class T_>                                        \
  CASSC_FN T_ name(const T_* address) CASSC_BODY(return *address;)
#define CASSC_LOAD_VOLATILE(name)                           \
  template <class T_>                                        \
  CASSC_FN T_ name(const T_* address) CASSC_BODY(             \
      T_ value; __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent"); value = *address; return value;)
#define CASSC_STORE(name)                                   \
  template <class T_>                                        \
  CASSC_FN void name(T_* address, T_ value) CASSC_BODY(*address = value;)
CASSC_LOAD(__ldg)
CASSC_LOAD(__ldca)
CASSC_LOAD(__ldcs)
CASSC_LOAD(__ldlu)
CASSC_LOAD_VOLATILE(__ldcg)
CASSC_LOAD_VOLATILE(__ldcv)
CASSC_STORE(__stwb)
CASSC_STORE(__stcg)
CASSC_STORE(__stcs)
CASSC_STORE(__stwt)
#undef CASSC_LOAD
#undef CASSC_LOAD_VOLATILE
#undef CASSC_STORE

CASSC_FN unsigned __isShared(const void* pointer) CASSC_BODY(return __builtin_amdgcn_is_shared(pointer);)
CASSC_FN unsigned __isLocal(const void* pointer) CASSC_BODY(return __builtin_amdgcn_is_private(pointer);)
CASSC_FN unsigned __isGlobal(const void* pointer) CASSC_BODY(
    return !__builtin_amdgcn_is_shared(pointer) && !__builtin_amdgcn_is_private(pointer);)
CASSC_FN unsigned __isConstant(const void*) CASSC_BODY(return 0;)
CASSC_FN unsigned __isGridConstant(const void*) CASSC_BODY(return 0;)
CASSC_FN size_t __cvta_generic_to_shared(const void* pointer) CASSC_BODY(
    return static_cast<unsigned>(reinterpret_cast<unsigned long long>(pointer));)
CASSC_FN size_t __cvta_generic_to_global(const void* pointer) CASSC_BODY(return reinterpret_cast<size_t>(pointer);)
CASSC_FN size_t __cvta_generic_to_local(const void* pointer) CASSC_BODY(
    return static_cast<unsigned>(reinterpret_cast<unsigned long long>(pointer));)
CASSC_FN void* __cvta_global_to_generic(size_t address) CASSC_BODY(return reinterpret_cast<void*>(address);)
CASSC_FN void* __cvta_shared_to_generic(size_t address) CASSC_BODY(
    return (void*)(__attribute__((address_space(3))) void*)(unsigned)(address);)

namespace cassc {
// Shared memory for an object whose constructor is not run: the program makes it (init(&barrier, n), say).
template <class T_>
struct alignas(T_) Uninitialized {
  unsigned char bytes[sizeof(T_)];
  CASSC_HD T_& get() { return reinterpret_cast<T_&>(*this); }
};
}  // namespace cassc

// The C library's functions that CUDA has on the device.
CASSC_FN void* memcpy(void* target, const void* source, size_t bytes) CASSC_BODY(
    __builtin_memcpy(target, source, bytes); return target;)
CASSC_FN void* memmove(void* target, const void* source, size_t bytes) CASSC_BODY(
    __builtin_memmove(target, source, bytes); return target;)
CASSC_FN void* memset(void* target, int value, size_t bytes) CASSC_BODY(
    __builtin_memset(target, value, bytes); return target;)

#include "cassc/heap.h"
#endif

// The host's side of a unit with __managed__ variables. clang knows them in HIP only, so that side is compiled as HIP, and what
// clang then calls is passed on to the CUDA runtime here.
#ifndef CASSC_MANAGED_H
#define CASSC_MANAGED_H

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* stub, char* device, const char* name, int, void*, void*, void*, void*,
                            int*);
void __cudaRegisterVar(void** handle, char* host, char* device, const char* name, int external, size_t size, int constant,
                       int global);
void __cudaRegisterManagedVar(void** handle, void** host, char* device, const char* name, int external, size_t size,
                              int constant, int global);
char __cudaInitModule(void** handle);

#define CASSC_PASSED_ON __attribute__((weak, used, visibility("hidden"), noinline))
CASSC_PASSED_ON void** __hipRegisterFatBinary(void* wrapper) { return __cudaRegisterFatBinary(wrapper); }
CASSC_PASSED_ON unsigned __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0) {
  return __cudaPushCallConfiguration(grid, block, shared, stream);
}
CASSC_PASSED_ON cudaError_t hipLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared,
                                            cudaStream_t stream) {
  return cudaLaunchKernel(stub, grid, block, arguments, shared, stream);
}
CASSC_PASSED_ON void __hipUnregisterFatBinary(void** handle) { __cudaUnregisterFatBinary(handle); }
CASSC_PASSED_ON cudaError_t __hipPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  return __cudaPopCallConfiguration(grid, block, shared, stream);
}
CASSC_PASSED_ON int __hipRegisterFunction(void** handle, char* stub, char* device, char* name, int, void*, void*, void*,
                                          void*, int*) {
  __cudaRegisterFunction(handle, stub, device, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  return 0;
}
CASSC_PASSED_ON void __hipRegisterVar(void** handle, char* host, char* device, char* name, int external, size_t size,
                                      int constant, int global) {
  __cudaRegisterVar(handle, host, device, name, external, size, constant, global);
}
// The variable's memory must be there before main takes its address, so the code object is loaded now.
CASSC_PASSED_ON void __hipRegisterManagedVar(void** handle, void** host, void* initial, char* name, size_t size, unsigned) {
  *host = initial;
  __cudaRegisterManagedVar(handle, host, name, name, 0, size, 0, 0);
  __cudaInitModule(handle);
}
#undef CASSC_PASSED_ON
}
#endif

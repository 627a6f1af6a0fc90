// A code object of its own file, loaded by path: hip_module FILE
#include "hip_interface.h"

#ifdef DEVICE
__device__ int offset = 3;
extern "C" __global__ void shift(int* p, int by, double times) { p[thread()] = int((p[thread()] + by + offset) * times); }
#else
int main(int, char** argv) {
  hipModule_t module;
  hipFunction_t function;
  int *p, h[32], five = 5;
  double two = 2;
  void* offset;
  size_t size;
  for (int i = 0; i < 32; i++) h[i] = i;
  CHECK(hipMalloc(reinterpret_cast<void**>(&p), sizeof h));
  CHECK(hipMemcpy(p, h, sizeof h, hipMemcpyHostToDevice));
  CHECK(hipModuleLoad(&module, argv[1]));
  CHECK(hipModuleGetFunction(&function, module, "shift"));
  CHECK(hipModuleGetGlobal(&offset, &size, module, "offset"));
  CHECK(hipMemcpy(offset, &five, size, hipMemcpyHostToDevice));
  void* arguments[] = {&p, &five, &two};
  CHECK(hipModuleLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  struct {
    int* p;
    int by;
    double times;
  } packed = {p, 1, 0.5};
  size_t bytes = sizeof packed;
  void* extra[] = {reinterpret_cast<void*>(1), &packed, reinterpret_cast<void*>(2), &bytes, reinterpret_cast<void*>(3)};
  CHECK(hipModuleLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
  CHECK(hipMemcpy(h, p, sizeof h, hipMemcpyDeviceToHost));
  std::printf("%d %d %zu\n", h[0], h[31], size);
  std::printf("%s\n", hipGetErrorName(hipModuleGetFunction(&function, module, "nothing")));
  CHECK(hipModuleUnload(module));
  std::printf("%s\n", hipGetErrorName(hipModuleLoad(&module, "/nowhere")));
}
#endif

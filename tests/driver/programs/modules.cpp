// Loads the kernel "saxpy" from each image that is named, through the driver API, and runs it.
#include <cuda.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

int run(CUmodule module) {
  constexpr int n = 1000;
  std::vector<float> x(n), y(n, 1);
  for (int i = 0; i < n; ++i) x[i] = static_cast<float>(i);
  CUfunction saxpy = nullptr;
  if (cuModuleGetFunction(&saxpy, module, "saxpy") != CUDA_SUCCESS) return -1;
  CUdeviceptr dx = 0, dy = 0;
  cuMemAlloc(&dx, n * sizeof(float));
  cuMemAlloc(&dy, n * sizeof(float));
  cuMemcpyHtoD(dx, x.data(), n * sizeof(float));
  cuMemcpyHtoD(dy, y.data(), n * sizeof(float));
  float a = 2;
  int count = n;
  void* arguments[] = {&a, &dx, &dy, &count};
  if (cuLaunchKernel(saxpy, 4, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr) != CUDA_SUCCESS) return -2;
  cuMemcpyDtoH(y.data(), dy, n * sizeof(float));
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += y[i] != 2 * x[i] + 1;
  return wrong;
}

}  // namespace

int main(int count, char** names) {
  cuInit(0);
  CUcontext context = nullptr;
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  for (int i = 1; i < count; ++i) {
    std::ifstream file(names[i], std::ios::binary);
    std::vector<char> image{std::istreambuf_iterator<char>(file), {}};
    image.push_back(0);
    CUmodule module = nullptr;
    const CUresult loaded = cuModuleLoadData(&module, image.data());
    std::printf("%d %d\n", loaded, loaded == CUDA_SUCCESS ? run(module) : 0);
  }
}

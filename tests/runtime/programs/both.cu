// The driver API beside the runtime API: entry points by name, and the context that both share.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>

int main() {
  int* memory = nullptr;
  std::printf("malloc %d\n", cudaMalloc(&memory, 64));
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  std::printf("get %d", cudaGetDriverEntryPointByVersion("cuMemsetD32", &function, 12000, cudaEnableDefault, &found));
  std::printf(" found %d\n", found);
  const auto fill = reinterpret_cast<CUresult (*)(CUdeviceptr, unsigned, size_t)>(function);
  std::printf("fill %d\n", fill(reinterpret_cast<CUdeviceptr>(memory), 41, 16));
  int value = 0;
  cudaMemcpy(&value, memory + 15, sizeof value, cudaMemcpyDeviceToHost);
  std::printf("value %d\n", value);
  std::printf("get %d", cudaGetDriverEntryPointByVersion("cuNothing", &function, 12000, cudaEnableDefault, &found));
  std::printf(" found %d null %d\n", found, function == nullptr);
}

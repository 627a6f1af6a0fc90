// Wrong and right calls; calls.expected holds what the real runtime answered to the same calls on an NVIDIA GPU.
#include <cstdint>
#include "kernels.cuh"

#define C(...) do { cudaError_t e_ = (__VA_ARGS__); cudaError_t peek_ = cudaPeekAtLastError(), get_ = cudaGetLastError(), again_ = cudaGetLastError(); \
    printf("%s -> %d %s | last %d get %d again %d\n", #__VA_ARGS__, (int)e_, cudaGetErrorName(e_), (int)peek_, (int)get_, (int)again_); } while (0)
#define L(...) do { __VA_ARGS__; cudaError_t e_ = cudaGetLastError(), sync_ = cudaDeviceSynchronize(), last_ = cudaGetLastError(); void* m_ = nullptr; \
    cudaError_t after_ = cudaMalloc(&m_, 16); cudaGetLastError(); cudaFree(m_); \
    printf("%s -> launch %d %s sync %d %s last %d malloc-after %d\n", #__VA_ARGS__, (int)e_, cudaGetErrorName(e_), (int)sync_, cudaGetErrorName(sync_), (int)last_, (int)after_); } while (0)

int main() {
    char h[64] = {};
    int* d = nullptr;
    void* m = nullptr;
    C(cudaGetLastError());
    C(cudaFree(0));
    C(cudaSetDevice(99));
    C(cudaSetDevice(-1));
    C(cudaMalloc((void**)0, 16));
    C(cudaMalloc((void**)&d, 0));
    printf("ptr %s\n", d ? "set" : "null");
    C(cudaMalloc((void**)&d, (size_t)1 << 46));
    C(cudaMalloc((void**)&d, (size_t)-1));
    C(cudaFree((void*)0x1234));
    C(cudaFree(h));
    C(cudaFree(d));
    cudaMalloc((void**)&d, 4096);
    C(cudaMemcpy(d, h, 64, (cudaMemcpyKind)9));
    C(cudaMemcpy(d, 0, 64, cudaMemcpyHostToDevice));
    C(cudaMemcpy(0, h, 64, cudaMemcpyHostToDevice));
    C(cudaMemcpy(d, h, 8192, cudaMemcpyHostToDevice));
    C(cudaMemcpy(h, d, 64, cudaMemcpyDefault));
    C(cudaMemcpy(d, h, 0, cudaMemcpyHostToDevice));
    C(cudaMemcpy(h, d, 64, cudaMemcpyHostToDevice));
    C(cudaMemset(d, 0, 8192));
    C(cudaMemset(0, 0, 4));
    C(cudaMemset(0, 0, 0));
    C(cudaMemcpyToSymbol(constant_array, h, 16));
    C(cudaMemcpyToSymbol(constant_array, h, 32));
    C(cudaMemcpyToSymbol(constant_array, h, 16, 4));
    C(cudaMemcpyToSymbol(h, h, 4));
    C(cudaMemcpyFromSymbol(h, device_array, 16));
    size_t n = 0;
    C(cudaGetSymbolSize(&n, constant_array));
    printf("size %zu\n", n);
    void* p = nullptr;
    C(cudaGetSymbolAddress(&p, h));
    L((nothing<<<1, 1025>>>(d, 1)));
    L((nothing<<<1, 4096>>>(0, 0)));
    L((nothing<<<0, 32>>>(d, 1)));
    L((nothing<<<1, 0>>>(d, 1)));
    L((nothing<<<dim3(1, 65536, 1), 32>>>(d, 1)));
    L((nothing<<<dim3(1, 1, 65536), 32>>>(d, 1)));
    L((nothing<<<1, dim3(1, 1, 65)>>>(d, 1)));
    L((dynamic_shared<<<1, 32, 49153>>>((float*)d)));
    L((dynamic_shared<<<1, 32, 48 * 1024>>>((float*)d)));
    C(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
    L((dynamic_shared<<<1, 32, 64 * 1024>>>((float*)d)));
    C(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    L((bounded<<<1, 256>>>(d)));
    cudaFuncAttributes fa;
    C(cudaFuncGetAttributes(&fa, nothing));
    printf("maxthr %d local %zu shared %zu dynamic %d\n", fa.maxThreadsPerBlock, fa.localSizeBytes, fa.sharedSizeBytes, fa.maxDynamicSharedSizeBytes);
    C(cudaFuncGetAttributes(&fa, bounded));
    printf("maxthr %d\n", fa.maxThreadsPerBlock);
    C(cudaFuncGetAttributes(&fa, (void*)main));
    int nb = 0, x = 0;
    C(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb, nothing, 256, 0));
    C(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb, nothing, 2048, 0));
    printf("nb %d\n", nb);
    cudaPointerAttributes pa;
    C(cudaPointerGetAttributes(&pa, h));
    printf("type %d\n", pa.type);
    C(cudaPointerGetAttributes(&pa, d));
    printf("type %d\n", pa.type);
    C(cudaMallocHost(&m, 64));
    C(cudaPointerGetAttributes(&pa, m));
    printf("type %d\n", pa.type);
    C(cudaMallocManaged(&m, 64));
    C(cudaPointerGetAttributes(&pa, m));
    printf("type %d\n", pa.type);
    C(cudaFreeHost(h));
    C(cudaHostRegister(h, 64, 0));
    C(cudaHostRegister(h, 64, 0));
    C(cudaHostUnregister(h));
    C(cudaHostUnregister(h));
    size_t pitch = 0;
    C(cudaMallocPitch(&p, &pitch, 100, 7));
    printf("pitch %zu\n", pitch);
    C(cudaMemcpy2D(p, pitch, h, 8, 16, 2, cudaMemcpyHostToDevice));
    C(cudaMemcpy2D(p, pitch, h, 8, 8, 2, cudaMemcpyHostToDevice));
    cudaArray_t ar = nullptr;
    cudaChannelFormatDesc cd = cudaCreateChannelDesc<float>();
    C(cudaMallocArray(&ar, &cd, 0, 0));
    C(cudaMallocArray(&ar, &cd, 8, 8));
    C(cudaFreeArray(ar));
    void* args[] = {&d, &x};
    C(cudaLaunchKernel((const void*)nothing, dim3(1), dim3(32), args, 0, 0));
    C(cudaLaunchKernel((const void*)main, dim3(1), dim3(32), args, 0, 0));
    C(cudaLaunchCooperativeKernel((const void*)nothing, dim3(1 << 20), dim3(1024), args, 0, 0));
    cudaStream_t s;
    cudaGraph_t g;
    cudaStreamCreate(&s);
    C(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    C(cudaStreamSynchronize(s));
    C(cudaStreamEndCapture(s, &g));
    C(cudaStreamEndCapture(s, &g));
    C(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    C(cudaDeviceGetAttribute(&x, (cudaDeviceAttr)9999, 0));
    C(cudaDeviceGetAttribute(&x, cudaDevAttrWarpSize, 7));
    C(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
    C(cudaDeviceSetLimit((cudaLimit)77, 1));
    C(cudaDeviceCanAccessPeer(&x, 0, 0));
    C(cudaDeviceEnablePeerAccess(0, 0));
    C(cudaDeviceReset());
    C(cudaMemset(d, 0, 16));
    C(cudaDeviceSynchronize());
}

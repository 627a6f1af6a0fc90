// What kernels take from the runtime beyond memory: a heap, a grid that meets, textures and surfaces.
#include <cooperative_groups.h>
#include <cstdio>

#define CALL(call) printf("%s %d\n", #call, static_cast<int>(call))

__device__ int* kept[64];

__global__ void allocate() {
    int* block = static_cast<int*>(malloc(4 * (threadIdx.x + 1)));
    for (int i = 0; i <= static_cast<int>(threadIdx.x); ++i) block[i] = static_cast<int>(threadIdx.x) + i;
    kept[threadIdx.x] = block;
}

__global__ void sum_and_free(int* sums) {
    const int other = 63 - static_cast<int>(threadIdx.x);
    int sum = 0;
    for (int i = 0; i <= other; ++i) sum += kept[other][i];
    sums[other] = sum;
    free(kept[other]);
}

__global__ void exhaust(int* counts) {
    void *first = malloc(700000), *second = malloc(700000);
    counts[0] = first != nullptr;
    counts[1] = second != nullptr;
    free(second);
    free(first);
    counts[2] = malloc(700000) != nullptr;
}

__global__ void free_twice() {
    void* block = malloc(8);
    free(block);
    free(block);
}

__global__ void relay(int* values, int rounds) {
    const auto grid = cooperative_groups::this_grid();
    for (int k = 0; k < rounds; ++k) {
        const int from = values[(blockIdx.x + 1) % gridDim.x];
        grid.sync();
        if (threadIdx.x == 0) values[blockIdx.x] = from + 1;
        grid.sync();
    }
}

__global__ void sample(cudaTextureObject_t texture, float* out) { out[threadIdx.x] = tex2D<float>(texture, 0.5f + threadIdx.x * 0.25f, 1.5f); }
__global__ void paint(cudaSurfaceObject_t surface) { surf2Dwrite(10.0f * threadIdx.x, surface, 4 * threadIdx.x, 1); }
__global__ void paint_outside(cudaSurfaceObject_t surface) { surf2Dwrite(1.0f, surface, 4000, 0); }

int main(int argc, char**) {
    int host[64] = {}, *device = nullptr;
    CALL(cudaMalloc(&device, sizeof host));
    CALL(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
    allocate<<<1, 64>>>();
    sum_and_free<<<1, 64>>>(device);
    CALL(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    printf("sums %d %d %d\n", host[0], host[1], host[63]);
    CALL(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 << 20));
    exhaust<<<1, 1>>>(device);
    CALL(cudaMemcpy(host, device, 12, cudaMemcpyDeviceToHost));
    printf("blocks %d %d %d\n", host[0], host[1], host[2]);

    for (int i = 0; i < 64; ++i) host[i] = i;
    CALL(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    int rounds = 3;
    void* arguments[] = {&device, &rounds};
    CALL(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(relay), dim3(16), dim3(32), arguments, 0, nullptr));
    CALL(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    printf("relay %d %d %d\n", host[0], host[12], host[15]);
    CALL(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(relay), dim3(1 << 20), dim3(1024), arguments, 0, nullptr));
    CALL(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(relay), dim3(1), dim3(32), arguments, 1 << 20, nullptr));
    CALL(cudaLaunchCooperativeKernel(static_cast<void*>(nullptr), dim3(1), dim3(32), nullptr, 0, nullptr));

    const float image[] = {0, 1, 2, 3, 100, 200, 300, 400};
    cudaArray_t array = nullptr;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CALL(cudaMallocArray(&array, &format, 4, 2, cudaArraySurfaceLoadStore));
    CALL(cudaMemcpy2DToArray(array, 0, 0, image, 16, 16, 2, cudaMemcpyHostToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description{};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture = 0;
    cudaSurfaceObject_t surface = 0;
    CALL(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    CALL(cudaCreateSurfaceObject(&surface, &resource));
    float values[16] = {};
    sample<<<1, 16>>>(texture, reinterpret_cast<float*>(device));
    CALL(cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost));
    printf("linear %g %g %g %g %g\n", values[0], values[1], values[2], values[4], values[15]);
    paint<<<1, 4>>>(surface);
    sample<<<1, 16>>>(texture, reinterpret_cast<float*>(device));
    CALL(cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost));
    printf("painted %g %g %g\n", values[0], values[2], values[15]);
    description.readMode = cudaReadModeNormalizedFloat;
    CALL(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    CALL(cudaDestroyTextureObject(texture));
    if (argc > 1) {
        paint_outside<<<1, 1>>>(surface);
    } else {
        free_twice<<<1, 1>>>();
    }
    CALL(cudaDeviceSynchronize());
}

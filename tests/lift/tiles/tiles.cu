// nvcc -std=c++17 -cubin -arch=sm_NN tiles.cu -o tiles.sm_NN.cubin
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

// Tiles of two warps talk through reserved shared memory, which must not be the kernel's own nor the barriers'.
extern "C" __global__ void tiles(const int* in, int* out) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[33];
    auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    dynamic[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (threadIdx.x < 33) fixed[threadIdx.x] = 7 * threadIdx.x;
    __syncthreads();
    int result = 0;
    for (int i = 0; i < 3; ++i) {
        result = result * 5 + cg::reduce(tile, dynamic[threadIdx.x ^ 1] + i, cg::plus<int>()) + tile.shfl(dynamic[threadIdx.x], 40 + i);
        tile.sync();
    }
    if (__syncthreads_or(fixed[threadIdx.x % 33] != 7 * (threadIdx.x % 33))) result = -1;
    if (dynamic[threadIdx.x] != in[blockIdx.x * blockDim.x + threadIdx.x]) result = -2;
    out[blockIdx.x * blockDim.x + threadIdx.x] = result;
}

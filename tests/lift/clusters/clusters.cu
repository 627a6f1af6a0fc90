// Clusters of one block, asked for and not, and of two. nvcc -std=c++17 -arch=sm_XX -cubin clusters.cu -o clusters.sm_XX.cubin
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ void meet(int* out) {
    __shared__ int s[64];
    const auto cluster = cg::this_cluster();
    s[threadIdx.x] = threadIdx.x;
    cluster.sync();
    const int* p = cluster.map_shared_rank(s, 0);
    const dim3 size = cluster.dim_blocks();
    int* q = out + 4 * (blockIdx.x * 64 + threadIdx.x);
    q[0] = p[threadIdx.x ^ 33];
    q[1] = cluster.block_rank() + 10 * cluster.num_blocks();
    q[2] = size.x + 10 * size.y + 100 * size.z;
    asm("{ .reg .u32 a, b; mov.u32 a, %%clusterid.x; mov.u32 b, %%nclusterid.x; mad.lo.u32 %0, b, 10, a; }" : "=r"(q[3]));
}
extern "C" __global__ void without(int* out) { meet(out); }
extern "C" __global__ void __cluster_dims__(1, 1, 1) of_one(int* out) { meet(out); }
extern "C" __global__ void __cluster_dims__(2, 1, 1) of_two(int* out) { meet(out); }

// nvcc -std=c++17 -Xcicc -O0 -Xptxas -O0 -cubin -arch=sm_120 window.cu -o window.sm_120.cubin
// Code that is not optimised looks for the generic address of shared memory, of which the kernel has none.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void window(const int* in, int* out) {
    auto block = cg::this_thread_block();
    out[block.thread_rank()] = in[block.thread_rank()];
    block.sync();
}

// Blocks that wait for each other. nvcc -cubin -arch=sm_80 (sm_90, sm_100) -o grid.sm_80.cubin grid.cu
#include <cooperative_groups.h>

// Each block passes its number on to the next one, `rounds` times.
extern "C" __global__ void ring(int* a, int* b, int rounds) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const int next = (blockIdx.x + 1) % gridDim.x;
  for (int k = 0; k < rounds; ++k) {
    if (threadIdx.x == 0) b[next] = a[blockIdx.x] + k;
    grid.sync();
    int* c = a;
    a = b;
    b = c;
  }
}

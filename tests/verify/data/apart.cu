// Functions that are compiled by themselves (-G): one approximates, and one of the kernels calls it.
__device__ __noinline__ float sine(float x) { return __sinf(x); }
__device__ __noinline__ int triple(int x) { return 3 * x; }
__global__ void sines(float* p) { p[threadIdx.x] = sine(p[threadIdx.x]); }
__global__ void triples(int* p) { p[threadIdx.x] = triple(p[threadIdx.x]); }

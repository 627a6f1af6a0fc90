// Lanes that wait for each other. nvcc -arch=sm_XX -cubin meetings.cu -o meetings.sm_XX.cubin
constexpr unsigned ALL = 0xffffffffu;

extern "C" __global__ void two_sides(const int* x, unsigned* out) {
    int t = threadIdx.x;
    unsigned r;
    if (x[t] & 1)
        r = __ballot_sync(ALL, x[t] > 40) * 3;
    else
        r = __ballot_sync(ALL, x[t] > 20) + 7;
    out[t] = r;
}

// All lanes go the same way, so that nobody need wait.
extern "C" __global__ void one_way(const int* x, unsigned* out, int n) {
    int t = threadIdx.x;
    unsigned r;
    if (x[blockIdx.x] > n)
        r = __ballot_sync(ALL, x[t] > 40) * 3;
    else
        r = __ballot_sync(ALL, x[t] > 20) + 7;
    out[t] = r;
}

typedef int (*Function)(int);
__device__ __noinline__ int triple(int x) { return 3 * x + 1; }
__device__ __noinline__ int digits(int x) {
    int s = 0;
    for (; x > 0; x /= 10) s += x % 10;
    return s;
}
__device__ Function functions[2] = {triple, digits};

extern "C" __global__ void skipped_calls(const int* x, unsigned* out) {
    __shared__ int s[64];
    int t = threadIdx.x, v = x[t] & 1023;
    if (t % 3 == 0) v += functions[v & 1](v);
    s[t] = v;
    __syncthreads();
    int w = s[(t * 7 + 1) % 64];
    if (t % 5 == 1) w += functions[w & 1](w);
    w += __shfl_xor_sync(ALL, w, 5);
    out[t] = w + __syncthreads_count(w & 1) * 1000;
}

// Kernels for sm_100 and sm_120: launch state, 64-bit integers, uniform floats, a spin lock.
// nvcc -cubin -arch=sm_100 -o newer.sm_100.cubin newer.cu, and likewise for sm_120.
extern "C" __global__ void dimensions(int* out)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    out[at] = at + 1000 * gridDim.x + 100000 * blockDim.x;
}

extern "C" __global__ void wide(const long long* in, long long* out)
{
    long long x = in[2 * threadIdx.x], y = in[2 * threadIdx.x + 1];
    unsigned long long u = x, v = y;
    long long* o = out + 6 * threadIdx.x;
    o[0] = x < y ? x : y;
    o[1] = u > v ? u : v;
    o[2] = x - y;
    o[3] = u * 3 + v;
    o[4] = (x < y) + 2 * (u < v) + 4 * (x == y);
    o[5] = x > 77 ? x : -77;
}

extern "C" __global__ void uniform(float* out, float a, float b, int n)
{
    float r = a * b + 1.5f;
    r = r < b ? b - a : r * 0.25f;
    out[threadIdx.x] = r + (float)n + fminf(a, b);
}

extern "C" __global__ void stack(const int* in, int* out)
{
    int window[8];
    for (int k = 0; k < 8; ++k) window[k] = in[k] * (int)(threadIdx.x + 1);
    int* chosen = threadIdx.x & 1 ? out + 64 : window;
    out[threadIdx.x] = chosen[threadIdx.x & 7];
}

extern "C" __global__ void locked(int* lock, int* total)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int*)total = *(volatile int*)total * 3 % 1009 + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// Atomic additions of floats. nvcc -arch=sm_XX -cubin sums.cu -o sums.sm_XX.cubin
extern "C" __global__ void each(const float* x, float* out, float* old) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (old)
        old[t] = atomicAdd(&out[t], x[t]);
    else
        atomicAdd(&out[t], x[t]);
}

extern "C" __global__ void total(const float* x, float* out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) atomicAdd(out, x[t]);
}

extern "C" __global__ void total_of_doubles(const double* x, double* out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) atomicAdd(out, x[t]);
}

extern "C" __global__ void uniform(float* out, float x) { atomicAdd(out, x); }

extern "C" __global__ void partial(const float* x, float* out, float* old, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) old[t] = atomicAdd(&out[t & 7], x[t]);
}

extern "C" __global__ void shared_total(const float* x, float* out, int n) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) atomicAdd(&sum, x[t]);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

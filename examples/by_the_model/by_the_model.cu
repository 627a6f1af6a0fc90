// Three kernels that the language model translates: a map, a sum over blocks, and a count with atomics.
#include <cstdio>
#include <vector>

__global__ void squares(const float *in, float *out, float shift, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * in[i] + shift;
}

__global__ void sums(const int *in, int *out, int n)
{
    __shared__ int s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int k = 64; k > 0; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__global__ void count(const int *in, int *found, int limit, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > limit)
        atomicAdd(found, 1);
}

int main()
{
    const int n = 1000, blocks = (n + 127) / 128;
    std::vector<float> x(n), y(n);
    std::vector<int> a(n), partial(blocks);
    for (int i = 0; i < n; i++) {
        x[i] = 0.25f * i;
        a[i] = i * 7 % 100 - 20;
    }
    float *dx, *dy;
    int *da, *dp, *df, found = 0;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&da, n * sizeof(int));
    cudaMalloc(&dp, blocks * sizeof(int));
    cudaMalloc(&df, sizeof(int));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(da, a.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(df, 0, sizeof(int));
    squares<<<blocks, 128>>>(dx, dy, 1.5f, n);
    sums<<<blocks, 128>>>(da, dp, n);
    count<<<blocks, 128>>>(da, df, 30, n);
    cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(partial.data(), dp, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(&found, df, sizeof(int), cudaMemcpyDeviceToHost);

    int wrong = 0, sum = 0, expected_sum = 0, expected_found = 0;
    for (int i = 0; i < n; i++) {
        wrong += y[i] != x[i] * x[i] + 1.5f;
        expected_sum += a[i];
        expected_found += a[i] > 30;
    }
    for (int p : partial)
        sum += p;
    std::printf("squares: %d wrong\n", wrong);
    std::printf("sum %d, above the limit %d\n", sum, found);
    return wrong || sum != expected_sum || found != expected_found || cudaGetLastError() != cudaSuccess;
}

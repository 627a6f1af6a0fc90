// C = A * B for sizes that are no multiple of the tile, through two tiles in shared memory. The inputs are small
// integers, so that float sums are exact in any order.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                       \
    do {                                                                                  \
        cudaError_t status = (call);                                                      \
        if (status != cudaSuccess) {                                                      \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            std::exit(2);                                                                 \
        }                                                                                 \
    } while (0)

constexpr int TILE = 16;

__global__ void multiply(const float *a, const float *b, float *c, int rows, int inner, int columns)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < inner; start += TILE) {
        int across = start + threadIdx.x;
        int down = start + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < rows && across < inner ? a[row * inner + across] : 0.0f;
        tile_b[threadIdx.y][threadIdx.x] = down < inner && column < columns ? b[down * columns + column] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    if (row < rows && column < columns)
        c[row * columns + column] = sum;
}

int main()
{
    const int rows = 45, inner = 70, columns = 52;
    std::vector<float> a(rows * inner), b(inner * columns), c(rows * columns, -1.0f);
    for (size_t i = 0; i < a.size(); ++i)
        a[i] = static_cast<float>(i * 7 % 13) - 6.0f;
    for (size_t i = 0; i < b.size(); ++i)
        b[i] = static_cast<float>(i * 5 % 11) - 5.0f;

    float *device_a, *device_b, *device_c;
    CHECK(cudaMalloc(&device_a, a.size() * sizeof(float)));
    CHECK(cudaMalloc(&device_b, b.size() * sizeof(float)));
    CHECK(cudaMalloc(&device_c, c.size() * sizeof(float)));
    CHECK(cudaMemcpy(device_a, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));

    dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    multiply<<<grid, dim3(TILE, TILE)>>>(device_a, device_b, device_c, rows, inner, columns);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(c.data(), device_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost));

    int wrong = 0;
    float trace = 0.0f;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            float expected = 0.0f;
            for (int k = 0; k < inner; ++k)
                expected += a[i * inner + k] * b[k * columns + j];
            wrong += c[i * columns + j] != expected;
            if (i == j)
                trace += c[i * columns + j];
        }
    std::printf("tiled_matmul: %dx%d by %dx%d, %d wrong\n", rows, inner, inner, columns, wrong);
    std::printf("sum of the diagonal %g\n", trace);

    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));
    return wrong != 0;
}

// Heat in a plate: a five-point stencil, iterated with two buffers that change places, with a halo in shared memory.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CHECK(call)                                                                       \
    do {                                                                                  \
        cudaError_t status = (call);                                                      \
        if (status != cudaSuccess) {                                                      \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            std::exit(2);                                                                 \
        }                                                                                 \
    } while (0)

constexpr int BLOCK = 8;

__global__ void step(const float *now, float *next, int width, int height)
{
    __shared__ float tile[BLOCK + 2][BLOCK + 2];
    int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y * BLOCK + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    bool inside = x < width && y < height;
    if (inside) {
        tile[ty][tx] = now[y * width + x];
        if (threadIdx.x == 0 && x > 0)
            tile[ty][0] = now[y * width + x - 1];
        if (threadIdx.x == BLOCK - 1 && x < width - 1)
            tile[ty][BLOCK + 1] = now[y * width + x + 1];
        if (threadIdx.y == 0 && y > 0)
            tile[0][tx] = now[(y - 1) * width + x];
        if (threadIdx.y == BLOCK - 1 && y < height - 1)
            tile[BLOCK + 1][tx] = now[(y + 1) * width + x];
    }
    __syncthreads();
    if (!inside)
        return;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
        next[y * width + x] = tile[ty][tx];
    else {
        float around = (tile[ty][tx - 1] + tile[ty][tx + 1]) + (tile[ty - 1][tx] + tile[ty + 1][tx]);
        next[y * width + x] = fmaf(0.125f, around, 0.5f * tile[ty][tx]);
    }
}

static void step_on_host(const std::vector<float> &now, std::vector<float> &next, int width, int height)
{
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            int i = y * width + x;
            if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
                next[i] = now[i];
            else
                next[i] = std::fmaf(0.125f, (now[i - 1] + now[i + 1]) + (now[i - width] + now[i + width]), 0.5f * now[i]);
        }
}

int main()
{
    const int width = 37, height = 29, steps = 12;
    const size_t bytes = width * height * sizeof(float);
    std::vector<float> plate(width * height, 20.0f), expected, spare(width * height), result(width * height);
    for (int x = 0; x < width; ++x)
        plate[x] = 100.0f;
    plate[14 * width + 18] = -273.0f;

    float *now, *next;
    CHECK(cudaMalloc(&now, bytes));
    CHECK(cudaMalloc(&next, bytes));
    CHECK(cudaMemcpy(now, plate.data(), bytes, cudaMemcpyHostToDevice));
    dim3 grid((width + BLOCK - 1) / BLOCK, (height + BLOCK - 1) / BLOCK);
    expected = plate;
    for (int i = 0; i < steps; ++i) {
        step<<<grid, dim3(BLOCK, BLOCK)>>>(now, next, width, height);
        CHECK(cudaGetLastError());
        std::swap(now, next);
        step_on_host(expected, spare, width, height);
        expected.swap(spare);
    }
    CHECK(cudaMemcpy(result.data(), now, bytes, cudaMemcpyDeviceToHost));

    int wrong = 0;
    for (int i = 0; i < width * height; ++i)
        wrong += result[i] != expected[i];
    std::printf("stencil: %dx%d, %d steps, %d wrong\n", width, height, steps, wrong);
    std::printf("centre %.4f, below the edge %.4f\n", result[14 * width + 18], result[width + 18]);

    CHECK(cudaFree(now));
    CHECK(cudaFree(next));
    return wrong != 0;
}

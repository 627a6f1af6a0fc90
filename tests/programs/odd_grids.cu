// Launch shapes: grids of two and three dimensions with odd sizes, blocks that no warp divides, more than 65535 blocks in x,
// large y and z, and a cellular automaton on a torus whose extents divide nothing.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define TRY(call)                                                                         \
    do {                                                                                  \
        cudaError_t err = (call);                                                         \
        if (err != cudaSuccess) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err));          \
            exit(2);                                                                      \
        }                                                                                 \
    } while (0)

// Every thread writes its own linear index's image; what is visited twice or never shows in the sum.
__global__ void shape(uint32_t *out, uint32_t *visits) {
    uint32_t block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    uint32_t thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    uint32_t i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    out[i] = (blockIdx.x * 3 + threadIdx.x) ^ (blockIdx.y * 5 + threadIdx.y) << 10 ^ (blockIdx.z * 7 + threadIdx.z) << 20;
    atomicAdd(&visits[i % 61], i);
}

// A tiny kernel for a grid wider than 65535: only some blocks have work.
__global__ void wide(uint32_t *out) {
    uint32_t x = blockIdx.x;
    if (x % 4099 == 0 || x + 1 == gridDim.x) out[x / 4099 + (x + 1 == gridDim.x)] = x ^ gridDim.x << 3;
}

constexpr int X = 19, Y = 23, Z = 13;
__global__ void life(const unsigned char *in, unsigned char *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= X || y >= Y || z >= Z) return;
    int sum = 0;
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
                if (dx | dy | dz) sum += in[((z + dz + Z) % Z * Y + (y + dy + Y) % Y) * X + (x + dx + X) % X];
    int i = (z * Y + y) * X + x;
    out[i] = in[i] ? sum >= 5 && sum <= 7 : sum == 6;
}

int main() {
    int wrong = 0;
    struct Launch {
        dim3 grid, block;
    } launches[] = {{dim3(7, 5, 3), dim3(11, 3, 1)}, {dim3(1, 9), dim3(1, 1, 33)}, {dim3(13), dim3(100)}, {dim3(2, 3, 5), dim3(5, 7, 2)}, {dim3(1, 1, 300), dim3(3)},
        {dim3(1, 700), dim3(1)}, {dim3(3, 1, 2), dim3(31, 2)}, {dim3(1), dim3(1, 1, 64)}, {dim3(2), dim3(16, 16, 4)}, {dim3(1), dim3(1023)}};
    for (const Launch &l : launches) {
        uint32_t threads = l.block.x * l.block.y * l.block.z, n = l.grid.x * l.grid.y * l.grid.z * threads, sums[61] = {}, h = 0;
        std::vector<uint32_t> out(n);
        uint32_t *d, *dv, got[61];
        TRY(cudaMalloc(&d, n * 4));
        TRY(cudaMalloc(&dv, sizeof got));
        TRY(cudaMemset(d, 0xff, n * 4));
        TRY(cudaMemset(dv, 0, sizeof got));
        shape<<<l.grid, l.block>>>(d, dv);
        TRY(cudaGetLastError());
        TRY(cudaMemcpy(out.data(), d, n * 4, cudaMemcpyDeviceToHost));
        TRY(cudaMemcpy(got, dv, sizeof got, cudaMemcpyDeviceToHost));
        int bad = 0;
        for (uint32_t i = 0; i < n; ++i) {
            uint32_t b = i / threads, t = i % threads, bx = b % l.grid.x, by = b / l.grid.x % l.grid.y, bz = b / l.grid.x / l.grid.y;
            uint32_t tx = t % l.block.x, ty = t / l.block.x % l.block.y, tz = t / l.block.x / l.block.y;
            bad += out[i] != ((bx * 3 + tx) ^ (by * 5 + ty) << 10 ^ (bz * 7 + tz) << 20);
            sums[i % 61] += i;
            h = (h ^ out[i]) * 16777619u;
        }
        bad += memcmp(sums, got, sizeof got) != 0;
        printf("%u,%u,%u x %u,%u,%u: %08x\n", l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z, h);
        wrong += bad;
        TRY(cudaFree(d));
        TRY(cudaFree(dv));
    }

    const uint32_t blocks = 65536 + 1234, slots = blocks / 4099 + 2;
    uint32_t *d;
    std::vector<uint32_t> out(slots), want(slots, 0);
    TRY(cudaMalloc(&d, slots * 4));
    TRY(cudaMemset(d, 0, slots * 4));
    wide<<<blocks, 1>>>(d);
    TRY(cudaMemcpy(out.data(), d, slots * 4, cudaMemcpyDeviceToHost));
    for (uint32_t x = 0; x < blocks; ++x)
        if (x % 4099 == 0 || x + 1 == blocks) want[x / 4099 + (x + 1 == blocks)] = x ^ blocks << 3;
    wrong += out != want;
    printf("wide: %08x %08x\n", out[slots - 2], out[slots - 1]);

    // No blocks and too many threads are errors that leave nothing behind; which ones, the runtime decides.
    wide<<<0, 1>>>(d);
    cudaError_t zero = cudaGetLastError();
    wide<<<1, 1025>>>(d);
    cudaError_t large = cudaGetLastError();
    printf("errors: %s, %s\n", cudaGetErrorName(zero), cudaGetErrorName(large));
    wrong += zero == cudaSuccess || large == cudaSuccess || cudaGetLastError() != cudaSuccess;

    constexpr int CELLS = X * Y * Z;
    std::vector<unsigned char> cell(CELLS), next(CELLS), got(CELLS);
    unsigned char *a, *b;
    TRY(cudaMalloc(&a, CELLS));
    TRY(cudaMalloc(&b, CELLS));
    for (int i = 0; i < CELLS; ++i) cell[i] = ((unsigned)i * 2246822519u >> 13) % 5 == 0;
    TRY(cudaMemcpy(a, cell.data(), CELLS, cudaMemcpyHostToDevice));
    for (int step = 0; step < 3; ++step) {
        life<<<dim3((X + 5) / 6, (Y + 4) / 5, (Z + 2) / 3), dim3(6, 5, 3)>>>(a, b);
        std::swap(a, b);
        for (int i = 0; i < CELLS; ++i) {
            int sum = 0, x = i % X, y = i / X % Y, z = i / X / Y;
            for (int k = 0; k < 27; ++k)
                if (k != 13) sum += cell[((z + k / 9 + Z - 1) % Z * Y + (y + k / 3 % 3 + Y - 1) % Y) * X + (x + k % 3 + X - 1) % X];
            next[i] = cell[i] ? sum >= 5 && sum <= 7 : sum == 6;
        }
        cell.swap(next);
    }
    TRY(cudaMemcpy(got.data(), a, CELLS, cudaMemcpyDeviceToHost));
    wrong += got != cell;
    uint32_t h = 0, alive = 0;
    for (int i = 0; i < CELLS; ++i) h = h * 31 + got[i], alive += got[i];
    printf("life: %u of %d alive, %08x\nRESULT: %s\n", alive, CELLS, h, wrong ? "FAIL" : "PASS");
    return wrong != 0;
}

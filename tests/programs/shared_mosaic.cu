// Static and dynamic shared memory of several types in one block: carved dynamic storage, structures transposed without bank
// conflicts, unions read through another member, and a stable counting sort of records.
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

struct __align__(8) Particle {
    float charge;
    short x, y;
    unsigned char kind;
    double energy;
};
union Cell {
    double d;
    uint32_t half[2];
    unsigned char byte[8];
};
constexpr int TILE = 16, ROWS = 35, COLUMNS = 51, THREADS = 72, RECORDS = 288, KEYS = 11;

__host__ __device__ Particle particle(int i) {
    unsigned h = (unsigned)i * 0xcc9e2d51u;
    h = h << 15 | h >> 17;
    Particle p = {};
    p.charge = (float)(h % 1000) * 0.125f;
    p.x = (short)(h >> 16);
    p.y = (short)(h * 31u >> 12);
    p.kind = (unsigned char)(h >> 9 & 255);
    p.energy = (double)i - 0.5 * (h & 7);
    return p;
}

__global__ void transpose(const Particle *in, Particle *out) {
    __shared__ Particle tile[TILE][TILE + 1];
    int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += 4)
        if (c < COLUMNS && r + k < ROWS) tile[threadIdx.y + k][threadIdx.x] = in[(r + k) * COLUMNS + c];
    __syncthreads();
    c = blockIdx.y * TILE + threadIdx.x;
    r = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += 4)
        if (c < ROWS && r + k < COLUMNS) {
            Particle p = tile[threadIdx.x][threadIdx.y + k];
            p.energy += p.kind;
            p.x = (short)-p.x;
            out[(r + k) * ROWS + c] = p;
        }
}

extern __shared__ __align__(16) unsigned char arena[];

// A stable counting sort of one block's records by kind % KEYS; everything but the counters lives in dynamic storage.
__global__ void countingSort(const Particle *in, Particle *out, uint32_t *digest, int n) {
    __shared__ unsigned short count[KEYS][THREADS];
    __shared__ int start[KEYS + 1];
    __shared__ Cell cells[THREADS];
    Particle *staged = (Particle *)arena;
    unsigned char *key = (unsigned char *)(staged + n);
    long long *sums = (long long *)(((uintptr_t)(key + n) + 7) & ~(uintptr_t)7);
    int t = threadIdx.x, per = (n + blockDim.x - 1) / blockDim.x, first = min(t * per, n), last = min(first + per, n);
    in += blockIdx.x * n;
    out += blockIdx.x * n;
    for (int k = 0; k < KEYS; ++k) count[k][t] = 0;
    for (int i = t; i < n; i += blockDim.x) {
        staged[i] = in[i];
        key[i] = staged[i].kind % KEYS;
    }
    __syncthreads();
    for (int i = first; i < last; ++i) ++count[key[i]][t];
    __syncthreads();
    if (t < KEYS) {
        int sum = 0;
        for (unsigned k = 0; k < blockDim.x; ++k) {
            int c = count[t][k];
            count[t][k] = (unsigned short)sum;
            sum += c;
        }
        start[t + 1] = sum;
    }
    if (t == KEYS) start[0] = 0;
    __syncthreads();
    if (t == 0)
        for (int k = 0; k < KEYS; ++k) start[k + 1] += start[k];
    __syncthreads();
    long long sum = 0;
    for (int i = first; i < last; ++i) {
        int k = key[i], to = start[k] + count[k][t]++;
        out[to] = staged[i];
        sum = sum * 3 + to * (long long)staged[i].x;
    }
    sums[t] = sum;
    cells[t].d = staged[t].energy * 1.5;
    __syncthreads();
    const Cell &other = cells[blockDim.x - 1 - t];
    uint32_t h = (uint32_t)sums[(t + 7) % blockDim.x] ^ (uint32_t)(sums[(t + 1) % blockDim.x] >> 32);
    h = h * 5 + other.half[1] + other.byte[t & 7] + (other.half[0] >> 3);
    digest[blockIdx.x * blockDim.x + t] = h;
}

static uint32_t fold(uint32_t h, const Particle &p) {
    uint32_t c;
    uint64_t e;
    memcpy(&c, &p.charge, 4);
    memcpy(&e, &p.energy, 8);
    for (uint32_t v : {c, (uint32_t)(uint16_t)p.x, (uint32_t)(uint16_t)p.y, (uint32_t)p.kind, (uint32_t)e, (uint32_t)(e >> 32)}) h = (h ^ v) * 16777619u;
    return h;
}

int main() {
    constexpr int CELLS = ROWS * COLUMNS, BLOCKS = 3;
    std::vector<Particle> in(CELLS), out(CELLS), sorted(RECORDS * BLOCKS);
    std::vector<uint32_t> digest(THREADS * BLOCKS);
    for (int i = 0; i < CELLS; ++i) in[i] = particle(i);
    Particle *a, *b, *s;
    uint32_t *g;
    TRY(cudaMalloc(&a, CELLS * sizeof(Particle)));
    TRY(cudaMalloc(&b, CELLS * sizeof(Particle)));
    TRY(cudaMalloc(&s, sorted.size() * sizeof(Particle)));
    TRY(cudaMalloc(&g, digest.size() * 4));
    TRY(cudaMemcpy(a, in.data(), CELLS * sizeof(Particle), cudaMemcpyHostToDevice));
    transpose<<<dim3((COLUMNS + TILE - 1) / TILE, (ROWS + TILE - 1) / TILE), dim3(TILE, 4)>>>(a, b);
    size_t dynamic = RECORDS * (sizeof(Particle) + 1) + 8 + THREADS * 8;
    countingSort<<<BLOCKS, THREADS, dynamic>>>(a, s, g, RECORDS);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(out.data(), b, CELLS * sizeof(Particle), cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(sorted.data(), s, sorted.size() * sizeof(Particle), cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(digest.data(), g, digest.size() * 4, cudaMemcpyDeviceToHost));
    uint32_t h = 1, w = 1, hs = 1, ws = 1, hd = 1, wd = 1;
    for (int r = 0; r < COLUMNS; ++r)
        for (int c = 0; c < ROWS; ++c) {
            Particle p = in[c * COLUMNS + r];
            p.energy += p.kind;
            p.x = (short)-p.x;
            w = fold(w, p);
            h = fold(h, out[r * ROWS + c]);
        }
    for (int block = 0; block < BLOCKS; ++block) {
        std::vector<int> to(RECORDS);
        int at = 0;
        for (int k = 0; k < KEYS; ++k)
            for (int i = 0; i < RECORDS; ++i)
                if (in[block * RECORDS + i].kind % KEYS == k) to[i] = at++, ws = fold(ws, in[block * RECORDS + i]);
        for (int i = 0; i < RECORDS; ++i) hs = fold(hs, sorted[block * RECORDS + i]);
        std::vector<long long> sums(THREADS);
        int per = (RECORDS + THREADS - 1) / THREADS;
        for (int i = 0; i < RECORDS; ++i) sums[i / per] = sums[i / per] * 3 + to[i] * (long long)in[block * RECORDS + i].x;
        for (int t = 0; t < THREADS; ++t) {
            double e = in[block * RECORDS + THREADS - 1 - t].energy * 1.5;
            uint64_t bits;
            memcpy(&bits, &e, 8);
            uint32_t d = (uint32_t)sums[(t + 7) % THREADS] ^ (uint32_t)(sums[(t + 1) % THREADS] >> 32);
            d = d * 5 + (uint32_t)(bits >> 32) + (uint8_t)(bits >> (t & 7) * 8) + ((uint32_t)bits >> 3);
            wd = (wd ^ d) * 16777619u;
            hd = (hd ^ digest[block * THREADS + t]) * 16777619u;
        }
    }
    printf("particle: %zu bytes, cell: %zu bytes\n", sizeof(Particle), sizeof(Cell));
    printf("transposed %08x sorted %08x digest %08x\n", h, hs, hd);
    bool ok = h == w && hs == ws && hd == wd;
    if (!ok) printf("not        %08x        %08x        %08x\n", w, ws, wd);
    printf("RESULT: %s\n", ok ? "PASS" : "FAIL");
    return !ok;
}

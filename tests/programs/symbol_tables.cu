// Variables of a module: constant arrays and structures, device globals with initialisers and with pointers to one another,
// partial copies to and from symbols, and state that several kernels share across launches.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define TRY(call)                                                                         \
    do {                                                                                  \
        cudaError_t err = (call);                                                         \
        if (err != cudaSuccess) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err));          \
            exit(2);                                                                      \
        }                                                                                 \
    } while (0)

struct Station {
    int id;
    float height;
    double position[2];
    const char *name;
    const Station *next;
};
struct Settings {
    uint64_t seed;
    short weights[6];
    unsigned char flags[3];
    double scale;
};

__constant__ int primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
__constant__ Settings settings = {0x0123456789abcdefull, {3, -1, 4, -1, 5, -9}, {1, 0, 255}, 0.375};
__constant__ Settings revised;  // zero until the host copies to it
__constant__ float curve[3][5] = {{0.5f, 1.5f, -2.f, 8.f, 0.f}, {1.f, 2.f, 3.f}, {-1.f}};
__device__ int squares[10] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81};
__device__ int *middle = squares + 5;
__device__ int **twice = &middle;
__device__ const int *ends[2] = {&squares[0], &squares[9]};
__device__ Station harbour = {7, 1.25f, {3.5, -4.25}, "harbour", nullptr};
__device__ Station summit = {9, 2450.5f, {11.0, 0.125}, "summit", &harbour};
__device__ Station *route = &summit;
__device__ char motto[24] = "variables of a module";
__device__ unsigned long long generation = 1;
__device__ double history[8];
__device__ volatile unsigned phase = 40;
static __device__ short untouched[5];

__global__ void gather(long long *out) {
    int t = threadIdx.x;
    long long r = primes[t & 15] * 1000 + primes[(t * 7 + 3) & 15];
    const Settings &s = t & 1 ? revised : settings;
    r += (long long)(s.seed >> t) + s.weights[t % 6] * 17 + s.flags[t % 3] + (long long)(s.scale * 1024);
    r += (long long)(curve[t % 3][t % 5] * 8) + middle[t % 5] + *(*twice - t % 6) + (ends[1] - ends[0]) + *ends[t & 1];
    for (const Station *p = route; p; p = p->next) {
        r = r * 5 + p->id + (long long)p->height + (long long)(p->position[t & 1] * 8);
        for (const char *c = p->name; *c; ++c) r += *c;
    }
    out[t] = r + motto[t % 24] + untouched[t % 5];
}

__global__ void advance() {  // one thread block; the next launch reads what this one leaves
    int t = threadIdx.x;
    if (t < 8) history[t] = history[t] * 0.5 + (double)generation * primes[t];
    if (t < 10) squares[t] += t;
    __syncthreads();
    if (t == 0) {
        generation = generation * 6364136223846793005ull + settings.seed;
        phase = phase + 2;
        middle = squares + generation % 6;
    }
}

__global__ void relink(Station *extra) {
    harbour.next = extra;
    extra->next = nullptr;
    extra->name = motto + 13;
    route = route == &summit ? &harbour : &summit;
}

static long long model(int t, const Settings &odd, const Settings &even, const int *sq, int mid, const Station *path, const char *text) {
    static const int p[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
    static const float c[15] = {0.5f, 1.5f, -2.f, 8.f, 0.f, 1.f, 2.f, 3.f, 0.f, 0.f, -1.f};
    const Settings &s = t & 1 ? odd : even;
    long long r = p[t & 15] * 1000 + p[(t * 7 + 3) & 15];
    r += (long long)(s.seed >> t) + s.weights[t % 6] * 17 + s.flags[t % 3] + (long long)(s.scale * 1024);
    r += (long long)(c[t % 3 * 5 + t % 5] * 8) + sq[mid + t % 5] + sq[mid - t % 6] + 9 + sq[t & 1 ? 9 : 0];
    for (; path; path = path->next) {
        r = r * 5 + path->id + (long long)path->height + (long long)(path->position[t & 1] * 8);
        for (const char *n = path->name; *n; ++n) r += *n;
    }
    return r + text[t % 24];
}

int main() {
    constexpr int T = 40;
    long long got[T], *d;
    int wrong = 0, sq[10], mid = 5;
    char text[24] = "variables of a module";
    Settings even = {0x0123456789abcdefull, {3, -1, 4, -1, 5, -9}, {1, 0, 255}, 0.375}, odd = {};
    Station port = {7, 1.25f, {3.5, -4.25}, "harbour", nullptr}, top = {9, 2450.5f, {11.0, 0.125}, "summit", &port}, more = {31, 6.f, {1.0, 2.0}, nullptr, nullptr};
    for (int i = 0; i < 10; ++i) sq[i] = i * i;
    TRY(cudaMalloc(&d, sizeof got));
    auto check = [&](const char *what, const Station *path) {
        gather<<<1, T>>>(d);
        TRY(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
        long long h = 0;
        for (int t = 0; t < T; ++t) {
            wrong += got[t] != model(t, odd, even, sq, mid, path, text);
            h = (long long)((unsigned long long)h * 31 + (unsigned long long)got[t]);
        }
        printf("%-8s %016llx %lld wrong %d\n", what, (unsigned long long)h, got[13], wrong);
    };
    check("initial", &top);
    odd = even;
    odd.scale = -2.25;
    odd.seed = 0xfedcba9876543210ull;
    TRY(cudaMemcpyToSymbol(revised, &odd, sizeof odd));
    short patch[2] = {1000, -1000};
    memcpy(even.weights + 2, patch, sizeof patch);
    TRY(cudaMemcpyToSymbol(settings, patch, sizeof patch, offsetof(Settings, weights) + 2 * sizeof(short)));
    memcpy(text + 10, "OF", 2);
    TRY(cudaMemcpyToSymbol(motto, "OF", 2, 10));
    check("patched", &top);

    unsigned long long gen = 1, readGen;
    double history_[8] = {}, readHistory[8];
    const int p[8] = {2, 3, 5, 7, 11, 13, 17, 19};
    for (int k = 0; k < 5; ++k) {
        advance<<<1, 32>>>();
        for (int t = 0; t < 8; ++t) history_[t] = history_[t] * 0.5 + (double)gen * p[t];
        for (int t = 0; t < 10; ++t) sq[t] += t;
        gen = gen * 6364136223846793005ull + even.seed;
    }
    TRY(cudaMemcpyFromSymbol(&readGen, generation, sizeof readGen));
    TRY(cudaMemcpyFromSymbol(readHistory, history, 4 * sizeof(double), 4 * sizeof(double)));
    unsigned readPhase;
    void *address;
    size_t size;
    TRY(cudaMemcpyFromSymbol(&readPhase, phase, sizeof readPhase));
    wrong += readGen != gen || readPhase != 50;
    for (int t = 0; t < 4; ++t) {
        double want = std::abs(history_[t + 4]), diff = std::abs(readHistory[t] - history_[t + 4]);
        wrong += !(diff <= want * 1e-15);  // the device fuses the product and the sum
    }
    printf("generation %llu phase %u history %.6e %.6e\n", readGen, readPhase, readHistory[0], readHistory[3]);
    mid = 5;
    TRY(cudaGetSymbolAddress(&address, squares));
    TRY(cudaGetSymbolSize(&size, squares));
    int *centre = (int *)address + mid;
    TRY(cudaMemcpyToSymbol(middle, &centre, sizeof centre));
    check("advanced", &top);

    Station *extra;
    TRY(cudaMalloc(&extra, sizeof(Station)));
    TRY(cudaMemcpy(extra, &more, sizeof more, cudaMemcpyHostToDevice));
    relink<<<1, 1>>>(extra);
    more.name = text + 13;
    port.next = &more;
    check("relinked", &port);
    int last;
    TRY(cudaMemcpy(&last, (int *)address + 9, sizeof last, cudaMemcpyDeviceToHost));
    wrong += size != sizeof sq || last != sq[9];
    printf("size %zu last %d\n", size, last);
    printf("RESULT: %s\n", wrong ? "FAIL" : "PASS");
    return wrong != 0;
}

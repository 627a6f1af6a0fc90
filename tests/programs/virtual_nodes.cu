// Virtual functions and templates: a signal graph whose nodes are built by placement new in device memory, with an abstract
// base, two levels of inheritance, a mix-in, virtual calls on differing classes within one warp, and value templates.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

#define TRY(call)                                                                         \
    do {                                                                                  \
        cudaError_t err = (call);                                                         \
        if (err != cudaSuccess) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err));          \
            exit(2);                                                                      \
        }                                                                                 \
    } while (0)

#define HD __host__ __device__

struct Node {
    int serial;
    HD explicit Node(int s) : serial(s) {}
    HD virtual int sample(int t) const = 0;
    HD virtual int weight() const { return 1 + serial % 3; }
    HD virtual void tune(int amount) { serial += amount; }
};
struct Counted {
    long long calls = 0;
    HD virtual long long report() const { return calls * 3; }
};
struct Saw : Node {
    int period;
    HD Saw(int s, int p) : Node(s), period(p) {}
    HD int sample(int t) const override { return t % period - period / 2; }
};
struct Square final : Saw {
    HD Square(int s, int p) : Saw(s, p) {}
    HD int sample(int t) const override { return Saw::sample(t) < 0 ? -100 : 100; }
    HD int weight() const override { return 5; }
};
template <int SHIFT, typename T>
struct Noise : Node, Counted {
    T state;
    HD Noise(int s) : Node(s), state((T)(s * 77 + 1)) {}
    HD int sample(int t) const override {
        T x = state + (T)t * (T)2654435761u;
        x ^= x >> SHIFT;
        x *= (T)0x5bd1e995u;
        return (int)(x >> (sizeof(T) * 8 - 12)) & 1023;
    }
    HD void tune(int amount) override {
        Node::tune(2 * amount);
        state += (T)amount;
        ++calls;
    }
    HD long long report() const override { return calls * 1000 + SHIFT; }
};
struct Mix : Node {
    const Node *left, *right;
    HD Mix(int s, const Node *l, const Node *r) : Node(s), left(l), right(r) {}
    HD int sample(int t) const override { return (left->sample(t) * left->weight() - right->sample(t / 2) * right->weight()) / 2; }
    HD int weight() const override { return left->weight() + right->weight(); }
};

constexpr int NODES = 24, SLOT = 64, SAMPLES = 96;

// Node i of a graph in `arena`; mixes refer to earlier nodes, so depth stays bounded by the serial.
HD Node *build(int i, unsigned char *arena) {
    void *at = arena + i * SLOT;
    auto earlier = [&](int k) { return reinterpret_cast<Node *>(arena + k * SLOT); };
    switch (i % 6) {
        case 0: return new (at) Saw(i, 7 + i);
        case 1: return new (at) Square(i, 5 + 2 * i);
        case 2: return new (at) Noise<13, uint32_t>(i);
        case 3: return new (at) Noise<29, unsigned long long>(i);
        default: return new (at) Mix(i, earlier(i - 2), earlier(i > 6 && i % 6 == 5 ? i - 6 : i / 3));
    }
}
template <int SHIFT, typename T>
HD long long ask(Node *n) {
    return static_cast<Counted *>(static_cast<Noise<SHIFT, T> *>(n))->report();
}
HD long long reportOf(int i, Node *n) { return i % 6 == 2 ? ask<13, uint32_t>(n) : i % 6 == 3 ? ask<29, unsigned long long>(n) : -1; }

__global__ void buildAll(unsigned char *arena, Node **nodes) {
    if (threadIdx.x == 0)
        for (int i = 0; i < NODES; ++i) nodes[i] = build(i, arena);
}
__global__ void tuneAll(Node **nodes, long long *report) {
    int i = threadIdx.x;
    nodes[i]->tune(i % 4);
    if (i & 1) nodes[i]->tune(1);
    __syncthreads();  // a mix asks nodes that other threads tune
    report[i] = reportOf(i, nodes[i]) * 100 + nodes[i]->weight();
}
__global__ void sampleAll(Node *const *nodes, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;  // neighbouring lanes hold different nodes
    if (t < SAMPLES * NODES) out[t] = nodes[t % NODES]->sample(t / NODES * 3);
}

template <typename T, int N, typename F>
HD T accumulate(const T (&v)[N], T start, F f) {
    for (const T &x : v) start = f(start, x);
    return start;
}
template <int... POWERS>
__global__ void polynomial(long long *out) {
    const long long coefficients[] = {POWERS...};
    long long x = (int)threadIdx.x - 5;
    out[threadIdx.x] = accumulate(coefficients, 0ll, [x](long long a, long long c) { return a * x + c; });
}

int main() {
    unsigned char *arena;
    Node **nodes;
    long long *dreport, report[NODES], *dpoly, poly[16];
    int *dout, wrong = 0;
    static int got[SAMPLES * NODES];
    TRY(cudaMalloc(&arena, NODES * SLOT));
    TRY(cudaMalloc(&nodes, NODES * sizeof(Node *)));
    TRY(cudaMalloc(&dreport, sizeof report));
    TRY(cudaMalloc(&dout, sizeof got));
    TRY(cudaMalloc(&dpoly, sizeof poly));
    buildAll<<<1, 1>>>(arena, nodes);
    sampleAll<<<(SAMPLES * NODES + 95) / 96, 96>>>(nodes, dout);
    TRY(cudaMemcpy(got, dout, sizeof got, cudaMemcpyDeviceToHost));
    alignas(16) static unsigned char local[NODES * SLOT];
    Node *mine[NODES];
    for (int i = 0; i < NODES; ++i) mine[i] = build(i, local);
    for (int pass = 0; pass < 2; ++pass) {
        unsigned h = 0;
        for (int t = 0; t < SAMPLES * NODES; ++t) {
            wrong += got[t] != mine[t % NODES]->sample(t / NODES * 3);
            h = h * 31 + (unsigned)got[t];
        }
        printf("pass %d: %08x %d %d %d\n", pass, h, got[100], got[999], got[2303]);
        if (pass) break;
        tuneAll<<<1, NODES>>>(nodes, dreport);
        sampleAll<<<(SAMPLES * NODES + 95) / 96, 96>>>(nodes, dout);
        TRY(cudaMemcpy(report, dreport, sizeof report, cudaMemcpyDeviceToHost));
        TRY(cudaMemcpy(got, dout, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < NODES; ++i) {
            mine[i]->tune(i % 4);
            if (i & 1) mine[i]->tune(1);
        }
    }
    for (int i = 0; i < NODES; ++i) {
        wrong += report[i] != reportOf(i, mine[i]) * 100 + mine[i]->weight();
        if (i % 6 == 3) printf("report %d %lld\n", i, report[i]);
    }
    polynomial<3, -2, 0, 7, 11, -13><<<1, 16>>>(dpoly);
    TRY(cudaMemcpy(poly, dpoly, sizeof poly, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; ++i) {
        long long x = i - 5;
        wrong += poly[i] != ((((3 * x - 2) * x) * x + 7) * x + 11) * x - 13;
    }
    printf("polynomial %lld %lld\nRESULT: %s\n", poly[0], poly[15], wrong ? "FAIL" : "PASS");
    return wrong != 0;
}

// Streams, events and the copies of the runtime: work ordered across streams by events, pitched memory, 2-D and asynchronous
// copies, device-to-device moves, memsets of each width, pinned and managed memory, host callbacks in order.
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

constexpr int W = 37, H = 21;  // 37 shorts a row, so that the pitch is larger than the row

__global__ void affine(int *v, int n, int mul, int add) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = (int)((unsigned)v[i] * (unsigned)mul + (unsigned)add);
}
__global__ void combine(int *out, const int *a, const int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] ^ b[n - 1 - i];
}
__global__ void blur(const unsigned char *in, size_t inPitch, unsigned char *out, size_t outPitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    auto at = [&](int c, int r) { return (int)((const short *)(in + (size_t)min(max(r, 0), H - 1) * inPitch))[min(max(c, 0), W - 1)]; };
    ((short *)(out + y * outPitch))[x] = (short)((4 * at(x, y) + at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1)) / 8);
}
__managed__ int counter = 5;
__managed__ int ledger[16];
__global__ void managed(int *list, int n) {
    int i = threadIdx.x;
    if (i < n) list[i] += ledger[i % 16] * (i + 1);
    __syncthreads();
    if (i < 16) ledger[i] = ledger[i] * 2 + i;
    if (i == 0) counter += n;
}

struct Note {
    std::vector<int> *log;
    int what;
};
static void note(void *p) {
    Note *n = (Note *)p;
    n->log->push_back(n->what);
}

int main() {
    int wrong = 0;
    // Two chains, joined twice by events. The result depends on each order that is promised.
    constexpr int N = 700;
    cudaStream_t s[3];
    cudaEvent_t ready[4];
    for (cudaStream_t &x : s) TRY(cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking));
    for (cudaEvent_t &e : ready) TRY(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    int *a, *b, *c, *pinned;
    TRY(cudaMalloc(&a, N * 4));
    TRY(cudaMalloc(&b, N * 4));
    TRY(cudaMalloc(&c, N * 4));
    TRY(cudaMallocHost(&pinned, N * 4));
    for (int i = 0; i < N; ++i) pinned[i] = i * 3 - 100;
    std::vector<int> log, ha(pinned, pinned + N), hb(ha), got(N);
    Note notes[5] = {{&log, 1}, {&log, 2}, {&log, 3}, {&log, 4}, {&log, 5}};
    TRY(cudaMemcpyAsync(a, pinned, N * 4, cudaMemcpyHostToDevice, s[0]));
    TRY(cudaLaunchHostFunc(s[0], note, &notes[0]));
    TRY(cudaEventRecord(ready[0], s[0]));
    TRY(cudaStreamWaitEvent(s[1], ready[0], 0));
    TRY(cudaMemcpyAsync(b, a, N * 4, cudaMemcpyDeviceToDevice, s[1]));
    TRY(cudaEventRecord(ready[3], s[1]));
    TRY(cudaStreamWaitEvent(s[0], ready[3], 0));  // a may change only after the copy
    for (int k = 0; k < 6; ++k) {
        affine<<<(N + 99) / 100, 100, 0, s[k & 1]>>>(k & 1 ? b : a, N, 2 * k + 3, k - 7);
        std::vector<int> &h = k & 1 ? hb : ha;
        for (int &v : h) v = (int)((unsigned)v * (unsigned)(2 * k + 3) + (unsigned)(k - 7));
    }
    TRY(cudaLaunchHostFunc(s[1], note, &notes[1]));
    TRY(cudaEventRecord(ready[1], s[1]));
    TRY(cudaStreamWaitEvent(s[0], ready[1], 0));
    TRY(cudaLaunchHostFunc(s[0], note, &notes[2]));
    TRY(cudaEventRecord(ready[2], s[0]));
    TRY(cudaStreamWaitEvent(s[2], ready[2], 0));
    combine<<<7, 128, 0, s[2]>>>(c, a, b, N);
    TRY(cudaLaunchHostFunc(s[2], note, &notes[3]));
    TRY(cudaMemcpyAsync(pinned, c, N * 4, cudaMemcpyDeviceToHost, s[2]));
    TRY(cudaLaunchHostFunc(s[2], note, &notes[4]));
    TRY(cudaStreamSynchronize(s[2]));
    TRY(cudaEventQuery(ready[2]));
    unsigned h = 0;
    for (int i = 0; i < N; ++i) {
        wrong += pinned[i] != (ha[i] ^ hb[N - 1 - i]);
        h = h * 31 + (unsigned)pinned[i];
    }
    printf("streams %08x, callbacks", h);
    for (int w : log) printf(" %d", w);
    wrong += log != std::vector<int>{1, 2, 3, 4, 5};
    printf(", wrong %d\n", wrong);

    // Pitched images: host with a row stride of its own, a window back.
    std::vector<short> image(H * 50), window(9 * 64, -1), model(H * W);
    for (int i = 0; i < H * 50; ++i) image[i] = (short)(i * 40503 >> 3);
    unsigned char *p, *q;
    size_t pp, qp;
    TRY(cudaMallocPitch((void **)&p, &pp, W * 2, H));
    TRY(cudaMallocPitch((void **)&q, &qp, W * 2, H));
    wrong += pp < W * 2 || pp % 16 != 0;
    TRY(cudaMemset2D(q, qp, 0x55, W * 2, H));
    TRY(cudaMemcpy2D(p, pp, image.data() + 6, 50 * 2, W * 2, H, cudaMemcpyHostToDevice));
    blur<<<dim3(3, 4), dim3(13, 7)>>>(p, pp, q, qp);
    blur<<<dim3(3, 2), dim3(16, 11)>>>(q, qp, p, pp);
    TRY(cudaMemcpy2DAsync(q, qp, p, pp, W * 2, 10, cudaMemcpyDeviceToDevice, 0));
    TRY(cudaMemcpy2D(window.data() + 1, 64 * 2, q + 2 * qp + 5 * 2, qp, 20 * 2, 9, cudaMemcpyDeviceToHost));
    std::vector<short> x(H * W), y(H * W);
    for (int i = 0; i < H * W; ++i) x[i] = image[i / W * 50 + i % W + 6];
    for (int pass = 0; pass < 2; ++pass, x.swap(y)) {
        auto at = [&](int col, int row) { return (int)x[std::min(std::max(row, 0), H - 1) * W + std::min(std::max(col, 0), W - 1)]; };
        for (int i = 0; i < H * W; ++i) y[i] = (short)((4 * at(i % W, i / W) + at(i % W - 1, i / W) + at(i % W + 1, i / W) + at(i % W, i / W - 1) + at(i % W, i / W + 1)) / 8);
        if (pass == 0) model = y;
    }
    h = 0;
    for (int row = 0; row < 9; ++row)
        for (int col = 0; col < 64; ++col) {
            // Rows up to the tenth hold the second pass, those after it the first.
            short w = col < 1 || col > 20 ? (short)-1 : (row + 2 < 10 ? x : model)[(row + 2) * W + col - 1 + 5];
            wrong += window[row * 64 + col] != w;
            h = h * 31 + (uint16_t)window[row * 64 + col];
        }
    printf("pitched %08x, wrong %d\n", h, wrong);

    // Memsets, moves inside one allocation, a default-direction copy.
    TRY(cudaMemset(a, 0xa5, N * 4));
    TRY(cudaMemset((char *)a + 3, 0x11, 6));
    TRY(cudaMemcpy((char *)a + 100, (char *)a + 1, 13, cudaMemcpyDeviceToDevice));
    TRY(cudaMemcpy(got.data(), a, N * 4, cudaMemcpyDefault));
    std::vector<unsigned char> bytes(N * 4, 0xa5);
    memset(&bytes[3], 0x11, 6);
    memcpy(&bytes[100], &bytes[1], 13);
    wrong += memcmp(bytes.data(), got.data(), N * 4) != 0;
    printf("memset %08x %08x %08x\n", got[0], got[25], got[27]);

    int *list;
    TRY(cudaMallocManaged(&list, 40 * 4));
    for (int i = 0; i < 40; ++i) list[i] = i;
    for (int i = 0; i < 16; ++i) ledger[i] = 100 - i;
    managed<<<1, 64>>>(list, 40);
    TRY(cudaDeviceSynchronize());
    for (int i = 0; i < 40; ++i) wrong += list[i] != i + (100 - i % 16) * (i + 1);
    for (int i = 0; i < 16; ++i) wrong += ledger[i] != 200 - i;
    wrong += counter != 45;
    printf("managed %d %d %d\n", list[39], ledger[15], counter);
    cudaPointerAttributes attributes;
    TRY(cudaPointerGetAttributes(&attributes, list));
    printf("memory type %d", (int)attributes.type);
    TRY(cudaPointerGetAttributes(&attributes, pinned));
    printf(" %d", (int)attributes.type);
    TRY(cudaPointerGetAttributes(&attributes, a));
    printf(" %d\n", (int)attributes.type);
    for (cudaStream_t x2 : s) TRY(cudaStreamDestroy(x2));
    for (cudaEvent_t e : ready) TRY(cudaEventDestroy(e));
    TRY(cudaFreeHost(pinned));
    printf("RESULT: %s\n", wrong ? "FAIL" : "PASS");
    return wrong != 0;
}

// Order of the operations of streams, made visible through data.
#include <atomic>
#include <unistd.h>
#include "kernels.cuh"

static int value(int* p) { int v = -1; CHECK(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost)); return v; }

// Stream a is held and then sets x; stream b copies x. Copies on b need no kernel, so b is free to run while a is held.
static void pair(const char* name, cudaStream_t a, cudaStream_t b, volatile int* go, int* x) {
    *go = 0;
    CHECK(cudaMemset(x, 0, 64));
    CHECK(cudaDeviceSynchronize());
    hold<<<1, 1, 0, a>>>((int*)go);
    set_value<<<1, 1, 0, a>>>(x, 1);
    CHECK(cudaMemcpyAsync(x + 1, x, 4, cudaMemcpyDeviceToDevice, b));
    usleep(20000);
    cudaError_t qa = cudaStreamQuery(a), qb = cudaStreamQuery(b), kept = cudaPeekAtLastError();
    *go = 1;
    CHECK(cudaDeviceSynchronize());
    printf("%s: a %s b %s saw %d after %s kept %d\n", name, cudaGetErrorName(qa), cudaGetErrorName(qb), value(x + 1), cudaGetErrorName(cudaStreamQuery(b)), (int)kept);
}

struct Log { std::atomic<int> n{0}; int v[32]; };
struct Entry { Log* log; int v; };
static void push(void* p) { Entry* e = (Entry*)p; e->log->v[e->log->n++] = e->v; }
static void push_status(cudaStream_t, cudaError_t status, void* p) { Entry* e = (Entry*)p; e->log->v[e->log->n++] = e->v + (int)status; }
static void call_inside(void* p) { void* m = nullptr; *(cudaError_t*)p = cudaMalloc(&m, 16); }

int main() {
    volatile int* go = nullptr;
    int* x = nullptr;
    CHECK(cudaHostAlloc((void**)&go, 4, cudaHostAllocMapped));
    CHECK(cudaMalloc(&x, 4096));
    cudaStream_t blocking, other, free_, again;
    CHECK(cudaStreamCreate(&blocking));
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaStreamCreateWithFlags(&free_, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&again, cudaStreamNonBlocking));
    pair("blocking_then_null", blocking, 0, go, x);
    pair("null_then_blocking", 0, blocking, go, x);
    pair("nonblocking_then_null", free_, 0, go, x);
    pair("null_then_nonblocking", 0, free_, go, x);
    pair("blocking_then_blocking", blocking, other, go, x);
    pair("null_then_null", 0, 0, go, x);
    pair("per_thread_then_null", cudaStreamPerThread, 0, go, x);
    pair("legacy_then_blocking", cudaStreamLegacy, blocking, go, x);

    // events: a chain over three streams, and one that is recorded twice
    cudaEvent_t e, never, start, stop;
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&never, cudaEventDisableTiming));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaMemset(x, 0, 4096));
    CHECK(cudaDeviceSynchronize());
    cudaStream_t s[3] = {free_, again, blocking};
    for (int i = 0; i < 12; i++) {
        append<<<1, 1, 0, s[i % 3]>>>(x, i);
        CHECK(cudaEventRecord(e, s[i % 3]));
        CHECK(cudaStreamWaitEvent(s[(i + 1) % 3], e, 0));
    }
    CHECK(cudaDeviceSynchronize());
    int log[16];
    CHECK(cudaMemcpy(log, x, sizeof log, cudaMemcpyDeviceToHost));
    printf("chain");
    for (int i = 0; i < 13; i++) printf(" %d", log[i]);
    printf("\n");
    *go = 0;
    hold<<<1, 1, 0, free_>>>((int*)go);
    CHECK(cudaEventRecord(e, free_));
    CHECK(cudaStreamWaitEvent(again, e, 0));
    CHECK(cudaMemsetAsync(x, 0, 4, again));
    printf("held %d never %d waiting %d\n", (int)cudaEventQuery(e), (int)cudaEventQuery(never), (int)cudaStreamQuery(again));
    *go = 1;
    printf("sync %d", (int)cudaEventSynchronize(e));
    printf(" query %d\n", (int)cudaEventQuery(e));
    float ms = -1;
    printf("unrecorded %d\n", (int)cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventRecord(start));
    usleep(3000);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("elapsed %d\n", ms >= 2.5f && ms < 5000);
    printf("no timing %d\n", (int)cudaEventElapsedTime(&ms, e, e));

    // host functions
    Log calls;
    Entry entries[6];
    for (int i = 0; i < 6; i++) {
        entries[i] = {&calls, i};
        if (i % 2) CHECK(cudaStreamAddCallback(free_, push_status, &entries[i], 0));
        else CHECK(cudaLaunchHostFunc(free_, push, &entries[i]));
    }
    cudaError_t inside = cudaSuccess;
    CHECK(cudaLaunchHostFunc(free_, call_inside, &inside));
    CHECK(cudaStreamSynchronize(free_));
    printf("calls");
    for (int i = 0; i < calls.n; i++) printf(" %d", calls.v[i]);
    printf(" inside %s\n", cudaGetErrorName(inside));

    // pageable memory may change as soon as the call returns; pinned memory is read late
    int* pinned = nullptr;
    CHECK(cudaMallocHost(&pinned, 4));
    int plain = 1;
    *pinned = 1;
    *go = 0;
    hold<<<1, 1, 0, free_>>>((int*)go);
    CHECK(cudaMemcpyAsync(x, &plain, 4, cudaMemcpyHostToDevice, free_));
    CHECK(cudaMemcpyAsync(x + 1, pinned, 4, cudaMemcpyHostToDevice, free_));
    plain = *pinned = 2;
    *go = 1;
    CHECK(cudaStreamSynchronize(free_));
    printf("pageable %d pinned %d\n", value(x), value(x + 1));

    // a destroyed stream's work goes on; its handle is refused
    *go = 0;
    hold<<<1, 1, 0, other>>>((int*)go);
    set_value<<<1, 1, 0, other>>>(x, 17);
    CHECK(cudaStreamDestroy(other));
    *go = 1;
    CHECK(cudaDeviceSynchronize());
    printf("destroyed %d again %d", value(x), (int)cudaStreamDestroy(other));
    printf(" use %d\n", (int)cudaStreamSynchronize(other));

    // attributes are kept
    cudaStreamAttrValue set = {}, got = {};
    set.syncPolicy = cudaSyncPolicyYield;
    CHECK(cudaStreamSetAttribute(free_, cudaStreamAttributeSynchronizationPolicy, &set));
    CHECK(cudaStreamCopyAttributes(again, free_));
    CHECK(cudaStreamGetAttribute(again, cudaStreamAttributeSynchronizationPolicy, &got));
    printf("policy %d bad %d\n", (int)got.syncPolicy, (int)cudaStreamGetAttribute(again, (cudaStreamAttrID)2, &got));

    // stream ordered memory
    void *m = nullptr, *k = nullptr;
    CHECK(cudaMallocAsync(&m, 4096, free_));
    CHECK(cudaMemsetAsync(m, 1, 4096, free_));
    CHECK(cudaFreeAsync(m, free_));
    CHECK(cudaMallocAsync(&k, 4096, free_));
    printf("reused %d\n", m == k);
    CHECK(cudaFreeAsync(k, free_));
    CHECK(cudaStreamSynchronize(free_));
    CHECK(cudaFree(x));
}

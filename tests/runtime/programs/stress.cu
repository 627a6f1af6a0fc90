// Eight threads call whatever they like at once: memory, copies, streams, events, launches, callbacks, graphs, symbols,
// attributes and wrong calls. Each has values of its own, which it checks. stress [ROUNDS]
#include <atomic>
#include <thread>
#include <vector>
#include "kernels.cuh"

static std::atomic<int> wrong, called;
static void expect(bool good, const char* what) {
    if (!good && wrong++ < 10) printf("wrong: %s\n", what);
}
static void count(void*) { called++; }

static void work(int thread, int rounds, cudaStream_t shared) {
    cudaStream_t own;
    cudaEvent_t event;
    CHECK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&event));
    for (int round = 0; round < rounds; round++) {
        const int value = thread * 1000 + round, size = 16 + round % 7;
        int *x = nullptr, *y = nullptr, *pinned = nullptr;
        CHECK(cudaMalloc(&x, size * sizeof(int)));
        CHECK(cudaMallocAsync(&y, size * sizeof(int), own));
        CHECK(cudaHostAlloc((void**)&pinned, size * sizeof(int), 0));
        const cudaStream_t stream = round % 3 ? own : shared;
        CHECK(cudaMemsetAsync(x, 0, size * sizeof(int), stream));
        set_value<<<1, 1, 0, stream>>>(x, value);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(event, stream));
        CHECK(cudaStreamWaitEvent(own, event, 0));
        CHECK(cudaMemcpyAsync(y, x, size * sizeof(int), cudaMemcpyDeviceToDevice, own));
        CHECK(cudaMemcpyAsync(pinned, y, size * sizeof(int), cudaMemcpyDeviceToHost, own));
        CHECK(cudaLaunchHostFunc(own, count, nullptr));
        CHECK(cudaStreamSynchronize(own));
        expect(pinned[0] == value && pinned[1] == 0, "a value through two streams");
        if (round % 4 == 0) {
            cudaGraph_t graph;
            cudaGraphExec_t ready;
            CHECK(cudaStreamBeginCapture(own, cudaStreamCaptureModeThreadLocal));
            set_value<<<1, 1, 0, own>>>(y, value + 1);
            CHECK(cudaMemcpyAsync(pinned, y, sizeof(int), cudaMemcpyDeviceToHost, own));
            CHECK(cudaStreamEndCapture(own, &graph));
            CHECK(cudaGraphInstantiate(&ready, graph, 0));
            CHECK(cudaGraphLaunch(ready, own));
            CHECK(cudaStreamSynchronize(own));
            expect(pinned[0] == value + 1, "a value by a graph");
            CHECK(cudaGraphExecDestroy(ready));
            CHECK(cudaGraphDestroy(graph));
        }
        expect(cudaFree((void*)0x10) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue &&
                   cudaGetLastError() == cudaSuccess, "an error of this thread's own");
        cudaPointerAttributes attributes;
        CHECK(cudaPointerGetAttributes(&attributes, x));
        expect(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == x, "attributes of memory");
        cudaFuncAttributes function;
        CHECK(cudaFuncGetAttributes(&function, set_value));
        CHECK(cudaFreeAsync(y, own));
        CHECK(cudaFree(x));
        CHECK(cudaFreeHost(pinned));
    }
    CHECK(cudaStreamSynchronize(own));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(own));
}

int main(int count_of_arguments, char** arguments) {
    const int threads = 8, rounds = count_of_arguments > 1 ? atoi(arguments[1]) : 50;
    cudaStream_t shared;
    CHECK(cudaStreamCreate(&shared));
    std::vector<std::thread> all;
    for (int i = 0; i < threads; i++) all.emplace_back(work, i, rounds, shared);
    for (auto& one : all) one.join();
    CHECK(cudaDeviceSynchronize());
    expect(called == threads * rounds, "callbacks");
    printf("%d threads, %d rounds, %d wrong\n", threads, rounds, wrong.load());
    return wrong != 0;
}

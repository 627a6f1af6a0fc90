// Capture, explicit nodes, updates: what graphs do to data.
#include <vector>
#include "kernels.cuh"

static void show(const char* name, int* d, int n) {
    std::vector<int> v(n);
    CHECK(cudaMemcpy(v.data(), d, n * 4, cudaMemcpyDeviceToHost));
    printf("%s", name);
    for (int x : v) printf(" %d", x);
    printf("\n");
}
static void count(void* p) { ++*(int*)p; }

int main() {
    cudaStream_t s, t;
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    int *d = nullptr, *in = nullptr, *out = nullptr, calls = 0;
    CHECK(cudaMalloc(&d, 32));
    CHECK(cudaMallocHost(&in, 32));
    CHECK(cudaMallocHost(&out, 32));
    for (int i = 0; i < 8; i++) in[i] = i, out[i] = -1;

    cudaGraph_t g;
    cudaGraphExec_t e;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(d, in, 32, cudaMemcpyHostToDevice, s));
    scale_add<<<1, 8, 0, s>>>(d, 3, 1);
    CHECK(cudaMemsetAsync(d + 4, 0, 8, s));
    CHECK(cudaLaunchHostFunc(s, count, &calls));
    CHECK(cudaMemcpyAsync(out, d, 32, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamEndCapture(s, &g));
    size_t nodes = 0, edges = 0, roots = 0;
    CHECK(cudaGraphGetNodes(g, nullptr, &nodes));
    CHECK(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &edges));
    CHECK(cudaGraphGetRootNodes(g, nullptr, &roots));
    printf("captured %zu nodes %zu edges %zu roots, ran %d\n", nodes, edges, roots, out[0] != -1 || calls);
    std::vector<cudaGraphNode_t> list(nodes);
    CHECK(cudaGraphGetNodes(g, list.data(), &nodes));
    printf("types");
    for (auto n : list) { cudaGraphNodeType type; CHECK(cudaGraphNodeGetType(n, &type)); printf(" %d", (int)type); }
    printf("\n");
    CHECK(cudaGraphInstantiate(&e, g, 0));
    CHECK(cudaGraphDestroy(g));
    for (int i = 0; i < 3; i++) { in[0] = 10 * i; CHECK(cudaGraphLaunch(e, s)); CHECK(cudaStreamSynchronize(s)); printf("out %d %d %d calls %d\n", out[0], out[1], out[4], calls); }
    CHECK(cudaGraphExecDestroy(e));

    // fork and join
    cudaEvent_t fork_, join;
    CHECK(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    CHECK(cudaMemset(d, 0, 32));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    set_value<<<1, 1, 0, s>>>(d, 4);
    CHECK(cudaEventRecord(fork_, s));
    CHECK(cudaStreamWaitEvent(t, fork_, 0));
    copy_value<<<1, 1, 0, t>>>(d, d + 1);
    scale_add<<<1, 1, 0, s>>>(d + 2, 1, 9);
    CHECK(cudaEventRecord(join, t));
    CHECK(cudaStreamWaitEvent(s, join, 0));
    copy_value<<<1, 1, 0, s>>>(d + 1, d + 3);
    CHECK(cudaStreamEndCapture(s, &g));
    CHECK(cudaGraphGetNodes(g, nullptr, &nodes));
    CHECK(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &edges));
    printf("forked %zu nodes %zu edges\n", nodes, edges);
    CHECK(cudaGraphInstantiate(&e, g, 0));
    CHECK(cudaGraphLaunch(e, s));
    CHECK(cudaStreamSynchronize(s));
    show("forked", d, 4);
    CHECK(cudaGraphExecDestroy(e));
    CHECK(cudaGraphDestroy(g));

    // explicit nodes
    cudaGraph_t more;
    CHECK(cudaGraphCreate(&more, 0));
    cudaGraphNode_t fill, kernel, copy, host;
    cudaMemsetParams ms = {};
    ms.dst = d; ms.value = 2; ms.elementSize = 4; ms.width = 8; ms.height = 1; ms.pitch = 32;
    CHECK(cudaGraphAddMemsetNode(&fill, more, nullptr, 0, &ms));
    int a = 3, b = 1, *p = d;
    void* args[] = {&p, &a, &b};
    cudaKernelNodeParams kp = {};
    kp.func = (void*)scale_add; kp.gridDim = 1; kp.blockDim = 8; kp.kernelParams = args;
    CHECK(cudaGraphAddKernelNode(&kernel, more, &fill, 1, &kp));
    a = b = 0;  // parameters are taken at the call
    CHECK(cudaGraphAddMemcpyNode1D(&copy, more, &kernel, 1, d + 4, d, 8, cudaMemcpyDeviceToDevice));
    cudaHostNodeParams hp = {count, &calls};
    CHECK(cudaGraphAddHostNode(&host, more, &copy, 1, &hp));
    CHECK(cudaGraphInstantiate(&e, more, 0));
    CHECK(cudaGraphLaunch(e, 0));
    CHECK(cudaDeviceSynchronize());
    show("explicit", d, 8);
    a = 10; b = 5;
    CHECK(cudaGraphExecKernelNodeSetParams(e, kernel, &kp));
    CHECK(cudaGraphLaunch(e, 0));
    CHECK(cudaDeviceSynchronize());
    show("exec changed", d, 8);
    CHECK(cudaGraphNodeSetEnabled(e, kernel, 0));
    CHECK(cudaGraphLaunch(e, 0));
    CHECK(cudaDeviceSynchronize());
    show("disabled", d, 8);
    cudaKernelNodeParams got = {};
    CHECK(cudaGraphKernelNodeGetParams(kernel, &got));
    printf("params grid %u block %u a %d b %d same %d\n", got.gridDim.x, got.blockDim.x, *(int*)got.kernelParams[1], *(int*)got.kernelParams[2], got.func == (void*)scale_add);
    cudaGraph_t clone;
    CHECK(cudaGraphClone(&clone, more));
    cudaGraphNode_t found, extra;
    CHECK(cudaGraphNodeFindInClone(&found, kernel, clone));
    CHECK(cudaGraphAddEmptyNode(&extra, clone, nullptr, 0));
    cudaGraphExecUpdateResultInfo info;
    printf("update %d", (int)cudaGraphExecUpdate(e, more, &info));
    printf(" topology %d", (int)cudaGraphExecUpdate(e, clone, &info));
    printf(" result %d cycle %d\n", (int)info.result, (int)cudaGraphAddDependencies(clone, &found, &found, nullptr, 1));
    printf("null %d %d %d\n", (int)cudaGraphLaunch(nullptr, 0), (int)cudaGraphDestroy(nullptr), (int)cudaGraphExecDestroy(nullptr));

    // a child graph
    cudaGraph_t outer;
    CHECK(cudaGraphCreate(&outer, 0));
    cudaGraphNode_t child, last;
    CHECK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, more));
    kp.blockDim = 1; a = 1; b = 100;
    CHECK(cudaGraphAddKernelNode(&last, outer, &child, 1, &kp));
    CHECK(cudaGraphInstantiate(&e, outer, 0));
    CHECK(cudaGraphLaunch(e, s));
    CHECK(cudaStreamSynchronize(s));
    show("child", d, 8);
    printf("calls %d\n", calls);

    // memory of the graph's own, by nodes and by capture
    cudaGraph_t owner, second;
    CHECK(cudaGraphCreate(&owner, 0));
    cudaMemAllocNodeParams ap = {};
    ap.poolProps.allocType = cudaMemAllocationTypePinned;
    ap.poolProps.location.type = cudaMemLocationTypeDevice;
    ap.bytesize = 32;
    cudaGraphNode_t alloc, release;
    CHECK(cudaGraphAddMemAllocNode(&alloc, owner, nullptr, 0, &ap));
    ms.dst = ap.dptr; ms.value = 6;
    CHECK(cudaGraphAddMemsetNode(&fill, owner, &alloc, 1, &ms));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, owner, &fill, 1, d, ap.dptr, 32, cudaMemcpyDeviceToDevice));
    CHECK(cudaGraphAddMemFreeNode(&release, owner, &copy, 1, ap.dptr));
    cudaGraphExec_t f;
    CHECK(cudaGraphInstantiate(&e, owner, 0));
    printf("second %d clone %d", (int)cudaGraphInstantiate(&f, owner, 0), (int)cudaGraphClone(&second, owner));
    CHECK(cudaGraphLaunch(e, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaGraphExecDestroy(e));
    printf(" again %d\n", (int)cudaGraphInstantiate(&f, owner, 0));
    show("own memory", d, 8);
    CHECK(cudaGraphExecDestroy(f));
    CHECK(cudaGraphDestroy(owner));
    cudaPointerAttributes where;
    CHECK(cudaPointerGetAttributes(&where, ap.dptr));
    printf("gone %d\n", where.type == cudaMemoryTypeUnregistered);
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    int* m = nullptr;
    CHECK(cudaMallocAsync(&m, 32, s));
    CHECK(cudaMemcpyAsync(m, in, 32, cudaMemcpyHostToDevice, s));
    copy_value<<<1, 1, 0, s>>>(m + 5, d);
    CHECK(cudaFreeAsync(m, s));
    CHECK(cudaStreamEndCapture(s, &g));
    CHECK(cudaGraphInstantiate(&e, g, 0));
    CHECK(cudaGraphLaunch(e, s));
    CHECK(cudaStreamSynchronize(s));
    show("captured memory", d, 1);

    // nodes by the general call, and a drawing
    cudaGraph_t general;
    CHECK(cudaGraphCreate(&general, 0));
    cudaGraphNodeParams np = {};
    np.type = cudaGraphNodeTypeMemset;
    np.memset.dst = d; np.memset.value = 3; np.memset.elementSize = 4; np.memset.width = 8; np.memset.height = 1; np.memset.pitch = 32;
    CHECK(cudaGraphAddNode(&fill, general, nullptr, nullptr, 0, &np));
    a = 2; b = 1;
    np = {};
    np.type = cudaGraphNodeTypeKernel;
    np.kernel.func = (void*)scale_add; np.kernel.gridDim = 1; np.kernel.blockDim = 8; np.kernel.kernelParams = args;
    CHECK(cudaGraphAddNode(&kernel, general, &fill, nullptr, 1, &np));
    cudaGraphInstantiateParams ip = {};
    CHECK(cudaGraphInstantiateWithParams(&e, general, &ip));
    CHECK(cudaGraphLaunch(e, s));
    CHECK(cudaStreamSynchronize(s));
    show("general", d, 8);
    // capture into an existing graph, behind one of its nodes
    CHECK(cudaStreamBeginCaptureToGraph(s, general, &kernel, nullptr, 1, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(d, 0, 4, s));
    CHECK(cudaStreamUpdateCaptureDependencies(s, &fill, nullptr, 1, cudaStreamSetCaptureDependencies));
    CHECK(cudaMemsetAsync(d + 1, 0, 4, s));
    printf("unjoined %d", (int)cudaStreamEndCapture(s, &g));
    CHECK(cudaStreamBeginCaptureToGraph(s, general, &kernel, nullptr, 1, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(d + 2, 0, 4, s));
    CHECK(cudaStreamEndCapture(s, &g));
    CHECK(cudaGraphGetNodes(general, nullptr, &nodes));
    printf(" same %d nodes %zu\n", g == general, nodes);
    CHECK(cudaGraphInstantiate(&e, general, 0));
    CHECK(cudaGraphLaunch(e, s));
    CHECK(cudaStreamSynchronize(s));
    show("captured behind", d, 4);
    CHECK(cudaGraphCreate(&second, 0));
    CHECK(cudaStreamBeginCaptureToGraph(s, second, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(d, 0, 4, s));
    CHECK(cudaGraphDestroy(second));
    printf("graph gone %d", (int)cudaMemsetAsync(d, 0, 4, s));
    printf(" end %d\n", (int)cudaStreamEndCapture(s, &g));
    np.type = cudaGraphNodeTypeConditional;
    printf("conditional %d\n", (int)cudaGraphAddNode(&kernel, general, &fill, nullptr, 1, &np));
    fflush(stdout);
    CHECK(cudaGraphDebugDotPrint(outer, "/dev/stdout", 0));
}

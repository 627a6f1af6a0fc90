// nvcc -std=c++17 -cubin -arch=sm_80 warps.cu -o warps.sm_80.cubin
// A scan by the lanes of each warp, which wait for nothing: their instructions follow one another.
extern "C" __global__ void warps(const int* in, int* out) {
    __shared__ volatile int data[256];
    const int at = 2 * threadIdx.x - (threadIdx.x & 31) + 32;
    data[at - 32] = 0;
    data[at] = in[threadIdx.x];
    for (int step = 1; step < 32; step *= 2) data[at] += data[at - step];
    out[threadIdx.x] = data[at];
}

// The same in a loop: each lane takes what the next one stored in the turn before.
extern "C" __global__ void relayed(const int* in, int* out) {
    __shared__ int data[33];
    const int turns = in[0];
    data[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x == 0) data[32] = 100;
    __syncthreads();
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
        const int next = data[threadIdx.x + 1];
        __syncwarp();
        data[threadIdx.x] = next;
        __syncwarp();
    }
    out[threadIdx.x] = data[threadIdx.x];
}

// In global memory.
extern "C" __global__ void handed(const int* in, int* out) {
    const int turns = in[0];
    out[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
        const int next = threadIdx.x < 31 ? out[threadIdx.x + 1] : 100;
        __syncwarp();
        out[threadIdx.x] = next;
        __syncwarp();
    }
}

// Without a loop: each of the loads and stores has its place among those of the other lanes.
extern "C" __global__ void twice(const int* in, int* out) {
    int* const mine = out + 1 + threadIdx.x;
    mine[0] = in[threadIdx.x];
    __syncwarp();
    const int next = mine[1];
    __syncwarp();
    mine[0] = in[0];
    __syncwarp();
    const int after = mine[1];
    __syncwarp();
    mine[-1] = 1000 * after + next;
}

// By atomics, whose results nobody reads.
extern "C" __global__ void added(const int* in, int* out) {
    __shared__ int data[33];
    data[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x == 0) data[32] = 100;
    __syncthreads();
    const int before = data[threadIdx.x + 1];
    __syncwarp();
    atomicAdd(&data[threadIdx.x], 1000);
    __syncwarp();
    out[threadIdx.x] = data[threadIdx.x + 1] - before;
}

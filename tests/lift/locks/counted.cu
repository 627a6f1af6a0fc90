// nvcc -arch=sm_120 -cubin: behind the loop that takes the lock, and before the lock is released, lanes that add to one
// place vote who they are, so that one of them adds for all.
extern "C" __global__ void counted(int* lock, volatile int* inside, int* total) {
    while (atomicCAS(lock, 0, 1)) {}
    __threadfence();
    *inside = *inside + 1;
    __threadfence();
    atomicExch(lock, 0);
    atomicAdd(total, 2);
}

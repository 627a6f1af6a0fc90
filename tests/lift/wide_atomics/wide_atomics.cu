// nvcc -std=c++17 -cubin -arch=sm_90 wide_atomics.cu -o wide_atomics.sm_90.cubin
struct alignas(16) Pair {
    unsigned long long low, high;
};

#define CAS(SPACE, CONSTRAINT)                                                                      \
    asm volatile("{ .reg .b128 old, cmp, val;\n\t"                                                  \
                 "mov.b128 cmp, {%3, %4}; mov.b128 val, {%5, %6};\n\t"                              \
                 "atom" SPACE ".cas.b128 old, [%2], cmp, val;\n\t"                                  \
                 "mov.b128 {%0, %1}, old; }"                                                        \
                 : "=l"(old.low), "=l"(old.high)                                                    \
                 : CONSTRAINT, "l"(seen.low), "l"(seen.high), "l"(next.low), "l"(next.high)         \
                 : "memory")

// Every thread adds (1, its number) to a pair that all of the grid share, named by a pointer that may be anything; and
// to one of its block's in shared memory. Tokens go from hand to hand through a third.
extern "C" __global__ void counted(Pair* cells, unsigned long long* received) {
    __shared__ Pair mine, hand;
    if (threadIdx.x == 0) mine = hand = {0, 0};
    __syncthreads();
    const unsigned long long number = blockIdx.x * blockDim.x + threadIdx.x;
    Pair seen = {0, 0}, next, old;
    for (bool done = false; !done; seen = old) {
        next = {seen.low + 1, seen.high + number};
        CAS("", "l"(&cells[0]));
        done = old.low == seen.low && old.high == seen.high;
    }
    const unsigned at = (unsigned)__cvta_generic_to_shared(&mine);
    seen = {0, 0};
    for (bool done = false; !done; seen = old) {
        next = {seen.low + 1, seen.high + number};
        CAS(".shared", "r"(at));
        done = old.low == seen.low && old.high == seen.high;
    }
    asm volatile("{ .reg .b128 old, val; mov.b128 val, {%3, %4};\n\t"
                 "atom.shared.exch.b128 old, [%2], val; mov.b128 {%0, %1}, old; }"
                 : "=l"(old.low), "=l"(old.high)
                 : "r"((unsigned)__cvta_generic_to_shared(&hand)), "l"(number + 1), "l"(~number)
                 : "memory");
    received[number] = old.low + (old.low && old.high != ~(old.low - 1) ? 1000000 : 0);
    __syncthreads();
    if (threadIdx.x == 0) {
        cells[1 + 2 * blockIdx.x] = mine;
        cells[2 + 2 * blockIdx.x] = hand;
    }
}

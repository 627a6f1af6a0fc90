// Lanes that part and must meet again: masks used from both sides of a branch, calls through pointers and of virtual functions
// that some lanes skip before barriers, votes and shuffles, and a function with a vote called from two places.
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

constexpr int LANES = 32, WARPS = 4, THREADS = LANES * WARPS;
constexpr unsigned ALL = 0xffffffffu;

// One mask, two sides -------------------------------------------------------------------------------------------------
__global__ void ballots(const int *x, unsigned *out) {
    int t = threadIdx.x;
    unsigned r;
    if (x[t] & 1)
        r = __ballot_sync(ALL, x[t] > 40) * 3;
    else
        r = __ballot_sync(ALL, x[t] > 20) + 7;
    out[t] = r;
}
__global__ void shuffles(const int *x, unsigned *out) {
    int t = threadIdx.x, r;
    switch (x[t] % 3) {
        case 0: r = __shfl_sync(ALL, x[t], (t + 1) & 31) * 3; break;
        case 1: r = __shfl_sync(ALL, x[t] + 100, (t + 3) & 31) + 7; break;
        default: r = __shfl_sync(ALL, x[t] - 100, (t * 5) & 31) ^ 1;
    }
    out[t] = r;
}
// The lower and the upper half of a warp are masks of their own, each used from two sides.
__global__ void halves(const int *x, unsigned *out) {
    int t = threadIdx.x, lane = t & 31;
    unsigned mask = lane < 16 ? 0xffffu : 0xffff0000u;
    unsigned r;
    if (x[t] & 2)
        r = __match_any_sync(mask, x[t] % 4) ^ 0x5555u;
    else
        r = __match_any_sync(mask, x[t] % 8);
    if (x[t] & 4)
        r += __any_sync(mask, x[t] == 77) ? 1000 : 2000;
    else
        r += __any_sync(mask, x[t] == 78) ? 3000 : 4000;
    out[t] = r;
}
// Lanes that have returned do not count any more.
__global__ void some_return(const int *x, unsigned *out) {
    int t = threadIdx.x;
    if (x[t] % 5 == 0) return;
    unsigned left = __activemask(), r = 0;
    for (int k = 0; k < 3; ++k) {
        if ((x[t] + k) & 1)
            r += __popc(__ballot_sync(left, 1)) << k;
        else
            r += __shfl_sync(left, x[t], __ffs(left) - 1) * (k + 2);
    }
    out[t] = r;
}
__device__ __noinline__ unsigned vote(unsigned mask, int p, int k) { return __ballot_sync(mask, p) * (2 * k + 1); }
__global__ void one_function(const int *x, unsigned *out) {
    int t = threadIdx.x;
    unsigned r = x[t] > 50 ? vote(ALL, x[t] & 1, 1) : vote(ALL, x[t] & 2, 2);
    out[t] = r + vote(ALL, x[t] & 4, 0);
}

// Calls that some lanes skip ------------------------------------------------------------------------------------------
typedef int (*Function)(int);
__device__ __noinline__ int triple(int x) { return 3 * x + 1; }
__device__ __noinline__ int digits(int x) {
    int s = 0;
    for (; x > 0; x /= 10) s += x % 10;
    return s;
}
__device__ Function functions[2] = {triple, digits};
__host__ __device__ inline int function(int which, int x) {
#ifdef __CUDA_ARCH__
    return functions[which](x);
#else
    int s = 0;
    for (int y = x; y > 0; y /= 10) s += y % 10;
    return which ? s : 3 * x + 1;
#endif
}
__global__ void pointers(const int *x, unsigned *out) {
    __shared__ int s[THREADS];
    int t = threadIdx.x, v = x[t];
    if (t % 3 == 0) v += function(v & 1, v);
    s[t] = v;
    __syncthreads();
    int w = s[(t * 7 + 1) % THREADS];
    if (t % 5 == 1) w += function(w & 1, w);
    w += __shfl_xor_sync(ALL, w, 5);
    if (t % 7 == 2) w += function(t & 1, w & 255);
    out[t] = w + __syncthreads_count(w & 1) * 1000;
}
struct Shape {
    __device__ virtual int area(int k) const = 0;
};
struct Square : Shape {
    __device__ int area(int k) const override { return k * k; }
};
struct Walk : Shape {
    __device__ int area(int k) const override {
        __syncwarp(__activemask());
        int s = 0;
        for (int i = 0; i < k % 9; ++i) s += i ^ k;
        return s;
    }
};
__global__ void methods(const int *x, unsigned *out) {
    __shared__ unsigned s[THREADS];
    Square square;
    Walk walk;
    int t = threadIdx.x;
    const Shape *shape = (t / LANES) & 1 ? (const Shape *)&square : &walk;
    unsigned r = 0;
    for (int k = 0; k < 4; ++k) {
        if ((t & 3) != k) r += shape->area(x[t] + k);  // a walk's lanes meet with those of their warp that walk too
        s[t] = r;
        __syncthreads();
        r += s[t ^ 33];
        __syncthreads();
    }
    out[t] = r;
}

// What the host makes of it -------------------------------------------------------------------------------------------
static void expect(int kernel, const int *x, unsigned *out) {
    static int s[THREADS], v[THREADS], w[THREADS];
    for (int first = 0; first < THREADS; first += LANES) {
        const int *y = x + first;
        unsigned *o = out + first;
        if (kernel == 0) {
            unsigned b = 0;
            for (int l = 0; l < LANES; ++l) b |= (unsigned)(y[l] > (y[l] & 1 ? 40 : 20)) << l;
            for (int l = 0; l < LANES; ++l) o[l] = y[l] & 1 ? b * 3 : b + 7;
        } else if (kernel == 1) {
            const int plus[] = {0, 100, -100};
            auto given = [&](int l) { return y[l & 31] + plus[y[l & 31] % 3]; };
            for (int l = 0; l < LANES; ++l)
                o[l] = y[l] % 3 == 0 ? given(l + 1) * 3 : y[l] % 3 == 1 ? given(l + 3) + 7 : given(l * 5) ^ 1;
        } else if (kernel == 2) {
            auto key = [&](int l) { return y[l] & 2 ? y[l] % 4 : y[l] % 8; };
            for (int l = 0; l < LANES; ++l) {
                unsigned same = 0, any = 0;
                for (int k = l & 16; k < (l & 16) + 16; ++k) {
                    same |= (unsigned)(key(k) == key(l)) << k;
                    any |= y[k] == (y[k] & 4 ? 77 : 78);
                }
                o[l] = (y[l] & 2 ? same ^ 0x5555u : same) + (y[l] & 4 ? (any ? 1000 : 2000) : any ? 3000 : 4000);
            }
        } else if (kernel == 3) {
            int count = 0, lowest = -1;
            for (int l = 0; l < LANES; ++l)
                if (y[l] % 5) count += 1, lowest = lowest < 0 ? l : lowest;
            for (int l = 0; l < LANES; ++l)
                for (int k = 0; k < 3 && y[l] % 5; ++k)
                    // A ballot and a shuffle do not meet: see `main`, which gives all lanes that are left one parity.
                    o[l] += (y[l] + k) & 1 ? (unsigned)count << k : y[lowest] * (k + 2);
        } else if (kernel == 4) {
            unsigned b = 0, c = 0;
            for (int l = 0; l < LANES; ++l) {
                b |= (unsigned)((y[l] & (y[l] > 50 ? 1 : 2)) != 0) << l;
                c |= (unsigned)((y[l] & 4) != 0) << l;
            }
            for (int l = 0; l < LANES; ++l) o[l] = b * (y[l] > 50 ? 3 : 5) + c;
        }
    }
    if (kernel == 5) {
        int odd = 0;
        for (int t = 0; t < THREADS; ++t) s[t] = x[t] + (t % 3 == 0 ? function(x[t] & 1, x[t]) : 0);
        for (int t = 0; t < THREADS; ++t) {
            v[t] = s[(t * 7 + 1) % THREADS];
            if (t % 5 == 1) v[t] += function(v[t] & 1, v[t]);
        }
        for (int t = 0; t < THREADS; ++t) {
            w[t] = v[t] + v[t ^ 5];
            if (t % 7 == 2) w[t] += function(t & 1, w[t] & 255);
            odd += w[t] & 1;
        }
        for (int t = 0; t < THREADS; ++t) out[t] = w[t] + odd * 1000;
    } else if (kernel == 6) {
        static unsigned r[THREADS], old[THREADS];
        memset(r, 0, sizeof r);
        for (int k = 0; k < 4; ++k) {
            for (int t = 0; t < THREADS; ++t) {
                int n = x[t] + k, walked = 0;
                for (int i = 0; i < n % 9; ++i) walked += i ^ n;
                if ((t & 3) != k) r[t] += (t / LANES) & 1 ? n * n : walked;
            }
            memcpy(old, r, sizeof r);
            for (int t = 0; t < THREADS; ++t) r[t] += old[t ^ 33];
        }
        memcpy(out, r, sizeof r);
    }
}

int main() {
    typedef void (*Kernel)(const int *, unsigned *);
    const Kernel kernels[] = {ballots, shuffles, halves, some_return, one_function, pointers, methods};
    const char *names[] = {"ballots", "shuffles", "halves", "some_return", "one_function", "pointers", "methods"};
    int *dx, x[THREADS], wrong = 0;
    unsigned *dout, out[THREADS], expected[THREADS];
    TRY(cudaMalloc(&dx, sizeof x));
    TRY(cudaMalloc(&dout, sizeof out));
    for (int kernel = 0; kernel < 7; ++kernel) {
        unsigned sum = 0;
        for (int seed = 0; seed < 3; ++seed) {
            unsigned state = 12345u * (seed + 1);
            for (int t = 0; t < THREADS; ++t) {
                state = state * 1664525u + 1013904223u;
                x[t] = (state >> 16) % 100;
                if (kernel == 3) x[t] = x[t] / 2 * 2 + (t / LANES & 1);
            }
            memset(expected, 0, sizeof expected);
            expect(kernel, x, expected);
            TRY(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
            TRY(cudaMemset(dout, 0, sizeof out));
            kernels[kernel]<<<1, THREADS>>>(dx, dout);
            TRY(cudaGetLastError());
            TRY(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
            for (int t = 0; t < THREADS; ++t) {
                if (out[t] != expected[t] && wrong++ < 10) printf("%s: thread %d: %u, not %u\n", names[kernel], t, out[t], expected[t]);
                sum = sum * 31 + out[t];
            }
        }
        printf("%s %08x\n", names[kernel], sum);
    }
    printf(wrong ? "RESULT: FAIL %d\n" : "RESULT: PASS\n", wrong);
    return wrong != 0;
}

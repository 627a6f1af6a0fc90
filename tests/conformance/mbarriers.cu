// Single operations on an mbarrier object by lanes of a warp: what they return, and the word before and behind them.
// Built by: nvcc -arch=sm_90 -cubin (and sm_120; sm_80, which lacks some).
// in: expected arrivals, operand, mask of lanes, transactions expected before, arrivals before, transactions completed behind.
// out: for each lane what it was given, then the object's word, which it only holds in memory when it is no object any more.
using u64 = unsigned long long;
using u32 = unsigned;
#define KERNEL(name) extern "C" __global__ void name(const u32 *in, u32 *out)
__device__ inline u32 at(const void *p) { return (u32)__cvta_generic_to_shared(p); }

__device__ inline void begin(u64 *b, const u32 *in) {
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at(b)), "r"(in[0]) : "memory");
#if __CUDA_ARCH__ >= 900
        if (in[3]) asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" :: "r"(at(b)), "r"(in[3]) : "memory");
#endif
        for (u32 k = 0; k < in[4]; ++k) {
            u64 s;
            asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s) : "r"(at(b)) : "memory");
        }
    }
    __syncthreads();
}
__device__ inline void end(u64 *b, const u32 *in, u32 *out) {
    __syncthreads();
    if (threadIdx.x == 0) {
#if __CUDA_ARCH__ >= 900
        if (in[5]) asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" :: "r"(at(b)), "r"(in[5]) : "memory");
#endif
        asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(at(b)) : "memory");
        const u64 w = *(volatile u64 *)b;
        out[32] = (u32)w, out[33] = (u32)(w >> 32);
    }
}
// The low word of a state is whatever was in the register.
__device__ inline void give(u32 *out, u64 s) { out[threadIdx.x] = (u32)(s >> 32); }
__device__ inline void give(u32 *out, u32 v) { out[threadIdx.x] = v; }

#define STATE(name, text)                                                                                                  \
    KERNEL(name) {                                                                                                         \
        __shared__ u64 b;                                                                                                  \
        begin(&b, in);                                                                                                     \
        if (in[2] >> threadIdx.x & 1) {                                                                                    \
            u64 s;                                                                                                         \
            asm volatile(text : "=l"(s) : "r"(at(&b)), "r"(in[1]) : "memory");                                             \
            give(out, s);                                                                                                  \
        }                                                                                                                  \
        end(&b, in, out);                                                                                                  \
    }
#define NO_STATE(name, text)                                                                                               \
    KERNEL(name) {                                                                                                         \
        __shared__ u64 b;                                                                                                  \
        begin(&b, in);                                                                                                     \
        if (in[2] >> threadIdx.x & 1) asm volatile(text :: "r"(at(&b)), "r"(in[1]) : "memory");                            \
        end(&b, in, out);                                                                                                  \
    }
#define ASKED(name, text)                                                                                                  \
    KERNEL(name) {                                                                                                         \
        __shared__ u64 b;                                                                                                  \
        begin(&b, in);                                                                                                     \
        if (in[2] >> threadIdx.x & 1) {                                                                                    \
            u64 s;                                                                                                         \
            u32 p;                                                                                                         \
            asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s) : "r"(at(&b)) : "memory");                       \
            asm volatile("{.reg .pred p; " text " selp.u32 %0, 1, 0, p;}" : "=r"(p) : "r"(at(&b)), "l"(s), "r"(in[1]) : "memory"); \
            give(out, p);                                                                                                  \
        }                                                                                                                  \
        end(&b, in, out);                                                                                                  \
    }

STATE(arrive, "mbarrier.arrive.shared.b64 %0, [%1];")
STATE(arrive_drop, "mbarrier.arrive_drop.shared.b64 %0, [%1];")
STATE(arrive_quietly, "mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;")
STATE(arrive_drop_quietly, "mbarrier.arrive_drop.noComplete.shared.b64 %0, [%1], %2;")
ASKED(test_wait, "mbarrier.test_wait.shared.b64 p, [%1], %2;")

KERNEL(pending_count) {
    __shared__ u64 b;
    begin(&b, in);
    if (in[2] >> threadIdx.x & 1) {
        u64 s;
        u32 count;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s) : "r"(at(&b)) : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(s));
        give(out, count);
    }
    end(&b, in, out);
}
#define COPIED(name, text)                                                                                                 \
    KERNEL(name) {                                                                                                         \
        __shared__ u64 b;                                                                                                  \
        __shared__ u32 v[32];                                                                                              \
        begin(&b, in);                                                                                                     \
        if (in[2] >> threadIdx.x & 1) {                                                                                    \
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at(v + threadIdx.x)), "l"(in + threadIdx.x % 6) : "memory"); \
            asm volatile(text :: "r"(at(&b)) : "memory");                                                                  \
            asm volatile("cp.async.wait_all;" ::: "memory");                                                               \
            give(out, v[threadIdx.x]);                                                                                     \
        }                                                                                                                  \
        __nanosleep(20000);                                                                                                \
        end(&b, in, out);                                                                                                  \
    }
COPIED(copy_arrive, "cp.async.mbarrier.arrive.shared.b64 [%0];")
COPIED(copy_arrive_noinc, "cp.async.mbarrier.arrive.noinc.shared.b64 [%0];")

// By a pointer that could be global.
KERNEL(generic) {
    __shared__ u64 b;
    begin(&b, in);
    u64 *p = in[1] == 12345 ? (u64 *)out : &b;
    if (in[2] >> threadIdx.x & 1) {
        u64 s;
        asm volatile("mbarrier.arrive.b64 %0, [%1];" : "=l"(s) : "l"(p) : "memory");
        give(out, s);
    }
    end(&b, in, out);
}

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
STATE(arrive_count, "mbarrier.arrive.shared.b64 %0, [%1], %2;")
STATE(arrive_drop_count, "mbarrier.arrive_drop.shared.b64 %0, [%1], %2;")
STATE(arrive_expect, "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;")
STATE(arrive_drop_expect, "mbarrier.arrive_drop.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;")
NO_STATE(arrive_only, "mbarrier.arrive.shared::cta.b64 _, [%0];")
NO_STATE(arrive_count_only, "mbarrier.arrive.shared::cluster.b64 _, [%0], %1;")
NO_STATE(arrive_drop_only, "mbarrier.arrive_drop.shared::cta.b64 _, [%0];")
NO_STATE(arrive_drop_count_only, "mbarrier.arrive_drop.shared::cluster.b64 _, [%0], %1;")
NO_STATE(arrive_expect_only, "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;")
NO_STATE(expect, "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;")
NO_STATE(complete, "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;")
ASKED(test_parity, "mbarrier.test_wait.parity.shared.b64 p, [%1], %3;")
ASKED(try_wait, "mbarrier.try_wait.shared.b64 p, [%1], %2;")
ASKED(try_wait_long, "mbarrier.try_wait.shared.b64 p, [%1], %2, %3;")
ASKED(try_parity, "mbarrier.try_wait.parity.shared.b64 p, [%1], %3;")
ASKED(try_parity_long, "mbarrier.try_wait.parity.shared.b64 p, [%1], %3, %3;")
#endif

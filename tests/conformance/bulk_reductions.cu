// Reductions in bulk from shared to global memory, one for each operation and type. Built by: nvcc -arch=sm_90 -cubin.
// in: 64 words that are added and so on, 64 words that are in memory before. out: 64 words.
using u32 = unsigned;
#define KERNEL(name) extern "C" __global__ void name(const u32 *in, u32 *out)
__device__ inline u32 at(const void *p) { return (u32)__cvta_generic_to_shared(p); }

#define REDUCTION(name, what)                                                                                              \
    KERNEL(name) {                                                                                                         \
        __shared__ alignas(128) u32 a[64];                                                                                 \
        for (u32 k = threadIdx.x; k < 64; k += 32) a[k] = in[k], out[k] = in[64 + k];                                      \
        __threadfence();                                                                                                   \
        asm volatile("fence.proxy.async;" ::: "memory");                                                                   \
        __syncwarp();                                                                                                      \
        if (threadIdx.x == 0) {                                                                                            \
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." what " [%0], [%1], 256;" ::"l"(out), "r"(at(a)) : "memory"); \
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");                                                      \
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");                                                      \
        }                                                                                                                  \
    }
REDUCTION(add_u32, "add.u32")
REDUCTION(add_s32, "add.s32")
REDUCTION(add_u64, "add.u64")
REDUCTION(add_f32, "add.f32")
REDUCTION(add_f64, "add.f64")
REDUCTION(add_f16, "add.noftz.f16")
REDUCTION(add_bf16, "add.noftz.bf16")
REDUCTION(min_u32, "min.u32")
REDUCTION(max_s32, "max.s32")
REDUCTION(min_u64, "min.u64")
REDUCTION(max_s64, "max.s64")
REDUCTION(min_f16, "min.f16")
REDUCTION(max_f16, "max.f16")
REDUCTION(min_bf16, "min.bf16")
REDUCTION(max_bf16, "max.bf16")
REDUCTION(inc_u32, "inc.u32")
REDUCTION(dec_u32, "dec.u32")
REDUCTION(and_b32, "and.b32")
REDUCTION(or_b32, "or.b32")
REDUCTION(xor_b32, "xor.b32")
REDUCTION(and_b64, "and.b64")
REDUCTION(or_b64, "or.b64")
REDUCTION(xor_b64, "xor.b64")

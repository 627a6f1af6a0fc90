// Collective operations by lanes that name different masks, or that stand on different sides of a branch (`split...`).
// `where` chooses the lanes that call, or the side. Built by: nvcc -arch=sm_80 -cubin (and sm_90).
#define KERNEL(name) extern "C" __global__ void name(const unsigned *mask, const unsigned *where, const unsigned *value, unsigned *out)

KERNEL(vote) {
    int l = threadIdx.x; unsigned m = mask[l], p = value[l];
    if (where[l]) out[l] = __ballot_sync(m, p);
}
KERNEL(shfl) {
    int l = threadIdx.x; unsigned m = mask[l], p = value[l];
    if (where[l]) out[l] = __shfl_sync(m, p, l ^ 1);
}
KERNEL(redux) {
    int l = threadIdx.x; unsigned m = mask[l], p = value[l];
    if (where[l]) out[l] = __reduce_add_sync(m, p);
}
KERNEL(matchany) {
    int l = threadIdx.x; unsigned m = mask[l], p = value[l];
    if (where[l]) out[l] = __match_any_sync(m, p);
}
KERNEL(matchall) {
    int l = threadIdx.x; unsigned m = mask[l], p = value[l]; int q;
    if (where[l]) { unsigned r = __match_all_sync(m, p, &q); out[l] = r + q * 0x10000000; }
}
KERNEL(voteall) {
    int l = threadIdx.x; unsigned m = mask[l], p = value[l];
    if (where[l]) out[l] = __all_sync(m, p) + 2 * __any_sync(m, p) + 4 * __uni_sync(m, p);
}
// The same collective in two branches: lanes named elsewhere.
KERNEL(split) {
    int l = threadIdx.x; unsigned m = mask[l], p = value[l];
    if (where[l]) { out[l] = __ballot_sync(m, p) * 3; } else { out[l] = __ballot_sync(m, p) + value[l ^ 3]; }
}
KERNEL(splitshfl) {
    int l = threadIdx.x; unsigned m = mask[l], p = value[l];
    if (where[l]) { out[l] = __shfl_sync(m, p, l ^ 1) * 3; } else { out[l] = __shfl_sync(m, p, l ^ 1) + value[l ^ 3]; }
}
KERNEL(splitredux) {
    int l = threadIdx.x; unsigned m = mask[l], p = value[l];
    if (where[l]) { out[l] = __reduce_add_sync(m, p) * 3; } else { out[l] = __reduce_add_sync(m, p) + value[l ^ 3]; }
}
KERNEL(syncorder) {
    __shared__ unsigned s[32];
    int l = threadIdx.x; unsigned m = mask[l], p = value[l]; s[l] = 0; __syncwarp();
    if (where[l]) { s[l] = p; __syncwarp(m); out[l] = s[l ^ 1]; } else { s[l] = p + 7; __syncwarp(m); out[l] = s[l ^ 1] + value[l ^ 3]; }
}

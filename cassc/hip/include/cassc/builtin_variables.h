// threadIdx, blockIdx, blockDim, gridDim and warpSize.
#ifndef CASSC_BUILTIN_VARIABLES_H
#define CASSC_BUILTIN_VARIABLES_H

namespace cassc {
#ifdef __CUDA_ARCH__
#define CASSC_INDEX(name, get_x, get_y, get_z, converts)                                       \
  struct name {                                                                                \
    __declspec(property(get = read_x)) unsigned x;                                             \
    __declspec(property(get = read_y)) unsigned y;                                             \
    __declspec(property(get = read_z)) unsigned z;                                             \
    static CASSC_FN unsigned read_x() { return get_x; }                                        \
    static CASSC_FN unsigned read_y() { return get_y; }                                        \
    static CASSC_FN unsigned read_z() { return get_z; }                                        \
    CASSC_FN operator dim3() const { return dim3(read_x(), read_y(), read_z()); }              \
    CASSC_FN operator uint3() const { return uint3{read_x(), read_y(), read_z()}; }            \
  };
// Code object version 5: the hidden arguments begin with the numbers of workgroups (LLVM, "User Guide for AMDGPU Backend").
CASSC_FN unsigned block_count(int dimension) {
  return ((const __attribute__((address_space(4))) unsigned*)__builtin_amdgcn_implicitarg_ptr())[dimension];
}
CASSC_INDEX(ThreadIndex, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
            __builtin_amdgcn_workitem_id_z(), uint3)
CASSC_INDEX(BlockIndex, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
            __builtin_amdgcn_workgroup_id_z(), uint3)
CASSC_INDEX(BlockSize, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(),
            __builtin_amdgcn_workgroup_size_z(), dim3)
CASSC_INDEX(GridSize, block_count(0), block_count(1), block_count(2), dim3)
#undef CASSC_INDEX
#else
typedef uint3 ThreadIndex;
typedef uint3 BlockIndex;
typedef dim3 BlockSize;
typedef dim3 GridSize;
#endif
}  // namespace cassc

extern const __device__ __attribute__((weak)) cassc::ThreadIndex threadIdx;
extern const __device__ __attribute__((weak)) cassc::BlockIndex blockIdx;
extern const __device__ __attribute__((weak)) cassc::BlockSize blockDim;
extern const __device__ __attribute__((weak)) cassc::GridSize gridDim;
__device__ constexpr int warpSize = 32;

namespace cassc {
CASSC_FN unsigned lane() CASSC_BODY(return __builtin_amdgcn_mbcnt_lo(~0u, 0);)
CASSC_FN unsigned thread_rank() CASSC_BODY(
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;)
CASSC_FN unsigned block_threads() CASSC_BODY(return blockDim.x * blockDim.y * blockDim.z;)
CASSC_FN unsigned block_rank() CASSC_BODY(
    return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;)
CASSC_FN unsigned grid_blocks() CASSC_BODY(return gridDim.x * gridDim.y * gridDim.z;)
}  // namespace cassc
#endif

; Variables alone, as a module of __device__ data gives.
target triple = "amdgcn-amd-amdhsa"
@weights = protected addrspace(4) externally_initialized global [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0]
@state = protected addrspace(1) externally_initialized global i64 zeroinitializer

; One kernel, nothing else.
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @store(ptr addrspace(1) %p) {
  store i32 1, ptr addrspace(1) %p
  ret void
}

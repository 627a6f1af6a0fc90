; A private array indexed by a run-time value.
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @local(ptr addrspace(1) %p, i32 %i) {
  %array = alloca [32 x i32], align 4, addrspace(5)
  %a = getelementptr i32, ptr addrspace(5) %array, i32 %i
  store volatile i32 %i, ptr addrspace(5) %a
  %j = xor i32 %i, 1
  %b = getelementptr i32, ptr addrspace(5) %array, i32 %j
  %v = load volatile i32, ptr addrspace(5) %b
  store i32 %v, ptr addrspace(1) %p
  ret void
}

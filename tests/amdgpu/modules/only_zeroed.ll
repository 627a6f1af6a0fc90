; Zeroed data without initialised data before it.
target triple = "amdgcn-amd-amdhsa"
@big = protected addrspace(1) global [10000 x i32] zeroinitializer, align 256
define amdgpu_kernel void @clear(i32 %i) {
  %a = getelementptr i32, ptr addrspace(1) @big, i32 %i
  store i32 5, ptr addrspace(1) %a
  ret void
}

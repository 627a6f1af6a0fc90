; Names as the CUDA compiler mangles them.
target triple = "amdgcn-amd-amdhsa"
@_ZN5outer5inner9variable_0E = protected addrspace(1) externally_initialized global [1 x i32] zeroinitializer
define amdgpu_kernel void @_Z20templated_kernel_00IfLi0EEvPT_iNS_6StructE(ptr addrspace(1) %p, i32 %n, i64 %s) {
  %a = getelementptr i32, ptr addrspace(1) @_ZN5outer5inner9variable_0E, i32 %n
  %v = load i32, ptr addrspace(1) %a
  store i32 %v, ptr addrspace(1) %p
  ret void
}
@_ZN5outer5inner9variable_1E = protected addrspace(1) externally_initialized global [2 x i32] zeroinitializer
define amdgpu_kernel void @_Z21templated_kernel_01IfLi1EEvPT_iNS_6StructE(ptr addrspace(1) %p, i32 %n, i64 %s) {
  %a = getelementptr i32, ptr addrspace(1) @_ZN5outer5inner9variable_1E, i32 %n
  %v = load i32, ptr addrspace(1) %a
  store i32 %v, ptr addrspace(1) %p
  ret void
}
@_ZN5outer5inner9variable_2E = protected addrspace(1) externally_initialized global [3 x i32] zeroinitializer
define amdgpu_kernel void @_Z22templated_kernel_02IfLi2EEvPT_iNS_6StructE(ptr addrspace(1) %p, i32 %n, i64 %s) {
  %a = getelementptr i32, ptr addrspace(1) @_ZN5outer5inner9variable_2E, i32 %n
  %v = load i32, ptr addrspace(1) %a
  store i32 %v, ptr addrspace(1) %p
  ret void
}

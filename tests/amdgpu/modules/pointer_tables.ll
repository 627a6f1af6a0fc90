; Pointers in data: writable, constant, and with an offset.
target triple = "amdgcn-amd-amdhsa"
@first = protected addrspace(1) global i32 1
@second = protected addrspace(1) global [4 x i32] zeroinitializer
@writable = protected addrspace(1) global [2 x ptr addrspace(1)] [ptr addrspace(1) @first, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @second, i64 8)]
@readable = protected addrspace(4) constant [2 x ptr addrspace(1)] [ptr addrspace(1) @second, ptr addrspace(1) @first]
define amdgpu_kernel void @chase(i32 %i) {
  %a = getelementptr ptr addrspace(1), ptr addrspace(1) @writable, i32 %i
  %p = load ptr addrspace(1), ptr addrspace(1) %a
  store i32 9, ptr addrspace(1) %p
  %b = getelementptr ptr addrspace(1), ptr addrspace(4) @readable, i32 %i
  %q = load ptr addrspace(1), ptr addrspace(4) %b
  store i32 8, ptr addrspace(1) %q
  ret void
}

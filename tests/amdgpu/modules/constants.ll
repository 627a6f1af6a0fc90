; Read-only data, indexed by a run-time value so that it stays in memory.
target triple = "amdgcn-amd-amdhsa"
@table = internal addrspace(4) constant [8 x i32] [i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6], align 16
@text = protected addrspace(4) constant [6 x i8] c"hello\00"
define amdgpu_kernel void @lookup(ptr addrspace(1) %p, i32 %i) {
  %a = getelementptr i32, ptr addrspace(4) @table, i32 %i
  %v = load i32, ptr addrspace(4) %a
  %c = getelementptr i8, ptr addrspace(4) @text, i32 %i
  %w = load i8, ptr addrspace(4) %c
  %x = zext i8 %w to i32
  %y = add i32 %v, %x
  store i32 %y, ptr addrspace(1) %p
  ret void
}

; Initialised and zeroed variables, exported and internal.
target triple = "amdgcn-amd-amdhsa"
@counter = protected addrspace(1) externally_initialized global i32 7
@zeros = protected addrspace(1) externally_initialized global [16 x float] zeroinitializer, align 64
@hidden = internal addrspace(1) global i64 42
@scratchpad = internal addrspace(1) global [3 x i32] zeroinitializer
define amdgpu_kernel void @update(i32 %i) {
  %old = atomicrmw add ptr addrspace(1) @counter, i32 %i monotonic
  %z = getelementptr float, ptr addrspace(1) @zeros, i32 %i
  store float 1.0, ptr addrspace(1) %z
  %h = load i64, ptr addrspace(1) @hidden
  %n = add i64 %h, 1
  store i64 %n, ptr addrspace(1) @hidden
  %s = getelementptr i32, ptr addrspace(1) @scratchpad, i32 %i
  store i32 %old, ptr addrspace(1) %s
  ret void
}

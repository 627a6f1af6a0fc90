; Calls between functions that stay functions.
target triple = "amdgcn-amd-amdhsa"
define internal i32 @twice(i32 %x) noinline {
  %r = mul i32 %x, 2
  ret i32 %r
}
define internal i32 @thrice(i32 %x) noinline {
  %d = call i32 @twice(i32 %x)
  %r = add i32 %d, %x
  ret i32 %r
}
define amdgpu_kernel void @caller(ptr addrspace(1) %p, i32 %n) {
  %a = call i32 @thrice(i32 %n)
  %b = call i32 @twice(i32 %a)
  store i32 %b, ptr addrspace(1) %p
  ret void
}

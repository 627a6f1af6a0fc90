; A recursive function: a dynamic stack.
target triple = "amdgcn-amd-amdhsa"
define internal i32 @fibonacci(i32 %n) noinline {
  %small = icmp slt i32 %n, 2
  br i1 %small, label %done, label %more
done:
  ret i32 %n
more:
  %n1 = sub i32 %n, 1
  %a = call i32 @fibonacci(i32 %n1)
  %n2 = sub i32 %n, 2
  %b = call i32 @fibonacci(i32 %n2)
  %r = add i32 %a, %b
  ret i32 %r
}
define amdgpu_kernel void @recurse(ptr addrspace(1) %p) {
  %n = load i32, ptr addrspace(1) %p
  %r = call i32 @fibonacci(i32 %n)
  store i32 %r, ptr addrspace(1) %p
  ret void
}

target triple = "amdgcn-amd-amdhsa"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
@counter = protected addrspace(1) externally_initialized global i32 7
@zeros = protected addrspace(1) externally_initialized global [16 x float] zeroinitializer, align 16
@coef = protected addrspace(4) externally_initialized global [4 x float] zeroinitializer
@table = protected addrspace(1) global [2 x ptr addrspace(1)] [ptr addrspace(1) @counter, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @zeros, i64 8)]
@ctable = protected addrspace(4) constant [2 x ptr addrspace(1)] [ptr addrspace(1) @counter, ptr addrspace(1) @zeros]
@msg = internal addrspace(4) constant [6 x i8] c"hello\00"
@lds = internal addrspace(3) global [64 x float] undef
define internal i32 @helper(i32 %x) noinline { %r = mul i32 %x, 13
 %s = xor i32 %r, 55
 ret i32 %s }
define amdgpu_kernel void @k(i32 %n, ptr addrspace(1) %p) #0 {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp slt i32 %id, %n
  br i1 %c, label %a, label %b
a:
  %v = call i32 @helper(i32 %id)
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %id
  %l = load i32, ptr addrspace(1) @counter
  %w = add i32 %l, %v
  store i32 %w, ptr addrspace(1) %q
  %tt = getelementptr ptr addrspace(1), ptr addrspace(4) @ctable, i32 %id
  %z = load ptr addrspace(1), ptr addrspace(4) %tt
  store i32 %w, ptr addrspace(1) %z
  %m = getelementptr i8, ptr addrspace(4) @msg, i32 %id
  %mm = load i8, ptr addrspace(4) %m
  store i8 %mm, ptr addrspace(1) %p
  br label %b
b:
  %tg = getelementptr ptr addrspace(1), ptr addrspace(1) @table, i32 %id
  %tv = load ptr addrspace(1), ptr addrspace(1) %tg
  store i32 1, ptr addrspace(1) %tv
  %cf = getelementptr float, ptr addrspace(4) @coef, i32 %id
  %cv = load float, ptr addrspace(4) %cf
  %zp = getelementptr float, ptr addrspace(1) @zeros, i32 %id
  store float %cv, ptr addrspace(1) %zp
  ret void
}
define amdgpu_kernel void @k2(ptr addrspace(1) %p) { store i32 1, ptr addrspace(1) %p
 ret void }
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "amdgpu-flat-work-group-size"="1,256" }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}

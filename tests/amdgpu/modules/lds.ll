; Static and dynamic LDS, with a barrier.
target triple = "amdgcn-amd-amdhsa"
@tile = internal addrspace(3) global [64 x float] poison, align 16
@dynamic = external addrspace(3) global [0 x float], align 16
define amdgpu_kernel void @reverse(ptr addrspace(1) %p) "amdgpu-flat-work-group-size"="1,64" {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr float, ptr addrspace(1) %p, i32 %i
  %v = load float, ptr addrspace(1) %a
  %t = getelementptr float, ptr addrspace(3) @tile, i32 %i
  store float %v, ptr addrspace(3) %t
  %d = getelementptr float, ptr addrspace(3) @dynamic, i32 %i
  store float %v, ptr addrspace(3) %d
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %j = sub i32 63, %i
  %u = getelementptr float, ptr addrspace(3) @tile, i32 %j
  %w = load float, ptr addrspace(3) %u
  store float %w, ptr addrspace(1) %a
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()

; Launch dimensions through the implicit arguments.
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @dims(ptr addrspace(1) %p) {
  %h = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %grid = load i32, ptr addrspace(4) %h
  %q = getelementptr i8, ptr addrspace(4) %h, i64 12
  %block = load i16, ptr addrspace(4) %q
  %b = zext i16 %block to i32
  %i = call i32 @llvm.amdgcn.workgroup.id.x()
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %m = mul i32 %i, %b
  %g = add i32 %m, %t
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %g
  store i32 %grid, ptr addrspace(1) %a
  ret void
}
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()

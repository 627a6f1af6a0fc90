; void __assertfail(message, file, line, function): the first thread to fail leaves its place, then all stop.
@__cassc_assert = protected addrspace(1) externally_initialized global [8 x i64] zeroinitializer, align 16

define internal void @__cassc_assertfail(i64 %message, i64 %file, i32 %line, i64 %function) alwaysinline nounwind {
entry:
  %both = cmpxchg ptr addrspace(1) @__cassc_assert, i32 0, i32 1 syncscope("agent") monotonic monotonic, align 16
  %first = extractvalue { i32, i1 } %both, 1
  br i1 %first, label %report, label %stop
report:
  store i32 %line, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @__cassc_assert, i64 4), align 4
  store i64 %message, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @__cassc_assert, i64 8), align 8
  store i64 %file, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @__cassc_assert, i64 16), align 8
  store i64 %function, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @__cassc_assert, i64 24), align 8
  %bx = call i32 @llvm.amdgcn.workgroup.id.x()
  %by = call i32 @llvm.amdgcn.workgroup.id.y()
  %bz = call i32 @llvm.amdgcn.workgroup.id.z()
  %tx = call i32 @llvm.amdgcn.workitem.id.x()
  %ty = call i32 @llvm.amdgcn.workitem.id.y()
  %tz = call i32 @llvm.amdgcn.workitem.id.z()
  store i32 %bx, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @__cassc_assert, i64 32), align 4
  store i32 %by, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @__cassc_assert, i64 36), align 4
  store i32 %bz, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @__cassc_assert, i64 40), align 4
  store i32 %tx, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @__cassc_assert, i64 44), align 4
  store i32 %ty, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @__cassc_assert, i64 48), align 4
  store i32 %tz, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @__cassc_assert, i64 52), align 4
  br label %stop
stop:
  fence syncscope("agent") seq_cst
  call void @llvm.trap()
  ret void
}

declare void @llvm.trap()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workitem.id.z()

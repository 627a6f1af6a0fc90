define protected amdgpu_kernel void @"saxpy"(ptr addrspace(4) byref([4 x i8]) align 8 %a0, ptr addrspace(4) byref([4 x i8]) align 4 %a1, ptr addrspace(4) byref([8 x i8]) align 8 %a2, ptr addrspace(4) byref([8 x i8]) align 8 %a3) #attributes {
entry:
  %p0 = alloca i1, addrspace(5)
  store i1 false, ptr addrspace(5) %p0
  %r0 = alloca i32, addrspace(5)
  store i32 0, ptr addrspace(5) %r0
  %r1 = alloca i32, addrspace(5)
  store i32 0, ptr addrspace(5) %r1
  %r2 = alloca i32, addrspace(5)
  store i32 0, ptr addrspace(5) %r2
  %r3 = alloca i32, addrspace(5)
  store i32 0, ptr addrspace(5) %r3
  %r4 = alloca i32, addrspace(5)
  store i32 0, ptr addrspace(5) %r4
  %r5 = alloca i32, addrspace(5)
  store i32 0, ptr addrspace(5) %r5
  %r7 = alloca i32, addrspace(5)
  store i32 0, ptr addrspace(5) %r7
  %u4 = alloca i32, addrspace(5)
  store i32 0, ptr addrspace(5) %u4
  %u5 = alloca i32, addrspace(5)
  store i32 0, ptr addrspace(5) %u5
  %u6 = alloca i32, addrspace(5)
  store i32 0, ptr addrspace(5) %u6
  %kernarg = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
  %implicit = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  br label %b0
b0:
  store i32 0, ptr addrspace(5) %r1
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  store i32 %v1, ptr addrspace(5) %r0
  %v2 = call i32 @llvm.amdgcn.workgroup.id.x()
  store i32 %v2, ptr addrspace(5) %u4
  %v3 = getelementptr i8, ptr addrspace(4) %implicit, i64 12
  %v4 = load i16, ptr addrspace(4) %v3, align 2, !invariant.load !0
  %v5 = zext i16 %v4 to i32
  store i32 %v5, ptr addrspace(5) %r7
  %v6 = mul i32 %v5, %v2
  %v7 = add i32 %v6, %v1
  store i32 %v7, ptr addrspace(5) %r7
  %v8 = getelementptr i8, ptr addrspace(4) %kernarg, i64 0
  %v9 = load i32, ptr addrspace(4) %v8, align 4, !invariant.load !0
  store i32 %v9, ptr addrspace(5) %u4
  %v10 = icmp sge i32 %v7, %v9
  %v11 = xor i1 %v10, true
  store i1 %v10, ptr addrspace(5) %p0
  br i1 %v10, label %v12, label %b80
v12:
  br label %exit
b80:
  %v13 = getelementptr i8, ptr addrspace(4) %kernarg, i64 8
  %v14 = load i64, ptr addrspace(4) %v13, align 8, !invariant.load !0
  %v15 = trunc i64 %v14 to i32
  %v16 = lshr i64 %v14, 32
  %v17 = trunc i64 %v16 to i32
  store i32 %v15, ptr addrspace(5) %r2
  store i32 %v17, ptr addrspace(5) %r3
  store i32 0, ptr addrspace(5) %u4
  store i32 0, ptr addrspace(5) %u5
  %v18 = getelementptr i8, ptr addrspace(4) %kernarg, i64 4
  %v19 = load i32, ptr addrspace(4) %v18, align 4, !invariant.load !0
  store i32 %v19, ptr addrspace(5) %u6
  %v20 = getelementptr i8, ptr addrspace(4) %kernarg, i64 16
  %v21 = load i64, ptr addrspace(4) %v20, align 8, !invariant.load !0
  %v22 = trunc i64 %v21 to i32
  %v23 = lshr i64 %v21, 32
  %v24 = trunc i64 %v23 to i32
  store i32 %v22, ptr addrspace(5) %r4
  store i32 %v24, ptr addrspace(5) %r5
  %v25 = load i32, ptr addrspace(5) %r7
  %v26 = sext i32 %v25 to i64
  %v27 = mul i64 %v26, 4
  %v28 = add i64 %v27, %v14
  %v29 = icmp ult i64 %v28, %v27
  %v30 = trunc i64 %v28 to i32
  %v31 = lshr i64 %v28, 32
  %v32 = trunc i64 %v31 to i32
  store i32 %v30, ptr addrspace(5) %r2
  store i32 %v32, ptr addrspace(5) %r3
  fence syncscope("wavefront") acq_rel
  %v33 = inttoptr i64 %v28 to ptr addrspace(1)
  %v34 = load i32, ptr addrspace(1) %v33, align 4
  store i32 %v34, ptr addrspace(5) %r2
  %v35 = sext i32 %v25 to i64
  %v36 = mul i64 %v35, 4
  %v37 = add i64 %v36, %v21
  %v38 = icmp ult i64 %v37, %v36
  %v39 = trunc i64 %v37 to i32
  %v40 = lshr i64 %v37, 32
  %v41 = trunc i64 %v40 to i32
  store i32 %v39, ptr addrspace(5) %r4
  store i32 %v41, ptr addrspace(5) %r5
  %v42 = inttoptr i64 %v37 to ptr addrspace(1)
  %v43 = load i32, ptr addrspace(1) %v42, align 4
  store i32 %v43, ptr addrspace(5) %r7
  %v44 = bitcast i32 %v34 to float
  %v45 = bitcast i32 %v19 to float
  %v46 = bitcast i32 %v43 to float
  %v47 = call float @llvm.fma.f32(float %v44, float %v45, float %v46)
  %v48 = bitcast float %v47 to i32
  store i32 %v48, ptr addrspace(5) %r7
  fence syncscope("wavefront") acq_rel
  %v49 = inttoptr i64 %v37 to ptr addrspace(1)
  store i32 %v48, ptr addrspace(1) %v49, align 4
  br label %exit
exit:
  ret void
}

define protected amdgpu_kernel void @"saxpy"(ptr addrspace(4) byref([4 x i8]) align 1 %a0, ptr addrspace(4) byref([4 x i8]) align 1 %a1, ptr addrspace(4) byref([8 x i8]) align 1 %a2, ptr addrspace(4) byref([8 x i8]) align 1 %a3) #attributes {
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
  %v11 = and i1 %v10, true
  %v12 = xor i1 %v10, true
  %v13 = and i1 %v12, true
  store i1 %v11, ptr addrspace(5) %p0
  br i1 %v11, label %v14, label %b80
v14:
  br label %exit
b80:
  %v15 = getelementptr i8, ptr addrspace(4) %kernarg, i64 8
  %v16 = load i64, ptr addrspace(4) %v15, align 8, !invariant.load !0
  %v17 = trunc i64 %v16 to i32
  %v18 = lshr i64 %v16, 32
  %v19 = trunc i64 %v18 to i32
  store i32 %v17, ptr addrspace(5) %r2
  store i32 %v19, ptr addrspace(5) %r3
  store i32 0, ptr addrspace(5) %u4
  store i32 0, ptr addrspace(5) %u5
  %v20 = getelementptr i8, ptr addrspace(4) %kernarg, i64 4
  %v21 = load i32, ptr addrspace(4) %v20, align 4, !invariant.load !0
  store i32 %v21, ptr addrspace(5) %u6
  %v22 = getelementptr i8, ptr addrspace(4) %kernarg, i64 16
  %v23 = load i64, ptr addrspace(4) %v22, align 8, !invariant.load !0
  %v24 = trunc i64 %v23 to i32
  %v25 = lshr i64 %v23, 32
  %v26 = trunc i64 %v25 to i32
  store i32 %v24, ptr addrspace(5) %r4
  store i32 %v26, ptr addrspace(5) %r5
  %v27 = load i32, ptr addrspace(5) %r7
  %v28 = sext i32 %v27 to i64
  %v29 = mul i64 %v28, 4
  %v30 = add i64 %v29, %v16
  %v31 = icmp ult i64 %v30, %v29
  %v32 = trunc i64 %v30 to i32
  %v33 = lshr i64 %v30, 32
  %v34 = trunc i64 %v33 to i32
  store i32 %v32, ptr addrspace(5) %r2
  store i32 %v34, ptr addrspace(5) %r3
  %v35 = inttoptr i64 %v30 to ptr addrspace(1)
  %v36 = load i32, ptr addrspace(1) %v35, align 4
  store i32 %v36, ptr addrspace(5) %r2
  %v37 = sext i32 %v27 to i64
  %v38 = mul i64 %v37, 4
  %v39 = add i64 %v38, %v23
  %v40 = icmp ult i64 %v39, %v38
  %v41 = trunc i64 %v39 to i32
  %v42 = lshr i64 %v39, 32
  %v43 = trunc i64 %v42 to i32
  store i32 %v41, ptr addrspace(5) %r4
  store i32 %v43, ptr addrspace(5) %r5
  %v44 = inttoptr i64 %v39 to ptr addrspace(1)
  %v45 = load i32, ptr addrspace(1) %v44, align 4
  store i32 %v45, ptr addrspace(5) %r7
  %v46 = bitcast i32 %v36 to float
  %v47 = bitcast i32 %v21 to float
  %v48 = bitcast i32 %v45 to float
  %v49 = call float @llvm.fma.f32(float %v46, float %v47, float %v48)
  %v50 = bitcast float %v49 to i32
  store i32 %v50, ptr addrspace(5) %r7
  %v51 = inttoptr i64 %v39 to ptr addrspace(1)
  store i32 %v50, ptr addrspace(1) %v51, align 4
  br label %exit
exit:
  ret void
}

define protected amdgpu_kernel void @"saxpy"(ptr addrspace(4) byref([4 x i8]) align 1 %a0, ptr addrspace(4) byref([4 x i8]) align 1 %a1, ptr addrspace(4) byref([8 x i8]) align 1 %a2, ptr addrspace(4) byref([8 x i8]) align 1 %a3) #attributes {
entry:
  %p0 = alloca i1, addrspace(5)
  store i1 false, ptr addrspace(5) %p0
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
  %kernarg = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
  %implicit = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  br label %b0
b0:
  store i32 0, ptr addrspace(5) %r1
  %v1 = call i32 @llvm.amdgcn.workgroup.id.x()
  store i32 %v1, ptr addrspace(5) %r4
  %v2 = call i32 @llvm.amdgcn.workitem.id.x()
  store i32 %v2, ptr addrspace(5) %r3
  %v3 = getelementptr i8, ptr addrspace(4) %implicit, i64 12
  %v4 = load i16, ptr addrspace(4) %v3, align 2, !invariant.load !0
  %v5 = zext i16 %v4 to i32
  %v6 = mul i32 %v1, %v5
  %v7 = add i32 %v6, %v2
  store i32 %v7, ptr addrspace(5) %r4
  %v8 = getelementptr i8, ptr addrspace(4) %kernarg, i64 0
  %v9 = load i32, ptr addrspace(4) %v8, align 4, !invariant.load !0
  %v10 = icmp sge i32 %v7, %v9
  %v11 = and i1 %v10, true
  %v12 = xor i1 %v10, true
  %v13 = and i1 %v12, true
  store i1 %v11, ptr addrspace(5) %p0
  br i1 %v11, label %v14, label %b60
v14:
  br label %exit
b60:
  %v15 = lshr i32 2147516416, 16
  %v16 = trunc i32 %v15 to i16
  %v17 = bitcast i16 %v16 to half
  %v18 = fneg half %v17
  %v19 = lshr i32 0, 16
  %v20 = trunc i32 %v19 to i16
  %v21 = bitcast i16 %v20 to half
  %v22 = fneg half %v21
  %v23 = lshr i32 4, 16
  %v24 = trunc i32 %v23 to i16
  %v25 = bitcast i16 %v24 to half
  %v26 = fneg half %v25
  %v27 = call half @llvm.fma.f16(half 0xH8000, half 0xH0000, half 0xH0004)
  %v28 = call half @llvm.fma.f16(half %v17, half %v21, half %v25)
  %v29 = bitcast half %v27 to i16
  %v30 = zext i16 %v29 to i32
  %v31 = bitcast half %v28 to i16
  %v32 = zext i16 %v31 to i32
  %v33 = shl i32 %v32, 16
  %v34 = or i32 %v30, %v33
  store i32 %v34, ptr addrspace(5) %r5
  store i32 0, ptr addrspace(5) %u4
  store i32 0, ptr addrspace(5) %u5
  %v35 = load i32, ptr addrspace(5) %r4
  %v36 = getelementptr i8, ptr addrspace(4) %kernarg, i64 8
  %v37 = load i64, ptr addrspace(4) %v36, align 8, !invariant.load !0
  %v38 = sext i32 %v35 to i64
  %v39 = sext i32 %v34 to i64
  %v40 = mul i64 %v38, %v39
  %v41 = add i64 %v40, %v37
  %v42 = icmp ult i64 %v41, %v40
  %v43 = trunc i64 %v41 to i32
  %v44 = lshr i64 %v41, 32
  %v45 = trunc i64 %v44 to i32
  store i32 %v43, ptr addrspace(5) %r2
  store i32 %v45, ptr addrspace(5) %r3
  %v46 = getelementptr i8, ptr addrspace(4) %kernarg, i64 16
  %v47 = load i64, ptr addrspace(4) %v46, align 8, !invariant.load !0
  %v48 = sext i32 %v35 to i64
  %v49 = sext i32 %v34 to i64
  %v50 = mul i64 %v48, %v49
  %v51 = add i64 %v50, %v47
  %v52 = icmp ult i64 %v51, %v50
  %v53 = trunc i64 %v51 to i32
  %v54 = lshr i64 %v51, 32
  %v55 = trunc i64 %v54 to i32
  store i32 %v53, ptr addrspace(5) %r4
  store i32 %v55, ptr addrspace(5) %r5
  %v56 = inttoptr i64 %v41 to ptr addrspace(1)
  %v57 = load i32, ptr addrspace(1) %v56, align 4
  store i32 %v57, ptr addrspace(5) %r2
  %v58 = inttoptr i64 %v51 to ptr addrspace(1)
  %v59 = load i32, ptr addrspace(1) %v58, align 4
  store i32 %v59, ptr addrspace(5) %r7
  %v60 = bitcast i32 %v57 to float
  %v61 = getelementptr i8, ptr addrspace(4) %kernarg, i64 4
  %v62 = load i32, ptr addrspace(4) %v61, align 4, !invariant.load !0
  %v63 = bitcast i32 %v62 to float
  %v64 = bitcast i32 %v59 to float
  %v65 = call float @llvm.fma.f32(float %v60, float %v63, float %v64)
  %v66 = bitcast float %v65 to i32
  store i32 %v66, ptr addrspace(5) %r7
  %v67 = inttoptr i64 %v51 to ptr addrspace(1)
  store i32 %v66, ptr addrspace(1) %v67, align 4
  br label %exit
exit:
  ret void
}

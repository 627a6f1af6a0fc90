define protected amdgpu_kernel void @"saxpy"(ptr addrspace(4) byref([4 x i8]) align 8 %a0, ptr addrspace(4) byref([4 x i8]) align 4 %a1, ptr addrspace(4) byref([8 x i8]) align 8 %a2, ptr addrspace(4) byref([8 x i8]) align 8 %a3) #attributes {
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
  %v11 = xor i1 %v10, true
  store i1 %v10, ptr addrspace(5) %p0
  br i1 %v10, label %v12, label %b60
v12:
  br label %exit
b60:
  %v13 = call half @llvm.fma.f16(half 0xH8000, half 0xH0000, half 0xH0004)
  %v14 = call half @llvm.fma.f16(half 0xH8000, half 0xH0000, half 0xH0000)
  %v15 = bitcast half %v13 to i16
  %v16 = zext i16 %v15 to i32
  %v17 = bitcast half %v14 to i16
  %v18 = zext i16 %v17 to i32
  %v19 = shl i32 %v18, 16
  %v20 = or i32 %v16, %v19
  store i32 %v20, ptr addrspace(5) %r5
  store i32 0, ptr addrspace(5) %u4
  store i32 0, ptr addrspace(5) %u5
  %v21 = load i32, ptr addrspace(5) %r4
  %v22 = getelementptr i8, ptr addrspace(4) %kernarg, i64 8
  %v23 = load i64, ptr addrspace(4) %v22, align 8, !invariant.load !0
  %v24 = sext i32 %v21 to i64
  %v25 = sext i32 %v20 to i64
  %v26 = mul i64 %v24, %v25
  %v27 = add i64 %v26, %v23
  %v28 = icmp ult i64 %v27, %v26
  %v29 = trunc i64 %v27 to i32
  %v30 = lshr i64 %v27, 32
  %v31 = trunc i64 %v30 to i32
  store i32 %v29, ptr addrspace(5) %r2
  store i32 %v31, ptr addrspace(5) %r3
  %v32 = getelementptr i8, ptr addrspace(4) %kernarg, i64 16
  %v33 = load i64, ptr addrspace(4) %v32, align 8, !invariant.load !0
  %v34 = sext i32 %v21 to i64
  %v35 = sext i32 %v20 to i64
  %v36 = mul i64 %v34, %v35
  %v37 = add i64 %v36, %v33
  %v38 = icmp ult i64 %v37, %v36
  %v39 = trunc i64 %v37 to i32
  %v40 = lshr i64 %v37, 32
  %v41 = trunc i64 %v40 to i32
  store i32 %v39, ptr addrspace(5) %r4
  store i32 %v41, ptr addrspace(5) %r5
  fence syncscope("wavefront") acq_rel
  %v42 = inttoptr i64 %v27 to ptr addrspace(1)
  %v43 = load i32, ptr addrspace(1) %v42, align 4
  store i32 %v43, ptr addrspace(5) %r2
  %v44 = inttoptr i64 %v37 to ptr addrspace(1)
  %v45 = load i32, ptr addrspace(1) %v44, align 4
  store i32 %v45, ptr addrspace(5) %r7
  %v46 = bitcast i32 %v43 to float
  %v47 = getelementptr i8, ptr addrspace(4) %kernarg, i64 4
  %v48 = load i32, ptr addrspace(4) %v47, align 4, !invariant.load !0
  %v49 = bitcast i32 %v48 to float
  %v50 = bitcast i32 %v45 to float
  %v51 = call float @llvm.fma.f32(float %v46, float %v49, float %v50)
  %v52 = bitcast float %v51 to i32
  store i32 %v52, ptr addrspace(5) %r7
  fence syncscope("wavefront") acq_rel
  %v53 = inttoptr i64 %v37 to ptr addrspace(1)
  store i32 %v52, ptr addrspace(1) %v53, align 4
  br label %exit
exit:
  ret void
}

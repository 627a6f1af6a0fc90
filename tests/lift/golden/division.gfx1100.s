division:
	s_clause 0x2
	s_load_b32 s2, s[0:1], 0x24
	s_load_b128 s[4:7], s[0:1], 0x0
	s_load_b64 s[0:1], s[0:1], 0x10
	s_waitcnt lgkmcnt(0)
	s_and_b32 s2, s2, 0xffff
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_mad_u64_u32 v[1:2], null, s15, s2, v[0:1]
	v_ashrrev_i32_e32 v2, 31, v1
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_2)
	v_lshlrev_b64 v[2:3], 2, v[1:2]
	v_lshlrev_b32_e32 v1, 2, v1
	v_add_co_u32 v4, vcc_lo, v2, s6
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v5, null, s7, v3, vcc_lo
	v_add_co_u32 v2, vcc_lo, v2, s4
	v_add_co_ci_u32_e64 v3, null, s5, v3, vcc_lo
	global_load_b32 v0, v[4:5], off
	global_load_b32 v10, v[2:3], off
	s_waitcnt vmcnt(1)
	v_or_b32_e32 v11, 1, v0
	s_waitcnt vmcnt(0)
	v_xor_b32_e32 v0, v10, v0
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_2) | instid1(VALU_DEP_3)
	v_sub_nc_u32_e32 v2, 0, v11
	v_cvt_f32_u32_e32 v14, v11
	v_cvt_f64_u32_e32 v[6:7], v11
	v_max_i32_e32 v12, v11, v2
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_cvt_f64_f32_e32 v[8:9], v14
	v_cvt_f32_u32_e32 v13, v12
	v_cvt_f64_u32_e32 v[2:3], v12
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_cvt_f64_f32_e32 v[4:5], v13
	v_cmp_gt_f64_e32 vcc_lo, v[2:3], v[4:5]
	v_add_co_ci_u32_e64 v2, null, 0, v13, vcc_lo
	v_cmp_gt_f64_e32 vcc_lo, v[6:7], v[8:9]
	v_sub_nc_u32_e32 v9, 0, v10
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_2) | instid1(VALU_DEP_2)
	v_and_b32_e32 v3, 0x80000000, v2
	v_add_co_ci_u32_e64 v4, null, 0, v14, vcc_lo
	v_cmp_class_f32_e64 vcc_lo, v2, 0x90
	v_dual_cndmask_b32 v2, v2, v3 :: v_dual_and_b32 v3, 0x80000000, v4
	v_cmp_class_f32_e64 vcc_lo, v4, 0x90
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	v_rcp_f32_e32 v2, v2
	s_waitcnt_depctr 0xfff
	v_dual_cndmask_b32 v3, v4, v3 :: v_dual_and_b32 v4, 0x80000000, v2
	v_rcp_f32_e32 v3, v3
	v_cmp_class_f32_e64 vcc_lo, v2, 0x90
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_3) | instid1(VALU_DEP_2)
	v_cndmask_b32_e32 v2, v2, v4, vcc_lo
	s_waitcnt_depctr 0xfff
	v_and_b32_e32 v4, 0x80000000, v3
	v_cmp_class_f32_e64 vcc_lo, v3, 0x90
	v_dual_cndmask_b32 v3, v3, v4 :: v_dual_add_nc_u32 v2, 0xffffffe, v2
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_3)
	v_cvt_u32_f32_e32 v4, v2
	v_cmp_le_f32_e32 vcc_lo, 0, v2
	v_add_nc_u32_e32 v5, 0xffffffe, v3
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_1) | instid1(VALU_DEP_3)
	v_cndmask_b32_e32 v3, 0, v4, vcc_lo
	v_cmp_nlt_f32_e32 vcc_lo, 0x4f7fffff, v2
	v_cvt_u32_f32_e32 v4, v5
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_1) | instid1(VALU_DEP_3)
	v_cndmask_b32_e32 v3, -1, v3, vcc_lo
	v_cmp_le_f32_e32 vcc_lo, 0, v5
	v_cndmask_b32_e32 v2, 0, v4, vcc_lo
	v_cmp_nlt_f32_e32 vcc_lo, 0x4f7fffff, v5
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_2) | instid1(VALU_DEP_3)
	v_cndmask_b32_e32 v6, -1, v2, vcc_lo
	v_mov_b32_e32 v2, 0
	v_mul_lo_u32 v4, v12, v3
	v_mul_lo_u32 v8, v11, v6
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_sub_nc_u32_e32 v7, 0, v4
	v_sub_nc_u32_e32 v8, 0, v8
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_2) | instid1(VALU_DEP_2)
	v_mad_u64_u32 v[4:5], null, v7, v3, v[2:3]
	v_max_i32_e32 v7, v10, v9
	v_mov_b32_e32 v3, v6
	v_mul_hi_u32 v9, v5, v7
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_mad_u64_u32 v[4:5], null, v8, v6, v[2:3]
	v_mul_lo_u32 v2, v12, v9
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_1) | instid1(VALU_DEP_3)
	v_mul_hi_u32 v6, v5, v10
	v_mul_hi_i32 v5, 0x66666667, v10
	v_sub_nc_u32_e32 v2, v7, v2
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_mul_lo_u32 v3, v11, v6
	v_cmp_le_u32_e32 vcc_lo, v12, v2
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_1) | instid1(VALU_DEP_2)
	v_sub_nc_u32_e32 v3, v10, v3
	v_cndmask_b32_e32 v4, 0, v12, vcc_lo
	v_sub_nc_u32_e32 v7, v3, v11
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_1) | instid1(VALU_DEP_3)
	v_sub_nc_u32_e32 v2, v2, v4
	v_cndmask_b32_e64 v4, 0, 1, vcc_lo
	v_min_u32_e32 v7, v3, v7
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_1) | instid1(VALU_DEP_4)
	v_cmp_ge_u32_e32 vcc_lo, v2, v12
	v_ashrrev_i32_e32 v2, 31, v1
	v_add_co_ci_u32_e64 v4, null, v4, v9, vcc_lo
	v_cmp_gt_i32_e32 vcc_lo, 0, v0
	v_lshrrev_b32_e32 v9, 31, v5
	v_ashrrev_i32_e32 v5, 2, v5
	s_delay_alu instid0(VALU_DEP_4) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_sub_nc_u32_e32 v8, 0, v4
	v_cndmask_b32_e32 v0, v4, v8, vcc_lo
	v_cmp_ge_u32_e32 vcc_lo, v3, v11
	s_delay_alu instid0(VALU_DEP_4) | instskip(SKIP_1) | instid1(VALU_DEP_4)
	v_add_nc_u32_e32 v3, v5, v9
	v_lshlrev_b64 v[4:5], 2, v[1:2]
	v_mul_lo_u32 v1, v0, v11
	v_cndmask_b32_e64 v8, 0, 1, vcc_lo
	v_cmp_ge_u32_e32 vcc_lo, v7, v11
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v2, null, v8, v6, vcc_lo
	v_add_co_u32 v4, vcc_lo, v4, s0
	v_add_co_ci_u32_e64 v5, null, s1, v5, vcc_lo
	v_sub_nc_u32_e32 v1, v10, v1
	global_store_b128 v[4:5], v[0:3], off
	s_endpgm

integers:
	s_clause 0x1
	s_load_b32 s2, s[0:1], 0x2c
	s_load_b32 s3, s[0:1], 0x18
	s_waitcnt lgkmcnt(0)
	s_and_b32 s2, s2, 0xffff
	s_delay_alu instid0(SALU_CYCLE_1)
	v_mad_u64_u32 v[1:2], null, s15, s2, v[0:1]
	s_mov_b32 s2, exec_lo
	v_cmpx_gt_i32_e64 s3, v1
	s_cbranch_execz .LBB0_2
	s_load_b128 s[4:7], s[0:1], 0x0
	v_ashrrev_i32_e32 v2, 31, v1
	s_load_b64 s[0:1], s[0:1], 0x10
	v_mov_b32_e32 v6, 0
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_2) | instid1(VALU_DEP_2)
	v_lshlrev_b64 v[2:3], 2, v[1:2]
	v_lshlrev_b32_e32 v1, 3, v1
	s_waitcnt lgkmcnt(0)
	v_add_co_u32 v4, vcc_lo, s6, v2
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v5, null, s7, v3, vcc_lo
	v_add_co_u32 v2, vcc_lo, s4, v2
	v_add_co_ci_u32_e64 v3, null, s5, v3, vcc_lo
	global_load_b32 v0, v[4:5], off
	global_load_b32 v7, v[2:3], off
	v_ashrrev_i32_e32 v2, 31, v1
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_lshlrev_b64 v[1:2], 2, v[1:2]
	v_add_co_u32 v8, vcc_lo, s0, v1
	s_delay_alu instid0(VALU_DEP_1)
	v_add_co_ci_u32_e64 v9, null, s1, v2, vcc_lo
	s_waitcnt vmcnt(1)
	v_and_b32_e32 v15, 31, v0
	v_sub_nc_u32_e32 v13, 0, v0
	s_waitcnt vmcnt(0)
	v_min_i32_e32 v2, v0, v7
	v_max_u32_e32 v3, v0, v7
	v_add_nc_u32_e32 v14, 5, v0
	v_cmp_ge_i32_e32 vcc_lo, v7, v0
	v_mad_u64_u32 v[10:11], null, v7, 7, v[0:1]
	v_mad_u64_u32 v[11:12], null, v0, v7, 3
	v_max_i32_e32 v16, v0, v13
	v_ashrrev_i64 v[12:13], v15, v[6:7]
	v_mad_u64_u32 v[4:5], null, v3, 3, v[2:3]
	v_cndmask_b32_e32 v5, 17, v14, vcc_lo
	v_cmp_eq_u32_e32 vcc_lo, 7, v7
	v_lshlrev_b32_e32 v1, v0, v7
	v_lshrrev_b64 v[2:3], v15, v[6:7]
	v_sub_co_u32 v0, s0, v7, v0
	v_mov_b32_e32 v2, v13
	v_cndmask_b32_e64 v6, v10, 19, s0
	v_cndmask_b32_e32 v7, v11, v16, vcc_lo
	s_clause 0x1
	global_store_b128 v[8:9], v[0:3], off
	global_store_b128 v[8:9], v[4:7], off offset:16
.LBB0_2:
	s_endpgm

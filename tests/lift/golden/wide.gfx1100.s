wide:
	s_clause 0x2
	s_load_b32 s2, s[0:1], 0x24
	s_load_b128 s[4:7], s[0:1], 0x0
	s_load_b64 s[0:1], s[0:1], 0x10
	s_waitcnt lgkmcnt(0)
	s_and_b32 s2, s2, 0xffff
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_3) | instid1(VALU_DEP_2)
	v_mad_u64_u32 v[1:2], null, s15, s2, v[0:1]
	s_mov_b64 s[2:3], 0xffffffff
	v_ashrrev_i32_e32 v2, 31, v1
	v_mul_lo_u32 v0, v1, 6
	v_lshlrev_b64 v[2:3], 3, v[1:2]
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_ashrrev_i32_e32 v1, 31, v0
	v_add_co_u32 v4, vcc_lo, v2, s4
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v5, null, s5, v3, vcc_lo
	v_add_co_u32 v2, vcc_lo, v2, s6
	v_add_co_ci_u32_e64 v3, null, s7, v3, vcc_lo
	global_load_b64 v[12:13], v[4:5], off
	global_load_b64 v[2:3], v[2:3], off
	v_lshlrev_b64 v[0:1], 3, v[0:1]
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add_co_u32 v14, vcc_lo, v0, s0
	v_add_co_ci_u32_e64 v15, null, s1, v1, vcc_lo
	s_waitcnt vmcnt(0)
	v_mad_u64_u32 v[16:17], null, v2, v13, 0
	v_mad_u64_u32 v[18:19], null, v3, v12, 0
	v_lshrrev_b64 v[6:7], v2, v[12:13]
	v_ashrrev_i32_e32 v7, 31, v13
	v_sub_co_u32 v10, vcc_lo, v12, v2
	v_mad_u64_u32 v[0:1], null, v2, v12, 0
	v_sub_co_ci_u32_e64 v11, null, v13, v3, vcc_lo
	v_add_co_u32 v8, vcc_lo, v2, v12
	v_ashrrev_i32_e32 v5, 31, v3
	v_and_b32_e32 v22, 63, v2
	v_add_co_ci_u32_e64 v9, null, v3, v13, vcc_lo
	v_cmp_ge_i64_e32 vcc_lo, v[12:13], v[2:3]
	v_and_b32_e32 v28, v7, v2
	v_add_co_u32 v2, s0, v18, v16
	v_mad_u64_u32 v[20:21], null, v3, v13, 0
	v_and_b32_e32 v25, v5, v12
	v_min_u32_e32 v26, 32, v22
	v_and_b32_e32 v27, v7, v3
	v_add_co_ci_u32_e64 v3, null, v19, v17, s0
	v_add_co_u32 v22, s0, v2, v1
	v_and_b32_e32 v24, v5, v13
	v_add_co_ci_u32_e64 v23, null, 0, 0, s0
	v_cndmask_b32_e64 v4, 1, -1, vcc_lo
	v_cndmask_b32_e64 v5, 0, -1, vcc_lo
	v_sub_co_u32 v7, vcc_lo, v20, v25
	s_delay_alu instid0(VALU_DEP_1)
	v_sub_co_ci_u32_e64 v17, null, v21, v24, vcc_lo
	v_cmp_lt_u64_e32 vcc_lo, s[2:3], v[22:23]
	v_lshrrev_b64 v[12:13], v26, v[12:13]
	v_add3_u32 v1, v18, v16, v1
	v_cndmask_b32_e64 v20, 0, 1, vcc_lo
	v_cmp_lt_u64_e32 vcc_lo, v[2:3], v[18:19]
	v_cndmask_b32_e64 v2, 0, 1, vcc_lo
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add_co_u32 v7, vcc_lo, v7, v20
	v_add_co_ci_u32_e64 v12, null, 0, v17, vcc_lo
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add_co_u32 v3, vcc_lo, v7, v3
	v_add_co_ci_u32_e64 v12, null, v12, v2, vcc_lo
	v_mov_b32_e32 v7, v13
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_sub_co_u32 v2, vcc_lo, v3, v28
	v_sub_co_ci_u32_e64 v3, null, v12, v27, vcc_lo
	s_clause 0x2
	global_store_b128 v[14:15], v[4:7], off offset:32
	global_store_b128 v[14:15], v[8:11], off
	global_store_b128 v[14:15], v[0:3], off offset:16
	s_endpgm

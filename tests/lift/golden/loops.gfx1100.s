loops:
	s_clause 0x1
	s_load_b32 s2, s[0:1], 0x2c
	s_load_b32 s3, s[0:1], 0x18
	s_waitcnt lgkmcnt(0)
	s_and_b32 s2, s2, 0xffff
	s_delay_alu instid0(SALU_CYCLE_1)
	v_mad_u64_u32 v[1:2], null, s15, s2, v[0:1]
	s_mov_b32 s2, exec_lo
	v_cmpx_gt_i32_e64 s3, v1
	s_cbranch_execz .LBB0_32
	s_load_b64 s[2:3], s[0:1], 0x0
	v_ashrrev_i32_e32 v2, 31, v1
	s_mov_b32 s4, exec_lo
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_lshlrev_b64 v[2:3], 2, v[1:2]
	s_waitcnt lgkmcnt(0)
	v_add_co_u32 v2, vcc_lo, s2, v2
	s_delay_alu instid0(VALU_DEP_1)
	v_add_co_ci_u32_e64 v3, null, s3, v3, vcc_lo
	global_load_b64 v[3:4], v[2:3], off
	v_mov_b32_e32 v2, 0
	s_waitcnt vmcnt(0)
	v_cmpx_lt_i32_e64 v3, v4
	s_cbranch_execz .LBB0_15
	s_load_b64 s[2:3], s[0:1], 0x8
	v_dual_mov_b32 v2, 0 :: v_dual_mov_b32 v5, v3
	s_mov_b32 s5, 0
	s_branch .LBB0_4
.LBB0_3:
	s_or_b32 exec_lo, exec_lo, s7
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_and_b32 s6, exec_lo, s6
	s_or_b32 s5, s6, s5
	s_delay_alu instid0(SALU_CYCLE_1)
	s_and_not1_b32 exec_lo, exec_lo, s5
	s_cbranch_execz .LBB0_14
.LBB0_4:
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_ashrrev_i32_e32 v6, 31, v5
	v_mov_b32_e32 v0, v2
	s_mov_b32 s6, 0
	s_mov_b32 s8, 0
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	v_lshlrev_b64 v[2:3], 2, v[5:6]
	s_mov_b32 s7, exec_lo
	s_waitcnt lgkmcnt(0)
	v_add_co_u32 v2, vcc_lo, v2, s2
	s_delay_alu instid0(VALU_DEP_1)
	v_add_co_ci_u32_e64 v3, null, s3, v3, vcc_lo
	global_load_b32 v6, v[2:3], off
	s_waitcnt vmcnt(0)
	v_cmpx_lt_i32_e32 39, v6
	s_xor_b32 s7, exec_lo, s7
	v_cmp_ne_u32_e32 vcc_lo, 40, v6
	s_and_b32 s8, vcc_lo, exec_lo
	s_and_not1_saveexec_b32 s7, s7
	v_cmp_ne_u32_e32 vcc_lo, 13, v6
	s_and_not1_b32 s8, s8, exec_lo
	s_mov_b32 s6, exec_lo
	s_and_b32 s9, vcc_lo, exec_lo
	s_delay_alu instid0(SALU_CYCLE_1)
	s_or_b32 s8, s8, s9
	s_or_b32 exec_lo, exec_lo, s7
	v_dual_mov_b32 v2, v0 :: v_dual_add_nc_u32 v7, 1, v5
	s_mov_b32 s7, 0
	s_and_saveexec_b32 s9, s8
	s_delay_alu instid0(SALU_CYCLE_1)
	s_xor_b32 s8, exec_lo, s9
	v_add_nc_u32_e32 v5, 1, v5
	s_mov_b32 s7, exec_lo
	s_and_not1_b32 s6, s6, exec_lo
	s_delay_alu instid0(VALU_DEP_1)
	v_mad_u64_u32 v[2:3], null, v6, v5, v[0:1]
	v_mov_b32_e32 v3, v5
	s_or_b32 exec_lo, exec_lo, s8
	s_and_saveexec_b32 s8, s6
	v_dual_mov_b32 v5, v7 :: v_dual_mov_b32 v2, v0
	v_mov_b32_e32 v3, v7
	s_or_b32 s7, s7, exec_lo
	s_or_b32 exec_lo, exec_lo, s8
	s_mov_b32 s6, -1
	s_and_saveexec_b32 s8, s7
	s_delay_alu instid0(SALU_CYCLE_1)
	s_xor_b32 s7, exec_lo, s8
	s_cbranch_execz .LBB0_3
	v_cmp_ge_i32_e32 vcc_lo, v3, v4
	v_mov_b32_e32 v5, v3
	s_or_not1_b32 s6, vcc_lo, exec_lo
	s_branch .LBB0_3
.LBB0_14:
	s_or_b32 exec_lo, exec_lo, s5
.LBB0_15:
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	s_or_b32 exec_lo, exec_lo, s4
	v_and_b32_e32 v3, 7, v2
	s_mov_b32 s2, exec_lo
	v_cmpx_gt_u32_e32 2, v3
	s_xor_b32 s2, exec_lo, s2
	s_cbranch_execz .LBB0_21
	s_mov_b32 s3, exec_lo
	v_cmpx_ne_u32_e32 0, v3
	s_xor_b32 s3, exec_lo, s3
	v_xor_b32_e32 v0, 0x55, v2
	s_and_not1_saveexec_b32 s3, s3
	v_add_nc_u32_e32 v0, 11, v2
	s_or_b32 exec_lo, exec_lo, s3
.LBB0_21:
	s_and_not1_saveexec_b32 s2, s2
	s_cbranch_execz .LBB0_31
	s_mov_b32 s3, exec_lo
	v_cmpx_lt_i32_e32 2, v3
	s_xor_b32 s3, exec_lo, s3
	s_cbranch_execz .LBB0_28
	s_mov_b32 s4, exec_lo
	v_cmpx_ne_u32_e32 3, v3
	s_xor_b32 s4, exec_lo, s4
	v_sub_nc_u32_e32 v0, v2, v1
	v_or_b32_e32 v2, 64, v2
	v_cmp_eq_u32_e32 vcc_lo, 5, v3
	s_delay_alu instid0(VALU_DEP_2)
	v_cndmask_b32_e32 v0, v2, v0, vcc_lo
	s_and_not1_saveexec_b32 s4, s4
	v_lshl_add_u32 v0, v2, 1, v2
	s_or_b32 exec_lo, exec_lo, s4
.LBB0_28:
	s_and_not1_saveexec_b32 s3, s3
	v_sub_nc_u32_e32 v0, 0, v2
	s_or_b32 exec_lo, exec_lo, s3
.LBB0_31:
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	s_or_b32 exec_lo, exec_lo, s2
	s_load_b64 s[0:1], s[0:1], 0x10
	v_ashrrev_i32_e32 v2, 31, v1
	v_lshlrev_b64 v[1:2], 2, v[1:2]
	s_waitcnt lgkmcnt(0)
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add_co_u32 v1, vcc_lo, s0, v1
	v_add_co_ci_u32_e64 v2, null, s1, v2, vcc_lo
	global_store_b32 v[1:2], v0, off
.LBB0_32:
	s_endpgm

exchange:
	v_and_b32_e32 v1, 0x3fffffff, v0
	v_and_b32_e32 v0, 0x3ff, v0
	s_mov_b32 s2, exec_lo
	s_delay_alu instid0(VALU_DEP_2)
	v_cmpx_eq_u32_e32 0, v1
	s_cbranch_execz .LBB0_2
	v_mov_b32_e32 v1, 0
	s_delay_alu instid0(VALU_DEP_1)
	v_mov_b32_e32 v2, v1
	v_mov_b32_e32 v3, v1
	v_mov_b32_e32 v4, v1
	ds_store_b128 v1, v[1:4]
.LBB0_2:
	s_or_b32 exec_lo, exec_lo, s2
	s_waitcnt lgkmcnt(0)
	s_waitcnt_depctr 0xffe3
	s_barrier
	s_clause 0x1
	s_load_b32 s4, s[0:1], 0x1c
	s_load_b128 s[0:3], s[0:1], 0x0
	v_not_b32_e32 v6, v0
	v_dual_mov_b32 v8, 0 :: v_dual_lshlrev_b32 v7, 2, v0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s4, 0xffff
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	v_mad_u64_u32 v[1:2], null, s15, s4, v[0:1]
	s_cmp_lg_u32 s4, 0
	v_ashrrev_i32_e32 v2, 31, v1
	v_lshlrev_b64 v[1:2], 2, v[1:2]
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add_co_u32 v3, vcc_lo, v1, s0
	v_add_co_ci_u32_e64 v4, null, s1, v2, vcc_lo
	s_cselect_b32 s1, -1, 0
	global_load_b32 v3, v[3:4], off
	v_cvt_f32_u32_e32 v4, s4
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_3) | instid1(VALU_DEP_2)
	v_rcp_iflag_f32_e32 v4, v4
	s_waitcnt_depctr 0xfff
	v_and_b32_e32 v5, 0x80000000, v4
	v_cmp_class_f32_e64 vcc_lo, v4, 0x90
	v_cndmask_b32_e32 v4, v4, v5, vcc_lo
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add_nc_u32_e32 v4, 0xffffffe, v4
	v_cvt_u32_f32_e32 v5, v4
	v_cmp_le_f32_e32 vcc_lo, 0, v4
	v_cmp_nlt_f32_e64 s0, 0x4f7fffff, v4
	v_add_nc_u32_e32 v4, 33, v0
	s_delay_alu instid0(VALU_DEP_4) | instskip(SKIP_4) | instid1(SALU_CYCLE_1)
	v_readfirstlane_b32 s5, v5
	s_and_b32 s6, vcc_lo, exec_lo
	s_cselect_b32 s5, s5, 0
	s_and_b32 s0, s0, exec_lo
	s_cselect_b32 s0, s5, -1
	s_mul_i32 s5, s0, s4
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_sub_i32 s5, 0, s5
	s_mul_i32 s6, s5, s0
	s_mul_hi_u32 s5, s5, s0
	s_add_u32 s6, s6, 0
	s_addc_u32 s0, s5, s0
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_mul_hi_u32 v5, s0, v4
	v_mul_u32_u24_e32 v5, s4, v5
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_2)
	v_sub_nc_u32_e32 v4, v4, v5
	v_add_lshl_u32 v5, s4, v6, 2
	v_subrev_nc_u32_e32 v6, s4, v4
	s_delay_alu instid0(VALU_DEP_1)
	v_min_u32_e32 v4, v4, v6
	v_mbcnt_lo_u32_b32 v6, exec_lo, 0
	s_waitcnt vmcnt(0)
	v_lshl_add_u32 v3, v3, 1, v3
	ds_store_b32 v7, v3 offset:1024
	s_waitcnt lgkmcnt(0)
	s_waitcnt_depctr 0xffe3
	s_barrier
	ds_load_b32 v3, v5 offset:1024
	v_subrev_nc_u32_e32 v5, s4, v4
	s_waitcnt lgkmcnt(0)
	s_waitcnt_depctr 0xffe3
	s_barrier
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_min_u32_e32 v4, v4, v5
	v_lshl_add_u32 v4, v4, 2, 0x400
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_2) | instid1(VALU_DEP_2)
	v_cndmask_b32_e64 v4, 0x3fc, v4, s1
	v_and_b32_e32 v5, 1, v3
	v_add_nc_u32_e32 v0, v3, v0
	v_cmp_ne_u32_e32 vcc_lo, 0, v5
	ds_store_b32 v7, v0 offset:1024
	s_waitcnt lgkmcnt(0)
	s_waitcnt_depctr 0xffe3
	s_barrier
	s_bcnt1_i32_b32 s0, vcc_lo
	v_cmp_eq_u32_e32 vcc_lo, 0, v6
	ds_load_b32 v3, v4
	v_cndmask_b32_e64 v0, 0, s0, vcc_lo
	ds_add_u32 v8, v0
	s_waitcnt lgkmcnt(0)
	s_waitcnt_depctr 0xffe3
	s_barrier
	ds_load_b32 v4, v8
	s_waitcnt lgkmcnt(0)
	s_waitcnt_depctr 0xffe3
	s_barrier
	ds_sub_u32 v8, v0
	v_add_co_u32 v0, vcc_lo, s2, v1
	s_delay_alu instid0(VALU_DEP_1)
	v_add_co_ci_u32_e64 v1, null, s3, v2, vcc_lo
	v_add_nc_u32_e32 v2, v4, v3
	global_store_b32 v[0:1], v2, off
	s_endpgm

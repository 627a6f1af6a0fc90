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
	v_add_nc_u32_e32 v7, 33, v0
	v_mbcnt_lo_u32_b32 v8, exec_lo, 0
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
	global_load_b32 v5, v[3:4], off
	v_cvt_f64_u32_e32 v[3:4], s4
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 1), 1
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_cvt_f32_f64_e32 v3, v[3:4]
	v_rcp_f32_e32 v3, v3
	s_waitcnt_depctr 0xfff
	v_add_nc_u32_e32 v3, 0xffffffe, v3
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_max_f32_e32 v3, 0, v3
	v_cvt_u32_f32_e32 v3, v3
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_mul_lo_u32 v4, s4, v3
	v_sub_nc_u32_e32 v4, 0, v4
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_2)
	v_mul_lo_u32 v6, v4, v3
	v_mul_hi_u32 v4, v4, v3
	v_add_co_u32 v6, vcc_lo, v6, 0
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_3) | instid1(VALU_DEP_3)
	v_add_co_ci_u32_e64 v3, null, v4, v3, vcc_lo
	v_not_b32_e32 v4, v0
	v_lshlrev_b32_e32 v6, 2, v0
	s_cselect_b32 vcc_lo, -1, 0
	v_mul_hi_u32 v3, v3, v7
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_add_lshl_u32 v4, s4, v4, 2
	v_mul_u32_u24_e32 v3, s4, v3
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_sub_nc_u32_e32 v3, v7, v3
	v_subrev_nc_u32_e32 v7, s4, v3
	s_delay_alu instid0(VALU_DEP_1)
	v_min_u32_e32 v3, v3, v7
	s_waitcnt vmcnt(0)
	v_lshl_add_u32 v5, v5, 1, v5
	ds_store_b32 v6, v5 offset:1024
	s_waitcnt lgkmcnt(0)
	s_waitcnt_depctr 0xffe3
	s_barrier
	ds_load_b32 v4, v4 offset:1024
	v_subrev_nc_u32_e32 v5, s4, v3
	s_waitcnt lgkmcnt(0)
	s_waitcnt_depctr 0xffe3
	s_barrier
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_2)
	v_min_u32_e32 v3, v3, v5
	v_mov_b32_e32 v5, 0
	v_lshl_add_u32 v3, v3, 2, 0x400
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_2) | instid1(VALU_DEP_2)
	v_cndmask_b32_e32 v3, 0x3fc, v3, vcc_lo
	v_and_b32_e32 v7, 1, v4
	v_add_nc_u32_e32 v0, v4, v0
	v_cmp_ne_u32_e32 vcc_lo, 0, v7
	ds_store_b32 v6, v0 offset:1024
	s_waitcnt lgkmcnt(0)
	s_waitcnt_depctr 0xffe3
	s_barrier
	s_bcnt1_i32_b32 s0, vcc_lo
	v_cmp_eq_u32_e32 vcc_lo, 0, v8
	ds_load_b32 v3, v3
	v_cndmask_b32_e64 v0, 0, s0, vcc_lo
	ds_add_u32 v5, v0
	s_waitcnt lgkmcnt(0)
	s_waitcnt_depctr 0xffe3
	s_barrier
	ds_load_b32 v4, v5
	s_waitcnt lgkmcnt(0)
	s_waitcnt_depctr 0xffe3
	s_barrier
	ds_sub_u32 v5, v0
	v_add_co_u32 v0, vcc_lo, s2, v1
	s_delay_alu instid0(VALU_DEP_1)
	v_add_co_ci_u32_e64 v1, null, s3, v2, vcc_lo
	v_add_nc_u32_e32 v2, v4, v3
	global_store_b32 v[0:1], v2, off
	s_endpgm

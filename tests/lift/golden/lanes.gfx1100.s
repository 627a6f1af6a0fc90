lanes:
	s_clause 0x1
	s_load_b32 s4, s[0:1], 0x1c
	s_load_b128 s[0:3], s[0:1], 0x0
	v_mbcnt_lo_u32_b32 v4, -1, 0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s4, 0xffff
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_mad_u64_u32 v[1:2], null, s15, s4, v[0:1]
	v_ashrrev_i32_e32 v2, 31, v1
	v_mul_lo_u32 v6, v1, 6
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_lshlrev_b64 v[2:3], 2, v[1:2]
	v_ashrrev_i32_e32 v7, 31, v6
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add_co_u32 v2, vcc_lo, v2, s0
	v_add_co_ci_u32_e64 v3, null, s1, v3, vcc_lo
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_4) | instid1(VALU_DEP_1)
	v_lshlrev_b64 v[6:7], 2, v[6:7]
	s_mov_b32 s1, 0
	s_mov_b32 s0, exec_lo
	global_load_b32 v2, v[2:3], off
	v_xor_b32_e32 v3, 16, v4
	v_cmp_gt_i32_e32 vcc_lo, 32, v3
	v_cndmask_b32_e32 v3, v4, v3, vcc_lo
	s_delay_alu instid0(VALU_DEP_1)
	v_lshlrev_b32_e32 v1, 2, v3
	v_and_b32_e32 v3, 31, v0
	v_add_co_u32 v0, vcc_lo, v6, s2
	s_waitcnt vmcnt(0)
	ds_bpermute_b32 v5, v1, v2
	v_add_co_ci_u32_e64 v1, null, s3, v7, vcc_lo
.LBB0_1:
	s_ctz_i32_b32 s2, s0
	s_delay_alu instid0(SALU_CYCLE_1)
	v_readlane_b32 s3, v2, s2
	s_bitset0_b32 s0, s2
	s_max_u32 s1, s1, s3
	s_cmp_lg_u32 s0, 0
	s_cbranch_scc1 .LBB0_1
	v_xor_b32_e32 v6, 8, v4
	v_xor_b32_e32 v7, 4, v4
	v_xor_b32_e32 v9, 1, v4
	s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v5, v5, v2
	v_cmp_lt_i32_e64 s0, 40, v2
	v_cmp_gt_i32_e32 vcc_lo, 32, v6
	v_readlane_b32 s2, v2, 3
	v_add_nc_u32_e32 v8, 2, v4
	v_cndmask_b32_e32 v6, v4, v6, vcc_lo
	v_cmp_gt_i32_e32 vcc_lo, 32, v7
	v_cndmask_b32_e32 v7, v4, v7, vcc_lo
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_4)
	v_lshlrev_b32_e32 v7, 2, v7
	v_lshlrev_b32_e32 v6, 2, v6
	ds_bpermute_b32 v6, v6, v5
	s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v5, v6, v5
	ds_bpermute_b32 v6, v7, v5
	v_xor_b32_e32 v7, 2, v4
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_cmp_gt_i32_e32 vcc_lo, 32, v7
	v_cndmask_b32_e32 v7, v4, v7, vcc_lo
	v_lshlrev_b32_e32 v7, 2, v7
	s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v5, v6, v5
	ds_bpermute_b32 v6, v7, v5
	v_or_b32_e32 v7, 15, v4
	s_delay_alu instid0(VALU_DEP_1)
	v_cmp_gt_i32_e32 vcc_lo, v8, v7
	v_cndmask_b32_e32 v7, v8, v4, vcc_lo
	v_cmp_gt_i32_e32 vcc_lo, 32, v9
	v_dual_cndmask_b32 v8, v4, v9 :: v_dual_add_nc_u32 v9, -1, v4
	s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v10, v6, v5
	v_lshlrev_b32_e32 v7, 2, v7
	s_delay_alu instid0(VALU_DEP_3)
	v_lshlrev_b32_e32 v8, 2, v8
	v_cmp_gt_i32_e32 vcc_lo, 0, v9
	v_and_b32_e32 v5, 1, v2
	ds_bpermute_b32 v7, v7, v2
	v_cndmask_b32_e32 v4, v9, v4, vcc_lo
	ds_bpermute_b32 v9, v8, v10
	v_cmp_gt_i32_e32 vcc_lo, 48, v2
	v_mov_b32_e32 v8, s1
	v_lshlrev_b32_e32 v4, 2, v4
	s_cmp_eq_u32 vcc_lo, exec_lo
	v_cmp_ne_u32_e32 vcc_lo, 0, v5
	s_cselect_b32 s3, -1, 0
	ds_bpermute_b32 v4, v4, v2
	v_cndmask_b32_e64 v2, 0, 1, s3
	s_cmp_eq_u32 s0, 0
	v_bfe_u32 v3, vcc_lo, 0, v3
	s_cselect_b32 s0, 0, 2
	s_waitcnt lgkmcnt(2)
	v_mad_u64_u32 v[5:6], null, v7, 3, s[2:3]
	v_or_b32_e32 v7, s0, v2
	v_bcnt_u32_b32 v6, v3, 0
	s_waitcnt lgkmcnt(1)
	v_add_nc_u32_e32 v3, v9, v10
	global_store_b64 v[0:1], v[7:8], off offset:16
	s_waitcnt lgkmcnt(0)
	global_store_b128 v[0:1], v[3:6], off
	s_endpgm

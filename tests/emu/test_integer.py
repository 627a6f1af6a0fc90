"""Integer, bit and lane-mask instructions against Python's integers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.emu.conftest import Machine

M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def s32(x: int) -> int:
    return x - (x >> 31 << 32)


def s64(x: int) -> int:
    return x - (x >> 63 << 64)


def s16(x: int) -> int:
    x &= 0xFFFF
    return x - (x >> 15 << 16)


def s24(x: int) -> int:
    x &= 0xFFFFFF
    return x - (x >> 23 << 24)


def clip(x: int, low: int, high: int) -> int:
    return max(low, min(high, x))


def values(seed: int, count: int = 256) -> np.ndarray:
    rng = np.random.default_rng(seed)
    edge = np.array(
        [0, 1, 2, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0x80000001, M32, 0xFFFF, 0x10000, 0x8000, 0xFF], np.uint32
    )
    x = rng.integers(0, 1 << 32, count, dtype=np.uint64).astype(np.uint32)
    x[: count // 2] = rng.choice(edge, count // 2)
    x[count // 2 : 3 * count // 4] >>= rng.integers(0, 32, count // 4).astype(np.uint32)
    return x


def byte_sum(a: int, b: int, masked: bool) -> int:
    pairs = [((a >> i) & 255, (b >> i) & 255) for i in (0, 8, 16, 24)]
    return sum(abs(p - q) for p, q in pairs if not (masked and q == 0))


def perm(a: int, b: int, selector: int) -> int:
    data, result = a << 32 | b, 0
    for i in range(4):
        s = selector >> 8 * i & 255
        byte = (
            255
            if s >= 13
            else 0
            if s == 12
            else 255 * (data >> (16 * (s - 8) + 15) & 1)
            if s >= 8
            else data >> 8 * s & 255
        )
        result |= byte << 8 * i
    return result


def field(a: int, offset: int, width: int, signed: bool) -> int:
    value = ((s32(a) if signed else a) >> offset) & ((1 << width) - 1)
    return value - (value >> (width - 1) << width) if signed and width else value


TERNARY: dict[str, Callable[[int, int, int], int]] = {
    "v_mad_i32_i24": lambda a, b, c: s24(a) * s24(b) + c,
    "v_mad_u32_u24": lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF) + c,
    "v_bfe_u32": lambda a, b, c: field(a, b & 31, c & 31, False),
    "v_bfe_i32": lambda a, b, c: field(a, b & 31, c & 31, True),
    "v_bfi_b32": lambda a, b, c: (a & b) | (~a & c),
    "v_alignbit_b32": lambda a, b, c: (a << 32 | b) >> (c & 31),
    "v_alignbyte_b32": lambda a, b, c: (a << 32 | b) >> 8 * (c & 3),
    "v_lerp_u8": lambda a, b, c: sum(
        (((a >> i) & 255) + ((b >> i) & 255) + (c >> i & 1)) // 2 << i for i in (0, 8, 16, 24)
    ),
    "v_min3_i32": lambda a, b, c: min(map(s32, (a, b, c))),
    "v_min3_u32": min,
    "v_max3_i32": lambda a, b, c: max(map(s32, (a, b, c))),
    "v_max3_u32": max,
    "v_med3_i32": lambda a, b, c: sorted(map(s32, (a, b, c)))[1],
    "v_med3_u32": lambda a, b, c: sorted((a, b, c))[1],
    "v_maxmin_u32": lambda a, b, c: min(max(a, b), c),
    "v_minmax_i32": lambda a, b, c: max(min(s32(a), s32(b)), s32(c)),
    "v_sad_u8": lambda a, b, c: byte_sum(a, b, False) + c,
    "v_sad_hi_u8": lambda a, b, c: (byte_sum(a, b, False) << 16) + c,
    "v_sad_u16": lambda a, b, c: abs((a & 65535) - (b & 65535)) + abs((a >> 16) - (b >> 16)) + c,
    "v_sad_u32": lambda a, b, c: abs(a - b) + c,
    "v_msad_u8": lambda a, b, c: byte_sum(a, b, True) + c,
    "v_xor3_b32": lambda a, b, c: a ^ b ^ c,
    "v_perm_b32": perm,
    "v_xad_u32": lambda a, b, c: (a ^ b) + c,
    "v_lshl_add_u32": lambda a, b, c: (a << (b & 31)) + c,
    "v_add_lshl_u32": lambda a, b, c: (a + b) % 2**32 << (c & 31),
    "v_add3_u32": lambda a, b, c: a + b + c,
    "v_lshl_or_b32": lambda a, b, c: a << (b & 31) | c,
    "v_and_or_b32": lambda a, b, c: a & b | c,
    "v_or3_b32": lambda a, b, c: a | b | c,
    "v_dot4_u32_u8": lambda a, b, c: sum((a >> i & 255) * (b >> i & 255) for i in (0, 8, 16, 24)) + c,
    "v_dot8_u32_u4": lambda a, b, c: sum((a >> i & 15) * (b >> i & 15) for i in range(0, 32, 4)) + c,
}

BINARY: dict[str, Callable[[int, int], int]] = {
    "v_add_nc_u32": lambda a, b: a + b,
    "v_sub_nc_u32": lambda a, b: a - b,
    "v_subrev_nc_u32": lambda a, b: b - a,
    "v_mul_i32_i24": lambda a, b: s24(a) * s24(b),
    "v_mul_hi_i32_i24": lambda a, b: s24(a) * s24(b) >> 32,
    "v_mul_u32_u24": lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF),
    "v_mul_hi_u32_u24": lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF) >> 32,
    "v_min_i32": lambda a, b: min(s32(a), s32(b)),
    "v_max_i32": lambda a, b: max(s32(a), s32(b)),
    "v_min_u32": min,
    "v_max_u32": max,
    "v_lshlrev_b32": lambda a, b: b << (a & 31),
    "v_lshrrev_b32": lambda a, b: b >> (a & 31),
    "v_ashrrev_i32": lambda a, b: s32(b) >> (a & 31),
    "v_and_b32": lambda a, b: a & b,
    "v_or_b32": lambda a, b: a | b,
    "v_xor_b32": lambda a, b: a ^ b,
    "v_xnor_b32": lambda a, b: ~(a ^ b),
    "v_mul_lo_u32": lambda a, b: a * b,
    "v_mul_hi_u32": lambda a, b: a * b >> 32,
    "v_mul_hi_i32": lambda a, b: s32(a) * s32(b) >> 32,
    "v_bfm_b32": lambda a, b: ((1 << (a & 31)) - 1) << (b & 31),
    "v_bcnt_u32_b32": lambda a, b: a.bit_count() + b,
    "v_cvt_pk_u16_u32": lambda a, b: min(a, 65535) | min(b, 65535) << 16,
    "v_cvt_pk_i16_i32": lambda a, b: clip(s32(a), -32768, 32767) % 65536 | clip(s32(b), -32768, 32767) % 65536 << 16,
    "v_pk_add_u16": lambda a, b: (a + b) % 65536 | ((a >> 16) + (b >> 16)) % 65536 << 16,
    "v_pk_mul_lo_u16": lambda a, b: (a * b) % 65536 | ((a >> 16) * (b >> 16)) % 65536 << 16,
    "v_pk_ashrrev_i16": lambda a, b: (s16(b) >> (a & 15)) % 65536 | (s16(b >> 16) >> (a >> 16 & 15)) % 65536 << 16,
    "v_pk_min_i16": lambda a, b: min(s16(a), s16(b)) % 65536 | min(s16(a >> 16), s16(b >> 16)) % 65536 << 16,
}

UNARY: dict[str, Callable[[int], int]] = {
    "v_mov_b32": lambda a: a,
    "v_not_b32": lambda a: ~a,
    "v_bfrev_b32": lambda a: int(f"{a:032b}"[::-1], 2),
    "v_clz_i32_u32": lambda a: 32 - a.bit_length() if a else -1,
    "v_ctz_i32_b32": lambda a: (a & -a).bit_length() - 1 if a else -1,
    "v_cls_i32": lambda a: -1 if a in (0, M32) else 32 - (a ^ (M32 if a >> 31 else 0)).bit_length(),
    "v_cvt_u32_u16": lambda a: a & 65535,
    "v_cvt_i32_i16": s16,
}


def batches(table: dict[str, Callable[..., int]], size: int = 16) -> list[list[str]]:
    names = list(table)
    return [names[i : i + size] for i in range(0, len(names), size)]


@pytest.mark.parametrize("names", batches(TERNARY))
def test_three_operands(machine: Machine, names: list[str]) -> None:
    a, b, c = values(1), values(2), values(3)
    got = machine.lanes("\n".join(f"{n} v{40 + i}, v10, v11, v12" for i, n in enumerate(names)), [a, b, c], len(names))
    for name, result in zip(names, got, strict=True):
        want = [TERNARY[name](*x) & M32 for x in zip(a.tolist(), b.tolist(), c.tolist(), strict=True)]
        assert result.tolist() == want, name


@pytest.mark.parametrize("names", batches(BINARY))
def test_two_operands(machine: Machine, names: list[str]) -> None:
    a, b = values(4), values(5)
    got = machine.lanes("\n".join(f"{n} v{40 + i}, v10, v11" for i, n in enumerate(names)), [a, b], len(names))
    for name, result in zip(names, got, strict=True):
        assert result.tolist() == [BINARY[name](*x) & M32 for x in zip(a.tolist(), b.tolist(), strict=True)], name


def test_one_operand(machine: Machine) -> None:
    a = values(6)
    got = machine.lanes("\n".join(f"{n} v{40 + i}, v10" for i, n in enumerate(UNARY)), [a], len(UNARY))
    for (name, meaning), result in zip(UNARY.items(), got, strict=True):
        assert result.tolist() == [meaning(x) & M32 for x in a.tolist()], name


def test_clamp_saturates(machine: Machine) -> None:
    a, b, c = values(7), values(8), values(9)
    body = """
    v_add_nc_u32_e64 v40, v10, v11 clamp
    v_sub_nc_u32_e64 v41, v10, v11 clamp
    v_add_nc_i32 v42, v10, v11 clamp
    v_sub_nc_i32 v43, v10, v11 clamp
    v_mad_i32_i24 v44, v10, v11, v12 clamp
    v_pk_add_i16 v45, v10, v11 clamp
    v_pk_sub_u16 v46, v10, v11 clamp
    v_sad_u32 v47, v10, v11, v12 clamp
    """
    low, high = -(2**31), 2**31 - 1
    wants: list[Callable[[int, int, int], int]] = [
        lambda x, y, z: min(x + y, M32),
        lambda x, y, z: max(x - y, 0),
        lambda x, y, z: clip(s32(x) + s32(y), low, high),
        lambda x, y, z: clip(s32(x) - s32(y), low, high),
        lambda x, y, z: clip(s24(x) * s24(y) + s32(z), low, high),
        lambda x, y, z: (
            clip(s16(x) + s16(y), -32768, 32767) % 65536
            | clip(s16(x >> 16) + s16(y >> 16), -32768, 32767) % 65536 << 16
        ),
        lambda x, y, z: max((x & 65535) - (y & 65535), 0) | max((x >> 16) - (y >> 16), 0) << 16,
        lambda x, y, z: min(abs(x - y) + z, M32),
    ]
    got = machine.lanes(body, [a, b, c], len(wants))
    for i, (meaning, result) in enumerate(zip(wants, got, strict=True)):
        assert result.tolist() == [meaning(*x) & M32 for x in zip(a.tolist(), b.tolist(), c.tolist(), strict=True)], i


def test_carry_chain_adds_and_subtracts_64_bits(machine: Machine) -> None:
    parts = [values(i) for i in range(10, 14)]
    body = """
    v_add_co_u32 v40, vcc_lo, v10, v12
    v_add_co_ci_u32_e32 v41, vcc_lo, v11, v13, vcc_lo
    v_sub_co_u32 v42, s6, v10, v12
    v_sub_co_ci_u32_e64 v43, s7, v11, v13, s6
    v_cndmask_b32_e64 v44, 0, 1, s7
    """
    got = [g.tolist() for g in machine.lanes(body, parts, 5)]
    for i, (al, ah, bl, bh) in enumerate(zip(*(p.tolist() for p in parts), strict=True)):
        a, b = ah << 32 | al, bh << 32 | bl
        assert got[1][i] << 32 | got[0][i] == (a + b) & M64
        assert got[3][i] << 32 | got[2][i] == (a - b) & M64
        assert got[4][i] == (a < b)


def test_64_bit_multiply_add_and_shifts(machine: Machine) -> None:
    parts = [values(i) for i in range(20, 24)]
    body = """
    v_mad_u64_u32 v[40:41], s6, v10, v11, v[12:13]
    v_mad_i64_i32 v[42:43], null, v10, v11, v[12:13]
    v_lshlrev_b64 v[44:45], v10, v[12:13]
    v_lshrrev_b64 v[46:47], v10, v[12:13]
    v_ashrrev_i64 v[48:49], v10, v[12:13]
    v_cndmask_b32_e64 v50, 0, 1, s6
    """
    got = [g.tolist() for g in machine.lanes(body, parts, 11)]
    for i, (a, b, cl, ch) in enumerate(zip(*(p.tolist() for p in parts), strict=True)):
        c = ch << 32 | cl
        results = [got[2 * k + 1][i] << 32 | got[2 * k][i] for k in range(5)]
        wants = [a * b + c, s32(a) * s32(b) + c, c << (a & 63), c >> (a & 63), s64(c) >> (a & 63)]
        assert results == [w & M64 for w in wants]
        assert got[10][i] == (a * b + c > M64)


@pytest.mark.parametrize("kind", ["i32", "u32", "i64", "u64", "i16", "u16"])
def test_integer_comparisons(machine: Machine, kind: str) -> None:
    parts = [values(i) for i in range(30, 34)]
    for k in (0, 1):
        parts[k + 2][::3] = parts[k][::3]
    width = int(kind[1:])
    first, second = ("v[10:11]", "v[12:13]") if width == 64 else ("v10", "v12")
    names = ["lt", "eq", "le", "gt", "ne", "ge"]
    body = "\n".join(
        f"v_cmp_{n}_{kind} vcc_lo, {first}, {second}\nv_cndmask_b32_e64 v{40 + i}, 0, 1, vcc_lo"
        for i, n in enumerate(names)
    )
    if width == 16:
        body = body.replace("v10,", "v10.l,").replace("v12\n", "v12.l\n")
    got = machine.lanes(body, parts, len(names))
    for i, (al, ah, bl, bh) in enumerate(zip(*(p.tolist() for p in parts), strict=True)):
        a, b = ((ah << 32 | al) & ((1 << width) - 1), (bh << 32 | bl) & ((1 << width) - 1))
        if kind[0] == "i":
            a, b = (x - (x >> (width - 1) << width) for x in (a, b))
        assert [int(g[i]) for g in got] == [a < b, a == b, a <= b, a > b, a != b, a >= b]


def test_16_bit_halves(machine: Machine) -> None:
    a, b = values(40), values(41)
    body = """
    v_mov_b32 v40, v10
    v_add_nc_u16 v40, v10, v11 op_sel:[1,0,1]
    v_mov_b32 v41, v10
    v_add_nc_u16 v41, v10, v11 op_sel:[0,1,0]
    v_mov_b32 v42, -1
    v_mov_b16 v42.h, v10.l
    v_mov_b32 v43, -1
    v_mov_b16 v43.l, v10.h
    """
    got = [g.tolist() for g in machine.lanes(body, [a, b], 4)]
    for i, (x, y) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        assert got[0][i] == (x & 0xFFFF) | ((x >> 16) + y) % 65536 << 16
        assert got[1][i] == (x & 0xFFFF0000) | (x + (y >> 16)) % 65536
        assert got[2][i] == 0xFFFF | (x & 0xFFFF) << 16
        assert got[3][i] == 0xFFFF0000 | x >> 16


SCALAR: dict[str, tuple[Callable[[int, int], int], Callable[[int, int, int], int]]] = {
    "s_add_u32": (lambda a, b: a + b, lambda a, b, r: a + b > M32),
    "s_sub_u32": (lambda a, b: a - b, lambda a, b, r: b > a),
    "s_add_i32": (lambda a, b: a + b, lambda a, b, r: s32(a) + s32(b) != s32(r)),
    "s_sub_i32": (lambda a, b: a - b, lambda a, b, r: s32(a) - s32(b) != s32(r)),
    "s_absdiff_i32": (lambda a, b: abs(s32((a - b) & M32)), lambda a, b, r: r != 0),
    "s_lshl2_add_u32": (lambda a, b: (a << 2) + b, lambda a, b, r: (a << 2) + b > M32),
    "s_min_i32": (lambda a, b: min(s32(a), s32(b)), lambda a, b, r: s32(a) < s32(b)),
    "s_max_u32": (max, lambda a, b, r: a >= b),
    "s_and_b32": (lambda a, b: a & b, lambda a, b, r: r != 0),
    "s_nand_b32": (lambda a, b: ~(a & b), lambda a, b, r: r != 0),
    "s_and_not1_b32": (lambda a, b: a & ~b, lambda a, b, r: r != 0),
    "s_lshl_b32": (lambda a, b: a << (b & 31), lambda a, b, r: r != 0),
    "s_ashr_i32": (lambda a, b: s32(a) >> (b & 31), lambda a, b, r: r != 0),
    "s_bfe_u32": (lambda a, b: field(a, b & 31, min(b >> 16 & 127, 32), False), lambda a, b, r: r != 0),
    "s_bfe_i32": (lambda a, b: field(a, b & 31, min(b >> 16 & 127, 32), True), lambda a, b, r: r != 0),
}


@pytest.mark.parametrize("name", SCALAR)
def test_scalar_arithmetic_and_scc(machine: Machine, name: str) -> None:
    a, b = values(50, 64), values(51, 64)
    # One lane of a wave gives the scalar operands: lane 0 of each wave.
    spread = [np.repeat(x, 32) for x in (a, b)]
    body = f"""
    v_readfirstlane_b32 s10, v10
    v_readfirstlane_b32 s11, v11
    {name} s12, s10, s11
    s_cselect_b32 s13, 1, 0
    v_mov_b32 v40, s12
    v_mov_b32 v41, s13
    """
    result, scc = machine.lanes(body, spread, 2)
    meaning, flag = SCALAR[name]
    for i, (x, y) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        want = meaning(x, y) & M32
        assert result[32 * i] == want, (x, y)
        assert scc[32 * i] == int(flag(x, y, want)), (x, y)


def test_scalar_64_bit(machine: Machine) -> None:
    parts = [np.repeat(values(i, 32), 32) for i in range(60, 63)]
    body = """
    v_readfirstlane_b32 s10, v10
    v_readfirstlane_b32 s11, v11
    v_readfirstlane_b32 s12, v12
    s_lshl_b64 s[14:15], s[10:11], s12
    s_ashr_i64 s[16:17], s[10:11], s12
    s_bfe_i64 s[18:19], s[10:11], s12
    s_not_b64 s[20:21], s[10:11]
    s_bcnt1_i32_b64 s22, s[10:11]
    s_clz_i32_u64 s23, s[10:11]
    v_mov_b32 v40, s14
    v_mov_b32 v41, s15
    v_mov_b32 v42, s16
    v_mov_b32 v43, s17
    v_mov_b32 v44, s18
    v_mov_b32 v45, s19
    v_mov_b32 v46, s20
    v_mov_b32 v47, s21
    v_mov_b32 v48, s22
    v_mov_b32 v49, s23
    """
    got = [g.tolist() for g in machine.lanes(body, parts, 10)]
    for i in range(0, len(parts[0]), 32):
        a, n = int(parts[1][i]) << 32 | int(parts[0][i]), int(parts[2][i])
        width = min(n >> 16 & 127, 64)
        piece = (s64(a) >> (n & 63)) & ((1 << width) - 1)
        piece -= piece >> (width - 1) << width if width else 0
        wants = [a << (n & 63), s64(a) >> (n & 63), piece, ~a]
        assert [got[2 * k + 1][i] << 32 | got[2 * k][i] for k in range(4)] == [w & M64 for w in wants]
        assert got[8][i] == a.bit_count() and got[9][i] == (64 - a.bit_length() if a else -1) & M32


def test_vopd_reads_before_it_writes(machine: Machine) -> None:
    a, b = values(70), values(71)
    body = """
    v_mov_b32 v40, v10
    v_mov_b32 v41, v11
    v_dual_mov_b32 v40, v41 :: v_dual_mov_b32 v41, v40
    v_dual_add_nc_u32 v43, v40, v41 :: v_dual_lshlrev_b32 v42, 3, v40
    """
    body = body.replace(
        "v_dual_add_nc_u32 v43, v40, v41 :: v_dual_lshlrev_b32 v42, 3, v40",
        "v_dual_mov_b32 v42, v41 :: v_dual_add_nc_u32 v43, 5, v40",
    )
    got = machine.lanes(body, [a, b], 4)
    assert (got[0] == b).all() and (got[1] == a).all() and (got[2] == a).all() and (got[3] == b + np.uint32(5)).all()


def test_dot_products_with_signs(machine: Machine) -> None:
    a, b, c = values(80), values(81), values(82)
    body = "v_dot4_i32_iu8 v40, v10, v11, v12 neg_lo:[1,0,0]\nv_dot8_i32_iu4 v41, v10, v11, v12 neg_lo:[1,1,0]"
    four, eight = machine.lanes(body, [a, b, c], 2)

    def signed(x: int, width: int) -> int:
        return x - (x >> (width - 1) << width)

    for i, (x, y, z) in enumerate(zip(a.tolist(), b.tolist(), c.tolist(), strict=True)):
        assert four[i] == (sum(signed(x >> k & 255, 8) * (y >> k & 255) for k in (0, 8, 16, 24)) + z) & M32
        assert eight[i] == (sum(signed(x >> k & 15, 4) * signed(y >> k & 15, 4) for k in range(0, 32, 4)) + z) & M32

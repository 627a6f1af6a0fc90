"""Rows that the manual's pseudocode does not settle, or that are no function of one lane, against host arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cassc.amdgpu.emulator import EmulatorFault
from tests.emu.conftest import Frame, Machine

RNG = np.random.default_rng(12)


def words(x: np.ndarray) -> list[np.ndarray]:
    """The register words of each element, low first."""
    return (
        [np.ascontiguousarray(x).view(np.uint32)] if x.dtype.itemsize == 4 else list(x.view(np.uint32).reshape(-1, 2).T)
    )


def doubles(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return (low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)).view(np.float64)


def division_operands(kind: Any) -> tuple[np.ndarray, np.ndarray]:
    info: Any = np.finfo(kind)
    special: list[Any] = [
        0,
        -0.0,
        1,
        -1,
        3,
        info.tiny,
        info.tiny / 8,
        info.smallest_subnormal,
        info.max,
        -info.max,
        info.max / 3,
        np.inf,
        -np.inf,
        np.nan,
    ]
    every = np.array(special, kind)
    a, b = np.tile(every, len(special)), np.repeat(every, len(special))
    exponents = RNG.uniform(np.log2(float(info.tiny)) - 20, np.log2(float(info.max)) - 1, (2, 800))
    with np.errstate(all="ignore"):
        x, y = (np.exp2(exponents) * RNG.choice([-1, 1], (2, 800))).astype(kind)
    return np.concatenate([a, x]), np.concatenate([b, y])


def test_division_of_f32_is_exact(machine: Machine) -> None:
    """v_div_scale_f32, v_div_fmas_f32 and v_div_fixup_f32 in the sequence that compilers make of a division."""
    a, b = division_operands(np.float32)
    body = """v_div_scale_f32 v20, null, v11, v11, v10
        v_div_scale_f32 v21, vcc_lo, v10, v11, v10
        v_rcp_f32 v22, v20
        v_fma_f32 v23, -v20, v22, 1.0
        v_fmac_f32 v22, v23, v22
        v_mul_f32 v23, v21, v22
        v_fma_f32 v24, -v20, v23, v21
        v_fmac_f32 v23, v24, v22
        v_fma_f32 v20, -v20, v23, v21
        v_div_fmas_f32 v20, v20, v22, v23
        v_div_fixup_f32 v40, v20, v11, v10"""
    (got,) = machine.lanes(body, [a, b])
    with np.errstate(all="ignore"):
        assert np.array_equal(got.view(np.float32), a / b, equal_nan=True)


def test_division_of_f64_is_exact(machine: Machine) -> None:
    """v_div_scale_f64, v_div_fmas_f64 and v_div_fixup_f64."""
    a, b = division_operands(np.float64)
    body = """v_div_scale_f64 v[20:21], null, v[12:13], v[12:13], v[10:11]
        v_rcp_f64 v[24:25], v[20:21]
        v_fma_f64 v[26:27], -v[20:21], v[24:25], 1.0
        v_fma_f64 v[24:25], v[24:25], v[26:27], v[24:25]
        v_fma_f64 v[26:27], -v[20:21], v[24:25], 1.0
        v_fma_f64 v[24:25], v[24:25], v[26:27], v[24:25]
        v_div_scale_f64 v[22:23], vcc_lo, v[10:11], v[12:13], v[10:11]
        v_mul_f64 v[26:27], v[22:23], v[24:25]
        v_fma_f64 v[20:21], -v[20:21], v[26:27], v[22:23]
        v_div_fmas_f64 v[20:21], v[20:21], v[24:25], v[26:27]
        v_div_fixup_f64 v[40:41], v[20:21], v[12:13], v[10:11]"""
    got = doubles(*machine.lanes(body, [*words(a), *words(b)], 2))
    with np.errstate(all="ignore"):
        assert np.array_equal(got, a / b, equal_nan=True)


def test_division_of_f16(machine: Machine) -> None:
    """v_div_fixup_f16 on a quotient in f32, as compilers make it."""
    a, b = (x.astype(np.float16) for x in division_operands(np.float16))
    body = """v_cvt_f32_f16 v20, v10
        v_cvt_f32_f16 v21, v11
        v_rcp_f32 v22, v21
        v_mul_f32 v23, v20, v22
        v_fma_f32 v24, -v21, v23, v20
        v_fmac_f32 v23, v24, v22
        v_cvt_f16_f32 v23, v23
        v_div_fixup_f16 v40, v23, v11, v10"""
    (got,) = machine.lanes(body, [x.view(np.uint16).astype(np.uint32) for x in (a, b)])
    mine = got.astype(np.uint16).view(np.float16)
    with np.errstate(all="ignore"):
        wanted = (a.astype(np.float64) / b.astype(np.float64)).astype(np.float16)
        close = np.abs(mine.astype(np.float64) - wanted) <= 2.0**-10 * np.maximum(
            np.abs(wanted.astype(np.float64)), 2.0**-14
        )
    assert ((mine == wanted) | close | (np.isnan(mine) & np.isnan(wanted))).all()


def test_sines_of_turns(machine: Machine) -> None:
    """v_sin_f32, v_cos_f32, v_sin_f16, v_cos_f16."""
    x = np.concatenate([RNG.uniform(-256, 256, 500), [0, 0.25, 0.5, 0.75, 1, -0.125]]).astype(np.float32)
    half = (x / 4).astype(np.float16)
    body = "v_sin_f32 v40, v10\nv_cos_f32 v41, v10\nv_sin_f16 v42, v11\nv_cos_f16 v43, v11"
    got = machine.lanes(body, [x, half.view(np.uint16).astype(np.uint32)], 4)
    for mine, function in ((got[0], np.sin), (got[1], np.cos)):
        assert np.allclose(
            mine.view(np.float32), function(2 * np.pi * np.fmod(x.astype(np.float64), 1)), rtol=0, atol=2e-7
        )
    for mine, function in ((got[2], np.sin), (got[3], np.cos)):
        values = (mine & 0xFFFF).astype(np.uint16).view(np.float16)
        assert np.allclose(values, function(2 * np.pi * np.fmod(half.astype(np.float64), 1)), rtol=0, atol=1e-3)


def test_bits_of_two_over_pi(machine: Machine) -> None:
    """v_trig_preop_f64: 53 bits of 2/pi from a place that the selector and the operand's exponent give."""
    two_over_pi = int(
        "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921cfe1deb1cb129a73ee88235f52ebb4484",
        16,
    )  # the first 512 bits behind the point
    selector = np.arange(8, dtype=np.uint32)
    one = np.ones(8)
    got = doubles(*machine.lanes("v_trig_preop_f64 v[40:41], v[10:11], v12", [*words(one), selector], 2))
    for n in range(8):
        window = two_over_pi >> (512 - 53 * (n + 1)) & ((1 << 53) - 1)
        assert got[n] == window * 2.0 ** (-53 * (n + 1))


def test_literals_and_accumulators(machine: Machine) -> None:
    """v_fmaak_f32, v_fmamk_f32, v_fmaak_f16, v_fmamk_f16, v_pk_fmac_f16, v_dot2acc_f32_f16."""
    a, b, c = RNG.integers(-8, 8, (3, 64)).astype(np.float32)
    h = [x.astype(np.float16) for x in (a, b, c)]
    packed = [x.view(np.uint16).astype(np.uint32) * 0x10001 for x in h]
    body = """v_fmaak_f32 v40, v10, v11, 0x40400000
        v_fmamk_f32 v41, v10, 0x40400000, v11
        v_fmaak_f16 v42, v13, v14, 0x4200
        v_fmamk_f16 v43, v13, 0x4200, v14
        v_mov_b32 v44, v15
        v_pk_fmac_f16 v44, v13, v14
        v_mov_b32 v45, v12
        v_dot2acc_f32_f16 v45, v13, v14"""
    got = machine.lanes(body, [a, b, c, *packed], 6)
    assert np.array_equal(got[0].view(np.float32), a * b + 3) and np.array_equal(got[1].view(np.float32), a * 3 + b)
    halves = [(x & 0xFFFF).astype(np.uint16).view(np.float16) for x in got[2:4]]
    assert np.array_equal(halves[0], h[0] * h[1] + 3) and np.array_equal(halves[1], h[0] * 3 + h[1])
    assert np.array_equal(got[4].view(np.float16).reshape(-1, 2)[:, 1], h[0] * h[1] + h[2])
    assert np.array_equal(got[5].view(np.float32), 2 * a * b + c)


def test_dot_products(machine: Machine) -> None:
    """v_dot2_f16_f16, v_dot2_bf16_bf16 and others, on numbers that all round to themselves."""
    x, y = RNG.integers(-4, 5, (2, 64, 2)).astype(np.float32)
    z = RNG.integers(-4, 5, 64).astype(np.float32)
    half = [np.ascontiguousarray(v.astype(np.float16)).view(np.uint32).reshape(-1) for v in (x, y)]
    brain = [(v.view(np.uint32)[:, 0] >> 16 | v.view(np.uint32)[:, 1] & 0xFFFF0000).astype(np.uint32) for v in (x, y)]
    zs = [z.astype(np.float16).view(np.uint16).astype(np.uint32), z.view(np.uint32) >> 16, z]
    nibbles = RNG.integers(0, 1 << 32, (2, 64), np.uint64).astype(np.uint32)
    body = """v_dot2_f16_f16 v40, v10, v11, v14
        v_dot2_bf16_bf16 v41, v12, v13, v15
        v_dot2_f32_bf16 v42, v12, v13, v16
        v_dot8_i32_iu4 v43, v17, v18, v19 neg_lo:[1,0,0]
        v_mov_b32 v44, 0x7777
        v_fma_mixhi_f16 v44, v10, v11, v16 op_sel_hi:[1,1,0]
        v_mov_b32 v45, 0"""
    total = np.full(64, 5, np.uint32)
    got = machine.lanes(body, [*half, *brain, *zs, *nibbles, total], 6)
    dot = (x * y).sum(1) + z
    assert np.array_equal((got[0] & 0xFFFF).astype(np.uint16).view(np.float16), dot)
    assert np.array_equal((got[1] << 16).view(np.float32), dot) and np.array_equal(got[2].view(np.float32), dot)
    for n in range(64):
        a, b = ([int(w) >> (4 * k) & 15 for k in range(8)] for w in nibbles[:, n])
        assert int(got[3].view(np.int32)[n]) == 5 + sum((p - 16 if p > 7 else p) * q for p, q in zip(a, b, strict=True))
    assert (
        np.array_equal((got[4] >> 16).astype(np.uint16).view(np.float16), x[:, 0] * y[:, 0] + z)
        and (got[4] & 0xFFFF == 0x7777).all()
    )


def test_masked_differences(machine: Machine) -> None:
    """v_mqsad_u32_u8: four sums of absolute differences of bytes, where the reference's byte is not zero."""
    source, reference = RNG.bytes(8), b"\x11\0\x77\xfe"
    body = "v_mqsad_u32_u8 v[40:43], v[10:11], v12, v[14:17]"
    inputs = [np.frombuffer(source, np.uint32)[k : k + 1].repeat(32) for k in range(2)]
    inputs += [np.frombuffer(reference, np.uint32).repeat(32), np.zeros(32, np.uint32)]
    inputs += [np.full(32, 100 * k, np.uint32) for k in range(4)]
    got = machine.lanes(body, inputs, 4)
    for k in range(4):
        wanted = 100 * k + sum(abs(a - b) for a, b in zip(source[k : k + 4], reference, strict=True) if b)
        assert (got[k] == wanted).all()


def test_offset_table(machine: Machine) -> None:
    """v_cvt_off_f32_i4: a signed nibble in sixteenths."""
    nibble = np.arange(16, dtype=np.uint32)
    (got,) = machine.lanes("v_cvt_off_f32_i4 v40, v10", [nibble])
    assert np.array_equal(
        got.view(np.float32), (np.where(nibble > 7, nibble.astype(np.int32) - 16, nibble) / 16).astype(np.float32)
    )


def test_relative_registers(machine: Machine) -> None:
    """v_movrels_b32, v_movreld_b32, v_movrelsd_b32, v_movrelsd_2_b32, v_swaprel_b32"""
    a = np.arange(32, dtype=np.uint32)
    body = """v_nop
        v_pipeflush
        s_mov_b32 m0, 2
        v_movrels_b32 v40, v10
        v_movreld_b32 v39, v11
        v_movrelsd_b32 v40, v10
        s_mov_b32 m0, 0x30001
        v_movrelsd_2_b32 v40, v10
        s_mov_b32 m0, 0x30003
        v_mov_b32 v44, v12
        v_swaprel_b32 v41, v10
        v_mov_b32 v45, v13"""
    got = machine.lanes(body, [a, a + 100, a + 200, a + 300], 6)
    # v13 and v44 change places; v43 comes from the move with two offsets.
    assert np.array_equal(got[0], a + 200) and np.array_equal(got[1], a + 100) and np.array_equal(got[2], a + 200)
    assert np.array_equal(got[3], a + 100) and np.array_equal(got[4], a + 300) and np.array_equal(got[5], a + 200)


def test_relative_registers_under_dpp(machine: Machine) -> None:
    a = np.arange(32, dtype=np.uint32)
    body = "s_mov_b32 m0, 1\nv_movrels_b32_dpp v40, v10 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf"
    (got,) = machine.lanes(body, [a, a + 100])
    assert np.array_equal(got, (a ^ 3) + 100)


def test_scalar_relative_registers_and_messages(machine: Machine) -> None:
    body = """s_version 6
        s_mov_b64 s[20:21], 0x1234
        s_mov_b32 s22, 0x77
        s_mov_b32 s23, 0x88
        s_mov_b32 m0, 2
        s_movrels_b32 s30, s20
        s_movrels_b64 s[32:33], s[20:21]
        s_movreld_b32 s32, s20
        s_movreld_b64 s[34:35], s[22:23]
        s_mov_b32 m0, 0x10003
        s_movrelsd_2_b32 s39, s20
        s_sendmsg_rtn_b64 s[44:45], sendmsg(MSG_RTN_GET_REALTIME)
        s_sendmsg_rtn_b32 s46, sendmsg(MSG_RTN_GET_DOORBELL)
        s_waitcnt_vmcnt null, 0
        s_waitcnt_expcnt null, 0
        s_waitcnt_lgkmcnt null, 0
        s_subvector_loop_begin s47, .Lonce
        v_mov_b32 v40, s30
        s_subvector_loop_end s47, .Lonce
        .Lonce:
        v_mov_b32 v41, s33
        v_mov_b32 v42, s34
        v_mov_b32 v43, s37
        v_mov_b32 v44, s40
        v_mov_b32 v45, s44"""
    got = machine.lanes(body, [np.zeros(32, np.uint32)], 6)
    assert [int(x[0]) for x in got[:5]] == [0x77, 0x88, 0x1234, 0x88, 0x88] and int(got[5][0]) != 0


def test_handlers_return_is_refused_by_name(machine: Machine) -> None:
    with pytest.raises(EmulatorFault, match="s_rfe_b64"):
        machine.launch(machine.build("s_rfe_b64 s[0:1]", Frame(kernarg=0)))


def test_swaps_and_other_halves(machine: Machine) -> None:
    """v_swap_b32, v_swap_b16, v_permlane64_b32 (of a wave of 32: nothing)."""
    a, b = RNG.integers(0, 1 << 32, (2, 32), np.uint64).astype(np.uint32)
    body = """v_mov_b32 v40, v10
        v_mov_b32 v41, v11
        v_swap_b32 v40, v41
        v_mov_b32 v42, v10
        v_mov_b32 v43, v11
        v_swap_b16 v42.l, v43.h
        v_mov_b32 v44, v11
        v_permlane64_b32 v44, v10"""
    got = machine.lanes(body, [a, b], 5)
    assert np.array_equal(got[0], b) and np.array_equal(got[1], a) and np.array_equal(got[4], b)
    assert np.array_equal(got[2], a & 0xFFFF0000 | b >> 16) and np.array_equal(got[3], b & 0xFFFF | a << 16)


def test_rounding_of_halves(machine: Machine) -> None:
    """v_rndne_f16"""
    every = np.arange(1 << 16, dtype=np.uint32)
    (got,) = machine.lanes("v_rndne_f16 v40, v10", [every])
    with np.errstate(all="ignore"):
        wanted = np.rint(every.astype(np.uint16).view(np.float16))
    assert np.array_equal(got.astype(np.uint16).view(np.float16), wanted, equal_nan=True)


def test_scalar_rounding_of_halves(other_machine: Callable[[str], Machine]) -> None:
    """s_rndne_f16"""
    values = np.array([0x6511, 0xE629, 0x3800, 0x3E00, 0xB800, 0x7C00], np.uint16)
    body = "".join(
        f"s_mov_b32 s20, {int(v):#x}\ns_rndne_f16 s20, s20\nv_mov_b32 v{40 + n}, s20\n" for n, v in enumerate(values)
    )
    got = other_machine("gfx1150").lanes(body, [np.zeros(32, np.uint32)], len(values))
    mine = np.array([x[0] for x in got], np.uint16).view(np.float16)
    assert np.array_equal(mine, np.rint(values.view(np.float16)))


def test_fractions(machine: Machine) -> None:
    """v_fract_f32, v_fract_f64, v_fract_f16: x - floor(x), below one, and a NaN of a NaN or an infinity."""
    x = np.concatenate([RNG.normal(0, 9, 200), [-1e-30, -(2.0**-26), 0.5, -0.5, np.nan, np.inf, -np.inf]])
    single, half = x.astype(np.float32), x.astype(np.float16)
    body = "v_fract_f64 v[40:41], v[10:11]\nv_fract_f32 v42, v12\nv_fract_f16 v43, v13"
    got = machine.lanes(body, [*words(x), single, half.view(np.uint16).astype(np.uint32)], 4)
    mine: list[Any] = [
        doubles(got[0], got[1]),
        got[2].view(np.float32),
        (got[3] & 0xFFFF).astype(np.uint16).view(np.float16),
    ]
    sources: list[Any] = [x, single, half]
    for given, result in zip(sources, mine, strict=True):
        with np.errstate(all="ignore"):
            wanted = np.minimum(given - np.floor(given), np.nextafter(given.dtype.type(1), given.dtype.type(0)))
        assert np.array_equal(result, wanted, equal_nan=True)


@pytest.mark.parametrize("kind", ["bf16_16x16x16_bf16", "f16_16x16x16_f16", "f32_16x16x16_bf16", "i32_16x16x16_iu4"])
def test_matrices_of_other_types(machine: Machine, kind: str) -> None:
    """v_wmma_bf16_16x16x16_bf16, v_wmma_f16_16x16x16_f16, v_wmma_f32_16x16x16_bf16, v_wmma_i32_16x16x16_iu4"""
    a, b, c = RNG.integers(-3, 4, (3, 16, 16)).astype(np.float32)
    lane = np.arange(32)
    inner, outer = kind.split("_")[2], kind.split("_")[0]

    def coded(x: np.ndarray, name: str) -> np.ndarray:
        """Elements as integers of their width."""
        if name == "f16":
            return x.astype(np.float16).view(np.uint16).astype(np.uint32)
        return x.view(np.uint32) >> 16 if name == "bf16" else x.astype(np.int32).view(np.uint32) & 15

    per = 8 if inner == "iu4" else 2
    inputs = []
    for matrix in (a, b.T):
        elements = coded(np.ascontiguousarray(matrix), inner)[lane % 16]  # [lane][k]
        for k in range(0, 16, per):
            shifts = np.uint32(32 // per) * np.arange(per, dtype=np.uint32)
            inputs.append((elements[:, k : k + per] << shifts).sum(1).astype(np.uint32))
    sums = [np.array([c[2 * r + n // 16, n % 16] for n in lane], np.float32) for r in range(8)]
    inputs += [
        s.astype(np.int32).view(np.uint32)
        if outer == "i32"
        else s.view(np.uint32)
        if outer == "f32"
        else coded(s, outer)
        for s in sums
    ]
    count = 16 // per
    at = 10 + 2 * count
    first, second = f"v[10:{9 + count}]", f"v[{10 + count}:{9 + 2 * count}]"
    signs = " neg_lo:[1,1,0]" if inner == "iu4" else ""
    got = machine.lanes(f"v_wmma_{kind} v[40:47], {first}, {second}, v[{at}:{at + 7}]{signs}", inputs, 8)
    wanted = a @ b + c
    for r in range(8):
        raw = got[r]
        value = {
            "i32": lambda raw=raw: raw.view(np.int32).astype(np.float32),
            "f32": lambda raw=raw: raw.view(np.float32),
            "f16": lambda raw=raw: (raw & 0xFFFF).astype(np.uint16).view(np.float16).astype(np.float32),
            "bf16": lambda raw=raw: (raw << 16).view(np.float32),
        }[outer]()
        assert np.array_equal(value, [wanted[2 * r + n // 16, n % 16] for n in lane])

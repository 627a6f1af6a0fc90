"""Floating point against numpy and exact rational arithmetic, in every rounding and denormal mode."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from tests.emu.conftest import Frame, Machine

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

NEAREST, UP, DOWN, ZERO = range(4)
SPECIAL32 = [
    0, 1, 2, 0x7FFFFF, 0x800000, 0x800001, 0x1000000, 0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x3FC00000, 0x40490FDB,
    0x4B000001,
    0x4F000000, 0x5F000000, 0x7E800000, 0x7F000000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000,
]  # fmt: skip
SPECIAL64 = [
    0, 1, 0xFFFFFFFFFFFFF, 0x10000000000000, 0x3FEFFFFFFFFFFFFF, 0x3FF0000000000000, 0x3FF0000000000001,
    0x41DFFFFFFFC00000,
    0x41F0000000000000, 0x43E0000000000000, 0x7FD0000000000001, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000,
    0x7FF8000000000000,
]  # fmt: skip


def f32(seed: int, count: int = 1024) -> np.ndarray:
    """Special values with both signs, values of ordinary size, and random bits."""
    rng = np.random.default_rng(seed)
    special = np.array(SPECIAL32 + [x | 1 << 31 for x in SPECIAL32], np.uint32)
    bits = rng.integers(0, 1 << 32, count, dtype=np.uint64).astype(np.uint32)
    bits[: count // 4] = rng.choice(special, count // 4)
    ordinary = (rng.normal(size=count // 4) * 2.0 ** rng.integers(-8, 8, count // 4)).astype(np.float32)
    bits[count // 4 : count // 2] = ordinary.view(np.uint32)
    return bits


def f64(seed: int, count: int = 512) -> np.ndarray:
    rng = np.random.default_rng(seed)
    special = np.array(SPECIAL64 + [x | 1 << 63 for x in SPECIAL64], np.uint64)
    bits = rng.integers(0, 1 << 64, count, dtype=np.uint64)
    bits[: count // 4] = rng.choice(special, count // 4)
    bits[count // 4 : count // 2] = rng.normal(size=count // 4).view(np.uint64)
    return bits


def words(x: np.ndarray) -> list[np.ndarray]:
    """Low and high words of 64-bit values."""
    return [(x & np.uint64(0xFFFFFFFF)).astype(np.uint32), (x >> np.uint64(32)).astype(np.uint32)]


def joined(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)


def exact(value: float) -> Fraction:
    return Fraction(value)


def rounded(value: Fraction, mode: int, digits: int, low: int, high: int, zero_sign: int) -> float:
    """The value with ``digits`` significant bits; ``low`` is the exponent of the last place of denormals."""
    if value == 0:
        return -0.0 if zero_sign else 0.0
    sign = -1 if value < 0 else 1
    magnitude = abs(value)
    exponent = math.floor(math.log2(magnitude)) if magnitude < Fraction(2) ** 900 else 900
    while Fraction(2) ** exponent > magnitude:
        exponent -= 1
    while Fraction(2) ** (exponent + 1) <= magnitude:
        exponent += 1
    step = Fraction(2) ** max(exponent - digits + 1, low)
    count, rest = divmod(magnitude, step)
    away = {NEAREST: rest * 2 > step or (rest * 2 == step and count % 2 == 1), UP: rest > 0 and sign > 0,
            DOWN: rest > 0 and sign < 0, ZERO: False}[mode]  # fmt: skip
    result = (count + away) * step
    if result >= Fraction(2) ** (high + 1):
        largest = (Fraction(2) ** digits - 1) * Fraction(2) ** (high - digits + 1)
        infinite = mode == NEAREST or (mode == UP and sign > 0) or (mode == DOWN and sign < 0)
        return sign * (math.inf if infinite else float(largest))
    return sign * float(result)


def same32(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    g, w = got.view(np.float32), want.astype(np.float32)
    same: np.ndarray = (got == w.view(np.uint32)) | (np.isnan(g) & np.isnan(w))
    return same


def same64(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    g = got.view(np.float64)
    same: np.ndarray = (got == want.view(np.uint64)) | (np.isnan(g) & np.isnan(want))
    return same


BINARY: list[tuple[str, Callable[[np.ndarray, np.ndarray], np.ndarray]]] = [
    ("add", np.add),
    ("sub", np.subtract),
    ("subrev", lambda a, b: b - a),
    ("mul", np.multiply),
    ("max", np.fmax),
    ("min", np.fmin),
]


@pytest.mark.parametrize(("name", "meaning"), BINARY)
def test_f32_arithmetic(machine: Machine, name: str, meaning: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> None:
    a, b = f32(1), f32(2)
    (got,) = machine.lanes(f"v_{name}_f32 v40, v10, v11", [a, b], frame=Frame(ieee=0))
    want = meaning(a.view(np.float32), b.view(np.float32))
    if name in ("max", "min"):  # numpy leaves the sign of zero open
        zero = (a << 1 == 0) & (b << 1 == 0)
        want = np.where(zero, (a & b if name == "max" else a | b).view(np.float32), want)
    assert same32(got, want).all()


@pytest.mark.parametrize("name", ["add", "mul", "max", "min"])
def test_f64_arithmetic(machine: Machine, name: str) -> None:
    a, b = f64(1), f64(2)
    inputs = [*words(a), *words(b)]
    got = joined(*machine.lanes(f"v_{name}_f64 v[40:41], v[10:11], v[12:13]", inputs, 2, Frame(ieee=0)))
    want = dict(BINARY)[name](a.view(np.float64), b.view(np.float64))
    if name in ("max", "min"):
        zero = (a << np.uint64(1) == 0) & (b << np.uint64(1) == 0)
        want = np.where(zero, (a & b if name == "max" else a | b).view(np.float64), want)
    assert same64(got, want).all()


@pytest.mark.parametrize("mode", [NEAREST, UP, DOWN, ZERO])
def test_f32_fma_rounds_once(machine: Machine, mode: int) -> None:
    count = 384
    a, b, c = f32(3, count), f32(4, count), f32(5, count)
    # Products near the addend, where a second rounding would show.
    rng = np.random.default_rng(6)
    c[-128:] = (-(a.view(np.float32)[-128:] * b.view(np.float32)[-128:])).view(np.uint32) + rng.integers(
        0, 2, 128, dtype=np.uint32
    )
    (got,) = machine.lanes("v_fma_f32 v40, v10, v11, v12", [a, b, c], frame=Frame(round32=mode))
    x, y, z = (v.view(np.float32).astype(np.float64) for v in (a, b, c))
    for i in range(count):
        if not all(np.isfinite((x[i], y[i], z[i]))):
            want = x[i] * y[i] + z[i]
        else:
            value = exact(x[i]) * exact(y[i]) + exact(z[i])
            product_sign = math.copysign(1, x[i]) * math.copysign(1, y[i])
            minus = product_sign < 0 and math.copysign(1, z[i]) < 0
            opposite = (product_sign < 0) != (math.copysign(1, z[i]) < 0)
            want = rounded(value, mode, 24, -149, 127, minus or (opposite and mode == DOWN))
            if value == 0 and not opposite:
                want = -0.0 if minus else 0.0
        assert same32(got[i : i + 1], np.array([want], np.float32))[0], (i, x[i], y[i], z[i])


@pytest.mark.parametrize("mode", [NEAREST, UP, DOWN, ZERO])
def test_f64_fma_rounds_once(machine: Machine, mode: int) -> None:
    count = 256
    a, b, c = f64(3, count), f64(4, count), f64(5, count)
    inputs = [*words(a), *words(b), *words(c)]
    got = joined(*machine.lanes("v_fma_f64 v[40:41], v[10:11], v[12:13], v[14:15]", inputs, 2, Frame(round64=mode)))
    for i in range(count):
        x, y, z = (float(v.view(np.float64)[i]) for v in (a, b, c))
        if not all(map(math.isfinite, (x, y, z))) or exact(x) * exact(y) + exact(z) == 0:
            continue
        want = rounded(exact(x) * exact(y) + exact(z), mode, 53, -1074, 1023, 0)
        assert got[i] == np.float64(want).view(np.uint64), (i, x, y, z)


@pytest.mark.parametrize("mode", [NEAREST, UP, DOWN, ZERO])
@pytest.mark.parametrize(("name", "operation"), [("add", "+"), ("mul", "*"), ("sub", "-")])
def test_f32_rounding_modes(machine: Machine, name: str, operation: str, mode: int) -> None:
    a, b = f32(7, 512), f32(8, 512)
    setup = "" if mode == NEAREST else f"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), {mode}"
    (got,) = machine.lanes(f"v_{name}_f32 v40, v10, v11", [a, b], setup=setup)
    for i in range(512):
        x, y = float(a.view(np.float32)[i]), float(b.view(np.float32)[i])
        if not (math.isfinite(x) and math.isfinite(y)):
            continue
        value = {"+": exact(x) + exact(y), "*": exact(x) * exact(y), "-": exact(x) - exact(y)}[operation]
        if value == 0:
            continue
        assert same32(got[i : i + 1], np.array([rounded(value, mode, 24, -149, 127, 0)]))[0], (i, x, y)


def test_f32_and_f64_rounding_are_separate(machine: Machine) -> None:
    one, tiny = np.full(32, 0x3F800000, np.uint32), np.full(32, 0x2F800000, np.uint32)
    body = """
    s_round_mode 0x4
    v_add_f32 v40, v10, v11
    v_cvt_f64_f32 v[20:21], v10
    v_cvt_f64_f32 v[22:23], v11
    v_mul_f64 v[22:23], v[22:23], v[22:23]
    v_add_f64 v[42:43], v[20:21], v[22:23]
    v_mov_b32 v41, v42
    v_mov_b32 v42, v43
    s_round_mode 0x1
    v_add_f32 v43, v10, v11
    """
    single, low, high, up = machine.lanes(body, [one, tiny], 4)
    assert (single == 0x3F800000).all()
    assert (joined(low, high) == 0x3FF0000000000001).all()
    assert (up == 0x3F800001).all()


@pytest.mark.parametrize(
    ("mode", "keeps_source", "keeps_result"), [(0, False, False), (1, True, False), (2, False, True), (3, True, True)]
)
def test_f32_denormal_modes(machine: Machine, mode: int, keeps_source: bool, keeps_result: bool) -> None:
    denormal, small, half, two = (np.full(32, x, np.uint32) for x in (0x80400000, 0x00800000, 0x3F000000, 0x40000000))
    body = "v_mul_f32 v40, v10, v13\nv_mul_f32 v41, v11, v12\nv_max_f32 v42, v10, v10\nv_add_f32 v43, v10, v11"
    scaled, halved, kept, total = machine.lanes(body, [denormal, small, half, two], 4, Frame(denorm32=mode))
    assert scaled[0] == (0x80800000 if keeps_source else 0x80000000)
    assert halved[0] == (0x00400000 if keeps_result else 0)
    assert kept[0] == (0x80400000 if keeps_source else 0x80000000)
    exact_sum = 0x00400000 if keeps_result else 0
    assert total[0] == (exact_sum if keeps_source else 0x00800000)


def test_f64_denormals_can_be_flushed(machine: Machine) -> None:
    low, high = words(np.full(32, 0x0008000000000000, np.uint64))
    for mode, want in ((3, 0x0010000000000000), (0, 0)):
        got = joined(*machine.lanes("v_add_f64 v[40:41], v[10:11], v[10:11]", [low, high], 2, Frame(denorm64=mode)))
        assert (got == want).all()


def test_denorm_mode_instruction(machine: Machine) -> None:
    (got,) = machine.lanes(
        "s_denorm_mode 0xc\nv_mul_f32 v40, v10, v11\ns_denorm_mode 0xf",
        [np.full(32, 1, np.uint32), np.full(32, 0x4B000000, np.uint32)],
    )
    assert (got == 0).all()


def test_signaling_nan_and_ieee_mode(machine: Machine) -> None:
    signaling, one = np.full(32, 0x7F800001, np.uint32), np.full(32, 0x3F800000, np.uint32)
    (ieee,) = machine.lanes("v_min_f32 v40, v10, v11", [signaling, one], frame=Frame(ieee=1))
    (plain,) = machine.lanes("v_min_f32 v40, v10, v11", [signaling, one], frame=Frame(ieee=0))
    assert (ieee == 0x7FC00001).all() and (plain == 0x3F800000).all()


def test_invalid_operations_give_the_positive_nan(machine: Machine) -> None:
    infinity, zero = np.full(32, 0x7F800000, np.uint32), np.zeros(32, np.uint32)
    got = machine.lanes(
        "v_sub_f32 v40, v10, v10\nv_mul_f32 v41, v10, v11\nv_fma_f32 v42, v10, v11, v11\nv_sqrt_f32 v43, -1.0",
        [infinity, zero],
        4,
    )
    assert all((g == 0x7FC00000).all() for g in got)


def flushed(v: np.ndarray) -> np.ndarray:
    """Denormal f32 values become zeros of the same sign."""
    return np.where(np.abs(v) < 2.0**-126, np.copysign(np.float32(0), v), v).astype(np.float32)


@pytest.mark.parametrize("dx10", [0, 1])
def test_modifiers(machine: Machine, dx10: int) -> None:
    a, b = f32(11), f32(12)
    x, y = a.view(np.float32), b.view(np.float32)
    body = """
    v_add_f32_e64 v40, -v10, |v11|
    v_mul_f32_e64 v41, v10, -|v11| clamp
    v_fma_f32 v42, |v10|, v11, -v10
    v_mul_f32_e64 v43, v10, v11 mul:2
    """
    got = machine.lanes(body, [a, b], 4, Frame(dx10_clamp=dx10, ieee=0, denorm32=0))
    x, y = flushed(x), flushed(y)
    assert same32(got[0], flushed(-x + np.abs(y))).all()
    product = x * -np.abs(y)
    clamped = np.where(np.isnan(product), 0 if dx10 else product, np.clip(product, 0, 1)).astype(np.float32)
    assert same32(got[1] & 0x7FFFFFFF, np.abs(flushed(clamped))).all()
    twice = flushed(flushed(x * y) * np.float32(2))
    assert same32(got[3], twice).all()


@pytest.mark.parametrize("frame", [Frame(ieee=1, denorm32=0), Frame(ieee=0, denorm32=3)], ids=["ieee", "denormals"])
def test_output_modifiers_are_ignored(machine: Machine, frame: Frame) -> None:
    """In IEEE mode, and where results may be denormals."""
    (got,) = machine.lanes("v_add_f32_e64 v40, v10, 1.0 mul:2", [np.full(32, 3.0, np.float32)], frame=frame)
    assert (got.view(np.float32) == 4.0).all()


def test_dx9_zero_multiplication(machine: Machine) -> None:
    a, b = f32(13), f32(14)
    (got,) = machine.lanes("v_mul_dx9_zero_f32 v40, v10, v11", [a, b])
    x, y = a.view(np.float32), b.view(np.float32)
    assert same32(got, np.where((x == 0) | (y == 0), np.float32(0), x * y)).all()


def ulps(got: np.ndarray, want: np.ndarray) -> int:
    """Largest distance in units in the last place, over the lanes where both are finite."""
    w = want.astype(np.float32)
    use = np.isfinite(w) & (w != 0) & (np.abs(w) >= 2.0**-126)
    return int(np.abs(got.view(np.int32)[use].astype(np.int64) - w.view(np.int32)[use].astype(np.int64)).max())


def test_transcendental_functions_are_within_one_ulp(machine: Machine) -> None:
    rng = np.random.default_rng(9)
    x = (rng.uniform(1, 2, 1024) * 2.0 ** rng.integers(-60, 60, 1024)).astype(np.float32)
    small = rng.uniform(-100, 100, 1024).astype(np.float32)
    wide, narrow = x.astype(np.float64), small.astype(np.float64)
    body = "\n".join(
        f"v_{name}_f32 v{40 + i}, v{10 + (i > 3)}"
        for i, name in enumerate(("rcp", "rsq", "sqrt", "log", "exp", "sin", "cos"))
    )
    got = machine.lanes(body, [x.view(np.uint32), small.view(np.uint32)], 7)
    wants = [1 / wide, 1 / np.sqrt(wide), np.sqrt(wide), np.log2(wide), np.exp2(narrow),
             np.sin(2 * np.pi * (narrow % 1)), np.cos(2 * np.pi * (narrow % 1))]  # fmt: skip
    for result, want in zip(got[:5], wants[:5], strict=True):
        assert ulps(result, want) <= 1
    for result, want in zip(got[5:], wants[5:], strict=True):
        assert np.abs(result.view(np.float32) - want).max() < 1e-6


def test_transcendental_special_values(machine: Machine) -> None:
    zero, minus, denormal = (np.full(32, x, np.uint32) for x in (0, 0x80000000, 0x80000001))
    body = """
    v_rcp_f32 v40, v10
    v_rcp_f32 v41, v11
    v_rcp_f32 v42, v12
    v_log_f32 v43, v10
    v_sqrt_f32 v44, v12
    v_exp_f32 v45, 0xc3480000
    """
    got = [int(g[0]) for g in machine.lanes(body, [zero, minus, denormal], 6)]
    # Denormal sources and results of f32 transcendental instructions are flushed, as AMD documents.
    assert got == [0x7F800000, 0xFF800000, 0xFF800000, 0xFF800000, 0x80000000, 0]


@pytest.mark.parametrize(
    ("name", "meaning"),
    [("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc), ("rndne", np.rint)],
)
def test_rounding_to_integers(machine: Machine, name: str, meaning: Callable[[np.ndarray], np.ndarray]) -> None:
    a = f32(15)
    a[-256:] = (np.random.default_rng(1).integers(-40, 40, 256) / 4).astype(np.float32).view(np.uint32)
    (got,) = machine.lanes(f"v_{name}_f32 v40, v10", [a], frame=Frame(round32=UP))
    assert same32(got, meaning(a.view(np.float32))).all()
    b = f64(15)
    got64 = joined(*machine.lanes(f"v_{name}_f64 v[40:41], v[10:11]", words(b), 2, Frame(round64=DOWN)))
    assert same64(got64, meaning(b.view(np.float64))).all()


def test_fract_frexp_ldexp(machine: Machine) -> None:
    a = f32(16)
    n = np.random.default_rng(2).integers(-300, 300, a.size).astype(np.int32)
    body = "v_fract_f32 v40, v10\nv_frexp_mant_f32 v41, v10\nv_frexp_exp_i32_f32 v42, v10\nv_ldexp_f32 v43, v10, v11"
    fract, mantissa, exponent, scaled = machine.lanes(body, [a, n.view(np.uint32)], 4)
    x = a.view(np.float32)
    finite = np.isfinite(x)
    want = np.minimum(x - np.floor(x), np.float32(1 - 2.0**-24))
    assert same32(fract[finite], want[finite]).all()
    m, e = np.frexp(x)
    assert same32(mantissa, m).all()
    assert (exponent.view(np.int32)[finite] == e[finite]).all()
    assert same32(scaled, np.ldexp(x.astype(np.float64), n).astype(np.float32)).all()


def test_f64_frexp_ldexp(machine: Machine) -> None:
    a = f64(17)
    n = np.random.default_rng(3).integers(-2200, 2200, a.size).astype(np.int32)
    body = """
    v_frexp_mant_f64 v[40:41], v[10:11]
    v_frexp_exp_i32_f64 v42, v[10:11]
    v_ldexp_f64 v[44:45], v[10:11], v12
    v_mov_b32 v43, v44
    v_mov_b32 v44, v45
    """
    low, high, exponent, slow, shigh = machine.lanes(body, [*words(a), n.view(np.uint32)], 5)
    x = a.view(np.float64)
    m, e = np.frexp(x)
    finite = np.isfinite(x)
    assert same64(joined(low, high), m).all()
    assert (exponent.view(np.int32)[finite] == e[finite]).all()
    assert same64(joined(slow, shigh), np.ldexp(x, n)).all()


def test_conversions(machine: Machine) -> None:
    a = f32(18)
    a[-64:] = np.linspace(-5e9, 5e9, 64, dtype=np.float32).view(np.uint32)
    x = a.view(np.float32).astype(np.float64)
    body = """
    v_cvt_i32_f32 v40, v10
    v_cvt_u32_f32 v41, v10
    v_cvt_f32_i32 v42, v10
    v_cvt_f32_u32 v43, v10
    v_cvt_floor_i32_f32 v44, v10
    v_cvt_f64_f32 v[50:51], v10
    v_cvt_i32_f64 v45, v[50:51]
    v_cvt_u32_f64 v46, v[50:51]
    v_cvt_f64_u32 v[52:53], v10
    v_cvt_f32_f64 v47, v[52:53]
    v_cvt_f32_ubyte2 v48, v10
    """
    got = machine.lanes(body, [a], 9)
    number = np.nan_to_num(x, nan=0)
    assert (got[0].view(np.int32) == np.clip(np.trunc(number), -(2**31), 2**31 - 1).astype(np.int64)).all()
    assert (got[1] == np.clip(np.trunc(number), 0, 2**32 - 1).astype(np.int64)).all()
    assert same32(got[2], a.view(np.int32).astype(np.float32)).all()
    assert same32(got[3], a.astype(np.float32)).all()
    assert (got[4].view(np.int32) == np.clip(np.floor(number), -(2**31), 2**31 - 1).astype(np.int64)).all()
    assert (got[5] == got[0]).all() and (got[6] == got[1]).all()
    assert same32(got[7], a.astype(np.float32)).all()
    assert same32(got[8], (a >> 16 & 255).astype(np.float32)).all()


@pytest.mark.parametrize("mode", [NEAREST, UP, DOWN, ZERO])
def test_integer_conversion_rounds_by_mode(machine: Machine, mode: int) -> None:
    a = np.random.default_rng(5).integers(0, 1 << 32, 256, dtype=np.uint64).astype(np.uint32)
    unsigned, signed = machine.lanes("v_cvt_f32_u32 v40, v10\nv_cvt_f32_i32 v41, v10", [a], 2, Frame(round32=mode))
    for i, value in enumerate(a.tolist()):
        want = rounded(Fraction(value), mode, 24, -149, 127, 0)
        assert unsigned.view(np.float32)[i] == want
        want = rounded(Fraction(value - (value >> 31 << 32)), mode, 24, -149, 127, 0)
        assert signed.view(np.float32)[i] == want


Comparison = Callable[[np.ndarray, np.ndarray], np.ndarray]


def negation(meaning: Comparison) -> Comparison:
    return lambda a, b: ~meaning(a, b)


def comparisons() -> dict[str, Comparison]:
    """What each comparison says; a comparison with a NaN is false, the negated ones then true."""
    base: dict[str, Comparison] = {
        "lt": np.less,
        "le": np.less_equal,
        "gt": np.greater,
        "ge": np.greater_equal,
        "lg": lambda a, b: np.less(a, b) | np.greater(a, b),
    }
    others: dict[str, Comparison] = {
        "eq": np.equal,
        "neq": np.not_equal,
        "u": lambda a, b: np.isnan(a) | np.isnan(b),
        "o": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
        "f": lambda a, b: np.zeros(len(a), bool),
        "t": lambda a, b: np.ones(len(a), bool),
    }
    return {**base, **{"n" + name: negation(meaning) for name, meaning in base.items()}, **others}


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_float_comparisons(machine: Machine, kind: str) -> None:
    table = comparisons()
    bits = (f32(20, 256), f32(21, 256)) if kind == "f32" else (f64(20, 256), f64(21, 256))
    bits[1][::3] = bits[0][::3]
    inputs = list(bits) if kind == "f32" else [*words(bits[0]), *words(bits[1])]
    a, b = (x.view(np.float32 if kind == "f32" else np.float64) for x in bits)
    first, second = ("v10", "v11") if kind == "f32" else ("v[10:11]", "v[12:13]")
    body = "\n".join(
        f"v_cmp_{name}_{kind} vcc_lo, {first}, {second}\nv_cndmask_b32_e64 v{40 + i}, 0, 1, vcc_lo"
        for i, name in enumerate(table)
    )
    got = machine.lanes(body, inputs, len(table))
    for (name, meaning), result in zip(table.items(), got, strict=True):
        assert (result == meaning(a, b)).all(), name


def test_class(machine: Machine) -> None:
    values = [0x7F800001, 0x7FC00000, 0xFF800000, 0xBF800000, 0x80000001, 0x80000000, 0, 1, 0x3F800000, 0x7F800000]
    for number, value in enumerate(values):
        masks = np.array([1 << i for i in range(10)] + [0] * 22, np.uint32)
        (got,) = machine.lanes(
            "v_cmp_class_f32 vcc_lo, v10, v11\nv_cndmask_b32_e64 v40, 0, 1, vcc_lo",
            [np.full(32, value, np.uint32), masks],
        )
        assert np.flatnonzero(got).tolist() == [number]


@pytest.mark.parametrize("mode", [NEAREST, UP, DOWN, ZERO])
def test_f16_arithmetic_rounds_once(machine: Machine, mode: int) -> None:
    rng = random.Random(4)
    count = 256
    a, b, c = (np.array([rng.getrandbits(16) for _ in range(count)], np.uint32) for _ in range(3))
    body = "v_add_f16 v40, v10, v11\nv_mul_f16 v41, v10, v11\nv_fma_f16 v42, v10, v11, v12"
    got = machine.lanes(body, [a, b, c], 3, Frame(round64=mode))
    x, y, z = (v.astype(np.uint16).view(np.float16) for v in (a, b, c))
    for i in range(count):
        p, q, r = (float(v[i]) for v in (x, y, z))
        if not all(map(math.isfinite, (p, q, r))):
            continue
        values = (exact(p) + exact(q), exact(p) * exact(q), exact(p) * exact(q) + exact(r))
        for k, value in enumerate(values):
            if value == 0:
                continue
            want = np.float16(rounded(value, mode, 11, -24, 15, 0))
            assert got[k][i] & 0xFFFF == want.view(np.uint16), (i, k, p, q, r)


@pytest.mark.parametrize("mode", [NEAREST, UP, DOWN, ZERO])
def test_f16_conversion(machine: Machine, mode: int) -> None:
    rng = np.random.default_rng(6)
    a = (rng.uniform(1, 2, 256) * 2.0 ** rng.integers(-28, 18, 256) * rng.choice((-1, 1), 256)).astype(np.float32)
    body = "v_cvt_f16_f32 v40, v10\nv_cvt_f32_f16 v41, v40\nv_cvt_pk_rtz_f16_f32 v42, v10, v10"
    half, back, packed = machine.lanes(body, [a.view(np.uint32)], 3, Frame(round64=mode))
    for i in range(256):
        want = np.float16(rounded(exact(float(a[i])), mode, 11, -24, 15, 0))
        assert half[i] & 0xFFFF == want.view(np.uint16)
        assert back.view(np.float32)[i] == np.float32(want)
        zeroward = np.float16(rounded(exact(float(a[i])), ZERO, 11, -24, 15, 0)).view(np.uint16)
        assert packed[i] == int(zeroward) * 0x10001


def test_every_f16_converts_to_f32(machine: Machine) -> None:
    bits = np.arange(65536, dtype=np.uint32)
    (got,) = machine.lanes("v_cvt_f32_f16 v40, v10", [bits])
    assert same32(got, bits.astype(np.uint16).view(np.float16).astype(np.float32)).all()


def test_packed_f16_selection_and_negation(machine: Machine) -> None:
    rng = np.random.default_rng(8)
    a, b = (rng.uniform(-8, 8, (256, 2)).astype(np.float16) for _ in range(2))
    body = """
    v_pk_add_f16 v40, v10, v11
    v_pk_mul_f16 v41, v10, v11 op_sel:[1,0] op_sel_hi:[0,1]
    v_pk_fma_f16 v42, v10, v11, v10 neg_lo:[1,0,0] neg_hi:[0,1,1]
    v_pk_max_f16 v43, v10, 2.0 op_sel_hi:[1,0]
    """
    got = machine.lanes(body, [a.view(np.uint32).ravel(), b.view(np.uint32).ravel()], 4)
    halves = [g.view(np.float16).reshape(-1, 2) for g in got]
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    assert (halves[0] == a + b).all()
    assert (halves[1] == a[:, ::-1] * b).all()
    low = (-wide_a[:, 0] * wide_b[:, 0] + wide_a[:, 0]).astype(np.float16)
    high = (wide_a[:, 1] * -wide_b[:, 1] - wide_a[:, 1]).astype(np.float16)
    assert (halves[2] == np.stack([low, high], 1)).all()
    assert (halves[3] == np.maximum(a, np.float16(2))).all()


def test_fma_mix(machine: Machine) -> None:
    rng = np.random.default_rng(10)
    halves = rng.uniform(-8, 8, (256, 2)).astype(np.float16)
    single = rng.uniform(-8, 8, 256).astype(np.float32)
    body = """
    v_fma_mix_f32 v40, v10, v11, v11 op_sel:[1,0,0] op_sel_hi:[1,0,0]
    v_fma_mixlo_f16 v41, v10, v11, -v11 op_sel_hi:[1,0,0]
    """
    mixed, low = machine.lanes(body, [halves.view(np.uint32).ravel(), single.view(np.uint32)], 2)
    wide = single.astype(np.float64)
    assert (mixed.view(np.float32) == (halves[:, 1].astype(np.float64) * wide + wide).astype(np.float32)).all()
    assert (
        (low & 0xFFFF).astype(np.uint16).view(np.float16)
        == (halves[:, 0].astype(np.float64) * wide - wide).astype(np.float16)
    ).all()

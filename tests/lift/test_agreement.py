"""Both builders agree: the same meaning by `Evaluate`, and by `EmitLlvm`, LLVM and the emulator, on the same operands.

Operands are random, at the edges of the formats, and near each other's size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble
from cassc.image.cubin import KernelAbi, Parameter
from cassc.lift import kernel, module
from cassc.lift.emit import Banks, EmitLlvm
from cassc.lift.kernel import LiftedKernel
from cassc.lift.text import Ir
from cassc.sass.builder import BF16, F16, F32, F64, I1, I8, I16, I32, I64, Type
from cassc.sass.evaluate import Evaluate
from cassc.sass.lanes import Lanes
from cassc.sass.launch import LaunchWords
from cassc.target import DEFAULT_TARGET

Meaning = Callable[..., Any]

INTEGER = {8: I8, 16: I16, 32: I32, 64: I64}
NUMPY: dict[Type, type[np.generic]] = {
    I32: np.uint32,
    I64: np.uint64,
    F16: np.float16,
    BF16: np.uint16,
    F32: np.float32,
    F64: np.float64,
}
UNSIGNED = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}


COUNT = 2048
BLOCK = 256


@dataclass(frozen=True, slots=True)
class Case:
    """``meaning(b, *values)`` of operands of the types, giving one value."""

    name: str
    types: tuple[Type, ...]
    meaning: Meaning

    @property
    def family(self) -> str:
        """``fadd.rn.F32`` belongs to ``fadd``."""
        return self.name.partition(".")[0]


def _cases() -> list[Case]:
    found: list[Case] = []

    def add(name: str, types: tuple[Type, ...], meaning: Meaning) -> None:
        found.append(Case(name, types, meaning))

    for t in (I32, I64):
        two = (t, t)
        for name in ("add", "sub", "mul", "and_", "or_", "xor", "shl", "lshr", "ashr", "umin", "umax", "smin", "smax"):
            add(f"{name}.{t.name}", two, lambda b, x, y, name=name: getattr(b, name)(x, y))
        for name in ("neg", "not_", "popcount", "clz", "bit_reverse", "abs"):
            add(f"{name}.{t.name}", (t,), lambda b, x, name=name: getattr(b, name)(x))
        for op in ("lt", "le", "gt", "ge", "eq", "ne"):
            for signed in (False, True):
                add(
                    f"compare.{op}.{'s' if signed else 'u'}.{t.name}",
                    two,
                    lambda b, x, y, op=op, signed=signed: b.compare(op, x, y, signed=signed),
                )
    for amount in (0, 1, 31, 32, 40):
        for name in ("shl", "lshr", "ashr"):
            add(f"{name}.by{amount}", (I32,), lambda b, x, n=amount, name=name: getattr(b, name)(x, b.const(I32, n)))
    for op in ("rcp", "rsq", "sqrt", "ex2", "lg2", "sin", "cos", "tanh", "rcp64h", "rsq64h"):
        add(f"exact_mufu.{op}", (F32,), lambda b, x, op=op: b.mufu(op, x))
    add("funnel_right", (I32, I32, I32), lambda b, x, y, n: b.funnel_right(x, y, n))
    add("byte_permute", (I32, I32, I32), lambda b, x, y, s: b.byte_permute(x, y, s))
    for selector in (0x5410, 0x7632, 0x0123, 0x4440, 0x8889, 0xBA98, 0xF7E3):
        add(f"byte_permute.{selector:x}", (I32, I32), lambda b, x, y, s=selector: b.byte_permute(x, y, b.const(I32, s)))
    add("pair", (I32, I32), lambda b, x, y: b.pair(x, y))
    add("lo", (I64,), lambda b, x: b.lo(x))
    add("hi", (I64,), lambda b, x: b.hi(x))
    for t in (I8, I16):
        add(f"sext.{t.name}", (I32,), lambda b, x, t=t: b.sext(b.trunc(x, t), I32))
        add(f"zext.{t.name}", (I32,), lambda b, x, t=t: b.zext(b.trunc(x, t), I64))
    add("select", (I32, I32, I32), lambda b, c, x, y: b.select(b.trunc(c, I1), x, y))

    for t in (F16, BF16, F32, F64):
        for mode in ("rn", "rz", "rm", "rp"):
            if mode != "rn" and t is BF16:
                continue
            add(f"fadd.{mode}.{t.name}", (t, t), lambda b, x, y, mode=mode: b.fadd(x, y, mode))
            add(f"fmul.{mode}.{t.name}", (t, t), lambda b, x, y, mode=mode: b.fmul(x, y, mode))
            add(f"fma.{mode}.{t.name}", (t, t, t), lambda b, x, y, z, mode=mode: b.fma(x, y, z, mode))
            add(f"fround.{mode}.{t.name}", (t,), lambda b, x, mode=mode: b.fround(x, mode))
        for name in ("fneg", "fabs", "saturate"):
            add(f"{name}.{t.name}", (t,), lambda b, x, name=name: getattr(b, name)(x))
        add(f"fmin.{t.name}", (t, t), lambda b, x, y: b.fmin(x, y))
        add(f"fmax.{t.name}", (t, t), lambda b, x, y: b.fmax(x, y))
        for op in "lt le gt ge eq ne ltu leu gtu geu equ neu num nan".split():
            add(f"fcompare.{op}.{t.name}", (t, t), lambda b, x, y, op=op: b.fcompare(op, x, y))
        for integer in (I8, I16, I32, I64):
            for signed in (False, True):
                for mode in ("rn", "rz", "rm", "rp"):
                    add(
                        f"to_int.{mode}.{t.name}.{'s' if signed else 'u'}{integer.bits}",
                        (t,),
                        lambda b, x, i=integer, s=signed, m=mode: b.float_to_int(x, i, signed=s, rounding=m),
                    )
        for integer in (I32, I64):
            for signed in (False, True):
                for mode in ("rn", "rz", "rm", "rp"):
                    if mode != "rn" and t is BF16:
                        continue
                    add(
                        f"from_int.{mode}.{t.name}.{'s' if signed else 'u'}{integer.bits}",
                        (integer,),
                        lambda b, x, t=t, s=signed, m=mode: b.int_to_float(x, t, signed=s, rounding=m),
                    )
    for t in (F16, F32):
        add(f"flush.{t.name}", (t,), lambda b, x: b.flush(x))
    for source, target in (
        (F64, F32),
        (F64, F16),
        (F32, F16),
        (F32, BF16),
        (F16, F32),
        (F32, F64),
        (BF16, F32),
        (F16, F64),
        (F64, BF16),
    ):
        for mode in ("rn", "rz", "rm", "rp"):
            if mode == "rn" or (target is not BF16 and target.bits < source.bits):
                add(
                    f"fconvert.{mode}.{source.name}.{target.name}",
                    (source,),
                    lambda b, x, t=target, m=mode: b.fconvert(x, t, m),
                )
    # Two directions in one kernel: the mode of the first must not reach the second.
    add(
        "fconvert.both.F64.F32",
        (F64,),
        lambda b, x: b.fconvert(
            b.bitcast(b.xor(b.bitcast(x, I64), b.zext(b.bitcast(b.fconvert(x, F32, "rz"), I32), I64)), F64), F32
        ),
    )
    add(
        "fma.rm.magic",
        (F32,),
        lambda b, x: b.fma(b.saturate(x), b.const(F32, 0x437C0000), b.const(F32, 0x4B400001), "rm"),
    )
    return found


CASES = _cases()
FAMILIES = sorted({c.family for c in CASES})

_FRACTION = {F16: (5, 10), BF16: (8, 7), F32: (8, 23), F64: (11, 52)}


def operands(types: tuple[Type, ...], count: int, seed: int) -> list[np.ndarray[Any, Any]]:
    """Bit patterns, unsigned. Float operands come in three kinds: any pattern, edges, and near each other's size."""
    rng = np.random.default_rng(seed)
    vectors = []
    base = rng.integers(0, 1 << 11, count)
    for type in types:
        bits = max(type.bits, 8)
        random = rng.integers(0, 1 << 63, count, dtype=np.uint64) * np.uint64(2) + rng.integers(
            0, 2, count, dtype=np.uint64
        )
        if type.is_float:
            exponent, fraction = _FRACTION[type]
            edges = _float_edges(exponent, fraction)
            close = (base + rng.integers(-fraction - 3, fraction + 4, count)) % (1 << exponent)
            sparse = random & (random >> np.uint64(7)) & (random << np.uint64(5))
            near = (close.astype(np.uint64) << np.uint64(fraction)) | (sparse & np.uint64((1 << fraction) - 1))
            near |= (random >> np.uint64(63)) << np.uint64(exponent + fraction)
        else:
            edges = [
                0,
                1,
                2,
                31,
                32,
                33,
                63,
                64,
                65,
                (1 << (bits - 1)) - 1,
                1 << (bits - 1),
                (1 << bits) - 1,
                (1 << bits) - 2,
            ]
            edges += [1 << k for k in range(bits)]
            near = random >> rng.integers(0, 64, count).astype(np.uint64)
        picked = rng.choice(np.array(edges, np.uint64), count)
        kind = rng.integers(0, 3, count)
        values = np.where(kind == 0, random, np.where(kind == 1, picked, near))
        vectors.append((values & np.uint64((1 << bits) - 1)).astype(UNSIGNED[bits]))
    return vectors


def _float_edges(exponent: int, fraction: int) -> list[int]:
    top = (1 << exponent) - 1
    one = ((1 << (exponent - 1)) - 1) << fraction
    positive = [
        0,
        1,
        2,
        3,
        (1 << fraction) - 1,
        1 << fraction,
        (1 << fraction) + 1,
        one,
        one + 1,
        one - 1,
        one + (1 << fraction),
    ]
    positive += [
        one + (1 << (fraction - 1)),
        (top << fraction) - 1,
        top << fraction,
        (top << fraction) | 1 << (fraction - 1),
    ]
    return positive + [p | 1 << (exponent + fraction) for p in positive]


def differences(type: Type, expected: np.ndarray[Any, Any], got: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Indices where the patterns differ; all NaNs are one."""
    differ = expected != got
    if type.is_float:
        exponent, fraction = _FRACTION[type]
        infinity = ((1 << exponent) - 1) << fraction
        magnitude = (1 << (exponent + fraction)) - 1
        both = ((expected & expected.dtype.type(magnitude)) > infinity) & ((got & got.dtype.type(magnitude)) > infinity)
        differ &= ~both
    return np.flatnonzero(differ)


def _lifted(case: Case, number: int) -> tuple[LiftedKernel, Type]:
    """A kernel of one thread for each operand: pointers to operands and to the results."""
    count = len(case.types)
    size = 8 * (count + 1)
    pointers = tuple(Parameter(k, 8 * k, 8) for k in range(count + 1))
    abi = KernelAbi(f"k{number}", pointers, 0x160, size, max_threads=BLOCK)
    m = EmitLlvm(abi, LaunchWords.of(90), Banks({}))
    m.exact = case.family == "exact_mufu"
    thread = m.add(m.mul(m.special("ctaid.x"), m.const(I32, BLOCK)), m.special("tid.x"))

    def place(k: int, type: Type) -> str:
        offset = m.mul(m.zext(thread, I64), m.const(I64, max(type.bits, 8) // 8))
        address = m.add(m.constant(0, 0x160 + 8 * k, 8), offset)
        return f"ptr addrspace(1) {m.raw(f'inttoptr {address.typed} to ptr addrspace(1)')}"

    values = []
    for k, type in enumerate(case.types):
        integer = INTEGER[max(type.bits, 8)]
        value = m.define(integer, f"load {integer.llvm}, {place(k, type)}")
        values.append(m.bitcast(value, type) if type.is_float else value)
    result = case.meaning(m, *values)
    assert isinstance(result, Ir)
    type = result.type
    stored = m.zext(result, I8) if type is I1 else result
    m.line(f"store {stored.typed}, {place(count, type)}")
    lines = [*kernel.prologue(m, "b0"), "b0:", *m.lines, "  ret void"]
    body = kernel.definition(abi, "#attributes", lines)
    return LiftedKernel(abi.name, body, m.helpers, m.declarations, kernel.attributes(abi, 0)), type


@pytest.mark.parametrize("family", FAMILIES)
def test_builders_agree(family: str) -> None:
    if emulator.library_path() is None:
        pytest.skip("libcassc_emu.so is not built")
    cases = [c for c in CASES if c.family == family]
    lifted = [_lifted(case, number) for number, case in enumerate(cases)]
    code = assemble(module.link_text([k for k, _ in lifted], DEFAULT_TARGET), DEFAULT_TARGET)
    wrong = []
    with emulator.Emulator() as device, np.errstate(all="ignore"):
        kernels = device.load(code).kernels
        for number, (case, (_, type)) in enumerate(zip(cases, lifted, strict=True)):
            inputs = operands(case.types, COUNT, number + 1)
            expected = _evaluated(case, inputs)
            buffers = [device.alloc(8 * COUNT) for _ in range(len(inputs) + 1)]
            for buffer, values in zip(buffers, inputs, strict=False):
                device.write(buffer, values.tobytes())
            parameters = b"".join(buffer.to_bytes(8, "little") for buffer in buffers)
            device.launch(kernels[f"k{number}"], (COUNT // BLOCK, 1, 1), (BLOCK, 1, 1), parameters)
            got = device.read_array(buffers[-1], expected.dtype, COUNT)
            for buffer in buffers:
                device.free(buffer)
            differing = differences(type, expected, got)
            if differing.size:
                k = int(differing[0])
                texts = ", ".join(hex(int(values[k])) for values in inputs)
                pair = f"{int(expected[k]):#x}, on the target {int(got[k]):#x}"
                wrong.append(f"{case.name}({texts}): {pair}; {differing.size} differ")
    assert not wrong, "\n".join(wrong)


def _evaluated(case: Case, inputs: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    b = Evaluate(lanes=COUNT)
    result = case.meaning(b, *(Lanes(t, v.view(NUMPY[t])) for t, v in zip(case.types, inputs, strict=True)))
    patterns: np.ndarray[Any, Any] = result.data.view(UNSIGNED[max(result.type.bits, 8)])
    return patterns

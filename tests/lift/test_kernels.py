"""Whole kernels with known results, in the reference interpreter and, lifted, on the emulator.

The cubins beside ../sass/data/kernels.cu are nvcc's; results are worked out here with numpy and exact arithmetic.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble
from cassc.image import cubin as cubins
from cassc.image.cubin import Cubin, KernelAbi
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass import interp
from cassc.sass.codespace import CodeSpace
from cassc.sass.disasm import SassModule, disassemble
from cassc.sass.memory import Memory, Range
from cassc.target import DEFAULT_TARGET

DATA = Path(__file__).parent.parent / "sass" / "data"
Array = np.ndarray[Any, Any]


@functools.cache
def module(sm: int) -> tuple[Cubin, SassModule]:
    cubin = cubins.parse((DATA / f"kernels.sm_{sm}.cubin").read_bytes())
    return cubin, disassemble(cubin)


@functools.cache
def code_object(sm: int) -> bytes:
    cubin, sass = module(sm)
    kernels = [lift_kernel(function, cubin) for function in sass.functions]
    return assemble(link_text(kernels, DEFAULT_TARGET), DEFAULT_TARGET)


def pack(abi: KernelAbi, values: tuple[Any, ...]) -> bytes:
    """The parameter block."""
    block = bytearray(abi.param_size)
    for parameter, value in zip(abi.parameters, values, strict=True):
        data = (
            value.tobytes()
            if isinstance(value, np.generic)
            else int(value).to_bytes(parameter.size, "little", signed=value < 0)
        )
        block[parameter.offset : parameter.offset + parameter.size] = data
    return bytes(block)


class Device(Protocol):
    def run(self, kernel: str, grid: int, block: int, *arguments: Any, shared: int = 0) -> None:
        """Arrays are copied to the device and back."""

    def variable(self, name: str, values: Array | None = None, dtype: Any = np.int32) -> Array:
        """Reads a module variable, after writing it if values are given."""


class Interpreter:
    def __init__(self, sm: int) -> None:
        self.cubin, self.sass = module(sm)
        self.device = interp.load_module(self.cubin)

    def run(self, kernel: str, grid: int, block: int, *arguments: Any, shared: int = 0) -> None:
        function = self.sass.function(kernel)
        assert function is not None
        memory = Memory(self.device.memory)
        values = []
        address = 0x1000_0000
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                memory.add(Range(address, argument.view(np.uint8).reshape(-1)))
                values.append(address)
                address += 0x10_0000
            else:
                values.append(argument)
        launch = interp.Launch((grid, 1, 1), (block, 1, 1), shared, pack(function.abi, tuple(values)))
        interp.run(function, self.cubin, launch, interp.Device(memory, self.device.bank3, self.device.addresses))

    def variable(self, name: str, values: Array | None = None, dtype: Any = np.int32) -> Array:
        symbol = self.cubin.symbol(name)
        assert symbol is not None
        address = interp.symbol_address(CodeSpace.of(self.cubin), self.device.addresses, name)
        found = self.device.memory.find(address)
        assert found is not None
        data = found.data[address - found.base :][: symbol.size].view(dtype)
        if values is not None:
            data[:] = values
        copied: Array = data.copy()
        return copied


class Translated:
    def __init__(self, sm: int) -> None:
        if emulator.library_path() is None:
            pytest.skip("libcassc_emu.so is not built")
        self.cubin, self.sass = module(sm)
        self.emulator = emulator.Emulator()
        self.module = self.emulator.load(code_object(sm))

    def run(self, kernel: str, grid: int, block: int, *arguments: Any, shared: int = 0) -> None:
        function = self.sass.function(kernel)
        assert function is not None
        buffers = {k: self.emulator.alloc(a.nbytes) for k, a in enumerate(arguments) if isinstance(a, np.ndarray)}
        for k, address in buffers.items():
            self.emulator.write(address, arguments[k].tobytes())
        values = tuple(buffers.get(k, a) for k, a in enumerate(arguments))
        parameters = pack(function.abi, values)
        self.emulator.launch(self.module.kernels[kernel], (grid, 1, 1), (block, 1, 1), parameters, dynamic_lds=shared)
        for k, address in buffers.items():
            target = arguments[k].reshape(-1)
            target[:] = self.emulator.read_array(address, target.dtype, target.size)
            self.emulator.free(address)

    def variable(self, name: str, values: Array | None = None, dtype: Any = np.int32) -> Array:
        found = self.emulator.global_variable(self.module, name)
        assert found is not None
        address, size = found
        if values is not None:
            self.emulator.write(address, values.tobytes())
        return self.emulator.read_array(address, dtype, size // np.dtype(dtype).itemsize)


@pytest.fixture(
    params=[(80, Interpreter), (90, Interpreter), (80, Translated), (90, Translated)],
    ids=lambda p: f"sm_{p[0]}-{p[1].__name__}",
)
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    sm, kind = request.param
    made = kind(sm)
    yield made
    if isinstance(made, Translated):
        made.emulator.close()


def same(expected: Array, got: Array) -> None:
    """Bit for bit, but that one NaN is like another."""
    np.testing.assert_array_equal(np.isnan(expected), np.isnan(got))
    kind = {4: np.uint32, 8: np.uint64}[expected.dtype.itemsize]
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(expected.view(kind)[numbers], got.view(kind)[numbers])


def test_saxpy(device: Device) -> None:
    x, y = np.arange(300, dtype=np.float32), np.linspace(-1, 1, 300, dtype=np.float32)
    expected = np.float32(2.5) * x + y
    expected[290:] = y[290:]
    device.run("saxpy", 3, 128, 290, np.float32(2.5), x, y)
    np.testing.assert_allclose(expected, y, rtol=1e-6)


def test_divergent_loops_and_early_return(device: Device) -> None:
    values = np.arange(1, 101, dtype=np.int32)
    values[3] = 837799
    out = np.zeros(128, np.int32)

    def steps(v: int) -> int:
        count = 0
        while v != 1:
            v = 3 * v + 1 if v & 1 else v // 2
            count += 1
            if count == 200:
                return -1
        return count

    device.run("collatz", 2, 64, values, out, 100)
    assert out[:100].tolist() == [steps(int(v)) for v in values]
    assert not out[100:].any()


def test_block_reduction(device: Device) -> None:
    values = np.random.default_rng(1).integers(-1000, 1000, 3 * 128).astype(np.int32)
    sums, odd = np.zeros(3, np.int32), np.zeros(3, np.int32)
    device.run("reduce", 3, 128, values, sums, odd, shared=16)
    np.testing.assert_array_equal(sums, values.reshape(3, 128).sum(axis=1))
    np.testing.assert_array_equal(odd, (values & 1).reshape(3, 128).sum(axis=1))


def test_votes_of_a_part_of_the_warp(device: Device) -> None:
    values = np.array([k % 4 - 1 for k in range(64)], np.int32)
    values[40:] = 7
    votes, same_value = np.zeros(64, np.uint32), np.zeros(64, np.uint32)
    device.run("votes", 1, 64, values, votes, same_value)
    for warp in range(2):
        own = values[32 * warp : 32 * warp + 32]
        positive = own > 0
        ballot = sum(1 << k for k in range(32) if positive[k])
        for k in range(32):
            matching = sum(1 << j for j in range(32) if positive[j] and own[j] == own[k])
            assert votes[32 * warp + k] == ballot
            assert same_value[32 * warp + k] == (matching if positive[k] else (~positive).sum())


def test_spin_lock(device: Device) -> None:
    total = np.zeros(1, np.int32)
    device.run("locked", 2, 64, total)
    assert total[0] == 128


def test_recursion(device: Device) -> None:
    out = np.zeros(32, np.int32)
    device.run("recursive", 1, 32, out)
    assert out.tolist() == [0, 1, 1, 2, 3, 5, 8, 13] * 4


def test_recursion_inside_loops(device: Device) -> None:
    out = np.zeros(32, np.uint32)
    device.run("nested", 1, 32, out)
    assert out.tolist() == [[n + 1, n + 2, 2 * n + 3][m] for m, n in ((k % 3, k // 3 % 3) for k in range(32))]


def test_stack_of_a_size_known_at_run_time(device: Device) -> None:
    out = np.zeros(32, np.int32)
    device.run("sized", 1, 32, out, 7)
    assert out.tolist() == [sum((t + k * k) * 3**k for k in range(7)) for t in range(32)]


def test_calls_through_pointers(device: Device) -> None:
    out = np.zeros(32, np.int32)
    device.run("through_pointers", 1, 32, out)
    assert out.tolist() == [k * k if k & 1 else 2 * k for k in range(32)]


def test_switch(device: Device) -> None:
    values = np.random.default_rng(2).integers(-(2**31), 2**31, 128).astype(np.int32)
    out = np.random.default_rng(3).integers(-100, 100, 128).astype(np.int32)

    def expected(v: int, w: int) -> int:
        bits = v & 0xFFFFFFFF
        quotient = abs(v) // 7 * (1 if v >= 0 else -1)
        result = [
            v * 3 + w, v ^ w, bits.bit_count() + 7, 32 - bits.bit_length() - w, quotient,
            abs(v) % 13 * (1 if v >= 0 else -1), int(f"{bits:032b}"[::-1], 2), max(v, w),
        ][v & 7]  # fmt: skip
        return (result + 2**31) % 2**32 - 2**31

    wanted = [expected(int(v), int(w)) for v, w in zip(values, out, strict=True)]
    device.run("many_cases", 1, 128, values, out)
    assert out.tolist() == wanted


@pytest.mark.parametrize("which", [0, 1, 2])
def test_generic_pointers(device: Device, which: int) -> None:
    out = np.full(33, 77, np.int32)
    device.run("generic", 1, 32, out, which)
    expected = [[-((k + 1) % 32) for k in range(32)], [100 * k + k % 8 for k in range(32)], [77] * 32]
    assert out[:32].tolist() == expected[which]


def test_module_variables(device: Device) -> None:
    device.variable("weights", np.array([1, 2, 3, 4], np.float32), np.float32)
    out = np.zeros(4, np.int32)
    device.run("variables", 1, 4, out)
    assert out.tolist() == [21, 22, 23, 24]
    assert device.variable("counter").tolist() == [5 + 10 + 20 + 30 + 10]
    assert device.variable("table").tolist() == [10, 20, 30]


def _floats(seed: int, count: int, dtype: Any) -> Array:
    """Numbers of all sizes, and special ones."""
    rng = np.random.default_rng(seed)
    bits: Any = {np.float32: np.uint32, np.float64: np.uint64}[dtype]
    values = rng.integers(0, np.iinfo(bits).max, count, dtype=bits).view(dtype)
    near = (rng.normal(0, 4, count) * 2.0 ** rng.integers(-6, 6, count)).astype(dtype)
    values = np.where(rng.integers(0, 2, count) == 1, values, near)
    special = np.array(
        [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, np.finfo(dtype).tiny, np.finfo(dtype).max], dtype
    )
    values[: special.size] = special
    return rng.permutation(values)


def _directed(exact: Fraction, dtype: Any, up: bool) -> Any:
    """A number to the next one of the format that is not below (up), or not above it."""
    nearest = dtype(float(exact)) if dtype is np.float32 else np.float64(float(exact))
    if np.isinf(nearest):
        nearest = np.copysign(np.finfo(dtype).max, nearest)
    while (Fraction(float(nearest)) < exact) if up else (Fraction(float(nearest)) > exact):
        nearest = np.nextafter(nearest, dtype(np.inf if up else -np.inf))
    while True:
        further = np.nextafter(nearest, dtype(-np.inf if up else np.inf))
        if not np.isfinite(further) or (
            (Fraction(float(further)) < exact) if up else (Fraction(float(further)) > exact)
        ):
            return nearest
        nearest = further


def test_directed_rounding_and_division(device: Device) -> None:
    count = 256
    with np.errstate(all="ignore"):
        a, b, c = (_floats(k, count, np.float32) for k in (4, 5, 6))
        out: Array = np.zeros(6 * count, np.float32)
        device.run("rounding", 2, 128, a, b, c, out, count)
        out = out.reshape(6, count)
        wide = a.astype(np.float64)
        for k in range(count):
            if not np.isfinite([a[k], b[k], c[k]]).all():
                continue
            exact = Fraction(float(a[k])) * Fraction(float(b[k]))
            total = exact + Fraction(float(c[k]))
            if total and abs(total) < 2**127:
                assert out[0, k] == _directed(total, np.float32, up=False)
                assert out[1, k] == _directed(total, np.float32, up=True)
            if exact and abs(exact) < 2**127:
                assert out[2, k] == _directed(exact, np.float32, up=exact < 0)
            total = Fraction(float(a[k])) + Fraction(float(c[k]))
            if total and abs(total) < 2**127:
                assert out[3, k] == _directed(total, np.float32, up=False)
        same((wide / b.astype(np.float64)).astype(np.float32), out[4])
        same(np.sqrt(np.abs(a)), out[5])


def test_doubles(device: Device) -> None:
    count = 256
    with np.errstate(all="ignore"):
        a, b = _floats(7, count, np.float64), _floats(8, count, np.float64)
        out: Array = np.zeros(4 * count, np.float64)
        device.run("doubles", 2, 128, a, b, out, count)
        out = out.reshape(4, count)
        same(a / b, out[0])
        same(np.sqrt(np.abs(a)), out[1])
        for k in range(count):
            if not np.isfinite([a[k], b[k]]).all():
                continue
            exact = Fraction(float(a[k])) * Fraction(float(b[k]))
            total = exact + Fraction(float(a[k]))
            if total and 2.0**-1000 < abs(total) < 2**1023:
                assert out[2, k] == _directed(total, np.float64, up=True)
            if exact and 2.0**-1000 < abs(exact) < 2**1023:
                assert out[3, k] == _directed(exact, np.float64, up=False)


def test_64_bit_integers(device: Device) -> None:
    rng = np.random.default_rng(9)
    count = 256
    a = rng.integers(-(2**63), 2**63 - 1, count)
    b = rng.integers(-(2**63), 2**63 - 1, count) >> rng.integers(0, 62, count)
    b[b == 0] = 3
    out: Array = np.zeros(4 * count, np.int64)
    device.run("integers", 2, 128, a, b, out, count)
    out = out.reshape(4, count)

    def wrapped(v: int) -> int:
        return (v + 2**63) % 2**64 - 2**63

    for k, (x, y) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        assert out[0, k] == wrapped(quotient)
        assert out[1, k] == x - quotient * y
        assert out[2, k] == (x * y) >> 64
        assert out[3, k] == (wrapped(x << (y & 63)) if x < y else x >> (y & 63))


def test_atomics(device: Device) -> None:
    words = np.zeros(16 + 64, np.int32)
    words[4] = 3
    u64, f32, f64 = np.zeros(1, np.uint64), np.zeros(1, np.float32), np.zeros(1, np.float64)
    device.run("atomics", 1, 64, words, u64, f32, f64)
    assert words[16:].tolist() == [1] * 64
    assert words[:3].tolist() == [64, -5, 63]
    assert words[3] == 64 % 6
    assert words[4] == (3 - 64) % 6
    assert words[5] == functools.reduce(lambda x, y: x ^ y, range(64))
    assert (u64[0], f32[0], f64[0]) == (64 * 0x100000001, 32.0, 16.0)

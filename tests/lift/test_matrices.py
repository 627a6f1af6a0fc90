"""Products of matrices: additions rounded one by one, or as NVIDIA's tensor cores do; the checker takes both."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble
from cassc.image import cubin as cubins
from cassc.image.cubin import Cubin
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass import interp
from cassc.sass.disasm import SassFunction, disassemble
from cassc.sass.memory import Memory
from cassc.target import DEFAULT_TARGET
from cassc.verify.check import Checker
from cassc.verify.verdict import Status

FOLDER = Path(__file__).parent / "matrices"
SIZES = (512, 256, 512)  # bytes of A, B and C
needs_emulator = pytest.mark.skipif(
    emulator.library_path() is None, reason="the emulator's library is not built (set CASSC_LIBDIR)"
)


@functools.cache
def product() -> tuple[Cubin, SassFunction]:
    cubin = cubins.parse((FOLDER / "matrices.sm_90.cubin").read_bytes())
    function = disassemble(cubin).function("product")
    assert function is not None
    return cubin, function


@functools.cache
def code(exact: bool) -> bytes:
    cubin, function = product()
    return assemble(link_text([lift_kernel(function, cubin, exact=exact)], DEFAULT_TARGET), DEFAULT_TARGET)


def operands() -> list[bytes]:
    """Of all sizes, so that many additions round."""
    random = np.random.default_rng(6)
    halves = [
        random.normal(0, 4, n).astype(np.float16) * np.float16(2.0) ** random.integers(-6, 6, n) for n in (256, 128)
    ]
    return [*(h.astype(np.float16).tobytes() for h in halves), random.normal(0, 30, 128).astype(np.float32).tobytes()]


def interpreted(chained: bool) -> list[int]:
    cubin, function = product()
    memory = Memory()
    parameters = b""
    for k, content in enumerate(operands()):
        data = memory.map(0x10000 * (k + 1), len(content))
        data[:] = np.frombuffer(content, np.uint8)
        parameters += (0x10000 * (k + 1)).to_bytes(8, "little")
    interp.run(function, cubin, interp.Launch((1, 1, 1), (32, 1, 1), 0, parameters, chained=chained), memory)
    return [int(x) for x in data.view(np.uint32)]


def test_the_two_ways_differ() -> None:
    ways = [np.array(interpreted(chained), np.uint32) for chained in (False, True)]
    assert 0 < (ways[0] != ways[1]).sum() < ways[0].size
    np.testing.assert_allclose(ways[0].view(np.float32), ways[1].view(np.float32), rtol=1e-3)


@needs_emulator
@pytest.mark.parametrize("exact", [False, True])
def test_lifted_as_the_interpreter(exact: bool) -> None:
    with emulator.Emulator() as device:
        kernel = device.load(code(exact)).kernels["product"]
        places = [device.alloc(size) for size in SIZES]
        for place, content in zip(places, operands(), strict=True):
            device.write(place, content)
        device.launch(kernel, (1, 1, 1), (32, 1, 1), b"".join(p.to_bytes(8, "little") for p in places))
        found = device.read_array(places[-1], np.uint32, 128)
        assert [int(x) for x in found] == interpreted(not exact)


@needs_emulator
@pytest.mark.parametrize("exact", [False, True])
def test_the_checker_takes_both(exact: bool) -> None:
    cubin, function = product()
    with Checker(cubin, code(exact), DEFAULT_TARGET) as checker:
        verdict = checker.check(function, "lift", seconds=0.1)
    assert verdict.status is Status.ACCEPTED, verdict

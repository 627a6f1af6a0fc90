"""Code that nvcc's device linker put together, optimised and for debugging: addresses of functions and variables."""

from __future__ import annotations

import functools
import math
from pathlib import Path

import numpy as np
import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble
from cassc.diag import CasscError
from cassc.image import cubin as cubins
from cassc.image.cubin import Cubin, Relocation
from cassc.lift.globals import module_globals
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass import interp
from cassc.sass.codespace import FIRST_FUNCTION
from cassc.sass.disasm import SassModule, disassemble
from cassc.target import DEFAULT_TARGET

FOLDER = Path(__file__).parent / "linked"
BUILDS = ["linked.sm_80", "linked.sm_90", "debug.sm_80", "debug.sm_90"]
THREADS = 64
BUFFER = 0x1000_0000


@functools.cache
def module(build: str) -> tuple[Cubin, SassModule]:
    cubin = cubins.parse((FOLDER / f"{build}.cubin").read_bytes())
    return cubin, disassemble(cubin)


def twice(x: int) -> int:
    return 2 * x + 1


def operation(i: int, x: int) -> int:
    return x + 100 if i % 2 else twice(x)


def shape(i: int) -> int:
    area = i * i if i % 2 else twice(i) * 3
    return twice(i) + (5, 6, 7, 8)[i % 4] * 3 + operation(i, i) + area + math.factorial(i % 6)


EXPECTED = {
    "shapes": [shape(i) for i in range(THREADS)],
    "another": [twice(operation(i, 3)) for i in range(THREADS)],
}


@pytest.mark.parametrize("kernel", sorted(EXPECTED))
@pytest.mark.parametrize("build", BUILDS)
def test_interpreter(build: str, kernel: str) -> None:
    cubin, sass = module(build)
    function = sass.function(kernel)
    assert function is not None
    device = interp.load_module(cubin)
    data = device.memory.map(BUFFER, 4 * THREADS)
    interp.run(function, cubin, interp.Launch((1, 1, 1), (THREADS, 1, 1), 0, BUFFER.to_bytes(8, "little")), device)
    assert data.view(np.int32).tolist() == EXPECTED[kernel]


@pytest.mark.skipif(emulator.library_path() is None, reason="the emulator's library is not built (set CASSC_LIBDIR)")
@pytest.mark.parametrize("build", BUILDS)
def test_lifted(build: str) -> None:
    cubin, sass = module(build)
    text = link_text([lift_kernel(function, cubin) for function in sass.functions], DEFAULT_TARGET)
    with emulator.Emulator() as device:
        loaded = device.load(assemble(text, DEFAULT_TARGET))
        for kernel, expected in EXPECTED.items():
            address = device.alloc(4 * THREADS)
            device.launch(loaded.kernels[kernel], (1, 1, 1), (THREADS, 1, 1), address.to_bytes(8, "little"))
            assert device.read_array(address, np.int32, THREADS).tolist() == expected


@pytest.mark.parametrize("build", BUILDS)
def test_functions_follow_the_kernel_in_one_space(build: str) -> None:
    _, sass = module(build)
    for function in sass.functions:
        assert not function.undecodable
        assert function.subroutines["_Z5twicei"] >= FIRST_FUNCTION
        assert function.place(function.subroutines["_Z5twicei"]) == (".text._Z5twicei", 0)
        assert function.place(0x20) == (f".text.{function.name}", 0x20)
    shapes, another = (sass.function(name) for name in ("shapes", "another"))
    assert shapes is not None and another is not None
    assert shapes.subroutines["_Z4plusi"] == another.subroutines["_Z4plusi"]
    assert "`(_Z5twicei)" in shapes.listing()


def test_a_relocation_of_unknown_type_is_an_error_of_its_kernel() -> None:
    cubin, _ = module("linked.sm_90")
    first, *rest = cubin.relocations[".text.shapes"]
    changed = {**cubin.relocations, ".text.shapes": (Relocation(first.offset, 0x77, first.symbol, 0), *rest)}
    broken = cubins.Cubin(cubin.arch, cubin.kernels, cubin.sections, cubin.symbols, changed)
    function = disassemble(broken).function("shapes")
    assert function is not None
    (problem,) = function.undecodable
    assert problem.id == "sass-unknown-relocation"
    assert "0x77" in problem.message
    with pytest.raises(CasscError) as caught:
        lift_kernel(function, broken)
    assert caught.value.diagnostics[0].location.kernel == "shapes"


def test_a_launch_from_a_kernel_is_refused_by_name() -> None:
    """libcudadevrt's variables hold descriptors of functions (relocation type 35)."""
    cubin, _ = module("linked.sm_90")
    launch = cubins.Symbol("__cudaCDP2LaunchDeviceV2", "", 0, 0, "FUNC", "GLOBAL")
    table = cubins.Section(".nv.global.init", bytes(8), 8, 8)
    changed = {**cubin.relocations, table.name: (Relocation(0, 35, launch.name, 0),)}
    sections = {**cubin.sections, table.name: table}
    calling = cubins.Cubin(cubin.arch, cubin.kernels, sections, (*cubin.symbols, launch), changed)
    with pytest.raises(CasscError, match="dynamic parallelism"):
        module_globals(calling)

"""The text of lifted kernels, what is refused, and the facts that a launch needs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cassc.amdgpu.assemble import assemble
from cassc.diag import CasscError
from cassc.image import codeobject
from cassc.image import cubin as cubins
from cassc.image.cubin import Cubin, KernelAbi, Parameter, Relocation
from cassc.lift import kernel
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass.disasm import SassModule, disassemble
from cassc.target import DEFAULT_TARGET

DATA = Path(__file__).parent.parent / "sass" / "data"


@functools.cache
def module(sm: int = 80) -> tuple[Cubin, SassModule]:
    cubin = cubins.parse((DATA / f"kernels.sm_{sm}.cubin").read_bytes())
    return cubin, disassemble(cubin)


def lifted(name: str, sm: int = 80) -> kernel.LiftedKernel:
    cubin, sass = module(sm)
    function = sass.function(name)
    assert function is not None
    return lift_kernel(function, cubin)


@pytest.mark.parametrize("sm", [80, 90])
def test_text_of_a_small_kernel(sm: int, golden: Callable[[str, str], None]) -> None:
    golden(f"saxpy.sm_{sm}.ll", lifted("saxpy", sm).body)


def test_lifting_is_deterministic() -> None:
    assert link_text([lifted("reduce")], DEFAULT_TARGET) == link_text([lifted("reduce")], DEFAULT_TARGET)


def test_parameters_stand_at_cudas_offsets() -> None:
    sizes = [(0, 4), (8, 8), (16, 1), (18, 2), (32, 48), (80, 4)]
    parameters = tuple(Parameter(k, offset, size) for k, (offset, size) in enumerate(sizes))
    text = kernel.parameters(KernelAbi("k", parameters))
    end = 0
    for argument, (offset, size) in zip(text.split(", "), sizes, strict=True):
        align = int(argument.partition("align ")[2].split()[0])
        end = -(-end // align) * align
        assert end == offset
        assert f"[{size} x i8]" in argument
        end += size


def test_metadata_of_the_code_object() -> None:
    code = assemble(link_text([lifted("saxpy"), lifted("generic")], DEFAULT_TARGET), DEFAULT_TARGET)
    kernels = {k.name: k for k in codeobject.parse(code).kernels}
    explicit = [(a.offset, a.size) for a in kernels["saxpy"].arguments if not a.hidden]
    assert explicit == [(0, 4), (4, 4), (8, 8), (16, 8)]
    assert kernels["generic"].group_segment_size == 128


def test_launch_bounds_become_attributes() -> None:
    abi = replace(lifted_abi("saxpy"), max_threads=256)
    assert kernel.attributes(abi, 0)["amdgpu-flat-work-group-size"] == "1,256"
    abi = replace(abi, required_threads=(8, 4, 2))
    assert kernel.attributes(abi, 0)["amdgpu-flat-work-group-size"] == "64,64"
    assert "amdgpu-lds-size" not in kernel.attributes(abi, 0)
    assert kernel.attributes(replace(abi, static_shared=100), 16)["amdgpu-lds-size"] == "128"


def lifted_abi(name: str) -> KernelAbi:
    function = module()[1].function(name)
    assert function is not None
    return function.abi


def test_variables_are_exported_at_their_sizes() -> None:
    code = assemble(link_text([lifted("variables")], DEFAULT_TARGET), DEFAULT_TARGET)
    symbols = {s.name: s.size for s in codeobject.parse(code).globals}
    assert {"counter": 4, "table": 12, "weights": 16, "pointer": 8}.items() <= symbols.items()


def test_printing_kernels_export_the_fifo() -> None:
    assert any("@__cassc_printf = " in text for text in lifted("says").globals.values())
    assert not any("@__cassc_printf = " in text for text in lifted("saxpy").globals.values())


def test_an_unknown_word_is_refused_where_it_stands() -> None:
    cubin, sass = module()
    function = sass.function("saxpy")
    assert function is not None
    without = replace(function, instructions=function.instructions[:3] + function.instructions[4:])
    with pytest.raises(CasscError) as caught:
        lift_kernel(without, cubin)
    (problem,) = caught.value.diagnostics
    assert problem.id == "lift-unsupported"
    assert "0x30" in problem.message
    assert problem.location.kernel == "saxpy"


def test_an_unreached_hole_does_not_matter() -> None:
    cubin, sass = module()
    function = sass.function("saxpy")
    assert function is not None
    lift_kernel(replace(function, instructions=function.instructions[:-1]), cubin)


def test_an_unknown_runtime_function_is_refused_by_name() -> None:
    cubin, sass = module()
    names = tuple(replace(s, name="cudaCnpLaunch") if s.name == "vprintf" else s for s in cubin.symbols)
    moved = {
        section: tuple(
            Relocation(r.offset, r.type, "cudaCnpLaunch" if r.symbol == "vprintf" else r.symbol, r.addend) for r in each
        )
        for section, each in cubin.relocations.items()
    }
    function = sass.function("says")
    assert function is not None
    with pytest.raises(CasscError) as caught:
        lift_kernel(function, replace(cubin, symbols=names, relocations=moved))
    (problem,) = caught.value.diagnostics
    assert "cudaCnpLaunch" in problem.message
    assert problem.location.instruction.startswith("CALL.ABS")


def test_a_meaning_that_is_missing_is_refused() -> None:
    cubin, sass = module()
    function = sass.function("saxpy")
    assert function is not None
    broken = tuple(
        replace(i, row=replace(i.row, todo="rounding to odd")) if i.row.mnemonic == "FFMA" else i
        for i in function.instructions
    )
    with pytest.raises(CasscError) as caught:
        lift_kernel(replace(function, instructions=broken), cubin)
    (problem,) = caught.value.diagnostics
    assert problem.id == "lift-unsupported"
    assert "rounding to odd" in problem.message
    assert problem.location.instruction.startswith("FFMA")

"""The RDNA3 code that kernels become, as text: what a change does to code quality is to be seen in its diff."""

from __future__ import annotations

import functools
import importlib.metadata
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cassc.amdgpu.assemble import assemble_full
from cassc.image import cubin as cubins
from cassc.image.cubin import Cubin
from cassc.lift.globals import module_globals
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass.disasm import SassModule, disassemble
from cassc.target import DEFAULT_TARGET

CUBIN = Path(__file__).parent.parent / "verify" / "data" / "gate.sm_90.cubin"
RECORDED_WITH = "7.2.2.562.46"  # of rocm-llvm-python; another LLVM writes other code
KERNELS = ("guarded", "halves", "wide", "division", "loops", "lanes", "exchange", "integers")


@functools.cache
def module() -> tuple[Cubin, SassModule]:
    cubin = cubins.parse(CUBIN.read_bytes())
    return cubin, disassemble(cubin)


def code(name: str) -> str:
    """Instructions and labels of a kernel."""
    cubin, sass = module()
    function = sass.function(name)
    assert function is not None
    text = link_text([lift_kernel(function, cubin)], DEFAULT_TARGET, module_globals(cubin).definitions)
    assembly = assemble_full(text, DEFAULT_TARGET, keep=True).assembly
    assert assembly is not None
    body = assembly[assembly.index(f"\n{name}:") + 1 : assembly.index("\n\t.section\t.rodata")]
    return re.sub(r"\s*;.*", "", body) + "\n"


@pytest.mark.parametrize("name", KERNELS)
def test_code_of_a_kernel(name: str, golden: Callable[[str, str], None]) -> None:
    installed = importlib.metadata.version("rocm-llvm-python")
    if installed != RECORDED_WITH:
        pytest.skip(f"the code was recorded with rocm-llvm-python {RECORDED_WITH}, not {installed}")
    golden(f"{name}.gfx1100.s", code(name))

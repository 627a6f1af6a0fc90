"""The reference interpreter: faults, printing, budgets, orders. Results of kernels: tests/lift/test_kernels.py."""

from __future__ import annotations

import functools
import struct
from pathlib import Path

import numpy as np
import pytest

from cassc.diag import CasscError
from cassc.image import cubin as cubins
from cassc.image.cubin import Cubin
from cassc.sass import interp
from cassc.sass.codespace import CodeSpace
from cassc.sass.disasm import SassModule, disassemble
from cassc.sass.memory import Memory

DATA = Path(__file__).parent / "data"
BUFFER = 0x1000_0000


@functools.cache
def _module(sm: int) -> tuple[Cubin, SassModule]:
    cubin = cubins.parse((DATA / f"kernels.sm_{sm}.cubin").read_bytes())
    return cubin, disassemble(cubin)


@pytest.fixture(params=[80, 90], ids=["sm_80", "sm_90"])
def module(request: pytest.FixtureRequest) -> tuple[Cubin, SassModule]:
    return _module(request.param)


def run(
    module: tuple[Cubin, SassModule],
    kernel: str,
    threads: int,
    parameters: bytes,
    *,
    size: int = 256,
    grid: int = 1,
    budget: int = 100_000,
    order: interp.Order = interp.Order.TOGETHER,
    resident: int = 1,
) -> tuple[interp.Outcome, np.ndarray[tuple[int], np.dtype[np.int32]]]:
    """A launch with one buffer at BUFFER, which is returned."""
    cubin, sass = module
    function = sass.function(kernel)
    assert function is not None
    memory = Memory()
    data = memory.map(BUFFER, size)
    launch = interp.Launch((grid, 1, 1), (threads, 1, 1), 0, parameters)
    outcome = interp.run(function, cubin, launch, memory, budget=budget, order=order, resident=resident)
    return outcome, data.view(np.int32)


def test_a_bad_address_names_kernel_instruction_and_address(module: tuple[Cubin, SassModule]) -> None:
    with pytest.raises(interp.Fault) as caught:
        run(module, "out_of_bounds", 1, struct.pack("<Qi", BUFFER, 64))
    assert caught.value.kind == "address"
    (problem,) = caught.value.diagnostics
    assert "write of 4 bytes at 0x10000100" in problem.message
    assert problem.location.kernel == "out_of_bounds"
    assert problem.location.instruction.startswith("STG")
    assert problem.location.address >= 0


def test_the_last_element_is_inside(module: tuple[Cubin, SassModule]) -> None:
    _, data = run(module, "out_of_bounds", 1, struct.pack("<Qi", BUFFER, 63))
    assert data[63] == 1


def test_a_misaligned_address(module: tuple[Cubin, SassModule]) -> None:
    with pytest.raises(interp.Fault) as caught:
        run(module, "out_of_bounds", 1, struct.pack("<Qi", BUFFER + 2, 0))
    assert caught.value.kind == "misaligned"


def test_traps(module: tuple[Cubin, SassModule]) -> None:
    with pytest.raises(interp.Fault) as caught:
        run(module, "traps", 32, struct.pack("<i", 31))
    assert caught.value.kind == "trap"
    run(module, "traps", 32, struct.pack("<i", 32))


def test_assertions(module: tuple[Cubin, SassModule]) -> None:
    with pytest.raises(interp.Fault, match=r"kernels\.cu:\d+: .*asserts.*thread: \[20,0,0\] Assertion `threadIdx"):
        run(module, "asserts", 32, struct.pack("<i", 20))
    run(module, "asserts", 32, struct.pack("<i", 32))


def test_printing(module: tuple[Cubin, SassModule]) -> None:
    outcome, _ = run(module, "says", 40, struct.pack("<i", 3))
    assert [record.format for record in outcome.printed] == [b"%d of %s: %5.2f %lld%%\n"] * 3
    for thread, record in zip((1, 17, 33), outcome.printed, strict=True):
        number, _, value, large = struct.unpack("<i4xQdq", record.arguments)
        assert (number, value, large) == (thread, 4.5, 1 << 40)


def test_the_budget(module: tuple[Cubin, SassModule]) -> None:
    with pytest.raises(interp.Fault) as caught:
        run(module, "recursive", 32, struct.pack("<Q", BUFFER), budget=200)
    assert caught.value.kind == "budget"


def test_coverage_counts_what_ran(module: tuple[Cubin, SassModule]) -> None:
    few, _ = run(module, "traps", 32, struct.pack("<i", 40))
    more, _ = run(module, "recursive", 32, struct.pack("<Q", BUFFER))
    assert 0 in few.executed
    assert len(more.executed) > len(few.executed)
    assert more.instructions > len(more.executed)


@pytest.mark.parametrize("order", interp.Order)
@pytest.mark.parametrize("resident", [1, 3])
def test_orders_and_residency_do_not_change_a_sound_kernel(
    module: tuple[Cubin, SassModule], order: interp.Order, resident: int
) -> None:
    _, data = run(module, "locked", 96, struct.pack("<Q", BUFFER), grid=2, order=order, resident=resident)
    assert data[0] == 192


def test_a_short_parameter_block_is_refused(module: tuple[Cubin, SassModule]) -> None:
    with pytest.raises(CasscError, match="parameter block has 4 bytes"):
        run(module, "locked", 1, b"1234")


def test_an_impossible_launch_is_refused(module: tuple[Cubin, SassModule]) -> None:
    with pytest.raises(CasscError, match="impossible launch"):
        run(module, "traps", 1025, struct.pack("<i", 40))


def test_an_unknown_kernel(module: tuple[Cubin, SassModule]) -> None:
    with pytest.raises(CasscError, match="no kernel 'nothing'"):
        interp.run("nothing", module[0], interp.Launch((1, 1, 1), (1, 1, 1)), Memory())


def test_module_variables_are_placed_and_relocated() -> None:
    cubin, _ = _module(80)
    device = interp.load_module(cubin)
    pointer = interp.symbol_address(CodeSpace.of(cubin), device.addresses, "pointer")
    table = interp.symbol_address(CodeSpace.of(cubin), device.addresses, "table")
    assert device.memory.read_int(pointer, 8) == table + 4
    assert device.memory.read_int(table + 4, 4) == 20

"""A lock that nvcc takes in a loop and releases behind it, from sm_100 on: all lanes of a wave get it in turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble
from cassc.image import cubin as cubin_image
from cassc.lift.globals import module_globals
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.lift.passes.progress import spins
from cassc.sass import cfg
from cassc.sass.disasm import disassemble
from cassc.target import DEFAULT_TARGET

DATA = Path(__file__).parents[1] / "sass" / "data"
SMS = (100, 120)


@pytest.mark.parametrize("sm", SMS)
def test_only_the_lock_is_such_a_loop(sm: int) -> None:
    sass = disassemble(cubin_image.parse((DATA / f"newer.sm_{sm}.cubin").read_bytes()))
    found = {function.name: spins(cfg.build(function))[1] for function in sass.functions}
    assert [name for name, loops in found.items() if loops] == ["locked"]
    (spin,) = found["locked"]
    assert spin.loop.isdisjoint(spin.behind)
    assert spin.again(spin.header, spin.header)
    assert all(spin.leaves(place, -1) for place in spin.behind)


@pytest.mark.parametrize("sm", SMS)
def test_all_threads_get_the_lock(sm: int) -> None:
    cubin = cubin_image.parse((DATA / f"newer.sm_{sm}.cubin").read_bytes())
    function = disassemble(cubin).function("locked")
    assert function is not None
    text = link_text([lift_kernel(function, cubin)], DEFAULT_TARGET, module_globals(cubin).definitions)
    device = emulator.Emulator(DEFAULT_TARGET)
    kernel = device.load(assemble(text, DEFAULT_TARGET)).kernels["locked"]
    lock, total = device.alloc(16), device.alloc(16)
    for address in (lock, total):
        device.write(address, bytes(16))
    arguments = lock.to_bytes(8, "little") + total.to_bytes(8, "little")
    device.launch(kernel, (2, 1, 1), (64, 1, 1), arguments, max_instructions=1_000_000)
    expected = 0
    for _ in range(128):
        expected = expected * 3 % 1009 + 1
    assert int.from_bytes(device.read(total, 4), "little") == expected


def test_lanes_that_hold_a_lock_do_not_wait_to_vote() -> None:
    cubin = cubin_image.parse((Path(__file__).parent / "locks" / "counted.sm_120.cubin").read_bytes())
    function = disassemble(cubin).function("counted")
    assert function is not None
    text = link_text([lift_kernel(function, cubin)], DEFAULT_TARGET, module_globals(cubin).definitions)
    device = emulator.Emulator(DEFAULT_TARGET)
    kernel = device.load(assemble(text, DEFAULT_TARGET)).kernels["counted"]
    words = [device.alloc(16) for _ in range(3)]
    for address in words:
        device.write(address, bytes(16))
    arguments = b"".join(address.to_bytes(8, "little") for address in words)
    device.launch(kernel, (2, 1, 1), (64, 1, 1), arguments, max_instructions=1_000_000)
    assert [int.from_bytes(device.read(address, 4), "little") for address in words] == [0, 128, 256]

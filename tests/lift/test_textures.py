"""Lifted texture and surface instructions against the interpreter, on a table with textures of many kinds."""

from __future__ import annotations

import functools
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble
from cassc.image import cubin as cubins
from cassc.image.cubin import Cubin
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass import interp
from cassc.sass.disasm import SassModule, disassemble
from cassc.sass.memory import Memory, Range
from cassc.target import DEFAULT_TARGET
from cassc.verify import textures

Array = np.ndarray[Any, Any]
DATA = Path(__file__).parent.parent / "sass" / "data"


@functools.cache
def module(sm: int) -> tuple[Cubin, SassModule, bytes]:
    cubin = cubins.parse((DATA / f"textures.sm_{sm}.cubin").read_bytes())
    sass = disassemble(cubin)
    kernels = [lift_kernel(function, cubin) for function in sass.functions]
    return cubin, sass, assemble(link_text(kernels, DEFAULT_TARGET), DEFAULT_TARGET)


def both(sm: int, kernel: str, handle: int, size: int, threads: int, extra: int = 0) -> list[tuple[Array, Array]]:
    """(output, contents of the images) after the launch, of the interpreter and of the lifted kernel."""
    cubin, sass, code = module(sm)
    function = sass.function(kernel)
    assert function is not None
    with emulator.Emulator(DEFAULT_TARGET) as device:
        loaded = device.load(code)
        images, out = device.alloc(textures.images().size), device.alloc(size)
        content = textures.table(images)
        table = device.alloc(content.size)
        arguments = struct.pack("<QQi", handle, out, extra)[: function.abi.param_size]
        for address, data in ((images, textures.images()), (table, content), (out, np.zeros(size, np.uint8))):
            device.write(address, data)
        symbol = device.global_variable(loaded, "__cassc_textures")
        assert symbol is not None
        device.write(symbol[0], struct.pack("<QQ", table, 0))

        pictures, result = textures.images(), np.zeros(size, np.uint8)
        memory = Memory([Range(table, content, writable=False), Range(images, pictures), Range(out, result)])
        launch = interp.Launch((1, 1, 1), (threads, 1, 1), 0, arguments)
        interp.run(function, cubin, launch, interp.Device(memory, textures=table), budget=100_000)

        device.launch(loaded.kernels[kernel], (1, 1, 1), (threads, 1, 1), arguments)
        lifted = (np.frombuffer(device.read(a, n), np.uint8) for a, n in ((out, size), (images, pictures.size)))
        return [(result, pictures), (next(lifted), next(lifted))]


@pytest.mark.parametrize(("sm", "first"), [(80, 8), (90, 333)])
def test_fetches_agree(sm: int, first: int) -> None:
    (expected, _), (got, _) = both(sm, "fetches", first, 64 * 128, 64)
    x, y = expected.view(np.uint32), got.view(np.uint32)
    nan = np.isnan(expected.view(np.float32)) & np.isnan(got.view(np.float32))
    assert len(set(x.tolist())) > 200, "the textures have nothing to tell apart"
    # The level by gradients is approximate: it decides nothing here, since these textures have one level.
    np.testing.assert_array_equal(np.where(nan, 0, x), np.where(nan, 0, y))


@pytest.mark.parametrize(("sm", "handle", "shift"), [(80, 8, 0), (90, 24, 4)])
def test_surfaces_agree(sm: int, handle: int, shift: int) -> None:
    (expected, before), (got, after) = both(sm, "copies", handle, 4 * 40, 40, shift)
    np.testing.assert_array_equal(expected, got)
    np.testing.assert_array_equal(before, after)
    assert not np.array_equal(before, textures.images())


def test_the_trap_mode_makes_an_illegal_address_outside() -> None:
    inside, _ = both(90, "strict", 8, 128, 32, 4)[1]
    assert inside.any()
    with pytest.raises(interp.Fault) as caught:
        both(90, "strict", 8, 128, 32, 4000)
    assert caught.value.kind == "address"

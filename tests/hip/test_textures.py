"""Textures of sources against the interpreter, which reads them as an H200 does, on textures of many kinds."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from cassc.amdgpu import emulator
from cassc.hip import compile as compiler
from cassc.hip import tools
from cassc.hip.unit import Unit
from cassc.image import cubin as cubins
from cassc.sass import interp
from cassc.sass.disasm import disassemble
from cassc.sass.memory import Memory, Range
from cassc.target import DEFAULT_TARGET
from cassc.verify import textures

DATA = Path(__file__).parent.parent / "sass" / "data"
THREADS, BYTES = 64, 64 * 128


@pytest.mark.slow
def test_fetches_are_those_of_the_hardware(source_tools: tools.SourceTools) -> None:
    unit = Unit(DATA / "textures.cu", ())
    code = compiler.compile_unit(unit, source_tools, [DEFAULT_TARGET]).code_objects[DEFAULT_TARGET.name]
    cubin = cubins.parse((DATA / "textures.sm_80.cubin").read_bytes())
    function = disassemble(cubin).function("fetches")
    assert function is not None
    with emulator.Emulator(DEFAULT_TARGET) as device:
        loaded = device.load(code)
        images, out = device.alloc(textures.images().size), device.alloc(BYTES)
        content = textures.table(images)
        table = device.alloc(content.size)
        symbol = device.global_variable(loaded, "__cassc_textures")
        assert symbol is not None
        device.write(images, textures.images())
        device.write(table, content)
        device.write(symbol[0], struct.pack("<QQ", table, 0))
        for first in (8, 333, 1000):
            arguments = struct.pack("<QQ", first, out)
            expected = np.zeros(BYTES, np.uint8)
            ranges = [Range(table, content, writable=False), Range(images, textures.images()), Range(out, expected)]
            launch = interp.Launch((1, 1, 1), (THREADS, 1, 1), 0, arguments)
            interp.run(function, cubin, launch, interp.Device(Memory(ranges), textures=table), budget=100_000)
            device.write(out, np.zeros(BYTES, np.uint8))
            device.launch(loaded.kernels["fetches"], (1, 1, 1), (THREADS, 1, 1), arguments)
            x, y = expected.view(np.uint32), np.frombuffer(device.read(out, BYTES), np.uint32)
            nan = np.isnan(x.view(np.float32)) & np.isnan(y.view(np.float32))
            assert len(set(x.tolist())) > 200, "the textures have nothing to tell apart"
            np.testing.assert_array_equal(np.where(nan, 0, x), np.where(nan, 0, y))

"""Votes, shuffles, matches and reductions of several groups of a warp, against what an H200 gave."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble_full
from cassc.amdgpu.emulator import Emulator
from cassc.image import cubin as cubins
from cassc.image.cubin import Cubin
from cassc.lift.globals import module_globals
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass import interp
from cassc.sass.disasm import SassModule, disassemble
from cassc.sass.memory import Memory, Range
from cassc.target import DEFAULT_TARGET

FOLDER = Path(__file__).parent
RECORDING = json.loads((FOLDER / "collectives.json").read_text())
CASES = [(kernel, vector) for kernel, vectors in RECORDING["results"].items() for vector in vectors]
UNTOUCHED = 0xEEEE
Words = np.ndarray[Any, np.dtype[np.uint32]]


def _words(text: str) -> Words:
    return np.array([int(word, 16) for word in text.split()], np.uint32)


def _inputs(kernel: str, vector: str) -> list[Words]:
    named = RECORDING["vectors"][vector]
    where = np.array([int(digit) for digit in named["where"]], np.uint32)
    return [_words(named["mask"]), where, _words(RECORDING["values"][kernel]), np.full(32, UNTOUCHED, np.uint32)]


def _across(kernel: str, vector: str) -> bool:
    """Some mask names lanes on both sides of a branch, in which each side has its own call."""
    mask, where, *_ = _inputs(kernel, vector)
    sides = [{int(where[k]) for k in range(32) if int(mask[lane]) >> k & 1} for lane in range(32)]
    return kernel in ("split", "splitshfl", "splitredux", "syncorder") and any(len(side) > 1 for side in sides)


@functools.cache
def _module(sm: int) -> tuple[Cubin, SassModule]:
    cubin = cubins.parse((FOLDER / f"collectives.sm_{sm}.cubin").read_bytes())
    return cubin, disassemble(cubin)


@functools.cache
def _emulated(sm: int) -> tuple[Emulator, emulator.Module]:
    cubin, sass = _module(sm)
    text = link_text([lift_kernel(f, cubin) for f in sass.functions], DEFAULT_TARGET, module_globals(cubin).definitions)
    device = Emulator()
    return device, device.load(assemble_full(text, DEFAULT_TARGET).code_object)


@pytest.mark.parametrize("sm", [80, 90])
@pytest.mark.parametrize(("kernel", "vector"), CASES)
def test_interpreter(kernel: str, vector: str, sm: int) -> None:
    cubin, sass = _module(sm)
    memory, parameters, arrays = Memory(), b"", []
    for index, words in enumerate(_inputs(kernel, vector)):
        array = words.view(np.uint8).copy()
        memory.add(Range(0x1000 * (index + 1), array))
        parameters += (0x1000 * (index + 1)).to_bytes(8, "little")
        arrays.append(array)
    function = sass.function(kernel)
    assert function is not None
    launch = interp.Launch((1, 1, 1), (32, 1, 1), 0, parameters)
    interp.run(function, cubin, launch, interp.load_module(cubin, memory))
    assert arrays[3].view(np.uint32).tolist() == _words(RECORDING["results"][kernel][vector]).tolist()


@pytest.mark.skipif(emulator.library_path() is None, reason="the emulator's library is not built (set CASSC_LIBDIR)")
@pytest.mark.parametrize("sm", [80, 90])
@pytest.mark.parametrize(("kernel", "vector"), CASES)
def test_lifted(kernel: str, vector: str, sm: int) -> None:
    if _across(kernel, vector):
        pytest.skip("a mask that names lanes on both sides of a branch: documented as not supported")
    device, module = _emulated(sm)
    places = []
    for words in _inputs(kernel, vector):
        places.append(device.alloc(words.nbytes))
        device.write(places[-1], words.tobytes())
    arguments = b"".join(place.to_bytes(8, "little") for place in places)
    device.launch(module.kernels[kernel], (1, 1, 1), (32, 1, 1), arguments)
    got = device.read_array(places[3], np.uint32, 32)
    for place in places:
        device.free(place)
    assert got.tolist() == _words(RECORDING["results"][kernel][vector]).tolist()

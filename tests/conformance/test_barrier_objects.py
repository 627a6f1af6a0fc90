"""Operations on mbarrier objects and bulk reductions, against what an H200 gave."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble_full
from cassc.amdgpu.emulator import Emulator, EmulatorFault
from cassc.image import cubin as cubins
from cassc.image.cubin import Cubin
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass import interp
from cassc.sass.disasm import SassModule, disassemble
from cassc.sass.memory import Memory, Range
from cassc.target import DEFAULT_TARGET

FOLDER = Path(__file__).parent
OBJECTS = json.loads((FOLDER / "mbarriers.json").read_text())
REDUCTIONS = json.loads((FOLDER / "bulk_reductions.json").read_text())["results"]
# Of these SASS has no more than sm_80 has.
OLD = ["arrive", "arrive_drop", "test_wait", "pending_count", "generic"]
# Copies that arrive where nobody is missing are no error of the launch on the hardware, or not at once.
LENIENT = ("copy_arrive_noinc", "complete")
UNTOUCHED = 0xEEEEEEEE
Words = np.ndarray[Any, np.dtype[np.uint32]]
needs_emulator = pytest.mark.skipif(
    emulator.library_path() is None, reason="the emulator's library is not built (set CASSC_LIBDIR)"
)


def words(text: str) -> list[int]:
    return [int(word, 16) for word in text.split()]


@functools.cache
def module(name: str, sm: int) -> tuple[Cubin, SassModule]:
    cubin = cubins.parse((FOLDER / f"{name}.sm_{sm}.cubin").read_bytes())
    return cubin, disassemble(cubin)


def interpret(name: str, sm: int, kernel: str, inputs: list[int], size: int) -> Words:
    cubin, sass = module(name, sm)
    memory, out = Memory(), np.full(size, UNTOUCHED, np.uint32)
    source = np.array([*inputs, *[0] * 32], np.uint32)
    memory.add(Range(0x10000, source.view(np.uint8)))
    memory.add(Range(0x20000, out.view(np.uint8)))
    parameters = (0x10000).to_bytes(8, "little") + (0x20000).to_bytes(8, "little")
    function = sass.function(kernel)
    assert function is not None
    interp.run(function, cubin, interp.Launch((1, 1, 1), (32, 1, 1), 0, parameters), memory)
    return out


@functools.cache
def emulated(name: str, sm: int) -> tuple[Emulator, emulator.Module]:
    cubin, sass = module(name, sm)
    text = link_text([lift_kernel(f, cubin) for f in sass.functions], DEFAULT_TARGET)
    device = Emulator()
    return device, device.load(assemble_full(text, DEFAULT_TARGET).code_object)


def lifted(name: str, sm: int, kernel: str, inputs: list[int], size: int) -> Words:
    device, loaded = emulated(name, sm)
    source, out = device.alloc(4 * len(inputs) + 128), device.alloc(4 * size)
    device.write(source, np.array(inputs, np.uint32).tobytes())
    device.write(out, np.full(size, UNTOUCHED, np.uint32).tobytes())
    arguments = source.to_bytes(8, "little") + out.to_bytes(8, "little")
    try:
        device.launch(loaded.kernels[kernel], (1, 1, 1), (32, 1, 1), arguments, max_instructions=100_000)
        return device.read_array(out, np.uint32, size)
    finally:
        device.free(source)
        device.free(out)


def recorded(vector: list[int], text: str) -> list[int]:
    """What each lane was given, and the word of the object."""
    given, _, word = text.partition("|")
    executing = [lane for lane in range(32) if vector[2] >> lane & 1]
    values = words(given) or [UNTOUCHED]
    lanes = [UNTOUCHED] * 32
    for k, lane in enumerate(executing):
        lanes[lane] = values[k if len(values) > 1 else 0]
    return lanes + words(word)[::-1]


def object_cases(kernels: list[str]) -> list[tuple[str, list[int], str]]:
    vectors = [words(text) for text in OBJECTS["inputs"]]
    return [(k, v, r) for k in kernels for v, r in zip(vectors, OBJECTS["results"][k], strict=True)]


@pytest.mark.parametrize("sm", [90, 120])
@pytest.mark.parametrize("kernel", OBJECTS["results"])
def test_objects_in_the_interpreter(kernel: str, sm: int) -> None:
    for _, vector, result in object_cases([kernel]):
        if result == "error":
            if kernel not in LENIENT:
                with pytest.raises(interp.Fault, match="more threads arrived"):
                    interpret("mbarriers", sm, kernel, vector, 34)
        elif (kernel, vector[4]) != (LENIENT[0], 11):
            assert interpret("mbarriers", sm, kernel, vector, 34).tolist() == recorded(vector, result), vector


@needs_emulator
@pytest.mark.parametrize("kernel", OBJECTS["results"])
def test_objects_as_lifted(kernel: str) -> None:
    for _, vector, result in object_cases([kernel]):
        if result == "error":
            if kernel not in LENIENT:
                with pytest.raises(EmulatorFault, match="trap"):
                    lifted("mbarriers", 90, kernel, vector, 34)
        elif (kernel, vector[4]) != (LENIENT[0], 11):
            assert lifted("mbarriers", 90, kernel, vector, 34).tolist() == recorded(vector, result), vector


def counts(sm: int, word: int) -> tuple[int, int, int]:
    """Arrivals that a phase waits for, those that are missing, and the phase."""
    low, high = word & 0xFFFFFFFF, word >> 32
    if sm >= 90:
        return -(low >> 1) & 0xFFFFF, -(high >> 11) & 0xFFFFF, high >> 31
    return -low & 0x3FFFFFFF, -high & 0x7FFFFFFF, high >> 31


@needs_emulator
@pytest.mark.parametrize("run", [interpret, lifted])
@pytest.mark.parametrize("kernel", OLD)
def test_older_objects_count_alike(kernel: str, run: Any) -> None:
    """The words of sm_80 are others, and no recording of them exists."""
    for _, vector, result in object_cases([kernel]):
        if result == "error" or vector[3] or vector[5]:
            continue
        wanted = recorded(vector, result)
        got = run("mbarriers", 80, kernel, vector, 34).tolist()
        assert counts(80, got[32] | got[33] << 32) == counts(90, wanted[32] | wanted[33] << 32), vector
        if kernel == "test_wait":
            assert got[:32] == wanted[:32], vector


# Of a float type: an integer of its size, infinity.
FLOATS = {
    "f16": (np.uint16, 0x7C00),
    "bf16": (np.uint16, 0x7F80),
    "f32": (np.uint32, 0x7F800000),
    "f64": (np.uint64, 0x7FF << 52),
}


def canonical(kernel: str, values: Words) -> list[int]:
    """All NaNs alike."""
    type = kernel.rpartition("_")[2]
    if type not in FLOATS:
        return [int(x) for x in values]
    integer, infinity = FLOATS[type]
    magnitude = (1 << 8 * np.dtype(integer).itemsize - 1) - 1
    return [infinity + 1 if int(x) & magnitude > infinity else int(x) for x in values.view(integer)]


@needs_emulator
@pytest.mark.parametrize("run", [interpret, lifted])
@pytest.mark.parametrize("kernel", REDUCTIONS)
def test_reductions(kernel: str, run: Any) -> None:
    for given, result in REDUCTIONS[kernel]:
        wanted = np.array(words(result), np.uint32)
        assert canonical(kernel, run("bulk_reductions", 90, kernel, words(given), 64)) == canonical(kernel, wanted)

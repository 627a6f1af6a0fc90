"""Whatever the code or the file holds, the process lives: random instruction streams, damaged code objects."""

from __future__ import annotations

import contextlib
import random
import struct

import numpy as np
import pytest

from cassc.amdgpu import assemble, emulator
from cassc.amdgpu.emulator import EmulatorFault
from cassc.diag import CasscError
from tests.emu.conftest import GFX1100, Frame, Machine, kernel_text

LENGTH = 64
NOP = struct.pack("<I", 0xBF800000)


@pytest.fixture(scope="module")
def template(machine: Machine) -> bytes:
    """A code object whose kernel is a run of s_nop, to be overwritten."""
    body = "s_load_b128 s[8:11], s[0:1], 0\ns_waitcnt lgkmcnt(0)\n" + "s_nop 0\n" * LENGTH
    frame = Frame(kernarg=16, lds=1024, scratch=64, vgprs=256)
    return assemble.assemble(kernel_text(body, frame), GFX1100, form="asm")


def stream(rng: random.Random) -> bytes:
    """Instructions that the decoder accepts, with operands at random."""
    code = b""
    while len(code) < 4 * LENGTH - 32:
        heads = ((0, 1), (0x3F, 7), (0x3E, 7), (2, 2), (0x17D, 9), (0x17E, 9), (0x17F, 9), (0xB, 4), (0x35, 6),
                 (0xCC, 8), (0x36, 6), (0x37, 6), (0x38, 6), (0x3D, 6), (0x32, 6))  # fmt: skip
        value, width = rng.choice(heads)
        first = value << (32 - width) | rng.getrandbits(32 - width)
        second = rng.getrandbits(32)
        if value == 0x37:
            first = first & ~0xE000 & ~(3 << 16) | rng.choice((0, 1, 2)) << 16
            second = (second & 0x3F003F3F) | rng.choice((0x7C, 8, 10)) << 16
        if value == 0x36:
            first, second = first & ~(3 << 16) & ~0xFC00, second & 0x3F3F3F3F
        if value == 0x17F and rng.random() < 0.5:  # branches stay near
            first = 0xBFA00000 | rng.randrange(7) << 16 | (rng.randrange(-8, 8) & 0xFFFF)
        words = struct.pack("<4I", first, second, rng.getrandbits(32), 0)
        size, name = emulator.decode(words)
        if size and not name.startswith("s_endpgm"):
            code += words[:size]
    return code


def run_stream(machine: Machine, template: bytes, seed: int) -> str:
    rng = random.Random(seed)
    code = stream(rng)
    at = template.index(NOP * LENGTH)
    patched = template[:at] + (code + NOP * LENGTH)[: 4 * LENGTH] + template[at + 4 * LENGTH :]
    module = machine.emulator.load(patched)
    data = machine.buffer(np.arange(256, dtype=np.uint32))
    try:
        machine.emulator.launch(
            module.kernels["k"], (2, 1, 1), (48, 1, 1), struct.pack("<2Q", data, data), max_instructions=20000
        )
        return "ran"
    except EmulatorFault as fault:
        assert fault.kernel == "k"
        assert fault.kind in emulator.FAULT_KINDS[1:]
        assert fault.instruction
        return fault.kind
    finally:
        machine.emulator.free(data)
        machine.emulator.unload(module)


def test_random_instruction_streams(machine: Machine, template: bytes) -> None:
    outcomes = {run_stream(machine, template, seed) for seed in range(150)}
    assert len(outcomes) >= 3  # the streams do get somewhere


@pytest.mark.slow
def test_many_random_instruction_streams(machine: Machine, template: bytes) -> None:
    for seed in range(1000, 3000):
        run_stream(machine, template, seed)


def test_random_words_as_code(machine: Machine, template: bytes) -> None:
    rng = random.Random(3)
    at = template.index(NOP * LENGTH)
    for _ in range(50):
        patched = template[:at] + rng.randbytes(4 * LENGTH) + template[at + 4 * LENGTH :]
        module = machine.emulator.load(patched)
        with pytest.raises(EmulatorFault):
            machine.emulator.launch(module.kernels["k"], (1, 1, 1), (32, 1, 1), bytes(16), max_instructions=1000)
        machine.emulator.unload(module)


def load_damaged(machine: Machine, data: bytes) -> None:
    try:
        module = machine.emulator.load(data)
    except CasscError as refusal:
        assert "code object" in str(refusal)
        return
    for kernel in module.kernels.values():
        size = sum(argument.size for argument in kernel.arguments)
        with contextlib.suppress(EmulatorFault, CasscError):
            machine.emulator.launch(kernel, (1, 1, 1), (32, 1, 1), bytes(size), max_instructions=1000)
    machine.emulator.unload(module)


def test_truncated_code_objects(machine: Machine, template: bytes) -> None:
    for size in [0, 1, 63, 64, *range(100, len(template), 97)]:
        load_damaged(machine, template[:size])


def test_code_objects_with_flipped_bytes(machine: Machine, template: bytes) -> None:
    rng = random.Random(5)
    for _ in range(300):
        data = bytearray(template)
        for _ in range(rng.choice((1, 2, 8))):
            data[rng.randrange(len(data))] = rng.getrandbits(8)
        load_damaged(machine, bytes(data))
    # The headers and tables are where damage hurts.
    for _ in range(300):
        data = bytearray(template)
        data[rng.randrange(0x600)] = rng.choice((0, 1, 0x7F, 0x80, 0xFF))
        load_damaged(machine, bytes(data))


def test_refusals_name_the_reason(machine: Machine, template: bytes) -> None:
    def why(data: bytes) -> str:
        with pytest.raises(CasscError) as refusal:
            machine.emulator.load(data)
        return str(refusal.value)

    assert "not an ELF file" in why(b"hello")
    relocatable = bytearray(template)
    relocatable[16] = 1
    assert "linked" in why(bytes(relocatable))
    other = bytearray(template)
    other[48] = 0x46
    assert "gfx1101" in why(bytes(other)) and "gfx1100" in why(bytes(other))

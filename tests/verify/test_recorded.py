"""Recordings: the file's format, pointers that follow their memory, replays against both sides and the recording."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cassc.amdgpu import emulator
from cassc.diag import CasscError
from cassc.driver import subcommands
from cassc.image import cubin as cubins
from cassc.verify import recorded
from cassc.verify.inputs import linked
from cassc.verify.recorded import Memory, Recorded

CUBIN = Path(__file__).parents[1] / "engines" / "data" / "scale.sm_80.cubin"
BASE = 0x7F12_3400_0000


def blob(data: bytes) -> bytes:
    return struct.pack("<Q", len(data)) + data


def chunk(kind: int, content: bytes, version: int = 1) -> bytes:
    return struct.pack("<IIQ", kind, version, len(content)) + content


def launch(parameters: bytes, memories: list[tuple[int, bytes, bytes | None]], kernel: str = "scale") -> bytes:
    content = blob(b"digest") + blob(kernel.encode()) + struct.pack("<10I", 80, 1, 1, 1, 32, 1, 1, 0, 0, 0)
    content += blob(parameters) + struct.pack("<I", len(memories))
    for address, before, after in memories:
        content += blob(b"") + struct.pack("<Q", address) + blob(before)
        content += struct.pack("<I", after is not None) + (blob(after) if after is not None else b"")
    return chunk(2, content)


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "launches"
    skipped = chunk(3, blob(b"large") + blob(b"too much"))
    file.write_bytes(skipped + launch(b"\1\2\3\4", [(BASE, b"\0" * 8, b"\1" * 8), (BASE + 64, b"", None)]))
    found = recorded.read(str(file))
    assert found.skipped == (("large", "too much"),)
    (one,) = found.launches
    assert (one.kernel, one.sm, one.grid, one.block, one.parameters) == (
        "scale",
        80,
        (1, 1, 1),
        (32, 1, 1),
        b"\1\2\3\4",
    )
    assert one.memories[0].after is not None and one.memories[0].after.tolist() == [1] * 8
    assert one.memories[1].after is None


@pytest.mark.parametrize("damage", [b"short", chunk(9, b""), chunk(2, b"", 7), chunk(2, b"\0" * 20), b"\0" * 15])
def test_damaged_files_are_errors(tmp_path: Path, damage: bytes) -> None:
    file = tmp_path / "launches"
    file.write_bytes(damage)
    with pytest.raises(CasscError) as caught:
        recorded.read(str(file))
    assert caught.value.diagnostics[0].id == "verify-bad-recording"


def test_pointers_follow_their_memory_and_nothing_else_does() -> None:
    inner = np.array([BASE + 0x1008, 12345, BASE + 0x1010, BASE - 8], np.uint64).view(np.uint8)
    memories = (Memory("", BASE, inner, None), Memory("", BASE + 0x1000, np.zeros(16, np.uint8), None))
    parameters = struct.pack("<QQi", BASE, 77, 5)
    made = Recorded("", "scale", 80, (1, 1, 1), (32, 1, 1), 0, False, 0, parameters, memories)
    cubin = cubins.parse(CUBIN.read_bytes())
    replay = recorded.replay(replace(made, parameters=parameters), cubin, 3)
    addresses = [0x5000, 0x9000]
    placed = replay.launch.content(0, addresses).view(np.uint64).tolist()
    assert placed == [0x9008, 12345, 0x9010, BASE - 8]  # the end of memory is a pointer to it, what is before it is not
    assert replay.launch.parameters(addresses)[:8] == (0x5000).to_bytes(8, "little")
    assert replay.left is not None
    data, links = replay.left["memory 0 (recorded at 0x7f1234000000)"]
    assert linked(data, links, addresses).view(np.uint64).tolist() == placed


def recording_of_scale(tmp_path: Path, right: bool) -> Path:
    """One launch that scales by one, and so leaves everything as it was; or that says something else came out."""
    cubin = cubins.parse(CUBIN.read_bytes())
    kernel = cubin.kernel("scale")
    assert kernel is not None
    values = np.arange(64, dtype=np.float32)
    pointers = [p for p in kernel.abi.parameters if p.size == 8]
    parameters = bytearray(kernel.abi.param_size)
    for parameter in kernel.abi.parameters:
        if parameter.size == 4:
            struct.pack_into("<f", parameters, parameter.offset, 1.0)
    memories: list[tuple[int, bytes, bytes | None]] = []
    for k, parameter in enumerate(pointers):
        struct.pack_into("<Q", parameters, parameter.offset, BASE + 0x1000 * k)
        memories.append((BASE + 0x1000 * k, values.tobytes(), None if right else (values + 1000).tobytes()))
    file = tmp_path / "launches"
    file.write_bytes(launch(bytes(parameters), memories))
    return file


@pytest.mark.skipif(emulator.library_path() is None, reason="libcassc_emu.so is not built")
def test_a_recording_that_nobody_would_leave_is_rejected(tmp_path: Path) -> None:
    lines: list[str] = []
    words = ["verify", "--launches", str(recording_of_scale(tmp_path, right=False)), str(CUBIN)]
    assert subcommands.run(words, lines.append) == 1
    assert "as the recording device left it" in lines[0]
    lines.clear()
    words = ["verify", "--launches", str(recording_of_scale(tmp_path, right=True)), str(CUBIN)]
    assert subcommands.run(words, lines.append) == 0
    assert "1 launches" in lines[0] and "the recording device agreed in 1" in lines[0]


def test_neither_file_nor_recording_is_a_usage_error() -> None:
    assert subcommands.run(["verify", "--run"], print) == 2

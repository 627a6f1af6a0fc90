"""Texture fetches against recordings on an NVIDIA GPU (data/textures.txt), bit by bit."""

from __future__ import annotations

import functools
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from cassc.sass.builder import F32, I32, Builder, Space
from cassc.sass.evaluate import Evaluate
from cassc.sass.lanes import Lanes
from cassc.sass.memory import Memory, Range
from cassc.sass.textures import fetch, surface
from cassc.sass.textures.descriptor import LEVELS_OFFSET, SLOT_BYTES
from cassc.sass.textures.fetch import SHAPES, Operands

Array = np.ndarray[Any, Any]
DATA = Path(__file__).parent / "data" / "textures.npz"
SURFACES = DATA.with_name("surfaces.npz")
TABLE, IMAGE, HANDLE = 0x10_0000, 0x100_0000, 8
MODES = ("wrap", "clamp", "mirror", "border")
KINDS = "suf"
NO_LEVEL = np.float32(-32)


@functools.cache
def recording(path: Path = DATA) -> dict[str, Array]:
    with np.load(path) as archive:
        return dict(archive)


class Around:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def special(self, name: str) -> int:
        raise AssertionError(name)

    def bank(self, bank: int) -> Memory:
        raise AssertionError(bank)

    def textures(self) -> int:
        return TABLE

    def memory(self, space: Space) -> Memory:
        assert space is Space.GLOBAL
        return self._memory

    def locate(self, space: Space, addresses: Array, lanes: Array) -> Array:
        return addresses.astype(np.uint64)

    def passed(self) -> None:
        return None


def descriptor(
    format: int, sampling: int, levels: Sequence[tuple[int, ...]], greatest: float = 0.0, layers: int = 1
) -> Array:
    header = struct.pack("<IIIfffII", format, sampling, len(levels), 0, 0, greatest, layers, 0)
    header = header.ljust(LEVELS_OFFSET, b"\0")
    data = header + b"".join(struct.pack("<QIIIIQ", *level) for level in levels)
    table = np.zeros(HANDLE * SLOT_BYTES + 1024, np.uint8)
    table[HANDLE * SLOT_BYTES : HANDLE * SLOT_BYTES + len(data)] = np.frombuffer(data, np.uint8)
    return table


def memory_of(meta: list[str], texels: Array) -> Memory:
    element, channels, filter, address, coordinates = meta[0], int(meta[1]), meta[5], meta[6], meta[7]
    width, height, depth = (max(int(x), 1) for x in meta[2:5])
    log = (int(element[1:]) // 8).bit_length() - 1
    shift = log + channels.bit_length() - 1
    format = shift | channels << 4 | log << 8 | KINDS.index(element[0]) << 12 | int(meta[8]) << 16
    normalized = coordinates == "norm"
    mode = MODES.index(address) if normalized or address in ("clamp", "border") else MODES.index("clamp")
    between = meta[9] == "linear" if len(meta) > 9 else False
    sampling = mode * 0b010101 | (filter == "linear") << 8 | between << 9 | normalized << 10
    levels, at = [], IMAGE
    for k in range(6 if len(meta) > 9 else 1):
        w, h, d = (max(size >> k, 1) for size in (width, height, depth))
        levels.append((at, w, h, d, w << shift, w * h << shift))
        at += w * h * d << shift
    data = np.ascontiguousarray(texels).view(np.uint8).reshape(-1).copy()
    table = descriptor(format, sampling, levels, 100.0)
    return Memory([Range(TABLE, table, writable=False), Range(IMAGE, data, writable=False)])


def floats(values: Array) -> Lanes:
    return Lanes(F32, np.ascontiguousarray(values, np.float32))


def sampled(meta: list[str], texels: Array, points: Array) -> Array:
    n = len(points)
    b = cast(Builder, Evaluate(Around(memory_of(meta, texels)), n))
    columns = [points[:, k] for k in range(points.shape[1])]
    level = columns.pop() if len(meta) > 9 else np.full(n, NO_LEVEL)
    if len(columns) == 1:
        columns.append(np.zeros(n))  # ptxas fetches from one dimension as from two
    zero = b.const(I32, 0)
    operands = Operands(b.const(I32, HANDLE), tuple(map(floats, columns)), zero, floats(level), zero)
    with np.errstate(all="ignore"):
        words = fetch.sampled(b, SHAPES["3D" if len(columns) == 3 else "2D"], operands)
    return np.stack([w.data for w in words], axis=1)  # type: ignore[attr-defined]


@pytest.mark.parametrize("program", ["tex_1d", "tex_2d", "tex_3d", "tex_mip"])
def test_every_point_is_what_the_hardware_gave(program: str) -> None:
    data = recording()
    cases = 0
    for index, name in enumerate(data["names"].tolist()):
        title, _, meta = name.partition("|")
        if not title.startswith(program):
            continue
        expected = data[f"v{index}"]
        got = sampled(meta.split(), data[f"t{index}"], data[f"c{index}"])[:, : expected.shape[1]]
        if expected.dtype == np.float32:
            same = got == expected.view(np.uint32)
            same |= np.isnan(got.view(np.float32)) & np.isnan(expected)
        else:
            same = got.astype(f"u{expected.dtype.itemsize}") == expected.view(f"u{expected.dtype.itemsize}")
        assert same.all(), (title, data[f"c{index}"][~same.all(axis=1)][:3])
        cases += 1
    assert cases >= 6


BOUNDARIES = {"zero": surface.IGNORE, "clamp": surface.CLAMP, "trap": surface.TRAP}


@pytest.mark.parametrize("shape", ["1d", "2d", "3d", "1d_layered", "2d_layered", "cube"])
def test_surface_reads_are_what_the_hardware_gave(shape: str) -> None:
    data = recording(SURFACES)
    cases = 0
    for index, name in enumerate(data["names"].tolist()):
        found, element, *numbers, boundary, size = name.split()
        if found != shape:
            continue
        channels, width, height, depth = map(int, numbers)
        layered = "layered" in shape or shape == "cube"
        texel = int(element[1:]) // 8 * channels
        level = (IMAGE, width, max(height, 1), 1 if layered else max(depth, 1), width * texel)
        table = descriptor(texel.bit_length() - 1, 0, [(*level, width * max(height, 1) * texel)], layers=max(depth, 1))
        image = np.ascontiguousarray(data[f"t{index}"]).view(np.uint8).reshape(-1).copy()
        at = data[f"c{index}"].astype(np.int32).view(np.uint32)
        b = cast(Builder, Evaluate(Around(Memory([Range(TABLE, table), Range(IMAGE, image)])), len(at)))
        columns = [Lanes(I32, np.ascontiguousarray(at[:, k])) for k in range(3)]
        axes = {"1": 1, "2": 2, "3": 3, "c": 2}[shape[0]]
        layer = columns[2] if layered else None
        handle = b.const(I32, HANDLE)
        place = surface.locate(b, handle, tuple(columns[:axes]), layer, int(size), BOUNDARIES[boundary])
        words = b.load(Space.GLOBAL, place.address, int(size), where=place.inside)
        got = np.stack([w.data for w in words], axis=1)  # type: ignore[attr-defined]
        got = np.ascontiguousarray(got).view(np.uint8).reshape(len(at), -1)[:, : int(size)]
        np.testing.assert_array_equal(got, data[f"v{index}"], err_msg=name)
        cases += 1
    assert cases >= 3

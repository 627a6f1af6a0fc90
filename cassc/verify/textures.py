"""Textures and surfaces for generated launches: a table in which every small number is a handle."""

from __future__ import annotations

import functools
import struct

import numpy as np

from cassc.sass.disasm import SassFunction
from cassc.sass.memory import Bytes
from cassc.sass.textures.descriptor import (
    BORDER,
    CLAMP,
    FLOAT,
    LEVELS_OFFSET,
    MIRROR,
    SIGNED,
    SLOT_BYTES,
    UNSIGNED,
    WRAP,
)

IMAGES = "textures and surfaces"
_FAMILIES = ("TEX", "TLD", "TXD", "TXQ", "SULD", "SUST", "SURED")
_SLOTS = 8192  # more than integer parameters usually are
_FIRST = 8
_IMAGE_BYTES = 1 << 16
# Log2 of a channel's bytes, channels, kind, whether integers are read as floats.
_FORMATS = (
    (2, 1, FLOAT, False), (2, 4, FLOAT, False), (0, 4, UNSIGNED, True), (1, 2, FLOAT, False),
    (0, 1, UNSIGNED, False), (2, 2, SIGNED, False), (1, 1, SIGNED, True), (2, 1, UNSIGNED, False),
)  # fmt: skip
_SIZES = ((64, 16, 1), (33, 7, 1), (256, 4, 1), (16, 16, 6), (8, 8, 8), (5, 5, 12))


def fetches(function: SassFunction) -> bool:
    """Whether the kernel has texture or surface instructions."""
    return any(i.row.mnemonic.startswith(_FAMILIES) for i in function.instructions)


@functools.cache
def table(images: int) -> Bytes:
    """Descriptors that show parts of the bytes at ``images``; formats, shapes and modes vary with the slot.

    Not to be written to: it is made once for each address.
    """
    found = np.zeros(_SLOTS * SLOT_BYTES, np.uint8)
    found[: _FIRST * SLOT_BYTES] = np.linspace(0, 1, 256, dtype=np.float32).view(np.uint8)
    for slot in range(_FIRST, _SLOTS):
        data = _descriptor(images, slot)
        found[slot * SLOT_BYTES : slot * SLOT_BYTES + len(data)] = np.frombuffer(data, np.uint8)
    return found


def _descriptor(images: int, slot: int) -> bytes:
    log, channels, kind, scaled = _FORMATS[slot % len(_FORMATS)]
    width, height, depth = _SIZES[slot // 8 % len(_SIZES)]
    shift = log + channels.bit_length() - 1
    format = shift | channels << 4 | log << 8 | kind << 12 | scaled << 16
    normalized = slot // 3 % 2
    modes = (WRAP, CLAMP, MIRROR, BORDER) if normalized else (CLAMP, BORDER)
    mode = modes[slot // 5 % len(modes)]
    sampling = mode * 0b010101 | (slot // 7 % 2) << 8 | normalized << 10
    pitch = width << shift
    room = (_IMAGE_BYTES - pitch * height * depth) // 16
    address = images + 16 * (slot * 37 % max(room, 1))
    header = struct.pack("<IIIfffII", format, sampling, 1, 0.0, 0.0, 0.0, depth, 0).ljust(LEVELS_OFFSET, b"\0")
    return header + struct.pack("<QIIIIQ", address, width, height, depth, pitch, pitch * height)


def images() -> Bytes:
    """Contents, the same each time: floats in [-1, 1) from any multiple of four on."""
    return _floats().copy()


@functools.cache
def _floats() -> Bytes:
    random = np.random.default_rng(7)
    return random.uniform(-1, 1, _IMAGE_BYTES // 4).astype(np.float32).view(np.uint8)

"""``.nv.info`` records (EIATTR): decoding, and the launch facts they give for each kernel.

A record is {u8 format, u8 attribute, u16}: format 4 is followed by that many payload bytes, the others carry their
value in the u16. Attribute names are those that NVIDIA's cuobjdump prints.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from cassc.image.elf import ElfError

MAX_THREADS = 0x05
PARAM_CBANK = 0x0A
REQNTID = 0x10
FRAME_SIZE = 0x11
MIN_STACK_SIZE = 0x12
KPARAM_INFO = 0x17
CBANK_PARAM_SIZE = 0x19
MAX_STACK_SIZE = 0x23
REGCOUNT = 0x2F
INDIRECT_BRANCH_TARGETS = 0x34
CTA_PER_CLUSTER = 0x3D
KPARAM_INFO_V2 = 0x45
NUM_BARRIERS = 0x4C

_SIZED = 4
Records = tuple[tuple[int, bytes], ...]


def records(data: bytes) -> Records:
    """(attribute, payload) pairs in order; a value held in the record itself becomes its two bytes. Raises ElfError."""
    return tuple(_records(data))


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    position = 0
    while position < len(data):
        if position + 4 > len(data):
            raise ElfError(f".nv.info record at {position} is cut short")
        format, attribute, value = struct.unpack_from("<BBH", data, position)
        position += 4
        if format != _SIZED:
            yield attribute, struct.pack("<H", value)
            continue
        if position + value > len(data):
            raise ElfError(f".nv.info record at {position} ({value} bytes) runs past its section")
        yield attribute, data[position : position + value]
        position += value


def indirect_branches(found: Records) -> dict[int, tuple[int, ...]]:
    """Offset of each indirect branch of a function -> its targets.

    A record is a list of (u32 offset, u32 zero, u32 count, u32 target...).
    """
    targets: dict[int, tuple[int, ...]] = {}
    for attribute, payload in found:
        if attribute != INDIRECT_BRANCH_TARGETS:
            continue
        words = struct.unpack(f"<{len(payload) // 4}I", payload[: len(payload) // 4 * 4])
        position = 0
        while position + 3 <= len(words):
            place, _, count = words[position : position + 3]
            targets[place] = tuple(words[position + 3 : position + 3 + count])
            position += 3 + count
    return targets


@dataclass(frozen=True, slots=True)
class PerFunction:
    """What the module-wide ``.nv.info`` says of each function, keyed by symbol index."""

    registers: Mapping[int, int] = field(default_factory=dict)
    frame: Mapping[int, int] = field(default_factory=dict)
    min_stack: Mapping[int, int] = field(default_factory=dict)
    max_stack: Mapping[int, int] = field(default_factory=dict)


def per_function(module_records: Records) -> PerFunction:
    tables: dict[int, dict[int, int]] = {REGCOUNT: {}, FRAME_SIZE: {}, MIN_STACK_SIZE: {}, MAX_STACK_SIZE: {}}
    for attribute, payload in module_records:
        if attribute in tables:
            symbol, value = unpack("<II", payload, attribute)
            tables[attribute][symbol] = value
    return PerFunction(tables[REGCOUNT], tables[FRAME_SIZE], tables[MIN_STACK_SIZE], tables[MAX_STACK_SIZE])


def unpack(layout: str, payload: bytes, attribute: int) -> tuple[int, ...]:
    """The leading fields of a payload. Raises ElfError where it is too short."""
    if len(payload) < struct.calcsize(layout):
        raise ElfError(f".nv.info attribute 0x{attribute:02x} has {len(payload)} bytes, too few")
    return struct.unpack_from(layout, payload)


def parameters(kernel_records: Iterable[tuple[int, bytes]]) -> list[tuple[int, int, int]]:
    """(ordinal, offset, size) of each kernel parameter, by ascending offset; sizes and offsets in bytes."""
    found = []
    for attribute, payload in kernel_records:
        if attribute == KPARAM_INFO:
            _, ordinal, offset, packed = unpack("<IHHI", payload, attribute)
            found.append((ordinal, offset, packed >> 18))
        elif attribute == KPARAM_INFO_V2:  # parameter blocks over 4 KiB
            _, ordinal, offset, size = unpack("<IHHH", payload, attribute)
            found.append((ordinal, offset, size))
    return sorted(found, key=lambda p: (p[1], p[0]))

"""The records in ``.nvFatBinSegment`` through which a program registers its fat binaries.

A record is {u32 0x466243b1, u32 version, u64 pointer to the container, u64}: version 1 for plain fat binaries, 2 for
one that nvlink made of relocatable device code. In objects the pointer is a relocation; in position-independent linked
files it is a relative dynamic relocation, elsewhere the address itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from cassc.image import elf

_MAGIC = (0x466243B1).to_bytes(4, "little")
_SECTION = ".nvFatBinSegment"
_SIZE = 24
_RELATIVE = {elf.EM_X86_64: 8, elf.EM_AARCH64: 1027}


@dataclass(frozen=True, slots=True)
class Wrapper:
    """``position`` is the record's byte offset in ``.nvFatBinSegment``; the container stands at ``offset`` of the
    section with index ``section`` (-1 where the pointer leads to no section)."""

    position: int
    version: int
    section: int
    offset: int


def wrappers(file: elf.Elf) -> tuple[Wrapper, ...]:
    """All records, in file order. Raises ElfError for a damaged file."""
    segment = file.find(_SECTION)
    if segment is None:
        return ()
    positions = [p for p in range(0, len(segment.data), 8) if segment.data[p : p + 4] == _MAGIC]
    positions = [p for p in positions if p + _SIZE <= len(segment.data)]
    targets = _relocated(file, segment) if file.type == elf.ET_REL else _addressed(file, segment, positions)
    found = []
    for position in positions:
        section, offset = targets.get(position + 8, (-1, 0))
        version = int.from_bytes(segment.data[position + 4 : position + 8], "little")
        found.append(Wrapper(position, version, section, offset))
    return tuple(found)


def pointer_address(file: elf.Elf, wrapper: Wrapper) -> int:
    """Where, in memory, a linked file keeps the wrapper's pointer to its container."""
    segment = file.find(_SECTION)
    assert segment is not None
    return segment.address + wrapper.position + 8


def _relocated(file: elf.Elf, segment: elf.ElfSection) -> dict[int, tuple[int, int]]:
    table = file.of_type(elf.SHT_SYMTAB)
    symbols = file.symbols(table) if table else ()
    found = {}
    for section in file.sections:
        if section.type != elf.SHT_RELA or section.info != segment.index:
            continue
        for entry in file.relocations(section):
            if entry.symbol >= len(symbols):
                raise elf.ElfError(f"relocation in '{section.name}' names symbol {entry.symbol}, which does not exist")
            symbol = symbols[entry.symbol]
            found[entry.offset] = (symbol.section, symbol.value + (entry.addend or 0))
    return found


def _addressed(file: elf.Elf, segment: elf.ElfSection, positions: list[int]) -> dict[int, tuple[int, int]]:
    relative = {
        entry.offset: entry.addend
        for section in file.sections
        if section.type == elf.SHT_RELA and section.flags & elf.SHF_ALLOC
        for entry in file.relocations(section)
        if entry.type == _RELATIVE.get(file.machine)
    }
    found = {}
    for place in (p + 8 for p in positions):
        stored = int.from_bytes(segment.data[place : place + 8], "little")
        address = relative.get(segment.address + place, stored) or 0
        owner = next((s for s in file.sections if s.data and 0 <= address - s.address < s.size and s.address), None)
        if owner is not None:
            found[place] = (owner.index, address - owner.address)
    return found

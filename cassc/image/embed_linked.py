"""Putting private entries into an executable or shared library that is already linked.

Nothing in a linked file can move. So grown containers go to the end of the file, into a section of their own, loaded
by a program header that was a PT_NOTE (notes are for tools; no loader needs that header). The wrappers that register
the containers are pointed there, and the old containers are blanked out.

LIEF 1.0 can add a segment too, and was measured: it has to move the program headers for it, after which either all
addresses change (and debuggers no longer find lines) or ``strip`` makes files that crash, and a second embedding cannot
take the place of the first. ``relink``, which needs more than a segment, does use it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cassc import diag
from cassc.image import elf, host, wrapper
from cassc.image.fatbin import FatBinary, FatEntry, containers, parse, serialize

_PAGE = 4096
_PF_R = 4


def grow(
    image: host.HostImage, wanted: Mapping[tuple[int, int], Sequence[FatEntry]], private_kinds: Sequence[int]
) -> bytes:
    """The file with entries appended to the containers at the given (section, offset).

    Raises CasscError ``image-embed-linked`` where the file cannot be changed so.
    """
    try:
        assert image.elf is not None
        return _grow(image.elf, wanted, private_kinds)
    except (elf.ElfError, struct.error) as problem:
        raise diag.error(
            "image-embed-linked", f"cannot embed into a linked file: {problem}", diag.Location(file=image.name)
        ) from problem


@dataclass(frozen=True, slots=True)
class _Added:
    """The section that an earlier embedding made, and its program header's number."""

    section: elf.ElfSection
    segment: int


def _grow(file: elf.Elf, wanted: Mapping[tuple[int, int], Sequence[FatEntry]], private_kinds: Sequence[int]) -> bytes:
    if not file.sections:
        raise elf.ElfError("it has no section headers")
    earlier = _earlier(file)
    data = bytearray(file.data[: earlier.section.offset] if earlier else file.data)
    content = bytearray()
    moved: dict[tuple[int, int], int] = {}
    kept = [(earlier.section.index, o) for o in containers(earlier.section.data)] if earlier else []
    for place in dict.fromkeys((*kept, *wanted)):
        section, offset = place
        if section < 0:
            raise elf.ElfError("the fat binary lies outside its sections")
        fat = parse(file.sections[section].data[offset:])
        if place in wanted:
            original = tuple(e for e in fat.entries if e.kind not in private_kinds)
            if place not in kept:
                start, size = file.sections[section].offset + offset, len(serialize(fat))
                data[start : start + size] = bytes(size)
            fat = FatBinary((*original, *wanted[place]))
        moved[place] = len(content)
        content += serialize(fat)

    data += bytes(-len(data) % _PAGE)
    address, number = (earlier.section.address, earlier.segment) if earlier else _room(file, len(data))
    _point_wrappers(file, data, {place: address + offset for place, offset in moved.items()})
    _write_section(file, data, bytes(content), address, number, earlier, next(iter(wanted))[0])
    return bytes(data)


def _earlier(file: elf.Elf) -> _Added | None:
    last = file.sections[-1]
    if last.name not in host.FATBIN_SECTIONS or not last.offset < file.section_table:
        return None
    for number, segment in enumerate(file.segments):
        if segment.type == elf.PT_LOAD and (segment.offset, segment.address) == (last.offset, last.address):
            return _Added(last, number)
    return None


def _room(file: elf.Elf, offset: int) -> tuple[int, int]:
    """Address for the new section, after everything that is loaded, and the number of a header that can load it."""
    loads = [number for number, s in enumerate(file.segments) if s.type == elf.PT_LOAD]
    if not loads:
        raise elf.ElfError("it has no loaded segment")
    # Loaders want PT_LOAD headers in order of address, so the one that is taken must stand after the others.
    spare = next((n for n, s in enumerate(file.segments) if s.type == elf.PT_NOTE and n > max(loads)), None)
    if spare is None:
        raise elf.ElfError("it has no note header after its loaded segments")
    align = max(max(file.segments[n].align for n in loads), _PAGE)
    end = max(file.segments[n].address + file.segments[n].memory_size for n in loads)
    return end + -end % align + offset % align, spare


def _point_wrappers(file: elf.Elf, data: bytearray, moved: Mapping[tuple[int, int], int]) -> None:
    """Store new addresses of containers in the wrappers and in the relocations that fill them."""
    pointed = set()
    places: dict[int, int] = {}
    for user in wrapper.wrappers(file):
        target = (user.section, user.offset)
        if target in moved:
            pointed.add(target)
            places[wrapper.pointer_address(file, user)] = moved[target]
    missing = [offset for section, offset in moved if (section, offset) not in pointed]
    if missing:
        raise elf.ElfError(f"no wrapper registers the fat binary at section offset 0x{missing[0]:x}")
    for address, value in places.items():
        owner = next(s for s in file.sections if s.data and 0 <= address - s.address < s.size)
        struct.pack_into("<Q", data, owner.offset + address - owner.address, value)
    for table in file.sections:
        if table.type == elf.SHT_RELA and table.flags & elf.SHF_ALLOC:
            for number, entry in enumerate(file.relocations(table)):
                if entry.offset in places:
                    at = table.offset + number * elf.RELA.size + 16
                    struct.pack_into("<q", data, at, places[entry.offset])


def _write_section(
    file: elf.Elf,
    data: bytearray,
    content: bytes,
    address: int,
    number: int,
    earlier: _Added | None,
    named_like: int,
) -> None:
    """Append the content and a section header table that names it; let program header ``number`` load it."""
    offset = len(data)
    data += content + bytes(-len(content) % 8)
    table = file.section_table
    count = len(file.sections) - bool(earlier)
    headers = bytearray(file.data[table : table + count * elf.SECTION_HEADER.size])
    (name,) = struct.unpack_from("<I", file.data, table + named_like * elf.SECTION_HEADER.size)
    headers += elf.SECTION_HEADER.pack(
        name, elf.SHT_PROGBITS, elf.SHF_ALLOC, address, offset, len(content), 0, 0, _PAGE, 0
    )
    entry = (elf.PT_LOAD, _PF_R, offset, address, address, len(content), len(content), _PAGE)
    (first,) = struct.unpack_from("<Q", data, 32)  # e_phoff
    elf.PROGRAM_HEADER.pack_into(data, first + number * elf.PROGRAM_HEADER.size, *entry)
    struct.pack_into("<Q", data, 40, len(data))  # e_shoff
    struct.pack_into("<H", data, 60, count + 1)  # e_shnum
    data += headers

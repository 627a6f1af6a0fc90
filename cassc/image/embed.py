"""Putting private entries into the fat binaries of a host file.

The entries are appended to a container, and in a relocatable object the grown section is written at the end of the
file: only its own section header changes, besides the symbols and relocations that point behind a container that grew.
Embedding again replaces what was embedded before. (LIEF is no help here: it does not move what follows a section that
grew.)
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cassc import diag
from cassc.image import elf, embed_linked, host
from cassc.image.fatbin import EntryKind, FatBinary, FatEntry, containers, parse, serialize
from cassc.image.host import HostImage, ImageKind

PRIVATE_KINDS = (EntryKind.CODE_OBJECTS, EntryKind.VERDICTS)

# Relocations that hold a whole address, so that moving their target is moving the addend.
_ABSOLUTE = {elf.EM_X86_64: (1,), elf.EM_AARCH64: (257,)}
_ALIGN = 8
_MAX_ALIGN = 1 << 20

Additions = Sequence[tuple[FatBinary, Sequence[FatEntry]]]


def embed(image: HostImage, additions: Additions) -> HostImage:
    """The image with the given entries at the end of the given containers, as ``fatbin.extract`` found them.

    Works on objects, archives of objects, bare fat binaries, executables and shared libraries. Raises CasscError
    ``image-embed-linked`` for linked files that cannot be changed, ``image-embed-thin`` for thin archives,
    ``image-embed-kind`` for other files, ``image-bad-host-file`` for damaged ones.
    """
    by_leaf: dict[int, dict[tuple[int, int], Sequence[FatEntry]]] = {}
    for fat, entries in additions:
        by_leaf.setdefault(fat.place.leaf, {})[fat.place.index, fat.place.offset] = entries
    if image.kind is ImageKind.ARCHIVE:
        return host.read_bytes(_archive(image, by_leaf), image.name)
    data = _grow(image, by_leaf[0]) if 0 in by_leaf else image.data
    return host.read_bytes(data, image.name)


def _grow(image: HostImage, wanted: Mapping[tuple[int, int], Sequence[FatEntry]]) -> bytes:
    if image.kind is ImageKind.FATBIN:
        content, _ = _grown_section(image.data, {offset: entries for (_, offset), entries in wanted.items()})
        return content
    if image.kind in (ImageKind.EXECUTABLE, ImageKind.SHARED):
        return embed_linked.grow(image, wanted, PRIVATE_KINDS)
    if image.kind is not ImageKind.OBJECT or image.elf is None:
        raise diag.error("image-embed-kind", f"cannot embed into a {image.kind.value}", diag.Location(file=image.name))
    try:
        return _grow_object(image, image.elf, wanted)
    except (elf.ElfError, struct.error) as problem:
        raise host.bad_host_file(image.name, str(problem)) from problem


def _grow_object(image: HostImage, file: elf.Elf, wanted: Mapping[tuple[int, int], Sequence[FatEntry]]) -> bytes:
    data = bytearray(image.data)
    for index in sorted({section for section, _ in wanted}):
        section = file.sections[index]
        entries = {offset: e for (owner, offset), e in wanted.items() if owner == index}
        content, moved = _grown_section(section.data, entries)
        _move_references(image, data, index, moved)
        _replace_section(data, file, section, content)
    return bytes(data)


@dataclass(frozen=True, slots=True)
class _Moved:
    """How offsets in a section changed: from each old start on, by how much."""

    starts: tuple[int, ...]
    shifts: tuple[int, ...]

    def __call__(self, offset: int) -> int:
        position = bisect_right(self.starts, offset) - 1
        return offset + (self.shifts[position] if position >= 0 else 0)


def _grown_section(data: bytes, wanted: Mapping[int, Sequence[FatEntry]]) -> tuple[bytes, _Moved]:
    """The section with entries appended to the containers at the given offsets, and how the others moved."""
    result = bytearray()
    position, starts, shifts = 0, [], []
    for offset in containers(data):
        fat = parse(data[offset:])
        old = len(serialize(fat))
        result += data[position:offset]
        result += bytes(-len(result) % _ALIGN)
        starts.append(offset)
        shifts.append(len(result) - offset)
        if offset in wanted:
            kept = tuple(e for e in fat.entries if e.kind not in PRIVATE_KINDS)
            fat = FatBinary((*kept, *wanted[offset]))
        result += serialize(fat)
        position = offset + old
    missing = sorted(set(wanted) - set(starts))
    if missing:
        raise diag.error("image-bad-host-file", f"no fat binary container at section offset {missing[0]}")
    starts.append(position)
    shifts.append(len(result) - position)
    return bytes(result + data[position:]), _Moved(tuple(starts), tuple(shifts))


def _replace_section(data: bytearray, file: elf.Elf, section: elf.ElfSection, content: bytes) -> None:
    """Write the section's new content at the end of the file, or where it is if it already stands there."""
    if section.offset + section.size == len(data):
        del data[section.offset :]
    align = max(section.align, _ALIGN)
    if align > _MAX_ALIGN:
        raise elf.ElfError(f"section '{section.name}' has an impossible alignment of {section.align} bytes")
    data += bytes(-len(data) % align)
    header = file.section_table + section.index * elf.SECTION_HEADER.size
    struct.pack_into("<QQ", data, header + 24, len(data), len(content))  # sh_offset, sh_size
    struct.pack_into("<Q", data, header + 48, align)
    data += content


def _move_references(image: HostImage, data: bytearray, index: int, moved: _Moved) -> None:
    """Let symbols in the section, and relocations against it, follow the containers."""
    file = image.elf
    assert file is not None
    table = file.of_type(elf.SHT_SYMTAB)
    if table is None:
        return
    symbols = file.symbols(table)
    inside = {number: s for number, s in enumerate(symbols) if s.section == index}
    for number, symbol in inside.items():
        if symbol.type != elf.STT_SECTION:
            struct.pack_into("<Q", data, table.offset + number * elf.SYMBOL.size + 8, moved(symbol.value))
    for section in file.sections:
        if section.type == elf.SHT_RELA:
            _move_addends(image, data, section, inside, moved)


def _move_addends(
    image: HostImage,
    data: bytearray,
    section: elf.ElfSection,
    inside: Mapping[int, elf.ElfSymbol],
    moved: _Moved,
) -> None:
    file = image.elf
    assert file is not None
    for number, entry in enumerate(file.relocations(section)):
        symbol = inside.get(entry.symbol)
        if symbol is None or entry.addend is None:
            continue
        start = 0 if symbol.type == elf.STT_SECTION else symbol.value
        new_start = 0 if symbol.type == elf.STT_SECTION else moved(symbol.value)
        addend = moved(start + entry.addend) - new_start
        if addend == entry.addend:
            continue
        if entry.type not in _ABSOLUTE.get(file.machine, ()):
            raise host.bad_host_file(image.name, f"relocation type {entry.type} points into a fat binary section")
        struct.pack_into("<q", data, section.offset + number * elf.RELA.size + 16, addend)


def _archive(image: HostImage, wanted: Mapping[int, Mapping[tuple[int, int], Sequence[FatEntry]]]) -> bytes:
    """The archive with its members grown, and its symbol tables pointing to where the members now are."""
    if image.data.startswith(b"!<thin>\n"):
        raise diag.error(
            "image-embed-thin",
            "cannot embed into a thin archive: its members are files of their own",
            diag.Location(file=image.name),
            [diag.note("give the member files instead")],
        )
    grown: dict[int, bytes] = {}
    leaf = 0
    for member in image.members:
        count = sum(1 for _ in member.image.leaves())
        mine = {number - leaf: w for number, w in wanted.items() if leaf <= number < leaf + count}
        if member.image.kind is ImageKind.ARCHIVE:
            grown[member.header] = _archive(member.image, mine)
        elif mine:
            grown[member.header] = _grow(member.image, mine[0])
        leaf += count
    return _rewrite_archive(image, grown)


def _rewrite_archive(image: HostImage, grown: Mapping[int, bytes]) -> bytes:
    old = image.data
    result = bytearray(old[:8])
    places: dict[int, int] = {}
    tables: list[tuple[int, int, int]] = []  # offset of the content in the result, its size, bytes of each number
    position = 8
    while position < len(old):
        header = bytearray(old[position : position + host.AR_HEADER])
        size = int(header[48:58])
        start = position + host.AR_HEADER
        name = bytes(header[:16]).rstrip()
        content = old[start : start + size]
        if name == b"__.SYMDEF":
            raise host.bad_host_file(image.name, "archives with a BSD symbol table are not supported")
        if name in (b"/", b"/SYM64/"):
            tables.append((len(result) + host.AR_HEADER, size, 4 if name == b"/" else 8))
        elif position in grown:
            long_name = int(name[3:]) if name.startswith(b"#1/") else 0
            content = content[:long_name] + grown[position]
            header[48:58] = str(len(content)).ljust(10).encode()
        places[position] = len(result)
        result += header + content + b"\n" * (len(content) & 1)
        position = start + size + (size & 1)
    for place, size, width in tables:
        _move_archive_symbols(image, result, place, size, width, places)
    return bytes(result)


def _move_archive_symbols(
    image: HostImage, data: bytearray, place: int, size: int, width: int, places: Mapping[int, int]
) -> None:
    """An archive symbol table is a big-endian count, then the file offset of the member that defines each symbol."""
    count = int.from_bytes(data[place : place + width], "big")
    if width * (count + 1) > size:
        raise host.bad_host_file(image.name, "the archive's symbol table is cut short")
    for number in range(1, count + 1):
        at = place + number * width
        offset = int.from_bytes(data[at : at + width], "big")
        if offset not in places:
            raise host.bad_host_file(image.name, f"the archive's symbol table points to no member at {offset}")
        if places[offset] >> 8 * width:
            raise host.bad_host_file(image.name, "the archive grows past what its symbol table can point to")
        data[at : at + width] = places[offset].to_bytes(width, "big")

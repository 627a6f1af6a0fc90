"""Little-endian ELF64 as it has to be known for writing: raw records, their numbers and their places in the file.

The writers (``embed``, ``amdgpu.link``) change single fields of single records and leave every other byte alone, which
no library here does: LIEF 1.0 writes relocatable files anew and leaves what follows a grown section where it was, so
that they overlap; pyelftools does not write. So host files are read here, with every offset checked and the numbers
kept raw; what is only read goes through ``reader`` (pyelftools). Layout: System V ABI, chapters 4 and 5.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

ET_REL, ET_EXEC, ET_DYN = 1, 2, 3
EM_X86_64, EM_AARCH64, EM_CUDA, EM_AMDGPU = 62, 183, 190, 224
SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_RELA, SHT_HASH, SHT_DYNAMIC, SHT_NOTE, SHT_NOBITS, SHT_REL, SHT_DYNSYM = (
    1, 2, 3, 4, 5, 6, 7, 8, 9, 11,
)  # fmt: skip
SHT_GNU_HASH = 0x6FFFFFF6
SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR = 1, 2, 4
SHN_UNDEF, SHN_LORESERVE, SHN_ABS, SHN_COMMON, SHN_XINDEX = 0, 0xFF00, 0xFFF1, 0xFFF2, 0xFFFF
STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_SECTION, STT_FILE = range(5)
STB_LOCAL, STB_GLOBAL, STB_WEAK = range(3)
PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_NOTE, PT_PHDR = 1, 2, 3, 4, 6

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
SYMBOL = struct.Struct("<IBBHQQ")
REL = struct.Struct("<QQ")
RELA = struct.Struct("<QQq")


class ElfError(ValueError):
    """The bytes are not a sound ELF64 file; the text says where."""


@dataclass(frozen=True, slots=True)
class ElfSection:
    """One section header. ``data`` is empty where the section has no bytes in the file."""

    index: int
    name: str
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry_size: int
    data: bytes


@dataclass(frozen=True, slots=True)
class ElfSymbol:
    """``section`` is the raw ``st_shndx``."""

    name: str
    info: int
    other: int
    section: int
    value: int
    size: int

    @property
    def binding(self) -> int:
        return self.info >> 4

    @property
    def type(self) -> int:
        return self.info & 15

    @property
    def visibility(self) -> int:
        return self.other & 3


@dataclass(frozen=True, slots=True)
class ElfRelocation:
    """``symbol`` indexes the symbol table; ``addend`` is None for REL entries (it lies in the place)."""

    offset: int
    type: int
    symbol: int
    addend: int | None


@dataclass(frozen=True, slots=True)
class ElfSegment:
    type: int
    flags: int
    offset: int
    address: int
    file_size: int
    memory_size: int
    align: int


@dataclass(frozen=True, slots=True)
class Elf:
    """A whole file. ``section_table`` is the file offset of the section headers (64 bytes each)."""

    data: bytes
    ident: bytes
    type: int
    machine: int
    flags: int
    section_table: int
    sections: tuple[ElfSection, ...]
    segments: tuple[ElfSegment, ...]

    def find(self, name: str) -> ElfSection | None:
        """The first section of that name."""
        return next((s for s in self.sections if s.name == name), None)

    def of_type(self, type: int) -> ElfSection | None:
        """The first section of that type."""
        return next((s for s in self.sections if s.type == type), None)

    def symbols(self, table: ElfSection) -> tuple[ElfSymbol, ...]:
        """Entries of a symbol table, the null symbol included. Raises ElfError."""
        strings = self._linked(table).data
        return tuple(
            ElfSymbol(text(strings, name), info, other, section, value, size)
            for name, info, other, section, value, size in _records(SYMBOL, table)
        )

    def relocations(self, table: ElfSection) -> tuple[ElfRelocation, ...]:
        """Entries of a SHT_REL or SHT_RELA section. Raises ElfError."""
        if table.type == SHT_RELA:
            return tuple(ElfRelocation(o, i & 0xFFFFFFFF, i >> 32, a) for o, i, a in _records(RELA, table))
        return tuple(ElfRelocation(o, i & 0xFFFFFFFF, i >> 32, None) for o, i in _records(REL, table))

    def _linked(self, section: ElfSection) -> ElfSection:
        if not 0 < section.link < len(self.sections):
            raise ElfError(f"section '{section.name}' links to section {section.link}, which does not exist")
        return self.sections[section.link]


def is_elf(data: bytes) -> bool:
    return data[:4] == b"\x7fELF"


def text(strings: bytes, offset: int) -> str:
    """The NUL-ended string at an offset of a string table; bytes that are not UTF-8 are kept by surrogate escapes."""
    end = strings.find(b"\0", offset)
    if offset > len(strings) or (end < 0 and offset != len(strings)):
        raise ElfError(f"string offset {offset} lies outside its table of {len(strings)} bytes")
    return strings[offset:end].decode(errors="surrogateescape") if end >= 0 else ""


def parse(data: bytes) -> Elf:
    """Read an ELF64 little-endian file. Raises ElfError for anything else and for offsets outside the file."""
    if not is_elf(data):
        raise ElfError("no ELF magic")
    if len(data) < HEADER.size:
        raise ElfError(f"file of {len(data)} bytes is shorter than an ELF header")
    ident, type, machine, _, _, phoff, shoff, flags, _, phsize, phnum, shsize, shnum, names = HEADER.unpack_from(data)
    if ident[4:6] != b"\x02\x01":
        raise ElfError("not a 64-bit little-endian ELF file")
    segments = tuple(
        ElfSegment(t, f, o, v, fs, ms, a)
        for t, f, o, v, _, fs, ms, a in _table(PROGRAM_HEADER, data, phoff, phnum, phsize, "program")
    )
    return Elf(data, ident, type, machine, flags, shoff, _sections(data, shoff, shnum, shsize, names), segments)


def _table(record: struct.Struct, data: bytes, offset: int, count: int, size: int, what: str) -> list[tuple[int, ...]]:
    if count == 0:
        return []
    if size != record.size:
        raise ElfError(f"{what} header entries of {size} bytes, expected {record.size}")
    if offset + count * size > len(data):
        raise ElfError(f"{what} header table at {offset} runs past the end of the file ({len(data)} bytes)")
    return list(record.iter_unpack(data[offset : offset + count * size]))


def _sections(data: bytes, offset: int, count: int, size: int, names: int) -> tuple[ElfSection, ...]:
    if offset and not count:  # more than 0xff00 sections: the count stands in the null section's size
        (first,) = _table(SECTION_HEADER, data, offset, 1, size, "section")
        count, names = first[5], first[6] if names == SHN_XINDEX else names
        if count > len(data) // SECTION_HEADER.size:
            raise ElfError(f"section count {count} is impossible in a file of {len(data)} bytes")
    headers = _table(SECTION_HEADER, data, offset, count, size, "section")
    if not headers:
        return ()
    if names == SHN_XINDEX:
        names = headers[0][6]
    if names >= len(headers):
        raise ElfError(f"section name table {names} does not exist")
    strings = _content(data, headers[names], f"section {names}")
    sections = []
    for index, header in enumerate(headers):
        name = text(strings, header[0]) if strings else ""
        content = _content(data, header, f"section '{name or index}'")
        _, type, flags, address, start, length, link, info, align, entry = header
        sections.append(ElfSection(index, name, type, flags, address, start, length, link, info, align, entry, content))
    return tuple(sections)


def _content(data: bytes, header: tuple[int, ...], what: str) -> bytes:
    type, offset, size = header[1], header[4], header[5]
    # NVIDIA's relocatable cubins mark bss-like sections by their own types (global 7, shared 10, reserved shared 21).
    if type in (0, SHT_NOBITS, 0x70000007, 0x7000000A, 0x70000015):
        return b""
    if offset + size > len(data):
        raise ElfError(f"{what} ({size} bytes at {offset}) runs past the end of the file ({len(data)} bytes)")
    return data[offset : offset + size]


def _records(record: struct.Struct, table: ElfSection) -> list[tuple[int, ...]]:
    if len(table.data) % record.size:
        raise ElfError(f"section '{table.name}' of {len(table.data)} bytes does not hold {record.size}-byte entries")
    return list(record.iter_unpack(table.data))

"""Linking one AMDGPU relocatable object into a code object (ET_DYN), in process.

Does what a loader needs and ``ld.lld -shared`` would do for the same object: kernels and exported variables in .dynsym
with both hash tables, relocations of AMDGPUUsage ("ELF code object, relocation records") applied, and pointers in data
turned into R_AMDGPU_RELATIVE64. There is no global offset table: a symbol reached through one is refused by name.

Order: headers, notes, dynamic symbols, constants | code | constants with pointers, .dynamic | data, zeroed data. Each
bar starts a segment, one page further on in memory than in the file, so that pages of different protection never
overlap.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cassc import diag
from cassc.amdgpu.elf_writer import Piece, Position, Segment, StringTable, hash_tables, write
from cassc.image import elf

NONE, ABS32_LO, ABS32_HI, ABS64, REL32, REL64, ABS32 = range(7)
GOTPCREL, GOTPCREL32_LO, GOTPCREL32_HI, REL32_LO, REL32_HI, RELATIVE64, REL16 = 7, 8, 9, 10, 11, 13, 14

_PAGE = 0x1000
_CODE_ALIGN = 256
_MAX_ALIGN = 1 << 20
_PT_GNU_STACK, _PT_GNU_RELRO = 0x6474E551, 0x6474E552
_R, _RX, _RW = 4, 5, 6
_DT_HASH, _DT_STRTAB, _DT_SYMTAB, _DT_RELA, _DT_RELASZ, _DT_RELAENT, _DT_STRSZ, _DT_SYMENT = 4, 5, 6, 7, 8, 9, 10, 11
_DT_GNU_HASH, _DT_RELACOUNT = 0x6FFFFEF5, 0x6FFFFFF9
_LINES = ".debug_line"
_EXPORTED = (0, 3)  # STV_DEFAULT, STV_PROTECTED


def failed(why: str) -> diag.CasscError:
    return diag.error("amdgpu-link-failed", f"cannot link the code object: {why}")


def link(*objects: bytes) -> bytes:
    """The code object made from exactly one relocatable object. Raises CasscError ``amdgpu-link-failed``."""
    if len(objects) != 1:
        raise failed(f"{len(objects)} objects were given; exactly one is supported")
    try:
        file = elf.parse(objects[0])
        return _Linker(file).run()
    except (elf.ElfError, struct.error, OverflowError, MemoryError) as problem:  # the last three: absurd numbers in it
        raise failed(str(problem)) from problem


@dataclass(slots=True)
class _Groups:
    """Input sections by the place they take, in file order."""

    notes: list[Piece] = field(default_factory=list)
    constants: list[Piece] = field(default_factory=list)
    code: list[Piece] = field(default_factory=list)
    relro: list[Piece] = field(default_factory=list)
    data: list[Piece] = field(default_factory=list)
    zeroed: list[Piece] = field(default_factory=list)
    lines: list[Piece] = field(default_factory=list)  # the line table, which is not loaded

    def all(self) -> list[Piece]:
        return [*self.notes, *self.constants, *self.code, *self.relro, *self.data, *self.zeroed, *self.lines]


def _group(file: elf.Elf) -> _Groups:
    groups = _Groups()
    for section in file.sections:
        if section.name == _LINES and section.size:
            groups.lines.append(Piece(_LINES, section.type, 0, bytearray(section.data), 1, source=section.index))
        if not section.flags & elf.SHF_ALLOC or not section.size:
            continue
        align = max(section.align, 1)
        if align > _MAX_ALIGN:
            raise failed(f"section '{section.name}' has an impossible alignment of {section.align} bytes")
        data = bytearray(section.data)
        piece = Piece(section.name, section.type, section.flags, data, align, source=section.index, size=section.size)
        if section.type == elf.SHT_NOTE:
            groups.notes.append(piece)
        elif section.flags & elf.SHF_EXECINSTR:
            piece.align = max(align, _CODE_ALIGN)
            groups.code.append(piece)
        elif section.type == elf.SHT_NOBITS:
            groups.zeroed.append(piece)
        elif section.name.startswith(".data.rel.ro"):
            groups.relro.append(piece)
        elif section.flags & elf.SHF_WRITE:
            groups.data.append(piece)
        else:
            groups.constants.append(piece)
    return groups


def _refuse_unresolved(symbols: Sequence[elf.ElfSymbol]) -> None:
    missing = sorted({s.name for s in symbols[1:] if s.section == elf.SHN_UNDEF and s.name})
    if missing:
        raise failed(f"undefined symbol{'s' * (len(missing) > 1)} {', '.join(repr(m) for m in missing)}")
    common = [s.name for s in symbols if s.section == elf.SHN_COMMON]
    if common:
        raise failed(f"common symbol '{common[0]}' is not supported")


class _Linker:
    def __init__(self, file: elf.Elf) -> None:
        if file.machine != elf.EM_AMDGPU or file.type != elf.ET_REL:
            raise failed("the input is not an AMDGPU relocatable object")
        table = file.of_type(elf.SHT_SYMTAB)
        self.file = file
        self.symbols = file.symbols(table) if table else ()
        _refuse_unresolved(self.symbols)
        self.groups = _group(file)
        self.placed = {piece.source: piece for piece in self.groups.all()}
        self.relocations = [(piece, r) for piece in self.groups.all() for r in self._relocations(piece)]

    def run(self) -> bytes:
        kept = [s for s in self.symbols if s.name and (s.section in self.placed or s.section == elf.SHN_ABS)]
        exported, gnu_hash, sysv_hash = hash_tables([s for s in kept if _is_exported(s)])
        strings = StringTable()
        for symbol in exported:
            strings.add(symbol.name)
        pointers = sum(r.type == ABS64 and piece.name != _LINES for piece, r in self.relocations)

        names = Piece(".dynstr", elf.SHT_STRTAB, elf.SHF_ALLOC, strings.data, 1)
        symbols = Piece(".dynsym", elf.SHT_DYNSYM, elf.SHF_ALLOC, bytearray(24 * (len(exported) + 1)), 8, 24, names, 1)
        by_gnu = Piece(".gnu.hash", elf.SHT_GNU_HASH, elf.SHF_ALLOC, gnu_hash, 8, link=symbols)
        by_sysv = Piece(".hash", elf.SHT_HASH, elf.SHF_ALLOC, sysv_hash, 4, 4, symbols)
        relative = Piece(".rela.dyn", elf.SHT_RELA, elf.SHF_ALLOC, bytearray(24 * pointers), 8, 24, symbols)
        lookup = [symbols, by_gnu, by_sysv, names, *([relative] if pointers else [])]
        dynamic = Piece(".dynamic", elf.SHT_DYNAMIC, elf.SHF_ALLOC | elf.SHF_WRITE, bytearray(), 8, 16, names, size=0)
        dynamic.data = _dynamic(symbols, names, by_gnu, by_sysv, relative)  # for its size; filled below
        dynamic.size = len(dynamic.data)

        readable = [*self.groups.notes, *lookup, *self.groups.constants]
        relro, writable = [*self.groups.relro, dynamic], [*self.groups.data, *self.groups.zeroed]
        segments = _lay_out(readable, self.groups.code, relro, writable, dynamic, self.groups.notes)
        dynamic.data = _dynamic(symbols, names, by_gnu, by_sysv, relative)
        self._apply(relative)

        pieces = [*readable, *self.groups.code, *relro, *writable, *self.groups.lines]
        end = max(piece.offset + len(piece.data) for piece in pieces if piece.type != elf.SHT_NOBITS)
        for piece in self.groups.lines:
            piece.offset, end = end, end + piece.size
        index = {id(piece): number for number, piece in enumerate(pieces, 1)}

        def record(symbol: elf.ElfSymbol, name: int) -> bytes:
            owner = self.placed.get(symbol.section)
            section = index[id(owner)] if owner else elf.SHN_ABS
            return elf.SYMBOL.pack(name, symbol.info, symbol.other, section, self._address(symbol), symbol.size)

        symbols.data = bytearray(24) + b"".join(record(s, strings.add(s.name)) for s in exported)
        return write(self.file, pieces, segments, kept, record)

    def _relocations(self, piece: Piece) -> list[elf.ElfRelocation]:
        tables = (s for s in self.file.sections if s.type in (elf.SHT_REL, elf.SHT_RELA) and s.info == piece.source)
        return [r for table in tables for r in self.file.relocations(table)]

    def _address(self, symbol: elf.ElfSymbol) -> int:
        if symbol.section == elf.SHN_ABS:
            return symbol.value
        if symbol.section not in self.placed:
            raise failed(f"'{symbol.name}' lies in a section that is not loaded")
        return self.placed[symbol.section].address + symbol.value

    def _apply(self, relative: Piece) -> None:
        pointers = []
        for piece, relocation in self.relocations:
            if relocation.symbol >= len(self.symbols):
                raise failed(f"a relocation names symbol {relocation.symbol}, which does not exist")
            if relocation.addend is None:
                raise failed(f"section '{piece.name}' has relocations without addends")
            symbol = self.symbols[relocation.symbol]
            value = self._address(symbol) + relocation.addend
            if piece.name == _LINES and relocation.type == ABS64:
                piece.data[relocation.offset : relocation.offset + 8] = struct.pack("<Q", value)
            elif relocation.type == ABS64:
                pointers.append((piece.address + relocation.offset, RELATIVE64, value))
            else:
                _store(piece, relocation, symbol.name, value)
        relative.data = bytearray(b"".join(elf.RELA.pack(*p) for p in sorted(pointers)))


def _is_exported(symbol: elf.ElfSymbol) -> bool:
    return symbol.binding in (elf.STB_GLOBAL, elf.STB_WEAK) and symbol.visibility in _EXPORTED


def _store(piece: Piece, relocation: elf.ElfRelocation, name: str, value: int) -> None:
    """Write one resolved field; ``value`` is symbol plus addend (S + A), the place's address is P."""
    distance = value - (piece.address + relocation.offset)
    fields = {
        ABS32_LO: (value & 0xFFFFFFFF, 4, False),
        ABS32_HI: (value >> 32 & 0xFFFFFFFF, 4, False),
        ABS32: (value, 4, False),
        REL32: (distance, 4, True),
        REL64: (distance, 8, True),
        REL32_LO: (distance & 0xFFFFFFFF, 4, False),
        REL32_HI: (distance >> 32 & 0xFFFFFFFF, 4, False),
        REL16: ((distance - 4) // 4, 2, True),
    }
    if relocation.type == NONE:
        return
    if relocation.type in (GOTPCREL, GOTPCREL32_LO, GOTPCREL32_HI):
        raise failed(f"'{name}' is reached through a global offset table; give it hidden or protected visibility")
    if relocation.type not in fields:
        raise failed(f"relocation type {relocation.type} for '{name}' is not supported")
    number, size, signed = fields[relocation.type]
    if relocation.offset + size > len(piece.data):
        raise failed(f"a relocation lies outside section '{piece.name}'")
    try:
        piece.data[relocation.offset : relocation.offset + size] = number.to_bytes(size, "little", signed=signed)
    except OverflowError:
        raise failed(f"'{name}' is out of reach of a {8 * size}-bit relocation in '{piece.name}'") from None


def _dynamic(symbols: Piece, names: Piece, by_gnu: Piece, by_sysv: Piece, relative: Piece) -> bytearray:
    entries = [
        (_DT_SYMTAB, symbols.address),
        (_DT_SYMENT, symbols.entry_size),
        (_DT_STRTAB, names.address),
        (_DT_STRSZ, names.size),
        (_DT_GNU_HASH, by_gnu.address),
        (_DT_HASH, by_sysv.address),
        (0, 0),
    ]
    if relative.size:
        count = relative.size // relative.entry_size
        entries = [
            (_DT_RELA, relative.address),
            (_DT_RELASZ, relative.size),
            (_DT_RELAENT, relative.entry_size),
            (_DT_RELACOUNT, count),
            *entries,
        ]
    return bytearray(b"".join(struct.pack("<QQ", *entry) for entry in entries))


def _lay_out(
    readable: list[Piece],
    code: list[Piece],
    relro: list[Piece],
    writable: list[Piece],
    dynamic: Piece,
    notes: list[Piece],
) -> list[Segment]:
    """Give every piece its file offset and address; the program headers, in order."""
    count = 6 + bool(code) + bool(writable) + bool(notes)
    headers = Segment(elf.PT_PHDR, _R, 64, 64, 56 * count, 56 * count, 8)
    position = Position(64 + headers.file_size)
    position.place(readable)
    segments = [headers, Segment(elf.PT_LOAD, _R, 0, 0, position.offset, position.offset, _PAGE)]
    if code:
        segments.append(position.segment(code, _RX, _PAGE))
    protected = position.segment(relro, _RW, _PAGE)
    protected.memory_size += -(protected.address + protected.memory_size) % _PAGE
    segments.append(protected)
    if writable:
        segments.append(position.segment(writable, _RW, _PAGE))
    size = dynamic.size
    segments.append(Segment(elf.PT_DYNAMIC, _RW, dynamic.offset, dynamic.address, size, size, 8))
    segments.append(replace(protected, type=_PT_GNU_RELRO, flags=_R, align=1))
    segments.append(Segment(_PT_GNU_STACK, _RW, 0, 0, 0, 0, 0))
    if notes:
        first, last = notes[0], notes[-1]
        size = last.offset + last.size - first.offset
        segments.append(Segment(elf.PT_NOTE, _R, first.offset, first.address, size, size, 4))
    return segments

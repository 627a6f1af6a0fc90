"""Parts of an ELF64 shared object being put together: pieces, segments, hash tables, and the file itself."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cassc.image import elf


@dataclass(slots=True, eq=False)
class Piece:
    """A section to be written. ``source`` is the input section it came from, -1 for one that the linker makes."""

    name: str
    type: int
    flags: int
    data: bytearray
    align: int
    entry_size: int = 0
    link: Piece | None = None
    info: int = 0
    source: int = -1
    size: int = -1
    offset: int = 0
    address: int = 0

    def __post_init__(self) -> None:
        if self.size < 0:
            self.size = len(self.data)


@dataclass(slots=True)
class Segment:
    type: int
    flags: int
    offset: int
    address: int
    file_size: int
    memory_size: int
    align: int


@dataclass(slots=True)
class Position:
    """Where the next piece goes: file offset, and how far memory addresses are ahead of it."""

    offset: int
    ahead: int = 0

    def place(self, pieces: Sequence[Piece]) -> None:
        """Put pieces one after another; those without bytes in the file only take addresses, and come last."""
        extra = 0
        for piece in pieces:
            address = self.offset + self.ahead + extra
            padding = -address % piece.align
            if piece.type == elf.SHT_NOBITS:
                piece.offset, piece.address = self.offset, address + padding
                extra += padding + piece.size
                continue
            self.offset += padding
            piece.offset, piece.address = self.offset, self.offset + self.ahead
            self.offset += piece.size
        self.ahead += extra

    def segment(self, pieces: Sequence[Piece], flags: int, page: int) -> Segment:
        """A loaded segment of its own, which starts on a new page of memory but needs no padding in the file."""
        self.ahead += page
        align = max(piece.align for piece in pieces[:1])
        self.offset += -(self.offset + self.ahead) % align
        offset, address = self.offset, self.offset + self.ahead
        before = self.ahead
        self.place(pieces)
        memory = self.offset + self.ahead - address
        # Keep offsets and addresses equal modulo the page size for whatever follows.
        self.ahead = before
        return Segment(elf.PT_LOAD, flags, offset, address, self.offset - offset, memory, page)


@dataclass(slots=True)
class StringTable:
    """Strings, each stored once."""

    data: bytearray = field(default_factory=lambda: bytearray(1))
    _offsets: dict[str, int] = field(default_factory=lambda: {"": 0})

    def add(self, text: str) -> int:
        if text not in self._offsets:
            self._offsets[text] = len(self.data)
            self.data += text.encode(errors="surrogateescape") + b"\0"
        return self._offsets[text]


def hash_tables(symbols: Sequence[elf.ElfSymbol]) -> tuple[list[elf.ElfSymbol], bytearray, bytearray]:
    """Symbols in the order that DT_GNU_HASH wants (by bucket), and the contents of .gnu.hash and .hash."""
    buckets = max(len(symbols) // 4, 1)
    words = 1 << (len(symbols) * 12 // 64).bit_length()
    ordered = sorted(symbols, key=lambda s: _gnu_hash(s.name) % buckets)
    hashes = [_gnu_hash(s.name) for s in ordered]

    bloom, heads, chain = [0] * words, [0] * buckets, []
    for position, value in enumerate(hashes):
        bucket = value % buckets
        bloom[value // 64 % words] |= 1 << value % 64 | 1 << (value >> 26) % 64
        heads[bucket] = heads[bucket] or position + 1
        last = position + 1 == len(hashes) or hashes[position + 1] % buckets != bucket
        chain.append(value & ~1 | last)
    gnu = bytearray(struct.pack("<IIII", buckets, 1, words, 26))
    gnu += struct.pack(f"<{words}Q{buckets}I{len(chain)}I", *bloom, *heads, *chain)

    count = len(ordered) + 1
    first, following = [0] * count, [0] * count
    for position, symbol in enumerate(ordered, 1):
        bucket = _sysv_hash(symbol.name) % count
        following[position], first[bucket] = first[bucket], position
    sysv = bytearray(struct.pack(f"<II{count}I{count}I", count, count, *first, *following))
    return ordered, gnu, sysv


def _gnu_hash(name: str) -> int:
    value = 5381
    for byte in name.encode(errors="surrogateescape"):
        value = value * 33 + byte & 0xFFFFFFFF
    return value


def _sysv_hash(name: str) -> int:
    value = 0
    for byte in name.encode(errors="surrogateescape"):
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ high >> 24) & ~high & 0xFFFFFFFF
    return value


def write(
    model: elf.Elf,
    pieces: Sequence[Piece],
    segments: Sequence[Segment],
    symbols: Sequence[elf.ElfSymbol],
    record: Callable[[elf.ElfSymbol, int], bytes],
) -> bytes:
    """The file: headers as in ``model``, the pieces at their places, then .symtab, its strings and the section names.

    record: (symbol, offset of its name) to the 24 bytes of its table entry.
    """
    strings = StringTable()
    ordered = sorted(symbols, key=lambda s: s.binding != elf.STB_LOCAL)
    locals_end = 1 + sum(s.binding == elf.STB_LOCAL for s in ordered)
    table = bytearray(24) + b"".join(record(s, strings.add(s.name)) for s in ordered)
    for name in (*(p.name for p in pieces), ".symtab", ".strtab"):
        strings.add(name)
    names = Piece(".strtab", elf.SHT_STRTAB, 0, strings.data, 1)
    full = Piece(".symtab", elf.SHT_SYMTAB, 0, table, 8, 24, names, locals_end)

    image = bytearray(max(p.offset + len(p.data) for p in pieces))
    for piece in pieces:
        image[piece.offset : piece.offset + len(piece.data)] = piece.data
    for piece in (full, names):
        image += bytes(-len(image) % piece.align)
        piece.offset = len(image)
        image += piece.data
    image += bytes(-len(image) % 8)

    every = [*pieces, full, names]
    index = {id(piece): number for number, piece in enumerate(every, 1)}
    headers = bytearray(elf.SECTION_HEADER.size)
    for piece in every:
        link = index[id(piece.link)] if piece.link else 0
        headers += elf.SECTION_HEADER.pack(
            strings.add(piece.name), piece.type, piece.flags, piece.address, piece.offset, piece.size, link,
            piece.info, piece.align, piece.entry_size,
        )  # fmt: skip
    image[: elf.HEADER.size] = elf.HEADER.pack(
        model.ident, elf.ET_DYN, model.machine, 1, 0, elf.HEADER.size, len(image), model.flags, elf.HEADER.size,
        elf.PROGRAM_HEADER.size, len(segments), elf.SECTION_HEADER.size, len(every) + 1, len(every),
    )  # fmt: skip
    position = elf.HEADER.size
    for s in segments:
        entry = (s.type, s.flags, s.offset, s.address, s.address, s.file_size, s.memory_size, s.align)
        elf.PROGRAM_HEADER.pack_into(image, position, *entry)
        position += elf.PROGRAM_HEADER.size
    return bytes(image + headers)

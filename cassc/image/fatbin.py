"""CUDA fat binaries: containers of cubins and PTX, one entry for each architecture.

Container: {u32 0xba55ed50, u16 version 1, u16 header size 16, u64 bytes of all entries}, 8-aligned, several in a row in
``.nv_fatbin`` or ``__nv_relfatbin``. Entry: a header of at least 64 bytes (see ``_ENTRY``), then the stored payload,
padded to 8. cassc adds entries of its own kinds, which NVIDIA's tools pass over.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum, IntFlag

from cassc import diag
from cassc.image import host
from cassc.target import SmArch

# kind, 0x0101, header bytes, stored bytes, compressed bytes, options record, minor, major, SM, file name (offset,
# length), flags, key, uncompressed bytes.
_ENTRY = struct.Struct("<HHIQIIHHIIIQQQ")
_CONTAINER = struct.Struct("<IHHQ")
_MAX_PAYLOAD = 1 << 31


class EntryKind(IntEnum):
    """What an entry holds. The last two are cassc's own: a clang offload bundle with one code object for each gfx
    target, and the verdicts of the checker as JSON text."""

    PTX = 1
    CUBIN = 2
    LTO_IR = 8
    CODE_OBJECTS = 0x4843
    VERDICTS = 0x4856


class EntryFlag(IntFlag):
    BITS64 = 0x1
    DEBUG = 0x2
    CUDA = 0x4
    LINUX = 0x10
    LZ4 = 0x2000
    ZSTD = 0x8000
    LTO = 0x10000
    ARCH_SPECIFIC = 0x100000
    FAMILY_SPECIFIC = 0x200000


@dataclass(frozen=True, slots=True)
class FatEntry:
    """One entry, kept as its exact bytes. ``kind`` may be a number that EntryKind does not list."""

    header: bytes
    stored: bytes

    @property
    def kind(self) -> int:
        return int(_ENTRY.unpack_from(self.header)[0])

    @property
    def arch(self) -> SmArch:
        flags = self.flags
        suffix = "a" if flags & EntryFlag.ARCH_SPECIFIC else "f" if flags & EntryFlag.FAMILY_SPECIFIC else ""
        return SmArch(int(_ENTRY.unpack_from(self.header)[8]), suffix)

    @property
    def version(self) -> tuple[int, int]:
        """(major, minor): the PTX ISA version, or the cubin's ABI version."""
        fields = _ENTRY.unpack_from(self.header)
        return int(fields[7]), int(fields[6])

    @property
    def flags(self) -> int:
        return int(_ENTRY.unpack_from(self.header)[11])

    @property
    def file_name(self) -> str:
        """Source file, recorded with -G and -lineinfo."""
        offset, length = _ENTRY.unpack_from(self.header)[9:11]
        return self._string(offset, length)

    @property
    def options(self) -> str:
        """ptxas options recorded by nvcc, empty if none."""
        record = int(_ENTRY.unpack_from(self.header)[5])
        if not record or record + 8 > len(self.header):
            return ""
        return self._string(*struct.unpack_from("<II", self.header, record))

    def _string(self, offset: int, length: int) -> str:
        return self.header[offset : offset + length].rstrip(b"\0").decode(errors="replace") if offset else ""

    def payload(self) -> bytes:
        """Decompressed content; NUL padding is taken off texts. Raises CasscError ``image-bad-fatbin``."""
        fields = _ENTRY.unpack_from(self.header)
        compressed, full = int(fields[4]), int(fields[13])
        content = self.stored
        if self.flags & (EntryFlag.LZ4 | EntryFlag.ZSTD):
            if compressed > len(content) or full > _MAX_PAYLOAD:
                raise _bad(f"entry for {self.arch.name} states impossible sizes ({compressed} and {full} bytes)")
            content = _decompress(content[:compressed], full, bool(self.flags & EntryFlag.ZSTD))
        return content.rstrip(b"\0") if self.kind in (EntryKind.PTX, EntryKind.VERDICTS) else content


@dataclass(frozen=True, slots=True)
class Place:
    """Where a container was found: image (as named in messages), section and byte offset in it. ``leaf`` counts an
    archive's members, in the order of ``HostImage.leaves``."""

    image: str
    section: str
    index: int
    offset: int
    leaf: int = 0


@dataclass(frozen=True, slots=True)
class FatBinary:
    """A container and its entries, in file order."""

    entries: tuple[FatEntry, ...]
    place: Place = Place("", "", -1, 0)

    def of_kind(self, kind: int) -> tuple[FatEntry, ...]:
        return tuple(e for e in self.entries if e.kind == kind)

    def archs(self, kind: int = EntryKind.CUBIN) -> tuple[SmArch, ...]:
        """Architectures for which there is an entry of that kind, ascending."""
        return tuple(sorted({e.arch for e in self.of_kind(kind)}))


@dataclass(frozen=True, slots=True)
class Selection:
    """What ``select`` chose; None where the fat binary holds nothing that fits."""

    cubin: bytes | None = None
    cubin_arch: SmArch | None = None
    ptx: str | None = None
    ptx_arch: SmArch | None = None


def _bad(why: str) -> diag.CasscError:
    return diag.error("image-bad-fatbin", f"malformed fat binary: {why}")


def _decompress(content: bytes, full: int, zstd: bool) -> bytes:
    import lz4.block
    import zstandard

    try:
        if zstd:
            result = bytes(zstandard.ZstdDecompressor().decompress(content, max_output_size=full))
        else:
            result = bytes(lz4.block.decompress(content, uncompressed_size=full))
    except (zstandard.ZstdError, lz4.block.LZ4BlockError, ValueError, MemoryError) as problem:
        raise _bad(f"{'zstd' if zstd else 'LZ4'} payload does not decompress: {problem}") from problem
    if len(result) != full:
        raise _bad(f"payload decompresses to {len(result)} bytes, {full} were stated")
    return result


def make_entry(kind: EntryKind, arch: SmArch, payload: bytes) -> FatEntry:
    """An uncompressed entry with a plain header; ``arch`` is that of the cubin it was made from."""
    flags = EntryFlag.BITS64 | EntryFlag.LINUX
    if arch.suffix:
        flags |= EntryFlag.ARCH_SPECIFIC if arch.suffix == "a" else EntryFlag.FAMILY_SPECIFIC
    stored = payload + bytes(-len(payload) % 8)
    header = _ENTRY.pack(kind, 0x0101, _ENTRY.size, len(stored), 0, 0, 0, 1, arch.number, 0, 0, flags, 0, 0)
    return FatEntry(header, stored)


def parse(data: bytes, place: Place | None = None) -> FatBinary:
    """Read one container, which starts at the first byte; bytes after it are ignored. Raises ``image-bad-fatbin``."""
    if len(data) < _CONTAINER.size:
        raise _bad(f"{len(data)} bytes are too few for a container")
    magic, version, header_size, size = _CONTAINER.unpack_from(data)
    if magic != host.FATBIN_MAGIC:
        raise _bad(f"container magic is 0x{magic:08x}")
    if version != 1 or header_size != _CONTAINER.size:
        raise _bad(f"container version {version} with a header of {header_size} bytes is not known")
    if header_size + size > len(data):
        raise _bad(f"container of {size} bytes runs past the end of its section")
    entries = tuple(_entries(data[header_size : header_size + size]))
    return FatBinary(entries, place or Place("", "", -1, 0))


def _entries(data: bytes) -> Iterator[FatEntry]:
    position = 0
    while position < len(data):
        if position + _ENTRY.size > len(data):
            raise _bad(f"entry at {position} is cut short")
        fields = _ENTRY.unpack_from(data, position)
        header_size, stored = fields[2], fields[3]
        end = position + header_size + stored
        if header_size < _ENTRY.size or end > len(data):
            raise _bad(f"entry at {position} ({header_size} + {stored} bytes) runs past its container")
        yield FatEntry(data[position : position + header_size], data[position + header_size : end])
        position = end


def serialize(fat: FatBinary) -> bytes:
    """The container's bytes; identical to what was parsed if nothing was changed."""
    body = b"".join(e.header + e.stored for e in fat.entries)
    return _CONTAINER.pack(host.FATBIN_MAGIC, 1, _CONTAINER.size, len(body)) + body


def extract(image: host.HostImage) -> tuple[FatBinary, ...]:
    """All containers of an image, archive members included, in file order. A bare cubin gives one container with it.

    Raises CasscError ``image-bad-fatbin``.
    """
    return tuple(fat for number, leaf in enumerate(image.leaves()) for fat in _extract_one(leaf, number))


def _extract_one(image: host.HostImage, leaf: int) -> Iterator[FatBinary]:
    if image.kind is host.ImageKind.CUBIN:
        from cassc.image import cubin

        entry = make_entry(EntryKind.CUBIN, cubin.parse(image.data).arch, image.data)
        yield FatBinary((entry,), Place(image.name, "", -1, 0, leaf))
    for section in image.fat_sections():
        for offset in containers(section.data):
            place = Place(image.name, section.name, section.index, offset, leaf)
            try:
                yield parse(section.data[offset:], place)
            except diag.CasscError as problem:
                if not section.name and section.index < 0 and image.kind is not host.ImageKind.FATBIN:
                    continue  # a chance match of the magic in a segment
                located = (replace(d, location=diag.Location(file=image.name)) for d in problem.diagnostics)
                raise diag.CasscError(*located) from problem


def containers(data: bytes) -> Iterator[int]:
    """Offsets of the containers that stand in a section, one after another; padding between them is passed over."""
    position = 0
    while (position := _next_magic(data, position)) >= 0:
        yield position
        size = int.from_bytes(data[position + 8 : position + 16], "little")
        position += _CONTAINER.size + min(size, len(data))


def _next_magic(data: bytes, position: int) -> int:
    wanted = host.FATBIN_MAGIC.to_bytes(4, "little")
    while (position := data.find(wanted, position)) >= 0 and position % 8:
        position += 1
    return position


def runs_on(code: SmArch, device: SmArch) -> bool:
    """CUDA's rule for SASS: same major and no newer minor; ``a`` code only on exactly its architecture."""
    if code.suffix == "a":
        return code.number == device.number
    return code.number // 10 == device.number // 10 and code.number <= device.number


def select(fat: FatBinary, sm: SmArch | None = None) -> Selection:
    """The best cubin and PTX for a device of architecture ``sm``, or the newest of each if None.

    Of two cubins for one SM number the plain one is taken before its ``a`` or ``f`` variant, unless ``sm`` has that
    suffix. Raises CasscError ``image-bad-fatbin`` for a damaged payload.
    """

    def rank(entry: FatEntry) -> tuple[int, bool, bool]:
        exact = sm is not None and entry.arch == sm
        return entry.arch.number, exact, not entry.arch.suffix

    cubins = [e for e in fat.of_kind(EntryKind.CUBIN) if sm is None or runs_on(e.arch, sm)]
    texts = [e for e in fat.of_kind(EntryKind.PTX) if sm is None or _compiles_for(e.arch, sm)]
    cubin = max(cubins, key=rank, default=None)
    text = max(texts, key=rank, default=None)
    return Selection(
        cubin.payload() if cubin else None,
        cubin.arch if cubin else None,
        text.payload().decode(errors="replace") if text else None,
        text.arch if text else None,
    )


def _compiles_for(ptx: SmArch, device: SmArch) -> bool:
    return ptx.number == device.number if ptx.suffix == "a" else ptx.number <= device.number

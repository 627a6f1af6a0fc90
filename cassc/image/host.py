"""Host files that carry device code: objects, executables, shared libraries, archives, and bare fat binaries or cubins.

Archives: System V / GNU ar(5) with long names, 64-bit symbol tables, thin archives, and the BSD form of long names.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from cassc import diag
from cassc.image import elf

FATBIN_MAGIC = 0xBA55ED50
_FATBIN_BYTES = struct.pack("<I", FATBIN_MAGIC)
_ELF64_LITTLE = b"\x02\x01"
FATBIN_SECTIONS = (".nv_fatbin", "__nv_relfatbin")


class ImageKind(Enum):
    OBJECT = "object file"
    EXECUTABLE = "executable"
    SHARED = "shared library"
    ARCHIVE = "archive"
    FATBIN = "fat binary"
    CUBIN = "cubin"
    OTHER = "other file"


@dataclass(frozen=True, slots=True)
class FatSection:
    """A stretch of an image that may hold fat binary containers.

    Attributes:
        name: section name; empty where the file has no section headers (then a loaded segment) or is a bare fat binary.
        index: section index, -1 for a segment or a bare file.
        offset: of ``data`` in the file.
    """

    name: str
    index: int
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Member:
    """An archive member. ``header`` is the file offset of its 60-byte header; ``external`` is the path of the file that
    a thin archive refers to, empty otherwise."""

    name: str
    header: int
    image: HostImage
    external: str = ""


@dataclass(frozen=True, slots=True)
class HostImage:
    """A file as read. ``members`` is filled for archives, ``elf`` for ELF files.

    ``name`` is what messages call it: the path, or ``path(member)``.
    """

    name: str
    kind: ImageKind
    data: bytes
    elf: elf.Elf | None = None
    members: tuple[Member, ...] = ()

    def leaves(self) -> Iterator[HostImage]:
        """The image itself, or an archive's members."""
        if self.kind is not ImageKind.ARCHIVE:
            yield self
        for member in self.members:
            yield from member.image.leaves()

    def fat_sections(self) -> tuple[FatSection, ...]:
        """Where fat binary containers may stand in this image (not in an archive's members)."""
        if self.kind is ImageKind.FATBIN:
            return (FatSection("", -1, 0, self.data),)
        if self.elf is None or self.kind is ImageKind.CUBIN:
            return ()
        if self.elf.sections:
            return tuple(
                FatSection(s.name, s.index, s.offset, s.data)
                for s in self.elf.sections
                if s.name in FATBIN_SECTIONS and s.data
            )
        loaded = (s for s in self.elf.segments if s.type == elf.PT_LOAD)
        stretches = (FatSection("", -1, s.offset, self.data[s.offset : s.offset + s.file_size]) for s in loaded)
        return tuple(s for s in stretches if _FATBIN_BYTES in s.data)


def read(path: str | os.PathLike[str]) -> HostImage:
    """Read a host file. Raises CasscError ``image-unreadable`` or ``image-bad-host-file``."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            data = file.read()
    except OSError as problem:
        raise diag.error("image-unreadable", f"cannot read '{name}': {problem.strerror}") from problem
    return read_bytes(data, name)


def read_bytes(data: bytes, name: str) -> HostImage:
    """As ``read``, of bytes already in memory; ``name`` is used in messages and to find a thin archive's members."""
    if data.startswith((b"!<arch>\n", b"!<thin>\n")):
        return HostImage(name, ImageKind.ARCHIVE, data, members=tuple(_members(data, name)))
    if data.startswith(_FATBIN_BYTES):
        return HostImage(name, ImageKind.FATBIN, data)
    if not elf.is_elf(data) or data[4:6] != _ELF64_LITTLE:
        return HostImage(name, ImageKind.OTHER, data)
    try:
        file = elf.parse(data)
    except elf.ElfError as problem:
        raise bad_host_file(name, str(problem)) from problem
    return HostImage(name, _elf_kind(file), data, file)


def bad_host_file(name: str, why: str) -> diag.CasscError:
    return diag.error("image-bad-host-file", f"malformed host file: {why}", diag.Location(file=name))


def _elf_kind(file: elf.Elf) -> ImageKind:
    if file.machine == elf.EM_CUDA:
        return ImageKind.CUBIN
    if file.type == elf.ET_REL:
        return ImageKind.OBJECT
    interpreted = any(s.type == elf.PT_INTERP for s in file.segments)
    return ImageKind.EXECUTABLE if file.type == elf.ET_EXEC or interpreted else ImageKind.SHARED


AR_HEADER = 60


def _members(data: bytes, archive: str) -> Iterator[Member]:
    thin = data.startswith(b"!<thin>\n")
    position, long_names = 8, b""
    while position < len(data):
        header = data[position : position + AR_HEADER]
        size_text = header[48:58].strip()
        if len(header) < AR_HEADER or header[58:] != b"`\n" or not size_text.isdigit():
            raise bad_host_file(archive, f"no archive member header at offset {position}")
        name, size = header[:16].rstrip(b" "), int(size_text)
        start = position + AR_HEADER
        table = name in (b"/", b"/SYM64/", b"//", b"__.SYMDEF")
        inline = table or not thin
        if inline and start + size > len(data):
            raise bad_host_file(archive, f"archive member at offset {position} runs past the end of the file")
        content = data[start : start + size] if inline else b""
        if name == b"//":
            long_names = content
        elif not table:
            text, content = _member_name(name, content, long_names, archive)
            label = f"{archive}({text})"
            if inline:
                yield Member(text, position, read_bytes(content, label))
            else:
                external = os.path.join(os.path.dirname(archive), text)
                yield Member(text, position, read(external), external)
        position = start + (size + (size & 1) if inline else 0)


def _member_name(name: bytes, content: bytes, long_names: bytes, archive: str) -> tuple[str, bytes]:
    if name.startswith(b"#1/") and name[3:].isdigit():  # BSD: the name stands before the content
        length = int(name[3:])
        return content[:length].rstrip(b"\0").decode(errors="surrogateescape"), content[length:]
    if name.startswith(b"/") and name[1:].isdigit():
        start = int(name[1:])
        end = long_names.find(b"\n", start)
        if end < 0:
            raise bad_host_file(archive, f"long member name at {start} lies outside the name table")
        name = long_names[start:end]
    return name.removesuffix(b"/").decode(errors="surrogateescape"), content

"""Making a linked program or library use our CUDA runtime, by LIEF: where the loader looks, and what its calls reach.

LIEF 1.0 was measured to be right here (position-independent and fixed programs, libraries, stripped ones; the results
run) if its program headers go into a gap between segments: its other ways shift every address, and with them what
debuggers know, or give files that do not start.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cassc import diag
from cassc.image import elf as raw
from cassc.image.static_runtime import EntryPoint, StaticRuntime

_POINTER = 8
_PAGE = 4096
_READ_WRITE = 6
_JUMP = 6
"""Bytes of ``jmp [rip + displacement]``."""
_REACH = 1 << 31
_MOST = 1 << 32
_TOP = 1 << 47
"""End of the addresses that a program may have."""
_NOT_SUPPORTED = b"\xb8" + struct.pack("<I", 801) + b"\xc3"
"""``mov eax, 801; ret``: cudaErrorNotSupported."""


def needed(data: bytes) -> tuple[str, ...]:
    """The shared libraries that a linked file names (DT_NEEDED). Raises CasscError ``relink-unreadable``."""
    return tuple(_parse(data, "").libraries)


def relink(data: bytes, name: str, library: Path, runtime: StaticRuntime | None) -> bytes:
    """The file with ``library``'s folder before all others in its run path; with a static ``runtime``, its entry points
    jump to the functions of the same name in ``library``, which the file then needs.

    The path is a DT_RPATH, which unlike DT_RUNPATH comes before LD_LIBRARY_PATH: with a CUDA toolkit there, NVIDIA's
    library would be found. Raises CasscError ``relink-static`` for a program without a dynamic section,
    ``relink-failed`` where the result is not what was asked for.
    """
    _check(data, name)
    binary = _parse(data, name)
    elf = _lief().ELF
    if not any(segment.type == elf.Segment.TYPE.DYNAMIC for segment in binary.segments):
        raise diag.error(
            "relink-static",
            "the program is linked without any shared library, so it cannot use cassc's CUDA runtime",
            diag.Location(file=name),
        )
    before = _code_address(binary)
    if not binary.relocate_phdr_table(elf.Binary.PHDR_RELOC.SEGMENT_GAP):
        binary.relocate_phdr_table(elf.Binary.PHDR_RELOC.AUTO)
    shift = _code_address(binary) - before
    _set_path(binary, str(library.parent))
    if runtime is not None:
        _redirect(binary, library, runtime, shift)
    result = bytes(binary.write_to_bytes())
    again = _parse(result, name)
    if not any(str(library.parent) in entry.paths for entry in again.dynamic_entries if hasattr(entry, "paths")):
        raise diag.error(
            "relink-failed", "the rewritten file does not name cassc's libraries", diag.Location(file=name)
        )
    return result


def _check(data: bytes, name: str) -> None:
    """Refuse what no loader would map: LIEF would try to write it, without end."""
    try:
        file = raw.parse(data)
    except raw.ElfError as problem:
        raise diag.error("relink-unreadable", f"malformed file: {problem}", diag.Location(file=name)) from problem
    for segment in file.segments:
        inside = segment.offset + segment.file_size <= len(data)
        aligned = segment.align & (segment.align - 1) == 0 if segment.align else True
        if not inside or not aligned or segment.align > _MOST or segment.address + segment.memory_size > _TOP:
            raise diag.error("relink-unreadable", "malformed file: impossible segment", diag.Location(file=name))
    for section in file.sections:
        if section.size > _MOST or section.align > _MOST or section.address > _TOP or section.offset > len(data):
            raise diag.error(
                "relink-unreadable", f"malformed file: impossible section '{section.name}'", diag.Location(file=name)
            )


def _set_path(binary: Any, folder: str) -> None:
    """The folder, then what the file named itself, as one DT_RPATH."""
    elf = _lief().ELF
    paths = [folder]
    for tag in (elf.DynamicEntry.TAG.RUNPATH, elf.DynamicEntry.TAG.RPATH):
        entry = binary.get(tag)
        if entry is not None:
            paths += [path for path in entry.paths if path not in paths]
            binary.remove(tag)
    binary.add(elf.DynamicEntryRpath(paths))


def _redirect(binary: Any, library: Path, runtime: StaticRuntime, shift: int) -> None:
    elf = _lief().ELF
    front_end = _parse(library.read_bytes(), str(library))
    provided = {symbol.name for symbol in front_end.exported_symbols}
    targets = [entry for entry in runtime.entries if entry.name in provided]
    slots = _add_slots(binary, len(targets))
    for number, entry in enumerate(targets):
        symbol = elf.Symbol()
        symbol.name = entry.name
        symbol.type = elf.Symbol.TYPE.FUNC
        symbol.binding = elf.Symbol.BINDING.GLOBAL
        slot = slots + _POINTER * number
        relocation = elf.Relocation(slot, elf.Relocation.TYPE.X86_64_GLOB_DAT, elf.Relocation.ENCODING.RELA)
        relocation.symbol = binary.add_dynamic_symbol(symbol)
        binary.add_dynamic_relocation(relocation)
        place = entry.address + shift
        distance = slot - place - _JUMP
        if not -_REACH <= distance < _REACH:
            raise _failed(f"'{entry.name}' at 0x{place:x} is too far from the free addresses at 0x{slots:x}")
        binary.patch_address(place, list(b"\xff\x25" + struct.pack("<i", distance)))
    for entry in _left_over(runtime.entries, provided):
        binary.patch_address(entry.address + shift, list(_NOT_SUPPORTED))
    binary.add_library(library.name)


def _left_over(entries: Sequence[EntryPoint], provided: set[str]) -> list[EntryPoint]:
    """Functions that stand among those of the runtime, so are its own, and that our library does not have."""
    known = [entry.address for entry in entries if entry.name in provided]
    lowest, highest = min(known, default=0), max(known, default=0)
    return [entry for entry in entries if entry.name not in provided and lowest < entry.address < highest]


def _add_slots(binary: Any, count: int) -> int:
    """Room for pointers that the loader fills; its address."""
    elf = _lief().ELF
    segment = elf.Segment()
    segment.type = elf.Segment.TYPE.LOAD
    segment.flags = elf.Segment.FLAGS(_READ_WRITE)
    segment.alignment = _PAGE
    segment.content = list(bytes(_POINTER * max(count, 1)))
    added = binary.add(segment)
    if added is None:
        raise _failed("LIEF cannot add a segment to it")
    return int(added.virtual_address)


def _code_address(binary: Any) -> int:
    elf = _lief().ELF
    code = (s for s in binary.segments if s.type == elf.Segment.TYPE.LOAD and elf.Segment.FLAGS.X in s)
    return min((int(segment.virtual_address) for segment in code), default=0)


def _failed(why: str) -> diag.CasscError:
    return diag.error("relink-failed", f"the file cannot be rewritten: {why}")


def _parse(data: bytes, name: str) -> Any:
    binary = _lief().ELF.parse(data)
    if binary is None:
        raise diag.error("relink-unreadable", "LIEF cannot read the file", diag.Location(file=name))
    return binary


def _lief() -> Any:
    """Loaded late (it is large); its own messages would otherwise go to stderr."""
    import lief

    lief.logging.disable()
    return lief

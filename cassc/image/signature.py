"""Signature tables: how the functions of one ``libcudart_static.a`` are laid out, by which ``libcassc_redirect`` finds
them in a program whose symbols were stripped. The format is described in ``shims/redirect/signature.h``.

A linker copies the object's code as one block and fills in its relocations; so a hash of a function without the bytes
that relocations change tells the version, and from the function's place all the others follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cassc.diag import CasscError
from cassc.image import elf, host

_API = re.compile(r"(__)?cuda[A-Z]\w*")
_NVCC_OWN = re.compile(r"__cuda(RegisterAll|UnregisterBinaryUtil|RegisterLinkedBinary)")
_ANCHORS = 5
_ANCHOR_BYTES = 512
_FNV_OFFSET, _FNV_PRIME, _FNV_MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1
# x86-64 psABI, "Relocation Types": those of eight bytes, and those where the linker may rewrite the instruction around.
_EIGHT_BYTES = (1, 24, 25)  # 64, PC64, GOTOFF64
_RELAXED = (41, 42)  # GOTPCRELX, REX_GOTPCRELX: opcode and ModRM before the place
_THREAD_LOCAL = (19, 20, 21, 22, 23, 34, 35)  # whole sequences, with the call behind them
_TLS_BEFORE, _TLS_AFTER = 8, 12


def table(archive: bytes) -> str:
    """The table of an archive; empty where it is none of the CUDA runtime."""
    try:
        members = [leaf.elf for leaf in host.read_bytes(archive, "libcudart_static.a").leaves()]
        texts = [_member(file) for file in members if file is not None]
    except (CasscError, elf.ElfError):
        return ""
    return next(filter(None, texts), "")


def _member(file: elf.Elf) -> str:
    symbols = file.of_type(elf.SHT_SYMTAB)
    code = file.find(".text")
    if symbols is None or code is None:
        return ""
    functions = [s for s in file.symbols(symbols) if s.type == elf.STT_FUNC and s.section == code.index and s.size]
    entries = [s for s in functions if _API.fullmatch(s.name) and not _NVCC_OWN.match(s.name)]
    names = {s.name for s in entries}
    if "__cudaRegisterFatBinary" not in names:
        return ""
    major = 11 if "__cudaRegisterTexture" in names else 12 if "cudaGetDeviceProperties_v2" in names else 13
    filled = sorted(_filled(file, code))
    lines = ["cassc-redirect 1", f"version {major}"]
    largest = sorted({(-s.size, s.value) for s in functions})[:_ANCHORS]
    lines += [_anchor(code.data, start, min(-size, _ANCHOR_BYTES), filled) for size, start in largest]
    lines += [f"function {s.name} {s.value:x} {s.size:x}" for s in sorted(entries, key=lambda s: s.value)]
    return "\n".join(lines) + "\n"


def _filled(file: elf.Elf, code: elf.ElfSection) -> Iterator[tuple[int, int]]:
    """Start and end of each stretch of the code that a linker may change."""
    for section in file.sections:
        if section.type != elf.SHT_RELA or section.info != code.index:
            continue
        for entry in file.relocations(section):
            start, end = entry.offset, entry.offset + (8 if entry.type in _EIGHT_BYTES else 4)
            if entry.type in _RELAXED:
                start -= 3
            elif entry.type in _THREAD_LOCAL:
                start, end = start - _TLS_BEFORE, end + _TLS_AFTER
            yield start, end


def _anchor(code: bytes, start: int, size: int, filled: Sequence[tuple[int, int]]) -> str:
    skips = []
    value, position = _FNV_OFFSET, start
    for first, end in filled:
        if end <= start or first >= start + size:
            continue
        first = max(first, start)
        skips.append(f"{first - start:x}-{end - first:x}")
        value = _fnv(value, code[position:first])
        position = max(position, end)
    value = _fnv(value, code[position : start + size])
    return " ".join(["anchor", f"{start:x}", f"{size:x}", f"{value:x}", *skips])


def _fnv(value: int, data: bytes) -> int:
    for byte in data:
        value = (value ^ byte) * _FNV_PRIME & _FNV_MASK
    return value

"""AMDGPU code objects (ET_DYN ELF): target, kernels and their launch facts, exported variables.

Kernel facts come from the NT_AMDGPU_METADATA note, MessagePack as described in LLVM's AMDGPUUsage ("Code object V5
metadata"); variables from the dynamic symbol table.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cassc import diag
from cassc.image import elf
from cassc.image.reader import ElfReader
from cassc.target import TARGETS, Target

_NT_AMDGPU_METADATA = 32
_ELFOSABI_AMDGPU_HSA = 64
_MACH_MASK = 0xFF


@dataclass(frozen=True, slots=True)
class Argument:
    """A kernel argument: byte offset and size in the kernarg segment, and the metadata's value kind
    (``by_value``, ``global_buffer``, ``hidden_block_count_x``, ...)."""

    offset: int
    size: int
    kind: str
    name: str = ""

    @property
    def hidden(self) -> bool:
        return self.kind.startswith("hidden_")


@dataclass(frozen=True, slots=True)
class KernelInfo:
    """Sizes in bytes. ``symbol`` is that of the 64-byte kernel descriptor."""

    name: str
    symbol: str
    arguments: tuple[Argument, ...]
    kernarg_size: int
    kernarg_align: int
    group_segment_size: int
    private_segment_size: int
    uses_dynamic_stack: bool
    max_flat_workgroup_size: int
    wavefront_size: int
    vgpr_count: int
    sgpr_count: int
    vgpr_spills: int
    sgpr_spills: int

    def explicit_arguments(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.arguments if not a.hidden)


@dataclass(frozen=True, slots=True)
class GlobalVariable:
    """An exported variable. ``address`` is relative to where the code object is loaded."""

    name: str
    address: int
    size: int


@dataclass(frozen=True, slots=True)
class CodeObject:
    """``version`` is the code object version (5 for ELF ABI version 3)."""

    target: Target
    version: int
    kernels: tuple[KernelInfo, ...]
    globals: tuple[GlobalVariable, ...]
    data: bytes

    def kernel(self, name: str) -> KernelInfo | None:
        return next((k for k in self.kernels if k.name == name), None)

    def global_variable(self, name: str) -> GlobalVariable | None:
        return next((g for g in self.globals if g.name == name), None)


def _bad(why: str) -> diag.CasscError:
    return diag.error("image-bad-code-object", f"malformed code object: {why}")


def parse(data: bytes) -> CodeObject:
    """Read a linked code object. Raises CasscError ``image-bad-code-object``."""
    try:
        file = ElfReader(data)
        if file.type != elf.ET_DYN:
            raise _bad("not a linked code object (ELF type DYN)")
        target = _target(file)
        metadata = _metadata(file)
        kernels = tuple(_kernel(k) for k in metadata.get("amdhsa.kernels", ()))
        return CodeObject(target, file.ident[8] + 2, kernels, tuple(_globals(file)), data)
    except elf.ElfError as problem:
        raise _bad(str(problem)) from problem
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        raise _bad(f"metadata: {problem!r}") from problem


def code_sections(data: bytes) -> tuple[str, list[tuple[int, bytes]]]:
    """Processor name, and (address, bytes) of each executable section; of relocatable objects too.

    Raises CasscError ``image-bad-code-object``.
    """
    try:
        file = ElfReader(data)
        code = [(s.address, s.data) for s in file.sections if s.flags & elf.SHF_EXECINSTR and s.data]
        return _target(file).name, sorted(code)
    except elf.ElfError as problem:
        raise _bad(str(problem)) from problem


def _target(file: ElfReader) -> Target:
    if file.machine != elf.EM_AMDGPU or file.ident[7] != _ELFOSABI_AMDGPU_HSA:
        raise _bad("not an AMDGPU file of the HSA ABI")
    number = file.flags & _MACH_MASK
    found = next((t for t in TARGETS.values() if t.elf_mach == number), None)
    if found is None:
        raise _bad(f"processor 0x{number:02x} is not one of {', '.join(TARGETS)}")
    return found


def metadata(data: bytes) -> dict[str, Any]:
    """The whole metadata map of a code object or relocatable object. Raises CasscError ``image-bad-code-object``."""
    try:
        return _metadata(ElfReader(data))
    except elf.ElfError as problem:
        raise _bad(str(problem)) from problem


def _metadata(file: ElfReader) -> dict[str, Any]:
    import msgpack

    for section in file.sections:
        if section.type != elf.SHT_NOTE:
            continue
        for name, type, content in _notes(section.data):
            if name == b"AMDGPU" and type == _NT_AMDGPU_METADATA:
                try:
                    unpacked = msgpack.unpackb(content)
                except (ValueError, msgpack.UnpackException) as problem:
                    raise _bad(f"metadata is not MessagePack: {problem}") from problem
                if not isinstance(unpacked, dict):
                    raise _bad("metadata is not a map")
                return unpacked
    raise _bad("no metadata note")


def _notes(data: bytes) -> Iterator[tuple[bytes, int, bytes]]:
    position = 0
    while position + 12 <= len(data):
        name_size, size, type = struct.unpack_from("<III", data, position)
        name = position + 12
        content = name + (name_size + 3 & ~3)
        if content + size > len(data):
            raise elf.ElfError("a note runs past its section")
        yield data[name : name + name_size].rstrip(b"\0"), type, data[content : content + size]
        position = content + (size + 3 & ~3)


def _kernel(entry: dict[str, Any]) -> KernelInfo:
    arguments = (
        Argument(int(a[".offset"]), int(a[".size"]), str(a[".value_kind"]), str(a.get(".name", "")))
        for a in entry.get(".args", ())
    )
    return KernelInfo(
        str(entry[".name"]),
        str(entry[".symbol"]),
        tuple(arguments),
        int(entry[".kernarg_segment_size"]),
        int(entry[".kernarg_segment_align"]),
        int(entry[".group_segment_fixed_size"]),
        int(entry[".private_segment_fixed_size"]),
        bool(entry.get(".uses_dynamic_stack", False)),
        int(entry[".max_flat_workgroup_size"]),
        int(entry[".wavefront_size"]),
        int(entry[".vgpr_count"]),
        int(entry[".sgpr_count"]),
        int(entry.get(".vgpr_spill_count", 0)),
        int(entry.get(".sgpr_spill_count", 0)),
    )


def _globals(file: ElfReader) -> Iterator[GlobalVariable]:
    table = file.of_type(elf.SHT_DYNSYM)
    symbols = file.symbols(table) if table else ()
    for symbol in symbols:
        descriptor = symbol.name.endswith(".kd") and symbol.size == 64
        if symbol.type == elf.STT_OBJECT and symbol.section != elf.SHN_UNDEF and not descriptor:
            yield GlobalVariable(symbol.name, symbol.value, symbol.size)

"""Cubins: NVIDIA's ELF container of device code, as frozen facts.

Facts of the layout: ELF64, EM_CUDA (190); ``.text.<kernel>``, ``.nv.info[.<kernel>]`` (EIATTR records),
``.nv.constant<bank>[.<kernel>]``, ``.nv.shared.<kernel>``, ``.nv.global``, ``.nv.global.init``. pyelftools reads the
file (through ``reader``); what NVIDIA put into it is interpreted here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from cassc import diag
from cassc.image import eiattr, elf, lines
from cassc.image.reader import ElfReader
from cassc.target import SmArch


@dataclass(frozen=True, slots=True)
class Parameter:
    """A kernel parameter: byte offset and size inside the parameter block, in declaration order."""

    ordinal: int
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class KernelAbi:
    """What a launch of a kernel needs, computed once from the cubin.

    Attributes:
        name: mangled name.
        parameters: by ascending offset.
        param_base: byte offset of the parameter block in constant bank 0 (EIATTR_PARAM_CBANK).
        param_size: bytes of the parameter block.
        static_shared: bytes of ``.nv.shared.<kernel>`` (on sm_90 and later it includes the 1024 reserved bytes).
        frame_size: bytes of local memory (stack) that the whole call tree needs; the CUDA default of 1024 where it is
            unbounded (recursion).
        barriers: named barriers used.
        max_threads: per CTA by ``__launch_bounds__``, 0 if none.
        required_threads: exact CTA shape (EIATTR_REQNTID), or None.
        registers: per thread, 0 if unknown.
        cluster: CTAs of a cluster along x, y and z, where the kernel asks for that (EIATTR_CTA_PER_CLUSTER).
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    param_base: int = 0
    param_size: int = 0
    static_shared: int = 0
    frame_size: int = 0
    barriers: int = 0
    max_threads: int = 0
    required_threads: tuple[int, int, int] | None = None
    registers: int = 0
    cluster: tuple[int, int, int] = (1, 1, 1)


@dataclass(frozen=True, slots=True)
class Section:
    """``data`` is empty for NOBITS sections; ``size`` is always the size in memory."""

    name: str
    data: bytes
    size: int
    align: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """``section`` is a section name, ``""`` for undefined, ``"*ABS*"`` for absolute; ``kind`` is the ELF type
    (``FUNC``, ``OBJECT``, ``NOTYPE``, ``SECTION``, ...), ``binding`` ``LOCAL``/``GLOBAL``/``WEAK``."""

    name: str
    section: str
    value: int
    size: int
    kind: str
    binding: str
    other: int = 0


@dataclass(frozen=True, slots=True)
class Relocation:
    """``addend`` is explicit (RELA) or read from the place (REL; 0 where the type's field is not known)."""

    offset: int
    type: int
    symbol: str
    addend: int


@dataclass(frozen=True, slots=True)
class Kernel:
    """An entry function. ``code`` is its whole text section, subroutines included.

    ``subroutines``: FUNC symbols of the section at a non-zero offset (st_size there is not to be trusted).
    ``info``: EIATTR records of ``.nv.info.<kernel>``, as (attribute, payload bytes).
    """

    name: str
    code: bytes
    abi: KernelAbi
    subroutines: tuple[Symbol, ...] = ()
    info: tuple[tuple[int, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class Cubin:
    """A parsed cubin. ``relocations`` is keyed by the name of the section they apply to."""

    arch: SmArch
    kernels: tuple[Kernel, ...]
    sections: Mapping[str, Section]
    symbols: tuple[Symbol, ...]
    relocations: Mapping[str, tuple[Relocation, ...]] = field(default_factory=dict)
    data: bytes = b""
    lines: lines.LineTable = field(default_factory=lines.LineTable, compare=False, repr=False)

    def section(self, name: str) -> Section | None:
        return self.sections.get(name)

    def symbol(self, name: str) -> Symbol | None:
        return next((s for s in self.symbols if s.name == name), None)

    def kernel(self, name: str) -> Kernel | None:
        return next((k for k in self.kernels if k.name == name), None)

    def line_at(self, section: str, address: int) -> tuple[str, int] | None:
        """Source file and 1-based line of the code at a byte address of a text section; None without line info."""
        return self.lines.at(section, address)


# CUDA's default stack size for each thread (cudaLimitStackSize), taken where the call depth is unbounded.
DEFAULT_STACK = 1024

_HELPERS = ("$__internal_", "__cuda_sm")
_UNBOUNDED = 0xFFFFFFFF
_STO_CUDA_ENTRY = 0x10
_STT_CUDA_OBJECT = 13
_KINDS = {
    elf.STT_NOTYPE: "NOTYPE", elf.STT_OBJECT: "OBJECT", elf.STT_FUNC: "FUNC", elf.STT_SECTION: "SECTION",
    elf.STT_FILE: "FILE", _STT_CUDA_OBJECT: "OBJECT",
}  # fmt: skip
_BINDINGS = {elf.STB_LOCAL: "LOCAL", elf.STB_GLOBAL: "GLOBAL", elf.STB_WEAK: "WEAK"}
# Where a REL entry's addend lies: type -> (first bit, bits) counted from the place. 1 and 2 are data words, the others
# fields of a 128-bit instruction: 32-bit immediate (low and high half), call target, 24-bit address offset.
_REL_FIELDS = {1: (0, 32), 2: (0, 64), 0x38: (32, 32), 0x39: (32, 32), 0x3A: (34, 47), 0x4A: (40, 24)}


def parse(data: bytes) -> Cubin:
    """Read a cubin: ET_EXEC or ET_REL, ABI versions 7 and 8, any SM. Raises CasscError ``image-bad-cubin``."""
    try:
        return _read(ElfReader(data))
    except elf.ElfError as problem:
        raise diag.error("image-bad-cubin", f"malformed cubin: {problem}") from problem


def _read(file: ElfReader) -> Cubin:
    if file.machine != elf.EM_CUDA:
        raise elf.ElfError(f"ELF machine {file.machine} is not NVIDIA CUDA ({elf.EM_CUDA})")
    if file.type not in (elf.ET_REL, elf.ET_EXEC, elf.ET_DYN):
        raise elf.ElfError(f"ELF type {file.type} is neither an executable nor a relocatable file")
    table = file.of_type(elf.SHT_SYMTAB)
    symbols = tuple(_symbol(file, s) for s in file.symbols(table)) if table else ()
    sections = {s.name: Section(s.name, s.data, s.size, max(s.align, 1)) for s in reversed(file.sections) if s.name}
    relocations = _relocations(file, symbols)
    module_info = eiattr.per_function(eiattr.records(_data(file, ".nv.info")))
    kernels = tuple(
        _kernel(file, index, symbols, relocations, module_info)
        for index, symbol in enumerate(symbols)
        if symbol.kind == "FUNC" and symbol.other & _STO_CUDA_ENTRY and symbol.section
    )
    table_of_lines = lines.LineTable(lambda: _lines(file, symbols, relocations))
    return Cubin(_arch(file), kernels, sections, symbols, relocations, file.data, table_of_lines)


def _data(file: ElfReader, name: str) -> bytes:
    section = file.find(name)
    return section.data if section else b""


def _arch(file: ElfReader) -> SmArch:
    """ABI 7 keeps the SM number in bits 0-7 of e_flags, ABI 8 in bits 8-15. The suffix is certain only in the note
    that ptxas leaves of its own command line; the older flag bit is read too."""
    version = file.ident[8]
    if version not in (7, 8):
        raise elf.ElfError(f"cubin ABI version {version} is not known (7 and 8 are)")
    number, accelerated = (file.flags & 0xFF, 0x800) if version == 7 else (file.flags >> 8 & 0xFF, 0x8)
    if not 20 <= number < 200:
        raise elf.ElfError(f"no SM number in the ELF flags 0x{file.flags:08x}")
    noted = re.search(rb"-arch[ =]sm_(\d+)([af]?)", _data(file, ".note.nv.tkinfo"))
    if noted and int(noted[1]) == number:
        return SmArch(number, noted[2].decode())
    return SmArch(number, "a" if file.flags & accelerated else "")


def _symbol(file: ElfReader, symbol: elf.ElfSymbol) -> Symbol:
    section = ""
    if symbol.section == elf.SHN_ABS:
        section = "*ABS*"
    elif elf.SHN_UNDEF < symbol.section < elf.SHN_LORESERVE:
        if symbol.section >= len(file.sections):
            raise elf.ElfError(f"symbol '{symbol.name}' lies in section {symbol.section}, which does not exist")
        section = file.sections[symbol.section].name
    name = symbol.name or (section if symbol.type == elf.STT_SECTION else "")
    kind = _KINDS.get(symbol.type, str(symbol.type))
    binding = _BINDINGS.get(symbol.binding, str(symbol.binding))
    return Symbol(name, section, symbol.value, symbol.size, kind, binding, symbol.other)


def _relocations(file: ElfReader, symbols: tuple[Symbol, ...]) -> dict[str, tuple[Relocation, ...]]:
    found: dict[str, list[Relocation]] = {}
    for table in file.sections:
        if table.type not in (elf.SHT_REL, elf.SHT_RELA) or table.name.startswith(".nv.merc"):
            continue
        if not 0 < table.info < len(file.sections):
            raise elf.ElfError(f"section '{table.name}' applies to section {table.info}, which does not exist")
        target = file.sections[table.info]
        entries = found.setdefault(target.name, [])
        for entry in file.relocations(table):
            if entry.symbol >= len(symbols):
                raise elf.ElfError(f"relocation in '{table.name}' names symbol {entry.symbol}, which does not exist")
            addend = _addend(target, entry) if entry.addend is None else entry.addend
            entries.append(Relocation(entry.offset, entry.type, symbols[entry.symbol].name, addend))
    return {name: tuple(sorted(entries, key=lambda r: r.offset)) for name, entries in found.items() if entries}


def _addend(target: elf.ElfSection, entry: elf.ElfRelocation) -> int:
    if entry.type not in _REL_FIELDS:
        return 0
    first, bits = _REL_FIELDS[entry.type]
    end = entry.offset + (first + bits + 7) // 8
    if end > len(target.data):
        raise elf.ElfError(f"relocation at {entry.offset} lies outside section '{target.name}'")
    word = int.from_bytes(target.data[entry.offset : end], "little")
    value = word >> first & (1 << bits) - 1
    return value - (1 << 64) if bits == 64 and value >> 63 else value


def _kernel(
    file: ElfReader,
    index: int,
    symbols: tuple[Symbol, ...],
    relocations: Mapping[str, tuple[Relocation, ...]],
    module: eiattr.PerFunction,
) -> Kernel:
    symbol = symbols[index]
    text = file.find(symbol.section)
    assert text is not None
    info = eiattr.records(_data(file, f".nv.info.{symbol.name}"))
    subroutines = tuple(
        s for s in symbols if s.kind == "FUNC" and s.section == symbol.section and s.value != symbol.value
    )
    shared = file.find(f".nv.shared.{symbol.name}")
    called = {r.symbol for r in relocations.get(symbol.section, ())} | {s.name for s in subroutines}
    callees = [i for i, s in enumerate(symbols) if s.kind == "FUNC" and s.name in called and i != index]
    one = dict(info)
    base, size = 0, 0
    if eiattr.PARAM_CBANK in one:
        _, base, size = eiattr.unpack("<IHH", one[eiattr.PARAM_CBANK], eiattr.PARAM_CBANK)
    elif eiattr.CBANK_PARAM_SIZE in one:
        (size,) = eiattr.unpack("<H", one[eiattr.CBANK_PARAM_SIZE], eiattr.CBANK_PARAM_SIZE)
    threads = _threads(one, eiattr.MAX_THREADS)
    required = _threads(one, eiattr.REQNTID)
    abi = KernelAbi(
        symbol.name,
        tuple(Parameter(*p) for p in eiattr.parameters(info)),
        base,
        size,
        shared.size if shared else 0,
        _stack(index, callees, symbols, module),
        # ABI 7 has barriers and registers only in the text section's header (flag bits 20-26, info bits 24-31).
        _first_byte(one, eiattr.NUM_BARRIERS) or text.flags >> 20 & 0x7F,
        threads[0] * threads[1] * threads[2] if threads else 0,
        required,
        module.registers.get(index, 0) or text.info >> 24,
        _threads(one, eiattr.CTA_PER_CLUSTER) or (1, 1, 1),
    )
    return Kernel(symbol.name, text.data, abi, subroutines, info)


def _threads(records: Mapping[int, bytes], attribute: int) -> tuple[int, int, int] | None:
    if attribute not in records:
        return None
    x, y, z = eiattr.unpack("<III", records[attribute], attribute)
    return x, max(y, 1), max(z, 1)


def _first_byte(records: Mapping[int, bytes], attribute: int) -> int:
    payload = records.get(attribute, b"")
    return payload[0] if payload else 0


def _stack(kernel: int, callees: list[int], symbols: tuple[Symbol, ...], module: eiattr.PerFunction) -> int:
    """Bytes of stack of the whole call tree. Where ptxas cannot bound the depth it writes 2**32 - 1 (debug code), or 0
    as for "none"; the latter is possible only where a function of the program itself is called (its own arithmetic
    helpers, ``$__internal_...``, keep everything in registers)."""
    stated = max(module.min_stack.get(kernel, 0), module.max_stack.get(kernel, 0))
    own = module.frame.get(kernel, 0)
    own = 0 if own == _UNBOUNDED else own
    if stated and stated != _UNBOUNDED:
        return max(stated, own)
    calls = any(symbols[c].section and not symbols[c].name.startswith(_HELPERS) for c in callees)
    return max(DEFAULT_STACK, own) if calls or stated == _UNBOUNDED else own


def _lines(
    file: ElfReader, symbols: tuple[Symbol, ...], relocations: Mapping[str, tuple[Relocation, ...]]
) -> dict[str, tuple[lines.Row, ...]]:
    by_name = {s.name: s for s in symbols}
    places = {r.offset: r for r in relocations.get(".debug_line", ())}

    def place(offset: int) -> tuple[str, int] | None:
        relocation = places.get(offset)
        symbol = by_name.get(relocation.symbol) if relocation else None
        # The place itself is added by the caller: for REL it is the addend, for RELA it is zero.
        return (symbol.section, symbol.value) if symbol else None

    return lines.decode(_data(file, ".debug_line"), place)

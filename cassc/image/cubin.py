"""Cubins: NVIDIA's ELF container of device code, as frozen facts.

Facts of the layout: ELF64, EM_CUDA (190); ``.text.<kernel>``, ``.nv.info[.<kernel>]`` (EIATTR records),
``.nv.constant<bank>[.<kernel>]``, ``.nv.shared.<kernel>``, ``.nv.global``, ``.nv.global.init``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
    """``addend`` is explicit (RELA) or read from the place (REL)."""

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

    def section(self, name: str) -> Section | None:
        return self.sections.get(name)

    def symbol(self, name: str) -> Symbol | None:
        return next((s for s in self.symbols if s.name == name), None)

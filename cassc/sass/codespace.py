"""Where code lies. A kernel's text section starts at address 0; device functions that have sections of their own, as
relocatable device code and debug builds have, follow in one space of addresses that all kernels of the cubin share. So
a pointer to a function is a number that means the same everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cassc.image.cubin import Cubin, Relocation, Symbol

TEXT = ".text."
# Behind any kernel's own section, so that addresses tell which kind they are.
FIRST_FUNCTION = 0x0400_0000
_ALIGN = 128
# Where linked code holds addresses: the 32-bit immediate (low and high half of the address), and the target of a call
# (sm_80 and sm_90).
LOW_IMMEDIATE, HIGH_IMMEDIATE = 0x38, 0x39
CALL_TARGETS = (0x3A, 0x4B)
_POINTERS = (LOW_IMMEDIATE, HIGH_IMMEDIATE)
_DEBUG = (".debug", ".nv.debug")


@dataclass(frozen=True, slots=True)
class CodeSpace:
    """Attributes:
    bases: section of device functions -> address of its first word.
    symbols: by name.
    """

    cubin: Cubin
    bases: Mapping[str, int]
    symbols: Mapping[str, Symbol] = field(repr=False)

    @classmethod
    def of(cls, cubin: Cubin) -> CodeSpace:
        own = {TEXT + kernel.name for kernel in cubin.kernels}
        bases, place = {}, FIRST_FUNCTION
        for name, section in cubin.sections.items():
            if name.startswith(TEXT) and name not in own:
                bases[name] = place
                place += -(-max(section.size, 1) // _ALIGN) * _ALIGN
        return cls(cubin, bases, {s.name: s for s in reversed(cubin.symbols)})

    def address(self, symbol: Symbol) -> int | None:
        """Of a function; None for one that the cubin does not define. A kernel's own section starts at 0."""
        if not symbol.section.startswith(TEXT):
            return None
        return self.bases.get(symbol.section, 0) + symbol.value

    def sections(self, kernel: str) -> tuple[str, ...]:
        """The kernel's section, and those of the functions that it may reach by a call or a pointer."""
        first = TEXT + kernel
        if not self.bases or first not in self.cubin.relocations:
            return (first,)
        found = {first: None}
        data = [name for name in self.cubin.relocations if not name.startswith((TEXT, *_DEBUG))]
        work = [first, *data]
        while work:
            for relocation in self.cubin.relocations.get(work.pop(), ()):
                symbol = self.symbols.get(relocation.symbol)
                if symbol is not None and symbol.section in self.bases and symbol.section not in found:
                    found[symbol.section] = None
                    work.append(symbol.section)
        return (first, *(name for name in self.bases if name in found))

    def relocations(self, section: str) -> Mapping[int, Relocation]:
        """By byte offset."""
        return {r.offset: r for r in self.cubin.relocations.get(section, ())}

    def pointed_to(self) -> frozenset[int]:
        """Addresses of the functions of which some code or data holds a pointer."""
        # A pointer with an addend is a return address.
        pointers = {
            relocation.symbol
            for name, relocations in self.cubin.relocations.items()
            if not name.startswith(_DEBUG)
            for relocation in relocations
            if not relocation.addend and (relocation.type in _POINTERS or not name.startswith(TEXT))
        }
        named = [self.symbols[name] for name in pointers if name in self.symbols]
        return frozenset(self.bases[s.section] + s.value for s in named if s.kind == "FUNC" and s.section in self.bases)

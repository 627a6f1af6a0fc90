"""Device code's ELF files (cubins, code objects) as read by pyelftools, with bounds and errors of our own around it.

pyelftools trusts its input: sizes that a damaged file states would make it loop or read for ever, and what it raises
then is of every kind. So headers are bounded before it walks them, and whatever it raises is an ElfError. Content is
cut out of the file directly: ``Section.data()`` inflates compressed sections and makes up the bytes of empty ones.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf import enums
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationTable
from elftools.elf.sections import StringTableSection, SymbolTableSection

from cassc.image.elf import (
    SHN_XINDEX,
    SHT_NOBITS,
    SHT_RELA,
    SHT_STRTAB,
    SYMBOL,
    ElfError,
    ElfRelocation,
    ElfSection,
    ElfSymbol,
    is_elf,
)  # fmt: skip

_RAISED = (ELFError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError, struct.error)
# NVIDIA's relocatable cubins mark bss-like sections by their own types: global 7, shared 10, reserved shared 21.
_EMPTY = (0, SHT_NOBITS, 0x70000007, 0x7000000A, 0x70000015)
_HEADER_BYTES = 64


class ElfReader:
    """One file. Raises ElfError, on construction and later.

    Attributes:
        data: the whole file.
        ident: the 16 identifying bytes.
        type, machine, flags: as numbers.
        sections: with their content, in file order, the null section included.
    """

    def __init__(self, data: bytes) -> None:
        if not is_elf(data):
            raise ElfError("no ELF magic")
        if len(data) < _HEADER_BYTES:
            raise ElfError(f"file of {len(data)} bytes is shorter than an ELF header")
        if data[4:6] != b"\x02\x01":
            raise ElfError("not a 64-bit little-endian ELF file")
        self.data = data
        with _refusing("ELF header"):
            self._file = ELFFile(io.BytesIO(data))
            self.ident = bytes(self._file.e_ident_raw)
            self.type = _number(self._file["e_type"], enums.ENUM_E_TYPE)
            self.machine = _number(self._file["e_machine"], enums.ENUM_E_MACHINE)
            self.flags = int(self._file["e_flags"])
            self.sections = tuple(self._sections())
        self._by_name = {section.name: section for section in reversed(self.sections)}

    def find(self, name: str) -> ElfSection | None:
        """The first section of that name."""
        return self._by_name.get(name)

    def of_type(self, type: int) -> ElfSection | None:
        """The first section of that type."""
        return next((s for s in self.sections if s.type == type), None)

    def symbols(self, table: ElfSection) -> tuple[ElfSymbol, ...]:
        """Entries of a symbol table, the null symbol included."""
        if not 0 < table.link < len(self.sections) or self.sections[table.link].type != SHT_STRTAB:
            raise ElfError(f"section '{table.name}' links to section {table.link}, which is no string table")
        if table.entry_size != SYMBOL.size or len(table.data) % SYMBOL.size:
            raise ElfError(f"section '{table.name}' of {len(table.data)} bytes holds no whole number of symbols")
        with _refusing(f"section '{table.name}'"):
            section = self._file.get_section(table.index)
            assert isinstance(section, SymbolTableSection)
            return tuple(self._symbol(table, number, s) for number, s in enumerate(section.iter_symbols()))

    def _symbol(self, table: ElfSection, number: int, symbol: Any) -> ElfSymbol:
        if symbol["st_name"] >= max(self.sections[table.link].size, 1):
            raise ElfError(f"the name of symbol {number} lies outside its string table")
        kind = _number(symbol["st_info"]["type"], enums.ENUM_ST_INFO_TYPE)
        binding = _number(symbol["st_info"]["bind"], enums.ENUM_ST_INFO_BIND)
        # pyelftools takes st_other apart and drops bits 3 and 4, the latter of which marks CUDA's entry functions.
        other = table.data[number * SYMBOL.size + 5]
        section = _number(symbol["st_shndx"], enums.ENUM_ST_SHNDX)
        return ElfSymbol(symbol.name, binding << 4 | kind, other, section, symbol["st_value"], symbol["st_size"])

    def relocations(self, table: ElfSection) -> tuple[ElfRelocation, ...]:
        """Entries of a SHT_REL or SHT_RELA section."""
        with _refusing(f"section '{table.name}'"):
            entries = RelocationTable(self._file, table.offset, len(table.data), table.type == SHT_RELA)
            if len(table.data) % entries.entry_size:
                raise ElfError(f"section '{table.name}' of {len(table.data)} bytes holds no whole number of entries")
            return tuple(
                ElfRelocation(
                    e["r_offset"], e["r_info_type"], e["r_info_sym"], e["r_addend"] if table.type == SHT_RELA else None
                )
                for e in entries.iter_relocations()
            )

    def _sections(self) -> Iterator[ElfSection]:
        start, size, count = (int(self._file[name]) for name in ("e_shoff", "e_shentsize", "e_shnum"))
        if not start:
            return
        if size != _HEADER_BYTES:
            raise ElfError(f"section header entries of {size} bytes, expected {_HEADER_BYTES}")
        if start + size > len(self.data):
            raise ElfError(f"section headers at {start} lie past the end of the file ({len(self.data)} bytes)")
        count = count or self._file.num_sections()  # where e_shnum is too small, the null section states the number
        if start + count * size > len(self.data):
            raise ElfError(f"{count} section headers at {start} run past the end of the file ({len(self.data)} bytes)")
        names = self._file.get_shstrndx()
        if not names < count or names == SHN_XINDEX:
            raise ElfError(f"section name table {names} does not exist")
        strings = self._file.get_section(names)
        if not isinstance(strings, StringTableSection):
            raise ElfError(f"section {names} is no string table")
        for index in range(count):
            yield self._section(index, strings["sh_size"])

    def _section(self, index: int, strings: int) -> ElfSection:
        section = self._file.get_section(index)
        header = section.header
        type = _number(header["sh_type"], enums.ENUM_SH_TYPE_BASE)
        name, offset, size = section.name, int(header["sh_offset"]), int(header["sh_size"])
        if header["sh_name"] >= max(strings, 1):
            raise ElfError(f"the name of section {index} lies outside its string table")
        content = b""
        if type not in _EMPTY:
            if offset + size > len(self.data):
                raise ElfError(f"section '{name or index}' ({size} bytes at {offset}) runs past the end of the file")
            content = self.data[offset : offset + size]
        flags, address = int(header["sh_flags"]), int(header["sh_addr"])
        link, info, align = int(header["sh_link"]), int(header["sh_info"]), int(header["sh_addralign"])
        entry_size = int(header["sh_entsize"])
        return ElfSection(index, name, type, flags, address, offset, size, link, info, align, entry_size, content)


def _number(value: int | str, names: Mapping[str, Any]) -> int:
    """pyelftools gives names for the numbers it knows; there are others in NVIDIA's files."""
    return value if isinstance(value, int) else int(names[value])


@contextmanager
def _refusing(what: str) -> Iterator[None]:
    try:
        yield
    except ElfError:
        raise
    except _RAISED as problem:
        raise ElfError(f"{what}: {problem or type(problem).__name__}") from problem

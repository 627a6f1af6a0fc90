"""The pyelftools reader: the same as our own raw one on sound files, bounded on damaged ones."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from cassc.image import elf
from cassc.image.elf import ElfError
from cassc.image.reader import ElfReader

DATA = Path(__file__).parent / "data"
SOUND = (DATA / "sample_80_lines.cubin").read_bytes()


@pytest.mark.parametrize("name", sorted(p.name for p in DATA.iterdir() if p.suffix in (".cubin", ".hsaco")))
def test_agrees_with_the_raw_reader(name: str) -> None:
    data = (DATA / name).read_bytes()
    ours, raw = ElfReader(data), elf.parse(data)
    assert (ours.ident, ours.type, ours.machine, ours.flags) == (raw.ident, raw.type, raw.machine, raw.flags)
    assert ours.sections == raw.sections
    for section in raw.sections:
        if section.type in (elf.SHT_SYMTAB, elf.SHT_DYNSYM):
            assert ours.symbols(section) == raw.symbols(section)
        elif section.type in (elf.SHT_REL, elf.SHT_RELA):
            assert ours.relocations(section) == raw.relocations(section)


def damaged(place: int, layout: str, *values: int) -> bytes:
    data = bytearray(SOUND)
    struct.pack_into(layout, data, place, *values)
    return bytes(data)


TABLE = struct.unpack_from("<Q", SOUND, 40)[0]
SYMBOLS = next(s for s in elf.parse(SOUND).sections if s.type == elf.SHT_SYMTAB)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (damaged(40, "<Q", len(SOUND)), "lie past the end"),
        (damaged(58, "<H", 40), "40 bytes, expected 64"),
        (damaged(60, "<H", 0xFF00), "run past the end"),
        (damaged(62, "<H", 0xFEFF), "section name table 65279"),
        (damaged(TABLE + 64, "<I", 1 << 30), "name of section 1"),
        (damaged(TABLE + 64 + 32, "<Q", 1 << 50), "runs past the end"),
    ],
)
def test_headers_are_bounded(data: bytes, why: str) -> None:
    with pytest.raises(ElfError, match=why):
        ElfReader(data)


def test_an_endless_number_of_sections_is_refused() -> None:
    data = bytearray(damaged(60, "<H", 0))
    struct.pack_into("<Q", data, TABLE + 32, 1 << 48)  # the null section's size states the number
    with pytest.raises(ElfError):
        ElfReader(bytes(data))


@pytest.mark.parametrize(("field", "value"), [(40, SYMBOLS.index), (56, 1), (40, 1 << 20)])
def test_symbol_tables_are_bounded(field: int, value: int) -> None:
    data = damaged(TABLE + 64 * SYMBOLS.index + field, "<I", value)
    with pytest.raises(ElfError):
        reader = ElfReader(data)
        reader.symbols(reader.sections[SYMBOLS.index])

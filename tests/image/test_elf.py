"""The ELF reader against pyelftools, an independent reader."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection

from cassc.image import elf

DATA = Path(__file__).parent / "data"
FILES = sorted(p.name for p in DATA.iterdir() if p.suffix in (".o", ".cubin"))


@pytest.mark.parametrize("name", FILES)
def test_agrees_with_pyelftools(name: str) -> None:
    data = (DATA / name).read_bytes()
    ours, theirs = elf.parse(data), ELFFile(io.BytesIO(data))
    assert (ours.flags, len(ours.segments)) == (theirs["e_flags"], theirs.num_segments())
    assert [s.name for s in ours.sections] == [s.name for s in theirs.iter_sections()]
    for mine, other in zip(ours.sections, theirs.iter_sections(), strict=True):
        assert (mine.size, mine.flags, mine.link, mine.info) == tuple(
            other[f] for f in ("sh_size", "sh_flags", "sh_link", "sh_info")
        )
        if isinstance(other, SymbolTableSection):
            expected = [(s.name, s["st_value"], s["st_size"]) for s in other.iter_symbols()]
            assert [(s.name, s.value, s.size) for s in ours.symbols(mine)] == expected
        elif isinstance(other, RelocationSection) and other["sh_size"]:
            found = [(r.offset, r.type, r.symbol, r.addend or 0) for r in ours.relocations(mine)]
            listed = other.iter_relocations()
            assert found == [
                (r["r_offset"], r["r_info_type"], r["r_info_sym"], r.entry.get("r_addend", 0)) for r in listed
            ]


@pytest.mark.parametrize("data", [b"", b"\x7fELF", b"\x7fELF" + bytes(60), b"MZ" + bytes(100)])
def test_refuses_what_is_not_elf64(data: bytes) -> None:
    with pytest.raises(elf.ElfError):
        elf.parse(data)


def test_text_outside_its_table() -> None:
    assert elf.text(b"\0abc\0", 1) == "abc"
    for strings, offset in ((b"\0abc", 1), (b"\0", 5)):
        with pytest.raises(elf.ElfError):
            elf.text(strings, offset)

"""The code-object linker against ld.lld, and what it refuses."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cassc.amdgpu import assemble, link
from cassc.amdgpu.llvm import Llvm
from cassc.amdgpu.outcome import Assembled
from cassc.diag import CasscError
from cassc.image import codeobject, elf
from cassc.target import TARGETS

MODULES = sorted((Path(__file__).parent / "modules").glob("*.ll"))
GFX1100 = TARGETS["gfx1100"]

MADE = {".dynsym", ".dynstr", ".hash", ".gnu.hash", ".dynamic", ".rela.dyn"}

pytestmark = pytest.mark.usefixtures("llvm")


@cache
def built(path: Path) -> Assembled:
    return assemble.assemble_full(path.read_text(), GFX1100)


@pytest.fixture
def lld() -> str:
    for name in ("ld.lld", "ld.lld-22", "ld.lld-21", "ld.lld-19"):
        found = shutil.which(name)
        if found:
            return found
    pytest.skip("ld.lld is not on PATH")


def linked_by(lld: str, data: bytes, folder: Path) -> bytes:
    source, out = folder / "a.o", folder / "a.hsaco"
    source.write_bytes(data)
    subprocess.run([lld, "-shared", source, "-o", out], check=True)
    return out.read_bytes()


def memory(file: elf.Elf) -> list[tuple[int, bytes]]:
    """Address and bytes of every loaded segment; what a linker makes up itself is blanked out."""
    found = []
    for segment in file.segments:
        if segment.type == elf.PT_LOAD:
            content = bytearray(file.data[segment.offset : segment.offset + segment.file_size])
            for section in file.sections:
                if section.name in MADE and segment.address <= section.address < segment.address + len(content):
                    start = section.address - segment.address
                    content[start : start + len(section.data)] = bytes(len(section.data))
            if segment.offset == 0:
                content[: elf.HEADER.size] = bytes(elf.HEADER.size)
            found.append((segment.address, bytes(content)))
    return found


def dynamic_symbols(file: elf.Elf) -> set[tuple[str, int, int, int, int]]:
    table = file.of_type(elf.SHT_DYNSYM)
    assert table is not None
    return {(s.name, s.info, s.other, s.value, s.size) for s in file.symbols(table)}


def dynamic_relocations(file: elf.Elf) -> set[elf.ElfRelocation]:
    table = file.find(".rela.dyn")
    return set(file.relocations(table)) if table else set()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_agrees_with_lld(path: Path, lld: str, tmp_path: Path) -> None:
    ours = built(path)
    theirs = linked_by(lld, ours.object, tmp_path)
    mine, other = elf.parse(ours.code_object), elf.parse(theirs)
    assert (mine.ident, mine.flags, mine.type) == (other.ident, other.flags, other.type)
    if codeobject.parse(theirs).kernels:  # without code, ld.lld leaves room for a segment that it does not write
        assert memory(mine) == memory(other)
        assert dynamic_symbols(mine) == dynamic_symbols(other)
        assert dynamic_relocations(mine) == dynamic_relocations(other)
        assert mine.segments == other.segments
    assert {s[0::4] for s in dynamic_symbols(mine)} == {s[0::4] for s in dynamic_symbols(other)}
    assert codeobject.metadata(ours.code_object) == codeobject.metadata(theirs)
    assert assemble.disassemble(ours.code_object) == assemble.disassemble(theirs)


def gnu_lookup(file: elf.Elf, name: str) -> bool:
    """Whether a loader finds a name through DT_GNU_HASH (bloom filter, bucket, chain)."""
    section, table = file.of_type(elf.SHT_GNU_HASH), file.of_type(elf.SHT_DYNSYM)
    assert section is not None
    assert table is not None
    words = memoryview(section.data).cast("I")
    buckets, first, size, shift = words[:4]
    value = 5381
    for byte in name.encode():
        value = (value * 33 + byte) % (1 << 32)
    bloom = int.from_bytes(section.data[16 + 8 * (value // 64 % size) :][:8], "little")
    if not (bloom >> value % 64) & (bloom >> (value >> shift) % 64) & 1:
        return False
    heads = words[4 + 2 * size : 4 + 2 * size + buckets]
    chain = words[4 + 2 * size + buckets :]
    index = heads[value % buckets]
    symbols = file.symbols(table)
    while index:
        if symbols[index].name == name:
            return True
        if chain[index - first] & 1:
            return False
        index += 1
    return False


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_export_is_found_by_its_hash(path: Path) -> None:
    file = elf.parse(built(path).code_object)
    names = [name for name, *_ in dynamic_symbols(file) if name]
    assert names
    assert all(gnu_lookup(file, name) for name in names)
    assert not gnu_lookup(file, "no_such_symbol")


def test_metadata_survives() -> None:
    found = codeobject.parse(built(Path(__file__).parent / "modules" / "lds.ll").code_object)
    (kernel,) = found.kernels
    assert (kernel.name, kernel.group_segment_size, kernel.max_flat_workgroup_size) == ("reverse", 256, 64)


HEAD = 'target triple = "amdgcn-amd-amdhsa"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "declare void @missing()\ndeclare void @other()\n"
            "define amdgpu_kernel void @k() { call void @missing() call void @other() ret void }",
            "undefined symbols 'missing', 'other'",
        ),
        (
            "@seen = addrspace(1) global i32 1\n"
            "define amdgpu_kernel void @k() { store i32 2, ptr addrspace(1) @seen ret void }",
            "'seen' is reached through a global offset table; give it hidden or protected visibility",
        ),
    ],
)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises(CasscError) as refusal:
        assemble.assemble(HEAD + text, GFX1100)
    assert refusal.value.diagnostics[0].id == "amdgpu-link-failed"
    assert message in str(refusal.value)


def test_number_of_objects() -> None:
    for objects in ((), (b"", b"")):
        with pytest.raises(CasscError, match="exactly one is supported"):
            link.link(*objects)


def test_linked_input_is_refused(llvm: Llvm) -> None:
    with pytest.raises(CasscError, match="not an AMDGPU relocatable object"):
        link.link(built(MODULES[0]).code_object)


@settings(max_examples=150)
@given(st.integers(0, 1 << 13), st.binary(min_size=1, max_size=8), st.integers(0, 1 << 13))
def test_damaged(place: int, value: bytes, length: int) -> None:
    sound = built(next(p for p in MODULES if p.stem == "pointer_tables")).object
    data = bytearray(sound[: length % len(sound)] if length % 4 == 0 else sound)
    place %= len(sound)
    data[place : place + len(value)] = value
    try:
        link.link(bytes(data))
    except CasscError as refusal:
        assert [d.id for d in refusal.diagnostics] == ["amdgpu-link-failed"]

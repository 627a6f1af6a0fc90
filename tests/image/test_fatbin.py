"""Fat binary containers: reading, writing, choosing, damage."""

from __future__ import annotations

import struct
from pathlib import Path

import lz4.block
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from cassc.diag import CasscError
from cassc.image import cubin, fatbin, host
from cassc.image.fatbin import EntryFlag, EntryKind, FatBinary, FatEntry, make_entry
from cassc.target import SmArch

DATA = Path(__file__).parent / "data"


def extract(name: str) -> tuple[FatBinary, ...]:
    return fatbin.extract(host.read(DATA / name))


def shape(fat: FatBinary) -> list[tuple[int, str]]:
    return [(e.kind, e.arch.name) for e in fat.entries]


def test_several_architectures() -> None:
    (fat,) = extract("second.o")
    assert shape(fat) == [(EntryKind.CUBIN, "sm_75"), (EntryKind.CUBIN, "sm_80"), (EntryKind.PTX, "sm_80")]
    assert fat.archs() == (SmArch(75), SmArch(80))
    for entry in fat.of_kind(EntryKind.CUBIN):
        assert cubin.parse(entry.payload()).arch == entry.arch
    (ptx,) = fat.of_kind(EntryKind.PTX)
    assert ptx.flags & EntryFlag.ZSTD
    assert ptx.version == (9, 0)
    assert b".target sm_80" in ptx.payload()
    assert not ptx.payload().endswith(b"\0")


def test_names_and_options() -> None:
    (fat,) = extract("sample.o")
    assert [e.file_name for e in fat.entries] == ["sample.cu", "sample.cu"]
    assert fat.entries[1].options.strip() == "--generate-line-info"
    assert extract("second.o")[0].entries[0].options == ""


def test_lz4() -> None:
    (fat,) = extract("second_lz4.fatbin")
    (ptx,) = fat.of_kind(EntryKind.PTX)
    assert ptx.flags & EntryFlag.LZ4
    assert b"_Z5twicePf" in ptx.payload()


def test_relocatable_device_code() -> None:
    (fat,) = extract("second_rdc.o")
    assert fat.place.section == "__nv_relfatbin"
    (entry,) = fat.of_kind(EntryKind.CUBIN)
    assert entry.flags & EntryFlag.ZSTD
    assert cubin.parse(entry.payload()).kernel("_Z5twicePf") is not None


def test_two_containers_in_one_section() -> None:
    first, second = extract("two.o")
    assert (first.place.offset, second.place.offset) == (0, len(fatbin.serialize(first)))
    assert shape(first) == shape(extract("second.o")[0])


def test_bare_files() -> None:
    (fat,) = extract("second_lz4.fatbin")
    assert fat.place.section == ""
    (fat,) = extract("sample_90a.cubin")
    assert shape(fat) == [(EntryKind.CUBIN, "sm_90a")]
    assert fatbin.select(fat).cubin == (DATA / "sample_90a.cubin").read_bytes()


@pytest.mark.parametrize("name", ["second.o", "sample.o", "second_rdc.o", "two.o"])
def test_serialize_gives_the_same_bytes(name: str) -> None:
    image = host.read(DATA / name)
    (section,) = image.fat_sections()
    assert b"".join(fatbin.serialize(fat) for fat in fatbin.extract(image)) == section.data


def text(arch: SmArch) -> FatEntry:
    return make_entry(EntryKind.PTX, arch, f".target {arch.name}\n".encode())


def code(arch: SmArch) -> FatEntry:
    return make_entry(EntryKind.CUBIN, arch, arch.name.encode())


MANY = FatBinary(
    (
        *(code(SmArch(n)) for n in (75, 80, 86, 90, 100)),
        code(SmArch(90, "a")),
        text(SmArch(75)),
        text(SmArch(90)),
        text(SmArch(100, "a")),
    )
)


@pytest.mark.parametrize(
    ("wanted", "sass", "ptx"),
    [
        (SmArch(80), SmArch(80), SmArch(75)),
        (SmArch(87), SmArch(86), SmArch(75)),
        (SmArch(89), SmArch(86), SmArch(75)),
        (SmArch(90), SmArch(90), SmArch(90)),
        (SmArch(90, "a"), SmArch(90, "a"), SmArch(90)),
        (SmArch(70), None, None),
        (SmArch(72), None, None),
        (SmArch(110), None, SmArch(90)),
        (SmArch(100), SmArch(100), SmArch(100, "a")),
        (None, SmArch(100), SmArch(100, "a")),
    ],
)
def test_select(wanted: SmArch | None, sass: SmArch | None, ptx: SmArch | None) -> None:
    chosen = fatbin.select(MANY, wanted)
    assert (chosen.cubin_arch, chosen.ptx_arch) == (sass, ptx)
    assert (chosen.ptx or "") == (f".target {ptx.name}\n" if ptx else "")


@given(st.binary(max_size=200), st.sampled_from([EntryKind.CODE_OBJECTS, EntryKind.CUBIN]), st.integers(20, 130))
def test_made_entries_read_back(payload: bytes, kind: EntryKind, sm: int) -> None:
    entry = make_entry(kind, SmArch(sm, "a"), payload)
    (back,) = fatbin.parse(fatbin.serialize(FatBinary((entry,)))).entries
    assert (back, back.kind, back.arch) == (entry, kind, SmArch(sm, "a"))
    assert back.payload()[: len(payload)] == payload
    assert not back.payload()[len(payload) :].strip(b"\0")


def test_verdict_text_has_no_padding() -> None:
    assert make_entry(EntryKind.VERDICTS, SmArch(80), b"{}").payload() == b"{}"


def compressed(method: EntryFlag, stored: bytes, full: int) -> FatEntry:
    padded = stored + bytes(-len(stored) % 8)
    header = struct.pack(
        "<HHIQIIHHIIIQQQ", 1, 0x101, 64, len(padded), len(stored), 0, 0, 9, 80, 0, 0, 0x11 | method, 0, full
    )
    return FatEntry(header, padded)


def test_decompression() -> None:
    content = b".version 9.0 " * 50
    packed = lz4.block.compress(content, store_size=False)
    assert compressed(EntryFlag.LZ4, packed, len(content)).payload() == content
    packed = zstandard.ZstdCompressor().compress(content)
    assert compressed(EntryFlag.ZSTD, packed, len(content)).payload() == content


@pytest.mark.parametrize("method", [EntryFlag.LZ4, EntryFlag.ZSTD])
@pytest.mark.parametrize("full", [1, 700, 1 << 40])
def test_wrong_sizes_and_content(method: EntryFlag, full: int) -> None:
    content = b".version 9.0 " * 50
    packed = (
        lz4.block.compress(content, store_size=False)
        if method is EntryFlag.LZ4
        else zstandard.ZstdCompressor().compress(content)
    )
    for stored in (packed, packed[:10], b"garbage"):
        with pytest.raises(CasscError, match="malformed fat binary"):
            compressed(method, stored, full).payload()


FAT = (DATA / "second_lz4.fatbin").read_bytes()


@settings(max_examples=200)
@given(st.integers(0, 200), st.binary(min_size=1, max_size=8), st.integers(0, len(FAT)))
def test_damaged(place: int, value: bytes, length: int) -> None:
    data = bytearray(FAT[:length])
    data[place : place + len(value)] = value
    try:
        fat = fatbin.parse(bytes(data))
        fatbin.select(fat)
    except CasscError as refusal:
        assert [d.id for d in refusal.diagnostics] == ["image-bad-fatbin"]

"""Host files: kinds, archives in all their forms, damage."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cassc.diag import CasscError
from cassc.image import fatbin, host
from cassc.image.host import ImageKind

DATA = Path(__file__).parent / "data"
LONG = "a_member_name_longer_than_sixteen.o"

needs_ar = pytest.mark.skipif(shutil.which("ar") is None, reason="ar is not on PATH")
needs_ld = pytest.mark.skipif(shutil.which("ld") is None, reason="ld is not on PATH")


def archive(folder: Path, options: str) -> Path:
    """lib.a with second.o, and sample.o under a long name."""
    shutil.copy(DATA / "second.o", folder)
    shutil.copy(DATA / "sample.o", folder / LONG)
    subprocess.run(["ar", options, "lib.a", "second.o", LONG], cwd=folder, check=True)
    return folder / "lib.a"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("sample.o", ImageKind.OBJECT),
        ("sample_90a.cubin", ImageKind.CUBIN),
        ("second_lz4.fatbin", ImageKind.FATBIN),
        ("sample.cu", ImageKind.OTHER),
    ],
)
def test_kinds(name: str, kind: ImageKind) -> None:
    assert host.read(DATA / name).kind is kind


def test_elf_of_another_kind_is_passed_over() -> None:
    data = bytearray((DATA / "second.o").read_bytes())
    data[4] = 1  # ELFCLASS32
    image = host.read_bytes(bytes(data), "old.o")
    assert (image.kind, fatbin.extract(image)) == (ImageKind.OTHER, ())


@needs_ld
@pytest.mark.parametrize("strip", [False, True])
def test_linked_files(tmp_path: Path, strip: bool) -> None:
    """A shared library, and the same without section headers."""
    library = tmp_path / "lib.so"
    command = ["ld", "-shared", "--unresolved-symbols=ignore-all", "-o", str(library)]
    subprocess.run([*command, DATA / "second.o", DATA / "sample.o"], check=True, stderr=subprocess.DEVNULL)
    if strip:
        data = bytearray(library.read_bytes())
        data[40:48], data[60:64] = bytes(8), bytes(4)  # e_shoff, e_shnum, e_shstrndx
        library.write_bytes(data)
    image = host.read(library)
    assert image.kind is ImageKind.SHARED
    found = fatbin.extract(image)
    assert [fat.entries for fat in found] == [
        fatbin.extract(host.read(DATA / name))[0].entries for name in ("second.o", "sample.o")
    ]


@needs_ar
@pytest.mark.parametrize("options", ["rc", "rcT"])
def test_archives(tmp_path: Path, options: str) -> None:
    image = host.read(archive(tmp_path, options))
    assert image.kind is ImageKind.ARCHIVE
    assert [m.name for m in image.members] == ["second.o", LONG]
    assert [m.image.data for m in image.members] == [(DATA / n).read_bytes() for n in ("second.o", "sample.o")]
    assert [bool(m.external) for m in image.members] == [options == "rcT"] * 2
    found = fatbin.extract(image)
    assert [fat.place.leaf for fat in found] == [0, 1]
    assert found[1].entries == fatbin.extract(host.read(DATA / "sample.o"))[0].entries


def test_bsd_member_names() -> None:
    content = (DATA / "second.o").read_bytes()
    name = b"a name in the BSD form\0\0"
    header = f"#1/{len(name)}".ljust(16) + "0".ljust(12) + "0".ljust(6) * 2 + "644".ljust(8)
    header += str(len(name) + len(content)).ljust(10) + "`\n"
    image = host.read_bytes(b"!<arch>\n" + header.encode() + name + content, "lib.a")
    assert [(m.name, m.image.data) for m in image.members] == [("a name in the BSD form", content)]


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(CasscError, match="No such file") as refusal:
        host.read(tmp_path / "nothing.o")
    assert refusal.value.diagnostics[0].id == "image-unreadable"


@needs_ar
def test_thin_archive_without_its_member(tmp_path: Path) -> None:
    path = archive(tmp_path, "rcT")
    (tmp_path / LONG).unlink()
    with pytest.raises(CasscError, match="cannot read"):
        host.read(path)


SECOND = (DATA / "second.o").read_bytes()


@settings(max_examples=150)
@given(st.integers(0, 63), st.binary(min_size=1, max_size=8), st.integers(0, len(SECOND)), st.booleans())
def test_damaged(place: int, value: bytes, length: int, archived: bool) -> None:
    data = bytearray(SECOND[:length])
    data[place : place + len(value)] = value
    content = bytes(data)
    if archived:
        size = str(len(SECOND)).ljust(10).encode()
        content = b"!<arch>\nsecond.o/       " + b"0".ljust(32) + size + b"`\n" + content
    try:
        fatbin.extract(host.read_bytes(content, "second.o"))
    except CasscError as refusal:
        assert refusal.diagnostics[0].id in ("image-bad-host-file", "image-bad-fatbin", "image-bad-cubin")
        assert refusal.diagnostics[0].location.file or refusal.diagnostics[0].id == "image-bad-cubin"

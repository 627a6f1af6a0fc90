"""Embedding: what is added, what stays, what moves, and whether linkers accept the result."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cassc.diag import CasscError
from cassc.image import elf, embed, fatbin, host, wrapper
from cassc.image.fatbin import EntryKind, FatBinary, FatEntry, make_entry
from cassc.image.host import HostImage
from cassc.target import SmArch

DATA = Path(__file__).parent / "data"
SM = SmArch(80)
NAMES = ["second.o", "sample.o", "second_rdc.o", "two.o", "second_lz4.fatbin"]


def entries(number: int, size: int = 5000) -> tuple[FatEntry, FatEntry]:
    payload = bytes([number]) * (size + 1000 * number)
    verdict = f'{{"number": {number}}}'.encode()
    return make_entry(EntryKind.CODE_OBJECTS, SM, payload), make_entry(EntryKind.VERDICTS, SM, verdict)


def embedded(image: HostImage, size: int = 5000) -> HostImage:
    return embed.embed(image, [(fat, entries(n, size)) for n, fat in enumerate(fatbin.extract(image))])


def containers(image: HostImage) -> dict[int, FatBinary]:
    """Containers by the offset, in .nvFatBinSegment, of the wrapper that points to them."""
    file = image.elf
    assert file is not None
    (table,) = (s for s in file.sections if s.name == ".rela.nvFatBinSegment")
    symtab = file.of_type(elf.SHT_SYMTAB)
    assert symtab is not None
    symbols = file.symbols(symtab)
    found = {}
    for relocation in file.relocations(table):
        symbol = symbols[relocation.symbol]
        assert relocation.addend is not None
        place = symbol.value + relocation.addend
        found[relocation.offset - 8] = fatbin.parse(file.sections[symbol.section].data[place:])
    return found


@pytest.mark.parametrize("name", NAMES)
def test_entries_are_added_and_the_others_stay(name: str) -> None:
    image = host.read(DATA / name)
    before, after = fatbin.extract(image), fatbin.extract(embedded(image))
    assert len(before) == len(after)
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        assert new.entries == old.entries + entries(number)


@pytest.mark.parametrize("name", NAMES)
def test_embedding_again_replaces(name: str) -> None:
    image = host.read(DATA / name)
    once = embedded(image)
    assert embedded(once).data == once.data
    assert embedded(embedded(image, size=9000)).data[-64:] == once.data[-64:]
    assert [f.entries for f in fatbin.extract(embedded(embedded(image, size=9000)))] == [
        f.entries for f in fatbin.extract(once)
    ]


@pytest.mark.parametrize("name", ["second.o", "sample.o", "second_rdc.o", "two.o"])
def test_wrappers_point_to_their_containers(name: str) -> None:
    image = host.read(DATA / name)
    before, after = containers(image), containers(embedded(image))
    assert before.keys() == after.keys()
    for number, position in enumerate(sorted(before)):
        assert after[position].entries == before[position].entries + entries(number)


def test_symbols_follow_their_containers() -> None:
    image = embedded(host.read(DATA / "two.o"))
    assert image.elf is not None
    table = image.elf.of_type(elf.SHT_SYMTAB)
    assert table is not None
    starts = [s.value for s in image.elf.symbols(table) if s.name == "fatbinData"]
    assert starts == [fat.place.offset for fat in fatbin.extract(image)]


def test_only_one_of_two_containers() -> None:
    image = host.read(DATA / "two.o")
    first, second = fatbin.extract(image)
    for chosen in (first, second):
        after = fatbin.extract(embed.embed(image, [(chosen, entries(3))]))
        assert [len(f.entries) for f in after] == [
            len(f.entries) + 2 * (f.place == chosen.place) for f in (first, second)
        ]


def test_everything_else_stays() -> None:
    image = host.read(DATA / "two.o")
    after = embedded(image)
    assert image.elf is not None
    assert after.elf is not None
    for old, new in zip(image.elf.sections, after.elf.sections, strict=True):
        if old.name not in (".nv_fatbin", ".rela.nvFatBinSegment", ".symtab"):
            assert old == new


def archive(folder: Path, options: str) -> Path:
    if shutil.which("ar") is None:
        pytest.skip("ar is not on PATH")
    for name, target in (("second.o", "second.o"), ("two.o", "a_member_with_a_very_long_name.o")):
        shutil.copy(DATA / name, folder / target)
    command = ["ar", options, "lib.a", "second.o", "a_member_with_a_very_long_name.o"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "lib.a"


def archive_index(path: Path) -> list[str]:
    listed = subprocess.run(["nm", "-s", path], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if " in " in line]


def test_archive(tmp_path: Path) -> None:
    path = archive(tmp_path, "rcs")
    image = host.read(path)
    after = embedded(image)
    assert [f.entries for f in fatbin.extract(after)] == [
        f.entries + entries(n) for n, f in enumerate(fatbin.extract(image))
    ]
    assert embedded(after).data == after.data
    index = archive_index(path)
    path.write_bytes(after.data)
    assert archive_index(path) == index
    assert "_Z5twicePf in second.o" in index
    listed = subprocess.run(["ar", "t", path], capture_output=True, text=True, check=True).stdout
    assert listed.split() == ["second.o", "a_member_with_a_very_long_name.o"]


def test_thin_archives_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CasscError, match="thin archive"):
        embedded(host.read(archive(tmp_path, "rcT")))


@pytest.mark.parametrize("name", ["sample_90a.cubin"])
def test_other_files_are_refused(name: str) -> None:
    with pytest.raises(CasscError, match="cannot embed"):
        embedded(host.read(DATA / name))


PROGRAM = r"""
#include <stdio.h>
#include <string.h>
__asm__(".section .nv_fatbin, \"a\"; .p2align 3; first: .incbin \"FATBIN\"; second: .incbin \"FATBIN\"; .text");
extern const unsigned char first[], second[];
struct wrapper { unsigned magic, version; const unsigned char *data; void *unused; };
__attribute__((section(".nvFatBinSegment"), used)) static struct wrapper wrappers[] = {
    {0x466243b1, 1, first, 0}, {0x466243b1, 2, second, 0}};
int main(void)
{
    for (int i = 0; i < 2; i++) {
        const unsigned char *at = wrappers[i].data + 16;
        unsigned long long size;
        memcpy(&size, wrappers[i].data + 8, 8);
        for (const unsigned char *end = at + size; at < end;) {
            unsigned short kind;
            unsigned header;
            unsigned long long stored;
            memcpy(&kind, at, 2), memcpy(&header, at + 4, 4), memcpy(&stored, at + 8, 8);
            printf("%x %u\n", kind, at[header]);
            at += header + stored;
        }
    }
    return 0;
}
"""
CUBIN_AND_PTX = [f"{e.kind:x} {e.stored[0]}" for e in fatbin.extract(host.read(DATA / "second_lz4.fatbin"))[0].entries]
RUN_BEFORE = CUBIN_AND_PTX * 2
RUN_AFTER = [*CUBIN_AND_PTX, "4843 0", "4856 123", *CUBIN_AND_PTX, "4843 1", "4856 123"]


LINKS = [
    ["-pie", "-fPIE"],
    ["-no-pie"],
    ["-static"],
    ["-static-pie"],
    ["-pie", "-fPIE", "-fuse-ld=gold"],
    ["-pie", "-fPIE", "-Wl,-z,pack-relative-relocs"],
]


@pytest.mark.parametrize("options", LINKS)
def test_linked_programs(tmp_path: Path, options: list[str]) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not on PATH")
    if "-fuse-ld=gold" in options and shutil.which("ld.gold") is None:
        pytest.skip("ld.gold is not on PATH")
    path = tmp_path / "program"
    text = PROGRAM.replace("FATBIN", str(DATA / "second_lz4.fatbin"))
    subprocess.run(["gcc", "-xc", "-", *options, "-o", path], input=text, text=True, check=True)

    def run() -> list[str]:
        return subprocess.run([path], capture_output=True, text=True, check=True).stdout.splitlines()

    assert run() == RUN_BEFORE
    image = host.read(path)
    assert image.elf is not None
    assert [w.version for w in wrapper.wrappers(image.elf)] == [1, 2]
    after = embedded(image)
    path.write_bytes(after.data)
    assert run() == RUN_AFTER
    assert [f.entries for f in fatbin.extract(after)] == [
        f.entries + entries(n) for n, f in enumerate(fatbin.extract(image))
    ]
    assert embedded(after).data == after.data
    bigger = embedded(after, size=20000)
    assert embedded(bigger).data == after.data
    path.write_bytes(bigger.data)
    assert run() == RUN_AFTER
    subprocess.run(["strip", path], check=True)
    assert run() == RUN_AFTER


def test_linked_program_one_container_at_a_time(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not on PATH")
    path = tmp_path / "program"
    text = PROGRAM.replace("FATBIN", str(DATA / "second_lz4.fatbin"))
    subprocess.run(["gcc", "-xc", "-", "-o", path], input=text, text=True, check=True)
    image = host.read(path)
    for number in range(2):
        fat = next(f for f in fatbin.extract(image) if len(f.entries) == 2)
        image = embed.embed(image, [(fat, entries(number))])
    path.write_bytes(image.data)
    printed = subprocess.run([path], capture_output=True, text=True, check=True).stdout.splitlines()
    assert printed == RUN_AFTER


def test_linked_file_without_section_headers(tmp_path: Path) -> None:
    if shutil.which("ld") is None:
        pytest.skip("ld is not on PATH")
    out = tmp_path / "out.so"
    command = ["ld", "-shared", "--unresolved-symbols=ignore-all", "-o", str(out), str(DATA / "second.o")]
    subprocess.run(command, check=True)
    data = bytearray(out.read_bytes())
    data[40:48], data[60:64] = bytes(8), bytes(4)  # e_shoff, e_shnum, e_shstrndx
    with pytest.raises(CasscError, match="it has no section headers"):
        embedded(host.read_bytes(bytes(data), "out.so"))


LINKERS = ["ld.bfd", "ld.gold", "ld.lld", "ld.lld-19"]


@pytest.mark.parametrize("linker", LINKERS)
@pytest.mark.parametrize("form", ["objects", "joined", "archive"])
def test_linkers_accept_it(tmp_path: Path, linker: str, form: str) -> None:
    if shutil.which(linker) is None:
        pytest.skip(f"{linker} is not on PATH")
    out = tmp_path / "out.so"
    if form == "archive":
        path = archive(tmp_path, "rcs")
        path.write_bytes(embedded(host.read(path)).data)
        inputs = ["--whole-archive", str(path)]
        expected = [entries(n) for n in range(3)]
    else:
        names = ["two.o"] if form == "joined" else ["second.o", "sample.o"]
        inputs = []
        for name in names:
            (tmp_path / name).write_bytes(embedded(host.read(DATA / name)).data)
            inputs.append(str(tmp_path / name))
        expected = [entries(0), entries(1 if form == "joined" else 0)]
    command = [linker, "-shared", "--unresolved-symbols=ignore-all", "--allow-multiple-definition", "-o", str(out)]
    subprocess.run([*command, *inputs], check=True, capture_output=True)
    assert [f.entries[-2:] for f in fatbin.extract(host.read(out))] == expected


def test_objcopy_and_partial_links_keep_it(tmp_path: Path) -> None:
    if shutil.which("ld") is None or shutil.which("strip") is None:
        pytest.skip("ld and strip are not on PATH")
    source, joined = tmp_path / "two.o", tmp_path / "joined.o"
    source.write_bytes(embedded(host.read(DATA / "two.o")).data)
    subprocess.run(["strip", "--strip-debug", source], check=True)
    subprocess.run(["ld", "-r", "-z", "muldefs", source, DATA / "second_rdc.o", "-o", joined], check=True)
    image = host.read(joined)
    found = [fat for fat in fatbin.extract(image) if fat.place.section == ".nv_fatbin"]
    assert [f.entries[-2:] for f in found] == [entries(0), entries(1)]
    assert [f.entries[-2:] for f in list(containers(image).values())[:2]] == [entries(0), entries(1)]


def test_cuobjdump_lists_the_others(tmp_path: Path) -> None:
    if shutil.which("cuobjdump") is None:
        pytest.skip("cuobjdump is not on PATH")
    path = tmp_path / "second.o"
    path.write_bytes(embedded(host.read(DATA / "second.o")).data)
    listed = subprocess.run(["cuobjdump", "-lelf", "-lptx", path], capture_output=True, text=True, check=True).stdout
    assert listed.count("ELF file") == 2
    assert listed.count("PTX file") == 1

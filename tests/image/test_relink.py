"""Rewriting linked files with LIEF: run path, entry points, and what must stay as it was."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cassc.diag import CasscError
from cassc.image import elf, relink
from cassc.image.static_runtime import EntryPoint, StaticRuntime

# Functions as a static runtime has them: 16 bytes apart, with a fourth that is the program's own.
PROGRAM = r"""
#include <stdio.h>
#define ENTRY __attribute__((aligned(16), noinline, noipa))
ENTRY int cudaMalloc(int x) { return x + 1; }
ENTRY int cudaOnlyHere(int x) { return x + 2; }
ENTRY int cudaFree(int x) { return x + 3; }
ENTRY int cudaOfTheProgram(int x) { return x + 4; }
__thread int local = 5;
int main(void) {
    printf("%d %d %d %d %d\n", cudaMalloc(0), cudaOnlyHere(0), cudaFree(0), cudaOfTheProgram(0), local);
    return 0;
}
"""
LIBRARY = "int cudaMalloc(int x) { return x + 100; } int cudaFree(int x) { return x + 300; } int cudaOther;"
NAMES = ("cudaMalloc", "cudaOnlyHere", "cudaFree", "cudaOfTheProgram")
LINKS = [
    ["-pie", "-fPIE"],
    ["-no-pie"],
    ["-pie", "-fPIE", "-Wl,-z,now"],
    ["-pie", "-fPIE", "-Wl,-z,pack-relative-relocs"],
]
OPENER = r"""
#include <dlfcn.h>
int main(int count, char** arguments) {
    int (*say)(void) = dlsym(dlopen(arguments[1], RTLD_NOW), "say");
    return say();
}
"""


def gcc(source: str, path: Path, *options: str) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not on PATH")
    path.parent.mkdir(exist_ok=True)
    command = ["gcc", "-g", "-fno-reorder-functions", "-xc", "-", *options, "-o", str(path)]
    subprocess.run(command, input=source, text=True, check=True)
    return path


def functions(path: Path) -> dict[str, int]:
    file = elf.parse(path.read_bytes())
    table = file.of_type(elf.SHT_SYMTAB)
    assert table is not None
    return {s.name: s.value for s in file.symbols(table) if s.type == elf.STT_FUNC}


def run(path: Path, **environment: str) -> str:
    return subprocess.run([path], capture_output=True, text=True, check=True, env=environment).stdout


def rewritten(path: Path, library: Path, runtime: StaticRuntime | None) -> Path:
    result = path.with_name(path.name + ".relinked")
    result.write_bytes(relink.relink(path.read_bytes(), str(path), library, runtime))
    result.chmod(0o755)
    return result


def entries(path: Path) -> StaticRuntime:
    found = functions(path)
    return StaticRuntime(13, tuple(EntryPoint(name, found[name], 16) for name in NAMES))


@pytest.mark.parametrize("options", LINKS)
def test_entry_points_reach_the_library(tmp_path: Path, options: list[str]) -> None:
    library = gcc(LIBRARY, tmp_path / "ours" / "libcudart.so.13", "-shared", "-fPIC")
    program = gcc(PROGRAM, tmp_path / "program", *options)
    assert run(program) == "1 2 3 4 5\n"
    after = rewritten(program, library, entries(program))
    # Between the library's functions is one that ours does not have: cudaErrorNotSupported. Behind them: not touched.
    assert run(after) == "100 801 300 4 5\n"
    assert relink.needed(after.read_bytes()) == ("libcudart.so.13", *relink.needed(program.read_bytes()))
    assert functions(after) == functions(program)  # debuggers find everything where it was


def test_debug_information_stays_true(tmp_path: Path) -> None:
    tool = shutil.which("addr2line")
    if tool is None:
        pytest.skip("addr2line is not on PATH")
    library = gcc(LIBRARY, tmp_path / "ours" / "libcudart.so.13", "-shared", "-fPIC")
    program = gcc(PROGRAM, tmp_path / "program", "-pie", "-fPIE")
    after = rewritten(program, library, entries(program))
    command = [tool, "-e", str(after), hex(functions(after)["main"])]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().endswith(":9")


def test_library_that_is_opened(tmp_path: Path) -> None:
    ours = gcc(LIBRARY, tmp_path / "ours" / "libcudart.so.13", "-shared", "-fPIC")
    source = PROGRAM.replace("int main(void)", "int say(void)").replace("ENTRY int", "static ENTRY int")
    library = gcc(source, tmp_path / "libsay.so", "-shared", "-fPIC")
    opener = gcc(OPENER, tmp_path / "opener", "-ldl")
    after = rewritten(library, ours, entries(library))
    done = subprocess.run([opener, after], capture_output=True, text=True, check=True)
    assert done.stdout == "100 801 300 4 5\n"


@pytest.mark.parametrize("tag", ["--enable-new-dtags", "--disable-new-dtags"])
def test_run_path_comes_first_and_keeps_the_others(tmp_path: Path, tag: str) -> None:
    ours = gcc(LIBRARY, tmp_path / "ours" / "libcudart.so.13", "-shared", "-fPIC", "-Wl,-soname,libcudart.so.13")
    theirs = gcc(
        LIBRARY.replace("100", "1"), tmp_path / "theirs" / ours.name, "-shared", "-fPIC", "-Wl,-soname,libcudart.so.13"
    )
    source = '#include <stdio.h>\nint cudaMalloc(int); int main(void) { printf("%d\\n", cudaMalloc(0)); }'
    flags = [str(theirs), f"-Wl,{tag}", f"-Wl,-rpath,{theirs.parent}:$ORIGIN/lib"]
    program = gcc(source, tmp_path / "program", "-Wl,--no-as-needed", *flags[1:], "-xnone", flags[0])
    assert run(program) == "1\n"
    after = rewritten(program, ours, None)
    assert run(after, LD_LIBRARY_PATH=str(theirs.parent)) == "100\n"
    again = rewritten(after, ours, None)
    assert run(again) == "100\n"
    import lief

    binary = lief.ELF.parse(str(again))
    assert binary is not None
    paths = [entry.paths for entry in binary.dynamic_entries if isinstance(entry, lief.ELF.DynamicEntryRpath)]
    assert paths == [[str(ours.parent), str(theirs.parent), "$ORIGIN/lib"]]


def test_fully_static_program_is_refused(tmp_path: Path) -> None:
    program = gcc("int main(void) { return 0; }", tmp_path / "program", "-static")
    with pytest.raises(CasscError, match="linked without any shared library"):
        relink.relink(program.read_bytes(), str(program), tmp_path / "libcudart.so.13", None)


def test_what_is_no_linked_file() -> None:
    for data in (b"", b"nothing", b"\x7fELF", b"\x7fELF\x02\x01" + bytes(58)):
        with pytest.raises(CasscError):
            relink.relink(data, "damaged", Path("/nothing/libcudart.so.13"), None)


@pytest.mark.parametrize("field", [8, 16, 32, 40, 48])  # p_offset, p_vaddr, p_filesz, p_memsz, p_align
def test_impossible_segments_are_refused(tmp_path: Path, field: int) -> None:
    program = gcc("int main(void) { return 0; }", tmp_path / "program", "-pie", "-fPIE")
    data = bytearray(program.read_bytes())
    number = next(n for n, s in enumerate(elf.parse(bytes(data)).segments) if s.type == elf.PT_LOAD)
    data[64 + 56 * number + field + 7] = 0x7F
    with pytest.raises(CasscError, match="impossible segment"):
        relink.relink(bytes(data), "damaged", Path("/nothing/libcudart.so.13"), None)

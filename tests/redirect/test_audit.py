"""The audit library: whichever way NVIDIA's runtime was linked, ours answers."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cassc.diag import CasscError
from cassc.image import signature, static_runtime
from cassc.toolchain import Nvcc
from tests.redirect.conftest import build

Linked = Callable[[str], Path]
Execute = Callable[..., "subprocess.CompletedProcess[str]"]

OURS = "devices 1, error 0, allocation 0, free 0\n"


def audited(libdir: Path, **more: str) -> dict[str, str]:
    front_ends = ":".join(str(libdir / name) for name in ("libcudart.so.13", "libcudart.so.12"))
    return {"LD_AUDIT": str(libdir / "libcassc_redirect.so"), "LD_PRELOAD": front_ends, **more}


@pytest.fixture(scope="session")
def tables(nvcc: Nvcc, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The signature table of the toolkit's own libcudart_static.a."""
    for place in ("lib64", "lib", "targets/x86_64-linux/lib"):
        archive = nvcc.root / place / "libcudart_static.a"
        if archive.exists():
            path = tmp_path_factory.mktemp("tables") / "cudart.table"
            path.write_text(signature.table(archive.read_bytes()))
            return path
    pytest.skip("libcudart_static.a is not beside nvcc")


@pytest.mark.slow
@pytest.mark.parametrize("way", ["static", "static-fixed", "shared", "shared-stripped"])
def test_program(way: str, linked: Linked, libdir: Path, execute: Execute) -> None:
    program = linked(way)
    assert execute(program, **audited(libdir)).stdout == OURS
    if "static" in way:  # the other way round, so that the above says something
        assert "error 35" in execute(program).stdout


@pytest.mark.slow
@pytest.mark.parametrize("way", ["static-stripped", "static-fixed-stripped"])
def test_stripped_program(way: str, linked: Linked, libdir: Path, tables: Path, execute: Execute) -> None:
    assert execute(linked(way), **audited(libdir, CASSC_REDIRECT_TABLES=f"/nothing:{tables}")).stdout == OURS


@pytest.mark.slow
def test_stripped_program_of_an_unknown_version_does_not_start(linked: Linked, libdir: Path, execute: Execute) -> None:
    done = execute(linked("static-stripped"), **audited(libdir))
    assert (done.returncode, done.stdout) == (127, "")
    assert "CASSC_CUDART_STATIC" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("way", ["library", "library-stripped"])
def test_library_opened_while_running(
    way: str, linked: Linked, opener: Path, libdir: Path, tables: Path, execute: Execute
) -> None:
    done = execute(opener, linked(way), **audited(libdir, CASSC_REDIRECT_TABLES=str(tables)))
    assert (done.returncode, done.stdout) == (0, OURS)


@pytest.mark.slow
def test_shared_runtime_is_replaced_even_where_another_is_named(
    linked: Linked, libdir: Path, execute: Execute, tmp_path: Path
) -> None:
    (tmp_path / "libcudart.so.13").write_bytes(b"not a library")
    only_audit = {"LD_AUDIT": str(libdir / "libcassc_redirect.so"), "LD_LIBRARY_PATH": str(tmp_path)}
    assert execute(linked("shared"), **only_audit).stdout == OURS


def test_program_without_cuda_is_left_alone(opener: Path, libdir: Path, execute: Execute) -> None:
    done = execute(opener, "/nothing.so", **audited(libdir))
    assert done.returncode == 99
    assert "cassc" not in done.stderr


@pytest.mark.slow
def test_signature_finds_what_symbols_say(linked: Linked, libdir: Path, tables: Path) -> None:
    library = libdir / "libcassc_redirect.so"
    by_name = static_runtime.find(library, linked("static").read_bytes())
    by_signature = static_runtime.find(library, linked("static-stripped").read_bytes(), [tables])
    assert by_name == by_signature
    assert by_name is not None
    assert {"cudaMalloc", "__cudaRegisterFatBinary", "__cudaLaunchKernel"} <= {e.name for e in by_name.entries}
    assert "__cudaRegisterAll" not in {e.name for e in by_name.entries}
    with pytest.raises(CasscError, match="of a version that is not known"):
        static_runtime.find(library, linked("static-stripped").read_bytes())


def test_files_without_a_static_runtime(libdir: Path) -> None:
    library = libdir / "libcassc_redirect.so"
    assert static_runtime.find(library, (libdir / "libcassc_emu.so").read_bytes()) is None
    assert static_runtime.find(library, b"\x7fELF") is None
    assert static_runtime.find(library, b"") is None
    with pytest.raises(CasscError, match="cannot load"):
        static_runtime.find(libdir / "nothing.so", b"")


def test_damaged_programs_do_no_harm(libdir: Path) -> None:
    library = libdir / "libcassc_redirect.so"
    sound = library.read_bytes()
    damaged = [sound[:length] for length in range(0, 4096, 64)]
    for place in range(0, 64, 2):
        damaged += [sound[:place] + value + sound[place + 2 :] for value in (b"\0\0", b"\xff\xff", b"\x01\x80")]
    for data in damaged:
        try:
            assert static_runtime.find(library, data) is None
        except CasscError as refusal:  # without its symbols the library's own texts look like a runtime's
            assert [d.id for d in refusal.diagnostics] == ["static-runtime-unknown"]


def test_no_table_of_what_is_no_runtime() -> None:
    assert signature.table(b"") == ""
    assert signature.table(b"!<arch>\n") == ""
    assert signature.table((Path(__file__).parents[1] / "image" / "data" / "sample.o").read_bytes()) == ""


@pytest.fixture
def other_build(libdir: Path, tmp_path: Path) -> Path:
    """A folder with a runtime that says that it is of another build."""
    library = ctypes.CDLL(str(libdir / "libcassrt.so"))
    library.cassc_rt_build.restype = ctypes.c_char_p
    stamp = library.cassc_rt_build()
    for name in ("libcassrt.so", "libcassc_cudart.so.13", "libcassc_emu.so"):
        (tmp_path / name).write_bytes((libdir / name).read_bytes().replace(stamp, stamp[::-1]))
    return tmp_path


def test_a_program_linked_with_another_build(other_build: Path, libdir: Path, execute: Execute) -> None:
    source, program = other_build / "count.c", other_build / "count"
    source.write_text(
        "#include <stdio.h>\nint cudaGetDeviceCount(int *);\n"
        'int main(void) { int n = 0, error = cudaGetDeviceCount(&n); printf("%d %d\\n", error, n); return 0; }\n'
    )
    build(["g++", "-x", "c", source, "-x", "none", other_build / "libcassc_cudart.so.13", "-o", program])
    assert execute(program).stdout == "0 1\n"
    done = execute(program, LD_PRELOAD=str(libdir / "libcudart.so.13"))
    assert (done.returncode, done.stdout) == (127, "")
    assert "libcassc_cudart.so.13 and " in done.stderr and "are of different builds of cassc" in done.stderr
    done = execute(program, **audited(libdir))
    assert (done.stdout, done.stderr) == ("0 1\n", "")

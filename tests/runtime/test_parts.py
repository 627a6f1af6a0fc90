"""Parts of the runtime core, compiled on their own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"
RUNTIME = Path(__file__).parents[2] / "shims" / "runtime"


def build_and_run(gxx: str, out: Path, program: str, parts: list[str], flags: list[str], *arguments: str) -> str:
    sources = [str(PROGRAMS / program), *(str(RUNTIME / part) for part in parts)]
    command = [gxx, "-std=c++20", *flags, f"-I{RUNTIME}", *sources, "-o", str(out / "check")]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    done = subprocess.run([str(out / "check"), *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.slow
def test_printf_records_are_formatted_as_device_printf_does(gxx: str, tmp_path: Path) -> None:
    text = build_and_run(gxx, tmp_path, "format_check.cpp", ["output.cpp", "errors.cpp"], ["-O0"])
    assert text.splitlines() == [
        "[plain % text]",
        "[-1 2 3]",
        "[   42|42   |00042|+42| 42]",
        "[ff FF 0xff 10]",
        "[     7|7     |3.14]",
        "[-1 1099511627776 5 abcdef0123]",
        "[1.500000 0.667   1.23e+04 1e-10 0x1p+0]",
        "[44 4464]",
        "[abc]",
        "[one|       two|six   |cu]",
        "[(null)]",
        "[0x7f001234 (nil)]",
        "[1 2.500000 3 4]",
        "[7 -7 8]",
        "[1 and %d]",
        "[%q 5]",
        "[ends with %]",
        "[%5]",
    ]


@pytest.mark.slow
def test_metadata_whole_and_damaged(gxx: str, code_object: bytes, tmp_path: Path) -> None:
    path = tmp_path / "device.hsaco"
    path.write_bytes(code_object)
    flags = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    lines = build_and_run(
        gxx, tmp_path, "metadata_check.cpp", ["codeobject.cpp", "fatbin.cpp"], flags, str(path)
    ).splitlines()
    assert lines[-1] == "done"
    assert "take_mixed threads 1024 size 48: 0+1 8+24 32+2 40+8" in lines
    assert "bounded threads 128 size 8: 0+8" in lines
    assert "trap_now threads 1024 size 0:" in lines
    assert lines[-5:-1] == ["good: ", 'bad: no row for "TEX"', "cut: no", "other: "]

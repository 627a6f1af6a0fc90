"""Outputs that are inputs: refused, whatever the name, before anything is written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cassc import cli
from cassc.driver import outputs
from cassc.toolchain import Nvcc


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source, an object and a linked file, each under more than one name."""
    (tmp_path / "t.cu").write_text("int main() {}\n")
    (tmp_path / "u.o").write_bytes(b"an object")
    (tmp_path / "prog").write_bytes(b"\x7fELF and more")
    for name in ("t.cu", "prog"):
        (tmp_path / f"soft-{name}").symlink_to(name)
        os.link(tmp_path / name, tmp_path / f"hard-{name}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


LOSSES = """t.cu -o t.cu
-c t.cu -o ./t.cu
-c t.cu -o soft-t.cu
-c t.cu -o hard-t.cu
-c soft-t.cu -o t.cu
-c t.cu -o t.o -MD -MF t.cu
-E t.cu -o t.cu
-M t.cu -o t.cu
-M t.cu -MF t.cu
-ptx t.cu -o hard-t.cu
--engine=source -M t.cu -o t.cu
--engine=source -c t.cu -o t.o -MMD -MF soft-t.cu
u.o -o u.o
-lib u.o t.cu -o u.o
-dlink u.o -o u.o
t.cu -o t.cu --dryrun
t.cu -o t.cu --clean-targets
prog -o prog
prog -o soft-prog
soft-prog -o hard-prog
run --record prog ./prog
run --check --log-file soft-prog ./prog
run --profile=json:./prog ./prog
inspect prog --html hard-prog
hipify t.cu -o t.cu"""


@pytest.mark.parametrize("command", LOSSES.splitlines())
def test_an_input_is_not_overwritten(
    command: str, folder: Path, nvcc: Nvcc, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("prog", "soft-prog", "hard-prog"):
        (folder / name).chmod(0o755)
    before = content(folder)
    assert cli.main(command.split()) == 1
    error = capsys.readouterr().err
    assert "error: input file '" in error
    assert "is the same as output file '" in error
    assert content(folder) == before


def test_what_is_new_or_a_device_or_another_file_is_written(folder: Path) -> None:
    (folder / "same").write_text("int main() {}\n")
    outputs.check(["t.cu", "gone.cu", os.devnull], ["same", "new", os.devnull, "", "gone.cu", str(folder)])


@pytest.mark.parametrize("command", ["-c t.cu -o /dev/null", "t.cu -o new", "-E t.cu -o -", "u.o -o prog", "-M t.cu"])
def test_usual_commands_are_planned(command: str, folder: Path, nvcc: Nvcc, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*command.split(), "--dryrun"]) == 0, capsys.readouterr().err


def test_options_from_a_file(folder: Path, nvcc: Nvcc, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "words").write_text("-c t.cu -o new.o")
    assert cli.main(["--options-file", "words", "--dryrun"]) == 0, capsys.readouterr().err
    (folder / "words").write_text("-c t.cu -o soft-t.cu")
    assert cli.main(["--options-file", "words", "--dryrun"]) == 1

"""Subcommands with arguments that make no sense: a status that is not 0, one sentence that says why, no traceback."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cassc import cli


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with files of many kinds, none of which holds a kernel."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CASSC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    Path("text").write_text("hello\n")
    Path("empty").touch()
    Path("noise.o").write_bytes(bytes(range(256)) * 16)
    Path("short").write_bytes(b"\x7fELF\x02\x01\x01")
    Path("empty.a").write_bytes(b"!<arch>\n")
    Path("program").write_text("#!/bin/sh\n")
    Path("program").chmod(0o755)
    Path("folder").mkdir()


KINDS = ["absent", "text", "empty", "noise.o", "short", "empty.a", "folder"]


@pytest.mark.parametrize("command", ["verify", "verify --run", "inspect --details", "bench", "model translate", "run"])
@pytest.mark.parametrize("file", KINDS)
def test_files_without_a_kernel(command: str, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*command.split(), f"./{file}"]) in (1, 2)
    assert_one_sentence(capsys.readouterr().err)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("run --order shuffled:x ./program", "'shuffled:x' is none of ascending, descending, shuffled:SEED (a number)"),
        ("run --order sideways ./program", "'sideways' is none of ascending, descending"),
        ("run --check=foo ./program", "there is no check 'foo'"),
        ("run --profile=trace ./program", "'trace' is none of text, json"),
        ("run --error-exitcode 999 ./program", "999 is not in the range"),
        ("run --print-limit -5 ./program", "-5 is not in the range"),
        ("run --nonsense ./program", "No such option '--nonsense'"),
        ("run program", "'program' is not on PATH"),
        ("run ./text", "'./text' cannot be executed"),
        ("run ./absent", "'./absent' was not found"),
        ("cache limit 5X", "the limit is '5X'"),
        ("cache nonsense", "No such command 'nonsense'"),
        ("toolkit --at text", "Directory 'text' is a file"),
        ("bench --engines foo text", "'foo' names no engines"),
        ("bench empty.a", "there is no kernel in the file"),
        ("model use http://", "'http://' names no server"),
        ("model use ./folder", "holds no checkpoint"),
        ("doctor extra", "unexpected extra argument"),
        ("hipify ./absent", "no such file or folder"),
        ("verify --policy absent program", "absent: error: cannot read"),
        ("inspect", "Missing argument 'FILE'"),
    ],
)
def test_arguments(words: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words.split()) in (1, 2)
    said = capsys.readouterr().err
    assert_one_sentence(said)
    assert sentence in said


def test_bare_name_says_how_to_run_the_file_here(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["run", "program"])
    assert "note: to run the file in this folder: cassc run ./program" in capsys.readouterr().err


def assert_one_sentence(said: str) -> None:
    """One error; the usage of a subcommand may stand before it, a note behind it."""
    assert "Traceback" not in said and "internal error" not in said, said
    errors = [line for line in said.splitlines() if "error: " in line.lower() or line.startswith("nvcc fatal")]
    assert len(errors) == 1, said
    assert os.path.sep.join(["site-packages", ""]) not in said

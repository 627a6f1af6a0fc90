"""Compilations that come out of the cache: only where nothing that they read has changed, and with all they gave."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from cassc.driver.cache import Cache
from cassc.driver.compilation import Run, compile, read_rule
from cassc.driver.plan import Compile
from cassc.toolchain import Nvcc


@dataclass
class Machine:
    """A folder with a source and a header, and a compiler that joins them."""

    folder: Path
    cache: Cache
    nvcc: Nvcc
    text: bytes = b""
    status: int = 0
    commands: list[list[str]] = field(default_factory=list)

    def start(self, command: list[str]) -> Run:
        self.commands.append(command)
        source = Path(command[command.index("-c") + 1])
        header = self.folder / "a.h"
        made = Path(command[command.index("-o") + 1])
        made.write_bytes(b"object of " + source.read_bytes() + header.read_bytes())
        if "-MF" in command:
            rule = f"a.o : {source} \\\n    {header}\n"
            Path(command[command.index("-MF") + 1]).write_text(rule)
        return Run(self.status, self.text)

    def build(self, *options: str) -> tuple[bytes, Run, bool]:
        """Object, run, and whether it came from the cache; each in a scratch folder of its own."""
        scratch = self.folder / f"scratch{len(list(self.folder.glob('scratch*')))}"
        scratch.mkdir()
        made = scratch / "0-a.o"
        command = (str(self.nvcc.path), "-c", "a.cu", "-o", str(made), *(o.replace("@", str(scratch)) for o in options))
        run, hit = compile(Compile("a.cu", command, made), self.nvcc, self.cache, self.start)
        return made.read_bytes() if made.exists() else b"", run, hit


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    for name, text in (("a.cu", "source "), ("a.h", "header"), ("nvcc", "nvcc")):
        (tmp_path / name).write_text(text)
        os.utime(tmp_path / name, (1000, 1000))
    monkeypatch.chdir(tmp_path)
    nvcc = Nvcc(tmp_path / "nvcc", "PATH", (13, 0, 88), "", tmp_path, None, "libcudart.so.13")
    return Machine(tmp_path, Cache(tmp_path / "cache", 1 << 20), nvcc)


def test_second_compilation_starts_nothing(machine: Machine) -> None:
    machine.text = b"a.cu(1): warning\n"
    first, second = machine.build("-O", "2"), machine.build("-O", "2")
    assert first == (b"object of source header", Run(0, machine.text), False)
    assert second == (b"object of source header", Run(0, machine.text), True)
    assert len(machine.commands) == 1


def test_dependency_file_is_delivered_where_it_was_asked_for(machine: Machine) -> None:
    options = ("-MD", "-MF", "@/0-a.d", "-MT", "a.o")
    machine.build(*options)
    assert machine.build(*options)[2]
    first, second = ((machine.folder / f"scratch{number}" / "0-a.d").read_text() for number in (0, 1))
    assert first == second
    assert machine.build()[2] is False  # another command
    machine.build()
    assert not (machine.folder / "scratch3" / "0-a.d").exists()


@pytest.mark.parametrize("name", ["a.cu", "a.h", "nvcc"])
def test_change_of_anything_that_was_read_is_a_miss(machine: Machine, name: str) -> None:
    machine.build()
    (machine.folder / name).write_text("changed ")
    os.utime(machine.folder / name, (1000, 1001))
    made, _, hit = machine.build()
    assert not hit
    assert b"changed" in made or name == "nvcc"


def test_older_state_is_still_there(machine: Machine) -> None:
    machine.build()
    for text in ("other ", "source "):
        (machine.folder / "a.cu").write_text(text)
        os.utime(machine.folder / "a.cu", (1000, 1000))
        made, _, hit = machine.build()
        assert made == f"object of {text}header".encode()
        assert hit is (text == "source ")


def test_header_that_is_gone_is_a_miss(machine: Machine) -> None:
    machine.build()
    (machine.folder / "a.h").rename(machine.folder / "b.h")
    with pytest.raises(FileNotFoundError):
        machine.build()


@pytest.mark.parametrize(("name", "value"), [("CPATH", "/x"), ("NVCC_CCBIN", "clang++")])
def test_environment_that_compilations_read(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    machine.build()
    monkeypatch.setenv(name, value)
    assert not machine.build()[2]


def test_folder_matters(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.build()
    (machine.folder / "sub").mkdir()
    shutil.copy(machine.folder / "a.cu", machine.folder / "sub")
    monkeypatch.chdir(machine.folder / "sub")
    assert not machine.build()[2]


def test_failed_compilation_is_not_kept(machine: Machine) -> None:
    machine.status, machine.text = 2, b"error\n"
    assert machine.build()[1:] == (Run(2, b"error\n"), False)
    assert machine.build()[1:] == (Run(2, b"error\n"), False)


@pytest.mark.parametrize("text", ['printf("%s", __TIME__);', "__DATE__", "__TIMESTAMP__"])
def test_sources_that_know_the_time_are_not_kept(machine: Machine, text: str) -> None:
    (machine.folder / "a.cu").write_text(text)
    os.utime(machine.folder / "a.cu", (1000, 1000))
    machine.build()
    assert not machine.build()[2]


def test_source_that_changes_meanwhile_is_not_kept(machine: Machine) -> None:
    (machine.folder / "a.cu").write_text("later ")
    os.utime(machine.folder / "a.cu", (4e9, 4e9))
    machine.build()
    assert not machine.build()[2]


@pytest.mark.parametrize("option", ["-v", "--keep", "-MMD", "-Xcompiler=--coverage", "-Xcompiler=-save-temps"])
def test_commands_that_write_more_are_not_kept(machine: Machine, option: str) -> None:
    machine.build(option)
    assert not machine.build(option)[2]
    assert machine.commands[0][-1] == option


def test_damaged_entries_are_misses(machine: Machine) -> None:
    machine.build()
    for path in (machine.folder / "cache").glob("??/*.entry"):
        path.write_bytes(path.read_bytes()[:-1])
    assert machine.build()[0::2] == (b"object of source header", False)


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("a.o : a.cu b.h\n", ["a.cu", "b.h"]),
        ("a.o: a.cu \\\n  /usr/b.h \\\n c.h\n\n/usr/b.h:\n", ["a.cu", "/usr/b.h", "c.h"]),
        ("dir/a.o : with\\ space.cu cash$$.h hash\\#.h\n", ["with space.cu", "cash$.h", "hash#.h"]),
        ("a.o b.o: x:y.h\n", ["x:y.h"]),
    ],
)
def test_rules(text: str, files: list[str]) -> None:
    assert read_rule(text) == files


def test_nvcc_names_what_it_reads(nvcc: Nvcc, tmp_path: Path) -> None:
    """Headers of both passes are on the list."""
    import subprocess

    (tmp_path / "device side.h").write_text("__device__ int d() { return 1; }\n")
    (tmp_path / "host.h").write_text("inline int h() { return 1; }\n")
    (tmp_path / "a.cu").write_text(
        '#ifdef __CUDA_ARCH__\n#include "device side.h"\n#else\n#include "host.h"\n#endif\n__global__ void k() {}\n'
    )
    command = [str(nvcc.path), "-arch=sm_80", "-c", "a.cu", "-o", "a.o", "-MD", "-MF", "a.d"]
    subprocess.run(command, cwd=tmp_path, check=True)
    files = read_rule((tmp_path / "a.d").read_text())
    assert {"a.cu", "device side.h", "host.h"} <= set(files)
    assert all((tmp_path / name).exists() for name in files)

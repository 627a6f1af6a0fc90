"""The small files of the packages: the program's start, completion, scripts, the CMake toolchain file."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cassc

TOOLCHAINS = Path(__file__).parents[2] / "toolchains"
PACKAGING = TOOLCHAINS / "packaging"


def start(home: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(home / "start.py"), "--help"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_start_finds_the_modules_of_its_python(tmp_path: Path) -> None:
    shutil.copy(PACKAGING / "start.py", tmp_path)
    (tmp_path / "common").mkdir()
    (tmp_path / "common/cassc").symlink_to(Path(cassc.__file__).parent)
    (tmp_path / "python9.9").mkdir()
    done = start(tmp_path)
    assert done.returncode == 1
    assert f"no modules for {sys.executable}; it has them for Python 9.9" in done.stderr
    (tmp_path / f"python{sys.version_info[0]}.{sys.version_info[1]}").mkdir()
    done = start(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: cassc")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("cassc --offload-a", {"--offload-arch"}),
        ("cassc cac", {"cache"}),
        ("cassc a.cu -cudart ", {"none", "shared", "static"}),
        ("cassc a.cu --std c++2", {"c++20"}),
    ],
)
def test_completion(words: str, expected: set[str]) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not on PATH")
    given = words.split(" ")
    script = (
        f"source {PACKAGING / 'cassc.bash'}; COMP_WORDS=({' '.join(word or chr(34) * 2 for word in given)}); "
        f"COMP_CWORD={len(given) - 1}; _cassc; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run([bash, "-c", script], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == expected


@pytest.mark.parametrize("name", ["build", "installed", "removed"])
def test_scripts_are_scripts(name: str) -> None:
    subprocess.run(["sh", "-n", PACKAGING / name], check=True)


def test_build_says_what_it_wants() -> None:
    done = subprocess.run(["sh", PACKAGING / "build", "exe"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "unknown kind 'exe': deb or rpm\n")


def test_manual_is_sound() -> None:
    if shutil.which("man") is None:
        pytest.skip("man is not on PATH")
    done = subprocess.run(
        ["man", "--warnings", "-l", PACKAGING / "cassc.1"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("man cannot format here")
    assert done.stderr == ""
    assert "--offload-arch" in done.stdout

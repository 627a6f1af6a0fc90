"""Every example: the commands of its README are run as they stand, and print what is expected."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cassc import toolchain
from cassc.driver import libraries
from cassc.toolchain import Nvcc

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = sorted(path.name for path in EXAMPLES.iterdir() if (path / "README.md").is_file())


def commands(name: str) -> list[str]:
    """The indented lines of the README."""
    return re.findall(r"^    (\S.*)$", (EXAMPLES / name / "README.md").read_text(), re.MULTILINE)


def test_there_are_eight() -> None:
    assert len(NAMES) >= 8


@pytest.fixture
def place(tmp_path: Path, nvcc: Nvcc) -> Path:
    """A folder with ``cassc`` on its PATH."""
    if toolchain.find_runtime() is None:
        pytest.skip("cassc's runtime libraries are not built (set CASSC_LIBDIR, or install the package)")
    launcher = tmp_path / "bin" / "cassc"
    launcher.parent.mkdir()
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cassc.cli "$@"\n')
    launcher.chmod(0o755)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("sm", ["sm_80", "sm_90"])
@pytest.mark.parametrize("name", NAMES)
def test_example(name: str, sm: str, place: Path) -> None:
    shutil.copytree(EXAMPLES / name, place / name)
    package = str(Path(toolchain.__file__).parents[1])
    environment = {
        **os.environ,
        "PATH": f"{place / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")]),
        "CASSC_BLAS": str(libraries.blas() or ""),
    }
    script = "set -e\n" + "\n".join(commands(name)).replace("cassc ", f"cassc -arch={sm} ")

    def run(text: str) -> subprocess.CompletedProcess[str]:
        command = ["sh", "-c", text]
        return subprocess.run(
            command, cwd=place / name, env=environment, capture_output=True, text=True, timeout=120, check=False
        )

    done = run(script)
    assert done.stderr == ""
    assert done.stdout == (EXAMPLES / name / "expected_output.txt").read_text()
    assert done.returncode == 0
    verdicts = run(f"cassc verify {name}").stdout.splitlines()
    assert verdicts
    assert [line for line in verdicts if not line.startswith("accepted ") or f"({sm} to gfx1100)" not in line] == []

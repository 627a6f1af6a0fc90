"""Sources compiled by the source engine, and run on the emulated device."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cassc import toolchain
from cassc.hip import tools

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def source_tools() -> tools.SourceTools:
    missing = tools.lacks()
    if missing:
        pytest.skip("the source engine has no " + ", no ".join(lack.what for lack in missing))
    return tools.find()


@pytest.fixture
def cassc(tmp_path: Path) -> Run:
    """Runs cassc in a folder of its own; gives the finished process."""
    package = str(Path(toolchain.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")])}

    def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "cassc.cli", *words],
            cwd=tmp_path,
            env={**environment, **variables},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return run


@pytest.fixture
def program(cassc: Run, source_tools: tools.SourceTools, tmp_path: Path) -> Callable[..., str]:
    """Builds a program from source alone, runs it, and gives what it printed."""
    if toolchain.find_runtime() is None:
        pytest.skip("cassc's runtime libraries are not built (set CASSC_LIBDIR, or install the package)")

    def build(text: str, *words: str) -> str:
        (tmp_path / "unit.cu").write_text(text)
        built = cassc("--engine=source", "-std=c++17", *words, "unit.cu", "-o", "unit")
        assert built.returncode == 0, built.stderr
        ran = subprocess.run(
            [tmp_path / "unit"],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    return build

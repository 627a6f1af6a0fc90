"""The execution core compiled for the oldest x86-64 gives the same results: the other tests, run on it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cassc.amdgpu import emulator

HERE = Path(__file__).parent


@pytest.mark.slow
@pytest.mark.parametrize("name", ["test_float.py", "test_integer.py", "test_lanes.py", "test_memory.py"])
def test_baseline(name: str) -> None:
    if emulator.library_path() is None:
        pytest.skip("libcassc_emu.so is not built")
    environment = {**os.environ, "CASSC_EMU_VARIANT": "baseline", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(HERE / name)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=HERE.parents[1], timeout=600)
    assert done.returncode == 0, done.stdout[-4000:]

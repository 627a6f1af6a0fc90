"""The conformance runner: its protocol, on both ways of running a kernel."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from cassc.amdgpu import emulator

FOLDER = Path(__file__).parent
CUBIN = FOLDER / "doubled.sm_80.cubin"
THREADS = 96


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("answer_jobs", FOLDER / "answer_jobs.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["answer_jobs"] = module  # dataclasses look for it
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=["reference", "lifted", "exact"])
def run(request: pytest.FixtureRequest, runner: ModuleType) -> Any:
    if request.param == "reference":
        return runner.OnReference()
    if emulator.library_path() is None:
        pytest.skip("the emulator's library is not built (set CASSC_LIBDIR)")
    return runner.OnEmulator(exact=request.param == "exact")


def _job(tmp_path: Path, kernel: str, data: bytes) -> dict[str, Any]:
    (tmp_path / "in").write_bytes(data)
    return {
        "cubin": str(CUBIN),
        "kernel": kernel,
        "grid": [2, 1, 1],
        "block": [THREADS // 2, 1, 1],
        "shared": 4 * THREADS,
        "input": str(tmp_path / "in"),
        "output": str(tmp_path / "out"),
        "output_bytes": 4 * THREADS,
    }


def test_a_job_is_done(run: Any, runner: ModuleType, tmp_path: Path) -> None:
    words = np.arange(THREADS, dtype=np.uint32) * 3
    assert runner.answer(run, _job(tmp_path, "doubled", words.tobytes())) == {"ok": True}
    got = np.fromfile(tmp_path / "out", np.uint32)
    assert got.tolist() == (2 * words[np.arange(THREADS) ^ 1]).tolist()


def test_approximations(run: Any, runner: ModuleType, tmp_path: Path) -> None:
    x = np.linspace(-20, 20, THREADS, dtype=np.float32)
    assert runner.answer(run, _job(tmp_path, "exponentials", x.tobytes())) == {"ok": True}
    got = np.fromfile(tmp_path / "out", np.float32)
    assert np.max(np.abs(got / np.exp(x.astype(np.float64)) - 1)) < 3e-7


def test_what_cannot_be_done_is_said(run: Any, runner: ModuleType, tmp_path: Path) -> None:
    missing = runner.answer(run, _job(tmp_path, "absent", bytes(4)))
    assert missing == {"ok": False, "unsupported": "the cubin has no kernel 'absent'"}
    short = runner.answer(run, {**_job(tmp_path, "doubled", bytes(4)), "input": str(tmp_path / "nowhere")})
    assert not short["ok"] and "nowhere" in short["error"]


def test_one_line_for_each_job(tmp_path: Path) -> None:
    job = _job(tmp_path, "doubled", np.arange(THREADS, dtype=np.uint32).tobytes())
    said = subprocess.run(
        [sys.executable, str(FOLDER / "answer_jobs.py"), "--reference"],
        input=json.dumps(job) + "\n" + json.dumps({**job, "kernel": "absent"}) + "\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={"PYTHONPATH": str(FOLDER.parents[1])},
    )
    first, second = map(json.loads, said.stdout.splitlines())
    assert first == {"ok": True}
    assert "absent" in second["unsupported"]

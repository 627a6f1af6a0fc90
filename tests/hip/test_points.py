"""One program for each point where nvcc's C++, or CUDA's library, is not plain HIP. Each checks itself and prints
"done", or what it printed stands beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cassc.hip import tools

pytestmark = pytest.mark.slow
POINTS = Path(__file__).parent / "points"
OPTIONS = {"per_thread_streams": ("-default-stream", "per-thread")}
OF_CCCL = ("cuda_std", "barriers_and_pipelines")
ALGORITHMS = ("thrust_algorithms", "cub_algorithms")
"""By AMD's libraries or NVIDIA's, whichever the source engine finds."""


@pytest.mark.parametrize("name", sorted(path.stem for path in POINTS.glob("*.cu")))
def test_point(name: str, program: Callable[..., str]) -> None:
    if name in OF_CCCL and tools.find_cccl() is None:
        pytest.skip("NVIDIA's CCCL is not installed: pip install nvidia-cuda-cccl")
    if name in ALGORITHMS and tools.find_rocthrust() is None and tools.find_cccl() is None:
        pytest.skip("neither rocThrust nor CCCL is installed: pip install nvidia-cuda-cccl")
    expected = POINTS / f"{name}.out"
    text = (POINTS / f"{name}.cu").read_text()
    printed = program(text, "-arch=sm_80", f"-I{POINTS}", *OPTIONS.get(name, ()))
    assert printed == (expected.read_text() if expected.exists() else "done\n")

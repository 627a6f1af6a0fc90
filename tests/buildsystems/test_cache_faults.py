"""The faults of ``cache_faults.py``, with two files for each."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.buildsystems import cache_faults
from tests.buildsystems.cache_faults import Build


@pytest.mark.slow
@pytest.mark.parametrize("fault", cache_faults.FAULTS, ids=lambda fault: fault.__name__)
def test_fault(
    fault: Callable[[Build], str], environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not on PATH")
    if fault in cache_faults.NEED_MOUNT and not cache_faults.can_mount():
        pytest.skip("there are no mount namespaces here")
    for name in ("PATH", "NVCC_APPEND_FLAGS"):
        monkeypatch.setenv(name, environment[name])
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    fault(Build(tmp_path / "work", tmp_path / "cache", files=2, jobs=2))

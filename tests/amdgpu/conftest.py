"""Tests of the AMDGPU end need an LLVM; those of the emulator, its library."""

from __future__ import annotations

from pathlib import Path

import pytest

from cassc.amdgpu.llvm import Llvm, find_llvm
from cassc.diag import CasscError


@pytest.fixture(scope="session")
def llvm() -> Llvm:
    """An LLVM-C library; the test is skipped where there is none."""
    try:
        found = find_llvm()
    except CasscError as refusal:
        pytest.skip(str(refusal))
    if found.library is None:
        pytest.skip(f"{found.origin} has no LLVM-C library")
    return found


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder that reports of LLVM's failures go to."""
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path

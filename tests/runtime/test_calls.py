"""Error codes of wrong calls, against what the real runtime answered on an NVIDIA GPU."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

PROGRAMS = Path(__file__).parent / "programs"
Execute = Callable[..., "subprocess.CompletedProcess[str]"]


class Builder(Protocol):
    def program(self, *names: str, translated: bool = True) -> Path: ...


@pytest.mark.slow
def test_wrong_calls_give_the_recorded_errors(builder: Builder, execute: Execute) -> None:
    done = execute(builder.program("calls"))
    assert done.stdout.splitlines() == (PROGRAMS / "calls.expected").read_text().splitlines()
    assert done.returncode == 0

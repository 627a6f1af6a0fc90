"""``python -m cassc.driver.power``: planted mistakes in translated kernels, and the share that is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from cassc.amdgpu import emulator
from cassc.driver import power

DATA = Path(__file__).parents[1]
SCALE = DATA / "engines" / "data" / "scale.sm_80.cubin"
GATE = DATA / "verify" / "data" / "gate.sm_80.cubin"

pytestmark = pytest.mark.skipif(emulator.library_path() is None, reason="libcassc_emu.so is not built")


def test_the_page_of_a_small_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    assert power.main(["--machine", "10", "--minimum", "0.98", str(SCALE)]) == 0
    page = capsys.readouterr().out
    assert page.startswith("1 kernel: 1 accepted.")
    assert "| rejected | 10 |" in page and "| missed | 0 |" in page
    assert "| scale | `scale` | accepted |" in page


def test_too_few_that_are_found_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert power.main(["--machine", "5", "--minimum", "1.01", str(SCALE)]) == 1


def test_kernels_are_drawn_by_their_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert power.main(["--every", "1000000", str(SCALE)]) == 0
    assert "| mutants | 0 |" in capsys.readouterr().out


@pytest.mark.slow
def test_of_the_mistakes_in_all_kinds_of_kernels_nearly_all_are_found() -> None:
    scores = power.measure(str(GATE), power.Settings(machine=20, ir=3))
    rejected = sum(score.rejected for score in scores)
    missed = [survivor for score in scores for survivor in score.survivors if survivor.fate == power.MISSED]
    assert rejected > 250
    assert len(missed) <= 0.02 * (rejected + len(missed)), missed

"""Files into which ``cassc run`` writes its reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from cassc.diag import CasscError
from cassc.driver import journal, observed


def test_a_profile_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(CasscError) as failed:
        observed._profile(journal.Journal(()), f"json:{tmp_path / 'absent' / 'profile'}")
    (problem,) = failed.value.diagnostics
    assert problem.id == "run-report" and "No such file" in problem.message

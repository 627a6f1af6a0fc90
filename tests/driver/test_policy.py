"""Policies: which verdicts may ship, and files that are no policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cassc.diag import CasscError
from cassc.driver import policy

ACCEPTED = {"kernel": "_Z5scalePf", "status": "accepted", "launches": 12, "branches": 0.8, "order_dependent": False}
UNVERIFIED = {"kernel": "_Z4waitPi", "status": "unverified", "reason": "no launch could be run"}


def objections(tmp_path: Path, text: str, *verdicts: dict[str, Any], refused: tuple[str, ...] = ()) -> list[str]:
    file = tmp_path / "policy.toml"
    file.write_text(text)
    try:
        policy.read(str(file)).enforce(verdicts, refused)
    except CasscError as problem:
        assert {d.id for d in problem.diagnostics} == {"policy"}
        return [f"{d.location.kernel}: {d.message}" for d in problem.diagnostics]
    return []


def test_an_empty_policy_objects_to_what_is_missing_only(tmp_path: Path) -> None:
    assert objections(tmp_path, "", ACCEPTED, UNVERIFIED) == []
    assert objections(tmp_path, "", refused=("_Z3fooi",)) == ["_Z3fooi: may not ship: it was not translated"]
    assert objections(tmp_path, 'refused = "allow"', refused=("_Z3fooi",)) == []


def test_statuses(tmp_path: Path) -> None:
    (said,) = objections(tmp_path, 'ship = ["accepted"]', ACCEPTED, UNVERIFIED)
    assert said == "_Z4waitPi: may not ship: it is unverified (no launch could be run), and only accepted may ship"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("minimum-launches = 13", "12 launches were compared, 13 are asked for"),
        ("minimum-branches = 0.9", "80% of the ways out of branches were seen, 90% are asked for"),
    ],
)
def test_minima(tmp_path: Path, text: str, why: str) -> None:
    assert objections(tmp_path, text, ACCEPTED) == [f"_Z5scalePf: may not ship: {why}"]


def test_order_dependence(tmp_path: Path) -> None:
    moving = {**ACCEPTED, "order_dependent": True}
    assert objections(tmp_path, "", moving) == []
    assert len(objections(tmp_path, 'order-dependent = "error"', moving)) == 1


def test_kernels_have_rules_of_their_own_by_readable_name(tmp_path: Path) -> None:
    text = 'ship = ["accepted"]\nminimum-launches = 20\n[kernel."wait(int*)"]\nship = ["accepted", "unverified"]\n'
    (said,) = objections(tmp_path, text, ACCEPTED, UNVERIFIED)
    assert said.startswith("_Z5scalePf")


def test_rejected_kernels_never_ship(tmp_path: Path) -> None:
    assert objections(tmp_path, "", {"kernel": "k", "status": "rejected", "reason": "differs"})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("ship = [", ""),
        ('ship = ["rejected"]', "'ship' must be a list of accepted and unverified"),
        ("shipping = 1", "unknown entry 'shipping'"),
        ("minimum-branches = 90", "'minimum-branches' must be a number from 0 to 1"),
        ("minimum-launches = true", "'minimum-launches' must be a number"),
        ("refused = 3", "'refused' must be allow or error"),
        ("kernel = 1", "'kernel' must be a table of tables"),
    ],
)
def test_files_that_are_no_policy(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(text)
    with pytest.raises(CasscError) as caught:
        policy.read(str(file))
    (said,) = caught.value.diagnostics
    assert said.id == "policy-file"
    assert why in said.message


def test_a_file_of_something_else(tmp_path: Path) -> None:
    file = tmp_path / "program"
    file.write_bytes(b"\x7fELF\x02\x01\x01\x00\xd0\xff")
    with pytest.raises(CasscError, match="not a policy: the file is not text"):
        policy.read(str(file))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(CasscError, match="cannot read"):
        policy.read(str(tmp_path / "none.toml"))

"""SARIF: the shape that code scanners read, for diagnostics and for verdicts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cassc import cli, diag
from cassc.diag import CasscError, Diagnostic, Location, Severity
from cassc.driver import sarif

REFUSAL = Diagnostic(
    Severity.ERROR,
    "lift-unsupported",
    "unsupported instruction: textures",
    Location("a.cu", 12, 3, "_Z5scalePf", "sm_80", 0x120, "TEX R0"),
    (diag.note("adding one is one row", Location("b.cu")),),
)


def results(text: str) -> list[dict[str, Any]]:
    log = json.loads(text)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    found: list[dict[str, Any]] = run["results"]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in found)
    return found


def test_a_refusal_names_file_line_kernel_and_instruction() -> None:
    (result,) = results(sarif.render([REFUSAL]))
    (place,) = result["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "a.cu"
    assert place["physicalLocation"]["region"] == {"startLine": 12, "startColumn": 3}
    assert place["logicalLocations"][0]["fullyQualifiedName"] == "_Z5scalePf"
    assert (result["level"], result["ruleId"]) == ("error", "lift-unsupported")
    assert result["properties"] == {"sm": "sm_80", "instruction": "TEX R0", "address": 0x120}
    assert result["relatedLocations"][0]["message"]["text"] == "adding one is one row"


def test_verdicts_that_are_not_accepted_are_results() -> None:
    kernels = [
        {"kernel": "a", "status": "accepted", "reason": ""},
        {"kernel": "b", "status": "unverified", "reason": "it never ends"},
        {"kernel": "c", "status": "rejected", "reason": "differs"},
    ]
    records = [{"sm": "sm_80", "kernels": kernels, "refused": [{"kernel": "d", "reason": "textures"}]}]
    found = results(sarif.render(sarif.of_verdicts("prog", records)))
    said = [(r["ruleId"], r["level"], r["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]) for r in found]
    assert said == [
        ("check-unverified", "warning", "b"),
        ("check-rejected", "error", "c"),
        ("not-translated", "warning", "d"),
    ]


@pytest.mark.parametrize("words", [["--diagnostics-format=sarif"], ["--diagnostics-format", "sarif"]])
def test_errors_of_a_build_are_one_log(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(invocation: object, said: object) -> int:
        raise CasscError(REFUSAL, REFUSAL, status=3)

    monkeypatch.setattr(cli, "_build", fail)
    assert cli.main([*words, "-c", "a.cu"]) == 3
    output = capsys.readouterr()
    assert output.out == ""
    assert len(results(output.err)) == 2


def test_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--diagnostics-format=json", "--no-such-option", "a.cu"]) == 1
    (said,) = json.loads(capsys.readouterr().err)
    assert "--no-such-option" in said["message"]

"""``cassc verify --against``: another translation runs the same launches; and kernels that have no SASS."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cassc.amdgpu import emulator
from cassc.driver import html, report, subcommands
from cassc.engines.cascade import TranslateOptions, translate_module
from cassc.image import bundle, fatbin
from cassc.image.fatbin import EntryKind, FatBinary
from cassc.target import DEFAULT_TARGET, SmArch
from cassc.verify import machine_mutants

CUBIN = Path(__file__).parents[1] / "engines" / "data" / "scale.sm_80.cubin"

pytestmark = pytest.mark.skipif(emulator.library_path() is None, reason="libcassc_emu.so is not built")


@cache
def code() -> bytes:
    made = translate_module(CUBIN.read_bytes(), [DEFAULT_TARGET], TranslateOptions(check_seconds=0))
    return made.code_objects[DEFAULT_TARGET.name]


def built(path: Path, code_object: bytes, engine: str = "lift", *, sass: bool = True) -> Path:
    """A fat binary with one translation, as a build leaves it."""
    data = CUBIN.read_bytes()
    verdict = {
        "kernel": "scale", "target": DEFAULT_TARGET.name, "engine": engine, "status": "unverified", "reason": "not run",
    }  # fmt: skip
    record: dict[str, Any] = {"cassc": "0", "sm": "sm_80", "targets": [DEFAULT_TARGET.name], "kernels": [verdict]}
    if sass:
        record["cubin"] = hashlib.sha256(data).hexdigest()
    arch = SmArch(80)
    entries = [fatbin.make_entry(EntryKind.CUBIN, arch, data)] if sass else []
    entries.append(fatbin.make_entry(EntryKind.CODE_OBJECTS, arch, bundle.pack({DEFAULT_TARGET: code_object})))
    entries.append(fatbin.make_entry(EntryKind.VERDICTS, arch, json.dumps(record).encode()))
    path.write_bytes(fatbin.serialize(FatBinary(tuple(entries))))
    return path


def verify(*words: str) -> tuple[int, dict[str, Any]]:
    lines: list[str] = []
    status = subcommands.run(["verify", "--json", *words], lines.append)
    assert isinstance(status, int)
    (record,) = json.loads("\n".join(lines))
    (kernel,) = record["kernels"]
    return status, kernel


def test_a_translation_that_agrees_is_a_witness(tmp_path: Path) -> None:
    program, other = built(tmp_path / "a", code()), built(tmp_path / "b", code(), "source", sass=False)
    status, kernel = verify("--against", str(other), str(program))
    assert (status, kernel["status"], kernel["dissent"]) == (0, "accepted", {})
    assert kernel["witnesses"] == {"the other translation (engine source)": kernel["launches"]}


def test_one_that_differs_is_named_and_does_not_decide(tmp_path: Path) -> None:
    wrong = next(m for m in machine_mutants.mutants(code(), "scale", DEFAULT_TARGET) if "mul_f32" in m.before)
    other = built(tmp_path / "b", machine_mutants.apply(code(), wrong), "model")
    status, kernel = verify("--against", str(other), str(built(tmp_path / "a", code())))
    assert (status, kernel["status"]) == (0, "accepted")
    assert (
        "as the other translation (engine model) left it" in kernel["dissent"]["the other translation (engine model)"]
    )


def test_kernels_without_sass_are_reported_and_not_checked(tmp_path: Path) -> None:
    program = built(tmp_path / "a", code(), "source", sass=False)
    (kernel,) = report.make(str(program)).kernels
    assert kernel.sass == () and kernel.machine and kernel.facts["VGPRs"]
    assert '"engine":"source"' in html.page(report.make(str(program)))
    lines: list[str] = []
    assert subcommands.run(["inspect", "--details", str(program)], lines.append) == 0
    assert any("s_endpgm" in line for line in lines)

"""Mutants of RDNA3 code: one instruction changed, of the same length, and what a check says of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import disassemble
from cassc.image import cubin as cubins
from cassc.image.cubin import Cubin
from cassc.sass.disasm import SassFunction
from cassc.target import DEFAULT_TARGET
from cassc.verify import machine_mutants
from cassc.verify.panel import Differential, Panel
from cassc.verify.verdict import Status

CUBIN = Path(__file__).parents[1] / "engines" / "data" / "scale.sm_80.cubin"

pytestmark = pytest.mark.skipif(emulator.library_path() is None, reason="libcassc_emu.so is not built")


@cache
def translated() -> tuple[SassFunction, Cubin, bytes]:
    from cassc.engines.cascade import TranslateOptions, translate_module
    from cassc.sass.disasm import disassemble as read

    data = CUBIN.read_bytes()
    cubin = cubins.parse(data)
    made = translate_module(data, [DEFAULT_TARGET], TranslateOptions(check_seconds=0))
    (function,) = read(cubin).functions
    return function, cubin, made.code_objects[DEFAULT_TARGET.name]


def test_a_mutant_differs_in_one_instruction() -> None:
    _, _, code = translated()
    found = machine_mutants.mutants(code, "scale", DEFAULT_TARGET)
    assert {m.kind for m in found} >= {"dropped", "operation", "register", "number"}
    before = {line.address: line.text for line in disassemble(code)}
    for mutant in found[:40]:
        after = {line.address: line.text for line in disassemble(machine_mutants.apply(code, mutant))}
        changed = {address for address in before if after.get(address) != before[address]}
        assert changed == {mutant.address}
        assert before[mutant.address] == mutant.before


def test_nearly_all_are_rejected_and_the_others_compute_the_same() -> None:
    function, cubin, code = translated()
    with Panel(function, cubin, code, DEFAULT_TARGET, seconds=1.5) as panel:
        assert panel.verdict.status is Status.ACCEPTED
        mutants = machine_mutants.mutants(code, "scale", DEFAULT_TARGET)
        survivors = [m for m in mutants if panel.judge(machine_mutants.apply(code, m)).status is not Status.REJECTED]
    assert len(survivors) < 0.2 * len(mutants)
    with Differential(function, cubin, code, DEFAULT_TARGET, launches=60) as differential:
        missed = [m for m in survivors if differential.tells(machine_mutants.apply(code, m))]
        assert differential.launches >= 60
        assert differential.tells(machine_mutants.apply(code, next(m for m in mutants if m not in survivors)))
    assert [f"{m.before} -> {m.after}" for m in missed] == []


def test_an_instruction_that_traps_shows_whether_it_is_reached() -> None:
    function, cubin, code = translated()
    first = machine_mutants.mutants(code, "scale", DEFAULT_TARGET)[0]
    with Panel(function, cubin, code, DEFAULT_TARGET, seconds=1.5) as panel:
        verdict = panel.judge(machine_mutants.apply(code, machine_mutants.trapping(first)))
    assert verdict.status is Status.REJECTED

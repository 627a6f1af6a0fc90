"""The teacher's lines for single instructions, and whole kernels of it before the checker."""

from __future__ import annotations

from pathlib import Path

import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble
from cassc.image import cubin as cubin_image
from cassc.lift.globals import module_globals
from cassc.lift.module import link_text
from cassc.model.finish import Answer, finish
from cassc.model.generate import prepare
from cassc.model.operations import Form
from cassc.model.train.data import lesson
from cassc.model.train.node import Untaught
from cassc.sass import cfg
from cassc.sass.disasm import disassemble
from cassc.target import DEFAULT_TARGET
from cassc.verify.check import Checker
from cassc.verify.verdict import Status

TESTS = Path(__file__).parents[1]
FORMS = Path(__file__).with_name("data") / "forms.sm_80.cubin"
SCALE = TESTS / "engines" / "data" / "scale.sm_80.cubin"
KERNELS = TESTS / "sass" / "data" / "kernels.sm_80.cubin"
emulated = pytest.mark.skipif(emulator.library_path() is None, reason="libcassc_emu.so is not built")


def lines_of(path: Path) -> dict[str, list[str]]:
    """SASS tokens -> lines, of every instruction of a file's kernels."""
    cubin = cubin_image.parse(path.read_bytes())
    found = {}
    for function in disassemble(cubin).functions:
        source, groups = lesson(function, cfg.build(function))
        for tokens, group in zip(source.tokens, groups, strict=True):
            found[" ".join(tokens)] = [str(line) for line in group.lines]
    return found


def test_instructions_are_selected_not_copied() -> None:
    lines = [line for group in lines_of(SCALE).values() for line in group]
    names = {line.split()[0] for line in lines}
    assert "s_endpgm" in names
    assert any(name.startswith("global_load") for name in names)
    assert names & {"v_mad_i64_i32", "v_mad_u64_u32"}


def test_large_numbers_stay_behind_slots() -> None:
    for source, lines in lines_of(SCALE).items():
        for token in source.split():
            assert not token.startswith("0x")
        assert not any("0x" in line for line in lines)


def test_every_form_has_its_operation() -> None:
    names = {line.split()[0] for lines in lines_of(FORMS).values() for line in lines}
    assert {"s_switch", "mma_16816.F32", "global_load_where_b32", "barrier_part", "call_external"} <= names
    assert "const_load_i16" in names


def test_which_barrier_it_is_and_what_never_runs_is_not_read() -> None:
    cubin = cubin_image.parse(KERNELS.read_bytes())
    tokens = {t for f in disassemble(cubin).functions for row in prepare(f, cubin).source.tokens for t in row}
    assert "B" in tokens and not tokens & {f"B{k}" for k in range(16)}
    assert "@!PT" not in tokens


def test_a_table_of_jumps_goes_around_the_model() -> None:
    cubin = cubin_image.parse(FORMS.read_bytes())
    function = next(f for f in disassemble(cubin).functions if f.name == "states")
    slots = [slots for slots in prepare(function, cubin).source.slots if slots.table]
    assert slots and max(len(s.table) for s in slots) >= 3
    count = len(prepare(function, cubin).source.addresses)
    assert all(0 < place < count for s in slots for _, place in s.table)


@emulated
@pytest.mark.parametrize("form", list(Form))
@pytest.mark.parametrize("path", [SCALE, KERNELS, FORMS], ids=lambda path: path.stem)
def test_what_the_teacher_says_is_right(path: Path, form: Form) -> None:
    cubin = cubin_image.parse(path.read_bytes())
    tried = 0
    for function in disassemble(cubin).functions[:5]:
        task = prepare(function, cubin)
        try:
            source, groups = lesson(function, cfg.build(function))
        except Untaught:
            continue
        tried += 1
        lifted = finish(Answer(groups, source.slots, task.adjacent), task.abi, cubin, form)
        text = link_text([lifted], DEFAULT_TARGET, module_globals(cubin).definitions)
        with Checker(cubin, assemble(text, DEFAULT_TARGET), DEFAULT_TARGET) as checker:
            verdict = checker.check(function, "model", seconds=0.5)
        assert verdict.status is not Status.REJECTED, verdict.reason
    assert tried

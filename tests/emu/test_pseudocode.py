"""Every ALU row of the emulator's tables against the pseudocode of AMD's manuals, interpreted by pseudocode.py.

The rows are read from shims/emu/isa. A row is compared, or it is in one of the tables below with the reason: nothing
drops out in silence.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.emu.conftest import Machine
from tests.emu.pseudocode_scalar import compare_scalar, scalar_rows
from tests.emu.pseudocode_vector import ISA, Row, comparable, compare, pseudocode, rows

# The manual's text is not the hardware's arithmetic, or says it in other words; the tests named have the row.
ELSEWHERE = {
    "v_perm_b32": "the text has a function over an array of bytes; test_integer",
    "v_cvt_off_f32_i4": "the text looks into a table that it does not hold; test_rows",
    "v_trig_preop_f64": "the text says 2 / pi and not its 1201 bits; test_rows",
    "v_dot2_f32_bf16": "the text names a type that has no conversion; test_rows",
    "v_dot2_bf16_bf16": "the text names a type that has no conversion; test_rows",
}
# Where emulator and pseudocode differ, and why the emulator is kept.
DIFFERENT = {
    "v_div_scale_f32": "the text leaves the destination unset where nothing is scaled; test_rows divides",
    "v_div_scale_f64": "the text leaves the destination unset where nothing is scaled; test_rows divides",
    "v_div_fmas_f32": "the text rounds twice where the result is a denormal; test_rows divides",
    "v_div_fmas_f64": "the text rounds twice where the result is a denormal; test_rows divides",
    "v_div_fixup_f32": "the text says OVERFLOW and UNDERFLOW without a value; test_rows divides",
    "v_div_fixup_f64": "the text says OVERFLOW and UNDERFLOW without a value; test_rows divides",
    "v_sin_f32": "the text rounds the product with 2 pi, the emulator takes turns as they are",
    "v_cos_f32": "the text rounds the product with 2 pi, the emulator takes turns as they are",
    "v_sin_f16": "the text rounds the product with 2 pi, the emulator takes turns as they are",
    "v_cos_f16": "the text rounds the product with 2 pi, the emulator takes turns as they are",
    "v_fract_f16": "the text may round to 1, the emulator stays below; test_rows",
    "v_fract_f32": "the text may round to 1, the emulator stays below; test_rows",
    "v_fract_f64": "the text may round to 1, the emulator stays below; test_rows",
    "v_rndne_f16": "the text adds a half, which rounds large values once more; test_rows",
    "v_div_fixup_f16": "the text says OVERFLOW and UNDERFLOW without a value; test_rows divides",
    "v_dot2_f16_f16": "the text rounds each product, the emulator fuses products and sums",
}
SCALAR_ELSEWHERE = {"s_rndne_f16": "the text adds a half, which rounds large values once more; test_rows"}


@pytest.mark.slow
def test_scalar_rows_agree_with_the_manual(other_machine: Callable[[str], Machine]) -> None:
    texts = pseudocode("rdna3", "SOP")
    chosen = [row for row in scalar_rows() if row.name not in SCALAR_ELSEWHERE]
    assert not [row.name for row in chosen if row.name not in texts]
    wrong = compare_scalar(other_machine("gfx1150"), chosen, texts)
    assert not wrong, "\n".join(wrong)


def chosen_rows(texts: dict[str, str]) -> list[Row]:
    skipped = ELSEWHERE.keys() | DIFFERENT.keys()
    return [row for row in rows() if comparable(row) and row.name not in skipped and row.name in texts]


@pytest.mark.slow
def test_rows_agree_with_the_manual(machine: Machine) -> None:
    texts = pseudocode("rdna3")
    wrong, unknown = compare(machine, chosen_rows(texts), texts)
    assert not wrong and not unknown, "\n".join([*wrong, *(f"{name}: {why}" for name, why in unknown.items())])


def test_every_row_is_compared_or_tested_by_name() -> None:
    """Also those with handlers of their own, and the scalar ones."""
    compared = {row.name for row in chosen_rows(pseudocode("rdna3"))}
    compared |= {row.name for row in scalar_rows()} - SCALAR_ELSEWHERE.keys()
    folder = Path(__file__).parent
    text = "\n".join(path.read_text() for path in folder.glob("test_*.py") if path.name != Path(__file__).name)
    named = set(re.findall(r"\b[sv]_\w+", text))
    every: set[str] = {row.name for row in rows()}
    for file in ("sop1", "sop2", "sopc", "sopk", "vop1", "vop2", "vop3", "vop3p"):
        every |= set(re.findall(r"^\w+\(0x[0-9a-f]+, ([sv]_\w+)", (ISA / f"{file}.def").read_text(), re.M))
    untested = sorted(name for name in every - compared if name not in named)
    assert not untested, untested
    assert not set(DIFFERENT) & compared

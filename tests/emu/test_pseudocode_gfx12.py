"""Every ALU row of gfx12, which are gfx11's and those of gfx12.def, against the pseudocode of RDNA4's manual."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.emulator import Kernel
from cassc.diag import CasscError
from cassc.target import Target
from tests.emu.conftest import Frame, Machine, kernel_text
from tests.emu.pseudocode_scalar import compare_scalar, scalar_rows
from tests.emu.pseudocode_vector import ISA, Row, comparable, compare, pseudocode, rows
from tests.emu.test_pseudocode import DIFFERENT, ELSEWHERE, SCALAR_ELSEWHERE

GFX1200 = Target("gfx1200", 0x48)
TABLE = (ISA / "gfx12.def").read_text()
MEANING = (ISA.parent / "gfx12.cpp").read_text()
# Where emulator and pseudocode differ, and why the emulator is kept.
DIFFERENT12 = {
    "v_cvt_sr_fp8_f32": "the text's mantissa does not carry into the exponent, which would halve values; test_gfx12",
    "v_cvt_sr_bf8_f32": "the text's mantissa does not carry into the exponent, which would halve values; test_gfx12",
}
# gfx11's row, which the assembler at hand does not take for gfx12.
NOT_ASSEMBLED = ("v_mov_b16",)
_OPS = {"vop1": ("vop3", 0x180), "vop2": ("vop3", 0x100), "vopc": ("vop3", 0)}
"""Where a format's numbers begin in the numbers of another."""
_ALWAYS = re.compile(r"v_cmp_(f|t|tru)_")


def rows12() -> list[Row]:
    """gfx12's vector rows."""
    old: dict[tuple[str, int], Row] = {}
    for row in rows():
        table, base = _OPS.get(row.format, (row.format, 0))
        old[table, base + row.number] = row
    made = {place: row for place, row in old.items() if not _ALWAYS.match(row.name)}
    for table, number in re.findall(r"GONE\((vop3p?), (0x\w+)\)", TABLE):
        made.pop((table, int(number, 16)), None)
    for table, number, before, name in re.findall(r"MOVED\((vop3p?), (0x\w+), (0x\w+), (\w+)\)", TABLE):
        if (table, int(before, 16)) in old:
            made[table, int(number, 16)] = replace(old[table, int(before, 16)], name=name)
    for match in re.finditer(r"(VECTOR|PACKED)\((0x\w+), (\w+), (\w+), (\w+), (\w+), (\w+), ([\w |]+),", TABLE):
        kind, number, name, d, a, b, c, flags = match.groups()
        table = "vop3" if kind == "VECTOR" else "vop3p"
        # What SEL chooses in dot products of small floats are signs of the addend, which are left alone.
        flags = "0" if name.startswith("v_dot4_f32_") else flags
        made[table, int(number, 16)] = Row(table, name, (d, a, b, c), flags, int(number, 16))
    return list(made.values())


def scalar_rows12() -> Iterator[Row]:
    """gfx12's scalar rows, and the vector instructions on scalar registers."""
    renamed = {
        (table, int(before, 16)): name
        for table, before, name in re.findall(r"MOVED\((sop[2k]), 0x\w+, (0x\w+), (\w+)\)", TABLE)
    }
    gone = {(table, int(number, 16)) for table, number in re.findall(r"GONE\((sop\w+), (0x\w+)\)", TABLE)}
    for row in scalar_rows():
        place = row.format.lower(), row.number
        if place not in gone:
            yield replace(row, name=renamed.get(place, row.name))
    for name, types in re.findall(r't\.sop2\[\w+\] = \{"(s_\w+)", &\S+, ((?:Type::\w+, )+)', MEANING):
        d, a, b = re.findall(r"Type::(\w+)", types)
        yield Row("SOP2", name, (d, a, b, "none"), "")
    for name in re.findall(r"UNIFORM\(0x\w+, (\w+),", TABLE):
        kind = name.rsplit("_", 1)[1]
        yield Row("UNIFORM", name, (kind, kind, "none", "none"), "TR")


FRAME = Frame()


class Machine12(Machine):
    """Kernels in gfx11's frame and waits on an emulated gfx1200."""

    def __init__(self) -> None:
        super().__init__(GFX1200)

    def build(self, body: str, frame: Frame = FRAME) -> Kernel:
        body = "s_mov_b32 s2, ttmp9\n" + body.replace("s_waitcnt lgkmcnt(0)", "s_wait_kmcnt 0")
        text = kernel_text(body.replace("s_waitcnt vmcnt(0)", "s_wait_loadcnt 0"), frame).replace("gfx1100", "gfx1200")
        return self.load(re.sub(r"\.amdhsa_(ieee_mode|dx10_clamp) \d\n", "", text))


@pytest.fixture(scope="module")
def machine12() -> Iterator[Machine12]:
    if emulator.library_path() is None:
        pytest.skip("libcassc_emu.so is not built")
    made = Machine12()
    try:
        made.build("s_nop 0")
    except CasscError as refusal:
        pytest.skip(str(refusal))
    yield made
    made.emulator.close()


def chosen_rows() -> list[Row]:
    skipped = {*ELSEWHERE, *DIFFERENT, *DIFFERENT12, *NOT_ASSEMBLED}
    return [row for row in rows12() if comparable(row) and row.name not in skipped]


@pytest.mark.slow
def test_rows_agree_with_the_manual_of_gfx12(machine12: Machine12) -> None:
    texts = pseudocode("rdna4")
    chosen = chosen_rows()
    assert not [row.name for row in chosen if row.name not in texts]
    wrong, unknown = compare(machine12, chosen, texts)
    assert not wrong and not unknown, "\n".join([*wrong, *(f"{name}: {why}" for name, why in unknown.items())])


@pytest.mark.slow
def test_scalar_rows_agree_with_the_manual_of_gfx12(machine12: Machine12) -> None:
    texts = pseudocode("rdna4", "SOP") | pseudocode("rdna4")
    chosen = [row for row in scalar_rows12() if row.name not in SCALAR_ELSEWHERE.keys() | DIFFERENT12.keys()]
    assert not [row.name for row in chosen if row.name not in texts]
    wrong = compare_scalar(machine12, chosen, texts)
    assert not wrong, "\n".join(wrong)


def test_no_row_of_gfx12_is_missed() -> None:
    """Each new row of gfx12.def is among those that are compared."""
    compared = {row.name for row in [*rows12(), *scalar_rows12()]}
    new = set(re.findall(r"(?:VECTOR|PACKED|UNIFORM)\(0x\w+, (\w+)", TABLE))
    assert new <= compared
    assert not [name for name in {*DIFFERENT12, *NOT_ASSEMBLED} if name not in compared]

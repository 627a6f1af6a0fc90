"""The emulator's vector rows, read from shims/emu/isa, run on values and compared with the manual's pseudocode."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cassc.diag import CasscError
from tests.emu.conftest import Frame, Machine
from tests.emu.pseudocode import Program
from tests.emu.pseudocode_values import Unknown, Value, u

ISA = Path(__file__).parents[2] / "shims" / "emu" / "isa"

# The text's zero has no sign where IEEE's has one.
DENORMALS_ARE_ZERO = (
    *("v_exp_f32", "v_log_f32", "v_rcp_f32", "v_rcp_iflag_f32", "v_rsq_f32", "v_sqrt_f32"),
    *("v_s_exp_f32", "v_s_log_f32", "v_s_rcp_f32", "v_s_rsq_f32", "v_s_sqrt_f32"),
)
UNSIGNED_ZERO = ("v_rndne_f32", "v_rndne_f64", "s_rndne_f32", "s_rndne_f16")
_ROW = re.compile(r"^(VOP[123][SX]?|VOPC|VOP3P[SX]?)\((0x[0-9a-f]+), (\w+), (.*)", re.M)


@dataclass(frozen=True)
class Row:
    format: str
    name: str
    types: tuple[str, str, str, str]  # D, A, B, C
    flags: str
    number: int = 0
    """Of the operation in its format."""


def rows() -> Iterator[Row]:
    """All rows that are functions of lanes."""
    for file in ("vop1", "vop2", "vop3", "vop3p", "vopc"):
        for match in _ROW.finditer((ISA / f"{file}.def").read_text()):
            kind, number, name, rest = match.groups()
            n = int(number, 16)
            if kind.endswith("X"):
                continue  # not a function of one lane
            parts = [part.strip() for part in rest.split(",")]
            if kind == "VOP1":
                yield Row("vop1", name, (parts[0], parts[1], "none", "none"), parts[2], n)
            elif kind == "VOPC":
                yield Row("vopc", f"v_cmp_{name}", ("none", parts[0], parts[1], "none"), "CMP", n)
            else:
                yield Row(file, name, (parts[0], parts[1], parts[2], parts[3]), parts[4], n)


def pseudocode(generation: str, formats: str = "VOP") -> dict[str, str]:
    module = pytest.importorskip(
        f"tinygrad.runtime.autogen.amd.{generation}.str_pcode", reason="tinygrad holds the pseudocode"
    )
    found: dict[str, str] = {}
    for key, text in module.PCODE.items():
        if type(key).__name__.startswith(formats):
            found.setdefault(re.sub(r"_e(32|64)$", "", key.name.lower()), text)
    return found


_SPECIAL: dict[int, list[int]] = {
    16: [0, 0x8000, 1, 0x8001, 0x3FF, 0x400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0x7D01, 0x3C00, 0xBC00, 0x3800],
    32: [0, 1 << 31, 1, 0x80000001, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000,
         0x7FA00001, 0x3F800000, 0xBF800000, 0x3F000000, 0x40490FDB, 0x4F000000, 0xCF000000, 0xFFFFFFFF, 0x7FFFFFFF],
    64: [0, 1 << 63, 1, 0x000FFFFFFFFFFFFF, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000,
         0x7FF8000000000000, 0x7FF4000000000001, 0x3FF0000000000000, 0xBFE0000000000000,
         0x41DFFFFFFFC00000, 0xFFFFFFFFFFFFFFFF],
}  # fmt: skip
LANES = 64


def width(kind: str) -> int:
    return 64 if kind in ("b64", "s64", "f64") else 16 if kind in ("b16", "s16", "f16") else 32


def values(rng: np.random.Generator, kind: str) -> list[int]:
    """Half special, half ordinary values of an operand type."""
    bits = width(kind)
    special = _SPECIAL[bits]
    picked = [special[n] for n in rng.integers(0, len(special), LANES // 2)]
    if kind.startswith("f"):
        numbers = rng.normal(0, 1, LANES // 2) * 10.0 ** rng.integers(-3, 5, LANES // 2)
        floats: Any = {16: np.float16, 32: np.float32, 64: np.float64}[bits]
        ordinary = [int(x) for x in numbers.astype(floats).view({16: np.uint16, 32: np.uint32, 64: np.uint64}[bits])]
    elif kind == "pkf16":
        halves = rng.normal(0, 3, (2, LANES // 2)).astype(np.float16).view(np.uint16).astype(np.uint32)
        ordinary = [int(x) for x in halves[0] | halves[1] << 16]
    else:
        ordinary = [
            int.from_bytes(rng.bytes(bits // 8), "little") >> int(rng.integers(0, bits)) for _ in range(LANES // 2)
        ]
    mixed = picked + ordinary
    return [mixed[n] for n in rng.permutation(LANES)]


def text_of(row: Row, output: int, *, halves: bool, suffix: bool) -> str:
    """One instruction: sources from v10, v12, v14, the destination at v[output], a mask as 0 or 1 at v[output+2].

    halves, suffix: 16-bit operands written as ``v10.l``, and the 64-bit form asked for; the assembler wants either.
    """
    flags = row.flags.split(" | ")

    def register(kind: str, at: int) -> str:
        half = ".l" if halves and width(kind) == 16 else ""
        return f"v[{at}:{at + 1}]" if width(kind) == 64 else f"v{at}{half}"

    d, *sources = row.types
    operands = [register(kind, 10 + 2 * n) for n, kind in enumerate(sources) if kind != "none"]
    if "ACC" in flags:
        operands.pop()
    shown = f"\nv_cndmask_b32 v{output + 2}, 0, 1, s8"
    if row.format == "vopc":
        return f"{row.name}{'_e64' if suffix else ''} s8, {', '.join(operands)}{shown}"
    masked = "SD" in flags or "CO" in flags
    if masked:
        operands.insert(0, "s8")
    if "CI" in flags and "VCCIN" not in flags:
        operands.append("s7")
    return f"{row.name}{'_e64' if suffix else ''} {register(d, output)}, {', '.join(operands)}{shown if masked else ''}"


def assembled(machine: Machine, batch: Sequence[Row]) -> list[str]:
    """The rows' instructions in the spelling that the assembler takes."""
    texts = []
    for n, row in enumerate(batch):
        for halves in (False, True):
            for suffix in (True, False):
                text = text_of(row, 40 + 3 * n, halves=halves, suffix=suffix)
                try:
                    machine.build(text, Frame(vgprs=96))
                except CasscError:
                    continue
                break
            else:
                continue
            break
        else:
            raise AssertionError(f"the assembler does not take {row.name}")
        texts.append(text)
    return texts


def expected(program: Program, row: Row, sources: Sequence[int], old: int, carry: int, lane: int) -> tuple[int, int]:
    flags = row.flags.split(" | ")
    sources = list(sources)
    if "ACC" in flags:
        old = sources[-1]
    if row.name in DENORMALS_ARE_ZERO and sources[0] & 0x7F800000 == 0:
        sources[0] &= 0x80000000  # the unit for these functions takes denormals for zero
    state: dict[str, Value] = {
        "D0": u(64, old), "D1": u(64, 0), "VCC": u(64, carry << lane), "EXEC": u(64, 0xFFFFFFFF), "SCC": u(1, 0),
        "laneId": u(32, lane), "WAVE_MODE": u(32, 0), "WAVE64": u(1, 0), "WAVE32": u(1, 1), "ROUND_MODE": u(2, 0),
        "ROUND_NEAREST_EVEN": u(2, 0), "OPSEL": u(4, 0), "ROUND_TOWARD_ZERO": u(2, 3), "TRAPSTS": u(32, 0),
    }  # fmt: skip
    for n, raw in enumerate(sources):
        state[f"S{n}"] = u(64 if row.types[1 + n] in ("b64", "s64", "f64") else 32, raw)
    if "CI" in row.flags.split(" | "):
        state["VCC"] = u(64, carry << lane)
    program.run(state)
    if row.name.startswith("v_frexp_exp") and sources[0] & ((1 << (width(row.types[1]) - 1)) - 1) == 0:
        return state["D0"].raw & ~((1 << width(row.types[0])) - 1), 0  # the text has no case for zero
    if "SDST" not in flags and "D1" in program.tokens:
        return state["D0"].raw, state["D1"].raw & 1
    mask = state["D0"] if row.format == "vopc" else state["VCC"]
    return state["D0"].raw, mask.raw >> lane & 1


def is_nan(kind: str, raw: int) -> bool:
    exponent, fraction = {16: (0x7C00, 0x3FF), 32: (0x7F800000, 0x7FFFFF), 64: (0x7FF << 52, (1 << 52) - 1)}[
        width(kind)
    ]
    return raw & exponent == exponent and raw & fraction != 0


def same(row: Row, mine: int, theirs: int) -> bool:
    kind = row.types[0]
    bits = width(kind)
    mine, theirs = mine & ((1 << bits) - 1), theirs & ((1 << bits) - 1)
    if mine == theirs:
        return True
    if row.name.startswith("v_cvt_pk_f32_"):
        parts = [(mine >> shift & 0xFFFFFFFF, theirs >> shift & 0xFFFFFFFF) for shift in (0, 32)]
        return all(p == q or (is_nan("f32", p) and is_nan("f32", q)) for p, q in parts)
    if kind == "pkf16" or row.name == "s_cvt_pk_rtz_f16_f32":
        pairs = [(mine >> s & 0xFFFF, theirs >> s & 0xFFFF) for s in (0, 16)]
        return all(p == q or (is_nan("f16", p) and is_nan("f16", q)) for p, q in pairs)
    if not kind.startswith("f"):
        return False
    if is_nan(kind, mine) and is_nan(kind, theirs):
        return True
    if row.name in UNSIGNED_ZERO and not (mine | theirs) & ((1 << (bits - 1)) - 1):
        return True
    # What hardware is only bounded for: within two of the last place, and denormal results may be zero.
    if "TR" in row.flags or {"exp", "log", "rcp", "rsq", "sqrt", "sin", "cos"} & set(row.name.split("_")[1:3]):
        floats: Any = {16: np.float16, 32: np.float32, 64: np.float64}[bits]
        views: Any = {16: np.uint16, 32: np.uint32, 64: np.uint64}[bits]
        a, b = (float(views(x).view(floats)) for x in (mine, theirs))
        least = float(np.finfo(floats).tiny)
        close = abs(a - b) <= 2 * float(np.finfo(floats).eps) * max(abs(a), abs(b))
        return (
            close
            or (abs(a) <= least and abs(b) <= least)
            or (row.name.split("_")[1] in ("sin", "cos") and abs(a - b) < 2e-3 * max(1, least))
        )
    return False


def compare(machine: Machine, chosen: Sequence[Row], texts: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """Runs the rows, twenty in a kernel. What differs, and the rows that the pseudocode's interpreter does not know."""
    rng = np.random.default_rng(2)
    wrong: list[str] = []
    unknown: dict[str, str] = {}
    by_types: dict[tuple[str, ...], list[Row]] = {}
    for row in chosen:
        by_types.setdefault(row.types[1:], []).append(row)
    for types, group in by_types.items():
        data = [values(rng, kind) if kind != "none" else [0] * LANES for kind in types]
        old = [int(x) for x in rng.integers(0, 1 << 63, LANES)]
        carry = [int(x) for x in rng.integers(0, 2, LANES)]
        inputs = []
        for column in (*data, old):
            inputs += [
                np.array([x & 0xFFFFFFFF for x in column], np.uint32),
                np.array([x >> 32 for x in column], np.uint32),
            ]
        inputs.append(np.array(carry, np.uint32))
        for start in range(0, len(group), 16):
            batch = group[start : start + 16]
            body = ["v_cmp_ne_u32 vcc_lo, 0, v18", "s_mov_b32 s7, vcc_lo"]
            for n, (row, text) in enumerate(zip(batch, assembled(machine, batch), strict=True)):
                at = 40 + 3 * n
                accumulates = "ACC" in row.flags
                body.append(
                    f"v_mov_b32 v{at}, v{14 if accumulates else 16}\nv_mov_b32 v{at + 1}, v{15 if accumulates else 17}"
                )
                body.append("s_mov_b32 vcc_lo, s7")
                body.append(text)
            got = machine.lanes("\n".join(body), inputs, 3 * len(batch), frame=Frame(vgprs=96, ieee=1))
            for n, row in enumerate(batch):
                program = Program(texts[row.name], texts)
                for lane in range(LANES):
                    sources = [column[lane] for column, kind in zip(data, types, strict=True) if kind != "none"]
                    try:
                        value, mask = expected(program, row, sources, old[lane], carry[lane], lane % 32)
                    except Unknown as why:
                        unknown[row.name] = str(why)
                        break
                    mine = int(got[3 * n][lane]) | int(got[3 * n + 1][lane]) << 32
                    masked = row.format == "vopc" or "CO" in row.flags.split(" | ")
                    if (row.format != "vopc" and not same(row, mine, value)) or (
                        masked and int(got[3 * n + 2][lane]) != mask
                    ):
                        shown = ", ".join(f"{x:#x}" for x in sources)
                        wrong.append(
                            f"{row.name}({shown}; {old[lane]:#x}) = {mine:#x} mask {got[3 * n + 2][lane]}, "
                            f"manual {value:#x} mask {mask}"
                        )
                        break
    return wrong, unknown


# Rows that are no function of one lane's registers alone, or have no form with registers only; other tests name them.
def comparable(row: Row) -> bool:
    return not {"E32", "AK", "MK", "MIX", "SEL"} & set(row.flags.split(" | "))

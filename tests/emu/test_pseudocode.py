"""Every ALU row of the emulator's tables against the pseudocode of AMD's manuals, interpreted by pseudocode.py.

The rows are read from shims/emu/isa. A row is compared, or it is in one of the tables below with the reason: nothing
drops out in silence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cassc.diag import CasscError
from tests.emu.conftest import Frame, Machine
from tests.emu.pseudocode import Program, Unknown, Value, u

ISA = Path(__file__).parents[2] / "shims" / "emu" / "isa"

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
# The text's zero has no sign where IEEE's has one.
DENORMALS_ARE_ZERO = ("v_exp_f32", "v_log_f32", "v_rcp_f32", "v_rcp_iflag_f32", "v_rsq_f32", "v_sqrt_f32")
UNSIGNED_ZERO = ("v_rndne_f32", "v_rndne_f64", "s_rndne_f32", "s_rndne_f16")
SCALAR_ELSEWHERE = {"s_rndne_f16": "the text adds a half, which rounds large values once more; test_rows"}
_ROW = re.compile(r"^(VOP[123][SX]?|VOPC|VOP3P[SX]?)\((0x[0-9a-f]+), (\w+), (.*)", re.M)


@dataclass(frozen=True)
class Row:
    format: str
    name: str
    types: tuple[str, str, str, str]  # D, A, B, C
    flags: str


def rows() -> Iterator[Row]:
    """All rows that are functions of lanes."""
    for file in ("vop1", "vop2", "vop3", "vop3p", "vopc"):
        for match in _ROW.finditer((ISA / f"{file}.def").read_text()):
            kind, _, name, rest = match.groups()
            if kind.endswith("X"):
                continue  # not a function of one lane
            parts = [part.strip() for part in rest.split(",")]
            if kind == "VOP1":
                yield Row("vop1", name, (parts[0], parts[1], "none", "none"), parts[2])
            elif kind == "VOPC":
                yield Row("vopc", f"v_cmp_{name}", ("none", parts[0], parts[1], "none"), "CMP")
            else:
                yield Row(file, name, (parts[0], parts[1], parts[2], parts[3]), parts[4])


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
    if "TR" in row.flags or row.name.split("_")[1] in ("exp", "log", "rcp", "rsq", "sqrt", "sin", "cos"):
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


# --- scalar instructions: one workgroup for each set of values. S0 is in s[20:21], S1 in s[22:23], the old destination
# in s[24:25], SCC in s26; EXEC is S1 before the instructions that change it.
SIMM16, SIMM32 = 0x8F31, 0xC0490FDB
_SCALAR = re.compile(r"^(SOP[12CK]E?)\((0x[0-9a-f]+), (s_\w+), (.*)", re.M)


def scalar_rows() -> Iterator[Row]:
    for file in ("sop1", "sop2", "sopc", "sopk"):
        for match in _SCALAR.finditer((ISA / f"{file}.def").read_text()):
            kind, _, name, rest = match.groups()
            parts = [part.strip() for part in rest.split(",")]
            none = "none"
            if kind == "SOP2":
                yield Row(kind, name, (parts[0], parts[1], parts[2], none), parts[3])
            elif kind == "SOPC":
                yield Row(kind, name, (none, parts[0], parts[1], none), "")
            elif kind == "SOPK":
                yield Row(kind, name, ("b32", none, none, none), "")
            else:
                yield Row(kind, name, (parts[0], parts[0] if kind == "SOP1E" else parts[1], none, none), "")


def scalar_text(row: Row) -> str:
    def register(kind: str, at: int) -> str:
        return f"s[{at}:{at + 1}]" if width(kind) == 64 else f"s{at}"

    if row.format == "SOPK":
        return f"{row.name} s30, {SIMM16:#x}"
    operands = [register(kind, 20 + 2 * n) for n, kind in enumerate(row.types[1:]) if kind != "none"]
    if row.flags == "AK":
        operands.append(f"{SIMM32:#x}")
    if row.flags == "MK":
        operands.insert(1, f"{SIMM32:#x}")
    if row.types[0] != "none":
        operands.insert(0, register(row.types[0], 30))
    return f"{row.name} {', '.join(operands)}"


def scalar_expected(program: Program, row: Row, table: Sequence[int]) -> tuple[int, int, int]:
    first, second, old, carry = table
    known = {"S0": old if row.format == "SOPK" else first, "S1": second, "D0": old, "EXEC": second}
    state = {name: u(64, raw) for name, raw in known.items()}
    for n, kind in ((0, row.types[1]), (1, row.types[2])):
        if kind != "none" and width(kind) != 64:
            state[f"S{n}"] = u(32, state[f"S{n}"].raw)
    state |= {
        "SCC": u(1, carry),
        "SIMM16": u(16, SIMM16),
        "SIMM32": u(32, SIMM32),
        "TRAPSTS": u(32, 0),
        "ROUND_MODE": u(2, 0),
    }
    state |= {"ROUND_TOWARD_ZERO": u(2, 3), "WAVE_MODE": u(32, 0), "S2": u(64, old)}
    program.run(state)
    return state["D0"].raw, state["SCC"].raw & 1, state["EXEC"].raw


@pytest.mark.slow
def test_scalar_rows_agree_with_the_manual(other_machine: Callable[[str], Machine]) -> None:
    texts = pseudocode("rdna3", "SOP")
    machine = other_machine("gfx1150")
    chosen = [row for row in scalar_rows() if row.name not in SCALAR_ELSEWHERE]
    assert not [row.name for row in chosen if row.name not in texts]
    rng = np.random.default_rng(3)
    wrong: list[str] = []
    by_types: dict[tuple[str, ...], list[Row]] = {}
    for row in chosen:
        by_types.setdefault(row.types[1:3], []).append(row)
    for types, group in by_types.items():
        kinds = [kind if kind != "none" else "b64" for kind in types]
        table = [
            [*pair, int.from_bytes(rng.bytes(8), "little"), int(rng.integers(2))]
            for pair in zip(*(values(rng, k) for k in kinds), strict=True)
        ]
        words = np.array(
            [[w for x in entry[:3] for w in (x & 0xFFFFFFFF, x >> 32)] + [entry[3], 0] for entry in table], np.uint32
        )
        for start in range(0, len(group), 12):
            batch = group[start : start + 12]
            got = run_scalar(machine, [scalar_text(row) for row in batch], words)
            for n, row in enumerate(batch):
                program = Program(texts[row.name], texts)
                for entry, mine in zip(table, got[:, n], strict=True):
                    try:
                        value, scc, exec_mask = scalar_expected(program, row, entry)
                    except Unknown as why:
                        wrong.append(f"{row.name}: {why}")
                        break
                    result, mask = int(mine[0]) | int(mine[1]) << 32, int(mine[3]) | int(mine[4]) << 32
                    d_same = row.types[0] == "none" or same(row, result, value)
                    if not d_same or int(mine[2]) != scc or mask != exec_mask:
                        shown = ", ".join(f"{x:#x}" for x in entry)
                        wrong.append(
                            f"{row.name}({shown}): {result:#x} {mine[2]} {mask:#x}, "
                            f"manual {value:#x} {scc} {exec_mask:#x}"
                        )
                        break
    assert not wrong, "\n".join(wrong)


def run_scalar(machine: Machine, texts: Sequence[str], words: np.ndarray) -> np.ndarray:
    """[workgroup][instruction][D low, D high, SCC, EXEC low, EXEC high]"""
    body = f"""s_load_b128 s[4:7], s[0:1], 0
        s_lshl_b32 s8, s2, 5
        s_waitcnt lgkmcnt(0)
        s_load_b256 s[20:27], s[4:5], s8
        s_mul_i32 s9, s2, {20 * len(texts)}
        v_mov_b32 v1, s9
        s_waitcnt lgkmcnt(0)
    """
    for n, text in enumerate(texts):
        body += f"""s_mov_b64 s[30:31], s[24:25]
            s_mov_b64 exec, s[22:23]
            s_cmp_lg_u32 s26, 0
            {text}
            s_cselect_b32 s32, 1, 0
            s_mov_b64 s[34:35], exec
            s_mov_b32 exec_lo, 1
            s_mov_b32 exec_hi, 0
        """
        for k, register in enumerate(("s30", "s31", "s32", "s34", "s35")):
            body += f"v_mov_b32 v2, {register}\nglobal_store_b32 v1, v2, s[6:7] offset:{20 * n + 4 * k}\n"
    kernel = machine.build(body, Frame(kernarg=16, vgprs=8))
    out = machine.emulator.alloc(20 * len(texts) * len(words))
    machine.launch(kernel, machine.buffer(words), out, grid=len(words))
    return machine.emulator.read_array(out, np.uint32, 5 * len(texts) * len(words)).reshape(len(words), len(texts), 5)


# Rows that are no function of one lane's registers alone, or have no form with registers only; other tests name them.
def comparable(row: Row) -> bool:
    return not {"E32", "AK", "MK", "MIX", "SEL"} & set(row.flags.split(" | "))


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

"""Products of matrices that a warp holds, and the moves of 8x8 tiles (PTX ISA 9.0, "Matrix Multiply-Accumulate")."""

from __future__ import annotations

import re

from cassc.hip.ptx.memory import address_of
from cassc.hip.ptx.text import Instruction, Untranslated
from cassc.hip.ptx.translator import Translator, handles

# Element type: the C++ description of it in cassc/ptx_matrix.h, and its bits.
_ELEMENTS = {
    "f16": ("Half", 16),
    "bf16": ("Bfloat", 16),
    "tf32": ("Tf32", 32),
    "s8": ("Byte<true>", 8),
    "u8": ("Byte<false>", 8),
    "s4": ("Nibble<true>", 4),
    "u4": ("Nibble<false>", 4),
    "b1": ("Bit", 1),
}
_ROW_OF_TILE = 128
"""Bits that four lanes hold of one row in one register each."""


@handles("mma")
def _mma(t: Translator, i: Instruction) -> str:
    """mma.sync.aligned.shape.row.col[.satfinite].d.a.b.c[.op.popc]"""
    text = ".".join(i.modifiers)
    match = re.fullmatch(
        r"sync\.aligned\.m(\d+)n8k(\d+)\.row\.col(\.satfinite)?\.(\w+)\.(\w+)\.(\w+)\.(\w+)(\.xor\.popc|\.and\.popc)?",
        text,
    )
    if match is None:
        raise Untranslated(i.text)
    rows, depth = int(match[1]), int(match[2])
    of_d, of_a, of_b, of_c = match.group(4, 5, 6, 7)
    d, a, b, c = (_registers(o) for o in i.operands)
    if (rows, of_d, of_a, of_b, of_c) == (8, "f64", "f64", "f64", "f64") and depth == 4:
        return _call(t, "mma_double", "double", d, [("double", "f64", a), ("double", "f64", b), ("double", "f64", c)])
    if of_a not in _ELEMENTS or of_b not in _ELEMENTS or _ELEMENTS[of_a][1] != _ELEMENTS[of_b][1]:
        raise Untranslated(i.text)
    chunks, rest = divmod(depth * _ELEMENTS[of_a][1], _ROW_OF_TILE)
    halves = 2 if rows == 16 else 1
    if rest or chunks < 1 or rows not in (8, 16) or len(a) != halves * chunks or len(b) != chunks:
        raise Untranslated(i.text)
    whole = of_a in ("s8", "u8", "s4", "u4", "b1")
    if of_d != of_c or of_d not in (("s32",) if whole else ("f32", "f16")) or (rows == 8 and not whole):
        raise Untranslated(i.text)
    operation = {"b1": f", cassc::ptx::Bits{(match[8] or '.xor')[1:4].capitalize()}"}.get(of_a, "")
    if (of_a == "b1") != bool(match[8]):
        raise Untranslated(i.text)
    kinds = f"cassc::ptx::{_ELEMENTS[of_a][0]}, cassc::ptx::{_ELEMENTS[of_b][0]}"
    if of_a == "b1":
        kinds = "cassc::ptx::Bit, cassc::ptx::Bit" + operation
    packed = of_d == "f16"
    number = "int" if whole else "float"
    function = f"mma<{halves}, {chunks}, {str(bool(match[3])).lower()}, {number}, {kinds}>"
    register = ("unsigned", "b32") if packed else (number, "s32" if whole else "f32")
    if len(d) != (halves if packed else 2 * halves) or len(c) != len(d):
        raise Untranslated(i.text)
    return _call(t, function, register[0], d, [("unsigned", "b32", a), ("unsigned", "b32", b), (*register, c)])


def _call(t: Translator, function: str, result: str, d: list[str], arguments: list[tuple[str, str, list[str]]]) -> str:
    """Arrays of the operands' registers to a function that fills the result's."""
    lines = [f"{result} cassc_d[{len(d)}];"]
    for name, (cpp, kind, registers) in zip("abc", arguments, strict=True):
        values = ", ".join(t.value(register, kind) for register in registers)
        lines.append(f"const {cpp} cassc_{name}[] = {{{values}}};")
    lines.append(f"cassc::ptx::{function}(cassc_d, cassc_a, cassc_b, cassc_c);")
    lines += [t.set(register, f"cassc_d[{number}]") for number, register in enumerate(d)]
    return f"{{ {' '.join(lines)} }}"


def _registers(operand: str) -> list[str]:
    return [part.strip() for part in operand.strip("{} ").split(",")]


@handles("ldmatrix")
def _ldmatrix(t: Translator, i: Instruction) -> str:
    targets, transposed = _tiles(i, _registers(i.operands[0]))
    place = address_of(t, i.operands[1], "b8", "shared")
    lines = [f"unsigned cassc_tiles[{len(targets)}]; cassc::ptx::load_tiles<{transposed}>(cassc_tiles, {place});"]
    lines += [t.set(target, f"cassc_tiles[{number}]") for number, target in enumerate(targets)]
    return f"{{ {' '.join(lines)} }}"


@handles("stmatrix")
def _stmatrix(t: Translator, i: Instruction) -> str:
    sources, transposed = _tiles(i, _registers(i.operands[1]))
    place = address_of(t, i.operands[0], "b8", "shared")
    values = ", ".join(t.value(source, "b32") for source in sources)
    stored = f"cassc::ptx::store_tiles<{transposed}>(cassc_tiles, {place});"
    return f"{{ const unsigned cassc_tiles[] = {{{values}}}; {stored} }}"


def _tiles(i: Instruction, registers: list[str]) -> tuple[list[str], str]:
    known = ("sync", "aligned", "m8n8", "x1", "x2", "x4", "trans", "shared", "cta", "b16")
    wanted = next((int(m[1]) for m in i.modifiers if m in ("x1", "x2", "x4")), 0)
    if any(m not in known for m in i.modifiers) or "m8n8" not in i.modifiers or len(registers) != wanted:
        raise Untranslated(i.text)
    return registers, str(i.has("trans")).lower()

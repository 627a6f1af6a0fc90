"""Comparison, selection and conversion."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cassc.hip.ptx import small
from cassc.hip.ptx.text import SPACES, TYPES, Instruction, Untranslated
from cassc.hip.ptx.translator import Translator, handles


@handles("setp")
def _setp(t: Translator, i: Instruction) -> str:
    t.plain(i, i.modifiers[0], "and", "or", "xor")
    compared = _compare(t, i, i.operands[1:3])
    first, _, second = i.operands[0].partition("|")
    combine = next((m for m in i.modifiers if m in ("and", "or", "xor")), "")
    operator = {"and": "&", "or": "|", "xor": "^"}.get(combine, "")
    other = t.value(i.operands[3], "pred") if operator else ""
    made = f"{{ const bool cassc_compared = {compared}; "
    if second:
        opposite = "!cassc_compared" + (f" {operator} {other}" if operator else "")
        made += f"const bool cassc_second = {opposite}; "
    made += t.set(first.strip(), f"cassc_compared {operator} {other}" if operator else "cassc_compared")
    if second:
        made += t.set(second.strip(), "cassc_second")
    return made + " }"


def _compare(t: Translator, i: Instruction, operands: Sequence[str]) -> str:
    operation, kind = i.modifiers[0], i.type
    signed = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
    if kind[0] != "f" and not small.is_small(kind):
        operation = signed.get(operation, operation)
        if operation not in ("eq", "ne", "lt", "le", "gt", "ge"):
            raise Untranslated(i.text)
    a, b = (small.compared(t, kind, o) if small.is_small(kind) else t.value(o, kind) for o in operands)
    return f"cassc::ptx::compare_{operation}({a}, {b})"


@handles("set")
def _set(t: Translator, i: Instruction) -> str:
    t.plain(i, i.modifiers[0])
    kind = i.types[0]
    yes = "1.0f" if kind == "f32" else "0xffffffffu"
    return t.set(i.operands[0], f"{_compare(t, i, i.operands[1:3])} ? {yes} : 0")


@handles("selp")
def _selp(t: Translator, i: Instruction) -> str:
    yes, no = (t.value(o, i.type) for o in i.operands[1:3])
    return t.set(i.operands[0], f"{t.value(i.operands[3], 'pred')} ? {yes} : {no}")


@handles("slct")
def _slct(t: Translator, i: Instruction) -> str:
    kind, by = i.types
    yes, no = (t.value(o, kind) for o in i.operands[1:3])
    return t.set(i.operands[0], f"{t.value(i.operands[3], by)} >= 0 ? {yes} : {no}")


@handles("cvt")
def _cvt(t: Translator, i: Instruction) -> str:
    if len(i.types) != 2:
        raise Untranslated(i.text)
    to, source = i.types
    if to == "tf32":
        t.plain(i, "rna", "tf32")
        return t.set(i.operands[0], f"cassc::ptx::to_tf32({t.value(i.operands[1], 'f32')})")
    if small.converts(to, source, any(m in ("rni", "rzi", "rmi", "rpi") for m in i.modifiers)):
        return small.convert(t, i)
    t.plain(i, "sat", "rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi")
    mode = next((m for m in i.modifiers if re.fullmatch(r"r[nzmp]i?", m)), "")
    number = {"": 0, "n": 0, "z": 1, "p": 2, "m": 3}[mode[1:2]]
    value = t.value(i.operands[1], source)
    saturates, integral = (str(known).lower() for known in (i.has("sat"), mode.endswith("i")))
    function = f"cassc::ptx::convert<{TYPES[to]}, {number}, {saturates}, {integral}>"
    return t.set(i.operands[0], f"{function}({value})")


@handles("cvta")
def _cvta(t: Translator, i: Instruction) -> str:
    space = next(m for m in i.modifiers if m in SPACES)
    function = f"to_{space}" if i.has("to") else f"from_{space}"
    return t.set(i.operands[0], f"cassc::ptx::{function}({t.value(i.operands[1], i.type)})")


@handles("isspacep")
def _isspacep(t: Translator, i: Instruction) -> str:
    function = {"shared": "__isShared", "global": "__isGlobal", "local": "__isLocal"}[i.modifiers[0]]
    return t.set(i.operands[0], f"{function}(reinterpret_cast<const void*>({t.value(i.operands[1], 'u64')}))")


@handles("vabsdiff4")
def _vabsdiff4(t: Translator, i: Instruction) -> str:
    if i.modifiers not in (["u32", "u32", "u32"], ["u32", "u32", "u32", "add"]):
        raise Untranslated(i.text)
    a, b, c = (t.value(o, "u32") for o in i.operands[1:])
    value = f"__vsadu4({a}, {b}) + {c}" if i.has("add") else f"__vabsdiffu4({a}, {b})"
    return t.set(i.operands[0], value)

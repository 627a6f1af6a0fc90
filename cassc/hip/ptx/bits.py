"""Moves, logic, shifts and fields of bits."""

from __future__ import annotations

from collections.abc import Sequence

from cassc.hip.ptx.text import TYPES, Instruction
from cassc.hip.ptx.translator import Translator, handles


@handles("mov")
def _mov(t: Translator, i: Instruction) -> str:
    t.plain(i)
    target, source = i.operands
    if not target.startswith("{"):
        return t.set(target, t.value(source, i.type))
    parts = [part.strip() for part in target.strip("{} ").split(",")]
    bits = int(i.type[1:]) // len(parts)
    whole = t.value(source, "b" + i.type[1:])
    sets = [t.set(p, f"static_cast<{TYPES[f'b{bits}']}>(cassc_whole >> {bits * n})") for n, p in enumerate(parts)]
    return f"{{ const auto cassc_whole = {whole}; {' '.join(sets)} }}"


@handles("and")
def _and(t: Translator, i: Instruction) -> str:
    return t.binary(i, "&")


@handles("or")
def _or(t: Translator, i: Instruction) -> str:
    return t.binary(i, "|")


@handles("xor")
def _xor(t: Translator, i: Instruction) -> str:
    return t.binary(i, "^")


@handles("not")
def _not(t: Translator, i: Instruction) -> str:
    value = t.value(i.operands[1], i.type)
    return t.set(i.operands[0], f"!{value}" if i.type == "pred" else f"~{value}")


@handles("cnot")
def _cnot(t: Translator, i: Instruction) -> str:
    return t.set(i.operands[0], f"{t.value(i.operands[1], i.type)} == 0 ? 1u : 0u")


@handles("shl")
def _shl(t: Translator, i: Instruction) -> str:
    return _shift(t, i, "shift_left", "b" + i.type[1:])


@handles("shr")
def _shr(t: Translator, i: Instruction) -> str:
    return _shift(t, i, "shift_right", i.type)


def _shift(t: Translator, i: Instruction, function: str, kind: str) -> str:
    value, count = t.value(i.operands[1], kind), t.value(i.operands[2], "u32")
    return t.set(i.operands[0], f"cassc::ptx::{function}<{TYPES[kind]}>({value}, {count})")


@handles("shf")
def _shf(t: Translator, i: Instruction) -> str:
    direction = "l" if i.has("l") else "r"
    clamp = "c" if i.has("clamp") else ""
    return t.set(i.operands[0], f"__funnelshift_{direction}{clamp}({t.args(i, 'u32')})")


@handles("lop3")
def _lop3(t: Translator, i: Instruction) -> str:
    t.plain(i)
    return t.set(i.operands[0], f"cassc::ptx::lop3({t.args(i, 'u32')})")


@handles("prmt")
def _prmt(t: Translator, i: Instruction) -> str:
    mode = next((m for m in i.modifiers if m not in TYPES), "")
    function = f"prmt_{mode}" if mode else "prmt"
    return t.set(i.operands[0], f"cassc::ptx::{function}({t.args(i, 'u32')})")


@handles("bfe")
def _bfe(t: Translator, i: Instruction) -> str:
    return _field(t, i, "bfe", i.operands[1:2], i.operands[2:])


@handles("bfi")
def _bfi(t: Translator, i: Instruction) -> str:
    return _field(t, i, "bfi", i.operands[1:3], i.operands[3:])


def _field(t: Translator, i: Instruction, function: str, values: Sequence[str], numbers: Sequence[str]) -> str:
    words = [t.value(v, i.type) for v in values] + [t.value(n, "u32") for n in numbers]
    return t.set(i.operands[0], f"cassc::ptx::{function}<{TYPES[i.type]}>({', '.join(words)})")


@handles("bmsk")
def _bmsk(t: Translator, i: Instruction) -> str:
    mode = "clamp" if i.has("clamp") else "wrap"
    return t.set(i.operands[0], f"cassc::ptx::bmsk_{mode}({t.args(i, 'u32')})")


@handles("popc")
def _popc(t: Translator, i: Instruction) -> str:
    return t.set(i.operands[0], f"__builtin_popcountll({t.value(i.operands[1], i.type)})")


@handles("clz")
def _clz(t: Translator, i: Instruction) -> str:
    return t.call(i, "clz")


@handles("brev")
def _brev(t: Translator, i: Instruction) -> str:
    return t.call(i, "brev")


@handles("bfind")
def _bfind(t: Translator, i: Instruction) -> str:
    return t.call(i, "bfind_shift" if i.has("shiftamt") else "bfind")


@handles("fns")
def _fns(t: Translator, i: Instruction) -> str:
    mask, base, offset = i.operands[1:]
    return t.set(
        i.operands[0],
        f"__fns({t.value(mask, 'u32')}, {t.value(base, 'u32')}, {t.value(offset, 's32')})",
    )

"""Moves, logic, shifts and fields of bits."""

from __future__ import annotations

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


_LOGIC = {"and": "&", "or": "|", "xor": "^"}
_FUNNELS = {("l", False): "l", ("l", True): "lc", ("r", False): "r", ("r", True): "rc"}


@handles(*_LOGIC)
def _logic(t: Translator, i: Instruction) -> str:
    return t.binary(i, _LOGIC[i.name])


@handles("not")
def _not(t: Translator, i: Instruction) -> str:
    value = t.value(i.operands[1], i.type)
    return t.set(i.operands[0], f"!{value}" if i.type == "pred" else f"~{value}")


@handles("cnot")
def _cnot(t: Translator, i: Instruction) -> str:
    return t.set(i.operands[0], f"{t.value(i.operands[1], i.type)} == 0 ? 1u : 0u")


@handles("shl", "shr")
def _shift(t: Translator, i: Instruction) -> str:
    """To the left the type has no sign."""
    function, kind = ("shift_left", "b" + i.type[1:]) if i.name == "shl" else ("shift_right", i.type)
    value, count = t.value(i.operands[1], kind), t.value(i.operands[2], "u32")
    return t.set(i.operands[0], f"cassc::ptx::{function}<{TYPES[kind]}>({value}, {count})")


@handles("shf")
def _shf(t: Translator, i: Instruction) -> str:
    suffix = _FUNNELS["l" if i.has("l") else "r", i.has("clamp")]
    return t.set(i.operands[0], f"__funnelshift_{suffix}({t.args(i, 'u32')})")


@handles("lop3")
def _lop3(t: Translator, i: Instruction) -> str:
    t.plain(i)
    return t.set(i.operands[0], f"cassc::ptx::lop3({t.args(i, 'u32')})")


@handles("prmt")
def _prmt(t: Translator, i: Instruction) -> str:
    mode = next((m for m in i.modifiers if m not in TYPES), "")
    function = f"prmt_{mode}" if mode else "prmt"
    return t.set(i.operands[0], f"cassc::ptx::{function}({t.args(i, 'u32')})")


@handles("bfe", "bfi")
def _field(t: Translator, i: Instruction) -> str:
    """Values of the type, then two numbers: where the field is, and how long."""
    *values, position, length = i.operands[1:]
    words = [t.value(v, i.type) for v in values] + [t.value(n, "u32") for n in (position, length)]
    return t.set(i.operands[0], f"cassc::ptx::{i.name}<{TYPES[i.type]}>({', '.join(words)})")


@handles("bmsk")
def _bmsk(t: Translator, i: Instruction) -> str:
    mode = "clamp" if i.has("clamp") else "wrap"
    return t.set(i.operands[0], f"cassc::ptx::bmsk_{mode}({t.args(i, 'u32')})")


@handles("popc")
def _popc(t: Translator, i: Instruction) -> str:
    return t.set(i.operands[0], f"__builtin_popcountll({t.value(i.operands[1], i.type)})")


@handles("clz", "brev")
def _counted(t: Translator, i: Instruction) -> str:
    return t.call(i, i.name)


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

"""Half precision and bfloat16, single and in pairs: arithmetic over the functions of ``cassc/ptx_small.h``."""

from __future__ import annotations

from cassc.hip.ptx.text import Instruction, Untranslated
from cassc.hip.ptx.translator import Translator, handles

_KINDS = {
    "f16": ("__half", 1),
    "f16x2": ("__half", 2),
    "bf16": ("__nv_bfloat16", 1),
    "bf16x2": ("__nv_bfloat16", 2),
}
_ROUNDING = {"rn": "nearest", "rz": "zero", "rm": "down", "rp": "up"}
_WIDTHS = {"__half": "10, 5", "__nv_bfloat16": "7, 8"}
_EXACT_AS_DOUBLE = ("f32", "f64", "s8", "u8", "s16", "u16", "s32", "u32")


def is_small(kind: str) -> bool:
    return kind in _KINDS


def apply(t: Translator, i: Instruction, function: str, *known: str) -> str:
    """A function of ``__half`` or ``__nv_bfloat16`` on every element. ``known``: modifiers that it heeds."""
    t.plain(i, "rn", *known)
    if i.has("ftz"):
        raise Untranslated(i.text)
    return t.set(i.operands[0], _elementwise(t, i, function))


def arithmetic(t: Translator, i: Instruction, operation: str) -> str:
    """add, sub, mul, fma: rounded once, and not joined to others."""
    if operation == "fma":
        return apply(t, i, "__hfma" + ("_sat" if i.has("sat") else "_relu" if i.has("relu") else ""), "sat", "relu")
    return apply(t, i, f"__h{operation}_{'sat' if i.has('sat') else 'rn'}", "sat")


def extreme(t: Translator, i: Instruction) -> str:
    """min and max, where the modifier NaN lets a NaN win."""
    return apply(t, i, f"__h{i.name}{'_nan' if i.has('NaN') else ''}", "NaN")


def approximated(t: Translator, i: Instruction, function: str) -> str:
    """A function of float, rounded to the element. Subnormals are within what an approximation may do."""
    kind, _ = _KINDS[i.type]
    return t.set(i.operands[0], _elementwise(t, i, f"{kind}({function}", ")"))


def _elementwise(t: Translator, i: Instruction, function: str, end: str = "") -> str:
    kind, count = _KINDS[i.type]
    call = f"{function}(cassc_x...){end}"
    return f"cassc::ptx::small{count}<{kind}>([](auto... cassc_x) {{ return {call}; }}, {t.args(i, f'b{16 * count}')})"


def compared(t: Translator, kind: str, text: str) -> str:
    """An element as float, which holds it exactly."""
    name, count = _KINDS[kind]
    if count != 1:
        raise Untranslated(t.text)
    return f"cassc::ptx::wide<{name}>({t.value(text, 'b16')})"


def converts(to: str, source: str, integral: bool) -> bool:
    """Whether a conversion is made here: to bfloat16, to pairs, from bfloat16, or to half with a rounding mode."""
    small_source = source in ("bf16", "bf16x2", "f16x2")
    return to in ("bf16", "bf16x2", "f16x2") or small_source or (to == "f16" and source != "f16" and not integral)


def convert(t: Translator, i: Instruction) -> str:
    """cvt to and from these types; of two sources the first is the upper half."""
    t.plain(i, "sat", "relu", *_ROUNDING)
    to, source = i.types
    if source == "bf16" and to in ("f32", "f64"):
        return t.set(i.operands[0], compared(t, source, i.operands[1]))
    if to not in _KINDS or source not in _EXACT_AS_DOUBLE:
        raise Untranslated(i.text)
    kind, count = _KINDS[to]
    if len(i.operands) != count + 1:
        raise Untranslated(i.text)
    mode = next((_ROUNDING[m] for m in i.modifiers if m in _ROUNDING), "nearest")
    flags = f"{str(i.has('sat')).lower()}, {str(i.has('relu')).lower()}"
    function = f"cassc::ptx::to_small<{_WIDTHS[kind]}, cassc::Round::{mode}, {flags}>"
    values = [f"{function}({t.value(o, source)})" for o in i.operands[1:]]
    made = values[0] if count == 1 else f"static_cast<unsigned>({values[0]}) << 16 | {values[1]}"
    return t.set(i.operands[0], made)


def atomic_add(t: Translator, i: Instruction, target: str, address: str, value: str) -> str:
    """atom.add.noftz: CUDA's atomicAdd of the type."""
    kind, count = _KINDS[i.type]
    name = {1: kind, 2: {"__half": "__half2", "__nv_bfloat16": "__nv_bfloat162"}[kind]}[count]
    bits = f"b{16 * count}"
    call = f"cassc::ptx::small_add<{name}>({address}, {t.value(value, bits)})"
    return t.set(target, call)


@handles("tanh")
def _tanh(t: Translator, i: Instruction) -> str:
    if is_small(i.type):
        return approximated(t, i, "tanhf")
    return t.set(i.operands[0], f"tanhf({t.args(i, 'f32')})")

"""Integer and floating-point arithmetic."""

from __future__ import annotations

from cassc.hip.ptx import small
from cassc.hip.ptx.text import TYPES, Instruction, Untranslated
from cassc.hip.ptx.translator import Translator, handles


@handles("add")
def _add(t: Translator, i: Instruction) -> str:
    return _sum(t, i, "add", "+")


@handles("sub")
def _sub(t: Translator, i: Instruction) -> str:
    return _sum(t, i, "sub", "-")


@handles("addc")
def _addc(t: Translator, i: Instruction) -> str:
    return _sum(t, i, "addc", "")


@handles("subc")
def _subc(t: Translator, i: Instruction) -> str:
    return _sum(t, i, "subc", "")


def _sum(t: Translator, i: Instruction, name: str, operator: str) -> str:
    t.plain(i, "cc", "sat", "rn", "rz", "rm", "rp")
    kind = i.type
    if small.is_small(kind):
        return small.arithmetic(t, i, name)
    if kind[0] == "f":
        return _float(t, i)
    if i.has("sat"):
        return t.call(i, f"{name}_sat")
    if not i.has("cc") and operator:
        return t.binary(i, operator)
    unsigned = "u" + kind[1:]
    start = "cassc_carry" if name.endswith("c") else "0u"
    base = name.rstrip("c")
    carry = "cassc_carry" if i.has("cc") else "cassc_unused"
    call = f"cassc::ptx::{base}_carry<{TYPES[unsigned]}>({t.args(i, unsigned)}, {start}, {carry})"
    return f"{{ [[maybe_unused]] unsigned cassc_unused = 0; {t.set(i.operands[0], call)} }}"


@handles("mul")
def _mul(t: Translator, i: Instruction) -> str:
    if small.is_small(i.type):
        return small.arithmetic(t, i, "mul")
    if i.type[0] == "f":
        return _float(t, i)
    for part in ("hi", "wide"):
        if i.has(part):
            return t.call(i, f"mul_{part}")
    return t.binary(i, "*")


@handles("mad")
def _mad(t: Translator, i: Instruction) -> str:
    if i.type[0] == "f":
        return _fma(t, i)
    return _product_sum(t, i, "0u")


@handles("madc")
def _madc(t: Translator, i: Instruction) -> str:
    return _product_sum(t, i, "cassc_carry")


def _product_sum(t: Translator, i: Instruction, start: str) -> str:
    t.plain(i, "cc", "lo", "hi", "wide")
    kind = i.type
    a, b, c = i.operands[1:]
    product = f"cassc::ptx::mul_{next((p for p in ('hi', 'wide') if i.has(p)), 'lo')}<{TYPES[kind]}>"
    result = f"u{int(kind[1:]) * 2}" if i.has("wide") else f"u{kind[1:]}"
    values = f"{product}({t.value(a, kind)}, {t.value(b, kind)})"
    carry = "cassc_carry" if i.has("cc") else "cassc_unused"
    call = (
        f"cassc::ptx::add_carry<{TYPES[result]}>(cassc::ptx::as<{TYPES[result]}>({values}), "
        f"{t.value(c, result)}, {start}, {carry})"
    )
    return f"{{ [[maybe_unused]] unsigned cassc_unused = 0; {t.set(i.operands[0], call)} }}"


@handles("mul24")
def _mul24(t: Translator, i: Instruction) -> str:
    if i.has("hi"):
        raise Untranslated(i.text)
    return t.set(i.operands[0], f"{'__mul24' if i.type == 's32' else '__umul24'}({t.args(i, i.type)})")


@handles("mad24")
def _mad24(t: Translator, i: Instruction) -> str:
    if i.has("hi"):
        raise Untranslated(i.text)
    a, b, c = (t.value(o, i.type) for o in i.operands[1:])
    function = "__mul24" if i.type == "s32" else "__umul24"
    return t.set(i.operands[0], f"static_cast<unsigned>({function}({a}, {b})) + static_cast<unsigned>({c})")


@handles("div", "rem", "sad")
def _quotient(t: Translator, i: Instruction) -> str:
    return _float(t, i) if i.type[0] == "f" else t.call(i, i.name)


@handles("min", "max")
def _extreme(t: Translator, i: Instruction) -> str:
    if small.is_small(i.type):
        return small.extreme(t, i)
    if i.type[0] == "f":
        t.plain(i, "NaN")
        return t.call(i, f"{i.name}_nan" if i.has("NaN") else i.name)
    t.plain(i)
    return t.call(i, i.name)


@handles("abs", "neg")
def _sign(t: Translator, i: Instruction) -> str:
    return small.apply(t, i, f"__h{i.name}") if small.is_small(i.type) else t.call(i, i.name)


@handles("dp4a", "dp2a")
def _dot(t: Translator, i: Instruction) -> str:
    a, b = i.types[-2:] if len(i.types) > 1 else (i.type, i.type)
    x, y, z = t.value(i.operands[1], a), t.value(i.operands[2], b), t.value(i.operands[3], "u32")
    if i.name == "dp4a":
        dot = f"cassc::dot_bytes<{TYPES[a]}, {TYPES[b]}>({x}, {y})"
        return t.set(i.operands[0], f"static_cast<unsigned>({dot}) + {z}")
    half = next((part for part in ("lo", "hi") if i.has(part)), None)
    if a != b or half is None:
        raise Untranslated(i.text)
    return t.set(i.operands[0], f"__dp2a_{half}({x}, {y}, static_cast<{TYPES[a]}>({z}))")


@handles("fma")
def _fma(t: Translator, i: Instruction) -> str:
    if small.is_small(i.type):
        return small.arithmetic(t, i, "fma")
    return _float(t, i)


_MODES = {"rz": "rz", "rm": "rd", "rp": "ru"}
_FLOATS = {"f32": ("f", "f"), "f64": ("d", "")}
"""What CUDA's functions of a type have behind the underscores, and those of fma behind the name."""


def _float(t: Translator, i: Instruction) -> str:
    """add, sub, mul, div and fma with a rounding mode; the default is to nearest."""
    if i.type not in _FLOATS:
        raise Untranslated(i.text)
    letter, suffix = _FLOATS[i.type]
    name = f"fma{suffix}" if i.name in ("fma", "mad") else letter + i.name
    mode = next((_MODES[m] for m in i.modifiers if m in _MODES), "rn")
    value = f"__{name}_{mode}({_flushed(t, i)})"
    value = f"cassc::ptx::clamp01({value})" if i.has("sat") else value
    return t.set(i.operands[0], f"cassc::without_subnormals({value})" if i.has("ftz") else value)


_FUNCTIONS = {
    "sqrt": ("__fsqrt_rn", "__dsqrt_rn"),
    "rcp": ("__frcp_rn", "__drcp_rn"),
    "rsqrt": ("rsqrtf", "rsqrt"),
    "ex2": ("exp2f", ""),
    "lg2": ("__log2f", ""),
    "sin": ("__sinf", ""),
    "cos": ("__cosf", ""),
}
"""Of float, and of double."""


@handles(*_FUNCTIONS)
def _function(t: Translator, i: Instruction) -> str:
    if i.name == "ex2" and small.is_small(i.type):
        return small.approximated(t, i, "exp2f")
    function = _FUNCTIONS[i.name][i.type == "f64"]
    if i.type not in _FLOATS or not function or i.has(*_MODES):
        raise Untranslated(i.text)
    value = f"{function}({_flushed(t, i)})"
    return t.set(i.operands[0], f"cassc::without_subnormals({value})" if i.has("ftz") else value)


def _flushed(t: Translator, i: Instruction) -> str:
    """The sources; with ftz, zeros in the place of subnormals (of single precision)."""
    if not i.has("ftz"):
        return t.args(i, i.type)
    if i.type != "f32":
        raise Untranslated(i.text)
    return ", ".join(f"cassc::without_subnormals({t.value(o, 'f32')})" for o in i.operands[1:])


@handles("copysign")
def _copysign(t: Translator, i: Instruction) -> str:
    sign, magnitude = (t.value(o, i.type) for o in i.operands[1:])
    return t.set(i.operands[0], f"__builtin_copysign{'f' if i.type == 'f32' else ''}({magnitude}, {sign})")

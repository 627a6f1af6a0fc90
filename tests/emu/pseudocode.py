"""An interpreter of the pseudocode in AMD's ISA manuals, which tinygrad's wheel holds as data: arithmetic of its own.

It reads the statements of one lane: assignments, if, for, slices, concatenations, casts. Floats are numpy's, fused
multiply-adds exact fractions rounded once. What it does not know raises ``Unknown``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np


class Unknown(Exception):
    """The pseudocode says something that this interpreter does not do."""


@dataclass(frozen=True, slots=True)
class Value:
    """``kind``: u, i, f (raw holds the float's bits), or n for a number without a width."""

    kind: str
    width: int
    raw: int


_NUMPY: dict[int, Any] = {16: (np.uint16, np.float16), 32: (np.uint32, np.float32), 64: (np.uint64, np.float64)}


def u(width: int, raw: int) -> Value:
    return Value("u", width, raw & ((1 << width) - 1))


def i(width: int, raw: int) -> Value:
    return Value("i", width, raw & ((1 << width) - 1))


def number(raw: int) -> Value:
    return Value("n", 64, raw)


def real(width: int, x: Any) -> Value:
    bits, floats = _NUMPY[width]
    with np.errstate(all="ignore"):
        return Value("f", width, int(floats(x).view(bits)))


def integer(v: Value) -> int:
    if v.kind == "n":
        return v.raw
    if v.kind == "f":
        raise Unknown("a float where an integer is wanted")
    return v.raw - (1 << v.width) if v.kind == "i" and v.raw >> (v.width - 1) else v.raw


def floating(v: Value) -> Any:
    """numpy's scalar of the value's own width."""
    if v.kind != "f":
        return np.float64(integer(v))
    bits, floats = _NUMPY[v.width]
    return bits(v.raw).view(floats)


def cast_to(v: Value, kind: str, width: int) -> Value:
    """``32'F(x)`` and assignments: values are converted, and ``B`` keeps bits."""
    if v.kind == "p":
        return v
    if kind == "b":
        return Value("u", width, v.raw & ((1 << width) - 1))
    if kind == "f":
        if v.kind == "f" and _nan(v) and width > v.width:  # stays signaling
            fraction, wide = _FIELDS[v.width][1], _FIELDS[width]
            payload = (v.raw & ((1 << fraction) - 1)) << (wide[1] - fraction)
            return Value("f", width, v.raw >> (v.width - 1) << (width - 1) | ((1 << wide[0]) - 1) << wide[1] | payload)
        return v if v.kind == "f" and v.width == width else real(width, floating(v))
    raw = v.raw if v.kind == "f" else integer(v)
    return Value(kind, width, raw & ((1 << width) - 1))


def view(v: Value, kind: str, width: int) -> Value:
    """``x.f32``: the bits, seen as another type; an integer number takes part in it as its value."""
    raw = v.raw & ((1 << max(width, 1)) - 1)
    return Value({"b": "u", "fp8": "u", "bf8": "u"}.get(kind, kind), width, raw)


# --- functions


def _round_fraction(value: Fraction, width: int, negative_zero: bool) -> Any:
    floats = _NUMPY[width][1]
    if value == 0:
        return floats(-0.0) if negative_zero else floats(0.0)
    mantissa, least, most = {16: (11, -24, 16), 32: (24, -149, 128), 64: (53, -1074, 1024)}[width]
    sign, magnitude = (-1 if value < 0 else 1), abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    while Fraction(2) ** exponent > magnitude:
        exponent -= 1
    while Fraction(2) ** (exponent + 1) <= magnitude:
        exponent += 1
    step = Fraction(2) ** max(exponent - mantissa + 1, least)
    steps = round(magnitude / step)  # ties to even
    rounded = steps * step
    if rounded >= Fraction(2) ** most:
        return floats(sign * math.inf)
    return floats(sign * float(rounded))


def fma(a: Value, b: Value, c: Value) -> Value:
    width = max(x.width for x in (a, b, c) if x.kind == "f")
    x, y, z = (float(floating(v)) for v in (a, b, c))
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        with np.errstate(all="ignore"):
            return real(width, np.float64(x) * np.float64(y) + np.float64(z))
    product, addend = Fraction(x) * Fraction(y), Fraction(z)
    product_minus = math.copysign(1, x) * math.copysign(1, y) < 0
    minus = product_minus and math.copysign(1, z) < 0 if product == 0 or product + addend != 0 else False
    return real(width, _round_fraction(product + addend, width, minus))


def _toward_zero(v: Value) -> Value:
    """f32 to f16."""
    half = real(16, floating(v))
    x, y = float(floating(v)), float(floating(half))
    return Value("f", 16, half.raw - 1) if abs(y) > abs(x) else half


def _nan(v: Value) -> bool:
    return bool(np.isnan(floating(v)))


def _quiet_bit(v: Value) -> int:
    return {16: 9, 32: 22, 64: 51}[v.width]


def _signaling(v: Value) -> bool:
    return _nan(v) and not v.raw >> _quiet_bit(v) & 1


def _sign(v: Value) -> Value:
    return u(1, v.raw >> (v.width - 1))


_FIELDS = {16: (5, 10, 15), 32: (8, 23, 127), 64: (11, 52, 1023)}


def _exponent(v: Value) -> Value:
    """With the bias; of a denormal, what it would be if there were room."""
    bits, fraction, _ = _FIELDS[v.width]
    field = v.raw >> fraction & ((1 << bits) - 1)
    if field == 0:
        lead = (v.raw & ((1 << fraction) - 1)).bit_length()
        return i(32, lead - fraction if lead else 0)
    return i(32, field)


def _mantissa(v: Value) -> Value:
    """With the sign, in [0.5, 1): what frexp gives."""
    return real(v.width, math.frexp(float(floating(v)))[0])


def _to_int(v: Value, low: int, high: int, kind: str, width: int) -> Value:
    x = float(floating(v))
    n = 0 if math.isnan(x) else high if x > high else low if x < low else int(x)
    return Value(kind, width, n & ((1 << width) - 1))


def _apply(function: Callable[[float], float], v: Value) -> Value:
    x = float(floating(v))
    if not math.isfinite(x):
        return v
    return real(v.width, math.copysign(function(x), x))


def _fract(v: Value) -> Value:
    x = floating(v)
    with np.errstate(all="ignore"):
        return real(v.width, x - np.floor(x))


def _ldexp(v: Value, by: Value) -> Value:
    x = float(floating(v))
    if not math.isfinite(x) or x == 0:
        return v
    return real(
        v.width, _round_fraction(Fraction(x) * Fraction(2) ** max(min(integer(by), 4096), -4096), v.width, x < 0)
    )


def _normalized(scale: int, low: float) -> Callable[[Value], Value]:
    def convert(v: Value) -> Value:
        x = float(floating(v))
        x = 0.0 if math.isnan(x) else min(max(x, low), 1.0)
        return i(16, round(x * scale))

    return convert


def _power(width: int, function: Callable[[np.float64], np.float64]) -> Callable[[Value], Value]:
    def compute(v: Value) -> Value:
        with np.errstate(all="ignore"):
            return real(v.width if v.kind == "f" else width, function(np.float64(floating(v))))

    return compute


def _turns(function: Callable[[float], float]) -> Callable[[Value], Value]:
    def compute(v: Value) -> Value:
        x = float(floating(v))
        return real(v.width, function(x) if math.isfinite(x) else math.nan)

    return compute


def _signext(v: Value) -> Value:
    signed = Value("i", v.width, v.raw) if v.kind == "u" else v
    return i(64, integer(signed))


def _signext_from_bit(v: Value, bits: Value) -> Value:
    n = integer(bits)
    raw = v.raw & ((1 << n) - 1) if n else 0
    return i(v.width, raw - (1 << n) if n and raw >> (n - 1) else raw)


def _small(mantissa: int, bias: int, infinite: bool) -> Callable[[Value], Value]:
    def convert(v: Value) -> Value:
        raw = v.raw & 0xFF
        sign, exponent, fraction = (
            (-1 if raw >> 7 else 1),
            raw >> mantissa & (0x7F >> mantissa),
            raw & ((1 << mantissa) - 1),
        )
        if infinite and exponent == 31:
            return real(32, sign * math.inf if fraction == 0 else math.nan)
        if not infinite and raw & 0x7F == 0x7F:
            return real(32, math.nan)
        lead = 0 if exponent == 0 else 1
        return real(32, sign * math.ldexp(lead + fraction / (1 << mantissa), max(exponent, 1) - bias))

    return convert


_to_fp8, _to_bf8 = _small(3, 7, False), _small(2, 15, True)


def _from_f32(decode: Callable[[Value], Value], overflow: int, infinite: bool) -> Callable[[Value], Value]:
    table = [(float(floating(decode(u(8, n)))), n) for n in range(0x80)]
    finite = [(x, n) for x, n in table if math.isfinite(x)]

    def convert(v: Value) -> Value:
        x = float(floating(v))
        sign = v.raw >> 31 << 7
        if math.isnan(x):
            return u(8, sign | 0x7F)
        top, step = finite[-1][0], finite[-1][0] - finite[-2][0]
        if abs(x) >= top + step / 2:  # the tie is even beyond the largest
            return u(8, sign | overflow)
        best = min(finite, key=lambda entry: (abs(entry[0] - abs(x)), entry[1] & 1))
        return u(8, sign | best[1])

    del infinite
    return convert


def _lesser_zero(a: Value, b: Value) -> Value:
    x, y = floating(a), floating(b)
    return u(1, int(x < y or (x == 0 and y == 0 and bool(_sign(a).raw) and not _sign(b).raw)))


def _byte_permute(data: Value, select: Value) -> Value:
    n = integer(select) & 0xFF
    if n >= 13:
        return u(8, 0xFF)
    if n == 12:
        return u(8, 0)
    if n >= 8:
        return u(8, 0xFF * (data.raw >> (15, 31, 47, 63)[n - 8] & 1))
    return u(8, data.raw >> (8 * n))


def _absolute(v: Value) -> Value:
    return Value("f", v.width, v.raw & ~(1 << (v.width - 1))) if v.kind == "f" else i(v.width, abs(integer(v)))


def _odd_even(v: Value) -> Value:
    x = float(floating(v))
    return u(1, int(math.isfinite(x) and math.fmod(x, 2.0) == 0.0))


def _sine(x: float) -> float:
    """Of turns."""
    return math.sin(2 * math.pi * math.fmod(x, 1.0))


def _cosine(x: float) -> float:
    return math.cos(2 * math.pi * math.fmod(x, 1.0))


def _float(width: int) -> Callable[[Value], Value]:
    return lambda v: real(width, floating(v) if v.kind == "f" else Fraction(integer(v)).__float__())


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "fma": fma,
    "isNAN": lambda v: u(1, int(_nan(v))),
    "isSignalNAN": lambda v: u(1, int(_signaling(v))),
    "isQuietNAN": lambda v: u(1, int(_nan(v) and not _signaling(v))),
    "cvtToQuietNAN": lambda v: Value("f", v.width, v.raw | 1 << _quiet_bit(v)),
    "sign": _sign,
    "exponent": _exponent,
    "mantissa": _mantissa,
    "abs": _absolute,
    "floor": lambda v: _apply(math.floor, v),
    "trunc": lambda v: _apply(math.trunc, v),
    "fract": _fract,
    "isEven": _odd_even,
    "ldexp": _ldexp,
    "sqrt": _power(32, np.sqrt),
    "log2": _power(32, np.log2),
    "signext": _signext,
    "signext_from_bit": _signext_from_bit,
    "f16_to_f32": _float(32),
    "f32_to_f16": _float(16),
    "f64_to_f32": _float(32),
    "f32_to_f64": _float(64),
    "i32_to_f32": _float(32),
    "u32_to_f32": _float(32),
    "i32_to_f64": _float(64),
    "u32_to_f64": _float(64),
    "u16_to_f16": _float(16),
    "i16_to_f16": _float(16),
    "bf16_to_f32": lambda v: Value("f", 32, (v.raw & 0xFFFF) << 16),
    "f32_to_i32": lambda v: _to_int(v, -(1 << 31), (1 << 31) - 1, "i", 32),
    "f32_to_u32": lambda v: _to_int(v, 0, (1 << 32) - 1, "u", 32),
    "f64_to_i32": lambda v: _to_int(v, -(1 << 31), (1 << 31) - 1, "i", 32),
    "f64_to_u32": lambda v: _to_int(v, 0, (1 << 32) - 1, "u", 32),
    "f16_to_i16": lambda v: _to_int(v, -(1 << 15), (1 << 15) - 1, "i", 16),
    "f16_to_u16": lambda v: _to_int(v, 0, (1 << 16) - 1, "u", 16),
    "f32_to_u8": lambda v: _to_int(v, 0, 255, "u", 8),
    "v_cvt_i16_f32": lambda v: _to_int(v, -(1 << 15), (1 << 15) - 1, "i", 16),
    "v_cvt_u16_f32": lambda v: _to_int(v, 0, (1 << 16) - 1, "u", 16),
    "u32_to_u16": lambda v: u(16, min(v.raw, 0xFFFF)),
    "i32_to_i16": lambda v: i(16, min(max(integer(v), -0x8000), 0x7FFF)),
    "f16_to_snorm": _normalized(0x7FFF, -1.0),
    "f16_to_unorm": _normalized(0xFFFF, 0.0),
    "f32_to_snorm": _normalized(0x7FFF, -1.0),
    "f32_to_unorm": _normalized(0xFFFF, 0.0),
    "u8_to_u32": lambda v: u(32, v.raw & 0xFF),
    "u4_to_u32": lambda v: u(32, v.raw & 0xF),
    "sin": _turns(math.sin),
    "cos": _turns(math.cos),
    "fp8_to_f32": _to_fp8,
    "bf8_to_f32": _to_bf8,
    "f32_to_fp8": _from_f32(_to_fp8, 0x7F, False),
    "f32_to_bf8": _from_f32(_to_bf8, 0x7C, True),
    "ABSDIFF": lambda a, b: u(32, abs(a.raw - b.raw)),
    "SAT8": lambda v: u(8, min(max(integer(v), 0), 255)),
    "BYTE_PERMUTE": _byte_permute,
    "LT_NEG_ZERO": _lesser_zero,
    "GT_NEG_ZERO": lambda a, b: _lesser_zero(b, a),
    "pow": lambda a, b: _power(32, lambda x: cast(np.float64, np.exp2(x)))(b),
}

# --- text

_TOKEN = re.compile(
    r"(?P<cast>\d+'[UIFB](?=\())|(?P<sized>\d+'-?(?:0x[0-9a-fA-F]+|\d+\.\d+|\d+)[UFI]?)|(?P<number>0x[0-9a-fA-F]+(?:ULL|LL|U)?"
    r"|\d+\.\d+F?|\d+(?:ULL|LL|U|F)?)|(?P<name>[A-Za-z_]\w*)|(?P<op>\*\*|\+:|<<|>>|<=|>=|==|!=|<>|&&|\|\||[-+*/%&|^~!<>=?:(){}\[\],.;]=?)"
)
_BINARY = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<>": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10, "**": 11,
}  # fmt: skip
_CONSTANTS = {"NAN": math.nan, "INF": math.inf, "PI": math.pi, "MAX_FLOAT_F32": 3.4028234663852886e38}
_MEMBER = re.compile(r"(fp8|bf8|bf16|[uifb])(\d*)$")


def _literal(text: str) -> Value:
    width = 0
    if "'" in text:
        size, text = text.split("'")
        width = int(size)
    if "." in text or (text.endswith("F") and not text.startswith("0x")):
        return real(width or (32 if text.endswith("F") else 64), float(text.rstrip("F")))
    suffix = re.search(r"(ULL|LL|U|I)$", text)
    digits = text[: suffix.start()] if suffix else text
    value = int(digits, 0)
    if width:
        return Value("u" if suffix and suffix[0] == "U" else "i", width, value & ((1 << width) - 1))
    if suffix:
        return Value("u" if suffix[0].startswith("U") else "i", 64 if "LL" in suffix[0] else 32, value)
    return number(value)


def _without_lambdas(text: str) -> str:
    """Functions that the text defines before it uses them: FUNCTIONS has them."""
    while (match := re.search(r"\w+ = lambda\([^)]*\)\s*\(", text)) is not None:
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += (text[end] == "(") - (text[end] == ")")
            end += 1
        text = text[: match.start()] + text[end:].lstrip(";\n ")
    return text


class Program:
    """The statements of one instruction; ``run`` changes the registers that it is given (name to Value).

    library: the texts of instructions that it may call by name.
    """

    def __init__(self, text: str, library: Mapping[str, str] | None = None) -> None:
        self.library = library or {}
        self.broken = False
        text = re.sub(r"//[^\n]*", "", text)
        text = re.sub(r"declare [^;]*;?", "", text)
        text = _without_lambdas(text)
        self.tokens: list[str] = []
        at = 0
        depth = 0
        while at < len(text):
            if text[at] == "\n":
                self.tokens += [] if depth or (self.tokens and self.tokens[-1] in _BINARY) else [";"]
                at += 1
                continue
            if text[at].isspace():
                at += 1
                continue
            match = _TOKEN.match(text, at)
            if match is None:
                raise Unknown(text[at : at + 20])
            token = match[0]
            if match.lastgroup == "op" and len(token) == 2 and token[1] == "=" and token[0] in "(){}[],.;?:~":
                token = token[0]
            depth += (token in "([{") - (token in ")]}")
            self.tokens.append(token)
            at += len(token)
        self.at = 0
        self.state: dict[str, Value] = {}
        self.arrays: dict[str, dict[int, Value]] = {}

    def run(self, registers: dict[str, Value]) -> None:
        self.state = registers
        self.at = 0
        self._block(True, ())

    # statements

    def _peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def _take(self, wanted: str = "") -> str:
        token = self._peek()
        if wanted and token != wanted:
            raise Unknown(f"{token!r} instead of {wanted!r}")
        self.at += 1
        return token

    def _block(self, live: bool, ends: tuple[str, ...]) -> None:
        while self._peek() and self._peek() not in ends:
            self._statement(live)
            if self._peek() and self._peek() not in ends:
                self._take(";")

    def _statement(self, live: bool) -> None:
        token = self._peek()
        if token == ";":
            return
        live = live and not self.broken
        if token == "if":
            self._if(live)
        elif token == "break":
            self._take()
            self.broken = self.broken or live
        elif token == "for":
            self._for(live)
        elif token in ("while", "return", "eval"):
            raise Unknown(token)
        else:
            self._assignment(live)

    def _if(self, live: bool) -> None:
        done = False
        while True:
            word = self._take()
            condition = True
            if word in ("if", "elsif"):
                value = self._expression(live and not done)
                condition = bool(value.raw)
                if self._peek() == "then":
                    self._take()
            branch = live and not done and condition
            self._block(branch, ("elsif", "else", "endif"))
            done = done or branch
            if self._peek() == "endif":
                self._take()
                return
            if not self._peek():
                raise Unknown("if without an end")

    def _for(self, live: bool) -> None:
        self._take("for")
        name = self._take()
        self._take("in")
        first = self._expression(live)
        self._take(":")
        last = self._expression(live)
        self._take("do")
        start = self.at
        if not live:
            self._block(False, ("endfor",))
        for n in range(integer(first), integer(last) + 1) if live else ():
            self.at = start
            if not self.broken:
                self.state[name] = i(32, n)
            self._block(not self.broken, ("endfor",))
        self.broken = False
        self._take("endfor")

    def _assignment(self, live: bool) -> None:
        if self._peek() == "{":
            return self._several(live)
        name = self._take()
        if not re.match(r"[A-Za-z_]", name):
            raise Unknown(f"statement at {name!r}")
        path: list[tuple[str, Any]] = []
        while self._peek() in (".", "["):
            path.append(self._selector(live))
        op = self._take()
        if op not in ("=", "+=", "-=", "*=", "|=", "&=", "^="):
            raise Unknown(f"statement {name} {op}")
        value = self._expression(live)
        if not live:
            return
        if op != "=":
            value = self._binary(op[0], self._read(name, path), value)
        self._write(name, path, value)

    def _several(self, live: bool) -> None:
        """``{ D1.u1, D0.u64 } = ...``: the last takes the lowest bits."""
        targets: list[tuple[str, list[tuple[str, Any]]]] = []
        while self._take() != "}":
            name = self._take()
            path: list[tuple[str, Any]] = []
            while self._peek() in (".", "["):
                path.append(self._selector(live))
            targets.append((name, path))
        self._take("=")
        value = self._expression(live)
        if not live:
            return
        low = 0
        for name, path in reversed(targets):
            match = _MEMBER.match(path[-1][1]) if path and path[-1][0] == "type" else None
            if match is None:
                raise Unknown("target without a width")
            width = int(match[2])
            self._write(name, path, u(width, value.raw >> low))
            low += width

    def _selector(self, live: bool) -> tuple[str, Any]:
        if self._take() == ".":
            return "type", self._take()
        high = self._expression(live)
        if self._peek() == "+:":  # from a place, so many bits
            self._take()
            length = self._expression(live)
            self._take("]")
            return "slice", (integer(high) + integer(length) - 1, integer(high)) if live else (0, 0)
        if self._peek() == ":":
            self._take()
            low = self._expression(live)
            self._take("]")
            return "slice", (integer(high), integer(low)) if live else (0, 0)
        self._take("]")
        return "bit", integer(high) if live else 0

    # values

    def _read(self, name: str, path: list[tuple[str, Any]]) -> Value:
        value = self.state.get(name, u(128, 0))
        return self._select(value, path)

    def _select(self, value: Value, path: list[tuple[str, Any]]) -> Value:
        for kind, what in path:
            if kind == "type" and what == "IEEE":
                value = u(1, 1)
            elif kind == "type":
                match = _MEMBER.match(what)
                if match is None:
                    raise Unknown(f".{what}")
                letter = match[1]
                width = int(match[2] or {"fp8": 8, "bf8": 8, "bf16": 16}.get(letter, 0) or value.width)
                if letter == "bf16":
                    raise Unknown("bf16")
                value = view(value, letter, width)
            elif kind == "slice":
                high, low = what
                if high < low:  # the bits in reverse
                    bits = [value.raw >> n & 1 for n in range(high, low + 1)]
                    value = u(len(bits), sum(bit << (len(bits) - 1 - n) for n, bit in enumerate(bits)))
                else:
                    value = u(high - low + 1, value.raw >> low)
            else:
                value = u(1, value.raw >> what) if what >= 0 else u(1, 0)
        return value

    def _write(self, name: str, path: list[tuple[str, Any]], value: Value) -> None:
        kind, width, low, sliced = "", 0, 0, False
        for what, how in path:
            if what == "type":
                match = _MEMBER.match(how)
                if match is None or match[1] == "bf16":
                    raise Unknown(f".{how}")
                kind = match[1]
                width = int(match[2] or {"fp8": 8, "bf8": 8}.get(kind, width))
            elif what == "slice":
                low, width, sliced = low + how[1], how[0] - how[1] + 1, True
            else:
                low, width, sliced, kind = low + how, 1, True, "u"
        if not path:
            self.state[name] = value if name not in ("SCC",) else u(1, value.raw)
            return
        width = width or value.width
        if kind in ("f", "u", "i"):
            value = cast_to(value, kind, width)
        raw = value.raw & ((1 << width) - 1)
        old = self.state.get(name, u(128, 0))
        keep = old.raw & ~(((1 << width) - 1) << low)
        size = max(old.width, low + width)
        if not sliced and width >= 32 and name == "D0":
            keep = 0 if width >= 32 else keep
        self.state[name] = Value("u", size, keep | raw << low)

    def _expression(self, live: bool, least: int = 0) -> Value:
        if least == 0:
            condition = self._expression(live, 1)
            if self._peek() != "?":
                return condition
            self._take()
            chosen = bool(condition.raw)
            first = self._expression(live and chosen)
            self._take(":")
            second = self._expression(live and not chosen)
            return first if chosen else second
        left = self._unary(live)
        while self._peek() in _BINARY and _BINARY[self._peek()] >= least:
            op = self._take()
            right = self._expression(live, _BINARY[op] + 1)
            left = self._binary(op, left, right) if live else left
        return left

    def _unary(self, live: bool) -> Value:
        token = self._peek()
        if token in ("-", "~", "!", "+"):
            self._take()
            value = self._unary(live)
            if not live or token == "+":
                return value
            if token == "!":
                return u(1, int(not value.raw))
            if token == "~":
                return Value(
                    "u" if value.kind == "n" else value.kind, value.width, ~value.raw & ((1 << value.width) - 1)
                )
            if value.kind == "f":
                return Value("f", value.width, value.raw ^ 1 << (value.width - 1))
            return number(-value.raw) if value.kind == "n" else i(value.width, -integer(value))
        return self._postfix(live)

    def _postfix(self, live: bool) -> Value:
        token = self._take()
        path: list[tuple[str, Any]] = []
        if token == "(":
            value = self._expression(live)
            self._take(")")
        elif token == "{":
            parts = [self._expression(live)]
            while self._peek() == ",":
                self._take()
                parts.append(self._expression(live))
            self._take("}")
            raw = width = 0
            for part in parts:
                raw, width = raw << part.width | part.raw, width + part.width
            value = u(width, raw)
        elif re.match(r"\d+'[UIFB]$", token):
            self._take("(")
            inner = self._expression(live)
            self._take(")")
            size, letter = token.split("'")
            value = cast_to(inner, letter.lower(), int(size)) if live else inner
        elif token[:1].isdigit():
            value = _literal(token)
        elif self._peek() == "(" and token not in ("then",):
            value = self._call(token, live)
        elif token in _CONSTANTS:
            width = 32 if token.endswith("F32") else 64
            if self._peek() == ".":
                self._take()
                width = int(self._take()[1:])
            return real(width, _CONSTANTS[token])
        elif re.match(r"[A-Za-z_]\w*$", token):
            if token not in self.state and live:
                raise Unknown(f"{token} is not known")
            value = self.state.get(token, u(64, 0))
        else:
            raise Unknown(f"expression at {token!r}")
        while self._peek() in (".", "["):
            path.append(self._selector(live))
        return self._select(value, path) if live else value

    def _call(self, name: str, live: bool) -> Value:
        self._take("(")
        arguments = []
        while self._peek() != ")":
            arguments.append(self._expression(live))
            if self._peek() == ",":
                self._take()
        self._take(")")
        if not live:
            return u(32, 0)
        if name == "f32_to_f16" and self.state.get("ROUND_MODE", u(2, 0)).raw == 3:
            return _toward_zero(arguments[0])
        if name in FUNCTIONS:
            return FUNCTIONS[name](*arguments)
        if name not in self.library:
            raise Unknown(f"{name}()")
        inner = dict(self.state) | {f"S{n}": u(64, v.raw) for n, v in enumerate(arguments)} | {"D0": u(64, 0)}
        Program(self.library[name], self.library).run(inner)
        kind = re.search(r"_([fiu])(\d+)$|_(u)8$", name)
        if kind is None:
            raise Unknown(f"{name}()")
        return view(inner["D0"], kind[1], 32 if kind[2] == "8" else int(kind[2]))

    def _binary(self, op: str, a: Value, b: Value) -> Value:
        if op == "**":
            if float(floating(a)) != 2.0:
                raise Unknown("power of another number than two")
            return Value("p", 32, integer(b))  # only ever a factor
        if b.kind == "p":
            return _ldexp(a, number(b.raw))
        if op in ("&&", "||"):
            return u(1, int(bool(a.raw) and bool(b.raw) if op == "&&" else bool(a.raw) or bool(b.raw)))
        if "f" in (a.kind, b.kind):
            return self._float_binary(op, a, b)
        kind = (
            b.kind
            if a.kind == "n"
            else a.kind
            if b.kind == "n" or op in ("<<", ">>")
            else "u"
            if "u" in (a.kind, b.kind)
            else "i"
        )
        width = (
            b.width
            if a.kind == "n" and b.kind != "n"
            else a.width
            if b.kind == "n" or op in ("<<", ">>")
            else max(a.width, b.width)
        )
        width = max(width, 32)  # parts of registers do not overflow
        x, y = integer(a), integer(b)
        if op in ("==", "!=", "<>", "<", ">", "<=", ">="):
            if kind == "u" and "n" not in (a.kind, b.kind):
                x, y = x & ((1 << width) - 1), y & ((1 << width) - 1)
            r = {"==": x == y, "!=": x != y, "<>": x != y, "<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y}[op]
            return u(1, int(r))
        if op in ("/", "%") and y == 0:
            raise Unknown("division by zero")
        raw = {
            "+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y, "/": lambda: int(x / y), "%": lambda: x % y,
            "&": lambda: x & y, "|": lambda: x | y, "^": lambda: x ^ y,
            "<<": lambda: x << min(y, 256), ">>": lambda: x >> min(y, 256),
        }[op]()  # fmt: skip
        return number(raw) if kind == "n" else Value(kind, width, raw & ((1 << width) - 1))

    def _float_binary(self, op: str, a: Value, b: Value) -> Value:
        width = max(v.width for v in (a, b) if v.kind == "f")
        floats = _NUMPY[width][1]
        with np.errstate(all="ignore"):
            x, y = floats(floating(a)), floats(floating(b))
            if op in ("==", "!=", "<>", "<", ">", "<=", ">="):
                r = {
                    "==": x == y,
                    "!=": x != y,
                    "<>": x < y or x > y,
                    "<": x < y,
                    ">": x > y,
                    "<=": x <= y,
                    ">=": x >= y,
                }[op]
                return u(1, int(bool(r)))
            if op not in "+-*/":
                raise Unknown(f"{op} of floats")
            return real(width, {"+": x + y, "-": x - y, "*": x * y, "/": x / y if op == "/" else x}[op])

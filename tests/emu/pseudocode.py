"""An interpreter of the pseudocode in AMD's ISA manuals, which tinygrad's wheel holds as data.

It reads the statements of one lane: assignments, if, for, slices, concatenations, casts. What it does not know raises
``Unknown``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.emu.pseudocode_functions import FUNCTIONS, f32_to_f16_toward_zero, ldexp
from tests.emu.pseudocode_values import NUMPY, Unknown, Value, cast_to, floating, i, integer, number, real, u, view

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
        # A lane's own registers by their numbers.
        text = re.sub(r"VGPR\[laneId\]\[(SRC|VDST)(\d?)\.u32\]", lambda m: "D0" if m[1] == "VDST" else f"S{m[2]}", text)
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
        if not live or name == "TRAPSTS":  # exceptions are not looked at
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
            return f32_to_f16_toward_zero(arguments[0])
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
            return ldexp(a, number(b.raw))
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
        floats = NUMPY[width][1]
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

"""Arguments of calls in host code, evaluated as g++ does it.

C++ leaves open in which order the arguments of a call are evaluated. nvcc's host code is g++'s, which goes from the
last to the first; clang goes from the first to the last. ``make_float2(next(), next())`` would have its members
swapped. So where at least two arguments of a call do something, they are evaluated beforehand, in g++'s order, and the
call is given what they made::

    ({ auto&& b = next(); auto&& a = next(); make_float2(static_cast<decltype(a)>(a), static_cast<decltype(b)>(b)); })

Only where that is the same in all other respects: not outside of functions, nor in declarations of variables, nor where
a call's result is a place that is written to, nor where an argument holds a temporary object that its value refers to.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from cassc.hip.tokens import Edit, Kind, Token

_OPEN = {"(": ")", "[": "]", "{": "}"}
_ON_DEVICE = frozenset(("__device__", "__global__", "constexpr", "consteval"))
# What may stand in front of a call that is an expression, and behind it where its result is only a value.
_BEFORE = frozenset("( , = { ; } return + - / % < > <= >= == != && || ! ? : << >> += -= *= /= [ ) else".split())
_BEHIND = frozenset("; , ) } ] + - * / % < > <= >= == != && || ? : << >>".split())
_TEMPLATES = frozenset(("static_cast", "reinterpret_cast", "const_cast", "pair", "tuple", "vector", "map"))
_STEPS = frozenset(("++", "--", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="))
# Words that a file has for the device's.
_DEVICE_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t][^\n]*\b__(device|global)__", re.MULTILINE)
# Functions that read their arguments and do nothing else.
_PURE = re.compile(
    r"(?:std|ceil|floor|round|trunc|fabs|abs|labs|sqrt|cbrt|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|exp|exp2|log|log2|"
    r"log10|pow|fmod|hypot|fmin|fmax|fma|ldexp|isnan|isinf|signbit|copysign|erf|erfc|rsqrt)[fl]?|min|max|size|data|begin|end|"
    r"cbegin|cend|length|empty|front|back|at|get|count|c_str|strlen|cudaGetErrorString|cudaGetErrorName|make_\w+|dim3|"
    r"(?:u?int|float|double|half|char|short|long|uchar|ushort|ulong)\d?|u?int\d+_t|size_t|__half2float|__float2half|"
    r"__bfloat162float|__float2bfloat16|static_cast|reinterpret_cast|const_cast|sizeof|alignof|decltype|string"
)


def edits(stream: Sequence[Token], text: str) -> list[Edit]:
    """Of a source's tokens, without comments. Lines stay where they are."""
    return _Calls(stream, text).edits()


def _closing(stream: Sequence[Token], opening: int) -> int:
    depth = 0
    for position in range(opening, len(stream)):
        depth += (stream[position].text in _OPEN) - (stream[position].text in _OPEN.values())
        if depth == 0:
            return position
    return len(stream) - 1


def _opening(stream: Sequence[Token], closing: int) -> int:
    depth = 0
    for position in range(closing, 0, -1):
        depth += (stream[position].text == ")") - (stream[position].text == "(")
        if depth == 0:
            return position
    return 0


def _host_bodies(stream: Sequence[Token], on_device: Collection[str]) -> Iterator[tuple[int, int, bool]]:
    """The bodies of functions that run on the host alone, and whether they return references."""
    position = 0
    while position < len(stream):
        if stream[position].text != "{" or not is_body(stream, position):
            position += 1
            continue
        end = _closing(stream, position)
        if not _specifiers(stream, position).intersection(on_device):
            yield position + 1, end, _returns_reference(stream, position)
        position = end + 1


def is_body(stream: Sequence[Token], opening: int) -> bool:
    """Whether a brace opens the body of a function."""
    before = opening - 1
    while before > 0 and stream[before].text in ("const", "noexcept", "override", "final", "mutable"):
        before -= 1
    if stream[before].text == ")":
        return True
    # A trailing return type, or members that are initialised in front of a constructor's body.
    words = [t.text for t in stream[max(0, before - 8) : before + 1]]
    return "->" in words


def _returns_reference(stream: Sequence[Token], body: int) -> bool:
    """Whether there is a reference in front of a function's parameters, or in its trailing return type."""
    closing = body - 1
    while closing > 0 and stream[closing].text != ")":
        if stream[closing].text in ("&", "&&"):
            return True
        closing -= 1
    for position in range(_opening(stream, closing) - 1, -1, -1):
        if stream[position].text in ("&", "&&"):
            return True
        if stream[position].text in (";", "}", "{", "#"):
            break
    return False


def _specifiers(stream: Sequence[Token], opening: int) -> set[str]:
    """The words between the last statement, and the body."""
    words: set[str] = set()
    for position in range(opening - 1, -1, -1):
        text = stream[position].text
        if text in (";", "}", "{", "#"):
            break
        words.add(text)
    return words


@dataclass(frozen=True, slots=True)
class _Call:
    """Positions of tokens. ``busy``: numbers of the arguments that do something."""

    first: int
    closing: int
    arguments: Sequence[tuple[int, int]]
    busy: Sequence[int]


class _Calls:
    def __init__(self, stream: Sequence[Token], text: str) -> None:
        self.stream = stream
        self.on_device = _ON_DEVICE | {name for name, _ in _DEVICE_MACRO.findall(text)}
        self.reference = False
        self.data = text.encode(errors="surrogateescape")
        self.macros = {
            stream[i + 2].text
            for i in range(len(stream) - 2)
            if stream[i].text == "#" and stream[i + 1].text == "define"
        }

    def edits(self) -> list[Edit]:
        made: list[Edit] = []
        for first, last, reference in _host_bodies(self.stream, self.on_device):
            self.reference = reference
            position = first
            while position < last:
                if self.stream[position].text == "{" and _specifiers(self.stream, position) & self.on_device:
                    position = _closing(self.stream, position)  # a lambda for the device
                call = self.call(position)
                if call is not None and call.closing < last:
                    made += self.ordered(call)
                    position = call.closing
                position += 1
        return made

    def call(self, position: int) -> _Call | None:
        """The call whose function's name begins there, if its arguments are to be put in order."""
        stream, token = self.stream, self.stream[position]
        if token.kind is not Kind.IDENTIFIER or not self.begins(position):
            return None
        opening = _name_end(stream, position)
        if opening is None or stream[opening].text != "(":
            return None
        name = stream[opening - 1].text
        if {token.text, name} & self.macros or re.fullmatch(r"[A-Z][A-Z0-9_]{3,}|assert", token.text):
            return None
        closing = _closing(stream, opening)
        if closing + 1 >= len(stream) or stream[closing + 1].text not in _BEHIND:
            return None
        if stream[position - 1].text == ":" and stream[position - 2].text == ")":
            return None  # a member that is initialised
        if any(t.text in ("#", "<<<", ";") or t.text.startswith('R"') for t in stream[opening : closing + 1]):
            return None
        arguments = list(_split(stream, opening, closing))
        busy = [number for number, part in enumerate(arguments) if _does_something(stream, *part)]
        if len(busy) < 2 or any(_refers_to_a_temporary(stream, *part) for part in arguments):
            return None
        return _Call(position, closing, arguments, busy)

    def begins(self, position: int) -> bool:
        """Whether what stands in front of a name makes it the begin of an expression."""
        before = self.stream[position - 1].text
        if before == "return" and self.reference or before == "=" and self.stream[position - 3].text in ("&", "&&"):
            return False  # what is made beforehand would not live long enough
        if before == "*":  # of a pointer's, or a product's; a declaration's follows a type
            return self.stream[position - 2].text in _BEFORE - {")", "]"}
        if before == ")" and self.stream[_opening(self.stream, position - 1) - 1].text == "new":
            return False
        return before in _BEFORE

    def ordered(self, call: _Call) -> Iterator[Edit]:
        stream = self.stream
        begin, end = stream[call.first].offset, stream[call.closing].end
        yield Edit(begin, begin, f"({{ {self.beforehand(call)}")
        for number in call.busy:
            first, last = call.arguments[number]
            start, behind = stream[first].offset, stream[last].end
            lines = self.data[start:behind].count(b"\n")
            yield Edit(start, behind, self.made(call, number) + "\n" * lines)
        yield Edit(end, end, "; })")

    def beforehand(self, call: _Call) -> str:
        return "".join(
            f"auto&& {self.name(call, number)} = {self.text(*call.arguments[number])}; "
            for number in reversed(call.busy)
        )

    def name(self, call: _Call, number: int) -> str:
        return f"cassc_{self.stream[call.first].offset}_{number}"

    def made(self, call: _Call, number: int) -> str:
        name = self.name(call, number)
        return f"static_cast<decltype({name})>({name})"

    def text(self, first: int, last: int) -> str:
        """These tokens in one line, the calls among them in order too."""
        words: list[str] = []
        position = first
        while position <= last:
            call = self.call(position)
            if call is None or call.closing > last:
                words.append(self.stream[position].text)
                position += 1
                continue
            starts = {part[0]: (number, part[1]) for number, part in enumerate(call.arguments) if number in call.busy}
            words.append(f"({{ {self.beforehand(call)}")
            while position <= call.closing:
                number, end = starts.get(position, (-1, position))
                words.append(self.stream[position].text if number < 0 else self.made(call, number))
                position = end + 1
            words.append("; })")
        return " ".join(words)


def _name_end(stream: Sequence[Token], position: int) -> int | None:
    """Behind ``a::b<c>``, ``a.b`` or ``a->b``."""
    while stream[position].kind is Kind.IDENTIFIER:
        position += 1
        if stream[position].text == "<":
            depth = 0
            for end in range(position, min(position + 24, len(stream))):
                depth += (stream[end].text == "<") - (stream[end].text == ">")
                if stream[end].text in (";", "{", "(", "&&", "||"):
                    return None
                if depth == 0:
                    position = end + 1
                    break
            else:
                return None
        if stream[position].text not in ("::", ".", "->"):
            return position
        position += 1
    return None


def _split(stream: Sequence[Token], opening: int, closing: int) -> Iterator[tuple[int, int]]:
    """First and last token of each argument."""
    first, depth, angles = opening + 1, 0, 0
    for position in range(opening + 1, closing):
        text = stream[position].text
        depth += (text in _OPEN) - (text in _OPEN.values())
        if (
            depth == 0
            and text == "<"
            and stream[position - 1].text in ("static_cast", "reinterpret_cast", "pair", "vector")
        ):
            angles += 1
        elif depth == 0 and angles and text == ">":
            angles -= 1
        elif depth == 0 and angles == 0 and text == ",":
            yield first, position - 1
            first = position + 1
    if first < closing:
        yield first, closing - 1


def _does_something(stream: Sequence[Token], first: int, last: int) -> bool:
    for position in range(first, last + 1):
        token = stream[position]
        if token.text in _STEPS:
            return True
        called = position < last and stream[position + 1].text == "("
        if called and token.kind is Kind.IDENTIFIER and not _PURE.fullmatch(token.text):
            return True
        if called and token.text in (")", "]") and stream[first].text != "(":
            return True
    return False


def _refers_to_a_temporary(stream: Sequence[Token], first: int, last: int) -> bool:
    """A member of what a call gives, a lambda, or a list in braces: it is left as it is."""
    words = [t.text for t in stream[first : last + 1]]
    pairs = zip(words, words[1:], strict=False)
    return words[0] in ("{", "[") or any(pair in ((")", "."), (")", "->"), ("}", ".")) for pair in pairs)

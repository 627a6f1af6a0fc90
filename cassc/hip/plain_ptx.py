"""Inline PTX as the C++ that a person would have written in its place, where HIP has all of it.

(The source engine translates far more, over functions of its own: see ``cassc.hip.ptx``.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from cassc.hip.ptx.text import Instruction, Untranslated, operands_of, statements_of

_TYPES = {
    "u16": "unsigned short",
    "b16": "unsigned short",
    "s16": "short",
    "u32": "unsigned",
    "b32": "unsigned",
    "s32": "int",
    "u64": "unsigned long long",
    "b64": "unsigned long long",
    "s64": "long long",
    "f32": "float",
    "f64": "double",
    "pred": "bool",
}
CONSTRAINTS = {"r": "u32", "l": "u64", "h": "u16", "f": "f32", "d": "f64"}
_SPECIAL = {
    "laneid": "__lane_id()",
    "clock": "static_cast<unsigned>(clock64())",
    "clock64": "static_cast<unsigned long long>(clock64())",
    **{
        f"{name}.{axis}": f"{variable}.{axis}"
        for axis in "xyz"
        for name, variable in (("tid", "threadIdx"), ("ntid", "blockDim"), ("ctaid", "blockIdx"), ("nctaid", "gridDim"))
    },
}
_OPERATORS = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">"}
_HIGH = {"u32": "__umulhi", "s32": "__mulhi", "u64": "__umul64hi", "s64": "__mul64hi"}
_BITS = {"popc.b32": "__popc", "popc.b64": "__popcll", "clz.b32": "__clz", "clz.b64": "__clzll", "brev.b32": "__brev"}
_FLOATS = {"add": "__fadd_rn", "sub": "__fsub_rn", "mul": "__fmul_rn", "fma": "__fmaf_rn"}
_FENCES = {"cta": "__threadfence_block()", "gl": "__threadfence()", "sys": "__threadfence_system()"}


def statement(template: str, operands: Mapping[str, tuple[str, str]]) -> str:
    """One statement without its semicolon. ``operands``: what ``%0`` or ``%[name]`` stand for, and their PTX types.
    Raises Untranslated."""
    writer = _Writer(operands)
    lines = [line for text in statements_of(template) if text not in "{}" for line in writer.line(text)]
    if len(lines) == 1 and not writer.declared:
        return lines[0]
    return f"do {{ {' '.join(f'{line};' for line in lines)} }} while (0)"


class _Writer:
    def __init__(self, operands: Mapping[str, tuple[str, str]]) -> None:
        self.given = operands
        self.declared: dict[str, str] = {}
        self.text = ""

    def line(self, text: str) -> list[str]:
        self.text = text
        declaration = re.fullmatch(r"\.reg \.(\w+) ([\w$]+(?:, ?[\w$]+)*)", text)
        if declaration and declaration[1] in _TYPES:
            names = re.split(r", ?", declaration[2])
            if any(name in self.declared for name in names):
                raise Untranslated(text)
            self.declared.update(dict.fromkeys(names, declaration[1]))
            return [f"{_TYPES[declaration[1]]} {', '.join(names)}"]
        word, _, tail = text.partition(" ")
        name, *modifiers = word.split(".")
        instruction = Instruction(text, name, modifiers, operands_of(tail))
        try:
            return self.written(instruction)
        except (IndexError, KeyError, ValueError):
            raise Untranslated(text) from None

    def place(self, text: str) -> tuple[str, str]:
        """A register's C++, and its type."""
        if text in self.declared:
            return text, self.declared[text]
        match = re.fullmatch(r"%(\d+|\[\w+\])", text)
        if match and match[1].strip("[]") in self.given:
            return self.given[match[1].strip("[]")]
        raise Untranslated(self.text)

    def value(self, text: str, kind: str) -> str:
        special = text.lstrip("%")
        if text.startswith("%") and special in _SPECIAL:
            return _SPECIAL[special]
        if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", text):
            return text
        written, own = self.place(text)
        simple = re.fullmatch(r"\w+", written)
        if _TYPES[own] == _TYPES[kind]:
            return written if simple else f"({written})"
        if "f" in (own[0], kind[0]) or "pred" in (own, kind):
            raise Untranslated(self.text)
        return f"static_cast<{_TYPES[kind]}>({written})"

    def set(self, target: str, value: str) -> str:
        written, _ = self.place(target)
        return f"{written} = {value}"

    def written(self, i: Instruction) -> list[str]:
        writer: Callable[[Instruction], list[str]] | None = getattr(self, f"_{i.name}", None)
        kind = i.types[-1] if i.types else ""
        word = ".".join((i.name, *i.modifiers))
        if writer is not None:
            return writer(i)
        values = [self.value(o, kind) for o in i.operands[1:]] if kind in _TYPES else []
        if i.name in _OPERATORS and i.modifiers == [kind] and kind[0] != "f":
            return [self.set(i.operands[0], f"{values[0]} {_OPERATORS[i.name]} {values[1]}")]
        if word in _BITS:
            return [self.set(i.operands[0], f"{_BITS[word]}({values[0]})")]
        if i.name in _FLOATS and kind == "f32" and i.modifiers in (["rn", "f32"], ["f32"]):
            return [self.set(i.operands[0], f"{_FLOATS[i.name]}({', '.join(values)})")]
        fixed = {"not": "~{}", "prmt": "__byte_perm({}, {}, {})"}
        if i.name in fixed and i.modifiers == [kind]:
            return [self.set(i.operands[0], fixed[i.name].format(*values))]
        raise Untranslated(i.text)

    def _mov(self, i: Instruction) -> list[str]:
        target, source = i.operands
        kind = i.types[-1]
        if target.startswith("{"):
            low, high = (part.strip() for part in target.strip("{} ").split(","))
            whole = self.value(source, kind)
            return [
                self.set(low, f"static_cast<unsigned>({whole})"),
                self.set(high, f"static_cast<unsigned>({whole} >> 32)"),
            ]
        if source.startswith("{"):
            low, high = (self.value(part.strip(), "b32") for part in source.strip("{} ").split(","))
            return [self.set(target, f"static_cast<unsigned long long>({high}) << 32 | {low}")]
        return [self.set(target, self.value(source, kind))]

    def _mul(self, i: Instruction) -> list[str]:
        kind = i.types[-1]
        if kind[0] == "f":
            return [self.set(i.operands[0], f"{_FLOATS['mul']}({', '.join(self._of(i, 'f32'))})")]
        if i.modifiers == ["hi", kind]:
            return [self.set(i.operands[0], f"{_HIGH[kind]}({', '.join(self._of(i, kind))})")]
        return [self.set(i.operands[0], self._product(i))]

    def _mad(self, i: Instruction) -> list[str]:
        wide = i.types[-1][0] + "64" if i.has("wide") else i.types[-1]
        return [self.set(i.operands[0], f"{self._product(i)} + {self.value(i.operands[3], wide)}")]

    def _product(self, i: Instruction) -> str:
        kind = i.types[-1]
        a, b = (self.value(o, kind) for o in i.operands[1:3])
        if i.modifiers == ["wide", kind] and kind in ("u32", "s32"):
            return f"static_cast<{_TYPES[kind[0] + '64']}>({a}) * {b}"
        if i.modifiers in ([kind], ["lo", kind]) and kind[0] != "f":
            return f"{a} * {b}"
        raise Untranslated(i.text)

    def _of(self, i: Instruction, kind: str) -> list[str]:
        if kind == "f32" and i.modifiers not in (["rn", "f32"], ["f32"]):
            raise Untranslated(i.text)
        return [self.value(o, kind) for o in i.operands[1:]]

    def _selp(self, i: Instruction) -> list[str]:
        (kind,) = i.modifiers
        yes, no = (self.value(o, kind) for o in i.operands[1:3])
        return [self.set(i.operands[0], f"{self.value(i.operands[3], 'pred')} ? {yes} : {no}")]

    def _setp(self, i: Instruction) -> list[str]:
        comparison, kind = i.modifiers
        a, b = (self.value(o, kind) for o in i.operands[1:])
        return [self.set(i.operands[0], f"{a} {_COMPARISONS[comparison]} {b}")]

    def _cvt(self, i: Instruction) -> list[str]:
        to, source = i.modifiers
        if "f" in (to[0], source[0]):
            raise Untranslated(i.text)
        return [self.set(i.operands[0], f"static_cast<{_TYPES[to]}>({self.value(i.operands[1], source)})")]

    def _bar(self, i: Instruction) -> list[str]:
        if i.modifiers != ["sync"] or i.operands != ["0"]:
            raise Untranslated(i.text)
        return ["__syncthreads()"]

    def _membar(self, i: Instruction) -> list[str]:
        return [_FENCES[i.modifiers[0]]]

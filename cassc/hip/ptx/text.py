"""The text of PTX: types, statements, operands and numbers (PTX ISA 9.0, "Syntax")."""

from __future__ import annotations

import re
from dataclasses import dataclass

TYPES = {
    "b8": "unsigned char",
    "u8": "unsigned char",
    "s8": "signed char",
    "b16": "unsigned short",
    "u16": "unsigned short",
    "s16": "short",
    "b32": "unsigned",
    "u32": "unsigned",
    "s32": "int",
    "b64": "unsigned long long",
    "u64": "unsigned long long",
    "s64": "long long",
    "f16": "_Float16",
    "f32": "float",
    "f64": "double",
    "f16x2": "unsigned",
    "bf16": "unsigned short",
    "bf16x2": "unsigned",
    "tf32": "float",
    "pred": "bool",
}
SPACES = ("global", "shared", "local", "const", "param")
CONSTRAINTS = {"r": "u32", "l": "u64", "h": "u16", "f": "f32", "d": "f64"}


class Untranslated(Exception):
    """An instruction or an operand that is not translated; the message says which."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A C++ variable that stands for a register, and its PTX type."""

    name: str
    type: str


@dataclass(slots=True)
class Instruction:
    """``modifiers``: what stands behind the name's dots, in order."""

    text: str
    name: str
    modifiers: list[str]
    operands: list[str]

    def has(self, *names: str) -> bool:
        return any(name in self.modifiers for name in names)

    @property
    def type(self) -> str:
        """The last type among the modifiers."""
        for modifier in reversed(self.modifiers):
            if modifier in TYPES:
                return modifier
        raise Untranslated(self.text)

    @property
    def types(self) -> list[str]:
        return [m for m in self.modifiers if m in TYPES]


def literal(text: str, type_name: str) -> str:
    match = re.fullmatch(r"0[fF]([0-9a-fA-F]{8})", text)
    if match:
        return f"__builtin_bit_cast(float, 0x{match[1]}u)"
    match = re.fullmatch(r"0[dD]([0-9a-fA-F]{16})", text)
    if match:
        return f"__builtin_bit_cast(double, 0x{match[1]}ull)"
    if re.fullmatch(r"-?\d*\.\d*([eE][-+]?\d+)?|-?\d+[eE][-+]?\d+", text):
        return text
    if not re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?", text):
        raise Untranslated(text)
    return text.rstrip("U") + ("ll" if text.startswith("-") else "ull")


def statements_of(template: str) -> list[str]:
    """The statements of a template; a brace that opens or closes a scope is one."""
    text = re.sub(r"//[^\n]*", "", template)
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    statements, position = [], 0
    while position < len(text):
        if text[position] in "{}":
            statements.append(text[position])
        if text[position] in "{} \t\r\n;":
            position += 1
            continue
        end = text.find(";", position)
        if end < 0:
            end = len(text)
        statement = re.sub(r"\s+", " ", text[position:end]).strip()
        if re.match(r"[\w$]+\s*:(?!:)", statement):
            raise Untranslated(statement)
        statements.append(statement)
        position = end + 1
    return statements


def operands_of(text: str) -> list[str]:
    """Cut at commas that stand in no bracket."""
    parts, depth, current = [], 0, ""
    for letter in text:
        depth += (letter in "[{(") - (letter in "]})")
        if letter == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += letter
    if current.strip():
        parts.append(current.strip())
    return parts

"""Values and effects that the meaning of a SASS row is made of, when nothing is computed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from cassc.sass.builder import I16, I32, Type

_WORD_BITS = (1 << 32) - 1


class Untaught(Exception):
    """The instruction has no translation in the dialect that the teacher would give."""


@dataclass(eq=False, slots=True)
class Node:
    """A value. ``method`` is a builder method, or one of: const, slot, register, predicate, launch, word, truth."""

    method: str
    type: Type
    arguments: tuple[Node, ...] = ()
    parameters: tuple[tuple[str, Any], ...] = ()
    bits: int = 0
    text: str = ""

    def __bool__(self) -> bool:
        raise TypeError("a meaning may not branch on a value; use Builder.select")

    @property
    def known(self) -> int | None:
        return self.bits if self.method == "const" else None


@dataclass(eq=False, slots=True)
class Effect:
    """Something that happens in order: a memory access, an exchange between lanes. ``words``: what it gives."""

    name: str
    operands: tuple[Node, ...]
    kinds: str
    words: list[Node] = field(default_factory=list)
    result: str = ""


def rejoined(x: Node, y: Node) -> Node | None:
    """The word whose low half is ``x`` and whose high half, shifted to its place, is ``y``."""
    if x.method != "zext" or x.arguments[0].method != "trunc" or x.arguments[0].type is not I16:
        return None
    if y.method != "shl" or y.arguments[1].known != 16 or y.arguments[0].method != "zext":
        return None
    word = x.arguments[0].arguments[0]
    high = y.arguments[0].arguments[0]
    if high.method != "trunc" or high.arguments[0].method != "lshr" or high.arguments[0].arguments[1].known != 16:
        return None
    return word if high.arguments[0].arguments[0] is word else None


def split_offset(address: Node) -> tuple[Node, Node | None]:
    """Base and displacement of a sum."""
    if address.method == "add":
        base, offset = address.arguments
        if offset.method in ("const", "slot") and base.method not in ("const", "slot"):
            return base, offset
        if base.method == "slot" and offset.method not in ("const", "slot"):
            return offset, base
    return address, None


def sum_terms(x: Node) -> list[Node] | None:
    """The words whose zero extensions a 64-bit sum adds; constants are words too. None if it is another sum."""
    if x.method == "add":
        parts = [sum_terms(a) for a in x.arguments]
        return None if parts[0] is None or parts[1] is None else parts[0] + parts[1]
    if x.method == "zext" and x.arguments[0].type is I32:
        return [x.arguments[0]]
    if x.method == "pair" and x.arguments[1].known == 0:
        return [x.arguments[0]]
    if x.known is not None and x.known <= _WORD_BITS:
        return [Node("const", I32, bits=x.known)]
    return None

"""The syntax strings of rows: operand list, direction, printing and type at once.

A syntax is a comma-separated list of items::

    [flags] NAME [:TYPE] [{MOD}] [?] [=DEFAULT]

* flags: ``-`` may be negated, ``|`` may be taken absolute, ``!`` (predicates) may be negated, ``~`` may be inverted
  bitwise, ``^`` is a source that is not printed: the old value of a destination that the row changes in part. In rows
  with a modifier ``X`` that is set, an integer negation is a bitwise not and prints as ``~``.
* NAME: ``Rd`` a destination; ``A B C`` logical sources whose place the form field decides; ``UA UB UC`` likewise in the
  uniform datapath; a place of its own (``Ra Rb Rc URa URb URc Pu Pv Pp Pq Pr``), or an operand kind of `PLACES`.
* TYPE: ``u32 s32 u64 s64 f32 f64``, ``h2`` packed halves with swizzle, ``m2`` without, ``part`` a byte or half of a
  register by the modifier ``source`` or ``format``, ``w`` words of the access size, ``w1 w2 w4`` that many; ``int``
  a Python integer; default ``u32``.
  A mark may follow the type: ``row col sign low24 low28 pairs`` (see `MARKS`), ``rows columns``.
* ``{MOD}``: printed and allowed only if the modifier is set; ``?``: not printed at its default value.
* ``=DEFAULT``: the predicate's default (``PT`` or ``!PT``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DESTINATIONS = frozenset({"Rd", "Rd2", "URd", "Pu", "Pv", "UPu", "UPv", "PRd", "Rpcd"})

# Printed after the register: which part of it the row uses, or how a matrix lies.
MARKS = {"row": "ROW", "col": "COL", "sign": "SIGN", "low24": "24", "low28": "28", "pairs": "F32x2.HI_LO"}
# Marks that a modifier of the name chooses.
CHOSEN_MARKS = frozenset({"rows", "columns"})

_ITEM = re.compile(
    r"(?P<flags>[-|!~^]*)(?P<name>[A-Za-z][A-Za-z0-9]*)(?::(?P<type>[a-z]+\d*)(?P<mark>rows|columns|row|col|sign|low24|low28|pairs)?)?(?:\{(?P<mod>!?\w+)\})?(?P<optional>\??)"
    r"(?:=(?P<default>!?PT))?$"
)


@dataclass(frozen=True, slots=True)
class Token:
    """One operand of a row's syntax."""

    name: str
    type: str = "u32"
    dest: bool = False
    negatable: bool = False
    absolutable: bool = False
    invertible: bool = False
    inverting: bool = False
    hidden: bool = False
    optional: bool = False
    when: str = ""
    default: str = "PT"
    mark: str = ""


def parse(syntax: str) -> tuple[Token, ...]:
    """ValueError for a malformed item."""
    tokens = []
    for item in filter(None, (part.strip() for part in syntax.split(","))):
        match = _ITEM.match(item)
        if match is None:
            raise ValueError(f"malformed syntax item {item!r}")
        name = match["name"]
        tokens.append(
            Token(
                name=name,
                type=match["type"] or ("pred" if name.lstrip("U")[:1] == "P" and len(name.lstrip("U")) == 2 else "u32"),
                dest=name in DESTINATIONS and "^" not in match["flags"],
                negatable="-" in match["flags"],
                absolutable="|" in match["flags"],
                invertible="!" in match["flags"],
                inverting="~" in match["flags"],
                hidden="^" in match["flags"],
                optional=bool(match["optional"]),
                when=match["mod"] or "",
                default=match["default"] or "PT",
                mark=MARKS.get(match["mark"], match["mark"] or ""),
            )
        )
    return tuple(tokens)

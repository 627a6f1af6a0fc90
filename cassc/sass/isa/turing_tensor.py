"""Matrix products of 8x8x4 halves by groups of eight lanes: sm_75's HMMA.884, in steps of some columns each.

Layouts (PTX ISA, ``mma.m8n8k4``): lanes 4q to 4q+3 and 4q+16 to 4q+19 form a group. A row-major A gives row r to lane
r % 4 of the group's half r / 4, a column-major A column k to lane k; B likewise with columns for rows. Which elements a
step computes, and how products are summed, were read off the subroutines that nvcc calls for this shape since sm_80.
"""

from __future__ import annotations

from cassc.sass.builder import F16, F32, I32, Builder, Value
from cassc.sass.isa.half import halves, packed
from cassc.sass.isa.tensor import MMA_APPROX
from cassc.sass.row import Instruction, choice, effects, form, insn

Words = tuple[Value, ...]

LAYOUTS = (choice("rows", 73, 1, "ROW COL", printed=False), choice("columns", 74, 1, "ROW COL", printed=False))
WHY = "the subroutine that nvcc calls for the same PTX instruction on sm_80 and sm_90"


def _pick(b: Builder, first: Value, second: Value, bit: Value) -> Value:
    """``second`` where the lowest bit of ``bit`` is set."""
    return b.select(b.compare("ne", b.and_(bit, b.const(I32, 1)), b.const(I32, 0), signed=False), second, first)


class _Group:
    """The lanes of a group, seen from the own one.

    Attributes:
        half: first lane of the own four.
        low: first lane of the group's first four, as B's columns 0 to 3 lie.
    """

    def __init__(self, b: Builder) -> None:
        self.b = b
        self.lane = b.special("laneid")
        self.half = b.and_(self.lane, b.const(I32, 0x1C))
        self.low = b.and_(self.lane, b.const(I32, 0x0C))

    def line(self, words: Words, crossing: bool, first: Value, index: Value) -> list[Value]:
        """Four elements (F32) of a row of A or a column of B with number ``index`` (0 to 3) among those that start at
        lane ``first``. ``crossing``: a lane holds an element of each of the four lines rather than one line."""
        b = self.b
        if not crossing:
            source = b.or_(first, index)
            return [b.fconvert(h, F32) for word in words for h in halves(b, b.shuffle(word, source))]
        elements: list[Value] = []
        for k in range(4):
            source = b.or_(first, b.const(I32, k))
            low, high = (b.shuffle(word, source) for word in words)
            word = _pick(b, low, high, b.lshr(index, b.const(I32, 1)))
            even, odd = halves(b, word)
            elements.append(_pick(b, b.fconvert(even, F32), b.fconvert(odd, F32), index))
        return elements

    def product(self, xs: list[Value], ys: list[Value], c: Value) -> Value:
        total = self.b.const(F32, 0)
        for x, y in zip(xs, ys, strict=True):
            total = self.b.fma(x, y, total)
        return self.b.fadd(c, total)

    def column(self, i: Instruction, words: Words, upper: bool, index: Value) -> list[Value]:
        """Of B; ``upper``: of the columns 4 to 7."""
        first = self.b.or_(self.low, self.b.const(I32, 16 if upper else 0))
        return self.line(words, i.mods["columns"] == "ROW", first, index)


SHAPE = ("HMMA.884", 0x036, "Rd:w2, A:w2rows, Rb:w2columns, Rc:w2", form(1))


@insn(
    *SHAPE,
    choice("result", 76, 1, "- F32"),
    choice("accumulate", 78, 1, "F16 F32"),
    choice("step", 79, 2, "STEP0 STEP1 STEP2 STEP3"),
    *LAYOUTS,
    last_sm=75,
    approx=MMA_APPROX,
    argued=WHY,
)
@effects
def hmma_884(b: Builder, i: Instruction, a: Words, columns: Words, c: Words) -> tuple[Words]:
    """Elements 2s and 2s + 1 of step s: element e is of row (lane & 1) + (e & 2) of the own half, column
    (e & 4) + (lane & 2) + (e & 1)."""
    group = _Group(b)
    step = int(i.mods["step"][-1])
    row = b.or_(b.and_(group.lane, b.const(I32, 1)), b.const(I32, 2 * (step & 1)))
    xs = group.line(a, i.mods["rows"] == "COL", group.half, row)
    results = []
    for j in (0, 1):
        column = b.or_(b.and_(group.lane, b.const(I32, 2)), b.const(I32, j))
        if i.mods["accumulate"] == "F32":
            start = b.bitcast(c[j], F32)
        else:  # halves lie like the result of the form below: a row in each lane, here four columns of it
            low, high = (b.shuffle(word, b.or_(group.half, row)) for word in c)
            word = _pick(b, low, high, b.lshr(column, b.const(I32, 1)))
            start = b.fconvert(halves(b, word)[j], F32)
        ys = group.column(i, columns, step >= 2, column)
        results.append(b.bitcast(group.product(xs, ys, start), I32))
    return (tuple(results),)


@insn(
    *SHAPE,
    choice("result", 76, 1, "F16"),
    choice("accumulate", 78, 1, "F16"),
    choice("step", 79, 2, "STEP0 STEP1"),
    *LAYOUTS,
    last_sm=75,
    approx=MMA_APPROX,
    argued=WHY,
)
@effects
def hmma_884_half(b: Builder, i: Instruction, a: Words, columns: Words, c: Words) -> tuple[Words]:
    """Columns 4s to 4s + 3 of step s, of the row of the own lane."""
    group = _Group(b)
    xs = group.line(a, i.mods["rows"] == "COL", group.half, b.and_(group.lane, b.const(I32, 3)))
    results = []
    for j, start in enumerate(half for word in c for half in halves(b, word)):
        ys = group.column(i, columns, i.mods["step"] == "STEP1", b.const(I32, j))
        results.append(b.fconvert(group.product(xs, ys, b.fconvert(start, F32)), F16))
    return ((packed(b, results[0], results[1]), packed(b, results[2], results[3])),)

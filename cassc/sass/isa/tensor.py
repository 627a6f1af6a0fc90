"""Matrix multiply-add of a warp (HMMA, IMMA, DMMA, BMMA) and the moves of 8x8 tiles (LDSM, STSM, MOVM).

The meanings are in the terms of lanes: every lane gathers what its elements of the result need by shuffles. The
distribution of the matrices over lanes and registers is that of PTX ISA, "Matrix Fragments for mma": lane l holds in
its row g = l / 4 (A), column g (B), row g and columns 2t, 2t+1 (C and D), where t = l mod 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

from cassc.sass.builder import BF16, F16, F32, F64, I8, I16, I32, I64, Builder, Space, Type, Value
from cassc.sass.fields import Field
from cassc.sass.isa.half import halves, packed
from cassc.sass.isa.video import lanes_of
from cassc.sass.row import NEWEST_SM, Instruction, Modifier, choice, effects, flag, form, insn, split, undone

Words = tuple[Value, ...]
T = TypeVar("T")


def lane_parts(b: Builder) -> tuple[Value, Value]:
    """First lane of the own group of four, and the place in it."""
    lane = b.special("laneid")
    three = b.const(I32, 3)
    return b.and_(lane, b.not_(three)), b.and_(lane, three)


def multiply(
    b: Builder,
    a: Words,
    columns: Words,
    accumulators: Sequence[T],
    operate: Callable[[T, Words, Words], T],
    *,
    rows: int,
    words: int = 1,
) -> list[T]:
    """Accumulators are those of row g (columns 2t and 2t+1), then of row g + 8 if ``rows`` is 16.

    Args:
        operate: has an accumulator and the words of A and of B that meet in it; gives the next accumulator.
        words: registers of one element of A or B: 2 for doubles.
    """
    group, t = lane_parts(b)
    halves_of_rows = rows // 8
    blocks = len(columns) // words
    column_lanes = [b.shl(b.add(b.shl(t, b.const(I32, 1)), b.const(I32, j)), b.const(I32, 2)) for j in (0, 1)]
    results = list(accumulators)
    for block in range(blocks):
        for source in range(4):
            from_lane = b.or_(group, b.const(I32, source))
            a_words = [
                tuple(b.shuffle(a[(block * halves_of_rows + h) * words + w], from_lane) for w in range(words))
                for h in range(halves_of_rows)
            ]
            b_words = [
                tuple(b.shuffle(columns[block * words + w], b.or_(lane, b.const(I32, source))) for w in range(words))
                for lane in column_lanes
            ]
            for h in range(halves_of_rows):
                for j in (0, 1):
                    k = 2 * h + j
                    results[k] = operate(results[k], a_words[h], b_words[j])
    return results


# Floating point ----------------------------------------------------------------------------------------------------
MMA_APPROX = "the order and the rounding of the additions inside of a matrix product"
HMMA_APPROX = f"{MMA_APPROX}; on request those of an H100"


@dataclass(frozen=True, slots=True)
class Factors:
    """Attributes:
    of: the factors that a word holds, as F32.
    least: exponent of the smallest normal number of their format.
    """

    of: Callable[[Value], Sequence[Value]]
    least: int


def halves_of(b: Builder, type: Type) -> Factors:
    """``type``: F16 or BF16."""
    return Factors(lambda word: [b.fconvert(h, F32) for h in halves(b, word, type)], -14 if type is F16 else -126)


def tf32_of(b: Builder) -> Factors:
    """The low 13 bits of the words are not looked at."""
    return Factors(lambda word: [b.bitcast(b.and_(word, b.const(I32, -0x2000)), F32)], -126)


class Walk(Protocol):
    """Goes to where words of A and of B meet, as `multiply` does."""

    def __call__(self, accumulators: Sequence[T], operate: Callable[[T, Words, Words], T]) -> list[T]: ...


def _sums(b: Builder, totals: list[Value], factors: Factors, walk: Walk) -> list[Value]:
    """Each of the totals and the products of the factors that meet in it, all at once."""
    met: list[tuple[list[Value], list[Value]]] = [([], []) for _ in totals]

    def note(place: int, x: Words, y: Words) -> int:
        met[place][0].extend(factors.of(x[0]))
        met[place][1].extend(factors.of(y[0]))
        return place

    walk(range(len(totals)), note)
    return [b.tensor_sum(total, *pairs, factors.least) for total, pairs in zip(totals, met, strict=True)]


def _signed(b: Builder, i: Instruction, position: int, words: Words) -> Words:
    """Negation of a whole matrix of halves."""
    if not getattr(i.operands[position], "negated", False):
        return words
    return tuple(b.xor(word, b.const(I32, 0x80008000)) for word in words)


def _hmma(b: Builder, i: Instruction, a: Words, columns: Words, c: Words, factors: Factors) -> tuple[Words]:
    a, columns = _signed(b, i, 1, a), _signed(b, i, 2, columns)
    return (product(b, a, columns, c, factors),)


def product(b: Builder, a: Words, columns: Words, c: Words, factors: Factors) -> Words:
    """`sums_of` the products of two matrices."""
    return sums_of(b, c, factors, partial(multiply, b, a, columns, rows=16))


def sums_of(b: Builder, c: Words, factors: Factors, walk: Walk) -> Words:
    """Sixteen rows; sums are of 32 bits each, or packed halves where ``c`` has two words."""
    if len(c) == 2:
        sums = [b.fconvert(h, F32) for word in c for h in halves(b, word)]
        results = [b.fconvert(r, F16) for r in _sums(b, sums, factors, walk)]
        return packed(b, results[0], results[1]), packed(b, results[2], results[3])
    sums = [b.bitcast(word, F32) for word in c]
    return tuple(b.bitcast(r, I32) for r in _sums(b, sums, factors, walk))


def shape(number: int, name: str) -> Modifier:
    return split("shape", [(75, 1), (78, 1)], {number: name})


def accumulate(name: str) -> Modifier:
    return choice("accumulate", 76, 1, "F16" if name == "F16" else "- F32")


HALF_TYPE, TF32 = choice("type", 82, 2, "_ BF16"), choice("type", 82, 2, "- - TF32")
NO_SPARSE = {Field(73, 1): 0}

PLAIN_TYPE = choice("type", 82, 2, "_")
for _number, _name, _a, _b, _first in ((0, "1688", 2, 1, 75), (1, "16816", 4, 2, 80)):
    for _kind, _c, _types, _from, _to in (
        ("F16", 2, PLAIN_TYPE, _first, NEWEST_SM),
        ("F32", 4, HALF_TYPE, 80, NEWEST_SM),
        ("F32", 4, PLAIN_TYPE, _first, 75),
    ):
        if _from > _to:
            continue

        @insn(
            "HMMA",
            0x03C,
            f"Rd:w{_c}, -A:w{_a}, -Rb:w{_b}, Rc:w{_c}",
            form(1),
            shape(_number, _name),
            accumulate(_kind),
            _types,
            fixed=NO_SPARSE,
            first_sm=_from,
            last_sm=_to,
            approx=HMMA_APPROX,
        )
        @effects
        def hmma(b: Builder, i: Instruction, a: Words, columns: Words, c: Words) -> tuple[Words]:
            return _hmma(b, i, a, columns, c, halves_of(b, BF16 if i.mod("type") == "BF16" else F16))


for _number, _name, _a, _b in ((2, "1684", 2, 1), (0, "1688", 4, 2)):

    @insn(
        "HMMA",
        0x03C,
        f"Rd:w4, A:w{_a}, Rb:w{_b}, Rc:w4",
        form(1),
        shape(_number, _name),
        accumulate("F32"),
        TF32,
        fixed=NO_SPARSE,
        first_sm=80,
        approx=HMMA_APPROX,
    )
    @effects
    def hmma_tf32(b: Builder, i: Instruction, a: Words, columns: Words, c: Words) -> tuple[Words]:
        return _hmma(b, i, a, columns, c, tf32_of(b))


# Integers ----------------------------------------------------------------------------------------------------------
def _elements(b: Builder, word: Value, kind: str) -> list[Value]:
    """The bytes or nibbles of a word, extended to I32."""
    if kind.endswith("8"):
        return [(b.sext if kind.startswith("S") else b.zext)(v, I32) for v in lanes_of(b, word, I8)]
    moved = [b.shl(word, b.const(I32, 28 - lo)) for lo in range(0, 32, 4)]
    return [(b.ashr if kind.startswith("S") else b.lshr)(v, b.const(I32, 28)) for v in moved]


def _saturated(b: Builder, x: Value) -> Value:
    """I64 clamped to the range of I32."""
    high = b.smin(x, b.const(I64, (1 << 31) - 1))
    return b.lo(b.smax(high, b.const(I64, -(1 << 31))))


def integer_sums(b: Builder, i: Instruction, c: Words, walk: Walk) -> Words:
    """SAT clamps the sum (of exact products) at the end."""

    def operate(total: Value, x: Words, y: Words) -> Value:
        for v, w in zip(_elements(b, x[0], i.mods["A"]), _elements(b, y[0], i.mods["B"]), strict=True):
            product = b.mul(v, w)
            total = b.add(total, b.sext(product, I64) if i.has("SAT") else product)
        return total

    sums = [b.sext(word, I64) if i.has("SAT") else word for word in c]
    return tuple(_saturated(b, r) if i.has("SAT") else r for r in walk(sums, operate))


A_KIND = split("A", [(76, 2), (83, 1)], {0: "U8", 1: "S8", 4: "U4", 5: "S4"})
B_KIND = split("B", [(78, 2), (84, 1)], {0: "U8", 1: "S8", 4: "U4", 5: "S4"})
SAT = flag("SAT", 82)
IMMA_FIXED = {Field(72, 1): 0, Field(73, 2): 2}


def imma_shape(numbers: dict[int, str]) -> Modifier:
    return split("shape", [(75, 1), (85, 2)], numbers)


# Registers of A, B and C by shape; 16832 is of 8- or of 4-bit elements, which take half the registers.
IMMA_SHAPES = (
    ({0: "8816"}, 1, 1, 2, "8", 90),
    ({4: "16816"}, 2, 1, 4, "8", NEWEST_SM),
    ({5: "16832"}, 4, 2, 4, "8", NEWEST_SM),
    ({2: "8832"}, 1, 1, 2, "4", 89),
    ({5: "16832"}, 2, 1, 4, "4", 89),
    ({6: "16864"}, 4, 2, 4, "4", 89),
)


def of_width(modifier: Modifier, width: str) -> Modifier:
    names = tuple(n if n is not None and n.endswith(width) else None for n in modifier.names)
    return Modifier(modifier.name, modifier.field, names)


for _shapes, _a, _b, _c, _width, _last in IMMA_SHAPES:

    @insn(
        "IMMA",
        0x037,
        f"Rd:w{_c}, A:w{_a}row, Rb:w{_b}col, Rc:w{_c}",
        form(1),
        imma_shape(_shapes),
        of_width(A_KIND, _width),
        of_width(B_KIND, _width),
        SAT,
        fixed=IMMA_FIXED,
        first_sm=80 if _a > 1 else 75,
        last_sm=_last,
    )
    @effects
    def imma(b: Builder, i: Instruction, a: Words, columns: Words, c: Words) -> tuple[Words]:
        return (integer_sums(b, i, c, partial(multiply, b, a, columns, rows=4 * len(c))),)


for _number, _name, _a, _b, _c in ((0, "88128", 1, 1, 2), (1, "168128", 2, 1, 4), (2, "168256", 4, 2, 4)):
    _bmma = (
        "BMMA",
        0x03D,
        f"Rd:w{_c}, A:w{_a}row, Rb:w{_b}col, Rc:w{_c}",
        form(1),
        split("shape", [(75, 2)], {_number: _name}),
    )
    _popc = choice("count", 80, 1, "- POPC")

    @insn(*_bmma, choice("op", 77, 2, "XOR - AND"), _popc, fixed={Field(73, 2): 2}, first_sm=80, last_sm=89)
    @insn(*_bmma, choice("op", 77, 2, "- - AND"), _popc, fixed={Field(73, 2): 2}, first_sm=90, last_sm=90)
    @effects
    def bmma(b: Builder, i: Instruction, a: Words, columns: Words, c: Words) -> tuple[Words]:
        """Numbers of ones in the rows of A combined with the columns of B."""
        combine = b.and_ if i.mods["op"] == "AND" else b.xor

        def operate(total: Value, x: Words, y: Words) -> Value:
            return b.add(total, b.popcount(combine(x[0], y[0])))

        return (tuple(multiply(b, a, columns, c, operate, rows=4 * len(c))),)


# Doubles -----------------------------------------------------------------------------------------------------------
def _dmma(b: Builder, i: Instruction, a: Words, columns: Words, c: Words) -> tuple[Words]:
    def double(words: Words) -> Value:
        return b.bitcast(b.pair(words[0], words[1]), F64)

    def operate(total: Value, x: Words, y: Words) -> Value:
        return b.fma(double(x), double(y), total)

    sums = [double(c[k : k + 2]) for k in range(0, len(c), 2)]
    results = multiply(b, a, columns, sums, operate, rows=2 * len(c), words=2)
    bits = [b.bitcast(r, I64) for r in results]
    return (tuple(word for r in bits for word in (b.lo(r), b.hi(r))),)


@insn(
    "DMMA.884",
    0x03F,
    "Rd:w4, A:w2, Rb:w2, Rc:w4",
    form(1),
    fixed={Field(76, 4): 0},
    first_sm=80,
    last_sm=89,
    approx=MMA_APPROX,
)
@effects
def dmma(b: Builder, i: Instruction, a: Words, columns: Words, c: Words) -> tuple[Words]:
    return _dmma(b, i, a, columns, c)


for _number, _name, _a, _b, _c in (
    (0, "8x8x4", 2, 2, 4),
    (1, "16x8x4", 4, 2, 8),
    (2, "16x8x8", 8, 4, 8),
    (3, "16x8x16", 16, 8, 8),
):

    @insn(
        "DMMA",
        0x03F,
        f"Rd:w{_c}, A:w{_a}, Rb:w{_b}, Rc:w{_c}",
        form(1),
        split("shape", [(76, 2)], {_number: _name}),
        fixed={Field(78, 2): 0},
        first_sm=90,
        last_sm=NEWEST_SM if _name == "8x8x4" else 90,
        approx=MMA_APPROX,
    )
    @effects
    def dmma_90(b: Builder, i: Instruction, a: Words, columns: Words, c: Words) -> tuple[Words]:
        return _dmma(b, i, a, columns, c)


# Tiles of 8x8 halves -----------------------------------------------------------------------------------------------
def _tile_lanes(b: Builder) -> tuple[Value, Value]:
    """Row g and place t of the own lane in a tile."""
    lane = b.special("laneid")
    return b.lshr(lane, b.const(I32, 2)), b.and_(lane, b.const(I32, 3))


TILE = choice("transposed", 78, 2, "M88 MT88")


def _tile_addresses(b: Builder, i: Instruction, address: Value, tile: int) -> list[Value]:
    """Where the own elements of a tile stand: one word, or transposed two halves. Lane 8*tile + r knows row r."""
    g, t = _tile_lanes(b)
    first = b.const(I32, 8 * tile)
    if i.mods["transposed"] == "M88":
        row = b.shuffle(address, b.add(g, first))
        return [b.add(row, b.shl(t, b.const(I32, 2)))]
    twice = b.shl(t, b.const(I32, 1))
    column = b.shl(g, b.const(I32, 1))
    return [b.add(b.shuffle(address, b.add(b.add(twice, first), b.const(I32, k))), column) for k in (0, 1)]


for _number, _count in enumerate(("_", "2", "4")):
    _words = max(1, 2 * _number)

    @insn(
        "LDSM.16",
        0x03B,
        f"Rd:w{_words}, SharedMatrixLoadAddr",
        form(4),
        TILE,
        split("count", [(72, 2)], {_number: _count.strip("_")}),
    )
    @effects
    def ldsm(b: Builder, i: Instruction, address: Value) -> tuple[Words]:
        """PTX ISA, ``ldmatrix``."""
        words: Words = ()
        for tile in range(int(i.mods["count"] or 1)):
            places = _tile_addresses(b, i, address, tile)
            if len(places) == 1:
                words += b.load(Space.SHARED, places[0], 4)
            else:
                low, high = (b.load(Space.SHARED, place, 2)[0] for place in places)
                words += (b.or_(low, b.shl(high, b.const(I32, 16))),)
        return (words,)

    @insn(
        "STSM.16",
        0x044,
        f"SharedMatrixStoreAddr, Rb:w{_words}",
        form(4),
        TILE,
        split("count", [(72, 2)], {_number: _count.strip("_")}),
        first_sm=90,
    )
    @effects
    def stsm(b: Builder, i: Instruction, address: Value, words: Words) -> None:
        """PTX ISA, ``stmatrix``."""
        for tile, word in enumerate(words):
            places = _tile_addresses(b, i, address, tile)
            if len(places) == 1:
                b.store(Space.SHARED, places[0], (word,), 4)
            else:
                for place, half in zip(places, (word, b.lshr(word, b.const(I32, 16))), strict=True):
                    b.store(Space.SHARED, place, (half,), 2)


@insn("MOVM.16.MT88", 0x03A, "Rd, Ra", form(1), fixed={Field(78, 2): 0})
@effects
def movm(b: Builder, i: Instruction, x: Value) -> Value:
    """Transposes a tile: element k of lane (g, t) is row 2t + k, column g."""
    g, t = _tile_lanes(b)
    place = b.lshr(g, b.const(I32, 1))
    odd = b.compare("ne", b.and_(g, b.const(I32, 1)), b.const(I32, 0), signed=False)
    halves_ = []
    for k in (0, 1):
        row = b.add(b.shl(t, b.const(I32, 1)), b.const(I32, k))
        word = b.shuffle(x, b.or_(b.shl(row, b.const(I32, 2)), place))
        halves_.append(b.trunc(b.select(odd, b.lshr(word, b.const(I32, 16)), word), I16))
    low, high = (b.zext(h, I32) for h in halves_)
    return b.or_(low, b.shl(high, b.const(I32, 16)))


undone(
    "MOVM.U4TO8.M832",
    0x03A,
    "Rd, Ra",
    form(1),
    fixed={Field(75, 3): 1, Field(78, 2): 1},
    first_sm=100,
    todo="matrices of 4-bit integers where the GPU has no instruction for them",
)

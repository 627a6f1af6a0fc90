"""Products of a warp with sparse matrices: of each four neighbours in a row of A two are kept (HMMA.SP, IMMA.SP).

What is not kept takes no part: an infinity of B that it would meet makes no NaN. Which are kept say four bits for each
four neighbours, two for each that is kept, in registers of one, two or four of the lanes that share two rows (PTX ISA,
"Matrix fragments for sparse mma.m16n8k16", and so on). Elements of TF32 count as two neighbours each, pairs of nibbles
as one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from cassc.sass.builder import BF16, F16, I32, Builder, Value
from cassc.sass.fields import Field
from cassc.sass.isa.tensor import (
    A_KIND,
    B_KIND,
    HALF_TYPE,
    IMMA_FIXED,
    MMA_APPROX,
    PLAIN_TYPE,
    SAT,
    TF32,
    Factors,
    accumulate,
    halves_of,
    imma_shape,
    integer_sums,
    lane_parts,
    of_width,
    shape,
    sums_of,
    tf32_of,
)
from cassc.sass.row import NEWEST_SM, Instruction, effects, form, insn

Words = tuple[Value, ...]
T = TypeVar("T")


def multiply_sparse(
    b: Builder,
    a: Words,
    columns: Words,
    metadata: Value,
    selector: int,
    accumulators: Sequence[T],
    operate: Callable[[T, Words, Words], T],
    *,
    chunks: int,
) -> list[T]:
    """As `tensor.multiply`, for 16 rows; ``operate`` gets words of A and what of B meets them.

    Args:
        metadata: of each lane.
        selector: which lanes of each four have the bits, where not all do.
        chunks: neighbourhoods of four that a word of A holds what is kept of: 1 (halves) or 2 (bytes).
    """
    group, t = lane_parts(b)
    blocks = len(a) // 2
    holders = blocks * chunks
    column_lanes = [b.shl(b.add(b.shl(t, b.const(I32, 1)), b.const(I32, j)), b.const(I32, 2)) for j in (0, 1)]
    results = list(accumulators)
    for block in range(blocks):
        for source in range(4):
            lanes = [b.or_(lane, b.const(I32, source % 2 * 2 + k)) for lane in column_lanes for k in (0, 1)]
            rows = [b.shuffle(columns[2 * block + source // 2], lane) for lane in lanes]
            for h in (0, 1):
                word = b.shuffle(a[2 * block + h], b.or_(group, b.const(I32, source)))
                holder, at = _place(block, source, h, chunks)
                kept = b.shuffle(metadata, b.or_(group, b.const(I32, selector * holders % 4 + holder)))
                choice = _selector(b, b.lshr(kept, b.const(I32, at)), chunks)
                for j in (0, 1):
                    met = b.byte_permute(rows[2 * j], rows[2 * j + 1], choice)
                    results[2 * h + j] = operate(results[2 * h + j], (word,), (met,))
    return results


def _place(block: int, source: int, h: int, chunks: int) -> tuple[int, int]:
    """Which of the lanes that hold bits has those of a word of A, and from which bit on."""
    return (block, 16 * h + 4 * source) if chunks == 1 else (2 * block + h, 8 * source)


def _selector(b: Builder, bits: Value, chunks: int) -> Value:
    """Of `Builder.byte_permute`, for the two words of B that a word of A meets: from the low bits."""
    selector = b.const(I32, 0)
    for k in range(4):
        # Byte k is byte k of the first neighbourhood that is kept, or half of the k-th half.
        place = k if chunks == 2 else k // 2
        index = b.and_(b.lshr(bits, b.const(I32, 2 * place)), b.const(I32, 3))
        if chunks == 1:
            index = b.add(b.shl(index, b.const(I32, 1)), b.const(I32, k % 2))
        elif k >= 2:
            index = b.add(index, b.const(I32, 4))
        selector = b.or_(selector, b.shl(index, b.const(I32, 4 * k)))
    return selector


SPARSE = {Field(73, 1): 1}
_HALVES = ((1, "16816", 2), (3, "16832", 4))
for _number, _name, _words, _kind, _c, _types in (
    *((*_shape, "F16", 2, PLAIN_TYPE) for _shape in _HALVES),
    *((*_shape, "F32", 4, HALF_TYPE) for _shape in _HALVES),
    (0, "1688", 2, "F32", 4, TF32),
    (1, "16816", 4, "F32", 4, TF32),
):

    @insn(
        "HMMA.SP",
        0x03C,
        f"Rd:w{_c}, A:w{_words}, Rb:w{_words}, Rc:w{_c}, Sparse, Selector:int",
        form(1),
        shape(_number, _name),
        accumulate(_kind),
        _types,
        fixed=SPARSE,
        first_sm=80,
        approx=MMA_APPROX,
    )
    @effects
    def hmma_sparse(
        b: Builder, i: Instruction, a: Words, columns: Words, c: Words, metadata: Value, selector: int
    ) -> tuple[Words]:
        factors: Factors = tf32_of(b)
        if i.mod("type") != "TF32":
            factors = halves_of(b, BF16 if i.mod("type") == "BF16" else F16)
        walk = partial(multiply_sparse, b, a, columns, metadata, selector, chunks=1)
        return (sums_of(b, c, factors, walk),)


for _number, _name, _words, _width, _first, _last in (
    (5, "16832", 2, "8", 80, NEWEST_SM),
    (6, "16864", 4, "8", 80, NEWEST_SM),
    (6, "16864", 2, "4", 80, 89),
    (7, "168128", 4, "4", 80, 89),
):

    @insn(
        "IMMA.SP",
        0x037,
        f"Rd:w4, A:w{_words}row, Rb:w{_words}col, Rc:w4, Sparse, Selector:int",
        form(1),
        imma_shape({_number: _name}),
        of_width(A_KIND, _width),
        of_width(B_KIND, _width),
        SAT,
        fixed={**IMMA_FIXED, Field(72, 1): 1},
        first_sm=_first,
        last_sm=_last,
    )
    @effects
    def imma_sparse(
        b: Builder, i: Instruction, a: Words, columns: Words, c: Words, metadata: Value, selector: int
    ) -> tuple[Words]:
        return (integer_sums(b, i, c, partial(multiply_sparse, b, a, columns, metadata, selector, chunks=2)),)

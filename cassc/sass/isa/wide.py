"""64-bit integers in one instruction, which sm_120 has where its elders need pairs of instructions with a carry."""

from __future__ import annotations

from cassc.sass import fields
from cassc.sass.builder import I1, I32, I64, Builder, Value
from cassc.sass.fields import Field
from cassc.sass.isa.integer import BOOLEANS, COMPARISONS, UNIFORM_AB, UNIFORM_B_ONLY, X, bool_pair
from cassc.sass.isa.integer import minmax as least_or_most
from cassc.sass.row import AB, Instruction, choice, insn, only

# Immediates of 32 bits are extended by their sign (read off minima of unsigned numbers with constants like -0x1101).
ANYWHERE = only(AB, 1, 4, 6)
WIDE = "the same source gives IADD3, IADD3.X, ISETP, ISETP.EX and SEL on sm_90"


def _sum(b: Builder, i: Instruction, first: int, terms: list[Value], carries: list[Value]) -> tuple[Value, list[Value]]:
    """Sum modulo 2**64 and its carries out, one I1 for each addition.

    A negated term (operand ``first`` + its place) is ``~v + 1`` with that carry counted, as in IADD3.
    """
    total, out = b.const(I64, 0), []
    added = [b.zext(carry, I64) for carry in carries]
    for place, value in enumerate(terms):
        if getattr(i.operands[first + place], "negated", False):
            value = b.not_(b.neg(value))
            added.append(b.const(I64, 1))
        added.append(value)
    for value in added:
        more = b.add(total, value)
        out.append(b.compare("lt", more, value, signed=False))
        total = more
    return total, out


@insn(
    "IADD.64",
    0x035,
    "Rd:u64, Pu?, -A:u64, -B:s64, !Pp{X}=!PT",
    ANYWHERE,
    X,
    fixed={Field(73, 1): 1},
    first_sm=120,
    argued=WIDE,
)
def iadd(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> tuple[Value, Value]:
    total, out = _sum(b, i, 2, [x, y], [p] if i.has("X") else [])
    carry = b.const(I1, 0)
    for one in out:
        carry = b.or_(carry, one)
    return total, carry


@insn(
    "UIADD3.64",
    0x097,
    "URd:u64, UPu?, UPv?, -UA:u64, -UB:s64, -UC:u64, !UPp{X}=!PT, !UPq{X}=!PT",
    UNIFORM_B_ONLY,
    X,
    uniform=True,
    first_sm=90,
    last_sm=90,
)
@insn(
    "UIADD3.64",
    0x097,
    "URd:u64, UPu, UPv, -UA:u64, -UB:s64, -UC:u64, !UPp{X}=!PT, !UPq{X}=!PT",
    UNIFORM_B_ONLY,
    X,
    uniform=True,
    first_sm=100,
)
def iadd3(b: Builder, i: Instruction, x: Value, y: Value, z: Value, p: Value, q: Value) -> tuple[Value, ...]:
    total, out = _sum(b, i, 3, [x, y, z], [p, q] if i.has("X") else [])
    count = b.const(I32, 0)
    for one in out:
        count = b.add(count, b.zext(one, I32))
    return (total, *(b.compare("ge", count, b.const(I32, least), signed=False) for least in (1, 2)))


MODIFIERS = (choice("cmp", 76, 3, COMPARISONS), choice("type", 73, 1, "U64 S64"), choice("bool", 74, 2, BOOLEANS))
PAIR = {Field(80, 1): 1, fields.PR: 7, fields.PR_NOT: 0}


@insn(
    "UISETP",
    0x08C,
    "UPu, UPv, UA:u64, UB:s64, !UPp",
    UNIFORM_AB,
    *MODIFIERS,
    fixed=PAIR,
    uniform=True,
    first_sm=120,
    argued=WIDE,
)
@insn("ISETP", 0x00C, "Pu, Pv, A:u64, B:s64, !Pp", ANYWHERE, *MODIFIERS, fixed=PAIR, first_sm=120, argued=WIDE)
def isetp(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> tuple[Value, Value]:
    return bool_pair(b, i, b.compare(i.mods["cmp"].lower(), x, y, signed=i.mods["type"] == "S64"), p)


# The predicates take part in comparisons of longer numbers, which compilers do not emit.
MINMAX = choice("type", 73, 2, "- - U64 S64")
ALONE = {fields.PU: 7, fields.PV: 7, fields.PQ: 7, fields.PQ_NOT: 1}


@insn(
    "UIMNMX",
    0x085,
    "UPu, UPv, URd:u64, UA:u64, UB:s64, !UPp, !UPq",
    UNIFORM_AB,
    MINMAX,
    fixed=ALONE,
    uniform=True,
    first_sm=120,
    argued=WIDE,
)
@insn(
    "IMNMX", 0x017, "Pu, Pv, Rd:u64, A:u64, B:s64, !Pp, !Pq", ANYWHERE, MINMAX, fixed=ALONE, first_sm=120, argued=WIDE
)
def imnmx(b: Builder, i: Instruction, x: Value, y: Value, p: Value, q: Value) -> tuple[Value, Value, Value]:
    no = b.const(I1, 0)
    return no, no, least_or_most(b, x, y, p, signed=i.mods["type"] == "S64")

"""mbarrier objects: barriers that are 64-bit words in shared memory (PTX ISA, "mbarrier").

The counts are kept negated. On sm_90 and later a word holds, from bit 1 on, how many arrivals a phase waits for (20
bits), how many bytes or copies are still expected (21 bits, signed), from bit 43 on how many arrivals are still missing
(20 bits), and the number of the phase in bit 63. A phase ends when nothing is missing or expected. The lanes of a warp
that arrive together at one object do it by one operation, and all get the state before that, of which only the high
word is written; more arrivals than are missing are an error of the launch. All this was read off an H200.

Before, nothing is expected: the low word is 2**30 minus the arrivals that a phase waits for, the high one counts those
that are missing in 31 bits below the number of the phase, as the code tells that makes, counts and asks.
"""

from __future__ import annotations

from cassc.sass import fields
from cassc.sass.builder import I1, I32, I64, Builder, Scope, Space, Value
from cassc.sass.fields import Field
from cassc.sass.isa.atomic import ORDER
from cassc.sass.isa.memory import E
from cassc.sass.operand import Address
from cassc.sass.row import Instruction, choice, effects, flag, form, insn

Words = tuple[Value, ...]

_COUNT, _TRANSACTIONS = (1 << 20) - 1, (1 << 21) - 1
_EXPECTED_AT, _TRANSACTIONS_AT, _MISSING_AT, _PHASE_AT = 1, 21, 43, 63


# The word of sm_90 -----------------------------------------------------------------------------------------------
def _field(b: Builder, word: Value, at: int, mask: int) -> Value:
    return b.and_(b.lshr(word, b.const(I64, at)), b.const(I64, mask))


def _advanced(b: Builder, word: Value, arrivals: Value, transactions: Value, leaving: Value) -> Value:
    """The word behind some arrivals and further transactions (I64, may be negative); ``leaving``: threads that will not
    arrive in later phases."""
    expected = b.and_(b.add(_field(b, word, _EXPECTED_AT, _COUNT), leaving), b.const(I64, _COUNT))
    missing = b.and_(b.add(_field(b, word, _MISSING_AT, _COUNT), arrivals), b.const(I64, _COUNT))
    pending = b.sub(_field(b, word, _TRANSACTIONS_AT, _TRANSACTIONS), transactions)
    pending = b.and_(pending, b.const(I64, _TRANSACTIONS))
    over = b.compare("eq", b.or_(missing, pending), b.const(I64, 0), signed=False)
    phase = b.xor(b.lshr(word, b.const(I64, _PHASE_AT)), b.zext(over, I64))
    whole = b.shl(expected, b.const(I64, _EXPECTED_AT))
    whole = b.or_(whole, b.shl(pending, b.const(I64, _TRANSACTIONS_AT)))
    whole = b.or_(whole, b.shl(b.select(over, expected, missing), b.const(I64, _MISSING_AT)))
    return b.or_(whole, b.shl(phase, b.const(I64, _PHASE_AT)))


def advance(b: Builder, address: Value, arrivals: Value, transactions: Value, leaving: Value | None = None) -> Value:
    """The old word of an object, which gets arrivals and transactions."""
    left = b.const(I64, 0) if leaving is None else leaving
    b.fence(Scope.CTA)
    old = b.update(Space.SHARED, I64, address, lambda word: _advanced(b, word, arrivals, transactions, left), Scope.CTA)
    missing = b.sub(b.const(I64, _COUNT + 1), _field(b, old, _MISSING_AT, _COUNT))
    b.where(b.compare("gt", arrivals, missing, signed=False), lambda: _overrun(b), ())
    return old


def _overrun(b: Builder) -> Words:
    b.trap("barrier")
    return ()


def lowest(b: Builder, mates: Value | None = None) -> Value:
    """I1: in the lowest of some lanes, which each of them knows (I32 mask), or of the executing ones."""
    executing = b.ballot(b.const(I1, 1)) if mates is None else mates
    below = b.and_(executing, b.special("lanemask.lt"))
    return b.compare("eq", below, b.const(I32, 0), signed=False)


# sm_90 and later -------------------------------------------------------------------------------------------------
@insn(
    "SYNCS.EXCH.64",
    0x1B2,
    "URd:w2, UniformSharedAddr, URb:w2",
    form(2),
    fixed={Field(72, 2): 1},
    uniform=True,
    first_sm=90,
)
@effects
def exchange(b: Builder, i: Instruction, address: Value, words: Words) -> tuple[Words]:
    """Once for the warp."""

    def once() -> tuple[Value, ...]:
        old = b.atomic(Space.SHARED, "exch", address, b.pair(*words), Scope.CTA, returns=True)
        return b.lo(old), b.hi(old)

    old = b.where(lowest(b), once, (b.const(I32, 0), b.const(I32, 0)))
    return (tuple(b.broadcast(word) for word in old),)


# How many threads arrive (A) and transactions are expected (T): 0, 1, as many as the register says (R), or as many as
# that are done (X); D here: one is done.
COUNT = choice("count", 84, 3, "_ A1T0 A0T1 A0TR A0TX ART0")
# The state is not asked for; or: the lanes that arrived together, and the high word before all of them.
RESULT = choice("result", 73, 2, "_ TMASK RED")
OPTOUT = flag("OPTOUT", 75)
MBARRIER = ("SYNCS.ARRIVE.TRANS64", 0x1A7, "Rd:w2, SharedBarrierAddr, Rb", form(4), RESULT, OPTOUT, COUNT)


@insn(*MBARRIER, fixed={Field(70, 2): 0}, first_sm=90, last_sm=90)
@insn(*MBARRIER, fixed={Field(76, 2): 0}, first_sm=100)
@effects
def arrive(b: Builder, i: Instruction, address: Value, operand: Value) -> tuple[Words]:
    """Arrivals and transactions; the low word of the state is only written if it is to be a mask."""
    mask = i.mods["result"] == "TMASK"
    lanes, high = _together(b, i, address, i.mods["count"] or "A1TR", operand, leaving=i.has("OPTOUT"), equal=mask)
    return ((lanes if mask else b.const(I32, 0), high),)


def _together(
    b: Builder,
    i: Instruction,
    address: Value,
    count: str,
    operand: Value,
    *,
    leaving: bool = False,
    equal: bool = False,
) -> tuple[Value, Value]:
    """The lanes that name the same object, and the high word of the state before they arrived by one operation.

    If lanes may name several objects and say how many arrivals or transactions, each is an operation, unless they say
    the same (``equal``); what the state tells beyond the phase may then be of a moment in between.
    """
    place = next(o for o in i.operands if isinstance(o, Address))
    uniform = place.register is None or place.register.is_zero
    summed = {"R", "X"} & {count[1], count[3]}
    if summed and not (uniform or equal):
        lanes = b.shl(b.const(I32, 1), b.special("laneid"))
    else:
        lanes = b.ballot(b.const(I1, 1)) if uniform else b.match_any(address)
    number = b.popcount(lanes)
    amounts = {"0": b.const(I32, 0), "1": number, "D": b.neg(number)}
    if summed:
        amounts["R"] = b.reduce("add", operand) if uniform else b.mul(number, operand)
        amounts["X"] = b.neg(amounts["R"])
    arrivals, transactions = b.zext(amounts[count[1]], I64), b.sext(amounts[count[3]], I64)
    left = arrivals if leaving else b.const(I64, 0)

    def once() -> Words:
        return (b.hi(advance(b, address, arrivals, transactions, left)),)

    (high,) = b.where(lowest(b, lanes), once, (b.const(I32, 0),))
    if i.mod("result") == "RED":
        return lanes, high
    first = b.sub(b.const(I32, 31), b.clz(b.and_(lanes, b.neg(lanes))))
    return lanes, b.shuffle(high, first)


CHECK = ("SYNCS.PHASECHK.TRANS64", 0x1A7, "Pu, SharedBarrierAddr, Rb", form(2), flag("TRYWAIT", 72))


@insn(*CHECK, fixed={Field(70, 2): 1}, first_sm=90, last_sm=90)
@insn(*CHECK, fixed={Field(76, 2): 1}, first_sm=100)
@effects
def check(b: Builder, i: Instruction, address: Value, state: Value) -> Value:
    """Whether the phase is over whose number is in bit 31. The hardware may wait for that for a time."""
    (high,) = b.load(Space.SHARED, b.add(address, b.const(I32, 4)), 4, volatile=True)
    over = b.compare("lt", b.xor(high, state), b.const(I32, 0), signed=True)
    if i.has("TRYWAIT"):
        b.where(b.not_(over), lambda: _slept(b), ())
    b.synchronised(over)
    return over


def _slept(b: Builder) -> tuple[Value, ...]:
    b.sleep()
    return ()


# Nothing may use the object any more but as plain memory. What the word holds then is nobody's to know.
@insn("SYNCS.CCTL", 0x1B1, "SharedBarrierAddr", form(4), choice("op", 72, 2, "IV WB"), first_sm=90)
@effects
def invalidate(b: Builder, i: Instruction, address: Value) -> None:
    b.fence(Scope.CTA)


@insn("SYNCS.CCTL.IVALL", 0x1B1, "", form(4), first_sm=100, argued="caches of what is written back at once here")
@effects
def invalidate_all(b: Builder, i: Instruction) -> None:
    b.fence(Scope.CTA)


COPIED = ("ARRIVES.LDGSTSBAR.64", 0x1B0, "SharedBarrierAddr", form(4))
COPIED_COUNT = "_ ARVCNT TRANSCNT"
BARRIER_64 = {Field(72, 4): 10}


@insn(*COPIED, choice("count", 70, 2, COPIED_COUNT), fixed=BARRIER_64, first_sm=90, last_sm=90)
@insn(*COPIED, choice("count", 76, 2, COPIED_COUNT), fixed=BARRIER_64, first_sm=100)
@effects
def copied(b: Builder, i: Instruction, address: Value) -> None:
    """Arrives, or ends a transaction, when the thread's copies by LDGSTS are done: they are."""
    _together(b, i, address, "A0TD" if i.mods["count"] == "TRANSCNT" else "A1T0", b.const(I32, 1))


# sm_80 to sm_89 --------------------------------------------------------------------------------------------------
def _arrive_80(b: Builder, space: Space, address: Value) -> Words:
    def change(word: Value) -> Value:
        """The counts that reach zero begin anew."""
        high = b.add(b.hi(word), b.const(I32, 1))
        over = b.compare("eq", b.shl(high, b.const(I32, 1)), b.const(I32, 0), signed=False)
        anew = b.and_(b.add(b.lo(word), b.const(I32, 1 << 30)), b.const(I32, 0x7FFFFFFF))
        return b.pair(b.lo(word), b.or_(high, b.select(over, anew, b.const(I32, 0))))

    b.fence(Scope.CTA)
    old = b.update(space, I64, address, change, Scope.CTA)
    b.synchronised(b.const(I1, 1))
    return b.lo(old), b.hi(old)


ARRIVE_80 = {fields.RB: 0, Field(72, 6): 4, Field(80, 11): 0x480}
WHY_80 = "the code that makes, counts and asks such words in the same kernel; PTX ISA, mbarrier"


@insn(
    "ATOMS.ARRIVE.64", 0x18C, "Rd:w2, SharedStoreAddr", form(7), fixed=ARRIVE_80, first_sm=80, last_sm=89, argued=WHY_80
)
@effects
def arrive_80(b: Builder, i: Instruction, address: Value) -> tuple[Words]:
    return (_arrive_80(b, Space.SHARED, address),)


@insn(
    "ATOM",
    0x18A,
    "Pu, Rd:w, AtomAddr",
    form(7),
    E,
    choice("op", 87, 4, "- - - - - - - - - ARRIVE"),
    choice("type", 73, 3, "- - 64"),
    ORDER,
    fixed={fields.RB: 0, Field(84, 3): 1},
    first_sm=80,
    last_sm=89,
    argued=WHY_80,
)
@effects
def arrive_generic_80(b: Builder, i: Instruction, address: Value) -> tuple[Value, Words]:
    return b.const(I1, 1), _arrive_80(b, Space.GENERIC, address)


@insn(*COPIED, fixed={Field(70, 6): 40}, first_sm=80, last_sm=89, argued=WHY_80)
@effects
def copied_80(b: Builder, i: Instruction, address: Value) -> None:
    _arrive_80(b, Space.SHARED, address)

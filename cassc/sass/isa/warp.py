"""Exchange between the lanes of a warp, votes, barriers of the CTA."""

from __future__ import annotations

from cassc.sass import fields
from cassc.sass.builder import I1, I32, Builder, Value
from cassc.sass.fields import Field
from cassc.sass.row import AB, Instruction, choice, control_row, effects, flag, form, insn, only


@insn(
    "SHFL",
    0x189,
    "Pu, Rd, A, ShuffleLane, ShuffleClamp",
    {1: {}, 2: {}, 4: {}, 7: {}},
    choice("mode", 58, 2, "IDX UP DOWN BFLY"),
)
@effects
def shfl(b: Builder, i: Instruction, x: Value, lane: Value, clamp: Value) -> tuple[Value, Value]:
    """PTX ISA, ``shfl.sync``: bits 0-4 of ``clamp`` bound the source lane, bits 8-12 mask the segment."""
    own = b.special("laneid")
    thirty_one = b.const(I32, 31)
    lane = b.and_(lane, thirty_one)
    bound = b.and_(clamp, thirty_one)
    segment = b.and_(b.lshr(clamp, b.const(I32, 8)), thirty_one)
    lowest = b.and_(own, segment)
    highest = b.or_(lowest, b.and_(bound, b.not_(segment)))
    mode = i.mods["mode"]
    if mode == "UP":
        source = b.sub(own, lane)
        valid = b.compare("ge", source, highest, signed=True)
    else:
        if mode == "DOWN":
            source = b.add(own, lane)
        elif mode == "BFLY":
            source = b.xor(own, lane)
        else:
            source = b.or_(lowest, b.and_(lane, b.not_(segment)))
        valid = b.compare("le", source, highest, signed=True)
    return valid, b.shuffle(x, b.select(valid, source, own))


def _vote(b: Builder, i: Instruction, p: Value) -> tuple[Value, Value]:
    """Ballot, and whether all, any or equally all lanes hold p."""
    ballot = b.ballot(p)
    zero = b.const(I32, 0)
    if i.mods["mode"] == "ANY":
        return ballot, b.compare("ne", ballot, zero, signed=False)
    full = b.compare("eq", ballot, b.ballot(b.const(I1, 1)), signed=False)
    if i.mods["mode"] == "EQ":
        return ballot, b.or_(full, b.compare("eq", ballot, zero, signed=False))
    return ballot, full


VOTE_MODE = choice("mode", 72, 2, "ALL ANY EQ")


@insn("VOTEU", 0x086, "URd?, UPu, !Pp", form(4), VOTE_MODE)
@insn("VOTE", 0x006, "Rd?, Pu, !Pp", form(4), VOTE_MODE)
@effects
def vote(b: Builder, i: Instruction, p: Value) -> tuple[Value, Value]:
    return _vote(b, i, p)


@insn("MATCH.ANY", 0x1A1, "Rd, Ra", form(1), fixed={Field(79, 1): 1, fields.PU: 7, Field(73, 1): 0})
@effects
def match_any(b: Builder, i: Instruction, x: Value) -> Value:
    return b.match_any(x)


@insn("MATCH.ANY.U64", 0x1A1, "Rd, Ra:u64", form(1), fixed={Field(79, 1): 1, fields.PU: 7, Field(73, 1): 1})
@effects
def match_any_64(b: Builder, i: Instruction, x: Value) -> Value:
    return b.match_any(x)


@insn("MATCH.ALL", 0x1A1, "Pu, Rd, Ra", form(1), fixed={Field(79, 1): 0, Field(73, 1): 0})
@insn("MATCH.ALL.U64", 0x1A1, "Pu, Rd, Ra:u64", form(1), fixed={Field(79, 1): 0, Field(73, 1): 1})
@effects
def match_all(b: Builder, i: Instruction, x: Value) -> tuple[Value, Value]:
    """All executing lanes if they hold the same value, else none."""
    executing = b.ballot(b.const(I1, 1))
    same = b.compare("eq", b.match_any(x), executing, signed=False)
    return same, b.select(same, executing, b.const(I32, 0))


@insn("ELECT", 0x02F, "Pu, URd, !Pp", form(4), first_sm=90)
@effects
def elect(b: Builder, i: Instruction, p: Value) -> tuple[Value, Value]:
    """The lowest of the executing lanes for which p holds: a predicate true there, and its number."""
    candidates = b.ballot(p)
    lowest = b.and_(candidates, b.neg(candidates))
    lane = b.sub(b.const(I32, 31), b.clz(lowest))
    return b.compare("eq", b.special("laneid"), lane, signed=False), lane


REDUX_OPERATIONS = {"": "and", "OR": "or", "XOR": "xor", "SUM": "add", "MIN": "min", "MAX": "max"}


@insn("REDUX", 0x1C4, "URd, Ra", form(1), choice("op", 78, 3, "_ OR XOR SUM MIN MAX"), flag("S32", 73), first_sm=80)
@effects
def redux(b: Builder, i: Instruction, x: Value) -> Value:
    operation = REDUX_OPERATIONS[i.mods["op"]]
    if operation in ("min", "max"):
        operation = ("s" if i.has("S32") else "u") + operation
    return b.reduce(operation, x)


CREDUX_WHY = "the same source gives REDUX.MIN and REDUX.MAX on sm_90"
CREDUX = (choice("op", 79, 1, "MAX MIN"), choice("type", 73, 2, "_ S32"))


@insn(
    "CREDUX", 0x0CC, "URd, Ra", form(1), *CREDUX, fixed={Field(77, 2): 0}, first_sm=100, last_sm=103, argued=CREDUX_WHY
)
@effects
def credux(b: Builder, i: Instruction, x: Value) -> Value:
    """Smallest or largest value of the executing lanes: what sm_80 to sm_90 do by REDUX."""
    return b.reduce(("s" if i.has("type") else "u") + i.mods["op"].lower(), x)


# Barriers of the CTA -----------------------------------------------------------------------------------------------
DEFER = flag("DEFER_BLOCKING", 80)
ALL_THREADS = {Field(42, 12): 0}


SYNC = choice("mode", 77, 3, "SYNC")
ARRIVE = choice("mode", 77, 3, "- ARV")
# The result of BAR.RED is fetched by B2R.RESULT; the drivers pair the two.
RED = (choice("mode", 77, 3, "- - RED"), choice("op", 74, 2, "POPC AND OR"))


def _packed(b: Builder, x: Value) -> tuple[Value, Value]:
    """A register with the barrier in bits 0-3 and the number of threads from bit 16 on."""
    return b.and_(x, b.const(I32, 15)), b.lshr(x, b.const(I32, 16))


@insn("BAR", 0x11D, "BarrierId", form(5), SYNC, DEFER, fixed=ALL_THREADS)
@insn("BAR", 0x11D, "Rb", form(2), SYNC, DEFER, fixed=ALL_THREADS)
@effects
def bar_sync(b: Builder, i: Instruction, id: Value) -> None:
    b.barrier(id, None)


@insn("BAR", 0x11D, "BarrierId, BarrierThreads", form(5), SYNC, DEFER)
@insn("BAR", 0x11D, "BarrierId, Rb", form(4), SYNC, DEFER)
@insn("BAR", 0x11D, "Rb, BarrierThreads", form(2), SYNC, DEFER)
@effects
def bar_sync_threads(b: Builder, i: Instruction, id: Value, threads: Value) -> None:
    b.barrier(id, threads)


@insn("BAR", 0x11D, "Rb, Rb", form(1), SYNC, DEFER)
@effects
def bar_sync_packed(b: Builder, i: Instruction, packed: Value, _: Value) -> None:
    b.barrier(*_packed(b, packed))


@insn("BAR", 0x11D, "BarrierId, BarrierThreads", form(5), ARRIVE)
@insn("BAR", 0x11D, "BarrierId, Rb", form(4), ARRIVE)
@insn("BAR", 0x11D, "Rb, BarrierThreads", form(2), ARRIVE)
@effects
def bar_arrive(b: Builder, i: Instruction, id: Value, threads: Value) -> None:
    b.barrier_arrive(id, threads)


@insn("BAR", 0x11D, "Rb, Rb", form(1), ARRIVE)
@effects
def bar_arrive_packed(b: Builder, i: Instruction, packed: Value, _: Value) -> None:
    b.barrier_arrive(*_packed(b, packed))


@insn("BAR", 0x11D, "BarrierId, !Pp", form(5), *RED, DEFER, fixed=ALL_THREADS)
@insn("BAR", 0x11D, "Rb, !Pp", form(2), *RED, DEFER, fixed=ALL_THREADS)
@effects
def bar_red(b: Builder, i: Instruction, id: Value, p: Value) -> None:
    b.barrier_reduce(i.mods["op"].lower(), p, id, None)


@insn("BAR", 0x11D, "BarrierId, BarrierThreads, !Pp", form(5), *RED, DEFER)
@insn("BAR", 0x11D, "BarrierId, Rb, !Pp", form(4), *RED, DEFER)
@insn("BAR", 0x11D, "Rb, BarrierThreads, !Pp", form(2), *RED, DEFER)
@effects
def bar_red_threads(b: Builder, i: Instruction, id: Value, threads: Value, p: Value) -> None:
    b.barrier_reduce(i.mods["op"].lower(), p, id, threads)


@insn("BAR", 0x11D, "Rb, Rb, !Pp", form(1), *RED, DEFER)
@effects
def bar_red_packed(b: Builder, i: Instruction, packed: Value, _: Value, p: Value) -> None:
    id, threads = _packed(b, packed)
    b.barrier_reduce(i.mods["op"].lower(), p, id, threads)


@insn("B2R.RESULT", 0x11C, "Rd, Pu?", form(1), fixed={Field(78, 1): 1})
@effects
def b2r_result(b: Builder, i: Instruction) -> tuple[Value, Value]:
    """Result of the last BAR.RED: the count, and the truth of AND or OR."""
    return b.barrier_result()  # type: ignore[attr-defined, no-any-return]


USES_UNIFORM = {fields.USES_UNIFORM: 1}
NANOSLEEP_FIXED = {fields.PP: 7}
SYNCS_SLEEP = {fields.PP: 7, Field(84, 1): 1}  # ends with the phase of a barrier
SLEEPERS = flag("WARP", 85)


@insn("NANOSLEEP", 0x15D, "B", AB, SLEEPERS, fixed=NANOSLEEP_FIXED)
@insn("NANOSLEEP.SYNCS", 0x15D, "B", only(AB, 1, 4), fixed=SYNCS_SLEEP, first_sm=90)
@effects
def nanosleep(b: Builder, i: Instruction, x: Value) -> None:
    b.sleep()


control_row("YIELD", 0x146, "", form(4), control="nop", fixed=NANOSLEEP_FIXED)


# Barriers of a cluster. A kernel for clusters of several CTAs is refused, so they are the CTA's own. Threads may work
# between arriving and waiting; that all of them have come to the wait is more than is asked.
control_row("UCGABAR_ARV", 0x1C7, "", form(4), control="nop", uniform=True, first_sm=90, fixed=USES_UNIFORM)


@insn("UCGABAR_WAIT", 0x1C7, "", form(6), uniform=True, first_sm=90, fixed=USES_UNIFORM)
@effects
def ucgabar_wait(b: Builder, i: Instruction) -> None:
    b.barrier(b.const(I32, 0), None)

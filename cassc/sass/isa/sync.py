"""mbarrier objects and the bulk copy engine of sm_90: decoded, not implemented."""

from __future__ import annotations

from cassc.sass.fields import Field
from cassc.sass.isa.atomic import MBARRIER
from cassc.sass.row import choice, flag, form, undone

BULK = "the bulk copy engine"
ARRIVE = {Field(70, 2): 0, Field(73, 3): 0}

undone(
    "SYNCS.EXCH.64",
    0x1B2,
    "URd:w2, UniformSharedAddr, URb:w2",
    form(2),
    fixed={Field(72, 2): 1},
    uniform=True,
    first_sm=90,
    todo=MBARRIER,
)
undone(
    "SYNCS.ARRIVE.TRANS64",
    0x1A7,
    "Rd:w2, SharedBarrierAddr, Rb",
    form(4),
    choice("count", 84, 3, "_ A1T0"),
    fixed=ARRIVE,
    first_sm=90,
    last_sm=90,
    todo=MBARRIER,
)
undone(
    "SYNCS.PHASECHK.TRANS64",
    0x1A7,
    "Pu, SharedBarrierAddr, Rb",
    form(2),
    flag("TRYWAIT", 72),
    fixed={Field(70, 2): 1},
    first_sm=90,
    last_sm=90,
    todo=MBARRIER,
)
undone("SYNCS.CCTL", 0x1B1, "SharedBarrierAddr", form(4), choice("op", 72, 2, "IV WB"), first_sm=90, todo=MBARRIER)
undone(
    "ARRIVES.LDGSTSBAR.64",
    0x1B0,
    "SharedBarrierAddr",
    form(4),
    choice("count", 70, 2, "_ ARVCNT"),
    fixed={Field(72, 4): 10},
    first_sm=90,
    last_sm=90,
    todo=MBARRIER,
)
# The same with uniform registers of eight bits, sm_100.
undone(
    "SYNCS.ARRIVE.TRANS64",
    0x1A7,
    "Rd:w2, SharedBarrierAddr, Rb",
    form(4),
    choice("reduce", 73, 3, "_ - RED"),
    choice("count", 84, 3, "_ A1T0 A0T1"),
    fixed={Field(76, 2): 0},
    first_sm=100,
    todo=MBARRIER,
)
undone(
    "SYNCS.PHASECHK.TRANS64",
    0x1A7,
    "Pu, SharedBarrierAddr, Rb",
    form(2),
    flag("TRYWAIT", 72),
    fixed={Field(76, 2): 1},
    first_sm=100,
    todo=MBARRIER,
)
undone(
    "ARRIVES.LDGSTSBAR.64",
    0x1B0,
    "SharedBarrierAddr",
    form(4),
    choice("count", 76, 2, "_ ARVCNT TRANSCNT"),
    fixed={Field(72, 4): 10},
    first_sm=100,
    todo=MBARRIER,
)
undone("SYNCS.CCTL.IVALL", 0x1B1, "", form(4), first_sm=100, todo=MBARRIER)
SPACES = choice("spaces", 73, 2, "- S.G G.S")
NO_HINT = {Field(81, 3): 0}
undone("UBLKCP", 0x1BA, "BulkTo, BulkFrom, URc", form(1), SPACES, fixed=NO_HINT, uniform=True, first_sm=90, todo=BULK)
undone(
    "UBLKRED",
    0x1BB,
    "BulkTo, BulkFrom, URc",
    form(1),
    choice("spaces", 73, 2, "- - G.S"),
    choice("op", 87, 3, "ADD MIN MAX INC DEC AND OR XOR"),
    choice("type", 81, 4, "_ S32 U64 S64 F16.RN F32.RN F32.FTZ.RN F64.RN BF16.RN"),
    uniform=True,
    first_sm=90,
    todo=BULK,
)
undone("UTMACMDFLUSH", 0x1B7, "", form(4), uniform=True, first_sm=90, todo=BULK)

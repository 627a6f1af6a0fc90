"""Control transfer and convergence. These rows have no meaning of their own: the drivers implement each kind."""

from __future__ import annotations

from cassc.sass import fields
from cassc.sass.fields import Field
from cassc.sass.row import choice, control_row, flag, form

ALWAYS = {fields.PP: 7, fields.PP_NOT: 0}
KIND = Field(32, 2)
USES_UNIFORM = fields.USES_UNIFORM

control_row("NOP", 0x118, "", form(4), control="nop")
control_row("EXIT", 0x14D, "!Pp?", form(4), control="exit")
control_row("BRA", 0x147, "!Pp?, L", form(4), control="branch", fixed={KIND: 0})
# sm_75 asks about all lanes of the warp.
control_row("BRA.U", 0x147, "!Pp?, L", form(4), control="branch", fixed={KIND: 1}, last_sm=75)
control_row("BRA.DIV", 0x147, "!Pp?, L", form(4), control="branch_div", fixed={KIND: 2}, last_sm=75)
control_row("BRA.CONV", 0x147, "!Pp?, L", form(4), control="branch_conv", fixed={KIND: 3}, last_sm=75)
control_row("BRA.DIV", 0x147, "!Pp?, URdiv, L", form(4), control="branch_div", fixed={KIND: 2}, first_sm=80)
control_row("BRA.CONV", 0x147, "!Pp?, URdiv, L", form(4), control="branch_conv", fixed={KIND: 3}, first_sm=80)
control_row("BRA.U", 0x147, "!Pp?, !UPb, L", form(2), control="branch", fixed={KIND: 1, USES_UNIFORM: 1}, first_sm=100)
control_row("BRX", 0x149, "!Pp?, Ra:u64, Offset", form(4), control="brx")
control_row("BRXU", 0x158, "!Pp?, URa:u64, Offset", form(4), control="brx", fixed={KIND: 0}, first_sm=100)
control_row("CALL.REL", 0x144, "!Pp?, L", form(4), choice("noinc", 86, 1, "_ NOINC"), control="call_rel")
control_row("CALL.REL", 0x144, "!Pp?, Ra:u64, L", form(1), choice("noinc", 86, 1, "_ NOINC"), control="call_rel")
control_row("CALL.ABS", 0x143, "!Pp?, Ra:u64", form(1), choice("noinc", 86, 1, "_ NOINC"), control="call_abs")
control_row("CALL.ABS", 0x143, "!Pp?, CodeAddress", form(4), choice("noinc", 86, 1, "_ NOINC"), control="call_abs")
control_row("RET.REL", 0x150, "!Pp?, Ra:u64, L", form(4), choice("nodec", 86, 1, "_ NODEC"), control="ret")
control_row(
    "RET.ABS",
    0x150,
    "!Pp?, Ra:u64, Offset",
    form(4),
    choice("nodec", 86, 1, "_ NODEC"),
    control="ret",
    fixed={Field(85, 1): 1},
)
# Since sm_100 most convergence barriers bear a mark. Lanes do not wait for each other at those without one: compilers
# put them around loops that spin, and what a lane that has left such a loop does next may be what the others wait for
# (a lock is taken in the loop and released behind the BSYNC).
MARK = choice("mark", 72, 2, "- RELIABLE RECONVERGENT")
UNMARKED = {Field(72, 2): 0}
control_row("BSSY", 0x145, "Bd, LabelHigh", form(4), control="bssy", fixed=ALWAYS, last_sm=90)
control_row("BSSY", 0x145, "Bd, LabelBssy", form(4), MARK, control="bssy", fixed=ALWAYS, first_sm=100)
control_row("BSSY", 0x145, "Bd, LabelBssy", form(4), control="bssy", fixed={**ALWAYS, **UNMARKED}, first_sm=100)
control_row("BSYNC", 0x141, "!Pp?, Bs", form(4), control="bsync", last_sm=90)
control_row("BSYNC", 0x141, "!Pp?, Bs", form(4), MARK, control="bsync", first_sm=100)
control_row("BSYNC", 0x141, "!Pp?, Bs", form(4), control="bsync_free", fixed=UNMARKED, first_sm=100)
control_row("BREAK", 0x142, "!Pp?, Bs", form(4), control="break", last_sm=90)
control_row("BREAK", 0x142, "!Pp?, Bs", form(4), flag("RELIABLE", 72), control="break", first_sm=100)
control_row("WARPSYNC", 0x148, "Rb", form(1), control="warpsync", fixed={**ALWAYS, Field(86, 1): 0}, last_sm=89)
control_row("WARPSYNC", 0x148, "Imm32", form(4), control="warpsync", fixed={**ALWAYS, Field(86, 1): 0}, last_sm=89)
control_row("WARPSYNC", 0x148, "Ra", form(1), control="warpsync", fixed={**ALWAYS, Field(86, 1): 0}, first_sm=90)
control_row("WARPSYNC.ALL", 0x148, "", form(4), control="warpsync", fixed={**ALWAYS, Field(86, 1): 0}, first_sm=90)
control_row(
    "WARPSYNC.COLLECTIVE",
    0x148,
    "Ra, L",
    form(1),
    control="warpsync_collective",
    fixed={**ALWAYS, Field(86, 1): 1},
    first_sm=90,
)
control_row(
    "WARPSYNC.COLLECTIVE.ALL",
    0x148,
    "L",
    form(4),
    control="warpsync_collective",
    fixed={**ALWAYS, Field(84, 3): 4},
    first_sm=90,
)
control_row(
    "WARPSYNC.EXCLUSIVE",
    0x148,
    "Rb",
    form(1),
    control="warpsync_exclusive",
    fixed={**ALWAYS, Field(84, 3): 4},
    first_sm=80,
    last_sm=89,
)
EXCLUSIVE = {**ALWAYS, Field(84, 3): 2}
control_row("WARPSYNC.EXCLUSIVE", 0x148, "Ra", form(1), control="warpsync_exclusive", fixed=EXCLUSIVE, first_sm=90)
control_row("ENDCOLLECTIVE", 0x11B, "", form(4), control="endcollective", fixed=ALWAYS, first_sm=90)
control_row("LEPC", 0x14E, "Rd:u64", form(1), control="lepc")
control_row("LEPC", 0x14E, "Rd:u64, LepcLabel", form(4), control="lepc", first_sm=90)
control_row("BMOV.32.CLEAR", 0x155, "Rd, BarrierAt24", form(1), control="bmov_read", fixed={Field(84, 1): 1})
control_row("BMOV.32", 0x156, "BarrierAt24, Rb", form(1), control="bmov_write")
TRAP = {Field(84, 3): 3}
control_row("BPT.TRAP", 0x15C, "", form(4), control="trap", fixed={**TRAP, Field(34, 3): 0})
control_row("BPT.TRAP", 0x15C, "TrapCode", form(4), control="trap", fixed=TRAP)
# Triggers of performance monitors, and the order of dependent launches: nothing that a result depends on.
control_row("PMTRIG", 0x001, "Imm16at32", form(4), control="nop", fixed=ALWAYS)
control_row("ACQBULK", 0x02E, "", form(4), control="nop", first_sm=90)
control_row("PREEXIT", 0x02D, "", form(4), control="nop", first_sm=90)
# While any lane of the warp has the predicate. Lanes without it have nothing more to do in such loops, so each may
# leave on its own.
control_row("BRA.U.ANY", 0x147, "!Pp?, L", form(4), control="branch", fixed={KIND: 1, Field(84, 1): 1}, first_sm=90)

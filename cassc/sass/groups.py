"""Which lanes of a warp a vote, match or reduction joins.

It joins the lanes that execute it together: those that are converged. Code in which lanes may name different masks
tells them apart by WARPSYNC.EXCLUSIVE or WARPSYNC.COLLECTIVE, behind which the lanes of one mask run without others. A
fast path without either is taken when all lanes are there and agree about the mask: R2UR answers which lanes disagree
with the first one, and BRA.DIV, guarded by "agrees", is taken unless the lanes that agree are all those of the union
of the masks. Seen on an H200, with patched kernels.
"""

from __future__ import annotations

from collections.abc import Mapping

from cassc.sass.cfg import is_indirect, target_of
from cassc.sass.fields import WORD_BYTES
from cassc.sass.operand import Imm, Reg
from cassc.sass.row import Instruction

# Kinds of `Row.control` that put the lanes of one mask apart from others.
APART = frozenset({"warpsync_exclusive", "warpsync_collective"})
SYNCHRONISING = APART | {"warpsync"}
# Exchange between lanes, and those whose result depends on which lanes take part.
WARP_WIDE = frozenset({"SHFL", "VOTE", "VOTEU", "MATCH", "REDUX", "CREDUX", "ELECT"})
JOINING = WARP_WIDE - {"SHFL"}
_TURNS = frozenset({"branch", "exit", "ret", "trap", "brx"})
_LONGEST = 4000  # instructions of a path that are looked at


def base(i: Instruction) -> str:
    """The mnemonic without what follows a dot."""
    return i.row.mnemonic.partition(".")[0]


def mask_operand(i: Instruction) -> Reg | Imm | None:
    """What a WARPSYNC names the lanes by; None where it means all of them."""
    return next((o for o in i.operands if isinstance(o, Reg | Imm)), None)


def joins_groups(at: Mapping[int, Instruction], start: int) -> bool:
    """Whether the straight path from ``start`` on, through subroutines, votes, matches or reduces by group.

    Such a path stands behind a BRA.DIV or BRA.CONV, for lanes that are not converged or disagree about the mask. If it
    only shuffles, the path for converged lanes gives the same. ``at``: instructions by address.
    """
    apart, place = False, start
    back: int | None = None
    for _ in range(_LONGEST):
        i = at.get(place)
        if i is None:
            return False
        kind = i.row.control
        apart = (kind in SYNCHRONISING and isinstance(mask_operand(i), Reg)) or (apart and not kind)
        if apart and base(i) in JOINING:
            return True
        place += WORD_BYTES
        target = target_of(i)
        if kind == "call_rel" and target is not None and not is_indirect(i) and back is None:
            back, place = place, target
        elif kind == "ret" and back is not None:
            place, back = back, None
        elif kind in _TURNS:
            return False
    return True

"""Which lanes of a warp a reduction joins, where code lets different lanes name different masks."""

from __future__ import annotations

from collections.abc import Mapping

from cassc.sass.fields import PT, WORD_BYTES
from cassc.sass.operand import Pred, Reg
from cassc.sass.row import Instruction

_REACH = 20


def group_mask(at: Mapping[int, Instruction], i: Instruction) -> Reg | None:
    """The register with the mask that each lane named for a REDUX; None where it is the executing lanes.

    It is the operand of the WARPSYNC in front of it. Or there is a BRA.DIV guarded by the answer of an R2UR, which asks
    whether the lanes agree about its operand. Lanes with other masks reduce apart, as recorded on an H200. ``at``:
    instructions by address.
    """
    before = at.get(i.address - WORD_BYTES)
    if i.row.mnemonic != "REDUX" or before is None:
        return None
    if before.row.control.startswith("warpsync"):
        return _register(before)
    if before.row.control != "branch_div" or before.guard.index == PT:
        return None
    for address in range(before.address - WORD_BYTES, before.address - _REACH * WORD_BYTES, -WORD_BYTES):
        asking = at.get(address)
        if asking is None:
            return None
        answer = next((o for o in asking.operands if isinstance(o, Pred)), None)
        if asking.row.mnemonic == "R2UR" and answer is not None and answer.index == before.guard.index:
            return _register(asking)
    return None


def _register(i: Instruction) -> Reg | None:
    return next((o for o in i.operands if isinstance(o, Reg)), None)

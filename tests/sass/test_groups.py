from __future__ import annotations

import numpy as np

from cassc.sass.builder import I32
from cassc.sass.decode import decode, rows_by_opcode
from cassc.sass.evaluate import Evaluate, Lanes
from cassc.sass.groups import group_mask
from cassc.sass.operand import Pred, Reg
from cassc.sass.row import TABLE, Instruction, Row


def _row(mnemonic: str) -> Row:
    rows_by_opcode()
    return next(row for row in TABLE if row.mnemonic == mnemonic and row.first_sm <= 90 <= row.last_sm)


def _instruction(mnemonic: str, address: int, operands: tuple[object, ...] = (), guard: int = 7) -> Instruction:
    row = _row(mnemonic)
    return Instruction(row, 0, address, 90, 1, Pred(guard, negated=guard != 7), operands, {})  # type: ignore[arg-type]


def test_reduction_by_groups() -> None:
    b = Evaluate()
    b.group = np.where(np.arange(32) % 3 == 0, 1, 2).astype(np.uint32)
    result = b.reduce("add", Lanes(I32, np.arange(32, dtype=np.uint32)))
    thirds = sum(range(0, 32, 3))
    assert result.data[0] == thirds
    assert result.data[1] == sum(range(32)) - thirds
    b.group = None
    assert b.reduce("add", Lanes(I32, np.arange(32, dtype=np.uint32))).data[0] == sum(range(32))


def test_mask_of_the_warpsync_in_front() -> None:
    sync = _instruction("WARPSYNC", 0x10, (Reg(13),))
    redux = _instruction("REDUX", 0x20)
    assert group_mask({0x10: sync, 0x20: redux}, redux) == Reg(13)
    assert group_mask({0x20: redux}, redux) is None


def test_mask_of_the_question_behind_a_guarded_branch() -> None:
    asking = _instruction("R2UR", 0x10, (Pred(1), Reg(7)))
    branch = _instruction("BRA.DIV", 0x30, guard=1)
    redux = _instruction("REDUX", 0x40)
    at = {i.address: i for i in (asking, _instruction("NOP", 0x20), branch, redux)}
    assert group_mask(at, redux) == Reg(7)
    at[0x30] = _instruction("BRA.DIV", 0x30)
    assert group_mask(at, redux) is None


def test_only_reductions_have_groups() -> None:
    exit_ = decode(0x000FEA0003800000 << 64 | 0x000000000000794D, 90, 0x20)
    assert exit_ is not None
    assert group_mask({0x10: _instruction("WARPSYNC", 0x10, (Reg(13),)), 0x20: exit_}, exit_) is None

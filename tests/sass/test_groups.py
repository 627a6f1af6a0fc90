from __future__ import annotations

import numpy as np

from cassc.sass.builder import I1, I32
from cassc.sass.decode import rows_by_opcode
from cassc.sass.evaluate import Evaluate
from cassc.sass.groups import joins_groups
from cassc.sass.lanes import Lanes
from cassc.sass.operand import Label, Operand, Pred, Reg
from cassc.sass.row import TABLE, Instruction, Row


def _row(mnemonic: str) -> Row:
    rows_by_opcode()
    return next(row for row in TABLE if row.mnemonic == mnemonic and row.first_sm <= 90 <= row.last_sm)


def _code(*lines: tuple[str, tuple[Operand, ...]]) -> dict[int, Instruction]:
    return {
        16 * k: Instruction(_row(mnemonic), 0, 16 * k, 90, 1, Pred(7), operands, {})
        for k, (mnemonic, operands) in enumerate(lines)
    }


def test_exchanges_by_groups() -> None:
    b = Evaluate()
    thirds = np.arange(32) % 3 == 0
    mask = sum(1 << k for k in range(0, 32, 3))
    b.group = np.where(thirds, mask, mask ^ 0xFFFFFFFF).astype(np.uint32)
    lanes = Lanes(I32, np.arange(32, dtype=np.uint32))
    result = b.reduce("add", lanes)
    assert result.data[0] == sum(range(0, 32, 3))
    assert result.data[1] == sum(range(32)) - sum(range(0, 32, 3))
    assert b.ballot(b.const(I1, 1)).data[:3].tolist() == [mask, mask ^ 0xFFFFFFFF, mask ^ 0xFFFFFFFF]
    assert b.match_any(b.const(I32, 5)).data[3] == mask
    assert b.broadcast(lanes).data[:4].tolist() == [0, 1, 1, 0]
    b.group = None
    assert b.reduce("add", lanes).data[0] == sum(range(32))
    assert b.broadcast(lanes).data[1] == 0


def test_a_shuffle_from_a_lane_that_does_not_execute_gives_zero() -> None:
    b = Evaluate()
    b.mask = np.arange(32) % 2 == 0
    got = b.shuffle(Lanes(I32, np.arange(32, dtype=np.uint32) + 7), Lanes(I32, np.arange(32, dtype=np.uint32) // 2))
    assert got.data[[0, 2, 4, 6]].tolist() == [7, 0, 9, 0]


def test_a_path_that_votes_by_mask() -> None:
    vote = _code(("WARPSYNC.COLLECTIVE", (Reg(8), Label(0x30))), ("NOP", ()), ("VOTE", ()), ("EXIT", ()))
    assert not joins_groups(vote, 0)  # NOP stands for what ends the sequence
    del vote[0x10]
    vote[0x10] = vote[0x20]
    assert joins_groups(vote, 0)


def test_a_path_that_only_shuffles_makes_no_difference() -> None:
    collective = ("WARPSYNC.COLLECTIVE", (Reg(8), Label(0x30)))
    assert not joins_groups(_code(collective, ("SHFL", ()), ("ENDCOLLECTIVE", ()), ("BRA", (Label(0),))), 0)


def test_votes_of_all_lanes_and_behind_the_branch_do_not_count() -> None:
    assert not joins_groups(_code(("WARPSYNC.ALL", ()), ("VOTE", ()), ("BRA", (Label(0),))), 0)
    assert not joins_groups(_code(("BRA", (Label(0),)), ("WARPSYNC.EXCLUSIVE", (Reg(1),)), ("VOTE", ())), 0)


def test_a_path_through_a_subroutine() -> None:
    code = _code(
        ("CALL.REL", (Label(0x20),)),
        ("BRA", (Label(0),)),
        ("WARPSYNC", (Reg(3),)),
        ("VOTE", ()),
        ("RET.REL", (Reg(2), Label(0))),
    )
    assert joins_groups(code, 0)

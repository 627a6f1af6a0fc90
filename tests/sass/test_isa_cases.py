"""Meanings, one instruction at a time: lines ``word TEXT | inputs => outputs`` in cases/, run on `Evaluate`."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from cassc.sass.builder import I1, I32
from cassc.sass.decode import decode
from cassc.sass.evaluate import Evaluate
from cassc.sass.execute import Machine, execute
from cassc.sass.lanes import Lanes
from cassc.sass.operand import Pred, Reg, UReg
from cassc.sass.printer import text

CASES = Path(__file__).parent / "cases"


class Registers(Evaluate):
    """A warp whose lanes all hold the same."""

    def __init__(self, values: dict[str, int]) -> None:
        super().__init__()
        self.values = values

    def register(self, register: Reg | UReg) -> Lanes:
        prefix = "UR" if isinstance(register, UReg) else "R"
        return self.const(I32, self.values.get(f"{prefix}{register.index}", 0))

    def predicate(self, index: int, *, uniform: bool = False) -> Lanes:
        return self.const(I1, 1 if index == 7 else self.values.get(f"{'U' if uniform else ''}P{index}", 0))


def number(written: str) -> int:
    if written.endswith("f") and not written.startswith("0x"):
        return int(struct.unpack("<I", struct.pack("<f", float(written[:-1])))[0])
    return int(written, 0)


def assignments(written: str) -> dict[str, int]:
    return {name: number(value) for name, value in re.findall(r"(\w+)=(\S+)", written)}


def run(word: int, sm: int, inputs: dict[str, int]) -> dict[str, int]:
    """All registers and predicates afterwards, of lane 0."""
    instruction = decode(word, sm)
    assert instruction is not None
    machine = Registers(inputs)
    after = dict(inputs)
    with np.errstate(all="ignore"):
        for write in execute(cast(Machine, machine), instruction):
            for k, value in enumerate(write.values):
                assert isinstance(value, Lanes)
                after[_name(write.target, k)] = int(value.data[0])
    return after


def _name(target: Reg | UReg | Pred, k: int) -> str:
    prefix = "P" if isinstance(target, Pred) else "R"
    uniform = isinstance(target, UReg) or isinstance(target, Pred) and target.uniform
    return f"{'U' if uniform else ''}{prefix}{target.index + k}"


def cases() -> list[tuple[int, str]]:
    files = sorted(CASES.glob("sm_*.txt"))
    lines = [(int(file.stem[3:]), line) for file in files for line in file.read_text().splitlines()]
    return [(sm, line) for sm, line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize(("sm", "line"), cases(), ids=lambda value: str(value)[33:])
def test_case(sm: int, line: str) -> None:
    head, _, tail = line.partition(" | ")
    word, _, expected_text = head.partition(" ")
    inputs, _, outputs = tail.partition("=> ")
    instruction = decode(int(word, 16), sm)
    assert instruction is not None
    assert text(instruction) == expected_text
    after = run(int(word, 16), sm, assignments(inputs))
    wanted = assignments(outputs)
    assert {name: hex(after.get(name, 0)) for name in wanted} == {name: hex(value) for name, value in wanted.items()}

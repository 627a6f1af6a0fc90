"""Products with sparse matrices against NumPy's of the whole matrices, laid out as PTX ISA describes."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from cassc.sass.builder import I32
from cassc.sass.decode import decode
from cassc.sass.evaluate import Evaluate
from cassc.sass.execute import Machine, execute
from cassc.sass.lanes import Lanes
from cassc.sass.operand import Imm, Reg, UReg

G, T = np.arange(32) // 4, np.arange(32) % 4
# Word, columns of A, bits of an element, signed. R8 and R12 of A and B, R16 of C, R24 of the metadata.
CASES = {
    "HMMA.SP.16816.F32": ("008fe20000001a0400000e0c0a0c723c", 16, 16),
    "HMMA.SP.16832.F32": ("008fee0000005a0c000012080408723c", 32, 16),
    "HMMA.SP.16816.F32.TF32": ("008fee0000081a0c000012080408723c", 16, 32),
    "IMMA.SP.16832.S8.S8": ("008fe20000405d0400000e0c0a0c7237", 32, 8),
    "IMMA.SP.16864.U8.U8": ("008fee000060050c0000120804087237", 64, 8),
}


class Registers(Evaluate):
    def __init__(self, values: dict[int, NDArray[np.uint32]]) -> None:
        super().__init__()
        self.values = values

    def register(self, register: Reg | UReg) -> Lanes:
        return Lanes(I32, self.values[register.index])

    def special(self, name: str) -> Lanes:
        assert name == "laneid"
        return Lanes(I32, np.arange(32, dtype=np.uint32))


def packed(values: NDArray[Any], bits: int) -> NDArray[np.uint32]:
    """Lanes with the elements of a word each, lowest first."""
    if bits == 8:
        return np.ascontiguousarray(values.astype(np.int64).astype(np.uint8)).view(np.uint32)[:, 0]
    kind = np.float16 if bits == 16 else np.float32
    return np.ascontiguousarray(values.astype(kind)).view(np.uint32)[:, 0]


@pytest.mark.parametrize("name", CASES)
def test_what_is_kept_meets_its_rows(name: str) -> None:
    text, depth, bits = CASES[name]
    instruction = decode(int(text, 16), 90)
    assert instruction is not None and instruction.mnemonic == name
    random = np.random.default_rng(depth + bits)
    low = 0 if "U8" in name else -9
    each = 32 // bits  # elements of a word
    # Of each neighbourhood of four (TF32: of two) which are kept, in ascending order.
    whole = 2 if bits == 32 else 4
    kept = [[sorted(random.choice(whole, whole // 2, replace=False)) for _ in range(depth // whole)] for _ in range(16)]
    values = random.integers(low, 9, (16, depth // 2)).astype(float)
    columns = random.integers(low, 9, (depth, 8)).astype(float)
    dense = np.zeros((16, depth))
    for row in range(16):
        places = [whole * n + place for n, pair in enumerate(kept[row]) for place in pair]
        dense[row, places] = values[row]
    start = random.integers(-9, 9, (16, 8)).astype(float)
    blocks = depth // (8 * each)
    a, b, c, metadata = (operand_registers(instruction.operands, k) for k in (1, 2, 3, 4))
    registers = {}
    for block in range(blocks):
        for h in (0, 1):
            at = 4 * each * block + each * T[:, None] + np.arange(each)
            registers[a + 2 * block + h] = packed(values[(G + 8 * h)[:, None], at], bits)
        for half in (0, 1):
            rows = 4 * each * (2 * block + half) + each * T[:, None] + np.arange(each)
            registers[b + 2 * block + half] = packed(columns[rows, G[:, None]], bits)
    kind = np.float32 if name.startswith("H") else np.int32
    for k in range(4):
        registers[c + k] = start[G + 8 * (k // 2), 2 * T + k % 2].astype(kind).view(np.uint32)
    selector = instruction.operands[5]
    assert isinstance(selector, Imm)
    registers[metadata] = metadata_of(kept, bits, selector.bits)
    (write,) = execute(cast(Machine, Registers(registers)), instruction)
    expected = dense @ columns + start
    for k, got in enumerate(write.values):
        assert isinstance(got, Lanes)
        assert got.data.view(kind).tolist() == expected[G + 8 * (k // 2), 2 * T + k % 2].tolist()


def operand_registers(operands: Any, k: int) -> int:
    register = operands[k]
    assert isinstance(register, Reg)
    return register.index


def metadata_of(kept: list[list[list[int]]], bits: int, selector: int) -> NDArray[np.uint32]:
    """Four bits for each neighbourhood; lanes whose bits nobody asks for hold others."""
    nibbles = np.array([[sum(v << 2 * k for k, v in enumerate(halved(p, bits))) for p in row] for row in kept])
    result = np.random.default_rng(0).integers(0, 1 << 32, 32).astype(np.uint32)
    per_row = nibbles.shape[1] // 4  # groups of four nibbles
    for group in range(8):
        if bits == 8:
            words = [nibbles[row, 8 * n : 8 * n + 8] for n in range(per_row // 2) for row in (group, group + 8)]
        else:
            words = [
                np.concatenate([nibbles[r, 4 * n : 4 * n + 4] for r in (group, group + 8)]) for n in range(per_row)
            ]
        for lane, word in enumerate(words):
            result[4 * group + selector * len(words) % 4 + lane] = sum(int(v) << 4 * k for k, v in enumerate(word))
    return result


def halved(pair: list[int], bits: int) -> list[int]:
    """The two indices that are kept; of TF32 both halves of the one."""
    return [2 * pair[0], 2 * pair[0] + 1] if bits == 32 else pair


def test_what_is_not_kept_takes_no_part() -> None:
    text, _, _ = CASES["HMMA.SP.16816.F32"]
    instruction = decode(int(text, 16), 90)
    assert instruction is not None
    a, b, c, metadata = (operand_registers(instruction.operands, k) for k in (1, 2, 3, 4))
    one, infinity = np.full(32, 0x3C003C00, np.uint32), np.full(32, 0x7C003C00, np.uint32)
    zeros = np.zeros(32, np.uint32)
    # The first and the third of four are kept; each second row of B is infinite.
    registers = {a: one, a + 1: one, b: infinity, b + 1: infinity, metadata: np.full(32, 0x88888888, np.uint32)}
    (write,) = execute(cast(Machine, Registers({**registers, **{c + k: zeros for k in range(4)}})), instruction)
    for got in write.values:
        assert isinstance(got, Lanes)
        assert got.data.view(np.float32).tolist() == [8.0] * 32

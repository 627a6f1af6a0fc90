"""Launches that are looked for: what comparisons saw, and how launches are changed for it."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cassc.image import cubin as cubins
from cassc.image.cubin import KernelAbi, Parameter
from cassc.sass import cfg
from cassc.sass.disasm import SassFunction, disassemble
from cassc.sass.memory import Range
from cassc.verify import comparisons, search
from cassc.verify.comparisons import EQUAL, GREATER, LESS, Comparisons, Numbers, Seen
from cassc.verify.coverage import Coverage
from cassc.verify.disturb import disturbed
from cassc.verify.execute import TracingMemory
from cassc.verify.flow import Facts
from cassc.verify.hints import Hints
from cassc.verify.inputs import Generator, Launch
from cassc.verify.search import Search

DATA = Path(__file__).parent / "data"
POINTER = Facts(points=True)
ABI = KernelAbi(
    name="k", parameters=(Parameter(0, 0, 8), Parameter(1, 8, 4), Parameter(2, 12, 4)), param_base=0x160, param_size=16
)
HINTS = Hints(words={0: POINTER, 4: POINTER}, memory={0: Facts(sizes={4})}, complete=True)


def kernel(name: str) -> SassFunction:
    found = disassemble(cubins.parse((DATA / "gate.sm_80.cubin").read_bytes())).function(name)
    assert found is not None
    return found


def looking(seen: Seen) -> tuple[Search, Launch]:
    """A search for a kernel whose only comparison stands at address 0, and a launch of it with the scalars 5 and 9."""
    function = kernel("integers")
    watched = Comparisons({0: seen})
    found = Search(function, Generator(ABI, HINTS), Coverage(function, cfg.build(function)), watched)
    launch = found.generator.launch(0)
    return found, replace(launch, scalars=bytes(8) + struct.pack("<II", 5, 9))


def tried(seen: Seen, tries: int = 40) -> list[Launch]:
    found, launch = looking(seen)
    made = []
    for attempt in range(tries):
        found._plan(replace(launch, attempt=attempt), set())
        made += [idea.launch for idea in found._queue]
        found._queue.clear()
        found._tried.clear()
    return made


def scalars(launch: Launch) -> tuple[int, ...]:
    return struct.unpack_from("<II", launch.scalars, 8)


def test_a_scalar_that_was_compared_is_put_next_to_the_other_side() -> None:
    seen = Seen(Numbers.SIGNED, relations=LESS, pairs=[(5, 1000)])
    assert {1000, 1001} <= {scalars(launch)[0] for launch in tried(seen)}


def test_multiples_and_neighbours_of_what_was_compared_follow() -> None:
    seen = Seen(Numbers.SIGNED, relations=LESS | GREATER, pairs=[(8, 77), (72, 60)])
    found = {scalars(launch)[1] for launch in tried(seen)}
    assert 78 in found  # it was 9 where 8 met 77
    assert 60 // 8 in found  # it was 9 where 9 times 8 met 60


def test_words_of_memory_that_were_compared_are_changed() -> None:
    found, launch = looking(Seen(Numbers.UNSIGNED, relations=LESS, pairs=[(0x1234_5678, 0xDEAD_BEEF)]))
    data = launch.buffers[0].data.copy()
    data.view(np.uint32)[7] = 0x1234_5678
    launch = replace(launch, buffers=(replace(launch.buffers[0], data=data),))
    found._plan(launch, set())
    words = {int(idea.launch.buffers[0].data.view(np.uint32)[7]) for idea in found._queue}
    assert {0xDEAD_BEEF, 0xDEAD_BEF0} <= words


def test_relations_that_occurred_are_not_looked_for() -> None:
    assert not tried(Seen(Numbers.SIGNED, relations=31, pairs=[(5, 1000)]))
    assert not tried(Seen(Numbers.SINGLE, relations=7, pairs=[(5, 1000)]))


@pytest.mark.parametrize("relation", [LESS, EQUAL, GREATER])
@pytest.mark.parametrize("numbers", list(Numbers))
def test_numbers_stand_in_the_relation_that_is_wanted(numbers: Numbers, relation: int) -> None:
    whole = np.uint64 if numbers is Numbers.DOUBLE else np.uint32
    value = np.array([1000], whole) if "SIGN" in numbers.name else np.array([1.5], numbers.value)
    made = search._beside(numbers, int(value.view(whole)[0]), relation)
    assert made is not None
    got, old = np.array([made], whole).view(numbers.value)[0], value.view(numbers.value)[0]
    assert (got < old, got == old, got > old).index(True) == (LESS, EQUAL, GREATER).index(relation)


def test_comparisons_note_what_active_lanes_saw() -> None:
    seen = Seen(Numbers.SIGNED)
    first, second = np.array([1, 5, 9], np.uint32), np.array([4, 4, 4], np.uint32)
    seen.note(np.array([True, False, False]), first, second)
    assert seen.relations == LESS and seen.nearest[GREATER] == 3 and seen.pairs == [(1, 4)]
    seen.note(np.array([True, True, True]), first, second)
    assert seen.relations == LESS | GREATER and EQUAL in seen.nearest


def test_a_branch_names_the_comparisons_it_depends_on() -> None:
    function = kernel("loops")
    branches = [i for i in function.instructions if i.row.control == "branch" and not i.guard.is_true]
    assert branches and all(comparisons.deciding(function, i.address) for i in branches)


def test_reciprocals_of_integer_divisions_are_not_nudged() -> None:
    function = kernel("division")
    changed = disturbed(function, 0)
    pairs = [
        (a, b) for a, b in zip(function.instructions, changed.instructions, strict=True) if a.row.mnemonic == "MUFU"
    ]
    assert pairs and all(a.row is b.row for a, b in pairs)


def test_memory_that_only_atomic_operations_reach_counts_as_touched() -> None:
    memory = TracingMemory()
    memory.add(Range(0x1000, np.zeros(64, np.uint8)))
    memory.add(Range(0x2000, np.zeros(64, np.uint8)))
    memory.write_int(0x1008, 7, 4)
    memory.read(np.array([0x2000], np.uint64), 4)
    assert memory.touched == {0x1000, 0x2000}

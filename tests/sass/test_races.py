from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cassc.sass.memory import AccessError, Memory, Range
from cassc.sass.operand import Imm
from cassc.sass.races import Races


@pytest.fixture
def memory() -> Memory:
    return Memory([Range(0x1000, np.zeros(256, np.uint8))], "global")


def access(races: Races, memory: Memory, thread: int, address: int, *, write: bool, size: int = 4) -> None:
    lanes, addresses = np.array([thread]), np.array([address], np.uint64)
    if write:
        races.record_store(memory, lanes, addresses, size, np.ones((1, size), np.uint8))
    else:
        races.record_load(memory, lanes, addresses, size)


def test_reads_do_not_race(memory: Memory) -> None:
    races = Races()
    for thread in (0, 1, 40):
        access(races, memory, thread, 0x1000, write=False)
    assert not races.found


def test_write_then_read_of_another_thread_races(memory: Memory) -> None:
    races = Races()
    access(races, memory, 0, 0x1000, write=True)
    access(races, memory, 0, 0x1000, write=False)
    assert not races.found
    access(races, memory, 33, 0x1002, write=False, size=2)
    assert races.found


def test_read_then_write_of_another_thread_races(memory: Memory) -> None:
    races = Races()
    access(races, memory, 0, 0x1000, write=False)
    access(races, memory, 1, 0x1000, write=True)
    assert races.found


def test_neighbouring_bytes_do_not_race(memory: Memory) -> None:
    races = Races()
    access(races, memory, 0, 0x1000, write=True, size=1)
    access(races, memory, 1, 0x1001, write=True, size=1)
    assert not races.found


def test_barrier_orders_the_cta(memory: Memory) -> None:
    races = Races()
    access(races, memory, 0, 0x1000, write=True)
    races.barrier()
    access(races, memory, 500, 0x1000, write=False)
    assert not races.found


def test_barrier_does_not_order_ctas(memory: Memory) -> None:
    races = Races()
    races.enter_cta()
    access(races, memory, 0, 0x1000, write=True)
    races.barrier()
    races.enter_cta()
    races.barrier()
    access(races, memory, 0, 0x1000, write=False)
    assert races.found


def test_warp_synchronisation_orders_its_warp_only(memory: Memory) -> None:
    met = np.zeros(64, bool)
    met[:32] = True
    races = Races()
    access(races, memory, 0, 0x1000, write=True)
    races.warps_met(met)
    access(races, memory, 5, 0x1000, write=False)
    assert not races.found
    access(races, memory, 40, 0x1000, write=False)
    assert races.found


def store_of_two(races: Races, memory: Memory, contents: list[list[int]] | None) -> None:
    rows = None if contents is None else np.array(contents, np.uint8)
    races.record_store(memory, np.array([0, 1]), np.array([0x1000, 0x1000], np.uint64), 4, rows)


def test_two_lanes_of_one_store_race_if_they_write_different_values(memory: Memory) -> None:
    races = Races()
    store_of_two(races, memory, [[1, 0, 0, 0], [1, 0, 0, 0]])
    assert not races.found
    store_of_two(races, memory, [[1, 0, 0, 0], [2, 0, 0, 0]])
    assert races.found


def test_writing_what_is_there_already_races_with_other_values_only(memory: Memory) -> None:
    races = Races()
    store_of_two(races, memory, None)
    access(races, memory, 5, 0x1000, write=False)
    assert not races.found
    access(races, memory, 6, 0x1000, write=True)
    assert races.found


def test_shared_memory_of_two_ctas_is_not_one(memory: Memory) -> None:
    shared = Memory([Range(0, np.zeros(64, np.uint8))], "shared")
    races = Races()
    races.enter_cta()
    access(races, shared, 0, 0, write=True)
    races.enter_cta()
    access(races, shared, 0, 0, write=False)
    assert not races.found


def test_an_invalid_access_is_an_error(memory: Memory) -> None:
    with pytest.raises(AccessError):
        access(Races(), memory, 0, 0x2000, write=True)


def instruction(name: str, *operands: object) -> Any:
    return SimpleNamespace(row=SimpleNamespace(mnemonic=name), operands=operands)


def copied(*, waits: int | None) -> Races:
    """Thread 3 copies to 0x1000 and to 0x1010, a group each, waits until ``waits`` groups are left, and all meet."""
    races = Races()
    memory = Memory([Range(0x1000, np.zeros(256, np.uint8))], "shared")
    lanes = np.arange(64) == 3
    for address in (0x1000, 0x1010):
        races.watch(instruction("LDGSTS.E"), lanes)
        access(races, memory, 3, address, write=True)
        races.watch(instruction("LDGDEPBAR"), lanes)
    if waits is not None:
        races.watch(instruction("DEPBAR.LE", None, Imm(waits, "u32")), lanes)
    races.barrier()
    races.watch(instruction("LDS"), lanes)
    access(races, memory, 40, 0x1000, write=False)
    return races


def test_an_asynchronous_copy_is_done_when_its_thread_has_waited_for_its_group() -> None:
    assert copied(waits=None).found
    assert copied(waits=2).found
    assert not copied(waits=1).found
    assert not copied(waits=0).found


def test_who_copies_must_wait_too() -> None:
    races = Races()
    memory = Memory([Range(0x1000, np.zeros(256, np.uint8))], "shared")
    races.watch(instruction("LDGSTS.E"), np.ones(32, bool))
    access(races, memory, 3, 0x1000, write=True)
    races.watch(instruction("LDS"), np.ones(32, bool))
    access(races, memory, 3, 0x1000, write=False)
    assert races.found

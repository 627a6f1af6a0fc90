"""Generated launches: repeatable, shaped by hints, and adapted after failures."""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np
import pytest

from cassc.image.cubin import KernelAbi, Parameter
from cassc.verify import content
from cassc.verify.content import Manner
from cassc.verify.flow import Facts, Kind
from cassc.verify.hints import Hints
from cassc.verify.inputs import BUFFER_BYTES, Failure, Generator, Launch, slots

ABI = KernelAbi(
    name="k",
    parameters=(Parameter(0, 0, 8), Parameter(1, 8, 4), Parameter(2, 16, 24), Parameter(3, 40, 3)),
    param_base=0x160,
    param_size=43,
)
POINTER = Facts(points=True)
NOBODY: frozenset[int] = frozenset()


def addresses(launch: Launch) -> list[int]:
    return [0x10000 + 0x100000 * k for k in range(len(launch.buffers))]


def test_slots_cut_structures_where_pointers_may_stand() -> None:
    assert [(s.offset, s.size) for s in slots(ABI)] == [(0, 8), (8, 4), (16, 8), (24, 8), (32, 8), (40, 2), (42, 1)]


def test_launches_repeat() -> None:
    one = Generator(ABI, Hints(), seed=3).launch(5)
    other = Generator(ABI, Hints(), seed=3).launch(5)
    assert (one.scalars, one.block, one.grid) == (other.scalars, other.block, other.grid)
    assert all((a.data == b.data).all() for a, b in zip(one.buffers, other.buffers, strict=True))


def test_seeds_and_attempts_differ() -> None:
    generator = Generator(ABI, Hints(), seed=1)
    assert (generator.launch(1).buffers[0].data != generator.launch(2).buffers[0].data).any()
    assert (generator.launch(0).buffers[0].data != Generator(ABI, Hints(), seed=2).launch(0).buffers[0].data).any()


def test_what_may_be_a_pointer_gets_a_buffer() -> None:
    launch = Generator(ABI, Hints()).launch(0)
    assert [b.offset for b in launch.buffers] == [0, 16, 24, 32]
    assert all(b.data.size == BUFFER_BYTES for b in launch.buffers)
    block = launch.parameters([0x1000, 0x2000, 0x3000, 0x4000])
    assert struct.unpack_from("<Q", block, 24)[0] == 0x3000
    assert len(block) == 43


def test_known_flow_tells_pointers_from_integers() -> None:
    hints = Hints(words={0: POINTER, 4: POINTER, 24: Facts(bounds=True)}, complete=True)
    launch = Generator(ABI, hints).launch(0)
    assert [b.offset for b in launch.buffers] == [0]
    assert 0 < struct.unpack_from("<Q", launch.scalars, 24)[0] <= 128


def test_memory_that_holds_pointers_points_to_another_buffer() -> None:
    hints = Hints(words={0: POINTER, 4: POINTER}, memory={0: Facts(points=True, sizes={8})}, complete=True)
    launch = Generator(ABI, hints).launch(0)
    assert [(b.offset, b.holds) for b in launch.buffers] == [(0, 1), (-1, -1)]
    stored = launch.content(0, [0x1000, 0x2000]).view(np.uint64)
    assert (stored == 0x2000).all()
    assert struct.unpack_from("<Q", launch.parameters([0x1000, 0x2000]))[0] == 0x1000


def test_hints_choose_floats() -> None:
    hints = Hints({8: Facts(kinds={Kind.FLOAT32}), 16: Facts(kinds={Kind.FLOAT64}), 20: Facts(kinds={Kind.FLOAT64})})
    launch = Generator(ABI, hints).launch(0)
    assert 0.001 < abs(struct.unpack_from("<f", launch.scalars, 8)[0]) <= 100
    assert 0.001 < abs(struct.unpack_from("<d", launch.scalars, 16)[0]) <= 100


@pytest.mark.parametrize("attempt", range(8))
def test_shape_respects_launch_bounds(attempt: int) -> None:
    x, y, z = Generator(KernelAbi(name="k", max_threads=64), Hints(dimensions=2)).launch(attempt).block
    assert x * y * z <= 64
    exact = KernelAbi(name="k", required_threads=(24, 2, 1))
    assert Generator(exact, Hints()).launch(attempt).block == (24, 2, 1)


def test_a_fault_behind_a_buffer_makes_it_larger() -> None:
    generator = Generator(ABI, Hints(words={0: POINTER, 4: POINTER}, complete=True))
    launch = generator.launch(0)
    (base,) = addresses(launch)
    generator.learn(launch, [base], NOBODY, Failure("address", base + 3 * BUFFER_BYTES, "global"))
    assert generator.launch(0).buffers[0].data.size == 4 * BUFFER_BYTES


def test_faults_far_away_make_indices_smaller() -> None:
    facts = Facts(indexes=True, sizes={4})
    generator = Generator(ABI, Hints({0: POINTER, 4: POINTER}, {0: facts}, complete=True))
    largest = []
    for attempt in (1, 10, 19):  # of one manner
        launch = generator.launch(attempt)
        largest.append(int(launch.buffers[0].data.view(np.uint32).max()))
        generator.learn(launch, addresses(launch), NOBODY, Failure("address", 1 << 45, "global"))
    assert largest[0] >= largest[1] > largest[2]


def test_long_launches_make_scalars_smaller() -> None:
    generator = Generator(ABI, Hints(words={8: Facts(bounds=True)}, complete=True))
    launch = generator.launch(0)
    for _ in range(8):
        generator.learn(launch, addresses(launch), NOBODY, Failure("budget"))
    values = {struct.unpack_from("<I", generator.launch(9 * k).scalars, 8)[0] for k in range(6)}
    assert max(values) <= 2


def test_unused_slots_turn_into_integers() -> None:
    generator = Generator(ABI, Hints())
    launch = generator.launch(0)
    places = addresses(launch)
    generator.learn(launch, places, frozenset(places[:1]), Failure("trap"))
    assert [b.offset for b in generator.launch(1).buffers] == [0]


@pytest.mark.parametrize("manner", Manner)
def test_indices_stay_below_their_limit(manner: Manner) -> None:
    random = np.random.default_rng(1)
    for size in (1, 2, 4, 8):
        facts = Facts(indexes=True, sizes={size})
        data = content.make(random, 4096, facts, manner, 12, ()).view(f"u{size}")
        if manner is not Manner.TAME:
            assert data.max() < 12
        assert (np.diff(data.astype(np.int64)) >= 0).all() == (manner is Manner.TAME and size >= 4)


def test_nasty_floats_are_there_when_asked_for() -> None:
    random = np.random.default_rng(1)
    facts = Facts(kinds={Kind.FLOAT32}, sizes={4})
    tame = content.make(random, 1 << 14, facts, Manner.TAME, 0, ()).view(np.float32)
    assert np.isfinite(tame).all()
    many = [content.make(random, 1 << 14, facts, Manner.EDGES, 0, ()).view(np.float32) for _ in range(20)]
    assert any(np.isnan(edges).any() and np.isinf(edges).any() for edges in many)
    assert all((edges == 0).any() for edges in many)
    # One of them decides a sum: most buffers have few or none.
    assert sum(np.isfinite(edges).mean() > 0.99 for edges in many) > 7
    assert ((many[0] != 0) & (np.abs(many[0]) < 2**-126)).any()


def test_values_that_the_kernel_compares_with_are_met() -> None:
    data = content.make(np.random.default_rng(1), 1 << 14, Facts(sizes={4}), Manner.EDGES, 0, (123456,)).view(np.uint32)
    assert {123455, 123456, 123457} <= set(data.tolist())


def test_every_manner_fills_every_type() -> None:
    for kind in (None, *Kind):
        facts = Facts(kinds={kind} if kind else set(), sizes={1, 2, 4, 8, 16})
        for manner in Manner:
            made = content.make(np.random.default_rng(1), 512, replace(facts), manner, 0, ())
            assert made.dtype == np.uint8 and made.size == 512


def test_contents_repeat_only_where_drawing_them_must_be_quick() -> None:
    facts = Facts(sizes={4})
    whole, quick = (
        content.make(np.random.default_rng(1), 1 << 16, facts, Manner.WILD, 0, (), repeats=repeats)
        for repeats in (False, True)
    )
    assert whole.size == quick.size == 1 << 16
    assert (quick[:8168] == quick[8168 : 2 * 8168]).all() and (quick[:8192] != quick[8192:16384]).any()
    assert (whole[:8168] != whole[8168 : 2 * 8168]).any()

from __future__ import annotations

import struct

from cassc.image.cubin import KernelAbi, Parameter
from cassc.verify.hints import Hints, Use
from cassc.verify.inputs import BUFFER_BYTES, Generator, slots

ABI = KernelAbi(
    name="k",
    parameters=(Parameter(0, 0, 8), Parameter(1, 8, 4), Parameter(2, 16, 24), Parameter(3, 40, 3)),
    param_base=0x160,
    param_size=43,
)


def test_slots_cut_structures_where_pointers_may_stand() -> None:
    assert [(s.offset, s.size) for s in slots(ABI)] == [(0, 8), (8, 4), (16, 8), (24, 8), (32, 8), (40, 2), (42, 1)]


def test_launches_repeat() -> None:
    one = Generator(ABI, Hints(), seed=3).launch(5)
    other = Generator(ABI, Hints(), seed=3).launch(5)
    assert one.scalars == other.scalars
    assert one.block == other.block
    assert all((a.data == b.data).all() for a, b in zip(one.buffers, other.buffers, strict=True))


def test_seeds_and_attempts_differ() -> None:
    generator = Generator(ABI, Hints(), seed=1)
    assert (generator.launch(1).buffers[0].data != generator.launch(2).buffers[0].data).any()
    assert (generator.launch(0).buffers[0].data != Generator(ABI, Hints(), seed=2).launch(0).buffers[0].data).any()


def test_pointers_are_placed_in_the_parameter_block() -> None:
    launch = Generator(ABI, Hints()).launch(0)
    assert [b.offset for b in launch.buffers] == [0, 16, 24, 32]
    assert all(b.data.size == BUFFER_BYTES for b in launch.buffers)
    block = launch.parameters([0x1000, 0x2000, 0x3000, 0x4000])
    assert struct.unpack_from("<Q", block, 24)[0] == 0x3000
    assert len(block) == 43


def test_refused_slots_become_small_integers() -> None:
    generator = Generator(ABI, Hints())
    generator.refused.add(24)
    launch = generator.launch(0)
    assert 24 not in [b.offset for b in launch.buffers]
    assert 0 < struct.unpack_from("<Q", launch.scalars, 24)[0] <= 128


def test_hints_choose_floats() -> None:
    uses = {8: frozenset({Use.FLOAT32}), 16: frozenset({Use.FLOAT64})}
    launch = Generator(ABI, Hints(uses)).launch(0)
    assert 0.001 < abs(struct.unpack_from("<f", launch.scalars, 8)[0]) <= 100
    assert 0.001 < abs(struct.unpack_from("<d", launch.scalars, 16)[0]) <= 100


def test_shape_respects_launch_bounds() -> None:
    for attempt in range(8):
        bounded = KernelAbi(name="k", max_threads=64)
        x, y, z = Generator(bounded, Hints(dimensions=2)).launch(attempt).block
        assert x * y * z <= 64
        exact = KernelAbi(name="k", required_threads=(24, 2, 1))
        assert Generator(exact, Hints()).launch(attempt).block == (24, 2, 1)

"""Which CTAs a kernel is made for, found by trying: those whose threads neither race nor leave shared memory.

Most kernels are right for few shapes. A launch counts only if it went far: one that ends at once says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from cassc.verify.inputs import Dim3, Launch

_SHAPES = {
    1: ((256, 1, 1), (128, 1, 1), (64, 1, 1), (32, 1, 1), (512, 1, 1), (1024, 1, 1), (96, 1, 1), (48, 1, 1)),
    2: (
        *((16, 16, 1), (32, 8, 1), (32, 32, 1), (16, 8, 1), (32, 4, 1), (8, 8, 1), (16, 4, 1), (32, 16, 1)),
        *((64, 4, 1), (8, 4, 1), (8, 16, 1), (32, 2, 1), (4, 4, 1), (9, 5, 1)),
    ),
    3: ((8, 8, 4), (4, 4, 4), (8, 8, 8), (8, 4, 4), (16, 4, 4), (32, 4, 4), (5, 3, 3)),
}
_GRIDS = {
    1: ((2, 1, 1), (3, 1, 1), (5, 1, 1)),
    2: ((2, 2, 1), (2, 1, 1), (1, 3, 1), (3, 2, 1), (3, 3, 1)),
    3: ((2, 1, 2), (1, 2, 1), (2, 2, 2), (3, 1, 1), (1, 1, 3)),
}
_CROWDED = 0.35
"""Share of launches with several CTAs."""
_PROVEN = 0.75
"""Share of launches of shapes that have proved right, once there are any."""
_TRIES = 3
_ALONE = (1, 1, 1)


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a CTA, bytes of dynamic shared memory, and whether there are several CTAs."""

    block: Dim3
    dynamic_shared: int
    crowded: bool

    @classmethod
    def of(cls, launch: Launch) -> Shape:
        return cls(launch.block, launch.dynamic_shared, launch.grid != _ALONE)


@dataclass(slots=True)
class Shapes:
    """Attributes:
    limit: threads of a CTA at most.
    dimensions: of thread and CTA indices that the kernel reads.
    right, wrong: how many launches that went far had a defined result, and how many had not.
    """

    limit: int
    dimensions: int
    right: dict[Shape, int] = field(default_factory=dict)
    wrong: dict[Shape, int] = field(default_factory=dict)

    def note(self, launch: Launch, *, right: bool) -> None:
        table = self.right if right else self.wrong
        shape = Shape.of(launch)
        table[shape] = table.get(shape, 0) + 1

    def shaped(self, random: np.random.Generator, launch: Launch, dynamic_shared: int) -> Launch:
        """The launch with another CTA and grid. ``dynamic_shared``: bytes that launches have seemed to need."""
        shape = self._choose(random, dynamic_shared)
        grids = _GRIDS[self.dimensions]
        grid = grids[int(random.integers(len(grids)))] if shape.crowded else _ALONE
        return replace(launch, grid=grid, block=shape.block, dynamic_shared=shape.dynamic_shared)

    def _choose(self, random: np.random.Generator, dynamic_shared: int) -> Shape:
        crowded = random.random() < _CROWDED
        proven = {s: n / (1 + self.wrong.get(s, 0)) for s, n in self.right.items()}
        if proven and random.random() < _PROVEN:
            known = list(proven)
            weights = np.minimum([proven[s] for s in known], 8.0)
            chosen = known[int(random.choice(len(known), p=weights / weights.sum()))]
            return replace(chosen, crowded=crowded) if self._promises(replace(chosen, crowded=crowded)) else chosen
        every = [
            Shape(block, size, crowded)
            for dimensions in range(self.dimensions, 0, -1)
            for block in _SHAPES[dimensions]
            for size in dict.fromkeys((0, dynamic_shared))
            if block[0] * block[1] * block[2] <= self.limit
        ]
        left = [s for s in every if self._promises(s)] or every
        if not left:
            return Shape((max(min(self.limit, 32), 1), 1, 1), dynamic_shared, crowded)
        return left[int(len(left) * random.random() ** 1.5)]

    def _promises(self, shape: Shape) -> bool:
        return self.wrong.get(shape, 0) - 3 * self.right.get(shape, 0) < _TRIES

"""The table of NVIDIA's unit for elementary functions, and its formats; `cassc.sass.mufu` computes with them.

On its own, since the lifter wants no numpy, which takes 0.1 s to load.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

ONE = 58  # values of the polynomials are fixed-point numbers with this many fraction bits
LOG_BITS = 36  # fraction bits of a logarithm, before it becomes a float
TURN_BITS = 25  # fraction bits of an angle in turns: the quadrant and 23 more


@dataclass(frozen=True, slots=True)
class Unit:
    """Attributes:
    index: leading bits of the 23-bit argument that choose the segment.
    cut: columns of the squarer below this one are left out.
    linear, quadratic: binary places of the coefficients.
    """

    index: int
    cut: int
    linear: int
    quadratic: int


UNITS = {
    "rcp": Unit(7, 17, 39, 56),
    "rsq": Unit(6, 19, 40, 57),
    "sqrt": Unit(6, 19, 40, 58),
    "ex2": Unit(6, 19, 38, 57),
    "lg2": Unit(6, 19, 38, 56),
    "sin": Unit(6, 19, 37, 56),
    "tanh": Unit(6, 19, 39, 57),
}
# The hyperbolic tangent's segments are of unequal lengths: in the binade of exponent TANH_FIRST + k (biased) there are
# 2**TANH_PLACES[k], the first of which is row TANH_ROWS[k].
TANH_FIRST = 119
TANH_PLACES = (0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3)
TANH_ROWS = (8, 9, 10, 11, 13, 15, 19, 23, 27, 35, 0)


@cache
def rows() -> dict[str, list[list[int]]]:
    """Function -> (segments, 3) coefficients; ``rsq`` and ``sqrt`` have those of [1, 2) and then those of [2, 4)."""
    found: dict[str, list[list[int]]] = {name: [] for name in UNITS}
    for line in (resources.files("cassc.sass") / "mufu.txt").read_text().splitlines():
        if not line.startswith("#"):
            name, constant, linear, quadratic = line.split()
            found[name].append([int(constant, 16), int(linear), int(quadratic)])
    return found

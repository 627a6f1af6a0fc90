"""What a kernel's code says of it, and not what other functions of its module say."""

from __future__ import annotations

from pathlib import Path

from cassc.image import cubin as cubins
from cassc.sass.disasm import disassemble
from cassc.verify import hints

APART = Path(__file__).parent / "data" / "apart.sm_80.cubin"


def test_only_kernels_that_reach_an_approximation_are_approximate() -> None:
    found = {f.name: hints.of(f) for f in disassemble(cubins.parse(APART.read_bytes())).functions}
    assert {name: one.approximate for name, one in found.items()} == {"_Z5sinesPf": ("MUFU",), "_Z7triplesPi": ()}

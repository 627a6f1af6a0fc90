"""The two ends of a translation, as facts: AMD targets and NVIDIA SM architectures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """An AMD offload target.

    Attributes:
        name: LLVM processor name (``gfx1100``).
        elf_mach: ``EF_AMDGPU_MACH`` value in a code object's ``e_flags`` (LLVM AMDGPUUsage, "ELF Header").
    """

    name: str
    elf_mach: int

    @property
    def bundle_id(self) -> str:
        """Entry id in a clang offload bundle."""
        return f"hipv4-amdgcn-amd-amdhsa--{self.name}"


TARGETS: dict[str, Target] = {
    t.name: t
    for t in (
        Target("gfx1100", 0x41),
        Target("gfx1101", 0x46),
        Target("gfx1102", 0x47),
        Target("gfx1103", 0x44),
        Target("gfx1150", 0x43),
        Target("gfx1151", 0x4A),
    )
}
DEFAULT_TARGET = TARGETS["gfx1100"]


@dataclass(frozen=True, slots=True, order=True)
class SmArch:
    """An NVIDIA SM architecture; ``suffix`` is ``""``, ``"a"`` or ``"f"``."""

    number: int
    suffix: str = ""

    @property
    def name(self) -> str:
        return f"sm_{self.number}{self.suffix}"

    @classmethod
    def parse(cls, text: str) -> SmArch:
        """``sm_90a`` or ``compute_90a`` to an SmArch; ValueError for anything else."""
        prefix, _, rest = text.partition("_")
        suffix = rest[-1:] if rest[-1:] in ("a", "f") else ""
        digits = rest.removesuffix(suffix) if suffix else rest
        if prefix not in ("sm", "compute") or not digits.isdigit():
            raise ValueError(f"not an SM architecture: {text!r}")
        return cls(int(digits), suffix)


DEFAULT_SM = SmArch(80)
SASS_ARCHITECTURES = (75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121)
"""Numbers of the SM architectures whose instructions the table in ``cassc.sass.isa`` describes: those of nvcc 13."""
RECORDED_SM = SmArch(90)
"""The architecture of the GPU whose outputs are recorded."""

"""What the checker says of a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any


class Status(Enum):
    """``accepted``: no difference in the launches that ran, never "proved"."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNVERIFIED = "unverified"


@dataclass(frozen=True, slots=True)
class Counterexample:
    """The first difference, and the launch that shows it.

    Attributes:
        seed, attempt: what the launch was generated from.
        grid, block: in CTAs and threads; dynamic_shared in bytes.
        parameters: the parameter block, in hex; pointers are addresses of generated buffers.
        buffer: which memory differs (a parameter's buffer or a variable), ``""`` for a fault.
        offset: byte offset of the first difference in it.
        expected, got: bytes there, in hex, or the fault's text.
    """

    seed: int
    attempt: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared: int
    parameters: str
    buffer: str
    offset: int
    expected: str
    got: str

    def describe(self) -> str:
        where = f"{self.buffer} + {self.offset}: " if self.buffer else ""
        return (
            f"seed {self.seed}, attempt {self.attempt}, grid {self.grid}, block {self.block}, "
            f"dynamic shared {self.dynamic_shared}, parameters {self.parameters}; "
            f"{where}expected {self.expected}, got {self.got}"
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """
    Attributes:
        kernel: mangled name.
        target: ``gfx1100``.
        engine: which engine made the translation.
        launches: how many generated launches ran on both sides.
        coverage: share of the kernel's SASS instructions that they executed, padding not counted, 0 to 1.
        branches: share of the ways out of conditional branches and exits that lanes went, 0 to 1.
        reason: why it is not accepted; empty if it is.
        approximate: mnemonics in the kernel whose results may differ in their last places.
        order_dependent: words that depend on the order of warps or on undefined memory were found, and left out.
        witnesses: who else ran launches, and in how many it agreed: an NVIDIA GPU, a recording, another engine.
        dissent: of witnesses that do not decide, the first difference.
    """

    kernel: str
    target: str
    engine: str
    status: Status
    launches: int = 0
    coverage: float = 0.0
    branches: float = 0.0
    reason: str = ""
    approximate: tuple[str, ...] = ()
    order_dependent: bool = False
    witnesses: Mapping[str, int] = field(default_factory=dict)
    dissent: Mapping[str, str] = field(default_factory=dict)
    counterexample: Counterexample | None = None

    @classmethod
    def unchecked(cls, kernel: str, target: str, engine: str) -> Verdict:
        return cls(kernel, target, engine, Status.UNVERIFIED, reason="checking is switched off")

    def to_dict(self) -> dict[str, Any]:
        fields = asdict(self)
        fields["status"] = self.status.value
        fields["coverage"] = round(self.coverage, 4)
        fields["branches"] = round(self.branches, 4)
        return fields

"""What an engine is given, what it gives back, and how it declines."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from cassc.diag import CasscError, Diagnostic
from cassc.image.cubin import Cubin
from cassc.lift.kernel import LiftedKernel
from cassc.sass.disasm import SassFunction
from cassc.target import Target

if TYPE_CHECKING:
    from cassc.verify.oracle import Case  # which loads numpy


@dataclass(frozen=True, slots=True)
class Request:
    """One kernel to translate. An engine reads nothing else: no files, no environment."""

    function: SassFunction
    cubin: Cubin
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Support:
    """Whether an engine can try a request; ``reasons`` are errors that name what it cannot do."""

    ok: bool
    reasons: tuple[Diagnostic, ...] = ()


class Unsupported(CasscError):
    """Raised by ``translate`` when the engine finds on the way that it cannot."""


@dataclass(frozen=True, slots=True)
class Translation:
    """A kernel in LLVM IR, to be joined with the other kernels of its cubin into one module."""

    engine: str
    kernel: str
    ir: LiftedKernel
    remarks: tuple[Diagnostic, ...] = field(default=())


class Engine(Protocol):
    """``strict``: a translation that could not be checked may not be used either. So for any engine that guesses."""

    @property
    def name(self) -> str: ...

    @property
    def strict(self) -> bool: ...

    def supports(self, request: Request) -> Support:
        """A cheap test; False refuses before anything is made."""

    def translate(self, request: Request) -> Translation:
        """May raise Unsupported."""


@runtime_checkable
class Guesser(Engine, Protocol):
    """An engine with several answers; the cascade has each checked by itself, until one is accepted."""

    @property
    def attempts(self) -> int:
        """How many answers are tried at most."""

    def candidates(self, request: Request) -> Generator[Translation, Case | None, None]:
        """Distinct answers, the best first. The launch by which the last one was rejected is sent, if there was one.
        May raise Unsupported."""

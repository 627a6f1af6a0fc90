"""What the source engine is asked to compile."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Unit:
    """A source and how it is to be compiled.

    Attributes:
        source: the file.
        arguments: nvcc's arguments for compiling it.
        cuda: nvcc's version that the source sees.
        cudart: major version of the CUDA runtime that the program is linked with.
        sm: what ``__CUDA_ARCH__`` says, times ten.
    """

    source: Path
    arguments: tuple[str, ...]
    cuda: tuple[int, int, int] = (13, 0, 88)
    cudart: int = 13
    sm: int = 80


def host_options(value: str) -> list[str]:
    """The parts of an ``-Xcompiler`` value: commas separate, but for those in double quotes or behind a backslash."""
    parts = re.findall(r'(?:[^,"\\]|\\.|"[^"]*"|["\\])+', value)
    return [part.replace("\\,", ",").replace('"', "") for part in parts]

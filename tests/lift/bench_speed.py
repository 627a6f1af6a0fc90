"""How long translation takes: decoding, lifting and LLVM, for each kernel alone and for whole cubins.

    python tests/lift/bench_speed.py CUBIN...

Seconds of wall clock on one core, LLVM's worker already running. The last lines tell the median kernel, how time grows
with the number of instructions (exponent of a fit by least squares over the logarithms: 1 is linear), and what one LLVM
module for all kernels of a cubin takes over a module for each.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from cassc.amdgpu.assemble import assemble_full
from cassc.diag import CasscError
from cassc.image import cubin as cubin_image
from cassc.image.cubin import Cubin
from cassc.lift.globals import module_globals
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass.disasm import SassFunction, disassemble
from cassc.target import DEFAULT_TARGET


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds; ``decode`` is the kernel's share of its cubin's, by instructions."""

    kernel: str
    instructions: int
    decode: float
    lift: float
    llvm: float

    @property
    def total(self) -> float:
        return self.decode + self.lift + self.llvm


def translate(cubin: Cubin, functions: list[SassFunction]) -> tuple[float, float]:
    """Seconds for lifting and for LLVM, in one module."""
    start = time.perf_counter()
    kernels = [lift_kernel(function, cubin) for function in functions]
    lifted = time.perf_counter()
    assemble_full(link_text(kernels, DEFAULT_TARGET, module_globals(cubin).definitions), DEFAULT_TARGET)
    return lifted - start, time.perf_counter() - lifted


def measure(path: Path) -> tuple[list[Times], float]:
    """Times of each kernel, and of all in one module."""
    cubin = cubin_image.parse(path.read_bytes())
    start = time.perf_counter()
    functions = disassemble(cubin).functions
    each = (time.perf_counter() - start) / sum(len(f.instructions) for f in functions)
    found = []
    for function in functions:
        lift, llvm = translate(cubin, [function])
        size = len(function.instructions)
        found.append(Times(function.name, size, each * size, lift, llvm))
    return found, sum(translate(cubin, list(functions)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cubins", nargs="+", type=Path)
    options = parser.parse_args()
    kernels: list[Times] = []
    apart = together = 0.0
    for number, path in enumerate(options.cubins):
        try:
            if number == 0:
                measure(path)  # starts the worker
            found, whole = measure(path)
        except CasscError as problem:
            print(f"{path.name}: {problem.diagnostics[0].message}", file=sys.stderr)
            continue
        kernels += found
        if len(found) > 1:
            apart, together = apart + sum(k.lift + k.llvm for k in found), together + whole
    for k in sorted(kernels, key=lambda k: k.instructions):
        print(f"{k.instructions:6} {k.decode:8.4f} {k.lift:8.4f} {k.llvm:8.4f} {k.total:8.4f}  {k.kernel[:60]}")
    print(f"{len(kernels)} kernels, median {statistics.median(k.total for k in kernels):.3f} s")
    if len(kernels) > 1:
        x, y = (
            [math.log(v) for v in values] for values in zip(*((k.instructions, k.total) for k in kernels), strict=True)
        )
        print(f"time grows as instructions ** {statistics.linear_regression(x, y).slope:.2f}")
    if apart:
        print(
            f"one module for each cubin with several kernels takes {together / apart:.2f} of a module for each kernel"
        )


if __name__ == "__main__":
    main()

"""Runs kernels of cubins for a conformance checker: one JSON line on stdin for a job, one on stdout for its answer.

    job     {"cubin": path, "kernel": name, "grid": [x, y, z], "block": [x, y, z], "shared": bytes,
             "input": path, "output": path, "output_bytes": n}
    answer  {"ok": true} | {"ok": false, "error": text} | {"ok": false, "unsupported": text}

The kernel has two parameters: a pointer to the input file's bytes, and one to ``output_bytes`` bytes of zeros, which
are written to the file ``output`` after the launch. Both are aligned to 256 bytes.

By default the kernel is lifted, assembled for the target, and run on the RDNA3 emulator, with approximations of
elementary functions that are the target's, or with ``--exact`` NVIDIA's; ``--reference`` executes its SASS in the
reference interpreter instead. The file ``runner`` beside this one is the command for a checker.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cassc.amdgpu.assemble import assemble_full
from cassc.amdgpu.emulator import Emulator, EmulatorFault, Kernel
from cassc.diag import CasscError
from cassc.image import cubin as cubins
from cassc.image.cubin import Cubin
from cassc.lift.globals import module_globals
from cassc.lift.kernel import LiftedKernel
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass import interp
from cassc.sass.disasm import SassFunction, disassemble
from cassc.sass.memory import Memory, Range
from cassc.target import DEFAULT_TARGET

# Where the interpreter's memory has the two buffers.
INPUT, OUTPUT = 0x1000_0000, 0x2000_0000
ALIGNMENT = 256
STEPS = 50_000_000
UNSUPPORTED = ("lift-unsupported", "sass-unknown-encoding", "sass-no-meaning")


@dataclass(frozen=True, slots=True)
class Job:
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    input: bytes
    output_bytes: int


class Refused(Exception):
    """The kernel cannot be translated; ``str()`` says why."""


class Loaded:
    """A cubin, with what was made of it; kernels are translated together, those that cannot be are remembered."""

    def __init__(self, path: Path) -> None:
        self.cubin: Cubin = cubins.parse(path.read_bytes())
        self.functions: dict[str, SassFunction] = {f.name: f for f in disassemble(self.cubin).functions}
        self.refused: dict[str, str] = {}

    def function(self, kernel: str) -> SassFunction:
        found = self.functions.get(kernel)
        if found is None:
            raise Refused(f"the cubin has no kernel {kernel!r}")
        return found

    def code_object(self, *, exact: bool) -> bytes:
        lifted: list[LiftedKernel] = []
        for function in self.functions.values():
            try:
                lifted.append(lift_kernel(function, self.cubin, exact=exact))
            except CasscError as problem:
                self.refused[function.name] = str(problem)
        return assemble_full(
            link_text(lifted, DEFAULT_TARGET, module_globals(self.cubin).definitions), DEFAULT_TARGET
        ).code_object


class OnEmulator:
    """Lifted code; one cubin is kept."""

    def __init__(self, *, exact: bool) -> None:
        self._exact = exact
        self._emulator = Emulator()
        self._path = Path()
        self._refused: Mapping[str, str] = {}
        self._kernels: Mapping[str, Kernel] = {}

    def __call__(self, path: Path, job: Job) -> bytes:
        if path != self._path:
            loaded = Loaded(path)
            self._emulator.close()
            self._emulator = Emulator()
            module = self._emulator.load(loaded.code_object(exact=self._exact))
            self._kernels = module.kernels
            self._refused, self._path = loaded.refused, path
        if job.kernel not in self._kernels:
            raise Refused(self._refused.get(job.kernel, f"the cubin has no kernel {job.kernel!r}"))
        emulator = self._emulator
        source, target = emulator.alloc(max(len(job.input), 1)), emulator.alloc(max(job.output_bytes, 1))
        try:
            emulator.write(source, job.input)
            emulator.write(target, bytes(job.output_bytes))
            arguments = source.to_bytes(8, "little") + target.to_bytes(8, "little")
            emulator.launch(self._kernels[job.kernel], job.grid, job.block, arguments, dynamic_lds=job.shared)
            return emulator.read(target, job.output_bytes)
        finally:
            emulator.free(source)
            emulator.free(target)


class OnReference:
    """SASS in the interpreter."""

    def __init__(self) -> None:
        self._path = Path()
        self._loaded: Loaded | None = None

    def __call__(self, path: Path, job: Job) -> bytes:
        if self._loaded is None or path != self._path:
            self._loaded, self._path = Loaded(path), path
        loaded = self._loaded
        function = loaded.function(job.kernel)
        memory = Memory()
        memory.add(Range(INPUT, _padded(job.input), "input"))
        result = np.zeros(-(-max(job.output_bytes, 1) // ALIGNMENT) * ALIGNMENT, np.uint8)
        memory.add(Range(OUTPUT, result, "output"))
        arguments = INPUT.to_bytes(8, "little") + OUTPUT.to_bytes(8, "little")
        launch = interp.Launch(job.grid, job.block, job.shared, arguments.ljust(function.abi.param_size, b"\0"))
        device = interp.load_module(loaded.cubin, memory)
        interp.run(function, loaded.cubin, launch, device, budget=STEPS)
        return result[: job.output_bytes].tobytes()


def _padded(data: bytes) -> np.ndarray[Any, np.dtype[np.uint8]]:
    array = np.zeros(-(-max(len(data), 1) // ALIGNMENT) * ALIGNMENT, np.uint8)
    array[: len(data)] = np.frombuffer(data, np.uint8)
    return array


def answer(run: Callable[[Path, Job], bytes], request: Mapping[str, Any]) -> dict[str, Any]:
    """Does a job; what goes wrong becomes part of the answer."""
    try:
        job = Job(
            request["kernel"],
            tuple(request["grid"]),
            tuple(request["block"]),
            request["shared"],
            Path(request["input"]).read_bytes(),
            request["output_bytes"],
        )
        Path(request["output"]).write_bytes(run(Path(request["cubin"]), job))
    except Refused as reason:
        return {"ok": False, "unsupported": str(reason)}
    except CasscError as problem:
        refused = all(d.id in UNSUPPORTED for d in problem.diagnostics)
        return {"ok": False, "unsupported" if refused else "error": str(problem)}
    except (EmulatorFault, OSError, KeyError) as problem:
        return {"ok": False, "error": f"{type(problem).__name__}: {problem}"}
    return {"ok": True}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", action="store_true", help="interpret the SASS")
    parser.add_argument("--exact", action="store_true", help="NVIDIA's approximations of elementary functions")
    options = parser.parse_args()
    run = OnReference() if options.reference else OnEmulator(exact=options.exact)
    # The arithmetic of NaN and infinity is meant.
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        print(json.dumps(answer(run, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()

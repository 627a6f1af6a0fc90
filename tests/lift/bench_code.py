"""How good lifted code is: wave-instructions of every kernel, over those of clang's build of the same source.

    python tests/lift/bench_code.py [--arch sm_90] [--json FILE] PROGRAM.cu...

Builds each program by the lifter and by the source engine, runs both on the emulator and counts. Programs run in the
folder of their source. The figures are exact, not times; kernels that spin (locks, grid barriers) depend on the order
in which waves run.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

CASSC = (sys.executable, "-m", "cassc.cli")
ENGINES = ("lift", "source")


@dataclass(frozen=True, slots=True)
class Ratio:
    """Wave-instructions of one kernel in all launches of a program."""

    program: str
    kernel: str
    lifted: int
    compiled: int

    @property
    def value(self) -> float:
        return self.lifted / self.compiled


def counts(source: Path, engine: str, arch: str, folder: Path) -> dict[str, int]:
    """Kernel -> wave-instructions. Raises subprocess.CalledProcessError where building or running fails."""
    program, profile = folder / engine, folder / f"{engine}.json"
    build = (f"--engine={engine}", "--check-seconds=0", "-std=c++17", f"-arch={arch}", str(source), "-o", str(program))
    subprocess.run((*CASSC, *build), check=True, capture_output=True)
    run = ("run", f"--profile=json:{profile}", str(program))
    subprocess.run((*CASSC, *run), check=True, capture_output=True, cwd=source.parent)
    return {kernel["kernel"]: sum(kernel["instructions"].values()) for kernel in json.loads(profile.read_text())}


def ratios(sources: list[Path], arch: str) -> Iterator[Ratio]:
    for source in sources:
        with tempfile.TemporaryDirectory() as folder:
            try:
                lifted, compiled = (counts(source.resolve(), engine, arch, Path(folder)) for engine in ENGINES)
            except subprocess.CalledProcessError as problem:
                print(f"{source.stem}: {problem}", file=sys.stderr)
                continue
        for kernel in sorted(lifted.keys() & compiled.keys()):
            yield Ratio(source.stem, kernel, lifted[kernel], compiled[kernel])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="+", type=Path)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = sorted(ratios(options.programs, options.arch), key=lambda ratio: ratio.value)
    if not found:
        sys.exit("no kernel was counted")
    for ratio in found:
        print(f"{ratio.value:6.2f}  {ratio.lifted:>10} {ratio.compiled:>10}  {ratio.program}: {ratio.kernel[:60]}")
    values = [ratio.value for ratio in found]
    mean = math.exp(sum(map(math.log, values)) / len(values))
    print(f"{len(values)} kernels; geometric mean {mean:.3f}, median {values[len(values) // 2]:.3f}")
    for limit in (1.0, 1.06, 1.3, 2.0):
        print(f"below {limit}: {sum(value < limit for value in values) / len(values):.1%}")
    if options.json:
        options.json.write_text(json.dumps([asdict(ratio) for ratio in found], indent=1))


if __name__ == "__main__":
    main()

"""How long `cassc -c` takes beside `nvcc -c`: each source by both in turn, without a cache.

    python tests/buildsystems/compile_times.py SOURCE... [-- OPTION...]

Wall clock and processor time, children included, of the quickest of ``--rounds`` (the first also compiles cassc's
modules, if they are not). nvcc is the one that cassc finds. For
every ``--check-seconds`` there is a column; 0 is translation without verification. On a busy machine, run it at a
priority that others do not have (``chrt -r 5``): both commands inherit it.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cassc
from cassc.toolchain import find_nvcc

_PACKAGE = Path(cassc.__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds: ``wall`` by the clock, ``processor`` of the command and all that it started."""

    wall: float
    processor: float


def run(command: Sequence[str], folder: Path) -> Times:
    """Raises CalledProcessError, after its messages were printed, for a command that fails."""
    environment = {**os.environ, "CASSC_CACHE_SIZE": "0", "PYTHONPATH": str(_PACKAGE)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed is compiled, too
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.stderr.write(done.stderr)
        done.check_returncode()
    return Times(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def measure(commands: Sequence[Sequence[str]], rounds: int, folder: Path) -> list[Times]:
    """The quickest of each; they take turns, so that what else the machine does concerns all of them."""
    found = [[run(command, folder) for command in commands] for _ in range(rounds)]
    return [Times(min(t.wall for t in times), min(t.processor for t in times)) for times in zip(*found, strict=True)]


def mean(ratios: Sequence[float]) -> float:
    """Geometric."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sources", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check-seconds", action="append", default=[])
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    options, compiler_options = parser.parse_args(words[:split]), words[split + 1 :]
    nvcc = find_nvcc()
    if nvcc is None:
        parser.error("no nvcc was found")
    checks = options.check_seconds or ["0"]
    print(f"{'source':24} {'nvcc':>7}" + "".join(f"{f'cassc ({c})':>13} {'ratio':>6} {'CPU':>6}" for c in checks))
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for source in options.sources:
            common = [*compiler_options, "-c", str(source.resolve()), "-o", "made.o"]
            commands = [[str(nvcc.path), *common]]
            commands += [[sys.executable, "-m", "cassc.cli", f"--check-seconds={c}", *common] for c in checks]
            base, *others = measure(commands, options.rounds, Path(scratch))
            rows.append([(t.wall / base.wall, t.processor / base.processor) for t in others])
            cells = (
                f"{t.wall:11.2f} s {wall:6.2f} {processor:6.2f}"
                for t, (wall, processor) in zip(others, rows[-1], strict=True)
            )
            print(f"{source.stem:24} {base.wall:5.2f} s" + "".join(cells), flush=True)
    columns = [list(column) for column in zip(*rows, strict=True)]
    total = (f"{'':13} {mean([w for w, _ in c]):6.2f} {mean([p for _, p in c]):6.2f}" for c in columns)
    print(f"{'geometric mean':32}" + "".join(total))
    print(
        f"{'largest':32}" + "".join(f"{'':13} {max(w for w, _ in c):6.2f} {max(p for _, p in c):6.2f}" for c in columns)
    )


if __name__ == "__main__":
    main()

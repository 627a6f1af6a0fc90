"""Public programs: how many of their kernels are decoded and translated, and which programs run right.

    python tests/programs/corpus.py measure corpus.tsv RESULTS.jsonl --root FOLDER [--arch sm_80] [NAME...]
    python tests/programs/corpus.py table corpus.tsv RESULTS.jsonl > docs/corpus.md

The programs are not here: ``FOLDER`` holds a copy of their repository. A line of ``corpus.tsv`` is name, folder in it,
what the compiler is given, the program's arguments, and a regular expression that the output of a right run contains;
none may say that something failed. Each program is built once; its kernels are counted in the cubin of that build, and
it runs on the emulator. Results are appended, and those that are there already are not measured again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

from cassc.diag import CasscError
from cassc.image import cubin as cubins
from cassc.lift.lift import lift_kernel
from cassc.sass.disasm import disassemble

BUILD_LIMIT, RUN_LIMIT = 400, 300  # seconds
FAILED = re.compile(r"\bFAIL|[Mm]ismatch|\b[Ee]rror:")
HEADER = """\
# Public programs

Written by `tests/programs/corpus.py`, which fetches nothing: see there. Programs of
[HeCBench](https://github.com/zjin-lcf/HeCBench) at f27000a5188f that check their own results, built unchanged by
`cassc -O3` and run on the emulator with small arguments. `decoded`: kernels in which every word is known. `translated`:
kernels that have LLVM IR.
"""


@dataclass(frozen=True, slots=True)
class Program:
    name: str
    folder: str
    build: tuple[str, ...]
    arguments: tuple[str, ...]
    expected: str

    @classmethod
    def of(cls, line: str) -> Program:
        name, folder, build, arguments, expected = line.rstrip("\n").split("\t")
        return cls(name, folder, tuple(build.split()), tuple(arguments.split()), expected)


@dataclass(slots=True)
class Result:
    """``outcome``: ``right``, or what was wrong with the build or the run."""

    name: str
    arch: str
    kernels: int = 0
    decoded: int = 0
    translated: int = 0
    refused: list[str] = field(default_factory=list)
    outcome: str = ""


def count(result: Result, cubin: Path) -> None:
    """Adds the kernels of a cubin."""
    image = cubins.parse(cubin.read_bytes())
    for function in disassemble(image).functions:
        result.kernels += 1
        result.decoded += not function.undecodable
        try:
            lift_kernel(function, image)
            result.translated += 1
        except CasscError as problem:
            result.refused.append(str(problem))


def measure(program: Program, root: Path, arch: str) -> Result:
    result = Result(program.name, arch)
    folder = root / program.folder
    # Sub-projects would share a cache of what other trees of cassc translated.
    environment = {**os.environ, "CASSC_CACHE_SIZE": "0", "CASSC_DEVICE": "emu"}
    with tempfile.TemporaryDirectory() as kept:
        built = Path(kept) / "program"
        command = [sys.executable, "-m", "cassc.cli", "-O3", "-std=c++17", f"-arch={arch}", "-w", *program.build]
        command += ["--check-seconds", "0", "--keep", "--keep-dir", kept, "-o", str(built)]
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, timeout=BUILD_LIMIT
            )
        except subprocess.TimeoutExpired:
            result.outcome = f"not built in {BUILD_LIMIT} s"
            return result
        for cubin in sorted(Path(kept).glob("*.cubin")):
            count(result, cubin)
        if done.returncode:
            first = next((line for line in done.stderr.splitlines() if "error" in line), "no message")
            result.outcome = f"not built: {first}"
            return result
        try:
            ran = subprocess.run(
                [str(built), *program.arguments],
                cwd=folder, env=environment, capture_output=True, text=True, errors="replace", timeout=RUN_LIMIT,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            result.outcome = f"runs longer than {RUN_LIMIT} s"
            return result
    said = ran.stdout + ran.stderr
    if ran.returncode:
        result.outcome = f"exit status {ran.returncode}: {said.strip().splitlines()[-1:]}"
    elif FAILED.search(said):
        result.outcome = "wrong: " + next(line for line in said.splitlines() if FAILED.search(line))
    else:
        result.outcome = "right" if re.search(program.expected, said) else f"does not say {program.expected}"
    return result


def table(programs: list[Program], results: list[Result]) -> str:
    known = {program.name: program for program in programs}
    archs = ", ".join(sorted({result.arch for result in results}))
    kernels, decoded, translated = (
        sum(getattr(result, name) for result in results) for name in ("kernels", "decoded", "translated")
    )
    right = sum(result.outcome == "right" for result in results)
    text = (
        HEADER + f"\n{len(results)} programs, {archs}: {kernels} kernels, {decoded} decoded, {translated} translated; "
    )
    text += f"{right} programs run right.\n\n| program | arguments | kernels | decoded | translated | run |\n"
    text += "| --- | --- | --- | --- | --- | --- |\n"
    for result in sorted(results, key=lambda r: r.name):
        arguments = " ".join(known[result.name].arguments)
        cells = f"{result.kernels} | {result.decoded} | {result.translated} | {result.outcome.replace('|', '/')}"
        text += f"| {result.name} | `{arguments}` | {cells} |\n"
    reasons = Counter(reason for result in results for reason in result.refused)
    text += "\n## Refused\n\n" + ("".join(f"* {reason} ({n})\n" for reason, n in reasons.most_common()) or "Nothing.\n")
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("measure", "table"))
    parser.add_argument("programs", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--root", type=Path, default=Path())
    parser.add_argument("--arch", default="sm_80")
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    programs = [Program.of(line) for line in options.programs.read_text().splitlines()]
    lines = options.results.read_text().splitlines() if options.results.exists() else []
    results = [Result(**json.loads(line)) for line in lines]
    if options.action == "table":
        sys.stdout.write(table(programs, results))
        return
    for program in programs:
        done = any(result.name == program.name for result in results)
        if done or (options.names and program.name not in options.names):
            continue
        result = measure(program, options.root, options.arch)
        with options.results.open("a") as out:
            out.write(json.dumps(asdict(result)) + "\n")
        print(result.name, result.outcome, flush=True)


if __name__ == "__main__":
    main()

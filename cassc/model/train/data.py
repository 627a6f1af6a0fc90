"""Pairs of canonical SASS and the teacher's lines, from random kernels compiled by nvcc.

``python -m cassc.model.train.data FOLDER`` writes ``pairs.npz`` and ``vocabulary.txt``. Everything follows from the
seed and nvcc's version. Kernels of `kernels.HELD_OUT` never train; of the others every fiftieth by content is kept for
validation. Two kernels with the same canonical source are one, wherever they come from.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from cassc.diag import CasscError
from cassc.image import cubin as cubin_image
from cassc.image.cubin import Cubin
from cassc.lift import calls
from cassc.model import canonical
from cassc.model.dialect import Group
from cassc.model.tokens import END, MOST_TOKENS, Vocabulary
from cassc.model.train import kernels, synthetic
from cassc.model.train.node import Untaught
from cassc.model.train.teacher import teach
from cassc.sass import cfg, disasm
from cassc.sass.cfg import Cfg
from cassc.sass.disasm import SassFunction

ARCHITECTURES = {80: 45, 90: 38, 89: 9, 75: 8}
"""Share of each SM architecture, in percent."""
KERNELS_PER_FILE = 60
EXERCISES = "exercises"
INSTRUCTIONS_PER_EXERCISE = 40
OFTEN = {"statements": 6, "mapping": 4, "grid_stride": 2, "records": 2, "nested_branches": 2, "machines": 2,
         "parts_of_blocks": 2, "constant_tables": 2, "generic_pointers": 2, "copies": 2}  # fmt: skip
"""How often a family comes: once, but for those with more holes in their templates."""
SINCE_SM_80 = frozenset({"warp_votes", "brain_floats", "matrix_units"})
MOST_SOURCE = 24
"""Tokens of one SASS instruction."""
LONGEST_TARGET = MOST_TOKENS - 16
"""Tokens of one group: the grammar lets no line begin in the last ones."""
MOST_INSTRUCTIONS = 3000
VALIDATION_EVERY = 50
RAREST = 2
"""A token that is seen in fewer kernels of the training data is left out, and the kernels with it."""
TRAIN, VALIDATION, HELD_OUT, EXERCISED = 0, 1, 2, 3
"""``EXERCISED``: the sequences of made-up instructions that validate."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A kernel: tokens of each instruction, and of its translation without the end mark."""

    family: str
    sm: int
    source: tuple[tuple[str, ...], ...]
    target: tuple[tuple[str, ...], ...]

    def digest(self) -> int:
        """Of the canonical source."""
        text = ";".join(" ".join(tokens) for tokens in self.source)
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def lesson(function: SassFunction, graph: Cfg) -> tuple[canonical.Source, tuple[Group, ...]]:
    """A kernel's canonical source and its translation by the teacher. Raises Untaught."""
    source = canonical.read(function, graph)
    if len(source.addresses) > MOST_INSTRUCTIONS:
        raise Untaught("a kernel of that length")
    if calls.analyse(graph).shared:
        raise Untaught("recursion")
    if function.pointed_to and any(i.row.control == "call_abs" for b in graph.blocks.values() for i in b.instructions):
        raise Untaught("pointers to functions")
    at = canonical.reachable(function, graph)
    groups = tuple(teach(at[address], at, tuple(graph.subroutines)) for address in source.addresses)
    return source, groups


def compile_cubin(source: str, sm: int, nvcc: str = "nvcc") -> bytes:
    """CUDA text to a cubin. Raises subprocess.CalledProcessError."""
    with tempfile.TemporaryDirectory() as folder:
        text, cubin = Path(folder, "k.cu"), Path(folder, "k.cubin")
        text.write_text(source)
        command = [nvcc, "-w", "-cubin", f"-arch=sm_{sm}", "-o", str(cubin), str(text)]
        subprocess.run(command, check=True, capture_output=True)
        return cubin.read_bytes()


def pairs_of(cubin: Cubin, families: dict[str, str], refused: Counter[str]) -> Iterator[Pair]:
    """``families``: by kernel name. ``refused``: counts why kernels are left out."""
    for function in disasm.disassemble(cubin).functions:
        graph = cfg.build(function)
        if graph.missing or function.undecodable:
            refused["words without a row"] += 1
            continue
        try:
            source, groups = lesson(function, graph)
        except Untaught as problem:
            refused[str(problem)] += 1
            continue
        target = tuple(tuple(group.tokens()) for group in groups)
        if max(map(len, target)) > LONGEST_TARGET or max(map(len, source.tokens)) > MOST_SOURCE:
            refused["too many tokens for one instruction"] += 1
            continue
        yield Pair(families[function.name], cubin.arch.number, source.tokens, target)


def _exercise(job: tuple[int, int]) -> tuple[list[Pair], Counter[str]]:
    """A sequence of made-up instructions: modifiers and operands that compiled kernels seldom have."""
    seed, number = job
    r = Random(f"{seed}/exercise/{number}")
    sm = r.choices(list(ARCHITECTURES), list(ARCHITECTURES.values()))[0]
    refused: Counter[str] = Counter()
    source: list[tuple[str, ...]] = []
    target: list[tuple[str, ...]] = []
    while len(source) < INSTRUCTIONS_PER_EXERCISE:
        instruction = synthetic.instruction(r, sm)
        try:
            calling = r.random() < 0.5
            entries = (cfg.target_of(instruction) or 0,) if calling else ()
            group = tuple(teach(instruction, {}, entries).tokens())
        except Untaught as problem:
            refused[str(problem)] += 1
            continue
        tokens = tuple(canonical.tokens_of(instruction, synthetic.PARAM_BASE, r.random() < 0.1, entries))
        if len(group) <= LONGEST_TARGET and len(tokens) <= MOST_SOURCE:
            source.append(tokens)
            target.append(group)
    return [Pair(EXERCISES, sm, tuple(source), tuple(target))], refused


def _job(job: tuple[str, int, int]) -> tuple[list[Pair], Counter[str]]:
    kind, seed, number = job
    return _exercise((seed, number)) if kind == EXERCISES else _file((seed, number))


def _file(job: tuple[int, int]) -> tuple[list[Pair], Counter[str]]:
    """All pairs of one generated file."""
    seed, number = job
    r = Random(f"{seed}/file/{number}")
    sm = r.choices(list(ARCHITECTURES), list(ARCHITECTURES.values()))[0]
    names = [name for name in kernels.FAMILIES if sm >= 80 or name not in SINCE_SM_80]
    weights = [OFTEN.get(name, 1) for name in names]
    chosen = [r.choices(names, weights)[0] for _ in range(KERNELS_PER_FILE)]
    written = [kernels.kernel(name, seed, number * KERNELS_PER_FILE + k) for k, name in enumerate(chosen)]
    families = {symbol: name for (symbol, _), name in zip(written, chosen, strict=True)}
    refused: Counter[str] = Counter()
    try:
        cubin = compile_cubin(kernels.HEADER + "\n".join(text for _, text in written), sm)
        return list(pairs_of(cubin_image.parse(cubin), families, refused)), refused
    except (subprocess.CalledProcessError, CasscError) as problem:
        words = getattr(problem, "stderr", b"") or str(problem).encode()
        refused["file: " + words.decode(errors="replace")[:200]] += KERNELS_PER_FILE
        return [], refused


def _jobs(seed: int, number: int, exercises: int) -> Iterator[tuple[str, int, int]]:
    yield "file", seed, number
    for k in range(exercises):
        yield EXERCISES, seed, number * exercises + k


def make(seed: int, files: int, exercises: int, seconds: float, processes: int) -> tuple[list[Pair], Counter[str]]:
    """Distinct pairs of the first ``files`` files, or of as many as the time allows (whole prefixes in order)."""
    begin = time.monotonic()
    found: dict[int, Pair] = {}
    refused: Counter[str] = Counter()
    done = 0
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        jobs = (job for k in range(files) for job in _jobs(seed, k, exercises))
        for pairs, why in pool.imap(_job, jobs, chunksize=1):
            done += 1
            for pair in pairs:
                found.setdefault(pair.digest(), pair)
            refused += why
            if time.monotonic() - begin > seconds:
                pool.terminate()
                break
    refused["(files and exercises made)"] = done
    return list(found.values()), refused


def split_of(pair: Pair) -> int:
    if pair.family in kernels.HELD_OUT:
        return HELD_OUT
    if pair.digest() % VALIDATION_EVERY:
        return TRAIN
    return EXERCISED if pair.family == EXERCISES else VALIDATION


def vocabulary_of(pairs: Sequence[Pair]) -> Vocabulary:
    seen: Counter[str] = Counter()
    for pair in pairs:
        if split_of(pair) == TRAIN:
            seen.update({token for row in (*pair.source, *pair.target) for token in row})
    return Vocabulary.of(token for token, count in seen.items() if count >= RAREST)


def save(pairs: Sequence[Pair], vocabulary: Vocabulary, path: Path) -> dict[str, int]:
    """Flat arrays of token numbers, with the places where instructions and kernels begin."""
    sources: list[int] = []
    targets: list[int] = []
    source_ends, target_ends, kernel_ends, splits, sms, families = [], [], [], [], [], []
    names = [*sorted(kernels.FAMILIES), EXERCISES]
    for pair in pairs:
        rows = [
            (vocabulary.encode(s), vocabulary.encode((*t, END))) for s, t in zip(pair.source, pair.target, strict=True)
        ]
        if any(vocabulary.unknown in s or vocabulary.unknown in t for s, t in rows):
            continue
        for s, t in rows:
            sources += s
            targets += t
            source_ends.append(len(sources))
            target_ends.append(len(targets))
        kernel_ends.append(len(source_ends))
        splits.append(split_of(pair))
        sms.append(pair.sm)
        families.append(names.index(pair.family))
    np.savez(
        path,
        source=np.array(sources, np.uint16),
        target=np.array(targets, np.uint16),
        source_ends=np.array(source_ends, np.int64),
        target_ends=np.array(target_ends, np.int64),
        kernel_ends=np.array(kernel_ends, np.int64),
        split=np.array(splits, np.int8),
        sm=np.array(sms, np.int16),
        family=np.array(families, np.int16),
    )
    counts = Counter(splits)
    return {
        "kernels": len(splits), "train": counts[TRAIN], "validation": counts[VALIDATION],
        "held out": counts[HELD_OUT],
        "made up, to validate": counts[EXERCISED], "instructions": len(source_ends), "source tokens": len(sources),
        "target tokens": len(targets), "vocabulary": len(vocabulary),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the training pairs.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--files", type=int, default=1600, help=f"of {KERNELS_PER_FILE} kernels each")
    parser.add_argument("--exercises", type=int, default=12, help="sequences of made-up instructions for each file")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--vocabulary", type=Path, default=None, help="an existing one, to go on with a model")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    begin = time.monotonic()
    pairs, refused = make(given.seed, given.files, given.exercises, given.seconds, given.processes)
    vocabulary = vocabulary_of(pairs)
    if given.vocabulary is not None:
        vocabulary = Vocabulary(given.vocabulary.read_text().splitlines())
    given.folder.mkdir(parents=True, exist_ok=True)
    facts = save(pairs, vocabulary, given.folder / "pairs.npz")
    (given.folder / "vocabulary.txt").write_text("\n".join(vocabulary.tokens) + "\n")
    report = {
        "seed": given.seed,
        **facts,
        "seconds": round(time.monotonic() - begin, 1),
        "refused": dict(refused.most_common(40)),
    }
    (given.folder / "data.json").write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()

"""NVIDIA's disassembler as judge: what we decode from random words it prints alike. What we refuse is no matter."""

from __future__ import annotations

import random
import re
import subprocess
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import pytest

from cassc.sass.control import MASK
from cassc.sass.decode import claimed_bits, decode
from cassc.sass.operand import Label
from cassc.sass.printer import text

GOLDEN = Path(__file__).parent / "golden"


def _nvdisasm() -> str | None:
    found = which("nvdisasm")
    spec = find_spec("nvidia")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        found = found or next((str(p) for p in Path(folder).glob("*/bin/nvdisasm")), None)
    return found


NVDISASM = _nvdisasm()
pytestmark = pytest.mark.skipif(NVDISASM is None, reason="nvdisasm is not installed (package nvidia-cuda-nvdisasm)")


def nvdisasm(words: list[int], sm: int, folder: Path) -> dict[int, str]:
    """Text of each word by its index; illegal ones, at which the disassembler stops, are left out."""
    left = list(range(len(words)))
    while True:
        path = folder / "words.bin"
        path.write_bytes(b"".join(words[k].to_bytes(16, "little") for k in left))
        command = [str(NVDISASM), "-b", f"SM{sm}", "-ndf", "-novliw", "-hex", str(path)]
        done = subprocess.run(command, capture_output=True, text=True)
        bad = {int(address, 16) // 16 for address in re.findall(r"at address 0x([0-9a-f]+)", done.stderr)}
        if not bad:
            break
        left = [k for place, k in enumerate(left) if place not in bad]
    found = re.findall(r"/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;?\s*/\* 0x", done.stdout)
    return {left[int(address, 16) // 16]: shown.rstrip(" ;") for address, shown in found}


def base_words(sm: int) -> list[int]:
    lines = (GOLDEN / f"sm_{sm}.txt").read_text().splitlines()
    no_scheduling = ~MASK | 7 << 110 | 7 << 113
    return [int(line.split(" ", 1)[0], 16) & no_scheduling | 7 << 110 | 7 << 113 for line in lines if line[0] != "#"]


def mutated(rng: random.Random, word: int, sm: int) -> int:
    """One to three bits turned over, or several of those that the word's row reads."""
    if rng.random() < 0.5:
        for _ in range(rng.choice((1, 1, 2, 3))):
            word ^= 1 << rng.randrange(0, 105)
        return word
    instruction = decode(word, sm)
    assert instruction is not None
    bits = rng.getrandbits(128) & claimed_bits(instruction) & ((1 << 105) - 1) & ~0xFFF
    for _ in range(rng.randrange(4)):
        bits &= rng.getrandbits(128)
    return word ^ bits


@pytest.mark.parametrize(("sm", "source"), [(80, 80), (86, 80), (89, 80), (90, 90)])
def test_mutated_words(sm: int, source: int, tmp_path: Path) -> None:
    rng = random.Random(2026)
    bases = base_words(source)
    words = [mutated(rng, word, source) for word in (rng.choice(bases) for _ in range(1500))]
    theirs = nvdisasm(words, sm, tmp_path)
    disagreeing, agreed = [], 0
    for k, word in enumerate(words):
        instruction = decode(word, sm)
        if instruction is None:
            continue
        expected = re.sub(r'\s*\(\*".*$', "", theirs.get(k, "illegal")).rstrip(" ")
        if any(isinstance(operand, Label) for operand in instruction.operands):
            expected = re.sub(r"(-?0x[0-9a-f]+|`\(.*\))$", "L", expected)
        shown = text(instruction, lambda label: "L").rstrip(" ")
        agreed += shown == expected
        if shown != expected:
            disagreeing.append(f"{word:032x}: {expected} | {shown}")
    assert not disagreeing
    assert agreed > 300

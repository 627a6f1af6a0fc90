"""The emulator's decoder against LLVM's own assembler tests, which hold the text and the encoding of each instruction.

Not a test: ``python -m tests.emu.llvm_mc FOLDER`` from the repository's root, where FOLDER is ``llvm/test/MC/AMDGPU``
of LLVM's sources (Debian: ``apt-get source llvm-toolchain-19``); ``--gfx12`` for the other table. Counts, for each
file, the lines that decode to LLVM's mnemonic, those that are refused and why, and those that decode to something else,
which must be none; where a test uses an old name, LLVM's disassembler says the present one. Lines for wave64 are left
out: the device has waves of 32.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cassc.amdgpu import emulator

_CHECK = re.compile(r"^// (?P<prefix>[\w-]+): (?P<text>.*?);?\s*(?://)?\s*encoding: \[(?P<bytes>[0-9a-fx,]+)\]")
_SUFFIX = re.compile(r"(_e32|_e64)?(_dpp)?$")
_GRAPHICS = ("exp", "ldsdir", "vdsdir", "vinterp", "w64")


@dataclass(frozen=True, slots=True)
class Line:
    file: str
    text: str
    code: bytes


def lines(file: Path, generation: str = "GFX11") -> Iterator[Line]:
    """Every instruction that the file says the encoding of, once."""
    before = ""
    seen: set[tuple[str, bytes]] = set()
    for text in file.read_text(errors="replace").splitlines():
        match = _CHECK.match(text)
        if match is None:
            if text.strip() and not text.startswith("//"):
                before = text.strip()
            continue
        if not match["prefix"].startswith((generation, "W32")) or "ERR" in match["prefix"] or "W64" in match["prefix"]:
            continue
        code = bytes(int(byte, 16) for byte in match["bytes"].split(","))
        line = Line(file.name, (match["text"] or before).strip(), code)
        if (line.text, code) not in seen:
            seen.add((line.text, code))
            yield line


def mnemonics(text: str) -> str:
    """``v_add_f32_e64_dpp v1, v2, v3`` to ``v_add_f32``; both halves of a VOPD instruction."""
    return " :: ".join(_SUFFIX.sub("", half.split()[0]) for half in text.split("::"))


def disassembled(codes: Sequence[bytes], processor: str = "gfx1150") -> list[str]:
    """LLVM's text of each instruction."""
    tool = shutil.which("llvm-mc-19") or shutil.which("llvm-mc")
    if tool is None:
        return [""] * len(codes)
    text = "\n".join(" ".join(f"0x{byte:02x}" for byte in code) for code in codes)
    done = subprocess.run(
        [tool, "--disassemble", "-triple=amdgcn", f"-mcpu={processor}"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    found = [line.strip() for line in done.stdout.splitlines() if line.strip() and not line.strip().startswith(".")]
    return found if len(found) == len(codes) else [""] * len(codes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--gfx12", action="store_true", help="gfx1200's tests and table")
    parser.add_argument("--refused", action="store_true", help="name an example of each refusal")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    examples: dict[str, str] = {}
    processor, generation = ("gfx1200", "GFX12") if options.gfx12 else ("gfx1150", "GFX11")
    for file in sorted(options.folder.glob(f"{generation.lower()}*_asm_*.s")):
        if any(word in file.name for word in _GRAPHICS) or "_err" in file.name:
            continue
        counts: Counter[str] = Counter()
        renamed: list[tuple[Line, str]] = []
        for line in lines(file, generation):
            size, name = emulator.decode(line.code, processor)
            if size == 0:
                verdict = "refused"
                reason = f"{name}: {mnemonics(line.text).split('_')[0]}"
                reasons[reason] += 1
                examples.setdefault(reason, f"{line.text}  {line.code.hex()}")
            elif name == mnemonics(line.text) and size == len(line.code):
                verdict = "same"
            else:
                renamed.append((line, name))
                continue
            counts[verdict] += 1
        for (line, name), text in zip(
            renamed, disassembled([line.code for line, _ in renamed], processor), strict=True
        ):
            same = bool(text) and mnemonics(text) == name
            counts["same" if same else "other"] += 1
            if not same:
                print(f"{file.name}: {line.text} -> {name}")
        total += counts
        if counts:
            print(f"{file.name:45} {counts['same']:6} same {counts['refused']:6} refused {counts['other']:4} other")
    every = sum(total.values())
    print(f"{every} lines: {total['same'] / every:.2%} same, {total['refused']} refused, {total['other']} other")
    for reason, count in reasons.most_common():
        print(f"{count:6} {reason}" + (f"   e.g. {examples[reason]}" if options.refused else ""))


if __name__ == "__main__":
    main()

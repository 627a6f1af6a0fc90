"""Counts in how many kernels, whose outputs an NVIDIA GPU was recorded to give and cassc gives too, each row occurs.

    recorded_rows.py [--verdicts FILE.json]... [--of FOLDER] [--cubin FILE.cubin]... [--out docs/recorded.tsv]

A file of verdicts is what a conformance checker writes: {kernel: {"verdict": "right", ...}}; the kernels are looked up
in the cubins of ``FOLDER``. All kernels of a ``--cubin`` count as recorded. The cubins are of the recorded
architecture. The result, a line ``row TAB kernels`` for each row of that architecture, is what docs/support.md says of
recordings.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from cassc.image import cubin as cubins
from cassc.sass.decode import rows_by_opcode
from cassc.sass.disasm import SassFunction, disassemble
from cassc.sass.support import RECORDED_SM, recordable

OUT = Path(__file__).resolve().parents[2] / "docs" / "recorded.tsv"


def kernels(files: Iterable[Path]) -> Iterator[SassFunction]:
    for file in files:
        for function in disassemble(cubins.parse(file.read_bytes())).functions:
            if function.arch.number != RECORDED_SM:
                raise SystemExit(f"{file} is not of sm_{RECORDED_SM}")
            yield function


def counted(functions: Iterable[SassFunction]) -> Counter[str]:
    """Row name -> kernels."""
    counts: Counter[str] = Counter()
    for function in functions:
        counts.update({instruction.row.name for instruction in function.instructions})
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verdicts", type=Path, action="append", default=[])
    parser.add_argument("--of", type=Path, help="folder of the cubins that the verdicts are of")
    parser.add_argument("--cubin", type=Path, action="append", default=[], help="all of its kernels agree")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    if options.verdicts and options.of is None:
        parser.error("--verdicts wants --of")
    right = {
        name
        for file in options.verdicts
        for name, found in json.loads(file.read_text()).items()
        if found["verdict"] == "right"
    }
    chosen = [f for f in kernels(sorted(options.of.glob("*.cubin")) if options.of else []) if f.name in right]
    counts = counted(chosen) + counted(kernels(options.cubin))
    rows = sorted({row.name for several in rows_by_opcode().values() for row in several if recordable(row)})
    options.out.write_text("".join(f"{name}\t{counts[name]}\n" for name in rows))
    print(f"{len(chosen)} kernels with verdicts; {sum(counts[n] > 0 for n in rows)} of {len(rows)} rows recorded")


if __name__ == "__main__":
    main()

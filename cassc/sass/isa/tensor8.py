"""Matrix products of eight-bit floats (QMMA of sm_89 and sm_120), laid out as those of eight-bit integers."""

from __future__ import annotations

from cassc.sass.builder import F16, F32, I8, I32, Builder, Value
from cassc.sass.fields import Field
from cassc.sass.isa.half import halves, packed
from cassc.sass.isa.pack import from_fp8
from cassc.sass.isa.tensor import MMA_APPROX, multiply
from cassc.sass.isa.video import lanes_of
from cassc.sass.row import Instruction, choice, effects, form, insn

Words = tuple[Value, ...]

KINDS = (choice("A", 78, 1, "E4M3 E5M2"), choice("B", 79, 1, "E4M3 E5M2"))
FIXED = {Field(73, 2): 2}
WHY = "PTX mma of e4m3 and e5m2 (PTX ISA, Matrix Fragments); sm_90 computes the same kernels by HMMA"


def _values(b: Builder, word: Value, kind: str) -> list[Value]:
    return [b.fconvert(from_fp8(b, kind, b.zext(byte, I32)), F32) for byte in lanes_of(b, word, I8)]


def _qmma(b: Builder, i: Instruction, a: Words, columns: Words, c: Words) -> tuple[Words]:
    def operate(total: Value, x: Words, y: Words) -> Value:
        for v, w in zip(_values(b, x[0], i.mods["A"]), _values(b, y[0], i.mods["B"]), strict=True):
            total = b.fma(v, w, total)
        return total

    if i.mods["accumulate"] == "F16":
        sums = [b.fconvert(h, F32) for word in c for h in halves(b, word)]
        results = [b.fconvert(r, F16) for r in multiply(b, a, columns, sums, operate, rows=16)]
        return ((packed(b, results[0], results[1]), packed(b, results[2], results[3])),)
    sums = [b.bitcast(word, F32) for word in c]
    return (tuple(b.bitcast(r, I32) for r in multiply(b, a, columns, sums, operate, rows=16)),)


for _number, _name, _a, _b in ((0, "16816", 2, 1), (1, "16832", 4, 2)):
    for _kind, _c in (("- F32", 4), ("F16", 2)):
        for _marks, _first, _last in ((("row", "col"), 89, 89), (("", ""), 120, 121)):

            @insn(
                "QMMA",
                0x07A,
                f"Rd:w{_c}, A:w{_a}{_marks[0]}, Rb:w{_b}{_marks[1]}, Rc:w{_c}",
                form(1),
                choice("shape", 75, 2, " ".join("-" * _number) + f" {_name}"),
                choice("accumulate", 77, 1, _kind),
                *KINDS,
                fixed=FIXED,
                first_sm=_first,
                last_sm=_last,
                approx=MMA_APPROX,
                argued=WHY,
            )
            @effects
            def qmma(b: Builder, i: Instruction, a: Words, columns: Words, c: Words) -> tuple[Words]:
                return _qmma(b, i, a, columns, c)

"""Wrong translations made on purpose, at the level of LLVM IR: one place of a lifted kernel rewritten.

Each kind is a mistake that a lifter could make. Where LLVM makes the same code of the changed text, the place was dead
and the mutant is no mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

# In patterns V stands for a value and C for a value or a number.
PIECES = {"V": r"%[\w.]+", "C": r"(?:%[\w.]+|-?\d+)", "GLOBAL": r"ptr addrspace\(1\)", "$": r"$"}


@dataclass(frozen=True, slots=True)
class Mutation:
    """``pattern`` finds the places; ``rewrite`` is what a place becomes, a template or a function.

    ``declares``: intrinsics that the new text may need.
    """

    name: str
    pattern: str
    rewrite: str | Callable[[re.Match[str]], str]
    declares: tuple[str, ...] = ()

    def sites(self, body: str) -> Iterator[str]:
        """The kernel with each of the places rewritten, one after the other."""
        pattern = re.sub(r"\b(V|C|GLOBAL)\b", lambda m: PIECES[m[1]], self.pattern)
        for m in re.finditer(pattern, body, re.MULTILINE):
            text = m.expand(self.rewrite) if isinstance(self.rewrite, str) else self.rewrite(m)
            if text != m[0]:
                yield body[: m.start()] + text + body[m.end() :]


def swap(*pairs: str) -> Callable[[str], str]:
    """Exchanges the two words of each pair: ``swap("slt ult")``."""
    words = [(a, b) for a, b in (pair.split() for pair in pairs)]
    table = dict((*words, *((b, a) for a, b in words)))
    return lambda word: table[word]


def step(pattern: str, by: int = 1) -> tuple[str, Callable[[re.Match[str]], str]]:
    """The number in the last group changes."""
    return pattern, lambda m: m[0][: m.start(m.lastindex or 0) - m.start()] + str(int(m[m.lastindex or 0]) + by)


SIGN = swap("slt ult", "sle ule", "sgt ugt", "sge uge")
STRICT = swap("lt le", "gt ge")
MINMAX = swap("min max")
ATOMIC = {
    "add": "sub", "sub": "add", "umax": "max", "max": "umax", "min": "umin", "umin": "min", "or": "xor", "and": "or",
    "xor": "or", "fadd": "fsub", "xchg": "add",
}  # fmt: skip
I32_PAIR = tuple(f"declare i32 @llvm.{name}.i32(i32, i32)" for name in ("smin", "smax", "umin", "umax"))
FLOAT_MINMAX = tuple(
    f"declare {t} @llvm.{w}imumnum.{s}({t}, {t})"
    for w in ("min", "max")
    for t, s in (("float", "f32"), ("half", "f16"))
)
TO_INTEGER = tuple(
    f"declare i32 @llvm.fpto{s}i.sat.i32.{w}({t})" for s in "su" for t, w in (("float", "f32"), ("double", "f64"))
)
ROUND = {"roundeven": "floor", "floor": "ceil", "ceil": "floor", "trunc": "roundeven"}
BRANCH = r"br i1 (V), label (%\w+), label (%\w+)"
PERMUTE = r"(%\w+ = call i32 @llvm\.amdgcn\.ds\.bpermute\(i32 )(V), i32 (V)\)"

# fmt: off
MUTATIONS = (
    # Integers
    Mutation("subtraction for addition", r"= add (i\d+) (V), (V)", r"= sub \1 \2, \3"),
    Mutation("swapped operands of a subtraction", r"= sub i32 0, (V)\n(.*= add i32 )(V), (V)",
             r"= sub i32 0, \3\n\2\1, \4"),
    Mutation("lost negation", r"= sub i32 0, (V)", r"= or i32 0, \1"),
    Mutation("lost complement", r"= xor i32 (V), 4294967295", r"= or i32 \1, 0"),
    Mutation("addition for multiplication", r"= mul (i\d+) (V), (V)", r"= add \1 \2, \3"),
    Mutation("factor off by one", *step(r"= mul i32 V, (\d+)")),
    Mutation("wrong element size of an address", *step(r"= mul i64 V, (\d+)", 4)),
    Mutation("immediate off by one", *step(r"= add i32 V, (\d+)")),
    Mutation("wrong wide immediate", *step(r"= add i64 V, (\d+)", 4)),
    Mutation("lost carry", r"= icmp uge i32 (V), 1$", r"= icmp ugt i32 \1, 4294967295"),
    Mutation("second carry for the first", r"= icmp uge i32 (V), 1$", r"= icmp uge i32 \1, 2"),
    Mutation("wrong carry of a wide addition", r"= icmp ult i64 (V), (V)", r"= icmp ugt i64 \1, \2"),
    Mutation("low half for the high half", r"= lshr i64 (V), 32", r"= lshr i64 \1, 0"),
    Mutation("high half lost", r"= shl i64 (V), 32", r"= and i64 \1, 0"),
    Mutation("zero extension for sign extension", r"= sext (i8 V|i16 V) to", r"= zext \1 to"),
    Mutation("sign extension for zero extension",
             r"(load (?:i8|i16), GLOBAL.*\n.*)= zext (i8|i16) (V) to", r"\1= sext \2 \3 to"),
    Mutation("shift to the other side", r"= (shl|lshr) (i\d+ C, C)",
             lambda m: f"= {swap('shl lshr')(m[1])} {m[2]}"),
    Mutation("swapped operands of a shift", r"= (shl|lshr|ashr) i64 (C), (V)", r"= \1 i64 \3, \2"),
    Mutation("logical for arithmetic shift", r"= (ashr|lshr) (i\d+ V)",
             lambda m: f"= {swap('ashr lshr')(m[1])} {m[2]}"),
    Mutation("shift distance off by one", *step(r"= shl i32 V, (\d+)")),
    Mutation("min for max", r"@llvm\.([su])(min|max)\.",
             lambda m: f"@llvm.{m[1]}{MINMAX(m[2])}.", I32_PAIR),
    Mutation("unsigned for signed min or max", r"@llvm\.([su])(min|max)\.",
             lambda m: f"@llvm.{swap('s u')(m[1])}{m[2]}.", I32_PAIR),
    Mutation("lost absolute value", r"call i32 @llvm\.abs\.i32\(i32 (V), i1 false\)",
             r"or i32 \1, 0"),
    # Bits
    Mutation("or for and", r"= and (i32|i64) (C), (V)", r"= or \1 \2, \3"),
    Mutation("and for or", r"= or (i32|i64) (C), (V)", r"= and \1 \2, \3"),
    Mutation("or for exclusive or", r"= xor i32 (V), (V)", r"= or i32 \1, \2"),
    Mutation("mask too narrow", r"= and i32 (V), (\d+)",
             lambda m: f"= and i32 {m[1]}, {int(m[2]) >> 1}"),
    Mutation("wrong byte selected", r"(@llvm\.amdgcn\.perm\(.*, i32 )(\d+)\)",
             lambda m: f"{m[1]}{int(m[2]) ^ 1})"),
    Mutation("leading zeros for set bits", r"@llvm\.ctpop\.i32\(i32 (V)\)",
             r"@llvm.ctlz.i32(i32 \1, i1 false)", ("declare i32 @llvm.ctlz.i32(i32, i1)",)),
    Mutation("trailing for leading zeros", r"@llvm\.ctlz\.i32", "@llvm.cttz.i32",
             ("declare i32 @llvm.cttz.i32(i32, i1)",)),
    Mutation("bit order kept", r"call i32 @llvm\.bitreverse\.i32\(i32 (V)\)", r"or i32 \1, 0"),
    # Comparison and choice
    Mutation("signedness of a comparison", r"= icmp ([su](?:lt|le|gt|ge)) i",
             lambda m: f"= icmp {SIGN(m[1])} i"),
    Mutation("bound off by one", r"= icmp ([su])(lt|le|gt|ge) i",
             lambda m: f"= icmp {m[1]}{STRICT(m[2])} i"),
    Mutation("equal for unequal", r"= icmp (eq|ne) i", lambda m: f"= icmp {swap('eq ne')(m[1])} i"),
    Mutation("wrong side of a select", r"= select i1 (V), (i\d+ C), (i\d+ C)$",
             r"= select i1 \1, \3, \2"),
    Mutation("lost negation of a predicate", r"= xor i1 (V), true",
             r"= or i1 \1, false"),
    # Control and registers
    Mutation("inverted branch", BRANCH, r"br i1 \1, label \3, label \2"),
    Mutation("dropped guard", BRANCH, r"br label \2"),
    Mutation("missing branch", BRANCH, r"br label \3"),
    Mutation("missing barrier", r"  call void @llvm\.amdgcn\.s\.barrier\(\)\n", ""),
    Mutation("missing fence", r"  fence syncscope\(\"workgroup\"\) (acquire|release)\n", ""),
    Mutation("register not written", r"  store i32 V, ptr addrspace\(5\) %r\d+\n", ""),
    Mutation("wrong thread index", r"@llvm\.amdgcn\.workitem\.id\.x",
             "@llvm.amdgcn.workitem.id.y", ("declare i32 @llvm.amdgcn.workitem.id.y()",)),
    Mutation("wrong launch dimension", r"(%implicit, i64 )12", r"\g<1>14"),
    # Lanes
    Mutation("shuffle from the next lane", PERMUTE, r"%m = add i32 \2, 4\n  \g<1>%m, i32 \3)"),
    Mutation("dropped shuffle", PERMUTE, lambda m: f"{m[1].partition('=')[0]}= or i32 {m[3]}, 0"),
    Mutation("shuffle without its segments", r"(mbcnt\.lo.*\n.*= and i32 V, )16(\n.*= or i32 V, )15",
             r"\g<1>0\g<2>31"),
    Mutation("shuffle clamp off by one", r"(mbcnt\.lo.*\n.*= and i32 V, \d+\n.*= or i32 V, )(31|15)",
             lambda m: f"{m[1]}{int(m[2]) - 1}"),
    Mutation("shuffle distance off by one", *step(r"mbcnt\.lo.*(?:\n.*){3}= (?:xor|add|sub) i32 V, (\d+)$")),
    Mutation("ballot of the opposite", r"(%\w+ = call i32 @llvm\.amdgcn\.ballot\.i32\(i1 )(V)\)",
             r"%m = xor i1 \2, true\n  \1%m)"),
    Mutation("ballot of all", r"@llvm\.amdgcn\.ballot\.i32\(i1 V\)", "@llvm.amdgcn.ballot.i32(i1 true)"),
    Mutation("uniform value of one lane for a reduction",
             r"@llvm\.amdgcn\.wave\.reduce\.\w+\.i32\(i32 (V), i32 0\)", r"@llvm.amdgcn.readlane.i32(i32 \1, i32 1)",
             ("declare i32 @llvm.amdgcn.readlane.i32(i32, i32)",)),
    # Memory
    Mutation("dropped store", r"  store .*V, GLOBAL V, align \d+\n", ""),
    Mutation("store of half the word", r"store i32 (V), (GLOBAL V), align 4",
             r"%m = trunc i32 \1 to i16\n  store i16 %m, \2, align 2"),
    Mutation("load of half the word", r"(%\w+) = load i32, (GLOBAL V), align 4",
             r"%m = load i16, \2, align 2\n  \1 = zext i16 %m to i32"),
    Mutation("wrong address", r"(%\w+) = inttoptr i64 (V) to GLOBAL",
             r"%m = add i64 \2, 4\n  \1 = inttoptr i64 %m to ptr addrspace(1)"),
    Mutation("wrong shared address", r"(%\w+) = inttoptr i32 (V) to ptr addrspace\(3\)",
             r"%m = add i32 \2, 4\n  \1 = inttoptr i32 %m to ptr addrspace(3)"),
    Mutation("wrong stack address", r"= getelementptr i8, ptr addrspace\(5\) (V), i32 (V)",
             r"= getelementptr [4 x i8], ptr addrspace(5) \1, i32 \2"),
    Mutation("words of a vector exchanged", r"(extractelement <\d x i32> V, i32 )(\d)",
             lambda m: f"{m[1]}{int(m[2]) ^ 1}"),
    Mutation("wrong kernel parameter", r"(%kernarg, i64 )(\d+)",
             lambda m: f"{m[1]}{int(m[2]) ^ 8}"),
    Mutation("wrong place in a constant bank",
             r"(%\w+) = (getelementptr i8, ptr addrspace\(4\) @\"\.cassc\.nv\.constant3\", i64 V)",
             r"%m = \2\n  \1 = getelementptr i8, ptr addrspace(4) %m, i64 4"),
    Mutation("missing output", r"= call i32 @__cassc_vprintf\(i64 V, i64 V\)", "= or i32 0, 0"),
    Mutation("missing trap", r"  call void @llvm\.trap\(\)\n  unreachable", "  br label %exit"),
    # Atomics
    Mutation("other atomic operation", r"= atomicrmw (\w+) ptr",
             lambda m: f"= atomicrmw {ATOMIC.get(m[1], m[1])} ptr"),
    Mutation("atomic exchange for another operation", r"= atomicrmw (?:add|umax|min|or) ptr",
             "= atomicrmw xchg ptr"),
    # Not of an OR: one more bit is there from another thread.
    Mutation("atomic with another value", r"(%\w+ = atomicrmw (?!or )\w+ ptr addrspace\(\d\) V), i32 (V)",
             r"%m = add i32 \2, 1\n  \1, i32 %m"),
    Mutation("atomic at another address", r"(%\w+ = atomicrmw \w+ )(ptr addrspace\(\d\)) (V)",
             r"%m = getelementptr i8, \2 \3, i32 4\n  \1\2 %m"),
    Mutation("compare and exchange swapped", r"(cmpxchg ptr addrspace\(\d\) V), (i32 C), (i32 C)",
             r"\1, \3, \2"),
    # Floats
    Mutation("fma rounded twice",
             r"(%\w+) = call (float|double|half) @llvm\.fma\.f\d+\(\w+ ([^,]*), \w+ ([^,]*), \w+ ([^,]*)\)$",
             r"%m = fmul \2 \3, \4\n  \1 = fadd \2 %m, \5"),
    Mutation("wrong directed rounding",
             r"= fcmp (olt|ogt) double (V), 0x0000000000000000",
             lambda m: f"= fcmp {swap('olt ogt')(m[1])} double {m[2]}, 0x0000000000000000"),
    Mutation("lost directed rounding",
             r"= fcmp (olt|ogt) double (V), 0x0000000000000000",
             r"= fcmp \1 double 0x0000000000000000, 0x0000000000000000"),
    Mutation("lost saturation",
             r"= call float @llvm\.(?:max|min)imumnum\.f32\(float (V), float (?:bitcast [^,]*)\)$",
             r"= call float @llvm.minimumnum.f32(float \1, float \1)",
             ("declare float @llvm.minimumnum.f32(float, float)",)),
    Mutation("denormals not flushed", r"(@llvm\.is\.fpclass\.f32\(float V, i32 )144", r"\g<1>0"),
    Mutation("denormals flushed", r"(%\w+) = (fadd|fmul|fsub) float (.*)$",
             "%m = \\2 float \\3\n  %k = call i1 @llvm.is.fpclass.f32(float %m, i32 144)\n"
             "  \\1 = select i1 %k, float 0.0, float %m",
             ("declare i1 @llvm.is.fpclass.f32(float, i32)",)),
    Mutation("float min for max", r"@llvm\.(min|max)imumnum\.(f\d+)",
             lambda m: f"@llvm.{MINMAX(m[1])}imumnum.{m[2]}",
             FLOAT_MINMAX),
    Mutation("NaN handed on by min and max", r"@llvm\.(min|max)imumnum\.f32", r"@llvm.\1imum.f32",
             tuple(f"declare float @llvm.{w}imum.f32(float, float)" for w in ("min", "max"))),
    Mutation("unordered for ordered", r"= fcmp ([ou])(lt|le|gt|ge|eq|ne) ",
             lambda m: f"= fcmp {swap('o u')(m[1])}{m[2]} "),
    Mutation("float bound", r"= fcmp ([ou])(lt|le|gt|ge) ",
             lambda m: f"= fcmp {m[1]}{STRICT(m[2])} "),
    Mutation("lost sign change", r"= fneg (float|double|half) (.*)$",
             r"= select i1 true, \1 \2, \1 \2"),
    Mutation("lost float absolute value", r"= call (float|double) @llvm\.fabs\.f\d+\(\w+ (.*)\)$",
             r"= select i1 true, \1 \2, \1 \2"),
    Mutation("swapped operands of a float subtraction", r"= fsub (float|double) (V), (V)",
             r"= fsub \1 \3, \2"),
    Mutation("float subtraction for addition", r"= fadd (float|double|half) ",
             r"= fsub \1 "),
    # Conversions
    Mutation("signedness of a conversion", r"@llvm\.fpto([su])i\.sat",
             lambda m: f"@llvm.fpto{swap('s u')(m[1])}i.sat",
             TO_INTEGER),
    Mutation("signedness of an integer", r"= ([su])itofp", lambda m: f"= {swap('s u')(m[1])}itofp"),
    Mutation("conversion without saturation",
             r"(%\w+) = call i32 @llvm\.fpto([su])i\.sat\.i32\.f32\(float (V)\)",
             r"%m = call i64 @llvm.fpto\2i.sat.i64.f32(float \3)\n  \1 = trunc i64 %m to i32",
             tuple(f"declare i64 @llvm.fpto{s}i.sat.i64.f32(float)" for s in "su")),
    Mutation("rounding of a conversion", r"@llvm\.(roundeven|floor|ceil|trunc)\.f32",
             lambda m: f"@llvm.{ROUND[m[1]]}.f32",
             tuple(f"declare float @llvm.{n}.f32(float)" for n in ("floor", "ceil", "roundeven"))),
    Mutation("narrowing that cuts off", r"(%\w+) = fptrunc float (V) to half",
             r"%m = call <2 x half> @llvm.amdgcn.cvt.pkrtz(float \2, float \2)\n"
             r"  \1 = extractelement <2 x half> %m, i32 0",
             ("declare <2 x half> @llvm.amdgcn.cvt.pkrtz(float, float)",)),
)
# fmt: on

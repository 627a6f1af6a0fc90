"""The gate is seen to refuse: translations of real kernels with one planted mistake each.

A mutation rewrites one place in the LLVM IR of a lifted kernel. Where LLVM makes the same code of the changed text, the
place was dead and the mutant is no mistake. Every other mutant must be rejected, except those in `EQUIVALENT`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble_full
from cassc.image import cubin as cubin_image
from cassc.image.cubin import Cubin
from cassc.lift.globals import module_globals
from cassc.lift.kernel import LiftedKernel
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass.disasm import SassModule, disassemble
from cassc.target import DEFAULT_TARGET
from cassc.verify.check import Checker
from cassc.verify.verdict import Status, Verdict

DATA = Path(__file__).parent / "data"
SECONDS = 4.0
MODULES = ("gate.sm_80", "gate.sm_90")

# In patterns V stands for a value and C for a value or a number.
PIECES = {"V": r"%[\w.]+", "C": r"(?:%[\w.]+|-?\d+)", "GLOBAL": r"ptr addrspace\(1\)", "$": r"$"}


@dataclass(frozen=True, slots=True)
class Mutation:
    """``pattern`` finds the places; ``rewrite`` is what a place becomes, a template or a function.

    ``kernels``: those in which the mistake matters.
    """

    name: str
    kernels: str
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
    Mutation("subtraction for addition", "integers wide loops", r"= add (i\d+) (V), (V)", r"= sub \1 \2, \3"),
    Mutation("swapped operands of a subtraction", "integers", r"= sub i32 0, (V)\n(.*= add i32 )(V), (V)",
             r"= sub i32 0, \3\n\2\1, \4"),
    Mutation("lost negation", "loops integers", r"= sub i32 0, (V)", r"= or i32 0, \1"),
    Mutation("lost complement", "bits integers", r"= xor i32 (V), 4294967295", r"= or i32 \1, 0"),
    Mutation("addition for multiplication", "integers wide stack", r"= mul (i\d+) (V), (V)", r"= add \1 \2, \3"),
    Mutation("factor off by one", "integers loops stack", *step(r"= mul i32 V, (\d+)")),
    Mutation("wrong element size of an address", "integers wide structures", *step(r"= mul i64 V, (\d+)", 4)),
    Mutation("immediate off by one", "integers loops", *step(r"= add i32 V, (\d+)")),
    Mutation("wrong wide immediate", "integers doubles wide", *step(r"= add i64 V, (\d+)", 4)),
    Mutation("lost carry", "wide", r"= icmp uge i32 (V), 1$", r"= icmp ugt i32 \1, 4294967295"),
    Mutation("second carry for the first", "wide", r"= icmp uge i32 (V), 1$", r"= icmp uge i32 \1, 2"),
    Mutation("wrong carry of a wide addition", "wide", r"= icmp ult i64 (V), (V)", r"= icmp ugt i64 \1, \2"),
    Mutation("low half for the high half", "wide bits", r"= lshr i64 (V), 32", r"= lshr i64 \1, 0"),
    Mutation("high half lost", "wide bits", r"= shl i64 (V), 32", r"= and i64 \1, 0"),
    Mutation("zero extension for sign extension", "narrow", r"= sext (i8 V|i16 V) to", r"= zext \1 to"),
    Mutation("sign extension for zero extension", "narrow structures",
             r"(load (?:i8|i16), GLOBAL.*\n.*)= zext (i8|i16) (V) to", r"\1= sext \2 \3 to"),
    Mutation("shift to the other side", "integers wide bits", r"= (shl|lshr) (i\d+ C, C)",
             lambda m: f"= {swap('shl lshr')(m[1])} {m[2]}"),
    Mutation("swapped operands of a shift", "integers wide", r"= (shl|lshr|ashr) i64 (C), (V)", r"= \1 i64 \3, \2"),
    Mutation("logical for arithmetic shift", "integers wide division", r"= (ashr|lshr) (i\d+ V)",
             lambda m: f"= {swap('ashr lshr')(m[1])} {m[2]}"),
    Mutation("shift distance off by one", "bits exchange lanes", *step(r"= shl i32 V, (\d+)")),
    Mutation("min for max", "integers atomics", r"@llvm\.([su])(min|max)\.",
             lambda m: f"@llvm.{m[1]}{MINMAX(m[2])}.", I32_PAIR),
    Mutation("unsigned for signed min or max", "integers", r"@llvm\.([su])(min|max)\.",
             lambda m: f"@llvm.{swap('s u')(m[1])}{m[2]}.", I32_PAIR),
    Mutation("lost absolute value", "division loops integers", r"call i32 @llvm\.abs\.i32\(i32 (V), i1 false\)",
             r"or i32 \1, 0"),
    # Bits
    Mutation("or for and", "bits lanes integers", r"= and (i32|i64) (C), (V)", r"= or \1 \2, \3"),
    Mutation("and for or", "bits wide", r"= or (i32|i64) (C), (V)", r"= and \1 \2, \3"),
    Mutation("or for exclusive or", "bits structures", r"= xor i32 (V), (V)", r"= or i32 \1, \2"),
    Mutation("mask too narrow", "lanes stack atomics", r"= and i32 (V), (\d+)",
             lambda m: f"= and i32 {m[1]}, {int(m[2]) >> 1}"),
    Mutation("wrong byte selected", "bits conversions", r"(@llvm\.amdgcn\.perm\(.*, i32 )(\d+)\)",
             lambda m: f"{m[1]}{int(m[2]) ^ 1})"),
    Mutation("leading zeros for set bits", "bits lanes", r"@llvm\.ctpop\.i32\(i32 (V)\)",
             r"@llvm.ctlz.i32(i32 \1, i1 false)", ("declare i32 @llvm.ctlz.i32(i32, i1)",)),
    Mutation("trailing for leading zeros", "bits", r"@llvm\.ctlz\.i32", "@llvm.cttz.i32",
             ("declare i32 @llvm.cttz.i32(i32, i1)",)),
    Mutation("bit order kept", "bits", r"call i32 @llvm\.bitreverse\.i32\(i32 (V)\)", r"or i32 \1, 0"),
    # Comparison and choice
    Mutation("signedness of a comparison", "integers wide loops", r"= icmp ([su](?:lt|le|gt|ge)) i",
             lambda m: f"= icmp {SIGN(m[1])} i"),
    Mutation("bound off by one", "integers loops stack", r"= icmp ([su])(lt|le|gt|ge) i",
             lambda m: f"= icmp {m[1]}{STRICT(m[2])} i"),
    Mutation("equal for unequal", "integers loops", r"= icmp (eq|ne) i", lambda m: f"= icmp {swap('eq ne')(m[1])} i"),
    Mutation("wrong side of a select", "integers bits singles", r"= select i1 (V), (i\d+ C), (i\d+ C)$",
             r"= select i1 \1, \3, \2"),
    Mutation("lost negation of a predicate", "loops integers atomics lanes", r"= xor i1 (V), true",
             r"= or i1 \1, false"),
    # Control and registers
    Mutation("inverted branch", "loops atomics integers", BRANCH, r"br i1 \1, label \3, label \2"),
    Mutation("dropped guard", "integers loops atomics", BRANCH, r"br label \2"),
    Mutation("missing branch", "loops stack atomics", BRANCH, r"br label \3"),
    Mutation("missing barrier", "exchange atomics", r"  call void @llvm\.amdgcn\.s\.barrier\(\)\n", ""),
    Mutation("missing fence", "exchange atomics", r"  fence syncscope\(\"workgroup\"\) (acquire|release)\n", ""),
    Mutation("register not written", "integers wide loops", r"  store i32 V, ptr addrspace\(5\) %r\d+\n", ""),
    Mutation("wrong thread index", "integers exchange lanes", r"@llvm\.amdgcn\.workitem\.id\.x",
             "@llvm.amdgcn.workitem.id.y", ("declare i32 @llvm.amdgcn.workitem.id.y()",)),
    Mutation("wrong launch dimension", "integers lanes exchange", r"(%implicit, i64 )12", r"\g<1>14"),
    # Lanes
    Mutation("shuffle from the next lane", "lanes", PERMUTE, r"%m = add i32 \2, 4\n  \g<1>%m, i32 \3)"),
    Mutation("dropped shuffle", "lanes", PERMUTE, lambda m: f"{m[1].partition('=')[0]}= or i32 {m[3]}, 0"),
    Mutation("shuffle without its segments", "lanes", r"(mbcnt\.lo.*\n.*= and i32 V, )16(\n.*= or i32 V, )15",
             r"\g<1>0\g<2>31"),
    Mutation("shuffle clamp off by one", "lanes", r"(mbcnt\.lo.*\n.*= and i32 V, \d+\n.*= or i32 V, )(31|15)",
             lambda m: f"{m[1]}{int(m[2]) - 1}"),
    Mutation("shuffle distance off by one", "lanes", *step(r"mbcnt\.lo.*(?:\n.*){3}= (?:xor|add|sub) i32 V, (\d+)$")),
    Mutation("ballot of the opposite", "lanes exchange", r"(%\w+ = call i32 @llvm\.amdgcn\.ballot\.i32\(i1 )(V)\)",
             r"%m = xor i1 \2, true\n  \1%m)"),
    Mutation("ballot of all", "lanes", r"@llvm\.amdgcn\.ballot\.i32\(i1 V\)", "@llvm.amdgcn.ballot.i32(i1 true)"),
    Mutation("uniform value of one lane for a reduction", "lanes atomics",
             r"@llvm\.amdgcn\.wave\.reduce\.\w+\.i32\(i32 (V), i32 0\)", r"@llvm.amdgcn.readlane.i32(i32 \1, i32 1)",
             ("declare i32 @llvm.amdgcn.readlane.i32(i32, i32)",)),
    # Memory
    Mutation("dropped store", "integers structures halves", r"  store .*V, GLOBAL V, align \d+\n", ""),
    Mutation("store of half the word", "integers lanes", r"store i32 (V), (GLOBAL V), align 4",
             r"%m = trunc i32 \1 to i16\n  store i16 %m, \2, align 2"),
    Mutation("load of half the word", "integers structures", r"(%\w+) = load i32, (GLOBAL V), align 4",
             r"%m = load i16, \2, align 2\n  \1 = zext i16 %m to i32"),
    Mutation("wrong address", "integers structures atomics", r"(%\w+) = inttoptr i64 (V) to GLOBAL",
             r"%m = add i64 \2, 4\n  \1 = inttoptr i64 %m to ptr addrspace(1)"),
    Mutation("wrong shared address", "exchange atomics", r"(%\w+) = inttoptr i32 (V) to ptr addrspace\(3\)",
             r"%m = add i32 \2, 4\n  \1 = inttoptr i32 %m to ptr addrspace(3)"),
    Mutation("wrong stack address", "stack", r"= getelementptr i8, ptr addrspace\(5\) (V), i32 (V)",
             r"= getelementptr [4 x i8], ptr addrspace(5) \1, i32 \2"),
    Mutation("words of a vector exchanged", "structures wide", r"(extractelement <\d x i32> V, i32 )(\d)",
             lambda m: f"{m[1]}{int(m[2]) ^ 1}"),
    Mutation("wrong kernel parameter", "integers singles structures", r"(%kernarg, i64 )(\d+)",
             lambda m: f"{m[1]}{int(m[2]) ^ 8}"),
    Mutation("wrong place in a constant bank", "structures",
             r"(%\w+) = (getelementptr i8, ptr addrspace\(4\) @\"\.cassc\.nv\.constant3\", i64 V)",
             r"%m = \2\n  \1 = getelementptr i8, ptr addrspace(4) %m, i64 4"),
    Mutation("missing output", "report", r"= call i32 @__cassc_vprintf\(i64 V, i64 V\)", "= or i32 0, 0"),
    Mutation("missing trap", "guarded", r"  call void @llvm\.trap\(\)\n  unreachable", "  br label %exit"),
    # Atomics
    Mutation("other atomic operation", "atomics", r"= atomicrmw (\w+) ptr",
             lambda m: f"= atomicrmw {ATOMIC[m[1]]} ptr"),
    Mutation("atomic exchange for another operation", "atomics", r"= atomicrmw (?:add|umax|min|or) ptr",
             "= atomicrmw xchg ptr"),
    # Not of an OR: one more bit is there from another thread.
    Mutation("atomic with another value", "atomics", r"(%\w+ = atomicrmw (?!or )\w+ ptr addrspace\(\d\) V), i32 (V)",
             r"%m = add i32 \2, 1\n  \1, i32 %m"),
    Mutation("atomic at another address", "atomics", r"(%\w+ = atomicrmw \w+ )(ptr addrspace\(\d\)) (V)",
             r"%m = getelementptr i8, \2 \3, i32 4\n  \1\2 %m"),
    Mutation("compare and exchange swapped", "atomics", r"(cmpxchg ptr addrspace\(\d\) V), (i32 C), (i32 C)",
             r"\1, \3, \2"),
    # Floats
    Mutation("fma rounded twice", "singles doubles halves",
             r"(%\w+) = call (float|double|half) @llvm\.fma\.f\d+\(\w+ ([^,]*), \w+ ([^,]*), \w+ ([^,]*)\)$",
             r"%m = fmul \2 \3, \4\n  \1 = fadd \2 %m, \5"),
    Mutation("wrong directed rounding", "singles doubles conversions",
             r"= fcmp (olt|ogt) double (V), 0x0000000000000000",
             lambda m: f"= fcmp {swap('olt ogt')(m[1])} double {m[2]}, 0x0000000000000000"),
    Mutation("lost directed rounding", "singles doubles conversions",
             r"= fcmp (olt|ogt) double (V), 0x0000000000000000",
             r"= fcmp \1 double 0x0000000000000000, 0x0000000000000000"),
    Mutation("lost saturation", "singles",
             r"= call float @llvm\.(?:max|min)imumnum\.f32\(float (V), float (?:bitcast [^,]*)\)$",
             r"= call float @llvm.minimumnum.f32(float \1, float \1)",
             ("declare float @llvm.minimumnum.f32(float, float)",)),
    Mutation("denormals not flushed", "singles", r"(@llvm\.is\.fpclass\.f32\(float V, i32 )144", r"\g<1>0"),
    Mutation("denormals flushed", "singles", r"(%\w+) = (fadd|fmul|fsub) float (.*)$",
             "%m = \\2 float \\3\n  %k = call i1 @llvm.is.fpclass.f32(float %m, i32 144)\n"
             "  \\1 = select i1 %k, float 0.0, float %m",
             ("declare i1 @llvm.is.fpclass.f32(float, i32)",)),
    Mutation("float min for max", "singles halves", r"@llvm\.(min|max)imumnum\.(f\d+)",
             lambda m: f"@llvm.{MINMAX(m[1])}imumnum.{m[2]}",
             FLOAT_MINMAX),
    Mutation("NaN handed on by min and max", "singles", r"@llvm\.(min|max)imumnum\.f32", r"@llvm.\1imum.f32",
             tuple(f"declare float @llvm.{w}imum.f32(float, float)" for w in ("min", "max"))),
    Mutation("unordered for ordered", "singles doubles", r"= fcmp ([ou])(lt|le|gt|ge|eq|ne) ",
             lambda m: f"= fcmp {swap('o u')(m[1])}{m[2]} "),
    Mutation("float bound", "singles doubles", r"= fcmp ([ou])(lt|le|gt|ge) ",
             lambda m: f"= fcmp {m[1]}{STRICT(m[2])} "),
    Mutation("lost sign change", "singles doubles", r"= fneg (float|double|half) (.*)$",
             r"= select i1 true, \1 \2, \1 \2"),
    Mutation("lost float absolute value", "singles", r"= call (float|double) @llvm\.fabs\.f\d+\(\w+ (.*)\)$",
             r"= select i1 true, \1 \2, \1 \2"),
    Mutation("swapped operands of a float subtraction", "doubles singles", r"= fsub (float|double) (V), (V)",
             r"= fsub \1 \3, \2"),
    Mutation("float subtraction for addition", "singles doubles halves", r"= fadd (float|double|half) ",
             r"= fsub \1 "),
    # Conversions
    Mutation("signedness of a conversion", "conversions structures", r"@llvm\.fpto([su])i\.sat",
             lambda m: f"@llvm.fpto{swap('s u')(m[1])}i.sat",
             TO_INTEGER),
    Mutation("signedness of an integer", "conversions", r"= ([su])itofp", lambda m: f"= {swap('s u')(m[1])}itofp"),
    Mutation("conversion without saturation", "conversions",
             r"(%\w+) = call i32 @llvm\.fpto([su])i\.sat\.i32\.f32\(float (V)\)",
             r"%m = call i64 @llvm.fpto\2i.sat.i64.f32(float \3)\n  \1 = trunc i64 %m to i32",
             tuple(f"declare i64 @llvm.fpto{s}i.sat.i64.f32(float)" for s in "su")),
    Mutation("rounding of a conversion", "conversions", r"@llvm\.(roundeven|floor|ceil|trunc)\.f32",
             lambda m: f"@llvm.{ROUND[m[1]]}.f32",
             tuple(f"declare float @llvm.{n}.f32(float)" for n in ("floor", "ceil", "roundeven"))),
    Mutation("narrowing that cuts off", "conversions", r"(%\w+) = fptrunc float (V) to half",
             r"%m = call <2 x half> @llvm.amdgcn.cvt.pkrtz(float \2, float \2)\n"
             r"  \1 = extractelement <2 x half> %m, i32 0",
             ("declare <2 x half> @llvm.amdgcn.cvt.pkrtz(float, float)",)),
)
# fmt: on

UNSEEN = {
    "missing fence": "the emulator performs the accesses of a wave in order and at once: fences order nothing there",
}
"""Mutations that no run on the emulator can show, with the reason."""

_CORRECTED = "the sequence of a division corrects its estimates"
_IDEMPOTENT = "one lane adds the bits of all to the word; others may as well"
_ORDERED = "the kernel's own barriers order the cleared word before its first use"
SPARED = {
    ("logical for arithmetic shift", "wide"): "only the high word is used, shifted by 32",
    ("signedness of a comparison", "loops"): "starts in memory are never negative, a launch with such a one faults",
    (
        "bound off by one",
        "stack",
    ): "what a loop of one turn adds is zero; an unrolled loop and its remainder do the same",
    ("missing branch", "stack"): "the loop behind tests its bound again",
    ("inverted branch", "atomics"): _IDEMPOTENT,
    ("dropped guard", "atomics"): _IDEMPOTENT,
    ("missing barrier", "exchange"): _ORDERED,
    ("register not written", "loops"): "the high word of a thread's index is zero, as the register is at first",
    ("unordered for ordered", "singles"): "a second question about a result that is known to be a number",
    ("wrong thread index", "exchange"): "any lane may clear the word that reducing barriers count in",
    ("wrong launch dimension", "exchange"): _CORRECTED,
    ("shuffle distance off by one", "lanes"): "16 or 17: with 8, 4, 2 and 1 both sum all lanes",
    ("fma rounded twice", "doubles"): _CORRECTED,
    ("unordered for ordered", "doubles"): "no NaN comes there: other branches have taken them",
    ("float bound", "doubles"): "either side of the bound gives the same quotient",
    ("denormals flushed", "singles"): "a sum with 0.25 is never denormal",
    ("float bound", "singles"): "equal values were told apart by the comparison before",
}
"""(mutation, kernel) where some places may be changed without harm, with the reason."""


@dataclass(frozen=True, slots=True)
class Translated:
    """A cubin with its lifted kernels and the code that LLVM makes of each alone."""

    cubin: Cubin
    sass: SassModule
    kernels: dict[str, LiftedKernel]
    code: dict[str, bytes]


def assemble(cubin: Cubin, kernel: LiftedKernel) -> bytes:
    text = link_text([kernel], DEFAULT_TARGET, module_globals(cubin).definitions)
    return assemble_full(text, DEFAULT_TARGET, opt_level=2).code_object


@cache
def translated(name: str) -> Translated:
    cubin = cubin_image.parse((DATA / f"{name}.cubin").read_bytes())
    sass = disassemble(cubin)
    kernels = {}
    for function in sass.functions:
        if not function.undecodable:
            kernels[function.name] = lift_kernel(function, cubin)
    return Translated(cubin, sass, kernels, {n: assemble(cubin, k) for n, k in kernels.items()})


def check(module: Translated, name: str, code: bytes) -> Verdict:
    function = module.sass.function(name)
    assert function is not None
    with Checker(module.cubin, code, DEFAULT_TARGET) as checker:
        return checker.check(function, "lift", seconds=SECONDS)


def mutants(module: Translated, mutation: Mutation, name: str) -> Iterator[tuple[int, bytes]]:
    """(number of the place, code) of the mutants whose code is another than the translation's."""
    kernel = module.kernels[name]
    declared = {text.partition("@")[2].partition("(")[0]: text for text in mutation.declares}
    for place, body in enumerate(mutation.sites(kernel.body)):
        mutant = replace(kernel, body=body, declarations={**declared, **kernel.declarations})
        code = assemble(module.cubin, mutant)
        if code != module.code[name]:
            yield place, code


@dataclass(slots=True)
class Tally:
    rejected: int = 0
    survived: list[str] = field(default_factory=list)


def judge(module: Translated, mutation: Mutation, most: int) -> Tally:
    """Checks up to ``most`` mutants of each kernel."""
    tally = Tally()
    for name in mutation.kernels.split():
        if name not in module.kernels:
            continue
        for place, code in islice(mutants(module, mutation, name), most):
            verdict = check(module, name, code)
            if verdict.status is Status.REJECTED:
                tally.rejected += 1
            elif (mutation.name, name) not in SPARED:
                tally.survived.append(f"{name}, place {place}: {verdict.status.value} {verdict.reason}")
    return tally


pytestmark = pytest.mark.skipif(emulator.library_path() is None, reason="libcassc_emu.so is not built")


@pytest.mark.parametrize("name", MODULES)
def test_translations_without_mistakes_are_accepted(name: str) -> None:
    module = translated(name)
    verdicts = [check(module, kernel, code) for kernel, code in module.code.items()]
    assert [v for v in verdicts if v.status is not Status.ACCEPTED] == []
    assert min(v.branches for v in verdicts if v.kernel != "guarded") >= 0.9  # the side that traps is not counted


@pytest.mark.parametrize("mutation", [m for m in MUTATIONS if m.name not in UNSEEN], ids=lambda m: m.name)
def test_mistakes_are_rejected(mutation: Mutation) -> None:
    """The first places in the sm_80 kernels."""
    tally = judge(translated("gate.sm_80"), mutation, 2)
    assert tally.survived == []
    assert tally.rejected, "no place is mutated"


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("mutation", [m for m in MUTATIONS if m.name not in UNSEEN], ids=lambda m: m.name)
def test_mistakes_in_all_places_are_rejected(mutation: Mutation, name: str) -> None:
    assert judge(translated(name), mutation, 1000).survived == []


def test_there_are_many_kinds_of_mistakes() -> None:
    assert len({m.name for m in MUTATIONS} - set(UNSEEN)) == len(MUTATIONS) - len(UNSEEN) >= 80

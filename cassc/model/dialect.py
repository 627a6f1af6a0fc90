"""vRDNA: what the model writes. RDNA3 operations on virtual registers, in one group for each SASS instruction.

A line is an operation, its destinations and its sources, as in RDNA3 assembly. Registers are the SASS ones (``R4``,
``UR2``, ``P0``), temporaries of one group (``t0`` a word, ``w0`` 64 bits, ``q0`` a predicate), numbers, launch state
(``TID.X``), and slots: ``I0`` is the first large immediate of the aligned SASS instruction, ``C0`` its first constant
bank operand, ``L0`` its label. Operations keep RDNA3's names where RDNA3 has them; the others (directed rounding,
flushing, saturating conversions, atomics with a scope) are macros with a dot or without a ``v_``/``s_`` prefix.

Register allocation, waits, EXEC masks, the kernel descriptor and the layout of arguments are not written: they follow
from the rest, and the finishing pass and LLVM make them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cassc.sass.builder import BF16, F16, F32, F64, I1, I8, I16, I32, I64, Type

# Kinds of operands. Words hold narrower values in their low bits. ``q`` is four consecutive words, ``n`` a number,
# ``o`` a displacement, ``c`` a constant bank slot, ``l`` a label slot.
TYPES: dict[str, Type] = {
    "w": I32, "d": I64, "f": F32, "g": F64, "h": F16, "e": BF16, "s": I16, "b": I8, "p": I1,
}  # fmt: skip
KIND_OF = {type: kind for kind, type in TYPES.items()}
WIDE_KINDS, WORD_KINDS = "dg", "wfhesb"
SIGNED_KINDS = "fg"
"""Sources that take ``neg`` and ``abs`` in front."""

# A tree of builder methods over argument numbers: (method, parameters, arguments), or ("=", value) for a constant.
Tree = Any


@dataclass(frozen=True, slots=True)
class Op:
    """An operation.

    Attributes:
        results, sources: kinds of the operands, one letter each.
        meaning: tree of builder methods; None for operations that `cassc.model.finish` implements by name.
        native: RDNA3 has the instruction under this name, with these operands.
        effects: it touches memory or other lanes, so a guard becomes a branch.
        control: it ends a group (and, but for ``wave_sync``, a block).
    """

    name: str
    results: str
    sources: str
    meaning: Tree = None
    native: bool = False
    effects: bool = False
    control: bool = False


OPS: dict[str, Op] = {}
BY_MEANING: dict[Any, str] = {}
"""(method, parameters, kind of the result, kinds of the sources) -> operation, for those of one builder method."""
FUSED: list[Op] = []
"""Operations of several builder methods, largest first."""


def _add(op: Op) -> None:
    if op.name in OPS:
        raise ValueError(f"two operations are called {op.name}")
    OPS[op.name] = op


def _simple(name: str, spec: str, method: str, *parameters: tuple[str, Any], native: bool = False) -> None:
    """One builder method; ``spec``: kinds of the result, ``=``, kinds of the sources."""
    result, sources = spec.split("=")
    meaning = (method, parameters, tuple(range(len(sources))))
    _add(Op(name, result, sources, meaning, native))
    BY_MEANING[method, parameters, result, sources] = name


def _fused(name: str, spec: str, meaning: Tree) -> None:
    result, sources = spec.split("=")
    op = Op(name, result, sources, meaning, native=name.startswith("v_"))
    _add(op)
    FUSED.append(op)


def _effect(name: str, spec: str, *, native: bool = False) -> None:
    results, sources = spec.split("=")
    _add(Op(name, results, sources, native=native, effects=True))


def _control(name: str, sources: str = "") -> None:
    _add(Op(name, "", sources, effects=True, control=True))


def _integers() -> None:
    native = {
        "add": "v_add_nc_u32", "sub": "v_sub_nc_u32", "mul": "v_mul_lo_u32", "and_": "v_and_b32", "or_": "v_or_b32",
        "xor": "v_xor_b32", "umin": "v_min_u32", "umax": "v_max_u32", "smin": "v_min_i32", "smax": "v_max_i32",
    }  # fmt: skip
    for method, name in native.items():
        _simple(name, "w=ww", method, native=True)
        _simple(f"{method.strip('_')}_b64", "d=dd", method)
        _simple(f"{method.strip('_')}_b16", "s=ss", method)
        _simple(f"{method.strip('_')}_b8", "b=bb", method)
    _simple("v_not_b32", "w=w", "not_", native=True)
    _simple("not_b64", "d=d", "not_")
    for method, word in (("shl", "v_lshlrev"), ("lshr", "v_lshrrev"), ("ashr", "v_ashrrev")):
        # RDNA3 takes the amount modulo the width; the clamping form gives 0, or the sign, from the width on.
        _simple(f"{word}_{'i' if method == 'ashr' else 'b'}32", "w=wn", method)
        _simple(f"{word}_{'i' if method == 'ashr' else 'b'}64", "d=dn", method)
        _simple(f"{method}_clamp_b32", "w=ww", method)
        _simple(f"{method}_clamp_b64", "d=dd", method)
        _simple(f"{method}_b16", "s=ss", method)
    for operation in ("lt", "le", "gt", "ge", "eq", "ne"):
        for sign in (True, False):
            if sign and operation in ("eq", "ne"):
                continue
            spelled = "lg" if operation == "ne" else operation
            for kind, bits in (("w", 32), ("d", 64), ("s", 16)):
                name = f"v_cmp_{spelled}_{'i' if sign else 'u'}{bits}"
                _simple(name, f"p={kind}{kind}", "compare", ("op", operation), ("signed", sign))
    for kind, bits in (("w", 32), ("d", 64), ("s", 16), ("b", 8)):
        _simple(f"v_cndmask_b{bits}", f"{kind}=p{kind}{kind}", "select")
    _simple("s_cselect_b1", "p=ppp", "select")
    for method in ("and_", "or_", "xor"):
        _simple(f"s_{method.strip('_')}_b1", "p=pp", method)
    _simple("s_not_b1", "p=p", "not_")
    _simple("v_alignbit_b32", "w=www", "funnel_right", native=True)
    _simple("v_bcnt_u32_b32", "w=w", "popcount")
    _simple("v_clz_u32", "w=w", "clz")
    _simple("v_bfrev_b32", "w=w", "bit_reverse", native=True)
    _simple("byte_permute", "w=www", "byte_permute")
    _simple("v_abs_i32", "w=w", "abs")
    _simple("abs_b64", "d=d", "abs")
    _simple("bcnt_b64", "d=d", "popcount")
    _simple("clz_b64", "d=d", "clz")
    _simple("bfrev_b64", "d=d", "bit_reverse")
    for narrow, bits in (("s", 16), ("b", 8)):
        _simple(f"v_cvt_u32_u{bits}", f"w={narrow}", "zext")
        _simple(f"v_cvt_i32_i{bits}", f"w={narrow}", "sext")
        _simple(f"cvt_u64_u{bits}", f"d={narrow}", "zext")
        _simple(f"cvt_i64_i{bits}", f"d={narrow}", "sext")
    _simple("cvt_u64_u32", "d=w", "zext")
    _simple("cvt_i64_i32", "d=w", "sext")
    _simple("pair_b64", "d=ww", "pair")
    _simple("bit0", "p=w", "trunc")


def _floats() -> None:
    suffix = {"f": "f32", "g": "f64", "h": "f16", "e": "bf16"}
    for kind, type in suffix.items():
        native = kind in "fg"
        for rounding in ("rn", "rz", "rm", "rp"):
            end = "" if rounding == "rn" else f".{rounding}"
            plain = native and not end
            for method, name, count in (("fadd", "add", 2), ("fmul", "mul", 2), ("fma", "fma", 3)):
                spec = f"{kind}={kind * count}"
                _simple(f"v_{name}_{type}{end}", spec, method, ("rounding", rounding), native=plain)
            _simple(f"round_{type}.{rounding}", f"{kind}={kind}", "fround", ("rounding", rounding))
            for other, other_type in suffix.items():
                if other == kind:
                    continue
                name = f"v_cvt_{type}_{other_type}"
                _simple(f"{name}{end}", f"{kind}={other}", "fconvert", ("rounding", rounding))
            for integer, bits in (("w", 32), ("d", 64), ("s", 16), ("b", 8)):
                for sign in (True, False):
                    letter = "i" if sign else "u"
                    parameters = (("signed", sign), ("rounding", rounding))
                    _simple(f"v_cvt_{type}_{letter}{bits}{end}", f"{kind}={integer}", "int_to_float", *parameters)
                    name = f"v_cvt_{letter}{bits}_{type}.{rounding}"
                    _simple(name, f"{integer}={kind}", "float_to_int", *parameters)
        _simple(f"v_min_{type}", f"{kind}={kind * 2}", "fmin")
        _simple(f"v_max_{type}", f"{kind}={kind * 2}", "fmax")
        _simple(f"neg_{type}", f"{kind}={kind}", "fneg")
        _simple(f"abs_{type}", f"{kind}={kind}", "fabs")
        _simple(f"saturate_{type}", f"{kind}={kind}", "saturate")
        for operation in "lt le gt ge eq ne ltu leu gtu geu equ neu num nan".split():
            _simple(f"v_cmp_{operation}_{type}", f"p={kind * 2}", "fcompare", ("op", operation))
    for kind in suffix:
        _simple(f"flush_{suffix[kind]}", f"{kind}={kind}", "flush")
    for method, name in (
        *(("rcp", "rcp"), ("rsq", "rsq"), ("sqrt", "sqrt"), ("ex2", "exp"), ("lg2", "log"), ("sin", "sin")),
        *(("cos", "cos"), ("tanh", "tanh"), ("rcp64h", "rcp64h"), ("rsq64h", "rsq64h")),
    ):
        _simple(f"v_{name}_f32.daz", "f=f", "mufu", ("op", method))


def _combined() -> None:
    def zext(x: Tree) -> Tree:
        return ("zext", (("type", I64),), (x,))

    def sext(x: Tree) -> Tree:
        return ("sext", (("type", I64),), (x,))

    def of(method: str, *arguments: Tree) -> Tree:
        return (method, (), arguments)

    _fused("v_mad_u64_u32", "d=wwd", of("add", of("mul", zext(0), zext(1)), 2))
    _fused("v_mad_i64_i32", "d=wwd", of("add", of("mul", sext(0), sext(1)), 2))
    _fused("v_mul_hi_u32", "w=ww", of("hi", of("mul", zext(0), zext(1))))
    _fused("v_mul_hi_i32", "w=ww", of("hi", of("mul", sext(0), sext(1))))
    _fused("mul_u64_u32", "d=ww", of("mul", zext(0), zext(1)))
    _fused("mul_i64_i32", "d=ww", of("mul", sext(0), sext(1)))
    _fused("v_bfi_b32", "w=www", of("xor", 2, of("and_", 0, of("xor", 2, 1))))
    _fused("v_xnor_b32", "w=ww", of("not_", of("xor", 0, 1)))
    _fused("v_add3_u32", "w=www", of("add", of("add", 0, 1), 2))
    _fused("v_lshl_add_u32", "w=wnw", of("add", of("shl", 0, 1), 2))
    _fused("v_add_lshl_u32", "w=wwn", of("shl", of("add", 0, 1), 2))
    _fused("v_lshl_or_b32", "w=wnw", of("or_", of("shl", 0, 1), 2))
    _fused("v_and_or_b32", "w=www", of("or_", of("and_", 0, 1), 2))
    _fused("v_or3_b32", "w=www", of("or_", of("or_", 0, 1), 2))
    _fused("v_xor3_b32", "w=www", of("xor", of("xor", 0, 1), 2))
    _fused("v_xad_u32", "w=www", of("add", of("xor", 0, 1), 2))


SPACES = {"global": ("global", "d"), "generic": ("flat", "d"), "shared": ("ds", "w"), "local": ("scratch", "w")}
ATOMICS = {
    "add": "add_u", "umin": "min_u", "umax": "max_u", "smin": "min_i", "smax": "max_i", "inc": "inc_u", "dec": "dec_u",
    "and": "and_b", "or": "or_b", "xor": "xor_b", "exch": "swap_b",
}  # fmt: skip
FLOAT_ATOMICS = (("fadd", "f", "add_f32"), ("fadd", "g", "add_f64"), ("fadd_f16x2", "w", "pk_add_f16"),
                 ("fadd_bf16x2", "w", "pk_add_bf16"))  # fmt: skip
SCOPES = ("cta", "gpu", "system")


def _memory() -> None:
    sizes = {1: "w", 2: "w", 4: "w", 8: "d", 16: "q"}
    for prefix, address in SPACES.values():
        for size, kind in sizes.items():
            for end in ("", ".volatile"):
                for sign in ("u", "i") if size < 4 else ("b",):
                    _effect(f"{prefix}_load_{sign}{8 * size}{end}", f"{kind}={address}o", native=not end)
                _effect(f"{prefix}_store_b{8 * size}{end}", f"={address}o{kind}", native=not end)
        for scope in SCOPES if prefix != "ds" else ("cta",):
            for name in ATOMICS.values():
                for kind, bits in (("w", 32), ("d", 64)):
                    _effect(f"{prefix}_atomic_{name}{bits}.{scope}", f"{kind}={address}o{kind}")
            for _, kind, name in FLOAT_ATOMICS:
                _effect(f"{prefix}_atomic_{name}.{scope}", f"{kind}={address}o{kind}")
            for kind, bits in (("w", 32), ("d", 64)):
                _effect(f"{prefix}_atomic_cmpswap_b{bits}.{scope}", f"{kind}={address}o{kind}{kind}")
    _effect("global_load_where_b32", "w=dop")
    for size in (1, 2, 4, 8):
        kind = "d" if size == 8 else "w"
        for sign in ("u", "i") if size < 4 else ("b",):
            _effect(f"const_load_{sign}{8 * size}", f"{kind}=cw")
            if size != 8 and size != 4:
                _add(Op(f"const_{sign}{8 * size}", "w", "c"))


def _rest() -> None:
    _add(Op("v_mov_b32", "w", "w", native=True))
    _add(Op("v_mov_b64", "d", "d"))
    for name in ("v_bfe_u32", "v_bfe_i32"):
        _add(Op(name, "w", "wnn", native=True))
    _add(Op("s_mov_b1", "p", "p"))
    for scope in SCOPES:
        _effect(f"fence.{scope}", "=")
    for name, spec in (("s_barrier", "="), ("ds_bpermute_b32", "w=ww"), ("v_readfirstlane_b32", "w=w"),
                       ("ballot", "w=p"), ("match_any_b32", "w=w"), ("match_any_b64", "w=d"), ("s_sleep", "="),
                       ("clock.lo", "w="), ("clock.hi", "w="), ("timer.lo", "w="), ("timer.hi", "w="),
                       ("is_shared", "p=d"), ("is_local", "p=d"), ("is_global", "p=d"),
                       ("barrier_popc", "=p"), ("barrier_and", "=p"), ("barrier_or", "=p"),
                       ("barrier_result", "wp="), ("barrier_part", "=ww"), ("barrier_part_arrive", "=ww"),
                       ("barrier_part_popc", "=pww"), ("barrier_part_and", "=pww"), ("barrier_part_or", "=pww"),
                       ("call_external", "=d")):  # fmt: skip
        _effect(name, spec)
    for operation in "add umin umax smin smax and or xor".split():
        _effect(f"wave_reduce.{operation}", "w=w")
    for name, sources in (("s_branch", "l"), ("s_cbranch", "pl"), ("s_call", "l"), ("s_return", ""), ("s_trap", ""),
                          ("s_endpgm", ""), ("s_cendpgm", "p"), ("s_switch", "w"), ("wave_sync", "")):  # fmt: skip
        _control(name, sources)


@dataclass(frozen=True, slots=True)
class Product:
    """A matrix product of a warp, in CUDA's distribution over lanes: RDNA3's WMMA has another one, so it is a macro.

    Attributes:
        a, b, c: kinds of the operands; ``c`` is the result's too.
        element: of A and B; None for TF32.
    """

    a: str
    b: str
    c: str
    element: Type | None


PRODUCTS: dict[str, Product] = {}
"""By the name of the operation, which is ``mma_`` and the SASS modifiers."""


def _matrices() -> None:
    for shape, a, b in (("1688", "d", "w"), ("16816", "q", "d")):
        PRODUCTS[f"mma_{shape}.F16"] = Product(a, b, "d", F16)
        PRODUCTS[f"mma_{shape}.F32"] = Product(a, b, "q", F16)
        PRODUCTS[f"mma_{shape}.F32.BF16"] = Product(a, b, "q", BF16)
    for shape, a, b in (("1684", "d", "w"), ("1688", "q", "d")):
        PRODUCTS[f"mma_{shape}.F32.TF32"] = Product(a, b, "q", None)
    for name, product in PRODUCTS.items():
        _effect(name, f"{product.c}={product.a}{product.b}{product.c}")


for _fill in (_integers, _floats, _combined, _memory, _rest, _matrices):
    _fill()

# Operands ----------------------------------------------------------------------------------------------------------
LAUNCH = {
    "TID.X": "tid.x", "TID.Y": "tid.y", "TID.Z": "tid.z", "CTAID.X": "ctaid.x", "CTAID.Y": "ctaid.y",
    "CTAID.Z": "ctaid.z", "LANEID": "laneid", "WARPID": "warpid", "NWARPID": "nwarpid", "SMID": "smid",
    "LT": "lanemask.lt", "LE": "lanemask.le", "GT": "lanemask.gt", "GE": "lanemask.ge", "EQ": "lanemask.eq",
    "SWINHI": "swinhi", "CGA": "cgactaid", "GRIDID": "gridid", "DYNSMEM": "dynamic_smem_size",
    "ALLSMEM": "total_smem_size",
}  # fmt: skip
WORD_TEMPS, WIDE_TEMPS, PREDICATE_TEMPS, SLOTS = 32, 12, 20, 3
LARGEST_NUMBER, SMALLEST_NUMBER = 255, -16


@dataclass(frozen=True, slots=True)
class Slots:
    """What the slots of a group stand for.

    Attributes:
        immediates: (as 32 bits, as 64 bits).
        constants: (bank, byte offset).
        labels: groups that are branched to.
        table: of a jump through a register: its value -> the group.
    """

    immediates: tuple[tuple[int, int], ...] = ()
    constants: tuple[tuple[int, int], ...] = ()
    labels: tuple[int, ...] = ()
    table: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """``sources``: operands as text, with ``neg `` and ``abs `` in front where they apply."""

    op: Op
    results: tuple[str, ...]
    sources: tuple[str, ...]

    def tokens(self) -> list[str]:
        return [self.op.name, *self.results, *(token for source in self.sources for token in source.split())]

    def __str__(self) -> str:
        return f"{self.op.name} {', '.join([*self.results, *self.sources])}".rstrip()


@dataclass(frozen=True, slots=True)
class Group:
    """The translation of one SASS instruction; ``guard`` is a predicate operand or empty."""

    guard: str
    lines: tuple[Line, ...]

    def tokens(self) -> list[str]:
        """Without the end mark."""
        start = [f"@{self.guard}"] if self.guard else []
        return start + [token for line in self.lines for token in line.tokens()]

    @property
    def effects(self) -> bool:
        return any(line.op.effects for line in self.lines)


class Malformed(ValueError):
    """Tokens that are no group."""


def parse(tokens: list[str]) -> Group:
    """The group that tokens spell. Raises Malformed."""
    rest = iter(tokens)
    guard = ""
    lines: list[Line] = []
    for token in rest:
        if token.startswith("@"):
            if lines or guard:
                raise Malformed("a guard stands in front of the lines")
            guard = token[1:]
            continue
        op = OPS.get(token)
        if op is None:
            raise Malformed(f"no operation {token!r}")
        if lines and lines[-1].op.control:
            raise Malformed(f"{lines[-1].op.name} must be the last line")
        results = tuple(_next(rest, token) for _ in op.results)
        sources = tuple(_source(rest, kind, token) for kind in op.sources)
        lines.append(Line(op, results, sources))
    return Group(guard, tuple(lines))


def _next(rest: Iterator[str], operation: str) -> str:
    token = next(rest, None)
    if token is None:
        raise Malformed(f"{operation} lacks operands")
    return token


def _source(rest: Iterator[str], kind: str, operation: str) -> str:
    parts = [_next(rest, operation)]
    while kind in SIGNED_KINDS and parts[-1] in ("neg", "abs"):
        parts.append(_next(rest, operation))
    return " ".join(parts)


def renumbered(group: Group, source: Sequence[str]) -> Iterator[Group]:
    """The group with another number in one place, all of the dialect's in turn.

    ``source``: tokens of the instruction; what its numbers suggest (complements, sums, neighbours) comes first.
    """
    given = [int(token) for token in source if token.lstrip("-").isdigit()]
    near = [value for n in given for value in (~n, -n, n + 1, n - 1, 32 - n)]
    near += [a + sign * b for a in given for b in given for sign in (1, -1)]
    numbers = dict.fromkeys([*near, *sorted(range(SMALLEST_NUMBER, LARGEST_NUMBER + 1), key=abs)])
    for row, line in enumerate(group.lines):
        for place, text in enumerate(line.sources):
            if not text.lstrip("-").isdigit():
                continue
            for number in numbers:
                if SMALLEST_NUMBER <= number <= LARGEST_NUMBER and str(number) != text:
                    sources = (*line.sources[:place], str(number), *line.sources[place + 1 :])
                    changed = Line(line.op, line.results, sources)
                    yield Group(group.guard, (*group.lines[:row], changed, *group.lines[row + 1 :]))

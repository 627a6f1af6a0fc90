"""Integer arithmetic, logic, shifts and comparison; the uniform datapath's forms of them share the meanings."""

from __future__ import annotations

from cassc.sass import fields
from cassc.sass.builder import I32, I64, Builder, Value
from cassc.sass.fields import Field
from cassc.sass.operand import Imm
from cassc.sass.row import AB, ABC, Instruction, choice, flag, form, insn, only

# In the uniform datapath sources are uniform registers, so only the register and immediate forms exist.
UNIFORM_ABC, UNIFORM_B_ONLY = only(ABC, 1, 2, 4), only(ABC, 1, 4)
# Immediates, constants and uniform registers only as B; and 64-bit C, which has no immediate.
B_ANYWHERE, WIDE_C, LEA_FORMS = only(ABC, 1, 4, 5, 6), only(ABC, 1, 3, 4, 5, 6, 7), only(ABC, 1, 2, 4, 5, 6)
UNIFORM_AB = only(AB, 1, 4)
COMPARISONS = "F LT EQ LE GT NE GE T"
BOOLEANS = "AND OR XOR"
UNSIGNED_73 = flag("U32", 73, inverted=True)
X = flag("X", 74)


def combine(b: Builder, operation: str, x: Value, y: Value) -> Value:
    """AND, OR or XOR of two I1."""
    return {"AND": b.and_, "OR": b.or_, "XOR": b.xor}[operation](x, y)


def bool_pair(b: Builder, i: Instruction, c: Value, p: Value) -> tuple[Value, Value]:
    """Destinations of the SETP family: ``c op p`` and ``!c op p``."""
    operation = i.mods["bool"]
    return combine(b, operation, c, p), combine(b, operation, b.not_(c), p)


# Additions ---------------------------------------------------------------------------------------------------------
UIADD3_SOURCES = "-UA, -UB:s32, -UC:s32, !UPp{X}=!PT, !UPq{X}=!PT"
IADD3_SOURCES = "-A, -B:s32, -C:s32, !Pp{X}=!PT, !Pq{X}=!PT"


@insn("UIADD3", 0x090, "URd, UPu?, UPv?, " + UIADD3_SOURCES, UNIFORM_B_ONLY, X, uniform=True, last_sm=90)
@insn("UIADD3", 0x090, "URd, UPu, UPv, " + UIADD3_SOURCES, UNIFORM_B_ONLY, X, uniform=True, first_sm=100)
@insn("IADD3", 0x010, "Rd, Pu?, Pv?, " + IADD3_SOURCES, B_ANYWHERE, X, last_sm=90)
@insn("IADD3", 0x010, "Rd, Pu, Pv, " + IADD3_SOURCES, B_ANYWHERE, X, first_sm=100)
def iadd3(b: Builder, i: Instruction, x: Value, y: Value, z: Value, p: Value, q: Value) -> tuple[Value, ...]:
    """x + y + z (+ p + q): the sum, and its carry (0 to 2 of them) as two predicates.

    A negated source is ``~v + 1`` with that carry counted, so a - b sets the carry when there is no borrow.
    """
    total = b.const(I64, 0)
    negations = 0
    for value, operand in zip((x, y, z), i.operands[3:6], strict=True):
        if getattr(operand, "negated", False):
            value = b.not_(b.neg(value))
            negations += 1
        total = b.add(total, b.zext(value, I64))
    if negations:
        total = b.add(total, b.const(I64, negations))
    if i.has("X"):
        total = b.add(total, b.add(b.zext(p, I64), b.zext(q, I64)))
    carries = b.hi(total)
    return (
        b.lo(total),
        b.compare("ge", carries, b.const(I32, 1), signed=False),
        b.compare("ge", carries, b.const(I32, 2), signed=False),
    )


# Multiply-add ------------------------------------------------------------------------------------------------------
def imad_name(i: Instruction) -> str:
    """NVIDIA prints the moves, adds and shifts that ptxas makes of IMAD by name; the operation is the same."""
    _, x, y, z, _ = i.operands
    suffix = []
    if not i.has("X") and i.form not in (6, 7):
        factor = y.bits if isinstance(y, Imm) else None
        z_zero = getattr(z, "is_zero", False)
        if getattr(x, "is_zero", False) or getattr(y, "is_zero", False) or factor == 0 or (factor == 1 and z_zero):
            suffix = ["MOV"]
        elif factor == 1:
            suffix = ["IADD"]
        elif factor and factor < 1 << 31 and factor != 1 << 16 and factor & (factor - 1) == 0 and z_zero:
            suffix = ["SHL"]
    return ".".join([i.row.mnemonic, *suffix, *(i.mods[m] for m in ("U32", "X") if i.mods[m])])


NO_PU = {fields.PU: fields.PT}


@insn("UIMAD", 0x0A4, "URd, UA, UB:s32, -UC:s32, !UPp{X}=!PT", UNIFORM_ABC, UNSIGNED_73, X, fixed=NO_PU, uniform=True)
@insn("IMAD", 0x024, "Rd, A, B:s32, -C:s32, !Pp{X}=!PT", ABC, X, UNSIGNED_73, fixed=NO_PU, refine=imad_name)
def imad(b: Builder, i: Instruction, x: Value, y: Value, z: Value, p: Value) -> Value:
    """Low word of x*y + z (+ p)."""
    total = b.add(b.mul(x, y), z)
    return b.add(total, b.zext(p, I32)) if i.has("X") else total


def wide_product(b: Builder, i: Instruction, x: Value, y: Value) -> Value:
    extend = b.zext if i.has("U32") else b.sext
    return b.mul(extend(x, I64), extend(y, I64))


@insn(
    "UIMAD.WIDE", 0x0A5, "URd:u64, UPu?, UA, UB:s32, -UC:u64, !UPp{X}=!PT", UNIFORM_B_ONLY, UNSIGNED_73, X, uniform=True
)
@insn("IMAD.WIDE", 0x025, "Rd:u64, Pu?, A, B:s32, -C:u64, !Pp{X}=!PT", WIDE_C, UNSIGNED_73, X)
def imad_wide(b: Builder, i: Instruction, x: Value, y: Value, z: Value, p: Value) -> tuple[Value, Value]:
    """64-bit x*y + z (+ p) of 32-bit x and y, and its carry out."""
    product = wide_product(b, i, x, y)
    total = b.add(product, z)
    carry = b.compare("lt", total, product, signed=False)
    if i.has("X"):
        with_carry = b.add(total, b.zext(p, I64))
        carry = b.or_(carry, b.compare("lt", with_carry, total, signed=False))
        total = with_carry
    return total, carry


@insn(
    "UIMAD.HI",
    0x0A6,
    "URd, UPu?, UA, UB:s32, -UC:u64, !UPp{X}=!PT",
    UNIFORM_B_ONLY,
    UNSIGNED_73,
    X,
    uniform=True,
    first_sm=120,
)
@insn("IMAD.HI", 0x027, "Rd, Pu?, A, B:s32, -C:u64, !Pp{X}=!PT", WIDE_C, UNSIGNED_73, X)
def imad_hi(b: Builder, i: Instruction, x: Value, y: Value, z: Value, p: Value) -> tuple[Value, Value]:
    """High word of x*y + z, where z is a 64-bit pair."""
    total, carry = imad_wide(b, i, x, y, z, p)
    return b.hi(total), carry


# Logic -------------------------------------------------------------------------------------------------------------
def lut3(b: Builder, table: int, x: Value, y: Value, z: Value) -> Value:
    """Three-input logic by truth table: bit ``4x + 2y + z`` of the table. Sum of the products that are present."""
    if not 0 <= table <= 255:
        raise ValueError(f"not a truth table: {table}")
    simple = _two_input(b, table & 15, y, z, x), _two_input(b, table >> 4, y, z, x)
    low, high = simple
    if table & 15 == table >> 4:
        return low
    if table & 15 == 15 ^ (table >> 4):
        return b.xor(x, low)
    if table & 15 == 0:
        return b.and_(x, high)
    if table >> 4 == 0:
        return b.and_(b.not_(x), low)
    if table & 15 == 15:
        return b.or_(b.not_(x), high)
    if table >> 4 == 15:
        return b.or_(x, low)
    return b.xor(low, b.and_(x, b.xor(low, high)))


def _two_input(b: Builder, table: int, y: Value, z: Value, like: Value) -> Value:
    """Bit ``2y + z`` of a four-bit table."""
    if table >= 8:  # complement: only eight cases to spell out
        if table == 15:
            return b.const(like.type, -1)
        return {
            8: lambda: b.and_(y, z),
            9: lambda: b.not_(b.xor(y, z)),
            10: lambda: z,
            11: lambda: b.or_(b.not_(y), z),
            12: lambda: y,
            13: lambda: b.or_(y, b.not_(z)),
            14: lambda: b.or_(y, z),
        }[table]()
    if table == 0:
        return b.const(like.type, 0)
    return {
        1: lambda: b.not_(b.or_(y, z)),
        2: lambda: b.and_(b.not_(y), z),
        3: lambda: b.not_(y),
        4: lambda: b.and_(y, b.not_(z)),
        5: lambda: b.not_(z),
        6: lambda: b.xor(y, z),
        7: lambda: b.not_(b.and_(y, z)),
    }[table]()


@insn("ULOP3.LUT", 0x092, "UPu?, URd, UA, UB, UC, Lut:int, !UPp=!PT", UNIFORM_B_ONLY, flag("PAND", 80), uniform=True)
@insn("LOP3.LUT", 0x012, "Pu?, Rd, A, B, C, Lut:int, !Pp=!PT", B_ANYWHERE, flag("PAND", 80))
def lop3(b: Builder, i: Instruction, x: Value, y: Value, z: Value, table: int, p: Value) -> tuple[Value, Value]:
    value = lut3(b, table, x, y, z)
    nonzero = b.compare("ne", value, b.const(I32, 0), signed=False)
    return (b.and_ if i.has("PAND") else b.or_)(nonzero, p), value


# Shifts ------------------------------------------------------------------------------------------------------------
SHIFT_MODIFIERS = (
    choice("direction", 76, 1, "L R"),
    flag("W", 75),
    choice("type", 73, 2, "S64 U64 S32 U32"),
    flag("HI", 80),
)


@insn("USHF", 0x099, "URd, UA, UB, UC", UNIFORM_ABC, *SHIFT_MODIFIERS, uniform=True)
@insn("SHF", 0x019, "Rd, A, B, C", ABC, *SHIFT_MODIFIERS)
def shf(b: Builder, i: Instruction, low: Value, amount: Value, high: Value) -> Value:
    """Funnel shift of {high:low}; one word of the result. The amount clamps at 32 or 64, with W it wraps."""
    wide = i.mods["type"] in ("S64", "U64")
    width = 64 if wide else 32
    amount = b.and_(amount, b.const(I32, width - 1)) if i.has("W") else b.umin(amount, b.const(I32, width))
    count = b.zext(amount, I64)
    value = b.pair(low, high)
    if i.mods["direction"] == "L":
        if not wide and not i.has("HI"):
            return b.lo(b.shl(b.zext(low, I64), count))
        shifted = b.shl(value, count)
    elif i.mods["type"] in ("S64", "S32"):
        shifted = b.ashr(value, count)
    else:
        shifted = b.lshr(value, count)
    return b.hi(shifted) if i.has("HI") else b.lo(shifted)


LEA_X = X
NO_HI, HI = {Field(80, 1): 0, fields.RC: 255}, {Field(80, 1): 1, Field(73, 1): 0}
SX32 = {Field(80, 1): 1, Field(73, 1): 1, fields.RC: 255}
OLD_URZ = 63  # URZ in the words of sm_75 to sm_90
ULEA_OPERANDS = "URd, UPu?, -UA, -UB, Shift5:int, !UPp{X}=!PT"


def _lea(b: Builder, i: Instruction, shifted: Value, y: Value, p: Value) -> tuple[Value, Value]:
    total = b.add(b.zext(shifted, I64), b.zext(y, I64))
    if i.has("X"):
        total = b.add(total, b.zext(p, I64))
    return b.lo(total), b.compare("ne", b.hi(total), b.const(I32, 0), signed=False)


@insn("ULEA", 0x091, ULEA_OPERANDS, UNIFORM_AB, LEA_X, fixed={**NO_HI, fields.RC: OLD_URZ}, uniform=True, last_sm=90)
@insn("ULEA", 0x091, ULEA_OPERANDS, UNIFORM_AB, LEA_X, fixed=NO_HI, uniform=True, first_sm=100)
@insn("LEA", 0x011, "Rd, Pu?, -A, -B, Shift5:int, !Pp{X}=!PT", AB, LEA_X, fixed=NO_HI)
def lea(b: Builder, i: Instruction, x: Value, y: Value, shift: int, p: Value) -> tuple[Value, Value]:
    return _lea(b, i, b.shl(x, b.const(I32, shift)), y, p)


@insn("ULEA.HI", 0x091, "URd, UPu?, -UA, UB, UC, Shift5:int, !UPp{X}=!PT", UNIFORM_ABC, LEA_X, fixed=HI, uniform=True)
@insn("LEA.HI", 0x011, "Rd, Pu?, -A, -B, C, Shift5:int, !Pp{X}=!PT", LEA_FORMS, LEA_X, fixed=HI)
def lea_hi(b: Builder, i: Instruction, x: Value, y: Value, z: Value, shift: int, p: Value) -> tuple[Value, Value]:
    """High word of {z:x} << shift, plus y."""
    return _lea(b, i, b.hi(b.shl(b.pair(x, z), b.const(I64, shift))), y, p)


LEA_HI_SX32 = (flag("X", 74), flag("SX32", 73))


@insn(
    "ULEA.HI",
    0x091,
    ULEA_OPERANDS,
    UNIFORM_AB,
    *LEA_HI_SX32,
    fixed={**SX32, fields.RC: OLD_URZ},
    uniform=True,
    last_sm=90,
)
@insn("ULEA.HI", 0x091, ULEA_OPERANDS, UNIFORM_AB, *LEA_HI_SX32, fixed=SX32, uniform=True, first_sm=100)
@insn("LEA.HI", 0x011, "Rd, Pu?, -A, -B, Shift5:int, !Pp{X}=!PT", AB, *LEA_HI_SX32, fixed=SX32)
def lea_hi_sx32(b: Builder, i: Instruction, x: Value, y: Value, shift: int, p: Value) -> tuple[Value, Value]:
    """LEA.HI of x sign-extended."""
    return _lea(b, i, b.hi(b.shl(b.sext(x, I64), b.const(I64, shift))), y, p)


# Comparison and selection ------------------------------------------------------------------------------------------
ISETP_MODIFIERS = (
    choice("cmp", 76, 3, COMPARISONS),
    UNSIGNED_73,
    choice("bool", 74, 2, BOOLEANS),
    flag("EX", 72),
)


@insn("UISETP", 0x08C, "UPu, UPv, UA, UB:s32, !UPp, !UPr{EX}", UNIFORM_AB, *ISETP_MODIFIERS, uniform=True)
@insn("ISETP", 0x00C, "Pu, Pv, A, B:s32, !Pp, !Pr{EX}", AB, *ISETP_MODIFIERS, first_sm=80)
@insn("ISETP", 0x00C, "Pu, Pv, A, B:s32, !Pp, !Pr{EX}?", AB, *ISETP_MODIFIERS, last_sm=75)
def isetp(b: Builder, i: Instruction, x: Value, y: Value, p: Value, low: Value) -> tuple[Value, Value]:
    """EX compares the high words of 64-bit integers, given the unsigned comparison of the low words."""
    operation = i.mods["cmp"].lower()
    c = b.compare(operation, x, y, signed=not i.has("U32"))
    if i.has("EX"):
        equal = b.compare("eq", x, y, signed=False)
        if operation == "eq":
            c = b.and_(equal, low)
        elif operation == "ne":
            c = b.or_(c, low)
        elif operation not in ("f", "t"):
            c = b.select(equal, low, c)
    return bool_pair(b, i, c, p)


@insn("USEL.64", 0x087, "URd:u64, UA:u64, UB:u64, !UPp", {6: {"B": "br"}}, uniform=True, first_sm=120)
@insn("SEL.64", 0x007, "Rd:u64, A:u64, Imm33:u64, !Pp", form(2), first_sm=120)
@insn("SEL.64", 0x007, "Rd:u64, A:u64, B:u64, !Pp", {3: {"B": "br"}}, first_sm=120)
@insn("USEL", 0x087, "URd, UA, UB, !UPp", UNIFORM_AB, uniform=True)
@insn("SEL", 0x007, "Rd, A, B, !Pp", AB)
def sel(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> Value:
    return b.select(p, x, y)


IMNMX_110 = {fields.PU: 7, fields.PV: 7, fields.PQ: 7, fields.PQ_NOT: 1}


def minmax(b: Builder, x: Value, y: Value, p: Value, *, signed: bool) -> Value:
    """Minimum where p, else maximum."""
    if signed:
        return b.select(p, b.smin(x, y), b.smax(x, y))
    return b.select(p, b.umin(x, y), b.umax(x, y))


@insn("IMNMX", 0x017, "Rd, A, B:s32, !Pp", AB, UNSIGNED_73, last_sm=89)
@insn(
    "IMNMX",
    0x017,
    "Rd, A, B:s32, !Pp",
    AB,
    UNSIGNED_73,
    fixed=IMNMX_110,
    first_sm=110,
    last_sm=110,
    argued="the same source gives VIMNMX on sm_90",
)
def imnmx(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> Value:
    return minmax(b, x, y, p, signed=not i.has("U32"))


# Bits --------------------------------------------------------------------------------------------------------------
@insn("UIABS", 0x04D, "URd, UB", UNIFORM_AB, uniform=True, first_sm=120)
@insn("IABS", 0x013, "Rd, B", AB)
def iabs(b: Builder, i: Instruction, x: Value) -> Value:
    return b.abs(x)


@insn("UPOPC", 0x0BF, "URd, UB", UNIFORM_AB, uniform=True)
@insn("POPC", 0x109, "Rd, B", AB)
def popc(b: Builder, i: Instruction, x: Value) -> Value:
    return b.popcount(x)


@insn("UBREV", 0x0BE, "URd, UB", UNIFORM_AB, uniform=True)
@insn("BREV", 0x101, "Rd, B", AB)
def brev(b: Builder, i: Instruction, x: Value) -> Value:
    return b.bit_reverse(x)


FLO_MODIFIERS = (flag("U32", 73, inverted=True), flag("SH", 74))


@insn("UFLO", 0x0BD, "URd, UPu?, ~UB", UNIFORM_AB, *FLO_MODIFIERS, uniform=True)
@insn("FLO", 0x100, "Rd, Pu?, ~B", AB, *FLO_MODIFIERS)
def flo(b: Builder, i: Instruction, x: Value) -> tuple[Value, Value]:
    """Index of the highest set bit (signed: of the highest bit that differs from the sign); -1 if there is none.

    SH gives the shift that would bring that bit to bit 31 (31 - index).
    """
    if not i.has("U32"):
        x = b.xor(x, b.ashr(x, b.const(I32, 31)))
    zeros = b.clz(x)
    index = zeros if i.has("SH") else b.sub(b.const(I32, 31), zeros)
    found = b.compare("ne", x, b.const(I32, 0), signed=False)
    return b.select(found, index, b.const(I32, -1)), found


PRMT_MODES = "_ F4E B4E RC8 ECL ECR RC16"
PRMT_REPEATED = {
    "F4E": (0x3210, 0x4321, 0x5432, 0x6543),
    "B4E": (0x5670, 0x6701, 0x7012, 0x0123),
    "RC8": (0x0000, 0x1111, 0x2222, 0x3333),
    "ECL": (0x3210, 0x3211, 0x3222, 0x3333),
    "ECR": (0x0000, 0x1110, 0x2210, 0x3210),
    "RC16": (0x1010, 0x3232, 0x1010, 0x3232),
}


@insn("UPRMT", 0x096, "URd, UA, UB, UC", UNIFORM_B_ONLY, uniform=True)
@insn("PRMT", 0x016, "Rd, A, B, C", ABC, choice("mode", 72, 3, PRMT_MODES))
def prmt(b: Builder, i: Instruction, x: Value, selector: Value, y: Value) -> Value:
    """Byte permutation of {y:x} (PTX ISA, ``prmt``); the modes take their selector from two bits."""
    patterns = PRMT_REPEATED.get(i.mod("mode"))
    if patterns is not None:
        k = b.and_(selector, b.const(I32, 3))
        chosen = b.const(I32, patterns[3])
        for index in (2, 1, 0):
            here = b.compare("eq", k, b.const(I32, index), signed=False)
            chosen = b.select(here, b.const(I32, patterns[index]), chosen)
        selector = chosen
    return b.byte_permute(x, y, selector)


@insn("UBMSK", 0x09B, "URd, UA, UB", UNIFORM_AB, flag("W", 75), uniform=True)
@insn("BMSK", 0x01B, "Rd, A, B", AB, flag("W", 75))
def bmsk(b: Builder, i: Instruction, position: Value, width: Value) -> Value:
    """A mask of ``width`` ones from bit ``position``; positions and widths beyond 32 clamp, with W they wrap."""
    if i.has("W"):
        position = b.and_(position, b.const(I32, 31))
        width = b.and_(width, b.const(I32, 31))
    ones = b.sub(b.shl(b.const(I32, 1), width), b.const(I32, 1))
    return b.shl(ones, position)


@insn("USGXT", 0x09A, "URd, UA, UB", UNIFORM_AB, flag("W", 75), UNSIGNED_73, uniform=True)
@insn("SGXT", 0x01A, "Rd, A, B", AB, flag("W", 75), UNSIGNED_73)
def sgxt(b: Builder, i: Instruction, x: Value, width: Value) -> Value:
    """The low ``width`` bits, extended by sign or zero; a width beyond 32 clamps, with W it wraps."""
    all_bits = b.const(I32, 32)
    width = b.and_(width, b.const(I32, 31)) if i.has("W") else b.umin(width, all_bits)
    rest = b.sub(all_bits, width)
    return (b.lshr if i.has("U32") else b.ashr)(b.shl(x, rest), rest)

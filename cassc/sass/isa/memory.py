"""Loads and stores of global, generic, local and shared memory; fences."""

from __future__ import annotations

from cassc.sass import fields
from cassc.sass.builder import I32, I64, Builder, Scope, Space, Value
from cassc.sass.fields import Field
from cassc.sass.row import Instruction, choice, control_row, effects, flag, form, insn, undone

Words = tuple[Value, ...]

SIZES = "U8 S8 U16 S16 _ 64 128"
SIZE_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "": 4, "64": 8, "128": 16}
SIZE = choice("size", 73, 3, SIZES)
E = flag("E", 72)
# Memory order and scope, and which lines the caches should drop first: of no consequence for results, so the order
# matters only in that everything but the weak accesses is volatile.
ORDERS = {0: "_", 4: "CONSTANT", 5: "STRONG.SM", 7: "STRONG.GPU", 10: "STRONG.SYS"}
ORDER = choice("order", 77, 4, " ".join(ORDERS.get(k, "-") for k in range(16)))
STORE_ORDER = choice("order", 77, 4, " ".join(ORDERS.get(k, "-") if k != 4 else "-" for k in range(16)))
EVICTION = choice("eviction", 84, 3, "EF _ EL LU EU NA")
SECTOR = choice("sector", 68, 2, "_ LTC64B LTC128B LTC256B")


def volatile(i: Instruction) -> bool:
    return i.mod("order").startswith("STRONG")


def _load(b: Builder, i: Instruction, space: Space, address: Value) -> tuple[Words]:
    size = i.mods["size"]
    return (b.load(space, address, SIZE_BYTES[size], signed=size.startswith("S"), volatile=volatile(i)),)


NO_PREDICATE = {fields.PU: 7}


# sm_75 spells out the scope of every access, and has no descriptors.
ORDER_75 = choice(
    "order",
    77,
    4,
    "CONSTANT.CTA CONSTANT.SM CONSTANT.GPU CONSTANT.SYS CTA SM GPU SYS STRONG.CTA STRONG.SM STRONG.GPU STRONG.SYS",
)
STORE_ORDER_75 = choice("order", 77, 4, "- - - - CTA SM GPU SYS STRONG.CTA STRONG.SM STRONG.GPU STRONG.SYS")
LOAD_75 = {**NO_PREDICATE, Field(76, 1): 0}
SECTOR_75 = choice("sector", 68, 2, "_ LTC64B LTC128B")


@insn("LDG", 0x181, "Rd:w, PlainAddr", form(1), E, EVICTION, SECTOR_75, SIZE, ORDER_75, fixed=LOAD_75, last_sm=75)
@insn("LDG", 0x181, "Rd:w, LoadAddr", form(4), E, EVICTION, SECTOR_75, SIZE, ORDER_75, fixed=LOAD_75, last_sm=75)
@insn("LDG", 0x181, "Rd:w, LoadAddr", form(4), E, EVICTION, SECTOR, SIZE, ORDER, fixed=NO_PREDICATE, first_sm=80)
@insn("LDG", 0x181, "Rd:w, PlainAddr", form(1), E, EVICTION, SECTOR, SIZE, ORDER, fixed=NO_PREDICATE, first_sm=80)
@effects
def ldg(b: Builder, i: Instruction, address: Value) -> tuple[Words]:
    return _load(b, i, Space.GLOBAL, address)


WITH_UNIFORM, NO_UNIFORM = {fields.USES_UNIFORM: 1}, {fields.USES_UNIFORM: 0}
BASED_75, FAR_75 = {**WITH_UNIFORM, Field(76, 1): 0}, {**NO_UNIFORM, Field(76, 1): 0}


@insn("LD", 0x180, "Rd:w, LoadAddr", form(4), E, EVICTION, SECTOR, SIZE, ORDER, fixed=WITH_UNIFORM, first_sm=80)
@insn("LD", 0x180, "Rd:w, FarAddr", form(4), E, EVICTION, SECTOR, SIZE, ORDER, fixed=NO_UNIFORM, first_sm=80)
@insn("LD", 0x180, "Rd:w, LoadAddr", form(4), E, EVICTION, SECTOR_75, SIZE, ORDER_75, fixed=BASED_75, last_sm=75)
@insn("LD", 0x180, "Rd:w, FarAddr", form(4), E, EVICTION, SECTOR_75, SIZE, ORDER_75, fixed=FAR_75, last_sm=75)
@effects
def ld(b: Builder, i: Instruction, address: Value) -> tuple[Words]:
    """Generic address: global, or inside the shared or the local window."""
    return _load(b, i, Space.GENERIC, address)


@insn("LDS", 0x184, "Rd:w, SharedLoadAddr", form(4), flag("U", 76), SIZE, last_sm=75)
@insn("LDS", 0x184, "Rd:w, SharedLoadAddr", form(4), SIZE, first_sm=80)
@effects
def lds(b: Builder, i: Instruction, address: Value) -> tuple[Words]:
    return _load(b, i, Space.SHARED, address)


LOCAL_EVICTION = choice("eviction", 84, 3, "EF _ EL LU EU NA")


@insn("LDL", 0x183, "Rd:w, LocalAddr", form(4), LOCAL_EVICTION, SIZE)
@effects
def ldl(b: Builder, i: Instruction, address: Value) -> tuple[Words]:
    return _load(b, i, Space.LOCAL, address)


def _store(b: Builder, i: Instruction, space: Space, address: Value, words: Words) -> None:
    b.store(space, address, words, SIZE_BYTES[i.mods["size"]], volatile=volatile(i))


@insn("STG", 0x186, "PlainAddr, Rb:w", form(1), E, EVICTION, SIZE, STORE_ORDER_75, last_sm=75)
@insn("STG", 0x186, "StoreAddr, Rb:w", form(4), E, EVICTION, SIZE, STORE_ORDER_75, fixed={Field(76, 1): 0}, last_sm=75)
@insn("STG", 0x186, "StoreAddr, Rb:w", form(4), E, EVICTION, SIZE, STORE_ORDER, first_sm=80)
@effects
def stg(b: Builder, i: Instruction, address: Value, words: Words) -> None:
    _store(b, i, Space.GLOBAL, address, words)


@insn("ST", 0x185, "StoreAddr, Rb:w", form(4), E, EVICTION, SIZE, STORE_ORDER, first_sm=80)
@insn("ST", 0x185, "FarAddr, Rc:w", form(1), E, EVICTION, SIZE, STORE_ORDER, first_sm=80)
@insn("ST", 0x185, "StoreAddr, Rb:w", form(4), E, EVICTION, SIZE, STORE_ORDER_75, fixed={Field(76, 1): 0}, last_sm=75)
@insn("ST", 0x185, "FarAddr, Rc:w", form(1), E, EVICTION, SIZE, STORE_ORDER_75, last_sm=75)
@effects
def st(b: Builder, i: Instruction, address: Value, words: Words) -> None:
    _store(b, i, Space.GENERIC, address, words)


@insn("STS", 0x188, "SharedStoreAddr, Rb:w", {1: {}, 4: {}}, SIZE)
@effects
def sts(b: Builder, i: Instruction, address: Value, words: Words) -> None:
    _store(b, i, Space.SHARED, address, words)


@insn("STL", 0x187, "LocalStoreAddr, Rb:w", form(1), LOCAL_EVICTION, SIZE, last_sm=90)
@insn("STL", 0x187, "LocalStoreAddr, Rb:w", {1: {}, 4: {}}, LOCAL_EVICTION, SIZE, first_sm=100)
@effects
def stl(b: Builder, i: Instruction, address: Value, words: Words) -> None:
    _store(b, i, Space.LOCAL, address, words)


# VC stands where the debug build of __threadfence_system has SYS; what it means is a guess, on the safe side.
SCOPES = {"CTA": Scope.CTA, "SM": Scope.CTA, "GPU": Scope.GPU, "SYS": Scope.SYSTEM, "VC": Scope.SYSTEM}


@insn("MEMBAR", 0x192, "", form(4), choice("order", 79, 1, "SC ALL"), choice("scope", 76, 3, "CTA SM GPU SYS - VC"))
@effects
def membar(b: Builder, i: Instruction) -> None:
    b.fence(SCOPES[i.mods["scope"]])


# Which space a generic address is in --------------------------------------------------------------------------------
# D is the shared memory of any CTA of the cluster: without clusters the CTA's own.
SPACES = {"G": Space.GLOBAL, "L": Space.LOCAL, "S": Space.SHARED, "D": Space.SHARED}


@insn(
    "QSPC",
    0x1AA,
    "Pu, Rd, PlainAddr",
    form(1),
    E,
    choice("space", 73, 2, "G L S"),
    fixed={fields.RD: 255},
    last_sm=89,
)
@insn(
    "QSPC",
    0x1AA,
    "Pu, Rd, PlainAddr",
    form(1),
    E,
    choice("space", 73, 2, "G L S D"),
    fixed={fields.RD: 255},
    first_sm=90,
)
@effects
def qspc(b: Builder, i: Instruction, address: Value) -> tuple[Value, Value]:
    """Register results are not known; ptxas asks for the predicate alone."""
    return b.in_space(SPACES[i.mods["space"]], address), b.const(I32, 0)


# Asynchronous copies to shared memory. They are done at once, so there is nothing to wait for ------------------------
COPY_SIZE = choice("size", 73, 3, "- - - - _ 64 128")
COPY_MODIFIERS = (
    choice("bypass", 81, 1, "BYPASS _"),
    EVICTION,
    choice("sector", 71, 2, "_ LTC64B LTC128B LTC256B"),
    COPY_SIZE,
)
COPY_FIXED = {Field(77, 4): 0}
COPY_MODIFIERS_100 = (
    choice("bypass", 81, 1, "BYPASS _"),
    EVICTION,
    choice("sector", 72, 2, "_ LTC64B LTC128B LTC256B"),
    choice("size", 74, 2, "_ 64 128"),
)


@insn(
    "LDGSTS.E",
    0x1AE,
    "SharedCopyAddr, CopyAddr",
    form(7),
    *COPY_MODIFIERS,
    fixed={**COPY_FIXED, Field(82, 1): 0, fields.PP: 7},
    first_sm=80,
    last_sm=90,
)
@insn(
    "LDGSTS.E",
    0x1AE,
    "SharedCopyAddr, CopyAddr",
    form(7),
    *COPY_MODIFIERS_100,
    fixed={**COPY_FIXED, Field(82, 1): 0, fields.PP: 7},
    first_sm=100,
)
@effects
def ldgsts(b: Builder, i: Instruction, target: Value, source: Value) -> None:
    size = SIZE_BYTES[i.mods["size"]]
    b.store(Space.SHARED, target, b.load(Space.GLOBAL, source, size), size)


@insn(
    "LDGSTS.E",
    0x1AE,
    "SharedCopyAddr, CopyAddr, !Pp?",
    form(7),
    *COPY_MODIFIERS,
    flag("ZFILL", 82),
    fixed={**COPY_FIXED, Field(82, 1): 1},
    first_sm=80,
    last_sm=90,
)
@insn(
    "LDGSTS.E",
    0x1AE,
    "SharedCopyAddr, CopyAddr, !Pp?",
    form(7),
    *COPY_MODIFIERS_100,
    flag("ZFILL", 82),
    fixed={**COPY_FIXED, Field(82, 1): 1},
    first_sm=100,
)
@effects
def ldgsts_zfill(b: Builder, i: Instruction, target: Value, source: Value, p: Value) -> None:
    """Zeros, without a look at the source, where p is false; else the low bits of the address say how many bytes at
    the end are zeros instead of being read (recorded: ptxas puts the difference of the two sizes there)."""
    size = SIZE_BYTES[i.mods["size"]]
    missing = b.and_(b.lo(source), b.const(I32, size - 1))
    aligned = b.and_(source, b.const(I64, -size))
    present = b.select(p, b.sub(b.const(I32, size), missing), b.const(I32, 0))
    words: Words = ()
    for at in range(0, size, 4):
        needed = b.compare("gt", present, b.const(I32, at), signed=False)
        (word,) = b.load(Space.GLOBAL, b.add(aligned, b.const(I64, at)), 4, where=needed)
        rest = b.umin(b.sub(present, b.const(I32, at)), b.const(I32, 4))
        mask = b.sub(b.shl(b.const(I32, 1), b.shl(rest, b.const(I32, 3))), b.const(I32, 1))
        words += (b.select(needed, b.and_(word, mask), b.const(I32, 0)),)
    b.store(Space.SHARED, target, words, size)


control_row("LDGDEPBAR", 0x1AF, "", form(4), control="nop", first_sm=80)
control_row("DEPBAR.LE", 0x11A, "Scoreboard, Count6", form(4), control="nop", fixed={Field(32, 6): 0, Field(47, 1): 1})
control_row("DEPBAR.LE", 0x11A, "Scoreboard, Count6, Scoreboards", form(4), control="nop", fixed={Field(47, 1): 1})

# Invalidating or prefetching lines of a cache, and reporting of errors, change nothing that a program can see.
control_row("ERRBAR", 0x1AB, "", form(4), control="nop")
control_row("CGAERRBAR", 0x1AB, "", form(2), control="nop", first_sm=90)
control_row("CCTL.IVALL", 0x18F, "", form(4), control="nop", fixed={fields.RA: 255, Field(72, 33): 1 << 17})
control_row("CCTL", 0x18F, "CacheAddr", form(4), E, choice("op", 87, 3, "PF1 PF2 WB IV - RS"), control="nop")
control_row("FENCE.VIEW.ASYNC", 0x1C6, "", form(1), choice("space", 72, 1, "S G"), control="nop", first_sm=90)

# Not implemented: stores that report to an mbarrier of another CTA, matrices of other shapes -------------------------
undone(
    "STAS",
    0x1BD,
    "ClusterAddr, Rb:w",
    form(6),
    choice("size", 73, 3, "- - - - _ 64 128"),
    fixed={Field(77, 4): 0},
    first_sm=90,
    todo="distributed shared memory",
)

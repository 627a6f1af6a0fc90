"""Loads and stores of global, generic, local and shared memory; fences."""

from __future__ import annotations

from cassc.sass import fields
from cassc.sass.builder import Builder, Scope, Space, Value
from cassc.sass.fields import Field
from cassc.sass.row import Instruction, choice, control_row, effects, flag, form, insn

Words = tuple[Value, ...]

SIZES = "U8 S8 U16 S16 _ 64 128"
SIZE_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "": 4, "64": 8, "128": 16}
SIZE = choice("size", 73, 3, SIZES)
E = flag("E", 72)
# Memory order and scope, and which lines the caches should drop first: of no consequence for results, so the order
# matters only in that everything but the weak accesses is volatile.
ORDERS = {0: "_", 4: "CONSTANT", 5: "STRONG.SM", 7: "STRONG.GPU", 10: "STRONG.SYS"}
ORDER = choice("order", 77, 4, " ".join(ORDERS.get(k, "-") for k in range(16)))
EVICTION = choice("eviction", 84, 3, "EF _ EL LU EU NA")
SECTOR = choice("sector", 68, 2, "_ LTC64B LTC128B LTC256B")


def volatile(i: Instruction) -> bool:
    return i.mod("order").startswith("STRONG")


def _load(b: Builder, i: Instruction, space: Space, address: Value) -> tuple[Words]:
    size = i.mods["size"]
    return (b.load(space, address, SIZE_BYTES[size], signed=size.startswith("S"), volatile=volatile(i)),)


NO_PREDICATE = {fields.PU: 7}


@insn("LDG", 0x181, "Rd:w, LoadAddr", form(4), E, EVICTION, SECTOR, SIZE, ORDER, fixed=NO_PREDICATE)
@insn("LDG", 0x181, "Rd:w, PlainAddr", form(1), E, EVICTION, SECTOR, SIZE, ORDER, fixed=NO_PREDICATE)
@effects
def ldg(b: Builder, i: Instruction, address: Value) -> tuple[Words]:
    return _load(b, i, Space.GLOBAL, address)


@insn("LD", 0x180, "Rd:w, LoadAddr", form(4), E, EVICTION, SECTOR, SIZE, ORDER)
@effects
def ld(b: Builder, i: Instruction, address: Value) -> tuple[Words]:
    """Generic address: global, or inside the shared or the local window."""
    return _load(b, i, Space.GENERIC, address)


@insn("LDS", 0x184, "Rd:w, SharedLoadAddr", form(4), SIZE)
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


@insn("STG", 0x186, "StoreAddr, Rb:w", form(4), E, EVICTION, SIZE, ORDER)
@effects
def stg(b: Builder, i: Instruction, address: Value, words: Words) -> None:
    _store(b, i, Space.GLOBAL, address, words)


@insn("ST", 0x185, "StoreAddr, Rb:w", form(4), E, EVICTION, SIZE, ORDER)
@effects
def st(b: Builder, i: Instruction, address: Value, words: Words) -> None:
    _store(b, i, Space.GENERIC, address, words)


@insn("STS", 0x188, "SharedStoreAddr, Rb:w", {1: {}, 4: {}}, SIZE)
@effects
def sts(b: Builder, i: Instruction, address: Value, words: Words) -> None:
    _store(b, i, Space.SHARED, address, words)


@insn("STL", 0x187, "LocalAddr, Rb:w", form(1), LOCAL_EVICTION, SIZE)
@effects
def stl(b: Builder, i: Instruction, address: Value, words: Words) -> None:
    _store(b, i, Space.LOCAL, address, words)


SCOPES = {"CTA": Scope.CTA, "SM": Scope.CTA, "GPU": Scope.GPU, "SYS": Scope.SYSTEM}


@insn("MEMBAR", 0x192, "", form(4), choice("order", 79, 1, "SC ALL"), choice("scope", 76, 3, "CTA SM GPU SYS"))
@effects
def membar(b: Builder, i: Instruction) -> None:
    b.fence(SCOPES[i.mods["scope"]])


# Invalidating or prefetching lines of a cache, and reporting of errors, change nothing that a program can see.
control_row("ERRBAR", 0x1AB, "", form(4), control="nop")
control_row("CGAERRBAR", 0x1AB, "", form(2), control="nop", first_sm=90)
control_row("CCTL.IVALL", 0x18F, "", form(4), control="nop", fixed={fields.RA: 255, Field(72, 33): 1 << 17})

"""Atomic operations on global, generic and shared memory."""

from __future__ import annotations

from cassc.sass import fields
from cassc.sass.builder import F32, F64, I32, I64, Builder, Scope, Space, Type, Value
from cassc.sass.fields import Field
from cassc.sass.isa.memory import EVICTION, E
from cassc.sass.row import Instruction, Modifier, choice, effects, form, insn, split

Words = tuple[Value, ...]

ORDER = choice("order", 77, 4, "_ - - - - STRONG.SM - STRONG.GPU - - STRONG.SYS")
SCOPES = {"": Scope.GPU, "STRONG.SM": Scope.CTA, "STRONG.GPU": Scope.GPU, "STRONG.SYS": Scope.SYSTEM}
OPERATIONS = "ADD MIN MAX INC DEC AND OR XOR"
# Operand type: size in words, and whether MIN and MAX compare signed. Until sm_89 floats share the integer opcodes.
TYPE_80 = choice("type", 73, 3, "_ S32 64 F32.FTZ.RN - S64 F64.RN")
TYPE_90 = choice("type", 73, 3, "_ S32 64 S64")
FLOAT_TYPE_90 = split("type", [(73, 4)], {9: "F32.FTZ.RN", 15: "F64.RN"})
TYPES: dict[str, tuple[Type, int, bool]] = {
    "": (I32, 1, False), "S32": (I32, 1, True), "64": (I64, 2, False), "S64": (I64, 2, True),
    "F32.FTZ.RN": (F32, 1, True), "F64.RN": (F64, 2, True),
}  # fmt: skip


def _value(b: Builder, type: Type, words: Words) -> Value:
    value = b.pair(words[0], words[1]) if type.bits == 64 else words[0]
    return b.bitcast(value, type) if type.is_float else value


def _words(b: Builder, value: Value) -> Words:
    if value.type.is_float:
        value = b.bitcast(value, I64 if value.type.bits == 64 else I32)
    return (b.lo(value), b.hi(value)) if value.type is I64 else (value,)


def operation(i: Instruction) -> str:
    """The builder's name of the operation."""
    type, _, signed = TYPES[i.mods["type"]]
    name = i.mods["op"].lower()
    if name in ("min", "max"):
        return ("s" if signed else "u") + name
    return "fadd" if type.is_float else name


def _atomic(b: Builder, i: Instruction, space: Space, address: Value, words: Words, *, returns: bool) -> Value:
    type = TYPES[i.mods["type"]][0]
    scope = SCOPES[i.mod("order")] if space is not Space.SHARED else Scope.CTA
    return b.atomic(space, operation(i), address, _value(b, type, words), scope, returns=returns)


RED_OP = choice("op", 87, 3, OPERATIONS)
ATOM_OP = choice("op", 87, 4, OPERATIONS + " EXCH")


@insn("RED", 0x18E, "ReduceAddr, Rb:w", form(4), E, EVICTION, RED_OP, TYPE_80, ORDER, last_sm=89)
@insn("REDG", 0x18E, "ReduceAddr, Rb:w", form(4), E, EVICTION, RED_OP, TYPE_90, ORDER, first_sm=90)
@insn("REDG", 0x1A6, "ReduceAddr, Rb:w", form(4), E, EVICTION, RED_OP, FLOAT_TYPE_90, ORDER, first_sm=90)
@effects
def red(b: Builder, i: Instruction, address: Value, words: Words) -> None:
    _atomic(b, i, Space.GLOBAL, address, words, returns=False)


def _returning(b: Builder, i: Instruction, space: Space, address: Value, words: Words) -> tuple[Value, Words]:
    """The predicate is true when the address was found not to be global; never, here."""
    old = _atomic(b, i, space, address, words, returns=True)
    return b.const(Type.I1, 0), _words(b, old)


@insn("ATOMG", 0x1A8, "Pu, Rd:w, AtomAddr, Rb:w", form(4), E, EVICTION, ATOM_OP, TYPE_80, ORDER, last_sm=89)
@insn("ATOMG", 0x1A8, "Pu, Rd:w, AtomAddr, Rb:w", form(4), E, EVICTION, ATOM_OP, TYPE_90, ORDER, first_sm=90)
@insn("ATOMG", 0x1A3, "Pu, Rd:w, AtomAddr, Rb:w", form(4), E, EVICTION, ATOM_OP, FLOAT_TYPE_90, ORDER, first_sm=90)
@effects
def atomg(b: Builder, i: Instruction, address: Value, words: Words) -> tuple[Value, Words]:
    return _returning(b, i, Space.GLOBAL, address, words)


@insn("ATOM", 0x18A, "Pu, Rd:w, AtomAddr, Rb:w", form(4), E, EVICTION, ATOM_OP, TYPE_80, ORDER, last_sm=89)
@insn("ATOM", 0x18A, "Pu, Rd:w, AtomAddr, Rb:w", form(4), E, EVICTION, ATOM_OP, TYPE_90, ORDER, first_sm=90)
@insn("ATOM", 0x1A2, "Pu, Rd:w, AtomAddr, Rb:w", form(4), E, EVICTION, ATOM_OP, FLOAT_TYPE_90, ORDER, first_sm=90)
@effects
def atom(b: Builder, i: Instruction, address: Value, words: Words) -> tuple[Value, Words]:
    return _returning(b, i, Space.GENERIC, address, words)


def _exchange(b: Builder, i: Instruction, space: Space, address: Value, expected: Words, new: Words) -> Words:
    type = TYPES[i.mods["type"]][0]
    scope = SCOPES[i.mod("order")] if space is not Space.SHARED else Scope.CTA
    old = b.compare_exchange(space, address, _value(b, type, expected), _value(b, type, new), scope)
    return _words(b, old)


CAS_TYPE: Modifier = choice("type", 73, 3, "_ - 64")


@insn(
    "ATOMG",
    0x1A9,
    "Pu, Rd:w, PlainAddr, Rb:w, Rc:w",
    form(1),
    E,
    EVICTION,
    choice("cas", 87, 4, "CAS"),
    CAS_TYPE,
    ORDER,
)
@effects
def atomg_cas(b: Builder, i: Instruction, address: Value, expected: Words, new: Words) -> tuple[Value, Words]:
    return b.const(Type.I1, 0), _exchange(b, i, Space.GLOBAL, address, expected, new)


@insn(
    "ATOM", 0x18B, "Pu, Rd:w, PlainAddr, Rb:w, Rc:w", form(1), E, EVICTION, choice("cas", 87, 4, "CAS"), CAS_TYPE, ORDER
)
@effects
def atom_cas(b: Builder, i: Instruction, address: Value, expected: Words, new: Words) -> tuple[Value, Words]:
    return b.const(Type.I1, 0), _exchange(b, i, Space.GENERIC, address, expected, new)


# Shared memory -----------------------------------------------------------------------------------------------------
SHARED_TYPE = choice("type", 73, 2, "_ S32 64")
SHARED_FORMS = form(1)


@insn("ATOMS", 0x18C, "Rd:w, SharedStoreAddr, Rb:w", SHARED_FORMS, ATOM_OP, SHARED_TYPE)
@effects
def atoms(b: Builder, i: Instruction, address: Value, words: Words) -> tuple[Words]:
    return (_words(b, _atomic(b, i, Space.SHARED, address, words, returns=True)),)


POPC_FIXED = {fields.RB: 0, Field(72, 6): 0}


@insn(
    "ATOMS.POPC.INC.32", 0x18C, "Rd, SharedStoreAddr", form(7), fixed={**POPC_FIXED, Field(80, 11): 0x500}, last_sm=89
)
@insn(
    "ATOMS.POPC.INC.32", 0x18C, "Rd, SharedStoreAddr", form(7), fixed={**POPC_FIXED, Field(80, 11): 0x580}, first_sm=90
)
@effects
def atoms_popc_inc(b: Builder, i: Instruction, address: Value) -> Value:
    """Adds the number of executing lanes with the same address: one for each lane."""
    return b.atomic(Space.SHARED, "add", address, b.const(I32, 1), Scope.CTA, returns=True)


@insn(
    "ATOMS",
    0x18D,
    "Rd:w, PlainSharedAddr, Rb:w, Rc:w",
    form(1),
    choice("cas", 87, 4, "CAS"),
    choice("type", 73, 3, "_ - 64"),
)
@effects
def atoms_cas(b: Builder, i: Instruction, address: Value, expected: Words, new: Words) -> tuple[Words]:
    return (_exchange(b, i, Space.SHARED, address, expected, new),)


@insn(
    "ATOMS",
    0x18D,
    "Rd, PlainSharedAddr, Rb:w, Rc:w",
    form(1),
    choice("cas", 87, 4, "- - - CAST.SPIN"),
    choice("type", 73, 3, "_ - 64"),
)
@effects
def atoms_cast_spin(b: Builder, i: Instruction, address: Value, expected: Words, new: Words) -> Value:
    """Compare and store: 1 where it succeeded, else 0."""
    type = TYPES[i.mods["type"]][0]
    wanted = _value(b, type, expected)
    old = b.compare_exchange(Space.SHARED, address, wanted, _value(b, type, new), Scope.CTA)
    return b.zext(b.compare("eq", old, wanted, signed=False), I32)


__all__ = ["F32", "F64", "I64"]

"""Atomic operations on global, generic and shared memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cassc.sass import fields
from cassc.sass.builder import F32, F64, I1, I32, I64, Builder, Scope, Space, Type, Value
from cassc.sass.fields import Field
from cassc.sass.isa.memory import EVICTION, E
from cassc.sass.row import Instruction, Meaning, Modifier, choice, effects, form, insn

Words = tuple[Value, ...]

ORDER = choice("order", 77, 4, "_ - - - - STRONG.SM - STRONG.GPU - - STRONG.SYS")
SCOPES = {
    "CTA": Scope.CTA, "SM": Scope.CTA, "GPU": Scope.GPU, "SYS": Scope.SYSTEM, "STRONG.CTA": Scope.CTA,
    "": Scope.GPU, "STRONG.SM": Scope.CTA, "STRONG.GPU": Scope.GPU, "STRONG.SYS": Scope.SYSTEM,
}  # fmt: skip
OPERATIONS = "ADD MIN MAX INC DEC AND OR XOR"
# Operand type: size in words, and whether MIN and MAX compare signed. Until sm_89 floats share the integer opcodes.
TYPE_80 = choice("type", 73, 3, "_ S32 64 - - S64")
FLOAT_TYPE_80 = choice("type", 73, 3, "- - - F32.FTZ.RN F16x2.RN - F64.RN")
TYPE_90 = choice("type", 73, 3, "_ S32 64 S64")
FLOAT_NAMES_90 = (
    "F16x2.RN F16x4.RN F16x8.RN BF16x2.RN BF16x4.RN BF16x8.RN - - - "
    "F32.FTZ.RN F32x2.FTZ.RN F32x4.FTZ.RN F32.RN F32x2.RN F32x4.RN F64.RN"
)
FLOAT_TYPE_90 = choice("type", 73, 4, FLOAT_NAMES_90)
# Type of one element, and whether MIN and MAX compare signed. Vectors are added element by element: packed halves as
# words, of which the builder adds the parts.
TYPES: dict[str, tuple[Type, bool]] = {
    "": (I32, False), "S32": (I32, True), "64": (I64, False), "S64": (I64, True),
    "F32.FTZ.RN": (F32, True), "F32.RN": (F32, True), "F64.RN": (F64, True),
    **{f"F32x{n}{ftz}.RN": (F32, True) for n in (2, 4) for ftz in ("", ".FTZ")},
    **{f"{half}x{n}.RN": (I32, True) for half in ("F16", "BF16") for n in (2, 4, 8)},
}  # fmt: skip
ELEMENT_ADDS = {"F16x": "fadd_f16x2", "BF16": "fadd_bf16x2"}


def _value(b: Builder, type: Type, words: Words) -> Value:
    value = b.pair(words[0], words[1]) if type.bits == 64 else words[0]
    return b.bitcast(value, type) if type.is_float else value


def _words(b: Builder, value: Value) -> Words:
    if value.type.is_float:
        value = b.bitcast(value, I64 if value.type.bits == 64 else I32)
    return (b.lo(value), b.hi(value)) if value.type is I64 else (value,)


def operation(i: Instruction) -> str:
    """The builder's name of the operation."""
    type, signed = TYPES[i.mods["type"]]
    name = i.mods["op"].lower()
    packed = ELEMENT_ADDS.get(i.mods["type"][:4])
    if packed is not None:
        return packed
    if type.is_float:
        return "fadd"
    return ("s" if signed else "u") + name if name in ("min", "max") else name


def _atomic(b: Builder, i: Instruction, space: Space, address: Value, words: Words, *, returns: bool) -> Words:
    """The old words; a vector is as many atomic operations (PTX ISA, ``red.vec``)."""
    type = TYPES[i.mods["type"]][0]
    scope = SCOPES[i.mod("order")] if space is not Space.SHARED else Scope.CTA
    each = type.bits // 32
    old: Words = ()
    for k in range(0, len(words), each):
        here = address if k == 0 else b.add(address, b.const(address.type, 4 * k))
        value = _value(b, type, words[k : k + each])
        old += _words(b, b.atomic(space, operation(i), here, value, scope, returns=returns))
    return old


SCOPES_75 = "- - - - CTA SM GPU SYS STRONG.CTA STRONG.SM STRONG.GPU STRONG.SYS"
ORDER_75 = choice("order", 77, 4, SCOPES_75)
TYPE_75 = choice("type", 73, 3, "_ S32 64 - - S64")
NO_C = {fields.RC: 255}
BASED_75: dict[str, Any] = {"fixed": {fields.USES_UNIFORM: 1}, "last_sm": 75}
RED_OP = choice("op", 87, 3, OPERATIONS)
FLOAT_RED_OP = choice("op", 87, 3, "ADD")
FLOAT_ATOM_90 = (E, choice("op", 88, 3, "ADD"), EVICTION, FLOAT_TYPE_90, ORDER)
FLOAT_ATOM_100 = (E, choice("op", 88, 2, "ADD"), EVICTION, FLOAT_TYPE_90, ORDER)
FLOAT_ATOM_OP_80 = choice("op", 87, 4, "ADD")
ATOM_OP = choice("op", 87, 4, OPERATIONS + " EXCH")
ATOM_75 = (E, ATOM_OP, EVICTION, TYPE_75, ORDER_75)
FLOAT_ATOM_75 = (E, FLOAT_ATOM_OP_80, EVICTION, FLOAT_TYPE_80, ORDER_75)


@insn("RED", 0x18E, "ReduceAddr, Rb:w", form(4), E, FLOAT_RED_OP, EVICTION, FLOAT_TYPE_80, ORDER_75, **BASED_75)
@insn("RED", 0x18E, "ReduceAddr, Rb:w", form(4), E, RED_OP, EVICTION, TYPE_75, ORDER_75, **BASED_75)
@insn("RED", 0x18E, "PlainAddr, Rb:w", form(4), E, FLOAT_RED_OP, EVICTION, FLOAT_TYPE_80, ORDER_75, last_sm=75)
@insn("RED", 0x18E, "PlainAddr, Rb:w", form(4), E, RED_OP, EVICTION, TYPE_75, ORDER_75, last_sm=75)
@insn("RED", 0x18E, "ReduceAddr, Rb:w", form(4), E, RED_OP, EVICTION, TYPE_80, ORDER, last_sm=89, first_sm=80)
@insn(
    "RED", 0x18E, "ReduceAddr, Rb:w", form(4), E, FLOAT_RED_OP, EVICTION, FLOAT_TYPE_80, ORDER, last_sm=89, first_sm=80
)
@insn("REDG", 0x18E, "ReduceAddr, Rb:w", form(4), E, RED_OP, EVICTION, TYPE_90, ORDER, first_sm=90)
@insn("REDG", 0x1A6, "ReduceAddr, Rb:w", form(4), E, FLOAT_RED_OP, EVICTION, FLOAT_TYPE_90, ORDER, first_sm=90)
@effects
def red(b: Builder, i: Instruction, address: Value, words: Words) -> None:
    _atomic(b, i, Space.GLOBAL, address, words, returns=False)


def _returning(b: Builder, i: Instruction, space: Space, address: Value, words: Words) -> tuple[Value, Words]:
    """The predicate says that it was done; the hardware would refuse some types outside of global memory."""
    return b.const(I1, 1), _atomic(b, i, space, address, words, returns=True)


def fetching(name: str, opcode: int, float_opcode: int) -> Callable[[Meaning], Meaning]:
    """The rows of a mnemonic on memory outside of shared: ``float_opcode`` is that of floats from sm_90 on."""
    plain, based = "Pu, Rd:w, PlainAddr, Rb:w", "Pu, Rd:w, AtomAddr, Rb:w"
    of_80: dict[str, Any] = {"first_sm": 80, "last_sm": 89}
    rows = (
        insn(name, opcode, plain, form(1), *FLOAT_ATOM_75, fixed=NO_C, last_sm=75),
        insn(name, opcode, plain, form(1), *ATOM_75, fixed=NO_C, last_sm=75),
        insn(name, opcode, based, form(4), *FLOAT_ATOM_75, **BASED_75),
        insn(name, opcode, based, form(4), *ATOM_75, **BASED_75),
        insn(name, opcode, based, form(4), E, ATOM_OP, EVICTION, TYPE_80, ORDER, **of_80),
        insn(name, opcode, based, form(4), E, FLOAT_ATOM_OP_80, EVICTION, FLOAT_TYPE_80, ORDER, **of_80),
        insn(name, opcode, based, form(4), E, ATOM_OP, EVICTION, TYPE_90, ORDER, first_sm=90),
        insn(name, float_opcode, based, form(4), *FLOAT_ATOM_90, first_sm=90, last_sm=90),
        insn(name, float_opcode, "Pu, Rd:w, AtomFloatAddr, Rb:w", form(4), *FLOAT_ATOM_100, first_sm=100),
    )

    def add(meaning: Meaning) -> Meaning:
        for row in rows:
            meaning = row(meaning)
        return meaning

    return add


@fetching("ATOMG", 0x1A8, 0x1A3)
@effects
def atomg(b: Builder, i: Instruction, address: Value, words: Words) -> tuple[Value, Words]:
    return _returning(b, i, Space.GLOBAL, address, words)


@fetching("ATOM", 0x18A, 0x1A2)
@effects
def atom(b: Builder, i: Instruction, address: Value, words: Words) -> tuple[Value, Words]:
    return _returning(b, i, Space.GENERIC, address, words)


def _exchange(b: Builder, i: Instruction, space: Space, address: Value, expected: Words, new: Words) -> Words:
    type = TYPES[i.mods["type"]][0]
    scope = SCOPES[i.mod("order")] if space is not Space.SHARED else Scope.CTA
    old = b.compare_exchange(space, address, _value(b, type, expected), _value(b, type, new), scope)
    return _words(b, old)


CAS = choice("cas", 87, 4, "CAS")
CAS_TYPE: Modifier = choice("type", 73, 3, "_ - 64")


@insn("ATOMG", 0x1A9, "Pu, Rd:w, PlainAddr, Rb:w, Rc:w", form(1), E, CAS, EVICTION, CAS_TYPE, ORDER_75, last_sm=75)
@insn("ATOMG", 0x1A9, "Pu, Rd:w, PlainAddr, Rb:w, Rc:w", form(1), E, CAS, EVICTION, CAS_TYPE, ORDER, first_sm=80)
@effects
def atomg_cas(b: Builder, i: Instruction, address: Value, expected: Words, new: Words) -> tuple[Value, Words]:
    return b.const(I1, 1), _exchange(b, i, Space.GLOBAL, address, expected, new)


@insn("ATOM", 0x18B, "Pu, Rd:w, PlainAddr, Rb:w, Rc:w", form(1), E, CAS, EVICTION, CAS_TYPE, ORDER_75, last_sm=75)
@insn("ATOM", 0x18B, "Pu, Rd:w, PlainAddr, Rb:w, Rc:w", form(1), E, CAS, EVICTION, CAS_TYPE, ORDER, first_sm=80)
@effects
def atom_cas(b: Builder, i: Instruction, address: Value, expected: Words, new: Words) -> tuple[Value, Words]:
    return b.const(I1, 1), _exchange(b, i, Space.GENERIC, address, expected, new)


# Shared memory -----------------------------------------------------------------------------------------------------
SHARED_TYPE = choice("type", 73, 2, "_ S32 64")
SHARED_FORMS = form(1)


@insn("ATOMS", 0x18C, "Rd:w, PlainSharedAddr, Rb:w", SHARED_FORMS, ATOM_OP, SHARED_TYPE, fixed=NO_C, last_sm=75)
@insn("ATOMS", 0x18C, "Rd:w, SharedStoreAddr, Rb:w", SHARED_FORMS, ATOM_OP, SHARED_TYPE, first_sm=80)
@insn("ATOMS", 0x18C, "Rd:w, SharedStoreAddr, Rb:w", form(4), ATOM_OP, SHARED_TYPE, first_sm=80)
@effects
def atoms(b: Builder, i: Instruction, address: Value, words: Words) -> tuple[Words]:
    return (_atomic(b, i, Space.SHARED, address, words, returns=True),)


POPC_FIXED = {fields.RB: 0, Field(72, 6): 0}


@insn(
    "ATOMS.POPC.INC.32",
    0x18C,
    "Rd, SharedStoreAddr",
    form(7),
    fixed={**POPC_FIXED, Field(80, 11): 0x500},
    last_sm=89,
    first_sm=80,
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
    "Rd:w, PlainSharedAddr, Rb:w, Rc:w",
    form(1),
    choice("cas", 87, 4, "- - - CAST.SPIN"),
    choice("type", 73, 3, "_ - 64"),
    last_sm=90,
)
@effects
def atoms_cast_spin(b: Builder, i: Instruction, address: Value, expected: Words, new: Words) -> tuple[Words]:
    return (_flag(b, i, _succeeds(b, i, Space.SHARED, address, expected, new)),)


def _succeeds(b: Builder, i: Instruction, space: Space, address: Value, expected: Words, new: Words) -> Value:
    """Compare and store: whether it succeeded."""
    type = TYPES[i.mods["type"]][0]
    wanted = _value(b, type, expected)
    scope = SCOPES[i.mod("order")] if space is not Space.SHARED else Scope.CTA
    old = b.compare_exchange(space, address, wanted, _value(b, type, new), scope)
    return b.compare("eq", old, wanted, signed=False)


def _flag(b: Builder, i: Instruction, condition: Value) -> Words:
    """1 or 0, as wide as the operands."""
    return _words(b, b.zext(condition, TYPES[i.mods["type"]][0]))


@insn(
    "ATOMS",
    0x18D,
    "Pu, PlainSharedAddr, Rb:w, Rc:w",
    form(2),
    choice("cas", 87, 4, "- - - CAST.SPIN"),
    choice("type", 73, 3, "_ - 64"),
    fixed={fields.RD: 0},
    first_sm=100,
    argued="the loop around it ends where the predicate holds; on sm_90 it ends where the register is 1",
)
@effects
def cast_spin(b: Builder, i: Instruction, address: Value, expected: Words, new: Words) -> Value:
    return _succeeds(b, i, Space.SHARED, address, expected, new)


@insn(
    "ATOM",
    0x18B,
    "Pu, Rd:w, PlainAddr, Rb:w, Rc:w",
    form(1),
    E,
    choice("cas", 87, 4, "- - - CAST.SPIN"),
    EVICTION,
    CAS_TYPE,
    ORDER,
    first_sm=80,
)
@effects
def atom_cast_spin(b: Builder, i: Instruction, address: Value, expected: Words, new: Words) -> tuple[Value, Words]:
    return b.const(I1, 1), _flag(b, i, _succeeds(b, i, Space.GENERIC, address, expected, new))


# 128 bits: take turns among each other ----------------------------------------------------------------------------
EXCH_128 = choice("op", 87, 4, "- - - - - - - - EXCH")
TYPE_128 = choice("type", 73, 3, "- - - - 128")


@insn("ATOMG", 0x1A8, "Pu, Rd:w, AtomAddr, Rb:w", form(4), E, EXCH_128, EVICTION, TYPE_128, ORDER, first_sm=90)
@effects
def atomg_exch_128(b: Builder, i: Instruction, address: Value, new: Words) -> tuple[Value, Words]:
    return b.const(I1, 1), b.exchange_wide(Space.GLOBAL, address, None, new)


@insn("ATOMG", 0x1A9, "Pu, Rd:w, PlainAddr, Rb:w, Rc:w", form(1), E, CAS, EVICTION, TYPE_128, ORDER, first_sm=90)
@effects
def atomg_cas_128(b: Builder, i: Instruction, address: Value, expected: Words, new: Words) -> tuple[Value, Words]:
    return b.const(I1, 1), b.exchange_wide(Space.GLOBAL, address, expected, new)


@insn("ATOM", 0x18A, "Pu, Rd:w, AtomAddr, Rb:w", form(4), E, EXCH_128, EVICTION, TYPE_128, ORDER, first_sm=90)
@effects
def atom_exch_128(b: Builder, i: Instruction, address: Value, new: Words) -> tuple[Value, Words]:
    return b.const(I1, 1), b.exchange_wide(Space.GENERIC, address, None, new)


@insn("ATOM", 0x18B, "Pu, Rd:w, PlainAddr, Rb:w, Rc:w", form(1), E, CAS, EVICTION, TYPE_128, ORDER, first_sm=90)
@effects
def atom_cas_128(b: Builder, i: Instruction, address: Value, expected: Words, new: Words) -> tuple[Value, Words]:
    return b.const(I1, 1), b.exchange_wide(Space.GENERIC, address, expected, new)


@insn("ATOMS", 0x18C, "Rd:w, SharedStoreAddr, Rb:w", form(1), EXCH_128, TYPE_128, first_sm=90)
@effects
def atoms_exch_128(b: Builder, i: Instruction, address: Value, new: Words) -> tuple[Words]:
    return (b.exchange_wide(Space.SHARED, address, None, new),)


@insn("ATOMS", 0x18D, "Rd:w, PlainSharedAddr, Rb:w, Rc:w", form(1), CAS, TYPE_128, first_sm=90)
@effects
def atoms_cas_128(b: Builder, i: Instruction, address: Value, expected: Words, new: Words) -> tuple[Words]:
    return (b.exchange_wide(Space.SHARED, address, expected, new),)

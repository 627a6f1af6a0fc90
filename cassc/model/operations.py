"""Operations of the dialect as LLVM IR: operands, arithmetic, memory, exchanges between lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import Any, cast

from cassc import diag
from cassc.image.cubin import Cubin
from cassc.lift import external
from cassc.lift.emit import EmitLlvm
from cassc.lift.text import Ir
from cassc.model.dialect import ATOMICS, FLOAT_ATOMICS, LAUNCH, PRODUCTS, SPACES, TYPES, Line, Slots, Tree
from cassc.sass.builder import I1, I16, I32, I64, Builder, Scope, Space, Type
from cassc.sass.execute import Write
from cassc.sass.isa import tensor
from cassc.sass.operand import Pred, Reg, UReg

REDUCING = frozenset({"barrier_popc", "barrier_and", "barrier_or"})
BARRIER_OF_PART = "barrier_part"
_TYPED = frozenset({"zext", "sext", "trunc", "fconvert", "int_to_float", "float_to_int"})
_SPACE_OF = {prefix: Space(space) for space, (prefix, _) in SPACES.items()}
_CLOCKS = {"clock.lo": "clocklo", "clock.hi": "clockhi", "timer.lo": "globaltimerlo", "timer.hi": "globaltimerhi"}


class Form(Enum):
    """How vector instructions are written."""

    ASSEMBLY = "assembly"
    IR = "ir"


class Operations:
    """One group at a time.

    Attributes:
        m: where the IR goes.
        slots: of the group that is written.
        temporaries: what it has computed.
    """

    def __init__(self, m: EmitLlvm, cubin: Cubin, form: Form) -> None:
        self.m = m
        self.cubin = cubin
        self.form = form
        self.temporaries: dict[str, Ir] = {}
        self.slots = Slots()

    def open(self, slots: Slots) -> None:
        """Begin a group."""
        self.temporaries = {}
        self.slots = slots

    @contextmanager
    def within(self, condition: Ir) -> Iterator[None]:
        """What is written inside happens where the condition holds; behind it both ways meet."""
        m = self.m
        inside, behind = m.name()[1:], m.name()[1:]
        m.line(f"br {condition.typed}, label %{inside}, label %{behind}")
        m.lines.append(f"{inside}:")
        before = m.snapshot()
        yield
        m.line(f"br label %{behind}")
        m.lines.append(f"{behind}:")
        m.restore(before)

    def line(self, line: Line, condition: Ir | None) -> None:
        """``condition``: under which results are kept; None if always."""
        values = self._values(line)
        for text, kind, words in zip(line.results, line.op.results, values, strict=True):
            if kind == "p":
                self._store_predicate(text, words[0], condition)
            else:
                self._store(text, words, condition)

    def _store_predicate(self, text: str, value: Ir, condition: Ir | None) -> None:
        if text[0] == "q":
            self.temporaries[text] = value
            return
        uniform = text[0] == "U"
        self.m.write(Write(Pred(int(text[1 + uniform :]), uniform=uniform), (value,)), condition)

    def _store(self, text: str, words: Sequence[Ir], condition: Ir | None) -> None:
        if text[0] == "w":
            self.temporaries[text + "l"], self.temporaries[text + "h"] = words
        elif text[0] == "t":
            for k, word in enumerate(words):
                self.temporaries[f"t{int(text[1:]) + k}"] = word
        else:
            self.m.write(Write(register_of(text), tuple(words)), condition)

    # Operands ----------------------------------------------------------------------------------------------------
    def operand(self, text: str, kind: str) -> Ir:
        """The value that a source operand names, as its kind's type."""
        type = TYPES[kind]
        if kind == "p":
            return self._predicate(text)
        *signs, name = text.split()
        value = self._typed(self._wide(name) if type.bits == 64 else self._word(name, 0), type)
        for sign in reversed(signs):
            value = self.m.fneg(value) if sign == "neg" else self.m.fabs(value)
        return value

    def _typed(self, value: Ir, type: Type) -> Ir:
        if type.bits < 32:
            value = self.m.trunc(value, I16 if type.bits == 16 else type)
        return self.m.bitcast(value, type)

    def _predicate(self, text: str) -> Ir:
        if text in ("true", "false"):
            return self.m.const(I1, text == "true")
        if text[0] == "!":
            return self.m.not_(self._predicate(text[1:]))
        if text[0] == "q":
            return self.temporaries[text]
        uniform = text[0] == "U"
        return self.m.predicate(int(text[1 + uniform :]), uniform=uniform)

    def _wide(self, text: str) -> Ir:
        if text[0] == "I":
            return self.m.const(I64, self.slots.immediates[int(text[1:])][1])
        if text[0] == "#" or text.lstrip("-").isdigit():
            return self.m.const(I64, _number(text))
        if text[0] == "C":
            bank, offset = self.slots.constants[int(text[1:])]
            if offset % 8 == 0:
                return self.m.constant(bank, offset, 8)
        return self.m.pair(self._word(text, 0), self._word(text, 1))

    def _word(self, text: str, further: int) -> Ir:
        """One word of an operand: ``further`` places behind the first."""
        m = self.m
        if text in LAUNCH:
            return m.special(LAUNCH[text])
        if text[0] == "I":
            high = text.endswith("h")
            low, wide = self.slots.immediates[int(text[1:].rstrip("h"))]
            return m.const(I32, wide >> 32 if high or further else low)
        if text[0] == "C":
            bank, offset = self.slots.constants[int(text[1:].rstrip("h"))]
            return m.constant(bank, offset + 4 * (further + text.endswith("h")), 4)
        if text[0] == "#" or text.lstrip("-").isdigit():
            return m.const(I32, _number(text) >> 32 * further)
        if text[0] == "t":
            return self.temporaries[f"t{int(text[1:]) + further}"]
        if text[0] == "w":
            return self.temporaries[text if text[-1] in "lh" else text + "lh"[further]]
        register = register_of(text)
        return m.register(type(register)(register.index + further))

    def words(self, value: Any, kind: str) -> tuple[Ir, ...]:
        """A result as what its destination holds."""
        m = self.m
        if kind == "p":
            return (value,)
        if isinstance(value, tuple):
            return value
        if value.type.bits == 64:
            value = m.bitcast(value, I64)
            return m.lo(value), m.hi(value)
        if value.type.bits == 32:
            return (m.bitcast(value, I32),)
        return (m.zext(m.bitcast(value, I16) if value.type.bits == 16 else value, I32),)

    # Operations --------------------------------------------------------------------------------------------------
    def _values(self, line: Line) -> list[tuple[Ir, ...]]:
        op = line.op
        if op.meaning is not None:
            if self.form is Form.ASSEMBLY and op.native:
                return [self._assembly(line)]
            arguments = [self.operand(t, k if k != "n" else "w") for t, k in zip(line.sources, op.sources, strict=True)]
            if op.name.endswith("64") and op.sources[-1] == "n":
                arguments[-1] = self.m.zext(arguments[-1], I64)
            return [self.words(self._tree(op.meaning, arguments, TYPES[op.results]), op.results)]
        return self._named(line)

    def _tree(self, tree: Tree, arguments: Sequence[Ir], type: Type) -> Ir:
        if isinstance(tree, int):
            return arguments[tree]
        method, parameters, children = tree
        values = [self._tree(child, arguments, type) for child in children]
        named = dict(parameters)
        positional = [named.pop("op")] if method in ("compare", "fcompare", "mufu") else []
        if method in _TYPED:
            values.append(named.pop("type", type))
        call = cast(Callable[..., Ir], getattr(self.m, method))
        return call(*positional, *values, **named)

    def _assembly(self, line: Line) -> tuple[Ir, ...]:
        """One RDNA3 instruction; scalar values are copied to vector registers by LLVM."""
        op, m = line.op, self.m
        texts: list[str] = []
        constraints: list[str] = []
        values: list[Ir] = []
        for text, kind in zip(line.sources, op.sources, strict=True):
            *signs, name = text.split()
            value = self._wide(name) if kind in "dg" else self._word(name, 0)
            value = m.bitcast(value, I64 if kind in "dg" else I32)
            place = f"${len(values) + 1}"
            if "abs" in signs:
                place = f"|{place}|"
            texts.append(f"-{place}" if "neg" in signs else place)
            if kind == "n":
                constraints.append("n")
            else:
                constraints.append("v")
            values.append(value)
        type = I64 if op.results in "dg" else I32
        # The 64-bit multiply-adds have a carry out, which nothing reads.
        carry = "null, " if op.name.startswith("v_mad_") else ""
        template = f"{op.name} $0, {carry}{', '.join(texts)}"
        wanted = ",".join(["=v", *constraints])
        result = m.define(type, f'call {type.llvm} asm "{template}", "{wanted}"({", ".join(v.typed for v in values)})')
        return self.words(result, op.results)

    def _named(self, line: Line) -> list[tuple[Ir, ...]]:
        name, m = line.op.name, self.m
        sources = line.sources
        if name in ("v_mov_b32", "v_mov_b64", "s_mov_b1"):
            kind = line.op.sources
            return [self.words(self.operand(sources[0], kind), kind)]
        if name in ("v_bfe_u32", "v_bfe_i32"):
            return [(self._bit_field(line),)]
        if name in PRODUCTS:
            return [self._product(line)]
        if name == "call_external":
            external.call_by_table(m, self.cubin, self.operand(sources[0], "d"))
            return []
        if "_load_" in name or "_store_" in name or "_atomic_" in name:
            return self._memory(line)
        if name.startswith("const_"):
            bank, offset = self.slots.constants[int(sources[0][1:])]
            size = int(name[name.rindex("_") + 2 :]) // 8
            return [self.words(m.constant(bank, offset, size, signed="_i" in name), "w")]
        if name.startswith("fence."):
            m.fence(Scope(name[6:]))
            return []
        if name.startswith("wave_reduce."):
            return [(m.reduce(name[12:], self.operand(sources[0], "w")),)]
        if name.startswith("match_any"):
            return [(m.match_any(self.operand(sources[0], line.op.sources)),)]
        if name in _CLOCKS:
            return [(m.special(_CLOCKS[name]),)]
        if name.startswith("is_"):
            return [(m.in_space(Space(name[3:]), self.operand(sources[0], "d")),)]
        return self._warp(name, sources)

    def _warp(self, name: str, sources: Sequence[str]) -> list[tuple[Ir, ...]]:
        m = self.m
        if name == "s_barrier":
            m.wait()
        elif name == "wave_sync":
            m.warp_sync()
        elif name == "s_sleep":
            m.sleep()
        elif name == "ds_bpermute_b32":
            place, value = (self.operand(s, "w") for s in sources)
            m.effects = True
            return [(m.call(I32, "llvm.amdgcn.ds.bpermute", (place, value)),)]
        elif name == "v_readfirstlane_b32":
            return [(m.broadcast(self.operand(sources[0], "w")),)]
        elif name == "ballot":
            return [(m.ballot(self.operand(sources[0], "p")),)]
        elif name == "barrier_result":
            count, truth = m.barrier_result()
            return [(count,), (truth,)]
        elif name in REDUCING:
            m.barrier_reduce(name[8:], self.operand(sources[0], "p"), m.const(I32, 0), None)
        elif name.startswith(BARRIER_OF_PART):
            self._barrier_of_part(name.removeprefix(BARRIER_OF_PART), sources)
        else:
            raise unusable(f"the operation {name} has no meaning")
        return []

    def _barrier_of_part(self, what: str, sources: Sequence[str]) -> None:
        id, threads = (self.operand(s, "w") for s in sources[-2:])
        if what == "":
            self.m.barrier(id, threads)
        elif what == "_arrive":
            self.m.barrier_arrive(id, threads)
        else:
            self.m.barrier_reduce(what[1:], self.operand(sources[0], "p"), id, threads)

    def _product(self, line: Line) -> tuple[Ir, ...]:
        m, product = self.m, PRODUCTS[line.op.name]
        a, b, c = (
            tuple(self._word(text, k) for k in range({"w": 1, "d": 2, "q": 4}[kind]))
            for text, kind in zip(line.sources, line.op.sources, strict=True)
        )
        element = product.element
        builder = cast(Builder, m)
        factors = tensor.tf32_of(builder) if element is None else tensor.halves_of(builder, element)
        return cast(tuple[Ir, ...], tensor.product(builder, a, b, c, factors))

    def _bit_field(self, line: Line) -> Ir:
        m = self.m
        x = self.operand(line.sources[0], "w")
        offset, width = (_number(t) & 31 for t in line.sources[1:])
        left = m.shl(x, m.const(I32, max(32 - width - offset, 0)))
        shift = m.ashr if line.op.name.endswith("i32") else m.lshr
        return shift(left, m.const(I32, max(32 - width, offset)))

    # Memory ------------------------------------------------------------------------------------------------------
    def _memory(self, line: Line) -> list[tuple[Ir, ...]]:
        m = self.m
        prefix, action, what = line.op.name.split("_", 2)
        if prefix == "const":
            return [self._indexed(line, what)]
        space = _SPACE_OF[prefix]
        kind = line.op.sources[0]
        address = self.operand(line.sources[0], kind)
        address = m.add(address, self._offset(line.sources[1], address.type))
        volatile = what.endswith(".volatile")
        what, _, scope = what.partition(".")
        if what == "where_b32":
            return [m.load(space, address, 4, where=self.operand(line.sources[2], "p"))]
        if action == "load":
            size = int(what[1:]) // 8
            return [m.load(space, address, size, signed=what[0] == "i", volatile=volatile)]
        values = line.sources[2:]
        kinds = line.op.sources[2:]
        if action == "store":
            count = {"w": 1, "d": 2, "q": 4}[kinds]
            size = int(what[1:]) // 8
            if kinds == "d":
                whole = self.operand(values[0], "d")
                words: tuple[Ir, ...] = (m.lo(whole), m.hi(whole))
            else:
                words = tuple(self._word(values[0], k) for k in range(count))
            m.store(space, address, words, size, volatile=volatile)
            return []
        operands = [self.operand(t, k) for t, k in zip(values, kinds, strict=True)]
        if what.startswith("cmpswap"):
            old = m.compare_exchange(space, address, operands[0], operands[1], Scope(scope))
        else:
            old = m.atomic(space, _atomic(what, kinds), address, operands[0], Scope(scope), returns=True)
        return [self.words(old, line.op.results)]

    def _indexed(self, line: Line, what: str) -> tuple[Ir, ...]:
        m = self.m
        bank, offset = self.slots.constants[int(line.sources[0][1:])]
        place = m.add(self.operand(line.sources[1], "w"), m.const(I32, offset))
        kind = what.removeprefix("load_")
        value = m.constant(bank, place, int(kind[1:]) // 8, signed=kind[0] == "i")
        return self.words(value, "d" if kind == "b64" else "w")

    def _offset(self, text: str, type: Type) -> Ir:
        if text[0] == "I":
            narrow, wide = self.slots.immediates[int(text[1:])]
            return self.m.const(type, wide if type is I64 else narrow)
        return self.m.const(type, _number(text))


def _atomic(what: str, kinds: str) -> str:
    """The builder's name of an atomic operation."""
    for method, kind, name in FLOAT_ATOMICS:
        if name == what and kind == kinds:
            return method
    stem = what.removesuffix("64" if kinds == "d" else "32")
    return next(method for method, name in ATOMICS.items() if name == stem)


def register_of(text: str) -> Reg | UReg:
    return UReg(int(text[2:])) if text[0] == "U" else Reg(int(text[1:]))


def _number(text: str) -> int:
    return int(text[1:], 16) if text[0] == "#" else int(text)


def unusable(message: str) -> diag.CasscError:
    return diag.error("model-unusable", f"the model's answer cannot be used: {message}")

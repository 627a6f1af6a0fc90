"""The teacher: what a SASS instruction's row means, selected into lines of the dialect.

The row's meaning runs on `Expressions`; patterns of the dialect's operations are then laid over the expressions, the
largest first, and what an instruction writes is computed in an order in which nothing is overwritten that is still
needed. Instructions that the dialect cannot express raise Untaught; their kernels are left out of the training data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from cassc.diag import CasscError
from cassc.model import dialect
from cassc.model.canonical import slot_names
from cassc.model.dialect import BY_MEANING, FUSED, KIND_OF, OPS, SIGNED_KINDS, Group, Line, Op, Tree
from cassc.model.train.expression import Expressions
from cassc.model.train.node import Effect, Node, Untaught
from cassc.sass import cfg
from cassc.sass.builder import I1, I32, I64
from cassc.sass.execute import Machine, Write, execute
from cassc.sass.fields import WORD_BYTES
from cassc.sass.groups import APART, JOINING, base
from cassc.sass.operand import Address, Const, Imm, Pred, Reg, UReg
from cassc.sass.row import Instruction

MOST_LINES = 44
_SENTINEL = 0x51A7_0000
_STEP = 64
_LAST_QUAD = 251
_NOTHING = frozenset({"nop", "bssy", "break", "bmov_write", "endcollective", "branch_div"}) | APART
_COMMUTATIVE = frozenset({"add", "mul", "and_", "or_", "xor"})


def register_text(register: Reg | UReg) -> str:
    """As an operand; a number where it is the zero register."""
    return "0" if register.is_zero else f"{'UR' if isinstance(register, UReg) else 'R'}{register.index}"


def predicate_text(p: Pred) -> str:
    """As an operand: ``!UP3``, ``true``."""
    if p.index == 7:
        return "false" if p.negated else "true"
    return f"{'!' if p.negated else ''}{'UP' if p.uniform else 'P'}{p.index}"


def teach(i: Instruction, at: dict[int, Instruction], entries: Sequence[int]) -> Group:
    """The group of one instruction. ``at``: the function's instructions by address; ``entries``: of its subroutines.

    Raises Untaught.
    """
    if i.guard.index == 7 and i.guard.negated:
        return Group("", ())
    guard = "" if i.guard.is_true else predicate_text(i.guard)
    lines = _control(i, entries) if i.row.control else _computed(i, at)
    if len(lines) > MOST_LINES:
        raise Untaught(f"{len(lines)} lines")
    return Group(guard if lines else "", tuple(lines))


def _control(i: Instruction, entries: Sequence[int]) -> list[Line]:
    kind = i.row.control
    conditions = [predicate_text(o) for o in i.operands if isinstance(o, Pred) and not o.is_true]
    if kind in _NOTHING:
        return []
    if kind in ("bsync", "warpsync"):
        return [Line(OPS["wave_sync"], (), ())]
    if kind == "bmov_read":
        return _zeros("v_mov_b32", i)
    if kind == "branch":
        if conditions:
            return [Line(OPS["s_cbranch"], (), (conditions[0], "L0"))]
        return [Line(OPS["s_branch"], (), ("L0",))]
    if kind == "branch_conv":
        return [Line(OPS["s_branch"], (), ("L0",))]
    if kind == "exit":
        if conditions:
            return [Line(OPS["s_cendpgm"], (), (conditions[0],))]
        return [Line(OPS["s_endpgm"], (), ())]
    if kind == "trap":
        return [Line(OPS["s_trap"], (), ())]
    if kind == "brx" and not conditions:
        register = next(o for o in i.operands if isinstance(o, Reg | UReg))
        return [Line(OPS["s_switch"], (), (register_text(register),))]
    if kind == "lepc":
        # No translation returns to it: calls are expanded where they stand, and the runtime's functions are calls.
        return _zeros("v_mov_b64", i)
    if kind == "call_abs" and not conditions:
        pointers = [o for o in i.operands if isinstance(o, Reg)]
        if pointers:
            return [Line(OPS["call_external"], (), (register_text(pointers[0]),))]
    if kind == "ret" and not conditions:
        return [Line(OPS["s_return"], (), ())]
    if kind == "call_rel" and not conditions and not cfg.is_indirect(i):
        return [Line(OPS["s_call" if cfg.target_of(i) in entries else "s_branch"], (), ("L0",))]
    raise Untaught(f"control transfer of kind {kind}")


def _zeros(name: str, i: Instruction) -> list[Line]:
    target = i.operands[0]
    return [] if isinstance(target, Reg | UReg) and target.is_zero else [Line(OPS[name], (str(target),), ("0",))]


def _computed(i: Instruction, at: dict[int, Instruction]) -> list[Line]:
    before = at.get(i.address - WORD_BYTES)
    if base(i) in JOINING and before is not None and before.row.control in APART:
        raise Untaught("an exchange of the lanes of one mask")
    prepared, slots, banks = _with_slots(i)
    m = Expressions(slots, banks)
    try:
        writes = _matrix_product(m, i) or execute(cast(Machine, m), prepared)
    except CasscError as problem:
        raise Untaught(str(problem)) from None
    return _Selector(m, writes).lines


def _matrix_product(m: Expressions, i: Instruction) -> tuple[Write, ...]:
    """Of the kinds that the dialect has; empty for others."""
    if i.row.mnemonic != "HMMA":
        return ()
    name = "mma_" + ".".join(filter(None, (i.mod("shape"), i.mod("accumulate"), i.mod("type"))))
    product = dialect.PRODUCTS.get(name)
    if product is None or any(getattr(operand, "negated", False) for operand in i.operands):
        return ()
    nodes: list[Node] = []
    for operand, kind in zip(i.operands[1:4], (product.a, product.b, product.c), strict=True):
        assert isinstance(operand, Reg)
        count = {"w": 1, "d": 2, "q": 4}[kind]
        words = [m.register(operand if operand.is_zero else Reg(operand.index + k)) for k in range(count)]
        nodes += [m.pair(words[0], words[1])] if kind == "d" else words
    target = i.operands[0]
    assert isinstance(target, Reg)
    if target.is_zero or any(isinstance(o, Reg) and not o.is_zero and o.index > _LAST_QUAD for o in i.operands):
        return ()
    results = m.matrix_product(name, product.a + product.b + product.c, tuple(nodes), product.c)
    return (Write(target, tuple(cast(Any, results))),)


def _with_slots(i: Instruction) -> tuple[Instruction, dict[int, str], dict[tuple[int, int], str]]:
    """The instruction with sentinels where the dialect has slots, and what they stand for."""
    slots: dict[int, str] = {}
    banks: dict[tuple[int, int], str] = {}
    operands: list[Any] = list(i.operands)
    for position, name in slot_names(i).items():
        operand, sentinel = operands[position], _SENTINEL + _STEP * position
        if isinstance(operand, Imm):
            operands[position] = replace(operand, bits=sentinel)
            slots[sentinel] = name
        elif (
            isinstance(operand, Address)
            or isinstance(operand, Const)
            and operand.register is not None
            and not operand.register.is_zero
        ):
            operands[position] = replace(operand, offset=sentinel)
            slots[sentinel] = name
        elif isinstance(operand, Const):
            banks[operand.bank, operand.offset] = name
    return replace(i, operands=tuple(operands)), slots, banks


class _Selector:
    def __init__(self, m: Expressions, writes: Sequence[Write]) -> None:
        self.m = m
        self.lines: list[Line] = []
        self.where: dict[int, str] = {}
        self.uses: Counter[int] = Counter()
        self.counts = {"t": 0, "w": 0, "q": 0}
        self.writes = [(self._target(w), [cast(Node, v) for v in w.values]) for w in writes]
        for effect in m.effects:
            self._count(effect.operands)
        for _, values in self.writes:
            self._count(values)
        for effect in m.effects:
            self._effect(effect)
        self._store_results()

    def _target(self, write: Write) -> str:
        target = write.target
        if isinstance(target, Pred):
            return f"{'UP' if target.uniform else 'P'}{target.index}"
        return f"{'UR' if isinstance(target, UReg) else 'R'}{target.index}"

    def _count(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self.uses[id(node)] += 1
            if self.uses[id(node)] == 1:
                self._count(node.arguments)

    # Temporaries -------------------------------------------------------------------------------------------------
    def _fresh(self, letter: str, count: int = 1) -> str:
        first = self.counts[letter]
        self.counts[letter] += count
        limit = {"t": dialect.WORD_TEMPS, "w": dialect.WIDE_TEMPS, "q": dialect.PREDICATE_TEMPS}[letter]
        if self.counts[letter] > limit:
            raise Untaught("too many temporaries")
        return f"{letter}{first}"

    def _temporary(self, kind: str) -> str:
        return self._fresh("q" if kind == "p" else "w" if kind in dialect.WIDE_KINDS else "t")

    def _line(self, name: str, results: tuple[str, ...], sources: tuple[str, ...]) -> None:
        self.lines.append(Line(OPS[name], results, sources))

    # Operands ----------------------------------------------------------------------------------------------------
    def operand(self, node: Node, kind: str) -> str:
        """The operand's text; lines that compute it come first."""
        if kind in SIGNED_KINDS and node.known is None:
            prefix = ""
            while node.method in ("fneg", "fabs"):
                if node.method == "fneg" and "abs" not in prefix:
                    prefix += "neg "
                elif node.method == "fabs" and "abs" not in prefix:
                    prefix += "abs "
                node = node.arguments[0]
            return prefix + self.place(node)
        return self.place(node)

    def place(self, node: Node) -> str:
        while node.method in ("bitcast", "trunc") and node.type is not I1:
            node = node.arguments[0]
        found = self.where.get(id(node))
        if found is not None:
            return found
        if node.method == "const":
            text = self._number(node)
        elif node.method in ("slot", "register", "predicate", "launch"):
            text = node.text
        elif node.method in ("lo", "hi") and node.arguments[0].method != "slot":
            whole = self.place(node.arguments[0])
            text = half(whole, node.method == "hi")
        elif node.method == "pair" and (both := self._pair(node)) is not None:
            text = both
        elif node.method == "not_" and node.type is I1 and node.arguments[0].method == "predicate":
            text = "!" + node.arguments[0].text
        else:
            text = self._temporary(KIND_OF[node.type])
            self._compute(node, text)
        self.where[id(node)] = text
        return text

    def _number(self, node: Node) -> str:
        if node.type is I1:
            return "true" if node.bits else "false"
        bits = node.bits
        width = node.type.bits
        value = bits - (1 << width) if bits >> (width - 1) else bits
        if width < 32:
            return str(value) if dialect.SMALLEST_NUMBER <= value <= dialect.LARGEST_NUMBER else f"#{bits:x}"
        return str(value) if dialect.SMALLEST_NUMBER <= value <= dialect.LARGEST_NUMBER else f"#{bits:x}"

    def _pair(self, node: Node) -> str | None:
        """The register pair that the words already stand in."""
        low, high = node.arguments
        if low.method != "register" or high.method != "register":
            return None
        return low.text if high.text == following(low.text, 1) else None

    # Computation -------------------------------------------------------------------------------------------------
    def _compute(self, node: Node, target: str) -> None:
        """Lines that bring the node's value to ``target``."""
        if self._bit_field(node, target):
            return
        for op in FUSED:
            if KIND_OF[node.type] != op.results:
                continue
            bound: dict[int, Node] = {}
            if self._matches(op.meaning, node, bound, top=True) and self._fits(op, bound):
                self._emit(op, [bound[k] for k in range(len(op.sources))], target)
                return
        if node.method == "neg":
            self._emit(OPS[BY_MEANING["sub", (), KIND_OF[node.type], KIND_OF[node.type] * 2]],
                       [self.m.const(node.type, 0), node.arguments[0]], target)  # fmt: skip
            return
        if node.method.startswith("const_"):
            self._line(node.method, (target,), (node.arguments[0].text,))
            return
        self._emit(OPS[self._name(node)], list(node.arguments), target)

    def _name(self, node: Node) -> str:
        result = KIND_OF[node.type]
        kinds = "".join(KIND_OF[a.type] for a in node.arguments)
        if node.method in ("shl", "lshr", "ashr"):
            number = node.arguments[1]
            if number.known is not None and result in "wd":
                return BY_MEANING[node.method, (), result, result + "n"]
        name = BY_MEANING.get((node.method, node.parameters, result, kinds))
        if name is None:
            raise Untaught(f"no operation for {node.method} {node.parameters} {result}={kinds}")
        return name

    def _emit(self, op: Op, arguments: Sequence[Node], target: str) -> None:
        sources = tuple(self.operand(a, kind) for a, kind in zip(arguments, op.sources, strict=True))
        self.lines.append(Line(op, (target,), sources))

    def _bit_field(self, node: Node, target: str) -> bool:
        """Zero or sign extension of a narrow part of a word."""
        if node.method not in ("zext", "sext") or node.type is not I32 or node.arguments[0].method != "trunc":
            return False
        narrow = node.arguments[0]
        word = narrow.arguments[0]
        if word.method == "lshr" and word.arguments[1].known and word.type is I32 and self.uses[id(word)] == 1:
            offset = word.arguments[1].known
            if offset + narrow.type.bits <= 32:
                name = "v_bfe_u32" if node.method == "zext" else "v_bfe_i32"
                source = self.place(word.arguments[0])
                self._line(name, (target,), (source, str(offset), str(narrow.type.bits)))
                return True
        return False

    def _matches(self, tree: Tree, node: Node, bound: dict[int, Node], *, top: bool = False) -> bool:
        if isinstance(tree, int):
            if tree in bound:
                return bound[tree] is node
            bound[tree] = node
            return True
        method, parameters, arguments = tree
        if node.method != method or (not top and self.uses[id(node)] > 1) or id(node) in self.where:
            return False
        if parameters and parameters[0][0] == "type" and node.type is not parameters[0][1]:
            return False
        orders = [node.arguments]
        if method in _COMMUTATIVE:
            orders.append(node.arguments[::-1])
        for order in orders:
            trial = dict(bound)
            if all(self._matches(a, n, trial) for a, n in zip(arguments, order, strict=True)):
                bound.clear()
                bound.update(trial)
                return True
        return False

    def _fits(self, op: Op, bound: dict[int, Node]) -> bool:
        for k, kind in enumerate(op.sources):
            node = bound[k]
            if kind == "n" and (node.known is None or node.known > 31):
                return False
            if kind in dialect.TYPES and node.type is not dialect.TYPES[kind]:
                return False
        return True

    # Effects and results -----------------------------------------------------------------------------------------
    def _effect(self, effect: Effect) -> None:
        kinds = effect.kinds
        sources = []
        at = 0
        for kind in kinds:
            if kind == "q":
                sources.append(self._quad(effect.operands[at : at + 4]))
                at += 4
            else:
                sources.append(self.operand(effect.operands[at], kind))
                at += 1
        if effect.result == "wp":
            results: tuple[str, ...] = (self._fresh("t"), self._fresh("q"))
            for node, text in zip(effect.words, results, strict=True):
                self.where[id(node)] = text
        elif not effect.result:
            results = ()
        else:
            results = (self._destination(effect),)
        self._line(effect.name, results, tuple(sources))

    def _quad(self, words: Sequence[Node]) -> str:
        texts = [self.place(w) for w in words]
        if all(text == following(texts[0], k) for k, text in enumerate(texts)) and texts[0][0] in "RU":
            return texts[0]
        first = self._fresh("t", 4)
        for k, text in enumerate(texts):
            self._line("v_mov_b32", (following(first, k),), (text,))
        return first

    def _destination(self, effect: Effect) -> str:
        """The registers that the words go to if they go nowhere else and nothing needs the old values."""
        words = effect.words
        last = effect is self.m.effects[-1]
        for position, (target, values) in enumerate(self.writes):
            same = len(values) == len(words) and all(v is w for v, w in zip(values, words, strict=True))
            if same and last and all(self.uses[id(w)] == 1 for w in words):
                others = [v for n, (_, vs) in enumerate(self.writes) if n != position for v in vs]
                if not self._reads(others, self._covered(target, values)):
                    del self.writes[position]
                    return target
        if effect.result == "q":
            first = self._fresh("t", 4)
            for k, word in enumerate(words):
                self.where[id(word)] = following(first, k)
            return first
        if effect.result in dialect.WIDE_KINDS:
            whole = self._fresh("w")
            self.where[id(words[0])], self.where[id(words[1])] = whole + "l", whole + "h"
            pair = self.m.pair(words[0], words[1])
            self.where[id(pair)] = whole
            return whole
        text = self._fresh("q" if effect.result == "p" else "t")
        self.where[id(words[0])] = text
        return text

    def _covered(self, target: str, values: Sequence[Node]) -> set[str]:
        return {following(target, k) for k in range(len(values))}

    def _reads(self, nodes: Sequence[Node], names: set[str]) -> bool:
        """Whether computing the nodes, as far as they are not computed, reads one of the registers."""
        work, seen = list(nodes), set()
        while work:
            node = work.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if id(node) in self.where:
                text = self.where[id(node)]
                if text.lstrip("!") in names or (node.type is I64 and following(text, 1) in names):
                    return True
                continue
            if node.text in names:
                return True
            work += node.arguments
        return False

    def _store_results(self) -> None:
        """A result goes to its register at once if what is still to be computed does not read the old value."""
        moves: list[tuple[str, str, str]] = []
        pending = list(self.writes)
        while pending:
            target, values = pending.pop(0)
            blocked = self._reads([v for _, vs in pending for v in vs], self._covered(target, values))
            self._write(target, values, moves, blocked)
        for name, target, source in moves:
            self._line(name, (target,), (source,))

    def _write(self, target: str, values: list[Node], moves: list[tuple[str, str, str]], blocked: bool) -> None:
        if len(values) == 2:
            whole = self.m.pair(values[0], values[1])
            if id(whole) not in self.where and whole.method not in ("pair", "zext"):
                if whole.method in ("slot", "const"):
                    moves.append(("v_mov_b64", target, self.place(whole)))
                    return
                if not blocked:
                    while whole.method == "bitcast":
                        whole = whole.arguments[0]
                    if id(whole) not in self.where:
                        self._compute(whole, target)
                        self.where[id(whole)] = target
                        return
        covered = self._covered(target, values)
        for k, value in enumerate(values):
            own = following(target, k)
            rest = values[k + 1 :]
            free = not blocked and not self._reads(rest, {own})
            inner = value
            while inner.method in ("bitcast", "trunc") and inner.type is not I1:
                inner = inner.arguments[0]
            kind = KIND_OF[inner.type]
            direct = id(inner) not in self.where and inner.method not in (
                "const", "slot", "register", "predicate", "launch", "lo", "hi", "pair", "word",
            ) and kind != "d"  # fmt: skip
            if inner.method == "not_" and inner.type is I1 and inner.arguments[0].method == "predicate":
                direct = False
            if free and direct:
                self._compute(inner, own)
                self.where[id(inner)] = own
                continue
            text = self.place(value)
            if text == own:
                continue
            name = "s_mov_b1" if value.type is I1 else "v_mov_b32"
            if free:
                self._line(name, (own,), (text,))
            elif text.lstrip("!") in covered or text[0] in "RUP!":
                moved = self._fresh("q" if value.type is I1 else "t")
                self._line(name, (moved,), (text,))
                moves.append((name, own, moved))
            else:
                moves.append((name, own, text))


def following(text: str, count: int) -> str:
    """The register ``count`` places behind."""
    head = text.rstrip("0123456789")
    return f"{head}{int(text[len(head) :]) + count}" if text[len(head) :].isdigit() else f"{text}+{count}"


def half(whole: str, high: bool) -> str:
    """A word of a 64-bit operand."""
    if whole[0] == "w":
        return whole + ("h" if high else "l")
    if whole[0] in "IC":
        return whole + ("h" if high else "")
    if whole[0] in "RU":
        return following(whole, 1) if high else whole
    raise Untaught(f"half of {whole}")

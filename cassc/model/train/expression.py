"""Meanings of SASS rows as expressions: a builder that keeps values as trees, and effects in their order."""

from __future__ import annotations

from cassc.model.dialect import ATOMICS, FLOAT_ATOMICS, KIND_OF, LAUNCH, SPACES
from cassc.model.train.arithmetic import Arithmetic
from cassc.model.train.node import Effect, Node, Untaught, split_offset
from cassc.sass.builder import I1, I32, I64, Scope, Space

_CLOCKS = {"clocklo": "clock.lo", "clockhi": "clock.hi", "globaltimerlo": "timer.lo", "globaltimerhi": "timer.hi"}


class Expressions(Arithmetic):
    """Of one instruction."""

    def special(self, name: str) -> Node:
        if name in _CLOCKS:
            return self._effect(_CLOCKS[name], (), "", "w")[0]
        text = next((token for token, special in LAUNCH.items() if special == name), None)
        if text is None:
            raise Untaught(f"special register {name}")
        return self._leaf("launch", I32, text)

    def constant(self, bank: int, offset: Node | int, size: int, *, signed: bool = False) -> Node:
        if isinstance(offset, Node) and offset.known is not None:
            offset = offset.known
        if isinstance(offset, Node):
            return self._indexed(bank, offset, size, signed)
        text = self.banks.get((bank, offset))
        if text is not None:
            if size == 8:
                return self._leaf("slot", I64, text)
            if size == 4:
                return self._leaf("slot", I32, text)
            return self.node(f"const_{'i' if signed else 'u'}{8 * size}", I32, self._leaf("slot", I32, text))
        first = self.banks.get((bank, offset - 4))
        if first is None or size != 4:
            raise Untaught("a constant that is no operand")
        return self._leaf("slot", I32, first + "h")

    def _indexed(self, bank: int, offset: Node, size: int, signed: bool) -> Node:
        base, displacement = split_offset(offset)
        if displacement is None or displacement.method != "slot":
            raise Untaught("an indexed constant without a slot")
        name = f"const_load_{('i' if signed else 'u') if size < 4 else 'b'}{8 * size}"
        words = self._effect(name, (displacement, base), "cw", "d" if size == 8 else "w")
        return self.pair(*words) if size == 8 else words[0]

    # Effects -----------------------------------------------------------------------------------------------------
    def _effect(self, name: str, operands: tuple[Node, ...], kinds: str, result: str) -> list[Node]:
        """``result``: kinds of what comes out; a ``d`` or ``q`` comes as its words."""
        effect = Effect(name, operands, kinds, result=result)
        count = {"": 0, "w": 1, "f": 1, "d": 2, "g": 2, "q": 4}.get(result)
        if count is None:
            effect.words = [Node("truth" if kind == "p" else "word", I1 if kind == "p" else I32) for kind in result]
        else:
            effect.words = [Node("word", I32) for _ in range(count)]
        self.effects.append(effect)
        return effect.words

    def _place(self, space: Space, address: Node) -> tuple[str, tuple[Node, Node], str]:
        prefix, kind = SPACES[space.value]
        base, offset = split_offset(address)
        return prefix, (base, offset if offset is not None else self.const(address.type, 0)), kind + "o"

    def load(
        self, space: Space, address: Node, size: int, *, signed: bool = False, volatile: bool = False,
        where: Node | None = None,
    ) -> tuple[Node, ...]:  # fmt: skip
        prefix, place, kinds = self._place(space, address)
        if where is not None:
            if size != 4 or prefix != "global" or volatile:
                raise Untaught("such loads of some lanes")
            return tuple(self._effect("global_load_where_b32", (*place, where), kinds + "p", "w"))
        kind = ("i" if signed else "u") if size < 4 else "b"
        name = f"{prefix}_load_{kind}{8 * size}{'.volatile' if volatile else ''}"
        return tuple(self._effect(name, place, kinds, {8: "d", 16: "q"}.get(size, "w")))

    def store(
        self, space: Space, address: Node, words: tuple[Node, ...], size: int, *, volatile: bool = False
    ) -> None:  # fmt: skip
        prefix, place, kinds = self._place(space, address)
        name = f"{prefix}_store_b{8 * size}{'.volatile' if volatile else ''}"
        if size == 16:
            self._effect(name, (*place, *words), kinds + "q", "")
            return
        value = self.pair(words[0], words[1]) if size == 8 else words[0]
        self._effect(name, (*place, value), kinds + ("d" if size == 8 else "w"), "")

    def atomic(self, space: Space, op: str, address: Node, x: Node, scope: Scope, *, returns: bool) -> Node:
        prefix, place, kinds = self._place(space, address)
        kind = KIND_OF[x.type]
        spelled = next((name for m, k, name in FLOAT_ATOMICS if m == op and k == kind), None)
        if spelled is None:
            spelled = f"{ATOMICS[op]}{x.type.bits}"
        words = self._effect(f"{prefix}_atomic_{spelled}.{scope.value}", (*place, x), kinds + kind, kind)
        whole = words[0] if len(words) == 1 else self.pair(words[0], words[1])
        return self.bitcast(whole, x.type)

    def compare_exchange(self, space: Space, address: Node, expected: Node, x: Node, scope: Scope) -> Node:
        prefix, place, kinds = self._place(space, address)
        kind = KIND_OF[x.type]
        name = f"{prefix}_atomic_cmpswap_b{x.type.bits}.{scope.value}"
        words = self._effect(name, (*place, expected, x), kinds + kind * 2, kind)
        return words[0] if len(words) == 1 else self.pair(words[0], words[1])

    def in_space(self, space: Space, address: Node) -> Node:
        return self._effect(f"is_{space.value}", (address,), "d", "p")[0]

    def fence(self, scope: Scope) -> None:
        self._effect(f"fence.{scope.value}", (), "", "")

    def ballot(self, x: Node) -> Node:
        return self._effect("ballot", (x,), "p", "w")[0]

    def shuffle(self, x: Node, lane: Node) -> Node:
        place = self.shl(lane, self.const(I32, 2))
        return self._effect("ds_bpermute_b32", (place, x), "ww", "w")[0]

    def broadcast(self, x: Node) -> Node:
        return self._effect("v_readfirstlane_b32", (x,), "w", "w")[0]

    def reduce(self, op: str, x: Node) -> Node:
        return self._effect(f"wave_reduce.{op}", (x,), "w", "w")[0]

    def match_any(self, x: Node) -> Node:
        wide = x.type is I64
        return self._effect(f"match_any_b{64 if wide else 32}", (x,), "d" if wide else "w", "w")[0]

    def barrier(self, id: Node, threads: Node | None) -> None:
        if threads is None:
            self._effect("s_barrier", (), "", "")
        else:
            self._effect("barrier_part", (id, threads), "ww", "")

    def barrier_arrive(self, id: Node, threads: Node) -> None:
        self._effect("barrier_part_arrive", (id, threads), "ww", "")

    def barrier_reduce(self, op: str, x: Node, id: Node, threads: Node | None) -> None:
        if threads is None:
            self._effect(f"barrier_{op}", (x,), "p", "")
        else:
            self._effect(f"barrier_part_{op}", (x, id, threads), "pww", "")

    def matrix_product(self, name: str, kinds: str, words: tuple[Node, ...], result: str) -> list[Node]:
        """``words``: of A, B and C; those of a ``d`` as one node."""
        return self._effect(name, words, kinds, result)

    def barrier_result(self) -> tuple[Node, Node]:
        count, truth = self._effect("barrier_result", (), "", "wp")
        return count, truth

    def warp_sync(self) -> None:
        self._effect("wave_sync", (), "", "")

    def trap(self) -> None:
        raise Untaught("a trap inside a meaning")

    def sleep(self) -> None:
        self._effect("s_sleep", (), "", "")

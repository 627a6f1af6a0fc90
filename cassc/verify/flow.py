"""Where values come from: which parameters and which memory reach an address, a float operand or a loop's condition.

A forward analysis over the control flow graph. A value is described by the set of its origins: words of the parameter
block, and what was loaded through a pointer parameter. An origin is *plain* while it was only moved and added to,
*scaled* after anything else; a pointer reaches its address plain, an index mostly scaled. Sets only make generated
launches more useful, so that imprecision (all of shared memory is one place) costs no soundness.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from cassc.sass import cfg
from cassc.sass.disasm import SassFunction
from cassc.sass.execute import words_of
from cassc.sass.operand import Address, Const, Imm, Operand, Pred, Reg, UReg
from cassc.sass.row import Instruction
from cassc.sass.syntax import Token

Key = tuple[str, int]
State = dict[Key, int]
"""Register or place -> origins, as bits: two for each origin, plain and scaled."""

_MOST_STEPS = 60_000
_SHARED, _LOCAL = ("shared", 0), ("local", 0)
_GLOBAL_ADDRESSES = ("LoadAddr", "StoreAddr", "ReduceAddr", "AtomAddr", "PlainAddr", "CopyAddr")
_STORES = ("ST", "STG", "RED", "REDG", "ATOM", "ATOMG")
_KEEPING = frozenset("MOV UMOV IADD3 UIADD3 IADD VIADD SEL USEL R2UR SHFL S2R LDC ULDC PRMT UPRMT MOV32I".split())
_INTEGER = frozenset("IMAD UIMAD IMAD.WIDE UIMAD.WIDE IMAD.HI LEA ULEA LEA.HI ULEA.HI I2F I2FP ISETP UISETP".split())
_CONVERSIONS = ("F2I", "I2F", "F2F", "FRND")
_ACCESS_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "S64": 8}


class Kind(Enum):
    """What elements of memory or scalars are used as."""

    FLOAT16 = "float16"
    FLOAT32 = "float32"
    FLOAT64 = "float64"


_TYPES = {"f32": Kind.FLOAT32, "f64": Kind.FLOAT64, "h2": Kind.FLOAT16, "m2": Kind.FLOAT16}


@dataclass(slots=True)
class Facts:
    """What is known of one origin: a word of the parameter block, or memory.

    Attributes:
        kinds: float types of the operands it reaches.
        float_uses, integer_uses: byte offsets of instructions that take it for a float, or for a factor or an index.
        sizes: bytes of the accesses (memory only).
        indexes: it reaches an address that another pointer is the base of.
        points: it is the base of an address itself.
        bounds: it reaches the condition of a loop.
        written: it is stored to (memory only).
    """

    kinds: set[Kind] = field(default_factory=set)
    float_uses: set[int] = field(default_factory=set)
    integer_uses: set[int] = field(default_factory=set)
    sizes: set[int] = field(default_factory=set)
    indexes: bool = False
    points: bool = False
    bounds: bool = False
    written: bool = False

    @property
    def kind(self) -> Kind | None:
        """The widest float type, if it is used as a float rather than as an integer."""
        if len(self.float_uses) < len(self.integer_uses):
            return None
        found = [k for k in (Kind.FLOAT64, Kind.FLOAT32, Kind.FLOAT16) if k in self.kinds]
        if len(found) > 1 and found[0] is Kind.FLOAT64 and self.sizes and not self.sizes & {8, 16}:
            return found[1]
        return found[0] if found else None


def atomic_kind(i: Instruction) -> Kind | None:
    """The float type that an atomic instruction computes with."""
    if not i.row.mnemonic.startswith(("ATOM", "RED")):
        return None
    type = i.mod("type")
    return next(
        (k for name, k in (("F32", Kind.FLOAT32), ("F64", Kind.FLOAT64), ("F16", Kind.FLOAT16)) if name in type), None
    )


@dataclass(frozen=True, slots=True)
class Flow:
    """
    Attributes:
        words: byte offset in the parameter block (a multiple of 4) -> facts.
        memory: byte offset of a pointer in the parameter block -> facts of what it points to.
        compared: immediates of comparisons, as 32-bit patterns.
        complete: the analysis came to its end.
    """

    words: dict[int, Facts]
    memory: dict[int, Facts]
    compared: tuple[int, ...]
    complete: bool


def analyse(function: SassFunction) -> Flow:
    return _Analysis(function).run()


class _Analysis:
    def __init__(self, function: SassFunction) -> None:
        self.function = function
        self.base = function.abi.param_base
        self.words = -(-function.abi.param_size // 4)
        self.graph = cfg.build(function)
        self.live = _live_registers(self.graph)
        self.facts: dict[int, Facts] = {}
        self.compared: set[int] = set()
        # Origins: a parameter word w is number w, memory behind the pointer at word w is number words + w.
        self.plain = sum(1 << 2 * k for k in range(2 * self.words))

    def run(self) -> Flow:
        entry: dict[int, State] = {0: {}}
        work = [0]
        steps = 0
        while work and steps < _MOST_STEPS:
            block = self.graph.blocks.get(work.pop())
            if block is None:
                continue
            state = dict(entry[block.start])
            for instruction in block.instructions:
                self._step(state, instruction)
            steps += len(block.instructions)
            for _, target in block.successors:
                if self._join(entry, target, state):
                    work.append(target)
        memory = {4 * (k - self.words): f for k, f in self.facts.items() if k >= self.words}
        words = {4 * k: f for k, f in self.facts.items() if k < self.words}
        return Flow(words, memory, tuple(sorted(self.compared)), not work)

    def _join(self, entry: dict[int, State], target: int, state: State) -> bool:
        """Registers that nobody reads any more are left behind; they would mix with later values of the register."""
        live = self.live.get(target, 0)
        known = entry.get(target)
        changed = known is None
        known = entry.setdefault(target, {})
        for key, origins in state.items():
            if key not in (_SHARED, _LOCAL) and not live >> _position(key) & 1:
                continue
            merged = known.get(key, 0) | origins
            if merged != known.get(key, 0):
                known[key] = merged
                changed = True
        return changed

    def _scaled(self, origins: int) -> int:
        return (origins | origins << 1) & (self.plain << 1)

    def _of(self, origin: int) -> Facts:
        return self.facts.setdefault(origin, Facts())

    def _numbers(self, origins: int) -> Iterator[int]:
        """The origins of a set, plain or scaled."""
        either = (origins | origins >> 1) & self.plain
        while either:
            low = either & -either
            yield (low.bit_length() - 1) // 2
            either ^= low

    # Reading -----------------------------------------------------------------------------------------------------
    def _word(self, state: State, operand: Operand, k: int = 0) -> int:
        """Origins of the k-th 32-bit word of an operand."""
        if isinstance(operand, Reg | UReg):
            if operand.is_zero:
                return 0
            return state.get(("u" if isinstance(operand, UReg) else "r", operand.index + k), 0)
        if isinstance(operand, Pred):
            return state.get(("up" if operand.uniform else "p", operand.index), 0)
        if isinstance(operand, Const) and isinstance(operand.register, Reg | UReg) and not operand.register.is_zero:
            for number in self._numbers(self._word(state, operand.register)):
                self._of(number).indexes = True
        elif isinstance(operand, Const) and operand.bank == 0:
            number = (operand.offset - self.base) // 4 + k
            return 1 << 2 * number if 0 <= number < self.words else 0
        return 0

    def _whole(self, state: State, token: Token, operand: Operand, i: Instruction) -> int:
        origins = 0
        for k in range(words_of(token, i)):
            origins |= self._word(state, operand, k)
        return origins

    def _step(self, state: State, i: Instruction) -> None:
        name = i.row.mnemonic
        sources = [(t, o) for t, o in zip(i.row.tokens, i.operands, strict=True) if not t.dest]
        lows = highs = value = conditions = 0
        for position, (token, operand) in enumerate(sources):
            if isinstance(operand, Address):
                loaded = self._address(state, token, operand, i)
                lows |= loaded
                highs |= loaded
                continue
            if isinstance(operand, Imm) and "SET" in name:
                self.compared.add(operand.bits & 0xFFFFFFFF)
            if token.type in _TYPES:
                self._typed(self._whole(state, token, operand, i), _TYPES[token.type], i)
            elif (kind := atomic_kind(i)) is not None:
                self._typed(self._whole(state, token, operand, i), kind, i)
            elif name.startswith(("HADD2", "HMUL2", "HFMA2", "HSETP2", "HMNMX2")):
                self._typed(self._whole(state, token, operand, i), Kind.FLOAT16, i)
            elif name in _INTEGER and not self._is_addend(i, position):
                for number in self._numbers(self._whole(state, token, operand, i) & self.plain):
                    self._of(number).integer_uses.add(i.address)
            if isinstance(operand, Pred):
                conditions |= self._scaled(self._word(state, operand))
                continue
            keeps = name in _KEEPING or self._is_addend(i, position)
            pair = words_of(token, i) == 2 or name in ("LDC", "ULDC") and i.mod("size") == "64"
            low = self._word(state, operand, 0)
            rest = low | self._word(state, operand, 1) if pair else self._whole(state, token, operand, i)
            value |= rest
            if keeps and pair:
                lows |= low
                highs |= self._word(state, operand, 1)
            elif keeps:
                lows |= rest
                highs |= rest
            else:
                lows |= self._scaled(rest)
                highs |= self._scaled(rest)
        if name.startswith(("STS", "ATOMS")):
            state[_SHARED] = state.get(_SHARED, 0) | value
        elif name.startswith("STL"):
            state[_LOCAL] = state.get(_LOCAL, 0) | value
        elif i.row.control in cfg.ENDS:
            self._loop(state, i)
        if name.startswith(_CONVERSIONS):
            lows = highs = 0
        self._write(state, i, lows, highs, conditions)

    def _is_addend(self, i: Instruction, position: int) -> bool:
        """Whether a source enters the result by addition only."""
        name = i.row.mnemonic
        if name.startswith(("IMAD", "UIMAD")):
            zero = any(getattr(o, "is_zero", False) for o in i.operands[1:3])
            return position == 2 or (zero and position < 2)
        return name.startswith(("LEA", "ULEA")) and position == 1

    def _typed(self, origins: int, kind: Kind, i: Instruction) -> None:
        """Of plain origins only: a converted integer is no float."""
        for number in self._numbers(origins & self.plain):
            self._of(number).kinds.add(kind)
            self._of(number).float_uses.add(i.address)

    # Memory ------------------------------------------------------------------------------------------------------
    def _address(self, state: State, token: Token, a: Address, i: Instruction) -> int:
        """Notes what the address says of its origins; gives the origins of what a load there yields."""
        low = high = 0
        for register, wide in ((a.register, a.wide or not a.unsigned), (a.uregister, a.uwide)):
            if register is not None:
                low |= self._word(state, register)
                high |= self._word(state, register, 1) if wide else 0
        if token.name not in _GLOBAL_ADDRESSES:
            for number in self._numbers(low):
                self._of(number).indexes = True
            if token.name.startswith("Local"):
                return state.get(_LOCAL, 0)
            return state.get(_SHARED, 0)
        bases = self._bases(low, high)
        size = _ACCESS_BYTES.get(i.mod("size") or i.mod("type"), 4)
        loaded = 0
        for base in bases:
            self._of(base).points = True
            if base < self.words:
                self._of(base + 1).points = True
                facts = self._of(self.words + base)
                facts.sizes.add(size)
                facts.written |= i.row.mnemonic in _STORES
                if (kind := atomic_kind(i)) is not None:
                    facts.kinds.add(kind)
                    facts.float_uses.add(i.address)
                loaded |= 1 << 2 * (self.words + base)
            else:
                loaded |= 1 << 2 * base
        others = set(self._numbers(low)) - bases - {b + 1 for b in bases}
        for number in others:
            self._of(number).indexes = True
        return loaded

    def _bases(self, low: int, high: int) -> set[int]:
        """Pointers that an address is made of: parameters first, pointers in memory where there is none."""
        plain_low, plain_high = low & self.plain, high & self.plain
        found = set()
        for number in self._numbers(plain_low):
            if number < self.words and number % 2 == 0 and plain_high >> 2 * (number + 1) & 1:
                found.add(number)
        if found:
            return found
        return {n for n in self._numbers(plain_low & plain_high) if n >= self.words}

    # Control and results -----------------------------------------------------------------------------------------
    def _loop(self, state: State, i: Instruction) -> None:
        target = cfg.target_of(i)
        if target is None or target > i.address:
            return
        for p in (i.guard, *(o for o in i.operands if isinstance(o, Pred))):
            for number in self._numbers(self._word(state, p)):
                self._of(number).bounds = True

    def _write(self, state: State, i: Instruction, lows: int, highs: int, conditions: int) -> None:
        """Values do not depend on the predicates that chose them; predicates do."""
        for token, operand in zip(i.row.tokens, i.operands, strict=True):
            if not token.dest:
                continue
            if isinstance(operand, Pred):
                keys = [("up" if operand.uniform else "p", operand.index)] if operand.index != 7 else []
                values = [lows | highs | conditions]
            elif isinstance(operand, Reg | UReg) and not operand.is_zero:
                file = "u" if isinstance(operand, UReg) else "r"
                keys = [(file, operand.index + k) for k in range(words_of(token, i))]
                values = [lows if k == 0 else highs for k in range(len(keys))]
            else:
                continue
            for key, origins in zip(keys, values, strict=False):
                state[key] = origins if i.guard.is_true else origins | state.get(key, 0)


# Liveness ------------------------------------------------------------------------------------------------------------
_FILES = {"r": 0, "u": 256, "p": 320, "up": 328}


def _position(key: Key) -> int:
    """Of a register in a set of registers kept as bits."""
    return _FILES[key[0]] + key[1]


def _registers(operand: Operand, words: int) -> int:
    """Registers that an operand reads or writes, as bits."""
    if isinstance(operand, Pred):
        return 1 << _position(("up" if operand.uniform else "p", operand.index)) if operand.index != 7 else 0
    if isinstance(operand, Reg | UReg):
        if operand.is_zero:
            return 0
        first = _position(("u" if isinstance(operand, UReg) else "r", operand.index))
        return ((1 << words) - 1) << first
    if isinstance(operand, Address):
        bits = 0
        for register in (operand.register, operand.uregister):
            bits |= _registers(register, 2) if register is not None else 0
        return bits
    if isinstance(operand, Const) and operand.register is not None:
        return _registers(operand.register, 1)
    return 0


def _live_registers(graph: cfg.Cfg) -> dict[int, int]:
    """Block -> registers whose values at its start may be read, as bits."""
    reads: dict[int, int] = {}
    writes: dict[int, int] = {}
    for start, block in graph.blocks.items():
        read = written = 0
        for i in block.instructions:
            here = _registers(i.guard, 1)
            target = 0
            for token, operand in zip(i.row.tokens, i.operands, strict=True):
                bits = _registers(operand, words_of(token, i))
                if token.dest:
                    target |= bits
                else:
                    here |= bits
            read |= here & ~written
            written |= target if i.guard.is_true else 0
        reads[start], writes[start] = read, written
    live = dict(reads)
    changed = True
    while changed:
        changed = False
        for start, block in reversed(list(graph.blocks.items())):
            behind = 0
            for _, target in block.successors:
                behind |= live.get(target, 0)
            now = reads[start] | behind & ~writes[start]
            if now != live[start]:
                live[start] = now
                changed = True
    return live

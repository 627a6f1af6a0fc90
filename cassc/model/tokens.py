"""The vocabulary that both sides share, and the grammar that every answer keeps.

The grammar is a table: which tokens may stand in the place of each kind of operand. What depends on the group, which
temporaries have been written and which slots the SASS instruction has, is looked up. So whatever the network prefers,
what comes out is a group that the finishing pass can use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cassc.model.dialect import (
    LARGEST_NUMBER,
    LAUNCH,
    OPS,
    PREDICATE_TEMPS,
    SIGNED_KINDS,
    SLOTS,
    SMALLEST_NUMBER,
    WIDE_KINDS,
    WIDE_TEMPS,
    WORD_TEMPS,
    Op,
    Slots,
)

PAD, START, END, UNKNOWN = "<pad>", "<s>", "<n>", "<unk>"
SPECIAL = (PAD, START, END, UNKNOWN)
MOST_TOKENS = 144
"""Of a group, its end mark included."""

Mask = NDArray[np.bool_]


def fixed_tokens() -> list[str]:
    """Tokens of every vocabulary: registers, temporaries, numbers, slots, launch state."""
    predicates = [f"{u}P{k}" for u in ("", "U") for k in range(7)]
    listed = [*SPECIAL, "L:", "neg", "abs", "true", "false"]
    listed += [f"R{k}" for k in range(255)] + [f"UR{k}" for k in range(63)]
    listed += [f"{sign}{p}" for sign in ("", "!", "@", "@!") for p in predicates]
    listed += [f"t{k}" for k in range(WORD_TEMPS)] + [f"q{k}" for k in range(PREDICATE_TEMPS)]
    listed += [f"w{k}{part}" for k in range(WIDE_TEMPS) for part in ("", "l", "h")]
    listed += [str(k) for k in range(SMALLEST_NUMBER, LARGEST_NUMBER + 1)]
    listed += [f"{letter}{k}{part}" for letter in "IC" for k in range(SLOTS) for part in ("", "h")]
    listed += [f"L{k}" for k in range(SLOTS)] + list(LAUNCH)
    return listed


class Vocabulary:
    """Tokens by number."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = tuple(tokens)
        self.index = {token: number for number, token in enumerate(tokens)}
        if len(self.index) != len(self.tokens):
            raise ValueError("a token is listed twice")
        self.pad, self.start, self.end, self.unknown = (self.index[t] for t in SPECIAL)

    @classmethod
    def of(cls, others: Iterable[str]) -> Vocabulary:
        fixed = fixed_tokens()
        return cls([*fixed, *sorted(set(others) - set(fixed))])

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Iterable[str]) -> list[int]:
        return [self.index.get(token, self.unknown) for token in tokens]

    def decode(self, numbers: Iterable[int]) -> list[str]:
        return [self.tokens[number] for number in numbers]


@dataclass(slots=True)
class State:
    """How far a group has come.

    ``expected``: kinds still to come, destinations in upper case; empty between lines. ``closed``: the last line ended
    the group. ``sign``: what stands in front of the source that comes.
    """

    slots: Slots
    expected: str = ""
    op: Op | None = None
    started: bool = False
    closed: bool = False
    length: int = 0
    written: set[str] = field(default_factory=set)
    targets: list[str] = field(default_factory=list)
    sign: str = ""
    done: bool = False


class Grammar:
    """Masks over the vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        tokens = vocabulary.tokens
        self.operations = self._mask(t for t in tokens if t in OPS)
        self.labelled = self._mask(t for t in tokens if t in OPS and "l" in OPS[t].sources)
        self.constant = self._mask(t for t in tokens if t in OPS and "c" in OPS[t].sources)
        self.switching = self._mask(t for t in tokens if t == "s_switch")
        self.guards = self._mask(t for t in tokens if t[0] == "@" and len(t) > 2)
        self.end = self._mask([END])
        sources = {kind: [t for t in tokens if _may_be(t, kind)] for kind in "wfhesbdgqpnocl"}
        self.kinds = {kind: self._mask(t for t in found if not _depends(t)) for kind, found in sources.items()}
        self.local = {
            kind: {t: vocabulary.index[t] for t in found if _depends(t)} for kind, found in sources.items()
        }  # fmt: skip
        self.targets = {kind: self._mask(t for t in tokens if _may_hold(t, kind)) for kind in "wfhesbdgqp"}
        self.signs = self._mask(["neg", "abs"])

    def _mask(self, tokens: Iterable[str]) -> Mask:
        mask = np.zeros(len(self.vocabulary), bool)
        for token in tokens:
            mask[self.vocabulary.index[token]] = True
        return mask

    def allowed(self, state: State) -> Mask:
        """The tokens that may come next."""
        if not state.expected:
            room = MOST_TOKENS - state.length > 12
            if state.closed or not room:
                return self.end
            mask = self.operations | self.end
            if not state.slots.labels:
                mask &= ~self.labelled
            if not state.slots.constants:
                mask &= ~self.constant
            if not state.slots.table:
                mask &= ~self.switching
            return mask if state.started else mask | self.guards
        kind = state.expected[0]
        if kind.isupper():
            return self.targets[kind.lower()]
        mask = self.kinds[kind].copy()
        local = self.local[kind]
        for token in self._present(kind, state):
            number = local.get(token)
            if number is not None:
                mask[number] = True
        if kind in SIGNED_KINDS and state.sign != "abs":
            mask |= self.signs
            if state.sign == "neg":
                mask[self.vocabulary.index["neg"]] = False
        return mask

    def _present(self, kind: str, state: State) -> Iterator[str]:
        """Temporaries that have been written, and slots that the instruction has."""
        if kind == "q":
            for token in state.written:
                if token[0] == "t" and all(f"t{int(token[1:]) + k}" in state.written for k in range(4)):
                    yield token
            return
        for token in state.written:
            yield token
            if token[0] == "w":
                yield token + "l"
                yield token + "h"
        slots = state.slots
        for letter, have in (("I", slots.immediates), ("C", slots.constants), ("L", slots.labels)):
            for k in range(len(have)):
                yield f"{letter}{k}"
                yield f"{letter}{k}h"

    def advance(self, state: State, number: int) -> None:
        """Take a token that is allowed."""
        token = self.vocabulary.tokens[number]
        state.length += 1
        if not state.expected:
            state.started = True
            if token == END:
                state.done = True
            elif token[0] != "@":
                op = state.op = OPS[token]
                state.expected = op.results.upper() + op.sources
                state.targets = []
                state.closed = op.control
            return
        if token in ("neg", "abs"):
            state.sign = token
            return
        kind, state.expected, state.sign = state.expected[0], state.expected[1:], ""
        if kind.isupper():
            state.targets.append(token)
        if not state.expected and state.op is not None:
            for target, result in zip(state.targets, state.op.results, strict=True):
                if target[0] == "t":
                    state.written |= {f"t{int(target[1:]) + k}" for k in range(4 if result == "q" else 1)}
                else:
                    state.written.add(target)


def _register(token: str) -> int:
    """Number of a general register, -1 if the token is none."""
    for letter, most in (("UR", 63), ("R", 255)):
        rest = token[len(letter) :]
        if token.startswith(letter) and rest.isdigit():
            return int(rest) if int(rest) < most else -1
    return -1


def _is_number(token: str) -> bool:
    return token.lstrip("-").isdigit()


def _temporary(token: str, letter: str) -> int:
    return int(token[1:]) if token[0] == letter and token[1:].isdigit() else -1


def _may_hold(token: str, kind: str) -> bool:
    """Whether a token is a destination of a kind."""
    if kind == "p":
        name = token.lstrip("U")
        return (name[0] == "P" and name[1:].isdigit() and len(token) - len(name) < 2) or _temporary(token, "q") >= 0
    words = 4 if kind == "q" else 2 if kind in WIDE_KINDS else 1
    register = _register(token)
    if register >= 0:
        return register + words <= (63 if token[0] == "U" else 255)
    if kind in WIDE_KINDS:
        return _temporary(token, "w") >= 0
    return 0 <= _temporary(token, "t") <= WORD_TEMPS - words


def _may_be(token: str, kind: str) -> bool:
    """Whether a token is a source of a kind, where the group allows it."""
    slot = token[0] in "IC" and token[1:].rstrip("h").isdigit()
    if kind == "p":
        return (
            token in ("true", "false")
            or _may_hold(token.lstrip("!"), "p")
            and not (token[0] == "!" and token[1] == "q")
        )
    if kind == "n":
        return _is_number(token) and 0 <= int(token) < 64
    if kind == "o":
        return _is_number(token) or (token[0] == "I" and token[1:].isdigit())
    if kind == "c":
        return token[0] == "C" and token[1:].isdigit()
    if kind == "l":
        return token[0] == "L" and token[1:].isdigit()
    if kind == "q":
        return _may_hold(token, "q")
    if kind in WIDE_KINDS:
        return _may_hold(token, "d") or _is_number(token) or token[0] == "#" or (slot and token[-1] != "h")
    half = token[0] == "w" and token[-1] in "lh" and token[1:-1].isdigit()
    return _may_hold(token, "w") or _is_number(token) or token[0] == "#" or token in LAUNCH or slot or half


def _depends(token: str) -> bool:
    """Temporaries and slots: the group decides whether they may stand there."""
    return token[0] in "twqICL" and token[1:].rstrip("lh").isdigit()

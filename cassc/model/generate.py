"""Answers of the model for one kernel, the most probable first.

All groups are decoded greedily under the grammar. What the network was least sure of is known then: the decisions, each
with the cost of taking one of the next choices instead. Further answers are the next most probable combinations of such
choices; only the groups concerned are decoded again. Nothing is drawn at random.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from cassc.image.cubin import Cubin, KernelAbi
from cassc.model import canonical, weights
from cassc.model.dialect import Group, Slots, parse
from cassc.model.finish import Answer
from cassc.model.network import Array, Network
from cassc.model.tokens import MOST_TOKENS, Grammar, State, Vocabulary
from cassc.sass import cfg
from cassc.sass.disasm import SassFunction
from cassc.sass.fields import WORD_BYTES

SHIPPED = Path(__file__).with_name("weights.npz")
_FIRST_ROOM = 12
_CHOICES = 4
# Choices less likely than this are not reconsidered.
_DEAREST = 16.0
_DECISIONS = 64


@dataclass(frozen=True, slots=True)
class Decision:
    """A place where another token was possible: ``cost`` is how much less likely, as a logarithm."""

    cost: float
    group: int
    prefix: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """A kernel prepared for the model."""

    function: SassFunction
    source: canonical.Source
    abi: KernelAbi
    adjacent: tuple[bool, ...]


def prepare(function: SassFunction, cubin: Cubin) -> Task:
    graph = cfg.build(function)
    source = canonical.read(function, graph)
    addresses = source.addresses
    adjacent = (*(b == a + WORD_BYTES for a, b in zip(addresses, addresses[1:], strict=False)), False)
    abi = replace(function.abi, frame_size=cfg.stack_bytes(graph, function.abi.frame_size))
    return Task(function, source, abi, adjacent)


class Translator:
    """A network with its vocabulary."""

    def __init__(self, path: Path) -> None:
        shape, arrays, tokens = weights.read(path)
        self.vocabulary = Vocabulary(tokens)
        self.grammar = Grammar(self.vocabulary)
        self.network = Network(shape, arrays)

    def unknown(self, source: canonical.Source) -> dict[int, str]:
        """Position of instructions with tokens that the model has never read -> one of these."""
        known = self.vocabulary.index
        found = {}
        for position, tokens in enumerate(source.tokens):
            strange = [t for t in tokens if t not in known]
            if strange:
                found[position] = strange[0]
        return found

    def answers(self, task: Task) -> Iterator[Answer]:
        """Distinct answers, the most probable first."""
        rows = [self.vocabulary.encode(tokens) for tokens in task.source.tokens]
        states = self.network.encode(rows)
        everything = range(len(rows))
        texts, decisions = self._decode(states, task.source.slots, everything, [()] * len(rows))
        groups = [parse(self.vocabulary.decode(text)) for text in texts]

        def answer(changed: dict[int, Group]) -> Answer:
            merged = tuple(changed.get(k, group) for k, group in enumerate(groups))
            return Answer(merged, task.source.slots, task.adjacent)

        yield answer({})
        decisions.sort(key=lambda d: (d.cost, d.group, d.prefix))
        decisions = [d for d in decisions if d.cost < _DEAREST][:_DECISIONS]
        other: dict[int, Group] = {}
        for chosen in _combinations([d.cost for d in decisions]):
            taken = [decisions[k] for k in chosen]
            if len({d.group for d in taken}) < len(taken):
                continue
            missing = [k for k in chosen if k not in other]
            if missing:
                places = [decisions[k].group for k in missing]
                prefixes = [decisions[k].prefix for k in missing]
                again, _ = self._decode(states, task.source.slots, places, prefixes)
                other.update({k: parse(self.vocabulary.decode(text)) for k, text in zip(missing, again, strict=True)})
            yield answer({decisions[k].group: other[k] for k in chosen})

    def _decode(
        self,
        states: Sequence[Array],
        slots: Sequence[Slots],
        places: Sequence[int],
        prefixes: Sequence[tuple[int, ...]],
    ) -> tuple[list[list[int]], list[Decision]]:
        """Greedy tokens of the groups (without end marks) behind given prefixes, and the decisions on the way."""
        vocabulary, grammar = self.vocabulary, self.grammar
        decoding = self.network.start([states[k] for k in places], _FIRST_ROOM)
        progress = [State(slots[k]) for k in places]
        texts: list[list[int]] = [[] for _ in places]
        decisions: list[Decision] = []
        active = np.arange(len(places))
        tokens = np.full(len(places), vocabulary.start)
        while len(active):
            scores = decoding.step(tokens)
            masks = np.stack([grammar.allowed(progress[k]) for k in active.tolist()])
            scores = np.where(masks, scores, np.float32(-1e9))
            best = scores.argmax(1)
            # The best first, then the others that may be tried in its stead.
            likely = np.argpartition(-scores, _CHOICES, axis=1)[:, :_CHOICES]
            worth = np.take_along_axis(scores, likely, 1)
            costs = worth.max(1, keepdims=True) - worth
            for n, k in enumerate(active.tolist()):
                text, prefix = texts[k], prefixes[k]
                if len(text) < len(prefix):
                    best[n] = prefix[len(text)]
                else:
                    for cost, other in zip(costs[n].tolist(), likely[n].tolist(), strict=True):
                        if other != best[n] and cost < _DEAREST:
                            decisions.append(Decision(cost, places[k], (*text, other)))
                grammar.advance(progress[k], int(best[n]))
                if not progress[k].done:
                    text.append(int(best[n]))
            going = np.array([not progress[k].done and len(texts[k]) < MOST_TOKENS + 16 for k in active.tolist()])
            active, tokens = active[going], best[going]
            if not going.all():
                decoding.keep(going)
        return texts, decisions


def _combinations(costs: Sequence[float]) -> Iterator[tuple[int, ...]]:
    """Sets of positions in order of their total cost; ``costs`` ascend."""
    if not costs:
        return
    heap: list[tuple[float, tuple[int, ...]]] = [(costs[0], (0,))]
    while heap:
        total, chosen = heapq.heappop(heap)
        yield chosen
        last = chosen[-1]
        if last + 1 < len(costs):
            step = costs[last + 1]
            heapq.heappush(heap, (total + step, (*chosen, last + 1)))
            heapq.heappush(heap, (total + step - costs[last], (*chosen[:-1], last + 1)))


@cache
def translator(path: Path) -> Translator:
    """The model of a file, loaded once."""
    return Translator(path)

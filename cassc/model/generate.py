"""Answers of the model for one kernel, the most probable first.

All groups are decoded greedily under the grammar. What the network was least sure of is known then: the decisions, each
with the cost of taking one of the next choices instead. Further answers are the next most probable combinations of such
choices; only the groups concerned are decoded again. Nothing is drawn at random.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from cassc.image.cubin import Cubin, KernelAbi
from cassc.model import canonical, weights
from cassc.model.dialect import Group, Slots, parse, renumbered
from cassc.model.finish import Answer
from cassc.model.lockstep import agreeing, compared
from cassc.model.network import Array, Network
from cassc.model.tokens import MOST_TOKENS, Grammar, State, Vocabulary
from cassc.sass import cfg
from cassc.sass.disasm import SassFunction
from cassc.sass.fields import WORD_BYTES
from cassc.verify.oracle import Case

SHIPPED = Path(__file__).with_name("weights.npz")
_FIRST_ROOM = 12
_CHOICES = 4
# Choices less likely than this are not reconsidered.
_DEAREST = 16.0
_DECISIONS = 64
# Of a group that a launch speaks against, so many others are tried, at each token so many choices.
_MOST_LIKELY, _MORE_CHOICES, _SKETCHES = 256, 12, 4
_TOGETHER = 64


@dataclass(frozen=True, slots=True)
class Decision:
    """A place where another token was possible: ``cost`` is how much less likely, as a logarithm; ``row``: of what was
    decoded."""

    cost: float
    row: int
    prefix: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """A kernel prepared for the model."""

    function: SassFunction
    cubin: Cubin
    source: canonical.Source
    abi: KernelAbi
    adjacent: tuple[bool, ...]


def prepare(function: SassFunction, cubin: Cubin) -> Task:
    graph = cfg.build(function)
    source = canonical.read(function, graph)
    addresses = source.addresses
    adjacent = (*(b == a + WORD_BYTES for a, b in zip(addresses, addresses[1:], strict=False)), False)
    abi = replace(function.abi, frame_size=cfg.stack_bytes(graph, function.abi.frame_size))
    return Task(function, cubin, source, abi, adjacent)


class Evidence:
    """Launches on which answers for a kernel were wrong, and what they say of single groups."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.cases: list[Case] = []
        self._right: dict[tuple[int, int, Group], bool] = {}

    def add(self, case: Case) -> None:
        self.cases.append(case)

    def against(self, groups: Mapping[int, Group]) -> list[int]:
        """Positions of the groups that differ from their instructions in one of the launches."""
        left = self.left({k: [group] for k, group in groups.items()})
        return [k for k, some in left.items() if not some]

    def left(self, groups: Mapping[int, Sequence[Group]]) -> dict[int, list[Group]]:
        """Those that differ in none."""
        left = {k: list(some) for k, some in groups.items()}
        for number, case in enumerate(self.cases):
            asked = {k: [g for g in some if (number, k, g) not in self._right] for k, some in left.items()}
            asked = {k: some for k, some in asked.items() if some}
            if asked:
                task = self.task
                found = agreeing(task.function, task.cubin, task.source, case, asked)
                self._right.update({(number, k, g): g in found[k] for k, some in asked.items() for g in some})
            left = {k: [g for g in some if self._right[number, k, g]] for k, some in left.items()}
        return left


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

    def answers(self, task: Task) -> Generator[Answer, Case | None, None]:
        """Distinct answers, the most probable first.

        A launch that shows the last answer wrong may be sent: groups that differ from their instructions on it are
        replaced by the most probable ones that do not, and no later answer has a group that differs on it.
        """
        rows = [self.vocabulary.encode(tokens) for tokens in task.source.tokens]
        states = self.network.encode(rows)
        everything = range(len(rows))
        texts, decisions = self._decode(states, task.source.slots, everything, [()] * len(rows))
        groups = [parse(self.vocabulary.decode(text)) for text in texts]
        evidence = Evidence(task)

        def answer(changed: Mapping[int, Group]) -> Answer:
            merged = tuple(changed.get(k, group) for k, group in enumerate(groups))
            return Answer(merged, task.source.slots, task.adjacent)

        given: set[tuple[Group, ...]] = set()

        def mending(shown: Case | None, last: Mapping[int, Group]) -> Generator[Answer, Case | None, None]:
            """Answers that the launches shown so far do not speak against, as long as there are such."""
            given.add(answer(last).groups)
            while shown is not None:
                evidence.add(shown)
                mended = self._mended(states, task, evidence, answer(last).groups)
                for k, group in mended.items():
                    groups[k] = group
                last = {}
                if not mended or answer({}).groups in given:
                    return
                given.add(answer({}).groups)
                shown = yield answer({})

        shown = yield answer({})
        yield from mending(shown, {})
        decisions.sort(key=lambda d: (d.cost, d.row, d.prefix))
        decisions = [d for d in decisions if d.cost < _DEAREST][:_DECISIONS]
        other: dict[int, Group] = {}
        for chosen in _combinations([d.cost for d in decisions]):
            taken = [decisions[k] for k in chosen]
            if len({d.row for d in taken}) < len(taken):
                continue
            missing = [k for k in chosen if k not in other]
            if missing:
                places = [decisions[k].row for k in missing]
                prefixes = [decisions[k].prefix for k in missing]
                again, _ = self._decode(states, task.source.slots, places, prefixes)
                other.update({k: parse(self.vocabulary.decode(text)) for k, text in zip(missing, again, strict=True)})
            last = {decisions[k].row: other[k] for k in chosen}
            if answer(last).groups in given or evidence.against(last):
                continue
            shown = yield answer(last)
            yield from mending(shown, last)

    def _mended(
        self, states: Sequence[Array], task: Task, evidence: Evidence, groups: Sequence[Group]
    ) -> dict[int, Group]:
        """Other groups for those that the evidence speaks against, where one of the likely ones is left."""
        mended = {}
        for k in evidence.against(dict(enumerate(groups))):
            others = self._others(states, task, k, groups[k])
            while some := list(itertools.islice(others, _TOGETHER)):
                left = evidence.left({k: some})[k]
                if left:
                    mended[k] = left[0]
                    break
        return mended

    def _others(self, states: Sequence[Array], task: Task, place: int, group: Group) -> Iterator[Group]:
        """Groups for one instruction: the likeliest, then those with other numbers in their places, then less likely
        ones."""
        likely = self._likely(states, task, place)
        first = list(itertools.islice(likely, _TOGETHER))
        yield from first
        for sketch in (group, *first[:_SKETCHES]):
            yield from renumbered(sketch, task.source.tokens[place])
        yield from likely

    def _likely(self, states: Sequence[Array], task: Task, place: int) -> Iterator[Group]:
        """Groups for one instruction, the most probable first, as far as they are comparable with it."""
        heap: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
        seen: set[tuple[int, ...]] = set()
        while heap and len(seen) < _MOST_LIKELY:
            some = [heapq.heappop(heap) for _ in range(min(len(heap), _TOGETHER))]
            prefixes = [prefix for _, prefix in some]
            texts, decisions = self._decode(states, task.source.slots, [place] * len(some), prefixes, _MORE_CHOICES)
            for d in decisions:
                heapq.heappush(heap, (some[d.row][0] + d.cost, d.prefix))
            for text in texts:
                if tuple(text) not in seen:
                    seen.add(tuple(text))
                    group = parse(self.vocabulary.decode(text))
                    if compared(group):
                        yield group

    def _decode(
        self,
        states: Sequence[Array],
        slots: Sequence[Slots],
        places: Sequence[int],
        prefixes: Sequence[tuple[int, ...]],
        choices: int = _CHOICES,
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
            likely = np.argpartition(-scores, choices, axis=1)[:, :choices]
            worth = np.take_along_axis(scores, likely, 1)
            costs = worth.max(1, keepdims=True) - worth
            for n, k in enumerate(active.tolist()):
                text, prefix = texts[k], prefixes[k]
                if len(text) < len(prefix):
                    best[n] = prefix[len(text)]
                else:
                    for cost, other in zip(costs[n].tolist(), likely[n].tolist(), strict=True):
                        if other != best[n] and cost < _DEAREST:
                            decisions.append(Decision(cost, k, (*text, other)))
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

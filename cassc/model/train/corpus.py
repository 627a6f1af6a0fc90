"""The pairs on the training device, and batches of windows of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from cassc.model.tokens import MOST_TOKENS, Vocabulary
from cassc.model.train.data import MOST_SOURCE

BUCKETS = (6, 10, 16, 32, 64, MOST_TOKENS)
"""Groups are decoded with others of about their length."""
_SAMPLED_BATCHES = 40
_SPARE = 1.04


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups of one length class: places of their instruction's tokens in the batch of windows, and their tokens.

    Attributes:
        window, start, count: of each group's source tokens.
        inputs, labels: (groups, length); labels are -100 behind the end.
    """

    window: Tensor
    start: Tensor
    count: Tensor
    inputs: Tensor
    labels: Tensor
    kernel: Tensor


class Corpus:
    def __init__(self, path: Path, vocabulary: Vocabulary, device: str, window: int) -> None:
        data = np.load(path)
        self.device, self.window, self.vocabulary = device, window, vocabulary

        def put(name: str) -> Tensor:
            return torch.from_numpy(data[name].astype(np.int64)).to(device)

        self.source, self.target = put("source"), put("target")
        zero = torch.zeros(1, dtype=torch.int64, device=device)
        self.source_at = torch.cat([zero, put("source_ends")])
        self.target_at = torch.cat([zero, put("target_ends")])
        ends = data["kernel_ends"]
        self.begins = np.concatenate([[0], ends[:-1]])
        self.ends = ends
        self.split, self.family = data["split"], data["family"]
        self._places = data["source_ends"]
        self._groups()

    def _groups(self) -> None:
        """Token numbers of the registers by class, for renaming."""
        index = self.vocabulary.index
        self.classes = []
        for letter, blocks in (("R", 63), ("UR", 15)):
            numbers = [[index[f"{letter}{4 * b + k}"] for k in range(4)] for b in range(blocks)]
            self.classes.append(torch.tensor(numbers, device=self.device))
        for letter in ("P", "UP"):
            forms = [[index[f"{sign}{letter}{k}"] for sign in ("", "!", "@", "@!")] for k in range(7)]
            self.classes.append(torch.tensor(forms, device=self.device))

    def windows(self, split: int, stride: float = 1.0) -> np.ndarray:
        """(first instruction, end, kernel) of windows that cover the kernels of a split."""
        found = []
        before = np.concatenate([[0], self._places])
        for kernel in np.flatnonzero(self.split == split):
            begin, end = int(self.begins[kernel]), int(self.ends[kernel])
            while begin < end:
                last = int(np.searchsorted(before, before[begin] + self.window, side="right")) - 1
                last = min(max(last, begin + 1), end)
                found.append((begin, last, kernel))
                begin = last if last == end else begin + max(int((last - begin) * stride), 1)
        return np.array(found, np.int64).reshape(-1, 3)

    def capacities(self, windows: np.ndarray, size: int) -> tuple[int, ...]:
        """Groups of each length class in a batch of ``size`` windows, and a little more: shapes that never change let
        one recorded graph of the computation serve every step."""
        random = np.random.default_rng(1)
        most = np.zeros(len(BUCKETS), np.int64)
        lengths = (self.target_at[1:] - self.target_at[:-1]).cpu().numpy()
        for _ in range(_SAMPLED_BATCHES):
            chosen = windows[random.integers(0, len(windows), size)]
            found = np.concatenate([lengths[begin:end] for begin, end, _ in chosen])
            most += np.histogram(found, (0, *(b + 0.5 for b in BUCKETS)))[0]
        return tuple(int(_SPARE * total / _SAMPLED_BATCHES / 64 + 1) * 64 for total in most)

    def batch(
        self, windows: np.ndarray, generator: torch.Generator | None, capacities: tuple[int, ...] = ()
    ) -> tuple[Tensor, Tensor, list[Groups]]:
        """Tokens, which of them are present, and the groups; with a generator registers are renamed.

        With ``capacities`` there are exactly so many groups of each length class: a random part of them if there are
        more, empty ones if there are fewer.
        """
        device = self.device
        chosen = torch.from_numpy(windows).to(device)
        begin, end = chosen[:, 0], chosen[:, 1]
        first = self.source_at[begin]
        length = self.source_at[end] - first
        columns = torch.arange(self.window + MOST_SOURCE, device=device)
        present = columns[None, :] < length[:, None]
        tokens = self.source[torch.where(present, first[:, None] + columns[None, :], 0)]
        tokens = torch.where(present, tokens, self.vocabulary.pad)
        counts = end - begin
        window = torch.repeat_interleave(torch.arange(len(windows), device=device), counts)
        ahead = torch.cumsum(counts, 0) - counts
        instruction = torch.arange(int(counts.sum()), device=device) - ahead[window] + begin[window]
        whole_file = (tokens == self.vocabulary.index.get("PR", -1)).any(1)
        names = self._renaming(len(windows), whole_file, generator)
        if names is not None:
            tokens = torch.gather(names, 1, tokens)
        start = self.source_at[instruction] - first[window]
        count = self.source_at[instruction + 1] - self.source_at[instruction]
        at = self.target_at[instruction]
        size = self.target_at[instruction + 1] - at
        groups = []
        lower = 0
        for position, bucket in enumerate(BUCKETS):
            members = torch.nonzero((size > lower) & (size <= bucket))[:, 0]
            lower = bucket
            wanted = capacities[position] if capacities else len(members)
            if not wanted:
                continue
            if len(members) > wanted:
                order = torch.randperm(len(members), device=device, generator=generator)
                members = members[order[:wanted]]
            real = torch.arange(wanted, device=device) < len(members)
            members = torch.cat([members, members.new_zeros(wanted - len(members))])
            places = torch.arange(bucket, device=device)
            here = (places[None, :] < size[members][:, None]) & real[:, None]
            labels = self.target[torch.where(here, at[members][:, None] + places[None, :], 0)]
            if names is not None:
                labels = names[window[members][:, None], labels]
            starts = torch.full((len(members), 1), self.vocabulary.start, device=device)
            inputs = torch.cat([starts, torch.where(here, labels, self.vocabulary.pad)[:, :-1]], 1)
            labels = torch.where(here, labels, -100)
            groups.append(
                Groups(window[members], start[members], count[members], inputs, labels, chosen[window[members], 2])
            )
        return tokens, present, groups

    def _renaming(self, count: int, fixed: Tensor, generator: torch.Generator | None) -> Tensor | None:
        """For each window a random permutation of registers, of predicates and of their uniform kin.

        ``fixed``: windows with instructions that take the predicates as one word, where they have an order.
        """
        if generator is None:
            return None
        names = torch.arange(len(self.vocabulary), device=self.device).repeat(count, 1)
        for numbers in self.classes:
            order = torch.rand(count, len(numbers), device=self.device, generator=generator).argsort(1)
            keep = torch.rand(count, 1, device=self.device, generator=generator) < 0.15
            keep |= fixed[:, None] & (len(numbers) == 7)
            order = torch.where(keep, torch.arange(len(numbers), device=self.device)[None, :], order)
            names[:, numbers.flatten()] = numbers[order].flatten(1)
        return names


def states_of(states: Tensor, groups: Groups) -> tuple[Tensor, Tensor]:
    """Each group's own encoder states, and which of them are there."""
    places = torch.arange(MOST_SOURCE, device=states.device)
    present = places[None, :] < groups.count[:, None]
    at = torch.where(present, groups.start[:, None] + places[None, :], 0)
    flat = (groups.window[:, None] * states.shape[1] + at).flatten()
    return states.flatten(0, 1).index_select(0, flat).view(*at.shape, -1), present

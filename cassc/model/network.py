"""The network at run time, with numpy: what `cassc.model.train.network` trains.

Groups are independent given the encoder's states, so all of a kernel are decoded side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Numbers = NDArray[np.int64]
WINDOW = 384
"""Tokens that the encoder sees at once, as in training."""
_OVERLAP = 64


def _norm(x: Array, weight: Array) -> Array:
    scale: Array = np.sqrt(np.mean(x * x, -1, keepdims=True, dtype=np.float32) + np.float32(1e-6))
    y: Array = x / scale * weight
    return y


def _softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    y: Array = e / e.sum(-1, keepdims=True)
    return y


def _rotated(x: Array, angles: Array) -> Array:
    first, second = np.split(x, 2, -1)
    cosine, sine = np.cos(angles), np.sin(angles)
    return np.concatenate([first * cosine - second * sine, first * sine + second * cosine], -1)


@dataclass(slots=True)
class Layer:
    """One layer's weights by short name, transposed for ``x @ w``."""

    norms: list[Array]
    attend: dict[str, Array]
    cross: dict[str, Array]
    feed: dict[str, Array]


class Network:
    """Weights as `cassc.model.weights.read` gives them."""

    def __init__(self, shape: Mapping[str, int], arrays: Mapping[str, Array]) -> None:
        self.width, self.heads = shape["width"], shape["heads"]
        self.embedding = arrays["embedding.weight"]
        self.encoder = [self._layer(arrays, f"encoder.{k}.") for k in range(shape["encoder_layers"])]
        self.decoder = [self._layer(arrays, f"decoder.{k}.") for k in range(shape["decoder_layers"])]
        self.encoder_norm = arrays["encoder_norm.weight"]
        self.decoder_norm = arrays["decoder_norm.weight"]
        head = self.width // self.heads
        self.rates = (10000.0 ** (-np.arange(0, head, 2) / head)).astype(np.float32)

    def _layer(self, arrays: Mapping[str, Array], prefix: str) -> Layer:
        def part(name: str) -> dict[str, Array]:
            start = f"{prefix}{name}."
            return {
                key[len(start) :].removesuffix(".weight"): np.ascontiguousarray(value.T)
                for key, value in arrays.items()
                if key.startswith(start)
            }

        norms = [
            arrays[f"{prefix}{n}_norm.weight"]
            for n in ("attend", "cross", "feed")
            if f"{prefix}{n}_norm.weight" in arrays
        ]
        return Layer(norms, part("attend"), part("cross"), part("feed"))

    def _split(self, x: Array) -> Array:
        """(batch, positions, width) to (batch, heads, positions, head width)."""
        return x.reshape(*x.shape[:-1], self.heads, -1).swapaxes(-2, -3)

    def _feed(self, x: Array, feed: Mapping[str, Array]) -> Array:
        gate = x @ feed["gate"]
        y: Array = (gate / (1 + np.exp(-gate)) * (x @ feed["up"])) @ feed["down"]
        return y

    def _mix(self, q: Array, k: Array, v: Array, present: NDArray[np.bool_] | None) -> Array:
        scores = q @ k.swapaxes(-1, -2) * np.float32((self.width // self.heads) ** -0.5)
        if present is not None:
            scores = np.where(present, scores, np.float32(-1e9))
        mixed = _softmax(scores) @ v
        joined: Array = mixed.swapaxes(-2, -3).reshape(*mixed.shape[:-3], mixed.shape[-2], self.width)
        return joined

    def encode(self, rows: Sequence[Sequence[int]]) -> list[Array]:
        """States of each instruction's tokens. Long kernels are read in windows that overlap."""
        lengths = [len(row) for row in rows]
        places = np.concatenate([[0], np.cumsum(lengths)])
        states: list[Array] = [np.zeros((0, self.width), np.float32)] * len(rows)
        begin = 0
        while begin < len(rows):
            end = int(np.searchsorted(places, places[begin] + WINDOW, side="right")) - 1
            end = min(max(end, begin + 1), len(rows))
            tokens = [number for row in rows[begin:end] for number in row]
            found = self._window(np.array(tokens, np.int64))
            late = begin if begin == 0 else int(np.searchsorted(places, places[begin] + _OVERLAP // 2))
            for k in range(min(late, end - 1), end):
                states[k] = found[places[k] - places[begin] : places[k + 1] - places[begin]]
            if end == len(rows):
                break
            begin = max(int(np.searchsorted(places, places[end] - _OVERLAP)), begin + 1)
        return states

    def _window(self, tokens: Numbers) -> Array:
        x = self.embedding[tokens]
        angles = np.arange(len(tokens), dtype=np.float32)[:, None] * self.rates[None, :]
        for layer in self.encoder:
            y = _norm(x, layer.norms[0])
            q = _rotated(self._split(y @ layer.attend["query"]), angles)
            k = _rotated(self._split(y @ layer.attend["key"]), angles)
            v = self._split(y @ layer.attend["value"])
            x = x + self._mix(q, k, v, None) @ layer.attend["out"]
            x = x + self._feed(_norm(x, layer.norms[1]), layer.feed)
        return _norm(x, self.encoder_norm)

    def start(self, states: Sequence[Array], most: int) -> Decoding:
        """Decoding of one group for each of the states."""
        return Decoding(self, states, most)


class Decoding:
    """Groups side by side; each call of `step` takes their next tokens and gives scores of the ones behind."""

    def __init__(self, network: Network, states: Sequence[Array], most: int) -> None:
        self.network = network
        count, longest = len(states), max(len(s) for s in states)
        padded = np.zeros((count, longest, network.width), np.float32)
        present = np.zeros((count, 1, 1, longest), bool)
        for k, s in enumerate(states):
            padded[k, : len(s)] = s
            present[k, 0, 0, : len(s)] = True
        self.present = present
        head = network.width // network.heads
        self.cross = [
            (network._split(padded @ layer.cross["key"]), network._split(padded @ layer.cross["value"]))
            for layer in network.decoder
        ]
        shape = (count, network.heads, most, head)
        self.keys = [np.zeros(shape, np.float32) for _ in network.decoder]
        self.values = [np.zeros(shape, np.float32) for _ in network.decoder]
        self.position = 0

    def keep(self, rows: NDArray[np.bool_]) -> None:
        """Go on with some of the groups only."""
        self.present = self.present[rows]
        self.cross = [(k[rows], v[rows]) for k, v in self.cross]
        self.keys = [a[rows] for a in self.keys]
        self.values = [a[rows] for a in self.values]

    def step(self, tokens: Numbers) -> Array:
        """Scores for the groups that are left, given the token of each at this position."""
        network, position = self.network, self.position
        if position >= self.keys[0].shape[2]:
            self.keys = [_longer(a) for a in self.keys]
            self.values = [_longer(a) for a in self.values]
        x = network.embedding[tokens][:, None, :]
        angles = np.float32(position) * network.rates[None, :]
        for n, layer in enumerate(network.decoder):
            y = _norm(x, layer.norms[0])
            q = _rotated(network._split(y @ layer.attend["query"]), angles)
            self.keys[n][:, :, position] = _rotated(network._split(y @ layer.attend["key"]), angles)[:, :, 0]
            self.values[n][:, :, position] = network._split(y @ layer.attend["value"])[:, :, 0]
            keys, values = self.keys[n][:, :, : position + 1], self.values[n][:, :, : position + 1]
            x = x + network._mix(q, keys, values, None) @ layer.attend["out"]
            q = network._split(_norm(x, layer.norms[1]) @ layer.cross["query"])
            x = x + network._mix(q, *self.cross[n], self.present) @ layer.cross["out"]
            x = x + network._feed(_norm(x, layer.norms[2]), layer.feed)
        self.position += 1
        scores: Array = _norm(x[:, 0], network.decoder_norm) @ network.embedding.T
        return scores


def _longer(a: NDArray[Any]) -> NDArray[Any]:
    """Room for twice as many positions."""
    return np.concatenate([a, np.zeros_like(a)], 2)

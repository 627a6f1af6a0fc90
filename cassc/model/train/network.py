"""The network, for training: an encoder over the whole kernel, a decoder for each instruction's group.

The alignment between instructions and groups is hard and known, so groups are independent given the encoder's states:
the decoder looks at the states of its own instruction, which have seen the kernel around it. `cassc.model.network`
computes the same with numpy.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the network; ``vocabulary`` is filled in by the data."""

    vocabulary: int = 0
    width: int = 320
    heads: int = 5
    inner: int = 864
    encoder_layers: int = 6
    decoder_layers: int = 4

    def to_dict(self) -> dict[str, int]:
        return asdict(self)


def rotated(x: Tensor, angles: Tensor) -> Tensor:
    """Rotary position embedding; ``x``: (..., positions, head width), ``angles``: (positions, head width / 2)."""
    first, second = x.chunk(2, -1)
    cosine, sine = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    return torch.cat([first * cosine - second * sine, first * sine + second * cosine], -1)


def angles_of(length: int, width: int, device: Any) -> Tensor:
    rates = 10000.0 ** (-torch.arange(0, width, 2, device=device, dtype=torch.float32) / width)
    return torch.arange(length, device=device, dtype=torch.float32)[:, None] * rates[None, :]


class Norm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, (x.shape[-1],), self.weight.to(x.dtype), 1e-6)


class Attention(nn.Module):
    """Self-attention with rotary positions, or attention to other states without."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.query = nn.Linear(shape.width, shape.width, bias=False)
        self.key = nn.Linear(shape.width, shape.width, bias=False)
        self.value = nn.Linear(shape.width, shape.width, bias=False)
        self.out = nn.Linear(shape.width, shape.width, bias=False)

    def _split(self, x: Tensor) -> Tensor:
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def forward(
        self, x: Tensor, other: Tensor | None = None, mask: Tensor | None = None, causal: bool = False
    ) -> Tensor:
        seen = x if other is None else other
        q, k, v = self._split(self.query(x)), self._split(self.key(seen)), self._split(self.value(seen))
        if other is None:
            angles = angles_of(x.shape[1], q.shape[-1], x.device)
            q, k = rotated(q, angles), rotated(k, angles)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
        return self.out(mixed.transpose(1, 2).reshape(x.shape))


class Feed(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.gate = nn.Linear(shape.width, shape.inner, bias=False)
        self.up = nn.Linear(shape.width, shape.inner, bias=False)
        self.down = nn.Linear(shape.inner, shape.width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


class EncoderLayer(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.attend_norm, self.feed_norm = Norm(shape.width), Norm(shape.width)
        self.attend, self.feed = Attention(shape), Feed(shape)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = x + self.attend(self.attend_norm(x), mask=mask)
        return x + self.feed(self.feed_norm(x))


class DecoderLayer(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.attend_norm, self.cross_norm, self.feed_norm = (Norm(shape.width) for _ in range(3))
        self.attend, self.cross, self.feed = Attention(shape), Attention(shape), Feed(shape)

    def forward(self, x: Tensor, states: Tensor, mask: Tensor) -> Tensor:
        x = x + self.attend(self.attend_norm(x), causal=True)
        x = x + self.cross(self.cross_norm(x), states, mask)
        return x + self.feed(self.feed_norm(x))


class Network(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, shape.width)
        self.encoder = nn.ModuleList(EncoderLayer(shape) for _ in range(shape.encoder_layers))
        self.decoder = nn.ModuleList(DecoderLayer(shape) for _ in range(shape.decoder_layers))
        self.encoder_norm, self.decoder_norm = Norm(shape.width), Norm(shape.width)
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                depth = 2 * (shape.encoder_layers if name.startswith("encoder") else shape.decoder_layers)
                last = name.endswith(("out.weight", "down.weight"))
                nn.init.normal_(parameter, std=0.02 / (math.sqrt(depth) if last else 1.0))

    def encode(self, tokens: Tensor, present: Tensor) -> Tensor:
        """States of windows; ``present``: which positions hold a token."""
        x = self.embedding(tokens)
        mask = present[:, None, None, :]
        for layer in self.encoder:
            x = layer(x, mask)
        return self.encoder_norm(x)

    def decode(self, tokens: Tensor, states: Tensor, present: Tensor) -> Tensor:
        """Scores of the next token at every place of every group."""
        x = self.embedding(tokens)
        mask = present[:, None, None, :]
        for layer in self.decoder:
            x = layer(x, states, mask)
        return F.linear(self.decoder_norm(x), self.embedding.weight)

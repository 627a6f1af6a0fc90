"""Training on one GPU: ``python -m cassc.model.train.train DATA OUT``.

Every figure goes to ``log.jsonl``. Training goes on from ``checkpoint.pt`` in the
folder of the data where there is one. At the end the weights
are written as the package ships them.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from cassc.model import weights
from cassc.model.tokens import Vocabulary
from cassc.model.train.corpus import Corpus, Groups, states_of
from cassc.model.train.data import EXERCISED, HELD_OUT, TRAIN, VALIDATION
from cassc.model.train.network import Network, Shape

SPLITS = {"validation": VALIDATION, "held-out families": HELD_OUT, "made-up instructions": EXERCISED}


@dataclass(frozen=True, slots=True)
class Settings:
    """``steps``: 0 asks for as many as fit into the time, by the speed of the first hundred."""

    seed: int = 8
    batch: int = 128
    window: int = 384
    stride: float = 0.7
    steps: int = 0
    minutes: float = 7.0
    peak_rate: float = 1e-3
    last_rate: float = 2e-5
    warm_up: int = 300
    decay: float = 0.05
    betas: tuple[float, float] = (0.9, 0.98)
    clip: float = 1.0
    evaluate_every: int = 2500
    evaluation_kernels: int = 300


def rate(settings: Settings, step: int, steps: int) -> float:
    """Linear warm-up, then a cosine."""
    if step < settings.warm_up:
        return settings.peak_rate * (step + 1) / settings.warm_up
    share = (step - settings.warm_up) / max(steps - settings.warm_up, 1)
    return settings.last_rate + (settings.peak_rate - settings.last_rate) * 0.5 * (
        1 + math.cos(math.pi * min(share, 1))
    )


def _shuffled(windows: np.ndarray, size: int, seed: int) -> Iterator[np.ndarray]:
    random = np.random.default_rng(seed)
    while True:
        order = random.permutation(len(windows))
        for k in range(0, len(order) - size + 1, size):
            yield windows[order[k : k + size]]


@torch.no_grad()
def evaluate(network: Network, corpus: Corpus, split: int, kernels: int) -> dict[str, float]:
    """Share of groups, and of kernels, of which every token is the most likely one (given those before)."""
    windows = corpus.windows(split)
    chosen = np.unique(windows[:, 2])[:kernels]
    windows = windows[np.isin(windows[:, 2], chosen)]
    wrong: set[int] = set()
    groups_seen = groups_right = 0
    bits = 0.0
    for k in range(0, len(windows), 64):
        tokens, present, groups = corpus.batch(windows[k : k + 64], None)
        with torch.autocast(corpus.device, torch.bfloat16, enabled=corpus.device == "cuda"):
            states = network.encode(tokens, present)
            for group in groups:
                scores = network.decode(group.inputs, *states_of(states, group)).float()
                right = ((scores.argmax(-1) == group.labels) | (group.labels < 0)).all(1)
                real = (group.labels >= 0).any(1)
                groups_seen += int(real.sum())
                groups_right += int((right & real).sum())
                wrong |= set(group.kernel[~right].tolist())
                bits += float(
                    F.cross_entropy(scores.flatten(0, 1), group.labels.flatten(), reduction="sum")
                ) / math.log(2)
    count = max(len(chosen), 1)
    share = groups_right / max(groups_seen, 1)
    return {
        "kernels": count,
        "groups exact": share,
        "kernels exact": 1 - len(wrong) / count,
        "bits per kernel": bits / count,
    }


def export(out: Path, network: Network, vocabulary: Vocabulary) -> None:
    """The weights as the package ships them."""
    arrays = {name: p.detach().float().cpu().numpy() for name, p in network.state_dict().items()}
    weights.write(out / "weights.npz", network.shape.to_dict(), arrays, vocabulary.tokens)


class Step:
    """One step of the optimiser. With ``graph`` its kernels are recorded once and replayed: there are thousands of
    small ones, and starting each of them anew would take most of the time."""

    def __init__(
        self,
        network: Network,
        optimiser: torch.optim.Optimizer,
        batch: tuple[Tensor, Tensor, list[Groups]],
        settings: Settings,
        graph: bool,
    ) -> None:
        self.network, self.optimiser, self.settings = network, optimiser, settings
        self.batch = batch
        self.graph: torch.cuda.CUDAGraph | None = None
        self.loss = torch.zeros(())
        if graph:
            self._record()

    def __call__(self, batch: tuple[Tensor, Tensor, list[Groups]], speed: float) -> Tensor:
        """The loss. The batch must have the shapes of the first one."""
        for part in self.optimiser.param_groups:
            part["lr"].fill_(speed)
        if self.graph is None:
            self.batch = batch
            self._compute()
        else:
            for old, new in zip(_tensors(self.batch), _tensors(batch), strict=True):
                old.copy_(new)
            self.graph.replay()
        return self.loss.detach()

    def _record(self) -> None:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        for part in self.optimiser.param_groups:
            part["lr"].fill_(0.0)
        with torch.cuda.stream(side):
            for _ in range(3):
                self._compute()
        torch.cuda.current_stream().wait_stream(side)
        self.optimiser.zero_grad(set_to_none=True)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self._compute()

    def _compute(self) -> None:
        tokens, present, groups = self.batch
        self.optimiser.zero_grad(set_to_none=True)
        device = tokens.device.type
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda", cache_enabled=False):
            states = self.network.encode(tokens, present)
            loss = torch.zeros((), device=tokens.device)
            for group in groups:
                scores = self.network.decode(group.inputs, *states_of(states, group))
                loss = loss + F.cross_entropy(scores.flatten(0, 1).float(), group.labels.flatten(), reduction="sum")
        count = torch.stack([(group.labels >= 0).sum() for group in groups]).sum()
        self.loss = loss / count
        self.loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.settings.clip)
        self.optimiser.step()


def _tensors(batch: tuple[Tensor, Tensor, list[Groups]]) -> Iterator[Tensor]:
    tokens, present, groups = batch
    yield tokens
    yield present
    for group in groups:
        yield from (group.window, group.start, group.count, group.inputs, group.labels)


def train(
    data: Path, out: Path, settings: Settings, shape: Shape, device: str, start: Path | None = None, graph: bool = False
) -> Network:
    begin = time.monotonic()
    out.mkdir(parents=True, exist_ok=True)
    vocabulary = Vocabulary((data / "vocabulary.txt").read_text().splitlines())
    shape = Shape(**{**shape.to_dict(), "vocabulary": len(vocabulary)})
    torch.manual_seed(settings.seed)
    torch.set_float32_matmul_precision("high")
    corpus = Corpus(data / "pairs.npz", vocabulary, device, settings.window)
    network = Network(shape).to(device)
    if start is not None:
        _, arrays, _ = weights.read(start)
        network.load_state_dict({name: torch.from_numpy(a.copy()) for name, a in arrays.items()})
    matrices = [p for p in network.parameters() if p.dim() == 2]
    others = [p for p in network.parameters() if p.dim() != 2]
    optimiser = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": settings.decay}, {"params": others, "weight_decay": 0.0}],
        lr=torch.tensor(settings.peak_rate, device=device), betas=settings.betas, fused=device == "cuda",
        capturable=graph,
    )  # fmt: skip
    log = (out / "log.jsonl").open("a")

    def say(**facts: Any) -> None:
        line = json.dumps({"seconds": round(time.monotonic() - begin, 1), **facts})
        print(line, flush=True)
        log.write(line + "\n")
        log.flush()

    windows = corpus.windows(TRAIN, settings.stride)
    parameters = sum(p.numel() for p in network.parameters())
    say(settings=asdict(settings), shape=shape.to_dict(), parameters=parameters, windows=len(windows), device=device)
    first = 0
    steps = settings.steps or 10**9
    saved = data / "checkpoint.pt"
    if saved.is_file():
        state = torch.load(saved, map_location=device, weights_only=True)
        network.load_state_dict(state["network"])
        optimiser.load_state_dict(state["optimiser"])
        first, steps = state["step"], state["steps"]
        say(resumed=first, steps=steps)
    generator = torch.Generator(device).manual_seed(settings.seed + first)
    size = min(settings.batch, len(windows))
    capacities = corpus.capacities(windows, size)
    say(groups=capacities)
    total = torch.zeros((), device=device)
    measured = time.monotonic()
    batches = _shuffled(windows, size, settings.seed + first)
    run = Step(network, optimiser, corpus.batch(next(batches), generator, capacities), settings, graph)
    step = first
    while step < steps:
        if not settings.steps and step == first + 30:
            measured = time.monotonic()
        if not settings.steps and step == first + 130 and steps == 10**9:
            each = (time.monotonic() - measured) / 100
            left = settings.minutes * 60 - (time.monotonic() - begin)
            steps = step + int(left * 0.93 / each)
            say(step=step, seconds_per_step=round(each, 5), steps=steps)
        speed = rate(settings, step, min(steps, 20000))
        loss = run(corpus.batch(next(batches), generator, capacities), speed)
        total += loss
        step += 1
        if step % 100 == 0:
            say(step=step, loss=round(float(total) / 100, 6), rate=round(rate(settings, step, min(steps, 20000)), 6))
            total.zero_()
        late = not settings.steps and time.monotonic() - begin > settings.minutes * 60
        if step % settings.evaluate_every == 0 or step == steps or late:
            network.eval()
            for name, split in SPLITS.items():
                say(step=step, on=name, **evaluate(network, corpus, split, settings.evaluation_kernels))
            network.train()
            state = {"network": network.state_dict(), "optimiser": optimiser.state_dict(), "step": step, "steps": steps}
            torch.save(state, saved)
            export(out, network, vocabulary)
        if late:
            break
    export(out, network, vocabulary)
    _, stored, _ = weights.read(out / "weights.npz")
    network.load_state_dict({name: torch.from_numpy(a.copy()).to(device) for name, a in stored.items()})
    network.eval()
    for name, split in SPLITS.items():
        say(step=step, stored="int8", on=name, **evaluate(network, corpus, split, 1000))
    return network


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the model.")
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=7.0)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--start", type=Path, default=None, help="weights to start from")
    parser.add_argument("--eager", action="store_true", help="do not record the step as a graph")
    parser.add_argument("--small", action="store_true", help="a network of a tenth of the size, for tests")
    given = parser.parse_args()
    shape = Shape(width=64, heads=2, inner=128, encoder_layers=1, decoder_layers=1) if given.small else Shape()
    settings = Settings(steps=given.steps, minutes=given.minutes, batch=given.batch, peak_rate=given.rate)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    train(given.data, given.out, settings, shape, device, given.start, graph=device == "cuda" and not given.eager)


if __name__ == "__main__":
    main()

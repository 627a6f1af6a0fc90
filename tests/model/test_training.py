"""Training on a few made-up instructions: it learns, goes on where it stopped, and numpy computes what torch does."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cassc.model import weights
from cassc.model.network import Network as Shipped
from cassc.model.tokens import Vocabulary
from cassc.model.train.data import _exercise, save

torch = pytest.importorskip("torch", reason="the extra 'model' is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("pairs")
    pairs = [pair for number in range(60) for pair in _exercise((1, number))[0]]
    vocabulary = Vocabulary.of(token for pair in pairs for row in (*pair.source, *pair.target) for token in row)
    facts = save(pairs, vocabulary, place / "pairs.npz")
    assert facts["train"] > 30 and facts["instructions"] > 1000
    (place / "vocabulary.txt").write_text("\n".join(vocabulary.tokens) + "\n")
    return place


def test_it_learns_and_goes_on(folder: Path, tmp_path: Path) -> None:
    from cassc.model.train.network import Shape
    from cassc.model.train.train import Settings, train

    shape = Shape(width=32, heads=2, inner=64, encoder_layers=1, decoder_layers=1)
    settings = Settings(steps=8, batch=4, warm_up=4, peak_rate=3e-3, evaluate_every=4)
    network = train(folder, tmp_path, settings, shape, "cpu")
    train(folder, tmp_path, settings, shape, "cpu")
    log = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert any(line.get("resumed") == 8 for line in log)
    bits = [line["bits per kernel"] for line in log if line.get("on") == "made-up instructions"]
    assert bits[1] < bits[0]
    _compare(network, folder, tmp_path / "weights.npz")


def _compare(network: object, folder: Path, file: Path) -> None:
    """Scores of the stored weights by both implementations."""
    shape, arrays, tokens = weights.read(file)
    network.load_state_dict({name: torch.from_numpy(a.copy()) for name, a in arrays.items()})  # type: ignore[attr-defined]
    vocabulary = Vocabulary(tokens)
    rows = [vocabulary.encode(text.split()) for text in ("MOV R4 R8", "IADD3 R4 R8 R12 RZ", "EXIT")]
    shipped = Shipped(shape, arrays)
    states = shipped.encode(rows)
    decoding = shipped.start(states, 4)
    steps = [np.array([vocabulary.start] * 3), np.array(vocabulary.encode(["R1", "R2", "R3"]))]
    ours = [decoding.step(step) for step in steps]
    window = torch.tensor([[number for row in rows for number in row]])
    with torch.no_grad():
        encoded = network.encode(window, torch.ones_like(window, dtype=torch.bool))[0]  # type: ignore[attr-defined]
        begin = 0
        for k, row in enumerate(rows):
            own = encoded[None, begin : begin + len(row)]
            begin += len(row)
            inputs = torch.tensor([[int(step[k]) for step in steps]])
            theirs = network.decode(inputs, own, torch.ones(1, len(row), dtype=torch.bool))[0]  # type: ignore[attr-defined]
            for position in range(2):
                np.testing.assert_allclose(ours[position][k], theirs[position].numpy(), atol=2e-4)

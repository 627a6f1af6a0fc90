"""Weights as they are shipped: one ``.npz`` with 8-bit matrices, a scale for each row, the shape and the vocabulary."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cassc import diag

Array = NDArray[np.float32]
FORMAT = 1


def write(path: Path, shape: Mapping[str, int], arrays: Mapping[str, Array], tokens: Sequence[str]) -> None:
    """Matrices are rounded to 8 bits by row; vectors keep 32 bits."""
    stored: dict[str, NDArray[Any]] = {}
    for name, array in arrays.items():
        if array.ndim != 2:
            stored[name] = array.astype(np.float32)
            continue
        scale = np.maximum(np.abs(array).max(1), 1e-12) / 127
        stored[name] = np.rint(array / scale[:, None]).astype(np.int8)
        stored[name + ".scale"] = scale.astype(np.float32)
    facts = json.dumps({"format": FORMAT, "shape": dict(shape), "tokens": list(tokens)})
    stored["facts"] = np.frombuffer(facts.encode(), np.uint8)
    np.savez_compressed(path, **stored)  # type: ignore[arg-type]


def read(path: Path) -> tuple[dict[str, int], dict[str, Array], tuple[str, ...]]:
    """Shape, weights and vocabulary. Raises CasscError ``model-bad-weights``."""
    try:
        with np.load(path, allow_pickle=False) as file:
            stored = {name: file[name] for name in file.files}
        facts = json.loads(stored.pop("facts").tobytes())
        if facts["format"] != FORMAT:
            raise ValueError(f"format {facts['format']}")
    except (OSError, ValueError, KeyError) as problem:
        raise diag.error("model-bad-weights", f"'{path}' holds no weights of a model: {problem}") from problem
    arrays = {}
    for name, array in stored.items():
        if name.endswith(".scale"):
            continue
        scale = stored.get(name + ".scale")
        arrays[name] = array.astype(np.float32) if scale is None else array.astype(np.float32) * scale[:, None]
    return facts["shape"], arrays, tuple(facts["tokens"])

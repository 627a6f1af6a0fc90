"""``cassc model``: the models that translations can come from."""

from __future__ import annotations

import hashlib
from typing import Any

from cassc.model import weights
from cassc.model.generate import SHIPPED


def info() -> dict[str, Any]:
    """Facts of the model that comes with the package. Raises CasscError ``model-bad-weights``."""
    shape, arrays, tokens = weights.read(SHIPPED)
    return {
        "file": str(SHIPPED),
        "bytes": SHIPPED.stat().st_size,
        "sha256": hashlib.sha256(SHIPPED.read_bytes()).hexdigest(),
        "parameters": sum(array.size for array in arrays.values()),
        "tokens": len(tokens),
        **{name: value for name, value in shape.items() if name != "vocabulary"},
    }

"""Random CUDA kernels by family: the training distribution, and the families that no training data comes from.

Every kernel follows from its family, its number and the seed. `HELD_OUT` families are for evaluation only.
"""

from __future__ import annotations

from random import Random

from cassc.model.train.families import cooperation, elements, hardware, programs
from cassc.model.train.families.parts import LISTED, Family

_GROUPS = (elements, cooperation, programs, hardware)
# In this order, on which the data depends.
FAMILIES: dict[str, Family] = {
    name: function for group in _GROUPS for name, function in LISTED.items() if function.__module__ == group.__name__
}
HELD_OUT = ("tiled_product", "histogram", "prefix_sum", "sparse_rows", "escape_time", "sorting_network", "stencil_2d",
            "string_search")  # fmt: skip
TRAINING = tuple(name for name in FAMILIES if name not in HELD_OUT)
HEADER = """#include <cassert>
#include <cstdio>
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <math_constants.h>
#include <mma.h>
"""


def kernel(name: str, seed: int, number: int) -> tuple[str, str]:
    """Symbol and source of a kernel of a family."""
    symbol = f"{name}_{number}"
    return symbol, FAMILIES[name](Random(f"{seed}/{name}/{number}"), symbol)

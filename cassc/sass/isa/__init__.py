"""The table: importing this package registers every row. Each module holds one group of instructions."""

from cassc.sass.isa import (
    atomic,
    control,
    convert,
    float32,
    float64,
    half,
    integer,
    memory,
    move,
    predicate,
    uniform,
    warp,
)

__all__ = [
    "atomic",
    "control",
    "convert",
    "float32",
    "float64",
    "half",
    "integer",
    "memory",
    "move",
    "predicate",
    "uniform",
    "warp",
]

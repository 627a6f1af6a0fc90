"""What the families' kernels are made of: indices, guards, parameters; and the list of the families."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Family = Callable[[Random, str], str]
LISTED: dict[str, Family] = {}


def family(function: Family) -> Family:
    """Enters it into the list."""
    LISTED[function.__name__] = function
    return function


def index(r: Random, name: str = "i") -> str:
    return r.choice((
        f"int {name} = blockIdx.x * blockDim.x + threadIdx.x;",
        f"int {name} = threadIdx.x + blockIdx.x * {r.choice((64, 128, 256))};",
        f"unsigned {name} = blockIdx.x * blockDim.x + threadIdx.x;",
        f"int {name} = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;",
    ))  # fmt: skip


def entry(name: str, parameters: str, body: str, bounds: str = "") -> str:
    return f'extern "C" __global__ {bounds}void {name}({parameters})\n{{\n  {body}\n}}\n'


def guarded(r: Random, body: str, n: str = "n") -> str:
    return r.choice((f"if (i >= {n}) return; {body}", f"if (i < {n}) {{ {body} }}"))


def arrays(r: Random, types: list[str]) -> tuple[str, str, dict[str, str]]:
    """Parameters, loads of element i, and the variables that they give."""
    parameters, loads, variables = [], [], {}
    for k, type in enumerate(types):
        restrict = r.choice(("", "", " __restrict__ "))
        parameters.append(f"const {type} *{restrict}a{k}")
        loads.append(f"{type} x{k} = a{k}[i];")
        variables[f"x{k}"] = type
    return ", ".join(parameters), " ".join(loads), variables


def scalars(r: Random, variables: dict[str, str], most: int = 2) -> str:
    """Further parameters, which become variables."""
    extra = ""
    for k in range(r.randint(0, most)):
        type = r.choice(("int", "float", "unsigned", "int", "long long", "double", "short"))
        variables[f"s{k}"] = type
        extra += f", {type} s{k}"
    return extra


TYPES = (
    "float",
    "int",
    "unsigned",
    "double",
    "long long",
    "unsigned long long",
    "short",
    "unsigned char",
    "signed char",
)
WEIGHTS = (30, 25, 14, 10, 8, 4, 4, 5, 3)


def some_type(r: Random) -> str:
    return r.choices(TYPES, WEIGHTS)[0]

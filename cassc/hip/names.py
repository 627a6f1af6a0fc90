"""The table of names, ``names.toml``, as look-ups."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_LIBRARIES = ("cublas", "cufft", "curand", "cusparse", "cusolver", "nvrtc", "nvtx", "nccl", "cudnn")


@dataclass(frozen=True, slots=True)
class Names:
    """Attributes:
    renamed: name of CUDA to name of HIP.
    missing: names of CUDA that HIP has no counterpart of, to the family that they belong to.
    other: names of CUDA's libraries, to those of the same purpose in HIP's that have other parameters.
    prefixes: of the libraries' names; one that is not renamed has no counterpart. (NCCL's names are known one by one.)
    namespaces, headers: as the table has them.
    changed: what is to be said of a name that stays, or whose meaning changes.
    lacking, lacking_headers: device functions and headers that HIP lacks.
    masks: functions whose first argument is a mask of lanes.
    halves: what CUDA's names begin with.
    cub_missing, cub_newer: names in CUB's namespace that no hipCUB has, and that only ROCm 7's has.
    """

    renamed: Mapping[str, str]
    missing: Mapping[str, str]
    other: Mapping[str, str]
    prefixes: Mapping[str, str]
    namespaces: Mapping[str, str]
    headers: Mapping[str, str]
    changed: Mapping[str, str]
    lacking: frozenset[str]
    lacking_headers: frozenset[str]
    masks: frozenset[str]
    halves: frozenset[str]
    cub_missing: frozenset[str]
    cub_newer: frozenset[str]


@functools.cache
def load() -> Names:
    data = tomllib.loads((Path(__file__).parent / "names.toml").read_text())
    renamed: dict[str, str] = dict(data["device"]["renamed"])
    missing: dict[str, str] = {}
    prefixes: dict[str, str] = {}
    other: dict[str, str] = {}
    for family in ("runtime", "driver", *_LIBRARIES):
        table: Mapping[str, Any] = data[family]
        old, new = table["cuda"], table["hip"]
        for rest in table["same"].split():
            renamed[old + rest] = new + rest
        for rest in table.get("upper", "").split():
            renamed[old.upper() + rest] = new.upper() + rest
        renamed.update(table.get("renamed", {}))
        missing.update(dict.fromkeys(table.get("missing", "").split(), family))
        other.update(table.get("other", {}))
        if family in _LIBRARIES:
            if "missing" not in table:
                prefixes[old] = family
            # cublasSgemm_v2 is what cublas_v2.h makes of cublasSgemm.
            renamed.update(
                {f"{old}{r}_v2": f"{new}{r}" for r in table["same"].split() if f"{old}{r}_v2" not in renamed}
            )
    lacking = data["lacking"]
    return Names(
        renamed=renamed,
        missing=missing,
        other=other,
        prefixes=prefixes,
        namespaces=data["namespaces"],
        headers=data["headers"],
        changed=data["changed"],
        lacking=frozenset(lacking["names"].split()),
        lacking_headers=frozenset(lacking["headers"].split()),
        masks=frozenset(data["masks"]["names"].split()),
        halves=frozenset(data[family]["cuda"] for family in ("runtime", "driver", *_LIBRARIES)),
        cub_missing=frozenset(data["cub"]["missing"].split()),
        cub_newer=frozenset(data["cub"]["newer"].split()),
    )

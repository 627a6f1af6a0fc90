"""rocThrust, hipCUB and rocPRIM under CUDA's names: what ``<thrust/...>`` and ``<cub/...>`` of a source become.

They are written for HIP, and know it by macros that a source for CUDA does not see. These words are replaced in their
text, in an overlay of clang's; ``<cub/x/y.cuh>`` is a file of the overlay that includes ``<hipcub/x/y.hpp>``. What they
use of HIP's API is in ``include/rocm/hip``, in CUDA's words. Known to work: 5.7.1 and 6.4.3 with clang 19.
"""

from __future__ import annotations

import functools
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cassc.hip.tools import include_folder

_SUFFIXES = frozenset((".h", ".hpp", ".inl", ".cuh"))
_OTHERS = ("/backend/cub/", "/system/cuda/")
"""Folders with NVIDIA's side."""
_WORDS = {
    **dict.fromkeys(("__HIP__", "__HIPCC__", "__HIP_PLATFORM_AMD__"), "CASSC_ROCM"),
    "__HIP_DEVICE_COMPILE__": "CASSC_ROCM_DEVICE",
    **dict.fromkeys(("__CUDACC__", "__NVCC__", "__CUDA__", "__CUDA_ARCH__"), "CASSC_ROCM_NEVER"),
    # rocPRIM tunes its kernels by the chip's name, alike on both sides; the host does not know the chip.
    "__amdgcn_processor__": "CASSC_ROCM_PROCESSOR",
}
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b|\b_{{0,2}}NV_\w+|__has_include\(<cuda/std/\w+>\)")
"""Also what AMD's macros share with those of NVIDIA's <nv/target>, and the question for NVIDIA's library: both may be
installed, and in one unit."""
_DEVICE_SYSTEM = re.compile(r"thrust/system/hip/\w+\.h")
_AS_CUDA = """
THRUST_NAMESPACE_BEGIN
namespace hip {}
namespace hip_rocprim {}
namespace cuda = hip;
namespace cuda_cub = hip_rocprim;
THRUST_NAMESPACE_END
"""
_KEPT: list[tempfile.TemporaryDirectory[str]] = []
"""What the overlays consist of, until the process ends."""


@dataclass(frozen=True, slots=True)
class RocThrust:
    """Attributes:
    root: where the headers seem to be.
    overlay: for ``-ivfsoverlay``.
    behind: for each header that seems to be there, the file of AMD's that it is made of.
    """

    root: Path
    overlay: Path
    behind: Mapping[str, Path]

    def words(self) -> list[str]:
        """For clang's command line."""
        defined = ("-DCASSC_ROCM=1", '-DCASSC_ROCM_PROCESSOR="gfx1100"')
        return ["-ivfsoverlay", str(self.overlay), "-isystem", str(self.root), *defined]


@functools.cache
def lay(headers: Path) -> RocThrust:
    """``headers``: the include folder that has the three libraries."""
    root = include_folder() / "rocm"
    kept = tempfile.TemporaryDirectory(prefix="cassc-rocthrust-")
    _KEPT.append(kept)
    behind: dict[str, Path] = {}
    entries: list[dict[str, str]] = []

    def put(name: str, file: Path, text: str | None) -> None:
        shown = str(root / name)
        behind[shown] = file
        if text is not None:
            contents = Path(kept.name, str(len(entries)))
            contents.write_text(text, errors="surrogateescape")
        entries.append({"type": "file", "name": shown, "external-contents": str(file if text is None else contents)})

    for name, file in _files(headers):
        text = file.read_text(errors="surrogateescape")
        changed = _WORD.sub(_other, text)
        if _DEVICE_SYSTEM.fullmatch(name):
            changed += _AS_CUDA
            put(f"thrust/system/cuda/{file.name}", file, f"#pragma once\n#include <{name}>\n")
        put(name, file, changed if changed != text else None)
        if name.startswith("hipcub/") and "/backend/" not in name:
            cub = name.replace("hipcub/hipcub.", "hipcub/cub.")[len("hip") :]
            put(str(Path(cub).with_suffix(".cuh")), file, f"#pragma once\n#include <{name}>\nnamespace cub = hipcub;\n")
    overlay = Path(kept.name, "overlay.yaml")
    overlay.write_text(json.dumps({"version": 0, "use-external-names": "false", "roots": entries}))
    return RocThrust(root, overlay, behind)


def _other(found: re.Match[str]) -> str:
    if "NV_" in found[0]:
        return found[0].replace("NV_", "CASSC_NV_", 1)  # underscores are put together in front
    return _WORDS.get(found[0], "0")


def _files(headers: Path) -> Iterator[tuple[str, Path]]:
    for library in ("thrust", "hipcub", "rocprim"):
        for folder, _, names in os.walk(headers / library):
            for name in names:
                file = Path(folder, name)
                if file.suffix in _SUFFIXES and not any(part in str(file) for part in _OTHERS):
                    yield file.relative_to(headers).as_posix(), file

"""The mathematical libraries (libcublas, libcufft, ...): their headers, and what libraries of the CPU they stand on."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from ctypes.util import find_library
from pathlib import Path

from cassc.hip.tools import library_folders

HEADERS = {
    "cublas": "cublas_v2.h",
    "cufft": "cufft.h",
    "curand": "curand.h",
    "cusolver": "cusolverDn.h",
    "cusparse": "cusparse.h",
    "nvrtc": "nvrtc.h",
}
"""By the name of the folder with our headers: one header that tells whether NVIDIA's are installed."""


def missing_headers(include: Path) -> list[Path]:
    """The folders of our headers for those libraries whose headers are not in NVIDIA's ``include``."""
    return [folder for folder in library_folders() if not (include / HEADERS[folder.name]).exists()]


def has_nvrtc(environment: Mapping[str, str]) -> bool:
    """Whether a program with this environment finds NVIDIA's runtime compiler by itself: on its search path or among
    the system's libraries. (Python's packages are found by those who look there before either.)"""
    folders = [Path(folder) for folder in environment.get("LD_LIBRARY_PATH", "").split(":") if folder]
    return any(True for folder in folders for _ in folder.glob("libnvrtc.so.*")) or bool(find_library("nvrtc"))


def blas() -> Path | None:
    """The OpenBLAS that the wheel of numpy brings, where numpy came as a wheel; numpy is not imported."""
    found = importlib.util.find_spec("numpy")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent.parent / "numpy.libs"
    return next(iter(sorted(folder.glob("lib*openblas*.so"))), None)

"""Which LLVM assembles: an LLVM-C library (the rocm-llvm-python wheel's, or ROCm's), or ROCm's own clang and ld.lld."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path

from cassc import diag


@dataclass(frozen=True, slots=True)
class Llvm:
    """Either ``library`` (a shared library with the LLVM-C API) or both ``clang`` and ``lld`` are set.

    ``origin`` says in words where it was found.
    """

    origin: str
    library: Path | None = None
    clang: Path | None = None
    lld: Path | None = None


def find_llvm() -> Llvm:
    """The LLVM to use: ``CASSC_LLVM`` (a library, a clang, or a folder with bin/clang), else the rocm-llvm-python
    wheel, else the LLVM of an installed ROCm. Raises CasscError ``amdgpu-no-llvm``."""
    named = os.environ.get("CASSC_LLVM")
    if named:
        found = _named(Path(named))
        if found is None:
            raise diag.error(
                "amdgpu-no-llvm", f"CASSC_LLVM names '{named}', which is neither an LLVM library nor a clang"
            )
        return found
    return _wheel() or _rocm() or _missing()


def _named(path: Path) -> Llvm | None:
    if path.is_dir():
        return _tools(path, "CASSC_LLVM")
    if not path.is_file():
        return None
    if ".so" in path.suffixes:
        return Llvm("CASSC_LLVM", library=path)
    return _tools(path.parent.parent, "CASSC_LLVM", path)


def _wheel() -> Llvm | None:
    try:
        package = importlib.util.find_spec("rocm.llvm")
    except (ImportError, ValueError):
        return None
    for folder in (package.submodule_search_locations or ()) if package else ():
        library = Path(folder) / "librocmllvm.so"
        if library.is_file():
            return Llvm("the rocm-llvm-python package", library=library)
    return None


def _rocm() -> Llvm | None:
    for root in (os.environ.get("ROCM_PATH", ""), os.environ.get("HIP_PATH", ""), "/opt/rocm"):
        if not root:
            continue
        for folder in ("lib/llvm", "llvm"):
            library = Path(root) / folder / "lib" / "libLLVM.so"
            if library.is_file():
                return Llvm(f"ROCm in {root}", library=library)
            programs = _tools(Path(root) / folder, f"ROCm in {root}")
            if programs:
                return programs
    return None


def _tools(root: Path, origin: str, clang: Path | None = None) -> Llvm | None:
    """clang and the ld.lld beside it; a version suffix (clang-19, ld.lld-19) must be the same on both."""
    clang = clang or root / "bin" / "clang"
    lld = clang.with_name(clang.name.replace("clang++", "clang").replace("clang", "ld.lld"))
    return Llvm(origin, clang=clang, lld=lld) if clang.is_file() and lld.is_file() else None


def _missing() -> Llvm:
    cure = diag.note("to install one: pip install rocm-llvm-python==7.2.2.562.46")
    raise diag.error("amdgpu-no-llvm", "no LLVM with the AMDGPU target was found", notes=[cure])

"""What ``cassc doctor`` says: what cassc needs or can use, where it is, and the command that mends its lack."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import cassc
from cassc import toolchain
from cassc.amdgpu.llvm import find_llvm
from cassc.diag import CasscError
from cassc.hip import tools as source_tools
from cassc.toolchain import Toolchain


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the list.

    Attributes:
        name: what was looked for.
        found: whether it is there and sound.
        needed: whether cassc cannot compile without it.
        detail: version and path, or what is wrong.
        mend: the command that mends it, empty if there is none or nothing is wrong.
    """

    name: str
    found: bool
    needed: bool
    detail: str
    mend: str = ""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def examine() -> list[Finding]:
    """Look at the machine. Starts nvcc, g++ and ar for their versions; compiles nothing."""
    found = toolchain.find_others()
    try:
        found = replace(found, nvcc=toolchain.find_nvcc())
        nvcc = _nvcc(found)
    except CasscError as problem:
        nvcc = Finding("nvcc", False, True, str(problem), "unset CASSC_NVCC")
    return [
        Finding("cassc", True, True, f"{cassc.__version__}, Python {platform.python_version()}, {_package_folder()}"),
        nvcc,
        _program("host compiler", found.cxx, "host"),
        _program("archiver", found.ar, "host", needed=False),
        _llvm(),
        _runtime(found),
        _source(),
        _algorithms(),
        _device(found),
    ]


def text(finding: Finding) -> str:
    mark = "ok" if finding.found else ("MISSING" if finding.needed else "absent")
    line = f"{mark:<8} {finding.name:<14} {finding.detail}"
    return f"{line}\n{'':<23} mend: {finding.mend}" if finding.mend else line


def _package_folder() -> str:
    return str(Path(cassc.__file__).parent)


def _nvcc(found: Toolchain) -> Finding:
    mend = toolchain.load("cuda")["mend"]
    nvcc = found.nvcc
    if nvcc is None:
        return Finding(
            "nvcc", False, True, "not on PATH, in CUDA_HOME, CUDA_PATH, or among the packages", mend["missing"]
        )
    where = {"PATH": "on PATH", "wheel": "Python package"}.get(nvcc.origin, f"from {nvcc.origin}")
    detail = f"{nvcc.release}, {nvcc.path} ({where}), toolkit {nvcc.root}"
    lacking = [name for name in _toolkit_files(nvcc) if not _exists_below(nvcc.root, name)]
    if lacking:
        return Finding("nvcc", False, True, f"{detail}: {', '.join(lacking)} missing", mend["incomplete"])
    mixed = _mixed_wheels() if nvcc.origin == "wheel" else ""
    if mixed:
        return Finding("nvcc", False, True, f"{detail}: {mixed}", mend["incomplete"])
    return Finding("nvcc", True, True, detail)


def _toolkit_files(nvcc: toolchain.Nvcc) -> tuple[str, ...]:
    """One file of each part that a compilation needs; cicc moved below nvvm/ with CUDA 5."""
    return (
        "bin/ptxas",
        "bin/cudafe++",
        "bin/fatbinary",
        "nvvm/bin/cicc",
        "include/cuda_runtime.h",
        "include/crt/host_config.h",
    )


def _exists_below(root: Path, name: str) -> bool:
    return (root / name).exists() or (root / "targets/x86_64-linux" / name).exists()


def _mixed_wheels() -> str:
    """The wheels must come from one release: nvcc, libnvvm and crt exchange private formats."""
    releases = {}
    for package in ("nvidia-cuda-nvcc", "nvidia-nvvm", "nvidia-cuda-crt"):
        try:
            releases[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            return f"package {package} is not installed"
    if len({release.rsplit(".", 1)[0] for release in releases.values()}) > 1:
        return "mixed releases: " + ", ".join(f"{name} {release}" for name, release in releases.items())
    return ""


def _program(name: str, path: Path | None, data: str, *, needed: bool = True) -> Finding:
    if path is None:
        return Finding(name, False, needed, "not on PATH", toolchain.load(data)["mend"]["missing"])
    return Finding(name, True, needed, f"{_version(path)}, {path}")


def _version(path: Path) -> str:
    done = subprocess.run([str(path), "--version"], capture_output=True, text=True, errors="replace", check=False)
    match = re.search(r"\d+\.\d+(\.\d+)?", done.stdout)
    return match[0] if match else "unknown version"


def _llvm() -> Finding:
    try:
        llvm = find_llvm()
    except CasscError as problem:
        return Finding("LLVM", False, True, str(problem), "pip install rocm-llvm-python==7.2.2.562.46")
    return Finding("LLVM", True, True, f"{llvm.library or llvm.clang} ({llvm.origin})")


def _runtime(found: Toolchain) -> Finding:
    mend = "pip install --force-reinstall --no-deps .   (in a clone of cassc)"
    named = os.environ.get("CASSC_LIBDIR")
    if found.runtime is None and named:
        where = f"CASSC_LIBDIR is '{named}', where there is no libcudart.so.*"
        return Finding("cassc runtime", False, True, where, "unset CASSC_LIBDIR")
    if found.runtime is None:
        return Finding("cassc runtime", False, True, "libcudart, libcassrt and libcassc_emu were not built", mend)
    lacking = [name for name in ("libcassrt.so", "libcassc_emu.so") if not any(found.runtime.glob(f"{name}*"))]
    if found.nvcc:
        names = (found.nvcc.runtime, found.nvcc.runtime.replace("libcudart", "libcassc_cudart"))
        lacking += [name for name in names if not (found.runtime / name).exists()]
    if lacking:
        return Finding("cassc runtime", False, True, f"{found.runtime}: {', '.join(lacking)} missing", mend)
    return Finding("cassc runtime", True, True, str(found.runtime))


def _source() -> Finding:
    """What the source engine and ``cassc hipify`` work with."""
    lacks = source_tools.lacks()
    if lacks:
        mend = " && ".join(lack.mend for lack in lacks)
        return Finding("source engine", False, False, "no " + ", no ".join(lack.what for lack in lacks), mend)
    tools = source_tools.find()
    detail = f"clang {tools.clang.version} {tools.clang.path}, {tools.device_libraries}, {tools.lexer}"
    return Finding("source engine", True, False, detail)


def _algorithms() -> Finding:
    """Whose Thrust and CUB the source engine takes."""
    rocthrust, cccl = source_tools.find_rocthrust(), source_tools.find_cccl()
    if rocthrust is not None:
        besides = f"; <cuda/...> from {cccl}" if cccl else ""
        return Finding("Thrust and CUB", True, False, f"AMD's rocThrust and hipCUB in {rocthrust}{besides}")
    if cccl is not None:
        return Finding("Thrust and CUB", True, False, f"NVIDIA's CCCL in {cccl}")
    return Finding(
        "Thrust and CUB", False, False, "none for the source engine", toolchain.load("source")["mend"]["cccl"]
    )


def _device(found: Toolchain) -> Finding:
    if found.hip and found.gpu:
        return Finding("GPU", True, False, f"HIP {found.hip}; programs run on it where its chip was a target")
    lack = "no ROCm runtime" if found.gpu else "no AMD GPU"
    return Finding("GPU", False, False, f"{lack}: programs run on the built-in RDNA3 emulator")

"""The programs and files that the source engine needs; ``toolchains/source.toml`` says where to look for them."""

from __future__ import annotations

import functools
import glob
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cassc import toolchain
from cassc.diag import error, note

_VARIABLE = "CASSC_CLANG"
_LIBRARIES_VARIABLE = "CASSC_DEVICE_LIBS"


@dataclass(frozen=True, slots=True)
class Clang:
    """``root`` is the LLVM that the compiler belongs to; ``version`` its major version."""

    path: Path
    root: Path
    version: int
    lld: Path | None


@dataclass(frozen=True, slots=True)
class SourceTools:
    """All there is to compile with. ``lexer`` is the libclang that cuts sources into tokens."""

    clang: Clang
    device_libraries: Path
    lexer: Path


@dataclass(frozen=True, slots=True)
class Lack:
    """Something that is missing, in words, and the command that brings it."""

    what: str
    mend: str


def find() -> SourceTools:
    """Raises CasscError ``source-no-tools``, which names what is missing and the command that brings it."""
    clang, libraries, lexer = find_clang(), None, None
    if clang is not None:
        libraries, lexer = find_device_libraries(clang.version), find_lexer()
    missing = lacks()
    if missing or clang is None or libraries is None or lexer is None:
        raise error(
            "source-no-tools",
            "the source engine has no " + ", no ".join(lack.what for lack in missing),
            notes=[note(f"to install: {' && '.join(lack.mend for lack in missing)}")],
        )
    return SourceTools(clang, libraries, lexer)


def lacks() -> list[Lack]:
    """What is missing, each with its command; empty where all is there."""
    data = toolchain.load("source")
    mend = {name: text.format(toolchains=toolchain.data_folder()) for name, text in data["mend"].items()}
    found = []
    clang = find_clang()
    if clang is None or clang.lld is None:
        named = os.environ.get(_VARIABLE)
        what = f"clang from {data['oldest']} on with lld"
        found.append(Lack(f"{what} at '{named}'", f"unset {_VARIABLE}") if named else Lack(what, mend["clang"]))
    if find_device_libraries(clang.version if clang else data["oldest"]) is None:
        found.append(Lack("AMD device library", mend["device_libraries"]))
    if clang is not None and find_lexer() is None:  # a clang brings its own
        found.append(Lack("libclang", mend["lexer"]))
    return found


@functools.cache
def find_clang() -> Clang | None:
    """``$CASSC_CLANG`` and no other; else ROCm's, or the first on PATH that is new enough."""
    data = toolchain.load("source")
    named = os.environ.get(_VARIABLE)
    candidates = [named] if named else []
    if not named:
        for root in [*(os.environ.get(v, "") for v in data["variables"]), *data["roots"]]:
            candidates += [f"{root}/llvm/bin/clang++"] if root else []
        candidates += data["programs"]
    for candidate in candidates:
        path = shutil.which(candidate)
        if path is None:
            continue
        text = _ask(path, "--version")
        match = re.search(r"clang version (\d+)\.", text)
        if match is None or int(match[1]) < data["oldest"]:
            continue
        root = Path(path).resolve().parent.parent
        lld = root / "bin" / "ld.lld"
        return Clang(Path(path), root, int(match[1]), lld if lld.exists() else None)
    return None


@functools.cache
def find_device_libraries(version: int) -> Path | None:
    """The newest that a clang of that version can read: ``$CASSC_DEVICE_LIBS``, ROCm's, the distribution's."""
    data = toolchain.load("source")
    named = os.environ.get(_LIBRARIES_VARIABLE)
    if named:
        return Path(named) if (Path(named) / data["bitcode"]).is_file() else None
    for root in [*(os.environ.get(v, "") for v in data["variables"]), *data["roots"]]:
        if root and (Path(root) / "amdgcn/bitcode" / data["bitcode"]).is_file():
            return Path(root) / "amdgcn/bitcode"
    best: tuple[int, Path] | None = None
    for pattern in data["device_libraries"]:
        for name in glob.glob(os.path.expanduser(pattern)):
            if not (Path(name) / data["bitcode"]).is_file():
                continue
            match = re.search(r"llvm-(\d+)", name)
            writer = int(match[1]) if match else 0
            if writer <= version and (best is None or writer > best[0]):
                best = (writer, Path(name))
    return best[1] if best else None


@functools.cache
def find_lexer() -> Path | None:
    """The libclang beside clang, else the one of the libclang wheel."""
    data = toolchain.load("source")
    clang = find_clang()
    if clang is not None:
        for pattern in data["lexers"]:
            found = sorted(glob.glob(pattern.format(root=clang.root, version=clang.version)))
            if found:
                return Path(found[0])
    for packages in _package_folders():
        path = packages / str(data["lexer_wheel"])
        if path.is_file():
            return path
    return None


@functools.cache
def find_cccl() -> Path | None:
    """NVIDIA's CCCL (Thrust, CUB, libcu++): ``$CASSC_CCCL``, nvcc's, or the nvidia-cuda-cccl wheel's headers."""
    named = os.environ.get("CASSC_CCCL")
    nvcc = toolchain.find_nvcc()
    roots = [nvcc.root, nvcc.root / "targets/x86_64-linux"] if nvcc else []
    folders = [Path(named)] if named else []
    folders += [root / "include" / "cccl" for root in (*roots, *toolchain.cuda_packages())]
    return next((folder for folder in folders if (folder / "cub/cub.cuh").is_file()), None)


@functools.cache
def find_rocthrust() -> Path | None:
    """The include folder with rocThrust, hipCUB and rocPRIM: ``$CASSC_ROCTHRUST`` and no other (empty: none), else
    ROCm's, or the distribution's, if they are of a version that is known to work."""
    data = toolchain.load("source")
    needed: list[str] = data["rocthrust"]

    def complete(folder: str) -> bool:
        return bool(folder) and all((Path(folder) / name).is_file() for name in needed)

    named = os.environ.get(data["rocthrust_variable"])
    if named is not None:
        return Path(named) if complete(named) else None
    roots = [*(os.environ.get(v, "") for v in data["variables"]), *data["roots"], "/usr"]
    for folder in (f"{root}/include" for root in roots if root):
        if complete(folder):
            text = (Path(folder) / data["rocprim_version"]).read_text(errors="replace")
            match = re.search(r"#define ROCPRIM_VERSION_MAJOR (\d+)", text)
            if match is not None and int(match[1]) <= data["newest_rocprim"]:
                return Path(folder)
    return None


def include_folder() -> Path:
    """The headers that stand for CUDA's."""
    return Path(__file__).parent / "include"


def library_folders() -> list[Path]:
    """The headers of cassc's mathematical libraries, a folder for each library."""
    return sorted(path for path in (Path(__file__).parents[1] / "include").iterdir() if path.is_dir())


def _package_folders() -> Iterator[Path]:
    for entry in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *sys.path):
        if entry:
            yield Path(entry)


def _ask(program: str, *arguments: str) -> str:
    try:
        return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=20, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""

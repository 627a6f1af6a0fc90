"""What this machine has: nvcc, the host compiler, cassc's own runtime libraries, and HIP.

The names and places to try are data, in ``toolchains/*.toml``; this module only looks. (LLVM is looked for by
``cassc.amdgpu.llvm``.) Nothing here starts a compilation, and nothing here fails when a tool is missing, unless the
user named one: a stage that needs one asks with :func:`require_nvcc` and the like, and ``cassc doctor`` prints the
whole list.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cassc.diag import error, note

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OWN_CUDA = (13, 0, 0)
"""The CUDA release whose API the headers of cassc's own describe, for machines without nvcc."""

GUARD = "CASSC_INSIDE_NVCC"
"""Set in the environment of every nvcc that cassc starts: seeing it on entry means that nvcc is cassc itself."""

NVCC_FLAG_VARIABLES = ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS")
"""cassc reads these itself: an nvcc that it starts must not see them again."""


def nvcc_environment() -> dict[str, str]:
    """For an nvcc that cassc starts."""
    kept = {name: value for name, value in os.environ.items() if name not in NVCC_FLAG_VARIABLES}
    return {**kept, GUARD: "1"}


@dataclass(frozen=True, slots=True)
class Nvcc:
    """NVIDIA's compiler driver.

    Attributes:
        path: the executable.
        origin: ``PATH``, the name of the environment variable, or ``wheel``.
        version: ``(13, 0, 88)``.
        banner: its whole answer to ``--version``.
        root: the toolkit's root (nvcc's ``TOP``).
        libraries: directory of libcudadevrt.a, which nvcc.profile does not find by itself in the wheels' layout;
            empty where nvcc knows it.
        runtime: soname of the CUDA runtime its objects expect.
    """

    path: Path
    origin: str
    version: tuple[int, int, int]
    banner: str
    root: Path
    libraries: Path | None
    runtime: str

    @property
    def release(self) -> str:
        return ".".join(map(str, self.version))


@dataclass(frozen=True, slots=True)
class Toolchain:
    """Everything found; ``None`` is missing.

    ``runtime`` is the directory of libcudart.so.N, libcassrt.so and libcassc_emu.so. ``hip`` is a path where one is
    known and the bare soname where the loader's own search finds it.
    """

    nvcc: Nvcc | None
    cxx: Path | None
    ar: Path | None
    runtime: Path | None
    hip: str | None
    gpu: bool

    def require_nvcc(self) -> Nvcc:
        if self.nvcc is None:
            raise error(
                "toolchain-no-nvcc",
                "nvcc was not found on PATH, in CUDA_HOME or CUDA_PATH, or among Python's packages",
                notes=[note(f"to install it: {load('cuda')['mend']['missing']}")],
            )
        return self.nvcc

    def require_cxx(self) -> Path:
        if self.cxx is None:
            raise error(
                "toolchain-no-host-compiler",
                "no host C++ compiler was found on PATH",
                notes=[note(f"to install one: {load('host')['mend']['missing']}")],
            )
        return self.cxx

    def require_ar(self) -> Path:
        if self.ar is None:
            raise error(
                "toolchain-no-archiver",
                "no archiver (ar) was found on PATH",
                notes=[note(f"to install one: {load('host')['mend']['missing']}")],
            )
        return self.ar

    def require_runtime(self) -> Path:
        named = os.environ.get("CASSC_LIBDIR")
        if self.runtime is None and named:
            raise error("toolchain-bad-libdir", f"CASSC_LIBDIR is '{named}', where there is no libcudart.so.*")
        if self.runtime is None:
            raise error(
                "toolchain-no-runtime",
                "cassc's own runtime libraries (libcudart, libcassrt, libcassc_emu) are not beside its package",
                notes=[note("to build them, in a clone of cassc: pip install --force-reinstall --no-deps .")],
            )
        return self.runtime


def load(name: str) -> Mapping[str, Any]:
    """One of the ``toolchains/*.toml`` files."""
    return tomllib.loads((data_folder() / f"{name}.toml").read_text())


def data_folder() -> Path:
    """``toolchains``, of the package or of a clone."""
    here = Path(__file__).resolve().parent
    for folder in (here / "toolchains", here.parent / "toolchains"):
        if (folder / "cuda.toml").is_file():
            return folder
    raise error("toolchain-no-data", "the installation is damaged: the folder 'toolchains' is missing")


def find() -> Toolchain:
    """Look for everything. Costs a few milliseconds: nvcc is asked for its version and its root, nothing else is
    started. Raises CasscError as :func:`find_nvcc`."""
    return replace(find_others(), nvcc=find_nvcc())


def find_others() -> Toolchain:
    """Everything but nvcc."""
    host = load("host")
    return Toolchain(
        nvcc=None,
        cxx=_first_on_path(host["cxx"]),
        ar=_first_on_path(host["ar"]),
        runtime=find_runtime(),
        hip=_find_hip(),
        gpu=Path(load("rocm")["kfd"]).exists(),
    )


def find_nvcc() -> Nvcc | None:
    """``CASSC_NVCC`` alone if it is set; else PATH first, then the variables, then the wheels. Never cassc
    itself under the name nvcc.

    Raises CasscError ``toolchain-bad-nvcc`` if ``CASSC_NVCC`` names something else than an nvcc that can be used.
    """
    data = load("cuda")
    chosen = os.environ.get(data["chosen"])
    if chosen:
        if chosen == "none":
            return None
        path = Path(shutil.which(chosen) or chosen)
        found = _examine(path, data["chosen"], data)
        if isinstance(found, str):
            text = f"{data['chosen']} is '{chosen}', which {found}"
            raise error("toolchain-bad-nvcc", text, notes=[note("name an nvcc, or 'none', or unset the variable")])
        return found
    looked_at = (_examine(path, origin, data) for path, origin in _nvcc_candidates(data))
    return next((found for found in looked_at if not isinstance(found, str)), None)


def _examine(path: Path, origin: str, data: Mapping[str, Any]) -> Nvcc | str:
    """What is known of an nvcc, or why a file is none that can be used."""
    if not path.is_file():
        return "is no file"
    if _is_cassc(path):
        return "is cassc itself"
    banner = _ask(path, "--version")
    match = re.search(r"V(\d+)\.(\d+)\.(\d+)", banner)
    if match is None:
        return "does not say which nvcc it is when asked with --version"
    version = (int(match[1]), int(match[2]), int(match[3]))
    if version[:2] < tuple(data["oldest"]):
        oldest = ".".join(map(str, data["oldest"]))
        return f"is nvcc {match[1]}.{match[2]}: the oldest that can be used is {oldest}"
    root = _toolkit_root(path)
    known = any((root / where).is_dir() for where in ("lib64", "targets/x86_64-linux/lib"))
    return Nvcc(
        path=path,
        origin=origin,
        version=version,
        banner=banner,
        root=root,
        libraries=None if known else root / "lib",
        runtime=data["runtime"].get(str(version[0]), f"libcudart.so.{version[0]}"),
    )


def cuda_packages() -> list[Path]:
    """Folders of NVIDIA's own CUDA runtime among Python's packages."""
    names = load("cuda")["runtime_wheels"]
    return [packages / name for packages in _package_folders() for name in names if (packages / name).is_dir()]


def find_runtime() -> Path | None:
    """``$CASSC_LIBDIR`` alone if it is set, else ``lib`` beside the package (an editable install has two places)."""
    import cassc

    named = os.environ.get("CASSC_LIBDIR")
    folders = [Path(named)] if named else [Path(place) / "lib" for place in cassc.__path__]
    for folder in folders:
        if any(folder.glob("libcudart.so.*")):
            return folder.resolve()
    return None


def host_compiler(toolchain: Toolchain, ccbin: str) -> Path:
    """The compiler that ``-ccbin`` names (a program, or a directory that holds one), else the one found."""
    named = ccbin or next((os.environ[v] for v in load("host")["variables"] if os.environ.get(v)), "")
    if not named:
        return toolchain.require_cxx()
    if Path(named).is_dir():
        for name in load("host")["cxx"]:
            path = Path(named, name)
            if os.access(path, os.X_OK):
                return path
    found = shutil.which(named)
    if found is None:
        raise error("toolchain-no-host-compiler", f"the host compiler '{named}' was not found")
    return _linking_twin(Path(found))


def _linking_twin(compiler: Path) -> Path:
    """``gcc-13`` to ``g++-13``, ``clang`` to ``clang++``: programs are linked by the C++ driver."""
    for c_name, cxx_name in (("gcc", "g++"), ("clang", "clang++")):
        if re.fullmatch(rf"(.*-)?{c_name}(-[\d.]+)?", compiler.name):
            twin = compiler.with_name(compiler.name.replace(c_name, cxx_name, 1))
            if twin.exists():
                return twin
    return compiler


def _nvcc_candidates(data: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    program = data["program"]
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        found = shutil.which(program, path=folder) if folder else None
        if found:
            yield Path(found), "PATH"
    for variable in data["variables"]:
        root = os.environ.get(variable)
        if root and os.access(Path(root, "bin", program), os.X_OK):
            yield Path(root, "bin", program), variable
    for packages in _package_folders():
        path = packages / data["wheel"] / "bin" / program
        if path.is_file():
            yield path, "wheel"


def _is_cassc(path: Path) -> bool:
    """Whether a program found as nvcc is this one: the same file, or a launcher of ``cassc.cli``."""
    own = Path(sys.argv[0])
    if own.exists() and path.exists() and path.samefile(own):
        return True
    with path.open("rb") as file:
        head = file.read(4096)
    return head.startswith(b"#!") and b"cassc.cli" in head


def _ask(program: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            [str(program), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=nvcc_environment(),
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def _toolkit_root(nvcc: Path) -> Path:
    """nvcc's own idea of its root, since the one on PATH may be a script that starts another."""
    match = re.search(r"^#\$ TOP=(.+)$", _ask(nvcc, "-v", "--dryrun", "cassc.cu"), re.MULTILINE)
    return Path(match[1]).resolve() if match else nvcc.resolve().parent.parent


def _package_folders() -> Iterator[Path]:
    seen = set()
    for entry in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *sys.path):
        if entry and entry not in seen:
            seen.add(entry)
            yield Path(entry)


def _first_on_path(names: list[str]) -> Path | None:
    return next((Path(found) for name in names if (found := shutil.which(name))), None)


def _rocm_roots(data: Mapping[str, Any]) -> list[Path]:
    named = [Path(value) for variable in data["variables"] if (value := os.environ.get(variable))]
    return named + [Path(root) for root in data["roots"]]


def _find_hip() -> str | None:
    """The library file under a ROCm root, or the soname that the loader's cache knows."""
    data = load("rocm")
    for root in _rocm_roots(data):
        for name in data["hip"]:
            if (root / "lib" / name).exists():
                return str(root / "lib" / name)
    cache = Path("/etc/ld.so.cache")
    known = cache.read_bytes() if cache.is_file() else b""
    return next((name for name in data["hip"] if name.encode() + b"\0" in known), None)


def check_not_inside() -> None:
    """Refuse to run as the nvcc that cassc itself started."""
    if os.environ.get(GUARD):
        raise error(
            "toolchain-nvcc-is-cassc",
            f"'{sys.argv[0]}' was started as nvcc, but is cassc itself; put NVIDIA's nvcc first or set CUDA_HOME",
        )

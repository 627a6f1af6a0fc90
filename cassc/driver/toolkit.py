"""The toolkit tree: the folder that build systems take for CUDA's (``bin``, ``include``, ``lib``, ``nvvm/libdevice``).

It is made when it is first asked for, of links and a few small files, and is found again by what it was made from: one
tree for each pair of an nvcc and an installed cassc. Its headers are NVIDIA's where there is an nvcc; its
libraries are cassc's:

* ``libcudart_static.a`` and ``libcudart.so`` are linker scripts that name ``libcassc_cudart.so.N`` by its path. That
  library has no soname, so a program linked by plain ``c++`` finds it with no search path of its own.
* ``libcudart.so.N`` is the same code under NVIDIA's soname, for what asks the loader for it.
* ``libcuda.so``, there and in ``stubs``, is such a script for ``libcassc_cuda.so.1``, the driver API.
* ``libcudadevrt.a`` is empty: kernels that launch kernels are not supported, and everything that links names it.
* ``libcublas.so`` and the other mathematical libraries that cassc has are linker scripts of the same kind.

NVIDIA's other libraries (cuDNN, ...) are left out on purpose: they would link, and then fail without NVIDIA's driver.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import site
import stat
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cassc
from cassc.diag import CasscError, error, note
from cassc.driver import libraries
from cassc.driver.cache import Cache
from cassc.hip.tools import include_folder
from cassc.toolchain import OWN_CUDA, Nvcc, Toolchain

_LAYOUT = 5
"""Part of the name; a tree of another layout is another tree."""

_STAMP = ".cassc"
_MATHEMATICAL = {
    "cublas": {12: 12, 13: 13},
    "cublasLt": {12: 12, 13: 13},
    "cufft": {12: 11, 13: 12},
    "curand": {12: 10, 13: 10},
    "cusolver": {12: 11, 13: 12},
    "cusparse": {12: 12, 13: 12},
    "nvrtc": {12: 12, 13: 13},
    "nvToolsExt": {12: 1, 13: 1},
}
"""Mathematical libraries, with the version in the soname for each major version of CUDA."""

_EMPTY_ARCHIVE = b"!<arch>\n"


@dataclass(frozen=True, slots=True)
class Toolkit:
    """Attributes:
    root: the folder, nvcc's ``TOP``.
    version: of CUDA, as its files say.
    """

    root: Path
    version: tuple[int, int, int]

    def holds(self, folder: str) -> bool:
        """Whether a folder of the command line is the tree's ``lib``, under any of its names."""
        return os.path.realpath(folder) == os.path.realpath(self.lib)

    @property
    def include(self) -> Path:
        return self.root / "include"

    @property
    def lib(self) -> Path:
        return self.root / "lib"

    @property
    def libdevice(self) -> Path:
        return self.root / "nvvm" / "libdevice"


def version(found: Toolchain) -> tuple[int, int, int]:
    """nvcc's where there is one."""
    return found.nvcc.version if found.nvcc else OWN_CUDA


def find(found: Toolchain) -> Toolkit:
    """The tree for this machine, made if it is not there. Raises CasscError ``toolkit-not-written``."""
    description = _description(found)
    release = ".".join(map(str, version(found)[:2]))
    name = f"cuda-{release}-{hashlib.sha256(description.encode()).hexdigest()[:10]}"
    for place in _places():
        root = place / name
        if _is_made(root, description):
            return Toolkit(root, version(found))
    problem = OSError(0, "no folder to write to")
    for place in _places():
        try:
            _safe_folder(place)
            return _write(place / name, found)
        except OSError as refused:
            problem = refused
    raise _not_written(place, problem, "name a folder that can be written in CASSC_TOOLKIT_DIR")


def make(root: Path, found: Toolchain) -> Toolkit:
    """A tree at ``root``, as ``cassc toolkit --at`` makes it. Raises CasscError ``toolkit-not-written``."""
    try:
        return _write(root.absolute(), found)
    except OSError as problem:
        raise _not_written(root, problem, "name a new folder, or one that 'cassc toolkit --at' made") from problem


def _not_written(root: Path, problem: OSError, advice: str) -> CasscError:
    message = f"cannot write the toolkit tree to '{root}': {problem.strerror}"
    return error("toolkit-not-written", message, notes=[note(advice)])


def _write(root: Path, found: Toolchain) -> Toolkit:
    """Make the tree at ``root``; an older one of cassc's that stands there is replaced, anything else is an OSError."""
    description = _description(found)
    root.parent.mkdir(parents=True, exist_ok=True)
    if root.exists() and not (root / _STAMP).exists() and any(root.iterdir()):
        raise FileExistsError(17, "the folder is not empty, and not a toolkit tree of cassc", str(root))
    made = Path(tempfile.mkdtemp(prefix=f".{root.name}-", dir=root.parent))
    try:
        made.chmod(0o755)
        _fill(made, root, found)
        (made / _STAMP).write_text(description)
        _exchange(made, root, description)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return Toolkit(root, version(found))


def _exchange(made: Path, root: Path, description: str) -> None:
    try:
        os.rename(made, root)
    except OSError:
        if _is_made(root, description):  # by another build, in the meantime
            return
        old = Path(tempfile.mkdtemp(prefix=f".{root.name}-", dir=root.parent))
        os.rename(root, old / "old")
        os.rename(made, root)
        shutil.rmtree(old, ignore_errors=True)


def _is_made(root: Path, description: str) -> bool:
    try:
        return (root / _STAMP).read_text() == description
    except OSError:
        return False


def _description(found: Toolchain) -> str:
    """Everything that the tree's content depends on."""
    nvcc = found.nvcc
    parts = {
        "layout": _LAYOUT,
        "cassc": cassc.__version__,
        "package": str(Path(cassc.__file__).resolve().parent),
        "python": sys.executable,
        "modules": _module_folders(),
        "runtime": str(found.runtime or ""),
        "nvcc": [str(nvcc.path), str(nvcc.root), nvcc.release] if nvcc else [],
    }
    return json.dumps(parts, indent=1) + "\n"


def _places() -> Iterator[Path]:
    """Folders that may hold trees. They live as long as build folders that name them, so the cache is not the first."""
    named = os.environ.get("CASSC_TOOLKIT_DIR")
    if named:
        yield Path(named).absolute()
        return
    shared = Path(cassc.__file__).resolve().parents[2] / "toolkits"  # of an installed package, made for all users
    if shared.is_dir():
        yield shared
    data = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
    yield Path(data, "cassc", "toolkits")
    yield Cache.open().root.absolute() / "toolkits"
    yield Path(tempfile.gettempdir(), f"cassc-toolkits-{os.getuid()}")


def _safe_folder(place: Path) -> None:
    """In a folder that all may write to, nobody else may have prepared ours."""
    place.mkdir(parents=True, exist_ok=True, mode=0o755)
    status = place.lstat()
    if place.parent == Path(tempfile.gettempdir()) and (status.st_uid != os.getuid() or stat.S_ISLNK(status.st_mode)):
        raise PermissionError(1, "the folder belongs to another user", str(place))


def _fill(made: Path, root: Path, found: Toolchain) -> None:
    """``root`` is where the tree will stand: what is written into files names that."""
    release = ".".join(map(str, version(found)))
    for folder in ("bin", "lib", "nvvm", "targets/x86_64-linux"):
        (made / folder).mkdir(parents=True)
    (made / "lib64").symlink_to("lib")
    (made / "targets/x86_64-linux/lib").symlink_to("../../lib")
    (made / "targets/x86_64-linux/include").symlink_to("../../include")
    _programs(made / "bin", root, found)
    _headers(made / "include", include(found.nvcc))
    if found.nvcc and (found.nvcc.root / "nvvm" / "libdevice").is_dir():
        for part in (found.nvcc.root / "nvvm").iterdir():
            (made / "nvvm" / part.name).symlink_to(part)
    else:
        (made / "nvvm/libdevice").mkdir()
        (made / "nvvm/libdevice/README").write_text(
            "Build systems look for this folder. cassc has no libdevice, and needs none.\n"
        )
    if found.runtime:
        _libraries(made / "lib", found.runtime, runtime_major(found))
    (made / "version.txt").write_text(f"CUDA Version {release}\n")
    (made / "version.json").write_text(
        json.dumps({"cuda": {"name": "CUDA, by cassc", "version": release}, "cassc": {"version": cassc.__version__}})
    )


def include(nvcc: Nvcc | None) -> Path:
    """The folder of ``cuda_runtime.h``."""
    if nvcc is None:
        return include_folder()
    below = nvcc.root / "targets" / "x86_64-linux" / "include"
    return below if below.is_dir() else nvcc.root / "include"


def runtime_major(found: Toolchain) -> int:
    """Of the CUDA runtime that programs are linked with: what nvcc's objects expect."""
    return int(found.nvcc.runtime.rpartition(".")[2]) if found.nvcc else OWN_CUDA[0]


def _headers(folder: Path, nvidia: Path) -> None:
    """NVIDIA's headers, and ours of libraries whose headers are not among them."""
    folder.mkdir()
    for own in (nvidia, *libraries.missing_headers(nvidia)):
        for entry in own.iterdir():
            if entry.name == "cassc":  # of several of ours
                (folder / "cassc").mkdir(exist_ok=True)
                for part in entry.iterdir():
                    (folder / "cassc" / part.name).symlink_to(part)
            elif not (folder / entry.name).exists():
                (folder / entry.name).symlink_to(entry)


def _libraries(folder: Path, runtime: Path, major: int) -> None:
    (folder / f"libcudart.so.{major}").symlink_to(runtime / f"libcudart.so.{major}")
    for name in ("libcudart.so", "libcudart_static.a"):
        _by_path(folder / name, runtime / f"libcassc_cudart.so.{major}")
    (folder / "libcudadevrt.a").write_bytes(_EMPTY_ARCHIVE)
    (folder / "stubs").mkdir()  # where build systems look for the library that NVIDIA's driver brings
    for place in (folder, folder / "stubs"):
        _by_path(place / "libcuda.so", runtime / "libcassc_cuda.so.1")
    for name, versions in _MATHEMATICAL.items():
        version = versions.get(major, 0)
        own = runtime / f"libcassc_{name}.so.{version}"
        if own.exists():
            file = f"lib{name}.so.{version}"
            (folder / file).symlink_to(runtime / "nvrtc" / file if name == "nvrtc" else runtime / file)
            _by_path(folder / f"lib{name}.so", own)


def _by_path(script: Path, library: Path) -> None:
    """A linker script in the place of a library: programs that are linked with it name the other one's path."""
    script.write_text(f'/* A linker script: programs use cassc\'s library. */\nINPUT("{library}")\n')


def _module_folders() -> list[str]:
    """Where the modules that cassc imports are, beyond what this Python looks at by itself: as in the packages, which
    bring them for several versions of Python."""
    own = {*site.getsitepackages(), sysconfig.get_path("purelib"), str(Path(cassc.__file__).resolve().parent.parent)}
    holding = (
        place for place in sys.path if any(Path(place, name).is_dir() for name in ("click", "filelock", "numpy"))
    )
    return list(dict.fromkeys(place for place in holding if place not in own))


def _programs(folder: Path, root: Path, found: Toolchain) -> None:
    """``nvcc`` is cassc; NVIDIA's other tools keep their names."""
    package = Path(cassc.__file__).resolve().parent
    places = [str(package.parent), *_module_folders()]
    lines = ["import os", "import sys", "", f"sys.path[:1] = {places!r}  # in the place of this folder"]
    if found.runtime and found.runtime.parent != package:  # CASSC_LIBDIR named it
        lines.append(f"os.environ.setdefault('CASSC_LIBDIR', {str(found.runtime)!r})")
    lines += ["from cassc.cli import main", "", "sys.exit(main())"]
    (folder / "cassc.py").write_text("\n".join(lines) + "\n")
    for name in ("nvcc", "cassc"):
        script = folder / name
        script.write_text(
            "#!/bin/sh\n# starts cassc.cli\n"
            f'exec {shlex.quote(sys.executable)} {shlex.quote(str(root / "bin" / "cassc.py"))} "$@"\n'
        )
        script.chmod(0o755)
    if found.nvcc is None:
        return
    for tool in sorted((found.nvcc.root / "bin").iterdir()):
        if tool.name not in ("nvcc", "cassc", "nvcc.profile", "__pycache__"):
            (folder / tool.name).symlink_to(tool)


def environment(kit: Toolkit) -> list[str]:
    """What nvcc prints first with ``-v`` and ``--dryrun``; build systems read the toolkit's place off it."""
    bin = kit.root / "bin"
    cccl = kit.include / "cccl"
    values = {
        "_HERE_": f"{bin}",
        "_THERE_": f"{bin}",
        "TOP": f"{kit.root}",
        "NVVMIR_LIBRARY_DIR": f"{kit.libdevice}",
        "LD_LIBRARY_PATH": ":".join(filter(None, (f"{kit.lib}", os.environ.get("LD_LIBRARY_PATH", "")))),
        "PATH": f"{bin}:{os.environ.get('PATH', '')}",
        "INCLUDES": f'"-I{kit.include}"',
        "SYSTEM_INCLUDES": f'"-isystem" "{cccl}"' if cccl.is_dir() else "",
        "LIBRARIES": f"{_word(kit.lib)}",
    }
    return [f"#$ {name}={value}" for name, value in values.items()]


def _word(folder: Path) -> str:
    """As ``shlex.join`` shows it in the link line, which has to hold this text."""
    return shlex.quote(f"-L{folder}")

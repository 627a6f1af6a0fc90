"""What builds here use: cassc under both names on PATH, one cache, and no checks of kernels (other tests do those).

The toolkit is the nvcc that cassc finds, and those that ``CASSC_TEST_TOOLKITS`` names: paths of nvcc, or ``none`` for
no part of NVIDIA's, separated by colons.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import cassc
from cassc import toolchain
from cassc.hip import tools as source_tools

PROJECTS = Path(__file__).parent
LAUNCHER = """#!{python}
import sys
sys.path[0] = {package!r}
from cassc.cli import main
sys.exit(main())
"""


@pytest.fixture(scope="session")
def launchers(tmp_path_factory: pytest.TempPathFactory, nvcc: toolchain.Nvcc) -> Path:
    """A folder with ``cassc``, and a link to it named ``nvcc``."""
    if toolchain.find_runtime() is None:
        pytest.skip("cassc's runtime libraries are not built (set CASSC_LIBDIR, or install the package)")
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "cassc"
    package = str(Path(cassc.__file__).resolve().parent.parent)
    program.write_text(LAUNCHER.format(python=sys.executable, package=package))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (folder / "nvcc").symlink_to(program)
    return folder


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("builds")


def toolkits() -> list[str]:
    return ["", *filter(None, os.environ.get("CASSC_TEST_TOOLKITS", "").split(os.pathsep))]


@pytest.fixture(params=toolkits(), ids=lambda name: Path(name).name or "found")
def nvidia(request: pytest.FixtureRequest) -> str:
    """What ``CASSC_NVCC`` is, empty for nothing."""
    name = str(request.param)
    lacks = source_tools.lacks() if name == "none" else ()
    if lacks:
        pytest.skip("the source engine lacks " + ", ".join(lack.what for lack in lacks))
    return name


@pytest.fixture
def environment(launchers: Path, shared_cache: Path, nvidia: str) -> dict[str, str]:
    """Of the builds: nothing of the toolkit is named, and no library path."""
    kept = {name: value for name, value in os.environ.items() if name not in ("CUDA_HOME", "CUDA_PATH", "CUDACXX")}
    kept.pop("LD_LIBRARY_PATH", None)
    return {
        **kept,
        "PATH": f"{launchers}{os.pathsep}{os.environ['PATH']}",
        "CASSC_CACHE_DIR": str(shared_cache),
        "CASSC_DEVICE": "emu",
        "NVCC_APPEND_FLAGS": "--check-seconds=0",
        **({"CASSC_NVCC": nvidia} if nvidia else {}),
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of all projects, so that builds leave nothing here."""
    place = tmp_path / "projects"
    shutil.copytree(PROJECTS, place, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    return place


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path) -> Callable[..., str]:
    """``run(*command, cwd=...)``: standard output and error of a command that has to succeed."""

    def start(*command: str | Path, cwd: Path = tmp_path) -> str:
        words = [str(word) for word in command]
        done = subprocess.run(
            words, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}"
        return done.stdout

    return start

"""What every test may use: a cache of its own, golden files, and the tools that may be absent."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

from cassc import toolchain
from tests import device

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

STARTED = time.time()

# No test depends on how fast the machine is.
hypothesis.settings.register_profile("untimed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files instead of comparing")
    parser.addoption("--device", choices=("emu", "hip"), default="emu", help="where programs run (default: emu)")
    parser.addoption("--report", metavar="FILE", help="write the machine and all outcomes into one text file")
    parser.addoption("--sanitize", choices=("thread", "address"), help="for tests/runtime/test_sanitized.py")


def pytest_configure(config: pytest.Config) -> None:
    os.environ["CASSC_DEVICE"] = config.getoption("--device")


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    if path := config.getoption("--report"):
        device.write_report(Path(path), terminalreporter, time.time() - STARTED)


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or fills the user's cache; tests share none unless they set the variable themselves."""
    monkeypatch.setenv("CASSC_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(autouse=True, scope="session")
def own_toolkits(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Toolkit trees go to a folder of the tests' own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CASSC_TOOLKIT_DIR", str(tmp_path_factory.mktemp("toolkits")))
        yield


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for what is made once for all of pytest's processes (see ``sharing.made_once``)."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """``golden(name, text)``: compare with ``golden/name`` beside the test file, or rewrite it."""
    folder = Path(request.path).parent / "golden"
    update = bool(request.config.getoption("--update-golden"))

    def compare(name: str, text: str) -> None:
        path = folder / name
        if update:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        assert text == path.read_text(), f"differs from {path}; --update-golden rewrites it"

    return compare


@pytest.fixture(scope="session")
def nvcc() -> toolchain.Nvcc:
    """NVIDIA's compiler; the test is skipped where there is none."""
    found = toolchain.find_nvcc()
    if found is None:
        pytest.skip("nvcc is not on PATH, in CUDA_HOME or CUDA_PATH, or among the packages")
    if shutil.which("g++") is None:
        pytest.skip("g++, which nvcc needs, is not on PATH")
    return found

"""The runtime and the emulator under a sanitizer, while threads call at will: ``pytest tests/runtime/test_sanitized.py
--sanitize=thread`` (or ``address``). Builds both first, for some minutes; left out unless it is asked for."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import device
from tests.runtime.conftest import Builder, run

SHIMS = Path(__file__).parents[2] / "shims"
OPTIONS = {
    # No handler runs in the middle of a fault that the emulator catches; libraries stay open, as outside of tests.
    "thread": ("TSAN_OPTIONS", "exitcode=66:halt_on_error=0:second_deadlock_stack=1"),
    "address": ("ASAN_OPTIONS", "exitcode=66:detect_leaks=1:handle_segv=0:handle_sigbus=0"),
}


@dataclass(frozen=True)
class Sanitized:
    kind: str
    libdir: Path
    builder: Builder

    def run(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A program of ``programs/`` on these libraries; reports are on its stderr and make its status 66."""
        object_file = self.builder.object(name)
        program = object_file.with_suffix(f".{self.kind}")
        libraries: list[str | Path] = [self.libdir / "libcudart.so.13", f"-Wl,-rpath,{self.libdir}"]
        run([self.builder.gxx, f"-fsanitize={self.kind}", object_file, "-o", program, *libraries])
        variable, value = OPTIONS[self.kind]
        environment = {"PATH": "/usr/bin:/bin", **device.variables(), variable: value}
        return subprocess.run(
            [program, *arguments], capture_output=True, text=True, timeout=500, check=False, env=environment
        )


@pytest.fixture(scope="session")
def sanitized(request: pytest.FixtureRequest, builder: Builder) -> Sanitized:
    kind = request.config.getoption("--sanitize")
    if kind is None:
        pytest.skip("only with --sanitize=thread or --sanitize=address")
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not on PATH")
    folder = SHIMS.parent / "build" / f"sanitized-{kind}"
    run(["cmake", "-S", SHIMS, "-B", folder, f"-DCASSC_SANITIZE={kind}", "-DCASSC_EMU_BASELINE_ONLY=ON"])
    run(["cmake", "--build", folder, "--parallel", "--target", "cassc_rt", "cudart_13", "cassc_emu"])
    return Sanitized(kind, folder / "lib", builder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "arguments"),
    [("stress", ["40"]), ("values", []), ("order", []), ("graphs", []), ("threads", []), ("faults", ["far"])],
)
def test_no_report(sanitized: Sanitized, name: str, arguments: list[str]) -> None:
    done = sanitized.run(name, *arguments)
    assert "Sanitizer" not in done.stderr
    assert done.returncode == 0, done.stderr

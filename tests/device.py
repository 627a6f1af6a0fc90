"""The device on which tests run programs, and the report on a run: ``pytest --device=hip --report=FILE``."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from cassc import toolchain
from cassc.driver import doctor

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter


def variables() -> dict[str, str]:
    """What a program must be told that gets no other variables of ours: the device, and where its libraries are."""
    kept = {"CASSC_DEVICE": os.environ["CASSC_DEVICE"]}
    if kept["CASSC_DEVICE"] == "hip" and "LD_LIBRARY_PATH" in os.environ:
        kept["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
    return kept


def name() -> str:
    """The device's name by cudaGetDeviceProperties, in a process of its own; what went wrong where it has none."""
    folder = toolchain.find_runtime()
    if folder is None:
        return "none: cassc's runtime libraries are not built"
    done = subprocess.run(
        [sys.executable, "-c", _NAME, str(folder / "libcudart.so.13")], capture_output=True, text=True, check=False
    )
    return (done.stdout or done.stderr).strip()


_NAME = """
import ctypes, sys
buffer = ctypes.create_string_buffer(4096)
error = ctypes.CDLL(sys.argv[1]).cudaGetDeviceProperties(buffer, 0)
print(buffer.value.decode() if error == 0 else f"none: error {error}")
"""


def write_report(path: Path, reporter: TerminalReporter, seconds: float) -> None:
    """One text file: the machine, the counts, what went wrong and why, and the outcome of every test."""
    outcomes = {
        kind: [one for one in reporter.stats.get(kind, []) if hasattr(one, "nodeid")]
        for kind in ("failed", "error", "xfailed", "xpassed", "skipped", "passed")
    }
    lines = [
        "cassc: report of a test run",
        time.strftime("date %Y-%m-%d %H:%M UTC", time.gmtime()),
        f"commit {_output('git', '-C', str(Path(__file__).parent), 'describe', '--always', '--dirty')}",
        f"machine {platform.platform()}, {os.cpu_count()} processors",
        f"device {os.environ['CASSC_DEVICE']}: {name()}",
        *(f"rocminfo {line.strip()}" for line in _output("rocminfo").splitlines() if "Name:" in line),
        f"kernel driver {_output('cat', '/sys/module/amdgpu/version') or platform.release()}",
        *map(doctor.text, doctor.examine()),
        "",
        f"{seconds:.0f} s: " + ", ".join(f"{len(found)} {kind}" for kind, found in outcomes.items() if found),
    ]
    for kind in ("failed", "error", "xpassed"):
        for one in outcomes[kind]:
            lines += ["", f"== {kind}: {one.nodeid} ({one.when})", one.longreprtext, *_captured(one)]
    lines += ["", "== all"]
    for kind, found in outcomes.items():
        lines += [f"{kind} {one.nodeid} {getattr(one, 'duration', 0):.1f} s{_reason(one, kind)}" for one in found]
    path.write_text("\n".join(lines) + "\n")


def _captured(one: object) -> list[str]:
    return [f"-- {title}\n{text}" for title, text in getattr(one, "sections", ())]


def _reason(one: object, kind: str) -> str:
    reason = getattr(one, "longrepr", None)
    return f": {reason[2]}" if kind == "skipped" and isinstance(reason, tuple) else ""


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout.strip()
    except OSError:
        return ""

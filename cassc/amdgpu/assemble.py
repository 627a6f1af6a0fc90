"""LLVM IR or AMDGPU assembly to a loadable code object, and code objects back to text.

LLVM runs in worker processes, which are kept for the next request and killed when a time limit passes: it is not safe
against its own internal errors, and cannot be interrupted. The limit is one of the worker's processor time: how busy
the machine is does not decide what can be compiled.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from cassc import diag
from cassc.amdgpu import link, tools, worker
from cassc.amdgpu.llvm import Llvm, find_llvm
from cassc.amdgpu.outcome import Assembled, failed, timed_out
from cassc.image import codeobject
from cassc.target import Target

Form = Literal["llvm-ir", "asm"]
DEFAULT_TIMEOUT_S = 120.0
_FOR_A_MEBIBYTE = 30.0
"""Seconds more for each MiB of text: kernels full of branches take 10, on an idle core."""
_STALLED = 20
"""A worker that has not used up its processor time in this many times as long is stuck."""


def assemble(
    module_text: str,
    target: Target,
    *,
    form: Form = "llvm-ir",
    opt_level: int = 3,
    timeout_s: float | None = None,
) -> bytes:
    """The code object (ET_DYN ELF bytes) of a module. Raises CasscError as ``assemble_full`` does."""
    return assemble_full(module_text, target, form=form, opt_level=opt_level, timeout_s=timeout_s).code_object


def assemble_full(
    module_text: str,
    target: Target,
    *,
    form: Form = "llvm-ir",
    opt_level: int = 3,
    timeout_s: float | None = None,
    keep: bool = False,
) -> Assembled:
    """Compile, optimise and link one module for a target.

    IR goes through LLVM's O<opt_level> pipeline with unrolling and vectorising off; code object version 5, wave32,
    compute-unit mode. Assembly is only assembled. ``timeout_s`` depends on the text's length by default.

    Raises CasscError: ``amdgpu-llvm-failed`` (LLVM refused the text or ended abnormally; a note names a folder with
    the input and LLVM's messages), ``amdgpu-timeout``, ``amdgpu-link-failed``, ``amdgpu-no-llvm``.
    """
    llvm = find_llvm()
    if timeout_s is None:
        timeout_s = DEFAULT_TIMEOUT_S + _FOR_A_MEBIBYTE * len(module_text) / (1 << 20)
    if llvm.library is None:
        return tools.assemble(llvm, module_text, target, form == "asm", opt_level, timeout_s, keep)
    request = {
        "action": "compile",
        "text": module_text,
        "cpu": target.name,
        "assembly_source": form == "asm",
        "level": opt_level,
        "keep": keep,
    }
    result = _ask(llvm, request, timeout_s, module_text, form)
    start = time.perf_counter()
    linked = link.link(result["object"])
    times = {**result["times"], "link": time.perf_counter() - start}
    return Assembled(
        linked, result["object"], result["assembly"], result["optimised_ir"], times, tuple(result["warnings"])
    )


@dataclass(frozen=True, slots=True)
class Line:
    """One instruction: address in the code object, length in bytes, text."""

    address: int
    size: int
    text: str


def disassemble(code_object: bytes, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> list[Line]:
    """Instructions of all executable sections of a code object or relocatable object, in order of address.

    Raises CasscError ``image-bad-code-object``, ``amdgpu-llvm-failed``, ``amdgpu-no-llvm``.
    """
    llvm = find_llvm()
    cpu, sections = codeobject.code_sections(code_object)
    if llvm.library is None:
        raise diag.error("amdgpu-no-llvm", f"{llvm.origin} has no LLVM-C library, which disassembling needs")
    lines: list[Line] = []
    for address, code in sections:
        request = {"action": "disassemble", "code": code, "cpu": cpu, "address": address}
        lines += [Line(*line) for line in _ask(llvm, request, timeout_s, "", "asm")]
    return lines


def encode(instructions: Sequence[str], target: Target, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> list[bytes]:
    """The code of each instruction, empty for those that LLVM refuses.

    Raises CasscError ``amdgpu-llvm-failed``, ``amdgpu-no-llvm``.
    """
    llvm = find_llvm()
    if llvm.library is None:
        raise diag.error("amdgpu-no-llvm", f"{llvm.origin} has no LLVM-C library, which encoding needs")
    request = {"action": "encode", "instructions": list(instructions), "cpu": target.name}
    made, kept = _ask(llvm, request, timeout_s, "\n".join(instructions), "asm")
    codes = [b""] * len(instructions)
    _, sections = codeobject.code_sections(made)
    sizes = {line.address: line.size for line in disassemble(made)}
    for number, index in enumerate(kept):
        codes[index] = sections[0][1][16 * number : 16 * number + sizes.get(16 * number, 0)]
    return codes


class _Worker:
    """One child process, used for one request at a time."""

    def __init__(self, llvm: Llvm) -> None:
        self.llvm = llvm
        self._messages = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the child lives
        package_root = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(filter(None, (package_root, os.environ.get("PYTHONPATH", ""))))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "cassc.amdgpu.worker", str(llvm.library)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._messages,
            env={**os.environ, "PYTHONPATH": path},
        )

    def ask(self, request: dict[str, Any], timeout_s: float) -> dict[str, Any] | None:
        """The reply; None if the child ended. ``timeout_s``: of the child's processor time. Raises TimeoutError, after
        which the child is of no use."""
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        try:
            worker.send(process.stdin, request)  # type: ignore[arg-type]
        except BrokenPipeError:
            return None
        waiting = select.poll()
        waiting.register(process.stdout, select.POLLIN)
        limit = self._processor_seconds() + timeout_s
        latest = time.monotonic() + _STALLED * timeout_s
        while not waiting.poll(max(limit - self._processor_seconds(), 0.01) * 1000):
            if self._processor_seconds() >= limit or time.monotonic() >= latest:
                raise TimeoutError
        return worker.receive(process.stdout)  # type: ignore[arg-type]

    def _processor_seconds(self) -> float:
        """What the child has used, in user and system mode (proc(5), ``/proc/PID/stat``, fields 14 and 15)."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended: its pipe says so
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _wait(self) -> int:
        try:
            return self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def raise_if_ended_from_outside(self) -> None:
        """CasscError ``amdgpu-llvm-ended`` if the child, or the whole build, was ended: no defect to report."""
        status = self._wait()
        if -status in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            raise diag.error("amdgpu-llvm-ended", f"the LLVM process was ended by {signal.Signals(-status).name}")

    def last_words(self) -> str:
        """What the child printed, and how it ended."""
        status = self._wait()
        self._messages.seek(0)
        text = self._messages.read().decode(errors="replace").strip()
        ending = f"ended by signal {-status}" if status < 0 else f"ended with status {status}"
        return "\n".join(filter(None, (text, f"(the LLVM process {ending})")))

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        self._messages.close()


_idle: list[_Worker] = []
_lock = threading.Lock()


def _take(llvm: Llvm) -> _Worker:
    with _lock:
        for position, idle in enumerate(_idle):
            if idle.llvm == llvm:
                return _idle.pop(position)
    return _Worker(llvm)


def warm_up() -> None:
    """Start a worker now, if there is none, so that LLVM loads (0.15 s) while the caller does something else.

    Does nothing where no LLVM-C library is found: the later request says so.
    """
    try:
        llvm = find_llvm()
    except diag.CasscError:
        return
    with _lock:
        if llvm.library is not None and not any(idle.llvm == llvm for idle in _idle):
            _idle.append(_Worker(llvm))


@atexit.register
def shut_down() -> None:
    """End the idle workers; a later request starts a new one."""
    with _lock:
        workers, _idle[:] = list(_idle), []
    for idle in workers:
        idle.close()


def _ask(llvm: Llvm, request: dict[str, Any], timeout_s: float, text: str, form: Form) -> Any:
    """Send a request to a worker and give its result. Raises CasscError."""
    child = _take(llvm)
    reply, finished = None, False
    try:
        reply = child.ask(request, timeout_s)
        finished = reply is not None and "unusable" not in reply
        if reply is None:
            child.raise_if_ended_from_outside()
            raise failed(child.last_words(), text, form)
    except TimeoutError:
        raise timed_out(timeout_s, text, form) from None
    finally:  # also when interrupted: a child in an unknown state is not used again
        if finished:
            with _lock:
                _idle.append(child)
        else:
            child.close()
    if "unusable" in reply:
        raise diag.error("amdgpu-no-llvm", f"'{llvm.library}' cannot be used: {reply['unusable']}")
    if "error" in reply:
        raise failed(reply["error"], text, form)
    return reply["result"]

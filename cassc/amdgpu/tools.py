"""Assembling with ROCm's clang and ld.lld as programs, where no LLVM-C library is to be had."""

from __future__ import annotations

import contextlib
import math
import resource
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from cassc import diag
from cassc.amdgpu.llvm import Llvm
from cassc.amdgpu.llvm_c import OPTIONS
from cassc.amdgpu.outcome import Assembled, failed, timed_out
from cassc.target import Target


def assemble(
    llvm: Llvm, text: str, target: Target, assembly_source: bool, level: int, timeout_s: float, keep: bool
) -> Assembled:
    """As ``assemble.assemble_full``, with the programs of an installed LLVM."""
    form = "asm" if assembly_source else "llvm-ir"
    times: dict[str, float] = {}

    def run(step: str, *command: str) -> None:
        start = time.perf_counter()
        try:
            with subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace"
            ) as tool:
                seconds = math.ceil(timeout_s)
                with contextlib.suppress(ProcessLookupError):  # it has ended already
                    resource.prlimit(tool.pid, resource.RLIMIT_CPU, (seconds, seconds))
                _, messages = tool.communicate()
        except OSError as problem:
            raise diag.error("amdgpu-no-llvm", f"cannot run '{command[0]}': {problem.strerror}") from problem
        if tool.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            raise timed_out(timeout_s, text, form)
        if tool.returncode:
            raise failed(messages, text, form)
        times[step] = time.perf_counter() - start

    with tempfile.TemporaryDirectory(prefix="cassc-") as name:
        folder = Path(name)
        source, object_file, linked = folder / "module.src", folder / "module.o", folder / "module.hsaco"
        source.write_text(text)
        common = [
            *(str(llvm.clang), "-x", "assembler" if assembly_source else "ir", "-target", "amdgcn-amd-amdhsa"),
            *(f"-mcpu={target.name}", "-mcumode", "-mcode-object-version=5", "-nogpulib", f"-O{level}"),
            *("-fno-unroll-loops", "-fno-vectorize", "-fno-slp-vectorize"),
            *("-Xclang", "-target-feature", "-Xclang", "-unaligned-access-mode"),
            *(word for option in OPTIONS for word in ("-mllvm", option)),
            "-Wno-unused-command-line-argument",
        ]
        run("codegen", *common, "-c", str(source), "-o", str(object_file))
        run("link", str(llvm.lld), "-shared", str(object_file), "-o", str(linked))
        assembly = optimised = ""
        if keep and not assembly_source:
            run("assembly text", *common, "-S", str(source), "-o", str(folder / "module.s"))
            run("optimised IR", *common, "-S", "-emit-llvm", str(source), "-o", str(folder / "module.ll"))
            assembly, optimised = (folder / "module.s").read_text(), (folder / "module.ll").read_text()
        return Assembled(linked.read_bytes(), object_file.read_bytes(), assembly, optimised, times)

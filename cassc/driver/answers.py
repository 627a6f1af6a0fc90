"""Answers of published models: asked for, made into code objects, and judged by the checker on the emulator."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cassc import diag, toolchain
from cassc.amdgpu.assemble import assemble
from cassc.diag import CasscError, Location
from cassc.driver.demangle import demangle
from cassc.hip import compile as hip_compile
from cassc.hip import from_hip
from cassc.hip import tools as hip_tools
from cassc.image import cubin as cubin_image
from cassc.image.cubin import Cubin
from cassc.model import prompt
from cassc.model.prompt import Task
from cassc.model.published import Chat
from cassc.sass import disasm
from cassc.sass.disasm import SassFunction
from cassc.target import DEFAULT_TARGET, SmArch
from cassc.verify.check import Checker
from cassc.verify.verdict import Status, Verdict

_ENGINE = "published"


@dataclass(frozen=True, slots=True)
class Judged:
    """``products``: what an answer was made into, by file suffix."""

    status: Status
    reason: str
    products: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Answered:
    """What a published model made of a kernel or a source.

    Attributes:
        name: the kernel's, or the file's without its suffix.
        status: the checker's, or ``unusable`` where no answer could be compiled.
        attempts: how often it was asked.
        products: of an accepted answer, by file suffix; else empty.
    """

    name: str
    status: str
    reason: str = ""
    attempts: int = 0
    products: Mapping[str, bytes] = field(default_factory=dict)


Judge = Callable[[str], Judged]
"""What becomes of the text of an answer. ValueError or CasscError for one that cannot be compiled."""


def ask(chat: Chat, name: str, text: str, task: Task, judge: Judge, attempts: int) -> Answered:
    """Greedy first, then samples; a wrong answer is given back with what was wrong with it."""
    start = [prompt.question(text, task)]
    messages = list(start)
    reason = ""
    status = "unusable"
    for attempt in range(attempts):
        answer = chat.ask(messages, attempt)
        messages = list(start)
        try:
            judged = judge(prompt.answer_in(answer, task))
        except (ValueError, CasscError) as problem:
            status, reason = "unusable", str(problem)
            continue
        status, reason = judged.status.value, judged.reason
        if judged.status is Status.ACCEPTED:
            return Answered(name, status, "", attempt + 1, judged.products)
        if judged.status is Status.UNVERIFIED:
            return Answered(name, status, reason, attempt + 1)
        messages += prompt.again(answer, reason)
    return Answered(name, status, reason, attempts)


def of_kernel(function: SassFunction, cubin: Cubin, seconds: float) -> Judge:
    """Assembly in place of one kernel."""

    def judge(answer: str) -> Judged:
        code_object = assemble(answer, DEFAULT_TARGET, form="asm")
        with Checker(cubin, code_object, DEFAULT_TARGET) as checker:
            verdict = checker.check(function, _ENGINE, seconds=seconds)
        return Judged(verdict.status, verdict.reason, {".hsaco": code_object})

    return judge


@dataclass(frozen=True, slots=True)
class Source:
    """A CUDA source, and what both compilers are told: ``arguments`` in pairs of an option of nvcc's and its value."""

    path: Path
    sm: SmArch
    arguments: tuple[str, ...] = ()


def of_source(source: Source, seconds: float) -> Judge:
    """HIP source in place of CUDA source. Compiled by clang as the source engine does; each kernel is compared with
    what nvcc makes of the original under the same name. Nothing of the host's side is executed.

    Raises CasscError where nvcc refuses the original, or one of the compilers is missing.
    """
    tools = hip_tools.find()
    parsed = cubin_image.parse(_cubin(source))
    functions = disasm.disassemble(parsed).functions
    if not functions:
        raise diag.error("model-no-kernel", "there is no kernel in the file", Location(file=str(source.path)))

    def judge(answer: str) -> Judged:
        with tempfile.TemporaryDirectory(prefix="cassc-answer-") as name:
            unit = from_hip.unit(answer, Path(name), source.arguments, source.sm.number)
            try:
                made = hip_compile.compile_unit(unit, tools, [DEFAULT_TARGET])
            except hip_compile.CompilerFailed as problem:
                raise ValueError(problem.first.replace(f"{name}/", "")) from problem
        code_object = made.code_objects[DEFAULT_TARGET.name]
        verdicts = []
        with Checker(parsed, code_object, DEFAULT_TARGET) as checker:
            for function in functions:
                verdicts.append(checker.check(function, _ENGINE, seconds=seconds))
                if verdicts[-1].status is Status.REJECTED:
                    break
        status, reason = _together(verdicts)
        return Judged(status, reason, {".hip": answer.encode(), ".hsaco": code_object})

    return judge


def _together(verdicts: Sequence[Verdict]) -> tuple[Status, str]:
    """The worst of them, and whose it is."""
    for status in (Status.REJECTED, Status.UNVERIFIED):
        for verdict in verdicts:
            if verdict.status is status:
                return status, f"kernel '{demangle(verdict.kernel)}': {verdict.reason}"
    return Status.ACCEPTED, ""


def _cubin(source: Source) -> bytes:
    """By nvcc. Raises CasscError ``model-nvcc``."""
    nvcc = toolchain.find_nvcc()
    place = Location(file=str(source.path))
    if nvcc is None:
        cure = diag.note("to install nvcc: pip install 'cassc[cuda]'")
        raise diag.error("model-nvcc", "without nvcc there is nothing to compare an answer with", place, notes=[cure])
    with tempfile.TemporaryDirectory(prefix="cassc-answer-") as name:
        made = Path(name, "original.cubin")
        words = [str(nvcc.path), "-cubin", f"-arch={source.sm.name}", *source.arguments, "-o", str(made)]
        done = subprocess.run([*words, str(source.path)], capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            said = [diag.note(line) for line in done.stderr.splitlines() if line.strip()]
            raise diag.error("model-nvcc", f"nvcc refuses the source (status {done.returncode})", place, notes=said)
        return made.read_bytes()

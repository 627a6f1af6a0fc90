"""``cassc model``: the models that translations can come from, and the published ones at work."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cassc import diag
from cassc.amdgpu.assemble import assemble
from cassc.diag import CasscError
from cassc.driver import pairs
from cassc.image import cubin as cubin_image
from cassc.image.cubin import Cubin
from cassc.model import prompt, published, weights
from cassc.model.generate import SHIPPED
from cassc.model.published import Chat, Choice
from cassc.sass import disasm
from cassc.sass.disasm import SassFunction
from cassc.target import DEFAULT_SM, DEFAULT_TARGET
from cassc.verify.check import Checker
from cassc.verify.verdict import Status


def choice_file() -> Path:
    """Where `use` remembers its choice: in ``$CASSC_CONFIG_DIR``, else where XDG keeps configuration."""
    named = os.environ.get("CASSC_CONFIG_DIR")
    if named:
        return Path(named) / "model.json"
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "cassc" / "model.json"


def info() -> dict[str, Any]:
    """Facts of the model that comes with the package, and the published one in use. Raises CasscError."""
    shape, arrays, tokens = weights.read(SHIPPED)
    facts = {
        "file": str(SHIPPED),
        "bytes": SHIPPED.stat().st_size,
        "sha256": hashlib.sha256(SHIPPED.read_bytes()).hexdigest(),
        "parameters": sum(array.size for array in arrays.values()),
        "tokens": len(tokens),
        **{name: value for name, value in shape.items() if name != "vocabulary"},
    }
    choice = Choice.load(choice_file())
    facts["published"] = choice.place if choice is not None else "none (cassc model use DIR)"
    return facts


def use(choice: Choice) -> Path:
    """Remember a checkpoint or server. Raises CasscError ``model-none`` for a folder without a checkpoint."""
    if not choice.is_server:
        published.checkpoint(Path(choice.place), DEFAULT_SM)
    file = choice_file()
    choice.save(file)
    return file


def forget() -> bool:
    """Whether there was a choice."""
    file = choice_file()
    known = file.is_file()
    file.unlink(missing_ok=True)
    return known


@dataclass(frozen=True, slots=True)
class Answered:
    """What a published model made of one kernel.

    Attributes:
        status: the checker's, or ``unusable`` where no answer could be assembled.
        attempts: how often it was asked.
        code_object: of an accepted answer, else empty.
    """

    kernel: str
    status: str
    reason: str = ""
    attempts: int = 0
    code_object: bytes = b""


def translate(path: str, attempts: int, seconds: float) -> Iterator[Answered]:
    """Every kernel of a file by the model in use. Raises CasscError."""
    choice = Choice.load(choice_file())
    if choice is None:
        cure = diag.note("to use one: cassc model use DIR")
        raise diag.error("model-none", "no published model is in use", notes=[cure])
    chat: Chat | None = None
    for data in dict.fromkeys(pair.cubin for pair in pairs.of_file(path)):
        parsed = cubin_image.parse(data)
        for function in disasm.disassemble(parsed).functions:
            chat = chat or published.chat(choice, parsed.arch)
            yield ask(chat, function, parsed, attempts, seconds)


def ask(chat: Chat, function: SassFunction, cubin: Cubin, attempts: int, seconds: float) -> Answered:
    """Greedy first, then samples; a wrong answer is given back with what was wrong with it."""
    start = [prompt.question(prompt.listing(function))]
    messages = list(start)
    reason = ""
    status = "unusable"
    for attempt in range(attempts):
        text = chat.ask(messages, attempt)
        messages = list(start)
        try:
            code_object = assemble(prompt.answer_in(text), DEFAULT_TARGET, form="asm")
        except (ValueError, CasscError) as problem:
            reason = str(problem)
            continue
        with Checker(cubin, code_object, DEFAULT_TARGET) as checker:
            verdict = checker.check(function, "published", seconds=seconds)
        status, reason = verdict.status.value, verdict.reason
        if verdict.status is Status.ACCEPTED:
            return Answered(function.name, status, "", attempt + 1, code_object)
        if verdict.status is Status.UNVERIFIED:
            return Answered(function.name, status, reason, attempt + 1)
        messages += prompt.again(text, reason)
    return Answered(function.name, status, reason, attempts)

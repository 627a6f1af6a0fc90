"""``cassc model``: the models that translations can come from, and the published ones at work."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cassc import diag
from cassc.diag import Location
from cassc.driver import answers, pairs
from cassc.driver.answers import Answered, Source
from cassc.image import cubin as cubin_image
from cassc.model import prompt, published, weights
from cassc.model.generate import SHIPPED
from cassc.model.prompt import Task
from cassc.model.published import Chat, Choice
from cassc.sass import disasm
from cassc.target import DEFAULT_SM, SmArch

_SOURCES = (".cu", ".cuh")


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
        published.checkpoints(Path(choice.place))
    file = choice_file()
    choice.save(file)
    return file


def forget() -> bool:
    """Whether there was a choice. Raises CasscError ``model-bad-choice``."""
    file = choice_file()
    try:
        file.unlink()
    except FileNotFoundError:
        return False
    except OSError as problem:
        raise diag.error("model-bad-choice", f"'{file}' cannot be removed: {problem.strerror}") from problem
    return True


def translate(
    path: str, attempts: int, seconds: float, sm: SmArch = DEFAULT_SM, arguments: Sequence[str] = ()
) -> Iterator[Answered]:
    """Every kernel of a built file or cubin, or a CUDA source as a whole, by the model in use. Raises CasscError.

    ``sm``, ``arguments``: for what nvcc makes of a source.
    """
    choice = Choice.load(choice_file())
    if choice is None:
        cure = diag.note("to use one: cassc model use DIR")
        raise diag.error("model-none", "no published model is in use", notes=[cure])
    if Path(path).suffix in _SOURCES:
        source = Source(Path(path).resolve(), sm, tuple(arguments))
        judge = answers.of_source(source, seconds)
        chat = published.chat(choice, sm, Task.SOURCE)
        yield answers.ask(chat, source.path.stem, _text(source.path), Task.SOURCE, judge, attempts)
        return
    chats: dict[int, Chat] = {}
    found = False
    for data in pairs.cubins(path):
        parsed = cubin_image.parse(data)
        for function in disasm.disassemble(parsed).functions:
            found = True
            number = parsed.arch.number
            if number not in chats:
                chats = {number: published.chat(choice, parsed.arch)}
            judge = answers.of_kernel(function, parsed, seconds)
            yield answers.ask(chats[number], function.name, prompt.listing(function), Task.ASSEMBLY, judge, attempts)
    if not found:
        raise diag.error("model-no-kernel", "there is no kernel in the file", Location(file=path))


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except UnicodeDecodeError as problem:
        raise diag.error("model-bad-source", f"no text: {problem}", Location(file=str(path))) from problem

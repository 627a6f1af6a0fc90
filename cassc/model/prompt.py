"""Prompts and answers of the published CASS checkpoints (arXiv 2505.16968), as their model cards give them.

The question is one sentence and a fenced block of what cuobjdump prints, hexadecimal words included; the answer is one
fenced block of AMD GPU assembly. A block that is not closed was cut off and is no answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cassc.sass.disasm import SassFunction

ASSEMBLY = "Convert the following CUDA device assembly code to HIP device assembly:"
SOURCE = "Convert the following CUDA code to AMD code:"
_FENCES = {ASSEMBLY: ("cudaasm", "hipasm"), SOURCE: ("cuda", "amd")}


class Truncated(ValueError):
    """The answer ends inside its block."""


@dataclass(frozen=True, slots=True)
class Message:
    """A turn of the conversation: ``user`` or ``assistant``."""

    role: str
    content: str


def listing(function: SassFunction) -> str:
    """Two lines for each instruction, as cuobjdump prints them, single-spaced."""
    lines = [f"Function : {function.name}"]
    for instruction in function.instructions:
        low, high = instruction.word & (1 << 64) - 1, instruction.word >> 64
        lines.append(f"/*{instruction.address:04x}*/ {function.text(instruction)} ; /* {low:#018x} */")
        lines.append(f"/* {high:#018x} */")
    return "\n".join(lines)


def question(text: str, kind: str = ASSEMBLY) -> Message:
    """``kind``: `ASSEMBLY` or `SOURCE`, with the matching text."""
    return Message("user", f"{kind}\n\n```{_FENCES[kind][0]}\n{text}\n```")


def again(answer: str, wrong: str) -> list[Message]:
    """The turns that ask again after a wrong answer; ``wrong`` is what the checker found."""
    return [
        Message("assistant", answer),
        Message("user", f"That is not equivalent: {wrong}. Give a corrected translation in the same form."),
    ]


def answer_in(text: str, kind: str = ASSEMBLY) -> str:
    """What stands in the answer's block, or in its only block under another name.

    Raises Truncated for a block without an end, ValueError where there is none.
    """
    name = _FENCES[kind][1]
    opened = re.search(rf"```[ \t]*{name}[ \t]*\n", text) or re.search(r"```[\w+-]*[ \t]*\n", text)
    if opened is None:
        raise ValueError("the answer has no fenced block")
    body, closed, _ = text[opened.end() :].partition("```")
    if not closed:
        raise Truncated("the answer was cut off inside its block")
    return body.strip("\n") + "\n"

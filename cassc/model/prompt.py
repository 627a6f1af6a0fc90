"""Prompts and answers of the published CASS checkpoints (arXiv 2505.16968), as the project's README gives them.

The question is one sentence and a fenced block: what cuobjdump prints, single-spaced, hexadecimal words included; or a
CUDA source. The answer is one fenced block, of AMD GPU assembly or of HIP source. A block that is not closed was cut
off and is no answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from cassc.sass.disasm import SassFunction
from cassc.sass.operand import Label
from cassc.sass.printer import text
from cassc.sass.row import Instruction


class Task(Enum):
    """What is translated: the sentence that asks for it, and the names of the blocks of question and answer."""

    ASSEMBLY = ("Convert the following CUDA device assembly code to HIP device assembly:", "cudaasm", "hipasm")
    SOURCE = ("Convert the following CUDA code to AMD GPU code:", "cuda", "amd")


class Truncated(ValueError):
    """The answer ends inside its block."""


@dataclass(frozen=True, slots=True)
class Message:
    """A turn of the conversation: ``user`` or ``assistant``."""

    role: str
    content: str


def listing(function: SassFunction) -> str:
    """A kernel as cuobjdump prints it, without the spaces that make columns: two lines for each instruction."""
    number = function.arch.number
    flags = f"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM{number} EF_CUDA_VIRTUAL_SM(EF_CUDA_SM{number})"
    lines = [f"code for {function.arch.name}", f"Function : {function.name}", f'.headerflags @"{flags}"']
    for instruction in function.instructions:
        low, high = instruction.word & (1 << 64) - 1, instruction.word >> 64
        lines.append(f"/*{instruction.address:04x}*/ {_line(instruction)} /* {low:#018x} */")
        lines.append(f"/* {high:#018x} */")
    return "\n".join([*lines, "..........", ""])


def _line(instruction: Instruction) -> str:
    """With its semicolon: in what only fills the code up, no space stands in front of it."""
    shown = text(instruction, lambda label: f"{label.target:#x}").rstrip()
    target = next((o.target for o in instruction.operands if isinstance(o, Label)), None)
    filling = instruction.row.mnemonic == "NOP" or target == instruction.address and instruction.guard.is_true
    return f"{shown};" if filling else f"{shown} ;"


def question(text: str, task: Task = Task.ASSEMBLY) -> Message:
    """``text``: the assembly or source."""
    sentence, fence, _ = task.value
    return Message("user", f"{sentence}\n```{fence}\n{text}\n```")


def again(answer: str, wrong: str) -> list[Message]:
    """The turns that ask again after a wrong answer; ``wrong`` is what the checker found."""
    return [
        Message("assistant", answer),
        Message("user", f"That is not equivalent: {wrong}. Give a corrected translation in the same form."),
    ]


def answer_in(text: str, task: Task = Task.ASSEMBLY) -> str:
    """What stands in the answer's last block, or in its last block under another name where there is none.

    Raises Truncated for a block without an end, ValueError where there is none.
    """
    blocks = re.findall(r"^[ \t]*```([\w+-]*)[ \t]*\n(.*?)(```|\Z)", text, re.MULTILINE | re.DOTALL)
    named = [block for block in blocks if block[0] == task.value[2]] or blocks
    if not named:
        raise ValueError("the answer has no fenced block")
    _, body, closed = named[-1]
    if not closed:
        raise Truncated("the answer was cut off inside its block")
    return str(body).strip("\n") + "\n"

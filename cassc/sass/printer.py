"""Instruction to NVIDIA's text."""

from __future__ import annotations

from collections.abc import Callable

from cassc.sass.decode import shown
from cassc.sass.operand import Label
from cassc.sass.row import Instruction

# Operands that follow a register without a comma: the offset of a register branch.
_JOINED = ("L", "Offset")


def operands_text(instruction: Instruction, label: Callable[[Label], str] = str) -> str:
    text = ""
    after_register = False
    for token, operand in zip(instruction.row.tokens, instruction.operands, strict=True):
        if not shown(token, operand, instruction.mods):
            continue
        if text:
            text += (
                " "
                if after_register and token.name in _JOINED and instruction.row.control != "warpsync_collective"
                else ", "
            )
        text += label(operand) if isinstance(operand, Label) else str(operand)
        after_register = token.name in ("Ra", "URa")
    return text


def text(instruction: Instruction, label: Callable[[Label], str] = str) -> str:
    """``@!P0 IADD3 R0, R1, R2, RZ``: guard, mnemonic, operands; ``label`` names code addresses."""
    guard = "" if instruction.guard.is_true else f"@{instruction.guard} "
    operands = operands_text(instruction, label)
    return (
        f"{guard}{instruction.mnemonic} {operands}".rstrip()
        if not operands.endswith(" ")
        else f"{guard}{instruction.mnemonic} {operands}"
    )

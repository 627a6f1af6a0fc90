"""Inline PTX to C++: the text of one ``asm`` statement's template to statements over the functions of ``cassc/ptx.h``.

(PTX ISA 9.0, "Instruction Set".) What is not translated raises :class:`Untranslated` with the instruction's text.
"""

from __future__ import annotations

from collections.abc import Mapping

from cassc.hip.ptx import arithmetic, bits, compare, matrix, mbarrier, memory, small, warp
from cassc.hip.ptx.text import CONSTRAINTS, TYPES, Operand, Untranslated
from cassc.hip.ptx.translator import Translator

__all__ = ["CONSTRAINTS", "TYPES", "Operand", "Untranslated", "translate"]

_GROUPS = (arithmetic, bits, compare, matrix, mbarrier, memory, small, warp)
"""Each registers its instructions when it is imported."""


def translate(template: str, operands: Mapping[str, Operand]) -> str:
    """C++ statements for a template whose operands (``0``, ``1``, or names) are these variables."""
    return Translator(operands).run(template)

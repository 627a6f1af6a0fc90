"""Instructions that are known by name and opcode alone: no row prints or translates them, an error says what they are.

Opcodes are bits 0 to 8 of a word, as nvdisasm 13 prints words of sm_90a; bits 9 to 11 choose the form of the operands.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NameOnly:
    """``needs``: what a translation would take. ``last_sm``: after which the opcode is another's."""

    mnemonic: str
    needs: str
    last_sm: int = 999


FIRST_SM, HOPPER = 90, 90
_WARPGROUP = (
    "products of a warpgroup with matrices in shared memory, whose descriptors (swizzles, strides) four warps would "
    "have to read together"
)
_TENSOR_MAP = "a tensor map (CUtensorMap), whose layout NVIDIA does not publish"
NAME_ONLY: dict[int, NameOnly] = {
    0x1B4: NameOnly("UTMALDG", _TENSOR_MAP),
    0x1B5: NameOnly("UTMASTG", _TENSOR_MAP),
    0x1B6: NameOnly("UTMAREDG", _TENSOR_MAP),
    0x1B8: NameOnly("UTMAPF", _TENSOR_MAP),
    0x1B9: NameOnly("UTMACCTL", _TENSOR_MAP),
    0x1C5: NameOnly("WARPGROUP", _WARPGROUP, HOPPER),
    0x1F0: NameOnly("HGMMA", _WARPGROUP, HOPPER),
    0x1F1: NameOnly("IGMMA", _WARPGROUP, HOPPER),
    0x1F3: NameOnly("QGMMA", _WARPGROUP, HOPPER),
}


def name_only(word: int, sm: int) -> NameOnly | None:
    """What is known of a 128-bit word that no row describes."""
    known = NAME_ONLY.get(word & 0x1FF)
    return known if known is not None and FIRST_SM <= sm <= known.last_sm else None

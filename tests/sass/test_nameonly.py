"""Words that no row describes are refused by the name of their instruction, where the opcode gives it away."""

from __future__ import annotations

import pytest

from cassc.sass.decode import decode
from cassc.sass.nameonly import name_only

# The lower words, as nvdisasm 13 prints them for sm_90a.
WORDS = {
    0x000000040C0075B4: "UTMALDG",
    0x000000080C0073B5: "UTMASTG",
    0x000000080C0073B6: "UTMAREDG",
    0x000000040C0075B8: "UTMAPF",
    0x000000000C0079B9: "UTMACCTL",
    0x00000000000079C5: "WARPGROUP",
    0x00000000041879F0: "HGMMA",
    0x00000000041879F1: "IGMMA",
    0x00000000041879F3: "QGMMA",
}


@pytest.mark.parametrize("word", WORDS)
def test_the_name(word: int) -> None:
    known = name_only(word, 90)
    assert known is not None and known.mnemonic == WORDS[word] and known.needs
    assert decode(word, 90, 0) is None


def test_a_warpgroup_is_hoppers_alone() -> None:
    assert name_only(0x00000000041879F0, 120) is None
    assert name_only(0x00000000041879F0, 80) is None
    assert name_only(0x000000040C0075B4, 120) is not None

"""The support page says what is not done, and what was recorded."""

from __future__ import annotations

from collections import Counter

from cassc.sass.decode import rows_by_opcode
from cassc.sass.support import RECORDED_SM, page, recordable

ROWS = [row for rows in rows_by_opcode().values() for row in rows]


def test_what_is_not_done_is_named() -> None:
    text = page(ROWS, Counter(), ())
    assert "| UBLKCP.S.S |" in text and "no: distributed shared memory" in text
    assert "| MUFU |" in text and "approximate" in text


def test_what_was_recorded_is_counted() -> None:
    known = [row for row in ROWS if recordable(row)]
    brev = next(row for row in known if row.mnemonic == "BREV")
    text = page(ROWS, Counter({brev.name: 3}), ["BREV: nothing"])
    assert "| BREV | sm_75 to sm_121 | Rd, B | yes | 3 |" in text
    assert f"{len({row.name for row in known})} rows of sm_{RECORDED_SM} that are translated, 1 (" in text
    assert text.endswith("* BREV: nothing\n")
    assert " BMSK, " in text.split("these are in none:")[1] and " BREV, " not in text.split("these are in none:")[1]
    assert "| FADD2 | sm_100 to sm_103 | Rd, A, B | yes |  |" in text

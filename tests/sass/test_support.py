"""The support page says what is not done."""

from __future__ import annotations

from cassc.sass.decode import rows_by_opcode
from cassc.sass.support import page


def test_what_is_not_done_is_named() -> None:
    text = page(row for rows in rows_by_opcode().values() for row in rows)
    assert "| UBLKCP.S.S |" in text and "no: distributed shared memory" in text
    assert "| MUFU |" in text and "approximate" in text

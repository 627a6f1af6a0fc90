"""The support page in docs/ is what the table says."""

from __future__ import annotations

from pathlib import Path

import pytest

from cassc.sass.decode import rows_by_opcode
from cassc.sass.support import page

PAGE = Path(__file__).parents[2] / "docs" / "support.md"


def test_the_page_is_up_to_date(request: pytest.FixtureRequest) -> None:
    text = page(row for rows in rows_by_opcode().values() for row in rows)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text, "python -m cassc.sass.support > docs/support.md"


def test_what_is_not_done_is_named() -> None:
    text = page(row for rows in rows_by_opcode().values() for row in rows)
    assert "| TEX |" in text and "no: textures" in text
    assert "| MUFU |" in text and "approximate" in text

from __future__ import annotations

import pytest

from cassc.driver.demangle import demangle


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("_Z3addPfi", "add(float*, int)"),
        ("_Z10streamRowsILi4EEvPKi", "void streamRows<4>(int const*)"),
        ("plain", "plain"),
        ("_Znonsense", "_Znonsense"),
        ("", ""),
    ],
)
def test_demangle(name: str, text: str) -> None:
    assert demangle(name) == text

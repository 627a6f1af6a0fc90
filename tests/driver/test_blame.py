"""What a traceback says of the stage and the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from cassc.driver import device
from cassc.driver.blame import blame
from cassc.target import DEFAULT_TARGET

CUBIN = Path(__file__).parents[1] / "engines" / "data" / "scale.sm_80.cubin"


@pytest.mark.parametrize(
    ("where", "stage", "named"),
    [
        ("cassc.sass.disasm._decode", "disassemble", False),
        ("cassc.lift.lift._label", "translate", True),
        ("cassc.amdgpu.assemble._ask", "assemble", False),
    ],
)
def test_blame(monkeypatch: pytest.MonkeyPatch, where: str, stage: str, named: bool) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(where, fail)
    with pytest.raises(ZeroDivisionError) as caught:
        device.translate_module(CUBIN.read_bytes(), device.Settings((DEFAULT_TARGET,)))
    assert blame(caught.value) == (stage, "scale" if named else "")

"""What a traceback says of the stage and the kernel."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cassc.driver import device
from cassc.driver.blame import blame
from cassc.image import fatbin, host
from cassc.target import DEFAULT_TARGET
from cassc.toolchain import Nvcc


@pytest.mark.parametrize(
    ("where", "stage", "named"),
    [
        ("cassc.sass.disasm._decode", "disassemble", False),
        ("cassc.lift.lift._label", "translate", True),
        ("cassc.amdgpu.assemble._ask", "assemble", False),
    ],
)
def test_blame(
    nvcc: Nvcc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, stage: str, named: bool
) -> None:
    source = tmp_path / "a.cu"
    source.write_text("__global__ void k(int *p) { *p = 1; }\n")
    subprocess.run([nvcc.path, "-arch=sm_80", "-c", source, "-o", tmp_path / "a.o"], check=True)
    (fat,) = fatbin.extract(host.read(tmp_path / "a.o"))
    data = fatbin.select(fat).cubin
    assert data

    def fail(*arguments: object, **options: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(where, fail)
    with pytest.raises(ZeroDivisionError) as caught:
        device.translate_module(data, device.Settings((DEFAULT_TARGET,)))
    assert blame(caught.value) == (stage, "_Z1kPi" if named else "")

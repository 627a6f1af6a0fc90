"""clang offload bundles, against clang's own bundler where there is one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cassc.diag import CasscError
from cassc.image import bundle
from cassc.target import TARGETS

OBJECTS = {TARGETS["gfx1100"]: b"first" * 1000, TARGETS["gfx1151"]: b"\x7fELF second"}


@pytest.mark.parametrize("alignment", [8, 4096])
def test_round_trip(alignment: int) -> None:
    data = bundle.pack(OBJECTS, alignment=alignment)
    assert bundle.unpack(data) == {
        "hipv4-amdgcn-amd-amdhsa--gfx1100": b"first" * 1000,
        "hipv4-amdgcn-amd-amdhsa--gfx1151": b"\x7fELF second",
    }
    assert data.find(b"first") % alignment == 0


@pytest.mark.parametrize("length", range(0, 180, 7))
def test_truncated(length: int) -> None:
    with pytest.raises(CasscError, match="malformed offload bundle"):
        bundle.unpack(bundle.pack(OBJECTS)[:length])


def test_compressed_is_refused_by_name() -> None:
    with pytest.raises(CasscError, match="compressed bundles are not supported"):
        bundle.unpack(b"CCOB" + bytes(100))


def test_clang_reads_it(tmp_path: Path) -> None:
    tool = next(filter(None, (shutil.which(f"clang-offload-bundler{v}") for v in ("", "-22", "-21", "-19"))), None)
    if tool is None:
        pytest.skip("clang-offload-bundler is not installed")
    packed, out = tmp_path / "a.hipfb", tmp_path / "out"
    packed.write_bytes(bundle.pack(OBJECTS))
    listed = subprocess.run([tool, "-list", "-type=o", f"-input={packed}"], capture_output=True, text=True, check=True)
    assert {target.bundle_id for target in OBJECTS} <= set(listed.stdout.split())
    for target, content in OBJECTS.items():
        command = [tool, "-unbundle", "-type=o", f"-targets={target.bundle_id}", f"-input={packed}", f"-output={out}"]
        subprocess.run(command, check=True)
        assert out.read_bytes() == content

"""Code objects as ld.lld made them: kernels, arguments, variables, damage."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cassc.diag import CasscError
from cassc.image import codeobject
from cassc.image.codeobject import Argument
from cassc.target import TARGETS

DATA = Path(__file__).parent / "data"
SOUND = (DATA / "kernels.hsaco").read_bytes()


def test_kernels() -> None:
    found = codeobject.parse(SOUND)
    assert (found.target, found.version) == (TARGETS["gfx1100"], 5)
    assert [k.name for k in found.kernels] == ["k", "k2"]
    kernel = found.kernel("k")
    assert kernel is not None
    assert kernel.explicit_arguments() == (
        Argument(0, 4, "by_value", "n"),
        Argument(8, 8, "global_buffer", "p"),
    )
    hidden = {a.kind: a.offset for a in kernel.arguments if a.hidden}
    assert (hidden["hidden_block_count_x"], hidden["hidden_group_size_x"]) == (16, 28)
    assert (kernel.symbol, kernel.kernarg_size, kernel.kernarg_align) == ("k.kd", 272, 8)
    assert (kernel.max_flat_workgroup_size, kernel.wavefront_size, kernel.group_segment_size) == (256, 32, 0)
    assert kernel.vgpr_count > 0
    assert kernel.sgpr_count > 0
    assert found.kernel("nothing") is None


def test_variables() -> None:
    found = codeobject.parse(SOUND)
    sizes = {g.name: g.size for g in found.globals}
    assert sizes == {"counter": 4, "zeros": 64, "coef": 16, "table": 16, "ctable": 16}
    zeros = found.global_variable("zeros")
    assert zeros is not None
    assert zeros.address % 16 == 0


def test_code() -> None:
    cpu, sections = codeobject.code_sections(SOUND)
    assert cpu == "gfx1100"
    ((address, code),) = sections
    assert address % 256 == 0
    assert struct.pack("<I", 0xBFB00000) in code  # s_endpgm


def test_other_processors_are_refused() -> None:
    data = bytearray(SOUND)
    data[48] = 0x3F  # EF_AMDGPU_MACH_AMDGCN_GFX90A
    with pytest.raises(CasscError, match="processor 0x3f is not one of gfx1100"):
        codeobject.parse(bytes(data))


@pytest.mark.parametrize("name", ["sample.o", "sample_90a.cubin", "sample.cu"])
def test_what_is_no_code_object(name: str) -> None:
    with pytest.raises(CasscError, match="malformed code object"):
        codeobject.parse((DATA / name).read_bytes())


@settings(max_examples=150)
@given(st.integers(0, 0x1000), st.binary(min_size=1, max_size=8), st.integers(0, len(SOUND)))
def test_damaged(place: int, value: bytes, length: int) -> None:
    data = bytearray(SOUND if length % 3 else SOUND[:length])
    data[place : place + len(value)] = value
    try:
        codeobject.parse(bytes(data))
    except CasscError as refusal:
        assert [d.id for d in refusal.diagnostics] == ["image-bad-code-object"]

"""Inline PTX as the C++ that one would write by hand."""

from __future__ import annotations

import pytest

from cassc.hip.hipify import convert
from cassc.hip.plain_ptx import statement
from cassc.hip.ptx import Untranslated

OPERANDS = {
    "0": ("d", "u32"),
    "1": ("a", "u32"),
    "2": ("p->b", "u32"),
    "3": ("w", "u64"),
    "4": ("f", "f32"),
    "i": ("s", "s32"),
}


@pytest.mark.parametrize(
    ("ptx", "cpp"),
    [
        ("mov.u32 %0, %laneid;", "d = __lane_id()"),
        ("add.u32 %0, %1, %2;", "d = a + (p->b)"),
        ("mul.hi.u32 %0, %1, 7;", "d = __umulhi(a, 7)"),
        ("mul.hi.s32 %0, %1, %2;", "d = __mulhi(static_cast<int>(a), static_cast<int>(p->b))"),
        ("mul.wide.u32 %3, %1, %2;", "w = static_cast<unsigned long long>(a) * (p->b)"),
        ("mad.wide.u32 %3, %1, 3, %3;", "w = static_cast<unsigned long long>(a) * 3 + w"),
        ("popc.b32 %0, %[i];", "d = __popc(static_cast<unsigned>(s))"),
        ("fma.rn.f32 %4, %4, %4, %4;", "f = __fmaf_rn(f, f, f)"),
        ("bar.sync 0;", "__syncthreads()"),
        ("membar.gl;", "__threadfence()"),
        (
            "{ .reg .pred q; setp.lt.s32 q, %1, 0; selp.u32 %0, 1, 2, q; }",
            "do { bool q; q = static_cast<int>(a) < 0; d = q ? 1 : 2; } while (0)",
        ),
        (
            "mov.b64 {%0, %1}, %3;",
            "do { d = static_cast<unsigned>(w); a = static_cast<unsigned>(w >> 32); } while (0)",
        ),
    ],
)
def test_statements(ptx: str, cpp: str) -> None:
    assert statement(ptx, OPERANDS) == cpp


@pytest.mark.parametrize(
    "ptx",
    [
        "add.cc.u32 %0, %1, %2;",
        "add.sat.s32 %0, %1, %2;",
        "fma.rz.f32 %4, %4, %4, %4;",
        "fma.rn.ftz.f32 %4, %4, %4, %4;",
        "shl.b32 %0, %1, %2;",
        "bar.sync 1;",
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {d0}, {a}, {b}, {d0};",
        "mov.u32 %0, %smid;",
        "@p add.u32 %0, %1, %2;",
        "add.u32 %0, %1, %4;",
        "popc.b32 %0, %9;",
    ],
)
def test_what_stays(ptx: str) -> None:
    with pytest.raises(Untranslated):
        statement(ptx, OPERANDS)


def test_in_a_source() -> None:
    text = """__device__ unsigned f(unsigned a) {
  unsigned d;
  asm volatile("mul.hi.u32 %0, %1, %[n];"
               : "=r"(d)
               : "r"(a + 1), [n] "r"(9));
  return d;
}
"""
    made = convert("#include <hip/hip_runtime.h>\n" + text, "a.cu")
    lines = made.text.splitlines()
    assert lines[3] == "  d = __umulhi((a + 1), 9);"
    assert lines[4] == "  return d;"
    assert [d.severity.value for d in made.diagnostics] == ["remark"]

"""Inline PTX as C++: the translation's own form. That it computes the same, tests/programs and test_units show."""

from __future__ import annotations

import pytest

from cassc.hip import ptx
from cassc.hip.ptx import Operand, Untranslated, translate

R = {str(n): Operand(f"r{n}", "u32") for n in range(6)}
L = {"0": Operand("d", "u64"), "1": Operand("a", "u64"), "2": Operand("b", "u32")}


def test_carries_run_through_a_statement() -> None:
    text = translate("add.cc.u32 %0, %1, %2; addc.u32 %3, %4, %5;", R)
    assert text.count("cassc::ptx::add_carry<unsigned>") == 2
    assert "0u, cassc_carry" in text
    assert "cassc_carry, cassc_unused" in text


def test_registers_scopes_and_guards() -> None:
    text = translate("{ .reg .pred p; setp.ne.u32 p, %1, 0; @!p mov.u32 %0, 7; }", R)
    assert "bool cassc_p = {};" in text
    assert "if (!cassc_p)" in text


def test_register_ranges() -> None:
    assert translate(".reg .b32 t<3>;", {}).count("cassc_t") == 3


def test_products_of_bytes_and_nans() -> None:
    assert "cassc::dot_bytes<unsigned, int>(" in translate("dp4a.u32.s32 %0, %1, %2, %3;", R)
    assert "__dp2a_hi(" in translate("dp2a.hi.s32.s32 %0, %1, %2, %3;", R)
    floats = {str(n): Operand(f"f{n}", "f32") for n in range(3)}
    assert "cassc::ptx::max_nan<float>(" in translate("max.NaN.f32 %0, %1, %2;", floats)


def test_named_operands() -> None:
    assert "out = " in translate("mov.u32 %[o], 1;", {"0": Operand("out", "u32"), "o": Operand("out", "u32")})


@pytest.mark.parametrize(
    "text",
    [
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0}, {%1}, {%2}, {%3};",
        "bar.sync 1, 64;",
        "bar.arrive 0, 64;",
        "add.ftz.f16 %0, %1, %2;",
        "add.ftz.f64 %0, %1, %2;",
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];",
        "{ mov.u32 %0, 1;",
        "label: add.u32 %0, %1, %2;",
        "bra done;",
        "ld.shared::cluster.u32 %0, [%1];",
        "mov.u32 %0, %%nosuch;",
        "frobnicate.u32 %0, %1;",
    ],
)
def test_refused(text: str) -> None:
    with pytest.raises(Untranslated):
        translate(text.replace("%%", "%"), R)


def test_scopes_have_registers_of_their_own() -> None:
    text = translate("{ .reg .b32 t; mov.b32 t, 1; } { .reg .b32 t; mov.b32 t, 2; }", {})
    assert text.count("{ unsigned cassc_t = {};") == 2
    with pytest.raises(Untranslated):
        translate("{ .reg .b32 t; } mov.b32 t, 1;", {})


def test_subnormals_are_flushed_where_ftz_is_written() -> None:
    floats = {str(n): Operand(f"f{n}", "f32") for n in range(4)}
    assert "without_subnormals" in translate("fma.rn.ftz.f32 %0, %1, %2, %3;", floats)
    assert "without_subnormals" not in translate("fma.rn.f32 %0, %1, %2, %3;", floats)


def test_fragments_must_have_their_registers() -> None:
    good = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {d0, d1}, {a}, {b}, {d0, d1};"
    declared = ".reg .f64 d0, d1, a, b;"
    assert "mma_double" in translate(declared + good, {})
    with pytest.raises(Untranslated):
        translate(
            ".reg .f16x2 x, y; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {x, x}, {x, x}, {y}, {x, x};", {}
        )


def test_memory_spaces_orders_and_scopes() -> None:
    assert "shared_pointer<unsigned>" in translate("ld.shared.u32 %2, [%1+4];", L)
    assert "__ATOMIC_ACQUIRE" in translate("ld.acquire.gpu.global.u32 %2, [%1];", L)
    assert "__HIP_MEMORY_SCOPE_SYSTEM" in translate("red.release.sys.global.add.u32 [%1], %2;", L)


def test_every_constraint_has_a_type() -> None:
    assert set(ptx.CONSTRAINTS.values()) <= set(ptx.TYPES)

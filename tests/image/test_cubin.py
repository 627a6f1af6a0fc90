"""Cubins: launch facts, symbols, relocations, line tables, and damage."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cassc.diag import CasscError
from cassc.image import cubin, eiattr, elf
from cassc.image.cubin import Cubin, Kernel, Parameter, Relocation
from cassc.target import SmArch

DATA = Path(__file__).parent / "data"


def load(name: str) -> Cubin:
    return cubin.parse((DATA / f"{name}.cubin").read_bytes())


def kernel(module: Cubin, name: str) -> Kernel:
    found = module.kernel(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "arch"),
    [
        ("sample_80_lines", SmArch(80)),
        ("sample_90a", SmArch(90, "a")),
        ("sample_100", SmArch(100)),
        ("sample_75_rdc", SmArch(75)),
        ("abi7_50", SmArch(50)),
        ("abi7_70", SmArch(70)),
        ("abi7_90a", SmArch(90, "a")),
    ],
)
def test_architecture(name: str, arch: SmArch) -> None:
    assert load(name).arch == arch


@pytest.mark.parametrize(("name", "base"), [("sample_80_lines", 0x160), ("sample_90a", 0x210), ("sample_100", 0x380)])
def test_launch_facts(name: str, base: int) -> None:
    module = load(name)
    reserved = 0 if module.arch.number < 90 else 1024
    assert {k.name for k in module.kernels} == {"_Z5saxpyifPKfPf", "_Z6shared5MixedPf", "_Z7recursePi", "_Z5hellov"}
    saxpy = kernel(module, "_Z5saxpyifPKfPf").abi
    assert saxpy.parameters == (Parameter(0, 0, 4), Parameter(1, 4, 4), Parameter(2, 8, 8), Parameter(3, 16, 8))
    assert (saxpy.param_base, saxpy.param_size, saxpy.max_threads, saxpy.required_threads) == (base, 24, 256, None)
    shared = kernel(module, "_Z6shared5MixedPf").abi
    assert shared.parameters == (Parameter(0, 0, 24), Parameter(1, 24, 8))
    assert (shared.static_shared, shared.barriers, shared.frame_size) == (256 + reserved, 1, 0)
    assert shared.registers > 0


@pytest.mark.parametrize("name", ["sample_80_lines", "sample_90a", "sample_100", "sample_75_rdc", "sample_90_debug"])
def test_stack_of_a_recursion_is_the_default(name: str) -> None:
    assert kernel(load(name), "_Z7recursePi").abi.frame_size == cubin.DEFAULT_STACK


def test_stack_of_a_bounded_kernel() -> None:
    assert kernel(load("sample_80_lines"), "_Z5hellov").abi.frame_size == 8


def test_parameters_over_four_kilobytes() -> None:
    abi = load("big_90").kernels[0].abi
    assert abi.parameters == (Parameter(0, 0, 4), Parameter(1, 4, 20000), Parameter(2, 20008, 8))
    assert abi.param_size == 20016


@pytest.mark.parametrize(("name", "base"), [("abi7_50", 0x140), ("abi7_70", 0x160), ("abi7_90a", 0x210)])
def test_older_abi(name: str, base: int) -> None:
    abi = kernel(load(name), "scale").abi
    assert abi.parameters == (Parameter(0, 0, 8), Parameter(1, 8, 4), Parameter(2, 16, 24))
    assert (abi.param_base, abi.max_threads, abi.barriers) == (base, 128, 1)
    assert abi.registers > 0


def test_subroutines_lie_in_the_kernel_section() -> None:
    module = load("sample_80_lines")
    (helper,) = kernel(module, "_Z6shared5MixedPf").subroutines
    assert "__cuda_sm3x_div_rn_noftz_f32_slowpath" in helper.name
    assert 0 < helper.value < len(kernel(module, "_Z6shared5MixedPf").code)


@pytest.mark.parametrize("name", ["sample_80_lines", "sample_90a"])  # REL in the first, RELA in the second
def test_addresses_in_constant_bank_4(name: str) -> None:
    module = load(name)
    found = {r.symbol: r for r in module.relocations[".nv.constant4"]}
    assert found.keys() == {"vprintf", "counter", "zeros", "managed", "$str"}
    assert all(r == Relocation(r.offset, 2, r.symbol, 0) for r in found.values())
    assert sorted(r.offset for r in found.values()) == [0, 8, 16, 24, 32]


def test_relocatable_code() -> None:
    module = load("sample_75_rdc")
    calls = [r for r in module.relocations[".text._Z7recursePi"] if r.symbol == "_Z9fibonaccii"]
    assert [r.type for r in calls] == [0x3A]
    zeroed = module.section(".nv.global")
    assert zeroed is not None
    assert (zeroed.data, zeroed.size) == (b"", 64)


def test_rel_addend_comes_from_the_place() -> None:
    data = bytearray((DATA / "sample_80_lines.cubin").read_bytes())
    section = elf.parse(bytes(data)).find(".nv.constant4")
    assert section is not None
    struct.pack_into("<q", data, section.offset + 8, -24)
    assert cubin.parse(bytes(data)).relocations[".nv.constant4"][1].addend == -24


def test_symbols() -> None:
    module = load("sample_80_lines")
    counter = module.symbol("counter")
    assert counter is not None
    assert (counter.section, counter.size, counter.kind, counter.binding) == (".nv.global.init", 4, "OBJECT", "LOCAL")
    vprintf = module.symbol("vprintf")
    assert vprintf is not None
    assert vprintf.section == ""
    assert load("sample_75_rdc").sections[".nv.global.init"].data[:4] == struct.pack("<I", 7)


def test_lines() -> None:
    module = load("sample_80_lines")
    source = (DATA / "sample.cu").read_text().splitlines()
    file, line = module.line_at(".text._Z5hellov", 0) or ("", 0)
    assert file.endswith("/sample.cu")
    assert "void hello()" in source[line - 1]
    inlined = {module.line_at(".text._Z6shared5MixedPf", a) for a in range(0, 0x400, 16)}
    assert any(where and where[0].endswith("device_atomic_functions.hpp") for where in inlined)
    _, line = module.line_at(".text._Z7recursePi", 0x200) or ("", 0)
    assert "fibonacci" in source[line - 1]
    assert module.line_at(".text._Z5hellov", 1 << 20) is None
    assert module.line_at(".text.nothing", 0) is None
    assert load("sample_90a").line_at(".text._Z5hellov", 0) is None
    file, line = load("sample_90_debug").line_at(".text._Z7recursePi", 0) or ("", 0)
    assert "void recurse(" in source[line - 1]


def test_records() -> None:
    data = bytes.fromhex("03190800 040a0800 0102030405060708")
    assert eiattr.records(data) == ((0x19, b"\x08\0"), (0x0A, bytes(range(1, 9))))
    with pytest.raises(elf.ElfError):
        eiattr.records(data[:-1])


SOUND = (DATA / "sample_90a.cubin").read_bytes()
LINES = (DATA / "sample_80_lines.cubin").read_bytes()


def must_parse_or_refuse(data: bytes) -> None:
    try:
        module = cubin.parse(data)
    except CasscError as refusal:
        assert [d.id for d in refusal.diagnostics] == ["image-bad-cubin"]
        return
    for found in module.kernels:
        module.line_at(f".text.{found.name}", 0)


@settings(max_examples=60)
@given(st.integers(0, len(SOUND) - 1))
def test_truncated(length: int) -> None:
    must_parse_or_refuse(SOUND[:length])


@settings(max_examples=150)
@given(st.lists(st.tuples(st.integers(0, len(LINES) - 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_damaged(changes: list[tuple[int, int]]) -> None:
    data = bytearray(LINES)
    for place, value in changes:
        data[place] = value
    must_parse_or_refuse(bytes(data))


@settings(max_examples=100)
@given(st.integers(0, 63), st.binary(min_size=1, max_size=8), st.integers(0, 37))
def test_damaged_headers(place: int, value: bytes, section: int) -> None:
    table = struct.unpack_from("<Q", LINES, 40)[0] + 64 * section
    for start in (place, table + place):
        data = bytearray(LINES)
        data[start : start + len(value)] = value
        must_parse_or_refuse(bytes(data))


@pytest.mark.parametrize("data", [b"", b"abc", (DATA / "sample.o").read_bytes()])
def test_what_is_no_cubin(data: bytes) -> None:
    with pytest.raises(CasscError, match="malformed cubin"):
        cubin.parse(data)

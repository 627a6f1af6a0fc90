"""The binding of the emulator: layouts against the C header, memory, launches, every kind of failure it reports."""

from __future__ import annotations

import ctypes
import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cassc.amdgpu import assemble, emulator
from cassc.amdgpu.emulator import Emulator, EmulatorFault
from cassc.diag import CasscError
from cassc.target import TARGETS

ROOT = Path(__file__).parents[2]
GFX1100 = TARGETS["gfx1100"]
HEAD = 'target triple = "amdgcn-amd-amdhsa"\n'
SAXPY = (
    HEAD
    + """
@counter = protected addrspace(1) externally_initialized global i32 7
define amdgpu_kernel void @saxpy(i32 %n, float %a, ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %h = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %q = getelementptr i8, ptr addrspace(4) %h, i64 12
  %block16 = load i16, ptr addrspace(4) %q
  %block = zext i16 %block16 to i32
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %item = call i32 @llvm.amdgcn.workitem.id.x()
  %base = mul i32 %group, %block
  %i = add i32 %base, %item
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %work, label %end
work:
  %xa = getelementptr float, ptr addrspace(1) %x, i32 %i
  %ya = getelementptr float, ptr addrspace(1) %y, i32 %i
  %xv = load float, ptr addrspace(1) %xa
  %yv = load float, ptr addrspace(1) %ya
  %r = call float @llvm.fma.f32(float %a, float %xv, float %yv)
  store float %r, ptr addrspace(1) %ya
  %old = atomicrmw add ptr addrspace(1) @counter, i32 1 monotonic
  br label %end
end:
  ret void
}
define amdgpu_kernel void @stop() {
  call void @llvm.trap()
  ret void
}
define amdgpu_kernel void @forever(ptr addrspace(1) %p) {
  br label %loop
loop:
  store volatile i32 1, ptr addrspace(1) %p
  br label %loop
}
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare float @llvm.fma.f32(float, float, float)
declare void @llvm.trap()
"""
)


@pytest.fixture(scope="module")
def code(llvm: object) -> bytes:
    return assemble.assemble(SAXPY, GFX1100)


@pytest.fixture
def device() -> Iterator[Emulator]:
    if emulator.library_path() is None:
        pytest.skip("libcassc_emu.so is neither in CASSC_LIBDIR nor beside the package")
    with Emulator(GFX1100) as made:
        yield made


def test_layouts_are_those_of_the_header(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("cc is not on PATH")
    structures = {
        "cassc_emu_fault": emulator._CFault,
        "cassc_emu_argument": emulator._CArgument,
        "cassc_emu_kernel_info": emulator._CKernelInfo,
        "cassc_emu_launch_options": emulator._COptions,
        "cassc_emu_dim3": emulator._CDim3,
    }
    expected, prints = [], []
    for name, structure in structures.items():
        expected.append(ctypes.sizeof(structure))
        prints.append(f"sizeof({name})")
        for field in structure._fields_:
            expected.append(getattr(structure, field[0]).offset)
            prints.append(f"offsetof({name}, {field[0]})")
    body = "".join(f'printf("%zu\\n", {p});' for p in prints)
    source = f'#include <stdio.h>\n#include "cassc/emu.h"\nint main(void) {{ {body} return 0; }}\n'
    include = f"-I{ROOT / 'shims' / 'include'}"
    program = tmp_path / "layout"
    subprocess.run([compiler, "-xc", "-", include, "-o", program], input=source, text=True, check=True)
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert [int(line) for line in printed.split()] == expected


def test_fault_names_are_those_of_the_header() -> None:
    text = (ROOT / "shims" / "include" / "cassc" / "emu.h").read_text()
    names = [line.split()[0] for line in text.splitlines() if line.strip().startswith("CASSC_EMU_FAULT_")]
    expected = [f"CASSC_EMU_FAULT_{kind.replace('-', '_').upper()}" for kind in emulator.FAULT_KINDS]
    assert names == expected


def test_missing_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(emulator, "library_path", lambda: None)
    with pytest.raises(CasscError, match=r"libcassc_emu\.so is neither in CASSC_LIBDIR"):
        Emulator()
    broken = tmp_path / "libcassc_emu.so"
    broken.write_bytes(b"not a library")
    monkeypatch.setattr(emulator, "library_path", lambda: broken)
    with pytest.raises(CasscError, match="cannot load"):
        Emulator()


def test_memory(device: Emulator) -> None:
    address = device.alloc(100)
    assert address % 256 == 0
    device.write(address, bytes(range(100)))
    assert device.read(address, 100) == bytes(range(100))
    device.write(address, np.arange(5, dtype=np.float32)[::-1])
    assert device.read_array(address, np.float32, 5).tolist() == [4, 3, 2, 1, 0]
    for action in (lambda: device.read(address, 101), lambda: device.write(address + 99, b"xy")):
        with pytest.raises(CasscError, match="cannot access"):
            action()
    device.free(address)
    with pytest.raises(CasscError, match="cannot access"):
        device.read(address, 1)
    free, total = device.memory_info()
    assert 0 < free <= total
    with pytest.raises(CasscError) as refusal:
        device.alloc(1 << 60)
    assert refusal.value.diagnostics[0].id == "amdgpu-out-of-memory"


def test_kernels_and_variables(device: Emulator, code: bytes) -> None:
    module = device.load(code)
    assert set(module.kernels) == {"saxpy", "stop", "forever"}
    kernel = module.kernels["saxpy"]
    explicit = [(a.offset, a.size) for a in kernel.arguments if not a.hidden]
    assert explicit == [(0, 4), (4, 4), (8, 8), (16, 8)]
    found = device.global_variable(module, "counter")
    assert found is not None
    address, size = found
    assert (size, device.read(address, 4)) == (4, struct.pack("<I", 7))
    assert device.global_variable(module, "nothing") is None
    device.unload(module)


def test_launch(device: Emulator, code: bytes) -> None:
    module = device.load(code)
    x, y = np.arange(100, dtype=np.float32), np.ones(100, dtype=np.float32)
    xd, yd = device.alloc(x.nbytes), device.alloc(y.nbytes)
    device.write(xd, x)
    device.write(yd, y)
    before = device.instruction_count()
    device.launch(module.kernels["saxpy"], (4, 1, 1), (32, 1, 1), struct.pack("<ifQQ", 100, 2.0, xd, yd))
    assert np.array_equal(device.read_array(yd, np.float32, 100), 2 * x + y)
    counter = device.global_variable(module, "counter")
    assert counter is not None
    assert device.read_array(counter[0], np.uint32, 1)[0] == 107
    assert device.instruction_count() > before


def test_faults(device: Emulator, code: bytes) -> None:
    module = device.load(code)
    small = device.alloc(64)
    with pytest.raises(EmulatorFault) as caught:
        device.launch(module.kernels["saxpy"], (1, 1, 1), (32, 1, 1), struct.pack("<ifQQ", 32, 2.0, small, small))
    fault = caught.value
    assert (fault.kind, fault.kernel, fault.lane) == ("illegal-address", "saxpy", 16)
    assert (fault.address, fault.access_size, fault.is_write) == (small + 64, 4, False)
    assert fault.pc_offset > 0
    assert fault.instruction
    assert str(fault)
    with pytest.raises(EmulatorFault) as caught:
        device.launch(module.kernels["stop"], (1, 1, 1), (1, 1, 1), b"")
    assert caught.value.kind == "trap"
    with pytest.raises(EmulatorFault) as caught:
        packed = struct.pack("<Q", small)
        device.launch(module.kernels["forever"], (1, 1, 1), (1, 1, 1), packed, max_instructions=1000)
    assert caught.value.kind == "instruction-limit"


def test_impossible_launches(device: Emulator, code: bytes) -> None:
    kernel = device.load(code).kernels["saxpy"]
    for grid, block, kernarg in (((1, 1, 1), (2000, 1, 1), bytes(24)), ((1, 1, 1), (32, 1, 1), bytes(8))):
        with pytest.raises(CasscError, match="cannot launch 'saxpy'"):
            device.launch(kernel, grid, block, kernarg)


def test_damaged_code_object(device: Emulator, code: bytes) -> None:
    for data in (b"", code[:100], code[: len(code) // 2]):
        with pytest.raises(CasscError) as refusal:
            device.load(data)
        assert refusal.value.diagnostics[0].id == "amdgpu-bad-code-object"


def test_decode(device: Emulator) -> None:
    assert emulator.decode(struct.pack("<I", 0xBFB00000)) == (4, "s_endpgm")
    assert emulator.decode(b"\xff" * 4)[0] == 0

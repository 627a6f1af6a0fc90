"""malloc and free as kernels call them: against the interpreter's heap, and many lanes at once."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble
from cassc.lift import devicelib
from cassc.lift.module import TRIPLE
from cassc.sass.heap import BITMAP, Heap, formatted, span, units_in
from cassc.target import DEFAULT_TARGET

# A list of calls by one lane: {size, alignment} allocates, {-1, index of the result} frees what the call there gave.
KERNELS = """
define amdgpu_kernel void @script(i64 %calls, i64 %results, i32 %count) #0 {
entry:
  br label %test
test:
  %k = phi i32 [ 0, %entry ], [ %k.next, %next ]
  %more = icmp ult i32 %k, %count
  br i1 %more, label %call, label %done
call:
  %k.wide = zext i32 %k to i64
  %calls.pointer = inttoptr i64 %calls to ptr addrspace(1)
  %results.pointer = inttoptr i64 %results to ptr addrspace(1)
  %entry.pointer = getelementptr [2 x i64], ptr addrspace(1) %calls.pointer, i64 %k.wide
  %first = load i64, ptr addrspace(1) %entry.pointer
  %second.pointer = getelementptr i8, ptr addrspace(1) %entry.pointer, i64 8
  %second = load i64, ptr addrspace(1) %second.pointer
  %frees = icmp eq i64 %first, -1
  br i1 %frees, label %release, label %allocate
release:
  %given.pointer = getelementptr i64, ptr addrspace(1) %results.pointer, i64 %second
  %given = load i64, ptr addrspace(1) %given.pointer
  call void @__cassc_free(i64 %given)
  br label %next
allocate:
  %block = call i64 @__cassc_malloc(i64 %first, i64 %second)
  %result.pointer = getelementptr i64, ptr addrspace(1) %results.pointer, i64 %k.wide
  store i64 %block, ptr addrspace(1) %result.pointer
  br label %next
next:
  %k.next = add i32 %k, 1
  br label %test
done:
  ret void
}

; Each thread: two blocks, the first is freed, a third; the second and the third are kept.
define amdgpu_kernel void @crowd(i64 %results) #0 {
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %item = call i32 @llvm.amdgcn.workitem.id.x()
  %before = mul i32 %group, 64
  %thread = add i32 %before, %item
  %wide = zext i32 %thread to i64
  %spread = urem i64 %wide, 61
  %size = mul i64 %spread, 24
  %a = call i64 @__cassc_malloc(i64 %size, i64 16)
  %b = call i64 @__cassc_malloc(i64 %spread, i64 16)
  call void @__cassc_free(i64 %a)
  %c = call i64 @__cassc_malloc(i64 %size, i64 64)
  %results.pointer = inttoptr i64 %results to ptr addrspace(1)
  %first = getelementptr [2 x i64], ptr addrspace(1) %results.pointer, i64 %wide
  store i64 %b, ptr addrspace(1) %first
  %second = getelementptr i8, ptr addrspace(1) %first, i64 8
  store i64 %c, ptr addrspace(1) %second
  ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "amdgpu-flat-work-group-size"="1,64" }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
"""


@functools.cache
def code_object() -> bytes:
    return assemble(f'target triple = "{TRIPLE}"\n{devicelib.text("heap.ll")}{KERNELS}', DEFAULT_TARGET)


class Device:
    def __init__(self, heap_bytes: int, journal: Path | None = None) -> None:
        self.emulator = emulator.Emulator(DEFAULT_TARGET)
        if journal is not None:
            self.emulator.observe(("race",), journal)
        self.module = self.emulator.load(code_object())
        self.units = units_in(heap_bytes)
        self.heap = self.emulator.alloc(span(self.units))
        self.emulator.write(self.heap, formatted(self.heap, self.units))
        found = self.emulator.global_variable(self.module, "__cassc_heap")
        assert found is not None
        self.emulator.write(found[0], self.heap.to_bytes(8, "little") + bytes(8))

    def launch(self, kernel: str, groups: int, threads: int, arguments: bytes) -> None:
        self.emulator.launch(self.module.kernels[kernel], (groups, 1, 1), (threads, 1, 1), arguments)

    def heap_bytes(self) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
        return np.frombuffer(self.emulator.read(self.heap, span(self.units)), np.uint8)

    def script(self, calls: list[tuple[int, int]]) -> list[int]:
        table = np.array([(size & (1 << 64) - 1, second) for size, second in calls], np.uint64)
        at, results = self.emulator.alloc(table.nbytes), self.emulator.alloc(8 * len(calls))
        self.emulator.write(at, table.view(np.uint8).reshape(-1))
        self.emulator.write(results, bytes(8 * len(calls)))
        arguments = at.to_bytes(8, "little") + results.to_bytes(8, "little") + len(calls).to_bytes(4, "little")
        self.launch("script", 1, 1, arguments)
        return [int(x) for x in np.frombuffer(self.emulator.read(results, 8 * len(calls)), np.uint64)]


def random_calls(seed: int) -> list[tuple[int, int]]:
    random = np.random.default_rng(seed)
    calls: list[tuple[int, int]] = []
    live: list[int] = []
    for k in range(300):
        if live and random.random() < 0.45:
            calls.append((-1, live.pop(int(random.integers(len(live))))))
        else:
            size = int(random.choice([0, 1, 15, 16, 17, 100, 496, 497, 512, 2000, 5000, 1 << 40]))
            calls.append((size, int(random.choice([16, 16, 16, 1, 256, 24, 0]))))
            live.append(k)
    return calls


@pytest.mark.parametrize("seed", range(3))
def test_one_lane_gets_what_the_interpreter_gives(seed: int) -> None:
    device = Device(12_000)
    calls = random_calls(seed)
    reference = Heap(device.heap, formatted(device.heap, device.units))
    expected = [0] * len(calls)
    for k, (size, second) in enumerate(calls):
        if size < 0:
            reference.free(expected[second])
        elif second and not second & (second - 1):
            expected[k] = reference.allocate(size, max(second, 16))
    assert device.script(calls) == expected
    assert seed or 0 in [expected[k] for k, (size, second) in enumerate(calls) if 0 <= size < 6000 and second == 16]
    np.testing.assert_array_equal(device.heap_bytes()[:8], reference.data[:8])
    np.testing.assert_array_equal(device.heap_bytes()[16:], reference.data[16:])


def test_blocks_of_many_lanes_do_not_overlap_and_nothing_is_lost() -> None:
    device = Device(4 << 20)
    results = device.emulator.alloc(16 * 512)
    device.launch("crowd", 8, 64, results.to_bytes(8, "little"))
    pointers = np.frombuffer(device.emulator.read(results, 16 * 512), np.uint64).reshape(-1, 2)
    assert pointers.all()
    assert not (pointers[:, 1] % 64).any()
    sizes = np.arange(512) % 61
    spans = sorted(
        (int(p) - 16, int(p) + int(size))
        for column, factor in ((0, 1), (1, 24))
        for p, size in zip(pointers[:, column], sizes * factor, strict=True)
    )
    assert all(end <= begin for (_, end), (begin, _) in zip(spans, spans[1:], strict=False))
    data = device.heap_bytes()
    held = sum((int(s) + 31) // 16 + (int(s) * 24 + 64 + 15) // 16 for s in sizes)
    assert np.unpackbits(data[BITMAP : BITMAP + device.units // 8]).sum() == held
    assert int(data[8:12].view(np.uint32)[0]) > 0, "no two lanes ever met"


def test_a_check_of_races_is_silent(tmp_path: Path) -> None:
    """Blocks go from one wave to another, and every wave sets the hint."""
    device = Device(1 << 20, tmp_path / "journal")
    results = device.emulator.alloc(16 * 128)
    device.launch("crowd", 2, 64, results.to_bytes(8, "little"))
    assert '"race"' not in (tmp_path / "journal").read_text()


@pytest.mark.parametrize("calls", [[(64, 16), (-1, 0), (-1, 0)], [(0, 16), (-1, 3), (0, 16), (8, 16)]])
def test_a_second_free_of_a_block_ends_the_launch(calls: list[tuple[int, int]]) -> None:
    device = Device(4096)
    if len(calls) == 4:  # a null pointer is no block, and may be freed
        assert all(x for k, x in enumerate(device.script(calls)) if k != 1)
        return
    with pytest.raises(emulator.EmulatorFault, match="trap"):
        device.script(calls)

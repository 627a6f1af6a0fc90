"""Assembling through LLVM: results, failures, time limits, and that a broken worker is replaced."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cassc.amdgpu import assemble
from cassc.amdgpu.llvm import Llvm, find_llvm
from cassc.diag import CasscError
from cassc.image import codeobject
from cassc.target import TARGETS

GFX1100 = TARGETS["gfx1100"]
HEAD = 'target triple = "amdgcn-amd-amdhsa"\n'
STORE = (Path(__file__).parent / "modules" / "one_kernel.ll").read_text()
# Matrix instructions that RDNA3 does not have: instruction selection ends the process.
FATAL = """
define amdgpu_kernel void @k(ptr addrspace(1) %p, float %a, <4 x float> %c) {
  %r = call <4 x float> @llvm.amdgcn.mfma.f32.4x4x1f32(float %a, float %a, <4 x float> %c, i32 0, i32 0, i32 0)
  store <4 x float> %r, ptr addrspace(1) %p
  ret void
}
declare <4 x float> @llvm.amdgcn.mfma.f32.4x4x1f32(float, float, <4 x float>, i32 immarg, i32 immarg, i32 immarg)
"""

pytestmark = pytest.mark.usefixtures("llvm")


def refusal(text: str, **options: object) -> CasscError:
    with pytest.raises(CasscError) as caught:
        assemble.assemble(text, GFX1100, **options)  # type: ignore[arg-type]
    return caught.value


@pytest.mark.parametrize("name", list(TARGETS))
def test_every_target(name: str) -> None:
    found = codeobject.parse(assemble.assemble(STORE, TARGETS[name]))
    assert (found.target.name, found.version) == (name, 5)
    assert found.kernels[0].wavefront_size == 32


def test_texts_and_times() -> None:
    plain = assemble.assemble_full(STORE, GFX1100)
    kept = assemble.assemble_full(STORE, GFX1100, keep=True)
    assert (plain.assembly, plain.optimised_ir) == ("", "")
    assert kept.code_object == plain.code_object
    assert "global_store_b32" in kept.assembly
    assert "define amdgpu_kernel void @store" in kept.optimised_ir
    assert set(plain.times) == {"parse", "optimise", "codegen", "link"}
    assert all(seconds > 0 for seconds in plain.times.values())


def test_disassembly() -> None:
    code = assemble.assemble(STORE, GFX1100)
    lines = assemble.disassemble(code)
    texts = [line.text for line in lines]
    assert texts.index("s_endpgm") > next(i for i, t in enumerate(texts) if t.startswith("global_store_b32"))
    assert all(a.address + a.size == b.address for a, b in zip(lines, lines[1:], strict=False))
    _, ((address, content),) = codeobject.code_sections(code)
    assert (lines[0].address, sum(line.size for line in lines)) == (address, len(content))


def test_optimisation_level() -> None:
    text = HEAD + (
        "define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {\n  %s = alloca i32, addrspace(5)\n"
        "  store i32 %n, ptr addrspace(5) %s\n  %v = load i32, ptr addrspace(5) %s\n"
        "  store i32 %v, ptr addrspace(1) %p\n  ret void\n}\n"
    )
    fast, slow = (codeobject.parse(assemble.assemble(text, GFX1100, opt_level=n)).kernels[0] for n in (3, 0))
    assert fast.private_segment_size == 0
    assert slow.private_segment_size > 0


def test_no_unrolling() -> None:
    text = HEAD + (
        "define amdgpu_kernel void @k(ptr addrspace(1) %p) {\nentry:\n  br label %loop\nloop:\n"
        "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n  %a = getelementptr i32, ptr addrspace(1) %p, i64 %i\n"
        "  store volatile i32 1, ptr addrspace(1) %a\n  %next = add i64 %i, 1\n"
        "  %more = icmp ult i64 %next, 8\n  br i1 %more, label %loop, label %end\nend:\n  ret void\n}\n"
    )
    stores = [
        line for line in assemble.disassemble(assemble.assemble(text, GFX1100)) if line.text.startswith("global_store")
    ]
    assert len(stores) == 1


def test_assembly_source() -> None:
    text = assemble.assemble_full(STORE, GFX1100, keep=True).assembly
    found = codeobject.parse(assemble.assemble(text, GFX1100, form="asm"))
    assert (found.version, [k.name for k in found.kernels]) == (5, ["store"])


def test_compute_unit_mode() -> None:
    """FP_MODE and WGP_MODE stand in compute_pgm_rsrc1 (descriptor offset 48); bit 29 set would be WGP mode."""
    from cassc.image import elf

    file = elf.parse(assemble.assemble(STORE, GFX1100))
    rodata = file.find(".rodata")
    assert rodata is not None
    assert not int.from_bytes(rodata.data[48:52], "little") >> 29 & 1


@pytest.mark.parametrize(
    ("text", "form", "message"),
    [
        ("define void @f( {", "llvm-ir", "expected type"),
        ("define i32 @f() { ret void }", "llvm-ir", "doesn't match function result type"),
        ("bogus_instruction v0", "asm", "invalid instruction"),
        (
            HEAD + 'define amdgpu_kernel void @k() { call void asm sideeffect "bogus", ""() ret void }',
            "llvm-ir",
            "invalid",
        ),
        (
            HEAD + "@big = internal addrspace(3) global [100000 x i8] poison\n"
            "define amdgpu_kernel void @k(i32 %i) { %a = getelementptr i8, ptr addrspace(3) @big, i32 %i\n"
            "store volatile i8 1, ptr addrspace(3) %a ret void }",
            "llvm-ir",
            "local memory (100000) exceeds limit (65536)",
        ),
    ],
)
def test_refused_input(text: str, form: str, message: str, reports: Path) -> None:
    error = refusal(text, form=form)
    assert error.diagnostics[0].id == "amdgpu-llvm-failed"
    assert message in "\n".join([str(error), *(n.message for n in error.diagnostics[0].notes)])
    (report,) = reports.glob("cassc-report-*")
    assert text in (report / ("input.s" if form == "asm" else "input.ll")).read_text()
    assert message in (report / "llvm.txt").read_text()


def test_llvm_ending_the_process(reports: Path) -> None:
    error = refusal(FATAL)
    assert error.diagnostics[0].id == "amdgpu-llvm-failed"
    assert "LLVM process ended" in "".join(p.read_text() for p in reports.glob("*/llvm.txt"))
    assert codeobject.parse(assemble.assemble(STORE, GFX1100)).kernels


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_ended_from_outside_is_no_crash(number: signal.Signals, reports: Path) -> None:
    assemble.warm_up()
    process = assemble._idle[-1]._process
    os.kill(process.pid, number)
    error = refusal(STORE)
    assert (error.diagnostics[0].id, str(error)) == (
        "amdgpu-llvm-ended",
        f"the LLVM process was ended by {number.name}",
    )
    assert not list(reports.glob("cassc-report-*"))


def test_a_busy_machine_does_not_count(reports: Path) -> None:
    assemble.assemble(STORE, GFX1100)
    worker = assemble._idle[-1]._process.pid
    os.kill(worker, signal.SIGSTOP)
    threading.Timer(0.8, os.kill, (worker, signal.SIGCONT)).start()
    assert codeobject.parse(assemble.assemble(STORE, GFX1100, timeout_s=0.4)).kernels
    assert assemble._idle[-1]._process.pid == worker


def test_time_limit(reports: Path) -> None:
    lines = [f"  %v{i} = load volatile i32, ptr addrspace(1) %p" for i in range(4000)]
    slow = "\n".join([HEAD, "define amdgpu_kernel void @k(ptr addrspace(1) %p) {", *lines, "  ret void", "}"])
    error = refusal(slow, timeout_s=0.01)
    assert error.diagnostics[0].id == "amdgpu-timeout"
    assert codeobject.parse(assemble.assemble(STORE, GFX1100)).kernels


def test_workers_are_reused() -> None:
    assemble.assemble(STORE, GFX1100)
    idle = list(assemble._idle)
    assert len(idle) >= 1
    assemble.assemble(STORE, GFX1100)
    assert list(assemble._idle) == idle


def test_warm_up() -> None:
    assemble.shut_down()
    assert not assemble._idle
    assemble.warm_up()
    (started,) = assemble._idle
    assemble.warm_up()
    assert codeobject.parse(assemble.assemble(STORE, GFX1100)).kernels
    assert assemble._idle == [started]


def test_threads() -> None:
    results: list[bytes] = []
    threads = [threading.Thread(target=lambda: results.append(assemble.assemble(STORE, GFX1100))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [assemble.assemble(STORE, GFX1100)] * 3


def test_no_worker_outlives_the_program(llvm: Llvm) -> None:
    script = (
        "from cassc.amdgpu import assemble; from cassc.target import TARGETS; import sys\n"
        "assemble.assemble(sys.stdin.read(), TARGETS['gfx1100']); print(assemble._idle[0]._process.pid)"
    )
    done = subprocess.run([sys.executable, "-c", script], input=STORE, capture_output=True, text=True, check=True)
    assert not Path(f"/proc/{int(done.stdout)}/exe").exists()
    assert done.stderr == ""


def test_library_without_llvm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "libfake.so"
    fake.write_bytes(b"not a library")
    monkeypatch.setenv("CASSC_LLVM", str(fake))
    assert refusal(STORE).diagnostics[0].id == "amdgpu-no-llvm"


@pytest.mark.parametrize("value", ["/nonexistent", os.devnull])
def test_wrong_variable(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("CASSC_LLVM", value)
    with pytest.raises(CasscError, match="neither an LLVM library nor a clang"):
        find_llvm()


def test_clang_and_lld(monkeypatch: pytest.MonkeyPatch, reports: Path) -> None:
    clang = next(filter(None, (shutil.which(f"clang-{v}") for v in (22, 21, 20, 19))), None)
    if clang is None or shutil.which(Path(clang).name.replace("clang", "ld.lld")) is None:
        pytest.skip("no clang with its ld.lld is on PATH")
    monkeypatch.setenv("CASSC_LLVM", clang)
    result = assemble.assemble_full(STORE, GFX1100, keep=True)
    found = codeobject.parse(result.code_object)
    assert (found.version, [k.name for k in found.kernels]) == (5, ["store"])
    assert "global_store_b32" in result.assembly
    assert set(result.times) >= {"codegen", "link"}
    assert refusal("define void @f( {").diagnostics[0].id == "amdgpu-llvm-failed"

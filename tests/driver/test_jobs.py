"""Whole builds with NVIDIA's compiler and a translation that is replaced by a recording one."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cassc import cli, toolchain
from cassc.diag import CasscError, Diagnostic, Location, Severity, error
from cassc.driver import device, jobs, toolkit
from cassc.driver.cache import Cache
from cassc.driver.invocation import parse
from cassc.driver.jobs import Report, ToolFailed
from cassc.driver.plan import Delivery, plan
from cassc.hip import tools as source_tools
from cassc.image import bundle, cubin, fatbin, host

KERNEL = "__global__ void {0}(int *p) {{ p[threadIdx.x] = {1}; }}\n"


@dataclass(frozen=True)
class FakeVerdict:
    kernel: str

    def to_dict(self) -> dict[str, Any]:
        return {"kernel": self.kernel, "status": "unverified", "reason": "nothing was translated"}


@dataclass(frozen=True)
class FakeResult:
    code_objects: dict[str, bytes]
    verdicts: tuple[FakeVerdict, ...]
    remarks: tuple[Diagnostic, ...] = ()
    timings: dict[str, float] = field(default_factory=lambda: {"disassemble": 0.5})
    artefacts: dict[str, bytes] = field(default_factory=lambda: {".sass": b"text", ".ll": b"ir"})
    refused: tuple[Diagnostic, ...] = ()


class Recorder:
    """Stands for ``translate_module``: remembers the kernels of each call, or fails."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.problem: Exception | None = None

    def __call__(self, data: bytes, settings: device.Settings) -> FakeResult:
        if self.problem:
            raise self.problem
        names = [kernel.name for kernel in cubin.parse(data).kernels]
        self.calls.append(names)
        objects = {target.name: b"code for " + target.name.encode() for target in settings.targets}
        return FakeResult(objects, tuple(FakeVerdict(name) for name in names))


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    fake = Recorder()
    monkeypatch.setattr(device, "translate_module", fake)
    return fake


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with libraries under the runtime's names: enough to link shared libraries against."""
    place = tmp_path_factory.mktemp("lib")
    for name in ("libcudart.so.13", "libcassc_cudart.so.13"):
        command = ["g++", "-shared", "-x", "c", "-", "-o", str(place / name)]
        subprocess.run(command, input=b"void __cudaRegisterFatBinary(void) {}", check=True)
    return place


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nvcc: toolchain.Nvcc, runtime: Path) -> Path:
    """The current folder of a build, with two sources."""
    place = tmp_path / "build"
    place.mkdir()
    (place / "a.cu").write_text(KERNEL.format("ka", 1))
    (place / "b.cu").write_text(KERNEL.format("kb", 2))
    (place / "plain.cpp").write_text("int answer() { return 42; }\n")
    monkeypatch.chdir(place)
    monkeypatch.setenv("CASSC_LIBDIR", str(runtime))
    return place


def build(command: str) -> Report:
    invocation = parse(command.split())
    scratch = Path("..", "scratch")
    scratch.mkdir(exist_ok=True)
    for path in scratch.iterdir():
        path.unlink()
    machine = toolchain.find()
    made = plan(invocation, machine, toolkit.find(machine), scratch.resolve())
    return jobs.run(made, invocation, Cache.open(), lambda text: None)


def embedded(path: Path) -> list[dict[str, bytes]]:
    """The code objects of each fat binary that has some."""
    entries = [e for fat in fatbin.extract(host.read(path)) for e in fat.of_kind(fatbin.EntryKind.CODE_OBJECTS)]
    return [bundle.unpack(entry.payload()) for entry in entries]


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_object_holds_code_objects_and_verdicts(folder: Path, recorder: Recorder) -> None:
    report = build("-c a.cu --offload-arch=gfx1100,gfx1102")
    assert recorder.calls == [["_Z2kaPi"]]
    assert embedded(folder / "a.o") == [
        {
            "hipv4-amdgcn-amd-amdhsa--gfx1100": b"code for gfx1100",
            "hipv4-amdgcn-amd-amdhsa--gfx1102": b"code for gfx1102",
        }
    ]
    (fat,) = fatbin.extract(host.read(folder / "a.o"))
    (entry,) = fat.of_kind(fatbin.EntryKind.VERDICTS)
    record = json.loads(entry.payload())
    assert record["sm"] == "sm_80"
    assert record["targets"] == ["gfx1100", "gfx1102"]
    assert [kernel["kernel"] for kernel in record["kernels"]] == ["_Z2kaPi"]
    stages = [stage for _, seconds in report.timings for stage in seconds]
    assert stages == ["nvcc", "read", "extract", "select", "disassemble", "pack", "embed"]


def test_failed_translation_leaves_nothing(folder: Path, recorder: Recorder) -> None:
    before = names(folder)
    place = Location(kernel="ka", sm="sm_80", address=0x90, instruction="FOO R1")
    recorder.problem = error("sass-no-row", "no row for FOO", place)
    with pytest.raises(CasscError) as caught:
        build("--engine=lift a.cu plain.cpp -o prog -MD")
    assert names(folder) == before
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.location.file == "a.cu"
    assert (diagnostic.location.kernel, diagnostic.location.address) == ("ka", 0x90)
    assert caught.value.status == 1


def test_refused_file_is_compiled_from_source(folder: Path, recorder: Recorder) -> None:
    missing = source_tools.lacks()
    if missing:
        pytest.skip("the source engine has no " + ", no ".join(lack.what for lack in missing))
    recorder.problem = error("lift-unsupported", "unsupported instruction: FOO", Location(kernel="ka", sm="sm_80"))
    report = build("-c a.cu")
    assert [verdict["engine"] for verdict in report.verdicts] == ["source"]
    (told,) = [remark for remark in report.remarks if remark.id == "source-fallback"]
    assert (told.severity, told.location.file) == (Severity.WARNING, "a.cu")
    assert [note.message for note in told.notes] == ["engine 'lift': unsupported instruction: FOO"]
    (code_objects,) = embedded(folder / "a.o")
    assert code_objects["hipv4-amdgcn-amd-amdhsa--gfx1100"].startswith(b"\x7fELF")


def test_what_neither_engine_can_is_refused_in_the_first_ones_words(folder: Path, recorder: Recorder) -> None:
    if source_tools.lacks():
        pytest.skip("the source engine's tools are not installed")
    (folder / "a.cu").write_text('__global__ void ka() { asm("bar.sync 3, 64;"); }\n')
    recorder.problem = error("lift-unsupported", "unsupported instruction: FOO", Location(kernel="ka", sm="sm_80"))
    with pytest.raises(CasscError) as caught:
        build("-c a.cu")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message == "unsupported instruction: FOO"
    refusal = "engine 'source': a.cu:1:24: error: inline PTX is not translated: 'bar.sync 3, 64'"
    assert diagnostic.notes[-1].message.startswith(refusal)
    assert "a.o" not in names(folder)


def test_defect_in_a_stage_becomes_an_internal_error(folder: Path, recorder: Recorder) -> None:
    recorder.problem = ZeroDivisionError("oops")
    with pytest.raises(jobs.InternalError) as caught:
        build("-c a.cu")
    assert caught.value.title == "a.cu"
    assert "a.o" not in names(folder)


def test_failed_compilation_keeps_nvcc_status(folder: Path, recorder: Recorder) -> None:
    (folder / "b.cu").write_text("this is no program\n")
    before = names(folder)
    with pytest.raises(ToolFailed) as caught:
        build("-c a.cu b.cu")
    assert names(folder) == before
    assert caught.value.status not in (0, 1)  # nvcc gives its own


def test_second_build_comes_from_the_cache(folder: Path, recorder: Recorder) -> None:
    build("-c a.cu -o first.o")
    report = build("-c a.cu -o second.o")
    assert len(recorder.calls) == 1
    assert report.hits == 1
    assert embedded(folder / "first.o") == embedded(folder / "second.o")
    build("-c a.cu -o third.o --offload-arch=gfx1101")
    assert len(recorder.calls) == 2


def test_remarks_survive_the_cache(folder: Path, recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    remark = Diagnostic(Severity.REMARK, "verify-x", "not checked", Location(kernel="ka"))

    def translate(data: bytes, settings: device.Settings) -> FakeResult:
        return FakeResult({t.name: b"x" for t in settings.targets}, (), (remark,))

    monkeypatch.setattr(device, "translate_module", translate)
    first, second = build("-c a.cu").remarks, build("-c a.cu").remarks
    assert first == second
    assert (first[0].message, first[0].location.kernel, first[0].location.file) == ("not checked", "ka", "a.cu")


def test_source_without_device_code(folder: Path, recorder: Recorder) -> None:
    (folder / "host.cu").write_text("int f() { return 3; }\n")
    build("-c host.cu plain.cpp")
    assert recorder.calls == []
    assert {"host.o", "plain.o"} <= names(folder)
    assert embedded(folder / "host.o") == []


def test_run_arguments_reach_the_program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(os, "execve", lambda path, arguments, environment: started.append(list(arguments)))
    (folder / "main.cpp").write_text("int main() {}\n")
    cli.main("main.cpp -o prog -run -run-args a,b -cudart none".split())
    assert started == [[str(folder / "prog"), "a", "b"]]


def test_clean_removes_what_would_be_made(folder: Path) -> None:
    for name in ("a.o", "a.d", "b.o"):
        (folder / name).touch()
    assert cli.main("-c -MD a.cu -clean".split()) == 0
    assert names(folder) & {"a.o", "a.d", "b.o"} == {"b.o"}


@pytest.mark.parametrize(
    ("architectures", "chosen"),
    [
        ("-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90", "sm_80"),
        ("-gencode arch=compute_90,code=sm_90 -gencode arch=compute_120,code=sm_120", "sm_90"),
        ("-arch=sm_120", "sm_120"),
    ],
)
def test_choice_of_architecture(folder: Path, recorder: Recorder, architectures: str, chosen: str) -> None:
    build(f"-c a.cu {architectures}")
    (fat,) = fatbin.extract(host.read("a.o"))
    assert [entry.arch.name for entry in fat.of_kind(fatbin.EntryKind.CODE_OBJECTS)] == [chosen]


def test_dependency_file_names_the_real_output(folder: Path, recorder: Recorder) -> None:
    build("-MD -c a.cu -o sub.o")
    assert (folder / "sub.d").read_text().split()[:3] == ["sub.o", ":", "a.cu"]
    build("-MMD -MF deps -MT goal -MP -c a.cu")
    assert (folder / "deps").read_text().split()[:3] == ["goal", ":", "a.cu"]


def test_keep_writes_each_stage(folder: Path, recorder: Recorder) -> None:
    build("--keep -c a.cu")
    kept = names(folder)
    assert {"a.fatbin", "a.sm_80.cubin", "a.sass", "a.ll", "a.verdict.json", "a.hipfb", "a.ptx"} <= kept
    assert cubin.parse((folder / "a.sm_80.cubin").read_bytes()).kernels[0].name == "_Z2kaPi"


def plain(*command: str) -> None:
    subprocess.run(
        [str(toolchain.find().require_nvcc().path), "-arch=sm_80", "-Xcompiler", "-fPIC", *command], check=True
    )


def test_plain_objects_and_archives_are_translated(folder: Path, recorder: Recorder) -> None:
    plain("-c", "a.cu")
    plain("-c", "b.cu")
    plain("-lib", "b.o", "-o", "libb.a")
    build("-shared a.o libb.a -o both.so")
    assert sorted(recorder.calls) == [["_Z2kaPi"], ["_Z2kbPi"]]
    assert len(embedded(folder / "both.so")) >= 1


def test_library_named_by_l_is_translated(folder: Path, recorder: Recorder) -> None:
    plain("-c", "b.cu")
    plain("-lib", "b.o", "-o", "libb.a")
    build("-shared plain.cpp -L. -lb -o both.so")
    assert recorder.calls == [["_Z2kbPi"]]


def test_translated_objects_pass_as_they_are(folder: Path, recorder: Recorder) -> None:
    build("-c a.cu b.cu")
    recorder.calls.clear()
    build("-lib a.o b.o -o libboth.a")
    build("-shared a.o -L. -lboth -o linked.so")
    assert recorder.calls == []
    assert len(embedded(folder / "libboth.a")) == 2
    assert len(embedded(folder / "linked.so")) == 1


def test_linked_library_needs_our_runtime_only(folder: Path, recorder: Recorder, runtime: Path) -> None:
    build("-shared a.cu -o a.so -lcudart -lcudadevrt -lm -L/usr/lib")
    text = subprocess.run(["readelf", "-d", "a.so"], capture_output=True, text=True, check=True).stdout
    assert f"Shared library: [{runtime}/libcassc_cudart.so.13]" in text  # by path: no search path is needed
    assert "RUNPATH" not in text
    assert "Shared library: [libcudadevrt" not in text
    assert os.access("a.so", os.X_OK)


def test_relocatable_code_is_linked_before_translation(folder: Path, recorder: Recorder) -> None:
    (folder / "caller.cu").write_text("extern __device__ int f(int);\n__global__ void k(int *p) { *p = f(*p); }\n")
    (folder / "callee.cu").write_text("__device__ int f(int x) { return x * 3; }\n")
    build("-dc caller.cu callee.cu -Xcompiler -fPIC")
    assert recorder.calls == []
    build("-shared -Xcompiler -fPIC caller.o callee.o -o rdc.so")
    assert recorder.calls == [["_Z1kPi"]]
    assert len(embedded(folder / "rdc.so")) == 1
    build("-dlink caller.o callee.o -o linked.o")
    assert len(embedded(folder / "linked.o")) == 1


def test_device_as_output_is_written_not_replaced(tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.write_bytes(b"x")
    master, slave = os.openpty()
    name = Path(os.ttyname(slave))
    jobs.deliver([Delivery(made, name)])
    assert os.read(master, 10) == b"x"
    assert stat.S_ISCHR(name.stat().st_mode)
    os.close(master)
    os.close(slave)


def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    first, second = tmp_path / "1", tmp_path / "2"
    first.write_bytes(b"x")
    second.write_bytes(b"y")
    wanted = [Delivery(first, tmp_path / "ok"), Delivery(second, tmp_path / "no" / "file")]
    with pytest.raises(CasscError, match="cannot write '.*no/file': No such file"):
        jobs.deliver(wanted)
    assert names(tmp_path) == {"1", "2"}


def test_dryrun_starts_nothing(folder: Path, recorder: Recorder) -> None:
    before = names(folder)
    invocation = parse("a.cu b.cu -o prog -shared --dryrun".split())
    lines: list[str] = []
    machine = toolchain.find()
    jobs.dryrun(plan(invocation, machine, toolkit.find(machine), Path("/scratch")), lines.append)
    assert names(folder) == before
    assert all(line.startswith("#$ ") for line in lines)
    words = [line.split()[1].rpartition("/")[2] for line in lines if not re.match(r"#\$ \w+=", line)]
    assert words == ["nvcc", "cassc-translate", "nvcc", "cassc-translate", "g++", "mv"]


@pytest.mark.parametrize("options", ["-MM -MP", "-MM -MP -o rule.d", "-MM -MP -MF rule.d"])
def test_dependencies_are_printed_without_nvcc(
    options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As FindCUDA asks for them."""
    if source_tools.lacks():
        pytest.skip("the source engine lacks " + ", ".join(lack.what for lack in source_tools.lacks()))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CASSC_NVCC", "none")
    Path("a.cu").write_text('#include "a.h"\n__global__ void k() {}\n')
    Path("a.h").touch()
    assert cli.main([*options.split(), "-D__CUDACC__", "-Xcompiler", ',"-g"', "a.cu"]) == 0
    text = Path("rule.d").read_text() if "rule.d" in options else capsys.readouterr().out
    assert text.split() == ["a.o:", "a.cu", "\\", "a.h", "a.h:"]

"""Programs that nvcc linked: run as they are, and rewritten."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from cassc import cli, diag, toolchain
from cassc.diag import CasscError
from cassc.driver import contents, prebuilt, signatures
from cassc.driver.arguments import CommandLineError
from cassc.driver.cache import Cache
from cassc.driver.invocation import Phase, parse
from cassc.engines import cascade
from cassc.engines.base import Request, Support, Translation, Unsupported
from cassc.engines.lift import LiftEngine
from cassc.image import fatbin, host, relink, signature
from cassc.target import DEFAULT_SM, RECORDED_SM, SmArch
from tests import device

PROGRAM = Path(__file__).parent / "programs" / "prebuilt.cu"
ALL_RIGHT = "twice: cudaSuccess\nrefused: cudaSuccess\n0 wrong, cudaSuccess\n"
ONE_REFUSED = "twice: cudaSuccess\nrefused: cudaErrorNoKernelImageForDevice\n0 wrong, cudaSuccess\n"
NOT_TRANSLATED = "cassc: kernel _Z7refusedPi was not translated"


class Choosy(LiftEngine):
    """Refuses the kernel of that name."""

    name: ClassVar[str] = "choosy"

    def supports(self, request: Request) -> Support:
        if request.function.name == "_Z7refusedPi":
            reason = diag.error("test-refused", "the test wants it so", diag.Location(kernel="_Z7refusedPi"))
            return Support(False, reason.diagnostics)
        return super().supports(request)


class Sullen(LiftEngine):
    """Refuses all, and late."""

    name: ClassVar[str] = "sullen"

    def translate(self, request: Request) -> Translation:
        reason = diag.error("test-refused", "not today", diag.Location(kernel=request.function.name))
        raise Unsupported(*reason.diagnostics)


@pytest.fixture
def choosy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cascade, "engines_named", lambda names, exact_math=False: (Choosy(),))


@pytest.fixture(scope="module")
def runtime() -> Path:
    found = toolchain.find_runtime()
    if found is None or not all((found / name).exists() for name in ("libcassc_redirect.so", "libcassc_emu.so")):
        pytest.skip("libcassc_redirect.so and libcassc_emu.so are not built (CASSC_LIBDIR or cassc/lib)")
    return found


Linked = Callable[..., Path]


@pytest.fixture(scope="module")
def linked(nvcc: toolchain.Nvcc, runtime: Path, tmp_path_factory: pytest.TempPathFactory) -> Linked:
    """``linked(*options)``: programs/prebuilt.cu by plain nvcc."""
    out = tmp_path_factory.mktemp("prebuilt")

    def make(*options: str) -> Path:
        path = out / re.sub(r"\W", "_", "".join(("program", *options)))
        if not path.exists():
            architecture = () if "-gencode" in options else ("-arch=sm_80",)
            command = [str(nvcc.path), *architecture, *options, str(PROGRAM), "-o", str(path)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
        return path

    return make


def stripped(path: Path) -> Path:
    strip = shutil.which("strip")
    if strip is None:
        pytest.skip("strip is not on PATH")
    result = path.with_name(path.name + "-stripped")
    subprocess.run([strip, "-s", str(path), "-o", str(result)], check=True)
    return result


def start(command: Sequence[str | Path], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120, check=False)


def run_unchanged(*command: str | Path) -> tuple[prebuilt.Launch, subprocess.CompletedProcess[str]]:
    found = prebuilt.launch([str(word) for word in command], prebuilt.settings((), 0.2))
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    return found, start(found.arguments, {**found.environment, **paths})


def alone(program: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Without cassc, its cache and its variables."""
    return start([program, *arguments], {"PATH": "/usr/bin:/bin", **device.variables()})


def rewrite(before: Path, after: Path) -> int:
    """The status. What checks find is not looked at, so nothing is checked."""
    return cli.main([str(before), "-o", str(after), "--check-seconds=0"])


WAYS = [(), ("-cudart", "shared"), ("-Xcompiler", "-no-pie", "-Xlinker", "-no-pie")]


@pytest.mark.slow
@pytest.mark.parametrize("options", WAYS, ids=["static", "shared", "fixed"])
def test_program_runs_unchanged(options: tuple[str, ...], linked: Linked) -> None:
    found, done = run_unchanged(linked(*options))
    assert (done.stdout, done.stderr, done.returncode) == (ALL_RIGHT, "", 0)
    assert {v["kernel"] for v in found.report.verdicts} == {"_Z5twicePii", "_Z7refusedPi"}


@pytest.mark.slow
def test_big_library_is_translated_kernel_by_kernel(linked: Linked) -> None:
    program = linked("-DBIG", "-Xfatbin", "--compress-mode=none")
    container = max((fatbin.serialize(fat) for fat in fatbin.extract(host.read(program))), key=len)
    assert len(container) > prebuilt.BIG
    found, done = run_unchanged(program)
    assert (done.stdout, done.stderr, done.returncode) == (ALL_RIGHT, "", 0)
    assert not found.report.verdicts  # nothing was translated before the program asked for it
    folder, name = Path(found.environment["CASSC_TRANSLATIONS"]), hashlib.sha256(container).hexdigest()

    def kernels(*parts: str) -> int:
        made = fatbin.parse((folder / ".".join((name, *parts, "fatbin"))).read_bytes())
        texts = [json.loads(entry.payload()) for entry in made.of_kind(fatbin.EntryKind.VERDICTS)]
        return sum(len(text["kernels"]) for text in texts)

    assert kernels(hashlib.sha256(b"_Z5twicePii").hexdigest()) == 1
    assert kernels(hashlib.sha256(b"_Z7refusedPi").hexdigest()) == 0  # all kernels share the variable that it uses
    assert kernels() == 2


@pytest.mark.slow
@pytest.mark.parametrize("options", WAYS, ids=["static", "shared", "fixed"])
@pytest.mark.parametrize("strip", [False, True], ids=["", "stripped"])
def test_program_is_rewritten(
    options: tuple[str, ...], strip: bool, linked: Linked, runtime: Path, tmp_path: Path
) -> None:
    before = stripped(linked(*options)) if strip else linked(*options)
    after = tmp_path / "rewritten"
    assert cli.main([str(before), "-o", str(after), "--check-seconds", "0.2"]) == 0
    done = alone(after)
    assert (done.stdout, done.stderr, done.returncode) == (ALL_RIGHT, "", 0)
    assert relink.needed(after.read_bytes())[0].startswith("libcudart.so.")
    assert os.access(after, os.X_OK)
    assert [record["sm"] for record in contents.verdicts(str(after))] == ["sm_80"]


@pytest.mark.slow
def test_rewriting_twice_changes_no_behaviour(linked: Linked, tmp_path: Path) -> None:
    once, twice = tmp_path / "once", tmp_path / "twice"
    assert rewrite(linked(), once) == 0
    assert rewrite(once, twice) == 0
    assert alone(twice).stdout == ALL_RIGHT


@pytest.mark.slow
def test_kernel_that_is_refused_when_run(linked: Linked, choosy: None) -> None:
    found, done = run_unchanged(linked())
    (warning,) = (r for r in found.report.remarks if r.severity is diag.Severity.WARNING)
    assert (warning.message, warning.location.kernel) == ("not translated: the test wants it so", "_Z7refusedPi")
    assert (done.stdout, done.returncode) == (ONE_REFUSED, 0)
    assert done.stderr.startswith(NOT_TRANSLATED)


@pytest.mark.slow
def test_kernel_that_is_refused_when_rewritten(
    linked: Linked, choosy: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    after = tmp_path / "rewritten"
    assert cli.main([str(linked()), "-o", str(after), "--check-seconds=0.2"]) == 0
    said = capsys.readouterr().err
    assert "warning: not translated: the test wants it so [in kernel 'refused(int*)'] [test-refused]" in said
    done = alone(after)
    assert (done.stdout, done.returncode) == (ONE_REFUSED, 0)
    assert done.stderr.startswith(NOT_TRANSLATED)
    (record,) = contents.verdicts(str(after))
    assert record["refused"] == [{"kernel": "_Z7refusedPi", "reason": "the test wants it so"}]
    assert cli.main(["verify", str(after)]) == 0
    assert "refused    refused(int*) (sm_80): the test wants it so\n" in capsys.readouterr().out


@pytest.mark.slow
def test_program_of_which_nothing_is_translated(linked: Linked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cascade, "engines_named", lambda names, exact_math=False: (Sullen(),))
    found, done = run_unchanged(linked())
    assert len(found.report.remarks) == 2
    assert "twice: cudaErrorNoKernelImageForDevice" in done.stdout


@pytest.mark.slow
def test_library_is_translated_when_it_is_opened(linked: Linked) -> None:
    library = linked("-shared", "-Xcompiler", "-fPIC", "-DLIBRARY")
    found, done = run_unchanged(linked("-DOPEN"), library)
    assert (done.stdout, done.returncode) == (ALL_RIGHT, 0)
    folder = Path(found.environment["CASSC_TRANSLATIONS"])
    assert [path.suffix for path in folder.iterdir()] == [".fatbin"]
    assert not found.report.verdicts  # of the program itself
    Cache.open().clear()
    assert not list(folder.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("translator", ["false", "/nothing/there", "echo 'not a container' > \"$1\"; :"])
def test_translator_that_fails(translator: str, linked: Linked) -> None:
    library = linked("-shared", "-Xcompiler", "-fPIC", "-DLIBRARY")
    found = prebuilt.launch([str(linked("-DOPEN")), str(library)], prebuilt.settings((), 0))
    done = start(found.arguments, {**found.environment, "CASSC_TRANSLATOR": translator})
    assert "twice: cudaErrorNoKernelImageForDevice\nrefused: cudaErrorNoKernelImageForDevice\n" in done.stdout
    assert done.returncode > 0  # the number of wrong elements, and no signal


@pytest.mark.slow
def test_damaged_translation(linked: Linked) -> None:
    found = prebuilt.launch([str(linked())], prebuilt.settings((), 0))
    (file,) = Path(found.environment["CASSC_TRANSLATIONS"]).iterdir()
    sound = file.read_bytes()
    for damaged in (
        b"",
        sound[:8],
        sound[:100],
        sound[: len(sound) // 2],
        bytes(200),
        sound.replace(b"__CLANG", b"__CLING"),
    ):
        file.write_bytes(damaged)
        done = start(found.arguments, {**found.environment, "CASSC_TRANSLATOR": "false"})
        assert "twice: cudaErrorNoKernelImageForDevice" in done.stdout
        assert done.returncode > 0


@pytest.mark.slow
def test_library_is_rewritten(linked: Linked, tmp_path: Path) -> None:
    library, opener = tmp_path / "libwork.so", tmp_path / "opener"
    assert rewrite(linked("-shared", "-Xcompiler", "-fPIC", "-DLIBRARY"), library) == 0
    assert rewrite(linked("-DOPEN"), opener) == 0
    assert alone(opener, library).stdout == ALL_RIGHT


@pytest.mark.slow
def test_what_holds_only_ptx_goes_through_ptxas(linked: Linked, tmp_path: Path) -> None:
    before = linked("-gencode", "arch=compute_80,code=compute_80")
    assert rewrite(before, tmp_path / "after") == 0
    assert alone(tmp_path / "after").stdout == ALL_RIGHT


@pytest.mark.slow
def test_architecture_as_cuda_chooses(linked: Linked, tmp_path: Path) -> None:
    codes = ("-gencode", "arch=compute_75,code=sm_75", "-gencode", "arch=compute_90,code=sm_90")
    assert rewrite(linked(*codes), tmp_path / "after") == 0
    assert [record["sm"] for record in contents.verdicts(str(tmp_path / "after"))] == ["sm_90"]
    assert alone(tmp_path / "after").stdout == ALL_RIGHT


@pytest.mark.slow
@pytest.mark.parametrize("options", WAYS, ids=["static", "shared", "fixed"])
def test_inspect_names_the_runtime(options: tuple[str, ...], linked: Linked) -> None:
    listing = contents.inspect(str(stripped(linked(*options))))
    expected = r"libcudart\.so\.\d+" if "shared" in options else r"inside, of CUDA \d+: 4\d\d entry points"
    assert re.fullmatch(expected, listing["runtime"])
    assert f"  CUDA runtime: {listing['runtime']}" in contents.inspect_lines(listing)


def test_missing_audit_library(
    runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "libcudart.so.13").symlink_to(runtime / "libcudart.so.13")
    monkeypatch.setenv("CASSC_LIBDIR", str(tmp_path))
    assert cli.main(["run", "/bin/true"]) == 1
    assert "'libcassc_redirect.so' is not in" in capsys.readouterr().err


def test_container_that_holds_nothing_translatable(tmp_path: Path) -> None:
    text = fatbin.make_entry(fatbin.EntryKind.PTX, SmArch(130), b".version 9.9\n")
    source, file = tmp_path / "source", tmp_path / "made.fatbin"
    source.write_bytes(fatbin.serialize(fatbin.FatBinary((text,))))
    report = prebuilt.translate_first_use(source, file, prebuilt.settings((), 0))
    assert [r.id for r in report.remarks] == ["device-no-sass"]
    assert fatbin.parse(file.read_bytes()).entries == ()  # found the next time, and not tried again


def test_runtime_and_driver_agree_on_what_is_big() -> None:
    source = Path(__file__).parents[2] / "shims" / "runtime" / "registry.cpp"
    found = re.search(r"kBig = (\d+) << (\d+);", source.read_text())
    assert found and int(found[1]) << int(found[2]) == prebuilt.BIG


def test_runtime_and_driver_choose_alike_among_architectures() -> None:
    source = (Path(__file__).parents[2] / "shims" / "runtime" / "registry.cpp").read_text()
    found = re.search(r"kDefaultSm = (\d+), kRecordedSm = (\d+);", source)
    assert found and (int(found[1]), int(found[2])) == (DEFAULT_SM.number, RECORDED_SM.number)


def test_command_line(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"\x7fELF")
    assert parse([str(program), "-o", "after"]).phase is Phase.CONVERT
    assert parse(["libwork.so", "-o", "after.so"]).phase is Phase.CONVERT
    assert parse(["a.cu", "libwork.so", "-o", "after"]).phase is Phase.LINK
    with pytest.raises(CommandLineError, match="name the new file with -o"):
        parse([str(program)])
    with pytest.raises(CommandLineError, match="has to be the only input file"):
        parse([str(program), "a.cu", "-o", "after"])


def test_programs_that_are_not_there(capsys: pytest.CaptureFixture[str], runtime: Path) -> None:
    assert cli.main(["run", "/nothing/at/all"]) == 1
    assert "'/nothing/at/all' was not found [run-not-found]" in capsys.readouterr().err
    assert cli.main(["run"]) == 2


def test_program_under_a_check_ends_when_its_run_is_terminated(runtime: Path, tmp_path: Path) -> None:
    """The signal reaches cassc alone: it passes it on, and says what was found until then."""
    script = tmp_path / "waits"
    script.write_text("#!/bin/sh\necho $$ > started.new; mv started.new started\nexec sleep 30\n")
    script.chmod(0o755)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "CASSC_LIBDIR": str(runtime)}
    command = [sys.executable, "-m", "cassc.cli", "run", "--check", str(script)]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "started").exists():
            assert process.poll() is None, "it ended before its program began"
            time.sleep(0.02)
        process.terminate()
        _, errors = process.communicate(timeout=10)
    assert process.returncode == 128 + signal.SIGTERM
    assert errors.endswith("========= ERROR SUMMARY: 0 errors\n")
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "started").read_text()), 0)


def test_file_without_device_code(capsys: pytest.CaptureFixture[str], runtime: Path, tmp_path: Path) -> None:
    after = tmp_path / "after"
    assert cli.main([str(runtime / "libcassrt.so"), "-o", str(after)]) == 1
    assert "the file holds no fat binary [prebuilt-nothing]" in capsys.readouterr().err
    assert not after.exists()


def test_is_linked(runtime: Path) -> None:
    assert prebuilt.is_linked(str(runtime / "libcassrt.so"))
    assert not prebuilt.is_linked(str(PROGRAM))
    assert not prebuilt.is_linked("/nothing")
    with pytest.raises(CasscError, match="LIEF cannot read"):
        relink.needed(b"nothing")
    assert host.read(runtime / "libcassrt.so").kind is host.ImageKind.SHARED


def test_the_archive_of_a_virtual_environment_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    archive = tmp_path / "venv/lib/python3.12/site-packages/nvidia/cuda_runtime/lib/libcudart_static.a"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"an archive")
    monkeypatch.setattr(signature, "table", lambda data: "a table" if data == b"an archive" else "")
    assert signatures.tables() == ()
    assert [table.read_text() for table in signatures.tables(str(tmp_path / "venv/bin/python"))] == ["a table"]

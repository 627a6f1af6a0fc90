"""The front: texts, statuses, speed."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import cassc
from cassc import cli, diag
from cassc.driver import jobs, progress
from cassc.image import fatbin, host
from cassc.target import SmArch
from cassc.toolchain import Nvcc
from cassc.verify.verdict import Status, Verdict


def test_version_is_what_build_systems_read(nvcc: Nvcc, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("nvcc: NVIDIA (R) Cuda compiler driver\n")
    major, minor, _ = nvcc.version
    assert f"release {major}.{minor}, V{nvcc.release}" in text
    assert text.endswith(f"cassc {cassc.__version__}: runs this compiler's device code on AMD GPUs\n")


def test_version_loads_little() -> None:
    """Configuring a project asks for it dozens of times: nothing but the standard library and four modules of ours."""
    code = (
        "import sys; before = set(sys.modules); from cassc.cli import main; main(['--version'])\n"
        "print(*sorted(set(sys.modules) - before), file=sys.stderr)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    others = {name for name in done.stderr.split() if name.partition(".")[0] not in sys.stdlib_module_names}
    assert others == {"cassc", "cassc.cli", "cassc.diag", "cassc.toolchain"}


def test_unknown_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--foo"]) == 1
    assert capsys.readouterr().err == "nvcc fatal   : Unknown option '--foo'\n"


def test_help_names_the_subcommands(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in set(cli.SUBCOMMANDS) - {"first-use", "rtc"})  # for libraries, not for people


def test_ignored_option_is_remarked(nvcc: Nvcc, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["-c", "a.cu", "--dryrun", "-jobserver"]) == 0
    assert "remark: option '-jobserver' has no effect: use -t [command-line-ignored-option]" in capsys.readouterr().err


def test_errors_are_rendered(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(invocation: object, said: object) -> int:
        place = diag.Location(file="a.cu", kernel="k", sm="sm_80", address=0x40, instruction="FOO R0")
        raise diag.error("sass-no-row", "no row for FOO", place)

    monkeypatch.setattr(cli, "_build", fail)
    assert cli.main(["a.cu"]) == 1
    expected = "a.cu: error: no row for FOO [in kernel 'k' (sm_80) at 0x0040 'FOO R0'] [sass-no-row]\n"
    assert capsys.readouterr().err == expected


def test_names_are_demangled_and_errors_limited(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(invocation: object, said: object) -> int:
        place = diag.Location(file="a.cu", kernel="_Z3addPfi", sm="sm_80")
        one = diag.Diagnostic(diag.Severity.ERROR, "sass-x", "bad", place, (diag.note("why", place),))
        raise diag.CasscError(*[one] * 23)

    monkeypatch.setattr(cli, "_build", fail)
    assert cli.main(["a.cu"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "a.cu: error: bad [in kernel 'add(float*, int)' (sm_80)] [sass-x]"
    assert lines[1] == "a.cu: note: why [in kernel 'add(float*, int)' (sm_80)]"
    assert lines[-1] == "cassc: 3 more errors not shown"
    assert len(lines) == 41


@pytest.mark.parametrize(
    ("variables", "terminal", "coloured"),
    [
        ({}, False, False),
        ({"TERM": "xterm"}, True, True),
        ({"TERM": "dumb"}, True, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, True, False),
        ({"CLICOLOR_FORCE": "1"}, False, True),
    ],
)
def test_colours(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    variables: dict[str, str],
    terminal: bool,
    coloured: bool,
) -> None:
    for name in ("TERM", "NO_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    def fail(invocation: object, said: object) -> int:
        raise diag.error("sass-x", "bad", notes=[diag.note("why")])

    monkeypatch.setattr(cli, "_build", fail)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    assert cli.main(["a.cu"]) == 1
    text = capsys.readouterr().err
    assert ("\x1b[" in text) is coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", text) == "cassc: error: bad [sass-x]\nnote: why\n"


def test_long_work_shows_a_line_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_QUIET_SECONDS", 0.05)
    monkeypatch.setattr(progress, "_STEP", 0.05)
    monkeypatch.setenv("TERM", "xterm")
    with progress.Progress("translating a.cu", enabled=True):
        time.sleep(0.2)
    assert capsys.readouterr().err == ""  # no terminal
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress.Progress("translating a.cu", enabled=True):
        time.sleep(0.3)
        with progress.aside():
            sys.stderr.write("a warning\n")
        time.sleep(0.2)
    text = capsys.readouterr().err
    assert "cassc: translating a.cu, 0 s" in text
    assert "\r\x1b[Ka warning\n\r" in text  # on a line of its own
    assert text.endswith("\r\x1b[K")  # and is gone


def test_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(invocation: object, said: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_build", interrupt)
    assert cli.main(["a.cu"]) == 130


def test_internal_error_names_stage_and_folder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)

    def fail(invocation: object, said: object) -> int:
        raise jobs.InternalError("translate", "a.cu", "_Z1kPi") from ZeroDivisionError("oops")

    monkeypatch.setattr(cli, "_build", fail)
    assert cli.main(["a.cu"]) == 70
    text = capsys.readouterr().err
    assert "internal error in stage 'translate' of a.cu, kernel 'k(int*)'" in text
    assert "Traceback" not in text
    (folder,) = tmp_path.glob("cassc-report-*")
    assert str(folder) in text
    assert "ZeroDivisionError: oops" in (folder / "report.txt").read_text()


def test_doctor(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CASSC_LIBDIR", str(tmp_path))
    (tmp_path / "libcudart.so.13").write_bytes(b"")
    assert cli.main(["doctor", "--json"]) == 1
    found = {finding["name"]: finding for finding in json.loads(capsys.readouterr().out)}
    assert not found["cassc runtime"]["found"]
    assert "libcassrt.so" in found["cassc runtime"]["detail"]
    assert found["cassc runtime"]["mend"].startswith("pip install")
    assert cli.main(["doctor"]) == 1
    assert "MISSING  cassc runtime" in capsys.readouterr().out


def translated(path: Path, verdicts: list[dict[str, object]]) -> None:
    """A bare fat binary with code objects and verdicts."""
    from cassc.image import bundle
    from cassc.target import TARGETS

    record = {"cassc": "1", "sm": "sm_80", "cubin": "00", "targets": ["gfx1100"], "kernels": verdicts}
    packed = bundle.pack({TARGETS["gfx1100"]: b"code"})
    entries = (
        fatbin.make_entry(fatbin.EntryKind.PTX, SmArch(80), b".version 9.0\n"),
        fatbin.make_entry(fatbin.EntryKind.CODE_OBJECTS, SmArch(80), packed),
        fatbin.make_entry(fatbin.EntryKind.VERDICTS, SmArch(80), json.dumps(record).encode()),
    )
    path.write_bytes(fatbin.serialize(fatbin.FatBinary(entries)))
    assert host.read(path).kind is host.ImageKind.FATBIN


def verdict(kernel: str, status: Status, launches: int = 0, reason: str = "") -> dict[str, object]:
    coverage = launches / 16
    made = Verdict(
        kernel, "gfx1100", "lift", status, launches=launches, coverage=coverage, reason=reason, branches=coverage / 2
    )
    return made.to_dict()


def test_verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.fatbin"
    good, vague = verdict("k1", Status.ACCEPTED, 8), verdict("k2", Status.UNVERIFIED, reason="takes a texture")
    translated(path, [good, vague])
    assert cli.main(["verify", str(path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "accepted   k1 (sm_80 to gfx1100): 8 launches, 50% of the instructions and 25% of the branches' ways ran",
        "unverified k2 (sm_80 to gfx1100): takes a texture",
    ]
    assert cli.main(["verify", str(path), "--json"]) == 0
    assert [k["kernel"] for k in json.loads(capsys.readouterr().out)[0]["kernels"]] == ["k1", "k2"]
    translated(path, [verdict("k3", Status.REJECTED, 1, "differs")])
    assert cli.main(["verify", str(path)]) == 1


def test_verify_of_a_file_without_translations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "text"
    path.write_text("nothing\n")
    assert cli.main(["verify", str(path)]) == 1
    assert "no kernel in the file was translated by cassc [verify-nothing]" in capsys.readouterr().err


def test_inspect(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.fatbin"
    translated(path, [verdict("k1", Status.ACCEPTED)])
    assert cli.main(["inspect", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("fat binary, 1 fat binary")
    assert "    ptx compute_80, 13 bytes" in lines
    assert "      gfx1100: 4 bytes" in lines
    assert cli.main(["inspect", str(path), "--json"]) == 0
    kinds = [e["kind"] for e in json.loads(capsys.readouterr().out)["fat_binaries"][0]["entries"]]
    assert kinds == ["ptx", "code objects", "verdicts"]


def test_inspect_lists_kernels(nvcc: Nvcc, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.cu"
    source.write_text(
        "__global__ void __launch_bounds__(64) k(int *p) { __shared__ int s[4]; s[*p] = 1; *p = s[1]; }\n"
    )
    command = [str(nvcc.path), "-arch=sm_80", "-c", str(source), "-o", str(tmp_path / "a.o")]
    subprocess.run(command, check=True)
    assert cli.main(["inspect", str(tmp_path / "a.o")]) == 0
    text = capsys.readouterr().out
    assert "k(int*): " in text
    assert "8 bytes of parameters, 16 shared, 0 stack" in text
    assert "at most 64 threads" in text


def test_cache_commands(capsys: pytest.CaptureFixture[str]) -> None:
    from cassc.driver.cache import Cache, key

    Cache.open().put(key("x"), b"12345")
    assert cli.main(["cache", "show", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["entries"], shown["folder"]) == (1, os.environ["CASSC_CACHE_DIR"])
    assert cli.main(["cache", "limit", "2G"]) == 0
    assert capsys.readouterr().out == "2048.0 MiB\n"
    assert cli.main(["cache", "stats"]) == 0
    assert "of 2048.0 MiB" in capsys.readouterr().out
    assert cli.main(["cache", "limit", "much"]) == 1
    assert "the limit is 'much'" in capsys.readouterr().err
    assert cli.main(["cache", "clear"]) == 0
    assert capsys.readouterr().out.startswith("removed 1 entries")
    assert Cache.open().usage().entries == 0


def test_inspect_of_a_foreign_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_text("nothing\n")
    assert cli.main(["inspect", str(tmp_path / "text")]) == 1
    assert "neither an ELF file, an archive nor a fat binary [inspect-nothing]" in capsys.readouterr().err


def test_inspect_says_nothing_of_its_libraries() -> None:
    """LIEF's binding, at the end of the process."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "cassc.cli", "inspect", "/bin/true"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "/bin/true: executable, 0 fat binaries\n", "")


@pytest.mark.parametrize("words", ["--seconds -3", "--attempt -5"])
def test_numbers_out_of_range_are_usage_errors(words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    translated(tmp_path / "x.fatbin", [])
    assert cli.main(["verify", "--run", *words.split(), str(tmp_path / "x.fatbin")]) == 2
    assert "is not in the range x>=0" in capsys.readouterr().err


def test_full_standard_output_is_named() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "cassc.cli", "--help"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (1, "cassc: error: No space left on device: standard output\n")


def test_full_disk_names_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    assert cli._guarded(lambda: Path("/dev/full").write_bytes(b"content")) == 1
    assert capsys.readouterr().err == "cassc: error: No space left on device: '/dev/full'\n"


def test_model_finds_no_kernel_to_translate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CASSC_CONFIG_DIR", str(tmp_path))
    assert cli.main(["model", "use", "http://localhost:9/v1"]) == 0
    (tmp_path / "noise").write_bytes(bytes(range(256)))
    assert cli.main(["model", "translate", str(tmp_path / "noise")]) == 1
    assert "noise: error: there is no kernel in the file" in capsys.readouterr().err


def test_usage_error_of_a_subcommand(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["inspect", "/no/such/file"]) == 2
    assert "does not exist" in capsys.readouterr().err


def test_full_disk_is_no_internal_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(invocation: object, said: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "prog")

    monkeypatch.setattr(cli, "_build", fail)
    assert cli.main(["a.cu"]) == 1
    assert capsys.readouterr().err == "cassc: error: No space left on device: 'prog'\n"


def test_terminated_build_leaves_no_scratch_folder(nvcc: Nvcc, tmp_path: Path) -> None:
    """A host compiler that never ends is terminated from outside."""
    slow = tmp_path / "slow-g++"
    slow.write_text("#!/bin/sh\ntouch started\nexec sleep 30\n")
    slow.chmod(0o755)
    (tmp_path / "libcudart.so.13").write_bytes(b"")
    (tmp_path / "a.cpp").write_text("int main() {}\n")
    (tmp_path / "tmp").mkdir()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(tmp_path / "tmp")}
    environment["CASSC_LIBDIR"] = str(tmp_path)
    command = [sys.executable, "-m", "cassc.cli", "a.cpp", "-o", "prog", "-ccbin", str(slow)]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL, start_new_session=True
    )
    while not (tmp_path / "started").exists():
        assert process.poll() is None, "it ended before it linked"
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGTERM)
    assert process.wait(timeout=20) == 128 + signal.SIGTERM
    assert not (tmp_path / "prog").exists()
    assert not [path.name for path in (tmp_path / "tmp").iterdir() if path.name.startswith("cassc-")]


def test_terminated_build_does_not_wait_for_nvcc(tmp_path: Path) -> None:
    """The signal reaches cassc alone, and what nvcc has started goes on for a while."""
    slow = tmp_path / "nvcc"
    slow.write_text(
        "#!/bin/sh\n"
        'case "$*" in *--version*) echo "release 13.0, V13.0.88"; exit;; *--dryrun*) exit;; esac\n'
        f"touch {tmp_path / 'started'}; while [ ! -e {tmp_path / 'enough'} ]; do sleep 0.1; done\n"
    )
    slow.chmod(0o755)
    (tmp_path / "a.cu").write_text("__global__ void k() {}\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "CASSC_NVCC": str(slow)}
    command = [sys.executable, "-m", "cassc.cli", "-c", "a.cu"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL) as process:
        while not (tmp_path / "started").exists():
            assert process.poll() is None, "it ended before it compiled"
            time.sleep(0.02)
        process.terminate()
        try:
            assert process.wait(timeout=120) == 128 + signal.SIGTERM
        finally:
            (tmp_path / "enough").touch()


def test_no_argument_at_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 1
    assert "No input files specified" in capsys.readouterr().err

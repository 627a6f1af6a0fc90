"""Where nvcc and the others are looked for, with tools made of shell scripts."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from cassc import toolchain
from cassc.diag import CasscError
from cassc.driver import doctor

ROOT = Path(__file__).parents[2]

SCRIPT = """#!/bin/sh
case "$*" in
  *--version*) echo "nvcc: NVIDIA (R) Cuda compiler driver"; echo "Cuda compilation tools, release {short}, V{full}";;
  *) echo "#$ TOP={root}";;
esac
"""


def fake_nvcc(root: Path, full: str = "13.0.88", name: str = "nvcc") -> Path:
    program = root / "bin" / name
    program.parent.mkdir(parents=True, exist_ok=True)
    short = ".".join(full.split(".")[:2])
    program.write_text(SCRIPT.format(full=full, short=short, root=root))
    program.chmod(0o755)
    return program


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without nvcc: no variables, no wheels, an empty PATH."""
    for variable in ("CASSC_NVCC", "CUDA_HOME", "CUDA_PATH", "NVCC_CCBIN", toolchain.GUARD):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'empty'}:/usr/bin:/bin")
    monkeypatch.setattr(toolchain, "_package_folders", lambda: iter([tmp_path / "packages"]))
    if any(Path(folder, "nvcc").exists() for folder in ("/usr/bin", "/bin")):
        pytest.skip("nvcc stands in /usr/bin")


def path_of(*folders: Path) -> str:
    return os.pathsep.join(map(str, folders)) + ":/usr/bin:/bin"


def test_nothing_found() -> None:
    assert toolchain.find_nvcc() is None
    with pytest.raises(CasscError, match="nvcc was not found") as caught:
        toolchain.find().require_nvcc()
    (note,) = caught.value.diagnostics[0].notes
    assert "pip install nvidia-cuda-nvcc==" in note.message


def test_order_of_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = fake_nvcc(tmp_path / "packages/nvidia/cu13", "13.0.1")
    found = toolchain.find_nvcc()
    assert found and (found.path, found.origin, found.version) == (wheel, "wheel", (13, 0, 1))

    monkeypatch.setenv("CUDA_PATH", str(fake_nvcc(tmp_path / "second", "12.8.2").parent.parent))
    found = toolchain.find_nvcc()
    assert found and (found.origin, found.runtime) == ("CUDA_PATH", "libcudart.so.12")

    monkeypatch.setenv("CUDA_HOME", str(fake_nvcc(tmp_path / "third", "12.9.3").parent.parent))
    found = toolchain.find_nvcc()
    assert found and found.origin == "CUDA_HOME"

    monkeypatch.setenv("PATH", path_of(fake_nvcc(tmp_path / "fourth", "13.1.4").parent))
    found = toolchain.find_nvcc()
    assert found and (found.origin, found.release, found.runtime) == ("PATH", "13.1.4", "libcudart.so.13")


def test_folder_of_libraries_that_holds_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASSC_LIBDIR", str(tmp_path))
    with pytest.raises(CasscError, match="CASSC_LIBDIR is '.*', where there is no libcudart"):
        toolchain.find().require_runtime()


def test_nvcc_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", path_of(fake_nvcc(tmp_path / "first").parent))
    other = fake_nvcc(tmp_path / "second", "12.8.2")
    monkeypatch.setenv("CASSC_NVCC", str(other))
    found = toolchain.find_nvcc()
    assert found and (found.path, found.origin) == (other, "CASSC_NVCC")
    monkeypatch.setenv("CASSC_NVCC", "none")
    assert toolchain.find_nvcc() is None
    monkeypatch.setenv("CASSC_NVCC", "nvcc")  # a bare name is looked for on PATH
    found = toolchain.find_nvcc()
    assert found and (found.path, found.origin) == (tmp_path / "first/bin/nvcc", "CASSC_NVCC")


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ("absent/nvcc", "is no file"),
        ("old/bin/nvcc", "is nvcc 10.2: the oldest that can be used is 11.0"),
        ("text", "does not say which nvcc it is"),
        ("cassc", "is cassc itself"),
    ],
)
def test_nvcc_that_was_chosen_and_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, reason: str
) -> None:
    """Another one on PATH is not taken in its place, and the source engine is not, either."""
    monkeypatch.setenv("PATH", path_of(fake_nvcc(tmp_path / "first").parent))
    fake_nvcc(tmp_path / "old", "10.2.89")
    (tmp_path / "text").write_text("#!/bin/sh\necho hello\n")
    (tmp_path / "text").chmod(0o755)
    (tmp_path / "cassc").write_text("#!/usr/bin/python3\nfrom cassc.cli import main\n")
    monkeypatch.setenv("CASSC_NVCC", str(tmp_path / named))
    with pytest.raises(CasscError, match=f"CASSC_NVCC is '{tmp_path / named}', which {reason}") as caught:
        toolchain.find()
    assert caught.value.status == 1


def test_doctor_names_an_nvcc_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASSC_NVCC", str(tmp_path / "absent"))
    (finding,) = [finding for finding in doctor.examine() if finding.name == "nvcc"]
    assert (finding.found, finding.needed, finding.mend) == (False, True, "unset CASSC_NVCC")
    assert "absent', which is no file" in finding.detail


def test_wheels_need_their_library_folder(tmp_path: Path) -> None:
    fake_nvcc(tmp_path / "packages/nvidia/cu13")
    found = toolchain.find_nvcc()
    assert found and found.libraries == tmp_path / "packages/nvidia/cu13/lib"


def test_toolkit_with_lib64_needs_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = fake_nvcc(tmp_path / "toolkit")
    (tmp_path / "toolkit/lib64").mkdir()
    monkeypatch.setenv("PATH", path_of(program.parent))
    found = toolchain.find_nvcc()
    assert found and found.libraries is None
    assert found.root == tmp_path / "toolkit"


def test_cassc_under_the_name_nvcc_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launcher = tmp_path / "launcher" / "nvcc"
    launcher.parent.mkdir()
    launcher.write_text("#!/usr/bin/python3\nimport sys\nfrom cassc.cli import main\nsys.exit(main())\n")
    launcher.chmod(0o755)
    same = tmp_path / "same" / "nvcc"
    same.parent.mkdir()
    same.symlink_to(fake_nvcc(tmp_path / "own", name="cassc"))
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "own/bin/cassc")])
    real = fake_nvcc(tmp_path / "real")
    monkeypatch.setenv("PATH", path_of(launcher.parent, same.parent, real.parent))
    found = toolchain.find_nvcc()
    assert found and found.path == real


def test_unusable_programs_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = tmp_path / "silent" / "nvcc"
    silent.parent.mkdir()
    silent.write_text("#!/bin/sh\nexit 3\n")
    silent.chmod(0o755)
    old = fake_nvcc(tmp_path / "old", "10.2.89")
    monkeypatch.setenv("PATH", path_of(silent.parent, old.parent))
    assert toolchain.find_nvcc() is None


def test_started_by_itself_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    toolchain.check_not_inside()
    monkeypatch.setenv(toolchain.GUARD, "1")
    with pytest.raises(CasscError, match="is cassc itself"):
        toolchain.check_not_inside()


def test_runtime_folder_of_the_environment_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "libcudart.so.13").write_bytes(b"")
    monkeypatch.setenv("CASSC_LIBDIR", str(tmp_path))
    assert toolchain.find_runtime() == tmp_path


def test_host_compiler_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("gcc-13", "g++-13", "g++", "icpx"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    found = toolchain.find()
    assert toolchain.host_compiler(found, "") == found.cxx
    assert toolchain.host_compiler(found, str(tmp_path)) == tmp_path / "g++"
    assert toolchain.host_compiler(found, str(tmp_path / "gcc-13")) == tmp_path / "g++-13"
    assert toolchain.host_compiler(found, str(tmp_path / "icpx")) == tmp_path / "icpx"
    monkeypatch.setenv("NVCC_CCBIN", str(tmp_path / "icpx"))
    assert toolchain.host_compiler(found, "") == tmp_path / "icpx"
    with pytest.raises(CasscError, match="'nothing-such' was not found"):
        toolchain.host_compiler(found, "nothing-such")


def test_command_that_mends_names_what_the_extra_pins() -> None:
    """Releases must not mix: the command of ``cassc doctor`` and the extra of the package say the same."""
    text = (ROOT / "pyproject.toml").read_text()
    extra = re.search(r"^cuda = \[(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    assert extra
    pins = re.findall(r'"(.+?)"', extra[1])
    assert len(pins) == 5
    for command in toolchain.load("cuda")["mend"].values():
        assert [word for word in command.split() if "==" in word] == pins


def test_every_data_file_loads() -> None:
    for path in (ROOT / "toolchains").glob("*.toml"):
        assert toolchain.load(path.stem)

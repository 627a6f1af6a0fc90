"""The toolkit tree: what is in it, where it goes, and that programs linked with it run without any search path."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from cassc import toolchain
from cassc.diag import CasscError
from cassc.driver import toolkit
from cassc.toolchain import Nvcc, Toolchain

BARE = Toolchain(nvcc=None, cxx=Path("/bin/g++"), ar=None, runtime=Path("/lib/cassc"), hip=None, gpu=False)


@pytest.fixture
def machine(tmp_path: Path) -> Toolchain:
    """One with a small NVIDIA toolkit."""
    root = tmp_path / "cuda"
    for name in ("bin/nvcc", "bin/ptxas", "bin/nvcc.profile", "include/cuda_runtime.h", "nvvm/libdevice/x.bc"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    nvcc = Nvcc(root / "bin/nvcc", "PATH", (12, 9, 41), "", root, None, "libcudart.so.12")
    return replace(BARE, nvcc=nvcc)


def test_tree_has_headers_and_libraries_that_nvidia_left_out(machine: Toolchain, tmp_path: Path) -> None:
    """NVIDIA's headers come first, library by library; of a library that was not built there is no linker script."""
    runtime = tmp_path / "runtime"
    runtime.mkdir()
    for name in ("libcassc_cublas.so.12", "libcublas.so.12", "libcassc_cufft.so.11", "libcassc_nvrtc.so.12"):
        (runtime / name).touch()
    assert machine.nvcc is not None
    (machine.nvcc.root / "include/cufft.h").write_text("NVIDIA's")
    kit = toolkit.find(replace(machine, runtime=runtime))
    assert "cublasCreate_v2" in (kit.include / "cublas_v2.h").read_text()
    assert (kit.include / "cassc/functions.def").exists() and (kit.include / "cassc/solver_functions.def").exists()
    assert (kit.include / "cufft.h").read_text() == "NVIDIA's"
    assert not (kit.include / "cufftXt.h").exists()
    assert f'INPUT("{runtime}/libcassc_cublas.so.12")' in (kit.lib / "libcublas.so").read_text()
    assert (kit.lib / "libcublas.so.12").resolve() == runtime / "libcublas.so.12"
    assert "nvrtcCreateProgram" in (kit.include / "nvrtc.h").read_text()
    assert "cusparseCreateCsr" not in (kit.include / "cusparse.h").read_text()  # they stand in the table
    assert (kit.include / "cassc/sparse_functions.def").exists() and (kit.include / "cublasLt.h").exists()
    assert f'INPUT("{runtime}/libcassc_nvrtc.so.12")' in (kit.lib / "libnvrtc.so").read_text()
    assert (kit.lib / "libnvrtc.so.12").readlink() == runtime / "nvrtc" / "libnvrtc.so.12"
    assert (kit.lib / "libcufft.so").exists() and not (kit.lib / "libcurand.so").exists()


def test_tree_beside_nvcc(machine: Toolchain) -> None:
    kit = toolkit.find(machine)
    assert kit.root.parent == Path(os.environ["CASSC_TOOLKIT_DIR"])
    assert (kit.root / "include/cuda_runtime.h").read_text() == "include/cuda_runtime.h"
    assert (kit.root / "nvvm/libdevice/x.bc").exists()
    assert sorted(path.name for path in (kit.root / "bin").iterdir()) == ["cassc", "cassc.py", "nvcc", "ptxas"]
    assert sorted(path.name for path in (kit.root / "lib64").iterdir()) == [
        "libcuda.so",
        "libcudadevrt.a",
        "libcudart.so",
        "libcudart.so.12",
        "libcudart_static.a",
        "stubs",
    ]
    assert 'INPUT("/lib/cassc/libcassc_cudart.so.12")' in (kit.lib / "libcudart_static.a").read_text()
    assert (kit.root / "version.txt").read_text() == "CUDA Version 12.9.41\n"


def test_tree_is_made_once_for_a_machine(machine: Toolchain) -> None:
    first = toolkit.find(machine)
    (first.root / "seen").touch()
    assert toolkit.find(machine) == first
    assert (first.root / "seen").exists()
    assert toolkit.find(replace(machine, runtime=Path("/lib/other"))) != first
    assert toolkit.find(BARE).root != first.root


def test_unfinished_tree_is_replaced(machine: Toolchain) -> None:
    kit = toolkit.find(machine)
    (kit.root / ".cassc").unlink()
    for path in kit.lib.glob("lib*"):
        path.unlink()
    with pytest.raises(CasscError, match="not a toolkit tree of cassc"):  # it may be anybody's
        toolkit.find(machine)
    (kit.root / ".cassc").write_text("older")
    assert toolkit.find(machine) == kit
    assert (kit.lib / "libcudart.so.12").is_symlink()


def test_folder_that_cannot_be_written(machine: Toolchain, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CASSC_TOOLKIT_DIR", str(tmp_path / "file"))
    with pytest.raises(CasscError, match="cannot write the toolkit tree") as caught:
        toolkit.find(machine)
    assert "CASSC_TOOLKIT_DIR" in caught.value.diagnostics[0].notes[0].message


def test_without_a_home_the_tree_goes_elsewhere(
    machine: Toolchain, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.delenv("CASSC_TOOLKIT_DIR")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    assert toolkit.find(machine).root.parent == Path(os.environ["CASSC_CACHE_DIR"]) / "toolkits"


def test_tree_by_command(tmp_path: Path) -> None:
    runtime = toolchain.find_runtime()
    if runtime is None:
        pytest.skip("the runtime libraries are not built")
    place = tmp_path / "a tree"
    from cassc import cli

    assert cli.main(["toolkit", "--at", str(place)]) == 0
    version = subprocess.run([place / "bin/nvcc", "--version"], capture_output=True, text=True, env={}, check=True)
    assert "cassc" in version.stdout
    assert cli.main(["toolkit", "--at", str(place)]) == 0  # again
    assert cli.main(["toolkit", "--at", str(tmp_path)]) == 1


@pytest.mark.parametrize("libraries", ["-lcudadevrt -lcudart_static -lrt -lpthread -ldl", "-lcudart"])
def test_program_linked_by_cxx_alone(nvcc: Nvcc, tmp_path: Path, libraries: str) -> None:
    """The tree's libraries, no rpath, no LD_LIBRARY_PATH."""
    found = toolchain.find()
    if found.runtime is None:
        pytest.skip("the runtime libraries are not built")
    kit = toolkit.find(found)
    source = tmp_path / "a.cpp"
    source.write_text(
        "#include <cuda_runtime.h>\nint main() { int n = 0; return cudaGetDeviceCount(&n) != cudaSuccess || n < 1; }\n"
    )
    command = ["g++", str(source), f"-I{kit.include}", f"-L{kit.lib}", *libraries.split(), "-o", str(tmp_path / "a")]
    subprocess.run(command, check=True)
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    subprocess.run([tmp_path / "a"], env=environment, check=True)


@pytest.mark.parametrize("folder", ["lib64", "lib/stubs"])
def test_program_of_the_driver_api_linked_by_cxx_alone(nvcc: Nvcc, tmp_path: Path, folder: str) -> None:
    found = toolchain.find()
    if found.runtime is None or not (found.runtime / "libcassc_cuda.so.1").exists():
        pytest.skip("the runtime libraries are not built")
    kit = toolkit.find(found)
    source = tmp_path / "a.cpp"
    source.write_text(
        "#include <cuda.h>\nint main() { int n = 0; return cuInit(0) || cuDeviceGetCount(&n) || n < 1; }\n"
    )
    command = ["g++", str(source), f"-I{kit.include}", f"-L{kit.root / folder}", "-lcuda", "-o", str(tmp_path / "a")]
    subprocess.run(command, check=True)
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    subprocess.run([tmp_path / "a"], env={**environment, "CASSC_DEVICE": "emu"}, check=True)


def test_tools_of_the_tree_find_the_modules_of_a_package(
    machine: Toolchain, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A package for several versions of Python brings modules in a folder of its own."""
    before = toolkit.find(machine)
    for name in ("python3.10/filelock", "elsewhere/other"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "python3.10"), str(tmp_path / "elsewhere")])
    kit = toolkit.find(machine)
    assert kit != before
    text = (kit.root / "bin/cassc.py").read_text()
    assert str(tmp_path / "python3.10") in text and str(tmp_path / "elsewhere") not in text


def test_tools_of_the_tree_start_this_python(machine: Toolchain) -> None:
    assert sys.executable in (toolkit.find(machine).root / "bin/nvcc").read_text()

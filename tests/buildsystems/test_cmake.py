"""CMake projects, configured with nothing but the compiler's name.

Other CMakes than the one on PATH are tried too where ``CASSC_TEST_CMAKES`` names them (paths of ``cmake``, separated by
colons).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cassc import toolchain
from cassc.hip import tools as source_tools

Run = Callable[..., str]


def cmakes() -> list[str]:
    named = os.environ.get("CASSC_TEST_CMAKES", "").split(os.pathsep)
    return [path for path in (shutil.which("cmake"), *named) if path]


@pytest.fixture(params=cmakes() or [""], ids=lambda path: path and Path(path).parts[-3])
def cmake(request: pytest.FixtureRequest) -> Path:
    if not request.param:
        pytest.skip("cmake is not on PATH")
    return Path(request.param)


def version(cmake: Path) -> tuple[int, ...]:
    text = subprocess.run([cmake, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(number) for number in re.findall(r"\d+", text)[:2])


def compiler(cmake: Path, launchers: Path, run: Run) -> str:
    """Before 3.20 CMake takes the toolkit's place from the compiler's path: there the tree's own name is needed."""
    if version(cmake) >= (3, 20):
        return "cassc"
    root = run(launchers / "cassc", "toolkit").strip()
    return f"{root}/bin/cassc"


def configure(cmake: Path, run: Run, source: Path, build: Path, *options: str) -> str:
    """With Ninja if it is there."""
    generator = "Unix Makefiles" if shutil.which("ninja") is None else "Ninja"
    return run(cmake, "-S", source, "-B", build, "-G", generator, *options)


@pytest.mark.slow
def test_project_of_every_kind_of_target(
    cmake: Path, launchers: Path, run: Run, environment: dict[str, str], project: Path, tmp_path: Path, nvidia: str
) -> None:
    """Programs, libraries of all kinds, mixed languages, PTX; CTest, installation, a project that uses it."""
    environment["CUDACXX"] = compiler(cmake, launchers, run)
    build, installed, consumer = tmp_path / "build", tmp_path / "installed", tmp_path / "consumer"
    device_files = f"-DWAVE_DEVICE_FILES={'OFF' if nvidia == 'none' else 'ON'}"  # PTX and the like, which nvcc makes
    said = configure(cmake, run, project / "cmake", build, f"-DCMAKE_INSTALL_PREFIX={installed}", device_files)
    assert "wave: compiler NVIDIA" in said
    assert "wave: architectures 80" in said
    kit = re.search(r"wave: toolkit \S+ (\S+)", said)
    assert kit and Path(kit[1], "nvcc").exists() and Path(kit[1], "../lib/libcudart_static.a").exists()
    run(cmake, "--build", build, "--parallel", "2")
    assert "100% tests passed" in run(cmake.with_name("ctest"), "--output-on-failure", cwd=build)
    run(cmake, "--install", build)
    shutil.rmtree(build)
    run(installed / "bin/mixed")
    options = [f"-DCMAKE_PREFIX_PATH={installed}"]
    if version(cmake) < (3, 20):
        options.append(f"-DCUDAToolkit_ROOT={Path(kit[1]).parent}")
    configure(cmake, run, project / "cmake/consumer", consumer, *options)
    run(cmake, "--build", consumer)
    assert "15 25 35" in run(consumer / "consumer")


@pytest.mark.slow
def test_without_any_part_of_nvidia(
    cmake: Path, launchers: Path, run: Run, environment: dict[str, str], project: Path, tmp_path: Path
) -> None:
    """Our headers, and clang for what nvcc would compile; what only nvcc makes is refused with what brings it."""
    if source_tools.lacks():
        pytest.skip("the source engine lacks " + ", ".join(lack.what for lack in source_tools.lacks()))
    environment["CASSC_NVCC"] = "none"
    environment["CUDACXX"] = compiler(cmake, launchers, run)
    build = tmp_path / "build"
    said = configure(cmake, run, project / "cmake", build, "-DWAVE_DEVICE_FILES=OFF")
    assert "wave: compiler NVIDIA 13.0.0" in said
    run(cmake, "--build", build, "--parallel", "2")
    assert "100% tests passed" in run(cmake.with_name("ctest"), cwd=build)
    done = subprocess.run(
        [launchers / "cassc", "-ptx", project / "cmake/src/scale.cu"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "to install it: pip install nvidia-cuda-nvcc==" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("by", ["definition", "link named nvcc"])
def test_other_ways_to_name_the_compiler(
    cmake: Path, launchers: Path, run: Run, project: Path, tmp_path: Path, by: str
) -> None:
    """With Makefiles."""
    options = ["-G", "Unix Makefiles"]
    if by == "definition" or version(cmake) < (3, 20):
        options.append(f"-DCMAKE_CUDA_COMPILER={compiler(cmake, launchers, run)}")
    build = tmp_path / "build"
    run(cmake, "-S", project / "cmake", "-B", build, *options)
    run(cmake, "--build", build, "--target", "alone")
    run(build / "alone")


@pytest.mark.slow
def test_relocatable_device_code(
    cmake: Path, launchers: Path, run: Run, environment: dict[str, str], project: Path, tmp_path: Path, nvidia: str
) -> None:
    """CUDA_SEPARABLE_COMPILATION, with and without CUDA_RESOLVE_DEVICE_SYMBOLS; a shared library."""
    if nvidia == "none":
        pytest.skip("device code of several files is linked by nvcc")
    environment["CUDACXX"] = compiler(cmake, launchers, run)
    build = tmp_path / "build"
    configure(cmake, run, project / "cmake_separable", build)
    run(cmake, "--build", build, "--parallel", "2")
    assert "100% tests passed" in run(cmake.with_name("ctest"), cwd=build)


@pytest.mark.slow
@pytest.mark.parametrize("value", ["native", "86;90", "75-virtual"])
def test_architectures(
    cmake: Path, launchers: Path, run: Run, environment: dict[str, str], project: Path, tmp_path: Path, value: str
) -> None:
    if value == "native" and version(cmake) < (3, 24):
        pytest.skip("came with CMake 3.24")
    environment["CUDACXX"] = compiler(cmake, launchers, run)
    build = tmp_path / "build"
    configure(cmake, run, project / "cmake", build, f"-DCMAKE_CUDA_ARCHITECTURES={value}")
    run(cmake, "--build", build, "--target", "alone")
    run(build / "alone")


@pytest.mark.slow
def test_findcuda(
    cmake: Path, launchers: Path, run: Run, environment: dict[str, str], project: Path, tmp_path: Path
) -> None:
    if version(cmake) >= (4, 0):
        pytest.skip("CMake 4 has it for old policies only")
    build = tmp_path / "build"
    root = run(launchers / "cassc", "toolkit").strip()
    options = [f"-DCUDA_TOOLKIT_ROOT_DIR={root}"]
    run(cmake, "-S", project / "findcuda", "-B", build, *options)
    run(cmake, "--build", build)
    assert "blas1: 661650" in run(build / "program")


def test_toolkit_of_the_link_is_the_tree(launchers: Path, environment: dict[str, str], tmp_path: Path) -> None:
    """The handshake of CMake, by the name nvcc: never NVIDIA's root, and no recursion."""
    done = subprocess.run(
        [launchers / "nvcc", "-v", "__cmake_determine_cuda"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    (top,) = re.findall(r"#\$ TOP=(.*)", done.stderr)
    assert Path(top).parent == Path(environment["CASSC_TOOLKIT_DIR"])
    assert "Don't know what to do with '__cmake_determine_cuda'" in done.stderr
    assert toolchain.find_nvcc() is not None

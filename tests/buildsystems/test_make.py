"""Plain Make, Meson, and the command lines of PyTorch's extension builder."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., str]


@pytest.mark.slow
def test_makefile_with_a_link_named_nvcc(run: Run, environment: dict[str, str], project: Path, launchers: Path) -> None:
    """CUDA_HOME is given, as for any nvcc that is not in its toolkit."""
    if shutil.which("make") is None:
        pytest.skip("make is not on PATH")
    folder = project / "make"
    environment["CUDA_HOME"] = run(launchers / "cassc", "toolkit").strip()
    run("make", "-j2", cwd=folder)
    for program in ("by_nvcc", "by_cxx"):
        assert run(folder / program) == "blas1: 661650\n"
    assert "up to date" in run("make", "libblas1.a", cwd=folder)
    (folder / "blas1.h").write_text((folder / "blas1.h").read_text() + "// changed\n")
    again = run("make", "-j2", cwd=folder)  # the dependency files are what make needs
    assert "axpy.cu" in again and "dot.cu" in again


@pytest.mark.slow
def test_meson(run: Run, environment: dict[str, str], project: Path, launchers: Path) -> None:
    if shutil.which("meson") is None or shutil.which("ninja") is None:
        pytest.skip("meson or ninja is not on PATH")
    environment["CUDA_PATH"] = run(launchers / "cassc", "toolkit").strip()
    build = project / "built"
    machine = project / "cassc.ini"
    machine.write_text(f"[binaries]\ncuda = '{launchers / 'cassc'}'\n")
    run("meson", "setup", build, project / "meson", "--native-file", machine)
    run("meson", "compile", "-C", build)
    run("meson", "test", "-C", build)


@pytest.mark.slow
def test_command_lines_of_torch_extensions(
    run: Run, environment: dict[str, str], launchers: Path, tmp_path: Path
) -> None:
    """CUDA_HOME is the tree; what torch.utils.cpp_extension writes into build.ninja, and its link by c++."""
    home = Path(run(launchers / "cassc", "toolkit").strip())
    (tmp_path / "kernel.cu").write_text(
        "__global__ void twice(int *p) { p[threadIdx.x] *= 2; }\n"
        'extern "C" int answer() {\n'
        "  int *d, h[32]; for (int i = 0; i < 32; i++) h[i] = i;\n"
        "  cudaMalloc(&d, sizeof h); cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);\n"
        "  twice<<<1, 32>>>(d); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); return h[21]; }\n"
    )
    (tmp_path / "binding.cpp").write_text('extern "C" int answer();\nextern "C" int module() { return answer(); }\n')
    assert "release " in run(home / "bin/nvcc", "--version")
    half = "-D__CUDA_NO_HALF_OPERATORS__ -D__CUDA_NO_HALF_CONVERSIONS__ -D__CUDA_NO_BFLOAT16_CONVERSIONS__"
    line = (
        f"--generate-dependencies-with-compile --dependency-output kernel.cuda.o.d -ccbin g++ -DTORCH_EXTENSION_NAME=x "
        f"-isystem {sysconfig.get_path('include')} {half} -D__CUDA_NO_HALF2_OPERATORS__ --expt-relaxed-constexpr "
        "-gencode=arch=compute_80,code=compute_80 -gencode=arch=compute_80,code=sm_80 --compiler-options -fPIC -O3 "
        "-std=c++17 -c kernel.cu -o kernel.cuda.o"
    )
    run(home / "bin/nvcc", *line.split())
    assert "kernel.cu" in (tmp_path / "kernel.cuda.o.d").read_text()
    run("c++", "-MMD", "-fPIC", f"-isystem{home / 'include'}", "-c", "binding.cpp", "-o", "binding.o")
    run("c++", "binding.o", "kernel.cuda.o", "-shared", f"-L{home / 'lib64'}", "-lcudart", "-o", "x.so")
    code = "import ctypes, sys; sys.exit(ctypes.CDLL('./x.so').module() != 42)"
    subprocess.run([shutil.which("python3") or "python3", "-c", code], cwd=tmp_path, env=environment, check=True)

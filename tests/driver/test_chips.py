"""A program for one chip runs on an emulator of that chip, and says what is wrong on another."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cassc import toolchain

SOURCE = """
#include <cstdio>
__global__ void add(int* p) { *p += 2; }
int main() {
  int *p, host = 40;
  cudaDeviceProp properties;
  cudaMalloc(&p, 4);
  cudaMemcpy(p, &host, 4, cudaMemcpyHostToDevice);
  add<<<1, 1>>>(p);
  printf("%d ", cudaGetLastError());
  cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost);
  cudaGetDeviceProperties(&properties, 0);
  printf("%d %s\\n", host, properties.name);
}
"""


@pytest.mark.slow
def test_program_for_another_chip(nvcc: toolchain.Nvcc, tmp_path: Path) -> None:
    if toolchain.find_runtime() is None:
        pytest.skip("cassc's runtime libraries are not built (set CASSC_LIBDIR, or install the package)")
    source, program = tmp_path / "a.cu", tmp_path / "a"
    source.write_text(SOURCE)
    options = ["-arch=sm_80", "--offload-arch=gfx1101", "--check-seconds=0", str(source), "-o", str(program)]
    subprocess.run([sys.executable, "-m", "cassc.cli", *options], check=True, capture_output=True, cwd=tmp_path)

    def run(**variables: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "CASSC_DEVICE": "emu", **variables}
        return subprocess.run([str(program)], env=environment, capture_output=True, text=True, check=True)

    assert run(CASSC_EMU_GFX="").stdout == "0 42 cassc RDNA3 emulator (gfx1101)\n"
    other = run(CASSC_EMU_GFX="gfx1100")
    assert other.stdout.startswith("209 40 ")  # cudaErrorNoKernelImageForDevice
    assert "the program holds code for gfx1101, not for the device, a gfx1100" in other.stderr

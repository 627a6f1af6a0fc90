"""A whole program that uses the device heap, a cooperative launch, textures and surfaces, on the emulated device."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "programs" / "services.cu"
EXPECTED = """\
cudaMalloc(&device, sizeof host) 0
cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20) 0
cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) 0
sums 0 3 6048
cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 << 20) 1
cudaMemcpy(host, device, 12, cudaMemcpyDeviceToHost) 0
blocks 1 0 1
cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice) 0
cudaLaunchCooperativeKernel(reinterpret_cast<void*>(relay), dim3(16), dim3(32), arguments, 0, nullptr) 0
cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) 0
relay 6 18 5
cudaLaunchCooperativeKernel(reinterpret_cast<void*>(relay), dim3(1 << 20), dim3(1024), arguments, 0, nullptr) 720
cudaLaunchCooperativeKernel(reinterpret_cast<void*>(relay), dim3(1), dim3(32), arguments, 1 << 20, nullptr) 720
cudaLaunchCooperativeKernel(static_cast<void*>(nullptr), dim3(1), dim3(32), nullptr, 0, nullptr) 98
cudaMallocArray(&array, &format, 4, 2, cudaArraySurfaceLoadStore) 0
cudaMemcpy2DToArray(array, 0, 0, image, 16, 16, 2, cudaMemcpyHostToDevice) 0
cudaCreateTextureObject(&texture, &resource, &description, nullptr) 0
cudaCreateSurfaceObject(&surface, &resource) 0
cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost) 0
linear 100 125 150 200 400
cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost) 0
painted 0 5 30
cudaCreateTextureObject(&texture, &resource, &description, nullptr) 27
cudaDestroyTextureObject(texture) 0
cudaDeviceSynchronize() {fault}
"""


@pytest.mark.slow
def test_services(tmp_path: Path, emulated: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("nvcc is not on PATH")
    program = tmp_path / "services"
    environment = {**os.environ, "CASSC_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "cassc.cli", "--check-seconds", "0", "-std=c++17", "-arch=sm_80"]
    command += [str(SOURCE), "-o", str(program)]
    subprocess.run(command, cwd=tmp_path, check=True, env=environment, timeout=300)
    for arguments, fault in (([], 719), (["outside"], 700)):
        done = subprocess.run([program, *arguments], capture_output=True, text=True, env=environment, timeout=120)
        assert done.stdout == EXPECTED.format(fault=fault)
        assert done.stderr.startswith("cassc: device fault: ")

"""The runtime API and the driver API in one process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from cassc import toolchain

SCRIPT = """
import ctypes, sys
folder = sys.argv[1]
driver, runtime = ctypes.CDLL(folder + "/libcuda.so.1"), ctypes.CDLL(folder + "/libcudart.so.13")
context = ctypes.c_void_p()
before = driver.cuCtxGetCurrent(ctypes.byref(context))
runtime.cudaFree(None)
after = driver.cuCtxGetCurrent(ctypes.byref(context))
print(before, after, context.value is not None)
"""


def test_the_runtime_initializes_the_driver() -> None:
    folder = toolchain.find_runtime()
    if folder is None:
        pytest.skip("cassc's runtime libraries are not built (set CASSC_LIBDIR, or install the package)")
    command = [sys.executable, "-c", SCRIPT, str(folder)]
    environment = {**os.environ, "CASSC_DEVICE": "emu"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "3 0 True\n"  # CUDA_ERROR_NOT_INITIALIZED before

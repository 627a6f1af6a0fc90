"""The NVIDIA witness, against a driver of our own making: which memory it is given, and how pointers come back."""

from __future__ import annotations

import ctypes
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cassc.diag import CasscError
from cassc.image import cubin as cubins
from cassc.verify.execute import Run, Variables
from cassc.verify.inputs import Buffer, Launch, Link
from cassc.verify.nvidia import NvidiaWitness
from cassc.verify.oracle import Case

CUBIN = Path(__file__).parents[1] / "engines" / "data" / "scale.sm_80.cubin"
ADDRESSES = [0x5000, 0x9000]


class Function:
    """What ctypes gives for a symbol."""

    def __init__(self, call: Any) -> None:
        self._call = call

    def __call__(self, *arguments: Any) -> int:
        return self._call(*arguments) or 0


class Driver:
    """Memory in this process; a launch doubles the floats of its first buffer and stores the second one's address."""

    def __init__(self, launch_status: int = 0) -> None:
        self.launch_status = launch_status
        self.blocks: list[Any] = []
        self.shape: tuple[int, ...] = ()
        self.after_launch = 0

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("cu"):
            raise AttributeError(name)
        function = Function(getattr(self, f"_{name}", lambda *arguments: 0))
        setattr(self, name, function)
        return function

    def _cuDeviceGetName(self, text: Any, size: int, device: Any) -> None:
        text.value = b"Test GPU"

    def _cuMemAlloc_v2(self, pointer: Any, size: int) -> None:
        block = ctypes.create_string_buffer(size)
        self.blocks.append(block)
        pointer._obj.value = ctypes.addressof(block)

    def _cuMemcpyHtoD_v2(self, address: int, source: int, size: int) -> None:
        ctypes.memmove(address, source, size)

    def _cuMemcpyDtoH_v2(self, target: int, address: int, size: int) -> None:
        ctypes.memmove(target, address, size)

    def _cuLaunchKernel(self, function: Any, *rest: Any) -> int:
        if self.launch_status:
            return self.launch_status
        self.shape = rest[:7]
        parameters = ctypes.string_at(rest[-1][1], ctypes.c_size_t.from_address(rest[-1][3]).value)
        first, second = struct.unpack("<QQ", parameters)
        values = np.ctypeslib.as_array((ctypes.c_float * 4).from_address(first))
        values *= 2
        ctypes.memmove(second, struct.pack("<Q", first + 8), 8)
        return 0

    def _cuCtxSynchronize(self) -> int:
        return self.after_launch


def case() -> Case:
    buffers = (
        Buffer(0, "a", np.array([1, 2, 3, 4], np.float32).view(np.uint8)),
        Buffer(8, "b", np.zeros(16, np.uint8), links=(Link(8, 1, 0),)),
    )
    launch = Launch(1, 0, (2, 1, 1), (32, 1, 1), 64, bytes(16), buffers)
    return Case(launch, ADDRESSES, Variables({}, {}), Run({}), 1000)


def witness(monkeypatch: pytest.MonkeyPatch, driver: Driver) -> NvidiaWitness:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: driver)
    data = CUBIN.read_bytes()
    return NvidiaWitness(cubins.parse(data), data, "scale")


def test_memory_comes_back_as_if_it_stood_where_the_case_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver()
    with witness(monkeypatch, driver) as gpu:
        assert gpu.name == "Test GPU"
        left = gpu.left(case())
    assert left is not None and driver.shape == (2, 1, 1, 32, 1, 1, 64)
    assert left["a"].view(np.float32).tolist() == [2, 4, 6, 8]
    assert left["b"].view(np.uint64).tolist() == [0x5008, 0x9000]


def test_a_shape_that_is_refused_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with witness(monkeypatch, Driver(launch_status=701)) as gpu:
        assert gpu.left(case()) is None
        assert gpu.lost == ""


def test_after_a_fault_the_device_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver()
    driver.after_launch = 700
    with witness(monkeypatch, driver) as gpu:
        assert gpu.left(case()) is None
        assert "launch 0 on Test GPU" in gpu.lost
        driver.after_launch = 0
        assert gpu.left(case()) is None


def test_no_driver_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError("not found")

    monkeypatch.setattr(ctypes, "CDLL", missing)
    data = CUBIN.read_bytes()
    with pytest.raises(CasscError) as caught:
        NvidiaWitness(cubins.parse(data), data, "scale")
    assert caught.value.diagnostics[0].id == "verify-no-nvidia"

"""The original code on a real NVIDIA GPU: a witness for the launches of a check, over the CUDA driver API by ctypes.

Functions and numbers are those of CUDA's driver API reference ("Module Management", "Memory Management", "Execution
Control"). The launches that are run end well in the reference interpreter; one that does not on the GPU ends the use of
it, since the context is lost then.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from types import TracebackType
from typing import Any

import numpy as np

from cassc import diag
from cassc.diag import CasscError
from cassc.image.cubin import Cubin
from cassc.verify.inputs import Space, linked
from cassc.verify.oracle import Case
from cassc.verify.recorded import Bytes

_LIBRARY = "libcuda.so.1"
_BUFFER_POINTER, _BUFFER_SIZE, _END = 1, 2, 0  # CU_LAUNCH_PARAM_*
_MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
_ROOM_BEHIND = 4096

_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "cuInit": (c_uint,),
    "cuDeviceGet": (c_void_p, c_int),
    "cuDeviceGetName": (c_char_p, c_int, c_int),
    "cuCtxCreate_v2": (c_void_p, c_uint, c_int),
    "cuCtxDestroy_v2": (c_void_p,),
    "cuCtxSynchronize": (),
    "cuModuleLoadData": (c_void_p, c_char_p),
    "cuModuleGetFunction": (c_void_p, c_void_p, c_char_p),
    "cuModuleGetGlobal_v2": (c_void_p, c_void_p, c_void_p, c_char_p),
    "cuFuncSetAttribute": (c_void_p, c_int, c_int),
    "cuMemAlloc_v2": (c_void_p, c_size_t),
    "cuMemFree_v2": (c_uint64,),
    "cuMemcpyHtoD_v2": (c_uint64, c_void_p, c_size_t),
    "cuMemcpyDtoH_v2": (c_void_p, c_uint64, c_size_t),
    "cuLaunchKernel": (c_void_p, *(c_uint,) * 7, c_void_p, c_void_p, c_void_p),
    "cuGetErrorString": (c_int, c_void_p),
}


class NvidiaWitness:
    """The first NVIDIA GPU, with one cubin loaded. A context manager.

    Raises CasscError ``verify-no-nvidia`` where there is no driver or device, ``verify-nvidia`` where the device cannot
    run the cubin.

    Attributes:
        name: the device's.
        lost: why it cannot be asked any more, empty if it can.
    """

    decides = True

    def __init__(self, cubin: Cubin, data: bytes, kernel: str) -> None:
        try:
            self._library = ctypes.CDLL(_LIBRARY)
        except OSError as problem:
            raise diag.error("verify-no-nvidia", f"no NVIDIA driver is installed: {problem}") from problem
        for name, arguments in _SIGNATURES.items():
            function = getattr(self._library, name)
            function.restype, function.argtypes = c_int, arguments
        self._cubin = cubin
        self.lost = ""
        device, self._context = c_int(), c_void_p()
        try:
            self._check("cuInit", 0)
            self._check("cuDeviceGet", byref(device), 0)
            self._check("cuCtxCreate_v2", byref(self._context), 0, device)
        except CasscError as problem:
            raise diag.error("verify-no-nvidia", f"no NVIDIA device can be used: {problem}") from problem
        text = ctypes.create_string_buffer(256)
        self._check("cuDeviceGetName", text, 256, device)
        self.name = text.value.decode(errors="replace")
        self._module, self._function = c_void_p(), c_void_p()
        try:
            self._check("cuModuleLoadData", byref(self._module), data)
            self._check("cuModuleGetFunction", byref(self._function), self._module, kernel.encode())
        except CasscError:
            self.close()
            raise

    def __enter__(self) -> NvidiaWitness:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._context.value:
            self._library.cuCtxDestroy_v2(self._context)
            self._context = c_void_p()

    def left(self, case: Case) -> Mapping[str, Bytes] | None:
        """The GPU's memory after the launch; None once the device is lost."""
        if self.lost:
            return None
        sizes = [buffer.data.size for buffer in case.launch.buffers]
        addresses: list[int] = []
        try:
            for size in sizes:
                pointer = c_uint64()
                self._check("cuMemAlloc_v2", byref(pointer), size + _ROOM_BEHIND)
                addresses.append(pointer.value)
            return self._run(case, addresses)
        except CasscError as problem:
            self.lost = f"launch {case.launch.attempt} on {self.name}: {problem}"
            return None
        finally:
            for address in addresses:
                self._library.cuMemFree_v2(address)

    def _run(self, case: Case, addresses: list[int]) -> dict[str, Bytes] | None:
        launch = case.launch
        for index, address in enumerate(addresses):
            self._write(address, launch.content(index, addresses))
        variables = self._variables(case)
        space = Space([(address, buffer.data.size) for address, buffer in zip(addresses, launch.buffers, strict=True)])
        back = Space([(address, b.data.size) for address, b in zip(case.addresses, launch.buffers, strict=True)])
        for section, offset, address, size in variables:
            content = case.variables.initial[section][offset : offset + size]
            self._write(address, linked(content, back.links(content), addresses))
        parameters = launch.parameters(addresses)
        block = ctypes.create_string_buffer(parameters, max(len(parameters), 1))
        length = c_size_t(len(parameters))
        extra = (c_void_p * 5)(_BUFFER_POINTER, ctypes.addressof(block), _BUFFER_SIZE, ctypes.addressof(length), _END)
        if launch.dynamic_shared:
            self._check("cuFuncSetAttribute", self._function, _MAX_DYNAMIC_SHARED, launch.dynamic_shared)
        shape = (*launch.grid, *launch.block, launch.dynamic_shared)
        try:
            self._check("cuLaunchKernel", self._function, *shape, None, None, extra)
        except CasscError:
            return None  # a shape that the device refuses; nothing has run
        self._check("cuCtxSynchronize")
        result = {}
        for address, buffer in zip(addresses, launch.buffers, strict=True):
            data = self._read(address, buffer.data.size)
            result[buffer.name] = linked(data, space.links(data), case.addresses)
        for section, offset, address, size_of in variables:
            whole = result.setdefault(section, case.run.memory[section].copy())
            data = self._read(address, size_of)
            whole[offset : offset + size_of] = linked(data, space.links(data), case.addresses)
        return result

    def _variables(self, case: Case) -> list[tuple[str, int, int, int]]:
        """Section, offset in it, address on the GPU, bytes: of the module's variables that have names there."""
        found = []
        for symbol in self._cubin.symbols:
            if symbol.kind != "OBJECT" or symbol.section not in case.variables.initial:
                continue
            address, size = c_uint64(), c_size_t()
            status = self._library.cuModuleGetGlobal_v2(byref(address), byref(size), self._module, symbol.name.encode())
            if status == 0:
                found.append((symbol.section, symbol.value, address.value, size.value))
        return found

    def _write(self, address: int, data: Bytes) -> None:
        whole = np.ascontiguousarray(data)
        self._check("cuMemcpyHtoD_v2", address, whole.ctypes.data, whole.nbytes)

    def _read(self, address: int, size: int) -> Bytes:
        data = np.zeros(size, np.uint8)
        self._check("cuMemcpyDtoH_v2", data.ctypes.data, address, size)
        return data

    def _check(self, name: str, *arguments: Any) -> None:
        status = getattr(self._library, name)(*arguments)
        if status:
            text = c_char_p()
            self._library.cuGetErrorString(status, byref(text))
            said = text.value.decode(errors="replace") if text.value else "unknown error"
            raise diag.error("verify-nvidia", f"{name}: {said} ({status})")

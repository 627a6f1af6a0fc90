"""The RDNA3 emulator, libcassc_emu, through its C ABI (shims/include/cassc/emu.h).

Addresses are plain integers. A device's memory is the library's own; contents of new allocations are undefined.
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable, Collection
from ctypes import POINTER, byref, c_char, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

import cassc
from cassc import diag
from cassc.target import DEFAULT_TARGET, Target

ABI_VERSION = 2
_LIBRARY = "libcassc_emu.so"

_SHUFFLED = 2
_OK, _INVALID_ARGUMENT, _OUT_OF_MEMORY, _BAD_CODE_OBJECT, _NOT_FOUND, _FAULT = range(6)
FAULT_KINDS = (
    "none",
    "illegal-address",
    "misaligned",
    "lds-address",
    "scratch-address",
    "illegal-instruction",
    "trap",
    "assert",
    "instruction-limit",
    "barrier-deadlock",
)

OBSERVATIONS = ("mem", "race", "init", "sync", "profile")

Dim3 = tuple[int, int, int]


class _CDim3(ctypes.Structure):
    _fields_ = [("x", c_uint32), ("y", c_uint32), ("z", c_uint32)]


class _CFault(ctypes.Structure):
    _fields_ = [
        ("kind", c_uint32),
        ("access_size", c_uint32),
        ("is_write", c_uint32),
        ("wave", c_uint32),
        ("lane", c_uint32),
        ("workgroup", _CDim3),
        ("address", c_uint64),
        ("pc_offset", c_uint64),
        ("kernel", c_char * 256),
        ("instruction", c_char * 128),
        ("message", c_char * 512),
    ]


class _CArgument(ctypes.Structure):
    _fields_ = [("offset", c_uint32), ("size", c_uint32), ("hidden", c_uint32)]


class _CKernelInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("kernarg_size", c_uint32),
        ("group_segment_size", c_uint32),
        ("private_segment_size", c_uint32),
        ("max_flat_workgroup_size", c_uint32),
        ("vgpr_count", c_uint32),
        ("sgpr_count", c_uint32),
        ("argument_count", c_uint32),
    ]


class _COptions(ctypes.Structure):
    _fields_ = [
        ("max_wave_instructions", c_uint64),
        ("order", c_uint32),
        ("threads", c_uint32),
        ("seed", c_uint64),
        ("flags", c_uint32),
        ("reserved", c_uint32),
    ]


_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "abi_version": (c_uint32, ()),
    "create": (c_void_p, (c_char_p, c_uint64)),
    "destroy": (None, (c_void_p,)),
    "last_error": (c_char_p, ()),
    "malloc": (c_int, (c_void_p, c_uint64, POINTER(c_uint64))),
    "free": (c_int, (c_void_p, c_uint64)),
    "check": (c_int, (c_void_p, c_uint64, c_uint64)),
    "observe": (c_int, (c_void_p, c_uint32, c_char_p)),
    "written": (None, (c_void_p, c_uint64, c_uint64)),
    "memory_info": (None, (c_void_p, POINTER(c_uint64), POINTER(c_uint64))),
    "module_load": (c_int, (c_void_p, c_char_p, c_size_t, POINTER(c_void_p))),
    "module_unload": (None, (c_void_p,)),
    "module_kernel_count": (c_size_t, (c_void_p,)),
    "module_kernel_at": (c_void_p, (c_void_p, c_size_t)),
    "module_kernel": (c_void_p, (c_void_p, c_char_p)),
    "module_global": (c_int, (c_void_p, c_char_p, POINTER(c_uint64), POINTER(c_uint64))),
    "kernel_get_info": (None, (c_void_p, POINTER(_CKernelInfo))),
    "kernel_argument": (c_int, (c_void_p, c_uint32, POINTER(_CArgument))),
    "launch": (
        c_int,
        (c_void_p, c_void_p, _CDim3, _CDim3, c_uint32, c_char_p, c_size_t, POINTER(_COptions), POINTER(_CFault)),
    ),
    "instruction_count": (c_uint64, (c_void_p,)),
    "decode_for": (c_size_t, (c_char_p, c_char_p, c_size_t, c_char_p, c_size_t)),
}


class EmulatorFault(Exception):
    """A launch that ended in a fault; ``str()`` is the emulator's own line, complete on its own.

    Attributes:
        kind: one of FAULT_KINDS.
        address, access_size, is_write: of the access, 0 and False where meaningless.
        workgroup, wave, lane: who did it.
        kernel, pc_offset, instruction: where; the offset in bytes from the kernel's entry.
    """

    def __init__(self, fault: _CFault) -> None:
        super().__init__(fault.message.decode(errors="replace"))
        self.kind = FAULT_KINDS[fault.kind] if fault.kind < len(FAULT_KINDS) else str(fault.kind)
        self.address = int(fault.address)
        self.access_size = int(fault.access_size)
        self.is_write = bool(fault.is_write)
        self.workgroup: Dim3 = (fault.workgroup.x, fault.workgroup.y, fault.workgroup.z)
        self.wave = int(fault.wave)
        self.lane = int(fault.lane)
        self.kernel = fault.kernel.decode(errors="replace")
        self.pc_offset = int(fault.pc_offset)
        self.instruction = fault.instruction.decode(errors="replace")


@dataclass(frozen=True, slots=True)
class Argument:
    """Byte offset and size in the kernarg segment; hidden ones are filled by the emulator."""

    offset: int
    size: int
    hidden: bool


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel of a loaded module; valid as long as the module is. Sizes in bytes."""

    name: str
    kernarg_size: int
    group_segment_size: int
    private_segment_size: int
    max_flat_workgroup_size: int
    vgpr_count: int
    sgpr_count: int
    arguments: tuple[Argument, ...]
    handle: int


@dataclass(frozen=True, slots=True)
class Module:
    """A loaded code object."""

    kernels: dict[str, Kernel]
    handle: int


def library_path() -> Path | None:
    """The emulator's library: in ``CASSC_LIBDIR``, else in the package's own ``lib``."""
    named = os.environ.get("CASSC_LIBDIR")
    folders = [Path(named)] if named else []
    folders += [Path(place) / "lib" for place in cassc.__path__]
    return next((folder / _LIBRARY for folder in folders if (folder / _LIBRARY).is_file()), None)


@functools.cache
def _load(path: Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(path))
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, f"cassc_emu_{name}")
        function.restype, function.argtypes = result, arguments
    version = library.cassc_emu_abi_version()
    if version != ABI_VERSION:
        raise diag.error("amdgpu-emulator-version", f"'{path}' has ABI version {version}, {ABI_VERSION} is needed")
    return library


def library() -> ctypes.CDLL:
    """The loaded library with typed functions. Raises CasscError ``amdgpu-no-emulator``."""
    path = library_path()
    if path is None:
        raise diag.error("amdgpu-no-emulator", f"{_LIBRARY} is neither in CASSC_LIBDIR nor beside the cassc package")
    try:
        return _load(path.resolve())
    except OSError as problem:
        raise diag.error("amdgpu-no-emulator", f"cannot load '{path}': {problem}") from problem


@functools.cache  # whoever decodes does so for each instruction
def _decoder(_folder: str | None) -> Callable[..., int]:
    """The library's function, where ``CASSC_LIBDIR`` says ``_folder``."""
    function: Callable[..., int] = library().cassc_emu_decode_for
    return function


def decode(code: bytes, processor: str = "gfx1150") -> tuple[int, str]:
    """Length in bytes and mnemonic of the first instruction; 0 and the reason if the emulator does not execute it."""
    mnemonic = ctypes.create_string_buffer(128)
    find = _decoder(os.environ.get("CASSC_LIBDIR"))
    size = find(processor.encode(), code, len(code), mnemonic, len(mnemonic))
    return size, mnemonic.value.decode()


class Emulator:
    """One emulated device. Use as a context manager, or call ``close``."""

    def __init__(self, target: Target = DEFAULT_TARGET, *, memory_bytes: int = 0) -> None:
        """memory_bytes: size of device memory, 0 for the library's default. Raises CasscError."""
        self._library = library()
        self._device: int | None = self._library.cassc_emu_create(target.name.encode(), memory_bytes)
        if not self._device:
            raise self._error("amdgpu-emulator", f"cannot emulate {target.name}")

    def __enter__(self) -> Emulator:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the device; its modules and memory go with it."""
        if self._device:
            self._library.cassc_emu_destroy(self._device)
            self._device = None

    def observe(self, what: Collection[str], journal: Path) -> None:
        """Check or profile every launch from now on; before the first module is loaded.

        what: names of OBSERVATIONS. journal: what is found is appended to it, a JSON object a line. Raises CasscError.
        """
        mask = sum(1 << OBSERVATIONS.index(name) for name in what)
        self._check(self._library.cassc_emu_observe(self._device, mask, str(journal).encode()), "observe launches")

    def alloc(self, size: int) -> int:
        """Address of ``size`` new bytes, 256-aligned, not cleared. Raises CasscError ``amdgpu-out-of-memory``."""
        address = c_uint64()
        self._check(self._library.cassc_emu_malloc(self._device, size, byref(address)), f"allocate {size} bytes")
        return address.value

    def free(self, address: int) -> None:
        self._check(self._library.cassc_emu_free(self._device, address), f"free 0x{address:x}")

    def write(self, address: int, data: bytes | bytearray | memoryview | np.ndarray[Any, Any]) -> None:
        """Copy to the device. Raises CasscError if any byte lies outside an allocation."""
        content = np.ascontiguousarray(data) if isinstance(data, np.ndarray) else np.frombuffer(data, np.uint8)
        self._check_range(address, content.nbytes)
        ctypes.memmove(address, content.ctypes.data, content.nbytes)
        self._library.cassc_emu_written(self._device, address, content.nbytes)

    def read(self, address: int, size: int) -> bytes:
        """Copy ``size`` bytes from the device. Raises CasscError if any lies outside an allocation."""
        self._check_range(address, size)
        return ctypes.string_at(address, size)

    def read_array(self, address: int, dtype: Any, count: int) -> np.ndarray[Any, Any]:
        """``count`` elements from the device, as a new array."""
        element = np.dtype(dtype)
        return np.frombuffer(self.read(address, count * element.itemsize), element).copy()

    def load(self, code_object: bytes) -> Module:
        """Load a code object (ET_DYN). Raises CasscError ``amdgpu-bad-code-object``."""
        handle = c_void_p()
        status = self._library.cassc_emu_module_load(self._device, code_object, len(code_object), byref(handle))
        self._check(status, "load the code object")
        assert handle.value is not None
        count = self._library.cassc_emu_module_kernel_count(handle)
        kernels = (self._kernel(self._library.cassc_emu_module_kernel_at(handle, i)) for i in range(count))
        return Module({kernel.name: kernel for kernel in kernels}, handle.value)

    def unload(self, module: Module) -> None:
        self._library.cassc_emu_module_unload(module.handle)

    def global_variable(self, module: Module, name: str) -> tuple[int, int] | None:
        """Address and size in bytes of an exported variable, None if there is none of that name."""
        address, size = c_uint64(), c_uint64()
        status = self._library.cassc_emu_module_global(module.handle, name.encode(), byref(address), byref(size))
        if status == _NOT_FOUND:
            return None
        self._check(status, f"find '{name}'")
        return address.value, size.value

    def launch(
        self,
        kernel: Kernel,
        grid: Dim3,
        block: Dim3,
        kernarg: bytes,
        *,
        dynamic_lds: int = 0,
        max_instructions: int = 0,
        descending: bool = False,
        shuffle: int | None = None,
        threads: int = 1,
        strict_alignment: bool = False,
    ) -> None:
        """Run a kernel to its end.

        grid is in workgroups, block in work-items; kernarg holds the explicit arguments as the metadata lays them out.
        max_instructions: limit in wave-instructions, 0 for none. descending: workgroups and waves have their turns from
        the last to the first. shuffle: turns in an order, and of a length, that depend on this seed. threads: with 1
        every run is the same; 0 takes all processors. strict_alignment: misaligned plain accesses fault.
        Raises EmulatorFault, and CasscError for a launch that is impossible.
        """
        fault = _CFault()
        order = _SHUFFLED if shuffle is not None else int(descending)
        options = _COptions(max_instructions, order, threads, shuffle or 0, int(strict_alignment), 0)
        status = self._library.cassc_emu_launch(
            self._device,
            kernel.handle,
            _CDim3(*grid),
            _CDim3(*block),
            dynamic_lds,
            kernarg,
            len(kernarg),
            byref(options),
            byref(fault),
        )
        if status == _FAULT:
            raise EmulatorFault(fault)
        self._check(status, f"launch '{kernel.name}'")

    def memory_info(self) -> tuple[int, int]:
        """Free and total bytes of device memory."""
        free, total = c_uint64(), c_uint64()
        self._library.cassc_emu_memory_info(self._device, byref(free), byref(total))
        return free.value, total.value

    def instruction_count(self) -> int:
        """Wave-instructions executed so far."""
        return int(self._library.cassc_emu_instruction_count(self._device))

    def _kernel(self, handle: int) -> Kernel:
        info = _CKernelInfo()
        self._library.cassc_emu_kernel_get_info(handle, byref(info))
        arguments = []
        for index in range(info.argument_count):
            argument = _CArgument()
            self._check(self._library.cassc_emu_kernel_argument(handle, index, byref(argument)), "read an argument")
            arguments.append(Argument(argument.offset, argument.size, bool(argument.hidden)))
        return Kernel(
            info.name.decode(errors="surrogateescape"),
            info.kernarg_size,
            info.group_segment_size,
            info.private_segment_size,
            info.max_flat_workgroup_size,
            info.vgpr_count,
            info.sgpr_count,
            tuple(arguments),
            handle,
        )

    def _check_range(self, address: int, size: int) -> None:
        if size:
            self._check(
                self._library.cassc_emu_check(self._device, address, size), f"access {size} bytes at 0x{address:x}"
            )

    def _check(self, status: int, doing: str) -> None:
        ids = {_OUT_OF_MEMORY: "amdgpu-out-of-memory", _BAD_CODE_OBJECT: "amdgpu-bad-code-object"}
        if status != _OK:
            raise self._error(ids.get(status, "amdgpu-emulator"), f"cannot {doing}")

    def _error(self, id: str, doing: str) -> diag.CasscError:
        reason = (self._library.cassc_emu_last_error() or b"").decode(errors="replace")
        return diag.error(id, f"{doing}: {reason}" if reason else doing)

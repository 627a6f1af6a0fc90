"""Finding a statically linked CUDA runtime in a program or library: binding of ``libcassc_redirect`` (redirect.h).

The search itself is the audit library's, so that a program that is rewritten and one that is redirected when it starts
are treated alike.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cassc import diag

LIBRARY = "libcassc_redirect.so"
_ABI = 1
_NOT_LINKED, _UNKNOWN_VERSION = -1, -2


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A function of the runtime: its address as linked, and how many bytes at it may be overwritten."""

    name: str
    address: int
    size: int


@dataclass(frozen=True, slots=True)
class StaticRuntime:
    """``major`` is that of the CUDA version; ``entries`` ascend by address."""

    major: int
    entries: tuple[EntryPoint, ...]


def find(library: Path, data: bytes, tables: Sequence[Path] = ()) -> StaticRuntime | None:
    """What a linked file holds, None where it has no static runtime.

    library: ``libcassc_redirect.so``. tables: signature tables, for files without a symbol table. Raises CasscError
    ``static-runtime-unknown`` for a runtime that no table describes, ``static-runtime-library`` for a library that does
    not load.
    """
    entries = _load(library)
    named = ":".join(map(str, tables)).encode()
    length = entries(data, len(data), named, None, 0)
    if length == _UNKNOWN_VERSION:
        raise diag.error(
            "static-runtime-unknown",
            "the file has no symbol table, and its statically linked CUDA runtime is of a version that is not known",
            notes=[diag.note("name the libcudart_static.a that it was linked with in CASSC_CUDART_STATIC")],
        )
    if length in (0, _NOT_LINKED):
        return None
    text = ctypes.create_string_buffer(length + 1)
    entries(data, len(data), named, text, length + 1)
    first, *lines = text.value.decode().splitlines()
    found = (line.split() for line in lines)
    points = (EntryPoint(name, int(address, 16), int(size, 16)) for name, address, size in found)
    return StaticRuntime(int(first.split()[1]), tuple(sorted(points, key=lambda point: point.address)))


def _load(library: Path) -> ctypes._NamedFuncPointer:
    try:
        handle = ctypes.CDLL(str(library))
        version = handle.cassc_redirect_abi()
    except (OSError, AttributeError) as problem:
        raise diag.error("static-runtime-library", f"cannot load '{library}': {problem}") from problem
    if version != _ABI:
        raise diag.error("static-runtime-library", f"'{library}' has ABI version {version}, {_ABI} is needed")
    entries = handle.cassc_redirect_entries
    entries.argtypes = (ctypes.c_char_p, ctypes.c_uint64, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint64)
    entries.restype = ctypes.c_int64
    return entries

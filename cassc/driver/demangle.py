"""C++ names as people write them, by the demangler of libstdc++ (Itanium C++ ABI, chapter 5), which every host has."""

from __future__ import annotations

import ctypes
import functools


@functools.lru_cache(maxsize=1024)
def demangle(name: str) -> str:
    """``_Z3addPfi`` to ``add(float*, int)``; the name itself where it is no mangled one, or libstdc++ is missing."""
    if not name.startswith("_Z"):
        return name
    function = _demangler()
    if function is None:
        return name
    status = ctypes.c_int()
    text = function(name.encode(), None, None, ctypes.byref(status))
    if not text:
        return name
    try:
        return ctypes.string_at(text).decode(errors="replace") if status.value == 0 else name
    finally:
        _free()(ctypes.c_void_p(text))


@functools.cache
def _demangler() -> ctypes._NamedFuncPointer | None:
    try:
        function = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    except (OSError, AttributeError):
        return None
    function.restype = ctypes.c_void_p
    return function


@functools.cache
def _free() -> ctypes._NamedFuncPointer:
    function = ctypes.CDLL(None).free
    function.restype = None
    return function

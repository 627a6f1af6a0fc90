"""Signature tables of static CUDA runtimes, by which one is recognised in a program without a symbol table.

A table (format: ``shims/redirect/signature.h``) is made from a ``libcudart_static.a`` of the user's own, found beside
nvcc, among Python's packages (cassc's, and those of a virtual environment whose Python is the program), or named in
``CASSC_CUDART_STATIC`` (paths separated by colons), and kept in the cache.
It holds offsets and hashes, none of NVIDIA's code.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cassc import toolchain
from cassc.driver.cache import Cache
from cassc.image import signature

_ARCHIVE = "libcudart_static.a"
_PLACES = ("lib64", "lib", "targets/x86_64-linux/lib")


def tables(program: str = "") -> tuple[Path, ...]:
    """Paths of the tables of all archives found. What cannot be read or written is passed over."""
    folder = Cache.open().root / "signatures"
    made = []
    for archive in _archives(program):
        status = archive.stat()
        name = hashlib.sha256(f"{archive}\0{status.st_size}\0{status.st_mtime_ns}".encode()).hexdigest()[:24]
        path = folder / f"{name}.table"
        if not path.exists() and not _make(archive, path):
            continue
        made.append(path)
    return tuple(made)


def _make(archive: Path, path: Path) -> bool:
    text = signature.table(archive.read_bytes())
    if not text:
        return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        with os.fdopen(handle, "w") as file:
            file.write(text)
        os.replace(name, path)
    except OSError:
        return False
    return True


def _archives(program: str) -> Iterator[Path]:
    named = os.environ.get("CASSC_CUDART_STATIC", "")
    nvcc = toolchain.find_nvcc()
    roots = [nvcc.root] if nvcc else []
    roots += toolchain.cuda_packages()
    paths = [Path(path) for path in named.split(":") if path]
    paths += [root / place / _ARCHIVE for root in roots for place in _PLACES]
    if program:  # not resolved: a virtual environment's Python is a link
        paths += sorted(
            Path(program).absolute().parent.parent.glob(f"lib/python3*/site-packages/nvidia/*/lib/{_ARCHIVE}")
        )
    yield from dict.fromkeys(path.resolve() for path in paths if path.is_file())

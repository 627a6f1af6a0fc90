"""Device functions of the CUDA runtime that kernels call, as LLVM IR.

``__cassc_printf`` is {u64 buffer, u64 reserved}; the buffer {u32 write offset, u32 capacity, data}, filled by the
runtime's reader in the order of the atomic reservations. A record is {u32 size, u32 bytes of arguments, u64 format,
arguments as CUDA lays them out}. A record that does not fit is dropped, and ends what the reader looks at.

``__cassc_assert`` is {u32 claimed, u32 line, u64 message, u64 file, u64 function, u32 block[3], u32 thread[3]}.

``__cassc_heap`` is {u64 heap, u64 reserved}; what the heap is, says heap.ll.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

# External function -> the file that defines its replacement.
FILES = {
    "vprintf": "vprintf.ll",
    "__assertfail": "assertfail.ll",
    "malloc": "heap.ll",
    "free": "heap.ll",
    "__cuda_syscall_aligned_malloc": "heap.ll",
}


@cache
def text(file: str) -> str:
    """LLVM IR of one of the files."""
    return (resources.files(__package__) / file).read_text()

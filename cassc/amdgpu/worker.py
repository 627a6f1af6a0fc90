"""The child process in which LLVM runs: ``python -m cassc.amdgpu.worker LIBRARY``.

Protocol on standard input and output: a u32 length, then that many bytes of a pickled dict, in both directions.
Anything that LLVM prints goes to standard error. The parent trusts only the shape of the answer: the pipe is private.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
from typing import Any, BinaryIO

from cassc.amdgpu.llvm_c import LlvmC, LlvmError


def send(stream: BinaryIO, message: dict[str, Any]) -> None:
    data = pickle.dumps(message)
    stream.write(struct.pack("<I", len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> dict[str, Any] | None:
    """The next message, None at the end of the stream."""
    header = stream.read(4)
    if len(header) < 4:
        return None
    (length,) = struct.unpack("<I", header)
    data = stream.read(length)
    if len(data) < length:
        return None
    message: dict[str, Any] = pickle.loads(data)
    return message


def serve(llvm: LlvmC, request: dict[str, Any]) -> dict[str, Any]:
    """The answer to one request: ``{"result": ...}`` or ``{"error": LLVM's text}``."""
    action = request.pop("action")
    try:
        if action == "compile":
            compiled = llvm.compile(**request)
            return {"result": {name: getattr(compiled, name) for name in compiled.__slots__}}
        if action == "encode":
            return {"result": llvm.encode(**request)}
        if action == "disassemble":
            return {"result": llvm.disassemble(**request)}
        return {"result": llvm.version()}
    except LlvmError as problem:
        return {"error": str(problem)}


def main() -> None:
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        llvm = LlvmC(sys.argv[1])
    except (OSError, AttributeError) as problem:  # not loadable, or without a function or target that is needed
        if receive(sys.stdin.buffer) is not None:
            send(replies, {"unusable": str(problem)})
        return
    while (request := receive(sys.stdin.buffer)) is not None:
        send(replies, serve(llvm, request))


if __name__ == "__main__":
    main()

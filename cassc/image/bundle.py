"""clang offload bundles: one code object for each AMD target (clang, "Clang Offload Bundler", bundled binary layout).

Layout: "__CLANG_OFFLOAD_BUNDLE__", u64 count, then {u64 offset, u64 size, u64 id length, id} for each entry, then the
contents, aligned. The first entry is the host's, and empty.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from cassc import diag
from cassc.target import Target

_MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
_COMPRESSED = b"CCOB"
_RECORD = struct.Struct("<QQQ")
HOST_ID = "host-x86_64-unknown-linux-gnu-"


def pack(objects: Mapping[Target, bytes], *, alignment: int = 4096) -> bytes:
    """An uncompressed bundle, contents ``alignment`` bytes aligned (clang's 4096 lets a loader map them in place)."""
    contents = {HOST_ID: b""} | {target.bundle_id: data for target, data in objects.items()}
    position = len(_MAGIC) + 8 + sum(_RECORD.size + len(name.encode()) for name in contents)
    header = bytearray(_MAGIC + struct.pack("<Q", len(contents)))
    body = bytearray()
    start = position
    for name, data in contents.items():
        padding = -(start + len(body)) % alignment
        body += bytes(padding)
        header += _RECORD.pack(start + len(body), len(data), len(name.encode())) + name.encode()
        body += data
    return bytes(header + body)


def unpack(data: bytes) -> dict[str, bytes]:
    """Contents by entry id, the host's empty one left out. Raises CasscError ``image-bad-bundle``."""
    if data.startswith(_COMPRESSED):
        raise _bad("compressed bundles are not supported; build with --no-offload-compress")
    if not data.startswith(_MAGIC) or len(data) < len(_MAGIC) + 8:
        raise _bad("no bundle magic")
    (count,) = struct.unpack_from("<Q", data, len(_MAGIC))
    position, found = len(_MAGIC) + 8, {}
    for _ in range(count):
        if position + _RECORD.size > len(data):
            raise _bad("the entry table is cut short")
        offset, size, length = _RECORD.unpack_from(data, position)
        position += _RECORD.size
        if position + length > len(data) or offset + size > len(data):
            raise _bad("an entry runs past the end")
        name = data[position : position + length].decode(errors="replace")
        position += length
        if not name.startswith("host-"):
            found[name] = data[offset : offset + size]
    return found


def _bad(why: str) -> diag.CasscError:
    return diag.error("image-bad-bundle", f"malformed offload bundle: {why}")

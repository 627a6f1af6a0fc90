"""Sizes of the arguments of a device-side printf, from its format string."""

from __future__ import annotations

import re

# Conversion: flags, width and precision with their '*', length, letter. CUDA has C's conversions but for %n's effect.
_CONVERSION = re.compile(rb"%([-+ #0-9.*]*)([hlLjztq]*)([a-zA-Z%])?")


def argument_sizes(format: bytes) -> list[int]:
    """Bytes of each argument, 4 or 8, in order; each stands at its natural alignment."""
    sizes = []
    for match in _CONVERSION.finditer(format):
        flags, length, letter = match.groups()
        if letter == b"%":
            continue
        sizes += [4] * flags.count(b"*")
        if letter is None:
            continue
        wide = letter not in b"diouxXc" or any(c in b"ljztq" for c in length)
        sizes.append(8 if wide else 4)
    return sizes


def argument_bytes(format: bytes) -> int:
    """Bytes of the whole argument block."""
    total = 0
    for size in argument_sizes(format):
        total = -(-total // size) * size + size
    return total

"""HIP source as a unit for the source engine: HIP's names stand for CUDA's, in whose runtime it is compiled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cassc.hip import names
from cassc.hip.tools import include_folder
from cassc.hip.unit import Unit

_DEFINED = ("__HIP_PLATFORM_AMD__=1", "__HIPCC__=1", 'CASSC_ROCM_PROCESSOR="gfx1100"')


def unit(text: str, folder: Path, arguments: Sequence[str], sm: int) -> Unit:
    """``folder``: an empty one, where the text is written to. ``arguments``: further ones, of nvcc's.

    HIP's own headers are not needed: ``hip/hip_runtime.h`` is cassc's.
    """
    source, aliases = folder / "answer.cu", folder / "names.h"
    source.write_text(text)
    aliases.write_text(_aliases())
    included = ("hip/hip_runtime.h", str(aliases))
    words = ["-I", str(include_folder() / "rocm"), *(word for name in included for word in ("-include", name))]
    words += [word for definition in _DEFINED for word in ("-D", definition)]
    return Unit(source, (*words, *arguments), sm=sm)


def _aliases() -> str:
    """What hipify renames, the other way round."""
    back: dict[str, str] = {}
    for cuda, hip in names.load().renamed.items():
        # Several names of CUDA may have become one: the first is the runtime's, and the plainest.
        if hip != cuda and hip.isidentifier():
            back.setdefault(hip, cuda)
    return "".join(f"#ifndef {hip}\n#define {hip} {cuda}\n#endif\n" for hip, cuda in back.items())

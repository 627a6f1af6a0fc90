"""Which stage, and which kernel, an unexpected exception comes from: read off its traceback."""

from __future__ import annotations

import traceback
from types import FrameType

from cassc.sass.disasm import SassFunction

_STAGES = (
    ("cassc.amdgpu.emulator", "check"),
    ("cassc.amdgpu", "assemble"),
    ("cassc.verify", "check"),
    ("cassc.sass.interp", "check"),
    ("cassc.lift", "translate"),
    ("cassc.engines", "translate"),
    ("cassc.sass.cfg", "structure"),
    ("cassc.sass", "disassemble"),
    ("cassc.image.embed", "embed"),
    ("cassc.image.bundle", "pack"),
    ("cassc.image.host", "read"),
    ("cassc.image", "extract"),
)
"""Module prefix and stage; the first that the innermost frames of cassc match."""


def blame(problem: BaseException) -> tuple[str, str]:
    """Stage and kernel (mangled), each empty where the traceback does not say."""
    frames = [frame for frame, _ in traceback.walk_tb(problem.__traceback__)]
    stages = (_stage(frame) for frame in reversed(frames))
    kernels = (_kernel(frame) for frame in reversed(frames))
    return next(filter(None, stages), ""), next(filter(None, kernels), "")


def _stage(frame: FrameType) -> str:
    module = str(frame.f_globals.get("__name__", ""))
    if module.startswith("cassc.sass") and _outer_is_check(frame):
        return "check"
    return next((stage for prefix, stage in _STAGES if f"{module}.".startswith(f"{prefix}.")), "")


def _outer_is_check(frame: FrameType) -> bool:
    """The rows' meanings are shared: whether they are computed or emitted, the caller knows."""
    outer = frame.f_back
    while outer is not None:
        module = str(outer.f_globals.get("__name__", ""))
        if module.startswith(("cassc.verify", "cassc.sass.interp")):
            return True
        if module.startswith("cassc.driver"):
            return False
        outer = outer.f_back
    return False


def _kernel(frame: FrameType) -> str:
    for value in frame.f_locals.values():
        function = value if isinstance(value, SassFunction) else getattr(value, "function", None)
        if isinstance(function, SassFunction):
            return function.name
    return ""

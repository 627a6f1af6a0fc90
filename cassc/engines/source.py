"""The source engine: a whole translation unit compiled from its CUDA C++ by clang, where there is no usable SASS.

It takes no kernels one by one as the other engines do: host and device code of the unit are compiled together, so that
both see the same types.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import cassc
from cassc.diag import Diagnostic
from cassc.hip import compile as hip_compile
from cassc.hip import tools as hip_tools
from cassc.hip.unit import Unit
from cassc.image import bundle, codeobject, embed, fatbin, host
from cassc.target import SmArch, Target


@dataclass(frozen=True, slots=True)
class UnitTranslation:
    """``image``: the host object with its code objects. ``output``: clang's own words (warnings)."""

    image: bytes
    code_objects: Mapping[str, bytes]
    verdicts: tuple[dict[str, Any], ...]
    remarks: tuple[Diagnostic, ...]
    output: str


class SourceEngine:
    name: ClassVar[str] = "source"
    strict: ClassVar[bool] = False

    def __init__(self, tools: hip_tools.SourceTools | None = None) -> None:
        """Raises CasscError ``source-no-tools``."""
        self.tools = tools or hip_tools.find()

    def version(self) -> str:
        """Everything besides the sources that decides what is made."""
        tools = self.tools
        digest = hashlib.sha256()
        for path in (tools.clang.path.resolve(), tools.device_libraries / "ocml.bc", tools.lexer):
            status = path.stat()
            digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
        return digest.hexdigest()

    def dependencies(self, unit: Unit) -> list[str]:
        """The files that the unit is made of, the source first. Raises CompilerFailed."""
        return [str(path) for path in hip_compile.dependencies(unit, self.tools)]

    def translate(self, unit: Unit, targets: Sequence[Target], why: str = "") -> UnitTranslation:
        """``why``: what the verdicts say of the reason for it. Raises CompilerFailed where clang refuses the source."""
        made = hip_compile.compile_unit(unit, self.tools, targets)
        image = host.read_bytes(made.object, str(unit.source))
        sm = SmArch(unit.sm)
        by_target = {target: made.code_objects[target.name] for target in targets}
        verdicts = [verdict for target, data in by_target.items() for verdict in _verdicts(target, data, why)]
        text = json.dumps(
            {"cassc": cassc.__version__, "sm": sm.name, "targets": list(made.code_objects), "kernels": verdicts}
        )
        entries = (
            fatbin.make_entry(fatbin.EntryKind.CODE_OBJECTS, sm, bundle.pack(by_target)),
            fatbin.make_entry(fatbin.EntryKind.VERDICTS, sm, text.encode()),
        )
        containers = fatbin.extract(image)
        if containers:
            image = embed.embed(image, [(containers[0], entries)])
        return UnitTranslation(image.data, made.code_objects, tuple(verdicts), made.remarks, made.output)


def _verdicts(target: Target, code_object: bytes, why: str) -> list[dict[str, Any]]:
    """No SASS stands against the kernels, so nothing is said of them."""
    reason = f"{why or 'compiled from source'}: there is no SASS to compare with"
    return [
        {"kernel": kernel.name, "engine": "source", "target": target.name, "status": "unverified", "reason": reason}
        for kernel in codeobject.parse(code_object).kernels
    ]

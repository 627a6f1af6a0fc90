"""Source lines of lifted code, as LLVM debug metadata that makes a line table and nothing else.

The table is what tells a device-side diagnostic of the translation (a fault, a race) the line of the CUDA source. It is
made where the cubin has a line table of its own (``-lineinfo``, ``-G``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cassc.lift.kernel import LiftedKernel

_PLACE = re.compile(r"!\?(\d+)")
# The oldest form, whose table names files by itself.
MODULE_FLAGS = ('!{i32 2, !"Debug Info Version", i32 3}', '!{i32 7, !"Dwarf Version", i32 4}')


class DebugInfo:
    """Metadata nodes of one module, numbered from ``first`` on."""

    def __init__(self, first: int) -> None:
        self._first = first
        self.nodes: list[str] = []
        self._files: dict[str, int] = {}
        self._unit = -1

    def _add(self, text: str) -> int:
        self.nodes.append(text)
        return self._first + len(self.nodes) - 1

    def _file(self, name: str) -> int:
        if name not in self._files:
            self._files[name] = self._add(f'!DIFile(filename: "{_escaped(name)}", directory: "")')
        return self._files[name]

    def body(self, kernel: LiftedKernel) -> str:
        """The kernel's definition with its places named by nodes of this module."""
        if not kernel.places:
            return kernel.body
        first_file, first_line = kernel.places[0]
        home = self._file(first_file)
        if self._unit < 0:
            self._unit = self._add(
                f"distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !{home}, isOptimized: true, "
                "runtimeVersion: 0, emissionKind: LineTablesOnly)"
            )
        nothing = self._add("!DISubroutineType(types: !{null})")
        function = self._add(
            f'distinct !DISubprogram(name: "{_escaped(kernel.name)}", file: !{home}, line: {first_line}, '
            f"type: !{nothing}, unit: !{self._unit}, spFlags: DISPFlagDefinition)"
        )
        scopes = {first_file: function}
        nodes = [self._location(file, line, function, scopes) for file, line in kernel.places]
        text = _PLACE.sub(lambda match: f"!{nodes[int(match[1])]}", kernel.body)
        return text.replace(" {\n", f" !dbg !{function} {{\n", 1)

    def _location(self, file: str, line: int, function: int, scopes: dict[str, int]) -> int:
        if file not in scopes:
            scopes[file] = self._add(
                f"!DILexicalBlockFile(scope: !{function}, file: !{self._file(file)}, discriminator: 0)"
            )
        return self._add(f"!DILocation(line: {line}, column: 0, scope: !{scopes[file]})")

    def units(self) -> Sequence[int]:
        return [self._unit] if self._unit >= 0 else []


def _escaped(text: str) -> str:
    return "".join(c if " " <= c <= "~" and c not in '"\\' else "".join(f"\\{b:02X}" for b in c.encode()) for c in text)

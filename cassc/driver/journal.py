"""The emulator's journal: what checks and profiles of a run found, a JSON object a line, and the places of it.

The emulator (``cassc_emu_observe``) writes it and keeps each code object beside it, as ``PATH.N.hsaco``. Addresses in
it are those of the code object; its line table gives the line of the CUDA source where the cubin had one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cassc.driver.demangle import demangle
from cassc.image import elf, lines

Entry = dict[str, Any]
_TEXT = ".text"


@dataclass
class Journal:
    """Entries in the order in which they were written. ``modules``: number to path of the code object."""

    entries: Sequence[Entry]
    modules: dict[int, Path] = field(default_factory=dict)
    _tables: dict[int, lines.LineTable] = field(default_factory=dict)

    def of_type(self, *types: str) -> list[Entry]:
        return [entry for entry in self.entries if entry["type"] in types]

    def place(self, entry: Entry, prefix: str = "") -> str:
        """``kernel(int *)+0x40 in file.cu:12``; the source only where it is known.

        Code that LLVM has made of several lines belongs to none: ``near file.cu:12`` is the line of what is before it.
        """
        module, address = entry["module"], entry[f"{prefix}address"]
        offset = entry.get(f"{prefix}offset")
        name = demangle(str(entry["kernel"]))
        place = f"{name}+0x{offset:x}" if offset is not None else name
        if (where := self._table(module).at(_TEXT, address)) is not None:
            return f"{place} in {where[0]}:{where[1]}"
        if offset is not None and (near := self._table(module).before(_TEXT, address, address - offset)) is not None:
            return f"{place} near {near[0]}:{near[1]}"
        return place

    def _table(self, module: int) -> lines.LineTable:
        if module not in self._tables:
            path = self.modules.get(module)
            self._tables[module] = lines.LineTable(lambda: _decode(path) if path is not None else {})
        return self._tables[module]


def read(path: Path) -> Journal:
    """The journal of a run that has ended. A line that was cut short, because the process was killed, is left out."""
    entries = []
    if path.exists():
        for line in path.read_text(errors="replace").splitlines():
            try:
                entries.append(json.loads(line))
            except ValueError:
                continue
    modules = {entry["module"]: Path(entry["path"]) for entry in entries if entry["type"] == "module"}
    return Journal(entries, modules)


def _decode(path: Path) -> dict[str, tuple[lines.Row, ...]]:
    try:
        file = elf.parse(path.read_bytes())
    except (OSError, elf.ElfError):
        return {}
    table = next((section for section in file.sections if section.name == ".debug_line"), None)
    # The linker has put addresses in, so there is nothing to look up but the bytes themselves.
    return {} if table is None else lines.decode(bytes(table.data), lambda operand: (_TEXT, 0))

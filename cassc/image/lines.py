"""Line tables of cubins built with ``-lineinfo`` or ``-G``: device address to source line, from ``.debug_line``.

The line-number program of DWARF 2 to 4 (DWARF 4, section 6.2). NVIDIA's header is longer than its file table, so the
stated header length is what counts, and its own extended opcodes are skipped by their length. Each sequence starts with
DW_LNE_set_address, and a relocation on its operand names the kernel.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """From ``address`` (bytes in the text section) on, code belongs to ``file``:``line``; line 0: to no line."""

    address: int
    file: str
    line: int


class LineTable:
    """Rows per text section, decoded at the first question."""

    def __init__(self, decode: Callable[[], Mapping[str, tuple[Row, ...]]] | None = None) -> None:
        self._decode = decode
        self._rows: Mapping[str, tuple[Row, ...]] = {}

    def at(self, section: str, address: int) -> tuple[str, int] | None:
        rows, position = self._find(section, address)
        if position < 0 or rows[position].line == 0:
            return None
        return rows[position].file, rows[position].line

    def before(self, section: str, address: int, least: int) -> tuple[str, int] | None:
        """The line of the last code before an address that belongs to one, from the address ``least`` on."""
        rows, position = self._find(section, address)
        for row in reversed(rows[: position + 1]):
            if row.address < least:
                return None
            if row.line:
                return row.file, row.line
        return None

    def _find(self, section: str, address: int) -> tuple[tuple[Row, ...], int]:
        if self._decode is not None:
            self._rows, self._decode = self._decode(), None
        rows = self._rows.get(section, ())
        return rows, bisect_right(rows, address, key=lambda row: row.address) - 1


class _Cursor:
    def __init__(self, data: bytes, position: int = 0) -> None:
        self.data = data
        self.position = position

    def fixed(self, size: int, *, signed: bool = False) -> int:
        end = self.position + size
        if end > len(self.data):
            raise IndexError("line table cut short")
        value = int.from_bytes(self.data[self.position : end], "little", signed=signed)
        self.position = end
        return value

    def uleb(self) -> int:
        value = shift = 0
        while True:
            byte = self.fixed(1)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def sleb(self) -> int:
        start = self.position
        value = self.uleb()
        bits = 7 * (self.position - start)
        return value - (1 << bits) if value >> (bits - 1) else value

    def string(self) -> str:
        end = self.data.index(0, self.position)
        value = self.data[self.position : end].decode(errors="replace")
        self.position = end + 1
        return value


def decode(data: bytes, place: Callable[[int], tuple[str, int] | None]) -> dict[str, tuple[Row, ...]]:
    """All rows of a ``.debug_line`` section, sorted by address.

    place: offset of a set_address operand in ``data`` to (text section, address added there), None if unknown.
    A damaged table gives the rows before the damage: lines are for messages only.
    """
    rows: dict[str, list[Row]] = {}
    cursor = _Cursor(data)
    try:
        while cursor.position < len(data):
            _unit(cursor, place, rows)
    except (IndexError, ValueError):
        pass
    return {section: tuple(sorted(found, key=lambda row: row.address)) for section, found in rows.items()}


@dataclass(frozen=True, slots=True)
class _Header:
    end: int
    instruction_length: int
    line_base: int
    line_range: int
    first_special: int
    operands: tuple[int, ...]
    files: tuple[str, ...]


def _header(cursor: _Cursor) -> _Header:
    length = cursor.fixed(4)
    end = cursor.position + length
    version = cursor.fixed(2)
    if not 2 <= version <= 4 or end > len(cursor.data):
        raise ValueError("line table version or length")
    program = cursor.fixed(4) + cursor.position
    instruction_length = cursor.fixed(1)
    if version == 4:
        cursor.fixed(1)  # operations per instruction
    cursor.fixed(1)  # default_is_stmt
    line_base, line_range = cursor.fixed(1, signed=True), max(cursor.fixed(1), 1)
    first_special = cursor.fixed(1)
    operands = tuple(cursor.fixed(1) for _ in range(1, first_special))
    directories = [""]
    while name := cursor.string():
        directories.append(name)
    files = [""]
    while name := cursor.string():
        directory = cursor.uleb()
        cursor.uleb(), cursor.uleb()  # time, length
        prefix = directories[directory] if directory < len(directories) else ""
        files.append(f"{prefix}/{name}" if prefix and not name.startswith("/") else name)
    cursor.position = program
    return _Header(end, instruction_length, line_base, line_range, first_special, operands, tuple(files))


def _unit(cursor: _Cursor, place: Callable[[int], tuple[str, int] | None], rows: dict[str, list[Row]]) -> None:
    header = _header(cursor)
    section, address, file, line = "", 0, 1, 1

    def add(end: bool = False) -> None:
        if section:
            name = header.files[file] if file < len(header.files) else ""
            rows.setdefault(section, []).append(Row(address, name, 0 if end else line))

    while cursor.position < header.end:
        opcode = cursor.fixed(1)
        if opcode >= header.first_special:
            step = opcode - header.first_special
            address += step // header.line_range * header.instruction_length
            line += header.line_base + step % header.line_range
            add()
        elif opcode == 0:
            size = cursor.uleb()
            following = cursor.position + size
            extended = cursor.fixed(1) if size else 0
            if extended == 1:  # end_sequence
                add(end=True)
                section, address, file, line = "", 0, 1, 1
            elif extended == 2:  # set_address
                operand = cursor.position
                section, base = place(operand) or ("", 0)
                address = base + cursor.fixed(min(size - 1, 8))
            cursor.position = following
        elif opcode == 1:  # copy
            add()
        elif opcode == 2:  # advance_pc
            address += cursor.uleb() * header.instruction_length
        elif opcode == 3:  # advance_line
            line += cursor.sleb()
        elif opcode == 4:  # set_file
            file = cursor.uleb()
        elif opcode == 8:  # const_add_pc
            address += (255 - header.first_special) // header.line_range * header.instruction_length
        elif opcode == 9:  # fixed_advance_pc
            address += cursor.fixed(2)
        else:
            for _ in range(header.operands[opcode - 1]):
                cursor.uleb()
    cursor.position = header.end

"""What checks found, in the form of NVIDIA's compute-sanitizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cassc.driver.journal import Entry, Journal

CHECKS = ("mem", "race", "init", "sync")
_MARK = "========="
_MEMORY_FAULTS = (1, 2, 3, 4)
_INSTRUCTION_LIMIT = 8
_BARRIERS = {
    "warp": "Divergent thread(s) in warp.",
    "block": "Divergent thread(s) in block: waves wait at different barriers.",
    "exited": "Divergent thread(s) in block: threads ended without reaching the barrier.",
}


@dataclass(frozen=True, slots=True)
class Findings:
    """Texts without the mark in front, and how many errors they stand for."""

    reports: Sequence[Sequence[str]]
    errors: int


def findings(journal: Journal) -> Findings:
    """Everything in the journal that is an error."""
    reports: list[Sequence[str]] = []
    errors = 0
    reported_launches = {entry["launch"] for entry in journal.of_type("invalid")}
    waves: dict[int, list[Entry]] = {}
    for entry in journal.entries:
        kind = entry["type"]
        if kind == "stuck":
            waves.setdefault(entry["launch"], []).append(entry)
        elif kind == "more":
            errors += entry["count"]
        elif kind == "fault":
            if entry["kind"] in _MEMORY_FAULTS and entry["launch"] in reported_launches:
                continue
            reports.append(_fault(journal, entry, waves.get(entry["launch"], [])))
            errors += 1
        elif kind in _FORMS:
            reports.append(_FORMS[kind](journal, entry))
            errors += 1
    return Findings(reports, errors)


def render(found: Findings, limit: int) -> str:
    """The report, with the summary as its last line. limit: reports that are shown, 0 for all."""
    lines = [f"{_MARK} CASSC CHECK"]
    shown = found.reports[:limit] if limit else found.reports
    for report in shown:
        lines += [f"{_MARK} {report[0]}", *(f"{_MARK}     {line}" for line in report[1:]), _MARK]
    if len(shown) < len(found.reports):
        lines += [f"{_MARK} {len(found.reports) - len(shown)} more not shown (--print-limit)", _MARK]
    lines.append(f"{_MARK} ERROR SUMMARY: {found.errors} error{'' if found.errors == 1 else 's'}")
    return "\n".join(lines)


def _group(values: Sequence[int]) -> str:
    return "(" + ",".join(map(str, values)) + ")"


def _who(entry: Entry) -> str:
    lane = f", lane {entry['lane']}" if "lane" in entry else ""
    thread = f"thread {_group(entry['thread'])} in " if "thread" in entry else ""
    return f"by {thread}block {_group(entry['workgroup'])} (`{entry['instruction']}` of wave {entry['wave']}{lane})"


def _bytes(count: int) -> str:
    return f"{count:,} byte{'' if count == 1 else 's'}"


def _invalid(journal: Journal, entry: Entry) -> Sequence[str]:
    lines = [
        f"Invalid __{entry['space']}__ {entry['access']} of size {_bytes(entry['size'])}",
        f"at {journal.place(entry)}",
        _who(entry),
    ]
    if entry["reason"] == "misaligned":
        return [*lines, f"Address 0x{entry['at']:x} is misaligned"]
    if entry["reason"] == "heap":
        address = f"0x{entry['at']:x}"
        return [*lines, f"Address {address} is in no block of the device's heap: it was freed, or never allocated"]
    lines.append(f"Address 0x{entry['at']:x} is out of bounds")
    if "base" in entry:
        lines.append(_nearest(entry))
    return lines


def _nearest(entry: Entry) -> str:
    at, base, size = entry["at"], entry["base"], entry["bytes"]
    allocation = f"allocation at 0x{base:x} of size {_bytes(size)}"
    if entry["freed"]:
        return f"and is {_bytes(at - base)} inside a freed {allocation}"
    if at >= base + size:
        return f"and is {_bytes(at - base - size + 1)} after the nearest {allocation}"
    if at < base:
        return f"and is {_bytes(base - at)} before the nearest {allocation}"
    return f"and reaches past the end of the {allocation}"


def _uninitialized(journal: Journal, entry: Entry) -> Sequence[str]:
    return [
        f"Uninitialized __{entry['space']}__ memory read of size {_bytes(entry['size'])}",
        f"at {journal.place(entry)}",
        _who(entry),
        f"Address 0x{entry['at']:x}",
    ]


def _race(journal: Journal, entry: Entry) -> Sequence[str]:
    def access(writes: int) -> str:
        return "Write" if writes else "Read"

    hazards = f"{entry['count']:,} hazard{'' if entry['count'] == 1 else 's'}"
    return [
        f"Error: Race reported between {access(entry['earlier_writes'])} access at {journal.place(entry, 'earlier_')}",
        f"and {access(entry['writes'])} access at {journal.place(entry)} [{hazards}]",
        f"in __{entry['space']}__ memory at 0x{entry['at']:x}: wave {entry['earlier_wave']} of block number "
        f"{entry['earlier_group']}, wave {entry['wave']} of block number {entry['group']}",
    ]


def _barrier(journal: Journal, entry: Entry) -> Sequence[str]:
    lines = [f"Barrier error detected. {_BARRIERS[entry['reason']]}", f"at {journal.place(entry)}", _who(entry)]
    if "other_address" in entry:
        lines.append(f"wave {entry['other_wave']} is at {journal.place(entry, 'other_')}")
    elif "other_wave" in entry:
        lines.append(f"wave {entry['other_wave']} has ended")
    return lines


def _fault(journal: Journal, entry: Entry, waves: Sequence[Entry]) -> Sequence[str]:
    if entry["kind"] != _INSTRUCTION_LIMIT:
        return [f"Kernel fault: {entry['message']}", f"at {journal.place(entry)}"]
    lines = ["Kernel stopped: instruction limit reached, it is deadlocked or endless", f"at {journal.place(entry)}"]
    for wave in waves:
        doing = "waits at the barrier" if wave["state"] == "barrier" else "is"
        what = f"block {_group(wave['workgroup'])}, wave {wave['wave']} {doing} at {journal.place(wave)}"
        lines.append(f"{what} (`{wave['instruction']}`)")
    return lines


_FORMS: dict[str, Callable[[Journal, Entry], Sequence[str]]] = {
    "invalid": _invalid,
    "uninitialized": _uninitialized,
    "race": _race,
    "barrier": _barrier,
}

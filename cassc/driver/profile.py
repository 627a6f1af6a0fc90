"""Profiles: what the launches of a run did, summed for each kernel, as text, JSON, or a trace for Perfetto."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from cassc.diag import counted
from cassc.driver.demangle import demangle
from cassc.driver.journal import Entry, Journal

KINDS = (
    *("valu", "valu_f64", "transcendental", "matrix", "cross_lane", "salu", "scalar_load", "branch", "barrier", "wait"),
    *("lds", "load", "store", "atomic", "scratch", "other"),
)
_TRAFFIC = {"loads": "global loads", "stores": "global stores", "atomics": "global atomics", "locals": "local memory"}
_SECTOR = 32

# RDNA3 ISA, chapter 3: a SIMD has 1536 VGPRs of 32 lanes, given out in steps of 24, and 16 wave slots; two SIMDs and
# 64 KB of LDS, given out in steps of 1 KB, are a compute unit.
_VGPRS, _VGPR_STEP, _WAVE_SLOTS, _SIMDS, _LDS, _LDS_STEP = 1536, 24, 16, 2, 65536, 1024


@dataclass(frozen=True, slots=True)
class Traffic:
    """Accesses of one kind: instructions, active lanes, bytes asked for, and 32-byte sectors that were moved."""

    accesses: int
    lanes: int
    bytes: int
    sectors: int
    lines: int

    @property
    def efficiency(self) -> float:
        """Bytes asked for, of the bytes moved; above 1 where lanes share them."""
        return self.bytes / (self.sectors * _SECTOR) if self.sectors else 1.0


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Waves that a compute unit holds at a time, of at most 32, and what sets the limit."""

    waves: int
    limit: str


@dataclass(frozen=True, slots=True)
class KernelProfile:
    """All launches of a kernel. ``seconds`` is the emulator's own time; the rest does not depend on it."""

    kernel: str
    launches: int
    waves: int
    seconds: float
    instructions: dict[str, int]
    vector_lanes: int
    vector_instructions: int
    partial: int
    branches: int
    taken: int
    traffic: dict[str, Traffic]
    lds_accesses: int
    lds_bytes: int
    lds_cycles: int
    lds_conflicts: int
    vgprs: int
    lds: int
    occupancy: Occupancy

    @property
    def total(self) -> int:
        return sum(self.instructions.values())

    @property
    def active_lanes(self) -> float:
        """Mean lanes at work in a vector instruction, of 32."""
        return self.vector_lanes / self.vector_instructions if self.vector_instructions else 32.0


def occupancy(vgprs: int, lds: int, waves_per_group: int) -> Occupancy:
    """In CU mode, where a workgroup stays on one compute unit. lds in bytes."""
    slots = _SIMDS * _WAVE_SLOTS
    by_registers = _SIMDS * min(_WAVE_SLOTS, _VGPRS // (-(-max(vgprs, 1) // _VGPR_STEP) * _VGPR_STEP))
    groups = {
        "wave slots": slots // waves_per_group,
        "registers": by_registers // waves_per_group,
        "shared memory": _LDS // (-(-lds // _LDS_STEP) * _LDS_STEP) if lds else slots,
    }
    limit = min(groups, key=lambda name: groups[name])
    return Occupancy(groups[limit] * waves_per_group, limit)


def summarize(journal: Journal) -> list[KernelProfile]:
    """One profile for each kernel, the one with the most instructions first."""
    launches: dict[str, list[Entry]] = {}
    for entry in journal.of_type("launch"):
        launches.setdefault(entry["kernel"], []).append(entry)
    profiles = [_kernel(name, entries) for name, entries in launches.items()]
    return sorted(profiles, key=lambda p: -p.total)


def _kernel(name: str, entries: Sequence[Entry]) -> KernelProfile:
    def total(field: str) -> int:
        return sum(entry[field] for entry in entries)

    def sums(field: str) -> list[int]:
        return [sum(column) for column in zip(*(entry[field] for entry in entries), strict=True)]

    shared = sums("shared")
    vgprs, lds = max(e["vgprs"] for e in entries), max(e["lds_size"] for e in entries)
    return KernelProfile(
        demangle(name),
        len(entries),
        total("waves"),
        sum(e["ended"] - e["began"] for e in entries) / 1e9,
        {kind: total(kind) for kind in KINDS},
        total("vector_lanes"),
        total("vector_instructions"),
        total("partial"),
        total("branches"),
        total("taken"),
        {field: Traffic(*sums(field)) for field in _TRAFFIC},
        shared[0],
        shared[2],
        shared[3],
        shared[4],
        vgprs,
        lds,
        min((occupancy(e["vgprs"], e["lds_size"], e["waves_per_group"]) for e in entries), key=lambda o: o.waves),
    )


def text(profiles: Sequence[KernelProfile]) -> str:
    lines = [f"cassc: profile of {counted(sum(p.launches for p in profiles), 'launch', 'es')}"]
    for p in profiles:
        lines += [
            "",
            p.kernel,
            f"  launches {p.launches}, waves {p.waves:,}, wave instructions {p.total:,}, emulated in {p.seconds:.3f} s",
            "  instructions: " + ", ".join(f"{k} {n:,}" for k, n in p.instructions.items() if n),
            f"  lanes at work: {p.active_lanes:.1f} of 32; {_share(p.partial, p.vector_instructions)} of the vector"
            f" instructions with some off; {p.branches:,} conditional branches, {_share(p.taken, p.branches)} taken",
        ]
        for field, title in _TRAFFIC.items():
            t = p.traffic[field]
            if t.accesses:
                lines.append(
                    f"  {title}: {t.accesses:,} instructions, {t.bytes:,} bytes asked for, {t.sectors:,} sectors of 32"
                    f" bytes, {t.lines:,} lines of 128; {t.sectors / t.accesses:.1f} sectors an instruction,"
                    f" {t.efficiency:.0%} of the bytes used"
                )
        if p.lds_accesses:
            lines.append(
                f"  shared memory: {p.lds_accesses:,} instructions, {p.lds_bytes:,} bytes, {p.lds_cycles:,} cycles,"
                f" {p.lds_conflicts:,} of them by bank conflicts"
            )
        lines.append(
            f"  occupancy: {p.occupancy.waves} of 32 waves of a compute unit ({p.vgprs} VGPRs, {p.lds:,} bytes of LDS;"
            f" limit: {p.occupancy.limit})"
        )
    return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "0%"


def as_json(profiles: Sequence[KernelProfile]) -> str:
    return json.dumps([asdict(p) for p in profiles], indent=1)


def trace(journal: Journal) -> str:
    """The Trace Event Format (JSON), which Perfetto and chrome://tracing open: a slice for each launch.

    Launches that overlap have rows of their own. Time is the emulator's.
    """
    events: list[dict[str, object]] = []
    rows: list[int] = []  # when the last slice of each row ended
    for entry in sorted(journal.of_type("launch"), key=lambda e: e["began"]):
        row = next((i for i, end in enumerate(rows) if end <= entry["began"]), len(rows))
        if row == len(rows):
            rows.append(0)
        rows[row] = entry["ended"]
        counts = {kind: entry[kind] for kind in KINDS if entry[kind]}
        events.append(
            {
                "name": demangle(entry["kernel"]),
                "cat": "kernel",
                "ph": "X",
                "ts": entry["began"] / 1e3,
                "dur": (entry["ended"] - entry["began"]) / 1e3,
                "pid": 1,
                "tid": row + 1,
                "args": {"grid": entry["grid"], "block": entry["block"], "waves": entry["waves"], **counts},
            }
        )
    head = [{"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "cassc RDNA3 emulator"}}]
    return json.dumps({"traceEvents": [*head, *events], "displayTimeUnit": "ms"})

"""What a translated file holds, kernel by kernel and side by side: the data of ``cassc inspect --html`` and
``--details``.

Which RDNA3 instruction belongs to which SASS instruction is found out by translating again with the SASS addresses in
the place of source lines: where that gives the same code, its line table tells.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cassc
from cassc import diag
from cassc.amdgpu.assemble import Line, assemble, disassemble
from cassc.diag import CasscError, Location
from cassc.driver import contents, pairs
from cassc.driver.demangle import demangle
from cassc.driver.pairs import Pair
from cassc.driver.profile import Occupancy, occupancy
from cassc.image import codeobject, elf, lines
from cassc.image import cubin as cubins
from cassc.image.codeobject import CodeObject, KernelInfo
from cassc.image.cubin import Cubin
from cassc.image.reader import ElfReader
from cassc.lift.globals import module_globals
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass import cfg
from cassc.sass.cfg import Cfg, Edge
from cassc.sass.disasm import SassFunction
from cassc.sass.disasm import disassemble as read_sass

_SASS = "sass"
_TEXT = ".text"
_USUAL_THREADS = 256
_AROUND = 3
"""Lines of source that are shown before and behind those that have code."""
_LONGEST_SOURCE = 4000


@dataclass(frozen=True, slots=True)
class SassLine:
    """``place``: source file and line, None if not known."""

    address: int
    text: str
    place: tuple[str, int] | None


@dataclass(frozen=True, slots=True)
class MachineLine:
    """``sass``: address of the SASS instruction that it was made from, -1 if not known."""

    address: int
    text: str
    sass: int


@dataclass(frozen=True, slots=True)
class Node:
    """A basic block: addresses of its first instruction and the one behind it, and where control goes."""

    start: int
    end: int
    successors: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A part of a source file: the number of its first line, and the lines. Empty if the file is not there."""

    file: str
    first: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kernel:
    """
    Attributes:
        verdict: as embedded.
        facts: names and values that a person wants to know.
        linked: the RDNA3 instructions know their SASS instructions.
        profile: of this kernel, as ``cassc run --profile=json`` wrote it; empty if there is none.
    """

    name: str
    sm: str
    target: str
    verdict: Mapping[str, Any]
    facts: Mapping[str, str]
    occupancy: Occupancy
    sass: tuple[SassLine, ...]
    machine: tuple[MachineLine, ...]
    linked: bool
    graph: tuple[Node, ...]
    sources: tuple[Source, ...]
    profile: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refused:
    kernel: str
    sm: str
    reason: str


@dataclass(frozen=True, slots=True)
class Report:
    file: str
    version: str
    kernels: tuple[Kernel, ...]
    refused: tuple[Refused, ...]


def make(path: str, kernel: str = "", profiles: Mapping[str, Mapping[str, Any]] | None = None) -> Report:
    """The report on a file.

    Args:
        kernel: that one only, by its mangled or readable name.
        profiles: by mangled name.

    Raises CasscError ``verify-nothing`` where cassc translated nothing, ``verify-no-kernel``.
    """
    found: list[Kernel] = []
    records = contents.verdicts(path)
    for pair in pairs.of_file(path):
        if not pair.cubin:
            found += _compiled(pair, kernel)
            continue
        found += _kernels(pair, kernel, profiles or {})
    refused = [
        Refused(entry["kernel"], record["sm"], entry["reason"])
        for record in records
        for entry in record.get("refused", ())
    ]
    if kernel and not found:
        raise diag.error("verify-no-kernel", f"no translated kernel '{kernel}'", Location(file=path))
    return Report(path, cassc.__version__, tuple(found), tuple(refused))


def _kernels(pair: Pair, wanted: str, profiles: Mapping[str, Mapping[str, Any]]) -> Iterator[Kernel]:
    cubin = cubins.parse(pair.cubin)
    made = codeobject.parse(pair.code_object)
    sass = read_sass(cubin)
    code = disassemble(pair.code_object)
    origins = _origins(cubin, pair)
    verdicts = {v["kernel"]: v for v in pair.verdicts.get("kernels", ()) if v.get("target") == pair.target.name}
    for function in sass.functions:
        name = function.name
        if name not in verdicts or not _is(name, wanted):
            continue
        places = [cubin.line_at(*function.place(i.address)) for i in function.instructions]
        listing = tuple(
            SassLine(i.address, function.text(i), place) for i, place in zip(function.instructions, places, strict=True)
        )
        machine = tuple(_machine(pair.code_object, name, code, origins))
        graph = cfg.build(function)
        facts, waves = _facts(function, made, len(listing), len(machine))
        yield Kernel(
            name,
            cubin.arch.name,
            pair.target.name,
            verdicts[name],
            facts,
            waves,
            listing,
            machine,
            bool(origins),
            tuple(_nodes(graph)),
            tuple(_sources({place for place in places if place})),
            profiles.get(name, {}),
        )


def _compiled(pair: Pair, wanted: str) -> Iterator[Kernel]:
    """Kernels that were compiled from source: there is no SASS."""
    made = codeobject.parse(pair.code_object)
    code = disassemble(pair.code_object)
    for verdict in pair.verdicts.get("kernels", ()):
        name = verdict["kernel"]
        if verdict.get("target") != pair.target.name or not _is(name, wanted):
            continue
        machine = tuple(_machine(pair.code_object, name, code, None))
        facts = {"RDNA3 instructions": str(len(machine))}
        info = made.kernel(name)
        waves = Occupancy(0, "not in the code object")
        if info is not None:
            facts |= _resources(info)
            waves = occupancy(info.vgpr_count, info.group_segment_size, _USUAL_THREADS // 32)
        sm = str(pair.verdicts.get("sm", ""))
        yield Kernel(name, sm, pair.target.name, verdict, facts, waves, (), machine, False, (), ())


def _is(name: str, wanted: str) -> bool:
    return not wanted or wanted in (name, demangle(name), demangle(name).partition("(")[0])


def _resources(info: KernelInfo) -> dict[str, str]:
    return {
        "VGPRs": str(info.vgpr_count),
        "SGPRs": str(info.sgpr_count),
        "spilled": f"{info.vgpr_spills} VGPRs, {info.sgpr_spills} SGPRs",
        "LDS": f"{info.group_segment_size} bytes",
        "scratch": f"{info.private_segment_size} bytes a lane",
    }


def _facts(function: SassFunction, made: CodeObject, sass: int, machine: int) -> tuple[dict[str, str], Occupancy]:
    abi = function.abi
    info = made.kernel(function.name)
    threads = abi.max_threads or _USUAL_THREADS
    facts = {
        "SASS instructions": str(sass),
        "RDNA3 instructions": str(machine),
        "registers (SASS)": str(abi.registers),
        "shared memory": f"{abi.static_shared} bytes",
        "stack": f"{abi.frame_size} bytes a thread",
        "parameters": f"{abi.param_size} bytes",
        "largest CTA": f"{abi.max_threads} threads" if abi.max_threads else "not stated",
    }
    if info is None:
        return facts, Occupancy(0, "not in the code object")
    facts |= _resources(info)
    waves = occupancy(info.vgpr_count, info.group_segment_size, -(-threads // 32))
    facts["occupancy, estimated"] = (
        f"{waves.waves} of 32 waves of a compute unit with CTAs of {threads} threads; limit: {waves.limit}"
    )
    return facts, waves


def _nodes(graph: Cfg) -> Iterator[Node]:
    for block in graph.blocks.values():
        edges = tuple((kind.value, target) for kind, target in block.successors if kind is not Edge.CALL)
        yield Node(block.start, block.last.address + 16, edges)


# Which instruction was made from which -------------------------------------------------------------------------
def _origins(cubin: Cubin, pair: Pair) -> lines.LineTable | None:
    """RDNA3 address -> (``sass kernel``, SASS address); None where a translation made now is another one."""
    sections = {
        f".text.{kernel.name}": tuple(
            lines.Row(address, f"{_SASS} {kernel.name}", address + 1) for address in range(0, len(kernel.code), 16)
        )
        for kernel in cubin.kernels
    }
    marked = replace(cubin, lines=lines.LineTable(lambda: sections))
    lifted = []
    for function in read_sass(cubin).functions:
        if pair.engines.get(function.name) == "lift":
            try:
                lifted.append(lift_kernel(function, marked))
            except CasscError:
                return None
    try:
        text = link_text(lifted, pair.target, module_globals(cubin).definitions)
        code = assemble(text, pair.target)
    except CasscError:
        return None
    if codeobject.code_sections(code)[1] != codeobject.code_sections(pair.code_object)[1]:
        return None
    table = ElfReader(code).find(".debug_line")
    if table is None:
        return None
    content = bytes(table.data)
    return lines.LineTable(lambda: lines.decode(content, lambda operand: (_TEXT, 0)))


def _machine(
    code_object: bytes, kernel: str, code: list[Line], origins: lines.LineTable | None
) -> Iterator[MachineLine]:
    file = ElfReader(code_object)
    table = file.find(".dynsym")
    symbols = file.symbols(table) if table is not None else ()
    begin = end = 0
    for symbol in symbols:
        if symbol.name == kernel and symbol.type == elf.STT_FUNC:
            begin, end = symbol.value, symbol.value + symbol.size
    for line in code:
        if begin <= line.address < end and not line.text.startswith("s_code_end"):
            origin = origins.at(_TEXT, line.address) if origins is not None else None
            sass = origin[1] - 1 if origin is not None and origin[0].startswith(_SASS) else -1
            yield MachineLine(line.address - begin, line.text, sass)


def _sources(places: set[tuple[str, int]]) -> Iterator[Source]:
    for file in sorted({file for file, _ in places}):
        numbers = sorted(number for name, number in places if name == file)
        first, last = max(numbers[0] - _AROUND, 1), numbers[-1] + _AROUND
        try:
            text = Path(file).read_text(errors="replace").splitlines()
        except OSError:
            yield Source(file, first, ())
            continue
        last = min(last, len(text), first + _LONGEST_SOURCE)
        yield Source(file, first, tuple(text[first - 1 : last]))


# Text ------------------------------------------------------------------------------------------------------------
def as_text(report: Report) -> list[str]:
    """For the terminal."""
    said = [f"{report.file}: {len(report.kernels)} kernels, {len(report.refused)} refused"]
    for kernel in report.kernels:
        said += ["", *_kernel_text(kernel)]
    said += [f"refused    {demangle(r.kernel)} ({r.sm}): {r.reason}" for r in report.refused]
    return said


def _kernel_text(kernel: Kernel) -> Iterator[str]:
    record = {"sm": kernel.sm, "kernels": [kernel.verdict]}
    yield from contents.verdict_lines([record])
    for name, value in kernel.facts.items():
        yield f"    {name:<22} {value}"
    made: dict[int, list[MachineLine]] = {}
    for line in kernel.machine:
        made.setdefault(line.sass, []).append(line)
    texts = {(s.file, s.first + k): text for s in kernel.sources for k, text in enumerate(s.lines)}
    before: tuple[str, int] | None = None
    starts = {node.start for node in kernel.graph}
    for sass in kernel.sass:
        if sass.address in starts and sass.address:
            yield f"  {'-' * 56}"
        if sass.place is not None and sass.place != before:
            file, number = sass.place
            yield f"  {file}:{number}: {texts.get(sass.place, '').strip()}"
        before = sass.place
        others = made.get(sass.address, [])
        left = f"    {sass.address:04x}  {sass.text}"
        for k in range(max(len(others), 1)):
            right = f" | {others[k].address:04x}  {others[k].text}" if k < len(others) else ""
            yield f"{left if not k else '':<60}{right}".rstrip()
    if -1 in made:
        yield "  of no one instruction:"
        for line in made[-1]:
            yield f"{'':<60} | {line.address:04x}  {line.text}"


def profiles(path: str) -> dict[str, dict[str, Any]]:
    """By mangled name, from the file of ``cassc run --profile=json:FILE``. Raises CasscError ``inspect-profile``."""
    try:
        found = json.loads(Path(path).read_text())
        return {entry["kernel"]: entry for entry in found}
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise diag.error("inspect-profile", "not a profile in JSON", Location(file=path)) from problem


def digest(report: Report) -> str:
    """Identifies a file's content in the page's title."""
    return hashlib.sha256(Path(report.file).read_bytes()).hexdigest()[:12]

"""``cassc bench``: engines on the same kernels, by what the checker says and by instructions on the emulator."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cassc import diag
from cassc.amdgpu.emulator import Emulator, Module
from cassc.diag import CasscError, Diagnostic, Location
from cassc.driver import pairs
from cassc.engines import cascade
from cassc.engines.cascade import ModuleResult, TranslateOptions
from cassc.image import cubin as cubin_image
from cassc.image.cubin import Cubin
from cassc.sass import disasm
from cassc.sass.disasm import SassFunction
from cassc.target import DEFAULT_TARGET
from cassc.verify import execute
from cassc.verify.oracle import Case, Oracle

_LAUNCHES = 3
_LIMIT = 4_000_000
"""Wave-instructions of a launch."""


@dataclass(frozen=True, slots=True)
class Result:
    """One kernel by one engine.

    Attributes:
        status: the verdict's, or ``refused``.
        reason: why it is not accepted.
        instructions: wave-instructions of the launches that all engines' translations ran; 0 if there were none.
    """

    kernel: str
    engine: str
    status: str
    reason: str = ""
    instructions: int = 0

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def compare(path: str, engines: Sequence[str], seconds: float) -> list[Result]:
    """Every kernel of the cubins in a file, by every engine. Raises CasscError."""
    results: list[Result] = []
    for data in pairs.cubins(path):
        parsed = cubin_image.parse(data)
        made = {name: _translated(data, name, seconds) for name in engines}
        for function in disasm.disassemble(parsed).functions:
            results += _kernel(function, parsed, made)
    if not results:
        raise diag.error("bench-nothing", "there is no kernel in the file", Location(file=path))
    return results


def _translated(data: bytes, engine: str, seconds: float) -> ModuleResult | CasscError:
    options = TranslateOptions(check_seconds=seconds, skip_refused=True)
    try:
        return cascade.translate_module(data, [DEFAULT_TARGET], options, cascade.engines_named([engine]))
    except CasscError as problem:
        return problem


def _kernel(function: SassFunction, cubin: Cubin, made: Mapping[str, ModuleResult | CasscError]) -> Iterator[Result]:
    found: dict[str, Result] = {}
    for engine, result in made.items():
        if isinstance(result, CasscError):
            found[engine] = Result(function.name, engine, "refused", result.diagnostics[0].message)
            continue
        verdict = next((v for v in result.verdicts if v.kernel == function.name), None)
        if verdict is None:
            found[engine] = Result(function.name, engine, "refused", _why(result.refused, function.name))
        else:
            found[engine] = Result(function.name, engine, verdict.status.value, verdict.reason)
    usable = {e: r for e, r in made.items() if isinstance(r, ModuleResult) and found[e].status != "refused"}
    counts = _emulated(function, cubin, {e: r.code_objects[DEFAULT_TARGET.name] for e, r in usable.items()})
    for engine, said in found.items():
        yield Result(said.kernel, engine, said.status, said.reason, counts.get(engine, 0))


def _why(refused: Sequence[Diagnostic], kernel: str) -> str:
    return next((d.message for d in refused if d.location.kernel == kernel), "")


def _emulated(function: SassFunction, cubin: Cubin, code_objects: Mapping[str, bytes]) -> dict[str, int]:
    """Wave-instructions of each translation in the first launches that can be generated."""
    if not code_objects:
        return {}
    with Emulator(DEFAULT_TARGET) as emulator:
        modules = {engine: emulator.load(data) for engine, data in code_objects.items()}
        oracle = Oracle(function, cubin, emulator, next(iter(modules.values())))
        totals = dict.fromkeys(modules, 0)
        for case in itertools.islice(oracle.cases(0.5, keep=True), _LAUNCHES):
            for engine, module in modules.items():
                totals[engine] += _run(oracle, module, case)
    return totals


def _run(oracle: Oracle, module: Module, case: Case) -> int:
    variables = execute.place_variables(oracle.cubin, oracle.emulator, module, oracle.services)
    before = oracle.emulator.instruction_count()
    kernel = module.kernels[oracle.function.name]
    execute.on_emulator(
        oracle.emulator, module, kernel, case.launch, case.addresses, variables, max_instructions=_LIMIT
    )
    return oracle.emulator.instruction_count() - before


def lines(results: Sequence[Result]) -> Iterator[str]:
    """A table, and a line for each engine."""
    width = max((len(r.kernel) for r in results), default=0)
    for r in results:
        detail = f"{r.instructions:>9} instructions" if r.instructions else ""
        yield f"{r.kernel:<{width}}  {r.engine:<6} {r.status:<10} {detail or r.reason}".rstrip()
    for engine in dict.fromkeys(r.engine for r in results):
        own = [r for r in results if r.engine == engine]
        accepted = sum(r.status == "accepted" for r in own)
        yield f"{engine}: {accepted} of {len(own)} accepted, {sum(r.instructions for r in own)} instructions emulated"

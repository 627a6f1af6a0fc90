"""The symbolic engine: SASS to LLVM IR by the rows of the instruction table."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from cassc.diag import CasscError, Diagnostic, Severity
from cassc.engines.base import Request, Support, Translation, Unsupported
from cassc.lift.lift import lift_kernel
from cassc.sass.disasm import SassFunction
from cassc.sass.row import Instruction


class LiftEngine:
    name: ClassVar[str] = "lift"
    strict: ClassVar[bool] = False

    def __init__(self, *, exact_math: bool = False) -> None:
        """``exact_math``: MUFU and HMMA give the bits of an H100, by many instructions."""
        self.exact_math = exact_math

    def supports(self, request: Request) -> Support:
        """Every word has a row, and every row a meaning or a control kind that the lifter knows."""
        function = request.function
        reasons = [_in_file(d, request, d.location.address) for d in function.undecodable]
        reasons += [
            _in_file(_unsupported(function, instruction), request, instruction.address)
            for instruction in function.instructions
            if instruction.row.todo
        ]
        return Support(not reasons, tuple(reasons))

    def translate(self, request: Request) -> Translation:
        try:
            lifted = lift_kernel(request.function, request.cubin, exact=self.exact_math)
        except CasscError as problem:
            located = (_in_file(d, request, d.location.address) for d in problem.diagnostics)
            raise Unsupported(*located, status=problem.status) from problem
        return Translation(self.name, request.function.name, lifted)


def _unsupported(function: SassFunction, instruction: Instruction) -> Diagnostic:
    return Diagnostic(
        Severity.ERROR,
        "lift-unsupported",
        f"unsupported instruction: {instruction.row.todo}",
        function.location(instruction),
    )


def _in_file(diagnostic: Diagnostic, request: Request, address: int) -> Diagnostic:
    """The source line, where the cubin has line information."""
    if diagnostic.location.file or address < 0:
        return diagnostic
    line = request.cubin.line_at(*request.function.place(address))
    if line is None:
        return diagnostic
    file, number = line
    return replace(diagnostic, location=replace(diagnostic.location, file=file, line=number))

"""The engine of the compact model that comes with cassc: answers are guesses, so only checked ones are used."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import ClassVar

from cassc.diag import CasscError, Diagnostic, Location, Severity
from cassc.engines.base import Request, Support, Translation, Unsupported
from cassc.lift import calls
from cassc.model.finish import finish
from cassc.model.generate import SHIPPED, prepare, translator
from cassc.model.operations import Form
from cassc.sass import cfg
from cassc.verify.oracle import Case

MOST_INSTRUCTIONS = 3000


class ModelEngine:
    """Args:
    weights: file of the model.
    form: how its vector instructions are written.
    """

    name: ClassVar[str] = "model"
    strict: ClassVar[bool] = True
    attempts: ClassVar[int] = 16

    def __init__(self, weights: Path = SHIPPED, form: Form = Form.IR) -> None:
        self.weights = weights
        self.form = form

    def supports(self, request: Request) -> Support:
        """Every word decodes into tokens that the model has read in training."""
        function = request.function
        if function.undecodable:
            return Support(False, function.undecodable)
        task = prepare(function, request.cubin)
        at = {i.address: i for i in function.instructions}
        reasons = []
        if not 0 < len(task.source.addresses) <= MOST_INSTRUCTIONS:
            message = f"the kernel has not between 1 and {MOST_INSTRUCTIONS} instructions"
            location = Location(kernel=function.name, sm=function.arch.name)
            reasons.append(Diagnostic(Severity.ERROR, "model-unsupported", message, location))
        if calls.analyse(cfg.build(function)).shared:
            message = "the kernel calls a function that recurses, or through a pointer"
            location = Location(kernel=function.name, sm=function.arch.name)
            reasons.append(Diagnostic(Severity.ERROR, "model-unsupported", message, location))
        for position, token in translator(self.weights).unknown(task.source).items():
            location = function.location(at[task.source.addresses[position]])
            message = f"the model has never read '{token}'"
            reasons.append(Diagnostic(Severity.ERROR, "model-unsupported", message, location))
        return Support(not reasons, tuple(reasons[:1]))

    def translate(self, request: Request) -> Translation:
        """The most probable answer."""
        return next(self.candidates(request))

    def candidates(self, request: Request) -> Generator[Translation, Case | None, None]:
        """Distinct answers that can be finished, the most probable first; behind a launch that is sent, those that it
        does not speak against."""
        task = prepare(request.function, request.cubin)
        problem: CasscError | None = None
        count = 0
        answers = translator(self.weights).answers(task)
        shown: Case | None = None
        while True:
            try:
                answer = answers.send(shown)
            except StopIteration:
                break
            try:
                ir = finish(answer, task.abi, request.cubin, self.form)
            except CasscError as refusal:
                problem, shown = problem or refusal, None
                continue
            count += 1
            shown = yield Translation(self.name, request.function.name, ir)
        if not count and problem is not None:
            raise Unsupported(*problem.diagnostics) from problem

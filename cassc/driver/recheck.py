"""``cassc verify --run``: the checker on what a file holds, or on a cubin and a code object that a report names."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import cassc
from cassc import diag
from cassc.diag import Location
from cassc.driver import pairs
from cassc.driver.demangle import demangle
from cassc.driver.invocation import DEFAULT_CHECK_SECONDS
from cassc.driver.pairs import Pair
from cassc.image import cubin
from cassc.verify import recorded
from cassc.verify.nvidia import NvidiaWitness
from cassc.verify.recorded import Recording, Replay
from cassc.verify.verdict import Status, Verdict
from cassc.verify.witness import RecordedWitness, TranslationWitness, Witness

DEFAULT_RECORDED_SECONDS = 60.0
"""Real launches are longer than made-up ones."""


@dataclass(frozen=True, slots=True)
class Launches:
    """Which kernels and launches are run.

    Attributes:
        kernel: mangled or readable name, or the readable name up to its parameters; empty: all.
        seed: of the generated launches.
        attempt: the launch that is compared, None: as many as the time allows.
        seconds: work for each kernel, or each recorded launch; 0: the usual amount.
    """

    kernel: str = ""
    seed: int = 1
    attempt: int | None = None
    seconds: float = 0.0

    def match(self, name: str) -> bool:
        readable = demangle(name)
        return not self.kernel or self.kernel in (name, readable, readable.partition("(")[0])


@dataclass(frozen=True, slots=True)
class Request:
    """What is compared.

    Attributes:
        path: a built program, library or object, or a cubin; empty: what the recording holds.
        code_object: file with the translation of a cubin; empty: it is translated first.
        recording: file that ``cassc run --record`` wrote; its launches are compared then.
        on_nvidia: the original runs on an NVIDIA GPU, too.
        against: a file with other translations of the same kernels (by another engine, or another version), which run
            the same launches; empty for none.
    """

    path: str
    launches: Launches
    code_object: str = ""
    recording: str = ""
    on_nvidia: bool = False
    against: str = ""


def run(request: Request) -> list[dict[str, Any]]:
    """New verdicts, one record for each cubin and target, in the form of the embedded ones.

    Raises CasscError ``verify-nothing``, ``verify-no-kernel``, ``verify-bad-recording``, ``verify-no-nvidia``,
    ``verify-nvidia``.
    """
    recording = recorded.read(request.recording) if request.recording else None
    if request.path:
        found = pairs.of_file(request.path, request.code_object)
    else:
        found = pairs.of_recording(recording) if recording is not None else iter(())
    file = request.path or request.recording
    others = list(pairs.of_file(request.against)) if request.against else []
    records = [_record(pair, request, recording, others) for pair in found if pair.cubin]
    if not records:
        raise diag.error("verify-nothing", "no kernel in the file was translated by cassc", Location(file=file))
    if not any(record["kernels"] for record in records):
        what = f"no translated kernel '{request.launches.kernel}'" if request.launches.kernel else "no recorded launch"
        raise diag.error("verify-no-kernel", what, Location(file=file))
    return [record for record in records if record["kernels"]]


def _record(pair: Pair, request: Request, recording: Recording | None, others: Sequence[Pair]) -> dict[str, Any]:
    from cassc.sass.disasm import disassemble
    from cassc.verify.check import Checker

    parsed = cubin.parse(pair.cubin)
    launches = request.launches
    verdicts = []
    with Checker(parsed, pair.code_object, pair.target, seed=launches.seed) as checker:
        for function in disassemble(parsed).functions:
            name = function.name
            if not launches.match(name) or (pair.engines and name not in pair.engines):
                continue
            replays = _replays(pair, parsed, name, recording) if recording is not None else None
            if replays is not None and not replays:
                continue
            with ExitStack() as stack:
                witnesses: list[Witness] = [RecordedWitness(replays)] if replays else []
                witnesses += [
                    stack.enter_context(TranslationWitness(_called(other, name), other.code_object, other.target, name))
                    for other in others
                    if other.target == pair.target and name in other.engines
                ]
                if request.on_nvidia:
                    witnesses.append(stack.enter_context(NvidiaWitness(parsed, pair.cubin, name)))
                verdict = checker.check(
                    function,
                    pair.engines.get(name, "lift"),
                    seconds=launches.seconds or (DEFAULT_RECORDED_SECONDS if replays else DEFAULT_CHECK_SECONDS),
                    attempt=launches.attempt,
                    recorded=[replay.launch for replay in replays] if replays is not None else None,
                    witnesses=witnesses,
                )
                verdicts.append(_with_loss(verdict, witnesses))
    return {
        "cassc": cassc.__version__,
        "sm": parsed.arch.name,
        "cubin": hashlib.sha256(pair.cubin).hexdigest(),
        "targets": [pair.target.name],
        "kernels": [verdict.to_dict() for verdict in verdicts],
    }


def _called(other: Pair, kernel: str) -> str:
    return f"the other translation (engine {other.engines[kernel]})"


def _with_loss(verdict: Verdict, witnesses: Sequence[Witness]) -> Verdict:
    """A witness that was lost on the way says so: what went well in the interpreter and not on the GPU is a defect."""
    lost = [witness.lost for witness in witnesses if isinstance(witness, NvidiaWitness) and witness.lost]
    if not lost or verdict.status is not Status.ACCEPTED:
        return verdict
    return replace(verdict, status=Status.UNVERIFIED, reason="; ".join(lost))


def _replays(pair: Pair, parsed: cubin.Cubin, kernel: str, recording: Recording) -> list[Replay]:
    """The recorded launches of a kernel. A program may have been translated anew since: then names decide."""
    return [
        recorded.replay(launch, parsed, number)
        for number, launch in enumerate(recording.launches)
        if launch.kernel == kernel and launch.sm == parsed.arch.number and pair.container in ("", launch.container)
    ]

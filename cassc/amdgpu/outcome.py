"""What assembling gives, and how LLVM's failures are reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cassc import diag, reports


@dataclass(frozen=True, slots=True)
class Assembled:
    """A code object and how it came about.

    Attributes:
        code_object: ET_DYN ELF, ready for a loader.
        object: the relocatable object before linking.
        assembly, optimised_ir: empty unless asked for by ``keep``.
        times: seconds by step: parse, optimise, codegen, link.
        warnings: LLVM's, one line each.
    """

    code_object: bytes
    object: bytes = b""
    assembly: str = ""
    optimised_ir: str = ""
    times: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def _report(text: str, form: str, messages: str) -> diag.Diagnostic:
    """Write the input and LLVM's messages into a new folder; a note that names it."""
    folder = reports.folder()
    (folder / ("input.s" if form == "asm" else "input.ll")).write_text(text)
    (folder / "llvm.txt").write_text(messages + "\n")
    return diag.note(f"input and messages are in '{folder}'; please attach them to a bug report")


def failed(messages: str, text: str, form: str) -> diag.CasscError:
    """CasscError ``amdgpu-llvm-failed`` with the first lines of LLVM's own text."""
    lines = messages.strip().splitlines() or ["no message"]
    notes = [diag.note(f"LLVM: {line}") for line in lines[1:6]]
    return diag.error("amdgpu-llvm-failed", f"LLVM failed: {lines[0]}", notes=[*notes, _report(text, form, messages)])


def timed_out(timeout_s: float, text: str, form: str) -> diag.CasscError:
    """CasscError ``amdgpu-timeout``."""
    note = _report(text, form, f"no answer in {timeout_s:.3g} s of processor time")
    return diag.error("amdgpu-timeout", f"LLVM did not finish in {timeout_s:.3g} s of processor time", notes=[note])

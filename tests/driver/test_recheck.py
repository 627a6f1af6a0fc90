"""``cassc verify --run``: cubins and code objects checked again, and the command that a rejection prints."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble
from cassc.diag import CasscError
from cassc.driver import recheck, subcommands
from cassc.driver.recheck import Launches
from cassc.driver.recheck import Request as Recheck
from cassc.engines.base import Request, Support, Translation
from cassc.engines.cascade import TranslateOptions, translate_module
from cassc.engines.lift import LiftEngine
from cassc.target import DEFAULT_TARGET

CUBIN = Path(__file__).parents[1] / "engines" / "data" / "scale.sm_80.cubin"

pytestmark = pytest.mark.skipif(emulator.library_path() is None, reason="libcassc_emu.so is not built")


class Wrong(LiftEngine):
    """Adds where it should multiply."""

    def translate(self, request: Request) -> Translation:
        made = super().translate(request)
        body = made.ir.body.replace("= fmul float", "= fadd float")
        ir = type(made.ir)(made.ir.name, body, made.ir.globals, made.ir.declarations, made.ir.attributes)
        return Translation(self.name, made.kernel, ir)

    def supports(self, request: Request) -> Support:
        return Support(True)


def verify(*arguments: str) -> tuple[int, list[str]]:
    lines: list[str] = []
    status = subcommands.run(["verify", *arguments], lines.append)
    assert isinstance(status, int)
    return status, lines


def test_a_cubin_is_translated_and_checked() -> None:
    (record,) = recheck.run(Recheck(str(CUBIN), Launches(seconds=5.0)))
    assert record["sm"] == "sm_80"
    (kernel,) = record["kernels"]
    assert (kernel["kernel"], kernel["status"], kernel["engine"]) == ("scale", "accepted", "lift")
    assert kernel["launches"] > 3


def test_other_kernels_are_left_out() -> None:
    with pytest.raises(CasscError) as caught:
        recheck.run(Recheck(str(CUBIN), Launches(kernel="another")))
    assert [d.id for d in caught.value.diagnostics] == ["verify-no-kernel"]


def test_the_command_of_a_rejection_shows_it_again() -> None:
    with pytest.raises(CasscError) as caught:
        options = TranslateOptions(check_seconds=5.0)
        translate_module(CUBIN.read_bytes(), [DEFAULT_TARGET], options, [Wrong()])
    (error,) = caught.value.diagnostics
    command = error.notes[-1].message.removeprefix("to see it again: ")
    program, subcommand, *arguments = shlex.split(command)
    assert (program, subcommand) == ("cassc", "verify")
    status, lines = verify(*arguments)
    assert status == 1
    reason = error.message.partition("SASS: ")[2]
    assert lines[0].startswith("rejected   scale (sm_80 to gfx1100)") and reason in lines[0]
    assert "attempt" in lines[1] and "parameters" in lines[2]


def test_only_the_named_launch_is_compared(tmp_path: Path) -> None:
    status, lines = verify("--run", "--attempt", "4", "--json", str(CUBIN))
    assert status == 0
    (kernel,) = json.loads("\n".join(lines))[0]["kernels"]
    assert kernel["launches"] == 1


def test_a_code_object_without_the_kernel_is_rejected(tmp_path: Path) -> None:
    other = tmp_path / "other.hsaco"
    other.write_bytes(
        assemble('target triple = "amdgcn-amd-amdhsa"\ndefine amdgpu_kernel void @k() { ret void }', DEFAULT_TARGET)
    )
    status, lines = verify("--run", "--code-object", str(other), str(CUBIN))
    assert status == 1
    assert "does not hold the kernel" in lines[0]

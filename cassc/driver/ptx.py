"""PTX without SASS: NVIDIA's ptxas, where it is installed, makes the cubin that is then translated like any other."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from cassc import diag, toolchain
from cassc.diag import Location
from cassc.target import DEFAULT_SM, SmArch


def architecture(ptx: SmArch, newest: SmArch) -> SmArch | None:
    """What to compile PTX for: the default where the PTX allows it, else its own; None where that is too new."""
    if ptx.suffix != "a" and ptx.number <= DEFAULT_SM.number:
        return DEFAULT_SM
    return ptx if ptx.number <= newest.number else None


def compile_text(text: str, arch: SmArch, title: str) -> bytes:
    """A cubin for ``arch``. ``title`` is how messages name the fat binary.

    Raises CasscError ``device-no-ptxas`` where there is no ptxas, ``device-bad-ptx`` with its own words where it fails.
    """
    nvcc = toolchain.find().nvcc
    tool = nvcc.root / "bin" / "ptxas" if nvcc else None
    if tool is None or not tool.is_file():
        raise diag.error(
            "device-no-ptxas",
            "the fat binary holds no SASS, only PTX, and NVIDIA's ptxas, which would compile it, is not installed",
            Location(file=title),
            [diag.note(f"to install it: {toolchain.load('cuda')['mend']['missing']}")],
        )
    with tempfile.TemporaryDirectory(prefix="cassc-ptx-") as folder:
        source, made = Path(folder, "module.ptx"), Path(folder, "module.cubin")
        source.write_text(text)
        command = [str(tool), f"-arch=sm_{arch.number}{arch.suffix}", str(source), "-o", str(made)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not made.is_file():
            said = (done.stderr or done.stdout).replace(f"{source}", "PTX").strip().splitlines()
            reason = said[0] if said else f"exit status {done.returncode}"
            notes = [diag.note(line) for line in said[1:4]]
            raise diag.error("device-bad-ptx", f"ptxas cannot compile the PTX: {reason}", Location(file=title), notes)
        return made.read_bytes()

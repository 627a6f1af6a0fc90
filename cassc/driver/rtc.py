"""NVRTC by nvcc: what cassc's libnvrtc (``shims/nvrtc``) asks for in a child process, through a folder.

The folder holds ``source.cu``, ``name`` (of the program, for messages), ``options`` and ``expressions`` (one a line),
and ``headers/``; ``log``, ``ptx``, ``cubin`` (for a real architecture) and ``lowered`` (one name a line) are written.

NVRTC compiles device code alone; here nvcc compiles a source with both sides, so code that must not see the host's
headers, or that relies on ``__CUDACC_RTC__``, may be refused.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cassc import toolchain
from cassc.diag import CasscError, render
from cassc.driver import libraries, toolkit

INVALID_OPTION, COMPILATION = 5, 6
"""Exit statuses: numbers of nvrtcResult."""

_DEFAULT_ARCHITECTURE = "compute_75"
_DEFAULT_DEVICE = ("--device-as-default-execution-space", "-default-device")
"""nvcc has no such option: an unmarked function that a kernel calls is an error, unless it is constexpr."""

_WITHOUT_EFFECT = (
    *_DEFAULT_DEVICE,
    "--minimal",
    "-minimal",
    "--no-cache",
    "-no-cache",
    "--device-int128",
    "-device-int128",
)
_REFUSED = {
    "--dlink-time-opt": "link-time optimisation",
    "-dlto": "link-time optimisation",
    "--gen-opt-lto": "link-time optimisation",
    "--optix-ir": "OptiX",
    "-optix-ir": "OptiX",
    "--pch": "precompiled headers",
    "-pch": "precompiled headers",
}
_ARCHITECTURE = re.compile(r"(?:--gpu-architecture|-arch)(?:=(.*))?")


@dataclass(frozen=True, slots=True)
class Options:
    """Attributes:
    architecture: ``compute_80`` or ``sm_80``.
    words: what nvcc is given besides.
    refused: the first option that cannot be honoured, and why; empty if there is none.
    """

    architecture: str
    words: tuple[str, ...]
    refused: str = ""


def read_options(given: Sequence[str]) -> Options:
    """NVRTC's options are nvcc's but for some."""
    architecture, words = _DEFAULT_ARCHITECTURE, []
    rest = iter(given)
    for word in rest:
        if found := _ARCHITECTURE.fullmatch(word):
            architecture = found[1] or next(rest, "")
        elif word in _REFUSED:
            return Options(architecture, (), f"option '{word}' ({_REFUSED[word]}) is not supported")
        elif word not in _WITHOUT_EFFECT:
            words.append(word)
        if word in _DEFAULT_DEVICE:
            words.append("--expt-relaxed-constexpr")
    if not re.fullmatch(r"(?:compute|sm)_\d+[af]?", architecture):
        return Options(architecture, (), f"invalid value '{architecture}' for --gpu-architecture")
    return Options(architecture, tuple(words))


def compile_folder(folder: Path) -> int:
    """The exit status: 0, or one of the above. Whatever goes wrong is in ``log``."""
    options = read_options((folder / "options").read_text().splitlines())
    log = folder / "log"
    if options.refused:
        log.write_text(f"cassc: error: {options.refused}\n")
        return INVALID_OPTION
    expressions = (folder / "expressions").read_text().splitlines()
    try:
        nvcc = toolchain.find().require_nvcc()
    except CasscError as problem:
        log.write_text("".join(f"{render(diagnostic)}\n" for diagnostic in problem.diagnostics))
        return COMPILATION
    source = folder / "source.cu"
    text = source.read_text(errors="surrogateescape")
    # A host function that takes the address of a kernel has it instantiated; a variable of the device shows its name.
    uses = "".join(f"\nstatic const void* __cassc_use_{i} = (const void*)({e});" for i, e in enumerate(expressions))
    names = "".join(
        f'\nextern "C" __device__ const void* __cassc_name_{i} = (const void*)({e});' for i, e in enumerate(expressions)
    )
    source.write_text(f"{text}\n{uses}\n", errors="surrogateescape")
    named = folder / "named.cu"
    named.write_text(f"{text}\n{names}\n", errors="surrogateescape")
    virtual = options.architecture.replace("sm_", "compute_")
    include = toolkit.include(nvcc)
    folders = [f"-I{folder / 'headers'}", *(f"-I{own}" for own in libraries.missing_headers(include))]

    def run(mode: str, arch: str, what: Path, made: str) -> bool:
        command = [str(nvcc.path), mode, f"-arch={arch}", *options.words, *folders, "-o", str(folder / made), str(what)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, cwd=folder)
        said = (done.stderr + done.stdout).replace(str(what), (folder / "name").read_text())
        with log.open("a") as out:
            out.write(said)
        return done.returncode == 0

    if not run("-ptx", virtual, source, "ptx"):
        return COMPILATION
    if options.architecture.startswith("sm_") and not run("-cubin", options.architecture, source, "cubin"):
        return COMPILATION
    if expressions:
        said = log.read_text()
        if not run("-ptx", virtual, named, "named.ptx"):
            return COMPILATION
        log.write_text(said)  # the same warnings once more
        found = dict(
            re.findall(r"__cassc_name_(\d+) = (?:generic\()?([\w$.]+)\)?;", (folder / "named.ptx").read_text())
        )
        (folder / "lowered").write_text("".join(f"{found.get(str(i), '')}\n" for i in range(len(expressions))))
    return 0

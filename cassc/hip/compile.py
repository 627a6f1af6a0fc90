"""One CUDA source to a host object with code objects inside, by clang alone.

Device code is compiled as HIP for each AMD target; the host's side as CUDA, so that its object registers with the CUDA
runtime as nvcc's do. A unit with ``__managed__`` variables, which clang has in HIP only, or with rocThrust's headers,
which are written for HIP, has its host side compiled as HIP too (see ``include/cassc/managed.h``).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from cassc import diag
from cassc.diag import CasscError, Diagnostic, Severity
from cassc.hip import overlay as overlay_module
from cassc.hip import rocthrust
from cassc.hip.explain import explain, without_refusals
from cassc.hip.overlay import Overlay, Repairs
from cassc.hip.tools import SourceTools, find_cccl, find_rocthrust, include_folder, library_folders
from cassc.hip.unit import Unit, host_options
from cassc.image import elf
from cassc.target import DEFAULT_TARGET, Target

_EMPTY_CONTAINER = bytes.fromhex("50ed55ba0100100000000000 00000000")
"""A fat binary's header, and no entry: the code objects are embedded once both sides are compiled."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """``object``: the host's, its fat binary empty. ``output``: what clang printed."""

    object: bytes
    code_objects: Mapping[str, bytes]
    remarks: tuple[Diagnostic, ...]
    output: str


class CompilerFailed(CasscError):
    """clang refused the source; ``output`` is what it printed, the user's places in it, without what the diagnostics
    say better."""

    def __init__(self, status: int, output: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(*diagnostics, status=status)
        self.output = output

    @property
    def first(self) -> str:
        """The first error, in one line."""
        lines = [*self.output.splitlines(), *(diag.render(told).partition("\n")[0] for told in self.diagnostics)]
        return next((line for line in lines if "error:" in line), "clang refuses the source")


@dataclass(frozen=True, slots=True)
class Options:
    """nvcc's arguments in clang's words."""

    both: tuple[str, ...]
    host: tuple[str, ...]
    device: tuple[str, ...]
    remarks: tuple[Diagnostic, ...]


_SDK = "-target-sdk-version=12.3"
"""From this version on clang registers and launches as the CUDA runtime of today expects."""

_PER_THREAD = "-DCUDA_API_PER_THREAD_DEFAULT_STREAM"

_AS_LENIENT = (
    *("-Wno-c++11-narrowing", "-Wno-register", "-Wno-reserved-user-defined-literal", "-Wno-invalid-constexpr"),
    *("-fconstexpr-steps=33554432", "-fbracket-depth=1024"),
)
"""Of clang's errors those that are warnings of nvcc and g++ (``dim3{n, 1}`` of an int, ``register``, ``"%"PRIu64``),
and g++'s limits where clang's are lower."""
_MOST_REPAIRS = 4
"""Times that a unit is compiled: clang stops behind some errors, and then has not told of all."""
_OPENMP = "-fopenmp"
_TAKEN = {"-D": "-D{}", "-U": "-U{}", "-I": "-I{}", "-std": "-std={}"}
_PAIRS = {"-isystem", "-include"}
_FLAGS = {
    "-w": ("-w",),
    "-g": ("-g",),
    "-G": ("-g", "-D__CUDACC_DEBUG__"),
    "-ewp": ("-D__CUDACC_EWP__",),
    "-extended-lambda": ("-D__CUDACC_EXTENDED_LAMBDA__",),
    "-expt-extended-lambda": ("-D__CUDACC_EXTENDED_LAMBDA__",),
    "-expt-relaxed-constexpr": ("-D__CUDACC_RELAXED_CONSTEXPR__",),
    "-lineinfo": ("-gline-tables-only",),
    "-noeh": ("-fno-exceptions",),
    "-pg": ("-pg",),
}
_FAST = ("-fgpu-flush-denormals-to-zero", "-fno-hip-fp32-correctly-rounded-divide-sqrt", "-fgpu-approx-transcendentals")
_DEVICE = {
    ("-use_fast_math", ""): _FAST,
    ("-ftz", "true"): ("-fgpu-flush-denormals-to-zero",),
    ("-prec-div", "false"): ("-fno-hip-fp32-correctly-rounded-divide-sqrt",),
    ("-prec-sqrt", "false"): ("-fno-hip-fp32-correctly-rounded-divide-sqrt",),
    ("-fmad", "false"): ("-ffp-contract=off",),
}
_NOTHING = frozenset(
    """-m64 -no-compress -src-in-ptx -res-usage
    -Wno-deprecated-gpu-targets -allow-unsupported-compiler -err-no -no-err-no -opt-info -nohdinitlist -nohdmoveforward
    -extra-device-vectorization -forward-unknown-to-host-compiler -forward-unknown-opts -keep-device-functions -objtemp
    -noprof -restrict --no-align-double -Wreorder -Wdefault-stream-launch -Wmissing-launch-bounds
    -Wext-lambda-captures-this""".split()
)
_NOTHING_VALUED = frozenset(
    """-arch -code -gencode -m -ccbin -Xptxas -Ofc -dopt -maxrregcount -jtd -time -split-compile -compress-mode -ldir
    -target-dir -diag-suppress -diag-warn -diag-error -brief-diag -Werror -frandom-seed -e -static-global-template-stub
    -device-entity-has-hidden-visibility -Xcudafe -Xnvlink -Xfatbin -Xarchive -Xcicc""".split()
)


def options(arguments: Sequence[str]) -> Options:
    """Raises CasscError ``source-option`` for what would change a program's meaning and has no counterpart."""
    both: list[str] = []
    host: list[str] = []
    device: list[str] = []
    remarks: list[Diagnostic] = []
    optimise = "-O3"
    rest = iter(arguments)
    for word in rest:
        if word in _TAKEN:
            both.append(_TAKEN[word].format(next(rest, "")))
        elif word in _PAIRS:
            both += [word, next(rest, "")]
        elif word == "-O":
            optimise = f"-O{next(rest, '3')}"
        elif word in _FLAGS:
            both += _FLAGS[word]
        elif word == "-Xcompiler":
            host += host_options(next(rest, ""))
        elif word == "-Wno-deprecated-declarations":
            both.append(word)
        elif word in ("-ftemplate-depth", "-ftemplate-backtrace-limit"):
            both.append(f"{word}={next(rest, '')}")
        elif word == "-use_fast_math":
            device += [flag for flag in _FAST if flag not in device]
        elif word in ("-ftz", "-prec-div", "-prec-sqrt", "-fmad"):
            device += [flag for flag in _DEVICE.get((word, next(rest, "")), ()) if flag not in device]
        elif word == "-rdc":
            if next(rest, "") == "true":  # device code of another file is refused when the code object is linked
                both.append("-D__CUDACC_RDC__")
        elif word == "-default-stream":
            if next(rest, "") == "per-thread":
                both.append(f"{_PER_THREAD}=1")
        elif word in _NOTHING_VALUED:
            value = next(rest, "")
            if word in ("-maxrregcount", "-Xptxas"):
                remarks.append(_no_effect(f"{word} {value}"))
        elif word not in _NOTHING:
            host.append(word)  # nvcc's -forward-unknown-to-host-compiler
    if _OPENMP in host:
        # What clang makes of directives calls a runtime of its own; the functions are those of g++'s.
        host = [word for word in host if word != _OPENMP]
        both += ["-isystem", str(include_folder() / "openmp")]
        message = "OpenMP's directives in host code are ignored: loops run on one thread"
        remarks.append(Diagnostic(Severity.WARNING, "source-openmp", message))
    return Options((*both, optimise), tuple(host), tuple(device), tuple(remarks))


def _no_effect(text: str) -> Diagnostic:
    message = f"option '{text}' has no effect on code that is compiled from source: it speaks to NVIDIA's assembler"
    return Diagnostic(Severity.REMARK, "source-option", message)


def compile_unit(unit: Unit, tools: SourceTools, targets: Sequence[Target]) -> Compiled:
    """Raises CompilerFailed with clang's own words, CasscError for options and files."""
    asked = options(unit.arguments)
    names = _read(unit, tools)
    behind = _behind()
    files = [name for name in names if str(name) not in behind]
    as_hip = len(files) < len(names)
    with tempfile.TemporaryDirectory(prefix="cassc-source-") as name:
        folder = Path(name)
        wanted = Repairs()
        for _ in range(_MOST_REPAIRS):
            overlay = overlay_module.make(files, folder, wanted, as_hip=as_hip)
            made = _compiled(unit, tools, asked, targets, overlay, folder)
            known = wanted
            wanted |= overlay_module.repairs("".join(output for _, output in made.results))
            if wanted == known:
                break
        if any(status for status, _ in made.results):
            # Without what only makes the arguments' order g++'s: clang's words are about the user's own text then.
            overlay = overlay_module.make(files, folder, wanted, ordered=False, as_hip=as_hip)
            made = _compiled(unit, tools, asked, targets, overlay, folder)
        printed: list[str] = []
        for status, output in made.results:
            if output and output not in printed:
                printed.append(output)
            if status:
                told = explain(output, unit.source, overlay.refused)
                raise CompilerFailed(status, without_refusals(output), told)
        code_objects = {name: path.read_bytes() for name, path in made.code_objects.items()}
        image = made.host.read_bytes()
        remarks = (*asked.remarks, *overlay.waiting)
        return Compiled(as_cuda(image) if overlay.as_hip else image, code_objects, remarks, "".join(printed))


@dataclass(frozen=True, slots=True)
class _Products:
    """``results``: status and words of clang for the host's side, and for each target."""

    results: Sequence[tuple[int, str]]
    host: Path
    code_objects: Mapping[str, Path]


def _compiled(
    unit: Unit, tools: SourceTools, asked: Options, targets: Sequence[Target], overlay: Overlay, folder: Path
) -> _Products:
    host, empty = folder / "host.o", folder / "empty.fatbin"
    empty.write_bytes(_EMPTY_CONTAINER)
    products = {target.name: folder / f"{target.name}.hsaco" for target in targets}
    commands = [host_command(unit, tools, asked, overlay, empty, host)]
    commands += [device_command(unit, tools, asked, overlay, t, products[t.name]) for t in targets]
    with ThreadPoolExecutor(max_workers=len(commands)) as pool:
        return _Products(list(pool.map(_start, commands)), host, products)


def common(unit: Unit, asked: Options, overlay: Overlay) -> list[str]:
    """What both sides are compiled with."""
    major, minor, build = unit.cuda
    words = [
        *("-isystem", str(include_folder()), "-include", "cuda_runtime.h", "-fdeclspec"),
        *(word for folder in library_folders() for word in ("-isystem", str(folder))),
        *("-D__CUDACC__", "-D__NVCC__", f"-D__CUDACC_VER_MAJOR__={major}", f"-D__CUDACC_VER_MINOR__={minor}"),
        *(
            f"-D__CUDACC_VER_BUILD__={build}",
            f"-DCASSC_CUDART_MAJOR={unit.cudart}",
            f"-D__CUDA_ARCH_LIST__={unit.sm * 10}",
        ),
        "-D__NVCC_DIAG_PRAGMA_SUPPORT__=1",
        # CCCL has a C++ interface to all of NVTX and of FP8, where it sees the headers.
        *("-isystem", str(include_folder() / "nvtx"), "-DCCCL_DISABLE_NVTX"),
        *("-DCCCL_DISABLE_NVFP8_SUPPORT", "-DCCCL_DISABLE_FP8_SUPPORT"),
        *("-Wno-unknown-cuda-version", "-Wno-unused-command-line-argument", "-Wno-unknown-warning-option"),
        *_AS_LENIENT,
    ]
    if not any(word.startswith("-std=") for word in asked.both):
        words.append("-std=gnu++17")
    headers = find_rocthrust()
    if headers is not None:
        words += rocthrust.lay(headers).words()
    cccl = find_cccl()
    if cccl is not None:
        words += ["-isystem", str(cccl)]
    return [*words, *overlay.words(), *asked.both]


def device_command(
    unit: Unit, tools: SourceTools, asked: Options, overlay: Overlay, target: Target, output: Path
) -> list[str]:
    return [
        *(
            str(tools.clang.path),
            "-x",
            "hip",
            "--cuda-device-only",
            "--no-gpu-bundle-output",
            f"--offload-arch={target.name}",
        ),
        *("-nogpuinc", f"--rocm-device-lib-path={tools.device_libraries}", "-mcode-object-version=5"),
        *("-fno-strict-float-cast-overflow", f"-D__CUDA_ARCH__={unit.sm * 10}"),
        # nvcc's device compiler draws no conclusions from types, and CUDA code reads words as others.
        "-fno-strict-aliasing",
        # As for lifted code: accesses are aligned, so that one that is not is a fault, as in CUDA.
        *("-Xclang", "-target-feature", "-Xclang", "-unaligned-access-mode"),
        "-DCASSC_ROCM_DEVICE=1",
        *common(unit, asked, overlay),
        *asked.device,
        *("-cuid=" + _identity(unit), str(unit.source), "-o", str(output)),
    ]


def host_command(
    unit: Unit, tools: SourceTools, asked: Options, overlay: Overlay, container: Path, output: Path
) -> list[str]:
    if overlay.as_hip:
        language = ["-x", "hip", "--cuda-host-only", "-nogpuinc", "-nogpulib", "--offload-arch=gfx1100"]
        language.append("-DCASSC_HOST_MANAGED")
    else:
        language = ["-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "--offload-arch=sm_80"]
        language += ["-Xclang", _SDK]
    return [
        *(str(tools.clang.path), *language, "-Xclang", "-fcuda-include-gpubinary", "-Xclang", str(container)),
        *common(unit, asked, overlay),
        *asked.host,
        *("-cuid=" + _identity(unit), "-c", str(unit.source), "-o", str(output)),
    ]


def _identity(unit: Unit) -> str:
    """Names static variables of the unit alike on both sides."""
    import hashlib

    text = json.dumps([os.path.abspath(unit.source), *unit.arguments])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def dependencies(unit: Unit, tools: SourceTools) -> list[Path]:
    """Every file that either side reads, the source first. Raises CompilerFailed."""
    behind = _behind()
    return list(dict.fromkeys(behind.get(str(name), name) for name in _read(unit, tools)))


def _behind() -> Mapping[str, Path]:
    headers = find_rocthrust()
    return rocthrust.lay(headers).behind if headers else {}


def _read(unit: Unit, tools: SourceTools) -> list[Path]:
    """The files by the names under which clang sees them."""
    asked = options(unit.arguments)
    found: dict[Path, None] = {}
    nothing = Path(os.devnull)
    host = host_command(unit, tools, asked, Overlay(None), nothing, nothing)
    device = device_command(unit, tools, asked, Overlay(None), DEFAULT_TARGET, nothing)
    for command in (host, device):
        words = [word for word in command if word not in ("-c", "-o", str(nothing), "--no-gpu-bundle-output")]
        if command is host:
            words = [word for word in words if word not in ("-Xclang", "-fcuda-include-gpubinary", _SDK)]
        status, output, text = _capture([*words, "-M", "-MT", "x"])
        if status:
            raise CompilerFailed(status, output, explain(output, unit.source))
        for name in re.split(r"(?<!\\)\s+", text.replace("\\\n", " ").partition(":")[2].strip()):
            if name:
                found[Path(name.replace("\\ ", " "))] = None
    root = str(include_folder())  # ".." between folders that are not there
    return [Path(os.path.normpath(path)) if str(path).startswith(root) else path for path in found]


def as_cuda(data: bytes) -> bytes:
    """A host object that clang made for HIP, with the section names and the mark by which CUDA's are known."""
    image = bytearray(data)
    file = elf.parse(data)
    for old, new in ((b".hipFatBinSegment\0", b".nvFatBinSegment\0\0"), (b".hip_fatbin\0", b".nv_fatbin\0\0")):
        start = image.find(old)
        while start >= 0:
            image[start : start + len(old)] = new
            start = image.find(old)
    segment = file.find(".hipFatBinSegment")
    if segment is not None:
        image[segment.offset : segment.offset + 4] = (0x466243B1).to_bytes(4, "little")
    return bytes(image)


def _start(command: Sequence[str]) -> tuple[int, str]:
    status, errors, _ = _capture(command)
    return status, errors


def _capture(command: Sequence[str]) -> tuple[int, str, str]:
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as problem:
        raise diag.error("tool-not-started", f"cannot start '{command[0]}': {problem.strerror}") from problem
    return done.returncode if done.returncode >= 0 else 128 - done.returncode, done.stderr, done.stdout

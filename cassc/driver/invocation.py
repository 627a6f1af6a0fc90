"""Command line to a frozen :class:`Invocation`; knows the option table, and nothing of the machine.

Errors here are :class:`CommandLineError`, which the front prints in nvcc's words (``nvcc fatal   : ...``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from cassc.diag import Diagnostic, Severity
from cassc.driver import architectures, arguments
from cassc.driver.arguments import CommandLine, CommandLineError
from cassc.driver.options import BY_SPELLING, DEFAULT_ENGINES, OWN, Use
from cassc.hip.unit import host_options
from cassc.target import DEFAULT_SM, DEFAULT_TARGET, TARGETS, Target

DEFAULT_CHECK_SECONDS = 1.5


class Phase(Enum):
    """Where the compilation stops. NVCC: a product of nvcc alone, made by nvcc from the same command line. CONVERT: one
    linked file is rewritten. RUN: one is started."""

    LINK = "link"
    COMPILE = "compile"
    DEVICE_LINK = "device-link"
    ARCHIVE = "lib"
    NVCC = "nvcc"
    HELP = "help"
    VERSION = "version"
    LIST = "list"
    CONVERT = "convert"
    RUN = "run"


_TEXT_PHASES = ("preprocess", "ptx", "cubin", "fatbin", "cuda")
_PHASES: tuple[tuple[Phase, tuple[str, ...]], ...] = (
    (Phase.HELP, ("help",)),
    (Phase.VERSION, ("version",)),
    (Phase.LIST, ("list-gpu-arch", "list-gpu-code")),
    (
        Phase.NVCC,
        ("generate-dependencies", "generate-nonsystem-dependencies", "fdevice-syntax-only", *_TEXT_PHASES),
    ),
    (Phase.COMPILE, ("compile", "device-c", "device-w")),
    (Phase.DEVICE_LINK, ("device-link",)),
    (Phase.ARCHIVE, ("lib",)),
)
_HOST_SPELLING = {
    "define-macro": "-D",
    "undefine-macro": "-U",
    "include-path": "-I",
    "system-include": "-isystem",
    "pre-include": "-include",
    "std": "-std=",
    "optimize": "-O",
    "disable-warnings": "-w",
}
_IN_LINK = (
    "'--device-link (-dlink)', '--cubin (-cubin) --device-link (-dlink)', "
    "or '--fatbin (-fatbin) --device-link (-dlink)'"
)
_ALLOWED = {
    ".ptx": f"'--cubin (-cubin)', '--fatbin (-fatbin)', '--device-c (-dc)', {_IN_LINK}",
    ".cubin": f"'--fatbin (-fatbin)', '--device-c (-dc)', {_IN_LINK}",
    ".fatbin": _IN_LINK,
}
"""What nvcc says of files of device code."""


class Kind(Enum):
    CUDA = "cu"
    C = "c"
    CXX = "c++"
    OBJECT = "object"
    ARCHIVE = "archive"
    SHARED = "shared library"
    PROGRAM = "program"
    ASSEMBLY = "assembly"
    DEVICE = "device code"

    @property
    def is_source(self) -> bool:
        return self in (Kind.CUDA, Kind.C, Kind.CXX, Kind.ASSEMBLY)


_KINDS = {
    ".cu": Kind.CUDA,
    ".c": Kind.C,
    ".cc": Kind.CXX,
    ".cpp": Kind.CXX,
    ".cxx": Kind.CXX,
    ".i": Kind.C,
    ".ii": Kind.CXX,
    ".s": Kind.ASSEMBLY,
    ".S": Kind.ASSEMBLY,
    ".o": Kind.OBJECT,
    ".obj": Kind.OBJECT,
    ".a": Kind.ARCHIVE,
    ".lib": Kind.ARCHIVE,
    ".so": Kind.SHARED,
    ".ptx": Kind.DEVICE,
    ".cubin": Kind.DEVICE,
    ".fatbin": Kind.DEVICE,
}


@dataclass(frozen=True, slots=True)
class Input:
    """A file of the command line; ``kind`` by ``-x`` or by its suffix."""

    path: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Invocation:
    """What the user asked for.

    Attributes:
        phase: where to stop.
        inputs: in the order given.
        output: ``-o``, empty if none.
        output_dir: ``-odir``, empty if none.
        targets: AMD targets, in the order given.
        check_seconds: time in which each kernel is checked.
        policy: file that says which verdicts may ship, empty if none.
        engines: who is asked for a translation, in order.
        exact_math: approximate instructions give NVIDIA's bits.
        compile_args: what nvcc is given for each source, the architectures included.
        device_link_args: what ``nvcc -dlink`` is given.
        host_compile_args: what the host's compiler is given where there is no nvcc.
        language: ``-x``, empty if none.
        depend_args: ``-MP``; the other dependency options stand below.
        dependencies: ``-MD``, ``-MMD`` or empty; for ``Phase.NVCC`` also ``-M`` and ``-MM``.
        dependency_file, dependency_target: ``-MF``, ``-MT``, empty if none.
        host_args: options of the host compiler that also matter when it links (``-Xcompiler``, ``-g``, ``-pg``).
        linker_args: ``-Xlinker``.
        archive_args: ``-Xarchive``.
        libraries, library_dirs: ``-l`` and ``-L``.
        host_compiler, archiver: ``-ccbin`` and ``-arbin``, empty if none.
        relocatable: ``-rdc=true``.
        device_link: the device link is not switched off.
        shared: a shared library is linked.
        partial: ``-r``: objects are linked to one object.
        cudart: ``static``, ``shared`` or ``none``: how the program is linked against cassc's CUDA runtime.
        clean: what would have been made is removed instead.
        run, run_args: the program is started when it is linked.
        remarks: options that were accepted and have no effect, or only a part of theirs.
        nvcc_args: the command line without cassc's own options, for ``Phase.NVCC``.
    """

    phase: Phase
    inputs: tuple[Input, ...] = ()
    output: str = ""
    output_dir: str = ""
    targets: tuple[Target, ...] = (DEFAULT_TARGET,)
    compile_args: tuple[str, ...] = ()
    device_link_args: tuple[str, ...] = ()
    host_compile_args: tuple[str, ...] = ()
    language: str = ""
    depend_args: tuple[str, ...] = ()
    dependencies: str = ""
    dependency_file: str = ""
    dependency_target: str = ""
    host_args: tuple[str, ...] = ()
    linker_args: tuple[str, ...] = ()
    archive_args: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    library_dirs: tuple[str, ...] = ()
    host_compiler: str = ""
    archiver: str = ""
    relocatable: bool = False
    device_link: bool = True
    shared: bool = False
    partial: bool = False
    cudart: str = "static"
    verbose: bool = False
    dryrun: bool = False
    keep: bool = False
    keep_dir: str = ""
    threads: int = 1
    check_seconds: float = DEFAULT_CHECK_SECONDS
    policy: str = ""
    engines: tuple[str, ...] = DEFAULT_ENGINES
    exact_math: bool = False
    quiet: bool = False
    clean: bool = False
    run: bool = False
    run_args: tuple[str, ...] = ()
    remarks: tuple[Diagnostic, ...] = ()
    nvcc_args: tuple[str, ...] = ()


def parse(argv: Sequence[str], environment: Mapping[str, str] = os.environ) -> Invocation:
    """``argv`` is what follows the program's name. Raises CommandLineError."""
    return _Parser(arguments.read(argv, environment)).parse()


class _Parser:
    """Reads the invocation out of the options."""

    def __init__(self, line: CommandLine) -> None:
        self.line = line
        self.remarks = list(line.remarks)

    def parse(self) -> Invocation:
        line = self.line
        phase = self._phase()
        if phase in (Phase.HELP, Phase.VERSION):
            return Invocation(phase)
        forwarding = "forward-unknown-to-host-compiler", "forward-unknown-to-host-linker", "forward-unknown-opts"
        if line.unknown and not line.has(*forwarding):
            raise CommandLineError("unknown-option", f"Unknown option '{line.unknown[0]}'")
        if phase is Phase.LIST:
            return Invocation(phase, nvcc_args=self._nvcc_args(()))
        inputs = self._inputs(phase)
        if not inputs:
            raise CommandLineError("no-input", "No input files specified; use option --help for more information")
        phase = self._phase_of_linked(phase, inputs)
        self._check(phase, inputs)
        return self._invocation(phase, inputs)

    def _phase(self) -> Phase:
        for phase, names in _PHASES:
            if self.line.has(*names):
                return phase
        return Phase.LINK

    def _inputs(self, phase: Phase) -> tuple[Input, ...]:
        language = self.line.last("x")
        inputs = []
        for path in self.line.files:
            kind = _KINDS.get(Path(path).suffix)
            if kind is None and ".so." in Path(path).name:
                kind = Kind.SHARED
            if language and (kind is None or kind.is_source):
                kind = Kind(language)
            if kind is None and (_is_elf(path) or phase is Phase.NVCC):
                kind = Kind.PROGRAM
            if kind is None:
                raise CommandLineError("unknown-input", f"Don't know what to do with '{path}'")
            inputs.append(Input(path, kind))
        return tuple(inputs)

    def _phase_of_linked(self, phase: Phase, inputs: tuple[Input, ...]) -> Phase:
        """One linked file alone is rewritten, or started."""
        if phase is not Phase.LINK or not any(item.kind is Kind.PROGRAM for item in inputs):
            if phase is Phase.LINK and len(inputs) == 1 and inputs[0].kind is Kind.SHARED:
                return self._conversion(inputs[0])
            return phase
        if len(inputs) > 1:
            raise CommandLineError("linked-input", "A linked program has to be the only input file")
        return Phase.RUN if self.line.has("run") else self._conversion(inputs[0])

    def _conversion(self, item: Input) -> Phase:
        if not self.line.last("output-file"):
            raise CommandLineError("no-output", f"'{item.path}' is linked already; name the new file with -o")
        return Phase.CONVERT

    def _check(self, phase: Phase, inputs: tuple[Input, ...]) -> None:
        """Combinations that nvcc refuses."""
        line = self.line
        several = sum(item.kind.is_source for item in inputs) > 1
        if line.last("output-file") and several and (phase is Phase.COMPILE or line.has(*_TEXT_PHASES)):
            raise CommandLineError(
                "output-of-many",
                "A single input file is required for a non-link phase when an outputfile is specified",
            )
        making = line.has("generate-dependencies-with-compile", "generate-nonsystem-dependencies-with-compile")
        if making and line.has("preprocess"):
            raise CommandLineError("dependencies", "'-MD'/'-MMD' is not supported when '-E' is also specified")
        printing = line.has("generate-dependencies", "generate-nonsystem-dependencies")
        if line.has("dependency-output") and not making and not printing:
            text = "Option '--dependency-file' requires one of '-M', '-MM', '-MD' or '-MMD' to be specified"
            raise CommandLineError("dependencies", text)
        if line.has("extensible-whole-program"):
            for name, title in (("device-c", "--device-c"), ("relocatable", "--relocatable-device-code=true")):
                if line.has(name) or (name == "relocatable" and self._relocatable()):
                    text = f"'{title}' is not compatible with '--extensible-whole-program'"
                    raise CommandLineError("whole-program", text)
        for item in inputs:
            unused = not item.kind.is_source and item.kind is not Kind.DEVICE
            if phase is Phase.COMPILE and unused:
                text = f"'{item.path}' is not a source: it is left out, since nothing is linked"
                self.remarks.append(Diagnostic(Severity.REMARK, "command-line-unused-input", text))
            if item.kind is Kind.DEVICE and phase not in (Phase.NVCC, Phase.DEVICE_LINK) and not line.has("device-c"):
                suffix = Path(item.path).suffix
                raise CommandLineError("device-input", f"{suffix} input files are only allowed with {_ALLOWED[suffix]}")

    def _relocatable(self) -> bool:
        return self.line.last("relocatable-device-code") == "true" or self.line.has("device-c")

    def _targets(self) -> tuple[Target, ...]:
        targets: list[Target] = []
        for name in self.line.all("offload-arch") or (DEFAULT_TARGET.name,):
            if name not in TARGETS:
                known = ", ".join(TARGETS)
                raise CommandLineError("bad-target", f"Unsupported AMD target '{name}' (known: {known})")
            if TARGETS[name] not in targets:
                targets.append(TARGETS[name])
        return tuple(targets)

    def _check_seconds(self) -> float:
        text = self.line.last("check-seconds")
        if not text:
            return DEFAULT_CHECK_SECONDS
        if not re.fullmatch(r"\d+(\.\d*)?|\.\d+", text):
            raise CommandLineError("bad-value", f"'{text}': expected a number of seconds (--check-seconds)")
        return float(text)

    def _host_compile_args(self) -> list[str]:
        """In the host compiler's spelling, which has no lists."""
        words: list[str] = []
        for item in self.line.given:
            spelling = _HOST_SPELLING.get(item.option.name)
            if spelling is not None:
                values = host_options(item.value) if item.value is not None else [""]
                for value in values:
                    words += [spelling, value] if spelling.startswith("-i") else [spelling + value]
        return words

    def _nvcc_args(self, architectures: tuple[str, ...]) -> tuple[str, ...]:
        """The whole command line, for nvcc."""
        named = ("gpu-architecture", "gpu-code", "generate-code")
        items = [item for item in self.line.given if item.option.name not in OWN and item.option.name not in named]
        words = [word for item in items for word in item.words]
        return (*words, *architectures, *self.line.unknown, *self.line.files)

    def _printed_dependencies(self, architectures: tuple[str, ...]) -> dict[str, Any]:
        """What a compiler in the place of nvcc has to know for ``-M`` and ``-MM``."""
        line = self.line
        flags = (("generate-dependencies", "-M"), ("generate-nonsystem-dependencies", "-MM"))
        return {
            "output": line.last("output-file"),
            "compile_args": (*line.words(Use.COMPILE), *architectures),
            "depend_args": tuple(w for item in line.given if item.option.use == Use.DEPEND for w in item.words),
            "dependencies": next((flag for name, flag in flags if line.has(name)), ""),
            "dependency_file": line.last("dependency-output"),
            "dependency_target": line.last("dependency-target-name"),
            "engines": tuple(dict.fromkeys(line.all("engine"))) or DEFAULT_ENGINES,
        }

    def _invocation(self, phase: Phase, inputs: tuple[Input, ...]) -> Invocation:
        line = self.line
        targets = self._targets()
        if phase is Phase.NVCC:
            words = architectures.as_given(line) or ("-arch", DEFAULT_SM.name)
            return Invocation(
                phase,
                inputs,
                verbose=line.has("verbose"),
                dryrun=line.has("dryrun"),
                quiet=line.has("disable-warnings"),
                remarks=tuple(self.remarks),
                nvcc_args=self._nvcc_args(words),
                **self._printed_dependencies(words),
            )
        chosen = architectures.choose(line, targets)
        self.remarks += chosen.remarks
        compile_args = [*line.words(Use.COMPILE), *chosen.words]
        if line.has("device-c"):
            compile_args += ["-rdc", "true"]
        to_compiler = line.unknown if line.has("forward-unknown-to-host-compiler", "forward-unknown-opts") else ()
        to_linker = line.unknown if line.has("forward-unknown-to-host-linker", "forward-unknown-opts") else ()
        link_flags = [flag for name, flag in (("debug", "-g"), ("profile", "-pg")) if line.has(name)]
        host_args = [part for value in line.all("compiler-options") for part in host_options(value)]
        return Invocation(
            phase=phase,
            inputs=inputs,
            output=line.last("output-file"),
            output_dir=line.last("output-directory"),
            targets=targets,
            compile_args=(*compile_args, *to_compiler),
            device_link_args=(*line.words(Use.DEVICE_LINK), *chosen.words),
            host_compile_args=(*self._host_compile_args(), *host_args, *link_flags, *to_compiler),
            language=line.last("x"),
            depend_args=tuple(w for item in line.given if item.option.use == Use.DEPEND for w in item.words),
            dependencies=next((flag for flag in ("-MD", "-MMD") if line.has(BY_SPELLING[flag].name)), ""),
            dependency_file=line.last("dependency-output"),
            dependency_target=line.last("dependency-target-name"),
            host_args=(*host_args, *link_flags, *to_compiler),
            linker_args=(*line.all("linker-options"), *to_linker),
            archive_args=line.all("archive-options"),
            libraries=line.all("library"),
            library_dirs=line.all("library-path"),
            host_compiler=line.last("compiler-bindir"),
            archiver=line.last("archiver-binary"),
            relocatable=self._relocatable(),
            device_link=not line.has("no-device-link"),
            shared=line.has("shared"),
            partial=line.has("relocatable-link"),
            cudart=line.last("cudart") or "static",
            verbose=line.has("verbose"),
            dryrun=line.has("dryrun"),
            keep=line.has("keep", "save-temps", "keep-dir"),
            keep_dir=line.last("keep-dir"),
            threads=int(line.last("threads") or "1"),
            check_seconds=self._check_seconds(),
            policy=line.last("policy"),
            engines=tuple(dict.fromkeys(line.all("engine"))) or DEFAULT_ENGINES,
            exact_math=line.last("math") == "exact",
            quiet=line.has("disable-warnings"),
            clean=line.has("clean-targets"),
            run=line.has("run"),
            run_args=line.all("run-args"),
            remarks=tuple(self.remarks),
        )


def _is_elf(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False

"""Command line to a frozen :class:`Invocation`; knows the option table, and nothing of the machine.

Errors here are :class:`CommandLineError`, which the front prints in nvcc's words (``nvcc fatal   : ...``).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from cassc.diag import CasscError, Diagnostic, Severity
from cassc.driver.options import BOOLEAN, BY_SPELLING, JOINED, OWN, Arity, Option, Use
from cassc.target import DEFAULT_SM, DEFAULT_TARGET, TARGETS, Target

_OPTIONS_FILE_DEPTH = 8
DEFAULT_CHECK_SECONDS = 1.5


class CommandLineError(CasscError):
    """A command line that nvcc would refuse; ``message`` is nvcc's sentence where it has one."""

    def __init__(self, id: str, message: str) -> None:
        super().__init__(Diagnostic(Severity.FATAL, f"command-line-{id}", message))


class Phase(Enum):
    """Where the compilation stops. NVCC: a product of nvcc alone, made by nvcc from the same command line. CONVERT: one
    linked file is rewritten."""

    LINK = "link"
    COMPILE = "compile"
    DEVICE_LINK = "device-link"
    ARCHIVE = "lib"
    NVCC = "nvcc"
    HELP = "help"
    VERSION = "version"
    LIST = "list"
    CONVERT = "convert"


class Kind(Enum):
    CUDA = "cu"
    C = "c"
    CXX = "c++"
    OBJECT = "object"
    ARCHIVE = "archive"
    SHARED = "shared library"
    PROGRAM = "program"
    DEVICE = "device code"

    @property
    def is_source(self) -> bool:
        return self in (Kind.CUDA, Kind.C, Kind.CXX)


_KINDS = {
    ".cu": Kind.CUDA,
    ".c": Kind.C,
    ".cc": Kind.CXX,
    ".cpp": Kind.CXX,
    ".cxx": Kind.CXX,
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
        compile_args: what nvcc is given for each source, the architectures included.
        device_link_args: what ``nvcc -dlink`` is given.
        depend_args: ``-MP``; the other dependency options stand below.
        dependencies: ``-MD``, ``-MMD`` or empty.
        dependency_file, dependency_target: ``-MF``, ``-MT``, empty if none.
        host_args: options of the host compiler that also matter when it links (``-Xcompiler``, ``-g``, ``-pg``).
        linker_args: ``-Xlinker``.
        archive_args: ``-Xarchive``.
        libraries, library_dirs: ``-l`` and ``-L``.
        host_compiler, archiver: ``-ccbin`` and ``-arbin``, empty if none.
        relocatable: ``-rdc=true``.
        device_link: the device link is not switched off.
        cudart: ``static``, ``shared`` or ``none``: how the program is linked against cassc's CUDA runtime.
        remarks: options that were accepted and have no effect.
        nvcc_args: the command line without cassc's own options, for ``Phase.NVCC``.
    """

    phase: Phase
    inputs: tuple[Input, ...] = ()
    output: str = ""
    output_dir: str = ""
    targets: tuple[Target, ...] = (DEFAULT_TARGET,)
    compile_args: tuple[str, ...] = ()
    device_link_args: tuple[str, ...] = ()
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
    cudart: str = "static"
    verbose: bool = False
    dryrun: bool = False
    keep: bool = False
    keep_dir: str = ""
    threads: int = 1
    check_seconds: float = DEFAULT_CHECK_SECONDS
    quiet: bool = False
    remarks: tuple[Diagnostic, ...] = ()
    nvcc_args: tuple[str, ...] = ()


def parse(argv: Sequence[str]) -> Invocation:
    """The arguments after the program's name. Raises CommandLineError."""
    return _Parser(_expand(argv, _OPTIONS_FILE_DEPTH)).parse()


def _expand(argv: Sequence[str], depth: int) -> list[str]:
    """Replace ``-optf file,...`` by the words of the files."""
    words: list[str] = []
    rest = iter(argv)
    for word in rest:
        head, equals, value = word.partition("=")
        if head not in ("-optf", "--options-file"):
            words.append(word)
            continue
        value = value if equals else next(rest, "")
        if not value:
            raise CommandLineError("missing-argument", f"argument expected after '{head}'")
        for name in value.split(","):
            if depth == 0:
                raise CommandLineError("options-file", f"Options files are nested too deeply at '{name}'")
            try:
                text = Path(name).read_text()
            except (OSError, UnicodeDecodeError):
                raise CommandLineError("options-file", f"Could not open options file '{name}'") from None
            words += _expand(shlex.split(text), depth - 1)
    return words


class _Parser:
    """Collects values by option name, then reads the invocation out of them."""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.values: dict[str, list[str]] = {}
        self.paths: list[tuple[str, str]] = []
        self.compile_args: list[str] = []
        self.device_link_args: list[str] = []
        self.depend_args: list[str] = []
        self.nvcc_args: list[str] = []
        self.unknown: list[str] = []
        self.remarks: list[Diagnostic] = []

    def parse(self) -> Invocation:
        position = 0
        while position < len(self.words):
            word = self.words[position]
            position += 1
            if not word.startswith("-") or word == "-":
                self.paths.append((word, self._last("x")))
                self.nvcc_args.append(word)
                continue
            option, value = self._match(word)
            if option is None:
                self.unknown.append(word)
                continue
            taken = [word]
            if option.arity is not Arity.FLAG and value is None:
                if position == len(self.words):
                    raise CommandLineError("missing-argument", f"argument expected after '{word}'")
                value = self.words[position]
                taken.append(value)
                position += 1
            self._accept(option, word.partition("=")[0], value, taken)
        if self.unknown and not self._forwards():
            raise CommandLineError("unknown-option", f"Unknown option '{self.unknown[0]}'")
        return self._invocation()

    def _match(self, word: str) -> tuple[Option | None, str | None]:
        """The option and the value that stands in the same word, if one does."""
        head, equals, value = word.partition("=")
        option = BY_SPELLING.get(head)
        if option is not None:
            if option.arity is Arity.FLAG and equals:
                raise CommandLineError("unexpected-argument", f"no argument expected after '{head}'")
            return option, value if equals else None
        for candidate in JOINED:
            for spelling in candidate.short:
                if word.startswith(spelling) and len(word) > len(spelling):
                    return candidate, word[len(spelling) :]
        return None, None

    def _accept(self, option: Option, spelling: str, value: str | None, taken: list[str]) -> None:
        if Use.REFUSE in option.use:
            raise CommandLineError("refused-option", f"option '{spelling}' {option.reason}")
        if option.values == BOOLEAN and value not in BOOLEAN:
            raise CommandLineError("bad-value", f"'{value}': expected true or false")
        if option.values and value not in option.values:
            raise CommandLineError("bad-value", f"Value '{value}' is not defined for option '{option.name}'")
        if Use.IGNORE in option.use:
            text = f"option '{spelling}' {option.reason}"
            self.remarks.append(Diagnostic(Severity.REMARK, "command-line-ignored-option", text))
            return
        given = [option.short[0] if option.short else f"--{option.name}"]
        if value is not None:
            given.append(value)
        if option.name == "device-debug":
            # No debugger follows a translated kernel, and code for one (no inlining) only translates worse.
            given = [] if "-lineinfo" in self.compile_args else ["-lineinfo"]
            text = f"option '{spelling}' gives line information only: device code is optimised before it is translated"
            self.remarks.append(Diagnostic(Severity.REMARK, "command-line-ignored-option", text))
        elif option.name == "generate-line-info" and "-lineinfo" in self.compile_args:
            given = []
        if option.name not in OWN:
            self.nvcc_args += taken
        if Use.COMPILE in option.use:
            self.compile_args += given
        if Use.DEVICE_LINK in option.use:
            self.device_link_args += given
        if option.use == Use.DEPEND:
            self.depend_args += given
        if value is None:
            self.values.setdefault(option.name, []).append("")
        elif option.arity is Arity.MANY:
            self.values.setdefault(option.name, []).extend(part for part in value.split(",") if part)
        elif option.arity is Arity.ONE:
            self.values[option.name] = [value]
        else:
            self.values.setdefault(option.name, []).append(value)

    def _has(self, name: str) -> bool:
        return name in self.values

    def _last(self, name: str) -> str:
        return self.values[name][-1] if name in self.values else ""

    def _all(self, name: str) -> tuple[str, ...]:
        return tuple(self.values.get(name, ()))

    def _forwards(self) -> bool:
        return any(self._has(f"forward-unknown-{where}") for where in ("to-host-compiler", "to-host-linker", "opts"))

    def _phase(self) -> Phase:
        for phase, names in (
            (Phase.HELP, ("help",)),
            (Phase.VERSION, ("version",)),
            (Phase.LIST, ("list-gpu-arch", "list-gpu-code")),
            (
                Phase.NVCC,
                (
                    "preprocess",
                    "generate-dependencies",
                    "generate-nonsystem-dependencies",
                    "ptx",
                    "cubin",
                    "fatbin",
                    "cuda",
                ),
            ),
            (Phase.COMPILE, ("compile", "device-c", "device-w")),
            (Phase.DEVICE_LINK, ("device-link",)),
            (Phase.ARCHIVE, ("lib",)),
        ):
            if any(self._has(name) for name in names):
                return phase
        return Phase.LINK

    def _inputs(self, phase: Phase) -> tuple[Input, ...]:
        inputs = []
        for path, language in self.paths:
            suffix = Path(path).suffix
            kind = _KINDS.get(suffix)
            if kind is None and ".so." in Path(path).name:
                kind = Kind.SHARED
            if language and (kind is None or kind.is_source):
                kind = Kind(language)
            if kind is None and _is_elf(path):
                kind = Kind.PROGRAM
            if kind is None or (kind is Kind.DEVICE and phase is not Phase.NVCC):
                raise CommandLineError("unknown-input", f"Don't know what to do with '{path}'")
            inputs.append(Input(path, kind))
        return tuple(inputs)

    def _architectures(self) -> list[str]:
        """nvcc's arguments that name the architectures; ``native`` means the default, since SASS is translated."""
        words = [w for name in ("gpu-architecture", "gpu-code", "generate-code") for w in self._all(name)]
        if not words:
            return ["-arch", DEFAULT_SM.name]
        if self._last("gpu-architecture") == "native":
            text = (
                f"option '-arch=native' stands for {DEFAULT_SM.name}: the device code is translated to {self._names()}"
            )
            self.remarks.append(Diagnostic(Severity.REMARK, "command-line-native-arch", text))
            return ["-arch", DEFAULT_SM.name]
        arguments = []
        for name, spelling in (("gpu-architecture", "-arch"), ("generate-code", "-gencode")):
            for value in self._all(name):
                arguments += [spelling, value]
        if self._has("gpu-code"):
            arguments += ["-code", ",".join(self._all("gpu-code"))]
        return arguments

    def _names(self) -> str:
        return ", ".join(target.name for target in self._targets())

    def _targets(self) -> tuple[Target, ...]:
        targets: list[Target] = []
        for name in self._all("offload-arch") or (DEFAULT_TARGET.name,):
            if name not in TARGETS:
                known = ", ".join(TARGETS)
                raise CommandLineError("bad-target", f"Unsupported AMD target '{name}' (known: {known})")
            if TARGETS[name] not in targets:
                targets.append(TARGETS[name])
        return tuple(targets)

    def _threads(self) -> int:
        text = self._last("threads") or "1"
        if not text.isdigit():
            raise CommandLineError("bad-value", f"'{text}': expected a number")
        return int(text)

    def _check_seconds(self) -> float:
        text = self._last("check-seconds")
        if not text:
            return DEFAULT_CHECK_SECONDS
        if not re.fullmatch(r"\d+(\.\d*)?|\.\d+", text):
            raise CommandLineError("bad-value", f"'{text}': expected a number")
        return float(text)

    def _invocation(self) -> Invocation:
        phase = self._phase()
        if phase in (Phase.HELP, Phase.VERSION):
            return Invocation(phase)
        if phase is Phase.LIST:
            return Invocation(phase, nvcc_args=tuple(self.nvcc_args))
        inputs = self._inputs(phase)
        if not inputs:
            raise CommandLineError("no-input", "No input files specified; use option --help for more information")
        output = self._last("output-file")
        if phase is Phase.LINK and len(inputs) == 1 and inputs[0].kind in (Kind.PROGRAM, Kind.SHARED):
            phase = Phase.CONVERT
            if not output:
                raise CommandLineError("no-output", f"'{inputs[0].path}' is linked already; name the new file with -o")
        elif any(item.kind is Kind.PROGRAM for item in inputs):
            raise CommandLineError("linked-input", "A linked program has to be the only input file")
        sources = [i for i in inputs if i.kind.is_source]
        if output and phase is Phase.COMPILE and len(sources) > 1:
            raise CommandLineError(
                "output-of-many",
                "A single input file is required for a non-link phase when an outputfile is specified",
            )
        architectures = self._architectures()
        link_flags = [flag for name, flag in (("debug", "-g"), ("profile", "-pg")) if self._has(name)]
        dropped = {"-arch", "-code", "-gencode"}
        device_link_args = _without(self.device_link_args, dropped) + architectures
        relocatable = self._last("relocatable-device-code") == "true" or self._has("device-c")
        compile_args = self.compile_args + architectures + self.unknown
        if self._has("device-c"):
            compile_args += ["-rdc", "true"]
        return Invocation(
            phase=phase,
            inputs=inputs,
            output=output,
            output_dir=self._last("output-directory"),
            targets=self._targets(),
            compile_args=tuple(compile_args),
            device_link_args=tuple(device_link_args),
            depend_args=tuple(self.depend_args),
            dependencies=next(
                (flag for flag in ("-MD", "-MMD") if self._has(BY_SPELLING[flag].name)),
                "",
            ),
            dependency_file=self._last("dependency-output"),
            dependency_target=self._last("dependency-target-name"),
            host_args=tuple(
                [part for value in self._all("compiler-options") for part in _split(value)] + link_flags + self.unknown
            ),
            linker_args=self._all("linker-options"),
            archive_args=self._all("archive-options"),
            libraries=self._all("library"),
            library_dirs=self._all("library-path"),
            host_compiler=self._last("compiler-bindir"),
            archiver=self._last("archiver-binary"),
            relocatable=relocatable,
            device_link=not self._has("no-device-link"),
            shared=self._has("shared"),
            cudart=self._last("cudart") or "static",
            verbose=self._has("verbose"),
            dryrun=self._has("dryrun"),
            keep=self._has("keep") or self._has("save-temps") or self._has("keep-dir"),
            keep_dir=self._last("keep-dir"),
            threads=self._threads(),
            check_seconds=self._check_seconds(),
            quiet=self._has("disable-warnings"),
            remarks=tuple(self.remarks),
            nvcc_args=tuple(self.nvcc_args),
        )


def _is_elf(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def _split(value: str) -> list[str]:
    """The parts of an ``-Xcompiler`` value: commas separate, a backslash before one keeps it."""
    parts = value.replace("\\,", "\0").split(",")
    return [part.replace("\0", ",") for part in parts if part]


def _without(arguments: list[str], spellings: set[str]) -> list[str]:
    """Leave out the options named, each with its value."""
    kept: list[str] = []
    rest = iter(arguments)
    for word in rest:
        if word in spellings:
            next(rest, None)
        else:
            kept.append(word)
    return kept

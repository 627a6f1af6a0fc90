"""THE option table: every option that cassc knows, what form it has and what is done with it.

Names and forms are nvcc 13's (``nvcc --help``; probed where the help is silent). Options that are not in the table are
unknown, and fail in nvcc's words.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, Flag, auto


class Arity(Enum):
    """FLAG takes no value. ONE keeps the last of several. MANY gathers all, and splits each at commas. RAW gathers
    without splitting (a define may hold commas inside its value)."""

    FLAG = auto()
    ONE = auto()
    MANY = auto()
    RAW = auto()


class Use(Flag):
    """What is done with an option; several may hold.

    DRIVER: cassc acts on it itself. COMPILE: given to nvcc for each source. DEVICE_LINK: given to ``nvcc -dlink``.
    DEPEND: concerns the dependency file, given to nvcc for each source. IGNORE: accepted, with a remark that says why
    it has no effect. REFUSE: an error that says why.
    """

    DRIVER = auto()
    COMPILE = auto()
    DEVICE_LINK = auto()
    DEPEND = auto()
    IGNORE = auto()
    REFUSE = auto()


@dataclass(frozen=True, slots=True)
class Option:
    """One row.

    Attributes:
        name: the long name, without dashes; spelled ``--name``, and ``-name`` where the first short spelling says so.
        short: the other spellings.
        joined: a value may follow the short spelling directly (``-Idir``).
        values: the allowed values, or empty for any.
        number: the value is a number that is not negative.
        listed: ``nvcc --help`` names it.
        reason: for IGNORE and REFUSE, the rest of "option '-x' ...".
        help: one line for ``cassc --help``; rows without one are listed as passed to nvcc.
    """

    name: str
    short: tuple[str, ...]
    arity: Arity
    use: Use
    joined: bool = False
    values: tuple[str, ...] = ()
    reason: str = ""
    help: str = ""
    number: bool = False
    listed: bool = True

    @property
    def spellings(self) -> tuple[str, ...]:
        return (f"--{self.name}", *self.short)


BOOLEAN = ("true", "false")
ENGINES = ("model", "lift", "source")
DEFAULT_ENGINES = ("lift", "source")
_NO_SCRIPT = "has no effect: programs are linked with the host linker's own script"
_NO_LTO = "has no effect: device code is compiled to SASS at once, and linked without optimisation"
_WARNINGS = (
    "all-warnings",
    "cross-execution-space-call",
    "default-stream-launch",
    "deprecated-declarations",
    "ext-lambda-captures-this",
    "missing-launch-bounds",
    "reorder",
)
_DRIVE = "concerns Windows only"


def _row(
    name: str,
    short: str,
    arity: Arity,
    use: Use,
    *,
    joined: bool = False,
    values: tuple[str, ...] = (),
    reason: str = "",
    help: str = "",
    number: bool = False,
    listed: bool = True,
) -> Option:
    return Option(name, tuple(short.split()), arity, use, joined, values, reason, help, number, listed)


_FLAG, _ONE, _MANY, _RAW = Arity.FLAG, Arity.ONE, Arity.MANY, Arity.RAW
_D, _C, _DL = Use.DRIVER, Use.COMPILE, Use.DEVICE_LINK

OPTIONS: tuple[Option, ...] = (
    # What to produce
    _row("compile", "-c", _FLAG, _D, help="compile and translate each source to an object"),
    _row("device-c", "-dc", _FLAG, _D, help="-c with relocatable device code"),
    _row("device-w", "-dw", _FLAG, _D, help="-c with whole-program device code"),
    _row("device-link", "-dlink", _FLAG, _D, help="link relocatable device code to one object, and translate it"),
    _row("link", "-link", _FLAG, _D, help="compile and link (the default)"),
    _row("lib", "-lib", _FLAG, _D, help="compile, translate and archive"),
    _row("shared", "-shared", _FLAG, _D | _DL, help="link a shared library"),
    _row("preprocess", "-E", _FLAG, _D, help="preprocess only, by nvcc"),
    _row("generate-dependencies", "-M", _FLAG, _D, help="print dependencies only, by nvcc"),
    _row("generate-nonsystem-dependencies", "-MM", _FLAG, _D, help="as -M, without system headers"),
    _row("ptx", "-ptx", _FLAG, _D, help="nvcc's PTX; nothing is translated"),
    _row("cubin", "-cubin", _FLAG, _D, help="nvcc's cubin; nothing is translated"),
    _row("fatbin", "-fatbin", _FLAG, _D, help="nvcc's fat binary; nothing is translated"),
    _row("cuda", "-cuda", _FLAG, _D, help="nvcc's host C++; nothing is translated"),
    _row("optix-ir", "-optix-ir", _FLAG, Use.REFUSE, reason="is not supported: OptiX has no counterpart"),
    _row("ltoir", "-ltoir", _FLAG, Use.REFUSE, reason="is not supported: LTO-IR is not SASS"),
    _row("run", "-run", _FLAG, _D, help="link, and start the program"),
    _row("run-args", "-run-args", _MANY, _D, help="arguments for -run"),
    _row("output-file", "-o", _ONE, _D, help="name of the output"),
    _row("output-directory", "-odir", _ONE, _D, help="folder of the outputs that have no -o"),
    # Target
    _row("offload-arch", "", _MANY, _D, help="AMD target, gfx1100 by default; several by commas or repetition"),
    _row("gpu-architecture", "-arch", _ONE, _D, help="the SM whose SASS is translated (default sm_80)"),
    _row("gpu-code", "-code", _MANY, _D, help="as nvcc"),
    _row("generate-code", "-gencode", _RAW, _D, help="as nvcc"),
    _row(
        "relocatable-device-code",
        "-rdc",
        _ONE,
        _D | _C,
        values=BOOLEAN,
        help="device code is linked before translation",
    ),
    _row("no-device-link", "-nodlink", _FLAG, _D, help="leave out the device link"),
    _row(
        "engine",
        "",
        _MANY,
        _D,
        values=ENGINES,
        help="who translates, in this order: model or lift (from SASS), source (from CUDA C++); default lift,source",
    ),
    _row(
        "math",
        "",
        _ONE,
        _D,
        values=("native", "exact"),
        help="approximate instructions (MUFU, HMMA) with errors as large as NVIDIA's, or, much slower, an H100's bits"
        "; default native",
    ),
    _row("check-seconds", "", _ONE, _D, help="time for checking each kernel (default 1.5); 0 checks nothing"),
    _row("policy", "", _ONE, _D, help="file that says which verdicts may ship; the build fails otherwise"),
    _row(
        "diagnostics-format",
        "",
        _ONE,
        _D,
        values=("text", "json", "sarif"),
        help="how cassc's own diagnostics are printed, text by default",
    ),
    # Source, preprocessor
    _row("x", "-x", _ONE, _D, values=("c", "c++", "cu"), help="language of the sources"),
    _row("std", "-std", _ONE, _C, values=("c++03", "c++11", "c++14", "c++17", "c++20")),
    _row("define-macro", "-D", _RAW, _C, joined=True),
    _row("undefine-macro", "-U", _RAW, _C, joined=True),
    _row("include-path", "-I", _RAW, _C, joined=True),
    _row("system-include", "-isystem", _RAW, _C),
    _row("pre-include", "-include", _RAW, _C),
    _row("generate-dependencies-with-compile", "-MD", _FLAG, _D | Use.DEPEND),
    _row("generate-nonsystem-dependencies-with-compile", "-MMD", _FLAG, _D | Use.DEPEND),
    _row("dependency-output", "-MF", _ONE, _D | Use.DEPEND),
    _row("dependency-target-name", "-MT", _ONE, _D | Use.DEPEND),
    _row("generate-dependency-targets", "-MP", _FLAG, Use.DEPEND),
    # Code generation
    _row("debug", "-g", _FLAG, _D | _C | _DL),
    _row("device-debug", "-G", _FLAG, _C | _DL),
    _row("generate-line-info", "-lineinfo", _FLAG, _C | _DL),
    _row("profile", "-pg", _FLAG, _D | _C),
    _row("optimize", "-O", _ONE, _C, joined=True, number=True),
    _row("Ofast-compile", "-Ofc", _ONE, _C),
    _row("dopt", "-dopt", _ONE, _C),
    _row("optimization-info", "-opt-info", _MANY, _C, values=("inline",)),
    _row("ptxas-options", "-Xptxas", _RAW, _C | _DL),
    _row("nvlink-options", "-Xnvlink", _RAW, _DL),
    _row("maxrregcount", "-maxrregcount", _ONE, _C, number=True),
    _row("use_fast_math", "-use_fast_math", _FLAG, _C),
    _row("ftz", "-ftz", _ONE, _C, values=BOOLEAN),
    _row("prec-div", "-prec-div", _ONE, _C, values=BOOLEAN),
    _row("prec-sqrt", "-prec-sqrt", _ONE, _C, values=BOOLEAN),
    _row("fmad", "-fmad", _ONE, _C, values=BOOLEAN),
    _row("extra-device-vectorization", "-extra-device-vectorization", _FLAG, _C),
    _row("default-stream", "-default-stream", _ONE, _C, values=("legacy", "null", "per-thread")),
    _row("extended-lambda", "-extended-lambda", _FLAG, _C),
    _row("expt-extended-lambda", "-expt-extended-lambda", _FLAG, _C),
    _row("expt-relaxed-constexpr", "-expt-relaxed-constexpr", _FLAG, _C),
    _row("restrict", "-restrict", _FLAG, _C),
    _row("no-exceptions", "-noeh", _FLAG, _C),
    _row("no-host-device-initializer-list", "-nohdinitlist", _FLAG, _C),
    _row("no-host-device-move-forward", "-nohdmoveforward", _FLAG, _C),
    _row("no-align-double", "", _FLAG, _C),
    _row("keep-device-functions", "-keep-device-functions", _FLAG, _C),
    _row("static-global-template-stub", "-static-global-template-stub", _ONE, _C, values=BOOLEAN),
    _row("device-entity-has-hidden-visibility", "-device-entity-has-hidden-visibility", _ONE, _C, values=BOOLEAN),
    _row("extensible-whole-program", "-ewp", _FLAG, _C),
    _row("entries", "-e", _RAW, _C),
    _row("jump-table-density", "-jtd", _ONE, _C),
    _row("ftemplate-backtrace-limit", "-ftemplate-backtrace-limit", _ONE, _C),
    _row("ftemplate-depth", "-ftemplate-depth", _ONE, _C),
    _row("frandom-seed", "-frandom-seed", _ONE, _C),
    _row("source-in-ptx", "-src-in-ptx", _FLAG, _C),
    _row("compress-mode", "-compress-mode", _ONE, _C),
    _row("no-compress", "-no-compress", _FLAG, _C),
    _row("machine", "-m", _ONE, _C, values=("64",)),
    _row("m64", "-m64", _FLAG, _C),
    _row("dlink-time-opt", "-dlto", _FLAG, Use.IGNORE, reason=_NO_LTO),
    _row("lto", "-lto", _FLAG, Use.IGNORE, reason=_NO_LTO),
    _row("gen-opt-lto", "-gen-opt-lto", _FLAG, Use.IGNORE, reason=_NO_LTO),
    _row("relocatable-ptx", "-reloc-ptx", _FLAG, Use.REFUSE, reason="is not supported: PTX is not SASS"),
    _row(
        "compile-as-tools-patch",
        "-astoolspatch",
        _FLAG,
        Use.REFUSE,
        reason="is not supported: there is no CUDA debugger to patch for",
    ),
    _row(
        "device-stack-protector",
        "-device-stack-protector",
        _ONE,
        Use.IGNORE,
        values=BOOLEAN,
        reason="has no effect: bounds are checked where the program runs on the emulator",
    ),
    _row("sanitize", "-sanitize", _ONE, Use.REFUSE, reason="is not supported: the sanitizer is NVIDIA's own library"),
    # Of nvcc's tools; not in its help
    _row("cudafe-options", "-Xcudafe", _RAW, _C, listed=False),
    _row("cicc-options", "-Xcicc", _RAW, _C, listed=False),
    _row("fatbin-options", "-Xfatbin", _RAW, _C | _DL, listed=False),
    _row("fassociative-math", "-fassociative-math", _FLAG, _C, listed=False),
    _row("restrict-in-struct", "", _FLAG, _C, listed=False),
    _row("legacy-launch-seq", "", _FLAG, _C, listed=False),
    _row("version-ident", "", _ONE, _C, values=BOOLEAN, listed=False),
    # Warnings
    _row("disable-warnings", "-w", _FLAG, _D | _C),
    _row("Werror", "-Werror", _MANY, _C, values=_WARNINGS),
    _row("Wreorder", "-Wreorder", _FLAG, _C),
    _row("Wdefault-stream-launch", "-Wdefault-stream-launch", _FLAG, _C),
    _row("Wmissing-launch-bounds", "-Wmissing-launch-bounds", _FLAG, _C),
    _row("Wext-lambda-captures-this", "-Wext-lambda-captures-this", _FLAG, _C),
    _row("Wno-deprecated-declarations", "-Wno-deprecated-declarations", _FLAG, _C),
    _row("Wno-deprecated-gpu-targets", "-Wno-deprecated-gpu-targets", _FLAG, _C | _DL),
    _row("display-error-number", "-err-no", _FLAG, _C),
    _row("no-display-error-number", "-no-err-no", _FLAG, _C),
    _row("diag-error", "-diag-error", _RAW, _C),
    _row("diag-suppress", "-diag-suppress", _RAW, _C),
    _row("diag-warn", "-diag-warn", _RAW, _C),
    _row("brief-diagnostics", "-brief-diag", _ONE, _C, values=BOOLEAN),
    _row("resource-usage", "-res-usage", _FLAG, _C),
    # Host compiler and linker
    _row("compiler-options", "-Xcompiler", _RAW, _D | _C | _DL),
    _row("linker-options", "-Xlinker", _MANY, _D),
    _row("archive-options", "-Xarchive", _MANY, _D),
    _row("compiler-bindir", "-ccbin", _ONE, _D | _C | _DL),
    _row("archiver-binary", "-arbin", _ONE, _D),
    _row("allow-unsupported-compiler", "-allow-unsupported-compiler", _FLAG, _C | _DL),
    _row("library", "-l", _MANY, _D, joined=True),
    _row("library-path", "-L", _MANY, _D, joined=True),
    _row("relocatable-link", "-r --host-relocatable-link", _FLAG, _D, help="link objects to one object"),
    _row("cudart", "-cudart", _ONE, _D, values=("none", "shared", "static"), help="none: leave out the CUDA runtime"),
    _row("cudadevrt", "-cudadevrt", _ONE, _D | _DL, values=("none", "static")),
    _row("libdevice-directory", "-ldir", _ONE, _C),
    _row("target-directory", "-target-dir", _ONE, _C | _DL),
    _row("host-linker-script", "-hls", _ONE, Use.IGNORE, reason=_NO_SCRIPT),
    _row("augment-host-linker-script", "-aug-hls", _FLAG, Use.IGNORE, reason=_NO_SCRIPT),
    _row("forward-unknown-to-host-compiler", "-forward-unknown-to-host-compiler", _FLAG, _D | _C),
    _row("forward-unknown-to-host-linker", "-forward-unknown-to-host-linker", _FLAG, _D),
    _row("forward-unknown-opts", "-forward-unknown-opts", _FLAG, _D | _C),
    # The driver
    _row("verbose", "-v", _FLAG, _D, help="print each command, and the time of each stage"),
    _row("dryrun", "-dryrun", _FLAG, _D, help="print each command, and start none"),
    _row("keep", "-keep", _FLAG, _D, help="keep the product of each stage in the current folder"),
    _row("save-temps", "-save-temps", _FLAG, _D, help="same as --keep"),
    _row("keep-dir", "-keep-dir", _ONE, _D, help="folder for --keep"),
    _row(
        "threads",
        "-t",
        _ONE,
        _D,
        joined=True,
        number=True,
        help="sources to compile at a time; 0 for as many as there are cores",
    ),
    _row("split-compile", "-split-compile", _ONE, _C),
    _row("split-compile-extended", "-split-compile-extended", _ONE, Use.IGNORE, reason="has no effect: it needs -dlto"),
    _row("time", "-time", _ONE, _C),
    _row("fdevice-time-trace", "-fdevice-time-trace", _ONE, _C),
    _row("fdevice-syntax-only", "-fdevice-syntax-only", _FLAG, _D, help="check device code's syntax, by nvcc"),
    _row("dont-use-profile", "-noprof", _FLAG, _C | _DL),
    _row("jobserver", "-jobserver", _FLAG, Use.IGNORE, reason="has no effect: use -t"),
    _row("objdir-as-tempdir", "-objtemp", _FLAG, _C),
    _row("qpp-config", "-qpp-config", _ONE, Use.REFUSE, reason="is not supported: QNX is not a host of cassc"),
    _row("clean-targets", "-clean", _FLAG, _D, help="remove what the same command would make"),
    _row("use-local-env", "-use-local-env", _FLAG, Use.IGNORE, reason=_DRIVE),
    _row("force-cl-env-setup", "-force-cl-env-setup", _FLAG, Use.IGNORE, reason=_DRIVE),
    _row("input-drive-prefix", "-idp", _ONE, Use.IGNORE, reason=_DRIVE),
    _row("dependency-drive-prefix", "-ddp", _ONE, Use.IGNORE, reason=_DRIVE),
    _row("drive-prefix", "-dp", _ONE, Use.IGNORE, reason=_DRIVE),
    _row("options-file", "-optf", _MANY, _D, help="read more options from a file"),
    _row("list-gpu-arch", "-arch-ls", _FLAG, _D, help="list nvcc's virtual architectures"),
    _row("list-gpu-code", "-code-ls", _FLAG, _D, help="list nvcc's SM architectures"),
    _row("help", "-h", _FLAG, _D, help="print this"),
    _row("version", "-V", _FLAG, _D, help="print the versions of nvcc and of cassc"),
)

OWN = frozenset({"offload-arch", "check-seconds", "engine", "math", "policy", "diagnostics-format"})
"""Options that nvcc does not have."""


class Treatment(Enum):
    """What becomes of an option of nvcc's; the four classes of the options page."""

    HONOURED = "honoured"
    PASSED = "passed on"
    IGNORED = "accepted without effect"
    REFUSED = "refused"


def treatment(option: Option) -> Treatment:
    if Use.REFUSE in option.use:
        return Treatment.REFUSED
    if Use.IGNORE in option.use:
        return Treatment.IGNORED
    return Treatment.HONOURED if Use.DRIVER in option.use else Treatment.PASSED


BY_SPELLING: dict[str, Option] = {spelling: option for option in OPTIONS for spelling in option.spellings}
JOINED: tuple[Option, ...] = tuple(option for option in OPTIONS if option.joined)


def usage() -> str:
    """The text of ``cassc --help``, from the table."""
    lines = [
        "Usage: cassc [options] file...        as nvcc, for AMD GPUs",
        "       cassc program -o new-program   rewrites what nvcc has linked",
        "       cassc run [--] program ...     runs it as it is",
        "       cassc doctor | hipify | verify | inspect | bench | model | toolkit | cache | run [--help]",
        "",
        "Options that cassc acts on:",
    ]
    for option in OPTIONS:
        if option.help:
            value = "" if option.arity is Arity.FLAG else " <value>"
            lines.append(f"  {', '.join(reversed(option.spellings)) + value:<48} {option.help}")
    passed = sorted(o.short[0] if o.short else o.spellings[0] for o in OPTIONS if not o.help and _acts(o))
    lines += ["", "Options with nvcc's meaning:", *_wrap(passed)]
    refused = sorted(o.short[0] if o.short else o.spellings[0] for o in OPTIONS if Use.REFUSE in o.use)
    lines += ["", "Options of nvcc that are refused:", *_wrap(refused)]
    return "\n".join(lines) + "\n"


def _acts(option: Option) -> bool:
    return not option.use & (Use.IGNORE | Use.REFUSE)


def _wrap(words: list[str]) -> list[str]:
    import textwrap

    return textwrap.wrap(" ".join(words), 100, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)

"""What follows ``cassc`` in place of files: ``doctor``, ``verify``, ``run``... Texts go to ``say``."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

import click

from cassc.driver import contents, doctor, observed, outputs
from cassc.driver.cache import Cache, parse_size
from cassc.driver.invocation import DEFAULT_CHECK_SECONDS
from cassc.target import DEFAULT_SM, TARGETS, SmArch

if TYPE_CHECKING:
    from cassc.driver.jobs import Report
    from cassc.driver.prebuilt import Launch

Say = Callable[[str], None]


def run(arguments: Sequence[str], say: Say) -> int | Launch | Report:
    """The exit status, the program to start, or what a translation had to say. Usage errors of click are reported in
    its own words, status 2."""
    try:
        result = _group.main(list(arguments), prog_name="cassc", standalone_mode=False, obj=say)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as problem:
        problem.show()
        return problem.exit_code
    return 0 if result is None else cast("int | Launch | Report", result)


_file = click.argument("file", type=click.Path(exists=True, dir_okay=False))
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(name="cassc")
def _group() -> None:
    """CUDA compiler driver for AMD GPUs. Without a subcommand: as nvcc (see 'cassc --help')."""


@_group.command("hipify")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="File or folder for the result.")
@click.option("--check", is_flag=True, help="Write nothing; status 1 if anything would change or has no counterpart.")
@click.option("--diff", is_flag=True, help="Print what would change.")
@click.option("--in-place", is_flag=True, help="Replace the files; x.cu becomes x.hip.")
@click.pass_obj
def _hipify(say: Say, paths: tuple[Path, ...], output: Path | None, check: bool, diff: bool, in_place: bool) -> int:
    """Rewrite CUDA C++, and CMake files, as HIP. The report goes to stderr; status 1 on errors."""
    from cassc.driver import hipify

    if check + diff + in_place + (output is not None) > 1:
        raise click.UsageError("--check, --diff, --in-place and -o exclude each other")
    wanted = hipify.Wanted(paths, output, check, diff, in_place)
    return hipify.run(wanted, say, lambda text: click.echo(text, err=True))


@_group.command("doctor")
@_json
@click.pass_obj
def _doctor(say: Say, as_json: bool) -> int:
    """Say what was found, what is missing, and the command that mends it. Status 1 if cassc cannot compile."""
    findings = doctor.examine()
    if as_json:
        say(json.dumps([finding.to_dict() for finding in findings], indent=2))
    else:
        for finding in findings:
            say(doctor.text(finding))
    return 1 if any(finding.needed and not finding.found for finding in findings) else 0


@_group.command("verify")
@click.argument("file", type=click.Path(exists=True, dir_okay=False), required=False)
@click.option("--run", "again", is_flag=True, help="Check again, instead of printing what was found when it was built.")
@click.option("--kernel", default="", help="With --run: this kernel only, by its mangled or readable name.")
@click.option("--seed", default=1, show_default=True, help="With --run: what launches are generated from.")
@click.option(
    "--attempt", type=click.IntRange(min=0), default=None, help="With --run: compare the launch of this number only."
)
@click.option("--seconds", type=click.FloatRange(min=0), default=0.0, help="With --run: work for each kernel (1.5).")
@click.option("--code-object", default="", type=click.Path(), help="With --run and a cubin: the translation.")
@click.option(
    "--launches",
    "recording",
    default="",
    help="Compare the launches that 'cassc run --record' wrote; FILE may be left out.",
)
@click.option("--on-nvidia", is_flag=True, help="Run the original on an NVIDIA GPU, and compare with that, too.")
@click.option(
    "--against",
    default="",
    help="A file with other translations of the kernels (by another engine): they run them, too.",
)
@click.option(
    "--policy", "policy_file", default="", type=click.Path(), help="Fail unless this file allows every kernel."
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "sarif"]), default="text", help="What to print; text."
)
@_json
@click.pass_obj
def _verify(
    say: Say,
    file: str | None,
    again: bool,
    kernel: str,
    seed: int,
    attempt: int | None,
    seconds: float,
    code_object: str,
    recording: str,
    on_nvidia: bool,
    against: str,
    policy_file: str,
    form: str,
    as_json: bool,
) -> int:
    """Print the verdict of each kernel in a built program, library or object. Status 1 if one was rejected."""
    from cassc.driver import policy

    if not file and not recording:
        raise click.UsageError("name a file, or a recording with --launches")
    rules = policy.read(policy_file) if policy_file else None
    if again or recording or on_nvidia or against:
        from cassc.driver import recheck

        chosen = recheck.Launches(kernel, seed, attempt, seconds)
        records = recheck.run(recheck.Request(file or "", chosen, code_object, recording, on_nvidia, against))
    else:
        records = contents.verdicts(file or "")
    if as_json or form == "json":
        say(json.dumps(records, indent=2))
    elif form == "sarif":
        from cassc.driver import sarif

        say(sarif.render(sarif.of_verdicts(file or recording, records)))
    else:
        for line in [*contents.verdict_lines(records), *contents.refused_lines(records)]:
            say(line)
    if rules is not None:
        rules.enforce_records(records)
    return 1 if any(k.get("status") == "rejected" for r in records for k in r["kernels"]) else 0


@_group.command("inspect")
@_file
@click.option(
    "--html", "page", default="", type=click.Path(dir_okay=False), help="Write a report on the kernels there."
)
@click.option("--details", is_flag=True, help="Print that report: verdicts, facts, SASS and RDNA3 side by side.")
@click.option(
    "--kernel", default="", help="With --html or --details: this kernel only, by its mangled or readable name."
)
@click.option(
    "--profile",
    default="",
    help="With --html: what 'cassc run --profile=json:FILE' wrote.",
)
@_json
@click.pass_obj
def _inspect(say: Say, file: str, page: str, details: bool, kernel: str, profile: str, as_json: bool) -> int:
    """List the fat binaries of a file: architectures, kernels with their resources, embedded code objects."""
    if (kernel or profile) and not (page or details):
        raise click.UsageError("--kernel and --profile go with --html or --details")
    outputs.check([file, profile], [page])
    if page or details:
        from cassc.driver import html, report

        made = report.make(file, kernel, report.profiles(profile) if profile else {})
        if page:
            html.write(made, page)
        for line in report.as_text(made) if details else ():
            say(line)
        return 0
    listing = contents.inspect(file)
    if as_json:
        say(json.dumps(listing, indent=2))
    else:
        for line in contents.inspect_lines(listing):
            say(line)
    return 0


_targets = click.option(
    "--offload-arch", "targets", multiple=True, type=click.Choice(list(TARGETS)), help="AMD target; gfx1100 if none."
)
_seconds = click.option(
    "--check-seconds", type=click.FloatRange(min=0), default=DEFAULT_CHECK_SECONDS, help="Time to check each kernel."
)


class _RunCommand(click.Command):
    """``--check`` and ``--profile`` have a value only after ``=``: what follows them otherwise is the program."""

    _ALONE = {"--check": "--check=mem,race,init,sync", "--profile": "--profile=text"}

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        own = _own(args)
        known = {name for option in self.params for name in option.opts} | {"--help"}
        for word in own:
            if word.startswith("--") and word.partition("=")[0] not in known:
                raise click.NoSuchOption(word.partition("=")[0], ctx=context)
        return super().parse_args(context, [self._ALONE.get(word, word) for word in own] + args[len(own) :])


def _own(arguments: Sequence[str]) -> list[str]:
    """The words before the program's name: options, and the values of those that take the next word."""
    taken: list[str] = []
    takes_next = ("--offload-arch", "--check-seconds", "--error-exitcode", "--print-limit", "--log-file", "--order")
    position = 0
    while position < len(arguments) and arguments[position].startswith("-") and arguments[position] != "--":
        following = arguments[position] in (*takes_next, "--instruction-limit")
        taken += arguments[position : position + 1 + following]
        position += 1 + following
    return taken


@_group.command(
    "run", cls=_RunCommand, context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@_targets
@_seconds
@click.option(
    "--check",
    "checks",
    default="",
    metavar="[=KINDS]",
    help="Look for errors on the emulator: mem, race, init, sync, separated by commas; all without a value.",
)
@click.option(
    "--error-exitcode", default=0, type=click.IntRange(0, 255), help="With --check: exit status if an error was found."
)
@click.option(
    "--print-limit",
    default=observed.DEFAULT_PRINT_LIMIT,
    type=click.IntRange(min=0),
    help="With --check: reports to show; 0 for all.",
)
@click.option("--log-file", default="", help="Where reports go instead of stderr.")
@click.option(
    "--instruction-limit",
    default=0,
    type=click.IntRange(min=0),
    help="Wave-instructions after which a launch counts as endless on the emulator.",
)
@click.option(
    "--profile",
    default="",
    metavar="[=FORM]",
    help="Count what kernels do on the emulator: text, json, json:FILE, or trace:FILE for Perfetto.",
)
@click.option(
    "--order",
    default="",
    metavar="ORDER",
    help="Of workgroups on the emulator: ascending (the same in every run), descending, or shuffled:SEED.",
)
@click.option(
    "--record", default="", type=click.Path(), help="Write the launches there, for 'cassc verify --launches'."
)
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def _run(
    targets: tuple[str, ...],
    check_seconds: float,
    checks: str,
    error_exitcode: int,
    print_limit: int,
    log_file: str,
    instruction_limit: int,
    profile: str,
    order: str,
    record: str,
    program: tuple[str, ...],
) -> Launch:
    """Run a program that nvcc built, unchanged: what it holds is translated when it is first used."""
    from cassc.driver import prebuilt

    wanted = observed.Wanted(
        observed.checks(checks) if checks else (),
        observed.check_profile(profile) if profile else "",
        error_exitcode,
        print_limit,
        log_file,
        instruction_limit,
        observed.check_order(order) if order else "",
    )
    outputs.check([shutil.which(program[0]) or program[0]], [record, log_file, wanted.profile.partition(":")[2]])
    return observed.prepare(prebuilt.launch(program, prebuilt.settings(targets, check_seconds), record), wanted)


@_group.command("first-use", hidden=True)
@_targets
@_seconds
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("kernel", default="")
def _first_use(targets: tuple[str, ...], check_seconds: float, source: Path, file: Path, kernel: str) -> Report:
    """Translate the fat binary in one file into another: what the runtime asks for under 'cassc run'."""
    from cassc.driver import prebuilt

    return prebuilt.translate_first_use(source, file, prebuilt.settings(targets, check_seconds), kernel)


@_group.command("rtc", hidden=True)
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def _rtc(folder: Path) -> int:
    """Compile what a program gave to NVRTC: what cassc's libnvrtc asks for."""
    from cassc.driver import rtc

    return rtc.compile_folder(folder)


@_group.command("toolkit")
@click.option("--at", "place", type=click.Path(file_okay=False), help="Make one there instead, and print that.")
@click.pass_obj
def _toolkit(say: Say, place: str | None) -> int:
    """Print the folder that build systems take for CUDA's toolkit: CUDA_HOME=$(cassc toolkit)."""
    from cassc import toolchain
    from cassc.driver import toolkit

    found = toolchain.find()
    found.require_runtime()
    kit = toolkit.make(Path(place), found) if place else toolkit.find(found)
    say(str(kit.root))
    return 0


@_group.command("bench")
@_file
@click.option("--engines", default="lift,model", show_default=True, help="Engines to compare: lift, model.")
@_seconds
@_json
@click.pass_obj
def _bench(say: Say, file: str, engines: str, check_seconds: float, as_json: bool) -> int:
    """Compare engines on the kernels of a built file or a cubin. Status 1 if an engine's translation was refused."""
    from cassc.driver import bench

    names = list(dict.fromkeys(filter(None, engines.split(","))))
    strange = [name for name in names if name not in ("lift", "model")]
    if strange or not names:
        raise click.UsageError(f"'{engines}' names no engines for kernels: lift and model are such")
    results = bench.compare(file, names, check_seconds)
    if as_json:
        say(json.dumps([result.to_dict() for result in results], indent=2))
    else:
        for line in bench.lines(results):
            say(line)
    return 1 if any(result.status != "accepted" for result in results) else 0


@_group.group("model")
def _model() -> None:
    """The language model: what is installed, and which one is used."""


@_model.command("info")
@_json
@click.pass_obj
def _model_info(say: Say, as_json: bool) -> int:
    """Print what models there are."""
    from cassc.driver import models

    facts = models.info()
    if as_json:
        say(json.dumps(facts, indent=2))
    else:
        for name, value in facts.items():
            say(f"{name:<12} {value}")
    return 0


@_model.command("use")
@click.argument("place")
@click.option("--name", default="", help="Name of the model, for a server.")
@click.option(
    "--form", default="", type=click.Choice(["", "bf16", "fp32", "int8", "int4"]), help="How weights are held."
)
@click.option("--most-tokens", default=8192, show_default=True, type=click.IntRange(min=1), help="Of an answer.")
@click.pass_obj
def _model_use(say: Say, place: str, name: str, form: str, most_tokens: int) -> int:
    """Use a published CASS checkpoint: a folder in Hugging Face form, or the URL of an OpenAI-compatible server."""
    from cassc.driver import models
    from cassc.model.published import Choice

    local = "://" not in place
    if not local and not (place.startswith(("http://", "https://")) and urlsplit(place).hostname):
        raise click.UsageError(f"'{place}' names no server")
    choice = Choice(str(Path(place).resolve()) if local else place, name, form, most_tokens)
    say(f"'{choice.place}' is used from now on ({models.use(choice)})")
    return 0


@_model.command("forget")
@click.pass_obj
def _model_forget(say: Say) -> int:
    """Use no published checkpoint any more."""
    from cassc.driver import models

    say("forgotten" if models.forget() else "none was in use")
    return 0


@_model.command("translate")
@_file
@click.option("--attempts", default=4, show_default=True, type=click.IntRange(min=1), help="Answers asked for.")
@click.option("--output", "-o", default="", type=click.Path(file_okay=False), help="Folder for accepted answers.")
@_seconds
@click.option("-arch", "arch", default=DEFAULT_SM.name, show_default=True, help="Of a source: as for nvcc.")
@click.option("-std", "std", default="", help="Of a source: as for nvcc.")
@click.option("-I", "include", multiple=True, type=click.Path(file_okay=False), help="Of a source: as for nvcc.")
@click.option("-D", "define", multiple=True, help="Of a source: as for nvcc.")
@click.pass_obj
def _model_translate(
    say: Say,
    file: str,
    attempts: int,
    output: str,
    check_seconds: float,
    arch: str,
    std: str,
    include: tuple[str, ...],
    define: tuple[str, ...],
) -> int:
    """Ask the published checkpoint for each kernel of a built file or cubin, or for HIP in place of a CUDA source, and
    check the answers. Status 1 if one is not accepted."""
    from cassc.driver import models

    try:
        sm = SmArch.parse(arch)
    except ValueError as problem:
        raise click.UsageError(str(problem)) from problem
    arguments = ["-std", std] if std else []
    arguments += [word for option, values in (("-I", include), ("-D", define)) for v in values for word in (option, v)]
    good = True
    for answered in models.translate(file, attempts, check_seconds, sm, arguments):
        detail = f": {answered.reason}" if answered.reason else ""
        say(f"{answered.name}  {answered.status} after {answered.attempts} answers{detail}")
        good &= answered.status == "accepted"
        for suffix, content in answered.products.items() if output else ():
            Path(output).mkdir(parents=True, exist_ok=True)
            (Path(output) / f"{answered.name}{suffix}").write_bytes(content)
    return 0 if good else 1


@_group.group("cache")
def _cache() -> None:
    """Show, bound or clear the cache of translations."""


@_cache.command("stats")
@_json
@click.pass_obj
def _cache_stats(say: Say, as_json: bool) -> int:
    """Where the cache is, how full, and how often it served."""
    usage = Cache.open().usage()
    if as_json:
        fields = {"folder": str(usage.root), "entries": usage.entries, "size": usage.size, "limit": usage.limit}
        say(json.dumps({**fields, "hits": usage.hits, "misses": usage.misses}))
    else:
        say(f"folder   {usage.root}")
        say(f"entries  {usage.entries}")
        say(f"size     {_mebibytes(usage.size)} of {_mebibytes(usage.limit) if usage.limit else '0: switched off'}")
        say(f"served   {usage.hits} of {usage.hits + usage.misses} look-ups")
    return 0


_cache.add_command(_cache_stats, "show")


@_cache.command("limit")
@click.argument("size", required=False)
@click.pass_obj
def _cache_limit(say: Say, size: str | None) -> int:
    """Print the limit, or set it: 500M, 2G; 0 switches the cache off. CASSC_CACHE_SIZE goes before it."""
    cache = Cache.open()
    if size is not None:
        cache.set_limit(parse_size(size, "the limit"))
        if os.environ.get("CASSC_CACHE_SIZE"):
            say("CASSC_CACHE_SIZE is set, and goes before the limit")
    say(f"{_mebibytes(cache.limit)}" if cache.limit else "0: switched off")
    return 0


@_cache.command("clear")
@click.pass_obj
def _cache_clear(say: Say) -> int:
    """Remove every entry."""
    before = Cache.open().clear()
    say(f"removed {before.entries} entries, {_mebibytes(before.size)}")
    return 0


def _mebibytes(size: int) -> str:
    return f"{size / (1 << 20):.1f} MiB"

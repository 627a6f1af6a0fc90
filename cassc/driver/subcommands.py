"""What follows ``cassc`` in place of files: ``doctor``, ``verify``, ``run``... Texts go to ``say``."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from cassc.driver import contents, doctor
from cassc.driver.cache import Cache
from cassc.driver.invocation import DEFAULT_CHECK_SECONDS
from cassc.target import TARGETS

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
@_file
@click.option("--run", "again", is_flag=True, help="Check again, instead of printing what was found when it was built.")
@click.option("--kernel", default="", help="With --run: this kernel only, by its mangled or readable name.")
@click.option("--seed", default=1, show_default=True, help="With --run: what launches are generated from.")
@click.option("--attempt", type=int, default=None, help="With --run: compare the launch of this number only.")
@click.option("--seconds", default=1.5, show_default=True, help="With --run: time for each kernel.")
@click.option("--code-object", default="", type=click.Path(), help="With --run and a cubin: the translation.")
@_json
@click.pass_obj
def _verify(
    say: Say,
    file: str,
    again: bool,
    kernel: str,
    seed: int,
    attempt: int | None,
    seconds: float,
    code_object: str,
    as_json: bool,
) -> int:
    """Print the verdict of each kernel in a built program, library or object. Status 1 if one was rejected."""
    if again:
        from cassc.driver import recheck

        records = recheck.run(file, recheck.Launches(kernel, seed, attempt, seconds), code_object)
    else:
        records = contents.verdicts(file)
    if as_json:
        say(json.dumps(records, indent=2))
    else:
        for line in [*contents.verdict_lines(records), *contents.refused_lines(records)]:
            say(line)
    return 1 if any(k.get("status") == "rejected" for r in records for k in r["kernels"]) else 0


@_group.command("inspect")
@_file
@_json
@click.pass_obj
def _inspect(say: Say, file: str, as_json: bool) -> int:
    """List the fat binaries of a file: architectures, kernels with their resources, embedded code objects."""
    listing = contents.inspect(file)
    if as_json:
        say(json.dumps(listing, indent=2))
    else:
        for line in contents.inspect_lines(listing):
            say(line)
    return 0


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


_targets = click.option(
    "--offload-arch", "targets", multiple=True, type=click.Choice(list(TARGETS)), help="AMD target; gfx1100 if none."
)
_seconds = click.option(
    "--check-seconds", type=click.FloatRange(min=0), default=DEFAULT_CHECK_SECONDS, help="Time to check each kernel."
)


@_group.command("run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@_targets
@_seconds
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def _run(targets: tuple[str, ...], check_seconds: float, program: tuple[str, ...]) -> Launch:
    """Run a program that nvcc built, unchanged: what it holds is translated when it is first used."""
    from cassc.driver import prebuilt

    return prebuilt.launch(program, prebuilt.settings(targets, check_seconds))


@_group.command("first-use", hidden=True)
@_targets
@_seconds
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("file", type=click.Path(path_type=Path))
def _first_use(targets: tuple[str, ...], check_seconds: float, source: Path, file: Path) -> Report:
    """Translate the fat binary in one file into another: what the runtime asks for under 'cassc run'."""
    from cassc.driver import prebuilt

    return prebuilt.translate_first_use(source, file, prebuilt.settings(targets, check_seconds))


@_group.group("cache")
def _cache() -> None:
    """Show or clear the cache of translations."""


@_cache.command("show")
@_json
@click.pass_obj
def _cache_show(say: Say, as_json: bool) -> int:
    """Where the cache is and how full."""
    usage = Cache.open().usage()
    if as_json:
        fields = {"folder": str(usage.root), "entries": usage.entries, "size": usage.size, "limit": usage.limit}
        say(json.dumps(fields))
    else:
        say(f"folder   {usage.root}")
        say(f"entries  {usage.entries}")
        say(f"size     {_mebibytes(usage.size)} of {_mebibytes(usage.limit)}")
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

"""Invocation to plan: which commands and translations, on which files, in which order. Starts nothing.

Everything is made in a scratch folder; :class:`Delivery` lists what is moved to its final name once all jobs have
succeeded, so that a failed build leaves nothing half-made.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from cassc.driver import libraries, outputs, toolkit
from cassc.driver.invocation import Input, Invocation, Kind, Phase
from cassc.driver.toolkit import Toolkit
from cassc.hip.tools import lacks as source_lacks
from cassc.hip.unit import Unit
from cassc.target import DEFAULT_SM
from cassc.toolchain import Nvcc, Toolchain, host_compiler

_OWN_LIBRARIES = frozenset({"cudart", "cudart_static", "cudadevrt"})
"""Libraries that cassc's CUDA runtime stands for; never passed to the linker."""

_SYSTEM_LIBRARIES = ("-lrt", "-lpthread", "-ldl")
"""What nvcc adds to every link line."""


@dataclass(frozen=True, slots=True)
class Compile:
    """nvcc makes a host object, with a fat binary inside, of one source. ``translated``: its device code is complete,
    and is translated next."""

    source: str
    command: tuple[str, ...]
    output: Path
    translated: bool = False


@dataclass(frozen=True, slots=True)
class FromSource:
    """clang makes the object, code objects included, of a CUDA source. ``dependencies``: the file to write them to, as
    a rule of make for ``target``; ``system``: with system headers; ``phony``: with a rule for each header."""

    unit: Unit
    output: Path
    stem: str
    dependencies: Path | None = None
    target: str = ""
    system: bool = True
    phony: bool = False


@dataclass(frozen=True, slots=True)
class Dependencies:
    """clang says what a CUDA source reads: a rule for ``target`` in the file ``output``. The rest as above."""

    unit: Unit
    output: Path
    target: str
    system: bool
    phony: bool


@dataclass(frozen=True, slots=True)
class Translate:
    """Device code of ``input`` is translated; ``output`` is the same object with the code objects inside.

    ``title`` is what diagnostics name: the source where there is one. ``stem`` names the files of ``--keep``.
    """

    title: str
    input: Path
    output: Path
    stem: str
    fallback: FromSource | None = None


@dataclass(frozen=True, slots=True)
class DeviceLink:
    """nvcc links relocatable device code of those ``inputs`` that hold any; without one there is no ``output``,
    unless ``always``."""

    command: tuple[str, ...]
    inputs: tuple[Path, ...]
    output: Path
    always: bool = False


@dataclass(frozen=True, slots=True)
class Finish:
    """The host linker, the archiver, or nvcc alone; ``optional`` files are inserted at ``place`` if they exist."""

    stage: str
    command: tuple[str, ...]
    optional: tuple[Path, ...] = ()
    place: int = 0


Job = Compile | Translate | FromSource | Dependencies | DeviceLink | Finish

STANDARD_OUTPUT = Path("-")


@dataclass(frozen=True, slots=True)
class Delivery:
    made: Path
    final: Path


@dataclass(frozen=True, slots=True)
class Plan:
    """``environment``: the lines that ``-v`` and ``--dryrun`` print first. ``nvcc`` is the one that compiles."""

    jobs: tuple[Job, ...]
    deliveries: tuple[Delivery, ...] = ()
    environment: tuple[str, ...] = ()
    nvcc: Nvcc | None = None


def plan(invocation: Invocation, toolchain: Toolchain, kit: Toolkit | None, scratch: Path) -> Plan:
    """``kit`` is needed where something is linked. Raises CommandLineError for a combination that makes no sense,
    CasscError for a tool that is missing, and for an output that is an input."""
    made = _Planner(invocation, toolchain, kit, scratch).plan()
    written = [delivery.final for delivery in made.deliveries if delivery.final != STANDARD_OUTPUT]
    if invocation.phase is Phase.NVCC:
        written += [Path(name) for name in (invocation.output, invocation.dependency_file) if name not in ("", "-")]
    outputs.check([item.path for item in invocation.inputs], written)
    return made


class _Planner:
    def __init__(self, invocation: Invocation, toolchain: Toolchain, kit: Toolkit | None, scratch: Path) -> None:
        self.invocation = invocation
        self.toolchain = toolchain
        self.kit = kit
        self.scratch = scratch
        self.jobs: list[Job] = []
        self.deliveries: list[Delivery] = []

    def plan(self) -> Plan:
        invocation = self.invocation
        if invocation.dependencies in ("-M", "-MM") and self._source_first():
            self._dependencies()
            return Plan(tuple(self.jobs), tuple(self.deliveries), self._environment())
        if invocation.phase in (Phase.NVCC, Phase.LIST):
            command = (str(self.toolchain.require_nvcc().path), *invocation.nvcc_args)
            return Plan((Finish("nvcc", command),), environment=self._environment())
        made = [self._object(number, item) for number, item in enumerate(invocation.inputs)]
        objects = [path for path in made if path is not None]
        if invocation.phase is Phase.DEVICE_LINK:
            objects, _ = self._libraries(objects)
            self._device_link(objects, final=Path(invocation.output or "a_dlink.o"))
        elif invocation.phase is Phase.ARCHIVE:
            self._archive(objects)
        elif invocation.phase is Phase.LINK:
            self._link(objects)
        return Plan(tuple(self.jobs), tuple(self.deliveries), self._environment(), self.toolchain.nvcc)

    def _environment(self) -> tuple[str, ...]:
        return tuple(toolkit.environment(self.kit)) if self.kit else ()

    def _object(self, number: int, item: Input) -> Path | None:
        """The translated object of one input; the compilation and the translation are planned. None for an object where
        nothing is linked."""
        compiling = self.invocation.phase is Phase.COMPILE
        if item.kind is Kind.DEVICE and not compiling:
            return Path(item.path)  # nvcc links it with the rest
        if not item.kind.is_source and item.kind is not Kind.DEVICE:
            return None if compiling else self._existing(number, item)
        stem = Path(item.path).stem
        compiled = self.scratch / f"{number}-{stem}.o"
        final = Path(self.invocation.output or f"{stem}.o")
        if self.invocation.output_dir and not self.invocation.output:
            final = Path(self.invocation.output_dir) / final
        if not compiling:  # what a dependency file is named by
            final = Path(self.invocation.output or "a.out")
        translated = compiled
        if item.kind is Kind.CUDA and self._source_first():
            self.jobs.append(self._from_source(item, compiled, final, stem))
        else:
            complete = item.kind is Kind.CUDA and not self.invocation.relocatable
            command = self._compile_command(item, compiled, final)
            self.jobs.append(Compile(item.path, command, compiled, translated=complete))
            if item.kind in (Kind.CUDA, Kind.DEVICE):
                translated = self.scratch / f"{number}-{stem}.translated.o"
                fallback = None
                if item.kind is Kind.CUDA and "source" in self.invocation.engines and not self.invocation.relocatable:
                    fallback = self._from_source(item, translated, final, stem, alone=False)
                self.jobs.append(Translate(item.path, compiled, translated, stem, fallback))
        if compiling:
            self.deliveries.append(Delivery(translated, final))
        return translated

    def _dependencies(self) -> None:
        """``-M`` and ``-MM`` by clang."""
        invocation = self.invocation
        wanted = invocation.dependency_file or invocation.output
        for number, item in enumerate(invocation.inputs):
            made = self.scratch / f"{number}.d"
            target = invocation.dependency_target or f"{Path(item.path).stem}.o"
            system, phony = invocation.dependencies == "-M", "-MP" in invocation.depend_args
            self.jobs.append(Dependencies(self._unit(item), made, target, system, phony))
            self.deliveries.append(Delivery(made, Path(wanted) if wanted else STANDARD_OUTPUT))

    def _unit(self, item: Input) -> Unit:
        arguments = self.invocation.compile_args
        version, major = toolkit.version(self.toolchain), toolkit.runtime_major(self.toolchain)
        return Unit(Path(item.path), arguments, version, major, _sm(arguments))

    def _source_first(self) -> bool:
        """Whether CUDA sources go to the source engine without being asked for SASS."""
        engines = self.invocation.engines
        return engines[0] == "source" or (self.toolchain.nvcc is None and "source" in engines and not source_lacks())

    def _from_source(self, item: Input, output: Path, final: Path, stem: str, *, alone: bool = True) -> FromSource:
        """``alone``: no compilation by nvcc is planned beside it, which would write the dependency file."""
        invocation = self.invocation
        unit = self._unit(item)
        if not alone or not invocation.dependencies:
            return FromSource(unit, output, stem)
        made = output.with_suffix(".d")
        wanted = Path(invocation.dependency_file) if invocation.dependency_file else final.with_suffix(".d")
        self.deliveries.append(Delivery(made, wanted))
        target = invocation.dependency_target or str(final)
        system, phony = invocation.dependencies == "-MD", "-MP" in invocation.depend_args
        return FromSource(unit, output, stem, made, target, system, phony)

    def _compile_command(self, item: Input, compiled: Path, final: Path) -> tuple[str, ...]:
        invocation = self.invocation
        by_host = self.toolchain.nvcc is None and item.kind is not Kind.CUDA
        if by_host:
            command = self._host_command(item)
        else:
            command = [str(self.toolchain.require_nvcc().path), "-dc" if item.kind is Kind.DEVICE else "-c", item.path]
            if invocation.language and item.kind is not Kind.ASSEMBLY and _language(item.path) is not item.kind:
                command += ["-x", item.kind.value]
        command += ["-o", str(compiled)]
        if invocation.dependencies:
            made = compiled.with_suffix(".d")
            wanted = Path(invocation.dependency_file) if invocation.dependency_file else final.with_suffix(".d")
            command += [invocation.dependencies, "-MF", str(made), "-MT", invocation.dependency_target or str(final)]
            command += invocation.depend_args
            self.deliveries.append(Delivery(made, wanted))
        if by_host:
            return tuple(command)
        command += invocation.compile_args
        for folder in libraries.missing_headers(toolkit.include(self.toolchain.nvcc)):
            command += ["-isystem", str(folder)]
        if invocation.verbose:
            command.append("-v")
        if invocation.keep:
            command += ["--keep", "--keep-dir", invocation.keep_dir or "."]
        return tuple(command)

    def _host_command(self, item: Input) -> list[str]:
        """Without nvcc the host's compiler does what nvcc would have it do."""
        invocation = self.invocation
        compiler = host_compiler(self.toolchain, invocation.host_compiler)
        include = toolkit.include(None)
        command = [str(compiler), "-c", "-m64", *invocation.host_compile_args, f"-I{include}", "-D__NVCC__"]
        command += [f"-I{folder}" for folder in libraries.missing_headers(include)]
        language = [] if item.kind is Kind.ASSEMBLY else ["-x", "c" if item.kind is Kind.C else "c++"]
        return [*command, *language, item.path, "-x", "none"]

    def _existing(self, number: int, item: Input) -> Path:
        """An object or archive that the user gave: plain nvcc ones are translated, the others pass as they are."""
        path = Path(item.path)
        if item.kind is Kind.SHARED:
            return path
        output = self.scratch / f"{number}-{path.name}"
        self.jobs.append(Translate(item.path, path, output, path.stem))
        return output

    def _device_link(self, objects: list[Path], final: Path | None = None) -> list[Path]:
        """Plan the device link; returns the translated object that it may leave."""
        nvcc = self.toolchain.require_nvcc()
        linked = self.scratch / "dlink.o"
        translated = self.scratch / "dlink.translated.o"
        command = [str(nvcc.path), "-dlink", "-o", str(linked), *self.invocation.device_link_args]
        if nvcc.libraries:
            command += ["-L", str(nvcc.libraries)]
        for folder in self.invocation.library_dirs:
            if self.kit is None or not self.kit.holds(folder):  # nvlink finds NVIDIA's libcudadevrt by itself
                command += ["-L", folder]
        self.jobs.append(DeviceLink(tuple(command), tuple(objects), linked, always=final is not None))
        stem = Path(self.invocation.output or "a").stem
        self.jobs.append(Translate(self.invocation.output or "a_dlink", linked, translated, f"{stem}_dlink"))
        if final:
            self.deliveries.append(Delivery(translated, final))
        return [translated]

    def _archive(self, objects: list[Path]) -> None:
        made = self.scratch / "archive.a"
        archiver = self.invocation.archiver or str(self.toolchain.require_ar())
        command = (archiver, "rcs", *self.invocation.archive_args, str(made), *map(str, objects))
        self.jobs.append(Finish("archive", command))
        self.deliveries.append(Delivery(made, Path(self.invocation.output or "a.a")))

    def _link(self, objects: list[Path]) -> None:
        invocation = self.invocation
        made = self.scratch / "linked"
        objects, libraries = self._libraries(objects)
        optional: list[Path] = []
        if invocation.device_link and not invocation.partial and self._may_be_relocatable():
            optional = self._device_link(objects)
        compiler = host_compiler(self.toolchain, invocation.host_compiler)
        command = [str(compiler), *invocation.host_args, "-m64"]
        command += ["-o", str(made), "-Wl,--start-group", *map(str, objects)]
        place = len(command)
        if invocation.shared:  # from here on in nvcc's order
            command.append("-shared")
        if invocation.partial:
            command += ["-r", "-nostdlib"]
        for argument in invocation.linker_args:
            command += ["-Xlinker", argument]
        for folder in invocation.library_dirs:
            command.append(f"-L{folder}")
        command += [f"-l{name}" for name in libraries]
        if not invocation.partial:
            command += self._runtime()
        command.append("-Wl,--end-group")
        self.jobs.append(Finish("link", tuple(command), tuple(optional), place))
        self.deliveries.append(Delivery(made, Path(invocation.output or "a.out")))

    def _may_be_relocatable(self) -> bool:
        """Without ``-rdc`` and without foreign objects there is nothing to link, and nvcc need not be there."""
        foreign = any(item.kind in (Kind.OBJECT, Kind.ARCHIVE) for item in self.invocation.inputs)
        if self.toolchain.nvcc is None and self._source_first():
            return False
        return self.invocation.relocatable or (foreign and self.toolchain.nvcc is not None)

    def _runtime(self) -> list[str]:
        """cassc's CUDA runtime in the place of NVIDIA's. Build systems read these words off ``-v``."""
        if self.invocation.cudart == "none":
            return []
        self.toolchain.require_runtime()
        assert self.kit is not None, "a link is planned with a toolkit tree"
        words = [f"-L{self.kit.lib}", "-lcudadevrt"]
        if self.invocation.cudart == "shared":
            return [*words, "-lcudart"]
        return [*words, "-lcudart_static", *_SYSTEM_LIBRARIES]

    def _libraries(self, objects: list[Path]) -> tuple[list[Path], list[str]]:
        """``-l`` names that stand for an archive in an ``-L`` folder become inputs: it may hold plain nvcc objects."""
        objects = list(objects)
        names = []
        for name in self.invocation.libraries:
            if name in _OWN_LIBRARIES:
                continue
            archive = self._static_library(name)
            if archive is None:
                names.append(name)
                continue
            objects.append(
                self._existing(len(self.invocation.inputs) + len(objects), Input(str(archive), Kind.ARCHIVE))
            )
        return objects, names

    def _static_library(self, name: str) -> Path | None:
        """The archive that the linker would take for ``-lname``; None where a shared library comes first."""
        for folder in map(Path, self.invocation.library_dirs):
            if (folder / f"lib{name}.so").exists():
                return None
            if (folder / f"lib{name}.a").is_file():
                return folder / f"lib{name}.a"
        return None


def _sm(arguments: tuple[str, ...]) -> int:
    """The architecture that device code may ask for: the newest that the command line names."""
    numbers = [int(n) for word in arguments for n in re.findall(r"(?:sm|compute)_(\d+)", word)]
    return max(numbers, default=DEFAULT_SM.number)


def _language(path: str) -> Kind | None:
    return {".cu": Kind.CUDA, ".c": Kind.C}.get(Path(path).suffix, Kind.CXX)

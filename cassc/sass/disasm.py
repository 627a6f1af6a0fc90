"""Cubin to SassModule: every kernel decoded and, on request, printed as NVIDIA's disassembler prints it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from cassc import diag
from cassc.diag import Diagnostic, Location, Severity
from cassc.image import eiattr
from cassc.image.cubin import Cubin, Kernel, KernelAbi
from cassc.sass.codespace import TEXT, CodeSpace
from cassc.sass.decode import decode
from cassc.sass.fields import WORD_BYTES
from cassc.sass.nameonly import name_only
from cassc.sass.operand import Label
from cassc.sass.printer import text
from cassc.sass.relocate import relocated
from cassc.sass.reserved import with_driver_shared
from cassc.sass.row import Instruction
from cassc.target import SASS_ARCHITECTURES, SmArch


@dataclass(frozen=True, slots=True)
class SassFunction:
    """A kernel, the subroutines in its text section, and the device functions that it may reach elsewhere.

    Attributes:
        instructions: in address order, one for each 16 bytes that decode.
        undecodable: one error for each word that no row describes.
        subroutines: name -> byte offset.
        labels: byte offset -> name, as printed.
        indirect: address of an indirect branch -> its targets (EIATTR_INDIRECT_BRANCH_TARGETS).
        pointed_to: addresses of functions that calls through a register may reach, of those outside of the section.
        sections: first address -> name of the text section that lies there (see ``codespace``).
    """

    name: str
    arch: SmArch
    abi: KernelAbi
    instructions: tuple[Instruction, ...]
    undecodable: tuple[Diagnostic, ...] = ()
    subroutines: Mapping[str, int] = field(default_factory=dict)
    labels: Mapping[int, str] = field(default_factory=dict)
    indirect: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    pointed_to: frozenset[int] = frozenset()
    sections: Mapping[int, str] = field(default_factory=dict)

    def place(self, address: int) -> tuple[str, int]:
        """Text section and byte offset of a code address."""
        start = max((start for start in self.sections if start <= address), default=0)
        return self.sections.get(start, f".text.{self.name}"), address - start

    def text(self, instruction: Instruction) -> str:
        return text(instruction, lambda label: f"`({self.labels.get(label.target, hex(label.target))})")

    def location(self, instruction: Instruction) -> Location:
        return Location(
            kernel=self.name,
            sm=self.arch.name,
            address=instruction.address,
            instruction=self.text(instruction),
        )

    def listing(self) -> str:
        lines = [f"{self.name}:  // {self.arch.name}"]
        for instruction in self.instructions:
            if instruction.address in self.labels:
                lines.append(f"{self.labels[instruction.address]}:")
            lines.append(f"    /*{instruction.address:04x}*/  {self.text(instruction)} ;  // {instruction.control}")
        lines += [f"    // {d.message}" for d in self.undecodable]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class SassModule:
    arch: SmArch
    functions: tuple[SassFunction, ...]

    def function(self, name: str) -> SassFunction | None:
        return next((f for f in self.functions if f.name == name), None)

    def listing(self) -> str:
        return "\n".join(f.listing() for f in self.functions)


def disassemble(cubin: Cubin) -> SassModule:
    """All kernels of a cubin. Words without a row become errors of their function, not of the module.

    Raises CasscError ``sass-unsupported-sm`` for kernels of an architecture whose instructions are not known.
    """
    if cubin.arch.number not in SASS_ARCHITECTURES and cubin.kernels:
        known = ", ".join(str(number) for number in SASS_ARCHITECTURES)
        raise diag.error(
            "sass-unsupported-sm",
            f"the instructions of {cubin.arch.name} are not supported (those of sm_{known} are)",
            Location(kernel=cubin.kernels[0].name, sm=cubin.arch.name),
        )
    space = CodeSpace.of(cubin)
    shared: dict[str, _Code] = {}
    decoded = []
    for kernel in cubin.kernels:
        sections = space.sections(kernel.name)
        codes = [_decode(kernel.code, sections[0], 0, space)]
        for name in sections[1:]:
            if name not in shared:
                shared[name] = _decode(cubin.sections[name].data, name, space.bases[name], space)
            codes.append(shared[name])
        decoded.append((kernel, codes))
    names = _label_names([(kernel, _functions(kernel, codes, space), codes) for kernel, codes in decoded])
    pointed_to = space.pointed_to()
    functions = []
    for kernel, codes in decoded:
        subroutines = _functions(kernel, codes, space)
        instructions = tuple(i for code in codes for i in code.instructions)
        functions.append(
            SassFunction(
                name=kernel.name,
                arch=cubin.arch,
                abi=with_driver_shared(kernel.abi, cubin.arch.number, instructions),
                instructions=instructions,
                undecodable=tuple(
                    replace(d, location=replace(d.location, kernel=kernel.name)) for code in codes for d in code.errors
                ),
                subroutines=subroutines,
                labels=names[kernel.name],
                indirect={place: targets for code in codes for place, targets in code.indirect.items()},
                pointed_to=pointed_to & set(subroutines.values()),
                sections={code.base: code.section for code in codes},
            )
        )
    return SassModule(cubin.arch, tuple(functions))


@dataclass(frozen=True, slots=True)
class _Code:
    section: str
    base: int
    instructions: tuple[Instruction, ...]
    errors: tuple[Diagnostic, ...]
    indirect: Mapping[int, tuple[int, ...]]


def _decode(code: bytes, section: str, base: int, space: CodeSpace) -> _Code:
    arch = space.cubin.arch
    relocations = space.relocations(section)
    instructions, errors = [], []
    for offset in range(0, len(code) - WORD_BYTES + 1, WORD_BYTES):
        word = int.from_bytes(code[offset : offset + WORD_BYTES], "little")
        address = base + offset
        instruction = decode(word, arch.number, address)
        relocation = relocations.get(offset)
        location = Location(sm=arch.name, address=address)
        if instruction is None:
            low, high = word & ((1 << 64) - 1), word >> 64
            message = f"no instruction is known for the word 0x{low:016x} 0x{high:016x} (opcode 0x{word & 0xFFF:03x})"
            if known := name_only(word, arch.number):
                message = f"{known.mnemonic} is not supported: {known.needs} (word 0x{low:016x} 0x{high:016x})"
            errors.append(Diagnostic(Severity.ERROR, "sass-unknown-encoding", message, location))
            continue
        if relocation is not None:
            changed = relocated(instruction, relocation, space)
            if changed is None:
                message = f"relocation type {relocation.type:#x} of {relocation.symbol!r} in {text(instruction)}"
                errors.append(Diagnostic(Severity.ERROR, "sass-unknown-relocation", message, location))
                continue
            instruction = changed
        instructions.append(instruction)
    info = space.cubin.section(f".nv.info.{section.removeprefix(TEXT)}")
    branches = eiattr.indirect_branches(eiattr.records(info.data)) if info is not None else {}
    indirect = {base + place: tuple(base + target for target in targets) for place, targets in branches.items()}
    return _Code(section, base, tuple(instructions), tuple(errors), indirect)


def _functions(kernel: Kernel, codes: Sequence[_Code], space: CodeSpace) -> dict[str, int]:
    """Name -> code address of what a kernel may call."""
    found = {symbol.name: symbol.value for symbol in kernel.subroutines}
    elsewhere = {code.section for code in codes[1:]}
    for symbol in space.cubin.symbols if elsewhere else ():
        if symbol.kind == "FUNC" and symbol.section in elsewhere:
            found[symbol.name] = space.bases[symbol.section] + symbol.value
    return found


def _label_names(decoded: list[tuple[Kernel, dict[str, int], list[_Code]]]) -> dict[str, dict[int, str]]:
    """NVIDIA's numbering: kernels in the order of their symbols, labels in the order of their first use."""
    names: dict[str, dict[int, str]] = {}
    number = 0
    for kernel, functions, codes in decoded:
        operands = (op for code in codes for i in code.instructions for op in i.operands)
        targets = dict.fromkeys(op.target for op in operands if isinstance(op, Label))
        own = {address: name for name, address in functions.items()}
        own[0] = kernel.name
        known: dict[int, str] = {}
        for target in targets:
            if target in own:
                known[target] = own[target]
            else:
                known[target] = f".L_x_{number}"
                number += 1
        for offset, name in own.items():
            if offset:
                known.setdefault(offset, name)
        names[kernel.name] = known
    return names


def normalised(listing_line: str) -> str:
    """A disassembler's line without trailing comments and blanks, for comparison."""
    return re.sub(r'\s*\(\*".*$', "", listing_line).rstrip(" ;")

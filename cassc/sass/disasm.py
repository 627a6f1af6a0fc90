"""Cubin to SassModule: every kernel decoded and, on request, printed as NVIDIA's disassembler prints it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from cassc.diag import Diagnostic, Location, Severity
from cassc.image.cubin import Cubin, Kernel, KernelAbi
from cassc.sass.decode import decode
from cassc.sass.fields import WORD_BYTES
from cassc.sass.operand import Label
from cassc.sass.printer import text
from cassc.sass.row import Instruction
from cassc.target import SmArch


@dataclass(frozen=True, slots=True)
class SassFunction:
    """A kernel and the subroutines in its text section.

    Attributes:
        instructions: in address order, one for each 16 bytes that decode.
        undecodable: one error for each word that no row describes.
        subroutines: name -> byte offset.
        labels: byte offset -> name, as printed.
        indirect_targets: byte offsets that indirect branches may reach (EIATTR_INDIRECT_BRANCH_TARGETS).
    """

    name: str
    arch: SmArch
    abi: KernelAbi
    instructions: tuple[Instruction, ...]
    undecodable: tuple[Diagnostic, ...] = ()
    subroutines: Mapping[str, int] = field(default_factory=dict)
    labels: Mapping[int, str] = field(default_factory=dict)

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
    """All kernels of a cubin. Words without a row become errors of their function, not of the module."""
    decoded = [(kernel, *_decode_kernel(kernel, cubin.arch)) for kernel in cubin.kernels]
    names = _label_names([(kernel, instructions) for kernel, instructions, _ in decoded])
    functions = tuple(
        SassFunction(
            name=kernel.name,
            arch=cubin.arch,
            abi=kernel.abi,
            instructions=instructions,
            undecodable=errors,
            subroutines={s.name: s.value for s in kernel.subroutines},
            labels=names[kernel.name],
        )
        for kernel, instructions, errors in decoded
    )
    return SassModule(cubin.arch, functions)


def _decode_kernel(kernel: Kernel, arch: SmArch) -> tuple[tuple[Instruction, ...], tuple[Diagnostic, ...]]:
    instructions, errors = [], []
    for address in range(0, len(kernel.code) - WORD_BYTES + 1, WORD_BYTES):
        word = int.from_bytes(kernel.code[address : address + WORD_BYTES], "little")
        instruction = decode(word, arch.number, address)
        if instruction is not None:
            instructions.append(instruction)
            continue
        low, high = word & ((1 << 64) - 1), word >> 64
        errors.append(
            Diagnostic(
                Severity.ERROR,
                "sass-unknown-encoding",
                f"no instruction is known for the word 0x{low:016x} 0x{high:016x} (opcode 0x{word & 0xFFF:03x})",
                Location(kernel=kernel.name, sm=arch.name, address=address),
            )
        )
    return tuple(instructions), tuple(errors)


def _label_names(decoded: list[tuple[Kernel, tuple[Instruction, ...]]]) -> dict[str, dict[int, str]]:
    """NVIDIA's numbering: kernels in the order of their symbols, labels in the order of their first use."""
    names: dict[str, dict[int, str]] = {}
    number = 0
    for kernel, instructions in decoded:
        targets = dict.fromkeys(op.target for i in instructions for op in i.operands if isinstance(op, Label))
        own = {symbol.value: symbol.name for symbol in kernel.subroutines}
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

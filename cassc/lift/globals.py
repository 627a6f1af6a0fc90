"""Module variables and constant banks of a cubin as LLVM globals.

Each section becomes one private object that holds its bytes, and each variable in it an exported alias at its offset
and of its size: so variables are found by name, and code that computes offsets in a bank or a section still finds
its neighbours. The objects are listed as used, or LLVM would give a whole section the name of its first variable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cassc import diag
from cassc.image.cubin import Cubin, Relocation, Section
from cassc.lift import devicelib
from cassc.lift.emit import Banks
from cassc.lift.text import quoted
from cassc.sass.codespace import CodeSpace

ADDRESS_64 = (2, 4)  # R_CUDA_64, R_CUDA_G64: the place holds the 64-bit (generic) address of the symbol
_VARIABLES = (".nv.global", ".nv.global.init")
_CONSTANT_VARIABLES = ".nv.constant3"
POINTERS = ".nv.constant4"
# Functions that code outside of the cubin provides: values that no address has.
EXTERNAL = {function: 0xCA55_0000_0000_0001 + k for k, function in enumerate(devicelib.FILES)}
_UNKNOWN_EXTERNAL = 0xCA55_0000_0000_0000
_MAX_ALIGN = 256
# In names of libcudadevrt (cudaLaunchDeviceV2, __cudaCDP2LaunchDevice), whose variables hold descriptors of functions.
_DEVICE_LAUNCH = "LaunchDevice"


@dataclass(frozen=True, slots=True)
class ModuleGlobals:
    """Attributes:
    definitions: LLVM symbol -> definition text.
    banks: constant bank number -> LLVM symbol, of the banks that all kernels share.
    """

    definitions: Mapping[str, str]
    banks: Mapping[int, str]


USED = "@llvm.compiler.used"


def module_globals(cubin: Cubin) -> ModuleGlobals:
    """Variables, ``__constant__`` variables (bank 3) and the table of addresses (bank 4)."""
    definitions: dict[str, str] = {}
    banks: dict[int, str] = {}
    used = []
    for name in (*_VARIABLES, _CONSTANT_VARIABLES):
        section = cubin.section(name)
        if section is None or not section.size:
            continue
        space = 4 if name == _CONSTANT_VARIABLES else 1
        symbol = object_symbol(name)
        kind = f"private addrspace({space}) externally_initialized global"
        definitions[symbol] = f"{symbol} = {kind} {_initialiser(cubin, section)}, align {_align(section)}"
        definitions.update(_aliases(cubin, section, symbol, space))
        used.append(f"ptr addrspacecast (ptr addrspace({space}) {symbol} to ptr)")
        if name == _CONSTANT_VARIABLES:
            banks[3] = symbol
    if used:
        kind = f'appending global [{len(used)} x ptr] [{", ".join(used)}], section "llvm.metadata"'
        definitions[USED] = f"{USED} = {kind}"
    pointers = cubin.section(POINTERS)
    if pointers is not None and pointers.size:
        banks[4] = object_symbol(POINTERS)
        definitions[banks[4]] = constant_bank(cubin, pointers)
    return ModuleGlobals(definitions, banks)


def kernel_banks(cubin: Cubin, kernel: str, shared: ModuleGlobals, definitions: dict[str, str]) -> Banks:
    """The banks of one kernel; its own, of the compiler's constants, is defined in ``definitions``."""
    symbols = dict(shared.banks)
    own = cubin.section(f".nv.constant2.{kernel}")
    if own is not None and own.size:
        symbols[2] = object_symbol(own.name)
        definitions[symbols[2]] = constant_bank(cubin, own)
    return Banks(symbols)


def object_symbol(section: str) -> str:
    return quoted(f".cassc{section}")


def constant_bank(cubin: Cubin, section: Section) -> str:
    """Definition of a bank that nothing writes to."""
    kind = "private addrspace(4) constant"
    return f"{object_symbol(section.name)} = {kind} {_initialiser(cubin, section)}, align {_align(section)}"


def addresses(cubin: Cubin) -> dict[str, str]:
    """Module variable -> LLVM constant of its address (i64)."""
    sections = [n for n in (*_VARIABLES, _CONSTANT_VARIABLES) if (s := cubin.section(n)) is not None and s.size]
    return {s.name: _place(s.section, s.value) for s in cubin.symbols if s.section in sections}


def _place(section: str, offset: int) -> str:
    space = 4 if section == _CONSTANT_VARIABLES else 1
    place = f"ptr addrspace({space}) {object_symbol(section)}"
    if offset:
        place = f"ptr addrspace({space}) getelementptr (i8, {place}, i64 {offset})"
    return f"ptrtoint ({place} to i64)"


def _align(section: Section) -> int:
    return min(max(section.align, 16), _MAX_ALIGN)


def _aliases(cubin: Cubin, section: Section, base: str, space: int) -> dict[str, str]:
    aliases = {}
    for symbol in cubin.symbols:
        if symbol.section != section.name or symbol.kind != "OBJECT" or not symbol.name:
            continue
        place = f"ptr addrspace({space}) {base}"
        if symbol.value:
            place = f"ptr addrspace({space}) getelementptr (i8, {place}, i64 {symbol.value})"
        name = quoted(symbol.name)
        aliases[name] = f"{name} = protected alias [{symbol.size} x i8], {place}"
    return aliases


def _initialiser(cubin: Cubin, section: Section) -> str:
    """Type and value: bytes, with an i64 wherever a relocation puts an address."""
    relocations = sorted(cubin.relocations.get(section.name, ()), key=lambda r: r.offset)
    if not section.data and not relocations:
        return f"[{section.size} x i8] zeroinitializer"
    data = section.data.ljust(section.size, b"\0")
    fields = []
    position = 0
    for relocation in relocations:
        if relocation.offset < position:
            raise diag.error("lift-unsupported", f"overlapping relocations in {section.name}")
        fields.append(_bytes(data[position : relocation.offset]))
        fields.append(f"i64 {_address(cubin, section, relocation)}")
        position = relocation.offset + 8
    fields.append(_bytes(data[position:]))
    fields = [f for f in fields if f]
    if len(fields) == 1:
        return fields[0]
    types = ", ".join(_type(f) for f in fields)
    return f"<{{ {types} }}> <{{ {', '.join(fields)} }}>"


def _type(field: str) -> str:
    return field.partition("] ")[0] + "]" if field.startswith("[") else field.partition(" ")[0]


def _bytes(data: bytes) -> str:
    if not data:
        return ""
    if not any(data):
        return f"[{len(data)} x i8] zeroinitializer"
    escaped = "".join(chr(b) if 32 <= b < 127 and b not in (34, 92) else f"\\{b:02X}" for b in data)
    return f'[{len(data)} x i8] c"{escaped}"'


def _address(cubin: Cubin, section: Section, relocation: Relocation) -> str:
    """What a relocated 64-bit word holds: the address of a variable, a code offset, or a marker of an external."""
    space = CodeSpace.of(cubin)
    symbol = space.symbols.get(relocation.symbol)
    if relocation.type not in ADDRESS_64 and any(_DEVICE_LAUNCH in name for name in space.symbols):
        message = "kernels that launch kernels (dynamic parallelism, libcudadevrt) are not supported"
        raise diag.error("lift-unsupported", message)
    if relocation.type not in ADDRESS_64 or symbol is None:
        raise diag.error("lift-unsupported", f"relocation type {relocation.type} in {section.name}")
    if symbol.section == "":
        return str(EXTERNAL.get(symbol.name, _UNKNOWN_EXTERNAL))
    code = space.address(symbol)
    if code is not None:
        return str(code + relocation.addend)
    if symbol.section in (*_VARIABLES, _CONSTANT_VARIABLES):
        return _place(symbol.section, symbol.value + relocation.addend)
    raise diag.error("lift-unsupported", f"{section.name} holds an address in {symbol.section}")

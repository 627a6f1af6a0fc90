"""Wrong translations made on purpose, at the level of RDNA3 instructions: one instruction of a code object changed.

What a compiler may get wrong in an instruction: the operation, an operand, a number, or that it is there at all. The
instruction's text is changed, assembled by LLVM, and put in the place of the original where it has the same length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cassc.amdgpu.assemble import Line, disassemble, encode
from cassc.image import codeobject, elf
from cassc.image.reader import ElfReader
from cassc.target import Target

_IDLE = re.compile(
    r"s_(nop|delay_alu|waitcnt|waitcnt_\w+|clause|code_end|endpgm|sendmsg|set_inst_prefetch_distance|sleep|inst_prefetch"
    r"|getreg_b32|setreg_\w+|icache_inv|wait_idle|ttracedata\w*)\b|buffer_gl|\.long|global_inv"
)
"""Instructions that compute nothing, or whose absence an emulator without timing cannot show."""
_CANONICAL = re.compile(r"v_(max|mul)_f\d+\w* (v\[?[\d:]+\]?(?:\.[lh])?), (?:1\.0, )?(\2)(, \2)?$")
"""``max x, x`` quietens a signalling NaN and does nothing else."""
_NUMBER = re.compile(r"(?<![\w.:\[])(-?\d+|0x[0-9a-f]+)(?![\w.:\]])")
_VECTOR = re.compile(r"\bv(\d+)(?:\.[lh])?\b")
_SCALAR = re.compile(r"\bs(\d+)\b")


NOTHING = (0xBF800000).to_bytes(4, "little")
"""s_nop 0"""


def _pairs(*words: str) -> dict[str, str]:
    table = {}
    for pair in words:
        a, b = pair.split(":")
        table[a], table[b] = b, a
    return table


_OPERATIONS = _pairs(
    *("add_nc_u32:sub_nc_u32", "add_f32:sub_f32", "add_f64:mul_f64", "add_f16:sub_f16", "mul_f32:max_f32"),
    *("mul_lo_u32:add_nc_u32_e64", "and_b32:or_b32", "xor_b32:xnor_b32", "lshlrev_b32:lshrrev_b32"),
    *("lshlrev_b64:lshrrev_b64", "min_i32:max_i32", "min_u32:max_u32", "min_f32:max_f32_", "min_f64:max_f64"),
    *(
        "mul_hi_u32:mul_hi_i32",
        "bfe_u32:bfe_i32",
        "mad_u64_u32:mad_i64_i32",
        "add3_u32:xor3_b32",
        "cvt_f32_i32:cvt_f32_u32",
    ),
    *("add_i32:sub_i32", "add_u32:sub_u32", "addc_u32:subb_u32", "lshl_b32:lshr_b32", "lshl_b64:lshr_b64"),
    *("and_b64:or_b64", "and_saveexec_b32:or_saveexec_b32", "cselect_b32:cselect_b32", "fma_f32:fma_f32"),
    *("cbranch_scc0:cbranch_scc1", "cbranch_vccz:cbranch_vccnz", "cbranch_execz:cbranch_execnz"),
    *("load_b32:load_u16", "load_u8:load_i8", "load_u16:load_i16", "store_b32:store_b16", "store_b64:store_b32"),
    *("atomic_add_u32:atomic_sub_u32", "atomic_min_u32:atomic_max_u32", "atomic_min_i32:atomic_max_i32"),
    *("atomic_and_b32:atomic_or_b32", "add_rtn_u32:sub_rtn_u32", "add_co_u32:sub_co_u32", "lshl_add_u32:lshl_or_b32"),
    *("ashrrev_i32:lshrrev_b32_", "and_not1_b32:and_b32_", "mul_i32:add_i32_", "sub_co_ci_u32:add_co_ci_u32"),
)
_COMPARISONS = {"lt": "le", "le": "lt", "gt": "ge", "ge": "gt", "eq": "ne", "ne": "eq", "lg": "eq"}
_COMPARISONS |= {"nlt": "nle", "nle": "nlt", "ngt": "nge", "nge": "ngt", "neq": "eq", "nlg": "eq", "u": "o", "o": "u"}
_COMPARE = re.compile(r"(v_cmpx?|s_cmpk?)_([a-z]+)_([iuf]\d+)")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One instruction replaced.

    Attributes:
        kind: what was changed: ``operation``, ``comparison``, ``register``, ``number``, ``operands`` or ``dropped``.
        address: of the instruction in the code object.
        before, after: its text.
        code: what stands there instead, of the same length.
    """

    kind: str
    address: int
    before: str
    after: str
    code: bytes


def instructions(code_object: bytes, kernel: str) -> list[Line]:
    """Those of one kernel, without what compute nothing."""
    begin, end = extent(code_object, kernel)
    return [line for line in disassemble(code_object) if begin <= line.address < end and not _IDLE.match(line.text)]


def extent(code_object: bytes, kernel: str) -> tuple[int, int]:
    """First address of a kernel's code and the one behind it."""
    file = ElfReader(code_object)
    table = file.find(".dynsym")
    for symbol in file.symbols(table) if table is not None else ():
        if symbol.name == kernel and symbol.type == elf.STT_FUNC:
            return symbol.value, symbol.value + symbol.size
    return 0, 0


def apply(code_object: bytes, mutant: Mutant) -> bytes:
    """The code object with the instruction replaced."""
    at = place(code_object, mutant.address)
    return code_object[:at] + mutant.code + code_object[at + len(mutant.code) :]


def place(code_object: bytes, address: int) -> int:
    """Where the code of an address stands in the file."""
    for section in ElfReader(code_object).sections:
        if section.flags & elf.SHF_EXECINSTR and section.address <= address < section.address + section.size:
            return int(section.offset + address - section.address)
    raise ValueError(f"no code at {address:#x}")


def trapping(mutant: Mutant) -> Mutant:
    """Stops whoever gets there: tells whether a launch reaches the instruction at all."""
    return Mutant("reached", mutant.address, mutant.before, "s_trap 2", (0xBF900002).to_bytes(4, "little"))


def mutants(code_object: bytes, kernel: str, target: Target) -> list[Mutant]:
    """Every mutant of a kernel, in order of address."""
    wanted = [(kind, line, text) for line in instructions(code_object, kernel) for kind, text in _variants(line.text)]
    texts = sorted({text for _, _, text in wanted if text})
    codes = dict(zip(texts, encode(texts, target), strict=True)) if texts else {}
    found = []
    original = dict(codeobject.code_sections(code_object)[1])
    for kind, line, text in wanted:
        code = codes[text] if text else NOTHING * (line.size // 4)
        if len(code) == line.size and code != _slice(original, line):
            found.append(Mutant(kind, line.address, line.text, text, code))
    return found


def _slice(sections: Mapping[int, bytes], line: Line) -> bytes:
    for start, data in sections.items():
        if start <= line.address < start + len(data):
            return data[line.address - start : line.address - start + line.size]
    return b""


def _variants(text: str) -> Iterator[tuple[str, str]]:
    """(kind, text) of what the instruction may become; texts that do not assemble are sorted out later."""
    if _CANONICAL.match(text):
        return
    head, _, operands = text.partition(" ")
    if head != "s_branch" and not head.startswith("s_cbranch"):
        yield "dropped", ""
    for first, second in _operations(head, operands):
        yield "operation", f"{first} {second}".strip()
    compared = _COMPARE.match(head)
    if compared:
        changed = _COMPARISONS.get(compared[2])
        if changed is not None:
            yield "comparison", f"{head[: compared.start(2)]}{changed}{head[compared.end(2) :]} {operands}"
        type = compared[3]
        if type[0] in "iu" and compared[2] not in ("eq", "ne", "lg"):
            other = ("u" if type[0] == "i" else "i") + type[1:]
            yield "comparison", f"{head[: compared.start(3)]}{other}{head[compared.end(3) :]} {operands}"
    if "::" in text or head.startswith(("s_cbranch", "s_branch")):
        return
    parts = operands.split(", ")
    if head.startswith(("v_sub", "v_cndmask", "v_lshl", "v_lshr", "v_ashr", "s_sub", "s_cselect")) and len(parts) >= 3:
        yield "operands", f"{head} {', '.join([parts[0], parts[2], parts[1], *parts[3:]])}"
    sources = [k for k in range(len(parts)) if k or head.startswith(("s_cmp", "global_store", "ds_store", "v_cmpx"))]
    for k in sources[:3]:
        for pattern, prefix in ((_VECTOR, "v"), (_SCALAR, "s")):
            m = pattern.fullmatch(parts[k].strip())
            if m:
                # The register before it, where there is one: it is in use more surely than the one behind.
                neighbour = int(m[1]) - 1 if int(m[1]) else int(m[1]) + 1
                changed_part = f"{prefix}{neighbour}{parts[k].strip()[len(prefix) + len(m[1]) :]}"
                yield "register", f"{head} {', '.join([*parts[:k], changed_part, *parts[k + 1 :]])}"
    for m in list(_NUMBER.finditer(operands))[:2]:
        step = 4 if head.startswith("s_load") else 1  # scalar loads pass over the two lowest bits
        yield "number", f"{head} {operands[: m.start()]}{int(m[0], 0) + step}{operands[m.end() :]}"
    offset = re.search(r"offset:(\d+)", operands)
    if offset:
        yield "number", f"{head} {operands[: offset.start(1)]}{int(offset[1]) ^ 4}{operands[offset.end(1) :]}"


def _operations(head: str, operands: str) -> Iterator[tuple[str, str]]:
    """Head and operands with another operation; of the parts of a dual instruction, one after the other."""
    if "::" in operands:
        first, _, second = operands.partition(" :: ")
        for changed in _other(head):
            yield changed, operands
        name, _, rest = second.partition(" ")
        for changed in _other(name):
            yield head, f"{first} :: {changed} {rest}"
        return
    for changed in _other(head):
        yield changed, operands


def _other(head: str) -> Iterator[str]:
    prefix, _, name = head.partition("_")
    if name.startswith("dual_"):
        prefix, name = f"{prefix}_dual", name.removeprefix("dual_")
    bare = re.sub(r"_e(32|64)$", "", name)
    suffix = name[len(bare) :]
    changed = _OPERATIONS.get(bare) or _OPERATIONS.get(f"{bare}_")
    if changed is not None and changed.rstrip("_") != bare:
        changed = changed.rstrip("_")
        yield f"{prefix}_{changed}{'' if changed.endswith('_e64') else suffix}"

"""The emulator's scalar rows, read from shims/emu/isa, run on values and compared with the manual's pseudocode."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from tests.emu.conftest import Frame, Machine
from tests.emu.pseudocode import Program
from tests.emu.pseudocode_values import Unknown, u
from tests.emu.pseudocode_vector import DENORMALS_ARE_ZERO, ISA, Row, same, values, width

# --- scalar instructions: one workgroup for each set of values. S0 is in s[20:21], S1 in s[22:23], the old destination
# in s[24:25], SCC in s26; EXEC is S1 before the instructions that change it.
SIMM16, SIMM32 = 0x8F31, 0xC0490FDB
_SCALAR = re.compile(r"^(SOP[12CK]E?)\((0x[0-9a-f]+), (s_\w+), (.*)", re.M)


def scalar_rows() -> Iterator[Row]:
    for file in ("sop1", "sop2", "sopc", "sopk"):
        for match in _SCALAR.finditer((ISA / f"{file}.def").read_text()):
            kind, number, name, rest = match.groups()
            n = int(number, 16)
            parts = [part.strip() for part in rest.split(",")]
            none = "none"
            if kind == "SOP2":
                yield Row(kind, name, (parts[0], parts[1], parts[2], none), parts[3], n)
            elif kind == "SOPC":
                yield Row(kind, name, (none, parts[0], parts[1], none), "", n)
            elif kind == "SOPK":
                yield Row(kind, name, ("b32", none, none, none), "", n)
            else:
                yield Row(kind, name, (parts[0], parts[0] if kind == "SOP1E" else parts[1], none, none), "", n)


def scalar_text(row: Row) -> str:
    def register(kind: str, at: int) -> str:
        return f"s[{at}:{at + 1}]" if width(kind) == 64 else f"s{at}"

    if row.format == "SOPK":
        return f"{row.name} s30, {SIMM16:#x}"
    operands = [register(kind, 20 + 2 * n) for n, kind in enumerate(row.types[1:]) if kind != "none"]
    if row.flags == "AK":
        operands.append(f"{SIMM32:#x}")
    if row.flags == "MK":
        operands.insert(1, f"{SIMM32:#x}")
    if row.types[0] != "none":
        operands.insert(0, register(row.types[0], 30))
    return f"{row.name} {', '.join(operands)}"


def scalar_expected(program: Program, row: Row, table: Sequence[int]) -> tuple[int, int, int]:
    first, second, old, carry = table
    if row.name in DENORMALS_ARE_ZERO and first & 0x7F800000 == 0:
        first &= 0x80000000  # the unit for these functions takes denormals for zero
    # gfx11's manual calls the immediate SIMM16 and the register S0, gfx12's the immediate S0.
    immediate = old if "SIMM16" in program.tokens else SIMM16
    known = {"S0": immediate if row.format == "SOPK" else first, "S1": second, "D0": old, "EXEC": second}
    state = {name: u(64, raw) for name, raw in known.items()}
    for n, kind in ((0, row.types[1]), (1, row.types[2])):
        if kind != "none" and width(kind) != 64:
            state[f"S{n}"] = u(32, state[f"S{n}"].raw)
    state |= {
        "SCC": u(1, carry),
        "SIMM16": u(16, SIMM16),
        "SIMM32": u(32, SIMM32),
        "TRAPSTS": u(32, 0),
        "ROUND_MODE": u(2, 0),
    }
    state |= {"ROUND_TOWARD_ZERO": u(2, 3), "WAVE_MODE": u(32, 0), "S2": u(64, old)}
    program.run(state)
    return state["D0"].raw, state["SCC"].raw & 1, state["EXEC"].raw


def compare_scalar(machine: Machine, chosen: Sequence[Row], texts: dict[str, str]) -> list[str]:
    """Runs the rows, twelve in a kernel; what differs."""
    rng = np.random.default_rng(3)
    wrong: list[str] = []
    by_types: dict[tuple[str, ...], list[Row]] = {}
    for row in chosen:
        by_types.setdefault(row.types[1:3], []).append(row)
    for types, group in by_types.items():
        kinds = [kind if kind != "none" else "b64" for kind in types]
        table = [
            [*pair, int.from_bytes(rng.bytes(8), "little"), int(rng.integers(2))]
            for pair in zip(*(values(rng, k) for k in kinds), strict=True)
        ]
        words = np.array(
            [[w for x in entry[:3] for w in (x & 0xFFFFFFFF, x >> 32)] + [entry[3], 0] for entry in table], np.uint32
        )
        for start in range(0, len(group), 12):
            batch = group[start : start + 12]
            got = run_scalar(machine, [scalar_text(row) for row in batch], words)
            for n, row in enumerate(batch):
                program = Program(texts[row.name], texts)
                for entry, mine in zip(table, got[:, n], strict=True):
                    try:
                        value, scc, exec_mask = scalar_expected(program, row, entry)
                    except Unknown as why:
                        wrong.append(f"{row.name}: {why}")
                        break
                    result, mask = int(mine[0]) | int(mine[1]) << 32, int(mine[3]) | int(mine[4]) << 32
                    d_same = row.types[0] == "none" or same(row, result, value)
                    if not d_same or int(mine[2]) != scc or mask != exec_mask:
                        shown = ", ".join(f"{x:#x}" for x in entry)
                        wrong.append(
                            f"{row.name}({shown}): {result:#x} {mine[2]} {mask:#x}, "
                            f"manual {value:#x} {scc} {exec_mask:#x}"
                        )
                        break
    return wrong


def run_scalar(machine: Machine, texts: Sequence[str], words: np.ndarray) -> np.ndarray:
    """[workgroup][instruction][D low, D high, SCC, EXEC low, EXEC high]"""
    body = f"""s_load_b128 s[4:7], s[0:1], 0
        s_lshl_b32 s8, s2, 5
        s_waitcnt lgkmcnt(0)
        s_load_b256 s[20:27], s[4:5], s8
        s_mul_i32 s9, s2, {20 * len(texts)}
        v_mov_b32 v1, s9
        s_waitcnt lgkmcnt(0)
    """
    for n, text in enumerate(texts):
        body += f"""s_mov_b64 s[30:31], s[24:25]
            s_mov_b64 exec, s[22:23]
            s_cmp_lg_u32 s26, 0
            {text}
            s_cselect_b32 s32, 1, 0
            s_mov_b64 s[34:35], exec
            s_mov_b32 exec_lo, 1
            s_mov_b32 exec_hi, 0
        """
        for k, register in enumerate(("s30", "s31", "s32", "s34", "s35")):
            body += f"v_mov_b32 v2, {register}\nglobal_store_b32 v1, v2, s[6:7] offset:{20 * n + 4 * k}\n"
    kernel = machine.build(body, Frame(kernarg=16, vgprs=8))
    out = machine.emulator.alloc(20 * len(texts) * len(words))
    machine.launch(kernel, machine.buffer(words), out, grid=len(words))
    return machine.emulator.read_array(out, np.uint32, 5 * len(texts) * len(words)).reshape(len(words), len(texts), 5)

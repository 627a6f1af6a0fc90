"""The decoder against LLVM's disassembler and assembler: every row, and random words."""

from __future__ import annotations

import ctypes
import random
import re
import struct
from collections.abc import Callable, Iterator
from ctypes import c_char_p, c_int, c_size_t, c_uint64, c_void_p
from pathlib import Path

import pytest

from cassc.amdgpu import assemble, emulator
from cassc.amdgpu.llvm import find_llvm
from cassc.diag import CasscError
from cassc.target import TARGETS, Target

# What LLVM knows and the emulator refuses, by the start of the mnemonic.
_LIST = Path(__file__).parents[2] / "shims" / "emu" / "isa" / "refused.txt"
REFUSED = tuple(line.split(" | ")[0] for line in _LIST.read_text().splitlines() if not line.startswith("#"))
# In AMD's manual and in LLVM 19; later ones left them out.
FORMER = ("buffer_load_lds_", "s_singleuse_vdst")


class Disassembler:
    """LLVM's, for one processor."""

    def __init__(self, cpu: str) -> None:
        library = find_llvm().library
        if library is None:
            pytest.skip("no LLVM-C library")
        self.llvm = ctypes.CDLL(str(library))
        for part in ("TargetInfo", "Target", "TargetMC", "Disassembler"):
            getattr(self.llvm, f"LLVMInitializeAMDGPU{part}")()
        create = self.llvm.LLVMCreateDisasmCPUFeatures
        create.restype = c_void_p
        create.argtypes = [c_char_p, c_char_p, c_char_p, c_void_p, c_int, c_void_p, c_void_p]
        self.handle = create(b"amdgcn-amd-amdhsa", cpu.encode(), b"+wavefrontsize32,+real-true16", None, 0, None, None)
        self.llvm.LLVMDisasmInstruction.restype = c_size_t
        self.llvm.LLVMDisasmInstruction.argtypes = [c_void_p, c_void_p, c_uint64, c_uint64, c_char_p, c_size_t]

    def __call__(self, code: bytes) -> tuple[int, str]:
        """Length in bytes (0: not an instruction) and text."""
        text = ctypes.create_string_buffer(512)
        data = ctypes.create_string_buffer(code, len(code))
        size = self.llvm.LLVMDisasmInstruction(self.handle, data, len(code), 0, text, len(text))
        return size, text.value.decode().strip()


def mnemonic(text: str) -> str:
    """Without the suffix that names the encoding."""
    return " :: ".join(re.sub(r"(_e32|_e64)?(_dpp|_dpp8)?$", "", half.split()[0]) for half in text.split("::"))


@pytest.fixture(scope="module", params=["gfx1150", "gfx1200"])
def processor(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def disassemble(processor: str) -> Callable[[bytes], tuple[int, str]]:
    try:
        find_llvm()
    except CasscError as refusal:
        pytest.skip(str(refusal))
    if emulator.library_path() is None:
        pytest.skip("libcassc_emu.so is not built")
    return Disassembler(processor)


V1, V2, V3, V4 = 0x101, 0x102, 0x103, 0x104
OPERANDS = [(a, b, c) for a in (V1, 4) for b in (V2, 0, 4) for c in (V3, 0, 6)]


def candidates() -> Iterator[tuple[str, list[list[int]]]]:
    """For each format and number: words that hold a plain example, most operands first."""
    for n in range(256):
        yield f"SOP1 {n}", [[0xBE800000 | d << 16 | n << 8 | source] for source in (2, 0xC1) for d in (4, 0)]
        yield f"DS {n}", [
            [0xD8000000 | n << 18, v << 24 | d1 << 16 | d0 << 8 | a]
            for v in (8, 0) for d1 in (6, 0) for d0 in (4, 0) for a in (2, 0)
        ]  # fmt: skip
        yield f"MUBUF {n}", [[0xE0000000 | n << 18, w] for w in (0x80010402, 0)]
        if n < 16:
            yield f"MTBUF {n}", [[0xE8080000 | n << 15, w] for w in (0x80010402, 0)]
        yield f"MIMG {n}", [[0xF0000004 | mask << 8 | n << 18, w] for mask in (1, 3) for w in (0x08010402, 0x00010402)]
        yield (
            f"SMEM {n}",
            [
                [0xF4000000 | n << 18 | 4 << 6 | 2, 0xF8000000],
                [0xF4000000 | n << 18, 0xF8000000],
                [0xF4000000 | n << 18, 0],
            ],
        )
        yield f"VOPC {n}", [[0x7C000000 | n << 17 | 2 << 9 | V1]]
    for n in range(128):
        yield f"SOP2 {n}", [[0x80000000 | n << 23 | 4 << 16 | 8 << 8 | 2, 0x12345678]] if n < 96 else []
        yield f"SOPC {n}", [[0xBF000000 | n << 16 | 8 << 8 | 2]]
        yield f"SOPP {n}", [[0xBF800000 | n << 16]]
        yield f"VOP1 {n}", [[0x7E000000 | 2 << 17 | n << 9 | V1], [0x7E000000 | n << 9]]
        yield (
            f"VOP3P {n}",
            [
                [0xCC004000 | n << 16 | 8, 3 << 27 | c << 18 | b << 9 | a]
                for a, b, c in (*OPERANDS, (0x108, 0x110, 0x118))
            ],
        )
        for segment, s in (("FLAT", 0), ("SCRATCH", 1), ("GLOBAL", 2)):
            yield f"{segment} {n}", [
                [0xDC000000 | n << 18 | s << 16, v << 24 | 0x7C << 16 | d << 8 | a]
                for v in (8, 0) for d in (4, 0) for a in (2, 0)
            ] + [
                [0xDC000000 | n << 18 | s << 16, v << 24 | 2 << 16 | d << 8] for v in (8, 0) for d in (4, 0)
            ]  # fmt: skip
    for n in range(64):
        yield f"VOP2 {n}", [[n << 25 | 3 << 17 | 2 << 9 | V1, 0x3C01]] if n < 62 else []
    for n in range(32):
        # The waits take `null` as their counter.
        yield f"SOPK {n}", [[0xB0000000 | n << 23 | (124 if n >= 24 else 4) << 16 | 1, 0x1234]] if n != 29 else []
        if n < 16:
            yield (
                f"VOPDX {n}",
                [[0xC8000000 | n << 22 | 8 << 17 | b << 9 | V1, 3 << 24 | 2 << 17 | V4, 0x3C01] for b in (2, 0)],
            )
        yield (
            f"VOPDY {n}",
            [[0xC8000000 | 8 << 22 | n << 17 | V1, 3 << 24 | 2 << 17 | b << 9 | V4, 0x3C01] for b in (2, 0)],
        )
    for n in range(1024):
        heads = [0xD4000000 | n << 16 | d for d in (10, 126, 0)]
        yield f"VOP3 {n}", [[h, c << 18 | b << 9 | a] for h in heads for a, b, c in (*OPERANDS, (0, 0, 0))]


# Formats whose words gfx12 lays out otherwise.
_OTHER = ("MUBUF", "MTBUF", "MIMG", "SMEM", "FLAT", "SCRATCH", "GLOBAL")


def candidates12() -> Iterator[tuple[str, list[list[int]]]]:
    for where, words in candidates():
        if not where.startswith(_OTHER):
            yield where, words
    for n in range(64):
        head = 0xF4000000 | n << 13
        yield f"SMEM {n}", [[head | 4 << 6 | 2, 0xF8000000], [head, 0xF8000000], [head, 0]]
    for n in range(256):
        for name, top in (("VFLAT", 0xEC), ("VSCRATCH", 0xED), ("VGLOBAL", 0xEE)):
            heads = [top << 24 | n << 14 | s for s in (0x7C, 4)]
            yield f"{name} {n}", [[h, d << 23 | v, a] for h in heads for v in (8, 0) for d in (4, 0) for a in (2, 0)]
        yield f"VBUFFER {n}", [[0xC4000000 | n << 14 | 0x7C, 1 << 23 | 8 << 9 | v, 0] for v in (4, 0)]
        yield (
            f"VIMAGE {n}",
            [[0xD0000001 | n << 14 | mask << 22, 8 << 9 | 4, 0] for mask in (1, 3) if n != 11 or mask == 3],
        )
        yield f"VSAMPLE {n}", [[0xE4000001 | n << 14 | 1 << 22, 16 << 23 | 8 << 9 | 4, 0]]


def test_every_row_is_llvms_instruction(disassemble: Callable[[bytes], tuple[int, str]], processor: str) -> None:
    """Number by number, both name the same instruction of the same length; only REFUSED ones are LLVM's alone."""
    examples: dict[str, str] = {}
    wrong: list[str] = []
    for where, words in candidates() if processor == "gfx1150" else candidates12():
        codes = [struct.pack("<4I", *(w + [0] * 4)[:4]) for w in words]
        theirs = [(c, *disassemble(c)) for c in codes]
        good = [(c, size, text) for c, size, text in theirs if size and "Invalid" not in text]
        decoded = {c: emulator.decode(c, processor) for c in codes}
        named = {what: c for c, what in decoded.items() if what[0] and not (what[1].startswith(FORMER) and not good)}
        expected = {(size, mnemonic(text)): text for _, size, text in good}
        listed = tuple(start for start in REFUSED if start != "s_atc_probe" or processor == "gfx1200")
        refused = any(mnemonic(text).startswith(listed) for text in expected.values())
        if not set(named) <= set(expected) or (refused and named):
            wrong.append(f"{where}: LLVM {expected}, emulator {named}")
        elif expected and not named and not refused:
            wrong.append(f"{where}: LLVM {expected}, emulator refuses")
        elif named:
            examples[where] = next(text for c, _, text in good if decoded[c][0])
    assert not wrong, "\n".join(wrong)
    assert len(examples) > 1350
    _assemble_back(examples, processor)


def _assemble_back(examples: dict[str, str], processor: str) -> None:
    """LLVM's text, assembled again, decodes to the same mnemonics in the same order."""
    texts = [t for t in examples.values() if not t.startswith(("s_branch", "s_cbranch", "s_call", "s_subvector"))]
    if processor == "gfx1200":  # for which the assembler takes no halves of registers unless asked to
        texts = [t for t in texts if not re.search(r"\bv\d+\.[lh]\b", t)]
    # Text does not always keep the encoding: ask for the 32-bit or 64-bit form only through the suffix LLVM printed.
    source = ".text\n" + "\n".join(texts) + "\n"
    target = TARGETS.get(processor, Target("gfx1200", 0x48))
    code = assemble.assemble(_as_kernel(source, processor), target, form="asm")
    if processor == "gfx1200":
        return  # no target of cassc's, whose tools do not read its code objects
    lines = assemble.disassemble(code)
    assert [mnemonic(line.text) for line in lines[: len(texts)]] == [mnemonic(t) for t in texts]


def _as_kernel(source: str, processor: str) -> str:
    return f'.amdgcn_target "amdgcn-amd-amdhsa--{processor}"\n' + source + ".globl f\n.type f,@function\nf: s_endpgm\n"


def random_words(rng: random.Random) -> list[int]:
    """Four words that begin like some format, often with the fields LLVM insists on."""
    heads = (
        (0, 1), (0x3F, 7), (0x3E, 7), (2, 2), (0x17D, 9), (0x17E, 9), (0x17F, 9), (0xB, 4), (0x35, 6), (0xCC, 8),
        (0x36, 6),
        (0x37, 6), (0x38, 6), (0x3A, 6), (0x3C, 6), (0x3D, 6), (0x32, 6),
    )  # fmt: skip
    value, width = rng.choice(heads)
    w = value << (32 - width) | rng.getrandbits(32 - width)
    x = rng.getrandbits(32)
    if rng.random() < 0.6:
        match value if width == 6 else -1:
            case 0x35:
                w, x = w & 0xFFFF00FF, x & 0x07FFFFFF
            case 0x36:
                w &= ~(3 << 16)
            case 0x37:
                w, x = w & ~0xE000, (x & 0xFF00FFFF) | rng.choice((0x7C, 2, 4, 6)) << 16
            case 0x38:
                w, x = w & ~0x3F000, (x & 0x00DF7FFF & ~(3 << 21)) | rng.choice((128, 2, 124)) << 24
            case 0x3D:
                w, x = w & ~(0x1D << 13), (x & 0x1FFFFF) | rng.choice((0x7C, 2, 106, 125)) << 25
            case 0x3C:
                w = w & ~(0x8060 | 3 << 16) if rng.random() < 0.8 else w & ~0x8060
                x = x & 0x039FFFFF if w >> 18 & 255 < 0x18 else x & 0x7F9FFFFF
    return [w, x, rng.getrandbits(32), rng.getrandbits(32)]


def random_words12(rng: random.Random) -> list[int]:
    words = random_words(rng)
    while words[0] >> 26 in (0x37, 0x38, 0x3A, 0x3C, 0x3D):
        words = random_words(rng)
    if rng.random() < 0.3:
        top = rng.choice((0xC4, 0xEC, 0xED, 0xEE, 0xF4))
        words[0] = top << 24 | rng.getrandbits(24) & (0x3FC07F if top != 0xF4 else 0x1FFFFFF)
        words[1] &= 0x7FFFE0FF if top != 0xF4 else 0xFAFFFFFF
    return words


def test_random_words_agree_or_are_refused(disassemble: Callable[[bytes], tuple[int, str]], processor: str) -> None:
    rng = random.Random(11)
    agreed = 0
    wrong: list[str] = []
    for _ in range(20000):
        words = random_words(rng) if processor == "gfx1150" else random_words12(rng)
        code = struct.pack("<4I", *words)
        size, name = emulator.decode(code, processor)
        if not size or name.startswith(FORMER):
            continue
        theirs, text = disassemble(code)
        if (theirs, mnemonic(text) if theirs else "") == (size, name):
            agreed += 1
        else:
            wrong.append(f"{words[0]:08x} {words[1]:08x}: LLVM {theirs} {text!r}, emulator {size} {name}")
    assert not wrong, "\n".join(wrong[:20])
    assert agreed > 4000


@pytest.mark.parametrize("code", [b"", b"\0", b"\0\0\0", struct.pack("<I", 0xD4000000), struct.pack("<I", 0x7E0402FF)])
def test_truncated_instructions_are_refused(code: bytes) -> None:
    if emulator.library_path() is None:
        pytest.skip("libcassc_emu.so is not built")
    assert emulator.decode(code) == (0, "end of code")

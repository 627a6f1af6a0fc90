"""Speed of the emulator in wave-instructions a second, on one core: an f32 ALU loop and a loop of global loads and LDS.

Not a test: ``python -m tests.emu.bench_emu [--tinygrad CHECKOUT]`` from the repository's root. With a checkout of
tinygrad (whose emulator is among its tests), that emulator runs the same kernels in the same run. Times are processor
time of this thread.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import io
import struct
import sys
import time

import numpy as np
from elftools.elf.elffile import ELFFile

from cassc.amdgpu import assemble
from cassc.amdgpu.emulator import Emulator
from tests.emu.conftest import GFX1100, Frame, kernel_text

ALU = """
v_and_b32 v0, 0x3ff, v0
v_cvt_f32_u32 v1, v0
v_mov_b32 v2, 1.0
v_mov_b32 v3, 0.5
v_mov_b32 v4, 2.0
v_mov_b32 v5, 0
s_movk_i32 s6, {loops}
.Lloop:
v_fma_f32 v6, v1, v2, v3
v_add_f32 v7, v6, v4
v_mul_f32 v8, v7, v3
v_fmac_f32 v5, v8, v2
v_sub_f32 v9, v8, v1
v_max_f32 v1, v9, v3
v_fma_f32 v2, v2, v3, v3
v_mul_f32 v5, v5, v3
v_add_f32 v7, v6, v9
v_fma_f32 v8, v7, v3, v5
v_min_f32 v1, v8, v4
v_fmac_f32 v5, v1, v3
s_sub_i32 s6, s6, 1
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 .Lloop
s_load_b64 s[8:9], s[0:1], 8
v_lshlrev_b32 v0, 2, v0
s_waitcnt lgkmcnt(0)
global_store_b32 v0, v5, s[8:9]
"""

MEMORY = """
v_and_b32 v0, 0x3ff, v0
v_lshlrev_b32 v1, 2, v0
s_load_b128 s[8:11], s[0:1], 0
v_mov_b32 v5, 0
v_xor_b32 v6, 4, v1
s_movk_i32 s6, {loops}
s_waitcnt lgkmcnt(0)
.Lloop:
global_load_b32 v2, v1, s[8:9]
s_waitcnt vmcnt(0)
ds_store_b32 v1, v2
s_waitcnt lgkmcnt(0)
ds_load_b32 v3, v6
s_waitcnt lgkmcnt(0)
v_add_f32 v5, v5, v3
v_fma_f32 v5, v5, v2, v3
v_mul_f32 v5, 0.5, v5
s_sub_i32 s6, s6, 1
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 .Lloop
global_store_b32 v1, v5, s[10:11]
"""

KERNELS = {"f32 ALU": (ALU, 0), "global + LDS": (MEMORY, 1024)}
BLOCK = 256


def build(text: str, lds: int, loops: int) -> bytes:
    return assemble.assemble(
        kernel_text(text.format(loops=loops), Frame(kernarg=16, lds=lds, vgprs=16)), GFX1100, form="asm"
    )


def ours(code: bytes, groups: int, repeat: int) -> tuple[float, int, np.ndarray]:
    """Best rate, wave-instructions of one launch, the kernel's result."""
    with Emulator(GFX1100, memory_bytes=1 << 26) as device:
        kernel = device.load(code).kernels["k"]
        source, result = device.alloc(4 * BLOCK), device.alloc(4 * BLOCK)
        device.write(source, np.linspace(0, 1, BLOCK, dtype=np.float32))
        arguments = struct.pack("<2Q", source, result)
        best, count = 0.0, 0
        for _ in range(repeat):
            before, start = device.instruction_count(), time.thread_time()
            device.launch(kernel, (groups, 1, 1), (BLOCK, 1, 1), arguments)
            count = device.instruction_count() - before
            best = max(best, count / (time.thread_time() - start))
        return best, count, device.read_array(result, np.float32, BLOCK)


def theirs(code: bytes, lds: int, groups: int, count: int) -> tuple[float, np.ndarray]:
    """Rate of tinygrad's emulator, second launch (the first compiles), and the kernel's result."""
    run_asm = importlib.import_module("test.mockgpu.amd.emu").run_asm
    elf = ELFFile(io.BytesIO(code))
    loads = [s for s in elf.iter_segments() if s["p_type"] == "PT_LOAD"]
    image = ctypes.create_string_buffer(max(s["p_vaddr"] + s["p_memsz"] for s in loads))
    for segment in loads:
        data = segment.data()
        ctypes.memmove(ctypes.addressof(image) + segment["p_vaddr"], data, len(data))
    (symbol,) = elf.get_section_by_name(".dynsym").get_symbol_by_name("k.kd")
    descriptor = symbol["st_value"]
    entry = ctypes.addressof(image) + descriptor + struct.unpack_from("<q", image, descriptor + 16)[0]
    resources = struct.unpack_from("<I", image, descriptor + 52)[0] | (lds + 511) // 512 << 15
    source, result = np.linspace(0, 1, BLOCK, dtype=np.float32), np.zeros(BLOCK, np.float32)
    arguments = ctypes.create_string_buffer(struct.pack("<2Q", source.ctypes.data, result.ctypes.data))
    rate = 0.0
    for _ in range(2):
        start = time.thread_time()
        run_asm(entry, len(image), groups, 1, 1, BLOCK, 1, 1, ctypes.addressof(arguments), resources, 0)
        rate = count / (time.thread_time() - start)
    return rate, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tinygrad", help="checkout of tinygrad")
    options = parser.parse_args()
    if options.tinygrad:
        sys.path.insert(0, options.tinygrad)
    for name, (text, lds) in KERNELS.items():
        rate, _, _ = ours(build(text, lds, 20000), groups=4, repeat=3)
        print(f"{name}: {rate / 1e6:.1f} M wave-instructions/s")
        if options.tinygrad:
            code = build(text, lds, 500)
            _, count, values = ours(code, groups=4, repeat=1)
            other, their_values = theirs(code, lds, 4, count)
            agree = "same result" if np.allclose(values, their_values, rtol=1e-5) else "another result"
            print(f"    tinygrad's emulator: {other / 1e6:.2f} M, {agree}; {rate / other:.0f} times as fast")


if __name__ == "__main__":
    main()

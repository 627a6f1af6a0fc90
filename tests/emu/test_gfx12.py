"""The table of gfx12: its own instructions, barriers in two steps, memory encodings, matrices, and what clang makes."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cassc.amdgpu import assemble, emulator
from cassc.amdgpu.emulator import Emulator, EmulatorFault
from cassc.diag import CasscError
from cassc.target import Target
from tests.emu.conftest import Frame, kernel_text
from tests.emu.pseudocode_functions import FUNCTIONS
from tests.emu.pseudocode_values import Value, floating, u

GFX1200 = Target("gfx1200", 0x48)


class Machine12:
    """Kernels in assembly on an emulated gfx1200."""

    def __init__(self) -> None:
        self.emulator = Emulator(GFX1200, memory_bytes=1 << 26)

    def run(self, body: str, *buffers: np.ndarray, grid: int = 1, block: int = 32, lds: int = 0) -> list[np.ndarray]:
        """Pointers to the buffers from s[0:1] on; their contents after the launch."""
        text = kernel_text(body, Frame(kernarg=8 * max(len(buffers), 1), lds=lds, vgprs=96)).replace(
            "gfx1100", "gfx1200"
        )
        drop = ("ieee_mode", "dx10_clamp")
        text = "\n".join(line for line in text.splitlines() if not any(word in line for word in drop))
        kernel = self.emulator.load(assemble.assemble(text, GFX1200, form="asm")).kernels["k"]
        pointers: list[int] = []
        for data in buffers or (np.zeros(1, np.uint32),):
            pointers.append(self.emulator.alloc(data.nbytes))
            self.emulator.write(pointers[-1], data)
        self.emulator.launch(
            kernel, (grid, 1, 1), (block, 1, 1), struct.pack(f"<{len(pointers)}Q", *pointers), max_instructions=1 << 20
        )
        return [
            self.emulator.read_array(p, d.dtype, d.size).reshape(d.shape)
            for p, d in zip(pointers, buffers, strict=False)
        ]


@pytest.fixture(scope="module")
def machine12() -> Iterator[Machine12]:
    if emulator.library_path() is None:
        pytest.skip("libcassc_emu.so is not built")
    try:
        made = Machine12()
        made.run("s_nop 0")
    except CasscError as refusal:
        pytest.skip(str(refusal))
    yield made
    made.emulator.close()


# v0: lane, v1: four times that, s[4:5] and s[6:7]: the buffers
BEGIN = """
s_load_b128 s[4:7], s[0:1], 0
v_and_b32 v0, 0x3ff, v0
v_lshlrev_b32 v1, 2, v0
s_wait_kmcnt 0
"""


def test_blocks_are_numbered_in_trap_registers(machine12: Machine12) -> None:
    body = BEGIN + "s_lshl_b32 s8, ttmp9, 2\nv_mov_b32 v2, ttmp9\nv_mov_b32 v3, s8\nglobal_store_b32 v3, v2, s[4:5]"
    (out,) = machine12.run(body.replace("s_load_b128 s[4:7]", "s_load_b64 s[4:5]"), np.zeros(5, np.uint32), grid=5)
    assert out.tolist() == [0, 1, 2, 3, 4]


def test_barrier_in_two_steps(machine12: Machine12) -> None:
    body = (
        BEGIN
        + """ds_store_b32 v1, v1
        s_wait_dscnt 0
        s_barrier_signal -1
        v_sub_nc_u32 v2, 0x1fc, v1
        s_barrier_wait -1
        ds_load_b32 v3, v2
        s_wait_dscnt 0
        global_store_b32 v1, v3, s[4:5]"""
    )
    (out, _) = machine12.run(body, np.zeros(128, np.uint32), np.zeros(1, np.uint32), block=128, lds=512)
    assert out.tolist() == [508 - 4 * n for n in range(128)]


def test_first_to_signal_is_told(machine12: Machine12) -> None:
    body = (
        BEGIN
        + """s_barrier_signal_isfirst -1
        s_cselect_b32 s8, 1, 0
        s_barrier_wait -1
        v_mov_b32 v2, s8
        global_store_b32 v1, v2, s[4:5]"""
    )
    (out, _) = machine12.run(body, np.zeros(96, np.uint32), np.zeros(1, np.uint32), block=96)
    assert sorted(out.reshape(3, 32)[:, 0].tolist()) == [0, 0, 1]


def test_memory_encodings(machine12: Machine12) -> None:
    body = (
        BEGIN
        + """global_load_b32 v2, v1, s[4:5] offset:4 scope:SCOPE_DEV
        s_load_u8 s8, s[4:5], 4
        s_load_i16 s9, s[4:5], 0
        s_load_b96 s[12:14], s[4:5], 8
        s_wait_loadcnt_dscnt 0
        s_wait_kmcnt 0
        v_add_nc_u32 v2, v2, s8
        v_add_nc_u32 v2, v2, s9
        v_add_nc_u32 v2, v2, s14
        global_store_b32 v1, v2, s[6:7]
        global_atomic_add_u32 v3, v1, v2, s[6:7] th:TH_ATOMIC_RETURN
        s_mov_b32 s16, s6
        s_mov_b32 s17, s7
        s_mov_b32 s18, 128
        s_mov_b32 s19, 0
        s_wait_loadcnt 0
        buffer_store_b32 v3, v1, s[16:19], null offen offset:128
        buffer_load_b32 v4, v1, s[16:19], null offen
        s_wait_loadcnt 0
        v_sub_nc_u32 v4, v4, v3
        global_store_b32 v1, v4, s[6:7]"""
    )
    given = np.arange(40, dtype=np.uint32) * 0x01010101
    given[0] = 0xFFFE
    _, out = machine12.run(body, given, np.zeros(64, np.uint32))
    wanted = given[1:33] + np.uint32(1) - np.uint32(2) + given[4]
    assert np.array_equal(out[:32], wanted)  # twice itself, less itself
    assert not out[32:].any()  # beyond the buffer's records: dropped


def test_scratch_and_flat(machine12: Machine12) -> None:
    text = (
        BEGIN
        + """v_lshl_add_u32 v5, v0, 2, 0
        v_add_co_u32 v2, vcc_lo, s4, v1
        v_add_co_ci_u32 v3, null, s5, 0, vcc_lo
        flat_load_b32 v4, v[2:3]
        s_wait_loadcnt_dscnt 0
        flat_store_b32 v[2:3], v4 offset:128"""
    )
    out, _ = machine12.run(text, np.arange(64, dtype=np.uint32), np.zeros(1, np.uint32))
    assert np.array_equal(out, np.tile(np.arange(32, dtype=np.uint32), 2))


def _lane_values(machine12: Machine12, body: str, *inputs: np.ndarray, outputs: int = 1) -> list[np.ndarray]:
    """Input i in v[10+i], output j from v[40+j]; 32 lanes."""
    loads = "".join(f"global_load_b32 v{10 + k}, v1, s[4:5] offset:{128 * k}\n" for k in range(len(inputs)))
    stores = "".join(f"global_store_b32 v1, v{40 + k}, s[6:7] offset:{128 * k}\n" for k in range(outputs))
    text = BEGIN + loads + "s_wait_loadcnt 0\n" + body + "\n" + stores
    data = np.stack([x.view(np.uint32) for x in inputs])
    return list(machine12.run(text, data, np.zeros((outputs, 32), np.uint32))[1])


def test_minimum_gives_a_nan_and_minimum_number_does_not(machine12: Machine12) -> None:
    a = np.resize(np.array([1, np.nan, -0.0, 0.0, np.inf, 3], np.float32), 32)
    b = np.resize(np.array([np.nan, 2, 0.0, -0.0, 1, -3], np.float32), 32)
    body = "v_minimum_f32 v40, v10, v11\nv_min_num_f32 v41, v10, v11\nv_maximum_f32 v42, v10, v11\n"
    body += "v_maximum3_f32 v43, v10, v11, v10"
    low, number, high, high3 = (x.view(np.float32) for x in _lane_values(machine12, body, a, b, outputs=4))
    with np.errstate(invalid="ignore"):
        assert np.array_equal(low, np.minimum(a, b), equal_nan=True) and np.array_equal(number, np.fmin(a, b))
        assert np.array_equal(high, np.maximum(a, b), equal_nan=True) and np.array_equal(high, high3, equal_nan=True)
    assert np.signbit(low[2:4]).all() and not np.signbit(high[2:4]).any()


def test_scalar_transcendentals(machine12: Machine12) -> None:
    body = """v_readfirstlane_b32 s8, v10
        s_denorm_mode 0xc
        v_s_rcp_f32 s9, s8
        v_s_sqrt_f32 s10, s8
        v_s_exp_f32 s11, -s8
        v_s_log_f32 s12, s8 mul:2
        v_mov_b32 v40, s9
        v_mov_b32 v41, s10
        v_mov_b32 v42, s11
        v_mov_b32 v43, s12"""
    got = _lane_values(machine12, body, np.full(32, 4.0, np.float32), outputs=4)
    assert [float(x.view(np.float32)[0]) for x in got] == [0.25, 2.0, 0.0625, 4.0]


@pytest.mark.parametrize("kind", ["fp8", "bf8"])
def test_stochastic_rounding_carries_into_the_exponent(machine12: Machine12, kind: str) -> None:
    """v_cvt_sr_fp8_f32, v_cvt_sr_bf8_f32: as many random bits as would be dropped are added before."""
    random = np.random.default_rng(12)
    x = random.normal(0, 4, 32).astype(np.float32)
    x[:2] = -0.49937, 1.9999  # whose mantissas overflow
    noise = random.integers(0, 1 << 32, 32, np.uint64).astype(np.uint32)
    noise[:2] = 0xFFFFFFFF
    (got,) = _lane_values(machine12, f"v_cvt_sr_{kind}_f32 v40, v10, v11", x, noise.view(np.float32), outputs=1)
    added = (x.view(np.uint32) + (noise >> (12 if kind == "fp8" else 11))).tolist()
    assert (got & 0xFF).tolist() == [FUNCTIONS[f"f32_to_{kind}"](Value("f", 32, raw)).raw for raw in added]


def test_eight_bit_floats(machine12: Machine12) -> None:
    codes = np.arange(256, dtype=np.uint32)
    packed = codes.reshape(2, 32, 4)
    for half in packed:
        word = (half * np.array([1, 1 << 8, 1 << 16, 1 << 24])).sum(1).astype(np.uint32)
        body = "".join(
            f"v_cvt_f32_fp8 v{40 + k}, v10 byte_sel:{k}\nv_cvt_f32_bf8 v{44 + k}, v10 byte_sel:{k}\n" for k in range(4)
        )
        got = [x.view(np.float32) for x in _lane_values(machine12, body, word, outputs=8)]
        for k in range(4):
            for name, mine in (("fp8_to_f32", got[k]), ("bf8_to_f32", got[4 + k])):
                wanted = np.array([floating(FUNCTIONS[name](u(8, int(c)))) for c in half[:, k]], np.float32)
                assert np.array_equal(mine, wanted, equal_nan=True)
    rng = np.random.default_rng(3)
    x, y = (
        np.exp(rng.normal(0, 4, 32)).astype(np.float32) * rng.choice([-1, 1], 32).astype(np.float32) for _ in range(2)
    )
    body = "v_cvt_pk_fp8_f32 v40, v10, v11\nv_cvt_pk_bf8_f32 v40, v10, v11 op_sel:[0,0,1]"
    (word,) = _lane_values(machine12, body, x, y)
    for lane in range(32):
        given = [Value("f", 32, int(v.view(np.uint32)[lane])) for v in (x, y)]
        bytes_wanted = [FUNCTIONS[name](v).raw for name in ("f32_to_fp8", "f32_to_bf8") for v in given]
        assert [int(word[lane]) >> (8 * k) & 255 for k in range(4)] == bytes_wanted


def test_matrices(machine12: Machine12) -> None:
    rng = np.random.default_rng(4)
    a, b = (rng.integers(-4, 5, (16, 16)).astype(np.float16) for _ in range(2))
    c = rng.integers(-9, 9, (16, 16)).astype(np.float32)
    lane = np.arange(32)
    first = np.stack([a[n % 16, 8 * (n // 16) : 8 * (n // 16) + 8] for n in lane])  # [lane][8]
    second = np.stack([b[8 * (n // 16) : 8 * (n // 16) + 8, n % 16] for n in lane])
    inputs = [
        np.ascontiguousarray(m.reshape(32, 4, 2)[:, r]).view(np.uint32).reshape(-1)
        for m in (first, second)
        for r in range(4)
    ]
    inputs += [np.array([c[r + 8 * (n // 16), n % 16] for n in lane], np.float32) for r in range(8)]
    got = _lane_values(machine12, "v_wmma_f32_16x16x16_f16 v[40:47], v[10:13], v[14:17], v[18:25]", *inputs, outputs=8)
    wanted = a.astype(np.float32) @ b.astype(np.float32) + c
    for r in range(8):
        assert np.array_equal(got[r].view(np.float32), [wanted[r + 8 * (n // 16), n % 16] for n in lane])


def _registers(rows: np.ndarray, width: int) -> list[np.ndarray]:
    """Elements of each lane, packed into dwords: a register of 32 lanes each."""
    per = 32 // width
    packed = rows.reshape(32, -1, per).astype(np.uint64) << np.arange(0, 32, width, dtype=np.uint64)
    return list(packed.sum(2).astype(np.uint32).T)


@pytest.mark.parametrize("key", [0, 1])
@pytest.mark.parametrize(
    ("name", "width", "length", "signs"),
    [
        ("f32_16x16x32_f16", 16, 32, ""),
        ("f16_16x16x32_f16", 16, 32, ""),
        ("i32_16x16x32_iu8", 8, 32, "neg_lo:[1,0,0]"),
        ("i32_16x16x32_iu4", 4, 32, ""),
        ("i32_16x16x64_iu4", 4, 64, "neg_lo:[0,1,0]"),
        ("f32_16x16x32_fp8_bf8", 8, 32, ""),
    ],
)
def test_sparse_matrices(machine12: Machine12, name: str, width: int, length: int, signs: str, key: int) -> None:
    """Two of each four elements of A along k, which a register names: as the dense product with zeros between."""
    if key and length == 64:
        pytest.skip("its places take whole registers")
    rng = np.random.default_rng(5)
    real = name.startswith("f")
    bits: np.ndarray = np.arange(256) if width == 8 else np.arange(16)
    if width == 16:
        bits = np.arange(-4, 5).astype(np.float16).view(np.uint16)
    if real and width == 8:
        bits = np.array([0x00, 0x30, 0x38, 0x40, 0xB8])  # small, exact in both formats
    held, b = rng.choice(bits, (16, length // 2)), rng.choice(bits, (length, 16))
    pairs = np.array([(i, j) for i in range(4) for j in range(i + 1, 4)])
    chosen = pairs[rng.integers(0, len(pairs), (16, length // 4))].reshape(16, -1)  # [row][held element]
    k = chosen + np.repeat(4 * np.arange(length // 4), 2)

    def value(codes: np.ndarray, which: int) -> np.ndarray:
        if width == 16:
            return codes.astype(np.uint16).view(np.float16).astype(np.float64)
        if real:
            function = FUNCTIONS[("fp8_to_f32", "bf8_to_f32")[which]]
            return np.array([floating(function(u(8, int(c)))) for c in codes.flat]).reshape(codes.shape)
        signed = ("[1," in signs, ",1," in signs)[which]
        return np.where(signed & (codes >= 1 << (width - 1)), codes.astype(int) - (1 << width), codes.astype(int))

    a = np.zeros((16, length))
    np.put_along_axis(a, k, value(held, 0), 1)
    lane = np.arange(32)
    half_a, half_b = length // 4, length // 2
    first = np.stack([held[n % 16, half_a * (n // 16) :][:half_a] for n in lane])
    second = np.stack([b[half_b * (n // 16) :, n % 16][:half_b] for n in lane])
    places = np.stack([chosen[n % 16, half_a * (n // 16) :][:half_a] for n in lane])
    index = (places.astype(np.uint64) << (2 * np.arange(half_a, dtype=np.uint64))).sum(1) << np.uint64(16 * key)
    if length == 32:
        index |= np.uint64(0x5A5A << (0 if key else 16))  # the other set, not to be looked at
    inputs = [*_registers(first, width), *_registers(second, width), index.astype(np.uint32)]
    count_a, count_b = length // 4 * width // 32, length // 2 * width // 32
    narrow = name.startswith("f16")
    c = rng.integers(-9, 9, (16, 16))
    sums = np.array([[c[r + 8 * (n // 16), n % 16] for n in lane] for r in range(8)])
    if narrow:
        packed = sums.astype(np.float16).view(np.uint16).astype(np.uint32)
        inputs += list(packed[0::2] | packed[1::2] << 16)
    else:
        inputs += list(sums.astype(np.float32 if real else np.int32).view(np.uint32))
    outputs = 4 if narrow else 8

    def run(base: int, count: int) -> str:
        return f"v[{base}:{base + count - 1}]" if count > 1 else f"v{base}"

    at_c = 10 + count_a + count_b + 1
    body = "".join(f"v_mov_b32 v{40 + i}, v{at_c + i}\n" for i in range(outputs))
    body += f"v_swmmac_{name} {run(40, outputs)}, {run(10, count_a)}, {run(10 + count_a, count_b)}, v{at_c - 1}"
    body += (" index_key:1" if key else "") + (f" {signs}" if signs else "")
    got = np.array(_lane_values(machine12, body, *inputs, outputs=outputs))
    if narrow:
        got = np.stack([got & 0xFFFF, got >> 16], 1).reshape(8, 32).astype(np.uint16).view(np.float16)
    else:
        got = got.view(np.float32 if real else np.int32)
    product = a @ value(b, 1) + c
    assert np.array_equal(got, [[product[r + 8 * (n // 16), n % 16] for n in lane] for r in range(8)])


def test_blocks_of_registers(machine12: Machine12) -> None:
    """Those that M0 has a bit for; neither memory nor registers of the others are touched."""
    body = (
        BEGIN
        + """v_lshlrev_b32 v2, 7, v0
        s_mov_b32 m0, 0x80000005
        v_mov_b32 v41, 7
        global_load_block v[40:71], v2, s[4:5]
        s_wait_loadcnt 0
        v_add_nc_u32 v40, v40, v41
        s_mov_b32 m0, 0x80000003
        global_store_block v2, v[40:71], s[6:7]"""
    )
    given = np.arange(1024, dtype=np.uint32).reshape(32, 32)
    _, out = machine12.run(body, given, np.full((32, 32), 9, np.uint32))
    wanted = np.full((32, 32), 9, np.uint32)
    wanted[:, 0], wanted[:, 1], wanted[:, 31] = given[:, 0] + np.uint32(7), 7, given[:, 31]
    assert np.array_equal(out, wanted)
    with pytest.raises(EmulatorFault, match="beyond the wave's"):
        machine12.run("s_mov_b32 m0, 0x80000000\nv_mov_b32 v2, 0\nglobal_load_block v[90:121], v2, s[0:1]")


def test_state_of_the_barrier(machine12: Machine12) -> None:
    """The last of three waves to look sees three members, and how many have signalled."""
    body = (
        BEGIN
        + """s_get_barrier_state s9, -1
        s_barrier_signal -1
        s_get_barrier_state s8, -1
        s_barrier_wait -1
        v_mov_b32 v2, s8
        global_store_b32 v1, v2, s[4:5]
        v_mov_b32 v2, s9
        global_store_b32 v1, v2, s[4:5] offset:384"""
    )
    (out, _) = machine12.run(body, np.zeros(192, np.uint32), np.zeros(1, np.uint32), block=96)
    after, before = out.reshape(2, 3, 32)[:, :, 0].tolist()
    assert after == [n + 1 << 16 | 3 << 4 | 1 for n in range(3)] and before == [n << 16 | 3 << 4 | 1 for n in range(3)]


def test_float_atomics_on_images(machine12: Machine12) -> None:
    def two(first: float, second: float) -> int:
        halves = np.array([first, second], np.float16).view(np.uint16)
        return int(halves[0]) | int(halves[1]) << 16

    # A line of 32 texels; format 22 (32 float) for all: only their size counts
    body = (
        BEGIN
        + """s_lshr_b64 s[8:9], s[4:5], 8
        s_or_b32 s9, s9, 0xc02c0000
        s_mov_b32 s10, 7
        s_mov_b32 s11, 0x80000fac
        s_mov_b64 s[12:13], 0
        s_mov_b64 s[14:15], 0
        global_load_b32 v2, v1, s[6:7]
        s_wait_loadcnt 0
        OPERATION v2, v0, s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_1D th:TH_ATOMIC_RETURN
        s_wait_loadcnt 0
        global_store_b32 v1, v2, s[6:7]"""
    )
    old, data = np.arange(32, dtype=np.float32) - 3, np.full(32, 2.5, np.float32)
    data[:2] = np.nan, -1
    for operation, wanted in (
        ("image_atomic_add_flt", old + data),
        ("image_atomic_min_flt", np.fmin(old, data)),
        ("image_atomic_max_flt", np.fmax(old, data)),
    ):
        new, before = machine12.run(body.replace("OPERATION", operation), old, data)
        assert np.array_equal(new, wanted, equal_nan=True) and np.array_equal(before, old), operation
    old16, data16 = np.full(32, two(1, 2), np.uint32), np.full(32, two(0.5, -4), np.uint32)
    new, before = machine12.run(body.replace("OPERATION", "image_atomic_pk_add_f16"), old16, data16)
    assert (new == two(1.5, -2)).all() and (before == old16).all()
    old16, data16 = np.full(32, 0x40003F80, np.uint32), np.full(32, 0xC0803F00, np.uint32)  # (1, 2) and (0.5, -4)
    new, before = machine12.run(body.replace("OPERATION", "image_atomic_pk_add_bf16"), old16, data16)
    assert (new == 0xC0003FC0).all() and (before == old16).all()


def test_named_barriers_are_refused_by_name(machine12: Machine12) -> None:
    with pytest.raises(EmulatorFault, match="named barrier"):
        machine12.run("s_barrier_signal 3")


HIP = """
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
extern "C" __global__ void reduce(const float* in, float* out, int n) {
  __shared__ float part[256];
  const int t = __builtin_amdgcn_workitem_id_x(), g = __builtin_amdgcn_workgroup_id_x();
  float sum = 0;
  for (int i = g * 256 + t; i < n; i += 1024) sum += in[i] > 0 ? __builtin_sqrtf(in[i]) : in[i] / 3;
  part[t] = sum;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  for (int step = 128; step; step /= 2) {
    if (t < step) part[t] += part[t + step];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  }
  if (!t) __hip_atomic_fetch_add(out, part[0], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
"""


def test_what_clang_makes_of_hip_runs(machine12: Machine12, tmp_path: Path) -> None:
    clang = shutil.which("clang++-19")
    if clang is None or shutil.which("ld.lld-19") is None:
        pytest.skip("clang++-19 and ld.lld-19 are not on PATH")
    source, code = tmp_path / "reduce.hip", tmp_path / "reduce.co"
    source.write_text(HIP)
    flags = [
        "-x",
        "hip",
        "--offload-arch=gfx1200",
        "-nogpuinc",
        "-nogpulib",
        "-O2",
        "--cuda-device-only",
        "--no-gpu-bundle-output",
    ]
    subprocess.run([clang, *flags, str(source), "-o", str(code)], check=True)
    device = machine12.emulator
    kernel = device.load(code.read_bytes()).kernels["reduce"]
    values = np.random.default_rng(1).normal(0, 1, 5000).astype(np.float32)
    pointer, out = device.alloc(values.nbytes), device.alloc(4)
    device.write(pointer, values)
    device.write(out, np.zeros(1, np.float32))
    device.launch(kernel, (4, 1, 1), (256, 1, 1), struct.pack("<QQi", pointer, out, 5000), max_instructions=1 << 22)
    wanted = np.where(values > 0, np.sqrt(np.abs(values)), values / 3).sum(dtype=np.float64)
    assert abs(float(device.read_array(out, np.float32, 1)[0]) - wanted) < 1e-2

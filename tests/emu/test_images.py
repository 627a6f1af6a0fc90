"""Formatted buffer accesses and image instructions, against numpy; descriptors as ROCr's runtime writes them."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from cassc.amdgpu.emulator import EmulatorFault
from tests.emu.conftest import Frame, Machine

RGBA = 4 | 5 << 3 | 6 << 6 | 7 << 9
LINE, PLANE, VOLUME, CUBE, LINES, PLANES = range(8, 14)
# First number of each run of formats, bits from the lowest component on, the kinds in order.
_SIX = ("unorm", "snorm", "uscaled", "sscaled", "uint", "sint")
_RUNS: tuple[tuple[int, tuple[int, ...], tuple[str, ...]], ...] = (
    (1, (8,), _SIX),
    (7, (16,), (*_SIX, "float")),
    (14, (8, 8), _SIX),
    (20, (32,), ("uint", "sint", "float")),
    (23, (16, 16), (*_SIX, "float")),
    (30, (11, 11, 10), ("float",)),
    (31, (10, 11, 11), ("float",)),
    (32, (2, 10, 10, 10), ("unorm", "snorm", "uint", "sint")),
    (36, (10, 10, 10, 2), _SIX),
    (42, (8, 8, 8, 8), _SIX),
    (48, (32, 32), ("uint", "sint", "float")),
    (51, (16, 16, 16, 16), (*_SIX, "float")),
    (58, (32, 32, 32), ("uint", "sint", "float")),
    (61, (32, 32, 32, 32), ("uint", "sint", "float")),
)
FORMATS = {first + i: (kind, bits) for first, bits, kinds in _RUNS for i, kind in enumerate(kinds)}
FLOAT, FLOAT4, BYTE4 = 22, 63, 42


def component(kind: str, raw: int, bits: int) -> int:
    """The register word that a component of a texel becomes."""
    signed = raw - (1 << bits) if raw >> (bits - 1) else raw
    if kind == "uint":
        return raw
    if kind == "sint":
        return signed & 0xFFFFFFFF
    if kind == "float":
        if bits == 32:
            return raw
        half = raw << (15 - bits) if bits < 16 else raw
        value = np.array([half], np.uint16).view(np.float16).astype(np.float32)
    else:
        top = (1 << bits) - 1
        number = {
            "unorm": raw / top,
            "snorm": max(signed / (top >> 1), -1.0),
            "uscaled": float(raw),
            "sscaled": float(signed),
        }[kind]
        value = np.array([number], np.float32)
    return int(value.view(np.uint32)[0])


def texel(number: int, data: bytes) -> list[int]:
    """Four register words of a texel in memory."""
    kind, widths = FORMATS[number]
    whole = int.from_bytes(data, "little")
    one = 1 if kind in ("uint", "sint") else 0x3F800000
    words = [0, 0, 0, one]
    for i, bits in enumerate(widths):
        words[i] = component(kind, whole & ((1 << bits) - 1), bits)
        whole >>= bits
    return words


def size_of(number: int) -> int:
    return sum(FORMATS[number][1]) // 8


def buffer_descriptor(address: int, stride: int, records: int, number: int = 0, select: int = RGBA) -> bytes:
    return struct.pack("<4I", address & 0xFFFFFFFF, address >> 32 | stride << 16, records, select | number << 12)


@dataclass(frozen=True)
class Image:
    """An image of rows of texels in memory, and its descriptor."""

    data: np.ndarray  # [layer][row][column] of items of one texel
    number: int
    shape: int
    select: int = RGBA

    def descriptor(self, address: int) -> bytes:
        layers, height, width = self.data.shape[:3]
        pitch = (width * size_of(self.number) + 255) // 256 * 256 // size_of(self.number)
        depth = layers - 1 if self.shape in (VOLUME, CUBE, LINES, PLANES) else pitch - 1
        return struct.pack(
            "<8I",
            address >> 8 & 0xFFFFFFFF,
            address >> 40 | self.number << 20 | ((width - 1) & 3) << 30,
            (width - 1) >> 2 | (height - 1) << 14,
            self.select | self.shape << 28,
            depth,
            0,
            0,
            0,
        )

    def memory(self) -> np.ndarray:
        layers, height, width = self.data.shape[:3]
        row = (width * size_of(self.number) + 255) // 256 * 256
        memory = np.zeros((layers, height, row), np.uint8)
        raw = np.ascontiguousarray(self.data).view(np.uint8).reshape(layers, height, -1)
        memory[:, :, : raw.shape[2]] = raw
        return memory.reshape(-1)


def sampler(
    wrap: Sequence[int] = (0, 0, 0),
    *,
    linear: bool = False,
    unnormalized: bool = False,
    compare: int = 0,
    border: int = 0,
) -> bytes:
    word0 = wrap[0] | wrap[1] << 3 | wrap[2] << 6 | compare << 12 | int(unnormalized) << 15
    return struct.pack(
        "<4I", word0, 0xFFF << 12, (0x5 << 20 if linear else 0) | (2 << 24 if linear else 1 << 24), border << 30
    )


def run(machine: Machine, body: str, words: bytes, inputs: Sequence[np.ndarray], outputs: int) -> list[np.ndarray]:
    """``body`` finds the words (eight of a resource, four of a sampler) in s[24:35], input i in v[12+i]."""
    table = machine.emulator.alloc(64)
    machine.emulator.write(table, np.frombuffer(words.ljust(64, b"\0"), np.uint8))
    count = len(inputs[0])
    pointer = [np.full(count, table & 0xFFFFFFFF, np.uint32), np.full(count, table >> 32, np.uint32)]
    setup = """v_readfirstlane_b32 s20, v10
        v_readfirstlane_b32 s21, v11
        s_load_b256 s[24:31], s[20:21], 0
        s_load_b128 s[32:35], s[20:21], 32
        s_waitcnt lgkmcnt(0)"""
    try:
        return machine.lanes(body, [*pointer, *inputs], outputs, setup=setup)
    finally:
        machine.emulator.free(table)


def place(machine: Machine, image: Image) -> tuple[int, bytes]:
    memory = image.memory()
    address = machine.emulator.alloc(memory.nbytes + 256)
    aligned = (address + 255) // 256 * 256
    machine.emulator.write(aligned, memory)
    return aligned, image.descriptor(aligned)


@pytest.mark.parametrize("typed", [False, True])
def test_loads_of_every_format(machine: Machine, typed: bool) -> None:
    rng = np.random.default_rng(5)
    for number in FORMATS:
        size = size_of(number)
        data = rng.integers(0, 256, 64 * size, np.uint8)
        address = machine.buffer(data)
        name = f"tbuffer_load_format_xyzw v[40:43], v12, s[24:27], 0 format:{number} idxen" if typed else ""
        name = name or "buffer_load_format_xyzw v[40:43], v12, s[24:27], 0 idxen"
        index = np.arange(64, dtype=np.uint32)[::-1].copy()
        words = buffer_descriptor(address, size, 60, 0 if typed else number)
        got = run(machine, f"{name}\ns_waitcnt vmcnt(0)", words, [index], 4)
        expected = [texel(number, data[i * size : (i + 1) * size].tobytes()) if i < 60 else [0] * 4 for i in index]
        for c in range(4):
            assert got[c].tolist() == [e[c] for e in expected], (number, FORMATS[number], c)
        machine.emulator.free(address)


def test_stores_of_every_format_read_back(machine: Machine) -> None:
    rng = np.random.default_rng(6)
    for number, (kind, widths) in FORMATS.items():
        size = size_of(number)
        given = rng.integers(0, 1 << 32, (4, 32), np.uint64).astype(np.uint32)
        if kind not in ("uint", "sint"):
            given = (rng.normal(0, 1, (4, 32)) * (40 if "scaled" in kind else 1)).astype(np.float32).view(np.uint32)
        address = machine.buffer(np.full(32 * size, 0xCC, np.uint8))
        body = "buffer_store_format_xyzw v[13:16], v12, s[24:27], 0 idxen"
        words = buffer_descriptor(address, size, 32, number)
        run(machine, body, words, [np.arange(32, dtype=np.uint32), *given], 1)
        stored = machine.emulator.read_array(address, np.uint8, 32 * size)
        for lane in range(32):
            words_back = texel(number, stored[lane * size : (lane + 1) * size].tobytes())
            for c, bits in enumerate(widths):
                value, back = int(given[c][lane]), words_back[c]
                if kind in ("uint", "sint"):
                    low, high = (0, (1 << bits) - 1) if kind == "uint" else (-(1 << bits - 1), (1 << bits - 1) - 1)
                    signed = value if kind == "uint" or value < 1 << 31 else value - (1 << 32)
                    assert back == min(max(signed, low), high) & 0xFFFFFFFF, (number, c)
                    continue
                x, y = np.array([value, back], np.uint32).view(np.float32).astype(np.float64)
                top = (1 << bits) - 1
                if kind == "float":
                    least = 0.0 if bits < 16 else -np.inf
                    assert abs(max(x, least) - y) <= 2.0 ** {32: -30, 16: -10, 11: -5, 10: -4}[bits] * max(abs(x), 1), (
                        number,
                        c,
                    )
                else:
                    least, most, step = {
                        "unorm": (0, 1, 1 / top),
                        "snorm": (-1, 1, 2 / (top - 1)),
                        "uscaled": (0, top, 2),
                        "sscaled": (-(top + 1) / 2, top / 2, 2),
                    }[kind]
                    assert abs(min(max(x, least), most) - y) <= step / 2 + 1e-6, (number, kind, c)
        machine.emulator.free(address)


def test_status_of_a_load_says_that_all_is_there(machine: Machine) -> None:
    address = machine.buffer(np.arange(32, dtype=np.float32))
    body = "v_mov_b32 v41, 7\nbuffer_load_format_x v[40:41], v12, s[24:27], 0 idxen tfe"
    got = run(machine, body, buffer_descriptor(address, 4, 32, FLOAT), [np.arange(32, dtype=np.uint32)], 2)
    assert got[0].view(np.float32).tolist() == list(range(32)) and not got[1].any()


def test_half_components_keep_their_neighbour(machine: Machine) -> None:
    address = machine.buffer(np.arange(32, dtype=np.float32))
    words = buffer_descriptor(address, 4, 32, FLOAT)
    body = "v_mov_b32 v40, 0x12345678\nv_mov_b32 v41, v40\nbuffer_load_d16_format_x v40, v12, s[24:27], 0 idxen\n"
    body += "buffer_load_d16_hi_format_x v41, v12, s[24:27], 0 idxen"
    low, high = run(machine, body, words, [np.arange(32, dtype=np.uint32)], 2)
    halves = np.arange(32).astype(np.float16).view(np.uint16).astype(np.uint32)
    assert np.array_equal(low, 0x12340000 | halves) and np.array_equal(high, halves << 16 | 0x5678)


def test_swizzled_buffers_interleave_their_records(machine: Machine) -> None:
    data = np.arange(16 * 4, dtype=np.uint32)
    words = bytearray(buffer_descriptor(machine.buffer(data), 16, 16))
    words[7] |= 1 << 6  # pieces of four bytes, of eight records at a time
    index = np.arange(16, dtype=np.uint32).repeat(4)
    offset = np.tile(np.arange(4, dtype=np.uint32) * 4, 16)
    body = "buffer_load_b32 v40, v[12:13], s[24:27], 0 idxen offen"
    (got,) = run(machine, body, bytes(words), [index, offset], 1)
    assert np.array_equal(got, index // 8 * 32 + offset // 4 * 8 + index % 8)


def test_loads_to_lds(machine: Machine) -> None:
    address = machine.buffer(np.arange(32, dtype=np.uint32) * 3)
    body = """s_load_b64 s[8:9], s[0:1], 0
        s_load_b64 s[6:7], s[0:1], 8
        v_and_b32 v0, 31, v0
        v_lshlrev_b32 v1, 2, v0
        s_mov_b32 m0, 64
        s_mov_b32 s10, 128
        s_mov_b32 s11, 0
        s_waitcnt lgkmcnt(0)
        .long 0xe0c40000, 0x80420001  ; buffer_load_lds_b32 v1, s[8:11], 0 offen
        v_add_nc_u32 v2, 64, v1
        ds_load_b32 v3, v2
        s_waitcnt lgkmcnt(0)
        global_store_b32 v1, v3, s[6:7]"""
    out = machine.emulator.alloc(128)
    machine.launch(machine.build(body, Frame(kernarg=16, lds=256)), address, out)
    assert np.array_equal(machine.emulator.read_array(out, np.uint32, 32), np.arange(32) * 3)


@pytest.mark.parametrize(
    ("shape", "dim", "sizes"),
    [
        (LINE, "1D", (1, 1, 37)),
        (PLANE, "2D", (1, 9, 37)),
        (VOLUME, "3D", (5, 9, 7)),
        (LINES, "1D_ARRAY", (6, 1, 11)),
        (PLANES, "2D_ARRAY", (4, 5, 6)),
    ],
)
def test_image_loads(machine: Machine, shape: int, dim: str, sizes: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(7)
    image = Image(rng.random((*sizes, 4), np.float32), FLOAT4, shape)
    _, words = place(machine, image)
    z, y, x = (rng.integers(0, n + 1, 64).astype(np.uint32) for n in sizes)  # some outside
    coordinates = {LINE: [x], PLANE: [x, y], VOLUME: [x, y, z], LINES: [x, z], PLANES: [x, y, z]}[shape]
    registers = f"v[12:{11 + len(coordinates)}]" if len(coordinates) > 1 else "v12"
    body = f"image_load v[40:43], {registers}, s[24:31] dmask:0xf dim:SQ_RSRC_IMG_{dim}\ns_waitcnt vmcnt(0)"
    got = run(machine, body, words, coordinates, 4)
    if shape in (LINE, LINES):
        y = np.zeros_like(y)
    if shape in (LINE, PLANE):
        z = np.zeros_like(z)
    inside = (x < sizes[2]) & (y < sizes[1]) & (z < sizes[0])
    for c in range(4):
        wanted = np.where(inside, image.data[z % sizes[0], y % sizes[1], x % sizes[2], c], 0).astype(np.float32)
        assert np.array_equal(got[c].view(np.float32), wanted)


def test_scattered_addresses_masks_and_halves(machine: Machine) -> None:
    rng = np.random.default_rng(8)
    image = Image(rng.integers(0, 256, (1, 8, 8, 4), np.uint8), BYTE4, PLANE)
    _, words = place(machine, image)
    x, y = (rng.integers(0, 8, 32).astype(np.uint32) for _ in range(2))
    body = """v_mov_b32 v20, v12
        v_mov_b32 v17, v13
        image_load v[40:41], [v20, v17], s[24:31] dmask:0xa dim:SQ_RSRC_IMG_2D
        image_load v42, v[12:13], s[24:31] dmask:0x3 dim:SQ_RSRC_IMG_2D d16
        v_lshl_or_b32 v18, v13, 16, v12
        image_load v43, v18, s[24:31] dmask:0x1 dim:SQ_RSRC_IMG_2D a16"""
    got = run(machine, body, words, [x, y], 4)
    chosen = (image.data[0, y, x] / np.float32(255)).astype(np.float32)
    assert np.array_equal(got[0].view(np.float32), chosen[:, 1]) and np.array_equal(
        got[1].view(np.float32), chosen[:, 3]
    )
    assert np.array_equal(got[2].view(np.float16).reshape(-1, 2), chosen[:, :2].astype(np.float16))
    assert np.array_equal(got[3].view(np.float32), chosen[:, 0])


def test_stores_and_atomics(machine: Machine) -> None:
    image = Image(np.zeros((1, 4, 8), np.uint32), 20, PLANE)
    address, words = place(machine, image)
    lane = np.arange(32, dtype=np.uint32)
    body = """image_store v14, v[12:13], s[24:31] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm
        image_atomic_add v14, v[12:13], s[24:31] dmask:0x1 dim:SQ_RSRC_IMG_2D glc
        v_mov_b32 v40, v14
        image_get_resinfo v[41:43], v15, s[24:31] dmask:0x7 dim:SQ_RSRC_IMG_2D"""
    got = run(machine, body, words, [lane % 8, lane // 8, lane * 5, lane * 0], 4)
    memory = machine.emulator.read_array(address, np.uint32, 256).reshape(4, 64)[:, :8].reshape(-1)
    assert np.array_equal(got[0], lane * 5) and np.array_equal(memory, lane * 10)
    assert {tuple(int(v[0]) for v in got[1:])} == {(8, 4, 1)}


def wrap_index(i: int, n: int, mode: int) -> int | None:
    if mode == 0:
        return i % n
    if mode == 1:
        i %= 2 * n
        return i if i < n else 2 * n - 1 - i
    if mode == 2:
        return min(max(i, 0), n - 1)
    return i if 0 <= i < n else None


def sampled(row: np.ndarray, u: float, mode: int, *, linear: bool, normalized: bool, border: float) -> float:
    """One axis, as the emulator's page says: eight bits of position between texels."""
    n = len(row)
    if normalized:
        if mode == 0:
            u = float(np.float32(u) - np.floor(np.float32(u)))
        elif mode == 1:
            u = u - 2 * np.floor(u / 2)
        u = float(np.float32(np.float64(u) * n))

    def at(i: int) -> float:
        index = wrap_index(i, n, mode)
        return border if index is None else float(row[index])

    if not linear:
        return at(int(np.floor(np.floor(u * 256 + 0.5) / 256)))
    place = np.floor((u - 0.5) * 256 + 0.5) / 256
    low = int(np.floor(place))
    weight = float(place - low)
    return at(low) * (1 - weight) + at(low + 1) * weight


@pytest.mark.parametrize("mode", [0, 1, 2, 6])
@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("normalized", [False, True])
def test_samples_of_a_line(machine: Machine, mode: int, linear: bool, normalized: bool) -> None:
    if not normalized and mode < 2:
        mode = 2
    rng = np.random.default_rng(9)
    row = rng.random(13, np.float32)
    image = Image(row.reshape(1, 1, 13), FLOAT, LINE, select=4 | 1 << 9)
    _, words = place(machine, image)
    u = np.linspace(-2.3, 2.9, 64, dtype=np.float32) * np.float32(1 if normalized else 13)
    body = "image_sample_lz v40, v12, s[24:31], s[32:35] dmask:0x1 dim:SQ_RSRC_IMG_1D"
    state = sampler((mode, mode, mode), linear=linear, unnormalized=not normalized, border=2)
    (got,) = run(machine, body, words + state, [u.view(np.uint32)], 1)
    wanted = [sampled(row, float(x), mode, linear=linear, normalized=normalized, border=1.0) for x in u]
    assert np.allclose(got.view(np.float32), wanted, rtol=0, atol=2e-6)


def test_bilinear_samples_and_gathers(machine: Machine) -> None:
    rng = np.random.default_rng(10)
    data = rng.random((1, 6, 7, 4), np.float32)
    _, words = place(machine, Image(data, FLOAT4, PLANE))
    x, y = (rng.uniform(1, 5, 64).astype(np.float32) for _ in range(2))
    state = sampler((2, 2, 2), linear=True, unnormalized=True)
    inputs = [x.view(np.uint32), y.view(np.uint32)]
    got = run(
        machine,
        "image_sample_lz v[40:43], v[12:13], s[24:31], s[32:35] dmask:0xf dim:SQ_RSRC_IMG_2D",
        words + state,
        inputs,
        4,
    )
    column, line = (np.floor((v.astype(np.float64) - 0.5) * 256 + 0.5) / 256 for v in (x, y))
    i, j = column.astype(int), line.astype(int)
    wx, wy = (column - i)[:, None], (line - j)[:, None]
    texels = data[0].astype(np.float64)
    wanted = (texels[j, i] * (1 - wx) + texels[j, i + 1] * wx) * (1 - wy) + (
        texels[j + 1, i] * (1 - wx) + texels[j + 1, i + 1] * wx
    ) * wy
    assert np.allclose(np.stack(got, 1).view(np.float32), wanted, rtol=0, atol=1e-6)
    four = run(
        machine,
        "image_gather4_lz v[40:43], v[12:13], s[24:31], s[32:35] dmask:0x2 dim:SQ_RSRC_IMG_2D",
        words + state,
        inputs,
        4,
    )
    order = [data[0, j + 1, i, 1], data[0, j + 1, i + 1, 1], data[0, j, i + 1, 1], data[0, j, i, 1]]
    for mine, theirs in zip(four, order, strict=True):
        assert np.array_equal(mine.view(np.float32), theirs)


def test_offsets_comparisons_and_layers(machine: Machine) -> None:
    rng = np.random.default_rng(11)
    data = rng.random((3, 4, 4), np.float32)
    _, words = place(machine, Image(data, FLOAT, PLANES))
    x, y = (rng.integers(0, 3, 32) for _ in range(2))
    layer = rng.integers(-1, 4, 32)
    offset = np.full(32, (1 & 63) | (1 & 63) << 8, np.uint32)
    reference = rng.random(32, np.float32)
    inputs = [offset, reference.view(np.uint32)]
    inputs += [v.astype(np.float32).view(np.uint32) for v in ((x + 0.5), (y + 0.5), layer)]
    body = "image_sample_c_lz_o v40, v[12:16], s[24:31], s[32:35] dmask:0x1 dim:SQ_RSRC_IMG_2D_ARRAY"
    (got,) = run(machine, body, words + sampler((2, 2, 2), unnormalized=True, compare=1), inputs, 1)
    wanted = reference < data[np.clip(layer, 0, 2), y + 1, x + 1]
    assert np.array_equal(got.view(np.float32), wanted.astype(np.float32))


def test_cubes_go_over_their_edges(machine: Machine) -> None:
    faces = np.arange(6, dtype=np.float32).repeat(16).reshape(6, 4, 4)
    _, words = place(machine, Image(faces, FLOAT, CUBE))
    directions = np.array(
        [[1, 0.2, 0.1], [-1, 0, 0.3], [0.2, 1, 0], [0.1, -1, 0.1], [0, 0.1, 1], [0.3, 0, -1], [1, 0.999, 0]], np.float32
    )
    inputs = [np.resize(directions[:, i], 32).view(np.uint32) for i in range(3)]
    body = """v_cubeid_f32 v20, v12, v13, v14
        v_cubesc_f32 v21, v12, v13, v14
        v_cubetc_f32 v22, v12, v13, v14
        v_cubema_f32 v23, v12, v13, v14
        v_rcp_f32 v24, |v23|
        v_fma_f32 v25, v21, v24, 0x3fc00000
        v_fma_f32 v26, v22, v24, 0x3fc00000
        image_sample_lz v40, [v25, v26, v20], s[24:31], s[32:35] dmask:0x1 dim:SQ_RSRC_IMG_CUBE"""
    (got,) = run(machine, body, words + sampler((2, 2, 2), linear=True), inputs, 1)
    values = got.view(np.float32)[:7]
    assert values[:6].tolist() == [0, 1, 2, 3, 4, 5]
    assert abs(values[6] - 1.0) < 0.02  # halfway from face 0 to face 2


@pytest.mark.parametrize(
    ("change", "reason"), [((3, 1 << 20), "tiled"), ((3, 3 << 16), "several levels"), ((1, 0x40 << 20), "format")]
)
def test_other_images_are_refused_by_name(machine: Machine, change: tuple[int, int], reason: str) -> None:
    _, words = place(machine, Image(np.zeros((1, 4, 4), np.uint8), 1, PLANE))
    numbers = list(struct.unpack("<8I", words))
    numbers[change[0]] |= change[1]
    body = "image_load v40, v[12:13], s[24:31] dmask:0x1 dim:SQ_RSRC_IMG_2D"
    with pytest.raises(EmulatorFault, match=reason):
        run(machine, body, struct.pack("<8I", *numbers), [np.zeros(32, np.uint32)] * 2, 1)

"""libcurand against a recording: what NVIDIA's libcurand 10.4 gave on an H200 (data/curand_h200.npz).

Keys of the recording: generator / what / parameters. ``bits`` from an offset on, ``in_a_row`` after each other by one
generator, ``far`` every 997th of three millions, and one array for each distribution.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.libraries.conftest import Array, Device, checked

SEED = 1234
TYPES = {"xorwow": 101, "mrg32k3a": 121, "mt19937": 142, "philox": 161, "sobol32": 201, "sobol64": 203}
RECORDED = np.load(Path(__file__).parent / "data" / "curand_h200.npz")
_FUNCTIONS = {
    "bits": ("curandGenerate", "u4", None),
    "long": ("curandGenerateLongLong", "u8", None),
    "uniform": ("curandGenerateUniform", "f4", None),
    "uniform_double": ("curandGenerateUniformDouble", "f8", None),
    "normal": ("curandGenerateNormal", "f4", ctypes.c_float),
    "normal_double": ("curandGenerateNormalDouble", "f8", ctypes.c_double),
    "lognormal": ("curandGenerateLogNormal", "f4", ctypes.c_float),
    "lognormal_double": ("curandGenerateLogNormalDouble", "f8", ctypes.c_double),
    "poisson": ("curandGeneratePoisson", "u4", ctypes.c_double),
}


class Generator:
    def __init__(self, device: Device, name: str, host: bool = False) -> None:
        self.device, self.host = device, host
        self.library = device.library("libcurand.so.10")
        self.handle = ctypes.c_void_p()
        create = self.library.curandCreateGeneratorHost if host else self.library.curandCreateGenerator
        checked(create)(ctypes.byref(self.handle), TYPES[name])

    def set(self, what: str, value: int) -> int:
        kind = ctypes.c_ulonglong if what in ("PseudoRandomGeneratorSeed", "GeneratorOffset") else ctypes.c_int
        return int(getattr(self.library, f"curandSet{what}")(self.handle, kind(value)))

    def status(self, what: str, count: int, *parameters: float) -> int:
        name, dtype, kind = _FUNCTIONS[what]
        self.out = self.device.zeros(max(count, 1), dtype)
        return int(
            getattr(self.library, name)(self.handle, self.out, ctypes.c_size_t(count), *map(kind or int, parameters))
        )

    def __call__(self, what: str, count: int, *parameters: float) -> Array:
        assert self.status(what, count, *parameters) == 0
        return self.out.get()


def seeded(device: Device, name: str, host: bool = False) -> Generator:
    generator = Generator(device, name, host)
    if not name.startswith("sobol"):
        assert generator.set("PseudoRandomGeneratorSeed", SEED) == 0
    return generator


def _keys(what: str) -> list[str]:
    return [key for key in RECORDED.files if key.split("/")[1] == what]


@pytest.mark.parametrize("key", _keys("bits"))
def test_bits(device: Device, key: str) -> None:
    name, _, seed, offset, dimensions = key.split("/")
    generator = Generator(device, name)
    if seed != "none":
        assert generator.set("PseudoRandomGeneratorSeed", int(seed)) == 0
    if dimensions != "0":
        assert generator.set("QuasiRandomGeneratorDimensions", int(dimensions)) == 0
    assert generator.set("GeneratorOffset", int(offset)) == 0
    expected = RECORDED[key]
    made = generator("long" if name == "sobol64" else "bits", len(expected))
    assert np.array_equal(made, expected.view(made.dtype))


@pytest.mark.parametrize("name", ["xorwow", "mrg32k3a", "philox"])
@pytest.mark.parametrize("ordering", [100, 101, 103])
def test_orderings(device: Device, name: str, ordering: int) -> None:
    generator = seeded(device, name)
    assert generator.set("GeneratorOrdering", ordering) == 0
    expected = RECORDED[f"{name}/ordering/{ordering}"]
    assert np.array_equal(generator("bits", len(expected)), expected.view("u4"))


@pytest.mark.parametrize("name", ["xorwow", "mrg32k3a", "philox"])
def test_calls_in_a_row(device: Device, name: str) -> None:
    """What one call leaves is where the next begins, also where it takes several draws for a number."""
    generator = seeded(device, name)
    for i, (what, count) in enumerate(
        [("bits", 1000), ("bits", 1001), ("bits", 7), ("bits", 5000), ("uniform", 333), ("normal_double", 500)]
        + [("normal", 500), ("uniform_double", 777), ("bits", 1000)]
    ):
        made = generator(what, count, *((0, 1) if what.startswith("normal") else ()))
        expected = RECORDED[f"{name}/in_a_row/{i}"]
        if what.startswith("normal"):
            assert np.allclose(made[: len(expected)], expected, atol=3e-6)
        else:
            assert np.array_equal(made[: len(expected)], expected.view(made.dtype))


@pytest.mark.parametrize("name", ["xorwow", "mrg32k3a", "philox"])
def test_far_out(device: Device, name: str) -> None:
    expected = RECORDED[f"{name}/far"]
    assert np.array_equal(seeded(device, name)("bits", 3_000_000)[::997][: len(expected)], expected.view("u4"))


@pytest.mark.parametrize(
    "key", [key for key in RECORDED.files if key.split("/")[1] in _FUNCTIONS and "bits" not in key]
)
def test_distributions(device: Device, key: str) -> None:
    name, what, *parameters = key.split("/")
    expected = RECORDED[key]
    generator = seeded(device, name)
    count = 10000
    if name.startswith("sobol"):
        assert generator.set("QuasiRandomGeneratorDimensions", 3) == 0
        count = 3000
    made = generator(what, count, *map(float, parameters))[: len(expected)]
    if what.startswith("uniform"):
        assert np.array_equal(made, expected)
    else:  # logarithm, sine and cosine are not the same to the last bit; NVIDIA's are fast ones for floats
        assert np.allclose(made, expected, rtol=0, atol=3e-6 if made.dtype == "f4" else 3e-14)


@pytest.mark.parametrize("name", ["xorwow", "philox", "mrg32k3a", "mt19937", "sobol32"])
@pytest.mark.parametrize("mean", [0.25, 3.5, 100.0, 5000.0])
def test_poisson(device: Device, name: str, mean: float) -> None:
    made = seeded(device, name)("poisson", 20000, mean)
    assert abs(made.mean() - mean) < 5 * np.sqrt(mean / 20000)
    assert abs(made.var() / mean - 1) < 0.06


def test_mersenne_twister(device: Device) -> None:
    """The generator's own order, which numpy has too."""
    expected = np.random.RandomState(SEED).randint(0, 1 << 32, 3000, dtype=np.uint64)
    generator = seeded(device, "mt19937")
    made = np.concatenate([generator("bits", 1000), generator("bits", 2000)])
    assert np.array_equal(made, expected)


def test_host_generators_give_the_same(device: Device) -> None:
    generator = Generator(device, "xorwow", host=True)
    assert generator.set("PseudoRandomGeneratorSeed", SEED) == 0
    out = np.zeros(5000, "u4")
    checked(generator.library.curandGenerate)(generator.handle, ctypes.c_void_p(out.ctypes.data), ctypes.c_size_t(5000))
    assert np.array_equal(out, seeded(device, "xorwow")("bits", 5000))


def test_statuses_are_those_of_an_h200(device: Device) -> None:
    pseudo, quasi = seeded(device, "xorwow"), Generator(device, "sobol32")
    assert [pseudo.status("normal", 7, 0, 1), pseudo.status("normal_double", 7, 0, 1)] == [105, 105]
    assert [quasi.status("normal", 7, 0, 1), pseudo.status("uniform", 7), pseudo.status("bits", 0)] == [0, 0, 0]
    assert [pseudo.status("long", 8), quasi.status("long", 8), Generator(device, "sobol64").status("bits", 8)] == [
        103
    ] * 3
    assert [quasi.set("PseudoRandomGeneratorSeed", 1), pseudo.set("QuasiRandomGeneratorDimensions", 3)] == [103, 103]
    assert [quasi.set("QuasiRandomGeneratorDimensions", n) for n in (0, 1, 20000, 20001, 3)] == [104, 0, 0, 104, 0]
    assert quasi.status("bits", 8) == 105
    assert [pseudo.set("GeneratorOrdering", 201), quasi.set("GeneratorOrdering", 101)] == [104, 104]
    assert seeded(device, "mt19937").set("GeneratorOffset", 5) == 103
    assert [pseudo.status("poisson", 8, mean) for mean in (0.0, -1.0, 1e-9)] == [104, 104, 0]
    library, handle = pseudo.library, ctypes.c_void_p()
    assert [library.curandCreateGenerator(ctypes.byref(handle), kind) for kind in (0, 99, 102, 205)] == [103] * 4
    assert library.curandGenerate(None, None, ctypes.c_size_t(1)) == 101


def test_captured_calls_run_with_the_graph(device: Device) -> None:
    """The graph's node gives the same numbers each time it runs, as a kernel of cuRAND does."""
    stream, graph, executable = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    device.cudaStreamCreate(ctypes.byref(stream))
    generator = seeded(device, "philox")
    assert generator.library.curandSetStream(generator.handle, stream) == 0
    expected: Any = seeded(device, "philox")("bits", 64)
    out = device.zeros(64, "u4")
    device.cudaStreamBeginCapture(stream, 0)
    checked(generator.library.curandGenerate)(generator.handle, out, ctypes.c_size_t(64))
    device.cudaStreamEndCapture(stream, ctypes.byref(graph))
    assert not out.get().any()
    device.cudaGraphInstantiate(ctypes.byref(executable), graph, ctypes.c_ulonglong(0))
    for _ in range(2):
        device.cudaMemset(out, 0, ctypes.c_size_t(256))
        device.cudaGraphLaunch(executable, stream)
        device.cudaStreamSynchronize(stream)
        assert np.array_equal(out.get(), expected)

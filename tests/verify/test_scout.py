"""A second translation, launches that it is compared on, and CTAs that are found by trying."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.emulator import Emulator
from cassc.image import cubin as cubins
from cassc.image.cubin import Cubin
from cassc.sass.disasm import SassFunction, disassemble
from cassc.target import DEFAULT_TARGET
from cassc.verify import execute, hints, machine_mutants, scout
from cassc.verify.check import Checker
from cassc.verify.inputs import Failure, Generator, Launch
from cassc.verify.oracle import LOOKED_AT, Oracle
from cassc.verify.panel import Panel
from cassc.verify.repeated import Repeated
from cassc.verify.shapes import Shapes
from cassc.verify.verdict import Status

DATA = Path(__file__).parents[1]
CUBIN = DATA / "engines" / "data" / "scale.sm_80.cubin"
GATE = DATA / "verify" / "data" / "gate.sm_80.cubin"

emulated = pytest.mark.skipif(emulator.library_path() is None, reason="libcassc_emu.so is not built")


@cache
def translated() -> tuple[SassFunction, Cubin, bytes]:
    from cassc.engines.cascade import TranslateOptions, translate_module

    data = CUBIN.read_bytes()
    made = translate_module(data, [DEFAULT_TARGET], TranslateOptions(check_seconds=0))
    cubin = cubins.parse(data)
    (function,) = disassemble(cubin).functions
    return function, cubin, made.code_objects[DEFAULT_TARGET.name]


@cache
def without_its_store() -> bytes:
    _, _, code = translated()
    found = machine_mutants.mutants(code, "scale", DEFAULT_TARGET)
    return machine_mutants.apply(code, next(m for m in found if m.kind == "dropped" and "_store_" in m.before))


def launch(attempt: int = 0) -> Launch:
    function, _, _ = translated()
    return Generator(function.abi, hints.of(function)).launch(attempt)


@emulated
def test_a_mistake_behind_the_lifter_shows_where_the_second_translation_is_right() -> None:
    function, cubin, code = translated()
    with Panel(function, cubin, code, DEFAULT_TARGET, seconds=0.01) as panel:
        assert panel.verdict.status is Status.ACCEPTED
        assert len(panel._sights) > 5
        assert not any(panel._oracle.suspicious(sight, *loaded(panel, code)) for sight in panel._sights)
        wrong = without_its_store()
        assert any(panel._oracle.suspicious(sight, *loaded(panel, wrong)) for sight in panel._sights)
        verdict = panel.judge(wrong)
    assert verdict.status is Status.REJECTED


def loaded(panel: Panel, code: bytes):  # type: ignore[no-untyped-def]
    module = panel._oracle.emulator.load(code)
    return module, module.kernels["scale"]


@emulated
def test_launches_follow_from_the_seed_and_the_second_translation_alone() -> None:
    function, cubin, code = translated()
    seen = []
    for one in (code, without_its_store()):
        with Emulator(DEFAULT_TARGET) as device:
            oracle = Oracle(function, cubin, device, device.load(one))
            oracle.scouted(scout.second(function, cubin, DEFAULT_TARGET))
            list(oracle.cases(0.02))
            seen.append([(s.launch.attempt, s.launch.scalars, s.launch.block) for s in oracle.sights(0.02)])
    assert seen[0] == seen[1]
    assert seen[0][0][0] >= LOOKED_AT


@emulated
def test_a_launch_that_was_looked_at_is_run_again_by_its_number() -> None:
    function, cubin, code = translated()
    with Panel(function, cubin, code, DEFAULT_TARGET, seconds=0.5) as panel:
        attempt = next(s.launch.attempt for s in panel._sights if s.probed and s.usable)
    with Checker(cubin, without_its_store(), DEFAULT_TARGET) as checker:
        verdict = checker.check(function, "lift", seconds=0.5, attempt=attempt)
    assert verdict.counterexample is not None and verdict.counterexample.attempt == attempt


@emulated
def test_a_launch_that_does_not_end_is_told() -> None:
    cubin = cubins.parse(GATE.read_bytes())
    function = disassemble(cubin).function("loops")
    assert function is not None
    with Emulator(DEFAULT_TARGET) as device:
        code = scout.second(function, cubin, DEFAULT_TARGET)
        oracle = Oracle(function, cubin, device, device.load(code))
        oracle.scouted(code)
        assert oracle.scout is not None
        case = oracle.place(replace(oracle.generator.launch(0), grid=(1, 1, 1)))
        assert not oracle.scout.endless(case.launch, case.addresses, oracle._vary, 1_000_000)
        case = oracle.place(replace(case.launch, grid=(4000, 1, 1)))
        assert oracle.scout.endless(case.launch, case.addresses, oracle._vary, 0)


@emulated
def test_memory_is_put_back_after_each_run() -> None:
    function, cubin, code = translated()
    with Emulator(DEFAULT_TARGET) as device:
        module = device.load(code)
        one = launch()
        addresses = [device.alloc(buffer.data.size) for buffer in one.buffers]
        variables = execute.place_variables(cubin, device, module)
        kernel = module.kernels[function.name]
        run = execute.on_emulator(device, module, kernel, one, addresses, variables, max_instructions=100_000)
        repeated = Repeated(device, one, addresses, run)
        for _ in range(2):
            for index, (buffer, address) in enumerate(zip(one.buffers, addresses, strict=True)):
                assert device.read(address, buffer.data.size) == one.content(index, addresses).tobytes()
            assert repeated.run(kernel, 100_000) == {}
        assert repeated.run(kernel, 1) is None
        assert device.read(addresses[0], one.buffers[0].data.size) == one.content(0, addresses).tobytes()


def test_ctas_that_were_right_are_taken_again_and_those_that_raced_are_not() -> None:
    shapes = Shapes(limit=256, dimensions=2)
    random = np.random.default_rng(3)
    for _ in range(400):
        one = shapes.shaped(random, launch(), 0)
        assert one.block[0] * one.block[1] <= 256 and one.dynamic_shared == 0
        shapes.note(one, right=one.block == (16, 8, 1) and one.grid == (1, 1, 1))
    chosen = [shapes.shaped(random, launch(), 0) for _ in range(200)]
    assert sum(one.block == (16, 8, 1) and one.grid == (1, 1, 1) for one in chosen) > 140


def test_shared_memory_that_launches_seemed_to_need_is_left_out_sometimes() -> None:
    shapes = Shapes(limit=1024, dimensions=1)
    random = np.random.default_rng(3)
    made = [shapes.shaped(random, launch(), 8192) for _ in range(50)]
    assert {one.dynamic_shared for one in made} == {0, 8192}
    assert len({one.grid for one in made}) == 4


def test_a_number_that_was_taken_for_an_address_is_a_pointer() -> None:
    function, _, _ = translated()
    generator = Generator(function.abi, hints.Hints(complete=True))
    first = generator.launch(0)
    (slot, *_) = (s for s in range(0, function.abi.param_size - 7, 8) if s not in {b.offset for b in first.buffers})
    value = int.from_bytes(first.scalars[slot : slot + 8], "little")
    generator.learn(first, [], frozenset(), Failure("address", value + 12, "global"))
    assert slot in {buffer.offset for buffer in generator.launch(1).buffers}


def test_sizes_are_rounded_where_accesses_were_misaligned() -> None:
    function, _, _ = translated()
    generator = Generator(function.abi, hints.of(function))
    first = generator.launch(0)
    addresses = [(k + 1) << 32 for k in range(len(first.buffers))]
    generator.learn(first, addresses, frozenset(addresses), Failure("misaligned", addresses[0] + 2, "global"))
    assert generator.rounded

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from cassc.image import cubin as cubins
from cassc.sass import cfg
from cassc.sass.cfg import Cfg, Edge
from cassc.sass.disasm import disassemble

DATA = Path(__file__).parent / "data"


@functools.cache
def graphs(sm: int) -> dict[str, Cfg]:
    cubin = cubins.parse((DATA / f"kernels.sm_{sm}.cubin").read_bytes())
    return {f.name: cfg.build(f) for f in disassemble(cubin).functions}


@pytest.mark.parametrize("sm", [80, 90])
def test_blocks_end_where_control_goes_elsewhere(sm: int) -> None:
    for graph in graphs(sm).values():
        assert not graph.missing
        assert 0 in graph.blocks
        for block in graph.blocks.values():
            assert all(i.row.control not in cfg.ENDS for i in block.instructions[:-1])
            assert [i.address for i in block.instructions] == list(
                range(block.start, block.start + 16 * len(block.instructions), 16)
            )
            assert all(target in graph.blocks for _, target in block.successors)


@pytest.mark.parametrize("sm", [80, 90])
def test_padding_is_not_reached(sm: int) -> None:
    reached = [i for b in graphs(sm)["saxpy"].blocks.values() for i in b.instructions]
    assert all(i.row.mnemonic != "NOP" for i in reached)
    assert reached[-1].row.mnemonic == "EXIT"


@pytest.mark.parametrize("sm", [80, 90])
def test_recursion_calls_a_subroutine_and_returns_behind_it(sm: int) -> None:
    graph = graphs(sm)["recursive"]
    (entry,) = graph.subroutines
    calls = [b for b in graph.blocks.values() if (Edge.CALL, entry) in b.successors]
    assert len(calls) >= 3
    for block in calls:
        assert (Edge.RETURN_POINT, block.last.address + 16) in block.successors


@pytest.mark.parametrize("sm", [80, 90])
def test_calls_through_registers_reach_every_subroutine(sm: int) -> None:
    graph = graphs(sm)["through_pointers"]
    assert len(graph.subroutines) == 2
    (call,) = [b for b in graph.blocks.values() if b.last.row.control == "call_rel"]
    assert {target for kind, target in call.successors if kind is Edge.CALL} == set(graph.subroutines)


@pytest.mark.parametrize("sm", [80, 90])
def test_a_switch_has_the_targets_that_the_cubin_lists(sm: int) -> None:
    indirect = [b for g in graphs(sm).values() for b in g.blocks.values() if b.last.row.control == "brx"]
    for block in indirect:
        assert len([t for kind, t in block.successors if kind is Edge.INDIRECT]) >= 2


def test_dot() -> None:
    text = graphs(80)["saxpy"].dot()
    assert text.startswith('digraph "saxpy" {')
    assert text.count("[label=") == len(graphs(80)["saxpy"].blocks)
    assert "b0 -> b" in text

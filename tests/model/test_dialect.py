"""The dialect and its grammar: whatever is allowed can be parsed, finished and assembled."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from cassc.amdgpu.assemble import assemble
from cassc.diag import CasscError
from cassc.image import cubin as cubin_image
from cassc.lift.module import link_text
from cassc.model.dialect import OPS, Malformed, Slots, parse
from cassc.model.finish import Answer, finish
from cassc.model.operations import Form
from cassc.model.tokens import MOST_TOKENS, Grammar, State, Vocabulary
from cassc.sass.disasm import disassemble
from cassc.target import DEFAULT_TARGET

SCALE = Path(__file__).parents[1] / "engines" / "data" / "scale.sm_80.cubin"


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return Grammar(Vocabulary.of([*OPS, "#8000", "#ffff"]))


def walk(grammar: Grammar, slots: Slots, r: Random) -> list[str]:
    """A random group that the grammar allows; it is led to an end after some lines."""
    state = State(slots)
    text: list[int] = []
    while not state.done:
        mask = grammar.allowed(state)
        numbers = np.flatnonzero(mask)
        end = grammar.vocabulary.end
        number = end if mask[end] and r.random() < 0.3 else int(r.choice(list(numbers)))
        grammar.advance(state, number)
        text.append(number)
        assert len(text) <= MOST_TOKENS + 8
    return grammar.vocabulary.decode(text[:-1])


def test_a_group_survives_its_tokens() -> None:
    tokens = "@!P0 v_mad_i64_i32 w0 R4 C0 R2 v_mov_b32 R4 w0h v_fma_f32 R6 neg abs R4 I0 1 s_cbranch P1 L0".split()
    group = parse(tokens)
    assert group.guard == "!P0"
    assert [str(line) for line in group.lines][2] == "v_fma_f32 R6, neg abs R4, I0, 1"
    assert group.tokens() == tokens


@pytest.mark.parametrize("text", ["v_nothing R1", "v_mov_b32 R1", "s_endpgm v_mov_b32 R1 R2", "v_mov_b32 R1 R2 @P0"])
def test_what_is_no_group_is_said_to_be_none(text: str) -> None:
    with pytest.raises(Malformed):
        parse(text.split())


@pytest.mark.parametrize("form", list(Form))
def test_whatever_the_grammar_allows_assembles(grammar: Grammar, form: Form) -> None:
    cubin = cubin_image.parse(SCALE.read_bytes())
    function = disassemble(cubin).functions[0]
    r = Random(3)
    assembled = 0
    for _ in range(6):
        count = 12
        slots = tuple(
            Slots(
                ((0x12345678, 0x12345678),),
                ((0, function.abi.param_base),),
                (r.randrange(count),),
                ((0, r.randrange(count)),),
            )
            for _ in range(count)
        )
        groups = tuple(parse(walk(grammar, s, r)) for s in slots)
        answer = Answer(groups, slots, (*[True] * (count - 1), False))
        try:
            finished = finish(answer, function.abi, cubin, form)
        except CasscError as refusal:
            # A constant, or a function of the runtime, that the kernel does not have.
            assert refusal.diagnostics[0].id in ("lift-unsupported", "model-unusable")
            continue
        assert assemble(link_text([finished], DEFAULT_TARGET), DEFAULT_TARGET, opt_level=1)
        assembled += 1
    assert assembled > 2


def test_temporaries_are_read_after_they_are_written(grammar: Grammar) -> None:
    state = State(Slots())
    index = grammar.vocabulary.index
    for token in ("v_mov_b32", "R1"):
        grammar.advance(state, index[token])
    allowed = grammar.allowed(state)
    assert not allowed[index["t0"]] and not allowed[index["I0"]] and allowed[index["R9"]]


def test_operations_on_slots_need_the_slots(grammar: Grammar) -> None:
    index = grammar.vocabulary.index
    without = Slots()
    with_both = Slots((), ((0, 0x160),), (3,), ((16, 2),))
    for name in ("s_branch", "s_cbranch", "const_load_b32", "s_switch"):
        assert not grammar.allowed(State(without))[index[name]]
        assert grammar.allowed(State(with_both))[index[name]]


def test_the_grammar_follows_operand_kinds(grammar: Grammar) -> None:
    state = State(Slots())
    index = grammar.vocabulary.index
    grammar.advance(state, index["v_cmp_lt_i32"])
    allowed = grammar.allowed(state)
    assert allowed[index["P0"]] and not allowed[index["R0"]] and not allowed[index["true"]]

"""Which guarded writes keep the old value: the dataflow, and the code that nvcc's idioms become."""

from collections.abc import Hashable

from cassc.lift.passes.merges import Merges, Step, Trace

P, NOT_P = ("%p0", False), ("%p0", True)


Blocks = dict[Hashable, list[Step]]
Edges = dict[Hashable, set[Hashable]]


def trace(*steps: Step, blocks: Blocks | None = None, successors: Edges | None = None) -> Trace:
    return Trace({"a": list(steps), **(blocks or {})}, dict(successors or {}))


def test_old_value_is_not_needed_where_readers_have_the_guard_of_the_write() -> None:
    merges = Merges(trace(Step(P, writes={"%r1"}), Step(P, reads={"%r1"})))
    assert not merges.needed("a", 0, P, "%r1")


def test_old_value_is_needed_by_a_reader_without_guard() -> None:
    merges = Merges(trace(Step(P, writes={"%r1"}), Step(None, reads={"%r1"})))
    assert merges.needed("a", 0, P, "%r1")


def test_old_value_is_needed_by_a_reader_with_another_guard() -> None:
    for other in (NOT_P, ("%p1", False)):
        assert Merges(trace(Step(P, writes={"%r1"}), Step(other, reads={"%r1"}))).needed("a", 0, P, "%r1")


def test_a_predicate_that_changes_is_another_guard() -> None:
    steps = (Step(P, writes={"%r1"}), Step(None, writes={"%p0"}), Step(P, reads={"%r1"}))
    assert Merges(trace(*steps)).needed("a", 0, P, "%r1")


def test_a_write_that_changes_its_own_guard() -> None:
    steps = (Step(P, writes={"%r1", "%p0"}), Step(P, reads={"%r1"}))
    assert Merges(trace(*steps)).needed("a", 0, P, "%r1")


def test_both_sides_of_a_choice_need_one_merge() -> None:
    steps = (Step(P, writes={"%r1"}), Step(NOT_P, writes={"%r1"}), Step(None, reads={"%r1"}))
    merges = Merges(trace(*steps))
    assert not merges.needed("a", 0, P, "%r1")
    assert merges.needed("a", 1, NOT_P, "%r1")


def test_overwritten_everywhere() -> None:
    steps = (Step(P, writes={"%r1"}), Step(None, writes={"%r1"}), Step(None, reads={"%r1"}))
    assert not Merges(trace(*steps)).needed("a", 0, P, "%r1")


def test_a_write_that_may_not_happen_hides_nothing() -> None:
    steps = (Step(P, writes={"%r1"}), Step(None, writes={"%r1"}, kills=False), Step(None, reads={"%r1"}))
    assert Merges(trace(*steps)).needed("a", 0, P, "%r1")


def test_readers_in_blocks_behind() -> None:
    blocks: Blocks = {"b": [Step(P, reads={"%r1"})], "c": [Step(None, reads={"%r1"})]}
    guarded = Step(P, writes={"%r1"})
    assert not Merges(trace(guarded, blocks=blocks, successors={"a": {"b"}})).needed("a", 0, P, "%r1")
    assert Merges(trace(guarded, blocks=blocks, successors={"a": {"b", "c"}})).needed("a", 0, P, "%r1")
    assert Merges(trace(guarded, blocks=blocks, successors={"a": {"b"}, "b": {"c"}})).needed("a", 0, P, "%r1")


def test_around_a_loop() -> None:
    loop: Edges = {"a": {"a", "b"}}
    first = (Step(P, reads={"%r1"}), Step(P, writes={"%r1"}))
    assert not Merges(trace(*first, blocks={"b": []}, successors=loop)).needed("a", 1, P, "%r1")
    changed = (Step(P, reads={"%r1"}), Step(P, writes={"%r1"}), Step(None, writes={"%p0"}))
    assert Merges(trace(*changed, blocks={"b": []}, successors=loop)).needed("a", 1, P, "%r1")


def test_behind_an_unknown_place_all_is_read() -> None:
    steps = (Step(P, writes={"%r1"}), Step(P, reads={"%r1"}))
    found = trace(*steps)
    found.open.add("a")
    assert Merges(found).needed("a", 0, P, "%r1")


def test_a_step_without_answer_keeps_the_old_value() -> None:
    assert Merges(trace(Step(P, writes={"%r1"}))).needed("b", 5, P, "%r1")

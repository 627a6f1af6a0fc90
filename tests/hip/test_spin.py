"""Locks that the lanes of one warp compete for: the loops are rewritten so that they end, or told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cassc.hip import dialect, tools


@pytest.fixture(autouse=True)
def _lexer() -> None:
    if tools.find_lexer() is None:
        pytest.skip("libclang is not installed")


def rewritten(text: str) -> dialect.Rewritten:
    return dialect.rewrite(text, "a.cu", locks=dialect.locks(text))


TAKEN_IN_THE_BODY = "void f() { bool d = 0; while (!d) { if (atomicCAS(l, 0, 1) == 0) { x(); *l = 0; d = true; } } }"
BREAK = "void f() { for (int i = 0;; ++i) { if (!atomicExch(&l, 1)) { x(); atomicExch(&l, 0); break; } } }"
BEHIND = "void f() { while (atomicCAS(&l, 0, 1) != 0) ; int t = x(); y(t); atomicExch(&l, 0); }"
FUNCTIONS = (
    "void take(int* m) { while (atomicExch(m, 1)) {} }\nvoid give(int* m) { atomicExch(m, 0); }\n"
    "void f() { if (c) { take(&l[3]); x(); give(&l[3]); } }"
)


def test_conditions_are_hidden_from_the_compiler() -> None:
    assert "while (cassc::met(static_cast<bool>((!d))))" in rewritten(TAKEN_IN_THE_BODY).text


def test_breaks_become_flags() -> None:
    text = rewritten(BREAK).text
    assert "{ bool cassc_left_11 = false; for (int i = 0;cassc::met(!cassc_left_11 && true);" in text
    assert "cassc_left_11 ? (void)0 : (void)(++i)" in text
    assert "{ cassc_left_11 = true; continue; }" in text


def test_what_gives_the_lock_back_becomes_a_part_of_the_loop() -> None:
    made = rewritten(BEHIND)
    assert "if (atomicCAS(&l, 0, 1) != 0) ; else { cassc_waits_11 = false; int t = x();" in " ".join(made.text.split())
    assert made.text.endswith("atomicExch(&l, 0); } }")
    assert not made.waiting


def test_functions_that_take_and_give_back() -> None:
    made = rewritten(FUNCTIONS)
    assert "if (cassc::first_lane()) {" in made.text.splitlines()[2]
    assert made.text.endswith("give(&l[3]); } } }")
    assert not made.waiting


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void f() { while (atomicCAS(&l, 0, 1)) ; x(); }",  # nothing gives it back
        "__global__ void f() { while (atomicCAS(&l, 0, 1)) ; int t = x(); atomicExch(&l, 0); y(t); }",  # t lives on
        "__global__ void f() { while (atomicCAS(&l, 0, 1)) ; if (x()) return; atomicExch(&l, 0); }",
        "__global__ void f() { while (atomicCAS(&l, 0, 1)) ; x = __shfl_sync(m, x, 0); atomicExch(&l, 0); }",
        "__global__ void f() { while (true) { if (atomicCAS(&l, 0, 1) == 0) break; } x(); }",
    ],
)
def test_what_is_not_mended_is_told(text: str) -> None:
    (warning,) = rewritten(text).waiting
    assert warning.id == "source-spin-lock"
    assert (warning.location.file, warning.location.line) == ("a.cu", 1)
    assert warning.location.column == text.index("while") + 1


def test_other_uses_of_functions_that_take_a_lock_are_told() -> None:
    guard = "struct Guard { Guard(int* m) { while (atomicExch(m, 1)) {} } ~Guard() {} };\n"
    (warning,) = rewritten(guard + "__global__ void k() { Guard g(&l); x(); }").waiting
    assert (warning.location.line, warning.location.column) == (2, 23)


@pytest.mark.parametrize(
    "text",
    [
        "void f() { do { a = o; o = atomicCAS(p, a, a + 1); } while (a != o); }",
        "void f() { while (k != e) { p = atomicCAS(&t[s], e, k); if (p == e) return; s++; } }",
        "void f() { for (auto x : v) atomicExch(&l, x); }",
    ],
)
def test_other_loops_are_not_told(text: str) -> None:
    assert not rewritten(text).waiting


@pytest.mark.slow
def test_every_form_ends(program: Callable[..., str]) -> None:
    text = """
#include <cstdio>
__device__ int word;
__device__ volatile int total;
struct Lock {
  int m;
  __device__ void lock() { while (atomicCAS(&m, 0, 1) != 0) {} __threadfence(); }
  __device__ void unlock() { __threadfence(); atomicExch(&m, 0); }
};
__device__ Lock locks[2];
__global__ void flag() {
  bool done = false;
  while (!done) { if (atomicCAS(&word, 0, 1) == 0) { total = total + 1; __threadfence(); word = 0; done = true; } }
}
__global__ void leave() {
  for (;;) { if (!atomicExch(&word, 1)) { total = total + 1; __threadfence(); atomicExch(&word, 0); break; } }
}
__global__ void behind() {
  while (atomicCAS(&word, 0, 1) != 0);
  total = total + 1;
  __threadfence();
  atomicExch(&word, 0);
}
__global__ void twice() {
  while (true) { if (atomicCAS(&word, 0, 1) == 0) break; }
  total = total + 1;
  __threadfence();
  atomicExch(&word, 0);
}
__global__ void methods() { Lock* p = locks; p[1].lock(); int t = total; total = t + 1; p[1].unlock(); }
int main() {
  flag<<<2, 40>>>(); leave<<<2, 40>>>(); behind<<<2, 40>>>(); twice<<<2, 40>>>(); methods<<<2, 40>>>();
  int sum = 0;
  cudaMemcpyFromSymbol(&sum, *(const int*)&total, sizeof sum);
  printf("%d\\n", sum);
}
"""
    assert program(text) == "400\n"

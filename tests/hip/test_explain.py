"""What is said in the place of clang's words."""

from __future__ import annotations

from pathlib import Path

from cassc.diag import Diagnostic, Location, Severity
from cassc.hip import dialect
from cassc.hip.explain import explain, without_refusals

WARNING = "a.cu:3:7: warning: unused variable 'x' [-Wunused-variable]\n    3 |   int x;\n      |       ^\n"
REFUSAL = """In file included from b.cu:1:
a.cu:6:35: error: call to '{0}()' declared with 'error' attribute: inline PTX is not translated: 'trap'
    6 |     CASSC_PTX_REFUSED({0}, "inline PTX is not translated: 'trap'", asm("trap;"));
      |                       ^
a.cu:1:34: note: expanded from macro 'TRAP'
    1 | #define TRAP CASSC_PTX_REFUSED({0}, "inline PTX is not translated: 'trap'", asm("trap;"))
      |              ^
"""


def _told(line: int, column: int) -> Diagnostic:
    return Diagnostic(Severity.ERROR, "source-inline-ptx", "refused", Location("a.cu", line, column))


def test_refused_assembly_is_told_in_the_users_place() -> None:
    output = REFUSAL.format(dialect.refusal("a.cu", 6, 17))
    (found,) = explain(output, Path("a.cu"), [_told(6, 1), _told(6, 17), _told(61, 7)])
    assert found.location == Location("a.cu", 6, 17)
    assert "--engine=lift" in found.notes[0].message


def test_of_clangs_words_only_the_refusals_go() -> None:
    refusal = REFUSAL.format(dialect.refusal("a.cu", 6, 17))
    count = "1 warning and 1 error generated when compiling for gfx1100.\n"
    error = "a.cu:9:1: error: unknown type name 'foo'\n    9 | foo\n      | ^\n"
    assert without_refusals(WARNING + refusal + error + count) == WARNING + error + count
    assert without_refusals(refusal + refusal + "2 errors generated when compiling for gfx1100.\n") == ""

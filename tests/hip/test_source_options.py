"""nvcc's options, and the macros that go with them, in clang's words."""

from __future__ import annotations

import pytest

from cassc.diag import Severity
from cassc.hip.compile import options


@pytest.mark.parametrize(
    ("words", "flags"),
    [
        (("-G",), ("-g", "-D__CUDACC_DEBUG__")),
        (("-rdc", "true"), ("-D__CUDACC_RDC__",)),
        (("-rdc", "false"), ()),
        (("-extended-lambda",), ("-D__CUDACC_EXTENDED_LAMBDA__",)),
        (("-expt-relaxed-constexpr",), ("-D__CUDACC_RELAXED_CONSTEXPR__",)),
        (("-default-stream", "per-thread"), ("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1",)),
        (("-default-stream", "legacy"), ()),
        (("-D", "N=4", "-I", "dir", "-std", "c++20"), ("-DN=4", "-Idir", "-std=c++20")),
        (("-lineinfo",), ("-gline-tables-only",)),
        (("-Xcudafe", "--display_error_number"), ()),
    ],
)
def test_both_sides(words: tuple[str, ...], flags: tuple[str, ...]) -> None:
    assert options(words).both == (*flags, "-O3")


def test_the_device_alone() -> None:
    assert options(("-fmad", "false")).device == ("-ffp-contract=off",)
    assert options(("-ftz", "true")).device == ("-fgpu-flush-denormals-to-zero",)
    assert set(options(("-ftz", "true")).device) < set(options(("-use_fast_math",)).device)


def test_the_host_alone() -> None:
    made = options(("-Xcompiler", "-Wall,-march=native", "-fno-math-errno"))
    assert made.host == ("-Wall", "-march=native", "-fno-math-errno")


def test_what_has_no_effect_is_told() -> None:
    told = options(("-maxrregcount", "32", "-Xptxas", "-v")).remarks
    assert [d.severity for d in told] == [Severity.REMARK, Severity.REMARK]
    made = options(("-Xcompiler", "-fopenmp"))
    assert "-fopenmp" not in made.host
    assert [d.id for d in made.remarks] == ["source-openmp"]

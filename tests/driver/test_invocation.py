"""Command lines: what is understood, and the words of refusal."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cassc.driver.arguments import CommandLineError
from cassc.driver.invocation import Kind, Phase, parse
from cassc.target import TARGETS
from cassc.toolchain import Nvcc


def test_defaults() -> None:
    invocation = parse(["a.cu"])
    assert invocation.phase is Phase.LINK
    assert [(i.path, i.kind) for i in invocation.inputs] == [("a.cu", Kind.CUDA)]
    assert invocation.targets == (TARGETS["gfx1100"],)
    assert invocation.compile_args == ("-arch", "sm_80")
    assert invocation.threads == 1
    assert invocation.cudart == "static"
    assert not invocation.relocatable


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-Idir", "-I", "dir2", "-I=dir3"], ("-I", "dir", "-I", "dir2", "-I", "dir3")),
        (["-DA=1", "-D", 'B="x,y"', "--define-macro", "C"], ("-D", "A=1", "-D", 'B="x,y"', "-D", "C")),
        (["-O3"], ("-O", "3")),
        (["-std=c++17"], ("-std", "c++17")),
        (["--std", "c++20"], ("-std", "c++20")),
        (["-lineinfo", "-g"], ("-lineinfo", "-g")),
        (["-G", "-g"], ("-G", "-g")),
        (["-Xptxas", "-v,-O1"], ("-Xptxas", "-v,-O1")),
        (["--expt-relaxed-constexpr", "-expt-extended-lambda"], ("-expt-relaxed-constexpr", "-expt-extended-lambda")),
    ],
)
def test_compile_arguments(words: list[str], expected: tuple[str, ...]) -> None:
    assert parse([*words, "-c", "a.cu"]).compile_args == (*expected, "-arch", "sm_80")


def test_link_arguments() -> None:
    words = "a.o b.a -lm -l stdc++ -Lx -L y -Xlinker -z,now -Xcompiler -fPIC,-Wall -shared -o lib.so -ccbin g++-12"
    invocation = parse(words.split())
    assert invocation.libraries == ("m", "stdc++")
    assert invocation.library_dirs == ("x", "y")
    assert invocation.linker_args == ("-z", "now")
    assert invocation.host_args == ("-fPIC", "-Wall")
    assert invocation.shared
    assert invocation.output == "lib.so"
    assert invocation.host_compiler == "g++-12"
    assert [i.kind for i in invocation.inputs] == [Kind.OBJECT, Kind.ARCHIVE]


def test_protected_commas_of_host_options() -> None:
    assert parse(["a.cu", "-Xcompiler", "-Wl\\,-O1,-g"]).host_args == ("-Wl,-O1", "-g")
    assert parse(["a.cu", "-Xcompiler", '"-Wl,-O1",-g']).host_args == ("-Wl,-O1", "-g")
    assert parse(["a.cu", "-Xcompiler", ',"-g"']).host_args == ("-g",)  # as FindCUDA writes it


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-arch=sm_90"], ("-arch", "sm_90")),
        (["-arch", "compute_80", "-code=sm_80,sm_86"], ("-arch", "compute_80", "-code", "sm_80,sm_86")),
        (
            ["-gencode", "arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=[sm_90,compute_90]"],
            ("-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=[sm_90,compute_90]"),
        ),
        (["--generate-code=arch=compute_80,code=sm_80"], ("-gencode", "arch=compute_80,code=sm_80")),
    ],
)
def test_architectures_reach_both_compilation_and_device_link(words: list[str], expected: tuple[str, ...]) -> None:
    invocation = parse([*words, "a.cu"])
    assert invocation.compile_args == expected
    assert invocation.device_link_args == expected


@pytest.mark.parametrize("name", ["native", "all", "all-major"])
def test_named_architectures_are_the_default_with_a_remark(name: str) -> None:
    invocation = parse([f"-arch={name}", "a.cu"])
    assert invocation.compile_args == ("-arch", "sm_80")
    assert [r.id for r in invocation.remarks] == ["command-line-native-arch"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("-arch=lto_80 -rdc=true", "arch=compute_80,code=[sm_80]"),
        ("-gencode arch=compute_80,code=[compute_80,lto_80]", "arch=compute_80,code=[compute_80,sm_80]"),
    ],
)
def test_lto_code_becomes_sass(words: str, expected: str) -> None:
    invocation = parse([*words.split(), "a.cu"])
    assert invocation.device_link_args[-2:] == ("-gencode", expected)
    assert [r.id for r in invocation.remarks] == ["command-line-no-lto"]


def test_products_of_nvcc_have_the_architectures_asked_for() -> None:
    assert "compute_80" in parse("-ptx a.cu -arch=compute_80".split()).nvcc_args
    assert parse("-ptx a.cu".split()).nvcc_args == ("-ptx", "-arch", "sm_80", "a.cu")


def test_last_of_several_values_counts() -> None:
    invocation = parse("-O2 -std=c++14 -O2 -std=c++17 -I a -I b -c a.cu".split())
    assert invocation.compile_args == ("-O", "2", "-std", "c++17", "-I", "a", "-I", "b", "-arch", "sm_80")
    (warning,) = invocation.remarks
    assert warning.message == "incompatible redefinition for option 'std', the last value of this option was used"


def test_flags_of_the_environment() -> None:
    flags = {"NVCC_PREPEND_FLAGS": "-DA -O1", "NVCC_APPEND_FLAGS": "-O3 --check-seconds=0"}
    invocation = parse(["-O2", "-c", "a.cu"], flags)
    assert invocation.compile_args == ("-D", "A", "-O", "3", "-arch", "sm_80")
    assert invocation.check_seconds == 0


@pytest.mark.parametrize(
    ("option", "compiler", "linker"),
    [
        ("-forward-unknown-to-host-compiler", True, False),
        ("-forward-unknown-to-host-linker", False, True),
        ("-forward-unknown-opts", True, True),
    ],
)
def test_where_unknown_options_go(option: str, compiler: bool, linker: bool) -> None:
    invocation = parse([option, "-fopenmp", "a.cu"])
    assert ("-fopenmp" in invocation.compile_args) is compiler
    assert ("-fopenmp" in invocation.host_args) is compiler
    assert ("-fopenmp" in invocation.linker_args) is linker


def test_objects_are_left_out_where_nothing_is_linked() -> None:
    invocation = parse(["-c", "a.cu", "b.o"])
    assert [r.id for r in invocation.remarks] == ["command-line-unused-input"]


def test_offload_targets() -> None:
    invocation = parse(["--offload-arch=gfx1101,gfx1100", "--offload-arch", "gfx1101", "a.cu"])
    assert [t.name for t in invocation.targets] == ["gfx1101", "gfx1100"]


def test_time_for_checking() -> None:
    assert parse(["a.cu"]).check_seconds == 1.5
    assert parse(["--check-seconds=0.25", "a.cu"]).check_seconds == 0.25
    assert "--check-seconds=0" not in parse(["--check-seconds=0", "-ptx", "a.cu"]).nvcc_args
    with pytest.raises(CommandLineError, match="'soon': expected a number"):
        parse(["--check-seconds", "soon", "a.cu"])


def test_math() -> None:
    assert parse(["--math=exact", "a.cu"]).exact_math
    assert not parse(["--math", "native", "a.cu"]).exact_math
    assert "--math=exact" not in parse(["--math=exact", "-ptx", "a.cu"]).nvcc_args
    assert not parse(["a.cu"]).exact_math
    with pytest.raises(CommandLineError, match="'fast'"):
        parse(["--math=fast", "a.cu"])


def test_language_option_holds_for_all_sources() -> None:
    kinds = [i.kind for i in parse(["a.cpp", "-x", "cu", "b.cpp", "c.inc", "d.o"]).inputs]
    assert kinds == [Kind.CUDA, Kind.CUDA, Kind.CUDA, Kind.OBJECT]


def test_options_file(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.write_text("-DNAME='a b'\n-O2")
    outer = tmp_path / "outer"
    outer.write_text(f"-c --options-file {inner} a.cu")
    invocation = parse(["-optf", str(outer)])
    assert invocation.phase is Phase.COMPILE
    assert invocation.compile_args[:4] == ("-D", "NAME=a b", "-O", "2")


def test_options_file_that_names_itself_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "loop"
    path.write_text(f"-optf {path}")
    with pytest.raises(CommandLineError, match="nested too deeply"):
        parse(["-optf", str(path)])


def test_unknown_options_are_forwarded_only_on_request() -> None:
    invocation = parse(["-forward-unknown-to-host-compiler", "-fno-math-errno", "-c", "a.cu"])
    assert "-fno-math-errno" in invocation.compile_args
    with pytest.raises(CommandLineError, match="Unknown option '-fno-math-errno'"):
        parse(["-fno-math-errno", "-c", "a.cu"])


def test_dependency_options() -> None:
    invocation = parse("-MD -MT x.o -MF x.d -MP -c a.cu".split())
    assert (invocation.dependencies, invocation.dependency_target, invocation.dependency_file) == ("-MD", "x.o", "x.d")
    assert invocation.depend_args == ("-MP",)
    assert invocation.compile_args == ("-arch", "sm_80")


@pytest.mark.parametrize(("words", "phase"), [("--foo -h", Phase.HELP), ("-V --foo", Phase.VERSION)])
def test_help_and_version_are_given_beside_unknown_options(words: str, phase: Phase) -> None:
    assert parse(words.split()).phase is phase


def test_refused_option_says_why() -> None:
    with pytest.raises(CommandLineError, match="option '-ltoir' is not supported: LTO-IR is not SASS"):
        parse(["-ltoir", "a.cu"])


def test_unknown_target() -> None:
    with pytest.raises(CommandLineError, match="Unsupported AMD target 'gfx906'.*gfx1100"):
        parse(["--offload-arch=gfx906", "a.cu"])


@pytest.mark.parametrize(("word", "known"), [("--engine=foo", "lift, .*source"), ("--math=foo", "native, exact")])
def test_unknown_value_of_an_own_option_says_what_is_known(word: str, known: str) -> None:
    with pytest.raises(CommandLineError, match=rf"Value 'foo' is not defined for option .*\(known: .*{known}"):
        parse([word, "a.cu"])


BAD = [
    ["--foo", "a.cu"],
    ["-foo=1", "a.cu"],
    ["-Wall", "a.cu"],
    ["-fPIC", "a.cu"],
    ["-oprog", "a.cu"],
    [],
    ["-c"],
    ["a.xyz"],
    ["a.cu", "-o"],
    ["a.cu", "-Xcompiler"],
    ["a.cu", "-l"],
    ["-g=1", "a.cu"],
    ["-lineinfo=3", "a.cu"],
    ["-std=c++99", "a.cu"],
    ["-cudart=foo", "a.cu"],
    ["-rdc=maybe", "a.cu"],
    ["-x", "fortran", "a.cu"],
    ["-optf", "no-such-file", "a.cu"],
    ["-o", "x", "-c", "a.cu", "b.cu"],
    ["-E", "a.cu", "b.cu", "-o", "x"],
    ["-arch=foo", "a.cu"],
    ["-arch=", "a.cu"],
    ["-arch=sm_80", "-code=sm_80,sm_86", "a.cu"],
    ["-code=sm_80", "a.cu"],
    ["-gencode", "arch=compute_80", "a.cu"],
    ["-gencode", "code=sm_80", "a.cu"],
    ["-gencode=foo", "a.cu"],
    ["-gencode", "arch=sm_80,code=sm_80", "a.cu"],
    ["-gencode=arch=compute_80,code=sm_80,compute_80", "-c", "a.cu"],
    ["-O", "a.cu"],
    ["-O3.5", "a.cu"],
    ["-O", "-1", "a.cu"],
    ["-t", "-1", "a.cu"],
    ["-t=x", "a.cu"],
    ["-maxrregcount=abc", "-c", "a.cu"],
    ["-MD", "-E", "a.cu"],
    ["-MF", "x", "-c", "a.cu"],
    ["-Werror", "foo", "-c", "a.cu"],
    ["-Werror", "-c", "a.cu"],
    ["-rdc=true", "-ewp", "-c", "a.cu"],
    ["-dc", "-ewp", "a.cu"],
    ["-c", "a.ptx"],
    ["a.cubin"],
    ["a.fatbin"],
    ["-use_fast_math=true", "-c", "a.cu"],
    ["-S", "a.cu"],
]


@pytest.mark.parametrize("words", BAD, ids=" ".join)
def test_refusals_are_in_nvcc_words(words: list[str], nvcc: Nvcc, tmp_path: Path) -> None:
    for name in ("a.cu", "b.cu"):
        (tmp_path / name).write_text("")
    done = subprocess.run([nvcc.path, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    with pytest.raises(CommandLineError) as caught:
        parse(words)
    assert f"nvcc fatal   : {caught.value.diagnostics[0].message}" == done.stderr.strip()
    assert caught.value.status == done.returncode

"""nvcc's dialect in clang's form: what is changed, and that lines stay where they are."""

from __future__ import annotations

import pytest

from cassc.hip import dialect, tokens


def made(text: str) -> str:
    tokens.lex("int x;")  # skips below where there is no libclang
    return dialect.rewrite(text, "a.cu").text


@pytest.fixture(autouse=True)
def _lexer() -> None:
    from cassc.hip import tools

    if tools.find_lexer() is None:
        pytest.skip("libclang is not installed")


def test_braces_in_a_launch() -> None:
    assert made("k<<<{2, 2}, {16, 16, 1}, 0, s>>>(a);") == "k<<<dim3{2, 2}, dim3{16, 16, 1}, 0, s>>>(a);"


def test_braces_elsewhere_stay() -> None:
    text = "k<<<f(dim3{1}), g({2})>>>(std::vector<int>{1, 2}); int x[] = {1};"
    assert made(text) == text


def test_launch_in_a_macro() -> None:
    assert made("#define L(k) k<<<1, {32}>>>(0)\n") == "#define L(k) k<<<1, dim3{32}>>>(0)\n"


def test_braces_that_a_macro_gives() -> None:
    """As a macro's parameter, or as its text; names that stand for nothing else are left alone."""
    text = "#define L(k, g, b) \\\n  k<<<g, b, 0, s>>>()\n#define G(n) {n, 1}\n#define B 32\n"
    text += "void f() { k<<<G(2), B>>>(); }\n"
    expected = text.replace("<<<g, b,", "<<<cassc::as_dim3(g), cassc::as_dim3(b),")
    assert made(text) == expected.replace("<<<G(2), B", "<<<cassc::as_dim3(G(2)), B")
    assert made("#define L(g) k<<<g + 1, g>>>()\n") == "#define L(g) k<<<g + 1, cassc::as_dim3(g)>>>()\n"


def test_alignas_behind_a_memory_space() -> None:
    assert made("extern __shared__ alignas(16) char d[];") == "alignas ( 16 ) extern __shared__  char d[];"
    text = "alignas(16) __shared__ char d[];"
    assert made(text) == text


def test_strings_and_comments_are_no_code() -> None:
    text = '// k<<<{1}, 1>>>() and asm("trap;")\nconst char* s = "k<<<{1}, {1}>>>";\n'
    assert made(text) == text


def test_lines_stay() -> None:
    text = 'int f() {\n  int l;\n  asm("mov.u32 %0,"\n      " %%laneid;"\n      : "=r"(l));\n  return l;\n}\n'
    lines = made(text).splitlines()
    assert len(lines) == len(text.splitlines())
    assert lines[5] == "  return l;"


def test_assembly_in_a_macro_keeps_its_continuations() -> None:
    text = '#define LANE(x) \\\n  asm("mov.u32 %0, %%laneid;" \\\n      : "=r"(x))\nint a;\n'
    lines = made(text).splitlines()
    assert lines[3] == "int a;"
    assert all(line.endswith("\\") for line in lines[:2])


def test_refused_assembly_has_its_place() -> None:
    result = dialect.rewrite('void f() {\n  asm("tex.2d.v4.f32 {%0}, [%1];" : "=f"(x) : "l"(t));\n}', "dir/a.cu")
    (refusal,) = result.refused
    assert (refusal.location.file, refusal.location.line, refusal.location.column) == ("dir/a.cu", 2, 3)
    assert "tex.2d.v4.f32" in refusal.message
    assert 'asm("tex.2d.v4.f32 {%0}, [%1];" : "=f"(x) : "l"(t))' in result.text  # for the host's side


def test_assembler_names_of_declarations_stay() -> None:
    text = 'extern "C" int f() asm("other");\nasm volatile("" ::: "memory");'
    assert made(text) == text


def test_managed_units_are_told() -> None:
    assert dialect.rewrite("__managed__ int x;", "a.cu").managed
    assert not dialect.rewrite("int x; // __managed__\n", "a.cu").managed


def test_bytes_that_are_no_utf8_survive() -> None:
    text = b"// \xe9\xff\nk<<<1, {2}>>>();".decode(errors="surrogateescape")
    assert made(text).encode(errors="surrogateescape") == b"// \xe9\xff\nk<<<1, dim3{2}>>>();"


def test_functions_of_which_no_device_code_may_be_made() -> None:
    text = """#include <cstdio>
__host__ __device__ void f() { puts(""); }
template <class T, class U = int>
static __host__ __device__ int g(T) {
  return rand();
}
namespace n { __host__ __device__ int h() { return rand(); } }
__host__ __device__ int other() { return 1; }
"""
    lines = dialect.rewrite(text, "a.cu", dialect.Lines(host_only=frozenset((2, 5, 7)))).text.splitlines()
    assert lines[1].startswith("inline __host__ __device__ void f()")
    assert lines[3].startswith("inline static __host__")
    assert lines[6].startswith("namespace n { inline __host__")
    assert lines[7] == "__host__ __device__ int other() { return 1; }"


def test_shared_objects_become_storage() -> None:
    text = "void k() {\n  __shared__ alignas(16) Pair<int, 4> a[2][N], b;\n  __shared__ int c;\n}\n"
    lines = dialect.rewrite(text, "a.cu", dialect.Lines(constructed=frozenset((2,)))).text.splitlines()
    kind = "Pair < int , 4 >"
    assert f"__shared__ cassc::Uninitialized<{kind}[ 2 ][ N ]> cassc_a; auto& a = cassc_a.get();" in lines[1]
    assert f"alignas(16) __shared__ cassc::Uninitialized<{kind}> cassc_b; auto& b = cassc_b.get();" in lines[1]
    assert lines[2] == "  __shared__ int c;"

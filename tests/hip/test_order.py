"""Arguments in host code are evaluated from the last to the first, as g++ does it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cassc import toolchain
from cassc.hip import dialect, tools


@pytest.fixture(autouse=True)
def _lexer() -> None:
    if tools.find_lexer() is None:
        pytest.skip("libclang is not installed")


def made(text: str) -> str:
    return dialect.rewrite(text, "a.cu", ordered=True).text


def test_arguments_that_do_something() -> None:
    assert made("void f() { g(next(), x, next()); }") == (
        "void f() { ({ auto&& cassc_11_2 = next ( ); auto&& cassc_11_0 = next ( ); "
        "g(static_cast<decltype(cassc_11_0)>(cassc_11_0), x, static_cast<decltype(cassc_11_2)>(cassc_11_2)); }); }"
    )


def test_calls_within_are_put_in_order_too() -> None:
    text = made("void f() { g(h(a(), b()), c()); }")
    assert text.index("= c ( )") < text.index("= b ( )") < text.index("= a ( )")


def test_lines_stay() -> None:
    text = "void f() {\n  g(next(),\n    next(\n      1));\n  h();\n}\n"
    assert made(text).splitlines()[4] == "  h();"


@pytest.mark.parametrize(
    "text",
    [
        "float a = f(next(), next());",  # statement expressions stand in functions
        "void f() { float3 v(next(), next()); }",  # a declaration
        "void f() { g(sqrtf(x), x + 1, y.size()); }",  # nothing happens
        "void f() { g(i, next()); }",
        "const T& f() { return pick(next(), next()); }",
        "auto f() -> T& { return pick(next(), next()); }",
        "void f() { const T& x = pick(next(), next()); }",
        "void f() { new (at) Node(next(), next()); }",
        "#define DEVICE static __device__ inline\nDEVICE void f() { g(next(), next()); }",
        "void f() { at(next(), next()) = 1; }",
        "void f() { make(next(), next()).run(); }",
        "void f() { puts(text(next()).c_str(), next()); }",
        "void f() { a[0] = {next(), next()}; }",  # braces have an order
        "#define TWICE(x, y) x y\nvoid f() { TWICE(next(), next()); }",
        "__global__ void f() { g(next(), next()); }",
        "__host__ __device__ void f() { g(next(), next()); }",
        "void f() { run([=] __device__(int i) { g(next(), next()); }); }",
        "struct S { S() : a(next(), next()) {} };",
        "void f() { k<<<blocks(), threads()>>>(next(), x); }",
    ],
)
def test_what_is_left_alone(text: str) -> None:
    assert made(text) == text


@pytest.mark.slow
def test_as_the_hosts_compiler_does_it(program: Callable[..., str], tmp_path: Path) -> None:
    compiler = toolchain.find().cxx
    if compiler is None or "clang" in compiler.name:
        pytest.skip("g++ is not on PATH")
    text = """
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>
struct V { int a, b, c; V(int x, int y, int z) : a(x), b(y), c(z) {} };
struct Counter { int n = 0; int operator()() { return n++; } int both(int a, int b) { return a * 10 + b; } };
template <class T> T minus(T a, T b) { return a - b; }
static std::unique_ptr<int> own(int a, int b) { return std::unique_ptr<int>(new int(a * 10 + b)); }
static std::string name(int i) { return std::string(1, static_cast<char>('a' + i)); }
static void show(std::string a, std::string b) { printf("%s%s\\n", a.c_str(), b.c_str()); }
int main() {
  Counter c;
  int i = 0;
  V v = V(c(), c(), c());
  printf("%d %d %d %d\\n", v.a, v.b, v.c, *own(c(), c()));
  printf("%d %d %d\\n", ++i, i++, i += 3);
  printf("%d %d\\n", minus<int>(c(), c()), c.both(c(), minus(c(), c())));
  std::map<int, int> m;
  m.emplace(c(), c());
  for (auto [a, b] : m) printf("%d %d\\n", a, b);
  show(name(c()),
       name(c()));
  std::vector<V> all;
  all.push_back(V(c(), 7, c()));
  auto next = [&] { return c(); };
  printf("%d %d %d\\n", all[0].a, next(), next());
}
"""
    plain = tmp_path / "plain.cpp"
    plain.write_text(text)
    subprocess.run([compiler, "-std=c++17", "-w", plain, "-o", tmp_path / "plain"], check=True)
    wanted = subprocess.run([tmp_path / "plain"], capture_output=True, text=True, check=True).stdout
    assert program(text) == wanted

"""Parts of a meaning as code of their own: branches around them, and functions that all their uses share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import cast

from cassc.lift import devicelib
from cassc.lift.approximations import Approximations
from cassc.lift.text import FUNCTION_ATTRIBUTES, Ir
from cassc.sass.builder import I32, I64, Builder, Type, Value


class Parts(Approximations):
    def __init__(self) -> None:
        super().__init__()
        self._results: dict[str, tuple[Type, ...]] = {}  # of the subroutines written so far

    def where(self, condition: Ir, body: Callable[[], tuple[Ir, ...]], otherwise: tuple[Ir, ...]) -> tuple[Ir, ...]:
        if condition.known is not None:
            return body() if condition.known & 1 else otherwise
        before, inside, end, behind = (self.name()[1:] for _ in range(4))
        self.line(f"br label %{before}")
        self.lines.append(f"{before}:")
        self.line(f"br {condition.typed}, label %{inside}, label %{behind}")
        self.lines.append(f"{inside}:")
        found = body()
        self.line(f"br label %{end}")
        self.lines.append(f"{end}:")
        self.line(f"br label %{behind}")
        self.lines.append(f"{behind}:")
        return tuple(
            self.define(x.type, f"phi {x.type.llvm} [ {x.text}, %{end} ], [ {y.text}, %{before} ]")
            for x, y in zip(found, otherwise, strict=True)
        )

    def repeat(self, count: Ir, body: Callable[[Ir], None]) -> None:
        before, again, inside, end, behind = (self.name()[1:] for _ in range(5))
        index, following = Ir(I32, self.name()), self.name()
        for line in (f"  br label %{before}", f"{before}:", f"  br label %{again}", f"{again}:"):
            self.lines.append(line)
        self.line(f"{index.text} = phi i32 [ 0, %{before} ], [ {following}, %{end} ]")
        more = self.compare("lt", index, count, signed=False)
        self.line(f"br {more.typed}, label %{inside}, label %{behind}")
        self.lines.append(f"{inside}:")
        body(index)
        self.line(f"br label %{end}")
        self.lines.append(f"{end}:")
        self.line(f"{following} = add i32 {index.text}, 1")
        self.line(f"br label %{again}")
        self.lines.append(f"{behind}:")

    def subroutine(self, name: str, body: Callable[..., tuple[Ir, ...]], arguments: tuple[Ir, ...]) -> tuple[Ir, ...]:
        self.effects = True
        symbol = f"@__cassc_{name}"
        if name not in self._results:
            inner = Parts()
            results = body(inner, *(Ir(a.type, f"%a{k}") for k, a in enumerate(arguments)))
            types = _structure(r.type for r in results)
            value = "poison"
            for k, result in enumerate(results):
                value = inner.raw(f"insertvalue {types} {value}, {result.typed}, {k}")
            inner.line(f"ret {types} {value}")
            parameters = ", ".join(f"{a.type.llvm} %a{k}" for k, a in enumerate(arguments))
            head = f"define internal {types} {symbol}({parameters}) noinline nounwind {FUNCTION_ATTRIBUTES} {{"
            self.helpers.update(inner.helpers)
            self.helpers[symbol] = "\n".join([head, "entry:", *inner.lines, "}"])
            for declared, text in inner.declarations.items():
                self.declarations.setdefault(declared, text)
            self._results[name] = tuple(r.type for r in results)
        types = _structure(self._results[name])
        call = self.raw(f"call {types} {symbol}({', '.join(a.typed for a in arguments)})")
        return tuple(
            self.define(type, f"extractvalue {types} {call}, {k}") for k, type in enumerate(self._results[name])
        )

    def tensor_sum(self, total: Ir, xs: Sequence[Ir], ys: Sequence[Ir], least: int) -> Ir:
        if not self.exact:
            for x, y in zip(xs, ys, strict=True):
                total = self.fma(x, y, total)
            return total
        from cassc.sass import tensor_sum  # with numpy, which takes 0.1 s to load

        def body(b: Builder, *arguments: Value) -> tuple[Ir, ...]:
            return cast("tuple[Ir, ...]", tensor_sum.matrix_sum(b, least, *arguments))

        name = f"tensor_sum.{-least}.{len(xs)}"
        return self.subroutine(name, body, (total, *xs, *ys))[0]

    def texture_table(self) -> Ir:
        self.effects = True
        self.helpers["textures.ll"] = devicelib.text("textures.ll")
        return self.define(I64, "load i64, ptr addrspace(1) @__cassc_textures, align 16")


def _structure(types: Iterable[Type]) -> str:
    return f"{{ {', '.join(t.llvm for t in types)} }}"

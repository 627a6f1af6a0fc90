"""Lifted kernels to one LLVM module: one module, and so one code object, for each cubin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cassc import diag
from cassc.lift import debug
from cassc.lift.debug import DebugInfo
from cassc.lift.kernel import LiftedKernel
from cassc.target import Target

TRIPLE = "amdgcn-amd-amdhsa"
# Code object version 5; !0 is the empty node of invariant loads and of promises about atomics.
_NODES = ("!{}", '!{i32 1, !"amdhsa_code_object_version", i32 500}')


def link_text(kernels: Sequence[LiftedKernel], target: Target, shared: Mapping[str, str] | None = None) -> str:
    """A complete module, ready for `cassc.amdgpu.assemble.assemble`.

    ``shared``: definitions (`globals.module_globals`) that are there even if no kernel uses them, since the host may.

    Raises CasscError ``lift-clash`` if two kernels define one symbol differently (they come from different cubins).
    """
    definitions: dict[str, str] = dict(shared or {})
    declarations: dict[str, str] = {}
    groups: dict[tuple[tuple[str, str], ...], int] = {}
    bodies = []
    lines = DebugInfo(len(_NODES))
    for kernel in kernels:
        for symbol, text in kernel.globals.items():
            if definitions.setdefault(symbol, text) != text:
                raise diag.error("lift-clash", f"{symbol} has two definitions")
        declarations.update(kernel.declarations)
        group = groups.setdefault(tuple(sorted(kernel.attributes.items())), len(groups))
        bodies.append(lines.body(kernel).replace("#attributes", f"#{group}", 1))
    texts = [
        f"; cassc: {', '.join(k.name for k in kernels)} for {target.name}",
        f'target triple = "{TRIPLE}"',
        "\n".join(_without_declarations(text, declarations) for text in definitions.values()),
        "\n".join(bodies),
        "\n".join(declarations[name] for name in sorted(declarations)),
        "\n".join(_group(number, attributes) for attributes, number in groups.items()),
        _metadata(lines),
    ]
    return "\n\n".join(filter(None, texts)) + "\n"


def _metadata(lines: DebugInfo) -> str:
    nodes = [*_NODES, *lines.nodes]
    flags, units = [1], lines.units()
    if units:
        flags += range(len(nodes), len(nodes) + len(debug.MODULE_FLAGS))
        nodes += debug.MODULE_FLAGS
    named = [f"!llvm.module.flags = !{{{', '.join(f'!{n}' for n in flags)}}}"]
    named += [f"!llvm.dbg.cu = !{{!{unit}}}" for unit in units]
    return "\n".join(named + [f"!{number} = {node}" for number, node in enumerate(nodes)])


def _without_declarations(text: str, declarations: dict[str, str]) -> str:
    """A helper's own declarations join those of the module, where each may stand once."""
    kept = []
    for line in text.splitlines():
        if line.startswith("declare "):
            name = line.partition("@")[2].partition("(")[0]
            declarations.setdefault(name, line)
        elif not line.startswith(";"):
            kept.append(line)
    return "\n".join(kept).rstrip()


def _group(number: int, attributes: tuple[tuple[str, str], ...]) -> str:
    text = " ".join(f'"{name}"="{value}"' for name, value in attributes)
    return f"attributes #{number} = {{ convergent nounwind {text} }}"

"""Calls of functions outside of the cubin: those of CUDA's device runtime."""

from __future__ import annotations

from collections.abc import Sequence

from cassc import diag
from cassc.image.cubin import Cubin
from cassc.lift import devicelib, globals
from cassc.lift.emit import EmitLlvm
from cassc.lift.text import Ir
from cassc.sass.builder import I32, I64
from cassc.sass.execute import Write
from cassc.sass.operand import Named, Reg
from cassc.sass.row import Instruction

# The ABI's argument registers.
_ARGUMENTS = range(4, 14)


def call(m: EmitLlvm, cubin: Cubin, i: Instruction) -> None:
    """The function that the instruction names, or that its register leads to.

    Raises CasscError ``lift-unsupported`` without a location.
    """
    named = i.operands[-1]
    if isinstance(named, Named):
        if named.name not in globals.EXTERNAL:
            raise diag.error("lift-unsupported", f"the device runtime function {named.name} is not supported")
        _replacement(m, named.name, [m.register(Reg(k)) for k in _ARGUMENTS])
        return
    register = next(o for o in i.operands if isinstance(o, Reg))
    call_by_table(m, cubin, m.pair(m.register(register), m.register(Reg(register.index + 1))))


def call_by_table(m: EmitLlvm, cubin: Cubin, target: Ir) -> None:
    """The function whose marker ``target`` (I64), from the table of addresses, is: a choice, which LLVM folds where the
    table's index is constant. Raises CasscError ``lift-unsupported`` without a location."""
    arguments = [m.register(Reg(k)) for k in _ARGUMENTS]
    table = cubin.relocations.get(globals.POINTERS, ())
    undefined = {r.symbol for r in table if (s := cubin.symbol(r.symbol)) is not None and not s.section}
    unknown = sorted(undefined - set(globals.EXTERNAL))
    if unknown:
        raise diag.error("lift-unsupported", f"the device runtime function {unknown[0]} is not supported")
    if not undefined:
        raise diag.error("lift-unsupported", "a call of a function that the cubin does not name")
    done, lost = m.name()[1:], m.name()[1:]
    labels = {function: m.name()[1:] for function in sorted(undefined)}
    cases = " ".join(f"i64 {globals.EXTERNAL[f]}, label %{label}" for f, label in labels.items())
    m.line(f"switch {target.typed}, label %{lost} [ {cases} ]")
    before = m.snapshot()
    for function, label in labels.items():
        m.lines.append(f"{label}:")
        _replacement(m, function, arguments)
        m.line(f"br label %{done}")
    m.lines.append(f"{lost}:")
    m.line("unreachable")
    m.lines.append(f"{done}:")
    m.restore(before)


def _replacement(m: EmitLlvm, function: str, r: Sequence[Ir]) -> None:
    """Arguments stand in R4 and up, 64-bit ones in even pairs; the result goes to R4."""
    file = devicelib.FILES[function]
    m.helpers[file] = devicelib.text(file)
    first, second = m.pair(r[0], r[1]), m.pair(r[2], r[3])
    if function == "vprintf":
        count = m.define(I32, f"call i32 @__cassc_vprintf({first.typed}, {second.typed})")
        m.write(Write(Reg(4), (count,)))
    elif function == "free":
        m.line(f"call void @__cassc_free({first.typed})")
    elif function == "__assertfail":
        arguments = (first, second, r[4], m.pair(r[6], r[7]))
        m.line(f"call void @__cassc_assertfail({', '.join(a.typed for a in arguments)})")
    else:
        alignment = m.const(I64, 16) if function == "malloc" else second
        pointer = m.define(I64, f"call i64 @__cassc_malloc({first.typed}, {alignment.typed})")
        m.write(Write(Reg(4), (m.lo(pointer), m.hi(pointer))))

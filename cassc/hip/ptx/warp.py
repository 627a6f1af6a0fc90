"""The warp, the block, and what ends a thread."""

from __future__ import annotations

from cassc.hip.ptx.text import Instruction, Untranslated
from cassc.hip.ptx.translator import Translator, handles


@handles("bar")
def _bar(t: Translator, i: Instruction) -> str:
    if [m for m in i.modifiers if m not in ("sync", "cta", "aligned")] or i.operands != ["0"]:
        raise Untranslated(i.text)
    if not i.has("sync"):
        raise Untranslated(i.text)
    return "__syncthreads();"


@handles("barrier")
def _barrier(t: Translator, i: Instruction) -> str:
    return _bar(t, i)


@handles("vote")
def _vote(t: Translator, i: Instruction) -> str:
    mode = next(m for m in i.modifiers if m in ("all", "any", "uni", "ballot"))
    predicate, mask = t.value(i.operands[1], "pred"), "0xffffffffu"
    if i.has("sync"):
        mask = t.value(i.operands[2], "u32")
    return t.set(i.operands[0], f"__{mode}_sync({mask}, {predicate})")


@handles("activemask")
def _activemask(t: Translator, i: Instruction) -> str:
    return t.set(i.operands[0], "__activemask()")


@handles("match")
def _match(t: Translator, i: Instruction) -> str:
    target, _, predicate = i.operands[0].partition("|")
    value, mask = t.value(i.operands[1], i.type), t.value(i.operands[2], "u32")
    if i.has("any"):
        return t.set(target, f"__match_any_sync({mask}, {value})")
    made = f"int cassc_all = 0; {t.set(target.strip(), f'__match_all_sync({mask}, {value}, &cassc_all)')}"
    return f"{{ {made} {t.set(predicate.strip(), 'cassc_all != 0') if predicate else ''} }}"


@handles("shfl")
def _shfl(t: Translator, i: Instruction) -> str:
    target, _, predicate = i.operands[0].partition("|")
    mode = next(m for m in i.modifiers if m in ("up", "down", "bfly", "idx"))
    words = ", ".join(t.value(o, "u32") for o in i.operands[1:4])
    made = f"bool cassc_inside = false; {t.set(target.strip(), f'cassc::ptx::shfl_{mode}({words}, cassc_inside)')}"
    return f"{{ {made} {t.set(predicate.strip(), 'cassc_inside') if predicate else ''} }}"


@handles("redux")
def _redux(t: Translator, i: Instruction) -> str:
    operation = next(m for m in i.modifiers if m in ("add", "min", "max", "and", "or", "xor"))
    value, mask = t.value(i.operands[1], i.type), t.value(i.operands[2], "u32")
    return t.set(i.operands[0], f"__reduce_{operation}_sync({mask}, {value})")


@handles("nanosleep")
def _nanosleep(t: Translator, i: Instruction) -> str:
    return f"__nanosleep({t.value(i.operands[0], 'u32')});"


@handles("trap")
def _trap(t: Translator, i: Instruction) -> str:
    return "__trap();"


@handles("exit")
def _exit(t: Translator, i: Instruction) -> str:
    return "__builtin_amdgcn_endpgm();"


@handles("brkpt")
def _brkpt(t: Translator, i: Instruction) -> str:
    return "__brkpt();"

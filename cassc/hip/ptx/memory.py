"""Loads, stores, atomics, fences and copies."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cassc.hip.ptx import small
from cassc.hip.ptx.text import SPACES, TYPES, Instruction, Untranslated
from cassc.hip.ptx.translator import Translator, handles

_SCOPES = {"cta": "__HIP_MEMORY_SCOPE_WORKGROUP", "gpu": "__HIP_MEMORY_SCOPE_AGENT", "sys": "__HIP_MEMORY_SCOPE_SYSTEM"}
_FENCES = {
    "cta": "__threadfence_block()",
    "gl": "__threadfence()",
    "gpu": "__threadfence()",
    "sys": "__threadfence_system()",
}


def address_of(t: Translator, text: str, kind: str, space: str) -> str:
    """A pointer to elements of a type, for an operand in brackets."""
    match = re.fullmatch(r"\[\s*([%\w$\[\]]+?)\s*(?:\+\s*(-?\w+)|(-\d+))?\s*\]", text)
    if match is None:
        raise Untranslated(t.text)
    base = t.variable(match[1])
    value = f"{t.value(match[1], base.type)} + {match[2] or match[3] or '0'}"
    qualifier = "shared" if space == "shared" else "generic"
    return f"cassc::ptx::{qualifier}_pointer<{TYPES[kind]}>({value})"


def _memory(t: Translator, i: Instruction) -> tuple[str, str, str, int]:
    """Space, order and scope of an access, and the number of elements."""
    space = next((m for m in i.modifiers if m in SPACES), "")
    if i.has("cluster", "dsmem", "mmio", "v8"):
        raise Untranslated(i.text)
    order = next((m for m in i.modifiers if m in ("relaxed", "acquire", "release", "acq_rel", "volatile")), "")
    scope = _SCOPES[next((m for m in i.modifiers if m in _SCOPES), "gpu")]
    width = 4 if i.has("v4") else 2 if i.has("v2") else 1
    return space, order, scope, width


@handles("ld")
def _ld(t: Translator, i: Instruction) -> str:
    space, order, scope, width = _memory(t, i)
    address = address_of(t, i.operands[1], i.type, space)
    targets = [part.strip() for part in i.operands[0].strip("{} ").split(",")]
    if len(targets) != width:
        raise Untranslated(i.text)
    reads = []
    for number, target in enumerate(targets):
        place = f"cassc_address[{number}]"
        if order in ("relaxed", "acquire"):
            place = f"cassc::ptx::load<{scope}, {'__ATOMIC_' + order.upper()}>(cassc_address + {number})"
        elif order == "volatile":
            place = f"static_cast<const volatile {TYPES[i.type]}*>(cassc_address)[{number}]"
        reads.append(t.set(target, place))
    return f"{{ auto* const cassc_address = {address}; {' '.join(reads)} }}"


@handles("st")
def _st(t: Translator, i: Instruction) -> str:
    space, order, scope, width = _memory(t, i)
    address = address_of(t, i.operands[0], i.type, space)
    sources = [part.strip() for part in i.operands[1].strip("{} ").split(",")]
    if len(sources) != width:
        raise Untranslated(i.text)
    writes = []
    for number, source in enumerate(sources):
        value = t.value(source, i.type)
        if order in ("relaxed", "release"):
            atomic = f"cassc::ptx::store<{scope}, {'__ATOMIC_' + order.upper()}>(cassc_address + {number}, {value});"
            writes.append(atomic)
        elif order == "volatile":
            writes.append(f"static_cast<volatile {TYPES[i.type]}*>(cassc_address)[{number}] = {value};")
        else:
            writes.append(f"cassc_address[{number}] = {value};")
    return f"{{ auto* const cassc_address = {address}; {' '.join(writes)} }}"


@handles("ldu")
def _ldu(t: Translator, i: Instruction) -> str:
    return _ld(t, i)


@handles("atom")
def _atom(t: Translator, i: Instruction) -> str:
    return _atomic(t, i, i.operands[0], i.operands[1], i.operands[2:])


@handles("red")
def _red(t: Translator, i: Instruction) -> str:
    return _atomic(t, i, "_", i.operands[0], i.operands[1:])


def _atomic(t: Translator, i: Instruction, target: str, address: str, values: Sequence[str]) -> str:
    space, order, scope, width = _memory(t, i)
    operation = next((m for m in i.modifiers if m in ("add and or xor min max exch cas inc dec".split())), "")
    if width != 1 or not operation or (small.is_small(i.type) and operation != "add"):
        raise Untranslated(i.text)
    if small.is_small(i.type):
        return small.atomic_add(t, i, target, address_of(t, address, "b8", space), values[0])
    arguments = ", ".join(t.value(v, i.type) for v in values)
    memory_order = {"acquire": "ACQUIRE", "release": "RELEASE", "acq_rel": "ACQ_REL"}.get(order, "RELAXED")
    function = f"cassc::ptx::atomic_{operation}<{scope}, __ATOMIC_{memory_order}>"
    call = f"{function}({address_of(t, address, i.type, space)}, {arguments})"
    return t.set(target, call)


@handles("membar")
def _membar(t: Translator, i: Instruction) -> str:
    return _FENCES[i.modifiers[0]] + ";"


@handles("fence")
def _fence(t: Translator, i: Instruction) -> str:
    t.plain(i, "sc", "acq_rel", "cta", "gpu", "sys")
    return _FENCES[next(m for m in i.modifiers if m in _FENCES)] + ";"


@handles("prefetch")
def _prefetch(t: Translator, i: Instruction) -> str:
    return ";"


@handles("prefetchu")
def _prefetchu(t: Translator, i: Instruction) -> str:
    return ";"


@handles("cp")
def _cp(t: Translator, i: Instruction) -> str:
    if i.modifiers[:2] == ["async", "commit_group"]:
        return "__pipeline_commit();"
    if i.modifiers[:2] in (["async", "wait_group"], ["async", "wait_all"]):
        return "__pipeline_wait_prior(0);"
    if i.modifiers[:3] == ["async", "mbarrier", "arrive"]:
        # The copies are done: what is left of the arrival is one more that was not counted on, or nothing.
        place = address_of(t, i.operands[0], "b64", "shared")
        return f"cassc::ptx::mbarrier_arrive<false, true>({place}, 1u, 0u);" if i.has("noinc") else ";"
    if i.modifiers[:2] == ["async", "bulk"]:
        return _bulk(t, i)
    if i.modifiers[0] != "async" or not i.has("shared") or not i.has("global"):
        raise Untranslated(i.text)
    target, source = address_of(t, i.operands[0], "b8", "shared"), address_of(t, i.operands[1], "b8", "global")
    size = t.value(i.operands[2], "u32")
    copied = t.value(i.operands[3], "u32") if len(i.operands) > 3 else size
    return f"cassc::ptx::copy_async({target}, {source}, {size}, {copied});"


def _bulk(t: Translator, i: Instruction) -> str:
    """cp.async.bulk between global and shared memory, done at once by the thread that asks for it."""
    rest = i.modifiers[2:]
    if rest[:1] in (["commit_group"], ["wait_group"]):
        return "__pipeline_wait_prior(0);"
    if rest[:1] in (["tensor"], ["prefetch"]) or i.has("multicast", "cp_mask"):
        raise Untranslated(i.text)
    to_shared = rest[0] == "shared"
    if {"shared", "global"} - set(rest):
        raise Untranslated(i.text)
    target = address_of(t, i.operands[0], "b8", "shared" if to_shared else "global")
    source = address_of(t, i.operands[1], "b8", "global" if to_shared else "shared")
    size = t.value(i.operands[2], "u32")
    copy = f"cassc::ptx::copy_async({target}, {source}, {size}, {size});"
    if not i.has("mbarrier"):
        return copy
    place = address_of(t, i.operands[3], "b64", "shared")
    return f"{copy} cassc::ptx::mbarrier_complete_tx({place}, {size});"

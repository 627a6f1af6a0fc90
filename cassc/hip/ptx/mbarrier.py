"""Barriers that are objects in shared memory (PTX ISA 9.0, "Parallel Synchronization and Communication: mbarrier")."""

from __future__ import annotations

from cassc.hip.ptx.memory import address_of
from cassc.hip.ptx.text import Instruction, Untranslated
from cassc.hip.ptx.translator import Translator, handles

_ORDERS = ("acquire", "release", "relaxed", "cta", "cluster", "shared", "b64")


@handles("mbarrier")
def _mbarrier(t: Translator, i: Instruction) -> str:
    operation, *rest = i.modifiers
    if any(m not in (*_ORDERS, "noComplete", "expect_tx", "parity") for m in rest):
        raise Untranslated(i.text)
    if operation in ("init", "inval", "expect_tx", "complete_tx"):
        count = "0u" if operation == "inval" else t.value(i.operands[1], "u32")
        name = {"inval": "init"}.get(operation, operation)
        return f"cassc::ptx::mbarrier_{name}({_place(t, i.operands[0])}, {count});"
    if operation == "pending_count":
        return t.set(i.operands[0], f"cassc::ptx::mbarrier_pending({t.value(i.operands[1], 'b64')})")
    if operation in ("arrive", "arrive_drop"):
        return _arrive(t, i, operation)
    if operation in ("test_wait", "try_wait"):
        place, phase = _place(t, i.operands[1]), i.operands[2]
        if "parity" in rest:
            asked = f"cassc::ptx::mbarrier_done_parity({place}, {t.value(phase, 'u32')})"
        else:
            asked = f"cassc::ptx::mbarrier_done({place}, {t.value(phase, 'b64')})"
        return t.set(i.operands[0], asked)
    raise Untranslated(i.text)


def _arrive(t: Translator, i: Instruction, operation: str) -> str:
    """[state,] place [, count]. A remote barrier's arrival has no state."""
    operands = list(i.operands)
    target = operands.pop(0) if not operands[0].startswith("[") else "_"
    place, *others = operands
    number = t.value(others[0], "u32") if others else "1u"
    count, transactions = ("1u", number) if i.has("expect_tx") else (number, "0u")
    drop = str(operation == "arrive_drop").lower()
    complete = str(not i.has("noComplete")).lower()
    call = f"cassc::ptx::mbarrier_arrive<{drop}, {complete}>({_place(t, place)}, {count}, {transactions})"
    return t.set(target, call)


def _place(t: Translator, text: str) -> str:
    return address_of(t, text, "b64", "shared")

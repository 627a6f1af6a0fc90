"""One template of inline PTX to C++ statements: registers, operands, guards; each instruction is a handler's."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from cassc.hip.ptx.text import TYPES, Instruction, Operand, Untranslated, literal, operands_of, statements_of

_SPECIAL = {
    "laneid": "cassc::lane()",
    "lanemask_eq": "(1u << cassc::lane())",
    "lanemask_lt": "((1u << cassc::lane()) - 1)",
    "lanemask_le": "((2u << cassc::lane()) - 1)",
    "lanemask_gt": "~((2u << cassc::lane()) - 1)",
    "lanemask_ge": "~((1u << cassc::lane()) - 1)",
    "warpid": "(cassc::thread_rank() / 32)",
    "nwarpid": "((cassc::block_threads() + 31) / 32)",
    "smid": "__smid()",
    "clock": "static_cast<unsigned>(clock64())",
    "clock64": "static_cast<unsigned long long>(clock64())",
    "globaltimer": "__globaltimer()",
    **{
        f"{name}.{axis}": f"{variable}.{axis}"
        for axis in "xyz"
        for name, variable in (("tid", "threadIdx"), ("ntid", "blockDim"), ("ctaid", "blockIdx"), ("nctaid", "gridDim"))
    },
}
_HINTS = frozenset(
    "ca cg cs cv lu wb wt nc weak L1 evict_first evict_last evict_normal no_allocate ftz approx full uni".split()
)

Handler = Callable[["Translator", Instruction], str]
_HANDLERS: dict[str, Handler] = {}


def handles(*names: str) -> Callable[[Handler], Handler]:
    """Makes a function the one that translates instructions of these names."""

    def register(handler: Handler) -> Handler:
        _HANDLERS.update(dict.fromkeys(names, handler))
        return handler

    return register


class Translator:
    def __init__(self, operands: Mapping[str, Operand]) -> None:
        self.given = operands
        self.registers: dict[str, Operand] = {}
        self.outer: list[dict[str, Operand]] = []
        self.text = ""

    def run(self, template: str) -> str:
        statements = ["[[maybe_unused]] unsigned cassc_carry = 0;"]
        for text in statements_of(template):
            if text == "{":
                self.outer.append(self.registers)
                self.registers = dict(self.registers)
                statements.append(text)
            elif text == "}":
                if not self.outer:
                    raise Untranslated(template)
                self.registers = self.outer.pop()
                statements.append(text)
            elif text.startswith(".reg"):
                statements += self.declare(text)
            else:
                statements.append(self.instruction(text))
        if self.outer:
            raise Untranslated(template)
        return " ".join(statements)

    def declare(self, text: str) -> list[str]:
        match = re.fullmatch(r"\.reg\s+(?:\.v[24]\s+)?\.(\w+)\s+(.*)", text, re.DOTALL)
        if match is None or match[1] not in TYPES:
            raise Untranslated(text)
        made = []
        for name in (part.strip() for part in match[2].split(",")):
            several = re.fullmatch(r"([%\w$]+)<(\d+)>", name)
            for register in [f"{several[1]}{i}" for i in range(int(several[2]))] if several else [name]:
                variable = "cassc_" + re.sub(r"\W", "_", register.lstrip("%"))
                self.registers[register] = Operand(variable, match[1])
                made.append(f"{TYPES[match[1]]} {variable} = {{}};")
        return made

    def instruction(self, text: str) -> str:
        self.text = text
        guard = re.match(r"@(!?)\s*([%\w$]+)\s+", text)
        rest = text[guard.end() :] if guard else text
        word, _, tail = rest.partition(" ") if " " in rest else re.sub(r"\s", " ", rest, count=1).partition(" ")
        name, *modifiers = word.replace("::", ".").split(".")
        operands = operands_of(tail)
        instruction = Instruction(text, name, modifiers, operands)
        handler = _HANDLERS.get(name)
        if handler is None:
            raise Untranslated(text)
        try:
            made = handler(self, instruction)
        except (IndexError, KeyError, ValueError):
            raise Untranslated(text) from None
        if guard:
            predicate = self.variable(guard[2]).name
            made = f"if ({guard[1]}{predicate}) {{ {made} }}"
        return made

    def variable(self, text: str) -> Operand:
        if text in self.registers:
            return self.registers[text]
        match = re.fullmatch(r"%(\d+|\[\w+\])", text)
        if match and match[1].strip("[]") in self.given:
            return self.given[match[1].strip("[]")]
        raise Untranslated(self.text)

    def value(self, text: str, type_name: str) -> str:
        """An operand, read as a type."""
        cpp = TYPES[type_name]
        negated = text.startswith("!")
        if negated:
            return f"!({self.value(text[1:].strip(), type_name)})"
        if text.startswith("%%") or (text.startswith("%") and text[1:] in _SPECIAL):
            return f"cassc::ptx::as<{cpp}>({_SPECIAL[text.lstrip('%')]})"
        if re.match(r"-?\d|-?\.\d", text):
            return f"cassc::ptx::as<{cpp}>({literal(text, type_name)})"
        if text == "WARP_SZ":
            return "32"
        if text.startswith("{"):
            return self.packed(text, type_name)
        return f"cassc::ptx::as<{cpp}>({self.variable(text).name})"

    def packed(self, text: str, type_name: str) -> str:
        parts = [part.strip() for part in text.strip("{} ").split(",")]
        bits = int(type_name[1:]) // len(parts)
        values = [
            f"static_cast<{TYPES['b64']}>({self.value(part, f'b{bits}')}) << {bits * i}" for i, part in enumerate(parts)
        ]
        return f"cassc::ptx::as<{TYPES['b' + type_name[1:]]}>({' | '.join(f'({v})' for v in values)})"

    def set(self, target: str, value: str) -> str:
        """Assign to a register; ``_`` is a register that nobody reads."""
        if target == "_":
            return f"(void)({value});"
        if target.startswith("{"):
            raise Untranslated(self.text)
        variable = self.variable(target)
        return f"{variable.name} = cassc::ptx::as<{TYPES[variable.type]}>({value});"

    def args(self, i: Instruction, type_name: str, first: int = 1) -> str:
        return ", ".join(self.value(o, type_name) for o in i.operands[first:])

    def call(self, i: Instruction, function: str, type_name: str = "") -> str:
        kind = type_name or i.type
        return self.set(i.operands[0], f"cassc::ptx::{function}<{TYPES[kind]}>({self.args(i, kind)})")

    def binary(self, i: Instruction, operator: str) -> str:
        kind = i.type
        unsigned = "u" + kind[1:] if kind[0] == "s" else kind
        return self.set(
            i.operands[0], f"{self.value(i.operands[1], unsigned)} {operator} {self.value(i.operands[2], unsigned)}"
        )

    def plain(self, i: Instruction, *known: str) -> None:
        """Refuse modifiers that would change the meaning."""
        for modifier in i.modifiers:
            if modifier not in TYPES and modifier not in _HINTS and modifier not in known:
                raise Untranslated(i.text)

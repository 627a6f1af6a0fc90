"""Inline PTX to C++: the text of one ``asm`` statement's template to statements over the functions of ``cassc/ptx.h``.

(PTX ISA 9.0, "Instruction Set".) What is not translated raises :class:`Untranslated` with the instruction's text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

TYPES = {
    "b8": "unsigned char",
    "u8": "unsigned char",
    "s8": "signed char",
    "b16": "unsigned short",
    "u16": "unsigned short",
    "s16": "short",
    "b32": "unsigned",
    "u32": "unsigned",
    "s32": "int",
    "b64": "unsigned long long",
    "u64": "unsigned long long",
    "s64": "long long",
    "f16": "_Float16",
    "f32": "float",
    "f64": "double",
    "pred": "bool",
}
CONSTRAINTS = {"r": "u32", "l": "u64", "h": "u16", "f": "f32", "d": "f64"}
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
_SCOPES = {"cta": "__HIP_MEMORY_SCOPE_WORKGROUP", "gpu": "__HIP_MEMORY_SCOPE_AGENT", "sys": "__HIP_MEMORY_SCOPE_SYSTEM"}
_FENCES = {
    "cta": "__threadfence_block()",
    "gl": "__threadfence()",
    "gpu": "__threadfence()",
    "sys": "__threadfence_system()",
}
_SPACES = ("global", "shared", "local", "const", "param")
_HINTS = frozenset(
    "ca cg cs cv lu wb wt nc weak L1 evict_first evict_last evict_normal no_allocate ftz approx full uni".split()
)


class Untranslated(Exception):
    """An instruction or an operand that is not translated; the message says which."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A C++ variable that stands for a register, and its PTX type."""

    name: str
    type: str


def translate(template: str, operands: Mapping[str, Operand]) -> str:
    """C++ statements for a template whose operands (``0``, ``1``, or names) are these variables."""
    return _Translator(operands).run(template)


@dataclass(slots=True)
class _Instruction:
    text: str
    name: str
    modifiers: list[str]
    operands: list[str]

    def has(self, *names: str) -> bool:
        return any(name in self.modifiers for name in names)

    @property
    def type(self) -> str:
        """The last type among the modifiers."""
        for modifier in reversed(self.modifiers):
            if modifier in TYPES:
                return modifier
        raise Untranslated(self.text)

    @property
    def types(self) -> list[str]:
        return [m for m in self.modifiers if m in TYPES]


class _Translator:
    def __init__(self, operands: Mapping[str, Operand]) -> None:
        self.given = operands
        self.registers: dict[str, Operand] = {}
        self.text = ""

    def run(self, template: str) -> str:
        statements = ["[[maybe_unused]] unsigned cassc_carry = 0;"]
        for text in _split(template):
            if text.startswith(".reg"):
                statements += self._declare(text)
            else:
                statements.append(self._instruction(text))
        return " ".join(statements)

    def _declare(self, text: str) -> list[str]:
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

    def _instruction(self, text: str) -> str:
        self.text = text
        guard = re.match(r"@(!?)\s*([%\w$]+)\s+", text)
        rest = text[guard.end() :] if guard else text
        word, _, tail = rest.partition(" ") if " " in rest else re.sub(r"\s", " ", rest, count=1).partition(" ")
        name, *modifiers = word.replace("::", ".").split(".")
        operands = _operands(tail)
        instruction = _Instruction(text, name, modifiers, operands)
        handler: Callable[[_Instruction], str] | None = getattr(self, f"_do_{name}", None)
        if handler is None:
            raise Untranslated(text)
        try:
            made = handler(instruction)
        except (IndexError, KeyError, ValueError):
            raise Untranslated(text) from None
        if guard:
            predicate = self._variable(guard[2]).name
            made = f"if ({guard[1]}{predicate}) {{ {made} }}"
        return made

    # Operands

    def _variable(self, text: str) -> Operand:
        if text in self.registers:
            return self.registers[text]
        match = re.fullmatch(r"%(\d+|\[\w+\])", text)
        if match and match[1].strip("[]") in self.given:
            return self.given[match[1].strip("[]")]
        raise Untranslated(self.text)

    def _value(self, text: str, type_name: str) -> str:
        """An operand, read as a type."""
        cpp = TYPES[type_name]
        negated = text.startswith("!")
        if negated:
            return f"!({self._value(text[1:].strip(), type_name)})"
        if text.startswith("%%") or (text.startswith("%") and text[1:] in _SPECIAL):
            return f"cassc::ptx::as<{cpp}>({_SPECIAL[text.lstrip('%')]})"
        if re.match(r"-?\d|-?\.\d", text):
            return f"cassc::ptx::as<{cpp}>({_literal(text, type_name)})"
        if text == "WARP_SZ":
            return "32"
        if text.startswith("{"):
            return self._packed(text, type_name)
        return f"cassc::ptx::as<{cpp}>({self._variable(text).name})"

    def _packed(self, text: str, type_name: str) -> str:
        parts = [part.strip() for part in text.strip("{} ").split(",")]
        bits = int(type_name[1:]) // len(parts)
        values = [
            f"static_cast<{TYPES['b64']}>({self._value(part, f'b{bits}')}) << {bits * i}"
            for i, part in enumerate(parts)
        ]
        return f"cassc::ptx::as<{TYPES['b' + type_name[1:]]}>({' | '.join(f'({v})' for v in values)})"

    def _set(self, target: str, value: str) -> str:
        """Assign to a register; ``_`` is a register that nobody reads."""
        if target == "_":
            return f"(void)({value});"
        if target.startswith("{"):
            raise Untranslated(self.text)
        variable = self._variable(target)
        return f"{variable.name} = cassc::ptx::as<{TYPES[variable.type]}>({value});"

    def _args(self, i: _Instruction, type_name: str, first: int = 1) -> str:
        return ", ".join(self._value(o, type_name) for o in i.operands[first:])

    def _call(self, i: _Instruction, function: str, type_name: str = "") -> str:
        kind = type_name or i.type
        return self._set(i.operands[0], f"cassc::ptx::{function}<{TYPES[kind]}>({self._args(i, kind)})")

    def _binary(self, i: _Instruction, operator: str) -> str:
        kind = i.type
        unsigned = "u" + kind[1:] if kind[0] == "s" else kind
        return self._set(
            i.operands[0], f"{self._value(i.operands[1], unsigned)} {operator} {self._value(i.operands[2], unsigned)}"
        )

    def _plain(self, i: _Instruction, *known: str) -> None:
        """Refuse modifiers that would change the meaning."""
        for modifier in i.modifiers:
            if modifier not in TYPES and modifier not in _HINTS and modifier not in known:
                raise Untranslated(i.text)

    # Moves and bits

    def _do_mov(self, i: _Instruction) -> str:
        self._plain(i)
        target, source = i.operands
        if not target.startswith("{"):
            return self._set(target, self._value(source, i.type))
        parts = [part.strip() for part in target.strip("{} ").split(",")]
        bits = int(i.type[1:]) // len(parts)
        whole = self._value(source, "b" + i.type[1:])
        sets = [
            self._set(p, f"static_cast<{TYPES[f'b{bits}']}>(cassc_whole >> {bits * n})") for n, p in enumerate(parts)
        ]
        return f"{{ const auto cassc_whole = {whole}; {' '.join(sets)} }}"

    def _do_and(self, i: _Instruction) -> str:
        return self._binary(i, "&")

    def _do_or(self, i: _Instruction) -> str:
        return self._binary(i, "|")

    def _do_xor(self, i: _Instruction) -> str:
        return self._binary(i, "^")

    def _do_not(self, i: _Instruction) -> str:
        value = self._value(i.operands[1], i.type)
        return self._set(i.operands[0], f"!{value}" if i.type == "pred" else f"~{value}")

    def _do_cnot(self, i: _Instruction) -> str:
        return self._set(i.operands[0], f"{self._value(i.operands[1], i.type)} == 0 ? 1u : 0u")

    def _do_shl(self, i: _Instruction) -> str:
        return self._shift(i, "shift_left", "b" + i.type[1:])

    def _do_shr(self, i: _Instruction) -> str:
        return self._shift(i, "shift_right", i.type)

    def _shift(self, i: _Instruction, function: str, kind: str) -> str:
        value, count = self._value(i.operands[1], kind), self._value(i.operands[2], "u32")
        return self._set(i.operands[0], f"cassc::ptx::{function}<{TYPES[kind]}>({value}, {count})")

    def _do_shf(self, i: _Instruction) -> str:
        direction = "l" if i.has("l") else "r"
        clamp = "c" if i.has("clamp") else ""
        return self._set(i.operands[0], f"__funnelshift_{direction}{clamp}({self._args(i, 'u32')})")

    def _do_lop3(self, i: _Instruction) -> str:
        self._plain(i)
        return self._set(i.operands[0], f"cassc::ptx::lop3({self._args(i, 'u32')})")

    def _do_prmt(self, i: _Instruction) -> str:
        mode = next((m for m in i.modifiers if m not in TYPES), "")
        function = f"prmt_{mode}" if mode else "prmt"
        return self._set(i.operands[0], f"cassc::ptx::{function}({self._args(i, 'u32')})")

    def _do_bfe(self, i: _Instruction) -> str:
        return self._field(i, "bfe", i.operands[1:2], i.operands[2:])

    def _do_bfi(self, i: _Instruction) -> str:
        return self._field(i, "bfi", i.operands[1:3], i.operands[3:])

    def _field(self, i: _Instruction, function: str, values: Sequence[str], numbers: Sequence[str]) -> str:
        words = [self._value(v, i.type) for v in values] + [self._value(n, "u32") for n in numbers]
        return self._set(i.operands[0], f"cassc::ptx::{function}<{TYPES[i.type]}>({', '.join(words)})")

    def _do_bmsk(self, i: _Instruction) -> str:
        mode = "clamp" if i.has("clamp") else "wrap"
        return self._set(i.operands[0], f"cassc::ptx::bmsk_{mode}({self._args(i, 'u32')})")

    def _do_popc(self, i: _Instruction) -> str:
        return self._set(i.operands[0], f"__builtin_popcountll({self._value(i.operands[1], i.type)})")

    def _do_clz(self, i: _Instruction) -> str:
        return self._call(i, "clz")

    def _do_brev(self, i: _Instruction) -> str:
        return self._call(i, "brev")

    def _do_bfind(self, i: _Instruction) -> str:
        return self._call(i, "bfind_shift" if i.has("shiftamt") else "bfind")

    def _do_fns(self, i: _Instruction) -> str:
        mask, base, offset = i.operands[1:]
        return self._set(
            i.operands[0],
            f"__fns({self._value(mask, 'u32')}, {self._value(base, 'u32')}, {self._value(offset, 's32')})",
        )

    # Integer and floating-point arithmetic

    def _do_add(self, i: _Instruction) -> str:
        return self._sum(i, "add", "+")

    def _do_sub(self, i: _Instruction) -> str:
        return self._sum(i, "sub", "-")

    def _do_addc(self, i: _Instruction) -> str:
        return self._sum(i, "addc", "")

    def _do_subc(self, i: _Instruction) -> str:
        return self._sum(i, "subc", "")

    def _sum(self, i: _Instruction, name: str, operator: str) -> str:
        self._plain(i, "cc", "sat", "rn", "rz", "rm", "rp")
        kind = i.type
        if kind[0] == "f":
            return self._float(i, {"add": "add", "sub": "sub"}[name])
        if i.has("sat"):
            return self._call(i, f"{name}_sat")
        if not i.has("cc") and operator:
            return self._binary(i, operator)
        unsigned = "u" + kind[1:]
        start = "cassc_carry" if name.endswith("c") else "0u"
        base = name.rstrip("c")
        carry = "cassc_carry" if i.has("cc") else "cassc_unused"
        call = f"cassc::ptx::{base}_carry<{TYPES[unsigned]}>({self._args(i, unsigned)}, {start}, {carry})"
        return f"{{ [[maybe_unused]] unsigned cassc_unused = 0; {self._set(i.operands[0], call)} }}"

    def _do_mul(self, i: _Instruction) -> str:
        if i.type[0] == "f":
            return self._float(i, "mul")
        for part in ("hi", "wide"):
            if i.has(part):
                return self._call(i, f"mul_{part}")
        return self._binary(i, "*")

    def _do_mad(self, i: _Instruction) -> str:
        if i.type[0] == "f":
            return self._do_fma(i)
        return self._mad(i, "0u")

    def _do_madc(self, i: _Instruction) -> str:
        return self._mad(i, "cassc_carry")

    def _mad(self, i: _Instruction, start: str) -> str:
        self._plain(i, "cc", "lo", "hi", "wide")
        kind = i.type
        a, b, c = i.operands[1:]
        product = f"cassc::ptx::mul_{next((p for p in ('hi', 'wide') if i.has(p)), 'lo')}<{TYPES[kind]}>"
        result = f"u{int(kind[1:]) * 2}" if i.has("wide") else f"u{kind[1:]}"
        values = f"{product}({self._value(a, kind)}, {self._value(b, kind)})"
        carry = "cassc_carry" if i.has("cc") else "cassc_unused"
        call = (
            f"cassc::ptx::add_carry<{TYPES[result]}>(cassc::ptx::as<{TYPES[result]}>({values}), "
            f"{self._value(c, result)}, {start}, {carry})"
        )
        return f"{{ [[maybe_unused]] unsigned cassc_unused = 0; {self._set(i.operands[0], call)} }}"

    def _do_mul24(self, i: _Instruction) -> str:
        if i.has("hi"):
            raise Untranslated(i.text)
        return self._set(i.operands[0], f"{'__mul24' if i.type == 's32' else '__umul24'}({self._args(i, i.type)})")

    def _do_mad24(self, i: _Instruction) -> str:
        if i.has("hi"):
            raise Untranslated(i.text)
        a, b, c = (self._value(o, i.type) for o in i.operands[1:])
        function = "__mul24" if i.type == "s32" else "__umul24"
        return self._set(i.operands[0], f"static_cast<unsigned>({function}({a}, {b})) + static_cast<unsigned>({c})")

    def _do_div(self, i: _Instruction) -> str:
        if i.type[0] == "f":
            return self._float(i, "div")
        return self._call(i, "div")

    def _do_rem(self, i: _Instruction) -> str:
        return self._call(i, "rem")

    def _do_sad(self, i: _Instruction) -> str:
        return self._call(i, "sad")

    def _do_min(self, i: _Instruction) -> str:
        self._plain(i)
        return self._call(i, "min")

    def _do_max(self, i: _Instruction) -> str:
        self._plain(i)
        return self._call(i, "max")

    def _do_abs(self, i: _Instruction) -> str:
        return self._call(i, "abs")

    def _do_neg(self, i: _Instruction) -> str:
        return self._call(i, "neg")

    def _do_dp4a(self, i: _Instruction) -> str:
        a, b = i.types[-2:] if len(i.types) > 1 else (i.type, i.type)
        if a != b:
            raise Untranslated(i.text)
        return self._set(i.operands[0], f"__dp4a({self._args(i, a)})")

    def _float(self, i: _Instruction, operation: str) -> str:
        """add, sub, mul and div with a rounding mode; the default is to nearest."""
        kind = i.type
        if kind not in ("f32", "f64"):
            raise Untranslated(i.text)
        mode = {"rz": "rz", "rm": "rd", "rp": "ru"}.get(
            next((m for m in i.modifiers if m in ("rz", "rm", "rp")), ""), "rn"
        )
        value = f"__{'f' if kind == 'f32' else 'd'}{operation}_{mode}({self._args(i, kind)})"
        return self._set(i.operands[0], f"cassc::ptx::clamp01({value})" if i.has("sat") else value)

    def _do_fma(self, i: _Instruction) -> str:
        kind = i.type
        if kind not in ("f32", "f64"):
            raise Untranslated(i.text)
        mode = {"rz": "rz", "rm": "rd", "rp": "ru"}.get(
            next((m for m in i.modifiers if m in ("rz", "rm", "rp")), ""), "rn"
        )
        value = f"__fma{'f' if kind == 'f32' else ''}_{mode}({self._args(i, kind)})"
        return self._set(i.operands[0], f"cassc::ptx::clamp01({value})" if i.has("sat") else value)

    def _function(self, i: _Instruction, for_float: str, for_double: str = "") -> str:
        function = for_float if i.type == "f32" else for_double
        if not function or any(m in ("rz", "rm", "rp") for m in i.modifiers):
            raise Untranslated(i.text)
        return self._set(i.operands[0], f"{function}({self._args(i, i.type)})")

    def _do_sqrt(self, i: _Instruction) -> str:
        return self._function(i, "__fsqrt_rn", "__dsqrt_rn")

    def _do_rcp(self, i: _Instruction) -> str:
        return self._function(i, "__frcp_rn", "__drcp_rn")

    def _do_rsqrt(self, i: _Instruction) -> str:
        return self._function(i, "rsqrtf", "rsqrt")

    def _do_ex2(self, i: _Instruction) -> str:
        return self._function(i, "exp2f")

    def _do_lg2(self, i: _Instruction) -> str:
        return self._function(i, "__log2f")

    def _do_sin(self, i: _Instruction) -> str:
        return self._function(i, "__sinf")

    def _do_cos(self, i: _Instruction) -> str:
        return self._function(i, "__cosf")

    def _do_tanh(self, i: _Instruction) -> str:
        return self._function(i, "tanhf")

    def _do_copysign(self, i: _Instruction) -> str:
        sign, magnitude = (self._value(o, i.type) for o in i.operands[1:])
        return self._set(i.operands[0], f"__builtin_copysign{'f' if i.type == 'f32' else ''}({magnitude}, {sign})")

    # Comparison and selection

    def _do_setp(self, i: _Instruction) -> str:
        self._plain(i, i.modifiers[0], "and", "or", "xor")
        compared = self._compare(i, i.operands[1:3])
        first, _, second = i.operands[0].partition("|")
        combine = next((m for m in i.modifiers if m in ("and", "or", "xor")), "")
        operator = {"and": "&", "or": "|", "xor": "^"}.get(combine, "")
        other = self._value(i.operands[3], "pred") if operator else ""
        made = f"{{ const bool cassc_compared = {compared}; "
        if second:
            opposite = "!cassc_compared" + (f" {operator} {other}" if operator else "")
            made += f"const bool cassc_second = {opposite}; "
        made += self._set(first.strip(), f"cassc_compared {operator} {other}" if operator else "cassc_compared")
        if second:
            made += self._set(second.strip(), "cassc_second")
        return made + " }"

    def _compare(self, i: _Instruction, operands: Sequence[str]) -> str:
        operation, kind = i.modifiers[0], i.type
        signed = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
        if kind[0] != "f":
            operation = signed.get(operation, operation)
            if operation not in ("eq", "ne", "lt", "le", "gt", "ge"):
                raise Untranslated(i.text)
        a, b = (self._value(o, kind) for o in operands)
        return f"cassc::ptx::compare_{operation}({a}, {b})"

    def _do_set(self, i: _Instruction) -> str:
        self._plain(i, i.modifiers[0])
        kind = i.types[0]
        yes = "1.0f" if kind == "f32" else "0xffffffffu"
        return self._set(i.operands[0], f"{self._compare(i, i.operands[1:3])} ? {yes} : 0")

    def _do_selp(self, i: _Instruction) -> str:
        yes, no = (self._value(o, i.type) for o in i.operands[1:3])
        return self._set(i.operands[0], f"{self._value(i.operands[3], 'pred')} ? {yes} : {no}")

    def _do_slct(self, i: _Instruction) -> str:
        kind, by = i.types
        yes, no = (self._value(o, kind) for o in i.operands[1:3])
        return self._set(i.operands[0], f"{self._value(i.operands[3], by)} >= 0 ? {yes} : {no}")

    def _do_cvt(self, i: _Instruction) -> str:
        self._plain(i, "sat", "rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna")
        if len(i.types) != 2 or i.has("rna"):
            raise Untranslated(i.text)
        to, source = i.types
        mode = next((m for m in i.modifiers if re.fullmatch(r"r[nzmp]i?", m)), "")
        number = {"": 0, "n": 0, "z": 1, "p": 2, "m": 3}[mode[1:2]]
        value = self._value(i.operands[1], source)
        saturates, integral = (str(known).lower() for known in (i.has("sat"), mode.endswith("i")))
        function = f"cassc::ptx::convert<{TYPES[to]}, {number}, {saturates}, {integral}>"
        return self._set(i.operands[0], f"{function}({value})")

    def _do_cvta(self, i: _Instruction) -> str:
        space = next(m for m in i.modifiers if m in _SPACES)
        function = f"to_{space}" if i.has("to") else f"from_{space}"
        return self._set(i.operands[0], f"cassc::ptx::{function}({self._value(i.operands[1], i.type)})")

    def _do_isspacep(self, i: _Instruction) -> str:
        function = {"shared": "__isShared", "global": "__isGlobal", "local": "__isLocal"}[i.modifiers[0]]
        return self._set(
            i.operands[0], f"{function}(reinterpret_cast<const void*>({self._value(i.operands[1], 'u64')}))"
        )

    def _do_vabsdiff4(self, i: _Instruction) -> str:
        if i.modifiers not in (["u32", "u32", "u32"], ["u32", "u32", "u32", "add"]):
            raise Untranslated(i.text)
        a, b, c = (self._value(o, "u32") for o in i.operands[1:])
        value = f"__vsadu4({a}, {b}) + {c}" if i.has("add") else f"__vabsdiffu4({a}, {b})"
        return self._set(i.operands[0], value)

    # Memory

    def _address(self, text: str, kind: str, space: str) -> str:
        match = re.fullmatch(r"\[\s*([%\w$\[\]]+?)\s*(?:\+\s*(-?\w+)|(-\d+))?\s*\]", text)
        if match is None:
            raise Untranslated(self.text)
        base = self._variable(match[1])
        value = f"{self._value(match[1], base.type)} + {match[2] or match[3] or '0'}"
        qualifier = "shared" if space == "shared" else "generic"
        return f"cassc::ptx::{qualifier}_pointer<{TYPES[kind]}>({value})"

    def _memory(self, i: _Instruction) -> tuple[str, str, str, int]:
        """Space, order and scope of an access, and the number of elements."""
        space = next((m for m in i.modifiers if m in _SPACES), "")
        if i.has("cluster", "dsmem", "mmio", "v8"):
            raise Untranslated(i.text)
        order = next((m for m in i.modifiers if m in ("relaxed", "acquire", "release", "acq_rel", "volatile")), "")
        scope = _SCOPES[next((m for m in i.modifiers if m in _SCOPES), "gpu")]
        width = 4 if i.has("v4") else 2 if i.has("v2") else 1
        return space, order, scope, width

    def _do_ld(self, i: _Instruction) -> str:
        space, order, scope, width = self._memory(i)
        address = self._address(i.operands[1], i.type, space)
        targets = [t.strip() for t in i.operands[0].strip("{} ").split(",")]
        if len(targets) != width:
            raise Untranslated(i.text)
        reads = []
        for number, target in enumerate(targets):
            place = f"cassc_address[{number}]"
            if order in ("relaxed", "acquire"):
                place = f"cassc::ptx::load<{scope}, {'__ATOMIC_' + order.upper()}>(cassc_address + {number})"
            elif order == "volatile":
                place = f"static_cast<const volatile {TYPES[i.type]}*>(cassc_address)[{number}]"
            reads.append(self._set(target, place))
        return f"{{ auto* const cassc_address = {address}; {' '.join(reads)} }}"

    def _do_st(self, i: _Instruction) -> str:
        space, order, scope, width = self._memory(i)
        address = self._address(i.operands[0], i.type, space)
        sources = [t.strip() for t in i.operands[1].strip("{} ").split(",")]
        if len(sources) != width:
            raise Untranslated(i.text)
        writes = []
        for number, source in enumerate(sources):
            value = self._value(source, i.type)
            if order in ("relaxed", "release"):
                atomic = (
                    f"cassc::ptx::store<{scope}, {'__ATOMIC_' + order.upper()}>(cassc_address + {number}, {value});"
                )
                writes.append(atomic)
            elif order == "volatile":
                writes.append(f"static_cast<volatile {TYPES[i.type]}*>(cassc_address)[{number}] = {value};")
            else:
                writes.append(f"cassc_address[{number}] = {value};")
        return f"{{ auto* const cassc_address = {address}; {' '.join(writes)} }}"

    def _do_ldu(self, i: _Instruction) -> str:
        return self._do_ld(i)

    def _do_atom(self, i: _Instruction) -> str:
        return self._atomic(i, i.operands[0], i.operands[1], i.operands[2:])

    def _do_red(self, i: _Instruction) -> str:
        return self._atomic(i, "_", i.operands[0], i.operands[1:])

    def _atomic(self, i: _Instruction, target: str, address: str, values: Sequence[str]) -> str:
        space, order, scope, width = self._memory(i)
        operation = next((m for m in i.modifiers if m in ("add and or xor min max exch cas inc dec".split())), "")
        if width != 1 or not operation or i.has("noftz") and i.type in ("f16", "f16x2"):
            raise Untranslated(i.text)
        arguments = ", ".join(self._value(v, i.type) for v in values)
        memory_order = {"acquire": "ACQUIRE", "release": "RELEASE", "acq_rel": "ACQ_REL"}.get(order, "RELAXED")
        function = f"cassc::ptx::atomic_{operation}<{scope}, __ATOMIC_{memory_order}>"
        call = f"{function}({self._address(address, i.type, space)}, {arguments})"
        return self._set(target, call)

    def _do_membar(self, i: _Instruction) -> str:
        return _FENCES[i.modifiers[0]] + ";"

    def _do_fence(self, i: _Instruction) -> str:
        self._plain(i, "sc", "acq_rel", "cta", "gpu", "sys")
        return _FENCES[next(m for m in i.modifiers if m in _FENCES)] + ";"

    def _do_prefetch(self, i: _Instruction) -> str:
        return ";"

    def _do_prefetchu(self, i: _Instruction) -> str:
        return ";"

    def _do_cp(self, i: _Instruction) -> str:
        if i.modifiers[:2] == ["async", "commit_group"]:
            return "__pipeline_commit();"
        if i.modifiers[:2] in (["async", "wait_group"], ["async", "wait_all"]):
            return "__pipeline_wait_prior(0);"
        if i.modifiers[0] != "async" or not i.has("shared") or not i.has("global") or i.has("bulk", "mbarrier"):
            raise Untranslated(i.text)
        target, source = self._address(i.operands[0], "b8", "shared"), self._address(i.operands[1], "b8", "global")
        size = self._value(i.operands[2], "u32")
        copied = self._value(i.operands[3], "u32") if len(i.operands) > 3 else size
        return f"cassc::ptx::copy_async({target}, {source}, {size}, {copied});"

    # The warp and the block

    def _do_bar(self, i: _Instruction) -> str:
        if [m for m in i.modifiers if m not in ("sync", "cta", "aligned")] or i.operands != ["0"]:
            raise Untranslated(i.text)
        if not i.has("sync"):
            raise Untranslated(i.text)
        return "__syncthreads();"

    def _do_barrier(self, i: _Instruction) -> str:
        return self._do_bar(i)

    def _do_vote(self, i: _Instruction) -> str:
        mode = next(m for m in i.modifiers if m in ("all", "any", "uni", "ballot"))
        predicate, mask = self._value(i.operands[1], "pred"), "0xffffffffu"
        if i.has("sync"):
            mask = self._value(i.operands[2], "u32")
        return self._set(i.operands[0], f"__{mode}_sync({mask}, {predicate})")

    def _do_activemask(self, i: _Instruction) -> str:
        return self._set(i.operands[0], "__activemask()")

    def _do_match(self, i: _Instruction) -> str:
        target, _, predicate = i.operands[0].partition("|")
        value, mask = self._value(i.operands[1], i.type), self._value(i.operands[2], "u32")
        if i.has("any"):
            return self._set(target, f"__match_any_sync({mask}, {value})")
        made = f"int cassc_all = 0; {self._set(target.strip(), f'__match_all_sync({mask}, {value}, &cassc_all)')}"
        return f"{{ {made} {self._set(predicate.strip(), 'cassc_all != 0') if predicate else ''} }}"

    def _do_shfl(self, i: _Instruction) -> str:
        target, _, predicate = i.operands[0].partition("|")
        mode = next(m for m in i.modifiers if m in ("up", "down", "bfly", "idx"))
        words = ", ".join(self._value(o, "u32") for o in i.operands[1:4])
        made = (
            f"bool cassc_inside = false; {self._set(target.strip(), f'cassc::ptx::shfl_{mode}({words}, cassc_inside)')}"
        )
        return f"{{ {made} {self._set(predicate.strip(), 'cassc_inside') if predicate else ''} }}"

    def _do_redux(self, i: _Instruction) -> str:
        operation = next(m for m in i.modifiers if m in ("add", "min", "max", "and", "or", "xor"))
        value, mask = self._value(i.operands[1], i.type), self._value(i.operands[2], "u32")
        return self._set(i.operands[0], f"__reduce_{operation}_sync({mask}, {value})")

    def _do_nanosleep(self, i: _Instruction) -> str:
        return f"__nanosleep({self._value(i.operands[0], 'u32')});"

    def _do_trap(self, i: _Instruction) -> str:
        return "__trap();"

    def _do_exit(self, i: _Instruction) -> str:
        return "__builtin_amdgcn_endpgm();"

    def _do_brkpt(self, i: _Instruction) -> str:
        return "__brkpt();"


def _literal(text: str, type_name: str) -> str:
    match = re.fullmatch(r"0[fF]([0-9a-fA-F]{8})", text)
    if match:
        return f"__builtin_bit_cast(float, 0x{match[1]}u)"
    match = re.fullmatch(r"0[dD]([0-9a-fA-F]{16})", text)
    if match:
        return f"__builtin_bit_cast(double, 0x{match[1]}ull)"
    if re.fullmatch(r"-?\d*\.\d*([eE][-+]?\d+)?|-?\d+[eE][-+]?\d+", text):
        return text
    if not re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?", text):
        raise Untranslated(text)
    return text.rstrip("U") + ("ll" if text.startswith("-") else "ull")


def _split(template: str) -> list[str]:
    """The statements of a template; the braces of scopes are left out."""
    text = re.sub(r"//[^\n]*", "", template)
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    statements, position = [], 0
    while position < len(text):
        if text[position] in "{} \t\r\n;":
            position += 1
            continue
        end = text.find(";", position)
        if end < 0:
            end = len(text)
        statement = re.sub(r"\s+", " ", text[position:end]).strip()
        if re.match(r"[\w$]+\s*:(?!:)", statement):
            raise Untranslated(statement)
        statements.append(statement)
        position = end + 1
    return statements


def _operands(text: str) -> list[str]:
    """Cut at commas that stand in no bracket."""
    parts, depth, current = [], 0, ""
    for letter in text:
        depth += (letter in "[{(") - (letter in "]})")
        if letter == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += letter
    if current.strip():
        parts.append(current.strip())
    return parts

"""Random CUDA expressions of the types that kernels compute with."""

from __future__ import annotations

from random import Random

INTEGERS = ("int", "unsigned", "long long", "unsigned long long", "short", "unsigned char", "signed char")
FLOATS = ("float", "double")


def constant(r: Random, type: str) -> str:
    """A literal."""
    if type in FLOATS:
        value = r.choice(
            ("0.5", "2.0", "1.0", "0.25", "3.0", "-1.0", f"{r.uniform(-4, 4):.3f}", f"{r.uniform(0, 99):.2f}")
        )
        return value + ("f" if type == "float" else "")
    small: int = r.choice((1, 2, 3, 4, 5, 7, 8, 10, 15, 16, 31, 32, 63, 255, r.randint(1, 99), r.randint(1, 70000)))
    if "long" in type:
        whole: int = r.choice((small, small, r.getrandbits(40), -small))
        return f"{whole}ll" if type == "long long" else f"{abs(whole)}ull"
    if type == "unsigned":
        return f"{r.choice((small, small, r.getrandbits(32)))}u"
    return str(r.choice((small, small, -small)))


class Writer:
    """Expressions over named variables.

    Args:
        variables: name -> type.
    """

    def __init__(self, r: Random, variables: dict[str, str]) -> None:
        self.r = r
        self.variables = variables

    def of(self, type: str, depth: int) -> str:
        """An expression of a type."""
        r = self.r
        if depth <= 0 or r.random() < 0.12:
            return self._leaf(type)
        if type in FLOATS:
            return self._float(type, depth)
        if type in ("short", "unsigned char", "signed char"):
            return f"({type})({self.of('int', depth)})"
        return self._integer(type, depth)

    def condition(self, depth: int = 1) -> str:
        r = self.r
        type = r.choice(
            [t for t in set(self.variables.values()) if t in ("int", "unsigned", "float", "long long", "double")]
            or ["int"]
        )
        one = f"{self.of(type, depth)} {r.choice(('<', '>', '<=', '>=', '==', '!='))} {self.of(type, depth)}"
        draw = r.random()
        if draw < 0.12 and depth:
            return f"({one}) {r.choice(('&&', '||'))} ({self.condition(depth - 1)})"
        if draw < 0.18 and type == "float":
            return f"isnan({self.of('float', 1)})"
        return one

    def _leaf(self, type: str) -> str:
        r = self.r
        same = [name for name, t in self.variables.items() if t == type]
        if same and r.random() < 0.72:
            return r.choice(same)
        if r.random() < 0.35 and self.variables:
            name = r.choice(list(self.variables))
            return f"({type}){name}"
        return constant(r, type)

    def _float(self, type: str, depth: int) -> str:
        r = self.r

        def sub() -> str:
            return self.of(type, depth - 1)

        f = "f" if type == "float" else ""
        kind = r.randrange(26)
        if kind < 6:
            return f"({sub()} {r.choice('+-')} {sub()})"
        if kind < 10:
            return f"({sub()} * {sub()})"
        if kind < 13:
            return r.choice((f"fma{f}({sub()}, {sub()}, {sub()})", f"({sub()} * {sub()} + {sub()})"))
        if kind < 15:
            return f"{r.choice(('fmin', 'fmax'))}{f}({sub()}, {sub()})"
        if kind == 15:
            return f"fabs{f}({sub()})"
        if kind == 16:
            return f"({self.condition(depth - 1)} ? {sub()} : {sub()})"
        if kind == 17:
            return f"({type}){self.of(r.choice(('int', 'unsigned', 'long long')), depth - 1)}"
        if kind == 18:
            return f"(-({sub()}))"
        if kind == 19:
            return f"{r.choice(('floor', 'ceil', 'trunc', 'rint', 'round'))}{f}({sub()})"
        if type == "double":
            return r.choice((f"sqrt(fabs({sub()}))", f"({sub()} / (fabs({sub()}) + 1.0))", f"(double){self.of('float', depth - 1)}",
                             f"copysign({sub()}, {sub()})", f"__dadd_rz({sub()}, {sub()})", f"({sub()} - {sub()})"))  # fmt: skip
        return r.choice((
            f"__expf({sub()})", f"__sinf({sub()})", f"__cosf({sub()})", f"rsqrtf(fabsf({sub()}) + 1.0f)",
            f"__logf(fabsf({sub()}) + 1.0f)", f"__fdividef({sub()}, fabsf({sub()}) + 1.0f)", f"sqrtf(fabsf({sub()}))",
            f"({sub()} / (fabsf({sub()}) + 1.0f))", f"__saturatef({sub()})", f"exp2f({sub()})", f"expf({sub()})",
            f"(float){self.of('double', depth - 1)}", f"__fadd_rz({sub()}, {sub()})", f"__fmul_ru({sub()}, {sub()})",
            f"copysignf({sub()}, {sub()})", f"tanhf({sub()})", f"__int_as_float({self.of('int', depth - 1)} & 0x7effffff)",
            f"logf(fabsf({sub()}) + 0.5f)", f"sinf({sub()} * 0.01f)", f"__frcp_rn(fabsf({sub()}) + 1.0f)",
            f"__fmaf_rz({sub()}, {sub()}, {sub()})", f"powf(fabsf({sub()}), 1.5f)",
        ))  # fmt: skip

    def _integer(self, type: str, depth: int) -> str:
        r = self.r

        def sub(of: str = type) -> str:
            return self.of(of, depth - 1)

        wide = "long" in type
        width = 64 if wide else 32
        kind = r.randrange(30)
        if kind < 7:
            return f"({sub()} {r.choice('+-')} {sub()})"
        if kind < 10:
            return f"({sub()} * {sub()})"
        if kind < 14:
            return f"({sub()} {r.choice('&|^')} {sub()})"
        if kind == 14:
            return f"(~{sub()})"
        if kind < 17:
            return f"({sub()} {r.choice(('<<', '>>'))} {r.randint(1, width - 1)})"
        if kind == 17:
            return f"({sub()} {r.choice(('<<', '>>'))} ({sub('int')} & {width - 1}))"
        if kind == 18:
            return f"({self.condition(depth - 1)} ? {sub()} : {sub()})"
        if kind == 19:
            return f"{r.choice(('min', 'max'))}({sub()}, {sub()})"
        if kind == 20:
            return f"({sub()} {r.choice('/%')} {constant(r, 'int').lstrip('-')})"
        if kind == 21:
            return f"({type}){self.of(r.choice(('float', 'double', 'float')), depth - 1)}"
        if kind == 22:
            return f"({type}){sub(r.choice(INTEGERS))}"
        if kind == 23:
            return f"(-({sub()}))"
        if wide:
            return r.choice((f"({type})__popcll({sub()})", f"({type})__clzll({sub()})", f"({type})__brevll({sub()})",
                             f"({type})({sub('unsigned')}) * {sub('unsigned')}", f"({type})({sub('int')}) * {sub('int')}",
                             f"__mul64hi({sub('long long')}, {sub('long long')})", f"({type})__ffsll({sub()})"))  # fmt: skip
        return r.choice((
            f"__popc({sub()})", f"(int)__brev({sub()})", f"__clz({sub()})", f"abs((int){sub()})", f"__ffs({sub()})",
            f"(int)__umulhi({sub()}, {sub()})", f"__mulhi((int){sub()}, (int){sub()})",
            f"(int)__byte_perm({sub()}, {sub()}, 0x{r.getrandbits(16) & 0x7777:x})",
            f"(int)__funnelshift_{r.choice('lr')}({sub()}, {sub()}, {r.choice((r.randint(1, 31), sub()))})",
            f"__float_as_int({self.of('float', depth - 1)})", f"(int)({sub('long long')} >> {r.randint(1, 40)})",
            f"__float2int_{r.choice(('rn', 'rz', 'ru', 'rd'))}({self.of('float', depth - 1)})",
            f"__dp4a((int){sub()}, (int){sub()}, (int){sub()})", f"(int)__sad((int){sub()}, (int){sub()}, {sub('unsigned')})",
            f"({sub()} & {1 << r.randint(0, 30)} ? {sub()} : {sub()})", f"(int)__vadd2({sub()}, {sub()})",
            f"(({sub()} >> {r.choice((8, 16, 24))}) & 255)", f"__mul24((int){sub()}, (int){sub()})",
            f"(int)__hadd((int){sub()}, (int){sub()})", f"({sub()} ^ {sub()} ^ {sub()})", f"(({sub()} & {sub()}) | {sub()})",
        ))  # fmt: skip

"""One element for each thread: maps, statements, stencils."""

from __future__ import annotations

from random import Random

from cassc.model.train.families.parts import arrays, entry, family, guarded, index, scalars, some_type
from cassc.model.train.writer import Writer, constant


@family
def mapping(r: Random, name: str) -> str:
    out = some_type(r)
    parameters, loads, variables = arrays(r, [some_type(r) for _ in range(r.randint(1, 3))])
    extra = scalars(r, variables)
    value = Writer(r, variables).of(out, r.randint(1, 4))
    return entry(name, f"{parameters}, {out} *o{extra}, int n", index(r) + guarded(r, f"{loads} o[i] = {value};"))


@family
def statements(r: Random, name: str) -> str:
    """Assignments, branches and short loops over a few variables."""
    types = [
        r.choice(("int", "float", "unsigned", "long long", "int", "float", "double")) for _ in range(r.randint(2, 4))
    ]
    parameters, loads, variables = arrays(r, types)
    extra = scalars(r, variables)
    writer = Writer(r, variables)
    own = [v for v in variables if v.startswith("x")]

    def assign() -> str:
        target = r.choice(own)
        return f"{target} = {writer.of(variables[target], r.randint(1, 3))};"

    lines = []
    for k in range(r.randint(2, 5)):
        draw = r.random()
        if draw < 0.35:
            lines.append(assign())
        elif draw < 0.65:
            other = f" else {{ {assign()} }}" if r.random() < 0.5 else ""
            lines.append(f"if ({writer.condition()}) {{ {assign()} {assign() if r.random() < 0.4 else ''} }}{other}")
        elif draw < 0.9:
            bound = r.choice((str(r.randint(2, 12)), "n", "(i & 15)"))
            leave = f"if ({writer.condition()}) {r.choice(('break', 'continue'))};" if r.random() < 0.4 else ""
            unroll = r.choice(("", "\n#pragma unroll 1\n  ", ""))
            lines.append(f"{unroll}for (int k{k} = 0; k{k} < {bound}; k{k}++) {{ {assign()} {leave} {assign()} }}")
        else:
            cases = " ".join(f"case {c}: {assign()} break;" for c in range(r.randint(2, 3)))
            lines.append(f"switch ((int)({writer.of('int', 1)}) & 3) {{ {cases} default: {assign()} }}")
    target = r.choice(own)
    value = writer.of(variables[target], 1)
    stores = "".join(f" o{k}[i] = {v};" for k, v in enumerate(own[1:3]))
    outs = "".join(f", {variables[v]} *o{k}" for k, v in enumerate(own[1:3]))
    body = f"{loads} {' '.join(lines)} o[i] = {value};{stores}"
    return entry(name, f"{parameters}, {variables[target]} *o{outs}{extra}, int n", index(r) + guarded(r, body))


@family
def grid_stride(r: Random, name: str) -> str:
    out = some_type(r)
    parameters, loads, variables = arrays(r, [some_type(r) for _ in range(r.randint(1, 2))])
    extra = scalars(r, variables)
    value = Writer(r, variables).of(out, r.randint(1, 3))
    loop = "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)"
    return entry(name, f"{parameters}, {out} *o{extra}, int n", f"{loop} {{ {loads} o[i] = {value}; }}")


@family
def stencil_1d(r: Random, name: str) -> str:
    type = r.choice(("float", "double", "int", "float"))
    reach = r.randint(1, 4)
    terms = [f"{constant(r, type)} * a[i {'+' if d >= 0 else '-'} {abs(d)}]" for d in range(-reach, reach + 1)]
    kept = [t for t in terms if r.random() < 0.85] or terms
    return entry(name, f"const {type} *a, {type} *o, int n",
                   f"{index(r)} if (i >= {reach} && i < n - {reach}) o[i] = {' + '.join(kept)};")  # fmt: skip


@family
def stencil_2d(r: Random, name: str) -> str:
    type = r.choice(("float", "double"))
    inside = "x > 0 && y > 0 && x < w - 1 && y < h - 1"
    around = "a[y * w + x - 1] + a[y * w + x + 1] + a[(y - 1) * w + x] + a[(y + 1) * w + x]"
    value = Writer(r, {"c": type, "l": type}).of(type, r.randint(1, 2))
    body = f"int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if ({inside})"
    return entry(name, f"const {type} *a, {type} *o, int w, int h",
                   f"{body} {{ {type} c = a[y * w + x], l = {around} - {constant(r, type)} * c; o[y * w + x] = {value}; }}")  # fmt: skip

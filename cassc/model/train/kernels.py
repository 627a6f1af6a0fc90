"""Random CUDA kernels by family: the training distribution, and the families that no training data comes from.

Every kernel follows from its family, its number and the seed. `HELD_OUT` families are for evaluation only.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from cassc.model.train.expressions import Writer, constant

Family = Callable[[Random, str], str]
FAMILIES: dict[str, Family] = {}
HELD_OUT = ("tiled_product", "histogram", "prefix_sum", "sparse_rows", "escape_time", "sorting_network", "stencil_2d",
            "string_search")  # fmt: skip
HEADER = """#include <cassert>
#include <cstdio>
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <math_constants.h>
#include <mma.h>
"""


def family(function: Family) -> Family:
    FAMILIES[function.__name__] = function
    return function


def kernel(name: str, seed: int, number: int) -> tuple[str, str]:
    """Symbol and source of a kernel of a family."""
    symbol = f"{name}_{number}"
    return symbol, FAMILIES[name](Random(f"{seed}/{name}/{number}"), symbol)


def _index(r: Random, name: str = "i") -> str:
    return r.choice((
        f"int {name} = blockIdx.x * blockDim.x + threadIdx.x;",
        f"int {name} = threadIdx.x + blockIdx.x * {r.choice((64, 128, 256))};",
        f"unsigned {name} = blockIdx.x * blockDim.x + threadIdx.x;",
        f"int {name} = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;",
    ))  # fmt: skip


def _global(name: str, parameters: str, body: str, bounds: str = "") -> str:
    return f'extern "C" __global__ {bounds}void {name}({parameters})\n{{\n  {body}\n}}\n'


def _guarded(r: Random, body: str, n: str = "n") -> str:
    return r.choice((f"if (i >= {n}) return; {body}", f"if (i < {n}) {{ {body} }}"))


def _arrays(r: Random, types: list[str]) -> tuple[str, str, dict[str, str]]:
    """Parameters, loads of element i, and the variables that they give."""
    parameters, loads, variables = [], [], {}
    for k, type in enumerate(types):
        restrict = r.choice(("", "", " __restrict__ "))
        parameters.append(f"const {type} *{restrict}a{k}")
        loads.append(f"{type} x{k} = a{k}[i];")
        variables[f"x{k}"] = type
    return ", ".join(parameters), " ".join(loads), variables


def _scalars(r: Random, variables: dict[str, str], most: int = 2) -> str:
    """Further parameters, which become variables."""
    extra = ""
    for k in range(r.randint(0, most)):
        type = r.choice(("int", "float", "unsigned", "int", "long long", "double", "short"))
        variables[f"s{k}"] = type
        extra += f", {type} s{k}"
    return extra


TYPES = (
    "float",
    "int",
    "unsigned",
    "double",
    "long long",
    "unsigned long long",
    "short",
    "unsigned char",
    "signed char",
)
WEIGHTS = (30, 25, 14, 10, 8, 4, 4, 5, 3)


def _type(r: Random) -> str:
    return r.choices(TYPES, WEIGHTS)[0]


@family
def mapping(r: Random, name: str) -> str:
    out = _type(r)
    parameters, loads, variables = _arrays(r, [_type(r) for _ in range(r.randint(1, 3))])
    extra = _scalars(r, variables)
    value = Writer(r, variables).of(out, r.randint(1, 4))
    return _global(name, f"{parameters}, {out} *o{extra}, int n", _index(r) + _guarded(r, f"{loads} o[i] = {value};"))


@family
def statements(r: Random, name: str) -> str:
    """Assignments, branches and short loops over a few variables."""
    types = [
        r.choice(("int", "float", "unsigned", "long long", "int", "float", "double")) for _ in range(r.randint(2, 4))
    ]
    parameters, loads, variables = _arrays(r, types)
    extra = _scalars(r, variables)
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
    return _global(name, f"{parameters}, {variables[target]} *o{outs}{extra}, int n", _index(r) + _guarded(r, body))


@family
def grid_stride(r: Random, name: str) -> str:
    out = _type(r)
    parameters, loads, variables = _arrays(r, [_type(r) for _ in range(r.randint(1, 2))])
    extra = _scalars(r, variables)
    value = Writer(r, variables).of(out, r.randint(1, 3))
    loop = "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)"
    return _global(name, f"{parameters}, {out} *o{extra}, int n", f"{loop} {{ {loads} o[i] = {value}; }}")


@family
def stencil_1d(r: Random, name: str) -> str:
    type = r.choice(("float", "double", "int", "float"))
    reach = r.randint(1, 4)
    terms = [f"{constant(r, type)} * a[i {'+' if d >= 0 else '-'} {abs(d)}]" for d in range(-reach, reach + 1)]
    kept = [t for t in terms if r.random() < 0.85] or terms
    return _global(name, f"const {type} *a, {type} *o, int n",
                   f"{_index(r)} if (i >= {reach} && i < n - {reach}) o[i] = {' + '.join(kept)};")  # fmt: skip


@family
def stencil_2d(r: Random, name: str) -> str:
    type = r.choice(("float", "double"))
    inside = "x > 0 && y > 0 && x < w - 1 && y < h - 1"
    around = "a[y * w + x - 1] + a[y * w + x + 1] + a[(y - 1) * w + x] + a[(y + 1) * w + x]"
    value = Writer(r, {"c": type, "l": type}).of(type, r.randint(1, 2))
    body = f"int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if ({inside})"
    return _global(name, f"const {type} *a, {type} *o, int w, int h",
                   f"{body} {{ {type} c = a[y * w + x], l = {around} - {constant(r, type)} * c; o[y * w + x] = {value}; }}")  # fmt: skip


@family
def block_reduction(r: Random, name: str) -> str:
    type = r.choice(("float", "int", "unsigned", "double", "long long"))
    size = r.choice((64, 128, 256))
    joined = {"sum": "s[t] + s[t + k]", "max": "max(s[t], s[t + k])", "min": "min(s[t], s[t + k])"}
    if type not in ("float", "double"):
        joined["xor"] = "s[t] ^ s[t + k]"
    how = r.choice(list(joined))
    value = Writer(r, {"x": type}).of(type, r.randint(0, 2))
    if r.random() < 0.4:
        finish = {"float": "atomicAdd(o, s[0])", "int": "atomicMax(o, s[0])", "unsigned": "atomicMin(o, s[0])"}.get(
            type, "o[blockIdx.x] = s[0]"
        )
    else:
        finish = "o[blockIdx.x] = s[0]"
    loop = f"for (int k = {size // 2}; k > 0; k >>= 1) {{ if (t < k) s[t] = {joined[how]}; __syncthreads(); }}"
    return _global(name, f"const {type} *a, {type} *o, int n",
                   f"__shared__ {type} s[{size}]; int t = threadIdx.x, i = blockIdx.x * {size} + t; {type} v = 0; "
                   f"if (i < n) {{ {type} x = a[i]; v = {value}; }} s[t] = v; __syncthreads(); {loop} if (t == 0) {finish};")  # fmt: skip


@family
def warp_exchange(r: Random, name: str) -> str:
    type = r.choice(("int", "float", "unsigned", "double", "long long"))
    value = Writer(r, {"x": type, "i": "int"}).of(type, r.randint(1, 2))
    width = r.choice(("", "", ", 16", ", 8"))
    step = r.choice((
        f"for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(~0u, v, d{width});",
        f"for (int d = 16; d > 0; d >>= 1) v = {r.choice(('max', 'min'))}(v, __shfl_xor_sync(~0u, v, d{width}));",
        f"for (int d = 1; d < 32; d <<= 1) {{ {type} u = __shfl_up_sync(~0u, v, d{width}); if ((threadIdx.x & 31) >= d) v += u; }}",
        f"v = __shfl_sync(~0u, v, (threadIdx.x * {r.randint(1, 9)} + {r.randint(0, 31)}) & 31{width});",
        f"v += __shfl_sync(~0u, v, {r.randint(0, 31)}{width});",
    ))  # fmt: skip
    end = r.choice(("if (i < n) o[i] = v;", "if ((threadIdx.x & 31) == 0 && i < n) o[i >> 5] = v;"))
    return _global(name, f"const {type} *a, {type} *o, int n",
                   f"{_index(r)} {type} x = i < n ? a[i] : ({type})0; {type} v = {value}; {step} {end}")  # fmt: skip


@family
def warp_votes(r: Random, name: str) -> str:
    value = Writer(r, {"x": "int", "i": "int"})
    p = value.condition()
    vote = r.choice((
        f"o[i] = (int)__ballot_sync(~0u, {p});", f"o[i] = __popc(__ballot_sync(~0u, {p}) & ((1u << (threadIdx.x & 31)) - 1));",
        f"o[i] = __any_sync(~0u, {p}) ? x : {value.of('int', 2)};", f"o[i] = __all_sync(~0u, {p}) ? x : -x;",
        "o[i] = (int)__match_any_sync(~0u, x & 7);", "unsigned m = __activemask(); o[i] = (int)m + x;",
        f"o[i] = (int)__reduce_{r.choice(('add', 'min', 'max'))}_sync(~0u, (unsigned)x);",
        f"o[i] = __syncthreads_{r.choice(('count', 'and', 'or'))}({p});",
        f"if ({p}) {{ unsigned m = __activemask(); if (__ffs(m) - 1 == (int)(threadIdx.x & 31)) atomicAdd(o, __popc(m)); }}",
    ))  # fmt: skip
    return _global(name, "const int *a, int *o, int n", f"{_index(r)} int x = a[i]; {vote}")


@family
def prefix_sum(r: Random, name: str) -> str:
    type = r.choice(("int", "float", "unsigned"))
    size = r.choice((64, 128, 256))
    body = (f"__shared__ {type} s[{size}]; int t = threadIdx.x, i = blockIdx.x * {size} + t; s[t] = i < n ? a[i] : ({type})0; "
            f"__syncthreads(); for (int d = 1; d < {size}; d <<= 1) {{ {type} v = 0; if (t >= d) v = s[t - d]; __syncthreads(); "
            f"s[t] += v; __syncthreads(); }} if (i < n) o[i] = s[t]{r.choice(('', ' - a[i]', ' * 2'))};")  # fmt: skip
    return _global(name, f"const {type} *a, {type} *o, int n", body)


@family
def matrix_vector(r: Random, name: str) -> str:
    type = r.choice(("float", "int", "double", "unsigned"))
    step = r.choice(("s += a[i * m + k] * x[k];", "s = max(s, a[i * m + k] + x[k]);", "s += a[k * n + i] * x[k];",
                     f"if (x[k] > {constant(r, type)}) s += a[i * m + k];"))  # fmt: skip
    unroll = r.choice(("", "\n#pragma unroll 1\n  ", "\n#pragma unroll 4\n  "))
    return _global(name, f"const {type} *a, const {type} *x, {type} *y, int n, int m",
                   f"{_index(r)} if (i < n) {{ {type} s = 0; {unroll}for (int k = 0; k < m; k++) {{ {step} }} y[i] = s; }}")  # fmt: skip


@family
def tiled_product(r: Random, name: str) -> str:
    b = r.choice((8, 16, 32))
    type = r.choice(("float", "int"))
    unroll = r.choice(("", "\n#pragma unroll 1\n  "))
    body = (f"__shared__ {type} p[{b}][{b}], q[{b}][{b + r.choice((0, 1))}]; int x = threadIdx.x, y = threadIdx.y, c = blockIdx.x * {b} + x, "
            f"d = blockIdx.y * {b} + y; {type} s = 0; for (int t = 0; t < m; t += {b}) {{ p[y][x] = a[d * m + t + x]; "
            f"q[y][x] = b[(t + y) * m + c]; __syncthreads(); {unroll}for (int k = 0; k < {b}; k++) s += p[y][k] * q[k][x]; "
            f"__syncthreads(); }} o[d * m + c] = s{r.choice(('', ' * 2', ' + 1'))};")  # fmt: skip
    return _global(name, f"const {type} *a, const {type} *b, {type} *o, int m", body)


@family
def histogram(r: Random, name: str) -> str:
    bins = r.choice((16, 32, 64, 256))
    type = r.choice(("unsigned char", "int", "unsigned"))
    place = r.choice((f"a[i] & {bins - 1}", f"((unsigned)a[i]) % {bins}u", f"(a[i] >> 2) & {bins - 1}"))
    if r.random() < 0.5:
        return _global(
            name, f"const {type} *a, int *h, int n", f"{_index(r)} {_guarded(r, f'atomicAdd(&h[{place}], 1);')}"
        )
    body = (f"__shared__ int s[{bins}]; int t = threadIdx.x; for (int j = t; j < {bins}; j += blockDim.x) s[j] = 0; __syncthreads(); "
            f"int i = blockIdx.x * blockDim.x + t; if (i < n) atomicAdd(&s[{place}], 1); __syncthreads(); "
            f"for (int j = t; j < {bins}; j += blockDim.x) atomicAdd(&h[j], s[j]);")  # fmt: skip
    return _global(name, f"const {type} *a, int *h, int n", body)


@family
def atomics(r: Random, name: str) -> str:
    type = r.choice(("int", "unsigned", "float", "unsigned long long", "long long", "double"))
    value = Writer(r, {"x": type, "i": "int"}).of(type, r.randint(1, 2))
    names = {"float": ("Add", "Exch"), "double": ("Add",), "long long": ("Max", "Min", "And", "Or", "Xor")}
    whole = ("Add", "Max", "Min", "And", "Or", "Xor", "Exch", "CAS") + (("Inc", "Dec") if type == "unsigned" else ())
    how = r.choice(names.get(type, whole))
    second = f", ({type})({value})" if how == "CAS" else ""
    first = f"({type})i" if how == "CAS" else value
    place = r.choice((f"(i * {r.choice((1, 7, 13))}) & 63", "i & 7", "blockIdx.x", "0"))
    suffix = r.choice(("", "", "", "_block", "_system"))
    if r.random() < 0.35:
        shared = f"__shared__ {type} s[64]; s[threadIdx.x & 63] = 0; __syncthreads();"
        call = f"atomic{how}(&s[{place.replace('blockIdx.x', '3')}], {first}{second}); __syncthreads(); o[i] = s[threadIdx.x & 63];"
    else:
        shared = ""
        call = f"atomic{how}{suffix}(&o[{place}], {first}{second});"
        if r.random() < 0.4:
            call = f"p[i] = {call}"
    return _global(name, f"const {type} *a, {type} *o, {type} *p, int n",
                   f"{shared} {_index(r)} if (i < n) {{ {type} x = a[i]; {call} }}")  # fmt: skip


@family
def image(r: Random, name: str) -> str:
    channels = r.choice((1, 3, 4))
    weights = [r.randint(10, 170) for _ in range(3)]
    values = {"p": "int", "q": "int", "t": "int"}
    value = Writer(r, values).of("int", r.randint(1, 2))
    body = (f"int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x < w && y < h) {{ "
            f"int j = (y * w + x) * {channels}; int p = a[j], q = ({weights[0]} * a[j] + {weights[1]} * a[j + {channels // 2}]) >> {r.randint(1, 8)}; "
            f"o[y * w + x] = (unsigned char){r.choice((f'({value})', f'min(max({value}, 0), 255)', 'q'))}; }}")  # fmt: skip
    return _global(name, "const unsigned char *a, unsigned char *o, int w, int h, int t", body)


@family
def neighbours(r: Random, name: str) -> str:
    """A box of 3 by 3 or 5 by 5 with bounds."""
    reach = r.choice((1, 2))
    type = r.choice(("unsigned char", "float", "int", "short"))
    total = "float" if type == "float" else "int"
    step = r.choice(("s += a[v * w + u]; c++;", "s = max(s, a[v * w + u]);", "if (a[v * w + u] > a[y * w + x]) s++;"))
    body = (f"int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= w || y >= h) return; "
            f"{total} s = 0; int c = 1; for (int dy = -{reach}; dy <= {reach}; dy++) for (int dx = -{reach}; dx <= {reach}; dx++) {{ "
            f"int u = x + dx, v = y + dy; if (u >= 0 && v >= 0 && u < w && v < h) {{ {step} }} }} o[y * w + x] = ({type})({r.choice(('s', 's / c', 's + c', 's * 3 - c'))});")  # fmt: skip
    return _global(name, f"const {type} *a, {type} *o, int w, int h", body)


@family
def particles(r: Random, name: str) -> str:
    type = r.choice(("float", "double", "float"))
    f = "f" if type == "float" else ""
    weight = r.choice((f"rsqrt{f}(d)", f"1.0{f} / d", f"rsqrt{f}(d) * rsqrt{f}(d)", f"sqrt{f}(d)"))
    body = (f"{_index(r)} if (i < n) {{ {type} x = px[i], y = py[i], fx = 0, fy = 0; for (int j = 0; j < n; j++) {{ "
            f"{type} dx = px[j] - x, dy = py[j] - y; {type} d = dx * dx + dy * dy + {constant(r, type).lstrip('-')}; {type} w = {weight}; "
            f"fx += dx * w; fy += dy * w; }} ax[i] = fx; ay[i] = fy; }}")  # fmt: skip
    return _global(name, f"const {type} *px, const {type} *py, {type} *ax, {type} *ay, int n", body)


@family
def vectors(r: Random, name: str) -> str:
    """Two or four components at once."""
    type, part = r.choice((("float4", "float"), ("int4", "int"), ("float2", "float"), ("int2", "int"), ("uint4", "unsigned"),
                           ("double2", "double"), ("uchar4", "unsigned char"), ("short2", "short"), ("ulonglong2", "unsigned long long")))  # fmt: skip
    names = "xyzw"[: int(type[-1])]
    writer = Writer(r, {f"v.{c}": part for c in names} | {"s": part})
    results = " ".join(f"u.{c} = {writer.of(part, r.randint(1, 2))};" for c in names)
    return _global(name, f"const {type} *a, {type} *o, {part} s, int n",
                   f"{_index(r)} {_guarded(r, f'{type} v = a[i], u; {results} o[i] = u;')}")  # fmt: skip


@family
def generator(r: Random, name: str) -> str:
    steps = ("s ^= s << 13; s ^= s >> 17; s ^= s << 5;", f"s = s * {r.getrandbits(32) | 1}u + {r.getrandbits(31)}u;",
             "s = (s ^ 61u) ^ (s >> 16); s *= 9u; s ^= s >> 4; s *= 0x27d4eb2du; s ^= s >> 15;",
             "s = __umulhi(s, 0xd2511f53u) ^ (s * 0xcd9e8d57u);", f"s = (s << {r.randint(3, 13)}) | (s >> {r.randint(3, 13)}); s += 0x9e3779b9u;")  # fmt: skip
    end = r.choice(
        (
            "o[i] = s;",
            "o[i] = s & 0xffff;",
            f"o[i] = s % {r.randint(3, 1000)}u;",
            "o[i] = (unsigned)((float)(s >> 8) * 5.9604645e-8f * 100.0f);",
        )
    )
    body = f"unsigned s = seed + i * {r.randint(1, 5000)}u; for (int k = 0; k < {r.choice(('n & 15', '4', '9', '20'))}; k++) {{ {r.choice(steps)} {r.choice(steps)} }} {end}"
    return _global(name, "unsigned *o, unsigned seed, int n", _index(r) + _guarded(r, body))


@family
def text(r: Random, name: str) -> str:
    body = r.choice((
        "char c = a[i]; if (c >= 'a' && c <= 'z') c -= 32; o[i] = c;",
        f"int c = a[i]; if (c >= 'a' && c <= 'z') c = 'a' + (c - 'a' + {r.randint(1, 25)}) % 26; o[i] = (char)c;",
        f"o[i] = a[i] == {r.randint(32, 120)} ? '_' : a[i];", f"o[i] = (char)((a[i] ^ {r.randint(1, 255)}) + i);",
        f"unsigned h = {r.randint(1, 5381)}u; for (int j = 0; j < (i & 7); j++) h = h * {r.choice((31, 33, 65599))}u ^ (unsigned char)a[j]; o[i] = (char)h;",
        f"int w = 0; for (int j = i; j < n && j < i + {r.randint(2, 9)}; j++) if (a[j] == ' ') w++; o[i] = (char)('0' + w);",
    ))  # fmt: skip
    return _global(name, "const char *a, char *o, int n", _index(r) + _guarded(r, body))


@family
def string_search(r: Random, name: str) -> str:
    found = r.choice(("o[i] = ok;", "if (ok) atomicAdd(o, 1);", "if (ok) atomicMin(o, i);"))
    return _global(name, "const char *t, const char *p, int *o, int n, int m",
                   f"{_index(r)} if (i <= n - m) {{ int ok = 1; for (int j = 0; j < m; j++) if (t[i + j] != p[j]) {{ ok = 0; break; }} {found} }}")  # fmt: skip


@family
def sorting_network(r: Random, name: str) -> str:
    type = r.choice(("int", "float", "unsigned", "double"))
    return _global(name, f"{type} *a, int j, int k, int n",
                   f"{_index(r)} int l = i ^ j; if (l > i && l < n) {{ {type} x = a[i], y = a[l]; bool up = (i & k) == 0; "
                   f"if (up ? x > y : x < y) {{ a[i] = y; a[l] = x; }} }}")  # fmt: skip


@family
def transposition(r: Random, name: str) -> str:
    b = r.choice((16, 32))
    type = r.choice(("float", "int", "double", "short", "unsigned char"))
    value = r.choice(("t[threadIdx.x][threadIdx.y]", f"({type})(t[threadIdx.x][threadIdx.y] * 3)"))
    body = (f"__shared__ {type} t[{b}][{b} + {r.choice((0, 1))}]; int x = blockIdx.x * {b} + threadIdx.x, y = blockIdx.y * {b} + threadIdx.y; "
            f"if (x < w && y < h) t[threadIdx.y][threadIdx.x] = a[y * w + x]; __syncthreads(); x = blockIdx.y * {b} + threadIdx.x; "
            f"y = blockIdx.x * {b} + threadIdx.y; if (x < h && y < w) o[y * h + x] = {value};")  # fmt: skip
    return _global(name, f"const {type} *a, {type} *o, int w, int h", body)


@family
def sparse_rows(r: Random, name: str) -> str:
    type = r.choice(("float", "double", "int"))
    step = r.choice(("s += v[j] * x[c[j]];", "if (c[j] != i) s += v[j] * x[c[j]];", "s = max(s, v[j] * x[c[j]]);"))
    return _global(name, f"const int *p, const int *c, const {type} *v, const {type} *x, {type} *y, int n",
                   f"{_index(r)} if (i < n) {{ {type} s = 0; for (int j = p[i]; j < p[i + 1]; j++) {{ {step} }} y[i] = s; }}")  # fmt: skip


@family
def layers(r: Random, name: str) -> str:
    body = r.choice((
        f"float x = a[i] + b[i % c]; o[i] = {r.choice(('fmaxf(x, 0.0f)', 'x > 0.0f ? x : 0.01f * x', '1.0f / (1.0f + __expf(-x))', 'tanhf(x)', 'x / (1.0f + expf(-x))'))};",
        "float m = a[i * c]; for (int j = 1; j < c; j++) m = fmaxf(m, a[i * c + j]); float s = 0; for (int j = 0; j < c; j++) s += __expf(a[i * c + j] - m); "
        "for (int j = 0; j < c; j++) o[i * c + j] = __expf(a[i * c + j] - m) / s;",
        "float m = 0, v = 0; for (int j = 0; j < c; j++) m += a[i * c + j]; m /= (float)c; for (int j = 0; j < c; j++) { float d = a[i * c + j] - m; v += d * d; } "
        "float q = rsqrtf(v / c + 1e-5f); for (int j = 0; j < c; j++) o[i * c + j] = (a[i * c + j] - m) * q * b[j];",
        "float s = 0; for (int j = 0; j < c; j++) { float d = a[i * c + j] - b[j]; s += d * d; } o[i] = sqrtf(s);",
    ))  # fmt: skip
    return _global(name, "const float *a, const float *b, float *o, int n, int c", _index(r) + _guarded(r, body))


@family
def graph_step(r: Random, name: str) -> str:
    inner = r.choice(("if (d[q] < 0) { d[q] = v + 1; *f = 1; }", "if (d[q] > v + 1) { d[q] = v + 1; *f = 1; }",
                      "atomicMin(&d[q], v + w[j]); ", "if (atomicCAS(&d[q], -1, v + 1) == -1) f[atomicAdd(f, 1)] = q;"))  # fmt: skip
    return _global(name, "const int *p, const int *c, const int *w, int *d, int *f, int v, int n",
                   f"{_index(r)} if (i < n && d[i] == v) {{ for (int j = p[i]; j < p[i + 1]; j++) {{ int q = c[j]; {inner} }} }}")  # fmt: skip


@family
def escape_time(r: Random, name: str) -> str:
    type = r.choice(("float", "double", "float"))
    body = (f"int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x < w && y < h) {{ "
            f"{type} a = x * s - {constant(r, type)}, b = y * s - {constant(r, type)}, u = 0, v = 0; int k = 0; "
            f"while (k < {r.randint(8, 200)} && u * u + v * v < 4) {{ {type} t = u * u - v * v + a; v = 2 * u * v + b; u = t; k++; }} o[y * w + x] = k; }}")  # fmt: skip
    return _global(name, f"int *o, int w, int h, {type} s", body)


@family
def lookup(r: Random, name: str) -> str:
    type = r.choice(("int", "float", "double", "long long"))
    body = r.choice((
        f"{type} k = q[i]; int lo = 0, hi = n; while (lo < hi) {{ int m = (lo + hi) >> 1; if (a[m] {r.choice(('<', '<='))} k) lo = m + 1; else hi = m; }} o[i] = lo;",
        f"int j = x[i]; if (j >= 0 && j < n) q[j] {r.choice(('=', '+=', '-='))} a[i];", f"o[i] = (int)a[x[i] & {r.choice((15, 63, 255))}];",
        f"__constant__ static const int table[8] = {{{', '.join(str(r.randint(-9, 99)) for _ in range(8))}}}; o[i] = table[x[i] & 7] + (int)a[i];".replace("__constant__ static const", "const"),
    ))  # fmt: skip
    return _global(name, f"const {type} *a, {type} *q, const int *x, int *o, int n", _index(r) + _guarded(r, body))


@family
def arithmetic_loops(r: Random, name: str) -> str:
    body = r.choice((
        f"unsigned v = a[i]; int c = 0; while (v > 1 && c < {r.randint(20, 300)}) {{ v = (v & 1) ? {r.choice((3, 5))} * v + 1 : v >> 1; c++; }} o[i] = c;",
        "unsigned x = a[i], y = b[i]; while (y) { unsigned t = x % y; x = y; y = t; } o[i] = x;",
        f"unsigned x = a[i], p = 1, e = b[i] & 31; while (e) {{ if (e & 1) p = p * x % {r.randint(100, 9999)}u; x = x * x % {r.randint(100, 9999)}u; e >>= 1; }} o[i] = p;",
        "int x = a[i], y = b[i]; o[i] = y ? x / y + x % y : x;", "long long x = a[i], y = b[i]; o[i] = (int)(y ? x * 1000003ll / y : x);",
        "unsigned x = a[i], c = 0; for (int k = 2; k * k <= (int)(x & 1023); k++) if (x % k == 0) c++; o[i] = c;",
        f"unsigned x = a[i]; for (int k = 0; k < 8; k++) x = (x & 1) ? (x >> 1) ^ {r.getrandbits(32)}u : x >> 1; o[i] = x;",
    ))  # fmt: skip
    return _global(name, "const int *a, const int *b, int *o, int n", _index(r) + _guarded(r, body))


@family
def dynamic_shared(r: Random, name: str) -> str:
    type = r.choice(("float", "int", "double", "unsigned char"))
    mix = Writer(r, {"x": type, "y": type}).of(type, 2)
    body = (f"extern __shared__ __align__(16) unsigned char raw[]; {type} *s = ({type} *)raw; int t = threadIdx.x; {_index(r)} "
            f"s[t] = i < n ? a[i] : ({type})0; {r.choice(('__syncthreads();', '__syncthreads(); __threadfence_block();'))} "
            f"{type} x = s[t], y = s[{r.choice(('t ^ 1', 'blockDim.x - 1 - t', '(t + 1) % blockDim.x'))}]; if (i < n) o[i] = {mix};")  # fmt: skip
    return _global(name, f"const {type} *a, {type} *o, int n", body)


@family
def halves(r: Random, name: str) -> str:
    value = r.choice(("__hadd(x, y)", "__hmul(x, y)", "__hfma(x, y, z)", "__hsub(x, y)", "__hgt(x, y) ? x : z", "__float2half(__half2float(x) * 2.0f + __half2float(y))",
                      "__hmax(x, y)", "__hmin(y, z)", "__habs(x)", "__hneg(y)", "__int2half_rn(i)"))  # fmt: skip
    if r.random() < 0.5:
        return _global(name, "const __half *a, const __half *b, __half *o, int n",
                       _index(r) + _guarded(r, f"__half x = a[i], y = b[i], z = __hadd(x, y); o[i] = {value};"))  # fmt: skip
    pairs = r.choice(
        (
            "__hadd2(x, y)",
            "__hmul2(x, y)",
            "__hfma2(x, y, x)",
            "__hsub2(y, x)",
            "__hmax2(x, y)",
            "__lowhigh2highlow(x)",
            "__halves2half2(__high2half(x), __low2half(y))",
        )
    )
    return _global(name, "const __half2 *a, const __half2 *b, __half2 *o, int n",
                   _index(r) + _guarded(r, f"__half2 x = a[i], y = b[i]; o[i] = {pairs};"))  # fmt: skip


@family
def records(r: Random, name: str) -> str:
    """Structures with members of several sizes, passed by value too."""
    types = [
        r.choice(("int", "float", "double", "short", "unsigned char", "long long", "unsigned"))
        for _ in range(r.randint(2, 5))
    ]
    members = " ".join(f"{t} m{k};" for k, t in enumerate(types))
    variables = {f"v.m{k}": t for k, t in enumerate(types)} | {f"c.m{k}": t for k, t in enumerate(types)}
    writer = Writer(r, variables)
    k = r.randrange(len(types))
    changes = f"v.m{k} = {writer.of(types[k], 2)};"
    if r.random() < 0.5:
        j = r.randrange(len(types))
        changes += f" if ({writer.condition()}) v.m{j} = {writer.of(types[j], 1)};"
    tag = f"S_{name}"
    return f"struct {tag} {{ {members} }};\n" + _global(
        name, f"{tag} *a, {tag} c, int n", _index(r) + _guarded(r, f"{tag} v = a[i]; {changes} a[i] = v;")
    )


@family
def local_arrays(r: Random, name: str) -> str:
    type = r.choice(("int", "float", "double", "unsigned char"))
    size = r.choice((4, 8, 16))
    value = Writer(r, {"s": type, "i": "int"}).of(type, 1)
    body = (f"{type} v[{size}]; for (int k = 0; k < {size}; k++) v[k] = a[(i + k) % n]; {type} s = 0; for (int k = 0; k < m; k++) {{ "
            f"s += v[(k * {r.randint(1, 7)} + i) & {size - 1}]; v[k & {size - 1}] = {value}; }} o[i] = s;")  # fmt: skip
    return _global(name, f"const {type} *a, {type} *o, int m, int n", _index(r) + _guarded(r, body))


@family
def calls(r: Random, name: str) -> str:
    """A function that is not inlined, and volatile memory."""
    type = r.choice(("int", "float", "unsigned"))
    first = Writer(r, {"x": type, "y": type}).of(type, 3)
    helper = f"__device__ __noinline__ {type} f_{name}({type} x, {type} y) {{ return {first}; }}\n"
    body = r.choice((f"{type} x = a[i]; o[i] = f_{name}(x, f_{name}(o[i], x));", f"{type} s = 0; for (int k = 0; k < (i & 3); k++) s = f_{name}(s, a[k]); o[i] = s;",
                     f"volatile {type} *p = o; {type} x = p[i]; p[i] = f_{name}(x, a[i]); __threadfence();"))  # fmt: skip
    return helper + _global(name, f"const {type} *a, {type} *o, int n", _index(r) + _guarded(r, body))


@family
def finance(r: Random, name: str) -> str:
    end = r.choice(
        (
            "s * c - x * __expf(-q * t) * e",
            "fmaxf(s - x * __expf(-q * t), 0.0f) + c * d",
            "normcdff(d) * s - x * normcdff(e)",
        )
    )
    body = (f"float s = S[i], x = X[i], t = T[i]; float r = {r.choice(('sqrtf(t)', 'sqrtf(fabsf(t))'))}; float d = (logf(s / x) + (q + 0.5f * v * v) * t) / (v * r); "
            f"float e = d - v * r; float k = 1.0f / (1.0f + {r.uniform(0.1, 0.4):.4f}f * fabsf(d)); float c = k * ({r.uniform(-1, 1):.4f}f + k * ({r.uniform(-1, 1):.4f}f + k * 1.7814f)); o[i] = {end};")  # fmt: skip
    return _global(
        name,
        "const float *S, const float *X, const float *T, float *o, float q, float v, int n",
        _index(r) + _guarded(r, body),
    )


@family
def recurrences(r: Random, name: str) -> str:
    """Dynamic programming over a row, exponential smoothing, integrators."""
    type = r.choice(("int", "float", "double"))
    step = r.choice((f"s = s * {constant(r, type)} + a[k * n + i];", f"s = max(s, a[k * n + i] + {constant(r, type)});",
                     f"{type} u = a[k * n + i]; if (u > s) s = u; else s = s - {constant(r, type)}; o[k * n + i] = s;",
                     f"{type} u = a[k * n + i]; s = {Writer(r, {'s': type, 'u': type, 'k': 'int'}).of(type, 2)};"))  # fmt: skip
    unroll = r.choice(("", "\n#pragma unroll 1\n  ", "\n#pragma unroll 2\n  "))
    return _global(name, f"const {type} *a, {type} *o, int m, int n",
                   f"{_index(r)} if (i >= n) return; {type} s = {constant(r, type)}; {unroll}for (int k = 0; k < m; k++) {{ {step} }} o[i] = s;")  # fmt: skip


# What the hardware has besides arithmetic on words in global memory ------------------------------------------------
@family
def constant_tables(r: Random, name: str) -> str:
    """Arrays in constant memory, at known places and at indices."""
    type = r.choice(
        (
            "float",
            "int",
            "unsigned",
            "unsigned char",
            "short",
            "double",
            "unsigned long long",
            "signed char",
            "unsigned short",
        )
    )
    size = r.choice((16, 64, 256))
    values = ", ".join(str(r.randint(0, 99)) for _ in range(size))
    place = r.choice(
        (
            f"x[i] & {size - 1}",
            f"(unsigned)x[i] % {size}u",
            f"(i * {r.randint(1, 9)} + k) & {size - 1}",
            f"k & {size - 1}",
        )
    )
    value = Writer(r, {"c": type, "s": "int", "v": "int"}).of(r.choice(("int", "float", "unsigned")), r.randint(1, 2))
    return f"__constant__ {type} T_{name}[{size}] = {{{values}}};\n" + _global(
        name, "const int *x, int *o, int m, int n",
        f"{_index(r)} if (i >= n) return; int s = 0, v = x[i]; for (int k = 0; k < m; k++) {{ {type} c = T_{name}[{place}]; s += (int)({value}); }} "
        f"o[i] = s + (int)T_{name}[{r.randrange(size)}];")  # fmt: skip


@family
def volumes(r: Random, name: str) -> str:
    """Three axes of threads and blocks, and what the launch was."""
    type = r.choice(("float", "int", "double", "unsigned"))
    index = r.choice((
        "int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;",
        "int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; int x = t, y = blockIdx.y, z = blockIdx.z;",
        "int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; int x = b * blockDim.x * blockDim.y * blockDim.z + threadIdx.x, y = threadIdx.y, z = gridDim.z - 1 - blockIdx.z;",
    ))  # fmt: skip
    variables = {"c": type, "x": "int", "y": "int", "z": "int"}
    value = Writer(r, variables).of(type, r.randint(1, 3))
    around = r.choice(("", "if (z + 1 < d) c += a[p + w * h];", "if (x > 0 && z > 0) c += a[p - 1] - a[p - w * h];"))
    return _global(name, f"const {type} *a, {type} *o, int w, int h, int d",
                   f"{index} if (x < w && y < h && z < d) {{ int p = (z * h + y) * w + x; {type} c = a[p]; {around} o[p] = {value}; }}")  # fmt: skip


@family
def copies(r: Random, name: str) -> str:
    """Asynchronous copies to shared memory, with one or two groups under way."""
    bytes = r.choice((4, 8, 16))
    type = {4: "float", 8: "float2", 16: "float4"}[bytes]
    size = r.choice((64, 128))
    zero = r.choice(("", "", f", {r.choice((0, bytes // 2))}"))
    load = f"__pipeline_memcpy_async(&s[%s][threadIdx.x], &a[%s], {bytes}{zero}); __pipeline_commit();"
    first = load % ("0", f"blockIdx.x * {size} + threadIdx.x")
    if r.random() < 0.5:
        body = f"if (i < n) {{ {first} }} __pipeline_wait_prior(0); __syncthreads(); if (i < n) o[i] = s[0][{r.choice(('threadIdx.x', f'{size - 1} - threadIdx.x'))}].x;"
    else:
        again = load % ("(k + 1) & 1", f"(k + 1) * {size} + threadIdx.x")
        body = (f"float v = 0; {load % ('0', 'threadIdx.x')} for (int k = 0; k < m; k++) {{ if (k + 1 < m) {{ {again} __pipeline_wait_prior(1); }} else "
                f"__pipeline_wait_prior(0); __syncthreads(); v += s[k & 1][(threadIdx.x + {r.randint(0, 9)}) & {size - 1}].x; __syncthreads(); }} if (i < n) o[i] = v;")  # fmt: skip
    if type == "float":
        body = body.replace("].x", "]")
    return _global(
        name, f"const {type} *a, float *o, int m, int n", f"__shared__ {type} s[2][{size}]; {_index(r)} {body}"
    )


@family
def brain_floats(r: Random, name: str) -> str:
    value = r.choice(("__hadd(x, y)", "__hmul(x, y)", "__hfma(x, y, z)", "__hsub(x, y)", "__hgt(x, y) ? x : z", "__float2bfloat16(__bfloat162float(x) * 2.0f + __bfloat162float(y))",
                      "__hmax(x, y)", "__hmin(y, z)", "__habs(x)", "__hneg(y)", "__float2bfloat16_rn((float)i)"))  # fmt: skip
    draw = r.random()
    if draw < 0.4:
        return _global(name, "const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *o, int n",
                       _index(r) + _guarded(r, f"__nv_bfloat16 x = a[i], y = b[i], z = __hadd(x, y); o[i] = {value};"))  # fmt: skip
    if draw < 0.7:
        writer = Writer(r, {"x": "float", "y": "float"})
        return _global(name, "const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *o, int n",
                       _index(r) + _guarded(r, f"float x = __bfloat162float(a[i]), y = __bfloat162float(b[i]); o[i] = __float2bfloat16({writer.of('float', 3)});"))  # fmt: skip
    pairs = r.choice(
        (
            "__hadd2(x, y)",
            "__hmul2(x, y)",
            "__hfma2(x, y, x)",
            "__hsub2(y, x)",
            "__hmax2(x, y)",
            "__floats2bfloat162_rn(__low2float(x), __high2float(y))",
        )
    )
    return _global(name, "const __nv_bfloat162 *a, const __nv_bfloat162 *b, __nv_bfloat162 *o, int n",
                   _index(r) + _guarded(r, f"__nv_bfloat162 x = a[i], y = b[i]; o[i] = {pairs};"))  # fmt: skip


@family
def generic_pointers(r: Random, name: str) -> str:
    """Pointers of which the compiler does not know the memory."""
    type = r.choice(("int", "float", "unsigned", "double", "unsigned char", "short", "int4", "int2"))
    part = ".x" if type in ("int4", "int2") else ""
    access = r.choice((
        f"{type} x = *p; o[i] = x;", f"{type} x = *p; x{part} += 1; *p = x; __syncthreads(); o[i] = s[t & 63];",
        f"volatile {type} *v = p; o[i] = *v;" if not part else f"o[i] = p[0]; p[0]{part} = 3;", "if (isShared) o[i] = *p; else o[i] = p[1];",
        f"atomicAdd({'(int *)' if type not in ('int', 'float', 'unsigned', 'double') else ''}p, 1); __syncthreads(); o[i] = s[t & 63];",
    ))  # fmt: skip
    access = access.replace("isShared", r.choice(("__isShared(p)", "__isGlobal(p)", "__isLocal(p)")))
    choose = r.choice(("f[i] > 0 ? s + (t & 63) : g + i", "m & (1 << (t & 7)) ? (s + (t & 63)) : (g + i)"))
    return _global(name, f"{type} *g, const int *f, {type} *o, int m, int n",
                   f"__shared__ __align__(16) {type} s[64]; int t = threadIdx.x; {_index(r)} if (t < 64) s[t] = g[t]; __syncthreads(); if (i < n) {{ {type} *p = {choose}; {access} }}")  # fmt: skip


@family
def machines(r: Random, name: str) -> str:
    """Interpreters and state machines: switches with many cases, which become tables of jumps."""
    type = r.choice(("int", "unsigned", "float"))
    count = r.randint(5, 10)
    writer = Writer(r, {"x": type, "y": type, "k": "int"})
    cases = " ".join(
        f"case {c}: {r.choice('xy')} = {writer.of(type, r.randint(1, 3))}; {r.choice(('break;', 'break;', 'break;', f'o[i + {c}] = x; break;'))}"
        for c in range(count)
    )
    return _global(name, f"const unsigned char *c, const {type} *a, {type} *o, int m, int n",
                   f"{_index(r)} if (i >= n) return; {type} x = a[i], y = 1; for (int k = 0; k < m; k++) {{ switch (c[{r.choice(('k', '(i + k) % n'))}]) {{ {cases} default: {r.choice(('return;', 'break;', 'y = x;'))} }} }} o[i] = x + y;")  # fmt: skip


@family
def reports(r: Random, name: str) -> str:
    """What the runtime does for the device: output, memory, failed assertions; and traps."""
    body = r.choice((
        'if (a[i] < 0) printf("%d %d\\n", i, a[i]); o[i] = a[i] + 1;', "assert(a[i] != 12345678); o[i] = a[i] * 3;",
        "if (a[i] == 87654321) __trap(); o[i] = a[i] ^ i;", "int *p = (int *)malloc(8); if (p) { p[0] = a[i]; o[i] = p[0]; free(p); }",
        f'float f = (float)a[i]; if (f > {r.randint(10, 10**6)}.0f) printf("%f\\n", f * 2.0f); o[i] = (int)f;',
    ))  # fmt: skip
    return _global(name, "const int *a, int *o, int n", _index(r) + _guarded(r, body))


@family
def matrix_units(r: Random, name: str) -> str:
    """Products of the matrix units, by fragments and by hand."""
    if r.random() < 0.6:
        sums = r.choice(("float", "float", "__half"))
        element = r.choice(("__half", "__nv_bfloat16")) if sums == "float" else "__half"
        layout = [r.choice(("row_major", "col_major")) for _ in range(2)]
        scale = r.choice(("", f"for (int e = 0; e < c.num_elements; e++) c.x[e] = c.x[e] * ({sums})alpha;"))
        shape = r.choice(("16, 16, 16", "32, 8, 16", "8, 32, 16"))
        return _global(name, f"const {element} *a, const {element} *b, {sums} *o, int m, float alpha",
                       f"using namespace nvcuda; wmma::fragment<wmma::matrix_a, {shape}, {element}, wmma::{layout[0]}> x; wmma::fragment<wmma::matrix_b, {shape}, {element}, wmma::{layout[1]}> y; "
                       f"wmma::fragment<wmma::accumulator, {shape}, {sums}> c; wmma::fill_fragment(c, ({sums})0.0f); for (int k = 0; k < m; k += 16) {{ wmma::load_matrix_sync(x, a + k, m); "
                       f"wmma::load_matrix_sync(y, b + k, m); wmma::mma_sync(c, x, y, c); }} {scale} wmma::store_matrix_sync(o + blockIdx.x * 256, c, 16, wmma::mem_row_major);")  # fmt: skip
    kind = r.choice(("f16", "bf16"))
    return _global(name, "const unsigned *a, const unsigned *b, float *o, int m",
                   "int t = threadIdx.x; float c0 = 0, c1 = 0, c2 = 0, c3 = 0; for (int k = 0; k < m; k++) { unsigned a0 = a[k * 128 + t], a1 = a[k * 128 + t + 32], a2 = a[k * 128 + t + 64], a3 = a[k * 128 + t + 96], b0 = b[k * 64 + t], b1 = b[k * 64 + t + 32]; "
                   f'asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.{kind}.{kind}.f32 {{%0,%1,%2,%3}}, {{%4,%5,%6,%7}}, {{%8,%9}}, {{%0,%1,%2,%3}};" '
                   ': "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1)); } '
                   "o[t] = c0; o[t + 32] = c1; o[t + 64] = c2; o[t + 96] = c3;")  # fmt: skip


@family
def parts_of_blocks(r: Random, name: str) -> str:
    """Barriers of some warps, aggregated atomics, spin locks, sums by groups of lanes."""
    value = Writer(r, {"x": "int", "i": "int"}).of("int", 2)
    body = r.choice((
        f"__shared__ int s[64]; int t = threadIdx.x; if (t < 64) {{ s[t] = x; asm volatile(\"bar.sync {r.randint(1, 7)}, 64;\" ::: \"memory\"); x = s[63 - t]; }} o[i] = {value};",
        f"__shared__ int s[32]; int t = threadIdx.x; if (t < 32) {{ s[t] = x; asm volatile(\"bar.arrive {r.randint(1, 7)}, 64;\" ::: \"memory\"); }} else if (t < 64) {{ asm volatile(\"bar.sync 1, 64;\" ::: \"memory\"); x = s[t - 32]; }} o[i] = x;",
        "auto g = cooperative_groups::coalesced_threads(); if (x > 0) { auto h = cooperative_groups::coalesced_threads(); if (h.thread_rank() == 0) x += atomicAdd(o, (int)h.size()); } o[i + 1] = x + (int)g.size();",
        f"auto g = cooperative_groups::tiled_partition<{r.choice((4, 8, 16, 32))}>(cooperative_groups::this_thread_block()); for (int d = g.size() / 2; d > 0; d /= 2) x += g.shfl_down(x, d); if (g.thread_rank() == 0) atomicAdd(o, x);",
        "__shared__ int c; if (threadIdx.x == 0) c = 0; __syncthreads(); if (x > 3) { int p = atomicAdd(&c, 1); o[p] = x; } __syncthreads(); if (threadIdx.x == 0) o[n] = c;",
        f"while (atomicCAS(o, 0, 1) != 0) ; o[1] = o[1] + x; __threadfence(); atomicExch(o, 0); o[2 + i] = {value};",
        f"unsigned m = __match_any_sync(__activemask(), x & {r.choice((3, 15))}); if ((int)(threadIdx.x & 31) == __ffs(m) - 1) atomicAdd(&o[x & 15], __popc(m));",
    ))  # fmt: skip
    return _global(name, "const int *a, int *o, int n", f"{_index(r)} if (i < n) {{ int x = a[i]; {body} }}")


@family
def nested_branches(r: Random, name: str) -> str:
    """Loops in loops and branches in branches, which lanes leave at different times."""
    type = r.choice(("int", "float", "unsigned", "long long"))
    writer = Writer(r, {"x": type, "y": type, "j": "int", "k": "int"})

    def nest(depth: int) -> str:
        if not depth:
            return f"{r.choice('xy')} = {writer.of(type, r.randint(1, 2))};"
        inner = nest(depth - 1)
        draw = r.random()
        if draw < 0.4:
            return f"if ({writer.condition()}) {{ {inner} }} else {{ {nest(depth - 1)} }}"
        if draw < 0.7:
            return f"for (int k{depth} = 0; k{depth} < (j & {r.choice((3, 7))}); k{depth}++) {{ {inner} if ({writer.condition()}) {r.choice(('break', 'continue'))}; {nest(0)} }}"
        return f"{inner} {nest(depth - 1)}"

    return _global(name, f"const {type} *a, {type} *o, const int *b, int k, int n",
                   f"{_index(r)} if (i < n) {{ {type} x = a[i], y = (({type})k); int j = b[i]; {nest(r.randint(2, 4))} o[i] = x; if ({writer.condition()}) o[i + n] = y; }}")  # fmt: skip


TRAINING = tuple(name for name in FAMILIES if name not in HELD_OUT)

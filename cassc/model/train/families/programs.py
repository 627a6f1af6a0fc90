"""Small programs of many fields, as people write them."""

from __future__ import annotations

from random import Random

from cassc.model.train.families.parts import entry, family, guarded, index
from cassc.model.train.writer import Writer, constant


@family
def image(r: Random, name: str) -> str:
    channels = r.choice((1, 3, 4))
    weights = [r.randint(10, 170) for _ in range(3)]
    values = {"p": "int", "q": "int", "t": "int"}
    value = Writer(r, values).of("int", r.randint(1, 2))
    body = (f"int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x < w && y < h) {{ "
            f"int j = (y * w + x) * {channels}; int p = a[j], q = ({weights[0]} * a[j] + {weights[1]} * a[j + {channels // 2}]) >> {r.randint(1, 8)}; "
            f"o[y * w + x] = (unsigned char){r.choice((f'({value})', f'min(max({value}, 0), 255)', 'q'))}; }}")  # fmt: skip
    return entry(name, "const unsigned char *a, unsigned char *o, int w, int h, int t", body)


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
    return entry(name, f"const {type} *a, {type} *o, int w, int h", body)


@family
def particles(r: Random, name: str) -> str:
    type = r.choice(("float", "double", "float"))
    f = "f" if type == "float" else ""
    weight = r.choice((f"rsqrt{f}(d)", f"1.0{f} / d", f"rsqrt{f}(d) * rsqrt{f}(d)", f"sqrt{f}(d)"))
    body = (f"{index(r)} if (i < n) {{ {type} x = px[i], y = py[i], fx = 0, fy = 0; for (int j = 0; j < n; j++) {{ "
            f"{type} dx = px[j] - x, dy = py[j] - y; {type} d = dx * dx + dy * dy + {constant(r, type).lstrip('-')}; {type} w = {weight}; "
            f"fx += dx * w; fy += dy * w; }} ax[i] = fx; ay[i] = fy; }}")  # fmt: skip
    return entry(name, f"const {type} *px, const {type} *py, {type} *ax, {type} *ay, int n", body)


@family
def vectors(r: Random, name: str) -> str:
    """Two or four components at once."""
    type, part = r.choice((("float4", "float"), ("int4", "int"), ("float2", "float"), ("int2", "int"), ("uint4", "unsigned"),
                           ("double2", "double"), ("uchar4", "unsigned char"), ("short2", "short"), ("ulonglong2", "unsigned long long")))  # fmt: skip
    names = "xyzw"[: int(type[-1])]
    writer = Writer(r, {f"v.{c}": part for c in names} | {"s": part})
    results = " ".join(f"u.{c} = {writer.of(part, r.randint(1, 2))};" for c in names)
    return entry(name, f"const {type} *a, {type} *o, {part} s, int n",
                   f"{index(r)} {guarded(r, f'{type} v = a[i], u; {results} o[i] = u;')}")  # fmt: skip


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
    return entry(name, "unsigned *o, unsigned seed, int n", index(r) + guarded(r, body))


@family
def text(r: Random, name: str) -> str:
    body = r.choice((
        "char c = a[i]; if (c >= 'a' && c <= 'z') c -= 32; o[i] = c;",
        f"int c = a[i]; if (c >= 'a' && c <= 'z') c = 'a' + (c - 'a' + {r.randint(1, 25)}) % 26; o[i] = (char)c;",
        f"o[i] = a[i] == {r.randint(32, 120)} ? '_' : a[i];", f"o[i] = (char)((a[i] ^ {r.randint(1, 255)}) + i);",
        f"unsigned h = {r.randint(1, 5381)}u; for (int j = 0; j < (i & 7); j++) h = h * {r.choice((31, 33, 65599))}u ^ (unsigned char)a[j]; o[i] = (char)h;",
        f"int w = 0; for (int j = i; j < n && j < i + {r.randint(2, 9)}; j++) if (a[j] == ' ') w++; o[i] = (char)('0' + w);",
    ))  # fmt: skip
    return entry(name, "const char *a, char *o, int n", index(r) + guarded(r, body))


@family
def string_search(r: Random, name: str) -> str:
    found = r.choice(("o[i] = ok;", "if (ok) atomicAdd(o, 1);", "if (ok) atomicMin(o, i);"))
    return entry(name, "const char *t, const char *p, int *o, int n, int m",
                   f"{index(r)} if (i <= n - m) {{ int ok = 1; for (int j = 0; j < m; j++) if (t[i + j] != p[j]) {{ ok = 0; break; }} {found} }}")  # fmt: skip


@family
def sorting_network(r: Random, name: str) -> str:
    type = r.choice(("int", "float", "unsigned", "double"))
    return entry(name, f"{type} *a, int j, int k, int n",
                   f"{index(r)} int l = i ^ j; if (l > i && l < n) {{ {type} x = a[i], y = a[l]; bool up = (i & k) == 0; "
                   f"if (up ? x > y : x < y) {{ a[i] = y; a[l] = x; }} }}")  # fmt: skip


@family
def transposition(r: Random, name: str) -> str:
    b = r.choice((16, 32))
    type = r.choice(("float", "int", "double", "short", "unsigned char"))
    value = r.choice(("t[threadIdx.x][threadIdx.y]", f"({type})(t[threadIdx.x][threadIdx.y] * 3)"))
    body = (f"__shared__ {type} t[{b}][{b} + {r.choice((0, 1))}]; int x = blockIdx.x * {b} + threadIdx.x, y = blockIdx.y * {b} + threadIdx.y; "
            f"if (x < w && y < h) t[threadIdx.y][threadIdx.x] = a[y * w + x]; __syncthreads(); x = blockIdx.y * {b} + threadIdx.x; "
            f"y = blockIdx.x * {b} + threadIdx.y; if (x < h && y < w) o[y * h + x] = {value};")  # fmt: skip
    return entry(name, f"const {type} *a, {type} *o, int w, int h", body)


@family
def sparse_rows(r: Random, name: str) -> str:
    type = r.choice(("float", "double", "int"))
    step = r.choice(("s += v[j] * x[c[j]];", "if (c[j] != i) s += v[j] * x[c[j]];", "s = max(s, v[j] * x[c[j]]);"))
    return entry(name, f"const int *p, const int *c, const {type} *v, const {type} *x, {type} *y, int n",
                   f"{index(r)} if (i < n) {{ {type} s = 0; for (int j = p[i]; j < p[i + 1]; j++) {{ {step} }} y[i] = s; }}")  # fmt: skip


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
    return entry(name, "const float *a, const float *b, float *o, int n, int c", index(r) + guarded(r, body))


@family
def graph_step(r: Random, name: str) -> str:
    inner = r.choice(("if (d[q] < 0) { d[q] = v + 1; *f = 1; }", "if (d[q] > v + 1) { d[q] = v + 1; *f = 1; }",
                      "atomicMin(&d[q], v + w[j]); ", "if (atomicCAS(&d[q], -1, v + 1) == -1) f[atomicAdd(f, 1)] = q;"))  # fmt: skip
    return entry(name, "const int *p, const int *c, const int *w, int *d, int *f, int v, int n",
                   f"{index(r)} if (i < n && d[i] == v) {{ for (int j = p[i]; j < p[i + 1]; j++) {{ int q = c[j]; {inner} }} }}")  # fmt: skip


@family
def escape_time(r: Random, name: str) -> str:
    type = r.choice(("float", "double", "float"))
    body = (f"int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x < w && y < h) {{ "
            f"{type} a = x * s - {constant(r, type)}, b = y * s - {constant(r, type)}, u = 0, v = 0; int k = 0; "
            f"while (k < {r.randint(8, 200)} && u * u + v * v < 4) {{ {type} t = u * u - v * v + a; v = 2 * u * v + b; u = t; k++; }} o[y * w + x] = k; }}")  # fmt: skip
    return entry(name, f"int *o, int w, int h, {type} s", body)


@family
def lookup(r: Random, name: str) -> str:
    type = r.choice(("int", "float", "double", "long long"))
    body = r.choice((
        f"{type} k = q[i]; int lo = 0, hi = n; while (lo < hi) {{ int m = (lo + hi) >> 1; if (a[m] {r.choice(('<', '<='))} k) lo = m + 1; else hi = m; }} o[i] = lo;",
        f"int j = x[i]; if (j >= 0 && j < n) q[j] {r.choice(('=', '+=', '-='))} a[i];", f"o[i] = (int)a[x[i] & {r.choice((15, 63, 255))}];",
        f"__constant__ static const int table[8] = {{{', '.join(str(r.randint(-9, 99)) for _ in range(8))}}}; o[i] = table[x[i] & 7] + (int)a[i];".replace("__constant__ static const", "const"),
    ))  # fmt: skip
    return entry(name, f"const {type} *a, {type} *q, const int *x, int *o, int n", index(r) + guarded(r, body))


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
    return entry(name, "const int *a, const int *b, int *o, int n", index(r) + guarded(r, body))


@family
def dynamic_shared(r: Random, name: str) -> str:
    type = r.choice(("float", "int", "double", "unsigned char"))
    mix = Writer(r, {"x": type, "y": type}).of(type, 2)
    body = (f"extern __shared__ __align__(16) unsigned char raw[]; {type} *s = ({type} *)raw; int t = threadIdx.x; {index(r)} "
            f"s[t] = i < n ? a[i] : ({type})0; {r.choice(('__syncthreads();', '__syncthreads(); __threadfence_block();'))} "
            f"{type} x = s[t], y = s[{r.choice(('t ^ 1', 'blockDim.x - 1 - t', '(t + 1) % blockDim.x'))}]; if (i < n) o[i] = {mix};")  # fmt: skip
    return entry(name, f"const {type} *a, {type} *o, int n", body)


@family
def halves(r: Random, name: str) -> str:
    value = r.choice(("__hadd(x, y)", "__hmul(x, y)", "__hfma(x, y, z)", "__hsub(x, y)", "__hgt(x, y) ? x : z", "__float2half(__half2float(x) * 2.0f + __half2float(y))",
                      "__hmax(x, y)", "__hmin(y, z)", "__habs(x)", "__hneg(y)", "__int2half_rn(i)"))  # fmt: skip
    if r.random() < 0.5:
        return entry(name, "const __half *a, const __half *b, __half *o, int n",
                       index(r) + guarded(r, f"__half x = a[i], y = b[i], z = __hadd(x, y); o[i] = {value};"))  # fmt: skip
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
    return entry(name, "const __half2 *a, const __half2 *b, __half2 *o, int n",
                   index(r) + guarded(r, f"__half2 x = a[i], y = b[i]; o[i] = {pairs};"))  # fmt: skip


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
    return f"struct {tag} {{ {members} }};\n" + entry(
        name, f"{tag} *a, {tag} c, int n", index(r) + guarded(r, f"{tag} v = a[i]; {changes} a[i] = v;")
    )


@family
def local_arrays(r: Random, name: str) -> str:
    type = r.choice(("int", "float", "double", "unsigned char"))
    size = r.choice((4, 8, 16))
    value = Writer(r, {"s": type, "i": "int"}).of(type, 1)
    body = (f"{type} v[{size}]; for (int k = 0; k < {size}; k++) v[k] = a[(i + k) % n]; {type} s = 0; for (int k = 0; k < m; k++) {{ "
            f"s += v[(k * {r.randint(1, 7)} + i) & {size - 1}]; v[k & {size - 1}] = {value}; }} o[i] = s;")  # fmt: skip
    return entry(name, f"const {type} *a, {type} *o, int m, int n", index(r) + guarded(r, body))


@family
def calls(r: Random, name: str) -> str:
    """A function that is not inlined, and volatile memory."""
    type = r.choice(("int", "float", "unsigned"))
    first = Writer(r, {"x": type, "y": type}).of(type, 3)
    helper = f"__device__ __noinline__ {type} f_{name}({type} x, {type} y) {{ return {first}; }}\n"
    body = r.choice((f"{type} x = a[i]; o[i] = f_{name}(x, f_{name}(o[i], x));", f"{type} s = 0; for (int k = 0; k < (i & 3); k++) s = f_{name}(s, a[k]); o[i] = s;",
                     f"volatile {type} *p = o; {type} x = p[i]; p[i] = f_{name}(x, a[i]); __threadfence();"))  # fmt: skip
    return helper + entry(name, f"const {type} *a, {type} *o, int n", index(r) + guarded(r, body))


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
    return entry(
        name,
        "const float *S, const float *X, const float *T, float *o, float q, float v, int n",
        index(r) + guarded(r, body),
    )


@family
def recurrences(r: Random, name: str) -> str:
    """Dynamic programming over a row, exponential smoothing, integrators."""
    type = r.choice(("int", "float", "double"))
    step = r.choice((f"s = s * {constant(r, type)} + a[k * n + i];", f"s = max(s, a[k * n + i] + {constant(r, type)});",
                     f"{type} u = a[k * n + i]; if (u > s) s = u; else s = s - {constant(r, type)}; o[k * n + i] = s;",
                     f"{type} u = a[k * n + i]; s = {Writer(r, {'s': type, 'u': type, 'k': 'int'}).of(type, 2)};"))  # fmt: skip
    unroll = r.choice(("", "\n#pragma unroll 1\n  ", "\n#pragma unroll 2\n  "))
    return entry(name, f"const {type} *a, {type} *o, int m, int n",
                   f"{index(r)} if (i >= n) return; {type} s = {constant(r, type)}; {unroll}for (int k = 0; k < m; k++) {{ {step} }} o[i] = s;")  # fmt: skip

"""Threads that work together: shared memory, warps, atomics."""

from __future__ import annotations

from random import Random

from cassc.model.train.families.parts import entry, family, guarded, index
from cassc.model.train.writer import Writer, constant


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
    return entry(name, f"const {type} *a, {type} *o, int n",
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
    return entry(name, f"const {type} *a, {type} *o, int n",
                   f"{index(r)} {type} x = i < n ? a[i] : ({type})0; {type} v = {value}; {step} {end}")  # fmt: skip


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
    return entry(name, "const int *a, int *o, int n", f"{index(r)} int x = a[i]; {vote}")


@family
def prefix_sum(r: Random, name: str) -> str:
    type = r.choice(("int", "float", "unsigned"))
    size = r.choice((64, 128, 256))
    body = (f"__shared__ {type} s[{size}]; int t = threadIdx.x, i = blockIdx.x * {size} + t; s[t] = i < n ? a[i] : ({type})0; "
            f"__syncthreads(); for (int d = 1; d < {size}; d <<= 1) {{ {type} v = 0; if (t >= d) v = s[t - d]; __syncthreads(); "
            f"s[t] += v; __syncthreads(); }} if (i < n) o[i] = s[t]{r.choice(('', ' - a[i]', ' * 2'))};")  # fmt: skip
    return entry(name, f"const {type} *a, {type} *o, int n", body)


@family
def matrix_vector(r: Random, name: str) -> str:
    type = r.choice(("float", "int", "double", "unsigned"))
    step = r.choice(("s += a[i * m + k] * x[k];", "s = max(s, a[i * m + k] + x[k]);", "s += a[k * n + i] * x[k];",
                     f"if (x[k] > {constant(r, type)}) s += a[i * m + k];"))  # fmt: skip
    unroll = r.choice(("", "\n#pragma unroll 1\n  ", "\n#pragma unroll 4\n  "))
    return entry(name, f"const {type} *a, const {type} *x, {type} *y, int n, int m",
                   f"{index(r)} if (i < n) {{ {type} s = 0; {unroll}for (int k = 0; k < m; k++) {{ {step} }} y[i] = s; }}")  # fmt: skip


@family
def tiled_product(r: Random, name: str) -> str:
    b = r.choice((8, 16, 32))
    type = r.choice(("float", "int"))
    unroll = r.choice(("", "\n#pragma unroll 1\n  "))
    body = (f"__shared__ {type} p[{b}][{b}], q[{b}][{b + r.choice((0, 1))}]; int x = threadIdx.x, y = threadIdx.y, c = blockIdx.x * {b} + x, "
            f"d = blockIdx.y * {b} + y; {type} s = 0; for (int t = 0; t < m; t += {b}) {{ p[y][x] = a[d * m + t + x]; "
            f"q[y][x] = b[(t + y) * m + c]; __syncthreads(); {unroll}for (int k = 0; k < {b}; k++) s += p[y][k] * q[k][x]; "
            f"__syncthreads(); }} o[d * m + c] = s{r.choice(('', ' * 2', ' + 1'))};")  # fmt: skip
    return entry(name, f"const {type} *a, const {type} *b, {type} *o, int m", body)


@family
def histogram(r: Random, name: str) -> str:
    bins = r.choice((16, 32, 64, 256))
    type = r.choice(("unsigned char", "int", "unsigned"))
    place = r.choice((f"a[i] & {bins - 1}", f"((unsigned)a[i]) % {bins}u", f"(a[i] >> 2) & {bins - 1}"))
    if r.random() < 0.5:
        return entry(name, f"const {type} *a, int *h, int n", f"{index(r)} {guarded(r, f'atomicAdd(&h[{place}], 1);')}")
    body = (f"__shared__ int s[{bins}]; int t = threadIdx.x; for (int j = t; j < {bins}; j += blockDim.x) s[j] = 0; __syncthreads(); "
            f"int i = blockIdx.x * blockDim.x + t; if (i < n) atomicAdd(&s[{place}], 1); __syncthreads(); "
            f"for (int j = t; j < {bins}; j += blockDim.x) atomicAdd(&h[j], s[j]);")  # fmt: skip
    return entry(name, f"const {type} *a, int *h, int n", body)


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
    return entry(name, f"const {type} *a, {type} *o, {type} *p, int n",
                   f"{shared} {index(r)} if (i < n) {{ {type} x = a[i]; {call} }}")  # fmt: skip

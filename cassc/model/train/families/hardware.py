"""What the hardware has besides arithmetic on words in global memory."""

from __future__ import annotations

from random import Random

from cassc.model.train.families.parts import entry, family, guarded, index
from cassc.model.train.writer import Writer


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
    return f"__constant__ {type} T_{name}[{size}] = {{{values}}};\n" + entry(
        name, "const int *x, int *o, int m, int n",
        f"{index(r)} if (i >= n) return; int s = 0, v = x[i]; for (int k = 0; k < m; k++) {{ {type} c = T_{name}[{place}]; s += (int)({value}); }} "
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
    return entry(name, f"const {type} *a, {type} *o, int w, int h, int d",
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
    return entry(name, f"const {type} *a, float *o, int m, int n", f"__shared__ {type} s[2][{size}]; {index(r)} {body}")


@family
def brain_floats(r: Random, name: str) -> str:
    value = r.choice(("__hadd(x, y)", "__hmul(x, y)", "__hfma(x, y, z)", "__hsub(x, y)", "__hgt(x, y) ? x : z", "__float2bfloat16(__bfloat162float(x) * 2.0f + __bfloat162float(y))",
                      "__hmax(x, y)", "__hmin(y, z)", "__habs(x)", "__hneg(y)", "__float2bfloat16_rn((float)i)"))  # fmt: skip
    draw = r.random()
    if draw < 0.4:
        return entry(name, "const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *o, int n",
                       index(r) + guarded(r, f"__nv_bfloat16 x = a[i], y = b[i], z = __hadd(x, y); o[i] = {value};"))  # fmt: skip
    if draw < 0.7:
        writer = Writer(r, {"x": "float", "y": "float"})
        return entry(name, "const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *o, int n",
                       index(r) + guarded(r, f"float x = __bfloat162float(a[i]), y = __bfloat162float(b[i]); o[i] = __float2bfloat16({writer.of('float', 3)});"))  # fmt: skip
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
    return entry(name, "const __nv_bfloat162 *a, const __nv_bfloat162 *b, __nv_bfloat162 *o, int n",
                   index(r) + guarded(r, f"__nv_bfloat162 x = a[i], y = b[i]; o[i] = {pairs};"))  # fmt: skip


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
    return entry(name, f"{type} *g, const int *f, {type} *o, int m, int n",
                   f"__shared__ __align__(16) {type} s[64]; int t = threadIdx.x; {index(r)} if (t < 64) s[t] = g[t]; __syncthreads(); if (i < n) {{ {type} *p = {choose}; {access} }}")  # fmt: skip


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
    if r.random() < 0.4:
        # Only choices that a whole block shares become tables of jumps.
        acts = [r.choice((f"atomicAdd(&o[{k}], (int){v}); ", f"atomicMax(&o[i & {k}], (int){v});", f"o[i + {k}] = (int){v};", f"o[i] = (int){v} % {k + 3};"))
                for k in range(count + 1) for v in [writer.of(type, r.randint(1, 2))]]  # fmt: skip
        listed = " ".join(f"case {k}: {act} break;" for k, act in enumerate(acts))
        return entry(name, f"const {type} *a, int *o, int k, int m, int n",
                     f"{index(r)} if (i >= n) return; int j = k; {type} x = a[i], y = 1; switch ({r.choice(('m', 'blockIdx.y', 'm'))}) {{ {listed} }} o[i + n] = (int)x;")  # fmt: skip
    return entry(name, f"const unsigned char *c, const {type} *a, {type} *o, int m, int n",
                   f"{index(r)} if (i >= n) return; {type} x = a[i], y = 1; for (int k = 0; k < m; k++) {{ switch (c[{r.choice(('k', '(i + k) % n'))}]) {{ {cases} default: {r.choice(('return;', 'break;', 'y = x;'))} }} }} o[i] = x + y;")  # fmt: skip


@family
def reports(r: Random, name: str) -> str:
    """What the runtime does for the device: output, memory, failed assertions; and traps."""
    body = r.choice((
        'if (a[i] < 0) printf("%d %d\\n", i, a[i]); o[i] = a[i] + 1;', "assert(a[i] != 12345678); o[i] = a[i] * 3;",
        "if (a[i] == 87654321) __trap(); o[i] = a[i] ^ i;", "int *p = (int *)malloc(8); if (p) { p[0] = a[i]; o[i] = p[0]; free(p); }",
        f'float f = (float)a[i]; if (f > {r.randint(10, 10**6)}.0f) printf("%f\\n", f * 2.0f); o[i] = (int)f;',
    ))  # fmt: skip
    return entry(name, "const int *a, int *o, int n", index(r) + guarded(r, body))


@family
def matrix_units(r: Random, name: str) -> str:
    """Products of the matrix units, by fragments and by hand."""
    if r.random() < 0.6:
        sums = r.choice(("float", "float", "__half"))
        element = r.choice(("__half", "__nv_bfloat16")) if sums == "float" else "__half"
        layout = [r.choice(("row_major", "col_major")) for _ in range(2)]
        scale = r.choice(("", f"for (int e = 0; e < c.num_elements; e++) c.x[e] = c.x[e] * ({sums})alpha;"))
        shape = r.choice(("16, 16, 16", "32, 8, 16", "8, 32, 16"))
        return entry(name, f"const {element} *a, const {element} *b, {sums} *o, int m, float alpha",
                       f"using namespace nvcuda; wmma::fragment<wmma::matrix_a, {shape}, {element}, wmma::{layout[0]}> x; wmma::fragment<wmma::matrix_b, {shape}, {element}, wmma::{layout[1]}> y; "
                       f"wmma::fragment<wmma::accumulator, {shape}, {sums}> c; wmma::fill_fragment(c, ({sums})0.0f); for (int k = 0; k < m; k += 16) {{ wmma::load_matrix_sync(x, a + k, m); "
                       f"wmma::load_matrix_sync(y, b + k, m); wmma::mma_sync(c, x, y, c); }} {scale} wmma::store_matrix_sync(o + blockIdx.x * 256, c, 16, wmma::mem_row_major);")  # fmt: skip
    kind = r.choice(("f16", "bf16"))
    return entry(name, "const unsigned *a, const unsigned *b, float *o, int m",
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
    return entry(name, "const int *a, int *o, int n", f"{index(r)} if (i < n) {{ int x = a[i]; {body} }}")


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

    return entry(name, f"const {type} *a, {type} *o, const int *b, int k, int n",
                   f"{index(r)} if (i < n) {{ {type} x = a[i], y = (({type})k); int j = b[i]; {nest(r.randint(2, 4))} o[i] = x; if ({writer.condition()}) o[i + n] = y; }}")  # fmt: skip

// Special values of float and double (NaN, infinities, signed zeros, denormals) through every basic operation in the four
// rounding directions, bit for bit. NaN counts as one value: IEEE 754 leaves its payload open.
#include <cfenv>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#define TRY(call)                                                                         \
    do {                                                                                  \
        cudaError_t err = (call);                                                         \
        if (err != cudaSuccess) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err));          \
            exit(2);                                                                      \
        }                                                                                 \
    } while (0)

enum Op { ADD, SUB, MUL, DIV, FMA, SQRT = 20, RCP, MIN, MAX, COMPARE, OPS };  // the first five: op * 4 + direction
static const char *const opName[] = {"add", "sub", "mul", "div", "fma"}, *const restName[] = {"sqrt", "rcp", "min", "max", "compare"};
constexpr int N = 21;

#define DIRECTIONS(P, S)                                                                                                  \
    case 0: return P##add_rn(a, b); case 1: return P##add_rz(a, b); case 2: return P##add_ru(a, b); case 3: return P##add_rd(a, b); \
    case 4: return P##S##_rn(a, b); case 5: return P##S##_rz(a, b); case 6: return P##S##_ru(a, b); case 7: return P##S##_rd(a, b); \
    case 8: return P##mul_rn(a, b); case 9: return P##mul_rz(a, b); case 10: return P##mul_ru(a, b); case 11: return P##mul_rd(a, b); \
    case 12: return a / b; case 13: return P##div_rz(a, b); case 14: return P##div_ru(a, b); case 15: return P##div_rd(a, b);

__device__ float apply(int op, float a, float b, float c, int dir) {
    switch (op) {
        DIRECTIONS(__f, sub)
        case 16: return fmaf(a, b, c); case 17: return __fmaf_rz(a, b, c); case 18: return __fmaf_ru(a, b, c); case 19: return __fmaf_rd(a, b, c);
        case SQRT: return dir == 0 ? sqrtf(a) : dir == 1 ? __fsqrt_rz(a) : dir == 2 ? __fsqrt_ru(a) : __fsqrt_rd(a);
        case RCP: return dir == 0 ? __frcp_rn(a) : dir == 1 ? __frcp_rz(a) : dir == 2 ? __frcp_ru(a) : __frcp_rd(a);
        case MIN: return fminf(a, b);
        case MAX: return fmaxf(a, b);
        default: return (float)((a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | !(a > b) << 4 | isnan(a) << 5 | isinf(b) << 6 | signbit(a) << 7);
    }
}
__device__ double apply(int op, double a, double b, double c, int dir) {
    switch (op) {
        DIRECTIONS(__d, sub)
        case 16: return fma(a, b, c); case 17: return __fma_rz(a, b, c); case 18: return __fma_ru(a, b, c); case 19: return __fma_rd(a, b, c);
        case SQRT: return dir == 0 ? sqrt(a) : dir == 1 ? __dsqrt_rz(a) : dir == 2 ? __dsqrt_ru(a) : __dsqrt_rd(a);
        case RCP: return dir == 0 ? __drcp_rn(a) : dir == 1 ? __drcp_rz(a) : dir == 2 ? __drcp_ru(a) : __drcp_rd(a);
        case MIN: return fmin(a, b);
        case MAX: return fmax(a, b);
        default: return (double)((a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | !(a > b) << 4 | isnan(a) << 5 | isinf(b) << 6 | signbit(a) << 7);
    }
}

// One block per first operand, one thread per second; third operand and direction follow from both.
template <typename T>
__global__ void table(const T *v, T *out) {
    int i = blockIdx.x, j = threadIdx.x;
    T a = v[i], b = v[j], c = v[(i * 5 + j * 3) % N];
    for (int op = 0; op < OPS; ++op) out[(op * N + i) * N + j] = apply(op, a, b, c, (i + j) & 3);
}

template <typename T>
T reference(int op, volatile T a, volatile T b, volatile T c, int dir) {
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
    T x = a, y = b;
    if (op == MIN || op == MAX) {
        if (std::isnan(x) || std::isnan(y)) return std::isnan(x) ? y : x;
        bool less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
        return less == (op == MIN) ? x : y;
    }
    if (op == COMPARE) return (T)((x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | !(x > y) << 4 | (std::isnan(x) ? 32 : 0) | (std::isinf(y) ? 64 : 0) | (std::signbit(x) ? 128 : 0));
    std::fesetround(modes[op < SQRT ? op & 3 : dir]);
    volatile T r, one = 1;
    switch (op < SQRT ? op >> 2 : op) {
        case ADD: r = a + b; break;
        case SUB: r = a - b; break;
        case MUL: r = a * b; break;
        case DIV: r = a / b; break;
        case FMA: r = std::fma((T)a, (T)b, (T)c); break;
        case SQRT: r = std::sqrt((T)a); break;
        default: r = one / a; break;
    }
    std::fesetround(FE_TONEAREST);
    return r;
}

template <typename T, typename Bits>
int check(const char *type) {
    using L = std::numeric_limits<T>;
    const T d = L::denorm_min(), m = L::min(), e = L::epsilon();
    const T v[N] = {0, -(T)0, 1, -1, (T)1.5, d, -d, m - d, d - m, m, -3 * m, L::max(), -L::max(), L::infinity(), -L::infinity(), L::quiet_NaN(),
        1 + e, -(1 - e / 2), (T)1 / 3, (T)1.2345678901234567e10, (T)-7e-20};
    static T got[OPS * N * N];
    T *dv, *dout;
    TRY(cudaMalloc(&dv, sizeof v));
    TRY(cudaMalloc(&dout, sizeof got));
    TRY(cudaMemcpy(dv, v, sizeof v, cudaMemcpyHostToDevice));
    table<T><<<N, N>>>(dv, dout);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(got, dout, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int op = 0; op < OPS; ++op) {
        uint64_t h = 1469598103934665603ull;
        int bad = 0;
        for (int k = 0; k < N * N; ++k) {
            int i = k / N, j = k % N;
            T g = got[op * N * N + k], w = reference<T>(op, v[i], v[j], v[(i * 5 + j * 3) % N], (i + j) & 3);
            Bits gb, wb, nan = ~(Bits)0;
            memcpy(&gb, &g, sizeof g);
            memcpy(&wb, &w, sizeof w);
            if (std::isnan(g)) gb = nan;
            if (std::isnan(w)) wb = nan;
            h = (h ^ gb) * 1099511628211ull;
            h ^= h >> 29;
            if ((op == MIN || op == MAX) && g == 0 && w == 0 && v[i] == v[j]) wb = gb;  // which zero, IEEE 754 leaves open
            if (gb != wb && bad++ == 0) printf("differs: op %d, %a, %a: %a, not %a\n", op, (double)v[i], (double)v[j], (double)g, (double)w);
        }
        static const char *const direction[] = {"rn", "rz", "ru", "rd"};
        printf("%s %s %s %016llx\n", type, op < SQRT ? opName[op >> 2] : restName[op - SQRT], op < SQRT ? direction[op & 3] : "", (unsigned long long)h);
        wrong += bad;
    }
    TRY(cudaFree(dv));
    TRY(cudaFree(dout));
    return wrong;
}

int main() {
    int wrong = check<float, uint32_t>("float") + check<double, uint64_t>("double");
    printf("RESULT: %s\n", wrong ? "FAIL" : "PASS");
    return wrong != 0;
}

// A compiler and a stack machine, both on the device: recursive descent over an expression's text, then a switch that runs the
// code, operators called through a table of function pointers, and a recursive walk of the tree for comparison.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define TRY(call)                                                                         \
    do {                                                                                  \
        cudaError_t err = (call);                                                         \
        if (err != cudaSuccess) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err));          \
            exit(2);                                                                      \
        }                                                                                 \
    } while (0)

enum Code : unsigned char { PUSH, VARIABLE, BINARY, NEGATE, SELECT, REPEAT, HALT };
constexpr int MAXCODE = 160, SOURCES = 6, INPUTS = 40, MAXTEXT = 64;
typedef int (*Operator)(int, int);

#define OPERATOR(name, value) \
    __device__ __host__ __noinline__ int name(int a, int b) { return value; }
OPERATOR(plus, (int)((unsigned)a + (unsigned)b))
OPERATOR(minus, (int)((unsigned)a - (unsigned)b))
OPERATOR(times, (int)((unsigned)a * (unsigned)b))
OPERATOR(over, b == 0 ? 0 : b == -1 ? (int)(0u - (unsigned)a) : a / b)
OPERATOR(modulo, b == 0 || b == -1 ? 0 : a % b)
OPERATOR(smaller, a < b)
OPERATOR(ackermann, (a & 1) ? b + 1 : (b ^ a) >> 1)
__device__ const Operator deviceTable[7] = {plus, minus, times, over, modulo, smaller, ackermann};
static const Operator hostTable[7] = {plus, minus, times, over, modulo, smaller, ackermann};

__device__ __host__ int precedence(char c) { return c == '<' ? 1 : c == '+' || c == '-' ? 2 : c == '*' || c == '/' || c == '%' ? 3 : c == '@' ? 4 : 0; }
__device__ __host__ int operatorIndex(char c) {
    switch (c) {
        case '+': return 0;
        case '-': return 1;
        case '*': return 2;
        case '/': return 3;
        case '%': return 4;
        case '<': return 5;
        default: return 6;
    }
}

struct Compiler {
    const char *at;
    unsigned char *code;
    int size;
    __device__ void emit(int byte) { code[size++] = (unsigned char)byte; }
    __device__ __noinline__ void primary() {
        char c = *at;
        if (c == '(') {
            ++at;
            expression(1);
            if (*at == '?') {  // (condition ? yes : no), both sides evaluated
                ++at;
                expression(1);
                ++at;
                expression(1);
                emit(SELECT);
            }
            ++at;
        } else if (c == '-') {
            ++at;
            primary();
            emit(NEGATE);
        } else if (c >= 'a' && c <= 'd') {
            ++at;
            emit(VARIABLE);
            emit(c - 'a');
        } else {
            int value = 0;
            while (*at >= '0' && *at <= '9') value = value * 10 + *at++ - '0';
            emit(PUSH);
            emit(value & 255);
            emit(value >> 8);
        }
    }
    __device__ __noinline__ void expression(int least) {
        primary();
        while (precedence(*at) >= least) {
            char c = *at++;
            expression(precedence(c) + (c != '@'));  // '@' associates to the right
            emit(BINARY);
            emit(operatorIndex(c));
        }
    }
};

__device__ unsigned char program[SOURCES][MAXCODE];
__device__ int programSize[SOURCES];

__global__ void compile(const char *sources) {
    int s = threadIdx.x;
    Compiler c = {sources + s * MAXTEXT, program[s], 0};
    c.expression(1);
    c.emit(REPEAT);
    c.emit(3);
    c.emit(HALT);
    programSize[s] = c.size;
}

__host__ __device__ int variable(int input, int which) { return (int)((unsigned)(input * 4 + which + 1) * 0x9e3779b1u >> (input % 5 * 6)) - (which == 1 ? 700 : 3); }

__global__ void execute(int *out, int *steps) {
    int input = blockIdx.x * blockDim.x + threadIdx.x;
    if (input >= SOURCES * INPUTS) return;
    const unsigned char *code = program[input % SOURCES];
    int stack[24], sp = 0, pc = 0, n = 0, left = -1, v[4];
    for (int k = 0; k < 4; ++k) v[k] = variable(input / SOURCES, k);
    for (bool running = true; running; ++n) {
        switch (code[pc++]) {
            case PUSH: stack[sp++] = code[pc] | code[pc + 1] << 8; pc += 2; break;
            case VARIABLE: stack[sp++] = v[code[pc++]]; break;
            case BINARY: --sp; stack[sp - 1] = deviceTable[code[pc++]](stack[sp - 1], stack[sp]); break;
            case NEGATE: stack[sp - 1] = (int)(0u - (unsigned)stack[sp - 1]); break;
            case SELECT: sp -= 2; stack[sp - 1] = stack[sp - 1] ? stack[sp] : stack[sp + 1]; break;
            case REPEAT:  // run again with the result as the first variable
                if (left < 0) left = code[pc];
                ++pc;
                v[0] = stack[--sp];
                if (left-- > 0) pc = 0;
                break;
            default: running = false; break;
        }
    }
    out[input] = v[0];
    steps[input] = n;
}

// Reference: evaluate while parsing.
static int hostExpression(const char *&at, const int *v, int least);
static int hostPrimary(const char *&at, const int *v) {
    if (*at == '(') {
        ++at;
        int r = hostExpression(at, v, 1);
        if (*at == '?') {
            int yes = hostExpression(++at, v, 1), no = hostExpression(++at, v, 1);
            r = r ? yes : no;
        }
        ++at;
        return r;
    }
    if (*at == '-') return (int)(0u - (unsigned)hostPrimary(++at, v));
    if (*at >= 'a') return v[*at++ - 'a'];
    return (int)strtol(at, const_cast<char **>(&at), 10);
}
static int hostExpression(const char *&at, const int *v, int least) {
    int r = hostPrimary(at, v);
    while (precedence(*at) >= least) {
        char c = *at++;
        r = hostTable[operatorIndex(c)](r, hostExpression(at, v, precedence(c) + (c != '@')));
    }
    return r;
}

int main() {
    const char sources[SOURCES][MAXTEXT] = {"a+b*c-d", "((a<b?c*3:d-7))%1009+a/(d%13+2)", "-(a-(b-(c-(d-(1-(a<c))))))*31", "a@b@c@5+d@a",
        "(a%7<3?(b<c?a*d+1:b):(c<a?-b:-(-d)))", "1+2*3-4/5%6<7+a*(b+(c*(d+(a%11*(b%13+(c%17)))))) "};
    int got[SOURCES * INPUTS], steps[SOURCES * INPUTS], sizes[SOURCES], *dout, *dsteps, wrong = 0, total = 0;
    char *text;
    TRY(cudaMalloc(&text, sizeof sources));
    TRY(cudaMalloc(&dout, sizeof got));
    TRY(cudaMalloc(&dsteps, sizeof steps));
    TRY(cudaMemcpy(text, sources, sizeof sources, cudaMemcpyHostToDevice));
    compile<<<1, SOURCES>>>(text);
    execute<<<(SOURCES * INPUTS + 63) / 64, 64>>>(dout, dsteps);
    TRY(cudaMemcpy(got, dout, sizeof got, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(steps, dsteps, sizeof steps, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpyFromSymbol(sizes, programSize, sizeof sizes));
    unsigned hash[SOURCES] = {};
    for (int i = 0; i < SOURCES * INPUTS; ++i) {
        int v[4];
        for (int k = 0; k < 4; ++k) v[k] = variable(i / SOURCES, k);
        for (int round = 0; round < 4; ++round) {
            const char *at = sources[i % SOURCES];
            v[0] = hostExpression(at, v, 1);
        }
        wrong += v[0] != got[i];
        hash[i % SOURCES] = hash[i % SOURCES] * 33 + (unsigned)got[i];
        total += steps[i];
    }
    for (int s = 0; s < SOURCES; ++s) printf("%2d bytes %08x %d\n", sizes[s], hash[s], got[s + SOURCES * 9]);
    printf("steps %d\nRESULT: %s\n", total, wrong ? "FAIL" : "PASS");
    return wrong != 0;
}

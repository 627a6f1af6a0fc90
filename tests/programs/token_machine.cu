// A tokenizer as one large state switch, a UTF-8 validator with early returns inside loops, and a wildcard matcher with
// backtracking: one string per thread, so that the lanes of a warp part ways at every character.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define TRY(call)                                                                         \
    do {                                                                                  \
        cudaError_t err = (call);                                                         \
        if (err != cudaSuccess) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err));          \
            exit(2);                                                                      \
        }                                                                                 \
    } while (0)

#define HD __host__ __device__
enum State { START, WORD, ZERO, DECIMAL, HEX_FIRST, HEX, POINT, FRACTION, EXPONENT, EXPONENT_SIGN, EXPONENT_DIGITS, STRING, ESCAPE, SLASH, LINE, BLOCK, STAR, LESS, EQUAL, ERROR };
constexpr int KINDS = 10, WIDTH = 72;
struct Tokens {
    unsigned short count[KINDS];
    unsigned hash;
    int utf8, match;
};

HD bool digit(unsigned char c) { return c >= '0' && c <= '9'; }
HD bool letter(unsigned char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

HD void tokenize(const unsigned char *s, int n, Tokens *out) {
    State state = START;
    int begin = 0;
    auto finish = [&](int kind, int end) {
        ++out->count[kind];
        out->hash = (out->hash ^ (unsigned)(kind * 64 + end - begin)) * 16777619u;
        state = START;
    };
    for (int i = 0; i <= n;) {
        unsigned char c = i < n ? s[i] : '\n';
        switch (state) {
            case START:
                begin = i++;
                if (c == ' ' || c == '\n') continue;
                if (letter(c) || c == '_') state = WORD;
                else if (c == '0') state = ZERO;
                else if (digit(c)) state = DECIMAL;
                else switch (c) {
                    case '"': state = STRING; break;
                    case '/': state = SLASH; break;
                    case '<': state = LESS; break;
                    case '=': state = EQUAL; break;
                    case '.': state = POINT; break;
                    case '+': case '-': case '*': case '(': case ')': case ';': case ',': case '{': case '}': finish(0, i); break;
                    default: state = ERROR; break;
                }
                continue;
            case WORD: if (letter(c) || digit(c) || c == '_') ++i; else finish(1, i); continue;
            case ZERO: if (c == 'x') state = HEX_FIRST, ++i; else if (c == '.') state = FRACTION, ++i; else if (digit(c)) state = ERROR; else finish(2, i); continue;
            case DECIMAL: if (digit(c)) ++i; else if (c == '.') state = FRACTION, ++i; else if (c == 'e') state = EXPONENT, ++i; else finish(2, i); continue;
            case HEX_FIRST: case HEX: if (digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f')) state = HEX, ++i; else if (state == HEX_FIRST) state = ERROR; else finish(3, i); continue;
            case POINT: if (digit(c)) state = FRACTION; else finish(0, i); continue;
            case FRACTION: if (digit(c)) ++i; else if (c == 'e') state = EXPONENT, ++i; else finish(4, i); continue;
            case EXPONENT: if (c == '+' || c == '-') { state = EXPONENT_SIGN; ++i; continue; } [[fallthrough]];
            case EXPONENT_SIGN: if (!digit(c)) { state = ERROR; continue; } state = EXPONENT_DIGITS; [[fallthrough]];
            case EXPONENT_DIGITS: if (digit(c)) ++i; else finish(4, i); continue;
            case STRING: ++i; if (c == '\\') state = ESCAPE; else if (c == '"') finish(5, i); else if (c == '\n') finish(9, i); continue;
            case ESCAPE: ++i; state = STRING; continue;
            case SLASH: if (c == '/') state = LINE, ++i; else if (c == '*') state = BLOCK, ++i; else finish(0, i); continue;
            case LINE: if (c == '\n') finish(6, i); else ++i; continue;
            case BLOCK: ++i; if (c == '*') state = STAR; else if (i > n) finish(9, i); continue;
            case STAR: ++i; if (c == '/') finish(7, i); else if (c != '*') state = BLOCK; continue;
            case LESS: case EQUAL: if (c == '=' || (c == '<' && state == LESS)) { finish(8, ++i); continue; } finish(0, i); continue;
            case ERROR: if (c == ' ' || c == '\n' || c == ';') finish(9, i); else ++i; continue;
        }
    }
}

// Number of code points, or minus the offset of the first ill-formed byte less one.
HD int utf8(const unsigned char *s, int n) {
    int points = 0;
    for (int i = 0; i < n; ++points) {
        unsigned c = s[i], more, value, least;
        if (c < 0x80) {
            ++i;
            continue;
        }
        if (c < 0xc2 || c > 0xf4) return -i - 1;
        if (c < 0xe0) more = 1, value = c & 31, least = 0x80;
        else if (c < 0xf0) more = 2, value = c & 15, least = 0x800;
        else more = 3, value = c & 7, least = 0x10000;
        for (unsigned k = 1; k <= more; ++k) {
            if (i + (int)k >= n || (s[i + k] & 0xc0) != 0x80) return -i - 1;
            value = value << 6 | (s[i + k] & 63u);
        }
        if (value < least || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return -i - 1;
        i += more + 1;
    }
    return points;
}

HD bool wildcard(const char *p, const unsigned char *s, int n) {
    int i = 0, star = -1, from = 0, j = 0;
    while (i < n) {
        if (p[j] == '*') {
            star = j++;
            from = i;
        } else if (p[j] && (p[j] == '?' || (unsigned char)p[j] == s[i])) {
            ++i, ++j;
        } else if (star >= 0) {
            j = star + 1;
            i = ++from;
        } else {
            return false;
        }
    }
    while (p[j] == '*') ++j;
    return !p[j];
}

__constant__ char patterns[4][12] = {"*a*b*", "if*;", "*/?*", "*\"*\"?*x*"};

HD void process(const unsigned char *s, const char (*pattern)[12], Tokens *out) {
    int n = 0;
    while (n < WIDTH && s[n]) ++n;
    memset(out, 0, sizeof *out);
    out->hash = 2166136261u;
    tokenize(s, n, out);
    out->utf8 = utf8(s, n);
    for (int k = 0; k < 4; ++k) out->match |= (int)wildcard(pattern[k], s, n) << k;
}

__global__ void lines(const unsigned char *text, Tokens *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) process(text + i * WIDTH, patterns, out + i);
}

int main() {
    const std::vector<std::string> pieces = {"if (a <= 0x1F) b = 3.25e-7;", "// note\n x", "/* block ** */ y1", "\"a\\\"b\" + z", "1e+ 07 0x; 5.", "\xc3\xa9\xe2\x82\xac \xf0\x9f\x98\x80",
        "\xed\xa0\x80", "x<<=2;{}", "\"open", "/* open", ".5 . .e5", "\xc0\xaf", "while(i_9==0.0)", "$%&;ok", "\xf4\x90\x80\x80", "a\xe2\x28\xa1"};
    constexpr int LINES = 200;
    std::vector<unsigned char> text(LINES * WIDTH);
    char local[4][12] = {"*a*b*", "if*;", "*/?*", "*\"*\"?*x*"};
    for (int i = 0; i < LINES; ++i) {
        std::string line = pieces[i % 16];
        if (i >= 16) line += pieces[(i / 16 * 5 + i) % 16];
        if (i >= 100) line += pieces[(i * 7 + 3) % 16];
        memcpy(&text[i * WIDTH], line.data(), line.size() < (size_t)WIDTH ? line.size() : (size_t)WIDTH);
    }
    std::vector<Tokens> got(LINES);
    unsigned char *d;
    Tokens *dt;
    TRY(cudaMalloc(&d, text.size()));
    TRY(cudaMalloc(&dt, LINES * sizeof(Tokens)));
    TRY(cudaMemcpy(d, text.data(), text.size(), cudaMemcpyHostToDevice));
    lines<<<(LINES + 63) / 64, 64>>>(d, dt, LINES);
    TRY(cudaMemcpy(got.data(), dt, LINES * sizeof(Tokens), cudaMemcpyDeviceToHost));
    int wrong = 0, count[KINDS] = {}, matches = 0;
    unsigned h = 0;
    for (int i = 0; i < LINES; ++i) {
        Tokens want;
        process(&text[i * WIDTH], local, &want);
        wrong += memcmp(&want, &got[i], sizeof want) != 0;
        for (int k = 0; k < KINDS; ++k) count[k] += got[i].count[k];
        h = (h ^ got[i].hash) * 31u + (unsigned)got[i].utf8;
        matches += got[i].match;
        if (i < 16) printf("line %2d hash %08x utf8 %d match %x\n", i, got[i].hash, got[i].utf8, got[i].match);
    }
    printf("kinds");
    for (int c : count) printf(" %d", c);
    printf("\nhash %08x matches %d\nRESULT: %s\n", h, matches, wrong ? "FAIL" : "PASS");
    return wrong != 0;
}

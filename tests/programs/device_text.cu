// Text on the device: printf with each conversion and several widths, a formatter that writes numbers, hexadecimal, fixed
// point and Roman numerals into buffers, dates from day numbers, and assertions that hold.
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#define TRY(call)                                                                         \
    do {                                                                                  \
        cudaError_t err = (call);                                                         \
        if (err != cudaSuccess) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err));          \
            exit(2);                                                                      \
        }                                                                                 \
    } while (0)

constexpr int N = 100, LINE = 96;
__device__ const char *const weekday[7] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

struct Writer {
    char *at, *end;
    __device__ void put(char c) {
        assert(at < end);
        *at++ = c;
    }
    __device__ void text(const char *s) {
        while (*s) put(*s++);
    }
    __device__ void number(long long v, int width = 0, char fill = ' ') {
        char digits[20];
        int n = 0;
        unsigned long long u = v < 0 ? 0ull - (unsigned long long)v : (unsigned long long)v;
        do digits[n++] = (char)('0' + u % 10);
        while (u /= 10);
        for (int pad = width - n - (v < 0); pad > 0 && fill == ' '; --pad) put(' ');
        if (v < 0) put('-');
        for (int pad = width - n - (v < 0); pad > 0 && fill != ' '; --pad) put(fill);
        while (n) put(digits[--n]);
    }
    __device__ void hex(unsigned v) {
        for (int shift = 28; shift >= 0; shift -= 4) put("0123456789abcdef"[v >> shift & 15]);
    }
    __device__ void roman(int v) {
        const int value[13] = {1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1};
        const char symbol[13][3] = {"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"};
        for (int k = 0; k < 13; ++k)
            for (; v >= value[k]; v -= value[k]) text(symbol[k]);
    }
};

__host__ __device__ long long quantity(int i) { return (long long)((unsigned long long)(i + 1) * 0x9e3779b97f4a7c15ull) >> (i % 50); }

__global__ void format(char *lines) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    Writer w = {lines + i * LINE, lines + (i + 1) * LINE - 1};
    long long q = quantity(i);
    w.number(i, 3, '0');
    w.put('|');
    w.number(q, 21);
    w.put('|');
    w.hex((unsigned)q);
    w.put('|');
    w.number(q % 100000 / 100);
    w.put('.');
    w.number(q % 100 < 0 ? -(q % 100) : q % 100, 2, '0');
    w.put('|');
    w.roman(i * 41 % 3999 + 1);
    w.put('|');
    int z = 719468 + i * 9173 - 300000, era = z / 146097, doe = z - era * 146097;  // days since 1970 to the calendar
    int yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365, doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    int day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
    w.text(weekday[(z + 2) % 7]);
    w.put(' ');
    w.number(yoe + era * 400 + (month <= 2), 4, '0');
    w.put('-');
    w.number(month, 2, '0');
    w.put('-');
    w.number(day, 2, '0');
    w.put('\0');
}

__global__ void speak(const char *lines, double half, float third, int minus, long long big) {
    int i = threadIdx.x;
    assert(blockDim.x == 4 && half * 2 == 1);
    for (int turn = 0; turn < 4; ++turn) {  // one lane at a time keeps the order of the lines
        if (turn == i) {
            printf("lane %d says %s\n", i, lines + i * 13 * LINE);
            if (i == 1) {
                printf("%d %5d %-5d| %05d %+d %u %x %X %#x %o %c %%\n", minus, minus, minus, minus, -minus, (unsigned)minus, 48879, 48879, 255, 8, 'q');
                printf("%lld %llu %llx %hd %hhu %ld\n", big, (unsigned long long)big, big, (short)minus, (unsigned char)minus, (long)big);
            } else if (i == 2) {
                printf("%f %.3f %8.2f %-8.1f| %e %.2E %g %G %a\n", half, third, 1234.567, half, 12345.678, 0.00012, 1e-7, 1e20, half);
                printf("%s %10s %-10s| %.3s %p\n", "plain", "right", "left", "truncated", (void *)0x1234abcd);
            } else if (i == 3) {
                printf("%*d %.*f %5.1f%% %s\n", 7, 42, 3, 2.718281828, 99.5, i > 2 ? "yes" : "no");
                printf("inf %f %f nan %d returned %d\n", half / (minus + 273), -half / (minus + 273), half != half, printf("nothing to say\n"));
            }
        }
        __syncwarp();
    }
}

int main() {
    static char got[N * LINE];
    char *d;
    TRY(cudaMalloc(&d, sizeof got));
    TRY(cudaMemset(d, 0, sizeof got));
    format<<<4, 25>>>(d);
    speak<<<1, 4>>>(d, 0.5, 1.f / 3, -273, -1234567890123456789ll);
    TRY(cudaGetLastError());
    TRY(cudaDeviceSynchronize());
    TRY(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    static const char *const days[7] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    static const char *const ones[10] = {"", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"}, *const tens[10] = {"", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC"},
                             *const hundreds[10] = {"", "C", "CC", "CCC", "CD", "D", "DC", "DCC", "DCCC", "CM"};
    int wrong = 0;
    unsigned h = 2166136261u;
    for (int i = 0; i < N; ++i) {
        long long q = quantity(i), cents = q % 100 < 0 ? -(q % 100) : q % 100;
        int r = i * 41 % 3999 + 1, year = 0, month = 1, day = 1, z = 719468 + i * 9173 - 300000, left = z + 60;  // from 0000-01-01
        std::string roman = std::string(r / 1000, 'M') + hundreds[r / 100 % 10] + tens[r / 10 % 10] + ones[r % 10];
        for (;; ++year) {
            int length = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365;
            if (left < length) break;
            left -= length;
        }
        bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        const int lengths[12] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
        while (left >= lengths[month - 1]) left -= lengths[month++ - 1];
        day += left;
        char want[LINE * 2];
        snprintf(want, sizeof want, "%03d|%21lld|%08x|%lld.%02lld|%s|%s %04d-%02d-%02d", i, q, (unsigned)q, q % 100000 / 100, cents, roman.c_str(), days[(z + 2) % 7], year, month, day);
        if (strcmp(want, got + i * LINE) && wrong++ < 3) printf("[%s]\n[%s]\n", got + i * LINE, want);
        for (const char *c = got + i * LINE; *c; ++c) h = (h ^ (unsigned char)*c) * 16777619u;
    }
    printf("lines %08x\n%s\n%s\nRESULT: %s\n", h, got + 7 * LINE, got + 99 * LINE, wrong ? "FAIL" : "PASS");
    return wrong != 0;
}

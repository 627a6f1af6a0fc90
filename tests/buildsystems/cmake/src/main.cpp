#include <cstdio>

#include "wave.h"

int main() {
    int values[200], total = 0, expected = 0;
    for (int i = 0; i < 200; i++) values[i] = i, expected += 3 * i + 7;
    int status = scale(values, 200, 3);
    if (!status) status = offset(values, 200, 7);
    if (!status) status = sum(values, 200, &total);
    std::printf("mixed: status %d, total %d, expected %d\n", status, total, expected);
    return status || total != expected;
}

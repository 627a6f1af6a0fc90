#include <cstdio>

#include "blas1.h"

int main() {
    float x[100], y[100];
    for (int i = 0; i < 100; i++) x[i] = i, y[i] = 1;
    axpy(100, 2, x, y);               // y = 1 + 2 i
    float result = dot(100, x, y);    // sum of i + 2 i^2
    std::printf("blas1: %g\n", result);
    return result != 4950 + 2 * 328350;
}

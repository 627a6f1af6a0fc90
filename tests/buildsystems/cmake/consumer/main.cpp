#include <cstdio>
#include <wave.h>

int main() {
    int values[3] = {1, 2, 3};
    int status = scale(values, 3, 10);
    if (!status) status = offset(values, 3, 5);
    std::printf("consumer: status %d: %d %d %d\n", status, values[0], values[1], values[2]);
    return status || values[0] != 15 || values[2] != 35;
}

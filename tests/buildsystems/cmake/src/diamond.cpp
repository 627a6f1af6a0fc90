#include <cstdio>

int left();
int right();
int base_value();

int main() {
    int status = left();
    if (!status) status = right();
    int value = base_value();
    std::printf("diamond: status %d, value %d\n", status, value);
    return status || value != 32 * (3 + 5);
}

#include <cstdio>
int run();
int main() {
    int wrong = run();
    std::printf("separable: %d wrong\n", wrong);
    return wrong != 0;
}

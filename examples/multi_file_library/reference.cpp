#include "signal.h"

int smooth_at(const int *input, int i, int count)
{
    int left = i > 0 ? input[i - 1] : input[i];
    int right = i < count - 1 ? input[i + 1] : input[i];
    return (left + 2 * input[i] + right) / 4;
}

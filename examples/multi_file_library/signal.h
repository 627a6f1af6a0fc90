// A small library of signal kernels: what each source of the example shares.
#pragma once

// Smooth `count` samples over three neighbours, in integers, on the device; both pointers are device memory.
void smooth(const int *input, int *output, int count);

// The largest of `count` samples in device memory.
int peak(const int *input, int count);

// The same on the host, for the comparison.
int smooth_at(const int *input, int i, int count);

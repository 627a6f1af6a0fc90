// What the libraries of this project offer; each function runs a kernel on the default device.
#pragma once
int scale(int *values, int count, int factor);   // returns a cudaError_t
int offset(int *values, int count, int amount);
int sum(const int *values, int count, int *total);

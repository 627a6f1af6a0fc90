#pragma once
__device__ int twice(int value);         // in parts.cu
extern __device__ int calls;             // in parts.cu
extern __constant__ int addend;          // in parts.cu
template <typename T> __device__ T plus(T a, T b) { return a + b; }
extern template __device__ int plus<int>(int, int);  // in parts.cu

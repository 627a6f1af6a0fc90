"""CUDA C++ as source: compiled for AMD by clang with CUDA headers of our own, or rewritten to HIP."""

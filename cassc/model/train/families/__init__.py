"""Families of random CUDA kernels: each a function of a random generator and a symbol that gives source text."""

#include "kernel.cu"
#include "main.cpp"

#!/bin/sh
# Compiles the sources in this folder with nvcc; the cubins are committed, so that the tests need no NVIDIA tool.
set -e
cd "$(dirname "$0")"
for sm in 80 90; do
    nvcc -arch=sm_$sm -cubin -o gate.sm_$sm.cubin gate.cu
done
nvcc -arch=sm_80 -G -cubin -o apart.sm_80.cubin apart.cu

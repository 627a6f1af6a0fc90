#!/bin/sh
# Makes linked.sm_*.cubin and debug.sm_*.cubin with nvcc.
set -eu
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for sm in 80 90; do
    for part in shapes parts; do
        nvcc -arch=sm_$sm -dc $part.cu -o "$scratch/$part.o"
        nvcc -arch=sm_$sm -G -dc $part.cu -o "$scratch/$part.debug.o"
    done
    nvcc -arch=sm_$sm -dlink -cubin "$scratch/shapes.o" "$scratch/parts.o" -o linked.sm_$sm.cubin
    nvcc -arch=sm_$sm -G -dlink -cubin "$scratch/shapes.debug.o" "$scratch/parts.debug.o" -o debug.sm_$sm.cubin
done

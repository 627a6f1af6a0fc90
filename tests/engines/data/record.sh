#!/bin/sh
# Compiles the sources in this folder with nvcc; the cubins are committed, so that the tests need no NVIDIA tool.
set -e
cd "$(dirname "$0")"
for source in *.cu; do
    nvcc -arch=sm_80 -cubin -o "${source%.cu}.sm_80.cubin" "$source"
done

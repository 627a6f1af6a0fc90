#!/bin/sh
# Compiles the sources in this folder with nvcc; the cubins are committed, so that the tests need no NVIDIA tool.
set -e
cd "$(dirname "$0")"
for sm in 80 90; do
    for source in *.cu; do
        nvcc -arch=sm_$sm -cubin -o "${source%.cu}.sm_$sm.cubin" "$source"
    done
done

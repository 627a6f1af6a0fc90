#!/bin/sh
# Makes the files that the tests of cassc.image read. Needs nvcc 13.0, and ptxas 12.4 (PTXAS12) for the older ABI.
# Run in a folder of its own, because the files name the folder they were made in.
set -e
here=$(cd "$(dirname "$0")" && pwd)
rm -rf /tmp/samples
mkdir /tmp/samples
cp "$here"/*.cu "$here"/*.ptx /tmp/samples
cd /tmp/samples
nvcc -arch=sm_80 -cubin -lineinfo sample.cu -o sample_80_lines.cubin
nvcc -arch=sm_90 -G -g -cubin sample.cu -o sample_90_debug.cubin
nvcc -arch=sm_90a -cubin sample.cu -o sample_90a.cubin
nvcc -arch=sm_100 -cubin sample.cu -o sample_100.cubin
nvcc -arch=sm_75 -rdc=true -cubin sample.cu -o sample_75_rdc.cubin
nvcc -arch=sm_90 -cubin big.cu -o big_90.cubin
nvcc -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=[sm_80,compute_80] -c second.cu -o second.o
nvcc -arch=sm_80 -lineinfo -c sample.cu -o sample.o
nvcc -rdc=true -arch=sm_80 -c second.cu -o second_rdc.o
nvcc -compress-mode=speed -arch=sm_80 -fatbin second.cu -o second_lz4.fatbin
ld -r second.o sample.o -o two.o
strip --strip-debug two.o
for sm in 50 70 90a; do
    sed "s/sm_50/sm_$sm/;s/.version 7.0/.version 8.0/" abi7.ptx >"abi7_$sm.ptx"
    "$PTXAS12" -arch=sm_$sm "abi7_$sm.ptx" -o "abi7_$sm.cubin"
    rm "abi7_$sm.ptx"
done
cp ./*.cubin ./*.o ./*.fatbin "$here"
llc-19 -mtriple=amdgcn-amd-amdhsa -mcpu=gfx1100 -mattr=+cumode -relocation-model=pic -filetype=obj "$here/kernels.ll" -o kernels.amd
ld.lld-19 -shared kernels.amd -o "$here/kernels.hsaco"

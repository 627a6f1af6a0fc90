; Addresses held as integers, as a constant bank of addresses is.
target triple = "amdgcn-amd-amdhsa"
@data = protected addrspace(1) global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@bank = internal addrspace(4) constant [3 x i64] [i64 ptrtoint (ptr addrspace(1) @data to i64), i64 5, i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @data, i64 4) to i64)]
define amdgpu_kernel void @read(ptr addrspace(1) %out, i32 %i) {
  %a = getelementptr i64, ptr addrspace(4) @bank, i32 %i
  %v = load i64, ptr addrspace(4) %a
  store i64 %v, ptr addrspace(1) %out
  ret void
}

; Enough kernels for several hash buckets and bloom words.
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @kernel_0(ptr addrspace(1) %p) {
  store i32 0, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @kernel_1(ptr addrspace(1) %p) {
  store i32 1, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @kernel_2(ptr addrspace(1) %p) {
  store i32 2, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @kernel_3(ptr addrspace(1) %p) {
  store i32 3, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @kernel_4(ptr addrspace(1) %p) {
  store i32 4, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @kernel_5(ptr addrspace(1) %p) {
  store i32 5, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @kernel_6(ptr addrspace(1) %p) {
  store i32 6, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @kernel_7(ptr addrspace(1) %p) {
  store i32 7, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @kernel_8(ptr addrspace(1) %p) {
  store i32 8, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @kernel_9(ptr addrspace(1) %p) {
  store i32 9, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @kernel_10(ptr addrspace(1) %p) {
  store i32 10, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @kernel_11(ptr addrspace(1) %p) {
  store i32 11, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @kernel_12(ptr addrspace(1) %p) {
  store i32 12, ptr addrspace(1) %p
  ret void
}

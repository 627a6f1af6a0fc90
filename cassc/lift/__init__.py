"""SASS to LLVM IR for AMDGPU: the emitting builder, the kernel ABI, and the driver."""

"""The AMDGPU end: LLVM as assembler, the code-object linker, and the binding of the RDNA3 emulator."""

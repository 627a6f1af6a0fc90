"""cassc: runs CUDA programs on AMD RDNA3 GPUs, or on a built-in RDNA3 emulator."""

__version__ = "0.1.0"

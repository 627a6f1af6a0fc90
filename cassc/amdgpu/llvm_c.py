"""The part of the LLVM-C API that assembling for AMDGPU needs, through ctypes.

Loaded only in a worker process: LLVM ends the process on an internal error. Enumerations are those of llvm-c/Core.h,
llvm-c/TargetMachine.h and llvm-c/Transforms/PassBuilder.h.
"""

from __future__ import annotations

import ctypes
import re
import time
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_int, c_size_t, c_uint, c_uint8, c_uint64, c_void_p
from dataclasses import dataclass, field
from typing import Any

TRIPLE = "amdgcn-amd-amdhsa"
# Compute-unit mode: a workgroup stays on one CU, as a CTA on one SM, and needs no L0 invalidation at its barriers.
# Without unaligned access LLVM never joins accesses to one that is less aligned than a dword, so that the emulator can
# tell a program's misaligned access, which is an error in CUDA, from LLVM's own.
FEATURES = "+cumode,+wavefrontsize32,-unaligned-access-mode"
# One lane would add the wave's sum for all, or a multiple of a uniform summand: with other roundings than the additions
# that the program asks for. NVIDIA's compiler has done it already where it is exact.
#
# Copies between blocks are coalesced in one pass with the others, not after them: kernels full of branches, which are
# copies at the joins for the most part, take a third less of the coalescer's time, and the code is no longer.
OPTIONS = ("-amdgpu-atomic-optimizer-strategy=None", "-join-globalcopies=0")
CODE_OBJECT_VERSION = 500

_ASSEMBLY, _OBJECT = 0, 1
_RELOC_PIC = 2
_CODE_MODEL_DEFAULT = 0
_SEVERITIES = ("error", "warning", "remark", "note")
_FLAG_ERROR, _RETURN_STATUS = 0, 2

_DIAGNOSTIC_HANDLER = CFUNCTYPE(None, c_void_p, c_void_p)

# name -> (result, arguments)
_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "LLVMParseCommandLineOptions": (None, (c_int, POINTER(c_char_p), c_char_p)),
    "LLVMContextCreate": (c_void_p, ()),
    "LLVMContextDispose": (None, (c_void_p,)),
    "LLVMContextSetDiagnosticHandler": (None, (c_void_p, _DIAGNOSTIC_HANDLER, c_void_p)),
    "LLVMGetDiagInfoDescription": (c_void_p, (c_void_p,)),
    "LLVMGetDiagInfoSeverity": (c_int, (c_void_p,)),
    "LLVMDisposeMessage": (None, (c_void_p,)),
    "LLVMGetErrorMessage": (c_void_p, (c_void_p,)),
    "LLVMDisposeErrorMessage": (None, (c_void_p,)),
    "LLVMCreateMemoryBufferWithMemoryRangeCopy": (c_void_p, (c_char_p, c_size_t, c_char_p)),
    "LLVMGetBufferStart": (c_void_p, (c_void_p,)),
    "LLVMGetBufferSize": (c_size_t, (c_void_p,)),
    "LLVMDisposeMemoryBuffer": (None, (c_void_p,)),
    "LLVMParseIRInContext": (c_int, (c_void_p, c_void_p, POINTER(c_void_p), POINTER(c_void_p))),
    "LLVMModuleCreateWithNameInContext": (c_void_p, (c_char_p, c_void_p)),
    "LLVMDisposeModule": (None, (c_void_p,)),
    "LLVMCloneModule": (c_void_p, (c_void_p,)),
    "LLVMSetTarget": (None, (c_void_p, c_char_p)),
    "LLVMSetModuleInlineAsm2": (None, (c_void_p, c_char_p, c_size_t)),
    "LLVMPrintModuleToString": (c_void_p, (c_void_p,)),
    "LLVMVerifyModule": (c_int, (c_void_p, c_int, POINTER(c_void_p))),
    "LLVMInt32TypeInContext": (c_void_p, (c_void_p,)),
    "LLVMConstInt": (c_void_p, (c_void_p, c_uint64, c_int)),
    "LLVMValueAsMetadata": (c_void_p, (c_void_p,)),
    "LLVMGetModuleFlag": (c_void_p, (c_void_p, c_char_p, c_size_t)),
    "LLVMAddModuleFlag": (None, (c_void_p, c_int, c_char_p, c_size_t, c_void_p)),
    "LLVMGetTargetFromTriple": (c_int, (c_char_p, POINTER(c_void_p), POINTER(c_void_p))),
    "LLVMCreateTargetMachine": (c_void_p, (c_void_p, c_char_p, c_char_p, c_char_p, c_int, c_int, c_int)),
    "LLVMDisposeTargetMachine": (None, (c_void_p,)),
    "LLVMCreateTargetDataLayout": (c_void_p, (c_void_p,)),
    "LLVMSetModuleDataLayout": (None, (c_void_p, c_void_p)),
    "LLVMDisposeTargetData": (None, (c_void_p,)),
    "LLVMTargetMachineEmitToMemoryBuffer": (
        c_int,
        (c_void_p, c_void_p, c_int, POINTER(c_void_p), POINTER(c_void_p)),
    ),
    "LLVMCreatePassBuilderOptions": (c_void_p, ()),
    "LLVMDisposePassBuilderOptions": (None, (c_void_p,)),
    "LLVMPassBuilderOptionsSetLoopUnrolling": (None, (c_void_p, c_int)),
    "LLVMPassBuilderOptionsSetLoopVectorization": (None, (c_void_p, c_int)),
    "LLVMPassBuilderOptionsSetLoopInterleaving": (None, (c_void_p, c_int)),
    "LLVMPassBuilderOptionsSetSLPVectorization": (None, (c_void_p, c_int)),
    "LLVMRunPasses": (c_void_p, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "LLVMCreateDisasmCPUFeatures": (
        c_void_p,
        (c_char_p, c_char_p, c_char_p, c_void_p, c_int, c_void_p, c_void_p),
    ),
    "LLVMDisasmInstruction": (c_size_t, (c_void_p, c_void_p, c_uint64, c_uint64, c_char_p, c_size_t)),
    "LLVMDisasmDispose": (None, (c_void_p,)),
    "LLVMGetVersion": (None, (POINTER(c_uint), POINTER(c_uint), POINTER(c_uint))),
}


class LlvmError(Exception):
    """LLVM refused its input; the text is LLVM's."""


@dataclass(slots=True)
class Compiled:
    """Result of one compilation. ``times`` are seconds of each step; the texts are empty unless asked for."""

    object: bytes
    assembly: str = ""
    optimised_ir: str = ""
    times: dict[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class LlvmC:
    """One loaded LLVM library. Not thread safe."""

    def __init__(self, path: str) -> None:
        self._library = ctypes.CDLL(path)
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(self._library, name)
            function.restype, function.argtypes = result, arguments
        for part in ("TargetInfo", "Target", "TargetMC", "AsmParser", "AsmPrinter", "Disassembler"):
            getattr(self._library, f"LLVMInitializeAMDGPU{part}")()
        arguments = ("cassc", *OPTIONS)
        listed = (c_char_p * len(arguments))(*(a.encode() for a in arguments))
        self._library.LLVMParseCommandLineOptions(len(arguments), listed, None)

    def version(self) -> tuple[int, int, int]:
        major, minor, patch = c_uint(), c_uint(), c_uint()
        self._library.LLVMGetVersion(byref(major), byref(minor), byref(patch))
        return major.value, minor.value, patch.value

    def compile(self, text: str, cpu: str, *, assembly_source: bool, level: int, keep: bool) -> Compiled:
        """Compile LLVM IR, or assemble AMDGPU assembly, to a relocatable object. Raises LlvmError."""
        lib = self._library
        context = lib.LLVMContextCreate()
        messages: list[tuple[str, str]] = []

        def report(info: int, _: int) -> None:
            severity = _SEVERITIES[lib.LLVMGetDiagInfoSeverity(info)]
            messages.append((severity, self._message(lib.LLVMGetDiagInfoDescription(info))))

        handler = _DIAGNOSTIC_HANDLER(report)
        lib.LLVMContextSetDiagnosticHandler(context, handler, None)
        machine = self._machine(cpu, level)
        try:
            result = self._compile(context, machine, text, assembly_source, level, keep, messages)
            result.warnings = tuple(text for severity, text in messages if severity == "warning")
            return result
        finally:
            lib.LLVMDisposeTargetMachine(machine)
            lib.LLVMContextDispose(context)

    def encode(self, instructions: list[str], cpu: str) -> tuple[bytes, list[int]]:
        """A relocatable object with each instruction at the next multiple of 16 bytes of its text section, and the
        numbers of those that are in it: instructions that LLVM refuses are left out."""
        kept = list(range(len(instructions)))
        while True:
            source = "".join(f".p2align 4\n{instructions[k]}\n" for k in kept)
            try:
                made = self.compile(f".text\n{source}", cpu, assembly_source=True, level=0, keep=False)
                return made.object, kept
            except LlvmError as problem:
                refused = {(int(line) - 3) // 2 for line in re.findall(r"<inline asm>:(\d+):", str(problem))}
                if not refused:
                    raise
                kept = [k for number, k in enumerate(kept) if number not in refused]

    def disassemble(self, code: bytes, cpu: str, address: int) -> list[tuple[int, int, str]]:
        """(address, bytes, text) of each instruction; a word that does not decode gives the text ``.long 0x...``."""
        lib = self._library
        disassembler = lib.LLVMCreateDisasmCPUFeatures(
            TRIPLE.encode(), cpu.encode(), FEATURES.encode(), None, 0, None, None
        )
        if not disassembler:
            raise LlvmError(f"no disassembler for {cpu}")
        buffer = (c_uint8 * len(code)).from_buffer_copy(code)
        line = ctypes.create_string_buffer(512)
        found, offset = [], 0
        try:
            while offset + 4 <= len(code):
                place = ctypes.addressof(buffer) + offset
                size = lib.LLVMDisasmInstruction(disassembler, place, len(code) - offset, address + offset, line, 512)
                text = line.value.decode().strip() if size else ""
                if not size:
                    size, text = 4, f".long 0x{int.from_bytes(code[offset : offset + 4], 'little'):08x}"
                found.append((address + offset, size, text))
                offset += size
        finally:
            lib.LLVMDisasmDispose(disassembler)
        return found

    def _compile(
        self,
        context: int,
        machine: int,
        text: str,
        assembly_source: bool,
        level: int,
        keep: bool,
        messages: list[tuple[str, str]],
    ) -> Compiled:
        lib, result, start = self._library, Compiled(b""), time.perf_counter()

        def done(step: str) -> None:
            nonlocal start
            now = time.perf_counter()
            result.times[step] = result.times.get(step, 0.0) + now - start
            start = now
            errors = [text for severity, text in messages if severity == "error"]
            if errors:
                raise LlvmError("\n".join(errors))

        module = self._assembly_module(context, text) if assembly_source else self._parse(context, text)
        try:
            self._prepare(context, module, machine)
            done("parse")
            if not assembly_source:
                self._optimise(module, machine, level)
                done("optimise")
                if keep:
                    result.optimised_ir = self._message(lib.LLVMPrintModuleToString(module))
            if keep:
                copy = lib.LLVMCloneModule(module)  # emission consumes the module it is given
                try:
                    result.assembly = self._emit(machine, copy, _ASSEMBLY).decode()
                finally:
                    lib.LLVMDisposeModule(copy)
                start = time.perf_counter()
            result.object = self._emit(machine, module, _OBJECT)
            done("codegen")
        finally:
            lib.LLVMDisposeModule(module)
        return result

    def _message(self, pointer: int | None) -> str:
        if not pointer:
            return ""
        text = ctypes.string_at(pointer).decode(errors="replace")
        self._library.LLVMDisposeMessage(pointer)
        return text

    def _machine(self, cpu: str, level: int) -> int:
        target, problem = c_void_p(), c_void_p()
        if self._library.LLVMGetTargetFromTriple(TRIPLE.encode(), byref(target), byref(problem)):
            raise LlvmError(self._message(problem.value))
        machine = self._library.LLVMCreateTargetMachine(
            target, TRIPLE.encode(), cpu.encode(), FEATURES.encode(), level, _RELOC_PIC, _CODE_MODEL_DEFAULT
        )
        if not machine:
            raise LlvmError(f"no target machine for {cpu}")
        return int(machine)

    def _parse(self, context: int, text: str) -> int:
        data = text.encode()
        buffer = self._library.LLVMCreateMemoryBufferWithMemoryRangeCopy(data, len(data), b"module.ll")
        module, problem = c_void_p(), c_void_p()
        if self._library.LLVMParseIRInContext(context, buffer, byref(module), byref(problem)):
            raise LlvmError(self._message(problem.value))
        return int(module.value or 0)

    def _assembly_module(self, context: int, text: str) -> int:
        module = self._library.LLVMModuleCreateWithNameInContext(b"module.s", context)
        data = text.encode()
        self._library.LLVMSetModuleInlineAsm2(module, data, len(data))
        return int(module)

    def _prepare(self, context: int, module: int, machine: int) -> None:
        lib = self._library
        lib.LLVMSetTarget(module, TRIPLE.encode())
        layout = lib.LLVMCreateTargetDataLayout(machine)
        lib.LLVMSetModuleDataLayout(module, layout)
        lib.LLVMDisposeTargetData(layout)
        key = b"amdhsa_code_object_version"
        if not lib.LLVMGetModuleFlag(module, key, len(key)):
            number = lib.LLVMConstInt(lib.LLVMInt32TypeInContext(context), CODE_OBJECT_VERSION, 0)
            lib.LLVMAddModuleFlag(module, _FLAG_ERROR, key, len(key), lib.LLVMValueAsMetadata(number))
        problem = c_void_p()
        broken = lib.LLVMVerifyModule(module, _RETURN_STATUS, byref(problem))
        text = self._message(problem.value)
        if broken:
            raise LlvmError(text)

    def _optimise(self, module: int, machine: int, level: int) -> None:
        lib = self._library
        options = lib.LLVMCreatePassBuilderOptions()
        # The input was unrolled and scheduled by its first compiler; doing it again only costs registers and time.
        for name in ("LoopUnrolling", "LoopVectorization", "LoopInterleaving", "SLPVectorization"):
            getattr(lib, f"LLVMPassBuilderOptionsSet{name}")(options, 0)
        problem = lib.LLVMRunPasses(module, f"default<O{level}>".encode(), machine, options)
        lib.LLVMDisposePassBuilderOptions(options)
        if problem:
            pointer = lib.LLVMGetErrorMessage(problem)
            text = ctypes.string_at(pointer).decode(errors="replace")
            lib.LLVMDisposeErrorMessage(pointer)
            raise LlvmError(text)

    def _emit(self, machine: int, module: int, kind: int) -> bytes:
        lib = self._library
        problem, buffer = c_void_p(), c_void_p()
        if lib.LLVMTargetMachineEmitToMemoryBuffer(machine, module, kind, byref(problem), byref(buffer)):
            raise LlvmError(self._message(problem.value))
        data = ctypes.string_at(lib.LLVMGetBufferStart(buffer), lib.LLVMGetBufferSize(buffer))
        lib.LLVMDisposeMemoryBuffer(buffer)
        return data

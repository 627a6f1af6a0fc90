"""LiftedKernel, and the shell of a kernel's LLVM function: signature, attributes, stack slots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from cassc.image.cubin import KernelAbi
from cassc.lift.barriers import NAMED_BYTES, REDUCTION_BYTES
from cassc.lift.emit import GRID_ARGUMENT, LDS_ALIGN, RESERVED_LDS, EmitLlvm
from cassc.lift.text import quoted
from cassc.sass.builder import I1

DEFAULT_MAX_THREADS = 1024
# Eight where possible; more only where a parameter's own alignment left a gap.
_ALIGNMENTS = (8, 4, 2, 1, *(1 << k for k in range(4, 13)))


@dataclass(frozen=True, slots=True)
class LiftedKernel:
    """A kernel as LLVM IR; `cassc.lift.module.link_text` makes a module of several.

    Attributes:
        name: as in the cubin, and of the LLVM function.
        body: the definition.
        globals: LLVM symbol -> definition of the module variables, constant banks and helper functions.
        declarations: intrinsic -> declaration.
        attributes: LLVM function attributes.
        places: source files and lines; the body's ``!dbg !?N`` names the one of that index. Empty without line table.
    """

    name: str
    body: str
    globals: Mapping[str, str] = field(default_factory=dict)
    declarations: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)
    places: Sequence[tuple[str, int]] = ()


def parameters(abi: KernelAbi) -> str:
    """One argument for each CUDA parameter, at CUDA's offset and of CUDA's size.

    Passed by reference into the kernel argument segment, where LLVM places arguments one after another: the alignment
    is one that leads to the offset.
    """
    arguments = []
    end = 0
    for number, parameter in enumerate(sorted(abi.parameters, key=lambda p: p.offset)):
        align = next(a for a in _ALIGNMENTS if -(-end // a) * a == parameter.offset)
        arguments.append(f"ptr addrspace(4) byref([{parameter.size} x i8]) align {align} %a{number}")
        end = parameter.offset + parameter.size
    return ", ".join(arguments)


def lds_size(abi: KernelAbi, bias: int) -> int:
    return -(-(abi.static_shared + bias) // LDS_ALIGN) * LDS_ALIGN


def attributes(abi: KernelAbi, bias: int, *, reserved: bool = False) -> dict[str, str]:
    """``bias``: bytes before the kernel's shared memory; ``reserved``: it has memory behind its own, too."""
    limits = f"1,{abi.max_threads or DEFAULT_MAX_THREADS}"
    if abi.required_threads is not None:
        x, y, z = abi.required_threads
        limits = f"{x * y * z},{x * y * z}"
    found = {
        "amdgpu-flat-work-group-size": limits,
        "uniform-work-group-size": "true",
        "denormal-fp-math": "ieee,ieee",
        "denormal-fp-math-f32": "ieee,ieee",
        # Minima and maxima of a signalling NaN and a number are the number.
        "amdgpu-ieee": "false",
    }
    size = lds_size(abi, bias) + (RESERVED_LDS if reserved else 0)
    if size:
        found["amdgpu-lds-size"] = str(size)
    return found


def prologue(m: EmitLlvm, first: str) -> list[str]:
    """The entry block: zeroed stack slots, pointers to arguments, and what the helpers need at the start."""
    lines = ["entry:"]
    for name, type in sorted(m.slots.items()):
        lines.append(f"  {name} = alloca {type.llvm}, addrspace(5)")
        zero = "false" if type is I1 else "0"
        lines.append(f"  store {type.llvm} {zero}, ptr addrspace(5) {name}")
    if "local" in m.needs:
        lines.append(f"  {m.local} = alloca [{max(m.abi.frame_size, 16)} x i8], align 16, addrspace(5)")
    if "kernarg" in m.needs:
        m.declare("llvm.amdgcn.kernarg.segment.ptr", "ptr addrspace(4) @()")
        lines.append("  %kernarg = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()")
    if "implicit" in m.needs:
        m.declare("llvm.amdgcn.implicitarg.ptr", "ptr addrspace(4) @()")
        lines.append("  %implicit = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()")
    if "barrier_result" in m.needs:
        lines += [
            "  %barrier.count = alloca i32, addrspace(5)",
            "  %barrier.truth = alloca i1, addrspace(5)",
            "  store i32 0, ptr addrspace(5) %barrier.count",
            "  store i1 false, ptr addrspace(5) %barrier.truth",
        ]
    size = barrier_bytes("barrier_sum" in m.needs, "barrier_named" in m.needs)
    return [*lines, *(_cleared(m, size, first) if size else (f"  br label %{first}",))]


def barrier_bytes(sums: bool, named: bool) -> int:
    """LDS that barriers need, from address 0 on."""
    return REDUCTION_BYTES + NAMED_BYTES if named else REDUCTION_BYTES if sums else 0


def _cleared(m: EmitLlvm, size: int, first: str) -> list[str]:
    """The LDS of barriers starts as zeros."""
    for axis in "xyz":
        m.declare(f"llvm.amdgcn.workitem.id.{axis}", "i32 @()")
    m.declare("llvm.amdgcn.s.barrier", "void @()")
    ids = [f"  %first.{axis} = call i32 @llvm.amdgcn.workitem.id.{axis}()" for axis in "xyz"]
    stores = [
        f"  store <4 x i32> zeroinitializer, ptr addrspace(3) inttoptr (i32 {place} to ptr addrspace(3)), align 16"
        for place in range(0, size, 16)
    ]
    return [
        *ids,
        "  %first.xy = or i32 %first.x, %first.y",
        "  %first.xyz = or i32 %first.xy, %first.z",
        "  %is.first = icmp eq i32 %first.xyz, 0",
        "  br i1 %is.first, label %clear, label %cleared",
        "clear:",
        *stores,
        "  br label %cleared",
        "cleared:",
        '  fence syncscope("workgroup") release',
        "  call void @llvm.amdgcn.s.barrier()",
        '  fence syncscope("workgroup") acquire',
        f"  br label %{first}",
    ]


def grid_argument_offset(abi: KernelAbi) -> int:
    """Of the address of the grid's workspace, which follows the parameters."""
    end = max((p.offset + p.size for p in abi.parameters), default=0)
    return -(-end // 8) * 8


def definition(abi: KernelAbi, group: str, blocks: Iterable[str], *, grid: bool = False) -> str:
    """``grid``: the kernel takes `GRID_ARGUMENT`."""
    arguments = [parameters(abi)] if abi.parameters else []
    if grid:
        arguments.append(f"i64 %{GRID_ARGUMENT}")
    head = f"define protected amdgpu_kernel void {quoted(abi.name)}({', '.join(arguments)}) {group} {{"
    return "\n".join([head, *blocks, "}", ""])

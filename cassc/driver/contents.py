"""What is inside a built file, for ``cassc verify`` and ``cassc inspect``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cassc import diag, toolchain
from cassc.diag import CasscError, Location
from cassc.driver import signatures
from cassc.driver.demangle import demangle
from cassc.image import bundle, cubin, fatbin, host, relink, static_runtime

_TARGET_PREFIX = "hipv4-amdgcn-amd-amdhsa--"


def verdicts(path: str) -> list[dict[str, Any]]:
    """One record for each translated cubin: ``sm``, ``cubin`` (SHA-256), ``targets`` and ``kernels``.

    Raises CasscError ``verify-nothing`` if cassc translated nothing in the file.
    """
    records = []
    for fat in fatbin.extract(host.read(path)):
        for entry in fat.of_kind(fatbin.EntryKind.VERDICTS):
            try:
                record = json.loads(entry.payload())
            except ValueError as problem:
                raise diag.error(
                    "verify-damaged", "the verdicts in the file are damaged", Location(file=path)
                ) from problem
            records.append(record)
    if not records:
        raise diag.error("verify-nothing", "no kernel in the file was translated by cassc", Location(file=path))
    return records


def refused_lines(records: list[dict[str, Any]]) -> list[str]:
    """``refused    add(float*) (sm_80): unknown instruction``."""
    return [
        f"{'refused':<10} {demangle(refused['kernel'])} ({record['sm']}): {refused['reason']}"
        for record in records
        for refused in record.get("refused", ())
    ]


def verdict_lines(records: list[dict[str, Any]]) -> list[str]:
    """``accepted   add(float*) (sm_80 to gfx1100): 24 launches, 97 % of the instructions ran``."""
    lines = []
    for record in records:
        for kernel in record["kernels"]:
            said = [kernel["reason"]] if kernel.get("reason") else []
            if kernel.get("launches"):
                sides = f" and {kernel['branches']:.0%} of the branches' ways" if kernel.get("branches") else ""
                said.append(f"{kernel['launches']} launches, {kernel['coverage']:.0%} of the instructions{sides} ran")
            for witness, launches in kernel.get("witnesses", {}).items():
                said.append(f"{witness} agreed in {launches}")
            said += [f"differs: {difference}" for difference in kernel.get("dissent", {}).values()]
            if kernel.get("approximate"):
                said.append("approximations: " + " ".join(kernel["approximate"]))
            place = f"({record['sm']} to {kernel.get('target', 'AMD')})"
            lines.append(
                f"{kernel['status']:<10} {demangle(kernel['kernel'])} {place}"
                + (": " + "; ".join(said) if said else "")
            )
            if kernel.get("counterexample"):
                lines += _launch_lines(kernel["counterexample"])
    return lines


def _launch_lines(example: dict[str, Any]) -> list[str]:
    """The launch that shows a difference."""
    grid, block = ("x".join(map(str, example[shape])) for shape in ("grid", "block"))
    return [
        f"    seed {example['seed']}, attempt {example['attempt']}: grid {grid}, block {block}, "
        f"{example['dynamic_shared']} bytes of dynamic shared memory",
        f"    parameters {example['parameters'] or 'none'}",
    ]


def inspect(path: str) -> dict[str, Any]:
    """Kind of the file, and its fat binaries with their entries."""
    image = host.read(path)
    if image.kind is host.ImageKind.OTHER:
        raise diag.error(
            "inspect-nothing", "the file is neither an ELF file, an archive nor a fat binary", Location(file=path)
        )
    return {
        "file": path,
        "kind": image.kind.value,
        "runtime": _runtime(image),
        "fat_binaries": [
            {
                "image": fat.place.image,
                "section": fat.place.section,
                "offset": fat.place.offset,
                "entries": [_entry(entry) for entry in fat.entries],
            }
            for fat in fatbin.extract(image)
        ],
    }


def _runtime(image: host.HostImage) -> str:
    """How a linked file comes by the CUDA runtime, empty if it does not."""
    libraries = toolchain.find_runtime()
    if image.kind not in (host.ImageKind.EXECUTABLE, host.ImageKind.SHARED) or libraries is None:
        return ""
    shared = [name for name in relink.needed(image.data) if Path(name).name.startswith("libcudart.so")]
    if shared:
        return shared[0]
    try:
        static = static_runtime.find(libraries / static_runtime.LIBRARY, image.data, signatures.tables())
    except CasscError as problem:
        return f"inside, not usable: {problem}"
    return f"inside, of CUDA {static.major}: {len(static.entries)} entry points" if static else ""


def _entry(entry: fatbin.FatEntry) -> dict[str, Any]:
    payload = entry.payload()
    listed: dict[str, Any] = {"arch": entry.arch.name, "size": len(payload), "stored": len(entry.stored)}
    if entry.kind == fatbin.EntryKind.PTX:
        return {"kind": "ptx", **listed, "arch": f"compute_{entry.arch.number}{entry.arch.suffix}"}
    if entry.kind == fatbin.EntryKind.CUBIN:
        return {"kind": "cubin", **listed, "kernels": [_kernel(kernel) for kernel in cubin.parse(payload).kernels]}
    if entry.kind == fatbin.EntryKind.CODE_OBJECTS:
        objects = {name.removeprefix(_TARGET_PREFIX): len(data) for name, data in bundle.unpack(payload).items()}
        return {"kind": "code objects", **listed, "targets": objects}
    if entry.kind == fatbin.EntryKind.VERDICTS:
        return {"kind": "verdicts", **listed, "kernels": len(json.loads(payload)["kernels"])}
    return {"kind": f"0x{entry.kind:x}", **listed}


def _kernel(kernel: cubin.Kernel) -> dict[str, Any]:
    abi = kernel.abi
    return {
        "name": kernel.name,
        "code": len(kernel.code),
        "registers": abi.registers,
        "parameters": abi.param_size,
        "shared": abi.static_shared,
        "stack": abi.frame_size,
        "barriers": abi.barriers,
        "max_threads": abi.max_threads,
    }


def inspect_lines(listing: dict[str, Any]) -> list[str]:
    fats = listing["fat_binaries"]
    lines = [f"{listing['file']}: {listing['kind']}, {len(fats)} fat {'binary' if len(fats) == 1 else 'binaries'}"]
    if listing["runtime"]:
        lines.append(f"  CUDA runtime: {listing['runtime']}")
    for fat in fats:
        lines.append(f"  {fat['image']} {fat['section']} at 0x{fat['offset']:x}")
        for entry in fat["entries"]:
            lines.append(f"    {entry['kind']} {entry['arch']}, {entry['size']} bytes")
            if entry["kind"] == "cubin":
                lines += [_kernel_line(kernel) for kernel in entry["kernels"]]
            for target, size in entry.get("targets", {}).items():
                lines.append(f"      {target}: {size} bytes")
    return lines


def _kernel_line(kernel: dict[str, Any]) -> str:
    limit = f", at most {kernel['max_threads']} threads" if kernel["max_threads"] else ""
    return (
        f"      {demangle(kernel['name'])}: {kernel['code']} bytes of code, {kernel['registers']} registers, "
        f"{kernel['parameters']} bytes of parameters, {kernel['shared']} shared, {kernel['stack']} stack, "
        f"{kernel['barriers']} barriers{limit}"
    )

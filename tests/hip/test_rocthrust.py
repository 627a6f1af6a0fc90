"""AMD's Thrust and CUB under CUDA's names, from a stand-in for their folders; the real ones are in test_points."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cassc.hip import rocthrust, tools

HEADERS = {
    "thrust/detail/config/namespace.h": (
        "#define THRUST_NAMESPACE_BEGIN namespace thrust {\n#define THRUST_NAMESPACE_END }\n"
    ),
    "thrust/system/hip/config.h": "#pragma once\n",
    "thrust/system/hip/execution_policy.h": (
        "#include <thrust/detail/config/namespace.h>\nnamespace thrust { namespace hip { constexpr int par = 7; } }\n"
    ),
    "thrust/system/cuda/execution_policy.h": "#error NVIDIA's\n",
    "thrust/tuple.h": "#if __has_include(<cuda/std/tuple>)\n#error another library's\n#endif\n",
    "rocprim/rocprim.hpp": "#pragma once\n",
    "rocprim/rocprim_version.hpp": "#define ROCPRIM_VERSION_MAJOR 3\n",
    "hipcub/hipcub.hpp": (
        "#ifndef __HIP_PLATFORM_AMD__\n#error not HIP\n#endif\n#ifdef __CUDACC__\n#error CUDA\n#endif\n"
        "#include <hip/hip_runtime.h>\n"
        "namespace hipcub { inline hipError_t first(int* p) { return hipMalloc(&p, sizeof *p); } }\n"
    ),
    "hipcub/block/block_scan.hpp": "namespace hipcub { struct Scan { int x; }; }\n",
    "hipcub/backend/cub/hipcub.hpp": "#error NVIDIA's\n",
}


@pytest.fixture
def headers(tmp_path: Path) -> Path:
    for name, text in HEADERS.items():
        path = tmp_path / "rocm/include" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "rocm/include"


def test_layout(headers: Path) -> None:
    laid = rocthrust.lay(headers)
    names = {str(Path(name).relative_to(laid.root)): path for name, path in laid.behind.items()}
    assert names["cub/cub.cuh"] == headers / "hipcub/hipcub.hpp"
    assert names["cub/block/block_scan.cuh"] == headers / "hipcub/block/block_scan.hpp"
    assert names["thrust/system/cuda/execution_policy.h"] == headers / "thrust/system/hip/execution_policy.h"
    assert not any("backend/cub" in name for name in names)
    entries = {entry["name"]: entry["external-contents"] for entry in json.loads(laid.overlay.read_text())["roots"]}
    assert set(entries) == set(laid.behind)
    # What needs no change is taken from where it lies.
    assert entries[str(laid.root / "rocprim/rocprim.hpp")] == str(headers / "rocprim/rocprim.hpp")
    assert "__HIP_PLATFORM_AMD__" not in Path(entries[str(laid.root / "hipcub/hipcub.hpp")]).read_text()


def test_which_is_found(headers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable wins, and switches it off; else ROCm's, if it is no newer than what is known; all are needed."""

    def found() -> Path | None:
        tools.find_rocthrust.cache_clear()
        return tools.find_rocthrust()

    monkeypatch.setenv("CASSC_ROCTHRUST", str(headers))
    assert found() == headers
    monkeypatch.setenv("CASSC_ROCTHRUST", "")
    assert found() is None
    monkeypatch.delenv("CASSC_ROCTHRUST")
    monkeypatch.setenv("ROCM_PATH", str(headers.parent))
    assert found() == headers
    (headers / "rocprim/rocprim_version.hpp").write_text("#define ROCPRIM_VERSION_MAJOR 4\n")
    assert found() != headers
    monkeypatch.setenv("CASSC_ROCTHRUST", str(headers))
    assert found() == headers
    (headers / "rocprim/rocprim.hpp").unlink()
    assert found() is None
    tools.find_rocthrust.cache_clear()


@pytest.mark.slow
def test_a_unit_sees_cuda_and_the_library_hip(
    headers: Path, tmp_path: Path, cassc: Callable[..., subprocess.CompletedProcess[str]], source_tools: object
) -> None:
    """Also: the dependency file names the files that are there."""
    (tmp_path / "unit.cu").write_text(
        "#include <thrust/tuple.h>\n#include <thrust/system/cuda/execution_policy.h>\n"
        "#include <cub/cub.cuh>\n#include <cub/block/block_scan.cuh>\n"
        "#if !defined(__CUDACC__) || defined(__HIP__) || defined(__HIP_PLATFORM_AMD__)\n#error not CUDA\n#endif\n"
        "__global__ void k(int* p) { cub::Scan scan{2}; *p = scan.x + thrust::cuda::par; }\n"
        "int main() { return cub::first(nullptr); }\n"
    )
    built = cassc("--engine=source", "-c", "-MD", "-MF", "unit.d", "unit.cu", CASSC_ROCTHRUST=str(headers))
    assert built.returncode == 0, built.stderr
    rule = (tmp_path / "unit.d").read_text()
    assert str(headers / "hipcub/block/block_scan.hpp") in rule
    words = [word.rstrip(":") for word in rule.replace("\\\n", " ").split()[1:]]
    assert not [word for word in words if not (tmp_path / word).exists()]

"""Translations that are found by the digest of the container."""

from __future__ import annotations

import hashlib
import random
import shutil
import subprocess
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"
RUNTIME = Path(__file__).parents[2] / "shims" / "runtime"


@pytest.mark.slow
def test_digest_is_sha256(tmp_path: Path) -> None:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("g++ is not on PATH")
    program = tmp_path / "digest"
    sources = [str(PROGRAMS / "digest_check.cpp"), str(RUNTIME / "digest.cpp")]
    flags = ["-std=c++20", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", f"-I{RUNTIME}"]
    subprocess.run([compiler, *flags, *sources, "-o", str(program)], check=True)
    content = random.Random(1).randbytes(4096)
    (tmp_path / "data").write_bytes(content)
    sizes = [0, 1, 3, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000, 4096]
    command = [str(program), str(tmp_path / "data"), *map(str, sizes)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [hashlib.sha256(content[:size]).hexdigest() for size in sizes]

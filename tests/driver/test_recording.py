"""``cassc run --record`` on a program that plain nvcc linked, and its launches replayed; builds that a policy stops."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cassc import cli, toolchain
from cassc.driver import prebuilt, subcommands
from cassc.verify import recorded

PROGRAM = Path(__file__).parent / "programs" / "prebuilt.cu"


@pytest.fixture(scope="module")
def program(nvcc: toolchain.Nvcc, tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = toolchain.find_runtime()
    if found is None or not all((found / name).exists() for name in ("libcassc_redirect.so", "libcassc_emu.so")):
        pytest.skip("libcassc_redirect.so and libcassc_emu.so are not built (CASSC_LIBDIR or cassc/lib)")
    path = tmp_path_factory.mktemp("recorded") / "program"
    subprocess.run([str(nvcc.path), "-arch=sm_80", str(PROGRAM), "-o", str(path)], check=True, capture_output=True)
    return path


@pytest.mark.slow
def test_real_launches_are_recorded_and_agree(program: Path, tmp_path: Path) -> None:
    file = tmp_path / "launches"
    started = prebuilt.launch([str(program)], prebuilt.settings((), 0.2), str(file))
    environment = {**started.environment, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(started.arguments, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found = recorded.read(str(file))
    assert [(one.kernel, one.grid, one.block) for one in found.launches] == [
        ("_Z5twicePii", (4, 1, 1), (32, 1, 1)),
        ("_Z7refusedPi", (1, 1, 1), (1, 1, 1)),
        ("_Z5twicePii", (4, 1, 1), (32, 1, 1)),
    ]
    first = found.launches[0]
    (memory,) = first.memories
    assert memory.after is not None
    assert memory.before.view("i4").tolist() == list(range(100))
    assert memory.after.view("i4").tolist() == [2 * value for value in range(100)]
    lines: list[str] = []
    assert subcommands.run(["verify", "--launches", str(file)], lines.append) == 0
    assert len(lines) == 2
    assert "the recording device agreed in 1" in lines[0] and "agreed in 2" in lines[1]


def test_a_place_that_cannot_be_written_is_an_error(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "--record", "/nowhere/launches", str(program)]) == 1
    assert "cannot write" in capsys.readouterr().err


@pytest.mark.slow
def test_a_policy_stops_a_conversion(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy, out = tmp_path / "policy.toml", tmp_path / "new"
    convert = ["--policy", str(policy), "--check-seconds=0.3", str(program)]
    policy.write_text("minimum-launches = 1000\n")
    assert cli.main([*convert, "-o", str(out)]) == 1
    said = capsys.readouterr().err
    assert "may not ship" in said and "1000 are asked for" in said
    assert not out.exists()
    policy.write_text('ship = ["accepted"]\n')
    assert cli.main([*convert, "-o", str(out)]) == 0
    assert out.exists()

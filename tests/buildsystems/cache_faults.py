"""What can go wrong with the cache while make builds: each fault is a build that has to give the right program.

    python tests/buildsystems/cache_faults.py --files 50 --jobs 8

prints the tables of docs/build-systems.md: the faults, and the times of cold, warm and no-change builds. ``cassc`` is
the one on PATH. Faults that take a file system of their own are made in a mount namespace (unshare, of util-linux).
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

UNIT = """
__global__ void change{n}(int *p) {{ p[threadIdx.x] = p[threadIdx.x] * {n} + {n}; }}

int unit{n}(int value) {{
  int *device, host[32];
  for (int &each : host) each = value;
  if (cudaMalloc(&device, sizeof host) != cudaSuccess) return -1;
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  change{n}<<<1, 32>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(device);
  return host[value];
}}
"""
MAKEFILE = """
OBJECTS = {objects}
program: main.cpp $(OBJECTS)
\tcassc main.cpp $(OBJECTS) -o $@
%.o: %.cu
\tcassc -c --check-seconds=0 -MD $< -o $@
-include $(OBJECTS:.o=.d)
"""
UNSHARE = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c")


@dataclass
class Build:
    """A project of ``files`` units in ``folder``, and the cache that its builds use."""

    folder: Path
    cache: Path
    files: int
    jobs: int
    variables: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True)
        names = [f"unit{n}" for n in range(self.files)]
        for n, name in enumerate(names):
            (self.folder / f"{name}.cu").write_text(UNIT.format(n=n))
        declared = "".join(f"int {name}(int);\n" for name in names)
        total = " + ".join(f"{name}({n % 32})" for n, name in enumerate(names))
        (self.folder / "main.cpp").write_text(
            f'#include <cstdio>\n{declared}int main() {{ std::printf("%d\\n", {total}); }}\n'
        )
        (self.folder / "Makefile").write_text(MAKEFILE.format(objects=" ".join(f"{name}.o" for name in names)))

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "CASSC_CACHE_DIR": str(self.cache), "CASSC_DEVICE": "emu", **self.variables}

    @property
    def command(self) -> list[str]:
        return ["make", f"-j{self.jobs}"]

    def start(self, *before: str) -> subprocess.Popen[str]:
        """In a process group of its own."""
        return subprocess.Popen(
            [*before, *self.command],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def finish(self, process: subprocess.Popen[str]) -> str:
        """What it printed; it has to succeed, and the program has to be right."""
        said, _ = process.communicate()
        assert process.returncode == 0, said
        assert self.answer() == self.expected(), said
        return said

    def make(self) -> str:
        return self.finish(self.start())

    def make_within(self, preparation: str) -> str:
        """In a mount namespace in which ``preparation``, shell commands, has been done."""
        command = [*UNSHARE, f"{preparation} && exec {' '.join(self.command)}"]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        said = done.stdout + done.stderr
        assert done.returncode == 0, said
        assert self.answer() == self.expected(), said
        return said

    def answer(self) -> str:
        done = subprocess.run(
            [self.folder / "program"], env=self.environment, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    def expected(self) -> str:
        return str(sum((n % 32) * n + n for n in range(self.files)))

    def clean(self) -> None:
        for path in [*self.folder.glob("*.[od]"), self.folder / "program"]:
            path.unlink(missing_ok=True)

    def left_behind(self) -> list[str]:
        """Half-written products beside the sources, which no build may leave."""
        return [path.name for path in self.folder.iterdir() if path.name.startswith(".")]

    def twin(self) -> Build:
        """The same project elsewhere, with the same cache."""
        return Build(self.folder.with_name(self.folder.name + "-twin"), self.cache, self.files, self.jobs)


def can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*UNSHARE, "mount -t tmpfs none /mnt"], capture_output=True, check=False).returncode == 0


def two_builds(build: Build) -> str:
    """two builds at once in one cache"""
    other = build.twin()
    first, second = build.start(), other.start()
    build.finish(first)
    other.finish(second)
    return "both right"


def killed(build: Build) -> str:
    """kill -9 of make and all that it started, at three moments"""
    chance = random.Random(1)
    for _ in range(3):
        process = build.start()
        time.sleep(chance.uniform(0.5, 1.0 + 0.5 * build.files))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    build.make()
    build.clean()
    build.make()
    return "the next build is right, and the one that takes everything from the cache"


def terminated(build: Build) -> str:
    """SIGTERM to make and all that it started"""
    scratch = build.folder.with_name("scratch")
    scratch.mkdir()
    within = Build(build.folder.with_name("terminated"), build.cache, build.files, build.jobs, {"TMPDIR": str(scratch)})
    process = within.start()
    time.sleep(1.5)
    os.killpg(process.pid, signal.SIGTERM)
    process.communicate()
    for _ in range(100):
        if not any(scratch.iterdir()):
            break
        time.sleep(0.1)
    assert not [path for path in scratch.iterdir() if path.name.startswith("cassc-")]
    assert not within.left_behind()
    within.make()
    return "nothing half-made stays; the next build is right"


def full_disk(build: Build) -> str:
    """a full disk below the cache (64 KiB)"""
    build.cache.mkdir(parents=True)
    said = build.make_within(f"mount -t tmpfs -o size=64k none '{build.cache}'")
    assert "warning: nothing is kept in the cache" in said and "No space left on device" in said, said
    return "right; warning: nothing is kept in the cache '...': No space left on device"


def read_only(build: Build) -> str:
    """a cache that cannot be written"""
    build.cache.mkdir(parents=True)
    said = build.make_within(f"mount -t tmpfs -o ro none '{build.cache}'")
    assert "warning: nothing is kept in the cache" in said and "Read-only file system" in said, said
    return "right; warning: nothing is kept in the cache '...': Read-only file system"


def read_only_and_filled(build: Build) -> str:
    """a filled cache that cannot be written any more"""
    build.make()
    build.clean()
    build.make_within(f"mount --bind '{build.cache}' '{build.cache}' && mount -o remount,bind,ro '{build.cache}'")
    return "right, served from the cache"


def vanishing(build: Build) -> str:
    """a cache that is removed again and again"""
    done = threading.Event()

    def remove() -> None:
        while not done.wait(0.05):
            shutil.rmtree(build.cache, ignore_errors=True)

    thread = threading.Thread(target=remove)
    thread.start()
    try:
        build.make()
    finally:
        done.set()
        thread.join()
    return "right"


def no_folder(build: Build) -> str:
    """a file where the cache's folder should be"""
    build.cache.parent.mkdir(parents=True, exist_ok=True)
    build.cache.write_text("")
    said = build.make()
    assert "warning: nothing is kept in the cache" in said, said
    return "right; warning: nothing is kept in the cache"


def torn(build: Build) -> str:
    """every entry cut short, or with a byte changed"""
    build.make()
    for number, path in enumerate(sorted(build.cache.glob("??/*.entry"))):
        data = path.read_bytes()
        half = len(data) // 2
        path.write_bytes(data[:half] if number % 2 else data[:half] + bytes([data[half] ^ 1]) + data[half + 1 :])
    build.clean()
    build.make()
    return "right: made again"


def tiny_limit(build: Build) -> str:
    """a limit that is less than one build writes"""
    small = Build(build.folder.with_name("small"), build.cache, build.files, build.jobs, {"CASSC_CACHE_SIZE": "20K"})
    small.make()
    small.clean()
    small.make()
    size = sum(path.stat().st_size for path in build.cache.glob("??/*.entry"))
    return f"right; {size >> 10} KiB are kept"


def full_scratch(build: Build) -> str:
    """a full disk below TMPDIR"""
    scratch = build.folder.with_name("full")
    scratch.mkdir()
    # One at a time: of two, one may find room when the other has given up.
    command = f"mount -t tmpfs -o size=64k none '{scratch}' && export TMPDIR='{scratch}' && exec make -j1"
    done = subprocess.run(
        [*UNSHARE, command], cwd=build.folder, env=build.environment, capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    assert done.returncode != 0 and "No space left on device" in said, said
    assert "Traceback" not in said, said
    assert not build.left_behind() and not list(build.folder.glob("*.o"))
    build.make()
    return "an error (No space left on device), nothing half-made; then right"


FAULTS: tuple[Callable[[Build], str], ...] = (
    two_builds,
    killed,
    terminated,
    full_disk,
    read_only,
    read_only_and_filled,
    vanishing,
    no_folder,
    torn,
    tiny_limit,
    full_scratch,
)
NEED_MOUNT = (full_disk, read_only, read_only_and_filled, full_scratch)


def times(build: Build) -> list[tuple[str, float]]:
    found = []
    for name in ("cold", "warm", "no change"):
        if name == "warm":
            build.clean()
        begin = time.perf_counter()
        build.make()
        found.append((name, time.perf_counter() - begin))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--fault-files", type=int, default=0, help="files in the builds with faults, if other")
    parser.add_argument("--only", default="", choices=["times", *(f.__name__ for f in FAULTS)], help="nothing else")
    wanted = parser.parse_args()
    chosen = [fault for fault in FAULTS if wanted.only in ("", fault.__name__)]
    failed = 0
    with tempfile.TemporaryDirectory() as place:
        if wanted.only in ("", "times"):
            for name, seconds in times(
                Build(Path(place, "times/work"), Path(place, "times/cache"), wanted.files, wanted.jobs)
            ):
                print(f"| {wanted.files} files, -j{wanted.jobs}, {name} | {seconds:.1f} s |", flush=True)
        for fault in chosen:
            if fault in NEED_MOUNT and not can_mount():
                print(f"| {fault.__doc__} | not tried: no mount namespace here |")
                continue
            root = Path(place, fault.__name__)
            build = Build(root / "work", root / "cache", wanted.fault_files or wanted.files, wanted.jobs)
            try:
                print(f"| {fault.__doc__} | {fault(build)} |", flush=True)
            except AssertionError as problem:
                failed += 1
                print(f"| {fault.__doc__} | FAILED: {problem} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""nvcc's compilations, cached by what they read.

nvcc names the files that a compilation read (``-MD``). A first entry, found by the command, holds that list; a second
one, found by the content of each file on it, holds the object. So a hit reads the sources and starts nothing. Not
looked for are headers that have come into existence since, earlier on the include path than those that were found.

What is not cached: compilations that fail; that write more than the object; whose sources hold ``__DATE__`` or the
like; or during which a file was changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from cassc.driver import cache as cache_module
from cassc.driver.cache import Cache
from cassc.driver.plan import Compile
from cassc.toolchain import Nvcc

_MORE_OUTPUTS = re.compile(
    r"-v|--?keep(-dir)?|--?save-temps|-MMD|-time|-fdevice-time-trace|.*(-save-temps|-gsplit-dwarf|coverage|-fprofile-).*"
)
"""Options that write, or show, more than the object."""

_VARIABLES = (
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "NVCC_CCBIN",
    "NVVM_ROOT",
    "SOURCE_DATE_EPOCH",
    "LC_ALL",
    "LANG",
)
"""Of the environment: what a compilation reads, and the language of its messages."""

_TIME_MACROS = re.compile(rb"__(DATE|TIME|TIMESTAMP)__")
_LISTS = 8
"""How many lists of files are remembered for one command: a source may change between them."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a compilation gave: its status, and what it printed (standard output and error together)."""

    status: int
    text: bytes


def compile(job: Compile, nvcc: Nvcc, cache: Cache, start: Callable[[list[str]], Run]) -> tuple[Run, bool]:
    """Run the job's command through ``start``, or deliver what it made before; True if so.

    The outputs are the object and, where the command asks for it, the dependency file.
    """
    command = list(job.command)
    if cache.limit == 0 or any(_MORE_OUTPUTS.fullmatch(word) for word in command) or job.source == "-":
        return start(command), False
    dependencies = job.output.with_suffix(".d")
    wanted = "-MF" in command
    if not wanted:
        command += ["-MD", "-MF", str(dependencies)]
    name = _command_key(command, job.output.parent, nvcc)
    known = _lists(cache, name)
    for files in known:
        stored = cache.get(_content_key(name, files) or "")
        if stored is not None:
            cache.hits += 1
            return _deliver(stored, job.output, dependencies if wanted else None), True
    cache.misses += 1
    begin = time.time()
    done = start(command)
    if done.status == 0:
        _store(cache, name, known, job.output, dependencies, done, begin)
    return done, False


def _command_key(command: Iterable[str], scratch: Path, nvcc: Nvcc) -> str:
    """Of everything but the files that are read. Scratch folders differ from run to run."""
    tools = [nvcc.path, nvcc.root / "nvvm/bin/cicc", nvcc.root / "bin/ptxas", *_host_compilers(command)]
    facts = {
        "command": [word.replace(str(scratch), "@") for word in command],
        "folder": os.getcwd(),
        "tools": [[str(path), *_size_and_time(path)] for path in tools],
        "environment": {name: os.environ.get(name) for name in _VARIABLES},
    }
    return cache_module.key("compile", json.dumps(facts, sort_keys=True))


def _host_compilers(command: Iterable[str]) -> list[Path]:
    words = list(command)
    named = words[words.index("-ccbin") + 1] if "-ccbin" in words else os.environ.get("NVCC_CCBIN", "gcc")
    found = shutil.which(named)
    return [Path(found).resolve()] if found else []


def _size_and_time(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


def _lists(cache: Cache, name: str) -> list[list[str]]:
    stored = cache.get(name)
    return json.loads(stored) if stored else []


def _content_key(name: str, files: Iterable[str]) -> str | None:
    """None where a file is gone, or says what time it is."""
    digest = hashlib.sha256(name.encode())
    for path in files:
        try:
            with open(path, "rb") as file:
                content = file.read()
        except OSError:
            return None
        if _TIME_MACROS.search(content):
            return None
        digest.update(f"{path}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _store(
    cache: Cache, name: str, known: list[list[str]], made: Path, dependencies: Path, done: Run, begin: float
) -> None:
    try:
        rule = dependencies.read_bytes()
        files = read_rule(rule.decode(errors="surrogateescape"))
        if any(os.stat(path).st_mtime >= begin for path in files):
            return
        content = _content_key(name, files)
    except OSError:
        return
    if content is None:
        return
    parts = [made.read_bytes(), rule, done.text]
    cache.put(content, json.dumps([len(part) for part in parts]).encode() + b"\n" + b"".join(parts))
    others = [other for other in known if other != files]
    cache.put(name, json.dumps([files, *others[: _LISTS - 1]]).encode())


def _deliver(stored: bytes, made: Path, dependencies: Path | None) -> Run:
    header, _, rest = stored.partition(b"\n")
    sizes = json.loads(header)
    made.write_bytes(rest[: sizes[0]])
    if dependencies is not None:
        dependencies.write_bytes(rest[sizes[0] : sizes[0] + sizes[1]])
    return Run(0, rest[sizes[0] + sizes[1] :])


def read_rule(text: str) -> list[str]:
    """The files on the right side of the first rule of a dependency file."""
    rule = re.sub(r"\\\r?\n", " ", text).partition("\n")[0]
    words = re.findall(r"(?:\\.|[^\s\\]|\\(?=\s|$))+", rule)
    names = [re.sub(r"\\(.)", r"\1", word).replace("$$", "$") for word in words]
    targets = next((number for number, word in enumerate(words) if word.endswith(":")), -1)
    return names[targets + 1 :]

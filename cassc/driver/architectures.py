"""For which GPU architectures nvcc compiles: ``-arch``, ``-code`` and ``-gencode``, in every form that nvcc takes.

What is asked for is passed on, with two exceptions, each with a remark: ``native``, ``all`` and ``all-major`` stand for
the default, since one architecture is translated; LTO code (``lto_80``) becomes SASS.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cassc.diag import Diagnostic, Severity
from cassc.driver.arguments import CommandLine, CommandLineError
from cassc.target import DEFAULT_SM, Target

_NAMED = ("native", "all", "all-major")
_NAME = re.compile(r"(compute|sm|lto)_(\d+)([af]?)")


@dataclass(frozen=True, slots=True)
class Codes:
    """One virtual architecture and what is made of it: ``arch`` is ``compute_80``, ``codes`` are ``sm_80``,
    ``compute_80``, ``lto_80``."""

    arch: str
    codes: tuple[str, ...]

    @property
    def words(self) -> tuple[str, str]:
        return "-gencode", f"arch={self.arch},code=[{','.join(self.codes)}]"


@dataclass(frozen=True, slots=True)
class Architectures:
    """``words``: nvcc's options, as they were given where nothing had to be changed."""

    words: tuple[str, ...]
    remarks: tuple[Diagnostic, ...] = ()


def as_given(line: CommandLine) -> tuple[str, ...]:
    """Nothing but checked: for products of nvcc alone."""
    _requested(line)
    return _words(line)


def choose(line: CommandLine, targets: Sequence[Target]) -> Architectures:
    """Raises CommandLineError in nvcc's words."""
    named = line.last("gpu-architecture")
    if named in _NAMED and not line.has("generate-code"):
        names = ", ".join(target.name for target in targets)
        text = f"option '-arch={named}' stands for {DEFAULT_SM.name}: the device code is translated to {names}"
        return Architectures(_default(), (_remark("native-arch", text),))
    requested = _requested(line)
    if not requested:
        return Architectures(_default())
    made = [_without_lto(item) for item in requested]
    remarks = []
    if made != requested:
        text = "LTO code is not SASS: device code is compiled to SASS at once, and linked without optimisation"
        remarks.append(_remark("no-lto", text))
    if not remarks:
        return Architectures(_words(line))
    return Architectures(tuple(word for item in made for word in item.words), tuple(remarks))


def _default() -> tuple[str, ...]:
    return "-arch", DEFAULT_SM.name


def _words(line: CommandLine) -> tuple[str, ...]:
    words: list[str] = []
    if line.has("gpu-architecture"):
        words += ["-arch", line.last("gpu-architecture")]
    for value in line.all("generate-code"):
        words += ["-gencode", value]
    if line.has("gpu-code"):
        words += ["-code", ",".join(line.all("gpu-code"))]
    return tuple(words)


def _remark(id: str, text: str) -> Diagnostic:
    return Diagnostic(Severity.REMARK, f"command-line-{id}", text)


def _requested(line: CommandLine) -> list[Codes]:
    found = []
    arch, codes = line.last("gpu-architecture"), line.all("gpu-code")
    if line.has("gpu-architecture") and arch not in _NAMED:
        kind = _kind(arch)
        if codes:
            if kind != "compute":
                text = f"Value of -arch option ('{arch}') must be a virtual code architecture"
                raise CommandLineError("bad-architecture", text)
            found.append(Codes(arch, codes))
        elif kind == "compute":
            found.append(Codes(arch, (arch,)))
        else:
            virtual = f"compute_{arch.partition('_')[2]}"
            found.append(Codes(virtual, (arch, virtual) if kind == "sm" else (arch,)))
    elif codes and not line.has("gpu-architecture"):
        raise CommandLineError("bad-architecture", "-arch option not specified")
    found += [_gencode(value) for value in line.all("generate-code")]
    for item in found:
        for code in item.codes:
            _kind(code)
    return found


def _gencode(value: str) -> Codes:
    """``arch=compute_80,code=sm_80``; several codes stand in brackets or quotes."""
    text = re.sub(r"\s", "", value.replace("\\", ""))
    pairs: dict[str, str] = {}
    for part in re.findall(r"""(?:[^,\["']|\[[^\]]*\]|"[^"]*"|'[^']*')+""", text):
        name, equals, content = part.partition("=")
        if not equals:
            raise CommandLineError("bad-architecture", f"'{part}' is not in 'keyword=value' format")
        pairs[name] = re.sub(r"""[\[\]"']""", "", content)
    for name, title in (("arch", "architecture"), ("code", "code")):
        if name not in pairs:
            raise CommandLineError("bad-architecture", f"Option '--generate-code {value}', missing {title}")
    if _kind(pairs["arch"]) != "compute":
        text = f"Value of -arch option ('{pairs['arch']}') must be a virtual code architecture"
        raise CommandLineError("bad-architecture", text)
    return Codes(pairs["arch"], tuple(code for code in pairs["code"].split(",") if code))


def _kind(name: str) -> str:
    """``compute``, ``sm`` or ``lto``; nvcc itself knows which numbers there are."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise CommandLineError("bad-architecture", f"Unsupported gpu architecture '{name}'")
    return match[1]


def _without_lto(item: Codes) -> Codes:
    codes = (re.sub(r"^lto_", "sm_", code) for code in item.codes)
    return Codes(item.arch, tuple(dict.fromkeys(codes)))

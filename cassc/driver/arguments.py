"""The words of a command line, matched against the option table: which options were given, with which values.

nvcc's rules: an option's place does not matter; of one that takes a single value the last one counts, with a warning
where they differ; ``NVCC_PREPEND_FLAGS`` and ``NVCC_APPEND_FLAGS`` stand before and after what was typed; ``-optf``
stands for the words of a file.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cassc.diag import CasscError, Diagnostic, Severity
from cassc.driver.options import BOOLEAN, BY_SPELLING, JOINED, OWN, Arity, Option, Use
from cassc.toolchain import NVCC_FLAG_VARIABLES

_OPTIONS_FILE_DEPTH = 8


class CommandLineError(CasscError):
    """A command line that nvcc would refuse; ``message`` is nvcc's sentence where it has one."""

    def __init__(self, id: str, message: str) -> None:
        super().__init__(Diagnostic(Severity.FATAL, f"command-line-{id}", message))


@dataclass(frozen=True, slots=True)
class Given:
    """One option as it was given; ``value`` is None for a flag."""

    option: Option
    spelling: str
    value: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """Its canonical form."""
        name = self.option.short[0] if self.option.short else f"--{self.option.name}"
        return (name,) if self.value is None else (name, self.value)


@dataclass(frozen=True, slots=True)
class CommandLine:
    """Attributes:
    given: in order, without those that a later one replaces.
    files: in order.
    unknown: words that look like options and are none.
    remarks: what was replaced, or accepted without effect.
    """

    given: tuple[Given, ...]
    files: tuple[str, ...]
    unknown: tuple[str, ...]
    remarks: tuple[Diagnostic, ...]

    def has(self, *names: str) -> bool:
        return any(item.option.name in names for item in self.given)

    def last(self, name: str) -> str:
        """The value that counts, empty if there is none."""
        return next((item.value or "" for item in reversed(self.given) if item.option.name == name), "")

    def all(self, name: str) -> tuple[str, ...]:
        """Every value; those of a comma list one by one."""
        found = [item for item in self.given if item.option.name == name and item.value is not None]
        if not found or found[0].option.arity is not Arity.MANY:
            return tuple(item.value or "" for item in found)
        return tuple(part for item in found for part in (item.value or "").split(",") if part)

    def words(self, use: Use) -> list[str]:
        """The options with this use, in their canonical form."""
        items = [item for item in self.given if use in item.option.use]
        return [word for item in items for word in item.words]


def read(argv: Sequence[str], environment: Mapping[str, str]) -> CommandLine:
    """``argv`` is what follows the program's name. Raises CommandLineError."""
    before, after = (shlex.split(environment.get(name, "")) for name in NVCC_FLAG_VARIABLES)
    return _Reader(_expand([*before, *argv, *after], _OPTIONS_FILE_DEPTH)).read()


def _expand(argv: Sequence[str], depth: int) -> list[str]:
    """Replace ``-optf file,...`` by the words of the files."""
    words: list[str] = []
    rest = iter(argv)
    for word in rest:
        head, equals, value = word.partition("=")
        if head not in ("-optf", "--options-file"):
            words.append(word)
            continue
        value = value if equals else next(rest, "")
        if not value:
            raise CommandLineError("missing-argument", f"argument expected after '{head}'")
        for name in value.split(","):
            if depth == 0:
                raise CommandLineError("options-file", f"Options files are nested too deeply at '{name}'")
            try:
                content = shlex.split(Path(name).read_text())
            except (OSError, ValueError):  # the latter: no text, or a quote that is not closed
                raise CommandLineError("options-file", f"Could not open options file '{name}'") from None
            words += _expand(content, depth - 1)
    return words


class _Reader:
    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.given: list[Given] = []
        self.files: list[str] = []
        self.unknown: list[str] = []
        self.remarks: list[Diagnostic] = []

    def read(self) -> CommandLine:
        position = 0
        while position < len(self.words):
            word = self.words[position]
            position += 1
            if not word.startswith("-") or word == "-":
                self.files.append(word)
                continue
            option, value = _match(word)
            if option is None:
                self.unknown.append(word)
                continue
            if option.arity is not Arity.FLAG and value is None:
                if position == len(self.words):
                    raise CommandLineError("missing-argument", f"argument expected after '{word}'")
                value = self.words[position]
                position += 1
            self._accept(Given(option, word.partition("=")[0], value))
        return CommandLine(tuple(self.given), tuple(self.files), tuple(self.unknown), tuple(self.remarks))

    def _accept(self, item: Given) -> None:
        option = item.option
        if Use.REFUSE in option.use:
            raise CommandLineError("refused-option", f"option '{item.spelling}' {option.reason}")
        if item.value is not None:
            _check_value(option, item.value)
        if Use.IGNORE in option.use:
            text = f"option '{item.spelling}' {option.reason}"
            self.remarks.append(Diagnostic(Severity.REMARK, "command-line-ignored-option", text))
            return
        if option.arity is Arity.ONE:
            self._replace(item)
        self.given.append(item)

    def _replace(self, item: Given) -> None:
        earlier = [other for other in self.given if other.option is item.option]
        for other in earlier:
            self.given.remove(other)
            if other.value != item.value:
                text = (
                    f"incompatible redefinition for option '{item.option.name}', the last value of this option was used"
                )
                self.remarks.append(Diagnostic(Severity.WARNING, "command-line-redefinition", text))


def _match(word: str) -> tuple[Option | None, str | None]:
    """The option and the value that stands in the same word, if one does."""
    head, equals, value = word.partition("=")
    option = BY_SPELLING.get(head)
    if option is not None:
        if option.arity is Arity.FLAG and equals:
            raise CommandLineError("unexpected-argument", f"no argument expected after '{head}'")
        return option, value if equals else None
    for candidate in JOINED:
        for spelling in candidate.short:
            if word.startswith(spelling) and len(word) > len(spelling):
                return candidate, word[len(spelling) :]
    return None, None


def _check_value(option: Option, value: str) -> None:
    if option.number:
        if not re.fullmatch(r"-?\d+", value):
            raise CommandLineError("bad-value", f"'{value}': expected a number")
        if value.startswith("-"):
            text = f"Argument for --{option.name} ({option.short[0]}) must be non-negative"
            raise CommandLineError("bad-value", text)
    if option.values == BOOLEAN and value not in BOOLEAN:
        raise CommandLineError("bad-value", f"'{value}': expected true or false")
    for part in value.split(",") if option.arity is Arity.MANY else [value]:
        if option.values and part not in option.values:
            known = f" (known: {', '.join(option.values)})" if option.name in OWN else ""
            raise CommandLineError("bad-value", f"Value '{part}' is not defined for option '{option.name}'{known}")

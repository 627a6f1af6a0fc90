"""Sources as clang's own lexer cuts them: libclang's tokens, with comments, and with everything between them kept.

Only the lexer's part of libclang is used: no header is opened, and what cannot be parsed is cut all the same.
"""

from __future__ import annotations

import bisect
import ctypes
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from cassc.diag import error
from cassc.hip import tools


class Kind(Enum):
    """As libclang numbers them (CXTokenKind)."""

    PUNCTUATION = 0
    KEYWORD = 1
    IDENTIFIER = 2
    LITERAL = 3
    COMMENT = 4


@dataclass(frozen=True, slots=True)
class Token:
    """``offset`` is in bytes of the UTF-8 text."""

    kind: Kind
    text: str
    offset: int

    @property
    def end(self) -> int:
        return self.offset + len(self.text.encode(errors="surrogateescape"))


class _Location(ctypes.Structure):
    _fields_ = [("pointers", ctypes.c_void_p * 2), ("number", ctypes.c_uint)]


class _Range(ctypes.Structure):
    _fields_ = [("pointers", ctypes.c_void_p * 2), ("begin", ctypes.c_uint), ("end", ctypes.c_uint)]


class _Token(ctypes.Structure):
    _fields_ = [("numbers", ctypes.c_uint * 4), ("pointer", ctypes.c_void_p)]


class _Unsaved(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("content", ctypes.c_char_p), ("length", ctypes.c_ulong)]


_NAME = b"source.cu"
_ARGUMENTS = (
    *(b"-x", b"cuda", b"--cuda-host-only", b"-nocudainc", b"-nocudalib", b"-nostdinc"),
    *(b"-std=c++20", b"-fsyntax-only", b"--offload-arch=sm_80", b"-Wno-unknown-cuda-version"),
)
_SINGLE_FILE = 0x400  # CXTranslationUnit_SingleFileParse: includes are not followed
_SKIP_BODIES = 0x40  # CXTranslationUnit_SkipFunctionBodies
_KEEP_GOING = 0x200  # CXTranslationUnit_KeepGoing


@functools.cache
def _library() -> ctypes.CDLL:
    path = tools.find_lexer()
    if path is None:
        (lack,) = [lack for lack in tools.lacks() if lack.what == "libclang"]
        raise error("source-no-lexer", f"libclang was not found; to install it: {lack.mend}")
    library = ctypes.CDLL(str(path))
    pointer, unsigned = ctypes.c_void_p, ctypes.c_uint
    for name, result, arguments in (
        ("clang_createIndex", pointer, [ctypes.c_int, ctypes.c_int]),
        ("clang_disposeIndex", None, [pointer]),
        ("clang_disposeTranslationUnit", None, [pointer]),
        ("clang_getFile", pointer, [pointer, ctypes.c_char_p]),
        ("clang_getLocationForOffset", _Location, [pointer, pointer, unsigned]),
        ("clang_getRange", _Range, [_Location, _Location]),
        ("clang_getTokenKind", ctypes.c_int, [_Token]),
        ("clang_getTokenExtent", _Range, [pointer, _Token]),
        ("clang_getRangeStart", _Location, [_Range]),
        ("clang_getRangeEnd", _Location, [_Range]),
        ("clang_disposeTokens", None, [pointer, ctypes.POINTER(_Token), unsigned]),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def lex(text: str) -> list[Token]:
    """All tokens of a source, comments included, in order. Raises CasscError ``source-no-lexer``."""
    library = _library()
    data = text.encode(errors="surrogateescape")
    index = library.clang_createIndex(0, 0)
    unit = ctypes.c_void_p()
    try:
        unsaved = _Unsaved(_NAME, data, len(data))
        status = library.clang_parseTranslationUnit2(
            ctypes.c_void_p(index),
            _NAME,
            (ctypes.c_char_p * len(_ARGUMENTS))(*_ARGUMENTS),
            len(_ARGUMENTS),
            ctypes.byref(unsaved),
            1,
            _SINGLE_FILE | _SKIP_BODIES | _KEEP_GOING,
            ctypes.byref(unit),
        )
        if status != 0:
            raise error("source-lexer-failed", f"libclang cannot read the source (error {status})")
        return list(_tokens(library, unit, data))
    finally:
        if unit.value:
            library.clang_disposeTranslationUnit(unit)
        library.clang_disposeIndex(index)


def _tokens(library: ctypes.CDLL, unit: ctypes.c_void_p, data: bytes) -> Iterator[Token]:
    file = library.clang_getFile(unit, _NAME)
    whole = library.clang_getRange(
        library.clang_getLocationForOffset(unit, file, 0), library.clang_getLocationForOffset(unit, file, len(data))
    )
    tokens, count = ctypes.POINTER(_Token)(), ctypes.c_uint()
    library.clang_tokenize(unit, whole, ctypes.byref(tokens), ctypes.byref(count))
    place = ctypes.c_uint()
    try:
        previous = -1
        for number in range(count.value):
            token = tokens[number]
            extent = library.clang_getTokenExtent(unit, token)
            begin = _offset(library, library.clang_getRangeStart(extent), place)
            end = _offset(library, library.clang_getRangeEnd(extent), place)
            if begin <= previous or end > len(data):
                continue
            previous = begin
            text = data[begin:end].decode(errors="surrogateescape")
            yield Token(Kind(library.clang_getTokenKind(token)), text, begin)
    finally:
        library.clang_disposeTokens(unit, tokens, count)


def _offset(library: ctypes.CDLL, location: _Location, place: ctypes.c_uint) -> int:
    library.clang_getSpellingLocation(location, None, None, None, ctypes.byref(place))
    return place.value


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the bytes from ``begin`` to ``end``."""

    begin: int
    end: int
    text: str


def apply(text: str, edits: Sequence[Edit]) -> str:
    """The text with edits done; they may not overlap."""
    data = text.encode(errors="surrogateescape")
    pieces, position = [], 0
    for edit in sorted(edits, key=lambda e: (e.begin, e.end)):
        assert edit.begin >= position, "edits overlap"
        pieces += [data[position : edit.begin], edit.text.encode(errors="surrogateescape")]
        position = edit.end
    pieces.append(data[position:])
    return b"".join(pieces).decode(errors="surrogateescape")


class Lines:
    """Line and column (both from 1) of byte offsets in a text."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        for line in text.encode(errors="surrogateescape").splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def place(self, offset: int) -> tuple[int, int]:
        line = bisect.bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def read(path: Path) -> str:
    """A source as text; bytes that are not UTF-8 survive a round trip."""
    try:
        return path.read_bytes().decode(errors="surrogateescape")
    except OSError as problem:
        raise error("source-not-read", f"cannot read '{path}': {problem.strerror}") from problem

"""CUDA C++ to HIP as text: tokens are replaced, and nothing else; comments, macros, strings and layout stay.

What has no counterpart, or means something else in HIP, is reported with its place. (The source engine needs none of
this: it is for those who want to own the HIP source.)
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from cassc.diag import Diagnostic, Location, Severity
from cassc.hip import dialect, names, plain_ptx, tokens
from cassc.hip.names import Names
from cassc.hip.ptx import Untranslated
from cassc.hip.tokens import Edit, Kind, Token

_OPEN = {"(": ")", "[": "]", "{": "}"}
_DEVICE = "__HIP_DEVICE_COMPILE__"
_ARCH = "__CUDA_ARCH__"
_BUILTINS = "HIP_ENABLE_WARP_SYNC_BUILTINS"
_RUNTIME = "hip/hip_runtime.h"

_OF_32_LANES = frozenset((operator, number) for operator in ("%", "/") for number in ("32", "32u", "32U")) | frozenset(
    (("&", "31"), ("&", "0x1f"), ("&", "0x1F"), (">>", "5"))
)

_ALL_LANES = frozenset(("~0u", "~0U", "~0", "-1", "~0x0", "~0x0u"))

# Position of the argument that HIP wants cast, or wrapped for symbols.
_KERNELS = {
    "cudaFuncSetAttribute": 0,
    "cudaFuncSetCacheConfig": 0,
    "cudaFuncSetSharedMemConfig": 0,
    "cudaFuncGetAttributes": 1,
    "cudaLaunchKernel": 0,
}
_SYMBOLS = {
    "cudaMemcpyToSymbol": 0,
    "cudaMemcpyToSymbolAsync": 0,
    "cudaMemcpyFromSymbol": 1,
    "cudaMemcpyFromSymbolAsync": 1,
    "cudaGetSymbolAddress": 1,
    "cudaGetSymbolSize": 1,
}


@dataclass(frozen=True, slots=True)
class Converted:
    """``gaps``: device functions that HIP lacks and the header ``hip_gaps.h`` beside the output brings."""

    text: str
    diagnostics: tuple[Diagnostic, ...]
    gaps: frozenset[str] = frozenset()


def convert(text: str, title: str, macros: Collection[dialect.Macro] = ()) -> Converted:
    """``title`` names the file in diagnostics; ``macros``: those that other files of the project define.
    Raises CasscError ``source-no-lexer``."""
    return _Converter(text, title, macros).run()


class _Converter:
    def __init__(self, text: str, title: str, macros: Collection[dialect.Macro]) -> None:
        self.text = text
        self.title = title
        self.names: Names = names.load()
        self.stream = [t for t in tokens.lex(text) if t.kind is not Kind.COMMENT]
        self.lines = tokens.Lines(text)
        self.edits: list[Edit] = []
        self.diagnostics: list[Diagnostic] = []
        self.gaps: set[str] = set()
        self.directive = [False] * len(self.stream)
        self.macros = [*macros, *dialect.macros(text)]
        # Macros of the user's are the user's, whatever they look like.
        self.own = frozenset(macro.name for macro in self.macros)
        self.small_floats = re.search(r"#\s*include\s*<cuda_(fp16|bf16)\.h", text) is not None

    def run(self) -> Converted:
        self._directives()
        for position, token in enumerate(self.stream):
            if token.kind in (Kind.IDENTIFIER, Kind.KEYWORD):
                self._name(position, token)
            elif (
                token.text,
                self.stream[position + 1].text if position + 1 < len(self.stream) else "",
            ) in _OF_32_LANES:
                self._lanes(position)
        self._launches()
        self.edits += dialect.alignments(self.stream)
        for found in dialect.assembly(self.stream):
            self._assembly(found)
        self._headers()
        made = tokens.apply(self.text, _without_overlaps(self.edits))
        order = {Severity.ERROR: 0, Severity.WARNING: 1}
        told = sorted(
            self.diagnostics, key=lambda d: (d.location.line, d.location.column, order.get(d.severity, 2), d.message)
        )
        return Converted(made, tuple(told), frozenset(self.gaps))

    def _say(self, offset: int, severity: Severity, id: str, message: str) -> None:
        line, column = self.lines.place(offset)
        self.diagnostics.append(Diagnostic(severity, id, message, Location(self.title, line, column)))

    def _launches(self) -> None:
        """Grids and blocks in braces, also those that macros make, as dim3. In parentheses: they convert numbers."""
        lists = frozenset(macro.name for macro in self.macros if macro.is_list)
        given = {
            self.stream[position].text
            for position, token in enumerate(self.stream[1:])
            if token.text == "(" and self.stream[position].text in self.own
            for first, _ in self._split(position + 1)
            if self.stream[first].text in (*lists, "{")
        }
        parameters = [(m.begin, m.end, m.parameters or ()) for m in dialect.macros(self.text) if m.name in given]
        for first, last in dialect.configurations(self.stream, lists, parameters):
            opening, closing = self.stream[first], self.stream[last]
            braced = opening.text == "{"
            self.edits.append(Edit(opening.offset, opening.end if braced else opening.offset, "dim3("))
            self.edits.append(Edit(closing.offset if braced else closing.end, closing.end, ")"))

    # Directives

    def _directives(self) -> None:
        """Mark the tokens of each directive, and convert conditions."""
        data = self.text.encode(errors="surrogateescape")
        position = 0
        while position < len(self.stream):
            token = self.stream[position]
            line_start = data.rfind(b"\n", 0, token.offset) + 1
            if token.text != "#" or data[line_start : token.offset].strip():
                position += 1
                continue
            end = token.offset
            while True:
                end = data.find(b"\n", end)
                if end < 0:
                    end = len(data)
                    break
                if data[:end].rstrip(b"\r")[-1:] != b"\\":
                    break
                end += 1
            last = position
            while last < len(self.stream) and self.stream[last].offset < end:
                last += 1
            word = self.stream[position + 1].text if position + 1 < last else ""
            if word in ("if", "elif", "ifdef", "ifndef"):
                for i in range(position, last):
                    self.directive[i] = True
                self._condition(position, last, word)
            position = last

    def _condition(self, first: int, last: int, word: str) -> None:
        for i in range(first, last):
            if self.stream[i].text != _ARCH:
                continue
            token = self.stream[i]
            if word in ("ifdef", "ifndef"):
                keyword = self.stream[first + 1]
                self.edits.append(Edit(keyword.offset, keyword.end, "if"))
                self.edits.append(Edit(token.offset, token.end, _DEVICE if word == "ifdef" else f"!{_DEVICE}"))
                continue
            before = self.stream[i - 1].text
            if before == "defined":
                self.edits.append(Edit(self.stream[i - 1].offset, token.end, _DEVICE))
            elif before == "(" and self.stream[i - 2].text == "defined":
                self.edits.append(Edit(self.stream[i - 2].offset, self.stream[i + 1].end, _DEVICE))
            elif i + 2 < last and self.stream[i + 1].text in (">=", ">", "<", "<="):
                operator, number = self.stream[i + 1].text, self.stream[i + 2]
                upwards = operator in (">=", ">")
                self.edits.append(Edit(token.offset, number.end, _DEVICE if upwards else f"!{_DEVICE}"))
                message = f"'{_ARCH} {operator} {number.text}' asks for an NVIDIA SM: every AMD device counts as newer"
                self._say(token.offset, Severity.WARNING, "hipify-arch", message)
            else:
                self.edits.append(Edit(token.offset, token.end, _DEVICE))
                self._say(
                    token.offset, Severity.WARNING, "hipify-arch", f"'{_ARCH}' has no value in HIP: check the condition"
                )

    # Names

    def _name(self, position: int, token: Token) -> None:
        name = token.text
        before = self.stream[position - 1].text if position else ""
        behind = self.stream[position + 1].text if position + 1 < len(self.stream) else ""
        if before in (".", "->"):
            return
        if name in self.names.namespaces and (behind == "::" or self._names_namespace(position)):
            if before != "::" or self._is_global(position - 1):
                self.edits.append(Edit(token.offset, token.end, self.names.namespaces[name]))
                self._of_cub(position + 2)
            return
        if self._is_pasted(position):
            message = f"'{name}' is a part of a name that a macro puts together: write HIP's there"
            self._say(token.offset, Severity.ERROR, "hipify-pasted", message)
            return
        if name == _ARCH:
            if not self.directive[position]:
                self._say(
                    token.offset, Severity.ERROR, "hipify-arch", f"'{_ARCH}' has no counterpart outside conditions"
                )
            return
        if name in self.own:
            return
        if name in self.names.masks and behind == "(":
            self._mask(position)
        if name in self.names.lacking:
            if name in GAPS:
                self.gaps.add(name)
            else:
                self._say(token.offset, Severity.ERROR, "hipify-lacking", f"'{name}' has no counterpart in HIP")
            return
        if name == "atomicAdd" and behind == "(" and self.small_floats:
            self.gaps.add(name)
        if name in self.names.changed:
            message = self.names.changed[name].format(name=name)
            self._say(token.offset, Severity.WARNING, "hipify-changed", message)
        if behind == "(":
            self._arguments(position, name)
        new = self.names.renamed.get(name)
        if name == "cudaGraphInstantiate" and behind == "(" and len(self._split(position + 1)) < 5:
            new = "hipGraphInstantiateWithFlags"
            if len(self._split(position + 1)) == 2:
                end = self._closing(position + 1)
                self.edits.append(Edit(self.stream[end].offset, self.stream[end].offset, ", 0"))
        if new is not None:
            self.edits.append(Edit(token.offset, token.end, new))
        elif name in self.names.other:
            message = f"'{name}' becomes '{self.names.other[name]}', which has other parameters: rewrite the call"
            self._say(token.offset, Severity.ERROR, "hipify-missing", message)
        elif name in self.names.missing:
            self._say(token.offset, Severity.ERROR, "hipify-missing", f"'{name}' has no counterpart in HIP")
        else:
            self._library(token)

    def _is_pasted(self, position: int) -> bool:
        """Whether the first half of CUDA's names stands beside ``##``, or is given to a macro with ``##``."""
        if self.stream[position].text not in self.names.halves:
            return False
        behind = self.stream[position + 1].text if position + 1 < len(self.stream) else ""
        if behind == "##":
            return True
        pasting = {macro.name for macro in self.macros if "##" in macro.body}
        before = [token.text for token in self.stream[max(0, position - 2) : position]]
        return len(before) == 2 and before[1] == "(" and before[0] in pasting and behind in (",", ")")

    def _names_namespace(self, position: int) -> bool:
        """Whether a namespace stands there as a whole: in a directive, or with another name."""
        before = [token.text for token in self.stream[max(0, position - 4) : position]]
        if before and before[-1] == "::":
            before.pop()
        return before[-2:] == ["using", "namespace"] or (before[-1:] == ["="] and before[-3:-2] == ["namespace"])

    def _is_global(self, position: int) -> bool:
        """Whether the ``::`` there has no name in front of it."""
        token = self.stream[position - 1] if position else None
        return token is None or token.kind is not Kind.IDENTIFIER and token.text not in (">", ">>")

    def _of_cub(self, position: int) -> None:
        """A name behind ``cub::`` that hipCUB may lack."""
        token = self.stream[position] if position < len(self.stream) else None
        if token is not None and token.text in self.names.cub_missing:
            message = f"'cub::{token.text}' has no counterpart in hipCUB"
            self._say(token.offset, Severity.ERROR, "hipify-missing", message)
        elif token is not None and token.text in self.names.cub_newer:
            message = f"'cub::{token.text}': hipCUB has it from ROCm 7 on"
            self._say(token.offset, Severity.WARNING, "hipify-changed", message)

    def _lanes(self, position: int) -> None:
        """Arithmetic on a thread's number with the size of a warp written as a number."""
        before = [t.text for t in self.stream[max(0, position - 3) : position]]
        if before == ["threadIdx", ".", "x"] or (before and re.search(r"tid|lane|thread", before[-1], re.IGNORECASE)):
            token = self.stream[position + 1]
            message = f"'{token.text}': warps of 32 lanes are written into the source; CDNA's waves have 64"
            self._say(token.offset, Severity.REMARK, "hipify-warp-size", message)

    def _assembly(self, found: dialect.Statement) -> None:
        """Inline PTX as C++, where HIP has functions for it."""
        if found.template is not None and not found.template.strip():
            return  # a barrier for the compiler
        try:
            if found.template is None:
                raise Untranslated("text that a macro puts together")
            operands: dict[str, tuple[str, str]] = {}
            for number, constraint in enumerate((*found.outputs, *found.inputs)):
                kind = plain_ptx.CONSTRAINTS.get(constraint.text.lstrip("=+&"))
                if kind is None:
                    raise Untranslated(f'constraint "{constraint.text}"')
                operands[str(number)] = constraint.expression, kind
                if constraint.name:
                    operands[constraint.name] = constraint.expression, kind
            made = plain_ptx.statement(found.template.replace("%%", "%"), operands)
        except Untranslated as problem:
            message = f"inline PTX has no counterpart: write it as C++ ('{problem}')"
            self._say(found.begin, Severity.ERROR, "hipify-inline-ptx", message)
            return
        self.edits.append(Edit(found.begin, found.end, made))
        self._say(found.begin, Severity.REMARK, "hipify-inline-ptx", "inline PTX becomes C++")

    def _library(self, token: Token) -> None:
        for prefix, family in self.names.prefixes.items():
            if re.match(rf"{prefix}[A-Z]|{prefix.upper()}_", token.text):
                message = f"'{token.text}' has no counterpart in HIP's library for {family}"
                self._say(token.offset, Severity.ERROR, "hipify-missing", message)

    def _closing(self, opening: int) -> int:
        depth = 0
        for position in range(opening, len(self.stream)):
            text = self.stream[position].text
            depth += (text in _OPEN) - (text in _OPEN.values())
            if depth == 0:
                return position
        return len(self.stream) - 1

    def _split(self, opening: int) -> list[tuple[int, int]]:
        """First and last token of each argument between brackets; template arguments hold commas of their own."""
        end = self._closing(opening)
        found, first, depth, angles = [], opening + 1, 0, 0
        for position in range(opening + 1, end):
            text = self.stream[position].text
            depth += (text in _OPEN) - (text in _OPEN.values())
            if depth == 0 and text == "<" and self.stream[position - 1].kind is Kind.IDENTIFIER:
                angles += 1
            elif depth == 0 and angles and text in (">", ">>"):
                angles -= min(len(text), angles)
            elif depth == 0 and angles == 0 and text == ",":
                found.append((first, position - 1))
                first = position + 1
        if first < end:
            found.append((first, end - 1))
        return found

    def _arguments(self, position: int, name: str) -> None:
        for table, before, behind in (
            (_KERNELS, "reinterpret_cast<const void*>(", ")"),
            (_SYMBOLS, "HIP_SYMBOL(", ")"),
        ):
            number = table.get(name)
            if number is None:
                continue
            arguments = self._split(position + 1)
            if number >= len(arguments):
                continue
            first, last = arguments[number]
            if self.stream[first].text in ("(", "reinterpret_cast", "HIP_SYMBOL"):
                continue  # the user casts already
            self.edits.append(Edit(self.stream[first].offset, self.stream[first].offset, before))
            self.edits.append(Edit(self.stream[last].end, self.stream[last].end, behind))

    def _mask(self, position: int) -> None:
        """A mask of 64 bits, which HIP's functions insist on."""
        name = self.stream[position].text
        self.gaps.add(name if name in GAPS else _BUILTINS)
        arguments = self._split(position + 1)
        if not arguments:
            return
        message = f"the mask of '{self.stream[position].text}' has 64 bits in HIP: it is widened"
        self._say(self.stream[arguments[0][0]].offset, Severity.REMARK, "hipify-mask", message)
        first, last = arguments[0]
        token = self.stream[first]
        number = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)[uU]?", token.text)
        if first == last and token.kind is Kind.LITERAL and number:
            self.edits.append(Edit(token.offset, token.end, number[1] + "ull"))
            return
        words = "".join(t.text for t in self.stream[first : last + 1])
        if words in _ALL_LANES:
            self.edits.append(Edit(token.offset, self.stream[last].end, "0xffffffffull"))
            return
        if words == "__activemask()":
            return  # 64 bits wide in HIP
        # Through 32 bits, so that a negative number does not set those above.
        self.edits.append(Edit(token.offset, token.offset, "static_cast<unsigned long long>(static_cast<unsigned>("))
        self.edits.append(Edit(self.stream[last].end, self.stream[last].end, "))"))

    # Headers

    def _includes(self) -> Iterator[tuple[int, int, str]]:
        """Begin and end of the name with its brackets, and the name."""
        pattern = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(<[^>\n]+>|"[^"\n]+")', re.MULTILINE)
        data = self.text.encode(errors="surrogateescape")
        starts = {t.offset for t in self.stream if t.text == "#"}
        for match in pattern.finditer(data):
            if data.index(b"#", match.start()) in starts:  # no comment, and no string
                yield match.start(1), match.end(1), match[1][1:-1].decode(errors="surrogateescape")

    def _headers(self) -> None:
        seen_runtime = False
        first = -1
        data = self.text.encode(errors="surrogateescape")
        made: set[str] = set()
        for begin, end, name in self._includes():
            line = data.rfind(b"\n", 0, begin) + 1
            first = line if first < 0 else first
            new = self.names.headers.get(name)
            if new is None and name.startswith("cub/"):
                new = "hipcub/hipcub.hpp"
            if name in self.names.lacking_headers and name in GAP_HEADERS:
                new = ""
            elif name in self.names.lacking_headers or name.startswith(("cuda/", "nv/")):
                self._say(begin, Severity.ERROR, "hipify-header", f"<{name}> has no counterpart in HIP")
                continue
            if new is None:
                stem = re.fullmatch(r"(.*)\.cu", name)
                if stem and data[begin : begin + 1] == b'"':
                    self.edits.append(Edit(begin, end, f'"{stem[1]}.hip"'))
                continue
            seen_runtime = seen_runtime or new == _RUNTIME
            if new in made or not new:
                following = data.find(b"\n", end)
                self.edits.append(Edit(line, len(data) if following < 0 else following + 1, ""))
                continue
            made.add(new)
            self.edits.append(Edit(begin, end, f"<{new}>"))
        self._own_includes(first if first >= 0 else self._behind_comment(), seen_runtime)

    def _own_includes(self, place: int, seen_runtime: bool) -> None:
        """What stands before the first include: a macro that HIP 6 asks for, HIP's runtime, and the gaps' header."""
        before = ""
        if _BUILTINS in self.gaps:
            before += f"#define {_BUILTINS}  // HIP before 7: warp functions with masks\n"
        uses = (
            any(edit.text.startswith("hip") for edit in self.edits) or "<<<" in self.text or "__global__" in self.text
        )
        if not seen_runtime and uses:
            before += f"#include <{_RUNTIME}>\n"
        gaps = self.gaps - {_BUILTINS}
        if gaps:
            before += '#include "hip_gaps.h"\n'
        if before:
            self.edits.append(Edit(place, place, before))

    def _behind_comment(self) -> int:
        return self.stream[0].offset if self.stream else 0


GAPS = frozenset(
    """__syncwarp __reduce_add_sync __reduce_min_sync __reduce_max_sync __reduce_and_sync __reduce_or_sync
    __reduce_xor_sync __dp4a __nanosleep __pipeline_memcpy_async __pipeline_commit __pipeline_wait_prior __vcmpeq4
    __ldca __ldcs __ldcg __ldcv atomicAdd""".split()
)
"""Device functions that ``gaps/hip_gaps.h`` defines."""

GAP_HEADERS = frozenset({"cuda_pipeline.h", "cuda_pipeline_primitives.h"})


def _without_overlaps(edits: Sequence[Edit]) -> list[Edit]:
    """Edits in order; one that lies within another is dropped (a name in a line that goes)."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda e: (e.begin, e.begin != e.end, -e.end)):
        if kept and edit.begin < kept[-1].end:
            continue
        kept.append(edit)
    return kept

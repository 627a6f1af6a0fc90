"""What nvcc accepts and clang does not, brought into clang's form token by token; the lines stay where they are.

Three things: braces among the arguments of a launch (``<<<g, {16, 16}>>>``), ``alignas`` behind a memory space, and
inline PTX. Whatever is not recognised is left as it stands.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from cassc.diag import Diagnostic, Location, Severity
from cassc.hip import order, ptx, spin, tokens
from cassc.hip.tokens import Edit, Kind, Token

_SPECIFIERS = frozenset("extern static inline constexpr const volatile thread_local typename".split()) | frozenset(
    f"__{space}__" for space in ("shared", "device", "constant", "managed", "host")
)
_ASM = frozenset(("asm", "__asm__", "__asm"))
# CUB's loads and stores take the cache hint, or "volatile", from a macro's argument: a volatile access is all of them.
_CUB_ACCESSES = re.compile(r"/cub/thread/thread_(load|store)\.cuh$")
_ACCESS = "volatile"
_WAITING = (
    "lanes of one warp that wait here for each other do not end;"
    " let a lane give the lock back before it leaves the loop"
)
_OPEN = {"(": ")", "[": "]", "{": "}"}
# Headers of translated assembly, and what shows that they are needed.
_HEADERS = {
    "cassc/ptx.h": "CASSC_PTX",
    "cassc/ptx_small.h": r"cassc::ptx::(small|wide|to_small)",
    "cassc/ptx_matrix.h": r"cassc::ptx::(mma|load_tiles|store_tiles)",
}
_DEFINE = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\(([^)]*)\))?((?:\\\r?\n|\\.|[^\n\\])*)", re.MULTILINE)
_ATOMIC = re.compile(r"atomicCAS|atomicExch|exchange|test_and_set")
_WORTH_A_LOOK = re.compile(r"<<<|\basm\b|__asm|\balignas\b|__managed__|atomicCAS|atomicExch|exchange|test_and_set")


@dataclass(frozen=True, slots=True)
class Rewritten:
    """``refused``: inline assembly that is no PTX that can be translated; an error if device code is made of it.
    ``managed``: the source has ``__managed__`` variables. ``headers``: what translated assembly needs.
    ``waiting``: warnings of loops that wait for another lane of their own warp."""

    text: str
    edits: tuple[Edit, ...]
    refused: tuple[Diagnostic, ...]
    managed: bool
    headers: tuple[str, ...] = ()
    waiting: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a file: of ``__shared__`` variables whose constructors clang refuses, and nvcc does not run; of calls to
    the host's functions in functions for host and device, of which clang makes device code that nobody calls."""

    constructed: frozenset[int] = frozenset()
    host_only: frozenset[int] = frozenset()


def rewrite(
    text: str,
    title: str,
    wanted: Lines | None = None,
    locks: spin.Locks | None = None,
    *,
    ordered: bool = False,
) -> Rewritten:
    """The source in clang's form. ``title`` is what diagnostics name; ``wanted``: what clang would refuse;
    ``locks``: what other files of the unit have;
    ``ordered``: arguments in host code are evaluated from the last to the first."""
    locks, wanted = locks or spin.Locks(), wanted or Lines()
    if not locks and wanted == Lines() and not ordered and not _WORTH_A_LOOK.search(text):
        return Rewritten(text, (), (), False)
    stream = [token for token in tokens.lex(text) if token.kind is not Kind.COMMENT]
    lines = tokens.Lines(text)
    edits = list(shared_storage(stream, lines, wanted.constructed)) if wanted.constructed else []
    edits += inlined(stream, lines, wanted.host_only) if wanted.host_only else []
    taken = [(edit.begin, edit.end) for edit in edits]
    for edit in (*launches(stream, text), *alignments(stream)):
        if not any(begin <= edit.begin and edit.end <= end for begin, end in taken):
            edits.append(edit)
    refused = []
    for statement in assembly(stream, _ACCESS if _CUB_ACCESSES.search(title) else None):
        if statement.template is not None and not statement.template.strip():
            continue  # a barrier for the compiler
        try:
            edits.append(Edit(statement.begin, statement.end, statement.translated() + statement.newlines(text)))
        except ptx.Untranslated as problem:
            # Left to the host's side as it stands; an error where device code is made of it.
            message = f"inline PTX is not translated: '{problem}'"
            place = Location(title, *lines.place(statement.begin))
            refused.append(Diagnostic(Severity.ERROR, "source-inline-ptx", message, place))
            name = refusal(title, place.line, place.column)
            quoted = message.replace("\\", "/").replace('"', "'")
            edits.append(Edit(statement.begin, statement.begin, f'CASSC_PTX_REFUSED({name}, "{quoted}", '))
            edits.append(Edit(statement.end, statement.end, ")"))
    waiting: list[Diagnostic] = []
    if "/cccl/" not in title:
        found = spin.mend(stream, locks)
        edits += found.edits
        waiting = [
            Diagnostic(Severity.WARNING, "source-spin-lock", _WAITING, Location(title, *lines.place(offset)))
            for offset in found.waiting
        ]
    if ordered:
        taken = [(edit.begin, edit.end) for edit in edits]
        calls = order.edits(stream, text)
        edits += [e for e in calls if not any(a < e.end and e.begin < b or a < e.begin < b for a, b in taken)]
    managed = any(token.text == "__managed__" for token in stream)
    made = tokens.apply(text, edits)
    headers = tuple(name for name, sign in _HEADERS.items() if re.search(sign, made))
    return Rewritten(made, tuple(edits), tuple(refused), managed, headers, tuple(waiting))


def locks(text: str) -> spin.Locks:
    """The functions of a file that take locks, and those that give them back."""
    if not _ATOMIC.search(text):
        return spin.Locks()
    return spin.locks([token for token in tokens.lex(text) if token.kind is not Kind.COMMENT])


def refusal(title: str, line: int, column: int) -> str:
    """The function that device code calls in the place of assembly that is not translated."""
    digest = hashlib.sha256(title.encode(errors="surrogateescape")).hexdigest()[:8]
    return f"cassc_refused_{digest}_{line}_{column}"


@dataclass(frozen=True, slots=True)
class Macro:
    """A definition: where it begins and ends in bytes, its parameters (None: it takes none), and what it stands for."""

    name: str
    begin: int
    end: int
    parameters: tuple[str, ...] | None
    body: str

    @property
    def is_list(self) -> bool:
        return self.body.lstrip().startswith("{")


def macros(text: str) -> list[Macro]:
    found = []
    for match in _DEFINE.finditer(text.encode(errors="surrogateescape")):
        parameters = None if match[2] is None else tuple(p.strip().decode() for p in match[2].split(b","))
        body = match[3].decode(errors="surrogateescape")
        found.append(Macro(match[1].decode(), match.start(), match.end(), parameters, body))
    return found


def configurations(
    stream: Sequence[Token], lists: Collection[str], parameters: Sequence[tuple[int, int, Collection[str]]] = ()
) -> Iterator[tuple[int, int]]:
    """First and last token of each grid and block that is in braces, or is one of the names ``lists``, or one of
    ``parameters``, each of which counts between two offsets."""
    for position, token in enumerate(stream):
        if token.text != "<<<":
            continue
        named = set(lists).union(*(names for begin, end, names in parameters if begin <= token.offset < end))
        depth, first, number = 0, True, 0
        for place, inner in enumerate(stream[position + 1 :], position + 1):
            if inner.text == ">>>" and depth == 0:
                break
            if inner.text == "{" and first:
                yield place, _closing(stream, place) or place
            elif first and number < 2 and inner.text in named:
                end = _closing(stream, place + 1) or place
                if any(behind.text in (",", ">>>") for behind in stream[end + 1 : end + 2]):
                    yield place, end
            first = inner.text == "," and depth == 0
            number += first
            depth += (inner.text in _OPEN) - (inner.text in _OPEN.values())
            if depth < 0 or inner.text in (";", "#"):
                break


def launches(stream: Sequence[Token], text: str) -> Iterator[Edit]:
    """``dim3`` in front of a braced grid or block; what macros may make one goes through a function of our headers."""
    defined = macros(text)
    lists = frozenset(macro.name for macro in defined if macro.is_list)
    parameters = [(macro.begin, macro.end, macro.parameters or ()) for macro in defined]
    for first, last in configurations(stream, lists, parameters):
        if stream[first].text == "{":
            yield Edit(stream[first].offset, stream[first].offset, "dim3")
        else:
            yield Edit(stream[first].offset, stream[first].offset, "cassc::as_dim3(")
            yield Edit(stream[last].end, stream[last].end, ")")


def alignments(stream: Sequence[Token]) -> Iterator[Edit]:
    """``alignas`` moved in front of the specifiers that it follows."""
    for position, token in enumerate(stream):
        if token.text != "alignas" or position == 0 or stream[position - 1].text not in _SPECIFIERS:
            continue
        end = _closing(stream, position + 1)
        if end is None:
            continue
        first = position
        while first > 0 and stream[first - 1].text in _SPECIFIERS:
            first -= 1
        text = "".join(f"{inner.text} " for inner in stream[position : end + 1])
        yield Edit(stream[first].offset, stream[first].offset, text)
        yield Edit(token.offset, stream[end].end, "")


def shared_storage(stream: Sequence[Token], lines: tokens.Lines, places: Collection[int]) -> Iterator[Edit]:
    """``__shared__ T x[4];`` on one of these lines as storage without a constructor, and a reference to it."""
    for position, token in enumerate(stream):
        if token.text != "__shared__":
            continue
        first = position
        while first > 0 and stream[first - 1].text in _SPECIFIERS:
            first -= 1
        end = next((i for i in range(position, len(stream)) if stream[i].text == ";"), len(stream))
        if end == len(stream) or not any(lines.place(t.offset)[0] in places for t in stream[position:end]):
            continue
        before, rest = _specifiers(stream[first:end])
        declared = _declared(rest)
        if declared is None:
            continue
        kind, names = declared
        made = [
            f"{before}__shared__ cassc::Uninitialized<{kind}{size}> cassc_{name}; auto& {name} = cassc_{name}.get()"
            for name, size in names
        ]
        yield Edit(stream[first].offset, stream[end].offset, "; ".join(made))


def inlined(stream: Sequence[Token], lines: tokens.Lines, places: Collection[int]) -> Iterator[Edit]:
    """``inline`` in front of the functions that these lines lie in: nothing is made of those that are not used."""
    position = 0
    while position < len(stream):
        if stream[position].text != "{" or not order.is_body(stream, position):
            position += 1
            continue
        end = _closing(stream, position) or position
        if any(lines.place(t.offset)[0] in places for t in stream[position : end + 1]):
            first = stream[_declaration(stream, lines, position)]
            yield Edit(first.offset, first.offset, "inline ")
        position = end + 1


def _declaration(stream: Sequence[Token], lines: tokens.Lines, body: int) -> int:
    """The first word of a function's declaration, behind what makes it a template."""
    first = body
    while first > 0 and stream[first - 1].text not in (";", "}", "{", "#"):
        first -= 1
    if first > 0 and stream[first - 1].text == "#":
        directive = lines.place(stream[first - 1].offset)[0]
        while lines.place(stream[first].offset)[0] == directive:
            first += 1
    while stream[first].text == "template":
        depth = 0
        for position in range(first + 1, body):
            depth += (stream[position].text == "<") - stream[position].text.count(">") * (
                stream[position].text in (">", ">>")
            )
            if depth == 0:
                first = position + 1
                break
        else:
            break
    if stream[first].text == "extern" and stream[first + 1].kind is Kind.LITERAL:
        first += 2
    return first


def _specifiers(inside: Sequence[Token]) -> tuple[str, list[Token]]:
    """The alignments among the words in front of a declaration, and the rest of it."""
    before, position = "", 0
    while position < len(inside):
        word = inside[position].text
        if word in ("alignas", "__align__"):
            end = _closing(inside, position + 1)
            if end is None:
                break
            before += "".join(t.text for t in inside[position : end + 1]) + " "
            position = end + 1
        elif word in _SPECIFIERS and word != "typename":
            position += 1
        else:
            break
    return before, list(inside[position:])


def _declared(rest: Sequence[Token]) -> tuple[str, list[tuple[str, str]]] | None:
    """The type, and each name with its bounds; None where it has another form (initialisers, pointers)."""
    angles, name = 0, None
    for position, token in enumerate(rest):
        angles += (token.text == "<") - token.text.count(">") * (token.text in (">", ">>"))
        if angles == 0 and token.kind is Kind.IDENTIFIER:
            behind = rest[position + 1].text if position + 1 < len(rest) else ","
            if behind in ("[", ","):
                name = position
                break
    if not name:
        return None
    kind = " ".join(t.text for t in rest[:name])
    names: list[tuple[str, str]] = []
    position = name
    while position < len(rest):
        if rest[position].kind is not Kind.IDENTIFIER:
            return None
        word, size = rest[position].text, ""
        position += 1
        while position < len(rest) and rest[position].text == "[":
            end = _closing(rest, position)
            if end is None:
                return None
            size += " ".join(t.text for t in rest[position : end + 1])
            position = end + 1
        names.append((word, size))
        if position < len(rest):
            if rest[position].text != ",":
                return None
            position += 1
    return kind, names


def _closing(stream: Sequence[Token], opening: int) -> int | None:
    """Where the bracket that opens there is closed."""
    if opening >= len(stream) or stream[opening].text not in _OPEN:
        return None
    depth = 0
    for position in range(opening, len(stream)):
        depth += (stream[position].text in _OPEN) - (stream[position].text in _OPEN.values())
        if depth == 0:
            return position
    return None


@dataclass(frozen=True, slots=True)
class Constraint:
    name: str
    text: str
    expression: str


@dataclass(frozen=True, slots=True)
class Statement:
    """An ``asm`` statement; ``end`` is behind its closing parenthesis. ``template`` is None where it is not made of
    plain strings (of a macro's arguments, say)."""

    begin: int
    end: int
    template: str | None
    outputs: tuple[Constraint, ...]
    inputs: tuple[Constraint, ...]

    def newlines(self, text: str) -> str:
        """The line ends within the statement, continued where it stands in a macro."""
        inside = text.encode(errors="surrogateescape")[self.begin : self.end]
        end = "\\\n" if b"\n" in inside and inside.count(b"\\\n") == inside.count(b"\n") else "\n"
        return end * inside.count(b"\n")

    def translated(self) -> str:
        """One C++ statement, without its semicolon. Raises ptx.Untranslated."""
        if self.template is None:
            raise ptx.Untranslated("text that a macro puts together")
        operands, before, behind = {}, [], []
        for number, constraint in enumerate((*self.outputs, *self.inputs)):
            letter = constraint.text.lstrip("=+&")
            if letter == "n" and number >= len(self.outputs):
                letter = "l"
            if letter not in ptx.CONSTRAINTS:
                raise ptx.Untranslated(f'constraint "{constraint.text}"')
            operand = ptx.Operand(f"cassc_operand_{number}", ptx.CONSTRAINTS[letter])
            operands[str(number)] = operand
            if constraint.name:
                operands[constraint.name] = operand
            cpp = ptx.TYPES[operand.type]
            read = number >= len(self.outputs) or constraint.text.startswith("+")
            start = f"cassc::ptx::as<{cpp}>({constraint.expression})" if read else "{}"
            before.append(f"[[maybe_unused]] {cpp} {operand.name} = {start};")
            if number < len(self.outputs):
                behind.append(f"cassc::ptx::give({constraint.expression}, {operand.name});")
        # A register's percent sign is doubled where there are operands, and may stand alone where there are none.
        body = ptx.translate(self.template.replace("%%", "%"), operands)
        return f"CASSC_PTX({' '.join(before)} {body} {' '.join(behind)})"


def assembly(stream: Sequence[Token], argument: str | None = None) -> Iterator[Statement]:
    """The ``asm`` statements, but no assembler names of declarations.

    ``argument``: what ``#parameter`` in a template stands for, None where that is not known.
    """
    for position, token in enumerate(stream):
        if token.text not in _ASM:
            continue
        opening = position + 1
        while opening < len(stream) and stream[opening].text in ("volatile", "__volatile__", "__volatile", "inline"):
            opening += 1
        end = _closing(stream, opening)
        if end is None or stream[opening].text != "(":
            continue
        sections = _sections(stream[opening + 1 : end])
        if not sections or not sections[0]:
            continue
        after_parameters = position > 0 and stream[position - 1].text == ")"
        if after_parameters and len(sections) == 1 and re.fullmatch(r'"[\w.$@]+"', sections[0][0].text):
            continue  # the assembler name of a declaration
        template = _template(sections[0], argument)
        outputs = _constraints(sections[1]) if len(sections) > 1 else ()
        inputs = _constraints(sections[2]) if len(sections) > 2 else ()
        if outputs is None or inputs is None:
            template, outputs, inputs = None, (), ()
        yield Statement(token.offset, stream[end].end, template, outputs, inputs)


def _template(section: Sequence[Token], argument: str | None) -> str | None:
    """Strings side by side as one; None where there is anything else."""
    text = ""
    for position, token in enumerate(section):
        if _is_string(token):
            text += _decode(token.text)
        elif argument is None or not (token.text == "#" or (position and section[position - 1].text == "#")):
            return None
        elif token.text != "#":
            text += argument
    return text


def _sections(inside: Sequence[Token]) -> list[list[Token]]:
    """Cut at colons that stand in no bracket; ``::`` is two."""
    sections: list[list[Token]] = [[]]
    depth = 0
    for token in inside:
        depth += (token.text in _OPEN) - (token.text in _OPEN.values())
        last = sections[-1][-1] if sections[-1] else None
        if depth == 0 and token.text == "::" and (last is None or _is_string(last) or last.text == ")"):
            sections += [[], []]
        elif depth == 0 and token.text == ":":
            sections.append([])
        else:
            sections[-1].append(token)
    return sections


def _constraints(section: Sequence[Token]) -> tuple[Constraint, ...] | None:
    """``[name] "=r"(expression), ...``; None where it has another form."""
    found: list[Constraint] = []
    position = 0
    while position < len(section):
        name = ""
        if section[position].text == "[" and position + 2 < len(section):
            name = section[position + 1].text
            position += 3
        if position >= len(section) or not _is_string(section[position]):
            return None
        text = _decode(section[position].text)
        end = _closing(section, position + 1)
        if end is None:
            return None
        expression = " ".join(t.text for t in section[position + 2 : end])
        found.append(Constraint(name, text, expression))
        position = end + 1
        if position < len(section) and section[position].text == ",":
            position += 1
    return tuple(found)


def _is_string(token: Token) -> bool:
    return token.kind is Kind.LITERAL and token.text.endswith('"')


def _decode(literal: str) -> str:
    """The characters of a string literal; C++'s escapes are Python's, as far as PTX uses them."""
    raw = re.fullmatch(r'R"([^(]*)\((.*)\)\1"', literal, re.DOTALL)
    if raw:
        return raw[2]
    inner = literal[literal.index('"') :]
    try:
        value = ast.literal_eval(inner.replace("\\\n", ""))
    except (SyntaxError, ValueError):
        return inner[1:-1]
    return str(value)

"""Loops in which the lanes of a warp compete for a lock.

CUDA lets the lanes of a warp run apart: one takes the lock, goes on and gives it back, and the others still go round.
The lanes of an RDNA3 wave that have left a loop stand still until the last one has, so the others would wait for ever.
What helps is that a lane gives the lock back before it leaves the loop:

* Where the loop's own body does that, a compiler must not move it behind the loop's exit, which it does as soon as it
  sees that the lane will leave. Conditions go through ``cassc::met``, which it cannot see through; a ``break`` becomes
  a flag.
* Where statements behind the loop do that, in the same block, they are made a part of the loop.
* Where the lock is taken and given back by functions that are called in the same block, the lanes go through what lies
  between the calls one by one.

Other loops that only wait are told to the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cassc.hip.tokens import Edit, Kind, Token

_TAKES = frozenset(
    f"{name}{scope}" for name in ("atomicCAS", "atomicExch") for scope in ("", "_block", "_system")
) | frozenset(("exchange", "compare_exchange_strong", "compare_exchange_weak", "test_and_set"))
_GIVES = (
    _TAKES
    | frozenset(
        f"{name}{scope}" for name in ("atomicAnd", "atomicSub", "atomicDec") for scope in ("", "_block", "_system")
    )
    | frozenset(("store", "clear"))
)
_WAITS = frozenset(("__nanosleep", "__threadfence", "__threadfence_block", "__syncwarp", "continue"))
_LEADS_OUT = frozenset(("break", "continue", "return", "goto", "#", "__syncthreads", "sync"))
_OF_WARPS = ("__shfl", "__ballot", "__any_", "__all_", "__syncwarp", "__match", "__reduce", "__syncthreads_")
_LOOPS = ("while", "for", "do")
_OPEN = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Found:
    """``edits`` for the loops that are mended; ``waiting``: where those begin that are not."""

    edits: tuple[Edit, ...]
    waiting: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Loop:
    """Positions of tokens. ``condition`` and ``step`` are ranges between the parentheses (``step`` of a ``for``),
    ``body`` is that of the statement; ``end`` is behind the loop."""

    keyword: int
    condition: tuple[int, int]
    step: tuple[int, int]
    body: tuple[int, int]
    end: int


class _Unclear(Exception):
    """Not a statement that is understood: a macro, or a directive in the middle."""


@dataclass(frozen=True, slots=True)
class Locks:
    """Names of functions: those that wait for a lock and return with it, and those that give one back."""

    take: frozenset[str] = frozenset()
    give: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.take)

    def __or__(self, other: Locks) -> Locks:
        return Locks(self.take | other.take, self.give | other.give)


def locks(stream: Sequence[Token]) -> Locks:
    """The functions of a source's tokens (without comments)."""
    take, give = set(), set()
    for position, token in enumerate(stream):
        if token.text in _LOOPS and token.kind is Kind.KEYWORD:
            loop = _takes_only(stream, position)
            if loop is not None and _with_what_follows(stream, loop) is None:
                take.add(_function(stream, position))
        elif token.text in _GIVES or (token.text == "=" and stream[position + 1].text == "0"):
            give.add(_function(stream, position))
    take.discard("")
    return Locks(frozenset(take), frozenset(give - take)) if take else Locks()


def mend(stream: Sequence[Token], known: Locks) -> Found:
    """The loops of a source's tokens (without comments). ``known``: the functions of all files of the unit."""
    edits: list[Edit] = []
    waiting: list[int] = []
    done = 0
    for position, token in enumerate(stream):
        if position < done:
            continue
        if token.text in known.take and token.kind is Kind.IDENTIFIER and _is_statement(stream, position):
            made, done = _one_by_one(stream, position, known)
            if made:
                edits += made
            else:
                waiting.append(token.offset)
        elif token.text in known.take and _is_used(stream, position):
            waiting.append(token.offset)
        if token.text not in _LOOPS or token.kind is not Kind.KEYWORD:
            continue
        loop = _takes_only(stream, position)
        if loop is not None:
            made = _with_what_follows(stream, loop) or []
            edits += made
            if not made and _function(stream, position) not in known.take:
                waiting.append(token.offset)
            done = max(done, loop.end)
            continue
        try:
            loop = _parse(stream, position)
        except (_Unclear, IndexError):
            continue
        body = stream[loop.body[0] : loop.body[1]]
        if any(t.text in _TAKES for t in body) and all(t.text != "#" for t in stream[position : loop.end]):
            edits += _kept_together(stream, loop)
    return Found(tuple(edits), tuple(waiting))


def _takes_only(stream: Sequence[Token], position: int) -> _Loop | None:
    """The loop that begins there, if all that it does is to wait for a lock."""
    try:
        loop = _parse(stream, position)
        inside = stream[position : loop.end]
        if any(t.text == "#" for t in inside) or all(t.text not in _TAKES for t in inside):
            return None
        return loop if _only_waits(stream, loop) or _keeps_a_lock(stream, loop) else None
    except (_Unclear, IndexError):
        return None


def _function(stream: Sequence[Token], position: int) -> str:
    """The name of the function that a token lies in; empty where there is none, or it is a kernel."""
    depth, opening = 0, -1
    for i in range(position, -1, -1):
        depth += (stream[i].text == "}") - (stream[i].text == "{")
        if depth < 0:
            depth = 0
            if stream[i - 1].text in (")", "const", "noexcept"):
                opening = i
            elif stream[i - 1].text not in ("else", "do", ";", "{", "}"):
                break  # a class or a namespace
    closing = opening - 1
    while closing > 0 and stream[closing].text in ("const", "noexcept"):
        closing -= 1
    depth = 0
    for i in range(closing, 0, -1):
        depth += (stream[i].text == ")") - (stream[i].text == "(")
        if depth == 0:
            kernel = any(t.text == "__global__" for t in stream[max(0, i - 12) : i])
            return "" if kernel or stream[i - 1].kind is not Kind.IDENTIFIER else stream[i - 1].text
    return ""


# Statements


def _closing(stream: Sequence[Token], opening: int) -> int:
    depth = 0
    for position in range(opening, len(stream)):
        depth += (stream[position].text in _OPEN) - (stream[position].text in _OPEN.values())
        if depth == 0:
            return position
    raise _Unclear


def _end(stream: Sequence[Token], position: int) -> int:
    """Behind the statement that begins there."""
    text = stream[position].text
    if text == "{":
        return _closing(stream, position) + 1
    if text in ("if", "switch", "while", "for"):
        opening = position + (2 if stream[position + 1].text == "constexpr" else 1)
        if stream[opening].text != "(":
            raise _Unclear
        end = _end(stream, _closing(stream, opening) + 1)
        if text == "if" and end < len(stream) and stream[end].text == "else":
            end = _end(stream, end + 1)
        return end
    if text == "do":
        loop = _end(stream, position + 1)
        if stream[loop].text != "while":
            raise _Unclear
        return _closing(stream, loop + 1) + 2
    if text in ("}", "#", "case", "default", "else"):
        raise _Unclear
    while stream[position].text != ";":
        if stream[position].text in _OPEN:
            position = _closing(stream, position)
        elif stream[position].text in _OPEN.values():
            raise _Unclear
        position += 1
    return position + 1


def _parse(stream: Sequence[Token], keyword: int) -> _Loop:
    if stream[keyword].text == "do":
        body = (keyword + 1, _end(stream, keyword + 1))
        if stream[body[1]].text != "while":
            raise _Unclear
        closing = _closing(stream, body[1] + 1)
        return _Loop(keyword, (body[1] + 2, closing), (closing, closing), body, closing + 2)
    closing = _closing(stream, keyword + 1)
    first = keyword + 2
    condition, step = (first, closing), (closing, closing)
    if stream[keyword].text == "for":
        cuts = [i for i in _outside_brackets(stream, first, closing) if stream[i].text == ";"]
        if len(cuts) != 2:
            raise _Unclear  # over a range
        condition, step = (cuts[0] + 1, cuts[1]), (cuts[1] + 1, closing)
    if stream[closing + 1].text == ";" and stream[keyword - 1].text == "}" and _ends_a_do(stream, keyword):
        raise _Unclear
    end = _end(stream, closing + 1)
    return _Loop(keyword, condition, step, (closing + 1, end), end)


def _outside_brackets(stream: Sequence[Token], first: int, last: int) -> Iterator[int]:
    depth = 0
    for position in range(first, last):
        depth += (stream[position].text in _OPEN) - (stream[position].text in _OPEN.values())
        if depth == 0:
            yield position


def _ends_a_do(stream: Sequence[Token], keyword: int) -> bool:
    """Whether a ``while`` behind a closing brace belongs to a ``do``."""
    depth = 0
    for position in range(keyword - 1, -1, -1):
        depth += (stream[position].text == "}") - (stream[position].text == "{")
        if depth == 0:
            return position > 0 and stream[position - 1].text == "do"
    return False


def _only_waits(stream: Sequence[Token], loop: _Loop) -> bool:
    """Whether the body does nothing and the condition tries to take the lock."""
    if not any(t.text in _TAKES for t in stream[loop.condition[0] : loop.condition[1]]):
        return False
    words = [t.text for t in stream[loop.body[0] : loop.body[1]] if t.kind in (Kind.IDENTIFIER, Kind.KEYWORD)]
    called = [
        stream[i].text
        for i in range(loop.body[0], loop.body[1] - 1)
        if stream[i].kind is Kind.IDENTIFIER and stream[i + 1].text == "("
    ]
    assigns = any(t.text in ("=", "+=", "-=", "++", "--") for t in stream[loop.body[0] : loop.body[1]])
    return not assigns and all(word in _WAITS for word in called) and not {"break", "return", "if"} & set(words)


def _keeps_a_lock(stream: Sequence[Token], loop: _Loop) -> bool:
    """Whether the loop takes a lock (it swaps numbers that are written there) and does not give it back."""
    for position in range(loop.keyword, loop.end - 1):
        if not stream[position].text.startswith(("atomicCAS", "atomicExch")) or stream[position + 1].text != "(":
            continue
        closing = _closing(stream, position + 1)
        commas = [i for i in _outside_brackets(stream, position + 2, closing) if stream[i].text == ","]
        values = [stream[i + 1] for i in commas]
        if not values or any(token.kind is not Kind.LITERAL for token in values) or values[-1].text == "0":
            continue
        lock = [t.text for t in stream[position + 2 : commas[0]]]
        others = (range(loop.keyword, position), range(closing, loop.end))
        return not any(_gives_back(stream, part.start, part.stop, lock) for part in others)
    return False


# Bodies that take the lock and give it back


def _kept_together(stream: Sequence[Token], loop: _Loop) -> list[Edit]:
    first, last = loop.condition
    if first < last and _declares(stream, first, last):
        return []
    breaks = list(_breaks(stream, *loop.body))
    flag = f"cassc_left_{stream[loop.keyword].offset}"
    edits = []
    begin, end = stream[first].offset, stream[last].offset
    leaves = f"!{flag} && " if breaks else ""
    if first == last:
        edits.append(Edit(begin, begin, f"cassc::met({leaves}true)"))
    else:
        edits.append(Edit(begin, begin, f"cassc::met({leaves}static_cast<bool>(("))
        edits.append(Edit(end, end, ")))"))
    if not breaks:
        return edits
    start, behind = stream[loop.keyword].offset, stream[loop.end - 1].end
    edits.append(Edit(start, start, f"{{ bool {flag} = false; "))
    edits.append(Edit(behind, behind, " }"))
    for position in breaks:
        edits.append(Edit(stream[position].offset, stream[position + 1].end, f"{{ {flag} = true; continue; }}"))
    if loop.step[0] < loop.step[1]:
        at, to = stream[loop.step[0]].offset, stream[loop.step[1]].offset
        edits.append(Edit(at, at, f"{flag} ? (void)0 : (void)("))
        edits.append(Edit(to, to, ")"))
    return edits


def _declares(stream: Sequence[Token], first: int, last: int) -> bool:
    """Whether a condition declares a variable."""
    words = stream[first : min(last, first + 2)]
    return len(words) == 2 and all(t.kind in (Kind.IDENTIFIER, Kind.KEYWORD) for t in words) and words[0].text != "not"


def _breaks(stream: Sequence[Token], first: int, last: int) -> Iterator[int]:
    """``break`` tokens that leave this loop."""
    position = first
    while position < last:
        text = stream[position].text
        if text in (*_LOOPS, "switch") and stream[position].kind is Kind.KEYWORD:
            try:
                position = _end(stream, position)
                continue
            except (_Unclear, IndexError):
                return
        if text == "break" and stream[position + 1].text == ";":
            yield position
        position += 1


# Loops that only wait, and what follows them


def _with_what_follows(stream: Sequence[Token], loop: _Loop) -> list[Edit] | None:
    """The statements up to the one that gives the lock back, made a part of the loop; None where they cannot be."""
    lock = _lock(stream, loop)
    if lock is None:
        return None
    position = loop.end
    while True:
        try:
            behind = _end(stream, position)
        except (_Unclear, IndexError):
            return None
        if _gives_back(stream, position, behind, lock):
            break
        position = behind
    inside = stream[loop.end : behind]
    if any(_leads_out(t.text) for t in inside):
        return None
    if _names_live_on(stream, loop.end, behind):
        return None
    flag = f"cassc_waits_{stream[loop.keyword].offset}"
    start, end = stream[loop.keyword], stream[behind - 1].end
    if start.text == "for" or not _only_waits(stream, loop):
        return _by_turns(flag, start.offset, end)
    going = f"for (bool {flag} = true; cassc::met({flag});) "
    given = f"{{ {flag} = false; "
    if start.text == "do":
        loops_while = stream[loop.body[1]]
        return [
            Edit(start.offset, start.end, f"{going}{{ "),
            Edit(loops_while.offset, loops_while.end, "if "),
            Edit(stream[loop.end - 1].offset, stream[loop.end - 1].end, f" continue; {flag} = false; "),
            Edit(end, end, " }"),
        ]
    body_end = stream[loop.end - 1].end
    return [
        Edit(start.offset, start.end, f"{going}if "),
        Edit(body_end, body_end, f" else {given}"),
        Edit(end, end, " }"),
    ]


def _lock(stream: Sequence[Token], loop: _Loop) -> list[str] | None:
    """What names the lock: the first argument of the function that takes it, or the object whose member does."""
    for position in range(loop.keyword, loop.end - 1):
        if stream[position].text not in _TAKES or stream[position + 1].text != "(":
            continue
        if stream[position - 1].text in (".", "->"):
            first = position - 1
            while first > loop.keyword and (
                stream[first - 1].kind is Kind.IDENTIFIER or stream[first - 1].text in (".", "->", "]", "[", "this")
            ):
                first -= 1
            return [t.text for t in stream[first : position - 1]]
        closing = _closing(stream, position + 1)
        for end in _outside_brackets(stream, position + 2, closing):
            if stream[end].text == ",":
                return [t.text for t in stream[position + 2 : end]]
    return None


def _leads_out(word: str) -> bool:
    """Whether a word leads out of the statements, or asks for other lanes."""
    return word in _LEADS_OUT or word.startswith(_OF_WARPS)


def _gives_back(stream: Sequence[Token], first: int, last: int, lock: list[str]) -> bool:
    """Whether the statement calls something that may give the lock back, or assigns to it."""
    words = [t.text for t in stream[first:last]]
    place = lock[1:] if lock[0] == "&" else lock
    forms = [place + ["="], ["*", *lock, "="], [*lock, "[", "0", "]", "="]]
    if any(words[i : i + len(form)] == form for form in forms for i in range(len(words))):
        return True
    return any(word in _GIVES for word in words) and any(words[i : i + len(place)] == place for i in range(len(words)))


def _names_live_on(stream: Sequence[Token], first: int, last: int) -> bool:
    """Whether what these statements may declare is named behind them, in the same block."""
    names, depth = set(), 0
    for position in range(first, last - 1):
        token, before = stream[position], stream[position - 1]
        depth += (token.text == "{") - (token.text == "}")
        typed = before.kind in (Kind.IDENTIFIER, Kind.KEYWORD) or before.text in ("*", "&", ">", ",")
        behind = stream[position + 1].text in ("=", ";", "[", "{", ",", "(")
        if depth == 0 and token.kind is Kind.IDENTIFIER and position > first and typed and behind:
            names.add(token.text)
    depth = 0
    for token in stream[last:]:
        depth += (token.text == "{") - (token.text == "}")
        if depth < 0:
            return False
        if token.text in names:
            return True
    return False


# Functions that take locks and give them back


def _is_statement(stream: Sequence[Token], position: int) -> bool:
    """Whether a name is called, and that is a statement of its own."""
    first = _first_of_call(stream, position)
    if stream[position + 1].text != "(" or stream[first - 1].text not in (";", "{", "}", ")", "else"):
        return False
    return stream[_closing(stream, position + 1) + 1].text == ";"


def _is_used(stream: Sequence[Token], position: int) -> bool:
    """Whether a name that is no statement's is called, or is that of an object's class; not where it is declared."""
    before, behind = stream[position - 1], stream[position + 1]
    if behind.kind is Kind.IDENTIFIER:
        return stream[position + 2].text in ("(", "{")
    if behind.text != "(" or before.kind in (Kind.IDENTIFIER, Kind.KEYWORD) or before.text in ("*", "&", "~", ">"):
        return before.text == "return"
    return stream[_closing(stream, position + 1) + 1].text not in ("{", ":", "const", "noexcept", "override")


def _first_of_call(stream: Sequence[Token], position: int) -> int:
    while stream[position - 1].text in (".", "->", "::"):
        position -= 2
        if stream[position].text == "]":
            depth = 0
            while True:
                depth += (stream[position].text == "]") - (stream[position].text == "[")
                if depth == 0:
                    break
                position -= 1
            position -= 1
    return position


def _called_on(stream: Sequence[Token], position: int) -> list[str]:
    """The object, and the arguments of a call."""
    first, closing = _first_of_call(stream, position), _closing(stream, position + 1)
    return [t.text for t in (*stream[first:position], *stream[position + 2 : closing])]


def _one_by_one(stream: Sequence[Token], position: int, known: Locks) -> tuple[list[Edit], int]:
    """From the call that takes a lock to the one that gives it back, one lane after another; and what lies behind."""
    first, asked = _first_of_call(stream, position), _called_on(stream, position)
    begin = _closing(stream, position + 1) + 2
    behind = begin
    while True:
        start = behind
        try:
            behind = _end(stream, start)
        except (_Unclear, IndexError):
            return [], position + 1
        gives = [i for i in range(start, behind - 1) if stream[i].text in known.give and stream[i + 1].text == "("]
        if any(_called_on(stream, i) == asked for i in gives):
            break
    inside = stream[begin:behind]
    if any(_leads_out(t.text) for t in inside):
        return [], position + 1
    if _names_live_on(stream, begin, behind):
        return [], position + 1
    flag = f"cassc_waits_{stream[position].offset}"
    return _by_turns(flag, stream[first].offset, stream[behind - 1].end), behind


def _by_turns(flag: str, begin: int, end: int) -> list[Edit]:
    """The text between for one lane after another."""
    turns = f"for (bool {flag} = true; cassc::met({flag});) if (cassc::first_lane()) {{ {flag} = false; "
    return [Edit(begin, begin, turns), Edit(end, end, " }")]

"""The lines of the text form of a cell: headings, facts, and texts with lines of their own.

A block begins with a heading, ``[robot 0569b65aea0ae5cd]``. A fact is a field, ``=`` and a value in JSON, on one line.
A text with several lines follows its field and a colon: ``|`` begins each of its lines, ``+`` continues the line above.
``|=`` and ``+=`` are used before a line in JSON, if the line contains characters that editors or git may change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

_encode = msgspec.json.Encoder().encode
_BREAKS = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
"""Characters that JSON allows but some programs take for the end of a line, or for nothing."""
_ODD = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]|\\s\\Z")
"""Characters that a line cannot contain literally: other breaks, and blanks at its end, which editors remove."""
_BARE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*\Z")
_FIELD = re.compile(r'([a-z]+)(?: ([A-Za-z][A-Za-z0-9_-]*|"(?:[^"\\]|\\.)*"))?(\[\])?')
_HEADING = re.compile(r"\[([a-z]+(?: [0-9a-z]+)*)\]\Z")
_MARKS = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
_WIDTH, _LONGEST = 100, 300
"""The length of the pieces of a wrapped line, and the length from which a line is wrapped."""


class Fact(NamedTuple):
    """A field of a block with its value.

    ``word`` is the kind of the field, ``key`` the name of a property or of a part; ``item`` is whether it is one item
    of a list.
    """

    line: int
    word: str
    key: str
    item: bool
    value: Any


class Block(NamedTuple):
    """A heading and the facts under it."""

    line: int
    words: tuple[str, ...]
    facts: list[Fact]


# ---- writing ----------------------------------------------------------------------------------------------


def json_text(value: object) -> str:
    """A value on one line for every reader: every break is written as an escape."""
    return _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", _encode(value).decode())


def field(word: str, key: str = "") -> str:
    """A field as written in a line."""
    return word if not key and word else f"{word} {key if _BARE.match(key) else json_text(key)}"


def fact(name: str, value: object) -> str:
    """A fact on one line."""
    return f"{name} = {json_text(value)}"


def text_lines(name: str, text: str, wrapped: bool = False) -> Iterator[str]:
    """A text, with one line for each of its lines; if wrapped, long lines are cut."""
    yield f"{name}:"
    for line in text.split("\n"):
        cut = _WIDTH if wrapped and len(line) > _LONGEST else max(len(line), 1)
        for at in range(0, max(len(line), 1), cut):
            mark, piece = "+" if at else "|", line[at : at + cut]
            yield f"{mark}= {json_text(piece)}" if _ODD.search(piece) else f"{mark} {piece}" if piece else mark


# ---- reading ----------------------------------------------------------------------------------------------


def numbered(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers, with any line ends."""
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        yield number, line.removesuffix("\r")


def blocks_of(lines: list[tuple[int, str]], faults: list[tuple[int, str]]) -> list[Block]:
    """The blocks of a text; unreadable lines are added to the faults and left out."""
    reader = _Reader(faults)
    for number, line in lines:
        reader.read(number, line)
    return reader.ended()


class _Reader:
    def __init__(self, faults: list[tuple[int, str]]) -> None:
        self._faults = faults
        self._blocks: list[Block] = []
        self._lost = False
        """Whether the heading of the following lines could not be read."""
        self._text: list[list[str]] | None = None
        """The lines of the unfinished text, each in pieces."""
        self._open: Fact | None = None

    def read(self, number: int, line: str) -> None:
        if line[:1] in ("|", "+") and line[1:2] in ("", " ", "="):
            self._part(number, line)
            return
        self._close()
        if not line.strip():
            return
        if line.startswith(_MARKS):
            self._fault(number, "it is a mark of an unfinished merge; settle the merge first")
        elif line.startswith("["):
            self._heading(number, line)
        else:
            self._fact(number, line)

    def ended(self) -> list[Block]:
        self._close()
        return self._blocks

    def _fault(self, number: int, text: str) -> None:
        self._faults.append((number, text))

    def _heading(self, number: int, line: str) -> None:
        found = _HEADING.match(line.rstrip())
        self._lost = found is None
        if found is None:
            self._fault(number, f"{_short(line)} is not the heading of a block")
        else:
            self._blocks.append(Block(number, tuple(found[1].split()), []))

    def _fact(self, number: int, line: str) -> None:
        found = _FIELD.match(line)
        rest = line[found.end() :] if found else ""
        if found is None or not (rest.startswith(" = ") or rest.rstrip() == ":"):
            self._fault(number, f"{_short(line)} is neither a heading nor a fact, which is written FIELD = VALUE")
            return
        try:
            key = msgspec.json.decode(found[2]) if (found[2] or "").startswith('"') else found[2] or ""
            value = None if rest.startswith(":") else msgspec.json.decode(rest[3:])
        except RecursionError:
            self._fault(number, "it is nested too deeply")
            return
        except (msgspec.MsgspecError, UnicodeError) as error:
            self._fault(number, f"the value of {line[: found.end()]} is not JSON: {str(error).rstrip('.')}")
            return
        one = Fact(number, found[1], key, bool(found[3]), value)
        if rest.startswith(":"):
            self._open, self._text = one, []
        else:
            self._put(one)

    def _part(self, number: int, line: str) -> None:
        mark, rest = line[0], line[1:]
        if self._text is None:
            self._fault(number, "it is a line of a text, but no field with a colon is above it")
            return
        try:
            piece = _line(msgspec.json.decode(rest[1:], type=str)) if rest.startswith("=") else rest[1:]
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            self._fault(number, f"it is not a line of a text: {str(error).rstrip('.')}")
            return
        if mark == "|":
            self._text.append([piece])
        elif self._text:
            self._text[-1].append(piece)
        else:
            self._fault(number, "it continues a line, but there is no line above it")

    def _close(self) -> None:
        """End the unfinished text."""
        if self._open is not None and self._text is not None:
            if self._text:
                self._put(self._open._replace(value="\n".join(map("".join, self._text))))
            else:
                self._fault(self._open.line, "no line of its text follows")
        self._open = self._text = None

    def _put(self, one: Fact) -> None:
        if self._lost:
            return
        if not self._blocks:
            self._fault(one.line, "no heading is above it")
        else:
            self._blocks[-1].facts.append(one)


def _line(text: str) -> str:
    if "\n" in text:
        raise ValueError("it contains a break")
    return text


def _short(line: str) -> str:
    return repr(line if len(line) <= 60 else f"{line[:57]}…")

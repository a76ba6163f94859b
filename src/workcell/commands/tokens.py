"""A command line cut into words, with their places."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from workcell.errors import CommandSyntaxError

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<quoted>(?:[a-z]+:)?"[^"]*"(?:/(?:"[^"]*"|[^\s"()\[\]]+))?)   # "a name", block:"a name", "a name"/"side 1"
      | (?P<bracket>\([^()]*\)|\[[^\[\]]*\])                             # (1, 2, 3)
      | (?P<word>[^\s"()\[\]]+(?:(?<=/)"[^"]*")?)                           # a word, cube1/"side 1"
      | (?P<stray>\S)
    )""",
    re.VERBOSE,
)


_SPECIAL = re.compile(r'["()\[\]#]')
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\Z")


class Token(msgspec.Struct, frozen=True, gc=False):
    """A word of a line: its text, its place, and whether it stood in quotes."""

    text: str
    start: int
    quoted: bool = False


class Tokens:
    """A line being read from left to right."""

    __slots__ = ("_at", "_tokens", "line")

    def __init__(self, line: str) -> None:
        self.line = line
        self._at = 0
        tokens: list[Token | None] = []
        if not _SPECIAL.search(line):
            end = 0
            for text in line.split():
                start = line.index(text, end)
                end = start + len(text)
                tokens.append(Token(text, start))
        else:
            for match in _TOKEN.finditer(line):
                kind = match.lastgroup
                if kind is None:
                    continue
                if kind == "word" and match[kind][0] == "#" and not _COLOUR.match(match[kind]):
                    break
                tokens.append(Token(match[kind], match.start(kind), kind == "quoted"))
        tokens.append(None)  # which ends the line, so that to look ahead needs no question first
        self._tokens = tokens

    def peek(self) -> Token | None:
        """The next word, without taking it."""
        return self._tokens[self._at]

    def take(self) -> Token:
        """The next word."""
        token = self._tokens[self._at]
        assert token is not None, "a word is taken after the end"
        self._at += 1
        return token

    def skip(self) -> None:
        """Take the next word, which was looked at."""
        self._at += 1

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return self._tokens[self._at] is None

    def rest(self) -> str:
        """Everything that is left, as typed; nothing is left afterwards."""
        token = self._tokens[self._at]
        if token is None:
            return ""
        start = token.start
        self._at = len(self._tokens) - 1
        return self.line[start:].rstrip()

    @property
    def column(self) -> int:
        """Where the next word begins."""
        token = self.peek()
        return token.start if token else len(self.line)

    def fail(
        self, message: str, expected: Sequence[str] | Mapping[str, str], column: int | None = None
    ) -> CommandSyntaxError:
        """The error to raise at this place; ``expected`` are words, with one line of help each where there is one."""
        where = self.column if column is None else column
        helps = {"helps": dict(expected)} if isinstance(expected, Mapping) and any(expected.values()) else {}
        return CommandSyntaxError(message, line=self.line, column=where, expected=list(expected), **helps)


def unquote(text: str) -> str:
    """The text without its quotes."""
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] == '"' else text

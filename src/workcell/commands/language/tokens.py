"""A command line cut into words, with their places."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

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
    """A line being read from left to right.

    The fast path of every command reads :attr:`words` and moves :attr:`at` itself. The columns of the words are
    computed only when they are needed, mostly for an error.
    """

    __slots__ = ("_starts", "at", "line", "quoted", "words")

    def __init__(self, line: str) -> None:
        self.line = line
        self.at = 0
        """The number of the next word."""
        self.words: list[str | None]
        """The words, then None as the end of the line, so that looking ahead needs no check."""
        self.quoted: Collection[int] = ()
        """The numbers of the words in quotes."""
        self._starts: list[int] = []
        if not _SPECIAL.search(line):
            self.words = [*line.split(), None]
            return
        self.words, quoted = [], set()
        for match in _TOKEN.finditer(line):
            kind = match.lastgroup
            if kind is None:
                continue
            if kind == "word" and match[kind][0] == "#" and not _COLOUR.match(match[kind]):
                break
            if kind == "quoted":
                quoted.add(len(self.words))
            self.words.append(match[kind])
            self._starts.append(match.start(kind))
        self.words.append(None)
        self.quoted = quoted

    def peek(self) -> Token | None:
        """Return the next word without taking it; None at the end."""
        text = self.words[self.at]
        return None if text is None else Token(text, self._start(self.at), self.at in self.quoted)

    def take(self) -> Token:
        """Take the next word."""
        token = self.peek()
        assert token is not None, "a word is taken after the end"
        self.at += 1
        return token

    def skip(self) -> None:
        """Skip the next word."""
        self.at += 1

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return self.words[self.at] is None

    def rest(self) -> str:
        """Take everything that is left, as typed."""
        if self.words[self.at] is None:
            return ""
        start = self._start(self.at)
        self.at = len(self.words) - 1
        return self.line[start:].rstrip()

    @property
    def column(self) -> int:
        """Where the next word begins."""
        return self.column_of(self.at)

    def column_of(self, number: int) -> int:
        """Return where a word begins; for the end, the length of the line."""
        return len(self.line) if self.words[number] is None else self._start(number)

    def _start(self, number: int) -> int:
        if not self._starts:
            end = 0
            for text in self.words[:-1]:
                assert text is not None
                self._starts.append(self.line.index(text, end))
                end = self._starts[-1] + len(text)
        return self._starts[number]

    def fail(
        self, message: str, expected: Sequence[str] | Mapping[str, str], column: int | None = None
    ) -> CommandSyntaxError:
        """Return the error to raise at this place; ``expected`` are words, with a line of help each if there is one."""
        where = self.column if column is None else column
        helps = {"helps": dict(expected)} if isinstance(expected, Mapping) and any(expected.values()) else {}
        return CommandSyntaxError(message, line=self.line, column=where, expected=list(expected), **helps)


def unquote(text: str) -> str:
    """Return the text without its quotes."""
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] == '"' else text

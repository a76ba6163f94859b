"""Lines of the Agent language: labels, comments, continuations, and several commands on one line."""

from __future__ import annotations

import re
from dataclasses import dataclass

ENDINGS = (".agent", ".cmd")
"""The endings of files in the Agent language."""
MOST_CHARACTERS = 1 << 16
"""The longest command, continued lines included; a longer one is refused."""
_LABEL = re.compile(r"[ \t]*([^\s:;,=\\]+):[ \t]*")
_BLANKS = re.compile(r"[ \t\f\v]+")


@dataclass(frozen=True)
class Words:
    """One command as it was written: its name and its arguments."""

    name: str
    arguments: tuple[str, ...]

    @property
    def text(self) -> str:
        """The command with one blank between its words, as messages quote it."""
        return " ".join((self.name, *self.arguments)).rstrip()


@dataclass(frozen=True)
class Line:
    """A whole line: where it begins, as messages show it, and its commands."""

    place: str
    commands: tuple[Words, ...]


class LineReader:
    """Reads one stream: counts its lines, remembers its last label, and joins continued lines.

    A line with a label has the number 0. A command that is continued has the number of its first line.

    Args:
        first: the number of the first line of the stream.
    """

    def __init__(self, first: int = 0) -> None:
        self._label = ""
        self._number = first - 1
        self._place = ""
        self._held: list[str] = []
        self._length = 0

    @property
    def continued(self) -> bool:
        """Whether the last line ended with a backslash, so that the command goes on."""
        return bool(self._held)

    def read(self, text: str) -> Line | None:
        """Return the line that ends here; None if the command goes on in the next line."""
        self._number += 1
        text = text.rstrip("\r\n")
        if not self.continued:
            label = _LABEL.match(text)
            if label is not None:
                self._label, self._number = label[1], 0
                text = text[label.end() :]
            self._place = f"{self._label}:{self._number}" if self._label else str(self._number)
        text, comment, _ = text.partition(";")
        goes_on = not comment and text.endswith("\\")
        self._length += len(text)
        if self._length <= MOST_CHARACTERS:
            self._held.append(text[:-1] if goes_on else text)
        if goes_on:
            return None
        return self.end()

    def end(self) -> Line:
        """Return what is held: the stream ends, or the line does."""
        whole, length = " ".join(self._held), self._length
        self._held, self._length = [], 0
        if length > MOST_CHARACTERS:
            return Line(self._place, (Words(whole[:20].split(" ")[0], ("",) * MOST_CHARACTERS),))
        return Line(self._place, commands(whole))


def commands(text: str) -> tuple[Words, ...]:
    """Return the commands of a line without its label and comment; none if it is blank."""
    if not text.strip():
        return ()
    return tuple(_words(part) for part in text.split(","))


def _words(text: str) -> Words:
    words = [word for word in _BLANKS.split(text.strip()) if word]
    return Words(words[0], tuple(words[1:])) if words else Words("", ())

"""The lexemes of a line: numbers with units, texts, names with or without their kind, words and operators."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workcell.errors import CommandSyntaxError
from workcell.programs.measures import UNITS
from workcell.programs.mention import Mention

UNIT = "|".join(sorted((re.escape(unit) for unit in UNITS), key=len, reverse=True))
"""All units, as a part of a regular expression."""
LEXEME = re.compile(
    rf"""(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)(?P<unit>(?:{UNIT})(?![\w]))?
      | (?P<text>"[^"]*")
      | (?P<kind>[a-z]+):(?P<quoted>"[^"]*"|[^\W\d][\w-]*)
      | (?P<word>[^\W\d]\w*(?:-\w+)*)
      | (?P<operator><=|>=|<>|[-+*/%=<>(),])
      | (?P<stray>\S)""",
    re.VERBOSE,
)
SIGNED = rf"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?:{UNIT})?"
"""A number with its sign and its unit, as a part of a regular expression."""


class Variables(set[str]):
    """The names that are variables at a place of a program; ``named`` are parameters that stand for names."""

    def __init__(self, some: Iterable[str] = ()) -> None:
        super().__init__(some)
        self.named: set[str] = set()


class LexemeReader:
    """Reads a line lexeme by lexeme: numbers, names, texts and operators.

    Args:
        line: the text.
        start: where to begin.
        end: where the text ends for this reader; by default the end of the line.
        variables: the names that are variables here.
        offset: where the line begins in its text, for the places of names.
    """

    __slots__ = ("_depth", "_operators", "_placing", "at", "end", "line", "mentions", "offset", "variables")

    def __init__(
        self, line: str, start: int = 0, end: int | None = None, variables: Iterable[str] = (), offset: int = 0
    ) -> None:
        self.line = line
        self.at = start
        self.end = len(line) if end is None else end
        self.variables = variables if isinstance(variables, Variables) else Variables(variables)
        self.offset = offset
        self.mentions: list[Mention] = []
        self._depth = 0
        self._operators = 0
        self._placing = True
        """Whether a name followed by transformations is a pose; not for the last number of a row."""

    def mention(self, start: int, end: int, name: str, kinds: tuple[str, ...]) -> None:
        """Note a name in the line; a parameter that stands for a name is none."""
        if name in self.variables.named and self.line[start - 1 : start] != ":":
            return
        self.mentions.append(Mention(start + self.offset, end + self.offset, name, kinds))

    # ---- lexemes ----------------------------------------------------------------------------------------

    def _skip(self) -> bool:
        """Skip blanks; return whether nothing is left."""
        at, end, line = self.at, self.end, self.line
        if at < end and "!" <= line[at] <= "~":
            return False
        while at < end:
            if not line[at].isspace():
                self.at = at
                return False
            at += 1
        self.at = at
        return True

    def _look(self) -> re.Match[str] | None:
        return None if self._skip() else LEXEME.match(self.line, self.at, self.end)

    def _sees(self, operator: str) -> bool:
        found = self._look()
        return found is not None and found["operator"] == operator

    def take(self, operator: str) -> None:
        """Take the operator that must come next."""
        if not self._sees(operator):
            raise self.fail(f"Expected `{operator}`{self.found()}.", [operator])
        self.at += len(operator)

    def word(self) -> str:
        """Return the next word without taking it; '' if there is none."""
        found = self._look()
        return found["word"] or "" if found is not None else ""

    def take_word(self) -> str:
        """Take the next word."""
        word = self.word()
        if not word:
            raise self.fail(f"Expected a name{self.found()}.", ["NAME"])
        self.at += len(word)
        return word

    def takes(self, word: str) -> bool:
        """Take this word if it comes next; return whether it did."""
        found = self.word() == word
        self.at += len(word) * found
        return found

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return self._skip()

    def found(self) -> str:
        """Return what comes next as the end of a sentence; '' at the end."""
        found = self._look()
        return f"; found {found[0]!r}" if found is not None else ""

    def fail(self, message: str, expected: list[str], column: int | None = None) -> CommandSyntaxError:
        """Return the error to raise at this place."""
        where = self.at if column is None else column
        return CommandSyntaxError(message, line=self.line, column=where, expected=expected)

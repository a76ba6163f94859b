"""Names, texts and files as parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workcell.commands.language.tokens import Tokens, unquote
from workcell.commands.language.value import Value
from workcell.errors import InvalidValue
from workcell.spatial.units import Units
from workcell.wording import either, quoted
from workcell.world.names import check_name

if TYPE_CHECKING:
    from workcell.commands.session import Session


class NewName(Value):
    """A new name."""

    label = "NAME"
    help = "a new name; in quotes if it has blanks"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """A word, or any text in quotes."""
        at = tokens.at
        text = tokens.words[at]
        if text is None:
            raise tokens.fail("Expected a name.", {self.label: "a name"})
        tokens.at = at + 1
        try:
            return check_name(unquote(text) if at in tokens.quoted else text)
        except InvalidValue as error:
            raise tokens.fail(str(error), [self.label], tokens.column_of(at)) from None

    def text(self, value: Any) -> str:
        """In quotes where needed."""
        return quoted(value)


class Text(Value):
    """Any text; in quotes when it has blanks."""

    label = "TEXT"
    help = "a text; in quotes if it has blanks"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """A word or a quoted text."""
        text = tokens.words[tokens.at]
        if text is None:
            raise tokens.fail("Expected a text.", {self.label: "a text"})
        tokens.at += 1
        text = unquote(text)
        return unescape(text) if "%" in text else text

    def from_json(self, value: Any, session: Session, seen: dict[str, Any]) -> Any:
        """The text itself."""
        if not isinstance(value, str):
            raise InvalidValue(f"Expected a text; found {value!r}.")
        return value

    def text(self, value: Any) -> str:
        """In quotes; line ends and quotes are escaped as in URLs, so that it stays one line."""
        return f'"{escape(value)}"'

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """The first line of it; in quotes if it is not one word."""
        first, *more = value.strip().split("\n")
        return first if not more and first.isalnum() else f'"{first}{" …" if more else ""}"'


_ESCAPED = re.compile('[%"\n\r]')


def escape(text: str) -> str:
    """Escape what cannot stand inside quotes on one line."""
    if not _ESCAPED.search(text):
        return text
    return text.replace("%", "%25").replace('"', "%22").replace("\n", "%0A").replace("\r", "%0D")


def unescape(text: str) -> str:
    """Undo :func:`escape`; other percent signs stay."""
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%22", '"').replace("%25", "%")


class Rest(Value):
    """The rest of the line, as typed."""

    label = "…"

    def __init__(self, label: str = "…", what: str = "", words: Mapping[str, str] | None = None) -> None:
        self.label = label
        self.help = what
        self.what = what or label
        self._words = words or {}

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """All that is left."""
        if tokens.done:
            raise tokens.fail(f"Expected {self.what}.", {self.label: self.what})
        return tokens.rest()

    def words_inside(self) -> Mapping[str, str]:
        """Return the words of its own language, if it has one."""
        return self._words

    def from_json(self, value: Any, session: Session, seen: dict[str, Any]) -> Any:
        """The text itself."""
        return str(value)


class File(Value):
    """A file to read or to write."""

    label = "FILE"

    def __init__(self, endings: tuple[str, ...] = (), label: str = "FILE") -> None:
        self.endings = endings
        self.label = label
        self.help = f"a file{f' ({either(endings)})' if endings else ''}; in quotes if its name has blanks"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """A path, or ``blob:…`` for a file kept in the cell."""
        if tokens.done:
            raise tokens.fail("Expected a file.", {self.label: "a file"})
        return unescape(unquote(tokens.take().text))

    def from_json(self, value: Any, session: Session, seen: dict[str, Any]) -> Any:
        """A path."""
        return str(value)

    def text(self, value: Any) -> str:
        """In quotes."""
        return f'"{escape(value)}"'

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """In quotes if it has blanks."""
        return quoted(value)

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """Files of the right ending in the folder that is being typed."""
        for path, folder in session.files.matching(prefix):
            if folder or not self.endings or Path(path).suffix in self.endings:
                yield path + ("/" if folder else ""), "folder" if folder else "file"

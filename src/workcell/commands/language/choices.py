"""Choices between words, as parameters; any unambiguous beginning is accepted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workcell.commands.language.tokens import Tokens
from workcell.commands.language.value import Value
from workcell.errors import InvalidValue

if TYPE_CHECKING:
    from workcell.commands.session import Session


_MOST_EXPLAINED = 10
"""With more words than this, a parameter's help does not repeat the help of each word."""


class Choice(Value):
    """One of several words; any unambiguous beginning is accepted."""

    def __init__(self, words: dict[str, str] | Iterable[str], label: str = "") -> None:
        self.words = dict(words) if isinstance(words, dict) else dict.fromkeys(words, "")
        self.label = label or "|".join(self.words)
        if len(self.words) <= _MOST_EXPLAINED and all(self.words.values()):
            self.help = "; ".join(f"{word}: {help}" for word, help in self.words.items())
        self.typescript = " | ".join(f'"{word}"' for word in self.words)

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """The word that this begins."""
        text = tokens.words[tokens.at]
        if text is None:
            raise tokens.fail(f"Expected one of {', '.join(self.words)}.", self.words)
        found = self._meant(text)
        if len(found) != 1:
            which = f"{text!r} could be {' or '.join(found)}" if found else f"found {text!r}"
            raise tokens.fail(f"Expected one of {', '.join(found or self.words)}; {which}.", found or list(self.words))
        tokens.at += 1
        return found[0]

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """The words."""
        return ((word, help) for word, help in self.words.items() if word.startswith(prefix))

    def schema(self) -> dict[str, Any]:
        """An enumeration."""
        return {"type": "string", "enum": list(self.words)}

    def accepts(self, text: str) -> bool:
        """A beginning of one of the words, or a plural."""
        return bool(self._meant(text))

    def _meant(self, text: str) -> list[str]:
        """Return the words that a text may mean, as a beginning or a plural."""
        if text in self.words:
            return [text]
        return match_word(text, self.words) or match_word(text.removesuffix("s"), self.words)


def match_word(text: str, words: Iterable[str]) -> list[str]:
    """Return the words that begin with ``text``; if one is equal to it, only that one."""
    found = []
    for word in words:
        if word == text:
            return [word]
        if word.startswith(text):
            found.append(word)
    return found


def beginnings(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return for every beginning of the words those that it may mean; a whole word means itself."""
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        for length in range(1, len(word) + 1):
            found[word[:length]] = (*found.get(word[:length], ()), word)
    return {text: (text,) if text in meant else meant for text, meant in found.items()}


class YesNo(Choice):
    """Yes or no."""

    def __init__(self) -> None:
        super().__init__({"yes": "", "no": ""}, "yes|no")
        self.typescript = "boolean"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """True or false."""
        return super().parse(tokens, session, seen) == "yes"

    def checked(self, value: Any) -> Any:
        """A truth value."""
        if not isinstance(value, bool):
            raise InvalidValue(f"Expected true or false; found {value!r}.")
        return value

    def text(self, value: Any) -> str:
        """Yes or no."""
        return "yes" if value else "no"

    def schema(self) -> dict[str, Any]:
        """A boolean."""
        return {"type": "boolean"}

"""The types of parameters: how each is typed, checked, shown, completed and described.

A type reads words (:meth:`Value.parse`), takes JSON in SI (:meth:`Value.from_json`) and writes the canonical text
of a value (:meth:`Value.text`), which the journal keeps: full words and SI units.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from functools import cache
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workcell.commands.language.tokens import Tokens, unquote
from workcell.errors import CommandSyntaxError, InvalidValue, WorkcellError
from workcell.spatial.units import SCALES
from workcell.wording import counted
from workcell.world.entities import quoted
from workcell.world.names import check_name

if TYPE_CHECKING:
    from workcell.commands.session import Session

_DIGITS = r"([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)"
NUMBER = re.compile(rf"{_DIGITS}([A-Za-z][A-Za-z/]*)?\Z")
_BETWEEN = re.compile(r"[\s,]+")


class Value:
    """A type of parameter."""

    label = "VALUE"
    """How it is shown in a syntax line."""
    help = ""
    typescript = "string"
    relations = False
    """Whether a value may be a relation; the session writes those, since their owner is in the database."""

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read a value from the words; ``seen`` are the parameters read before it."""
        raise NotImplementedError(type(self).__name__)

    def from_json(self, value: Any, session: Session, seen: dict[str, Any]) -> Any:
        """A value from a program: text is read as if typed, numbers are SI."""
        if isinstance(value, str):
            tokens = Tokens(value)
            if tokens.done:
                raise InvalidValue(f"Expected {self.label}, found nothing.")
            parsed = self.parse(tokens, session, seen)
            if tokens.peek() is not None:
                raise tokens.fail(f"Nothing more was expected after {self.label}.", [])
            return parsed
        return self.checked(value)

    def checked(self, value: Any) -> Any:
        """A value that is no text, refused when it is not of this type."""
        raise InvalidValue(f"Expected {self.label} as text; found {value!r}.")

    def text(self, value: Any) -> str:
        """The canonical text, in SI."""
        return str(value)

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """Words that could stand here, each with one line of help."""
        return ()

    def words_inside(self) -> Mapping[str, str]:
        """Words that such a value may begin or go on with, each with one line of help."""
        return {}

    def schema(self) -> dict[str, Any]:
        """The JSON schema of a value."""
        return {"type": "string"}

    def accepts(self, text: str) -> bool:
        """Whether a word could begin such a value; used to tell optional parameters apart."""
        return True


class BrokenRule(CommandSyntaxError):
    """A number that breaks a rule of its type; ``rule`` says what it must be and ``found`` what was typed."""

    @classmethod
    def at(cls, tokens: Tokens, label: str, rule: str, number: int) -> BrokenRule:
        """The error for the number at this word."""
        found, column = tokens.words[number], tokens.column_of(number)
        message = f"{label} {rule}; found {found}."
        return cls(message, line=tokens.line, column=column, expected=[label], rule=rule, found=found)

    def of(self, name: str) -> BrokenRule:
        """The same error, naming the parameter."""
        return BrokenRule(f"{name} {self.rule}; found {self.found}.", **self.evidence)


def read_number(tokens: Tokens, session: Session, quantity: str, label: str) -> float:
    """A number with or without a unit, as SI."""
    words, at = tokens.words, tokens.at
    word = words[at]
    match = NUMBER.match(word) if word is not None and at not in tokens.quoted else None
    if match is None:
        such = f"such as {_SAMPLES.get(quantity, '3' if label == 'INTEGER' else '2.5')}"
        found = f"; found {word!r}" if word is not None else ""
        raise tokens.fail(f"Expected {label}, {such}{found}.", {label: such})
    text, unit = match.groups("")
    sizes, following = session.sizes()[quantity], words[at + 1]
    if not unit and following is not None and following in sizes:
        unit, tokens.at = following, at + 2
    else:
        tokens.at = at + 1
    value = float(text)
    if unit in sizes and isfinite(value):
        return value * sizes[unit]
    try:
        return session.units.to_si(value, quantity, unit)
    except WorkcellError as error:
        raise tokens.fail(str(error), [label], tokens.column_of(at)) from None


_SAMPLES = {
    "length": "250 or 250mm or 0.25m", "angle": "30 or 30deg or 0.5rad", "angular speed": "20 or 0.3rad/s",
    "speed": "250 or 0.25m/s", "time": "1.5 or 1.5s", "mass": "2 or 2kg",
}  # fmt: skip
_SI_UNIT = {
    "length": "m", "angle": "rad", "time": "s", "mass": "kg", "speed": "m/s", "angular speed": "rad/s", "number": "",
}  # fmt: skip


class Number(Value):
    """A number of a quantity."""

    typescript = "number"

    def __init__(self, quantity: str = "number", *, positive: bool = False, whole: bool = False) -> None:
        self.quantity = quantity
        self.positive = positive
        self.whole = whole
        self.label = {"number": "INTEGER" if whole else "NUMBER"}.get(quantity, quantity.upper().replace(" ", "-"))

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read it with its unit."""
        at = tokens.at
        value = read_number(tokens, session, self.quantity, self.label)
        if rule := self._broken(value):
            raise BrokenRule.at(tokens, self.label, rule, at)
        return int(value) if self.whole else value

    def _broken(self, value: float) -> str:
        """The rule that a finite number breaks, if any."""
        if self.positive and value <= 0:
            return "must be more than zero"
        if self.whole and value != int(value):
            return "must be a whole number"
        return ""

    def checked(self, value: Any) -> Any:
        """A finite number, positive or whole where that is asked for."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise InvalidValue(f"Expected a number for {self.label}; found {value!r}.")
        if rule := self._broken(value):
            raise InvalidValue(f"{self.label} {rule}; found {value:g}.")
        return int(value) if self.whole else float(value)

    def text(self, value: Any) -> str:
        """With its SI unit."""
        return f"{value!r}{_SI_UNIT[self.quantity]}"

    def schema(self) -> dict[str, Any]:
        """A number."""
        return {"type": "integer" if self.whole else "number", "description": f"{self.quantity} in SI"}

    def accepts(self, text: str) -> bool:
        """A number."""
        return NUMBER.match(text) is not None


class LineNumber(Number):
    """The number of a line of a program; the word ``line`` may stand before it."""

    def __init__(self) -> None:
        super().__init__(positive=True, whole=True)

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read it behind its word, if that is there."""
        token = tokens.peek()
        if token is not None and not token.quoted and token.text == _LINE:
            tokens.skip()
        return super().parse(tokens, session, seen)

    def accepts(self, text: str) -> bool:
        """The word or a number."""
        return text == _LINE or super().accepts(text)


_LINE = "line"


def Length(positive: bool = False) -> Number:
    """A length."""
    return Number("length", positive=positive)


def Angle() -> Number:
    """An angle."""
    return Number("angle")


@cache
def bare_numbers(count: int) -> re.Pattern[str]:
    """So many numbers in one word and without units, which is what is typed most; for none, what nothing fits."""
    return re.compile(",".join([_DIGITS] * count) + r"\Z" if count else r"(?!)")


def scaled(bare: re.Match[str], size: float) -> tuple[float, ...]:
    """The numbers of :func:`bare_numbers` in SI."""
    texts = bare.groups()
    if len(texts) == 3:
        x, y, z = texts
        return float(x) * size, float(y) * size, float(z) * size
    return tuple([float(text) * size for text in texts])


class Vector(Value):
    """Numbers of one quantity: ``1,2,3`` or ``(1, 2, 3)`` or ``1 2 3``."""

    typescript = "number[]"

    def __init__(self, quantity: str = "length", count: int | None = 3, label: str = "") -> None:
        self.quantity = quantity
        self.count = count
        names = {3: "X,Y,Z", 2: "X,Y", 4: "W,X,Y,Z"}
        self.label = label or (names.get(count or 0, "A,B,…"))
        self._bare = bare_numbers(count or 0)

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read the numbers with a unit each, or one unit for all at the end."""
        first = tokens.at
        bare = self._bare.match(tokens.words[first] or "")
        if bare is not None and tokens.words[first + 1] not in (sizes := session.sizes()[self.quantity]):
            values = scaled(bare, sizes[""])
            if isfinite(sum(values)):
                tokens.at = first + 1
                return values
        return self._read(tokens, session, first)

    def _read(self, tokens: Tokens, session: Session, first: int) -> tuple[float, ...]:
        """Read the numbers from the word of that number on, whichever way they are written."""
        quantity, words = self.quantity, self.words(tokens)
        common = tokens.words[tokens.at]
        if common is not None and common in SCALES[quantity]:
            tokens.at += 1
        else:
            common = ""
        if self.count is not None and len(words) != self.count:
            open_end = len(words) < self.count and tokens.done and not common
            wanted = f"{self._what()}; found {len(words)}"
            raise tokens.fail(
                f"Expected {wanted}.", {self.label: wanted}, None if open_end else tokens.column_of(first)
            )
        read, units = [], session.units
        for word in words:
            match = NUMBER.match(word)
            if match is None:
                message = f"Expected {self._what()}; {word!r} is not a number."
                raise tokens.fail(message, [self.label], tokens.column_of(first))
            text, unit = match.groups(common)
            try:
                read.append(units.to_si(float(text), quantity, unit))
            except WorkcellError as error:
                raise tokens.fail(str(error), [self.label], tokens.column_of(first)) from None
        return tuple(read)

    def words(self, tokens: Tokens) -> list[str]:
        """The words of the numbers, whichever way they are written."""
        text = tokens.words[tokens.at]
        if text is None or tokens.at in tokens.quoted:
            raise tokens.fail(f"Expected {self._what()}.", {self.label: self._what()})
        tokens.at += 1
        if text[0] in "([":
            words = _BETWEEN.split(text[1:-1].strip())
        else:
            words = text.split(",")
            # 1, 2, 3 and 1 2 3 are read on while the words are numbers or end in a comma
            while True:
                ends_open = words[-1] == ""
                if not ends_open and self.count is not None and len(words) >= self.count:
                    break
                following = tokens.words[tokens.at]
                if following is None or tokens.at in tokens.quoted:
                    break
                parts = following.split(",")
                if not all(NUMBER.match(p) or p == "" for p in parts):
                    break
                words = [*(words[:-1] if ends_open else words), *parts]
                tokens.at += 1
        if words and words[-1] == "":
            words.pop()
        return words

    def _what(self) -> str:
        many = "numbers" if self.count is None else counted(self.count, "number")
        kind = "" if self.quantity == "number" else f" ({self.quantity}s)"
        return f"{many}{kind} such as {self.label}"

    def checked(self, value: Any) -> Any:
        """A row of finite numbers."""
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            array = np.array([math.nan])
        if array.ndim != 1 or not np.isfinite(array).all() or (self.count is not None and len(array) != self.count):
            raise InvalidValue(f"Expected {self._what()}; found {value!r}.")
        return tuple(float(v) for v in array)

    def text(self, value: Any) -> str:
        """In brackets, with the SI unit behind."""
        unit = _SI_UNIT[self.quantity]
        numbers = repr(tuple(map(float, value))).replace(",)", ")")
        return f"{numbers} {unit}" if unit else numbers

    def schema(self) -> dict[str, Any]:
        """An array of numbers."""
        schema: dict[str, Any] = {"type": "array", "items": {"type": "number"}}
        if self.count is not None:
            schema |= {"minItems": self.count, "maxItems": self.count}
        return schema

    def accepts(self, text: str) -> bool:
        """A bracket or a number."""
        return text[0] in "([" or NUMBER.match(text.split(",", maxsplit=1)[0]) is not None


class Choice(Value):
    """One of some words; any unambiguous beginning will do."""

    def __init__(self, words: dict[str, str] | Iterable[str], label: str = "") -> None:
        self.words = dict(words) if isinstance(words, dict) else dict.fromkeys(words, "")
        self.label = label or "|".join(self.words)
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
        """The words that a text may mean: it is a beginning of one, or a plural."""
        if text in self.words:
            return [text]
        return match_word(text, self.words) or match_word(text.removesuffix("s"), self.words)


def match_word(text: str, words: Iterable[str]) -> list[str]:
    """The words that ``text`` abbreviates; an exact one stands alone."""
    found = []
    for word in words:
        if word == text:
            return [word]
        if word.startswith(text):
            found.append(word)
    return found


def beginnings(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """For every beginning of the words, those that it may mean; a whole word means itself."""
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


class NewName(Value):
    """A name that is to be given."""

    label = "NAME"

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
        """In quotes, line ends and quotes written as in URLs so that a line stays a line."""
        return f'"{escape(value)}"'


_ESCAPED = re.compile('[%"\n\r]')


def escape(text: str) -> str:
    """Percent-write what cannot stand inside quotes on one line."""
    if not _ESCAPED.search(text):
        return text
    return text.replace("%", "%25").replace('"', "%22").replace("\n", "%0A").replace("\r", "%0D")


def unescape(text: str) -> str:
    """Undo :func:`escape`; other percent signs stay."""
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%22", '"').replace("%25", "%")


class Rest(Value):
    """The rest of the line as it stands."""

    label = "…"

    def __init__(self, label: str = "…", what: str = "", words: Mapping[str, str] | None = None) -> None:
        self.label = label
        self.what = what or label
        self._words = words or {}

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """All that is left."""
        if tokens.done:
            raise tokens.fail(f"Expected {self.what}.", {self.label: self.what})
        return tokens.rest()

    def words_inside(self) -> Mapping[str, str]:
        """The words that it is made of, where it has a language of its own."""
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

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """Files of the right ending in the folder that is being typed."""
        for path, folder in session.files.matching(prefix):
            if folder or not self.endings or Path(path).suffix in self.endings:
                yield path + ("/" if folder else ""), "folder" if folder else "file"

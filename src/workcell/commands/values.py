"""The types of parameters: how each is typed, checked, shown, completed and described.

A type reads words (:meth:`Value.parse`), takes JSON in SI (:meth:`Value.from_json`) and writes the canonical text
of a value (:meth:`Value.text`), which the journal keeps: full words and SI units.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workcell.commands.tokens import Token, Tokens, unquote
from workcell.errors import CommandSyntaxError, InvalidValue, WorkcellError
from workcell.spatial.pose import Pose
from workcell.spatial.units import SCALES
from workcell.world.entities import quoted
from workcell.world.names import check_name

if TYPE_CHECKING:
    from workcell.commands.session import Session

NUMBER = re.compile(r"([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)([A-Za-z][A-Za-z/]*)?\Z")
_BETWEEN = re.compile(r"[\s,]+")


class Value:
    """A type of parameter."""

    label = "VALUE"
    """How it is shown in a syntax line."""
    help = ""
    typescript = "string"

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
    def at(cls, tokens: Tokens, label: str, rule: str, token: Token) -> BrokenRule:
        """The error for the number at this word."""
        message = f"{label} {rule}; found {token.text}."
        return cls(message, line=tokens.line, column=token.start, expected=[label], rule=rule, found=token.text)

    def of(self, name: str) -> BrokenRule:
        """The same error, naming the parameter."""
        return BrokenRule(f"{name} {self.rule}; found {self.found}.", **self.evidence)


def read_number(tokens: Tokens, session: Session, quantity: str, label: str) -> float:
    """A number with or without a unit, as SI."""
    token = tokens.peek()
    match = NUMBER.match(token.text) if token is not None and not token.quoted else None
    if match is None or token is None:
        such = f"such as {_SAMPLES.get(quantity, '2.5')}"
        told = f"; found {token.text!r}" if token is not None else ""
        raise tokens.fail(f"Expected {label}, {such}{told}.", {label: such})
    tokens.skip()
    text, unit = match.groups()
    if unit is None:
        following = tokens.peek()
        if following is not None and following.text in SCALES[quantity]:
            tokens.skip()
            unit = following.text
    try:
        return session.units.to_si(float(text), quantity, unit or "")
    except WorkcellError as error:
        raise tokens.fail(str(error), [label], token.start) from None


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
        token = tokens.peek()
        value = read_number(tokens, session, self.quantity, self.label)
        if rule := self._broken(value):
            assert token is not None
            raise BrokenRule.at(tokens, self.label, rule, token)
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


def Length(positive: bool = False) -> Number:
    """A length."""
    return Number("length", positive=positive)


def Angle() -> Number:
    """An angle."""
    return Number("angle")


class Vector(Value):
    """Numbers of one quantity: ``1,2,3`` or ``(1, 2, 3)`` or ``1 2 3``."""

    typescript = "number[]"

    def __init__(self, quantity: str = "length", count: int | None = 3, label: str = "") -> None:
        self.quantity = quantity
        self.count = count
        names = {3: "X,Y,Z", 2: "X,Y", 4: "W,X,Y,Z"}
        self.label = label or (names.get(count or 0, "A,B,…"))

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read the numbers with a unit each, or one unit for all at the end."""
        first = tokens.peek()
        start = first.start if first is not None else tokens.column
        words = self.words(tokens)
        following = tokens.peek()
        common = ""
        if following is not None and following.text in SCALES[self.quantity]:
            common = following.text
            tokens.skip()
        if self.count is not None and len(words) != self.count:
            open_end = len(words) < self.count and tokens.done and not common
            told = f"{self._what()}; found {len(words)}"
            raise tokens.fail(f"Expected {told}.", {self.label: told}, None if open_end else start)
        read, units = [], session.units
        for word in words:
            match = NUMBER.match(word)
            if match is None:
                raise tokens.fail(f"Expected {self._what()}; {word!r} is not a number.", [self.label], start)
            text, unit = match.groups(common)
            try:
                read.append(units.to_si(float(text), self.quantity, unit))
            except WorkcellError as error:
                raise tokens.fail(str(error), [self.label], start) from None
        return tuple(read)

    def words(self, tokens: Tokens) -> list[str]:
        """The words of the numbers, whichever way they are written."""
        token = tokens.peek()
        if token is None or token.quoted:
            raise tokens.fail(f"Expected {self._what()}.", {self.label: self._what()})
        tokens.skip()
        text = token.text
        if text[0] in "([":
            words = _BETWEEN.split(text[1:-1].strip())
        else:
            words = text.split(",")
            # 1, 2, 3 and 1 2 3 are read on while the words are numbers or end in a comma
            while True:
                ends_open = words[-1] == ""
                if not ends_open and self.count is not None and len(words) >= self.count:
                    break
                following = tokens.peek()
                if following is None or following.quoted:
                    break
                parts = following.text.split(",")
                if not all(NUMBER.match(p) or p == "" for p in parts):
                    break
                words = [*(words[:-1] if ends_open else words), *parts]
                tokens.skip()
        if words and words[-1] == "":
            words.pop()
        return words

    def _what(self) -> str:
        many = "numbers" if self.count is None else f"{self.count} numbers"
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
        return f"({', '.join([repr(float(v)) for v in value])}){' ' + unit if unit else ''}"

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
        token = tokens.peek()
        if token is None:
            raise tokens.fail(f"Expected one of {', '.join(self.words)}.", self.words)
        found = self._meant(token.text)
        if len(found) != 1:
            which = f"{token.text!r} could be {' or '.join(found)}" if found else f"found {token.text!r}"
            raise tokens.fail(f"Expected one of {', '.join(found or self.words)}; {which}.", found or list(self.words))
        tokens.take()
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
        token = tokens.peek()
        if token is None:
            raise tokens.fail("Expected a name.", {self.label: "a name"})
        tokens.take()
        try:
            return check_name(unquote(token.text))
        except InvalidValue as error:
            raise tokens.fail(str(error), [self.label], token.start) from None

    def text(self, value: Any) -> str:
        """In quotes where needed."""
        return quoted(value)


class Text(Value):
    """Any text; in quotes when it has blanks."""

    label = "TEXT"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """A word or a quoted text."""
        if tokens.done:
            raise tokens.fail("Expected a text.", {self.label: "a text"})
        return unescape(unquote(tokens.take().text))

    def from_json(self, value: Any, session: Session, seen: dict[str, Any]) -> Any:
        """The text itself."""
        if not isinstance(value, str):
            raise InvalidValue(f"Expected a text; found {value!r}.")
        return value

    def text(self, value: Any) -> str:
        """In quotes, line ends and quotes written as in URLs so that a line stays a line."""
        return f'"{escape(value)}"'


def escape(text: str) -> str:
    """Percent-write what cannot stand inside quotes on one line."""
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


_POSITION = Vector()


class PoseValue(Value):
    """A rigid pose: ``X,Y,Z`` and, if turned, any transformation words behind."""

    label = "POSE"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """A position, then turns; or transformation words alone."""
        from workcell.commands.transforms import read_transform

        column = tokens.column
        transform = read_transform(tokens, session, position_first=True)
        if not transform.is_rigid:
            raise tokens.fail("A pose must be rigid; this one scales or mirrors.", [self.label], column)
        return transform

    def checked(self, value: Any) -> Any:
        """A pose, or a 4×4 matrix in SI."""
        from workcell.spatial.transform import Transform

        if isinstance(value, Transform):
            return value
        return Transform.from_pose(value if isinstance(value, Pose) else Pose(value))

    def text(self, value: Any) -> str:
        """Transformation words."""
        from workcell.commands.transforms import transform_text

        return transform_text(value)

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """The words of transformations."""
        from workcell.commands.transforms import FORMS

        return [(word, help) for word, help in FORMS.items() if word.startswith(prefix)]

    def words_inside(self) -> Mapping[str, str]:
        """The words of transformations."""
        from workcell.commands.transforms import FORMS

        return FORMS

    def schema(self) -> dict[str, Any]:
        """Text, or a matrix."""
        return {"description": "transformation words, or a 4×4 matrix in SI"}

    def accepts(self, text: str) -> bool:
        """A number, a bracket or a transformation word."""
        from workcell.commands.transforms import FORMS

        return _POSITION.accepts(text) or bool(match_word(text, FORMS))


class TransformValue(PoseValue):
    """A transformation, which may scale and mirror."""

    label = "TRANSFORMATION"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Transformation words."""
        from workcell.commands.transforms import read_transform

        return read_transform(tokens, session, position_first=False)

    def accepts(self, text: str) -> bool:
        """A transformation word."""
        from workcell.commands.transforms import FORMS

        return bool(match_word(text, FORMS))

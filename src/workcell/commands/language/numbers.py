"""Numbers as parameters, alone and in rows, with or without units."""

from __future__ import annotations

import math
import re
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from workcell.commands.language.tokens import Tokens
from workcell.commands.language.value import Value
from workcell.errors import CommandSyntaxError, InvalidValue, WorkcellError
from workcell.spatial.units import SCALES, Units, tidy
from workcell.wording import counted

if TYPE_CHECKING:
    from workcell.commands.session import Session

_DIGITS = r"([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)"
NUMBER = re.compile(rf"{_DIGITS}([A-Za-z][A-Za-z/]*)?\Z")
_BETWEEN = re.compile(r"[\s,]+")


class BrokenRule(CommandSyntaxError):
    """A number that breaks a rule of its type; ``rule`` is the rule and ``found`` what was typed."""

    @classmethod
    def at(cls, tokens: Tokens, label: str, rule: str, number: int) -> BrokenRule:
        """Return the error for the number at this word."""
        found, column = tokens.words[number], tokens.column_of(number)
        message = f"{label} {rule}; found {found}."
        return cls(message, line=tokens.line, column=column, expected=[label], rule=rule, found=found)

    def of(self, name: str) -> BrokenRule:
        """Return the same error with the name of the parameter."""
        return BrokenRule(f"{name} {self.rule}; found {self.found}.", **self.evidence)


def read_number(tokens: Tokens, session: Session, quantity: str, label: str) -> float:
    """Read a number with or without a unit; return it in SI."""
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
        """Return the rule that a finite number breaks, or ''."""
        if self.positive and value <= 0:
            return "must be more than zero"
        if self.whole and value != int(value):
            return "must be a whole number"
        return ""

    def checked(self, value: Any) -> Any:
        """Return a finite number; positive or whole if required."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise InvalidValue(f"Expected a number for {self.label}; found {value!r}.")
        if rule := self._broken(value):
            raise InvalidValue(f"{self.label} {rule}; found {value:g}.")
        return int(value) if self.whole else float(value)

    def text(self, value: Any) -> str:
        """With its SI unit."""
        return f"{value!r}{_SI_UNIT[self.quantity]}"

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """In the unit of the cell."""
        return tidy(units.from_si(value, self.quantity))

    def schema(self) -> dict[str, Any]:
        """A number."""
        return {"type": "integer" if self.whole else "number", "description": f"{self.quantity} in SI"}

    def accepts(self, text: str) -> bool:
        """A number."""
        return NUMBER.match(text) is not None


class Seed(Number):
    """The seed of something random: a whole number of 0 or more, below 2^63."""

    help = "a whole number of 0 or more"

    def __init__(self) -> None:
        super().__init__(whole=True)

    def _broken(self, value: float) -> str:
        return super()._broken(value) or ("" if 0 <= value < 1 << 63 else "must be 0 or more and below 2^63")


class LineNumber(Number):
    """The number of a line of a program; the word ``line`` may stand before it."""

    def __init__(self) -> None:
        super().__init__(positive=True, whole=True)

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read it, behind its word if that is there."""
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
    """Return a pattern for ``count`` numbers in one word without units; for 0, one that never matches."""
    return re.compile(",".join([_DIGITS] * count) + r"\Z" if count else r"(?!)")


def scaled(bare: re.Match[str], size: float) -> tuple[float, ...]:
    """Return the numbers of :func:`bare_numbers` in SI."""
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
        """Read the numbers from a word on, in any notation."""
        return self.read_words(tokens, session, first, self.words(tokens))

    def read_words(self, tokens: Tokens, session: Session, first: int, words: list[str]) -> tuple[float, ...]:
        """Return the numbers of words, the first at this number; a unit behind them applies to all."""
        quantity = self.quantity
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
        """Take the words of the numbers, in any notation."""
        text = tokens.words[tokens.at]
        if text is None or tokens.at in tokens.quoted:
            raise tokens.fail(f"Expected {self._what()}.", {self.label: self._what()})
        tokens.at += 1
        if text[0] in "([":
            words = _BETWEEN.split(text[1:-1].strip())
        else:
            words = text.split(",")
            # 1, 2, 3 and 1 2 3 continue while the words are numbers or end in a comma
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
            truths = not isinstance(value, np.ndarray) and any(isinstance(one, bool) for one in value)
            array = np.array([math.nan]) if truths else np.asarray(value, dtype=float)
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

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """In the unit of the cell."""
        return ",".join(tidy(units.from_si(one, self.quantity)) for one in value)

    def schema(self) -> dict[str, Any]:
        """An array of numbers."""
        schema: dict[str, Any] = {"type": "array", "items": {"type": "number"}}
        if self.count is not None:
            schema |= {"minItems": self.count, "maxItems": self.count}
        return schema

    def accepts(self, text: str) -> bool:
        """A bracket or a number."""
        return text[0] in "([" or NUMBER.match(text.split(",", maxsplit=1)[0]) is not None

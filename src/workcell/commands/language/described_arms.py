"""Arms as the guidance thesis describes them: a descriptor after its word, and the lengths of its links."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workcell.commands.language.numbers import NUMBER
from workcell.commands.language.tokens import Tokens, unquote
from workcell.commands.language.value import Value
from workcell.errors import InvalidValue, WorkcellError
from workcell.spatial.units import Units, tidy

if TYPE_CHECKING:
    from workcell.commands.session import Session

WORD = "descriptor"
Lengths = tuple["float | tuple[float, float]", ...]


class Described(str):
    """The text of a descriptor, such as ``(a1=0, α1=0°, Δa2=0, 1)``."""

    __slots__ = ()


def read_descriptor(tokens: Tokens) -> Described:
    """Read the text of a descriptor behind its word."""
    from workcell.planning.guidance.descriptors import Descriptor

    token = tokens.peek()
    if token is None:
        what = 'a descriptor in quotes, such as "(a1=0, α1=0°, Δa2=0, α2=0°, Δa3=0, 2)"'
        raise tokens.fail(f"Expected {what}.", {"DESCRIPTOR": what})
    tokens.take()
    text = unquote(token.text)
    try:
        Descriptor.read(text)
    except InvalidValue as error:
        raise tokens.fail(str(error), ["DESCRIPTOR"], token.start) from None
    return Described(text)


class LinkLengths(Value):
    """The length of each link, the clamped one first; a link that can be drawn out has two: ``0,600,550..700``."""

    label = "A1,A2,…"
    help = "a length for each link, or LEAST..GREATEST for one that can be drawn out"
    typescript = "(number | [number, number])[]"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read the lengths with a unit each, or in those of the cell."""
        first = tokens.column
        text = ""
        while (token := tokens.peek()) is not None and (not text or text.endswith(",")):
            text += token.text
            tokens.take()
        try:
            return tuple(_length(part, session) for part in text.strip("()[] ").split(","))
        except WorkcellError as error:
            raise tokens.fail(str(error), [self.label], first) from None

    def checked(self, value: Any) -> Any:
        """A row of finite numbers and pairs."""
        if not isinstance(value, list | tuple) or not value:
            raise InvalidValue(f"Expected the lengths of the links, such as [0, 0.6, [0.55, 0.7]]; found {value!r}.")
        return tuple(_pair(one) if isinstance(one, list | tuple) else _number(one) for one in value)

    def text(self, value: Any) -> str:
        """In metres."""
        return ",".join(f"{one[0]!r}m..{one[1]!r}m" if isinstance(one, tuple) else f"{one!r}m" for one in value)

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """In the unit of the cell."""
        ends = [one if isinstance(one, tuple) else (one,) for one in value]
        return ",".join("..".join(tidy(units.from_si(end, "length")) for end in one) for one in ends)

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """Lengths cannot be foreseen."""
        return ()

    def schema(self) -> dict[str, Any]:
        """Numbers, or pairs of them."""
        pair = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
        return {"type": "array", "items": {"anyOf": [{"type": "number"}, pair]}, "description": "lengths in SI"}


def _length(text: str, session: Session) -> float | tuple[float, float]:
    low, dots, high = text.strip().partition("..")
    return _pair((_read(low, session), _read(high, session))) if dots else _read(low, session)


def _read(text: str, session: Session) -> float:
    found = NUMBER.match(text.strip())
    if found is None:
        raise InvalidValue(f"Expected the lengths of the links, such as 0,600,550..700; {text!r} is not a number.")
    number, unit = found.groups("")
    return session.units.to_si(float(number), "length", unit)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InvalidValue(f"A length is a finite number; found {value!r}.")
    return float(value)


def _pair(value: Any) -> tuple[float, float]:
    if len(value) != 2 or not _number(value[0]) < _number(value[1]):
        raise InvalidValue(f"A length that can change has its least and its greatest value; found {list(value)}.")
    return _number(value[0]), _number(value[1])

"""Lines that differ only in their numbers: one is read, and the others are filled with their own numbers.

A shape is the text of a line without its numbers. A shape that occurred a few times is read with test numbers, positive
and negative. If each of these comes back once in what was read, and the line itself equals the filled shape, every line
of that shape is made by filling. Any other line is read as a whole.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from workcell.errors import WorkcellError
from workcell.programs.expressions import Number
from workcell.programs.mention import Mention

_LITERAL = re.compile(r"([-.0-9](?<![\w.-].)(?:(?<=[0-9])|\.?[0-9])[0-9.]*)")
"""A number with its sign; not the digits of a name, and not a number behind a minus between two values."""
_GAP = "\0"
_WORTH = 3
"""How often a shape must occur before reading two more lines pays off."""
_LONGEST = 300
"""In a shorter line, no number can be too large."""
Effect: TypeAlias = Callable[..., None]
_Name: TypeAlias = tuple[int, int, int, str, tuple[str, ...]]
"""A name in a shape: how many numbers come before it, where it begins and ends without them, name and kinds."""


@dataclass(frozen=True)
class Sentence:
    """What was read from one line.

    Attributes:
        effect: the function that adds the fields to the program.
        fields: what was read.
        mentions: the names, with their places in the line.
    """

    effect: Effect
    fields: tuple[Any, ...]
    mentions: tuple[Mention, ...]


class Shapes:
    """The shapes of the lines of one program.

    Args:
        read: reads one line as a whole, without a trace; it may refuse the line.
    """

    def __init__(self, read: Callable[[str], Sentence]) -> None:
        self._read = read
        self._known: dict[str, int | _Template | None] = {}

    def forget(self) -> None:
        """Start again, because the same words may mean something else now."""
        self._known.clear()

    def sentence(self, line: str, offset: int, mentions: list[Mention]) -> tuple[Effect, tuple[Any, ...]] | None:
        """Return the effect and the fields of a line with a known shape; None if it must be read as a whole.

        Args:
            line: the text, without blanks around it and without a comment.
            offset: where it begins in the whole text.
            mentions: gets the names of the line.
        """
        parts = _LITERAL.split(line)
        shape = _GAP.join(parts[::2])
        known = self._known.get(shape, 0)
        if isinstance(known, int):
            if known < _WORTH or len(line) > _LONGEST:
                self._known[shape] = known + 1
                return None
            known = self._known[shape] = self._template(parts[::2], parts[1::2])
        if known is None or len(line) > _LONGEST:
            return None
        try:
            return known.filled(parts[1::2], offset, mentions)
        except ValueError:  # such as 1.2.3
            return None

    def _template(self, words: list[str], literals: list[str]) -> _Template | None:
        """Return the template of a shape; None if its numbers decide more than values."""
        probes = [f"{place + 1}.5" for place in range(len(literals))]
        opposites = [f"-{one}" for one in probes]
        try:
            template = _Template(self._read(_joined(words, probes)), words, probes)
            agrees = all(template.gives(self._read(_joined(words, some)), some) for some in (opposites, literals))
        except (WorkcellError, _OtherNumbers):
            return None
        return template if agrees else None


class _OtherNumbers(Exception):
    """What was read has other numbers than the line."""


class _Template:
    """The content of the lines of one shape, with gaps for their numbers."""

    __slots__ = ("_effect", "_fill", "_names")

    def __init__(self, sentence: Sentence, words: list[str], probes: list[str]) -> None:
        self._effect = sentence.effect
        places = {float(text): place for place, text in enumerate(probes)}
        constants: dict[str, Any] = {"Number": Number}
        made = _source(sentence.fields, places, constants)
        if places:
            raise _OtherNumbers
        self._fill: Callable[[list[float]], tuple[Any, ...]] = eval(f"lambda n: {made}", constants)
        begins = [0]
        for word, text in zip(words, probes, strict=False):
            begins.append(begins[-1] + len(word) + len(text))
        self._names: list[_Name] = []
        for one in sentence.mentions:
            before = bisect_right(begins, one.start) - 1
            longer = sum(map(len, probes[:before]))
            self._names.append((before, one.start - longer, one.end - longer, one.name, one.kinds))

    def filled(self, literals: list[str], offset: int, mentions: list[Mention]) -> tuple[Effect, tuple[Any, ...]]:
        """Return the effect and the fields with these numbers; add the names to the mentions."""
        fields = self._fill([*map(float, literals)])
        for before, start, end, name, kinds in self._names:
            at = offset + sum(map(len, literals[:before])) if before else offset
            mentions.append(Mention(at + start, at + end, name, kinds))
        return self._effect, fields

    def gives(self, sentence: Sentence, literals: list[str]) -> bool:
        """Whether it gives the same as reading a line with these numbers as a whole."""
        mentions: list[Mention] = []
        found = self.filled(literals, 0, mentions)
        return found == (sentence.effect, sentence.fields) and tuple(mentions) == sentence.mentions


def _joined(words: list[str], literals: list[str]) -> str:
    return "".join(map("".join, zip(words, [*literals, ""], strict=True)))


def _source(value: Any, places: dict[float, int], constants: dict[str, Any]) -> str:
    """Return a Python expression that makes a value from the numbers ``n`` of a line.

    Args:
        value: a number of an expression, or a tuple or struct with some inside.
        places: for each number, its index in the line; those found are removed.
        constants: gets what the expression names: kinds of struct, and values without numbers.
    """
    if type(value) is Number:
        place = places.pop(value.value, None)
        if place is None:
            raise _OtherNumbers
        return f"Number(n[{place}], {value.unit!r})"
    left = len(places)
    if isinstance(value, tuple | msgspec.Struct):
        parts = value if isinstance(value, tuple) else msgspec.structs.astuple(value)
        row = _row_source(parts, places)
        inner = row or "".join(f"{_source(one, places, constants)}, " for one in parts)
        if len(places) != left:
            if isinstance(value, tuple):
                return f"({inner})"
            constants[type(value).__name__] = type(value)
            return f"{type(value).__name__}({inner})"
    name = f"c{len(constants)}"
    constants[name] = value
    return name


def _row_source(parts: tuple[Any, ...], places: dict[float, int]) -> str:
    """Return an expression for consecutive numbers without units; '' if there are others."""
    if not all(type(one) is Number and not one.unit for one in parts):
        return ""
    found = [places.get(one.value, -1) for one in parts]
    if not found or found[0] < 0 or found != list(range(found[0], found[0] + len(found))):
        return ""
    for one in parts:
        del places[one.value]
    return f"*map(Number, n[{found[0]}:{found[-1] + 1}]),"

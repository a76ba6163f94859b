"""Values of grippers as parameters: the places of cups, and numbers with their stated units."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from workcell.commands.language.numbers import NUMBER, Number, Vector
from workcell.spatial.units import Units, tidy

if TYPE_CHECKING:
    from workcell.commands.language.tokens import Tokens
    from workcell.commands.session import Session

UNITS = {
    "kPa": {"kPa": 1.0, "Pa": 1e-3, "mbar": 0.1, "hPa": 0.1, "bar": 100.0},
    "N": {"N": 1.0, "kN": 1e3},
}
"""Units that are not display units of a cell: what may be typed instead of each, and its size."""
_STATED = re.compile(r"\[([^\]]+)\]")


class Places(Vector):
    """Positions, three lengths each: ``0,0,80,50,0,80`` or ``(0,0,80) (50,0,80)``."""

    def __init__(self) -> None:
        super().__init__("length", None, "(X,Y,Z) (X,Y,Z) …")
        self._one = Vector("length", 3)

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read positions in brackets, or all numbers in a row; a unit behind the last applies to all."""
        if not _opens(tokens) or not _opens(tokens, 1):
            return super().parse(tokens, session, seen)
        first, words = tokens.at, list[str]()
        while _opens(tokens):
            at, found = tokens.at, self.words(tokens)
            if len(found) != 3:
                wanted = f"three numbers such as (X,Y,Z) for each place; found {len(found)}"
                raise tokens.fail(f"Expected {wanted}.", {self.label: wanted}, tokens.column_of(at))
            words += found
        return self.read_words(tokens, session, first, words)


class StatedNumber(Number):
    """A number in the unit that its property states, which may follow: ``60`` or ``60kPa``."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self.unit = unit
        self.label = unit.upper()

    @classmethod
    def of(cls, help: str) -> StatedNumber | None:
        """Return the type for a property whose help states such a unit in brackets; None for others."""
        stated = _STATED.search(help)
        return cls(stated[1]) if stated and stated[1] in UNITS else None

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read it with its unit, or without one."""
        at, sizes = tokens.at, UNITS[self.unit]
        word = tokens.words[at]
        match = NUMBER.match(word) if word is not None and at not in tokens.quoted else None
        if match is None:
            return super().parse(tokens, session, seen)
        text, unit = match.groups("")
        tokens.at = at + 1
        if not unit and (following := tokens.words[tokens.at]) is not None and following in sizes:
            unit, tokens.at = following, at + 2
        if unit and unit not in sizes:
            wanted = f"a number in {', '.join(sizes)}, such as {text}{self.unit}"
            raise tokens.fail(f"Expected {wanted}; found {word!r}.", {self.label: wanted}, tokens.column_of(at))
        return self.checked(float(text) * (sizes[unit] if unit else 1.0))

    def text(self, value: Any) -> str:
        """With its unit."""
        return f"{value!r}{self.unit}"

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """With its unit."""
        return f"{tidy(value)}{self.unit}"


def _opens(tokens: Tokens, ahead: int = 0) -> bool:
    """Whether a word in brackets comes next, or ``ahead`` words later."""
    at = tokens.at + ahead
    word = tokens.words[at] if tokens.words[tokens.at] is not None else None
    return word is not None and at not in tokens.quoted and word[0] in "(["

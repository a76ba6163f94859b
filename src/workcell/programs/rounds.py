"""The rounds of loops: how many there are, the number of each, and how messages name them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from workcell.errors import InvalidValue
from workcell.programs.measures import Measure, aligned
from workcell.spatial.units import Units


def round_words(number: int, count: float, about: str = "") -> str:
    """Return how messages name a round, counted from 1; ``about`` is the value that its variable has."""
    return f"round {number} of {count:g}" + (f" ({about})" if about else "")


def nested(rounds: Sequence[str]) -> str:
    """Return how messages name rounds of loops in loops, given outermost first."""
    return " of ".join(reversed(rounds))


class Rounds(msgspec.Struct, frozen=True):
    """A loop that counts: how many rounds it has (it may be any number), its first number, and its increment."""

    count: float
    first: Measure
    by: Measure

    def number(self, done: int) -> Measure:
        """Return the number of the round after this many rounds."""
        return Measure(self.first.value + done * self.by.value, self.first.dimension)


def rounds_of(first: Measure, last: Measure, by: Measure, units: Units) -> Rounds:
    """Return the rounds from one number to another; none if the loop counts in the other direction.

    Raises:
        InvalidValue: it counts by zero, or the numbers do not match.
    """
    a, b, dimension = aligned(first, last, units)
    c = aligned(by, Measure(0.0, dimension), units)[0]
    if c == 0.0:
        raise InvalidValue("A loop cannot count by zero.")
    rounds = (b - a) / c + 1e-9
    count = math.floor(rounds) + 1 if math.isfinite(rounds) else rounds
    return Rounds(count, Measure(a, dimension), Measure(c, dimension))

"""The rounds of a loop that counts: how many there are, and the number of each."""

from __future__ import annotations

import math

import msgspec

from workcell.errors import InvalidValue
from workcell.programs.measures import Measure, aligned
from workcell.spatial.units import Units


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

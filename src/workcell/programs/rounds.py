"""The rounds of a loop that counts: how many there are, and the number of each."""

from __future__ import annotations

import math

import msgspec

from workcell.errors import InvalidValue
from workcell.programs.measures import Measure, aligned
from workcell.spatial.units import Units


class Rounds(msgspec.Struct, frozen=True):
    """A loop that counts: how many rounds it has (any number of them), its first number, and by what it counts."""

    count: float
    first: Measure
    by: Measure

    def number(self, done: int) -> Measure:
        """The number of a round, of which so many were made before."""
        return Measure(self.first.value + done * self.by.value, self.first.dimension)


def rounds_of(first: Measure, last: Measure, by: Measure, units: Units) -> Rounds:
    """The rounds from one number to another; none where the loop counts the other way.

    Raises:
        InvalidValue: it counts by zero, or the numbers do not go together.
    """
    a, b, dimension = aligned(first, last, units)
    c = aligned(by, Measure(0.0, dimension), units)[0]
    if c == 0.0:
        raise InvalidValue("A loop cannot count by zero.")
    rounds = (b - a) / c + 1e-9
    count = math.floor(rounds) + 1 if math.isfinite(rounds) else rounds
    return Rounds(count, Measure(a, dimension), Measure(c, dimension))

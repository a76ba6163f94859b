"""Whether a path keeps its constraints."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kept:
    """A path keeps its constraints.

    Attributes:
        bounds: for each constraint, the part of its tolerance that the path uses at most, from 0 to 1.
        looks: at how many places it was measured.
    """

    bounds: tuple[float, ...]
    looks: int


@dataclass(frozen=True)
class Broken:
    """A path breaks a constraint, or it could not be proved that it does not.

    Attributes:
        s: where on the path.
        constraint: its number.
        value: how far it is off there, as a part of the tolerance.
    """

    s: float
    constraint: int
    value: float

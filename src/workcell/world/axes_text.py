"""Requests for the axes that carry an arm or its work, as text: ``held``, ``best``, ``1200mm,30deg,best``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from workcell.errors import InvalidValue, Refused
from workcell.spatial.units import SCALES

Axes: TypeAlias = str | Sequence[float | str]
"""``held``, ``best``, or one of these or a value for each axis: as text with units, or numbers [rad or m]."""
HELD, BEST = "held", "best"
AXES = "axes"
"""The property of a target or path with the request for the axes when the hand goes there."""
_VALUE = re.compile(r"([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)([A-Za-z]*)\Z")


def checked_axes(axes: str) -> str:
    """Return the text of a request for axes without spaces; refuse any other text."""
    items = [item.strip() for item in axes.split(",")]
    for word in items:
        if word not in (HELD, BEST):
            value_of(word)
    return ",".join(items)


def value_of(word: str) -> tuple[float, str]:
    """Return a number and its unit; refuse any other text."""
    found = _VALUE.match(word)
    if found is None:
        raise InvalidValue(f"Axes must be {HELD}, {BEST} or values such as 1200mm,30deg; found {word!r}.", axes=word)
    if not any(found[2] in SCALES[quantity] for quantity in ("length", "angle")):
        raise InvalidValue(f"The value of an axis needs a unit, such as 1200mm or 30deg; found {word!r}.", axes=word)
    return float(found[1]), found[2]


def is_held(axes: Axes) -> bool:
    """Whether a request leaves all axes where they are."""
    items = axes.split(",") if isinstance(axes, str) else list(axes)
    return all(isinstance(one, str) and one.strip() in ("", HELD) for one in items)


def require_held(axes: Axes, work: str = "") -> None:
    """Refuse to place axes, or a pose on other work, in a move that meets something in motion."""
    if not is_held(axes):
        raise Refused(
            "A move that meets a moving thing keeps its axes where they are; leave `axes` out, or use `axes held`."
        )
    if work:
        raise Refused(
            f"A pose moves with what the hand meets (`on`) or with an object (`with {work}`), not with both; leave one "
            "of them out.",
            work=work,
        )

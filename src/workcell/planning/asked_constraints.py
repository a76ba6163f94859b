"""Constraints from what a command or a step says about the way of the hand."""

from __future__ import annotations

from typing import Any

from workcell.planning.constraints import Constraint, OnePart, OnLine, OnPlane, OnSurface, Upright, Vector
from workcell.spatial.pose import Pose


def asked_constraints(given: dict[str, Any]) -> tuple[Constraint, ...]:
    """The constraints of a path; each begins where the hand is at the start.

    Args:
        given: ``upright`` [rad], ``plane`` and ``line`` as points, ``surface`` as a name, ``one_part``; absent or None
            where nothing is asked.
    """
    out: list[Constraint] = []
    if given.get("upright") is not None:
        out.append(Upright(float(given["upright"])))
    if given.get("plane") is not None:
        out.append(OnPlane(normal=_direction(given["plane"])))
    if given.get("line") is not None:
        out.append(OnLine(_direction(given["line"])))
    if given.get("surface") is not None:
        out.append(OnSurface(given["surface"]))
    if given.get("one_part"):
        out.append(OnePart())
    return tuple(out)


def _direction(point: Pose) -> Vector:
    x, y, z = (float(value) for value in point.xyz)
    return x, y, z

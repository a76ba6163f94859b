"""The cost of a mesh, estimated before it is made."""

from __future__ import annotations

import math

from workcell.errors import Refused

MOST_TRIANGLES = 2_000_000
"""The most triangles that the mesh of one solid may have: some 200 MB, and about a minute of the CAD kernel."""


def require_affordable(triangles: float, tolerance: float, power: float = 1.0) -> None:
    """Refuse a mesh of too many triangles.

    Args:
        triangles: their estimated number.
        tolerance: how far they may lie from the solid [m].
        power: the power of 1/tolerance with which the number grows: one for doubly curved faces, a half for others.
    """
    if triangles <= MOST_TRIANGLES:
        return
    enough = tolerance * (triangles / MOST_TRIANGLES) ** (1.0 / power) * 1e3
    raise Refused(
        f"A mesh within {tolerance * 1e3:g} mm would take about {triangles:.2g} triangles; a solid may have at most "
        f"{MOST_TRIANGLES:,}. Allow {_rounded(enough):g} mm or more, or make the solid smaller.",
        triangles=triangles,
        most=MOST_TRIANGLES,
    )


def _rounded(value: float) -> float:
    """Round up to two digits."""
    scale = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / scale) * scale:.2g}")

"""What a mesh costs, before it is made."""

from __future__ import annotations

import math

from workcell.errors import Refused

MOST_TRIANGLES = 2_000_000
"""The most triangles that the mesh of one solid may have: some 200 MB, and about a minute of the CAD kernel."""


def require_affordable(triangles: float, tolerance: float, power: float = 1.0) -> None:
    """Refuse a mesh of too many triangles.

    Args:
        triangles: about how many it would have.
        tolerance: how far they may lie from the solid [m].
        power: by which power of the tolerance the number falls: one for doubly curved faces, a half for others.
    """
    if triangles <= MOST_TRIANGLES:
        return
    enough = tolerance * (triangles / MOST_TRIANGLES) ** (1.0 / power) * 1e3
    raise Refused(
        f"A mesh within {tolerance * 1e3:g} mm would take about {triangles:.2g} triangles; at most "
        f"{MOST_TRIANGLES:,} are made for a solid. Allow {_rounded(enough):g} mm or more, or make the solid smaller.",
        triangles=triangles,
        most=MOST_TRIANGLES,
    )


def _rounded(value: float) -> float:
    """Up to two digits."""
    scale = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / scale) * scale:.2g}")

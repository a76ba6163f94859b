"""Random solids for the laws: booleans of every kind of body, in general and in coincident places."""

from __future__ import annotations

import numpy as np

from workcell.geometry import solids
from workcell.geometry.nurbs.curve import NurbsCurve
from workcell.geometry.solid import Solid
from workcell.geometry.surface import disc, surface
from workcell.spatial.pose import Pose

_WEIGHTS = np.array([1, 1, 1, 3, 3, 1, 1, 0.5, 1, 0.5, 0.5])


class RandomSolids:
    """Seeded random solids of about 0.1 m; four in ten have their axes and places on a grid, so that faces touch.

    Args:
        seed: of the numbers.
        snapped: the share of solids on the grid.
    """

    def __init__(self, seed: int, snapped: float = 0.4) -> None:
        self.rng = np.random.default_rng(seed)
        self._share = snapped
        self._snapped = False

    def _size(self) -> float:
        return float(self.rng.uniform(0.03, 0.15))

    def _pose(self) -> Pose:
        if self._snapped:
            place, angles = self.rng.integers(-4, 5, 3) * 0.025, self.rng.integers(-2, 3, 3) * np.pi / 2.0
        else:
            place, angles = self.rng.uniform(-0.1, 0.1, 3), self.rng.uniform(-3.0, 3.0, 3)
        return Pose.from_xyz_angles(place, angles, "xyz_intrinsic")

    def body(self) -> Solid:
        """One body where it stands."""
        s, rng = self._size, self.rng
        makers = (
            lambda: solids.box(2 * s(), 2 * s(), 2 * s()),
            lambda: solids.cylinder(s(), 3 * s()),
            lambda: solids.sphere(s()),
            lambda: solids.cone(s(), 3 * s()),
            lambda: solids.truncated_cone(s(), s(), 3 * s()),
            lambda: solids.torus(0.06 + s(), s() / 2.6),
            lambda: solids.ellipsoid(s(), s(), s()),
            lambda: solids.extrude(surface([(0, 0), (0.2, 0), (0.2, 0.1), (0.1, 0.2)]), 2 * s()),
            lambda: solids.revolve(surface([(0.02, 0), (0.1, 0), (0.1, 0.06), (0.05, 0.1)]), float(rng.uniform(1, 6))),
            lambda: solids.sweep(disc(0.03), NurbsCurve.arc((0, 0, 0), 0.12, 0, float(rng.uniform(1, 2.5)))),
            lambda: solids.cone(s(), 3 * s()).transformed(np.diag([*rng.uniform(0.6, 1.6, 3), 1.0])),
        )
        made = makers[rng.choice(len(makers), p=_WEIGHTS / _WEIGHTS.sum())]()
        return made.moved(self._pose())

    def tree(self) -> Solid:
        """A boolean of two or three bodies."""
        self._snapped = bool(self.rng.random() < self._share)
        a, b = self.body(), self.body()
        kind = int(self.rng.integers(0, 4))
        if kind < 3:
            return (a + b, a - b, a & b)[kind]
        c = self.body()
        return ((a + b) - c, (a - b) + c, (a - b) - c, (a & b) + c, (a + b) & c)[int(self.rng.integers(0, 5))]

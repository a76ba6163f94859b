"""The arms and scenes of the guidance thesis, and random ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from workcell.planning.guidance.links import LinkArm
from workcell.planning.guidance.obstacles import Cylinder, Obstacle, Packed, Solid, Sphere, Triangle
from workcell.planning.guidance.step import step

REFERENCE: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "data" / "planning" / "loeff.json").read_text(encoding="utf-8")
)
GOAL = (6.8, 8.0, 0.0)


def post(x: float, y: float, radius: float = 1.5) -> Cylinder:
    """A cylinder that stands on the plane of the example."""
    return Cylinder((x, y, -5.0), (x, y, 5.0), radius)


POSTS = (post(4.4, 5.0), post(9.0, 5.5), post(7.5, 1.5))
PLUG = post(6.7, 4.2, 0.5)
PLANAR = LinkArm.of([0.0] + [2.0] * 6, [0.0] * 6, [(-3.14, 3.14)] * 6)
FOLDED = PLANAR.posture([1.44, -2.88, 2.88, -2.88, 2.88, -2.88])
SPATIAL = LinkArm.of([0.0] + [2.0] * 6, [(-3.14, 3.14)] * 6, [(-3.14, 3.14)] * 6)
TWISTED = SPATIAL.posture([1.2, -2.4, 2.4, -2.4, 2.4, -2.4], [0.3, 0.2, -0.2, 0.1, 0.2, -0.1])
TETRA = Solid.tetrahedron([(3, 3, -1), (5, 3, -1), (4, 5, -1), (4, 3.7, 2)])
FLOOR = Triangle((-20, -20, -1.5), (20, -20, -1.5), (0, 30, -1.5))
SCENES: dict[str, tuple[tuple[float, float, float], tuple[Obstacle, ...]]] = {
    "2 spheres": ((6.5, 5, 3), (Sphere((3.5, 2.5, 1.5), 1.0), Sphere((6, 2, 0), 1.2))),
    "sphere+tetra": ((6.5, 4.2, 3), (TETRA, Sphere((6, 6, 2), 1.0))),
    "tetra only": ((5.5, 5.5, 1), (TETRA,)),
    "triangle floor": ((6.5, 6.5, 0.5), (FLOOR, Sphere((4, 4, 0), 1.5))),
}


def three_spheres(seed: int) -> tuple[np.ndarray, list[Sphere]]:
    """A destination and three spheres at random, clear of the start and of the destination."""
    rng = np.random.default_rng([1973, seed])
    while True:
        centres, radii = rng.uniform((0, -1, -4), (8, 8, 4), (3, 3)), rng.uniform(0.5, 1.5, 3)
        goal = rng.uniform((2, 2, -3), (7, 7, 3))
        spheres = [Sphere(tuple(c), float(r)) for c, r in zip(centres, radii, strict=True)]
        clear = step(SPATIAL, TWISTED, goal, Packed.of(spheres)).clearance >= 0.4
        if clear and np.min(np.linalg.norm(goal - centres, axis=1) - radii) >= 0.5:
            return goal, spheres

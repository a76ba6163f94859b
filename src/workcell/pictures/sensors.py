"""The sensors of a cell in pictures: translucent beams, boxes and cones."""

from __future__ import annotations

import math
from collections.abc import Container

import numpy as np
from numpy.typing import NDArray

from workcell.geometry.mesh import DEFAULT_TOLERANCE, Mesh
from workcell.geometry.solids import box, sphere
from workcell.pictures.scene import Item, Scene
from workcell.world.sensor_places import BARRIER, CAMERA, DISTANCE, PROXIMITY, SensorPlace
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

Array = NDArray[np.float64]

COLOUR = (0.10, 0.60, 0.85)
_OPACITY = 0.3
_BEAM = 1.5e-3
"""The least drawn thickness of a beam [m]."""
_SIDES = 8


def drawn_sensors(snapshot: Snapshot) -> list[str]:
    """The names of the sensors in a picture: those that look along a line, into a cone or into a box."""
    return [sensor.name for sensor in snapshot.sensors if not sensor.problem and sensor.senses in _SHAPES]


def sensor_scene(snapshot: Snapshot, state: CellState, without: Container[str] = ()) -> Scene:
    """The sensors of a cell at their poses in a state, except ``without``."""
    items = []
    for name in drawn_sensors(snapshot):
        if name not in without:
            sensor = snapshot.sensor(name)
            pose = snapshot.sensor_pose(state, name).matrix
            items.append(Item(_SHAPES[sensor.senses](sensor), pose, COLOUR, True, _OPACITY, name))
    return Scene(tuple(items))


def _beam(sensor: SensorPlace) -> Mesh:
    angles = np.linspace(0.0, 2.0 * math.pi, _SIDES, endpoint=False)
    ring = max(sensor.near, _BEAM) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return _prism(ring, ring, sensor.reach)


def _cone(sensor: SensorPlace) -> Mesh:
    square = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    far = square * sensor.reach * np.tan(0.5 * np.array(sensor.view))
    return _prism(far * 1e-3, far, sensor.reach)


def _near(sensor: SensorPlace) -> Mesh:
    solid = sphere(sensor.near) if sensor.size is None else box(*sensor.size)
    return solid.mesh(DEFAULT_TOLERANCE)


def _prism(bottom: Array, top: Array, height: float) -> Mesh:
    """A closed mesh between two counter-clockwise rings (n, 2), at zero and at a height."""
    n = len(bottom)
    vertices = np.concatenate([np.column_stack([bottom, np.zeros(n)]), np.column_stack([top, np.full(n, height)])])
    after = (np.arange(n) + 1) % n
    sides = [[k, after[k], n + after[k]] for k in range(n)] + [[k, n + after[k], n + k] for k in range(n)]
    caps = [[0, k + 1, k] for k in range(1, n - 1)] + [[n, n + k, n + k + 1] for k in range(1, n - 1)]
    triangles = np.array([*sides, *caps], dtype=np.int32)
    edges = np.array([[k, n + k] for k in range(n)] if n == 4 else [], dtype=np.int32).reshape(-1, 2)
    return Mesh(vertices, triangles, np.zeros(len(triangles), dtype=np.int32), edges=edges)


_SHAPES = {BARRIER: _beam, DISTANCE: _beam, PROXIMITY: _near, CAMERA: _cone}
"""The shapes of the sensors that look somewhere."""

"""Arms that the tests of this room share."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from workcell.kinematics.dh import Chain, DHRow
from workcell.spatial.pose import Pose

DATA = Path(__file__).parent.parent / "data" / "kinematics"


def facts(name: str) -> dict:
    return json.loads((DATA / name).read_text())


def random_pose(rng: np.random.Generator) -> Pose:
    return Pose.from_quaternion(rng.uniform(-0.5, 0.5, 3), rng.normal(size=4))


def random_chain(rng: np.random.Generator, n: int, slides: float = 0.3) -> Chain:
    rows = [
        DHRow(*(float(v) for v in rng.uniform(-1.5, 1.5, 4)), prismatic=bool(rng.random() < slides))
        for _ in range(n)
    ]
    return Chain(rows, random_pose(rng), random_pose(rng))


def product(chain: Chain, q: np.ndarray) -> np.ndarray:
    """The tool pose as the plain product of textbook matrices: an oracle that shares no code."""

    def along(axis: int, length: float) -> np.ndarray:
        m = np.eye(4)
        m[axis, 3] = length
        return m

    def about(axis: int, angle: float) -> np.ndarray:
        m = np.eye(4)
        i, j = (axis + 1) % 3, (axis + 2) % 3
        m[i, i] = m[j, j] = np.cos(angle)
        m[j, i], m[i, j] = np.sin(angle), -np.sin(angle)
        return m

    total = chain.X_base_0.matrix
    for row, value in zip(chain.rows, q, strict=True):
        d, theta = (row.d + value, row.theta) if row.prismatic else (row.d, row.theta + value)
        total = total @ along(2, d) @ about(2, theta) @ along(0, row.a) @ about(0, row.alpha)
    return total @ chain.X_n_tool.matrix

"""Arms that the tests of this room share."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np

from workcell.kinematics.dh import Chain, DHRow
from workcell.kinematics.structure import recognise
from workcell.spatial.pose import Pose

DATA = Path(__file__).parent.parent / "data" / "kinematics"


def facts(name: str) -> dict:
    return json.loads((DATA / name).read_text())


def random_pose(rng: np.random.Generator) -> Pose:
    return Pose.from_quaternion(rng.uniform(-0.5, 0.5, 3), rng.normal(size=4))


def random_chain(rng: np.random.Generator, n: int, slides: float = 0.3) -> Chain:
    rows = [
        DHRow(*(float(v) for v in rng.uniform(-1.5, 1.5, 4)), prismatic=bool(rng.random() < slides)) for _ in range(n)
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


# ---- families ------------------------------------------------------------------------------------------

HALF = math.pi / 2.0


def _square(rng: np.random.Generator) -> float:
    return float(rng.choice([-HALF, HALF]))


def _length(rng: np.random.Generator, zero: float = 0.5) -> float:
    return 0.0 if rng.random() < zero else float(rng.choice([-1, 1]) * rng.uniform(0.1, 1.0))


def _angle(rng: np.random.Generator) -> float:
    return float(rng.uniform(-math.pi, math.pi))


def puma_arm(rng: np.random.Generator, plain: bool = False) -> Chain:
    """The unified Puma–Fanuc family: any signs, shoulder offsets, joint offsets, base and tool."""
    rows = [
        DHRow(_angle(rng), _length(rng), _length(rng), _square(rng)),
        DHRow(_angle(rng), _length(rng), _length(rng, 0.0), float(rng.choice([0.0, math.pi, -math.pi]))),
        DHRow(_angle(rng), _length(rng), _length(rng), _square(rng)),
        DHRow(_angle(rng), _length(rng, 0.0), 0.0, _square(rng)),
        DHRow(_angle(rng), 0.0, 0.0, _square(rng)),
        DHRow(_angle(rng), _length(rng), _length(rng), float(rng.choice([0.0, math.pi, 0.7]))),
    ]
    return Chain(rows) if plain else Chain(rows, random_pose(rng), random_pose(rng))


def parallel_arm(rng: np.random.Generator) -> Chain:
    """Three parallel axes and two that meet (UR): any signs and offsets."""
    rows = [
        DHRow(_angle(rng), _length(rng), _length(rng), _square(rng)),
        DHRow(_angle(rng), _length(rng), _length(rng, 0.0), float(rng.choice([0.0, math.pi]))),
        DHRow(_angle(rng), _length(rng), _length(rng, 0.0), float(rng.choice([0.0, math.pi]))),
        DHRow(_angle(rng), _length(rng, 0.0), _length(rng), _square(rng)),
        DHRow(_angle(rng), _length(rng, 0.0), 0.0, _square(rng)),
        DHRow(_angle(rng), _length(rng), _length(rng), _angle(rng)),
    ]
    return Chain(rows, random_pose(rng), random_pose(rng))


def wrist_arm(rng: np.random.Generator, kinds: str = "RRR", oblique: bool = False) -> Chain:
    """A spherical wrist after three axes of given kinds, twisted anyhow; the wrist square or oblique."""
    while True:
        rows = []
        for kind in kinds:
            twist = float(rng.choice([0.0, math.pi, _square(rng), _square(rng), _angle(rng), _angle(rng)]))
            rows.append(DHRow(_angle(rng), _length(rng), _length(rng), twist, kind == "P"))
        tilt = float(rng.uniform(0.5, 2.5))
        second = float(rng.choice([-tilt, rng.uniform(0.5, 2.5)]))
        rows.append(DHRow(_angle(rng), _length(rng, 0.2), 0.0, tilt if oblique else _square(rng)))
        rows.append(DHRow(_angle(rng), 0.0, 0.0, second if oblique else _square(rng)))
        rows.append(DHRow(_angle(rng), _length(rng), _length(rng), _angle(rng)))
        chain = Chain(rows, random_pose(rng), random_pose(rng))
        if recognise(chain).family in ("wrist", "puma") and not recognise(chain).reverse:
            return chain


def general_arm(rng: np.random.Generator) -> Chain:
    rows = [DHRow(_angle(rng), *rng.uniform(-1, 1, 2), _angle(rng)) for _ in range(6)]
    return Chain(rows, random_pose(rng), random_pose(rng))


def few_arm(rng: np.random.Generator, kind: str) -> Chain:
    """Arms with fewer than six joints, by name."""
    flip = float(rng.choice([0.0, math.pi]))

    def link(twist: float, slide: bool = False, zero: float = 0.0) -> DHRow:
        return DHRow(_angle(rng), _length(rng), _length(rng, zero), twist, slide)

    square = _square(rng)
    rows = {
        "scara RRPR": lambda: [link(0.0), link(flip), link(0.0, True, 1.0), link(0.0, False, 1.0)],
        "scara PRRR": lambda: [link(0.0, True), link(0.0), link(flip), link(0.0)],
        "scara RRRP": lambda: [link(0.0), link(flip), link(0.0, False, 1.0), link(0.0, True)],
        "palletiser": lambda: [link(square), link(0.0), link(flip), link(_angle(rng))],
        "five parallel": lambda: [link(square), link(0.0), link(flip), link(_square(rng), zero=0.5), link(_angle(rng))],
        "five wrist": lambda: [link(square), link(flip), link(_square(rng)), link(square, zero=1.0), link(_angle(rng))],
        "planar 3R": lambda: [link(0.0), link(0.0), link(0.0)],
        "planar 2R": lambda: [link(0.0), link(0.0)],
        "anthropomorphic 3R": lambda: [link(square), link(0.0), link(_angle(rng))],
        "any 3R": lambda: [link(_angle(rng)), link(_angle(rng)), link(_angle(rng))],
        "gantry PPP": lambda: [
            link(square, True), DHRow(_square(rng), 0.1, 0.2, _square(rng), True), link(0.3, True),
        ],
        "RP": lambda: [link(square), link(_angle(rng), True)],
    }[kind]()  # fmt: skip
    return Chain(rows, random_pose(rng), random_pose(rng))


FEW = (
    "scara RRPR", "scara PRRR", "scara RRRP", "palletiser", "five parallel", "five wrist", "planar 3R", "planar 2R",
    "anthropomorphic 3R", "any 3R", "gantry PPP", "RP",
)  # fmt: skip


# ---- arms with names -----------------------------------------------------------------------------------


def irb6400() -> Chain:
    return Chain(
        [
            (0, 0.9, 0.188, -HALF), (0, 0, -0.95, 0), (0, 0, -0.225, HALF),
            (0, 1.3, 0, -HALF), (0, 0, 0, HALF), (0, 0.2, 0, 0),
        ]
    )  # fmt: skip


def puma560() -> Chain:
    return Chain(
        [
            (0, 0, 0, HALF), (0, 0, 0.4318, 0), (0, 0.15005, 0.0203, -HALF),
            (0, 0.4318, 0, HALF), (0, 0, 0, -HALF), (0, 0, 0, 0),
        ]
    )  # fmt: skip


def ur10() -> Chain:
    return Chain(
        [
            (0, 0.1273, 0, HALF), (0, 0, -0.612, 0), (0, 0, -0.5723, 0),
            (0, 0.163941, 0, HALF), (0, 0.1157, 0, -HALF), (0, 0.0922, 0, 0),
        ]
    )  # fmt: skip


def panda() -> tuple[Chain, np.ndarray]:
    rows = [
        (0, 0.333, 0, 0), (0, 0, 0, -HALF), (0, 0.316, 0, HALF), (0, 0, 0.0825, HALF),
        (0, 0.384, -0.0825, -HALF), (0, 0, 0, HALF), (0, 0, 0.088, HALF),
    ]  # fmt: skip
    limits = [
        (-2.8973, 2.8973), (-1.7628, 1.7628), (-2.8973, 2.8973), (-3.0718, -0.0698),
        (-2.8973, 2.8973), (-0.0175, 3.7525), (-2.8973, 2.8973),
    ]  # fmt: skip
    return Chain.from_modified(rows, X_n_tool=Pose.from_xyz(0, 0, 0.107)), np.array(limits)


def angles_apart(chain: Chain, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The largest difference of a joint between vectors, turning joints compared modulo a turn."""
    gap = np.abs(np.asarray(a) - b)
    turned = np.abs(gap - 2 * math.pi * np.round(gap / (2 * math.pi)))
    return np.where(chain.prismatic, gap, turned).max(axis=-1)

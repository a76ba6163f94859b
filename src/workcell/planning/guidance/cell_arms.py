"""One step of the thesis' guidance for an arm of a cell: its chain as generalised links, its neighbours as elements.

Lengths are counted in a unit in which the distance to keep is that of the thesis' listing, and time so that the speed
is. Then the listing's constants hold for arms of any size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.collision.arrangement import Arrangement
from workcell.collision.bodies import CollisionModel
from workcell.collision.tree import TriangleTree
from workcell.planning.guidance.arms import ArmConstants
from workcell.planning.guidance.constants import Constants
from workcell.planning.guidance.mapping import Mapped, mapped
from workcell.planning.guidance.nearby import Asked, asked_of
from workcell.planning.guidance.obstacles import Packed, mesh_rows
from workcell.planning.guidance.step import Step, step
from workcell.world.state import CellState

Array = NDArray[np.float64]

LISTED = Constants()
"""The constants of the thesis' listing."""


@dataclass(frozen=True, eq=False)
class LinkedArm:
    """An arm of a cell as generalised links.

    Attributes:
        model: what can touch.
        robot: the arm.
        tip: the point that is guided, in the frame of the last link (3,) [m].
        links: the arm, in metres.
        ignoring: what it need not keep away from.
    """

    model: CollisionModel
    robot: str
    tip: tuple[float, float, float]
    links: Mapped
    ignoring: tuple[str, ...] = ()

    @classmethod
    def of(cls, model: CollisionModel, robot: str, tip: ArrayLike, ignoring: Sequence[str] = ()) -> LinkedArm:
        """Return the arm.

        Args:
            model: what can touch.
            robot: its name.
            tip: the point that is guided, in the frame of the last link (3,) [m].
            ignoring: what it need not keep away from.

        Raises:
            Refused: its chain cannot be mapped; the sentence has the reason.
        """
        placed = model.snapshot.robot(robot).robot
        x, y, z = (round(float(value), 12) for value in np.asarray(tip, dtype=float))
        links = _mapped(placed.chain, tuple(map(tuple, placed.limits.tolist())), (x, y, z))
        return cls(model, robot, (x, y, z), links, tuple(ignoring))

    def step(
        self,
        state: CellState,
        destination: ArrayLike,
        speeds: ArrayLike,
        constants: ArmConstants,
        attitude: ArrayLike | None = None,
    ) -> tuple[Array, Step]:
        """Return the rates of the joints (n,) [rad/s or m/s], and the step of the thesis that gave them.

        Args:
            state: where everything is.
            destination: of the tip in the world (3,) [m].
            speeds: the greatest rates of the joints (n,); all rates slow down together (eq 3-2).
            constants: the speed of the tip and the distance to keep; the others are those of the listing.
            attitude: the direction that the last link is to have in the world (3,), if any.
        """
        q = state.joints[self.robot]
        unit = constants.reach / LISTED.reach
        tick = LISTED.speed * unit / constants.speed
        arrangement = self.model.arrangement(state)
        poses = arrangement.placed(state)
        base = poses[arrangement.links_of(self.robot)[0]]
        X = self.links.X_base_arm
        R = base[:9].reshape(3, 3) @ X.rotation
        at = base[:9].reshape(3, 3) @ X.xyz + base[9:]
        asked = asked_of(arrangement, self.robot, self.ignoring)
        thick = _thickness(arrangement, self, asked, poses, q, R, at)
        arm = self.links.in_units(unit, thick / unit)
        found = step(
            arm.arm,
            np.clip(arm.parameters(q), arm.arm.low, arm.arm.high),
            (np.asarray(destination, dtype=float) - at) @ R / unit,
            _packed(arrangement, asked, poses, (R, at, unit), constants.reach + float(thick.max())),
            LISTED,
            attitude=None if attitude is None else np.asarray(attitude, dtype=float) @ R,
            speeds=arm.speeds(np.asarray(speeds, dtype=float) * tick),
        )
        return arm.joint_rates(found.rates, len(q)) / tick, found

    def direction(self, state: CellState) -> Array:
        """Return the direction of the last link in the world (3,)."""
        base = self.model.snapshot.base_pose(state, self.robot) @ self.links.X_base_arm
        points = self.links.arm.end_points(self.links.parameters(state.joints[self.robot]))
        last = base.rotation @ (points[-1] - points[-2])
        found: Array = last / np.linalg.norm(last)
        return found


@lru_cache(maxsize=64)
def _mapped(chain: object, limits: tuple[tuple[float, float], ...], tip: tuple[float, float, float]) -> Mapped:
    return mapped(chain, np.array(limits), np.array(tip))  # type: ignore[arg-type]


# ---- the neighbours ---------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def _rows(tree: TriangleTree) -> Array:
    """Return the elements of a body in its own frame: faces, edges as thin cylinders, corners as points (m, 12)."""
    return mesh_rows(tree.triangles.reshape(-1, 3, 3))


def _packed(
    arrangement: Arrangement, asked: Asked, poses: Array, frame: tuple[Array, Array, float], reach: float
) -> Packed:
    """Return what the arm is tested against and is within reach of it, as elements in the frame and unit of the arm."""
    R, at, unit = frame
    rows, groups = [np.empty((0, 12))], [0]
    low, high = arrangement.boxes(asked.mine.astype(np.int32), poses)
    for body in asked.others.tolist():
        least, most = arrangement.boxes(np.array([body], dtype=np.int32), poses)
        if not np.any(np.all((least <= high + reach) & (most >= low - reach), axis=1)):
            continue
        own = _rows(arrangement.model.bodies[body].tree)
        X = poses[arrangement.frame[body]]
        points = own[:, 3:].reshape(-1, 3, 3) @ X[:9].reshape(3, 3).T + X[9:]
        moved = own.copy()
        moved[:, 3:] = ((points - at) @ R / unit).reshape(-1, 9)
        rows.append(moved)
        groups.append(groups[-1] + len(moved))
    return Packed(np.concatenate(rows), np.array(groups, dtype=np.int64))


_thick: WeakKeyDictionary[Arrangement, dict[tuple[str, tuple[float, float, float]], Array]] = WeakKeyDictionary()


def _thickness(
    arrangement: Arrangement, arm: LinkedArm, asked: Asked, poses: Array, q: Array, R: Array, at: Array
) -> Array:
    """Return the half thickness of the links [m]: how far corners of the arm's bodies lie from the nearest link.

    A body belongs to the links that do not move in it: those that as many joints carry, and the one that its own joint
    twists. What the arm carries counts too.
    """
    kept = _thick.setdefault(arrangement, {})
    known = kept.get((arm.robot, arm.tip))
    if known is not None:
        return known
    points = np.vstack([[0.0, 0.0, 0.0], arm.links.arm.end_points(arm.links.parameters(q))])
    carried = np.array(arm.links.carried)
    out = np.zeros(len(carried))
    for body, link in zip(asked.mine.tolist(), asked.mine_link.tolist(), strict=True):
        X = poses[arrangement.frame[body]]
        corners = arrangement.model.bodies[body].tree.triangles.reshape(-1, 3) @ X[:9].reshape(3, 3).T + X[9:]
        corners = (corners - at) @ R
        near = np.flatnonzero((carried == link) | (carried == link - 1))
        if not len(near):
            near = np.flatnonzero(carried <= link)[-1:]
        apart = np.array([_apart(corners, points[k], points[k + 1]) for k in near])
        nearest = apart.argmin(axis=0)
        for place, k in enumerate(near):
            mine = apart[place][nearest == place]
            out[k] = max(out[k], float(mine.max(initial=0.0)))
    kept[arm.robot, arm.tip] = out
    return out


def _apart(points: Array, a: Array, b: Array) -> Array:
    """Return how far points are from a segment (k,)."""
    along = b - a
    size = float(along @ along)
    part = np.clip((points - a) @ along / size, 0.0, 1.0) if size > 0.0 else np.zeros(len(points))
    found: Array = np.linalg.norm(points - a - part[:, None] * along, axis=1)
    return found

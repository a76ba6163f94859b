"""Proofs that there is no way: a ball inside the hand cannot get from where it is to where it would have to be.

Whatever the joints do, a ball that fits inside the hand goes along with it; for an arm that moves in a plane, a disc.
Space is cut into cells. A cell is blocked if the ball touches something wherever in the cell its middle is, or if it is
out of reach. If no row of cells that are not blocked leads from the start to the destination, the arm has no way,
however it may bend. The opposite does not follow: where such a row exists, nothing is proved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.collision.arrangement import Arrangement
from workcell.collision.pairs import ROUNDING
from workcell.collision.rules import belonging
from workcell.kinematics.dh import Chain
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.world.state import CellState

Array = NDArray[np.float64]

MOST_CELLS = 8_000_000
"""The greatest number of cells."""
_FINE = 8.0
"""How many times smaller than the ball's radius half the diagonal of a cell is, where the number of cells allows it."""
_PLACES = 7
"""How many places along each side of a body are tried for the middle of the ball."""


@dataclass(frozen=True, eq=False)
class Enclosed:
    """The proof that a hand cannot get to its destination.

    Attributes:
        robot: whose hand.
        body: the body that the ball is inside of.
        radius: of the ball [m].
        middle: of the ball at the start (3,) [m], in the world.
        planar: whether it is a disc in the plane that the arm moves in.
        cell: the side of a cell [m].
        reached: how many cells the ball may get to.
        blocked: how many it cannot be in.
    """

    robot: str
    body: str
    radius: float
    middle: Array
    planar: bool
    cell: float
    reached: int
    blocked: int

    @property
    def sentence(self) -> str:
        """What is proved, for people."""
        shape = "a disc" if self.planar else "a ball"
        return (
            f"there is none: {shape} of {2e3 * self.radius:.4g} mm inside {self.body} cannot get from here to the "
            f"destination, however {self.robot} bends"
        )


def enclosed(
    model: CollisionModel, state: CellState, robot: str, goal: Pose, *, position: bool = False,
    tolerances: tuple[float, float] = (0.0, 0.0), ignoring: tuple[str, ...] = (),
) -> Enclosed | None:  # fmt: skip
    """Return the proof that a tool cannot get to a pose, or None where nothing is proved.

    It holds while everything else stands where it is. It counts what the pair table has the hand's body tested against,
    with what meshes may lie off their solids, and no margins.

    Args:
        model: what can touch.
        state: where everything is.
        robot: the arm.
        goal: of its tool, in the world.
        position: whether any attitude of the tool will do.
        tolerances: how near the tool has to come [m], and its attitude [rad].
        ignoring: what may be touched.
    """
    arrangement = model.arrangement(state)
    poses = arrangement.placed(state)
    tool = model.snapshot.tool_pose(state, robot)
    chain = model.snapshot.robot(robot).robot.chain
    base = model.snapshot.base_pose(state, robot) @ chain.X_base_0 @ _shoulder(chain)
    planar = _is_planar(chain)
    off = float(np.max(model.deviations, initial=0.0))
    ball = _largest_ball(arrangement, poses, robot, base, 2.0 * off if planar else None)
    if ball is None:
        return None
    body, middle, radius = ball
    obstacles = _obstacles(arrangement, poses, body, robot, ignoring)
    touching = radius - 2.0 * off - ROUNDING
    if touching <= 0.0 or not obstacles:
        return None
    local = tool.inverse().apply(base.apply(middle))
    grid = _grid(chain, model.snapshot.robot(robot).robot.limits, middle, local, touching, planar)
    if grid is None:
        return None
    size, low, shape, most = grid
    cells = np.zeros(shape, dtype=np.uint8)
    half = 0.5 * size * math.sqrt(2.0 if planar else 3.0)
    _leave_out(cells, low, size, most + half)
    for triangles in obstacles:
        inside = ((triangles.reshape(-1, 3) - base.xyz) @ base.rotation).reshape(-1, 9)
        _block(cells, _slice(inside, float(middle[2])) if planar else inside, low, size, touching - half)
    start = _cells_near(middle, 0.0, low, size, shape)
    arm = float(np.linalg.norm(local))
    ends = base.inverse().apply(goal.xyz if position else goal.apply(local))
    slack = tolerances[0] + (0.0 if position else tolerances[1] * arm)
    there = _cells_near(ends, arm if position else 0.0, low, size, shape, slack + size)
    if not len(start):
        return None
    _flood(cells, start)
    if any(cells[tuple(one)] == 2 for one in there):
        return None
    return Enclosed(
        robot,
        model.bodies[body].name,
        radius,
        base.apply(middle),
        planar,
        size,
        int((cells == 2).sum()),
        int((cells == 1).sum()),
    )


def _block(cells: NDArray[np.uint8], triangles: Array, low: Array, size: float, within: float) -> None:
    from workcell.planning import _kernels_enclosure as kernels

    if within > 0.0:
        kernels.block(np.ascontiguousarray(triangles), low, size, within, cells)


def _flood(cells: NDArray[np.uint8], starts: NDArray[np.int64]) -> None:
    from workcell.planning import _kernels_enclosure as kernels

    kernels.flood(cells, starts)


# ---- the ball ---------------------------------------------------------------------------------------------


def _is_planar(chain: Chain) -> bool:
    """Whether every point of the last link stays in a plane across the first axis."""
    turning = not any(row.prismatic for row in chain.rows)
    return turning and not any(abs(math.sin(row.alpha)) > 1e-12 for row in chain.rows[:-1])


def _shoulder(chain: Chain) -> Pose:
    """Return the middle of the reach in the frame of the first joint: up its axis by what does not change."""
    row = chain.rows[0]
    return Pose.from_xyz(0.0, 0.0, 0.0 if row.prismatic else row.d)


def _largest_ball(
    arrangement: Arrangement, poses: Array, robot: str, base: Pose, slab: float | None
) -> tuple[int, Array, float] | None:
    """Return the body of the hand that the largest ball fits into, its middle in the base frame, and its radius.

    With a ``slab`` it is a disc in a plane across z, and the body is solid so far above and below it [m].
    """
    best: tuple[int, Array, float] | None = None
    last = arrangement.links_of(robot)[-1]
    for place in np.flatnonzero(belonging(arrangement, robot)).tolist():
        body = arrangement.model.bodies[place]
        frame = int(arrangement.frame[place])
        while frame >= 0 and frame != last:
            frame = int(arrangement.parent[frame])
        if frame < 0 or body.untouchable or body.tree.open_shells:
            continue
        X = poses[arrangement.frame[place]]
        corners = body.tree.triangles.reshape(-1, 3) @ X[:9].reshape(3, 3).T + X[9:]
        found = _ball_in(((corners - base.xyz) @ base.rotation).reshape(-1, 9), slab)
        if found is not None and (best is None or found[1] > best[2]):
            best = place, *found
    return best


def _ball_in(triangles: Array, slab: float | None) -> tuple[Array, float] | None:
    """Return the middle and the radius of a large ball or disc inside closed shells, of those in a lattice."""
    corners = triangles.reshape(-1, 3)
    low, high = corners.min(axis=0), corners.max(axis=0)
    best: tuple[Array, float] | None = None
    around, spread = (low + high) / 2.0, (high - low) / 2.0
    for _ in range(3):  # finer around the best place
        sides = [np.linspace(-1.0, 1.0, _PLACES) * half for half in spread]
        lattice = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 3) + around
        for point in lattice:
            radius = _room(point, triangles, slab)
            if (best is None or radius > best[1]) and radius > 0.0 and _inside(point, triangles):
                best = point, radius
        if best is None:
            return None
        around, spread = best[0], spread / (_PLACES - 1)
    return best


def _room(point: Array, triangles: Array, slab: float | None) -> float:
    """Return how far a point is from triangles [m]; with a slab, across z from those that reach into it."""
    from workcell.planning import _kernels_enclosure as kernels

    if slab is not None:
        heights = triangles[:, 2::3] - point[2]
        flat = triangles[(heights.min(axis=1) <= slab) & (heights.max(axis=1) >= -slab)].copy()
        if not len(flat):
            return 0.0
        flat[:, 2::3] = point[2]
        return math.sqrt(kernels.least_distance2(point, flat))
    return math.sqrt(kernels.least_distance2(point, triangles))


def _slice(triangles: Array, height: float) -> Array:
    """Return where triangles cross a plane across z: segments, as triangles with two corners in one (k, 9)."""
    out = []
    for corners in triangles.reshape(-1, 3, 3):
        z = corners[:, 2] - height
        if z.min() > 0.0 or z.max() < 0.0:
            continue
        ends = [corners[k] for k in range(3) if z[k] == 0.0]
        for a, b in ((0, 1), (1, 2), (2, 0)):
            if z[a] * z[b] < 0.0:
                ends.append(corners[a] + (corners[b] - corners[a]) * (z[a] / (z[a] - z[b])))
        out.append(np.concatenate([ends[0], ends[-1], ends[len(ends) // 2]]))
    found = np.array(out).reshape(-1, 9)
    found[:, 2::3] = height
    return found


def _inside(point: Array, triangles: Array) -> bool:
    """Whether a point is inside closed shells, by the solid angle that they take up."""
    a, b, c = (triangles[:, 3 * k : 3 * k + 3] - point for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    above = np.einsum("ij,ij->i", a, np.cross(b, c))
    below = (
        la * lb * lc
        + np.einsum("ij,ij->i", a, b) * lc
        + np.einsum("ij,ij->i", b, c) * la
        + np.einsum("ij,ij->i", c, a) * lb
    )
    return abs(float(2.0 * np.arctan2(above, below).sum())) > 2.0 * math.pi


# ---- the cells --------------------------------------------------------------------------------------------


def _obstacles(arrangement: Arrangement, poses: Array, body: int, robot: str, ignoring: tuple[str, ...]) -> list[Array]:
    """Return the triangles in the world of what the body is tested against and no arm moves."""
    model = arrangement.model
    mine = belonging(arrangement, robot)
    gone = {place for name in ignoring for place in model.bodies_called(name)}
    pairs = (arrangement.first == body) | (arrangement.second == body)
    others = np.unique(np.concatenate([arrangement.first[pairs], arrangement.second[pairs]]))
    out = []
    for other in others.tolist():
        if mine[other] or other in gone or arrangement.carrier[other] >= 0:  # what another arm moves may make way
            continue
        X = poses[arrangement.frame[other]]
        corners = model.bodies[other].tree.triangles.reshape(-1, 3) @ X[:9].reshape(3, 3).T + X[9:]
        out.append(corners.reshape(-1, 9))
    return out


def _grid(
    chain: Chain, limits: Array, middle: Array, local: Array, radius: float, planar: bool
) -> tuple[float, Array, tuple[int, int, int], float] | None:
    """Return the cells that the ball can be in by its reach: their side, their corner, their numbers, the reach."""
    slides = np.abs(limits).max(axis=1)
    if not np.all(np.isfinite(slides[chain.prismatic])):
        return None
    most = float(np.linalg.norm(chain.X_n_tool.apply(local)))
    first = float(_shoulder(chain).xyz[2])
    for number, (row, slide) in enumerate(zip(chain.rows, slides.tolist(), strict=True)):
        along = row.d - first if number == 0 else row.d
        most += math.hypot(row.a, abs(along) + (slide if row.prismatic else 0.0))
    half = radius / _FINE
    size = 2.0 * half / math.sqrt(2.0 if planar else 3.0)
    least = 2.0 * most / (math.sqrt(MOST_CELLS) if planar else MOST_CELLS ** (1.0 / 3.0))
    size = max(size, least)
    count = math.ceil(2.0 * most / size) + 2
    low = np.full(3, -0.5 * count * size)
    shape = (count, count, count)
    if planar:  # the ball stays at its height
        low[2] = middle[2] - 0.5 * size
        shape = (count, count, 1)
    return size, low, shape, most


def _leave_out(cells: NDArray[np.uint8], low: Array, size: float, most: float) -> None:
    """Block the cells that are out of reach."""
    x, y, z = (low[k] + (np.arange(n) + 0.5) * size for k, n in enumerate(cells.shape))
    z = np.zeros(1) if len(z) == 1 else z
    cells[x[:, None, None] ** 2 + y[None, :, None] ** 2 + z[None, None, :] ** 2 > most * most] = 1


def _cells_near(
    point: ArrayLike, within: float, low: Array, size: float, shape: tuple[int, int, int], slack: float = 0.0
) -> NDArray[np.int64]:
    """Return the cells that hold a place at a distance from a point, give or take a slack (k, 3)."""
    here, away = (np.asarray(point, dtype=float) - low) / size, (within + slack) / size + 1.0
    first = np.maximum(np.floor(here - away).astype(int), 0)
    last = np.minimum(np.ceil(here + away).astype(int), np.array(shape))
    sides = [np.arange(a, b) for a, b in zip(first, last, strict=True)]
    found = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 3).astype(np.int64)
    if within == slack == 0.0:
        return found[np.all(np.abs(found + 0.5 - here) <= 0.5 + 1e-9, axis=1)]
    apart = np.linalg.norm(found + 0.5 - here, axis=1) * size
    near: NDArray[np.int64] = found[np.abs(apart - within) <= slack + size * math.sqrt(3.0)]
    return near

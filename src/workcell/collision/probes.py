"""The sensors of a cell as questions with a yes or a no, asked at a state or over intervals of a motion.

Each sensor is one or more questions, and each of these one or more items, of which one suffices for a yes: a beam that
bodies break, a distance within which they come, the points by which a camera sees a body. All items are put to one
compiled loop. What sits on something that moves goes along, and two things that move together
do not move against each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workcell.collision.arrangement import FIXED, NOTHING
from workcell.collision.pieces import no_pieces
from workcell.collision.probe_codes import PAIR, SEGMENT, SIGHT
from workcell.collision.tree import TriangleTree, tree_of
from workcell.geometry.mesh import Mesh
from workcell.world.gripper_names import finger_names
from workcell.world.places import WORLD
from workcell.world.sensor_places import BARRIER, CAMERA, CONTACT, DISTANCE, PROXIMITY, SensorPlace
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.arrangement import Arrangement
    from workcell.collision.bodies import CollisionModel
    from workcell.collision.moving import Moving

Array = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]

_CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
"""The corners of a box, in its half sizes."""
_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
"""The corners of the faces of a box, counter-clockwise seen from outside."""


@dataclass
class _Item:
    kind: int
    fa: int
    fb: int
    here: tuple[float, float, float] = (0.0, 0.0, 0.0)
    there: tuple[float, float, float] = (0.0, 0.0, 0.0)
    radius: float = 0.0
    own: int = -1
    core: int = -1
    deep: float = 0.0
    cone: tuple[float, float, float] = (0.0, 0.0, 0.0)
    mask: int = 0
    question: int = -1


@dataclass(frozen=True, eq=False)
class Asked:
    """The questions of one sensor.

    Attributes:
        sensor: the sensor.
        questions: which ones they are.
        bodies: for each question of a camera, the body that it is about.
        counts: which bodies count (B,).
        frame: the frame that it is in.
    """

    sensor: SensorPlace
    questions: tuple[int, ...]
    bodies: tuple[str, ...]
    counts: Bytes
    frame: int


class Probes:
    """Sensors of a cell made ready for questions about states that differ in joint values only.

    Args:
        model: the bodies.
        arrangement: who stands where and who carries what.
        sensors: those that are asked; encoders and scales have no items.
    """

    def __init__(self, model: CollisionModel, arrangement: Arrangement, sensors: Sequence[SensorPlace]) -> None:
        self.model, self.arrangement = model, arrangement
        self._touchable = np.array([not body.untouchable and body.zone is None for body in model.bodies], dtype=bool)
        self._items: list[_Item] = []
        self._questions = 0
        self._masks: list[Bytes] = []
        self._frames: list[tuple[int, Array]] = []
        self._boxes: list[TriangleTree] = []
        self._box_frames: list[int] = []
        self.asked = {sensor.name: self._ask(sensor) for sensor in sensors if sensor.senses in _ITEMS}
        self._pack()

    def __len__(self) -> int:
        """How many questions there are."""
        return self._questions

    # ---- what is asked --------------------------------------------------------------------------------

    def _ask(self, sensor: SensorPlace) -> Asked:
        frame = self._frame(sensor)
        counts = counting(self.model, sensor) & self._touchable
        first = self._questions
        bodies = _ITEMS[sensor.senses](self, sensor, frame, counts)
        questions = tuple(range(first, self._questions))
        return Asked(sensor, questions, tuple(bodies), counts.astype(np.uint8), frame)

    def _question(self, *items: _Item) -> None:
        """A question with a yes where one of its items has one."""
        for item in items:
            item.question = self._questions
            self._items.append(item)
        self._questions += 1

    def _frame(self, sensor: SensorPlace) -> int:
        """A frame for a sensor, on whatever carries it."""
        if sensor.frame == WORLD:
            parent = -1
        elif sensor.link >= 0:
            parent = self.arrangement.link_frame(sensor.frame, sensor.link)
        else:
            parent = int(self.arrangement.frame[self.model.index[sensor.frame]])
        X = sensor.X_frame_sensor.matrix
        self._frames.append((parent, np.concatenate([X[:3, :3].reshape(9), X[:3, 3]])))
        return len(self.arrangement.parent) + len(self._frames) - 1

    def _mask(self, counts: NDArray[np.bool_]) -> int:
        self._masks.append(counts.astype(np.uint8))
        return len(self._masks) - 1

    def _beam(self, sensor: SensorPlace, frame: int, counts: NDArray[np.bool_]) -> list[str]:
        end, mask = (0.0, 0.0, sensor.reach), self._mask(counts)
        self._question(_Item(SEGMENT, frame, frame, there=end, radius=sensor.near, mask=mask))
        return []

    def _ranges(self, sensor: SensorPlace, frame: int, counts: NDArray[np.bool_]) -> list[str]:
        mask = self._mask(counts)
        for far in sensor.thresholds:
            self._question(_Item(SEGMENT, frame, frame, there=(0.0, 0.0, far), mask=mask))
        return []

    def _near(self, sensor: SensorPlace, frame: int, counts: NDArray[np.bool_]) -> list[str]:
        mask = self._mask(counts)
        if sensor.size is None:
            self._question(_Item(SEGMENT, frame, frame, radius=sensor.near, mask=mask))
            return []
        half = 0.5 * np.array(sensor.size)
        deep = 0.5 * float(half.min())
        own = [self._box(half - inset, frame) for inset in (0.0, deep)]
        self._question(_Item(PAIR, frame, frame, own=own[0], core=own[1], deep=deep, mask=mask))
        return []

    def _box(self, half: Array, frame: int) -> int:
        triangles = [[f[0], f[k], f[k + 1]] for f in _FACES for k in (1, 2)]
        mesh = Mesh(_CORNERS * half, np.array(triangles, dtype=np.int32), np.zeros(12, dtype=np.int32))
        self._boxes.append(tree_of(mesh, "the box of a sensor"))
        self._box_frames.append(frame)
        return len(self.model.bodies) + len(self._boxes) - 1

    def _touch(self, sensor: SensorPlace, frame: int, counts: NDArray[np.bool_]) -> list[str]:
        own = feeling(self.model, sensor)
        others = counts.copy()
        others[own] = False
        mask = self._mask(others)
        frames = [(place, int(self.arrangement.frame[place])) for place in own if self._touchable[place]]
        self._question(*(_Item(PAIR, on, on, radius=sensor.near, own=place, mask=mask) for place, on in frames))
        return []

    def _sights(self, sensor: SensorPlace, frame: int, counts: NDArray[np.bool_]) -> list[str]:
        cone = (math.tan(0.5 * sensor.view[0]), math.tan(0.5 * sensor.view[1]), sensor.reach)
        hiding = counting(self.model, sensor, hiding=True) & self._touchable
        bodies = []
        for place in np.flatnonzero(counts):
            others = hiding.copy()
            others[place] = False
            mask, body = self._mask(others), self.model.bodies[place]
            on = int(self.arrangement.frame[place])
            points = [tuple(point) for point in sight_points(body.tree).tolist()]
            self._question(*(_Item(SIGHT, frame, on, there=point, cone=cone, mask=mask) for point in points))
            bodies.append(body.name)
        return bodies

    # ---- for the kernels ------------------------------------------------------------------------------

    def _pack(self) -> None:
        arrangement, model = self.arrangement, self.model
        parent, kind, column, joint, after = arrangement.frames
        count = len(self._frames)
        parents = np.array([one for one, _ in self._frames], dtype=np.int32)
        frames = (
            np.concatenate([parent, parents]),
            np.concatenate([kind, np.full(count, FIXED, dtype=np.int32)]),
            np.concatenate([column, np.full(count, -1, dtype=np.int32)]),
            np.concatenate([joint, np.zeros((count, 2))]),
            np.concatenate([after, np.array([one for _, one in self._frames]).reshape(-1, 12)]),
        )
        turning = np.zeros(len(parent) + 1, dtype=bool)  # the last one is the world, the parent -1
        turning[arrangement.which] = True
        moving = turning[parents]
        new = np.arange(len(parent), len(parent) + count, dtype=np.int32)
        self._which = _frozen(np.concatenate([arrangement.which, new[moving]]).astype(np.int32))
        mesh, roots = model.packed
        start, points = model.seeds
        for tree in self._boxes:
            mesh, roots = _joined(mesh, roots, tree)
            start = np.append(start, start[-1] + len(tree.seeds)).astype(np.int32)
            points = np.concatenate([points, tree.seeds])
        frame = np.concatenate([arrangement.frame, np.array(self._box_frames, dtype=np.int32)])
        bodies = (*(_frozen(one) for one in (roots, frame, start, points)), no_pieces(len(roots)))
        self._world = (tuple(_frozen(one) for one in mesh), bodies, tuple(_frozen(one) for one in frames))
        self._still = np.concatenate([arrangement.still, np.zeros((count, 12))])
        from workcell.collision import _kernels_poses

        stay = _frozen(new[~moving])
        _kernels_poses.place(self._world[2], stay, arrangement.home, NOTHING[None], self._still[None])
        items = self._items
        self._packed = tuple(
            _frozen(one)
            for one in (
                np.array([one.kind for one in items], dtype=np.int32),
                np.array([one.fa for one in items], dtype=np.int32),
                np.array([one.fb for one in items], dtype=np.int32),
                np.array([one.here for one in items]).reshape(-1, 3),
                np.array([one.there for one in items]).reshape(-1, 3),
                np.array([one.radius for one in items]),
                np.array([one.own for one in items], dtype=np.int32),
                np.array([one.core for one in items], dtype=np.int32),
                np.array([one.deep for one in items]),
                np.array([one.cone for one in items]).reshape(-1, 3),
                np.array([one.mask for one in items], dtype=np.int32),
            )
        )
        self.question = _frozen(np.array([one.question for one in items], dtype=np.int32))
        """The question of each item (items,)."""
        width = len(model.bodies)
        self._counted = _frozen(np.array(self._masks, dtype=np.uint8).reshape(len(self._masks), width))

    # ---- asking ---------------------------------------------------------------------------------------

    def at(self, state: CellState) -> Array:
        """The answer to every question at a state: 1 or 0."""
        items = np.arange(len(self._items), dtype=np.int32)
        Q = self.arrangement.q(state)
        nothing = np.zeros((1, 1))
        _, values = self._look(np.zeros_like(items), items, Q, np.zeros_like(Q), NOTHING[None], nothing, nothing)
        out = np.zeros(len(self))
        np.maximum.at(out, self.question, values)
        return out

    def during(self, moving: Moving, times: Array, questions: Ints) -> Array:
        """The answers to questions (N,) at instants (N,) of a motion: 1 or 0."""
        unique, rows = np.unique(times, return_inverse=True)
        Q, free = moving.rows(unique)
        none = np.zeros(free.shape[:2])
        order = np.argsort(rows.reshape(-1), kind="stable")
        first = np.searchsorted(self.question, questions[order])
        count = np.searchsorted(self.question, questions[order], side="right") - first
        place = np.repeat(np.arange(len(order)), count)
        items = np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count) + first[place]
        asked = rows.reshape(-1)[order][place].astype(np.int32)
        _, values = self._look(asked, items.astype(np.int32), Q, np.zeros_like(Q), free, none, none)
        out = np.zeros(len(order))
        np.maximum.at(out, order[place], values)
        return out

    def over(self, moving: Moving, starts: Array, ends: Array, rows: Ints, items: Ints) -> tuple[Array, Array]:
        """Whether the answers to items (N,) hold over intervals of a motion: never, always or at times (N,).

        Args:
            moving: the motion; it must have the arrangement that the items were made for.
            starts: when intervals begin [s] (R,).
            ends: when they end [s] (R,).
            rows: over which of the intervals each item is asked (N,), in order.
            items: which items (N,).

        Returns:
            The answers, and 1 or 0 at the middles of the intervals.
        """
        Q, free = moving.rows(0.5 * (starts + ends))
        return self._look(rows, items, Q, moving.bounds(starts, ends, Q)[0], free, *moving.paces(starts, ends))

    def _look(
        self, rows: Ints, items: Ints, Q: Array, dQ: Array, free: Array, ways: Array, turns: Array
    ) -> tuple[Array, Array]:
        from workcell.collision import _kernels_probes

        states, values = np.empty((2, len(items)))
        _kernels_probes.look(
            self._world, self._which, self._still.copy(), np.ascontiguousarray(Q), np.ascontiguousarray(dQ),
            np.ascontiguousarray(free), np.ascontiguousarray(ways), np.ascontiguousarray(turns),
            np.ascontiguousarray(rows, dtype=np.int32), np.ascontiguousarray(items, dtype=np.int32),
            self._packed, self._counted, states, values,
        )  # fmt: skip
        return states, values

    def hit(self, name: str, state: CellState) -> tuple[float, str]:
        """How far along its z axis a sensor meets the first body [m], and which; its range and '' where none is."""
        from workcell.collision import _kernels_poses, _kernels_probes

        one = self.asked[name]
        poses = self._still.copy()
        _kernels_poses.place(self._world[2], self._which, self.arrangement.q(state), NOTHING[None], poses[None])
        X = poses[one.frame]
        start = X[9:].copy()
        end = start + one.sensor.reach * X[:9].reshape(3, 3)[:, 2]
        share, place = _kernels_probes.first_hit(self._world, poses, start, end, one.counts)
        return float(share) * one.sensor.reach, self.model.bodies[place].name if place >= 0 else ""


def counting(model: CollisionModel, sensor: SensorPlace, hiding: bool = False) -> NDArray[np.bool_]:
    """Which bodies count for a sensor (B,): those that it is to see, else all but what carries it.

    With ``hiding`` those that may hide others from a camera: all but what carries it.
    """
    listed = bool(sensor.sees or sensor.absent) and not hiding
    out = np.zeros(len(model.bodies), dtype=bool)
    for place, body in enumerate(model.bodies):
        names = set(body.called)
        if names & set(sensor.ignores):
            continue
        out[place] = bool(names & set(sensor.sees)) if listed else not (sensor.owner and body.owner == sensor.owner)
    return out


def feeling(model: CollisionModel, sensor: SensorPlace) -> list[int]:
    """The bodies that a sensor feels with: the object that it is on, or the link, with its tool and fingers."""
    if sensor.link < 0:
        return [model.index[sensor.frame]]
    placed = model.snapshot.robot(sensor.frame)
    found = [placed.bodies[sensor.link]] if placed.bodies[sensor.link] >= 0 else []
    if sensor.link == placed.robot.n:
        ends = (placed.held_tool, *finger_names(sensor.frame))
        found += [model.index[name] for name in ends if name in model.index]
    return found


def sight_points(tree: TriangleTree) -> Array:
    """The points of a body by which a camera sees it (9, 3), in its frame: the centre of its box, and its corners.

    The corners are drawn in by a tenth, so that what a body stands on or lies against does not hide them.
    """
    box = tree.box[0]
    return np.vstack([box[:3], box[:3] + 0.9 * _CORNERS * box[3:]])


def _joined(mesh: Any, roots: Ints, tree: TriangleTree) -> tuple[Any, Ints]:
    box, link, triangles, kind = mesh
    more = tree.link.copy()
    leaf = more[:, 0] < 0
    more[leaf, 0] -= len(triangles)
    more[~leaf] += len(box)
    joined = (
        np.concatenate([box, tree.box]), np.concatenate([link, more]), np.concatenate([triangles, tree.triangles]),
        np.concatenate([kind, tree.kind]),
    )  # fmt: skip
    return joined, np.append(roots, len(box)).astype(np.int32)


def _frozen(array: Any) -> Any:
    out = np.ascontiguousarray(array)
    if out is array and array.flags.writeable:
        out = array.copy()
    out.flags.writeable = False
    return out


_ITEMS = {
    BARRIER: Probes._beam, DISTANCE: Probes._ranges, PROXIMITY: Probes._near, CONTACT: Probes._touch,
    CAMERA: Probes._sights,
}  # fmt: skip
"""How the items of each kind of sensor are made."""

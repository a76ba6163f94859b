"""Joint values and poses that are written out in a program: collected, then tested all at once.

A pose without a formula here (with rare words, or from a named place that does not move) is computed separately.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.errors import UnknownName, WorkcellError
from workcell.kinematics.dh import DHRow
from workcell.programs import expressions as e
from workcell.programs.constants import NoCell, constant
from workcell.programs.evaluate import posed
from workcell.robots.machine import Machine
from workcell.robots.robot import Robot
from workcell.spatial.message_units import said_point
from workcell.spatial.pose import Pose
from workcell.spatial.rotations import EULER
from workcell.spatial.units import SCALES, Units
from workcell.wording import joint_words
from workcell.world.placed import PlacedMachine, PlacedRobot
from workcell.world.places import WORLD, Places

Floats: TypeAlias = NDArray[np.float64]
Shape: TypeAlias = tuple[tuple[str, str], ...]
"""The words of a pose's transformations, each with its angle convention."""
Flat: TypeAlias = tuple[Shape, list[float]]
"""A pose that is written out: its words, and all its numbers in SI, those of the position first."""

_SLACK = 1e-9
_QUANTITIES = {"translate": "length", "rotate": "angle", "euler": "angle"}


class Reach:
    """What one program asks robots to reach.

    Args:
        robots: the robots of the cell, by name.
        places: its named places.
        units: what a bare number means in the program.
    """

    def __init__(self, robots: Mapping[str, PlacedRobot | PlacedMachine], places: Places, units: Units) -> None:
        self._robots = robots
        self._places = places
        self._units = units
        self._sizes = {quantity: {"": units.size(quantity, ""), **SCALES[quantity]} for quantity in ("length", "angle")}
        self._joint_sizes: dict[str, tuple[dict[str, float], ...]] = {}
        self._joints: dict[tuple[str, bool, bool], tuple[list[int], list[float]]] = {}
        self._poses: dict[tuple[str, str, Shape | None], tuple[list[int], list[Any], list[float]]] = {}
        self._spots: dict[tuple[str, str], Pose | None] = {}
        self._forms: dict[tuple[e.Form, ...], Pose | None] = {}

    # ---- joint values -----------------------------------------------------------------------------------

    def joint_values(self, row: e.Row, placed: PlacedRobot | PlacedMachine) -> list[float] | None:
        """Return joint values that are written out, in SI; None if they are not, or have units of another quantity."""
        values, common = [], row.unit
        for item, known in zip(row.items, self._sizes_of(placed), strict=True):
            if type(item) is not e.Number:
                return None
            size = known.get(item.unit or common)
            if size is None:
                return None
            values.append(item.value * size)
        return values

    def add_joints(
        self,
        number: int,
        placed: PlacedRobot | PlacedMachine,
        values: Sequence[float],
        plain: bool = False,
        relative: bool = False,
    ) -> None:
        """Add joint values that the step with this number takes or, if relative, adds to the present ones.

        They are in SI; plain numbers are in the units of the program.
        """
        kept = self._joints.get((placed.name, plain, relative))
        if kept is None:
            kept = self._joints[placed.name, plain, relative] = ([], [])
        kept[0].append(number)
        kept[1].extend(values)

    def _sizes_of(self, placed: PlacedRobot | PlacedMachine) -> tuple[dict[str, float], ...]:
        """Return for each joint of a robot the size of its units in SI."""
        sizes = self._joint_sizes.get(placed.name)
        if sizes is None:
            sizes = tuple(self._sizes[joint_quantity(one)] for one in placed.robot.rows)
            self._joint_sizes[placed.name] = sizes
        return sizes

    # ---- poses ------------------------------------------------------------------------------------------

    def flat(self, value: e.Posed) -> Flat | None:
        """Return a pose as its numbers; None if it contains anything else, or a number of another quantity."""
        if value.base is not None or value.position is None:
            return None
        numbers: list[float] = []
        if not self._gather(value.position, "length", numbers):
            return None
        for form in value.forms:
            quantity = _QUANTITIES.get(form.word)
            if quantity is None or form.along is not None or (form.convention and form.convention not in EULER):
                return None
            if not self._gather(form.rows[0], quantity, numbers):
                return None
        return tuple([(form.word, form.convention) for form in value.forms]), numbers

    def _gather(self, row: e.Row, quantity: str, numbers: list[float]) -> bool:
        sizes, common, items = self._sizes[quantity], row.unit, row.items
        if not common:
            size = sizes[""]
            plain = [item.value * size for item in items if type(item) is e.Number and not item.unit]
            if len(plain) == len(items) == 3:
                numbers += plain
                return True
        for item in items:
            if type(item) is not e.Number:
                return False
            known = sizes.get(item.unit or common)
            if known is None:
                return False
            numbers.append(item.value * known)
        return len(items) == 3

    def standing(self, value: e.Expression, variables: Mapping[str, object]) -> Pose | None:
        """Return a pose that does not depend on the run; None if it does."""
        if isinstance(value, e.Name):
            if value.name in variables and not value.kind:
                return None
            return self._spot(value.name, value.kind if value.kind in ("target", "frame") else "")
        if isinstance(value, e.Posed) and value.base is not None:
            base = self.standing(value.base, variables)
            if base is not None and any(form.along is not None for form in value.forms):
                return self._along(base, value.forms)
            own = self._own(value.forms) if base is not None else None
            return base @ own if base is not None and own is not None else None
        found = constant(value, self._units)
        return found if isinstance(found, Pose) else None

    def _spot(self, name: str, kind: str) -> Pose | None:
        if (name, kind) not in self._spots:
            try:
                ways = self._places.spot(name, kind).ways
            except UnknownName:
                ways = ()
            still = len(ways) == 1 and ways[0].frame == WORLD
            self._spots[name, kind] = ways[0].X_frame_place if still else None
        return self._spots[name, kind]

    def _own(self, forms: tuple[e.Form, ...]) -> Pose | None:
        if forms not in self._forms:
            self._forms[forms] = self._along(Pose.identity(), forms)
        return self._forms[forms]

    def _along(self, base: Pose, forms: tuple[e.Form, ...]) -> Pose | None:
        """Return a fixed place with offsets; None if an offset depends on the run."""
        if constant(e.Posed(None, None, forms), self._units) is None:
            return None
        return posed(base, None, forms, NoCell(self._units))

    def add_pose(self, number: int, placed: PlacedRobot, pose: Flat | Pose, point: str, back: float) -> None:
        """Add a pose of the ``point`` of a robot for the step with this number, ``back`` [m] along its own z axis."""
        shape = None if isinstance(pose, Pose) else pose[0]
        kept = self._poses.get((placed.name, point, shape))
        if kept is None:
            kept = self._poses[placed.name, point, shape] = ([], [], [])
        kept[0].append(number)
        kept[1].extend([pose.matrix] if isinstance(pose, Pose) else pose[1])
        kept[2].append(back)

    # ---- the test ---------------------------------------------------------------------------------------

    def problems(self) -> Iterator[tuple[int, str, str]]:
        """Yield for each step that asks too much its number, the message, and the name of the robot if it matters."""
        for (name, plain, relative), (numbers, row_of_all) in self._joints.items():
            robot = self._robots[name].robot
            values = np.array(row_of_all).reshape(len(numbers), -1)
            if plain:
                values *= [one[""] for one in self._sizes_of(self._robots[name])]
            low, high = robot.limits[:, 0], robot.limits[:, 1]
            slack = _SLACK * (1.0 + np.abs(robot.limits).max(axis=1))
            if relative:
                for row, joint in np.argwhere(np.abs(values) > high - low + slack):
                    yield numbers[row], _too_far(robot, int(joint), float(values[row, joint])), name
                continue
            for row in np.flatnonzero((np.maximum(low - values, values - high) > slack).any(axis=1)):
                try:
                    robot.require_limits(values[row])
                except WorkcellError as error:
                    yield numbers[row], error.message, name
        for (name, point, shape), (numbers, row_of_all, back) in self._poses.items():
            placed = self._robots[name]
            assert isinstance(placed, PlacedRobot)
            given = np.array(row_of_all)
            poses = given if shape is None else _matrices(shape, given.reshape(len(numbers), -1))
            if point == "grip" and placed.robot.gripper is not None:
                poses = poses @ (placed.robot.gripper.X_flange_grip.inverse() @ placed.robot.X_flange_tool).matrix
            poses[:, :3, 3] -= np.array(back)[:, None] * poses[:, :3, 2]
            inside = np.asarray(np.linalg.inv(placed.X_parent_base.matrix) @ poses, dtype=np.float64)
            try:
                reached = reachable(placed.robot, inside)
            except WorkcellError:
                continue  # a mechanism, or an arm without a closed-form inverse
            for row in np.flatnonzero(~reached):
                where = said_point(poses[row][:3, 3], brackets=False)
                yield numbers[row], f"{name} cannot reach {where} in this orientation.", ""


def joint_quantity(row: DHRow) -> str:
    """Return the quantity of a joint: an angle, or a length if it slides."""
    return "length" if row.prismatic else "angle"


def _too_far(robot: Robot | Machine, joint: int, by: float) -> str:
    size, unit = (1e3, "mm") if robot.rows[joint].prismatic else (180.0 / np.pi, "°")
    low, high = robot.limits[joint] * size
    return (
        f"{joint_words(joint + 1, robot.joint_names[joint])} of {robot.name} cannot move by {by * size:.6g} {unit}; "
        f"its range is {high - low:.6g} {unit}."
    )


def _matrices(shape: Shape, rows: Floats) -> Floats:
    """Return the matrices (N, 4, 4) of poses with the same words, from their numbers (N, 3 + 3 k)."""
    total = np.tile(np.eye(4), (len(rows), 1, 1))
    for place, (word, convention) in enumerate(shape):
        given = rows[:, 3 + 3 * place : 6 + 3 * place]
        if word == "translate":
            total[:, :3, 3] += given
            continue
        axes, places, _ = EULER[convention] if word == "euler" else EULER["xyz_extrinsic"]
        turn = _turns(axes[0], given[:, places[0]])
        for axis, column in zip(axes[1:], places[1:], strict=True):
            turn = turn @ _turns(axis, given[:, column])
        total[:, :3] = turn @ total[:, :3]
    total[:, :3, 3] += rows[:, :3]
    return total


def _turns(axis: str, angles: Floats) -> Floats:
    """Return rotations about a coordinate axis (N, 3, 3)."""
    i = "xyz".index(axis)
    j, k = (i + 1) % 3, (i + 2) % 3
    turns = np.zeros((len(angles), 3, 3))
    turns[:, i, i] = 1.0
    turns[:, j, j] = turns[:, k, k] = np.cos(angles)
    turns[:, k, j] = np.sin(angles)
    turns[:, j, k] = -turns[:, k, j]
    return turns


def reachable(robot: Any, poses: Floats) -> NDArray[np.bool_]:
    """Return which poses of the tool in the base have a solution within the limits (N,)."""
    if robot.n != 6:
        different, which = np.unique(poses.reshape(len(poses), 16), axis=0, return_inverse=True)
        found = [bool(np.asarray(robot.ik(Pose(one.reshape(4, 4))).within_limits).any()) for one in different]
        return np.array(found)[which.ravel()]
    values, valid = robot.ik_batch(np.ascontiguousarray(poses))
    low, high = robot.limits[:, 0], robot.limits[:, 1]
    turns = 2.0 * np.pi
    # A revolute joint may be a whole turn away from the solution.
    wound = values + np.ceil((low - _SLACK - values) / turns) * turns
    inside = (wound <= high + _SLACK).all(axis=2) | ((values >= low - _SLACK) & (values <= high + _SLACK)).all(axis=2)
    return np.asarray((inside & valid).any(axis=1))

"""The targets that a program of `plan order` visits, kept with its joint values, and which of them it misses now."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused, WorkcellError
from workcell.spatial.pose import Pose
from workcell.wording import counted
from workcell.world.entities import Entity
from workcell.world.snapshot import Snapshot

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.planning.work_order import WorkOrder
    from workcell.world.database import Database

_NAMED = 3
_NEAR = 1e-4
"""How far from a target the tool may be [m, rad]."""


def order_lines(session: Session, order: WorkOrder) -> str:
    """A line for each target in its order: its id and the joint values at it [rad or m]."""
    lines = []
    for stop in order.stops:
        target = session.database.entity("target", stop.target)
        lines.append(" ".join((f"{target.id:016x}", *(repr(float(value)) for value in stop.work))))
    return "\n".join(lines)


def missed_targets(database: Database, snapshot: Snapshot, given: Mapping[str, Any], lines: str) -> str:
    """Which targets of an order the tool no longer reaches, as a part of a sentence; '' if it reaches them all.

    Args:
        database: of the cell.
        snapshot: the cell as it is now.
        given: the parameters of `plan order`, with the robot as an entity, None if it is gone.
        lines: of :func:`order_lines`; '' for a program without an order.
    """
    robot = given.get("robot")
    if not lines or not isinstance(robot, Entity):
        return ""
    tilt = float(given.get("tilt") or 0.0)
    if robot.name not in {placed.name for placed in snapshot.robots}:
        return ""
    found = []
    for number, joints in _rows(lines):
        kept = database.with_ids([number]).get(number)
        if kept is None:
            found.append("a target that is gone")
            continue
        if len(joints) != snapshot.robot(robot.name).robot.n:
            return f"all its targets: {robot.name} has another number of joints"
        miss = _missed(snapshot, robot.name, kept[0].name, joints, tilt, bool(given.get("spin")))
        if miss:
            found.append(f"{kept[0].name} {miss}")
    more = len(found) - _NAMED
    return ", ".join(found[:_NAMED]) + (f" and {counted(more, 'other target')}" if more > 0 else "")


def _rows(text: str) -> Iterator[tuple[int, Sequence[float]]]:
    for line in text.split("\n"):
        head, *values = line.split()
        try:
            yield int(head, 16), [float(value) for value in values]
        except ValueError:
            raise Refused(f"The order of a program cannot be read: found the line {line[:60]!r}.") from None


def _missed(snapshot: Snapshot, robot: str, target: str, joints: Sequence[float], tilt: float, spins: bool) -> str:
    """By how much the tool misses a target with some joint values; '' if it does not."""
    state = snapshot.initial
    try:
        goal = snapshot.place_pose(state, target, "target")
    except WorkcellError:
        return "(it stands nowhere)"
    there = snapshot.tool_pose(state.with_(joints={**state.joints, robot: np.asarray(joints)}), robot)
    distance = float(np.linalg.norm(there.matrix[:3, 3] - goal.matrix[:3, 3]))
    if distance > _NEAR:
        return f"by {distance * 1e3:.4g} mm"
    angle = _angle(there, goal, spins or tilt > 0.0)
    return f"by {math.degrees(angle):.4g}°" if angle > tilt + _NEAR else ""


def _angle(there: Pose, goal: Pose, leaning: bool) -> float:
    """The angle between two orientations, or only between their z axes [rad]."""
    one, other = there.matrix[:3, :3], goal.matrix[:3, :3]
    if leaning:
        return _between(one[:, 2], other[:, 2])
    turn = one.T @ other
    skew = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return math.atan2(float(np.linalg.norm(skew)), float(np.trace(turn)) - 1.0)


def _between(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return math.atan2(float(np.linalg.norm(np.cross(one, other))), float(one @ other))

"""What is to be done in any order: targets, and all ways in which an arm can take each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue, Refused, Unreachable
from workcell.planning.configurations import configurations
from workcell.planning.planners import Query
from workcell.planning.reasons import contacts_at
from workcell.planning.tool_freedom import NO_FREEDOM, ToolFreedom
from workcell.robots.reaching import fit
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.wording import counted

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

_STROKE = 1.2
"""How far a joint may turn on the straight way from the approach to the target [rad or m]."""
_LOOKS = 4
"""At how many places of that way contacts are looked for before it is proved."""
_ASKED = 24
"""At how many configurations of a target it is found out what touches."""
_TOLD = 4
"""How many targets a message explains."""


@dataclass(frozen=True)
class WorkTarget:
    """Something to do with the tool at a pose.

    Attributes:
        name: what it is called.
        pose: of the tool in the world.
        freedom: how the tool may turn there.
        approach: from how far back along its own z the tool comes and goes, straight [m]; 0 goes there directly.
    """

    name: str
    pose: Pose
    freedom: ToolFreedom = NO_FREEDOM
    approach: float = 0.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.approach) and self.approach >= 0.0):
            raise InvalidValue(f"The approach to {self.name} must be 0 mm or more; found {self.approach * 1e3:g} mm.")


@dataclass(frozen=True, eq=False)
class Ways:
    """Every way in which an arm can take every target, the targets in order.

    Attributes:
        approach: joint values (M, n) at the approach, where transits begin and end.
        work: joint values (M, n) at the target.
        turn: which turn of the tool it is (M,).
        first: where the ways of each target begin (N+1,).
    """

    approach: Array
    work: Array
    turn: Indices
    first: Indices

    @property
    def target(self) -> Indices:
        """Which target each way is for (M,)."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))


def ways_to_work(
    robot: Robot,
    X_base_world: Pose,
    targets: Sequence[WorkTarget],
    near: Array,
    most: int,
    query: Query | None = None,
    name: str = "",
) -> Ways:
    """Every way to take every target within the limits, free of contacts where a query is given.

    Args:
        robot: the arm.
        X_base_world: the world in the base of the arm.
        targets: what is to be done.
        near: joint values (n,), to which whole turns are preferred.
        most: how many ways of one target are kept.
        query: what answers whether a configuration can be proved free; contacts are not looked for without one.
        name: the name of the robot.

    Raises:
        Unreachable: the arm cannot take some targets.
        Refused: some targets can only be taken in contact with something.
    """
    rows: list[tuple[Array, Array, Indices]] = []
    for target in targets:
        turned = X_base_world.matrix @ target.pose.matrix @ target.freedom.turns()
        rows.append(_strokes(robot, turned, target.approach, near))
    lost = [target for target, row in zip(targets, rows, strict=True) if not len(row[0])]
    if lost:
        raise _unreachable(robot, X_base_world, lost, name or robot.name)
    if query is not None:
        rows = _free(rows, targets, query, name)
    rows = [tuple(part[:most] for part in row) for row in rows]  # type: ignore[misc]
    first = np.concatenate([[0], np.cumsum([len(row[0]) for row in rows])]).astype(np.int64)
    approach, work, turn = (np.concatenate([row[k] for row in rows]) for k in range(3))
    return Ways(approach, work, turn, first)


def _strokes(robot: Robot, turned: Array, distance: float, near: Array) -> tuple[Array, Array, Indices]:
    """The ways to take one target: joint values at the approach, at the target, and the turn; nearest first."""
    if distance == 0.0:
        Q, turn = configurations(robot, turned, near)
        order = np.argsort(np.abs(Q - near).max(axis=1), kind="stable")
        return Q[order], Q[order], turn[order]
    back = np.eye(4)
    back[2, 3] = -distance
    Q, turn = configurations(robot, turned @ back, near)
    there, which = configurations(robot, turned)
    turning = np.array([not row.prismatic for row in robot.rows])
    low, high = robot.limits[:, 0], robot.limits[:, 1]
    starts, ends, turns = [], [], []
    for q, k in zip(Q, turn, strict=True):
        found = there[which == k]
        if not len(found):
            continue
        found = np.where(turning, found + 2.0 * np.pi * np.round((q - found) / (2.0 * np.pi)), found)
        gap = np.abs(found - q).max(axis=1)
        best = int(gap.argmin())
        if gap[best] <= _STROKE and ((found[best] >= low) & (found[best] <= high)).all():
            starts.append(q)
            ends.append(found[best])
            turns.append(k)
    if not starts:
        none = np.empty((0, robot.n))
        return none, none, np.empty(0, dtype=np.int64)
    Q = np.array(starts)
    order = np.argsort(np.abs(Q - near).max(axis=1), kind="stable")
    return Q[order], np.array(ends)[order], np.array(turns, dtype=np.int64)[order]


def _free(
    rows: list[tuple[Array, Array, Indices]], targets: Sequence[WorkTarget], query: Query, name: str
) -> list[tuple[Array, Array, Indices]]:
    """The ways that can be proved free at the target and at places on the straight way to it."""
    out, blocked = [], []
    for target, row in zip(targets, rows, strict=True):
        share = np.linspace(0.0, 1.0, _LOOKS if target.approach > 0.0 else 1)
        looks = (row[0][:, None] + share[:, None] * (row[1] - row[0])[:, None]).reshape(-1, row[0].shape[1])
        found = query.touching(looks)
        touching = found.reshape(-1, len(share)).any(axis=1)
        if touching.all():
            blocked.append((target.name, _met(query, looks[found][:_ASKED])))
        out.append((row[0][~touching], row[1][~touching], row[2][~touching]))
    if blocked:
        told = "; ".join(
            f"{one}: {' and '.join(pair)} touch" if pair else f"{one}: something is nearer than can be proved free"
            for one, pair in blocked[:_TOLD]
        )
        more = f", and {len(blocked) - _TOLD} more" if len(blocked) > _TOLD else ""
        raise Refused(
            f"{name} touches something at {counted(len(blocked), 'target')} in every configuration ({told}{more}). "
            f"Allow the contact for this work, give an approach, or move what is in the way.",
            targets=tuple(one for one, _ in blocked),
            pairs=tuple(pair for _, pair in blocked if pair),
        )
    return out


def _met(query: Query, Q: Array) -> tuple[str, str] | None:
    """The pair that touches most often at configurations (K, n); None where none touches."""
    met = Counter(one.pair for q in Q for one in contacts_at(query.space, q)[:1])
    return met.most_common(1)[0][0] if met else None


def _unreachable(robot: Robot, X_base_world: Pose, lost: Sequence[WorkTarget], name: str) -> Unreachable:
    """The error that names the targets that an arm cannot take, and why."""
    told = []
    for target in lost[:_TOLD]:
        why = fit(robot, X_base_world @ target.pose)
        back = fit(robot, X_base_world @ target.pose @ Pose.from_xyz(0.0, 0.0, -target.approach))
        if not why.reached:
            reason = why.problem
        elif not back.reached:
            reason = f"its approach is not reached: {back.problem}"
        else:
            reason = "no branch leads straight from its approach to it"
        told.append(f"{target.name} ({reason})")
    more = f" and {len(lost) - _TOLD} more" if len(lost) > _TOLD else ""
    return Unreachable(
        f"{name} does not reach {', '.join(told)}{more}; `check targets` shows all targets.",
        targets=tuple(target.name for target in lost),
    )

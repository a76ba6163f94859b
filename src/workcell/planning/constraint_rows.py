"""Constraints of one query as rows of numbers for the kernels, with what each row tolerates and how it can change."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell.collision.arrangement import FIXED
from workcell.collision.frame_tree import frozen
from workcell.errors import InvalidValue, Refused, UnknownName
from workcell.planning import constraint_codes as codes
from workcell.planning.constraints import Constraint, OnePart, OnLine, OnPlane, OnRound, OnSurface, Upright
from workcell.planning.space import Space
from workcell.robots.machine import Machine
from workcell.spatial.pose import Pose
from workcell.world.machine_places import is_arm

Array = NDArray[np.float64]

EXACT = 0.02
"""Configurations of a search keep their constraints this much more exactly than the tolerance asks."""
_PRISMATIC_REACH = 10.0
"""How far a sliding joint without limits may be from its zero [m]."""


@dataclass(frozen=True)
class Row:
    """One equation or inequality.

    Attributes:
        kind: which; see the kernels.
        numbers: its numbers (16,).
        tolerance: how far its value may be off [m, or the sine of an angle].
        of: the number of the constraint that it belongs to.
    """

    kind: int
    numbers: Array
    tolerance: float
    of: int


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of the constraints of a query, and the hands that they are about.

    Attributes:
        space: the joints and the scene.
        constraints: what is to be kept.
        start: where the query begins (n,).
    """

    space: Space
    constraints: tuple[Constraint, ...]
    start: Array
    triangles: list[Array] = field(default_factory=list, init=False)

    @cached_property
    def arms(self) -> tuple[str, ...]:
        """The arms whose hands are meant: two where both hold one part, else the last one."""
        space = self.space
        if not any(isinstance(one, OnePart) for one in self.constraints):
            return (space.arm,)
        arms = [name for name in space.members if is_arm(space.snapshot.robot(name).robot)]
        if len(arms) != 2:
            raise Refused(
                f"Two arms hold one part; {space.robot} has {len(arms)}. Make a machine of two arms, and plan for it.",
                robot=space.robot,
            )
        return tuple(arms)

    @cached_property
    def places(self) -> tuple[tuple[str, slice], ...]:
        """The place of each member's joints among those of the query."""
        device = self.space.device
        return device.slices if isinstance(device, Machine) else ((self.space.robot, slice(0, self.space.n)),)

    def hand(self, arm: str, q: Array) -> Pose:
        """The pose of an arm's tool in the world."""
        space = self.space
        state = space.state_at(q)
        return space.snapshot.base_pose(state, arm) @ space.snapshot.robot(arm).robot.fk(state.joints[arm])

    def lean(self, one: Constraint, goals: Array) -> str:
        """By which angle a tool that must stay upright leans at least, as the rest of a sentence; '' for others."""
        if not isinstance(one, Upright):
            return ""
        direction, arm = _unit(one.direction), self.arms[-1]
        axis = self.hand(arm, self.start).rotation.T @ direction if one.axis is None else _unit(one.axis)
        least = min(_angle(self.hand(arm, q).rotation @ axis, direction) for q in goals)
        return f" (it leans by {math.degrees(least):.4g}°, and {math.degrees(one.cone):.4g}° are allowed)"

    # ---- rows -----------------------------------------------------------------------------------------------

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """All rows, constraint by constraint."""
        found: list[Row] = []
        for number, one in enumerate(self.constraints):
            found += self._rows_of(one, number)
        return tuple(found)

    def _rows_of(self, one: Constraint, number: int) -> list[Row]:
        hand = self.hand(self.arms[-1], self.start)
        if isinstance(one, Upright):
            return self._upright(one, number, hand)
        if isinstance(one, OnPlane):
            point = hand.apply(one.tool_point) if one.point is None else np.array(one.point)
            return [self._plane(one.tool_point, point, _unit(one.normal), one.tolerance, number)]
        if isinstance(one, OnLine):
            point = hand.apply(one.tool_point) if one.point is None else np.array(one.point)
            return [
                self._plane(one.tool_point, point, way, one.tolerance / math.sqrt(2.0), number)
                for way in _across(_unit(one.direction))
            ]
        if isinstance(one, OnSurface):
            self._add_mesh(one.body)
            offset = self._distance(hand.apply(one.tool_point)) if one.offset is None else one.offset
            return [self._row(codes.MESH, one.tolerance, number, one.tool_point, (offset,))]
        if isinstance(one, OnRound):
            axis = np.zeros(3) if one.axis is None else _unit(one.axis)
            return [self._row(codes.ROUND, one.tolerance, number, one.tool_point, one.centre, axis, (one.radius,))]
        return self._one_part(one, number)

    def _upright(self, one: Upright, number: int, hand: Pose) -> list[Row]:
        direction = _unit(one.direction)
        axis = hand.rotation.T @ direction if one.axis is None else _unit(one.axis)
        if one.cone > 0.0:
            least = math.cos(one.cone)
            slack = least - math.cos(min(one.cone + one.tolerance, math.pi))
            return [self._row(codes.CONE, slack, number, axis, direction, (least,))]
        slack = math.sin(min(one.tolerance, 1.5)) / math.sqrt(2.0)
        sides = [self._row(codes.AXIS, slack, number, axis, way) for way in _across(direction)]
        return [*sides, self._row(codes.CONE, 0.5, number, axis, direction, (0.5,))]

    def _one_part(self, one: OnePart, number: int) -> list[Row]:
        first, second = (self.hand(arm, self.start) for arm in self.arms)
        place = first.inverse() @ second
        out = [
            self._row(codes.SAME_POINT, one.tolerance / math.sqrt(3.0), number, place.xyz, np.zeros(3), (float(axis),))
            for axis in range(3)
        ]
        x, y, z = np.eye(3)
        for a, b in ((y, x), (z, x), (z, y)):
            out.append(self._row(codes.SAME_TURN, math.sin(one.turn_tolerance) / 4.0, number, place.rotation @ a, b))
        return out

    def _plane(self, tool_point: Any, point: Array, normal: Array, tolerance: float, number: int) -> Row:
        return self._row(codes.PLANE, tolerance, number, tool_point, normal, (float(normal @ point),))

    def _row(self, kind: int, tolerance: float, number: int, *parts: Any) -> Row:
        numbers = np.zeros(16)
        filled = np.concatenate([np.asarray(part, dtype=np.float64) for part in parts])
        numbers[: len(filled)] = filled
        numbers[15] = len(self.arms) - 1
        return Row(kind, numbers, tolerance, number)

    def _add_mesh(self, name: str) -> None:
        space = self.space
        model = space.model
        if name not in model.index:
            raise UnknownName.among("body", name, [body.name for body in model.bodies])
        if self.triangles:
            raise InvalidValue("A point can be kept on the surface of one body at a time.")
        place = model.index[name]
        frame = int(space.arrangement.frame[place])
        if space.moving_frames[frame]:
            raise Refused(f"{name!r} moves with {space.robot}; keep the tool on a body that stands still.", body=name)
        X = space.poses[frame]
        corners = model.bodies[place].tree.triangles.reshape(-1, 3) @ X[:9].reshape(3, 3).T + X[9:]
        self.triangles.append(np.ascontiguousarray(corners.reshape(-1, 9)))

    def _distance(self, point: Array) -> float:
        """How far a point is outside the body whose surface is meant [m]; below 0 inside."""
        from workcell.planning import _kernels_constraints as kernels

        spare = np.zeros((2, 3))
        return float(kernels.from_mesh(self.triangles[0], np.ascontiguousarray(point), *spare))

    # ---- for the kernels ------------------------------------------------------------------------------------

    @cached_property
    def tolerances(self) -> Array:
        """What each row tolerates (m,)."""
        return np.array([row.tolerance for row in self.rows])

    @cached_property
    def chains(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each hand the joints above it, the last first: their places in the query, and parent frames."""
        parent, kind, column, _, _ = self.space.arrangement.frames
        joint_of = {int(c): j for j, c in enumerate(self.space.columns)}
        out = []
        for frame in self.hand_frames:
            f, found = frame, []
            while f >= 0:
                j = joint_of.get(int(column[f]), -1) if kind[f] != FIXED else -1
                if j >= 0:
                    found.append((j, int(parent[f])))
                f = int(parent[f])
            out.append(tuple(found))
        return tuple(out)

    @cached_property
    def hand_frames(self) -> tuple[int, ...]:
        """The frames of the last links of the arms."""
        space = self.space
        return tuple(space.arrangement.link_frame(arm, space.snapshot.robot(arm).robot.n) for arm in self.arms)

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """Kinds, numbers, frames and tools of hands, chains of joints, lengths, sliding joints, a mesh, frames."""
        space, rows = self.space, self.rows
        at = space.arrangement.placed(space.state_at(self.start))
        tools = np.empty((len(self.arms), 12))
        for number, (arm, frame) in enumerate(zip(self.arms, self.hand_frames, strict=True)):
            X = np.eye(4)
            X[:3, :3], X[:3, 3] = at[frame, :9].reshape(3, 3), at[frame, 9:]
            tool = np.linalg.inv(X) @ self.hand(arm, self.start).matrix
            tools[number, :9], tools[number, 9:] = tool[:3, :3].reshape(9), tool[:3, 3]
        longest = max(len(chain) for chain in self.chains)
        chain = np.zeros((len(self.arms), longest, 2), dtype=np.int32)
        for number, found in enumerate(self.chains):
            chain[number, : len(found)] = found
        parent = space.arrangement.frames[0]
        needed = set()
        for f in self.hand_frames:
            while f >= 0:
                needed.add(f)
                f = int(parent[f])
        which = [f for f in sorted(needed) if space.moving_frames[f]]
        return frozen(
            np.array([row.kind for row in rows], dtype=np.int32),
            np.array([row.numbers for row in rows]),
            np.array(self.hand_frames, dtype=np.int32),
            tools,
            chain,
            np.array([len(found) for found in self.chains], dtype=np.int32),
            (~space.turns).astype(np.uint8),
            self.triangles[0] if self.triangles else np.zeros((0, 9)),
            np.array(which, dtype=np.int32),
        )

    def values(self, Q: Array) -> Array:
        """How far each row is off at many configurations (N, m)."""
        from workcell.planning import _kernels_constraints as kernels

        space = self.space
        out = np.empty((len(Q), len(self.rows)))
        kernels.measure_many(
            self.arrays, space.arrangement.frames, space.base_row.copy(), space.columns, space.poses,
            np.ascontiguousarray(Q), out,
        )  # fmt: skip
        return out

    def project(self, Q: Array, box: Array) -> tuple[Array, NDArray[np.bool_]]:
        """The nearest configurations that keep the constraints, and which of them do."""
        from workcell.planning import _kernels_constraints as kernels

        space = self.space
        found, kept = np.array(Q, order="C"), np.zeros(len(Q), dtype=np.bool_)
        kernels.project_many(
            self.arrays, space.arrangement.frames, space.base_row.copy(), space.columns, space.poses, space.weights,
            box, EXACT * self.tolerances, found, kept,
        )  # fmt: skip
        return found, kept

    def broken(self, q: Array) -> Constraint | None:
        """The first constraint that a configuration does not keep."""
        off = np.abs(self.values(q[None])[0]) > self.tolerances
        return self.constraints[self.rows[int(off.argmax())].of] if off.any() else None

    # ---- bounds ---------------------------------------------------------------------------------------------

    @cached_property
    def reaches(self) -> Array:
        """For each row and joint, a bound on how far the row's point is from an axis (m, n) [m]; 1 if the joint slides.

        The bound holds at every configuration: the lengths of all links from the joint to the point, laid in one line.
        """
        space = self.space
        parent, kind, column, joint, after = space.arrangement.frames
        out = np.zeros((len(self.rows), space.n))
        for number, row in enumerate(self.rows):
            for hand, frame in enumerate(self.hand_frames):
                tied = row.kind in (codes.SAME_POINT, codes.SAME_TURN)
                if not tied and hand != len(self.arms) - 1:
                    continue
                local = row.numbers[3 * hand : 3 * hand + 3] if tied else row.numbers[:3]
                tool = self.arrays[3][hand]
                far = float(np.linalg.norm(tool[9:])) + float(np.linalg.norm(local))
                f = frame
                joint_of = {int(c): j for j, c in enumerate(space.columns)}
                while f >= 0:
                    far += float(np.linalg.norm(after[f, 9:]))
                    j = -1
                    if kind[f] != FIXED:
                        far += abs(float(joint[f, 1]))
                        j = joint_of.get(int(column[f]), -1)
                    if j >= 0 and space.turns[j]:
                        out[number, j] += far
                    elif j >= 0:
                        out[number, j] += 1.0
                        range_of = np.abs(space.limits[j])
                        far += float(np.where(np.isfinite(range_of), range_of, _PRISMATIC_REACH).max())
                    f = int(parent[f])
        return out


def _unit(values: Any) -> Array:
    found = np.asarray(values, dtype=np.float64)
    return np.asarray(found / np.linalg.norm(found))


def _across(direction: Array) -> tuple[Array, Array]:
    """Two unit vectors across a direction and across each other."""
    side = np.eye(3)[int(np.abs(direction).argmin())]
    first = np.cross(direction, side)
    first /= np.linalg.norm(first)
    return first, np.cross(direction, first)


def _angle(one: Array, other: Array) -> float:
    """The angle between two directions [rad]."""
    return math.atan2(float(np.linalg.norm(np.cross(one, other))), float(one @ other))

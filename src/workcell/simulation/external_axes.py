"""The axes that carry an arm or its work: held, set to values, or placed where the arm's posture is best.

An arm that belongs to a machine may bring its hand to a pose with the rail, gantry or positioner anywhere. The best
place is the one with the best posture (:func:`~workcell.kinematics.placing.quality`), found over the whole range of
the axes. Along a curve the axes move evenly from where they are, and the worst place of the curve counts.
"""

from __future__ import annotations

import copy
import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue, KinematicsError, Refused, Unreachable
from workcell.kinematics.inverse import by_iteration
from workcell.kinematics.placing import ALIKE, best_place, quality, solved
from workcell.kinematics.unreachable import explain
from workcell.motion.curve import HandCurve, Section
from workcell.motion.trajectory import Trajectory
from workcell.robots.machine import Machine
from workcell.simulation import branch_policy
from workcell.spatial.message_units import said, said_angle, said_length
from workcell.spatial.pose import Pose
from workcell.spatial.units import SCALES
from workcell.wording import counted
from workcell.world.axes_text import BEST, HELD, Axes, value_of
from workcell.world.machine_places import is_arm

if TYPE_CHECKING:
    from workcell.simulation.equipped import Equipped
    from workcell.world.placed import PlacedRobot

Array = NDArray[np.float64]
_PLACES = 13
"""The number of places on a curve at which the arm is tested to place its axes."""
_JUMP = 1.2
"""Joint values of neighbouring places on a curve that differ by more belong to other branches [rad or m]."""
_NEARLY = 0.05
"""Along a curve, places that differ by less in quality are equal: an axis moves no farther than it must."""
_COARSE = 9
_MISSES = 4
"""The number of places in a range, and of ever smaller ranges, in which the nearest miss is searched for."""
_CHUNK = 512
_GOING_ON = "going on"
"""The solution that continues from the place before, along a curve."""


@dataclass(frozen=True)
class _Moving:
    """A section of a curve in the world, in the frame of the base of an arm that its axes carry."""

    section: Section
    offset: float
    lead: Trajectory
    axes: ExternalAxes

    @property
    def size(self) -> float:
        """Its length [m], or its angle [rad] if the hand only turns."""
        return self.section.size

    @property
    def pace(self) -> tuple[float, float]:
        """Bounds on the way [m] and turn [rad] per unit of s, in the frame of the arm's base."""
        way, turn = self.section.pace
        spin = float(np.abs(self.lead.max_speed()).sum())
        X = self.axes.in_base(self.lead.sample([self.offset, self.offset + self.size]), np.eye(4)[None])
        reach = float(np.linalg.norm(X[:, :3, 3], axis=1).max()) + self.size * way
        return way + spin * (1.0 + 2.0 * reach), turn + spin

    def place(self, s: Array) -> tuple[Array, Array]:
        """Return positions (N, 3) and rotations (N, 3, 3) of the hand in the arm's base at s (N,)."""
        position, rotation = self.section.place(s)
        X = np.zeros((len(s), 4, 4))
        X[:, :3, 3], X[:, :3, :3], X[:, 3, 3] = position, rotation, 1.0
        X = self.axes.in_base(self.lead.sample(s + self.offset), X)
        return X[:, :3, 3], X[:, :3, :3]


class ExternalAxes:
    """The mechanisms of the machine that an arm belongs to, as carriers of the arm and the work.

    Args:
        simulator: where everything is.
        arm: the arm.
        work: the body that poses move with, or '' for fixed poses in the world.
    """

    def __init__(self, simulator: Equipped, arm: PlacedRobot, work: str = "") -> None:
        snapshot = simulator.snapshot
        placed = snapshot.machine_of(arm.name)
        if placed is None:
            for one in snapshot.machines:
                if arm.name in one.members:
                    raise Refused(one.problem, machine=one.name)
            raise Refused(
                f"{arm.name} belongs to no machine and has no axes to place; `create machine NAME of RAIL of "
                f"{arm.name}` makes one.",
                robot=arm.name,
            )
        members = tuple((name, robot) for name, robot in placed.robot.members if not is_arm(robot))
        if not members:
            raise Refused(f"Machine {placed.name!r} has no mechanism that could carry {arm.name} or its work.")
        self.simulator, self.arm = simulator, arm
        self.machine = Machine(placed.name, members)
        self.state = simulator.state
        self.now = self.machine.whole({name: simulator.joints_of(name) for name in self.machine.names})
        self.near = np.asarray(simulator.joints_of(arm.name))
        self._back: Array | None = None
        if work:
            snapshot.body(work)
            self._place = [one.name for one in snapshot.bodies].index(work)
            self._back = np.linalg.inv(snapshot.body_poses(self.state)[self._place])

    def standing(self, now: Array, near: Array) -> ExternalAxes:
        """Return a copy with other values of the axes and joints of the arm. Poses keep their meaning."""
        other = copy.copy(self)
        other.now, other.near = now, near
        return other

    def wished(self, axes: Axes) -> list[float | str]:
        """Return what is asked of each axis: ``held``, ``best`` or a value [rad or m]."""
        items: list[float | str] = list(axes.split(",")) if isinstance(axes, str) else list(axes)
        n = self.machine.n
        if len(items) == 1 and isinstance(items[0], str) and items[0].strip() in ("", HELD, BEST):
            items = items * n
        if len(items) != n:
            names = ", ".join(self.machine.joint_names)
            raise InvalidValue(
                f"{self.machine.name} has {counted(n, 'external axis', 'external axes')} ({names}); "
                f"found {counted(len(items), 'value')}.",
                axes=str(axes),
            )
        found = [self._wish(item, joint) for joint, item in enumerate(items)]
        values = np.array([self.now[j] if isinstance(one, str) else one for j, one in enumerate(found)])
        self.machine.require_limits(values)
        return found

    def _wish(self, item: float | str, joint: int) -> float | str:
        if not isinstance(item, str):
            if not math.isfinite(item):
                raise InvalidValue(f"The value of an axis must be finite; found {item}.")
            return float(item)
        word = item.strip() or HELD
        if word in (HELD, BEST):
            return word
        value, unit = value_of(word)
        quantity = "length" if self.machine.rows[joint].prismatic else "angle"
        size = SCALES[quantity].get(unit)
        if size is None:
            such = "1200mm" if quantity == "length" else "30deg"
            name = self.machine.joint_names[joint]
            raise InvalidValue(f"The value of {name} is {'a length' if quantity == 'length' else 'an angle'}, such as "
                               f"{such}; found {word}.")  # fmt: skip
        return value * size

    # ---- where everything is with the axes elsewhere ------------------------------------------------------

    def in_base(self, E: Array, X_world_hand: Array) -> Array:
        """Return poses of the hand (N or 1, 4, 4) that move with the work, in the arm's base, with axes at E (N, d)."""
        simulator, joints = self.simulator, self.machine.parts(E)
        base = simulator.snapshot.base_poses(self.state, self.arm.name, joints)
        hand = X_world_hand
        if self._back is not None:
            hand = self._works(E) @ (self._back @ hand)
        return np.asarray(np.linalg.inv(base) @ hand)

    def in_world(self, E: Array, X_base_hand: Array) -> Array:
        """Return poses in the world: the inverse of :meth:`in_base`."""
        base = self.simulator.snapshot.base_poses(self.state, self.arm.name, self.machine.parts(E))
        hand = base @ X_base_hand
        if self._back is not None:
            hand = np.linalg.inv(self._works(E) @ self._back) @ hand
        return np.asarray(hand)

    def _works(self, E: Array) -> Array:
        snapshot, parts = self.simulator.snapshot, []
        for first in range(0, len(E), _CHUNK):
            joints = self.machine.parts(np.ascontiguousarray(E[first : first + _CHUNK]))
            parts.append(snapshot.body_poses_batch(joints, self.state)[:, self._place])
        return np.concatenate(parts)

    # ---- placing them -------------------------------------------------------------------------------------

    def placed(self, axes: Axes, poses: Array, X_hand_tool: Pose, policy: str) -> Array:
        """Return the values of the axes (d,) at the end of a curve through poses of the hand in the world (K, 4, 4).

        Args:
            axes: what is asked of the axes.
            poses: the places of the curve at even distances, the first where the hand is; or one pose.
            X_hand_tool: the tool in the frame of the hand.
            policy: which inverse solution is taken at a single pose.

        Raises:
            Unreachable: no values of the axes will do; the message gives the nearest miss.
        """
        wished = self.wished(axes)
        free = np.array([one == BEST for one in wished]) & self._matter()
        fixed = np.array([self.now[j] if isinstance(one, str) else one for j, one in enumerate(wished)])
        if not free.any():
            return fixed
        box = self.machine.limits[free]
        if not np.isfinite(box).all():
            name = self.machine.joint_names[int(np.flatnonzero(free)[~np.isfinite(box).all(axis=1)][0])]
            raise Refused(f"{name} has no range, so no best place; give it a value, or `{HELD}`.")
        tools = np.asarray(poses @ X_hand_tool.matrix)

        def measure(P: Array) -> Array:
            E = np.tile(fixed, (len(P), 1))
            E[:, free] = P
            return self.measure(E, tools, policy)

        start = np.clip(self.now[free], box[:, 0], box[:, 1])
        rough = by_iteration(self.arm.robot.chain)
        found = best_place(measure, box, start, ALIKE if len(tools) == 1 else _NEARLY, rough)
        if found is None:
            raise self._missed(fixed, free, tools)
        fixed[free] = found[0]
        return fixed

    def _matter(self) -> NDArray[np.bool_]:
        """Return which axes carry the arm or the work.

        The others stay where they are when the best place is searched for.
        """
        probes = np.vstack([self.now, self.now + 1e-3 * np.eye(len(self.now))])
        X = np.broadcast_to(self.in_base(probes, np.eye(4)[None]), (len(probes), 4, 4))
        return np.asarray(np.abs(X[1:] - X[0]).max(axis=(1, 2)) > 1e-9)

    def measure(self, E: Array, tools: Array, policy: str) -> Array:
        """Return the quality of the arm's posture (N,) with the axes at E (N, d) at the end of a curve; −inf if none.

        Args:
            E: values of the axes.
            tools: poses of the tool in the world along the curve (K, 4, 4), the last one with the axes at E.
            policy: which inverse solution is taken at a single pose.
        """
        robot = self.arm.robot
        chain, limits = robot.chain, robot.limits
        near = np.tile(self.near, (len(E), 1))
        worst = np.full(len(E), np.inf)
        last = len(tools) - 1
        for k, tool in enumerate(tools):
            if k == 0 and last > 0:
                continue  # the hand is here already
            share = k / last if last else 1.0
            X = self.in_base(self.now + share * (E - self.now), tool[None])
            if last or branch_policy.is_rule(policy):
                Q, there = self._solved(X, near, _GOING_ON if last else policy, worst > -np.inf)
            else:
                Q, there = self._one_by_one(X, near, policy, worst > -np.inf)
            safe = np.where(there[:, None], Q, robot.home)
            worst = np.where(there & (worst > -np.inf), np.minimum(worst, quality(chain, limits, safe)), -np.inf)
            if last:
                worst[np.abs(safe - near).max(axis=1) > _JUMP] = -np.inf
            near = safe
        return worst

    def _solved(self, X: Array, near: Array, policy: str, alive: NDArray[np.bool_]) -> tuple[Array, NDArray[np.bool_]]:
        robot = self.arm.robot
        if by_iteration(robot.chain):
            return self._one_by_one(X, near, policy, alive)
        return solved(robot.chain, robot.limits, X, near, "nearest" if policy == _GOING_ON else policy)

    def _one_by_one(
        self, X: Array, near: Array, policy: str, alive: NDArray[np.bool_]
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Return the same, one place at a time, for the places that may still do."""
        robot, Q, there = self.arm.robot, np.array(near), np.zeros(len(X), dtype=bool)
        for k in np.flatnonzero(alive):
            pose = Pose(X[k])
            try:
                if policy == _GOING_ON:
                    Q[k] = branch_policy.nearest(robot, pose, near[k])
                elif robot.ik(pose, near[k]).within_limits.any():
                    Q[k] = branch_policy.chosen(robot, pose, policy, near[k])
                else:
                    continue
                there[k] = True
            except KinematicsError:
                continue
        return Q, there

    def _missed(self, fixed: Array, free: NDArray[np.bool_], tools: Array) -> Unreachable:
        """Return the error if no values of the axes will do: how near the hand comes at best, and with which values."""
        box = self.machine.limits[free]
        middle, half = box.mean(axis=1), 0.5 * (box[:, 1] - box[:, 0])
        steps = np.linspace(-1.0, 1.0, _COARSE if len(box) == 1 else 3)
        offsets = np.array(list(itertools.product(steps, repeat=len(box))))
        nearest = (math.inf, math.inf, fixed)
        for _ in range(_MISSES):
            for row in np.clip(middle + offsets * half, box[:, 0], box[:, 1]):
                E = np.array(fixed)
                E[free] = row
                pose = Pose(self.in_base(E[None], tools[-1][None])[0])
                report = explain(self.arm.robot.chain, pose, self.arm.robot.limits)
                nearest = min(nearest, (report.metres, report.radians, E), key=lambda one: one[:2])
            middle, half = nearest[2][free], half / (len(steps) - 1)
        metres, radians, E = nearest
        if len(tools) > 1 and metres < 1e-9 and radians < 1e-9:
            return Unreachable(
                f"{self.arm.name} can bring its hand to the end, but not along the whole way with its axes moving "
                "evenly to any place; add a place in between, or use a joint move.",
                metres=0.0,
            )
        shown = ", ".join(
            f"{name} at {said(value, row.prismatic)}"
            for name, value, row, one in zip(self.machine.joint_names, E, self.machine.rows, free, strict=True)
            if one
        )
        return Unreachable(
            f"{self.arm.name} cannot bring its hand there with any values of its axes: the nearest that it comes is "
            f"{said_length(metres)} and {said_angle(radians)} away, with {shown}.",
            metres=metres, radians=radians, axes=E.tolist(),
        )  # fmt: skip

    # ---- curves -------------------------------------------------------------------------------------------

    def lead(self, length: float, end: Array) -> Trajectory:
        """Return the motion of the axes along a curve of a length.

        Evenly from their present values to those at its end.
        """
        return Trajectory(np.array([0.0, length]), np.stack([self.now, (end - self.now) / length])[None])

    def seen(self, curve: HandCurve, lead: Trajectory) -> HandCurve:
        """Return a curve of the hand in the world in the frame of the arm's base while the axes move."""
        offsets = curve.breaks[:-1].tolist()
        sections = tuple(
            _Moving(section, offset, lead, self) for section, offset in zip(curve.sections, offsets, strict=True)
        )
        return HandCurve(sections, curve.sharp)


def places_of(curve: HandCurve) -> Array:
    """Return the poses of a curve at which the arm is tested (K, 4, 4)."""
    return curve.poses(np.linspace(0.0, curve.length, _PLACES))

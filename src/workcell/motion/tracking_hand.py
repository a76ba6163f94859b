"""The hand of an arm on a moving pose: joint values, velocities and accelerations for its states."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.errors import KinematicsError, MotionError, Unreachable
from workcell.kinematics.inverse import by_iteration
from workcell.kinematics.jacobian import jacobian_batch
from workcell.motion.moving_frame import Flags, MovingPose, matrices, twists
from workcell.motion.trajectory import Trajectory, pieced
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose

Array = NDArray[np.float64]

_JUMP = 0.35
"""Joint values [rad or m] at neighbouring times that differ by more than this are examined more closely."""
_ALONG = 1e-4
"""The step along the motion at which Jacobians are evaluated to find accelerations [s]."""
_CHECKS = np.array([0.2, 0.35, 0.5, 0.65, 0.8])
_KNOTS = 2000
_ROUNDING = 1e-10


@dataclass(frozen=True)
class Led:
    """Joint polynomials that lead the hand along a moving pose.

    Attributes:
        motion: joint values over time.
        deviation: the greatest distance of the hand from the pose [m].
        turn: the greatest angle of the hand from it [rad].
    """

    motion: Trajectory
    deviation: float
    turn: float


class TrackingHand:
    """An arm whose hand follows poses in the world.

    Args:
        robot: the arm.
        X_world_base: the pose of its base.
        X_tool_hand: the point of the hand that follows, in the frame of its tool.
    """

    def __init__(self, robot: Robot, X_world_base: Pose, X_tool_hand: Pose) -> None:
        self.robot = robot
        self.X_world_base, self.X_tool_hand = X_world_base, X_tool_hand
        self._R_base_world = X_world_base.rotation.T
        self._X_base_world = X_world_base.inverse().matrix
        self._X_hand_tool = X_tool_hand.inverse()
        self._iterates = by_iteration(robot.chain)

    def poses(self, Q: Array) -> Array:
        """The poses of the hand in the world for many joint values (N, n): (N, 4, 4)."""
        return np.asarray(self.X_world_base.matrix @ self.robot.fk_batch(Q) @ self.X_tool_hand.matrix)

    def tools(self, states: Array) -> tuple[Array, Array, Array]:
        """Tool poses in the base (N, 4, 4), and their velocities and accelerations (N, 6), from states of the hand."""
        hands = matrices(states[0])
        V, A = twists(states)
        arm = hands[:, :3, :3] @ self._X_hand_tool.xyz
        w, dw = V[:, 3:], A[:, 3:]
        swept = np.cross(w, arm)
        linear = V[:, :3] + swept
        push = A[:, :3] + np.cross(dw, arm) + np.cross(w, swept)
        turn = self._R_base_world.T
        velocity = np.hstack([linear @ turn, w @ turn])
        acceleration = np.hstack([push @ turn, dw @ turn])
        return self._X_base_world @ hands @ self._X_hand_tool.matrix, velocity, acceleration

    def rates(self, Q: Array, velocity: Array, acceleration: Array) -> tuple[Array, Array]:
        """Joint velocities and accelerations (N, n) for a motion of the tool; the least ones if there is a choice."""
        qd = self._least(Q, velocity)
        e = _ALONG
        ahead = self._least(Q + e * qd, velocity + e * acceleration)
        behind = self._least(Q - e * qd, velocity - e * acceleration)
        return qd, (ahead - behind) / (2.0 * e)

    def _least(self, Q: Array, V: Array) -> Array:
        J = jacobian_batch(self.robot.chain, Q)
        if self.robot.n == 6:
            try:
                return np.asarray(np.linalg.solve(J, V[:, :, None])[:, :, 0])
            except np.linalg.LinAlgError:
                pass
        return np.asarray((np.linalg.pinv(J, rcond=1e-10) @ V[:, :, None])[:, :, 0])

    def along(self, tools: Array, near: Array) -> tuple[Array, str]:
        """Joint values on one branch along tool poses in the base (m, n), as far as possible, and why no farther."""
        if self._iterates:
            return self._iterated(tools, near)
        found, valid = self.robot.ik_batch(tools, threads=1)
        turning = ~np.asarray(self.robot.chain.prismatic, dtype=bool)
        low, high = self.robot.limits.T
        rows: list[Array] = []
        for answers, good in zip(found, valid, strict=True):
            if not good.any():
                return np.array(rows).reshape(-1, self.robot.n), "reach"
            q = answers[good]
            turns = np.where(turning, 2.0 * np.pi * np.round((near - q) / (2.0 * np.pi)), 0.0)
            q = q + turns
            best = q[np.abs(q - near).max(axis=1).argmin()]
            slack = 1e-9 * (1.0 + np.abs(best))
            if (best < low - slack).any() or (best > high + slack).any():
                return np.array(rows).reshape(-1, self.robot.n), "range"
            near = best
            rows.append(best)
        return np.array(rows), ""

    def _iterated(self, tools: Array, near: Array) -> tuple[Array, str]:
        """The same for an arm without a closed form: Newton steps, each with the least change that the hand needs."""
        rows: list[Array] = []
        low, high = self.robot.limits.T
        for tool in tools:
            q = near.copy()
            for _ in range(20):
                off = _offset(self.robot.fk_batch(q[None])[0], tool)
                if np.abs(off).max() < 1e-12:
                    break
                q = q + self._least(q[None], off[None])[0]
                if np.abs(q - near).max() > 2.0:
                    break
            if not np.abs(_offset(self.robot.fk_batch(q[None])[0], tool)).max() < 1e-9:
                return np.array(rows).reshape(-1, self.robot.n), "reach"
            if (q < low - 1e-9).any() or (q > high + 1e-9).any():
                return np.array(rows).reshape(-1, self.robot.n), "range"
            near = q
            rows.append(q)
        return np.array(rows), ""

    # ---- polynomials ------------------------------------------------------------------------------------

    def led(
        self,
        place: MovingPose,
        begin: float,
        end: float,
        near: Array,
        *,
        tolerance: float,
        angle_tolerance: float,
        knots: int = 0,
        refine: bool = True,
    ) -> Led:
        """The joint polynomials that keep the hand on a moving pose from one time to another [s].

        They are quintic, and agree in position, velocity and acceleration where they meet, except at instants at which
        the acceleration of the pose itself steps.

        Args:
            place: the pose for the hand.
            begin: the time at which it begins [s]; the motion's own time is zero then.
            end: the time at which it ends [s].
            near: joint values at the start (n,).
            tolerance: the greatest distance of the hand from the pose [m].
            angle_tolerance: the greatest angle of the hand from the pose [rad].
            knots: the number of polynomials to begin with; by default as many as the duration needs.
            refine: whether to add polynomials until the hand is within the tolerance.

        Raises:
            Unreachable: the pose leaves the reach of the arm.
            MotionError: the arm would have to change its branch, or is at a singularity.
        """
        inner = place.steps[(place.steps > begin + 1e-9) & (place.steps < end - 1e-9)]
        edges = np.concatenate([[begin], np.unique(inner), [end]])
        breaks, pieces, worst = [np.zeros(1)], [], np.zeros(2)
        for a, b in itertools.pairwise(edges.tolist()):
            count = max(int(np.ceil((knots or 12) * (b - a) / (end - begin))), 1 if knots else 2)
            times = np.linspace(a, b, count + 1)
            times, coefficients, off, near = self._section(place, times, near, (tolerance, angle_tolerance), refine)
            breaks.append(times[1:] - begin)
            pieces.append(coefficients)
            worst = np.maximum(worst, off)
        edges = np.concatenate(breaks)
        return Led(pieced(edges, np.concatenate(pieces)), float(worst[0]), float(worst[1]))

    def _section(
        self, place: MovingPose, times: Array, near: Array, allowed: tuple[float, float], refine: bool
    ) -> tuple[Array, Array, Array, Array]:
        q, qd, qdd = self._knots(place, times, near)
        while True:
            jump = np.abs(np.diff(q, axis=0)).max(axis=1) > _JUMP
            if not refine and not jump.any():
                return times, quintic(np.diff(times), q, qd, qdd), np.zeros(2), q[-1]
            coefficients = quintic(np.diff(times), q, qd, qdd)
            off, turn = self._deviation(place, times, coefficients)
            poor = (off > allowed[0]) | (turn > allowed[1]) | jump
            if not poor.any():
                return times, coefficients, np.array([off.max(), turn.max()]), q[-1]
            steps = np.diff(times)[poor]
            if len(times) + int(poor.sum()) > _KNOTS or steps.min() < 1e-6:
                at = float(times[:-1][poor][steps.argmin()])
                raise MotionError(
                    f"The arm cannot follow past {at:.4g} s: it is at a singularity, or would have to change its "
                    "branch; choose another branch or place.",
                    time=at,
                )
            middles = times[:-1][poor] + 0.5 * steps
            at = np.searchsorted(times, middles)
            times = np.insert(times, at, middles)
            q, qd, qdd = self._knots(place, times, near)

    def _knots(self, place: MovingPose, times: Array, near: Array) -> tuple[Array, Array, Array]:
        before: Flags = np.zeros(len(times), dtype=np.bool_)
        before[-1] = True
        states = place.states(times, before)
        tools, velocity, acceleration = self.tools(states)
        q, why = self.along(tools, near)
        if why:
            at = float(times[len(q)])
            raise Unreachable(
                "the pose is out of the arm's reach" if why == "reach" else "a joint reaches the end of its range",
                time=at,
                place=states[0, len(q), :3].tolist(),
                why=why,
            )
        qd, qdd = self.rates(q, velocity, acceleration)
        if not (np.isfinite(qd).all() and np.isfinite(qdd).all()):
            raise KinematicsError("the arm reaches a singularity")
        return q, qd, qdd

    def _deviation(self, place: MovingPose, times: Array, coefficients: Array) -> tuple[Array, Array]:
        """The greatest distance [m] and angle [rad] of the hand from the pose on each polynomial (k,), (k,)."""
        steps = np.diff(times)
        u = steps[:, None] * _CHECKS
        q = np.zeros((*u.shape, coefficients.shape[2]))
        for power in range(5, -1, -1):
            q = q * u[..., None] + coefficients[:, None, power]
        at = (times[:-1, None] + u).ravel()
        wanted = matrices(place.states(at, np.zeros(len(at), dtype=np.bool_))[0])
        got = self.poses(q.reshape(-1, q.shape[2]))
        off = np.linalg.norm(got[:, :3, 3] - wanted[:, :3, 3], axis=1)
        # The chord between two rotations: √2·‖R − S‖/2 is twice the sine of half the angle.
        chord = np.linalg.norm((got - wanted)[:, :3, :3].reshape(-1, 9), axis=1)
        turn = 2.0 * np.arcsin(np.minimum(chord / (2.0 * np.sqrt(2.0)), 1.0))
        shape = u.shape
        return off.reshape(shape).max(axis=1), turn.reshape(shape).max(axis=1)


def quintic(steps: Array, q: Array, qd: Array, qdd: Array) -> Array:
    """Coefficients (k, 6, n) of the quintics through values, velocities and accelerations (k+1, n) at knots."""
    h = steps[:, None]
    rise = q[1:] - q[:-1] - h * qd[:-1] - 0.5 * h**2 * qdd[:-1]
    slope = qd[1:] - qd[:-1] - h * qdd[:-1]
    bend = qdd[1:] - qdd[:-1]
    return np.stack(
        [
            q[:-1], qd[:-1], 0.5 * qdd[:-1],
            10.0 * rise / h**3 - 4.0 * slope / h**2 + 0.5 * bend / h,
            -15.0 * rise / h**4 + 7.0 * slope / h**3 - bend / h**2,
            6.0 * rise / h**5 - 3.0 * slope / h**4 + 0.5 * bend / h**3,
        ],
        axis=1,
    )  # fmt: skip


def _offset(have: Array, want: Array) -> Array:
    """The small twist (6,) from one pose (4, 4) to another."""
    turn = want[:3, :3] @ have[:3, :3].T
    axis = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return np.concatenate([want[:3, 3] - have[:3, 3], axis])

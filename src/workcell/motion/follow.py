"""Joint paths that keep the hand on a curve in space, refined until they are close enough.

Inverse kinematics is solved at a few places, and joint polynomials go through its solutions. Forward kinematics
measures the deviation of the hand between them; where it is too large, the place half-way is solved too.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, JointLimit, KinematicsError, MotionError, Unreachable
from workcell.motion.curve import HandCurve
from workcell.motion.fitting import clamped_spline, slope_at
from workcell.motion.frames import positive
from workcell.motion.joint_values import joint_values
from workcell.motion.path import JointPath
from workcell.motion.trajectory import Trajectory
from workcell.spatial.message_units import said_angle, said_length, said_point
from workcell.spatial.pose import Pose

Array = NDArray[np.float64]

_JUMP = 0.35
"""Joint values [rad or m] of neighbouring places that differ by more than this are examined more closely."""
_CHECKS = 8
"""The number of parts of each polynomial at which the deviation of the hand is measured."""
_START = 6
"""The number of polynomials with which a smooth section of the curve begins."""
_KNOTS = 4000
_FLAT = 0.02
"""Joints are at a singularity if the least singular value of the Jacobian is below this share of the largest."""


class Solver(Protocol):
    """Inverse kinematics near known joint values."""

    def __call__(self, pose: Pose, near: Array, /) -> ArrayLike:
        """The joint values (n,) that bring the hand to ``pose`` and are nearest to ``near``.

        Raises a ``KinematicsError`` if there are none.
        """


Forward = Callable[[Array], Array]
"""Forward kinematics of many joint vectors: (N, n) to hand poses (N, 4, 4)."""


@dataclass(frozen=True)
class Followed:
    """A joint path along a curve of the hand, and how well it follows.

    Attributes:
        path: joint values over the curve's parameter s.
        deviation: the greatest distance of the hand from its place on the curve, everywhere [m].
        turn: the greatest angle of the hand from its orientation on the curve [rad].
        solved: the number of calls of inverse kinematics.
    """

    path: JointPath
    deviation: float
    turn: float
    solved: int


def follow(
    curve: HandCurve,
    solve: Solver,
    forward: Forward,
    near: ArrayLike,
    *,
    tolerance: float = 1e-6,
    angle_tolerance: float = 1e-5,
    limits: ArrayLike | None = None,
) -> Followed:
    """The joint path that keeps the hand within the tolerances of the curve, fitted by cubic polynomials.

    Between two sharp corners of the curve, the joint path and its first two derivatives are continuous.

    Args:
        curve: the curve of the hand.
        solve: inverse kinematics near known joint values.
        forward: forward kinematics of many joint vectors.
        near: joint values at the start, or near them (n,).
        tolerance: the greatest distance of the hand from its place [m].
        angle_tolerance: the greatest angle of the hand from its orientation [rad].
        limits: joint ranges (n, 2) [rad or m]; where a polynomial leaves them between two places, more are solved.
    """
    allowed = (
        positive(tolerance, "A tolerance", "m"),
        positive(angle_tolerance, "An angle tolerance", "rad"),
    )
    asked = _Asked(curve, solve, forward, near)
    box = None if limits is None else np.asarray(limits, dtype=np.float64)
    knots: list[Array] = []
    pieces: list[Array] = []
    worst = np.zeros(2)
    for s, q in _smooth(curve, [asked.walk(float(a), float(b)) for a, b in itertools.pairwise(curve.breaks)]):
        places, coefficients, deviation = _fitted(asked, s, q, _slopes(asked, s, q), allowed, box)
        knots.append(places[:-1])
        pieces.append(coefficients)
        worst = np.maximum(worst, deviation)
    path = JointPath(Trajectory(np.concatenate([*knots, [curve.length]]), np.concatenate(pieces)))
    return Followed(path, float(worst[0]), float(worst[1]), asked.count)


def follow_sampled(
    curve: HandCurve, solve: Solver, forward: Forward, near: ArrayLike, *, step: float
) -> tuple[Array, Followed]:
    """The way of the thesis: inverse kinematics every ``step`` [m] of the curve, straight joint lines between.

    The remainder gets a place of its own, and corners are hit. Between the places the hand leaves the curve;
    the result contains the deviation.

    Returns:
        The joint vectors (m, n) for ``linear_through``, and the path with its deviation.
    """
    pace = positive(step, "A step along the curve", "m")
    asked = _Asked(curve, solve, forward, near)
    stations: list[float] = [0.0]
    for a, b in itertools.pairwise(curve.breaks):
        count = max(int(np.ceil((b - a) / pace - 1e-9)), 1)
        stations.extend(float(a + pace * k) for k in range(1, count))
        stations.append(float(b))
    s = np.array(stations)
    rows = [asked.at(0.0, asked.near)]
    for place in stations[1:]:
        rows.append(asked.at(place, rows[-1]))
    q = np.array(rows)
    coefficients = np.stack([q[:-1], np.diff(q, axis=0) / np.diff(s)[:, None]], axis=1)
    position, turn = _deviation(curve, forward, s, coefficients)
    path = JointPath(Trajectory(s, coefficients))
    return q, Followed(path, float(position.max()), float(turn.max()), asked.count)


class _Asked:
    """Inverse kinematics along one curve; every refusal states the place on the curve."""

    def __init__(self, curve: HandCurve, solve: Solver, forward: Forward, near: ArrayLike) -> None:
        self.curve, self.solve, self.forward, self.count = curve, solve, forward, 0
        self.near = joint_values(near, "The joint values to start near")

    def at(self, s: float, near: Array) -> Array:
        pose = self.curve.pose(s)
        self.count += 1
        try:
            answer = self.solve(pose, near)
        except KinematicsError as error:
            raise Unreachable(
                f"The hand cannot follow the curve at {self.where(s)}: {error}", s=s, pose=pose, near=near
            ) from error
        return joint_values(answer, "The joint values that inverse kinematics gave", self.near.shape[0])

    def where(self, s: float) -> str:
        return f"{100.0 * s / self.curve.length:.4g} % of its length, {said_point(self.curve.pose(s).xyz)}"

    def walk(self, start: float, end: float) -> tuple[Array, Array]:
        """Places and joint values of one section from left to right, close enough to stay on one branch."""
        s = [start]
        q = [self.at(start, self.near)]
        for goal in np.linspace(start, end, _START + 1)[1:]:
            self._advance(s, q, float(goal), end - start)
        self.near = q[-1]
        return np.array(s), np.array(q)

    def _advance(self, s: list[float], q: list[Array], goal: float, size: float) -> None:
        targets = [goal]
        while targets:
            place = targets[-1]
            try:
                value = self.at(place, q[-1])
            except Unreachable as error:
                self.edge(s[-1], q[-1], place, error)
            if np.abs(value - q[-1]).max() <= _JUMP:
                s.append(place)
                q.append(value)
                targets.pop()
            elif place - s[-1] < 1e-7 * size:
                self.jump(place, q[-1], value)
            else:
                targets.append(0.5 * (s[-1] + place))

    def edge(self, good: float, q: Array, bad: float, error: Unreachable) -> NoReturn:
        """Refuse a curve that leaves the reach, with how far it can be followed."""
        first = good
        for _ in range(20):
            middle = 0.5 * (good + bad)
            try:
                q, good = self.at(middle, q), middle
            except Unreachable as closer:
                bad, error = middle, closer
        way = f"up to {self.where(good)}" if good > first or good > 0.0 else f"from its start, {self.where(0.0)}"
        cause = error.__cause__
        limit = {"joint": cause.evidence["joint"]} if isinstance(cause, JointLimit) else {}
        raise Unreachable(
            f"The hand can follow the curve only {way}: {cause}",
            s=bad,
            reachable_until=good,
            pose=self.curve.pose(bad),
            near=q,
            **limit,
        ) from cause

    def jump(self, s: float, before: Array, after: Array) -> NoReturn:
        """Refuse a curve along which inverse kinematics leaves its branch."""
        joint = int(np.abs(after - before).argmax())
        singular = _is_singular(self.forward, before) or _is_singular(self.forward, after)
        why = "a singularity between two branches" if singular else "another branch of inverse kinematics"
        raise MotionError(
            f"The hand cannot follow the curve past {self.where(s)}: joint {joint + 1} would have to jump "
            f"from {_degrees(before[joint])} to {_degrees(after[joint])} there, {why}; "
            f"choose another branch or another path.",
            s=s,
            joint=joint + 1,
            before=before,
            after=after,
        )


def _degrees(angle: float) -> str:
    """Return an angle [rad] for a sentence, to a ten-thousandth of a degree and without noise about zero."""
    return f"{round(float(np.degrees(angle)), 4) + 0.0:g}°"


def _is_singular(forward: Forward, q: Array) -> bool:
    """Whether the joints can hardly move the hand in some direction, by forward kinematics."""
    step = 1e-6
    shifts = step * np.eye(q.shape[0])
    rates = (forward(q + shifts) - forward(q - shifts))[:, :3] / (2.0 * step)
    rates[:, :, 3] /= max(float(np.sqrt((rates[:, :, 3] ** 2).sum(axis=1)).max()), 1e-12)
    values = np.linalg.svd(rates.reshape(q.shape[0], -1), compute_uv=False)
    return bool(values[-1] < _FLAT * values[0])


def _smooth(curve: HandCurve, sections: list[tuple[Array, Array]]) -> list[tuple[Array, Array]]:
    """Places and joint values of the stretches between sharp corners: one spline each, smooth where sections meet."""
    stretches = sections[:1]
    for i, (s, q) in enumerate(sections[1:]):
        if curve.sharp and curve.sharp[i]:
            stretches.append((s, q))
        else:
            before, rows = stretches[-1]
            stretches[-1] = np.concatenate([before, s[1:]]), np.concatenate([rows, q[1:]])
    return stretches


def _slopes(asked: _Asked, s: Array, q: Array) -> tuple[Array, Array]:
    """dq/ds at both ends of a stretch, from places within its first and its last section."""
    breaks = asked.curve.breaks
    first = float(breaks[np.searchsorted(breaks, s[0], side="right")] - s[0])
    last = float(s[-1] - breaks[np.searchsorted(breaks, s[-1], side="left") - 1])
    return _slope(asked, float(s[0]), q[0], 2e-3 * first), _slope(asked, float(s[-1]), q[-1], -2e-3 * last)


def _slope(asked: _Asked, s: float, q: Array, step: float) -> Array:
    """dq/ds from five places on one side: the error falls with the fourth power of the step."""
    places: Array = s + step * np.arange(5.0)
    rows = [q]
    for place in places[1:]:
        rows.append(asked.at(float(place), rows[-1]))
    return slope_at(places, np.array(rows), s)


def _fitted(
    asked: _Asked,
    s: Array,
    q: Array,
    slopes: tuple[Array, Array],
    allowed: tuple[float, float],
    limits: Array | None,
) -> tuple[Array, Array, Array]:
    """Knots, coefficients and greatest deviations of one section, refined until they are allowed."""
    while True:
        coefficients = clamped_spline(s, q, *slopes)
        position, turn = _deviation(asked.curve, asked.forward, s, coefficients)
        off = (position > allowed[0]) | (turn > allowed[1])
        poor = off | _outside(s, coefficients, limits)
        if not poor.any():
            return s, coefficients, np.array([position.max(), turn.max()])
        worst = int((position / allowed[0] + turn / allowed[1]).argmax())
        if s.shape[0] + int(poor.sum()) > _KNOTS or s[worst + 1] - s[worst] < 1e-9 * (s[-1] - s[0]):
            why = ", at a singularity" if _is_singular(asked.forward, q[worst]) else ""
            raise MotionError(
                f"The hand cannot be kept within {said_length(allowed[0], 3)} and {said_angle(allowed[1], 3)} of the "
                f"curve near {asked.where(float(s[worst]))}: it is off by "
                f"{said_length(position[worst], 3)} and {said_angle(turn[worst], 3)}{why}; "
                f"allow more, or choose another branch or another path.",
                s=float(s[worst]),
                deviation=float(position[worst]),
                turn=float(turn[worst]),
            )
        middles = 0.5 * (s[:-1] + s[1:])[poor]
        half = 0.5 * np.diff(s)[poor][:, None]
        c = coefficients[poor]
        guesses = c[:, 0] + half * (c[:, 1] + half * (c[:, 2] + half * c[:, 3]))
        found = np.array([asked.at(float(m), guess) for m, guess in zip(middles, guesses, strict=True)])
        # A solution far from its left neighbour is on another branch, which the walk was too coarse to see.
        left = q[:-1][poor]
        far = np.abs(found - left).max(axis=1) > _JUMP
        if far.any():
            at = int(far.argmax())
            asked.jump(float(middles[at]), left[at], found[at])
        order = np.argsort(np.concatenate([s, middles]), kind="stable")
        s, q = np.concatenate([s, middles])[order], np.concatenate([q, found])[order]


def _outside(s: Array, coefficients: Array, limits: Array | None) -> NDArray[np.bool_]:
    """Which polynomials (k,) leave the joint ranges between their ends and are long enough to cut."""
    steps = np.diff(s)
    if limits is None:
        return np.zeros(steps.shape, dtype=np.bool_)
    q = _values(coefficients, steps, np.linspace(0.0, 1.0, _CHECKS + 1))
    slack = 1e-9 * (1.0 + np.abs(limits))
    out = (q < limits[:, 0] - slack[:, 0]) | (q > limits[:, 1] + slack[:, 1])
    return np.asarray(out.any(axis=(1, 2)) & (steps > 1e-8 * (s[-1] - s[0])))


def _values(coefficients: Array, steps: Array, fractions: Array) -> Array:
    """Joint values (k, m, n) of polynomials (k, degree + 1, n) at fractions (m,) of their steps (k,)."""
    u = (steps[:, None] * fractions)[..., None]
    q = np.zeros((steps.shape[0], fractions.shape[0], coefficients.shape[2]))
    for power in range(coefficients.shape[1] - 1, -1, -1):
        q = q * u + coefficients[:, None, power]
    return q


def _deviation(curve: HandCurve, forward: Forward, s: Array, coefficients: Array) -> tuple[Array, Array]:
    """The greatest distance [m] and angle [rad] of the hand from the curve on each polynomial (k,), (k,).

    Measured at places between the knots, plus half of the bulge of a second difference for what lies between
    them. So the numbers are bounds as long as the error bends evenly from one place to the next.
    """
    fractions = np.linspace(0.0, 1.0, _CHECKS + 1)
    steps = np.diff(s)
    # The ends belong to this polynomial: a sharp corner must not be seen from its other side.
    inside = s[:-1, None] + steps[:, None] * np.clip(fractions, 1e-12, 1.0 - 1e-12)
    q = _values(coefficients, steps, fractions)
    got = forward(q.reshape(-1, q.shape[-1]))
    want = curve.poses(inside.reshape(-1))
    if got.shape != want.shape:
        raise InvalidValue(f"Forward kinematics must return poses of shape {want.shape}; found {got.shape}.")
    shape = (steps.shape[0], fractions.shape[0], -1)
    off = (got[:, :3, 3] - want[:, :3, 3]).reshape(shape)
    difference = (got[:, :3, :3] - want[:, :3, :3]).reshape(shape)
    # |R − S| = 2√2 sin(angle/2) in the Frobenius norm: exact, also for the smallest angles.
    return _bulged(off, np.inf), 2.0 * np.arcsin(_bulged(difference, 2.0 * np.sqrt(2.0)) / (2.0 * np.sqrt(2.0)))


def _bulged(vectors: Array, most: float) -> Array:
    """The greatest length in each row of vectors (k, m, d), with a margin for the bulge between neighbours."""
    length = np.sqrt((vectors**2).sum(axis=2)).max(axis=1)
    bend = np.sqrt((np.diff(vectors, n=2, axis=1) ** 2).sum(axis=2)).max(axis=1)
    return np.asarray(np.minimum(length + bend / 8.0, most))

"""The compiled paths of joint moves give the bits of the plain ones: NumPy's polynomials, arrays and checks."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.motion import _kernels_joint_moves as kernels
from workcell.motion import profiles
from workcell.motion.limits import Binding, Limits, bindings
from workcell.motion.named_profiles import bound_by, joint_line, limits_of
from workcell.motion.profile_names import PROFILES
from workcell.motion.trajectory import Trajectory
from workcell.robots.catalogue import robot as arm

Array = NDArray[np.float64]


def plain_ramps(first: Array, travel: Array, ramps: Array, duration: float) -> tuple[Array, Array]:
    edges = np.unique(np.concatenate([[0.0, duration], ramps, duration - ramps]))
    edges = edges[np.concatenate([np.diff(edges) > 1e-14 * duration, [True]])]
    edges[0] = 0.0
    speed = travel / (duration - ramps)
    slope = np.divide(speed, ramps, out=np.zeros_like(speed), where=ramps > 0.0)
    coefficients = np.zeros((len(edges) - 1, 3, len(first)))
    q, v = first.copy(), np.zeros_like(first)
    for i, (a, b) in enumerate(itertools.pairwise(edges)):
        middle, step = 0.5 * (a + b), b - a
        acceleration = slope * ((middle < ramps).astype(float) - (middle > duration - ramps).astype(float))
        coefficients[i] = q, v, 0.5 * acceleration
        q = q + step * (v + 0.5 * step * acceleration)
        v = v + step * acceleration
    return edges, coefficients


def plain_stretches(motion: Trajectory, piece: int, joint: int, derivative: int, bound: float) -> list[list[float]]:
    start, end = float(motion.breaks[piece]), float(motion.breaks[piece + 1])
    p = Polynomial(motion.coefficients[piece, :, joint]).deriv(derivative)
    edges = [0.0, end - start]
    for level in (bound, -bound):
        roots = np.asarray((p - level).roots(), dtype=complex)
        real = roots.real[np.abs(roots.imag) <= 1e-9 * (1.0 + np.abs(roots.real))]
        edges.extend(float(root) for root in real if 0.0 < root < end - start)
    edges.sort()
    return [[start + a, start + b] for a, b in itertools.pairwise(edges) if abs(float(p(0.5 * (a + b)))) >= bound]


def plain_bindings(motion: Trajectory, limits: Limits, share: float) -> tuple[Binding, ...]:
    found = []
    starts, ends = motion.breaks[:-1], motion.breaks[1:]
    for derivative, kind, values in limits.derivatives():
        low, high = motion.ranges(starts, ends, derivative)
        for joint, limit in enumerate(values):
            spans: list[list[float]] = []
            for piece in range(motion.pieces):
                a, b, bound = low[piece, joint], high[piece, joint], share * limit
                if max(-a, b) < bound:
                    continue
                if (a > 0.0 or b < 0.0) and min(abs(a), abs(b)) >= bound:
                    inside = [[float(starts[piece]), float(ends[piece])]]
                else:
                    inside = plain_stretches(motion, piece, joint, derivative, float(bound))
                for start, end in inside:
                    if spans:
                        (least,), (most,) = motion.ranges([spans[-1][1]], [max(start, spans[-1][1])], derivative)
                        close = least[joint] >= 0.9 * limit or most[joint] <= -0.9 * limit
                        if start - spans[-1][1] <= 1e-12 or close:
                            spans[-1][1] = end
                            continue
                    spans.append([start, end])
            found += [Binding(joint + 1, kind, start, end) for start, end in spans]
    return tuple(sorted(found, key=lambda one: (one.start, one.joint, one.limit)))


def test_ramps_have_the_bits_of_plain_arrays() -> None:
    random = np.random.default_rng(60)
    for _ in range(500):
        n = int(random.integers(1, 9))
        first, travel = random.uniform(-3.0, 3.0, (2, n))
        travel[random.random(n) < 0.3] = 0.0
        travel[0] = travel[0] or 1.0
        duration = float(random.uniform(0.01, 5.0))
        ramps = random.uniform(0.0, 0.5, n) * duration
        ramps[random.random(n) < 0.3] = 0.5 * duration
        ramps[random.random(n) < 0.3] = float(ramps[0]) * (1.0 + 2e-16)
        ramps = np.where(travel == 0.0, 0.0, np.minimum(ramps, 0.5 * duration))
        for found, wanted in zip(
            kernels.ramped(first, travel, ramps, duration), plain_ramps(first, travel, ramps, duration), strict=True
        ):
            np.testing.assert_array_equal(found, wanted, strict=True)


def test_a_trapezoid_along_the_joint_line_has_the_ramps_of_its_closed_form() -> None:
    random = np.random.default_rng(61)
    for _ in range(500):
        n = int(random.integers(1, 9))
        travel = random.uniform(-3.0, 3.0, n) * 10.0 ** random.uniform(-6.0, 0.0)
        travel[1:][random.random(n - 1) < 0.3] = 0.0
        speed, top = random.uniform(0.1, 4.0, n), random.uniform(0.1, 20.0, n)
        size, moving = np.abs(travel), travel != 0.0
        v, a = float((speed[moving] / size[moving]).min()), float((top[moving] / size[moving]).min())
        wanted = profiles.trapezoid_duration(1.0, v, a)
        duration, ramps = kernels.shared_ramps(travel, speed, top)
        assert duration == wanted
        np.testing.assert_array_equal(ramps, np.where(moving, min(v / a, 0.5 * wanted), 0.0))


@pytest.mark.parametrize("profile", [one for one in PROFILES if one != "toppra"])
def test_who_was_at_which_limit_is_found_as_by_polynomials(profile: str) -> None:
    random = np.random.default_rng(62)
    met = 0
    for name in ("puma560", "ur5"):
        robot = arm(name)
        for _ in range(40):
            q0, q1 = (random.uniform(robot.limits[:, 0], robot.limits[:, 1]) for _ in range(2))
            q1 = q0 + (q1 - q0) * 10.0 ** random.uniform(-3.0, 0.0)
            stays = random.random(robot.n) < 0.2
            q1[stays] = q0[stays]
            speed = float(random.uniform(0.1, robot.speeds.min()))
            motion = joint_line(robot, q0, q1, profile, speed)
            whole = limits_of(robot, speed)
            limits = {
                "linear": Limits(whole.speed),
                "jerk": Limits(whole.speed, whole.acceleration, whole.jerk),
            }.get(profile, Limits(whole.speed, whole.acceleration))
            found = bound_by(robot, motion, profile, speed)
            assert found == plain_bindings(motion, limits, 0.99)
            assert bindings(motion, limits, 0.5) == plain_bindings(motion, limits, 0.5)
            met += len(found)
    assert met > 50


def test_arrays_are_refused_as_lists_are() -> None:
    random = np.random.default_rng(63)
    for damage in range(60):
        motion = profiles.trapezoid(random.uniform(-1.0, 1.0, 3), random.uniform(1.0, 3.0, 3), Limits.of(3, 1.0, 2.0))
        breaks, coefficients = motion.breaks.copy(), motion.coefficients.copy()
        place = int(random.integers(1, len(breaks) - 1))
        match damage % 6:
            case 0:
                breaks[place] = [np.nan, np.inf, -np.inf][damage // 6 % 3]
            case 1:
                breaks[0] = random.choice([-1e-9, 1e-9])
            case 2:
                breaks[place] = breaks[place - 1]
            case 3:
                breaks[place] = breaks[place + 1] + 1e-3
            case 4:
                coefficients[place, int(random.integers(3)), 1] = [np.nan, np.inf][damage // 6 % 2]
            case _:
                coefficients[place, 0, 2] += random.choice([-1.0, 1.0]) * 1e-6
        with pytest.raises(InvalidValue) as typed:
            Trajectory(breaks.tolist(), coefficients.tolist())  # type: ignore[arg-type]
        with pytest.raises(InvalidValue) as given:
            Trajectory(breaks, coefficients)
        assert str(given.value) == str(typed.value)


def test_a_trajectory_keeps_arrays_of_its_own() -> None:
    breaks, coefficients = np.array([0.0, 1.0]), np.zeros((1, 2, 3))
    motion = Trajectory(breaks, coefficients)
    breaks[1], coefficients[0, 0, 0] = 2.0, 1.0
    assert motion.duration == 1.0
    assert not motion.coefficients.any()
    with pytest.raises(ValueError, match="read-only"):
        motion.breaks[1] = 2.0

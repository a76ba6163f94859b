"""Steering a motion: one supersede and one rate change, with Ruckig's bare call as the yardstick."""

from __future__ import annotations

import time

import numpy as np
import ruckig

from harness import compare
from workcell.motion.limits import Limits
from workcell.motion.pacing import change_rate
from workcell.motion.profiles import jerk_limited, trapezoid
from workcell.motion.steering import stop, supersede
from workcell.motion.time_law import PacedMotion

CALLS = 200
HOME = np.radians([0.0, 0.0, -90.0, 0.0, 90.0, 0.0])
THERE = HOME + np.radians([-70.0, -10.0, 10.0, 30.0, -20.0, -10.0])
BOX = np.tile([-np.pi, np.pi], (6, 1))
SMOOTH = Limits(np.full(6, 1.5), np.full(6, 4.0), np.full(6, 30.0), BOX)
SHARP = Limits(np.full(6, 1.5), np.full(6, 4.0), None, BOX)


def bare(state: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    request = ruckig.InputParameter(6)
    request.current_position, request.current_velocity, request.current_acceleration = state
    request.target_position = HOME
    request.max_velocity, request.max_acceleration, request.max_jerk = [1.5] * 6, [4.0] * 6, [30.0] * 6
    ruckig.Ruckig(6).calculate(request, ruckig.Trajectory(6))


def main() -> None:
    smooth, sharp = jerk_limited(HOME, THERE, SMOOTH), trapezoid(HOME, THERE, SHARP)
    rng = np.random.default_rng(0)
    states = {}
    for name, motion in (("smooth", smooth), ("sharp", sharp)):
        times = rng.uniform(0.0, 0.9 * motion.duration, CALLS)
        states[name] = [(motion.position(t), motion.velocity(t), motion.acceleration(t)) for t in times]
    rates = rng.uniform(0.0, 1.0, CALLS)
    rates[rates < 0.1] = 0.0
    paced = {name: PacedMotion.at_full_speed(motion) for name, motion in (("smooth", smooth), ("sharp", sharp))}
    instants = rng.uniform(0.0, 0.9 * sharp.duration, CALLS)

    def steer(name: str, limits: Limits) -> None:
        for t, rate in zip(instants, rates, strict=True):
            change_rate(paced[name], t, rate, limits)

    compare(
        {
            "ruckig alone": lambda: [bare(state) for state in states["smooth"]],
            "supersede, jerk": lambda: [supersede(*state, HOME, SMOOTH) for state in states["smooth"]],
            "supersede, no jerk": lambda: [supersede(*state, HOME, SHARP) for state in states["sharp"]],
            "stop, jerk": lambda: [stop(*state, SMOOTH) for state in states["smooth"]],
            "change of rate, jerk": lambda: steer("smooth", SMOOTH),
            "change of rate, no jerk": lambda: steer("sharp", SHARP),
        },
        rounds=5,
        title="Six joints, random instants of a move",
        work=CALLS,
        unit="calls",
        clock=time.thread_time,
    )


if __name__ == "__main__":
    main()

"""Meetings with a belt: their duration by quintics and by the limits of the joints, beside a trapezoid to rest.

The trapezoid goes from rest to rest, to the joint values of the meeting; it does not meet a running belt.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from workcell.errors import Unreachable
from workcell.motion.limits import Limits
from workcell.motion.meeting import meet_along_line, meet_by_joints
from workcell.motion.moving_frame import CarriedPose, StandingPose
from workcell.motion.profiles import trapezoid
from workcell.motion.soonest import Met
from workcell.motion.tracking_hand import TrackingHand
from workcell.motion.trajectory import Trajectory
from workcell.robots.catalogue import robot as library_robot
from workcell.robots.mechanism import conveyor
from workcell.robots.serial import as_robot
from workcell.simulation.branch_policy import chosen
from workcell.spatial.pose import Pose

PLACES = 60
PUMA, BELT = library_robot("puma560"), as_robot(conveyor(2.0))
DOWN = Pose.from_axis_angle((0, 1, 0), math.pi)
START = np.radians([60.0, 0.0, -90.0, 0.0, 90.0, 0.0])
HAND = TrackingHand(PUMA, Pose.identity(), Pose.from_xyz(0.0, 0.0, 0.1))


def running(pose: Pose, speed: float) -> CarriedPose:
    """Return a place on a belt that runs along x at constant speed."""
    course = Trajectory(np.array([0.0, 1e6]), np.array([[[0.0], [speed]]]))
    X = (Pose(BELT.frames([0.0])[1]).inverse() @ pose).matrix
    return CarriedPose(lambda Q: BELT.frames_batch(Q)[:, 1] @ X, course, 0.0)


def main() -> None:
    """Print how long meetings take, and how long it takes to find them."""
    rng = np.random.default_rng(1)
    present = np.stack([START, np.zeros(6), np.zeros(6)])
    first = StandingPose(Pose(HAND.poses(START[None])[0]))

    def choose(tool: np.ndarray, near: np.ndarray) -> np.ndarray:
        return chosen(PUMA, Pose(tool), "nearest", near)

    for label, speed in (("54°/s, the speed of a new cell", math.radians(54.0)), ("the arm's own speeds", math.inf)):
        limits = Limits(np.minimum(PUMA.speeds, speed), PUMA.accelerations, None, PUMA.limits)
        ways: dict[str, Callable[[CarriedPose], Met]] = {
            "joints, quintics": lambda g, lim=limits: meet_by_joints(HAND, present, g, choose, lim, quintic=True),
            "joints, fastest": lambda g, lim=limits: meet_by_joints(HAND, present, g, choose, lim),
            "straight line": lambda g, lim=limits: meet_along_line(HAND, present, first, g, lim),
        }
        goals = [
            running(
                Pose.from_xyz(rng.uniform(-0.5, 0.1), rng.uniform(0.4, 0.6), rng.uniform(0.1, 0.3)) @ DOWN,
                rng.uniform(0.05, 0.3),
            )
            for _ in range(PLACES)
        ]
        print(f"\n{PLACES} places on belts of 50 to 300 mm/s, {label}")
        for name, meet in ways.items():
            found, rest, refused, begin = [], [], 0, time.process_time()
            for goal in goals:
                try:
                    met = meet(goal)
                except Unreachable:
                    refused += 1
                    continue
                found.append(met.motion.duration)
                rest.append(found[-1] / trapezoid(START, met.motion.end, limits).duration)
            each = 1e3 * (time.process_time() - begin) / PLACES
            print(
                f"{name:18s} {np.mean(found):6.3f} s on average; {np.mean(rest):.2f} × a trapezoid to rest, at most "
                f"{np.max(rest):.2f} ×; {refused} refused; {each:.1f} ms each"
            )


if __name__ == "__main__":
    main()

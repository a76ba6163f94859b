"""A quick test along motions: whether pairs are clear for all joint values on the way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.motion.chained import JointMotion
from workcell.motion.pose_motion import PoseMotion
from workcell.motion.trajectory import Trajectory
from workcell.simulation.under_way import Drives

if TYPE_CHECKING:
    from workcell.collision.calm import Calm
    from workcell.simulation.watched import Watched

Array = NDArray[np.float64]
_STRETCHES = 8
"""The number of stretches into which a motion is cut if it cannot be settled as a whole."""


def is_calm(plant: Watched, moves: Drives, until: float, calm: Calm) -> bool:
    """Return whether no joint values on the way until an instant make a pair touch that may not."""
    if calm.idle:
        return True
    now = plant.now
    courses: dict[str, tuple[JointMotion, float]] = {}
    still: dict[str, Array] = {}
    for name in calm.devices:
        one = moves.get(name)
        if one is None:
            still[name] = plant.joints_of(name)
            continue
        course = one.course
        if isinstance(course, PoseMotion) or one.since is None:
            return False
        courses[name] = course, max(now - one.since, 0.0)
    longest = max((course.duration - own for course, own in courses.values()), default=0.0)
    longest = min(longest, until - plant.time)
    if _stay(calm.clear, still, courses, longest):
        return True
    whole, parts = (
        calm.rows(still, {name: _covered(*course, longest, count) for name, course in courses.items()})
        for count in (1, _STRETCHES)
    )
    return calm.knows(*whole) or calm.knows(*parts) or calm.holds(*whole) or calm.holds(*parts)


def _stay(
    clear: Mapping[str, tuple[Array, Array]],
    still: Mapping[str, Array],
    courses: Mapping[str, tuple[JointMotion, float]],
    longest: float,
) -> bool:
    """Return whether all joints stay within values that are known to be clear."""
    if not clear:
        return False
    for name, (course, own) in courses.items():
        if not isinstance(course, Trajectory) or not course.stays(own, own + longest, *clear[name]):
            return False
    for name, values in still.items():
        least, most = clear[name]
        if not ((least <= values) & (values <= most)).all():
            return False
    return True


def _covered(course: JointMotion, own: float, longest: float, stretches: int) -> tuple[Array, Array]:
    """Return the least and greatest joint values over equal stretches of the remaining motion (stretches, n)."""
    if isinstance(course, Trajectory):
        return course.covered(own, own + longest, stretches)
    edges = own + np.linspace(0.0, longest, stretches + 1)
    return course.ranges(edges[:-1], edges[1:])

"""What the hand of an arm follows: a place on a belt, or on a carried part."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue, Refused
from workcell.motion.moving_frame import CarriedPose, MovingPose, StandingPose
from workcell.motion.time_law import PacedMotion
from workcell.motion.trajectory import Trajectory
from workcell.simulation.instants import later
from workcell.spatial.pose import Pose
from workcell.world.absence import require_there
from workcell.world.places import WORLD
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.simulation.drives import Follow
    from workcell.simulation.gliding import Glide
    from workcell.simulation.planned import Planned
    from workcell.simulation.plant import Plant

Array = NDArray[np.float64]

_STILL = 1e-9
"""A base that is nearer than this to where it was has not moved [m]."""
FOLLOW = "follow"
"""The kind of motion of an arm that follows what it has met."""


@dataclass(frozen=True, eq=False)
class Tether:
    """A place that the hand of an arm moves to and then follows.

    Attributes:
        on: the belt or the part that was named.
        carrier: the device that carries the place; '' if it is fixed in the world.
        link: the link of the carrier.
        X_link_hand: the goal of the hand in the frame of that link, or in the world.
        X_tool_hand: the point of the hand in the frame of the tool.
        part: the part that was named, or ''.
        X_part_hand: the goal of the hand in the frame of the part.
        straight: whether the hand moves there in a straight line.
        tolerance: the tolerance of the hand [m].
        speed: the greatest speed of a joint on the way there [rad/s or m/s].
        rate: the fraction of the speeds that the override and slow-down zones leave on the way there.
        slow: the fraction of the arm's own speeds that slow-down zones leave while it follows.
        hand_speed: the greatest speed of the hand in the world on a straight way there [m/s].
        course: the motion of the carrier when this was planned; None if it was at rest.
        since: when that course began [s].
        bases: the bases of the arm and the carrier when this was planned (2, 4, 4).
        met: whether the hand has arrived and follows.
        until: when it stops following, in the time of its motion [s].
        ends: why it stops following: 'reach', 'range', 'speed', 'acceleration', or '' if it continues.
        place: where the hand is at that time [m].
    """

    on: str
    carrier: str
    link: int
    X_link_hand: Pose
    X_tool_hand: Pose
    part: str = ""
    X_part_hand: Pose | None = None
    straight: bool = False
    tolerance: float = 1e-6
    speed: float = math.inf
    rate: float = 1.0
    slow: float = 1.0
    hand_speed: float = math.inf
    course: Trajectory | PacedMotion | None = None
    since: float = 0.0
    bases: Array | None = None
    met: bool = False
    until: float = 0.0
    ends: str = ""
    place: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def goal(self, plant: Plant) -> MovingPose:
        """Return the goal of the hand from now on, as far as the motion of the carrier is known."""
        if not self.carrier:
            return StandingPose(self.X_link_hand)
        placed = plant.snapshot.robot(self.carrier)
        base, X, link = plant.snapshot.base_pose(plant.around, self.carrier).matrix, self.X_link_hand.matrix, self.link
        drive = plant.drives.get(self.carrier)
        if drive is None or drive.since is None:
            frame = placed.robot.frames(plant.joints_of(self.carrier))[link]
            return StandingPose(Pose(base @ frame) @ self.X_link_hand)
        course = drive.course
        assert not hasattr(course, "curve"), "a robot or mechanism has joints"
        return CarriedPose(
            lambda Q: base @ placed.robot.frames_batch(Q)[:, link] @ X,
            course,
            plant.now - drive.since,
        )

    def passing(self, plant: Plant, pose: Pose) -> MovingPose:
        """Return a pose in the world that moves with the carrier from now on, by the motion known at planning."""
        if not self.carrier or self.course is None:
            return StandingPose(pose)
        robot, link, course = plant.snapshot.robot(self.carrier).robot, self.link, self.course
        base = plant.snapshot.base_pose(plant.around, self.carrier)
        now = course.position(plant.now - self.since)
        X = (base @ Pose(robot.frames(now)[link])).inverse() @ pose
        return CarriedPose(
            lambda Q: base.matrix @ robot.frames_batch(Q)[:, link] @ X.matrix, course, plant.now - self.since
        )

    def known(self, plant: Plant) -> Tether:
        """Return a copy that knows the present motion of the carrier."""
        drive = plant.drives.get(self.carrier)
        if drive is None or drive.since is None:
            return replace(self, course=None, since=plant.now)
        motion = drive.planned.motion
        assert isinstance(motion, Trajectory | PacedMotion)
        return replace(self, course=motion, since=drive.since)

    def holds(self, plant: Plant) -> bool:
        """Return whether the carrier still has the motion known at planning."""
        drive = plant.drives.get(self.carrier)
        if drive is None or drive.since is None:
            return self.course is None or plant.now >= self.since + self.course.duration - 1e-9
        if self.course is None:
            return False
        motion = drive.planned.motion
        return drive.since == self.since and (motion is self.course or bool(motion == self.course))

    def shaken(self, plant: Plant, robot: str) -> str:
        """Return what moves, or has moved, under the arm or the carrier and displaces the hand; or ''."""
        for name in (robot, self.carrier):
            for below in _under(plant.snapshot, name):
                if below in plant.drives:
                    return f"{below}, which carries {name}, moves"
        if self.bases is not None and np.abs(self.bases - bases_of(plant, robot, self.carrier)).max() > _STILL:
            return "what carries it was moved"
        return ""

    def wanted(self, plant: Plant) -> Pose:
        """Return the goal of the hand now."""
        if not self.carrier:
            return self.X_link_hand
        frames = plant.snapshot.link_frames(plant.state, self.carrier)
        return Pose(frames[self.link]) @ self.X_link_hand


def _under(snapshot: Snapshot, robot: str) -> list[str]:
    """Return the devices that carry the base of a robot; empty if it stands in the world."""
    found: list[str] = []
    while robot and (robot := snapshot.robot(robot).parent) != WORLD:
        found.append(robot)
    return found


def tracker_on(plant: Plant, device: str) -> str:
    """Describe the arm that tracks something and that moving a device would displace; '' if there is none."""
    for drive in plant.drives.values():
        tether = tether_of(drive)
        for name in (drive.name, tether.carrier) if tether is not None else ():
            if tether is not None and device in _under(plant.snapshot, name):
                carried = "" if name == drive.name else f" on {name}"
                return f"{drive.name}{carried}, which {device} carries, tracks {tether.on}"
    return ""


def bases_of(plant: Plant, robot: str, carrier: str) -> Array:
    """Return where an arm and what it tracks are now (2, 4, 4)."""
    poses = [plant.snapshot.base_pose(plant.around, name) if name else Pose.identity() for name in (robot, carrier)]
    return np.stack([pose.matrix for pose in poses])


def tether_of(drive: Follow | None) -> Tether | None:
    """Return what the arm of a drive meets or follows; None for any other drive."""
    return None if drive is None else getattr(drive.planned, "tether", None)


def followed_until(drives: Iterable[Follow]) -> float:
    """Return until when arms follow what they have met, by the present plan [s]; then they brake."""
    ends = [math.inf]
    for drive in drives:
        tether = tether_of(drive)
        if tether is None:
            continue
        if tether.met and drive.then is None:
            ends.append(later(drive.begin, tether.until))
        elif drive.then is not None and drive.then.tether is not None:
            ends.append(later(drive.rests, drive.then.tether.until))
    return min(ends)


def tethered(planned: Planned | Glide) -> bool:
    """Return whether a move goes to meet something that moves."""
    return getattr(planned, "tether", None) is not None


def in_time(planned: Planned | Glide) -> bool:
    """Return whether a move tracks something, or leaves it in motion: its time cannot be stretched."""
    return tethered(planned) or getattr(planned, "leaves", False)


def follows(drive: Follow | None) -> bool:
    """Return whether a drive follows what its arm has met, so that the next move may begin in its middle."""
    tether = tether_of(drive)
    return tether is not None and tether.met


def may_be_left(drive: Follow | None) -> bool:
    """Return whether the next move of an arm may begin in the middle of a drive: it follows, or stops after that."""
    if drive is None or follows(drive):
        return drive is not None
    return drive.planned.kind == FOLLOW and tether_of(drive) is None


def tether_to(
    snapshot: Snapshot, state: CellState, robot: str, on: str, pose: Pose, when: float | None, X_tool_hand: Pose
) -> Tether:
    """Return the place that a command names.

    Args:
        snapshot: what exists.
        state: where it is.
        robot: the robot whose hand moves there.
        on: a belt or another mechanism, or a part.
        pose: the goal of the hand: on a part, in the frame of the part; on a belt, in the belt's own frame
            at the reading zero; with ``when``, in the world.
        when: the reading of the belt at which the pose was measured in the world [m or rad].
        X_tool_hand: the point of the hand.
    """
    if on == robot:
        raise Refused(f"{robot} cannot follow itself; name a belt or a part.")
    device = next((placed for placed in snapshot.robots if placed.name == on), None)
    if device is None:
        if when is not None:
            raise Refused(
                f"{on!r} has no reading of its own; `when` is for a belt or another mechanism of one joint.", on=on
            )
        return _on_part(snapshot, state, robot, on, pose, X_tool_hand)
    link = device.robot.n
    if when is None:
        zero = device.robot.frames(np.zeros(device.robot.n))
        return Tether(on, on, link, Pose(zero[link]).inverse() @ pose, X_tool_hand)
    if device.robot.n != 1:
        raise Refused(f"{on} has {device.robot.n} joints and no single reading; give the pose in its own frame.", on=on)
    if not math.isfinite(when):
        raise InvalidValue(f"The reading of {on} must be a finite number; found {when}.")
    then = snapshot.base_pose(state, on) @ Pose(device.robot.frames(np.array([when]))[link])
    return Tether(on, on, link, then.inverse() @ pose, X_tool_hand)


def _on_part(snapshot: Snapshot, state: CellState, robot: str, on: str, pose: Pose, X_tool_hand: Pose) -> Tether:
    names = {body.name for body in snapshot.bodies}
    part = on if on in names else snapshot.object_body(on)
    require_there(snapshot, state, part)
    carrier, link, X = carrier_of(snapshot, state, part)
    if carrier == robot:
        raise Refused(f"{robot} itself holds {on} and cannot meet it.", part=on)
    return Tether(on, carrier, link, X @ pose, X_tool_hand, part, pose)


def carrier_of(snapshot: Snapshot, state: CellState, part: str) -> tuple[str, int, Pose]:
    """Return the device and link that carry a part, and its pose on them; no device, and the world, if nothing does."""
    X, name = Pose.identity(), part
    carried = snapshot.carried(state)
    while True:
        held = carried.get(name)
        if held is None or held.frame == WORLD:
            body = snapshot.body(name)
            if body.link >= 0:
                return body.owner, body.link, X
            return "", 0, snapshot.body_pose(state, part)
        X, name = held.X_frame_body @ X, held.frame
        body = snapshot.body(name)
        if body.link >= 0:
            return body.owner, body.link, X

"""Real robots: what a driver must do, the link between a model and its robot, and how far the two differ."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue, JointLimit, MotionError, Refused
from workcell.robots.robot import Robot
from workcell.simulation.recording import Recording
from workcell.spatial.units import deg
from workcell.wording import counted

Array = NDArray[np.float64]
NEAR = 2.0 * deg
"""How far a robot may stand from the beginning of a motion that is sent to it [rad or m]."""
EVERY = 0.01
"""The time between the points of a motion that is sent [s]."""
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Followed:
    """What a robot measured while it followed a motion: times since its beginning (N,) [s], and joints (N, n).

    ``last`` is where it stands after the motion (n,).
    """

    times: Array
    joints: Array
    last: Array


@dataclass(frozen=True, eq=False)
class Introduced:
    """What a robot says about itself: the number of its joints, and its model and limits (n, 2) if it gives them."""

    joints: int
    model: str = ""
    limits: Array | None = None


class RobotDriver(Protocol):
    """A connection to a robot. Joint values are DH angles [rad] and lengths [m]."""

    @property
    def address(self) -> str:
        """Where the robot is."""
        ...

    @property
    def introduced(self) -> Introduced:
        """What the robot says about itself."""
        ...

    def read(self) -> Array:
        """Return the present joint values (n,)."""
        ...

    def send(self, times: Array, joints: Array, cancel: threading.Event | None = None) -> Followed:
        """Let the robot follow a motion to its end: times (N,) [s] from 0, and joints (N, n); linear in between."""
        ...

    def stop(self) -> None:
        """Stop the robot where it is."""
        ...

    def close(self) -> None:
        """End the connection."""
        ...


@dataclass(frozen=True)
class Deviation:
    """How far a robot was from its model.

    Attributes:
        duration: how long the motion takes in the model [s].
        took: how long the robot took [s].
        joint: the joint that deviated most, from 1.
        joint_most: by how much [rad, or m if it slides].
        joint_time: when [s since the beginning of the motion].
        hand_most: the greatest distance of the hand [m].
        hand_time: when [s since the beginning of the motion].
        samples: the number of measurements.
        end_joint: the joint that is farthest from the model after the motion, from 1.
        end_most: by how much [rad, or m if it slides].
    """

    duration: float
    took: float
    joint: int
    joint_most: float
    joint_time: float
    hand_most: float
    hand_time: float
    samples: int
    end_joint: int
    end_most: float


class RobotLink:
    """A model and its robot: where they agreed last, and the motions that the robot has not made yet.

    Args:
        driver: the connection.
        name: the name of the robot in the cell.
        robot: its model.
        time: the simulated time from which motions are sent [s].
        agreed: the joint values of the model at that time.
        live: whether every motion of the model is sent as soon as it was simulated.
    """

    def __init__(
        self, driver: RobotDriver, name: str, robot: Robot, time: float, agreed: Array, live: bool = False
    ) -> None:
        found = driver.introduced.joints
        if found != robot.n:
            raise Refused(
                f"The robot at {driver.address} has {counted(found, 'joint')}; {name} has {robot.n}.",
                found=found,
                expected=robot.n,
            )
        self.driver, self.name, self.live = driver, name, live
        self.agree(time, agreed)

    def agree(self, time: float, joints: Array, recording: Recording | None = None) -> None:
        """Send only what the model does after this time, from these joint values; in another recording, all of it."""
        self._time, self._agreed, self._recording = time, np.array(joints, dtype=np.float64), recording

    def _since(self, recording: Recording) -> float:
        """Return the time from which a recording was not sent yet [s]; a run from the initial state begins another."""
        anew = self._recording is not None and recording is not self._recording
        return recording.start.time if anew else self._time

    def read(self, robot: Robot) -> Array:
        """Return the joint values of the robot, which its model can take."""
        found = self.driver.read()
        try:
            robot.require_limits(found)
        except (InvalidValue, JointLimit) as error:
            raise Refused(f"The robot at {self.driver.address} stands where {self.name} cannot: {error}") from error
        return found

    def has_moved(self, recording: Recording) -> bool:
        """Whether the model has moved or jumped since it last agreed with its robot."""
        way, begin = recording.way(self.name), self._since(recording)
        if recording.end < begin - SAME or recording.start.time > begin + SAME:
            return True
        return _jump(self._agreed, way.one(recording.end)) or any(
            piece.end > begin + SAME for piece in way.between(begin, recording.end)
        )

    def drive(self, robot: Robot, recording: Recording, cancel: threading.Event | None = None) -> Deviation:
        """Let the robot make what its model made since they last agreed, and return how far they differed.

        A jump of the model is refused: it has no motion that a robot could make.
        """
        way, begin, end = recording.way(self.name), self._since(recording), recording.end
        if end < begin - SAME or recording.start.time > begin + SAME:
            raise Refused(
                f"The recording does not go back to {begin:g} s, where {self.name} and its robot agreed last; "
                f"`read robot {self.name}` first."
            )
        jumps = [at for at in way.jumps() if begin + SAME < at <= end and _jump(way.before(at), way.one(at))]
        jumps = [begin, *jumps] if _jump(self._agreed, way.one(begin)) else jumps
        if jumps:
            raise Refused(
                f"{self.name} was set to other joint values at {jumps[0]:g} s without a motion; a jump never reaches "
                f"the robot. `read robot {self.name}` brings the model to the robot; or undo, and move instead.",
                time=jumps[0],
            )
        moved = [piece for piece in way.between(begin, end) if piece.end > begin + SAME]
        if not moved:
            raise Refused(f"{self.name} has not moved since {begin:g} s, so there is nothing to send.")
        begin, end = max(begin, moved[0].begin), min(end, max(piece.end for piece in moved))
        times = np.append(np.arange(0.0, end - begin, EVERY), end - begin)
        joints = way.at(begin + times)
        self._require_near(joints[0])
        followed = self.driver.send(times, joints, cancel)
        self.agree(recording.end, way.one(recording.end), recording)
        return deviation(robot, times, joints, followed)

    def _require_near(self, start: Array) -> None:
        apart = np.abs(self.driver.read() - start)
        worst = int(apart.argmax())
        if apart[worst] > NEAR:
            raise Refused(
                f"The robot at {self.driver.address} does not stand where {self.name} began: joint {worst + 1} differs "
                f"by {apart[worst] / deg:.3g}° (or {apart[worst] * 1e3:.3g} mm). `read robot {self.name}` first.",
                joint=worst + 1,
            )


def _jump(before: Array, after: Array) -> bool:
    return bool(np.abs(after - before).max() > 1e-6)


def deviation(robot: Robot, times: Array, joints: Array, followed: Followed) -> Deviation:
    """Return how far a robot that followed a motion was from it, at the times of its measurements."""
    if not len(followed.times):
        raise MotionError("The robot followed the motion but measured nothing.")
    planned = np.column_stack([np.interp(followed.times, times, column) for column in joints.T])
    apart = np.abs(followed.joints - planned)
    at, joint = np.unravel_index(int(apart.argmax()), apart.shape)
    hands = [
        float(np.linalg.norm(robot.fk(a).xyz - robot.fk(b).xyz)) for a, b in zip(followed.joints, planned, strict=True)
    ]
    hand = int(np.argmax(hands))
    ends = np.abs(followed.last - joints[-1])
    return Deviation(
        float(times[-1]), float(followed.times[-1]), int(joint) + 1, float(apart[at, joint]),
        float(followed.times[at]), hands[hand], float(followed.times[hand]), len(hands),
        int(ends.argmax()) + 1, float(ends.max()),
    )  # fmt: skip

"""A robot and a mechanism that move together: the robot follows a seam on work that the mechanism turns or carries.

The mechanism's joints are chosen along the seam (a positioner holds it downhand, a track follows the torch), the
robot's are fitted until its tool is within a tolerance of the seam everywhere, and both get one time, the fastest up to
the speed of the weld that all joints allow at every instant.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import JointLimit, KinematicsError, MotionError, Refused, Unreachable
from workcell.motion.curve import HandCurve
from workcell.motion.downhand import Axes, held_downhand
from workcell.motion.fitting import clamped_spline, free_slopes
from workcell.motion.follow import Followed, follow
from workcell.motion.frames import positive
from workcell.motion.limits import Limits, bindings
from workcell.motion.path import JointPath
from workcell.motion.seam import Seam
from workcell.motion.stacking import columns, stacked
from workcell.motion.timing import time_optimal
from workcell.motion.trajectory import Trajectory
from workcell.robots.robot import Robot
from workcell.simulation import branch_policy
from workcell.simulation.happenings import Attached, twelve
from workcell.simulation.planned import Planned
from workcell.simulation.sampling import sample_times
from workcell.spatial.pose import Pose
from workcell.spatial.rotations import unit
from workcell.world.snapshot import WORLD, PlacedRobot, Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator

Array = NDArray[np.float64]

TOLERANCE = 1e-5
"""How far the tool may leave the seam unless told [m]."""
TURN = 1e-4
"""How far its orientation on the work may be off unless told [rad]."""
DOWNHAND = math.radians(5.0)
"""How far the seam may be from downhand unless told [rad]."""
APPROACH = 0.05
"""How far before the beginning of a weld the tool comes from unless told [m]."""
_UP = (0.0, 0.0, 1.0)
_FREE = 1e9
_LOOKS = 1000


@dataclass(frozen=True, eq=False)
class Coordinated:
    """A weld that is worked out and not yet made.

    Attributes:
        robot: who follows the seam.
        mechanism: who carries the work, or the robot.
        robot_motion: joint values of the robot over time.
        mechanism_motion: joint values of the mechanism over the same time.
        progress: how far along the seam the tool is over the same time [m], as a motion of one joint.
        deviation: the greatest distance of the tool from its place on the seam, at every instant [m].
        turn: the greatest angle of the tool from its orientation on the work [rad].
        downhand: the greatest angle of the direction away from the work from up [rad]; NaN where nothing turns it.
        level: the greatest angle of the seam from the horizontal at the torch [rad].
        steady: the share of the seam that is welded at the full speed.
        limited: what keeps it from being faster.
    """

    robot: str
    mechanism: str
    robot_motion: Trajectory
    mechanism_motion: Trajectory
    progress: Trajectory
    deviation: float
    turn: float
    downhand: float
    level: float
    steady: float
    limited: str

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.robot_motion.duration

    @property
    def length(self) -> float:
        """How long the seam is [m]."""
        return float(self.progress.end[0])


def coordinate(
    simulator: Simulator,
    robot: str,
    mechanism: str,
    body: str,
    poses: Sequence[Pose],
    *,
    speed: float,
    ups: ArrayLike | None = None,
    closed: bool = False,
    tolerance: float = TOLERANCE,
    angle_tolerance: float = TURN,
    downhand: float = DOWNHAND,
    up: ArrayLike = _UP,
) -> Coordinated:
    """Work out how a robot follows targets on work that a mechanism moves.

    Args:
        simulator: where everything is now.
        robot: who follows.
        mechanism: who carries the work or the robot.
        body: the work, in whose frame the targets are.
        poses: the targets of the tool, in order.
        speed: of the tool along the seam [m/s].
        ups: directions away from the work at the targets (K, 3); against the tool's z axis unless given.
        closed: whether the seam goes on from the last target to the first.
        tolerance: how far the tool may leave the seam at any instant [m].
        angle_tolerance: how far its orientation on the work may be off [rad].
        downhand: how far the direction away from the work may be from up [rad].
        up: which way it is to point in the world.
    """
    positive(speed, "The speed of a weld", "m/s")
    positive(downhand, "The angle from downhand", "rad")
    snapshot, state = simulator.snapshot, simulator.state
    arm, carrier = snapshot.robot(robot), snapshot.robot(mechanism)
    if arm.name == carrier.name:
        raise Refused(f"{robot} cannot be coordinated with itself; name the mechanism that carries the work.")
    seam = Seam.through(poses, ups, closed)
    ride = _Ride(snapshot, state, arm, carrier, body)
    refusals: list[Exception] = []
    for lead in _leads(ride, seam, unit(up, "up"), refusals):
        worst, level = _lean(ride, lead, seam, unit(up, "up"))
        if worst > downhand:
            refusals.append(
                Unreachable(
                    f"{mechanism} cannot hold the seam downhand: it would be {math.degrees(worst):.4g}° off, and "
                    f"{math.degrees(downhand):.4g}° are allowed.",
                    angle=worst,
                )
            )
            continue
        try:
            followed = _followed(ride, lead, seam, tolerance, angle_tolerance)
        except (MotionError, KinematicsError) as error:
            refusals.append(error)
            continue
        return _timed(ride, lead, followed, seam, speed, worst, level)
    raise refusals[0]


def perform(simulator: Simulator, weld: Coordinated) -> float:
    """Make a weld that was worked out; both must stand where it begins. Returns the duration [s]."""
    with simulator.together():
        turned = _perform_one(simulator, weld.mechanism, weld.mechanism_motion, "turns the work", weld.limited, None)
        return max(
            turned, _perform_one(simulator, weld.robot, weld.robot_motion, "welds", weld.limited, weld.deviation)
        )


def weld(simulator: Simulator, plan: Coordinated, approach: float = APPROACH) -> float:
    """Go to where a weld begins, make it, and back off; returns the duration of all [s].

    Robot and mechanism go together to before the beginning, the tool in a straight line to it, and away in one after.

    Args:
        simulator: where everything is.
        plan: the weld.
        approach: how far before the beginning, against the tool's z axis [m].
    """
    positive(approach, "The way of approach", "m")
    begin = simulator.time
    robot, mechanism = simulator.robot(plan.robot), simulator.robot(plan.mechanism)
    start = robot.robot.fk(plan.robot_motion.start)
    before = branch_policy.nearest(
        robot.robot, start @ Pose.from_xyz(0.0, 0.0, -approach), np.asarray(plan.robot_motion.start)
    )
    with simulator.together():
        robot.move_joints_absolute(before)
        mechanism.move_joints_absolute(plan.mechanism_motion.start)
    robot.move_hand(Pose.from_xyz(0.0, 0.0, approach))
    perform(simulator, plan)
    robot.move_hand(Pose.from_xyz(0.0, 0.0, -approach))
    return simulator.time - begin


def follow_seam(
    simulator: Simulator,
    robot: str,
    poses: Sequence[Pose],
    *,
    speed: float,
    closed: bool = False,
    tolerance: float = TOLERANCE,
    angle_tolerance: float = TURN,
    approach: float = APPROACH,
) -> tuple[float, float]:
    """Follow a smooth curve through poses in the world that stand still: approach, follow, back off.

    Args:
        simulator: where everything is.
        robot: who follows.
        poses: of the tool in the world, in order.
        speed: along the curve [m/s].
        closed: whether it goes on from the last pose to the first.
        tolerance: how far the tool may leave the curve [m].
        angle_tolerance: how far its orientation may be off [rad].
        approach: how far before the beginning it comes from, against the tool's z axis [m].

    Returns:
        The duration of all [s], and the greatest distance of the tool from the curve [m].
    """
    positive(speed, "The speed along a curve", "m/s")
    positive(approach, "The way of approach", "m")
    arm = simulator.robot(robot)
    X_base_world = simulator.snapshot.base_pose(simulator.state, robot).inverse()
    curve = HandCurve((Seam.through([X_base_world @ pose for pose in poses], None, closed),))
    followed = _first_branch(arm.robot, robot, curve, arm.joints, tolerance, angle_tolerance)
    motion = time_optimal(followed.path, Limits(arm.robot.speeds, arm.robot.accelerations), path_speed=speed)
    before = branch_policy.nearest(arm.robot, curve.start @ Pose.from_xyz(0.0, 0.0, -approach), followed.path.start)
    begin = simulator.time
    arm.move_joints_absolute(before)
    arm.move_hand(Pose.from_xyz(0.0, 0.0, approach))
    steady = min(1.0, curve.length / speed / motion.duration)
    limited = "speed along the curve" if steady > 0.97 else "joints along the curve"
    _perform_one(simulator, robot, motion, "follows a curve", limited, followed.deviation, "curve")
    arm.move_hand(Pose.from_xyz(0.0, 0.0, -approach))
    return simulator.time - begin, followed.deviation


def ride(simulator: Simulator, part: str, mechanism: str) -> str:
    """From now on a part goes with the last link of a mechanism, from where it is; returns the name of that link."""
    snapshot, state = simulator.snapshot, simulator.state
    body, placed = snapshot.body(part), snapshot.robot(mechanism)
    if body.link >= 0:
        raise Refused(f"{part} is a link of {body.owner}; only objects ride on something.")
    place = placed.bodies[-1]
    if place < 0:
        raise Refused(f"The last link of {mechanism} has no body that a part could ride on.")
    simulator.alone("let a part ride")
    poses = snapshot.body_poses(state)
    names = [one.name for one in snapshot.bodies]
    X_link_part = Pose(poses[place]).inverse() @ Pose(poses[names.index(part)])
    simulator.recorder.note(simulator.time, "ride", f"{part} rides on {mechanism}")
    simulator.apply(Attached(simulator.time, part, names[place], twelve(X_link_part)))
    return names[place]


def _perform_one(
    simulator: Simulator,
    name: str,
    motion: Trajectory,
    said: str,
    limited: str,
    deviation: float | None,
    kind: str = "weld",
) -> float:
    now = simulator.state.joints[name]
    off = np.abs(motion.start - now)
    if off.max() > 1e-6:
        joint = int(off.argmax())
        raise MotionError(
            f"{name} is not where the motion begins: joint {joint + 1} is at {now[joint]:.6g} and has to be at "
            f"{motion.start[joint]:.6g}; move there first.",
            joint=joint + 1,
        )
    shown = sample_times(motion, simulator.step, simulator.resolution)
    return simulator.perform(
        Planned(
            name, f"{name} {said}", motion, now, motion.end, shown, kind, "time-optimal", limited, deviation,
        )
    )  # fmt: skip


class _Ride:
    """Work and robot as functions of a mechanism's joints."""

    def __init__(self, snapshot: Snapshot, state: CellState, arm: PlacedRobot, carrier: PlacedRobot, body: str) -> None:
        self.snapshot, self.state, self.arm, self.carrier = snapshot, state, arm, carrier
        snapshot.body(body)
        self.place = [one.name for one in snapshot.bodies].index(body)
        self.start = np.asarray(state.joints[carrier.name])
        self.mounted = _stands_on(snapshot, arm, carrier.name)
        probe = np.vstack([self.start, self.start + 1e-3 * np.eye(carrier.robot.n)])
        moves = np.abs(np.diff(self.work(probe), axis=0)).max() > 1e-9
        if not (moves or self.mounted):
            raise Refused(
                f"{body} does not go with {carrier.name}, and neither does {arm.name}; `ride {body} on {carrier.name}` "
                f"lets it.",
                body=body,
            )
        self.turns = bool(moves) and not all(carrier.robot.chain.prismatic)

    def work(self, P: Array) -> Array:
        """``X_world_work`` (N, 4, 4) for joint values of the mechanism (N, m)."""
        return np.asarray(self.snapshot.body_poses_batch({self.carrier.name: P}, self.state)[:, self.place])

    def base(self, P: Array) -> Array:
        """``X_world_base`` of the robot (N or 1, 4, 4)."""
        if not self.mounted:
            return self.snapshot.base_pose(self.state, self.arm.name).matrix[None]
        states = (self.state.with_joints(self.carrier.name, row) for row in P)
        return np.array([self.snapshot.base_pose(state, self.arm.name).matrix for state in states])

    def relative(self, P: Array) -> Array:
        """``X_base_work`` (N, 4, 4)."""
        return np.asarray(np.linalg.inv(self.base(P)) @ self.work(P))

    def axes(self) -> Axes:
        """The joints of the mechanism, as they turn the work."""
        robot = self.carrier.robot
        zero = self.state.with_joints(self.carrier.name, np.zeros(robot.n))
        frames = self.snapshot.link_frames(zero, self.carrier.name)
        return Axes(
            lambda P, d: np.einsum("nij,nj->ni", self.work(P)[:, :3, :3], d),
            frames[:-1, :3, 2].copy(),
            tuple(bool(slides) for slides in robot.chain.prismatic),
            robot.limits,
        )


@dataclass(frozen=True, eq=False)
class _Carried:
    """The seam as the robot sees it from its base, while the mechanism goes on; a section of a curve."""

    seam: Seam
    lead: Trajectory
    ride: _Ride

    @property
    def size(self) -> float:
        return self.seam.size

    @property
    def pace(self) -> tuple[float, float]:
        way, turn = self.seam.pace
        spin = float(np.abs(self.lead.max_speed()).sum())
        reach = float(np.linalg.norm(self.ride.relative(self.lead.sample(self.lead.breaks))[:, :3, 3], axis=1).max())
        return way + spin * (reach + float(np.linalg.norm(self.seam.position.range()[1]))), turn + spin

    def place(self, s: Array) -> tuple[Array, Array]:
        X = self.ride.relative(self.lead.sample(s)) @ self.seam.poses(s)
        return X[:, :3, 3], X[:, :3, :3]


def _leads(ride: _Ride, seam: Seam, up: Array, refusals: list[Exception]) -> Iterator[Trajectory]:
    """The ways in which the mechanism can go along the seam, the one nearest to where it is first."""
    if not ride.turns:
        yield _alongside(ride, seam)
        return
    axes = ride.axes()
    for start in axes.solutions(seam.away(np.zeros(1))[0], up, ride.start):
        try:
            lead = held_downhand(axes, seam.away, seam.size, start, up)
        except (MotionError, KinematicsError) as error:
            refusals.append(error)
        else:
            yield lead


def _alongside(ride: _Ride, seam: Seam) -> Trajectory:
    """Sliding joints go with the torch, so that it stays at one place along them; turning joints stand."""
    places = np.linspace(0.0, seam.size, max(len(seam.places), 9))
    robot = ride.carrier.robot
    here = ride.start
    frames = ride.snapshot.link_frames(ride.state, ride.carrier.name)
    axes = frames[:-1, :3, 2]
    points = (ride.work(here[None]) @ seam.poses(places))[:, :3, 3]
    rows = np.tile(here, (len(places), 1))
    # A track under the robot follows the torch, a table under the work brings the torch's place to where it began.
    sign = 1.0 if ride.mounted else -1.0
    for joint in np.flatnonzero(np.asarray(robot.chain.prismatic)):
        rows[:, joint] += sign * ((points - points[0]) @ axes[joint])
    low, high = robot.limits.T
    if (rows < low - 1e-9).any() or (rows > high + 1e-9).any():
        # Not enough travel: as much as there is.
        span = np.ptp(rows, axis=0)
        room = np.minimum(span, high - low)
        first = np.clip(rows.min(axis=0), low, high - room)
        scale = np.divide(room, span, out=np.zeros_like(span), where=span > 0.0)
        rows = first + (rows - rows.min(axis=0)) * scale
    return Trajectory(places, clamped_spline(places, rows, *free_slopes(places, rows)))


def _lean(ride: _Ride, lead: Trajectory, seam: Seam, up: Array) -> tuple[float, float]:
    """The greatest angle of the direction away from the work from up, and of the seam from the horizontal.

    Looked at in many places; half of a second difference's bulge is added for what lies between them.
    """
    s = np.linspace(0.0, seam.size, max(_LOOKS, 4 * lead.pieces))
    R = ride.work(lead.sample(s))[:, :3, :3]
    along = np.einsum("nij,nj->ni", R, seam.tangents(s)) @ up
    level = float(np.arcsin(min(_bulged(along[:, None]), 1.0)))
    if not ride.turns:
        return math.nan, level
    away = np.einsum("nij,nj->ni", R, seam.away(s))
    return float(2.0 * np.arcsin(min(_bulged(away - up) / 2.0, 1.0))), level


def _bulged(vectors: Array) -> float:
    bend = np.linalg.norm(np.diff(vectors, n=2, axis=0), axis=1).max()
    return float(np.linalg.norm(vectors, axis=1).max() + bend / 8.0)


def _followed(ride: _Ride, lead: Trajectory, seam: Seam, tolerance: float, angle: float) -> Followed:
    """The robot's joints along the seam while the mechanism goes on."""
    curve = HandCurve((_Carried(seam, lead, ride),))
    now = ride.state.joints[ride.arm.name]
    return _first_branch(ride.arm.robot, ride.arm.name, curve, now, tolerance, angle)


def _first_branch(robot: Robot, name: str, curve: HandCurve, now: Array, tolerance: float, angle: float) -> Followed:
    """Joints along a curve in the robot's base, by the first branch that goes all the way, the nearest tried first."""
    inside = [np.asarray(one.q) for one in robot.ik(curve.start) if one.within_limits]
    if not inside:
        branch_policy.chosen(robot, curve.start, "nearest", now)
    refusals: list[Exception] = []
    for q in sorted(inside, key=lambda q: float(np.abs(q - now).max())):
        try:
            found = follow(
                curve,
                lambda pose, near: branch_policy.nearest(robot, pose, near),
                robot.fk_batch,
                q,
                tolerance=tolerance,
                angle_tolerance=angle,
            )
            _within(robot.limits, found.path.curve, name)
        except (MotionError, KinematicsError) as error:
            refusals.append(error)
        else:
            return found
    raise refusals[0]


def _within(limits: Array, motion: Trajectory, name: str) -> None:
    low, high = motion.range()
    slack = 1e-9 * (1.0 + np.abs(limits))
    out = np.maximum(limits[:, 0] - slack[:, 0] - low, high - limits[:, 1] - slack[:, 1])
    joint = int(out.argmax())
    if out[joint] > 0.0:
        raise JointLimit(f"Joint {joint + 1} of {name} would leave its range along the seam.", joint=joint + 1)


def _timed(
    ride: _Ride, lead: Trajectory, followed: Followed, seam: Seam, speed: float, worst: float, level: float
) -> Coordinated:
    robot, carrier = ride.arm.robot, ride.carrier.robot
    n = robot.n + carrier.n
    # How far along the seam the tool is takes part as one more joint, so that it is known exactly afterwards.
    along = Trajectory(np.array([0.0, seam.size]), np.array([[[0.0], [1.0]]]))
    whole = JointPath(stacked(stacked(followed.path.curve, lead), along))
    speeds = np.concatenate([robot.speeds, carrier.speeds, [speed]])
    accelerations = np.concatenate([robot.accelerations, carrier.accelerations, [_FREE]])
    limits = Limits(speeds, accelerations)
    motion = time_optimal(whole, limits, path_speed=speed)
    progress = columns(motion, n, n + 1)
    names = [f"joint {i + 1} of {one.name}" for one in (ride.arm, ride.carrier) for i in range(one.robot.n)]
    return Coordinated(
        ride.arm.name, ride.carrier.name, columns(motion, 0, robot.n), columns(motion, robot.n, n), progress,
        followed.deviation, followed.turn, worst, level, _steady(progress, speed), _limited(motion, limits, names),
    )  # fmt: skip


def _steady(progress: Trajectory, speed: float) -> float:
    """The share of the way that is gone at no less than 99 % of the speed."""
    low, _ = progress.ranges(progress.breaks[:-1], progress.breaks[1:], 1)
    gone = np.diff(progress.sample(progress.breaks)[:, 0])
    return float(gone[low[:, 0] >= 0.99 * speed].sum() / gone.sum())


def _limited(motion: Trajectory, limits: Limits, names: list[str]) -> str:
    """What the motion spends most of its time at."""
    spent: dict[tuple[int, str], float] = {}
    for binding in bindings(motion, limits, 0.99):
        key = (binding.joint, binding.limit)
        spent[key] = spent.get(key, 0.0) + binding.end - binding.start
    joint, kind = max(sorted(spent), key=lambda key: spent[key], default=(0, ""))
    return f"{kind} of {names[joint - 1]}" if 0 < joint <= len(names) else "speed of the weld"


def _stands_on(snapshot: Snapshot, arm: PlacedRobot, carrier: str) -> bool:
    parent = arm.parent
    while parent != WORLD:
        if parent == carrier:
            return True
        parent = snapshot.robot(parent).parent
    return False

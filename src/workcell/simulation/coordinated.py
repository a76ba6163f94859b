"""A robot and a mechanism that move together: the robot follows a seam on work that the mechanism turns or carries.

The joints of the mechanism are chosen along the seam: a positioner holds it downhand, a track follows the torch. The
robot's joints are fitted until its tool is within a tolerance of the seam everywhere. Both get one time law: the
fastest, up to the speed of the weld, that all joints allow at every instant.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import KinematicsError, MotionError, Refused, Unreachable
from workcell.motion.curve import HandCurve
from workcell.motion.downhand import held_downhand
from workcell.motion.follow import Followed
from workcell.motion.frames import positive
from workcell.motion.limits import Limits, bindings
from workcell.motion.path import JointPath
from workcell.motion.seam import Seam
from workcell.motion.speeds import required_speed
from workcell.motion.stacking import columns, stacked
from workcell.motion.timing import time_optimal
from workcell.motion.trajectory import Trajectory
from workcell.simulation import branch_policy
from workcell.simulation.carrying import Carried, Ride, alongside, lean
from workcell.simulation.curve_move import CurveMove, perform_one
from workcell.simulation.seam_following import binding_rows, first_branch, steady_share, what_limits
from workcell.spatial.pose import Pose
from workcell.spatial.rotations import unit

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator

Array = NDArray[np.float64]

TOLERANCE = 1e-5
"""The default tolerance of the tool from the seam [m]."""

TURN = 1e-4
"""The default tolerance of its orientation on the work [rad]."""

DOWNHAND = math.radians(5.0)
"""The default tolerance of the seam from downhand [rad]."""

APPROACH = 0.05
"""The default distance before the beginning of a weld from which the tool approaches [m]."""

_UP = (0.0, 0.0, 1.0)

_FREE = 1e9


@dataclass(frozen=True, eq=False)
class Coordinated:
    """A weld that is planned and not yet made.

    Attributes:
        robot: the robot that follows the seam.
        mechanism: the mechanism that carries the work, or the robot.
        robot_motion: joint values of the robot over time.
        mechanism_motion: joint values of the mechanism over the same time.
        progress: how far along the seam the tool is over the same time [m], as a motion of one joint.
        deviation: the greatest distance of the tool from its place on the seam, at every instant [m].
        turn: the greatest angle of the tool from its orientation on the work [rad].
        downhand: the greatest angle of the direction away from the work from up [rad]; NaN if nothing turns it.
        level: the greatest angle of the seam from the horizontal at the torch [rad].
        steady: the share of the seam that is welded at full speed.
        limited: what limits its speed.
        rounding: how far the seam leaves straight lines at corners of its targets [m].
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
    rounding: float = 0.0

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
    """Plan how a robot follows targets on work that a mechanism moves.

    Args:
        simulator: where everything is now.
        robot: the robot that follows.
        mechanism: the mechanism that carries the work or the robot.
        body: the work, in whose frame the targets are.
        poses: the targets of the tool, in order.
        speed: of the tool along the seam [m/s].
        ups: directions away from the work at the targets (K, 3); by default, against the tool's z axis.
        closed: whether the seam continues from the last target to the first.
        tolerance: the greatest distance of the tool from the seam at any instant [m].
        angle_tolerance: the greatest error of its orientation on the work [rad].
        downhand: the greatest angle between the direction away from the work and up [rad].
        up: the direction that is up in the world.
    """
    required_speed(speed, "The speed of a weld")
    positive(downhand, "The angle from downhand", "rad")
    snapshot, state = simulator.snapshot, simulator.state
    arm, carrier = snapshot.robot(robot), snapshot.robot(mechanism)
    if arm.name == carrier.name:
        raise Refused(f"{robot} cannot be coordinated with itself; name the mechanism that carries the work.")
    seam = Seam.through(poses, ups, closed)
    ride = Ride(snapshot, state, arm, carrier, body)
    refusals: list[Exception] = []
    for lead in _leads(ride, seam, unit(up, "up"), refusals):
        worst, level = lean(ride, lead, seam, unit(up, "up"))
        if worst > downhand:
            refusals.append(
                Unreachable(
                    f"{mechanism} cannot hold the seam downhand: it would be {math.degrees(worst):.4g}° off, but only "
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
        kept = [simulator.robot(one.name).limits for one in (arm, carrier)]
        return _timed(ride, lead, followed, seam, speed, worst, level, kept)
    raise refusals[0]


def perform(simulator: Simulator, weld: Coordinated) -> float:
    """Make a planned weld and return its duration [s]. Both devices must be where it begins."""
    company = (weld.robot, weld.mechanism)
    with simulator.together() as started:
        for name, motion, deviation in (
            (weld.mechanism, weld.mechanism_motion, None),
            (weld.robot, weld.robot_motion, weld.deviation),
        ):
            bound = binding_rows(bindings(motion, simulator.robot(name).limits, 0.99))
            perform_one(simulator, name, motion, weld.limited, deviation, bound=bound, company=company)
    return started.duration


def weld(simulator: Simulator, plan: Coordinated, approach: float = APPROACH) -> float:
    """Go to the start of a weld, make it, and back off; return the duration of all [s]. See :func:`weld_steps`."""
    return sum(weld_steps(simulator, plan, approach))


@dataclass(frozen=True, eq=False)
class WeldMoves:
    """The moves of a weld: together to a place before its start, to it in a straight line, the weld, and back off.

    Attributes:
        plan: the weld.
        before: joint values of the robot before the start.
        approach: the distance before the start, against the tool's z axis [m].
    """

    plan: Coordinated
    before: Array
    approach: float

    @property
    def count(self) -> int:
        """The number of moves."""
        return 4

    def begin(self, simulator: Simulator, number: int) -> float:
        """Begin one of the moves, counted from 0; return its duration [s]."""
        robot, mechanism = simulator.robot(self.plan.robot), simulator.robot(self.plan.mechanism)
        if number == 2:
            return perform(simulator, self.plan)
        if number:
            return robot.move_hand(Pose.from_xyz(0.0, 0.0, self.approach if number == 1 else -self.approach))
        with simulator.together() as started:
            robot.move_joints_absolute(self.before)
            mechanism.move_joints_absolute(self.plan.mechanism_motion.start)
        return started.duration


def weld_moves(simulator: Simulator, plan: Coordinated, approach: float = APPROACH) -> WeldMoves:
    """Return the moves of a weld; none has begun.

    Args:
        simulator: where everything is.
        plan: the weld.
        approach: the distance before the start, against the tool's z axis [m].
    """
    positive(approach, "The approach distance", "m")
    robot = simulator.robot(plan.robot).robot
    start = robot.fk(plan.robot_motion.start)
    before = branch_policy.nearest(
        robot, start @ Pose.from_xyz(0.0, 0.0, -approach), np.asarray(plan.robot_motion.start)
    )
    return WeldMoves(plan, before, approach)


def weld_steps(simulator: Simulator, plan: Coordinated, approach: float = APPROACH) -> Generator[float, None, None]:
    """Yield the duration [s] of each move of :func:`weld_moves` once it has begun; for a program."""
    yield from in_turn(simulator, weld_moves(simulator, plan, approach))


def in_turn(simulator: Simulator, moves: WeldMoves | SeamMoves) -> Generator[float, None, None]:
    """Begin moves one after the other and yield the duration [s] of each once it has begun; for a program."""
    for number in range(moves.count):
        yield moves.begin(simulator, number)


@dataclass(frozen=True, eq=False)
class SeamMoves:
    """The moves along a fixed curve: to a place before its start, to it, along it, and back off.

    Attributes:
        curve: the move along the curve.
        before: joint values before the start.
        approach: the distance before the start, against the tool's z axis [m].
    """

    curve: CurveMove
    before: Array
    approach: float

    @property
    def deviation(self) -> float:
        """The greatest distance of the tool from the curve [m]."""
        return self.curve.deviation

    @property
    def rounding(self) -> float:
        """How far the curve leaves straight lines at corners [m]."""
        return self.curve.rounding

    @property
    def count(self) -> int:
        """The number of moves."""
        return 4

    def begin(self, simulator: Simulator, number: int) -> float:
        """Begin one of the moves, counted from 0; return its duration [s]."""
        arm = simulator.robot(self.curve.robot)
        if number == 0:
            return arm.move_joints_absolute(self.before)
        if number == 2:
            return self.curve.begin(simulator)
        return arm.move_hand(Pose.from_xyz(0.0, 0.0, self.approach if number == 1 else -self.approach))


def seam_moves(
    simulator: Simulator,
    robot: str,
    poses: Sequence[Pose],
    *,
    speed: float,
    closed: bool = False,
    tolerance: float = TOLERANCE,
    angle_tolerance: float = TURN,
    approach: float = APPROACH,
) -> SeamMoves:
    """Return the moves along a smooth curve through fixed poses in the world; none has begun.

    Args:
        simulator: where everything is.
        robot: the robot that follows.
        poses: of the tool in the world, in order.
        speed: along the curve [m/s].
        closed: whether it continues from the last pose to the first.
        tolerance: the greatest distance of the tool from the curve [m].
        angle_tolerance: the greatest error of its orientation [rad].
        approach: the distance before the start from which it approaches, against the tool's z axis [m].
    """
    required_speed(speed, "The speed along a curve")
    positive(approach, "The approach distance", "m")
    arm = simulator.robot(robot)
    X_base_world = simulator.snapshot.base_pose(simulator.state, robot).inverse()
    seam = Seam.through([X_base_world @ pose for pose in poses], None, closed)
    curve = HandCurve((seam,))
    followed = first_branch(arm.robot, robot, curve, arm.joints, tolerance, angle_tolerance)
    motion = time_optimal(followed.path, arm.limits, path_speed=speed)
    before = branch_policy.nearest(arm.robot, curve.start @ Pose.from_xyz(0.0, 0.0, -approach), followed.path.start)
    steady = min(1.0, curve.length / speed / motion.duration)
    limited = "speed along the curve" if steady > 0.97 else ""
    move = CurveMove.timed(simulator, robot, motion, followed.deviation, seam.rounding, limited)
    return SeamMoves(move, before, approach)


def _leads(ride: Ride, seam: Seam, up: Array, refusals: list[Exception]) -> Iterator[Trajectory]:
    """Yield the ways in which the mechanism can move along the seam, the one nearest to its present position first."""
    if not ride.turns:
        for abreast in (False, True):
            yield alongside(ride, seam, abreast)
        return
    axes = ride.axes()
    for start in axes.solutions(seam.away(np.zeros(1))[0], up, ride.start):
        try:
            lead = held_downhand(axes, seam.away, seam.size, start, up)
        except (MotionError, KinematicsError) as error:
            refusals.append(error)
        else:
            yield lead


def _followed(ride: Ride, lead: Trajectory, seam: Seam, tolerance: float, angle: float) -> Followed:
    """Return the robot's joints along the seam while the mechanism moves."""
    curve = HandCurve((Carried(seam, lead, ride),))
    now = ride.state.joints[ride.arm.name]
    return first_branch(ride.arm.robot, ride.arm.name, curve, now, tolerance, angle)


def _timed(
    ride: Ride,
    lead: Trajectory,
    followed: Followed,
    seam: Seam,
    speed: float,
    worst: float,
    level: float,
    kept: Sequence[Limits],
) -> Coordinated:
    robot, carrier = ride.arm.robot, ride.carrier.robot
    n = robot.n + carrier.n
    # The distance along the seam is one more joint, so that it is known exactly afterwards.
    along = Trajectory(np.array([0.0, seam.size]), np.array([[[0.0], [1.0]]]))
    whole = JointPath(stacked(stacked(followed.path.curve, lead), along))
    speeds = np.concatenate([*(one.speed for one in kept), [speed]])
    limits = Limits(speeds, np.concatenate([robot.accelerations, carrier.accelerations, [_FREE]]))
    motion = time_optimal(whole, limits, path_speed=speed)
    progress = columns(motion, n, n + 1)
    names = [f"joint {i + 1} of {one.name}" for one in (ride.arm, ride.carrier) for i in range(one.robot.n)]
    return Coordinated(
        ride.arm.name, ride.carrier.name, columns(motion, 0, robot.n), columns(motion, robot.n, n), progress,
        followed.deviation, followed.turn, worst, level, steady_share(progress, speed),
        what_limits(motion, limits, names), seam.rounding,
    )  # fmt: skip

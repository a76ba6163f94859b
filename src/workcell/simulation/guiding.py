"""Arms that are guided: the plant asks at every period where the hand is to go next, and gives the arm a set-point.

All that a guided motion knows is in its fields, as data, so a run can be copied, gone back to and saved in the middle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.collision.bodies import collision_model
from workcell.collision.zones import pair_table_of, zones_of
from workcell.cost import go_on
from workcell.errors import DeadEnd, NoWay, Refused, WorkcellError
from workcell.motion.named_profiles import limits_of
from workcell.motion.rate_following import take_on
from workcell.planning.guidance.arms import Aim, arm_rates
from workcell.planning.guidance.nearby import Near, Surroundings
from workcell.planning.guidance.progress import Progress
from workcell.simulation import steering
from workcell.simulation.branch_policy import require_hand
from workcell.simulation.events import GuidanceEnded
from workcell.simulation.guided_links import linked, straightened, thesis_rates
from workcell.simulation.guided_reach import causes, require_reach
from workcell.simulation.guided_ways import begin_way, way_out
from workcell.simulation.guided_wish import Wish
from workcell.simulation.planned import GUIDED
from workcell.simulation.threads import Lasting
from workcell.spatial import rotations
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.planning.guidance.cell_arms import LinkedArm
    from workcell.robots.robot import Robot
    from workcell.simulation.simulated_robot import SimulatedRobot
    from workcell.simulation.simulator import Simulator
    from workcell.world.state import CellState

Array = NDArray[np.float64]
Phase: TypeAlias = Literal["going", "resting", "on a planned way", "over"]

_LOOK = 1.5
"""How far beyond the distance to keep obstacles are looked for, as a multiple of it."""
_PROGRESS = 5e-4
"""By how much the hand has to come nearer to count as progress [m]."""
_SEEN = 5
"""From how many observations the motion of a destination is foreseen."""
_TAIL = 0.5
"""How long a move would go on at rest [s]: so long that it can be held."""
_CUSHION = 1e-4
"""Pairs that are nearer than they keep by this are only made to part [m]."""
_PARTS = (1.0, 0.5, 0.25)
"""The parts of rates that are tried before the arm brakes."""
_WAYS = 3
"""How often one motion may be helped out of dead ends."""


@dataclass
class Guiding(Lasting):
    """A guided motion under way.

    Attributes:
        wish: what it is to do.
        phase: what it does now.
        outcome: how it ended: ``arrived``, ``stalled``, ``contact`` or ``time over``; '' before.
        reason: what a person is to know of that.
        begun: how many periods have begun.
        began: when the motion began [s].
        number: of the command that gave the present drive.
        seen: the last observations of the destination: the time and the pose.
        before: where what is near was at the last look: the time and poses by body.
        progress: towards the destination.
        distance: how far the hand is from its destination [m].
        turn: how far it is from its attitude [rad].
        clearance: the least distance to anything so far [m].
        nearest: the pair of the least clearance.
        touching: pairs that touched when the motion began.
        ways: how often a plan helped it out.
        until: when a planned way is over, or the arm is at rest [s].
        proved: whether it is proved that there is no way.
    """

    wish: Wish
    phase: Phase = "going"
    outcome: str = ""
    reason: str = ""
    begun: int = 0
    began: float = -1.0
    number: int = 0
    seen: list[tuple[float, Pose]] = field(default_factory=list)
    before: tuple[float, dict[str, Array]] | None = None
    progress: Progress | None = None
    distance: float = math.inf
    turn: float = 0.0
    clearance: float = math.inf
    nearest: tuple[str, str] | None = None
    touching: tuple[tuple[str, str], ...] | None = None
    ways: int = 0
    until: float = 0.0
    proved: bool = False

    def copied(self) -> Guiding:
        """Return the same motion, which goes its own way."""
        progress = None if self.progress is None else replace(self.progress)
        return replace(self, seen=list(self.seen), progress=progress)

    @property
    def count(self) -> int:
        """How many periods have begun or will: one more until it is over."""
        return self.begun if self.phase == "over" else self.begun + 1

    def begin(self, simulator: Simulator, number: int) -> float:
        """Let a period begin; return how long it takes [s]."""
        go_on(simulator.cancel, "The guided motion")
        self.begun = number + 1
        takes = self._next(simulator, simulator.robot(self.wish.robot))
        simulator.take(takes, "guide a hand")
        return takes

    def __call__(self, simulator: Simulator) -> None:
        """Let a period begin, as a callback of the plant: ``sim.every(wish.period, guiding(wish, sim))``."""
        if self.phase != "over":
            self._next(simulator, simulator.robot(self.wish.robot))

    def _next(self, simulator: Simulator, robot: SimulatedRobot) -> float:
        now = simulator.now
        if self.began < 0.0:
            self.began = now
            self.progress = Progress(self.wish.patience, _PROGRESS)
        if self.number:
            simulator.require_made([self.number])
        drive = simulator.drives.get(self.wish.robot)
        if self.phase != "going" and drive is not None:  # it was slowed or held meanwhile
            return self.wish.period if math.isinf(drive.end) else max(drive.end - simulator.time, 0.0)
        if self.phase == "on a planned way":
            assert self.progress is not None
            self.phase = "going"
            self.progress.restart(now)
            self.seen.clear()
        if self.phase == "resting":
            return self._at_rest(simulator, robot)
        if drive is not None and drive.rate == 0.0:  # held on its way
            assert self.progress is not None
            self.progress.restart(now)
            return self.wish.period
        self._look_and_go(simulator, robot)
        if not self.outcome:
            return self.wish.period
        self.phase = "resting"
        if simulator.drives.get(self.wish.robot) is not None:
            self._command(simulator, None)
        drive = simulator.drives.get(self.wish.robot)
        return 0.0 if drive is None else max(drive.rests - simulator.time, 0.0)

    # ---- one period -------------------------------------------------------------------------------------

    def _look_and_go(self, simulator: Simulator, robot: SimulatedRobot) -> None:
        wish, now = self.wish, simulator.now
        state = self._read(simulator)
        hand = simulator.snapshot.tool_pose(state, wish.robot) @ robot.point_of_hand(wish.point)
        aim = self._aim(simulator, hand, now)
        there = simulator.believed  # what keeps the arm clear does not depend on the step of the encoders
        around, near = self._near(simulator, there)
        self.distance, self.turn = aim.distance, aim.angle
        thesis = None if wish.method == "jacobian" else self._linked(simulator, robot)
        if thesis is not None:
            self.turn = straightened(thesis, state, aim)[1]
        q = state.joints[wish.robot]
        placed = robot.robot
        self._judge(near, now, placed, q)
        if self.outcome:
            return
        speeds = limits_of(placed, robot.settings[0]).speed * simulator.paces.get(wish.robot, 1.0)
        if thesis is not None:
            rates = thesis_rates(thesis, state, hand.xyz, aim, speeds, wish.constants)
            self._command(simulator, self._restrained(robot, there, rates, around, near))
            return
        room = (q - placed.limits[:, 0], placed.limits[:, 1] - q)
        jacobian = self._jacobian(simulator, robot, state, hand)
        rates = arm_rates(
            jacobian, aim, near, room, speeds, wish.period, wish.constants, robot.velocities, placed.accelerations
        )
        self._command(simulator, self._restrained(robot, there, rates, around, near))

    def _restrained(
        self, robot: SimulatedRobot, state: CellState, rates: Array, around: Surroundings, near: list[Near]
    ) -> Array:
        """Return the rates, or a part of them, from which the arm can come to rest before anything near it touches.

        Bounds look at the nearest points of a pair, and these jump where links turn about themselves. So the arm is
        also looked at where the period ends, on the way to rest, and at rest.
        """
        close = [one for one in near if one.distance > one.safe + 2.0 * _CUSHION]
        present = np.array([state.joints[self.wish.robot], robot.velocities, np.zeros(len(rates))])
        for part in _PARTS if close else ():
            motion = take_on(present, part * rates, self.wish.period, robot.robot.accelerations)
            rows = motion.sample(np.array([self.wish.period, 0.5 * (self.wish.period + motion.duration)]))
            ahead = [state.with_joints(self.wish.robot, q) for q in (motion.end, *rows)]
            if all(around.keeps(one, near, close) for one in ahead):
                return part * rates
        return rates * 0.0 if close else rates

    def _linked(self, simulator: Simulator, robot: SimulatedRobot) -> LinkedArm:
        return linked(_model(simulator), self.wish.robot, robot.point_of_hand(self.wish.point), self.wish.ignoring)

    def _read(self, simulator: Simulator) -> CellState:
        """Return where everything is by what the joints' encoders show."""
        state, robot = simulator.believed, self.wish.robot
        if self.wish.resolution == 0.0:
            return state
        steps = np.round(state.joints[robot] / self.wish.resolution)
        limits = simulator.snapshot.robot(robot).robot.limits
        return state.with_joints(robot, np.clip(steps * self.wish.resolution, limits[:, 0], limits[:, 1]))

    def _aim(self, simulator: Simulator, hand: Pose, now: float) -> Aim:
        wish = self.wish
        goal = wish.pose
        if wish.on:
            goal = simulator.snapshot.body_pose(simulator.state, wish.on) @ goal
            if not self.seen or now > self.seen[-1][0]:
                self.seen.append((now, goal))
                del self.seen[:-_SEEN]
        turn = None if wish.position else rotations.to_rotation_vector(goal.rotation @ hand.rotation.T)
        if len(self.seen) < 2:
            return Aim(goal.xyz - hand.xyz, turn)
        (then, first), (last, present) = self.seen[0], self.seen[-1]
        velocity = (present.xyz - first.xyz) / (last - then)
        spin = rotations.to_rotation_vector(present.rotation @ first.rotation.T) / (last - then)
        return Aim(goal.xyz - hand.xyz, turn, velocity, None if wish.position else spin)

    def _near(self, simulator: Simulator, state: CellState) -> tuple[Surroundings, list[Near]]:
        wish = self.wish
        around = Surroundings(_model(simulator), wish.robot, wish.ignoring, before=self.before)
        known = wish.constants
        found = around.near(state, max(_LOOK * known.reach, known.reach + known.speed / known.caution))
        self.before = around.before
        touching = tuple((one.mine, one.other) for one in found if one.distance <= 0.0)
        if self.touching is None:
            self.touching = touching
        left = [(one, place) for one, place in zip(found, around.looked, strict=True)
                if (one.mine, one.other) not in self.touching]  # fmt: skip
        around.looked = np.array([place for _, place in left], dtype=np.intp)
        return around, [one for one, _ in left]

    def _judge(self, near: list[Near], now: float, robot: Robot, q: Array) -> None:
        """Find out whether the motion is over."""
        wish, known = self.wish, self.wish.constants
        assert self.progress is not None
        closest = min(near, key=lambda one: one.distance, default=None)
        others = [one for one in near if not one.own]
        least = min(others, key=lambda one: one.distance, default=None)
        if least is not None and least.distance < self.clearance:
            self.clearance, self.nearest = least.distance, (least.mine, least.other)
        if closest is not None and closest.distance <= 0.0:
            self._end("contact", f"{closest.mine} and {closest.other} touch")
        elif self.distance <= wish.tolerance and self.turn <= wish.turn_tolerance:
            self._end("arrived", "")
        elif self.progress.observe(now, self.distance + known.lever * self.turn):
            self._end("stalled", f"its hand gets no closer; {causes(robot, q, near)}")
        elif now - self.began >= wish.time:
            self._end("time over", f"its {wish.time:g} s are over; {causes(robot, q, near)}")

    def _end(self, outcome: str, reason: str) -> None:
        self.outcome, self.reason = outcome, reason

    def _jacobian(self, simulator: Simulator, robot: SimulatedRobot, state: CellState, hand: Pose) -> Array:
        """Return the Jacobian of the hand's point in the world (6, n)."""
        R = simulator.snapshot.base_pose(state, self.wish.robot).rotation
        own = robot.robot.jacobian(state.joints[self.wish.robot])
        turning = R @ own[3:]
        x, y, z = hand.xyz - simulator.snapshot.tool_pose(state, self.wish.robot).xyz
        across = np.array(
            [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
        )  # across @ w is the cross product of w and (x, y, z)
        return np.vstack([R @ own[:3] + across @ turning, turning])

    def _command(self, simulator: Simulator, rates: Array | None) -> None:
        """Let the arm take on rates for a period; come to rest where there are none."""
        robot = simulator.snapshot.robot(self.wish.robot)
        simulator.robot(self.wish.robot).require_going()
        tail = 0.0 if rates is None else _TAIL
        wanted = np.zeros(robot.robot.n) if rates is None else rates
        limits, period = robot.robot.accelerations, self.wish.period
        steering.take_on(simulator, robot, wanted, period, limits, simulator.slowing, tail, GUIDED)
        drive = simulator.drives.get(self.wish.robot)
        if drive is not None:
            self.number = drive.number

    # ---- the end ----------------------------------------------------------------------------------------

    def _at_rest(self, simulator: Simulator, robot: SimulatedRobot) -> float:
        """The arm stands: go on by a planned way, or be over."""
        self.number = 0
        if self.outcome == "stalled" and self.wish.plans and self.ways < _WAYS:
            self.ways += 1
            goal, wish = self._goal(simulator, robot), self.wish
            try:
                way = way_out(simulator, wish.robot, goal, wish.position, self._tolerances, wish.ignoring)
            except NoWay as error:
                self.proved = True
                self.reason += f"; {str(error).rstrip('.')}"
            except WorkcellError as error:
                self.reason += f"; no way round was found: {str(error).rstrip('.')}"
            else:
                self.phase, self.outcome, self.reason = "on a planned way", "", ""
                takes = begin_way(simulator, self.wish.robot, way)
                drive = simulator.drives.get(self.wish.robot)
                self.number = 0 if drive is None else drive.number
                return takes
        self.phase = "over"
        pair = None if self.nearest is None else self.nearest
        simulator.note(
            GuidanceEnded(
                simulator.now, self.wish.robot, self.outcome, self.distance, self.turn,
                None if pair is None else self.clearance, pair, simulator.now - self.began,
            )
        )  # fmt: skip
        if self.outcome != "arrived":
            raise DeadEnd(
                f"{self.wish.robot} stopped {self._away} short of its destination: {self.reason}.",
                stopped=simulator.time,
                robot=self.wish.robot,
                outcome=self.outcome,
                distance=self.distance,
                turn=self.turn,
                pair=self.nearest,
                proved=self.proved,
            )
        return 0.0

    @property
    def _away(self) -> str:
        turned = f" and {math.degrees(self.turn):.2g}°" if self.turn > self.wish.turn_tolerance else ""
        return f"{self.distance * 1e3:.4g} mm{turned}"

    @property
    def _tolerances(self) -> tuple[float, float]:
        return self.wish.tolerance, self.wish.turn_tolerance

    def _goal(self, simulator: Simulator, robot: SimulatedRobot) -> Pose:
        """Return where the tool is to be."""
        goal = self.wish.pose
        if self.wish.on:
            goal = simulator.snapshot.body_pose(simulator.state, self.wish.on) @ goal
        return goal @ robot.point_of_hand(self.wish.point).inverse()


def guiding(wish: Wish, simulator: Simulator) -> Guiding:
    """Return a guided motion that is about to begin.

    Raises:
        WorkcellError: the robot has no hand, its clock stands now and then, a name is not known, or the destination
            is out of reach.
    """
    robot = simulator.robot(wish.robot)
    require_hand(robot.robot, wish.robot)
    robot.point_of_hand(wish.point)
    simulator.require_idle(wish.robot, "guide its hand")
    if simulator.mode == "joint-by-joint":
        raise Refused("A guided hand needs a clock that never stands; `mode path` has one.")
    on = wish.on
    if on:
        names = {body.name for body in simulator.snapshot.bodies}
        on = on if on in names else simulator.snapshot.object_body(on)
    Surroundings(_model(simulator), wish.robot, wish.ignoring)
    if wish.method == "thesis":
        linked(_model(simulator), wish.robot, robot.point_of_hand(wish.point), wish.ignoring)
    require_reach(simulator, wish)
    return Guiding(replace(wish, on=on))


def _model(simulator: Simulator) -> CollisionModel:
    snapshot = simulator.snapshot
    return collision_model(snapshot, pair_table_of(snapshot), zones=zones_of(snapshot), warn=False)

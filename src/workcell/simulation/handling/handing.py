"""Handing a part from one robot to another: a meeting place is found, and the part is always held."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused, Unreachable, WorkcellError
from workcell.motion.trajectory import Trajectory
from workcell.robots.gripper import Gripper
from workcell.simulation.handling import trial
from workcell.simulation.handling.arm import Arm, why
from workcell.simulation.handling.hold import Hold, grouped, holds_of
from workcell.simulation.handling.parts import arm_holding, arm_of, part_of, require_empty
from workcell.simulation.handling.picking import first_line, opening_stages
from workcell.simulation.handling.reasons import AWAY, GRIP, PATH, PLACE, REACH, WAY, Reasons
from workcell.simulation.handling.stages import Course, Go, Handling, Stage, gripping
from workcell.spatial.pose import Pose
from workcell.wording import quoted
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator

Array = NDArray[np.float64]

_HEIGHTS = (0.5, 0.35, 0.7, 0.2)
"""How high the part is at a meeting place above the higher of the two bases [m]."""
_ACROSS = (0.0, 0.2, -0.2)
"""How far to the side of the line between the bases the part is at a meeting place [m]."""
_ALONG = (0.0, -0.15, 0.15)
"""How far from the middle between the bases the part is at a meeting place [m]."""
_TURNS = 4
"""How many turns about each direction of the giving hand are tried."""
_APART = 0.5
"""The least angle between the approaches of the hands, as a cosine: both cannot come from the same side."""
_APPROACHES = (0.1, 0.05, 0.03)
"""How far before the part the receiving hand's straight way in begins [m]."""
_BACK = (0.1, 0.05, 0.03)
"""How far the giving hand goes straight back [m]."""
_LOOKS = 400
"""At how many meetings, each a place of the part and a way to hold it, contacts are looked for at most."""
_PATHS = 4
"""To how many meetings paths are searched."""


@dataclass(frozen=True, eq=False)
class _Meeting:
    """A meeting that is proved but for the paths to it: where the giver stands, and what the receiver does there."""

    giver: Array
    hold: Hold
    inwards: Trajectory
    back: Trajectory
    state: CellState


def hand_over(simulator: Simulator, name: str, robot: str) -> Course:
    """Return how the robot that holds a part hands it to another; nothing has moved.

    Raises:
        Refused: it cannot; the sentence has the reason.
    """
    part = part_of(simulator, name, "hand over")
    receiver = arm_of(simulator, robot)
    require_empty(receiver, part)
    holder = arm_holding(simulator.snapshot, simulator.state, part)
    if not holder:
        raise Refused(
            f"No robot holds {name}; `pick {quoted(name)} with {quoted(robot)}` takes it.", part=name, robot=robot
        )
    giver = arm_of(simulator, holder)
    gripper = receiver.placed.robot.gripper
    assert gripper is not None
    grasps = simulator.grasps.get(part, ())
    holds, misfits = holds_of(simulator.snapshot.body(part), grasps, gripper, simulator.snapshot.setup.grasp_gap)
    reasons = Reasons()
    for one in misfits:
        reasons.add(f"grasp {one.grasp}" if grasps else one.grasp, REACH, one.reason)
    for group in grouped(holds):
        before, ready = opening_stages(receiver, group[0].opening)
        found = Handing(giver, ready, part, reasons).handed(before, group)
        if found is not None:
            return found
    raise reasons.error(f"{holder} cannot hand {name} to {robot}", name, robot)


@dataclass(frozen=True, eq=False)
class Handing:
    """The search for a meeting of two arms.

    Attributes:
        giver: which holds the part.
        receiver: with its hand open.
        part: the body.
        reasons: why tries failed.
    """

    giver: Arm
    receiver: Arm
    part: str
    reasons: Reasons

    def handed(self, before: tuple[Stage, ...], holds: Sequence[Hold]) -> Course | None:
        """Return what both do, after what opens the receiving hand; None if no meeting works."""
        for meeting in itertools.islice(self._meetings(holds), _PATHS):
            found = self._paths(before, meeting)
            if found is not None:
                return found
        return None

    def _paths(self, before: tuple[Stage, ...], meeting: _Meeting) -> Course | None:
        giver, receiver = self.giver.at(self.receiver.state), self.receiver
        try:
            there = giver.path([meeting.giver], explain=False)
            ready = receiver.at(receiver.state.with_joints(giver.name, meeting.giver))
            come = ready.path([meeting.inwards.start], explain=False)
        except WorkcellError as error:
            self.reasons.add(meeting.hold.name, PATH, why(error))
            return None
        takes = gripping(receiver.name, True, part=self.part)
        stages = (
            *before, Go(giver.name, there.trajectory), Go(receiver.name, come.trajectory),
            Go(receiver.name, meeting.inwards), *takes, *self._lets_go(), Go(giver.name, meeting.back),
        )  # fmt: skip
        return Course(Handling(self.part, receiver.name, stages, meeting.hold.grasp), meeting.state)

    def _lets_go(self) -> tuple[Stage, ...]:
        """Return what opens the giving hand; a part that was only attached goes with the receiving hand at once."""
        return gripping(self.giver.name, False) if trial.by_gripper(self.giver) else ()

    def _meetings(self, holds: Sequence[Hold]) -> Iterator[_Meeting]:
        looks = 0
        for X_world_part, approach in self._places():
            rows = self._giving(X_world_part)
            if not len(rows):
                continue
            for hold in holds:
                if -float(approach @ (X_world_part @ hold.X_part_grip).rotation[:, 2]) < -_APART:
                    self.reasons.add(hold.name, PLACE, "both hands would come from the same side")
                    continue
                looks += 1
                if looks > _LOOKS:
                    return
                meeting = self._meeting(X_world_part, hold, rows)
                if meeting is not None:
                    yield meeting
                    break

    def _places(self) -> Iterator[tuple[Pose, Array]]:
        """Yield places of the part between the arms, each with the direction in which the giving hand points there."""
        snapshot, state = self.giver.snapshot, self.giver.state
        one, two = (snapshot.base_pose(state, arm.name).xyz for arm in (self.giver, self.receiver))
        along = (two - one) * np.array([1.0, 1.0, 0.0])
        far = float(np.linalg.norm(along))
        along = along / far if far > 1e-6 else np.array([1.0, 0.0, 0.0])
        across = np.cross([0.0, 0.0, 1.0], along)
        middle, floor = 0.5 * (one + two), max(float(one[2]), float(two[2]))
        X_tool_part = snapshot.tool_pose(state, self.giver.name).inverse() @ snapshot.body_pose(state, self.part)
        X_grip_part = self._X_tool_grip.inverse() @ X_tool_part
        turned = [self._hand_turns(way) for way in (along, np.array([0.0, 0.0, -1.0]), across, -across)]
        spots = sorted(itertools.product(_HEIGHTS, _ALONG, _ACROSS), key=lambda at: abs(at[1]) + abs(at[2]))
        for hands in zip(*turned, strict=True):  # every direction once, then every other turn
            for R, (height, forth, side) in itertools.product(hands, spots):
                place = middle + forth * along + side * across
                place[2] = floor + height
                grip = Pose.from_rotation(R, place)
                X = grip @ X_grip_part
                centred = Pose.from_rotation(X.rotation, X.xyz + place - X.xyz)
                yield centred, np.asarray(R[:, 2])

    def _hand_turns(self, way: Array) -> list[Array]:
        """Return orientations of a hand that points in a direction (3, 3)."""
        side = np.array([0.0, 0.0, 1.0]) if abs(way[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
        x = np.cross(side, way)
        x /= np.linalg.norm(x)
        R = np.stack([x, np.cross(way, x), way], axis=1)
        turns = (Pose.from_axis_angle((0.0, 0.0, 1.0), k * 2.0 * math.pi / _TURNS).rotation for k in range(_TURNS))
        return [R @ turn for turn in turns]

    @property
    def _X_tool_grip(self) -> Pose:
        """The grip point of the giving hand in the frame of its tool; the tool itself where it has no gripper."""
        return Pose.identity() if self.giver.placed.robot.gripper is None else self.giver.X_tool_grip

    def _giving(self, X_world_part: Pose) -> Array:
        """Return the giver's joint values with the part at a place (k, n); none if it is out of reach."""
        giver = self.giver
        X_part_tool = giver.snapshot.body_pose(giver.state, self.part).inverse() @ giver.snapshot.tool_pose(
            giver.state, giver.name
        )
        try:
            return giver.reaching([X_world_part @ X_part_tool], "a meeting place")
        except Unreachable as error:
            self.reasons.add("the meeting place", REACH, why(error))
            return np.empty((0, giver.placed.robot.n))

    def _meeting(self, X_world_part: Pose, hold: Hold, rows: Array) -> _Meeting | None:
        """Return a meeting with the part at a place and held so by the receiver; None if there is none."""
        receiver, reasons = self.receiver, self.reasons
        X_world_grip = X_world_part @ hold.X_part_grip
        try:
            taking = receiver.reaching([X_world_grip @ receiver.X_tool_grip.inverse()], hold.name)
        except Unreachable as error:
            reasons.add(hold.name, REACH, why(error))
            return None
        giver = self.giver.at(receiver.state)
        first = rows[0]
        touching = giver.touching(first)
        if touching:
            reasons.add(hold.name, PLACE, touching)
            return None
        met = receiver.at(receiver.state.with_joints(giver.name, first))
        for q in taking[:3]:
            found = self._taking(met, hold, first, q, X_world_grip)
            if found is not None:
                return found
        return None

    def _taking(self, met: Arm, hold: Hold, first: Array, q: Array, X_world_grip: Pose) -> _Meeting | None:
        """Return what the receiver does at a meeting with these joint values; None if it cannot."""
        reasons, contact = self.reasons, met.contact(self.part)
        touching = met.touching(q, contact)
        if touching:
            reasons.add(hold.name, PLACE, touching)
            return None
        approach = X_world_grip.rotation[:, 2]
        inwards = first_line(met, q, [-far * approach for far in _APPROACHES], contact, True)
        if isinstance(inwards, str):
            reasons.add(hold.name, WAY, inwards)
            return None
        try:
            held = trial.closed(met, q, self.part)
            freed = self._freed(held)
        except WorkcellError as error:
            reasons.add(hold.name, GRIP, why(error))
            return None
        giver = self.giver.at(freed)
        hand = giver.snapshot.tool_pose(freed, giver.name) @ self._X_tool_grip
        back = first_line(giver, first, [-far * hand.rotation[:, 2] for far in _BACK], giver.contact(self.part), False)
        if isinstance(back, str):
            reasons.add(hold.name, AWAY, back)
            return None
        return _Meeting(first, hold, inwards, back, freed.with_joints(giver.name, back.end))

    def _freed(self, held: CellState) -> CellState:
        """Return the state after the giving hand has opened."""
        giver = self.giver.at(held)
        if not trial.by_gripper(giver):
            return held
        opening = giver.placed.robot.gripper.opening if isinstance(giver.placed.robot.gripper, Gripper) else None
        return trial.opened(giver, opening)

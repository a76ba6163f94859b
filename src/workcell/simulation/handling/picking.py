"""Picking a part up: the grasp, the straight way in, the grip, the way out and the path there, all before it begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused, Unreachable, WorkcellError
from workcell.motion.trajectory import Trajectory
from workcell.robots.gripper import Gripper
from workcell.simulation.handling import trial
from workcell.simulation.handling.arm import Arm, Pairs, why
from workcell.simulation.handling.hold import Hold, grouped, holds_of
from workcell.simulation.handling.parts import arm_holding, arm_of, part_of, require_empty
from workcell.simulation.handling.reasons import AWAY, GRIP, PATH, PLACE, REACH, WAY, Reasons
from workcell.simulation.handling.stages import Course, Go, Handling, Stage, gripping
from workcell.spatial.pose import Pose
from workcell.wording import quoted
from workcell.world.gripper_names import gripper_signal, opening_signal
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator

Array = NDArray[np.float64]
Accepts = Callable[[CellState], str]
"""Tells why a part that is held so is of no use, or ''."""

_APPROACHES = (0.1, 0.05, 0.03)
"""How far before the part the straight way in begins [m]; the first that is free is taken."""
_LIFTS = (0.05, 0.02, 0.01)
"""How far a part is taken off what it stands on [m]; the first that is free is taken."""
_EACH, _LOOKS = 3, 12
"""In how many configurations one way to hold the part is used, and looked at."""
_MOST = 6
"""To how many places before the part a path is searched."""
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Way:
    """A way to pick a part up that is proved but for the path to its beginning.

    Attributes:
        hold: how the part is held.
        inwards: the straight motion to the part.
        out: the straight motion with the part.
        state: where everything is after it.
    """

    hold: Hold
    inwards: Trajectory
    out: Trajectory
    state: CellState


def pick(simulator: Simulator, name: str, robot: str, accepts: Accepts | None = None) -> Course:
    """Return how a robot picks a part up from where both are now; nothing has moved.

    Args:
        simulator: where everything is.
        name: of the part.
        robot: which robot.
        accepts: tells why a hold is of no use for what comes after.

    Raises:
        Refused: it cannot; the sentence names the grasps and the reason of each.
    """
    part, arm = part_of(simulator, name, "pick"), arm_of(simulator, robot)
    require_empty(arm, part)
    holder = arm_holding(simulator.snapshot, simulator.state, part)
    if holder:
        raise Refused(
            f"{holder} holds {name}; `hand {quoted(name)} to {quoted(robot)}` lets {robot} take it.",
            part=name,
            robot=robot,
            holder=holder,
        )
    gripper = arm.placed.robot.gripper
    assert gripper is not None
    body, grasps = simulator.snapshot.body(part), simulator.grasps.get(part, ())
    holds, misfits = holds_of(body, grasps, gripper, simulator.snapshot.setup.grasp_gap)
    reasons = Reasons()
    for one in misfits:
        reasons.add(f"grasp {one.grasp}" if grasps else one.grasp, REACH, one.reason)
    for group in grouped(holds):
        found = _picked(Picking(arm, part, reasons, accepts or (lambda _: "")), group)
        if found is not None:
            return found
    raise reasons.error(f"{robot} cannot pick {name}", name, robot)


def opening_stages(arm: Arm, opening: float | None) -> tuple[tuple[Stage, ...], Arm]:
    """Return what opens a hand so far, and the arm with the open hand; nothing if it is already so."""
    shut = bool(arm.state.signals.get(gripper_signal(arm.name)))
    gripper = arm.placed.robot.gripper
    if isinstance(gripper, Gripper) and opening is not None:
        now = arm.state.signals.get(opening_signal(arm.name), gripper.opening)
        if not shut and abs(now - opening) < 1e-9:
            return (), arm
        return gripping(arm.name, False, opening=opening), arm.at(trial.opened(arm, opening))
    if not shut:
        return (), arm
    return gripping(arm.name, False), arm.at(trial.opened(arm, None))


def _picked(picking: Picking, group: Sequence[Hold]) -> Course | None:
    """Return how the part is picked with one opening of the fingers; None if it cannot be."""
    before, arm = opening_stages(picking.arm, group[0].opening)
    picking = Picking(arm, picking.part, picking.reasons, picking.accepts)
    ways = list(picking.ways(group))
    if not ways:
        return None
    try:
        plan = arm.path([one.inwards.start for one in ways])
    except WorkcellError as error:
        for one in ways:
            picking.reasons.add(one.hold.name, PATH, why(error))
        return None
    way = ways[plan.goal]
    there = (Go(arm.name, plan.trajectory),) if plan.duration > 0.0 else ()
    close = gripping(arm.name, True, part=picking.part)
    stages = (*before, *there, Go(arm.name, way.inwards), *close, Go(arm.name, way.out))
    return Course(Handling(picking.part, arm.name, stages, way.hold.grasp), way.state)


@dataclass(frozen=True, eq=False)
class Picking:
    """The search for ways to hold a part.

    Attributes:
        arm: with its hand open.
        part: the body.
        reasons: why tries failed.
        accepts: tells why a hold is of no use for what comes after.
    """

    arm: Arm
    part: str
    reasons: Reasons
    accepts: Accepts

    def ways(self, holds: Sequence[Hold]) -> Iterator[Way]:
        """Yield ways to pick the part, at most as many as paths are searched to."""
        found = 0
        for hold in holds:
            for way in self._of(hold):
                yield way
                found += 1
                if found == _MOST:
                    return

    def _of(self, hold: Hold) -> Iterator[Way]:
        arm = self.arm
        X_world_grip = arm.snapshot.body_pose(arm.state, self.part) @ hold.X_part_grip
        try:
            rows = arm.reaching([X_world_grip @ arm.X_tool_grip.inverse()], hold.name)
        except Unreachable as error:
            self.reasons.add(hold.name, REACH, why(error))
            return
        looked = 0
        for q in rows[:_LOOKS]:
            way = self._at(hold, q, X_world_grip)
            if way is not None:
                yield way
                looked += 1
                if looked == _EACH:
                    return

    def _at(self, hold: Hold, q: Array, X_world_grip: Pose) -> Way | None:
        """Return the way to hold the part with these joint values; None if there is none."""
        arm, contact, reasons = self.arm, self.arm.contact(self.part), self.reasons
        touching = arm.touching(q, contact)
        if touching:
            reasons.add(hold.name, PLACE, touching)
            return None
        inwards = first_line(arm, q, [-far * X_world_grip.rotation[:, 2] for far in _APPROACHES], contact, True)
        if isinstance(inwards, str):
            reasons.add(hold.name, WAY, inwards)
            return None
        try:
            held = trial.closed(arm, q, self.part)
        except WorkcellError as error:
            reasons.add(hold.name, GRIP, why(error))
            return None
        out = first_line(arm.at(held), q, ways_out(X_world_grip), (), False)
        if isinstance(out, str):
            reasons.add(hold.name, AWAY, out)
            return None
        state = held.with_joints(arm.name, out.end)
        useless = self.accepts(state)
        if useless:
            reasons.add(hold.name, AWAY, useless)
            return None
        return Way(hold, inwards, out, state)


def ways_out(X_world_grip: Pose) -> list[Array]:
    """Return the shifts by which a part is taken off what it stands on: up, and back as the hand came."""
    back = -X_world_grip.rotation[:, 2]
    first, second = (back, UP) if back[2] > 0.7 else (UP, back)
    return [far * first for far in _LIFTS] + [far * second for far in _LIFTS]


def first_line(arm: Arm, q: Array, shifts: Sequence[Array], allow: Pairs, inwards: bool) -> Trajectory | str:
    """Return the first straight motion of several that is free, or why the first is not."""
    reason = ""
    for shift in shifts:
        found = arm.line(q, shift, allow, inwards)
        if isinstance(found, Trajectory):
            return found
        reason = reason or found
    return reason

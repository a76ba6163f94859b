"""What handling a part would leave behind, where it is only assumed: for a rehearsal that goes on after a refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.errors import WorkcellError
from workcell.programs import steps as s
from workcell.robots.gripper import Gripper
from workcell.simulation.attaching import only_arm
from workcell.simulation.handling.hold import holds_of
from workcell.simulation.handling.parts import arm_holding
from workcell.simulation.happenings import Attached, Placed, Signalled, twelve
from workcell.simulation.held import flange_of, held_parts
from workcell.simulation.piles import leave_behind, take_along
from workcell.spatial.pose import Pose
from workcell.world.gripper_names import gripper_signal, opening_signal

if TYPE_CHECKING:
    from workcell.simulation.handling.putting import PutWish
    from workcell.simulation.performing import Doing, Given
    from workcell.simulation.simulator import Simulator


def assume(step: s.Step, given: Given, doing: Doing) -> bool:
    """Leave a part as it is after a step that was refused: in the hand, or where it was to be put.

    Returns:
        Whether the part is as it really could be; not if it is in a hand that cannot hold it at all.

    Raises:
        WorkcellError: it is not known what that would be.
    """
    simulator = doing.simulator
    if isinstance(step, s.MoveAbove):
        return True
    part = simulator.snapshot.object_body(given["part"])
    if not simulator.snapshot.body(part).movable:
        return False  # it stays where it is, and no hand holds it
    if isinstance(step, s.Put):
        from workcell.simulation.handling.putting import PutWish

        pose = given.get("pose")
        if pose is not None and not given.get("on"):
            pose = doing.placed(pose)
        _put(simulator, part, PutWish(given["part"], given.get("robot", ""), given.get("on", ""), pose))
        return True
    return _held(simulator, part, given.get("robot") or only_arm(simulator.snapshot))


def _let_go(simulator: Simulator, robot: str) -> None:
    """Open a hand; what it holds stays where it is."""
    now, snapshot = simulator.now, simulator.snapshot
    for part in held_parts(simulator.state, robot, snapshot):
        simulator.apply(Placed(now, part, twelve(snapshot.body_pose(simulator.state, part))))
        leave_behind(simulator, part)
    gripper = snapshot.robot(robot).robot.gripper
    if gripper is not None:
        simulator.apply(Signalled(now, gripper_signal(robot), 0.0))
    if isinstance(gripper, Gripper):
        simulator.apply(Signalled(now, opening_signal(robot), gripper.opening))


def _held(simulator: Simulator, part: str, robot: str) -> bool:
    """Let a robot hold a part by its first grasp, whatever holds it now; return whether any grasp fits its hand."""
    snapshot, now = simulator.snapshot, simulator.now
    holder = arm_holding(snapshot, simulator.state, part)
    for one in dict.fromkeys(name for name in (holder, robot) if name):
        _let_go(simulator, one)
    placed = snapshot.robot(robot)
    gripper, flange = placed.robot.gripper, flange_of(snapshot, placed)
    if gripper is None or not flange:
        return False
    holds, _ = holds_of(snapshot.body(part), simulator.grasps.get(part, ()), gripper, snapshot.setup.grasp_gap)
    X_part_grip = holds[0].X_part_grip if holds else Pose.identity()
    take_along(simulator, part)
    simulator.apply(Attached(now, part, flange, twelve(gripper.X_flange_grip @ X_part_grip.inverse())))
    simulator.apply(Signalled(now, gripper_signal(robot), 1.0))
    return bool(holds)


def _put(simulator: Simulator, part: str, wish: PutWish) -> None:
    """Let a part stand where it was to be put, in the first place that is not taken."""
    from workcell.simulation.handling.parts import arm_of
    from workcell.simulation.handling.putting import spots_of

    snapshot = simulator.snapshot
    robot = arm_holding(snapshot, simulator.state, part) or wish.robot
    arms = [placed.name for placed in snapshot.robots if placed.robot.gripper is not None]
    arm = arm_of(simulator, robot or arms[0]) if robot or arms else None
    spot = None if arm is None else next(iter(spots_of(arm, wish, part)), None)
    if robot:
        _let_go(simulator, robot)
    if spot is None:
        raise WorkcellError(f"There is no place for {wish.part}.")
    simulator.apply(Placed(simulator.now, part, twelve(spot.X_world_part)))
    leave_behind(simulator, part)

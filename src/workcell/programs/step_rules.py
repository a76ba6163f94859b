"""The rules for single kinds of steps beyond the types of their fields: grippers, belts, signals, zones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workcell.errors import WorkcellError
from workcell.motion.override import require_percent
from workcell.planning.asked_goals import NO_GOAL
from workcell.planning.planners import DEFAULT, planner_named
from workcell.programs import steps as s
from workcell.programs.deciding import decided
from workcell.programs.evaluate import converted
from workcell.programs.functions import numbered
from workcell.programs.measures import PLAIN, Measure
from workcell.programs.tracked import mistake
from workcell.programs.wants import Wants
from workcell.programs.zone_order import kept_out
from workcell.robots.gripper import Gripper
from workcell.wording import counted
from workcell.world.axes_text import is_held
from workcell.world.conveyors import is_conveyor
from workcell.world.machine_places import is_arm
from workcell.world.placed import no_hand_text
from workcell.world.zone_places import KEEP_OUT

if TYPE_CHECKING:
    from workcell.programs.program_check import ProgramCheck


def _hand(check: ProgramCheck, step: s.CloseGripper | s.OpenGripper) -> None:
    placed = check.names.robots.get(step.robot)
    gripper = placed.robot.gripper if placed is not None else None
    if placed is not None and gripper is None:
        check.problem(check.at, no_hand_text(placed), step.robot)
    opening = step.opening if isinstance(step, s.OpenGripper) else None
    if opening is None or gripper is None:
        return
    if not isinstance(gripper, Gripper):
        message = f"The {gripper.name} of {step.robot} has no fingers that open to a distance; leave `to` out."
        check.problem(check.at, message, step.robot)
    elif (wide := check.length_of(opening)) is not None:
        check.guarded(lambda: gripper.checked_opening(wide))


def _picks(check: ProgramCheck, step: s.GripPart | s.Pick) -> None:
    arms = [placed.name for placed in check.names.snapshot.robots if is_arm(placed.robot)]
    if step.robot is None and len(arms) != 1:
        message = f"The cell has {counted(len(arms), 'robot')}; name the one that grips: `with ROBOT`."
        check.problem(check.at, message, step.part)


def _grips(check: ProgramCheck, step: s.GripPart) -> None:
    _picks(check, step)
    snapshot = check.names.snapshot
    bodies = [body for body in snapshot.bodies if body.link < 0 and body.owner == step.part]
    if bodies and not bodies[0].movable:
        message = f"{step.part} is not movable; `modify {step.part} movable yes` lets it be gripped."
        check.problem(check.at, message, step.part)


def _tracks(check: ProgramCheck, step: s.MoveEndEffector | s.MoveStraightLine) -> None:
    _axes(check, step)
    if step.on is None and step.when is None:
        return
    try:
        found = decided(step.pose, check.still)
        pose = None if found is None else converted(found, Wants("pose"), check.still)
    except WorkcellError:
        pose = None  # reported where the field is checked
    message = mistake(step, check.names, pose)
    if message:
        check.problem(check.at, message, step.on or "")


def _sets(check: ProgramCheck, step: s.SetSignal) -> None:
    if any(sensor.name == step.signal for sensor in check.names.snapshot.sensors):
        message = f"{step.signal!r} is a sensor: it shows what it senses and cannot be set."
        check.problem(check.at, message, step.signal)
    if step.signal in check.gripper_signals:
        message = f"{step.signal!r} shows the state of a gripper; `close-gripper` and `open-gripper` change it."
        check.problem(check.at, message, step.signal)
    if step.signal in check.names.snapshot.station_signals:
        check.problem(check.at, f"{step.signal!r} shows what a station did and cannot be set.", step.signal)
    if step.signal in check.names.snapshot.conveyor_signals:
        message = f"{step.signal!r} shows how fast a conveyor runs; `run-conveyor` and `stop-conveyor` change it."
        check.problem(check.at, message, step.signal)


def _conveyor(check: ProgramCheck, step: s.RunConveyor | s.StopConveyor) -> None:
    placed = check.names.robots.get(step.conveyor)
    if placed is not None and not is_conveyor(placed.robot):
        message = f"{step.conveyor} is not a conveyor and cannot run; `add conveyor NAME LENGTH` makes one."
        check.problem(check.at, message, step.conveyor)


def _enters(check: ProgramCheck, step: s.EnterZone) -> None:
    if any(zone.entity == step.zone and zone.rule == KEEP_OUT for zone in check.names.snapshot.zones):
        check.problem(check.at, kept_out(step.zone), step.zone)


def _percent(check: ProgramCheck, step: s.Override) -> None:
    """Check an override that is written out."""
    try:
        found = decided(step.percent, check.still)
    except WorkcellError:
        return  # reported where the field is checked
    if isinstance(found, Measure) and found.dimension == PLAIN:
        check.guarded(lambda: require_percent(found.value))


def _seam(check: ProgramCheck, step: s.MoveAlong | s.Weld) -> None:
    _axes(check, step)
    if check.names.is_one(step.path, ("path",)) and check.names.targets_of(step.path) == 1:
        check.problem(check.at, f"A seam needs two or more targets; {step.path!r} has 1.", step.path)
    elif isinstance(step, s.MoveAlong) and check.names.is_one(step.path, ("path",)):
        check.mark(step)


def _one_joint(check: ProgramCheck, step: s.FollowFunction | s.FollowTable) -> None:
    """Check the number of a joint that is to follow a table or function."""
    placed = check.names.robots.get(step.robot)
    if placed is None or step.joint is None or not check.strict:
        return
    try:
        found = decided(step.joint, check.still)
    except WorkcellError:
        return  # reported where the field is checked
    if isinstance(found, Measure):
        check.guarded(lambda: numbered(found.value, placed.robot.n, "joint"))


def _path_moves(check: ProgramCheck, step: s.MovePath) -> None:
    _axes(check, step)
    if not step.poses:
        check.problem(check.at, "A path needs at least one pose to go to: move-path ROBOT through POSE ….")


def _finds(check: ProgramCheck, step: s.FindPath) -> None:
    """Check a search for a path: its goal, its planner, and the hand if the goal needs one."""
    if step.joints is None and not step.poses and step.low is None:
        check.problem(check.at, NO_GOAL)
    check.guarded(lambda: planner_named(step.planner or DEFAULT))
    if (step.poses or step.low is not None) and step.robot in check.names.robots:
        robot = check.names.robots[step.robot].robot
        if not is_arm(robot):
            check.problem(check.at, f"{step.robot} has no hand that could take a pose; give joint values.", step.robot)


def _solid(check: ProgramCheck, step: s.MoveSolid) -> None:
    if not step.poses and step.path is None:
        check.problem(check.at, "A solid needs poses to move through: through POSE … or along PATH.")


def _axes(check: ProgramCheck, step: s.Step) -> None:
    """Refuse external axes for an arm that belongs to no machine."""
    robot = getattr(step, "robot", "")
    if is_held(getattr(step, "axes", "")) or robot not in check.names.robots:
        return
    if check.names.snapshot.machine_of(robot) is None:
        made = f"`create machine NAME of RAIL of {robot}` makes one"
        check.problem(check.at, f"{robot} belongs to no machine and has no axes to place; {made}.", robot)


STEP_RULES: dict[type, Callable[[Any, Any], None]] = {
    s.CloseGripper: _hand,
    s.OpenGripper: _hand,
    s.GripPart: _grips,
    s.Pick: _picks,
    s.MovePath: _path_moves,
    **dict.fromkeys((s.MoveCircular, s.MoveHand, s.Approach), _axes),
    **dict.fromkeys((s.MoveEndEffector, s.MoveStraightLine), _tracks),
    s.MoveSolid: _solid,
    s.FindPath: _finds,
    s.SetSignal: _sets,
    s.Override: _percent,
    s.EnterZone: _enters,
    s.RunConveyor: _conveyor,
    s.StopConveyor: _conveyor,
    s.MoveAlong: _seam,
    s.Weld: _seam,
    s.FollowFunction: _one_joint,
    s.FollowTable: _one_joint,
}
"""The function that checks each kind of step, after its fields."""

"""What a simulator does for each kind of step, with the values of its fields in SI.

The values come from the expressions of a program (:func:`perform`) or from a command that was typed (:func:`act`), so
both do the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import numpy as np

from workcell.errors import InvalidValue, Refused, UnknownName
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.programs.evaluate import Scope, wanted
from workcell.programs.expressions import Call, Name, parts
from workcell.programs.wants import Wants, fields_of
from workcell.simulation.event_text import text_of
from workcell.simulation.events import Message, ProcessSet, WaitBegan
from workcell.simulation.required import required_wait
from workcell.simulation.scopes import StartScope
from workcell.spatial.pose import Pose
from workcell.world.axes_text import is_held

if TYPE_CHECKING:
    from workcell.simulation.machine_seams import MachineSeamMoves
    from workcell.simulation.simulated_machine import SimulatedMachine
    from workcell.simulation.simulated_robot import SimulatedRobot
    from workcell.simulation.simulator import Simulator
    from workcell.simulation.threads import Moves
    from workcell.world.places import Spot
    from workcell.world.snapshot import Snapshot

Outcome: TypeAlias = "float | Moves | None"
"""How long a step takes [s], moves that follow each other, or nothing for a step that takes no time."""
Given: TypeAlias = dict[str, Any]
"""The fields of a step by name, with their values in SI; those not given are left out."""
Kept: TypeAlias = "dict[int, tuple[s.Step, Snapshot, Given]]"
"""Values by the identity of their step, with the step and the cell for which they hold."""


@dataclass(frozen=True)
class Acted:
    """What became of a step: how long it takes, and what it found that an answer may tell (a held part, a plan)."""

    takes: Outcome = None
    found: Any = None


@dataclass(frozen=True)
class Grip:
    """A gripper that closes or opens: first its time passes, then the part is held or let go.

    Attributes:
        robot: whose gripper.
        closing: whether it closes.
        options: how it is tested, or how the part is let go.
    """

    robot: str
    closing: bool
    options: Given

    @property
    def count(self) -> int:
        """The time, and what is done then."""
        return 2

    def begin(self, simulator: Simulator, number: int) -> float:
        """Begin one of them, counted from 0; returns its duration [s]."""
        if number == 0:
            return simulator.robot(self.robot).gripper_time(self.closing)
        self.act(simulator)
        return 0.0

    def act(self, simulator: Simulator) -> Any:
        """Close or open it; what was held or let go."""
        robot = simulator.robot(self.robot)
        return robot.close_gripper(**self.options) if self.closing else robot.open_gripper(**self.options)


@dataclass
class Settings:
    """What holds for the steps to come in one program: the frame of poses, and tools and rounding by robot."""

    frame: Pose | None = None
    tools: dict[str, Pose] = field(default_factory=dict)
    blends: dict[str, float] = field(default_factory=dict)

    def copy(self) -> Settings:
        """The same settings, for a branch or a called program."""
        return Settings(self.frame, dict(self.tools), dict(self.blends))


@dataclass(frozen=True)
class Doing:
    """A step that is being carried out: where, with which settings, and what its names mean."""

    simulator: Simulator
    scope: Scope
    settings: Settings
    files: Mapping[str, bytes] = field(default_factory=dict)
    kept: Kept = field(default_factory=dict)
    """The values of steps that are the same whenever they are carried out."""

    def robot(self, name: str) -> SimulatedRobot:
        """The robot of that name."""
        return self.simulator.robot(name)

    def device(self, name: str) -> SimulatedRobot | SimulatedMachine:
        """The robot, mechanism or machine of that name."""
        return self.simulator.device(name)

    def values(self, step: s.Step) -> Given:
        """The fields of a step with the values of their expressions, in SI; those not given are left out."""
        known = self.kept.get(id(step))
        if known is not None and known[0] is step and known[1] is self.simulator.snapshot:
            return dict(known[2])
        out = self._values(step)
        if stays(step):
            self.kept[id(step)] = step, self.simulator.snapshot, dict(out)
        return out

    def _values(self, step: s.Step) -> Given:
        robot = getattr(step, "robot", "")
        out: Given = {}
        for one in fields_of(type(step)):
            value = getattr(step, one.name)
            if value is None:
                continue
            if isinstance(one.holds, Wants):
                wants = one.holds
                if one.several:
                    out[one.name] = [wanted(item, wants, self.scope, robot) for item in value]
                else:
                    out[one.name] = wanted(value, wants, self.scope, robot)
            else:
                out[one.name] = value
        return out

    def placed(self, pose: Pose) -> Pose:
        """A pose of a move in the world: it is in the frame of the program."""
        return pose if self.settings.frame is None else self.settings.frame @ pose


def stays(step: s.Step) -> bool:
    """Whether the values of a step are the same whenever it is carried out: no name and no function is in them."""
    for one in fields_of(type(step)):
        value = getattr(step, one.name)
        if value is not None and isinstance(one.holds, Wants):
            for item in value if one.several else (value,):
                if any(isinstance(part, Name | Call) for part in parts(item)):
                    return False
    return True


def perform(step: s.Step, doing: Doing) -> Outcome:
    """Carry out a step that is not one of order."""
    if isinstance(step, s.Together):
        with doing.simulator.together() as started:
            for move in step.moves:
                perform(move, doing)
        return started.duration
    values = doing.values(step)
    if values.get("axes") == "":
        del values["axes"]
    if isinstance(step, s.OpenGripper | s.CloseGripper) and _idle(step, values, doing):
        return None
    return act(type(step), {**_targets_wish(step, doing), **values, **_recalled(step, doing)}, doing).takes


def _targets_wish(step: s.Step, doing: Doing) -> Given:
    """Where external axes are to be by the target that a move of the hand names, where the step itself does not say."""
    if getattr(step, "axes", None) != "":
        return {}
    target, snapshot = _target_of(step, doing), doing.simulator.snapshot
    axes = "" if target is None else target.axes
    if target is None or not axes:
        return {}
    carrier = snapshot.object_under(target.name, "target")
    return {"axes": axes, "work": carrier} if carrier and not is_held(axes) else {"axes": axes}


def _recalled(step: s.Step, doing: Doing) -> Given:
    """The branch and the joint values with which the robot of a move learned its target, where the step has neither."""
    if not isinstance(step, s.MoveEndEffector | s.Approach) or step.branch or step.near is not None:
        return {}
    target = _target_of(step, doing)
    learned = None if target is None else target.learned_by(step.robot)
    if learned is None:
        return {}
    branch = learned.branch or "nearest"
    return {"branch": branch, "near": learned.joints} if learned.joints else {"branch": branch}


def _target_of(step: s.Step, doing: Doing) -> Spot | None:
    """The target that a move of the hand goes to, or begins its offsets from; None where it names none."""
    if not isinstance(doing.scope, StartScope):
        return None
    value = getattr(step, "pose", None) or next(iter(reversed(getattr(step, "poses", ()))), None)
    if isinstance(value, e.Posed):
        value = value.base
    name = doing.scope.place_named(value.name, value.kind) if isinstance(value, e.Name) else ""
    return doing.simulator.snapshot.places.spot(name, "target") if name else None


def _idle(step: s.OpenGripper | s.CloseGripper, given: Given, doing: Doing) -> bool:
    """Whether a gripper is already as a program wants it; only who types the step learns that nothing was to do."""
    from workcell.simulation.grasping import is_idle

    if isinstance(step, s.OpenGripper) and (step.opening is not None or step.on is not None):
        return False
    placed = doing.simulator.snapshot.robot(given["robot"])
    return is_idle(doing.simulator, placed, closed=isinstance(step, s.CloseGripper))


def act(kind: type[s.Step], given: Given, doing: Doing) -> Acted:
    """Carry out a step of a kind with these values."""
    action = _ACTIONS.get(kind)
    if action is None:
        raise Refused(f"`{kind.__name__}` cannot be carried out here.")
    return action({**_defaults(kind), **given}, doing)


@lru_cache(maxsize=256)
def _defaults(kind: type[s.Step]) -> Given:
    """What the fields of a kind of step hold where they are not given."""
    fields = msgspec.structs.fields(kind)
    return {one.name: one.default for one in fields if one.default not in (msgspec.NODEFAULT, None)}


def _move_joints_absolute(given: Given, doing: Doing) -> Acted:
    return Acted(doing.device(given["robot"]).move_joints_absolute(given["joints"], given["profile"]))


def _move_joints_relative(given: Given, doing: Doing) -> Acted:
    return Acted(doing.device(given["robot"]).move_joints_relative(given["joints"], given["profile"]))


def _set_joints(given: Given, doing: Doing) -> Acted:
    doing.device(given["robot"]).set_joints(given["joints"])
    return Acted()


def _home(given: Given, doing: Doing) -> Acted:
    device, initial = doing.device(given["robot"]), doing.simulator.snapshot.initial.joints
    home = np.concatenate([initial[name] for name in doing.simulator.snapshot.members(device.name)])
    return Acted(device.move_joints_absolute(home, given["profile"]))


def _hand_options(given: Given, doing: Doing) -> Given:
    """What the moves of the hand have in common, as the simulator calls it."""
    renamed = {"speed": "hand_speed", "radius": "blend"}
    skipped = ("robot", "pose", "poses", "via", "by", "distance")
    options = {renamed.get(name, name): value for name, value in given.items() if name not in skipped}
    tool = doing.settings.tools.get(given["robot"])
    if tool is not None and options["point"] == "tool":
        options["point"] = tool
    return options


def _stated(given: Given, doing: Doing) -> Pose:
    """The pose of a move in the world; on something that moves it is in the frame of that."""
    pose: Pose = given["pose"]
    return pose if given.get("on") and given.get("when") is None else doing.placed(pose)


def _move_end_effector(given: Given, doing: Doing) -> Acted:
    robot, pose = doing.robot(given["robot"]), _stated(given, doing)
    return Acted(robot.move_end_effector(pose, **_hand_options(given, doing)))


def _move_straight_line(given: Given, doing: Doing) -> Acted:
    robot, pose = doing.robot(given["robot"]), _stated(given, doing)
    return Acted(robot.move_straight_line(pose, **_hand_options(given, doing)))


def _move_circular(given: Given, doing: Doing) -> Acted:
    robot, via, pose = doing.robot(given["robot"]), doing.placed(given["via"]), doing.placed(given["pose"])
    return Acted(robot.move_circular(via, pose, **_hand_options(given, doing)))


def _move_path(given: Given, doing: Doing) -> Acted:
    robot, poses = doing.robot(given["robot"]), [doing.placed(pose) for pose in given["poses"]]
    blend = {"radius": doing.settings.blends.get(given["robot"], 0.0)}
    return Acted(robot.move_path(poses, **_hand_options({**blend, **given}, doing)))


def _move_hand(given: Given, doing: Doing) -> Acted:
    return Acted(doing.robot(given["robot"]).move_hand(given["by"], **_hand_options(given, doing)))


def _approach(given: Given, doing: Doing) -> Acted:
    pose = doing.placed(given["pose"] @ Pose.from_xyz(0.0, 0.0, -given["distance"]))
    return Acted(doing.robot(given["robot"]).move_end_effector(pose, **_hand_options(given, doing)))


def _retract(given: Given, doing: Doing) -> Acted:
    back = Pose.from_xyz(0.0, 0.0, -given["distance"])
    return Acted(doing.robot(given["robot"]).move_hand(back, **_hand_options(given, doing)))


def _move_along(given: Given, doing: Doing) -> Acted:
    from workcell.simulation import coordinated as c

    simulator, path = doing.simulator, given["path"]
    poses, known = simulator.snapshot.path_poses(simulator.state, path), simulator.snapshot.places.path(path)
    options = {
        "speed": given["speed"],
        "closed": known.ring,
        "tolerance": given.get("tolerance", c.TOLERANCE),
        "angle_tolerance": c.TURN,
        "approach": given.get("approach", c.APPROACH),
    }
    axes = given["axes"] or known.axes
    moves: c.SeamMoves | MachineSeamMoves
    if is_held(axes):
        moves = c.seam_moves(simulator, given["robot"], poses, **options)
    else:
        from workcell.simulation import machine_seams

        work = simulator.snapshot.path_body(path)
        moves = machine_seams.seam_moves(simulator, given["robot"], poses, axes, work, **options)
    return Acted(moves, (moves.deviation, moves.rounding))


def _weld(given: Given, doing: Doing) -> Acted:
    from workcell.simulation import coordinated as c

    simulator = doing.simulator
    snapshot, path = simulator.snapshot, simulator.snapshot.places.path(given["path"])
    if not path.poses or path.missing:
        snapshot.path_poses(simulator.state, given["path"])  # refuses with the reason
    work = snapshot.path_body(given["path"])
    if not work:
        raise Refused(f"The targets of {given['path']!r} stand in the world; a weld needs targets on the work.")
    plan = c.coordinate(
        simulator,
        given["robot"],
        given["mechanism"],
        work,
        [path.X_frame_path @ pose for pose in path.poses],
        speed=given["speed"],
        ups=path.ups @ path.X_frame_path.rotation.T,
        closed=path.ring,
        tolerance=given.get("tolerance", c.TOLERANCE),
        downhand=given.get("downhand", c.DOWNHAND),
    )
    return Acted(c.weld_moves(simulator, plan, given.get("approach", c.APPROACH)), plan)


def _follow_table(given: Given, doing: Doing) -> Acted:
    from workcell.simulation.tables import table_motion

    robot, file = doing.robot(given["robot"]), given["file"]
    data = doing.files.get(file)
    if data is None:
        raise UnknownName(f"The table {file!r} of this program was not read; `check` the program.")
    motion = table_motion(data, file, robot, given.get("joint"), given["units"], given["between"])
    return Acted(robot.follow(motion, "table", given["until_limit"], given["any_acceleration"]))


def _follow_function(given: Given, doing: Doing) -> Acted:
    from workcell.simulation.tables import function_motion

    robot = doing.robot(given["robot"])
    motion = function_motion(given["function"], robot, given["joint"], given["duration"], given["units"])
    return Acted(robot.follow(motion, "function", given["until_limit"], given["any_acceleration"]))


def _move_solid(given: Given, doing: Doing) -> Acted:
    simulator, solid = doing.simulator, given["solid"]
    if solid not in {body.name for body in simulator.snapshot.bodies}:
        raise Refused(f"{solid!r} stands in no scene; `place {solid} at …` first.")
    way = [doing.placed(pose) for pose in given.get("poses", ())]
    if "path" in given:
        poses = simulator.snapshot.path_poses(simulator.state, given["path"])
        here = simulator.state.poses.get(solid)
        way += poses[1:] if here is not None and max(here.distance(poses[0])) < 1e-9 else poses
    took = simulator.move_solid(
        solid,
        way,
        speed=given.get("speed"),
        duration=given.get("duration"),
        acceleration=given.get("acceleration"),
        blend=given.get("radius", 0.0),
    )
    return Acted(took)


def _close_gripper(given: Given, doing: Doing) -> Acted:
    options = {name: value for name, value in given.items() if name != "robot"}
    return _gripped(doing, Grip(given["robot"], True, options))


def _open_gripper(given: Given, doing: Doing) -> Acted:
    from workcell.simulation.grasping import is_idle

    options = {name: value for name, value in given.items() if name != "robot"}
    if not options.keys() & {"opening", "on"}:
        doing.simulator.alone("open a gripper")
        if is_idle(doing.simulator, doing.simulator.snapshot.robot(given["robot"]), closed=False):
            return Acted(found=None)
    return _gripped(doing, Grip(given["robot"], False, options))


def _gripped(doing: Doing, grip: Grip) -> Acted:
    """Close or open a gripper: among programs after the time that it takes, else the time passes at once."""
    if doing.simulator.among and doing.robot(grip.robot).gripper_time(grip.closing) > 0.0:
        return Acted(grip)
    return Acted(found=grip.act(doing.simulator))


def _grip_part(given: Given, doing: Doing) -> Acted:
    from workcell.simulation.attaching import attach

    simulator = doing.simulator
    return Acted(found=attach(simulator, simulator.snapshot.object_body(given["part"]), given.get("robot", "")))


def _release_part(given: Given, doing: Doing) -> Acted:
    from workcell.simulation.attaching import detach

    simulator = doing.simulator
    part = simulator.snapshot.object_body(given["part"])
    return Acted(found=detach(simulator, part, given.get("settle", False), given.get("on", "")))


def _ride(given: Given, doing: Doing) -> Acted:
    from workcell.simulation.coordinated import ride

    ride(doing.simulator, doing.simulator.snapshot.object_body(given["part"]), given["mechanism"])
    return Acted()


def _set_signal(given: Given, doing: Doing) -> Acted:
    doing.simulator.set_signal(given["signal"], given["value"])
    return Acted()


def _speed(given: Given, doing: Doing) -> Acted:
    doing.robot(given["robot"]).speed(given["speed"])
    return Acted()


def _profile(given: Given, doing: Doing) -> Acted:
    doing.robot(given["robot"]).profile(given["profile"])
    return Acted()


def _branch(given: Given, doing: Doing) -> Acted:
    doing.robot(given["robot"]).branch(given["branch"])
    return Acted()


def _rounding(given: Given, doing: Doing) -> Acted:
    radius = given["radius"]
    if radius < 0.0:
        raise InvalidValue(f"A blending radius must be zero or more; found {radius * 1e3:g} mm.")
    doing.settings.blends[given["robot"]] = radius
    return Acted()


def _frame(given: Given, doing: Doing) -> Acted:
    doing.settings.frame = given.get("frame")
    return Acted()


def _tool(given: Given, doing: Doing) -> Acted:
    doing.robot(given["robot"])
    if "tcp" in given:
        doing.settings.tools[given["robot"]] = given["tcp"]
    else:
        doing.settings.tools.pop(given["robot"], None)
    return Acted()


def _process(given: Given, doing: Doing) -> Acted:
    simulator, robot = doing.simulator, doing.robot(given["robot"]).name
    event = ProcessSet(simulator.now, robot, given["process"], given["on"] == "on")
    simulator.note(event)
    return Acted(found=text_of(event))


def _override(given: Given, doing: Doing) -> Acted:
    return Acted(found=doing.simulator.override(given["percent"], given.get("device", "")))


def _hold_motion(given: Given, doing: Doing) -> Acted:
    return Acted(found=doing.simulator.hold(given["device"]))


def _resume_motion(given: Given, doing: Doing) -> Acted:
    simulator, device = doing.simulator, given["device"]
    # A move that was held so late that it came to its end is over: nothing is left to go on with.
    members = simulator.snapshot.members(device)
    over = not any(name in simulator.drives for name in members) and simulator.knows(device)
    return Acted(found=[] if over else simulator.resume(device))


def _stop_motion(given: Given, doing: Doing) -> Acted:
    return Acted(found=doing.simulator.stop_all(given["device"]))


def _emergency_stop(given: Given, doing: Doing) -> Acted:
    return Acted(found=doing.simulator.emergency_stop(given.get("device", "")))


def _supersede_joints(given: Given, doing: Doing) -> Acted:
    found = doing.device(given["robot"]).supersede(given["joints"])
    return Acted(found=found if isinstance(found, list) else [found])


def _run_conveyor(given: Given, doing: Doing) -> Acted:
    ran = doing.simulator.conveyor(given["conveyor"]).run(given.get("speed", 0.0), given["reached"])
    return Acted(ran.delay if given["reached"] else None, ran)


def _inject_fault(given: Given, doing: Doing) -> Acted:
    return Acted(found=doing.simulator.inject_fault(given["fault"]))


def _clear_fault(given: Given, doing: Doing) -> Acted:
    return Acted(found=doing.simulator.clear_fault(given["fault"]))


def _message(given: Given, doing: Doing) -> Acted:
    doing.simulator.note(Message(doing.simulator.now, given["text"]))
    return Acted()


def _wait(given: Given, doing: Doing) -> Acted:
    seconds = required_wait(given["seconds"])
    doing.simulator.note(WaitBegan(doing.simulator.now, float(seconds)))
    return Acted(seconds)


_ACTIONS: dict[type, Callable[[Given, Doing], Acted]] = {
    s.MoveJointsAbsolute: _move_joints_absolute,
    s.MoveJointsRelative: _move_joints_relative,
    s.SetJoints: _set_joints,
    s.Home: _home,
    s.FollowTable: _follow_table,
    s.FollowFunction: _follow_function,
    s.MoveEndEffector: _move_end_effector,
    s.MoveStraightLine: _move_straight_line,
    s.MoveCircular: _move_circular,
    s.MovePath: _move_path,
    s.MoveHand: _move_hand,
    s.Approach: _approach,
    s.Retract: _retract,
    s.MoveAlong: _move_along,
    s.Weld: _weld,
    s.MoveSolid: _move_solid,
    s.CloseGripper: _close_gripper,
    s.OpenGripper: _open_gripper,
    s.GripPart: _grip_part,
    s.ReleasePart: _release_part,
    s.Ride: _ride,
    s.SetSignal: _set_signal,
    s.Wait: _wait,
    s.Speed: _speed,
    s.Profile: _profile,
    s.Branch: _branch,
    s.Rounding: _rounding,
    s.Frame: _frame,
    s.Tool: _tool,
    s.Process: _process,
    s.Override: _override,
    s.HoldMotion: _hold_motion,
    s.ResumeMotion: _resume_motion,
    s.StopMotion: _stop_motion,
    s.EmergencyStop: _emergency_stop,
    s.SupersedeJoints: _supersede_joints,
    s.RunConveyor: _run_conveyor,
    s.StopConveyor: _run_conveyor,
    s.InjectFault: _inject_fault,
    s.ClearFault: _clear_fault,
    s.Message: _message,
}
"""What is done for each kind of step."""

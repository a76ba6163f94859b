"""What a simulator does for each kind of step: the values of its expressions, then the call.

A step that takes time gives its duration, or moves that follow each other; one that takes none gives None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from workcell.errors import InvalidValue, Refused, UnknownName
from workcell.programs import steps as s
from workcell.programs.evaluate import Scope, wanted
from workcell.programs.wants import Wants, fields_of
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from workcell.simulation.simulated_robot import SimulatedRobot
    from workcell.simulation.simulator import Simulator

LONGEST_WAIT = 1e9
"""The longest wait; beyond it the clock could not tell moves apart [s]."""
Outcome: TypeAlias = "float | Iterator[float] | None"
"""How long a step takes [s], moves that follow each other, or nothing for a step that takes no time."""


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

    def robot(self, name: str) -> SimulatedRobot:
        """The robot of that name."""
        return self.simulator.robot(name)

    def values(self, step: s.Step) -> dict[str, Any]:
        """The fields of a step with the values of their expressions, in SI; those not given are left out."""
        robot = getattr(step, "robot", "")
        out: dict[str, Any] = {}
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


def perform(step: s.Step, doing: Doing) -> Outcome:
    """Carry out a step that is not one of order."""
    action = _ACTIONS.get(type(step))
    if action is None:
        raise Refused(f"`{type(step).__name__}` cannot be carried out here.")
    return action(step, doing)


def _move_joints_absolute(step: s.MoveJointsAbsolute, doing: Doing) -> Outcome:
    given = doing.values(step)
    return doing.robot(step.robot).move_joints_absolute(given["joints"], step.profile)


def _move_joints_relative(step: s.MoveJointsRelative, doing: Doing) -> Outcome:
    given = doing.values(step)
    return doing.robot(step.robot).move_joints_relative(given["joints"], step.profile)


def _set_joints(step: s.SetJoints, doing: Doing) -> Outcome:
    doing.robot(step.robot).set_joints(doing.values(step)["joints"])
    return None


def _home(step: s.Home, doing: Doing) -> Outcome:
    home = doing.simulator.snapshot.initial.joints[doing.robot(step.robot).name]
    return doing.robot(step.robot).move_joints_absolute(home, step.profile)


def _hand_options(given: dict[str, Any], doing: Doing) -> dict[str, Any]:
    """What the moves of the hand have in common, as the simulator calls it."""
    renamed = {"speed": "hand_speed", "radius": "blend"}
    skipped = ("robot", "pose", "poses", "via", "by", "distance")
    options = {renamed.get(name, name): value for name, value in given.items() if name not in skipped}
    tool = doing.settings.tools.get(given["robot"])
    if tool is not None and options["point"] == "tool":
        options["point"] = tool
    return options


def _move_end_effector(step: s.MoveEndEffector, doing: Doing) -> Outcome:
    given = doing.values(step)
    return doing.robot(step.robot).move_end_effector(doing.placed(given["pose"]), **_hand_options(given, doing))


def _move_straight_line(step: s.MoveStraightLine, doing: Doing) -> Outcome:
    given = doing.values(step)
    return doing.robot(step.robot).move_straight_line(doing.placed(given["pose"]), **_hand_options(given, doing))


def _move_circular(step: s.MoveCircular, doing: Doing) -> Outcome:
    given = doing.values(step)
    via, pose = doing.placed(given["via"]), doing.placed(given["pose"])
    return doing.robot(step.robot).move_circular(via, pose, **_hand_options(given, doing))


def _move_path(step: s.MovePath, doing: Doing) -> Outcome:
    given = doing.values(step)
    given.setdefault("radius", doing.settings.blends.get(step.robot, 0.0))
    poses = [doing.placed(pose) for pose in given["poses"]]
    return doing.robot(step.robot).move_path(poses, **_hand_options(given, doing))


def _move_hand(step: s.MoveHand, doing: Doing) -> Outcome:
    given = doing.values(step)
    return doing.robot(step.robot).move_hand(given["by"], **_hand_options(given, doing))


def _approach(step: s.Approach, doing: Doing) -> Outcome:
    given = doing.values(step)
    pose = doing.placed(given["pose"] @ Pose.from_xyz(0.0, 0.0, -given["distance"]))
    return doing.robot(step.robot).move_end_effector(pose, **_hand_options(given, doing))


def _retract(step: s.Retract, doing: Doing) -> Outcome:
    given = doing.values(step)
    return doing.robot(step.robot).move_hand(Pose.from_xyz(0.0, 0.0, -given["distance"]), **_hand_options(given, doing))


def _move_along(step: s.MoveAlong, doing: Doing) -> Outcome:
    from workcell.simulation import coordinated as c

    given, snapshot = doing.values(step), doing.simulator.snapshot
    moves, _, _ = c.follow_seam(
        doing.simulator,
        step.robot,
        snapshot.path_poses(doing.simulator.state, step.path),
        speed=given["speed"],
        closed=snapshot.places.path(step.path).ring,
        tolerance=given.get("tolerance", c.TOLERANCE),
        approach=given.get("approach", c.APPROACH),
    )
    return moves


def _weld(step: s.Weld, doing: Doing) -> Outcome:
    from workcell.simulation import coordinated as c

    given, snapshot = doing.values(step), doing.simulator.snapshot
    path = snapshot.places.path(step.path)
    if not path.poses or path.missing:
        snapshot.path_poses(doing.simulator.state, step.path)  # refuses with the reason
    if path.frame not in {body.name for body in snapshot.bodies}:
        raise Refused(f"The targets of {step.path!r} stand in the world; a weld needs targets on the work.")
    plan = c.coordinate(
        doing.simulator,
        step.robot,
        step.mechanism,
        path.frame,
        list(path.poses),
        speed=given["speed"],
        ups=path.ups,
        closed=path.ring,
        tolerance=given.get("tolerance", c.TOLERANCE),
        downhand=given.get("downhand", c.DOWNHAND),
    )
    return c.weld_steps(doing.simulator, plan, given.get("approach", c.APPROACH))


def _follow_table(step: s.FollowTable, doing: Doing) -> Outcome:
    from workcell.simulation.tables import table_motion

    data = doing.files.get(step.file)
    if data is None:
        raise UnknownName(f"The table {step.file!r} of this program was not read; `check` the program.")
    robot = doing.robot(step.robot)
    given = doing.values(step)
    motion = table_motion(data, step.file, robot, given.get("joint"), step.units, step.between)
    return robot.follow(motion, "table", step.until_limit, step.any_acceleration)


def _follow_function(step: s.FollowFunction, doing: Doing) -> Outcome:
    from workcell.simulation.tables import function_motion

    robot, given = doing.robot(step.robot), doing.values(step)
    motion = function_motion(step.function, robot, given["joint"], given["duration"], step.units)
    return robot.follow(motion, "function", step.until_limit, step.any_acceleration)


def _move_solid(step: s.MoveSolid, doing: Doing) -> Outcome:
    simulator, given = doing.simulator, doing.values(step)
    if step.solid not in {body.name for body in simulator.snapshot.bodies}:
        raise Refused(f"{step.solid!r} stands in no scene; `place {step.solid} at …` first.")
    way: list[Pose] = list(given.get("poses", ()))
    if doing.settings.frame is not None:
        way = [doing.settings.frame @ pose for pose in way]
    if step.path is not None:
        poses = simulator.snapshot.path_poses(simulator.state, step.path)
        here = simulator.state.poses.get(step.solid)
        way += poses[1:] if here is not None and max(here.distance(poses[0])) < 1e-9 else poses
    return simulator.move_solid(
        step.solid,
        way,
        speed=given.get("speed"),
        duration=given.get("duration"),
        acceleration=given.get("acceleration"),
        blend=given.get("radius", 0.0),
    )


def _close_gripper(step: s.CloseGripper, doing: Doing) -> Outcome:
    given = doing.values(step)
    doing.robot(step.robot).close_gripper(given.get("distance"), given.get("angle"))
    return None


def _open_gripper(step: s.OpenGripper, doing: Doing) -> Outcome:
    doing.robot(step.robot).open_gripper(step.settle, doing.values(step).get("opening"))
    return None


def _ride(step: s.Ride, doing: Doing) -> Outcome:
    from workcell.simulation.coordinated import ride

    ride(doing.simulator, doing.simulator.snapshot.object_body(step.part), step.mechanism)
    return None


def _set_signal(step: s.SetSignal, doing: Doing) -> Outcome:
    doing.simulator.set_signal(step.signal, doing.values(step)["value"])
    return None


def _speed(step: s.Speed, doing: Doing) -> Outcome:
    doing.robot(step.robot).speed(doing.values(step)["speed"])
    return None


def _profile(step: s.Profile, doing: Doing) -> Outcome:
    doing.robot(step.robot).profile(step.profile)
    return None


def _branch(step: s.Branch, doing: Doing) -> Outcome:
    doing.robot(step.robot).branch(step.branch)
    return None


def _rounding(step: s.Rounding, doing: Doing) -> Outcome:
    radius = doing.values(step)["radius"]
    if radius < 0.0:
        raise InvalidValue(f"A blending radius must be zero or more; found {radius * 1e3:g} mm.")
    doing.settings.blends[step.robot] = radius
    return None


def _frame(step: s.Frame, doing: Doing) -> Outcome:
    doing.settings.frame = doing.values(step).get("frame")
    return None


def _tool(step: s.Tool, doing: Doing) -> Outcome:
    doing.robot(step.robot)
    tcp = doing.values(step).get("tcp")
    if tcp is None:
        doing.settings.tools.pop(step.robot, None)
    else:
        doing.settings.tools[step.robot] = tcp
    return None


def _process(step: s.Process, doing: Doing) -> Outcome:
    doing.robot(step.robot)
    said = f"{step.robot}: {step.process or 'process'} {step.on}"
    doing.simulator.note("process", said)
    return None


def _message(step: s.Message, doing: Doing) -> Outcome:
    doing.simulator.note("message", doing.values(step)["text"])
    return None


def _wait(step: s.Wait, doing: Doing) -> Outcome:
    seconds = doing.values(step)["seconds"]
    if not 0.0 <= seconds <= LONGEST_WAIT:
        raise InvalidValue(f"A wait takes 0 to {LONGEST_WAIT:g} s; found {seconds:g}.")
    doing.simulator.note("wait", f"{seconds:g} s")
    return float(seconds)


def _together(step: s.Together, doing: Doing) -> Outcome:
    with doing.simulator.together() as started:
        for move in step.moves:
            perform(move, doing)
    return started.duration


_ACTIONS: dict[type, Callable[[Any, Doing], Outcome]] = {
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
    s.Message: _message,
    s.Together: _together,
}
"""What is done for each kind of step."""

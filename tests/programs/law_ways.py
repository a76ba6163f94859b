"""The ways to run a program; each returns what it recorded and how it was refused."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import workcell as wc
from workcell.commands.language.program_printer import step_lines
from workcell.commands.language.step_reader import step_types
from workcell.commands.session import Session
from workcell.errors import WorkcellError
from workcell.motion.limits import Limits
from workcell.motion.named_profiles import limits_of
from workcell.planning.find_path import EFFORT, find_path
from workcell.planning.find_paths import find_paths
from workcell.planning.goals import AnyGoal, Goal, JointGoal, PoseGoal
from workcell.planning.guidance.arms import ArmConstants
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.programs.problem import ProgramProblems
from workcell.programs.program import Program
from workcell.programs.wants import Entity, Wants, fields_of
from workcell.simulation import coordinated, interpreter, operations, riding, tables
from workcell.simulation.events import Message, ProcessSet
from workcell.simulation.found_paths import recorded_tries
from workcell.simulation.performing import Doing
from workcell.simulation.recording import Recording
from workcell.simulation.simulator import Simulator
from workcell.spatial.transform import Transform


@dataclass(frozen=True)
class Outcome:
    """What a way recorded, and the class and words of its refusal, if there was one."""

    recorded: bytes
    refused: tuple[str, str] | None = None


def recorded(recording: Recording) -> bytes:
    """The bytes of what happened: samples, moves, changes of the state and events of the plant."""
    return recording.to_bytes()


def _refusal(error: WorkcellError) -> tuple[str, str]:
    """The refusal of a step, without what a run puts around it: the line before, what is kept and messages after."""
    reason = error.evidence.get("reason", error)
    words = str(reason).partition("\nMessages before that:")[0].partition("\nThe run up to there is kept")[0]
    words = words.partition(" Its motion up to there is kept")[0]
    if words.startswith("Line ") and " of program " in words:
        words = words.split(": ", 1)[1]
    return type(reason).__name__, words


# ---- by programs --------------------------------------------------------------------------------------------


@contextmanager
def run_seen() -> Iterator[list[Simulator]]:
    """The simulators of the runs made inside; a refused run leaves nothing of its own in the cell."""
    seen: list[Simulator] = []
    begin = interpreter.Run.__init__

    def noted(self: interpreter.Run, simulator: Simulator, *args: Any, **kwargs: Any) -> None:
        seen.append(simulator)
        begin(self, simulator, *args, **kwargs)

    interpreter.Run.__init__ = noted  # type: ignore[method-assign]
    try:
        yield seen
    finally:
        interpreter.Run.__init__ = begin  # type: ignore[method-assign]


def by_command(cell: wc.Cell, line: str) -> Outcome | ProgramProblems:
    """A line such as `run law`; the mistakes that the checker found where it did."""
    with run_seen() as seen:
        try:
            cell.do(line)
        except ProgramProblems as problems:
            return problems
        except WorkcellError as error:
            return Outcome(recorded(seen[-1].recording), _refusal(error))
    return Outcome(recorded(cell.session.recording))


def elsewhere(snapshot: bytes, programs: Sequence[tuple[str, str]], files: Mapping[str, bytes]) -> Outcome:
    """What another process records that was given the snapshot and the texts of the programs, the first to run."""
    from workcell.commands.language.program_reader import read_program

    simulator = Simulator(pickle.loads(snapshot))
    read = {name: read_program(name, text).program for name, text in programs}
    try:
        interpreter.Run(simulator, [read[programs[0][0]]], read, files=files).go()
    except WorkcellError as error:
        return Outcome(recorded(simulator.recording), _refusal(error))
    return Outcome(recorded(simulator.recording))


# ---- line by line -------------------------------------------------------------------------------------------


def typed(session: Session, lines: Sequence[str], after_refusals: bool = False) -> Outcome:
    """Lines typed one by one from the initial state; edits that they make are undone in the end."""
    session.do("reset")
    refused, history = None, session.database.history
    steps = len(history)
    try:
        for line in lines:
            try:
                session.do(line)
                refused = None
            except WorkcellError as error:
                refused = _refusal(error)
                if not after_refusals:
                    break
        return Outcome(recorded(session.recording), refused)
    finally:
        for _ in range(len(history) - steps):
            session.do("undo")


def lines_of(program: Program) -> list[str]:
    """The lines to type for a program without blocks; remarks are left out."""
    body = [step for step in program.body if not isinstance(step, s.Comment | s.Verbatim)]
    return [
        line if not isinstance(step, s.Message) else f'message "{_escaped(step)}"'
        for step in body
        for line in step_lines(step)
    ]


def _escaped(step: s.Message) -> str:
    from workcell.commands.language.values import escape

    assert isinstance(step.text, e.Text)
    return escape(step.text.value)


# ---- calls of Python ----------------------------------------------------------------------------------------

_SIZES = {"": 1.0, "mm": 1e-3, "deg": math.pi / 180.0, "s": 1.0, "ms": 1e-3, "mm/s": 1e-3, "rad/s": 1.0, "rad": 1.0}
_BARE = {"length": 1e-3, "angle": math.pi / 180.0, "speed": 1e-3, "angular speed": math.pi / 180.0}


def _number(one: e.Expression, quantity: str) -> float:
    assert isinstance(one, e.Number)
    return one.value * (_SIZES[one.unit] if one.unit else _BARE.get(quantity, 1.0))


def _pose(one: e.Expression, simulator: Simulator) -> wc.Pose:
    if isinstance(one, e.Name):
        return simulator.snapshot.place_pose(simulator.state, one.name)
    assert isinstance(one, e.Posed)
    xyz = [_number(item, "length") for item in one.position.items] if one.position is not None else [0.0] * 3
    angles, convention = [0.0] * 3, "fanuc_wpr"
    for form in one.forms:
        angles = [_number(item, "angle") for item in form.rows[0].items]
    return wc.Pose.from_xyz_angles(xyz, angles, convention)


def plain_values(step: s.Step, simulator: Simulator) -> dict[str, Any]:
    """The values of a step whose expressions are written out, worked out here and not by the interpreter."""
    out: dict[str, Any] = {}
    for one in fields_of(type(step)):
        value = getattr(step, one.name)
        if value is None:
            continue
        if not isinstance(one.holds, Wants):
            out[one.name] = value
        elif one.several:
            out[one.name] = [_pose(item, simulator) for item in value]
        elif one.holds.type in ("pose", "point"):
            out[one.name] = _pose(value, simulator)
        elif one.holds.type == "joints":
            rows = simulator.snapshot.robot(step.robot).robot.rows
            kinds = ["length" if link.prismatic else "angle" for link in rows]
            out[one.name] = [_number(item, kind) for item, kind in zip(value.items, kinds, strict=True)]
        elif one.holds.type == "text":
            out[one.name] = value.value
        else:
            found = _number(value, one.holds.quantity)
            out[one.name] = int(found) if one.holds.whole else found
    return out


def _hand(given: dict[str, Any], *left: str) -> dict[str, Any]:
    renamed = {"speed": "hand_speed", "radius": "blend"}
    return {renamed.get(name, name): value for name, value in given.items() if name not in ("robot", *left)}


def _back(distance: float) -> wc.Pose:
    return wc.Pose.from_xyz(0.0, 0.0, -distance)


def _along(sim: Simulator, robot: str, path: str, speed: float) -> None:
    poses = sim.snapshot.path_poses(sim.state, path)
    sum(coordinated.in_turn(sim, coordinated.seam_moves(sim, robot, poses, speed=speed)))


def _goal(sim: Simulator, g: dict[str, Any]) -> Goal:
    """The goal of a path; a tool that the program set is the point that comes to its poses."""
    poses, point = g.get("poses", ()), g.get("point", "tool")
    if g.get("branch"):
        return JointGoal(sim.robot(g["robot"]).joints_for(poses[0], branch=g["branch"], point=point))
    if isinstance(point, wc.Pose):
        poses = [pose @ point.inverse() @ sim.snapshot.robot(g["robot"]).robot.X_flange_tool for pose in poses]
    free = (g["free"],) if g.get("free") else ()
    goals: list[Goal] = [PoseGoal(pose, free=free) for pose in poses]
    if "joints" in g:
        goals.append(JointGoal(g["joints"]))
    return goals[0] if len(goals) == 1 else AnyGoal(tuple(goals))


def _limits(sim: Simulator, robot: str) -> Limits:
    device = sim.robot(robot)
    found = limits_of(device.robot, device.settings[0])
    return Limits(found.speed, found.acceleration)


def _find_path(sim: Simulator, g: dict[str, Any]) -> None:
    robot = sim.robot(g["robot"])
    plan = find_path(
        sim.snapshot, sim.state, robot.name, _goal(sim, g), start=robot.joints, seed=int(g["seed"]), budget=1e6,
        effort=int(g["budget"] * EFFORT), limits=_limits(sim, robot.name),
    )  # fmt: skip
    if g.get("display_tries"):
        recorded_tries(sim, plan)
    robot.follow_path(plan.trajectory)


def _find_paths(sim: Simulator, wishes: Sequence[dict[str, Any]]) -> None:
    robots = [g["robot"] for g in wishes]
    plan = find_paths(
        sim.snapshot, sim.state, {g["robot"]: _goal(sim, g) for g in wishes},
        priorities={g["robot"]: int(g["priority"]) for g in wishes if "priority" in g} or None,
        options={one: {"limits": _limits(sim, one)} for one in robots},
        seed=max(int(g["seed"]) for g in wishes), effort=int(max(g["budget"] for g in wishes) * EFFORT),
    )  # fmt: skip
    for robot, motion in plan.motions.items():
        sim.robot(robot).follow_path(motion, tuple(plan.motions))


def _guide(sim: Simulator, g: dict[str, Any]) -> None:
    constants = ArmConstants(speed=g["speed"], **({"reach": g["keep"]} if "keep" in g else {}))
    sim.robot(g["robot"]).guide(
        g["pose"], time=g["within"], position=g.get("position", False), resolution=g.get("resolution", 0.0),
        point=g.get("point", "tool"), constants=constants,
    )  # fmt: skip


def _together(sim: Simulator, moves: Sequence[tuple[type, dict[str, Any]]]) -> None:
    """Moves that begin at the same instant; paths are looked for together."""
    with sim.together():
        if moves[0][0] is s.FindPath:
            _find_paths(sim, [given for _, given in moves])
        else:
            for kind, given in moves:
                PYTHON[kind](sim, given)


def _weld(sim: Simulator, g: dict[str, Any]) -> None:
    path = sim.snapshot.places.path(g["path"])
    plan = coordinated.coordinate(
        sim, g["robot"], g["mechanism"], path.frame, list(path.poses), speed=g["speed"], ups=path.ups,
        closed=path.ring, tolerance=g["tolerance"],
    )  # fmt: skip
    coordinated.weld(sim, plan)


def _table(sim: Simulator, g: dict[str, Any]) -> None:
    robot = sim.robot(g["robot"])
    motion = tables.table_motion(Path(g["file"]).read_bytes(), g["file"], robot, None, "radians", g["between"])
    robot.follow(motion, "table", g["until_limit"], g["any_acceleration"])


def _function(sim: Simulator, g: dict[str, Any]) -> None:
    robot = sim.robot(g["robot"])
    motion = tables.function_motion(g["function"], robot, g["joint"], g["duration"], "degrees")
    robot.follow(motion, "function", g["until_limit"], g["any_acceleration"])


PYTHON: dict[type, Callable[[Simulator, dict[str, Any]], Any]] = {
    s.MoveJointsAbsolute: lambda sim, g: sim.robot(g["robot"]).move_joints_absolute(g["joints"], g["profile"]),
    s.MoveJointsRelative: lambda sim, g: sim.robot(g["robot"]).move_joints_relative(g["joints"], g["profile"]),
    s.SetJoints: lambda sim, g: sim.robot(g["robot"]).set_joints(g["joints"]),
    s.Home: lambda sim, g: sim.robot(g["robot"]).move_joints_absolute(
        sim.snapshot.initial.joints[g["robot"]], g["profile"]
    ),
    s.MoveEndEffector: lambda sim, g: sim.robot(g["robot"]).move_end_effector(g["pose"], **_hand(g, "pose")),
    s.MoveStraightLine: lambda sim, g: sim.robot(g["robot"]).move_straight_line(g["pose"], **_hand(g, "pose")),
    s.MoveCircular: lambda sim, g: sim.robot(g["robot"]).move_circular(g["via"], g["pose"], **_hand(g, "via", "pose")),
    s.MovePath: lambda sim, g: sim.robot(g["robot"]).move_path(g["poses"], **_hand(g, "poses")),
    s.MoveHand: lambda sim, g: sim.robot(g["robot"]).move_hand(g["by"], **_hand(g, "by")),
    s.Approach: lambda sim, g: sim.robot(g["robot"]).move_end_effector(
        g["pose"] @ _back(g["distance"]), **_hand(g, "pose", "distance")
    ),
    s.Retract: lambda sim, g: sim.robot(g["robot"]).move_hand(_back(g["distance"]), **_hand(g, "distance")),
    s.MoveAlong: lambda sim, g: _along(sim, g["robot"], g["path"], g["speed"]),
    s.Weld: _weld,
    s.FindPath: _find_path,
    s.Guide: _guide,
    s.FollowTable: _table,
    s.FollowFunction: _function,
    s.MoveSolid: lambda sim, g: sim.move_solid(
        g["solid"], g["poses"], speed=g.get("speed"), duration=g.get("duration"), acceleration=g.get("acceleration")
    ),
    s.CloseGripper: lambda sim, g: sim.robot(g["robot"]).close_gripper(g.get("distance")),
    s.OpenGripper: lambda sim, g: sim.robot(g["robot"]).open_gripper(g["settle"]),
    s.GripPart: lambda sim, g: sim.robot(g["robot"]).grip(g["part"]),
    s.ReleasePart: lambda sim, g: sim.robot("A").release(g["part"], g["settle"]),
    s.RunConveyor: lambda sim, g: sim.conveyor(g["conveyor"]).run(g["speed"], g["reached"]),
    s.StopConveyor: lambda sim, g: sim.conveyor(g["conveyor"]).stop(g["reached"]),
    s.Ride: lambda sim, g: riding.ride(sim, g["part"], g["mechanism"]),
    s.SetSignal: lambda sim, g: sim.set_signal(g["signal"], g["value"]),
    s.WaitFor: lambda sim, g: sim.wait_for(g["signal"], g.get("value", 1.0)),
    s.Wait: lambda sim, g: sim.wait(g["seconds"]),
    s.Speed: lambda sim, g: sim.robot(g["robot"]).speed(g["speed"]),
    s.Profile: lambda sim, g: sim.robot(g["robot"]).profile(g["profile"]),
    s.Branch: lambda sim, g: sim.robot(g["robot"]).branch(g["branch"]),
    s.Process: lambda sim, g: sim.note(ProcessSet(sim.now, g["robot"], g["process"], g["on"] == "on")),
    s.Message: lambda sim, g: sim.note(Message(sim.now, g["text"])),
}
"""How whoever writes Python would do each kind of step."""


def in_python(cell: wc.Cell, program: Program) -> Outcome:
    """The calls of Python for a program without blocks."""
    simulator = wc.Simulator(cell)
    try:
        for step in program.body:
            if isinstance(step, s.Together):
                _together(simulator, [(type(move), plain_values(move, simulator)) for move in step.moves])
            elif not isinstance(step, s.Comment | s.Verbatim):
                PYTHON[type(step)](simulator, plain_values(step, simulator))
    except WorkcellError as error:
        return Outcome(recorded(simulator.recording), _refusal(error))
    return Outcome(recorded(simulator.recording))


# ---- what a program with blocks did, unrolled -----------------------------------------------------------------


@dataclass(frozen=True)
class Done:
    """A step that was carried out, with the values that it had in the world, at a time [s]."""

    kind: type[s.Step]
    values: dict[str, Any]
    time: float
    together: tuple[Done, ...] = ()


@contextmanager
def trace() -> Iterator[list[Done]]:
    """What the interpreter carries out inside, in order."""
    done: list[Done] = []
    own = operations.perform

    def noted(step: s.Step, doing: Doing) -> Any:
        if isinstance(step, s.Together):
            moves = tuple(_done(move, doing) for move in step.moves)
            done.append(Done(s.Together, {}, doing.simulator.time, moves))
        elif not isinstance(step, s.Frame | s.Tool | s.Rounding):
            done.append(_done(step, doing))
        return own(step, doing)

    operations.perform = noted
    try:
        yield done
    finally:
        operations.perform = own


def _done(step: s.Step, doing: Doing) -> Done:
    """A step as it is in the world: frames, tools and rounding that hold are put into its values."""
    given, kind, settings = doing.values(step), type(step), doing.settings
    if kind is s.Approach and settings.frame is not None:
        kind = s.MoveEndEffector
        given["pose"] = given["pose"] @ _back(given.pop("distance"))
    for name in ("pose", "via"):
        if name in given:
            given[name] = doing.placed(given[name])
    if "poses" in given:
        given["poses"] = [doing.placed(one) for one in given["poses"]]
    if kind is s.MovePath and settings.blends.get(step.robot):
        given.setdefault("radius", settings.blends[step.robot])
    if given.get("point") == "tool" and step.robot in settings.tools:
        given["point"] = settings.tools[step.robot]
    return Done(kind, given, doing.simulator.time)


def traced_in_python(cell: wc.Cell, done: Sequence[Done]) -> Outcome:
    """The same steps as calls of Python; between them time passes as it did."""
    simulator, refused = wc.Simulator(cell), None
    for one in done:
        if simulator.time < one.time:
            simulator.advance(one.time)
        refused = None
        try:
            if one.kind is s.Together:
                _together(simulator, [(move.kind, move.values) for move in one.together])
            else:
                PYTHON[one.kind](simulator, one.values)
        except WorkcellError as error:
            refused = _refusal(error)
    return Outcome(recorded(simulator.recording), refused)


def traced_lines(cell: wc.Cell, done: Sequence[Done]) -> list[str] | None:
    """The same steps as lines to be typed; None where one of them cannot be."""
    lines = []
    for one in done:
        if isinstance(one.values.get("point"), wc.Pose):
            return None
        moves = [_line(cell, move) for move in one.together]
        lines.append("together " + " & ".join(moves) if moves else _line(cell, one))
    return lines


def _line(cell: wc.Cell, one: Done) -> str:
    session = cell.session
    name = next(name for name, kind in step_types().items() if kind is one.kind)
    command = session.registry.named(name)
    holds = {field.name: field.holds for field in fields_of(one.kind)}

    def text(name: str, value: Any) -> str:
        kinds = holds[name]
        if isinstance(kinds, Entity):
            value = next(found for kind in kinds.kinds if (found := session.database.find(kind, value)))
        elif isinstance(value, wc.Pose):
            value = Transform.exact(value)
        return command.syntax.params[name].text(value)

    given = {name: value for name, value in one.values.items() if value not in ("", None) or name == "process"}
    given = {name: value for name, value in given.items() if value != ""}
    return command.syntax.canonical(given, text)

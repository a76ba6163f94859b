"""Commands that move robots: move joints, together, set joints, speed, profile, branch, wait, mode, watch, reset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.branches import Branch
from workcell.commands.language.joint_values import JointSpeed, JointVector, slides
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import Command, command
from workcell.commands.language.tokens import Tokens
from workcell.commands.language.values import Choice, Number, Value
from workcell.commands.moved import Moved, MovedTogether, made, moved
from workcell.commands.results import Done
from workcell.commands.typed_steps import carried_out
from workcell.errors import Refused
from workcell.motion.profile_names import PROFILES
from workcell.programs import steps as s
from workcell.simulation.conveyors import require_no_runs
from workcell.world.beginning import begin_with
from workcell.world.body import unknown_after
from workcell.world.entities import Entity
from workcell.world.setup import MODE, MODES, STEP

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.modes import Mode

_PUMA = "> create robot Puma puma560 joints 0,0,-90,0,90,0"


PROFILE = Choice(PROFILES, "PROFILE")


@command(
    "move-joints-relative {robot} {joints} [profile {profile}]",
    help="move all joints of a robot by these amounts",
    effect="simulates",
    robot=Ref("robot", "mechanism", "machine"),
    joints=JointVector(),
    profile=PROFILE,
    examples=[_PUMA, "move-joints-relative Puma -70,-10,10,30,-20,-10"],
)
def move_joints_relative(session: Session, **given: Any) -> Moved:
    """The joint that moves most has the robot's speed, the others arrive with it."""
    return moved(session, s.MoveJointsRelative, given)


@command(
    "move-joints-absolute {robot} {joints} [profile {profile}]",
    help="move all joints of a robot to these values",
    effect="simulates",
    robot=Ref("robot", "mechanism", "machine"),
    joints=JointVector(),
    profile=PROFILE,
    examples=[
        _PUMA,
        "move-joints-absolute Puma -60,0,-70,0,90,30",
        "move-joints-absolute Puma 0,0,-90,0,90,0 profile jerk",
    ],
)
def move_joints_absolute(session: Session, **given: Any) -> Moved:
    """The joint that moves most has the robot's speed, the others arrive with it."""
    return moved(session, s.MoveJointsAbsolute, given)


@command(
    "set joints {robot} {joints}",
    help="put a robot there at once: no motion, no time",
    effect="simulates",
    robot=Ref("robot", "mechanism", "machine"),
    joints=JointVector(),
    examples=[_PUMA, "set joints Puma 0,0,-45,0,45,0"],
)
def set_joints(session: Session, **given: Any) -> Done:
    """The clock stands still."""
    carried_out(session, s.SetJoints, given)
    return Done(f"{given['robot'].name} set")


@command(
    "speed {robot} {speed}",
    help="set the speed of the joint that moves most, for the moves to come",
    effect="edits",
    robot=Ref("robot", "mechanism"),
    speed=JointSpeed(),
    param_help={"speed": "an angle a second, or a length a second where all joints slide"},
    examples=[_PUMA, "speed Puma 0.3rad/s", "> add conveyor belt 2000 at 0,1000,0", "speed belt 100mm/s"],
)
def speed(session: Session, robot: Entity, speed: float) -> Done:
    """Kept with the robot in the cell."""
    from workcell.errors import InvalidValue
    from workcell.simulation.joint_mover import SLOWEST

    if speed < SLOWEST:
        raise InvalidValue(f"The speed of {robot.name} must be at least {SLOWEST:g} rad/s or m/s; found {speed:g}.")
    session.database.set_properties(session.rows, robot, {"speed": float(speed)})
    kinds = slides(robot)
    quantity = "speed" if kinds and all(kinds) else "angular speed"
    return Done(f"speed of {robot.name}: {session.units.show(float(speed), quantity)}")


@command(
    "profile {robot} {profile}",
    help="choose how position grows with time, for the moves to come",
    effect="edits",
    robot=Ref("robot", "mechanism"),
    profile=PROFILE,
    examples=[_PUMA, "profile Puma trapezoid"],
)
def profile(session: Session, robot: Entity, profile: str) -> Done:
    """Kept with the robot in the cell; all but `linear` keep accelerations. `default-profile` is for all others."""
    session.database.set_properties(session.rows, robot, {"profile": profile})
    return Done(f"profile of {robot.name}: {profile}")


@command(
    "branch {robot} {branch}",
    help="choose which inverse solution the moves of the hand take",
    effect="edits",
    robot=Ref("robot"),
    branch=Branch(),
    examples=[_PUMA, "branch Puma nearest", "branch Puma agent:60", "branch Puma frozen"],
)
def branch(session: Session, robot: Entity, branch: str) -> Done:
    """Kept with the robot in the cell; `frozen` keeps the one that the arm stands in now."""
    if branch == "frozen":
        from workcell.simulation.branch_policy import resolved

        joints = session.state.joints.get(robot.name)
        if joints is None:
            raise Refused(f"{robot.name} does not stand in the scene, so it is in no branch; `place` it first.")
        branch = resolved(session.snapshot().robot(robot.name).robot, robot.name, branch, joints)
    session.database.set_properties(session.rows, robot, {"branch": branch})
    return Done(f"branch of {robot.name}: {branch}")


class Moves(Value):
    """Moves that start together, with ``&`` between them."""

    label = "MOVE & MOVE …"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Each is a command of its own."""
        from workcell.commands.language.step_reader import step_types

        column, text = tokens.column, tokens.rest()
        lines = [line.strip() for line in text.split(" & ")]
        found = [session.registry.tree.parse(line, session) for line in lines if line]
        for one, _ in found:
            if step_types().get(one.name) not in s.MOVES:
                raise tokens.fail(f"Only moves can start together; `{one.name}` is none.", [self.label], column)
        if len(found) < 2:
            raise tokens.fail("Two or more moves start together, with & between them.", [self.label], column)
        return found

    def text(self, value: Any) -> str:
        """The canonical lines."""
        return " & ".join(_line(one, values) for one, values in value)


def _line(one: Command, values: dict[str, Any]) -> str:
    return one.syntax.canonical(values, lambda name, value: one.syntax.params[name].text(value))


@command(
    "together {moves}",
    help="start moves of several robots at once; the next command waits for the slowest",
    effect="simulates",
    moves=Moves(),
    examples=[
        _PUMA,
        "> create robot Puma2 puma560 at 0,1500,0 joints 0,0,-90,0,90,0",
        "together move-joints-relative Puma 10,0,0,0,0,0 & move-joints-relative Puma2 0,20,0,0,0,0",
    ],
)
def together(session: Session, moves: list[tuple[Command, dict[str, Any]]]) -> MovedTogether:
    """Every robot may move once; when one move is refused, none is made."""
    begin = session.simulator_now
    with session.simulator.together():
        answers = [one.run(session, **values) for one, values in moves]
    return MovedTogether([made(session, told, begin) for told in answers], session.simulator_time)


def _know(session: Session, signal: Entity) -> None:
    """Let the simulator know a signal also where there is no scene yet."""
    if signal.kind == "signal":
        session.simulator.signals.setdefault(signal.name, float(signal.properties.get("value", 0.0)))


@command(
    "set-signal {signal} {value}",
    help="give a signal a value",
    effect="simulates",
    while_paused=True,
    signal=Ref("signal", "sensor"),
    value=Number(),
    examples=["> create signal ready", "set-signal ready 1"],
)
def set_signal(session: Session, signal: Entity, value: float) -> Done:
    """From this instant on; while a run is paused, in that run."""
    if session.paused is not None:
        session.paused.set_signal(signal, value)
        return Done(f"{signal.name} = {value:g}")
    _know(session, signal)
    carried_out(session, s.SetSignal, {"signal": signal, "value": value})
    return Done(f"{signal.name} = {value:g}")


@command(
    "wait-for {signal} [{value}]",
    help="go on only when a signal has a value",
    effect="simulates",
    signal=Ref("signal", "sensor"),
    value=Number(),
    param_help={"value": "1 unless given"},
    examples=[
        "> create signal ready",
        "> set-signal ready 1",
        "wait-for ready",
        "> add light-barrier gate from 0,-100,50 to 0,100,50",
        "> add solid part box 50 50 100 at 0,0,50",
        "wait-for gate",
    ],
)
def wait_for(session: Session, signal: Entity, value: float = 1.0) -> Done:
    """Refused when nothing that runs could give it that value."""
    _know(session, signal)
    session.simulator.wait_for(signal.name, value)
    return Done(f"{signal.name} is {value:g}")


@command(
    "wait {seconds}",
    help="let simulated time pass",
    effect="simulates",
    seconds=Number("time"),
    examples=["wait 1.5s"],
)
def wait(session: Session, seconds: float) -> Done:
    """Nothing moves meanwhile."""
    session.simulator.wait(seconds)
    return Done(f"simulated time {session.simulator_time:.4f} s")


@command(
    "mode {mode}",
    help="choose how motions are simulated",
    effect="edits",
    mode=Choice(MODES),
    examples=["mode path"],
)
def mode(session: Session, mode: Mode) -> Done:
    """Kept in the cell; holds until another is chosen."""
    if mode == "joint-by-joint" and not session.replaying:
        require_no_runs(session.simulator)
    session.database.set_setting(session.rows, MODE, mode)
    return Done(f"simulation mode: {mode}")


@command(
    "step {angle}",
    help="set how far the joint that moves most goes between two recorded samples",
    effect="edits",
    angle=Number("angle", positive=True),
    examples=["step 10deg"],
)
def step(session: Session, angle: float) -> Done:
    """Kept in the cell; one degree by default."""
    session.database.set_setting(session.rows, STEP, repr(float(angle)))
    return Done(f"step: {session.units.show(angle, 'angle')}")


@command(
    "watch {how} [--allow-undecided]",
    help="look for collisions while robots and solids move, and stop before one",
    effect="edits",
    how=Choice(
        {
            "yes": "at every recorded sample",
            "no": "do not look",
            "certified": "prove every motion free at every instant",
        },
        "yes|no|certified",
    ),
    param_help={"allow_undecided": "go on where neither contact nor freedom can be proved"},
    examples=[_PUMA, "watch yes", "watch certified", "watch certified --allow-undecided", "watch no"],
)
def watch(session: Session, how: str, allow_undecided: bool = False) -> Done:
    """What would touch something stands at the last good instant; with `certified`, at the last one that is proved."""
    if allow_undecided and how != "certified":
        raise Refused("Only a proof can be undecided; `watch certified --allow-undecided`.")
    kept = {"yes": "yes", "no": "", "certified": "certified undecided" if allow_undecided else "certified"}[how]
    session.database.set_setting(session.rows, "watch", kept)
    told = {"yes": "collisions are watched", "no": "collisions are not watched"}
    told["certified"] = "motions are proved free of collisions before they are made"
    text = told[how] + (", where that can be decided" if allow_undecided else "")
    return Done(text + (unknown_after(session.snapshot().unknown) if how != "no" else ""))


@command(
    "reset",
    help="put everything back to the initial state and the clock to zero",
    effect="simulates",
    examples=[_PUMA, "> move-joints-relative Puma 10,0,0,0,0,0", "reset"],
)
def reset(session: Session) -> Done:
    """What was recorded is forgotten; `undo` brings the state back."""
    session.ongoing.restart(session.snapshot().initial)
    return Done("initial state, simulated time 0 s")


@command(
    "keep state",
    help="make the present state the initial one",
    effect="edits",
    examples=[_PUMA, "> move-joints-relative Puma 10,0,0,0,0,0", "keep state"],
)
def keep_state(session: Session) -> Done:
    """Joint values, poses, what lies on links, and signals go into the cell; the clock starts at zero."""
    begin_with(session.database, session.rows, session.snapshot(), session.state)
    return Done("the present state is the initial one")

"""Commands that move joints, and that set how robots move: speed, profile, branch, mode, watch and others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.branches import Branch
from workcell.commands.language.joint_values import JointSpeed, JointVector, slides
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Choice, Number
from workcell.commands.moved import Moved, moved
from workcell.commands.results import Done
from workcell.commands.typed_steps import carried_out
from workcell.errors import Refused
from workcell.motion.profile_names import PROFILES
from workcell.programs import steps as s
from workcell.simulation.conveyors import require_no_runs
from workcell.world.beginning import begin_with
from workcell.world.body import unknown_after
from workcell.world.entities import Entity
from workcell.world.setup import LARGE_MOVE, MODE, MODES, STEP

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.modes import Mode

_PUMA = "> create robot Puma puma560 joints 0,0,-90,0,90,0"


PROFILE = Choice(PROFILES, "PROFILE")


@command(
    "move-joints-relative {robot} {joints} [profile {profile}]",
    help="move all joints of a robot by given amounts",
    effect="simulates",
    robot=Ref("robot", "mechanism", "machine"),
    joints=JointVector(),
    profile=PROFILE,
    param_help={"profile": "the speed profile of this move; default: that of the robot"},
    examples=[_PUMA, "move-joints-relative Puma -70,-10,10,30,-20,-10"],
)
def move_joints_relative(session: Session, **given: Any) -> Moved:
    """The joint that moves most moves at the speed of the robot. All joints arrive together."""
    return moved(session, s.MoveJointsRelative, given)


@command(
    "move-joints-absolute {robot} {joints} [profile {profile}]",
    help="move all joints of a robot to given values",
    effect="simulates",
    robot=Ref("robot", "mechanism", "machine"),
    joints=JointVector(),
    profile=PROFILE,
    param_help={"profile": "the speed profile of this move; default: that of the robot"},
    examples=[
        _PUMA,
        "move-joints-absolute Puma -60,0,-70,0,90,30",
        "move-joints-absolute Puma 0,0,-90,0,90,0 profile jerk",
    ],
)
def move_joints_absolute(session: Session, **given: Any) -> Moved:
    """The joint that moves most moves at the speed of the robot. All joints arrive together."""
    return moved(session, s.MoveJointsAbsolute, given)


@command(
    "set joints {robot} {joints}",
    help="set the joints of a robot to given values at once, without a motion",
    effect="simulates",
    robot=Ref("robot", "mechanism", "machine"),
    joints=JointVector(),
    examples=[_PUMA, "set joints Puma 0,0,-45,0,45,0"],
)
def set_joints(session: Session, **given: Any) -> Done:
    """No time passes."""
    carried_out(session, s.SetJoints, given)
    return Done(f"{given['robot'].name} set")


@command(
    "speed {robot} {speed}",
    help="set the speed of later moves, as the speed of the joint that moves most",
    effect="edits",
    robot=Ref("robot", "mechanism"),
    speed=JointSpeed(),
    param_help={"speed": "in angle per second, or in length per second if all joints slide"},
    examples=[_PUMA, "speed Puma 0.3rad/s", "> add conveyor belt 2000 at 0,1000,0", "speed belt 100mm/s"],
)
def speed(session: Session, robot: Entity, speed: float) -> Done:
    """The speed belongs to the robot and is saved in the cell. In a program it applies to the rest of the run."""
    from workcell.motion.speeds import required_speed

    required_speed(speed, f"The speed of {robot.name}", "rad/s or m/s")
    session.database.set_properties(session.rows, robot, {"speed": float(speed)})
    kinds = slides(robot)
    quantity = "speed" if kinds and all(kinds) else "angular speed"
    return Done(f"speed of {robot.name}: {session.units.show(float(speed), quantity)}")


@command(
    "profile {robot} {profile}",
    help="choose the speed profile of later moves",
    effect="edits",
    robot=Ref("robot", "mechanism"),
    profile=PROFILE,
    examples=[_PUMA, "profile Puma trapezoid"],
)
def profile(session: Session, robot: Entity, profile: str) -> Done:
    """The profile belongs to the robot and is saved in the cell.

    All profiles but `linear` obey the limits of acceleration.

    `default-profile` sets the profile of robots that have none of their own.
    """
    session.database.set_properties(session.rows, robot, {"profile": profile})
    return Done(f"profile of {robot.name}: {profile}")


@command(
    "branch {robot} {branch}",
    help="choose the branch of inverse kinematics for moves of the hand",
    effect="edits",
    robot=Ref("robot"),
    branch=Branch(),
    examples=[_PUMA, "branch Puma nearest", "branch Puma agent:60", "branch Puma frozen"],
)
def branch(session: Session, robot: Entity, branch: str) -> Done:
    """The branch belongs to the robot and is saved in the cell. `frozen` keeps the branch that the arm is in now.

    `agent` uses the limit of `large-move-limit`, if that was set.
    """
    if branch == "frozen":
        from workcell.simulation.branch_policy import resolved

        joints = session.state.joints.get(robot.name)
        if joints is None:
            raise Refused(f"{robot.name} is not in the scene, so it has no current branch; `place` it first.")
        branch = resolved(session.snapshot().robot(robot.name).robot, robot.name, branch, joints)
    limit = session.database.setting(LARGE_MOVE)
    if branch == "agent" and limit:
        from workcell.simulation.branch_policy import large_move_rule

        branch = large_move_rule(float(limit))
    session.database.set_properties(session.rows, robot, {"branch": branch})
    return Done(f"branch of {robot.name}: {branch}")


def _know(session: Session, signal: Entity) -> None:
    """Add a signal to the simulator, even if there is no scene yet."""
    if signal.kind == "signal":
        session.simulator.signals.setdefault(signal.name, float(signal.properties.get("value", 0.0)))


@command(
    "set-signal {signal} {value}",
    help="set the value of a signal",
    effect="simulates",
    while_paused=True,
    signal=Ref("signal", "sensor"),
    value=Number(),
    param_help={"value": "the new value"},
    examples=["> create signal ready", "set-signal ready 1"],
)
def set_signal(session: Session, signal: Entity, value: float) -> Done:
    """While a run is paused, the signal is set in that run."""
    if session.paused is not None:
        session.paused.set_signal(signal, value)
        return Done(f"{signal.name} = {value:g}")
    _know(session, signal)
    carried_out(session, s.SetSignal, {"signal": signal, "value": value})
    return Done(f"{signal.name} = {value:g}")


@command(
    "wait-for {signal} [{value}]",
    help="wait until a signal has a value",
    effect="simulates",
    signal=Ref("signal", "sensor"),
    value=Number(),
    param_help={"value": "default 1"},
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
    """This is refused if nothing that runs can change the signal."""
    _know(session, signal)
    session.simulator.wait_for(signal.name, value)
    return Done(f"{signal.name} is {value:g}")


@command(
    "wait {seconds}",
    help="let simulated time pass",
    effect="simulates",
    seconds=Number("time"),
    param_help={"seconds": "how long, in seconds"},
    examples=["wait 1.5s"],
)
def wait(session: Session, seconds: float) -> Done:
    """Robots stand still meanwhile. Conveyors keep running, and parts on them move."""
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
    """The mode is saved in the cell."""
    if mode == "joint-by-joint" and not session.replaying:
        require_no_runs(session.simulator)
    session.database.set_setting(session.rows, MODE, mode)
    return Done(f"simulation mode: {mode}")


@command(
    "step {angle}",
    help="set how far the joint that moves most goes between two recorded samples",
    effect="edits",
    angle=Number("angle", positive=True),
    param_help={"angle": "default 1°"},
    examples=["step 10deg"],
)
def step(session: Session, angle: float) -> Done:
    """The step is saved in the cell."""
    session.database.set_setting(session.rows, STEP, repr(float(angle)))
    return Done(f"step: {session.units.show(angle, 'angle')}")


@command(
    "watch {how} [--allow-undecided]",
    help="test for collisions while something moves, and stop before one",
    effect="edits",
    how=Choice(
        {
            "yes": "at every recorded sample",
            "no": "do not test",
            "certified": "prove every motion free at every instant",
        },
        "yes|no|certified",
    ),
    param_help={
        "allow_undecided": "continue if a proof can show neither a contact nor freedom from collisions",
        "how": "yes: test at every recorded sample; no: do not test; certified: prove each motion free at every "
        "instant",
    },
    examples=[_PUMA, "watch yes", "watch certified", "watch certified --allow-undecided", "watch no"],
)
def watch(session: Session, how: str, allow_undecided: bool = False) -> Done:
    """A move that would touch something stops at the last free instant.

    With `certified`, it stops where the proof ends.
    """
    if allow_undecided and how != "certified":
        raise Refused("--allow-undecided applies only to proofs; use `watch certified --allow-undecided`.")
    kept = {"yes": "yes", "no": "", "certified": "certified undecided" if allow_undecided else "certified"}[how]
    session.database.set_setting(session.rows, "watch", kept)
    answers = {"yes": "collisions are watched", "no": "collisions are not watched"}
    answers["certified"] = "motions are proved free of collisions before they are made"
    text = answers[how] + (", where that can be decided" if allow_undecided else "")
    return Done(text + (unknown_after(session.snapshot().unknown) if how != "no" else ""))


@command(
    "reset",
    help="return everything to the initial state, and the clock to zero",
    effect="simulates",
    examples=[_PUMA, "> move-joints-relative Puma 10,0,0,0,0,0", "reset"],
)
def reset(session: Session) -> Done:
    """The recording is cleared. `undo` restores the state."""
    session.ongoing.restart(session.snapshot().initial)
    return Done("initial state, simulated time 0 s")


@command(
    "keep state",
    help="make the current state the initial state",
    effect="edits",
    examples=[_PUMA, "> move-joints-relative Puma 10,0,0,0,0,0", "keep state"],
)
def keep_state(session: Session) -> Done:
    """Joint values, poses, held parts and signals are saved in the cell. The clock starts at zero.

    While a run is paused, the state before the run is saved.
    """
    begin_with(session.database, session.rows, session.snapshot(), session.state)
    what = "current state" if session.paused is None else f"state before {session.paused.called}"
    return Done(f"the {what} is now the initial state")

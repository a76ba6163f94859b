"""Commands that move robots: move, set joints, speed, wait, mode, run, reset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.registry import command
from workcell.commands.results import Done, Result
from workcell.commands.script import logical_lines
from workcell.commands.tokens import Tokens
from workcell.commands.values import Choice, Number, Ref, Vector, read_number
from workcell.errors import CommandSyntaxError, Refused, UnknownName, WorkcellError
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.simulator import Mode, SimulatedRobot

_PUMA = "> create robot Puma puma560 joints 0,0,-90,0,90,0"


class JointVector(Vector):
    """Joint values of the robot named before: angles for turning joints, lengths for sliding ones."""

    def __init__(self) -> None:
        super().__init__("number", None, "Q1,Q2,…")

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """As many values as the robot has joints, each in the unit of its joint."""
        robot = simulated(session, seen["robot"]).robot
        column = tokens.column
        words = self.words(tokens)
        if len(words) != robot.n:
            raise tokens.fail(
                f"{seen['robot'].name} has {robot.n} joints; found {len(words)} value{'s' if len(words) != 1 else ''}.",
                [self.label],
                column,
            )
        values = []
        for word, row in zip(words, robot.rows, strict=True):
            quantity = "length" if row.prismatic else "angle"
            try:
                values.append(read_number(Tokens(word), session, quantity, quantity.upper()))
            except CommandSyntaxError as error:
                raise tokens.fail(error.message, [self.label], column) from None
        return tuple(values)


class Moved(Result, frozen=True):
    """A robot moved: how long it took and what the clock says [s]."""

    robot: str
    duration: float
    time: float

    def __str__(self) -> str:
        return f"{self.robot} moved in {self.duration:.4f} s; simulated time {self.time:.4f} s"


def simulated(session: Session, entity: Entity) -> SimulatedRobot:
    """The robot in the session's simulator; one that stands in no scene is refused."""
    try:
        return session.simulator.robot(entity.name)
    except UnknownName as error:
        raise Refused(f"Robot {entity.name!r} stands in no scene; `place {entity.name} at …` first.") from error


@command(
    "move-joints-relative {robot} {joints}",
    help="move all joints of a robot by these amounts",
    effect="simulates",
    robot=Ref("robot", "mechanism"),
    joints=JointVector(),
    examples=[_PUMA, "move-joints-relative Puma -70,-10,10,30,-20,-10"],
)
def move_joints_relative(session: Session, robot: Entity, joints: tuple[float, ...]) -> Moved:
    """The joint that moves most has the robot's speed, the others arrive with it."""
    duration = simulated(session, robot).move_joints_relative(joints)
    return Moved(robot.name, duration, session.simulator_time)


@command(
    "move-joints-absolute {robot} {joints}",
    help="move all joints of a robot to these values",
    effect="simulates",
    robot=Ref("robot", "mechanism"),
    joints=JointVector(),
    examples=[_PUMA, "move-joints-absolute Puma -60,0,-70,0,90,30"],
)
def move_joints_absolute(session: Session, robot: Entity, joints: tuple[float, ...]) -> Moved:
    """The joint that moves most has the robot's speed, the others arrive with it."""
    duration = simulated(session, robot).move_joints_absolute(joints)
    return Moved(robot.name, duration, session.simulator_time)


@command(
    "set joints {robot} {joints}",
    help="put a robot there at once: no motion, no time",
    effect="simulates",
    robot=Ref("robot", "mechanism"),
    joints=JointVector(),
    examples=[_PUMA, "set joints Puma 0,0,-45,0,45,0"],
)
def set_joints(session: Session, robot: Entity, joints: tuple[float, ...]) -> Done:
    """The clock stands still."""
    simulated(session, robot).set_joints(joints)
    return Done(f"{robot.name} set")


@command(
    "speed {robot} {speed}",
    help="set the speed of the joint that moves most, for the moves to come",
    effect="edits",
    robot=Ref("robot", "mechanism"),
    speed=Number("angular speed", positive=True),
    examples=[_PUMA, "speed Puma 0.3rad/s"],
)
def speed(session: Session, robot: Entity, speed: float) -> Done:
    """Kept with the robot in the cell."""
    session.database.set_properties(session.rows, robot, {"speed": speed})
    return Done(f"speed of {robot.name}: {session.units.show(speed, 'angular speed')}")


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
    effect="view",
    mode=Choice(
        {
            "joint-by-joint": "one joint after the other",
            "path": "all together",
            "playback": "record, then show",
        }
    ),
    examples=["mode path"],
)
def mode(session: Session, mode: Mode) -> Done:
    """Holds until another is chosen."""
    session.set_mode(mode)
    return Done(f"simulation mode: {mode}")


@command(
    "step {angle}",
    help="set how far the joint that moves most goes between two recorded samples",
    effect="view",
    angle=Number("angle", positive=True),
    examples=["step 10deg"],
)
def step(session: Session, angle: float) -> Done:
    """One degree unless set."""
    session.simulator.step = angle
    return Done(f"step: {session.units.show(angle, 'angle')}")


class Ran(Result, frozen=True):
    """A program ran: how many commands, and what the clock says [s]."""

    program: str
    commands: int
    time: float

    def __str__(self) -> str:
        return f"{self.program}: {self.commands} commands, simulated time {self.time:.4f} s"


@command(
    "run {program}",
    help="carry out a program of the cell from the initial state",
    effect="edits",
    own_transaction=True,
    program=Ref("program"),
    examples=[
        _PUMA,
        "> create program demo",
        '> modify demo text "speed Puma 0.3rad/s%0Await 1"',
        "run demo",
    ],
)
def run(session: Session, program: Entity) -> Ran:
    """Its lines are commands; at a refused one it stops, and the answer says which. One step of the history."""
    lines = str(program.properties.get("text", "")).splitlines()
    own_group = not session.database.in_group
    if own_group:
        session.database.begin_group(session.who)
    done = 0
    try:
        session.do("reset")
        for number, text in logical_lines(lines):
            try:
                session.do(text)
            except WorkcellError as error:
                raise Refused(f"Line {number} of program {program.name!r}: {error}", line_number=number) from error
            done += 1
    finally:
        if own_group:
            session.database.end_group()
    return Ran(program.name, done, session.simulator_time)


@command(
    "reset",
    help="put everything back to the initial state and the clock to zero",
    effect="simulates",
    examples=[_PUMA, "> move-joints-relative Puma 10,0,0,0,0,0", "reset"],
)
def reset(session: Session) -> Done:
    """What was recorded is forgotten; `undo` brings the state back."""
    session.restart(session.snapshot().initial)
    return Done("initial state, simulated time 0 s")


@command(
    "keep state",
    help="make the present state the initial one",
    effect="edits",
    examples=[_PUMA, "> move-joints-relative Puma 10,0,0,0,0,0", "keep state"],
)
def keep_state(session: Session) -> Done:
    """Joint values and poses of free things go into the cell; the clock starts at zero."""
    from workcell.spatial.transform import Transform

    database, state, snapshot = session.database, session.state, session.snapshot()
    for placed in snapshot.robots:
        entity = database.find("robot", placed.name) or database.entity("mechanism", placed.name)
        database.set_properties(session.rows, entity, {"joints": state.joints[placed.name].tolist()})
    scene = database.entity("scene", snapshot.scene) if snapshot.scene else None
    for relation in database.relations(scene) if scene else []:
        pose = state.poses.get(database.by_id(relation.child).name)
        if pose is not None and pose != snapshot.initial.poses.get(database.by_id(relation.child).name):
            database.set_transform(session.rows, relation, Transform.from_pose(pose))
    database.set_state(session.rows, "")
    return Done("the present state is the initial one")

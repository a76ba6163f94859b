"""Commands that move robots: move joints, together, set joints, speed, profile, branch, wait, mode, run, reset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.references import Ref
from workcell.commands.registry import Command, command
from workcell.commands.results import Done, Result
from workcell.commands.script import logical_lines
from workcell.commands.tokens import Tokens
from workcell.commands.values import Choice, Number, Value, Vector, YesNo, read_number
from workcell.errors import CommandSyntaxError, Refused, UnknownName, WorkcellError
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.simulated_robot import SimulatedRobot
    from workcell.simulation.simulator import Mode, Simulator

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


PROFILE = Choice(
    {
        "linear": "constant speed, as in the thesis",
        "345": "the 3-4-5 polynomial",
        "trapezoid": "constant acceleration, speed, deceleration",
        "jerk": "limited jerk",
        "time-optimal": "the fastest within the limits",
    },
    "PROFILE",
)


class Branch(Value):
    """Which inverse solution is taken."""

    label = "BRANCH"
    help = "nearest, roomiest, agent, the Agent's index 0…7, or Ding's signs of A, E, W such as -+-"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """A policy by name, an index, or three signs."""
        from workcell.errors import InvalidValue
        from workcell.simulation.branch_policy import checked_policy

        if tokens.done:
            raise tokens.fail(f"Expected a branch: {self.help}.", [self.label])
        token = tokens.take()
        try:
            return checked_policy(token.text)
        except InvalidValue as error:
            raise tokens.fail(str(error), [self.label], token.start) from None

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> list[tuple[str, str]]:
        """The policies."""
        from workcell.simulation.branch_policy import POLICIES

        return [(word, help) for word, help in POLICIES.items() if word.startswith(prefix)]

    def checked(self, value: Any) -> Any:
        """An index as a number, too."""
        from workcell.simulation.branch_policy import checked_policy

        return checked_policy(value)


class Moved(Result, frozen=True):
    """A robot moved: how long it took, what the clock says [s], how far the hand left its curve [m]."""

    robot: str
    duration: float
    time: float
    limited: str = ""
    deviation: float | None = None

    def __str__(self) -> str:
        text = f"{self.robot} moved in {self.duration:.4f} s; simulated time {self.time:.4f} s"
        return text if self.deviation is None else f"{text}; off its curve by {self.deviation * 1e3:.2g} mm at most"


def moved(session: Session, robot: Entity, duration: float) -> Moved:
    """What to answer after a move; between moves that start together the clock has not advanced yet."""
    moves = session.simulator_moves
    last = next((move for move in reversed(moves) if move.robot == robot.name), None)
    if last is None or last.end < session.simulator_time:
        return Moved(robot.name, duration, session.simulator_time)
    return Moved(robot.name, duration, session.simulator_time, last.limited, last.deviation)


def simulated(session: Session, entity: Entity) -> SimulatedRobot:
    """The robot in the session's simulator; one that stands in no scene is refused."""
    try:
        one = session.simulator.robot(entity.name)
    except UnknownName as error:
        raise Refused(f"Robot {entity.name!r} stands in no scene; `place {entity.name} at …` first.") from error
    one.profile(str(entity.properties.get("profile", "linear")))
    one.branch(str(entity.properties.get("branch", "nearest")))
    _set_watch(session)
    return one


def _set_watch(session: Session) -> None:
    """Let the simulator watch for collisions where the cell says so, by the cell's own table of pairs."""
    simulator = session.simulator
    if session.database.setting("watch") != "yes":
        simulator.watch = None
        return
    from workcell.commands.collisions import pair_table
    from workcell.simulation.watching import Watch

    table = pair_table(session)
    if simulator.watch is None or simulator.watch.pairs != table:
        simulator.watch = Watch(simulator.snapshot, table)


@command(
    "move-joints-relative {robot} {joints} [profile {profile}]",
    help="move all joints of a robot by these amounts",
    effect="simulates",
    robot=Ref("robot", "mechanism"),
    joints=JointVector(),
    profile=PROFILE,
    examples=[_PUMA, "move-joints-relative Puma -70,-10,10,30,-20,-10"],
)
def move_joints_relative(session: Session, robot: Entity, joints: tuple[float, ...], profile: str = "") -> Moved:
    """The joint that moves most has the robot's speed, the others arrive with it."""
    return moved(session, robot, simulated(session, robot).move_joints_relative(joints, profile))


@command(
    "move-joints-absolute {robot} {joints} [profile {profile}]",
    help="move all joints of a robot to these values",
    effect="simulates",
    robot=Ref("robot", "mechanism"),
    joints=JointVector(),
    profile=PROFILE,
    examples=[
        _PUMA,
        "move-joints-absolute Puma -60,0,-70,0,90,30",
        "move-joints-absolute Puma 0,0,-90,0,90,0 profile jerk",
    ],
)
def move_joints_absolute(session: Session, robot: Entity, joints: tuple[float, ...], profile: str = "") -> Moved:
    """The joint that moves most has the robot's speed, the others arrive with it."""
    return moved(session, robot, simulated(session, robot).move_joints_absolute(joints, profile))


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
    "profile {robot} {profile}",
    help="choose how position grows with time, for the moves to come",
    effect="edits",
    robot=Ref("robot", "mechanism"),
    profile=PROFILE,
    examples=[_PUMA, "profile Puma trapezoid"],
)
def profile(session: Session, robot: Entity, profile: str) -> Done:
    """Kept with the robot in the cell; all but `linear` keep acceleration limits."""
    session.database.set_properties(session.rows, robot, {"profile": profile})
    return Done(f"profile of {robot.name}: {profile}")


@command(
    "branch {robot} {branch}",
    help="choose which inverse solution the moves of the hand take",
    effect="edits",
    robot=Ref("robot"),
    branch=Branch(),
    examples=[_PUMA, "branch Puma nearest"],
)
def branch(session: Session, robot: Entity, branch: str) -> Done:
    """Kept with the robot in the cell."""
    session.database.set_properties(session.rows, robot, {"branch": branch})
    return Done(f"branch of {robot.name}: {branch}")


class Moves(Value):
    """Moves that start together, with ``&`` between them."""

    label = "MOVE & MOVE …"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Each is a command of its own."""
        column, text = tokens.column, tokens.rest()
        lines = [line.strip() for line in text.split(" & ")]
        found = [session.registry.tree.parse(line, session) for line in lines if line]
        for one, _ in found:
            if not one.name.startswith("move-"):
                raise tokens.fail(f"Only moves can start together; `{one.name}` is none.", [self.label], column)
        if len(found) < 2:
            raise tokens.fail("Two or more moves start together, with & between them.", [self.label], column)
        return found

    def text(self, value: Any) -> str:
        """The canonical lines."""
        return " & ".join(_line(one, values) for one, values in value)


def _line(one: Command, values: dict[str, Any]) -> str:
    return one.syntax.canonical(values, lambda name, value: one.syntax.params[name].text(value))


class MovedTogether(Result, frozen=True):
    """Robots moved together: each with its duration, and what the clock says [s]."""

    moves: list[Moved]
    time: float

    def __str__(self) -> str:
        parts = ", ".join(f"{move.robot} in {move.duration:.4f} s" for move in self.moves)
        return f"{parts}; simulated time {self.time:.4f} s"


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
    with session.simulator.together():
        answers = [one.run(session, **values) for one, values in moves]
    return MovedTogether(answers, session.simulator_time)


def _with_signal(session: Session, signal: Entity) -> Simulator:
    """The simulator, knowing a signal also where there is no scene yet."""
    simulator = session.simulator
    simulator.signals.setdefault(signal.name, float(signal.properties.get("value", 0.0)))
    return simulator


@command(
    "set-signal {signal} {value}",
    help="give a signal a value",
    effect="simulates",
    signal=Ref("signal"),
    value=Number(),
    examples=["> create signal ready", "set-signal ready 1"],
)
def set_signal(session: Session, signal: Entity, value: float) -> Done:
    """From this instant on."""
    _with_signal(session, signal).set_signal(signal.name, value)
    return Done(f"{signal.name} = {value:g}")


@command(
    "wait-for {signal} [{value}]",
    help="go on only when a signal has a value",
    effect="simulates",
    signal=Ref("signal"),
    value=Number(),
    param_help={"value": "1 unless given"},
    examples=["> create signal ready", "> set-signal ready 1", "wait-for ready"],
)
def wait_for(session: Session, signal: Entity, value: float = 1.0) -> Done:
    """Refused when nothing that runs could give it that value."""
    _with_signal(session, signal).wait_for(signal.name, value)
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


@command(
    "watch {on}",
    help="look for collisions while robots move, and stop before one",
    effect="edits",
    on=YesNo(),
    examples=[_PUMA, "watch yes", "watch no"],
)
def watch(session: Session, on: bool) -> Done:
    """At every recorded sample; a robot that would touch something stands at the last good instant."""
    session.database.set_setting(session.rows, "watch", "yes" if on else "")
    return Done("collisions are watched" if on else "collisions are not watched")


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
    """Joint values, poses of free things and signals go into the cell; the clock starts at zero."""
    from workcell.commands.model import leave_standing
    from workcell.spatial.transform import Transform
    from workcell.world.standing import stands

    database, state, snapshot = session.database, session.state, session.snapshot()
    for part, held in sorted(state.attached.items()):
        if held != snapshot.initial.attached.get(part):
            owner = snapshot.body(held.frame).owner
            raise Refused(f"{owner} holds {part}, which a cell cannot begin with; let it go first.", part=part)
    for placed in snapshot.robots:
        entity = database.find("robot", placed.name) or database.entity("mechanism", placed.name)
        database.set_properties(session.rows, entity, {"joints": state.joints[placed.name].tolist()})
    scene = database.entity("scene", snapshot.scene) if snapshot.scene else None
    for relation in database.relations(scene) if scene else []:
        pose = state.poses.get(database.by_id(relation.child).name)
        if pose is not None and pose != snapshot.initial.poses.get(database.by_id(relation.child).name):
            if scene is not None and stands(relation):
                leave_standing(session, scene, relation)
            database.set_transform(session.rows, relation, Transform.from_pose(pose))
    for name, value in state.signals.items():
        signal = database.find("signal", name)
        if signal is not None and value != float(signal.properties.get("value", 0.0)):
            database.set_properties(session.rows, signal, {"value": value})
    database.set_state(session.rows, "")
    return Done("the present state is the initial one")

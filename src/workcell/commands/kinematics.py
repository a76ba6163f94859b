"""Commands that ask robots: fk, ik, jacobian, reach, branches; and dh-between."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from workcell.commands.language.joint_values import JointVector
from workcell.commands.language.references import Ref, Target
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import Choice, NewName, Number
from workcell.commands.model import add_solid
from workcell.commands.results import Made, Result, Table
from workcell.commands.zones import new_zone
from workcell.errors import Refused, Unreachable
from workcell.simulation.in_scene import simulated
from workcell.spatial.transform import Transform
from workcell.spatial.units import Units, tidy
from workcell.world.entities import Entity
from workcell.world.machine_places import is_arm

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.robots.robot import Robot
    from workcell.spatial.pose import Pose

_PUMA = "> create robot Puma puma560 joints 0,0,-90,0,90,0"
_BASE_OR_WORLD = {"world": "poses are given in the world", "base": "poses are given in the robot's base"}


class Frames(Result, frozen=True):
    """Where the tool and the link frames are (4×4, SI)."""

    robot: str
    joints: list[float]
    tool: list[list[float]]
    links: list[list[list[float]]]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "fk {robot} [{joints}] [in {frame}]",
    help="where the tool and every link frame are, now or at given joint values",
    effect="reads",
    robot=Ref("robot", "mechanism", "machine"),
    joints=JointVector(),
    frame=Choice(_BASE_OR_WORLD, "world|base"),
    examples=[
        _PUMA,
        "fk Puma",
        "fk Puma 10,20,-90,0,45,0 in base",
        "> add rail track 2000",
        "> mount Puma on track",
        "> create machine Cell of track of Puma",
        "fk Cell 500,10,20,-90,0,45,0",
    ],
)
def fk(session: Session, robot: Entity, joints: tuple[float, ...] | None = None, frame: str = "world") -> Frames:
    """Through Pinocchio; nothing moves. Of a machine, the tools of its arms come first."""
    if robot.kind == "machine":
        return _machine_frames(session, robot.name, joints, frame)
    one = simulated(session.simulator, robot)
    q = one.joints if joints is None else one.robot.checked(joints)
    X = session.snapshot().base_pose(session.state, robot.name).matrix if frame == "world" else np.eye(4)
    tool = X @ one.robot.fk(q).matrix
    links = X @ one.robot.frames(q)
    rows = [("tool", *_shown(session, tool))]
    rows += [(link.name, *_shown(session, m)) for link, m in zip(one.robot.links, links, strict=True)]
    text = _frame_table(session, rows, frame)
    return Frames(robot.name, [float(v) for v in q], tool.tolist(), links.tolist(), text)


def _machine_frames(session: Session, name: str, joints: tuple[float, ...] | None, frame: str) -> Frames:
    """The frames of all members of a machine in the world; the tool is that of its first arm, else its last member."""
    if frame != "world":
        raise Refused(f"{name} has no base of its own; `fk {name}` tells where its frames are in the world.")
    machine, state, snapshot = session.snapshot().machine(name).robot, session.state, session.snapshot()
    q = machine.whole(state.joints) if joints is None else machine.checked(joints)
    for member, values in machine.parts(q).items():
        state = state.with_joints(member, values)
    tools = {member: snapshot.tool_pose(state, member).matrix for member in machine.names}
    arms = [member for member, robot in machine.members if is_arm(robot)]
    rows, links = [(f"{arm} tool", *_shown(session, tools[arm])) for arm in arms], []
    for member, robot in machine.members:
        frames = snapshot.link_frames(state, member)
        links += frames.tolist()
        names = [f"{member} {link.name}" for link in robot.links]
        rows += [(one, *_shown(session, m)) for one, m in zip(names, frames, strict=True)]
    tool = tools[(arms or [*machine.names[-1:]])[0]]
    return Frames(name, [float(v) for v in q], tool.tolist(), links, _frame_table(session, rows, frame))


def _frame_table(session: Session, rows: list[tuple[Any, ...]], frame: str) -> str:
    length, angle = session.units.length, session.units.angle
    headings = ("frame", *(f"{c} [{length}]" for c in "xyz"), *(f"{c} [{angle}]" for c in "wpr"))
    return str(Table(headings, tuple(rows), f"in the {frame}; w p r as fanuc_wpr"))


def _shown(session: Session, matrix: Any) -> tuple[float, ...]:
    from workcell.spatial.pose import Pose

    pose, units = Pose(matrix), session.units
    lengths = [round(units.from_si(float(v), "length"), 6) + 0.0 for v in pose.xyz]
    angles = [round(units.from_si(float(v), "angle"), 6) + 0.0 for v in pose.angles("fanuc_wpr")]
    return (*lengths, *angles)


class Solution(Result, frozen=True):
    """One way to reach a pose: joints in SI, Ding's label, words, the Agent's index, and what it breaks."""

    joints: list[float]
    label: str
    words: str
    index: int
    within_limits: bool
    violations: list[tuple[int, float]]
    singular: list[str]


class Solutions(Result, frozen=True):
    """Every way to reach a pose."""

    robot: str
    solutions: list[Solution]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "ik {robot} {pose} [in {frame}]",
    help="every way to bring the tool to a pose, labelled; or why there is none",
    effect="reads",
    robot=Ref("robot"),
    pose=Target(),
    frame=Choice(_BASE_OR_WORLD, "world|base"),
    examples=[_PUMA, "ik Puma 600,-150,700 euler fanuc_wpr 180,0,180", "ik Puma 600,-150,700 rotate 0,120,0 in base"],
)
def ik(session: Session, robot: Entity, pose: Transform, frame: str = "world") -> Solutions:
    """Ordered as Ding lists them; a solution out of the joint limits says which joint and by how much."""
    from workcell.kinematics.unreachable import unreachable_error

    one = simulated(session.simulator, robot).robot
    target = pose.pose()
    if frame == "world":
        target = session.snapshot().base_pose(session.state, robot.name).inverse() @ target
    found = one.ik(target)
    if not len(found):
        raise unreachable_error(one.chain, target, one.limits)
    solutions = [
        Solution(
            [float(v) for v in s.q],
            _label(s.label),
            s.words,
            int(s.index),
            bool(s.within_limits),
            [(int(j), float(e)) for j, e in s.violations],
            list(s.singular),
        )
        for s in found
    ]
    return Solutions(robot.name, solutions, str(_solution_table(session, one, solutions)))


def _label(label: tuple[int, int, int] | None) -> str:
    return "" if label is None else "".join("+" if sign > 0 else "-" for sign in label)


def _solution_table(session: Session, robot: Robot, solutions: list[Solution]) -> Table:
    units = session.units
    quantities = ["length" if row.prismatic else "angle" for row in robot.rows]
    rows = []
    for number, solution in enumerate(solutions, start=1):
        values = [round(units.from_si(v, k), 4) + 0.0 for v, k in zip(solution.joints, quantities, strict=True)]
        out = ", ".join(f"j{j} by {_excess(units, e, quantities[j - 1])}" for j, e in solution.violations)
        note = "; ".join(
            filter(
                None,
                [
                    f"out: {out}" if out else "",
                    f"singular: {', '.join(solution.singular)}" if solution.singular else "",
                ],
            )
        )
        index = solution.index if solution.index >= 0 else None
        rows.append((number, solution.label, index, solution.words, *values, note))
    names = [f"j{i + 1}" for i in range(robot.n)]
    inside = sum(s.within_limits for s in solutions)
    return Table(
        ("", "AEW", "index", "words", *names, ""),
        tuple(rows),
        f"{len(rows)} solution{'s' if len(rows) != 1 else ''}, {inside} within the limits",
    )


def _excess(units: Units, value: float, quantity: str) -> str:
    return f"{tidy(round(units.from_si(value, quantity), 4))} {units.default(quantity)}"


class Motion(Result, frozen=True):
    """The Jacobian (6×n, SI) and what it says."""

    robot: str
    jacobian: list[list[float]]
    manipulability: float
    condition: float
    singularities: dict[str, float]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "jacobian {robot} [{joints}]",
    help="the geometric Jacobian, manipulability, condition number and the distance to each singularity",
    effect="reads",
    robot=Ref("robot"),
    joints=JointVector(),
    examples=[_PUMA, "jacobian Puma", "jacobian Puma 10,20,-90,0,45,0"],
)
def jacobian(session: Session, robot: Entity, joints: tuple[float, ...] | None = None) -> Motion:
    """Linear rows first, in the base frame."""
    from workcell.kinematics.jacobian import condition_number, manipulability
    from workcell.kinematics.singularity import singularities

    one = simulated(session.simulator, robot)
    q = one.joints if joints is None else one.robot.checked(joints)
    matrix, chain = one.robot.jacobian(q), one.robot.chain
    named = singularities(chain, q)
    measure, condition = float(manipulability(chain, q)), float(condition_number(chain, q))
    lines = ["".join(f"{v:11.5f}" for v in row) for row in matrix]
    lines.append(f"manipulability {measure:.6g}, condition number {condition:.6g}")
    for one_of in named:
        size, unit = (1e3, "mm") if one_of.unit == "m" else (180.0 / math.pi, "deg")
        lines.append(f"{one_of.name} singularity: {one_of.distance * size:.4g} {unit} away")
    return Motion(
        robot.name, matrix.tolist(), measure, condition, {s.name: float(s.distance) for s in named}, "\n".join(lines)
    )


class Reach(Result, frozen=True):
    """How far an arm reaches [m] and the volume it can get to [m³]."""

    robot: str
    reach: float
    volume: float
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "reach {robot}",
    help="how far the tool reaches within the joint limits, and the volume of the work envelope",
    effect="reads",
    background=True,
    robot=Ref("robot"),
    examples=["> create robot arm planar2r", "reach arm"],
)
def reach(session: Session, robot: Entity) -> Reach:
    """The envelope is found by sampling the joints on a grid of the half plane."""
    from workcell.kinematics.workspace import envelope

    one = simulated(session.simulator, robot).robot
    found = envelope(one.chain, one.limits)
    text = (
        f"{robot.name}: the tool gets {session.units.show(round(found.reach, 6), 'length')} away from the base frame, "
        f"envelope {found.volume:.4g} m³"
    )
    return Reach(robot.name, float(found.reach), float(found.volume), text)


@command(
    "add envelope {name} of {robot} [as {kind}]",
    help="put the work envelope of a robot into the scene, to be looked at or as a zone",
    effect="edits",
    name=NewName(),
    robot=Ref("robot"),
    kind=Choice({"ghost": "drawn translucent, and nothing touches it", "zone": "other robots keep out of it"}),
    param_help={"kind": "ghost unless given"},
    examples=[_PUMA, "add envelope room of Puma", "add envelope hall of Puma as zone"],
)
def add_envelope(session: Session, name: str, robot: Entity, kind: str = "ghost") -> Made:
    """Where the tool can be within the joint limits; `modify NAME kind zone` makes a zone of it later."""
    from workcell.kinematics.envelope_solid import envelope_solid
    from workcell.kinematics.workspace import envelope

    one = simulated(session.simulator, robot).robot
    solid = envelope_solid(envelope(one.chain, one.limits), one.chain.X_base_0)
    base = session.snapshot().base_pose(session.state, robot.name)
    if kind == "zone":
        return new_zone(session, name, solid, Transform.from_pose(base), {"rule": "keep-out", "except": robot.name})
    return add_solid(session, name, solid, Transform.from_pose(base), "steel", ghost=True)


class LinkParameters(Result, frozen=True):
    """The DH row of a link [rad, m] and what is wrong with its joint frames."""

    theta: float
    d: float
    a: float
    alpha: float
    faults: list[str]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "dh-between {first} and {second}",
    help="the DH parameters of a link from its two joint frames, and whether they are valid",
    effect="reads",
    first=PoseValue(),
    second=PoseValue(),
    param_help={"first": "the joint frame the link hangs on", "second": "the joint frame it carries"},
    examples=["dh-between 0,0,0 and 300,0,100 rotate 90,0,0"],
)
def dh_between(session: Session, first: Transform, second: Transform) -> LinkParameters:
    """A link that was built face by face; frames that are not of DH kind are seated first, and that is said."""
    return dh_text(session.units, first.pose(), second.pose())


def dh_text(units: Units, first: Pose, second: Pose) -> LinkParameters:
    """The DH parameters between two joint frames, and what keeps these from being a DH pair as they are."""
    from workcell.robots.joint_frames import check_joints, seated
    from workcell.robots.joint_frames import dh_between as row_between

    between = first.inverse() @ second
    faults = check_joints(between)
    row = row_between(seated(between) if faults else between)
    text = (
        f"theta {units.show(row.theta, 'angle')}, d {units.show(row.d, 'length')}, "
        f"a {units.show(row.a, 'length')}, alpha {units.show(row.alpha, 'angle')}"
    )
    text += f"\nnot of DH kind as given: {'; '.join(faults)}" if faults else ""
    return LinkParameters(row.theta, row.d, row.a, row.alpha, list(faults), text)


class Branches(Result, frozen=True):
    """Joint values that stay on one branch along a path [rad or m]."""

    robot: str
    path: str
    joints: list[list[float]]
    words: list[str]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "branches {robot} along {path} [step {step}]",
    help="the inverse solutions that stay continuous along a path, found over the whole of it",
    effect="reads",
    robot=Ref("robot"),
    path=Ref("path"),
    step=Number("angle", positive=True),
    param_help={"step": "how much a joint may change between two targets; 90 degrees unless given"},
    examples=[
        _PUMA,
        "> create path weld",
        "> add target T1 600,-150,700 euler fanuc_wpr 180,0,180 to weld",
        "> add target T2 600,0,700 euler fanuc_wpr 180,0,180 to weld",
        "branches Puma along weld",
    ],
)
def branches(session: Session, robot: Entity, path: Entity, step: float = math.pi / 2) -> Branches:
    """Where no branch goes through, the target is named."""
    from workcell.kinematics.branches import along_path

    one = simulated(session.simulator, robot)
    names = list(session.snapshot().places.path(path.name).targets)
    if not names:
        raise Refused(f"Path {path.name!r} has no targets; `add target NAME POSE to {path.name}` gives one.")
    back = session.snapshot().base_pose(session.state, robot.name).inverse()
    poses = np.array([(back @ pose).matrix for pose in session.snapshot().path_poses(session.state, path.name)])
    try:
        found = along_path(one.robot.chain, poses, one.robot.limits, one.joints, step)
    except Unreachable as error:
        point = error.evidence.get("point")
        if not isinstance(point, int):
            raise
        told = f"{error} Point {point + 1} is target {names[point]!r}."
        raise Unreachable(told, **{**error.evidence, "target": names[point]}) from error
    joints = [[float(v) for v in row] for row in found.q]
    words = [_words_at(one.robot, pose, row) for pose, row in zip(poses, found.q, strict=True)]
    units = session.units
    kinds = ["length" if row.prismatic else "angle" for row in one.robot.rows]
    rows = tuple(
        (name, w, *(round(units.from_si(v, k), 4) + 0.0 for v, k in zip(q, kinds, strict=True)))
        for name, w, q in zip(names, words, joints, strict=True)
    )
    table = Table(("target", "branch", *(f"j{i + 1}" for i in range(one.robot.n))), rows)
    return Branches(robot.name, path.name, joints, words, str(table))


def _words_at(robot: Robot, pose: Any, q: Any) -> str:
    """The words of the solution that these joint values are."""
    best, words = math.inf, ""
    for solution in robot.ik(pose):
        gap = float(np.abs(np.angle(np.exp(1j * (solution.q - q)))).max())
        if gap < best:
            best, words = gap, solution.words
    return words

"""Commands on kinematics: fk, ik, jacobian, reach, add envelope, dh-between, branches."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from workcell.commands.kinematic_answers import (
    Branches,
    Frames,
    LinkParameters,
    Motion,
    Reach,
    Solution,
    Solutions,
    dh_text,
    frame_row,
    frame_table,
    signs,
    solution_table,
)
from workcell.commands.language.joint_values import JointVector
from workcell.commands.language.references import Ref, Target
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import Choice, NewName, Number
from workcell.commands.model import add_solid
from workcell.commands.results import Made, Table
from workcell.commands.zones import new_zone
from workcell.errors import Refused, Unreachable
from workcell.simulation.in_scene import simulated
from workcell.spatial.transform import Transform
from workcell.wording import quoted
from workcell.world.entities import Entity
from workcell.world.machine_places import is_arm

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.robots.robot import Robot

_PUMA = "> create robot Puma puma560 joints 0,0,-90,0,90,0"
_BASE_OR_WORLD = {"world": "poses are in the world, the default", "base": "poses are in the base of the robot"}


@command(
    "fk {robot} [{joints}] [in {frame}]",
    help="show where the tool and every link frame are, now or at given joint values",
    effect="reads",
    robot=Ref("robot", "mechanism", "machine"),
    joints=JointVector(),
    frame=Choice(_BASE_OR_WORLD, "world|base"),
    param_help={"joints": "one value for each joint; default: the current ones"},
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
    """Nothing moves. For a machine, the tools of its arms come first."""
    if robot.kind == "machine":
        return _machine_frames(session, robot.name, joints, frame)
    one = simulated(session.simulator, robot)
    q = one.joints if joints is None else one.robot.checked(joints)
    X = session.snapshot().base_pose(session.state, robot.name).matrix if frame == "world" else np.eye(4)
    tool = X @ one.robot.fk(q).matrix
    links = X @ one.robot.frames(q)
    rows = [("tool", *frame_row(session, tool))]
    rows += [(link.name, *frame_row(session, m)) for link, m in zip(one.robot.links, links, strict=True)]
    text = frame_table(session, rows, frame)
    return Frames(robot.name, [float(v) for v in q], tool.tolist(), links.tolist(), text)


def _machine_frames(session: Session, name: str, joints: tuple[float, ...] | None, frame: str) -> Frames:
    """Return the frames of all members of a machine; the tool is that of its first arm, or else its last member."""
    if frame != "world":
        raise Refused(f"{name} has no base of its own; `fk {quoted(name)}` shows where its frames are in the world.")
    machine, state, snapshot = session.snapshot().machine(name).robot, session.state, session.snapshot()
    q = machine.whole(state.joints) if joints is None else machine.checked(joints)
    for member, values in machine.parts(q).items():
        state = state.with_joints(member, values)
    tools = {member: snapshot.tool_pose(state, member).matrix for member in machine.names}
    arms = [member for member, robot in machine.members if is_arm(robot)]
    rows, links = [(f"{arm} tool", *frame_row(session, tools[arm])) for arm in arms], []
    for member, robot in machine.members:
        frames = snapshot.link_frames(state, member)
        links += frames.tolist()
        names = [f"{member} {link.name}" for link in robot.links]
        rows += [(one, *frame_row(session, m)) for one, m in zip(names, frames, strict=True)]
    tool = tools[(arms or [*machine.names[-1:]])[0]]
    return Frames(name, [float(v) for v in q], tool.tolist(), links, frame_table(session, rows, frame))


@command(
    "ik {robot} {pose} [in {frame}] [--contacts]",
    help="list every way to bring the tool to a pose; if there is none, explain why",
    effect="reads",
    background=True,
    robot=Ref("robot"),
    pose=Target(),
    frame=Choice(_BASE_OR_WORLD, "world|base"),
    param_help={"contacts": "also list what touches at each solution"},
    examples=[
        _PUMA,
        "ik Puma 600,-150,700 euler fanuc_wpr 180,0,180",
        "ik Puma 600,-150,700 rotate 0,120,0 in base",
        "ik Puma 600,-150,700 euler fanuc_wpr 180,0,180 --contacts",
    ],
)
def ik(session: Session, robot: Entity, pose: Transform, frame: str = "world", contacts: bool = False) -> Solutions:
    """The order is that of Ding. A solution outside the joint limits is listed with the joint and the excess.

    Joints that turn farther than one turn are given as near to their present values as their limits allow.
    """
    from workcell.kinematics.placing import turned
    from workcell.kinematics.unreachable import unreachable_error

    arm = simulated(session.simulator, robot)
    one = arm.robot
    target = pose.pose()
    if frame == "world":
        target = session.snapshot().base_pose(session.state, robot.name).inverse() @ target
    found = one.ik(target)
    if not len(found):
        raise unreachable_error(one.chain, target, one.limits)
    solutions = [
        Solution(
            [float(v) for v in turned(one.chain, one.limits, s.q, arm.joints)],
            signs(s.label),
            s.words,
            int(s.index),
            bool(s.within_limits),
            [(int(j), float(e)) for j, e in s.violations],
            list(s.singular),
        )
        for s in found
    ]
    if contacts:
        solutions = _with_contacts(session, robot.name, solutions)
    return Solutions(robot.name, solutions, str(solution_table(session, one, solutions)))


def _with_contacts(session: Session, robot: str, solutions: list[Solution]) -> list[Solution]:
    """Return solutions with the deepest contact of each."""
    from workcell.collision.trial import Trial
    from workcell.commands.collisions import collision_model_of

    trial = Trial(collision_model_of(session), session.state, robot)
    answers = []
    for solution in solutions:
        worst = next(iter(trial.contacts(solution.joints)), None)
        answers.append(
            msgspec.structs.replace(
                solution,
                free=worst is None,
                touching=None if worst is None else worst.pair,
                depth=None if worst is None else float(worst.depth),
            )
        )
    return answers


@command(
    "jacobian {robot} [{joints}]",
    help="show the geometric Jacobian, the manipulability, the condition number and the distance to each singularity",
    effect="reads",
    robot=Ref("robot"),
    joints=JointVector(),
    param_help={"joints": "one value for each joint; default: the current ones"},
    examples=[_PUMA, "jacobian Puma", "jacobian Puma 10,20,-90,0,45,0"],
)
def jacobian(session: Session, robot: Entity, joints: tuple[float, ...] | None = None) -> Motion:
    """The Jacobian is in the base frame. Its first three rows are linear."""
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


@command(
    "reach {robot}",
    help="show how far the tool reaches within the joint limits, and the volume of the work envelope",
    effect="reads",
    background=True,
    robot=Ref("robot"),
    examples=["> create robot arm planar2r", "reach arm"],
)
def reach(session: Session, robot: Entity) -> Reach:
    """The envelope is computed from joint values on a grid."""
    from workcell.kinematics.workspace import envelope

    one = simulated(session.simulator, robot).robot
    found = envelope(one.chain, one.limits)
    text = (
        f"{robot.name}: the tool reaches {session.units.show(round(found.reach, 6), 'length')} from the base "
        f"frame, envelope {found.volume:.4g} m³"
    )
    X_world_0 = session.snapshot().base_pose(session.state, robot.name) @ one.chain.X_base_0
    outline = [[(float(r), float(h)) for r, h in loop] for loop in found.outline]
    first = float(found.first[0]), float(found.first[1])
    slides = bool(one.chain.prismatic[0])
    return Reach(
        robot.name, float(found.reach), float(found.volume), text, outline, first, slides, X_world_0.matrix.tolist()
    )


@command(
    "add envelope {name} of {robot} [as {kind}]",
    help="put the work envelope of a robot into the scene, as a ghost or as a zone",
    effect="edits",
    name=NewName(),
    robot=Ref("robot"),
    kind=Choice({"ghost": "drawn translucent, and nothing touches it", "zone": "other robots keep out of it"}),
    param_help={"kind": "ghost: to look at, the default; zone: other robots keep out of it"},
    examples=[_PUMA, "add envelope room of Puma", "add envelope hall of Puma as zone"],
)
def add_envelope(session: Session, name: str, robot: Entity, kind: str = "ghost") -> Made:
    """The envelope is where the tool can be within the joint limits.

    `modify NAME kind zone` turns a ghost into a zone.
    """
    from workcell.kinematics.envelope_solid import envelope_solid
    from workcell.kinematics.workspace import envelope

    one = simulated(session.simulator, robot).robot
    solid = envelope_solid(envelope(one.chain, one.limits), one.chain.X_base_0)
    base = session.snapshot().base_pose(session.state, robot.name)
    if kind == "zone":
        return new_zone(session, name, solid, Transform.from_pose(base), {"rule": "keep-out", "except": robot.name})
    return add_solid(session, name, solid, Transform.from_pose(base), "steel", ghost=True)


@command(
    "dh-between {first} and {second}",
    help="show the DH parameters of a link from its two joint frames, and check the frames",
    effect="reads",
    first=PoseValue(),
    second=PoseValue(),
    param_help={
        "first": "the joint frame where the link is joined to the one before",
        "second": "the joint frame where the next link is joined to it",
    },
    examples=["dh-between 0,0,0 and 300,0,100 rotate 90,0,0"],
)
def dh_between(session: Session, first: Transform, second: Transform) -> LinkParameters:
    """If the frames do not follow the DH convention, they are aligned first, and the answer reports it."""
    return dh_text(session.units, first.pose(), second.pose())


@command(
    "branches {robot} along {path} [step {step}]",
    help="list the joint values along a path that stay on one branch, without a jump",
    effect="reads",
    robot=Ref("robot"),
    path=Ref("path"),
    step=Number("angle", positive=True),
    param_help={"step": "how much a joint may change between two targets; default 90°"},
    examples=[
        _PUMA,
        "> create path weld",
        "> add target T1 600,-150,700 euler fanuc_wpr 180,0,180 to weld",
        "> add target T2 600,0,700 euler fanuc_wpr 180,0,180 to weld",
        "branches Puma along weld",
    ],
)
def branches(session: Session, robot: Entity, path: Entity, step: float = math.pi / 2) -> Branches:
    """If no branch reaches every target, the message names the target."""
    from workcell.kinematics.branches import along_path

    one = simulated(session.simulator, robot)
    names = list(session.snapshot().places.path(path.name).targets)
    if not names:
        raise Refused(f"Path {path.name!r} has no targets; `add target NAME POSE to {quoted(path.name)}` adds one.")
    back = session.snapshot().base_pose(session.state, robot.name).inverse()
    poses = np.array([(back @ pose).matrix for pose in session.snapshot().path_poses(session.state, path.name)])
    try:
        found = along_path(one.robot.chain, poses, one.robot.limits, one.joints, step)
    except Unreachable as error:
        point = error.evidence.get("point")
        if not isinstance(point, int):
            raise
        message = f"{error} Point {point + 1} is target {names[point]!r}."
        raise Unreachable(message, **{**error.evidence, "target": names[point]}) from error
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
    """Return the words of the solution with these joint values."""
    best, words = math.inf, ""
    for solution in robot.ik(pose):
        gap = float(np.abs(np.angle(np.exp(1j * (solution.q - q)))).max())
        if gap < best:
            best, words = gap, solution.words
    return words

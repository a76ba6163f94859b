"""Commands that ask robots: fk, ik, jacobian, singularity, reach."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from workcell.commands.moves import JointVector, simulated
from workcell.commands.registry import command
from workcell.commands.results import Result, Table
from workcell.commands.values import Choice, PoseValue, Ref
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.robots.robot import Robot
    from workcell.spatial.transform import Transform

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
    robot=Ref("robot", "mechanism"),
    joints=JointVector(),
    frame=Choice(_BASE_OR_WORLD, "world|base"),
    examples=[_PUMA, "fk Puma", "fk Puma 10,20,-90,0,45,0 in base"],
)
def fk(session: Session, robot: Entity, joints: tuple[float, ...] | None = None, frame: str = "world") -> Frames:
    """Through Pinocchio; nothing moves."""
    one = simulated(session, robot)
    q = one.joints if joints is None else one.robot.checked(joints)
    X = session.snapshot().base_pose(session.state, robot.name).matrix if frame == "world" else np.eye(4)
    tool = X @ one.robot.fk(q).matrix
    links = X @ one.robot.frames(q)
    rows = [("tool", *_shown(session, tool))]
    rows += [(link.name, *_shown(session, m)) for link, m in zip(one.robot.links, links, strict=True)]
    length, angle = session.units.length, session.units.angle
    headings = ("frame", *(f"{c} [{length}]" for c in "xyz"), *(f"{c} [{angle}]" for c in "wpr"))
    text = str(Table(headings, tuple(rows), f"in the {frame}; w p r as fanuc_wpr"))
    return Frames(robot.name, [float(v) for v in q], tool.tolist(), links.tolist(), text)


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
    pose=PoseValue(),
    frame=Choice(_BASE_OR_WORLD, "world|base"),
    examples=[_PUMA, "ik Puma 600,-150,700 euler fanuc_wpr 180,0,180", "ik Puma 600,-150,700 rotate 0,120,0 in base"],
)
def ik(session: Session, robot: Entity, pose: Transform, frame: str = "world") -> Solutions:
    """Ordered as Ding lists them; a solution out of the joint limits says which joint and by how much."""
    from workcell.kinematics.unreachable import unreachable_error

    one = simulated(session, robot).robot
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
        out = ", ".join(f"j{j} by {units.show(round(e, 9), quantities[j - 1])}" for j, e in solution.violations)
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
        ("", "AEW", "index", "words", *names, ""), tuple(rows), f"{len(rows)} solutions, {inside} within the limits"
    )


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

    one = simulated(session, robot)
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

    one = simulated(session, robot).robot
    found = envelope(one.chain, one.limits)
    text = f"{robot.name}: reach {session.units.show(round(found.reach, 6), 'length')}, envelope {found.volume:.4g} m³"
    return Reach(robot.name, float(found.reach), float(found.volume), text)

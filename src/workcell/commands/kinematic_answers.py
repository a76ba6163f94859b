"""The answers of commands on kinematics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.results import Result, Table
from workcell.spatial.units import Units, tidy

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.robots.robot import Robot
    from workcell.spatial.pose import Pose


class Frames(Result, frozen=True):
    """The poses of the tool and of the link frames (4×4, SI)."""

    robot: str
    joints: list[float]
    tool: list[list[float]]
    links: list[list[list[float]]]
    text: str

    def __str__(self) -> str:
        return self.text


def frame_table(session: Session, rows: list[tuple[Any, ...]], frame: str) -> str:
    """Return frames as a table of positions and angles."""
    length, angle = session.units.length, session.units.angle
    headings = ("frame", *(f"{c} [{length}]" for c in "xyz"), *(f"{c} [{angle}]" for c in "wpr"))
    return str(Table(headings, tuple(rows), f"in the {frame}; w p r as fanuc_wpr"))


def frame_row(session: Session, matrix: Any) -> tuple[float, ...]:
    """Return the position and the angles of a frame, in display units."""
    from workcell.spatial.pose import Pose

    pose, units = Pose(matrix), session.units
    lengths = [round(units.from_si(float(v), "length"), 6) + 0.0 for v in pose.xyz]
    angles = [round(units.from_si(float(v), "angle"), 6) + 0.0 for v in pose.angles("fanuc_wpr")]
    return (*lengths, *angles)


class Solution(Result, frozen=True):
    """One way to reach a pose: joints in SI, Ding's label, words, the Agent's index, and limits that it violates.

    With ``--contacts``, ``free`` is whether nothing touches there; otherwise ``touching`` is the deepest pair, and
    ``depth`` how deep it is [m].
    """

    joints: list[float]
    label: str
    words: str
    index: int
    within_limits: bool
    violations: list[tuple[int, float]]
    singular: list[str]
    free: bool | None = None
    touching: tuple[str, str] | None = None
    depth: float | None = None


class Solutions(Result, frozen=True):
    """Every way to reach a pose."""

    robot: str
    solutions: list[Solution]
    text: str

    def __str__(self) -> str:
        return self.text


def signs(label: tuple[int, int, int] | None) -> str:
    """Return Ding's label as signs, such as -+-; '' if an arm has none."""
    return "" if label is None else "".join("+" if sign > 0 else "-" for sign in label)


def solution_table(session: Session, robot: Robot, solutions: list[Solution]) -> Table:
    """Return solutions as a table, with the limits that each of them violates."""
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
                    f"touches: {' and '.join(solution.touching)}" if solution.touching else "",
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
    """The Jacobian (6×n, SI), and figures that follow from it."""

    robot: str
    jacobian: list[list[float]]
    manipulability: float
    condition: float
    singularities: dict[str, float]
    text: str

    def __str__(self) -> str:
        return self.text


class Reach(Result, frozen=True):
    """The reach of an arm [m] and the volume that it can reach [m³].

    ``outline`` are closed lines around the section of the envelope, as radius and height [m] about and along the z axis
    of ``frame`` (4×4, in the world). The section is swept over the range ``first`` of the first joint [rad or m]: about
    the axis if the joint turns, along it if it slides (``slides``).
    """

    robot: str
    reach: float
    volume: float
    text: str
    outline: list[list[tuple[float, float]]] = []  # noqa: RUF012 (a struct copies its defaults)
    first: tuple[float, float] = (0.0, 0.0)
    slides: bool = False
    frame: list[list[float]] = []  # noqa: RUF012

    def __str__(self) -> str:
        return self.text


class LinkParameters(Result, frozen=True):
    """The DH parameters of a link [rad, m] and the faults of its joint frames."""

    theta: float
    d: float
    a: float
    alpha: float
    faults: list[str]
    text: str

    def __str__(self) -> str:
        return self.text


def dh_text(units: Units, first: Pose, second: Pose) -> LinkParameters:
    """Return the DH parameters between two joint frames, and how the frames break the DH convention."""
    from workcell.robots.joint_frames import check_joints, seated
    from workcell.robots.joint_frames import dh_between as row_between

    between = first.inverse() @ second
    faults = check_joints(between)
    row = row_between(seated(between) if faults else between)
    text = (
        f"theta {units.show(row.theta, 'angle')}, d {units.show(row.d, 'length')}, "
        f"a {units.show(row.a, 'length')}, alpha {units.show(row.alpha, 'angle')}"
    )
    text += f"\nthe frames do not follow the DH convention: {'; '.join(faults)}" if faults else ""
    return LinkParameters(row.theta, row.d, row.a, row.alpha, list(faults), text)


class Branches(Result, frozen=True):
    """Joint values along a path that stay on one branch [rad or m]."""

    robot: str
    path: str
    joints: list[list[float]]
    words: list[str]
    text: str

    def __str__(self) -> str:
        return self.text

"""ROBOSIM link files: one link as rows of four numbers, in and out.

Rows: 1 theta dz da alpha; 2 joint flags and types; 3–6 pseudo-inertia; 7–10 input joint frame; 11–14 output joint
frame; 15–18 A matrix; 19 number of vectors; then x y z d (d = 0 moves, 1 draws). Angles are degrees. Matrices are
in row-vector form (translation in the last row), as everywhere in that library. The numeric joint types are lost;
decided here: 1 revolute, 2 prismatic, 3 fixed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workcell.errors import FileProblem, InvalidValue
from workcell.kinematics.dh import Chain, DHRow
from workcell.robots._values import ArrayValue
from workcell.robots.joint_frames import check_joints
from workcell.robots.link import Link, MassProperties
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.spatial.rotations import finite
from workcell.spatial.units import deg, mm

Array = NDArray[np.float64]
TYPES = {1: "revolute", 2: "prismatic", 3: "fixed"}
_HEAD = 19


@dataclass(frozen=True, eq=False)
class LinkFile(ArrayValue):
    """One link as the file has it: numbers in the file's units, matrices turned to column-vector form.

    Attributes:
        theta: DH angle [deg].
        dz: DH offset.
        da: DH length.
        alpha: DH twist [deg].
        flags: whether the input and the output joint are defined (1 or 0).
        types: of the input and the output joint: 1 revolute, 2 prismatic, 3 fixed.
        inertia: pseudo-inertia (4, 4): ∫ r rᵀ dm with r = (x, y, z, 1).
        input_frame: joint i in the link's frame (4, 4).
        output_frame: joint i+1 in the link's frame (4, 4).
        a_matrix: from joint i+1 to joint i (4, 4).
        vectors: x, y, z and 0 (move) or 1 (draw), (k, 4).
    """

    theta: float
    dz: float
    da: float
    alpha: float
    flags: tuple[int, int] = (1, 1)
    types: tuple[int, int] = (1, 1)
    inertia: Array = field(default_factory=lambda: np.zeros((4, 4)))
    input_frame: Array = field(default_factory=lambda: np.eye(4))
    output_frame: Array = field(default_factory=lambda: np.eye(4))
    a_matrix: Array = field(default_factory=lambda: np.eye(4))
    vectors: Array = field(default_factory=lambda: np.zeros((0, 4)))

    def __post_init__(self) -> None:
        for kind in self.types:
            if kind not in TYPES:
                raise InvalidValue(
                    f"A joint type of a link file is 1 (revolute), 2 (prismatic) or 3 (fixed); found {kind}."
                )
        finite((self.theta, self.dz, self.da, self.alpha), (4,), "The DH parameters of a link file")
        names = ("inertia", "input_frame", "output_frame", "a_matrix")
        four = {name: finite(getattr(self, name), (4, 4), f"The {name} of a link file") for name in names}
        vectors = finite(self.vectors, (len(self.vectors), 4), "The vectors of a link file")
        self._freeze(vectors=vectors, **four)

    def check(self) -> tuple[str, ...]:
        """What does not agree inside the file: DH row, A matrix and joint frames; empty when all do."""
        faults = []
        row = _row_matrix(self.theta * deg, self.dz, self.da, self.alpha * deg)
        size = max(1.0, float(np.abs(row).max()))
        if np.abs(row - self.a_matrix).max() > 1e-3 * size:
            faults.append("the A matrix is not the one of theta, dz, da and alpha")
        between = np.asarray(np.linalg.solve(self.input_frame, self.output_frame), dtype=np.float64)
        try:
            faults += [fault for fault in check_joints(Pose(_rounded(between))) if all(self.flags)]
        except InvalidValue as error:
            faults.append(f"a joint frame is not rigid ({error})")
        return tuple(faults)

    def row(self, unit: float = mm) -> DHRow:
        """The DH row; ``unit`` is the size of the file's length unit [m]."""
        return DHRow(
            self.theta * deg, self.dz * unit, self.da * unit, self.alpha * deg, TYPES[self.types[0]] == "prismatic"
        )

    def mass_properties(self, unit: float = mm) -> MassProperties | None:
        """Mass, centre and inertia from the pseudo-inertia, in the link's frame; None when it is zero."""
        mass = float(self.inertia[3, 3])
        if mass <= 0.0:
            return None
        centre = self.inertia[:3, 3] / mass * unit
        second = self.inertia[:3, :3] * unit**2
        about_origin = np.trace(second) * np.eye(3) - second
        about_centre = about_origin - mass * (float(centre @ centre) * np.eye(3) - np.outer(centre, centre))
        return MassProperties(mass, centre, (about_centre + about_centre.T) / 2.0)


def parse(text: str, where: str = "the text") -> LinkFile:
    """The link file in a text; ``where`` is what a message calls it."""
    numbers: list[list[float]] = []
    for place, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = [float(word) for word in line.split()]
        except ValueError as error:
            raise FileProblem(
                f"{where}, line {place}: four numbers were expected; found {line.strip()!r}.", line=place
            ) from error
        if len(row) != 4 or not all(math.isfinite(value) for value in row):
            raise FileProblem(
                f"{where}, line {place}: four finite numbers were expected; found {line.strip()!r}.", line=place
            )
        numbers.append(row)
    if len(numbers) < _HEAD:
        raise FileProblem(
            f"{where} is cut off: a link file has at least {_HEAD} rows of four numbers; found {len(numbers)}."
        )
    table = np.array(numbers)
    count = int(table[18, 0])
    if count != table[18, 0] or count != len(table) - _HEAD:
        raise FileProblem(
            f"{where} is cut off: row 19 announces {table[18, 0]:g} vectors; {len(table) - _HEAD} follow."
        )
    theta, dz, da, alpha = (float(value) for value in table[0])
    f1, f2, t1, t2 = (int(value) for value in table[1])
    inertia, before, after, matrix = (table[start : start + 4].T for start in (2, 6, 10, 14))
    return LinkFile(theta, dz, da, alpha, (f1, f2), (t1, t2), inertia, before, after, matrix, table[_HEAD:])


def read(path: str | Path) -> LinkFile:
    """Read a link file."""
    place = Path(path)
    try:
        return parse(place.read_text(encoding="utf-8"), place.name)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise FileProblem(f"The link file {place.name!r} cannot be read: {reason}.", path=str(place)) from error


def write(link: LinkFile) -> str:
    """The text of a link file; reading it back gives the same numbers."""
    rows: list[Sequence[float]] = [(link.theta, link.dz, link.da, link.alpha), (*link.flags, *link.types)]
    for matrix in (link.inertia, link.input_frame, link.output_frame, link.a_matrix):
        rows += [tuple(row) for row in matrix.T]
    rows.append((len(link.vectors), 0, 0, 0))
    rows += [tuple(row) for row in link.vectors]
    return "".join(" ".join(repr(float(value) + 0.0) for value in row) + "\n" for row in rows)


def robot_from_links(links: Sequence[LinkFile], name: str = "robot", unit: float = mm) -> Robot:
    """A robot from its link files, the base first: a base with a fixed input joint only carries the others."""
    if not links:
        raise InvalidValue("A robot needs at least one link file.")
    moving = list(links)
    base = Pose.identity()
    first: list[Link] = [Link("base")]
    if TYPES[links[0].types[0]] == "fixed":
        moving = list(links[1:])
        base = Pose(_metres(links[0].a_matrix, unit))
        first = [Link("base", mass=links[0].mass_properties(unit))]
    if any(TYPES[link.types[0]] == "fixed" for link in moving):
        raise InvalidValue("Only the first link of a robot may have a fixed input joint.")
    rows = [link.row(unit) for link in moving]
    # The theta of a file is where the joint stands; the joint turns from zero.
    home = [0.0 if row.prismatic else row.theta for row in rows]
    bare = [DHRow(row.theta if row.prismatic else 0.0, row.d, row.a, row.alpha, row.prismatic) for row in rows]
    named = first + [Link(f"link {i}", mass=link.mass_properties(unit)) for i, link in enumerate(moving, start=1)]
    return Robot(name, Chain(bare, base), home=np.array(home), links=tuple(named))


def link_of_robot(robot: Robot, joint: int, unit: float = mm) -> LinkFile:
    """The link file of the link after a joint (1 … n), at the robot's home; its edges become the vectors."""
    if not 1 <= joint <= robot.n:
        raise InvalidValue(f"The robot {robot.name!r} has joints 1 to {robot.n}; found {joint}.", joint=joint)
    row, value = robot.rows[joint - 1], float(robot.home[joint - 1])
    theta = row.theta + (0.0 if row.prismatic else value)
    d = row.d + (value if row.prismatic else 0.0)
    matrix = _row_matrix(theta, d / unit, row.a / unit, row.alpha)
    link = robot.links[joint]
    after = 3 if joint == robot.n else 2 if robot.rows[joint].prismatic else 1
    return LinkFile(
        theta / deg,
        d / unit,
        row.a / unit,
        row.alpha / deg,
        (1, 1),
        (2 if row.prismatic else 1, after),
        _pseudo_inertia(link.mass, unit),
        np.asarray(np.linalg.inv(matrix), dtype=np.float64),
        np.eye(4),
        matrix,
        _vectors(link, unit),
    )


def _pseudo_inertia(mass: MassProperties | None, unit: float) -> Array:
    if mass is None:
        return np.zeros((4, 4))
    inertia = mass.about_origin()
    second = (0.5 * np.trace(inertia) * np.eye(3) - inertia) / unit**2
    first = mass.mass * mass.centre / unit
    return np.block([[second, first[:, None]], [first[None, :], np.array([[mass.mass]])]])


def _vectors(link: Link, unit: float) -> Array:
    solid = link.solid
    if solid is None:
        return np.zeros((0, 4))
    mesh = solid.mesh()
    ends = mesh.vertices[mesh.edges] / unit
    strokes = np.zeros((len(ends), 2, 4))
    strokes[:, :, :3] = ends
    strokes[:, 1, 3] = 1.0
    return strokes.reshape(-1, 4)


def _row_matrix(theta: float, d: float, a: float, alpha: float) -> Array:
    turn = Pose.from_axis_angle((0, 0, 1), theta).matrix @ Pose.from_axis_angle((1, 0, 0), alpha).matrix
    matrix = np.array(turn)
    matrix[:3, 3] = (a * math.cos(theta), a * math.sin(theta), d)
    return matrix


def _metres(matrix: Array, unit: float) -> Array:
    result = np.array(matrix)
    result[:3, 3] *= unit
    return result


def _rounded(matrix: Array) -> Array:
    """A matrix of a few printed decimals, with its last row exact."""
    result = np.array(matrix)
    result[3] = (0.0, 0.0, 0.0, 1.0)
    u, _, vt = np.linalg.svd(result[:3, :3])
    if np.abs(u @ vt - result[:3, :3]).max() < 1e-3:
        result[:3, :3] = u @ vt
    result[:3, 3] *= mm
    return result

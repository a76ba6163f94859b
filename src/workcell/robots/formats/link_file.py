"""ROBOSIM link files: one link as rows of four numbers, read and written.

Rows: 1 theta dz da alpha; 2 joint flags and types; 3–6 pseudo-inertia; 7–10 input joint frame; 11–14 output joint
frame; 15–18 A matrix; 19 number of vectors; then x y z d (d = 0 moves, 1 draws). Angles are degrees. Matrices are
in row-vector form (translation in the last row), as everywhere in that library. The numeric joint types are lost.
We decided: 1 revolute, 2 prismatic, 3 fixed.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workcell.errors import FileProblem, InvalidValue
from workcell.geometry.solid import Solid
from workcell.kinematics.dh import Chain, DHRow
from workcell.kinematics.forward import frames as forward_frames
from workcell.robots._values import ArrayValue
from workcell.robots.draft import GREY
from workcell.robots.formats.link_vectors import solids_of, strokes_of
from workcell.robots.joint_frames import check_joints, dh_between, seated
from workcell.robots.link import Link, MassProperties, Part
from workcell.robots.robot import Robot
from workcell.robots.text_file import text_in
from workcell.spatial.pose import Pose
from workcell.spatial.rotations import finite
from workcell.spatial.units import deg, mm

Array = NDArray[np.float64]
TYPES = {1: "revolute", 2: "prismatic", 3: "fixed"}
_HEAD = 19


@dataclass(frozen=True, eq=False)
class LinkFile(ArrayValue):
    """One link as in the file: numbers in the file's units, matrices in column-vector form.

    Attributes:
        theta: DH angle [deg].
        dz: DH offset.
        da: DH length.
        alpha: DH twist [deg].
        flags: whether the input and the output joint are defined (1 or 0).
        types: the types of the input and the output joint: 1 revolute, 2 prismatic, 3 fixed.
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
        """The contradictions inside the file between DH row, A matrix and joint frames; empty if there are none."""
        faults = []
        row = _row_matrix(self.theta * deg, self.dz, self.da, self.alpha * deg)
        size = max(1.0, float(np.abs(row).max()))
        if np.abs(row - self.a_matrix).max() > 1e-3 * size:
            faults.append("the A matrix does not follow from theta, dz, da and alpha")
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

    @property
    def fixed(self) -> bool:
        """Whether it is fixed to the link before; so is a first link whose input joint is not defined."""
        return TYPES[self.types[0]] == "fixed" or not self.flags[0]

    def between(self, unit: float = mm) -> Pose:
        """Joint i+1 in joint i [m]: the A matrix; from the DH row if the joint moves."""
        if not self.fixed:
            return Pose(_metres(_row_matrix(self.theta * deg, self.dz, self.da, self.alpha * deg), unit))
        return Pose(_metres(_rigid(self.a_matrix), unit))

    def out(self, unit: float = mm) -> Pose:
        """Joint i+1 in the frame of the link, which is also the frame of its mass and vectors [m]."""
        return Pose(_metres(_rigid(self.output_frame), unit))

    def solids(self, unit: float = mm) -> list[Solid]:
        """The solids inside its vectors, in the frame of the link; none if the vectors are not faces of solids."""
        return solids_of(self.vectors, unit)

    def mass_properties(self, unit: float = mm) -> MassProperties | None:
        """Mass, centre and inertia from the pseudo-inertia, in the link's frame; None if it is zero."""
        mass = float(self.inertia[3, 3])
        if mass <= 0.0:
            return None
        centre = self.inertia[:3, 3] / mass * unit
        second = self.inertia[:3, :3] * unit**2
        about_origin = np.trace(second) * np.eye(3) - second
        about_centre = about_origin - mass * (float(centre @ centre) * np.eye(3) - np.outer(centre, centre))
        return MassProperties(mass, centre, (about_centre + about_centre.T) / 2.0)


def parse(text: str, where: str = "the text") -> LinkFile:
    """The link file in a text; ``where`` is its name in messages."""
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
    return parse(text_in(place, "the link file"), place.name)


def write(link: LinkFile) -> str:
    """The text of a link file; reading it again gives the same numbers."""
    rows: list[Sequence[float]] = [(link.theta, link.dz, link.da, link.alpha), (*link.flags, *link.types)]
    for matrix in (link.inertia, link.input_frame, link.output_frame, link.a_matrix):
        rows += [tuple(row) for row in matrix.T]
    rows.append((len(link.vectors), 0, 0, 0))
    rows += [tuple(row) for row in link.vectors]
    return "".join(" ".join(repr(float(value) + 0.0) for value in row) + "\n" for row in rows)


class Joined(NamedTuple):
    """Links joined to a chain.

    Attributes:
        chain: the chain.
        home: the joint values in the files [rad|m].
        places: for each link its number in the chain, and the pose of its own frame in the DH frame of that number.
    """

    chain: Chain
    home: Array
    places: tuple[tuple[int, Pose], ...]


def joined(links: Sequence[LinkFile], unit: float = mm) -> Joined:
    """Join links, the base first. A link with a fixed input joint becomes part of the one before.

    Joints are where the files have them at home. Where a fixed link lies between two joints, the DH rows are computed
    again from the axes, because two rows are not one; home is zero then.
    """
    if not links:
        raise InvalidValue("A robot needs at least one link file.")
    moving = [link for link in links if not link.fixed]
    if not moving:
        raise InvalidValue("None of these links has a joint that turns or slides; a robot needs at least one.")
    axes: list[Pose] = []  # the frame of each joint at home
    outs: list[Pose] = []  # the output frame of each link at home
    here = Pose.identity()
    for link in links:
        if not link.fixed:
            axes.append(here)
        here = here @ link.between(unit)
        outs.append(here)
    numbers = np.cumsum([not link.fixed for link in links])
    first = next(i for i, link in enumerate(links) if not link.fixed)
    last = max(i for i, link in enumerate(links) if not link.fixed)
    rows = [link.row(unit) for link in moving]
    if any(link.fixed for link in links[first : last + 1]):
        slides = [row.prismatic for row in rows]
        chain = Chain.from_axes([X.xyz for X in axes], [X.rotation[:, 2] for X in axes], slides, here)
        home = np.zeros(len(rows))
    else:
        # The theta of a file is the present angle of the joint, which turns from zero.
        home = np.array([0.0 if row.prismatic else row.theta for row in rows])
        bare = [DHRow(row.theta if row.prismatic else 0.0, row.d, row.a, row.alpha, row.prismatic) for row in rows]
        chain = Chain(bare, axes[0], outs[last].inverse() @ here)
    frames = [Pose(frame) for frame in forward_frames(chain, home)]
    places = tuple(
        (int(number), frames[number].inverse() @ X_out @ link.out(unit).inverse())
        for link, number, X_out in zip(links, numbers, outs, strict=True)
    )
    return Joined(chain, home, places)


def robot_from_links(links: Sequence[LinkFile], name: str = "robot", unit: float = mm) -> Robot:
    """A robot from its link files, the base first, joined as :func:`joined` does."""
    chain, home, places = joined(links, unit)
    made = [Link("base" if number == 0 else f"link {number}") for number in range(chain.n + 1)]
    for link, (number, X_frame_link) in zip(links, places, strict=True):
        made[number] = _joined(made[number], link, X_frame_link, unit)
    return Robot(name, chain, limits=open_limits(chain), home=home, links=tuple(made), assumed=dict(ASSUMED))


ASSUMED = {"limits": "a link file has none: one turn, or one metre of travel, each way"}
"""What is assumed about a robot of link files, and why."""


def open_limits(chain: Chain) -> Array:
    """The limits of a robot whose files have none: one turn, or one metre, each way."""
    return np.array([(-1.0, 1.0) if slides else (-2.0 * math.pi, 2.0 * math.pi) for slides in chain.prismatic])


def _joined(made: Link, link: LinkFile, X_frame_link: Pose, unit: float) -> Link:
    """A link of a robot with the mass and shape of a file added."""
    mass, total = link.mass_properties(unit), made.mass
    parts = (*made.parts, *(Part(solid.moved(X_frame_link), GREY) for solid in link.solids(unit)))
    if mass is not None:
        moved = mass.moved(X_frame_link)
        total = moved if total is None else MassProperties.sum([total, moved])
    return Link(made.name, parts, total)


def links_of_robot(robot: Robot, unit: float = mm) -> list[LinkFile]:
    """The link files of a robot at its home, the base first; a tool frame becomes one or two fixed links at the end."""
    first = 2 if robot.rows[0].prismatic else 1
    base = _fixed_rows(robot.chain.X_base_0)
    files = []
    for number, row in enumerate(base):
        files.append(_fixed(row, unit, first if number == len(base) - 1 else 3))
    link = robot.links[0]
    files[-1] = dataclasses.replace(files[-1], inertia=_pseudo_inertia(link.mass, unit), vectors=_vectors(link, unit))
    files += [link_of_robot(robot, joint, unit) for joint in range(1, robot.n + 1)]
    if not robot.chain.X_n_tool.is_close(Pose.identity(), 1e-15, 1e-15):
        files += [_fixed(row, unit, 3) for row in _fixed_rows(robot.chain.X_n_tool)]
    return files


def _fixed_rows(pose: Pose) -> list[DHRow]:
    """One DH row that makes a pose, or two: the second turns about and shifts along the axis of the first."""
    if not check_joints(pose):
        return [dh_between(pose)]
    middle = seated(pose)
    return [dh_between(middle), dh_between(_axial(middle.inverse() @ pose))]


def _axial(pose: Pose) -> Pose:
    """A pose that turns about and shifts along z, without rounding noise."""
    m = pose.rotation
    return Pose.from_xyz(0.0, 0.0, float(pose.xyz[2])) @ Pose.from_axis_angle(
        (0, 0, 1), math.atan2(m[1, 0] - m[0, 1], m[0, 0] + m[1, 1])
    )


def _fixed(row: DHRow, unit: float, after: int) -> LinkFile:
    matrix = _row_matrix(row.theta, row.d / unit, row.a / unit, row.alpha)
    into = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    return LinkFile(
        row.theta / deg, row.d / unit, row.a / unit, row.alpha / deg, (1, 1), (3, after), np.zeros((4, 4)), into,
        np.eye(4), matrix,
    )  # fmt: skip


def link_of_robot(robot: Robot, joint: int, unit: float = mm) -> LinkFile:
    """The link file of the link after a joint (1 … n), at the robot's home; its vectors are the faces of its solids."""
    if not 1 <= joint <= robot.n:
        raise InvalidValue(f"The robot {robot.name!r} has joints 1 to {robot.n}; found {joint}.", joint=joint)
    row, value = robot.rows[joint - 1], float(robot.home[joint - 1])
    theta = row.theta + (0.0 if row.prismatic else value)
    d = row.d + (value if row.prismatic else 0.0)
    after = 3 if joint == robot.n else 2 if robot.rows[joint].prismatic else 1
    made = _fixed(DHRow(theta, d, row.a, row.alpha), unit, after)
    link = robot.links[joint]
    return dataclasses.replace(
        made,
        types=(2 if row.prismatic else 1, after),
        inertia=_pseudo_inertia(link.mass, unit),
        vectors=_vectors(link, unit),
    )


def link_of_solids(
    X_link_in: Pose,
    X_link_out: Pose,
    types: tuple[str, str],
    solids: Sequence[Solid],
    mass: MassProperties | None = None,
    unit: float = mm,
) -> LinkFile:
    """The link file of a link made of solids with two joint frames on it.

    Args:
        X_link_in: joint i in the frame of the link.
        X_link_out: joint i+1 there; if the two are not a DH pair, it is first moved along and turned about its axis.
        types: the types of the two joints: ``revolute``, ``prismatic`` or ``fixed``.
        solids: the solids, in the frame of the link.
        mass: the mass, in the frame of the link.
        unit: the size of the file's length unit [m].
    """
    between = X_link_in.inverse() @ X_link_out
    seat = seated(between) if check_joints(between) else between
    row = dh_between(seat)
    code = {word: number for number, word in TYPES.items()}
    before, after = (np.array(X.matrix) for X in (X_link_in, X_link_in @ seat))
    before[:3, 3] /= unit
    after[:3, 3] /= unit
    return LinkFile(
        row.theta / deg, row.d / unit, row.a / unit, row.alpha / deg, (1, 1), (code[types[0]], code[types[1]]),
        _pseudo_inertia(mass, unit), before, after, _row_matrix(row.theta, row.d / unit, row.a / unit, row.alpha),
        strokes_of(solids, unit),
    )  # fmt: skip


def _pseudo_inertia(mass: MassProperties | None, unit: float) -> Array:
    if mass is None:
        return np.zeros((4, 4))
    inertia = mass.about_origin()
    second = (0.5 * np.trace(inertia) * np.eye(3) - inertia) / unit**2
    first = mass.mass * mass.centre / unit
    return np.block([[second, first[:, None]], [first[None, :], np.array([[mass.mass]])]])


def _vectors(link: Link, unit: float) -> Array:
    return strokes_of((part.solid for part in link.seen), unit)


def _row_matrix(theta: float, d: float, a: float, alpha: float) -> Array:
    turn = Pose.from_axis_angle((0, 0, 1), theta).matrix @ Pose.from_axis_angle((1, 0, 0), alpha).matrix
    matrix = np.array(turn)
    matrix[:3, 3] = (a * math.cos(theta), a * math.sin(theta), d)
    return matrix


def _metres(matrix: Array, unit: float) -> Array:
    result = np.array(matrix)
    result[:3, 3] *= unit
    return result


def _rigid(matrix: Array) -> Array:
    """Make a matrix of a few printed decimals rigid, if it nearly is."""
    result = np.array(matrix)
    result[3] = (0.0, 0.0, 0.0, 1.0)
    u, _, vt = np.linalg.svd(result[:3, :3])
    if np.abs(u @ vt - result[:3, :3]).max() < 1e-3:
        result[:3, :3] = u @ vt
    return result


def _rounded(matrix: Array) -> Array:
    """The same in metres, for a file in millimetres."""
    return _metres(_rigid(matrix), mm)

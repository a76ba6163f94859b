"""Result files: ``DirectKinematics`` and ``InverseKinematics`` of Ding's program, written and read.

The thesis names the two files (section 5.1.3) and does not show them. Their layout here follows the tables of the
thesis with the same results: the DH rows, the matrix of each joint and their product as in equation 5.2; for each point
the target and one column for each solution under its signs of A, E and W as in table 5.3. Lengths are millimetres,
angles degrees.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.errors import FileProblem
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.spatial.units import deg, mm

Array = NDArray[np.float64]
DIRECT, INVERSE = "DirectKinematics", "InverseKinematics"
_ROWS = "Joint i  theta  alpha  a  d"
_TARGET = "Px  Py  Pz  Yaw  Pitch  Roll"


@dataclass(frozen=True)
class DirectResult:
    """One calculation of the hand from joint values.

    Attributes:
        robot: its name.
        rows: theta, alpha, a, d of each joint at its present value [deg, mm].
        matrices: by name (``Base``, ``0A1`` … , ``Tool``), the matrices in the order of their multiplication [mm].
        hand: their product [mm].
    """

    robot: str
    rows: tuple[tuple[float, ...], ...]
    matrices: dict[str, Array]
    hand: Array

    @property
    def pose(self) -> Pose:
        """The hand in the base of the robot."""
        return Pose(_metres(self.hand))


@dataclass(frozen=True)
class Column:
    """One solution: the signs of A, E and W, or None if the arm has no such branches, and joint values."""

    label: tuple[int, int, int] | None
    joints: tuple[float, ...]


@dataclass(frozen=True)
class Point:
    """One target and all ways to reach it.

    Attributes:
        name: its name.
        target: x, y, z, yaw, pitch, roll in the base of the robot [mm, deg].
        columns: one for each solution, joint values [deg or mm].
    """

    name: str
    target: tuple[float, ...]
    columns: tuple[Column, ...]

    @property
    def pose(self) -> Pose:
        """The target in the base of the robot."""
        return Pose.from_xyz_angles(np.array(self.target[:3]) * mm, np.array(self.target[3:]) * deg, "ding_ypr")


@dataclass(frozen=True)
class InverseResult:
    """Calculations of joint values from targets."""

    robot: str
    points: tuple[Point, ...]


# ---- computation --------------------------------------------------------------------------------------


def direct(robot: Robot, joints: Sequence[float], name: str = "") -> DirectResult:
    """The hand of a robot at joint values [rad or m], with every matrix in between."""
    rows, matrices = [], {}
    if not robot.chain.X_base_0.is_close(Pose.identity(), 0.0, 0.0):
        matrices["Base"] = _millimetres(robot.chain.X_base_0.matrix)
    for number, (row, q) in enumerate(zip(robot.rows, joints, strict=True), start=1):
        theta = row.theta + (0.0 if row.prismatic else float(q))
        d = row.d + (float(q) if row.prismatic else 0.0)
        rows.append((theta / deg, row.alpha / deg, row.a / mm, d / mm))
        turn = Pose.from_axis_angle((0, 0, 1), theta) @ Pose.from_xyz(row.a, 0.0, d)
        matrices[f"{number - 1}A{number}"] = _millimetres((turn @ Pose.from_axis_angle((1, 0, 0), row.alpha)).matrix)
    if not robot.chain.X_n_tool.is_close(Pose.identity(), 0.0, 0.0):
        matrices["Tool"] = _millimetres(robot.chain.X_n_tool.matrix)
    hand = _millimetres(robot.fk(np.array(joints, dtype=float)).matrix)
    return DirectResult(name or robot.name, tuple(rows), matrices, hand)


def inverse(robot: Robot, targets: Sequence[tuple[str, Pose]], name: str = "") -> InverseResult:
    """All solutions of a robot for targets in its base; a target out of reach has no column."""
    scales = [mm if row.prismatic else deg for row in robot.rows]
    points = []
    for called, pose in targets:
        columns = tuple(
            Column(s.label, tuple(float(v) / size for v, size in zip(s.q, scales, strict=True))) for s in robot.ik(pose)
        )
        numbers = (*pose.xyz / mm, *pose.angles("ding_ypr") / deg)
        points.append(Point(called, tuple(float(v) for v in numbers), columns))
    return InverseResult(name or robot.name, tuple(points))


def deviations(result: DirectResult | InverseResult, robot: Robot) -> list[tuple[str, float, float]]:
    """The difference between each result and the robot: its name, metres, radians."""
    scales = np.array([mm if row.prismatic else deg for row in robot.rows])
    if isinstance(result, DirectResult):
        values = [
            (row[3] * mm - own.d) if own.prismatic else (row[0] * deg - own.theta)
            for row, own in zip(result.rows, robot.rows, strict=True)
        ]
        return [("the hand", *_apart(robot.fk(np.array(values)), result.pose))]
    return [
        (f"{point.name or 'point'}, solution {number}", *_apart(robot.fk(np.array(one.joints) * scales), point.pose))
        for point in result.points
        for number, one in enumerate(point.columns, start=1)
    ]


def _apart(one: Pose, other: Pose) -> tuple[float, float]:
    turn = one.rotation.T @ other.rotation
    half = float(np.linalg.norm(turn - np.eye(3))) / math.sqrt(8.0)
    return float(np.linalg.norm(one.xyz - other.xyz)), 2.0 * math.asin(min(1.0, half))


# ---- writing ------------------------------------------------------------------------------------------


def write(result: DirectResult | InverseResult) -> str:
    """The text of a result file, in columns; six decimals, as in work cell files."""
    lines = _direct_lines(result) if isinstance(result, DirectResult) else _inverse_lines(result)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _direct_lines(result: DirectResult) -> Iterator[str]:
    yield from (DIRECT, f"Robot  {result.robot}", "", _ROWS)
    for number, row in enumerate(result.rows, start=1):
        yield f"{number:<9}{_text(row)}"
    for name, matrix in result.matrices.items():
        yield from ("", name, *(_text(row) for row in matrix))
    yield from ("", f"0A{len(result.rows)} = {' * '.join(result.matrices)}", *(_text(row) for row in result.hand))


def _inverse_lines(result: InverseResult) -> Iterator[str]:
    yield from (INVERSE, f"Robot  {result.robot}")
    for number, point in enumerate(result.points, start=1):
        yield from ("", f"Point  {point.name or number}", _TARGET, _text(point.target))
        yield "Solutions" + "".join(f"{i:14d}" for i in range(1, len(point.columns) + 1))
        yield "A,E,W    " + "".join(f"{_signs(one.label):>14}" for one in point.columns)
        joints = zip(*(one.joints for one in point.columns), strict=True)
        for joint, values in enumerate(joints, start=1):
            yield f"Joint{joint:<4}{_text(values)}"


def _signs(label: tuple[int, int, int] | None) -> str:
    return "none" if label is None else ",".join(f"{'+' if sign > 0 else '-'}1" for sign in label)


def _text(values: Sequence[float] | Array) -> str:
    return "".join(f"{float(v) + 0.0:14.6f}".replace("-0.000000", " 0.000000") for v in values)


# ---- reading ------------------------------------------------------------------------------------------


def parse(text: str, where: str = "the text") -> DirectResult | InverseResult:
    """The results in a text; ``where`` is its name in messages."""
    lines = _Lines(text, where)
    first = lines.next("DirectKinematics or InverseKinematics")
    if first not in (DIRECT, INVERSE):
        raise lines.problem("a result file begins with DirectKinematics or InverseKinematics")
    robot = lines.after("Robot")
    return _direct(lines, robot) if first == DIRECT else _inverse(lines, robot)


class _Lines:
    """The lines of a file that are not blank, in order."""

    def __init__(self, text: str, where: str) -> None:
        self._where = where
        self._lines = [(n, line.strip()) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]
        self._at = 0

    def peek(self) -> str:
        """The next line, or an empty string at the end."""
        return self._lines[self._at][1] if self._at < len(self._lines) else ""

    def next(self, wanted: str) -> str:
        """The next line; the end of the file is refused."""
        if self._at >= len(self._lines):
            raise FileProblem(f"{self._where} is cut off: {wanted} was expected after its last line.", path=self._where)
        self._at += 1
        return self._lines[self._at - 1][1]

    def problem(self, what: str) -> FileProblem:
        """The error about the line that was read last."""
        number, line = self._lines[self._at - 1]
        return FileProblem(f"{self._where}, line {number}: {what}; found {line!r}.", path=self._where, line=number)

    def after(self, word: str) -> str:
        """The rest of the next line, which must begin with a word."""
        line = self.next(word)
        if line.split()[0] != word:
            raise self.problem(f"a line that begins with {word} was expected")
        return line[len(word) :].strip()

    def literal(self, wanted: str) -> None:
        """Read a line of headings."""
        if self.next(wanted).split() != wanted.split():
            raise self.problem(f"the headings {' '.join(wanted.split())} were expected")

    def numbers(self, count: int, head: str = "") -> tuple[float, ...]:
        """``count`` numbers, after a word if one is given."""
        line = self.next(f"a row of {count} numbers")
        words = line.split()
        if head and (not words or words.pop(0) != head):
            raise self.problem(f"a row that begins with {head} was expected")
        try:
            values = tuple(float(word) for word in words)
        except ValueError:
            raise self.problem(f"{count} numbers were expected") from None
        if len(values) != count or not all(map(math.isfinite, values)):
            raise self.problem(f"{count} finite numbers were expected")
        return values


def _direct(lines: _Lines, robot: str) -> DirectResult:
    lines.literal(_ROWS)
    rows: list[tuple[float, ...]] = []
    while lines.peek().split(" ")[0] == str(len(rows) + 1):
        rows.append(lines.numbers(4, str(len(rows) + 1)))
    matrices: dict[str, Array] = {}
    while lines.peek() and "=" not in lines.peek():
        name = lines.next("the name of a matrix")
        matrices[name] = np.array([lines.numbers(4) for _ in range(4)])
    if "=" not in lines.next("the product of the matrices"):
        raise lines.problem("the product of the matrices was expected")
    hand = np.array([lines.numbers(4) for _ in range(4)])
    if lines.peek():
        lines.next("")
        raise lines.problem("nothing was expected after the last matrix")
    return DirectResult(robot, tuple(rows), matrices, hand)


def _inverse(lines: _Lines, robot: str) -> InverseResult:
    points = []
    while lines.peek():
        name = lines.after("Point")
        lines.literal(_TARGET)
        target = lines.numbers(6)
        count = len(lines.after("Solutions").split())
        labels = [_label(lines, word) for word in lines.after("A,E,W").split()]
        if len(labels) != count:
            raise lines.problem(f"{count} labels such as +1,-1,+1 were expected")
        joints: list[tuple[float, ...]] = []
        while lines.peek().startswith("Joint"):
            joints.append(lines.numbers(count, f"Joint{len(joints) + 1}"))
        values = list(zip(*joints, strict=True)) if joints else [()] * count
        points.append(Point(name, target, tuple(Column(a, tuple(b)) for a, b in zip(labels, values, strict=True))))
    return InverseResult(robot, tuple(points))


def _label(lines: _Lines, word: str) -> tuple[int, int, int] | None:
    if word == "none":
        return None
    if not re.fullmatch(r"[+-]1,[+-]1,[+-]1", word):
        raise lines.problem("labels such as +1,-1,+1 were expected")
    a, e, w = (int(sign) for sign in word.split(","))
    return a, e, w


def _millimetres(matrix: Array) -> Array:
    made = np.array(matrix)
    made[:3, 3] /= mm
    return made


def _metres(matrix: Array) -> Array:
    """A printed matrix as a pose; six decimals are corrected to a rotation."""
    made = np.array(matrix)
    u, _, vt = np.linalg.svd(made[:3, :3])
    made[:3, :3] = u @ vt
    made[:3, 3] *= mm
    made[3] = (0.0, 0.0, 0.0, 1.0)
    return made

"""Objects of a work cell file after edits: unchanged fields keep their text, and unknown fields stay.

An object from a file is passed as it was; without one, a new object with all fields is made.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from workcell.kinematics.dh import DHRow
from workcell.robots.formats import wld, wld_objects
from workcell.robots.formats.wld import WldField, WldObject
from workcell.robots.joint_frames import check_joints, dh_between
from workcell.robots.link import Colour
from workcell.robots.orientation import code_of
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.spatial.units import deg, mm

GREEN: Colour = (0.0, 1.0, 0.0)
"""The colour of everything in the one file that is known."""


@dataclass(frozen=True)
class SixRows:
    """A robot as six rows of a work cell file.

    Attributes:
        rows: the rows with all joints at zero; the angle in a file is the joint value plus the theta of the row.
        X_base_frame: the first frame of the rows, in the base of the robot.
        whole: whether the tool is in the last row; a tool that no row can express is left out.
    """

    rows: tuple[DHRow, ...]
    X_base_frame: Pose
    whole: bool

    def thetas(self, joints: Sequence[float]) -> tuple[float, ...]:
        """The angles of a file for joint values [rad]."""
        return tuple(float(q) + row.theta for q, row in zip(joints, self.rows, strict=True))


def six_rows(robot: Robot) -> SixRows | None:
    """The rows of a robot with six turning joints; None for others."""
    if robot.n != 6 or robot.chain.prismatic.any():
        return None
    rows = list(robot.rows)
    last = rows[-1]
    turn = Pose.from_axis_angle((0, 0, 1), last.theta) @ Pose.from_xyz(last.a, 0.0, last.d)
    X_6 = turn @ Pose.from_axis_angle((1, 0, 0), last.alpha) @ robot.chain.X_n_tool
    whole = not check_joints(X_6)
    if whole and not robot.chain.X_n_tool.is_close(Pose.identity(), 1e-15, 1e-15):
        rows[-1] = dh_between(X_6)
    return SixRows(tuple(rows), robot.chain.X_base_0, whole)


def robot_object(
    known: WldObject | None,
    rows: SixRows,
    joints: Sequence[float],
    name: str,
    X_world_frame: Pose,
    colour: Colour | None,
    alpha: float = 1.0,
) -> WldObject:
    """A C6RRobot: six rows at joint values [rad], and the pose of their first frame."""
    thetas = rows.thetas(joints)
    item = known or _new("C6RRobot", {**{f"Joint{i}": 4 for i in range(1, 7)}, "Joint0": 2, "Selection": 7})
    for number, (theta, row) in enumerate(zip(thetas, rows.rows, strict=True), start=1):
        twist = row.alpha / deg
        if known is not None:  # keep a twist of more than a turn
            have = known.field(f"Joint{number}").numbers(4)[1]
            twist = have if abs(math.remainder(have - twist, 360.0)) < 1e-9 else twist
        item = with_numbers(item, f"Joint{number}", (theta / deg, twist, row.d / mm, row.a / mm))
    m = X_world_frame.rotation
    if known is not None:
        turn = base_turn(known)
    elif abs(float(m[2, 0])) < 1e-12:  # only turned about z and then about x: written as Joint0, as Ding does
        turn = (float(np.arctan2(m[1, 0], m[0, 0])), float(np.arctan2(m[2, 1], m[2, 2])))
        item = with_numbers(item, "Joint0", tuple(v / deg for v in turn))
    else:
        turn = (0.0, 0.0)
    item = _posed(item, X_world_frame @ turned(turn).inverse())
    frames = [f"Joint{i}" for i in range(1, 7)]
    if known is None or any(item.field(one) != known.field(one) for one in frames):
        turns = [turn, *((float(theta), row.alpha) for theta, row in zip(thetas, rows.rows, strict=True))]
        codes = (code_of(joint, theta, alpha) for joint, (theta, alpha) in enumerate(turns, start=1))
        item = _with(item, WldField("Selection", " ".join(str(code) for code in codes)))
    return _named(_coloured(item, colour, alpha), name)


def base_turn(item: WldObject) -> tuple[float, float]:
    """Theta and alpha of Joint0 of a robot [rad]; zeros if the file has none."""
    theta, alpha = item.field("Joint0").numbers(2) if item.has("Joint0") else (0.0, 0.0)
    return theta * deg, alpha * deg


def turned(base: tuple[float, float]) -> Pose:
    """The turn of Joint0 [rad]: about z, then about x."""
    return Pose.from_axis_angle((0, 0, 1), base[0]) @ Pose.from_axis_angle((1, 0, 0), base[1])


def solid_object(
    known: WldObject | None,
    kind: str,
    name: str,
    sizes: Mapping[str, float],
    X_world: Pose,
    colour: Colour | None,
    alpha: float = 1.0,
) -> WldObject:
    """A cube, cylinder or cone of these sizes [m] at a pose, with a colour and the opacity ``alpha``."""
    item = known if known is not None and known.kind == kind else _new(kind, dict.fromkeys(sizes, 1))
    for size, value in sizes.items():
        item = with_numbers(item, size, (value / mm,))
    return _named(_coloured(_posed(item, X_world), colour, alpha), name)


def target_object(
    known: WldObject | None, name: str, X_base_hand: Pose, thetas: Sequence[float], base: tuple[float, float] | None
) -> WldObject:
    """A target point: the hand in the robot's first frame, the angles of the robot, and Joint0 [rad].

    ``base`` is None if Joint0 did not change, so that its text in the file stays.
    """
    item = known or _new("C3dTargetPoint", {"Thetas": 6, "Target": 6, "Base": 2})
    item = with_numbers(item, "Thetas", [v / deg for v in thetas])
    if not wld_objects.hand_of(item).is_close(X_base_hand, 1e-12, 1e-12):
        item = with_numbers(item, "Target", (*X_base_hand.xyz / mm, *X_base_hand.angles("ding_ypr") / deg))
    if base is not None:
        item = with_numbers(item, "Base", [v / deg for v in base])
    return _named(item, name)


def other_object(known: WldObject, name: str, X_world: Pose) -> WldObject:
    """An object of an unknown class, at its present pose."""
    return _named(_posed(known, X_world), name)


def with_numbers(item: WldObject, name: str, values: Sequence[float]) -> WldObject:
    """The object with these numbers in a field; a text with the same numbers stays."""
    if item.has(name):
        have = item.field(name).numbers(len(values))
        if all(abs(a - b) <= 1e-9 * max(1.0, abs(b)) for a, b in zip(have, values, strict=True)):
            return item
    return _with(item, wld.numbers(name, values))


# ---- fields that every object has ---------------------------------------------------------------------


def _named(item: WldObject, name: str) -> WldObject:
    text = wld.name_text(name)
    return item if wld.name_text(item.name) == text else _with(item, WldField("Name", text))


def _coloured(item: WldObject, colour: Colour | None, alpha: float) -> WldObject:
    """The object with another colour; None keeps the old one."""
    have = item.colour
    same = colour is None or [round(255 * v) for v in have] == [round(255 * v) for v in colour]
    if same and abs(item.alpha - alpha) < 1e-9:
        return item
    colour = have if same or colour is None else colour
    return _with(item, dataclasses.replace(wld.numbers("Color", (*colour, alpha)), comment="RGBA"))


def _posed(item: WldObject, X_world: Pose) -> WldObject:
    """The object moved: its translation stays, its origin and rotation follow."""
    before = item.pose
    if before.is_close(X_world, 1e-12, 1e-12):
        return item
    shift = np.array(item.field("Translate").numbers(3) if item.has("Translate") else (0.0, 0.0, 0.0))
    last = item.field("Origin").numbers(4)[3] if item.has("Origin") else 0.0
    item = with_numbers(item, "Origin", (*(X_world.xyz / mm - shift), last))
    if np.abs(before.rotation - X_world.rotation).max() < 1e-12:
        return item
    return with_numbers(item, "Rotation", tuple(X_world.angles("ding_ypr") / deg))


def _new(kind: str, own: Mapping[str, int]) -> WldObject:
    """A green object whose numbers are zero, with the fields of Ding's files in their order."""
    fields = [wld.numbers(name, [0.0] * count) for name, count in own.items()]
    return WldObject(kind, (*fields, *wld.common("", GREEN, Pose.identity())))


def _with(item: WldObject, made: WldField) -> WldObject:
    """The object with a field in place of the first of that name, whose comment stays; or at the end."""
    fields = list(item.fields)
    for at, one in enumerate(fields):
        if one.name == made.name:
            fields[at] = dataclasses.replace(made, comment=made.comment or one.comment)
            return dataclasses.replace(item, fields=tuple(fields))
    return dataclasses.replace(item, fields=(*fields, made))

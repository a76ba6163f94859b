"""DH parameters from the two joint frames of a link, and the check that R2 calls "check joints".

A link that was built face by face has a frame where it joins the link before (z is the axis of its own joint) and one
where the next link joins it (z is the axis of the next joint).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workcell.errors import InvalidValue
from workcell.kinematics.dh import Chain, DHRow
from workcell.spatial.pose import Pose

TOLERANCE = 1e-6
"""The greatest error [m, rad] of two frames that counts as meeting the Denavit–Hartenberg conditions."""


@dataclass(frozen=True)
class BuiltLink:
    """A link as built: its two joint frames in its own frame, and how its own joint moves.

    Attributes:
        X_link_in: the frame where it joins the link before; z is the axis of its joint.
        X_link_out: the frame where the next link joins; z is the axis of the next joint.
        prismatic: whether its joint slides along z instead of turning about it.
        name: its name.
        fixed: whether its joint does not move, so that it is part of the link before.
    """

    X_link_in: Pose
    X_link_out: Pose
    prismatic: bool = False
    name: str = ""
    fixed: bool = False


def check_joints(X_in_out: Pose) -> tuple[str, ...]:
    """The reasons why two joint frames are not a Denavit–Hartenberg pair; empty if they are one.

    The x axis of the second frame must be at right angles to the z axis of the first, and meet it.
    """
    m = X_in_out.matrix
    faults = []
    tilt = math.asin(max(-1.0, min(1.0, float(m[2, 0]))))
    if abs(tilt) > TOLERANCE:
        faults.append(
            f"the x axis of joint i+1 is {math.degrees(abs(tilt)):.6g}° off a right angle to the z axis of joint i"
        )
    x, y = float(m[0, 0]), float(m[1, 0])
    flat = math.hypot(x, y)
    beside = abs(x * float(m[1, 3]) - y * float(m[0, 3])) / flat if flat > 1e-12 else math.inf
    if beside > TOLERANCE:
        faults.append(
            f"the x axis of joint i+1 passes the z axis of joint i at {beside * 1e3:.6g} mm instead of meeting it"
        )
    return tuple(faults)


def dh_between(X_in_out: Pose, prismatic: bool = False) -> DHRow:
    """The DH row of a link from its two joint frames; frames that are not a DH pair are refused with the reason."""
    faults = check_joints(X_in_out)
    if faults:
        raise InvalidValue(
            f"The joint frames do not follow the Denavit–Hartenberg convention: {'; '.join(faults)}.", faults=faults
        )
    m = X_in_out.matrix
    theta = math.atan2(m[1, 0], m[0, 0])
    a = float(m[0, 3] * m[0, 0] + m[1, 3] * m[1, 0])
    alpha = math.atan2(m[2, 1], m[2, 2])
    return DHRow(theta + 0.0, float(m[2, 3]), a, alpha + 0.0, prismatic)


def seated(X_in_out: Pose) -> Pose:
    """The second frame moved along and turned about its own axis, so that the pair follows the convention.

    The axes stay where they are: the origin goes to the foot of the common normal, x along that normal.
    """
    z1, z2 = np.array([0.0, 0.0, 1.0]), X_in_out.rotation[:, 2]
    point = X_in_out.xyz
    cross = np.cross(z1, z2)
    sine = float(np.linalg.norm(cross))
    if sine < 1e-9:
        across = point - z1 * float(point @ z1)
        far = float(np.linalg.norm(across))
        x = across / far if far > 1e-12 else _turned_x(X_in_out)
        origin = point
    else:
        along = float(np.linalg.det(np.stack([point, z1, cross]))) / sine**2
        origin = point + along * z2
        across = origin - z1 * float(origin @ z1)
        far = float(np.linalg.norm(across))
        # Axes that meet have two such normals: use the one nearer to the present x axis.
        way = math.copysign(1.0, float(cross @ X_in_out.rotation[:, 0]))
        x = across / far if far > 1e-12 else way * cross / sine
    return Pose.from_rotation(np.column_stack([x, np.cross(z2, x), z2]), origin)


def _turned_x(pose: Pose) -> np.ndarray:
    x = pose.rotation[:, 0].copy()
    x[2] = 0.0
    return np.asarray(x / np.linalg.norm(x))


def chain_from_links(links: Sequence[BuiltLink], base: Pose | None = None) -> Chain:
    """A chain from links joined face to face: the in frame of each is on the out frame of the one before.

    Joint values are zero where the frames coincide. The frames need not follow the convention: only their z axes
    are used, and the DH rows are computed from them. The tool is the out frame of the last link.
    """
    return assembled(links, base)[0]


def assembled(links: Sequence[BuiltLink], base: Pose | None = None) -> tuple[Chain, list[tuple[int, Pose]]]:
    """The chain of :func:`chain_from_links`, and for each link its number in the chain and its frame there.

    A link with a fixed joint has the number of the one before it, 0 for the base.
    """
    from workcell.kinematics.forward import frames

    if all(link.fixed for link in links):
        raise InvalidValue("A chain needs at least one link with a joint that moves.")
    here = Pose.identity() if base is None else base
    points, directions, stand = [], [], []
    for link in links:
        if not link.fixed:
            points.append(here.xyz)
            directions.append(here.rotation[:, 2])
        X_base_link = here @ link.X_link_in.inverse()
        stand.append((len(points), X_base_link))
        here = X_base_link @ link.X_link_out
    slides = [link.prismatic for link in links if not link.fixed]
    chain = Chain.from_axes(np.array(points), np.array(directions), slides, here)
    there = [Pose(frame) for frame in frames(chain, np.zeros(chain.n))]
    return chain, [(number, there[number].inverse() @ X_base_link) for number, X_base_link in stand]

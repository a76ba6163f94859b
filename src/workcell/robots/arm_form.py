"""The form of an arm from its dimensions alone: a pedestal, drums at the joints, tubes between them, a flange.

Link i is drawn in DH frame i. In that frame the axis of joint i passes through (−a, 0, 0) with the direction
(0, sin α, cos α), and the axis of joint i+1 is the frame's own z. Each link runs from the point where it leaves
joint i to the point where it meets joint i+1. A link that leaves along the axis begins with a collar, one that
leaves across it begins with a drum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.geometry.solid import Solid
from workcell.kinematics.dh import Chain, DHRow
from workcell.robots.robot_file import Style
from workcell.robots.shape_parts import ball, slab, tube
from workcell.spatial.units import mm

Vector = NDArray[np.float64]
Piece = tuple[Solid, str]

_SLIM = {"industrial": (0.105, 0.090, 0.075, 0.055, 0.042, 0.035), "cobot": (0.066, 0.064, 0.058, 0.051, 0.047, 0.042)}
"""Drum radius of each joint as a share of the arm's length."""
_ROOM = 0.85
"""The largest share of a link's length that the drums at its ends may take."""
_SHORT = 0.35
"""The drums are not made thinner for a link whose room is a smaller share than this of what they need."""
_ALONG = 0.8
"""A link runs along an axis if the cosine of their angle is greater than this."""


@dataclass(frozen=True)
class _Joint:
    """The point where two links meet at a joint, measured along its axis from the frame before it [m].

    The link before ends at ``meets``. The link after begins at ``leaves`` and runs ``along`` the axis or across it.
    """

    radius: float
    meets: float
    leaves: float
    along: bool


def draw(chain: Chain, style: Style | None = None) -> list[list[Piece]]:
    """The pieces of every link, the base first: solids in their DH frames with colour names.

    Without a style, the drums are no thicker than the links between them allow.
    """
    if style is None:
        style = Style(radii=tuple(r / mm for r in slender_radii(chain)))
    if style.form == "planar":
        return _planar(chain, style)
    joints = _joints(chain, style)
    pieces = [_base(joints[0], chain.rows[0])]
    for i, row in enumerate(chain.rows):
        after = joints[i + 1] if i + 1 < chain.n else None
        pieces.append(_link(row, joints[i], after, style.form, standing=i == 0))
    return pieces


def length(chain: Chain) -> float:
    """The length of the arm beyond its first joint, without travel [m]."""
    return sum(float(np.hypot(row.a, 0.0 if row.prismatic else row.d)) for row in chain.rows[1:]) or 1.0


def slender_radii(chain: Chain) -> list[float]:
    """The drum radius of every joint [m], such that the drums at both ends of a link do not fill it.

    No drum is made thinner for a link that is very short compared with the drums, or that has no length.
    """
    radii = _usual_radii(chain, "industrial")
    most = list(radii)
    for i, row in enumerate(chain.rows[:-1]):
        room = _ROOM * float(np.hypot(row.a, row.d))
        if row.prismatic or room < _SHORT * (radii[i] + radii[i + 1]):
            continue
        for k in (i, i + 1):
            most[k] = min(most[k], radii[k] * room / (radii[i] + radii[i + 1]))
    return [float(r) for r in np.minimum.accumulate(most)]  # no joint is thicker than the one before it


def _usual_radii(chain: Chain, form: str) -> list[float]:
    slim, size = _SLIM[form], length(chain)
    return [slim[min(i, 5)] * size for i in range(chain.n)]


def _joints(chain: Chain, style: Style) -> list[_Joint]:
    size = length(chain)
    radii = [r * mm for r in style.radii] or _usual_radii(chain, style.form)
    if len(radii) != chain.n:
        raise InvalidValue(f"A style for {chain.n} joints needs {chain.n} radii; found {len(radii)}.")
    joints: list[_Joint] = []
    for i, row in enumerate(chain.rows):
        radius = radii[i]
        meets = _carried(chain.rows[i - 1], joints[i - 1]) if i else 0.0
        along = abs(row.d) > max(0.6 * abs(row.a), 0.04 * size) or row.prismatic
        if not along:
            leaves = row.d
        elif i and _is_long(chain.rows[i - 1], joints[i - 1], radius):
            leaves = meets + 0.58 * (row.d - meets)
        elif i == chain.n - 1:
            meets = leaves = row.d - np.sign(row.d) * min(0.35 * radius, 0.5 * abs(row.d))
        elif i == 0:
            meets = leaves = np.sign(row.d) * max(abs(row.d) - 1.25 * radii[1], 0.35 * abs(row.d))
        else:
            meets = leaves = 0.35 * row.d
        leaves = style.shift.get(str(i + 1), leaves / mm) * mm
        joints.append(_Joint(radius, float(meets), float(leaves), bool(along)))
    return joints


def _carried(before: DHRow, joint: _Joint) -> float:
    """The point where a link that stays in its plane meets the next, parallel axis."""
    parallel = abs(np.sin(before.alpha)) < 1e-9 and not before.prismatic
    return (joint.leaves - before.d) * float(np.cos(before.alpha)) if parallel else 0.0


def _is_long(row: DHRow, joint: _Joint, radius: float) -> bool:
    """Whether a link is already long, so that the next joint sits at its end and not farther out."""
    along = 0.0 if row.prismatic else abs(joint.leaves - row.d)
    return along > 0.6 * radius or abs(row.a) > 3.0 * radius


def _base(joint: _Joint, row: DHRow) -> list[Piece]:
    top = joint.meets if abs(joint.meets) > 1e-6 else float(np.sign(row.d) or 1.0) * -0.5 * joint.radius
    up = np.array([0.0, 0.0, top])
    foot = up / np.linalg.norm(up) * min(0.18 * joint.radius, 0.3 * abs(top))
    wide = 1.32 * joint.radius
    return [
        (tube(np.zeros(3), foot, wide), "frame"),
        (tube(foot, up, 1.08 * joint.radius, 0.96 * joint.radius), "frame"),
    ]


def _link(row: DHRow, joint: _Joint, after: _Joint | None, form: str, standing: bool) -> list[Piece]:
    axis = np.array([0.0, np.sin(row.alpha), np.cos(row.alpha)])
    start = np.array([-row.a, 0.0, 0.0]) + (joint.leaves - row.d) * axis
    if after is None:
        return _flange(start, joint)
    end = np.array([0.0, 0.0, after.meets])
    way = end - start
    far = float(np.linalg.norm(way))
    slim = 0.8 if form == "industrial" else 0.84
    pieces: list[Piece] = []
    if far > 1e-6:
        pieces.append((tube(start, end, slim * joint.radius, min(slim * after.radius, _cover(way, after))), "arm"))
    pieces += (
        _turntable(start, axis * float(np.sign(row.d) or 1.0), joint) if standing else _inboard(start, axis, way, joint)
    )
    pieces += _outboard(end, way, after, form)
    return pieces


def _turntable(start: Vector, up: Vector, joint: _Joint) -> list[Piece]:
    """The disc on which the first link stands on the pedestal."""
    return [(tube(start, start + 0.35 * joint.radius * up, joint.radius), "arm")]


def _inboard(start: Vector, axis: Vector, way: Vector, joint: _Joint) -> list[Piece]:
    """The collar or drum at which a link leaves its joint."""
    far = float(np.linalg.norm(way))
    r = joint.radius
    if far > 1e-6 and abs(float(way @ axis)) > _ALONG * far:
        return [(tube(start, start + way / far * min(0.45 * r, 0.5 * far), r), "arm")]
    half = axis * _half(joint)
    return [(tube(start - half, start + half, r), "arm")]


def _outboard(end: Vector, way: Vector, after: _Joint, form: str) -> list[Piece]:
    """The collar, caps or drum at which a link meets the next joint."""
    far = float(np.linalg.norm(way))
    r = after.radius
    axis = np.array([0.0, 0.0, 1.0])
    if far > 1e-6 and abs(float(way @ axis)) > _ALONG * far:
        return [(tube(end - way / far * min(0.35 * r, 0.4 * far), end, 0.94 * r), "dark")]
    if abs(after.meets - after.leaves) > 0.3 * r:
        away = axis * float(np.sign(after.meets - after.leaves))
        back = _back(after)
        front = 0.9 * abs(after.meets - after.leaves) if after.along else _half(after)
        drum = tube(end - away * front, end + away * back, r)
        return [(drum, "arm"), (tube(end + away * back, end + away * (back + 0.12 * r), 0.88 * r), "dark")]
    half = axis * (1.16 * _half(after))
    pieces: list[Piece] = [(tube(end - half, end + half, 0.78 * r), "dark")]
    if form == "cobot":
        pieces.append((ball(end, 0.95 * r), "arm"))
    return pieces


def _back(after: _Joint) -> float:
    """How far the drum at the end of a link reaches back to its cap."""
    return min(_half(after), 0.9 * after.radius)


def _cover(way: Vector, after: _Joint) -> float:
    """The greatest thickness of a link at its end that stays inside the drum and does not come through the cap."""
    across = abs(float(way[2])) <= _ALONG * float(np.linalg.norm(way))
    beside = abs(after.meets - after.leaves) > 0.3 * after.radius
    return _back(after) if across and beside else after.radius


def _half(joint: _Joint) -> float:
    """Half the length of a drum; the drums are side by side if the two links lie beside each other."""
    apart = abs(joint.meets - joint.leaves)
    return min(0.49 * apart, joint.radius) if apart > 0.3 * joint.radius else 0.88 * joint.radius


def _flange(start: Vector, joint: _Joint) -> list[Piece]:
    far = float(np.linalg.norm(start))
    if far < 1e-6:
        start = np.array([0.0, 0.0, -0.3 * joint.radius])
    return [(tube(start, np.zeros(3), joint.radius), "steel")]


def _planar(chain: Chain, style: Style) -> list[list[Piece]]:
    """Plates in two layers, as a planar arm is drawn in a book."""
    radius = style.radii[0] * mm if style.radii else 0.05 * float(np.mean([abs(row.a) for row in chain.rows]))
    thick = radius
    z = np.array([0.0, 0.0, 1.0])
    pieces: list[list[Piece]] = [[(tube(-2.2 * thick * z, -0.5 * thick * z, 1.8 * radius, 1.4 * radius), "frame")]]
    for i, row in enumerate(chain.rows):
        level = (i % 2) * thick * z
        start = np.array([-row.a, 0.0, 0.0]) + level
        end = level
        link: list[Piece] = [(slab(start, end, radius, 0.85 * radius, thickness=0.96 * thick, normal=z), "arm")]
        link.append((tube(end - 0.6 * thick * z, end + 0.6 * thick * z, 0.4 * radius), "dark"))
        pieces.append(link)
    return pieces

"""The kind of an arm, recognised from its DH table alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from workcell.kinematics.dh import Chain, DHRow, FloatArray, cache_of, row_matrix
from workcell.spatial.pose import Pose

ALIKE = 1e-9
"""How far [rad, or parts of the reach] an angle or a length may be from the special value that it is taken for."""
_EXACT = 1e-14
"""Up to here the difference is rounding; beyond, solutions of the closed form are iterated to the true table."""
_ROUNDED = 1e-10
"""The share of the reach by which rounding may put a pose out of reach."""


@dataclass(frozen=True)
class Structure:
    """The family of an arm.

    Attributes:
        family: ``puma`` (unified Puma–Fanuc), ``parallel`` (three parallel axes, UR), ``wrist`` (spherical wrist
            after any three axes), ``general`` (any other 6R), ``few`` (fewer than six joints, solved as one
            of the former with imaginary joints) or ``numeric``.
        reason: one sentence for people.
        reach: the sum of the lengths [m], the unit of tolerances.
        reverse: whether the chain was recognised from its other end.
        exact: whether the table is that of the family, except for rounding.
    """

    family: str
    reason: str
    reach: float
    reverse: bool = False
    exact: bool = True


def reach_of(chain: Chain) -> float:
    """The sum of the link lengths and offsets without the tool [m]; no joint is farther from frame 0."""
    return float(np.abs(chain.table[:, 1:3]).sum()) or 1.0


def reversed_chain(chain: Chain) -> Chain:
    """The chain from its tool to its base: its joint j is minus joint n+1−j of the original."""
    rows = [DHRow(-r.theta, -r.d, -r.a, -r.alpha, r.prismatic) for r in chain.rows[::-1]]
    return Chain.from_modified(rows, chain.X_n_tool.inverse(), chain.X_base_0.inverse())


def is_zero(value: float, scale: float = 1.0) -> bool:
    """Whether a length (with its scale) or a sine counts as zero."""
    return abs(value) <= ALIKE * scale


def has_spherical_wrist(chain: Chain, scale: float) -> bool:
    """Whether the last three of six axes turn and meet in one point."""
    t = chain.table
    turning = not chain.prismatic[3:].any()
    meeting = all(is_zero(length, scale) for length in (t[3, 2], t[4, 2], t[4, 1]))
    return turning and meeting and all(abs(math.sin(t[i, 3])) > 1e-6 for i in (3, 4))


def moves_in_space(chain: Chain, scale: float) -> bool:
    """Whether the first three joints can move the wrist centre in three independent directions."""
    rng = np.random.default_rng(3)
    for _ in range(4):
        X = np.eye(4)
        points, axes = [], []
        for row, value in zip(chain.rows[:3], rng.uniform(-2.0, 2.0, 3), strict=True):
            points.append(X[:3, 3])
            axes.append(X[:3, 2])
            X = X @ row_matrix(row, value * (scale if row.prismatic else 1.0))
        centre = X[:3, 3] + X[:3, 2] * chain.rows[3].d
        columns = [
            z if row.prismatic else np.cross(z, centre - p) / scale
            for z, p, row in zip(axes, points, chain.rows[:3], strict=True)
        ]
        if abs(np.linalg.det(np.array(columns))) > 1e-7:
            return True
    return False


def _is_square(angle: float) -> bool:
    return is_zero(math.cos(angle))


def _is_straight(angle: float) -> bool:
    return is_zero(math.sin(angle))


def is_puma(chain: Chain, scale: float) -> bool:
    """Whether the closed form of the unified Puma–Fanuc family applies."""
    t = chain.table
    lengths = abs(t[1, 2]) > ALIKE * scale and math.hypot(t[2, 2], t[3, 1] * math.sin(t[2, 3])) > ALIKE * scale
    return bool(
        not chain.prismatic.any()
        and has_spherical_wrist(chain, scale)
        and _is_square(t[0, 3])
        and _is_straight(t[1, 3])
        and _is_square(t[3, 3])
        and _is_square(t[4, 3])
        and lengths
    )


def is_parallel(chain: Chain, scale: float) -> bool:
    """Whether axes 2, 3, 4 are parallel and perpendicular to axis 1, and axes 5 and 6 meet at right angles."""
    t = chain.table
    return bool(
        not chain.prismatic.any()
        and _is_square(t[0, 3])
        and _is_straight(t[1, 3])
        and _is_straight(t[2, 3])
        and _is_square(t[3, 3])
        and _is_square(t[4, 3])
        and is_zero(t[4, 2], scale)
        and abs(t[1, 2]) > ALIKE * scale
        and abs(t[2, 2]) > ALIKE * scale
    )


def _departure(chain: Chain, family: str, scale: float) -> float:
    """The greatest difference of a table from its family [rad, or parts of the reach]."""
    t = chain.table
    sin, cos = np.sin(t[:, 3]), np.cos(t[:, 3])
    meeting = [t[4, 2] / scale] if family == "parallel" else [length / scale for length in (t[3, 2], t[4, 2], t[4, 1])]
    angles = [] if family == "wrist" else [cos[0], sin[1], cos[3], cos[4]]
    if family == "parallel":
        angles.append(sin[2])
    return float(np.abs([*meeting, *angles]).max())


def recognise(chain: Chain) -> Structure:
    """The family of a chain, computed once."""
    cache = cache_of(chain)
    found: Structure | None = cache.get("structure")
    if found is None:
        found = cache["structure"] = _recognise(chain)
    return found


def _recognise(chain: Chain) -> Structure:
    scale = reach_of(chain)
    if chain.n < 6:
        return Structure("few", f"{chain.n} joints, completed to six by imaginary ones", scale)
    if chain.n > 6:
        return Structure("numeric", f"{chain.n} joints: redundant, solved numerically", scale)
    for back in (False, True):
        seen = reversed_chain(chain) if back else chain
        where = ", read from the tool to the base" if back else ""
        if is_puma(seen, scale):
            text = "first axis perpendicular to two parallel ones, spherical wrist (Puma–Fanuc)"
            return Structure("puma", text + where, scale, back, _departure(seen, "puma", scale) <= _EXACT)
        if is_parallel(seen, scale):
            exact = _departure(seen, "parallel", scale) <= _EXACT
            return Structure("parallel", "three parallel axes, last two meeting (UR)" + where, scale, back, exact)
        if has_spherical_wrist(seen, scale) and moves_in_space(seen, scale):
            exact = _departure(seen, "wrist", scale) <= _EXACT
            return Structure("wrist", "spherical wrist after three axes" + where, scale, back, exact)
    if not chain.prismatic.any():
        return Structure("general", "six turning axes without a special structure", scale)
    return Structure("numeric", "six joints, some sliding, without a spherical wrist", scale)


def axes_at_zero(chain: Chain) -> tuple[FloatArray, FloatArray]:
    """A point and the direction of every axis in the base at zero joint values, (n, 3) each."""
    X = chain.X_base_0.matrix
    points, directions = [], []
    for row in chain.rows:
        points.append(X[:3, 3].copy())
        directions.append(X[:3, 2].copy())
        X = X @ row_matrix(row)
    return np.array(points), np.array(directions)


def tool_at_zero(chain: Chain) -> Pose:
    """The tool in the base at zero joint values."""
    X = chain.X_base_0.matrix
    for row in chain.rows:
        X = X @ row_matrix(row)
    return Pose(X @ chain.X_n_tool.matrix)


def parameters(chain: Chain, scale: float) -> FloatArray:
    """The parameter vector of the compiled closed forms."""
    from workcell.kinematics import _kernels_closed as k

    t = chain.table
    theta, d, a, alpha = t[:, 0], t[:, 1], t[:, 2], t[:, 3]
    sin, cos = np.sin(alpha), np.cos(alpha)
    p = np.zeros(k.SIZE)
    k1, k2, k3 = round(sin[0]), round(cos[1]), round(cos[2])
    p[k.K1], p[k.K2], p[k.K3] = k1, k2, k3
    p[k.A1], p[k.D1], p[k.A2], p[k.A3], p[k.K6] = a[0], d[0], a[1], a[2], -1.0 if cos[5] < 0.0 else 1.0
    if is_puma(chain, scale):
        across = k2 * (d[2] + d[3] * cos[2])
        p[k.LENGTH] = math.hypot(a[2], sin[2] * d[3])
        p[k.PHI3] = math.atan2(sin[2] * d[3], a[2])
    else:
        across = k2 * (d[2] + k3 * d[3])
    offset = -k1 * (d[1] + across)
    p[k.OFFSET] = 0.0 if abs(offset) <= _EXACT * scale else offset
    exact = _departure(chain, "puma" if is_puma(chain, scale) else "parallel", scale) <= _EXACT
    p[k.SLACK] = (_ROUNDED if exact else 10.0 * ALIKE) * scale
    p[k.C3], p[k.S3], p[k.S4], p[k.S5] = cos[2], sin[2], round(sin[3]), round(sin[4])
    p[k.REACH], p[k.A4], p[k.D5] = scale, a[3], d[4]
    p[k.OFFSETS : k.OFFSETS + 6] = theta
    centre = np.array([-a[5], -d[5] * sin[5], -d[5] * cos[5], 1.0])
    X_tool_n = chain.X_n_tool.inverse().matrix
    X_0_base = chain.X_base_0.inverse().matrix
    p[k.CENTRE : k.CENTRE + 3] = (X_tool_n @ centre)[:3]
    p[k.BASE : k.BASE + 12] = X_0_base[:3].ravel()
    back = row_matrix(DHRow(0.0, 0.0, 0.0, -alpha[5]))[:3, :3]
    p[k.RIGHT : k.RIGHT + 9] = (X_tool_n[:3, :3] @ back).ravel()
    return p


def wrist_parameters(chain: Chain, scale: float) -> FloatArray:
    """The parameter vector of the compiled spherical-wrist solver."""
    from workcell.kinematics import _kernels_wrist as k

    p = np.zeros(k.SIZE)
    p[:24] = chain.table.ravel()
    p[k.SLIDES : k.SLIDES + 6] = chain.prismatic
    a6, d6, alpha6 = chain.table[5, 2], chain.table[5, 1], chain.table[5, 3]
    X_tool_n = chain.X_n_tool.inverse().matrix
    centre = np.array([-a6, -d6 * math.sin(alpha6), -d6 * math.cos(alpha6), 1.0])
    p[k.CENTRE : k.CENTRE + 3] = (X_tool_n @ centre)[:3]
    p[k.BASE : k.BASE + 12] = chain.X_base_0.inverse().matrix[:3].ravel()
    back = row_matrix(DHRow(0.0, 0.0, 0.0, -alpha6))[:3, :3]
    p[k.RIGHT : k.RIGHT + 9] = (X_tool_n[:3, :3] @ back).ravel()
    p[k.REACH] = scale
    return p

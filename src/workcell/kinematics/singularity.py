"""The singularities that an arm is near, by name and distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from workcell.kinematics.dh import Chain, FloatArray, cache_of
from workcell.kinematics.jacobian import jacobian
from workcell.kinematics.structure import reach_of, recognise


@dataclass(frozen=True)
class Singularity:
    """One kind of singularity, and the distance to it.

    Attributes:
        name: ``shoulder`` (the hand's centre over the first axis), ``elbow`` (the arm stretched or folded),
            ``wrist`` (axes 4 and 6 in line; for three parallel axes, axis 6 along them) or ``general``.
        distance: 0 at the singularity: the angle to it [rad] for elbow and wrist, the distance [m] of the
            centre for the shoulder, the smallest singular value (lengths in reaches) for ``general``.
        unit: ``rad``, ``m`` or empty.
    """

    name: str
    distance: float
    unit: str


def singularities(chain: Chain, q: ArrayLike) -> tuple[Singularity, ...]:
    """Every named singularity of the arm with its distance, and the general one, nearest first by name."""
    from workcell.kinematics.forward import frames

    values = chain.joints(q)
    structure = recognise(chain)
    found: list[Singularity] = []
    if structure.family in ("puma", "parallel", "wrist") and not structure.reverse:
        X = frames(chain, values)
        if structure.family == "parallel":
            centre, elbow_to = X[5][:3, 3], X[3][:3, 3]
            wrist = _angle_between_lines(X[1][:3, 2], X[5][:3, 2])
        else:
            centre = elbow_to = X[4][:3, 3]
            wrist = _angle_between_lines(X[3][:3, 2], X[5][:3, 2])
        if not chain.prismatic[0]:
            found.append(Singularity("shoulder", _beside(X, centre, structure.family), "m"))
        if structure.family != "wrist":
            found.append(Singularity("elbow", _elbow(X, elbow_to), "rad"))
        found.append(Singularity("wrist", wrist, "rad"))
    found.append(Singularity("general", float(_singular_values(chain, values)[-1]), ""))
    return tuple(found)


def is_singular(chain: Chain, q: ArrayLike, bound: float = 0.02) -> bool:
    """Whether a direction in which the hand can move elsewhere is lost here, or nearly lost.

    Args:
        chain: the arm.
        q: joint values [rad or m].
        bound: a singular value counts as lost below this share of the largest (lengths in reaches).
    """
    values = _singular_values(chain, chain.joints(q))
    return bool(values[_freedom(chain) - 1] < bound * values[0])


def _singular_values(chain: Chain, q: FloatArray) -> FloatArray:
    matrix = np.array(jacobian(chain, q))
    matrix[:3] /= reach_of(chain)
    return np.asarray(np.linalg.svd(matrix, compute_uv=False))


def _freedom(chain: Chain) -> int:
    """The number of directions in which the hand can move and turn: 6, or fewer for planar arms and few joints."""
    cache = cache_of(chain)
    if "freedom" not in cache:
        values = [_singular_values(chain, q) for q in np.random.default_rng(0).uniform(-1.0, 1.0, (4, chain.n))]
        cache["freedom"] = max(int((one > 1e-9 * one[0]).sum()) for one in values)
    return int(cache["freedom"])


def near_singularities(chain: Chain, q: ArrayLike, angle: float = 0.05, length: float = 0.01) -> tuple[str, ...]:
    """The names of the singularities nearer than an angle [rad] or a length [m]."""
    bounds = {"rad": angle, "m": length}
    return tuple(s.name for s in singularities(chain, q) if s.unit and s.distance < bounds[s.unit])


def _angle_between_lines(u: FloatArray, v: FloatArray) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(u, v)), abs(float(u @ v))))


def _beside(X: FloatArray, centre: FloatArray, family: str) -> float:
    """The distance of the centre from the place where joint 1 cannot move it along the arm's plane [m]."""
    axis, origin = X[0][:3, 2], X[0][:3, 3]
    rel = centre - origin
    flat = rel - axis * float(rel @ axis)
    if family == "wrist":
        return float(np.linalg.norm(flat))
    ahead = np.cross(X[1][:3, 2], axis)  # in the arm's plane, perpendicular to the first axis
    return abs(float(flat @ ahead))


def _elbow(X: FloatArray, end: FloatArray) -> float:
    """The angle at the elbow away from straight or folded [rad], in the plane of the arm."""
    axis = X[1][:3, 2]
    upper, fore = X[2][:3, 3] - X[1][:3, 3], end - X[2][:3, 3]
    upper = upper - axis * float(upper @ axis)
    fore = fore - axis * float(fore @ axis)
    return _angle_between_lines(upper, fore)

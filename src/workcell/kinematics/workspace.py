"""The region that a tool can reach: reach and work envelope as data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.kinematics.dh import Chain, FloatArray
from workcell.kinematics.forward import frames_batch, tool_batch
from workcell.kinematics.numeric import checked_limits
from workcell.kinematics.structure import has_spherical_wrist, reach_of

_T = TypeVar("_T", bound=np.generic)


@dataclass(frozen=True)
class Envelope:
    """The region of points that the tool can reach, as a grid around the first axis.

    An arm whose first joint turns reaches the same half-plane section at every angle of that joint within its
    limits, so the envelope is a section swept about the axis. For an arm whose first joint slides, the section
    is swept along the axis.

    Attributes:
        radius: the radii of the grid (R,) [m], cell centres, from the first axis.
        height: the heights of the grid (H,) [m] along the first axis, from frame 0.
        inside: which cells are reached (R, H).
        outline: closed polylines around the section, each (k, 2) of radius and height [m].
        first: the first joint's range [rad or m], (2,).
        reach: the greatest distance of the tool from frame 0's origin [m].
        volume: the volume of the swept region [m³].
    """

    radius: FloatArray
    height: FloatArray
    inside: NDArray[np.bool_]
    outline: tuple[FloatArray, ...]
    first: FloatArray
    reach: float
    volume: float


def reach(chain: Chain, limits: ArrayLike | None = None, samples: int = 20_000, seed: int = 0) -> float:
    """The greatest distance of the tool's origin from frame 0 within the limits [m]: sampled, then maximised."""
    array = _finite_limits(chain, limits)
    rng = np.random.default_rng(seed)
    Q = rng.uniform(array[:, 0], array[:, 1], (samples, chain.n))
    far = _distances(chain, Q)
    return max(_climbed(chain, array, Q[k]) for k in np.argsort(far)[-8:])


@lru_cache(maxsize=256)
def _wrist_reach(chain: Chain, limits: tuple[tuple[float, float], ...]) -> float:
    array = _finite_limits(chain, limits)
    rng = np.random.default_rng(0)
    wrist = 4 if chain.n == 6 and has_spherical_wrist(chain, reach_of(chain)) else chain.n
    X = chain.X_base_0.inverse()

    def radii(Q: FloatArray) -> FloatArray:
        points = frames_batch(chain, Q)[:, wrist, :3, 3] @ X.rotation.T + X.xyz
        return np.asarray(np.hypot(points[:, 0], points[:, 1]))

    Q = rng.uniform(array[:, 0], array[:, 1], (4000, chain.n))
    spread = 0.25 * (array[:, 1] - array[:, 0])
    for _ in range(60):  # ever nearer to the best so far
        best = Q[radii(Q).argmax()]
        Q = np.clip(best + spread * rng.standard_normal((200, chain.n)), array[:, 0], array[:, 1])
        Q[0] = best
        spread *= 0.85
    return round(float(radii(Q).max()), 3)


def wrist_reach(chain: Chain, limits: ArrayLike) -> float | None:
    """The greatest distance of the wrist centre from the first axis, to a millimetre [m], as makers state the reach.

    For an arm without a spherical wrist it is that of the flange. None if the first joint slides.
    """
    if chain.prismatic[0]:
        return None
    pairs = np.asarray(limits, dtype=np.float64)
    return _wrist_reach(chain, tuple((float(low), float(high)) for low, high in pairs))


def _distances(chain: Chain, Q: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.norm(tool_batch(chain, Q)[:, :3, 3] - chain.X_base_0.xyz, axis=1))


def _climbed(chain: Chain, limits: FloatArray, start: FloatArray, sweeps: int = 400) -> float:
    """Move joint after joint to its best value, until none improves.

    Turning one joint moves the tool on a circle, so the squared distance is A + B·cos + C·sin of it: three values
    give its maximum exactly. Sliding one makes it convex, so its maximum is at an end of the travel.
    """
    q, best = start.copy(), float(_distances(chain, start[None])[0])
    for _ in range(sweeps):
        before = best
        for joint in range(chain.n):
            tries = [q[joint], *limits[joint]]
            if not chain.prismatic[joint]:
                probe = np.repeat(q[None], 3, axis=0)
                probe[:, joint] = [0.0, np.pi / 2, np.pi]
                east, north, west = _distances(chain, probe) ** 2
                top = np.arctan2(north - 0.5 * (east + west), 0.5 * (east - west))
                turns = np.arange(
                    np.ceil((limits[joint, 0] - top) / math.tau), (limits[joint, 1] - top) / math.tau + 1e-12
                )
                tries += list(top + math.tau * turns)
            rows = np.repeat(q[None], len(tries), axis=0)
            rows[:, joint] = tries
            values = _distances(chain, rows)
            pick = int(values.argmax())
            q, best = rows[pick], float(values[pick])
        if best - before <= 1e-13 * best:
            break
    return best


def envelope(
    chain: Chain,
    limits: ArrayLike | None = None,
    cell: float | None = None,
    samples: int = 400_000,
    seed: int = 0,
) -> Envelope:
    """The work envelope of the tool's origin within the limits.

    Args:
        chain: the arm.
        limits: (n, 2) [rad or m]; turning joints without limits take a whole turn. Sliding joints need limits.
        cell: the spacing of the grid [m]; by default a hundredth of the reach.
        samples: the number of joint vectors to try.
        seed: the seed of the samples.
    """
    array = _finite_limits(chain, limits)
    rng = np.random.default_rng(seed)
    Q = rng.uniform(array[:, 0], array[:, 1], (samples, chain.n))
    # Extremes of the joints make the boundary, so some of the samples hold some joints at their limits.
    pinned = rng.random((samples, chain.n)) < np.where(rng.random((samples, 1)) < 0.5, 0.5, 0.0)
    ends = np.where(rng.random((samples, chain.n)) < 0.5, array[:, 0], array[:, 1])
    Q = np.where(pinned, ends, Q)
    points = tool_batch(chain, Q)[:, :3, 3]
    X = chain.X_base_0.inverse()
    points = points @ X.rotation.T + X.xyz
    r, z = np.hypot(points[:, 0], points[:, 1]), points[:, 2]
    far = float(np.linalg.norm(points, axis=1).max())
    size = max(far, 1e-9) / 100.0 if cell is None else cell
    if not size > 0.0:
        raise InvalidValue(f"The grid's spacing must be positive; found {size}.")
    nr = int(r.max() / size) + 2
    z0 = float(z.min()) - size
    nz = int((z.max() - z0) / size) + 2
    inside = np.zeros((nr, nz), dtype=bool)
    inside[(r / size).astype(int), ((z - z0) / size).astype(int)] = True
    inside = _without_pinholes(inside)
    radius, height = (np.arange(nr) + 0.5) * size, z0 + (np.arange(nz) + 0.5) * size
    span = float(array[0, 1] - array[0, 0])
    swept = min(span, 2.0 * np.pi) if not chain.prismatic[0] else 0.0
    volume = float((inside * radius[:, None]).sum()) * size * size * swept
    corner = np.array([0.0, z0])
    outline = tuple(_frozen(np.asarray(line * size + corner, dtype=np.float64)) for line in _outlines(inside))
    return Envelope(
        _frozen(np.asarray(radius, dtype=np.float64)),
        _frozen(np.asarray(height, dtype=np.float64)),
        _frozen(inside),
        outline,
        _frozen(array[0].copy()),
        far,
        volume,
    )


def reach_bound(chain: Chain) -> float:
    """A distance from frame 0 that the tool never exceeds, for any values of the turning joints [m]."""
    return reach_of(chain) + float(np.linalg.norm(chain.X_n_tool.xyz))


def _finite_limits(chain: Chain, limits: ArrayLike | None) -> FloatArray:
    array = checked_limits(chain, limits).copy()
    endless = ~np.isfinite(array).all(axis=1)
    if (endless & chain.prismatic).any():
        joint = int(np.argmax(endless & chain.prismatic)) + 1
        raise InvalidValue(
            f"Joint {joint} slides and has no limits, so its work envelope has no end. Give it limits.", joint=joint
        )
    array[endless] = (-np.pi, np.pi)
    return array


def _without_pinholes(inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Close cells that the sampling missed: empty cells with at least three full neighbours of four."""
    for _ in range(4):
        padded = np.pad(inside, 1)
        around = padded[:-2, 1:-1].astype(int) + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
        closed = inside | (around >= 3)
        if (closed == inside).all():
            break
        inside = closed
    return inside


def _outlines(inside: NDArray[np.bool_]) -> list[FloatArray]:
    """Closed polylines along the borders between reached and unreached cells, in grid units."""
    padded = np.pad(inside, 1)
    edges: dict[tuple[int, int], list[tuple[int, int]]] = {}

    def add(a: tuple[int, int], b: tuple[int, int]) -> None:
        edges.setdefault(a, []).append(b)

    for i, j in zip(*np.nonzero(padded), strict=True):
        x, y = int(i) - 1, int(j) - 1
        if not padded[i, j - 1]:
            add((x, y), (x + 1, y))
        if not padded[i + 1, j]:
            add((x + 1, y), (x + 1, y + 1))
        if not padded[i, j + 1]:
            add((x + 1, y + 1), (x, y + 1))
        if not padded[i - 1, j]:
            add((x, y + 1), (x, y))
    lines = []
    while edges:
        start = next(iter(edges))
        line = [start]
        here = start
        while True:
            following = edges[here].pop()
            if not edges[here]:
                del edges[here]
            here = following
            line.append(here)
            if here == start:
                break
        lines.append(np.array(line, dtype=np.float64))
    return lines


def _frozen(array: NDArray[_T]) -> NDArray[_T]:
    array.flags.writeable = False
    return array

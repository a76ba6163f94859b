"""Joint values at and near every kind of singularity, and what the solvers answer there."""

from __future__ import annotations

import itertools
import math

import numpy as np

from workcell.kinematics import _kernels_closed as k
from workcell.kinematics import _kernels_numeric as numeric
from workcell.kinematics.dh import Chain, DHRow, arm_of
from workcell.kinematics.forward import tool_batch
from workcell.kinematics.inverse import ik, ik_batch
from workcell.kinematics.structure import parameters, reach_of
from workcell.spatial.pose import Pose

SIZES = (0.0, *(10.0 ** (-power / 2.0) for power in range(6, 33)))
"""How far from singular [rad, or parts of the reach]: 0 and 1e-16 to 1e-3 in half decades."""
KINDS = tuple(kinds for number in range(4) for kinds in itertools.combinations(("wrist", "elbow", "shoulder"), number))
TOLERANCE = 1e-10
"""How well every solution reproduces its pose: rotation entries, and lengths as parts of the reach."""


def _ahead(chain, p, Q):
    """How far the wrist centre lies ahead of the base axis in the plane of the arm, as a part of the reach."""
    X = tool_batch(chain, Q)
    centre = X[:, :3, :3] @ p[k.CENTRE : k.CENTRE + 3] + X[:, :3, 3]
    base = p[k.BASE : k.BASE + 12].reshape(3, 4)
    x, y, _ = (centre @ base[:, :3].T + base[:, 3]).T
    turn = Q[:, 0] + p[k.OFFSETS]
    return (x * np.cos(turn) + y * np.sin(turn)) / reach_of(chain)


def near_singular(chain, rng, kinds, size, count):
    """Joint values (m, 6) of a Puma or UR arm as far from these singularities as given; m ≤ count."""
    p = parameters(chain, reach_of(chain))
    Q = rng.uniform(-math.pi, math.pi, (count, 6))
    ends = rng.choice([0.0, math.pi], (2, count))
    off = size * rng.choice([-1.0, 1.0], (2, count))
    if "wrist" in kinds:
        Q[:, 4] = ends[0] + off[0] - p[k.OFFSETS + 4]
    if "elbow" in kinds:
        Q[:, 2] = ends[1] + off[1] + p[k.PHI3] - p[k.OFFSETS + 2]
    if "shoulder" in kinds:
        grid = np.linspace(-math.pi, math.pi, 33)
        values = np.empty((33, count))
        for row, value in enumerate(grid):
            Q[:, 1] = value
            values[row] = _ahead(chain, p, Q) - size
        change = (values[:-1] * values[1:] < 0.0) & (np.abs(values[:-1] - values[1:]) > 1e-4)
        Q, values, change = Q[change.any(axis=0)], values[:, change.any(axis=0)], change[:, change.any(axis=0)]
        first = change.argmax(axis=0)
        low, high = grid[first], grid[first + 1]
        below = values[first, np.arange(len(Q))] < 0.0
        for _ in range(60):
            Q[:, 1] = 0.5 * (low + high)
            under = (_ahead(chain, p, Q) - size < 0.0) == below
            low, high = np.where(under, Q[:, 1], low), np.where(under, high, Q[:, 1])
    return Q


def missed(chain, Q, single=0):
    """How many poses of these joint values get no solution, and the worst miss of those found; ``single`` one by one."""
    if not len(Q):
        return 0, 0.0
    poses = tool_batch(chain, Q)
    found, valid = ik_batch(chain, poses)
    none = int((~valid.any(axis=1)).sum())
    worst = 0.0
    scale = np.ones((4, 4))
    scale[:3, 3] = 1.0 / reach_of(chain)
    for slot in range(found.shape[1]):
        ok = valid[:, slot]
        if ok.any():
            back = tool_batch(chain, np.ascontiguousarray(found[ok, slot]))
            worst = max(worst, float((np.abs(back - poses[ok]) * scale).max()))
    for pose in poses[:single]:
        one = ik(chain, Pose._trusted(pose[:3, :3], pose[:3, 3])).q
        none += not len(one)
        worst = max([worst, *((np.abs(back - pose) * scale).max() for back in tool_batch(chain, one))])
    return none, worst


def nearly(chain, rng, size):
    """The chain with every angle and length of its table off by at most this (parts of the reach)."""
    off = rng.uniform(-size, size, (chain.n, 4)) * np.array([1.0, reach_of(chain), reach_of(chain), 1.0])
    rows = [
        DHRow(r.theta + o[0], r.d + o[1], r.a + o[2], r.alpha + o[3], r.prismatic)
        for r, o in zip(chain.rows, off, strict=True)
    ]
    return Chain(rows, chain.X_base_0, chain.X_n_tool)


def position_singular(chain, rng, size, count):
    """Joint values (m, 6) where joint 2 or 3 is this far from where the Jacobian has no inverse; m ≤ count."""
    arm, slides, base, tool = arm_of(chain)
    out = []

    def sizes(q, joint, values):
        Q = np.tile(q, (len(values), 1))
        Q[:, joint] = values
        J = np.empty((len(Q), 6, 6))
        numeric.jacobians(arm, slides, base, tool, Q, J)
        return np.linalg.det(J)

    for _ in range(count):
        q = rng.uniform(-math.pi, math.pi, 6)
        joint = int(rng.integers(1, 3))
        grid = np.linspace(-math.pi, math.pi, 65)
        dets = sizes(q, joint, grid)
        change = np.flatnonzero((dets[:-1] * dets[1:] < 0.0) & (np.abs(dets[:-1] - dets[1:]) > 1e-6))
        if not len(change):
            continue
        low, high = grid[change[0]], grid[change[0] + 1]
        for _ in range(6):
            finer = np.linspace(low, high, 300)
            dets = sizes(q, joint, finer)
            at = int(np.flatnonzero(dets[:-1] * dets[1:] <= 0.0)[0])
            low, high = finer[at], finer[at + 1]
        q[joint] = 0.5 * (low + high) + size * rng.choice([-1.0, 1.0])
        if rng.integers(2):
            # The wrist, too.
            q[4] = rng.choice([0.0, math.pi]) + size * rng.choice([-1.0, 1.0]) - chain.table[4, 0]
        out.append(q)
    return np.array(out).reshape(-1, 6)

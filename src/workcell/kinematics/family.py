"""The continuous sets of solutions through singular configurations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workcell.kinematics.dh import Chain, FloatArray, arm_of
from workcell.kinematics.structure import reach_of

_STEP = 0.05


@dataclass(frozen=True)
class SingularFamily:
    """Joint values that all reach the same pose, as a function of one joint.

    Attributes:
        chain: the arm.
        q: one member [rad or m], (n,).
        joint: the joint that may be chosen freely, counted from 1.
        rates: the rates of all joints when that joint moves, (n,), 1 at the joint itself.
    """

    chain: Chain
    q: FloatArray
    joint: int
    rates: FloatArray

    def at(self, value: float) -> FloatArray | None:
        """The member whose free joint has this value [rad or m]; None if the family ends before."""
        q = self.q.copy()
        here = float(q[self.joint - 1])
        steps = max(1, int(np.ceil(abs(value - here) / _STEP)))
        pose = _pose(self.chain, self.q)
        rates = self.rates
        for k in range(1, steps + 1):
            goal = here + (value - here) * k / steps
            moved = _hold(self.chain, pose, q + rates * (goal - q[self.joint - 1]), self.joint - 1)
            if moved is None:
                return None
            if abs(moved[self.joint - 1] - q[self.joint - 1]) > 1e-12:
                rates = (moved - q) / (moved[self.joint - 1] - q[self.joint - 1])
            q = moved
        return q


def family_of(chain: Chain, q: FloatArray) -> SingularFamily | None:
    """The self-motion through a configuration, or None if there is none (a stretched elbow)."""
    jac = _jacobian(chain, q)
    _, values, rows = np.linalg.svd(jac)
    values = np.concatenate([values, np.zeros(chain.n - len(values))])
    for k in np.flatnonzero(values < 1e-6 * values[0]):
        null = rows[k]
        j = int(np.argmax(np.abs(null)))
        rates = null / null[j]
        pose = _pose(chain, q)
        if all(_hold(chain, pose, q + rates * step, j) is not None for step in (0.03, -0.03)):
            rates.flags.writeable = False
            return SingularFamily(chain, q, j + 1, rates)
    return None


def _pose(chain: Chain, q: FloatArray) -> FloatArray:
    from workcell.kinematics.forward import tool_batch

    return np.asarray(tool_batch(chain, q[None])[0])


def _jacobian(chain: Chain, q: FloatArray) -> FloatArray:
    from workcell.kinematics import _kernels_numeric as kernel

    arm, slides, base, tool = arm_of(chain)
    here, jac = np.empty((3, 4)), np.empty((6, chain.n))
    kernel.place(arm, slides, base, tool, q, here, jac)
    jac[:3] /= reach_of(chain)
    return jac


def _hold(chain: Chain, pose: FloatArray, q: FloatArray, joint: int) -> FloatArray | None:
    """Joint values near q that keep the pose with one joint fixed."""
    from workcell.kinematics import _kernels_numeric as kernel

    arm, slides, base, tool = arm_of(chain)
    low, high = np.full(chain.n, -np.inf), np.full(chain.n, np.inf)
    low[joint] = high[joint] = q[joint]
    work = np.empty(chain.n * (10 + chain.n) + 24)
    moved = q.copy()
    left, _ = kernel.descend(arm, slides, base, tool, pose, low, high, reach_of(chain), 1e-26, 40, moved, work)
    return moved if left < 1e-20 and np.abs(moved - q).max() < 0.5 else None

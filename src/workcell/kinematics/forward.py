"""The poses of the links and the tool for given joint values.

Pinocchio computes a single pose, the compiled kernel a batch; they agree to 1e-12.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from workcell.kinematics.dh import Chain, FloatArray
from workcell.spatial.pose import Pose


def tool_pose(chain: Chain, q: ArrayLike) -> Pose:
    """The tool in the base for joint values ``q`` (n,) [rad or m]."""
    from workcell.kinematics._pinocchio import model_of

    pose = object.__new__(Pose)
    pose._adopt(model_of(chain).tool(chain.joints(q)))
    return pose


def frames(chain: Chain, q: ArrayLike) -> FloatArray:
    """The frames 0 (base link) … n (last link, before the tool) in the base, (n+1, 4, 4)."""
    from workcell.kinematics._pinocchio import model_of

    return model_of(chain).frames(chain.joints(q))


def tool_batch(chain: Chain, Q: ArrayLike) -> FloatArray:
    """The tool in the base for joint values ``Q`` (N, n), as matrices (N, 4, 4)."""
    joints = chain.joints_batch(Q)
    out = np.empty((len(joints), 4, 4))
    return _run(chain, joints, False, out)


def frames_batch(chain: Chain, Q: ArrayLike) -> FloatArray:
    """The frames 0…n in the base for joint values ``Q`` (N, n), as matrices (N, n+1, 4, 4)."""
    joints = chain.joints_batch(Q)
    out = np.empty((len(joints), chain.n + 1, 4, 4))
    return _run(chain, joints, True, out)


def _run(chain: Chain, joints: FloatArray, every: bool, out: FloatArray) -> FloatArray:
    from workcell.kinematics import _kernels

    base, tool = chain.X_base_0.matrix, chain.X_n_tool.matrix
    width = 16 * (chain.n + 1) if every else 16
    _kernels.forward(chain.table, chain.prismatic, base, tool, joints, every, out.reshape(len(out), width))
    return out

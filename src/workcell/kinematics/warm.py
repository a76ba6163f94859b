"""Compile every kernel of this package once, so that the first use is not slow."""

from __future__ import annotations

import math

import numpy as np


def warm() -> None:
    """Call each compiled function with the kinds of arrays that occur; the machine code is kept on disk."""
    from workcell.kinematics.closed_form import solve_batch
    from workcell.kinematics.dh import Chain
    from workcell.kinematics.family import family_of
    from workcell.kinematics.forward import frames_batch, tool_batch, tool_pose
    from workcell.kinematics.inverse import ik, ik_batch
    from workcell.kinematics.jacobian import jacobian_batch
    from workcell.kinematics.numeric import multi_start, newton_gauss, solve_numeric
    from workcell.kinematics.unreachable import explain
    from workcell.spatial.pose import Pose

    half = math.pi / 2
    puma = [(0, 0, 0, half), (0, 0, 0.4, 0), (0, 0.1, 0.02, -half), (0, 0.4, 0, half), (0, 0, 0, -half), (0, 0, 0, 0)]
    stanford = [(0, 0.4, 0, -half), (0, 0.15, 0, half), (0, 0.1, 0, 0, True), *puma[3:]]
    general = [(0.1 * k, 0.1 + 0.05 * k, 0.2, 0.3 + 0.2 * k) for k in range(6)]
    scara = [(0, 0.3, 0.4, 0), (0, 0, 0.3, math.pi), (0, 0, 0, 0, True), (0, 0, 0, 0)]
    for rows in (puma, stanford, general, scara):
        chain = Chain(rows)
        q = np.linspace(0.2, 0.9, chain.n)
        frames_batch(chain, q[None])
        pose = tool_pose(chain, q)
        ik_batch(chain, tool_batch(chain, q[None]))
        solve_batch(chain, tool_batch(chain, q[None]))
        ik(chain, pose, np.tile([-3.0, 3.0], (chain.n, 1))).within_limits.any()
    arm = Chain(puma)
    q = np.linspace(0.2, 0.9, 6)
    jacobian_batch(arm, q[None])
    solve_numeric(arm, tool_pose(arm, q), np.tile([-3.0, 3.0], (6, 1)))
    multi_start(arm, tool_pose(arm, q), starts=2)
    newton_gauss(arm, tool_pose(arm, q))
    family_of(arm, np.array([0.2, 0.3, 0.4, 0.5, 0.0, 0.6]))
    explain(arm, Pose.from_xyz(5.0, 0.0, 0.0))

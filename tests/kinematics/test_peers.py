"""Our solutions beside those of EAIK, ssik, py-opw-kinematics and roboticstoolbox, which share no code with ours.

What a peer returns and truly reaches the pose must be among ours; we may know more.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from kinematics_arms import angles_apart, irb6400, puma560, puma_arm, ur10

from workcell.kinematics.dh import Chain
from workcell.kinematics.forward import frames_batch, tool_batch
from workcell.kinematics.inverse import ik_batch
from workcell.kinematics.jacobian import jacobian
from workcell.kinematics.structure import recognise
from workcell.spatial.pose import Pose

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import py_opw_kinematics as opw
    import roboticstoolbox as rtb
    import ssik
    from eaik.IK_DH import DhRobot
    from scipy.spatial.transform import RigidTransform

ARMS = {"irb6400": irb6400, "puma560": puma560, "ur10": ur10}


def compare(chain: Chain, poses: np.ndarray, answers: list[np.ndarray], least: float) -> None:
    """Every true answer of the peer is ours; at least a part of its answers is true."""
    ours, valid = ik_batch(chain, poses)
    true = total = 0
    for pose, answer, values, ok in zip(poses, answers, ours, valid, strict=True):
        answer = np.asarray(answer, dtype=float).reshape(-1, chain.n)
        answer = answer[np.isfinite(answer).all(axis=1)]
        total += len(answer)
        for q in answer:
            if np.abs(tool_batch(chain, q[None])[0] - pose).max() < 1e-7:
                true += 1
                assert angles_apart(chain, values[ok], q).min() < 1e-4
    assert true >= least * total > 0


def poses_of(chain: Chain, count: int) -> np.ndarray:
    return tool_batch(chain, np.random.default_rng(8).uniform(-3.0, 3.0, (count, chain.n)))


@pytest.mark.parametrize("name", ARMS)
def test_eaik(name: str) -> None:
    chain = ARMS[name]()
    t = chain.table
    robot = DhRobot(t[:, 3], t[:, 2], t[:, 1])
    poses = poses_of(chain, 200)
    compare(chain, poses, [s.Q for s in robot.IK_batched(poses, 1)], least=0.9)


@pytest.mark.parametrize("name", ARMS)
def test_ssik(name: str) -> None:
    chain = ARMS[name]()
    t = chain.table
    arm = ssik.Manipulator.from_dh(t[:, 3], t[:, 2], t[:, 1])
    poses = poses_of(chain, 40)
    answers = [np.array([s.q for s in arm.solve(p, respect_limits=False)]) for p in poses]
    compare(chain, poses, answers, least=0.99)


@pytest.mark.parametrize(
    "geometry",
    [
        {"a1": 0.188, "a2": -0.225, "b": 0.0, "c1": 0.9, "c2": 0.95, "c3": 1.3, "c4": 0.2},
        {"a1": 0.1, "a2": -0.135, "b": 0.05, "c1": 0.615, "c2": 0.705, "c3": 0.755, "c4": 0.085},
    ],
)
def test_py_opw_kinematics(geometry: dict[str, float]) -> None:
    g = geometry
    robot = opw.Robot(opw.KinematicModel(**g), degrees=False)
    x, z = g["a1"] + g["a2"], g["c1"] + g["c2"] + g["c3"]
    points = [
        (0, 0, 0), (g["a1"], 0, g["c1"]), (g["a1"], 0, g["c1"] + g["c2"]),
        (x, g["b"], z), (x, g["b"], z), (x, g["b"], z),
    ]  # fmt: skip
    up, across = (0, 0, 1), (0, 1, 0)
    tool = Pose.from_xyz(x, g["b"], z + g["c4"])
    chain = Chain.from_axes(points, [up, across, across, up, across, up], None, tool)
    assert recognise(chain).family == "puma"
    Q = np.random.default_rng(9).uniform(-3.0, 3.0, (200, 6))
    poses = tool_batch(chain, Q)
    assert np.abs(robot.batch_forward(Q).as_matrix() - poses).max() < 1e-9
    answers = [np.array(robot.inverse(RigidTransform.from_matrix(p))) for p in poses[:60]]
    compare(chain, poses[:60], answers, least=0.9)


def test_roboticstoolbox_forward_and_jacobian(rng: np.random.Generator) -> None:
    for _ in range(5):
        chain = puma_arm(rng, plain=True)
        robot = rtb.DHRobot([rtb.RevoluteDH(d=r.d, a=r.a, alpha=r.alpha, offset=r.theta) for r in chain.rows])
        for q in rng.uniform(-math.pi, math.pi, (5, 6)):
            assert np.abs(robot.fkine(q).A - tool_batch(chain, q[None])[0]).max() < 1e-12
            assert np.abs(robot.jacob0(q) - jacobian(chain, q)).max() < 1e-12
            links = [frame.A for frame in robot.fkine_all(q)]
            assert np.abs(np.array(links)[-6:] - frames_batch(chain, q[None])[0, 1:]).max() < 1e-12

"""Jacobians are derivatives; accelerations are derivatives of velocities; singularities have names."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kinematics_arms import irb6400, parallel_arm, puma_arm, random_chain, ur10, wrist_arm

from workcell.errors import InvalidValue, UnknownName
from workcell.kinematics.dh import Chain
from workcell.kinematics.forward import tool_pose
from workcell.kinematics.jacobian import (
    acceleration,
    analytic_jacobian,
    condition_number,
    jacobian,
    jacobian_batch,
    joint_velocity,
    manipulability,
    velocity,
)
from workcell.kinematics.singularity import near_singularities, singularities
from workcell.spatial.rotations import to_rotation_vector

seeds = st.integers(0, 2**32 - 1)
lawful = settings(derandomize=True, deadline=None, max_examples=30)


def numeric_jacobian(chain: Chain, q: np.ndarray) -> np.ndarray:
    columns, h = [], 1e-6
    for j in range(chain.n):
        step = np.zeros(chain.n)
        step[j] = h
        ahead, behind = tool_pose(chain, q + step), tool_pose(chain, q - step)
        turn = to_rotation_vector(ahead.rotation @ behind.rotation.T)
        columns.append(np.concatenate([ahead.xyz - behind.xyz, turn]) / (2 * h))
    return np.array(columns).T


@given(seed=seeds, n=st.integers(1, 8))
@lawful
def test_jacobian_is_the_finite_difference(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    chain, q = random_chain(rng, n), rng.uniform(-2, 2, n)
    exact = jacobian(chain, q)
    assert np.abs(exact - numeric_jacobian(chain, q)).max() < 1e-8
    assert np.abs(jacobian_batch(chain, [q])[0] - exact).max() < 1e-12
    turn = tool_pose(chain, q).rotation
    in_tool = jacobian(chain, q, "tool")
    assert np.abs(turn @ in_tool[:3] - exact[:3]).max() < 1e-12
    assert np.abs(turn @ in_tool[3:] - exact[3:]).max() < 1e-12


@pytest.mark.parametrize("convention", ["ding_ypr", "kuka_abc", "kawasaki_oat", "ur_rotvec", "agent_rpy"])
@given(seed=seeds)
@settings(derandomize=True, deadline=None, max_examples=10)
def test_analytic_jacobian_is_the_derivative_of_the_angles(convention: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain, q = random_chain(rng, 6), rng.uniform(-2, 2, 6)
    found = analytic_jacobian(chain, q, convention)
    h = 1e-6
    for j in range(6):
        step = np.zeros(6)
        step[j] = h
        ahead, behind = tool_pose(chain, q + step), tool_pose(chain, q - step)
        change = ahead.angles(convention) - behind.angles(convention)
        if np.abs(change).max() > 1.0:
            continue  # an angle wrapped around
        assert np.abs(found[3:, j] - change / (2 * h)).max() < 1e-5 * (1 + np.abs(found[3:]).max() ** 2)


def test_gimbal_lock_is_told() -> None:
    chain = Chain([(0, 0, 0, -math.pi / 2), (0, 0, 0, math.pi / 2), (0, 0, 0, 0)])
    with pytest.raises(InvalidValue, match="gimbal lock"):
        analytic_jacobian(chain, [0.3, 0.0, 0.2], "kawasaki_oat")
    with pytest.raises(UnknownName, match="frame for a Jacobian"):
        jacobian(chain, [0, 0, 0], "world")


@given(seed=seeds, n=st.integers(1, 7))
@lawful
def test_accelerations_are_derivatives_of_velocities(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    chain = random_chain(rng, n)
    q, qd, qdd = rng.uniform(-1, 1, (3, n))
    h = 1e-5

    def at(t: float) -> np.ndarray:
        return velocity(chain, q + qd * t + qdd * t * t / 2, qd + qdd * t)

    assert np.abs(acceleration(chain, q, qd, qdd) - (at(h) - at(-h)) / (2 * h)).max() < 1e-6


def test_joint_velocity_inverts_velocity(rng: np.random.Generator) -> None:
    chain = irb6400()
    q, qd = np.array([0.1, 0.9, 0.3, 0.4, 0.8, 0.6]), rng.uniform(-1, 1, 6)
    assert joint_velocity(chain, q, velocity(chain, q, qd)) == pytest.approx(qd)


def test_manipulability_and_condition_tell_singularities() -> None:
    chain = irb6400()
    good, wrist = np.array([0.1, 0.9, 0.3, 0.4, 0.8, 0.6]), np.array([0.1, 0.9, 0.3, 0.4, 0.0, 0.6])
    assert manipulability(chain, good) == pytest.approx(abs(np.linalg.det(jacobian(chain, good))))
    assert manipulability(chain, wrist) == pytest.approx(0.0, abs=1e-12)
    assert condition_number(chain, wrist) > 1e12
    assert 1.0 <= condition_number(chain, good) < 100.0
    with pytest.raises(InvalidValue, match="characteristic length must be positive"):
        condition_number(chain, good, 0.0)


@given(seed=seeds, family=st.sampled_from([puma_arm, parallel_arm]))
@lawful
def test_the_named_distances_make_the_determinant(seed: int, family: object) -> None:
    """Of these families the Jacobian is singular exactly where a named distance is zero: det is their product."""
    rng = np.random.default_rng(seed)
    chain = family(rng)
    ratios = []
    for q in rng.uniform(-math.pi, math.pi, (4, 6)):
        named = {s.name: s.distance for s in singularities(chain, q)}
        product = named["shoulder"] * math.sin(named["elbow"]) * math.sin(named["wrist"])
        ratios.append(abs(np.linalg.det(jacobian(chain, q))) / product)
    assert ratios == pytest.approx([ratios[0]] * 4, rel=1e-6)


def test_singularities_are_named() -> None:
    chain = irb6400()
    assert near_singularities(chain, [0.1, 0.9, 0.3, 0.4, 0.8, 0.6]) == ()
    assert near_singularities(chain, [0.1, 0.9, 0.3, 0.4, 0.01, 0.6]) == ("wrist",)
    straight = math.atan2(1.3, -0.225)
    assert near_singularities(chain, [0.1, 0.9, straight + 0.01, 0.4, 0.7, 0.6]) == ("elbow",)
    assert near_singularities(ur10(), [0.1, -0.9, 1.3, 0.4, 0.0, 0.6]) == ("wrist",)
    slide = wrist_arm(np.random.default_rng(1), "PRP")
    assert "shoulder" not in [s.name for s in singularities(slide, np.zeros(6))]

"""Numeric solvers: what they call solved is solved; the general 6R finds everything."""

from __future__ import annotations

import math

import numpy as np
import pytest
from kinematics_arms import angles_apart, general_arm, irb6400, panda, random_chain, ur10

from workcell.errors import InvalidValue
from workcell.kinematics.closed_form import solver_of
from workcell.kinematics.dh import Chain
from workcell.kinematics.forward import tool_batch, tool_pose
from workcell.kinematics.general import GeneralSolver
from workcell.kinematics.inverse import ik, ik_batch
from workcell.kinematics.numeric import (
    condition,
    multi_start,
    newton_gauss,
    solve_numeric,
    well_conditioned_starts,
)
from workcell.spatial.pose import Pose

HALF = math.pi / 2


def targets() -> list[tuple[str, Chain, np.ndarray]]:
    arm, limits = panda()
    general = general_arm(np.random.default_rng(3))
    return [
        ("ur10", ur10(), np.array([(-2 * math.pi, 2 * math.pi)] * 6)),
        ("panda", arm, limits),
        ("general 6R", general, np.array([(-2.5, 2.5)] * 6)),
    ]


def solved_part(chain: Chain, limits: np.ndarray, count: int, seed: int) -> float:
    rng = np.random.default_rng(seed)
    Q = rng.uniform(limits[:, 0], limits[:, 1], (count, chain.n))
    solved = 0
    for matrix in tool_batch(chain, Q):
        pose = Pose(matrix)
        result = solve_numeric(chain, pose, limits)
        if result.converged:
            assert tool_pose(chain, result.q).is_close(pose, 1e-9, 1e-9)
            assert (result.q >= limits[:, 0] - 1e-9).all()
            assert (result.q <= limits[:, 1] + 1e-9).all()
            solved += 1
    return solved / count


@pytest.mark.parametrize(("name", "chain", "limits"), targets(), ids=lambda v: v if isinstance(v, str) else "")
def test_random_reachable_targets_are_solved(name: str, chain: Chain, limits: np.ndarray) -> None:
    assert solved_part(chain, limits, 300, 1) == 1.0


@pytest.mark.soak
@pytest.mark.parametrize(("name", "chain", "limits"), targets(), ids=lambda v: v if isinstance(v, str) else "")
def test_at_least_999_of_1000_are_solved(name: str, chain: Chain, limits: np.ndarray) -> None:
    assert solved_part(chain, limits, 20_000, 2) >= 0.999


def test_the_same_seed_gives_the_same_answer() -> None:
    chain, limits = panda()
    pose = tool_pose(chain, np.array([0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 0.7]))
    first, second = solve_numeric(chain, pose, limits, seed=4), solve_numeric(chain, pose, limits, seed=4)
    assert np.array_equal(first.q, second.q)
    assert not np.array_equal(first.q, solve_numeric(chain, pose, limits, seed=5).q)


def test_a_guess_is_where_it_starts() -> None:
    chain, limits = panda()
    q = np.array([0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 0.7])
    result = solve_numeric(chain, tool_pose(chain, q), limits, guess=q + 0.01)
    assert result.restarts == 1
    assert np.abs(result.q - q).max() < 0.05


def test_failure_says_what_is_left() -> None:
    chain = ur10()
    result = solve_numeric(chain, Pose.from_xyz(3.0, 0.0, 0.0), restarts=5)
    assert not result.converged
    assert result.metres > 1.0
    assert "after 5 starts the nearest place within the limits is" in result.reason


def test_sliding_joints_too(rng: np.random.Generator) -> None:
    for _ in range(10):
        chain = random_chain(rng, 7, slides=0.3)
        pose = tool_pose(chain, rng.uniform(-1, 1, 7))
        result = solve_numeric(chain, pose)
        assert result.converged
        assert tool_pose(chain, result.q).is_close(pose, 1e-9, 1e-9)


def test_redundant_arms_give_a_set_of_solutions() -> None:
    chain, limits = panda()
    pose = tool_pose(chain, np.array([0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 0.7]))
    solutions = ik(chain, pose, limits)
    assert len(solutions) > 4
    assert solutions.label[0] is None
    assert solutions.words[0] == f"solution 1 of {len(solutions)}"
    assert np.abs(tool_batch(chain, solutions.q) - pose.matrix).max() < 1e-9


def test_newton_gauss_of_the_thesis_converges_from_its_own_start(rng: np.random.Generator) -> None:
    for chain in (irb6400(), ur10()):
        starts = well_conditioned_starts(chain)
        assert condition(chain, starts[0]) < 4.0
        for _ in range(25):
            pose = tool_pose(chain, rng.uniform(-math.pi, math.pi, 6))
            result = newton_gauss(chain, pose)
            assert result.converged
            assert tool_pose(chain, result.q).is_close(pose, 1e-9, 1e-9)


def test_newton_gauss_says_why_it_failed() -> None:
    result = newton_gauss(ur10(), Pose.from_xyz(3.0, 0.0, 0.0))
    assert not result.converged
    assert "the continuation stopped at" in result.reason
    with pytest.raises(InvalidValue, match="needs six joints"):
        newton_gauss(Chain([(0, 0, 1, 0)]), Pose.identity())


# ---- general six-joint arms ------------------------------------------------------------------------------


def crx() -> Chain:
    """A cobot with an offset wrist: two axes meet, no three do; up to sixteen solutions are known."""
    return Chain(
        [(0, 0.245, 0, -HALF), (0, 0, 0.71, 0), (0, 0, 0, -HALF), (0, 0.54, 0, HALF), (0, 0.15, 0, -HALF),
         (0, 0.16, 0, 0)]
    )  # fmt: skip


def test_an_offset_wrist_has_up_to_sixteen() -> None:
    chain = crx()
    rng = np.random.default_rng(11)
    Q = rng.uniform(-math.pi, math.pi, (60, 6))
    poses = tool_batch(chain, Q)
    found, valid = ik_batch(chain, poses)
    counts = valid.sum(axis=1)
    assert set(counts) <= {4, 8, 12, 16}
    assert counts.max() >= 12
    for q, values, ok in zip(Q, found, valid, strict=True):
        assert angles_apart(chain, values[ok], q).min() < 1e-6


def test_elimination_finds_what_the_closed_form_finds(rng: np.random.Generator) -> None:
    """On a UR arm, degenerate for the natural arrangement, another one serves."""
    chain = ur10()
    elimination = GeneralSolver(chain)
    missing = 0
    for _ in range(40):
        pose = tool_pose(chain, rng.uniform(-math.pi, math.pi, 6))
        closed = ik(chain, pose).q
        found = elimination.solve(pose.matrix)
        missing += len(closed) - len(found)
        for q in found:
            assert angles_apart(chain, closed, q).min() < 1e-6
    assert missing == 0


def test_calibrated_arms_keep_all_their_branches(rng: np.random.Generator) -> None:
    """A table that is a closed form but for tenths of millimetres and of milliradians, as calibration gives."""
    for nominal in (ur10(), irb6400()):
        for _ in range(3):
            table = nominal.table + rng.normal(size=(6, 4)) * 2e-4
            chain = Chain([tuple(row) for row in table])
            for _ in range(8):
                q = rng.uniform(-math.pi, math.pi, 6)
                solutions = ik(chain, tool_pose(chain, q))
                assert angles_apart(chain, solutions.q, q).min() < 1e-6
                assert len(solutions) % 2 == 0


def test_many_starts_agree_with_the_elimination(rng: np.random.Generator) -> None:
    chain = general_arm(rng)
    for _ in range(4):
        pose = tool_pose(chain, rng.uniform(-math.pi, math.pi, 6))
        everything = ik(chain, pose).q
        for q in multi_start(chain, pose, starts=200):
            assert angles_apart(chain, everything, q).min() < 1e-6


@pytest.mark.soak
def test_general_arms_at_length() -> None:
    rng = np.random.default_rng(12)
    for _ in range(300):
        chain = general_arm(rng)
        for q in rng.uniform(-math.pi, math.pi, (10, 6)):
            solutions = solver_of(chain).solve(tool_batch(chain, q[None]))
            values = solutions[0][0][solutions[1][0] > 0]
            assert angles_apart(chain, values, q).min() < 1e-6

"""Every reachable pose gets a solution, at and near every singularity, and arms almost of a family get exact ones."""

from __future__ import annotations

import numpy as np
import pytest
from kinematics_arms import FEW, few_arm, parallel_arm, puma_arm, ur10, wrist_arm
from singular_arms import KINDS, SIZES, TOLERANCE, missed, near_singular, nearly, position_singular

from workcell.kinematics.structure import recognise, reversed_chain


def two_square_arms(seed):
    """An arm of the Puma family, one of the UR family and a real one."""
    rng = np.random.default_rng(seed)
    yield from (chain for chain in (puma_arm(rng), parallel_arm(rng)) if not recognise(chain).reverse)
    yield ur10()


def scan(seed, count):
    """How many poses were asked for at all singularities and sizes, how many had no solution, the worst miss."""
    rng = np.random.default_rng(seed)
    asked, none, worst = 0, 0, 0.0
    for chain in two_square_arms(seed):
        for kinds in KINDS:
            for size in SIZES:
                Q = near_singular(chain, rng, kinds, size, count)
                for arm, values in ((chain, Q), (reversed_chain(chain), -Q[:, ::-1])):
                    lost, miss = missed(arm, np.ascontiguousarray(values), 1)
                    asked, none, worst = asked + len(Q), none + lost, max(worst, miss)
    return asked, none, worst


def test_every_reachable_pose_near_the_singularities_of_square_arms_gets_a_solution():
    _, none, worst = scan(0, 12)
    assert none == 0
    assert worst < TOLERANCE


@pytest.mark.soak
def test_every_reachable_pose_near_singularities_gets_a_solution_at_length():
    asked, none, worst = (
        f(column)
        for f, column in zip((sum, sum, max), zip(*(scan(seed, 60) for seed in range(1, 25)), strict=True), strict=True)
    )
    print(f"{asked:,} poses at and near singularities: {none} without a solution, the worst misses by {worst:.2g}")
    assert none == 0
    assert worst < TOLERANCE


@pytest.mark.parametrize("oblique", [False, True])
def test_every_reachable_pose_near_the_singularities_of_other_wrists_gets_a_solution(oblique):
    rng = np.random.default_rng(8)
    for _ in range(6):
        chain = wrist_arm(rng, "RRR", oblique)
        for size in SIZES[::3]:
            none, worst = missed(chain, position_singular(chain, rng, size, 4), 1)
            assert none == 0
            assert worst < TOLERANCE


@pytest.mark.parametrize("kind", FEW)
def test_fewer_joints_stretched_or_nearly_so_reach(kind):
    rng = np.random.default_rng(9)
    chain = few_arm(rng, kind)
    for size in SIZES[::2]:
        Q = rng.uniform(-3.0, 3.0, (20, chain.n))
        for joint in range(1, chain.n):
            if not chain.prismatic[joint] and rng.integers(2):
                Q[:, joint] = rng.choice([0.0, np.pi], 20) + size - chain.table[joint, 0]
        none, worst = missed(chain, Q, 1)
        assert none == 0
        assert worst < TOLERANCE


@pytest.mark.parametrize("make", [puma_arm, parallel_arm, wrist_arm])
@pytest.mark.parametrize("size", [1e-13, 1e-12, 1e-11, 1e-10, 9e-10])
def test_arms_almost_of_a_family_get_solutions_of_their_own_table(make, size):
    rng = np.random.default_rng(10)
    for _ in range(10):
        chain = nearly(make(rng), rng, size)
        family = recognise(chain)
        if family.family not in ("puma", "parallel", "wrist"):
            continue  # its table is farther off than that of the family it was made from
        none, worst = missed(chain, rng.uniform(-3.0, 3.0, (200, 6)), 1)
        assert none == 0
        assert worst < TOLERANCE
        if family.family == "parallel" or (family.family == "puma" and make is puma_arm):
            assert not family.exact

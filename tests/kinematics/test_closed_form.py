"""Laws of the closed forms over random arms of every family."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kinematics_arms import (
    FEW,
    angles_apart,
    few_arm,
    general_arm,
    irb6400,
    parallel_arm,
    puma560,
    puma_arm,
    ur10,
    wrist_arm,
)

from workcell.errors import InvalidValue
from workcell.kinematics.closed_form import link_solver, unlink_solver
from workcell.kinematics.dh import Chain
from workcell.kinematics.forward import frames, tool_batch, tool_pose
from workcell.kinematics.inverse import ik, ik_batch
from workcell.kinematics.jacobian import jacobian
from workcell.kinematics.solutions import ORDER
from workcell.kinematics.structure import reach_of, recognise, reversed_chain
from workcell.spatial.pose import Pose

seeds = st.integers(0, 2**32 - 1)
lawful = settings(derandomize=True, deadline=None, max_examples=30)
KINDS = ["".join(kinds) for kinds in itertools.product("RP", repeat=3)]


def check_laws(chain: Chain, Q: np.ndarray, near: float = 1e-6) -> np.ndarray:
    """Generating joints found, every solution reaches, batch and single agree; the counts of solutions."""
    poses = tool_batch(chain, Q)
    found, valid = ik_batch(chain, poses)
    for q, pose, values, ok in zip(Q, poses, found, valid, strict=True):
        assert ok.any(), f"no solution for {q}"
        assert angles_apart(chain, values[ok], q).min() < near
        assert np.abs(tool_batch(chain, values[ok]) - pose).max() < 1e-9
        assert np.isnan(values[~ok]).all()
        single = ik(chain, Pose._trusted(pose[:3, :3], pose[:3, 3])).q
        assert len(single) == ok.sum()
        assert angles_apart(chain, single, values[ok]).max() < 1e-12
        for i, j in itertools.combinations(range(len(single)), 2):
            assert angles_apart(chain, single[i], single[j]) > 1e-7, "a solution is there twice"
    return valid.sum(axis=1)


@given(seed=seeds)
@lawful
def test_puma_family(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = puma_arm(rng)
    assert recognise(chain).family == "puma"
    counts = check_laws(chain, rng.uniform(-math.pi, math.pi, (8, 6)))
    assert set(counts) <= {4, 8}


@given(seed=seeds)
@lawful
def test_three_parallel_axes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = parallel_arm(rng)
    assert recognise(chain).family == "parallel"
    counts = check_laws(chain, rng.uniform(-math.pi, math.pi, (8, 6)))
    assert set(counts) <= {2, 4, 6, 8}


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("oblique", [False, True])
@given(seed=seeds)
@settings(derandomize=True, deadline=None, max_examples=6)
def test_spherical_wrist_after_any_three_axes(kinds: str, oblique: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = wrist_arm(rng, kinds, oblique)
    counts = check_laws(chain, rng.uniform(-math.pi, math.pi, (6, 6)))
    assert (counts <= 8).all()
    if not oblique:
        assert (counts % 2 == 0).all()


@given(seed=seeds)
@lawful
def test_the_same_arm_read_from_its_tool(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = reversed_chain(puma_arm(rng))
    structure = recognise(chain)
    assert structure.family in ("puma", "wrist")
    check_laws(chain, rng.uniform(-math.pi, math.pi, (4, 6)))


@given(seed=seeds)
@settings(derandomize=True, deadline=None, max_examples=20)
def test_general_six_joints(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = general_arm(rng)
    assert recognise(chain).family == "general"
    counts = check_laws(chain, rng.uniform(-math.pi, math.pi, (3, 6)))
    assert (counts % 2 == 0).all()
    assert (counts <= 16).all()


@pytest.mark.parametrize("kind", FEW)
@given(seed=seeds)
@settings(derandomize=True, deadline=None, max_examples=6)
def test_fewer_joints(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = few_arm(rng, kind)
    counts = check_laws(chain, rng.uniform(-math.pi, math.pi, (6, chain.n)))
    theory = {"scara RRPR": {2}, "scara PRRR": {2}, "scara RRRP": {2}, "planar 3R": {2}, "palletiser": {2, 4}}
    assert set(counts) <= theory.get(kind, set(range(1, 9)))


def test_a_pose_off_the_manifold_of_a_scara_has_no_solution(rng: np.random.Generator) -> None:
    chain = few_arm(rng, "scara RRPR")
    pose = tool_pose(chain, [0.1, 0.2, 0.3, 0.4]) @ Pose.from_axis_angle((1, 1, 0), 0.01)
    assert len(ik(chain, pose)) == 0


@given(seed=seeds, family=st.sampled_from([puma_arm, parallel_arm]))
@lawful
def test_labels_and_indices_invert(seed: int, family: object) -> None:
    rng = np.random.default_rng(seed)
    chain = family(rng)
    solutions = ik(chain, tool_pose(chain, rng.uniform(-math.pi, math.pi, 6)))
    assert len(set(solutions.label)) == len(solutions) == len(set(solutions.index)) == len(set(solutions.words))
    assert [ORDER.index(label) for label in solutions.label] == sorted(ORDER.index(label) for label in solutions.label)
    for solution in solutions:
        again = ik(chain, tool_pose(chain, solution.q))
        same = again.with_label(solution.label)
        assert same is not None
        assert angles_apart(chain, same.q, solution.q) < 1e-6
        by_index = again.with_index(solution.index)
        assert by_index is not None
        assert by_index.label == solution.label
        bits = (solution.words.startswith("left"), "elbow up" in solution.words, "wrist up" in solution.words)
        assert solution.index == 4 * bits[0] + 2 * bits[1] + bits[2]


@given(seed=seeds)
@lawful
def test_arm_and_elbow_words_are_geometry(seed: int) -> None:
    """Left and up as a person beside the robot would see them, whatever the signs in the table."""
    rng = np.random.default_rng(seed)
    chain = puma_arm(rng, plain=True)
    solutions = ik(chain, tool_pose(chain, rng.uniform(-math.pi, math.pi, 6)))
    for solution in solutions:
        X = frames(chain, solution.q)
        centre, shoulder, elbow = X[4][:3, 3], X[1][:3, 3], X[2][:3, 3]
        axis = X[1][:3, 2]
        forward = np.cross(axis, [0, 0, 1.0])
        forward *= np.sign(forward @ centre)
        left = np.cross([0, 0, 1.0], forward)
        beside = centre @ left
        if abs(beside) > 1e-6:
            assert solution.words.startswith("left" if beside > 0 else "right")
        line, upper = centre - shoulder, elbow - shoulder
        # Seen with forward to the right and z up, the elbow lies to the left of the line from shoulder to wrist.
        turn = (line @ forward) * upper[2] - line[2] * (upper @ forward)
        if abs(turn) > 1e-6:
            assert ("elbow up" in solution.words) == (turn > 0)


def is_found(chain: Chain, values: np.ndarray, q: np.ndarray) -> bool:
    """Whether q is among the values as exactly as a pose that is rounded to 1e-14 can tell."""
    jac = jacobian(chain, q)
    jac[:3] /= reach_of(chain)
    least = np.linalg.svd(jac, compute_uv=False)[-1]
    return bool(angles_apart(chain, values, q).min() < min(0.1, max(1e-6, 1e-14 / max(least, 1e-300))))


@pytest.mark.parametrize("make", [irb6400, puma560, ur10])
@pytest.mark.parametrize("small", [1e-10, 1e-9, 1e-8, 1e-7, 1e-5])
def test_near_wrist_singularities_the_generating_joints_are_found(make: object, small: float) -> None:
    rng = np.random.default_rng(5)
    chain = make()
    Q = rng.uniform(-math.pi, math.pi, (300, 6))
    Q[:, 4] = small * rng.choice([-1, 1], 300) + rng.choice([0.0, math.pi], 300)
    poses = tool_batch(chain, Q)
    found, valid = ik_batch(chain, poses)
    for q, pose, values, ok in zip(Q, poses, found, valid, strict=True):
        assert np.abs(tool_batch(chain, values[ok]) - pose).max() < 1e-9
        assert is_found(chain, values[ok], q)


@pytest.mark.parametrize("make", [irb6400, puma560, ur10])
def test_at_wrist_singularities_the_free_joint_is_told(make: object) -> None:
    rng = np.random.default_rng(5)
    chain = make()
    for k in range(60):
        q = rng.uniform(-math.pi, math.pi, 6)
        q[4] = math.pi * (k % 2)
        pose = tool_pose(chain, q)
        solutions = ik(chain, pose)
        assert np.abs(tool_batch(chain, solutions.q) - pose.matrix).max() < 1e-9
        families = [s.family for s in solutions if "wrist" in s.singular]
        assert families
        assert all(family is not None for family in families)
        if make is not ur10:  # the generating joints are members
            members = [f.at(_towards(f, q)) for f in families]
            assert any(m is not None and angles_apart(chain, m, q) < 1e-6 for m in members)


def _towards(family: object, q: np.ndarray) -> float:
    here, wanted = family.q[family.joint - 1], q[family.joint - 1]
    return float(here + (wanted - here + math.pi) % (2 * math.pi) - math.pi)


@pytest.mark.parametrize("make", [irb6400, puma560, ur10])
@pytest.mark.parametrize("small", [0.0, 1e-9, 1e-8, 1e-7, 1e-5])
def test_with_a_straight_elbow_the_generating_joints_are_found(make: object, small: float) -> None:
    rng = np.random.default_rng(6)
    chain = make()
    t = chain.table
    straight = math.atan2(t[3, 1] * math.sin(t[2, 3]), t[2, 2]) if make is not ur10 else 0.0
    Q = rng.uniform(-math.pi, math.pi, (200, 6))
    Q[:, 2] = straight + small * rng.choice([-1, 1], 200)
    if make is not puma560:  # folded, too; there the Puma's wrist would be inside its shoulder
        Q[:, 2] += rng.choice([0.0, math.pi], 200)
    poses = tool_batch(chain, Q)
    found, valid = ik_batch(chain, poses)
    for q, pose, values, ok in zip(Q, poses, found, valid, strict=True):
        assert ok.any()
        assert np.abs(tool_batch(chain, values[ok]) - pose).max() < 1e-9
        assert is_found(chain, values[ok], q)


@pytest.mark.parametrize("small", [1e-9, 1e-8, 1e-7, 1e-5])
def test_with_the_hand_over_the_base_the_generating_joints_are_found(small: float) -> None:
    rng = np.random.default_rng(7)
    for chain, offset in ((irb6400(), 0.0), (puma560(), 0.15005)):
        for _ in range(100):
            q = rng.uniform(-math.pi, math.pi, 6)
            q = _with_centre_at(chain, q, offset, small)
            pose = tool_pose(chain, q)
            solutions = ik(chain, pose)
            assert len(solutions)
            assert is_found(chain, solutions.q, q)
            assert np.abs(tool_batch(chain, solutions.q) - pose.matrix).max() < 1e-9


def _with_centre_at(chain: Chain, q: np.ndarray, offset: float, small: float) -> np.ndarray:
    """Turn joint 2 until the wrist centre is ``small`` from the vertical plane through the base axis."""
    q = q.copy()
    for _ in range(60):
        X = frames(chain, q)
        ahead = X[1][:3, 0] @ X[4][:3, 3] - small
        step = 1e-6
        p = q.copy()
        p[1] += step
        slope = (frames(chain, p)[1][:3, 0] @ frames(chain, p)[4][:3, 3] - small - ahead) / step
        if abs(slope) < 1e-6:
            q[1] += 0.3
            continue
        q[1] -= np.clip(ahead / slope, -0.5, 0.5)
        if abs(ahead) < 1e-16:
            break
    return q


def test_with_the_hand_exactly_over_the_base_the_free_joint_is_told() -> None:
    chain = irb6400()
    q = _with_centre_at(chain, np.array([0.4, 0.5, 0.6, 0.7, 0.8, 0.9]), 0.0, 0.0)
    solutions = ik(chain, tool_pose(chain, q))
    singular = [s for s in solutions if "shoulder" in s.singular]
    assert singular
    families = [s.family for s in singular]
    members = [f.at(_towards(f, q)) for f in families if f is not None]
    assert any(m is not None and angles_apart(chain, m, q) < 1e-6 for m in members)


def test_members_of_a_singular_family_hold_the_pose() -> None:
    chain = irb6400()
    pose = tool_pose(chain, [0.1, 0.2, 0.3, 0.4, 0.0, 0.6])
    solution = ik(chain, pose)[0]
    assert solution.singular == ("wrist",)
    family = solution.family
    assert family is not None
    for value in np.linspace(-3, 3, 7):
        member = family.at(float(value))
        assert member is not None
        assert member[family.joint - 1] == pytest.approx(value)
        assert tool_pose(chain, member).is_close(pose, 1e-10, 1e-7)


def test_limits_say_which_joint_fails_and_by_how_much() -> None:
    chain = irb6400()
    limits = np.radians([(-180, 180), (-70, 70), (-28, 105), (-300, 300), (-120, 120), (-300, 300)])
    q = np.radians([20, 30, 40, 170, 60, -100])
    solutions = ik(chain, tool_pose(chain, q), limits)
    inside = solutions.within_limits
    assert inside.any()
    assert not inside.all()
    for solution, ok in zip(solutions, inside, strict=True):
        assert solution.within_limits == ok == (not solution.violations)
        for joint, out in solution.violations:
            low, high = limits[joint - 1]
            value = solution.q[joint - 1]
            assert out == pytest.approx(value - high if out > 0 else value - low)
    _, valid = ik_batch(chain, [tool_pose(chain, q)], limits)
    assert valid.sum() == inside.sum()


def test_joints_are_turned_into_limits_that_lie_beyond_half_a_turn() -> None:
    chain = irb6400()
    limits = np.radians([(180, 540), (-360, 360), (-360, 360), (-360, 360), (-360, 360), (200, 700)])
    q = np.radians([400, 30, 40, 50, 60, 300])
    solutions = ik(chain, tool_pose(chain, q), limits)
    assert solutions.within_limits.all()
    assert angles_apart(chain, solutions.q, q).min() < 1e-9
    assert (solutions.q >= limits[:, 0] - 1e-9).all()


def test_a_linked_solver_is_used_everywhere_and_checked() -> None:
    chain = Chain([(0, 0.1, 0.5, 0.3), (0, 0.2, 0.4, 0.2)])
    asked = []

    def mine(X_0_n: Pose) -> np.ndarray:
        asked.append(X_0_n)
        return np.array([[0.1, 0.2]])

    pose = tool_pose(chain, [0.1, 0.2])
    link_solver(chain, mine)
    try:
        assert ik(chain, pose).q.tolist() == [[0.1, 0.2]]
        tooled = chain.with_tool(Pose.from_xyz(0, 0, 0.1))
        assert ik(tooled, tool_pose(tooled, [0.1, 0.2])).q.tolist() == [[0.1, 0.2]]
        assert len(asked) == 2
        with pytest.raises(InvalidValue, match="linked to this arm returned joint values that miss the pose"):
            ik(chain, tool_pose(chain, [0.5, 0.2]))
    finally:
        unlink_solver(chain)
    assert angles_apart(chain, ik(chain, pose).q, np.array([0.1, 0.2])).min() < 1e-9
    assert len(asked) == 3


def test_batches_are_the_same_on_one_thread_and_many(rng: np.random.Generator) -> None:
    chain = puma560()
    poses = tool_batch(chain, rng.uniform(-3, 3, (5000, 6)))
    one, two = ik_batch(chain, poses, threads=1), ik_batch(chain, poses, threads=3)
    assert np.array_equal(one[1], two[1])
    assert np.array_equal(one[0], two[0], equal_nan=True)


@pytest.mark.parametrize(
    ("poses", "message"),
    [
        (np.zeros((3, 4)), r"shape \(N, 4, 4\); found \(3, 4\)"),
        (np.full((2, 4, 4), np.nan), "Pose 0 of the batch is not finite"),
        (np.stack([np.eye(4), 2 * np.eye(4)]), "Pose 1 of the batch is not rigid"),
        ("nowhere", "Poses must be numbers"),
    ],
)
def test_bad_poses_are_refused(poses: object, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        ik_batch(irb6400(), poses)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ([(1, -1)] + [(-1, 1)] * 5, "limits of joint 1 are reversed: 1 to -1; give the lower one first"),
        ([(-1, 1)] * 5, r"shape \(6, 2\); found \(5, 2\)"),
        ([(-1, math.nan)] * 6, "found nan"),
        ("none", "6 pairs of numbers"),
    ],
)
def test_bad_limits_are_refused(limits: object, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        ik(irb6400(), Pose.identity(), limits)


def test_solutions_are_a_sequence_of_frozen_values() -> None:
    solutions = ik(irb6400(), tool_pose(irb6400(), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))
    assert len(solutions) == len(list(solutions)) == len(solutions.q) == 8
    assert solutions[-1].q.tolist() == solutions.q[7].tolist()
    assert [s.index for s in solutions[2:4]] == solutions.index[2:4]
    with pytest.raises(ValueError, match="read-only"):
        solutions.q[0, 0] = 1.0
    with pytest.raises(IndexError, match="There are 8 solutions"):
        solutions[8]
    assert "IKSolution" in repr(solutions[0])


@given(seed=seeds, kinds=st.sampled_from(KINDS))
@lawful
def test_labels_of_other_arms_invert_where_they_are_given(seed: int, kinds: str) -> None:
    rng = np.random.default_rng(seed)
    chain = wrist_arm(rng, kinds)
    q = rng.uniform(-math.pi, math.pi, 6)
    solutions = ik(chain, tool_pose(chain, q))
    labels = [label for label in solutions.label if label is not None]
    assert len(set(labels)) == len(labels)
    for solution in solutions:
        if solution.label is not None:
            same = ik(chain, tool_pose(chain, solution.q)).with_label(solution.label)
            assert same is not None
            assert angles_apart(chain, same.q, solution.q) < 1e-6
        else:
            assert solution.words.startswith("solution ")


def test_importing_the_room_loads_no_engine() -> None:
    code = (
        "import sys, pkgutil, importlib, workcell.kinematics as k\n"
        "names = [m.name for m in pkgutil.iter_modules(k.__path__) if not m.name.startswith('_')]\n"
        "[importlib.import_module('workcell.kinematics.' + name) for name in names]\n"
        "print(sorted({'numba', 'pinocchio', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

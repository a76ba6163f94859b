"""Constraints: their gradients are right, their proofs bound what is measured, and paths keep them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from planning_cells import touches_somewhere

import workcell as wc
from workcell.errors import ConstraintBroken, InvalidValue, Refused, UnknownName
from workcell.motion.path import JointPath
from workcell.planning import _kernels_constraints as kernels
from workcell.planning.constraint_proof import prove_kept
from workcell.planning.constraint_rows import Rows
from workcell.planning.constraints import OnePart, OnLine, OnPlane, OnRound, OnSurface, Upright, constraints_of
from workcell.planning.find_path import find_path
from workcell.planning.goals import AnyGoal, JointGoal
from workcell.planning.kept import Broken, Kept
from workcell.planning.space import space_of

START = np.radians([-50.0, 20.0, -120.0, 0.0, 100.0, 0.0])
GOAL = np.radians([50.0, 20.0, -120.0, 0.0, 100.0, 0.0])


@pytest.fixture(scope="module")
def post():
    """An arm with a post between its start and its goal."""
    with wc.Cell() as cell:
        cell.add_robot("puma560", name="Arm", joints=START)
        cell.do("add solid post box 80 80 1000 at 600,0,500")
        cell.do("add solid ball sphere 120 at 300,900,200")
        yield cell


@pytest.fixture(scope="module")
def pair():
    """Two arms that face each other, as one machine."""
    with wc.Cell() as cell:
        joints = np.radians([0.0, 30.0, -120.0, 0.0, 90.0, 0.0])
        cell.add_robot("puma560", name="A", joints=joints)
        cell.add_robot(
            "puma560", name="B", joints=joints, at=wc.Pose.from_xyz_angles([1.6, 0, 0], [0, 0, math.pi], "ding_ypr")
        )
        cell.do("create machine Pair of A of B")
        yield cell


def rows_of(cell, robot, *constraints):
    snapshot, state = cell.snapshot(), cell.state
    space = space_of(snapshot, state, robot)
    start = np.concatenate([state.joints[name] for name in snapshot.members(robot)])
    return Rows(space, constraints_of(list(constraints)), start)


def tools(cell, arm, Q):
    """The poses of an arm's tool by the robot's own kinematics (N, 4, 4)."""
    snapshot = cell.snapshot()
    return snapshot.base_pose(cell.state, arm).matrix @ snapshot.robot(arm).robot.fk_batch(np.ascontiguousarray(Q))


EVERY = (
    Upright(),
    Upright(cone=0.2),
    OnPlane(tool_point=(0.01, 0.02, 0.1)),
    OnLine((1.0, 2.0, 3.0)),
    OnRound((0.1, 0.0, 0.2), 0.8),
    OnRound((0.1, 0.0, 0.2), 0.5, axis=(0.0, 1.0, 1.0)),
    OnSurface("ball", offset=0.05),
)


def slopes(rows, Q):
    """Gradients by the kernel (N, m, n)."""
    space = rows.space
    room = kernels.room_for(rows.arrays, space.poses)
    out = []
    for q in Q:
        row = space.base_row.copy()
        kernels.measure(rows.arrays, space.arrangement.frames, row, space.columns, q, True, room)
        out.append(room[2].copy())
    return np.array(out)


@pytest.mark.parametrize("robot", ["Arm", "Pair"])
def test_gradients_are_differences_of_values(robot, post, pair):
    cell = post if robot == "Arm" else pair
    rows = rows_of(cell, robot, *(EVERY if robot == "Arm" else (OnePart(), Upright(), OnPlane())))
    rng = np.random.default_rng(5)
    Q = rows.start + rng.uniform(-0.4, 0.4, (40, len(rows.start)))
    found, h = slopes(rows, Q), 1e-6
    for j in range(Q.shape[1]):
        step = np.zeros(Q.shape[1])
        step[j] = h
        above, below = rows.values(Q + step), rows.values(Q - step)
        smooth = (rows.values(Q) != 0.0) & (above != 0.0) & (below != 0.0)
        np.testing.assert_allclose(((above - below) / (2 * h))[smooth], found[:, :, j][smooth], atol=2e-4)


def test_values_are_those_of_the_robots_own_kinematics(post):
    rows = rows_of(post, "Arm", *EVERY)
    Q = START + np.random.default_rng(6).uniform(-0.5, 0.5, (30, 6))
    values, X = rows.values(Q), tools(post, "Arm", Q)
    start = tools(post, "Arm", START[None])[0]
    up = X[:, 2, :3] @ (start[:3, :3].T @ [0, 0, 1])
    np.testing.assert_allclose(np.hypot(values[:, 0], values[:, 1]), np.sqrt(1 - up**2), atol=1e-9)
    np.testing.assert_allclose(values[:, 3], np.minimum(up - math.cos(0.2), 0.0), atol=1e-12)
    height = (X @ [0.01, 0.02, 0.1, 1.0])[:, 2] - (start @ [0.01, 0.02, 0.1, 1.0])[2]
    np.testing.assert_allclose(values[:, 4], height, atol=1e-12)
    off = np.cross(X[:, :3, 3] - start[:3, 3], np.array([1, 2, 3]) / math.sqrt(14))
    np.testing.assert_allclose(np.hypot(values[:, 5], values[:, 6]), np.linalg.norm(off, axis=1), atol=1e-12)
    np.testing.assert_allclose(values[:, 7], np.linalg.norm(X[:, :3, 3] - [0.1, 0, 0.2], axis=1) - 0.8, atol=1e-12)
    ball = np.linalg.norm(X[:, :3, 3] - [0.3, 0.9, 0.2], axis=1) - 0.12 - 0.05
    np.testing.assert_allclose(values[:, 9], ball, atol=1.5e-3)  # the ball is a mesh


def test_projections_keep_the_constraints_and_are_near(post):
    for one in EVERY:
        rows = rows_of(post, "Arm", one)
        Q = START + np.random.default_rng(7).uniform(-0.1, 0.1, (20, 6))
        found, kept = rows.project(Q, rows.space.limits)
        if isinstance(one, OnRound | OnSurface):  # may be out of reach from here
            assert (np.abs(rows.values(found[kept])) <= rows.tolerances).all()
            continue
        assert kept.all()
        assert (np.abs(rows.values(found)) <= rows.tolerances).all()
        assert np.abs(found - Q).max() < 1.0


def test_a_proof_bounds_what_is_measured_everywhere(post):
    rng = np.random.default_rng(8)
    proved = 0
    for one in (Upright(tolerance=0.1), OnPlane(tolerance=0.05), OnLine((0.0, 1.0, 0.0), tolerance=0.1)):
        rows = rows_of(post, "Arm", one)
        for _ in range(10):
            path = JointPath.spline(START + np.cumsum(rng.uniform(-0.03, 0.03, (6, 6)), axis=0))
            proof = prove_kept(path, rows)
            most = np.abs(rows.values(path.sample(np.linspace(0.0, path.length, 3000)))) / rows.tolerances
            if isinstance(proof, Kept):
                proved += 1
                assert most.max() <= max(proof.bounds) + 1e-9
            else:
                assert isinstance(proof, Broken)
                assert most.max() > 0.98
    assert proved >= 5


@pytest.mark.parametrize(
    "constraint", [Upright(), Upright(cone=math.radians(15)), (Upright(), OnPlane()), OnRound((0.0, 0.0, 0.0), 1.0614)]
)
def test_a_path_keeps_its_constraint_round_an_obstacle(post, constraint):
    snapshot = post.snapshot()
    if isinstance(constraint, OnRound):
        reach = np.linalg.norm(tools(post, "Arm", START[None])[0][:3, 3])
        constraint = OnRound((0.0, 0.0, 0.0), float(reach))
    plan = find_path(snapshot, post.state, "Arm", GOAL, constraint=constraint, budget=300.0)
    assert isinstance(plan.kept, Kept)
    assert not touches_somewhere(post, plan)
    Q = plan.trajectory.sample(np.linspace(0.0, plan.duration, 2000))
    X = tools(post, "Arm", Q)
    some = constraint if isinstance(constraint, tuple) else (constraint,)
    for one in some:
        if isinstance(one, Upright):
            lean = np.arccos(np.clip(X[:, 2, :3] @ X[0, 2, :3], -1.0, 1.0))
            assert lean.max() <= one.cone + one.tolerance
        elif isinstance(one, OnPlane):
            assert np.ptp(X[:, 2, 3]) <= 2 * one.tolerance
        else:
            assert np.abs(np.linalg.norm(X[:, :3, 3], axis=1) - one.radius).max() <= one.tolerance
    limits = snapshot.robot("Arm").robot.limits
    assert (limits[:, 0] - 1e-9 <= Q).all()
    assert (limits[:, 1] + 1e-9 >= Q).all()
    np.testing.assert_allclose(Q[-1], GOAL, atol=1e-9)
    again = find_path(snapshot, post.state, "Arm", GOAL, constraint=constraint, budget=300.0)
    assert np.array_equal(again.waypoints, plan.waypoints)


def test_without_the_constraint_the_tool_leans(post):
    plan = find_path(post.snapshot(), post.state, "Arm", GOAL, budget=300.0)
    X = tools(post, "Arm", plan.trajectory.sample(np.linspace(0.0, plan.duration, 200)))
    assert np.arccos(np.clip(X[:, 2, :3] @ X[0, 2, :3], -1.0, 1.0)).max() > Upright().tolerance


def test_a_goal_at_the_start_needs_no_motion(post):
    plan = find_path(post.snapshot(), post.state, "Arm", START, constraint=Upright())
    assert plan.duration == 0.0


def test_a_step_of_a_program_keeps_the_hand_upright(post):
    with wc.Cell() as cell:
        cell.do("create robot Arm puma560 joints -50,20,-120,0,100,0")
        cell.do("add solid post box 80 80 1000 at 600,0,500")
        cell.do("program carry\n  find-path Arm joints 50,20,-120,0,100,0 upright 5 plane 0,0,1\nend")
        cell.do("run carry")
        recording = cell.session.recording
        start, end = 0.0, cell.state.time
        Q = np.array([recording.state_at(t).joints["Arm"] for t in np.linspace(start, end, 60)])
        X = tools(post, "Arm", Q)
        assert np.ptp(Q[:, 0]) > 1.5
        lean = np.arccos(np.clip(X[:, 2, :3] @ X[0, 2, :3], -1.0, 1.0))
        assert lean.max() <= math.radians(5.0) + Upright().tolerance
        assert np.ptp(X[:, 2, 3]) <= 2e-3


@pytest.mark.parametrize("by_pose", [False, True])
def test_two_arms_keep_one_part_between_their_hands(pair, by_pose):
    snapshot, state = pair.snapshot(), pair.state
    shift = wc.Pose.from_xyz(0.0, 0.12, -0.2)
    X = [wc.Pose(tools(pair, arm, state.joints[arm][None])[0]) for arm in "AB"]
    if by_pose:
        goal = shift @ X[1]  # of the second hand; the first follows
    else:
        both = [
            [
                one.q
                for one in snapshot.robot(arm).robot.ik(snapshot.base_pose(state, arm).inverse() @ shift @ at)
                if one.within_limits
            ]
            for arm, at in zip("AB", X, strict=True)
        ]
        goal = AnyGoal(tuple(JointGoal(np.concatenate([a, b])) for a in both[0] for b in both[1]))
    plan = find_path(snapshot, state, "Pair", goal, constraint=OnePart(), budget=300.0)
    Q = plan.trajectory.sample(np.linspace(0.0, plan.duration, 500))
    place = np.linalg.inv(tools(pair, "A", Q[:, :6])) @ tools(pair, "B", Q[:, 6:])
    assert np.linalg.norm(place[:, :3, 3] - place[0, :3, 3], axis=1).max() <= OnePart().tolerance
    turn = np.einsum("ji,nji->n", place[0, :3, :3], place[:, :3, :3])
    assert np.arccos(np.clip((turn - 1.0) / 2.0, -1.0, 1.0)).max() <= OnePart().turn_tolerance
    np.testing.assert_allclose(tools(pair, "B", Q[-1:, 6:])[0], (shift @ X[1]).matrix, atol=1e-6)


@pytest.mark.parametrize(
    ("constraint", "error", "words"),
    [
        (Upright(axis=(1.0, 0.0, 0.0)), ConstraintBroken, "The start breaks a constraint"),
        (OnPlane(point=(0.0, 0.0, 0.1)), ConstraintBroken, "does not keep the plane where it is"),
        (OnLine((0.0, 0.0, 1.0)), ConstraintBroken, "Every goal breaks a constraint"),
        (OnSurface("bowl"), UnknownName, "bowl"),
        (OnePart(), Refused, "has 1"),
        ("upright", InvalidValue, "found 'upright'"),
    ],
)
def test_what_cannot_be_kept_is_refused(post, constraint, error, words):
    with pytest.raises(error, match=words):
        find_path(post.snapshot(), post.state, "Arm", GOAL, constraint=constraint)


@pytest.mark.parametrize("cone", [0.0, 0.1])
def test_a_refused_lean_is_named_with_its_angle(post, cone):
    """The goal turns the wrist by 30 degrees out of the level."""
    start = post.state.joints["Arm"]
    goal = start.copy()
    goal[4] -= math.radians(30.0)
    with pytest.raises(ConstraintBroken, match=rf"leans by 30°, and {math.degrees(cone):.4g}° are allowed"):
        find_path(post.snapshot(), post.state, "Arm", goal, constraint=Upright(cone=cone))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Upright(cone=math.nan),
        lambda: Upright(direction=(0.0, 0.0, 0.0)),
        lambda: OnPlane(tolerance=0.0),
        lambda: OnLine((math.inf, 0.0, 0.0)),
        lambda: OnRound((0.0, 0.0, 0.0), -1.0),
        lambda: OnSurface("ball", offset=math.nan),
        lambda: OnePart(turn_tolerance=-1.0),
    ],
)
def test_numbers_that_make_no_sense_are_refused(make):
    with pytest.raises(InvalidValue, match="found"):
        make()

"""The order of work: laws of the search, the bound, and cycles that are proved."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.collision.batch import check_batch
from workcell.collision.bodies import collision_model
from workcell.errors import Cancelled, InvalidValue, Refused, Unreachable
from workcell.motion.named_profiles import joint_line
from workcell.planning.move_times import MoveTimes
from workcell.planning.order import order_of_work
from workcell.planning.order_search import OrderSearch
from workcell.planning.tool_freedom import FREE_SPIN, ToolFreedom
from workcell.planning.work import WorkTarget
from workcell.robots.catalogue import robot

PROFILES = ["linear", "345", "spline", "trapezoid", "jerk", "time-optimal"]


def random_search(seed: int, jobs: int, most: int, seams: bool = False) -> OrderSearch:
    """Jobs at random places of a plane, with ways that lie near each other; as seams, ways with two ends."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, most + 1, jobs) * (2 if seams else 1)
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    starts = np.repeat(rng.uniform(0.0, 5.0, (jobs, 2)), sizes, axis=0) + rng.normal(0.0, 1.0, (first[-1], 2))
    ends, mirror = starts.copy(), np.arange(first[-1])
    if seams:
        for a in range(0, int(first[-1]), 2):
            ends[a] = starts[a] + rng.normal(0.0, 1.0, 2)
            starts[a + 1], ends[a + 1] = ends[a], starts[a]
            mirror[a], mirror[a + 1] = a + 1, a
    between = np.linalg.norm(ends[:, None] - starts[None], axis=2)
    own = rng.uniform(0.0, 1.0, first[-1])
    own = 0.5 * (own + own[mirror])
    return OrderSearch(between, np.linalg.norm(starts, axis=1), np.linalg.norm(ends, axis=1), own, first, mirror)


def brute_force(search: OrderSearch) -> float:
    blocks = [range(a, b) for a, b in itertools.pairwise(search.first.tolist())]
    return min(
        search.time_of(np.array(ways))
        for order in itertools.permutations(range(search.count))
        for ways in itertools.product(*(blocks[job] for job in order))
    )


# ---- the search ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seams", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_small_orders_are_the_best_of_all(seed, seams):
    search = random_search(seed, 5, 2, seams)
    found = search.best(seed, runs=2, moves=2000)
    assert found.time == pytest.approx(brute_force(search), abs=1e-9)
    assert search.time_of(found.ways) == pytest.approx(found.time)
    assert sorted(found.order) == list(range(5))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), jobs=st.integers(1, 9), most=st.integers(1, 5), seams=st.booleans())
def test_the_bound_is_below_every_cycle_and_the_cycle_not_above_the_nearest_neighbour(seed, jobs, most, seams):
    search = random_search(seed, jobs, most, seams)
    found = search.best(0, runs=1, moves=500)
    assert search.bound(found.time) <= found.time + 1e-9
    assert found.time <= search.nearest_neighbour().time + 1e-9
    if jobs <= 4 and most <= 3:
        assert search.bound(np.inf if jobs < 1 else found.time) <= brute_force(search) + 1e-9
    ways = found.ways
    assert all(search.first[job] <= way < search.first[job + 1] for job, way in zip(found.order, ways, strict=True))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), jobs=st.integers(1, 6), most=st.integers(1, 3))
def test_dynamic_programming_finds_the_best_ways_of_an_order(seed, jobs, most):
    search = random_search(seed, jobs, most)
    order = np.random.default_rng(seed).permutation(jobs)
    blocks = [range(int(search.first[job]), int(search.first[job + 1])) for job in order]
    best = min(search.time_of(np.array(ways)) for ways in itertools.product(*blocks))
    found = search.in_order(order)
    assert found.time == pytest.approx(best, abs=1e-9)
    assert search.time_of(found.ways) == pytest.approx(best, abs=1e-9)


def test_the_same_seed_gives_the_same_cycle():
    search = random_search(3, 20, 4)
    one, other = (search.best(7, runs=3, moves=300) for _ in range(2))
    assert one.time == other.time
    assert (one.ways == other.ways).all()


# ---- times ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
def test_move_times_are_those_of_the_moves(profile):
    arm = robot("puma560")
    rng = np.random.default_rng(5)
    Q = rng.uniform(arm.limits[:, 0], arm.limits[:, 1], (6, arm.n))
    Q[5] = Q[4] + 1e-4
    times = MoveTimes(arm, profile, 0.8)
    found, least = times.between(Q, Q), times.least(Q, Q)
    for i, k in itertools.product(range(6), repeat=2):
        true = joint_line(arm, Q[i], Q[k], profile, 0.8).duration
        assert found[i, k] == pytest.approx(true, rel=0.02 if profile == "time-optimal" else 1e-9, abs=1e-12)
        assert least[i, k] <= true * (1.0 + 1e-9) + 1e-12


# ---- whole cells ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def snapshot():
    cell = wc.Cell()
    cell.add_robot("irb1600", name="Arm")
    cell.add_solid(wc.solids.box(0.5, 0.06, 0.6), name="wall", at=wc.Pose.from_xyz(0.85, 0.0, 0.3))
    return cell.snapshot()


def down(x: float, y: float, z: float) -> wc.Pose:
    return wc.Pose.from_xyz_angles((x, y, z), (np.pi, 0.0, 0.0), "xyz_intrinsic")


def targets(freedom=FREE_SPIN) -> list[WorkTarget]:
    places = [(0.6, 0.3), (0.8, 0.4), (0.6, -0.3), (0.8, -0.4), (0.7, -0.25), (0.7, 0.25)]
    return [WorkTarget(f"t{k}", down(x, y, 0.35), freedom) for k, (x, y) in enumerate(places)]


def test_every_transit_of_a_certified_cycle_is_free(snapshot):
    found = order_of_work(snapshot, snapshot.initial, "Arm", targets())
    assert found.certified
    assert sorted(found.targets) == sorted(one.name for one in targets())
    assert any(one.how == "around" for one in found.transits), "the wall stands between the targets"
    model = collision_model(snapshot, warn=False)
    for transit in found.transits:
        samples = transit.motion.sample(np.linspace(0.0, transit.duration, 200))
        assert not check_batch(model, {"Arm": samples}).touching.any()
    ends = [found.start, *(stop.approach for stop in found.stops), found.start]
    for transit, (a, b) in zip(found.transits, itertools.pairwise(ends), strict=True):
        assert np.allclose(transit.motion.start, a, atol=1e-9)
        assert np.allclose(transit.motion.end, b, atol=1e-9)
    assert found.bound <= found.time <= found.neighbour * 3.0
    assert found.time == pytest.approx(sum(one.duration for one in found.transits))


def test_the_tool_is_at_its_targets_within_its_freedom(snapshot):
    found = order_of_work(snapshot, snapshot.initial, "Arm", targets(), certified=False)
    arm, poses = snapshot.robot("Arm").robot, {one.name: one.pose for one in targets()}
    base = snapshot.base_pose(snapshot.initial, "Arm")
    for stop in found.stops:
        there = base @ arm.fk(stop.work)
        assert there.is_close(poses[stop.target] @ wc.Pose(stop.turn), 1e-6, 1e-6)
        turn = poses[stop.target].rotation.T @ there.rotation
        assert FREE_SPIN.allows(turn)
        assert not ToolFreedom().allows(turn) or np.allclose(turn, np.eye(3), atol=1e-6)


def test_freedom_and_an_open_end_only_help(snapshot):
    times = [
        order_of_work(snapshot, snapshot.initial, "Arm", some, back=back, certified=False).time
        for some, back in ((targets(ToolFreedom()), True), (targets(), True), (targets(), False))
    ]
    assert times[0] >= times[1] >= times[2]


def test_the_nearest_neighbour_has_its_true_strokes(snapshot):
    """Its straight moves and strokes, made one by one with the motions of the robot, take as long as its figure."""
    some = [WorkTarget(f"t{k}", down(0.7, y, 0.35), approach=0.05) for k, y in enumerate((0.3, 0.4))]
    found = order_of_work(snapshot, snapshot.initial, "Arm", some, certified=False)
    assert found.time <= found.neighbour + 1e-9
    assert found.gap == pytest.approx((found.time - found.bound) / found.bound)
    one = order_of_work(snapshot, snapshot.initial, "Arm", some[:1], back=False, certified=False)
    moves = sum(transit.duration for transit in one.transits)
    assert one.neighbour >= one.time - 1e-9
    assert one.time == pytest.approx(moves + one.stops[0].duration)
    if np.allclose(one.stops[0].approach, found.stops[0].approach):
        assert one.neighbour == pytest.approx(one.time)


def test_a_seed_of_any_size_gives_a_cycle():
    search = random_search(1, 4, 2)
    assert search.best((1 << 63) - 1, runs=2, moves=50).time == pytest.approx(brute_force(search), rel=0.5)


def test_a_rounded_half_turn_spins_freely():
    assert ToolFreedom(spin=3.1416) == FREE_SPIN
    with pytest.raises(InvalidValue, match=r"0° to 180° to each side; found 180\.01"):
        ToolFreedom(spin=np.radians(180.01))


def test_what_cannot_be_done_is_named(snapshot):
    state = snapshot.initial
    with pytest.raises(InvalidValue, match="no targets"):
        order_of_work(snapshot, state, "Arm", [])
    with pytest.raises(Unreachable, match="far"):
        order_of_work(snapshot, state, "Arm", [*targets(), WorkTarget("far", down(5.0, 0.0, 0.3))])
    with pytest.raises(Refused, match="inside"):
        order_of_work(snapshot, state, "Arm", [WorkTarget("inside", down(0.85, 0.0, 0.5), FREE_SPIN)])
    gone = threading.Event()
    gone.set()
    with pytest.raises(Cancelled):
        order_of_work(snapshot, state, "Arm", targets(), cancel=gone)


@settings(max_examples=40, deadline=None)
@given(spin=st.floats(0.0, np.pi), tilt=st.floats(0.0, 0.5))
def test_turns_are_within_the_freedom(spin, tilt):
    freedom = ToolFreedom(spin, tilt, step=0.4)
    turns = freedom.turns()
    assert np.allclose(turns[0], np.eye(4))
    assert all(freedom.allows(turn[:3, :3]) for turn in turns)

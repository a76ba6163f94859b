"""Motions of several robots: beside each other over time, proved as a whole."""

import numpy as np
import pytest

import workcell as wc
from workcell.collision.batch import check_batch
from workcell.collision.bodies import collision_model
from workcell.errors import BlockedByMotion, InvalidValue, NoPath, Refused, UnknownName
from workcell.motion.path import JointPath
from workcell.motion.timing import time_optimal
from workcell.planning.path_beside import find_path_beside
from workcell.planning.space import space_of

LOW, HIGH = np.radians([-50, 20, -120, 0, 60, 0]), np.radians([50, 20, -120, 0, 60, 0])


def facing(gap=1.3, goal=LOW):
    """Two arms that face each other over a common space; each swings its arm through it."""
    cell = wc.Cell()
    cell.add_robot("puma560", name="A", joints=LOW)
    turned = wc.Pose.from_xyz(gap, 0, 0) @ wc.Pose.from_axis_angle((0, 0, 1), np.pi)
    cell.add_robot("puma560", name="B", at=turned, joints=goal)
    return cell


def swing(cell, robot="A", goal=HIGH):
    """The straight motion of an arm from where it stands."""
    state = cell.state
    limits = space_of(cell.snapshot(), state, robot).motion_limits
    return time_optimal(JointPath.polyline([state.joints[robot], goal]), limits)


def touches(cell, motions, samples=1200):
    """Whether anything touches at samples of motions that run together, by the batch check."""
    times = np.linspace(0.0, max(one.duration for one in motions.values()), samples)
    rows = {name: one.sample(times) for name, one in motions.items()}
    return check_batch(collision_model(cell.snapshot(), warn=False), rows, cell.state).touching.any()


@pytest.fixture(scope="module")
def cell():
    return facing()


def test_straight_swings_would_touch(cell):
    assert touches(cell, {"A": swing(cell), "B": swing(cell, "B")})


def test_a_path_beside_a_motion_is_free_of_it_over_time(cell):
    motion = swing(cell)
    plan = wc.find_path(cell, "B", HIGH, beside={"A": motion})
    assert plan.proof.free
    assert plan.beside == ("A",)
    assert np.allclose(plan.trajectory.start, LOW)
    assert np.allclose(plan.trajectory.end, HIGH)
    assert not touches(cell, {"A": motion, "B": plan.trajectory})
    limits = space_of(cell.snapshot(), cell.state, "B").motion_limits
    assert (plan.trajectory.max_speed() <= limits.speed * (1 + 1e-9)).all()
    assert (plan.trajectory.max_acceleration() <= limits.acceleration * (1 + 1e-9)).all()
    assert (np.abs(plan.trajectory.velocity_jumps()) < 1e-6).all()
    assert plan.alone - 1e-9 <= plan.duration <= motion.duration + plan.alone


def test_the_same_seed_gives_the_same_motion(cell):
    plans = [wc.find_path(facing(), "B", HIGH, beside={"A": swing(cell)}, seed=3) for _ in range(2)]
    assert plans[0].trajectory.to_bytes() == plans[1].trajectory.to_bytes()


def test_others_that_are_far_away_cost_nothing():
    far = facing(gap=5.0)
    plan = wc.find_path(far, "B", HIGH, beside={"A": swing(far)})
    assert plan.waits == ()
    assert plan.slowed == 0
    assert plan.duration == pytest.approx(wc.find_path(far, "B", HIGH).duration, rel=2e-2)


def test_a_robot_that_only_has_to_stay_stays(cell):
    plan = wc.find_path(cell, "B", LOW, beside={"A": swing(cell)})
    assert plan.duration == 0.0
    assert plan.proof.free


def test_together_two_arms_need_less_than_one_after_the_other(cell):
    plan = wc.find_paths(cell, {"A": HIGH, "B": HIGH})
    assert plan.proof.free
    assert not touches(cell, plan.motions)
    assert plan.alone - 1e-9 <= plan.duration < plan.in_turn
    assert {one.duration for one in plan.motions.values()} == {plan.duration}
    assert all(np.allclose(one.end, HIGH) for one in plan.motions.values())


def test_the_robot_of_higher_priority_is_not_held_up(cell):
    for first, second in (("A", "B"), ("B", "A")):
        plan = wc.find_paths(cell, {"A": HIGH, "B": HIGH}, priorities=[first, second])
        assert plan.order == (first, second)
        assert plan.plans[first].duration <= plan.plans[second].duration
        assert plan.proof.free
        ranked = wc.find_paths(cell, {"A": HIGH, "B": HIGH}, priorities={first: 1, second: 2})
        assert ranked.motions[second].to_bytes() == plan.motions[second].to_bytes()


def test_a_goal_where_another_one_ends_names_it(cell):
    ends = swing(cell, "A", np.radians([15, 20, -120, 0, 60, 0]))
    with pytest.raises(BlockedByMotion, match="B cannot stay at its goal beside A") as caught:
        wc.find_path(cell, "B", np.radians([15, 20, -120, 0, 60, 0]), beside={"A": ends})
    blocker = caught.value.evidence["blockers"][0]
    assert blocker.robot == "A"
    assert blocker.end == np.inf
    assert blocker.begin == pytest.approx(ends.duration)


def test_bad_input_has_one_line(cell):
    motion = swing(cell)
    for given, kind, text in [
        (lambda: wc.find_path(cell, "B", HIGH, beside={"C": motion}), UnknownName, "C"),
        (lambda: wc.find_path(cell, "B", HIGH, beside={"B": motion}), Refused, "beside itself"),
        (lambda: wc.find_path(cell, "B", HIGH, beside={"A": motion.reversed()}), InvalidValue, "joint 1 at 50°"),
        (lambda: wc.find_path(cell, "B", HIGH, beside={"A": None}), InvalidValue, "must be a Trajectory"),
        (lambda: wc.find_path(cell, "B", [np.nan] * 6, beside={"A": motion}), InvalidValue, "nan|finite|number"),
        (lambda: wc.find_paths(cell, {}), InvalidValue, "no goal"),
        (lambda: wc.find_paths(cell, {"C": HIGH}), UnknownName, "C"),
        (lambda: wc.find_paths(cell, {"A": HIGH, "B": HIGH}, priorities=["C"]), UnknownName, "C"),
        (lambda: wc.find_paths(cell, {"A": HIGH, "B": HIGH}, priorities=["A", "A"]), InvalidValue, "one priority"),
        (lambda: wc.find_paths(cell, {"A": HIGH, "B": HIGH}, priorities={"A": 0.5}), InvalidValue, "whole number"),
    ]:
        with pytest.raises(kind, match=text) as caught:
            given()
        assert "\n" not in str(caught.value)


def test_a_machine_and_its_own_arm_cannot_both_have_goals():
    cell = facing()
    cell.do("create machine Pair of A of B")
    with pytest.raises(Refused, match="A has two goals"):
        wc.find_paths(cell, {"A": HIGH, "Pair": np.concatenate([HIGH, HIGH])})


@pytest.mark.parametrize("seed", range(4))
def test_random_pairs_of_goals_never_touch(seed):
    cell = facing()
    rng = np.random.default_rng(seed)
    goals = {name: LOW + rng.uniform(-1.0, 1.0, 6) * np.radians([100, 25, 25, 40, 40, 40]) for name in "AB"}
    try:
        plan = wc.find_paths(cell, goals, seed=seed, budget=0.3)
    except NoPath:
        return  # an arm may start or end where the other one must pass
    assert plan.proof.free
    assert not touches(cell, plan.motions)


def test_the_soonest_wait_is_as_short_as_the_grid_allows(cell):
    """Shifting the straight swing in fine steps of time shows how long a wait at the start must be at least."""
    motion = swing(cell)
    mine = swing(cell, "B", np.radians([20, 20, -120, 0, 60, 0]))
    shifts = [0.05 * k for k in range(60)]
    free = [s for s in shifts if not touches(cell, {"A": motion, "B": mine.delayed(s) if s else mine}, 400)]
    plan = find_path_beside(
        cell.snapshot(), cell.state, "B", np.radians([20, 20, -120, 0, 60, 0]), {"A": motion}, effort=10_000
    )
    if free:  # going around may be sooner, waiting longer than the least wait is not needed
        assert plan.duration <= mine.duration + free[0] + 0.15


def test_together_is_a_step_that_is_undone_and_replayed(tmp_path):
    path = tmp_path / "two.cell"
    cell = wc.Cell.create(path)
    cell.do("create robot A puma560 joints -50,20,-120,0,60,0")
    cell.do("create robot B puma560 at 1300,0,0 rotate 0,0,180 joints -50,20,-120,0,60,0")
    line = "together find-path A joints 50,20,-120,0,60,0 & find-path B joints 50,20,-120,0,60,0 priority 1"
    before = cell.state
    answer = cell.do(line)
    assert [one.robot for one in answer.moves] == ["A", "B"]
    after = cell.state
    assert "proved" in str(cell.do("check recording"))
    cell.do("undo")
    assert np.array_equal(cell.state.joints["B"], before.joints["B"])
    cell.do("redo")
    assert np.array_equal(cell.state.joints["B"], after.joints["B"])
    cell.do(f'write program both "{line}"')
    cell.do("modify A name Left")
    assert "find-path Left" in str(cell.do("steps both"))
    cell.do("run both")
    assert np.array_equal(cell.state.joints["B"], after.joints["B"])


def test_a_step_goes_beside_what_is_under_way():
    cell = facing()
    cell.do('write program swing "move-joints-absolute A 50,20,-120,0,60,0"')
    cell.do('write program pass "wait 0.2%0Afind-path B joints 50,20,-120,0,60,0 --beside"')
    cell.do("run-together swing pass")
    assert "proved" in str(cell.do("check recording"))
    assert np.allclose(cell.state.joints["B"], HIGH)


def test_holding_one_of_a_plan_holds_all(cell):
    plan = wc.find_paths(cell, {"A": HIGH, "B": HIGH})
    sim = wc.Simulator(facing())
    from workcell.simulation.paths_together import begin_together

    def go(sim):
        with sim.together() as started:
            begin_together(sim, plan)
        yield started.duration

    def hold(sim):
        yield 0.7
        sim.robot("A").hold()
        yield 1.0
        assert (np.abs(sim.robot("B").velocities) < 1e-9).all()
        sim.robot("A").resume()
        yield 0.1

    wc.run(sim, {"go": go, "hold": hold})
    assert np.allclose(sim.robot("B").joints, HIGH)
    from workcell.simulation.proving import prove

    found = prove(sim.recording, collision_model(facing().snapshot(), warn=False))
    assert found.contact is None
    assert not found.undecided


def two_programs():
    cell = facing()
    cell.do('write program left "move-joints-absolute A 50,20,-120,0,60,0%0Ahome A"')
    cell.do('write program right "move-joints-absolute B 50,20,-120,0,60,0%0Await 1%0Ahome B"')
    return cell


def test_check_together_finds_every_conflict_and_changes_nothing():
    cell = two_programs()
    before = cell.state
    answer = cell.do("check together left right")
    assert answer.proved
    assert len(answer.conflicts) > 5
    assert {line for one in answer.conflicts for line in one.lines} >= {("left", 1), ("right", 1), ("left", 2)}
    assert cell.state is before or cell.state == before
    # Independent truth: the pair touches inside its span and not just outside of it.
    cell.do("run-together left right")
    from workcell.collision.check import check

    model = collision_model(cell.snapshot(), warn=False)
    recording = cell.session.recording

    def pairs(t):
        return {frozenset(one.pair) for one in check(model, recording.state_at(t)).contacts}

    for one in answer.conflicts:
        assert frozenset(one.pair) in pairs(0.5 * (one.begin + one.end))
        assert frozenset(one.pair) not in pairs(one.begin - 1e-3)
        assert frozenset(one.pair) not in pairs(one.end + 1e-3)


def test_check_together_proves_programs_that_do_not_meet():
    answer = two_programs().do("check together left")
    assert answer.conflicts == ()
    assert answer.proved
    assert "no conflict" in str(answer)

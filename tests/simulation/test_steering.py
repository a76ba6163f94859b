"""Moves that are held, slowed, stopped and given other targets on their way."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import workcell as wc
from workcell.errors import CollisionStop, InvalidValue, JointLimit, MotionStop, Refused, UnknownName
from workcell.motion.limits import Limits
from workcell.motion.named_profiles import limits_of
from workcell.motion.time_law import PacedMotion
from workcell.motion.trajectory import Trajectory
from workcell.simulation.events import CallbackFailed, GivenUp, RateChanged, SteeringRefused, StoppedAtLimit, Superseded
from workcell.simulation.pieces import Exact
from workcell.simulation.programs import run
from workcell.simulation.recording import Recording
from workcell.spatial.pose import Pose

HOME = "0,0,-90,0,90,0"
PROFILES = ("linear", "345", "trapezoid", "jerk", "time-optimal")


@pytest.fixture(scope="module")
def snapshot():
    with wc.Cell() as cell:
        cell.do(f"create robot A puma560 joints {HOME}")
        cell.do(f"create robot B puma560 joints {HOME} at 3000,0,0")
        cell.do("add solid cube box 50 50 50 at 600,1500,25 --movable")
        yield cell.snapshot()


def at_instants(sim, *steps):
    """A program that does something at each of some instants."""

    def meddle(sim):
        before = 0.0
        for time, action in steps:
            yield time - before
            before = time
            action()

    return meddle


def random_joints(rng, robot):
    low, high = robot.limits.T
    return low + (high - low) * rng.uniform(0.1, 0.9, robot.n)


def seen_limits(robot, speed, jerk):
    found = limits_of(robot, speed)
    return Limits(found.speed, found.acceleration, found.jerk if jerk else None, robot.limits)


def require_continuous(recording, name, jerk, robot):
    """Position, and from the first change on speed (and with limited jerk acceleration), go on where pieces meet."""
    pieces = recording.way(name).pieces
    for one, other in itertools.pairwise(pieces):
        assert isinstance(one, Exact)
        assert other.begin == one.end
        assert np.abs(other.first - one.last).max() == 0.0
        before, after = one.motion, other.motion
        t = one.end - one.since
        if t < before.duration:
            assert np.abs(before.position(t) - after.position(0.0)).max() < 1e-12
            assert np.abs(before.velocity(t) - after.velocity(0.0)).max() < 1e-9
            if jerk:
                assert np.abs(before.acceleration(t) - after.acceleration(0.0)).max() < 1e-6


def supersede_at_random(snapshot, seed, count):
    """Moves of random profiles superseded up to three times at random instants; returns how many were refused."""
    rng = np.random.default_rng(seed)
    refused = done = 0
    while done < count:
        sim = wc.Simulator(snapshot)
        robot = sim.robot("A")
        profile = PROFILES[rng.integers(len(PROFILES))]
        robot.profile(profile)
        goal = random_joints(rng, robot.robot)

        def work(sim, goal=goal):
            yield sim.robot("A").move_joints_absolute(goal)

        targets = [random_joints(rng, robot.robot) for _ in range(3)]
        times = np.sort(rng.uniform(0.01, 1.5, 3)).round(9)
        last = [goal]

        def change(target, sim=sim, robot=robot, last=last):
            nonlocal refused, done
            done += 1
            if "A" not in sim.drives:
                return
            try:
                robot.supersede(target)
                last[0] = target
            except JointLimit:
                refused += 1  # no room to brake; the move goes on

        steps = [(t, lambda target=target: change(target)) for t, target in zip(times.tolist(), targets, strict=True)]
        run(sim, {"work": work, "meddle": at_instants(sim, *steps)})
        recording = Recording.from_bytes(sim.recording.to_bytes())
        assert np.array_equal(sim.state.joints["A"], last[0])
        assert recording.state_at(sim.now) == sim.state
        require_continuous(recording, "A", profile == "jerk", robot.robot)
        limits = seen_limits(robot.robot, math.inf, profile == "jerk")
        for piece in recording.way("A").pieces[1:]:
            made = piece.window(piece.begin, piece.end)
            assert isinstance(made, Trajectory)
            low, high = made.range()
            assert (low >= robot.robot.limits[:, 0] - 1e-9).all()
            assert (high <= robot.robot.limits[:, 1] + 1e-9).all()
            assert (made.max_acceleration() <= limits.acceleration * (1.0 + 1e-9)).all()
            # Above the speed set for the robot it may be while it brakes from a faster move, never above its limits.
            assert (made.max_speed() <= robot.robot.speeds * (1.0 + 1e-9)).all()
    return refused


def test_superseding_at_random_instants_keeps_limits_and_goes_on_smoothly(snapshot):
    supersede_at_random(snapshot, 11, 60)


@pytest.mark.soak
def test_superseding_at_ten_thousand_instants(snapshot):
    refused = supersede_at_random(snapshot, 12, 10_000)
    print(f"superseded at 10,000 random instants, {refused} had no room to brake: limits, ranges and speeds kept")


def meddled_line(snapshot, seed, changes, profile):
    """A straight line of the hand with its rate changed at random instants."""
    rng = np.random.default_rng(seed)
    sim = wc.Simulator(snapshot)
    robot = sim.robot("A")
    robot.profile(profile)
    start = robot.tool_pose
    goal = Pose.from_xyz(-0.15, -0.25, -0.2) @ start

    def work(sim):
        yield robot.move_straight_line(goal, tolerance=1e-7)

    def change(kind):
        if "A" not in sim.drives:
            return
        if sim.drives["A"].rate == 0.0:
            robot.resume()
        elif kind == 0:
            robot.hold()
        else:
            robot.override(float(rng.uniform(1.0, 100.0)))

    times = np.sort(rng.uniform(0.0, 4.0, changes)).round(9).tolist()
    kinds = rng.integers(0, 3, changes).tolist()
    steps = [(time, lambda kind=kind: change(kind)) for time, kind in zip(times, kinds, strict=True)]
    last = (times[-1] + 0.5, sim.resume)
    run(sim, {"work": work, "meddle": at_instants(sim, *steps, last)})
    return sim, start, goal


@pytest.mark.parametrize("profile", PROFILES)
def test_changes_of_the_rate_leave_the_hand_on_its_path(snapshot, profile):
    sim, start, goal = meddled_line(snapshot, 5, 50, profile)
    robot = sim.snapshot.robot("A").robot
    recording = Recording.from_bytes(sim.recording.to_bytes())
    assert recording.state_at(sim.now) == sim.state
    (move,) = recording.moves
    assert len([event for event in recording.events if isinstance(event, RateChanged)]) > 10
    pieces = recording.way("A").pieces
    whole = pieces[0].motion
    peaks = np.maximum(whole.peaks, limits_of(robot, math.inf).acceleration[None])
    jerk = profile == "jerk"
    way = goal.xyz - start.xyz
    length = np.linalg.norm(way)
    for piece in pieces[1:]:
        assert isinstance(piece.motion, PacedMotion)
        assert piece.motion.path == whole  # never expanded, never bent
        assert piece.motion.law.pieces < 200
        times = np.linspace(piece.begin, piece.end, 60)
        hands = robot.fk_batch(piece.at(times))[:, :3, 3] - start.xyz
        off = np.linalg.norm(hands - np.outer(hands @ way / length**2, way), axis=1)
        assert off.max() <= move.deviation + 1e-9
        if piece.motion.duration > 1e-9:
            a = piece.motion.sample(times - piece.since, 2)
            assert (np.abs(a) <= peaks[1] * (1.0 + 1e-6)).all()
        _ = jerk
    require_continuous(recording, "A", False, robot)
    assert np.allclose(robot.fk(sim.state.joints["A"]).xyz, goal.xyz, atol=1e-7)


def test_a_hold_reports_its_delay_and_way_and_stands(snapshot):
    sim = wc.Simulator(snapshot)
    robot = sim.robot("A")
    robot.profile("trapezoid")
    answers = {}

    def work(sim):
        yield robot.move_joints_relative([1.0, 0, 0, 0, 0, 0])
        answers["over"] = sim.time

    def meddle(sim):
        yield 0.4
        answers["hold"] = robot.hold()
        answers["speed"] = robot.velocities[0]
        yield answers["hold"].delay + 1e-6
        answers["stands"] = robot.joints[0]
        yield 5.0
        assert robot.joints[0] == answers["stands"]
        robot.resume()

    run(sim, {"work": work, "meddle": meddle})
    hold, a = answers["hold"], robot.robot.accelerations[0]
    # The closed form of braking: v/a and v²/2a.
    assert hold.delay == pytest.approx(answers["speed"] / a, rel=1e-6)
    assert hold.travel[0] == pytest.approx(answers["speed"] ** 2 / (2 * a), rel=1e-6)
    assert robot.joints[0] == pytest.approx(1.0, abs=0.0)
    assert answers["over"] > 5.4


def test_the_override_holds_for_moves_to_come_and_is_slower_by_its_part(snapshot):
    sim = wc.Simulator(snapshot)
    robot = sim.robot("A")
    full = robot.move_joints_relative([0.5, 0, 0, 0, 0, 0])
    robot.override(50)
    assert robot.move_joints_relative([-0.5, 0, 0, 0, 0, 0]) == pytest.approx(2.0 * full, abs=2e-9)
    sim.override(100)
    assert robot.move_joints_relative([0.5, 0, 0, 0, 0, 0]) == pytest.approx(full, abs=1e-9)
    glide = sim.move_solid("cube", [Pose.from_xyz(0.6, 1.7, 0.025)], speed=0.1)
    sim.override(25, "cube")
    assert sim.move_solid("cube", [Pose.from_xyz(0.6, 1.5, 0.025)], speed=0.1) == pytest.approx(4 * glide, abs=4e-9)


def test_a_solid_is_held_and_goes_on(snapshot):
    sim = wc.Simulator(snapshot)

    def work(sim):
        yield sim.move_solid("cube", [Pose.from_xyz(0.6, 1.7, 0.025)], speed=0.1)

    seen = []

    def meddle(sim):
        yield 0.5
        sim.hold()
        yield 1.0
        seen.append(sim.state.poses["cube"].xyz[1])
        sim.override(50)
        sim.resume()

    ended = run(sim, {"work": work, "meddle": meddle})
    assert seen == [pytest.approx(1.55, abs=1e-12)]
    assert ended["work"] == pytest.approx(1.5 + 1.5 / 0.5, abs=1e-8)
    assert np.allclose(sim.state.poses["cube"].xyz, [0.6, 1.7, 0.025], atol=1e-12)
    again = Recording.from_bytes(sim.recording.to_bytes())
    assert again.state_at(1.0).poses["cube"].xyz[1] == pytest.approx(1.55, abs=1e-12)


def test_a_stop_gives_the_move_up_and_who_waits_knows(snapshot):
    sim = wc.Simulator(snapshot)
    robot = sim.robot("A")
    heard = []

    def work(sim):
        try:
            yield robot.move_joints_relative([1.0, 0, 0, 0, 0, 0])
        except MotionStop as error:
            heard.append(str(error))
            yield robot.move_joints_relative([-0.1, 0, 0, 0, 0, 0])

    run(sim, {"work": work, "meddle": at_instants(sim, (0.2, robot.stop))})
    assert len(heard) == 1
    assert "A was stopped on its way at 0.2000 s" in heard[0]
    assert [type(event) for event in sim.recording.events].count(GivenUp) == 1
    with pytest.raises(Refused, match="A is at rest; there is no move to hold"):
        robot.hold()
    for wrong in (0, 0.5, 101, math.nan, "fast"):
        with pytest.raises(InvalidValue, match="An override must be from 1 to 100 %"):
            robot.override(wrong)


def test_an_emergency_stop_is_the_soonest_that_limits_allow(snapshot):
    sim = wc.Simulator(snapshot)
    robot = sim.robot("A")
    robot.profile("trapezoid")
    found = []

    def work(sim):
        with pytest.raises(MotionStop, match="emergency stop"):
            yield robot.move_joints_relative([1.0, 0.6, 0, 0, 0, 0])

    def stop():
        v = np.abs(robot.velocities)
        (steered,) = sim.emergency_stop()
        found.append((steered.delay, (v / robot.robot.accelerations).max()))

    run(sim, {"work": work, "meddle": at_instants(sim, (0.35, stop))})
    assert found[0][0] == pytest.approx(found[0][1], abs=2e-9)


def test_a_move_of_the_hand_stops_on_its_line_before_it_goes_elsewhere(snapshot):
    sim = wc.Simulator(snapshot)
    robot = sim.robot("A")
    robot.profile("trapezoid")
    start = robot.tool_pose
    goal = Pose.from_xyz(-0.15, -0.25, -0.2) @ start

    def work(sim):
        yield robot.move_straight_line(goal)

    target = robot.joints + 0.1
    ended = run(sim, {"work": work, "meddle": at_instants(sim, (0.3, lambda: robot.supersede(target)))})
    assert np.array_equal(robot.joints, target)
    assert ended["work"] == sim.time
    kinds = [type(piece.motion) for piece in sim.recording.way("A").pieces]
    assert kinds == [Trajectory, PacedMotion, Trajectory]
    line = sim.recording.way("A").pieces[1]
    way, hands = goal.xyz - start.xyz, robot.robot.fk_batch(line.at(np.linspace(line.begin, line.end, 50)))
    off = hands[:, :3, 3] - start.xyz
    assert np.linalg.norm(np.cross(off, way), axis=1).max() / np.linalg.norm(way) < 2e-6
    assert [type(event) for event in sim.recording.events].count(Superseded) == 1


def test_a_robot_that_stops_before_it_goes_elsewhere_can_be_held_and_slowed(snapshot):
    def made(*changes):
        sim = wc.Simulator(snapshot)
        robot = sim.robot("A")
        robot.profile("trapezoid")
        goal, target = Pose.from_xyz(-0.15, -0.25, -0.2) @ robot.tool_pose, robot.joints + 0.1

        def work(sim):
            yield robot.move_straight_line(goal)

        steps = [(0.3, lambda: robot.supersede(target)), *((at, lambda do=do: do(robot)) for at, do in changes)]
        ended = run(sim, {"work": work, "meddle": at_instants(sim, *steps)})["work"]
        assert np.array_equal(robot.joints, target)
        require_continuous(sim.recording, "A", False, robot.robot)
        return ended

    plain = made()
    # Held while it brakes, it stays where it comes to rest until it may go on.
    assert made((0.31, lambda robot: robot.hold()), (2.0, lambda robot: robot.resume())) > 2.0
    assert made((0.31, lambda robot: robot.override(50))) > plain


@pytest.mark.parametrize("change", ["track", "emergency_stop", "stop", "supersede"])
def test_nothing_follows_where_a_robot_that_stops_first_is_changed_again(snapshot, change):
    sim = wc.Simulator(snapshot)
    robot = sim.robot("A")
    robot.profile("trapezoid")
    goal, start = Pose.from_xyz(-0.15, -0.25, -0.2) @ robot.tool_pose, robot.joints

    def work(sim):
        try:
            yield robot.move_straight_line(goal)
        except MotionStop:
            assert change in ("stop", "emergency_stop")

    again = getattr(robot, change)
    other = (lambda: again(start - 0.05)) if change in ("track", "supersede") else again
    run(sim, {"work": work, "meddle": at_instants(sim, (0.3, lambda: robot.supersede(start + 0.1)), (0.31, other))})
    require_continuous(sim.recording, "A", False, robot.robot)
    assert sim.recording.way("A").jumps() == []
    assert not np.allclose(robot.joints, start + 0.1)
    if change in ("track", "supersede"):
        assert np.array_equal(robot.joints, start - 0.05)


def test_a_stop_is_not_undone(snapshot):
    for again in ("resume", "hold", "override"):
        sim = wc.Simulator(snapshot)
        robot = sim.robot("A")
        heard = []

        def work(sim, robot=robot, heard=heard):
            try:
                yield robot.move_joints_relative([1.0, 0, 0, 0, 0, 0])
            except MotionStop as error:
                heard.append(error)

        def undo(robot=robot, again=again):
            if again == "override":
                robot.override(50)
            else:
                with pytest.raises(Refused, match="A was stopped and comes to rest"):
                    getattr(robot, again)()

        run(sim, {"work": work, "meddle": at_instants(sim, (0.4, robot.stop), (0.41, undo))})
        assert len(heard) == 1
        assert robot.joints[0] < 0.9


def test_everything_is_held_also_where_one_follows_the_other(snapshot):
    with wc.Cell() as cell:
        for name, x in (("a", 0), ("b", -200)):
            cell.do(f"add solid {name} box 50 50 50 at {x},1500,25 --movable")
        cell.do("watch yes")
        sim = wc.Simulator(cell)

    def go(name, x):
        def program(sim):
            yield sim.move_solid(name, [Pose.from_xyz(x, 1.5, 0.025)], speed=0.1)

        return program

    seen = []
    look = [(2.0, sim.hold), (4.0, lambda: seen.append([sim.state.poses[n].xyz[0] for n in "ab"])), (4.5, sim.resume)]
    run(sim, {"a": go("a", 1.0), "b": go("b", 0.8), "meddle": at_instants(sim, *look)})
    assert seen == [pytest.approx([0.2, 0.0], abs=1e-9)]


def test_what_a_robot_answers_cannot_be_written_to_and_late_clocks_go_on(snapshot):
    sim = wc.Simulator(snapshot)
    robot = sim.robot("A")
    refused = []

    def look(sim):
        for values in (robot.joints, robot.velocities):
            with pytest.raises(ValueError, match="read-only"):
                values += 1.0
            refused.append(True)

    sim.every(0.05, look, phase=0.05)
    robot.move_joints_relative([0.3, 0, 0, 0, 0, 0])
    assert refused
    late = wc.Simulator(snapshot)
    late.wait(4497809.0)
    late.wait(0.287883555)
    late.robot("A").move_joints_relative([0.3, 0, 0, 0, 0, 0])
    for odd in (1e300, 1e18, math.nan, True):

        def program(sim, odd=odd):
            yield odd

        with pytest.raises(InvalidValue, match="a program can wait for zero to"):
            run(wc.Simulator(snapshot), {"program": program})


def test_an_emergency_stop_that_leaves_a_range_says_so(snapshot):
    sim = wc.Simulator(snapshot)
    robot = sim.robot("A")
    robot.profile("linear")
    low = robot.robot.limits[0, 0]

    def work(sim):
        with pytest.raises(MotionStop):
            yield robot.move_joints_absolute([low, 0, -math.pi / 2, 0, math.pi / 2, 0])

    # Just before the end of a move of constant speed there is no room to brake.
    took = abs(low) / min(robot.robot.speeds[0], robot.settings[0])
    run(sim, {"work": work, "meddle": at_instants(sim, (round(took - 0.01, 9), robot.emergency_stop))})
    (stop,) = [event for event in sim.recording.events if isinstance(event, StoppedAtLimit)]
    assert (stop.robot, stop.joint, stop.limit) == ("A", 1, "position")


@pytest.mark.parametrize("method", ["yes", "certified"])
def test_a_watched_robot_refuses_a_target_behind_a_post_and_goes_on(method):
    with wc.Cell() as cell:
        cell.do(f"create robot A puma560 joints {HOME}")
        cell.do("add solid post cylinder 20 900 at 350,-500,500")
        cell.do(f"watch {method}")
        sim = wc.Simulator(cell)
    robot = sim.robot("A")
    robot.profile("trapezoid")
    start, found = robot.joints, []

    def work(sim):
        yield robot.move_joints_relative([0.4, 0, 0, 0, 0, 0])

    turned = start + np.array([-2.0, 0, 0, 0, 0, 0])
    run(sim, {"work": work, "meddle": at_instants(sim, (0.2, lambda: found.append(robot.supersede(turned))))})
    assert "post would touch" in found[0].refused
    assert robot.joints[0] == start[0] + 0.4
    assert [type(event) for event in sim.recording.events].count(SteeringRefused) == 1
    with pytest.raises(CollisionStop):
        robot.move_joints_absolute(turned)


@pytest.mark.parametrize("method", ["yes", "certified"])
def test_watched_moves_are_held_slowed_and_stopped(method):
    with wc.Cell() as cell:
        cell.do(f"create robot A puma560 joints {HOME}")
        cell.do("add solid post cylinder 20 900 at 350,-500,500")
        cell.do(f"watch {method}")
        snapshot = cell.snapshot()
    for act in ("hold", "override", "stop", "emergency_stop"):
        sim = wc.Simulator(snapshot)
        robot = sim.robot("A")
        heard = []

        def work(sim, robot=robot, heard=heard):
            try:
                yield robot.move_joints_relative([0.6, 0, 0, 0, 0, 0])
            except MotionStop as error:
                heard.append(error)

        change = (lambda robot=robot: robot.override(50)) if act == "override" else getattr(robot, act)
        later = [(3.0, robot.resume)] if act == "hold" else []
        run(sim, {"work": work, "meddle": at_instants(sim, (0.4, change), *later)})
        assert len(heard) == (act in ("stop", "emergency_stop"))
        (move,) = sim.recording.moves
        times = np.linspace(0.0, sim.now, 4001)
        seen = np.abs(np.diff(sim.recording.joints_at(times)["A"][:, 0]) / np.diff(times)).max()
        assert move.peaks[0] == pytest.approx(seen, rel=2e-3)  # what was reached, not what was planned


def test_set_points_and_new_targets_keep_the_override(snapshot):
    sim = wc.Simulator(snapshot)
    robot = sim.robot("A")
    full = robot.limits.speed[0]
    robot.override(20)
    start = robot.joints
    ticks = sim.every(0.01, lambda sim: robot.track(start + np.array([0.3, 0, 0, 0, 0, 0])))
    sim.wait(1.0)
    ticks.cancel()
    assert 0.19 * full < robot.velocities[0] <= 0.2 * full * (1 + 1e-9)


def test_a_callback_holds_past_the_planned_end_begins_moves_and_never_waits(snapshot):
    sim = wc.Simulator(snapshot)
    robot, other = sim.robot("A"), sim.robot("B")
    refused = []

    def meddle(sim):
        if sim.time == 0.2:
            robot.hold()
            other.move_joints_relative([0.5, 0, 0, 0, 0, 0])
        elif sim.time == 3.0:
            robot.resume()
        for wrong in (lambda: sim.wait(0.1), lambda: run(sim, {})):
            with pytest.raises(Refused, match="A callback cannot") as found:
                wrong()
            refused.append(found)

    sim.every(0.1, meddle)
    robot.move_joints_relative([1.0, 0, 0, 0, 0, 0])
    assert sim.time > 3.0
    assert (robot.joints[0], other.joints[0]) == (1.0, 0.5)
    assert [event for event in sim.recording.events if isinstance(event, CallbackFailed)] == []
    with pytest.raises(UnknownName, match="Pumma"):
        sim.every(0.1, meddle, device="Pumma")


# ---- callbacks --------------------------------------------------------------------------------------------


def test_two_thousand_ticks_end_on_the_nanosecond_and_change_nothing_for_others(snapshot):
    def driven(ticks):
        sim = wc.Simulator(snapshot)
        seen = []
        if ticks:
            sim.every(1e-3, lambda sim: seen.append(sim.time_ns), phase=1e-3)

        def work(sim):
            yield sim.robot("B").move_joints_relative([0.4, -0.2, 0.1, 0.3, -0.2, 0.5])
            yield sim.robot("B").move_joints_relative([-0.4, 0.2, -0.1, -0.3, 0.2, -0.5])

        run(sim, {"work": work})
        sim.wait(2.0 - sim.time)
        return sim, seen

    plain, _ = driven(False)
    looked, seen = driven(True)
    assert seen == [k * 1_000_000 for k in range(1, 2001)]
    assert looked.time == plain.time == 2.0
    assert looked.recording.to_bytes() == plain.recording.to_bytes()


def test_set_points_are_followed_within_limits(snapshot):
    sim = wc.Simulator(snapshot)
    robot = sim.robot("A")
    start, accepted = robot.joints, []

    def control(sim):
        goal = start + 0.3 * np.sin(2.0 * sim.time) * np.array([1.0, 0.5, 0, 0, 0, 1.0])
        accepted.append(robot.track(goal))

    ticking = sim.every(10e-3, control)
    sim.wait(1.5)
    ticking.cancel()
    sim.wait(2.0)
    assert all(accepted)
    assert len(accepted) == 151
    recording = sim.recording
    assert {move.kind for move in recording.moves} == {"track"}
    require_continuous(recording, "A", True, robot.robot)
    limits = limits_of(robot.robot, math.inf)
    for piece in recording.way("A").pieces:
        made = piece.window(piece.begin, piece.end)
        assert (made.max_acceleration() <= limits.acceleration * (1 + 1e-9)).all()
        assert (made.max_jerk() <= limits.jerk * (1 + 1e-6)).all()
    with pytest.raises(InvalidValue):
        robot.track([math.nan] * 6)
    with pytest.raises(JointLimit):
        robot.track([9.0, 0, 0, 0, 0, 0])


def test_a_callback_that_fails_stops_its_device_and_the_recording_stays_whole(snapshot):
    sim = wc.Simulator(snapshot)
    a, b = sim.robot("A"), sim.robot("B")
    ends = {}

    def broken(sim):
        if sim.time >= 0.2:
            raise ValueError("no idea")

    ticking = sim.every(0.1, broken, device="A", name="guide")

    def first(sim):
        try:
            yield a.move_joints_relative([1.0, 0, 0, 0, 0, 0])
        except MotionStop as error:
            ends["A"] = str(error)

    def second(sim):
        yield b.move_joints_relative([1.0, 0, 0, 0, 0, 0])
        ends["B"] = sim.time

    run(sim, {"first": first, "second": second})
    assert "callback guide failed (no idea)" in ends["A"]
    assert a.joints[0] < 1.0
    assert b.joints[0] == 1.0
    assert ticking.over
    assert ticking.calls == 3
    (failed,) = [event for event in sim.recording.events if isinstance(event, CallbackFailed)]
    assert (failed.time, failed.name, failed.device) == (0.2, "guide", "A")
    assert Recording.from_bytes(sim.recording.to_bytes()).state_at(sim.now) == sim.state


def test_a_callback_that_takes_for_ever_is_ended(snapshot, monkeypatch):
    from workcell.simulation import recurring

    monkeypatch.setattr(recurring, "LONGEST", 0.2)
    sim = wc.Simulator(snapshot)
    sim._watchdog = recurring.Watchdog(0.2)

    def endless(sim):
        while True:
            pass

    ticking = sim.every(0.1, endless, name="endless")
    sim.wait(1.0)
    assert ticking.over
    (failed,) = [event for event in sim.recording.events if isinstance(event, CallbackFailed)]
    assert "took more than 0.2 s" in failed.reason
    for period in (0.0, -1.0, math.nan, math.inf, "fast"):
        with pytest.raises(InvalidValue):
            sim.every(period, endless)
    with pytest.raises(InvalidValue, match="A callback is a function"):
        sim.every(1.0, 3)

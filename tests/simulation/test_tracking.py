"""Moves that track a belt: parts are met where they will be, gripped while both move, and put elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pytest

import workcell as wc
from workcell.errors import MotionStop, Refused, Unreachable
from workcell.simulation.event_text import text_of
from workcell.simulation.events import GraspMissed, TrackingChanged, TrackingEnded, TrackingMet
from workcell.simulation.programs import run
from workcell.spatial.pose import Pose

DOWN = Pose.from_axis_angle((0, 1, 0), math.pi)
HOVER, GRASP = Pose.from_xyz(0, 0, 0.12) @ DOWN, Pose.from_xyz(0, 0, 0.005) @ DOWN
TOP = 0.1
"""How high the belt is [m]."""


def a_cell(*lines: str, parts: int = 1, gap: float = 0.3) -> wc.Cell:
    """A Puma beside a belt that runs along x, with parts on it."""
    cell = wc.Cell()
    cell.do("create robot Puma puma560 joints 90,0,-90,0,90,0")
    cell.do("speed Puma 4rad/s")
    cell.do("add conveyor Belt 6000 at -5000,500,-600")
    for k in range(parts):
        cell.do(f"add solid part{k} box 30 30 40 at {-350 - 1e3 * gap * k:g},500,120 --movable")
        cell.do(f"ride part{k} on Belt")
    for line in lines:
        cell.do(line)
    return cell


def a_simulator(cell: wc.Cell) -> wc.Simulator:
    return wc.Simulator(cell, state=cell.session.state)


def pick(robot, part: str) -> None:
    robot.move_end_effector(HOVER, point="grip", on=part)
    robot.move_straight_line(GRASP, point="grip", on=part)
    robot.close_gripper()


def events(sim, kind):
    return [event for event in sim.recording.events if isinstance(event, kind)]


def off(recording, snapshot, robot: str, times, wanted) -> tuple[float, float]:
    """How far a grip point is at most from where it should be, by forward kinematics of a recording."""
    placed = snapshot.robot(robot)
    worst = np.zeros(2)
    for time in times:
        state = recording.state_at(float(time))
        hand = snapshot.base_pose(state, robot) @ placed.robot.fk(state.joints[robot])
        grip = hand @ placed.robot.X_flange_tool.inverse() @ placed.robot.gripper.X_flange_grip
        worst = np.maximum(worst, wanted(state).distance(grip))
    return float(worst[0]), float(worst[1])


@pytest.mark.parametrize("watch", ["no", "yes", "certified"])
def test_a_part_is_met_taken_and_lifted_while_the_belt_runs(watch):
    sim = a_simulator(a_cell(f"watch {watch}"))
    sim.conveyor("Belt").run(0.2)
    puma = sim.robot("Puma")
    pick(puma, "part0")
    taken = sim.time
    met = [event.time for event in events(sim, TrackingMet)]
    assert len(met) == 2
    (miss,) = events(sim, GraspMissed)
    assert (miss.part, miss.of) == ("part0", "part")
    assert miss.distance < 1e-6
    assert miss.angle < 1e-5
    puma.move_hand(Pose.from_xyz(0, 0, 0.1), frame="world")
    puma.move_joints_absolute([1.5, 0.0, -1.57, 0.0, 1.57, 0.0])
    assert puma.holds == "part0"
    assert "Belt" in sim.drives
    # Between the second meeting and the grip the hand is where it should be, at every instant.
    times = np.linspace(met[1], taken, 200)
    worst = off(sim.recording, sim.snapshot, "Puma", times, lambda s: sim.snapshot.body_pose(s, "part0") @ GRASP)
    assert worst[0] < 1.1e-6
    assert worst[1] < 1e-5


def test_with_the_speed_of_a_new_cell_a_part_is_met_hardly_later_than_where_it_would_rest():
    cell = a_cell()
    cell.do("speed Puma 54deg/s")
    sim = a_simulator(cell)
    sim.conveyor("Belt").run(0.25)
    puma = sim.robot("Puma")
    start = puma.joints
    pick(puma, "part0")
    met = events(sim, TrackingMet)[0].time
    travel = np.abs(sim.recording.state_at(met).joints["Puma"] - start).max()
    assert met < travel / math.radians(54.0) + 0.3
    (miss,) = events(sim, GraspMissed)
    assert miss.distance < 1e-6


def test_position_and_speed_are_continuous_from_move_to_move():
    sim = a_simulator(a_cell())
    sim.conveyor("Belt").run(0.2)
    puma = sim.robot("Puma")
    pick(puma, "part0")
    puma.move_hand(Pose.from_xyz(0, 0, 0.1), frame="world")
    puma.move_end_effector(Pose.from_xyz(0.3, 0.4, 0.4) @ DOWN)
    way = sim.recording.way("Puma")
    h = 1e-5
    times = np.arange(2 * h, sim.time - 2 * h, 7e-4)
    rows = np.stack([way.at(times + k * h) for k in (-2, -1, 0, 1, 2)])
    speeds = (rows[3] - rows[1]) / (2 * h)
    assert np.abs(np.diff(speeds, axis=0)).max() < 11.0 * 7e-4  # no joint accelerates faster than that
    marks = [move.end for move in sim.recording.moves if move.device == "Puma"][:-1]
    before, after = (np.array([(way.one(m + k + h) - way.one(m + k - h)) / (2 * h) for m in marks]) for k in (-h, h))
    assert np.abs(after - before).max() < 1e-3


def test_a_belt_that_runs_up_meanwhile_is_met_where_it_will_be():
    cell = a_cell()
    sim = a_simulator(cell)
    puma = sim.robot("Puma")
    puma.move_end_effector(Pose.from_xyz(-0.2, 0.5, 0.3) @ DOWN, point="grip")
    sim.conveyor("Belt").run(0.25)
    pick(puma, "part0")
    (miss,) = events(sim, GraspMissed)
    assert miss.distance < 1e-6


def test_a_place_on_the_belt_is_one_in_its_own_frame_or_in_the_world_at_a_reading():
    sim = a_simulator(a_cell())
    sim.conveyor("Belt").run(0.1)
    puma = sim.robot("Puma")
    sim.wait(1.0)
    then, reading = sim.snapshot.body_pose(sim.state, "part0"), float(sim.joints_of("Belt")[0])
    sim.wait(0.5)
    puma.move_end_effector(then @ HOVER, point="grip", on="Belt", when=reading)
    now = sim.snapshot.body_pose(sim.state, "part0")
    assert max((now @ HOVER).distance(puma.grip_pose)) < 1e-6
    X_belt_part = Pose.from_xyz(4.65, 0.0, 0.72)  # as the part was placed, seen from the belt at reading zero
    puma.move_straight_line(X_belt_part @ HOVER @ Pose.from_xyz(0, 0, 0.03), point="grip", on="Belt")
    now = sim.snapshot.body_pose(sim.state, "part0")
    assert max((now @ HOVER @ Pose.from_xyz(0, 0, 0.03)).distance(puma.grip_pose)) < 1e-6


def test_an_arm_that_is_left_alone_follows_until_its_reach_ends_and_rests():
    sim = a_simulator(a_cell())
    sim.conveyor("Belt").run(0.3)
    puma = sim.robot("Puma")
    puma.move_end_effector(HOVER, point="grip", on="part0")
    sim.wait(8.0)
    assert "Puma" not in sim.drives
    (ended,) = events(sim, TrackingEnded)
    assert ended.reason in ("reach", "range", "speed", "acceleration")
    assert "stops tracking part0 and comes to rest at (" in text_of(ended)
    times = np.linspace(events(sim, TrackingMet)[0].time, ended.time - 1e-6, 100)
    worst = off(sim.recording, sim.snapshot, "Puma", times, lambda s: sim.snapshot.body_pose(s, "part0") @ HOVER)
    assert worst[0] < 1.1e-6
    puma.move_joints_absolute([1.5, 0.0, -1.57, 0.0, 1.57, 0.0])


def test_an_arm_that_follows_longer_than_was_planned_goes_on():
    sim = a_simulator(a_cell())
    sim.conveyor("Belt").run(0.02)
    puma = sim.robot("Puma")
    puma.move_end_effector(HOVER, point="grip", on="part0")
    begin = sim.time
    sim.wait(15.0)
    assert sim.drives["Puma"].planned.kind == "follow"
    worst = off(
        sim.recording, sim.snapshot, "Puma", np.linspace(begin, sim.time, 200),
        lambda s: sim.snapshot.body_pose(s, "part0") @ HOVER,
    )  # fmt: skip
    assert worst[0] < 1.1e-6


@pytest.mark.parametrize("watch", ["no", "yes"])
@pytest.mark.parametrize("change", ["slower", "stop", "hold", "faster", "back"])
def test_an_arm_follows_a_belt_that_does_something_else(change, watch):
    sim = a_simulator(a_cell(f"watch {watch}"))
    belt = sim.conveyor("Belt")
    belt.run(0.15)
    puma = sim.robot("Puma")
    puma.move_end_effector(HOVER, point="grip", on="part0")
    puma.move_straight_line(GRASP, point="grip", on="part0")
    before = puma.velocities
    if change == "hold":
        sim.hold("Belt")
    elif change == "stop":
        belt.stop()
    else:
        belt.run({"slower": 0.05, "faster": 0.22, "back": -0.1}[change])
    sim.wait(1e-6)
    assert np.abs(puma.velocities - before).max() < 1e-4
    (changed,) = events(sim, TrackingChanged)
    assert 0.0 <= changed.delay < 1.0
    sim.wait(changed.delay + 0.5)
    now = sim.snapshot.body_pose(sim.state, "part0") @ GRASP
    assert max(now.distance(puma.grip_pose)) < 2e-6
    assert not events(sim, TrackingEnded)
    puma.close_gripper()
    puma.move_hand(Pose.from_xyz(0, 0, 0.1), frame="world")
    assert puma.holds == "part0"


def test_a_belt_that_changes_on_the_way_there_is_met_all_the_same():
    sim = a_simulator(a_cell())
    belt, puma = sim.conveyor("Belt"), sim.robot("Puma")

    def work(sim):
        belt.run(0.2)
        yield puma.move_end_effector(HOVER, point="grip", on="part0")
        now = sim.snapshot.body_pose(sim.state, "part0") @ HOVER
        assert max(now.distance(puma.grip_pose)) < 2e-6

    def meddle(sim):
        yield 0.3
        belt.run(0.1)

    run(sim, {"work": work, "meddle": meddle})
    assert len(events(sim, TrackingChanged)) == 1


@pytest.mark.parametrize("straight", [False, True])
def test_a_meeting_planned_anew_keeps_the_speed_of_the_robot(straight):
    sim = a_simulator(a_cell("speed Puma 60deg/s"))
    belt, puma = sim.conveyor("Belt"), sim.robot("Puma")

    def work(sim):
        belt.run(0.05)
        move = puma.move_straight_line if straight else puma.move_end_effector
        yield move(HOVER, point="grip", on="part0")
        now = sim.snapshot.body_pose(sim.state, "part0") @ HOVER
        assert max(now.distance(puma.grip_pose)) < 1e-5

    def meddle(sim):
        for speed in (0.1, 0.0, 0.08):
            yield 0.2
            belt.run(speed)

    run(sim, {"work": work, "meddle": meddle})
    assert len(events(sim, TrackingChanged)) == 3
    times = np.linspace(0.0, events(sim, TrackingMet)[0].time, 3000)
    speeds = np.diff([sim.recording.state_at(t).joints["Puma"] for t in times], axis=0) / np.diff(times)[:, None]
    assert np.abs(speeds).max() < math.radians(60.0) * (1 + 1e-6)


@pytest.mark.parametrize("late", [0.1, 0.3, 0.5])
def test_a_belt_that_starts_during_a_descent_delays_it_little(late, monkeypatch):
    from workcell.motion.tracking_hand import TrackingHand

    calls: list[float] = []
    led = TrackingHand.led
    monkeypatch.setattr(TrackingHand, "led", lambda *a, **k: calls.append(0.0) or led(*a, **k))
    took: list[float] = []
    for speed in (0.0, 0.1):
        sim = a_simulator(a_cell("speed Puma 54deg/s"))
        belt, puma = sim.conveyor("Belt"), sim.robot("Puma")
        puma.move_end_effector(HOVER, point="grip", on="part0")
        calls.clear()

        def work(sim, puma=puma):
            began = sim.time
            yield puma.move_straight_line(GRASP, point="grip", on="part0")
            took.append(sim.time - began)

        def meddle(sim, belt=belt, speed=speed):
            yield late
            belt.run(speed)

        run(sim, {"work": work, "meddle": meddle})
        assert not events(sim, TrackingEnded)
        assert len(calls) < 250, "the search for a meeting is bounded"
    assert took[1] < 1.5 * took[0] + 0.1


def test_an_arm_waits_on_a_belt_that_stands_and_starts_with_it():
    sim = a_simulator(a_cell())
    puma = sim.robot("Puma")
    puma.move_end_effector(HOVER, point="grip", on="part0")
    sim.wait(1.0)
    sim.conveyor("Belt").run(0.1)
    sim.wait(2.0)
    now = sim.snapshot.body_pose(sim.state, "part0") @ HOVER
    assert max(now.distance(puma.grip_pose)) < 2e-6


def test_a_held_arm_leaves_the_belt_and_comes_to_rest():
    sim = a_simulator(a_cell())
    sim.conveyor("Belt").run(0.1)
    puma = sim.robot("Puma")
    puma.move_end_effector(HOVER, point="grip", on="part0")
    held = puma.hold()
    assert held.delay > 0.0
    sim.wait(1.0)
    assert "Puma" not in sim.drives
    (ended,) = events(sim, TrackingEnded)
    assert "it was held" in text_of(ended)
    puma.move_hand(Pose.from_xyz(0, 0, 0.05), frame="world")


def test_a_meeting_that_is_held_is_given_up():
    sim = a_simulator(a_cell())
    puma = sim.robot("Puma")
    messages = []

    def work(sim):
        sim.conveyor("Belt").run(0.1)
        try:
            yield puma.move_end_effector(HOVER, point="grip", on="part0")
        except MotionStop as stop:
            messages.append(str(stop))

    def meddle(sim):
        yield 0.3
        assert not puma.override(50).refused
        puma.hold()

    run(sim, {"work": work, "meddle": meddle})
    assert "it was held on its way to part0" in messages[0]


def test_a_slow_arm_leaves_a_belt_in_its_own_time():
    sim = a_simulator(a_cell())
    sim.conveyor("Belt").run(0.02)
    puma = sim.robot("Puma")
    puma.move_end_effector(HOVER, point="grip", on="part0")
    puma.speed(0.06)
    goal = Pose.from_xyz(0.3, 0.0, 0.1) @ puma.grip_pose
    assert puma.move_straight_line(goal, point="grip") > 6.0
    assert max(goal.distance(puma.grip_pose)) < 2e-6


def test_an_emergency_stop_and_a_new_target_leave_the_belt():
    sim = a_simulator(a_cell())
    sim.conveyor("Belt").run(0.1)
    puma = sim.robot("Puma")
    puma.move_end_effector(HOVER, point="grip", on="part0")
    puma.supersede([1.5, 0.0, -1.57, 0.0, 1.57, 0.0])
    sim.wait(3.0)
    assert np.abs(puma.joints - [1.5, 0.0, -1.57, 0.0, 1.57, 0.0]).max() < 1e-9
    puma.move_end_effector(HOVER, point="grip", on="part0")
    puma.emergency_stop()
    sim.wait(1.0)
    assert "Puma" not in sim.drives


def test_what_cannot_be_is_refused_in_one_sentence():
    sim = a_simulator(a_cell())
    puma = sim.robot("Puma")
    sim.conveyor("Belt").run(0.3)
    with pytest.raises(Unreachable, match=r"Puma cannot meet this place on Belt: it is out of reach for the next 60 s"):
        puma.move_end_effector(Pose.from_xyz(5.0, 2.0, 1.0), on="Belt")
    with pytest.raises(Unreachable, match=r"it is in reach until \d\.\d+ s from now, at \(.*\) mm, and "):
        puma.move_end_effector(Pose.from_xyz(0.55, 0.5, 0.2) @ DOWN, on="Belt", when=float(sim.joints_of("Belt")[0]))
    with pytest.raises(Refused, match="cannot follow itself"):
        puma.move_end_effector(HOVER, on="Puma")
    with pytest.raises(Refused, match="has no reading of its own"):
        puma.move_end_effector(HOVER, on="part0", when=0.1)
    with pytest.raises(wc.errors.InvalidValue, match="name the belt with `on`"):
        puma.move_end_effector(HOVER, when=0.1)
    with pytest.raises(wc.errors.InvalidValue, match="must be a finite number"):
        puma.move_end_effector(HOVER, on="Belt", when=math.nan)
    with pytest.raises(Unreachable, match="the speed set for the hand is too low for that"):
        puma.move_straight_line(HOVER, point="grip", on="part0", hand_speed=0.1)
    with pytest.raises(Refused, match="cannot be made in steps"):
        puma.move_straight_line(HOVER, on="part0", step=0.01)
    with pytest.raises(wc.errors.WorkcellError, match="nobody"):
        puma.move_end_effector(HOVER, on="nobody")
    assert "Puma" not in sim.drives
    puma.move_end_effector(HOVER, point="grip", on="part0")
    with pytest.raises(Refused, match="Puma follows part0 and is in motion; use a joint move"):
        puma.move_path([Pose.from_xyz(0.3, 0.4, 0.4) @ DOWN])
    puma.move_straight_line(GRASP, point="grip", on="part0")
    puma.close_gripper()
    with pytest.raises(Refused, match="Puma itself holds part0"):
        puma.move_end_effector(HOVER, on="part0")


def on_a_rail(*lines: str) -> wc.Cell:
    cell = wc.Cell()
    for line in ("add conveyor Belt 2000 at -1000,0,0", "add rail track 3000 at -1500,-700,0",
                 "create robot One irb1600 joints 90,-20,0,0,60,0", "mount One on track", "set joints track 1500",
                 "keep state", *lines):  # fmt: skip
        cell.do(line)
    return cell


PLACE = "1000,-200,820 euler fanuc_wpr 180,0,90 on Belt"


@pytest.mark.parametrize("late", [0.5, 2.5])
def test_a_rail_that_moves_under_an_arm_ends_its_tracking(late):
    cell = on_a_rail()
    meet = f"move-end-effector One {PLACE}\nwait 2"
    cell.do(
        f"program a\nrun-conveyor Belt 50mm/s\nparallel\n{meet}\nand\nwait {late}\nmove-joints-relative track 200\nend\nend"
    )
    if late < 1.0:
        with pytest.raises(MotionStop, match="track, which carries One, moves"):
            cell.do("run a")
    else:
        cell.do("run a")
    recording, snapshot = cell.session.recording, cell.snapshot()
    (ended,) = [event for event in recording.events if isinstance(event, TrackingEnded)]
    assert ended.time == pytest.approx(late)
    assert "track, which carries One, moves" in text_of(ended)
    assert len([event for event in recording.events if isinstance(event, TrackingMet)]) == (late > 1.0)
    times = np.linspace(0.0, recording.end, 4000)
    q = np.array([recording.state_at(time).joints["One"] for time in times])
    step = times[1]
    top = snapshot.robot("One").robot
    assert (np.abs(np.diff(q, axis=0)) <= top.speeds * step * 1.001).all()
    assert (np.abs(np.diff(q, 2, axis=0)) <= top.accelerations * step**2 * 1.01 + 1e-9).all()


def test_what_carries_an_arm_is_not_put_elsewhere_while_it_tracks():
    cell = on_a_rail("run-conveyor Belt 50mm/s", f"move-end-effector One {PLACE}")
    with pytest.raises(Refused, match="One, which track carries, tracks Belt"):
        cell.do("set joints track 1300")
    cell.do("wait 0.5")
    assert not [event for event in cell.session.recording.events if isinstance(event, TrackingEnded)]
    cell.do("stop-motion One")
    cell.do("wait 1")
    cell.do("set joints track 1300")


def test_an_arm_on_a_rail_that_moves_meets_nothing():
    sim = wc.Simulator(on_a_rail())

    def slide(sim):
        yield sim.robot("track").move_joints_relative([0.1])

    def meet(sim):
        yield 0.05
        with pytest.raises(Refused, match="One cannot track Belt: track, which carries One, moves"):
            sim.robot("One").move_end_effector(Pose.from_xyz(1, -0.2, 0.82) @ DOWN, on="Belt")

    run(sim, {"slide": slide, "meet": meet})


def test_an_edit_ends_the_following_and_says_so():
    cell = a_cell(
        "run-conveyor Belt 100mm/s", "move-end-effector Puma 0,0,120 euler fanuc_wpr 0,180,0 of grip on part0"
    )
    cell.do("modify Puma name Arm")
    cell.do("wait 0.5")
    (ended,) = [event for event in cell.session.recording.events if isinstance(event, TrackingEnded)]
    assert (ended.robot, ended.on, ended.reason) == ("Arm", "part0", "the cell was edited")
    assert "Arm stops tracking part0" in str(cell.do("report"))


FOLLOWING = ("run-conveyor Belt 100mm/s", "move-end-effector Puma 0,0,120 euler fanuc_wpr 0,180,0 of grip on part0")


def require_within_limits(cell, robot):
    """The arm never leaves its speeds and accelerations, looked at every half millisecond."""
    recording, top = cell.session.recording, cell.snapshot().robot(robot).robot
    times = np.arange(recording.start.time, recording.end, 5e-4)
    q, step = recording.way(robot).at(times), 5e-4
    assert (np.abs(np.diff(q, axis=0)) <= top.speeds * step * 1.001).all()
    assert (np.abs(np.diff(q, 2, axis=0)) <= top.accelerations * step**2 * 1.01 + 1e-9).all()
    return q


@pytest.mark.parametrize(
    "edits",
    [
        ("modify Puma name Arm",),
        ("add solid far box 10 10 10 at 3000,0,0",),
        ("create signal late", "modify object:part0 colour red", "modify Puma name Arm"),
        ("watch yes",),
        ("watch certified",),
    ],
    ids=lambda lines: lines[0],
)
def test_an_edit_lets_an_arm_that_follows_come_to_rest_within_its_limits(edits):
    cell = a_cell("speed Puma 1rad/s", *FOLLOWING, "wait 0.4")
    name = "Arm" if "modify Puma name Arm" in edits else "Puma"
    moving = np.abs(cell.session.simulator.velocities_of("Puma")).max()
    assert moving > 0.05
    for line in edits:
        cell.do(line)
    assert np.abs(cell.session.simulator.velocities_of(name)).max() == pytest.approx(moving)
    cell.do("wait 1")
    q = require_within_limits(cell, name)
    assert np.abs(q[-1] - q[-2]).max() < 1e-12
    assert len([event for event in cell.session.recording.events if isinstance(event, TrackingEnded)]) == 1
    assert cell.replayed().session.recording.to_bytes() == cell.session.recording.to_bytes()


@pytest.mark.parametrize(
    "line",
    [
        "move-joints-relative Puma 10,0,0,0,0,0",
        "move-straight-line Puma 300,400,400 euler fanuc_wpr 0,180,0 of grip",
        "home Puma",
        "move-end-effector Puma 0,0,120 euler fanuc_wpr 0,180,0 of grip on part0",
    ],
)
def test_an_arm_that_comes_to_rest_after_an_edit_can_be_moved_at_once(line):
    cell = a_cell("speed Puma 1rad/s", *FOLLOWING, "wait 0.2")
    cell.do("create signal late")
    cell.do(line)
    cell.do("wait 0.3")
    require_within_limits(cell, "Puma")
    assert cell.replayed().session.recording.to_bytes() == cell.session.recording.to_bytes()


def test_an_arm_that_an_edit_puts_elsewhere_stands_there():
    cell = a_cell("speed Puma 1rad/s", *FOLLOWING, "wait 0.2")
    cell.do("place Puma at 0,100,0")
    before = cell.state.joints["Puma"]
    cell.do("wait 1")
    assert np.array_equal(cell.state.joints["Puma"], before)


@pytest.mark.parametrize(("off", "text"), [(1.6e-14, "less than 0.001 mm"), (2e-5, "0.02 mm")])
def test_a_miss_that_is_nothing_is_not_written_in_powers_of_ten(off, text):
    assert text in text_of(GraspMissed(1.0, "Puma", "part0", off, 1e-16, "part"))
    assert "less than 0.001°" in text_of(GraspMissed(1.0, "Puma", "part0", off, 1e-16, "part"))

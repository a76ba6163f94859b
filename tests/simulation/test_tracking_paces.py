"""Overrides, hand speeds and slow-down zones apply to moves that track, supersede or follow set-points."""

from __future__ import annotations

import math

import numpy as np
import pytest
from test_tracking import GRASP, HOVER, a_cell, a_simulator, events, pick

from workcell.errors import Unreachable, WorkcellError
from workcell.simulation.events import GraspMissed, TrackingChanged, TrackingMet
from workcell.simulation.programs import run
from workcell.spatial.pose import Pose

TOP = math.radians(100.0)
AWAY = [1.5, 0.0, -1.57, 0.0, 1.57, 0.0]
OVER_BELT = "add zone slow box 3000 800 800 at 0,500,300 rule slow-down speed 0.3"


def line(*lines: str):
    return a_simulator(a_cell(f"speed Puma {TOP}rad/s", *lines))


def speeds(sim, begin: float, end: float) -> np.ndarray:
    """The greatest speed of a joint at many instants, by differences of the recording."""
    times = np.linspace(begin, end, 1500)
    way = sim.recording.way("Puma")
    return np.abs(np.diff(way.at(times), axis=0)).max(axis=1) / np.diff(times)


def test_a_meeting_and_the_move_away_run_at_the_override():
    sim = line()
    sim.conveyor("Belt").run(0.1)
    puma = sim.robot("Puma")
    sim.override(40, "Puma")
    pick(puma, "part0")
    met = events(sim, TrackingMet)[0].time
    found = speeds(sim, 0.0, met - 1e-3)
    assert 0.39 * TOP < found.max() <= 0.4 * TOP * (1 + 1e-6)
    assert events(sim, GraspMissed)[0].distance < 1e-6
    left = sim.time
    puma.move_hand(Pose.from_xyz(0, 0, 0.1), frame="world")
    puma.move_joints_absolute(AWAY)
    assert speeds(sim, left, sim.time).max() <= 0.4 * TOP * (1 + 1e-6)


def test_an_override_on_the_way_slows_the_meeting():
    took = {}
    for percent in (100, 30):
        sim = line()
        belt, puma = sim.conveyor("Belt"), sim.robot("Puma")

        def work(sim, belt=belt, puma=puma):
            belt.run(0.05)
            yield puma.move_end_effector(HOVER, point="grip", on="part0")
            now = sim.snapshot.body_pose(sim.state, "part0") @ HOVER
            assert max(now.distance(puma.grip_pose)) < 2e-6

        def slower(sim, percent=percent):
            yield 0.5
            sim.override(percent, "Puma")

        run(sim, {"work": work, "slower": slower})
        took[percent] = events(sim, TrackingMet)[0].time
    assert len(events(sim, TrackingChanged)) == 1
    assert took[30] > 1.3 * took[100]
    assert speeds(sim, 1.2, took[30] - 1e-3).max() <= 0.3 * TOP * (1 + 1e-6)
    way = sim.recording.way("Puma")
    before, after = ((way.one(0.5 + k + 1e-5) - way.one(0.5 + k - 1e-5)) / 2e-5 for k in (-2e-5, 2e-5))
    assert np.abs(before - after).max() < 1e-3


def test_a_straight_line_on_a_belt_keeps_the_speed_of_the_hand():
    sim = line()
    sim.conveyor("Belt").run(0.1)
    puma = sim.robot("Puma")
    puma.move_end_effector(HOVER, point="grip", on="part0")
    begin = sim.time
    with pytest.raises(Unreachable, match="the speed set for the hand is too low"):
        puma.move_straight_line(GRASP, point="grip", on="part0", hand_speed=0.09)
    assert sim.time == begin
    puma.move_straight_line(GRASP, point="grip", on="part0", hand_speed=0.15)
    times = np.linspace(begin, sim.time, 800)
    robot = sim.snapshot.robot("Puma").robot
    places = np.array([robot.fk(q).xyz for q in sim.recording.way("Puma").at(times)])
    found = np.linalg.norm(np.diff(places, axis=0), axis=1) / np.diff(times)
    assert 0.145 < found.max() < 0.15 * (1 + 1e-4)


def test_slow_down_zones_hold_for_meetings_and_what_comes_after():
    sim = line(OVER_BELT)
    sim.conveyor("Belt").run(0.05)
    puma = sim.robot("Puma")
    pick(puma, "part0")
    assert sim.recording.moves[0].limited == "slow-down zone slow"
    puma.move_hand(Pose.from_xyz(0, 0, 0.1), frame="world")
    assert speeds(sim, 0.0, sim.time).max() <= 0.3 * TOP * (1 + 1e-6)
    assert events(sim, GraspMissed)[0].distance < 1e-6


def test_a_belt_that_is_faster_than_a_zone_allows_is_refused_by_the_name_of_the_zone():
    sim = line(OVER_BELT.replace("0.3", "0.02"))
    sim.conveyor("Belt").run(0.3)
    with pytest.raises(WorkcellError, match="In the slow-down zone slow: Puma cannot"):
        sim.robot("Puma").move_end_effector(HOVER, point="grip", on="part0")
    assert sim.time == 0.0


@pytest.mark.parametrize("way", ["supersede", "track"])
def test_a_new_target_in_a_slow_down_zone_is_gone_to_slowly(way):
    found = {}
    for zone in (False, True):
        sim = line(*((OVER_BELT,) if zone else ()))
        puma, goal = sim.robot("Puma"), np.array(AWAY) + [0.7, 0.0, 0.0, 0.0, 0.0, 0.0]

        def work(sim, puma=puma):
            yield puma.move_joints_absolute(np.array(AWAY) - [0.5, 0.0, 0.0, 0.0, 0.0, 0.0])

        def meddle(sim, puma=puma, goal=goal):
            yield 0.3
            assert puma.supersede(goal) if way == "supersede" else puma.track(goal)
            yield 6.0

        run(sim, {"work": work, "meddle": meddle})
        assert np.abs(puma.joints - goal).max() < 1e-9
        found[zone] = speeds(sim, 0.9, sim.time).max()
    assert found[True] <= 0.3 * TOP * (1 + 1e-6) < found[False]

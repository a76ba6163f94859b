"""The default speed of an arm, also of arms that slide: degrees and millimetres are never compared."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.motion.profile_names import PROFILES
from workcell.robots.catalogue import robots


@pytest.mark.parametrize("name", robots())
def test_the_default_speed_is_that_of_the_slowest_turning_joint(name):
    cell = wc.Cell()
    cell.do(f"create robot R {name}")
    arm = cell.snapshot().robot("R")
    turning = [speed for speed, row in zip(arm.robot.speeds, arm.robot.rows, strict=True) if not row.prismatic] or list(
        arm.robot.speeds
    )
    assert arm.speed == min(turning)
    assert cell.database.entity("robot", "R").properties["speed"] == min(turning)


def test_the_speed_of_a_scara_is_shown_as_that_of_its_shoulder():
    cell = wc.Cell()
    cell.do("create robot C cobra600")
    assert "speed: 386 deg/s" in str(cell.do("show C"))


@pytest.mark.parametrize("mode", ["path", "joint-by-joint"])
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", ["cobra600", "stanford", "gantry"])
def test_every_joint_keeps_its_own_limit_at_the_default_speed(name, profile, mode):
    cell = wc.Cell()
    cell.do(f"create robot R {name}")
    cell.do(f"mode {mode}")
    cell.do(f"default-profile {profile}")
    arm = cell.snapshot().robot("R").robot
    sim = wc.Simulator(cell)
    random = np.random.default_rng(5)
    low, high = np.clip(arm.limits, -4.0, 4.0).T
    slide = next(i for i, row in enumerate(arm.rows) if row.prismatic)
    for alone in (True, False, False):
        goal = random.uniform(low, high)
        if alone:
            goal = np.where(np.arange(arm.n) == slide, goal, arm.home)
        start, before = sim.robot("R").joints.copy(), sim.time
        sim.robot("R").move_joints_absolute(goal)
        assert sim.robot("R").joints == pytest.approx(goal)
        least = (np.abs(goal - start) / arm.speeds).max()
        assert sim.time - before >= least * (1.0 - 1e-6)


def test_a_replaced_arm_gets_the_default_speed_of_the_new_one():
    cell = wc.Cell()
    cell.do("create robot R puma560")
    cell.do("replace robot R with cobra600")
    assert cell.snapshot().robot("R").speed == pytest.approx(np.radians(386.0))
    cell.do("replace robot R with puma560")
    assert cell.snapshot().robot("R").speed == wc.robot("puma560").speeds.min()

"""The robots of the library do not touch themselves where the real ones do not."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.collision.batch import check_batch
from workcell.collision.bodies import collision_model
from workcell.collision.check import check
from workcell.robots.catalogue import robots


@pytest.mark.parametrize("model", robots())
def test_a_robot_of_the_library_is_free_of_itself(model: str) -> None:
    with wc.Cell() as cell:
        cell.add_robot(model, name="Arm")
        snapshot = cell.snapshot()
    robot = snapshot.robot("Arm").robot
    bodies = collision_model(snapshot, warn=False)
    low, high = robot.limits.T
    named = [robot.home] + [np.zeros(robot.n)] * bool(((low <= 0.0) & (high >= 0.0)).all())
    for joints in named:
        found = check(bodies, snapshot.initial.with_joints("Arm", joints)).contacts
        assert not found, f"{model} at {np.degrees(joints)}: {[contact.pair for contact in found]}"
    random = np.random.default_rng(1).uniform(np.maximum(low, -np.pi), np.minimum(high, np.pi), (200, robot.n))
    assert check_batch(bodies, {"Arm": random}).touching.mean() < 0.8

"""The arms of the library with their hands, as collision sees them."""

from __future__ import annotations

import numpy as np
import pytest

from workcell.collision.batch import check_batch
from workcell.collision.bodies import collision_model
from workcell.collision.check import check
from workcell.commands.cell import Cell
from workcell.robots.catalogue import robots


def model_of(name):
    cell = Cell()
    cell.add_robot(name, name="Arm")
    return collision_model(cell.snapshot(), warn=False)


@pytest.mark.parametrize("name", robots())
def test_no_tested_pair_of_an_arm_touches_at_home_and_its_sizes_are_plausible(name):
    model = model_of(name)
    assert [contact.pair for contact in check(model, model.snapshot.initial).contacts] == []
    assert model.notes == ()


def test_the_stanford_arm_is_free_almost_everywhere():
    model = model_of("stanford")
    limits = model.snapshot.robot("Arm").robot.limits
    Q = np.random.default_rng(4).uniform(limits[:, 0], limits[:, 1], (400, len(limits)))
    assert check_batch(model, {"Arm": Q}).touching.mean() < 0.1

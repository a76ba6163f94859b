"""Parts at rest: what stands still is not asked about, and nothing else changes by it."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.collision.batch import check_batch
from workcell.collision.batch_clearance import clearance_batch
from workcell.collision.bodies import collision_model
from workcell.collision.check import check
from workcell.collision.supports import at_rest, going, rests, supported
from workcell.errors import UnknownName


def cell_with_box(height: float) -> wc.Cell:
    cell = wc.Cell()
    for line in (
        "create robot Puma puma560 joints 0,0,-90,0,90,0",
        "add solid table box 560 800 30 at 780,-100,385",
        f"add solid box box 100 100 100 at 1000,150,{height} --movable",
    ):
        cell.do(line)
    return cell


def some_joints(cell: wc.Cell, count: int) -> np.ndarray:
    limits = cell.snapshot().robot("Puma").robot.limits
    return np.random.default_rng(5).uniform(limits[:, 0], limits[:, 1], (count, len(limits)))


def test_where_nothing_rests_the_answers_are_the_same():
    cell = cell_with_box(460.0)
    model, state = collision_model(cell.snapshot()), cell.state
    Q = some_joints(cell, 300)
    asked = supported(model, state, ["Puma"])
    plain, other = check_batch(model, {"Puma": Q}, state), check_batch(asked, {"Puma": Q}, state)
    assert 0 < plain.touching.sum() < len(Q)
    assert np.array_equal(plain.touching, other.touching)
    assert np.array_equal(plain.pairs, other.pairs)


def test_a_part_at_rest_changes_no_answer_about_the_robot():
    """Against the same cell with the pair taken out by hand."""
    cell = cell_with_box(450.0)
    model, state = collision_model(cell.snapshot()), cell.state
    Q = some_joints(cell, 300)
    assert check_batch(model, {"Puma": Q}, state).touching.all()
    by_hand = model.with_pairs(model.pairs.allow("box", "table", "it lies there"))
    asked = supported(model, state, ["Puma"])
    wanted = check_batch(by_hand, {"Puma": Q}, state)
    assert 0 < wanted.touching.sum() < len(Q)
    assert np.array_equal(check_batch(asked, {"Puma": Q}, state).touching, wanted.touching)
    near = clearance_batch(by_hand, {"Puma": Q}, state)
    assert np.allclose(clearance_batch(asked, {"Puma": Q}, state).distances, near.distances, atol=1e-12)
    own, rest = (clearance_batch(by_hand, {"Puma": Q}, state, own=own).distances for own in (True, False))
    assert np.array_equal(np.minimum(own, rest), near.distances)
    assert supported(model, state, ["Puma"]) is asked


@pytest.mark.parametrize(("height", "rested"), [(450.0, 1), (450.15, 1), (449.95, 1), (450.3, 0), (449.8, 0)])
def test_a_part_rests_within_a_tenth_of_a_millimetre(height, rested):
    cell = cell_with_box(height)
    model = collision_model(cell.snapshot())
    assert len(rests(model, cell.state)) == rested
    assert check(at_rest(model, cell.state), cell.state).free == (height != 449.8)


def test_what_goes_is_the_robot_with_all_that_it_carries():
    cell = cell_with_box(450.0)
    model = collision_model(cell.snapshot())
    moving = going(model, cell.state, ["Puma"])
    assert moving == {body.name for body in model.bodies if body.owner == "Puma" and body.link > 0}, "its base stands"
    assert going(model, cell.state, ["box"]) == {"box"}
    with pytest.raises(UnknownName, match="did you mean Puma"):
        going(model, cell.state, ["Pumma"])


def test_the_base_of_a_robot_goes_with_what_the_robot_is_mounted_on():
    with wc.Cell() as cell:
        for line in ("add rail track 2000", "create robot Puma puma560", "mount Puma on track"):
            cell.do(line)
        model = collision_model(cell.snapshot())
        moving = going(model, cell.state, ["track"])
        assert {body.name for body in model.bodies if body.owner == "Puma"} <= moving
        assert not {body.name for body in model.bodies if body.owner == "track" and body.link == 0} & moving

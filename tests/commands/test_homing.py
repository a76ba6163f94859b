"""Going home: an object returns to where it was attached, or to its initial place."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.errors import Refused

STAGE = (
    "add solid table box 800 600 40 at 0,0,500",
    "add solid lamp cylinder 50 200",
    "face attach lamp bottom to table top",
)
BELT = (
    "add conveyor belt 2000 at 0,1500,0",
    "add solid crate box 100 100 50 at 200,1500,725 --movable",
    "run-conveyor belt 200mm/s",
)
HELD = (
    "create robot Puma puma560 joints 0,60,-190,0,40,0",
    "add solid cube box 40 40 40 at 500,-150,20 --movable",
    "move-end-effector Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip",
    "close-gripper Puma",
    "move-hand Puma 0,0,-200",
)


@pytest.fixture
def cell():
    with wc.Cell() as made:
        yield made


def do(cell: wc.Cell, *lines: str) -> str:
    return [str(cell.do(line)) for line in lines][-1]


def at(cell: wc.Cell, name: str) -> np.ndarray:
    return np.array(cell.do(f"where {name}").matrix)


def test_an_attached_object_loses_its_turn_and_shift(cell):
    do(cell, *STAGE)
    attached = at(cell, "lamp")
    do(cell, "offset lamp 150,0,0 rotate 0,0,30")
    moved = at(cell, "lamp")
    assert do(cell, "send-home lamp") == "lamp is on table as it was attached"
    np.testing.assert_allclose(at(cell, "lamp"), attached, atol=1e-12)
    assert do(cell, "send-home lamp") == "lamp was already on table as it was attached"
    do(cell, "undo")  # the second one changed nothing, and is no step
    np.testing.assert_allclose(at(cell, "lamp"), moved, atol=1e-12)


def test_the_home_of_an_attached_object_is_on_its_base_wherever_that_is(cell):
    do(cell, *STAGE, "offset lamp 150,0,0", "place table at 1000,0,300", "send-home lamp")
    np.testing.assert_allclose(at(cell, "lamp")[:3, 3], [1.0, 0.0, 0.42], atol=1e-12)


def test_what_a_belt_moved_returns_to_its_initial_place(cell):
    do(cell, *BELT, "wait 2")
    moved = at(cell, "crate")
    assert do(cell, "send-home crate") == "crate is at its initial place"
    np.testing.assert_allclose(at(cell, "crate")[:3, 3], [0.2, 1.5, 0.725], atol=1e-12)
    do(cell, "undo")
    np.testing.assert_allclose(at(cell, "crate"), moved, atol=1e-12)


def test_the_kept_state_is_home_also_for_what_rides_from_the_start(cell):
    do(cell, *BELT, "wait 1", "keep state")
    home = at(cell, "crate")
    do(cell, "run-conveyor belt 200mm/s", "wait 2", "send-home crate")
    np.testing.assert_allclose(at(cell, "crate"), home, atol=1e-9)
    do(cell, "wait 1")
    assert at(cell, "crate")[0, 3] == pytest.approx(home[0, 3] + 0.2)  # the belt still carries it


def test_a_robot_lets_go_of_what_goes_home(cell):
    do(cell, *HELD)
    assert do(cell, "send-home cube") == "cube is at its initial place; Puma lets go of it"
    np.testing.assert_allclose(at(cell, "cube")[:3, 3], [0.5, -0.15, 0.02], atol=1e-12)
    assert "holds nothing" in do(cell, "hand Puma")


def test_several_objects_go_home_in_one_step_or_none_does(cell):
    do(cell, *STAGE, *BELT, "offset lamp 150,0,0", "wait 2", "create object spare")
    lamp, crate = at(cell, "lamp"), at(cell, "crate")
    with pytest.raises(Refused, match="spare stands in no scene, so it has no home; `place spare at …` first"):
        do(cell, "send-home lamp with crate with spare")
    np.testing.assert_array_equal(at(cell, "lamp"), lamp)
    do(cell, "send-home lamp with crate")
    assert at(cell, "lamp")[0, 3] == pytest.approx(0.0)
    assert at(cell, "crate")[0, 3] == pytest.approx(0.2)
    do(cell, "undo")
    np.testing.assert_array_equal(at(cell, "crate"), crate)

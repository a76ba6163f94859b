"""A part that is attached to a body may lie against it; what it does beyond that is a contact."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.collision.check import check
from workcell.collision.footing import thinner
from workcell.collision.tree import tree_of
from workcell.geometry import solids


@pytest.fixture
def stood():
    with wc.Cell() as cell:
        for line in (
            "add solid table box 500 500 100 at 0,0,50",
            "add solid brick box 100 100 100 at 0,0,500 --movable",
        ):
            cell.do(line)
        yield cell


@pytest.mark.parametrize(
    ("shift", "touches"), [("0,0,0", False), ("0,0,30", False), ("0,0,-0.05", False), ("0,0,-20", True)]
)
def test_an_attached_part_is_excused_only_from_resting(stood, shift, touches):
    stood.do(f"face attach brick bottom to table top translate {shift}")
    said = str(stood.do("contacts"))
    assert ("brick touches table" in said) == touches
    assert ("tested" in str(stood.do("why brick with table")).removeprefix("table and brick: not tested")) == touches


def test_an_attached_part_wholly_inside_its_base_is_a_contact(stood):
    stood.do("add solid dice box 20 20 20 at 0,0,800 --movable")
    stood.do("face attach dice bottom to table top translate 0,0,-60")
    assert "dice is inside table" in str(stood.do("contacts"))


def test_a_pin_that_fits_its_bore_is_no_contact():
    plate = solids.box(0.2, 0.2, 0.06) - solids.cylinder(0.01, 0.1)
    with wc.Cell() as cell:
        cell.add_solid(plate, name="plate")
        cell.add_solid(solids.cylinder(0.01, 0.08), name="pin", at=wc.Pose.from_xyz(0.5, 0, 0), movable=True)
        cell.do("face attach pin bottom to plate top translate 0,0,-60")
        snapshot = cell.snapshot()
        model = wc.collision_model(snapshot)
        assert check(model, snapshot.initial).contacts == ()
        cell.do("face attach pin bottom to plate top translate 30,0,-60")
        snapshot = cell.snapshot()
        assert [one.pair for one in check(wc.collision_model(snapshot), snapshot.initial).contacts] == [
            ("pin", "plate")
        ]


def test_a_part_on_a_belt_is_excused_only_from_resting():
    with wc.Cell() as cell:
        cell.do("add conveyor belt 1000 at 0,0,0")
        cell.do("add solid part box 60 60 60 at 200,0,730 --movable")
        cell.do("ride part on belt")
        assert "touches" not in str(cell.do("contacts")).removeprefix("nothing touches")
        cell.do("place part at 200,0,710")
        cell.do("ride part on belt")
        assert "part touches belt" in str(cell.do("contacts"))


def test_a_part_that_reaches_into_its_tray_does_not_stop_the_robot_that_carries_both():
    with wc.Cell() as cell:
        for line in (
            "create robot Puma puma560",
            "add solid tray box 40 40 40 at 550,0,200 --movable",
            "add solid cup box 20 20 20 --movable",
            "face attach cup bottom to tray top translate 0,0,-8",
            "grip tray with Puma",
            "watch yes",
        ):
            cell.do(line)
        assert "touches" in str(cell.do("contacts")).removeprefix("nothing touches")
        cell.do("move-joints-relative Puma 10,0,0,0,0,0")


def test_a_mesh_without_a_layer_is_thinner_by_it_on_every_side():
    box = tree_of(solids.box(0.1, 0.2, 0.3).mesh(1e-3), "box")
    assert thinner(box, 1e-3).box[0, 3:] == pytest.approx(np.array([0.049, 0.099, 0.149]))

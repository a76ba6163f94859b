"""Proofs that there is no way: they hold where the way is closed, and are never given where there is one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from guidance_scenes import PLUG, POSTS
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.collision.bodies import collision_model
from workcell.errors import DeadEnd
from workcell.geometry._kernels_triangle import triangle_distance2
from workcell.planning.enclosure import enclosed

GOAL = wc.Pose.from_xyz(6.8, 8.0, 0.0)
DISC = 0.186
"""The widest disc inside the last link of the planar arm [m]; its plate is 0.2 m wide at most."""


def plugged(radius: float, closed: bool = True) -> wc.Cell:
    """The posts of the thesis and a plug; walls close the ways to the left and to the right of them."""
    cell = wc.Cell()
    cell.add_robot("loeff6", name="Arm")
    for number, post in enumerate((*POSTS, PLUG)):
        size = post.radius if post is not PLUG else radius
        cell.add_solid(
            wc.solids.cylinder(size, 1.0), name=f"post{number}", at=wc.Pose.from_xyz(post.a[0], post.a[1], 0.0)
        )
    if closed:
        cell.add_solid(wc.solids.box(20.0, 0.4, 1.0), name="left", at=wc.Pose.from_xyz(-6.8, 5.0, 0.0))
        cell.add_solid(wc.solids.box(8.0, 0.4, 1.0), name="right", at=wc.Pose.from_xyz(14.2, 5.5, 0.0))
    return cell


def proof(cell: wc.Cell, goal: wc.Pose = GOAL, **given):
    return enclosed(collision_model(cell.snapshot(), warn=False), cell.state, "Arm", goal, **given)


def gap(radius: float) -> float:
    """The wider of the two gaps beside the plug [m]."""
    return math.dist((6.7, 4.2), (9.0, 5.5)) - 1.5 - radius


@pytest.mark.parametrize("radius", [0.5, 0.7, 0.9, 0.95])
def test_a_gap_that_is_wide_enough_for_the_disc_is_never_proved_closed(radius):
    assert gap(radius) > DISC
    assert proof(plugged(radius), position=True) is None


@pytest.mark.parametrize("radius", [1.0, 1.1, 1.2])
def test_a_gap_that_is_too_narrow_is_proved_closed(radius):
    assert gap(radius) < 0.87 * DISC
    found = proof(plugged(radius), position=True)
    assert found is not None
    assert found.planar
    assert found.body == "Arm/link 6"
    assert 2.0 * found.radius == pytest.approx(DISC, abs=0.015)
    assert "cannot get from here to the destination" in found.sentence


def test_a_way_round_is_not_overlooked():
    assert proof(plugged(1.2, closed=False), position=True) is None


def test_what_may_be_touched_does_not_close_a_way():
    assert proof(plugged(1.0), position=True, ignoring=("post3",)) is None


def test_the_refusal_of_a_guided_hand_has_the_proof():
    cell = plugged(1.0)
    with pytest.raises(DeadEnd, match=r"a disc of 18.* mm inside Arm/link 6 cannot get from here") as caught:
        cell.do("guide Arm 6800,8000,0 --position --plan speed 800mm/s keep 200 tolerance 20 within 90s")
    assert caught.value.evidence["proved"] is True
    assert "\n" not in caught.value.message.split("\nThe run")[0]


def boxed(opening: float) -> wc.Cell:
    """A Puma before a box with an opening in the side that it would have to come through."""
    cell = wc.Cell()
    cell.add_robot("puma560", name="Arm")
    thick, inner = 0.04, 0.4
    at = np.array([0.75, 0.0, 0.1])
    half = (inner + thick) / 2.0
    sides = {
        "floor": ((inner + 2 * thick, inner + 2 * thick, thick), (0, 0, -half)),
        "roof": ((inner + 2 * thick, inner + 2 * thick, thick), (0, 0, half)),
        "left": ((inner + 2 * thick, thick, inner), (0, half, 0)),
        "right": ((inner + 2 * thick, thick, inner), (0, -half, 0)),
        "back": ((thick, inner, inner), (half, 0, 0)),
    }
    bar = (inner - opening) / 2.0
    sides["low"] = ((thick, inner, bar), (-half, 0, -(opening + bar) / 2.0))
    sides["high"] = ((thick, inner, bar), (-half, 0, (opening + bar) / 2.0))
    for name, (size, place) in sides.items():
        cell.add_solid(wc.solids.box(*size), name=name, at=wc.Pose.from_xyz(*(at + place)))
    return cell


def test_a_box_is_proved_closed_and_an_open_one_is_not():
    inside = wc.Pose.from_xyz(0.75, 0.0, 0.1)
    found = proof(boxed(0.01), inside, position=True)
    assert found is not None
    assert not found.planar
    assert 0.015 < found.radius < 0.15
    assert proof(boxed(2.2 * found.radius + 0.01), inside, position=True) is None
    outside = wc.Pose.from_xyz(0.3, 0.5, 0.3)
    assert proof(boxed(0.01), outside, position=True) is None


@given(st.lists(st.floats(-2.0, 2.0), min_size=12, max_size=12))
@settings(max_examples=60)
def test_distances_to_triangles_are_those_of_their_points(numbers):
    point, corners = np.array(numbers[:3]), np.array(numbers[3:]).reshape(3, 3)
    found = math.sqrt(triangle_distance2(corners.ravel(), *point))
    u, v = np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 1, 41))
    keep = u + v <= 1.0
    places = corners[0] + u[keep][:, None] * (corners[1] - corners[0]) + v[keep][:, None] * (corners[2] - corners[0])
    sampled = np.linalg.norm(places - point, axis=1).min()
    assert found <= sampled + 1e-9
    longest = max(np.linalg.norm(corners[i] - corners[j]) for i, j in ((0, 1), (1, 2), (2, 0)))
    assert found >= sampled - longest / 40.0

"""Flat faces under round pads: where they end, and how much of a disc they cover, against independent geometry."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from workcell.geometry import solids
from workcell.geometry.flats import CURVE, EDGE, HOLE, Surface
from workcell.spatial.pose import Pose

DOWN = Pose.from_axis_angle((1.0, 0.0, 0.0), math.pi)
"""The pad looks down on a plate whose top is at z = 0."""
WIDE, DEEP, THICK = 0.2, 0.14, 0.01


def plate(holes=()):
    solid = solids.box(WIDE, DEEP, THICK).moved(Pose.from_xyz(0, 0, -THICK / 2))
    for x, y, r in holes:
        solid -= solids.cylinder(r, 4 * THICK).moved(Pose.from_xyz(x, y, 0))
    return solid


def surface(solid, X_pad_solid, tolerance=1e-5):
    mesh = solid.mesh(tolerance)
    return Surface(mesh.vertices @ X_pad_solid.rotation.T + X_pad_solid.xyz, mesh.triangles, mesh.deviation)


def over(x, y, z=0.0):
    """The plate in the frame of a pad whose middle is over a place of its top."""
    return (Pose.from_xyz(x, y, z) @ DOWN).inverse()


HOLES = ((0.03, 0.01, 0.012), (-0.05, -0.03, 0.02))
HOLED = plate(HOLES)


def on_plate(x, y):
    """Whether places are on the top of the plate, by its dimensions alone."""
    out = (np.abs(x) <= WIDE / 2) & (np.abs(y) <= DEEP / 2)
    for u, v, r in HOLES:
        out &= np.hypot(x - u, y - v) >= r
    return out


def to_border(x, y):
    """How far a place is from the edges and holes of the plate, by its dimensions alone."""
    a, b = abs(x) - WIDE / 2, abs(y) - DEEP / 2
    edge = min(-a, -b) if a < 0 and b < 0 else math.hypot(max(a, 0.0), max(b, 0.0))
    return min(edge, *(abs(math.hypot(x - u, y - v) - r) for u, v, r in HOLES))


def share_on_plate(x, y, radius, rings=160, rays=360):
    """The share of a disc that is over the plate, by counting places of equal area."""
    r = radius * np.sqrt((np.arange(rings) + 0.5) / rings)[:, None]
    a = (np.arange(rays) + 0.5) * (2 * math.pi / rays)
    return float(on_plate(x + r * np.cos(a), y + r * np.sin(a)).mean())


@settings(max_examples=150, deadline=None)
@given(st.floats(-0.12, 0.12), st.floats(-0.09, 0.09), st.floats(0.002, 0.04))
def test_a_disc_lies_on_the_face_exactly_where_the_drawing_says_so(x, y, radius):
    distance, share = to_border(x, y), share_on_plate(x, y, radius)
    assume(abs(distance - radius) > 3e-5 and distance > 3e-5)
    flat = surface(HOLED, over(x, y)).first(radius, -0.005, 0.005)
    if flat is None:  # at most a sliver of the rim is over the face, between two rays
        assert share < 0.25
        return
    inside = bool(on_plate(x, y))
    assert flat.contains_middle() == inside
    assert (flat.room() >= radius) == (inside and distance > radius)
    if inside:
        assert flat.room() == pytest.approx(distance, abs=3e-5)
        assert flat.overhang(radius) == pytest.approx(radius - distance, abs=3e-5)
    assert flat.covered(radius) == pytest.approx(share, abs=0.01)


@settings(max_examples=60, deadline=None)
@given(
    st.floats(-0.06, 0.06), st.floats(-0.04, 0.04), st.floats(0.0, 0.3), st.floats(0.0, 2 * math.pi),
    st.floats(-0.004, 0.004),
)  # fmt: skip
def test_height_and_tilt_are_those_of_the_pad(x, y, tilt, way, height):
    leaning = Pose.from_axis_angle((math.cos(way), math.sin(way), 0.0), tilt)
    X_world_pad = Pose.from_xyz(x, y, height) @ DOWN @ leaning
    flat = surface(plate(), X_world_pad.inverse()).first(0.005, -0.02, 0.02)
    assert flat.tilt == pytest.approx(tilt, abs=1e-9)
    assert flat.height(np.zeros(2)) == pytest.approx(height / math.cos(tilt), abs=1e-9)


def test_it_says_what_ends_the_face():
    assert surface(HOLED, over(0.03, 0.03)).first(0.02, -0.005, 0.005).ends_with() == HOLE
    assert surface(HOLED, over(0.09, 0.03)).first(0.02, -0.005, 0.005).ends_with() == EDGE
    drum = (
        solids.cylinder(0.05, 0.2).moved(Pose.from_axis_angle((1, 0, 0), math.pi / 2)).moved(Pose.from_xyz(0, 0, -0.05))
    )
    found = surface(drum, over(0.0, 0.0)).first(0.015, -0.005, 0.005)
    assert found.room() < 0.015
    assert found.ends_with() == CURVE


def test_a_pad_over_a_hole_rests_on_the_face_around_it_and_not_on_what_is_below():
    blind = plate() - solids.cylinder(0.01, 0.008).moved(Pose.from_xyz(0, 0, -0.002))
    found = surface(blind, over(0.0, 0.0)).first(0.02, -0.01, 0.02)
    assert found.height(np.zeros(2)) == pytest.approx(0.0, abs=1e-9)
    assert not found.contains_middle()
    assert found.ends_with() == HOLE


def test_something_that_stands_on_the_face_is_seen():
    bare = surface(plate(), over(0.0, 0.0))
    assert not bare.first(0.02, -0.01, 0.01).stands_on_it(0.02, 0.01)
    knob = solids.box(0.004, 0.004, 0.004).moved(Pose.from_xyz(0.015, 0, 0.002)).mesh(1e-5)
    flat = plate().mesh(1e-5)
    X = over(0.0, 0.0)
    both = np.vstack([flat.vertices, knob.vertices]) @ X.rotation.T + X.xyz
    triangles = np.vstack([flat.triangles, knob.triangles + len(flat.vertices)])
    found = Surface(both, triangles).first(0.012, -0.001, 0.01)
    assert not found.stands_on_it(0.012, 0.01)
    assert Surface(both, triangles).first(0.012, -0.001, 0.01).stands_on_it(0.014, 0.01)

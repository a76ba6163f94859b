"""Parts that an edit leaves without support: the same answers as a test of every pair of bodies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.simulation.falling import lost_supports, overhang
from workcell.simulation.piles import SHAPE, STANDS, Stack
from workcell.simulation.settling import vertical_gap
from workcell.spatial.pose import Pose
from workcell.world.target_poses import target_poses


class EveryPair(Stack):
    """Who stands on whom, by looking at all bodies one by one."""

    def __init__(self, snapshot, state):
        super().__init__(snapshot, state)
        self.bodies = [body for body in snapshot.bodies if body.touchable]
        poses = snapshot.body_poses(state)
        self.places = {body.name: X for body, X in zip(snapshot.bodies, poses, strict=True)}
        self.free = {one.name for one in self.bodies if one.movable and one.link < 0 and one.name not in state.attached}

    def box(self, name):
        X = self.places[name]
        corners = self.mesh(name).vertices @ X[:3, :3].T + X[:3, 3]
        return corners.min(axis=0), corners.max(axis=0)

    def near(self, upper, lower):
        (low, high), (base, top) = self.box(upper), self.box(lower)
        beside = (high[:2] < base[:2]).any() or (low[:2] > top[:2]).any()
        return upper != lower and not beside and base[2] - STANDS <= low[2] <= top[2] + STANDS

    def over(self, name):
        return [one.name for one in self.bodies if one.name in self.free and self.near(one.name, name)]

    def beneath(self, name):
        return [one.name for one in self.bodies if self.near(name, one.name)]

    def under(self, name):
        shape, X = self.mesh(name), self.places[name]
        return {one for one in self.beneath(name) if vertical_gap(shape, X, self.mesh(one), self.places[one]) <= STANDS}


def by_every_pair(before, then, after, now):
    old = dict(zip((body.name for body in before.bodies), before.body_poses(then), strict=True))
    new = dict(zip((body.name for body in after.bodies), after.body_poses(now), strict=True))
    gone = [name for name, pose in old.items() if name not in new or not np.array_equal(pose, new[name])]
    stood, stack = EveryPair(before, then), EveryPair(after, now)
    found, seen = {}, set(gone)
    for lower in gone:
        for upper in stood.over(lower) if stood.knows(lower) else ():
            if upper in seen or lower not in stood.under(upper):
                continue
            seen.add(upper)
            if stack.knows(upper) and overhang(after, now, stack, upper) > SHAPE:
                found.setdefault(before.body(lower).owner, []).append(upper)
    return [(support, tuple(sorted(parts))) for support, parts in found.items()]


PLACES = st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 3), st.sampled_from([0, 0, 0, 30, 90]))
BOX = st.tuples(PLACES, st.integers(1, 3), st.sampled_from([True, True, True, False]))
EDITS = st.lists(st.tuples(st.integers(0, 11), PLACES, st.sampled_from(["place", "place", "remove", "grip", "turn"])))


def pose(place, size):
    """On a raster of 50 mm, so that boxes of 50 mm high layers stand on each other."""
    x, y, layer, turn = place
    return Pose.from_xyz(0.05 * x, 0.05 * y, 0.025 + 0.05 * layer) @ Pose.from_axis_angle((0, 0, 1), math.radians(turn))


def answers(cell, edit):
    before, then = cell.snapshot(), cell.state
    edit()
    after, now = cell.snapshot(), cell.state
    return lost_supports(before, then, after, now), by_every_pair(before, then, after, now)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.lists(BOX, min_size=3, max_size=12), EDITS.filter(bool))
def test_random_edits_of_random_piles_give_what_looking_at_every_pair_gives(boxes, edits):
    with wc.Cell() as cell:
        cell.do("create robot Arm puma560 at 0,1500,0")
        for number, (place, size, movable) in enumerate(boxes):
            solid = wc.solids.box(0.05 * size, 0.05, 0.05)
            cell.add_solid(solid, f"b{number}", pose(place, size), movable=movable)
        for number, place, how in edits[:5]:
            name = f"b{number % len(boxes)}"
            if cell.database.find("object", name) is None:
                continue

            def edit(name=name, place=place, how=how):
                if how == "remove":
                    cell.do(f"remove object:{name} --deep")
                elif how == "turn":
                    cell.do("move-joints-relative Arm 5,0,0,0,0,0")
                elif how == "grip" and cell.snapshot().body(name).movable and name not in cell.state.attached:
                    cell.do(f"grip {name} with Arm")
                elif name not in cell.state.attached:
                    cell.place(name, pose(place, 1))

            mine, brute = answers(cell, edit)
            assert mine == brute
            stack, every = Stack(cell.snapshot(), cell.state), EveryPair(cell.snapshot(), cell.state)
            for body in every.bodies:
                assert stack.over(body.name) == every.over(body.name)
                assert stack.beneath(body.name) == every.beneath(body.name)
                assert stack.under(body.name) == every.under(body.name)


def test_the_pose_of_a_single_body_is_that_of_all_of_them():
    with wc.Cell() as cell:
        for line in (
            "create robot Arm ur10e",
            "create tool vac vacuum-2x2",
            "fit tool vac to Arm",
            "create robot Puma puma560 at 2000,0,0",
            "add conveyor belt 1000 at 0,-1500,0",
            "add solid part box 60 60 60 at 200,-1500,730 --movable",
            "ride part on belt",
            "add solid cube box 50 50 50 at 500,500,25 --movable",
            "add solid plate box 50 50 5 --movable",
            "face attach plate bottom to cube top",
            "grip cube with Puma",
            "move-joints-relative belt 100",
            "move-joints-relative Puma 10,0,0,0,0,0",
            "add target spot 0,0,100 on object:cube",
            "add target free 300,0,100",
        ):
            cell.do(line)
        snapshot, state = cell.snapshot(), cell.state
        where = snapshot.finder(state)
        for body, X in zip(snapshot.bodies, snapshot.body_poses(state), strict=True):
            assert where(body.name) == pytest.approx(X, abs=1e-15)
        assert snapshot.ordered(["belt/base", "Arm/base"]) == ["Arm/base", "belt/base"]
        for name, found in target_poses(snapshot, state).items():
            assert found.matrix == pytest.approx(snapshot.place_pose(state, name, "target").matrix)

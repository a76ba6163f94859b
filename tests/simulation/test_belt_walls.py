"""Fixed bodies stop parts on belts where their shapes are in the way, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.errors import CollisionStop
from workcell.simulation.belt_walls import _first_places
from workcell.simulation.events import Blocked, FellOff

PART = "add solid part box 100 80 60 at 200,0,730 --movable"


def ran(*lines: str, speed: float = 0.2, wait: float = 8.0, portal: tuple[float, float] | None = None) -> wc.Simulator:
    cell = wc.Cell()
    for line in ("add conveyor A 2000", PART, *lines):
        cell.do(line)
    if portal is not None:
        wide, high = portal
        hole = wc.solids.box(0.2, wide, high).moved(wc.Pose.from_xyz(0, 0, 0.5 * high - 0.5))
        cell.add_solid(wc.solids.box(0.1, 0.8, 1.0) - hole, name="portal", at=wc.Pose.from_xyz(1.0, 0, 1.2))
    sim = wc.Simulator(cell, state=cell.session.state)
    sim.conveyor("A").run(speed)
    sim.wait(wait)
    return sim


def x_of(sim: wc.Simulator) -> float:
    return float(sim.snapshot.body_pose(sim.state, "part").xyz[0])


def blocked(sim: wc.Simulator) -> list[tuple[str, str]]:
    return [(one.part, one.by) for one in sim.recording.events if isinstance(one, Blocked)]


def test_where_collisions_are_watched_the_contact_stops_everything_and_stops_still_hold() -> None:
    wall = "add solid wall box 20 400 100 at 1000,0,760"
    with pytest.raises(CollisionStop, match="wall"):
        ran(wall, "watch yes")
    assert blocked(ran(wall, "watch yes", "add stop bar on A at 900")) == [("part", "bar")]


def test_a_plate_across_a_belt_is_a_stop() -> None:
    sim = ran("add solid wall box 20 400 100 at 1000,0,760")
    assert blocked(sim) == [("part", "wall")]
    assert x_of(sim) == pytest.approx(0.99 - 0.05 - 1e-5, abs=1e-7)
    assert "A" in sim.drives


def test_a_belt_that_runs_back_is_stopped_from_the_other_side() -> None:
    sim = ran("add solid wall box 20 400 100 at 100,0,760", "add solid beyond box 20 400 100 at 1900,0,760", speed=-0.2)
    assert blocked(sim) == [("part", "wall")]
    assert x_of(sim) == pytest.approx(0.11 + 0.05 + 1e-5, abs=1e-7)


@pytest.mark.parametrize(
    "beside",
    [
        "add solid wall box 900 20 100 at 1000,60,760",  # a rail along the belt
        "add solid wall box 20 400 100 at 1000,0,830",  # above the part
        "add solid wall box 20 100 100 at 1000,91,760",
        "add solid wall box 20 400 100 at 1000,0,760 --movable",  # not fixed: it lies on the belt or stands as before
    ],
)
def test_what_is_not_in_the_way_stops_nothing(beside: str) -> None:
    sim = ran(beside, wait=6.0)
    assert ("part", "wall") not in blocked(sim) or "--movable" in beside
    if "--movable" not in beside:
        assert x_of(sim) == pytest.approx(0.2 + 0.2 * (6.0 - 0.5 * 0.2 / 0.75), abs=1e-9)


def test_a_part_passes_a_portal_that_is_wide_enough_and_stands_before_one_that_is_not() -> None:
    assert blocked(ran(portal=(0.1, 0.1), wait=6.0)) == []
    narrow = ran(portal=(0.07, 0.1))
    assert blocked(narrow) == [("part", "portal")]
    assert x_of(narrow) == pytest.approx(0.95 - 0.05 - 1e-5, abs=1e-7)
    assert blocked(ran(portal=(0.1, 0.05))) == [("part", "portal")]


def test_a_part_behind_waits_and_nothing_falls() -> None:
    sim = ran("add solid other box 100 80 60 at 50,0,730 --movable", "add solid wall box 20 400 100 at 1000,0,760")
    assert blocked(sim) == [("part", "wall"), ("other", "part")]
    assert not [one for one in sim.recording.events if isinstance(one, FellOff)]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1.0, -1.0]))
def test_where_a_triangle_begins_in_a_corridor_agrees_with_many_points_of_it(seed: int, way: float) -> None:
    random = np.random.default_rng(seed)
    facet = random.uniform(-1.0, 1.0, (3, 3))
    corridor = np.array([-0.3, 0.4, -0.2, 0.5])
    weights = random.dirichlet(np.ones(3), 20_000)
    points = weights @ facet
    inside = (points[:, 1] > -0.3) & (points[:, 1] < 0.4) & (points[:, 2] > -0.2) & (points[:, 2] < 0.5)
    (*found,) = _first_places(facet[None], corridor, way)
    if not inside.any():
        return  # grazed at most
    least = float((way * points[inside, 0]).min())
    assert len(found) == 1
    assert found[0] <= least + 1e-12
    assert found[0] > least - 0.1

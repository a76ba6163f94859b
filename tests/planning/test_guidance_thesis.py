"""The figures of the guidance thesis, recomputed by another program, and those of scenes in space."""

from __future__ import annotations

import numpy as np
import pytest
from guidance_scenes import (
    FOLDED,
    GOAL,
    PLANAR,
    PLUG,
    POSTS,
    REFERENCE,
    SCENES,
    SPATIAL,
    TWISTED,
    three_spheres,
)

from workcell.planning.guidance.constants import Constants
from workcell.planning.guidance.runs import guide_links

READINGS = ["corrected", "listing"]


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize(
    "known", [one for one in REFERENCE["runs"] if one["status"] == "reached"], ids=lambda o: o["dt"]
)
def test_the_planar_example_arrives_as_the_thesis_does(known, reading):
    found = guide_links(
        PLANAR, FOLDED, GOAL, POSTS, Constants(reading=reading), period=known["dt"], tolerance=known["tol"]
    )
    assert found.outcome == "arrived"
    assert abs(found.steps - known["steps"]) <= 1
    assert found.clearance == pytest.approx(known["min_clearance"], abs=0.002)
    assert found.fastest == pytest.approx(known["max_theta_rate"], abs=0.01)


def test_its_successive_positions_are_those_of_the_other_program():
    found = guide_links(PLANAR, FOLDED, GOAL, POSTS, Constants(reading="listing"), period=0.1)
    assert len(REFERENCE["snapshots"]) == 21
    for shown in REFERENCE["snapshots"]:
        row = found.states[shown["step"]]
        np.testing.assert_allclose(row[13:19], shown["theta"], atol=2e-4)
        np.testing.assert_allclose(found.points[shown["step"]][:, :2], shown["points"], atol=5e-4)


def test_a_period_that_is_too_long_does_not_arrive_and_says_so():
    found = guide_links(PLANAR, FOLDED, GOAL, POSTS, period=0.4)
    assert found.outcome == "stalled"
    assert "no progress" in found.sentence
    assert found.clearance == pytest.approx(0.2296, abs=0.002)


@pytest.mark.parametrize(
    ("change", "constants"),
    [
        ("attraction weaker CT=1", {"top_up": 1.0}),
        ("H=0.2", {"reach": 0.2}),
        ("H=0.8", {"reach": 0.8}),
        ("DED=1 (no halving)", {"sharing": 1.0}),
        ("DUM=0.8", {"speed": 0.8}),
        ("DUM=0.2", {"speed": 0.2}),
    ],
)
def test_other_constants_change_it_as_they_change_the_other_program(change, constants):
    known = next(one for one in REFERENCE["other constants"] if one["change"] == change)
    found = guide_links(
        PLANAR, FOLDED, GOAL, POSTS, Constants(reading="listing", **constants), period=0.05, tolerance=0.03
    )
    assert found.outcome == "arrived"
    assert abs(found.steps - known["steps"]) <= 2  # the other program stopped at tolerances of its own
    assert found.clearance == pytest.approx(known["min_clearance"], abs=0.002)


@pytest.mark.parametrize("reading", READINGS)
def test_a_plugged_gap_stalls_without_contact(reading):
    found = guide_links(PLANAR, FOLDED, GOAL, (*POSTS, PLUG), Constants(reading=reading))
    assert found.outcome == "stalled"
    assert found.distance == pytest.approx(4.19, abs=0.01)
    assert found.clearance > 0.3


@pytest.mark.parametrize("cap", [0.5, 3.0, 10.0])
def test_rates_stay_under_the_cap_where_the_destination_is_out_of_reach(cap):
    found = guide_links(PLANAR, FOLDED, (12.0, 8.0, 0.0), POSTS, Constants(rate_cap=cap))
    assert found.outcome == "stalled"
    assert found.fastest <= cap * (1 + 1e-12)
    assert found.clearance > 0.25


def test_without_a_cap_the_rates_blow_up_as_they_did_in_the_other_program():
    free = Constants(reading="listing", rate_cap=np.inf)
    found = guide_links(PLANAR, FOLDED, (12.0, 8.0, 0.0), POSTS, free, time=60.0, patience=100.0)
    assert found.fastest == pytest.approx(253.37, abs=0.01)


@pytest.mark.parametrize("known", REFERENCE["in space"], ids=lambda one: one["case"])
def test_scenes_in_space_arrive_as_in_the_other_program(known):
    goal, obstacles = SCENES[known["case"]]
    found = guide_links(SPATIAL, TWISTED, goal, obstacles, Constants(reading="listing"))
    assert found.outcome == "arrived"
    assert abs(found.steps - known["steps"]) <= 1
    assert found.clearance == pytest.approx(known["min_clearance"], abs=0.002)
    np.testing.assert_allclose(found.states[-1][13:19], known["final_theta"], atol=5e-4)
    np.testing.assert_allclose(found.states[-1][7:13], known["final_alpha"], atol=2e-3)


@pytest.mark.parametrize("case", SCENES)
def test_scenes_in_space_stay_clear_with_the_corrections_too(case):
    goal, obstacles = SCENES[case]
    found = guide_links(SPATIAL, TWISTED, goal, obstacles)
    assert found.outcome == "arrived"
    assert found.clearance > 0.36


def random_scenes(seeds) -> None:
    for seed in seeds:
        goal, spheres = three_spheres(seed)
        found = guide_links(SPATIAL, TWISTED, goal, spheres, period=0.1, time=200.0)
        assert found.outcome in ("arrived", "stalled"), (seed, found.sentence)
        assert found.clearance > 0.0, seed


def test_among_random_spheres_the_arm_arrives_or_stalls_and_never_touches():
    random_scenes(range(20))


@pytest.mark.soak
def test_among_200_scenes_of_random_spheres_the_arm_never_touches():
    random_scenes(range(200))

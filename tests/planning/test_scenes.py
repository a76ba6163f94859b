"""Pillars, a shelf with bins, a narrow gap: every path that is found is proved and touches nothing by a check of its own.

The scenes and queries are those of bench/planning.py. Here are four queries of each of the nine; the soak test has 50.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from planning_cells import touches_somewhere

import workcell as wc
from workcell.collision.bodies import collision_model
from workcell.collision.clearance import clearance
from workcell.errors import GoalBlocked, NoPath, StartBlocked

SEED = 90001


def _scenes():
    file = Path(__file__).parents[2] / "bench" / "planning_scenes.py"
    spec = importlib.util.spec_from_file_location("planning_scenes", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


scenes = _scenes()
EACH = [(scene, robot) for scene in scenes.SCENES for robot in scenes.REACH]


def solved(cell, start, goal, budget):
    """Whether a path is found, which must be free; an end within a millimetre of a contact may be refused as such."""
    try:
        plan = wc.find_path(cell, "Arm", goal, start=start, budget=budget)
    except (StartBlocked, GoalBlocked):
        model, state = collision_model(cell.snapshot(), warn=False), cell.snapshot().initial
        assert min(clearance(model, state.with_joints("Arm", q)).distance for q in (start, goal)) < 1e-3
        return True
    except NoPath:
        return False
    assert plan.proof.free
    assert not touches_somewhere(cell, plan)
    return True


@pytest.mark.parametrize(("scene", "robot"), EACH)
def test_four_queries_of_every_scene_are_solved_and_free(scene, robot):
    with scenes.SCENES[scene](robot) as cell:
        for start, goal in scenes.queries(cell, scene, 4, SEED):
            assert solved(cell, start, goal, budget=20.0)


@pytest.mark.soak
def test_two_seconds_solve_98_of_100_queries_that_a_minute_solves():
    asked = lost = 0
    for scene, robot in EACH:
        with scenes.SCENES[scene](robot) as cell:
            for start, goal in scenes.queries(cell, scene, 50, SEED):
                if solved(cell, start, goal, budget=2.0):
                    asked += 1
                elif solved(cell, start, goal, budget=60.0):
                    asked, lost = asked + 1, lost + 1
    print(f"{asked} queries that a minute solves, {lost} of them not in 2 s")
    assert lost <= 0.02 * asked

"""Planners of OMPL by name: their paths are proved like any other, come again, and are refused in one sentence."""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest
from planning_cells import free_configurations, pillars, touches_somewhere

from workcell.errors import Cancelled, MissingDependency, NoPath, UnknownName
from workcell.planning import ompl_planners
from workcell.planning.find_path import find_path
from workcell.planning.planners import planner_named, planner_names


@pytest.fixture(scope="module")
def cell():
    with pillars() as made:
        yield made


@pytest.fixture(scope="module")
def ends(cell):
    """A start and a goal that no straight motion joins."""
    free = free_configurations(cell, 24, seed=3)
    for start, goal in zip(free[::2], free[1::2], strict=True):
        if found(cell, (start, goal), "rrt-connect").method != "direct":
            return start, goal
    raise AssertionError("every straight motion is free")


def found(cell, ends, planner, **options):
    options = {"budget": 60.0, **options}
    return find_path(cell.snapshot(), cell.state, "Arm", ends[1], start=ends[0], planner=planner, **options)


@pytest.mark.parametrize("name", ["RRTConnect", "BITstar", "KPIECE1", "RRTstar"])
def test_a_path_of_ompl_is_proved_and_comes_again(cell, ends, name):
    plan, again = (found(cell, ends, f"ompl:{name}", seed=4) for _ in range(2))
    assert plan.method == f"ompl:{name}"
    assert plan.proof.free
    assert not touches_somewhere(cell, plan)
    np.testing.assert_array_equal(plan.waypoints[[0, -1]], ends)
    np.testing.assert_array_equal(plan.waypoints, again.waypoints)
    assert plan.tries[-1].how == plan.method


def test_another_process_finds_the_same_path(cell, ends):
    code = (
        "import sys; sys.path.insert(0, 'tests/planning')\n"
        "import numpy as np\n"
        "from planning_cells import pillars\n"
        "from workcell.planning.find_path import find_path\n"
        f"start, goal = {ends[0].tolist()}, {ends[1].tolist()}\n"
        "with pillars() as cell:\n"
        "    plan = find_path(cell.snapshot(), cell.state, 'Arm', goal, start=start, seed=4, budget=60.0,\n"
        "                     planner='ompl:RRTConnect')\n"
        "    print(plan.waypoints.tobytes().hex())\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert told.stdout.strip() == found(cell, ends, "ompl:RRTConnect", seed=4).waypoints.tobytes().hex()
    assert told.stderr == ""


def test_each_planner_that_is_named_can_be_made(cell, ends):
    names = [name for name in planner_names() if name.startswith("ompl:")]
    assert "ompl:RRTConnect" in names
    for name in names:
        # One tested configuration is never enough, so that nothing is found.
        with pytest.raises(NoPath, match="No path of Arm was found"):
            found(cell, ends, name, effort=1)


def test_counted_work_ends_a_search_and_cancel_stops_it(cell, ends):
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        found(cell, ends, "ompl:RRTConnect", cancel=cancel)


def test_an_unknown_name_is_refused_with_those_that_exist():
    with pytest.raises(UnknownName, match="no planner of OMPL called 'RTConnect'; did you mean RRTConnect"):
        planner_named("ompl:RTConnect")
    with pytest.raises(UnknownName, match=r"called 'x'; there is AORRTC, .*BITstar, .*RRTConnect"):
        planner_named("ompl:x")
    with pytest.raises(UnknownName, match="no planner called 'rrt-conect'; did you mean rrt-connect"):
        planner_named("rrt-conect")


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setattr(ompl_planners, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match="'ompl:RRTConnect' needs OMPL, which is not installed: pip install"):
        planner_named("ompl:RRTConnect")
    assert planner_names() == ("rrt-connect",)

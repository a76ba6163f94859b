"""Learning: runs are kept, improved by other constants, and the best is replayed."""

from __future__ import annotations

import numpy as np
import pytest
from guidance_scenes import FOLDED, GOAL, PLANAR, POSTS

from workcell.errors import InvalidValue
from workcell.planning.guidance.constants import Constants
from workcell.planning.guidance.learning import Experience, replayed, time_taken, way_taken
from workcell.planning.guidance.runs import GuidedRun, guide_links


def task(constants: Constants) -> GuidedRun:
    return guide_links(PLANAR, FOLDED, GOAL, POSTS, constants, period=0.1)


@pytest.mark.parametrize("score", [time_taken, way_taken])
def test_the_best_run_only_gets_better_and_is_a_run_that_was_made(score):
    first = task(Constants())
    known = Experience(score=score).kept(first)
    after = known.improved(task, tries=8, seed=3)
    assert len(after.runs) == 9
    assert score(after.best) < score(first)
    assert after.best.outcome == "arrived"
    assert after.best.clearance > 0.0
    again = task(after.best.constants)
    np.testing.assert_array_equal(again.states, after.best.states)
    assert score(known.improved(task, tries=8, seed=3).best) == score(after.best)


def test_the_best_is_replayed():
    run = task(Constants())
    np.testing.assert_allclose(replayed(run, 1.0), run.states[10])
    np.testing.assert_allclose(replayed(run, 1e9), run.states[-1])
    half = replayed(run, 1.05)
    np.testing.assert_allclose(half, (run.states[10] + run.states[11]) / 2)


def test_runs_that_arrive_come_before_those_that_do_not():
    good, bad = task(Constants()), guide_links(PLANAR, FOLDED, GOAL, POSTS, period=0.4)
    assert Experience().kept(bad).kept(good).best is good
    with pytest.raises(InvalidValue, match="no run to learn from"):
        Experience().best
    with pytest.raises(InvalidValue, match="at least once"):
        Experience().kept(good).improved(task, tries=0)

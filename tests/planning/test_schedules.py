"""Schedules of programs that share space: the order of visits, and runs that never touch and never deadlock."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.errors import Refused
from workcell.planning.visit_order import Job, Visit, arrivals, best_order, waits_for

SPAN = st.integers(0, 5).map(float)


@st.composite
def job(draw):
    """A program with some visits to two zones."""
    at, visits = 0.0, []
    for zone in draw(st.lists(st.integers(0, 1), max_size=3)):
        at += draw(SPAN)
        end = at + draw(SPAN) + 1.0
        visits.append(Visit(zone, at, end))
        at = end
    return Job(at + draw(SPAN), tuple(visits))


def simulated(jobs, order):
    """When the last program ends if zones are entered in an order of all visits; None where the order is not one."""
    left, free, place = [0.0] * len(jobs), {}, [0] * len(jobs)
    for i, number in order:
        if place[i] != number:
            return None
        visit = jobs[i].visits[number]
        own = jobs[i].visits[number - 1].end if number else 0.0
        start = max(left[i] + visit.begin - own, free.get(visit.zone, 0.0))
        left[i] = free[visit.zone] = start + visit.end - visit.begin
        place[i] += 1
    last = [one.visits[-1].end if one.visits else 0.0 for one in jobs]
    return max(left[i] + one.duration - last[i] for i, one in enumerate(jobs))


def exhaustive(jobs):
    """The soonest end over all orders of all visits."""
    every = [(i, number) for i, one in enumerate(jobs) for number in range(len(one.visits))]
    ends = [simulated(jobs, order) for order in itertools.permutations(every)]
    return min(end for end in ends if end is not None)


@settings(max_examples=60, deadline=None)
@given(st.lists(job(), min_size=2, max_size=2))
def test_the_best_order_is_that_of_an_exhaustive_search(jobs):
    found = best_order(jobs, {})
    assert found.best
    assert found.duration == pytest.approx(exhaustive(jobs))
    assert found.duration >= max(one.duration for one in jobs)
    assert simulated(jobs, found.order) == pytest.approx(found.duration)


@settings(max_examples=60, deadline=None)
@given(st.lists(job(), min_size=2, max_size=3))
def test_waits_make_programs_arrive_in_the_best_order(jobs):
    found = best_order(jobs, {})
    waits = waits_for(jobs, found)
    run = arrivals(jobs, waits)
    for zone in (0, 1):
        wanted = [one for one in found.order if jobs[one[0]].visits[one[1]].zone == zone]
        assert sorted(wanted, key=lambda one: run.entries[one]) == wanted
    assert max(run.ends) <= found.duration + 1e-3 * (1 + len(found.order))


def test_required_orders_are_kept_or_refused():
    jobs = [Job(2.0, (Visit(0, 0.0, 1.0),)), Job(2.0, (Visit(0, 1.0, 2.0),))]
    assert best_order(jobs, {}).order == ((0, 0), (1, 0))
    assert best_order(jobs, {(0, 0): frozenset({(1, 0)})}).order == ((1, 0), (0, 0))
    assert best_order(jobs, {(0, 0): frozenset({(1, 0)}), (1, 0): frozenset({(0, 0)})}) is None


# ---- programs -----------------------------------------------------------------------------------------------


def fixture():
    """Two arms that work at their own places, and at one fixture between them."""
    cell = wc.Cell()
    cell.do("create robot A puma560 joints 90,20,-120,0,60,0")
    cell.do("create robot B puma560 at 1300,0,0 rotate 0,0,180 joints 90,20,-120,0,60,0")
    return cell


def program(name, rng, robot):
    """A random program: work aside, and visits to the fixture."""
    lines, at_fixture = [], False
    for _ in range(rng.integers(3, 6)):
        at_fixture = not at_fixture and rng.random() < 0.6
        turn = rng.uniform(5, 25) if at_fixture else rng.uniform(80, 110)
        lines.append(f"move-joints-absolute {robot} {turn:.1f},20,-120,0,60,0")
        if rng.random() < 0.4:
            lines.append(f"wait {rng.uniform(0.1, 1.0):.2f}")
    lines.append(f"home {robot}")
    return f'write program {name} "{"%0A".join(lines)}"'


@pytest.mark.parametrize("seed", range(4))
def test_random_programs_run_watched_by_proof_without_contact_or_deadlock(seed):
    cell, rng = fixture(), np.random.default_rng(seed)
    cell.do(program("left", rng, "A"))
    cell.do(program("right", rng, "B"))
    answer = cell.do("schedule left right")
    assert answer.best
    assert answer.alone - 1e-9 <= answer.duration <= answer.in_turn + 0.01
    cell.do("watch certified")
    ran = str(cell.do("run-together left right"))
    assert f"simulated time {answer.duration:.2f}"[:-1] in ran
    assert "proved" in str(cell.do("check recording"))
    # Exclusion does not depend on how fast the programs are, nor on who begins.
    for speed, order in (("A 30", "left right"), ("B 20", "right left")):
        cell.do(f"speed {speed}")
        cell.do(f"run-together {order}")
        assert "proved" in str(cell.do("check recording"))


def test_a_schedule_is_undone_and_survives_a_new_name():
    cell, rng = fixture(), np.random.default_rng(0)
    cell.do(program("left", rng, "A"))
    cell.do(program("right", rng, "B"))
    before = str(cell.do("steps left"))
    cell.do("schedule left right")
    assert "enter-zone shared-1" in str(cell.do("steps left"))
    cell.do("modify zone:shared-1 name nest")
    assert "enter-zone nest" in str(cell.do("steps left"))
    cell.do("run-together left right")
    cell.do("undo")
    cell.do("undo")
    cell.do("undo")
    assert str(cell.do("steps left")) == before
    assert "shared-1" not in str(cell.do("zones"))


def test_programs_that_never_meet_stay_as_they_are():
    cell = fixture()
    cell.do('write program left "move-joints-absolute A 100,20,-120,0,60,0%0Ahome A"')
    cell.do('write program right "move-joints-absolute B 100,20,-120,0,60,0%0Ahome B"')
    answer = cell.do("schedule left right")
    assert answer.visits == ()
    assert answer.duration == pytest.approx(answer.alone)
    assert "enter-zone" not in str(cell.do("steps left"))


def test_a_given_zone_is_used():
    cell = fixture()
    cell.do("add zone nest box 400 400 400 at 650,0,700 rule shared")
    cell.do('write program left "move-joints-absolute A 15,20,-120,0,60,0%0Ahome A"')
    cell.do('write program right "move-joints-absolute B 15,20,-120,0,60,0%0Ahome B"')
    answer = cell.do("schedule left right in nest")
    assert answer.zones == ()
    assert {one.zone for one in answer.visits} == {"nest"}


def test_bad_input_has_one_line():
    cell = fixture()
    cell.do("create signal go")
    cell.do("add zone out box 100 100 100 at 3000,0,0")
    cell.do('write program left "move-joints-absolute A 15,20,-120,0,60,0%0Ahome A"')
    cell.do('write program again "move-joints-relative A 5,0,0,0,0,0"')
    cell.do('write program right "move-joints-absolute B 15,20,-120,0,60,0"')
    cell.do('write program waits "wait-for go%0Ahome B"')
    for line, text in [
        ("schedule left", "two programs"),
        ("schedule left again", "both move A"),
        ("schedule left waits", "Line 1 of program 'waits' waits for others"),
        ("schedule left right in out", "rule shared"),
    ]:
        with pytest.raises(Refused, match=text) as caught:
            cell.do(line)
        assert "\n" not in str(caught.value)


def test_who_ends_in_the_way_goes_last():
    cell = fixture()
    cell.do('write program left "move-joints-absolute A 15,20,-120,0,60,0%0Await 2%0Ahome A"')
    cell.do('write program right "move-joints-absolute B 15,20,-120,0,60,0"')
    answer = cell.do("schedule left right")
    assert [one.program for one in answer.visits] == ["left", "right"]
    cell.do("run-together left right")
    assert "proved" in str(cell.do("check recording"))
    cell.do('write program ends "move-joints-absolute A 15,20,-120,0,60,0"')
    cell.do('write program stays "move-joints-absolute B 15,20,-120,0,60,0"')
    with pytest.raises(Refused, match="in each other's way"):
        cell.do("schedule ends stays")


def test_a_program_that_moves_nothing_is_scheduled():
    cell = fixture()
    cell.do('write program left "move-joints-relative A 5,0,0,0,0,0"')
    cell.do('write program still "wait 1"')
    cell.do('write program longer "wait 2"')
    assert "run together in 1.0000 s" in str(cell.do("schedule left still"))
    assert "run together in 2.0000 s" in str(cell.do("schedule longer still"))

"""The summaries of all drives equal what a loop over the drives finds."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from workcell.motion.running import FOREVER
from workcell.motion.trajectory import Trajectory
from workcell.simulation.agenda import Agenda, Kind
from workcell.simulation.drives import Follow
from workcell.simulation.planned import Planned
from workcell.simulation.under_way import Drives

NAMES = [f"R{k}" for k in range(12)]
steps = st.lists(
    st.one_of(
        st.tuples(st.just("set"), st.sampled_from(NAMES), st.integers(0, 50), st.integers(0, 50), st.booleans()),
        st.tuples(st.just("delete"), st.sampled_from(NAMES)),
        st.tuples(st.just("clear")),
        st.tuples(st.just("ask")),
    ),
    max_size=200,
)


def drive(name: str, begin: int, seconds: int, endless: bool) -> Follow:
    duration = FOREVER if endless else float(seconds)
    planned = Planned(name, Trajectory.constant(np.zeros(1), duration), np.zeros(1), np.zeros(1), 0.1, 0.1)
    return Follow(float(begin), planned, planned.motion, float(begin))


@given(steps)
def test_the_last_end_and_the_order_are_those_of_all_drives(done):
    drives, plain = Drives(), {}
    for what, *about in done:
        if what == "set":
            name, begin, seconds, endless = about
            drives[name] = plain[name] = drive(name, begin, seconds, endless)
        elif what == "delete" and about[0] in plain:
            del drives[about[0]], plain[about[0]]
        elif what == "clear":
            drives.clear()
            plain.clear()
        else:
            ends = [one.begin + one.planned.duration for one in plain.values() if not one.endless]
            assert drives.last == max(ends, default=-math.inf)
    assert list(drives) == list(plain)
    assert sorted(plain, key=drives.place) == list(plain)
    assert drives.endless == {name for name, one in plain.items() if one.endless}


@given(st.lists(st.tuples(st.integers(0, 20), st.sampled_from(list(Kind))), max_size=60), st.integers(0, 20))
def test_an_agenda_does_what_is_due_in_the_order_of_instants_and_kinds(entries, now):
    agenda, found = Agenda(), []
    for number, (time, kind) in enumerate(entries):
        agenda.enter(time, kind, lambda number=number: found.append(number))
    order = sorted(range(len(entries)), key=lambda number: (*entries[number], number))
    assert len(agenda.actions) == len(entries)
    agenda.do(now)
    assert found == [number for number in order if entries[number][0] <= now]
    assert agenda.next == min((time for time, _ in entries if time > now), default=math.inf)

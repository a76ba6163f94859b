"""Parts on running belts: they ride, change belts, meet stops and each other, and fall off the end."""

from __future__ import annotations

import itertools
import math

import pytest

import workcell as wc
from workcell.errors import FallStop
from workcell.simulation.events import Blocked, Event, Fell, FellOff, HandedOver, Rides
from workcell.spatial.pose import Pose

SPEED, RAMP = 0.2, 0.2 / 0.75


def cell_of(*commands: str) -> wc.Cell:
    cell = wc.Cell()
    for one in commands:
        cell.do(one)
    return cell


LINE = (
    "add conveyor A 1000 at 0,0,0",
    "add conveyor B 1000 at 1120,0,0",
    "modify A runs 200mm/s",
    "modify B runs 100mm/s",
)


def cube(name: str, x: float, y: float = 0.0, size: float = 200.0, z: float = 700.0) -> str:
    return f"add solid {name} box {size:g} 100 80 at {x:g},{y:g},{z + 40:g} --movable"


def events(sim: wc.Simulator, kind: type[Event]) -> list[Event]:
    return [one for one in sim.recording.events if isinstance(one, kind)]


def at(sim: wc.Simulator, part: str) -> Pose:
    return sim.snapshot.body_pose(sim.state, part)


def test_what_lies_on_a_belt_rides_when_it_starts_and_what_lies_beside_it_does_not() -> None:
    sim = wc.Simulator(cell_of("add conveyor A 1000", cube("on", 200), cube("beside", 200, 900, z=0.0)))
    sim.wait(1.0)
    assert at(sim, "on").xyz[0] == 0.2
    sim.conveyor("A").run(SPEED)
    sim.wait(1.0)
    assert [(one.part, one.on) for one in events(sim, Rides)] == [("on", "A")]
    assert at(sim, "on").xyz[0] == pytest.approx(0.2 + SPEED * (1.0 - RAMP / 2), abs=1e-9)
    assert at(sim, "beside").xyz[0] == 0.2


def test_a_part_goes_to_the_next_belt_when_its_middle_has_passed_the_end() -> None:
    sim = wc.Simulator(cell_of(*LINE, cube("part", 300)))
    sim.wait(6.0)
    (over,) = events(sim, HandedOver)
    assert over.time == pytest.approx(0.7 / 0.2, abs=2e-9)
    assert (over.part, over.conveyor, over.to) == ("part", "A", "B")
    assert at(sim, "part").xyz[0] == pytest.approx(1.0 + 0.1 * (6.0 - 3.5), abs=1e-9)
    assert sim.recording.state_at(3.5 - 1e-6).attached["part"].frame == "A/link 1"
    assert sim.recording.state_at(3.5 + 1e-6).attached["part"].frame == "B/link 1"


def test_a_belt_at_an_angle_takes_a_part_over_with_its_pose() -> None:
    sim = wc.Simulator(
        cell_of("add conveyor A 1000", "add conveyor B 1500 at 1320,-500,2 rotate 0,0,90", cube("part", 500, size=400),
                "modify A runs 200mm/s", "modify B runs 150mm/s")
    )  # fmt: skip
    sim.wait(4.5)
    x, y, z = at(sim, "part").xyz
    assert (x, z) == (pytest.approx(1.0, abs=1e-9), 0.74)
    assert y == pytest.approx(0.15 * (4.5 - 2.5), abs=1e-9)
    assert sim.state.attached["part"].frame == "B/link 1"


def test_a_belt_that_runs_back_hands_over_at_its_other_end() -> None:
    sim = wc.Simulator(cell_of(*LINE[:2], cube("part", 1500)))
    sim.conveyor("B").run(-SPEED)
    sim.conveyor("A").run(-SPEED)
    sim.wait(6.0)
    (over,) = events(sim, HandedOver)
    assert (over.conveyor, over.to) == ("B", "A")
    assert over.time == pytest.approx((1.5 - 1.12) / SPEED + RAMP / 2, abs=2e-9)


def test_a_belt_that_turns_round_takes_its_parts_back() -> None:
    sim = wc.Simulator(cell_of("add conveyor A 1000", cube("part", 500)))
    sim.conveyor("A").run(SPEED)
    sim.wait(2.0)
    sim.conveyor("A").run(-SPEED)
    sim.wait(2.0)
    assert not events(sim, FellOff)
    there = at(sim, "part").xyz[0]
    sim.wait(there / SPEED + 0.1)
    assert len(events(sim, FellOff)) == 1


def test_parts_stand_behind_one_on_a_belt_that_stands_and_go_on_with_it() -> None:
    sim = wc.Simulator(cell_of(*LINE[:3], cube("first", 1400), cube("second", 600), cube("third", 200)))
    sim.wait(8.0)  # B stands
    places = [at(sim, name).xyz[0] for name in ("first", "second", "third")]
    assert places[0] == pytest.approx(1.4, abs=1e-12)
    assert places[1] == pytest.approx(1.0, abs=1e-8) or places[1] == pytest.approx(1.2, abs=2e-5)
    assert places[1] - places[2] == pytest.approx(0.2, abs=3e-5)
    sim.conveyor("B").run(0.1)
    sim.wait(3.0)
    after = [at(sim, name).xyz[0] for name in ("first", "second", "third")]
    assert after[0] > places[0] + 0.2
    assert after[1] > places[1] + 0.2
    assert all(a - b >= 0.2 - 1e-7 for a, b in itertools.pairwise(after))


def test_a_part_that_nobody_takes_falls_and_that_is_an_event() -> None:
    sim = wc.Simulator(cell_of("add conveyor A 1000", "modify A runs 200mm/s", cube("part", 300)))
    sim.wait(5.0)
    (off,), (fell,) = events(sim, FellOff), events(sim, Fell)
    assert off.time == fell.time == pytest.approx(3.5, abs=2e-9)
    assert at(sim, "part").xyz[2] == pytest.approx(0.04, abs=1e-9)
    assert at(sim, "part").xyz[0] >= 1.06 + 0.1


def test_where_it_is_watched_a_part_that_would_fall_stops_the_line() -> None:
    cell = cell_of("add conveyor A 1000", "modify A runs 200mm/s", cube("part", 300), "watch yes")
    sim = wc.Simulator(cell)
    with pytest.raises(FallStop) as stop:
        sim.wait(5.0)
    assert stop.value.evidence["stopped"] == pytest.approx(3.5, abs=2e-9)
    assert sim.conveyor("A").set_speed == 0.0
    assert at(sim, "part").xyz[2] == 0.74


@pytest.mark.parametrize("watch", ["watch yes", "watch certified"])
def test_a_watched_line_hands_over_and_queues_without_a_contact(watch: str) -> None:
    sim = wc.Simulator(cell_of(*LINE, cube("one", 300), cube("two", 60), watch))
    sim.wait(7.0)
    assert len(events(sim, HandedOver)) == 2


def test_looking_at_a_line_changes_no_byte() -> None:
    quiet, watched = (wc.Simulator(cell_of(*LINE, cube("one", 300), cube("two", 60))) for _ in range(2))
    watched.every(0.041, lambda sim: (sim.state, sim.recording.end))
    quiet.wait(18.0)
    watched.wait(18.0)
    assert quiet.recording.to_bytes() == watched.recording.to_bytes()
    assert len(events(quiet, FellOff)) == 2


def test_two_belts_that_run_against_each_other_hold_a_part_between_them() -> None:
    sim = wc.Simulator(cell_of(*LINE[:2], cube("part", 500, size=400)))
    sim.conveyor("A").run(SPEED)
    sim.conveyor("B").run(-SPEED)
    sim.wait(10.0)
    (held,) = events(sim, Blocked)
    assert (held.part, held.conveyor, held.by) == ("part", "A", "B")
    assert at(sim, "part").xyz[0] == pytest.approx(1.0, abs=1e-8)
    assert math.isclose(sim.time, 10.0)


def test_a_run_that_was_saved_hands_over_as_the_run_itself() -> None:
    from workcell.commands.program_store import runnable
    from workcell.simulation.interpreter import Run
    from workcell.simulation.saved_runs import SavedRun

    cell = cell_of(*LINE, cube("one", 300), cube("two", 60), 'write program go "wait 3.5%0Await 1.1%0Await 13"')
    (program,) = cell.session.database.entities("program")
    ready, known = runnable(cell.session, [program])
    whole = Run(wc.Simulator(cell), ready, known)
    whole.go()
    for stands in (1, 2):
        count = iter([False] * stands + [True])
        part = Run(wc.Simulator(cell), ready, known)
        part.go(lambda *_, count=count: next(count))
        again = Run.restored(SavedRun.from_bytes(part.saved().to_bytes()), wc.Simulator(cell))
        again.go()
        assert again.simulator.recording.to_bytes() == whole.simulator.recording.to_bytes()

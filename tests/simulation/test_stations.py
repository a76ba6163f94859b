"""Stops, sources and sinks: parts queue up, come and go, and none is lost."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import workcell as wc
from workcell.errors import InvalidValue, Refused, WorkcellError
from workcell.pictures.scene import scene_of
from workcell.simulation.events import Blocked, Event, FellOff, PartMade, PartTaken, SourceBlocked, SourceEmpty
from workcell.world.absence import absent_parts

BOX = "add solid box1 box 100 80 60 at 0,-900,30 --movable"
LINE = (
    "add conveyor A 1500",
    "add conveyor B 1500 at 1600,0,0",
    "modify A runs 200mm/s",
    "modify B runs 150mm/s",
    BOX,
    "create signal gate",
    "add stop bar on B at 1000 signal gate",
)


def cell_of(*commands: str) -> wc.Cell:
    cell = wc.Cell()
    for one in commands:
        cell.do(one)
    return cell


def events(sim: wc.Simulator, kind: type[Event]) -> list[Event]:
    return [one for one in sim.recording.events if isinstance(one, kind)]


def x_of(sim: wc.Simulator, part: str) -> float:
    return float(sim.snapshot.body_pose(sim.state, part).xyz[0])


def there(sim: wc.Simulator) -> list[str]:
    """The parts of the line that are not absent."""
    return [body.name for body in sim.snapshot.bodies if body.name.startswith("feed-") and body.name not in absent_parts(sim.state)]  # fmt: skip


# ---- stops ------------------------------------------------------------------------------------------------


def test_parts_queue_up_before_a_stop_and_go_on_when_it_goes_down() -> None:
    boxes = [f"add solid p{k} box 100 80 60 at {100 + 250 * k},0,730 --movable" for k in range(4)]
    sim = wc.Simulator(
        cell_of("add conveyor A 2000", "create signal gate", "add stop bar on A at 1500 signal gate", *boxes)
    )
    sim.set_signal("gate", 1.0)
    sim.conveyor("A").run(0.2)
    sim.wait(10.0)
    for place, part in enumerate(("p3", "p2", "p1", "p0")):
        assert x_of(sim, part) == pytest.approx(1.5 - 0.05 - 0.1 * place - 1e-5 * (place + 1), abs=1e-7)
    assert [(one.part, one.by) for one in events(sim, Blocked)] == [
        ("p3", "bar"),
        ("p2", "p3"),
        ("p1", "p2"),
        ("p0", "p1"),
    ]
    ramp = 0.2 / 0.75
    assert events(sim, Blocked)[0].time == pytest.approx((1.45 - 0.85 - 1e-5) / 0.2 + ramp / 2, abs=1e-6)
    before = [x_of(sim, f"p{k}") for k in range(4)]
    sim.set_signal("gate", 0.0)
    sim.wait(1.0)
    assert [x_of(sim, f"p{k}") for k in range(4)] == pytest.approx([x + 0.2 for x in before], abs=1e-9)


def test_a_stop_that_comes_up_under_a_part_lets_it_pass() -> None:
    sim = wc.Simulator(
        cell_of("add conveyor A 2000", "modify A runs 200mm/s", "create signal gate", "add stop bar on A at 500 signal gate",
                "add solid p box 200 80 60 at 450,0,730 --movable")
    )  # fmt: skip
    sim.wait(0.2)
    sim.set_signal("gate", 1.0)
    sim.wait(3.0)
    assert not events(sim, Blocked)
    assert x_of(sim, "p") == pytest.approx(0.45 + 0.64, abs=1e-9)


def test_a_gripper_that_takes_the_first_of_a_queue_lets_the_others_move_up() -> None:
    boxes = [f"add solid p{k} box 100 80 60 at {800 + 250 * k},0,730 --movable" for k in range(2)]
    sim = wc.Simulator(cell_of("add conveyor A 2000", "modify A runs 200mm/s", "add stop bar on A at 1500", *boxes))
    sim.wait(5.0)
    assert len(events(sim, Blocked)) == 2
    from workcell.simulation.happenings import Placed, twelve
    from workcell.spatial.pose import Pose

    sim.apply(Placed(sim.now, "p1", twelve(Pose.from_xyz(0.0, 2.0, 0.03))))
    sim.wait(2.0)
    assert x_of(sim, "p0") == pytest.approx(1.45 - 1e-5, abs=1e-7)


# ---- sources and sinks ------------------------------------------------------------------------------------


def test_a_source_makes_parts_at_equal_times_and_a_sink_takes_them() -> None:
    sim = wc.Simulator(cell_of(*LINE, "add source feed of box1 on A every 2s stock 12", "add sink out on B"))
    sim.wait(40.0)
    made, taken = events(sim, PartMade), events(sim, PartTaken)
    assert [one.time for one in made] == [2.0 * k for k in range(len(made))]
    first = 1.45 / 0.2 + (3.1 - 1.5) / 0.15
    assert [one.time for one in taken] == pytest.approx([first + 2.0 * k for k in range(len(taken))], abs=1e-7)
    assert sim.signal("feed/count") == len(made)
    assert sim.signal("out/count") == len(taken)
    assert len(made) == len(taken) + len(there(sim))


def test_a_source_by_way_spaces_parts_whatever_the_speed() -> None:
    sim = wc.Simulator(cell_of("add conveyor A 5000", BOX, "add source feed of box1 on A spacing 300 stock 20"))
    belt = sim.conveyor("A")
    for speed in (0.1, 0.3, 0.0, 0.2):
        belt.run(speed)
        sim.wait(3.0)
    places = sorted(x_of(sim, part) for part in there(sim))
    assert len(places) >= 4
    assert np.diff(places) == pytest.approx([0.3] * (len(places) - 1), abs=1e-8)


def test_random_intervals_are_the_same_for_the_same_seed_and_have_their_mean() -> None:
    def times(seed: int) -> list[float]:
        cell = cell_of("add conveyor A 5000", "modify A runs 300mm/s", BOX, "add sink out on A at 400",
                       f"add source feed of box1 on A every 2s stock 40 seed {seed}")  # fmt: skip
        sim = wc.Simulator(cell)
        sim.wait(300.0)
        return [one.time for one in sim.recording.events if isinstance(one, PartMade | SourceBlocked)]

    one = times(3)
    assert one == times(3)
    assert one != times(4)
    assert float(np.diff(one).mean()) == pytest.approx(2.0, rel=0.3)


def test_an_empty_source_says_so_once_and_goes_on_when_a_part_is_back() -> None:
    sim = wc.Simulator(
        cell_of("add conveyor A 1000", "modify A runs 200mm/s", BOX, "add source feed of box1 on A every 1s stock 2", "add sink out on A")
    )  # fmt: skip
    sim.wait(20.0)
    empty, made, taken = events(sim, SourceEmpty), events(sim, PartMade), events(sim, PartTaken)
    assert empty
    assert empty[0].time == 2.0
    assert made[2].time == pytest.approx(taken[0].time, abs=1e-9)
    assert len(made) == len(taken) + len(there(sim))


def test_a_source_makes_no_more_than_it_is_to() -> None:
    sim = wc.Simulator(
        cell_of("add conveyor A 1000", "modify A runs 200mm/s", BOX, "add source feed of box1 on A every 1s stock 4 most 3 first 0.5s", "add sink out on A")
    )  # fmt: skip
    sim.wait(20.0)
    assert [one.time for one in events(sim, PartMade)] == [0.5, 1.5, 2.5]
    assert len(events(sim, PartTaken)) == 3


def test_a_source_leaves_a_part_out_where_another_lies() -> None:
    sim = wc.Simulator(cell_of("add conveyor A 1000", BOX, "add source feed of box1 on A every 1s stock 4"))
    sim.wait(2.5)
    assert len(events(sim, PartMade)) == 1
    assert [one.time for one in events(sim, SourceBlocked)] == [1.0]


def test_what_is_absent_is_not_drawn_not_touched_not_sensed_and_not_weighed() -> None:
    cell = cell_of("add conveyor A 1000", BOX, "add source feed of box1 on A every 1s stock 4 first 5s",
                   "add proximity-sensor near distance 3000 at 0,0,0", "watch yes")  # fmt: skip
    snapshot = cell.snapshot()
    assert absent_parts(snapshot.initial) == {f"feed-{k}" for k in range(1, 5)}
    assert not {item.name for item in scene_of(snapshot, snapshot.initial).items} & absent_parts(snapshot.initial)
    assert "feed" not in str(cell.do("contacts"))
    assert "feed-1" not in str(cell.do("sensors"))


# ---- life -------------------------------------------------------------------------------------------------

FULL = (*LINE, "add source feed of box1 on A every 2s stock 12", "add sink out on B")
GO = 'write program go "wait 20%0Aset-signal gate 1%0Await 15%0Aset-signal gate 0%0Await 30"'


def test_no_part_is_lost_between_source_and_sink() -> None:
    sim = wc.Simulator(cell_of(*FULL))
    for gate in (0.0, 1.0, 0.0, 1.0, 0.0):
        sim.set_signal("gate", gate)
        for _ in range(4):
            sim.wait(4.3)
            made, taken = sim.signal("feed/count"), sim.signal("out/count")
            assert made == taken + len(there(sim))
            xs = sorted(x_of(sim, part) for part in there(sim))
            assert all(b - a >= 0.1 - 1e-7 for a, b in itertools.pairwise(xs))


def test_a_saved_run_of_a_line_goes_on_as_the_run_itself() -> None:
    from workcell.commands.program_store import runnable
    from workcell.simulation.interpreter import Run
    from workcell.simulation.saved_runs import SavedRun

    cell = cell_of(*FULL, GO)
    (program,) = cell.session.database.entities("program")
    ready, known = runnable(cell.session, [program])
    whole = Run(wc.Simulator(cell), ready, known)
    whole.go()
    for stands in (1, 3, 4):
        count = iter([False] * stands + [True])
        part = Run(wc.Simulator(cell), ready, known)
        part.go(lambda *_, count=count: next(count))
        again = Run.restored(SavedRun.from_bytes(part.saved().to_bytes()), wc.Simulator(cell))
        again.go()
        assert again.simulator.recording.to_bytes() == whole.simulator.recording.to_bytes()


def test_typed_lines_and_a_program_record_the_same_line() -> None:
    typed, programmed = cell_of(*FULL), cell_of(*FULL, GO)
    for one in ("wait 20", "set-signal gate 1", "wait 15", "set-signal gate 0", "wait 30"):
        typed.do(one)
    programmed.do("run go")
    assert typed.session.recording.to_bytes() == programmed.session.recording.to_bytes()
    assert typed.do("report").conveyors == programmed.do("report").conveyors


def test_a_rename_follows_and_undo_brings_the_line_back() -> None:
    cell = cell_of(*FULL)
    before = cell.snapshot()
    for one in ("modify A name First", "modify gate name lock", "modify feed name inlet", "modify feed-2 name crate"):
        cell.do(one)
    by_name = {one.name: one for one in cell.snapshot().stations}
    assert by_name["inlet"].conveyor == "First"
    assert by_name["bar"].signal == "lock"
    assert by_name["inlet"].stock[1] == "crate"
    assert not any(one.problem for one in cell.snapshot().stations)
    cell.do("wait 5")
    cell.do("modify inlet name entry")
    assert cell.session.state.signals["entry/count"] == 3.0
    assert {one.source for one in cell.session.recording.events if isinstance(one, PartMade)} == {"entry"}
    cell.do("wait 2")
    assert cell.session.state.signals["entry/count"] == 4.0
    cell.do("undo 7")
    assert cell.snapshot() == before


def test_the_report_counts_parts_in_and_out() -> None:
    cell = cell_of(*FULL, "wait 40")
    message = str(cell.do("report"))
    assert "feed: 20 parts in" in message or "feed: 21 parts in" in message
    assert "out: " in message
    assert "per hour" in message


def test_a_file_with_stations_opens_again(tmp_path: Path) -> None:
    cell = wc.Cell.create(tmp_path / "line.cell")
    for one in FULL:
        cell.do(one)
    stations = cell.snapshot().stations
    cell.close()
    again = wc.Cell.open(tmp_path / "line.cell")
    assert again.snapshot().stations == stations
    again.close()


def test_a_part_of_the_stock_that_is_placed_is_there_from_the_start() -> None:
    cell = cell_of(*FULL, "place feed-3 at 0,-1500,30")
    snapshot = cell.snapshot()
    assert "feed-3" not in absent_parts(snapshot.initial)
    assert snapshot.body_pose(snapshot.initial, "feed-3").xyz == pytest.approx([0.0, -1.5, 0.03])
    cell.do("undo")
    assert "feed-3" in absent_parts(cell.snapshot().initial)


def test_a_line_that_is_loaded_beside_another_keeps_to_its_own_belts_signals_and_parts(tmp_path: Path) -> None:
    other = cell_of(*FULL)
    other.do(f"save {tmp_path / 'line.cell'}")
    cell = cell_of(*FULL, f"load {tmp_path / 'line.cell'} prefix x_")
    cell.do("use scene x_main")
    by_name = {one.name: one for one in cell.snapshot().stations}
    assert not any(one.problem for one in by_name.values() if one.name.startswith("x_"))
    assert (by_name["x_bar"].conveyor, by_name["x_bar"].signal) == ("x_B", "x_gate")
    assert by_name["x_feed"].stock[0] == "x_feed-1"
    assert "x_feed-1" in absent_parts(cell.snapshot().initial)
    cell.do("use scene main")
    assert {one.name: one.signal for one in cell.snapshot().stations}["bar"] == "gate"


# ---- what is refused --------------------------------------------------------------------------------------


def refusals() -> Iterator[tuple[str, str]]:
    yield "add stop bar on track at 500", "track is not a conveyor"
    yield "add source feed of box1 on track every 1s", "track is not a conveyor"
    yield "add stop bar on A at 5000", "A is 1500 mm long; found the place 5000 mm for bar"
    yield (
        "add source feed of wide on A every 1s",
        "wide is .* 900 mm wide; the belt of A is 1500 mm long and 500 mm wide",
    )
    yield "add source feed of box1 on A", "an `interval` or a `spacing`, not both"
    yield "add source feed of box1 on A every 1s spacing 100", "an `interval` or a `spacing`, not both"
    yield "add source feed of post on A every 1s", "post is not movable"
    yield "add source feed of box1 on A every 0s", "must be more than zero"
    yield "add source feed of box1 on A every 1s stock 0", "must be more than zero"


@pytest.mark.parametrize(("line", "sentence"), list(refusals()))
def test_what_makes_no_sense_is_refused_in_one_sentence(line: str, sentence: str) -> None:
    cell = cell_of("add conveyor A 1500", "add rail track 1000 at 0,3000,0", BOX,
                   "add solid wide box 300 900 60 at 0,-2000,30 --movable", "add solid post box 50 50 50 at 0,-3000,25")  # fmt: skip
    before = cell.snapshot()
    with pytest.raises(WorkcellError, match=sentence):
        cell.do(line)
    assert cell.snapshot() == before


def test_a_station_whose_belt_is_gone_does_nothing_and_says_why() -> None:
    cell = cell_of(*FULL)
    cell.do("remove B --deep")
    assert "stands in no scene" in str(cell.do("stations"))
    cell.do("wait 3")
    with pytest.raises((Refused, InvalidValue)):
        cell.session.simulator.set_signal("feed/count", 3.0)


# ---- slides, and a whole line -----------------------------------------------------------------------------

SLIDE = (
    "add conveyor A 1000",
    "modify A runs 200mm/s",
    "add slide chute 800 down 200 speed 400mm/s at 1060,0,0",
    "add conveyor B 1500 at 1900,0,-200",
    "modify B runs 200mm/s",
    BOX,
    "create signal gate",
    "add stop bar on B at 1200 signal gate",
    "add conveyor C 1000 at 3500,0,-200",
    "modify C runs 250mm/s",
    "add source feed of box1 on A every 3s stock 30 seed 7",
    "add sink out on C",
)


def test_a_part_goes_down_a_slide_at_its_speed_and_lies_flat_on_the_next_belt() -> None:
    part = "add solid p box 100 80 60 at 500,0,730 --movable"
    sim = wc.Simulator(cell_of(*(one for one in SLIDE if "source" not in one), part))
    sim.wait(3.0)
    pose = sim.snapshot.body_pose(sim.state, "p")
    assert pose.rotation[:, 2] == pytest.approx([0.25, 0.0, np.sqrt(1 - 0.25**2)])
    down = np.array([np.sqrt(1 - 0.25**2), 0.0, -0.25])
    before = sim.recording.state_at(2.6)
    moved = pose.xyz - sim.snapshot.body_pose(before, "p").xyz
    assert moved == pytest.approx(0.4 * 0.4 * down, abs=1e-9)
    sim.wait(3.0)
    pose = sim.snapshot.body_pose(sim.state, "p")
    assert pose.rotation == pytest.approx(np.eye(3), abs=1e-9)
    assert pose.xyz[2] == pytest.approx(0.53, abs=1e-9)


@pytest.mark.parametrize(
    "line", ["add slide chute 800 down 0", "add slide chute 800 down 900", "add slide chute 2000 down 800"]
)
def test_a_slide_that_cannot_stand_is_refused(line: str) -> None:
    with pytest.raises(WorkcellError, match=r"cannot go down|must be more than zero"):
        wc.Cell().do(line)


def run_line(seconds: float, seed: int) -> tuple[int, int, int]:
    """Run the whole line with a gate that goes up and down at random; parts made, taken, and how often counted."""
    sim, random = wc.Simulator(cell_of(*SLIDE)), np.random.default_rng(seed)
    looks, out = 0, [0]
    while sim.time < seconds:
        sim.set_signal("gate", float(random.integers(2)))
        sim.take(round(float(random.uniform(0.5, 25.0)), 3), "look")
        made, taken, here = int(sim.signal("feed/count")), int(sim.signal("out/count")), there(sim)
        assert made == taken + len(here)
        xs = sorted(x_of(sim, part) for part in here)
        assert all(b - a >= 0.095 for a, b in itertools.pairwise(xs))
        looks += 1
        if sim.time > 300.0 * len(out):
            assert taken >= out[-1] + 40, f"the line stands at {sim.time:.0f} s"
            out.append(taken)
    assert not events(sim, FellOff)
    for conveyor in ("A", "B", "C", "chute"):
        assert len(sim.recording.way(conveyor).pieces) == 1
    return made, taken, looks


def test_a_whole_line_loses_no_part() -> None:
    made, taken, _ = run_line(120.0, 1)
    assert made > 20
    assert taken > 5


@pytest.mark.soak
def test_a_line_of_three_belts_slide_stop_source_and_sink_for_an_hour() -> None:
    begin = time.process_time()
    made, taken, looks = run_line(3600.0, 2)
    took = time.process_time() - begin
    print(
        f"line for 3600 s: {made} parts in, {taken} out, counted {looks} times, none lost; {took:.1f} s of processor time"
    )


# ---- sources that are blocked -----------------------------------------------------------------------------

JAM = (
    "add conveyor A 1000",
    "add solid p box 200 60 60 at 0,-900,30 --movable",
    "modify A runs 200mm/s",
    "add light-barrier eye from 960,-200,730 to 960,200,730",
    "create signal gate",
)


@pytest.mark.parametrize(
    "when",
    ["every 4s", "every 50ms", pytest.param("every 1ms", marks=pytest.mark.soak), "every 4s seed 5", "spacing 400mm"],
)
def test_a_run_that_waits_behind_a_jam_is_refused(when: str) -> None:
    cell = cell_of(*JAM, f"add source feed of p on A {when} stock 9 most 8", "add stop bar on A at 900",
                   'write program go "wait-until eye = 1"')  # fmt: skip
    with pytest.raises(Refused, match=r"The run cannot continue: .*go in line 1"):
        cell.do("run go")


def test_a_run_whose_belt_is_held_under_a_source_is_refused() -> None:
    cell = cell_of(*JAM, "add conveyor B 1000 at 0,2000,0", "modify B runs 200mm/s", "add sink out on A",
                   "add source feed of p on A every 4s stock 6 most 5", 'write program go "wait 6%0Await-until eye = 1%0Await 9%0Await-until eye = 1"')  # fmt: skip
    for one in ("break go 4", "debug go", "resume"):
        cell.do(one)
    cell.do("hold-motion A")
    with pytest.raises(Refused, match="The run cannot continue: A is held"):
        cell.do("resume")


@pytest.mark.parametrize(("when", "grid"), [("every 4s", 4.0), ("spacing 800mm", 4.0)])
def test_a_blocked_source_says_so_once_and_keeps_its_beat(when: str, grid: float) -> None:
    sim = wc.Simulator(
        cell_of(*JAM, f"add source feed of p on A {when} stock 20", "add stop bar on A at 900 signal gate", "add sink out on A")
    )  # fmt: skip
    sim.set_signal("gate", 1.0)
    sim.wait(61.0)
    made = events(sim, PartMade)
    assert len(made) == 4
    assert [(one.time, one.by) for one in events(sim, SourceBlocked)] == [(pytest.approx(grid * len(made)), "feed-4")]
    assert sim.signal("feed/blocked") == 1.0
    sim.set_signal("gate", 0.0)
    sim.wait(20.0)
    later = [one.time for one in events(sim, PartMade)[4:]]
    assert later == pytest.approx([64.0, 68.0, 72.0, 76.0, 80.0], abs=1e-6)
    assert sim.signal("feed/blocked") == 0.0
    assert len(events(sim, SourceBlocked)) == 1


def test_a_source_whose_first_part_is_blocked_by_a_part_that_moves_goes_on() -> None:
    sim = wc.Simulator(
        cell_of(*JAM, "add solid q box 200 60 60 at 100,0,730 --movable", "add source feed of p on A spacing 150mm stock 3")
    )  # fmt: skip
    sim.wait(3.0)
    assert events(sim, PartMade)[0].time == pytest.approx(1.5, abs=1e-6)


def test_a_saved_run_of_a_jam_goes_on_as_the_run_itself() -> None:
    from workcell.commands.program_store import runnable
    from workcell.simulation.interpreter import Run
    from workcell.simulation.saved_runs import SavedRun

    steps = ("set-signal gate 1", "wait 33", "wait 17", "set-signal gate 0", "wait 2", "wait 15")
    given = (
        *(one for one in JAM if "eye" not in one),
        "add source feed of p on A every 4s stock 20 seed 3",
        "add stop bar on A at 900 signal gate",
    )
    cell = cell_of(*given, f'write program go "{"%0A".join(steps)}"')
    (program,) = cell.session.database.entities("program")
    ready, known = runnable(cell.session, [program])
    whole = Run(wc.Simulator(cell), ready, known)
    whole.go()
    for stands in range(len(steps)):
        count = iter([False] * stands + [True])
        part = Run(wc.Simulator(cell), ready, known)
        part.go(lambda *_, count=count: next(count))
        again = Run.restored(SavedRun.from_bytes(part.saved().to_bytes()), wc.Simulator(cell))
        again.go()
        assert again.simulator.recording.to_bytes() == whole.simulator.recording.to_bytes()
    typed = cell_of(*given, *steps)
    cell.do("run go")
    assert typed.session.recording.to_bytes() == cell.session.recording.to_bytes()


def test_the_report_counts_one_part_as_one() -> None:
    cell = cell_of(*JAM, "add source feed of p on A every 4s stock 1 most 1", "add sink out on A", "wait 9")
    message = str(cell.do("report"))
    assert "feed: 1 part in" in message
    assert "out: 1 part out" in message


@pytest.mark.parametrize("when", ["every 1e-9s", "spacing 0.001mm"])
def test_a_source_that_makes_parts_without_end_is_refused(when: str) -> None:
    cell = cell_of(*JAM)
    with pytest.raises(InvalidValue, match=r"of station 'feed' must be 1 m[ms] or more; found"):
        cell.do(f"add source feed of p on A {when}")


def test_an_interval_too_short_is_refused_when_it_is_changed() -> None:
    cell = cell_of(*JAM, "add source feed of p on A every 4s stock 2")
    with pytest.raises(InvalidValue, match=r"of station 'feed' must be 1 ms or more; found"):
        cell.do("modify feed interval 1e-9s")
    assert cell.snapshot().stations[0].interval == 4.0


# ---- parts that are absent --------------------------------------------------------------------------------

STORE = (
    "add conveyor A 1000",
    "modify A runs 200mm/s",
    BOX,
    "add source feed of box1 on A every 2s stock 4 most 1 first 1s",
    "add sink out on A",
)


def test_where_says_that_a_part_is_absent() -> None:
    cell = cell_of(*STORE)
    assert str(cell.do("where feed-1")) == "feed-1 is absent: it is in the store of feed"
    cell.do("wait 2")
    assert "carried by A/link 1" in str(cell.do("where feed-1"))
    cell.do("wait 6")
    assert str(cell.do("where feed-1")) == "feed-1 is absent: it is in the store of feed"
    cell.do("place feed-2 at 300,900,30")
    assert str(cell.do("where feed-2")).startswith("feed-2: x 300.000 y 900.000 z 30.000 mm")


def test_nothing_is_done_with_a_part_that_is_absent() -> None:
    cell = cell_of(*STORE, "create robot Puma puma560 at 500,600,0")
    state = cell.session.state
    for one in ("ride feed-2 on A", "move-end-effector Puma 0,0,100 on feed-2"):
        with pytest.raises(
            Refused, match=r"feed-2 is absent: it is in the store of feed; wait until it lies on a belt\."
        ):
            cell.do(one)
    assert cell.session.state == state


def test_a_table_has_no_places_of_parts_that_are_absent_and_the_speed_from_the_start(tmp_path: Path) -> None:
    import csv

    cell = cell_of(*STORE, "wait 8")
    from workcell.simulation.export import save_table

    save_table(cell.session.recording, tmp_path / "line.csv", snapshot=cell.snapshot())
    with open(tmp_path / "line.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        there = 1.0 <= float(row["time [s]"]) < 1.0 + (1.0 - 0.05) / 0.2
        assert row["feed-1.on"] == ("A/link 1" if there else "absent")
        assert (row["feed-1.x [m]"] != "") == (row["feed-1.qw"] != "") == there
        assert (row["feed-2.z [m]"], row["feed-2.on"]) == ("", "absent")
        assert row["A/speed [m/s]"] == "0.2"
    assert {row["feed-1.on"] for row in rows} == {"A/link 1", "absent"}


def test_an_animation_hides_parts_while_they_are_absent(tmp_path: Path) -> None:
    import json

    from workcell.simulation.animation import save_animation

    cell = cell_of(*STORE, "wait 8")
    save_animation(cell.snapshot(), cell.session.recording, tmp_path / "line.gltf")
    document = json.loads((tmp_path / "line.gltf").read_text())
    nodes = {node["name"]: number for number, node in enumerate(document["nodes"])}
    assert "feed-1" in nodes
    assert "feed-2" not in nodes
    assert document["nodes"][nodes["feed-1"]]["scale"] == [0.0, 0.0, 0.0]
    (animation,) = document["animations"]
    paths = {one["target"]["path"]: one["sampler"] for one in animation["channels"] if one["target"]["node"] == nodes["feed-1"]}  # fmt: skip
    assert animation["samplers"][paths["scale"]]["interpolation"] == "STEP"
    assert all(abs(value) < 100.0 for node in document["nodes"] for value in node.get("translation", ()))


def test_the_clock_does_not_stand_while_a_belt_runs() -> None:
    cell = cell_of(*STORE)
    with pytest.raises(
        Refused, match=r"A runs, and in the mode joint-by-joint the clock stops .*`stop-conveyor A` first\."
    ):
        cell.do("mode joint-by-joint")
    cell.do("stop-conveyor A --reached")
    cell.do("mode joint-by-joint")


@pytest.mark.parametrize("how", ["yes", "certified"])
def test_parts_queue_up_before_a_stop_while_collisions_are_watched(how):
    """The belt that runs on under a part is no contact, and looking ahead comes to an end when they stand."""
    ends = []
    for watch in ("no", how):
        with wc.Cell() as cell:
            for line in ("add conveyor Belt 1500 at -1300,1000,0", "modify Belt runs 200mm/s",
                         "add solid box box 270 240 140 at 0,-3000,70 --movable",
                         "add source feed of box on Belt every 4s stock 4 most 4", "add stop bar on Belt at 1400",
                         "create robot Arm kr16", f"watch {watch}", "wait 7", "move-joints-relative Arm 10,0,0,0,0,0",
                         "wait 20"):  # fmt: skip
                cell.do(line)
            ends.append([np.array(cell.do(f"where feed-{n}").matrix) for n in (1, 2, 3, 4)])
            assert not cell.do("contacts").contacts
    assert np.allclose(ends[0], ends[1], atol=1e-9)
    fronts = np.array([one[0, 3] for one in ends[0]])
    assert fronts[0] + 0.135 == pytest.approx(0.1, abs=1e-4)
    assert np.allclose(-np.diff(fronts), 0.27, atol=1e-4)


@pytest.mark.parametrize("how", ["yes", "certified"])
def test_a_watched_belt_starts_again_with_the_part_that_stood_before_the_stop(how):
    """The part goes along from that instant on, so the next one does not run into it."""
    cell = cell_of("add conveyor A 2500", "create signal gate", "modify gate value 1", "add stop bar on A at 1500 signal gate",
                   "add solid p0 box 100 80 60 at 1300,0,730 --movable", "add solid p1 box 100 80 60 at 700,0,730 --movable",
                   f"watch {how}", "run-conveyor A 200mm/s", "wait 2", "stop-conveyor A --reached",
                   "set-signal gate 0")  # fmt: skip
    before = [np.array(cell.do(f"where p{k}").matrix)[0, 3] for k in (0, 1)]
    assert before[0] == pytest.approx(1.45, abs=1e-4), "it stands at the stop"
    answer = cell.do("run-conveyor A 200mm/s --reached")
    assert answer.speed == pytest.approx(0.2)
    cell.do("wait 3")
    after = [np.array(cell.do(f"where p{k}").matrix)[0, 3] for k in (0, 1)]
    assert np.allclose(np.subtract(after, before), 0.6 + answer.travel, atol=1e-6)

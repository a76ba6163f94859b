"""Conveyors that run: where the belt is, what may change it, and what is recorded."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.errors import CollisionStop, InvalidValue, Refused, WorkcellError
from workcell.motion.limits import Limits
from workcell.motion.running import running, runs_on, steady_from
from workcell.simulation.events import ConveyorRuns
from workcell.simulation.interpreter import Run
from workcell.simulation.programs import Seen, run
from workcell.simulation.saved_runs import SavedRun
from workcell.simulation.watching import Watch

LIMIT, RAMP = 0.3, 0.4
ACCELERATION = LIMIT / RAMP


def line(*commands: str) -> wc.Cell:
    """A cell with a long belt along x and a cube on it at x = 0.3 m."""
    cell = wc.Cell()
    for one in (
        "add conveyor Belt 2000000 at -1000000,800,0",
        "add solid cube box 40 40 40 at 300,800,720 --movable",
        "ride cube on Belt",
        "keep state",
        "reset",
        *commands,
    ):
        cell.do(one)
    return cell


def place(sim: wc.Simulator) -> float:
    """Where the cube is along the belt [m]."""
    names = [body.name for body in sim.snapshot.bodies]
    return float(sim.snapshot.body_poses(sim.state)[names.index("cube")][0, 3])


def way(t: float, speed: float) -> float:
    """How far a belt has gone from rest: the closed form of an even run-up and a steady speed."""
    up = abs(speed) / ACCELERATION
    size = 0.5 * ACCELERATION * min(t, up) ** 2 + abs(speed) * max(t - up, 0.0)
    return math.copysign(size, speed)


# ---- where the belt is ------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.floats(-0.3, 0.3).filter(lambda v: abs(v) > 1e-6), st.lists(st.floats(1e-6, 50.0), min_size=1, max_size=6))
def test_a_part_on_a_running_belt_is_where_the_closed_form_says(speed: float, waits: list[float]) -> None:
    sim = wc.Simulator(line())
    found = sim.conveyor("Belt").run(speed)
    assert found.delay == pytest.approx(abs(speed) / ACCELERATION)
    for wait in waits:
        sim.wait(wait)
        assert place(sim) == pytest.approx(0.3 + way(sim.time, speed), abs=1e-9)
    assert sim.recording.state_at(sim.time) == sim.state
    moment = 0.5 * sim.time
    assert sim.recording.state_at(moment).joints["Belt"][0] == pytest.approx(way(moment, speed), abs=1e-9)


@settings(max_examples=50)
@given(
    st.tuples(*[st.floats(-2.0, 2.0)] * 3), st.floats(-1.0, 1.0), st.floats(0.1, 5.0), st.one_of(st.none(), st.floats(0.5, 50.0))
)  # fmt: skip
def test_a_new_speed_is_reached_smoothly_from_any_state(
    state: tuple[float, float, float], speed: float, top: float, jerk: float | None
) -> None:
    q, v, a = state
    a = max(-top, min(top, a)) if jerk is not None else 0.0
    motion = running([q], [v], [a], [speed], Limits([9.0], [top], None if jerk is None else [jerk]))
    steady = steady_from(motion)
    assert runs_on(motion)
    assert motion.position(0.0)[0] == pytest.approx(q, abs=1e-12)
    if steady > 0.0:
        assert motion.velocity(0.0)[0] == pytest.approx(v, abs=1e-9)
        assert motion.max_acceleration(0.0, steady)[0] <= top * (1.0 + 1e-9)
    assert np.abs(motion.velocity_jumps()[1:-1]).max(initial=0.0) < 1e-9
    if jerk is not None and steady > 0.0:
        assert motion.acceleration(0.0)[0] == pytest.approx(a, abs=1e-6)
        assert np.abs(motion.acceleration_jumps()).max() < 1e-6 * max(1.0, top)
        assert motion.max_jerk(0.0, steady)[0] <= jerk * (1.0 + 1e-9)
    at, there = steady + 1e5, motion.position(steady)[0]
    assert motion.velocity(at)[0] == pytest.approx(speed, abs=1e-12)
    assert motion.position(at)[0] == pytest.approx(there + speed * 1e5, rel=1e-12, abs=1e-9)


def test_a_belt_with_limited_jerk_keeps_it() -> None:
    cell = line("profile Belt jerk")
    sim = wc.Simulator(cell)
    found = sim.conveyor("Belt").run(0.3)
    assert found.delay == pytest.approx(RAMP + 0.1)
    sim.wait(1.0)
    (piece,) = sim.recording.way("Belt").pieces
    assert piece.motion.max_jerk(0.0, 0.5)[0] == pytest.approx(ACCELERATION / 0.1)


def test_a_belt_runs_from_the_start_where_the_cell_says_so() -> None:
    cell = line("modify Belt runs -100mm/s")
    sim = wc.Simulator(cell)
    assert sim.conveyor("Belt").speed == -0.1
    sim.wait(1.5)
    assert place(sim) == pytest.approx(0.15, abs=1e-12)
    assert sim.signal("Belt/speed") == -0.1
    cell.do("wait 2")
    assert cell.session.state.joints["Belt"][0] == pytest.approx(-0.2, abs=1e-12)
    cell.do("reset")
    assert cell.session.state.joints["Belt"][0] == 0.0


def test_what_drives_a_belt_answers_for_any_instant_to_come() -> None:
    sim = wc.Simulator(line())
    sim.conveyor("Belt").run(0.2)
    drive = sim.drives["Belt"]
    for t in (0.0, 0.1, 1.0, 1e4):
        q, v, a = drive.present(t)[:, 0]
        assert q == pytest.approx(way(t, 0.2), abs=1e-9)
        assert v == pytest.approx(min(ACCELERATION * t, 0.2))
        assert a == pytest.approx(ACCELERATION if t < 0.2 / ACCELERATION else 0.0)
    assert math.isinf(drive.end)
    assert math.isinf(drive.final)


# ---- what is recorded -------------------------------------------------------------------------------------


def test_an_hour_is_one_small_piece() -> None:
    sim = wc.Simulator(line())
    sim.conveyor("Belt").run(0.2)
    short = wc.Simulator(line())
    short.conveyor("Belt").run(0.2)
    for _ in range(60):
        sim.take(60.0, "wait")
        sim.reached()
    short.take(1.0, "wait")
    (piece,) = sim.recording.way("Belt").pieces
    assert piece.end == 3600.0
    assert len(piece.times) < 1000
    assert len(sim.recording.to_bytes()) <= len(short.recording.to_bytes()) + 64


def test_looking_changes_no_byte() -> None:
    quiet, watched = wc.Simulator(line()), wc.Simulator(line())
    for sim in (quiet, watched):
        sim.conveyor("Belt").run(0.25)
    seen = []
    watched.every(0.037, lambda sim: seen.append((sim.state, sim.recording.end)))
    for sim in (quiet, watched):
        sim.wait(3.0)
        sim.conveyor("Belt").stop()
        sim.wait(1.0)
    assert len(seen) > 100
    assert quiet.recording.to_bytes() == watched.recording.to_bytes()


STEPS = ("run-conveyor Belt 200mm/s", "wait 1.5", "run-conveyor Belt -50mm/s --reached", "wait 0.2", "stop-conveyor Belt", "wait 1")  # fmt: skip


def test_typed_steps_a_program_and_python_record_the_same_bytes() -> None:
    typed, programmed = line(), line()
    for one in STEPS:
        typed.do(one)
    programmed.do(f'write program go "{"%0A".join(STEPS)}"')
    programmed.do("run go")
    sim = wc.Simulator(line())
    belt = sim.conveyor("Belt")
    belt.run(0.2)
    sim.wait(1.5)
    belt.run(-0.05, reached=True)
    sim.wait(0.2)
    belt.stop()
    sim.wait(1.0)
    assert typed.session.recording.to_bytes() == programmed.session.recording.to_bytes()
    assert typed.session.recording.to_bytes() == sim.recording.to_bytes()


@pytest.mark.parametrize("edit", ["modify cube colour red", "create signal ready", "modify Belt name Band"])
def test_an_edit_between_steps_changes_nothing_of_the_motion(edit: str) -> None:
    plain, edited = line(), line()
    for one in STEPS:
        plain.do(one)
        edited.do(one.replace("Belt", "Band") if "Band" in edit and one is not STEPS[0] else one)
        if one is STEPS[0]:
            edited.do(edit)
        elif "Band" not in edit:
            edited.do(f"modify cube mass {1 + STEPS.index(one)}kg")
    name = "Band" if "Band" in edit else "Belt"
    one, other = plain.session.recording.way("Belt").pieces, edited.session.recording.way(name).pieces
    assert [(a.since, a.begin, a.end) for a in one] == [(b.since, b.begin, b.end) for b in other]
    assert all(a.motion == b.motion for a, b in zip(one, other, strict=True))
    assert edited.session.state.signals[f"{name}/speed"] == 0.0


def test_undo_gives_the_belt_its_speed_back() -> None:
    cell = line("run-conveyor Belt 200mm/s", "wait 0.1")
    before = cell.session.recording.to_bytes()
    cell.do("wait 1")
    after = cell.session.recording.to_bytes()
    cell.do("stop-conveyor Belt")
    cell.do("undo 2")
    assert cell.session.recording.to_bytes() == before
    cell.do("wait 1")
    assert cell.session.recording.to_bytes() == after
    assert cell.session.simulator.conveyor("Belt").speed == 0.2


def test_a_belt_still_runs_when_a_file_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "line.cell"
    cell = wc.Cell.create(path)
    for one in ("add conveyor Belt 2000", "run-conveyor Belt 200mm/s --reached"):
        cell.do(one)
    there = cell.session.state.joints["Belt"][0]
    cell.close()
    again = wc.Cell.open(path)
    again.do("wait 1")
    assert again.session.state.joints["Belt"][0] == pytest.approx(there + 0.2, abs=1e-12)
    again.close()


def test_check_recording_proves_a_run_of_the_belt() -> None:
    cell = line("add solid post box 20 20 300 at 1500,600,850", "run-conveyor Belt 200mm/s", "wait 4")
    assert cell.do("check recording").proved


# ---- limits, and who changes what moves -------------------------------------------------------------------


def test_a_limit_that_binds_is_an_event_and_a_line_of_the_report() -> None:
    cell = line()
    message = str(cell.do("run-conveyor Belt 500mm/s"))
    assert message.endswith("500 mm/s was requested, but its limit is 300 mm/s")
    cell.do("wait 1")
    (event,) = [one for one in cell.session.recording.events if isinstance(one, ConveyorRuns)]
    assert (event.conveyor, event.speed, event.asked) == ("Belt", 0.3, 0.5)
    assert "500 mm/s was requested, but its limit is 300 mm/s" in str(cell.do("report"))
    cell.do('write program go "run-conveyor Belt -2m/s%0Await 1"')
    assert "-2000 mm/s was requested, but its limit is 300 mm/s" in str(cell.do("run go"))


def test_a_belt_is_held_slowed_and_stopped_within_its_acceleration() -> None:
    sim = wc.Simulator(line())
    belt = sim.conveyor("Belt")

    def meddle(sim: wc.Simulator) -> object:
        belt.run(0.3)
        yield 1.0
        (held,) = sim.hold("Belt")
        assert held.delay == pytest.approx(RAMP)
        yield 1.0
        assert belt.speed == 0.0
        assert belt.set_speed == 0.3
        with pytest.raises(Refused, match="already held"):
            sim.hold("Belt")
        sim.resume("Belt")
        yield 1.0
        assert belt.speed == 0.3
        sim.override(50, "Belt")
        yield 1.0
        assert belt.speed == pytest.approx(0.15)
        sim.stop("Belt")
        yield 1.0
        assert "Belt" not in sim.drives
        assert belt.set_speed == 0.0
        belt.run(0.2)
        yield 1.0
        assert belt.speed == pytest.approx(0.1)
        sim.emergency_stop()
        yield 1.0
        assert (belt.speed, belt.set_speed) == (0.0, 0.0)

    run(sim, {"meddle": meddle})
    for piece in sim.recording.way("Belt").pieces:
        steady = steady_from(piece.motion)
        if steady > 0.0:
            assert piece.motion.max_acceleration(0.0, steady)[0] <= ACCELERATION * (1 + 1e-9)


def test_a_running_belt_may_be_given_a_place_to_stop_at() -> None:
    sim = wc.Simulator(line())

    def go(sim: wc.Simulator) -> object:
        sim.conveyor("Belt").run(0.2)
        yield 1.0
        found = sim.robot("Belt").supersede([1.0])
        yield found.delay

    run(sim, {"go": go})
    assert sim.state.joints["Belt"][0] == 1.0
    assert sim.signal("Belt/speed") == 0.0


def test_an_override_ends_with_its_run_also_for_a_belt() -> None:
    cell = line('write program go "override 50%0Arun-conveyor Belt 200mm/s%0Await 2"', "run go")
    assert cell.session.simulator.conveyor("Belt").speed == pytest.approx(0.1)
    cell.do("wait 1")
    assert cell.session.simulator.conveyor("Belt").speed == 0.2


def test_a_run_ends_when_its_programs_end_and_the_belt_runs_on() -> None:
    cell = line('write program go "run-conveyor Belt 200mm/s%0Await 2"')
    cell.do("run go")
    assert cell.session.simulator.time == 2.0
    cell.do("wait 1")
    assert cell.session.state.joints["Belt"][0] == pytest.approx(way(3.0, 0.2), abs=1e-9)


def test_programs_that_wait_for_nothing_end_although_a_belt_runs() -> None:
    cell = line("create signal ready", 'write program go "run-conveyor Belt 200mm/s%0Await-for ready"')
    with pytest.raises(Refused, match="The run cannot continue"):
        cell.do("run go")


def test_a_program_that_waits_for_a_part_that_never_comes_is_refused_after_an_hour() -> None:
    cell = line("add light-barrier eye from 100,500,720 to 100,1100,720")
    cell.do('write program go "run-conveyor Belt 1mm/s%0Await-for eye"')
    with pytest.raises(Refused, match=r"The run cannot continue: .*go in line 2 for eye = 1"):
        cell.do("run go")


# ---- paused and saved runs --------------------------------------------------------------------------------


def test_a_saved_run_goes_on_as_the_run_itself() -> None:
    cell = line('write program go "run-conveyor Belt 200mm/s%0Await 0.1%0Await 2%0Astop-conveyor Belt%0Await 1"')
    (program,) = cell.session.database.entities("program")
    from workcell.commands.program_store import runnable

    ready, known = runnable(cell.session, [program])
    whole = Run(wc.Simulator(cell), ready, known)
    whole.go()
    for stands in range(1, 5):
        count = iter([False] * stands + [True])
        part = Run(wc.Simulator(cell), ready, known)
        part.go(lambda *_, count=count: next(count))
        again = Run.restored(SavedRun.from_bytes(part.saved().to_bytes()), wc.Simulator(cell))
        again.go()
        assert again.simulator.recording.to_bytes() == whole.simulator.recording.to_bytes()


def test_a_belt_is_run_and_stopped_while_a_run_stands(tmp_path: Path) -> None:
    cell = line('write program go "wait 1%0Await 1%0Await 1"', "break go 2", "break go 3")
    cell.do("run go")
    cell.do("run-conveyor Belt 100mm/s")
    cell.do("resume")
    assert cell.session.state.joints["Belt"][0] == pytest.approx(way(1.0, 0.1), abs=1e-9)
    cell.do("stop-conveyor Belt")
    cell.do("step-back")
    assert cell.session.simulator.conveyor("Belt").set_speed == 0.1
    cell.do("resume")
    cell.do("resume")
    assert cell.session.state.joints["Belt"][0] == pytest.approx(way(2.0, 0.1), abs=1e-9)


# ---- watched, sensed --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["sampled", "certified"])
def test_a_part_on_a_belt_stops_before_a_post_however_far_ahead(method: str) -> None:
    cell = line("add solid post box 20 20 300 at 1800,800,860")
    sim = wc.Simulator(cell)
    sim.watch = Watch(sim.snapshot, method=method)  # type: ignore[arg-type]
    sim.conveyor("Belt").run(0.1)
    with pytest.raises(CollisionStop) as stop:
        sim.wait(60.0)
    gap = 1.79 - 0.32  # from the front of the cube to the post
    ramp = 0.1 / ACCELERATION
    contact = ramp + (gap - 0.05 * ramp) / 0.1
    assert stop.value.evidence["pair"] == ("cube", "post")
    assert stop.value.evidence["stopped"] <= contact + 1e-6
    assert stop.value.evidence["stopped"] == pytest.approx(contact, abs=0.01)
    assert (sim.signal("Belt/speed"), sim.conveyor("Belt").speed) == (0.0, 0.0)
    sim.wait(1.0)  # and nothing moves
    assert place(sim) <= 1.77 + 1e-6


def test_a_light_barrier_sees_a_part_at_the_exact_instant_however_far_ahead() -> None:
    cell = line("add light-barrier eye from 1300,500,720 to 1300,1100,720")
    sim = wc.Simulator(cell)
    seen = []

    def go(sim: wc.Simulator) -> object:
        sim.conveyor("Belt").run(0.1)
        yield Seen("eye")
        seen.append(sim.time)

    run(sim, {"go": go})
    ramp = 0.1 / ACCELERATION
    assert seen[0] == pytest.approx(ramp + (1.3 - 0.32 - 0.05 * ramp) / 0.1, abs=1e-6)


# ---- what is refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("speed", "sentence"),
    [
        (math.nan, "must be between -100 and 100 m/s; found nan"),
        (math.inf, "must be between -100 and 100 m/s; found inf"),
        (1e6, "must be between -100 and 100 m/s; found 1e\\+06"),
        ("fast", "The speed of conveyor 'Belt' must be a number"),
        (True, "The speed of conveyor 'Belt' must be a number"),
    ],
)
def test_a_speed_that_makes_no_sense_is_refused(speed: object, sentence: str) -> None:
    sim = wc.Simulator(line())
    with pytest.raises(InvalidValue, match=sentence):
        sim.conveyor("Belt").run(speed)  # type: ignore[arg-type]
    assert not sim.drives
    assert not sim.recording.events


def test_what_is_no_conveyor_cannot_run() -> None:
    cell = line("create robot Puma puma560 at 0,3000,0", "add rail track 2000 at 0,-2000,0")
    for name in ("Puma", "track"):
        with pytest.raises(Refused, match=f"{name} is not a conveyor"):
            wc.Simulator(cell).conveyor(name)
    with pytest.raises(WorkcellError, match="track is not a conveyor"):
        cell.do("run-conveyor track 100mm/s")


def test_one_belt_has_one_drive() -> None:
    cell = line("run-conveyor Belt 100mm/s")
    with pytest.raises(Refused, match="Belt runs; `stop-conveyor Belt --reached` first, then move its joint"):
        cell.do("move-joints-relative Belt 100")
    with pytest.raises(Refused, match="Belt runs; `stop-conveyor Belt --reached` first"):
        cell.do("set joints Belt 100")
    with pytest.raises(Refused, match="'Belt/speed' shows how fast a conveyor runs"):
        cell.session.simulator.set_signal("Belt/speed", 1.0)
    sim = wc.Simulator(line())

    def move(sim: wc.Simulator) -> object:
        yield sim.robot("Belt").move_joints_relative([0.3])

    def meddle(sim: wc.Simulator) -> object:
        yield 0.1
        with pytest.raises(Refused, match="Belt moves its joint until"):
            sim.conveyor("Belt").run(0.1)

    run(sim, {"move": move, "meddle": meddle})


def test_a_belt_of_no_length_is_refused() -> None:
    for length in ("0", "-5"):
        with pytest.raises(WorkcellError, match="must be more than zero"):
            wc.Cell().do(f"add conveyor Belt {length}")


def test_belts_do_not_run_while_the_clock_of_the_thesis_stands() -> None:
    with pytest.raises(Refused, match="`mode path`"):
        line("mode joint-by-joint", "run-conveyor Belt 100mm/s")


# ---- running from the start -------------------------------------------------------------------------------


def test_a_speed_from_the_start_is_answered_and_refused_as_one_that_is_given_later() -> None:
    cell = line("add rail Rail 2000 at 0,-3000,0")
    assert str(cell.do("modify Belt runs 200mm/s")) == "runs of 'Belt' changed"
    message = str(cell.do("modify Belt runs 400mm/s"))
    assert message.endswith("it runs at 300 mm/s; 400 mm/s was requested, but its limit is 300 mm/s")
    with pytest.raises(InvalidValue, match=r"The speed of conveyor 'Belt' must be between -100 and 100 m/s"):
        cell.do("modify Belt runs 1e308")
    with pytest.raises(Refused, match="Rail is not a conveyor and cannot run"):
        cell.do("modify Rail runs 5")

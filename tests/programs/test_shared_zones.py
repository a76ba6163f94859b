"""Zones that programs share: one at a time, first come first served, and deadlocks with their ring."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys

import numpy as np
import pytest

import workcell as wc
from workcell.collision.bodies import collision_model
from workcell.collision.zones import entered_batch, zones_of
from workcell.commands.language.program_reader import read_program
from workcell.errors import Deadlock, InvalidValue, Refused, UnknownName
from workcell.programs.problem import ProgramProblems
from workcell.simulation.event_text import text_of
from workcell.simulation.events import Deadlocked, SensorChanged, ZoneAwaited, ZoneEntered, ZoneLeft
from workcell.simulation.interpreter import Run
from workcell.simulation.programs import Enter, Leave, run
from workcell.simulation.refusals import StepRefused
from workcell.simulation.routines import Callback
from workcell.simulation.zone_stays import stays, zone_uses

STAGE = (
    "create robot A puma560 joints 0,0,-90,0,90,0",
    "create robot B puma560 at 0,2000,0 joints 0,0,-90,0,90,0",
    "add zone press box 400 400 400 at 700,0,200 rule shared",
    "add zone lathe box 400 400 400 at 700,2000,200 rule shared",
    "create signal go",
    "create signal back",
)


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        for line in STAGE:
            cell.do(line)
        yield cell


def program(name, text):
    read = read_program(name, text)
    assert not read.problems, read.problems
    return read.program


def ran(cell, **texts):
    """A run of programs side by side, in the order given."""
    done = Run(wc.Simulator(cell), [program(name, text) for name, text in texts.items()])
    done.go()
    return done


def events(source, *kinds):
    return [one for one in source.recording.events if isinstance(one, kinds)]


def turns(source, zone="press"):
    return [(one.program, round(one.time, 9)) for one in events(source, ZoneEntered) if one.zone == zone]


STAY = "wait {}\nenter-zone press\nwait {}\nleave-zone press"


# ---- by turns -----------------------------------------------------------------------------------------------


def test_one_program_is_inside_and_the_others_wait_first_come_first_served(cell):
    done = ran(cell, a=STAY.format(0.0, 2), b=STAY.format(0.5, 1), c=STAY.format(0.2, 1))
    assert turns(done.simulator) == [("a", 0.0), ("c", 2.0), ("b", 3.0)]
    assert done.ended == {"a": 2.0, "b": 4.0, "c": 3.0}
    assert [(one.program, one.holders) for one in events(done.simulator, ZoneAwaited)] == [("c", ("a",)), ("b", ("a",))]
    assert [round(one.waited, 9) for one in events(done.simulator, ZoneEntered)] == [0.0, 1.8, 2.5]


def test_at_one_instant_the_order_of_the_programs_decides(cell):
    done = ran(cell, **{name: STAY.format(0.5, 1) for name in "cab"})
    assert [who for who, _ in turns(done.simulator)] == ["c", "a", "b"]


def test_nobody_overtakes_who_waits_even_at_the_instant_at_which_the_zone_is_left(cell):
    late = (
        "wait 2\nenter-zone press\nwait 1\nleave-zone press"  # comes when the first one leaves, and goes on before it
    )
    done = ran(cell, late=late, first=STAY.format(0, 2), second=STAY.format(1, 1))
    assert turns(done.simulator) == [("first", 0.0), ("second", 2.0), ("late", 3.0)]
    again = "repeat 3\n  enter-zone press\n  wait 1\n  leave-zone press\nend"
    done = ran(cell, a=again, b=again)
    assert [who for who, _ in turns(done.simulator)] == ["a", "b"] * 3


@pytest.mark.parametrize("capacity", [1, 2, 3])
def test_as_many_are_inside_as_the_zone_has_room_for(cell, capacity):
    cell.do(f"modify zone:press capacity {capacity}")
    done = ran(cell, **{name: STAY.format(0, 1) for name in "abcde"})
    starts = [time for _, time in turns(done.simulator)]
    assert starts == [float(place // capacity) for place in range(5)]


def test_random_jobs_never_meet_inside_and_nobody_is_overtaken(cell):
    for seed in range(20):
        rng = random.Random(seed)
        texts = {}
        for name in "abcd":
            lines = []
            for _ in range(6):
                lines += [f"wait {rng.choice([0, 0.25, 0.5, rng.random()])}", "enter-zone press"]
                lines += [f"wait {rng.choice([0, 0.5, rng.random()])}", "leave-zone press"]
            texts[name] = "\n".join(lines)
        source = ran(cell, **texts).simulator
        found = stays(source.recording.events)
        inside = sorted((one.entered, one.left) for one in found)
        assert len(found) == 24
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(inside)), seed
        asked = [one.asked for one in sorted(found, key=lambda one: (one.entered, one.left))]
        assert asked == sorted(asked), seed


# ---- who holds what -----------------------------------------------------------------------------------------


def test_entering_twice_and_leaving_what_is_not_held_are_refused_in_one_sentence(cell):
    with pytest.raises(
        StepRefused, match=r"Line 2 of program 'a': a is already in zone 'press'; it must `leave-zone press`"
    ):
        ran(cell, a="enter-zone press\nenter-zone press")
    with pytest.raises(
        StepRefused, match=r"a is not in zone 'press', nobody is; only who entered a zone can leave it\."
    ):
        ran(cell, a="leave-zone press")
    with pytest.raises(StepRefused, match=r"b is not in zone 'press', a is; only who entered"):
        ran(cell, a=STAY.format(0, 2), b="wait 1\nleave-zone press")
    cell.do("add zone fence box 100 100 100 at 0,-900,500")
    with pytest.raises(
        StepRefused, match=r"Nothing may enter zone 'fence', which is a keep-out zone; `modify zone:fence"
    ):
        ran(cell, a="enter-zone fence")
    with pytest.raises(UnknownName, match="There is no zone called 'prees'; did you mean press"):
        run(wc.Simulator(cell), {"a": lambda sim: iter_of(Enter("prees"))})


def iter_of(*wanted):
    yield from wanted


def test_a_program_that_ends_inside_leaves_and_an_event_says_so(cell):
    done = ran(cell, a="enter-zone press\nwait 1", b=STAY.format(0.5, 1))
    assert turns(done.simulator) == [("a", 0.0), ("b", 1.0)]
    (first, second) = events(done.simulator, ZoneLeft)
    assert (first.program, first.ended, second.ended) == ("a", True, False)
    assert text_of(first) == "a ends in zone press, which it did not leave"
    stopped = ran(cell, a="enter-zone press\nwait 1\nstop", b=STAY.format(0.5, 1))
    assert [one.program for one in events(stopped.simulator, ZoneLeft)] == ["a"]
    assert turns(stopped.simulator) == [("a", 0.0)]


def test_a_called_program_enters_for_its_caller_and_a_branch_for_itself(cell):
    grip = program("grip", "enter-zone press")
    done = Run(wc.Simulator(cell), [program("a", "call grip\nwait 1\nleave-zone press")], {"grip": grip})
    done.go()
    assert [one.program for one in events(done.simulator, ZoneEntered, ZoneLeft)] == ["a", "a"]
    both = "parallel\n  enter-zone press\n  wait 1\n  leave-zone press\nand\n  enter-zone press\n  wait 1\n  leave-zone press\nend"
    done = ran(cell, a=both)
    assert turns(done.simulator) == [("a branch 1", 0.0), ("a branch 2", 1.0)]


def test_branches_that_are_given_up_leave_their_zones(cell):
    text = (
        "try\n  parallel\n    enter-zone press\n    wait 9\n    leave-zone press\n  and\n    enter-zone press\n"
        '    leave-zone press\n  and\n    wait 1\n    leave-zone lathe\n  end\non-error\n  message "up"\nend\nwait 1'
    )
    done = ran(cell, a=text, b=STAY.format(0.5, 1))
    assert turns(done.simulator) == [("a branch 1", 0.0), ("b", 1.0)]
    assert [(one.program, one.ended) for one in events(done.simulator, ZoneLeft)] == [
        ("a branch 1", True),
        ("b", False),
    ]


# ---- deadlocks ---------------------------------------------------------------------------------------------

ONE = "enter-zone press\nwait 1\nenter-zone lathe\nwait 1\nleave-zone lathe\nleave-zone press"
OTHER = "enter-zone lathe\nwait {}\nenter-zone press\nwait 1\nleave-zone press\nleave-zone lathe"


def test_a_deadlock_is_refused_at_the_instant_it_arises_with_its_ring(cell):
    with pytest.raises(StepRefused) as found:
        ran(cell, a=ONE, b=OTHER.format(2), c="repeat 50\n  wait 1\nend")
    assert str(found.value) == (
        "Line 3 of program 'b': Deadlock: b holds lathe and waits for press; a holds press and waits for lathe. Let all "
        "programs enter zones in the same order, and leave a zone before waiting for a program that needs it."
    )
    assert isinstance(found.value.reason, Deadlock)
    assert found.value.reason.programs == ("b", "a")
    assert found.value.reason.zones == (("lathe",), ("press",))


def test_a_handler_takes_a_deadlock_and_the_others_go_on(cell):
    taken = "enter-zone lathe\nwait 2\ntry\n  enter-zone press\non-error why\n  leave-zone lathe\n  message why\nend"
    done = ran(cell, a=ONE, b=taken)
    (event,) = events(done.simulator, Deadlocked)
    assert event.time == 2.0
    assert [(one.program, one.holds, one.what, one.waits_for) for one in event.ring] == [
        ("b", ("lathe",), "zone", "press"),
        ("a", ("press",), "zone", "lathe"),
    ]
    assert text_of(event) == "deadlock: b holds lathe and waits for press; a holds press and waits for lathe"
    assert done.ended == {"a": 3.0, "b": 2.0}


def test_rings_of_three_of_branches_and_of_signals_are_found(cell):
    cell.do("add zone oven box 100 100 100 at 0,-900,500 rule shared")
    chain = {"a": ("press", "lathe"), "b": ("lathe", "oven"), "c": ("oven", "press")}
    with pytest.raises(
        StepRefused, match="a holds press and waits for lathe; b holds lathe and waits for oven; c holds"
    ):
        ran(
            cell,
            **{name: f"enter-zone {one}\nwait 1\nenter-zone {other}" for name, (one, other) in reversed(chain.items())},
        )
    inner = "enter-zone press\nparallel\n  wait 1\nand\n  enter-zone press\n  leave-zone press\nend\nleave-zone press"
    with pytest.raises(StepRefused, match="a branch 2 waits for press; a holds press and waits for its branches"):
        ran(cell, a=inner)
    gives = "wait 1\nenter-zone press\nset-signal go 1\nleave-zone press"
    with pytest.raises(StepRefused, match="b waits for press; a holds press and waits for signal go"):
        ran(cell, a="enter-zone press\nwait-for go\nleave-zone press", b=gives)
    with pytest.raises(StepRefused, match="a holds press and waits for signal go; b waits for press"):
        ran(cell, a="enter-zone press\nwait 2\nwait-until go = 1\nleave-zone press", b=gives)


@pytest.mark.parametrize(
    "others",
    [
        {"a": "enter-zone press\nwait-until go = 1 timeout 3 else\n  wait 0\nend\nleave-zone press"},
        {"a": "enter-zone press\nwait-for go\nleave-zone press", "c": "wait 5\nset-signal go 1"},
        {"a": "enter-zone press\nwait-until time() > 3\nleave-zone press"},
        {
            "a": "let k = 0\nparallel\n  enter-zone press\n  wait-until k = 1\n  leave-zone press\nand\n  wait 2\n  let k = 1\nend"
        },
    ],
)
def test_what_time_or_somebody_else_resolves_is_no_deadlock(cell, others):
    done = ran(cell, **others, b="wait 1\nenter-zone press\nset-signal go 1\nleave-zone press")
    assert not events(done.simulator, Deadlocked)
    assert turns(done.simulator)[-1][0] == "b"


def test_a_run_that_waits_for_a_signal_in_a_zone_names_both(cell):
    with pytest.raises(Refused) as found:
        ran(cell, a="enter-zone press\nwait-for go\nleave-zone press", b=STAY.format(1, 1))
    assert str(found.value) == (
        "The run cannot continue: every program waits for a signal that nothing sets or a zone that nothing leaves (a in line 2 "
        "for go = 1; b in line 2 for zone press, which a holds)."
    )


# ---- in Python ----------------------------------------------------------------------------------------------


def test_generators_enter_by_turns_and_take_a_deadlock_at_their_yield(cell):
    seen = []

    def first(sim):
        yield Enter("press")
        yield 1.0
        yield Enter("lathe")
        seen.append(sim.time)
        yield Leave("lathe")
        yield Leave("press")

    def second(sim):
        yield Enter("lathe")
        yield 2.0
        try:
            yield Enter("press")
        except Deadlock as error:
            seen.append(error.programs)
            yield Leave("lathe")
            yield Enter("press")
        yield Leave("press")

    sim = wc.Simulator(cell)
    assert run(sim, {"first": first, "second": second}) == {"first": 2.0, "second": 2.0}
    assert seen == [("second", "first"), 2.0]
    with pytest.raises(InvalidValue, match="or to Enter or Leave a zone"):
        run(wc.Simulator(cell), {"odd": lambda sim: iter_of("press")})


def test_steps_generators_and_callbacks_record_the_same(cell):
    class Stays(Callback, name="stays"):
        def __init__(self):
            self.at = 0

        def go_on(self, simulator):
            self.at += 1
            return [None, Enter("press"), 1.0, Leave("press"), None][self.at]

    def stays_inside(sim):
        yield Enter("press")
        yield 1.0
        yield Leave("press")

    def waits(sim):
        yield Enter("press")
        yield Leave("press")

    found = []
    for one in (stays_inside, Stays()):
        sim = wc.Simulator(cell)
        Run(sim, [one, waits]).go()
        found.append([(type(event), event.zone, event.time) for event in sim.recording.events])
    assert found[0] == found[1]
    steps = ran(cell, a="enter-zone press\nwait 1\nleave-zone press", b="enter-zone press\nleave-zone press").simulator
    assert [
        (type(event), event.zone, event.time) for event in events(steps, ZoneEntered, ZoneLeft, ZoneAwaited)
    ] == found[0]


# ---- the life of a run --------------------------------------------------------------------------------------

WORK = "enter-zone press\nmove-joints-relative A 10,0,0,0,0,0\nmove-joints-relative A 20,0,0,0,0,0\nwait 1\nleave-zone press"
BESIDE = "wait 0.1\nenter-zone press\nmove-joints-relative B 20,0,0,0,0,0\nwait 0.5\nleave-zone press"


def kept(cell):
    cell.do(f"program work\n{WORK}\nend")
    cell.do(f"program beside\n{BESIDE}\nend")


def recorded(cell):
    return cell.session.recording.to_bytes()


def test_typed_together_stepped_back_and_saved_runs_record_the_same_bytes(cell, tmp_path):
    kept(cell)
    cell.do("run-together work beside")
    whole = recorded(cell)
    texts = {"work": WORK, "beside": BESIDE}
    assert ran(cell, **texts).simulator.recording.to_bytes() == whole
    cell.do("debug work beside")
    for _ in range(8):
        cell.do("step-into")
    for _ in range(5):
        cell.do("step-back")
    cell.do("resume")
    assert recorded(cell) == whole
    cell.do("break work 5")
    cell.do("run-together work beside")
    file = tmp_path / "half.run"
    cell.session.paused.stepped.run.save(file)
    again = Run.load(file, wc.Simulator(cell))
    again.go()
    assert again.simulator.recording.to_bytes() == whole
    cell.do("resume")
    assert recorded(cell) == whole


def test_a_saved_run_goes_on_in_another_process(cell, tmp_path):
    kept(cell)
    cell.do("run-together work beside")
    whole = recorded(cell)
    cell.do("break work 4")
    cell.do("run-together work beside")
    cell.session.paused.stepped.run.save(tmp_path / "half.run")
    lines = (
        "import sys, workcell as wc",
        "from workcell.simulation.interpreter import Run",
        "cell = wc.Cell()",
        f"[cell.do(line) for line in {(*STAGE, f'program work{chr(10)}{WORK}{chr(10)}end', f'program beside{chr(10)}{BESIDE}{chr(10)}end')!r}]",
        f"run = Run.load({str(tmp_path / 'half.run')!r}, wc.Simulator(cell))",
        "run.go()",
        "sys.stdout.buffer.write(run.simulator.recording.to_bytes())",
    )
    made = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, check=True)
    assert made.stdout == whole


def test_a_paused_run_lists_who_holds_and_who_waits(cell):
    kept(cell)
    cell.do("break work 4")
    cell.do("run-together work beside")
    rows = cell.do("run-status").rows
    doing = {row[0]: row[1] for row in rows}
    assert doing == {"work": "stands; holds press", "beside": "waits for zone press, held by work"}
    assert {row[0]: row[-2:] for row in cell.do("zones").rows}["press"] == ("work", "beside")
    cell.do("modify zone:press name stamp")
    assert {row[0]: row[-2:] for row in cell.do("zones").rows}["stamp"] == ("work", "beside")
    cell.do("resume")
    assert {one.zone for one in cell.session.recording.events if isinstance(one, ZoneEntered)} == {"stamp"}


def test_a_rename_of_the_zone_goes_into_programs_and_undo_takes_it_back(cell):
    kept(cell)
    cell.do("run-together work beside")
    before = recorded(cell)
    cell.do("modify zone:press name stamp")
    assert "enter-zone stamp" in str(cell.do("steps work"))
    assert {one.zone for one in cell.session.recording.events if isinstance(one, ZoneLeft)} == {"stamp"}
    cell.do("run-together work beside")
    cell.do("undo 2")
    assert "enter-zone press" in str(cell.do("steps work"))
    assert recorded(cell) == before
    answer = str(cell.do("remove zone:press --deep"))
    assert "names it in line 1" in answer
    with pytest.raises(ProgramProblems, match="no zone called 'press'"):
        cell.do("run work")


# ---- before a run -------------------------------------------------------------------------------------------


def warnings(cell, **texts):
    for name, text in texts.items():
        cell.do(f"program {name}\n{text}\nend")
    answers = [str(cell.do(f"check program {name}")) for name in texts]
    return [line for answer in answers for line in answer.split("\n") if "warning" in line and ":" in line]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("enter-zone press\nwait 1", 1),
        ("enter-zone press\nif go = 1\n  leave-zone press\nend", 1),
        ("enter-zone press\nif go = 1\n  return\nend\nleave-zone press", 1),
        ("enter-zone press\nwhile go = 1\n  leave-zone press\nend", 1),
        ("parallel\n  enter-zone press\nand\n  wait 1\nend", 2),
        ("try\n  enter-zone press\n  home A\n  leave-zone press\non-error\n  wait 1\nend", 2),
        ("wait-until go = 1 timeout 1 else\n  enter-zone press\nend", 2),
    ],
)
def test_the_checker_warns_of_a_zone_that_is_not_left_on_every_way(cell, text, line):
    (found,) = warnings(cell, work=text)
    assert found.startswith(f"work:{line}:")
    assert found.endswith(
        "Zone 'press' is entered here but not left on every path; `leave-zone` must come before the program ends."
    )


@pytest.mark.parametrize(
    "text",
    [
        "enter-zone press\nwait 1\nleave-zone press",
        "enter-zone press\nif go = 1\n  leave-zone press\n  return\nend\nleave-zone press",
        "repeat 3\n  enter-zone press\n  leave-zone press\nend",
        "enter-zone press\ntry\n  home A\non-error\n  wait 1\nend\nleave-zone press",
        "enter-zone press\nstop",
        "parallel\n  enter-zone press\n  leave-zone press\nand\n  enter-zone press\n  leave-zone press\nend",
    ],
)
def test_the_checker_is_quiet_about_zones_that_are_left(cell, text):
    assert warnings(cell, work=text) == []


def test_the_checker_follows_calls(cell):
    calls = {"inn": "enter-zone press", "out": "leave-zone press", "work": "call inn\nwait 1\ncall out"}
    assert warnings(cell, **calls) == []
    (found,) = warnings(cell, bad="wait 1\ncall inn")
    assert found.startswith("bad:2:")


def test_the_checker_warns_of_opposite_orders_and_of_what_waits_for_ever(cell):
    first = "enter-zone press\nenter-zone lathe\nleave-zone lathe\nleave-zone press"
    second = "enter-zone lathe\nenter-zone press\nleave-zone press\nleave-zone lathe"
    one, other = warnings(cell, one=first, other=second)
    assert one.startswith("one:2:")
    assert (
        "Zone 'lathe' is entered here while 'press' is held, and program 'other' enters them in the opposite order"
        in one
    )
    assert other.startswith("other:2:")
    cell.do("undo 2")
    assert warnings(cell, one=first, other=first) == []
    indented = ["\n".join(f"  {line}" for line in text.split("\n")) for text in (first, second)]
    both = warnings(cell, both=f"parallel\n{indented[0]}\nand\n{indented[1]}\nend")
    assert [line.split(":")[1] for line in both] == ["3", "8"]
    assert "another branch enters them in the opposite order" in both[0]
    (ever,) = warnings(
        cell, ever="enter-zone press\nparallel\n  enter-zone press\n  leave-zone press\nend\nleave-zone press"
    )
    assert "this branch would wait forever" in ever
    (twice,) = warnings(cell, twice="enter-zone press\nenter-zone press\nleave-zone press")
    assert "already been entered here" in twice


def test_bad_zones_are_mistakes_of_a_program(cell):
    cell.do("add zone fence box 100 100 100 at 0,-900,500")
    cell.do("program bad\nenter-zone fence\nenter-zone A\nenter-zone nowhere\nend")
    text = str(cell.do("check program bad"))
    assert "Nothing may enter zone 'fence', which is a keep-out zone" in text
    assert "Expected a zone; 'A' is a robot" in text
    assert "There is no zone called 'nowhere'" in text
    with pytest.raises(
        InvalidValue, match=r"The capacity of a zone is a whole number of programs, 1 or more; found 1\.5"
    ):
        cell.do("modify zone:press capacity 1.5")
    with pytest.raises(Refused, match="A keep-out zone has no capacity; give `rule shared`"):
        cell.do("add zone other box 100 100 100 at 0,-900,500 capacity 2")
    with pytest.raises(Refused, match="`enter-zone press` is a step of a program"):
        cell.do("enter-zone press")


# ---- afterwards ---------------------------------------------------------------------------------------------


def test_the_report_sums_waiting_and_the_gantt_chart_shows_it(cell, tmp_path):
    cell.do(f"program a\n{STAY.format(0, 2)}\nend")
    cell.do(f"program b\n{STAY.format(0.5, 1)}\n{STAY.format(0, 1)}\nend")
    cell.do("run-together a b")
    made = cell.do("report")
    lines = [(one.zone, one.program, one.entries, one.waits, one.waited, one.inside) for one in made.zones]
    assert lines == [("press", "a", 1, 0, 0.0, 2.0), ("press", "b", 2, 1, 1.5, 2.0)]
    assert (
        "zone press: b entered 2 times, waited once, 1.5000 s in all and 1.5000 s at most, and was inside for"
        in str(made)
    )
    cell.do(f"gantt {tmp_path / 'chart.svg'}")
    chart = (tmp_path / "chart.svg").read_text()
    assert "b waits for zone press, 1.5000 s" in chart
    assert chart.count("b is in zone press, 1.0000 s") == 2


# ---- two robots and a rail, by geometry ---------------------------------------------------------------------

BOX = "500,500,1000 at 750,0,500"
WIDE = "560,560,1060 at 750,0,500"
"""30 mm wider on all sides: more than any body moves between two samples."""
EVERY = 0.02
HALL = (
    "create robot A puma560 joints 80,0,-90,0,90,0",
    "create robot B puma560 at 1500,0,0 rotate 0,0,180 joints 80,0,-90,0,90,0",
    "add rail track 2000 at 750,-1000,0 rotate 0,0,90",
    f"add zone middle box {BOX.replace(',', ' ', 2)} rule shared",
)
SENSORS = (
    f"add proximity-sensor inA box {BOX} sees A",
    f"add proximity-sensor inB box {BOX} sees B",
    f'add proximity-sensor inT box {BOX} sees "track/link 1"',
)
"""They say when the bodies themselves are in the box of the zone, located on the exact motion."""
JOBS = {"inA": "A", "inB": "B", "inT": "track"}


def arm_job(rng, robot, side):
    """Into the zone and back, or through it to the other side; returns the lines and the side where it ends."""
    turn, tilt = rng.uniform(-8, 8), rng.uniform(-5, 5)
    inside = f"move-joints-absolute {robot} {turn:.3f},{tilt:.3f},-90,0,90,0"
    other = -side if rng.random() < 0.5 else side
    out = f"move-joints-absolute {robot} {80 * other},0,-90,0,90,0"
    return ["enter-zone middle", inside, f"wait {rng.choice([0, rng.random()]):.3f}", out, "leave-zone middle"], other


def rail_job(rng, side):
    other = -side if rng.random() < 0.7 else side
    middle = f"move-joints-absolute track {1000 + rng.uniform(-100, 100):.3f}"
    out = f"move-joints-absolute track {1000 + 1000 * other}"
    return ["enter-zone middle", middle, out, "leave-zone middle"], other


def hall_run(seed, seconds, more=()):
    """A run of random jobs of two robots and a rail; the simulator after it."""
    rng = random.Random(seed)
    with wc.Cell() as cell:
        for line in (*HALL, *more):
            cell.do(line)
        sides, texts, left = {"A": 1, "B": 1, "track": -1}, {name: [] for name in ("A", "B", "track")}, {}
        for name in rng.sample(sorted(texts), 3):
            left[name] = seconds
            while left[name] > 0.0:
                pause = rng.expovariate(1.0 / 6.0)
                if name == "track":
                    lines, sides[name] = rail_job(rng, sides[name])
                else:
                    lines, sides[name] = arm_job(rng, name, sides[name])
                texts[name] += [f"wait {pause:.3f}", *lines]
                left[name] -= pause + 6.0
        return ran(cell, **{f"job{name}": "\n".join(texts[name]) for name in left}).simulator


def inside_by_sensors(simulator, signal):
    """From when to when the signal of a sensor was 1."""
    rows, since = [], None
    for one in events(simulator, SensorChanged):
        if one.signal == signal:
            if one.value:
                since = one.time
            else:
                rows.append((since, one.time))
    assert since is None or rows
    return rows


def inside_by_samples(simulator):
    """From when to when bodies of each device were in the wider zone, by samples of the recorded motion."""
    with wc.Cell() as cell:
        for line in HALL:
            cell.do(line.replace(BOX.replace(",", " ", 2), WIDE.replace(",", " ", 2)))
        model = collision_model(cell.snapshot(), zones=zones_of(cell.snapshot()))
    found = {}
    moved = {move.device: [] for move in simulator.recording.moves}
    for move in simulator.recording.moves:
        moved[move.device].append((move.start, move.end))
    for name, spans in moved.items():
        rows = []
        for begin, end in sorted(spans):
            times = np.linspace(begin, end, max(2, int(np.ceil((end - begin) / EVERY)) + 1))
            joints = {name: simulator.recording.joints_at(times)[name]}
            inside = entered_batch(model, joints, robots=[name])["middle"]
            for time, now in zip(times.tolist(), inside.tolist(), strict=True):
                if now and rows and rows[-1][1] == "open":
                    continue
                if now:
                    rows.append([time - EVERY, "open"])
                elif rows and rows[-1][1] == "open":
                    rows[-1][1] = time
        found[name] = [tuple(row) for row in rows]
    return found


def require_never_together(simulator, inside):
    """Bodies of different devices are never in the zone at once, and each only while its program holds the zone."""
    held = stays(simulator.recording.events)
    everywhere = []
    for name, bodies in inside.items():
        own = [(one.entered, one.left) for one in held if one.program == f"job{name}"]
        assert bodies
        for begin, end in bodies:
            assert any(entered <= begin and end <= left for entered, left in own), (name, begin, end)
        everywhere += bodies
    everywhere.sort()
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(everywhere))
    return len(everywhere)


def test_two_robots_and_a_rail_are_never_together_in_their_zone():
    simulator = hall_run(1, 25.0, SENSORS)
    exact = {name: inside_by_sensors(simulator, signal) for signal, name in JOBS.items()}
    assert require_never_together(simulator, exact) >= 6
    rough = inside_by_samples(simulator)
    assert require_never_together(simulator, rough) == sum(map(len, exact.values()))
    for name, rows in exact.items():
        for (begin, end), (a, b) in zip(rows, rough[name], strict=True):
            assert a <= begin <= end <= b


@pytest.mark.soak
def test_two_robots_and_a_rail_for_an_hour():
    simulator = hall_run(2026, 3600.0)
    visits = require_never_together(simulator, inside_by_samples(simulator))
    uses = zone_uses(simulator.recording.events, simulator.time)
    assert simulator.time >= 3600.0
    assert not events(simulator, Deadlocked)
    waited, times = sum(one.waited for one in uses), sum(one.waits for one in uses)
    print(
        f"shared zone: {simulator.time:.0f} s, {visits} visits of 2 robots and a rail, {times} waits of {waited:.0f} s "
        "in all, never two together"
    )


def two_zone_texts(rng, rounds):
    texts = {}
    for name in "abc":
        lines = []
        for _ in range(rounds):
            first, second = rng.sample(["press", "lathe"], 2)
            lines += [
                f"wait {rng.expovariate(1.0):.3f}", f"enter-zone {first}", f"wait {rng.random():.3f}", "try",
                f"  enter-zone {second}", f"  wait {rng.random():.3f}", f"  leave-zone {second}", "on-error", "  wait 0",
                "end", f"leave-zone {first}",
            ]  # fmt: skip
        texts[name] = "\n".join(lines)
    return texts


def require_true_rings(source):
    """Everybody of a ring holds what the one before waits for, and no two are in one zone; how many rings."""
    locks = events(source, Deadlocked)
    for lock in locks:
        for one, after in zip(lock.ring, (*lock.ring[1:], lock.ring[0]), strict=True):
            assert one.waits_for in after.holds
    for zone in ("press", "lathe"):
        rows = [one for one in stays(source.recording.events) if one.zone == zone and one.entered is not None]
        rows.sort(key=lambda one: (one.entered, one.left))
        assert all(before.left <= after.entered for before, after in itertools.pairwise(rows))
    return len(locks)


def test_every_deadlock_of_random_programs_is_reported_and_nothing_else_stops_them(cell):
    # A deadlock that was not reported would end the run with "The run cannot continue".
    found = [require_true_rings(ran(cell, **two_zone_texts(random.Random(seed), 5)).simulator) for seed in range(40)]
    assert sum(found) > 20


@pytest.mark.soak
def test_deadlocks_over_an_hour(cell):
    source = ran(cell, **two_zone_texts(random.Random(2026), 1500)).simulator
    assert source.time >= 3600.0
    print(f"two shared zones: {source.time:.0f} s, {require_true_rings(source)} deadlocks, each reported with its ring")

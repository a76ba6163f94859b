"""Steps that steer moves under way, in programs and typed while a run is paused."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest

import workcell as wc
from workcell.commands.language.program_reader import read_program
from workcell.errors import MotionStop, Refused, WorkcellError
from workcell.programs.problem import ProgramProblems
from workcell.simulation.events import GivenUp, RateChanged, Superseded
from workcell.simulation.interpreter import Run
from workcell.simulation.routines import Callback
from workcell.simulation.saved_runs import SavedRun

HOME = (0.0, 0.0, -90.0, 0.0, 90.0, 0.0)
STAGE = (
    f"create robot A puma560 joints {','.join(map(str, HOME))}",
    f"create robot B puma560 at 0,2000,0 joints {','.join(map(str, HOME))}",
    "add rail track 2000 at 0,-2000,0",
    "add solid crate box 50 50 50 at 0,1000,25 --movable",
    "create signal go",
)
BESIDE = """parallel
  move-joints-relative A 60,0,0,0,0,0
and
  wait 0.4
{}
end
"""


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        for line in STAGE:
            cell.do(line)
        yield cell


def program(text, name="work"):
    read = read_program(name, text)
    assert not read.problems, read.problems
    return read.program


def ran(cell, text):
    run = Run(wc.Simulator(cell), [program(text)])
    run.go()
    return run.simulator


def beside(*lines):
    return BESIDE.format("\n".join(f"  {line}" for line in lines))


def events(source, kind):
    return [one for one in source.recording.events if isinstance(one, kind)]


def joint(simulator, name="A", number=0):
    return float(np.degrees(simulator.state.joints[name][number]))


# ---- in programs --------------------------------------------------------------------------------------------


def test_a_move_that_is_held_by_another_branch_takes_longer_by_the_hold(cell):
    free = ran(cell, beside("wait 0.1"))
    held = ran(cell, beside("hold-motion A", "wait 3", "resume-motion A"))
    assert joint(held) == joint(free) == pytest.approx(60.0)
    assert 3.0 - 0.6 < held.time - free.time < 3.0 + 0.6  # it brakes into the hold and speeds up out of it
    hold, resume = events(held, RateChanged)
    assert (hold.rate, resume.rate) == (0.0, 1.0)
    assert hold.delay > 0.0
    assert hold.travel[0] > 0.0
    stands = held.recording.state_at(hold.time + hold.delay).joints["A"][0]
    assert stands == pytest.approx(held.recording.state_at(hold.time).joints["A"][0] + hold.travel[0], abs=1e-9)
    assert held.recording.state_at(resume.time).joints["A"][0] == pytest.approx(stands, abs=1e-12)


def test_a_move_that_was_held_too_late_is_over_and_needs_no_resuming(cell):
    free = ran(cell, beside("wait 0.1"))
    late = free.time - 0.4 - 1e-3
    held = ran(cell, beside(f"wait {late:.6f}", "hold-motion A", "wait 1", "resume-motion A", "resume-motion A"))
    assert joint(held) == pytest.approx(60.0)


def test_an_override_holds_for_what_is_to_come_and_ends_with_the_run(cell):
    text = "override {} of A\nmove-joints-relative A 20,0,0,0,0,0\nmove-joints-relative A 20,0,0,0,0,0"
    whole, half = ran(cell, text.format(100)), ran(cell, text.format(50))
    assert half.time == pytest.approx(2.0 * whole.time, rel=1e-6)
    assert half.rates == {}
    cell.do("program slow\noverride 25\nmove-joints-relative A 20,0,0,0,0,0\nmove-joints-relative B 20,0,0,0,0,0\nend")
    cell.do("program plain\nmove-joints-relative A 20,0,0,0,0,0\nmove-joints-relative B 20,0,0,0,0,0\nend")
    slow, plain = cell.do("run slow").time, cell.do("run plain").time
    assert slow == pytest.approx(4.0 * plain, rel=1e-6)


def test_a_stop_is_a_refusal_of_the_step_that_waits_for_the_move(cell):
    with pytest.raises(MotionStop, match=r"Line 2 of program 'work': A was stopped on its way at .* s: a stop was"):
        ran(cell, beside("stop-motion A"))
    taken = ran(
        cell,
        "try\n  parallel\n    move-joints-relative A 60,0,0,0,0,0\n  and\n    wait 0.4\n    emergency-stop\n  end\n"
        "on-error why\n  move-joints-relative B 5,0,0,0,0,0\nend",
    )
    assert joint(taken, "B") == pytest.approx(5.0)
    assert 0.0 < joint(taken) < 60.0
    (given_up,) = events(taken, GivenUp)
    assert (given_up.device, given_up.reason) == ("A", "emergency stop")


def test_new_joint_values_on_the_way_are_where_the_move_ends(cell):
    there = ran(cell, beside("supersede-joints A -5,1,-90,0,90,0"))
    assert np.allclose(np.degrees(there.state.joints["A"]), [-5, 1, -90, 0, 90, 0], atol=1e-9)
    (changed,) = events(there, Superseded)
    assert there.time == pytest.approx(changed.time + changed.delay, abs=2e-9)


@pytest.mark.parametrize(
    ("move", "device"),
    [("move-joints-relative track 500", "track"), ("move-solid crate through 300,1000,25 speed 100mm/s", "crate")],
)
def test_mechanisms_and_solids_are_steered_too(cell, move, device):
    text = f"parallel\n  {move}\nand\n  wait 0.2\n  {{}}\nend"
    free, held = (
        ran(cell, text.format(line)) for line in ("wait 0", f"hold-motion {device}\n  wait 2\n  resume-motion {device}")
    )
    assert held.time > free.time + 1.5
    assert held.state.poses["crate"] == free.state.poses["crate"]
    assert np.array_equal(held.state.joints["track"], free.state.joints["track"])
    with pytest.raises(MotionStop, match=f"{device} was stopped on its way"):
        ran(cell, text.format(f"stop-motion {device}"))


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["hold-motion B"], "B is at rest; there is no move to hold."),
        (["resume-motion A"], "A is not held: it moves."),
        (["hold-motion A", "hold-motion A"], "A is already held."),
        (["emergency-stop B"], "B is at rest; there is no move to stop."),
        (["supersede-joints B 0,0,-90,0,90,0"], "B is at rest; there is no move to supersede."),
        (["let n = 0", "override n"], "An override must be from 1 to 100 %; found 0.0. To stop a move on its path, hold it."),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_one_sentence(cell, lines, words):
    with pytest.raises(Refused) as refused:
        ran(cell, beside(*lines))
    assert str(refused.value.evidence["reason"]) == words


def test_a_program_with_an_override_out_of_range_has_a_mistake(cell):
    cell.do("program wrong\noverride 150 of A\nend")
    with pytest.raises(ProgramProblems, match="An override must be from 1 to 100 %; found 150"):
        cell.do("run wrong")


def test_a_run_in_which_all_wait_for_what_is_held_names_it(cell):
    with pytest.raises(Refused, match=r"The run cannot continue: A is held, .*; `resume-motion A` does\."):
        ran(cell, beside("hold-motion A"))
    waits = "parallel\n  move-joints-relative A 60,0,0,0,0,0\nand\n  wait 0.4\n  hold-motion A\n  wait-for go\nend"
    with pytest.raises(Refused, match=r"A is held, .* \(work in line 6 for go = 1\)"):
        ran(cell, waits)


# ---- typed while a run is paused ----------------------------------------------------------------------------

TYPED = (
    "override 40 of A",
    "override 70",
    "hold-motion A",
    "resume-motion A",
    "supersede-joints A 10.123456789,1,-90,0,90,0",
    "stop-motion A",
    "emergency-stop",
)


@pytest.fixture
def paused(cell):
    cell.do("program work\n" + beside("wait 0.1", "wait 0.1", "wait 2").rstrip() + "\nend")
    cell.do("break work 5")
    cell.do("run work")
    return cell


@pytest.mark.parametrize("line", TYPED)
def test_a_typed_change_is_an_input_of_the_run_that_the_history_carries_out_again(paused, line):
    if line == "resume-motion A":
        paused.do("hold-motion A")
    answer = str(paused.do(line))
    if line == "hold-motion A":
        paused.do("step-into")
        paused.do("resume-motion A")
    assert "A " in answer
    assert " ms" in answer
    try:
        paused.do("resume")
    except MotionStop:
        assert "stop" in line
    recorded = paused.session.recording.to_bytes()
    entry = list(paused.journal)[-1]
    paused.do("unbreak")
    assert "inputs" in entry.command
    with pytest.raises(MotionStop) if "stop" in line else _nothing():
        paused.do(entry.command)
    assert paused.session.recording.to_bytes() == recorded


class _nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def test_stepping_back_forgets_what_was_typed_since(paused):
    paused.do("unbreak")
    paused.do("step-into")
    paused.do("hold-motion A")
    paused.do("step-back")
    paused.do("resume")
    assert np.degrees(paused.session.simulator.state.joints["A"][0]) == pytest.approx(60.0)
    assert not [one for one in paused.session.recording.events if isinstance(one, RateChanged)]


def test_a_renamed_robot_is_steered_in_the_run_under_its_old_name(paused):
    paused.do("modify A name Arm")
    assert "A stops on its path" in str(paused.do("hold-motion Arm"))
    paused.do("create robot New puma560 at 0,4000,0")
    with pytest.raises(Refused, match="'New' was made after the run of 'work' began"):
        paused.do("hold-motion New")
    paused.do("resume-motion Arm")
    paused.do("resume")


def test_outside_a_run_nothing_moves_and_the_sentence_says_so(cell):
    with pytest.raises(Refused, match="A is at rest; there is no move to hold"):
        cell.do("hold-motion A")
    with pytest.raises(Refused, match="`override` needs a run"):
        cell.do("override 50")
    assert str(cell.do("emergency-stop")) == "nothing moves"


# ---- saved --------------------------------------------------------------------------------------------------

SAVED = """
override 60
parallel
  try
    move-joints-relative A 60,10,0,0,0,0
  on-error why
    message why
  end
and
  wait 0.3
  hold-motion A
  wait 0.2
  wait 0.2
  override 30 of B
  resume-motion A
  wait 0.2
  supersede-joints A -10,0,-90,0,90,0
  wait 0.1
  stop-motion A
  wait 0.01
  wait 1
and
  move-joints-relative B 20,0,0,0,0,0
  move-joints-relative B -20,0,0,0,0,0
end
"""


def test_a_run_that_is_steered_is_saved_anywhere_and_goes_on_to_the_same_bytes(cell):
    whole = ran(cell, SAVED).recording.to_bytes(sources=True)
    count = 0
    counting = Run(wc.Simulator(cell), [program(SAVED)])
    while counting.go(lambda *_: True) is not None:
        count += 1
    for number in range(1, count + 1):
        run = Run(wc.Simulator(cell), [program(SAVED)])
        run.go(lambda *_, run=run, number=number: run.position == number)
        run = Run.restored(SavedRun.from_bytes(run.saved().to_bytes()), wc.Simulator(cell))
        run.go()
        assert run.simulator.recording.to_bytes(sources=True) == whole, number


def test_a_held_robot_is_saved_and_resumed_in_another_process(tmp_path):
    path = tmp_path / "one.cell"
    with wc.Cell.create(path) as cell:
        for line in STAGE:
            cell.do(line)
        whole = ran(cell, SAVED).recording.to_bytes(sources=True)
        run = Run(wc.Simulator(cell), [program(SAVED)])
        run.go(lambda thread, _: thread.frame.place.line == 12)
        assert run.simulator.drives["A"].rate == 0.0
        run.save(tmp_path / "half.run")
    (tmp_path / "on.py").write_text(
        "import sys, workcell as wc\nfrom workcell.simulation.interpreter import Run\n"
        "with wc.Cell.open(sys.argv[1]) as cell:\n    run = Run.load(sys.argv[2], wc.Simulator(cell))\n    run.go()\n"
        "    open(sys.argv[3], 'wb').write(run.simulator.recording.to_bytes(sources=True))\n"
    )
    subprocess.run(
        [sys.executable, tmp_path / "on.py", path, tmp_path / "half.run", tmp_path / "out"], check=True, timeout=120
    )
    assert (tmp_path / "out").read_bytes() == whole


class Nudge(Callback, name="test nudge"):
    """Overrides A by turns, and counts."""

    def __init__(self):
        self.count = 0

    def __call__(self, simulator):
        self.count += 1
        simulator.override(100 if self.count % 2 else 50, "A")


def test_registered_callbacks_are_saved_and_plain_functions_refused_by_name(cell):
    text = "parallel\n  move-joints-relative A 60,0,0,0,0,0\nand\n  wait 0.33\n  wait 0.4\nend"

    def begun(call):
        simulator = wc.Simulator(cell)
        simulator.every(0.05, call, phase=0.02)
        simulator.every(0.1, call, phase=0.02)
        return Run(simulator, [program(text)])

    whole = begun(Nudge())
    whole.go()
    run = begun(Nudge())
    run.go(lambda thread, _: thread.frame.place.line == 5)
    again = Run.restored(SavedRun.from_bytes(run.saved().to_bytes()), wc.Simulator(cell))
    assert [one.function.count for one in again.simulator.callbacks] == [11, 11]
    again.go()
    assert again.simulator.recording.to_bytes() == whole.simulator.recording.to_bytes()

    def stranger(simulator):
        del simulator

    run = begun(stranger)
    run.go(lambda thread, _: thread.frame.place.line == 5)
    with pytest.raises(Refused, match=r"stranger.* cannot be saved: it is neither data nor a registered callback"):
        run.saved().to_bytes()


def test_random_changes_by_programs_and_by_python_record_the_same(cell):
    rng = random.Random(5)
    for _ in range(6):
        at, percent = rng.uniform(0.05, 0.5), rng.randint(1, 100)
        text = beside(f"wait {at}", f"override {percent} of A").replace("  wait 0.4\n", "")
        by_program = ran(cell, text)

        def work(simulator):
            yield simulator.robot("A").move_joints_relative(np.radians([60.0, 0, 0, 0, 0, 0]))

        def meddle(simulator, at=at, percent=percent):
            yield at
            simulator.robot("A").override(percent)

        other = wc.Simulator(cell)
        Run(other, [work, meddle]).go()
        assert _moves(other) == _moves(by_program)


def _moves(simulator):
    return [(one.device, one.start, one.end, one.peaks) for one in simulator.recording.moves]


def test_steering_in_the_mode_of_the_thesis_is_refused(cell):
    cell.do("mode joint-by-joint")
    with pytest.raises(WorkcellError, match="moves joint by joint, as in the thesis, and cannot be steered"):
        ran(cell, beside("hold-motion A"))

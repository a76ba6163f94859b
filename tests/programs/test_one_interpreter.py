"""One interpreter: programs as data and in Python run in parallel, pause anywhere, and can be rewound."""

from __future__ import annotations

import random

import numpy as np
import pytest

import workcell as wc
from workcell.commands.language.program_reader import read_program
from workcell.errors import CollisionStop, Refused
from workcell.simulation.events import Message
from workcell.simulation.interpreter import Run
from workcell.simulation.programs import Seen

HOME = "0,0,-90,0,90,0"

FEED = """
let n = 0
parallel
  repeat 3
    move-joints-relative A 5,0,0,0,0,0
    set-signal ready 1 - ready
    let n = n + 1
  end
and
  wait-until ready = 1 timeout 2s
  move-joints-relative B 5,0,0,0,0,0
  try
    move-joints-absolute B 900,0,0,0,0,0
  on-error why
    message "refused"
  end
  wait 0.1
end
if n = 3
  message n
end
"""
TAKE = "wait-for ready\nset-signal count 1\nfor i from 1 to 3\n  set-signal count count + i\n  wait 0.05\nend"


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        for line in (
            f"create robot A puma560 joints {HOME}",
            f"create robot B puma560 at 0,2000,0 joints {HOME}",
            "create signal ready",
            "create signal count",
        ):
            cell.do(line)
        yield cell


def program(name, text):
    read = read_program(name, text)
    assert not read.problems
    return read.program


def both(cell):
    return Run(wc.Simulator(cell), [program("feed", FEED), program("take", TAKE)])


def test_a_run_paused_before_every_step_records_the_same_bytes(cell):
    whole = both(cell)
    whole.go()
    paused, stands = both(cell), 0
    while paused.go(lambda *_: True) is not None:
        stands += 1
    assert stands == paused.position > 20
    assert paused.simulator.recording.to_bytes(sources=True) == whole.simulator.recording.to_bytes(sources=True)
    assert paused.ended == whole.ended


def test_a_thread_that_a_signal_woke_waits_its_turn_after_a_pause_too(cell):
    # The first program is woken by the second, which goes on before it in the same round, paused or not.
    first, second = program("first", "wait-for ready\nmessage 1"), program("second", "set-signal ready 1\nmessage 2")
    for pause in (None, lambda *_: True):
        run = Run(wc.Simulator(cell), [first, second])
        while run.go(pause) is not None:
            pass
        assert [one.text for one in run.simulator.recording.events if isinstance(one, Message)] == ["2", "1"]


def test_a_run_goes_back_to_any_moment_and_goes_on_to_the_same_bytes(cell):
    whole = both(cell)
    whole.go()
    expected = whole.simulator.recording.to_bytes(sources=True)
    run, moments = both(cell), []
    while run.go(lambda *_: True) is not None:
        moments.append(run.moment())
    chosen = random.Random(1).sample(range(len(moments)), 12)
    for number in chosen:
        run.return_to(moments[number])
        assert run.moment().plant.state == moments[number].plant.state
        assert run.position == number + 1
        run.go()
        assert run.simulator.recording.to_bytes(sources=True) == expected
        assert run.ended == whole.ended
        assert not run.simulator.under_way


def test_a_run_takes_programs_as_data_and_generators_in_the_order_given(cell):
    seen = []

    def look(sim):
        yield Seen("ready")
        seen.append(sim.time)
        sim.set_signal("count", 1)
        yield 0.25

    data = program("data", "move-joints-relative A 10,0,0,0,0,0\nset-signal ready 1\nwait-for count\nmessage time()")
    run = Run(wc.Simulator(cell), [data, look])
    run.go()
    (answer,) = [one.text for one in run.simulator.recording.events if isinstance(one, Message)]
    assert float(answer.split()[0]) == pytest.approx(seen[0], abs=1e-4)
    assert run.ended == {"data": seen[0], "look": pytest.approx(seen[0] + 0.25)}
    again = Run(wc.Simulator(cell), [data, look])
    again.go(lambda *_: True)
    with pytest.raises(Refused, match=r"'look' is a generator written in Python: .* cannot be saved or stepped back"):
        again.moment()


def test_generators_make_the_same_bytes_as_steps(cell):
    def turn(sim):
        yield sim.robot("A").move_joints_relative(np.radians([10, 0, 0, 0, 0, 0]))
        sim.set_signal("ready", 1)
        yield sim.robot("A").move_joints_relative(np.radians([-10, 0, 0, 0, 0, 0]))

    steps = program(
        "turn", "move-joints-relative A 10,0,0,0,0,0\nset-signal ready 1\nmove-joints-relative A -10,0,0,0,0,0"
    )
    runs = [Run(wc.Simulator(cell), [one]) for one in (steps, turn)]
    for run in runs:
        run.go()
    assert runs[0].simulator.recording.to_bytes() == runs[1].simulator.recording.to_bytes()


def test_a_generator_can_take_the_stop_of_its_own_move_and_nobody_elses(cell):
    cell.do("add solid wall box 2000 100 3000 at 0,500,0")
    cell.do("watch yes")
    heard = []

    def mover(sim):
        try:
            yield sim.robot("A").move_joints_relative(np.radians([120, 0, 90, 0, 0, 0]))
        except CollisionStop as stop:
            heard.append(stop.evidence.get("robot", "A"))
        yield sim.robot("A").move_joints_relative(np.radians([-5, 0, 0, 0, 0, 0]))

    def waiter(sim):
        yield 60.0
        heard.append(sim.time)

    run = Run(wc.Simulator(cell), [mover, waiter])
    run.go()
    assert heard == ["A", 60.0]


def test_a_generator_that_never_waits_is_an_endless_loop(cell):
    def spin(_):
        while True:
            yield 0.0

    with pytest.raises(Refused, match=r"'spin' loops without time passing: 10,000 steps at 0\.0000 s"):
        Run(wc.Simulator(cell), [spin]).go()


def test_a_run_with_a_mistake_in_its_start_leaves_the_simulator_free(cell):
    sim = wc.Simulator(cell)
    needs = program("needs", "parameter n number\nwait n")
    with pytest.raises(Refused, match="needs a value"):
        Run(sim, [needs])
    Run(sim, [program("fine", "wait 1")]).go()
    assert sim.time == 1.0


def test_a_weld_under_way_is_plain_data(cell):
    cell.do("targets along-curve spots normal 0,0,1 through (450,-100,300) (450,100,300) spacing 100")
    text = "move-along A spots speed 50mm/s"
    follow = program("follow", f"parallel\n  {text}\nand\n  repeat 40\n    wait 0.11\n  end\nend")
    whole = Run(wc.Simulator(cell), [follow])
    whole.go()
    run, moments = Run(wc.Simulator(cell), [follow]), []
    while run.go(lambda *_: True) is not None:
        moments.append(run.moment())
    for moment in moments[::7]:
        run.return_to(moment)
        run.go()
        assert run.simulator.recording.to_bytes(sources=True) == whole.simulator.recording.to_bytes(sources=True)


def test_a_run_that_is_left_behind_moves_nothing(cell):
    import gc

    sim = wc.Simulator(cell)
    both = program("both", "parallel\n  move-joints-relative A 30,0,0,0,0,0\nand\n  wait 0.1\n  wait 0.1\nend")
    run = Run(sim, [both])
    while run.go(lambda *_: True) is not None:
        if sim.time > 0.05:
            break
    assert sim.under_way
    before = sim.time
    del run
    gc.collect()
    assert sim.time == before
    Run(sim, [program("fine", "wait 1")]).go()
    assert sim.time == before + 1.0

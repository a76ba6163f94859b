"""Runs that are saved anywhere and continued record the same bytes as a run that was never paused."""

from __future__ import annotations

import dataclasses
import hashlib
import pickle
import random
import subprocess
import sys

import numpy as np
import pytest

import workcell as wc
from workcell.commands.language.program_reader import read_program
from workcell.errors import FileProblem, InvalidValue, NewerFile, Refused
from workcell.robots.gripper import Gripper
from workcell.simulation import plain, saved_runs
from workcell.simulation.interpreter import Run
from workcell.simulation.routines import Callback, Seen
from workcell.simulation.saved_runs import SavedRun
from workcell.world import identity as identity_module
from workcell.world.body import Body
from workcell.world.layout import classes_in, layout
from workcell.world.placed import PlacedRobot
from workcell.world.places import Spot
from workcell.world.snapshot import Snapshot

STAGE = (
    "create robot A puma560 joints 0,0,-90,0,90,0",
    "create robot B puma560 at 0,2000,0 joints 0,0,-90,0,90,0",
    "add solid part box 40 40 40 at 450,-200,20 rotate 10,20,30",
    "modify part movable yes",
    "create signal ready",
    "create signal count",
    "targets along-curve spots normal 0,0,1 through (450,-100,300) (450,100,300) spacing 50",
)
WORK = """
let n = 0
frame 0,0,0
parallel
  speed A 0.7rad/s
  for spot in spots
    try
      call visit spot, n
    on-error why
      message why
    end
    let n = n + 1
    set-signal count n
  end
  set-signal ready 1
and
  wait-until ready = 1 timeout 1s else
    message "too late"
  end
  while n < 3
    wait 0.05
  end
  wait-until joint(A, 1) > 0.01 timeout 0.02s else
    move-joints-relative B 20,0,0,0,0,0
  end
and
  move-solid part through 460,-200,20 rotate 10,20,30 through 460,-210,20 rotate 10,20,30 speed 20mm/s
end
message n
"""
VISIT = (
    "parameter spot target\nparameter n number\nif n = 2\n  stop-here\nend\nmove-end-effector A spot translate 0,0,-60"
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


def started(cell, *more):
    known = {"visit": program("visit", VISIT.replace("stop-here", "move-joints-absolute A 900,0,0,0,0,0"))}
    return Run(wc.Simulator(cell), [program("work", WORK), *more], known)


def finished(cell, *more):
    run = started(cell, *more)
    run.go()
    return run.simulator.recording.to_bytes(sources=True)


def stands(cell, *more):
    run, count = started(cell, *more), 0
    while run.go(lambda *_: True) is not None:
        count += 1
    return count


def stood(run, number):
    """Go on until the run stands before the step of this number."""
    run.go(lambda *_: run.position == number)
    assert run.standing is not None
    return run


def test_a_run_saved_before_any_step_goes_on_to_the_same_bytes(cell, tmp_path):
    expected, count = finished(cell), stands(cell)
    assert count > 25
    for number in random.Random(7).sample(range(1, count + 1), 12):
        first = stood(started(cell), number)
        first.save(tmp_path / "half.run")
        again = Run.load(tmp_path / "half.run", wc.Simulator(cell))
        assert again.position == number
        assert again.standing.frame.place == first.standing.frame.place
        assert again.standing.frame.variables == first.standing.frame.variables
        again.go()
        assert again.simulator.recording.to_bytes(sources=True) == expected
        assert stood(started(cell), number).saved().to_bytes() == (tmp_path / "half.run").read_bytes()


def test_moves_that_follow_each_other_are_saved_with_the_one_under_way(cell):
    along = program("along", "parallel\n  move-along A spots speed 100mm/s\nand\n  repeat 30\n    wait 0.1\n  end\nend")
    whole = Run(wc.Simulator(cell), [along])
    whole.go()
    run = stood(Run(wc.Simulator(cell), [along]), 6)
    for number in (11, 19, 27):  # before the curve, along it, after it
        run = stood(Run.restored(SavedRun.from_bytes(run.saved().to_bytes()), wc.Simulator(cell)), number)
        assert "A" in run.simulator.under_way
    run.go()
    assert run.simulator.recording.to_bytes(sources=True) == whole.simulator.recording.to_bytes(sources=True)


def test_a_run_saved_again_and_again_goes_on_to_the_same_bytes(cell, tmp_path):
    expected, run, rng = finished(cell), started(cell), random.Random(3)
    while run.go(lambda *_: rng.random() < 0.25) is not None:
        run = Run.restored(SavedRun.from_bytes(run.saved().to_bytes()), wc.Simulator(cell))
    assert run.simulator.recording.to_bytes(sources=True) == expected


def test_a_run_goes_on_in_another_process(tmp_path):
    with wc.Cell.create(tmp_path / "one.cell") as cell:
        for line in STAGE:
            cell.do(line)
        expected = finished(cell)
        stood(started(cell), 17).save(tmp_path / "half.run")
    code = (
        "import sys, workcell as wc\n"
        "from workcell.simulation.interpreter import Run\n"
        "with wc.Cell.open(sys.argv[1]) as cell:\n"
        "    run = Run.load(sys.argv[2], wc.Simulator(cell))\n"
        "    run.go()\n"
        "    run.simulator.recording.save(sys.argv[3])\n"
    )
    files = [str(tmp_path / name) for name in ("one.cell", "half.run", "whole.rec")]
    subprocess.run([sys.executable, "-c", code, *files], check=True, timeout=120)
    assert (tmp_path / "whole.rec").read_bytes() == expected


class Blink(Callback, name="test blink"):
    """Sets a signal now and then."""

    def __init__(self, times):
        self.left, self.seen = times, []

    def go_on(self, simulator):
        self.seen.append(simulator.signal("count"))
        if not self.left:
            simulator.set_signal("count", 100 + sum(self.seen))
            return None
        self.left -= 1
        simulator.set_signal("ready", self.left % 2)
        return Seen("count", 1.0) if self.left == 3 else 0.13


def test_a_registered_callback_is_saved_by_its_name_and_fields(cell):
    expected, count = finished(cell, Blink(5)), stands(cell, Blink(5))
    for number in range(3, count, 5):
        data = stood(started(cell, Blink(5)), number).saved().to_bytes()
        run = Run.restored(SavedRun.from_bytes(data), wc.Simulator(cell))
        run.go()
        assert run.simulator.recording.to_bytes(sources=True) == expected
    data = stood(started(cell, Blink(5)), 5).saved().to_bytes()
    del Callback._registered["test blink"]
    try:
        with pytest.raises(Refused, match=r"needs the callback 'test blink', which is not registered here"):
            SavedRun.from_bytes(data)
    finally:
        Callback._registered["test blink"] = Blink


def test_what_cannot_be_saved_is_named(cell, tmp_path):
    def look(_):
        yield 1.0

    with pytest.raises(Refused, match=r"'look' is a generator written in Python: its position cannot be saved"):
        stood(started(cell, look), 3).save(tmp_path / "a.run")
    held = Blink(5)
    held.hook = lambda: None
    with pytest.raises(Refused, match=r"lambda>' cannot be saved: it is neither data nor a registered callback"):
        stood(started(cell, held), 3).save(tmp_path / "a.run")
    with pytest.raises(Refused, match="Only a run that is paused before a step can be saved"):
        started(cell).save(tmp_path / "a.run")
    watched = stood(started(cell), 3)
    watched.simulator.watch = None
    with pytest.raises(Refused, match="The watch of this simulator was set in Python and cannot be saved"):
        watched.save(tmp_path / "a.run")
    assert not (tmp_path / "a.run").exists()


def test_a_run_is_refused_on_another_cell_and_taken_on_the_same_with_other_programs(cell, tmp_path):
    expected = finished(cell)
    stood(started(cell), 9).save(tmp_path / "half.run")
    cell.do("program other\nwait 1\nend")
    run = Run.load(tmp_path / "half.run", wc.Simulator(cell))
    run.go()
    assert run.simulator.recording.to_bytes(sources=True) == expected
    cell.do("place part at 450,-200,21 rotate 10,20,30")
    with pytest.raises(Refused, match=r"^The run was saved on another cell: .*(bodies|state).* differ here") as caught:
        Run.load(tmp_path / "half.run", wc.Simulator(cell))
    assert "robots" not in caught.value.sections
    assert caught.value.things == ("part stands elsewhere",)
    cell.do("undo")
    Run.load(tmp_path / "half.run", wc.Simulator(cell)).go()


def test_another_cell_is_refused_with_the_things_that_differ(cell, tmp_path):
    stood(started(cell), 9).save(tmp_path / "half.run")
    cell.do("place B at 0,2001,0")
    with pytest.raises(Refused, match=r"robots differ here \(robot B stands elsewhere\); open the cell") as caught:
        Run.load(tmp_path / "half.run", wc.Simulator(cell))
    assert caught.value.things == ("robot B stands elsewhere",)


def test_a_run_of_another_workcell_is_refused_for_what_it_is(cell, tmp_path, monkeypatch):
    stood(started(cell), 9).save(tmp_path / "half.run")
    here = saved_runs.Maker.here()
    for version, reason in (
        ("0.0.9", "by Workcell 0.0.9, and Workcell"),
        (here.workcell, "by another build of Workcell"),
    ):
        other = saved_runs.Maker(version, "another layout")
        monkeypatch.setattr(saved_runs.Maker, "here", classmethod(lambda cls, other=other: other))
        stood(started(cell), 9).saved().save(tmp_path / "other.run")
        monkeypatch.undo()
        with pytest.raises(Refused, match=rf"^The run was saved {reason}.*carry the run out again with `debug`"):
            Run.load(tmp_path / "other.run", wc.Simulator(cell))
    Run.load(tmp_path / "half.run", wc.Simulator(cell)).go()


def test_a_field_more_in_anything_that_a_cell_or_run_holds_is_another_layout(monkeypatch):
    before = layout.__wrapped__((Snapshot, *plain.kinds()))
    assert before == layout.__wrapped__((Snapshot, *plain.kinds()))
    for kind in (Body, PlacedRobot, Gripper, Spot):
        more = dataclasses.make_dataclass(kind.__name__, [("more", int)], bases=(kind,), frozen=True, kw_only=True)
        assert layout.__wrapped__((Snapshot, *plain.kinds(), more)) != before


def test_every_class_that_counts_in_a_cell_is_in_its_layout(cell):
    """Whatever the identity of a section is made from is reached from the fields of a snapshot."""
    met = set()
    record = identity_module._record
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(identity_module, "_record", lambda value, names: (met.add(type(value)), record(value, names))[1])
        fresh = pickle.loads(pickle.dumps(cell.snapshot()))
        assert fresh.hash == cell.snapshot().hash
    known = classes_in((Snapshot,))
    assert met
    assert met <= known, {one.__name__ for one in met - known}


def test_a_file_of_the_first_kind_goes_on_or_says_that_its_maker_is_not_known(cell, tmp_path):
    expected = finished(cell)
    saved = stood(started(cell), 9).saved()
    body = plain.to_bytes((saved.sections, saved.content, saved.recording, saved.about))
    old = b"WCRUN\x01" + hashlib.sha256(body).digest() + body
    run = Run.restored(SavedRun.from_bytes(old), wc.Simulator(cell))
    run.go()
    assert run.simulator.recording.to_bytes(sources=True) == expected
    cell.do("place B at 0,2001,0")
    with pytest.raises(
        Refused, match="on another cell, or by an earlier Workcell that stored cells differently: robots"
    ):
        Run.restored(SavedRun.from_bytes(old), wc.Simulator(cell))
    strange = plain.to_bytes((saved.sections,))
    with pytest.raises(Refused, match="saved by an earlier Workcell that stored runs differently"):
        SavedRun.from_bytes(b"WCRUN\x01" + hashlib.sha256(strange).digest() + strange)


def test_damaged_files_are_refused_in_a_sentence(cell, tmp_path):
    data = stood(started(cell), 9).saved().to_bytes()
    rng = random.Random(5)
    for _ in range(60):
        spoilt = bytearray(data)
        spoilt[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        with pytest.raises(FileProblem):
            SavedRun.from_bytes(bytes(spoilt))
    for size in (0, 3, 20, 40, len(data) // 2, len(data) - 1):
        with pytest.raises(FileProblem):
            SavedRun.from_bytes(data[:size])
    with pytest.raises(NewerFile, match="saved by a later Workcell"):
        SavedRun.from_bytes(b"WCRUN\x63" + data[6:])
    with pytest.raises(FileProblem, match="Cannot read"):
        Run.load(tmp_path / "none.run", wc.Simulator(cell))


def test_bytes_of_values_hold_data_only():
    value = {"a": [1, 2.5, None, True], 3: (np.arange(6.0).reshape(2, 3), wc.Pose.from_xyz(0.1, 0.2, 0.3))}
    again = plain.from_bytes(plain.to_bytes(value))
    assert again["a"] == value["a"]
    assert again[3][0].tobytes() == value[3][0].tobytes()
    assert again[3][1] == value[3][1]
    shared = [1]
    one, two = plain.from_bytes(plain.to_bytes([shared, shared]))
    assert one is two
    with pytest.raises(Refused, match="cannot be saved"):
        plain.to_bytes(subprocess.Popen)
    for bad in (b"", b"\xc1", plain.to_bytes(1)[:0], b"\x92\xa1o\xa6os.Pop", b"\x92\xa1x\x01"):
        with pytest.raises(InvalidValue):
            plain.from_bytes(bad)

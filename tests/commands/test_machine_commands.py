"""Machines as entities: made, renamed, undone, broken, kept in files, and moved by commands and programs."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.commands.program_reader import read_program
from workcell.errors import InvalidValue, NameTaken, Refused, WorkcellError
from workcell.programs.problem import ProgramProblems
from workcell.simulation.interpreter import Run
from workcell.simulation.saved_runs import SavedRun

STAGE = (
    "add rail track 3000",
    "create robot Arm irb1600",
    "mount Arm on track",
    "add positioner Table at 1500,2500,0",
    "create machine Cell of track of Arm of Table",
)
GOAL = "1200,0,20,-40,0,30,0,30,90"


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        for line in STAGE:
            cell.do(line)
        yield cell


def made_of(cell):
    (one,) = cell.snapshot().machines
    return one


def test_a_machine_follows_renames_undo_and_a_swap_of_its_robot(cell):
    assert made_of(cell).members == ("track", "Arm", "Table")
    for old, new in (("Arm", "Bert"), ("track", "rails"), ("Table", "Disc"), ("Cell", "Works")):
        cell.do(f"modify {old} name {new}")
    assert made_of(cell).name == "Works"
    assert made_of(cell).members == ("rails", "Bert", "Disc")
    for _ in range(4):
        cell.do("undo")
    assert made_of(cell).members == ("track", "Arm", "Table")
    cell.do("replace robot Arm with irb140")
    assert not made_of(cell).problem
    cell.do("move-joints-absolute Cell 1200,0,20,-40,0,30,0,30,90")
    cell.do("remove Cell")
    assert cell.snapshot().machines == ()
    cell.do("undo")
    assert made_of(cell).members == ("track", "Arm", "Table")


def test_a_machine_whose_member_is_gone_says_so_until_it_has_others(cell):
    cell.do("remove Table --deep")
    assert "'Table', which stands in no scene" in made_of(cell).problem
    with pytest.raises(Refused, match=r"Machine 'Cell' is made of 'Table', which stands in no scene; place it, or"):
        cell.do(f"move-joints-absolute Cell {GOAL}")
    with pytest.raises(Refused, match="'Table', which stands in no scene"):
        wc.Simulator(cell).machine("Cell")
    with pytest.raises(Refused, match="which stands in no scene"):
        cell.do('modify Cell members "track, Arm, Nobody"')
    cell.do('modify Cell members "track, Arm"')
    cell.do("move-joints-absolute Cell 1200,0,20,-40,0,30,0")
    cell.do("undo")
    cell.do("undo")
    cell.do("undo")
    cell.do(f"move-joints-absolute Cell {GOAL}")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("create machine One of track", "needs two or more robots and mechanisms; found track."),
        ("create machine One", "needs two or more robots and mechanisms; found none."),
        ("create machine Two of track of track", "names 'track' twice."),
        ("create machine Two of Table of Arm", "Arm belongs to machine 'Cell' already"),
        ("create machine Two of track of belt", "belt is a conveyor, which runs on"),
        ("create machine Arm of track of Table", "There is a robot called 'Arm' already"),
        ("create robot Cell puma560", "There is a machine called 'Cell' already"),
        ("modify Arm name Cell", "There is a machine called 'Cell' already"),
        ("move-joints-absolute Cell 1,2,3", "Cell has 9 joints; found 3 values."),
        ("fk Cell in base", "Cell has no base of its own"),
    ],
)
def test_what_is_no_machine_is_refused_and_changes_nothing(cell, line, told):
    cell.do("add conveyor belt 2000 at 0,5000,0")
    before = cell.snapshot().hash
    with pytest.raises(WorkcellError) as caught:
        cell.do(line)
    assert told in str(caught.value)
    assert cell.snapshot().hash == before


def test_machines_are_kept_in_files_text_and_merges(cell, tmp_path):
    cell.do(f"save {tmp_path / 'one.cell'}")
    with wc.Cell.open(tmp_path / "one.cell") as again:
        assert again.snapshot().machines == cell.snapshot().machines
        assert again.snapshot().hash == cell.snapshot().hash
    with wc.Cell() as other:
        other.do(f"load {tmp_path / 'one.cell'} prefix a-")
        assert made_of(other).name == "a-Cell"
        assert made_of(other).members == ("a-track", "a-Arm", "a-Table")
    with pytest.raises(NameTaken):
        cell.do("create machine Cell of track of Table")


def program(text):
    read = read_program("work", text)
    assert not read.problems, read.problems
    return read.program


WORK = f"""
parallel
  move-joints-absolute Cell {GOAL} profile trapezoid
and
  wait 0.4
  hold-motion Cell
  wait 0.3
  resume-motion Cell
  wait 0.3
  supersede-joints Cell 500,10,0,-40,0,30,0,20,45
end
home Cell
"""


def test_typed_lines_programs_python_and_saved_runs_record_the_same(cell):
    lines = f"move-joints-absolute Cell {GOAL}\nmove-joints-relative Cell 100,0,0,0,10,0,0,0,0 profile jerk\nhome Cell"
    sim = wc.Simulator(cell)
    machine, goal = sim.machine("Cell"), np.radians([1200, 0, 20, -40, 0, 30, 0, 30, 90])
    goal[0] = 1.2
    machine.move_joints_absolute(goal)
    by = np.radians([0, 0, 0, 0, 10, 0, 0, 0, 0])
    by[0] = 0.1
    machine.move_joints_relative(by, "jerk")
    machine.move_joints_absolute(np.concatenate([cell.snapshot().initial.joints[n] for n in ("track", "Arm", "Table")]))
    run = Run(wc.Simulator(cell), [program(lines)])
    run.go()
    for line in lines.splitlines():
        cell.do(line)
    typed = cell.session.simulator.recording
    assert run.simulator.recording.to_bytes() == sim.recording.to_bytes() == typed.to_bytes()


def test_a_steered_machine_is_saved_anywhere_and_goes_on_to_the_same_bytes(cell):
    run = Run(wc.Simulator(cell), [program(WORK)])
    run.go()
    whole = run.simulator.recording.to_bytes(sources=True)
    for line in (5, 6, 7, 8, 9, 10, 12):
        run = Run(wc.Simulator(cell), [program(WORK)])
        run.go(lambda thread, _, line=line: thread.frame.place.line == line)
        assert run.standing is not None
        run = SavedRun.from_bytes(SavedRun.of(run).to_bytes()).on(wc.Simulator(cell))
        run.go()
        assert run.simulator.recording.to_bytes(sources=True) == whole, line


def test_programs_are_checked_and_renamed_with_their_machine(cell):
    cell.do(
        'write program go "move-joints-absolute Cell 1200,0,20,-40,0,30,0,30,90%0Alet a = joint(Cell, 1)%0Ahome Cell"'
    )
    cell.do("run go")
    cell.do("modify Cell name Works")
    assert str(cell.session.database.entity("program", "go").properties["text"]).count("Works") == 3
    cell.do("run go")
    for wrong, told in (
        ("move-joints-absolute Works 1,2", "Works has 9 joints; found 2 values."),
        ("move-joints-absolute Works 9000,0,20,-40,0,30,0,30,90", "(travel of track) of Works would be 6000 mm out"),
        ("move-end-effector Works 1,2,3", "machine"),
    ):
        cell.do(f'write program bad "{wrong}"')
        with pytest.raises((ProgramProblems, InvalidValue, WorkcellError)) as caught:
            cell.do("run bad")
        assert told in str(caught.value)


def test_a_paused_run_knows_a_machine_by_its_new_name(cell):
    cell.do(f'write program go "parallel%0A  move-joints-absolute Cell {GOAL}%0Aand%0A  wait 0.4%0A  wait 0.1%0Aend"')
    cell.do("break go 5")
    cell.do("run go")
    cell.do("modify Cell name Works")
    told = str(cell.do("hold-motion Works"))
    assert [line.split()[0] for line in told.splitlines()] == ["track", "Arm", "Table"]
    cell.do("resume-motion Works")
    cell.do("supersede-joints Works 500,10,0,-40,0,30,0,20,45")
    cell.do("resume")
    assert cell.session.simulator.machine("Works").joints[0] == pytest.approx(0.5)


def test_where_the_frames_of_a_machine_are(cell):
    found = cell.do(f"fk Cell {GOAL}")
    cell.do(f"move-joints-absolute Cell {GOAL}")
    assert np.allclose(found.tool, cell.snapshot().tool_pose(cell.session.state, "Arm").matrix, atol=1e-12)
    assert np.allclose(cell.do("fk Cell").tool, found.tool)
    assert "Cell" in str(cell.do("machines"))

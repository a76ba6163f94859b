"""Machines as entities: made, renamed, undone, broken, kept in files, and moved by commands and programs."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.commands.language.program_reader import read_program
from workcell.errors import InvalidValue, NameTaken, Refused, WorkcellError
from workcell.motion.limits import Limits, violations
from workcell.programs.problem import ProgramProblems
from workcell.simulation.interpreter import Run
from workcell.simulation.saved_runs import SavedRun
from workcell.spatial.pose import Pose

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
        ("create machine Two of Table of Arm", "Arm already belongs to machine 'Cell'"),
        ("create machine Two of track of belt", "belt is a conveyor, which is endless"),
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
        run = Run.restored(SavedRun.from_bytes(run.saved().to_bytes()), wc.Simulator(cell))
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


# ---- moves of the hand with external axes -----------------------------------------------------------------------

DOWN = "euler fanuc_wpr 180,0,0"


@pytest.fixture
def railed():
    with wc.Cell() as cell:
        for line in (
            "add rail track 4000 at -500,0,0",
            "create robot Arm irb1600 joints 0,0,-10,0,60,0",
            "mount Arm on track",
            "create machine Cell of track of Arm",
            "create target there",
            f"place there at 2600,800,700 {DOWN}",
        ):
            cell.do(line)
        yield cell


def test_a_target_says_where_the_axes_are_and_a_word_overrides_it(railed):
    with pytest.raises(WorkcellError, match="out of the arm's reach"):
        railed.do("move-end-effector Arm there")
    with pytest.raises(InvalidValue, match="needs a unit"):
        railed.do("modify there axes 1200")
    railed.do("modify there axes best")
    assert "axes: best" in str(railed.do("show there"))
    railed.do("modify there name yonder")
    railed.do("move-end-effector Arm yonder")
    best = railed.session.state.joints["track"][0]
    assert 1.5 < best < 4.0
    railed.do("move-end-effector Arm yonder axes 2800mm")
    assert railed.session.state.joints["track"][0] == pytest.approx(2.8, abs=1e-12)
    railed.do("move-end-effector Arm yonder axes=held")
    assert railed.session.state.joints["track"][0] == pytest.approx(2.8, abs=1e-12)
    railed.do("undo")
    railed.do("undo")
    assert railed.session.state.joints["track"][0] == best
    railed.do("undo")
    assert railed.session.state.joints["track"][0] == 0.0


def test_typed_programs_and_python_move_axes_alike(railed):
    railed.do("modify there axes best")
    lines = (
        f"move-end-effector Arm 0,800,700 {DOWN} axes best",
        "approach Arm there by 100",
        "move-straight-line Arm there",
        "move-hand Arm 0,0,-50 axes best",
        f"move-path Arm through 1500,800,800 {DOWN} through 500,800,800 {DOWN} blend 50 axes best",
        f"move-circular Arm 0,700,800 to -300,800,800 {DOWN} axes 300mm",
        f"move-end-effector Arm 400,800,700 {DOWN} axes held",
    )
    run = Run(wc.Simulator(railed), [program("\n".join(lines))])
    run.go()
    assert run.simulator.state.joints["track"][0] == 0.3
    for line in lines:
        railed.do(line)
    typed = railed.session.simulator.recording
    assert run.simulator.recording.to_bytes() == typed.to_bytes()
    sim = wc.Simulator(railed)
    arm, there = sim.robot("Arm"), railed.snapshot().place_pose(sim.state, "there")
    arm.move_end_effector(there @ Pose.from_xyz(-2.6, 0.0, 0.0), axes="best")
    arm.move_end_effector(there @ Pose.from_xyz(0, 0, -0.1), axes="best")
    arm.move_straight_line(there, axes="best")
    assert np.array_equal(sim.state.joints["track"], typed.state_at(typed.moves[5].end).joints["track"])


def test_a_run_with_axes_is_saved_and_goes_on_to_the_same_bytes(railed):
    railed.do("modify there axes best")
    text = f"""
move-end-effector Arm 0,800,700 {DOWN} axes best
parallel
  move-straight-line Arm there
and
  wait 0.5
  hold-motion track
  wait 0.5
  resume-motion Arm
  wait 0.3
  override 40 of track
end
home Cell
"""
    run = Run(wc.Simulator(railed), [program(text)])
    run.go()
    whole = run.simulator.recording.to_bytes(sources=True)
    for line in (6, 7, 8, 9, 10, 11, 13):
        run = Run(wc.Simulator(railed), [program(text)])
        run.go(lambda thread, _, line=line: thread.frame.place.line == line)
        assert run.standing is not None
        run = Run.restored(SavedRun.from_bytes(run.saved().to_bytes()), wc.Simulator(railed))
        run.go()
        assert run.simulator.recording.to_bytes(sources=True) == whole, line


def test_programs_with_wrong_axes_are_found_before_they_run(railed):
    for line, told in (
        (f"move-end-effector Arm 1,2,3 {DOWN} axes 1200", "needs a unit"),
        (f"move-end-effector Arm 1,2,3 {DOWN} axes left", "found 'left'"),
        (f"move-end-effector Arm 1,2,3 {DOWN} axes best with nothing", "nothing"),
    ):
        railed.do(f'write program bad "{line}"')
        with pytest.raises(WorkcellError) as caught:
            railed.do("run bad")
        assert told in str(caught.value)
    railed.do("remove Cell")
    railed.do(f'write program bad "move-end-effector Arm 2600,800,700 {DOWN} axes best"')
    with pytest.raises(WorkcellError, match="Arm belongs to no machine and has no axes to place"):
        railed.do("run bad")


def test_targets_on_work_that_a_positioner_carries_are_reached_with_it(railed):
    for line in (
        "add positioner Table at 1500,1100,0",
        "add solid part box 200 200 100 at 1500,1100,962 --movable",
        "ride part on Table",
        "keep state",
        'modify Cell members "track, Arm, Table"',
        "targets along-edge part back top to rim spacing 50 tilt 5",
        "modify rim axes best,0deg,180deg",
    ):
        railed.do(line)
    behind = railed.snapshot().places.path("rim").targets[1]
    railed.do(f"move-end-effector Arm {behind}")
    state, snapshot = railed.session.state, railed.snapshot()
    assert np.allclose(state.joints["Table"], [0.0, np.pi])
    assert max(snapshot.tool_pose(state, "Arm").distance(snapshot.place_pose(state, behind))) < 1e-9
    run = Run(wc.Simulator(railed), [program(f"move-end-effector Arm {behind}")])
    run.go()
    for name in ("track", "Arm", "Table"):
        one, other = (sim.recording.way(name).pieces[-1] for sim in (run.simulator, railed.session.simulator))
        assert one.motion == other.motion


def test_a_long_path_is_followed_while_the_rail_goes_along(railed):
    for line in (
        "targets along-curve sill normal 0,0,1 through (-200,900,700) (1000,850,800) (2800,900,700) spacing 200",
        "speed Arm 1.5rad/s",
    ):
        railed.do(line)
    with pytest.raises(WorkcellError):
        railed.do("move-along Arm sill speed 300mm/s")
    assert railed.session.simulator.time == 0.0
    typed = railed.do("move-along Arm sill speed 300mm/s axes best")
    assert typed.deviation <= 1e-5
    sim, snapshot = railed.session.simulator, railed.snapshot()
    one, other = (move for move in sim.recording.moves if move.kind == "curve")
    assert (one.start, one.end) == (other.start, other.end)
    assert {one.device, other.device} == {"track", "Arm"}
    # The hand passes every target, at the speed that was asked for and never faster.
    times = np.linspace(one.start, one.end, 4000)
    hands = np.array([snapshot.tool_pose(sim.recording.state_at(float(t)), "Arm").xyz for t in times])
    for pose in snapshot.path_poses(sim.state, "sill"):
        assert np.linalg.norm(hands - pose.xyz, axis=1).min() < 1e-3
    speeds = np.linalg.norm(np.diff(hands, axis=0), axis=1) / np.diff(times)
    assert speeds.max() <= 0.3 * (1 + 1e-3)
    assert np.ptp([sim.recording.state_at(t).joints["track"][0] for t in (one.start, one.end)]) > 1.0
    for name in ("track", "Arm"):
        robot = snapshot.robot(name).robot
        for piece in sim.recording.way(name).pieces:
            limits = Limits(robot.speeds, robot.accelerations, position=robot.limits)
            assert violations(piece.motion, limits) == ()
    # The path says so as well as the command, in programs too, and a run in the middle of it is saved.
    railed.do("modify sill axes best")
    text = "parallel\n  move-along Arm sill speed 300mm/s\nand\n  wait 6\n  hold-motion track\n  wait 1\n  resume-motion Arm\nend"
    plain = Run(wc.Simulator(railed), [program("move-along Arm sill speed 300mm/s")])
    plain.go()
    assert plain.simulator.recording.to_bytes() == sim.recording.to_bytes()
    run = Run(wc.Simulator(railed), [program(text)])
    run.go()
    whole = run.simulator.recording.to_bytes(sources=True)
    run = Run(wc.Simulator(railed), [program(text)])
    run.go(lambda thread, _: thread.frame.place.line == 6)
    run = Run.restored(SavedRun.from_bytes(run.saved().to_bytes()), wc.Simulator(railed))
    run.go()
    assert run.simulator.recording.to_bytes(sources=True) == whole


def test_what_is_of_one_device_names_the_members_of_a_machine():
    with wc.Cell() as cell:
        for line in ("add rail track 3000", "create robot Arm irb1600", "mount Arm on track"):
            cell.do(line)
        cell.do("create machine M of track of Arm")
        with pytest.raises(WorkcellError) as told:
            cell.do("add fault f of M stops")
    assert str(told.value).splitlines()[-1] == (
        "Expected a robot, mechanism, object or sensor; 'M' is a machine. Name one of its members: track, Arm."
    )


@pytest.mark.parametrize("move", ["move-end-effector", "move-straight-line"])
def test_a_pose_goes_with_the_belt_or_with_an_object_not_both(move):
    with wc.Cell() as cell:
        for line in (
            "add conveyor Belt 2000 at 500,0,-500",
            "create robot Puma puma560",
            "add solid p1 box 9 9 9 at 3000,0,0",
        ):
            cell.do(line)
        line = f"{move} Puma 500,-100,400 euler fanuc_wpr 180,0,180 on Belt when 0.1 with p1"
        with pytest.raises(WorkcellError, match=r"\(`on`\) or with an object \(`with p1`\), not with both"):
            cell.do(line)
        cell.do(f"program p\n{line}\nend")
        with pytest.raises(WorkcellError, match=r"`on Belt`.*`with p1`.*not with both"):
            cell.do("run p")
        with pytest.raises(WorkcellError) as told:
            cell.do(f"{move} Puma 500,-100,400 euler fanuc_wpr 180,0,180 on Belt when 1e300")
    assert len(str(told.value)) < 250

"""A saved recording knows its cell; a different cell is reported before anything is proved about it."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.errors import Refused
from workcell.simulation.recording import Recording
from workcell.simulation.recording_file import RecordingFile, RecordingWriter
from workcell.world.cell_print import cell_print, differences

STAGE = {
    "robot": "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "post": "add solid post box 60 60 500 at 900,900,250",
    "cube": "add solid cube box 40 40 40 at 0,900,20 --movable",
    "zone": "add zone near box 100 100 100 at -900,-900,0",
}
MOVE = "move-joints-relative Puma 20,0,0,0,0,0"


def made(**instead):
    cell = wc.Cell()
    for line in {**STAGE, **instead}.values():
        for one in line.splitlines():
            cell.do(one)
    return cell


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "run.rec"
    with made() as cell:
        cell.do(MOVE)
        cell.do(f"save-recording {path}")
    return path


OTHER = {
    "base": ({"robot": "create robot Puma puma560 at 0,100,0 joints 0,0,-90,0,90,0"}, "robot Puma stands elsewhere"),
    "shape": ({"post": "add solid post box 60 60 900 at 900,900,250"}, "post has another shape"),
    "place": ({"post": "add solid post box 60 60 500 at 500,500,250"}, "post stands elsewhere"),
    "gone": ({"post": ""}, "post is not here"),
    "new": ({"more": "add solid wall box 60 60 900 at 0,0,250"}, "wall is new here"),
    "zone": ({"zone": "add zone near box 100 100 200 at -900,-900,0"}, "zone near is a different one"),
    "arm": ({"robot": "create robot Puma ur5e joints 0,0,-90,0,90,0"}, "robot Puma is a different arm"),
    "tool": (
        {"robot": f"{STAGE['robot']}\ncreate tool torch\nfit tool torch to Puma tcp 0,0,200"},
        "robot Puma has another tool",
    ),
    "pairs": ({"more": "allow Puma/base with post because far"}, "other pairs are tested"),
}


@pytest.mark.parametrize("which", OTHER)
def test_another_cell_is_named_and_nothing_is_proved_unless_asked_for(saved, which):
    instead, sentence = OTHER[which]
    with made(**instead) as cell:
        answer = str(cell.do(f"load-recording {saved}"))
        assert f"It was made in another cell: {sentence}" in answer
        assert "`check recording --here`" in answer
        assert len(cell.do("report").moves) == 1  # it can be watched
        with pytest.raises(Refused, match=f"The recording was made in another cell: {sentence}") as refused:
            cell.do("check recording")
        assert sentence in refused.value.evidence["differs"]
        here = cell.do("check recording --here")
        assert sentence in here.differs
        assert str(here).startswith(f"in this cell, not in the one of the recording ({sentence}")


def test_the_same_cell_made_again_is_the_same_cell(saved):
    with made() as cell:
        assert "another cell" not in str(cell.do(f"load-recording {saved}"))
        answer = cell.do("check recording")
        assert answer.proved
        assert answer.differs == ()


@pytest.mark.parametrize(
    "line", ["modify object:post colour red", "program p\nwait 1\nend", "create signal s", "speed Puma 0.1rad/s"]
)
def test_what_touches_nothing_makes_no_other_cell(saved, line):
    with made() as cell:
        cell.do(line)
        assert "another cell" not in str(cell.do(f"load-recording {saved}"))
        assert cell.do("check recording").proved


def test_an_edit_after_loading_is_named_and_its_undo_is_not(saved):
    with made() as cell:
        cell.do(f"load-recording {saved}")
        cell.do("place Puma at 0,200,0")
        with pytest.raises(Refused, match="robot Puma stands elsewhere"):
            cell.do("check recording")
        cell.do("undo")
        assert cell.do("check recording").proved
        cell.do("modify robot:Puma name Arm")
        cell.do("modify object:post name pole")
        assert cell.do("check recording").proved  # other names are no other things


def test_moves_of_now_are_of_the_cell_of_now(saved):
    with made() as cell:
        cell.do(MOVE)
        cell.do("place post at 700,700,250")
        assert cell.do("check recording").proved


def test_a_robot_on_another_link_or_rail_is_named(tmp_path):
    with made() as cell:
        cell.do("add rail track 3000 at 0,-1500,0")
        cell.do(MOVE)
        cell.do(f"save-recording {tmp_path / 'run.rec'}")
        cell.do("mount Puma on track")
        assert "robot Puma stands elsewhere" in str(cell.do(f"load-recording {tmp_path / 'run.rec'}"))


def test_a_file_written_as_it_happens_knows_its_cell_too(tmp_path):
    path = tmp_path / "run.rec"
    with made() as cell:
        with RecordingWriter(path, cell.snapshot().initial) as writer:
            wc.Simulator(cell, recorder=writer).robot("Puma").move_joints_relative([0.3, 0, 0, 0, 0, 0])
        with RecordingFile(path) as file:
            assert differences(file.recording().cell, cell.snapshot()) == ()
    with made(robot="create robot Puma puma560 at 0,100,0 joints 0,0,-90,0,90,0") as other:
        assert "another cell: robot Puma stands elsewhere" in str(other.do(f"load-recording {path}"))


def test_a_recording_of_before_is_of_a_cell_that_is_not_known(saved):
    recording = Recording.load(saved)
    recording.cell = None
    recording.save(saved)
    with made() as cell:
        assert "does not state in which cell it was made" in str(cell.do(f"load-recording {saved}"))
        answer = cell.do("check recording")
        assert answer.proved
        assert any("does not state in which cell" in note for note in answer.notes)


def test_two_recordings_of_two_cells_are_compared_with_a_word_about_it(saved, tmp_path):
    other = tmp_path / "other.rec"
    with made(robot="create robot Puma puma560 at 0,100,0 joints 0,0,-90,0,90,0") as cell:
        cell.do(MOVE)
        cell.do(f"save-recording {other}")
        answer = str(cell.do(f"compare-recordings {saved} {other}"))
        assert "were made in different cells: robot Puma stands elsewhere" in answer
        assert "different cells" not in str(cell.do(f"compare-recordings {other} {other}"))


def test_files_of_the_same_run_have_the_same_bytes(tmp_path):
    data = []
    for name in ("a.rec", "b.rec"):
        with made() as cell:
            cell.do(MOVE)
            cell.do(f"save-recording {tmp_path / name}")
        data.append((tmp_path / name).read_bytes())
    assert data[0] == data[1]


def test_many_differences_are_counted(saved):
    with made(**{f"p{n}": f"add solid p{n} box 10 10 10 at {100 * n},2000,5" for n in range(9)}) as cell:
        answer = str(cell.do(f"load-recording {saved}"))
        assert "and 4 more" in answer


def test_a_print_says_nothing_of_names_order_or_colours():
    with made() as one, wc.Cell() as two:
        for line in reversed(STAGE.values()):
            two.do(line)
        assert differences(cell_print(one.snapshot()), two.snapshot()) == ()


COMPARED = {
    "wait 1": "They are the same up to TIME, where one.rec ends; two.rec continues for 1.0000 s.",
    "set-signal ready 2": "They differ first at TIME: only in two.rec, signal ready becomes 2.",
    "": "one.rec and two.rec are the same.",
}


@pytest.mark.parametrize("more", COMPARED)
def test_a_comparison_names_the_files_and_what_is_in_which(tmp_path, monkeypatch, more):
    monkeypatch.chdir(tmp_path)
    with made(signal="create signal ready") as cell:
        cell.do(MOVE)
        expected = COMPARED[more].replace("TIME", f"{cell.state.time:.4f} s")
        cell.do("save-recording one.rec")
        if more:
            cell.do(more)
        cell.do("save-recording two.rec")
        assert str(cell.do("compare-recordings one.rec two.rec")) == expected
        back = expected.replace("one.rec and two.rec", "two.rec and one.rec")
        assert str(cell.do("compare-recordings two.rec one.rec")) == back


def test_a_comparison_gives_the_greatest_distance_in_units(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, angle, y in (("a", 20, 950), ("b", 23, 957)):
        with made() as cell:
            cell.do(f"set joints Puma {angle},0,-90,0,90,0")
            cell.do(f"save-recording {name}.rec")
            cell.do("reset")
            cell.do(f"move-solid cube through 0,{y},20 in 1s")
            cell.do(f"save-recording glide-{name}.rec")
    with made() as cell:
        answer = str(cell.do("compare-recordings a.rec b.rec"))
        assert "joint 1 of Puma. They are farthest apart at 0.0000 s: 3 deg." in answer
        answer = str(cell.do("compare-recordings glide-a.rec glide-b.rec"))
        assert "the way of cube. They are farthest apart at 1.0000 s: 7 mm and 0 deg." in answer
        cell.do("units m rad")
        assert "1.0000 s: 0.007 m and 0 rad." in str(cell.do("compare-recordings glide-a.rec glide-b.rec"))


def test_a_thing_under_another_name_is_the_same_thing(saved):
    with made(zone="modify Puma name Arm\nmodify cube name nut\nadd zone near box 100 100 100 at -900,-900,0") as cell:
        text = str(cell.do(f"load-recording {saved}"))
        assert "Puma is called Arm here; " in text or "; Puma is called Arm here" in text
        assert "cube is called nut here" in text
        assert "another cell" not in text
        assert "proved" in str(cell.do("check recording"))
    two = "add solid cube2 box 40 40 40 at 300,900,20 --movable"
    with made(more=f"{two}\nmodify cube name nut") as cell:
        # One is gone and two have come that are like it: nobody can say which it is.
        assert "cube is not here" in str(cell.do(f"load-recording {saved}"))

"""What somebody types in the first hour: names where poses stand, questions, help at any point, files twice."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from workcell.cli import main
from workcell.errors import (
    CommandSyntaxError,
    FileProblem,
    PointedTo,
    Refused,
    Unreachable,
    WorkcellError,
)
from workcell.spatial.pose import Pose

SEAM = (
    "create robot Puma puma560 joints 0,60,-190,0,40,0",
    "add solid Plate box 120 200 40 at 550,0,330 rotate 0,0,20",
    "targets along-edge Plate front top to seam spacing 40 approach second",
)


def _seam(cell):
    for line in SEAM:
        cell.do(line)
    rows = cell.do("targets of seam").rows
    found = cell.snapshot().path_poses(cell.state, "seam")
    assert np.allclose([pose.xyz * 1e3 for pose in found], [row[1:4] for row in rows], atol=1e-3)
    return found


def test_a_target_on_an_object_is_a_pose_wherever_one_is_asked_for(cell):
    where = _seam(cell)
    for line in ("move-end-effector Puma seam-2", "move-straight-line Puma seam-3", "move-path Puma through seam-1"):
        cell.do(line)
        wanted = where[int(line[-1]) - 1]
        assert cell.snapshot().tool_pose(cell.state, "Puma").is_close(wanted, 1e-5, 1e-5)
    by_name, by_number = cell.do("ik Puma seam-2"), cell.call("ik", robot="Puma", pose=where[1].matrix)
    assert np.allclose([s.joints for s in by_name.solutions], [s.joints for s in by_number.solutions], atol=1e-9)


def test_a_target_goes_with_the_object_that_carries_it(cell):
    before = _seam(cell)[1]
    assert cell.do("where seam-2").carrier == "Plate"
    cell.do("place Plate at 550,0,430 rotate 0,0,20")
    cell.do("move-end-effector Puma seam-2")
    after = cell.snapshot().tool_pose(cell.state, "Puma")
    assert after.is_close(Pose.from_xyz(0, 0, 0.1) @ before, 1e-6, 1e-6)
    cell.do("place Plate at target:seam-2")
    assert cell.snapshot().body_poses(cell.state)[-1][:3, 3] == pytest.approx(after.xyz)


def test_branches_follow_targets_where_they_are_in_the_world(cell):
    where = _seam(cell)
    found = cell.do("branches Puma along seam")
    base = cell.snapshot().base_pose(cell.state, "Puma")
    robot = cell.snapshot().robot("Puma").robot
    assert len(found.joints) == len(where)
    for joints, pose in zip(found.joints, where, strict=True):
        assert (base @ robot.fk(joints)).is_close(pose, 1e-8, 1e-8)
    cell.do("create path far")
    cell.do("add target near 600,-150,500 euler fanuc_wpr 180,0,180 to far")
    cell.do("add target off 6000,0,0 to far")
    with pytest.raises(Unreachable, match=r"Point 2 of the path .* Point 2 is target 'off'"):
        cell.do("branches Puma along far")


def test_a_target_of_two_minds_is_refused(cell):
    _seam(cell)
    cell.do("create path other")
    cell.do("attach seam-2 to other translate 0,0,10")
    with pytest.raises(Refused, match="has one pose by 'seam' and another by 'other'"):
        cell.do("ik Puma seam-2")


def test_where_tells_of_anything_that_has_a_place(cell):
    cell.do("create robot Puma puma560 joints 0,60,-190,0,40,0")
    cell.do("add solid box box 50 50 50 at 500,200,25 rotate 0,0,30 --movable")
    cell.do("add conveyor belt 2000 at 0,800,0")
    cell.do("add target T1 1,2,3")
    assert str(cell.do("where box")) == "box: x 500.000 y 200.000 z 25.000 mm, fanuc_wpr 0.000 0.000 30.000 deg"
    assert np.allclose(np.array(cell.do("where T1").matrix)[:3, 3], [0.001, 0.002, 0.003])
    cell.do("ride box on belt")
    cell.do("move-joints-relative belt 100")
    moved = cell.do("where box")
    assert moved.matrix[0][3] == pytest.approx(0.6)
    assert "carried by belt/link 1" in str(moved)
    assert "joints 100.000 mm" in str(cell.do("where belt"))
    cell.do("units m rad")
    assert str(cell.do("where box")).startswith(
        "box: x 0.600000 y 0.200000 z 0.025000 m, fanuc_wpr 0.00000 0.00000 0.52360"
    )
    assert "rad" in str(cell.do("where Puma"))
    assert "-0.0 " not in f"{cell.do('where Puma')} "


def test_where_refuses_what_stands_nowhere(cell):
    cell.do("create block lone box 1 1 1")
    cell.do("create object thing")
    with pytest.raises(Refused, match=r"'thing' stands in no scene; `place thing at …` first"):
        cell.do("where thing")


def _next(cell, line):
    return {item.text: item.help for item in cell.do(f"{line}?").expected}


def test_a_question_mark_inside_a_value_lists_what_may_come_next(cell):
    cell.do("create block peg cylinder 20 100")
    assert _next(cell, "add solid x sphere ") == {"LENGTH r": "such as 250 or 250mm or 0.25m"}
    assert list(_next(cell, "add solid x box 10 ")) == ["LENGTH y"]
    assert list(_next(cell, "place peg at 0,0,0 rot ")) == ["A,B,C"]
    assert list(_next(cell, "place peg at 0,0 ")) == ["X,Y,Z"]
    assert {"rotate", "euler", "in", "(enter)"} <= set(_next(cell, "place peg at 0,0,0 "))
    assert _next(cell, "place peg at 0,0,0 euler ")["fanuc_wpr"] is not None
    assert list(_next(cell, "create block y colour "))[:2] == ["COLOUR", "white"]
    with pytest.raises(CommandSyntaxError, match="abc"):
        cell.do("add solid x sphere abc ?")


@pytest.mark.parametrize(
    ("line", "label", "some"),
    [
        ("modify peg ", "FIELD", {"name", "colour", "density"}),
        ("modify peg colour ", "VALUE", {"steel", "wood", "lilac"}),
        ("profile Puma ", "PROFILE", {"linear", "345", "trapezoid"}),
        ("branch Puma ", "BRANCH", {"nearest", "agent", "frozen"}),
        ("create robot other ", "MODEL", {"puma560", "ur5e"}),
        ("replace robot Puma with ", "MODEL", {"puma560", "ur5e"}),
        ("add solid x box 1 1 1 colour ", "COLOUR", {"steel", "wood", "lilac"}),
        ("extrude x ring 10 colour ", "COLOUR", {"steel", "lilac"}),
        ("copy ", "ENTITY", {"Puma"}),
    ],
)
def test_a_question_mark_lists_what_tab_offers(cell, line, label, some):
    for stage in (
        "create block peg cylinder 20 100",
        "create surface ring disc 20",
        "create robot Puma puma560",
        "create colour lilac",
    ):
        cell.do(stage)
    listed = list(_next(cell, line))
    assert label in listed
    assert some <= set(listed)
    assert {item.text for item in cell.session.complete(line)} <= set(listed)


def test_a_question_mark_does_not_list_a_thousand_names(cell):
    for number in range(100):
        cell.do(f"create block b{number}")
    listed = _next(cell, "copy ")
    assert listed["…"] == "and more; type the beginning of a name, then Tab"
    assert len(listed) < 55


def test_a_question_mark_after_query_shows_the_words_of_conditions(cell):
    from workcell.world.queries import CONDITIONS

    assert {"CONDITION", *CONDITIONS, "and", "or", "not"} <= set(_next(cell, "query "))
    assert {"of", "to", "and"} <= set(_next(cell, "query-relations of x "))
    assert [item.text for item in cell.session.complete("query us")] == ["uses", "used-by"]


def test_help_knows_families(cell):
    assert "check recording" in str(cell.do("help collisions"))
    assert "follow-table" in str(cell.do("help free moves"))
    assert str(cell.do("help free-form")) == str(cell.do("help Free_form"))
    zones = str(cell.do("help zones"))
    assert zones.startswith("zones\n")
    assert "add zone" in zones
    assert "Free moves" in str(cell.do("help"))
    assert str(cell.do("help add solid cube")).startswith("add solid NAME")
    with pytest.raises(CommandSyntaxError, match="not a command word"):
        cell.do("help frobnicate")
    with pytest.raises(CommandSyntaxError, match="not a command word"):
        cell.do("help frobnicate the cell")


def test_headings_of_the_reference_are_words():
    from workcell.commands.documents import markdown

    headings = [line for line in markdown().split("\n") if line.startswith("## ")]
    assert "## Free moves" in headings
    assert not [line for line in headings if "_" in line]


def test_a_program_comes_from_a_file_and_needs_it_no_more(cell, tmp_path):
    file = tmp_path / "demo.txt"
    file.write_bytes(b"# to and fro\r\nmove-joints-relative Puma 10,0,0,0,0,0\r\n\r\nwait 1\r\n")
    cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
    assert str(cell.do(f"load-program demo {file}")) == "program 'demo' created: 2 steps"
    assert cell.do("run demo").commands == 2
    file.write_text("wait 2\n")
    assert "changed: 1 step" in str(cell.do(f"load-program demo {file}"))
    assert cell.do("run demo").time == pytest.approx(2.0)
    cell.do(f"save-program demo {tmp_path / 'out.txt'}")
    assert (tmp_path / "out.txt").read_text() == "wait 2\n"
    file.unlink()
    again = cell.replayed()
    assert again.database.entity("program", "demo").properties["text"] == "wait 2"
    again.close()


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"\x89PNG\x00\x1a", "not a text file"), (b"# only words\n", "has no commands"), (None, "No such")],
)
def test_what_is_no_program_is_refused(cell, tmp_path, data, why):
    file = tmp_path / "demo.txt"
    if data is not None:
        file.write_bytes(data)
    with pytest.raises(FileProblem, match=why):
        cell.do(f"load-program demo {file}")
    assert cell.database.find("program", "demo") is None


def test_a_script_says_that_it_stopped(cell, capsys):
    import io

    from workcell.commands.shell import run_pipe

    assert (
        run_pipe(cell.session, ["create block a\n", "create block a\n", "create block b\n"], io.StringIO(), False) == 1
    )
    assert "Stopped at line 2. The lines before it keep their effect" in capsys.readouterr().err
    assert cell.database.find("block", "b") is None


def test_a_changed_shape_says_what_follows(cell):
    cell.do("create block plate box 100 100 10")
    cell.do("create block pin cylinder 5 40")
    cell.do("combine drilled difference plate pin")
    cell.do("place drilled at 0,0,0")
    told = str(cell.do("modify pin shape cylinder 8 40"))
    assert told == "shape of 'pin' changed; block 'drilled', object 'drilled' follow"
    cell.do("create block lone box 1 1 1")
    assert str(cell.do("modify lone shape box 2 2 2")) == "shape of 'lone' changed"


def test_remove_deep_takes_a_thing_out_of_the_scene(cell):
    cell.do("add solid Cube box 50 50 50 at 0,0,25")
    with pytest.raises(PointedTo, match=r"stands in a scene. `remove object:Cube --deep` .* `detach scene:main/Cube`"):
        cell.do("remove Cube")
    assert str(cell.do("remove Cube --deep")) == "object 'Cube', block 'Cube-solid' removed"
    cell.do("undo")
    cell.do("add solid lamp cylinder 10 20")
    cell.do("face attach lamp bottom to Cube top")
    with pytest.raises(Refused, match="carries 'lamp'"):
        cell.do("remove Cube --deep")
    assert cell.database.find("object", "Cube") is not None
    assert "lamp stays where it stood" in str(cell.do("remove Cube --deep --keep-children"))
    cell.do("create robot Puma puma560")
    cell.do("remove Puma --deep")
    assert not cell.snapshot().robots


def test_sentences_name_what_they_are_about(cell, tmp_path):
    for line, told in {
        "add solid a box 0 1 1": "The size x of a box must be more than zero; found 0.",
        "add solid a box -5 1 1": "The size x of a box must be more than zero; found -5.",
        "add solid a torus ring=0 tube=1": "The size ring of a torus must be more than zero; found 0.",
        "look v from 1,1,1 near -3": "NEAR must be more than zero; found -3.",
        "look weird sideways": r"SIDE \(iso, front, back, left, right, top, bottom",
        "render v.png nowhere": "no view called 'nowhere'; there is iso, front, back",
        "render v.png fron,nowhere": "no view called 'nowhere'",
    }.items():
        with pytest.raises(WorkcellError, match=told):
            cell.do(line)
    cell.do("add solid spike truncated-cone 0 10 10")
    text = tmp_path / "text.stl"
    text.write_text("help\n" * 100)
    with pytest.raises(FileProblem, match=r"^text.stl is not an STL file: it is text"):
        cell.do(f"import solid a {text} mm")
    text.rename(tmp_path / "text.step")
    with pytest.raises(FileProblem, match=r"^text.step is not a STEP file"):
        cell.do(f"import solid a {tmp_path / 'text.step'}")
    with pytest.raises(FileProblem, match=r"^text.step is not a STEP file"):
        cell.do(f"import assembly a {tmp_path / 'text.step'}")


def test_near_is_kept_in_both_projections(cell):
    for line in ("look above top near 400", "look slanted from 1,1,1 projection parallel near 400"):
        cell.do(line)
    cell.do("look close from 1,1,1 near 1")
    assert "perspective only" not in str(cell.do("look close projection parallel"))
    for name, near in (("above", 0.4), ("slanted", 0.4), ("close", 0.001)):
        assert cell.database.entity("view", name).properties["near"] == pytest.approx(near)


def test_counts_of_one_are_said_as_one(cell):
    cell.do("add solid Cube box 100 100 100 at 0,0,50")
    assert "in 1 row over" in str(cell.do("targets over-face Cube top to raster rows 150 spacing 50 margin 20"))
    cell.do("create surface s contour (0,0) (1,0) (1,1)")
    cell.do("create block b")
    cell.do("attach s to b")
    assert str(cell.do("reshape surface s contour (0,0) (2,0) (2,2)")).startswith(
        "surface 's' reshaped; 1 relation points"
    )


def test_the_command_line_takes_views_with_commas_and_styles_once(tmp_path):
    out, sheet, run = tmp_path / "a.png", tmp_path / "b.png", CliRunner().invoke
    small = ["--sample", "puma", "--size", "64x48"]
    assert run(main, ["render", *small, "-o", str(out), "--view", "front,top"]).exit_code == 0
    assert run(main, ["render", *small, "-o", str(sheet), "--view", "front", "--view", "top"]).exit_code == 0
    assert out.read_bytes() == sheet.read_bytes()
    twice = run(main, ["render", *small, "-o", str(out), "--style", "solid", "--style", "shaded"])
    assert twice.exit_code == 2
    assert "give --style once; found solid, shaded" in twice.output
    told = run(main, ["fk", "puma560", "0,0,0"])
    assert "puma560 has 6 joints; found 3 values" in f"{told.output}{told.exception}"
    shape = tmp_path / "text.step"
    shape.write_text("no cell")
    told = run(main, ["render", str(shape), "-o", str(out)])
    assert "text.step is a shape file, not a cell" in f"{told.output}{told.exception}"


def test_a_part_on_the_belt_touches_it_and_one_beside_it_is_told_of(cell):
    cell.do("add conveyor belt 2000 at 0,800,0")
    top = np.array(cell.do("where belt").matrix)[2, 3]
    assert top == pytest.approx(0.7)
    cell.do(f"add solid box box 40 40 40 at 500,800,{top * 1e3 + 20} --movable")
    cell.do("add solid low box 40 40 40 at 500,200,20 --movable")
    assert cell.do("clearance between box and belt").distance == pytest.approx(0.0, abs=1e-7)
    assert str(cell.do("ride box on belt")) == "box rides on belt"
    told = str(cell.do("ride low on belt"))
    distance = cell.do("clearance between low and belt").distance
    assert told == f"low rides on belt, although it is {distance * 1e3:.6g} mm away from it"
    assert cell.do("move-joints-relative belt 100").duration > 0.0


def test_faces_of_a_mechanism_says_what_to_ask_instead(cell):
    cell.do("add conveyor belt 2000")
    with pytest.raises(Refused, match="`where belt` shows where its last link is, such"):
        cell.do("faces belt")


def test_what_is_out_of_range_is_told_in_few_digits(cell):
    cell.do("create robot Puma puma560")
    told = str(cell.do("ik Puma 600,-150,300 euler fanuc_wpr 180,0,180"))
    assert "j4 by 10 deg" in told
    assert "10.0000043" not in told


def test_help_at_the_command_line_explains_its_own_commands_and_those_of_the_shell():
    run = CliRunner().invoke
    assert "recover" in run(main, ["help"]).output
    assert run(main, ["help", "render"]).output.startswith("Usage: main render")
    assert "blend" in run(main, ["help", "move-path"]).output
    assert "follow-table" in run(main, ["help", "free", "moves"]).output
    assert "lists them all" in f"{(wrong := run(main, ['help', 'nosuch'])).output}{wrong.exception}"

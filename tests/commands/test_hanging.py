"""Targets, frames and paths that hang on things: they follow, in edits, in runs, in files, under other names."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.errors import CycleRefused, Refused, WorkcellError
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform, Translate
from workcell.world.text_form import to_text

PALLET = "add solid pallet box 600 400 100 at 700,100,50 rotate 0,0,30 --movable"
GRID = "targets grid 3x2 to spots pitch 200,150 on pallet at -200,-75,50 rotate 180,0,0"
numbers = st.floats(-1.0, 1.0, allow_nan=False)


@pytest.fixture
def cell():
    with wc.Cell() as made:
        made.do(PALLET)
        yield made


def where(cell: wc.Cell, name: str) -> Pose:
    return Pose(np.array(cell.do(f"where {name}").matrix))


def along(cell: wc.Cell, path: str) -> list[Pose]:
    return cell.session.snapshot().path_poses(cell.session.state, path)


def close(one: Pose, other: Pose) -> bool:
    return one.is_close(other, 1e-9, 1e-9)


@st.composite
def poses(draw) -> Pose:
    x, y, z, a, b, c = (draw(numbers) for _ in range(6))
    return Pose.from_xyz_angles((x, y, z), (a, b, c), "fanuc_wpr")


CARRIERS = {
    "object": [],
    "frame on an object": ["add frame F 100,200,300 rotate 10,20,30 on object:pallet"],
    "frame on a frame on an object": [
        "add frame G 9,8,7 rotate 5,0,0 on object:pallet",
        "add frame F 1,2,3 on frame:G",
    ],
}


@settings(max_examples=15, deadline=None)
@given(before=poses(), after=poses(), target=poses(), chain=st.sampled_from(sorted(CARRIERS)))
def test_what_hangs_on_a_thing_goes_with_it(before, after, target, chain):
    with wc.Cell() as cell:
        cell.do(PALLET)
        cell.place("pallet", before)
        for line in CARRIERS[chain]:
            cell.do(line)
        carrier = "frame:F" if CARRIERS[chain] else "object:pallet"
        cell.call("add target", name="T", pose=target)
        cell.do(f"attach T to {carrier}")
        assert close(where(cell, "T"), target), "it stays where it is when it is hung up"
        cell.place("pallet", after)
        assert close(where(cell, "T"), after @ before.inverse() @ target)


def test_a_place_on_a_link_goes_with_the_joints(cell):
    cell.do("create robot Arm irb1600 at -500,0,0")
    cell.do("add positioner Table at 2000,0,0")
    cell.do("add target wrist -100,50,900 on robot:Arm")
    cell.do("add target foot -400,0,0 on robot:Arm link 0")
    cell.do("add target plate 2000,0,900 on mechanism:Table")
    before = {name: where(cell, name) for name in ("wrist", "foot", "plate")}
    frames = {name: cell.session.snapshot().link_frames(cell.session.state, name) for name in ("Arm", "Table")}
    cell.do("move-joints-absolute Arm 20,10,-20,30,40,50")
    cell.do("move-joints-absolute Table 30,40")
    now = {name: cell.session.snapshot().link_frames(cell.session.state, name) for name in ("Arm", "Table")}
    for name, of in (("wrist", "Arm"), ("plate", "Table")):
        assert close(where(cell, name), Pose(now[of][-1]) @ Pose(frames[of][-1]).inverse() @ before[name])
        assert cell.do(f"where {name}").carrier == of
    assert close(where(cell, "foot"), before["foot"])
    cell.do("place Arm at -600,0,0")
    assert close(where(cell, "foot"), Pose.from_xyz(-0.1, 0.0, 0.0) @ before["foot"])
    with pytest.raises(WorkcellError, match="has links 0"):
        cell.do("attach foot to robot:Arm link 9")
    with pytest.raises(WorkcellError, match="Only robots and mechanisms have links"):
        cell.do("attach foot to object:pallet link 1")


def test_a_target_on_a_conveyor_stands_beside_the_belt_and_one_on_its_link_runs_with_it(cell):
    cell.do("add conveyor Belt 2000 at 0,1500,0")
    cell.do("add target end 800,1500,900 on mechanism:Belt")
    cell.do("add target mark 0,1500,900 on mechanism:Belt link 1")
    before = {name: where(cell, name) for name in ("end", "mark")}
    along_belt = cell.do("where Belt").matrix
    cell.do("move-joints-relative Belt 300")
    shift = np.array(cell.do("where Belt").matrix)[:3, 3] - np.array(along_belt)[:3, 3]
    assert np.linalg.norm(shift) == pytest.approx(0.3)
    assert close(where(cell, "end"), before["end"])
    assert np.allclose(where(cell, "mark").xyz, before["mark"].xyz + shift)


def test_a_target_on_a_part_is_where_the_part_is_when_the_move_begins(cell):
    cell.do("create robot Arm irb1600")
    cell.do("add conveyor Belt 2000 at 1000,0,0")
    cell.do("add solid box box 100 100 100 at 700,0,600 --movable")
    cell.do("ride box on Belt")
    cell.do("add target lid 700,0,700 rotate 180,0,0 on object:box")
    cell.do("run-conveyor Belt 100")
    cell.do("wait 2")
    there = where(cell, "lid")
    assert there.xyz[0] > 0.75
    cell.do("stop-conveyor Belt --reached")
    cell.do("program go\nmove-end-effector Arm lid translate 0,0,-100\nend")
    cell.do("run go")
    lid, hand = where(cell, "lid"), Pose(np.array(cell.do("where Arm").matrix))
    assert close(hand, lid @ Pose.from_xyz(0.0, 0.0, -0.1))


def test_hanging_is_undone_redone_saved_and_read_as_text(cell, tmp_path):
    cell.do(GRID)
    cell.do("add frame F 600,0,300 on object:pallet")
    cell.do("add target T 600,0,400 on frame:F")
    kept = [*along(cell, "spots"), where(cell, "T")]
    cell.do("attach T to object:pallet translate 1,2,3")
    cell.undo()
    assert close(where(cell, "T"), kept[-1])
    cell.redo()
    X_pallet = where(cell, "pallet")
    assert close(where(cell, "T"), X_pallet @ Pose.from_xyz(0.001, 0.002, 0.003))
    cell.undo()
    cell.do(f"save {tmp_path / 'a.cell'}")
    (tmp_path / "a.celltext").write_text(to_text(cell.database))
    code = (
        "import sys, json, workcell as wc\n"
        "with wc.Cell.copy_of(sys.argv[1]) as cell:\n"
        "    cell.do('place pallet at 0,0,0')\n"
        "    print(json.dumps([pose.matrix.tolist() for pose in"
        " cell.session.snapshot().path_poses(cell.session.state, 'spots')] + [cell.do('where T').matrix]))\n"
    )
    expected = [X_pallet.inverse() @ pose for pose in kept]
    for file in ("a.cell", "a.celltext"):
        out = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / file)], check=False, capture_output=True, text=True
        )
        assert out.returncode == 0, out.stderr
        assert np.allclose(json.loads(out.stdout), [pose.matrix for pose in expected], atol=1e-9)


def test_every_name_may_change(cell):
    cell.do("create robot Arm irb1600")
    cell.do(GRID)
    cell.do("add frame F 600,0,300 on object:pallet")
    cell.do("add target T 600,0,400 rotate 180,0,0 on frame:F")
    cell.do("program go\nfor t in spots\nmove-end-effector Arm t translate 0,0,-300\nend\nmove-end-effector Arm T\nend")
    kept = [*along(cell, "spots"), where(cell, "T")]
    for old, new in (("pallet", "palette"), ("spots", "places"), ("F", "G"), ("T", "U"), ("Arm", "Roby")):
        cell.do(f"modify {old} name {new}" if old != "pallet" else "modify object:pallet name palette")
    assert all(close(a, b) for a, b in zip([*along(cell, "places"), where(cell, "U")], kept, strict=True))
    text = cell.database.entity("program", "go").properties["text"]
    assert all(name in text for name in ("places", " U", "Roby"))


def test_a_path_of_an_older_cell_follows_its_object_under_another_name(cell):
    """Older cells name the object of a path in a property, and the path stands in the scene too."""
    cell.do(GRID)
    kept = along(cell, "spots")
    database, session = cell.database, cell.session
    with database.edit(lambda: "as before", "test") as rows:
        path = database.entity("path", "spots")
        database.detach(rows, database.pointers(path)[0])
        database.set_properties(rows, path, {"object": "pallet"})
        scene = database.entity("scene", "main")
        database.attach(rows, scene, path, "spots")
    session.ongoing.forget_shown("pallet")
    assert all(close(a, b) for a, b in zip(along(cell, "spots"), kept, strict=True))
    cell.do("modify object:pallet name palette")
    assert all(close(a, b) for a, b in zip(along(cell, "spots"), kept, strict=True))
    cell.do("add frame F 0,0,0 on object:palette")
    cell.do("attach path:spots to frame:F")
    assert all(close(a, b) for a, b in zip(along(cell, "spots"), kept, strict=True))
    assert "object" not in cell.database.entity("path", "spots").properties


def test_cycles_and_second_places_are_refused_or_left(cell):
    cell.do("add frame A 0,0,0")
    cell.do("add frame B 0,0,100 on frame:A")
    with pytest.raises(CycleRefused):
        cell.do("attach frame:A to frame:B")
    assert close(where(cell, "A"), Pose.identity()), "a refused command changes nothing"
    cell.do(GRID)
    with pytest.raises(Refused, match=r"placed by path 'spots'.*detach path:spots/spots-1"):
        cell.do("attach spots-1 to frame:A")
    cell.do("attach frame:B to object:pallet")
    cell.do("place frame:B at 5,6,7")
    assert len(cell.database.pointers(cell.database.entity("frame", "B"))) == 1
    cell.do("place pallet at 0,0,500")
    assert np.allclose(where(cell, "B").xyz, [0.005, 0.006, 0.007])


def test_a_thing_that_carries_targets_is_removed_with_them_or_without(cell):
    cell.do("create robot Arm irb1600")
    cell.do(GRID)
    cell.do("program go\nmove-end-effector Arm spots-2\nend")
    kept = along(cell, "spots")
    with pytest.raises(WorkcellError, match="stands in a scene"):
        cell.do("remove object:pallet")
    cell.do("detach main/pallet")
    with pytest.raises(Refused, match=r"carries path 'spots'.*--deep.*--keep-children"):
        cell.do("remove object:pallet")
    cell.undo()
    said = cell.do("remove object:pallet --keep-children")
    assert "spots stays where it stood" in said.text
    assert all(close(a, b) for a, b in zip(along(cell, "spots"), kept, strict=True))
    cell.undo()
    assert all(close(a, b) for a, b in zip(along(cell, "spots"), kept, strict=True))
    said = cell.do("remove object:pallet --deep")
    assert "program 'go' still names it in line 1" in said.text
    assert cell.database.find("target", "spots-2") is None
    cell.undo()
    assert all(close(a, b) for a, b in zip(along(cell, "spots"), kept, strict=True))


def test_a_copy_brings_its_targets_when_asked(cell):
    cell.do(GRID)
    cell.do("copy object:pallet as plain")
    assert not cell.database.find("path", "plain-spots")
    cell.do("copy object:pallet as second --targets")
    cell.do("place second at 0,0,0")
    shift = where(cell, "second") @ where(cell, "pallet").inverse()
    for one, other in zip(along(cell, "second-spots"), along(cell, "spots"), strict=True):
        assert close(one, shift @ other)
    assert cell.session.snapshot().places.path("second-spots").targets[:2] == ("second-spots-1", "second-spots-2")
    assert cell.database.entity("object", "second").id != cell.database.entity("object", "pallet").id
    blocks = {
        name: [
            r.child
            for r in cell.database.relations(cell.database.entity("object", name))
            if r.kind == "transform-block"
        ]
        for name in ("pallet", "second")
    }
    assert blocks["pallet"] == blocks["second"], "the solids are shared"


def test_targets_stay_in_the_world_or_in_the_frame_as_asked(cell):
    cell.do("add frame F 600,0,300 rotate 0,0,20 on object:pallet")
    cell.do("add target T 600,0,400 on frame:F")
    before = where(cell, "T")
    cell.do("place frame:F at 100,0,300")
    moved = where(cell, "T")
    assert not close(moved, before)
    cell.do("place frame:F at 500,100,0 rotate 0,40,0 --leave-targets")
    assert close(where(cell, "T"), moved)
    cell.do("place frame:F at 0,0,0")
    assert not close(where(cell, "T"), moved), "it hangs on the frame still"


def test_a_target_of_a_path_is_moved_in_its_path(cell):
    cell.do(GRID)
    new = Pose.from_xyz(0.5, 0.2, 0.4)
    cell.do("place spots-3 at 500,200,400")
    assert close(where(cell, "spots-3"), new)
    assert close(along(cell, "spots")[2], new)
    pallet = where(cell, "pallet")
    cell.do("place pallet at 0,0,0")
    assert close(where(cell, "spots-3"), pallet.inverse() @ new)
    cell.do("create path loose")
    cell.do("add target L 100,0,0 to loose")
    cell.do("place L at 200,0,0")
    assert close(where(cell, "L"), along(cell, "loose")[0])
    cell.do("attach path:loose to object:pallet")
    cell.do("place pallet at 0,0,100")
    assert close(where(cell, "L"), along(cell, "loose")[0])
    assert np.allclose(where(cell, "L").xyz, [0.2, 0.0, 0.1])


def test_a_long_chain_of_frames_is_followed(cell):
    cell.do("add frame f0 0,0,0 on object:pallet")
    with cell.database.edit(lambda: "chain", "test") as rows:
        below = cell.database.entity("frame", "f0")
        for number in range(1, 1500):
            cell.database.add_entity(rows, "frame", f"f{number}")
            frame = cell.database.entity("frame", f"f{number}")
            cell.database.attach(rows, below, frame, "next", Transform((Translate((0.0, 0.0, 0.001)),)))
            below = frame
    here = where(cell, "f1499")
    assert here.xyz[2] == pytest.approx(1.499)
    cell.do("place pallet at 700,100,150 rotate 0,0,30")
    assert where(cell, "f1499").xyz[2] == pytest.approx(1.599)


def test_a_carrier_that_stands_nowhere_is_named(cell):
    cell.do("create object shelf")
    cell.do("add target T 1,2,3")
    with pytest.raises(Refused, match=r"'shelf' stands in no scene; `place shelf at …` first"):
        cell.do("attach T to object:shelf")
    cell.do("attach T to object:shelf translate 0,0,50")
    with pytest.raises(Refused, match=r"'shelf' stands in no scene"):
        cell.do("where T")
    cell.do("create robot Arm irb1600")
    with pytest.raises(Refused, match=r"'shelf' stands in no scene"):
        cell.do("move-end-effector Arm T")


def test_a_target_is_made_where_another_is_and_hung_up_there(cell):
    cell.do("add target A 10,20,30 rotate 0,0,40")
    cell.do("add target B A translate 0,0,5 on object:pallet")
    assert close(where(cell, "B"), where(cell, "A") @ Pose.from_xyz(0.0, 0.0, 0.005))
    assert cell.do("where B").carrier == "pallet"


def test_what_hangs_on_a_robot_stays_on_its_last_link_when_the_robot_is_replaced(cell):
    cell.do("create robot Arm irb1600 at -500,0,0")
    cell.do("add target tip -100,50,900 on robot:Arm")
    X = np.linalg.inv(cell.session.snapshot().link_frames(cell.session.state, "Arm")[-1]) @ where(cell, "tip").matrix
    cell.do("replace robot Arm with cobra600")
    frames = cell.session.snapshot().link_frames(cell.session.state, "Arm")
    assert len(frames) == 5, "this arm has fewer links"
    assert np.allclose(where(cell, "tip").matrix, frames[-1] @ X)


def test_a_target_on_a_part_of_an_assembly_goes_with_the_assembly_and_with_its_part(cell):
    cell.do("create block lid-solid box 100 100 10")
    cell.do("create object lid")
    cell.do("attach block:lid-solid to object:lid")
    cell.do("attach object:lid to object:pallet translate 0,0,80")
    cell.do("add target T 700,100,200 on object:lid")
    assert np.allclose(where(cell, "T").xyz, [0.7, 0.1, 0.2])
    assert cell.do("where T").carrier == "pallet"
    cell.do("modify pallet/lid transform translate 0,0,180")
    assert np.allclose(where(cell, "T").xyz, [0.7, 0.1, 0.3])
    cell.do("place pallet at 0,0,0")
    cell.do("create object whole")
    cell.do("detach main/pallet")
    cell.do("attach object:pallet to object:whole translate 0,0,1000")
    cell.do("place whole at 0,0,0")
    assert np.allclose(where(cell, "T").xyz, [0.0, 0.0, 1.25])

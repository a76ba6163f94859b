"""Ghosts are for looking at: translucent wherever they are drawn, and no question about touching ever counts them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.errors import GraspFailed, Refused, WorkcellError
from workcell.geometry import solids
from workcell.pictures.scene import scene_of
from workcell.service.painter import Painter
from workcell.service.shapes import Shapes
from workcell.world.body import GHOST
from workcell.world.database import Database
from workcell.world.flatten import snapshot_of
from workcell.world.text_form import from_text, to_text

CELL = [
    "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "add solid table box 560 800 30 at 780,-100,385",
    "add solid box box 100 100 100 at 1000,150,470 --movable",
]
MOVE = "move-joints-absolute Puma 20,0,-90,0,90,0"


@pytest.fixture
def puma(cell):
    for line in CELL:
        cell.do(line)
    return cell


def answers(cell):
    """Everything that the cell says about touching."""
    lines = [
        "contacts",
        "clearance",
        "clearance of Puma",
        "certify Puma 20,0,-90,0,90,0",
        "free-share Puma 40",
        "pairs",
    ]
    return [str(cell.do(line)) for line in lines]


def test_an_envelope_is_no_obstacle(puma):
    before = answers(puma)
    puma.do("add envelope room of Puma")
    assert answers(puma) == before
    puma.do("watch yes")
    puma.do(MOVE)
    puma.do("watch certified")
    puma.do("move-joints-absolute Puma 0,0,-90,0,90,0")
    assert "a ghost: it is for looking at" in str(puma.do("why room with Puma"))


def test_what_is_no_ghost_any_more_is_an_obstacle_and_undo_makes_it_one_again(puma):
    puma.do("add envelope room of Puma")
    free = answers(puma)
    puma.do("watch yes")
    puma.do("modify room ghost no")
    assert puma.do("contacts").contacts
    with pytest.raises(WorkcellError, match="cannot start"):
        puma.do(MOVE)
    puma.do("undo")
    assert answers(puma) == free
    puma.do("redo")
    assert puma.do("contacts").contacts


@pytest.mark.parametrize("kind", ["ghost", "block"])
def test_a_swept_volume_to_look_at_is_no_obstacle(puma, kind):
    before = answers(puma)
    puma.do(f"add swept way of Puma 10,0,-90,0,90,0 tolerance 60mm as {kind}")
    if kind == "block":
        puma.do("place way at 0,0,0")
    assert puma.session.snapshot().body("way").ghost
    assert answers(puma) == before


def test_a_ghost_is_made_a_zone_and_the_other_way_round(puma):
    puma.do("add envelope room of Puma")
    puma.do("modify room kind zone")
    assert puma.do("contacts").contacts
    puma.do("modify room except Puma")
    assert not puma.do("contacts").contacts
    assert [row[0] for row in puma.do("zones").rows] == ["room"]
    puma.do("modify room kind object")
    assert puma.session.snapshot().body("room").ghost
    puma.do("add envelope hall of Puma as zone")
    assert not puma.do("contacts").contacts
    puma.do("create robot Other puma560 at 900,900,0")
    assert any("hall" in contact["pair"] for contact in puma.do("contacts").contacts)


@settings(max_examples=25)
@given(
    st.sampled_from(["box 300 200 500", "sphere 250", "cone 200 600", "cylinder 150 400"]),
    st.tuples(*[st.integers(-1200, 1200)] * 2, st.integers(-200, 1200)),
    st.booleans(),
)
def test_a_ghost_anywhere_changes_no_answer(shape, place, movable):
    with wc.Cell() as cell:
        for line in CELL:
            cell.do(line)
        before = answers(cell)
        at = ",".join(map(str, place))
        cell.do(f"add solid thing {shape} at {at} --ghost{' --movable' if movable else ''}")
        assert answers(cell) == before


def test_a_decision_or_margin_does_not_make_a_ghost_touchable(puma):
    puma.do("add envelope room of Puma")
    puma.do("test Puma with room")
    puma.do("margin 10mm between Puma and room")
    assert not puma.do("contacts").contacts
    with pytest.raises(Refused, match="'room' is a ghost: it is for looking at"):
        puma.do("clearance between Puma and room")


def test_a_block_is_a_ghost_by_itself_inside_something_solid(cell):
    """A camera that shows what it sees: its housing is solid, its cone of view is for looking at."""
    cell.do("add solid camera box 100 100 100 at 0,0,1000")
    cell.do("create block sight cone 300 900")
    cell.do("modify sight ghost yes")
    cell.do("attach sight to camera translate 0,0,-500")
    cell.do("add solid part box 100 100 100 at 0,0,500 --movable")
    body = cell.session.snapshot().body("camera")
    assert [piece.ghost for piece in body.pieces] == [False, True]
    assert not body.ghost
    assert not cell.do("contacts").contacts
    assert body.mesh().bounds[0] == pytest.approx([-0.05, -0.05, -0.05])
    cell.do("modify sight ghost no")
    assert cell.do("contacts").contacts


# ---- hands, falling parts, piles ---------------------------------------------------------------------------

PICK = [
    "create robot Puma puma560",
    "add solid stage box 200 200 60 at 450,250,30",
    "add solid cube box 40 40 40 at 500,-150,20 --movable",
]


def bring(x: float, y: float, z: float) -> str:
    return f"move-end-effector Puma {x},{y},{z} euler fanuc_wpr 180,0,180 of grip"


@pytest.fixture
def pick(cell):
    for line in PICK:
        cell.do(line)
    return cell


def test_a_hand_takes_no_ghost_and_a_part_falls_through_one(pick):
    pick.do("add solid veil box 300 300 300 at 500,-150,150 --ghost --movable")
    pick.do("add solid shelf box 300 300 20 at 450,250,150 --ghost")
    pick.do("watch yes")
    pick.do(bring(500, -150, 120))
    pick.do("watch no")
    pick.do(bring(500, -150, 20))
    assert pick.do("close-gripper Puma").part == "cube"
    pick.do(bring(450, 250, 300))
    pick.do("open-gripper Puma --settle")
    assert pick.session.state.poses["cube"].xyz == pytest.approx([0.45, 0.25, 0.08], abs=1e-6)


def test_a_hand_finds_only_a_ghost(pick):
    pick.do("modify cube ghost yes")
    pick.do(bring(500, -150, 20))
    with pytest.raises(GraspFailed, match="no part of the cell is movable"):
        pick.do("close-gripper Puma")


def test_a_part_that_becomes_a_ghost_in_the_hand_is_let_go_where_it_is(pick):
    pick.do(bring(500, -150, 20))
    pick.do("close-gripper Puma")
    pick.do(bring(450, 250, 300))
    pick.do("modify cube ghost yes")
    assert "cube" in pick.session.state.attached
    pick.do("open-gripper Puma --settle")
    assert pick.session.state.poses["cube"].xyz == pytest.approx([0.45, 0.25, 0.3], abs=1e-6)


def test_nothing_stands_on_a_ghost_and_a_ghost_stands_on_nothing(pick):
    pick.do("add solid lid box 30 30 10 at 500,-150,45 --movable --ghost")
    pick.do(bring(500, -150, 20))
    pick.do("close-gripper Puma")
    assert list(pick.session.state.attached) == ["cube"]
    pick.do("modify lid ghost no")
    pick.do("open-gripper Puma")
    pick.do("close-gripper Puma")
    assert sorted(pick.session.state.attached) == ["cube", "lid"]


# ---- what is drawn, kept and written -------------------------------------------------------------------------


def test_ghosts_are_translucent_in_pictures_and_in_the_page(puma):
    puma.do("add envelope room of Puma")
    opacity = {item.name: item.opacity for item in scene_of(puma.session.snapshot(), puma.session.state)}
    assert opacity["room"] == GHOST < 1.0
    assert {value for name, value in opacity.items() if name != "room"} == {1.0}
    painter = Painter(Shapes())
    painter.paint(puma.session)
    drawn = {body.name: [piece.ghost for piece in body.pieces] for body in painter.picture.bodies.values()}
    assert drawn["room"] == [True]
    assert drawn["table"] == [False]
    movable = {body.name: body.movable for body in painter.picture.bodies.values()}
    assert (movable["table"], movable["box"]) == (False, True)


def test_the_cell_is_seen_through_a_ghost_in_a_picture(puma, tmp_path):
    from PIL import Image

    def red(ghost):
        puma.do(f"modify veil ghost {ghost}")
        puma.do(f"render {tmp_path / ghost}.png front axes no size 200 200")
        image = np.asarray(Image.open(tmp_path / f"{ghost}.png").convert("RGB")).astype(int)
        return int(((image[..., 0] - image[..., 1] > 40) & (image[..., 0] - image[..., 2] > 40)).sum())

    puma.do("modify table colour red")
    puma.do("add solid veil box 2000 20 1200 at 500,-900,500 colour white")
    assert red("no") == 0
    assert red("yes") > 20


def test_a_ghost_stays_one_in_copies_in_the_text_form_and_after_a_replay(puma):
    puma.do("add envelope room of Puma")
    puma.do("copy room as twin --deep")
    puma.do("place twin at 0,2000,0")
    assert puma.session.snapshot().body("twin").ghost
    text = to_text(puma.database)
    again = Database.memory()
    from_text(text, again)
    flat = snapshot_of(again)
    assert flat.body("room").ghost
    assert not flat.body("table").ghost
    assert puma.replayed().database.rows() == puma.database.rows()


def test_exports_leave_ghosts_out_and_say_so_unless_they_are_what_is_asked_for(puma, tmp_path):
    puma.do("add envelope room of Puma")
    told = str(puma.do(f"export solid scene:main {tmp_path / 'cell.stl'}"))
    assert "without the ghost room" in told
    puma.do("create block bulb sphere 20")
    puma.do("modify bulb ghost yes")
    puma.do("attach bulb to table")
    assert "without the ghost bulb" in str(puma.do(f"export solid table {tmp_path / 'table.stl'}"))
    assert "without the ghost" not in str(puma.do(f"export solid room {tmp_path / 'room.stl'}"))
    puma.do(MOVE)
    puma.do(f"export-animation {tmp_path / 'run.gltf'} rate 5")
    document = json.loads((tmp_path / "run.gltf").read_text())
    blended = [one for one in document["materials"] if one.get("alphaMode") == "BLEND"]
    assert {one["pbrMetallicRoughness"]["baseColorFactor"][3] for one in blended} == {GHOST}
    assert len(blended) < len(document["materials"])


def test_a_scene_of_ghosts_has_nothing_to_export(cell, tmp_path):
    cell.do("add solid room box 100 100 100 --ghost")
    with pytest.raises(Refused, match="has no solid to export"):
        cell.do(f"export solid scene:main {tmp_path / 'cell.stl'}")


def test_python_adds_ghosts(cell):
    cell.add_solid(solids.box(0.1, 0.1, 0.1), "room", ghost=True)
    assert cell.snapshot().body("room").ghost


def test_a_ghost_weighs_nothing(cell):
    from workcell.world.loads import load_of

    for line in (
        "create robot Arm ur5e",
        "create tool lamp",
        "create block housing box 60 60 60",
        "modify housing mass 2kg",
        "create block beam cone 200 900",
        "attach housing to lamp",
        "attach beam to lamp",
        "fit tool lamp to Arm tcp 0,0,60",
    ):
        cell.do(line)
    state = cell.session.state
    assert load_of(cell.session.snapshot(), state, "Arm").unknown
    cell.do("modify beam ghost yes")
    weighed = load_of(cell.session.snapshot(), state, "Arm")
    assert not weighed.unknown
    assert weighed.mass == pytest.approx(2.0)

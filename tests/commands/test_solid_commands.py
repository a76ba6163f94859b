"""Solid modelling by commands: counts, figures, refusals, faces, files, views."""

from __future__ import annotations

import math
import struct
import threading

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.cli import main
from workcell.commands.cell import Cell
from workcell.errors import (
    Cancelled,
    CommandSyntaxError,
    FileProblem,
    InvalidShape,
    InvalidValue,
    Refused,
    UnknownName,
    WorkcellError,
    WrongLevel,
)
from workcell.geometry.faces import Face
from workcell.world.standing import home


def run(cell: Cell, *lines: str) -> None:
    for line in lines:
        cell.do(line)


# ---- faceted solids: the counts of the thesis and the corrected figures -------------------------------


@pytest.mark.parametrize(
    ("line", "surfaces", "relations", "volume"),
    [
        ("facet cylinder f 1m 2m 8", 2, 10, 5.656854249),
        ("facet cylinder f 1m 2m 32", 2, 34, 6.242890305),
        ("facet sphere f 1m 4 12", 4, 2 * 4 * 12, 3.847759065),
        ("facet sphere f 1m 8 16", 8, 2 * 8 * 16, 4.042740),
        ("facet ellipsoid f 1m 2m 0.5m 4 12", 4, 2 * 4 * 12, 3.847759065),
        ("facet cone f 1m 2m 12", 2, 24, 2.0),
        ("facet truncated-cone f 1m 2m 3m 12", 3, 36, 21.0),
        ("facet torus f 2m 1m 12 8", 8, 96, None),
    ],
)
def test_a_faceted_solid_has_few_surfaces_and_many_named_relations(cell, line, surfaces, relations, volume):
    made = cell.do(line)
    assert made.relations == relations
    block = cell.database.entity("block", "f")
    kept = cell.database.relations(block)
    assert len(kept) == relations
    assert {one.kind for one in kept} == {"transform-surface"}
    assert all(one.name.startswith("f-") for one in kept)
    assert len({one.child for one in kept}) == surfaces
    told = cell.do("measure f")
    if volume is not None:
        assert told.volume == pytest.approx(volume, rel=1e-6)
    assert cell.do("check solid f").valid
    assert cell.replayed().database.rows() == cell.database.rows()


def test_a_prefix_names_relations_and_the_unit_square_is_shared(cell):
    run(cell, "facet cylinder a 10 20 6 prefix west-", "facet cylinder b 30 20 5 prefix east-")
    assert cell.database.relation(cell.database.entity("block", "a"), "west-side1")
    assert cell.database.pointed_by(cell.database.entity("surface", "unit_square")) == 6 + 5
    cell.do("create surface bracket contour (0,0) (60,0) (60,10) (10,10) (10,40) (0,40) hole (2,2) (8,2) (8,8) (2,8)")
    made = cell.do("facet extrusion bar bracket 80")
    assert (made.relations, made.surfaces) == (6 + 4 + 2, ())
    assert cell.do("measure bar").volume == pytest.approx((900 - 36) * 80e-9, rel=1e-9)


# ---- refusals: one clear line, the cell unchanged -------------------------------------------------------

STAGE = (
    "create block a box 10 10 10",
    "create block b sphere 5",
    "create block far box 1 1 1",
    "create block empty1",
    "create surface disc1 disc 20",
    "create surface across contour (-5,0) (10,0) (10,10)",
    "create surface blank",
    "create patch ramp (0,0,0) (0,100,0) row (100,0,30) (100,100,30) degrees 1,1",
    "add solid table box 100 100 10",
    "add solid lamp cylinder 5 50",
)


@pytest.fixture(scope="module")
def staged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "text.step").write_text("these are only words")
    (folder / "empty.stl").write_bytes(b"")
    (folder / "short.stl").write_bytes(b"x" * 80 + struct.pack("<I", 40) + b"0" * 100)
    (folder / "huge.stl").write_bytes(b"x" * 80 + struct.pack("<I", 42_949_672) + b"0" * 100)
    with Cell(who="test") as cell:
        run(cell, *STAGE)
        yield cell, folder


@pytest.mark.parametrize(
    ("line", "error", "words"),
    [
        (
            "create surface x contour (0,0) (10,10) (10,0) (0,10)",
            InvalidShape,
            r"crosses edge 3 .* at \(5, 5\) \(in mm\)",
        ),
        ("create surface x contour (0,0) (9,0) (9,9) hole (20,20) (21,20) (21,21)", InvalidShape, "outside the main"),
        ("create surface x disc 10 bore 2 bore 3 at 1,0", InvalidShape, "crosses|inside"),
        ("create surface x contour (0,0) (1,0)", CommandSyntaxError, "three points or more"),
        ("create surface x contour (0,0) (1,0) (2,0)", InvalidShape, "no area|crosses"),
        ("create surface x disc 0", CommandSyntaxError, "more than zero"),
        ("create surface x disc -3", CommandSyntaxError, "more than zero"),
        ("create surface x bore 3", InvalidValue, "outer contour"),
        ("create patch x (0,0,0) (1,0,0) row (0,1,0)", CommandSyntaxError, "two points or more"),
        ("create patch x (0,0,0) (1,0,0)", InvalidValue, "two rows"),
        ("create block x box 0 1 1", CommandSyntaxError, "must be"),
        ("create block x cylinder -1 1", CommandSyntaxError, "must be"),
        ("create block x torus 5 6", CommandSyntaxError, "smaller than its ring"),
        ("combine x intersection a far translate 100,0,0", InvalidShape, "empty"),
        ("combine x difference far a", InvalidShape, "empty"),
        ("combine x union a empty1", Refused, "'empty1', which it is made of, has no solid"),
        ("combine x merge a b", CommandSyntaxError, "union"),
        ("extrude x disc1", InvalidValue, "height"),
        ("extrude x disc1 0", CommandSyntaxError, "more than zero"),
        ("extrude x disc1 along 10,0,0", InvalidValue, "leave the plane"),
        ("extrude x blank 10", Refused, "no contour yet"),
        ("extrude x ramp 10", Refused, "free-form"),
        ("revolve x across", InvalidShape, "crosses the axis"),
        ("revolve x disc1 400 about (100,0,0) (0,1,0)", InvalidValue, "at most 360°; found 400°"),
        ("sweep x disc1 through (0,0,0) (0,0,20) (5,0,20) (5,0,0)", InvalidShape, "crosses itself"),
        ("sweep x disc1", InvalidValue, "through"),
        ("sweep x disc1 through (0,0,0) (0,0,0)", WorkcellError, "same|distinct|stands still|differ"),
        ("reshape surface disc1 contour (0,0) (10,10) (10,0) (0,10)", InvalidShape, "crosses"),
        ("reshape block a height 10", Refused, "modify a shape"),
        ("facet cylinder x 10 10 2", InvalidValue, "at least 3"),
        ("facet sphere x 10 500 500", InvalidValue, "at most 3000 facets; found 500000. Use fewer"),
        ("facet cylinder x 10 20 20000", InvalidValue, "at most 3000 facets; found 20000. Use fewer"),
        ("facet cylinder x 0 10 5", CommandSyntaxError, "more than zero"),
        ("face attach lamp nose to table top", UnknownName, "no face called .nose."),
        ("face attach lamp top to lamp bottom", WorkcellError, "itself"),
        ("face detach lamp", Refused, "does not stand"),
        ("measure empty1", Refused, "no solid"),
        ("import solid x {folder}/text.step", FileProblem, "not a STEP file"),
        ("import solid x {folder}/empty.stl mm", FileProblem, "empty"),
        ("import solid x {folder}/short.stl mm", FileProblem, "cut short|claims"),
        ("import solid x {folder}/huge.stl mm", FileProblem, "claims"),
        ("import solid x {folder}/short.stl", InvalidValue, "unit"),
        ("import solid x {folder}/nothing.stl mm", FileProblem, "cannot be read"),
        ("import solid x {folder}/text.dwg", UnknownName, "kind of shape file"),
        ("export solid a {folder}/a.xyz", UnknownName, "kind of shape file"),
        ("export solid a {folder}/no/such/a.stl", FileProblem, "cannot be written"),
        ("export solid empty1 {folder}/a.stl", Refused, "no solid"),
        ("look v from 0,0,0 at 0,0,0", InvalidValue, "cannot look at the point"),
        ("look v top from 1,2,3", InvalidValue, "Give either a side"),
        ("clear lamp", InvalidValue, "from VIEW"),
    ],
)
def test_bad_input_is_one_clear_line_and_changes_nothing(staged, line, error, words):
    cell, folder = staged
    before = cell.database.rows(), cell.journal.entries()
    with pytest.raises(error, match=words) as refused:
        cell.do(line.format(folder=folder))
    assert "\n" not in str(refused.value)
    assert (cell.database.rows(), cell.journal.entries()) == before


def test_a_cancelled_operation_leaves_the_cell_as_it_was(cell):
    run(cell, "create block a box 10 10 10.125", "create block b torus 5 2.0625")
    before = cell.database.rows()
    told: list[float] = []
    cell.session.progress = lambda fraction, _label: told.append(fraction)
    cell.session.cancel = threading.Event()
    cell.session.cancel.set()
    with pytest.raises(Cancelled):
        cell.do("combine x union a b")
    assert cell.database.rows() == before
    cell.session.cancel = None
    cell.do("combine x union a b")
    assert told


# ---- faces ----------------------------------------------------------------------------------------------

directions = st.tuples(*[st.floats(-1, 1) for _ in range(3)]).filter(lambda v: math.dist(v, (0, 0, 0)) > 0.1)
places = st.tuples(*[st.floats(-5, 5) for _ in range(3)])


@settings(max_examples=60)
@given(directions, places, directions, places, st.sampled_from([None, 1.0, -1.0]))
def test_a_home_puts_centre_on_centre_with_opposed_normals(n1, c1, n2, c2, aligned):
    n1 = np.array(n1) / np.linalg.norm(n1)
    n2 = n1 * aligned if aligned else np.array(n2) / np.linalg.norm(n2)
    pose = home(Face("b", "plane", 1.0, c1, tuple(n1), ()), Face("c", "plane", 1.0, c2, tuple(n2), ()))
    rotation = pose[:3, :3]
    assert np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-9)
    assert np.linalg.det(rotation) == pytest.approx(1.0)
    assert np.allclose(rotation @ n2, -n1, atol=1e-8)
    assert np.allclose(rotation @ c2 + pose[:3, 3], c1, atol=1e-9)
    if aligned == -1.0:
        assert np.allclose(rotation, np.eye(3), atol=1e-9)


def test_faces_are_named_by_provenance_and_survive_a_change_of_size(cell):
    run(cell, "create block plate box 200 100 20", "create block pin cylinder 10 40")
    cell.do("combine drilled difference plate pin translate 50,0,0")
    before = cell.do("faces drilled")
    names = {face.name for face in before.faces}
    assert {"plate.top", "plate.left", "cut1:pin.side"} <= names
    cell.do("modify plate shape box 300 100 30")
    after = {face.name: face for face in cell.do("faces drilled").faces}
    assert set(after) == names
    assert after["plate.top"].centre[2] == pytest.approx(0.015)
    run(cell, "create object part1", "attach drilled to part1 as left", "attach pin to part1 as right")
    assert "left.plate.top" in {face.name for face in cell.do("faces part1").faces}
    with pytest.raises(WrongLevel):
        cell.do("face attach part1/left top to part1/right top")


# ---- weighing -------------------------------------------------------------------------------------------


def test_an_assembly_weighs_what_its_parts_weigh(cell):
    run(
        cell,
        "create block bar box 200 20 20",
        "create material iron",
        "modify iron density 7800",
        "modify bar material iron",
        "create block ball sphere 30",
        "create object hammer",
        "attach bar to hammer as handle",
        "attach ball to hammer as head translate 130,0,0",
    )
    told = cell.do("measure hammer")
    assert told.mass is None
    assert "ball has no mass" in str(told)
    cell.do("modify ball mass 1.5kg")
    told = cell.do("measure hammer")
    m1, m2 = 7800 * 0.2 * 0.02 * 0.02, 1.5
    assert told.mass == pytest.approx(m1 + m2)
    assert told.centroid[0] == pytest.approx(m2 * 0.13 / (m1 + m2))
    reduced = m1 * m2 / (m1 + m2) * 0.13**2
    across = m1 / 12 * (0.2**2 + 0.02**2) + 0.4 * m2 * 0.03**2 + reduced
    along = m1 / 12 * (2 * 0.02**2) + 0.4 * m2 * 0.03**2
    assert sorted(told.principal) == pytest.approx([along, across, across], rel=1e-9)
    cell.do("modify hammer mass 5kg")
    assert cell.do("measure hammer").mass == pytest.approx(5.0)
    cell.do("place hammer at 1000,0,0 rotate 0,0,90")
    whole = cell.do("measure scene main")
    assert whole.mass == pytest.approx(5.0)
    assert whole.centroid[1] == pytest.approx(told.centroid[0])


# ---- files ----------------------------------------------------------------------------------------------


def test_solids_go_out_and_come_back_and_replay_needs_no_file(cell, tmp_path):
    run(
        cell,
        "create block plate box 700 400 20",
        "create block pin cylinder 30 40",
        "combine part difference plate pin",
    )
    volume = cell.do("measure part").volume
    assert "in millimetres" in str(cell.do(f"export solid part {tmp_path}/part.step"))
    assert "700." in (tmp_path / "part.step").read_text() or "350." in (tmp_path / "part.step").read_text()
    cell.do(f"import solid exact {tmp_path}/part.step")
    assert cell.do("measure exact").volume == pytest.approx(volume, rel=1e-6)
    for number, (ending, unit) in enumerate([("stl", "inch"), ("obj", "m"), ("glb", "")]):
        said = str(cell.do(f"export solid part {tmp_path}/part.{ending} {unit} tolerance 0.05"))
        assert f"in {unit or 'metres'}" in said
        assert "closed" in str(cell.do(f"import solid mesh{number} {tmp_path}/part.{ending} {unit}"))
        assert cell.do(f"measure mesh{number}").volume == pytest.approx(volume, rel=1e-4)
    for file in tmp_path.iterdir():
        file.unlink()
    assert cell.replayed().database.rows() == cell.database.rows()


def test_an_open_mesh_is_taken_as_it_is_and_said_to_be_open(cell, tmp_path):
    run(cell, "create block cube1 box 10 10 10", f"export solid cube1 {tmp_path}/cube.stl --ascii")
    text = (tmp_path / "cube.stl").read_text()
    first = text.index("endfacet") + len("endfacet")
    (tmp_path / "cube.stl").write_text(text[: text.index("facet")] + text[first:])
    assert "open along 3 edges" in str(cell.do(f"import solid open1 {tmp_path}/cube.stl mm"))
    assert not cell.do("check solid open1").valid
    with pytest.raises(InvalidShape, match="open"):
        cell.do("measure open1")
    cell.do("place open1 at 0,0,0")
    assert len(cell.snapshot().bodies[0].mesh().triangles) == 11


# ---- replay, views, pictures ----------------------------------------------------------------------------

SCRIPT = (
    "create surface slot contour (0,0) (80,0) arc (90,10) (80,20) (0,20) arc (-10,10) (0,0) bore 4 at 40,10",
    "extrude strap slot 12",
    "create surface ring disc 15 bore 11",
    "sweep pipe ring through (0,0,0) (0,0,100) (80,0,180) (200,0,200) twist 20 end-scale 0.8,0.8,1",
    "combine joined union strap pipe rotate 0,90,0 translate 40,10,6",
    "reshape block strap height 15",
    "place joined at 0,0,100",
    "add solid base box 300 300 20",
    "face attach object:joined strap.bottom#1 to base top",
    "look close from 600,-600,400 at 0,0,50 zoom 1.2",
    "display joined in close",
    "clear base from close",
)


def test_a_script_replays_to_the_same_rows(cell):
    for line in SCRIPT[:-1]:
        cell.do(line)
    with pytest.raises(Refused, match="does not show 'base'"):
        cell.do(SCRIPT[-1])
    again = cell.replayed()
    assert again.database.rows() == cell.database.rows()
    assert [b.hash for b in again.snapshot().bodies] == [b.hash for b in cell.snapshot().bodies]
    for _ in SCRIPT[:-1]:
        cell.undo()
    assert not cell.database.rows()["entity"]


def test_a_view_shows_what_is_displayed_in_it(tmp_path):
    file = tmp_path / "c.cell"
    with Cell.create(file) as cell:
        run(cell, "add solid peg box 20 20 100", "add solid plate box 100 100 5 at 0,0,-50", "look near front zoom 0.5")
        cell.do(f"render {tmp_path}/all.png view near")
        run(cell, "display peg in near", f"render {tmp_path}/peg.png near")
        assert (tmp_path / "all.png").read_bytes() != (tmp_path / "peg.png").read_bytes()
        run(cell, "look far from 500,0,0 twist 90", "clear peg from far")
        assert cell.database.entity("view", "far").properties["shows"] == "plate"
        cell.do("clear view far")
        with pytest.raises(InvalidValue, match="shows nothing"):
            cell.do(f"render {tmp_path}/none.png far")
        with pytest.raises(UnknownName, match="no view called 'nowhere'"):
            cell.do(f"render {tmp_path}/none.png nowhere")
    result = CliRunner().invoke(
        main, ["render", str(file), "-o", str(tmp_path / "cli.png"), "--view", "near", "--size", "320x200"]
    )
    assert result.exit_code == 0, result.output
    assert (tmp_path / "cli.png").exists()


def test_a_solid_that_a_change_made_impossible_is_left_out_of_pictures_and_said(cell, tmp_path):
    run(cell, "create block a box 10 10 10", "create block b sphere 6", "combine both intersection a b")
    run(cell, "place both at 0,0,0", "add solid peg cylinder 2 10", "modify block:both/b transform translate 500,0,0")
    told = str(cell.do(f"render {tmp_path}/p.png"))
    assert "'both' is not shown" in told
    assert "empty" in told


def test_the_pump_housing_is_made_by_commands_and_stands_on_its_plinth():
    from workcell.workbench.samples import sample

    with sample("pump") as cell:
        told = cell.do("measure object pump")
        assert told.mass == pytest.approx(14.7765, rel=1e-4)
        assert cell.do("check solid object:pump").valid
        names = {face.name for face in cell.do("faces object:pump").faces}
        assert {"outside.lid.dome", "outside.add1:foot.bottom"} & names
        snapshot = cell.snapshot()
        assert snapshot.notes == ()
        poses = dict(zip((body.name for body in snapshot.bodies), snapshot.body_poses(snapshot.initial), strict=True))
        assert poses["pump"][2, 3] == pytest.approx(0.7 + 0.04 + 0.012)
        before = cell.do("measure block housing").volume
        cell.do("modify shaft shape cylinder 20 140")
        assert cell.do("measure block housing").volume < before
        assert {face.name for face in cell.do("faces object:pump").faces} == names


def test_an_edit_says_what_it_breaks_and_is_not_refused(cell):
    for line in (
        "create block plate box 200 100 20",
        "create block pin cylinder 10 40",
        "combine drilled difference plate pin",
        "create object part",
        "attach drilled to part",
        "place part at 0,0,0",
        "add solid lamp cylinder 20 50",
        "face attach lamp bottom to part plate.top",
    ):
        cell.do(line)
    follows = "shape of 'pin' changed; block 'drilled', object 'part' follow"
    assert str(cell.do("modify pin shape cylinder 12 40")) == follows
    told = str(cell.do("modify pin shape cylinder 300 40"))
    assert "but block 'drilled' cannot be made any more: Nothing is left" in told
    assert "but 'lamp' stands on a face that no longer exists" in told
    cell.do("undo")
    told = str(cell.do("modify pin shape box 10 200 40"))
    assert "'lamp' stands on a face that no longer exists: 'part': The face 'plate.top' is in 2 pieces" in told
    cell.do("undo")
    assert "cannot be made" not in str(cell.do("modify drilled/pin transform translate 20,0,0"))
    assert "a difference needs at least two blocks" in str(cell.do("detach drilled/pin")).lower()


def test_an_assembly_keeps_parts_names_colours_and_places_through_step_and_glb(cell, tmp_path):
    for line in (
        "create block plate box 200 100 20 colour #ff8000",
        "create block pin cylinder 10 40",
        "create object part",
        "attach plate to part",
        'attach pin to part as "left pin" translate -50,0,30',
        "attach pin to part as right translate 50,0,30 rotate 90,0,0",
    ):
        cell.do(line)
    told = str(cell.do(f"export solid part {tmp_path}/part.step"))
    assert "2 parts in 3 places" in told
    said = str(cell.do(f"import assembly copy {tmp_path}/part.step"))
    assert said == "object 'copy' created from part.step: 2 parts, used 3 times"
    database = cell.database
    copy = database.entity("object", "copy")
    relations = {one.name: one for one in database.relations(copy)}
    assert set(relations) == {"plate", "left pin", "right"}
    assert relations["left pin"].child == relations["right"].child
    assert database.by_id(relations["plate"].child).colour == "#ff8000"
    before = {one.name: one for one in database.relations(database.entity("object", "part"))}
    for name in ("left pin", "right"):
        assert relations[name].matrix == pytest.approx(before[name].matrix, abs=1e-12)
    assert cell.do("measure copy").volume == pytest.approx(cell.do("measure part").volume, rel=1e-9)
    assert cell.do("measure copy").centroid == pytest.approx(cell.do("measure part").centroid, abs=1e-9)
    cell.do("undo")
    assert database.find("object", "copy") is None
    assert not [name for name in database.names("block") if name.startswith("copy")]
    assert cell.replayed().database.rows() == database.rows()


def test_a_glb_gives_its_nodes_as_parts(cell, tmp_path):
    cell.do("create block plate box 200 100 20")
    cell.do(f"export solid plate {tmp_path}/plate.glb")
    assert "1 part" in str(cell.do(f"import assembly copy {tmp_path}/plate.glb"))
    assert cell.do("measure copy").volume == pytest.approx(4e-4, rel=1e-6)
    cell.do(f"export solid plate {tmp_path}/plate.stl")
    with pytest.raises(WorkcellError, match="An STL file has no parts; STEP, glTF and COLLADA files have"):
        cell.do(f"import assembly other {tmp_path}/plate.stl")


def test_an_existing_file_is_not_written_over_unless_asked(cell, tmp_path):
    cell.do("create block cube1 box 10 10 10")
    cell.do(f"export solid cube1 {tmp_path}/cube.stl")
    before = (tmp_path / "cube.stl").read_bytes()
    cell.do("modify cube1 shape box 20 10 10")
    with pytest.raises(FileProblem, match=r"cube\.stl already exists; choose another name, or add --replace"):
        cell.do(f"export solid cube1 {tmp_path}/cube.stl")
    assert (tmp_path / "cube.stl").read_bytes() == before
    cell.do(f"export solid cube1 {tmp_path}/cube.stl --replace")
    assert (tmp_path / "cube.stl").read_bytes() != before


def test_what_is_removed_with_its_parts_breaks_nothing(cell):
    cell.do("add solid table box 800 600 40")
    cell.do("add solid lamp cylinder 50 200")
    cell.do("face attach lamp bottom to table top")
    assert "cannot be made" not in str(cell.do("remove table --keep-children"))


def test_a_block_put_beside_the_one_that_carries_leaves_what_stands_there(cell):
    cell.do("add solid table box 800 600 40 at 0,0,500")
    cell.do("add solid lamp cylinder 50 200")
    cell.do("face attach lamp bottom to table top")
    cell.do("create block leg box 40 40 400")
    assert "gone" not in str(cell.do("attach leg to table translate 300,200,-220"))
    assert str(cell.do("check faces")) == "lamp: bottom on table top: good"
    cell.do("modify table-solid shape box 800 600 200")
    assert "z 700.000 mm" in str(cell.do("where lamp"))
    cell.do("add solid cup cylinder 20 50")
    cell.do("face attach cup bottom to table leg.top")
    cell.do("detach table/table-solid")
    assert "cup: bottom on table leg.top: good" in str(cell.do("check faces"))


def test_a_face_kept_without_its_block_is_that_of_the_block_that_was_there_first(cell):
    cell.do("add solid table box 800 600 40 at 0,0,500")
    cell.do("add solid lamp cylinder 50 200")
    cell.do("face attach lamp bottom to table top")
    with cell.database.edit(lambda: "", "somebody") as rows:
        relation = next(one for one in cell.database.all_relations() if one.name == "lamp")
        cell.database.set_properties(rows, relation, {"base_block": None, "face_block": None})
    cell.do("create block leg box 40 40 400")
    cell.do("attach leg to table translate 300,200,-220")
    assert str(cell.do("check faces")) == "lamp: bottom on table top: good"


def test_a_part_that_takes_away_a_face_is_told_at_once(cell):
    cell.do("create block slab box 100 100 20")
    cell.do("create block pin cylinder 5 50")
    cell.do("combine plate difference slab pin")
    cell.do("create object table")
    cell.do("attach plate to table")
    cell.do("add solid lamp cylinder 50 200")
    cell.do("face attach lamp bottom to table slab.top")
    cell.do("create block cover box 200 200 10")
    told = str(cell.do("attach cover to plate translate 0,0,10"))
    assert "but 'lamp' stands on a face that no longer exists" in told


def test_an_edit_distinguishes_blocks_that_never_could_be_made_from_those_that_can_no_longer():
    cell = Cell()
    for line in (
        "create block plate box 200 100 20",
        "create block pin cylinder 10 40",
        "combine drilled difference plate pin",
    ):
        cell.do(line)
    assert "'drilled' cannot be made any more: Nothing is left" in str(cell.do("modify pin shape cylinder 300 40"))
    assert "'drilled' still cannot be made: Nothing is left" in str(cell.do("modify pin shape cylinder 400 40"))
    assert "cannot be made" not in str(cell.do("modify pin shape cylinder 10 40"))
    # Bars that stand alone, put to a block one by one, never closed up.
    cell.do("create surface square contour (0,0) (100,0) (100,100) (0,100)")
    cell.do("create block never")
    for name in ("one", "two", "three", "four"):
        cell.do(f"attach square to never as {name} translate 0,0,{10 * len(name)}")
    cell.do("combine odd union plate pin")
    told = str(cell.do("modify never/one transform translate 0,0,500"))
    assert "any more" not in told
    assert "'never' still cannot be made" in told


@pytest.mark.parametrize("field", ["mass", "density"])
@pytest.mark.parametrize("value", ["1e-12", "1e12", "1e300", "0", "-1"])
def test_a_mass_that_cannot_be_measured_cannot_be_set(field, value):
    cell = Cell()
    cell.do("create block peg box 0.1 0.1 0.1")
    with pytest.raises(InvalidValue, match=f"The {field} of 'peg' must (lie between|be more than zero)"):
        cell.do(f"modify peg {field} {value}")
    assert "the mass is not known" in str(cell.do("measure peg"))


@pytest.mark.parametrize("value", ["1e-9", "1e-3", "2", "1e9"])
def test_every_mass_that_can_be_set_is_measured(value):
    cell = Cell()
    for block in ("box 0.001 0.001 0.001", "box 10000000 10000000 10000000"):
        cell.do(f"create block peg{len(block)} {block}")
        cell.do(f"modify peg{len(block)} mass {value}")
        assert cell.do(f"measure peg{len(block)}").mass == pytest.approx(float(value))


def test_surfaces_that_lie_on_each_other_are_named_as_such():
    cell = Cell()
    cell.do("create surface square contour (0,0) (100,0) (100,100) (0,100)")
    cell.do("create surface round disc 50")
    cell.do("create block twice")
    for name in ("a", "b", "c"):
        cell.do(f"attach square to twice as {name}")
    found = cell.do("check solid twice")
    assert {fault.kind for fault in found.faults} == {"duplicated face"}
    assert found.faults[0].faces == ("a", "b")
    assert found.faults[0].place == pytest.approx((0.05, 0.05, 0.0))
    cell.do("create block shifted")
    cell.do("attach square to shifted as a")
    cell.do("attach square to shifted as b translate 50,50,0")
    (fault,) = cell.do("check solid shifted").faults
    assert (fault.kind, fault.faces) == ("overlapping coplanar faces", ("a", "b"))
    assert fault.place == pytest.approx((0.075, 0.075, 0.0))
    with pytest.raises(InvalidShape, match=r"'a' and 'b' overlap in one plane, near .75, 75, 0. mm; detach or move"):
        cell.do("measure shifted")
    cell.do("create block discs")
    for number in range(40):
        cell.do(f"attach round to discs as d{number} rotate 0,0,{number}")
    found = cell.do("check solid discs")
    assert {fault.kind for fault in found.faults} == {"duplicated face"}
    assert len(found.faults) == 50
    box = cell.do("create block closed box 100 100 100")
    assert cell.do("check solid closed").valid, box


def test_a_boolean_with_an_empty_part_names_the_part():
    cell = Cell()
    for line in (
        "create block peg cone 50 100",
        "create block far box 10 10 10",
        "create block ball sphere 20",
    ):
        cell.do(line)
    cell.do("combine met intersection peg far translate 0,0,0")
    cell.do("combine whole union met ball")
    told = str(cell.do("modify met/far transform translate 5000,0,0"))
    assert "'met' cannot be made any more: Nothing is left: the intersection of 'peg' and 'far' is empty" in told
    assert "because a part of it is empty: nothing is left of the intersection of 'peg' and 'far'" in told
    assert "coincide" not in told

"""From entities to solids: sewn surfaces, operations on blocks, faces that objects stand on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from workcell.commands.cell import Cell
from workcell.errors import CycleRefused, InvalidShape, InvalidValue, PointedTo, Refused
from workcell.geometry import recipe as r
from workcell.spatial.pose import Pose
from workcell.world.expand import Expander
from workcell.world.flatten import snapshot_of

SIDES = ["rotate 90,0,0", "rotate 90,0,0 translate 0,1,0", "rotate 0,-90,0", "rotate 0,-90,0 translate 1,0,0",
         "translate 0,0,0", "translate 0,0,1"]  # fmt: skip


@pytest.fixture
def metres(cell: Cell) -> Cell:
    cell.do("units m deg")
    return cell


def run(cell: Cell, *lines: str) -> None:
    for line in lines:
        cell.do(line)


def solid(cell: Cell, name: str):
    return Expander(cell.database).solid(cell.database.entity("block", name))


def cube(cell: Cell) -> None:
    run(cell, "create surface square1 contour (0,0) (1,0) (1,1) (0,1)", "create block cube1")
    for number, side in enumerate(SIDES, start=1):
        cell.do(f"attach surface square1 to block cube1 as side{number} scale 1,1,1 {side}")


def test_the_cube_of_six_relations_to_one_square_is_a_unit_solid(metres):
    cube(metres)
    made = solid(metres, "cube1")
    assert made.volume == pytest.approx(1.0, rel=1e-9)
    assert made.is_valid
    assert sorted(made.faces.names) == [f"side{n}" for n in range(1, 7)]
    assert np.allclose(metres.do("measure cube1").centroid, 0.5)


def test_unequal_scales_and_reflections_give_the_same_solid_both_ways(metres):
    cube(metres)
    run(
        metres,
        "create object p1",
        "attach cube1 to p1 as whole scale 2,3,-1.5",
        "copy cube1 as p2 scale 2,3,-1.5",
    )
    for name in ("object p1", "block p2"):
        told = metres.do(f"measure {name}")
        assert told.volume == pytest.approx(9.0, rel=1e-9)
        assert told.centroid == pytest.approx((1.0, 1.5, -0.75))
        assert metres.do(f"check solid {name}").valid


def test_an_ellipsoid_from_a_sphere_both_ways_has_the_volume_of_the_formula(metres):
    run(
        metres,
        "create block ball sphere 1",
        "create object egg1",
        "attach ball to egg1 as stretched scale 0.5,2,3",
        "create block egg2 ellipsoid 0.5 2 3",
        "facet sphere faceted 1 4 12",
        "copy faceted as egg3 scale 0.5,2,3",
        "create object egg4",
        "attach faceted to egg4 as stretched scale 0.5,2,3",
    )
    exact = 4.0 / 3.0 * math.pi * 3.0
    assert metres.do("measure egg1").volume == pytest.approx(exact, rel=1e-9)
    assert metres.do("measure egg2").volume == pytest.approx(exact, rel=1e-9)
    by_facets = [metres.do(f"measure {name}").volume for name in ("egg3", "egg4")]
    assert by_facets == pytest.approx([3.847759065 * 3.0] * 2, rel=1e-8)


def test_changing_an_operand_rebuilds_what_is_made_of_it_and_undo_takes_it_back(metres):
    run(
        metres,
        "create block plate box 2 2 1",
        "create block pin cylinder 0.5 3",
        "combine drilled difference plate pin",
        "combine twice difference drilled pin translate 0.6,0,0",
    )
    first = solid(metres, "drilled").volume
    assert first == pytest.approx(4.0 - math.pi * 0.25, rel=1e-9)
    before = solid(metres, "twice").hash
    metres.do("modify pin shape cylinder 0.25 3")
    assert solid(metres, "drilled").volume == pytest.approx(4.0 - math.pi * 0.0625, rel=1e-9)
    assert solid(metres, "twice").hash != before
    metres.do("undo")
    assert solid(metres, "twice").hash == before


def test_equal_booleans_in_a_chain_are_one(metres):
    run(
        metres,
        "create block a box 1 1 1",
        "create block b box 1 1 2",
        "create block c box 1 2 1",
        "combine ab union a b",
        "combine abc union ab c",
        "combine cut1 difference a b translate 0.5,0,0",
        "combine cut2 difference cut1 scale 2,1,1 c translate 0,1.2,0",
    )
    recipe = solid(metres, "abc").recipe
    assert isinstance(recipe, r.Union)
    assert len(recipe.members) == 3
    recipe = solid(metres, "cut2").recipe
    assert isinstance(recipe, r.Difference)
    assert len(recipe.tools) == 2
    assert solid(metres, "cut2").volume == pytest.approx(1.0 - 0.5 * 0.3, rel=1e-9)
    assert {"cut1.a.left", "cut1:cut1.b.left"} <= set(solid(metres, "cut2").faces.names)


def test_reshaping_a_profile_changes_every_sweep_of_it(metres):
    run(
        metres,
        "create surface ring disc 2 bore 1",
        "extrude tube ring 3 translate 0,0,1",
        "create surface profile contour (1,0) (2,0) (2,1) (1,1)",
        "revolve hub profile",
        "revolve half profile 180",
        "sweep pipe ring control (0,0,0) (0,0,5)",
    )
    assert solid(metres, "tube").volume == pytest.approx(9.0 * math.pi, rel=1e-9)
    assert metres.do("measure tube").centroid[2] == pytest.approx(2.5)
    assert solid(metres, "hub").volume == pytest.approx(3.0 * math.pi, rel=1e-9)
    assert solid(metres, "half").volume == pytest.approx(1.5 * math.pi, rel=1e-9)
    assert solid(metres, "pipe").volume == pytest.approx(15.0 * math.pi, rel=1e-6)
    run(metres, "reshape surface ring disc 3 bore 1", "reshape block tube height 1")
    assert solid(metres, "tube").volume == pytest.approx(8.0 * math.pi, rel=1e-9)
    assert solid(metres, "pipe").volume == pytest.approx(40.0 * math.pi, rel=1e-6)


def test_a_pipe_along_straight_lines_is_rounded_at_its_corners(metres):
    run(
        metres,
        "create surface ring disc 0.2 bore 0.1",
        "sweep pipe ring along (0,0,0) (0,0,2) (3,0,2) (3,2,2) bend 0.5",
    )
    length = 7.0 - 4 * 0.5 + 2 * 0.5 * math.pi / 2
    assert solid(metres, "pipe").volume == pytest.approx(math.pi * 0.03 * length, rel=1e-6)
    metres.do("reshape block pipe bend 0.8")
    assert solid(metres, "pipe").volume == pytest.approx(math.pi * 0.03 * (7.0 - 3.2 + 0.8 * math.pi), rel=1e-6)
    with pytest.raises(InvalidValue, match="does not fit between points 2 and 3"):
        metres.do("reshape block pipe bend 1.8")
    with pytest.raises(InvalidShape, match="corner of 90"):
        metres.do("sweep sharp ring along (0,0,0) (0,0,2) (3,0,2)")


def test_a_control_point_that_moves_changes_the_solid_that_is_sewn_from_the_patch(metres):
    run(
        metres,
        "create patch top (0,0,1) (0,1,1) (0,2,1) row (1,0,1) (1,1,1) (1,2,1) row (2,0,1) (2,1,1) (2,2,1)",
        "create surface side contour (0,0) (2,0) (2,1) (0,1)",
        "create surface bottom contour (0,0) (2,0) (2,2) (0,2)",
        "create block pillow",
        "attach top to pillow",
        "attach bottom to pillow",
    )
    for number, place in enumerate(("", "translate 0,2,0", "rotate 0,0,90", "rotate 0,0,90 translate 2,0,0"), start=1):
        metres.do(f"attach side to pillow as side{number} rotate 90,0,0 {place}")
    assert solid(metres, "pillow").volume == pytest.approx(4.0, rel=1e-9)
    metres.do("reshape patch top 2 2 to 1,1,2")
    # The middle control point of a biquadratic patch carries the product of two middle Bernstein integrals, 1/9.
    assert solid(metres, "pillow").volume == pytest.approx(4.0 + 4.0 / 9.0, rel=1e-6)
    assert solid(metres, "pillow").is_valid


def test_operands_and_profiles_are_protected_and_cycles_refused(metres):
    run(
        metres,
        "create block a box 1 1 1",
        "create block b sphere 0.7",
        "combine c union a b",
        "create surface s disc 1",
        "extrude d s 1",
    )
    with pytest.raises(PointedTo, match="c/a"):
        metres.do("remove block a")
    with pytest.raises(PointedTo, match="d/s"):
        metres.do("remove surface s")
    with pytest.raises(CycleRefused):
        metres.do("attach c to a")
    metres.do("detach c/b")
    with pytest.raises(Refused, match="needs at least two blocks"):
        metres.do("measure c")


def test_an_unfinished_block_is_told_and_does_not_stop_the_rest(metres):
    run(
        metres,
        "add solid peg cylinder 1 2",
        "create surface square1 contour (0,0) (1,0) (1,1) (0,1)",
        "create block open1",
    )
    for number, side in enumerate(SIDES[:5], start=1):
        metres.do(f"attach square1 to block:open1 as side{number} {side}")
    metres.do("place open1 at 5,0,0")
    snapshot = metres.snapshot()
    assert [len(body.pieces) for body in snapshot.bodies] == [1, 0]
    assert "do not close" in snapshot.notes[0]
    checked = metres.do("check solid block:open1")
    assert not checked.valid
    assert {fault.kind for fault in checked.faults} == {"open edge"}
    places = {tuple(np.round(fault.place, 6)) for fault in checked.faults}
    assert places == {(0.5, 0, 1), (0.5, 1, 1), (0, 0.5, 1), (1, 0.5, 1)}
    metres.do(f"attach square1 to block:open1 as side6 {SIDES[5]}")
    assert [len(body.pieces) for body in metres.snapshot().bodies] == [1, 1]


def stage(cell: Cell) -> None:
    run(
        cell,
        "add solid table box 2 1 0.2 at 1,2,3 rotate 0,0,30",
        "add solid lamp cylinder 0.1 0.5 --movable",
        "face attach lamp bottom to table top translate 0.3,0,0",
        "add solid bulb sphere 0.1",
        "face attach bulb surface to lamp top",
    )


def world(cell: Cell) -> dict[str, np.ndarray]:
    snapshot = cell.snapshot()
    poses = snapshot.body_poses(cell.session.state)
    return {body.name: pose for body, pose in zip(snapshot.bodies, poses, strict=True)}


def test_what_stands_on_a_face_goes_with_its_base_and_its_size(metres):
    stage(metres)
    table, lamp = world(metres)["table"], world(metres)["lamp"]
    assert np.allclose(np.linalg.inv(table) @ lamp, [[1, 0, 0, 0.3], [0, 1, 0, 0], [0, 0, 1, 0.35], [0, 0, 0, 1]])
    metres.do("modify table-solid shape box 2 1 0.6")
    assert world(metres)["lamp"][2, 3] == pytest.approx(lamp[2, 3] + 0.2)
    metres.do("modify lamp-solid shape cylinder 0.1 1.5")
    between = np.linalg.inv(world(metres)["lamp"]) @ world(metres)["bulb"]
    metres.do("place table at -4,0,0 rotate 90,0,0")
    assert np.allclose(np.linalg.inv(world(metres)["lamp"]) @ world(metres)["bulb"], between)
    assert np.allclose(np.linalg.inv(world(metres)["table"]) @ world(metres)["lamp"], np.linalg.inv(table) @ lamp
                       + [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0.7], [0, 0, 0, 0]])  # fmt: skip


def test_placing_what_stands_on_a_face_puts_it_there_and_its_base_still_carries_it(metres):
    stage(metres)
    metres.do("place lamp at 5,5,5 rotate 0,90,0")
    lamp = world(metres)["lamp"]
    assert np.allclose(lamp, [[0, 0, 1, 5], [0, 1, 0, 5], [-1, 0, 0, 5], [0, 0, 0, 1]])
    metres.do("modify main/table transform translate 1,2,4 rotate 0,0,0")
    assert not np.allclose(world(metres)["lamp"], lamp)
    assert len(metres.snapshot().initial.attached) == 2


def test_what_was_taken_from_a_face_is_kept_where_it_was_put(metres):
    stage(metres)
    state = metres.session.state
    attached = {name: one for name, one in state.attached.items() if name != "lamp"}
    moved = state.with_(attached=attached, poses={**state.poses, "lamp": Pose.from_xyz(1, 1, 1)})
    with metres.database.edit(lambda: "moved", "test") as rows:
        metres.database.set_state(rows, moved.to_json())
    metres.do("keep state")
    assert np.allclose(world(metres)["lamp"][:3, 3], 1.0)
    assert "lamp" not in metres.snapshot().initial.attached


def test_a_scene_that_is_copied_stands_on_its_own_copies(metres):
    stage(metres)
    run(metres, "copy scene main as other", "modify other/table transform translate 9,0,0")

    def height(scene: str) -> np.ndarray:
        snapshot = snapshot_of(metres.database, scene)
        return snapshot.body_poses(snapshot.initial)[1][:3, 3]

    assert np.allclose(height("other"), (9.3, 0, 0.35))
    assert not np.allclose(height("main"), height("other"))


def test_a_face_that_is_gone_is_said_and_undone(metres):
    stage(metres)
    before = world(metres)
    metres.do("modify table-solid shape sphere 1")
    assert "there is surface" in metres.snapshot().notes[0]
    assert "stands on a face that no longer exists" in str(metres.do("check faces"))
    assert np.allclose(world(metres)["lamp"], before["lamp"])
    metres.do("undo")
    assert metres.snapshot().notes == ()


def test_removing_a_base_leaves_its_children_where_they_stand(metres):
    stage(metres)
    before, rows = world(metres), metres.database.rows()
    with pytest.raises(Refused, match="carries 'lamp'"):
        metres.do("detach main/table")
    with pytest.raises(PointedTo):
        metres.do("remove object table")
    metres.do("remove object table --keep-children")
    after = world(metres)
    assert set(after) == {"lamp", "bulb"}
    assert np.allclose(after["lamp"], before["lamp"])
    assert np.allclose(after["bulb"], before["bulb"])
    metres.do("undo")
    assert metres.database.rows() == rows
    metres.do("face detach bulb")
    metres.do("place table at 0,0,0")
    assert np.allclose(world(metres)["bulb"], before["bulb"])
    assert not np.allclose(world(metres)["lamp"], before["lamp"])


def test_a_base_is_named_as_it_is_called_now(metres):
    stage(metres)
    metres.do("modify object:table name desk")
    assert str(metres.do("check faces")).startswith("lamp: bottom on desk top")
    assert str(metres.do("face detach lamp")) == "'lamp' stands on its own, where it stood on 'desk'"


def test_nothing_stands_on_itself(metres):
    stage(metres)
    with pytest.raises(CycleRefused, match="'bulb' already stands on 'table'"):
        metres.do("face attach table top to bulb surface")
    with pytest.raises(CycleRefused):
        metres.do("face attach table top to table bottom")

from __future__ import annotations

import numpy as np
import pytest

from workcell.errors import InvalidShape, InvalidValue, UnknownName
from workcell.geometry import faceted, solids
from workcell.geometry import recipe as r
from workcell.geometry.contour import Circle
from workcell.geometry.mesh import Mesh, merge
from workcell.geometry.solid import Solid
from workcell.geometry.surface import surface
from workcell.spatial.pose import Pose


def bracket(width=0.1, pin=0.01):
    base = solids.box(width, 0.1, 0.02).named("base")
    tool = solids.cylinder(pin, 0.1).named("pin")
    return base - tool.moved(Pose.from_xyz(0.02, 0, 0)) - tool.moved(Pose.from_xyz(-0.02, 0, 0))


def test_faces_have_provenance_names_centres_normals_and_outlines():
    faces = bracket().faces
    assert set(faces.names) == {
        "base.top", "base.bottom", "base.left", "base.right", "base.front", "base.back",
        "cut1:pin.side", "cut2:pin.side",
    }  # fmt: skip
    top = faces["base.top"]
    assert top.kind == "plane"
    assert top.centre == pytest.approx((0, 0, 0.01), abs=1e-12)
    assert top.normal == pytest.approx((0, 0, 1))
    assert top.area == pytest.approx(0.01 - 2 * np.pi * 1e-4, rel=1e-9)
    assert [len(loop) for loop in top.outline] == [4, 32, 32]
    side = faces["cut2:pin.side"]
    assert side.kind == "cylinder"
    # The wall of a hole looks into the hole.
    middle = np.array([-0.02, 0, side.centre[2]])
    assert np.dot(side.normal, middle - side.centre) > 0.0


def test_names_survive_a_change_of_parameters_and_the_mesh_uses_the_same_ones():
    assert set(bracket(0.14, 0.008).faces.names) == set(bracket().faces.names)
    assert set(bracket().mesh().face_names) == set(bracket().faces.names)


def test_a_face_that_is_gone_is_said_with_its_neighbours():
    with pytest.raises(UnknownName, match=r"no face called 'cut3:pin.side'; did you mean cut"):
        bracket().faces["cut3:pin.side"]


def test_pieces_of_one_face_are_numbered_and_the_bare_name_is_ambiguous():
    split = solids.box(1, 1, 1) - solids.box(0.2, 3, 0.5).moved(Pose.from_xyz(0, 0, 0.5))
    assert {"top#1", "top#2"} <= set(split.faces.names)
    assert split.faces["top#1"].centre[0] < split.faces["top#2"].centre[0]
    with pytest.raises(InvalidValue, match=r"'top' is in 2 pieces. Name one of them: top#1 at \(-300, 0, 500\) mm"):
        split.faces["top"]


def test_sweeps_name_the_faces_of_edges_and_holes_in_order():
    plate = solids.extrude(surface([(0, 0), (2, 0), (2, 1), (0, 1)], [Circle((0.5, 0.5), 0.2)]), 0.5)
    assert set(plate.faces.names) == {"bottom", "top", "side1", "side2", "side3", "side4", "hole1"}
    assert plate.faces["side1"].normal == pytest.approx((0, -1, 0), abs=1e-12)
    assert plate.faces["side2"].normal == pytest.approx((1, 0, 0), abs=1e-12)
    assert plate.faces["top"].centre[2] == pytest.approx(0.5)
    part = solids.revolve(surface([(1, 0), (2, 0), (2, 1), (1, 1)]), 1.0)
    assert set(part.faces.names) == {"start", "end", "side1", "side2", "side3", "side4"}
    assert part.faces["side2"].kind == "cylinder"


def test_scaled_and_reflected_solids_keep_their_names():
    mirrored = bracket().transformed(np.diag([1, 1, -2, 1]))
    assert set(mirrored.faces.names) == set(bracket().faces.names)
    assert mirrored.faces["base.top"].normal == pytest.approx((0, 0, -1))
    assert mirrored.faces["base.top"].centre[2] == pytest.approx(-0.02)


def test_a_mesh_face_is_where_the_exact_face_is():
    body = bracket()
    mesh = body.mesh()
    for index, name in enumerate(mesh.face_names):
        face = body.faces[name]
        if face.kind == "plane":
            chosen = mesh.normals[mesh.face_of_triangle == index]
            assert chosen == pytest.approx(np.tile(face.normal, (len(chosen), 1)), abs=1e-9)


def test_check_lists_open_edges_with_their_places():
    block = faceted.cylinder(1, 2, 8)
    holed = solids.sewn([(x.name, block.surfaces[x.surface], x.matrix) for x in block.relations[1:]])
    faults = holed.check()
    assert not holed.is_valid
    assert [fault.kind for fault in faults] == ["open edge"] * 4
    assert all(abs(np.hypot(*fault.place[:2]) - 1) < 0.2 for fault in faults)
    with pytest.raises(InvalidShape, match="do not close up: 4 edges have no neighbour"):
        holed.volume


def test_check_finds_crossing_overlapping_and_inverted_meshes():
    cube = solids.box(1, 1, 1).mesh()
    turned = cube.moved(Pose.from_axis_angle((1, 1, 1), 0.3, (0.3, 0, 0)))
    kinds = lambda mesh: {fault.kind for fault in Solid(r.Triangles.of(mesh)).check()}
    assert kinds(cube) == set()
    assert kinds(merge([cube, turned])) == {"crossing faces"}
    assert kinds(Mesh(cube.vertices, cube.triangles[:, ::-1], cube.face_of_triangle, cube.face_names)) == {
        "inverted shell"
    }
    doubled = Mesh(
        cube.vertices, np.vstack([cube.triangles, cube.triangles[:1]]), [*cube.face_of_triangle, 0], cube.face_names
    )
    assert "overlapping faces" in kinds(doubled)
    assert kinds(Mesh(cube.vertices, cube.triangles[1:], cube.face_of_triangle[1:], cube.face_names)) == {"open edge"}


def test_check_finds_faces_of_an_exact_solid_that_cross_and_says_where():
    # A block whose back corner at the top is pulled down through its bottom.
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, -1), (0, 1, 1)]
    faces = {
        "bottom": (0, 3, 2, 1), "fall": (4, 5, 6), "slope": (4, 6, 7), "front": (0, 1, 5, 4),
        "back": (2, 3, 7), "tip": (2, 7, 6), "left": (0, 4, 7, 3), "right": (1, 2, 5), "edge": (2, 6, 5),
    }  # fmt: skip
    solid = Solid(r.Polyhedron(tuple(tuple(map(float, c)) for c in corners), tuple(faces.values()), tuple(faces)))
    found = {fault.faces: fault for fault in solid.check() if fault.kind == "crossing faces"}
    # The plane of 'fall' comes to the bottom along the line from (1, 1/2, 0) to (1/2, 1/2, 0).
    assert found["bottom", "fall"].place == pytest.approx((0.75, 0.5, 0.0), abs=1e-6)
    stretched = {fault.faces: fault for fault in solid.transformed(np.diag([2.0, 1.0, 1.0, 1.0])).check()}
    assert stretched["bottom", "fall"].place == pytest.approx((1.5, 0.5, 0.0), abs=1e-6)


def test_surfaces_turned_either_way_are_sewn_outward():
    block = faceted.cylinder(1, 2, 6)
    flipped = [
        (x.name, block.surfaces[x.surface], x.matrix @ np.diag([1, 1, -1 if i % 2 else 1, 1]))
        for i, x in enumerate(block.relations)
    ]
    solid = solids.sewn(flipped)
    assert solid.volume == pytest.approx(block.solid.volume)
    assert solid.is_valid


def test_the_centre_of_a_trimmed_face_is_on_the_face():
    half = solids.box(2.0, 2.0, 2.0).moved(Pose.from_xyz(1.0, 0.0, 0.0))
    dome = (solids.ellipsoid(0.3, 0.2, 0.1) & half).transformed(np.diag([1.0, 1.5, 1.0, 1.0]))
    across = Pose.from_axis_angle([0.0, 1.0, 0.0], np.pi / 2)
    drilled = solids.cylinder(0.1, 0.3) - solids.cylinder(0.03, 1.0).moved(across)
    for face in dome.faces:
        x, y, z = face.centre
        if "surface" in face.name:
            assert (x / 0.3) ** 2 + (y / 0.3) ** 2 + (z / 0.1) ** 2 == pytest.approx(1.0)
            assert x > 0.0
    (side,) = [face for face in drilled.faces if face.name == "side"]
    assert np.hypot(*side.centre[:2]) == pytest.approx(0.1)
    assert np.hypot(*side.centre[1:]) > 0.03

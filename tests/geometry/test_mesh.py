from __future__ import annotations

import json
import struct

import numpy as np
import pytest

from workcell.errors import InvalidShape, InvalidValue
from workcell.geometry import properties, solids
from workcell.geometry.formats.gltf import mesh_to_glb
from workcell.geometry.kernel.cache import MeshCache, default_cache
from workcell.geometry.mesh import Mesh, merge
from workcell.spatial.pose import Pose


def tetrahedron():
    return Mesh(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], [0, 0, 0, 0]
    )


def test_a_mesh_is_frozen_and_crosses_as_bytes():
    mesh = solids.cylinder(0.1, 0.2).mesh()
    assert Mesh.from_bytes(mesh.to_bytes()) == mesh
    for array in (mesh.vertices, mesh.triangles, mesh.edges, mesh.face_of_triangle, mesh.normals):
        with pytest.raises(ValueError):
            array[0] = 0
    with pytest.raises(InvalidValue, match="not a mesh"):
        Mesh.from_bytes(mesh.to_bytes()[:-3])


def test_indices_past_the_end_and_numbers_that_are_none_are_refused():
    with pytest.raises(InvalidValue, match="refers to vertex 4, but there are 3"):
        Mesh(np.zeros((3, 3)), [[0, 1, 4]], [0])
    with pytest.raises(InvalidValue, match="finite"):
        Mesh([[0, 0, np.nan]], np.empty((0, 3)), [])


def test_the_tetrahedron_weighs_what_the_formula_says():
    p = properties.of_mesh(tetrahedron())
    assert p.volume == pytest.approx(1 / 6, rel=1e-14)
    assert p.centroid == pytest.approx([0.25, 0.25, 0.25])
    # ∫ x² over the unit simplex is 1/60; about the centroid subtract V/16.
    assert p.inertia[0, 0] == pytest.approx(2 * (1 / 60 - 1 / 96), rel=1e-12)
    assert p.inertia[0, 1] == pytest.approx(-(1 / 120 - 1 / 96), rel=1e-12)


def test_an_open_mesh_is_told_and_bounds_no_volume():
    whole = tetrahedron()
    holed = Mesh(whole.vertices, whole.triangles[:3], [0, 0, 0])
    assert whole.closed
    assert not holed.closed
    assert len(holed.open_edges) == 3
    with pytest.raises(InvalidShape, match=r"open along 3 edges.*only its area is known, [\d.e+]+ mm²"):
        properties.of_mesh(holed)


def test_moving_mirroring_and_merging_keep_closedness_and_volume():
    mesh = tetrahedron()
    mirrored = mesh.transformed(np.diag([1, 1, -2, 1]))
    assert properties.of_mesh(mirrored).volume == pytest.approx(2 / 6)
    moved = mesh.moved(Pose.from_axis_angle((1, 1, 0), 0.7, (3, 2, 1)))
    assert properties.of_mesh(moved).volume == pytest.approx(1 / 6)
    both = merge([mesh, moved.moved(Pose.from_xyz(5, 0, 0))])
    assert both.closed
    assert properties.of_mesh(both).volume == pytest.approx(2 / 6)


@pytest.mark.parametrize(
    ("solid", "names", "edges"),
    [
        (solids.box(1, 2, 3), {"top", "bottom", "front", "back", "left", "right"}, 12),
        (solids.cylinder(0.1, 0.3), {"side", "top", "bottom"}, None),
        (solids.cone(0.1, 0.3), {"side", "bottom"}, None),
        (solids.truncated_cone(0.05, 0.1, 0.3), {"side", "top", "bottom"}, None),
        (solids.sphere(0.1), {"surface"}, 0),
        (solids.torus(0.2, 0.05), {"surface"}, 0),
    ],
)
def test_primitives_have_closed_meshes_named_faces_and_clean_edges(solid, names, edges):
    mesh = solid.mesh(1e-3)
    assert mesh.closed
    assert set(mesh.face_names) == names
    assert mesh.deviation <= 1e-3
    if edges is not None:
        assert len(mesh.edges) == edges
    # On curved solids the feature edges are the rims: all at the ends of the z range, no seam.
    elif len(mesh.edges):
        low, high = mesh.bounds
        z = mesh.vertices[np.unique(mesh.edges)][:, 2]
        assert np.all((np.abs(z - low[2]) < 1e-9) | (np.abs(z - high[2]) < 1e-9))
    assert properties.of_mesh(mesh).volume == pytest.approx(solid.volume, rel=0.05)


def test_named_faces_of_a_box_look_where_their_names_say():
    mesh = solids.box(1, 2, 3).mesh()
    ways = {"top": (0, 0, 1), "bottom": (0, 0, -1), "front": (0, -1, 0), "back": (0, 1, 0)}
    ways |= {"left": (-1, 0, 0), "right": (1, 0, 0)}
    for index, name in enumerate(mesh.face_names):
        assert mesh.normals[mesh.face_of_triangle == index] == pytest.approx(np.tile(ways[name], (2, 1)))


def test_meshes_come_closer_with_the_tolerance_and_stay_within_it():
    exact = solids.sphere(0.1)
    errors = []
    for tolerance in (2e-3, 5e-4, 1e-4):
        mesh = exact.mesh(tolerance)
        assert mesh.deviation <= tolerance
        away = np.abs(np.linalg.norm(mesh.vertices[mesh.triangles].mean(axis=1), axis=1) - 0.1)
        assert away.max() <= mesh.deviation
        errors.append(abs(properties.of_mesh(mesh).volume / exact.volume - 1))
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 5e-3


def test_the_cache_serves_meshes_from_memory_and_disk_and_ignores_damage(tmp_path):
    solid = solids.cylinder(0.123, 0.2)
    first = MeshCache(tmp_path)
    mesh = solid.mesh(1e-3)
    first.put_mesh(solid.hash, 1e-3, mesh)
    again = MeshCache(tmp_path)
    assert again.mesh(solid.hash, 1e-3) == mesh
    assert again.mesh(solid.hash, 2e-3) is None
    [entry] = [path for path in tmp_path.rglob("*") if path.is_file()]
    entry.write_bytes(entry.read_bytes()[:100])
    assert MeshCache(tmp_path).mesh(solid.hash, 1e-3) is None
    entry.write_bytes(b"")
    assert MeshCache(tmp_path).mesh(solid.hash, 1e-3) is None


def test_a_folder_that_cannot_be_written_is_no_failure(tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = MeshCache(tmp_path / "file")
    cache.put("ab12", "kind", b"data")
    assert cache.get("ab12", "kind") == b"data"


def test_asking_twice_asks_the_kernel_once(monkeypatch):
    solid = solids.box(0.1, 0.2, 0.777) - solids.sphere(0.06)
    mesh = solid.mesh()
    monkeypatch.setattr("workcell.geometry.solid.default_worker", lambda: pytest.fail("asked again"))
    assert (solids.box(0.1, 0.2, 0.777) - solids.sphere(0.06)).mesh() == mesh
    assert default_cache().mesh(solid.hash, 5e-4) is not None
    placed = solid.moved(Pose.from_xyz(1, 0, 0)).mesh()
    assert placed.bounds[0] == pytest.approx(mesh.bounds[0] + [1, 0, 0])


def test_glb_has_triangles_with_unit_normals_and_lines():
    mesh = solids.cylinder(0.1, 0.3).mesh()
    data = mesh_to_glb(mesh, (0.8, 0.2, 0.1))
    magic, version, length = struct.unpack_from("<4sII", data)
    assert (magic, version, length) == (b"glTF", 2, len(data))
    size = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20 : 20 + size])
    binary = data[28 + size :]
    triangles, lines = document["meshes"][0]["primitives"]
    assert (triangles["mode"], lines["mode"]) == (4, 1)

    def read(index, kind, columns):
        accessor = document["accessors"][index]
        view = document["bufferViews"][accessor["bufferView"]]
        part = binary[view["byteOffset"] : view["byteOffset"] + view["byteLength"]]
        return np.frombuffer(part, kind).reshape(accessor["count"], columns)

    normals = read(triangles["attributes"]["NORMAL"], "<f4", 3)
    positions = read(triangles["attributes"]["POSITION"], "<f4", 3)
    indices = read(triangles["indices"], "<u4", 1)
    assert np.linalg.norm(normals, axis=1) == pytest.approx(np.ones(len(normals)), abs=1e-6)
    assert len(indices) == 3 * len(mesh.triangles)
    side = np.abs(normals[:, 2]) < 0.5
    assert normals[side][:, :2] * 0.1 == pytest.approx(positions[side][:, :2], abs=1e-3)
    turned = mesh_to_glb(mesh, y_up=True)
    assert turned != data
    with pytest.raises(InvalidValue, match="between 0 and 1"):
        mesh_to_glb(mesh, (255, 0, 0))

"""The faces in the GLB of a piece are those that `faces` lists."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest

from workcell.commands.cell import Cell
from workcell.geometry.formats.face_marks import face_marks
from workcell.geometry.formats.gltf import mesh_to_glb
from workcell.geometry.mesh import Mesh
from workcell.service.shapes import Shapes

SCENE = (
    "create block plate box 200 100 20",
    "create block pin cylinder 10 40",
    "create block cone cone 20 40",
    "combine flange union plate pin translate 0,0,20",
    "create object part",
    "attach plate to part",
    "attach pin to part as left translate -50,0,30",
    "attach pin to part as right translate 50,0,30",
    "place part at 0,0,0",
    "place flange at 500,0,0",
    "add solid cup cylinder 20 30 at 0,500,0",
    "add solid ball sphere 20 at 0,900,20",
)


@pytest.fixture(scope="module")
def cell():
    with Cell() as made:
        for line in SCENE:
            made.do(line)
        yield made


def read(data: bytes) -> tuple[dict, np.ndarray, np.ndarray, np.ndarray]:
    """Read a GLB as the page does: the marks, the triangles (n, 3, 3) and the segments (k, 2, 3)."""
    (length,) = struct.unpack_from("<I", data, 12)
    head = json.loads(data[20 : 20 + length])
    binary = data[28 + length :]

    def values(number: int) -> np.ndarray:
        accessor = head["accessors"][number]
        view = head["bufferViews"][accessor["bufferView"]]
        kind, width = ("<f4", 3) if accessor["type"] == "VEC3" else ("<u4", 1)
        return np.frombuffer(binary, kind, accessor["count"] * width, view.get("byteOffset", 0)).reshape(-1, width)

    (mesh,) = head["meshes"]
    parts = {}
    for primitive in mesh["primitives"]:
        points = values(primitive["attributes"]["POSITION"])[values(primitive["indices"])[:, 0]]
        parts[primitive["mode"]] = points.reshape(-1, 3 if primitive["mode"] == 4 else 2, 3)
    return mesh["extras"]["faces"], parts[4], parts.get(1, np.empty((0, 2, 3))), np.array(0)


def unrolled(runs: list[int], width: int) -> np.ndarray:
    rows = np.array(runs, dtype=int).reshape(-1, width + 1)
    return np.repeat(rows[:, :width], rows[:, width], axis=0)


@pytest.mark.parametrize("thing", ["part", "flange", "cup", "ball"])
def test_each_triangle_lies_on_the_face_that_it_names(cell, thing):
    listed = cell.do(f"faces {thing}")
    facts = {face.name: face for face in listed.faces}
    (body,) = [body for body in cell.snapshot().bodies if body.name == thing]
    assert len(body.pieces) == len(listed.prefixes)
    shapes, seen = Shapes(), set()
    for piece, prefix in zip(body.pieces, listed.prefixes, strict=True):
        marks, triangles, segments, _ = read(shapes.glb(shapes.announce(piece.solid)))
        faces = unrolled(marks["triangles"], 1)[:, 0]
        assert len(faces) == len(triangles)
        for corners, face in zip(triangles.astype(float), faces, strict=True):
            fact = facts[prefix + marks["names"][face]]
            seen.add(fact.name)
            if fact.kind == "plane":
                normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
                assert normal / np.linalg.norm(normal) == pytest.approx(np.array(fact.normal), abs=1e-4)
                assert (corners - fact.centre) @ np.array(fact.normal) == pytest.approx(np.zeros(3), abs=1e-6)
        area = (
            np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1) / 2
        )
        for number, name in enumerate(marks["names"]):
            assert area[faces == number].sum() == pytest.approx(facts[prefix + name].area, rel=0.05)
        sides = unrolled(marks["edges"], 2)
        assert len(sides) == len(segments)
        for (a, b), ends in zip(sides.tolist(), segments, strict=True):
            for face in (a, b):
                own = triangles[faces == face].reshape(-1, 3)
                for end in ends:
                    assert np.linalg.norm(own - end, axis=1).min() < 1e-6  # both ends are corners of both faces
    assert seen == set(facts)


def test_an_edge_of_the_marks_can_be_followed(cell):
    """The names at an edge are those that `targets along-edge` takes."""
    (body,) = [body for body in cell.snapshot().bodies if body.name == "flange"]
    shapes = Shapes()
    marks, *_ = read(shapes.glb(shapes.announce(body.pieces[0].solid)))
    pairs = {tuple(sorted(marks["names"][k] for k in row)) for row in unrolled(marks["edges"], 2).tolist()}
    assert ("add1:pin.side", "plate.top") in pairs
    cell.do("targets along-edge flange plate.top add1:pin.side to seam spacing 10")
    cell.do("undo")


def test_files_for_others_have_no_marks(cell):
    (body,) = [body for body in cell.snapshot().bodies if body.name == "cup"]
    assert b'"faces"' not in mesh_to_glb(body.pieces[0].solid.mesh())


def test_a_mesh_of_one_face_has_one_run():
    n = 330
    x, y = np.meshgrid(np.arange(n) * 1e-3, np.arange(n) * 1e-3)
    vertices = np.column_stack([x.ravel(), y.ravel(), np.zeros(n * n)])
    at = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    triangles = np.concatenate([np.column_stack([at, at + 1, at + n]), np.column_stack([at + 1, at + n + 1, at + n])])
    edge = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    mesh = Mesh(vertices, triangles, np.zeros(len(triangles)), ("surface",), edge)
    marks = face_marks(mesh)
    assert marks["triangles"] == [0, len(triangles)]
    assert marks["edges"] == [-1, 0, n - 1]

"""Mesh files that look inward, in whole or in part, are turned, and this is reported."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from workcell.errors import InvalidShape
from workcell.geometry import properties, solids
from workcell.geometry.formats import files, gltf, obj, stl
from workcell.geometry.mesh import Mesh, merge
from workcell.geometry.outward import outward
from workcell.spatial.pose import Pose

WRITERS = {
    ".stl": (lambda mesh: stl.write(mesh, 1e-3), "mm"),
    ".obj": (lambda mesh: obj.write(mesh, 1e-3), "mm"),
    ".glb": (lambda mesh: gltf.mesh_to_glb(mesh, y_up=True, binary=True), None),
}


def turned(mesh: Mesh, chosen: np.ndarray | None = None) -> Mesh:
    rows = np.ones(len(mesh.triangles), dtype=bool) if chosen is None else chosen
    return dataclasses.replace(mesh, triangles=np.where(rows[:, None], mesh.triangles[:, ::-1], mesh.triangles))


def block(x: float = 0.0, size: float = 0.1) -> Mesh:
    return solids.box(size, size, size).moved(Pose.from_xyz(x, 0, 0)).mesh()


HOLLOW = (solids.box(0.2, 0.2, 0.2) - solids.sphere(0.05)).mesh()
CAVITY = properties.of_mesh(HOLLOW).volume
CASES = {
    "inside out": (turned(block()), 1e-3, "it was inside out and was turned"),
    "two, both inside out": (turned(merge([block(), block(0.3)])), 2e-3, "it was inside out and was turned"),
    "one of two inside out": (merge([block(), turned(block(0.3))]), 2e-3, "1 of its 2 shells was inside out"),
    "hollow, inside out": (turned(HOLLOW), CAVITY, "it was inside out and was turned"),
    "some triangles turned": (turned(block(), np.arange(12) % 5 == 0), 1e-3, "3 of 12 triangles ran against"),
    "most triangles turned": (turned(block(), np.arange(12) % 5 > 0), 1e-3, "inside out"),
}


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize(("mesh", "volume", "said"), CASES.values(), ids=CASES)
def test_meshes_that_look_inward_are_turned_and_this_is_reported(mesh, volume, said, ending, tmp_path):
    write, unit = WRITERS[ending]
    path = tmp_path / f"thing{ending}"
    path.write_bytes(write(mesh))
    with pytest.warns(files.TurnedMesh, match=said):
        solid = files.load(path, unit)
    assert solid.volume == pytest.approx(volume, rel=1e-6)
    assert solid.mesh().closed
    assert solid.check() == ()


@pytest.mark.parametrize("ending", WRITERS)
def test_meshes_that_look_outward_are_left_alone(ending):
    write, unit = WRITERS[ending]
    for mesh in (block(), HOLLOW, merge([block(), block(0.3)]), merge([block(), block(size=0.02)])):
        solid, remarks = files.read(write(mesh), ending, unit)
        assert remarks == ()
        assert solid.volume == pytest.approx(properties.of_mesh(mesh).volume, rel=1e-6)


def test_open_and_one_sided_meshes_keep_their_triangles():
    lid = Mesh(block().vertices, block().triangles[2:], np.zeros(10, dtype=np.int32))
    assert outward(lid) == (lid, ())
    n = 12
    angle = np.arange(n) * 2.0 * np.pi / n
    half = np.column_stack([np.cos(angle / 2) * np.cos(angle), np.cos(angle / 2) * np.sin(angle), np.sin(angle / 2)])
    ring = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(n)])
    low, high = np.arange(n), n + np.arange(n)
    after_low, after_high = np.append(low[1:], high[0]), np.append(high[1:], low[0])
    strip = np.concatenate([np.column_stack([low, after_low, high]), np.column_stack([after_low, after_high, high])])
    moebius = Mesh(np.concatenate([ring - 0.2 * half, ring + 0.2 * half]), strip, np.zeros(2 * n, dtype=np.int32))
    same, _ = outward(moebius)
    assert not same.closed


def test_random_flips_are_undone():
    rng = np.random.default_rng(8)
    mesh = merge([HOLLOW, solids.cone(0.05, 0.1).moved(Pose.from_xyz(0.5, 0, 0)).mesh()])
    for _ in range(20):
        again, remarks = outward(turned(mesh, rng.random(len(mesh.triangles)) < rng.random()))
        assert properties.of_mesh(again).volume == pytest.approx(properties.of_mesh(mesh).volume, rel=1e-12)
        assert remarks


def test_a_mesh_inside_out_is_not_weighed():
    with pytest.raises(InvalidShape, match="inside out: its volume is -1000000 mm³"):
        properties.of_mesh(turned(block()))

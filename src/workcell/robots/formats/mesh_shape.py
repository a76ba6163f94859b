"""The shape in a mesh file that a robot refers to: STL, OBJ, COLLADA or glTF, in metres, with its colours."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import NamedTuple

import numpy as np

from workcell.errors import FileProblem
from workcell.geometry.assembly import Assembly
from workcell.geometry.formats import collada, gltf_read, obj, stl
from workcell.geometry.mesh import Mesh, feature_edges, merge, weld
from workcell.geometry.outward import outward
from workcell.geometry.recipe import Triangles
from workcell.robots.formats.urdf_files import Fetch
from workcell.robots.link import Colour

ENDINGS = (".stl", ".obj", ".dae", ".glb", ".gltf")
_CREASE = 0.5
_FARTHEST = 1e6
"""The greatest distance of a corner from the origin, before the scale of the URDF [m]."""


class MeshShape(NamedTuple):
    """All triangles of a file as one mesh and, if it has several colours, those of each colour.

    The whole is welded, so that a surface that is closed across its colours has an inside.
    """

    whole: Triangles
    colour: Colour | None
    painted: tuple[tuple[Triangles, Colour | None], ...] = ()
    notes: tuple[str, ...] = ()


def read(name: str, fetch: Fetch) -> MeshShape:
    """Read the shape in a file by its name in the robot's file.

    A URDF is in metres: numbers of STL and OBJ files are metres, a COLLADA file contains its unit and glTF is in
    metres. As in ROS tools, the axes of a COLLADA file are used unchanged, whatever its up axis; glTF is y-up
    by its standard and is turned.
    """
    ending = PurePosixPath(name).suffix.lower()
    if ending not in ENDINGS:
        raise FileProblem(f"{name!r} is not a mesh that can be read; those end in {', '.join(ENDINGS)}.", file=name)
    data = fetch(name)
    if not data:
        raise FileProblem("The file is empty.", file=name)
    if ending == ".stl":
        return _plain(name, stl.read(data, 1.0))
    if ending == ".obj":
        return _plain(name, obj.read(data, 1.0))
    if ending == ".dae":
        found = collada.parse(data)
        odd = found.up_axis != "Z_UP"
        note = f"{name} declares {found.up_axis}; as in ROS, its axes are used unchanged" if odd else ""
        return _painted(name, found.assembly(np.eye(3)), (note,))
    folder = name[: name.rfind("/") + 1]
    return _painted(name, gltf_read.read_assembly(data, lambda uri: fetch(folder + uri)))


def _plain(name: str, mesh: Mesh) -> MeshShape:
    """A mesh of one colour that nobody gave, turned to face outward."""
    corners = mesh.vertices[mesh.triangles].reshape(-1, 3)
    if not len(corners) or not np.ptp(corners, axis=0).any():
        raise FileProblem("All its corners are at one point, so it has no shape.", file=name)
    far = float(np.abs(corners).max())
    if far > _FARTHEST:
        raise FileProblem(f"It reaches {far:.3g} m from its origin; the limit is {_FARTHEST:g} m.", file=name)
    mesh, remarks = outward(mesh)
    return MeshShape(Triangles.of(mesh), None, notes=tuple(f"{name}: {remark}" for remark in remarks))


def _painted(name: str, assembly: Assembly, notes: tuple[str, ...] = ()) -> MeshShape:
    """The parts of an assembly by colour, and welded together."""
    by_colour: dict[Colour | None, list[Mesh]] = {}
    for leaf in assembly.leaves():
        assert isinstance(leaf.part.recipe, Triangles)
        by_colour.setdefault(leaf.colour, []).append(leaf.part.recipe.mesh().transformed(leaf.matrix))
    whole = _plain(name, _welded([mesh for meshes in by_colour.values() for mesh in meshes]))
    notes = (*(note for note in notes if note), *whole.notes)
    if len(by_colour) == 1:
        return MeshShape(whole.whole, next(iter(by_colour)), notes=notes)
    painted = tuple((Triangles.of(merge(meshes)), colour) for colour, meshes in by_colour.items())
    return MeshShape(whole.whole, None, painted, notes)


def _welded(meshes: list[Mesh]) -> Mesh:
    corners = np.concatenate([mesh.vertices[mesh.triangles] for mesh in meshes])
    vertices, triangles = weld(corners)
    edges = feature_edges(vertices, triangles, np.arange(len(triangles)), _CREASE)
    return Mesh(vertices, triangles, np.zeros(len(triangles), dtype=np.int32), ("surface",), edges)

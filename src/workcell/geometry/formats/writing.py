"""A solid as the bytes of a file, by the ending of the name, with its unit."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from workcell.errors import UnknownName
from workcell.geometry.checks import positive
from workcell.geometry.formats import gltf, obj, stl
from workcell.geometry.formats.whole_file import write_whole
from workcell.geometry.mesh import DEFAULT_TOLERANCE, Mesh
from workcell.geometry.step_file import StepFile
from workcell.spatial.units import LENGTHS

ENDINGS = (".step", ".stp", ".stl", ".obj", ".glb", ".gltf")
"""The endings of files that can be written."""
STEP = "STEP, exact, in millimetres"
"""A description of a STEP file."""


class Shape(Protocol):
    """A shape that can be written to a file: it has a mesh and can become a STEP file."""

    def mesh(self, tolerance: float = DEFAULT_TOLERANCE) -> Mesh:
        """Triangles within ``tolerance`` [m] of the exact boundary."""

    def step(self) -> StepFile:
        """The exact shape as a STEP file."""


def save(
    solid: Shape,
    path: str | os.PathLike[str],
    tolerance: float = DEFAULT_TOLERANCE,
    unit: str = "mm",
    inexact: bool = False,
) -> str:
    """Write a solid by the ending of the name; return one line with what was written and its unit."""
    file = Path(path)
    data, description = to_bytes(solid, file.suffix.lower() or file.name, tolerance, unit, inexact=inexact)
    write_whole(file, data)
    return f"{file.name}: {description}"


def to_bytes(
    solid: Shape,
    ending: str,
    tolerance: float = DEFAULT_TOLERANCE,
    unit: str = "mm",
    ascii_text: bool = False,
    inexact: bool = False,
) -> tuple[bytes, str]:
    """Return the bytes of a file with an ending, and what they are, in words."""
    if ending not in ENDINGS:
        raise UnknownName.among("kind of shape file to write", ending, ENDINGS)
    if unit not in LENGTHS:
        raise UnknownName.among("unit of length", unit, LENGTHS)
    positive(tolerance, "A mesh tolerance")
    if ending in (".step", ".stp"):
        written = solid.step()
        lost = written.checked(("the solid",), inexact)
        return written.data, f"{STEP}{lost}"
    mesh = solid.mesh(tolerance)
    about = in_triangles([mesh])
    if ending in (".glb", ".gltf"):
        kind = "GLB" if ending == ".glb" else "glTF"
        return gltf.mesh_to_glb(mesh, y_up=True, binary=kind == "GLB"), f"{kind}, {about}, in metres, y up"
    if ending == ".stl":
        return stl.write(mesh, LENGTHS[unit], ascii_text), f"STL, {about}, in {unit}"
    return obj.write(mesh, LENGTHS[unit]), f"OBJ, {about}, in {unit}"


def in_triangles(meshes: Sequence[Mesh]) -> str:
    """The number of triangles, and their distance from the exact shape, in words."""
    far = max(mesh.deviation for mesh in meshes)
    return f"{sum(len(mesh.triangles) for mesh in meshes)} triangles within {far * 1e3:.3g} mm of the solid"

"""The meshes of a URDF: loaded into solids of the links, and written beside the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from workcell.errors import FileProblem
from workcell.geometry import solids
from workcell.geometry.solid import Solid
from workcell.robots.formats import urdf
from workcell.robots.link import Link, MeshReference, Part
from workcell.robots.robot import Robot

_PAINT = (0.78, 0.79, 0.81)


def with_meshes(robot: Robot, folder: str | Path, use: str = "visual") -> Robot:
    """The robot with the solids of the meshes that its links name.

    Args:
        robot: read from a URDF.
        folder: where the meshes are; ``package://name/rest`` is looked for as ``name/rest``, as ``rest``
            and by its file name.
        use: ``visual`` or ``collision``.
    """
    links = []
    for link in robot.links:
        parts = tuple(
            Part(_solid(reference, Path(folder)), _PAINT, Path(reference.path).stem)
            for reference in link.meshes
            if reference.use == use
        )
        links.append(Link(link.name, parts or link.parts, link.mass, link.meshes))
    return robot.replace(links=tuple(links))


def _solid(reference: MeshReference, folder: Path) -> Solid:
    place = _found(reference.path, folder)
    # A URDF counts in metres; its scale says what the numbers of the mesh are.
    solid = solids.load(place, "m" if place.suffix.lower() in (".stl", ".obj") else None)
    if reference.scale != (1.0, 1.0, 1.0):
        solid = solid.transformed(np.diag([*reference.scale, 1.0]))
    return solid.moved(reference.X_link_mesh)


def _found(path: str, folder: Path) -> Path:
    bare = path.split("://", 1)[-1]
    parts = Path(bare).parts
    for candidate in (folder / bare, folder / Path(*parts[1:]) if parts[1:] else folder / bare, folder / parts[-1]):
        if candidate.is_file():
            return candidate
    raise FileProblem(f"The mesh {path!r} is not in the folder {folder.name!r}.", path=path)


def save_with_meshes(robot: Robot, path: str | Path, tolerance: float = 5e-4) -> tuple[Path, ...]:
    """Write a URDF and, in a folder ``meshes`` beside it, the shape of every link as STL in metres.

    Returns the files that were written, the URDF first.
    """
    place = Path(path)
    folder = place.parent / "meshes"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileProblem(f"The folder {folder.name!r} cannot be made: {error.strerror}.", path=str(folder)) from error
    names: dict[int, str] = {}
    written = [place]
    for number, (solid, _) in enumerate(robot.link_solids):
        if solid is not None:
            file = folder / f"{place.stem}_link_{number}.stl"
            solid.save(file, tolerance, unit="m")
            names[number] = f"meshes/{file.name}"
            written.append(file)
    urdf.save(robot, place, names)
    return tuple(written)

"""Commands on shape files: import solid, export solid."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from workcell.commands.files import BLOB
from workcell.commands.model import make
from workcell.commands.references import Ref
from workcell.commands.registry import command
from workcell.commands.results import Done
from workcell.commands.values import Choice, File, Length, NewName, Text
from workcell.errors import FileProblem, InvalidShape, Refused
from workcell.spatial.units import LENGTHS
from workcell.world.entities import Entity
from workcell.world.expand import Expander

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.geometry.solid import Solid

ENDINGS = (".step", ".stp", ".stl", ".obj", ".glb", ".gltf")


@command(
    "import solid {name} {file} [{unit}] [colour {colour}]",
    help="make a block from a STEP, STL, OBJ or glTF file",
    effect="edits",
    name=NewName(),
    file=File(ENDINGS),
    unit=Choice(LENGTHS, "UNIT"),
    colour=Text(),
    param_help={"unit": "of the numbers in the file: STL and OBJ files do not say it, the others do"},
    examples=[
        "> create block peg cylinder 20 100",
        "> export solid peg peg.step",
        "import solid copy1 peg.step",
        "> export solid peg peg.stl",
        "import solid copy2 peg.stl mm",
    ],
)
def import_solid(session: Session, name: str, file: str, unit: str | None = None, colour: str | None = None) -> Done:
    """The file is kept in the cell. A mesh that is not closed is taken as it is, and said to be open."""
    from workcell.geometry.formats import files
    from workcell.geometry.recipe import encode

    data, ending = _read(session, file)
    solid = files.from_bytes(data, ending, unit)
    told = _proved(session, solid)
    make(session, "block", name, shape=encode(solid.recipe).decode(), colour=colour)
    said = f"in {unit}" if unit else "in metres" if ending in (".glb", ".gltf") else "in the unit that it says"
    return Done(f"block {name!r} created from {_shown(file)}, read {said}: {told}")


def _read(session: Session, file: str) -> tuple[bytes, str]:
    """The bytes of a file and its ending; the journal gets the hash of the bytes."""
    from workcell.errors import UnknownName
    from workcell.geometry.formats.files import LARGEST

    if file.startswith(BLOB):
        digest, _, ending = file[len(BLOB) :].partition(".")
        return session.database.blob(digest), f".{ending}"
    path = Path(file)
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UnknownName.among("kind of shape file", ending or path.name, ENDINGS)
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise FileProblem(f"{path.name} has {size / 1e9:.1f} GB; files up to {LARGEST / 1e9:.1f} GB are read.")
        data = path.read_bytes()
    except OSError as error:
        raise FileProblem(f"{path.name} cannot be read: {error.strerror or error}.") from error
    session.resolve(file=BLOB + session.database.keep_blob(data) + ending)
    return data, ending


def _shown(file: str) -> str:
    return "the file kept in the cell" if file.startswith(BLOB) else Path(file).name


def _proved(session: Session, solid: Solid) -> str:
    """Make it once, so that a file that holds no shape is refused; says what it is."""
    mesh = solid.mesh(progress=session.progress, cancel=session.cancel)
    if not len(mesh.triangles):
        raise InvalidShape("The file holds no shape.", faults=("empty",))
    if solid.is_mesh:
        closed = "closed" if mesh.closed else f"open along {len(mesh.open_edges)} edges, so without volume"
        return f"a mesh of {len(mesh.triangles)} triangles, {closed}"
    faults = solid.check(session.progress, session.cancel)
    return f"an exact solid of {len(mesh.face_names)} faces, {'not valid: ' + str(faults[0]) if faults else 'valid'}"


@command(
    "export solid {thing} {file} [{unit}] [tolerance {tolerance}] [--ascii]",
    help="write a block, an object or the objects of a scene to a file: .step, .stl, .obj, .glb",
    effect="reads",
    background=True,
    thing=Ref("block", "object", "scene"),
    file=File((".step", ".stp", ".stl", ".obj", ".glb")),
    unit=Choice(LENGTHS, "UNIT"),
    tolerance=Length(positive=True),
    param_help={
        "unit": "of the numbers in an STL or OBJ file; mm unless given. STEP is in mm, GLB in m",
        "tolerance": "how far a mesh may lie from the exact solid",
    },
    examples=[
        "> create block peg cylinder 20 100",
        "export solid peg peg.step",
        "export solid peg peg.stl inch tolerance 0.1",
        "export solid peg peg.glb",
    ],
)
def export_solid(
    session: Session,
    thing: Entity,
    file: str,
    unit: str | None = None,
    tolerance: float | None = None,
    ascii: bool = False,
) -> Done:
    """Says the unit and, for a mesh, how far it is from the exact solid."""
    from workcell.errors import InvalidValue
    from workcell.geometry.formats.files import to_bytes
    from workcell.geometry.mesh import merge
    from workcell.geometry.recipe import Triangles
    from workcell.geometry.solid import DEFAULT_TOLERANCE, Solid

    found = _solids(session, thing)
    if not found:
        raise Refused(f"{thing.kind} {thing.name!r} has no solid to export.")
    path = Path(file)
    ending = path.suffix.lower() or path.name
    fine = tolerance or DEFAULT_TOLERANCE
    if ending in (".step", ".stp", ".glb") and unit is not None:
        raise InvalidValue(f"A {ending[1:].upper()} file has its own unit; leave {unit} out.")
    if ending in (".step", ".stp"):
        whole = found[0]
        for other in found[1:]:
            whole = whole + other
        data, said = whole.step(session.progress, session.cancel), "STEP, exact, in millimetres"
    else:
        meshes = [solid.mesh(fine, session.progress, session.cancel) for solid in found]
        whole = found[0] if len(found) == 1 else Solid(Triangles.of(merge(meshes)))
        data, said = to_bytes(whole, ending, fine, unit or "mm", ascii)
    _write(path, data)
    return Done(f"{thing.name} written to {path.name}: {said}")


def _solids(session: Session, thing: Entity) -> list[Solid]:
    if thing.kind != "scene":
        return [solid for _, solid in Expander(session.database).solids(thing)]
    from workcell.world.snapshot import snapshot_of

    snapshot = snapshot_of(session.database, thing.name)
    poses = snapshot.body_poses(snapshot.initial)
    return [
        piece.solid.transformed(pose)
        for body, pose in zip(snapshot.bodies, poses, strict=True)
        for piece in body.pieces
    ]


def _write(path: Path, data: bytes) -> None:
    part = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        part.write_bytes(data)
        os.replace(part, path)
    except OSError as error:
        raise FileProblem(f"{path.name} cannot be written: {error.strerror or error}.") from error
    finally:
        part.unlink(missing_ok=True)

"""Commands on shape files: import solid, import assembly, export solid."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workcell.commands.files import BLOB
from workcell.commands.model import make
from workcell.commands.references import Ref
from workcell.commands.registry import command
from workcell.commands.results import Done
from workcell.commands.values import Choice, File, Length, NewName, Text
from workcell.errors import InvalidShape, Refused
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.spatial.units import LENGTHS
from workcell.wording import an, capital, counted
from workcell.world.entities import Entity
from workcell.world.expand import Expander, colour_of

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.geometry.assembly import Assembly
    from workcell.geometry.solid import Solid

ENDINGS = (".step", ".stp", ".stl", ".obj", ".glb", ".gltf")
_READ = (*ENDINGS, ".dae")


@command(
    "import solid {name} {file} [{unit}] [colour {colour}]",
    help="make a block from a STEP, STL, OBJ, glTF or COLLADA file",
    effect="edits",
    name=NewName(),
    file=File(_READ),
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
    """The file is kept in the cell. An open mesh stays open, one inside out is turned; both are reported."""
    from workcell.geometry.formats import files
    from workcell.geometry.recipe import encode

    data, ending = _read(session, file)
    with files.naming(_shown(file)):
        solid, remarks = files.read(data, ending, unit)
        told = "; ".join([_proved(session, solid), *remarks])
    make(session, "block", name, shape=encode(solid.recipe).decode(), colour=colour)
    said = f"in {unit}" if unit else "in metres" if ending in (".glb", ".gltf") else "in the unit that it says"
    return Done(f"block {name!r} created from {_shown(file)}, read {said}: {told}")


@command(
    "import assembly {name} {file}",
    help="make an object from the parts of a STEP, glTF or COLLADA file, with their names, colours and places",
    effect="edits",
    name=NewName(),
    file=File((".step", ".stp", ".glb", ".gltf", ".dae")),
    examples=[
        "> create block plate box 200 100 20 colour steel",
        "> create block pin cylinder 10 40",
        "> create object part",
        "> attach plate to part",
        "> attach pin to part as left translate -50,0,30",
        "> attach pin to part as right translate 50,0,30",
        "> export solid part part.step",
        "import assembly copy part.step",
    ],
)
def import_assembly(session: Session, name: str, file: str) -> Done:
    """Each part is a block, made once; each use of it a relation of the object. The file is kept in the cell."""
    from workcell.geometry.formats import files
    from workcell.geometry.outward import outward
    from workcell.geometry.recipe import Triangles, encode
    from workcell.geometry.solid import Solid

    data, ending = _read(session, file)
    with files.naming(_shown(file)):
        assembly = files.assembly_from_bytes(data, ending, session.progress, session.cancel)
    database = session.database
    make(session, "object", name)
    whole = database.entity("object", name)
    blocks, told = [], []
    for part in assembly.parts:
        label = _free_name(session, f"{name}-{_plain(part.name)}")
        solid = Solid(part.recipe)
        mesh = solid.mesh(progress=session.progress, cancel=session.cancel)
        if solid.is_mesh:
            mesh, remarks = outward(mesh)
            solid = Solid(Triangles.of(mesh))
            told += [f"{label}: {remark}" for remark in remarks]
        if not mesh.closed:
            told.append(f"{label} is open")
        colour = None if part.colour is None else _hex(part.colour)
        make(session, "block", label, shape=encode(solid.recipe).decode(), colour=colour)
        blocks.append(database.entity("block", label))
    for instance in assembly.instances:
        block = blocks[instance.part]
        if instance.colour is not None and _hex(instance.colour) != block.colour:
            block = _coloured(session, block, _hex(instance.colour))
        relation = database.free_relation_name(whole, _plain(instance.name) or block.name)
        matrix = np.vstack([np.array(instance.matrix).reshape(3, 4), (0.0, 0.0, 0.0, 1.0)])
        database.attach(session.rows, whole, block, relation, _placement(matrix))
    count, uses = len(assembly.parts), len(assembly.instances)
    said = f"object {name!r} created from {_shown(file)}: {count} part{'s' if count != 1 else ''}, used {uses} times"
    return Done("; ".join([said, *told]))


def _coloured(session: Session, block: Entity, colour: str) -> Entity:
    """The same part in another colour: a block of its own, made when first needed."""
    label = f"{block.name}-{colour.lstrip('#')}"
    found = session.database.find("block", label)
    if found is None:
        make(session, "block", label, shape=block.shape, colour=colour)
        found = session.database.entity("block", label)
    return found


def _placement(matrix: NDArray[np.float64]) -> Transform:
    if np.array_equal(matrix, np.eye(4)):
        return Transform()
    return Transform.from_pose(Pose(matrix))


def _plain(name: str) -> str:
    """A name from a file as one that a cell allows."""
    kept = "".join(c if c.isalnum() or c in "-_ ." else "_" for c in name.strip())
    return kept.strip(" .")[:60] or "part"


def _free_name(session: Session, name: str) -> str:
    found, number = name, 1
    while session.database.find("block", found) is not None:
        number += 1
        found = f"{name}-{number}"
    return found


def _hex(colour: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in colour)


def _read(session: Session, file: str) -> tuple[bytes, str]:
    """The bytes of a file and its ending; the journal gets the hash of the bytes."""
    from workcell.errors import UnknownName

    if file.startswith(BLOB):
        digest, _, ending = file[len(BLOB) :].partition(".")
        return session.database.blob(digest), f".{ending}"
    path = Path(file)
    ending = path.suffix.lower()
    if ending not in _READ:
        raise UnknownName.among("kind of shape file", ending or path.name, _READ)
    data = session.files.read(file)
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
        closed = "closed" if mesh.closed else f"open along {counted(len(mesh.open_edges), 'edge')}, so without volume"
        return f"a mesh of {counted(len(mesh.triangles), 'triangle')}, {closed}"
    faults = solid.check(session.progress, session.cancel)
    state = f"not valid: {faults[0]}" if faults else "valid"
    return f"an exact solid of {counted(len(mesh.face_names), 'face')}, {state}"


@command(
    "export solid {thing} {file} [{unit}] [tolerance {tolerance}] [--ascii] [--inexact] [--replace]",
    help="write a block, an object or the objects of a scene to a file: .step, .stl, .obj, .glb, .gltf",
    effect="reads",
    background=True,
    thing=Ref("block", "object", "scene"),
    file=File(ENDINGS),
    unit=Choice(LENGTHS, "UNIT"),
    tolerance=Length(positive=True),
    param_help={
        "unit": "of the numbers in an STL or OBJ file; mm unless given. STEP is in mm, GLB in m",
        "tolerance": "how far a mesh may lie from the exact solid",
        "inexact": "write a STEP file also when more than a millionth of a solid's volume is lost in it",
    },
    examples=[
        "> create block peg cylinder 20 100",
        "export solid peg peg.step",
        "export solid peg peg.step --replace",
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
    inexact: bool = False,
    replace: bool = False,
) -> Done:
    """STEP keeps parts with names and colours. Says the unit and, for a mesh, how far it is from the exact solid.

    Free-form solids are changed a little by a STEP file; by how much is found by reading it again, and said.
    """
    from workcell.errors import InvalidValue
    from workcell.geometry.formats.files import STEP, assembly_to_step, to_bytes
    from workcell.geometry.mesh import merge
    from workcell.geometry.recipe import Triangles
    from workcell.geometry.solid import DEFAULT_TOLERANCE, Solid

    session.files.check_output(file, replace)
    path = Path(file)
    ending = path.suffix.lower() or path.name
    fine = tolerance or DEFAULT_TOLERANCE
    if ending in (".step", ".stp", ".glb", ".gltf") and unit is not None:
        raise InvalidValue(f"{capital(an(ending[1:].upper()))} file has its own unit; leave {unit} out.")
    every = _pieces(session, thing)
    found = [piece for piece in every if not piece.ghost] or ([] if thing.kind == "scene" else every)
    if not found:
        raise Refused(f"{thing.kind} {thing.name!r} has no solid to export.")
    if ending in (".step", ".stp"):
        assembly = _assembly(thing.name, found)
        written = assembly_to_step(assembly, session.progress, session.cancel)
        data, said = written.data, STEP
        if len(found) > 1:
            said += f", {counted(len(assembly.parts), 'part')} in {counted(len(found), 'place')}"
        said += written.checked(tuple(part.name for part in assembly.parts), inexact)
    else:
        solids = [piece.placed for piece in found]
        meshes = [solid.mesh(fine, session.progress, session.cancel) for solid in solids]
        whole = solids[0] if len(solids) == 1 else Solid(Triangles.of(merge(meshes)))
        data, said = to_bytes(whole, ending, fine, unit or "mm", ascii)
    session.files.write(file, data, replace)
    if len(found) < len(every):
        left = list(dict.fromkeys(piece.name for piece in every if piece.ghost))
        said += f"; left out {', '.join(left)}: {'a ghost' if len(left) == 1 else 'ghosts'}, only for looking at"
    return Done(f"{thing.name} written to {path.name}: {said}")


class _Piece(NamedTuple):
    """A solid in its own frame, where it stands, what its part and its place are called, its colour; a ghost or not."""

    solid: Solid
    matrix: NDArray[np.float64]
    part: str
    name: str
    colour: tuple[float, float, float] | None
    ghost: bool

    @property
    def placed(self) -> Solid:
        """The solid where it stands."""
        return self.solid if np.array_equal(self.matrix, np.eye(4)) else self.solid.transformed(self.matrix)


def _pieces(session: Session, thing: Entity) -> list[_Piece]:
    database = session.database
    if thing.kind != "scene":
        expander = Expander(database)
        found = []
        for part in expander.blocks(thing, np.eye(4), None):
            solid = expander.solid(part.block)
            if solid is not None:
                colour = colour_of(database, part.colour) if part.colour else None
                name = ".".join(part.path) or part.block.name
                found.append(_Piece(solid, part.matrix, part.block.name, name, colour, part.ghost))
        return found
    from workcell.world.flatten import snapshot_of

    snapshot = snapshot_of(database, thing.name)
    poses = snapshot.body_poses(snapshot.initial)
    return [
        _Piece(piece.solid, np.asarray(pose), body.name, body.name, piece.colour, piece.ghost)
        for body, pose in zip(snapshot.bodies, poses, strict=True)
        for piece in body.pieces
    ]


def _assembly(name: str, pieces: list[_Piece]) -> Assembly:
    """Pieces as parts, equal ones once; a placement that is not rigid goes into the part."""
    from workcell.geometry.assembly import Assembly, AssemblyPart, Instance

    parts: dict[tuple[str, object], int] = {}
    listed: list[AssemblyPart] = []
    instances = []
    for piece in pieces:
        linear = piece.matrix[:3, :3]
        rigid = np.abs(linear.T @ linear - np.eye(3)).max() < 1e-9 and np.linalg.det(linear) > 0.0
        solid, matrix = (piece.solid, piece.matrix) if rigid else (piece.placed, np.eye(4))
        key = (solid.hash, piece.colour)
        if key not in parts:
            parts[key] = len(listed)
            listed.append(AssemblyPart(piece.part, solid.recipe, piece.colour))
        rows = tuple(float(value) + 0.0 for value in matrix[:3].reshape(-1))
        instances.append(Instance(parts[key], piece.name, rows))
    return Assembly(name, tuple(listed), tuple(instances))

"""Commands on shape files: import solid, repair, export solid."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from workcell.commands.assembly_tree import TreeOf
from workcell.commands.import_places import ON, PLACE_HELP, Wanted, put_down
from workcell.commands.language.colours import ColourName
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import Choice, File, Length, NewName
from workcell.commands.model import make
from workcell.commands.prepared import FROM_FILE, Prepared, prepared
from workcell.commands.results import Done
from workcell.commands.shape_files import READ, WRITTEN, keep_shape, read_shape, shown_file
from workcell.errors import InvalidShape, Refused
from workcell.spatial.transform import Transform
from workcell.spatial.units import LENGTHS
from workcell.wording import an, capital, counted
from workcell.world.entities import Entity
from workcell.world.operations import is_operation

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.geometry.mesh import Mesh
    from workcell.geometry.repair import Repair
    from workcell.geometry.solid import Solid


class _Read(NamedTuple):
    """A shape file: its bytes and ending, its shape as the cell keeps it, and what was found in it, in words."""

    data: bytes
    ending: str
    shape: str
    found: str


def _prepare_import(session: Session, name: str, file: str, **given: Any) -> Prepared:
    _place(session, name, given.get("pose"), given.get("point"), given.get("beside", False))
    return Prepared(_read(session, file, given.get("unit"), given.get("repair", False)), FROM_FILE)


def _place(
    session: Session, name: str, pose: Transform | None, point: tuple[float, ...] | None, beside: bool
) -> Wanted:
    """Return where the shape of a file goes; refused if an object there has its name."""
    wanted = Wanted(pose, point, beside)
    if wanted and session.database.find("object", name) is not None:
        raise Refused(f"There is already an object {name!r}; choose another name.", name=name)
    return wanted


def _read(session: Session, file: str, unit: str | None, repair: bool) -> _Read:
    """Return the shape of a file, made once."""
    from workcell.geometry.formats import files
    from workcell.geometry.recipe import encode

    session.progress(0.0, f"reading {shown_file(file)}")
    data, ending = read_shape(session, file)
    with files.naming(shown_file(file)):
        solid, remarks = files.read(data, ending, unit, repair)
        if repair and not remarks:
            remarks = ("nothing to repair",)
        found = "; ".join([_proved(session, solid), *remarks])
    return _Read(data, ending, encode(solid.recipe).decode(), found)


@command(
    "import solid {name} {file} [{unit}] [at {pose}] [on {point}] [colour {colour}] [--beside] [--repair]",
    help="make a block from a STEP, STL, OBJ, glTF or COLLADA file, and an object in the scene if a place is given",
    effect="edits",
    prepares=_prepare_import,
    name=NewName(),
    file=File(READ),
    unit=Choice(LENGTHS, "UNIT"),
    pose=PoseValue(),
    point=ON,
    colour=ColourName(),
    param_help={
        **PLACE_HELP,
        "unit": "the unit of the numbers in an STL or OBJ file; the other formats state their own",
        "repair": "close the holes of a mesh and remove duplicate triangles; the answer lists the changes",
        "file": ".step, .stp, .stl, .obj, .glb, .gltf or .dae",
    },
    examples=[
        "> create block peg cylinder 20 100",
        "> export solid peg peg.step",
        "import solid copy1 peg.step",
        "> export solid peg peg.stl",
        "import solid copy2 peg.stl mm",
        "import solid copy3 peg.stl mm --repair",
        "import solid copy4 peg.stl mm on 300,0,0",
        "import solid copy5 peg.stl mm --beside",
    ],
)
def import_solid(
    session: Session,
    name: str,
    file: str,
    unit: str | None = None,
    pose: Transform | None = None,
    point: tuple[float, ...] | None = None,
    colour: str | None = None,
    beside: bool = False,
    repair: bool = False,
) -> Done:
    """The cell keeps the file.

    With a place, the object is called NAME and the block NAME-solid, as with `add solid`. Without one, the block is
    called NAME and is not in the scene until you `place` it.

    An open mesh stays open, and a mesh that is inside out is turned; the answer reports both.
    """
    wanted = _place(session, name, pose, point, beside)
    data, ending, shape, found = prepared(session, FROM_FILE, lambda: _read(session, file, unit, repair), "the shape")
    keep_shape(session, file, data, ending)
    block = session.database.free_name("block", f"{name}-solid") if wanted else name
    make(session, "block", block, shape=shape, colour=colour)
    read = f"in {unit}" if unit else "in metres" if ending in (".glb", ".gltf") else "in the unit that it states"
    made = f"{'object' if wanted else 'block'} {name!r} created from {shown_file(file)}, read {read}: {found}"
    return Done(f"{made}; {_put_down(session, name, block, wanted)}" if wanted else made)


def _put_down(session: Session, name: str, block: str, wanted: Wanted) -> str:
    """Make an object of a block, and put it into the scene; return where it is."""
    database = session.database
    make(session, "object", name)
    whole = database.entity("object", name)
    database.attach(session.rows, whole, database.entity("block", block), block)
    return put_down(session, whole, wanted)


def _proved(session: Session, solid: Solid) -> str:
    """Make the solid once, so that a file without a shape is refused; return a description."""
    mesh = solid.mesh(progress=session.progress, cancel=session.cancel)
    if not len(mesh.triangles):
        raise InvalidShape("The file holds no shape.", faults=("empty",))
    if solid.is_mesh:
        closed = "closed" if mesh.closed else f"open along {counted(len(mesh.open_edges), 'edge')}, so without volume"
        return f"a mesh of {counted(len(mesh.triangles), 'triangle')}, {closed}"
    faults = solid.check(session.progress, session.cancel)
    state = f"not valid: {faults[0]}" if faults else "valid"
    return f"an exact solid of {counted(len(mesh.face_names), 'face')}, {state}"


class _Repaired(NamedTuple):
    """A repaired mesh, its shape as the cell keeps it, and what was changed."""

    mesh: Mesh
    shape: str
    changes: Repair


def _prepare_repair(_: Session, block: Entity) -> Prepared:
    return Prepared(_repaired(block), block.shape)


def _repaired(block: Entity) -> _Repaired:
    from workcell.geometry.recipe import Triangles, decode, encode
    from workcell.geometry.repair import repaired

    recipe = None if block.shape is None or is_operation(block.shape) else decode(block.shape.encode())
    if not isinstance(recipe, Triangles):
        raise Refused(f"Block {block.name!r} is not a mesh; only meshes from files can be repaired.")
    mesh, changes = repaired(recipe.mesh())
    return _Repaired(mesh, encode(Triangles.of(mesh)).decode() if changes.remarks else "", changes)


@command(
    "repair {block}",
    help="repair a mesh: close its holes, remove duplicate triangles, and turn those that face inwards",
    effect="edits",
    prepares=_prepare_repair,
    block=Ref("block"),
    examples=[
        "> create block peg cylinder 20 100",
        "> export solid peg peg.stl",
        "> import solid copy peg.stl mm",
        "repair copy",
    ],
)
def repair(session: Session, block: Entity) -> Done:
    """Corners and triangles stay where they are. The answer lists the changes."""
    mesh, shape, changes = prepared(session, block.shape, lambda: _repaired(block), "the repaired mesh")
    if not changes.remarks:
        return Done(f"{block.name}: nothing to repair")
    session.rows.update("entity", block.id, shape=shape)
    state = "closed" if mesh.closed else "open"
    return Done(f"{block.name}: {'; '.join(changes.remarks)}; {counted(len(mesh.triangles), 'triangle')} now, {state}")


@command(
    "export solid {thing} {file} [{unit}] [tolerance {tolerance}] [--ascii] [--inexact] [--replace]",
    help="write a block, an object or the objects of a scene to a STEP, STL, OBJ or glTF file",
    effect="reads",
    background=True,
    thing=Ref("block", "object", "scene"),
    file=File(WRITTEN),
    unit=Choice(LENGTHS, "UNIT"),
    tolerance=Length(positive=True),
    param_help={
        "unit": "of the numbers in an STL or OBJ file; default mm. STEP files are in mm, glTF files in m",
        "tolerance": "how far a mesh may lie from the exact solid",
        "inexact": "write a STEP file even if a solid loses more than a millionth of its volume",
        "ascii": "write an STL file as text",
        "replace": "overwrite the file if it exists",
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
    """STEP and glTF files keep the tree of parts with labels and colours. In the file, a label replaces the name.

    The answer states the unit and, for a mesh, how far it is from the exact solid.

    A STEP file changes free-form solids a little. The file is read back to measure the change, and the answer states
    it.
    """
    from workcell.errors import InvalidValue
    from workcell.geometry.formats.files import assembly_to_gltf, assembly_to_step
    from workcell.geometry.formats.writing import STEP, to_bytes
    from workcell.geometry.mesh import DEFAULT_TOLERANCE, merge
    from workcell.geometry.recipe import Triangles
    from workcell.geometry.solid import Solid

    session.files.check_output(file, replace)
    path = Path(file)
    ending = path.suffix.lower() or path.name
    fine = tolerance or DEFAULT_TOLERANCE
    if ending in (".step", ".stp", ".glb", ".gltf") and unit is not None:
        raise InvalidValue(f"{capital(an(ending[1:].upper()))} file has its own unit; leave {unit} out.")
    tree = TreeOf(session, thing)
    assembly, left = tree.assembly, tree.ghosts
    leaves = list(assembly.leaves())
    if not leaves:
        raise Refused(f"{thing.kind} {thing.name!r} has no solid to export.")
    many = f", {counted(len(assembly.parts), 'part')} in {counted(len(leaves), 'place')}" if len(leaves) > 1 else ""
    if ending in (".step", ".stp"):
        written = assembly_to_step(assembly, session.progress, session.cancel)
        wrote = f"{STEP}{many}{written.checked(tuple(part.name for part in assembly.parts), inexact)}"
        data = written.data
    else:
        kept = session.database.meshes
        solids = [Solid(part.recipe).kept_in(kept) for part in assembly.parts]
        meshes = [solid.mesh(fine, session.progress, session.cancel) for solid in solids]
        if ending in (".glb", ".gltf"):
            data, wrote = assembly_to_gltf(assembly, meshes, ending)
            wrote += many
        else:
            made = dict(zip(map(id, assembly.parts), meshes, strict=True))
            placed = [made[id(leaf.part)].transformed(leaf.matrix) for leaf in leaves]
            only = len(leaves) == 1 and np.array_equal(leaves[0].matrix, np.eye(4))
            whole = solids[0] if only else Solid(Triangles.of(merge(placed)))
            data, wrote = to_bytes(whole, ending, fine, unit or "mm", ascii)
    session.files.write(file, data, replace)
    if left:
        wrote += f"; without {'the ghost' if len(left) == 1 else 'the ghosts'} {', '.join(left)}"
    return Done(f"{thing.name} written to {path.name}: {wrote}")

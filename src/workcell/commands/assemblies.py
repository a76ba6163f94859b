"""The command for files with many parts: import assembly."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from workcell.commands.import_places import ON, PLACE_HELP, Wanted, put_down
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import File, NewName
from workcell.commands.model import make
from workcell.commands.prepared import FROM_FILE, Prepared, prepared
from workcell.commands.results import Done
from workcell.commands.shape_files import keep_shape, read_shape, shown_file
from workcell.cost import go_on
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.wording import counted
from workcell.world.entities import Entity
from workcell.world.names import legal_name

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.geometry.assembly import Assembly, Instance, Rgb
    from workcell.geometry.kernel.worker import Progress
    from workcell.geometry.recipe import Recipe

LABEL = "label"


class _Shape(NamedTuple):
    """The shape of a part as the cell keeps it, and remarks about it."""

    text: str
    remarks: tuple[str, ...]
    open: bool


class _Read(NamedTuple):
    """A file with parts: its bytes and ending, what is in it, and the shapes of the parts that it uses, by number."""

    data: bytes
    ending: str
    assembly: Assembly
    shapes: dict[int, _Shape]


def _prepare_import(session: Session, file: str, **given: Any) -> Prepared:
    Wanted(given.get("pose"), given.get("point"), given.get("beside", False))
    return Prepared(_read(session, file, given.get("repair", False)), FROM_FILE)


def _read(session: Session, file: str, repair: bool) -> _Read:
    """Return what is in a file with parts; the shape of each part is made once."""
    from workcell.geometry.formats import files

    session.progress(0.0, f"reading {shown_file(file)}")
    data, ending = read_shape(session, file)
    with files.naming(shown_file(file)):
        assembly = files.assembly_from_bytes(data, ending, session.progress, session.cancel)
    used, shapes = assembly.used, dict[int, _Shape]()
    for number in used:

        def report(fraction: float, label: str) -> None:
            session.progress((len(shapes) + fraction) / len(used), f"part {len(shapes) + 1} of {len(used)}: {label}")

        go_on(session.cancel, f"Reading {shown_file(file)}")
        shapes[number] = _shape(assembly.parts[number].recipe, repair, report, session.cancel)
    return _Read(data, ending, assembly, shapes)


def _shape(recipe: Recipe, repair: bool, report: Progress, cancel: threading.Event | None) -> _Shape:
    """Return the shape of a part, a mesh turned outward; defects become remarks."""
    from workcell.geometry.outward import outward
    from workcell.geometry.recipe import Triangles, encode
    from workcell.geometry.repair import repaired
    from workcell.geometry.solid import Solid

    solid, found = Solid(recipe), tuple[str, ...]()
    mesh = solid.mesh(progress=report, cancel=cancel)
    if solid.is_mesh:
        if repair:
            mesh, changes = repaired(mesh)
            found = changes.remarks
        else:
            mesh, found = outward(mesh)
        solid = Solid(Triangles.of(mesh))
    return _Shape(encode(solid.recipe).decode(), found, not mesh.closed)


@command(
    "import assembly {name} {file} [at {pose}] [on {point}] [--beside] [--repair]",
    help="make an object from a STEP, glTF or COLLADA file, with the tree, names, colours and places of its parts",
    effect="edits",
    prepares=_prepare_import,
    name=NewName(),
    file=File((".step", ".stp", ".glb", ".gltf", ".dae")),
    pose=PoseValue(),
    point=ON,
    param_help={
        **PLACE_HELP,
        "repair": "close holes in meshes and remove duplicate triangles; the answer lists the changes",
    },
    examples=[
        "> create block plate box 200 100 20 colour steel",
        "> create block pin cylinder 10 40",
        "> create object part",
        "> attach plate to part",
        "> attach pin to part as left translate -50,0,30",
        "> attach pin to part as right translate 50,0,30",
        "> export solid part part.step",
        "import assembly copy part.step",
        "show copy tree",
        "query label plate",
        "import assembly other part.step on 600,0,0",
    ],
)
def import_assembly(
    session: Session,
    name: str,
    file: str,
    pose: Transform | None = None,
    point: tuple[float, ...] | None = None,
    beside: bool = False,
    repair: bool = False,
) -> Done:
    """Each part becomes one block, each sub-assembly one object, and each use of them one relation.

    The name of a part in the file becomes its label. The name in the cell is made from it, legal and unique. The cell
    keeps the file.
    """
    wanted = Wanted(pose, point, beside)
    data, ending, assembly, shapes = prepared(session, FROM_FILE, lambda: _read(session, file, repair), "the assembly")
    keep_shape(session, file, data, ending)
    made = _Making(session, assembly, shapes, name)
    made.whole()
    groups = f", {counted(len(assembly.groups), 'sub-assembly', 'sub-assemblies')}" if assembly.groups else ""
    used = sum(1 for _ in assembly.leaves())
    made_of = f"object {name!r} created from {shown_file(file)}: {counted(len(assembly.parts), 'part')}{groups}"
    where = [put_down(session, session.database.entity("object", name), wanted)] if wanted else []
    return Done("; ".join([f"{made_of}, used {counted(used, 'time')}", *made.remarks, *where]))


class _Making:
    """The entities of an assembly, each made once for each colour in which it is used."""

    def __init__(self, session: Session, assembly: Assembly, shapes: Mapping[int, _Shape], name: str) -> None:
        self._session, self._assembly, self._shapes, self._name = session, assembly, shapes, name
        self._remarked: set[int] = set()
        self._blocks: dict[tuple[int, Rgb | None], Entity] = {}
        self._objects: dict[tuple[int, Rgb | None], Entity] = {}
        self.remarks: list[str] = []

    def whole(self) -> None:
        """Make the object with everything in it."""
        self._fill(self._entity("object", self._name, self._assembly.name), self._assembly.instances, None)

    def _fill(self, whole: Entity, instances: tuple[Instance, ...], colour: Rgb | None) -> None:
        database = self._session.database
        for one in instances:
            part = (self._object if one.group else self._block)(one.part, one.colour or colour)
            called = one.name or str(part.properties.get(LABEL, ""))
            name = database.free_relation_name(whole, legal_name(called))
            properties = {LABEL: one.name} if one.name not in ("", name) else None
            place = Transform.from_pose(Pose(one.pose))
            database.attach(self._session.rows, whole, part, name, place, properties)

    def _object(self, number: int, colour: Rgb | None) -> Entity:
        group = self._assembly.groups[number]
        shown = colour or group.colour
        if (number, shown) not in self._objects:
            made = self._entity("object", self._free("object", group.name or "group"), group.name)
            self._objects[number, shown] = made
            self._fill(made, group.instances, shown)
        return self._objects[number, shown]

    def _block(self, number: int, colour: Rgb | None) -> Entity:
        part = self._assembly.parts[number]
        shown = colour or part.colour
        if (number, shown) not in self._blocks:
            name = self._free("block", part.name)
            shape = self._shapes[number]
            if number not in self._remarked:
                self._remarked.add(number)
                self.remarks += [f"{name}: {remark}" for remark in shape.remarks]
                self.remarks += [f"{name} is open"] if shape.open else []
            paint = None if shown is None else _hex(shown)
            self._blocks[number, shown] = self._entity("block", name, part.name, shape=shape.text, colour=paint)
        return self._blocks[number, shown]

    def _free(self, kind: str, called: str) -> str:
        return self._session.database.free_name(kind, f"{self._name}-{legal_name(called)}"[:76].rstrip())

    def _entity(self, kind: str, name: str, label: str, **fields: Any) -> Entity:
        properties = {LABEL: label} if label not in ("", name) else None
        make(self._session, kind, name, properties=properties, **fields)
        return self._session.database.entity(kind, name)


def _hex(colour: Rgb) -> str:
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in colour)

"""The command for files with many parts: import assembly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.import_places import ON, PLACE_HELP, Wanted, put_down
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import File, NewName
from workcell.commands.model import make
from workcell.commands.results import Done
from workcell.commands.shape_files import read_shape, shown_file
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.wording import counted
from workcell.world.entities import Entity
from workcell.world.names import legal_name

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.geometry.assembly import Assembly, Instance, Rgb

LABEL = "label"


@command(
    "import assembly {name} {file} [at {pose}] [on {point}] [--beside] [--repair]",
    help="make an object from a STEP, glTF or COLLADA file, with the tree, names, colours and places of its parts",
    effect="edits",
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
    from workcell.geometry.formats import files

    wanted = Wanted(pose, point, beside)
    data, ending = read_shape(session, file)
    with files.naming(shown_file(file)):
        assembly = files.assembly_from_bytes(data, ending, session.progress, session.cancel)
    made = _Making(session, assembly, name, repair)
    made.whole()
    groups = f", {counted(len(assembly.groups), 'sub-assembly', 'sub-assemblies')}" if assembly.groups else ""
    used = sum(1 for _ in assembly.leaves())
    made_of = f"object {name!r} created from {shown_file(file)}: {counted(len(assembly.parts), 'part')}{groups}"
    where = [put_down(session, session.database.entity("object", name), wanted)] if wanted else []
    return Done("; ".join([f"{made_of}, used {used} times", *made.remarks, *where]))


class _Making:
    """The entities of an assembly, each made once for each colour in which it is used."""

    def __init__(self, session: Session, assembly: Assembly, name: str, repair: bool) -> None:
        self._session, self._assembly, self._name, self._repair = session, assembly, name, repair
        self._blocks: dict[tuple[int, Rgb | None], Entity] = {}
        self._objects: dict[tuple[int, Rgb | None], Entity] = {}
        self._shapes: dict[int, str] = {}
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
            if number not in self._shapes:
                self._shapes[number] = self._shape(number, name)
            paint = None if shown is None else _hex(shown)
            self._blocks[number, shown] = self._entity(
                "block", name, part.name, shape=self._shapes[number], colour=paint
            )
        return self._blocks[number, shown]

    def _shape(self, number: int, name: str) -> str:
        """Return the recipe of a part, a mesh turned outward; defects become remarks."""
        from workcell.geometry.outward import outward
        from workcell.geometry.recipe import Triangles, encode
        from workcell.geometry.repair import repaired
        from workcell.geometry.solid import Solid

        solid = Solid(self._assembly.parts[number].recipe)
        mesh = solid.mesh(progress=self._session.progress, cancel=self._session.cancel)
        if solid.is_mesh:
            if self._repair:
                mesh, changes = repaired(mesh)
                found = changes.remarks
            else:
                mesh, found = outward(mesh)
            solid = Solid(Triangles.of(mesh))
            self.remarks += [f"{name}: {remark}" for remark in found]
        if not mesh.closed:
            self.remarks.append(f"{name} is open")
        return encode(solid.recipe).decode()

    def _free(self, kind: str, called: str) -> str:
        return self._session.database.free_name(kind, f"{self._name}-{legal_name(called)}"[:76].rstrip())

    def _entity(self, kind: str, name: str, label: str, **fields: Any) -> Entity:
        properties = {LABEL: label} if label not in ("", name) else None
        make(self._session, kind, name, properties=properties, **fields)
        return self._session.database.entity(kind, name)


def _hex(colour: Rgb) -> str:
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in colour)

"""Commands on ROBOSIM source: import robosim, export robosim."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workcell.commands.assemblies import LABEL
from workcell.commands.assembly_tree import called
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import Choice, File, Length, NewName
from workcell.commands.link_building import INPUT, OUTPUT, add_joint, joint_of, keep_of_objects, mass_of
from workcell.commands.model import make
from workcell.commands.results import Done, Result
from workcell.commands.shape_files import read_kept, shown_file
from workcell.commands.views import look
from workcell.errors import FileProblem, InvalidValue, Refused
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.spatial.units import LENGTHS
from workcell.wording import counted
from workcell.world.entities import Entity
from workcell.world.expand import Expander
from workcell.world.names import legal_name
from workcell.world.placing import put_in_scene
from workcell.world.robot_shape import robot_of

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.languages.robosim.machine import Look, RobosimFile, Stored

ENDING = ".robosim"
_UNIT = {"unit": "of the lengths in the file; default mm"}


class ImportedSource(Result, frozen=True):
    """What was made from ROBOSIM source, by name, and remarks."""

    robots: tuple[str, ...]
    objects: tuple[str, ...]
    views: tuple[str, ...]
    notes: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "import robosim {file} [prefix {prefix}] [in {unit}] [at {pose}]",
    help="run ROBOSIM source, and make objects and robots of what it stores",
    effect="edits",
    file=File((ENDING,)),
    prefix=NewName(),
    unit=Choice(LENGTHS, "UNIT"),
    pose=PoseValue(),
    param_help={
        "prefix": "put before every name; default: nothing",
        **_UNIT,
        "pose": "where the origin of the source is in this cell; default 0,0,0",
    },
    examples=[
        "> create block column cylinder 100 500",
        "> create object base",
        "> attach column to base",
        "> add joint i fixed to base at 0,0,-250",
        "> add joint i+1 revolute to base at 0,0,250",
        "> export robosim base base.robosim",
        "import robosim base.robosim prefix new- at 1000,0,0",
    ],
)
def import_robosim(
    session: Session, file: str, prefix: str = "", unit: str = "mm", pose: Transform = Transform()
) -> ImportedSource:
    """STORE-FILE makes an object in the scene, and STORE-LINK an object with joint frames.

    Links whose names agree up to the dot, such as C.LOC and C.1, become one robot, if one of their joints i turns or
    slides. VIEW makes a named view.
    """
    from workcell.languages.robosim.machine import read_robosim

    where = shown_file(file)
    data = read_kept(session, file)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileProblem(f"{where} is not a text file; ROBOSIM source is text.", path=where) from None
    found = read_robosim(text, where, LENGTHS[unit])
    if not found.links and not found.objects:
        raise FileProblem(f"{where} stores nothing: it has no STORE-LINK and no STORE-FILE.", path=where)
    return _Making(session, found, where, prefix, pose).answer()


class _Making:
    """The entities of a source."""

    def __init__(self, session: Session, file: RobosimFile, where: str, prefix: str, pose: Transform) -> None:
        self._session, self._where, self._prefix, self._pose = session, where, prefix, pose
        self._robots: list[str] = []
        self._objects: list[str] = []
        self._notes = list(file.notes)
        for stored in file.objects:
            put_in_scene(session, self._object(stored), pose)
            if stored.drawing.joints:
                self._notes.append(f"{stored.name}: STORE-FILE keeps no joints")
        for stem, links in file.robots().items():
            self._links(stem, links)
        self._views = [self._view(one) for one in file.looks]

    def _object(self, stored: Stored) -> Entity:
        """Make an object with a block for each solid."""
        session, database = self._session, self._session.database
        name = database.free_name("object", f"{self._prefix}{legal_name(stored.name, 'part')}"[:70])
        make(session, "object", name, properties={} if name == stored.name else {LABEL: stored.name})
        whole = database.entity("object", name)
        self._objects.append(name)
        from workcell.geometry.recipe import encode

        shapes = stored.drawing.shapes
        for number, shape in enumerate(shapes, start=1):
            block = database.free_name("block", f"{name}-{number}" if len(shapes) > 1 else f"{name}-solid")
            make(session, "block", block, shape=encode(shape.solid.recipe).decode())
            place = Transform.from_pose(shape.pose)
            database.attach(session.rows, whole, database.entity("block", block), block, place)
        return whole

    def _links(self, stem: str, links: Sequence[Stored]) -> None:
        """Make the links of one robot and the robot, or only the links if none of them moves."""
        from workcell.languages.robosim.links import link_files
        from workcell.robots.formats.link_file import ASSUMED, joined, open_limits
        from workcell.robots.link import Link
        from workcell.robots.robot import Robot

        session = self._session
        entities = []
        for stored in links:
            entities.append(self._object(stored))
            for joint in stored.drawing.joints:
                add_joint(session, joint.place, joint.moves, entities[-1], Transform.from_pose(joint.pose))
        if all((first := one.drawing.joint(INPUT)) is None or first.moves == "fixed" for one in links):
            for entity in entities:
                put_in_scene(session, entity, self._pose)
            self._notes.append(f"{stem}: no joint i turns or slides, so the links are objects and not a robot")
            return
        try:
            chain, home, places = joined(link_files(links, 1.0, shapes=False), 1.0)
        except InvalidValue as error:
            raise FileProblem(f"{self._where}, line {links[0].line}: {error}", path=self._where) from error
        bare = tuple(Link("base" if i == 0 else f"link {i}") for i in range(chain.n + 1))
        name = session.database.free_name("robot", f"{self._prefix}{legal_name(stem, 'robot')}"[:70])
        robot = Robot(name, chain, limits=open_limits(chain), home=home, links=bare, assumed=dict(ASSUMED))
        keep_of_objects(session, name, robot, entities, places)
        put_in_scene(session, session.database.entity("robot", name), self._pose)
        self._robots.append(name)

    def _view(self, one: Look) -> str:
        name = self._session.database.free_name("view", f"{self._prefix}robosim")
        X = self._pose.pose()
        (ex, ey, ez), (tx, ty, tz) = X.apply(np.array(one.eye)), X.apply(np.array(one.target))
        look(self._session, name, eye=(float(ex), float(ey), float(ez)), target=(float(tx), float(ty), float(tz)))
        return name

    def answer(self) -> ImportedSource:
        """Return what was made."""
        counts = [
            counted(len(names), kind)
            for names, kind in ((self._robots, "robot"), (self._objects, "object"), (self._views, "view"))
            if names
        ]
        text = "\n".join([f"{self._where} read: {', '.join(counts)}", *self._notes])
        return ImportedSource(
            tuple(self._robots), tuple(self._objects), tuple(self._views), tuple(self._notes), text
        )  # fmt: skip


@command(
    "export robosim {thing} {file} [in {unit}] [tolerance {tolerance}] [--links] [--replace]",
    help="write a block, object, robot or scene as ROBOSIM source",
    effect="reads",
    background=True,
    thing=Ref("block", "object", "robot", "mechanism", "scene"),
    file=File((ENDING,)),
    unit=Choice(LENGTHS, "UNIT"),
    tolerance=Length(positive=True),
    param_help={
        "thing": "an object with joint frames is written as a link",
        **_UNIT,
        "tolerance": "how far polygons may lie from curved faces that ROBOSIM cannot draw; default 0.5 mm",
        "links": "also write the files that the source stores, beside it: NAME.LOC, NAME.1 … and NAME.OBJ",
        "replace": "overwrite files that exist",
    },
    examples=[
        "> create robot Puma puma560",
        "export robosim Puma puma.robosim",
        "> create block peg cylinder 20 100",
        "export robosim peg peg.robosim in inch --links",
        "export robosim peg peg.robosim tolerance 0.01 --replace",
    ],
)
def export_robosim(
    session: Session,
    thing: Entity,
    file: str,
    unit: str = "mm",
    tolerance: float | None = None,
    links: bool = False,
    replace: bool = False,
) -> Done:
    """Boxes, cylinders, cones, spheres, and straight polygons that are extruded or revolved stay exact.

    Other shapes become polygons; the answer names them. ROBOSIM has no colours, limits, speeds, tools or programs.
    """
    from workcell.geometry.mesh import DEFAULT_TOLERANCE
    from workcell.languages.robosim.writing import write_robosim

    path = Path(file)
    if path.suffix.lower() != ENDING:
        raise FileProblem(f"ROBOSIM source ends in {ENDING}; found {path.name}.")
    fine, size = tolerance or DEFAULT_TOLERANCE, LENGTHS[unit]
    content = _content(session, thing)
    if not content.links and not content.objects:
        raise Refused(f"{thing.kind} {thing.name!r} has no solid to export.")
    written = write_robosim(content, size, fine)
    made = {path: written.text}
    if links:
        made |= {path.with_name(name): text for name, text in _files(content, size, fine).items()}
    for one in made:
        session.files.check_output(one, replace)
    for one, text in reversed(made.items()):  # the source comes last
        session.files.write(one, text.encode(), replace)
    stored = [counted(len(s), k) for s, k in ((content.links, "link"), (content.objects, "object")) if s]
    text = f"{thing.name} written to {path.name} in {unit}: {', '.join(stored)}"
    if links:
        text += f"; beside it {', '.join(one.name for one in list(made)[1:])}"
    if written.polygons:
        within = session.units.show(fine, "length")
        text += f"\nas polygons, curved faces within {within}: {', '.join(written.polygons)}"
    return Done(text)


def _files(content: RobosimFile, unit: float, tolerance: float) -> dict[str, str]:
    """Return the texts of the files that the source stores, by name."""
    from workcell.languages.robosim.links import link_files, object_file
    from workcell.robots.formats import link_file

    found: dict[str, str] = {}
    for links in content.robots().values():
        for stored, made in zip(links, link_files(links, unit, tolerance), strict=True):
            found[stored.name] = link_file.write(made)
    for stored in content.objects:
        name = stored.name if Path(stored.name).suffix else f"{stored.name}.OBJ"
        found[name] = link_file.write(object_file(stored.drawing, unit, tolerance))
    return found


def _content(session: Session, thing: Entity) -> RobosimFile:
    """Return the links and objects of a thing."""
    from workcell.languages.robosim.machine import RobosimFile

    if thing.kind == "scene":
        return _scene(session, thing)
    if thing.kind in ("robot", "mechanism"):
        return RobosimFile(tuple(_robot(session, thing)), (), ())
    stored = _drawn(session, thing)
    joints = stored is not None and bool(stored.drawing.joints)
    kept = () if stored is None else (stored,)
    return RobosimFile(kept if joints else (), () if joints else kept, ())


def _drawn(session: Session, thing: Entity) -> Stored | None:
    """Return a block or an object with its joints; None if it has neither solids nor joints."""
    from workcell.languages.robosim.drawing import Drawing, Joint, Shape
    from workcell.languages.robosim.machine import Stored
    from workcell.languages.robosim.writing import as_token

    solids = [(part, solid) for part, solid in Expander(session.database).solids(thing)]
    kept = [solid for part, solid in solids if not part.ghost] or [solid for _, solid in solids]
    joints = []
    for place in (INPUT, OUTPUT) if thing.kind == "object" else ():
        found = joint_of(session, thing, place)
        joints += [] if found is None else [Joint(place, found.moves, found.pose)]
    if not kept and not joints:
        return None
    drawing = Drawing(tuple(Shape(solid, Pose.identity()) for solid in kept), tuple(joints))
    mass = mass_of(session, thing) if thing.kind == "object" else None
    return Stored(as_token(called(thing)), drawing, mass=mass)


def _robot(session: Session, thing: Entity, X_world_base: Pose | None = None) -> list[Stored]:
    """Return the links of a robot in its initial joint values."""
    from workcell.languages.robosim.links import drawings_of_robot

    robot_of(thing)  # refuses a draft
    robot = Expander(session.database).robot(thing)
    joints = thing.properties.get("joints")
    if joints is not None and len(joints) == robot.n:
        robot = robot.replace(home=np.array(joints, dtype=float))
    return drawings_of_robot(robot, thing.name, X_world_base)


def _scene(session: Session, scene: Entity) -> RobosimFile:
    """Return every robot and every object of a scene in the initial state, drawn in the frame of the world."""
    from workcell.languages.robosim.machine import RobosimFile, Stored
    from workcell.world.flatten import snapshot_of

    database, snapshot = session.database, snapshot_of(session.database, scene.name)
    links: list[Stored] = []
    for placed in snapshot.robots:
        entity = next((e for kind in ("robot", "mechanism") if (e := database.find(kind, placed.name))), None)
        if entity is not None:
            links += _robot(session, entity, snapshot.base_pose(snapshot.initial, placed.name))
    objects: list[Stored] = []
    for body, matrix in zip(snapshot.bodies, snapshot.body_poses(snapshot.initial), strict=True):
        entity = database.find("object", body.owner) if body.link < 0 else None
        stored = None if entity is None or all(piece.ghost for piece in body.pieces) else _drawn(session, entity)
        if stored is not None:
            kept = links if stored.drawing.joints else objects
            name = _unused(stored.name, kept)
            kept.append(Stored(name, stored.drawing.moved(Pose(matrix))))
    return RobosimFile(tuple(links), tuple(objects), ())


def _unused(name: str, before: Sequence[Stored]) -> str:
    taken, number, found = {one.name for one in before}, 1, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found

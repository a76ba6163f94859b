"""Commands on Ding's work cell files: import world, export world."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import File, NewName
from workcell.commands.model import make
from workcell.commands.results import Done, Result
from workcell.commands.robot_building import keep_robot
from workcell.commands.shape_files import read_kept, shown_file
from workcell.errors import FileProblem, InvalidValue
from workcell.geometry.recipe import encode
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.spatial.units import deg
from workcell.wording import counted
from workcell.world.entities import Entity
from workcell.world.flatten import current_scene
from workcell.world.hanging import hang
from workcell.world.names import legal_name
from workcell.world.placing import put_in_scene
from workcell.world.wld_writing import CALLED, LABEL, REMARKS, TEXT, VERSION, Writing, label_text

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.robots.formats.wld import WldFile, WldObject
    from workcell.robots.robot import Robot


TARGET = "C3dTargetPoint"
_MOVING = ("robot", "object")
"""The kinds that share one set of names: what moves is known by its name alone."""


class ImportedWorld(Result, frozen=True):
    """What was made from a work cell file, by name; ``kept`` are frames for objects of unknown classes."""

    robots: tuple[str, ...]
    objects: tuple[str, ...]
    targets: tuple[str, ...]
    kept: tuple[str, ...]
    notes: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "import world {file} [prefix {prefix}] [at {pose}]",
    help="read one of Ding's work cell files: its robots, objects and target points",
    effect="edits",
    file=File((".wld", ".obj")),
    prefix=NewName(),
    pose=PoseValue(),
    param_help={
        "prefix": "put before every name; default: nothing",
        "pose": "where the origin of the file is in this cell; default 0,0,0",
    },
    examples=[
        "> create robot Arm irb6400",
        "> add solid table box 800 600 40 at 1500,0,300",
        "> export world line.wld",
        "import world line.wld prefix left- at 0,4000,0",
        "where left-table",
    ],
)
def import_world(session: Session, file: str, prefix: str = "", pose: Transform = Transform()) -> ImportedWorld:
    """Target points hang on the base of the robot before them in the file. They keep their joint values and branch.

    What a cell has no place for is kept as text with each thing, and `export world` writes it again. An object of an
    unknown class becomes a frame.
    """
    from workcell.robots.formats import wld

    where = shown_file(file)
    data = read_kept(session, file)
    text = wld.text_of(data, where)
    found = wld.parse(text, where)
    return _Making(session, found, where, prefix, pose.pose()).answer()


class _Making:
    """The entities of a work cell file."""

    def __init__(self, session: Session, file: WldFile, where: str, prefix: str, X_world_file: Pose) -> None:
        self._session, self._where, self._prefix, self._X = session, where, prefix, X_world_file
        self._robots: list[tuple[Entity, Robot]] = []
        self._names: dict[str, list[str]] = {"robot": [], "object": [], "target": [], "frame": []}
        self._notes: list[str] = []
        before = sum(f'"{TEXT}"' in one.raw_properties for one in session.database.entities())
        targets = []
        for item in file.objects:
            with self._at(item):
                made = self._one(item)
            if item.kind == TARGET:
                targets.append((item, made, len(self._robots) - 1))
        for item, made, robot in targets:
            with self._at(item):
                self._teach(item, made, max(robot, 0))
        self._keep_the_rest(file, before)

    @contextmanager
    def _at(self, item: WldObject) -> Iterator[None]:
        """Add the file and the line to a refusal."""
        try:
            yield
        except InvalidValue as error:
            place = "" if error.evidence.get("line") else f", line {item.line}"
            raise FileProblem(f"{self._where}{place}: {error}", path=self._where) from error

    def _one(self, item: WldObject) -> Entity:
        from workcell.robots.formats import wld, wld_objects

        if item.kind == "C6RRobot":
            return self._robot(item)
        if item.kind in wld_objects.SHAPES:
            return self._solid(item)
        kind = "target" if item.kind == TARGET else "frame"
        name = self._free(kind, item.name or item.kind)
        more = {CALLED: name} if not self._prefix and name != item.name else {}
        made = self._entity(kind, name, {TEXT: wld.object_text(item), **more})
        if kind == "frame":
            put_in_scene(self._session, made, Transform.from_pose(self._X @ item.pose))
        return made

    def _robot(self, item: WldObject) -> Entity:
        from workcell.robots.formats import wld_objects, wld_robots

        robot = wld_robots.robot_of(item)
        name = self._free("robot", item.name or "robot")
        keep_robot(self._session, "robot", name, robot)
        database = self._session.database
        entity = database.entity("robot", name)
        database.set_properties(self._session.rows, entity, self._kept(item, name))
        if item.has("Color"):
            self._session.rows.update("entity", entity.id, colour=_hex(item))
        put_in_scene(self._session, entity, Transform.from_pose(self._X @ wld_objects.base_of(item)))
        entity = database.entity("robot", name)
        self._robots.append((entity, robot))
        return entity

    def _solid(self, item: WldObject) -> Entity:
        from workcell.robots.formats import wld_objects

        solid = wld_objects.SHAPES[item.kind](item)
        database = self._session.database
        name = self._free("object", item.name or "object")
        block = database.free_name("block", f"{name}-solid")
        colour = _hex(item) if item.has("Color") else None
        make(self._session, "block", block, shape=encode(solid.recipe).decode(), colour=colour)
        whole = self._entity("object", name, self._kept(item, name))
        database.attach(self._session.rows, whole, database.entity("block", block), block)
        put_in_scene(self._session, whole, Transform.from_pose(self._X @ item.pose))
        return whole

    def _teach(self, item: WldObject, target: Entity, number: int) -> None:
        """Hang a target point on its robot, with its joint values and their branch."""
        from workcell.robots.formats import wld_edit, wld_objects

        hand = wld_objects.hand_of(item)
        joints = [v * deg for v in item.field("Thetas").numbers(6)]
        database = self._session.database
        if not self._robots:
            theta, alpha = item.field("Base").numbers(2) if item.has("Base") else (0.0, 0.0)
            base = wld_edit.turned((theta * deg, alpha * deg))
            put_in_scene(self._session, target, Transform.from_pose(self._X @ base @ hand))
            database.set_properties(self._session.rows, target, {"joints": joints})
            return
        entity, robot = self._robots[number]
        hang(self._session, target, entity, pose=Transform.from_pose(hand), link=0)
        values: dict[str, Any] = {"joints": joints, "robot": entity.name}
        found = min(robot.ik(hand), key=lambda s: _apart(s.q, joints), default=None)
        if found is None or _apart(found.q, joints) > 1e-3:
            self._notes.append(f"the Thetas of {target.name!r} do not bring {entity.name!r} to the target")
        elif found.label is not None:
            values[LABEL] = label_text(found.label)
        database.set_properties(self._session.rows, database.entity("target", target.name), values)

    def _keep_the_rest(self, file: WldFile, before: int) -> None:
        """Keep the rest of the file with the scene: its version and its remarks."""
        database = self._session.database
        scene = database.find("scene", current_scene(database))
        if scene is None:
            make(self._session, "scene", "main")
            scene = database.entity("scene", "main")
        own = scene.properties
        remarks = [[before + at, text] for at, text in file.remarks]
        values: dict[str, Any] = {VERSION: own.get(VERSION, file.version)}
        if remarks:
            values[REMARKS] = [*own.get(REMARKS, []), *remarks]
        database.set_properties(self._session.rows, scene, values)

    def _kept(self, item: WldObject, name: str) -> dict[str, Any]:
        from workcell.robots.formats import wld

        called = f"{self._prefix}{item.name}"
        kept: dict[str, Any] = {TEXT: wld.object_text(item)}
        if item.alpha < 1.0:
            kept["transparency"] = 1.0 - item.alpha
        if not item.name and not self._prefix:
            kept[CALLED] = name
        elif item.name and called != name:
            kept[LABEL] = called
        return kept

    def _entity(self, kind: str, name: str, properties: dict[str, Any]) -> Entity:
        make(self._session, kind, name, properties=properties)
        return self._session.database.entity(kind, name)

    def _free(self, kind: str, called: str) -> str:
        database, wanted = self._session.database, f"{self._prefix}{legal_name(called, kind)}"[:76].rstrip()
        name, count = database.free_name(kind, wanted), 1
        while kind in _MOVING and any(database.find(other, name) is not None for other in _MOVING):
            count += 1
            name = f"{wanted}-{count}"
        self._names[kind].append(name)
        return name

    def answer(self) -> ImportedWorld:
        """Return what was made."""
        robots, objects, targets, frames = (tuple(self._names[kind]) for kind in self._names)
        counts = [counted(len(n), k) for n, k in ((robots, "robot"), (objects, "object"), (targets, "target")) if n]
        summary = f"{self._where} read: {', '.join(counts) or 'nothing'}"
        if frames:
            listed = ", ".join(repr(name) for name in frames)
            summary += f"\nobjects of unknown classes, kept as {'a frame' if len(frames) == 1 else 'frames'}: {listed}"
        text = "\n".join([summary, *self._notes])
        return ImportedWorld(robots, objects, targets, frames, tuple(self._notes), text)


def _hex(item: WldObject) -> str:
    return "#" + "".join(f"{round(255 * min(max(channel, 0.0), 1.0)):02x}" for channel in item.colour)


def _apart(q: Any, joints: list[float]) -> float:
    """Return the largest difference between two sets of angles [rad], whole turns aside."""
    return float(np.abs(np.remainder(np.asarray(q) - joints + np.pi, 2.0 * np.pi) - np.pi).max())


@command(
    "export world {file} [of {scene}] [--replace]",
    help="write robots, objects and targets to one of Ding's work cell files (.wld)",
    effect="reads",
    background=True,
    file=File((".wld",)),
    scene=Ref("scene"),
    param_help={"scene": "the scene to write; default: the current one", "replace": "overwrite the file if it exists"},
    examples=[
        "> create robot Arm irb6400",
        "> add solid table box 800 600 40 at 1500,0,300",
        "export world line.wld",
        "export world line.wld --replace",
    ],
)
def export_world(session: Session, file: str, scene: Entity | None = None, replace: bool = False) -> Done:
    """The file has everything in its initial state. The answer names what the format cannot hold.

    What was read from a work cell file and did not change is written as it was.
    """
    from workcell.robots.formats import wld

    if Path(file).suffix.lower() != ".wld":
        raise FileProblem(f"A work cell file ends in .wld; found {Path(file).name}.")
    session.files.check_output(file, replace)
    made = Writing(session.database, None if scene is None else scene.name)
    session.files.write(file, wld.write(made.file).encode(), replace)
    return Done("\n".join([f"{counted(len(made.file.objects), 'object')} written to {Path(file).name}", *made.notes]))

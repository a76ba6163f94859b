"""Commands on robot files: import robot, export robot."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from workcell.commands.given_robots import fit_own_tool, robot_text
from workcell.commands.import_places import FreeFloor, Wanted
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import File, NewName
from workcell.commands.prepared import FROM_FILE, Prepared, prepared
from workcell.commands.results import Done, Made
from workcell.commands.robot_building import keep_robot
from workcell.errors import FileProblem, NotACell
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.world.entities import Entity
from workcell.world.expand import Expander
from workcell.world.fitted_tool import robot_with_tool
from workcell.world.fitting import fitted
from workcell.world.kept_files import BLOB
from workcell.world.names import legal_name
from workcell.world.placing import put_in_scene
from workcell.world.robot_shape import is_robot, robot_of

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.robots.formats.urdf_write import Branch, UrdfText
    from workcell.robots.open_robot import Opened
    from workcell.robots.robot import Robot


class ImportedRobot(Made, frozen=True):
    """A robot from a file, the robots that stand on it, the links without a known shape, and remarks."""

    others: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        also = f", with {', '.join(repr(name) for name in self.others)} on it" if self.others else ""
        return "\n".join([f"robot {self.name!r} created{also}", *self.broken, *self.notes])


class _Read(NamedTuple):
    """The robots of a file, and the bytes that the cell keeps: those of the file, with its meshes if it has any."""

    opened: Opened
    kept: bytes


def _prepare_import(session: Session, file: str, **given: Any) -> Prepared:
    Wanted(given.get("pose"), None, given.get("beside", False))
    return Prepared(_read(session, file, given.get("unknown_shapes", False)), FROM_FILE)


@command(
    "import robot {name} {file} [at {pose}] [--beside] [--unknown-shapes]",
    help="read a robot from a file: URDF with its meshes, Ding's WLD, or a Workcell robot file",
    effect="edits",
    prepares=_prepare_import,
    name=NewName(),
    file=File((".urdf", ".wld", ".toml", ".obj")),
    pose=PoseValue(),
    param_help={
        "unknown_shapes": "if a mesh is missing or unreadable, mark the link instead of refusing the file; "
        "collision answers then name the link",
        "pose": "where its base stands; default 0,0,0",
        "beside": "let it stand on the floor beside everything else",
    },
    examples=[
        "> create robot Puma puma560",
        "> export robot Puma puma.urdf",
        "import robot Other puma.urdf at 1000,0,0",
        "import robot Third puma.urdf --beside",
    ],
)
def import_robot(
    session: Session,
    name: str,
    file: str,
    pose: Transform | None = None,
    beside: bool = False,
    unknown_shapes: bool = False,
) -> ImportedRobot:
    """A branched URDF becomes several robots, each mounted where it branches off. The cell keeps the meshes."""
    from workcell.robots.robot import Robot

    database, free = session.database, FreeFloor(session) if Wanted(pose, None, beside).beside else None
    stands: list[tuple[Entity, Pose]] = []
    opened, kept_bytes = prepared(session, FROM_FILE, lambda: _read(session, file, unknown_shapes), "the robot")
    if not file.startswith(BLOB):
        session.resolve(file=BLOB + database.keep_blob(kept_bytes))
    made: dict[str, Entity] = {}
    first: Made | None = None
    unknown: list[str] = []
    notes = [*opened.notes]
    for item in opened.mounting.items:
        assert isinstance(item.device, Robot)
        label = name if not made else _free_name(session, f"{name} {item.device.name}")
        bare = item.device if item.device.tool is None else item.device.with_tool(None)
        kept = keep_robot(session, "robot", label, bare)
        first = first or kept
        entity = database.entity("robot", label)
        tool = fit_own_tool(session, entity, item.device)
        notes += [f"{tool} is on the flange of {label}"] if tool else []
        unknown += [f"{label}/{link.name}" for link in item.device.links if link.unknown]
        if item.parent in made:
            carrier = robot_of(made[item.parent])
            link, X_link_base = _seat(carrier, item.frame, item.X_frame_base)
            database.attach(
                session.rows, made[item.parent], entity, label, Transform.from_pose(X_link_base), {"link": link}
            )
        else:
            stands.append((entity, item.X_frame_base))
            put_in_scene(session, entity, Transform.from_pose((pose or Transform()).pose() @ item.X_frame_base))
        made[item.name] = entity
    assert first is not None
    if free is not None:
        place = free.place()
        for entity, X_file_base in stands:
            put_in_scene(session, entity, Transform.from_pose(place.pose() @ X_file_base))
    others = tuple(entity.name for entity in made.values())[1:]
    return ImportedRobot("robot", first.name, first.id, (), others, tuple(unknown), tuple(notes))


def _free_name(session: Session, wanted: str) -> str:
    """Return a legal name that no robot has."""
    plain = "".join(c if c.isalnum() or c in "-_+ " else "_" for c in wanted)[:70].strip()
    name, count = plain, 1
    while session.database.find("robot", name) is not None:
        count += 1
        name = f"{plain} {count}"
    return name


def _read(session: Session, file: str, unknown_shapes: bool) -> _Read:
    """Return the robots of a file."""
    from workcell.robots.formats.urdf_files import Beside, Bundle
    from workcell.robots.open_robot import parse

    if file.startswith(BLOB):
        data = session.database.blob(file[len(BLOB) :])
        bundle = Bundle.from_bytes(data)
        if bundle is not None:
            return _Read(parse(bundle.text, "the file", bundle.fetch, unknown_shapes), data)
        return _Read(parse(_text(data, "the file"), "the file", unknown_shapes=unknown_shapes), data)
    where = Path(file).name
    session.progress(0.0, f"reading {where}")
    data = session.files.read(file)
    beside = Beside(file, session.files)
    text = _text(data, where)
    opened = parse(text, where, beside.fetch, unknown_shapes)
    kept = beside.bundle(text)
    opened = opened._replace(notes=(*opened.notes, *beside.notes))
    return _Read(opened, data if kept is None else kept.to_bytes())


def _text(data: bytes, where: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotACell(f"{where} is not a text file; a robot file is URDF, WLD or TOML.") from None


def _seat(carrier: Robot, frame: str, X_frame_base: Pose) -> tuple[int, Pose]:
    """Return the link of a mounting place, and the pose of the base in the frame of that link."""
    if frame == "tool":
        return carrier.n, carrier.chain.X_n_tool @ X_frame_base
    if frame == "flange":
        return carrier.n, X_frame_base
    return int(frame or 0), X_frame_base


@command(
    "export robot {robot} {file} [--replace]",
    help="write a robot to a file: .urdf with its meshes beside it, .zip of both, .wld or .toml",
    effect="reads",
    background=True,
    robot=Ref("robot"),
    file=File((".urdf", ".zip", ".wld", ".toml")),
    param_help={"replace": "overwrite files that exist"},
    examples=["> create robot Puma puma560", "export robot Puma puma.urdf", "export robot Puma puma.toml"],
)
def export_robot(session: Session, robot: Entity, file: str, replace: bool = False) -> Done:
    """A ZIP archive holds the URDF file and its meshes. A WLD file holds no shapes of links.

    A URDF file also holds the robots that stand on the robot, as branches; a TOML file holds the tool on the flange.
    """
    from workcell.robots.formats import urdf_archive, urdf_write, wld, wld_robots

    session.files.check_output(file, replace)
    path = Path(file)
    robot_of(robot)  # refuses a draft
    one = Expander(session.database).robot(robot)
    tools = [session.database.by_id(relation.child).name for relation in fitted(session.database, robot)]
    notes = [f"the file does not contain {name}, which is on the flange" for name in tools]
    if path.suffix in (".urdf", ".zip"):
        name = path.stem if path.suffix == ".urdf" else legal_name(robot.name)
        made = urdf_write.write(one, name, branches=_branches(session, robot))
        made = dataclasses.replace(made, notes=(*made.notes, *notes))
        if path.suffix == ".urdf":
            _write_urdf(session, path, made, replace)
        else:
            session.files.write(file, urdf_archive.packed(made, name), replace)
        return _urdf_written(robot.name, path, made)
    if path.suffix == ".wld":
        text = wld.write(wld.WldFile((wld_robots.object_of_robot(one),)))
    elif path.suffix == ".toml":
        one, left_out = robot_with_tool(session.database, robot)
        text, notes = robot_text(one), list(left_out)
    else:
        raise FileProblem(f"A robot is written as .urdf, .zip, .wld or .toml; found {path.name}.")
    session.files.write(file, text.encode(), replace)
    tool = f", with {one.tool.name} on its flange" if one.tool is not None else ""
    return Done("; ".join([f"{robot.name} written to {path}{tool}", *notes]))


def _branches(session: Session, carrier: Entity) -> tuple[Branch, ...]:
    """Return the robots and mechanisms that stand on a robot."""
    from workcell.robots.formats.urdf_write import Branch

    expander, found = Expander(session.database), []
    for relation, part in expander.parts(carrier):
        if relation.kind == "mount" and part.kind in ("robot", "mechanism") and is_robot(part):
            link = int(relation.properties.get("link", 0))
            found.append(Branch(expander.robot(part), link, Pose(relation.matrix), _branches(session, part)))
    return tuple(found)


def _write_urdf(session: Session, path: Path, made: UrdfText, replace: bool) -> None:
    """Write a URDF and its meshes; the URDF comes last, so that it never names a missing file."""
    from workcell.robots.formats.urdf_write import MESHES

    files = session.files
    if made.meshes:
        files.make_folder(path.parent / MESHES)
    for mesh in made.meshes:
        files.check_output(path.parent / mesh, replace)
    for mesh, data in made.meshes.items():
        files.write(path.parent / mesh, data, replace)
    files.write(path, made.text.encode(), replace)


def _urdf_written(name: str, path: Path, made: UrdfText) -> Done:
    from workcell.robots.formats.urdf_write import MESHES

    count = len(made.meshes)
    words = f"{count} mesh{'es' * (count > 1)} in {MESHES}, within {made.deviation * 1e3:.2g} mm of the solids"
    return Done("; ".join([f"{name} written to {path}" + (f" with {words}" if count else ""), *made.notes]))

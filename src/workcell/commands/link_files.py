"""Commands on ROBOSIM link files: import links, export links, export link."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import Choice, File, NewName
from workcell.commands.link_building import joints_of, mass_of
from workcell.commands.results import Done, Made
from workcell.commands.robot_building import keep_robot
from workcell.errors import FileProblem, InvalidValue, Refused
from workcell.spatial.transform import Transform
from workcell.spatial.units import LENGTHS
from workcell.wording import counted
from workcell.world.entities import Entity
from workcell.world.expand import Expander
from workcell.world.kept_files import BLOB
from workcell.world.placing import put_in_scene
from workcell.world.robot_shape import robot_of

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.robots.formats.link_file import LinkFile

_MOST_FILES = 60
BASE = "LOC"
"""The ending of the base link in the files of R2; Workcell's own numbers begin with 0."""
_UNIT = {"unit": "of the lengths in the files; default mm"}


class ImportedLinks(Made, frozen=True):
    """A robot from link files, and remarks about what the files do not state."""

    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"robot {self.name!r} created", *self.broken, *self.notes])


@command(
    "import links {name} [of {files}]* [in {unit}] [at {pose}]",
    help="make a robot from link files of ROBOSIM, the base first",
    effect="edits",
    name=NewName(),
    files=File(),
    unit=Choice(LENGTHS, "UNIT"),
    pose=PoseValue(),
    param_help={
        "files": "one file for each link, the base first; or the name without its ending: puma for puma.0 or puma.LOC, "
        "then puma.1 …",
        **_UNIT,
        "pose": "where its base stands; default 0,0,0",
    },
    examples=[
        "> create robot Puma puma560",
        "> export links Puma puma",
        "import links Other of puma at 1000,0,0",
        "import links Arm of puma.0 of puma.1 of puma.2",
    ],
)
def import_links(
    session: Session, name: str, files: tuple[str, ...] = (), unit: str = "mm", pose: Transform = Transform()
) -> ImportedLinks:
    """The files give DH parameters, masses and shapes.

    A link with a fixed input joint becomes part of the link before it.

    The angles in the files become the initial joint values. If the faces that the vectors draw close, they are the
    shape of the link. The cell keeps the files.
    """
    from workcell.robots.formats import link_file

    if not files:
        raise Refused(f"Name the link files of {name!r}, the base first: import links {name} of FILE of FILE …")
    names = [one for file in files for one in _numbered(session, file)]
    texts, kept = [], []
    for file in names:
        if file.startswith(BLOB):
            data = session.database.blob(file[len(BLOB) :])
        else:
            data = session.files.read(file)
        kept.append(BLOB + session.database.keep_blob(data))
        try:
            texts.append(data.decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise FileProblem(f"{_shown(file)} is not a text file; a link file has rows of four numbers.") from None
    session.resolve(files=tuple(kept))
    links = []
    for file, text in zip(names, texts, strict=True):
        try:
            links.append(link_file.parse(text, _shown(file)))
        except InvalidValue as error:
            raise FileProblem(f"{_shown(file)}: {error}", path=_shown(file)) from error
    robot = link_file.robot_from_links(links, name, LENGTHS[unit])
    made = keep_robot(session, "robot", name, robot)
    put_in_scene(session, session.database.entity("robot", name), pose)
    return ImportedLinks("robot", made.name, made.id, (), _notes(names, links, LENGTHS[unit]))


def _notes(names: list[str], links: list[LinkFile], unit: float) -> tuple[str, ...]:
    notes = [f"{_shown(file)}: {fault}" for file, link in zip(names, links, strict=True) for fault in link.check()]
    for file, link in zip(names, links, strict=True):
        if len(link.vectors) and not link.solids(unit):
            notes.append(f"{_shown(file)}: {counted(len(link.vectors), 'vector')}, but no solid: the link has no shape")
    return (*notes, "link files have no joint limits, speeds and colours; `check robot` lists what is assumed")


def _numbered(session: Session, file: str) -> list[str]:
    """Return the file itself or, if it does not exist, the files with its name and numbers behind it, in order."""
    if file.startswith(BLOB) or session.files.is_file(file):
        return [file]
    found = [f"{file}.{BASE}"] if session.files.is_file(f"{file}.{BASE}") else []
    while session.files.is_file(f"{file}.{len(found)}") and len(found) < _MOST_FILES:
        found.append(f"{file}.{len(found)}")
    return found or [file]


def _shown(file: str) -> str:
    return "a link file kept in the cell" if file.startswith(BLOB) else Path(file).name


@command(
    "export links {robot} {file} [in {unit}] [--replace]",
    help="write a robot as ROBOSIM link files: FILE.0 is the base, FILE.1 the first link, and so on",
    effect="reads",
    background=True,
    robot=Ref("robot", "mechanism"),
    file=File(),
    unit=Choice(LENGTHS, "UNIT"),
    param_help={**_UNIT, "file": "the beginning of the file names", "replace": "overwrite files that exist"},
    examples=["> create robot Puma puma560", "export links Puma puma", "export links Puma puma --replace"],
)
def export_links(session: Session, robot: Entity, file: str, unit: str = "mm", replace: bool = False) -> Done:
    """The files have the initial joint values, the masses, and the faces of the shapes as vectors.

    A base that no DH row can describe takes two files, and so does a tool, which comes last. Link files cannot hold
    limits, speeds and colours.
    """
    import numpy as np

    from workcell.robots.formats import link_file

    robot_of(robot)  # refuses a draft
    one = Expander(session.database).robot(robot)
    joints = robot.properties.get("joints")
    if joints is not None and len(joints) == one.n:
        one = one.replace(home=np.array(joints, dtype=float))
    made = [link_file.write(link) for link in link_file.links_of_robot(one, LENGTHS[unit])]
    names = [f"{file}.{number}" for number in range(len(made))]
    for name in names:
        session.files.check_output(name, replace)
    for name, text in zip(names, made, strict=True):
        session.files.write(name, text.encode(), replace)
    first, last = Path(names[0]).name, Path(names[-1]).name
    return Done(f"{robot.name} written as {counted(len(names), 'link file')}, {first} to {last}")


@command(
    "export link {link} {file} [in {unit}] [--replace]",
    help="write an object with its joint frames as a link file of ROBOSIM",
    effect="reads",
    background=True,
    link=Ref("object"),
    file=File(),
    unit=Choice(LENGTHS, "UNIT"),
    param_help={**_UNIT, "replace": "overwrite the file if it exists"},
    examples=[
        "> create block column cylinder 100 500",
        "> create object base",
        "> attach column to base",
        "> add joint i fixed to base at 0,0,-250",
        "> add joint i+1 revolute to base at 0,0,250",
        "export link base crane.loc",
    ],
)
def export_link(session: Session, link: Entity, file: str, unit: str = "mm", replace: bool = False) -> Done:
    """The file has the joint frames, the DH parameters, the mass if it is known, and the faces of the solids."""
    from workcell.robots.formats import link_file

    session.files.check_output(file, replace)
    first, second = joints_of(session, link)
    solids = [solid for part, solid in Expander(session.database).solids(link) if not part.ghost]
    made = link_file.link_of_solids(
        first.pose, second.pose, (first.moves, second.moves), solids, mass_of(session, link), LENGTHS[unit]
    )
    session.files.write(file, link_file.write(made).encode(), replace)
    return Done(f"{link.name} written to {Path(file).name}: {counted(len(made.vectors), 'vector')}")

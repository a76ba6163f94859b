"""The command import-way: which command reads a file into the cell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from workcell.commands.language.registry import command
from workcell.commands.language.texts import escape
from workcell.commands.language.values import File
from workcell.commands.results import Result
from workcell.commands.script import read_lines
from workcell.commands.text_reading import TextReading, reading_of
from workcell.errors import Refused, UnknownName
from workcell.spatial.units import LENGTHS
from workcell.wording import quoted
from workcell.world.names import legal_name

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.world.database import Database

_SOLID, _ASSEMBLY, _ROBOT = "import solid", "import assembly", "import robot"
_WORLD, _ROBOSIM, _AGENT, _PROGRAM = "import world", "import robosim", "import agent", "load-program"
_LOAD = "load"
_WAYS: dict[str, tuple[str, str]] = {
    ".step": (_ASSEMBLY, "an object with the parts of a STEP file"),
    ".stp": (_ASSEMBLY, "an object with the parts of a STEP file"),
    ".glb": (_ASSEMBLY, "an object with the parts of a glTF file"),
    ".gltf": (_ASSEMBLY, "an object with the parts of a glTF file"),
    ".dae": (_ASSEMBLY, "an object with the parts of a COLLADA file"),
    ".stl": (_SOLID, "an object with the triangles of an STL file"),
    ".obj": (_SOLID, "an object with the triangles of an OBJ file"),
    ".urdf": (_ROBOT, "a robot, with the meshes beside the file"),
    ".toml": (_ROBOT, "a robot of a Workcell robot file"),
    ".wld": (_WORLD, "the robots, objects and targets of a work cell file"),
    ".robosim": (_ROBOSIM, "the objects and robots of ROBOSIM source"),
    ".agent": (_AGENT, "a program, and what its lines define"),
    ".cmd": (_AGENT, "a program, and what its lines define"),
    ".txt": (_PROGRAM, "a program of the lines of a text file"),
    ".cell": (_LOAD, "copies of everything in another cell"),
    ".celltext": (_LOAD, "copies of everything in another cell"),
    ".rec": ("load-recording", "a recording, to look at"),
    ".cellscript": (_LOAD, "what the commands of a script make"),
}
_NAMED = (_SOLID, _ASSEMBLY, _ROBOT, _AGENT, _PROGRAM)
"""Commands that need a name."""
_PLACED = {_SOLID: "on", _ASSEMBLY: "on", _ROBOT: "at"}
"""Commands that put what they make somewhere, and the word before the point on which it stands."""
_CELLS = (".cell", ".celltext")
_PICTURE = "a picture, and a cell has no place for pictures"
_CAD = "of a CAD program; save it as STEP there"
_PACKED = "an archive; unpack it, and take the files in it"
_FOREIGN = {
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".webp", ".gif", ".svg", ".bmp", ".tif", ".tiff"), _PICTURE),
    **dict.fromkeys((".mp4", ".webm", ".avi", ".mov"), "a film, and a cell has no place for films"),
    **dict.fromkeys((".igs", ".iges", ".sldprt", ".sldasm", ".ipt", ".iam", ".catpart", ".catproduct"), _CAD),
    **dict.fromkeys((".prt", ".asm", ".3dm", ".dwg", ".dxf", ".f3d", ".blend", ".3mf", ".ply", ".fbx"), _CAD),
    **dict.fromkeys((".zip", ".tar", ".gz", ".7z", ".rar"), _PACKED),
    ".xacro": "the source of a URDF file; `xacro` makes that of it",
    ".run": "a paused run; `load-run` goes on with it",
    ".csv": "a table; `export-recording` writes such files, and nothing reads them",
    ".py": "a Python program; start it beside Workcell, it connects by `workcell.connect()`",
}
"""What is known of files that cannot be imported, behind 'NAME is'."""
_SMALL = 3.0
"""A part in millimetres is rarely smaller, and one in metres rarely larger."""
_ASKED = ("mm", "cm", "m", "inch", "ft")
"""The units to choose from."""


class UnitChoice(msgspec.Struct, frozen=True):
    """A unit of a file that states none, and how large its shape would be."""

    unit: str
    size: str


class ImportWay(Result, frozen=True):
    """How a file is read: the command and its parameters, for a call.

    ``parameters`` has a proposed name where the command needs one, in quotes if it has blanks, and for a file without
    a unit the one that its size suggests; ``units`` are the others. ``placing`` is the word before the point on which
    it shall stand, if the command takes one and ``--beside``; else it is empty. ``whole`` is true for a cell, which can
    also be opened; read, it comes as copies with a prefix. ``script`` is true for a text of steps that are commands
    too: `load` carries it out instead.
    """

    command: str
    parameters: dict[str, Any]
    makes: str
    placing: str
    units: tuple[UnitChoice, ...]
    whole: bool
    script: bool
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "import-way {file}",
    help="show which command reads a file into the cell",
    effect="reads",
    background=True,
    file=File(tuple(_WAYS)),
    examples=["> create block peg cylinder 20 100", "> export solid peg peg.step", "import-way peg.step"],
)
def import_way(session: Session, file: str) -> ImportWay:
    """The ending of the name decides. The answer proposes a name that nothing else in the cell has.

    A text file is a program if its lines are steps, and a script if they are commands that no program can have, or
    programs between `program NAME` and `end`.
    STL and OBJ files do not state their unit. They are read to propose one: metres if they would be smaller than 3 mm.
    """
    path = Path(file)
    if session.files.confined:
        with session.files.opened(file):  # a client learns nothing about files that it may not use
            pass
    found = _WAYS.get(path.suffix.lower())
    if found is None:
        foreign = _FOREIGN.get(path.suffix.lower())
        if foreign is not None:
            raise Refused(f"{path.name} is {foreign}. These can be imported: {', '.join(_WAYS)}.")
        raise UnknownName.among("kind of file to import", path.suffix or path.name, _WAYS)
    reader, makes = found
    text_kind = _text_kind(session, file) if reader == _PROGRAM else ""
    if text_kind == "script":
        reader, makes = _WAYS[".cellscript"]
    given: dict[str, Any] = {"file": file}
    words = [reader]
    if reader in _NAMED:
        given["name"] = quoted(_free_name(session.database, legal_name(path.stem)))
        words.append(given["name"])
    words.append(quoted(escape(file)))
    units: tuple[UnitChoice, ...] = ()
    if reader == _SOLID:
        given["unit"], units = _unit(session, file)
        words.append(given["unit"])
    whole = path.suffix.lower() in _CELLS
    if whole:
        given |= {"prefix": quoted(f"{legal_name(path.stem, 'other')}-"), "here": True}
        words += ["prefix", given["prefix"], "--here"]
    if reader in _PLACED:
        words.append("--beside")
    text = f"`{' '.join(words)}` makes {makes}"
    return ImportWay(reader, given, makes, _PLACED.get(reader, ""), units, whole, text_kind == "either", text)


def _text_kind(session: Session, file: str) -> TextReading:
    """Return what the lines of a text file are; refused if none of them begins like a step or a command."""
    if not session.files.is_file(file):
        return "program"
    found = reading_of(read_lines(session.files.read(file)))
    if found == "neither":
        raise Refused(
            f"{Path(file).name} is neither a program nor a script: no line in it begins with a step or a command. "
            "Lines of the Agent language are read from a file with the ending .agent."
        )
    return found


def _free_name(database: Database, wanted: str) -> str:
    """Return a name that nothing of any kind has, so that it can be used alone."""
    taken = {entity.name for entity in database.entities()}
    name, count = wanted, 1
    while name in taken:
        count += 1
        name = f"{wanted}-{count}"
    return name


def _unit(session: Session, file: str) -> tuple[str, tuple[UnitChoice, ...]]:
    """Return the unit that the size of a shape suggests, and how large it would be in each."""
    from workcell.geometry.formats import files

    if not session.files.is_file(file):
        return "mm", ()
    path = Path(file)
    with files.naming(path.name):
        solid = files.from_bytes(session.files.read(file), path.suffix.lower(), "m")
        low, high = solid.mesh().bounds
    sides = [float(side) for side in high - low]
    choices = tuple(UnitChoice(unit, _size(session, sides, LENGTHS[unit])) for unit in _ASKED)
    return "m" if max(sides) < _SMALL else "mm", choices


def _size(session: Session, sides: list[float], scale: float) -> str:
    """Return the sides of a box in the units of the cell."""
    units = session.units
    shown = [units.from_si(side * scale, "length") for side in sides]
    return " × ".join(f"{side:.0f}" if side >= 1000.0 else f"{side:.3g}" for side in shown) + f" {units.length}"

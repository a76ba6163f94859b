"""The command import-way: which command reads a file into the cell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from workcell.commands.language.registry import command
from workcell.commands.language.texts import escape
from workcell.commands.language.values import File
from workcell.commands.results import Result
from workcell.errors import UnknownName
from workcell.wording import quoted
from workcell.world.names import legal_name

if TYPE_CHECKING:
    from workcell.commands.session import Session

_SOLID, _ASSEMBLY, _ROBOT = "import solid", "import assembly", "import robot"
_WORLD, _ROBOSIM, _AGENT = "import world", "import robosim", "import agent"
_WAYS: dict[str, tuple[str, str]] = {
    ".step": (_ASSEMBLY, "an object with the parts of a STEP file"),
    ".stp": (_ASSEMBLY, "an object with the parts of a STEP file"),
    ".glb": (_ASSEMBLY, "an object with the parts of a glTF file"),
    ".gltf": (_ASSEMBLY, "an object with the parts of a glTF file"),
    ".dae": (_ASSEMBLY, "an object with the parts of a COLLADA file"),
    ".stl": (_SOLID, "a block with the triangles of an STL file"),
    ".obj": (_SOLID, "a block with the triangles of an OBJ file"),
    ".urdf": (_ROBOT, "a robot, with the meshes beside the file"),
    ".toml": (_ROBOT, "a robot of a Workcell robot file"),
    ".wld": (_WORLD, "the robots, objects and targets of a work cell file"),
    ".robosim": (_ROBOSIM, "the objects and robots of ROBOSIM source"),
    ".agent": (_AGENT, "a program, and what its lines define"),
    ".cmd": (_AGENT, "a program, and what its lines define"),
    ".cell": ("load", "everything in another cell"),
    ".celltext": ("load", "everything in another cell"),
    ".rec": ("load-recording", "a recording, to look at"),
    ".cellscript": ("load", "the commands of a script"),
}
_PLACED = (_SOLID, _ASSEMBLY)
"""Commands whose result stands nowhere until it is placed."""
_NAMED = {_SOLID: "block", _ASSEMBLY: "object", _ROBOT: "robot", _AGENT: "program"}
"""Commands that need a name, and the kind of what they make."""


class ImportWay(Result, frozen=True):
    """How a file is read: the command and its parameters, for a call; ``placing`` whether `place` should follow.

    ``parameters`` has a proposed name where the command needs one, in quotes if it has blanks, and the unit for files
    that do not state theirs.
    """

    command: str
    parameters: dict[str, Any]
    makes: str
    placing: bool
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
    """The ending of the name decides; the file is not read. The answer proposes a name that is free."""
    path = Path(file)
    found = _WAYS.get(path.suffix.lower())
    if found is None:
        raise UnknownName.among("kind of file to import", path.suffix or path.name, _WAYS)
    reader, makes = found
    given: dict[str, Any] = {"file": file}
    words = [reader]
    if reader in _NAMED:
        given["name"] = quoted(session.database.free_name(_NAMED[reader], legal_name(path.stem)))
        words.append(given["name"])
    words.append(quoted(escape(file)))
    if reader == _SOLID:
        given["unit"] = "mm"
        words.append("mm")
    text = f"`{' '.join(words)}` makes {makes}" + ("; `place` puts it into the scene" if reader in _PLACED else "")
    return ImportWay(reader, given, makes, reader in _PLACED, text)

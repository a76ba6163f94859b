"""Commands on files: save, load, save-recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workcell.commands.output_file import refuse_existing, write_file
from workcell.commands.registry import command
from workcell.commands.results import Done
from workcell.commands.values import File, NewName
from workcell.errors import FileProblem
from workcell.world.merge import merge
from workcell.world.text_form import read_source, to_text

if TYPE_CHECKING:
    from workcell.commands.session import Session

BLOB = "blob:"
"""How the journal names a file whose bytes the cell keeps."""


@command(
    "save {file}",
    help="save a copy of the cell: a .cell file, or its text form",
    effect="reads",
    file=File((".cell", ".celltext")),
    examples=["> create block cube1", "save copy.cell", "save copy.celltext"],
)
def save(session: Session, file: str) -> Done:
    """The cell itself is saved by every command; this makes another file."""
    path = Path(file)
    if path.suffix == ".celltext":
        if path.exists():
            raise FileProblem(f"{path} exists already; choose another name.")
        write_file(path, to_text(session.database).encode())
    else:
        session.database.store.save_as(path)
    return Done(f"saved as {path}")


@command(
    "load {file} [prefix {prefix}]",
    help="merge the entities and relations of another cell into this one",
    effect="edits",
    file=File((".cell", ".celltext")),
    prefix=NewName(),
    param_help={"prefix": "put before every name that is taken over"},
    examples=["> create block cube1", "> save other.cell", "load other.cell prefix left-"],
)
def load(session: Session, file: str, prefix: str = "") -> Done:
    """Names or ids that clash are all reported before anything is changed."""
    if file.startswith(BLOB):
        data = session.database.blob(file[len(BLOB) :])
    else:
        data = read_source(Path(file))
        session.resolve(file=BLOB + session.database.keep_blob(data))
    entities, relations = merge(session.database, session.rows, data.decode(), prefix)
    return Done(f"{entities} entities and {relations} relations taken over from {Path(file).name}")


@command(
    "save-recording {file} [--replace]",
    help="save what was recorded since the last reset",
    effect="reads",
    file=File((".rec",)),
    examples=["> create robot Puma puma560", "> move-joints-relative Puma 10,0,0,0,0,0", "save-recording run.rec"],
)
def save_recording(session: Session, file: str, replace: bool = False) -> Done:
    """Columns of joint values over simulated time, and events; a file that is there stays unless `--replace`."""
    recording = session.recording
    recording.save(refuse_existing(file, replace))
    return Done(f"recording of {recording.duration:.4f} s saved as {file}")

"""Commands on files: save, load, load-program, save-program, save-recording, load-recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from workcell.commands.kept_recording import save_in_place, to_keep
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Choice, File, NewName
from workcell.commands.model import make
from workcell.commands.prepared import FROM_FILE, Prepared
from workcell.commands.results import Done
from workcell.commands.script import lines_of, load_script, logical_lines
from workcell.errors import FileProblem, Refused
from workcell.wording import an, counted
from workcell.world.conflict import OURS, THEIRS
from workcell.world.entities import Entity
from workcell.world.journal_text import to_journal_text
from workcell.world.kept_files import BLOB
from workcell.world.text_form import to_text

if TYPE_CHECKING:
    from workcell.commands.session import Session

_OTHERS = {
    ".png": "render", ".svg": "plot", ".gif": "film", ".mp4": "film",
    ".urdf": "export robot", ".toml": "export robot",
    **dict.fromkeys((".step", ".stp", ".stl", ".obj", ".glb", ".gltf"), "export solid"),
    ".csv": "export-recording", ".parquet": "export-recording", ".rec": "save-recording", ".run": "save-run",
    ".txt": "save-program",
}  # fmt: skip
"""The commands that write files with these endings."""


@command(
    "save [{file}] [journal {journal}] [--replace]",
    help="save a copy of the cell: as a .cell file, in the text form that git can merge, or as one of Ding's work "
    "cell files; without a name, write the recording to the file of the cell",
    effect="reads",
    file=File((".cell", ".celltext", ".wld")),
    journal=File((".celljournal",)),
    param_help={
        "file": "the new file; default: the file of the cell",
        "journal": "a file for the history, which the text form does not hold",
        "replace": "overwrite files that exist",
    },
    examples=[
        "> create block cube1",
        "save copy.cell",
        "save copy.celltext",
        "save copy.celltext journal copy.celljournal --replace",
    ],
)
def save(session: Session, file: str = "", journal: str = "", replace: bool = False) -> Done:
    """Every command already saves the cell; this makes another file, or adds the recording to the file of the cell.

    A .cell file holds the recording too; opening it shows the recording again. The other forms hold none.

    For another format, the message names the command that writes it, such as `render` for .png.
    """
    if not file:
        if journal or replace:
            raise Refused("`journal` and `--replace` are for another file; use `save FILE …`.")
        return Done(save_in_place(session))
    if journal and Path(file).suffix != ".celltext":
        raise Refused(
            f"`journal` is only for the text form (.celltext), which has no history; found {Path(file).name}."
        )
    if Path(file).suffix.lower() == ".wld":
        from workcell.commands.world_files import export_world

        return export_world(session, file, replace=replace)
    command = _OTHERS.get(Path(file).suffix.lower())
    if command is not None:
        raise Refused(
            f"`save` writes the cell (.cell, .celltext, .wld); found {Path(file).name}, which `{command} …` writes."
        )
    left_out = ""
    if Path(file).suffix == ".celltext":
        if journal:
            session.files.refuse_twice(file, journal)
        session.files.check_output(file, replace)
        if journal:
            session.files.write(journal, to_journal_text(session.database).encode(), replace)
        session.files.write(file, to_text(session.database).encode(), replace)
    else:
        recording, left_out = to_keep(session)
        with session.files.written(file, replace) as path:
            session.database.store.save_as(path, recording=recording)
    saved = f"saved as {file}" + (f", its history as {journal}" if journal else "")
    return Done(f"{saved}\n{left_out}" if left_out else saved)


_CELLS = (".cell", ".celltext")


def _is_script(values: dict[str, Any]) -> bool:
    """Whether a file to load is a script: its name does not end like that of a cell."""
    file = str(values["file"])
    return not file.startswith(BLOB) and Path(file).suffix.lower() not in _CELLS


def _prepare_load(session: Session, file: str, base: str = "", **_: Any) -> Prepared | None:
    """Read another cell; the lines of a script are carried out in their order, and nothing can be done before."""
    if Path(file).suffix.lower() not in _CELLS:
        return None
    from workcell.commands.loading import read_other

    return Prepared(read_other(session, file, base), FROM_FILE)


@command(
    "load {file} [base {base}] [take {take}] [prefix {prefix}] [--here]",
    help="merge another cell into this one, or run a script: a text file with one command per line",
    effect="edits",
    own_transaction=_is_script,
    prepares=_prepare_load,
    file=File(),
    base=File(),
    take=Choice({OURS: "keep what is here if both sides changed it", THEIRS: "take what is there"}, "SIDE"),
    prefix=NewName(),
    param_help={
        "file": "a cell (.cell, .celltext); any other file is a script",
        "base": "the cell that both began with; default: found from their histories",
        "take": "settles what both sides changed: ours keeps what is here, theirs takes what is there; default: "
        "refuse such a merge",
        "prefix": "put before every name, so that everything comes as a copy",
        "here": "with `prefix`: what stands in the scene of the other cell comes into the scene that is shown here",
    },
    examples=[
        "> create block cube1",
        "> save other.cell",
        "load other.cell",
        "load other.cell prefix left-",
        "load other.cell prefix right- --here",
        '> write program lines "create block cube2%0Acreate block cube3"',
        "> save-program lines lines.txt",
        "load lines.txt",
    ],
)
def load(session: Session, file: str, base: str = "", take: str = "", prefix: str = "", here: bool = False) -> Done:
    """A change that only one side made is merged. If both sides changed the same thing, the whole merge is refused.

    A cell that shares nothing with this one adds everything that it has; a scene of the same name is then in the way,
    and `prefix` with --here brings its contents as copies. If both cells have a common history, changes
    and removals in the other cell are merged too. Programs still refer to the same things, under their current names.

    A script is one step of the history. If one of its lines is refused, the cell is as before, and the answer names
    the line and the column; files that the lines before it wrote stay.
    """
    if Path(file).suffix.lower() == ".wld":
        raise Refused(f"{Path(file).name} is a work cell file; `import world {file}` reads it.")
    if _is_script({"file": file}):
        if prefix or base or take or here:
            word = "prefix" if prefix else "base" if base else "take" if take else "--here"
            raise Refused(
                f"{Path(file).name} is a script, judging by its name; `{word}` is only for cells (.cell, .celltext)."
            )
        before, alone = session.database.revision, not session.database.in_step
        count = load_script(session, file, _script_text(session, file))
        done = f"{counted(count, 'command')} of {Path(file).name} carried out"
        if session.database.revision == before:
            return Done(f"{done}; the cell is as before")
        return Done(f"{done}; {'one `undo` reverts all of them' if alone else '`undo` reverts them with their step'}")
    if prefix and (base or take):
        raise Refused("With `prefix` the other cell comes as a copy; leave out `base` and `take`.")
    if here and not prefix:
        raise Refused("`--here` brings copies into this scene; give `prefix NAME` too, which their names begin with.")
    from workcell.commands.loading import load_cell

    return Done(load_cell(session, file, base, take, prefix, here))


@command(
    "load-program {name} {file}",
    help="read a program from a text file; a program of that name is replaced",
    effect="edits",
    name=NewName(),
    file=File(),
    param_help={"file": "a text file with one command per line"},
    examples=[
        "> create robot Puma puma560",
        "> create program first",
        '> modify first text "move-joints-relative Puma 10,0,0,0,0,0%0Await 1"',
        "> save-program first demo.txt",
        "load-program demo demo.txt",
        "run demo",
    ],
)
def load_program(session: Session, name: str, file: str) -> Done:
    """The cell stores the text and no longer needs the file."""
    database = session.database
    if file.startswith(BLOB):
        data = database.blob(file[len(BLOB) :])
    else:
        data = _text_bytes(session, file)
        session.resolve(file=BLOB + database.keep_blob(data))
    lines = lines_of(data.decode("utf-8-sig"))
    text, commands = "\n".join(lines), len(list(logical_lines(lines)))
    if not commands:
        raise FileProblem(f"{Path(file).name} has no commands; a program has one command per line.")
    found = database.find("program", name)
    if found is None:
        make(session, "program", name)
    from workcell.commands.program_store import store_text
    from workcell.commands.programs import program_answer

    store_text(session, database.entity("program", name), text)
    return Done(program_answer(session, database.entity("program", name), found is None))


def _script_text(session: Session, file: str) -> str:
    """Return the text of a script; a cell with another ending is refused."""
    data = _text_bytes(session, file, "script")
    if data.startswith(b"{") and b'"workcell":"text"' in data.split(b"\n", 1)[0]:
        raise FileProblem(f"{Path(file).name} is the text form of a cell; give it the ending .celltext to load it.")
    return data.decode("utf-8-sig")


def _text_bytes(session: Session, file: str, what: str = "program") -> bytes:
    """Return the bytes of a text file."""
    data = session.files.read(file)
    if data.startswith(b"SQLite format 3\0"):
        raise FileProblem(f"{Path(file).name} is a cell, not {an(what)}; give it the ending .cell to load it.")
    try:
        plain = "\0" not in data.decode("utf-8-sig")
    except UnicodeDecodeError:
        plain = False
    if not plain:
        raise FileProblem(
            f"{Path(file).name} is not a text file (UTF-8); {an(what)} is text with one command per line."
        )
    return data


@command(
    "save-program {program} {file} [--replace]",
    help="write the text of a program to a file",
    effect="reads",
    program=Ref("program"),
    file=File(),
    param_help={"replace": "overwrite the file if it exists"},
    examples=["> create program demo", '> modify demo text "wait 1"', "save-program demo demo.txt"],
)
def save_program(session: Session, program: Entity, file: str, replace: bool = False) -> Done:
    """`load-program` reads it again."""
    text = str(program.properties.get("text", ""))
    session.files.write(file, f"{text}\n".encode(), replace)
    return Done(f"program {program.name!r} written as {file}")


@command(
    "save-recording {file} [--replace]",
    help="save the recording since the last reset to a file",
    effect="reads",
    file=File((".rec",)),
    param_help={"replace": "overwrite the file if it exists"},
    examples=["> create robot Puma puma560", "> move-joints-relative Puma 10,0,0,0,0,0", "save-recording run.rec"],
)
def save_recording(session: Session, file: str, replace: bool = False) -> Done:
    """The file holds the exact motions, the events and the initial state."""
    recording = session.recording
    with session.files.written(file, replace) as path:
        recording.save(path)
    return Done(f"recording of {recording.duration:.4f} s saved as {file}")


@command(
    "load-recording {file}",
    help="load a saved recording, to play, report, plot, film, check or export it",
    effect="view",
    file=File((".rec",)),
    examples=[
        "> create robot Puma puma560",
        "> move-joints-relative Puma 10,0,0,0,0,0",
        "> save-recording run.rec",
        "> reset",
        "load-recording run.rec",
        "report",
    ],
)
def load_recording(session: Session, file: str) -> Done:
    """The recording is shown until something moves. The cell and its state stay as they are.

    Things that the cell does not have are left out.
    """
    from workcell.simulation.recording_file import RecordingFile
    from workcell.world.cell_print import listed, other_names
    from workcell.world.renaming import UNCHANGED

    with session.files.readable(file) as path, RecordingFile(path) as found:
        recording, snapshot, whole = found.recording(), session.snapshot(), found.whole
    called = UNCHANGED if recording.cell is None else other_names(recording.cell, snapshot)
    recording = recording.renamed(called)
    arms = {placed.name: placed.robot.n for placed in snapshot.robots}
    for robot in recording.robots:
        joints = recording.column(robot)[1].shape[1]
        if arms.get(robot) != joints:
            here = f"here it has {arms[robot]}" if robot in arms else "here there is no robot of that name"
            there = f"there {robot} has {counted(joints, 'joint')}, {here}"
            raise Refused(
                f"{file} is from another cell: {there}. Load it in the cell in which it was made.", robot=robot
            )
    bodies = {body.name for body in snapshot.bodies}
    parts = sorted({*recording.start.poses, *recording.start.attached, *recording.solids} - bodies)
    session.ongoing.show(recording.on(snapshot))
    differs = recording.differs_from(snapshot)
    missing = f"; without {', '.join(parts)}, which the cell does not have" if parts else ""
    end = "" if recording.end == recording.start.time else f", from {recording.start.time:.4f} to {recording.end:.4f} s"
    cut = "" if whole else "; the file is cut off or damaged after that, and the rest is not shown"
    names = "".join(f"; {old} is called {new} here" for old, new in called.things.items())
    text = f"recording of {recording.duration:.4f} s{end}: shown until something moves{missing}{names}{cut}"
    if differs is None:
        return Done(f"{text}\nThe file does not state in which cell it was made.")
    if differs:
        return Done(
            f"{text}\nIt was made in another cell: {listed(differs)}. You can view it here. `check recording` needs "
            "the cell in which it was made; `check recording --here` checks its motions in this cell."
        )
    return Done(text)

"""The command line: a thin skin over the library."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workcell import __version__
from workcell.errors import WorkcellError

if TYPE_CHECKING:
    from workcell.commands.cell import Cell
    from workcell.commands.listeners import Change
    from workcell.commands.session import Session


class _Refusing(click.Group):
    """Turns a WorkcellError into one line and exit code 1; wrong usage exits with 2."""

    def main(self, *args: Any, **more: Any) -> Any:
        try:
            return super().main(*args, **more)
        except WorkcellError as error:
            if "--json" in sys.argv:
                from workcell.commands.shell import error_json

                click.echo(_json(error_json(error)))
            else:
                click.echo(error.pointed(), err=True)
            sys.exit(1)
        except UnicodeDecodeError as error:
            click.echo(f"The text is not UTF-8: byte {error.start} is {error.object[error.start]:#x}.", err=True)
            sys.exit(1)
        except BrokenPipeError:
            sys.exit(0)


def _page_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that serves a cell."""
    for option in (
        click.option(
            "--allow",
            "allow",
            multiple=True,
            type=click.Path(path_type=Path),
            help="A folder whose files clients may use, beside that of the cell; may be repeated.",
        ),
        click.option("--port", default=8765, show_default=True, help="Port of the page; 0 takes a free one."),
    ):
        function = option(function)
    return function


@click.group(cls=_Refusing, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="workcell")
@_page_options
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.pass_context
def main(context: click.Context, port: int, allow: tuple[Path, ...], no_browser: bool) -> None:
    """Robotic workcell simulator: model a cell, program it, check it, run it, watch it.

    Without a command, the workbench opens on the sample cell.
    """
    if context.invoked_subcommand is None:
        from workcell.workbench.samples import sample

        _serve(sample, not no_browser, port=port, allow=allow)


def _json_option(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")(function)


def _json(value: Any) -> str:
    import msgspec

    return msgspec.json.encode(value, enc_hook=str).decode()


@main.command("open")
@click.argument("file", type=click.Path(path_type=Path))
@_page_options
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
def open_file(file: Path, port: int, allow: tuple[Path, ...], no_browser: bool) -> None:
    """Open the workbench on a cell file; a new file is made when there is none.

    A work cell file (.wld) is taken into a cell file of the same name beside it.
    """
    _serve(lambda: _cell(file), not no_browser, port=port, allow=allow)


@main.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@_page_options
@click.option("--host", default="127.0.0.1", show_default=True, help="Address; 0.0.0.0 serves the network.")
@click.option(
    "--token",
    default=None,
    envvar="WORKCELL_TOKEN",
    show_envvar=True,
    help="What clients must show; made when not given. Others on this machine can see arguments, not the variable.",
)
@click.option(
    "--socket", type=click.Path(path_type=Path), help="Also serve a Unix socket there, for programs of this account."
)
def serve(
    file: Path | None, host: str, port: int, allow: tuple[Path, ...], token: str | None, socket: Path | None
) -> None:
    """Serve a cell to pages and programs without opening a browser."""
    from workcell.workbench.samples import sample

    make = sample if file is None else lambda: _cell(file)
    _serve(make, browser=False, port=port, host=host, token=token, allow=allow, socket=socket)


def _serve(make: Callable[[], Cell], browser: bool, **options: Any) -> None:
    from workcell.service.connections import Connection, announced
    from workcell.service.server import Server

    @contextmanager
    def session() -> Iterator[Any]:
        with make() as cell:
            yield cell.session

    server = Server(session, **options)
    with announced(Connection(server.host, server.port, server.token, os.getpid())) as page:

        def ready(url: str) -> None:
            click.echo(f"Workcell is at {url} (Ctrl-C stops it)")
            if browser:
                import webbrowser

                webbrowser.open(page)

        server.run(ready)
    if server.hub.left_files is not None:
        click.echo(f"The files that clients wrote are in {server.hub.left_files}", err=True)


def _taken_in(file: Path) -> Cell:
    """A new cell file beside a work cell file, with what that holds."""
    from workcell.commands.cell import Cell
    from workcell.errors import FileProblem

    kept = file.with_suffix(".cell")
    if kept.exists():
        raise FileProblem(
            f"{kept} is there already, maybe made from {file.name} before; open that, or `workcell convert {file} "
            f"OTHER.cell` takes the file in once more."
        )
    with Cell.copy_of(file) as cell:
        cell.call("save", file=str(kept))
    click.echo(f"{file.name} is taken into {kept}, which is open now; `export world` writes a .wld again.", err=True)
    return Cell.open(kept)


def _cell(file: Path, read_only: bool = False) -> Cell:
    from workcell.commands.cell import WORLD, Cell
    from workcell.world.database import Database

    if file.suffix.lower() == WORLD:
        return Cell.copy_of(file) if read_only else _taken_in(file)
    if not file.exists():
        return Cell.create(file)
    cell = Cell(Database.open(file, read_only))
    for note in cell.notes:
        click.echo(note, err=True)
    return cell


@main.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--script", type=click.File("rb"), default=None, help="Read commands from a file; - is standard input.")
@click.option("--read-only", is_flag=True, help="Look, but change nothing.")
@_json_option
def shell(file: Path | None, script: Any, read_only: bool, as_json: bool) -> None:
    """Type commands: on a cell file (made when there is none), or on a cell in memory."""
    from workcell.commands.cell import Cell
    from workcell.commands.script import read_lines
    from workcell.commands.shell import Shell, run_pipe

    with _cell(file, read_only) if file else Cell(who="shell") as cell:
        cell.session.who = "shell"
        if script is not None or not sys.stdin.isatty():
            lines = read_lines(script.read() if script is not None and script is not sys.stdin.buffer else sys.stdin)
            sys.exit(run_pipe(cell.session, lines, sys.stdout, as_json))
        sys.exit(Shell(cell.session, as_json).run())


@main.command()
@click.argument("program")
@click.option("--cell", "file", type=click.Path(path_type=Path), help="The cell it runs in; it is not changed.")
@click.option("--sample", default=None, help="Run in a sample cell, such as puma.")
@click.option("--mode", type=click.Choice(["joint-by-joint", "path", "playback"]), help="The cell's own unless given.")
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    help="Save the recording there; a .rec file that is there is written over.",
)
@click.option(
    "--pace",
    default="max",
    show_default=True,
    help="Simulated seconds for each real one: a factor, `real` for 1, `max`, or `step` to wait for a key.",
)
@_json_option
def run(
    program: str,
    file: Path | None,
    sample: str | None,
    mode: str | None,
    record: Path | None,
    pace: str,
    as_json: bool,
) -> None:
    """Run a program on a copy of a cell, from its initial state as `run` does.

    PROGRAM is a file of steps, a file of commands, the name of a program of the cell, or - for standard input.
    """
    from workcell.commands.cell import Cell
    from workcell.commands.shell import run_pipe
    from workcell.errors import FileProblem
    from workcell.workbench.samples import sample as sample_cell

    if file is not None and not file.exists():
        raise FileProblem(f"There is no cell {file}; `workcell shell {file}` makes one.")
    if record is not None and record.exists() and record.suffix != ".rec":
        raise FileProblem(f"{record} exists already and is no recording (.rec); choose another name.")
    with Cell.copy_of(file) if file else sample_cell(sample) if sample else Cell() as cell:
        if mode is not None:
            cell.do(f"mode {mode}")
        lines = _program_lines(cell, program, stepwise=pace != "max")
        _hold_back(cell.session, pace)
        with cell.session.recorded_to(record) if record is not None else nullcontext():
            code = run_pipe(cell.session, lines, sys.stdout, as_json)
        if code == 0:
            told = {"time": cell.session.simulator_time, "recording": str(record) if record else None}
            click.echo(_json(told) if as_json else f"simulated time {told['time']:.4f} s")
        elif not as_json:
            recorded = f"; what was recorded until then is in {record}" if record is not None else ""
            click.echo(f"This was a copy: the cell itself is as it was{recorded}.", err=True)
        sys.exit(code)


def _program_lines(cell: Cell, program: str, stepwise: bool) -> Iterable[str]:
    """The commands that run a program: of a file, of the cell, or from standard input, where they come line by line.

    A file of steps is a program of that name in the copy of the cell; a file of other commands is carried out line by
    line. Both begin in the initial state. Stepwise, a program is carried out step by step, so that it can be held back.
    """
    from workcell.commands.script import read_lines
    from workcell.errors import FileProblem
    from workcell.world.entities import quoted
    from workcell.world.names import legal_name

    cell.do("reset")
    if program == "-":
        return read_lines(sys.stdin)
    path, database = Path(program), cell.database
    if not path.exists() and database.find("program", program) is not None:
        name = program
    elif not path.exists():
        known = f"; the cell has {', '.join(database.names('program'))}" if database.names("program") else ""
        raise FileProblem(f"There is no file {program!r}, and no program of that name{known}.")
    else:
        lines = list(read_lines(cell.session.files.read(path)))
        if not _is_program(lines):
            return lines
        name = legal_name(path.stem, "program")
        found = database.find("program", name)
        if found is None or str(found.properties.get("text", "")).rstrip("\n") != "\n".join(lines).rstrip("\n"):
            name = database.free_name("program", name)
            cell.do("\n".join([f"program {quoted(name)}", *lines, "end"]))
    return _stepwise(cell, name) if stepwise else [f"run {quoted(name)}"]


def _is_program(lines: list[str]) -> bool:
    """Whether every line is a step of a program, or one orders steps by loops and conditions."""
    from workcell.commands.language.program_blocks import orders
    from workcell.commands.language.program_reader import read_program

    read = read_program("steps", "\n".join(lines))
    return orders(lines) or bool(read.program.body and not read.problems)


def _stepwise(cell: Cell, name: str) -> Iterable[str]:
    from workcell.world.entities import quoted

    yield f"debug {quoted(name)}"
    while cell.session.paused is not None:
        yield "step-into"


def _hold_back(session: Session, pace: str) -> None:
    """Let a run go on as fast as asked for, simulated time beside real time."""
    import math

    from workcell.errors import InvalidValue
    from workcell.simulation.clock import Pacer

    if pace == "step":
        session.on_change(
            lambda _: click.pause(f"simulated time {session.simulator_time:.4f} s, press a key", err=True)
        )
        return
    try:
        factor = {"real": 1.0, "max": math.inf}.get(pace) or float(pace)
    except ValueError as error:
        raise InvalidValue(f"A pace is a factor, real, max or step; found {pace!r}.") from error
    pacer = Pacer(factor)

    def wait(_: Change) -> None:
        pacer.reached(session.simulator_time)

    if math.isfinite(factor):
        session.on_change(wait)


@main.command()
@_json_option
def robots(as_json: bool) -> None:
    """List the robots of the library."""
    _answer("robots", as_json)


@main.command()
@_json_option
def tools(as_json: bool) -> None:
    """List the tools of the library."""
    _answer("tools", as_json)


def _answer(line: str, as_json: bool) -> None:
    from workcell.commands.cell import Cell
    from workcell.commands.shell import result_json

    with Cell() as cell:
        result = cell.do(line)
        click.echo(_json(result_json(result)) if as_json else str(result))


def _result_option(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        "-o", "--output", type=click.Path(path_type=Path), help=f"Also write a result file, such as {name}."
    )


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("robot")
@click.argument("joints")
@_result_option("DirectKinematics")
@_json_option
def fk(robot: str, joints: str, output: Path | None, as_json: bool) -> None:
    """Where the frames of a library robot are: workcell fk irb6400 0,90,0,0,0,180 (degrees, or millimetres)."""
    _ask_robot(robot, f"{joints} in base", "fk", as_json)
    if output is not None:
        _ask_robot(robot, f'"{output}" {joints}', "export direct-kinematics", as_json)


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("robot")
@click.argument("pose", nargs=-1, required=True)
@_result_option("InverseKinematics")
@_json_option
def ik(robot: str, pose: tuple[str, ...], output: Path | None, as_json: bool) -> None:
    """Every way to reach a pose: workcell ik irb6400 1688,0,2075 euler ding_ypr 0,90,0."""
    where = f"{' '.join(pose)} in base"
    _ask_robot(robot, where, "ik", as_json)
    if output is not None:
        _ask_robot(robot, f'"{output}" at {where}', "export inverse-kinematics", as_json)


def _ask_robot(robot: str, what: str, question: str, as_json: bool) -> None:
    from workcell.commands.cell import Cell
    from workcell.commands.shell import result_json
    from workcell.robots.catalogue import library_name

    with Cell() as cell:
        name = library_name(robot)
        cell.do(f'create robot "{name}" "{name}"')
        result = cell.do(f'{question} "{name}" {what}')
        click.echo(_json(result_json(result)) if as_json else str(result))


@main.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("target", type=click.Path(path_type=Path), required=False)
@click.option("--journal", type=click.Path(path_type=Path), help="The file of the history, which a .celltext has not.")
@click.option("--replace", is_flag=True, help="Replace a target that is there.")
@_json_option
def convert(source: Path, target: Path | None, journal: Path | None, replace: bool, as_json: bool) -> None:
    """Convert a cell: .cell to .celltext (text that git can merge) or .wld (a work cell file of Ding's), and back.

    Without a target the text is printed.
    """
    from workcell.commands.cell import WORLD, Cell
    from workcell.commands.converting import convert as converted
    from workcell.commands.converting import text_to_print

    if target is None:
        click.echo(text_to_print(source), nl=False)
        return
    if WORLD in (source.suffix.lower(), target.suffix):
        with Cell.copy_of(source) as cell:
            done = cell.call("export world" if target.suffix == WORLD else "save", file=str(target), replace=replace)
        note = "\n".join(str(done).splitlines()[1:])
    else:
        note = converted(source, target, journal, replace)
    if note:
        click.echo(note, err=True)
    told = {"source": str(source), "target": str(target), "note": note}
    click.echo(_json(told) if as_json else f"{source} -> {target}")


@main.command()
@click.argument("base", type=click.Path(path_type=Path), required=False)
@click.argument("ours", type=click.Path(path_type=Path), required=False)
@click.argument("theirs", type=click.Path(path_type=Path), required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The merged cell; nothing is written without it.")
@click.option("--replace", is_flag=True, help="Replace an output that is there.")
@click.option("--take", type=click.Choice(["ours", "theirs"]), default=None, help="Settle what both sides changed.")
@click.option("--label", default="", help="What the file is called in messages.")
@click.option("--install", "setup", flag_value="install", help="Let git merge and show cells in this repository.")
@click.option("--uninstall", "setup", flag_value="uninstall", help="Take that away again.")
@click.option("--global", "everywhere", is_flag=True, help="With --install: in all repositories of the user.")
@_json_option
def merge(
    base: Path | None,
    ours: Path | None,
    theirs: Path | None,
    output: Path | None,
    replace: bool,
    take: str | None,
    label: str,
    setup: str | None,
    everywhere: bool,
    as_json: bool,
) -> None:
    """Merge two versions of a cell, OURS and THEIRS, that began with BASE; .cell and .celltext files in any mixture.

    Exit code 0: merged. 1: both sides changed something; a sentence for each, and the output has ours there. 2: usage.
    """
    from workcell.commands import git_setup
    from workcell.commands.merge_files import merge_files

    if setup is not None:
        if base is not None:
            raise click.UsageError(f"--{setup} takes no files.")
        done = (git_setup.install if setup == "install" else git_setup.uninstall)(everywhere)
        click.echo(_json({"done": done}) if as_json else "\n".join(done))
        return
    if base is None or ours is None or theirs is None:
        raise click.UsageError("Name three files: BASE OURS THEIRS; or use --install.")
    found = merge_files(base, ours, theirs, output, take or "", replace)
    name = label or str(output or ours)
    if as_json:
        click.echo(_json({"file": name, **found.as_json()}))
    else:
        for text in found.sentences:
            click.echo(f"{name}: {text}", err=found.open)
        if not found.conflicts:
            click.echo(f"{name}: merged" if output else f"{name}: can be merged; nothing is written without -o")
    sys.exit(1 if found.open else 0)


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The new cell; FILE-recovered.cell unless given.")
@_json_option
def recover(file: Path, output: Path | None, as_json: bool) -> None:
    """Bring out of a damaged cell all that can be read, into a new one; the damaged file stays as it is."""
    from workcell.world.recovery import recover as recovered

    target = output or file.with_name(f"{file.stem}-recovered.cell")

    def progress(fraction: float) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r{fraction:4.0%}", nl=fraction == 1.0, err=True)

    found = recovered(file, target, progress)
    click.echo(_json(found) if as_json else str(found))


def _once(default: str | None) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], str | None]:
    """What an option was given, refused when it was given twice."""

    def one(_: click.Context, option: click.Parameter, given: tuple[str, ...]) -> str | None:
        if len(given) > 1:
            raise click.BadParameter(f"give --{option.name} once; found {', '.join(given)}.")
        return given[0] if given else default

    return one


@main.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The picture, a .png file.")
@click.option(
    "--view",
    "views",
    multiple=True,
    help="iso, front, side, top …, or a view of the cell; several, with commas or each with --view, in one picture.",
)
@click.option(
    "--size", multiple=True, callback=_once("1280x720"), help="Width and height in pixels; 1280x720 unless given."
)
@click.option(
    "--style", multiple=True, callback=_once("shaded"), help="shaded unless given, solid, hidden-line, wireframe."
)
@click.option("--edges", multiple=True, callback=_once(None), help="feature unless given, all or none.")
@click.option("--axes/--no-axes", default=True, help="Show x, y, z in the corner.")
@click.option("--sample", default=None, help="A sample cell instead of a file, such as puma.")
@_json_option
def render(
    file: Path | None,
    output: Path,
    views: tuple[str, ...],
    size: str,
    style: str,
    edges: str | None,
    axes: bool,
    sample: str | None,
    as_json: bool,
) -> None:
    """Make a picture of a cell without a screen."""
    from workcell.commands.pictures import picture, style_of
    from workcell.errors import InvalidValue
    from workcell.workbench.samples import sample as sample_cell

    try:
        width, height = (int(part) for part in size.lower().split("x"))
    except ValueError:
        raise InvalidValue(f"A size is written as 1280x720; found {size!r}.") from None
    if (file is None) == (sample is None):
        raise click.UsageError("Name a cell file, or a sample with --sample.")
    with sample_cell(sample) if sample else _cell_to_read(file) as cell:
        names = [name for view in views for name in _views(cell, view)] or ["iso"]
        notes = picture(cell.session, output, names, (width, height), style_of(style, edges, axes))
    click.echo(_json({"picture": str(output), "notes": list(notes)}) if as_json else str(output))
    for note in () if as_json else notes:
        click.echo(note, err=True)


def _views(cell: Cell, given: str) -> list[str]:
    """The views that a word names: one of the cell by its whole name, else several with commas between."""
    if cell.database.find("view", given) is not None:
        return [given]
    return [name for name in given.split(",") if name.strip()]


def _cell_to_read(file: Path | None) -> Cell:
    from workcell.commands.cell import WORLD, Cell
    from workcell.errors import NotACell
    from workcell.geometry.formats.writing import ENDINGS

    assert file is not None
    if file.suffix.lower() == WORLD:
        return Cell.copy_of(file)
    if file.suffix.lower() in ENDINGS and file.exists():
        raise NotACell(
            f"{file.name} is a file of a shape, not a cell; `import solid NAME {file.name}` in `workcell shell` takes "
            f"it into one, `place NAME at 0,0,0` and `render` then show it."
        )
    return Cell.open(file, read_only=True)

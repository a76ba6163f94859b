"""Commands that keep a paused run in a file and restore it: save-run, load-run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workcell.commands.language.registry import command
from workcell.commands.language.values import File
from workcell.commands.renamed_runs import under_new_names
from workcell.commands.results import Done
from workcell.commands.run_start import start_of
from workcell.commands.running import PausedRun, Stood, gone_on, program_names, required, stood
from workcell.errors import Refused, WorkcellError
from workcell.programs.program import Program
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.interpreter import Run

_STAGE = [
    "> create robot Puma puma560 joints 0,0,-90,0,90,0",
    '> write program demo "let n = 2%0Arepeat n%0A  move-joints-relative Puma 5,0,0,0,0,0%0Aend%0Await 1"',
]
_BEGUN = [*_STAGE, "> debug demo"]


@command(
    "save-run {file} [--replace]",
    help="save the paused run to a file, to continue it later or in another process",
    effect="reads",
    file=File((".run",)),
    param_help={"replace": "overwrite the file if it exists"},
    examples=[*_BEGUN, "save-run half.run"],
)
def save_run(session: Session, file: str, replace: bool = False) -> Done:
    """The run stays paused. The file belongs to the cell as it was when the run began.

    If things were only renamed since then, the run is repeated with the new names up to the same step, and the file
    belongs to the cell with these names.
    """
    paused = under_new_names(session, required(session))
    about = {
        "names": paused.names,
        "together": paused.together,
        "line": paused.line,
        "typed": paused.typed,
        "files": paused.files,
        "units": session.display.of_cell,
        "inputs": tuple((one.position, one.step) for one in paused.stepped.inputs),
    }
    saved = paused.stepped.run.saved(about)
    session.files.write(file, saved.to_bytes(), replace)
    return Done(f"{paused.called} saved as {file} at {paused.state.time:.4f} s")


@command(
    "load-run {file}",
    help="restore a saved run; it is paused where it was",
    effect="simulates",
    file=File((".run",)),
    examples=[*_BEGUN, "> save-run half.run", "> stop-run", "load-run half.run", "> resume"],
)
def load_run(session: Session, file: str) -> Stood:
    """The cell must be the one that the run was saved with. Other robots, bodies, targets or signals are refused.

    Changed programs of the run, and other units for its arguments, are refused too, because the history could not
    repeat the run.
    """
    from workcell.simulation.interpreter import Run
    from workcell.simulation.saved_runs import SavedRun
    from workcell.simulation.simulator import Simulator
    from workcell.simulation.stepping import Input, SteppedRun

    saved = SavedRun.from_bytes(session.files.read(file))
    run = Run.restored(saved, Simulator(session.snapshot()))
    about = saved.about
    if not about:
        raise Refused(f"{file} was saved by a Python program; continue it with `Run.load`.")
    _require_same(session, about, run)
    inputs = [Input(*one) for one in about["inputs"]]
    paused = PausedRun(
        SteppedRun(run, inputs=inputs), about["names"], about["together"], about["line"], about["typed"],
        session.database.history.revision, program_names(session), about["files"], session.who,
    )  # fmt: skip
    gone_on(session, paused, lambda _: True)
    return stood(session, paused)


def _require_same(session: Session, about: Mapping[str, Any], run: Run) -> None:
    """Refuse to restore a run that its line in the journal could not repeat."""
    from workcell.commands.program_store import program_of

    known = run.known
    try:
        _, values = session.registry.tree.parse(about["line"], session)
        entities = values.get("programs") or [values["program"]]
        started = {program_of(session, one).name: one for one in entities}
    except WorkcellError:  # what it starts is gone
        values, started = {}, {}
    odd = []
    for name, program in known.items():
        entity = started.get(name) if name in about["names"] else session.database.find("program", name)
        if entity is None or not _reads_as(session, entity, program):
            odd.append(name)
    if odd:
        named = f"program{'s' * (len(odd) > 1)} {' and '.join(map(repr, odd))}"
        raise Refused(
            f"Since the run was saved, {named} changed or {'was' if len(odd) == 1 else 'were'} removed, so the "
            "history could not repeat the run. `undo` these edits, or `debug` the program as it is now.",
            programs=odd,
        )
    if values.get("from_present") and run.simulator.recording.start != start_of(session, True):
        raise Refused(
            "The run began in the state that the cell had then, which differs from the present one, so the history "
            "could not repeat it. Bring the cell to that state, or `debug` the program again."
        )
    if "arguments" in values and about.get("units") != session.display.of_cell:
        raise Refused(
            "The run began with values in other units than the cell has now, so the history could not repeat it. "
            "Set the `units` that the cell had, or `debug` the program again."
        )


def _reads_as(session: Session, entity: Entity, program: Program) -> bool:
    """Whether a program or task has the same steps in the same lines."""
    from workcell.commands.program_store import program_of, stored

    here = program_of(session, entity)
    mistaken = entity.kind == "program" and stored(entity).problems
    lines = [[place.line for place in one.places] for one in (here, program)]
    return not mistaken and here == program and lines[0] == lines[1]

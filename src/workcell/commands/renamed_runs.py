"""A paused run under the names of now: what was renamed while it stood is called so in the file that is saved.

The run is made again on the cell as it is called now, with all that came from outside, up to where it stands. So its
programs, moves and events have the new names, whatever holds them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from workcell.commands.program_store import runnable
from workcell.commands.running import PausedRun, program_names, run_of
from workcell.errors import Refused, WorkcellError
from workcell.programs.expressions import Name, parts
from workcell.programs.wants import Entity as Named
from workcell.programs.wants import fields_of
from workcell.spatial.units import SI
from workcell.world.entities import Entity, quoted
from workcell.world.sections import PROGRAMS

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.stepping import Input

_EDITED = (
    "The cell was edited since the run began, so the run could not go on with the cell in its file; `resume` or "
    "`stop-run` it, or `undo` the edits and begin again."
)


def under_new_names(session: Session, paused: PausedRun) -> PausedRun:
    """The same run on the cell of now.

    Raises:
        Refused: more than names changed since it began, or it was begun with values that name things.
    """
    from workcell.simulation.stepping import SteppedRun

    if session.database.history.revision == paused.began:
        return paused
    then = type(session)(session.database.as_of(paused.began), session.who, SI)
    _, values = then.registry.tree.parse(paused.line, then)
    names = _new_names(session, then)
    programs = values.get("programs") or [values["program"]]
    if names is None or not _same_but_for_names(session, then, names, programs):
        raise Refused(_EDITED)
    arguments = values.get("arguments") or ()
    if names and any(isinstance(part, Name) for one in arguments for part in parts(one)):
        raise Refused(
            "Things were renamed since the run began, and it was begun with values that name things; `resume` or "
            "`stop-run` it, and begin again with the names of now."
        )
    programs = [session.database.by_id(one.id) for one in programs]
    was = paused.stepped.run
    ready, known = runnable(session, programs)
    run = run_of(session, ready, known, arguments, values.get("line"), was.files)
    again = SteppedRun(run, again=[_renamed(one, names) for one in paused.stepped.inputs])
    stands = again.until(was.position)
    if not stands or run.simulator.state != paused.state_on(session.snapshot()):
        raise Refused(_EDITED)
    kept: dict[str, Any] = {"programs": programs} if paused.together else {"program": programs[0]}
    kept |= {name: values[name] for name in ("arguments", "line", "tables") if values.get(name)}
    return replace(
        paused,
        stepped=again,
        names=tuple(program.name for program in ready),
        line=session.written("run-together" if paused.together else "run", kept),
        began=session.database.history.revision,
        programs=program_names(session),
    )


def _new_names(session: Session, then: Session) -> dict[Entity, str] | None:
    """What entities of then are called now, where that changed; None where any has come or gone."""
    before = {one.id: one for one in then.database.entities()}
    now = {one.id: one for one in session.database.entities()}
    if before.keys() != now.keys():
        return None
    return {one: now[id].name for id, one in before.items() if now[id].name != one.name}


def _same_but_for_names(
    session: Session, then: Session, names: Mapping[Entity, str], programs: Sequence[Entity]
) -> bool:
    """Whether the cell of then, with the names of now, is the cell of now, and these programs have the same steps."""
    try:
        for one in names:  # first out of each other's way: two things may have changed names
            then.do(f"modify {one.kind}:{quoted(one.name)} name renamed{one.id}")
        for one, name in names.items():
            then.do(f"modify {one.kind}:renamed{one.id} name {quoted(name)}")
        known = [
            runnable(cell, [cell.database.by_id(one.id) for one in programs])[1].values() for cell in (then, session)
        ]
    except WorkcellError:
        return False
    read = [[(one, [place.line for place in one.places]) for one in each] for each in known]
    here, there = session.snapshot().sections, then.snapshot().sections
    return read[0] == read[1] and all(here[name] == there[name] for name in here if name != PROGRAMS)


def _renamed(given: Input, names: Mapping[Entity, str]) -> Input:
    """What came from outside, under the names of now."""
    new = {(one.kind, one.name): name for one, name in names.items()}
    step, fields = given.step, {}
    for one in fields_of(type(step)):
        value = getattr(step, one.name)
        if isinstance(one.holds, Named) and isinstance(value, str):
            fields[one.name] = next((new[kind, value] for kind in one.holds.kinds if (kind, value) in new), value)
    return msgspec.structs.replace(given, step=msgspec.structs.replace(step, **fields))

"""A paused run under new names: if things were renamed while it was paused, its file has the new names.

The run is repeated on the current cell, with all its inputs, up to the same step. So its programs, moves and events
have the new names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from workcell.commands.program_store import runnable
from workcell.commands.run_start import start_of
from workcell.commands.running import PausedRun, program_names, run_of
from workcell.errors import Refused, WorkcellError
from workcell.programs.expressions import Name, parts
from workcell.programs.wants import Entity as Named
from workcell.programs.wants import fields_of
from workcell.spatial.units import SI
from workcell.wording import quoted
from workcell.world.entities import Entity
from workcell.world.sections import PROGRAMS

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.stepping import Input

_EDITED = (
    "The cell was edited since the run began, so a saved run would not fit the cell. `resume` or `stop-run` "
    "it, or `undo` the edits and start again."
)


def under_new_names(session: Session, paused: PausedRun) -> PausedRun:
    """Return the same run on the current cell.

    Raises:
        Refused: more than names changed since it began, or it was started with values that name things.
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
            "Things were renamed since the run began, and it was started with values that name things. `resume` or "
            "`stop-run` it, and start again with the new names."
        )
    programs = [session.database.by_id(one.id) for one in programs]
    was = paused.stepped.run
    start = start_of(session, values.get("from_present", False))
    ready, known = runnable(session, programs, start)
    run = run_of(session, ready, known, arguments, values.get("line"), was.files, start)
    again = SteppedRun(run, again=[_renamed(one, names) for one in paused.stepped.inputs])
    stands = again.until(was.position)
    if not stands or run.simulator.state != paused.state_on(session.snapshot()):
        raise Refused(_EDITED)
    kept: dict[str, Any] = {"programs": programs} if paused.together else {"program": programs[0]}
    kept |= {name: values[name] for name in ("arguments", "line", "from_present", "tables") if values.get(name)}
    return replace(
        paused,
        stepped=again,
        names=tuple(program.name for program in ready),
        line=session.written("run-together" if paused.together else "run", kept),
        began=session.database.history.revision,
        programs=program_names(session),
    )


def _new_names(session: Session, then: Session) -> dict[Entity, str] | None:
    """Return the new names of renamed entities; None if an entity was added or removed."""
    before = {one.id: one for one in then.database.entities()}
    now = {one.id: one for one in session.database.entities()}
    if before.keys() != now.keys():
        return None
    return {one: now[id].name for id, one in before.items() if now[id].name != one.name}


def _same_but_for_names(
    session: Session, then: Session, names: Mapping[Entity, str], programs: Sequence[Entity]
) -> bool:
    """Whether the earlier cell with the new names equals the current cell, and these programs have the same steps."""
    try:
        for one in names:  # temporary names first: two things may have exchanged names
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
    """Return an input under the new names."""
    new = {(one.kind, one.name): name for one, name in names.items()}
    step, fields = given.step, {}
    for one in fields_of(type(step)):
        value = getattr(step, one.name)
        if isinstance(one.holds, Named) and isinstance(value, str):
            fields[one.name] = next((new[kind, value] for kind in one.holds.kinds if (kind, value) in new), value)
    return msgspec.structs.replace(given, step=msgspec.structs.replace(step, **fields))

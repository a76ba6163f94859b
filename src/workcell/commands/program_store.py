"""The programs of a cell: their stored texts, each read once.

A program is stored as its text and the units of its bare numbers. Its steps and the names in it are derived from them,
so a text that was edited by hand or merged by git cannot disagree with anything stored beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from workcell.commands.language.program_reader import ReadProgram, first_edit, read_program
from workcell.commands.script import lines_of
from workcell.errors import Refused, UnknownName, WorkcellError
from workcell.programs import steps as s
from workcell.programs.cell_names import CellNames
from workcell.programs.checker import Checkup, check, checkup
from workcell.programs.problem import Problem, ProgramProblems
from workcell.programs.program import Place, Program
from workcell.spatial.units import Units
from workcell.wording import quoted
from workcell.world.entities import Entity
from workcell.world.fitting import fitted_twice

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.world.database import Database
    from workcell.world.state import CellState

TEXT, UNITS, PLANNED, ORDER = "text", "units", "planned", "order"
"""The properties of a program: its lines, the units of its bare numbers, the cell that it was planned for, and the
`plan order` that chose its joint values, with those values at each target."""
_MOVING = (*s.MOVES, s.FindPath, s.MoveAlong, s.Weld, s.Guide, s.Together)
"""The kinds of step that a plan is about."""
_UNITS = msgspec.json.Decoder(Units)


def store_text(session: Session, program: Entity, text: str) -> ReadProgram:
    """Store the text of a program, in the current units of the cell; with other moves it is no longer planned."""
    kept = "\n".join(lines_of(text))
    units = session.display.of_cell
    encoded = msgspec.json.encode(units).decode()
    new = _read(program.name, kept, units)
    changes: dict[str, str | None] = {TEXT: kept, UNITS: encoded}
    if PLANNED in program.properties and _moves(new) != _moves(stored(program)):
        changes |= {PLANNED: None, ORDER: None} if ORDER in program.properties else {PLANNED: None}
    session.database.set_properties(session.rows, program, changes)
    return new


def _moves(read: ReadProgram) -> list[s.Step]:
    """Return the steps that move something, in order."""
    return [step for step in read.program.steps if isinstance(step, _MOVING)]


def stored(program: Entity) -> ReadProgram:
    """Return a program of the cell, read with its units."""
    own = program.properties
    return read_stored(program.name, str(own.get(TEXT, "")), own.get(UNITS))


def read_stored(name: str, text: str, units: Any) -> ReadProgram:
    """Return a program from its lines and the units of its bare numbers, as a cell stores them."""
    return _read(name, text, _units_of(name, units))


def _units_of(name: str, written: Any) -> Units:
    """Return the units of the bare numbers of a program; refused if they are damaged in the file."""
    if not written:
        return Units()
    try:
        return _UNITS.decode(written)
    except (msgspec.DecodeError, TypeError, WorkcellError):
        raise Refused(
            f"The units of program {name!r} are damaged: found {written!r}. Write its lines again "
            f"(`program {quoted(name)} … end`)."
        ) from None


def words_of(program: Entity) -> ReadProgram:
    """Return a program of the cell, read with any units; for its names and lines."""
    return _read(program.name, str(program.properties.get(TEXT, "")), Units())


def program_of(session: Session, entity: Entity) -> Program:
    """Return a program of the cell; a task becomes a program that calls its programs one after the other."""
    if entity.kind != "task":
        return stored(entity).program
    database = session.database
    called = [database.by_id(relation.child).name for relation in database.relations(entity)]
    if not called:
        raise Refused(f"Task {entity.name!r} has no programs; `attach PROGRAM to {entity.reference}` adds one.")
    name = entity.name if database.find("program", entity.name) is None else entity.reference
    places = tuple(Place(number) for number in range(1, len(called) + 1))
    return Program(name, (), tuple(s.Call(one) for one in called), places=places)


@lru_cache(maxsize=512)
def _read(name: str, text: str, units: Units) -> ReadProgram:
    return read_program(name, text, units)


def called_with(session: Session, program: Entity) -> list[str]:
    """Return the names of a program and of all that it calls, as far as they exist; a task has no name of its own."""
    found: dict[str, None] = {}
    waiting = [program_of(session, program)]
    while waiting:
        one = waiting.pop(0)
        if one.name in found:
            continue
        found[one.name] = None
        called = [step.program for step in one.steps if isinstance(step, s.Call)]
        entities = [session.database.find("program", name) for name in called]
        waiting += [stored(entity).program for entity in entities if entity is not None]
    return [name for name in found if session.database.find("program", name) is not None]


def names_of(session: Session, start: CellState | None = None) -> CellNames:
    """Return the names that programs of a session can use, in a run that starts in this state or the initial one."""
    programs = {one.name: stored(one).program for one in session.database.entities("program")}
    return CellNames(session.snapshot(), programs, start)


def problems_of(session: Session, program: Entity, names: CellNames | None = None) -> tuple[Problem, ...]:
    """Return the mistakes of a program in the order of its lines; for a task, those of its programs too."""
    return tuple(checkup_of(session, program, names).problems)


def checkup_of(session: Session, program: Entity, names: CellNames | None = None) -> Checkup:
    """Return the mistakes of a program or task, and the steps whose reach can only be decided in a run."""
    names = names or names_of(session)
    if program.kind == "task":
        children = dict.fromkeys(one.child for one in session.database.relations(program))
        own = checkup(program_of(session, program), names)
        all_of_it = [own, *(checkup_of(session, session.database.by_id(one), names) for one in children)]
        return Checkup(
            [one for some in all_of_it for one in some.problems], [one for some in all_of_it for one in some.open]
        )
    read = stored(program)
    found = checkup(read.program, names, read.mentions, str(program.properties.get(TEXT, "")))
    return Checkup(sorted([*read.problems, *found.problems], key=lambda one: (one.line, one.column)), found.open)


def opening_notes(database: Database) -> list[str]:
    """Return notes for the person who opens a cell: on its drive, and on programs and tools of older versions."""
    note = database.store.note
    return [*([note] if note else []), *old_programs(database), *fitted_twice(database)]


def old_programs(database: Database) -> list[str]:
    """Return a sentence for each program that edits the cell, as older versions allowed, with what to do."""
    notes = []
    for program in database.entities("program"):
        found = first_edit(str(program.properties.get(TEXT, "")))
        if found is not None:
            line, command = found
            name, file = quoted(program.name), f"{'-'.join(program.name.split())}.txt"
            notes.append(
                f"Program {program.name!r} edits the cell (`{command}` in line {line}) and cannot run; "
                f'`save-program {name} "{file}"` and `load "{file}"` carry it out as a script.'
            )
    return notes


def runnable(
    session: Session, programs: Iterable[Entity], start: CellState | None = None
) -> tuple[list[Program], dict[str, Program]]:
    """Return programs ready to run, and every program that they call; refused if any of these has a mistake.

    Args:
        session: the session.
        programs: the programs and tasks.
        start: the state in which the run starts; None for the initial state.

    Raises:
        ProgramProblems: lists every mistake of every program that would run.
    """
    database, names = session.database, names_of(session, start)
    waiting = list(programs)
    first = [program_of(session, one) for one in waiting]
    known: dict[str, Program] = {}
    wrong: list[Problem] = []
    while waiting:
        entity = waiting.pop(0)
        program = program_of(session, entity)
        if program.name in known:
            continue
        known[program.name] = program
        found = problems_of(session, entity, names) if entity.kind == "program" else check(program, names)
        wrong += [one for one in found if not one.warning]
        for step in program.steps:
            if isinstance(step, s.Call) and step.program not in known:
                called = database.find("program", step.program)
                if called is not None:
                    waiting.append(called)
    if wrong:
        raise ProgramProblems.of(first[0].name if len(first) == 1 else wrong[0].program, tuple(wrong))
    return first, known


def called_by(session: Session, entity: Entity) -> dict[str, Program]:
    """Return a program or task and every program that it calls, directly or through others, by name."""
    waiting = [program_of(session, entity)]
    known: dict[str, Program] = {}
    while waiting:
        program = waiting.pop(0)
        known[program.name] = program
        for step in program.steps:
            called = session.database.find("program", step.program) if isinstance(step, s.Call) else None
            if called is not None and called.name not in known:
                waiting.append(stored(called).program)
    return known


def program_named(session: Session, name: str) -> Entity:
    """Return the program of a name."""
    found = session.database.find("program", name)
    if found is None:
        raise UnknownName.among("program", name, session.database.names("program"))
    return found

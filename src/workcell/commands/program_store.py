"""The programs of a cell: their texts as kept, read once for each text, and followed when something is renamed.

What is kept is the text and the units that its bare numbers are in. The steps and the names in the text follow from
that, so a text that was edited by hand or merged by git can never disagree with a table beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from workcell.commands.expression_reader import PLACES, READ, is_form
from workcell.commands.expression_text import is_bare
from workcell.commands.program_reader import ReadProgram, first_edit, read_program
from workcell.commands.script import lines_of
from workcell.errors import Refused, UnknownName
from workcell.programs import steps as s
from workcell.programs.cell_names import CellNames
from workcell.programs.checker import check
from workcell.programs.mention import Mention
from workcell.programs.problem import Problem, ProgramProblems
from workcell.programs.program import Place, Program
from workcell.spatial.units import Units
from workcell.world.entities import Entity, quoted
from workcell.world.snapshot import gripper_signal, opening_signal

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.world.database import Database

TEXT, UNITS = "text", "units"
"""The properties of a program: its lines, and the units of its bare numbers."""


def store_text(session: Session, program: Entity, text: str) -> ReadProgram:
    """Give a program its text, in the units that the cell has now."""
    kept = "\n".join(lines_of(text))
    units = session.cell_units
    said = msgspec.json.encode(units).decode()
    session.database.set_properties(session.rows, program, {TEXT: kept, UNITS: said})
    return _read(program.name, kept, units)


def stored(program: Entity) -> ReadProgram:
    """A program of the cell as it reads."""
    own = program.properties
    units = msgspec.json.decode(own[UNITS], type=Units) if own.get(UNITS) else Units()
    return _read(program.name, str(own.get(TEXT, "")), units)


def program_of(session: Session, entity: Entity) -> Program:
    """A program of the cell; a task is one that calls its programs one after the other."""
    if entity.kind != "task":
        return stored(entity).program
    database = session.database
    called = [database.by_id(relation.child).name for relation in database.relations(entity)]
    if not called:
        raise Refused(f"Task {entity.name!r} has no programs; `attach PROGRAM to {entity.reference}` gives it some.")
    name = entity.name if database.find("program", entity.name) is None else entity.reference
    places = tuple(Place(number) for number in range(1, len(called) + 1))
    return Program(name, (), tuple(s.Call(one) for one in called), places=places)


@lru_cache(maxsize=512)
def _read(name: str, text: str, units: Units) -> ReadProgram:
    return read_program(name, text, units)


def names_of(session: Session) -> CellNames:
    """What programs of a session can name."""
    programs = {one.name: stored(one).program for one in session.database.entities("program")}
    return CellNames(session.snapshot(), programs)


def problems_of(session: Session, program: Entity, names: CellNames | None = None) -> tuple[Problem, ...]:
    """Every mistake of a program of the cell, in the order of its lines; of a task, those of its programs too."""
    names = names or names_of(session)
    if program.kind == "task":
        children = dict.fromkeys(one.child for one in session.database.relations(program))
        inner = [problems_of(session, session.database.by_id(one), names) for one in children]
        return (*check(program_of(session, program), names), *(problem for some in inner for problem in some))
    read = stored(program)
    found = check(read.program, names, read.mentions, str(program.properties.get(TEXT, "")))
    return tuple(sorted([*read.problems, *found], key=lambda one: (one.line, one.column)))


def old_programs(database: Database) -> list[str]:
    """What to do with each program that edits the cell, as programs once could; one sentence each."""
    told = []
    for program in database.entities("program"):
        found = first_edit(str(program.properties.get(TEXT, "")))
        if found is not None:
            line, command = found
            name, file = quoted(program.name), f"{'-'.join(program.name.split())}.txt"
            told.append(
                f"Program {program.name!r} edits the cell (`{command}` in line {line}) and cannot run; "
                f'`save-program {name} "{file}"` and `load "{file}"` carry it out as a script.'
            )
    return told


def runnable(session: Session, programs: Iterable[Entity]) -> tuple[list[Program], dict[str, Program]]:
    """Programs ready to run, and every program that they call; refused where any of these has a mistake.

    Raises:
        ProgramProblems: lists every mistake of every program that would run.
    """
    database, names = session.database, names_of(session)
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


def follow_rename(session: Session, entity: Entity, name: str) -> None:
    """Write the new name of an entity into every program that names it; called before it has that name."""
    database = session.database
    for program in database.entities("program"):
        read = stored(program)
        meant = {one: entity for one in read.mentions if one.name == entity.name and _means(database, one, entity)}
        for one in read.mentions:  # what already has the new name must not come to mean the renamed entity
            if one.name == name and entity.kind in one.kinds and one.kinds in (READ, PLACES):
                other = next((found for found in database.named(name) if _means(database, one, found)), None)
                if other is not None:
                    meant[one] = other
        own = {one: entity for one in read.mentions if _of_gripper(database, one, entity)}
        if not meant and not own:
            continue
        text = str(program.properties[TEXT])
        taken = _variables(read.program)
        for mention, owner in sorted([*meant.items(), *own.items()], key=lambda one: one[0], reverse=True):
            if mention in own:
                text = f'{text[: mention.start]}"{name}{mention.name.removeprefix(entity.name)}"{text[mention.end :]}'
                continue
            kinds = [one.kind for one in database.named(name) if one.kind in READ]
            others = bool(kinds) if owner is entity else True
            text = text[: mention.start] + _written(text, mention, owner, name, taken, others) + text[mention.end :]
        database.set_properties(session.rows, program, {TEXT: text})


def _of_gripper(database: Database, mention: Mention, entity: Entity) -> bool:
    """Whether a name in a program is that of a signal which the gripper of a robot gives."""
    signals = gripper_signal(entity.name), opening_signal(entity.name)
    known = entity.kind in ("robot", "mechanism") and mention.name in signals and "signal" in mention.kinds
    return known and database.find("signal", mention.name) is None


def programs_naming(session: Session, entity: Entity) -> list[str]:
    """The other programs that name an entity, each with the line where it does first; for whoever removes it."""
    found = []
    for program in session.database.entities("program"):
        if program.id == entity.id:
            continue
        places = [one.start for one in stored(program).mentions if _named(session.database, one, entity)]
        if places:
            line = str(program.properties[TEXT]).count("\n", 0, min(places)) + 1
            found.append(f"program {program.name!r} stays and names it in line {line}")
    return found


def _named(database: Database, mention: Mention, entity: Entity) -> bool:
    return mention.name == entity.name and _means(database, mention, entity)


def _means(database: Database, mention: Mention, entity: Entity) -> bool:
    """Whether a name in a program is that of an entity: the first of its kinds that something has."""
    for kind in mention.kinds:
        if database.find(kind, mention.name) is not None:
            return kind == entity.kind
    return False


def _written(text: str, mention: Mention, entity: Entity, name: str, taken: set[str], others: bool) -> str:
    """A name as it stands in a program; with its kind where a variable or something else has it too."""
    before = text[mention.start : mention.end]
    bare = is_bare(name)
    if before.startswith('"') or text[: mention.start].endswith(":"):
        return f'"{name}"' if before.startswith('"') or not bare else name
    if mention.kinds not in (READ, PLACES):
        return name if bare else f'"{name}"'
    hidden = any(name == one or name.startswith(f"{one}-") for one in taken)
    if bare and not hidden and not others and not is_form(name):
        return name
    return f'{entity.kind}:"{name}"'


def _variables(program: Program) -> set[str]:
    """The names that are variables of a program."""
    found = {one.name for one in program.parameters}
    for step in program.steps:
        if isinstance(step, s.Let | s.For | s.ForEach | s.Try):
            found.add(step.variable)
    return found


def program_named(session: Session, name: str) -> Entity:
    """The program of that name."""
    found = session.database.find("program", name)
    if found is None:
        raise UnknownName.among("program", name, session.database.names("program"))
    return found

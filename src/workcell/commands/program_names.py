"""The names in programs: updated when a thing is renamed, or when another thing gets its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from workcell.commands.language.expression_reader import PLACES, READ, is_form
from workcell.commands.language.expression_text import is_bare
from workcell.commands.language.statement_reader import CALLED
from workcell.commands.program_store import TEXT, words_of
from workcell.programs import steps as s
from workcell.programs.mention import Mention
from workcell.programs.program import Program
from workcell.world.entities import Entity
from workcell.world.gripper_names import gripper_signal, opening_signal

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.world.merge import Taken

Has: TypeAlias = Callable[[str, str], bool]
"""Whether a cell has a thing of a kind and a name."""
NewName: TypeAlias = Callable[[Mention, str], str]
"""The new name for a name in a program, by the kind of thing that it means; the kind is '' if nothing has the name."""


def follow_renames(session: Session, renamed: Sequence[tuple[Entity, str]]) -> None:
    """Write the new names of entities into every program that uses them; call it before they are renamed."""
    before = _has(session)
    new_names = {(_read_as(entity), entity.name): name for entity, name in renamed}
    given = {(_read_as(entity), name) for entity, name in renamed}
    signals = {
        signal(entity.name): signal(name)
        for entity, name in renamed
        if entity.kind in ("robot", "mechanism")
        for signal in (gripper_signal, opening_signal)
    }

    def after(kind: str, one: str) -> bool:
        return (kind, one) in given or ((kind, one) not in new_names and before(kind, one))

    def new(mention: Mention, kind: str) -> str:
        name = new_names.get((kind, mention.name))
        if name is not None:
            return name
        unknown = not kind and "signal" in mention.kinds
        return signals.get(mention.name, mention.name) if unknown else mention.name

    for program in session.database.entities("program"):
        _follow(session, program, new, before, after)


def follow_merge(session: Session, taken: Taken, prefix: str) -> list[str]:
    """Keep the meaning of every program after another cell was merged into this one.

    In the programs of the other cell, every name gets the prefix. Names that nothing has get it too, so that they
    cannot come to mean something of this cell.

    Returns:
        A sentence for each merged program with lines that cannot be read.
    """
    after, notes = _has(session), []
    new = {(_read_as(one), one.name) for one in taken.entities}
    programs = {one.id for one in taken.entities if one.kind == "program"}

    def here(kind: str, name: str) -> bool:
        return (kind, name) not in new and after(kind, name)

    def there(kind: str, name: str) -> bool:
        return (kind, name) in taken.source or (kind == "signal" and ("sensor", name) in taken.source)

    for program in session.database.entities("program"):
        if program.id in taken.merged:
            continue
        if program.id not in programs:
            _follow(session, program, lambda mention, _: mention.name, here, after)
            continue
        _follow(session, program, lambda mention, _: prefix + mention.name, there, after)
        lines = sorted({one.line for one in words_of(program).problems})
        if lines and prefix:
            notes.append(_unread(program.name, lines))
    return notes


def programs_naming(session: Session, entity: Entity) -> list[str]:
    """Return a note on each other program that names an entity, with the first such line; for its removal."""
    has, found = _has(session), []
    for program in session.database.entities("program"):
        if program.id == entity.id:
            continue
        named = [one for one in words_of(program).mentions if one.name == entity.name]
        places = [one.start for one in named if _meaning(one, has) == _read_as(entity)]
        if places:
            line = str(program.properties[TEXT]).count("\n", 0, min(places)) + 1
            found.append(f"program {program.name!r} still names it in line {line}")
    return found


def _has(session: Session) -> Has:
    database = session.database
    return lambda kind, name: (
        database.find(kind, name) is not None or (kind == "signal" and database.find("sensor", name) is not None)
    )


def _read_as(entity: Entity) -> str:
    """Return the kind of an entity as programs see it: a sensor is a signal."""
    return "signal" if entity.kind == "sensor" else entity.kind


def _unread(name: str, lines: list[int]) -> str:
    if len(lines) == 1:
        return f"Line {lines[0]} of program {name!r} cannot be read, so names in it may be old ones."
    listed = f"{', '.join(str(line) for line in lines[:-1])} and {lines[-1]}"
    return f"Lines {listed} of program {name!r} cannot be read, so names in them may be old ones."


def _follow(session: Session, program: Entity, new: NewName, before: Has, after: Has) -> None:
    """Rewrite the names in a program so that they keep their meaning after a change."""
    read = words_of(program)
    text = kept = str(program.properties.get(TEXT, ""))
    taken = _variables(read.program)
    for mention in sorted(set(read.mentions), reverse=True):
        kind = _meaning(mention, before)
        if not kind and mention.kinds in (READ, CALLED) and mention.name in taken:
            continue  # a variable that gets its value in a later line
        name = new(mention, kind)
        seen = READ if mention.kinds == PLACES else mention.kinds  # a place is read as a value: signals first
        if name == mention.name and _first(seen, name, before) == _first(seen, name, after):
            continue
        others = any(after(one, name) for one in seen if one != kind)
        written = _written(text, mention, kind or mention.kinds[0], name, taken, others)
        text = text[: mention.start] + written + text[mention.end :]
    if text != kept:
        session.database.set_properties(session.rows, program, {TEXT: text})


def _meaning(mention: Mention, has: Has) -> str:
    """Return the kind of the thing that a name means: the first of its kinds that exists; '' if none does."""
    return _first(mention.kinds, mention.name, has)


def _first(kinds: tuple[str, ...], name: str, has: Has) -> str:
    return next((kind for kind in kinds if has(kind, name)), "")


def _written(text: str, mention: Mention, kind: str, name: str, taken: set[str], others: bool) -> str:
    """Return a name as it is written in a program; with its kind if a variable or another thing has it too."""
    quotes = text.startswith('"', mention.start)
    plain = f'"{name}"' if quotes or not is_bare(name) else name
    if text.endswith(":", 0, mention.start) or mention.kinds not in (READ, PLACES, CALLED):
        return plain
    hidden = any(name == one or name.startswith(f"{one}-") for one in taken)
    readable = quotes or (is_bare(name) and not is_form(name))
    if readable and not hidden and not others:
        return plain
    return f'{kind}:"{name}"'


def _variables(program: Program) -> set[str]:
    """Return the names of the variables of a program."""
    found = {one.name for one in program.parameters}
    for step in program.steps:
        if isinstance(step, s.Let | s.For | s.ForEach | s.Try):
            found.add(step.variable)
    return found

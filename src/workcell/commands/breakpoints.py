"""The breakpoints of a session, which stay with their lines when programs are edited, undone or written anew."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workcell.commands.program_store import TEXT, words_of
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.stepping import Breakpoint


def fitted_breakpoints(session: Session) -> dict[tuple[int, int], Breakpoint]:
    """Return the breakpoints by the id of the program and the line, at the lines that the programs have now.

    A breakpoint whose line is gone, or has no step any more, is removed. Those of a program that was removed are kept,
    because `undo` may bring it back.
    """
    programs = {program for program, _ in session.breakpoints}
    for entity in session.database.entities("program") if programs else ():
        before, text = session.break_texts.get(entity.id), str(entity.properties.get(TEXT, ""))
        if entity.id not in programs or before is None or before == text:
            continue
        session.break_texts[entity.id] = text
        _fit(session, entity, before.split("\n"), text.split("\n"))
    return session.breakpoints


def _fit(session: Session, program: Entity, before: Sequence[str], after: Sequence[str]) -> None:
    steps = {place.line for place in words_of(program).program.places}
    now = lines_now(before, after)
    held = {line: one for (at, line), one in session.breakpoints.items() if at == program.id}
    for line in held:
        del session.breakpoints[program.id, line]
    for line, one in held.items():
        if now.get(line) in steps:
            session.breakpoints[program.id, now[line]] = replace(one, line=now[line])


def lines_now(before: Sequence[str], after: Sequence[str]) -> dict[int, int]:
    """Return for each line of a text where it is in a later text, both counted from 1.

    Lines that are gone are left out. Indentation does not count. A line that was changed in place stays itself. A line
    that was moved is found by its words, if no other line has the same.
    """
    old, new = [line.strip() for line in before], [line.strip() for line in after]
    found: dict[int, int] = {}
    for what, first, last, start, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "equal" or (what == "replace" and last - first == end - start):
            found.update(zip(range(first + 1, last + 1), range(start + 1, end + 1), strict=True))
    taken = set(found.values())
    for number, line in enumerate(old, start=1):
        if number not in found and line:
            places = [place for place, other in enumerate(new, start=1) if other == line and place not in taken]
            if len(places) == 1:
                found[number] = places[0]
    return found

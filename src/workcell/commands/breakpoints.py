"""The breakpoints of a cell, which stay with their lines when programs are edited, undone, renamed or written anew.

They are kept in the file of the cell beside its history, so that they are there in every window, after `save` under
another name, and when the file is opened again. No step of the history sets one, and a replay pauses at none.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from workcell.commands.language.expression_reader import ExpressionReader
from workcell.commands.language.expression_text import expression_text
from workcell.commands.program_store import TEXT, words_of
from workcell.errors import WorkcellError
from workcell.world.catalogue import BREAKPOINTS
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.programs.expressions import Expression
    from workcell.simulation.stepping import Breakpoint
    from workcell.world.database import Database


class _Kept(msgspec.Struct):
    """The breakpoints of one program as the file has them: its lines then, and the conditions by line."""

    program: int
    text: str
    lines: dict[int, str]


_READER = msgspec.json.Decoder(list[_Kept])


class Breakpoints:
    """Where runs pause, by the id of the program and the line.

    Args:
        database: the cell.
        keeps: whether changes are written to the cell; not by a reader in another thread.
    """

    def __init__(self, database: Database, keeps: bool = True) -> None:
        self._database = database
        self._keeps = keeps
        self._texts: dict[int, str] = {}
        """The texts of programs for which the lines of their breakpoints hold."""
        self._held: dict[tuple[int, int], Breakpoint] | None = None

    def beside(self) -> Breakpoints:
        """Return a copy for a reader in another thread."""
        other = Breakpoints(self._database, keeps=False)
        other._held, other._texts = dict(self._known), dict(self._texts)
        return other

    def fitted(self) -> Mapping[tuple[int, int], Breakpoint]:
        """Return them at the lines that the programs have now.

        A breakpoint whose line is gone, or has no step any more, is removed. Those of a program that was removed are
        kept, because `undo` may bring it back.
        """
        held = self._known
        programs = {program for program, _ in held}
        edited = False
        for entity in self._database.entities("program") if programs else ():
            before, text = self._texts.get(entity.id), str(entity.properties.get(TEXT, ""))
            if entity.id in programs and before is not None and before != text:
                self._texts[entity.id] = text
                self._fit(entity, before.split("\n"), text.split("\n"))
                edited = True
        if edited:
            self._keep()
        return held

    def put(self, program: Entity, line: int, condition: Expression | None) -> Breakpoint | None:
        """Set one at a line of a program; return the one that it replaces."""
        from workcell.simulation.stepping import Breakpoint

        before = self.fitted().get((program.id, line))
        self._known[program.id, line] = Breakpoint(line, condition)
        self._texts[program.id] = str(program.properties.get(TEXT, ""))
        self._keep()
        return before

    def remove(self, keys: Iterable[tuple[int, int]]) -> None:
        """Remove some, each by the id of its program and its line."""
        for key in keys:
            del self._known[key]
        self._keep()

    @property
    def _known(self) -> dict[tuple[int, int], Breakpoint]:
        if self._held is None:
            self._held = self._read()
        return self._held

    def _read(self) -> dict[tuple[int, int], Breakpoint]:
        """Read those of the file; what cannot be read is left out."""
        from workcell.simulation.stepping import Breakpoint

        found: dict[tuple[int, int], Breakpoint] = {}
        try:
            kept = _READER.decode(self._database.setting(BREAKPOINTS) or "[]")
        except msgspec.DecodeError:
            return found
        for one in kept:
            self._texts[one.program] = one.text
            for line, condition in one.lines.items():
                try:
                    read = ExpressionReader(condition, 0).expression() if condition else None
                except WorkcellError:
                    continue
                found[one.program, line] = Breakpoint(line, read)
        return found

    def _keep(self) -> None:
        if not self._keeps:
            return
        lines: dict[int, dict[int, str]] = {}
        for (program, line), one in sorted(self._known.items()):
            condition = "" if one.condition is None else expression_text(one.condition)
            lines.setdefault(program, {})[line] = condition
        kept = [_Kept(program, self._texts.get(program, ""), own) for program, own in lines.items()]
        self._database.keep_aside(BREAKPOINTS, msgspec.json.encode(kept).decode() if kept else "")

    def _fit(self, program: Entity, before: Sequence[str], after: Sequence[str]) -> None:
        steps = {place.line for place in words_of(program).program.places}
        now, known = lines_now(before, after), self._known
        held = {line: one for (at, line), one in known.items() if at == program.id}
        for line in held:
            del known[program.id, line]
        for line, one in held.items():
            if now.get(line) in steps:
                known[program.id, now[line]] = replace(one, line=now[line])


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

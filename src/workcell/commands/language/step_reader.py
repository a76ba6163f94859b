"""Reading lines of programs that are commands, with a plan that is compiled once for each kind of step."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from workcell.commands.language.alternatives import IN_PROGRAMS
from workcell.commands.language.line_reader import unknown_word
from workcell.commands.language.place_reader import PlaceReader
from workcell.commands.language.syntax import SyntaxItem
from workcell.commands.language.tokens import Tokens
from workcell.errors import CommandSyntaxError
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.programs.wants import Entity, Field, Wants, fields_of
from workcell.wording import an
from workcell.world.kinds import KINDS

if TYPE_CHECKING:
    from workcell.commands.language.registry import Command

_NAME = re.compile(r'(?:(?P<kind>[a-z]+):)?(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s"(),=]+))')
_BARE = re.compile(r'[^\s"(),=:]+')
WORD = re.compile(r"[^\s\"()]+")
_RAW = re.compile(r'[^\s"(),]+')
_KEY = re.compile(r"([a-z_]+)=(?!=)")
_PIECE = re.compile(r'"[^"]*"|\([^()]*\)|[^\s"&]+')
_SPELLED = {"set-joints": "set joints"}
"""Steps whose command is not spelled like the tag of the step."""
FieldReader: TypeAlias = "Callable[[StepReader, StepPlan], Any]"


@lru_cache(maxsize=1)
def step_types() -> dict[str, type[s.Step]]:
    """Return the types of steps by the names of their commands."""
    return {_SPELLED.get(one.__struct_config__.tag, one.__struct_config__.tag): one for one in get_args(s.Step)}


class StepPlan:
    """How the line of one kind of step is read: its items in order, its groups by their words, a reader per field."""

    __slots__ = ("command", "groups", "kind", "lone", "openers", "readers", "repeated", "required")

    def __init__(self, command: Command, kind: type[s.Step]) -> None:
        syntax = command.syntax
        self.command = command
        self.kind = kind
        self.required = syntax.required
        self.repeated = syntax.repeated
        self.readers: Mapping[str, FieldReader] = {
            one.name: _field_reader(one) for one in fields_of(kind) if one.name in syntax.params
        }
        self.groups = frozenset(range(len(syntax.groups)))
        self.openers = {group.parts[0].word: place for place, group in enumerate(syntax.groups) if group.parts[0].word}
        self.lone = tuple(place for place, group in enumerate(syntax.groups) if group.parts[0].param)


@lru_cache(maxsize=1)
def step_plans() -> dict[str, StepPlan]:
    """Return the plan of every kind of step, by the name of its command."""
    from workcell.commands.language.registry import registry

    return {
        name: StepPlan(registry().named(name), kind)
        for name, kind in step_types().items()
        if name in registry() and kind is not s.Together
    }


class StepReader(PlaceReader):
    """Reads a line that is a command as a step."""

    __slots__ = ("_keys",)

    def begin(self, line: str, start: int, end: int, offset: int) -> None:
        """Begin another line; the mentions of all lines are kept."""
        self.line, self.at, self.end, self.offset = line, start, end, offset
        self._depth = self._operators = 0
        self._placing = True
        self._keys = "=" in line

    def step(self) -> s.Step:
        """Read the rest of the line as a step."""
        start, command = self.at, self.command()
        if command.name == "together":
            return self._together()
        plan = step_plans().get(command.name)
        if plan is None:
            raise self.fail(_no_step(command, self.line[self.at : self.end].strip()), [], start)
        return self.planned(plan)

    def planned(self, plan: StepPlan) -> s.Step:
        """Read the rest of the line as a step, behind the words of its command."""
        values: dict[str, Any] = {}
        for part in plan.required:
            if self._keys:
                self._keyed(plan, values)
                if part.param in values:
                    continue
            if self._skip():
                if part.word:
                    continue
                raise self._missing(plan, part)
            if part.word:
                self._expected(part.word, plan)
            else:
                values[part.param] = plan.readers[part.param](self, plan)
        if not self._skip():
            self._groups(plan, values)
        if plan.repeated:
            values.update({name: tuple(values[name]) for name in plan.repeated if name in values})
        return plan.kind(**values)

    def _missing(self, plan: StepPlan, part: SyntaxItem) -> CommandSyntaxError:
        name = part.word or part.param.upper()
        return self.fail(f"Expected {name}: {plan.command.syntax.shown()}.", [name])

    def _together(self) -> s.Step:
        moves = []
        while True:
            self._skip()
            start = self.at
            one = self.step()
            if not isinstance(one, s.BEGIN_TOGETHER):
                raise self.fail(
                    f"Only moves can start together; `{one.__struct_config__.tag}` is not a move.", [], start
                )
            moves.append(one)
            if self.done:
                break
            self.at += 1
        if len(moves) < 2:
            raise self.fail("Expected two or more moves with & between them.", ["&"])
        return s.Together(tuple(moves))

    def command(self) -> Command:
        """Read the words of a command."""
        from workcell.commands.language.registry import registry

        node = registry().tree.root
        while node.command is None:
            self._skip()
            start = self.at
            found = WORD.match(self.line, self.at, self.end)
            word = found[0].lower() if found else ""
            matches = node.words.get(IN_PROGRAMS.get(word, word), ())
            if len(matches) != 1:
                unknown = unknown_word(Tokens(self.line), word, matches, node.children)
                raise self.fail(unknown.message, list(node.children), start)
            self.at += len(word)
            node = node.children[matches[0]]
        return node.command

    def _expected(self, wanted: str, plan: StepPlan | None = None) -> None:
        """Take the word that must come here, or its beginning; the refusal has an example of the step."""
        found = _RAW.match(self.line, self.at, self.end)
        word = found[0] if found else ""
        if not word or not wanted.startswith(word):
            such = "" if plan is None else plan.command.such
            raise self.fail(f"Expected `{wanted}`{such}; found {word!r}.", [wanted])
        self.at += len(word)

    def _keyed(self, plan: StepPlan, values: dict[str, Any]) -> bool:
        """Read ``name=value`` for a parameter that is not there yet."""
        self._skip()
        found = _KEY.match(self.line, self.at, self.end)
        if found is None or found[1] not in plan.readers or found[1] in values:
            return False
        self.at = found.end()
        value = plan.readers[found[1]](self, plan)
        values[found[1]] = [value] if found[1] in plan.repeated else value
        return True

    def _groups(self, plan: StepPlan, values: dict[str, Any]) -> None:
        """Read the optional groups, in any order, to the end of the line or the next move."""
        left = plan.groups
        while not self._skip() and self.line[self.at] != "&":
            if not (self._keys and self._keyed(plan, values)):
                left = self._group(plan, left, values)

    def _group(self, plan: StepPlan, left: frozenset[int], values: dict[str, Any]) -> frozenset[int]:
        """Read one group; return the groups that may still come."""
        matched = _RAW.match(self.line, self.at, self.end)
        word = matched[0] if matched else ""
        place = plan.openers.get(word, -1)
        if place not in left:
            found = [one for text, one in plan.openers.items() if one in left and text.startswith(word)] if word else []
            lone = [one for one in plan.lone if one in left]
            if len(found) > 1 or not (found or lone):
                raise self._not_a_group(plan, left)
            place, word = (found[0], word) if found else (lone[0], "")
        group = plan.command.syntax.groups[place]
        if not group.repeats:
            left = left - {place}
        self.at += len(word)
        if group.flag:
            values[group.flag] = True
            return left
        for part in group.parts[1:] if word else group.parts:
            if self.done:
                raise self._missing(plan, part)
            if part.word:
                self._expected(part.word)
            elif group.repeats:
                values.setdefault(part.param, []).append(plan.readers[part.param](self, plan))
            else:
                values[part.param] = plan.readers[part.param](self, plan)
        return left

    def _not_a_group(self, plan: StepPlan, left: frozenset[int]) -> CommandSyntaxError:
        first = [plan.command.syntax.groups[one].parts[0] for one in sorted(left)]
        known = [part.word or part.param.upper() for part in first]
        what = f"Expected {', '.join(known)} or the end" if known else "Nothing more was expected"
        shown = self.line[self.at : self.end].split()[0]
        return self.fail(f"{what}; found {shown!r}.", [*known, "the end"])

    # ---- values -----------------------------------------------------------------------------------------

    def entity(self, wants: Entity) -> str:
        """Read the name of an entity of the cell."""
        self._skip()
        bare = _BARE.match(self.line, self.at, self.end)
        if bare is not None and self.line[bare.end() : bare.end() + 1] != ":":
            start, self.at = self.at, bare.end()
            self.mention(start, self.at, bare[0], wants.kinds)
            return bare[0]
        found = _NAME.match(self.line, self.at, self.end)
        if found is None:
            raise self.fail(f"Expected the name of {an(' or '.join(wants.kinds))}{self.found()}.", ["NAME"])
        kinds, start = wants.kinds, found.start()
        if found["kind"] and found["kind"] in KINDS:
            if found["kind"] not in kinds:
                raise self.fail(f"Expected {an(' or '.join(kinds))}, not {an(found['kind'])}.", ["NAME"])
            kinds, start = (found["kind"],), found.end("kind") + 1
            name = found["quoted"] if found["quoted"] is not None else found["bare"]
        else:
            name = found["quoted"] if found["quoted"] is not None else found[0]
        self.at = found.end()
        self.mention(start, found.end(), name, kinds)
        return name

    def joints(self) -> e.Expression:
        """Read joint values: a row, or a name or call that stands for one."""
        row = self.row(None)
        alone = row.items[0]
        return alone if len(row.items) == 1 and isinstance(alone, e.Name | e.Call) and not row.unit else row

    def constant(self, plan: StepPlan, name: str) -> Any:
        """Read a word or a quoted text, as the command does."""
        self._skip()
        start = self.at
        found = _PIECE.match(self.line, self.at, self.end)
        shown = plan.command.syntax.shown
        if found is None:
            raise self.fail(f"Expected {name.upper()}: {shown()}.", [name.upper()])
        value = plan.command.syntax.params[name]
        try:
            parsed = value.parse(Tokens(found[0]), None, {})  # type: ignore[arg-type]
        except CommandSyntaxError as error:
            raise self.fail(error.message, [value.label], start) from None
        self.at = found.end()
        return parsed


def _field_reader(field: Field) -> FieldReader:
    """Return the reader of a field, by what it holds."""
    holds = field.holds
    if isinstance(holds, Entity):
        return lambda reader, _: reader.entity(holds)
    if not isinstance(holds, Wants):
        return lambda reader, plan: reader.constant(plan, field.name)
    if holds.type in ("pose", "point"):
        along = field.name != "by"  # a shift of the hand has its own word for the axes
        return lambda reader, _: reader.pose(along)
    if holds.type == "joints":
        return lambda reader, _: reader.joints()
    if holds.type == "number":
        return lambda reader, _: reader.number(holds.quantity)
    return lambda reader, _: reader.expression()


def _no_step(command: Command, rest: str) -> str:
    if command.name == "run":
        return f"`run` starts a new run; in a program, use `call {rest}`."
    if command.effect == "edits":
        return (
            f"`{command.name}` edits the cell, so it cannot be a step of a program; put it into a script, which "
            "`load FILE` runs."
        )
    return f"`{command.name}` is not a step of a program."

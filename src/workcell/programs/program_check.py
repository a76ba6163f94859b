"""One check of a program: goes through the steps, and reports mistakes in names and values with their places."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from workcell.errors import UnknownName, WorkcellError
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.programs.calling import endless_calls
from workcell.programs.cell_names import CellNames
from workcell.programs.deciding import SIMPLE, StillScope, decided
from workcell.programs.evaluate import Value, converted
from workcell.programs.measures import DIMENSIONS, UNITS
from workcell.programs.mention import Mention
from workcell.programs.named_parameters import NAMED, named
from workcell.programs.order_rules import ORDER_RULES, argument_fits
from workcell.programs.problem import Problem
from workcell.programs.program import Program
from workcell.programs.reach import Reach
from workcell.programs.reach_rules import far, foreseen, joint_values, pose_fits
from workcell.programs.step_rules import STEP_RULES
from workcell.programs.types import Type, merged, parameter_type, require, type_of
from workcell.programs.wants import READING, Entity, Wants, fields_of, parameter_wants
from workcell.programs.zone_order import zone_warnings
from workcell.wording import an, either
from workcell.world.inventory import gripper_signals

_Look: TypeAlias = "tuple[str, frozenset[str] | None, Any, Callable[[Any, Any, Any], object]]"
"""A field of a step: its name, the names that it may hold, its type, and the function that checks its value."""
_REMARKS = {s.Comment, s.Verbatim}
_LAST = {s.Return: "return", s.Stop: "stop"}
_GIVING = {s.Let, s.If, s.While, s.Repeat, s.For, s.ForEach, s.Parallel, s.Try, s.WaitUntil}
"""The steps that give variables their values, and the steps with blocks that hold such steps."""
LENGTH = Wants("number", "length")


class ProgramCheck:
    """One check of one program: the current step, the types of variables, and the mistakes found.

    Args:
        program: the program.
        names: what exists.
        mentions: the names in its text, so that a mistake in a name has its column.
        text: its text.
    """

    def __init__(self, program: Program, names: CellNames, mentions: Sequence[Mention], text: str) -> None:
        self.program = program
        self.names = names
        self.named = named(program)
        """The parameters that stand for names."""
        self.found: list[Problem] = []
        self._later: dict[str, Type] = {}
        self.variables: dict[str, Type] = {}
        self.number = 0
        """The number of the next step."""
        self.at = 0
        """The number of the step that is checked."""
        self.quiet = True
        """Whether this pass only collects the types of variables."""
        self._mentions, self._text = mentions, text
        self.reach = Reach(names.devices, names.snapshot.places, program.units)
        self.settled = program.name not in names.framed
        """Whether frame and tools are the robot's own, so that reach can be decided."""
        self.strict = True
        """Whether values that cannot be used are mistakes here; not if the program handles the error."""
        self.still = StillScope(names, program.units)
        self.wrong: set[int] = set()
        """The numbers of steps with mistakes."""
        self._columns: dict[int, list[Mention]] | None = None
        self.variables_read: set[str] = set()
        self._looks: dict[type, list[_Look]] = {}
        self.gripper_signals = gripper_signals(names.snapshot)
        self._head = -1
        """The number of the parameter that is checked; -1 if none is."""
        self.open: list[Problem] = []
        """The steps whose reach only the run decides."""
        self.marked: set[tuple[int, int]] = set()
        """The steps whose reach depends on the steps before them: the number and the identity of each."""

    def problems_found(self) -> list[Problem]:
        """Go through the program and return its mistakes in the order of its lines."""
        if any(type(step) in _GIVING for step in self.program.steps):
            known = self.variables_given()  # a variable that is given later in a loop counts at its beginning too
        else:
            known = {}
        self.quiet, self.found = False, []
        self._later = known
        self._pass()
        far(self)
        foreseen(self)
        self._unread()
        for number, chain in endless_calls(self.program, self.names.programs):
            message = f"Program {self.program.name!r} calls itself without end: {' → '.join(chain)}."
            self.problem(number, message, chain[1])
        for number, message, zone in zone_warnings(self.program, self.names.programs):
            self.problem(number, message, zone, warning=True)
        return sorted(self.found, key=lambda one: (one.line, one.column))

    def variables_given(self) -> dict[str, Type]:
        """Return the types of all variables, wherever the program gives them values."""
        self._pass()
        return self.variables

    def _pass(self) -> None:
        self.number = 0
        self.variables = {one.name: parameter_type(one.type) for one in self.program.parameters}
        for number, one in enumerate(self.program.parameters):
            self._head = number
            if one.name in self.named:
                if one.default is not None:
                    argument_fits(self, one.default, one)
            elif one.default is not None:
                self.guarded(partial(self.expect, one.default, parameter_wants(one.type)))
        self._head = -1
        self.block(self.program.body)

    def problem(self, number: int, message: str, name: str = "", warning: bool = False) -> None:
        """Report a mistake in the step with this number, at the place of a name if one is given."""
        if self.quiet:
            return
        heads = self.program.heads
        place = heads[self._head] if 0 <= self._head < len(heads) else self.program.place(number)
        column = place.column
        if name and self._mentions:
            column = self._column(place.line, name, column)
        self.found.append(Problem(self.program.name, place.line, column, message, warning))
        if not warning:
            self.wrong.add(number)

    def _column(self, line: int, name: str, otherwise: int) -> int:
        if self._columns is None:
            starts, at = [0], 0
            for one in self._text.split("\n"):
                at += len(one) + 1
                starts.append(at)
            self._columns, self._starts = {}, starts
            for mention in self._mentions:
                number = bisect_right(starts, mention.start)
                self._columns.setdefault(number, []).append(mention)
        for mention in self._columns.get(line, ()):
            if mention.name == name:
                return mention.start - self._starts[line - 1]
        return otherwise

    def guarded(self, look: Callable[[], object]) -> bool:
        """Run a check and report a refusal as a mistake; return whether there was none."""
        try:
            look()
        except UnknownName as error:
            self.problem(self.at, error.message, str(error.evidence.get("asked", "")))
            return False
        except WorkcellError as error:
            self.problem(self.at, error.message)
            return False
        return True

    def block(self, block: s.Block) -> None:
        """Check the steps of a block."""
        over, quiet = "", self.quiet
        for step in block:
            kind = type(step)
            if quiet and kind not in _GIVING:
                continue  # the first pass only collects the types of variables
            self.at = self.number
            self.number += 1
            if over and kind not in _REMARKS:
                self.problem(self.at, f"This step is never reached, because `{over}` comes before it.", warning=True)
                over = ""
            self.step(step)
            if kind in _LAST:
                over = _LAST[kind]

    def step(self, step: s.Step) -> None:
        """Check one step."""
        special = ORDER_RULES.get(type(step))
        if special is not None:
            special(self, step)
            return
        self.fields(step)
        rule = STEP_RULES.get(type(step))
        if rule is not None:
            rule(self, step)

    def fields(self, step: s.Step) -> None:
        """Check the names and values of a step."""
        looks = self._looks.get(type(step))
        if looks is None:
            looks = self._looks[type(step)] = self._looks_at(type(step))
        for name, known, holds, look in looks:
            value = getattr(step, name)
            if value is None:
                continue
            if known is None:
                look(step, holds, value)
            elif value in self.named or value not in known:
                self.entity(value, holds)

    def _looks_at(self, kind: type[s.Step]) -> list[_Look]:
        """Return how the fields of a kind of step are checked.

        The names they may hold, or the function for the value.
        """
        looks: list[_Look] = []
        for one in fields_of(kind):
            holds = one.holds
            if isinstance(holds, Entity):
                known = (name for name in self.names.known(holds.kinds) if not self._empty(name, holds))
                looks.append((one.name, frozenset(known), holds, self.value_fits))
            elif holds is not None:
                own: dict[str, Callable[[Any, Any, Any], object]] = {
                    "joints": partial(joint_values, self),
                    "number": self.number_fits,
                    "pose": partial(pose_fits, self),
                }
                look = own.get(holds.type, self.value_fits)
                looks.append((one.name, None, holds, self._several if one.several else look))
        return looks

    def _empty(self, name: str, wants: Entity) -> bool:
        """Return whether a name is that of a path without targets."""
        return wants.kinds == ("path",) and self.names.targets_of(name) == 0

    def entity(self, name: str, wants: Entity) -> None:
        """Check the name of an entity."""
        if name in self.named:
            kind = self.named[name].type
            if set(wants.kinds).isdisjoint(NAMED[kind]):
                self.problem(self.at, f"Expected {an(either(wants.kinds))}; parameter {name!r} is {an(kind)}.", name)
            return
        if self.names.is_one(name, wants.kinds):
            if self._empty(name, wants):
                self.problem(self.at, f"Path {name!r} has no targets; attach some: attach TARGET to {name}.", name)
            return
        have = self.names.kinds_of(name)
        what = either(wants.kinds)
        if have:
            self.problem(self.at, f"Expected {an(what)}; {name!r} is {an(have[0])}.", name)
        else:
            self.problem(self.at, UnknownName.among(what, name, self.names.known(wants.kinds)).message, name)

    def _several(self, step: s.Step, wants: Wants, values: Sequence[e.Expression]) -> None:
        look = partial(pose_fits, self) if wants.type == "pose" else self.value_fits
        for one in values:
            look(step, wants, one)

    def value_fits(self, step: s.Step, wants: Wants, value: e.Expression) -> bool:
        """Check that a value has the wanted type; return whether it has."""
        return self.guarded(lambda: self.expect(value, wants))

    def number_fits(self, step: s.Step, wants: Wants, value: e.Expression) -> None:
        """Check a number."""
        if wants.quantity == "joint speed":
            wants = self._joint_speed(step, wants)
        if type(value) is e.Number and wants.quantity != READING:
            self._plain_number(value, wants)
        else:
            self.value_fits(step, wants, value)

    def expect(self, value: e.Expression, wants: Wants) -> None:
        """Refuse a value that does not have the wanted type."""
        require(self.type_of(value), wants)
        found = self.decided(value)
        if found is not None and wants.quantity in DIMENSIONS and wants.type != "joints":
            converted(found, wants, self.still)

    def decided(self, value: e.Expression) -> Value | None:
        """Return the value of an expression if it can be decided.

        One without a value is refused, unless that is handled.
        """
        if type(value) in SIMPLE or not self.strict:
            return None
        return decided(value, self.still)

    def type_of(self, value: e.Expression) -> Type:
        """Return the type of an expression; its variables count as read."""
        for one in e.parts(value):
            if type(one) is e.Name:
                self.variables_read.add(one.name)
        return type_of(value, self.variables, self.names)

    def _plain_number(self, value: e.Number, wants: Wants) -> None:
        if value.unit and UNITS[value.unit] != wants.quantity and wants.quantity != "like":
            what = "plain number" if wants.quantity == "number" else wants.quantity
            self.problem(self.at, f"Expected {an(what)}; found {value.value:g}{value.unit}.")
        elif wants.positive and value.value <= 0.0:
            self.problem(self.at, f"The {wants.quantity} must be more than zero; found {value.value:g}{value.unit}.")
        elif wants.least is not None and value.value < wants.least:
            self.problem(self.at, f"The {wants.quantity} must be {wants.least:g} or more; found {value.value:g}.")
        elif wants.whole and value.value != int(value.value):
            self.problem(self.at, f"Expected a whole number; found {value.value:g}.")

    def _joint_speed(self, step: s.Step, wants: Wants) -> Wants:
        placed = self.names.robots.get(getattr(step, "robot", ""))
        slides = placed is not None and placed.robot.n > 0 and all(row.prismatic for row in placed.robot.rows)
        return Wants("number", "speed" if slides else "angular speed", positive=wants.positive)

    def mark(self, step: s.Step) -> None:
        """Let a step be checked together with the steps before it."""
        if self.strict:
            self.marked.add((self.at, id(step)))

    def give(self, variable: str, found: Type, number: int) -> None:
        """Note that a variable has a value of this type from here on."""
        before = self.variables.get(variable)
        later = self._later.get(variable)
        together = merged(before, found) if before is not None else found
        if together is None:
            self.problem(number, f"{variable!r} was {before} before and would be {found} here; use another variable.")
            return
        if later is not None:
            together = merged(together, later) or together
        self.variables[variable] = together

    def length_of(self, value: e.Expression) -> float | None:
        """Return a length [m] if it can be decided, else None."""
        try:
            found = decided(value, self.still)
            return None if found is None else float(converted(found, LENGTH, self.still))
        except WorkcellError:
            return None  # reported where the field is checked

    def _unread(self) -> None:
        """Warn of variables that are given a value and never used."""
        reported = set()
        for number, step in enumerate(self.program.steps):
            if type(step) is s.Let and step.variable not in self.variables_read and step.variable not in reported:
                reported.add(step.variable)
                self.problem(number, f"{step.variable!r} is given a value and never used.", warning=True)

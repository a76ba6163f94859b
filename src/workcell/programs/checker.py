"""The checker: every mistake in a program that can be found without running it, with its place.

Names, types, units, numbers of joints and arguments; ranges of joints and reach, where the values are written out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from workcell.errors import InvalidValue, UnknownName, WorkcellError
from workcell.motion.override import require_percent
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.programs.calling import endless_calls
from workcell.programs.cell_names import CellNames
from workcell.programs.deciding import SIMPLE, StillScope, decided
from workcell.programs.evaluate import Value, converted
from workcell.programs.foresight import Foresight
from workcell.programs.functions import numbered
from workcell.programs.measures import DIMENSIONS, PLAIN, UNITS, Dimension, Measure, aligned, sum_dimension
from workcell.programs.mention import Mention
from workcell.programs.problem import Problem
from workcell.programs.program import Program
from workcell.programs.reach import Flat, Reach, joint_quantity
from workcell.programs.tracked import mistake
from workcell.programs.types import POSE, UNKNOWN, Type, merged, parameter_type, require, type_of
from workcell.programs.wants import READING, Entity, Wants, fields_of
from workcell.programs.zone_order import kept_out, zone_warnings
from workcell.robots.gripper import Gripper
from workcell.wording import an, counted, either
from workcell.world.axes_text import is_held
from workcell.world.conveyors import is_conveyor
from workcell.world.machine_places import is_arm
from workcell.world.snapshot import WORLD, PlacedMachine, PlacedRobot, gripper_signals, no_hand_text
from workcell.world.zone_places import KEEP_OUT

_Look: TypeAlias = "tuple[str, frozenset[str] | None, Any, Callable[[Any, Any, Any], object]]"
"""A field of a step: its name, the names of the cell that may stand there, what it holds, and what looks at a value."""


def check(program: Program, names: CellNames, mentions: Sequence[Mention] = (), text: str = "") -> list[Problem]:
    """All mistakes of a program, in the order of its lines.

    Args:
        program: the program.
        names: what exists.
        mentions: the names in its text, so that a mistake in a name has its column.
        text: its text.
    """
    return checkup(program, names, mentions, text).problems


@dataclass(frozen=True)
class Checkup:
    """What the checker found: the mistakes, and the steps whose reach only the run decides."""

    problems: list[Problem]
    open: list[Problem]


def checkup(program: Program, names: CellNames, mentions: Sequence[Mention] = (), text: str = "") -> Checkup:
    """All mistakes of a program, and what is left open, in the order of its lines; arguments as for `check`."""
    looked = _Check(program, names, mentions, text)
    return Checkup(looked.problems_found(), looked.open)


def require_condition(condition: e.Expression, program: Program, names: CellNames) -> None:
    """Refuse a condition about a program that names what is not there, or is none.

    Raises:
        UnknownName: a name that is no variable of the program and nothing of the cell has.
        InvalidValue: parts that do not go together, or no truth value; a plain number counts as one, as signals do.
    """
    found = type_of(condition, _Check(program, names, (), "").variables_given(), names)
    require(found, Wants("truth"))
    if found.dimension not in (None, PLAIN):
        raise InvalidValue(f"Expected a condition; found {found}.")


class _Check:
    def __init__(self, program: Program, names: CellNames, mentions: Sequence[Mention], text: str) -> None:
        self.program = program
        self.names = names
        self.found: list[Problem] = []
        self.variables: dict[str, Type] = {}
        self.number = 0
        self.quiet = True
        self._mentions, self._text = mentions, text
        self._reach = Reach(names.devices, names.snapshot.places, program.units)
        self._settled = program.name not in names.framed
        """Whether frame and tools are the robot's own, so that reach can be decided."""
        self._strict = True
        """Whether values that cannot be used are mistakes here; not where an error is handled."""
        self._still = StillScope(names, program.units)
        self._wrong: set[int] = set()
        """The numbers of steps with mistakes."""
        self._columns: dict[int, list[Mention]] | None = None
        self._read: set[str] = set()
        self._looks: dict[type, list[_Look]] = {}
        self._gripper_signals = gripper_signals(names.snapshot)
        self._head = -1
        """The number of the parameter that is looked at, if one is."""
        self.open: list[Problem] = []
        """The steps whose reach only the run decides."""
        self._marked: set[tuple[int, int]] = set()
        """The steps whose reach depends on what stands before them: the number and the identity of each."""

    def problems_found(self) -> list[Problem]:
        if any(type(step) in _GIVING for step in self.program.steps):
            known = self.variables_given()  # what is given later in a loop counts at its beginning too
        else:
            known = {}
        self.quiet, self.found = False, []
        self._later = known
        self._pass()
        self._far()
        self._foreseen()
        self._unread()
        for number, chain in endless_calls(self.program, self.names.programs):
            message = f"Program {self.program.name!r} calls itself without end: {' → '.join(chain)}."
            self._problem(number, message, chain[1])
        for number, message, zone in zone_warnings(self.program, self.names.programs):
            self._problem(number, message, zone, warning=True)
        return sorted(self.found, key=lambda one: (one.line, one.column))

    def variables_given(self) -> dict[str, Type]:
        """The types of all variables, wherever in the program they are given."""
        self._pass()
        return self.variables

    def _pass(self) -> None:
        self.number = 0
        self.variables = {one.name: parameter_type(one.type) for one in self.program.parameters}
        for number, one in enumerate(self.program.parameters):
            self._head = number
            if one.default is not None:
                self._guarded(partial(self._expect, one.default, parameter_wants(one.type)))
        self._head = -1
        self._block(self.program.body)

    # ---- reporting --------------------------------------------------------------------------------------

    def _problem(self, number: int, message: str, name: str = "", warning: bool = False) -> None:
        if self.quiet:
            return
        heads = self.program.heads
        place = heads[self._head] if 0 <= self._head < len(heads) else self.program.place(number)
        column = place.column
        if name and self._mentions:
            column = self._column(place.line, name, column)
        self.found.append(Problem(self.program.name, place.line, column, message, warning))
        if not warning:
            self._wrong.add(number)

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

    def _guarded(self, look: Callable[[], object]) -> bool:
        try:
            look()
        except UnknownName as error:
            self._problem(self._at, error.message, str(error.evidence.get("asked", "")))
            return False
        except WorkcellError as error:
            self._problem(self._at, error.message)
            return False
        return True

    # ---- steps ------------------------------------------------------------------------------------------

    _at = 0

    def _block(self, block: s.Block) -> None:
        over, quiet = "", self.quiet
        for step in block:
            kind = type(step)
            if quiet and kind not in _GIVING:
                continue  # the first pass looks for the types of variables
            self._at = self.number
            self.number += 1
            if over and kind not in _REMARKS:
                self._problem(self._at, f"This step is never reached, since `{over}` stands before it.", warning=True)
                over = ""
            self._step(step)
            if kind in _LAST:
                over = _LAST[kind]

    def _step(self, step: s.Step) -> None:
        special = _CHECKS.get(type(step))
        if special is not None:
            special(self, step)
            return
        self._fields(step)
        rule = _RULES.get(type(step))
        if rule is not None:
            rule(self, step)

    def _fields(self, step: s.Step) -> None:
        looks = self._looks.get(type(step))
        if looks is None:
            looks = self._looks[type(step)] = self._looks_at(type(step))
        for name, known, holds, look in looks:
            value = getattr(step, name)
            if value is None:
                continue
            if known is None:
                look(step, holds, value)
            elif value not in known:
                self._entity(value, holds)

    def _looks_at(self, kind: type[s.Step]) -> list[_Look]:
        """How the fields of a kind of step are checked: the names that may stand there, or what looks at the value."""
        looks: list[_Look] = []
        for one in fields_of(kind):
            holds = one.holds
            if isinstance(holds, Entity):
                known = (name for name in self.names.known(holds.kinds) if not self._empty(name, holds))
                looks.append((one.name, frozenset(known), holds, self._value))
            elif holds is not None:
                look = {"joints": self._joint_values, "number": self._number, "pose": self._pose}.get(holds.type)
                looks.append((one.name, None, holds, self._several if one.several else look or self._value))
        return looks

    def _empty(self, name: str, wants: Entity) -> bool:
        """Whether a name means a path that has no targets."""
        return wants.kinds == ("path",) and self.names.targets_of(name) == 0

    def _entity(self, name: str, wants: Entity) -> None:
        if self.names.is_one(name, wants.kinds):
            if self._empty(name, wants):
                self._problem(self._at, f"Path {name!r} has no targets; attach some: attach TARGET to {name}.", name)
            return
        have = self.names.kinds_of(name)
        what = either(wants.kinds)
        if have:
            self._problem(self._at, f"Expected {an(what)}; {name!r} is {an(have[0])}.", name)
        else:
            self._problem(self._at, UnknownName.among(what, name, self.names.known(wants.kinds)).message, name)

    def _several(self, step: s.Step, wants: Wants, values: Sequence[e.Expression]) -> None:
        look = self._pose if wants.type == "pose" else self._value
        for one in values:
            look(step, wants, one)

    def _value(self, step: s.Step, wants: Wants, value: e.Expression) -> bool:
        """Whether a value is of the type that is wanted."""
        return self._guarded(lambda: self._expect(value, wants))

    def _number(self, step: s.Step, wants: Wants, value: e.Expression) -> None:
        if wants.quantity == "joint speed":
            wants = self._joint_speed(step, wants)
        if type(value) is e.Number and wants.quantity != READING:
            self._plain_number(value, wants)
        else:
            self._value(step, wants, value)

    def _pose(self, step: s.Step, wants: Wants, value: e.Expression) -> None:
        flat = self._reach.flat(value) if type(value) is e.Posed else None
        if (flat is not None or self._value(step, wants, value)) and self._strict and type(step) in _REACHING:
            self._reaching(step, value, flat, self._at)

    def _expect(self, value: e.Expression, wants: Wants) -> None:
        require(self._type(value), wants)
        found = self._decided(value)
        if found is not None and wants.quantity in DIMENSIONS and wants.type != "joints":
            converted(found, wants, self._still)

    def _decided(self, value: e.Expression) -> Value | None:
        """What an expression gives whatever happens; refused where it has no value, unless that is handled."""
        if type(value) in SIMPLE or not self._strict:
            return None
        return decided(value, self._still)

    def _type(self, value: e.Expression) -> Type:
        for one in e.parts(value):
            if type(one) is e.Name:
                self._read.add(one.name)
        return type_of(value, self.variables, self.names)

    def _plain_number(self, value: e.Number, wants: Wants) -> None:
        if value.unit and UNITS[value.unit] != wants.quantity and wants.quantity != "like":
            what = "plain number" if wants.quantity == "number" else wants.quantity
            self._problem(self._at, f"Expected {an(what)}; found {value.value:g}{value.unit}.")
        elif wants.positive and value.value <= 0.0:
            self._problem(self._at, f"The {wants.quantity} must be more than zero; found {value.value:g}{value.unit}.")
        elif wants.least is not None and value.value < wants.least:
            self._problem(self._at, f"The {wants.quantity} must be {wants.least:g} or more; found {value.value:g}.")
        elif wants.whole and value.value != int(value.value):
            self._problem(self._at, f"Expected a whole number; found {value.value:g}.")

    def _joint_speed(self, step: s.Step, wants: Wants) -> Wants:
        placed = self.names.robots.get(getattr(step, "robot", ""))
        slides = placed is not None and placed.robot.n > 0 and all(row.prismatic for row in placed.robot.rows)
        return Wants("number", "speed" if slides else "angular speed", positive=wants.positive)

    def _joint_values(self, step: s.Step, _: Wants, value: e.Expression) -> None:
        placed = self.names.devices.get(getattr(step, "robot", ""))
        if placed is None:
            self._broken_machine(getattr(step, "robot", ""))
            self._guarded(lambda: self._type(value))
            return
        if not isinstance(value, e.Row):
            if self._guarded(lambda: self._expect(value, self._joints_wanted(value, placed))):
                self._mark(step)
            return
        if len(value.items) != placed.robot.n:
            given = counted(len(value.items), "value")
            self._problem(self._at, f"{placed.name} has {counted(placed.robot.n, 'joint')}; found {given}.")
            return
        relative = type(step) is s.MoveJointsRelative
        plain = [item.value for item in value.items if type(item) is e.Number and not item.unit]
        if len(plain) == placed.robot.n and not value.unit:
            if self._strict:
                self._reach.add_joints(self._at, placed, plain, plain=True, relative=relative)
            return
        values: Sequence[float] | None = self._reach.joint_values(value, placed)
        if values is None and self._joint_items(value, placed):
            found = self._decided(value)
            values = None if found is None else converted(found, Wants("joints"), self._still, placed.name)
        if values is None:
            self._mark(step)
        elif self._strict:
            self._reach.add_joints(self._at, placed, values, relative=relative)

    def _mark(self, step: s.Step) -> None:
        """Let a step be looked at with what stands before it."""
        if self._strict:
            self._marked.add((self._at, id(step)))

    def _placed_by_target(self, value: e.Expression) -> bool:
        """Whether a pose is that of a target that says where external axes are to be."""
        base = value.base if isinstance(value, e.Posed) else value
        spot = self.names.snapshot.places.spots.get(("target", base.name)) if isinstance(base, e.Name) else None
        return spot is not None and not is_held(spot.axes)

    def _axes(self, step: s.Step) -> None:
        """Axes of an arm that belongs to no machine."""
        robot = getattr(step, "robot", "")
        if is_held(getattr(step, "axes", "")) or robot not in self.names.robots:
            return
        if self.names.snapshot.machine_of(robot) is None:
            made = f"`create machine NAME of RAIL of {robot}` makes one"
            self._problem(self._at, f"{robot} belongs to no machine and has no axes to place; {made}.", robot)

    def _broken_machine(self, name: str) -> None:
        """A machine that cannot move."""
        for one in self.names.snapshot.machines:
            if one.name == name:
                self._problem(self._at, one.problem, name)

    def _joints_wanted(self, value: e.Expression, placed: PlacedRobot | PlacedMachine) -> Wants:
        """What joint values must be: a number is enough for a device with one joint."""
        found = self._type(value)
        if placed.robot.n == 1 and found.kind == "number":
            return Wants("number", joint_quantity(placed.robot.rows[0]))
        if found.kind in ("row", "joints") and found.count not in (0, placed.robot.n):
            count, given = counted(placed.robot.n, "joint"), counted(found.count, "value")
            raise InvalidValue(f"{placed.name} has {count}; found {given}.")
        return Wants("joints")

    def _joint_items(self, row: e.Row, placed: PlacedRobot | PlacedMachine) -> bool:
        """Each item of a row of joint values by itself, as far as the first mistake; returns whether there is none."""
        for item, joint in zip(row.items, placed.robot.rows, strict=True):
            quantity = joint_quantity(joint)
            if type(item) is not e.Number:
                wants = Wants("number", "number" if row.unit else quantity)
                if not self._guarded(partial(self._expect, item, wants)):
                    return False
                continue
            unit = item.unit or row.unit
            if unit and UNITS[unit] != quantity:
                self._problem(self._at, f"Expected {an(quantity)}; found {item.value:g}{unit}.")
                return False
        return True

    # ---- steps of order ---------------------------------------------------------------------------------

    def _let(self, step: s.Let) -> None:
        found = UNKNOWN
        number = self._at

        def look() -> None:
            nonlocal found
            found = self._type(step.value)
            self._decided(step.value)

        self._guarded(look)
        self._give(step.variable, found, number)

    def _give(self, variable: str, found: Type, number: int) -> None:
        before = self.variables.get(variable)
        later = getattr(self, "_later", {}).get(variable)
        together = merged(before, found) if before is not None else found
        if together is None:
            self._problem(number, f"{variable!r} is {before} before and would be {found} here; use another variable.")
            return
        if later is not None:
            together = merged(together, later) or together
        self.variables[variable] = together

    def _condition(self, value: e.Expression) -> Value | None:
        """Look at a condition; returns what it gives where that can be decided."""
        found = None

        def look() -> None:
            nonlocal found
            self._expect(value, Wants("truth"))
            if not self._strict:
                return
            for one in _joined(value):
                number = decided(one, self._still)
                if isinstance(number, Measure) and number.value not in (0.0, 1.0):
                    raise InvalidValue(f"Expected a condition; found the number {number.value:g}.")
            found = decided(value, self._still)

        self._guarded(look)
        return found

    def _if(self, step: s.If) -> None:
        number = self._at
        for arm in step.arms:
            self._at = number
            self._condition(arm.condition)
            self._block(arm.body)
        self._block(step.otherwise)

    def _while(self, step: s.While) -> None:
        self._condition(step.condition)
        self._block(step.body)

    def _repeat(self, step: s.Repeat) -> None:
        self._number(step, Wants("number", whole=True, least=0.0), step.count)
        self._block(step.body)

    def _for(self, step: s.For) -> None:
        counter = Type("number")

        def look() -> None:
            nonlocal counter
            dimension: Dimension | None = PLAIN
            for value in (step.first, step.last, step.by):
                if value is not None:
                    found = self._type(value)
                    require(found, Wants("number", "any"))
                    known = dimension is not None and found.dimension is not None
                    dimension = sum_dimension(dimension, found.dimension) if known else None  # type: ignore[arg-type]
            counter = Type("number", dimension)
            self._rounds(step)

        self._guarded(look)
        self._give(step.variable, counter, self._at)
        self._read.add(step.variable)
        self._block(step.body)

    def _rounds(self, step: s.For) -> None:
        """Refuse a loop that counts by zero, and warn of one that has no rounds."""
        if not self._strict:
            return
        by = Measure(1.0) if step.by is None else decided(step.by, self._still)
        if isinstance(by, Measure) and by.value == 0.0:
            raise InvalidValue("A loop cannot count by zero.")
        first, last = decided(step.first, self._still), decided(step.last, self._still)
        if isinstance(first, Measure) and isinstance(last, Measure) and isinstance(by, Measure):
            a, b, _ = aligned(first, last, self.program.units)
            if (b - a) * by.value < 0.0:
                hint = "; write `by -1` to count down" if step.by is None else ""
                self._problem(self._at, f"This loop has no rounds, since it counts the other way{hint}.", warning=True)

    def _for_each(self, step: s.ForEach) -> None:
        self._entity(step.path, Entity(("path",)))
        self._give(step.variable, POSE, self._at)
        self._read.add(step.variable)
        self._block(step.body)

    def _parallel(self, step: s.Parallel) -> None:
        number, movers = self._at, []
        for branch in step.branches:
            movers.append({one for inner in s.walk(branch) for one in _moved(inner)})
            self._block(branch)
        shared = {one for k, these in enumerate(movers) for others in movers[k + 1 :] for one in these & others}
        for one in sorted(shared):
            self._problem(
                number, f"Two branches move {one}; a move is refused while another one goes on.", warning=True
            )

    def _try(self, step: s.Try) -> None:
        before = self._settled, self._strict
        self._settled = self._strict = False  # what cannot be done there is handled
        self._block(step.body)
        self._settled, self._strict = before
        if step.variable:
            self._give(step.variable, Type("text"), self._at)
            self._read.add(step.variable)
        self._block(step.handler)

    def _wait_until(self, step: s.WaitUntil) -> None:
        found = self._condition(step.condition)
        if step.timeout is None and (found is False or (isinstance(found, Measure) and found.value == 0.0)):
            self._problem(self._at, "This condition never holds, so the program waits for ever.", warning=True)
        if step.timeout is not None:
            self._number(step, Wants("number", "time", least=0.0), step.timeout)
        if step.otherwise is not None:
            self._block(step.otherwise)

    def _together(self, step: s.Together) -> None:
        number, movers = self._at, []
        for move in step.moves:
            self._at = number
            self.number += 1
            self._step(move)
            movers += _moved(move)
        for one in sorted({one for one in movers if movers.count(one) > 1}):
            self._problem(number, f"{one} cannot make two moves at once; put the second one after the first.")

    def _call(self, step: s.Call) -> None:
        number = self._at
        types: list[Type] = []

        def look() -> None:
            for argument in step.arguments:
                types.append(self._type(argument))
                self._decided(argument)

        self._guarded(look)
        self._entity(step.program, Entity(("program",)))
        called = self.names.programs.get(step.program)
        if called is None:
            return
        parameters = called.parameters
        if len(types) > len(parameters):
            has, found = counted(len(parameters), "parameter"), counted(len(types), "value")
            self._problem(number, f"Program {step.program!r} has {has}; found {found}.", step.program)
        for place, parameter in enumerate(parameters):
            if place >= len(types):
                if parameter.default is None:
                    message = f"Program {step.program!r} needs a value for its parameter {parameter.name!r}."
                    self._problem(number, message, step.program)
                continue
            try:
                require(types[place], parameter_wants(parameter.type))
            except InvalidValue as error:
                self._problem(number, f"Parameter {parameter.name!r} of {step.program!r}: {error.message}")

    def _frame(self, step: s.Frame) -> None:
        self._fields(step)
        self._settled = False

    def _tool(self, step: s.Tool) -> None:
        self._fields(step)
        self._settled = False

    def _hand(self, step: s.CloseGripper | s.OpenGripper) -> None:
        placed = self.names.robots.get(step.robot)
        gripper = placed.robot.gripper if placed is not None else None
        if placed is not None and gripper is None:
            self._problem(self._at, no_hand_text(placed), step.robot)
        opening = step.opening if isinstance(step, s.OpenGripper) else None
        if opening is None or gripper is None:
            return
        if not isinstance(gripper, Gripper):
            message = f"The {gripper.name} of {step.robot} has no fingers that open to a distance; leave `to` out."
            self._problem(self._at, message, step.robot)
        elif (wide := self._length_of(opening)) is not None:
            self._guarded(lambda: gripper.checked_opening(wide))

    def _grips(self, step: s.GripPart) -> None:
        snapshot = self.names.snapshot
        arms = [placed.name for placed in snapshot.robots if is_arm(placed.robot)]
        if step.robot is None and len(arms) != 1:
            message = f"The cell has {counted(len(arms), 'robot')}; name the one that grips: `with ROBOT`."
            self._problem(self._at, message, step.part)
        bodies = [body for body in snapshot.bodies if body.link < 0 and body.owner == step.part]
        if bodies and not bodies[0].movable:
            message = f"{step.part} is not movable; `modify {step.part} movable yes` lets it be gripped."
            self._problem(self._at, message, step.part)

    def _length_of(self, value: e.Expression) -> float | None:
        """A length [m] that can be decided and is one."""
        try:
            found = decided(value, self._still)
            return None if found is None else float(converted(found, _LENGTH, self._still))
        except WorkcellError:
            return None  # reported where the field is looked at

    def _tracks(self, step: s.MoveEndEffector | s.MoveStraightLine) -> None:
        self._axes(step)
        if step.on is None and step.when is None:
            return
        try:
            found = decided(step.pose, self._still)
            pose = None if found is None else converted(found, Wants("pose"), self._still)
        except WorkcellError:
            pose = None  # reported where the field is looked at
        told = mistake(step, self.names, pose)
        if told:
            self._problem(self._at, told, step.on or "")

    def _sets(self, step: s.SetSignal) -> None:
        if any(sensor.name == step.signal for sensor in self.names.snapshot.sensors):
            message = f"{step.signal!r} is a sensor: it says what it senses, and nobody sets it."
            self._problem(self._at, message, step.signal)
        if step.signal in self._gripper_signals:
            message = f"{step.signal!r} says how a gripper is; `close-gripper` and `open-gripper` change it."
            self._problem(self._at, message, step.signal)
        if step.signal in self.names.snapshot.station_signals:
            self._problem(self._at, f"{step.signal!r} says what a station did, and nobody sets it.", step.signal)
        if step.signal in self.names.snapshot.conveyor_signals:
            message = f"{step.signal!r} says how fast a conveyor runs; `run-conveyor` and `stop-conveyor` change it."
            self._problem(self._at, message, step.signal)

    def _conveyor(self, step: s.RunConveyor | s.StopConveyor) -> None:
        placed = self.names.robots.get(step.conveyor)
        if placed is not None and not is_conveyor(placed.robot):
            message = f"{step.conveyor} is no conveyor and cannot run on; `add conveyor NAME LENGTH` makes one."
            self._problem(self._at, message, step.conveyor)

    def _enters(self, step: s.EnterZone) -> None:
        if any(zone.entity == step.zone and zone.rule == KEEP_OUT for zone in self.names.snapshot.zones):
            self._problem(self._at, kept_out(step.zone), step.zone)

    def _percent(self, step: s.Override) -> None:
        """An override that is written out and out of range."""
        try:
            found = decided(step.percent, self._still)
        except WorkcellError:
            return  # reported where the field is looked at
        if isinstance(found, Measure) and found.dimension == PLAIN:
            self._guarded(lambda: require_percent(found.value))

    def _seam(self, step: s.MoveAlong | s.Weld) -> None:
        self._axes(step)
        if self.names.is_one(step.path, ("path",)) and self.names.targets_of(step.path) == 1:
            self._problem(self._at, f"A seam needs two or more targets; {step.path!r} has 1.", step.path)
        elif isinstance(step, s.MoveAlong) and self.names.is_one(step.path, ("path",)):
            self._mark(step)

    def _one_joint(self, step: s.FollowFunction | s.FollowTable) -> None:
        """The number of a joint that is to follow something."""
        placed = self.names.robots.get(step.robot)
        if placed is None or step.joint is None or not self._strict:
            return
        try:
            found = decided(step.joint, self._still)
        except WorkcellError:
            return  # reported where the field is looked at
        if isinstance(found, Measure):
            self._guarded(lambda: numbered(found.value, placed.robot.n, "joint"))

    def _path_moves(self, step: s.MovePath) -> None:
        self._axes(step)
        if not step.poses:
            self._problem(self._at, "A path needs at least one pose to go to: move-path ROBOT through POSE ….")

    def _solid(self, step: s.MoveSolid) -> None:
        if not step.poses and step.path is None:
            self._problem(self._at, "A solid needs a way to go: through POSE … or along PATH.")

    # ---- ranges and reach -------------------------------------------------------------------------------

    def _far(self) -> None:
        """Joint values that are written out and out of range, and poses that no joint values reach."""
        for number, message, name in self._reach.problems():
            self._problem(number, message, name)

    def _foreseen(self) -> None:
        """What cannot be reached in a round of a loop, where a place is then, or with what a caller gives."""
        if not self._marked and not any(type(step) is s.Call for step in self.program.steps):
            return
        marked = {one for one in self._marked if one[0] not in self._wrong}
        sight = Foresight(self.program, self.names, marked, self.program.name in self.names.framed)
        for one in sight.found():
            self._problem(one.when.number, one.message, one.robot, warning=bool(one.when.assumed))
        for left in sight.open:
            place = self.program.place(left.number)
            message = f"Only the run decides whether this is reached: it depends on {left.reason}."
            self.open.append(Problem(self.program.name, place.line, place.column, message))

    def _reaching(self, step: s.Step, value: e.Expression, flat: Flat | None, number: int) -> None:
        """Remember a pose that is written out or stands still, to be tested with all others."""
        placed = self.names.robots.get(getattr(step, "robot", ""))
        if placed is None:
            return
        point, back = getattr(step, "point", "tool"), 0.0
        if point == "grip" and placed.robot.gripper is None:
            self._problem(number, no_hand_text(placed), placed.name)
            return
        moving = getattr(step, "on", None) is not None or not is_held(getattr(step, "axes", ""))
        if moving or not self._settled or placed.parent != WORLD or getattr(step, "orientation", "") == "keep":
            self._mark(step)
            return
        pose = flat or self._reach.standing(value, self.variables)
        if pose is None or self._placed_by_target(value):
            self._mark(step)
            return
        if isinstance(step, s.Approach):
            distance = self._length_of(step.distance)
            if distance is None:
                self._mark(step)
                return
            back = distance
        self._reach.add_pose(number, placed, pose, point, back)

    def _unread(self) -> None:
        """Variables that are given a value and never used."""
        reported = set()
        for number, step in enumerate(self.program.steps):
            if type(step) is s.Let and step.variable not in self._read and step.variable not in reported:
                reported.add(step.variable)
                self._problem(number, f"{step.variable!r} is given a value and never used.", warning=True)


def parameter_wants(kind: str) -> Wants:
    """What an argument for a parameter of this type must be."""
    if kind == "target":
        return Wants("pose")
    return Wants(kind) if kind in ("truth", "joints", "pose") else Wants("number", kind) if kind != "text" else _TEXT


_TEXT = Wants("any")
_LENGTH = Wants("number", "length")


def _moved(step: s.Step) -> list[str]:
    """The names of what a step moves."""
    names = [getattr(step, name) for name in ("robot", "mechanism", "solid") if hasattr(step, name)]
    return names if isinstance(step, (*s.MOVES, s.Weld, s.MoveAlong)) else []


def _joined(condition: e.Expression) -> Iterator[e.Expression]:
    """The conditions that one is joined from by ``and``, ``or`` and ``not``."""
    waiting = [condition]
    while waiting:
        one = waiting.pop()
        if isinstance(one, e.Binary) and one.operator in e.LOGIC:
            waiting += [one.right, one.left]
        elif isinstance(one, e.Unary) and one.operator == "not":
            waiting.append(one.operand)
        else:
            yield one


_REACHING = {s.MoveEndEffector, s.MoveStraightLine, s.MoveCircular, s.MovePath, s.Approach}
_REMARKS = {s.Comment, s.Verbatim}
_LAST = {s.Return: "return", s.Stop: "stop"}
_GIVING = {s.Let, s.If, s.While, s.Repeat, s.For, s.ForEach, s.Parallel, s.Try, s.WaitUntil}
"""The steps that give variables their values, and the blocks that hold such steps."""
_CHECKS: dict[type, Callable[[_Check, Any], None]] = {
    s.Let: _Check._let,
    s.If: _Check._if,
    s.While: _Check._while,
    s.Repeat: _Check._repeat,
    s.For: _Check._for,
    s.ForEach: _Check._for_each,
    s.Parallel: _Check._parallel,
    s.Try: _Check._try,
    s.WaitUntil: _Check._wait_until,
    s.Together: _Check._together,
    s.Call: _Check._call,
    s.Frame: _Check._frame,
    s.Tool: _Check._tool,
}
_RULES: dict[type, Callable[[_Check, Any], None]] = {
    s.CloseGripper: _Check._hand,
    s.OpenGripper: _Check._hand,
    s.GripPart: _Check._grips,
    s.MovePath: _Check._path_moves,
    **dict.fromkeys((s.MoveCircular, s.MoveHand, s.Approach), _Check._axes),
    **dict.fromkeys((s.MoveEndEffector, s.MoveStraightLine), _Check._tracks),
    s.MoveSolid: _Check._solid,
    s.SetSignal: _Check._sets,
    s.Override: _Check._percent,
    s.EnterZone: _Check._enters,
    s.RunConveyor: _Check._conveyor,
    s.StopConveyor: _Check._conveyor,
    s.MoveAlong: _Check._seam,
    s.Weld: _Check._seam,
    s.FollowFunction: _Check._one_joint,
    s.FollowTable: _Check._one_joint,
}

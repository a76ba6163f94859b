"""The rules for steps that control other steps: variables, conditions, loops, branches, calls and settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from workcell.errors import InvalidValue
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.programs.deciding import decided
from workcell.programs.evaluate import Value
from workcell.programs.measures import PLAIN, Measure, aligned
from workcell.programs.named_parameters import NAMED, given_name
from workcell.programs.program import Parameter
from workcell.programs.types import POSE, TEXT, UNKNOWN, Type, matched, require
from workcell.programs.wants import Entity, Wants, parameter_wants
from workcell.wording import counted

if TYPE_CHECKING:
    from workcell.programs.program_check import ProgramCheck


def _let(check: ProgramCheck, step: s.Let) -> None:
    found = UNKNOWN
    number = check.at

    def look() -> None:
        nonlocal found
        found = check.type_of(step.value)
        check.decided(step.value)

    check.guarded(look)
    check.give(step.variable, found, number)


def _if(check: ProgramCheck, step: s.If) -> None:
    number = check.at
    for arm in step.arms:
        check.at = number
        _condition(check, arm.condition)
        check.block(arm.body)
    check.block(step.otherwise)


def _while(check: ProgramCheck, step: s.While) -> None:
    _condition(check, step.condition)
    check.block(step.body)


def _repeat(check: ProgramCheck, step: s.Repeat) -> None:
    check.number_fits(step, Wants("number", whole=True, least=0.0), step.count)
    check.block(step.body)


def _for(check: ProgramCheck, step: s.For) -> None:
    counter = Type("number")

    def look() -> None:
        nonlocal counter
        ends = Type("number", PLAIN)
        for value in (step.first, step.last, step.by):
            if value is not None:
                found = check.type_of(value)
                require(found, Wants("number", "any"))
                ends = matched(ends, found)
        counter = Type("number", ends.dimension)
        _rounds(check, step)

    check.guarded(look)
    check.give(step.variable, counter, check.at)
    check.variables_read.add(step.variable)
    check.block(step.body)


def _rounds(check: ProgramCheck, step: s.For) -> None:
    """Refuse a loop that counts by zero; warn of one that has no rounds."""
    if not check.strict:
        return
    by = Measure(1.0) if step.by is None else decided(step.by, check.still)
    if isinstance(by, Measure) and by.value == 0.0:
        raise InvalidValue("A loop cannot count by zero.")
    first, last = decided(step.first, check.still), decided(step.last, check.still)
    if isinstance(first, Measure) and isinstance(last, Measure) and isinstance(by, Measure):
        a, b, _ = aligned(first, last, check.program.units)
        if (b - a) * by.value < 0.0:
            hint = "; write `by -1` to count down" if step.by is None else ""
            message = f"This loop has no rounds, because it counts in the other direction{hint}."
            check.problem(check.at, message, warning=True)


def _for_each(check: ProgramCheck, step: s.ForEach) -> None:
    check.entity(step.path, Entity(("path",)))
    check.give(step.variable, POSE, check.at)
    check.variables_read.add(step.variable)
    check.block(step.body)


def _parallel(check: ProgramCheck, step: s.Parallel) -> None:
    number, movers = check.at, []
    for branch in step.branches:
        movers.append({one for inner in s.walk(branch) for one in _moved(inner)})
        check.block(branch)
    shared = {one for k, these in enumerate(movers) for others in movers[k + 1 :] for one in these & others}
    for one in sorted(shared):
        check.problem(number, f"Two branches move {one}; a move is refused while another is under way.", warning=True)


def _try(check: ProgramCheck, step: s.Try) -> None:
    before = check.settled, check.strict
    check.settled = check.strict = False  # a step that is refused there is handled
    check.block(step.body)
    check.settled, check.strict = before
    if step.variable:
        check.give(step.variable, Type("text"), check.at)
        check.variables_read.add(step.variable)
    check.block(step.handler)


def _wait_until(check: ProgramCheck, step: s.WaitUntil) -> None:
    found = _condition(check, step.condition)
    if step.timeout is None and (found is False or (isinstance(found, Measure) and found.value == 0.0)):
        check.problem(check.at, "This condition is never true, so the program waits forever.", warning=True)
    if step.timeout is not None:
        check.number_fits(step, Wants("number", "time", least=0.0), step.timeout)
    if step.otherwise is not None:
        check.block(step.otherwise)


def _together(check: ProgramCheck, step: s.Together) -> None:
    number, movers = check.at, []
    for move in step.moves:
        check.at = number
        check.number += 1
        check.step(move)
        movers += _moved(move)
    for one in sorted({one for one in movers if movers.count(one) > 1}):
        check.problem(number, f"{one} cannot make two moves at once; put the second one after the first.")


def _call(check: ProgramCheck, step: s.Call) -> None:
    number = check.at
    check.entity(step.program, Entity(("program",)))
    called = check.names.programs.get(step.program)
    parameters = () if called is None else called.parameters
    names = {place for place, one in enumerate(parameters) if one.type in NAMED}
    types: list[Type] = []

    def look() -> None:
        for place, argument in enumerate(step.arguments):
            types.append(TEXT if place in names else check.type_of(argument))
            if place in names:
                argument_fits(check, argument, parameters[place])
            else:
                check.decided(argument)

    check.guarded(look)
    if called is None:
        return
    if len(types) > len(parameters):
        has, found = counted(len(parameters), "parameter"), counted(len(types), "value")
        check.problem(number, f"Program {step.program!r} has {has}; found {found}.", step.program)
    for place, parameter in enumerate(parameters):
        if place >= len(types):
            if parameter.default is None:
                message = f"Program {step.program!r} needs a value for its parameter {parameter.name!r}."
                check.problem(number, message, step.program)
            continue
        if place in names:
            continue
        try:
            require(types[place], parameter_wants(parameter.type))
        except InvalidValue as error:
            check.problem(number, f"Parameter {parameter.name!r} of {step.program!r}: {error.message}")


def argument_fits(check: ProgramCheck, argument: e.Expression, parameter: Parameter) -> None:
    """Check an argument for a parameter that is a name: that of an existing thing, or such a parameter itself."""
    try:
        name = given_name(argument, {}, parameter.name)
    except InvalidValue as error:
        check.problem(check.at, error.message)
        return
    check.entity(name, Entity(NAMED[parameter.type]))


def _frame(check: ProgramCheck, step: s.Frame) -> None:
    check.fields(step)
    check.settled = False


def _tool(check: ProgramCheck, step: s.Tool) -> None:
    check.fields(step)
    check.settled = False


def _condition(check: ProgramCheck, value: e.Expression) -> Value | None:
    """Check a condition; return its value if it can be decided."""
    found = None

    def look() -> None:
        nonlocal found
        check.expect(value, Wants("truth"))
        if not check.strict:
            return
        for one in _joined(value):
            number = decided(one, check.still)
            if isinstance(number, Measure) and number.value not in (0.0, 1.0):
                raise InvalidValue(f"Expected a condition; found the number {number.value:g}.")
        found = decided(value, check.still)

    check.guarded(look)
    return found


def _moved(step: s.Step) -> list[str]:
    """Return the names of the devices and parts that a step moves."""
    names = [getattr(step, name) for name in ("robot", "mechanism", "solid") if getattr(step, name, None)]
    return names if isinstance(step, (*s.MOVES, s.Weld, s.MoveAlong, s.FindPath, s.Guide, *s.HANDLING)) else []


def _joined(condition: e.Expression) -> Iterator[e.Expression]:
    """Yield the conditions that ``and``, ``or`` and ``not`` join into one."""
    waiting = [condition]
    while waiting:
        one = waiting.pop()
        if isinstance(one, e.Binary) and one.operator in e.LOGIC:
            waiting += [one.right, one.left]
        elif isinstance(one, e.Unary) and one.operator == "not":
            waiting.append(one.operand)
        else:
            yield one


ORDER_RULES: dict[type, Callable[[Any, Any], None]] = {
    s.Let: _let,
    s.If: _if,
    s.While: _while,
    s.Repeat: _repeat,
    s.For: _for,
    s.ForEach: _for_each,
    s.Parallel: _parallel,
    s.Try: _try,
    s.WaitUntil: _wait_until,
    s.Together: _together,
    s.Call: _call,
    s.Frame: _frame,
    s.Tool: _tool,
}
"""The function that checks each kind of step, with its fields and blocks."""

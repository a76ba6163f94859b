"""Rehearsals of tasks: every problem of a program with its arguments, found at once and without a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workcell.commands.language.program_printer import step_lines
from workcell.commands.program_store import called_by, names_of, problems_of, program_of
from workcell.commands.program_tables import tables_of
from workcell.commands.results import Result
from workcell.errors import Cancelled, WorkcellError
from workcell.programs import steps as s
from workcell.programs.problem import Problem
from workcell.wording import counted

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.programs.expressions import Expression
    from workcell.programs.program import Program
    from workcell.world.entities import Entity
    from workcell.world.state import CellState


class TaskProblem(Result, frozen=True):
    """One problem of a task.

    Attributes:
        program: the program that has the step.
        line: of the step, counted from 1; 0 for the arguments, or the program as a whole.
        column: where it begins, counted from 0.
        step: the step, with the names that were given; '' where there is none.
        message: what is wrong.
    """

    program: str
    line: int
    column: int
    step: str
    message: str

    def __str__(self) -> str:
        where = f"{self.program}:{self.line}:{self.column + 1}: " if self.line else f"{self.program}: "
        return f"{where}{f'`{self.step}`: ' if self.step else ''}{self.message}"


class Rehearsed(Result, frozen=True):
    """What a rehearsal found.

    Attributes:
        task: the program or task.
        problems: all of them, in the order in which the run came to them.
        steps: how many steps were rehearsed.
        duration: how long the run would take [s]; where there are problems, without the steps that have them.
    """

    task: str
    problems: tuple[TaskProblem, ...]
    steps: int
    duration: float

    def __str__(self) -> str:
        if not self.problems:
            return f"{self.task}: no problems; {counted(self.steps, 'step')}, simulated time {self.duration:.4f} s"
        head = f"{self.task}: {counted(len(self.problems), 'problem')}"
        return "\n".join([head, *(str(one) for one in self.problems)])


def rehearsed(
    session: Session, entity: Entity, arguments: tuple[Expression, ...], start: CellState | None = None
) -> Rehearsed:
    """Rehearse a program or task from a state or the initial one, with values for its parameters.

    Every name, every pose and every motion is tested. After a problem, the step counts as done.
    """
    from workcell.commands.running import given_values
    from workcell.simulation.rehearsal import MOST_STEPS, Rehearsal
    from workcell.simulation.simulator import Simulator

    program, known = program_of(session, entity), called_by(session, entity)
    problems = _written(session, entity, start)
    simulator = Simulator(session.snapshot(), state=start, faults=True)
    simulator.cancel = session.cancel
    try:
        given = given_values(session, simulator, [program], arguments)
        files = tables_of(session, known.values(), None)
        run = Rehearsal(simulator, [program], known, given, files)
    except WorkcellError as error:  # the arguments do not fit, so nothing can be rehearsed
        return Rehearsed(program.name, (*problems, *_of_arguments(session, program, arguments, error)), 0, 0.0)
    told = {(one.program, one.line) for one in problems}
    try:
        if not run.rehearse():
            text = (
                f"It did not end within {MOST_STEPS:,} steps, up to {simulator.time:.4f} s of simulated time; the rest "
                "was not rehearsed. Let its loops end, such as with `repeat` in place of `while`."
            )
            problems.append(TaskProblem(program.name, 0, 0, "", text))
    except Cancelled:
        raise
    except WorkcellError as error:
        problems += [TaskProblem(program.name, 0, 0, "", error.message)]
    for one in run.mishaps.values():
        if (one.program, one.line) not in told:
            text = next(iter(step_lines(one.step))).strip()
            problems.append(TaskProblem(one.program, one.line, one.column, text, str(one.error)))
    return Rehearsed(program.name, tuple(problems), run.steps, simulator.time)


def _written(session: Session, entity: Entity, start: CellState | None) -> list[TaskProblem]:
    """Return the mistakes in the lines of a program and of all that it calls."""
    names, found = names_of(session, start), list[Problem]()
    database = session.database
    entities = (
        [entity] if entity.kind == "program" else [database.by_id(one.child) for one in database.relations(entity)]
    )
    for name in called_by(session, entity):
        called = database.find("program", name)
        if called is not None and called not in entities:
            entities.append(called)
    for one in dict.fromkeys(entities):
        found += problems_of(session, one, names)
    return [TaskProblem(p.program, p.line, p.column, "", p.message) for p in dict.fromkeys(found) if not p.warning]


def _of_arguments(
    session: Session, program: Program, arguments: Sequence[Expression], error: WorkcellError
) -> list[TaskProblem]:
    """Return every argument that does not fit, or the error where that has another reason."""
    from workcell.programs.named_parameters import NAMED, given_name
    from workcell.simulation.named_things import require_known

    found = []
    for argument, parameter in zip(arguments, program.parameters, strict=False):
        if parameter.type not in NAMED:
            continue
        try:
            name = given_name(argument, {}, parameter.name)
            require_known(session.snapshot(), parameter.name, parameter.type, name)
        except WorkcellError as wrong:
            found.append(TaskProblem(program.name, 0, 0, "", wrong.message))
    return found or [TaskProblem(program.name, 0, 0, "", error.message)]


def handles_parts(known: Mapping[str, Program]) -> bool:
    """Return whether any of some programs handles parts by name."""
    return any(isinstance(step, s.HANDLING) for program in known.values() for step in program.steps)


def all_problems(
    session: Session,
    entity: Entity,
    arguments: tuple[Expression, ...],
    error: WorkcellError,
    start: CellState | None = None,
) -> Any:
    """Return the error of a run that was refused, with every other problem of the task, if there are several."""
    if not handles_parts(called_by(session, entity)):
        return error
    found = rehearsed(session, entity, arguments, start)
    if len(found.problems) < 2:
        return error
    listed = "\n".join(str(one) for one in found.problems)
    many = counted(len(found.problems), "problem")
    return type(error)(
        f"{found.task} has {many} and cannot run:\n{listed}", **{**error.evidence, "problems": found.problems}
    )

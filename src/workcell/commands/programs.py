"""Commands that carry out programs of the cell: one after the other, or several side by side."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

from workcell.commands.guarding import set_guards, simulated, unwatched
from workcell.commands.references import Ref
from workcell.commands.registry import Command, command
from workcell.commands.results import Result
from workcell.commands.script import lines_of, logical_lines
from workcell.commands.tokens import Tokens, unquote
from workcell.commands.values import Value
from workcell.cost import LINES, go_on
from workcell.errors import Cancelled, CollisionStop, Refused, TooCostly, UnknownName, WorkcellError
from workcell.world.body import unknown_after
from workcell.world.entities import Entity, quoted

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.programs import Program, Seen
    from workcell.simulation.simulator import Simulator

_PUMA = "> create robot Puma puma560 joints 0,0,-90,0,90,0"
_SETTINGS = ("speed", "profile", "branch")
"""Edits that a program among others may ask for: they hold until it ends."""
_ALONE = ("reset", "run-together")


class Ran(Result, frozen=True):
    """A program ran: how many commands, what the clock says [s], and what was too heavy or could not be weighed.

    ``unknown`` are the bodies whose shape the watch for collisions does not know.
    """

    program: str
    commands: int
    time: float
    loads: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    def __str__(self) -> str:
        told = f"{self.program}: {self.commands} commands, simulated time {self.time:.4f} s"
        return "\n".join([told + unknown_after(self.unknown), *self.loads])


@command(
    "run {program}",
    help="carry out a program of the cell from the initial state",
    effect="edits",
    own_transaction=True,
    program=Ref("program"),
    examples=[
        _PUMA,
        "> create program demo",
        '> modify demo text "speed Puma 0.3rad/s%0Await 1"',
        "run demo",
    ],
)
def run(session: Session, program: Entity) -> Ran:
    """Its lines are commands, and all are one step of the history; when one is refused nothing of the run stays.

    A move that stops before a contact or at a limit is no refusal: everything stands where it stopped.
    """
    with session.in_program(program.name):
        outermost, label = not session.database.in_step, f"run {quoted(program.name)}"
        if outermost:
            session.database.begin_step(session.who)
        try:
            done = _carried_out(session, program)
        except BaseException as error:
            if outermost and "stopped" in getattr(error, "evidence", ()):
                session.database.end_step(label)
            elif outermost:
                session.database.cancel_step()
            raise
        if outermost:
            session.database.end_step(label)
    return Ran(program.name, done, session.simulator_time, _loads(session.simulator), unwatched(session))


def _loads(simulator: Simulator) -> tuple[str, ...]:
    """What robots carried in a run that was too heavy or could not be weighed."""
    from workcell.simulation.loading import TOO_MUCH, UNKNOWN, load_lines

    return tuple(load_lines(simulator.recording.events, (TOO_MUCH, UNKNOWN)))


def _carried_out(session: Session, program: Entity) -> int:
    """Reset and carry out the lines; returns how many."""
    session.do("reset")
    done = 0
    for number, text in _lines(program):
        LINES.check(session.database.lines_in_step + 1, f"The run of {program.name!r}")
        try:
            session.do(text)
        except WorkcellError as error:
            if "chain" in error.evidence or isinstance(error, (Cancelled, TooCostly)):
                raise
            stopped = {"stopped": error.evidence["stopped"]} if "stopped" in error.evidence else {}
            told = f"Line {number} of program {program.name!r}: {error}"
            raise Refused(told, line_number=number, **stopped) from error
        done += 1
    return done


class Programs(Value):
    """Names of programs, with blanks or ``&`` between them."""

    label = "PROGRAM PROGRAM …"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Two or more, each once."""
        column, found = tokens.column, []
        while not tokens.done:
            token = tokens.take()
            if token.text != "&":
                found.append(self._named(unquote(token.text), session, tokens, token.start))
        names = [program.name for program in found]
        if len(found) < 2 or len(set(names)) < len(names):
            raise tokens.fail("Two or more different programs run side by side.", [self.label], column)
        return found

    def _named(self, name: str, session: Session, tokens: Tokens, column: int) -> Entity:
        entity = session.database.find("program", name)
        if entity is None:
            known = session.database.names("program")
            raise tokens.fail(str(UnknownName.among("program", name, known)), [self.label], column)
        return entity

    def from_json(self, value: Any, session: Session, seen: dict[str, Any]) -> Any:
        """A list of names."""
        names = value if isinstance(value, list) else str(value).split()
        return self.parse(Tokens(" ".join(f'"{name}"' for name in names)), session, seen)

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> list[tuple[str, str]]:
        """The programs of the cell."""
        return [(name, "program") for name in session.database.names("program", prefix, most=50)]

    def text(self, value: Any) -> str:
        """The names in quotes."""
        return " ".join(f'"{program.name}"' for program in value)

    def accepts(self, text: str) -> bool:
        """Any word may be a name."""
        return True


class RanTogether(Result, frozen=True):
    """Programs ran side by side: when each ended, what the clock says [s], and what was too heavy or not weighed.

    ``unknown`` are the bodies whose shape the watch for collisions does not know.
    """

    ended: dict[str, float]
    time: float
    loads: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = ", ".join(f"{name} ended at {at:.4f} s" for name, at in self.ended.items())
        return "\n".join([f"{parts}; simulated time {self.time:.4f} s{unknown_after(self.unknown)}", *self.loads])


@command(
    "run-together {programs}",
    help="carry out programs side by side from the initial state, on one clock, with signals between them",
    effect="simulates",
    programs=Programs(),
    examples=[
        _PUMA,
        "> create robot Puma2 puma560 at 0,1500,0 joints 0,0,-90,0,90,0",
        "> create signal ready",
        "> create program feed",
        "> create program take",
        '> modify feed text "move-joints-relative Puma 20,0,0,0,0,0%0Aset-signal ready 1"',
        '> modify take text "wait-for ready%0Amove-joints-relative Puma2 20,0,0,0,0,0"',
        "run-together feed take",
    ],
)
def run_together(session: Session, programs: Sequence[Entity]) -> RanTogether:
    """A line that moves or waits holds up its own program only; when all wait for signals nobody gives, that is said.

    At one instant they go on in the order given. When one is refused something nothing of the run stays; before a
    contact all stop.
    """
    from workcell.simulation.programs import run as run_programs
    from workcell.simulation.simulator import Simulator

    now = session.simulator
    simulator = Simulator(now.snapshot, now.mode, now.snapshot.initial)
    simulator.take_settings(now)
    with session.running(simulator):
        set_guards(session)
        ready = {program.name: _program(session, program) for program in programs}
        try:
            ended = run_programs(simulator, ready)
        finally:
            simulator.go_on(simulator.snapshot)  # speeds and profiles held for the run only
    return RanTogether(ended, simulator.time, _loads(simulator), unwatched(session))


def _lines(program: Entity) -> list[tuple[int, str]]:
    return list(logical_lines(lines_of(str(program.properties.get("text", "")))))


def _program(session: Session, program: Entity) -> Program:
    """A program of the cell as one that runs beside others; every line is read before anything moves."""
    steps: list[tuple[int, Command, dict[str, Any]]] = []
    for number, text in _lines(program):
        try:
            one, values = session.registry.tree.parse(text, session)
        except WorkcellError as error:
            raise _at(program, number, error) from error
        if one.name == "follow-table":
            raise Refused(
                f"Line {number} of program {program.name!r}: a table cannot be read among other programs, since the "
                f"journal keeps no file of theirs; follow it in a program of its own.",
                line_number=number,
            )
        if one.name in _ALONE or (one.effect not in ("simulates", "reads") and one.name not in _SETTINGS):
            why = "begins anew" if one.name in _ALONE else "is no step of a program among others"
            raise Refused(f"Line {number} of program {program.name!r}: `{one.name}` {why}.", line_number=number)
        steps.append((number, one, values))

    def go(simulator: Simulator) -> Generator[float | Seen, None, None]:
        for number, one, values in steps:
            go_on(session.cancel, "The run")
            try:
                yield from _step(session, simulator, one, values)
            except (CollisionStop, Cancelled):
                raise
            except WorkcellError as error:
                raise _at(program, number, error) from error

    return go


def _step(
    session: Session, simulator: Simulator, one: Command, values: dict[str, Any]
) -> Generator[float | Seen, None, None]:
    """Carry out a line, with what the program waits for meanwhile."""
    from workcell.simulation.programs import Seen

    if one.name == "wait":
        yield float(values["seconds"])
    elif one.name == "wait-for":
        yield Seen(values["signal"].name, values.get("value", 1.0))
    elif one.name == "together":
        with simulator.together() as started:
            for move, given in values["moves"]:
                move.run(session, **given)
        yield started.duration
    elif one.name in _SETTINGS:
        getattr(simulated(session, values["robot"]), one.name)(values[one.name])
    else:
        duration = getattr(one.run(session, **values), "duration", None)
        steps = session.steps_left()
        for left in steps:
            yield from left
        if not steps and isinstance(duration, int | float):
            yield float(duration)


def _at(program: Entity, number: int, error: WorkcellError) -> Refused:
    return Refused(f"Line {number} of program {program.name!r}: {error}", line_number=number, program=program.name)

"""Commands for several robots: moves and paths that start together, and the conflicts of programs."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workcell.commands.collisions import collision_model_of
from workcell.commands.language.registry import Command, command
from workcell.commands.language.tokens import Tokens
from workcell.commands.language.values import Value
from workcell.commands.moved import Moved, MovedTogether, made
from workcell.commands.path_finding import MovedOnPath, found
from workcell.commands.program_store import runnable
from workcell.commands.program_tables import tables_of
from workcell.commands.program_values import Programs
from workcell.commands.results import Result
from workcell.commands.running import run_of
from workcell.commands.typed_steps import step_values
from workcell.errors import InvalidValue, WorkcellError
from workcell.programs import steps as s
from workcell.wording import counted
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.cell import Cell
    from workcell.commands.session import Session
    from workcell.motion.chained import JointMotion
    from workcell.planning.find_paths import PlanTogether
    from workcell.planning.space import Allowed
    from workcell.simulation.interpreter import Run
    from workcell.simulation.recording import Recording


class Moves(Value):
    """Moves that start together, with ``&`` between them."""

    label = "MOVE & MOVE …"
    help = "two or more commands that move, with & between them"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read each move as a command of its own."""
        column, text = tokens.column, tokens.rest()
        lines = [line.strip() for line in text.split(" & ")]
        try:
            return _moves([session.registry.tree.parse(line, session) for line in lines if line])
        except InvalidValue as error:
            raise tokens.fail(str(error), [self.label], column) from None

    def from_json(self, value: Any, session: Session, seen: dict[str, Any]) -> Any:
        """Read lines with & between them, or a list of calls: ``{"command": …, "parameters": …}``."""
        if not isinstance(value, list):
            return super().from_json(value, session, seen)
        if not all(isinstance(one, dict) and {"command"} <= one.keys() <= {"command", "parameters"} for one in value):
            raise InvalidValue("Expected moves as a list of {command, parameters}.")
        return _moves([session.called(one["command"], one.get("parameters")) for one in value])

    def text(self, value: Any) -> str:
        """The canonical lines."""
        return " & ".join(_line(one, values) for one, values in value)


def _moves(found: list[tuple[Command, dict[str, Any]]]) -> list[tuple[Command, dict[str, Any]]]:
    """Return commands that can start together; others are refused."""
    from workcell.commands.language.step_reader import step_types

    for one, _ in found:
        if step_types().get(one.name) not in s.BEGIN_TOGETHER:
            raise InvalidValue(f"Only moves can start together; `{one.name}` is not a move.")
    if len(found) < 2:
        raise InvalidValue("Expected two or more moves with & between them.")
    return found


def _line(one: Command, values: dict[str, Any]) -> str:
    return one.syntax.canonical(values, lambda name, value: one.syntax.params[name].text(value))


@command(
    "together {moves}",
    help="start moves or found paths of several robots at the same time, and wait for the slowest",
    effect="simulates",
    moves=Moves(),
    examples=[
        "> create robot Puma puma560 joints 0,0,-90,0,90,0",
        "> create robot Puma2 puma560 at 0,1500,0 joints 0,0,-90,0,90,0",
        "together move-joints-relative Puma 10,0,0,0,0,0 & move-joints-relative Puma2 0,20,0,0,0,0",
        "together find-path Puma joints 40,0,-90,0,90,0 & find-path Puma2 joints -40,0,-90,0,90,0 priority 1",
    ],
)
def together(session: Session, moves: list[tuple[Command, dict[str, Any]]]) -> MovedTogether:
    """Each robot may have one move. If one move is refused, nothing moves.

    Paths (`find-path`) are looked for together: every robot gets to its goal beside all others, and waits, goes slower
    or goes around where it must. The motions that end soonest are kept, and proved as a whole.
    """
    begin, answers = session.simulator_now, dict[int, Moved]()
    searched = {number: values for number, (one, values) in enumerate(moves) if one.name == "find-path"}
    with session.simulator.together():
        for number, (one, values) in enumerate(moves):
            if number in searched:
                continue
            try:
                answers[number] = one.run(session, **values)
            except WorkcellError as error:
                error.evidence.setdefault("move", number)
                raise
        found = begun_together(session, list(searched.values())) if searched else []
    answers = {number: made(session, answer, begin) for number, answer in answers.items()}
    answers |= zip(searched, found, strict=True)
    return MovedTogether([answers[number] for number in sorted(answers)], session.simulator_time)


def begun_together(session: Session, wishes: Sequence[Mapping[str, Any]]) -> list[MovedOnPath]:
    """Look for paths of several robots that start together, and begin them; return what each does."""
    from workcell.simulation.actions import with_defaults
    from workcell.simulation.move_actions import find_paths as search
    from workcell.simulation.performing import Doing, Settings
    from workcell.simulation.scopes import StartScope

    simulator = session.simulator
    doing = Doing(simulator, StartScope(simulator, session.units), Settings(), {})
    values = [with_defaults(s.FindPath, step_values(session, given)) for given in wishes]
    plan = search(values, doing)
    paths = [found(plan.plans[one["robot"]], given.get("touching")) for one, given in zip(values, wishes, strict=True)]
    time = simulator.time + plan.duration
    return [MovedOnPath(path.robot, path.duration, time, unknown=path.unknown, path=path) for path in paths]


def find_paths(
    cell: Cell,
    goals: Mapping[str, object],
    *,
    priorities: Mapping[str, int] | Sequence[str] | None = None,
    beside: Mapping[str, JointMotion] | None = None,
    seed: int = 0,
    budget: float = 2.0,
    allow: Allowed = (),
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> PlanTogether:
    """Find motions of several robots of a cell to their goals that start together, proved free as a whole.

    See :func:`workcell.planning.find_paths.find_paths`.
    """
    from workcell.planning.find_paths import find_paths as search

    return search(
        cell.snapshot(), cell.state, goals, priorities=priorities, beside=beside, seed=seed, budget=budget,
        allow=allow, progress=progress, cancel=cancel,
    )  # fmt: skip


class Meeting(Result, frozen=True):
    """Two bodies that touch for a while, or come nearer than they may.

    Attributes:
        pair: the bodies.
        begin: from when on [s].
        end: until when [s].
        depth: how deep they reach into each other [m]; minus their distance where only a margin is broken.
        place: where, in the world [m]; None where it could not be found.
        lines: the line that each program is at when it begins, by program.
    """

    pair: tuple[str, str]
    begin: float
    end: float
    depth: float
    place: tuple[float, float, float] | None
    lines: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        span = f"from {self.begin:.4f} to {self.end:.4f} s" if self.end > self.begin else f"at {self.begin:.4f} s"
        how = f"{self.depth * 1e3:.3g} mm deep" if self.depth > 0.0 else f"{-self.depth * 1e3:.3g} mm apart"
        where = "" if self.place is None else f" near {', '.join(f'{1e3 * v:.0f}' for v in self.place)} mm"
        lines = ", ".join(f"line {line} of {program}" for program, line in self.lines if line)
        return f"{self.pair[0]} and {self.pair[1]} {span}, {how}{where}{f' ({lines})' if lines else ''}"


class CheckedTogether(Result, frozen=True):
    """What programs that run together do to each other.

    Attributes:
        programs: their names.
        duration: how long the run takes [s].
        conflicts: all of them, in the order of time.
        proved: whether everything else is proved free.
    """

    programs: tuple[str, ...]
    duration: float
    conflicts: tuple[Meeting, ...]
    proved: bool

    def __str__(self) -> str:
        count = len(self.conflicts)
        rest = "everything else is proved free" if self.proved else "not everything else could be proved free"
        if not count and self.proved:
            return f"no conflict: proved that nothing touches at any instant of {self.duration:.4f} s"
        head = f"{counted(count, 'conflict')} in {self.duration:.4f} s; {rest}"
        return "\n".join([head, *(str(one) for one in self.conflicts)])


@command(
    "check together {programs}",
    help="find every conflict of programs that run in parallel: what touches, from when to when, on which lines",
    effect="reads",
    background=True,
    programs=Programs(),
    param_help={"programs": "the programs or tasks that run in parallel"},
    examples=[
        "> create robot A puma560 joints -50,20,-120,0,60,0",
        "> create robot B puma560 at 1300,0,0 rotate 0,0,180 joints -50,20,-120,0,60,0",
        '> write program left "move-joints-absolute A 50,20,-120,0,60,0%0Ahome A"',
        '> write program right "move-joints-absolute B 50,20,-120,0,60,0%0Ahome B"',
        "check together left right",
    ],
)
def check_together(session: Session, programs: Sequence[Entity]) -> CheckedTogether:
    """They run on a copy of the cell, from the initial state, and contacts do not stop them. Nothing changes."""
    from workcell.simulation.conflicts import conflicts_of

    recording = ran_freely(session, programs)
    names = [one.name for one in programs]
    found = conflicts_of(recording, collision_model_of(session), names, session.progress, session.cancel)
    meetings = [
        Meeting(one.pair, one.begin, one.end, one.depth, None if math.isnan(one.place[0]) else one.place, one.lines)
        for one in found.found
    ]
    return CheckedTogether(tuple(names), recording.duration, tuple(meetings), found.proved)


def ran_freely(session: Session, programs: Sequence[Entity]) -> Recording:
    """The recording of programs that run together on a copy of the cell; contacts do not stop them."""
    ready, known = runnable(session, programs)
    return run_freely(run_of(session, ready, known, (), None, tables_of(session, known.values(), None)))


def run_freely(run: Run) -> Recording:
    """The recording of a run to its end; contacts do not stop it."""
    run.simulator.watch = None
    try:
        run.go()
    finally:
        run.close()
    return run.simulator.recording

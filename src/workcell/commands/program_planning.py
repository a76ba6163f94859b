"""The command that makes the transits of a program, and of the programs that it calls, free of contacts."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.commands.collisions import collision_model_of, pair_table
from workcell.commands.language.program_printer import command_line
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.plan_marks import mark_planned
from workcell.commands.prepared import Prepared, prepared
from workcell.commands.program_store import TEXT, runnable, stored
from workcell.commands.program_tables import tables_of
from workcell.commands.results import Result
from workcell.commands.running import run_of
from workcell.commands.work_planning import joints_row
from workcell.errors import Refused
from workcell.programs import steps as s
from workcell.programs.program import Program
from workcell.simulation.branch_policy import FROZEN, resolved
from workcell.wording import counted
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.commands.session import Session
    from workcell.simulation.transit_moves import ProgramMove

Array = NDArray[np.float64]

_ROUNDS = 4
"""How often a planned program is run again, until all of its transits are free."""
_TOLD = 12
"""How many moves that were left are listed for people."""
_CELL = (
    "> create robot Puma puma560 joints -70,0,-90,0,90,0",
    "> add solid post box 100 100 2000 at 600,0,0",
)

Place = tuple[str, int]
"""A program and a line of it."""
Texts = dict[str, list[str]]
"""The lines of each program."""


class PlannedTransit(Result, frozen=True):
    """A transit of a program.

    Attributes:
        program: its program.
        line: its line.
        robot: who moves.
        before: how long the move took before [s].
        after: how long it takes now [s].
        replaced: whether it was replaced by a path that touches nothing.
        problem: what touches before; '' where it was free.
    """

    program: str
    line: int
    robot: str
    before: float
    after: float
    replaced: bool
    problem: str


class LeftMove(Result, frozen=True):
    """A move that was left as it is.

    Attributes:
        program: its program.
        line: its line.
        robot: who moves; '' where nothing moved.
        why: the reason.
        problem: what touches during it; '' where it is proved free, or was not carried out.
    """

    program: str
    line: int
    robot: str
    why: str
    problem: str

    def __str__(self) -> str:
        who = f" ({self.robot})" if self.robot else ""
        problem = f"; {self.problem}" if self.problem else ""
        return f"line {self.line} of {self.program}{who} is left: {self.why}{problem}"


class PlannedProgram(Result, frozen=True):
    """A program whose transits are proved free, with those of the programs that it calls.

    Attributes:
        program: its name.
        transits: the transits in the order of their lines; the times of one that is repeated are added up.
        left: the moves that were left as they are, and why.
        before: how long the program took before [s].
        after: how long it takes now [s].
        difference: the lines that changed, as a unified diff.
        written: whether programs were changed.
        shared: programs that were changed and are also called by others, with the names of these.
    """

    program: str
    transits: tuple[PlannedTransit, ...]
    left: tuple[LeftMove, ...]
    before: float
    after: float
    difference: str
    written: bool
    shared: tuple[tuple[str, tuple[str, ...]], ...]

    def __str__(self) -> str:
        changed = sum(one.replaced for one in self.transits)
        would = "replaced" if self.written else "to replace"
        touching = [one for one in self.left if one.problem]
        proof = "every transit is proved free" if not touching else f"{counted(len(touching), 'move')} left may touch"
        head = (
            f"program {self.program!r}: {counted(len(self.transits), 'transit')}, {changed} {would}; "
            f"{self.before:.4f} s before, {self.after:.4f} s after; {proof}"
        )
        rows = [
            f"line {one.line} of {one.program}: {one.problem}; {one.before:.4f} s, now {one.after:.4f} s"
            for one in self.transits
            if one.replaced
        ]
        ranked = sorted(self.left, key=lambda one: not one.problem)
        rows += [str(one) for one in ranked[:_TOLD]]
        if len(ranked) > _TOLD:
            rows.append(f"{len(ranked) - _TOLD} more moves are left; `--json` lists all")
        rows += [f"program {name!r} is also called by {', '.join(by)}: plan these too" for name, by in self.shared]
        return "\n".join([head, *rows, *([self.difference] if self.difference else [])])


class _Plan(NamedTuple):
    """The programs, their lines before and after, what touched, what stays, and the moves and time of each round."""

    known: Mapping[str, Program]
    first: Texts
    texts: Texts
    problems: dict[Place, str]
    fixed: dict[Place, str]
    rounds: list[tuple[list[ProgramMove], float]]


def _prepare_plan(session: Session, program: Entity, **_: Any) -> Prepared:
    return Prepared(_plan(session, program), session.snapshot().hash)


def _plan(session: Session, program: Entity) -> _Plan:
    """Carry out a program on a copy of the cell, and replace transits that touch something, until none does."""
    _, known = runnable(session, [program])
    texts: Texts = {name: _text(session, name).split("\n") for name in known}
    first, problems, fixed = dict(texts), dict[Place, str](), dict[Place, str]()
    rounds: list[tuple[list[ProgramMove], float]] = []
    for _ in range(_ROUNDS):
        moves, total = _carried_out(session, program, texts)
        rounds.append((moves, total))
        touching = {one.place: blocked(one) for one in moves if _is_planned(one) and not one.free}
        touching = {place: text for place, text in touching.items() if place not in fixed}
        if not touching:
            break
        stuck = [place for place in touching if place in problems]
        if stuck:
            raise Refused(
                f"Line {stuck[0][1]} of program {stuck[0][0]!r} looks for a free path itself and is still not proved "
                f"free: {touching[stuck[0]]}. Something else moves at the same time; let one wait for the other.",
                line=stuck[0][1],
            )
        new, kept = replaced_lines(session, texts, moves, touching)
        fixed |= kept
        problems |= {place: text for place, text in touching.items() if place not in kept}
        texts = new
    else:
        raise Refused(f"Program {program.name!r} still has transits that touch something after {_ROUNDS} rounds.")
    return _Plan(known, first, texts, problems, fixed, rounds)


@command(
    "plan program {program} [--dry]",
    help="replace the transits of a program that touch something by paths that touch nothing",
    effect="edits",
    prepares=_prepare_plan,
    program=Ref("program"),
    param_help={"program": "the program whose transits are planned", "dry": "only show what would change"},
    examples=[
        *_CELL,
        '> write program demo "move-joints-absolute Puma 70,0,-90,0,90,0%0Ahome Puma"',
        "plan program demo --dry",
        "plan program demo",
    ],
)
def plan_program(session: Session, program: Entity, dry: bool = False) -> PlannedProgram:
    """The program runs on a copy of the cell; each transit is proved free, or replaced by `find-path`.

    Transits are `move-joints-absolute`, `move-joints-relative`, `move-end-effector` and `home`, also in the programs
    that it calls. All other moves are taught and stay as they are, as do the moves of `together` blocks. The answer
    lists them with the reason, and what touches during them.
    """
    basis = session.snapshot().hash
    known, first, texts, problems, fixed, rounds = prepared(session, basis, lambda: _plan(session, program), "the plan")
    changed = [name for name in texts if texts[name] != first[name]]
    if not dry:
        for name in changed:
            entity = session.database.entity("program", name)
            session.database.set_properties(session.rows, entity, {TEXT: "\n".join(texts[name])})
        planned = [session.database.entity("program", name) for name in known]
        mark_planned(session, planned, "plan program", {"program": program})
    shared = tuple((name, by) for name in changed if (by := _callers(session, name, known)))
    rows = _rows(rounds[0][0], rounds[-1][0], problems, fixed)
    left = _left(rounds[-1][0], fixed, {name: _read(session, name, texts[name]) for name in known})
    difference = "\n".join(_difference(name, first[name], texts[name]) for name in changed)
    return PlannedProgram(
        program.name, rows, left, rounds[0][1], rounds[-1][1], difference, bool(changed) and not dry, shared
    )


def _is_planned(move: ProgramMove) -> bool:
    return move.transit and not move.together


def _rows(
    first: Sequence[ProgramMove], last: Sequence[ProgramMove], problems: Mapping[Place, str], fixed: Mapping[Place, str]
) -> tuple[PlannedTransit, ...]:
    """The transits of the first run, with their times in the first and in the last."""
    robots = {one.place: one.robot for one in first if _is_planned(one)}

    def total(moves: Sequence[ProgramMove], place: Place) -> float:
        return sum(one.duration for one in moves if one.place == place)

    return tuple(
        PlannedTransit(
            *place, robots[place], total(first, place), total(last, place), place in problems, problems.get(place, "")
        )
        for place in sorted(robots)
        if place not in fixed
    )


def _left(
    moves: Sequence[ProgramMove], fixed: Mapping[Place, str], programs: Mapping[str, Program]
) -> tuple[LeftMove, ...]:
    """The moves that stay as they are, each line and robot once, and the lines that were not carried out."""
    from workcell.simulation.transit_moves import moving_steps

    found: dict[tuple[str, int, str], LeftMove] = {}
    for one in moves:
        if one.together:
            why = "a path of its own would change the timing of its `together` block"
        elif one.place in fixed:
            why = fixed[one.place]
        elif not one.transit:
            why = f"`{one.kind}` is taught"
        else:
            continue
        key = (*one.place, one.robot)
        if key not in found or not found[key].problem:
            found[key] = LeftMove(*key, why, "" if one.free else blocked(one))
    carried_out = {one.place for one in moves}
    for name, program in programs.items():
        for line in moving_steps(program):
            if (name, line) not in carried_out:
                found[name, line, ""] = LeftMove(name, line, "", "nothing moved there in this run", "")
    return tuple(found[key] for key in sorted(found))


def blocked(move: ProgramMove) -> str:
    """What is wrong with a move, as a clause."""
    if move.proof.contact is not None:
        time, pair = move.proof.contact
        return f"{' and '.join(pair)} touch at {time:.4f} s"
    begin, _, pair, reason = move.proof.undecided[0]
    return f"whether {' and '.join(pair)} touch at {begin:.4f} s is undecided ({reason})"


def _text(session: Session, name: str) -> str:
    return str(session.database.entity("program", name).properties.get(TEXT, ""))


def _read(session: Session, name: str, lines: list[str]) -> Program:
    """A program of the cell with other lines."""
    from workcell.commands.language.program_reader import read_program

    units = stored(session.database.entity("program", name)).program.units
    return read_program(name, "\n".join(lines), units).program


def _callers(session: Session, name: str, known: Mapping[str, Program]) -> tuple[str, ...]:
    """The programs that call a program and are not among those that were planned."""
    return tuple(
        other
        for other in session.database.names("program")
        if other not in known
        and any(
            isinstance(step, s.Call) and step.program == name
            for step in stored(session.database.entity("program", other)).program.steps
        )
    )


def _difference(name: str, before: list[str], after: list[str]) -> str:
    return "\n".join(difflib.unified_diff(before, after, f"{name}, before", f"{name}, after", lineterm="", n=1))


def _carried_out(session: Session, program: Entity, texts: Texts) -> tuple[list[ProgramMove], float]:
    """The moves of a run of a program with these lines, and how long the run takes [s]."""
    from workcell.simulation.transit_moves import program_moves

    known = {name: _read(session, name, lines) for name, lines in texts.items()}
    tables = tables_of(session, known.values(), None)
    run = run_of(session, [known[program.name]], known, (), None, tables)
    run.simulator.watch = None
    try:
        run.go()
    finally:
        run.close()
    recording = run.simulator.recording
    found = program_moves(recording, known, lambda step: step_model(session, step), session.progress, session.cancel)
    return found, recording.duration


def step_model(session: Session, step: s.Step) -> CollisionModel:
    """The bodies and pairs to test during a step: what it may touch is not tested."""
    if not isinstance(step, s.FindPath | s.MoveAlong) or step.touching is None:
        return collision_model_of(session)
    from workcell.collision.bodies import collision_model
    from workcell.collision.zones import zones_of
    from workcell.planning.space import allowed_pairs

    snapshot = session.snapshot()
    pairs = allowed_pairs(pair_table(session), ((step.robot, step.touching),))
    return collision_model(snapshot, pairs, zones=zones_of(snapshot), warn=False)


def replaced_lines(
    session: Session, texts: Texts, moves: Sequence[ProgramMove], touching: Iterable[Place]
) -> tuple[Texts, dict[Place, str]]:
    """The lines with paths in the place of some transits, and the transits that stay, with the reason."""
    from workcell.simulation.transit_moves import moving_steps

    out, kept = {name: list(lines) for name, lines in texts.items()}, dict[Place, str]()
    steps = {name: moving_steps(_read(session, name, lines)) for name, lines in texts.items()}
    for place in touching:
        name, line = place
        step, ends = steps[name][line], [one.joints for one in moves if one.place == place]
        same = all(np.abs(end - ends[0]).max() <= 1e-9 for end in ends)
        text = texts[name][line - 1]
        if isinstance(step, s.MoveJointsAbsolute):
            new = s.FindPath(step.robot, joints=step.joints)
        elif isinstance(step, s.MoveEndEffector) and not (same and _is_tracked(step)):
            new = s.FindPath(
                step.robot, poses=(step.pose,), point=step.point, branch=step.branch or _branch(session, step, ends)
            )
        elif isinstance(step, s.FindPath):
            if step.beside:
                kept[place] = "it looks for a free path itself, beside what is under way when it begins"
                continue
            new = msgspec.structs.replace(step, beside=True)
        elif same and isinstance(step, s.MoveJointsRelative | s.Home | s.MoveEndEffector):
            robot = session.snapshot().device(step.robot).robot
            new = s.FindPath(step.robot, joints=joints_row(robot, ends[0]))
        else:
            kept[place] = "it ends elsewhere each time, so no one path replaces it; write it as a move to joint values"
            continue
        out[name][line - 1] = text[: len(text) - len(text.lstrip())] + command_line(new)
    return out, kept


def _is_tracked(step: s.MoveEndEffector) -> bool:
    """Whether a move follows a support or places external axes, which a search for a path to its pose does not."""
    return step.on is not None or step.when is not None or step.work is not None or bool(step.axes)


def _branch(session: Session, step: s.MoveEndEffector, ends: Sequence[Array]) -> str:
    """The branch in which a move ends each time; '' if these differ, the rule of the robot if they have no names."""
    placed = session.snapshot().robot(step.robot)
    try:
        found = {resolved(placed.robot, step.robot, FROZEN, end) for end in ends}
    except Refused:
        return placed.branch
    return found.pop() if len(found) == 1 else ""
